/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of the engine about random systems on shared processors, each made a tick less, one at a time. The checker takes whatever
 * follows by any rule, and a stage may claim more than it needs; how often it accepts, at these seeds, is held to a number, so that
 * a checker that gets more lenient is noticed.
 */
#include "check/priority/bounds.h"
#include "model/pipeline.h"
#include "support/random/processors.h"
#include "support/stage.h"

enum { SYSTEMS = 240 };
enum kind { EARLIEST, ENABLING, FINISH, LEVEL, ROOM, AFTER, KINDS };

static long asked[KINDS], accepted[KINDS];

static bool holds(const struct weir_pipeline *p, const struct weir_bounds_proof *proof)
{
    bool answer = true;
    enum weir_status status = weir_bounds_check(p->taskset, proof, &answer, NULL);
    assert_true(status == WEIR_OK || status == WEIR_OVERFLOW);
    return answer;
}

static void ask(const struct weir_pipeline *p, const struct weir_bounds_proof *proof, enum kind kind)
{
    asked[kind]++;
    accepted[kind] += holds(p, proof);
}

static void move(const struct weir_pipeline *p, const struct weir_bounds_proof *proof, int64_t *claim, enum kind kind)
{
    int64_t honest = *claim;
    *claim += kind == EARLIEST || kind == LEVEL ? 1 : -1;
    ask(p, proof, kind);
    *claim = honest;
}

static void lower_all(const struct weir_pipeline *p, const struct weir_bounds_proof *proof)
{
    for (uint32_t i = 0; i < proof->task_count; i++) {
        move(p, proof, &proof->enable_min[i], EARLIEST);
        for (size_t k = 0; k < proof->stage_count; k++) {
            const struct weir_bounds_stage *stage = &proof->stages[k];
            move(p, proof, &stage->enable_max[i], ENABLING);
            move(p, proof, &stage->finish_max[i], FINISH);
            if (stage->level && stage->level[i] != WEIR_NO_LEVEL)
                move(p, proof, &stage->level[i], LEVEL);
        }
        if (proof->after)
            move(p, proof, &proof->after[i], AFTER);
    }
    for (size_t k = 0; k < proof->edge_count; k++)
        if (proof->room[k] != WEIR_UNBOUNDED && proof->room[k] > 0) {
            proof->room[k]--;
            ask(p, proof, ROOM);
            proof->room[k]++;
        }
}

TEST(test_a_tick_less)
{
    long proofs = 0;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct weir_random random;
        struct weir_priority_options options = {.method = (enum weir_priority_method)(seed % WEIR_PRIORITY_METHODS), .quick = true};
        struct weir_priority_analysis *analysis;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_processors(&random, 1 + seed % 2);
        assert_non_null(p);
        if (weir_priority_analyze(p, &options, &analysis, NULL) == WEIR_OK) {
            if (analysis->outcome == WEIR_PRIORITY_CONVERGED && analysis->proof && holds(p, analysis->proof)) {
                proofs++;
                lower_all(p, analysis->proof);
            }
            weir_priority_analysis_free(analysis);
        }
        weir_pipeline_free(p);
    }
    static const long all[KINDS] = {582, 662, 662, 56, 694, 447}, finer[KINDS] = {0, 0, 96, 38, 9, 0};
    assert_int_equal(proofs, 123);
    for (int k = 0; k < KINDS; k++) {
        assert_int_equal(asked[k], all[k]);
        assert_int_equal(accepted[k], finer[k]);
    }
}
