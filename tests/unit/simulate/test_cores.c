/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules on a pool of cores, worked out by hand: operator and execution, when its samples were there, its release, its end. */
#include "gang.h"
#include "support/runner.h"

static struct gang_log log_;

static void expect(struct weir_pipeline *p, struct weir_edf_simulation_options options, const char *schedule)
{
    gang_run(p, options, &log_);
    assert_string_equal(log_.text, schedule);
}

#define ROUNDS(n) ((struct weir_edf_simulation_options){.rounds = (n)})
#define LATE(n) ((struct weir_edf_simulation_options){.rounds = (n), .late = true})

/* ---- who runs ---- */

static struct weir_pipeline *two_on_one(int64_t period)
{
    struct weir_pipeline *p = gang_new(1);
    gang_feed(p, gang_add(p, "a", 4), (struct weir_source_spec){.period = 10});
    gang_feed(p, gang_add(p, "b", 1), (struct weir_source_spec){.period = period, .phase = 1});
    stage_seal(p);
    return p;
}

TEST(earlier_deadlines_interrupt)
{
    struct weir_pipeline *p = two_on_one(4);
    expect(p, ROUNDS(1), "b1 1 1 2, a1 0 0 5, b2 5 5 6, b3 9 9 10");
    weir_pipeline_free(p);
    p = two_on_one(12);
    expect(p, ROUNDS(1), "a1 0 0 4, b1 1 1 5, a2 10 10 14");
    weir_pipeline_free(p);
}

TEST(two_cores)
{
    struct weir_pipeline *p = gang_new(2);
    gang_feed(p, gang_add(p, "a", 4), (struct weir_source_spec){.period = 6});
    gang_feed(p, gang_add(p, "b", 4), (struct weir_source_spec){.period = 8});
    gang_feed(p, gang_add(p, "c", 4), (struct weir_source_spec){.period = 10});
    stage_seal(p);
    expect(p, ROUNDS(1), "a1 0 0 4, b1 0 0 4, c1 0 0 8, a2 6 6 10, b2 8 8 12");
    /* Each has its own. */
    expect(p, (struct weir_edf_simulation_options){.rounds = 1, .cores = 3}, "a1 0 0 4, b1 0 0 4, c1 0 0 4, a2 6 6 10, b2 8 8 12");
    /* One is not enough: 4/6 + 4/8 + 4/10. Deadlines 6, 8, 10, 12, 16, 18. */
    expect(p, (struct weir_edf_simulation_options){.rounds = 1, .cores = 1}, "a1 0 0 4, b1 0 0 8, c1 0 0 12, a2 6 6 16, b2 8 8 20");
    weir_pipeline_free(p);
}

/* The least urgent of the two that run gives way. */
TEST(two_cores_interrupted)
{
    struct weir_pipeline *p = gang_new(2);
    gang_feed(p, gang_add(p, "a", 10), (struct weir_source_spec){.period = 20});
    gang_feed(p, gang_add(p, "b", 10), (struct weir_source_spec){.period = 18});
    gang_feed(p, gang_add(p, "c", 2), (struct weir_source_spec){.period = 5, .phase = 2});
    stage_seal(p);
    expect(p, ROUNDS(1), "c1 2 2 4, c2 7 7 9, b1 0 0 10, c3 12 12 14, a1 0 0 14, c4 17 17 19, c5 22 22 24, b2 18 18 28");
    weir_pipeline_free(p);
}

TEST(overload)
{
    struct weir_pipeline *p = gang_new(4);
    gang_feed(p, gang_add(p, "a", 10), (struct weir_source_spec){.period = 4});
    stage_seal(p);
    expect(p, ROUNDS(4), "a1 0 0 10, a2 4 4 20, a3 8 8 30, a4 12 12 40"); /* one at a time, whatever the cores */
    weir_pipeline_free(p);
}

/* ---- samples ---- */

static struct weir_pipeline *chain_of(uint32_t cores, int64_t period, int64_t cost, struct weir_queue_spec queue, int64_t phase)
{
    struct weir_pipeline *p = gang_new(cores);
    struct weir_operator a = gang_add(p, "a", 1), b = gang_add(p, "b", cost);
    gang_feed(p, a, (struct weir_source_spec){.period = period, .phase = phase});
    gang_queue(p, a, b, queue);
    stage_seal(p);
    return p;
}

