/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of their own sources on one core: responses are exact. The longest is found by playing EDF, tick by tick, from every
 * moment at which the core can get busy before the release of an execution, all the others beginning there (Spuri).
 */
#include "check/edf/flow.h"
#include "pool.h"
#include "support/runner.h"

#include <string.h>

#include "base/number.h"
#include "base/random.h"

#define TASKS 4

struct task {
    int64_t cost, period;
};

/* When an execution of task k that is released at `a` ends, behind all with its deadline; all the others come as soon as they can.
 */
static int64_t play(const struct task *tasks, uint32_t count, uint32_t k, int64_t a)
{
    int64_t left[TASKS], next[TASKS], due[TASKS], deadline = a + tasks[k].period, now = 0;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = due[i] = 0;
        next[i] = i == k ? a % tasks[k].period : 0;
    }
    for (;; now++) {
        uint32_t best = count;
        for (uint32_t i = 0; i < count; i++) {
            if (left[i] == 0 && next[i] <= now) {
                left[i] = tasks[i].cost;
                due[i] = next[i] + tasks[i].period;
                next[i] += tasks[i].period;
            }
            if (left[i] > 0 && due[i] <= deadline && (best == count || due[i] < due[best] || (due[i] == due[best] && best == k)))
                best = i;
        }
        if (best == count)
            return now; /* the core was idle before: its release is not in this stretch */
        if (--left[best] == 0 && best == k && due[k] == deadline)
            return now + 1;
    }
}

static int64_t longest(const struct task *tasks, uint32_t count, uint32_t k)
{
    int64_t round = 1, most = tasks[k].cost;
    for (uint32_t i = 0; i < count; i++)
        round *= tasks[i].period / weir_greatest_divisor(round, tasks[i].period);
    for (int64_t a = 0; a < round; a++) {
        int64_t response = play(tasks, count, k, a) - a;
        most = response > most ? response : most;
    }
    return most;
}

/* Whether responses, which are exact, are proved by windows with a tick less for one of them. */
static bool passes_with_less(const struct weir_edf_analysis *a, uint32_t count, uint32_t less)
{
    struct weir_edf_analysis forged = *a;
    struct weir_edf_operator operators[TASKS];
    struct weir_flow_proof proof = {&forged, {-1, 1}, {-1, 1}, NULL};
    char why[160];
    bool holds;
    memcpy(operators, a->operators, count * sizeof *operators);
    forged.operators = operators;
    for (uint32_t i = 0; i < count; i++) {
        bool due = operators[i].by == WEIR_EDF_NO_MISS && i != less; /* by its deadline, which windows need not show */
        for (int b = 0; b < WEIR_EDF_BOUNDS; b++)
            operators[i].applies[b] = b == (due ? WEIR_EDF_NO_MISS : WEIR_EDF_WINDOW);
        operators[i].response.numerator -= i == less;
        operators[i].responses[WEIR_EDF_WINDOW] = operators[i].response;
    }
    assert_int_equal(weir_flow_check(&proof, &holds, why), WEIR_OK);
    return holds;
}

TEST(test_exact_on_one_core)
{
    struct weir_random random;
    unsigned by_window = 0, waited = 0, forged = 0, full = 0;
    weir_random_seed(&random, 19);
    for (unsigned trial = 0; trial < 400; trial++) {
        struct task tasks[TASKS];
        uint32_t count = (uint32_t)weir_random_between(&random, 2, TASKS);
        struct weir_pipeline *p = pool_new(1);
        double load = 0;
        for (uint32_t i = 0; i < count; i++) {
            tasks[i].period = weir_random_between(&random, 2, 15);
            tasks[i].cost = weir_random_between(&random, 1, (tasks[i].period + 1) / 2);
            load += (double)tasks[i].cost / (double)tasks[i].period;
            struct weir_source_spec source = {.op = pool_add(p, tasks[i].cost), .period = tasks[i].period, .sporadic = true};
            assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        }
        stage_seal(p);
        struct weir_edf_analysis *a = pool_analyze(p, 0);
        assert_int_equal(a->schedulable, load < 1 + 1e-9);
        bool proved = load < 1 + 1e-9 && passes_with_less(a, count, count);
        for (uint32_t i = 0; i < count && load < 1 + 1e-9; i++) {
            int64_t most = longest(tasks, count, i);
            assert_ratio(a->operators[i].response, most, 1);
            by_window += a->operators[i].by == WEIR_EDF_WINDOW;
            waited += most > tasks[i].cost;
            full += proved && load > 1 - 1e-9;
            forged += proved;
            assert_false(proved && passes_with_less(a, count, i));
        }
        weir_edf_analysis_free(a);
        weir_pipeline_free(p);
    }
    print_message("%u windows, %u waited, %u forged, %u of them on a core that is never idle\n", by_window, waited, forged, full);
    assert_true(by_window > 300 && waited > 200 && forged > 200 && full > 5);
}

