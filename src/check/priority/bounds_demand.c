/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The demand of a window. It grows with the window, so that the least fixed point is found by going up from below, and every step
 * is at least a tick.
 */
#include "check/priority/bounds_window.h"

#include <string.h>

static int64_t end_of(const struct weir_interferer *j, int64_t q, int64_t window)
{
    int64_t end = weir_ceil_divide(j->offset + window, j->period);
    if (j->sporadic && end < 0)
        end = 0;
    return j->depth < WEIR_WINDOW_MAX && j->depth + q - 1 < end ? j->depth + q - 1 : end;
}

/* Those with a latest end, earliest first: together they take no longer than until the last of their ends. */
static int64_t clipped_work(const struct weir_demand *d)
{
    int64_t sum = 0;
    for (size_t k = 0; k < d->clipped_count; k++) {
        const struct weir_clipped *c = &d->clipped[k];
        const struct weir_interferer *j = &d->interferers[c->interferer];
        if (c->number >= j->end)
            continue;
        sum = c->end - sum < j->worst ? c->end : sum + j->worst;
    }
    return sum;
}

/* demand(q, window), or anything above the limit if it is above. */
static weir_wide work_in(struct weir_demand *d, int64_t q, int64_t window, int64_t limit)
{
    weir_wide own = (weir_wide)q * d->worst, sum = d->base + own;
    weir_wide rounds = d->slot ? (own + d->slot - 1) / d->slot : 0;
    for (size_t k = 0; k < d->count && sum <= limit; k++) {
        struct weir_interferer *j = &d->interferers[k];
        j->end = end_of(j, q, window);
        int64_t times = j->end - j->first - j->listed, most = weir_ceil_divide(j->span + window, j->period);
        times = times < most ? times : most;
        weir_wide work = times > 0 ? (weir_wide)times * j->worst : 0;
        if (d->slot && rounds * j->slot < work)
            work = rounds * j->slot;
        sum += work;
    }
    return sum > limit || !d->clipped_count ? sum : sum + clipped_work(d);
}

bool weir_demand_window(struct weir_demand *d, int64_t q, int64_t from, int64_t limit, int64_t *window)
{
    uint64_t cost = 1 + d->count + d->clipped_count;
    for (*window = from; *window <= limit && d->work >= cost;) {
        d->work -= cost;
        weir_wide work = work_in(d, q, *window, limit);
        if (work > limit)
            return false;
        if (work <= *window)
            return true;
        *window = (int64_t)work;
    }
    return false;
}

bool weir_demand_measure(struct weir_demand *d)
{
    /* Rounded down to a 2^-60th each: what is above 1 then is above 1. */
    weir_wide whole = (weir_wide)1 << 60, load = whole * d->worst / d->period;
    weir_wide repeat = 1;
    for (size_t k = 0; k < d->count; k++) {
        const struct weir_interferer *j = &d->interferers[k];
        load += whole * j->worst / j->period;
        if (load > whole)
            return false;
        int64_t part = j->period / weir_greatest_divisor(j->period, d->period);
        if (repeat < WEIR_WINDOW_ITERATIONS)
            repeat = repeat / weir_greatest_divisor((int64_t)repeat, part) * part;
    }
    d->repeat = INT64_MAX;
    if (load > whole)
        return false;
    if (repeat >= WEIR_WINDOW_ITERATIONS)
        return true;
    weir_wide length = repeat * d->period, work = repeat * d->worst;
    for (size_t k = 0; k < d->count && work <= length; k++)
        work += length / d->interferers[k].period * d->interferers[k].worst;
    if (work > length)
        return false;
    d->repeat = (int64_t)repeat;
    return true;
}

/* ---- token distances ---- */

/*
 * Token distances. An arc a -> b with k tokens: iteration m of b becomes ready only after iteration m - k of a has ended. A queue
 * is one such arc, with its initial messages; one that blocks is another the other way, with its free slots. Whether it blocks or
 * not, what is known about the times is a third: iteration m - k of the consumer ends by its bound, the producer's iteration m is
 * ready enable_min after its nominal moment at the earliest, and between their nominal moments there are k periods at least.
 */
bool weir_token_graph_make(struct weir_token_graph *g, const struct weir_taskset *set, struct weir_arena *arena)
{
    g->task_count = set->task_count;
    g->first = weir_arena_array(arena, (size_t)set->task_count + 2, sizeof *g->first);
    g->arcs = weir_arena_array(arena, 2 * set->edge_count, sizeof *g->arcs);
    g->there = weir_arena_array(arena, set->edge_count, sizeof *g->there);
    g->back = weir_arena_array(arena, set->edge_count, sizeof *g->back);
    g->distance = weir_arena_array(arena, set->task_count, sizeof *g->distance);
    g->queue = weir_arena_array(arena, set->task_count, sizeof *g->queue);
    g->queued = weir_arena_array(arena, set->task_count, sizeof *g->queued);
    if (arena->failed)
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