TEST(decimation)
{
    struct weir_pipeline *p = chain_of(1, 2, 2, (struct weir_queue_spec){.consume = 3}, 0);
    /* The fourth sample is appended before three are removed. */
    expect(p, ROUNDS(1), "a1 0 0 1, a2 2 2 3, a3 4 4 5, a4 6 6 7, b1 5 5 8");
    assert_int_equal(log_.peak[0], 4);
    expect(p, (struct weir_edf_simulation_options){.rounds = 1, .cores = 2}, "a1 0 0 1, a2 2 2 3, a3 4 4 5, a4 6 6 7, b1 5 5 7");
    assert_int_equal(log_.peak[0], 4);
    weir_pipeline_free(p);
}

TEST(interpolation)
{
    struct weir_pipeline *p = chain_of(1, 6, 1, (struct weir_queue_spec){.produce = 3}, 0);
    expect(p, ROUNDS(1), "a1 0 0 1, b1 1 1 2, b2 1 3 3, b3 1 5 4");
    expect(p, LATE(1), "a1 0 0 1, b1 1 1 2, b2 1 3 4, b3 1 5 6");
    assert_int_equal(log_.peak[0], 3);
    /* a2's deadline is 12, that of b3 is 7. */
    expect(p, LATE(2), "a1 0 0 1, b1 1 1 2, b2 1 3 4, b3 1 5 6, a2 6 6 7, b4 7 7 8, b5 7 9 10, b6 7 11 12");
    weir_pipeline_free(p);
}

TEST(thresholds)
{
    struct weir_pipeline *p = chain_of(2, 2, 1, (struct weir_queue_spec){.threshold = 3}, 0);
    expect(p, ROUNDS(2), "a1 0 0 1, a2 2 2 3, a3 4 4 5, b1 5 5 6, a4 6 6 7, b2 7 7 8");
    assert_int_equal(log_.peak[0], 3);
    weir_pipeline_free(p);
}

TEST(initial_samples)
{
    struct weir_pipeline *p = chain_of(2, 2, 1, (struct weir_queue_spec){.initial = 2}, 1);
    expect(p, ROUNDS(3), "b1 0 0 1, a1 1 1 2, b2 0 2 2, b3 2 4 3, a2 3 3 4, b4 4 6 5, a3 5 5 6");
    assert_int_equal(log_.peak[0], 2);
    expect(p, LATE(3), "b1 0 0 1, a1 1 1 2, b2 0 2 3, a2 3 3 4, b3 2 4 5, a3 5 5 6");
    assert_int_equal(log_.peak[0], 2);
    weir_pipeline_free(p);
    /* Enough for one threshold, not for the second. */
    p = chain_of(2, 2, 1, (struct weir_queue_spec){.initial = 3, .threshold = 3}, 1);
    expect(p, ROUNDS(2), "b1 0 0 1, a1 1 1 2, b2 2 2 3, a2 3 3 4");
    assert_int_equal(log_.peak[0], 3);
    weir_pipeline_free(p);
}

/* c waits for both, and its releases for the later of them and a period. */
TEST(join)
{
    struct weir_pipeline *p = gang_new(3);
    struct weir_operator a = gang_add(p, "a", 1), b = gang_add(p, "b", 5), c = gang_add(p, "c", 2);
    gang_feed(p, a, (struct weir_source_spec){.period = 6});
    gang_feed(p, b, (struct weir_source_spec){.period = 6, .phase = 2});
    gang_queue(p, a, c, (struct weir_queue_spec){0});
    gang_queue(p, b, c, (struct weir_queue_spec){0});
    stage_seal(p);
    expect(p, ROUNDS(2), "a1 0 0 1, b1 2 2 7, a2 6 6 7, c1 7 7 9, b2 8 8 13, a3 12 12 13, c2 13 13 15");
    assert_int_equal(log_.peak[0], 2);
    assert_int_equal(log_.peak[1], 1);
    weir_pipeline_free(p);
}

