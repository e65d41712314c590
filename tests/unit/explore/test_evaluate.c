/* SPDX-License-Identifier: Apache-2.0 */
/* An evaluator, after any changes, against pipelines sealed with the same numbers. */
#include "base/interrupt.h"
#include "base/number.h"
#include "explore/evaluate.h"
#include "support/random/pipeline.h"
#include "support/random/semantics.h"
#include "support/stage.h"

#include <stdlib.h>

enum { PIPELINES = 400, CHANGES = 12 };
#define LIMIT UINT64_C(2000000)

/* ---- by hand ---- */

static void chain_by_hand(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){100, 500, 100, 400}, 1);
    struct weir_evaluator *e = weir_evaluator_new(p, NULL);
    struct weir_separation s;
    struct weir_ratio period;
    int64_t counts[4];
    bool exact;
    assert_true(weir_evaluator_in_place(e));
    assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
    assert_int_equal(s.value, 1600);
    assert_int_equal(weir_evaluator_set_times(e, (struct weir_operator){3}, 0, 401, NULL), WEIR_OK);
    assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
    assert_int_equal(s.value, 1604);
    assert_int_equal(weir_evaluator_gradient(e, 0, counts, &exact, NULL), WEIR_OK);
    assert_true(exact);
    assert_int_equal(counts[3], 4);
    assert_int_equal(weir_evaluator_throughput(e, &period, NULL), WEIR_OK);
    assert_int_equal(period.numerator, 500);
    assert_int_equal(weir_evaluator_set_capacity(e, (struct weir_queue){0}, 2, NULL), WEIR_OK);
    assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
    assert_true(s.value > 1604);
    weir_evaluator_reset(e);
    assert_int_equal(weir_evaluator_worst(e, (struct weir_operator){3}), 400);
    assert_int_equal(weir_evaluator_capacity(e, (struct weir_queue){0}), 1);
    assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
    assert_int_equal(s.value, 1600);
    weir_evaluator_free(e);
    weir_pipeline_free(p);
}

/* Two messages on the way round a loop: with room for one only in each queue nothing can move. */
static void a_deadlock_has_no_events(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 0, 5), b = stage_operator(p, "b", 0, 7);
    stage_queue(p, a, b, 2, 1);
    stage_queue(p, b, a, 2, 1);
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = a, .to = b}, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_evaluator *e = weir_evaluator_new(p, NULL);
    struct weir_separation before, after;
    struct weir_ratio period;
    assert_int_equal(weir_evaluator_latency(e, 0, &before, NULL), WEIR_OK);
    assert_int_equal(before.outcome, WEIR_EXACT);
    weir_evaluator_set_capacity(e, (struct weir_queue){0}, 1, NULL);
    weir_evaluator_set_capacity(e, (struct weir_queue){1}, 1, NULL);
    assert_int_equal(weir_evaluator_latency(e, 0, &after, NULL), WEIR_OK);
    assert_int_equal(after.outcome, WEIR_NO_EVENTS);
    assert_int_equal(weir_evaluator_throughput(e, &period, NULL), WEIR_OK);
    assert_int_equal(period.denominator, 0);
    weir_evaluator_reset(e);
    assert_int_equal(weir_evaluator_latency(e, 0, &after, NULL), WEIR_OK);
    assert_int_equal(after.value, before.value);
    weir_evaluator_free(e);
    weir_pipeline_free(p);
}

