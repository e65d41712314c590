/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exact/sweep_visit.h"

/* Points region.row_of to the rows that `row`, stored at `slot`, looks back to. */
static void locate(struct weir_onepass *s, int64_t row, int64_t slot)
{
    const struct weir_graph *g = s->problem->graph;
    for (uint32_t f = 0; f < g->token_count_count && g->token_counts[f] <= row; f++) {
        int64_t back = slot - g->token_counts[f];
        s->region->row_of[f] = s->region->rows + (back < 0 ? back + s->ring : back) * g->actor_count;
    }
}

/* An actor stays in the game until nothing looks at its rows any more: past its last row it is dead, and says so for as many rows
 * as are kept. */
void weir_sweep_rows(struct weir_onepass *s)
{
    const struct weir_trace_region *region = s->region;
    uint32_t n = s->problem->graph->actor_count, count = 0;
    for (uint32_t o = n; o-- > 0;)
        region->active[count++] = o;
    int64_t slot = 0;
    for (int64_t row = 0; row < s->row_count && weir_sweep_goes_on(s); row++) {
        int64_t *values = region->rows + slot * n;
        uint32_t kept = 0;
        locate(s, row, slot);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t o = region->active[i];
            int64_t last = region->cells[o].last_row;
            region->active[kept] = o;
            kept += row < last + s->ring;
            values[o] = row > last ? WEIR_DEAD : weir_sweep_visit(s, o, row);
        }
        count = kept;
        slot = slot + 1 == s->ring ? 0 : slot + 1;
    }
}
