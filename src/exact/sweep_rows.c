/* SPDX-License-Identifier: Apache-2.0 */
#include "exact/sweep.h"

/* Longest ways from a node of `o` over its arcs: of finish arcs without o's own time in [1], of start arcs in [0]. Rows before the
 * first are not there: runs are in order of tokens. */
static inline uint64_t pull(const struct weir_graph *g, const int64_t *const *row_of, uint32_t o, int64_t row, int64_t by_kind[2])
{
    uint64_t arcs = 0;
    for (const struct weir_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop; run++) {
        if (run->tokens > row)
            break;
        const int64_t *values = row_of[run->fifo];
        const uint32_t *head = g->heads + run->first, *none = g->heads + run->end;
        int64_t longest = values[*head]; /* a run has at least one arc, and often no more */
        while (++head < none)
            longest = values[*head] > longest ? values[*head] : longest;
        by_kind[run->finish] = longest > by_kind[run->finish] ? longest : by_kind[run->finish];
        arcs += run->end - run->first;
    }
    return arcs;
}

static inline int64_t visit(struct weir_sweep *s, uint32_t o, int64_t row)
{
    const struct weir_problem *p = s->problem;
    const struct weir_cell *cell = &s->region->cells[o];
    int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
    if (o == p->target && row == p->target_row)
        by_kind[p->target_finish] = 0;
    s->relaxations += pull(p->graph, s->region->row_of, o, row, by_kind);
    int64_t finish = by_kind[1], start = by_kind[0];
    if (row < cell->ancestor_row) {
        finish += cell->hi;
        return finish > start ? (WEIR_ALIVE(finish) ? finish : WEIR_DEAD) : start;
    }
    if (row < cell->hot_row)
        finish += cell->hi;
    int64_t longest = finish > start ? finish : start;
    if (longest > s->best) {
        s->best = longest;
        s->start = (struct weir_onepass_start){o, row};
    }
    return WEIR_DEAD;
}

/* Where the rows that `row` looks back to are. */
static void locate_rows(struct weir_sweep *s, int64_t row, int64_t slot)
{
    const struct weir_graph *g = s->problem->graph;
    for (uint32_t f = 0; f < g->token_count_count && g->token_counts[f] <= row; f++) {
        int64_t back = slot - g->token_counts[f];
        s->region->row_of[f] = s->region->rows + (back < 0 ? back + s->ring : back) * g->actor_count;
    }
}

/* An actor stays in the game until nothing looks at its rows any more: past its last row it is dead, and says so for as many rows
 * as are kept. */
void weir_sweep_rows(struct weir_sweep *s)
{
    const struct weir_region *region = s->region;
    uint32_t n = s->problem->graph->actor_count, count = 0;
    for (uint32_t o = n; o-- > 0;)
        region->active[count++] = o;
    int64_t slot = 0;
    for (int64_t row = 0; row < s->row_count && s->relaxations < s->problem->work_limit; row++) {
        int64_t *values = region->rows + slot * n;
        uint32_t kept = 0;
        locate_rows(s, row, slot);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t o = region->active[i];
            int64_t last = region->cells[o].last_row;
            region->active[kept] = o;
            kept += row < last + s->ring;
            values[o] = row > last ? WEIR_DEAD : visit(s, o, row);
        }
        count = kept;
        slot = slot + 1 == s->ring ? 0 : slot + 1;
    }
}
