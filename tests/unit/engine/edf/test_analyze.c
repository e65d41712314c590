/* SPDX-License-Identifier: Apache-2.0 */
/* Flows on a pool of cores, worked out by hand. Every analysis is verified on the way. */
#include "pool.h"
#include "support/runner.h"

#include "base/interrupt.h"
#include "base/number.h"

#include <string.h>

#define LIMIT (INT64_C(1) << 60)

static const uint32_t plain[4] = {1, 1, 1, 0};

/* Operators of these costs in a row, one sample each, sealed. */
static struct weir_pipeline *chain(uint32_t cores, int64_t period, size_t count, const int64_t *costs)
{
    struct weir_pipeline *p = pool_new(cores);
    for (uint32_t i = 0; i < count; i++) {
        pool_add(p, costs[i]);
        if (i)
            pool_queue(p, i - 1, i, plain);
    }
    pool_feed(p, 0, period);
    stage_seal(p);
    return p;
}

/* Two operators of costs 2 and 3 on two cores, with a queue of these rates. */
static struct weir_pipeline *chain_of(int64_t period, const uint32_t rates[4])
{
    struct weir_pipeline *p = pool_new(2);
    pool_add(p, 2);
    pool_add(p, 3);
    pool_queue(p, 0, 1, rates);
    pool_feed(p, 0, period);
    return p;
}

static void finish(struct weir_pipeline *p, struct weir_edf_analysis *a)
{
    weir_edf_analysis_free(a);
    weir_pipeline_free(p);
}

/* ---- responses ---- */

/* What takes long is broken off; what is said then holds. */
TEST(test_interrupted)
{
    struct weir_pipeline *p = chain(2, 100, 3, (const int64_t[]){1, 2, 3});
    struct weir_edf_analysis *a = pool_analyze(p, 0);
    struct weir_ratio whole = a->latencies[0].worst;
    bool stop = true;
    assert_int_equal(a->operators[2].by, WEIR_EDF_WINDOW);
    weir_edf_analysis_free(a);
    const bool *before = weir_interrupt_watch(&stop);
    a = pool_analyze(p, 0);
    weir_interrupt_watch(before);
    for (int i = 0; i < 3; i++)
        assert_false(a->operators[i].applies[WEIR_EDF_WINDOW]);
    assert_true(a->schedulable && weir_ratio_compare(a->latencies[0].worst, whole) > 0);
    finish(p, a);
}

TEST(test_alone)
{
    struct weir_pipeline *p = chain(2, 10, 2, (const int64_t[]){10, 4});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(a->schedulable);
    assert_int_equal(a->cores, 2);
    assert_ratio(a->utilization, 7, 5);
    assert_ratio(a->operators[0].utilization, 1, 1);
    assert_ratio(a->operators[0].response, 10, 1);
    assert_int_equal(a->operators[0].by, WEIR_EDF_ALONE);
    assert_ratio(a->operators[1].offset, 10, 1);
    assert_int_equal(a->latency_count, 1);
    assert_ratio(a->latencies[0].worst, 14, 1);
    finish(p, a);
}

TEST(test_one_core_full)
{
    struct weir_pipeline *p = chain(1, 10, 2, (const int64_t[]){5, 5});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(a->schedulable);
    assert_ratio(a->utilization, 1, 1);
    for (int i = 0; i < 2; i++) {
        assert_false(a->operators[i].applies[WEIR_EDF_ALONE]);
        assert_true(a->operators[i].applies[WEIR_EDF_NO_MISS]);
        assert_ratio(a->operators[i].response, 10, 1);
        assert_int_equal(a->operators[i].by, WEIR_EDF_NO_MISS);
        assert_ratio(a->operators[i].responses[WEIR_EDF_DEVI_ANDERSON], 15, 1);
    }
    assert_ratio(a->latencies[0].worst, 20, 1);
    finish(p, a);
}

TEST(test_no_miss)
{
    struct weir_pipeline *p = chain(2, 10, 3, (const int64_t[]){5, 5, 5});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_int_equal(a->operators[1].by, WEIR_EDF_NO_MISS);
    assert_ratio(a->operators[1].response, 10, 1);
    assert_ratio(a->operators[1].responses[WEIR_EDF_COMPLIANT], 35, 3); /* s = 55 / 6 */
    finish(p, a);
    p = chain(2, 10, 3, (const int64_t[]){5, 5, 6}); /* 1.6 > 2 - 0.6 */
    a = pool_published(p, 0);
    assert_false(a->operators[0].applies[WEIR_EDF_NO_MISS]);
    finish(p, a);
}