/* a is ahead of b by the threshold; neither source stops before c has had its executions. */
TEST(sources_go_on)
{
    struct weir_pipeline *p = gang_new(3);
    struct weir_operator a = gang_add(p, "a", 1), b = gang_add(p, "b", 1), c = gang_add(p, "c", 1);
    gang_feed(p, a, (struct weir_source_spec){.period = 10});
    gang_feed(p, b, (struct weir_source_spec){.period = 10, .phase = 55});
    gang_queue(p, a, c, (struct weir_queue_spec){.threshold = 6});
    gang_queue(p, b, c, (struct weir_queue_spec){0});
    stage_seal(p);
    expect(p, ROUNDS(2),
           "a1 0 0 1, a2 10 10 11, a3 20 20 21, a4 30 30 31, a5 40 40 41, a6 50 50 51, b1 55 55 56, c1 56 56 57, a7 60 60 61, "
           "b2 65 65 66, c2 66 66 67");
    assert_int_equal(log_.peak[0], 6);
    assert_int_equal(log_.peak[1], 1);
    weir_pipeline_free(p);
}

/* ---- costs and times ---- */

TEST(costs)
{
    struct weir_pipeline *p = gang_new(2);
    struct weir_operator a, b;
    struct weir_operator_spec spec = {.name = "a", .has_cost = true, .cost_init = 1, .cost_sample = 2};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &a, NULL), WEIR_OK);
    spec = (struct weir_operator_spec){.name = "b", .has_cost = true, .cost_init = 2, .cost_sample = 3};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &b, NULL), WEIR_OK);
    gang_feed(p, a, (struct weir_source_spec){.period = 10, .batch = 2});      /* 1 + 2 * 2 every 20 */
    gang_queue(p, a, b, (struct weir_queue_spec){.produce = 2, .consume = 4}); /* 2 + 4 * 3 every 40 */
    stage_seal(p);
    expect(p, ROUNDS(1), "a1 0 0 5, a2 20 20 25, b1 25 25 39");
    expect(p, (struct weir_edf_simulation_options){.rounds = 1, .times = WEIR_TIMES_BEST}, "a1 0 0 0, a2 20 20 20, b1 20 20 20");
    for (uint64_t seed = 0; seed < 20; seed++) {
        gang_run(p, (struct weir_edf_simulation_options){.rounds = 9, .times = WEIR_TIMES_BANG_BANG, .seed = seed}, &log_);
        assert_true(log_.ended >= 27);
    }
    weir_pipeline_free(p);
}

/* 3 in 10 ticks: times are in thirds. */
TEST(fractions)
{
    struct weir_pipeline *p = gang_new(1);
    gang_feed(p, gang_add(p, "a", 2), (struct weir_source_spec){.period = 10, .count = 3});
    stage_seal(p);
    expect(p, ROUNDS(3), "a1 0 0 6, a2 10 10 16, a3 20 20 26");
    assert_int_equal(log_.scale, 3);
    weir_pipeline_free(p);
}

/* ---- seeds ---- */

TEST(equals_in_any_order)
{
    struct weir_pipeline *p = gang_new(1);
    gang_feed(p, gang_add(p, "a", 1), (struct weir_source_spec){.period = 4});
    gang_feed(p, gang_add(p, "b", 1), (struct weir_source_spec){.period = 4});
    stage_seal(p);
    int first[4] = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        gang_run(p, (struct weir_edf_simulation_options){.rounds = 2, .seed = seed}, &log_);
        char one = log_.text[0], two = log_.text[20]; /* "a1 0 0 1, b1 0 0 2, a2 ..." */
        assert_true((one == 'a' || one == 'b') && (two == 'a' || two == 'b'));
        first[2 * (one == 'b') + (two == 'b')]++;
    }
    for (int i = 0; i < 4; i++)
        assert_true(first[i] > 2);
    weir_pipeline_free(p);
}

TEST(same_seed_same_run)
{
    struct weir_pipeline *p = gang_new(2);
    struct weir_operator a = gang_add(p, "a", 7), b = gang_add(p, "b", 9), c = gang_add(p, "c", 13);
    gang_feed(p, a, (struct weir_source_spec){.period = 10, .jitter = 25});
    gang_feed(p, b, (struct weir_source_spec){.period = 40, .count = 4, .bursty = true});
    gang_queue(p, a, c, (struct weir_queue_spec){.consume = 2});
    stage_seal(p);
    struct weir_edf_simulation_options options = {
        .rounds = 30, .times = WEIR_TIMES_RANDOM, .arrivals = WEIR_EDF_ARRIVALS_RANDOM, .seed = 5};
    gang_run(p, options, &log_);
    uint64_t hash = log_.hash;
    gang_run(p, options, &log_);
    assert_true(hash == log_.hash);
    options.seed = 6;
    gang_run(p, options, &log_);
    assert_true(hash != log_.hash);
    weir_pipeline_free(p);
}