static void wrong_numbers_change_nothing(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 5), b;
    assert_int_equal(
        weir_pipeline_add_operator(
            p, &(struct weir_operator_spec){.name = "b", .best = 2, .worst = 9, .receive_min = 1, .receive_max = 4}, &b, NULL),
        WEIR_OK);
    stage_queue(p, a, b, 3, 2);
    stage_period(p, a, 10, WEIR_ARRIVALS_AT_MOST);
    stage_seal(p);
    struct weir_evaluator *e = weir_evaluator_new(p, NULL);
    struct weir_queue queue = {0};
    struct weir_separation before, after;
    struct weir_error error;
    assert_int_equal(weir_evaluator_latency(e, 0, &before, NULL), WEIR_OK);
    assert_int_equal(weir_evaluator_set_times(e, a, -1, 5, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_times(e, a, 6, 5, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_times(e, b, 2, 3, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_times(e, (struct weir_operator){2}, 0, 1, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_times(e, a, 0, WEIR_TIME_MAX - 1, &error), WEIR_OVERFLOW);
    assert_int_equal(weir_evaluator_set_times(e, a, 0, INT64_MAX, &error), WEIR_OVERFLOW);
    assert_int_equal(weir_evaluator_set_capacity(e, queue, 1, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_capacity(e, queue, 0, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_capacity(e, (struct weir_queue){1}, 2, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_period(e, 0, 0, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_period(e, 1, 5, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_set_period(e, 0, INT64_MAX, &error), WEIR_OVERFLOW);
    assert_int_equal(weir_evaluator_latency(e, 7, &after, &error), WEIR_INVALID);
    assert_int_equal(weir_evaluator_latency(e, 0, &after, NULL), WEIR_OK);
    assert_int_equal(after.value, before.value);
    weir_evaluator_free(e);
    weir_pipeline_free(p);
}

/* ---- random changes, against pipelines that are sealed with them ---- */

static void change_something(struct weir_random *random, const struct weir_pipeline *p, struct weir_evaluator *e, bool zero)
{
    uint32_t operators = weir_pipeline_operator_count(p), queues = weir_pipeline_queue_count(p);
    uint32_t sources = weir_pipeline_source_count(p);
    switch (weir_random_between(random, 0, 3)) {
    case 0:
    case 1: {
        struct weir_operator op = {(uint32_t)weir_random_between(random, 0, operators - 1)};
        int64_t receive = weir_pipeline_operator(p, op).receive_max, worst = receive + weir_random_between(random, 0, 30);
        int64_t best = zero || weir_random_between(random, 0, 2) == 0 ? 0 : weir_random_between(random, 0, worst);
        assert_int_equal(weir_evaluator_set_times(e, op, best, worst, NULL), WEIR_OK);
        worst = weir_random_between(random, 0, 30);
        best = zero || weir_random_between(random, 0, 2) == 0 ? 0 : weir_random_between(random, 0, worst);
        assert_int_equal(weir_evaluator_set_work(e, op, best, worst, NULL),
                         weir_pipeline_operator(p, op).launch ? WEIR_OK : WEIR_INVALID);
        break;
    }
    case 2: {
        if (queues == 0)
            break;
        struct weir_queue queue = {(uint32_t)weir_random_between(random, 0, queues - 1)};
        uint32_t initial = weir_pipeline_queue(p, queue).initial;
        uint32_t capacity = initial + (uint32_t)weir_random_between(random, initial ? 0 : 1, 5);
        if (weir_random_between(random, 0, 9) == 0)
            capacity = weir_random_between(random, 0, 1) ? WEIR_UNBOUNDED : initial + 70;
        assert_int_equal(weir_evaluator_set_capacity(e, queue, capacity, NULL), WEIR_OK);
        break;
    }
    default:
        if (sources)
            assert_int_equal(weir_evaluator_set_period(e, (uint32_t)weir_random_between(random, 0, sources - 1),
                                                       weir_random_between(random, 1, 40), NULL),
                             WEIR_OK);
    }
}

/* The pipeline with the evaluator's numbers; NULL: it cannot be sealed. */
static struct weir_pipeline *rebuild(const struct weir_pipeline *p, const struct weir_evaluator *e)
{
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.best = weir_evaluator_best(e, (struct weir_operator){i});
        spec.worst = weir_evaluator_worst(e, (struct weir_operator){i});
        struct weir_launch launch;
        if (spec.launch) {
            launch = *spec.launch;
            launch.best = e->work_best[i];
            launch.worst = e->work_worst[i];
            spec.launch = &launch;
        }
        assert_int_equal(weir_pipeline_change_operator(copy, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
        spec.capacity = weir_evaluator_capacity(e, (struct weir_queue){i});
        assert_int_equal(weir_pipeline_change_queue(copy, (struct weir_queue){i}, &spec, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec spec = weir_pipeline_source(p, i);
        spec.period = weir_evaluator_period(e, i);
        assert_int_equal(weir_pipeline_change_source(copy, i, &spec, NULL), WEIR_OK);
    }
    if (weir_pipeline_seal(copy, NULL, NULL) == WEIR_OK)
        return copy;
    weir_pipeline_free(copy);
    return NULL;
}

static struct weir_query query_of(const struct weir_pipeline *p, uint32_t index)
{
    struct weir_chain_spec chain = weir_pipeline_chain(p, index);
    enum weir_moment moment = WEIR_START;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++)
        if (weir_pipeline_source(p, i).op.index == chain.from.index && weir_pipeline_source(p, i).arrivals == WEIR_ARRIVALS_EXACT)
            moment = WEIR_ARRIVAL;
    return (struct weir_query){.from = {.op = chain.from, .moment = moment},
                               .to = {.op = chain.to, .moment = WEIR_FINISH},
                               .shift = chain.shift,
                               .work_limit = LIMIT};
}

/* The worst case is the sum that the counts say, where no message is received late and nothing is done after work. */
static void check_counts(const struct weir_pipeline *p, struct weir_evaluator *e, uint32_t chain, int64_t value)
{
    uint32_t operators = weir_pipeline_operator_count(p);
    int64_t *counts = calloc(2 * operators, sizeof *counts), *work = counts + operators, sum = 0;
    bool exact, late = false;
    assert_int_equal(weir_evaluator_gradients(e, chain, counts, work, &exact, NULL), WEIR_OK);
    for (uint32_t i = 0; i < operators; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        sum += counts[i] * weir_evaluator_worst(e, (struct weir_operator){i}) + work[i] * e->work_worst[i];
        late |= spec.receive_max > 0 || (spec.launch && spec.launch->after_worst > 0);
    }
    if (exact && !late)
        assert_int_equal(sum, value);
    free(counts);
}

static void compare(const struct weir_pipeline *p, struct weir_evaluator *e)
{
    struct weir_pipeline *now = rebuild(p, e);
    struct weir_solver *solver = now ? weir_solver_new(now, NULL) : NULL;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++) {
        struct weir_separation mine, theirs = {.outcome = WEIR_NO_EVENTS};
        assert_int_equal(weir_evaluator_latency(e, i, &mine, NULL), WEIR_OK);
        if (now) {
            struct weir_query query = query_of(now, i);
            assert_int_equal(weir_separation_worst(solver, &query, &theirs, NULL), WEIR_OK);
        }
        if (mine.outcome == WEIR_BRACKET || theirs.outcome == WEIR_BRACKET)
            continue; /* parallel queues are told apart by one of the two only: the work differs */
        assert_int_equal(mine.outcome, theirs.outcome);
        if (mine.outcome == WEIR_EXACT) {
            assert_int_equal(mine.value, theirs.value);
            check_counts(p, e, i, mine.value);
        }
    }
    struct weir_ratio period, slowest = {0, now != NULL};
    assert_int_equal(weir_evaluator_throughput(e, &period, NULL), WEIR_OK);
    for (uint32_t o = 0; now && o < weir_pipeline_operator_count(p); o++) {
        struct weir_ratio one;
        bool sink = true, measured = false;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++)
            sink &= weir_pipeline_queue(p, (struct weir_queue){i}).from.index != o;
        for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++)
            measured |= weir_pipeline_chain(p, i).to.index == o;
        assert_int_equal(weir_throughput(now, (struct weir_operator){o}, true, &one, NULL, NULL, NULL), WEIR_OK);
        if ((sink || measured) && weir_ratio_compare(one, slowest) > 0)
            slowest = one;
    }
    assert_int_equal(period.numerator, slowest.numerator);
    assert_int_equal(period.denominator, slowest.denominator);
    weir_solver_free(solver);
    weir_pipeline_free(now);
}

static void random_changes(void **state)
{
    enum weir_flavour flavour = *(enum weir_flavour *)*state;
    struct weir_random random;
    weir_random_seed(&random, 40 + flavour);
    for (int i = 0; i < PIPELINES; i++) {
        struct weir_pipeline *p = weir_random_pipeline(&random, flavour);
        struct weir_evaluator *e = weir_evaluator_new(p, NULL);
        assert_non_null(e);
        assert_true(weir_evaluator_in_place(e));
        weir_evaluator_limit(e, LIMIT);
        for (int k = 0; k < CHANGES; k++) {
            compare(p, e);
            for (int64_t many = weir_random_between(&random, 1, 4); many > 0; many--)
                change_something(&random, p, e, flavour == WEIR_FLAVOUR_ZERO_BEST);
        }
        weir_evaluator_reset(e);
        compare(p, e);
        weir_evaluator_free(e);
        weir_pipeline_free(p);
    }
}

/* Work on a GPU is done in place, unless operators share a stream; messages that take time, and ticks, are not. */
static void random_work(void **state)
{
    (void)state;
    struct weir_random random;
    struct weir_error why;
    unsigned in_place = 0, launches = 0;
    weir_random_seed(&random, 77);
    for (int i = 0; i < 2 * PIPELINES; i++) {
        struct weir_pipeline *p = weir_random_semantics(&random, false, &why);
        struct weir_evaluator *e = p ? weir_evaluator_new(p, &why) : NULL;
        bool zero = weir_random_between(&random, 0, 1);
        for (uint32_t o = 0; e && o < weir_pipeline_operator_count(p); o++) {
            struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){o});
            launches += weir_evaluator_in_place(e) && spec.launch;
            if (zero)
                assert_int_equal(weir_evaluator_set_times(e, (struct weir_operator){o}, 0, spec.worst, NULL), WEIR_OK);
            if (zero && spec.launch)
                assert_int_equal(weir_evaluator_set_work(e, (struct weir_operator){o}, 0, spec.launch->worst, NULL), WEIR_OK);
        }
        in_place += e && weir_evaluator_in_place(e);
        for (int k = 0; e && k < CHANGES; k++) {
            weir_evaluator_limit(e, LIMIT);
            compare(p, e);
            change_something(&random, p, e, zero);
        }
        weir_evaluator_free(e);
        weir_pipeline_free(p);
    }
    assert_true(in_place > 100 && launches > 100);
}

/* Large enough for the other ways through a graph, and with many different capacities. */
static void a_large_one(void **state)
{
    (void)state;
    struct weir_generate_options options = {.nodes = 300, .seed = 3, .density_permille = 5, .queue = 1};
    struct weir_pipeline *p;
    struct weir_random random;
    weir_random_seed(&random, 8);
    assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
    struct weir_evaluator *e = weir_evaluator_new(p, NULL);
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < 20; i++) {
            change_something(&random, p, e, true);
            struct weir_queue queue = {(uint32_t)weir_random_between(&random, 0, weir_pipeline_queue_count(p) - 1)};
            weir_evaluator_set_capacity(e, queue, (uint32_t)weir_random_between(&random, 1, 40), NULL);
        }
        compare(p, e);
    }
    weir_evaluator_free(e);
    weir_pipeline_free(p);
}

/* A search that is interrupted does not wait for its analysis. */
static void interrupted(void **state)
{
    (void)state;
    for (int64_t best = 0; best < 2; best++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator a = stage_operator(p, "a", best, 5), b = stage_operator(p, "b", best, 7);
        stage_queue(p, a, b, 2, 0);
        stage_seal(p);
        struct weir_evaluator *e = weir_evaluator_new(p, NULL);
        struct weir_separation s;
        bool stop = true;
        assert_null(weir_interrupt_watch(&stop));
        assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
        assert_int_equal(s.outcome, WEIR_BRACKET);
        assert_true(s.upper == INT64_MAX);
        assert_ptr_equal(weir_interrupt_watch(NULL), &stop);
        assert_int_equal(weir_evaluator_latency(e, 0, &s, NULL), WEIR_OK);
        assert_int_equal(s.outcome, WEIR_EXACT);
        weir_evaluator_free(e);
        weir_pipeline_free(p);
    }
}

/* What is not done in place is sealed anew: messages that take time. */
static void out_of_place(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_random random;
    struct weir_operator a = stage_operator(p, "a", 1, 3), b, c = stage_operator(p, "c", 0, 2);
    struct weir_launch launch = {.best = 2, .worst = 6, .waits = true, .after_best = 0, .after_worst = 1};
    assert_int_equal(weir_pipeline_add_operator(
                         p, &(struct weir_operator_spec){.name = "b", .best = 1, .worst = 4, .launch = &launch}, &b, NULL),
                     WEIR_OK);
    stage_queue(p, a, b, 2, 0);
    assert_int_equal(
        weir_pipeline_add_queue(
            p, &(struct weir_queue_spec){.from = b, .to = c, .capacity = 1, .transfer_min = 1, .transfer_max = 2}, NULL, NULL),
        WEIR_OK);
    stage_period(p, a, 9, WEIR_ARRIVALS_AT_MOST);
    stage_seal(p);
    struct weir_evaluator *e = weir_evaluator_new(p, NULL);
    assert_false(weir_evaluator_in_place(e));
    weir_random_seed(&random, 5);
    for (int i = 0; i < 60; i++) {
        compare(p, e);
        change_something(&random, p, e, false);
    }
    weir_evaluator_free(e);
    weir_pipeline_free(p);
}

/* A queue that takes several messages at once makes rounds, which are refused. */
static void rounds_are_refused(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 3), b = stage_operator(p, "b", 0, 2);
    struct weir_error error = {0};
    assert_int_equal(
        weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = a, .to = b, .capacity = 4, .consume = 2}, NULL, NULL),
        WEIR_OK);
    stage_seal(p);
    assert_null(weir_evaluator_new(p, &error));
    assert_int_equal(error.status, WEIR_INVALID);
    weir_pipeline_free(p);
}