TEST(test_devi_anderson)
{
    struct weir_pipeline *p = chain(3, 2, 4, (const int64_t[]){2, 1, 1, 2});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->utilization, 3, 1); /* all cores, all the time */
    assert_int_equal(a->operators[0].by, WEIR_EDF_DEVI_ANDERSON);
    assert_ratio(a->operators[0].response, 11, 2);
    assert_ratio(a->operators[0].responses[WEIR_EDF_COMPLIANT], 6, 1);
    assert_ratio(a->operators[1].response, 9, 2);
    assert_ratio(a->operators[1].responses[WEIR_EDF_COMPLIANT], 16, 3);
    assert_ratio(a->latencies[0].worst, 20, 1);
    finish(p, a);
}

TEST(test_compliant)
{
    struct weir_pipeline *p = chain(2, 10, 3, (const int64_t[]){1, 1, 1});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_int_equal(a->operators[2].by, WEIR_EDF_COMPLIANT);
    assert_ratio(a->operators[2].response, 2, 1); /* s = 3 / 2 */
    finish(p, a);
    p = chain(2, 3, 3, (const int64_t[]){2, 2, 2}); /* full: s = 4 */
    a = pool_published(p, 0);
    assert_ratio(a->utilization, 2, 1);
    assert_ratio(a->operators[0].responses[WEIR_EDF_COMPLIANT], 5, 1);
    assert_ratio(a->operators[0].responses[WEIR_EDF_DEVI_ANDERSON], 5, 1);
    finish(p, a);
    p = chain(2, 100, 3, (const int64_t[]){90, 1, 1}); /* s is below a share of the large cost, which nothing is carried into */
    a = pool_published(p, 0);
    assert_int_equal(a->operators[0].by, WEIR_EDF_COMPLIANT);
    assert_ratio(a->operators[0].response, 91, 1); /* s = 46 */
    assert_ratio(a->operators[1].response, 93, 2);
    finish(p, a);
}

TEST(test_names)
{
    assert_string_equal(weir_edf_bound_name(WEIR_EDF_ALONE), "alone");
    assert_string_equal(weir_edf_bound_name(WEIR_EDF_NO_MISS), "no-miss");
    assert_string_equal(weir_edf_bound_name(WEIR_EDF_DEVI_ANDERSON), "devi-anderson");
    assert_string_equal(weir_edf_bound_name(WEIR_EDF_COMPLIANT), "compliant");
    assert_string_equal(weir_edf_bound_name(WEIR_EDF_WINDOW), "window");
}

/* ---- windows ---- */

/* Sources of their own, of these costs and periods. */
static struct weir_pipeline *apart(uint32_t cores, size_t count, const int64_t (*tasks)[2])
{
    struct weir_pipeline *p = pool_new(cores);
    for (uint32_t i = 0; i < count; i++) {
        pool_add(p, tasks[i][0]);
        pool_feed(p, i, tasks[i][1]);
    }
    stage_seal(p);
    return p;
}

TEST(test_three_executions)
{
    struct weir_pipeline *p = apart(2, 3, (const int64_t[][2]){{1, 10}, {1, 10}, {1, 1000}});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(weir_ratio_compare(a->operators[2].response, (struct weir_ratio){991, 1}) > 0);
    weir_edf_analysis_free(a);
    a = pool_analyze(p, 0);
    assert_int_equal(a->operators[2].by, WEIR_EDF_WINDOW);
    assert_ratio(a->operators[2].response, 2, 1);
    finish(p, a);
}

/* One operator keeps a core to itself, so that windows of the first grow by what it takes itself in each round: more than a hundred
 * rounds, the last ones in larger steps. */
TEST(test_slow_growth)
{
    struct weir_pipeline *p = apart(2, 3, (const int64_t[][2]){{1, 168}, {114, 180}, {45, 45}});
    struct weir_edf_analysis *a = pool_analyze(p, 0);
    assert_int_equal(a->operators[0].by, WEIR_EDF_WINDOW);
    assert_ratio(a->operators[0].response, 104, 1);
    finish(p, a);
}

