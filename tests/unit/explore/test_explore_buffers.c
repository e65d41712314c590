/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest buffers: a second opinion by trying everything; and the relaxation that rules things out. */
#include "base/alloc.h"
#include "explore/margins/relax.h"
#include "unit/explore/exploring.h"

static void check_smallest(const struct weir_pipeline *p, enum weir_priority_method method, int64_t within)
{
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_BUFFERS, .method = method, .threads = 1, .within = within};
    struct weir_exploration *e = exploring_run(p, &options);
    enum { MOST = 4 };
    int64_t best = exploring_best_total(p, method, MOST, within);
    if (e->complete && e->total >= 0)
        assert_int_equal(e->total_least, e->total);
    if (best >= 0) {
        assert_true(e->total >= 0);
        assert_true(e->total <= best);
        assert_true(e->complete);
    }
    /* Something smaller than all that was tried by hand has a queue with more places. */
    for (uint32_t i = 0; e->pipeline && e->total < best && i < weir_pipeline_queue_count(p); i++)
        if (weir_pipeline_queue(e->pipeline, (struct weir_queue){i}).capacity > MOST)
            best = e->total;
    if (best >= 0 && e->pipeline)
        assert_int_equal(e->total, best);
    /* What is claimed holds in the changed model. */
    for (size_t i = 0; e->after && i < e->after->latency_count; i++) {
        const struct weir_chain_spec *chain = &e->after->latencies[i].chain;
        assert_true(!chain->has_deadline || e->after->latencies[i].worst <= chain->deadline);
        assert_true(!within || e->after->latencies[i].worst <= within);
    }
    int64_t total = 0;
    for (size_t i = 0; e->after && i < e->after->buffer_count; i++) {
        struct weir_buffer buffer = e->after->buffers[i];
        if (!buffer.input && weir_pipeline_queue(p, (struct weir_queue){buffer.index}).capacity == WEIR_AUTO)
            total += buffer.capacity;
    }
    if (e->pipeline)
        assert_int_equal(total, e->total);
    weir_exploration_free(e);
}

static void test_smallest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct weir_pipeline *p = exploring_random(seed, 1, 4, 2);
        if (weir_pipeline_queue_count(p) <= 5) {
            struct weir_priority_analysis *a = exploring_analyze(p, WEIR_PRIORITY_EI);
            int64_t worst = a->outcome == WEIR_PRIORITY_CONVERGED ? a->latencies[0].worst : 0;
            weir_priority_analysis_free(a);
            check_smallest(p, WEIR_PRIORITY_EI, 0);
            check_smallest(p, WEIR_PRIORITY_EI, worst);
            check_smallest(p, WEIR_PRIORITY_EI, worst * 9 / 10);
        }
        weir_pipeline_free(p);
    }
}

/* a and b alternate where they share one place; 3 + 3 <= 10. With 6 + 6 > 10, two places are needed. */
static void test_by_hand(void **state)
{
    (void)state;
    static const char text[] = "platform: {scheduler: fixed-priority}\noperators: {a: %d, b: %d}\nqueue: auto\nqueues: [a -> b]\n"
                               "source: {operator: a, period: 10}\n";
    for (int time = 3; time <= 6; time += 3) {
        char model[300];
        snprintf(model, sizeof model, text, time, time);
        struct weir_pipeline *p = stage_read(model);
        struct weir_explore_options options = {.goal = WEIR_EXPLORE_BUFFERS};
        struct weir_exploration *e = exploring_run(p, &options);
        assert_true(e->complete);
        assert_int_equal(e->total, time == 3 ? 1 : 2);
        assert_int_equal(e->total_least, e->total);
        weir_exploration_free(e);
        /* The latency is both times in any case. */
        options.within = 2 * time - 1;
        e = exploring_run(p, &options);
        assert_true(e->complete);
        assert_null(e->pipeline);
        assert_int_equal(e->total, -1);
        assert_non_null(e->note);
        weir_exploration_free(e);
        weir_pipeline_free(p);
    }
}

static void test_given_capacities(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_read("platform: {scheduler: fixed-priority}\noperators: {a: 3, b: 3, c: 3}\n"
                                         "queues: [{from: a, to: b, capacity: 7}, {from: b, to: c, capacity: unbounded}]\n"
                                         "source: {operator: a, period: 10}\n");
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_BUFFERS};
    struct weir_exploration *e = exploring_run(p, &options);
    assert_null(e->pipeline);
    assert_non_null(e->note);
    weir_exploration_free(e);
    options.resize = true;
    e = exploring_run(p, &options);
    assert_non_null(e->pipeline);
    assert_true(e->complete);
    assert_int_equal(e->total_before, 7);
    assert_int_equal(e->total, 1);
    assert_int_equal(weir_pipeline_queue(e->pipeline, (struct weir_queue){1}).capacity, WEIR_UNBOUNDED);
    weir_exploration_free(e);
    weir_pipeline_free(p);
}

/* Whatever has a bound is possible, at that bound and with those buffers. */
static void test_relaxation_is_below_every_bound(void **state)
{
    (void)state;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct weir_generate_priority_options options = {.seed = seed,
                                                         .graphs = 1 + seed % 2,
                                                         .tasks = 5,
                                                         .processors = 2,
                                                         .load_permille = 600,
                                                         .best_permille = 300,
                                                         .jitter_permille = 1500,
                                                         .cyclic = true,
                                                         .sized = seed % 3 == 0};
        struct weir_pipeline *p = NULL;
        assert_int_equal(weir_generate_priority(&options, &p, NULL), WEIR_OK);
        struct weir_priority_analysis *a = exploring_analyze(p, WEIR_PRIORITY_BEST);
        if (a->outcome == WEIR_PRIORITY_CONVERGED) {
            int64_t *limits = weir_array(a->latency_count, sizeof *limits);
            uint32_t *capacity = weir_array_zeroed(weir_pipeline_queue_count(p), sizeof *capacity);
            for (size_t i = 0; i < a->latency_count; i++)
                limits[i] = a->latencies[i].worst;
            for (size_t i = 0; i < a->buffer_count; i++)
                if (!a->buffers[i].input)
                    capacity[a->buffers[i].index] = a->buffers[i].capacity;
            struct weir_relaxation *relaxation = weir_relaxation_new(p, limits, NULL);
            assert_true(weir_relaxation_possible(relaxation, capacity));
            limits[0] = 0;
            assert_false(weir_relaxation_possible(relaxation, capacity));
            weir_relaxation_free(relaxation);
            weir_free(limits);
            weir_free(capacity);
            checked++;
        }
        weir_priority_analysis_free(a);
        weir_pipeline_free(p);
    }
    assert_true(checked > 30);
}

int explore_buffers_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smallest), cmocka_unit_test(test_by_hand),
                                       cmocka_unit_test(test_given_capacities),
                                       cmocka_unit_test(test_relaxation_is_below_every_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