static const uint32_t same[4] = {1, 1, 1, 0}, twice[4] = {2, 1, 1, 0};

static void responds_in(const struct weir_pipeline *p, const int64_t *expected, uint32_t count)
{
    struct weir_edf_analysis *a = pool_analyze(p, 0);
    assert_true(a->schedulable && a->verified);
    for (uint32_t i = 0; i < count; i++)
        assert_ratio(a->operators[i].response, expected[i], 1);
    weir_edf_analysis_free(a);
}

/* a -> b -> c -> d is over before a comes again: it has one core at most, and e the other. */
TEST(test_operators_that_run_one_at_a_time)
{
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 4; i++)
        pool_add(p, 20);
    for (uint32_t i = 0; i < 3; i++)
        pool_queue(p, i, i + 1, same);
    pool_add(p, 10);
    pool_feed(p, 0, 100);
    pool_feed(p, 4, 100);
    stage_seal(p);
    responds_in(p, (const int64_t[]){20, 20, 20, 20, 10}, 5);
    struct weir_pipeline *longer = weir_pipeline_copy(p, NULL);
    struct weir_operator_spec slow = weir_pipeline_operator(longer, (struct weir_operator){3});
    slow.best = slow.worst = 50; /* then a may come again while d runs */
    assert_int_equal(weir_pipeline_change_operator(longer, (struct weir_operator){3}, &slow, NULL), WEIR_OK);
    stage_seal(longer);
    struct weir_edf_analysis *a = pool_analyze(longer, 0);
    assert_true(weir_ratio_compare(a->operators[4].response, (struct weir_ratio){10, 1}) > 0);
    weir_edf_analysis_free(a);
    weir_pipeline_free(longer);
    weir_pipeline_free(p);
}

/* b is executed twice for each execution of a, both times before a comes again. */
TEST(test_other_rates)
{
    struct weir_pipeline *p = pool_new(1);
    pool_add(p, 20);
    pool_add(p, 10);
    pool_queue(p, 0, 1, twice);
    pool_feed(p, 0, 100);
    stage_seal(p);
    responds_in(p, (const int64_t[]){20, 10}, 2);
    weir_pipeline_free(p);
}

/* ... and behind a source that may be silent. */
TEST(test_sporadic_chain)
{
    struct weir_pipeline *p = pool_new(1);
    pool_add(p, 30);
    pool_queue(p, 0, pool_add(p, 20).index, same);
    pool_queue(p, 1, pool_add(p, 40).index, same);
    assert_int_equal(weir_pipeline_add_source(p, &(struct weir_source_spec){.op = {0}, .period = 100, .sporadic = true}, NULL),
                     WEIR_OK);
    stage_seal(p);
    responds_in(p, (const int64_t[]){30, 20, 40}, 3);
    weir_pipeline_free(p);
}

/* Whether groups stand, with the windows that the analysis has found; *why: what is said against them. */
static bool groups_stand(const struct weir_pipeline *p, const uint32_t groups[3], char why[160])
{
    struct weir_edf_analysis *a = pool_analyze(p, 0), forged = *a;
    struct weir_edf_operator operators[3];
    struct weir_flow_proof proof = {&forged, {-1, 1}, {-1, 1}, groups};
    bool holds;
    memcpy(operators, a->operators, sizeof operators);
    forged.operators = operators;
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < WEIR_EDF_BOUNDS; b++)
            operators[i].applies[b] &= b == WEIR_EDF_WINDOW;
    assert_int_equal(weir_flow_check(&proof, &holds, why), WEIR_OK);
    weir_edf_analysis_free(a);
    return holds;
}

/* Groups that are claimed are looked at. */
TEST(test_forged_groups)
{
    const uint32_t groups[][3] = {{0, 0, 2}, {0, 1, 2}, {0, 0, 0}, {0, 1, 0}};
    char why[160];
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 3; i++)
        pool_add(p, 20);
    pool_queue(p, 0, 1, same);
    pool_feed(p, 0, 50);
    pool_feed(p, 2, 50);
    stage_seal(p);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(groups_stand(p, groups[k], why), k == 0);
        if (k >= 2)
            assert_non_null(strstr(why, "may be executed at the same time"));
    }
    weir_pipeline_free(p);
}

/* A message is there at the beginning: the first execution of the second does not wait for the first. */
TEST(test_forged_groups_with_a_message)
{
    char why[160];
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 3; i++)
        pool_add(p, 20);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 1, 1, 1});
    pool_feed(p, 0, 50);
    pool_feed(p, 2, 50);
    stage_seal(p);
    assert_false(groups_stand(p, (const uint32_t[]){0, 0, 2}, why));
    assert_non_null(strstr(why, "may be executed at the same time"));
    weir_pipeline_free(p);
}
