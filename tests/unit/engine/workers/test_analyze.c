/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small pipelines under every choice there is: each execution at its best and at its worst, each order in which workers take what
 * is ready. No run is later than the bound, and what is called exact is reached.
 */
#include "support/stage.h"

#include <string.h>

enum { CHOICES = 256, RUNS_MAX = 400000, ITERATIONS = 4 };

/* All sequences of choices, the last one counted up first. */
struct odometer {
    const struct weir_pipeline *pipeline;
    unsigned char digit[CHOICES], base[CHOICES];
    size_t at, count;
};

static size_t choose(struct odometer *o, size_t options)
{
    assert_true(o->at < CHOICES && options < 256);
    if (o->at == o->count) {
        o->digit[o->count] = 0;
        o->base[o->count++] = (unsigned char)options;
    }
    assert_int_equal(o->base[o->at], options);
    return o->digit[o->at++];
}

static bool advance(struct odometer *o)
{
    while (o->count && o->digit[o->count - 1] + 1 == o->base[o->count - 1])
        o->count--;
    if (o->count)
        o->digit[o->count - 1]++;
    o->at = 0;
    return o->count > 0;
}

struct run {
    struct odometer odometer;
    struct stage_trace trace;
};

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct run *run = context;
    struct weir_operator_spec spec = weir_pipeline_operator(run->odometer.pipeline, op);
    (void)iteration;
    if (part == WEIR_PART_RECEIVE)
        return spec.receive_max;
    return spec.best < spec.worst && choose(&run->odometer, 2) ? spec.best : spec.worst;
}

static size_t pick(void *context, const struct weir_operator *ready, size_t count, int64_t time)
{
    (void)ready;
    (void)time;
    return count > 1 ? choose(&((struct run *)context)->odometer, count) : 0;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    stage_observe(&((struct run *)context)->trace, op, moment, iteration, time);
}

/* The longest and the shortest latency of a pair over all runs. */
static void search(const struct weir_pipeline *pipeline, const struct weir_chain_spec *chain, int64_t seen[2])
{
    static struct run run;
    struct weir_workers_simulation options = {.iterations = ITERATIONS,
                                              .times = WEIR_TIMES_GIVEN,
                                              .order = WEIR_ORDER_GIVEN,
                                              .given = given,
                                              .pick = pick,
                                              .observe = observe,
                                              .context = &run};
    struct weir_error error;
    int runs = 0;
    memset(&run, 0, sizeof run);
    run.odometer.pipeline = pipeline;
    seen[0] = INT64_MIN;
    seen[1] = INT64_MAX;
    do {
        memset(&run.trace, 0, sizeof run.trace);
        if (weir_workers_simulate(pipeline, &options, &error))
            fail_msg("%s", error.message);
        for (int64_t i = 0; i + chain->shift < run.trace.seen[WEIR_FINISH][chain->to.index]; i++) {
            int64_t latency =
                run.trace.at[WEIR_FINISH][chain->to.index][i + chain->shift] - run.trace.at[WEIR_START][chain->from.index][i];
            seen[0] = latency > seen[0] ? latency : seen[0];
            seen[1] = latency < seen[1] ? latency : seen[1];
        }
        assert_true(++runs < RUNS_MAX);
    } while (advance(&run.odometer));
}

static void set_workers(struct weir_pipeline *pipeline, enum weir_dispatch dispatch, uint32_t workers, int64_t polling)
{
    struct weir_workers_spec spec = {.dispatch = dispatch, .workers = workers, .polling = polling};
    assert_int_equal(weir_pipeline_set_workers(pipeline, &spec, NULL), WEIR_OK);
}

/* A, B, C: a chain, and where `skips` a queue from A to C beside it. */
static struct weir_pipeline *three(enum weir_dispatch dispatch, uint32_t workers, uint32_t capacity, bool skips)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "A", 1, 5), b = stage_operator(p, "B", 2, 2), c = stage_operator(p, "C", 0, 7);
    stage_queue(p, a, b, capacity, 0);
    stage_queue(p, b, c, 1, 0);
    if (skips)
        stage_queue(p, a, c, 2, 0);
    set_workers(p, dispatch, workers, 0);
    stage_seal(p);
    return p;
}

static void check(struct weir_pipeline *p, bool greedy)
{
    struct weir_workers_analysis *analysis;
    assert_int_equal(weir_workers_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_workers_latency *l = &analysis->latencies[i];
        int64_t seen[2];
        search(p, &l->chain, seen);
        assert_int_equal(l->outcome, greedy ? WEIR_WORKERS_EXACT : WEIR_WORKERS_SAFE);
        assert_true(l->has_best);
        if (seen[0] > l->worst || seen[1] < l->best)
            fail_msg("seen: %lld to %lld; bounds: %lld to %lld", (long long)seen[1], (long long)seen[0], (long long)l->best,
                     (long long)l->worst);
        if (greedy) {
            assert_int_equal(seen[0], l->worst);
            assert_int_equal(seen[1], l->best);
        } else {
            assert_int_equal(l->sequence + l->queueing, l->worst);
        }
    }
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(p);
}

