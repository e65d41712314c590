/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over lines: the same answers as over rows, and answers where rows are too many. */
#include "asking.h"

#include "engine/exact/lines.h"
#include "engine/exact/solver.h"
#include "support/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same as over rows ---- */

static struct weir_solver *solver_of(const struct weir_pipeline *p, uint64_t lines_from)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    assert_non_null(solver);
    solver->lines_from = lines_from;
    return solver;
}

/* The answer of a solver, with its witness played and its certificate checked, and that of one tick less refused. */
static struct weir_separation answer_of(const struct weir_pipeline *p, struct weir_solver *solver, const struct weir_query *query)
{
    struct weir_separation result;
    assert_int_equal(weir_separation_worst(solver, query, &result, NULL), WEIR_OK);
    if (result.outcome != WEIR_EXACT)
        return result;
    struct weir_witness *witness;
    int64_t replayed = 0;
    bool holds = false;
    assert_int_equal(weir_separation_witness(solver, query, &witness, NULL), WEIR_OK);
    assert_int_equal(weir_witness_replay(p, witness, &replayed, NULL), WEIR_OK);
    assert_int_equal(replayed, result.value);
    weir_witness_free(witness);
    assert_int_equal(weir_separation_certify(solver, query, result.value, &holds, NULL), WEIR_OK);
    assert_true(holds);
    assert_int_equal(weir_separation_certify(solver, query, result.value - 1, &holds, NULL), WEIR_OK);
    assert_false(holds);
    return result;
}

static void compare(const struct weir_pipeline *p, struct weir_solver *solvers[2], struct weir_query query)
{
    for (int64_t shift = -2; shift <= 2; shift++) {
        query.shift = shift;
        struct weir_separation lines = answer_of(p, solvers[0], &query), rows = answer_of(p, solvers[1], &query);
        assert_int_equal(lines.outcome, rows.outcome);
        if (rows.outcome == WEIR_EXACT)
            assert_int_equal(lines.value, rows.value);
    }
}

static void compare_all(const char *model)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_solver *solvers[] = {solver_of(p, 0), solver_of(p, UINT64_MAX)};
    uint32_t n = weir_pipeline_operator_count(p);
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            for (unsigned kind = 0; kind < 8; kind++)
                compare(p, solvers,
                        (struct weir_query){.from = {{from}, kind & 1 ? WEIR_FINISH : WEIR_START, 0},
                                            .to = {{to}, kind & 2 ? WEIR_FINISH : WEIR_START, 0},
                                            .assume_zero_best = kind & 4});
    weir_solver_free(solvers[0]);
    weir_solver_free(solvers[1]);
    weir_pipeline_free(p);
}

TEST(test_same_as_rows)
{
    compare_all("operators: {a: [2, 7]}");
    compare_all("operators: {a: 1, b: 0}\nqueues: [{from: a, to: b, capacity: 4}]");
    compare_all("operators: {A: 960, B: 277, C: [294, 327], D: [218, 728]}\nqueue: 2\nqueues: [A -> B, A -> C, B -> C, C -> D]");
    compare_all("operators: {a: [2, 9], b: [3, 4], c: [1, 8]}\nqueue: 9\nqueues: [a -> b -> c, a -> c]");
    /* A loop of three that carries each other's lines: its ratio is above that of any of them alone. */
    compare_all("operators: {a: [3, 9], b: [4, 6], c: [2, 8]}\nqueue: 1\nqueues: [a -> b -> c, a -> c]");
    /* Its period is two rows: no lines. */
    compare_all("operators: {a: [3, 9], b: [8, 9], c: [7, 8], d: [2, 8]}\nqueue: 2\nqueues: [a -> b -> c -> d, a -> d]");
    compare_all("operators: {a: [2, 3], b: {time: [3, 5], receive: [0, 2]}, c: [1, 4]}\n"
                "queues: [a -> b -> c, {from: c, to: b, capacity: 2, initial: 2}]\nsource: {operator: a, period: 11}");
    compare_all("operators: {a: {time: [328, 571], reentrant: true}, b: [131, 475], c: [1499, 1501], d: 1502}\nqueue: 1\n"
                "queues: [a -> b, a -> c, a -> d]\nsource: {operator: a, period: 1500}");
}

/* ---- where rows are too many ---- */

static struct weir_pipeline *chain_of(uint32_t operators, uint32_t capacity, int64_t best_percent)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator before = {0};
    for (uint32_t i = 0; i < operators; i++) {
        char name[16];
        int64_t worst = 1 + (int64_t)i * 7919 % 1000;
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator op = stage_operator(p, name, worst * best_percent / 100, worst);
        if (i > 0)
            stage_queue(p, before, op, capacity, 0);
        before = op;
    }
    stage_seal(p);
    return p;
}

