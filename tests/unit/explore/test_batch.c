/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a batch size: against trying all of them, limits, merging, stopping, memory. */
#include "../engine/edf/pool.h"
#include "support/runner.h"
#include "unit/explore/exploring.h"

#include <string.h>

static void add_priced(struct weir_pipeline *p, const char *name, int64_t init, int64_t sample)
{
    struct weir_operator_spec spec = {.name = name, .has_cost = true, .cost_init = init, .cost_sample = sample};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
}

/* a -> b -(1:3)-> c, and b -> d; a sample every 100. */
static struct weir_pipeline *build(uint32_t cores, int64_t init, int64_t deadline)
{
    struct weir_pipeline *p = pool_new(cores);
    add_priced(p, "a", init, 10);
    add_priced(p, "b", init + 20, 30);
    add_priced(p, "c", init / 2, 15);
    add_priced(p, "d", 40, 20);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 1, 1, 0});
    pool_queue(p, 1, 2, (const uint32_t[]){1, 3, 3, 0});
    pool_queue(p, 1, 3, (const uint32_t[]){1, 1, 1, 0});
    pool_feed(p, 0, 100);
    if (deadline) {
        stage_deadline(p, 0, 2, deadline);
    }
    stage_seal(p);
    return p;
}

static struct weir_batch_exploration *explore(const struct weir_pipeline *p, const struct weir_batch_options *options)
{
    struct weir_batch_exploration *e;
    struct weir_error error = {0};
    if (weir_batch_explore(p, options, &e, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return e;
}

static double value(struct weir_ratio ratio)
{
    return ratio.denominator ? (double)ratio.numerator / (double)ratio.denominator : 1e300;
}

/* ---- against trying all ---- */

struct truth {
    int64_t smallest, lowest, largest;
    double latency;
};

static struct truth try_all(const struct weir_pipeline *p, const struct weir_batch_options *o, int64_t last)
{
    struct truth truth = {.latency = 1e300};
    for (int64_t factor = 1; factor <= last; factor++) {
        struct weir_pipeline *b;
        assert_int_equal(weir_pipeline_batch(p, o->batching, factor, &b, NULL), WEIR_OK);
        struct weir_edf_analysis *a = pool_analyze(b, o->cores);
        bool fits = a->schedulable && (!o->utilization.denominator || value(a->utilization) <= value(o->utilization));
        double latency = 0;
        bool within = fits;
        for (size_t i = 0; i < a->latency_count && a->schedulable; i++) {
            double worst = value(a->latencies[i].worst);
            latency = worst > latency ? worst : latency;
            const struct weir_chain_spec *chain = &a->latencies[i].chain;
            within &= a->latencies[i].bounded && (!chain->has_deadline || worst <= (double)chain->deadline) &&
                      (!o->within || worst <= (double)o->within);
        }
        if (fits && !truth.smallest)
            truth.smallest = factor;
        if (within && latency < truth.latency * (1 - 1e-12)) {
            truth.latency = latency;
            truth.lowest = factor;
        }
        if (within)
            truth.largest = factor;
        weir_edf_analysis_free(a);
        weir_pipeline_free(b);
    }
    return truth;
}

static int64_t factor_at(const struct weir_batch_exploration *e, size_t index)
{
    return index < e->point_count ? e->points[index].factor : 0;
}

static void assert_table(const struct weir_batch_exploration *e)
{
    for (size_t i = 0; i < e->point_count; i++) {
        const struct weir_batch_point *point = &e->points[i];
        assert_true(i == 0 || point->factor > e->points[i - 1].factor);
        assert_true(i == 0 || value(point->utilization) <= value(e->points[i - 1].utilization));
        assert_true(point->schedulable || (!point->within && point->latency.denominator == 0));
    }
}

TEST(test_all_sizes)
{
    static const int64_t inits[] = {5, 90, 400}, limits[] = {0, 900, 4000}, deadlines[] = {0, 2500};
    static const struct weir_ratio utilizations[] = {{0, 0}, {9, 10}, {4, 3}};
    enum { LAST = 60 };
    for (size_t n = 0; n < 3 * 3 * 2 * 3 * 3; n++) {
        struct weir_pipeline *p = build(1 + n % 3 % 2, inits[n % 3], deadlines[n / 3 % 2]);
        struct weir_batch_options options = {.batching = (enum weir_batching)(n / 6 % 3),
                                             .cores = 2,
                                             .within = limits[n / 18 % 3],
                                             .utilization = utilizations[n / 54 % 3],
                                             .factor_max = LAST};
        struct truth truth = try_all(p, &options, LAST);
        struct weir_batch_exploration *e = explore(p, &options);
        assert_int_equal(factor_at(e, e->smallest), truth.smallest);
        assert_int_equal(factor_at(e, e->lowest), truth.lowest);
        assert_int_equal(e->pipeline != NULL, truth.lowest != 0);
        assert_int_equal(e->chosen.factor, truth.lowest);
        assert_table(e);
        if (truth.lowest && (options.within || deadlines[n / 3 % 2])) { /* the largest within is in the table */
            bool found = false;
            for (size_t i = 0; i < e->point_count; i++)
                found |= e->points[i].within && e->points[i].factor == truth.largest;
            assert_true(found);
        }
        weir_batch_exploration_free(e);
        weir_pipeline_free(p);
    }
}

/* What is chosen is what the analysis of the chosen model says. */
TEST(test_chosen)
{
    struct weir_pipeline *p = build(2, 90, 0);
    for (int merge = 0; merge < 2; merge++) {
        struct weir_batch_options options = {.batching = WEIR_BATCH_RATE, .merge = merge, .merged_init_permille = 300};
        struct weir_batch_exploration *e = explore(p, &options);
        struct weir_edf_analysis *a = pool_analyze(e->pipeline, 0);
        double latency = 0;
        for (size_t i = 0; i < a->latency_count; i++)
            latency = value(a->latencies[i].worst) > latency ? value(a->latencies[i].worst) : latency;
        assert_true(latency == value(e->chosen.latency));
        assert_true(value(a->utilization) == value(e->chosen.utilization));
        assert_int_equal(weir_pipeline_operator_count(e->pipeline) + e->merges, 4);
        assert_int_equal(e->merges > 0, merge);
        assert_true(value(e->chosen.latency) <= value(e->points[e->lowest].latency));
        weir_edf_analysis_free(a);
        weir_batch_exploration_free(e);
    }
    weir_pipeline_free(p);
}

/* Fewer operators do with cores that are too few for all of them: 4 x 60 of 100 on two cores, merged 4 x 30 and less. */
TEST(test_only_merged)
{
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 4; i++)
        add_priced(p, (const char *[]){"a", "b", "c", "d"}[i], 55, 5);
    for (uint32_t i = 0; i < 3; i++)
        pool_queue(p, i, i + 1, (const uint32_t[]){1, 1, 1, 0});
    pool_feed(p, 0, 100);
    stage_seal(p);
    struct weir_batch_options options = {.batching = WEIR_BATCH_UNIFORM, .factor_max = 1, .merged_init_permille = 0};
    struct weir_batch_exploration *e = explore(p, &options);
    assert_null(e->pipeline);
    assert_int_equal(e->smallest, e->point_count);
    weir_batch_exploration_free(e);
    options.merge = true;
    e = explore(p, &options);
    assert_non_null(e->pipeline);
    assert_true(e->merges > 0 && e->chosen.within);
    weir_batch_exploration_free(e);
    weir_pipeline_free(p);
}

/* ---- ends ---- */

/* No limit can be kept, or nothing ends the search but its size: it ends all the same. */
TEST(test_ends)
{
    struct weir_pipeline *p = build(2, 90, 1);
    struct weir_batch_options options = {.batching = WEIR_BATCH_RATE};
    struct weir_batch_exploration *e = explore(p, &options);
    assert_null(e->pipeline);
    assert_int_equal(e->lowest, e->point_count);
    assert_true(e->smallest < e->point_count);
    weir_batch_exploration_free(e);
    weir_pipeline_free(p);
    /* Sporadic, and costs that do not grow. */
    p = pool_new(1);
    add_priced(p, "a", 50, 0);
    struct weir_source_spec source = {.op = {0}, .period = 100, .arrivals = WEIR_ARRIVALS_EXACT, .sporadic = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    options.factor_max = 100000;
    e = explore(p, &options);
    assert_non_null(e->pipeline);
    assert_int_equal(e->chosen.factor, 1); /* nothing is lower than alone */
    weir_batch_exploration_free(e);
    weir_pipeline_free(p);
}

/* Utilisation needs a batch of 600, and no more than 715 can be counted. */
TEST(test_not_to_be_counted)
{
    struct weir_pipeline *p = pool_new(1);
    add_priced(p, "a", 60000, 1);
    pool_add(p, 1);
    pool_queue(p, 0, 1, (const uint32_t[]){1500000, 1500000, 1500000, 0});
    pool_feed(p, 0, 110);
    stage_seal(p);
    for (int kind = 0; kind <= WEIR_BATCH_EDGE; kind++) {
        struct weir_batch_options options = {.batching = (enum weir_batching)kind};
        struct weir_batch_exploration *e = explore(p, &options);
        assert_int_equal(factor_at(e, e->smallest), 556); /* 60000 / N + 1 + 1 <= 110 */
        weir_batch_exploration_free(e);
    }
    weir_pipeline_free(p);
}

struct watch {
    bool stop;
    int calls, until;
    unsigned last;
};

static void watch(void *context, unsigned permille)
{
    struct watch *w = context;
    assert_true(permille <= 1000 && permille >= w->last);
    w->last = permille;
    if (++w->calls == w->until)
        __atomic_store_n(&w->stop, true, __ATOMIC_RELAXED);
}

TEST(test_stop)
{
    struct weir_pipeline *p = build(2, 90, 90000);
    for (int until = 0; until < 4; until++) {
        struct watch w = {.stop = until == 0, .until = until};
        struct weir_batch_options options = {
            .batching = WEIR_BATCH_RATE, .merge = true, .stop = &w.stop, .progress = watch, .context = &w};
        struct weir_batch_exploration *e = explore(p, &options);
        assert_true(e->interrupted);
        assert_int_equal(e->pipeline != NULL, until > 0);
        if (until == 0)
            assert_int_equal(e->point_count, 0); /* nothing more is looked at */
        weir_batch_exploration_free(e);
    }
    weir_pipeline_free(p);
}

/* ---- refusing, memory ---- */

TEST(test_refused)
{
    struct weir_pipeline *threads = stage_chain(2, (const int64_t[]){1, 2}, 1), *p = build(2, 5, 0);
    struct weir_batch_options options = {.batching = WEIR_BATCH_RATE};
    struct weir_batch_exploration *e;
    struct weir_error error = {0};
    assert_int_equal(weir_batch_explore(threads, &options, &e, &error), WEIR_INVALID);
    assert_null(e);
    options.batching = (enum weir_batching)9;
    assert_int_equal(weir_batch_explore(p, &options, &e, &error), WEIR_INVALID);
    assert_null(e);
    options = (struct weir_batch_options){.cores = 100000000};
    assert_int_equal(weir_batch_explore(p, &options, &e, &error), WEIR_INVALID);
    assert_null(e);
    weir_batch_exploration_free(NULL);
    weir_pipeline_free(threads);
    weir_pipeline_free(p);
}

static enum weir_status try_to_explore(void *context)
{
    struct weir_batch_options options = {
        .batching = WEIR_BATCH_UNIFORM, .merge = true, .merged_init_permille = 1000, .factor_max = 2};
    struct weir_batch_exploration *e;
    enum weir_status status = weir_batch_explore(context, &options, &e, NULL);
    assert_int_equal(status == WEIR_OK, e != NULL);
    struct weir_answer *answer = NULL;
    if (!status)
        status = weir_batch_answer(context, &options, e, true, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_batch_exploration_free(e);
    return status;
}

TEST(test_memory)
{
    struct weir_pipeline *p = build(4, 5, 0);
    assert_true(stage_fail_each_allocation(try_to_explore, p) > 20);
    weir_pipeline_free(p);
}