/* ---- memory ---- */

static enum weir_status make_and_ask(void *context)
{
    const struct weir_pipeline *p = context;
    struct weir_error error = {0};
    struct weir_separation s;
    struct weir_ratio period;
    struct weir_evaluator *e = weir_evaluator_new(p, &error);
    if (!e)
        return error.status;
    enum weir_status status = weir_evaluator_latency(e, 0, &s, &error);
    if (!status)
        status = weir_evaluator_set_capacity(e, (struct weir_queue){1}, 90, &error);
    if (!status)
        status = weir_evaluator_latency(e, 0, &s, &error);
    if (!status)
        status = weir_evaluator_set_times(e, (struct weir_operator){1}, 3, 9, &error);
    if (!status)
        status = weir_evaluator_latency(e, 0, &s, &error);
    if (!status)
        status = weir_evaluator_throughput(e, &period, &error);
    weir_evaluator_free(e);
    return status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_chain(5, (const int64_t[]){100, 500, 100, 400, 7}, 2);
    assert_true(stage_fail_each_allocation(make_and_ask, p) > 20);
    weir_pipeline_free(p);
}

int evaluate_group(void)
{
    static enum weir_flavour flavours[] = {WEIR_FLAVOUR_ZERO_BEST, WEIR_FLAVOUR_INTERVALS, WEIR_FLAVOUR_EVERYTHING,
                                           WEIR_FLAVOUR_SLOW};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_by_hand),
        cmocka_unit_test(a_deadlock_has_no_events),
        cmocka_unit_test(wrong_numbers_change_nothing),
        cmocka_unit_test_prestate(random_changes, &flavours[0]),
        cmocka_unit_test_prestate(random_changes, &flavours[1]),
        cmocka_unit_test_prestate(random_changes, &flavours[2]),
        cmocka_unit_test_prestate(random_changes, &flavours[3]),
        cmocka_unit_test(random_work),
        cmocka_unit_test(a_large_one),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(out_of_place),
        cmocka_unit_test(rounds_are_refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
