/* SPDX-License-Identifier: Apache-2.0 */
/* One node of the one-pass case; inline, since it is the inner loop of two sweeps. */
#ifndef WEIR_ENGINE_EXACT_SWEEP_VISIT_H
#define WEIR_ENGINE_EXACT_SWEEP_VISIT_H

#include "engine/exact/sweep.h"

/* Longest paths from a node of `o` over its arcs: of finish arcs without o's own time in [1], of start arcs in [0]. Rows before the
 * first are not there: runs are in order of tokens. */
static inline uint64_t weir_sweep_pull(const struct weir_graph *g, const int64_t *const *row_of, uint32_t o, int64_t row,
                                       int64_t by_kind[2])
{
    uint64_t arcs = 0;
    for (const struct weir_arc_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop;
         run++) {
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

static inline int64_t weir_sweep_visit(struct weir_onepass *s, uint32_t o, int64_t row)
{
    const struct weir_problem *p = s->problem;
    const struct weir_cell *cell = &s->region->cells[o];
    int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
    if (o == p->target && row == p->target_row)
        by_kind[p->target_finish] = 0;
    s->relaxations += weir_sweep_pull(p->graph, s->region->row_of, o, row, by_kind);
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

#endif
