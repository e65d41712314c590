/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of cores: what a pipeline may say of it, and the flow that it becomes when it is sealed. */
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

#define TIME_LIMIT (INT64_C(1) << 60)

static const struct weir_operator a = {0}, b = {1}, c = {2}, d = {3};

/* Operators a, b, c ... in lines 1, 2, 3 ..., of cost 2. */
static struct weir_pipeline *pool(uint32_t count)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(p, 2, NULL), WEIR_OK);
    for (uint32_t i = 0; i < count; i++) {
        char name[2] = {(char)('a' + i), 0};
        struct weir_operator_spec spec = {.name = name, .best = 1, .worst = 2, .place = {i + 1, 1}};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    }
    return p;
}

/* Another cost for an operator, said in another line. */
static void change(struct weir_pipeline *p, struct weir_operator op, struct weir_operator_spec spec)
{
    spec.name = weir_pipeline_operator(p, op).name;
    assert_int_equal(weir_pipeline_change_operator(p, op, &spec, NULL), WEIR_OK);
}

/* In lines 51, 52 ... */
static void join(struct weir_pipeline *p, struct weir_operator from, struct weir_operator to, const uint32_t rates[4])
{
    struct weir_queue_spec spec = {.from = from,
                                   .to = to,
                                   .capacity = WEIR_AUTO,
                                   .produce = rates[0],
                                   .consume = rates[1],
                                   .threshold = rates[2],
                                   .initial = rates[3],
                                   .place = {51 + weir_pipeline_queue_count(p), 1}};
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

/* In lines 101, 102 ... */
static void feed(struct weir_pipeline *p, struct weir_source_spec spec)
{
    spec.place = (struct weir_place){101 + weir_pipeline_source_count(p), 1};
    assert_int_equal(weir_pipeline_add_source(p, &spec, NULL), WEIR_OK);
}

/* In lines 61, 62 ... */
static void measure(struct weir_pipeline *p, struct weir_chain_spec spec)
{
    spec.place = (struct weir_place){61 + weir_pipeline_chain_count(p), 1};
    assert_int_equal(weir_pipeline_add_chain(p, &spec, NULL), WEIR_OK);
}

/* Seals, compares the mistakes, "line: words" each in a line of its own, and frees the pipeline. */
static void assert_mistakes(struct weir_pipeline *p, enum weir_status expected_status, const char *expected)
{
    struct weir_errors *errors = weir_errors_new();
    char text[4096] = "";
    assert_int_equal(weir_pipeline_seal(p, "model", errors), expected_status);
    assert_false(weir_pipeline_sealed(p));
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%u: %s\n", e->line, e->message);
    }
    assert_string_equal(text, expected);
    weir_errors_free(errors);
    weir_pipeline_free(p);
}

static const uint32_t one[4] = {0, 0, 0, 0}; /* 0 stands for 1 */

static void test_rates(void **state)
{
    (void)state;
    struct weir_pipeline *p = pool(4);
    join(p, c, d, (const uint32_t[]){3, 2, 5, 4}); /* not in the order of the graph */
    join(p, a, b, (const uint32_t[]){1, 4, 0, 0});
    join(p, b, c, (const uint32_t[]){6, 1, 0, 0});
    join(p, a, c, (const uint32_t[]){3, 2, 3, 0}); /* agrees */
    join(p, a, c, (const uint32_t[]){6, 4, 9, 0});
    feed(p, (struct weir_source_spec){.op = a, .period = 1000, .count = 44, .batch = 3});
    stage_seal(p);
    const struct weir_flow *f = p->flow;
    assert_int_equal(f->part_count, 1);
    assert_int_equal(f->order[0], 0);
    assert_int_equal(f->order[3], 3);
    static const int64_t periods[4][2] = {{750, 11}, {3000, 11}, {500, 11}, {1000, 33}}, rounds[] = {4, 1, 6, 9};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f->nodes[i].period.numerator, periods[i][0]);
        assert_int_equal(f->nodes[i].period.denominator, periods[i][1]);
        assert_int_equal(f->nodes[i].cost, 2);
        assert_int_equal(f->nodes[i].repetitions, rounds[i]);
    }
    weir_wide round;
    assert_true(weir_flow_round(f, &round));
    assert_int_equal(round >> WEIR_ROUND_BITS, 20);
    assert_int_equal(f->edges[0].threshold, 5);
    assert_int_equal(f->edges[0].initial, 4);
    assert_int_equal(f->edges[1].threshold, 4);
    assert_int_equal(weir_pipeline_chain_count(p), 1);
    weir_pipeline_free(p);
}

