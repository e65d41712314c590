/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of their own sources on one core: responses are exact. The longest is found by playing EDF, tick by tick, from every
 * moment at which the core can get busy before the release of an execution, all the others beginning there (Spuri).
 */
#include "pool.h"
#include "support/runner.h"

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

TEST(test_exact_on_one_core)
{
    struct weir_random random;
    unsigned by_window = 0, waited = 0;
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
        for (uint32_t i = 0; i < count && load < 1 + 1e-9; i++) {
            int64_t most = longest(tasks, count, i);
            assert_ratio(a->operators[i].response, most, 1);
            by_window += a->operators[i].by == WEIR_EDF_WINDOW;
            waited += most > tasks[i].cost;
        }
        weir_edf_analysis_free(a);
        weir_pipeline_free(p);
    }
    assert_true(by_window > 300 && waited > 200);
}
