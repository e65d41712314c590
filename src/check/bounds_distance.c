/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Token distances. An arc a -> b with k tokens: iteration m of b becomes ready only after iteration m - k of a has ended. A queue
 * is one such arc, with its initial messages; one that blocks is another the other way, with its free places. Whether it blocks or
 * not, what is known about the times is a third: iteration m - k of the consumer ends by its bound, the producer's iteration m is
 * ready enable_min after its nominal moment at the earliest, and between their nominal moments there are k periods at least.
 */
#include "base/alloc.h"
#include "check/bounds_window.h"

#include <string.h>

bool weir_token_graph_make(struct weir_token_graph *g, const struct weir_taskset *set)
{
    memset(g, 0, sizeof *g);
    g->task_count = set->task_count;
    g->first = weir_array_zeroed((size_t)set->task_count + 2, sizeof *g->first);
    g->arcs = weir_array_zeroed(2 * set->edge_count, sizeof *g->arcs);
    g->there = weir_array_zeroed(set->edge_count, sizeof *g->there);
    g->back = weir_array_zeroed(set->edge_count, sizeof *g->back);
    g->distance = weir_array_zeroed(set->task_count, sizeof *g->distance);
    g->queue = weir_array_zeroed(set->task_count, sizeof *g->queue);
    g->queued = weir_array_zeroed(set->task_count, sizeof *g->queued);
    if (!g->first || !g->arcs || !g->there || !g->back || !g->distance || !g->queue || !g->queued)
        return false;
    uint32_t *at = g->first + 1; /* while filling, one place ahead */
    for (size_t k = 0; k < set->edge_count; k++)
        if (set->edges[k].from != WEIR_FROM_SOURCE) {
            at[set->edges[k].from + 1]++;
            at[set->edges[k].to + 1]++;
        }
    for (uint32_t i = 1; i <= set->task_count; i++)
        at[i] += at[i - 1];
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        if (e->from == WEIR_FROM_SOURCE)
            continue;
        g->there[k] = at[e->from]++;
        g->arcs[g->there[k]] = (struct weir_token_arc){e->to, e->initial};
        g->back[k] = at[e->to]++;
        g->arcs[g->back[k]] = (struct weir_token_arc){e->from, WEIR_WINDOW_MAX};
    }
    return true;
}

void weir_token_graph_free(struct weir_token_graph *g)
{
    weir_free(g->first);
    weir_free(g->arcs);
    weir_free(g->there);
    weir_free(g->back);
    weir_free(g->distance);
    weir_free(g->queue);
    weir_free(g->queued);
}

void weir_token_graph_set(struct weir_token_graph *g, const struct weir_taskset *set, const struct weir_bounds_proof *proof,
                          const int64_t *finish_max)
{
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        if (e->from == WEIR_FROM_SOURCE)
            continue;
        int64_t tokens =
            weir_ceil_divide(finish_max[e->to] - proof->enable_min[e->from], set->graphs[set->tasks[e->to].graph].period);
        if (tokens < 0)
            tokens = 0;
        if (e->blocking && proof->room[k] < tokens)
            tokens = proof->room[k];
        g->arcs[g->back[k]].tokens = tokens;
    }
}

bool weir_token_graph_walk(struct weir_token_graph *g, uint32_t task, uint64_t *work)
{
    uint32_t head = 0, waiting = 1;
    for (uint32_t i = 0; i < g->task_count; i++)
        g->distance[i] = WEIR_WINDOW_MAX;
    g->distance[task] = 0;
    g->queue[0] = task;
    while (waiting > 0) {
        uint32_t a = g->queue[head], arcs = g->first[a + 1] - g->first[a];
        head = head + 1 == g->task_count ? 0 : head + 1;
        waiting--;
        g->queued[a] = 0;
        if (*work <= arcs) {
            memset(g->queued, 0, g->task_count);
            return false;
        }
        *work -= arcs + 1;
        for (uint32_t k = g->first[a]; k < g->first[a + 1]; k++) {
            uint32_t b = g->arcs[k].to;
            int64_t distance = g->distance[a] + g->arcs[k].tokens;
            if (g->arcs[k].tokens >= WEIR_WINDOW_MAX || distance >= g->distance[b])
                continue;
            g->distance[b] = distance;
            if (!g->queued[b]) {
                uint32_t behind = g->task_count - head; /* of the head, up to the end of the ring */
                g->queued[b] = 1;
                g->queue[waiting < behind ? head + waiting : waiting - behind] = b;
                waiting++;
            }
        }
    }
    return true;
}