static void test_parts(void **state)
{
    (void)state;
    struct weir_pipeline *p = pool(4);
    join(p, d, b, one);
    join(p, c, a, one);
    feed(p, (struct weir_source_spec){.op = d, .period = 10});
    feed(p, (struct weir_source_spec){.op = c, .period = 15});
    stage_seal(p);
    assert_int_equal(p->flow->part_count, 2);
    assert_int_equal(p->flow->nodes[0].part, p->flow->nodes[2].part);
    assert_int_equal(p->flow->nodes[1].part, p->flow->nodes[3].part);
    assert_int_not_equal(p->flow->nodes[0].part, p->flow->nodes[1].part);
    assert_int_equal(p->flow->nodes[0].repetitions, 1);
    assert_int_equal(weir_pipeline_chain_count(p), 2);
    weir_pipeline_free(p);
}

static void test_costs(void **state)
{
    (void)state;
    struct weir_pipeline *p = pool(3);
    struct weir_operator_spec spec = {.has_cost = true, .cost_init = 100, .cost_sample = 7};
    for (uint32_t i = 0; i < 3; i++)
        change(p, (struct weir_operator){i}, spec);
    join(p, a, b, (const uint32_t[]){5, 5, 0, 0});
    join(p, a, c, (const uint32_t[]){2, 2, 0, 0});
    join(p, b, c, (const uint32_t[]){9, 9, 9, 0});
    feed(p, (struct weir_source_spec){.op = a, .period = 1000, .batch = 12});
    stage_seal(p);
    static const int64_t costs[] = {184, 135, 163};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(p->flow->nodes[i].cost, costs[i]);
        assert_int_equal(p->flow->nodes[i].best, 0);
        assert_int_equal(weir_pipeline_operator(p, (struct weir_operator){i}).worst, costs[i]);
    }
    weir_pipeline_free(p);
}

static void test_mistakes(void **state)
{
    (void)state;
    struct weir_pipeline *p = pool(3); /* all costs are looked at, not only the first */
    struct weir_operator_spec nothing = {.place = {7, 1}},
                              huge = {.has_cost = true, .cost_sample = TIME_LIMIT / 2, .place = {8, 1}};
    change(p, a, nothing);
    change(p, b, nothing);
    change(p, c, huge);
    join(p, a, b, one);
    join(p, a, c, (const uint32_t[]){2, 2, 0, 0});
    feed(p, (struct weir_source_spec){.op = a, .period = 10});
    assert_mistakes(
        p, WEIR_INVALID,
        "7: operator \"a\" costs nothing; on a pool of cores every operator takes time\n7: operator \"b\" costs nothing; on a pool "
        "of cores every operator takes time\n8: operator \"c\" costs more than can be represented; use a coarser unit\n");

    p = pool(4);
    join(p, a, b, one);
    join(p, b, c, one);
    join(p, c, b, one);
    feed(p, (struct weir_source_spec){.op = b, .period = 10, .bursty = true, .sporadic = true, .jitter = 1});
    assert_mistakes(p, WEIR_INVALID,
                    "1: operator \"a\" has no input and no source; give it a rate or a period\n"
                    "2: operator \"b\" is on or downstream of a cycle of queues; a pool of cores is analysed without feedback\n"
                    "4: operator \"d\" has no input and no source; give it a rate or a period\n"
                    "101: the source of operator \"b\" is both bursty and sporadic\n"
                    "101: the source of operator \"b\" has jitter, but its arrivals are not even\n"
                    "101: operator \"b\" has both input and a source\n");

    p = pool(3);
    join(p, a, b, one);
    join(p, a, c, (const uint32_t[]){1, 2, 0, 0});
    join(p, b, c, one);
    feed(p, (struct weir_source_spec){.op = a, .period = 10});
    assert_mistakes(p, WEIR_INVALID,
                    "53: rates do not agree: \"c\" would execute more or less often for the input from \"b\" than for its other "
                    "inputs\n");
}