/* Whoever needs the other, and is done before the next arrival, never waits for it. */
TEST(test_in_step)
{
    struct weir_pipeline *p = chain(1, 10, 3, (const int64_t[]){3, 3, 4});
    struct weir_edf_analysis *a = pool_analyze(p, 0);
    for (int i = 0; i < 3; i++)
        assert_ratio(a->operators[i].response, i < 2 ? 3 : 4, 1);
    assert_ratio(a->latencies[0].worst, 10, 1);
    finish(p, a);
}

/* Executions that may be ready before their release run early, and count. */
TEST(test_never_looser)
{
    for (int64_t cost = 1; cost < 10; cost++)
        for (uint32_t cores = 1; cores < 4; cores++) {
            struct weir_pipeline *p = chain(cores, 10, 5, (const int64_t[]){cost, 10 - cost, cost, 1, cost / 2 + 1});
            struct weir_edf_analysis *a = pool_published(p, 0), *b = pool_analyze(p, 0);
            assert_int_equal(a->schedulable, b->schedulable);
            for (int i = 0; a->schedulable && i < 5; i++)
                assert_true(weir_ratio_compare(b->operators[i].response, a->operators[i].response) <= 0);
            weir_edf_analysis_free(b);
            finish(p, a);
        }
}

/* ---- not schedulable ---- */

static void assert_refused(struct weir_pipeline *p, uint32_t cores, const char *why)
{
    struct weir_edf_analysis *a = pool_published(p, cores);
    assert_false(a->schedulable);
    assert_string_equal(a->why, why);
    assert_int_equal(a->buffer_count, 0);
    assert_int_equal(a->buffer_total, 0);
    for (size_t i = 0; i < a->latency_count; i++)
        assert_false(a->latencies[i].bounded);
    assert_false(a->operators[0].applies[WEIR_EDF_COMPLIANT]);
    finish(p, a);
}

TEST(test_too_much)
{
    assert_refused(chain(4, 8, 2, (const int64_t[]){10, 4}), 0,
                   "operator \"a\" needs 1.25 cores, 0.25 more than the one it can have: it costs more than its period");
    assert_refused(
        chain(4, 8, 3, (const int64_t[]){10, 9, 12}), 0,
        "operator \"c\" needs 1.5 cores, 0.5 more than the one it can have: it costs more than its period; 2 others do as "
        "well");
    assert_refused(chain(4, 10, 3, (const int64_t[]){9, 9, 9}), 2,
                   "the operators need 2.7 cores in all, 0.7 more than the 2 there are");
    assert_refused(chain(1, 1000000, 2, (const int64_t[]){500000, 500001}), 0,
                   "the operators need 1.001 cores in all, 0.001 more than the 1 there is");
}

/* All of a core less 1 / (the product of the periods): that much cannot be counted. */
TEST(test_too_near)
{
    static const int64_t periods[] = {1099511627791, 1099511627803}, costs[] = {641381782878, 458129844918};
    struct weir_pipeline *p = pool_new(1);
    for (uint32_t i = 0; i < 2; i++) {
        pool_add(p, costs[i]);
        pool_feed(p, i, periods[i]);
    }
    stage_seal(p);
    assert_refused(p, 0,
                   "whether 1 core can do what the operators need cannot be decided: the load is so near to the limit that numbers "
                   "of this length do not show the difference");
}

TEST(test_capacity)
{
    for (uint32_t capacity = 5; capacity <= 6; capacity++) {
        struct weir_pipeline *p = pool_new(2);
        pool_add(p, 2);
        pool_add(p, 3);
        struct weir_queue_spec queue = {.from = {0}, .to = {1}, .capacity = capacity, .initial = 5};
        assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
        pool_feed(p, 0, 10);
        stage_seal(p);
        if (capacity == 5) {
            assert_refused(p, 0,
                           "the queue from \"a\" to \"b\" holds 5, but up to 6 samples may have to wait there; \"a\" would be held "
                           "up");
            continue;
        }
        struct weir_edf_analysis *a = pool_published(p, 0);
        assert_true(a->schedulable);
        assert_int_equal(a->buffers[0].capacity, 6);
        assert_false(a->buffers[0].chosen);
        assert_int_equal(a->buffer_total, 6);
        finish(p, a);
    }
}