TEST(test_every_run)
{
    for (uint32_t workers = 1; workers <= 2; workers++)
        for (uint32_t capacity = 1; capacity <= 2; capacity++)
            for (int skips = 0; skips < 2; skips++)
                check(three(WEIR_DISPATCH_EVENTS, workers, capacity, skips), false);
}

/* The operators of `members`, by bits, have one thread together. */
static struct weir_pipeline *three_in_lane(unsigned members, uint32_t capacity, bool skips)
{
    struct weir_pipeline *whole = three(WEIR_DISPATCH_EVENTS, 0, capacity, skips), *p = weir_pipeline_copy(whole, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.lane = members >> i & 1 ? "lane" : NULL;
        assert_int_equal(weir_pipeline_change_operator(p, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    weir_pipeline_free(whole);
    stage_seal(p);
    return p;
}

TEST(test_every_run_of_lanes)
{
    static const unsigned pairs[] = {3, 5, 6, 7};
    for (int i = 0; i < 4; i++)
        for (uint32_t capacity = 1; capacity <= 2; capacity++)
            for (int skips = 0; skips < 2; skips++)
                check(three_in_lane(pairs[i], capacity, skips), false);
}

TEST(test_every_greedy_run)
{
    for (uint32_t capacity = 1; capacity <= 2; capacity++)
        for (int skips = 0; skips < 2; skips++)
            check(three(WEIR_DISPATCH_GREEDY, 1, capacity, skips), true);
}

/* As many workers as operators: what the exact engine says. */
TEST(test_enough)
{
    struct weir_pipeline *p = three(WEIR_DISPATCH_EVENTS, 3, 1, true), *polled = three(WEIR_DISPATCH_POLLED, 0, 1, true);
    struct weir_workers_analysis *analysis, *other;
    struct weir_analysis *exact;
    assert_true(weir_pipeline_has_enough_workers(p) && weir_pipeline_has_enough_workers(polled));
    assert_int_equal(weir_workers_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    assert_int_equal(weir_workers_analyze(polled, NULL, &other, NULL), WEIR_OK);
    assert_int_equal(weir_analyze(p, &(struct weir_analyze_options){0}, &exact, NULL), WEIR_OK);
    assert_int_equal(analysis->latencies[0].outcome, WEIR_WORKERS_EXACT);
    assert_int_equal(analysis->latencies[0].worst, exact->latencies[0].worst.value);
    assert_int_equal(analysis->latencies[0].best, -exact->latencies[0].best.value);
    assert_int_equal(other->latencies[0].worst, analysis->latencies[0].worst);
    weir_analysis_free(exact);
    weir_workers_analysis_free(analysis);
    weir_workers_analysis_free(other);
    weir_pipeline_free(p);
    weir_pipeline_free(polled);
}

/* What assumes a thread for each operator says no, and why. */
TEST(test_refused)
{
    struct weir_pipeline *p = three(WEIR_DISPATCH_EVENTS, 2, 1, false);
    struct weir_error error;
    struct weir_analysis *exact;
    struct weir_ratio period;
    struct weir_method_result result;
    struct weir_simulation_options options = {.iterations = 1};
    assert_int_equal(weir_analyze(p, &(struct weir_analyze_options){0}, &exact, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "3 operators share 2 workers"));
    assert_null(weir_solver_new(p, &error));
    assert_int_equal(weir_throughput(p, (struct weir_operator){0}, true, &period, NULL, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_simulate(p, &options, &error), WEIR_INVALID);
    assert_int_equal(weir_method_run(p, WEIR_METHOD_RTSS24, 0, &(struct weir_method_options){0}, &result, &error), WEIR_INVALID);
    weir_pipeline_free(p);
}

TEST(test_limit)
{
    for (int greedy = 0; greedy < 2; greedy++) {
        struct weir_pipeline *p = three(greedy ? WEIR_DISPATCH_GREEDY : WEIR_DISPATCH_EVENTS, 1, 1000, false);
        struct weir_workers_analysis *analysis;
        assert_int_equal(weir_workers_analyze(p, &(struct weir_workers_options){.work_limit = 2}, &analysis, NULL), WEIR_OK);
        assert_int_equal(analysis->latencies[0].outcome, WEIR_WORKERS_UNKNOWN);
        assert_non_null(strstr(analysis->latencies[0].why, "work limit"));
        weir_workers_analysis_free(analysis);
        weir_pipeline_free(p);
    }
}

TEST(test_memory)
{
    for (int way = 0; way < 4; way++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator a = stage_operator(p, "A", 1, 5), b = stage_operator(p, "B", 2, 2);
        stage_queue(p, a, b, 2, 0);
        set_workers(p,
                    way == 0  ? WEIR_DISPATCH_GREEDY
                    : way < 3 ? WEIR_DISPATCH_EVENTS
                              : WEIR_DISPATCH_POLLED,
                    way < 2 ? 1 : 0, way == 3 ? 2 : 0);
        stage_seal(p);
        assert_true(stage_fail_each_allocation(stage_analyze_workers, p) > 5);
        weir_pipeline_free(p);
    }
}
