/* SPDX-License-Identifier: Apache-2.0 */
/* The same question has the same answer: asked twice, of a solver that has been asked other things, and by either way through the
 * one-pass case. */
#include "asking.h"

#include "engine/exact/solver.h"
#include "engine/exact/sweep.h"
#include "support/random/pipeline.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

/* ---- answers compared ---- */

struct answer {
    struct weir_separation separation;
    struct weir_witness *witness; /* NULL unless exact, and found within the limit */
    bool holds;                   /* the certificate of the value; not asked for within a limit */
};

static struct answer ask_all(struct weir_solver *solver, const struct weir_query *query)
{
    struct answer a = {.witness = NULL};
    assert_int_equal(weir_separation_worst(solver, query, &a.separation, NULL), WEIR_OK);
    if (a.separation.outcome == WEIR_EXACT) {
        enum weir_status status = weir_separation_witness(solver, query, &a.witness, NULL);
        assert_true(status == WEIR_OK || (status == WEIR_OVERFLOW && query->work_limit)); /* which is for the search of each */
    }
    if (a.witness && !query->work_limit) {
        assert_int_equal(weir_separation_certify(solver, query, a.separation.value, &a.holds, NULL), WEIR_OK);
        assert_true(a.holds);
    }
    return a;
}

static void assert_same_witness(const struct weir_witness *a, const struct weir_witness *b)
{
    assert_int_equal(a->separation, b->separation);
    assert_int_equal(a->iteration, b->iteration);
    assert_int_equal(a->segment_count, b->segment_count);
    for (size_t i = 0; i < a->segment_count; i++) {
        const struct weir_segment *x = &a->segments[i], *y = &b->segments[i];
        assert_int_equal(x->iterations, y->iterations);
        assert_int_equal(x->repeat, y->repeat);
        assert_int_equal(x->step_count, y->step_count);
        for (size_t k = 0; k < x->step_count; k++) {
            const struct weir_step *s = &x->steps[k], *t = &y->steps[k];
            assert_true(s->op.index == t->op.index && s->part == t->part && s->wait == t->wait && s->counts == t->counts);
            assert_true(s->iteration == t->iteration && s->time == t->time);
        }
    }
}

static void assert_same(const struct answer *a, const struct answer *b)
{
    assert_int_equal(a->separation.outcome, b->separation.outcome);
    if (a->separation.outcome == WEIR_EXACT)
        assert_int_equal(a->separation.value, b->separation.value);
    assert_int_equal(a->separation.lower, b->separation.lower);
    assert_int_equal(a->separation.upper, b->separation.upper);
    assert_int_equal(a->separation.relaxations, b->separation.relaxations);
    assert_int_equal(a->separation.passes, b->separation.passes);
    assert_int_equal(a->witness != NULL, b->witness != NULL);
    if (a->witness)
        assert_same_witness(a->witness, b->witness);
}

static struct weir_query random_query(struct weir_random *random, const struct weir_pipeline *p)
{
    uint32_t last = weir_pipeline_operator_count(p) - 1;
    struct weir_query query = {.from = {{(uint32_t)weir_random_between(random, 0, last)}, WEIR_START, 0},
                               .to = {{(uint32_t)weir_random_between(random, 0, last)}, WEIR_START, 0},
                               .shift = weir_random_between(random, -3, 3),
                               .assume_zero_best = weir_random_between(random, 0, 3) == 0,
                               .work_limit = weir_random_between(random, 0, 5) ? 0 : 200};
    query.from.moment = weir_random_between(random, 0, 1) ? WEIR_START : WEIR_FINISH;
    query.to.moment = weir_random_between(random, 0, 1) ? WEIR_START : WEIR_FINISH;
    return query;
}

