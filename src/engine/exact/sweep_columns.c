/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns instead of rows. An arc between two actors has no tokens or at least B = block_rows of them, so within a block of B rows
 * an actor depends on its successors in the same block, on finished blocks, and on itself a row or more before. The actors of a
 * block can therefore be done one after the other, each for all B rows, and an arc is a plain loop over two stretches of memory.
 */
#include "engine/exact/sweep.h"

enum { BLOCK_MAX = 256 };

struct block {
    struct weir_onepass *sweep;
    int64_t first, end; /* rows of the current actor in this block */
    int64_t by_kind[2][BLOCK_MAX];
};

static inline int64_t *column(const struct weir_onepass *s, uint32_t o)
{
    return s->region->rows + (int64_t)o * s->row_count;
}

/* The arcs to other actors. Arcs to itself are left to climb(). */
static void gather(struct block *b, uint32_t o)
{
    struct weir_onepass *s = b->sweep;
    const struct weir_graph *g = s->problem->graph;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1] && g->out_runs[r].tokens < b->end; r++) {
        const struct weir_run *run = &g->out_runs[r];
        int64_t first = b->first > run->tokens ? b->first : run->tokens, rows = b->end - first;
        int64_t *longest = b->by_kind[run->finish] + (first - b->first);
        s->relaxations += (uint64_t)rows * (run->end - run->first);
        for (uint32_t i = run->first; i < run->end; i++) {
            if (g->heads[i] == o)
                continue;
            const int64_t *values = column(s, g->heads[i]) + first - run->tokens;
            for (int64_t k = 0; k < rows; k++)
                longest[k] = values[k] > longest[k] ? values[k] : longest[k];
        }
    }
}

/* Adds the arcs to itself at one row. */
static inline void climb(const struct weir_graph *g, uint32_t o, const int64_t *mine, int64_t row, int64_t by_kind[2])
{
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1] && g->out_runs[r].tokens <= row; r++) {
        const struct weir_run *run = &g->out_runs[r];
        if (run->end - run->first != 1 || g->heads[run->first] != o)
            continue;
        int64_t before = mine[row - run->tokens];
        by_kind[run->finish] = before > by_kind[run->finish] ? before : by_kind[run->finish];
    }
}

/* Rows before the actor is an ancestor: labels. The usual case, one finish arc to itself with one token, has its own loop. */
static void fill_labels(struct block *b, uint32_t o, int64_t end)
{
    const struct weir_graph *g = b->sweep->problem->graph;
    int64_t hi = g->hi[o], *mine = column(b->sweep, o);
    uint32_t selves = 0;
    bool plain = false;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_run *run = &g->out_runs[r];
        if (run->end - run->first == 1 && g->heads[run->first] == o) {
            selves++;
            plain = run->tokens == 1 && run->finish;
        }
    }
    if (selves == 1 && plain) {
        int64_t before = b->first > 0 ? mine[b->first - 1] : WEIR_DEAD;
        for (int64_t row = b->first; row < end; row++) {
            int64_t finish = b->by_kind[1][row - b->first], start = b->by_kind[0][row - b->first];
            finish = (before > finish ? before : finish) + hi;
            before = finish > start ? finish : start;
            before = WEIR_ALIVE(before) ? before : WEIR_DEAD;
            mine[row] = before;
        }
        return;
    }
    for (int64_t row = b->first; row < end; row++) {
        int64_t by_kind[2] = {b->by_kind[0][row - b->first], b->by_kind[1][row - b->first]};
        climb(g, o, mine, row, by_kind);
        int64_t finish = by_kind[1] + hi, longest = finish > by_kind[0] ? finish : by_kind[0];
        mine[row] = WEIR_ALIVE(longest) ? longest : WEIR_DEAD;
    }
}

/* Rows in which it is one: where the critical path may begin. */
static void weigh_ancestors(struct block *b, uint32_t o, int64_t first)
{
    struct weir_onepass *s = b->sweep;
    const struct weir_cell *cell = &s->region->cells[o];
    int64_t *mine = column(s, o);
    for (int64_t row = first; row < b->end; row++) {
        int64_t by_kind[2] = {b->by_kind[0][row - b->first], b->by_kind[1][row - b->first]};
        climb(s->problem->graph, o, mine, row, by_kind);
        int64_t finish = by_kind[1] + (row < cell->hot_row ? cell->hi : 0);
        int64_t longest = finish > by_kind[0] ? finish : by_kind[0];
        mine[row] = WEIR_DEAD;
        if (longest > s->best) {
            s->best = longest;
            s->start = (struct weir_onepass_start){o, row};
        }
    }
}

static void do_actor(struct block *b, uint32_t o, int64_t block_first, int64_t block_end)
{
    struct weir_onepass *s = b->sweep;
    const struct weir_problem *p = s->problem;
    const struct weir_cell *cell = &s->region->cells[o];
    b->first = block_first;
    b->end = cell->last_row + 1 < block_end ? cell->last_row + 1 : block_end;
    int64_t *mine = column(s, o);
    for (int64_t row = b->end > b->first ? b->end : b->first; row < block_end; row++)
        mine[row] = WEIR_DEAD;
    if (b->end <= b->first)
        return;
    for (int64_t k = 0; k < b->end - b->first; k++)
        b->by_kind[0][k] = b->by_kind[1][k] = WEIR_DEAD;
    if (o == p->target && p->target_row >= b->first && p->target_row < b->end)
        b->by_kind[p->target_finish][p->target_row - b->first] = 0;
    gather(b, o);
    int64_t split = cell->ancestor_row < b->first ? b->first : cell->ancestor_row < b->end ? cell->ancestor_row : b->end;
    fill_labels(b, o, split);
    weigh_ancestors(b, o, split);
}

void weir_sweep_columns(struct weir_onepass *s)
{
    const struct weir_graph *g = s->problem->graph;
    struct block b;
    b.sweep = s;
    int64_t rows = g->block_rows < BLOCK_MAX ? g->block_rows : BLOCK_MAX;
    for (int64_t first = 0; first < s->row_count && weir_sweep_goes_on(s); first += rows) {
        int64_t end = first + rows < s->row_count ? first + rows : s->row_count;
        for (uint32_t o = g->actor_count; o-- > 0;)
            do_actor(&b, o, first, end);
    }
}
