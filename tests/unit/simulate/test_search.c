/* SPDX-License-Identifier: Apache-2.0 */
/* The search for late executions finds what is known to happen: what the execution-interval paper simulated, and the executions
 * that break the methods which are not safe. */
#include "crew.h"
#include "support/runner.h"

#include <string.h>

static struct weir_processors_observed *search(const struct weir_pipeline *p, uint32_t runs, const uint32_t *capacities,
                                               uint64_t seed)
{
    struct weir_processors_search_options options = {
        .seed = seed, .runs = runs, .iterations = 20, .capacities = capacities, .chain = weir_pipeline_chain_count(p)};
    struct weir_processors_observed *seen;
    assert_int_equal(weir_processors_search(p, &options, &seen, NULL), WEIR_OK);
    return seen;
}

/* ---- the decoder ---- */

/* Period and jitter in half microseconds, the capacity of FFT to CHEST; the latest seen in tenths of a microsecond, from the
 * nominal and from the actual arrival. */
static const struct {
    int64_t period, jitter;
    uint32_t capacity;
    int64_t nominal, actual;
} decoders[] = {
    {25, 0, 2, 120, 120},  {20, 0, 2, 120, 120},  {16, 0, 3, 140, 140},
    {25, 50, 2, 370, 290}, {20, 40, 2, 320, 290}, {16, 32, 3, 300, 280},
};

TEST(decoder)
{
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++) {
        struct weir_pipeline *p;
        assert_int_equal(weir_generate_priority_system("wlan", decoders[i].period, decoders[i].jitter, &p, NULL), WEIR_OK);
        const uint32_t capacities[] = {1, 1, 1, 1, 1, 1, 1, decoders[i].capacity, 2};
        struct weir_processors_observed *seen = search(p, 1500, capacities, 1);
        assert_int_equal(seen->latency_max[0], decoders[i].nominal);
        assert_int_equal(seen->latency_max_arrival[0], decoders[i].actual);
        assert_int_equal(seen->latency_min[0], 90);
        weir_free(seen);
        weir_pipeline_free(p);
    }
}

TEST(two_decoders)
{
    struct weir_pipeline *p;
    assert_int_equal(weir_generate_priority_system("wlan-two", 0, 0, &p, NULL), WEIR_OK);
    struct weir_processors_observed *seen = search(p, 20000, NULL, 1);
    assert_int_equal(seen->latency_max[0], 160);
    assert_int_equal(seen->latency_max[1], 160);
    weir_free(seen);
    weir_pipeline_free(p);
}

/* ---- counterexamples ---- */

/* A period-and-jitter count and a precedence count in one window: 3. */
TEST(two_graphs_of_unit_times)
{
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_PREEMPTIVE, 0);
    struct weir_operator x = crew_add(p, (struct crew_task){.name = "x", .on = cpu, .best = 1, .worst = 1, .priority = 2});
    struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .on = cpu, .best = 1, .worst = 1, .priority = 3});
    struct weir_operator i = crew_add(p, (struct crew_task){.name = "i", .on = cpu, .best = 1, .worst = 1, .priority = 1});
    crew_feed(p, x, (struct weir_source_spec){.period = 2});
    crew_feed(p, a, (struct weir_source_spec){.period = 4});
    crew_queue(p, a, i, 1, 0);
    stage_seal(p);
    static struct crew_log log;
    struct weir_processors_options options = {
        .iterations = 2, .times = WEIR_TIMES_WORST, .releases = WEIR_RELEASES_NOMINAL, .phases = (const int64_t[]){0, 0}};
    crew_run(p, options, &log);
    assert_string_equal(log.text, "a0 0-1, x0 1-2, x1 2-3, i0 3-4, a1 4-5, i1 5-6");
    struct weir_processors_observed *seen = search(p, 20, NULL, 1);
    assert_int_equal(seen->finish_max[i.index], 4);
    weir_free(seen);
    weir_pipeline_free(p);
}

struct three {
    int64_t period, jitter;
    int64_t times[3][2];
    bool blocking;
    int64_t latest; /* finish of the second */
};