/* ---- rates ---- */

TEST(test_initial)
{
    struct weir_pipeline *p = chain_of(10, (const uint32_t[]){1, 1, 1, 5});
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[1].offset, 0, 1);
    assert_ratio(a->latencies[0].worst, 53, 1); /* five periods behind what was there */
    assert_int_equal(a->buffers[0].capacity, 7);
    finish(p, a);
    p = chain_of(10, (const uint32_t[]){3, 2, 5, 2}); /* needs 3, of which 3 come at once */
    stage_seal(p);
    a = pool_published(p, 0);
    assert_ratio(a->operators[1].period, 20, 3);
    assert_ratio(a->operators[1].offset, 26, 3); /* 2 + 10 (3 - 1) / 3 */
    assert_ratio(a->latencies[0].worst, 25, 1);  /* 26 / 3 + 3 + 10 (3 - 1 + 2) / 3 */
    finish(p, a);
}

TEST(test_rising_rate)
{
    struct weir_pipeline *p = chain_of(40, (const uint32_t[]){4, 1, 1, 0});
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[1].period, 10, 1);
    assert_int_equal(a->operators[1].repetitions, 4);
    assert_ratio(a->operators[1].offset, 2, 1);
    assert_ratio(a->latencies[0].worst, 35, 1);
    assert_int_equal(a->buffers[0].capacity, 9);
    finish(p, a);
}

TEST(test_two_queues)
{
    struct weir_pipeline *p = chain_of(10, plain);
    pool_queue(p, 0, 1, (const uint32_t[]){2, 2, 6, 0});
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[1].offset, 22, 1);
    assert_ratio(a->latencies[0].worst, 25, 1);
    assert_int_equal(a->buffer_count, 2);
    finish(p, a);
}

/* ---- sources ---- */

static struct weir_pipeline *fed(uint32_t cores, size_t count, const int64_t *costs, struct weir_source_spec source)
{
    struct weir_pipeline *p = pool_new(cores);
    for (uint32_t i = 0; i < count; i++) {
        pool_add(p, costs[i]);
        if (i)
            pool_queue(p, i - 1, i, plain);
    }
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

TEST(test_jitter)
{
    struct weir_pipeline *p = fed(1, 2, (const int64_t[]){2, 2}, (struct weir_source_spec){.period = 10, .jitter = 3});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[0].offset, 3, 1);
    assert_ratio(a->operators[1].offset, 7, 1);
    assert_ratio(a->latencies[0].worst, 11, 1);
    finish(p, a);
}

TEST(test_batch)
{
    struct weir_pipeline *p = fed(1, 1, (const int64_t[]){2}, (struct weir_source_spec){.period = 10, .count = 3, .batch = 4});
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[0].period, 40, 3);
    assert_ratio(a->latencies[0].gathering, 10, 1);
    assert_ratio(a->latencies[0].worst, 12, 1);
    finish(p, a);
}

/* Batches of two out of bursts of three: 2, 4 | 6, 8 ... the third is released 8 after its arrival, not 12 - 8. */
TEST(test_bursts)
{
    struct weir_source_spec source = {.period = 12, .count = 3, .batch = 2, .bursty = true};
    struct weir_pipeline *p = fed(1, 1, (const int64_t[]){1}, source);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(a->sporadic);
    assert_ratio(a->operators[0].period, 8, 1);
    assert_ratio(a->operators[0].offset, 0, 1);
    assert_ratio(a->latencies[0].worst, 9, 1);
    assert_ratio(a->latencies[0].gathering, 0, 1);
    finish(p, a);
    source.batch = 1;
    p = fed(1, 1, (const int64_t[]){1}, source);
    a = pool_published(p, 0);
    assert_ratio(a->latencies[0].worst, 9, 1); /* 12 - 4 + 1 */
    finish(p, a);
    source.batch = 3;
    p = fed(1, 1, (const int64_t[]){1}, source);
    a = pool_published(p, 0);
    assert_ratio(a->latencies[0].worst, 1, 1);
    finish(p, a);
}

