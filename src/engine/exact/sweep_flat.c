/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a small region, one or more for each of its nodes: first the labels, row by row, then the ancestors in which a path
 * may begin, which nobody looks back to. What cannot be alive, whatever the times are, is left out, and so are arcs that lead
 * there.
 */
#include "base/alloc.h"
#include "engine/exact/sweep.h"

#include <string.h>

/* Cells of no step; slots of each kind, and what a step takes: whose time counts, slots of start arcs, slots of finish arcs. */
enum { NOTHING, SEED, CELLS, WIDTH = 2, LENGTH = 2 * WIDTH + 1 };

/* The node whose arcs are being gathered. */
struct node {
    struct weir_steps *steps;
    const struct weir_problem *problem;
    uint32_t actor, own; /* own: whose time counts, actor_count: none */
    bool ancestor;
    int32_t slots[2 * WIDTH];
    uint32_t used[2];
};

static void clear(struct node *n)
{
    for (int i = 0; i < 2 * WIDTH; i++)
        n->slots[i] = NOTHING;
    n->used[0] = n->used[1] = 0;
}

static bool emit(struct node *n, uint32_t own, const int32_t slots[2 * WIDTH])
{
    struct weir_steps *m = n->steps;
    size_t at = (m->count + (size_t)m->visits) * LENGTH;
    if (!weir_reserve(&m->code, &m->code_room, at + LENGTH, sizeof *m->code))
        return false;
    m->code[at] = (int32_t)own;
    memcpy(m->code + at + 1, slots, sizeof n->slots);
    m->count += !n->ancestor;
    m->visits += n->ancestor;
    return true;
}

/* One more arc. Where there is no room, an ancestor takes another step; a label gets one of no time before its own. */
static bool add(struct node *n, bool finish, int32_t cell)
{
    int32_t *slots = n->slots + (finish ? WIDTH : 0);
    if (n->used[finish] == WIDTH && n->ancestor) {
        if (!emit(n, n->own, n->slots))
            return false;
        clear(n);
    } else if (n->used[finish] == WIDTH) {
        const int32_t gathered[2 * WIDTH] = {slots[0], slots[1], cell, NOTHING};
        if (!emit(n, n->problem->graph->actor_count, gathered))
            return false;
        cell = (int32_t)n->steps->count - 1 + CELLS;
        n->used[finish] = 0;
        slots[1] = NOTHING;
    }
    slots[n->used[finish]++] = cell;
    return true;
}

/* The steps of the node, if it may be alive. */
static bool add_node(struct node *n, int64_t row)
{
    const struct weir_problem *p = n->problem;
    const struct weir_graph *g = p->graph;
    struct weir_steps *m = n->steps;
    int64_t depth = row - m->target_row;
    clear(n);
    if (n->actor == p->target && depth == 0 && !add(n, p->target_finish, SEED))
        return false;
    for (uint32_t r = g->out_first[n->actor]; r < g->out_first[n->actor + 1] && g->out_runs[r].tokens <= depth; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        const int32_t *cells = m->cell_of + (depth - run->tokens) * g->actor_count;
        for (uint32_t i = run->first; i < run->end; i++)
            if (cells[g->heads[i]] != NOTHING && !add(n, run->finish, cells[g->heads[i]]))
                return false;
    }
    if (n->used[0] + n->used[1] == 0)
        return true;
    if (!emit(n, n->own, n->slots))
        return false;
    if (!n->ancestor)
        m->cell_of[depth * g->actor_count + n->actor] = (int32_t)m->count - 1 + CELLS;
    return true;
}

bool weir_steps_flatten(struct weir_steps *m, const struct weir_problem *p)
{
    uint32_t n = p->graph->actor_count, left = n;
    size_t cells = (size_t)(m->last_row - m->target_row + 1) * n;
    struct node node = {.steps = m, .problem = p};
    if (!weir_reserve(&m->cell_of, &m->cell_room, cells, sizeof *m->cell_of))
        return false;
    memset(m->cell_of, 0, cells * sizeof *m->cell_of);
    m->count = m->visits = 0;
    for (int64_t row = m->target_row; row <= m->last_row; row++) {
        while (left > 0 && m->blocks[left - 1].ancestor_row <= row)
            left--;
        for (uint32_t i = 0; i < left; i++) {
            node.actor = node.own = m->blocks[i].actor;
            if (!add_node(&node, row))
                return false;
        }
    }
    node.ancestor = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct weir_sweep_block *block = &m->blocks[i];
        node.actor = block->actor;
        for (int64_t row = block->ancestor_row > m->target_row ? block->ancestor_row : m->target_row; row <= block->last_row;
             row++) {
            node.own = row < block->hot_row ? block->actor : n;
            if (!add_node(&node, row))
                return false;
        }
    }
    m->fits = true;
    return true;
}

int64_t weir_steps_run_flat(const struct weir_steps *m, const int64_t *hi, int64_t *cells)
{
    const int32_t *code = m->code;
    int64_t best = WEIR_DEAD;
    cells[NOTHING] = WEIR_DEAD;
    cells[SEED] = 0;
    for (int64_t *cell = cells + CELLS, *end = cell + m->count; cell < end; cell++, code += LENGTH) {
        int64_t a = cells[code[1]], b = cells[code[2]], c = cells[code[3]], d = cells[code[4]];
        a = a > b ? a : b;
        c = (c > d ? c : d) + hi[code[0]];
        *cell = a > c ? a : c;
    }
    for (const int32_t *end = code + (size_t)m->visits * LENGTH; code < end; code += LENGTH) {
        int64_t a = cells[code[1]], b = cells[code[2]], c = cells[code[3]], d = cells[code[4]];
        a = a > b ? a : b;
        c = (c > d ? c : d) + hi[code[0]];
        a = a > c ? a : c;
        best = a > best ? a : best;
    }
    return WEIR_ALIVE(best) ? best : WEIR_DEAD;
}
