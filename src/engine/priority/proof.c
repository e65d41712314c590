/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/priority/proof.h"

#include <string.h>

struct weir_bounds_proof *weir_proof_new(const struct weir_priority_system *s)
{
    size_t n = s->set->task_count, e = s->set->edge_count;
    struct weir_bounds_proof *proof = weir_array_zeroed(1, sizeof *proof);
    if (!proof)
        return NULL;
    proof->task_count = s->set->task_count;
    proof->edge_count = e;
    proof->enable_min = weir_array(n, sizeof *proof->enable_min);
    proof->room = weir_array(e, sizeof *proof->room);
    if (!proof->enable_min || !proof->room) {
        weir_bounds_proof_free(proof);
        return NULL;
    }
    memcpy(proof->enable_min, s->enable_min, n * sizeof *proof->enable_min);
    memcpy(proof->room, s->fixed, e * sizeof *proof->room);
    return proof;
}

bool weir_proof_add(struct weir_bounds_proof *proof, bool base, enum weir_priority_rule rule, const int64_t *enable,
                    const int64_t *finish)
{
    size_t n = proof->task_count, have = proof->stage_count;
    /* Grown in powers of two. */
    if ((have & (have - 1)) == 0) {
        struct weir_bounds_stage *grown = weir_resize(proof->stages, (have ? 2 * have : 1) * sizeof *grown);
        if (!grown)
            return false;
        proof->stages = grown;
    }
    struct weir_bounds_stage stage = {.base = base, .rule = (enum weir_bounds_rule)rule};
    stage.enable_max = weir_array(n, sizeof *stage.enable_max);
    stage.finish_max = weir_array(n, sizeof *stage.finish_max);
    if (!stage.enable_max || !stage.finish_max) {
        weir_free(stage.enable_max);
        weir_free(stage.finish_max);
        return false;
    }
    memcpy(stage.enable_max, enable, n * sizeof *enable);
    memcpy(stage.finish_max, finish, n * sizeof *finish);
    proof->stages[proof->stage_count++] = stage;
    return true;
}

void weir_proof_set_rooms(struct weir_bounds_proof *proof, const struct weir_priority_system *s)
{
    for (size_t e = 0; e < proof->edge_count; e++)
        if (s->set->edges[e].room == WEIR_AUTO && !s->set->edges[e].blocking)
            proof->room[e] = (uint32_t)weir_priority_places(s, e, false);
}