/* t0 -> t1, and back with two messages; t2 fed by the same source; urgent in the order t0, t2, t1. */
static void one_graph(const struct three *three)
{
    static const char *const names[] = {"t0", "t1", "t2"};
    static const int32_t priorities[] = {2, 0, 1};
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_PREEMPTIVE, 0);
    struct weir_source_spec source = {.period = three->period, .jitter = three->jitter, .name = "s"};
    struct weir_operator op[3];
    for (int i = 0; i < 3; i++)
        op[i] = crew_add(
            p,
            (struct crew_task){
                .name = names[i], .on = cpu, .best = three->times[i][0], .worst = three->times[i][1], .priority = priorities[i]});
    struct weir_queue_spec queue = {.from = op[0], .to = op[1], .capacity = WEIR_AUTO, .nonblocking = !three->blocking};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    crew_queue(p, op[1], op[0], WEIR_AUTO, 2);
    crew_feed(p, op[0], source);
    crew_feed(p, op[2], source);
    struct weir_chain_spec chain = {.from = op[0], .to = op[1]};
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_processors_observed *seen = search(p, 400, NULL, 1);
    assert_int_equal(seen->finish_max[1], three->latest);
    assert_int_equal(seen->latency_max[0], three->latest);
    weir_free(seen);
    weir_pipeline_free(p);
}

TEST(one_graph_with_jitter)
{
    one_graph(&(struct three){21, 18, {{2, 2}, {11, 11}, {5, 5}}, true, 48}); /* period and jitter as published: 43 */
    one_graph(&(struct three){26, 0, {{8, 12}, {6, 8}, {2, 3}}, false, 23});  /* stopped at the first equal enablings: 20 */
}

/* Two inputs 15 apart: the strictly periodic form says 20. */
TEST(sporadic)
{
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_PREEMPTIVE, 0);
    struct weir_operator t0 = crew_add(p, (struct crew_task){.name = "t0", .on = cpu, .best = 5, .worst = 5, .priority = 3});
    struct weir_operator t1 = crew_add(p, (struct crew_task){.name = "t1", .alone = true, .best = 7, .worst = 7});
    struct weir_operator t2 = crew_add(p, (struct crew_task){.name = "t2", .alone = true, .best = 12, .worst = 12});
    struct weir_operator t3 = crew_add(p, (struct crew_task){.name = "t3", .on = cpu, .best = 1, .worst = 1, .priority = 1});
    struct weir_source_spec source = {.period = 14, .sporadic = true, .name = "s"};
    crew_queue(p, t1, t2, WEIR_AUTO, 0);
    crew_queue(p, t2, t3, WEIR_AUTO, 0);
    crew_feed(p, t0, source);
    crew_feed(p, t1, source);
    stage_seal(p);
    struct weir_processors_observed *seen = search(p, 400, NULL, 1);
    assert_true(seen->finish_max[t3.index] >= 21);
    weir_free(seen);
    weir_pipeline_free(p);
}

/* What b writes reaches c with the next input, and that may take its time: no bound, however quick everyone is. */
TEST(next_input_of_a_sporadic_source)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .alone = true, .best = 1, .worst = 1});
    struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .alone = true, .best = 1, .worst = 1});
    struct weir_operator c = crew_add(p, (struct crew_task){.name = "c", .alone = true, .best = 1, .worst = 1});
    struct weir_source_spec source = {.period = 5, .sporadic = true, .name = "s"};
    crew_queue(p, a, c, WEIR_AUTO, 0);
    crew_queue(p, b, c, WEIR_AUTO, 1);
    crew_feed(p, a, source);
    crew_feed(p, b, source);
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = a, .to = c}, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = b, .to = c}, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_processors_observed *seen = search(p, 50, NULL, 1);
    assert_int_equal(seen->latency_max[0], 2);
    assert_true(seen->latency_max[1] > 5 + 2);
    weir_free(seen);
    struct weir_priority_analysis *analysis;
    assert_int_equal(weir_priority_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    assert_true(analysis->latencies[0].bounded && analysis->latencies[0].worst == 2);
    assert_false(analysis->latencies[1].bounded);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(p);
}

/* ---- the rest ---- */

