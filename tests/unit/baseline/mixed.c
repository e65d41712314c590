/* SPDX-License-Identifier: Apache-2.0 */
#include "mixed.h"

#include "base/random.h"

struct weir_pipeline *mixed_pipeline(uint64_t seed, uint32_t nodes, uint32_t capacity_max, uint32_t best_permille)
{
    struct weir_random random;
    struct weir_pipeline *drawn, *mixed = weir_pipeline_new(NULL);
    struct weir_generate_options options = {.nodes = nodes, .seed = seed, .density_permille = 200, .best_permille = best_permille};
    assert_int_equal(weir_generate_holoscan(&options, &drawn, NULL), WEIR_OK);
    assert_non_null(mixed);
    weir_random_seed(&random, seed);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(drawn); i++) {
        struct weir_operator_spec op = weir_pipeline_operator(drawn, (struct weir_operator){i});
        stage_operator(mixed, op.name, op.best, op.worst);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(drawn); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(drawn, (struct weir_queue){i});
        stage_queue(mixed, q.from, q.to, (uint32_t)weir_random_between(&random, 1, capacity_max), 0);
    }
    stage_seal(mixed);
    weir_pipeline_free(drawn);
    return mixed;
}

int64_t mixed_exact(const struct weir_pipeline *pipeline, bool zero_best, int64_t shift)
{
    struct weir_chain_spec chain = weir_pipeline_chain(pipeline, 0);
    struct weir_query query = {.from = {.op = chain.from, .moment = WEIR_START},
                               .to = {.op = chain.to, .moment = WEIR_FINISH},
                               .shift = shift,
                               .assume_zero_best = zero_best};
    struct weir_separation worst;
    struct weir_solver *solver = weir_solver_new(pipeline, NULL);
    assert_non_null(solver);
    assert_int_equal(weir_separation_worst(solver, &query, &worst, NULL), WEIR_OK);
    assert_int_equal(worst.outcome, WEIR_EXACT);
    weir_solver_free(solver);
    return worst.value;
}
