/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thirty flows whose numbers were computed by other means. golden.txt has for each: cores, operators, queues, period of the source,
 * utilisation, whether no deadline is missed, x; a line per queue: from, to, produce, threshold, consume; a line per operator:
 * cost, period, repetitions, and as ratios the response by compliant vectors, the best response, offset, latency from the source,
 * offset where the source is sporadic; the capacities.
 */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

struct flow {
    int64_t cores, nodes, edges, period, utilization[2], no_miss, x[2];
    int64_t edge[16][5];
    int64_t cost[16], repetitions[16], node_period[16], compliant[16][2], response[16][2], offset[16][2], latency[16][2],
        sporadic[16][2], buffer[16];
};

/* The next number in the text; the text goes on behind it. */
static int64_t number(const char **text)
{
    char *end;
    long long value = strtoll(*text, &end, 10);
    assert_ptr_not_equal(end, *text);
    *text = end;
    return value;
}

static void ratio(const char **text, int64_t value[2])
{
    value[0] = number(text);
    value[1] = number(text);
}

static bool read_flow(const char **text, struct flow *f)
{
    *text += strspn(*text, " \n");
    if (**text == '\0')
        return false;
    f->cores = number(text);
    f->nodes = number(text);
    f->edges = number(text);
    f->period = number(text);
    assert_in_range(f->nodes, 1, 16);
    assert_in_range(f->edges, 0, 16);
    ratio(text, f->utilization);
    f->no_miss = number(text);
    ratio(text, f->x);
    for (int64_t i = 0; i < f->edges; i++)
        for (int k = 0; k < 5; k++)
            f->edge[i][k] = number(text);
    for (int64_t v = 0; v < f->nodes; v++) {
        f->cost[v] = number(text);
        f->node_period[v] = number(text);
        f->repetitions[v] = number(text);
        ratio(text, f->compliant[v]);
        ratio(text, f->response[v]);
        ratio(text, f->offset[v]);
        ratio(text, f->latency[v]);
        ratio(text, f->sporadic[v]);
    }
    for (int64_t i = 0; i < f->edges; i++)
        f->buffer[i] = number(text);
    return true;
}

static struct weir_pipeline *build(const struct flow *f, bool sporadic)
{
    struct weir_pipeline *p = pool_new((uint32_t)f->cores);
    for (int64_t v = 0; v < f->nodes; v++)
        pool_add(p, f->cost[v]);
    for (int64_t i = 0; i < f->edges; i++)
        pool_queue(p, (uint32_t)f->edge[i][0], (uint32_t)f->edge[i][1],
                   (const uint32_t[]){(uint32_t)f->edge[i][2], (uint32_t)f->edge[i][4], (uint32_t)f->edge[i][3], 0});
    struct weir_source_spec source = {.op = {0}, .period = f->period, .arrivals = WEIR_ARRIVALS_EXACT, .sporadic = sporadic};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    for (uint32_t v = 0; v < (uint32_t)f->nodes; v++)
        assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {0}, .to = {v}}, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

static void compare_operators(const struct flow *f, const struct weir_edf_analysis *a)
{
    for (int64_t v = 0; v < f->nodes; v++) {
        const struct weir_edf_operator *o = &a->operators[v];
        assert_ratio(o->period, f->node_period[v], 1);
        /* of some round of the graph, not always the shortest */
        assert_int_equal(o->repetitions * f->repetitions[0], f->repetitions[v] * a->operators[0].repetitions);
        assert_true(o->repetitions <= f->repetitions[v]);
        assert_int_equal(o->cost, f->cost[v]);
        assert_true(o->applies[WEIR_EDF_COMPLIANT]);
        assert_ratio(o->responses[WEIR_EDF_COMPLIANT], f->compliant[v][0], f->compliant[v][1]);
        assert_ratio(o->response, f->response[v][0], f->response[v][1]);
        assert_int_equal(o->applies[WEIR_EDF_NO_MISS], f->no_miss || f->cores == 1);
        assert_int_equal(o->applies[WEIR_EDF_ALONE], f->nodes <= f->cores);
        assert_true(o->applies[WEIR_EDF_DEVI_ANDERSON]);
        struct weir_ratio tardy = o->responses[WEIR_EDF_DEVI_ANDERSON];
        int64_t less = f->node_period[v] + f->cost[v];
        assert_ratio(((struct weir_ratio){tardy.numerator - less * tardy.denominator, tardy.denominator}), f->x[0], f->x[1]);
    }
}

static void compare(const struct flow *f)
{
    struct weir_pipeline *p = build(f, false);
    struct weir_edf_analysis *a = pool_published(p, 0);
    assert_true(a->schedulable);
    assert_false(a->sporadic);
    assert_null(a->why);
    assert_ratio(a->utilization, f->utilization[0], f->utilization[1]);
    compare_operators(f, a);
    int64_t total = 0;
    for (int64_t v = 0; v < f->nodes; v++) {
        assert_ratio(a->operators[v].offset, f->offset[v][0], f->offset[v][1]);
        assert_ratio(a->latencies[v].worst, f->latency[v][0], f->latency[v][1]);
        assert_ratio(a->latencies[v].gathering, 0, 1);
    }
    for (int64_t i = 0; i < f->edges; i++) {
        assert_int_equal(a->buffers[i].capacity, f->buffer[i]);
        total += f->buffer[i];
    }
    assert_int_equal(a->buffer_total, total);
    assert_true(a->verified);
    weir_edf_analysis_free(a);
    weir_pipeline_free(p);

    p = build(f, true);
    a = pool_published(p, 0);
    assert_true(a->sporadic);
    compare_operators(f, a);
    for (int64_t v = 0; v < f->nodes; v++) {
        assert_ratio(a->operators[v].offset, f->sporadic[v][0], f->sporadic[v][1]);
        assert_true(a->latencies[v].bounded);
    }
    weir_edf_analysis_free(a);
    weir_pipeline_free(p);
}

static void test_golden(void **state)
{
    (void)state;
    static char numbers[1 << 16];
    const char *text = numbers;
    struct flow f;
    int count = 0;
    FILE *file = fopen(WEIR_TEST_DIR "/golden.txt", "r");
    assert_non_null(file);
    assert_in_range(fread(numbers, 1, sizeof numbers - 1, file), 1, sizeof numbers - 2);
    fclose(file);
    for (; read_flow(&text, &f); count++)
        compare(&f);
    assert_int_equal(count, 30);
}

int analyze_golden_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