static void test_chains(void **state)
{
    (void)state;
    struct weir_pipeline *p = pool(4);
    join(p, a, c, one);
    join(p, b, d, one);
    feed(p, (struct weir_source_spec){.op = a, .period = 10});
    feed(p, (struct weir_source_spec){.op = b, .period = 10});
    measure(p, (struct weir_chain_spec){.from = a, .to = c});
    measure(p, (struct weir_chain_spec){.from = b, .to = c});
    measure(p, (struct weir_chain_spec){.from = a, .to = d, .has_shift = true, .shift = 2});
    measure(p, (struct weir_chain_spec){.from = c, .to = c});
    measure(p, (struct weir_chain_spec){.from = b, .to = b});
    assert_mistakes(
        p, WEIR_INVALID,
        "62: no path of queues leads from \"b\" to \"c\", so there is no latency to measure\n63: no path of queues leads from "
        "\"a\" to \"d\", so there is no latency to measure\n63: a latency to \"d\" with an offset is not supported on a pool of "
        "cores\n64: on a pool of cores a latency begins at an operator with a source, which \"c\" is not\n");
}

static void test_range(void **state)
{
    (void)state;
    struct weir_pipeline *p = pool(3);
    join(p, a, b, (const uint32_t[]){1, 1 << 30, 0, 0});
    join(p, b, c, (const uint32_t[]){1, 1 << 30, 0, 0});
    feed(p, (struct weir_source_spec){.op = a, .period = 3});
    assert_mistakes(p, WEIR_OVERFLOW, "3: the period of operator \"c\" cannot be represented: rates or units are too far apart\n");
    p = pool(4);
    join(p, a, b, (const uint32_t[]){1, 1000003, 0, 0});
    join(p, a, c, (const uint32_t[]){1, 1000033, 0, 0});
    join(p, a, d, (const uint32_t[]){1, 1000037, 0, 0});
    feed(p, (struct weir_source_spec){.op = a, .period = 1000});
    assert_mistakes(p, WEIR_OVERFLOW,
                    "4: with operator \"d\", the time until the graph is back in its initial state cannot be represented: rates "
                    "have too few common factors\n");
}

static enum weir_status seal_one(void *context)
{
    (void)context;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    if (!p)
        return WEIR_MEMORY;
    enum weir_status status = weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL);
    if (!status)
        status = weir_pipeline_set_cores(p, 1, NULL);
    for (uint32_t i = 0; i < 3 && !status; i++) {
        char name[2] = {(char)('a' + i), 0};
        status = weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = name, .worst = 1}, NULL, NULL);
    }
    for (uint32_t i = 1; i < 3 && !status; i++)
        status = weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = a, .to = {i}, .capacity = WEIR_AUTO}, NULL, NULL);
    if (!status)
        status = weir_pipeline_add_source(p, &(struct weir_source_spec){.op = a, .period = 10}, NULL);
    if (!status)
        status = weir_pipeline_seal(p, NULL, NULL);
    weir_pipeline_free(p);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(stage_fail_each_allocation(seal_one, NULL) > 10);
}

int flow_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates),    cmocka_unit_test(test_parts),  cmocka_unit_test(test_costs),
                                       cmocka_unit_test(test_mistakes), cmocka_unit_test(test_chains), cmocka_unit_test(test_range),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
