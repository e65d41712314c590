/* SPDX-License-Identifier: Apache-2.0 */
/* The same work in batches: rates, thresholds, costs, what is carried over, what cannot be counted. */
#include "pool.h"
#include "support/runner.h"

#include <string.h>

static struct weir_pipeline *batch(const struct weir_pipeline *p, enum weir_batching batching, int64_t factor)
{
    struct weir_pipeline *batched;
    struct weir_error error = {0};
    if (weir_pipeline_batch(p, batching, factor, &batched, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return batched;
}

static void assert_queue(const struct weir_pipeline *p, uint32_t index, const uint32_t rates[4])
{
    struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){index});
    assert_int_equal(q.produce, rates[0]);
    assert_int_equal(q.consume, rates[1]);
    assert_int_equal(q.threshold, rates[2]);
    assert_int_equal(q.initial, rates[3]);
    assert_int_equal(q.capacity, WEIR_AUTO);
}

static void add_priced(struct weir_pipeline *p, const char *name, int64_t init, int64_t sample)
{
    struct weir_operator_spec spec = {.name = name, .has_cost = true, .cost_init = init, .cost_sample = sample};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
}

/* a -(3:2, threshold 5, 1 there)-> b -(1:6)-> c; periods 100, 200/3, 400; repetitions 4, 6, 1. */
static struct weir_pipeline *build(void)
{
    struct weir_pipeline *p = pool_new(2);
    add_priced(p, "a", 7, 2);
    add_priced(p, "b", 5, 3);
    pool_add(p, 11);
    pool_queue(p, 0, 1, (const uint32_t[]){3, 2, 5, 1});
    pool_queue(p, 1, 2, (const uint32_t[]){1, 6, 6, 0});
    struct weir_source_spec source = {.op = {0}, .period = 100, .arrivals = WEIR_ARRIVALS_EXACT, .batch = 2, .count = 2};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_deadline(p, 0, 2, 5000);
    assert_int_equal(weir_pipeline_set_name(p, "three", NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

static void assert_carried_over(const struct weir_pipeline *p)
{
    assert_string_equal(weir_pipeline_name(p), "three");
    assert_int_equal(weir_pipeline_cores(p), 2);
    assert_int_equal(weir_pipeline_chain_count(p), 1);
    assert_true(weir_pipeline_chain(p, 0).has_deadline);
    assert_int_equal(weir_pipeline_chain(p, 0).deadline, 5000);
}

TEST(test_uniform)
{
    struct weir_pipeline *p = build(), *b = batch(p, WEIR_BATCH_UNIFORM, 4);
    assert_queue(b, 0, (const uint32_t[]){12, 8, 11, 1}); /* 3 * 2 + 5 */
    assert_queue(b, 1, (const uint32_t[]){4, 24, 24, 0});
    assert_int_equal(weir_pipeline_source(b, 0).batch, 8);
    struct weir_edf_analysis *a = pool_published(b, 0);
    assert_int_equal(a->operators[0].cost, 7 + 2 * 8);
    assert_int_equal(a->operators[1].cost, 5 + 3 * 8);
    assert_int_equal(a->operators[2].cost, 44);
    assert_ratio(a->operators[0].period, 400, 1);
    assert_ratio(a->operators[1].period, 800, 3);
    assert_ratio(a->operators[2].period, 1600, 1);
    assert_carried_over(b);
    weir_edf_analysis_free(a);
    weir_pipeline_free(b);
    weir_pipeline_free(p);
}

TEST(test_rate)
{
    struct weir_pipeline *p = build(), *b = batch(p, WEIR_BATCH_RATE, 3);
    assert_queue(b, 0, (const uint32_t[]){36, 36, 39, 1}); /* 12 and 18 executions */
    assert_queue(b, 1, (const uint32_t[]){18, 18, 18, 0});
    struct weir_edf_analysis *a = pool_published(b, 0);
    for (int i = 0; i < 3; i++) {
        assert_ratio(a->operators[i].period, 1200, 1);
        assert_int_equal(a->operators[i].repetitions, 1);
    }
    assert_carried_over(b);
    weir_edf_analysis_free(a);
    weir_pipeline_free(b);
    weir_pipeline_free(p);
}

/* Every queue carries a whole number of what either end moves. */
TEST(test_edge)
{
    struct weir_pipeline *p = build();
    for (int64_t factor = 1; factor <= 3; factor++) {
        struct weir_pipeline *b = batch(p, WEIR_BATCH_EDGE, factor);
        /* a: 2 by its queue; b: 3 by the first, 6 by the second; c: 1. */
        uint32_t f = (uint32_t)factor;
        assert_queue(b, 0, (const uint32_t[]){6 * f, 12 * f, (6 * f - 1) * 2 + 5, 1});
        assert_queue(b, 1, (const uint32_t[]){6 * f, 6 * f, 6 * f, 0});
        for (uint32_t i = 0; i < 2; i++) {
            struct weir_queue_spec old = weir_pipeline_queue(p, (struct weir_queue){i});
            struct weir_queue_spec q = weir_pipeline_queue(b, (struct weir_queue){i});
            assert_int_equal(q.produce % old.consume, 0);
            assert_int_equal(q.consume % old.produce, 0);
        }
        weir_pipeline_free(b);
    }
    weir_pipeline_free(p);
}

/* Two sources that begin together: ten samples of the one are there 900 later, one of the other at once. */
TEST(test_sources_that_join)
{
    struct weir_pipeline *p = pool_new(4);
    for (int i = 0; i < 3; i++)
        pool_add(p, 1);
    pool_queue(p, 0, 2, (const uint32_t[]){1, 10, 10, 0});
    pool_queue(p, 1, 2, (const uint32_t[]){1, 1, 1, 0});
    pool_feed(p, 0, 100);
    pool_feed(p, 1, 1000);
    stage_seal(p);
    struct weir_pipeline *b = batch(p, WEIR_BATCH_RATE, 1);
    assert_int_equal(weir_pipeline_source(b, 0).phase, 900);
    assert_int_equal(weir_pipeline_source(b, 1).phase, 0);
    struct weir_edf_analysis *a = pool_published(b, 0);
    assert_int_equal(a->latency_count, 2);
    assert_ratio(a->latencies[0].worst, 911, 1); /* 900 for the batch, 10 and 1 */
    assert_ratio(a->latencies[1].worst, 911, 1); /* from the other source, the same: it waits for the batch */
    weir_edf_analysis_free(a);
    weir_pipeline_free(b);
    weir_pipeline_free(p);
}

/* Where a batch is full between two ticks, that is a jitter of one. A sporadic source has no phase to be changed. */
TEST(test_phases_between_ticks)
{
    struct weir_pipeline *p = pool_new(4);
    for (int i = 0; i < 3; i++)
        pool_add(p, 1);
    struct weir_source_spec source = {.op = {0}, .period = 100, .count = 3, .has_phase = true, .phase = 5, .jitter = 2};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    pool_feed(p, 1, 100);
    source = (struct weir_source_spec){.op = {2}, .period = 50, .sporadic = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_pipeline *b = batch(p, WEIR_BATCH_UNIFORM, 2);
    assert_int_equal(weir_pipeline_source(b, 0).phase, 38);
    assert_int_equal(weir_pipeline_source(b, 0).jitter, 3);
    assert_int_equal(weir_pipeline_source(b, 1).phase, 100);
    assert_int_equal(weir_pipeline_source(b, 1).jitter, 0);
    assert_false(weir_pipeline_source(b, 2).has_phase);
    weir_pipeline_free(b);
    weir_pipeline_free(p);
}

TEST(test_one_is_the_model)
{
    struct weir_pipeline *p = build(), *b = batch(p, WEIR_BATCH_UNIFORM, 1);
    struct weir_edf_analysis *before = pool_published(p, 0), *after = pool_published(b, 0);
    assert_true(before->schedulable && after->schedulable);
    assert_ratio(after->latencies[0].worst, before->latencies[0].worst.numerator, before->latencies[0].worst.denominator);
    assert_ratio(after->utilization, before->utilization.numerator, before->utilization.denominator);
    weir_edf_analysis_free(before);
    weir_edf_analysis_free(after);
    weir_pipeline_free(b);
    weir_pipeline_free(p);
}

/* Init costs are shared: U(N) = (sum of init / p) / N + the rest. */
TEST(test_utilization_falls)
{
    struct weir_pipeline *p = build();
    struct weir_ratio last = {INT64_MAX, 1};
    for (int kind = 0; kind <= WEIR_BATCH_EDGE; kind++) {
        last = (struct weir_ratio){INT64_MAX, 1};
        for (int64_t factor = 1; factor < 40; factor++) {
            struct weir_pipeline *b = batch(p, (enum weir_batching)kind, factor);
            struct weir_edf_analysis *a = pool_published(b, 0);
            double now = (double)a->utilization.numerator / (double)a->utilization.denominator;
            assert_true(now < (double)last.numerator / (double)last.denominator);
            last = a->utilization;
            weir_edf_analysis_free(a);
            weir_pipeline_free(b);
        }
    }
    weir_pipeline_free(p);
}

static void assert_refused(const struct weir_pipeline *p, enum weir_batching batching, int64_t factor, enum weir_status expected)
{
    struct weir_pipeline *batched = NULL;
    struct weir_error error = {0};
    assert_int_equal(weir_pipeline_batch(p, batching, factor, &batched, &error), expected);
    assert_int_equal(error.status, expected);
    assert_null(batched);
    assert_true(strlen(error.message) > 0);
    assert_int_equal(weir_pipeline_batch(p, batching, factor, &batched, NULL), expected);
}

TEST(test_refused)
{
    struct weir_pipeline *p = build(), *threads = stage_chain(2, (const int64_t[]){1, 2}, 1), *open = pool_new(1);
    assert_refused(p, WEIR_BATCH_UNIFORM, 0, WEIR_INVALID);
    assert_refused(p, WEIR_BATCH_UNIFORM, -3, WEIR_INVALID);
    assert_refused(p, (enum weir_batching)3, 1, WEIR_INVALID);
    assert_refused(threads, WEIR_BATCH_RATE, 1, WEIR_INVALID);
    assert_refused(open, WEIR_BATCH_RATE, 1, WEIR_INVALID);
    for (int kind = 0; kind <= WEIR_BATCH_EDGE; kind++)
        for (int64_t factor = 1 << 30; factor > 0; factor = factor > INT64_MAX / 8 ? 0 : 8 * factor)
            assert_refused(p, (enum weir_batching)kind, factor, WEIR_OVERFLOW);
    assert_refused(p, WEIR_BATCH_EDGE, INT64_MAX, WEIR_OVERFLOW);
    assert_null(weir_batching_name((enum weir_batching)3));
    assert_string_equal(weir_batching_name(WEIR_BATCH_EDGE), "edge");
    weir_pipeline_free(p);
    weir_pipeline_free(threads);
    weir_pipeline_free(open);
}

/* Costs that can no longer be counted are a matter of size, not a mistake. */
TEST(test_costs_too_large)
{
    struct weir_pipeline *p = pool_new(1);
    add_priced(p, "a", 1, INT64_C(1) << 40);
    pool_feed(p, 0, INT64_C(1) << 41);
    stage_seal(p);
    assert_refused(p, WEIR_BATCH_UNIFORM, 1 << 21, WEIR_OVERFLOW);
    weir_pipeline_free(p);
    p = pool_new(1);
    pool_add(p, INT64_C(1) << 40);
    pool_feed(p, 0, INT64_C(1) << 41);
    stage_seal(p);
    assert_refused(p, WEIR_BATCH_UNIFORM, 1 << 21, WEIR_OVERFLOW);
    weir_pipeline_free(p);
}

static enum weir_status try_to_batch(void *context)
{
    struct weir_pipeline *batched;
    enum weir_status status = weir_pipeline_batch(context, WEIR_BATCH_RATE, 5, &batched, NULL);
    assert_int_equal(status == WEIR_OK, batched != NULL);
    weir_pipeline_free(batched);
    return status;
}

TEST(test_memory)
{
    struct weir_pipeline *p = build();
    assert_true(stage_fail_each_allocation(try_to_batch, p) > 5);
    weir_pipeline_free(p);
}