/* A slot can be missed by a tick, whatever the seed. */
TEST(frames)
{
    struct weir_pipeline *p = crew_new();
    struct weir_processor cpu = crew_processor(p, WEIR_TDM, 1000);
    crew_feed(p, crew_add(p, (struct crew_task){.name = "a", .on = cpu, .worst = 20, .slot = 10}),
              (struct weir_source_spec){.period = 3000});
    stage_seal(p);
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct weir_processors_observed *seen = search(p, 4000, NULL, seed);
        assert_int_equal(seen->finish_max[0], 20 + 2 * 990);
        weir_free(seen);
    }
    weir_pipeline_free(p);
}

struct progress {
    unsigned last, times;
};

static void advance(void *context, unsigned permille)
{
    struct progress *progress = context;
    assert_true(permille > progress->last && permille <= 1000);
    progress->last = permille;
    progress->times++;
}

TEST(same_seed_same_sights)
{
    struct weir_pipeline *p;
    assert_int_equal(weir_generate_priority_system("wlan-two", 0, 20, &p, NULL), WEIR_OK);
    struct progress progress = {0, 0};
    struct weir_processors_search_options options = {
        .seed = 3, .runs = 150, .iterations = 12, .chain = 0, .progress = advance, .context = &progress};
    struct weir_processors_observed *one, *other;
    assert_int_equal(weir_processors_search(p, &options, &one, NULL), WEIR_OK);
    assert_int_equal(progress.last, 1000);
    assert_true(progress.times > 100);
    options.progress = NULL;
    assert_int_equal(weir_processors_search(p, &options, &other, NULL), WEIR_OK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        assert_int_equal(one->finish_max[i], other->finish_max[i]);
        assert_int_equal(one->enable_min[i], other->enable_min[i]);
        assert_int_equal(one->enable_max[i], other->enable_max[i]);
        assert_true(one->enable_min[i] <= one->enable_max[i] && one->enable_max[i] < one->finish_max[i]);
    }
    assert_int_equal(one->executions, 150 * 12 * weir_pipeline_operator_count(p));
    weir_free(one);
    weir_free(other);
    weir_pipeline_free(p);
}

/* From the enabling of an operator that no source feeds, and to a later iteration. */
TEST(chains_inside)
{
    struct weir_pipeline *p = crew_new();
    struct weir_operator a = crew_add(p, (struct crew_task){.name = "a", .alone = true, .best = 2, .worst = 2});
    struct weir_operator b = crew_add(p, (struct crew_task){.name = "b", .alone = true, .best = 3, .worst = 5});
    crew_queue(p, a, b, WEIR_AUTO, 0);
    crew_queue(p, b, a, WEIR_AUTO, 30);
    crew_feed(p, a, (struct weir_source_spec){.period = 10});
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = b, .to = b}, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = b, .to = a}, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_processors_observed *seen = search(p, 60, NULL, 1);
    assert_int_equal(seen->latency_max[0], 5);
    assert_int_equal(seen->latency_min[0], 3);
    assert_int_equal(seen->latency_max[1], 300); /* enabled at 2, and 30 iterations later */
    assert_int_equal(seen->latency_max_arrival[1], 300);
    weir_free(seen);
    weir_pipeline_free(p);
}

TEST(bad_options)
{
    struct weir_pipeline *p, *chain = stage_chain(2, (const int64_t[]){1, 2}, 1);
    struct weir_processors_observed *seen;
    assert_int_equal(weir_generate_priority_system("jitter", 0, 0, &p, NULL), WEIR_OK);
    const struct weir_processors_search_options good = {.runs = 1, .iterations = 1};
    struct weir_processors_search_options bad = good;
    assert_int_equal(weir_processors_search(chain, &good, &seen, NULL), WEIR_INVALID);
    bad.runs = 0;
    assert_int_equal(weir_processors_search(p, &bad, &seen, NULL), WEIR_INVALID);
    bad = good;
    bad.iterations = 0;
    assert_int_equal(weir_processors_search(p, &bad, &seen, NULL), WEIR_INVALID);
    bad = good;
    bad.chain = weir_pipeline_chain_count(p) + 1;
    assert_int_equal(weir_processors_search(p, &bad, &seen, NULL), WEIR_INVALID);
    bad = good;
    bad.iterations = INT64_MAX;
    assert_int_equal(weir_processors_search(p, &bad, &seen, NULL), WEIR_MEMORY);
    assert_int_equal(weir_processors_search(p, &good, &seen, NULL), WEIR_OK);
    weir_free(seen);
    weir_pipeline_free(p);
    weir_pipeline_free(chain);
}