/* One solver for all questions of a pipeline, and a fresh one for each: the second time round in the opposite order. */
TEST(test_solver_is_reused)
{
    enum { QUERIES = 12 };
    struct weir_random random;
    for (uint64_t seed = 0; seed < 120; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        struct weir_solver *old = weir_solver_new(p, NULL);
        struct weir_query queries[QUERIES];
        struct answer first[QUERIES];
        for (int i = 0; i < QUERIES; i++) {
            queries[i] = random_query(&random, p);
            first[i] = ask_all(old, &queries[i]);
        }
        for (int i = QUERIES; i-- > 0;) {
            struct weir_solver *fresh = weir_solver_new(p, NULL);
            struct answer again = ask_all(old, &queries[i]), anew = ask_all(fresh, &queries[i]);
            assert_same(&again, &first[i]);
            assert_same(&anew, &first[i]);
            weir_witness_free(again.witness);
            weir_witness_free(anew.witness);
            weir_witness_free(first[i].witness);
            weir_solver_free(fresh);
        }
        weir_solver_free(old);
        weir_pipeline_free(p);
    }
}

/* ---- the two ways through the one-pass case ---- */

static void check_one_pass(struct weir_solver *solver, const struct weir_query *query)
{
    struct weir_problem problem;
    struct weir_separation lost, kept;
    assert_int_equal(weir_problem_pose(solver, query, &problem, NULL), WEIR_OK);
    if (!problem.one_pass)
        return;
    assert_int_equal(weir_onepass_solve(solver, &problem, true, &kept, NULL), WEIR_OK);
    assert_int_equal(kept.outcome, WEIR_EXACT);
    for (int again = 0; again < 4; again++) { /* the second time the steps are there, of nodes and then of actors */
        solver->region.steps.flat_arcs = again < 2 ? WEIR_FLAT_ARCS : 0;
        solver->region.steps.made &= again != 2;
        assert_int_equal(weir_onepass_solve(solver, &problem, false, &lost, NULL), WEIR_OK);
        assert_true(solver->region.steps.made);
        assert_int_equal(lost.outcome, WEIR_EXACT);
        assert_int_equal(lost.value, kept.value);
        assert_int_equal(lost.relaxations, kept.relaxations);
    }
}

TEST(test_rows_and_steps)
{
    struct weir_random random;
    for (uint64_t seed = 0; seed < 300; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p;
        if (seed % 2) {
            bool large = seed % 20 == 1;
            struct weir_generate_options options = {.nodes = large ? 150 : 2 + (uint32_t)seed % 9,
                                                    .seed = seed,
                                                    .density_permille = large ? 20 : 300,
                                                    .queue = 1 + (uint32_t)seed % 13};
            assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
        } else {
            p = weir_random_pipeline(&random, WEIR_FLAVOUR_ZERO_BEST);
        }
        struct weir_solver *solver = weir_solver_new(p, NULL);
        for (int i = 0; i < 6; i++) {
            struct weir_query query = random_query(&random, p);
            query.work_limit = 0;
            check_one_pass(solver, &query);
        }
        weir_solver_free(solver);
        weir_pipeline_free(p);
    }
}

/* More rows than are kept. */
TEST(test_very_deep_queues)
{
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){30, 70, 20, 60}, 700);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_query query = ask_query(p, "A.start", "D.finish", 0);
    check_one_pass(solver, &query);
    query.shift = 300;
    check_one_pass(solver, &query);
    query.shift = -300;
    check_one_pass(solver, &query);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

/* Each queue of a different capacity: every distinct count has its row. */
TEST(test_many_capacities)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 0, 3), b = stage_operator(p, "b", 0, 5), c = stage_operator(p, "c", 0, 4);
    for (uint32_t i = 2; i < 300; i++) {
        stage_queue(p, a, b, i, 0);
        stage_queue(p, b, c, 2 * i + 1, 0);
    }
    stage_seal(p);
    struct weir_query query = ask_query(p, "a.start", "c.finish", 0);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    check_one_pass(solver, &query);
    /* Only the smallest capacities matter: 2 and 5. */
    struct weir_pipeline *q = stage_read(
        "operators: {a: [0, 3], b: [0, 5], c: [0, 4]}\nqueues: [{from: a, to: b, capacity: 2}, {from: b, to: c, capacity: 5}]");
    assert_int_equal(ask_exact(p, &query), ask_exact(q, &query));
    weir_pipeline_free(q);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}