TEST(test_sporadic)
{
    struct weir_source_spec source = {.period = 10, .sporadic = true};
    struct weir_pipeline *p = pool_new(2);
    pool_add(p, 2);
    pool_add(p, 3);
    pool_queue(p, 0, 1, (const uint32_t[]){2, 3, 3, 0}); /* needs 2, 3 of every 3: phi is -5, 0 */
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[1].offset, 7, 1);
    assert_ratio(a->latencies[0].worst, 10, 1);
    /* 3 + 2 (7 + 3 + 0 + 5) / 10 = 6 is never reached */
    assert_int_equal(a->buffers[0].capacity, 5);
    finish(p, a);
}

/* c begins with what a makes, long before b has its first eleven samples: what b will need does not count for it. */
TEST(test_sporadic_initial)
{
    struct weir_source_spec source = {.period = 10, .sporadic = true};
    struct weir_pipeline *p = pool_new(3);
    for (int i = 0; i < 3; i++)
        pool_add(p, 1);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 1, 11, 0});
    pool_queue(p, 0, 2, plain);
    pool_queue(p, 1, 2, (const uint32_t[]){1, 1, 1, 3});
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    /* Execution 3 of c needs 3, execution 4 needs 11: phi is 0 at most, -70 at least. */
    assert_ratio(a->operators[1].offset, 1, 1);
    assert_ratio(a->operators[2].offset, 72, 1);
    assert_ratio(a->latencies[0].worst, 73, 1);
    finish(p, a);
    p = pool_new(2); /* b needs nothing at first, and its line then counts from the beginning */
    pool_add(p, 1);
    pool_add(p, 2);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 1, 1, 4});
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    a = pool_published(p, 0);
    assert_ratio(a->operators[1].offset, 40, 1); /* execution 5 at 40 needs the first arrival, which may be at 0 */
    assert_ratio(a->latencies[0].worst, 42, 1);
    finish(p, a);
}

