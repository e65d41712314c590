/* SPDX-License-Identifier: Apache-2.0 */
/* The papers' model of a pipeline: what is in it, and what is outside. */
#include "baseline/classic.h"
#include "support/stage.h"

#include <string.h>

#define NO_OPERATOR UINT32_MAX

/* Operators d, a, c, b with the queues a -> b (2), a -> b (3), a -> c, b -> d and c -> d (4). Not sealed. */
static struct weir_pipeline *diamond(void)
{
    static const char *const names[] = {"d", "a", "c", "b"};
    static const uint32_t queues[][3] = {{1, 3, 2}, {1, 3, 3}, {1, 2, 1}, {3, 0, 1}, {2, 0, 4}};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i < 4; i++)
        stage_operator(p, names[i], 0, 10 + i);
    for (size_t i = 0; i < 5; i++)
        stage_queue(p, (struct weir_operator){queues[i][0]}, (struct weir_operator){queues[i][1]}, queues[i][2], 0);
    return p;
}

static void test_numbering(void **state)
{
    (void)state;
    struct weir_pipeline *p = diamond();
    stage_seal(p);
    struct weir_classic_chart chart;
    struct weir_method_result result = {0};
    assert_int_equal(weir_chart_extract(p, 0, &chart, &result, NULL), WEIR_OK);
    assert_true(result.applicable);
    assert_int_equal(chart.node_count, 4);
    assert_int_equal(chart.edge_count, 4);
    assert_int_equal(chart.source, 0);
    assert_int_equal(chart.sink, 3);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t v = 0; v < 4; v++) {
        assert_string_equal(chart.names[v], names[v]);
        struct weir_operator_spec op = weir_pipeline_operator(p, (struct weir_operator){chart.ops[v]});
        assert_string_equal(op.name, names[v]);
        assert_int_equal(chart.worst[v], op.worst);
    }
    assert_true(chart.zero_best);
    static const struct weir_chart_edge edges[] = {{0, 1, 2}, {0, 2, 1}, {1, 3, 1}, {2, 3, 4}}; /* of 2 and 3, the 2 counts */
    assert_memory_equal(chart.edges, edges, sizeof edges);
    static const uint32_t out_first[] = {0, 2, 3, 4, 4}, in_first[] = {0, 0, 1, 2, 4}, in_edges[] = {0, 1, 2, 3};
    assert_memory_equal(chart.out_first, out_first, sizeof out_first);
    assert_memory_equal(chart.in_first, in_first, sizeof in_first);
    assert_memory_equal(chart.in_edges, in_edges, sizeof in_edges);
    weir_chart_free(&chart);
    weir_pipeline_free(p);
}

/* Every method that has no words for it says so instead of answering. */
static void check_refused(struct weir_pipeline *p, uint32_t chain, const char *why)
{
    static const enum weir_method methods[] = {WEIR_METHOD_TGDFS, WEIR_METHOD_RTSS24, WEIR_METHOD_STATESPACE};
    struct weir_method_result result;
    stage_seal(p);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(weir_method_run(p, methods[i], chain, NULL, &result, NULL), WEIR_OK);
        assert_false(result.applicable);
        if (!strstr(result.note, why))
            fail_msg("expected \"%s\" in \"%s\"", why, result.note);
    }
    assert_int_equal(weir_method_run(p, WEIR_METHOD_EXACT, chain, NULL, &result, NULL), WEIR_OK);
    assert_true(result.applicable);
    weir_pipeline_free(p);
}

static struct weir_operator add(struct weir_pipeline *p, const struct weir_operator_spec *spec, uint32_t from, uint32_t to)
{
    struct weir_operator op;
    assert_int_equal(weir_pipeline_add_operator(p, spec, &op, NULL), WEIR_OK);
    if (from != NO_OPERATOR)
        stage_queue(p, (struct weir_operator){from}, op, 1, 0);
    if (to != NO_OPERATOR)
        stage_queue(p, op, (struct weir_operator){to}, 1, 0);
    return op;
}

static void test_operators(void **state)
{
    (void)state;
    struct weir_pipeline *p = diamond();
    add(p, &(struct weir_operator_spec){.name = "pool", .worst = 1, .reentrant = true}, 1, 0);
    check_refused(p, 0, "\"pool\" works on several messages at once");
    p = diamond();
    add(p, &(struct weir_operator_spec){.name = "late", .worst = 5, .receive_min = 1, .receive_max = 2}, 1, 0);
    check_refused(p, 0, "\"late\" frees its input later");
    p = diamond();
    stage_period(p, (struct weir_operator){1}, 100, WEIR_ARRIVALS_AT_MOST);
    check_refused(p, 0, "\"a\" has a period");
    p = diamond();
    stage_period(p, (struct weir_operator){1}, 100, WEIR_ARRIVALS_EXACT);
    check_refused(p, 0, "\"a\" has a period");
}

