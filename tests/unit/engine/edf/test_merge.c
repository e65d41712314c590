/* SPDX-License-Identifier: Apache-2.0 */
/* One operator in place of two: what is legal, what it costs, what is carried over. */
#include "pool.h"
#include "support/runner.h"

#include <string.h>

static const uint32_t one[] = {1, 1, 1, 0};

static struct weir_pipeline *merge(const struct weir_pipeline *p, uint32_t first, uint32_t second, uint32_t permille)
{
    struct weir_pipeline *merged;
    struct weir_error error = {0};
    if (weir_pipeline_merge(p, (struct weir_operator){first}, (struct weir_operator){second}, permille, &merged, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return merged;
}

static void assert_refused(const struct weir_pipeline *p, uint32_t first, uint32_t second, const char *why)
{
    struct weir_pipeline *merged = NULL;
    struct weir_error error = {0};
    enum weir_status status =
        weir_pipeline_merge(p, (struct weir_operator){first}, (struct weir_operator){second}, 1000, &merged, &error);
    assert_int_equal(status, WEIR_INVALID);
    assert_null(merged);
    if (!strstr(error.message, why))
        fail_msg("\"%s\" is not in \"%s\"", why, error.message);
}

static void add_priced(struct weir_pipeline *p, const char *name, int64_t init, int64_t sample)
{
    struct weir_operator_spec spec = {.name = name, .has_cost = true, .cost_init = init, .cost_sample = sample};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
}

static struct weir_operator_spec find(const struct weir_pipeline *p, const char *name)
{
    struct weir_operator op;
    if (!weir_pipeline_find(p, name, &op))
        fail_msg("there is no %s", name);
    return weir_pipeline_operator(p, op);
}

/* ---- serial ---- */

TEST(test_serial)
{
    struct weir_pipeline *p = pool_new(3);
    for (int64_t cost = 1; cost <= 4; cost++)
        pool_add(p, 10 * cost);
    for (uint32_t i = 0; i < 3; i++)
        pool_queue(p, i, i + 1, one);
    pool_feed(p, 0, 100);
    stage_seal(p);
    struct weir_pipeline *m = merge(p, 1, 2, 1000);
    assert_int_equal(weir_pipeline_operator_count(m), 3);
    assert_int_equal(weir_pipeline_queue_count(m), 2);
    assert_int_equal(weir_pipeline_cores(m), 3);
    assert_int_equal(find(m, "b+c").worst, 50);
    assert_int_equal(find(m, "d").worst, 40);
    /* Everybody has a core: a path of four ends becomes one of three. */
    struct weir_edf_analysis *before = pool_published(p, 4), *after = pool_published(m, 4);
    assert_ratio(before->latencies[0].worst, 100, 1);
    assert_ratio(after->latencies[0].worst, 100, 1);
    weir_edf_analysis_free(before);
    weir_edf_analysis_free(after);
    /* Again and again, into the source. */
    struct weir_pipeline *n = merge(m, 0, 1, 1000), *all = merge(n, 0, 1, 1000);
    assert_int_equal(weir_pipeline_operator_count(all), 1);
    assert_int_equal(weir_pipeline_operator(all, (struct weir_operator){0}).worst, 100);
    assert_string_equal(weir_pipeline_operator(all, (struct weir_operator){0}).name, "a+b+c+d");
    assert_int_equal(weir_pipeline_source_count(all), 1);
    struct weir_edf_analysis *a = pool_published(all, 0);
    assert_ratio(a->latencies[0].worst, 100, 1);
    weir_edf_analysis_free(a);
    weir_pipeline_free(all);
    weir_pipeline_free(n);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
}

/* The one that is put away stands before the other in the list. */
TEST(test_renumbered)
{
    struct weir_pipeline *p = pool_new(2);
    for (int64_t cost = 1; cost <= 4; cost++)
        pool_add(p, cost);
    pool_queue(p, 3, 2, one); /* d -> c -> a, d -> b */
    pool_queue(p, 2, 0, one);
    pool_queue(p, 3, 1, one);
    pool_feed(p, 3, 100);
    stage_deadline(p, 3, 0, 77);
    stage_deadline(p, 3, 1, 66);
    stage_seal(p);
    struct weir_pipeline *m = merge(p, 2, 0, 1000);
    struct weir_operator op, source;
    assert_true(weir_pipeline_find(m, "c+a", &op));
    assert_true(weir_pipeline_find(m, "d", &source));
    assert_int_equal(weir_pipeline_operator(m, op).worst, 4);
    assert_int_equal(weir_pipeline_source(m, 0).op.index, source.index);
    assert_int_equal(weir_pipeline_chain_count(m), 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_chain_spec got = weir_pipeline_chain(m, i);
        assert_int_equal(got.from.index, source.index);
        assert_int_equal(got.deadline, got.to.index == op.index ? 77 : 66);
    }
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(weir_pipeline_queue(m, (struct weir_queue){i}).from.index, source.index);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
}

TEST(test_serial_refused)
{
    static const struct {
        uint32_t rates[4];
        const char *why;
    } cases[] = {
        {{2, 1, 1, 0}, "equally often"},
        {{1, 2, 2, 0}, "equally often"},
        {{2, 2, 3, 0}, "more than one execution"},
        {{2, 2, 3, 1}, "more than one execution"},
        {{1, 1, 1, 1}, "samples wait between them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_pipeline *p = pool_new(2);
        pool_add(p, 1);
        pool_add(p, 1);
        pool_queue(p, 0, 1, cases[i].rates);
        pool_feed(p, 0, 100);
        stage_seal(p);
        assert_refused(p, 0, 1, cases[i].why);
        assert_refused(p, 0, 0, "two operators");
        assert_refused(p, 0, 2, "two operators");
        assert_refused(p, 9, 0, "two operators");
        weir_pipeline_free(p);
    }
}

/* a -> b -> c and a -> c: a and c would wait for themselves by way of b. */
TEST(test_ways_around)
{
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 6; i++)
        pool_add(p, 1);
    pool_queue(p, 5, 0, one);
    pool_queue(p, 0, 1, one);
    pool_queue(p, 1, 2, one);
    pool_queue(p, 0, 2, one);
    pool_queue(p, 2, 3, one);
    pool_queue(p, 0, 4, one);
    pool_feed(p, 5, 100);
    stage_seal(p);
    assert_refused(p, 0, 2, "wait for the merged one");
    assert_refused(p, 2, 0, "no operator feeds both"); /* the other way round */
    assert_refused(p, 1, 3, "no operator feeds both");
    assert_refused(p, 3, 4, "no operator feeds both");
    assert_refused(p, 2, 1, "between them"); /* both read from a, but one from the other as well */
    struct weir_pipeline *m = merge(p, 1, 2, 1000);
    assert_int_equal(weir_pipeline_queue_count(m), 5); /* two from a to b+c */
    weir_pipeline_free(m);
    m = merge(p, 1, 4, 1000);
    assert_non_null(m);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
}

TEST(test_source_and_input)
{
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 3; i++)
        pool_add(p, 1);
    pool_queue(p, 0, 2, one);
    pool_queue(p, 1, 2, one);
    pool_feed(p, 0, 100);
    pool_feed(p, 1, 100);
    stage_seal(p);
    assert_refused(p, 0, 2, "has a source");
    weir_pipeline_free(p);
    p = stage_chain(2, (const int64_t[]){1, 2}, 1);
    assert_refused(p, 0, 1, "");
    weir_pipeline_free(p);
}

/* ---- parallel ---- */

TEST(test_parallel)
{
    struct weir_pipeline *p = pool_new(2);
    for (int64_t cost = 1; cost <= 5; cost++)
        pool_add(p, cost);
    pool_queue(p, 0, 1, (const uint32_t[]){4, 2, 3, 1});
    pool_queue(p, 0, 2, (const uint32_t[]){6, 3, 3, 0});
    pool_queue(p, 0, 3, one);
    pool_queue(p, 2, 4, one);
    pool_feed(p, 0, 100);
    stage_seal(p);
    assert_refused(p, 1, 3, "equally often");
    struct weir_pipeline *m = merge(p, 1, 2, 1000);
    assert_int_equal(find(m, "b+c").worst, 5);
    assert_int_equal(weir_pipeline_queue_count(m), 4);
    /* b was a leaf, and b+c is none: its latency stays. */
    assert_int_equal(weir_pipeline_chain_count(m), 3);
    struct weir_edf_analysis *a = pool_published(m, 0);
    assert_true(a->schedulable);
    weir_edf_analysis_free(a);
    weir_pipeline_free(m);
    /* Two leaves become one: nothing to keep. */
    struct weir_pipeline *leaves = pool_new(2);
    for (int i = 0; i < 3; i++)
        pool_add(leaves, 1);
    pool_queue(leaves, 0, 1, one);
    pool_queue(leaves, 0, 2, one);
    pool_feed(leaves, 0, 100);
    stage_seal(leaves);
    m = merge(leaves, 2, 1, 1000);
    assert_int_equal(weir_pipeline_chain_count(m), 1);
    assert_string_equal(weir_pipeline_operator(m, weir_pipeline_chain(m, 0).to).name, "c+b");
    weir_pipeline_free(m);
    weir_pipeline_free(leaves);
    weir_pipeline_free(p);
}

/* ---- costs ---- */

/* a -> b -> c with costs 100 + 3 n, 40 + 2 n and a time of 9, in batches of 7. */
static struct weir_pipeline *build_priced(void)
{
    struct weir_pipeline *p = pool_new(2);
    static const uint32_t rates[] = {7, 7, 7, 0};
    add_priced(p, "a", 100, 3);
    add_priced(p, "b", 40, 2);
    pool_add(p, 9);
    pool_queue(p, 0, 1, rates);
    pool_queue(p, 1, 2, rates);
    struct weir_source_spec source = {.op = {0}, .period = 100, .arrivals = WEIR_ARRIVALS_EXACT, .batch = 7};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

TEST(test_costs)
{
    struct weir_pipeline *p = build_priced();
    static const struct {
        uint32_t permille;
        int64_t init;
    } cases[] = {{1000, 140}, {0, 100}, {250, 110}, {333, 114}, {1, 101}, {2000, 180}}; /* 40 * 0.333 is 13.32: rounded up */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_pipeline *m = merge(p, 0, 1, cases[i].permille);
        struct weir_operator_spec o = find(m, "a+b");
        assert_true(o.has_cost);
        assert_int_equal(o.cost_init, cases[i].init);
        assert_int_equal(o.cost_sample, 5);
        assert_int_equal(o.worst, cases[i].init + 35);
        weir_pipeline_free(m);
    }
    weir_pipeline_free(p);
}

/* 9 does not divide by 7: an execution of 7 samples costs what it should, one of more at least that. */
TEST(test_costs_rounded_up)
{
    struct weir_pipeline *p = build_priced(), *m = merge(p, 1, 2, 1000), *twice;
    struct weir_operator_spec o = find(m, "b+c");
    assert_int_equal(o.worst, 40 + 14 + 9);
    assert_int_equal(o.cost_sample, 4); /* 23 / 7 */
    assert_int_equal(o.cost_init, 40 + 23 - 28);
    assert_int_equal(weir_pipeline_batch(m, WEIR_BATCH_UNIFORM, 3, &twice, NULL), WEIR_OK);
    assert_true(find(twice, "b+c").worst >= 40 + 3 * 23);
    weir_pipeline_free(twice);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
    /* Where init cannot make up for it, the cost is above. */
    p = pool_new(1);
    add_priced(p, "a", 1, 0);
    pool_add(p, 2);
    pool_queue(p, 0, 1, (const uint32_t[]){9, 9, 9, 0});
    struct weir_source_spec source = {.op = {0}, .period = 100, .arrivals = WEIR_ARRIVALS_EXACT, .batch = 9};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    m = merge(p, 0, 1, 1000);
    assert_int_equal(find(m, "a+b").worst, 9);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
}

TEST(test_costs_too_large)
{
    struct weir_pipeline *p = pool_new(2), *m = NULL;
    int64_t huge = (INT64_C(1) << 59) + (INT64_C(1) << 58);
    add_priced(p, "a", huge, 1);
    add_priced(p, "b", huge, 1);
    pool_queue(p, 0, 1, one);
    pool_feed(p, 0, (INT64_C(1) << 60) - 1);
    stage_seal(p);
    struct weir_error error = {0};
    for (uint32_t permille = 1000; permille >= 1000; permille *= 64) {
        assert_int_equal(weir_pipeline_merge(p, (struct weir_operator){0}, (struct weir_operator){1}, permille, &m, &error),
                         WEIR_OVERFLOW);
        assert_null(m);
        if (permille > UINT32_MAX / 64)
            break;
    }
    m = merge(p, 0, 1, 0);
    assert_int_equal(find(m, "a+b").worst, huge + 2);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
}

/* ---- names, memory ---- */

TEST(test_names)
{
    static const char *const names[] = {"a", "b", "a+b", "a+b+"};
    struct weir_pipeline *p = pool_new(2);
    for (size_t i = 0; i < 4; i++) {
        struct weir_operator_spec spec = {.name = names[i], .worst = 1};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i < 3; i++)
        pool_queue(p, i, i + 1, one);
    pool_feed(p, 0, 100);
    assert_int_equal(weir_pipeline_set_name(p, "names", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_MS, 3, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_pipeline *m = merge(p, 0, 1, 1000);
    assert_true(weir_pipeline_find(m, "a+b++", NULL));
    assert_string_equal(weir_pipeline_name(m), "names");
    assert_int_equal(weir_pipeline_unit(m), WEIR_UNIT_MS);
    assert_int_equal(weir_pipeline_digits(m), 3);
    weir_pipeline_free(m);
    weir_pipeline_free(p);
}

static enum weir_status try_to_merge(void *context)
{
    struct weir_pipeline *merged;
    enum weir_status status =
        weir_pipeline_merge(context, (struct weir_operator){0}, (struct weir_operator){1}, 500, &merged, NULL);
    assert_int_equal(status == WEIR_OK, merged != NULL);
    weir_pipeline_free(merged);
    return status;
}

TEST(test_memory)
{
    struct weir_pipeline *p = build_priced();
    assert_true(stage_fail_each_allocation(try_to_merge, p) > 10);
    weir_pipeline_free(p);
}
