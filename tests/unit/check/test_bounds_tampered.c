/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs by the engine about random systems: all hold; and what holds after tampering is still true of every simulation. */
#include "base/number.h"
#include "base/random.h"
#include "check/priority/bounds.h"
#include "model/pipeline.h"
#include "support/stage.h"

enum { SYSTEMS = 160, TAMPERINGS = 24, RUNS = 12, TASKS = 16, EDGES = 64 };

static long proofs, accepted, refused;

static struct weir_pipeline *generate(uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    struct weir_generate_priority_options options = {.seed = seed,
                                                     .graphs = (uint32_t)weir_random_between(&random, 1, 2),
                                                     .tasks = (uint32_t)weir_random_between(&random, 2, 5),
                                                     .processors = (uint32_t)weir_random_between(&random, 1, 3),
                                                     .load_permille = (uint32_t)weir_random_between(&random, 200, 500),
                                                     .best_permille = (uint32_t)weir_random_between(&random, 0, 1000),
                                                     .jitter_permille = seed % 3 ? 0 : 1500,
                                                     .cyclic = seed & 1,
                                                     .sporadic = seed % 5 == 0,
                                                     .mixed = seed & 2,
                                                     .sized = seed & 4};
    struct weir_pipeline *pipeline;
    assert_int_equal(weir_generate_priority(&options, &pipeline, NULL), WEIR_OK);
    assert_true(weir_pipeline_operator_count(pipeline) <= TASKS);
    return pipeline;
}

static bool holds(const struct weir_pipeline *pipeline, const struct weir_bounds_proof *proof)
{
    bool answer;
    assert_int_equal(weir_bounds_check(pipeline->taskset, proof, &answer, NULL), WEIR_OK);
    return answer;
}

/* The least of all stages, against what simulations of the proof's own system show. */
static void assert_not_exceeded(const struct weir_pipeline *pipeline, const struct weir_bounds_proof *proof, uint64_t seed)
{
    uint32_t capacities[EDGES];
    struct weir_processors_search_options options = {.seed = seed,
                                                     .runs = RUNS,
                                                     .iterations = 24,
                                                     .capacities = capacities,
                                                     .chain = (uint32_t)weir_pipeline_chain_count(pipeline)};
    struct weir_processors_observed *seen;
    assert_true(proof->edge_count <= EDGES);
    for (size_t k = 0; k < weir_pipeline_queue_count(pipeline); k++) {
        uint32_t places = proof->room[k] == WEIR_UNBOUNDED ? WEIR_UNBOUNDED : proof->room[k] + pipeline->taskset->edges[k].initial;
        capacities[k] = places ? places : 1;
    }
    assert_int_equal(weir_processors_search(pipeline, &options, &seen, NULL), WEIR_OK);
    assert_true(seen && proof->enable_min);
    for (uint32_t i = 0; seen && proof->enable_min && i < proof->task_count; i++) {
        assert_true(seen->enable_min[i] >= proof->enable_min[i]);
        for (size_t k = 0; k < proof->stage_count; k++) {
            assert_true(seen->enable_max[i] <= proof->stages[k].enable_max[i]);
            assert_true(seen->finish_max[i] <= proof->stages[k].finish_max[i]);
        }
    }
    weir_free(seen);
}

static void tamper(const struct weir_pipeline *pipeline, struct weir_bounds_proof *proof, uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    uint32_t i = (uint32_t)weir_random_between(&random, 0, proof->task_count - 1);
    struct weir_bounds_stage *stage = &proof->stages[weir_random_between(&random, 0, (int64_t)proof->stage_count - 1)];
    size_t k = (size_t)weir_random_between(&random, 0, (int64_t)proof->edge_count - 1);
    int64_t by = weir_random_between(&random, 1, 3), *claim = NULL;
    uint32_t room = proof->room[k];
    switch (weir_random_between(&random, 0, 5)) {
    case 0:
        claim = &proof->enable_min[i];
        by = -by;
        break;
    case 1:
        claim = &stage->enable_max[i];
        break;
    case 2:
    case 3:
        claim = &stage->finish_max[i];
        break;
    case 4: /* a level up or down, or one where there was none */
        claim = stage->level ? &stage->level[i] : NULL;
        by = weir_random_between(&random, -9, 9);
        break;
    default:
        if (room != WEIR_UNBOUNDED && room > 0 && pipeline->taskset->edges[k].initial + room > 1)
            proof->room[k]--;
        break;
    }
    if (claim)
        *claim -= by;
    if (holds(pipeline, proof)) {
        accepted++;
        assert_not_exceeded(pipeline, proof, seed);
    } else {
        refused++;
    }
    if (claim)
        *claim += by;
    proof->room[k] = room;
}

static void test_tampered(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct weir_pipeline *pipeline = generate(seed);
        struct weir_priority_options options = {.method = (enum weir_priority_method)(seed % WEIR_PRIORITY_METHODS)};
        struct weir_priority_analysis *analysis;
        assert_int_equal(weir_priority_analyze(pipeline, &options, &analysis, NULL), WEIR_OK);
        if (analysis->outcome == WEIR_PRIORITY_CONVERGED && analysis->safe) {
            assert_non_null(analysis->proof);
            assert_true(holds(pipeline, analysis->proof));
            proofs++;
            for (uint64_t k = 0; k < TAMPERINGS; k++)
                tamper(pipeline, analysis->proof, seed * TAMPERINGS + k);
            assert_true(holds(pipeline, analysis->proof));
        } else {
            assert_true(!analysis->safe || !analysis->proof);
        }
        weir_priority_analysis_free(analysis);
        weir_pipeline_free(pipeline);
    }
    assert_true(proofs > SYSTEMS / 4);
    assert_true(accepted > 0 && refused > accepted);
}

int bounds_tampered_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tampered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
