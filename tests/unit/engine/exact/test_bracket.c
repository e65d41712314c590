/* SPDX-License-Identifier: Apache-2.0 */
/* A limit makes the answer a bracket around the exact value, never another value. */
#include "asking.h"

#include "support/random/pipeline.h"
#include "support/runner.h"

static struct weir_separation limited(const struct weir_pipeline *p, struct weir_query query, uint64_t limit)
{
    query.work_limit = limit;
    return ask(p, &query);
}

/* Best cases matter here: with best cases of 0 the answer would be 3640. */
static const char model[] = "operators: {A: 960, B: 277, C: [294, 327], D: [218, 728]}\nqueue: 2\n"
                            "queues: [A -> B, A -> C, B -> C, C -> D]";

TEST(test_hardly_any_work)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_query query = ask_query(p, "A.start", "D.finish", 0);
    struct weir_separation rough = limited(p, query, 1);
    assert_int_equal(rough.outcome, WEIR_BRACKET);
    assert_int_equal(rough.lower, 960 + 277 + 327 + 728); /* the first iteration at worst times, which is also the answer */
    assert_int_equal(rough.upper, 3640);                  /* best cases of 0 */
    weir_pipeline_free(p);
}

/* With more and more work allowed there is a bracket, until there is the answer. */
TEST(test_more_and_more_work)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_query query = ask_query(p, "A.start", "D.finish", 0);
    int64_t exact = ask_exact(p, &query);
    int brackets = 0, answers = 0;
    for (uint64_t limit = 1; limit < 100000; limit += 1 + limit / 10) {
        struct weir_separation rough = limited(p, query, limit);
        if (rough.outcome == WEIR_BRACKET) {
            assert_true(rough.lower <= exact && exact <= rough.upper);
            brackets++;
        } else {
            assert_int_equal(rough.outcome, WEIR_EXACT);
            assert_int_equal(rough.value, exact);
            answers++;
        }
        assert_true(answers == 0 || rough.outcome == WEIR_EXACT); /* enough stays enough */
    }
    assert_true(brackets > 5 && answers > 5);
    weir_pipeline_free(p);
}

/* Where the limit is enough for the answer it is enough for its witness, or too small for it in so many words. */
TEST(test_witness_within_a_limit)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_query query = ask_query(p, "A.start", "D.finish", 0);
    int witnesses = 0;
    for (query.work_limit = 1; query.work_limit < 3000; query.work_limit++) {
        struct weir_separation result;
        struct weir_witness *witness;
        assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
        enum weir_status status = weir_separation_witness(solver, &query, &witness, NULL);
        witnesses += status == WEIR_OK;
        if (result.outcome == WEIR_EXACT)
            assert_true(status == WEIR_OK || status == WEIR_OVERFLOW);
        else
            assert_int_equal(status, WEIR_INVALID);
        weir_witness_free(witness);
    }
    assert_true(witnesses > 2000);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

TEST(test_one_pass)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){100, 400, 300}, 5);
    struct weir_query query = ask_query(p, "A.start", "C.finish", 0);
    int64_t exact = ask_exact(p, &query);
    struct weir_separation rough = limited(p, query, 10);
    assert_int_equal(rough.outcome, WEIR_BRACKET);
    assert_true(rough.lower <= exact && exact <= rough.upper && rough.upper < INT64_MAX);
    rough = limited(p, query, 1000000);
    assert_int_equal(rough.outcome, WEIR_EXACT);
    assert_int_equal(rough.value, exact);
    weir_pipeline_free(p);
}

/* Shifts of both signs, starts and finishes: the bracket is around the value of this query, not of another. */
TEST(test_any_events)
{
    struct weir_random random;
    int brackets = 0, finite = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        uint32_t last = weir_pipeline_operator_count(p) - 1;
        struct weir_query query = {
            .from = {{(uint32_t)weir_random_between(&random, 0, last)}, seed % 2 ? WEIR_START : WEIR_FINISH, 0},
            .to = {{(uint32_t)weir_random_between(&random, 0, last)}, seed % 3 ? WEIR_START : WEIR_FINISH, 0},
            .shift = weir_random_between(&random, -4, 4),
        };
        struct weir_separation exact = ask(p, &query), rough = limited(p, query, 1 + seed);
        if (exact.outcome == WEIR_EXACT && rough.outcome == WEIR_BRACKET) {
            assert_true(rough.lower <= exact.value && exact.value <= rough.upper);
            assert_true(rough.lower > INT64_MIN);
            finite += rough.upper < INT64_MAX;
            brackets++;
        } else if (exact.outcome == WEIR_NO_BOUND) {
            assert_int_equal(rough.outcome, WEIR_NO_BOUND);
        }
        weir_pipeline_free(p);
    }
    assert_true(brackets > 50 && finite > 20);
}

/* Latencies: the lower end is one that happens, as a rule the worst; best cases are not negative. */
TEST(test_ends_worth_having)
{
    struct weir_random random;
    int brackets = 0, reached = 0, finite = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, WEIR_FLAVOUR_INTERVALS);
        struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
        struct weir_query query = {.from = {chain.from, WEIR_START, 0}, .to = {chain.to, WEIR_FINISH, 0}, .shift = chain.shift};
        struct weir_query back = {.from = query.to, .to = query.from, .shift = -chain.shift};
        struct weir_separation exact = ask(p, &query), rough = limited(p, query, 1), best = limited(p, back, 1);
        assert_int_equal(exact.outcome, WEIR_EXACT);
        assert_true(rough.lower <= exact.value && exact.value <= rough.upper);
        finite += rough.upper < INT64_MAX;
        reached += rough.lower == exact.value;
        brackets += rough.outcome == WEIR_BRACKET;
        if (ask_exact(p, &back) <= 0) /* the one comes before the other */
            assert_true((best.outcome == WEIR_EXACT ? best.value : best.upper) <= 0);
        weir_pipeline_free(p);
    }
    assert_true(brackets > 30 && reached > 290 && finite == 300);
}

/* A queue of a thousand million: no table could hold its rows, and none is tried within a small limit. Lines hold them. */
TEST(test_too_deep)
{
    struct weir_pipeline *p = stage_read("operators: {a: [3, 4], b: [0, 2]}\nqueues: [{from: a, to: b, capacity: 1073741824}]");
    struct weir_query query = ask_query(p, "a.start", "b.finish", 0);
    struct weir_separation rough = limited(p, query, 1000);
    assert_int_equal(rough.outcome, WEIR_BRACKET);
    assert_true(rough.lower <= 6 && 6 <= rough.upper); /* b keeps up: never more than one of each */
    assert_int_equal(rough.lower, 6);
    assert_int_equal(ask_exact(p, &query), 6);
    query.assume_zero_best = true;
    rough = limited(p, query, 1000);
    assert_int_equal(rough.outcome, WEIR_BRACKET);
    assert_true(6 <= rough.lower && rough.lower <= rough.upper);
    struct weir_separation exact = ask(p, &query);
    assert_int_equal(exact.outcome, WEIR_EXACT);
    assert_int_equal(exact.value, 2 + 2 * INT64_C(1073741824)); /* all the messages of a full queue can be waited for */
    assert_true(rough.upper >= exact.value);
    weir_pipeline_free(p);
}