/* Of a chain whose best times are 0: the source starts frame i when it may send it, while before each operator from some j on the
 * queues are full. What is before the sink then takes as long as the slowest of those from j on, j times the capacity, and the path
 * itself. */
static int64_t worst_of_chain(const struct weir_pipeline *p, int64_t capacity)
{
    int64_t sum = 0, slowest = 0, most = 0;
    for (uint32_t j = weir_pipeline_operator_count(p); j-- > 0;) {
        int64_t worst = weir_pipeline_operator(p, (struct weir_operator){j}).worst;
        sum += worst;
        slowest = worst > slowest ? worst : slowest;
        most = sum + j * capacity * slowest > most ? sum + j * capacity * slowest : most;
    }
    return most;
}

static struct weir_separation end_to_end(const struct weir_pipeline *p, struct weir_query *query)
{
    uint32_t last = weir_pipeline_operator_count(p) - 1;
    *query = (struct weir_query){.from = {{0}, WEIR_START, 0}, .to = {{last}, WEIR_FINISH, 0}};
    return ask(p, query);
}

/* By the rows of a region that is quadratic in it, it would take minutes. */
TEST(test_long_chain)
{
    struct weir_pipeline *p = chain_of(20000, 1, 0);
    struct weir_query query;
    struct weir_separation worst = end_to_end(p, &query);
    assert_int_equal(worst.outcome, WEIR_EXACT);
    assert_int_equal(worst.value, worst_of_chain(p, 1));
    weir_pipeline_free(p);
    p = chain_of(300, 3, 0);
    struct weir_solver *solvers[] = {solver_of(p, 0), solver_of(p, UINT64_MAX)};
    compare(p, solvers, query = (struct weir_query){.from = {{0}, WEIR_START, 0}, .to = {{299}, WEIR_FINISH, 0}});
    weir_solver_free(solvers[0]);
    weir_solver_free(solvers[1]);
    weir_pipeline_free(p);
}

/* A thousand million places: the certificate has a handful of lines. */
TEST(test_deep_queues)
{
    struct weir_pipeline *p = chain_of(3, 500000000, 50);
    struct weir_query query;
    struct weir_separation worst = end_to_end(p, &query);
    bool holds = false;
    assert_int_equal(worst.outcome, WEIR_EXACT);
    assert_int_equal(worst.value, worst_of_chain(p, 500000000)); /* queues fill at best times, and are emptied at worst */
    struct weir_solver *solver = solver_of(p, 0);
    assert_int_equal(weir_separation_certify(solver, &query, worst.value, &holds, NULL), WEIR_OK);
    assert_true(holds);
    assert_int_equal(weir_separation_certify(solver, &query, worst.value - 1, &holds, NULL), WEIR_OK);
    assert_false(holds);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

/* ---- the checker ---- */

/* Claims that are larger than what they rest on are found out, and so are labels that are smaller than some path. */
TEST(test_false_certificates)
{
    struct weir_pipeline *p = stage_read(
        "operators: {A: 960, B: 277, C: [294, 327], D: [218, 728]}\nqueue: 20\nqueues: [A -> B, A -> C, B -> C, C -> D]");
    struct weir_query query = ask_query(p, "A.start", "D.finish", 0);
    struct weir_solver *solver = solver_of(p, 0);
    struct weir_problem problem;
    bool by_lines = false;
    int64_t worst = ask_exact(p, &query);
    assert_int_equal(weir_problem_pose(solver, &query, &problem, NULL), WEIR_OK);
    assert_int_equal(weir_general_decide(solver, &problem, worst + 1, &by_lines), WEIR_UNREACHABLE);
    assert_true(by_lines);
    struct weir_line_certificate c = weir_lines_certificate(solver->lines);
    assert_int_equal(weir_line_certificate_check(&c), WEIR_CHECK_HOLDS);
    uint32_t n = problem.graph->actor_count, found = 0;
    struct weir_label_piece *best = solver->lines->best.sorted, *label = solver->lines->label.sorted;
    for (uint32_t i = 0; i < c.best.begin[n + 1]; i++) {
        best[i].line.value++;
        found += weir_line_certificate_check(&c) == WEIR_CHECK_FAILS;
        best[i].line.value--;
        best[i].line.slope++;
        found += weir_line_certificate_check(&c) == WEIR_CHECK_FAILS;
        best[i].line.slope--;
    }
    assert_true(found >= c.best.begin[n + 1]);
    found = 0;
    for (uint32_t i = 0; i < c.label.begin[n]; i++) {
        label[i].line.value--;
        found += weir_line_certificate_check(&c) == WEIR_CHECK_FAILS;
        label[i].line.value++;
    }
    assert_true(found > 0);
    c.about.threshold = worst;
    assert_int_equal(weir_line_certificate_check(&c), WEIR_CHECK_FAILS);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}