static void add_queue(struct weir_pipeline *p, struct weir_queue_spec spec)
{
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

static void test_queues(void **state)
{
    (void)state;
    struct weir_operator d = {0}, a = {1};
    struct weir_pipeline *p = diamond();
    add_queue(p, (struct weir_queue_spec){.from = d, .to = a, .capacity = 2, .initial = 2});
    add(p, &(struct weir_operator_spec){.name = "in", .worst = 1}, NO_OPERATOR, 1);
    add(p, &(struct weir_operator_spec){.name = "out", .worst = 1}, 0, NO_OPERATOR);
    check_refused(p, 0, "from \"d\" to \"a\" begins with messages");
    p = diamond();
    add_queue(p, (struct weir_queue_spec){.from = a, .to = d, .capacity = WEIR_UNBOUNDED});
    check_refused(p, 0, "from \"a\" to \"d\" is unbounded");
    p = diamond();
    add_queue(p, (struct weir_queue_spec){.from = a, .to = d, .capacity = 1, .nonblocking = true});
    check_refused(p, 0, "from \"a\" to \"d\" does not hold its producer back");
}

static void test_ends(void **state)
{
    (void)state;
    struct weir_operator d = {0}, a = {1}, c = {2};
    struct weir_pipeline *p = diamond();
    add(p, &(struct weir_operator_spec){.name = "second", .worst = 1}, NO_OPERATOR, 0);
    check_refused(p, 0, "2 sources");
    p = diamond();
    add(p, &(struct weir_operator_spec){.name = "log", .worst = 1}, 1, NO_OPERATOR);
    check_refused(p, 0, "2 sinks");
    p = diamond();
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = c, .to = d}, NULL), WEIR_OK);
    check_refused(p, 0, "not that from the source to the sink");
    p = diamond();
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = a, .to = c}, NULL), WEIR_OK);
    check_refused(p, 0, "not that from the source to the sink");
    p = diamond();
    struct weir_chain_spec later = {.from = a, .to = d, .has_shift = true, .shift = 2};
    assert_int_equal(weir_pipeline_add_chain(p, &later, NULL), WEIR_OK);
    check_refused(p, 0, "2 iterations away");
}

/* A broadcast is an operator like any other. */
static void test_broadcast(void **state)
{
    (void)state;
    struct weir_pipeline *p = diamond();
    add(p, &(struct weir_operator_spec){.name = "fan", .broadcast = true}, 1, 0);
    stage_seal(p);
    struct weir_method_result result;
    assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, 0, NULL, &result, NULL), WEIR_OK);
    assert_true(result.applicable && result.outcome == WEIR_EXACT);
    weir_pipeline_free(p);
}

static void test_dispatch(void **state)
{
    (void)state;
    struct weir_method_result result;
    struct weir_error error;
    const char *why;
    static const char *const names[] = {"exact", "tgdfs", "rtss24", "statespace", "smt"};
    for (int method = 0; method < WEIR_METHODS; method++)
        assert_string_equal(weir_method_name((enum weir_method)method), names[method]);
    assert_false(weir_method_available(WEIR_METHODS, &why));
    assert_non_null(why);
    assert_true(weir_method_available(WEIR_METHOD_TGDFS, &why));
    assert_null(why);
    struct weir_pipeline *p = diamond();
    assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, 0, NULL, &result, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "not sealed"));
    stage_seal(p);
    assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, 1, NULL, &result, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "no chain 1"));
    assert_int_equal(weir_method_run(p, WEIR_METHODS, 0, NULL, &result, &error), WEIR_INVALID);
    assert_int_equal(weir_method_run(p, WEIR_METHOD_EXACT, 0, NULL, &result, &error), WEIR_OK);
    assert_true(result.applicable && result.safe && result.exact && result.outcome == WEIR_EXACT);
    weir_pipeline_free(p);
}

static enum weir_status extract(void *pipeline)
{
    struct weir_classic_chart chart;
    struct weir_method_result result = {0};
    enum weir_status status = weir_chart_extract(pipeline, 0, &chart, &result, NULL);
    weir_chart_free(&chart);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    struct weir_pipeline *p = diamond();
    stage_seal(p);
    assert_true(stage_fail_each_allocation(extract, p) > 5);
    weir_pipeline_free(p);
}

int chart_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbering), cmocka_unit_test(test_operators),
                                       cmocka_unit_test(test_queues),    cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_broadcast), cmocka_unit_test(test_dispatch),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
