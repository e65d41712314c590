/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of the papers and design notes that are numbers or formulas. */
#include "base/random.h"
#include "support/runner.h"
#include "weir.h"

#include <string.h>

struct op {
    const char *name;
    int64_t best, worst;
};
struct link {
    uint32_t from, to, capacity;
};

static struct weir_pipeline *build(const struct op *ops, size_t op_count, const struct link *links, size_t link_count)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    for (size_t i = 0; i < op_count; i++)
        assert_int_equal(
            weir_pipeline_add_operator(
                p, &(struct weir_operator_spec){.name = ops[i].name, .best = ops[i].best, .worst = ops[i].worst}, NULL, NULL),
            WEIR_OK);
    for (size_t i = 0; i < link_count; i++)
        assert_int_equal(weir_pipeline_add_queue(
                             p,
                             &(struct weir_queue_spec){.from = {links[i].from}, .to = {links[i].to}, .capacity = links[i].capacity},
                             NULL, NULL),
                         WEIR_OK);
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_OK);
    return p;
}

/* Worst response of the first pair; *iteration (may be NULL) gets that of its witness. */
static int64_t worst(struct weir_pipeline *p, bool zero_best, int64_t *iteration)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
    struct weir_query query = {.from = {.op = chain.from, .moment = WEIR_START},
                               .to = {.op = chain.to, .moment = WEIR_FINISH},
                               .assume_zero_best = zero_best};
    struct weir_separation result;
    struct weir_witness *witness;
    assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
    assert_int_equal(result.outcome, WEIR_EXACT);
    assert_int_equal(weir_separation_witness(solver, &query, &witness, NULL), WEIR_OK);
    if (iteration)
        *iteration = witness->iteration;
    weir_witness_free(witness);
    weir_solver_free(solver);
    weir_pipeline_free(p);
    return result.value;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The radar chain with queues of one: the worst case is the largest of five sums. */
TEST(test_radar_chain)
{
    struct weir_random random;
    weir_random_seed(&random, 3);
    for (int i = 0; i < 300; i++) {
        int64_t s = weir_random_between(&random, 0, 500), f = weir_random_between(&random, 0, 500),
                k = weir_random_between(&random, 0, 500);
        const struct op ops[] = {{"source", 0, s}, {"filter", 0, f}, {"sink", 0, k}};
        const struct link links[] = {{0, 1, 1}, {1, 2, 1}};
        int64_t expected = larger(larger(s + f + k, k + f + k), larger(larger(2 * f + k, 2 * k + f), 3 * k));
        assert_int_equal(worst(build(ops, 3, links, 2), false, NULL), expected);
    }
}

/* A longer best case: with best cases of 0 it would be 3640. */
TEST(test_best_case_matters)
{
    const struct op ops[] = {{"A", 960, 960}, {"B", 277, 277}, {"C", 294, 327}, {"D", 218, 728}};
    const struct link links[] = {{0, 1, 2}, {0, 2, 2}, {1, 2, 2}, {2, 3, 2}};
    assert_int_equal(worst(build(ops, COUNT(ops), links, COUNT(links)), true, NULL), 3640);
    assert_int_equal(worst(build(ops, COUNT(ops), links, COUNT(links)), false, NULL), 2292);
}

/* The published search misses paths that mix data and backpressure, and prints 3606. */
TEST(test_mixed_ways)
{
    const struct op ops[] = {{"A", 0, 273}, {"B", 0, 499}, {"C", 0, 373}, {"D", 0, 228}, {"E", 0, 317}, {"F", 0, 896}};
    const struct link links[] = {{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {2, 3, 1}, {2, 5, 1}, {3, 4, 1}, {4, 5, 1}};
    assert_int_equal(worst(build(ops, COUNT(ops), links, COUNT(links)), false, NULL), 2710);
}

/* A faster operator makes the pipeline slower. */
TEST(test_anomaly)
{
    struct op ops[] = {{"1", 100, 100}, {"2", 500, 500}, {"3", 100, 100}, {"4", 400, 400}};
    const struct link links[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}};
    assert_int_equal(worst(build(ops, 4, links, 3), false, NULL), 1500);
    ops[1].best = ops[1].worst = 100;
    assert_int_equal(worst(build(ops, 4, links, 3), false, NULL), 1600);
}

/* HoloHub's example graph: 1200 from the start of the source, 1600 from entry into a queue before it. */
TEST(test_example_graph)
{
    const struct op ops[] = {{"A", 0, 200}, {"B", 0, 300}, {"C", 0, 150}, {"D", 0, 400}};
    const struct link links[] = {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}};
    assert_int_equal(worst(build(ops, 4, links, 4), false, NULL), 1200);
    const struct op queued[] = {{"entry", 0, 0}, {"A", 0, 200}, {"B", 0, 300}, {"C", 0, 150}, {"D", 0, 400}};
    const struct link more[] = {{0, 1, 1}, {1, 2, 1}, {1, 3, 1}, {2, 4, 1}, {3, 4, 1}};
    assert_int_equal(worst(build(queued, 5, more, 5), false, NULL), 1600);
}
