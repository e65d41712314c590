/* SPDX-License-Identifier: Apache-2.0 */
/* Who shares threads with whom. */
#include "base/error.h"
#include "engine/workers/workers.h"

enum weir_status weir_crews_find(const struct weir_pipeline *p, struct weir_arena *arena, struct weir_crews *crews,
                                 struct weir_error *error)
{
    uint32_t *sizes = weir_arena_array(arena, (size_t)p->lane_count + 1, sizeof *sizes);
    *crews = (struct weir_crews){.count = p->lane_count + 1,
                                 .of = weir_arena_array(arena, p->operator_count, sizeof *crews->of),
                                 .threads = weir_arena_array(arena, (size_t)p->lane_count + 1, sizeof *crews->threads)};
    if (arena->failed)
        return weir_fail_memory(error);
    for (size_t o = 0; o < p->operator_count; o++) {
        crews->of[o] = p->lanes && p->lanes[o] != WEIR_NO_LANE ? p->lanes[o] + 1 : 0;
        sizes[crews->of[o]]++;
    }
    for (uint32_t c = 0; c < crews->count; c++) {
        uint32_t threads = c ? 1 : p->workers.workers;
        crews->threads[c] = threads < sizes[c] ? threads : 0;
        crews->few |= crews->threads[c] > 0;
        crews->lanes |= c && crews->threads[c];
    }
    return WEIR_OK;
}
