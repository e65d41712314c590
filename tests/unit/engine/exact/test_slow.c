/* SPDX-License-Identifier: Apache-2.0 */
/* Worst cases that build up for long: exact, quick to find, short to tell, and not to be had any sooner. */
#include "asking.h"

#include "horizon.h"
#include "support/oracle/brute.h"
#include "support/random/pipeline.h"
#include "support/runner.h"

#include <time.h>

/* ---- the iteration of the witness ---- */

/* The oracle of this test against the exhaustive one. */
TEST(test_horizon_is_right)
{
    struct weir_random random;
    int compared = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, seed % 2 ? WEIR_FLAVOUR_INTERVALS : WEIR_FLAVOUR_ZERO_BEST);
        struct weir_query query = {.to = {{weir_pipeline_operator_count(p) - 1}, WEIR_FINISH, 0}};
        query.from.moment = seed % 3 ? WEIR_START : WEIR_FINISH;
        query.shift = (int64_t)(seed % 3) - 1;
        struct weir_brute brute;
        uint32_t iterations = 4;
        while (iterations > 2 && weir_brute_bits(p, &query, iterations) > 14)
            iterations--;
        if (weir_brute_bits(p, &query, iterations) <= 14 && weir_brute_separation(p, &query, iterations, &brute)) {
            int64_t worst = INT64_MIN;
            for (int64_t i = 0; i < iterations; i++)
                if (i + query.shift >= 0 && i + query.shift < iterations && horizon_worst(p, &query, i) > worst)
                    worst = horizon_worst(p, &query, i);
            assert_int_equal(worst, brute.max);
            compared++;
        }
        weir_pipeline_free(p);
    }
    assert_true(compared > 150);
}

/* No earlier iteration is as bad as that of the witness. */
static void assert_first(const struct weir_pipeline *p, const struct weir_query *query, int64_t value, int64_t iteration)
{
    for (int64_t i = query->shift < 0 ? -query->shift : 0; i < iteration; i++)
        assert_true(horizon_worst(p, query, i) < value);
    assert_int_equal(horizon_worst(p, query, iteration), value);
}

static int64_t witness_iteration(const struct weir_pipeline *p, const struct weir_query *query)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_witness *witness;
    assert_int_equal(weir_separation_witness(solver, query, &witness, NULL), WEIR_OK);
    int64_t iteration = witness->iteration;
    weir_witness_free(witness);
    weir_solver_free(solver);
    return iteration;
}

/* The figure whose worst case comes last: iteration 32. */
TEST(test_iteration_32)
{
    struct weir_pipeline *p;
    assert_int_equal(weir_read_file(WEIR_SOURCE_DIR "/tests/figures/intervals/bcet_10.dot", NULL, &p, NULL), WEIR_OK);
    struct weir_query query = ask_query(p, "A.start", "D.finish", 0);
    assert_int_equal(ask_exact(p, &query), 2331);
    assert_int_equal(witness_iteration(p, &query), 32);
    assert_first(p, &query, 2331, 32);
    weir_pipeline_free(p);
}

/* In the general search the witness is in the first iteration that reaches the worst case. */
TEST(test_witness_is_the_first)
{
    struct weir_random random;
    int late = 0;
    for (uint64_t seed = 1; seed < 150; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, WEIR_FLAVOUR_INTERVALS);
        struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
        struct weir_query query = {
            .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = chain.shift};
        struct weir_separation exact = ask(p, &query);
        int64_t iteration = witness_iteration(p, &query);
        assert_int_equal(exact.outcome, WEIR_EXACT);
        if (exact.passes > 1) /* a search, not the one-pass case */
            assert_first(p, &query, exact.value, iteration);
        late += iteration > 8;
        weir_pipeline_free(p);
    }
    assert_true(late > 2);
}

/* ---- thousands and millions of iterations ---- */

static double seconds_since(clock_t begin)
{
    return (double)(clock() - begin) / CLOCKS_PER_SEC / WEIR_SLOWDOWN;
}

struct slow {
    int64_t best_percent; /* of the operator's T + 1 */
    int64_t capacity;
};

static struct weir_pipeline *slow_pipeline(const struct slow *s, int64_t period)
{
    char model[300];
    snprintf(model, sizeof model,
             "unit: ns\noperators: {camera: 0, infer: [%lld, %lld]}\nqueues: [{from: camera, to: infer, capacity: %lld}]\n"
             "source: {operator: camera, period: %lld}",
             (long long)((period + 1) * s->best_percent / 100), (long long)period + 1, (long long)s->capacity, (long long)period);
    return stage_read(model);
}