TEST(test_phases)
{
    struct weir_pipeline *p = pool_new(3);
    for (int i = 0; i < 3; i++)
        pool_add(p, 1);
    pool_queue(p, 0, 2, plain);
    pool_queue(p, 1, 2, plain);
    struct weir_source_spec first = {.op = {0}, .period = 10, .has_phase = true, .phase = 25},
                            second = {.op = {1}, .period = 10, .has_phase = true, .phase = 20, .jitter = 2};
    assert_int_equal(weir_pipeline_add_source(p, &first, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_source(p, &second, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_ratio(a->operators[0].offset, 5, 1);
    assert_ratio(a->operators[1].offset, 2, 1);
    assert_ratio(a->operators[2].offset, 6, 1);
    assert_int_equal(a->latency_count, 2);
    assert_ratio(a->latencies[0].worst, 2, 1);
    assert_ratio(a->latencies[1].worst, 7, 1);
    finish(p, a);
}

/* a: even, b: sporadic; both to c, and a alone to d. */
static struct weir_pipeline *joined(uint32_t capacity)
{
    struct weir_pipeline *p = pool_new(4);
    for (int i = 0; i < 4; i++)
        pool_add(p, 1);
    struct weir_queue_spec queue = {.from = {0}, .to = {2}, .capacity = capacity};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    pool_queue(p, 1, 2, plain);
    pool_queue(p, 0, 3, plain);
    pool_feed(p, 0, 10);
    struct weir_source_spec source = {.op = {1}, .period = 10, .sporadic = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

TEST(test_joined)
{
    struct weir_pipeline *p = joined(WEIR_AUTO);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(a->schedulable);
    assert_true(a->sporadic);
    assert_int_equal(a->latency_count, 3);
    for (size_t i = 0; i < a->latency_count; i++) {
        bool own = a->latencies[i].chain.to.index == 3;
        assert_int_equal(a->latencies[i].bounded, own);
        if (own)
            assert_ratio(a->latencies[i].worst, 2, 1);
    }
    assert_int_equal(a->buffers[0].capacity, WEIR_UNBOUNDED);
    assert_int_equal(a->buffers[1].capacity, WEIR_UNBOUNDED);
    assert_int_equal(a->buffers[2].capacity, 3); /* floor((2 + 10) / 10) + 1 + 1 */
    assert_int_equal(a->buffer_total, 3);
    finish(p, a);
    assert_refused(
        joined(1000), 0,
        "the queue from \"a\" to \"c\" holds 1000, but no number is enough: \"c\" also waits for another source, which may "
        "be silent");
}

/* ---- large numbers ---- */

TEST(test_overflow)
{
    struct weir_pipeline *p = chain(2, LIMIT - 1, 2, (const int64_t[]){LIMIT - 1, LIMIT - 1});
    struct weir_edf_analysis *a;
    struct weir_error error;
    assert_int_equal(weir_edf_analyze(p, NULL, &a, &error), WEIR_OVERFLOW);
    assert_null(a);
    assert_string_equal(error.message, "a time or a number of samples does not fit; a coarser unit may help");
    weir_pipeline_free(p);
    p = chain(2, LIMIT - 1, 1, (const int64_t[]){LIMIT - 1});
    a = pool_published(p, 0);
    assert_ratio(a->latencies[0].worst, LIMIT - 1, 1);
    finish(p, a);
}

/* Parts whose periods have no common multiple that could be counted: rounded up, but hardly. */
TEST(test_rounded)
{
    static const int64_t periods[] = {1099511627791, 1099511627803, 1099511627831, 1099511627873, 1099511627899};
    struct weir_pipeline *p = pool_new(2);
    for (uint32_t i = 0; i < 5; i++) {
        pool_add(p, periods[i] / 3);
        pool_feed(p, i, periods[i]);
    }
    stage_seal(p);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(a->schedulable);
    assert_true(a->verified);
    /* Five times a third of a core less next to nothing; as if all periods were the first, s is 17 / 15 of it. */
    assert_true((double)a->utilization.numerator < 5.0 / 3 * (double)a->utilization.denominator);
    for (uint32_t i = 0; i < 5; i++) {
        struct weir_ratio r = a->operators[i].response;
        int64_t whole = r.numerator / r.denominator;
        assert_in_range(whole, periods[0], periods[0] / 100 * 131);
    }
    finish(p, a);
    p = pool_new(1);
    for (uint32_t i = 0; i < 5; i++) {
        pool_add(p, periods[i] - 1);
        pool_feed(p, i, periods[i]);
    }
    stage_seal(p);
    a = pool_published(p, 5); /* as many cores as are needed, by a hair */
    assert_true(a->schedulable);
    finish(p, a);
}

/* ---- calls that cannot work ---- */

TEST(test_refused)
{
    struct weir_edf_analysis *a;
    struct weir_error error;
    struct weir_pipeline *p = pool_new(1);
    pool_add(p, 1);
    pool_feed(p, 0, 10);
    assert_int_equal(weir_edf_analyze(p, NULL, &a, &error), WEIR_INVALID);
    assert_null(a);
    stage_seal(p);
    assert_int_equal(weir_edf_analyze(p, &(struct weir_edf_options){.cores = 65537}, &a, &error), WEIR_INVALID);
    assert_string_equal(error.message, "a platform has 1 to 65536 cores");
    assert_int_equal(weir_edf_analyze(p, &(struct weir_edf_options){.cores = 65536}, &a, &error), WEIR_OK);
    assert_int_equal(a->cores, 65536);
    assert_false(a->verified);
    finish(p, a);
    p = stage_chain(2, (const int64_t[]){1, 2}, 1);
    assert_int_equal(weir_edf_analyze(p, NULL, &a, &error), WEIR_INVALID);
    weir_pipeline_free(p);
    weir_edf_analysis_free(NULL);
}

static enum weir_status analyze_it(void *pipeline)
{
    struct weir_edf_analysis *a;
    enum weir_status status = weir_edf_analyze(pipeline, &(struct weir_edf_options){.verify = true}, &a, NULL);
    weir_edf_analysis_free(a);
    return status;
}

TEST(test_memory)
{
    struct weir_pipeline *p = joined(WEIR_AUTO);
    assert_true(stage_fail_each_allocation(analyze_it, p) > 10);
    weir_pipeline_free(p);
    struct weir_source_spec source = {.period = 10, .sporadic = true};
    p = fed(1, 3, (const int64_t[]){1, 2, 3}, source);
    assert_true(stage_fail_each_allocation(analyze_it, p) > 10);
    weir_pipeline_free(p);
}