/*
 * A camera that takes no time, at most every T, and an operator that needs T + 1 behind a queue of c. Frame i begins at i T at the
 * earliest and ends at (i + 1)(T + 1) at the latest, as long as the camera is not held back: i + T + 1 ticks. It is held back when
 * frame i - c is only taken after i T, so from i = c (T + 1) on, and then frames i - c .. i are still to be done: (c + 1)(T + 1).
 */
static void check_slow(const struct slow *s, int64_t period, bool replay)
{
    struct weir_pipeline *p = slow_pipeline(s, period);
    struct weir_query query = ask_query(p, "camera.start", "infer.finish", 0);
    int64_t expected = (s->capacity + 1) * (period + 1), replayed = 0;
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_separation result;
    struct weir_witness *witness;
    bool holds = false;
    clock_t begin = clock();
    assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
    assert_true(seconds_since(begin) < 1);
    assert_int_equal(result.outcome, WEIR_EXACT);
    assert_int_equal(result.value, expected);
    begin = clock();
    assert_int_equal(weir_separation_witness(solver, &query, &witness, NULL), WEIR_OK);
    assert_int_equal(weir_separation_certify(solver, &query, expected, &holds, NULL), WEIR_OK);
    assert_true(holds);
    assert_int_equal(weir_separation_certify(solver, &query, expected - 1, &holds, NULL), WEIR_OK);
    assert_false(holds);
    assert_true(seconds_since(begin) < 1);
    assert_int_equal(witness->iteration, s->capacity * (period + 1));
    size_t steps = 0;
    for (size_t i = 0; i < witness->segment_count; i++)
        steps += witness->segments[i].step_count;
    assert_true(witness->segment_count < 20 && steps < 200);
    if (replay) {
        assert_int_equal(weir_witness_replay(p, witness, &replayed, NULL), WEIR_OK);
        assert_int_equal(replayed, expected);
    }
    weir_witness_free(witness);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

static const struct slow variants[] = {{0, 1}, {50, 1}, {100, 1}, {50, 2}, {0, 3}};

/* The simulator plays every iteration of a witness. In the quick tier only the short ones, and one of a million. */
static void check_variants(int64_t period)
{
    bool full = runner_argument(0) != NULL;
    int64_t all = full ? 10000000 : 1000, one = full ? 10000000 : 1000000;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        check_slow(&variants[i], period, period <= (i == 1 ? one : all));
}

TEST(test_a_thousand)
{
    check_variants(1000);
    /* Here the oracle can still follow: it is not to be had any sooner. */
    struct weir_pipeline *p = slow_pipeline(&variants[1], 1000);
    struct weir_query query = ask_query(p, "camera.start", "infer.finish", 0);
    assert_int_equal(horizon_worst(p, &query, 1000), 2001);
    assert_int_equal(horizon_worst(p, &query, 1001), 2002);
    assert_int_equal(horizon_worst(p, &query, 1002), 2002);
    weir_pipeline_free(p);
}

TEST(test_a_million)
{
    check_variants(1000000);
}

TEST(test_ten_million)
{
    check_variants(10000000);
}

/* Times since the beginning go beyond 2^60, and beyond 2^64. */
TEST(test_beyond_all_times)
{
    check_slow(&(struct slow){50, 700}, 33333333, false);
    check_slow(&(struct slow){0, 3}, INT64_C(100000000000), false);
    check_slow(&(struct slow){50, 20}, INT64_C(10000000000), false);
}

/* The last operator keeps up, but for two ticks. */
TEST(test_three_in_a_row)
{
    static const int64_t periods[] = {1000, 1000000, 10000000};
    for (size_t i = 0; i < 3; i++) {
        long long T = periods[i];
        char model[400];
        snprintf(model, sizeof model,
                 "unit: ns\noperators: {camera: [%lld, %lld], infer: [%lld, %lld], show: [%lld, %lld]}\nqueue: 2\n"
                 "queues: [camera -> infer -> show]\nsource: {operator: camera, period: %lld}",
                 T / 10, T / 5, T / 2, T + 1, T / 3, T - 2, T);
        struct weir_pipeline *p = stage_read(model);
        struct weir_query query = ask_query(p, "camera.start", "show.finish", 0);
        clock_t begin = clock();
        struct weir_separation result = ask(p, &query);
        assert_true(seconds_since(begin) < 1);
        assert_int_equal(result.outcome, WEIR_EXACT);
        if (i == 0) { /* one iteration before it would have been a tick less */
            int64_t iteration = witness_iteration(p, &query);
            assert_int_equal(horizon_worst(p, &query, iteration), result.value);
            assert_int_equal(horizon_worst(p, &query, iteration - 1), result.value - 1);
        }
        /* A frame is let in when the one two ahead is taken by infer: three of infer, and show, which is never full. */
        assert_int_equal(result.value, 3 * (T + 1) + (T - 2));
        weir_pipeline_free(p);
    }
}
