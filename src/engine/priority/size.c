/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many places a queue needs. Where the producer would wait for room, room for ceil((finish_j - enable_i) / P) makes it wait no
 * longer than its latest enabling allows; where it never waits, ceil((finish_j - enable_min_i) / P) lets no message be lost: the
 * consumer has ended that many iterations earlier before the producer can begin.
 */
#include "engine/priority/system.h"
#include "model/pipeline.h"

static bool sized(const struct weir_priority_system *s, size_t e)
{
    return s->set->edges[e].room == WEIR_AUTO && s->set->edges[e].blocking;
}

/* The fewest places that let the first iteration begin. */
static int64_t least_room(const struct weir_task_edge *edge)
{
    return edge->initial == 0;
}

int64_t weir_priority_places(const struct weir_priority_system *s, size_t e, bool blocking)
{
    const struct weir_task_edge *edge = &s->set->edges[e];
    int64_t from = edge->from == WEIR_FROM_SOURCE ? 0 : blocking ? s->enable[edge->from] : s->enable_min[edge->from];
    int64_t need = weir_ceil_divide(s->finish[edge->to] - from, s->period[edge->to]), least = blocking ? least_room(edge) : 0;
    return need > least ? need : least;
}

static bool too_large(struct weir_priority_system *s, size_t e, int64_t need)
{
    if (need + s->set->edges[e].initial < WEIR_QUEUE_MAX)
        return false;
    s->reason.fault = WEIR_PRIORITY_FAULT_ROOM;
    s->reason.edge = e;
    s->reason.need = need + s->set->edges[e].initial;
    return true;
}

bool weir_priority_size(struct weir_priority_system *s, bool *changed)
{
    for (size_t e = 0; e < s->set->edge_count; e++) {
        if (!sized(s, e))
            continue;
        int64_t need = weir_priority_places(s, e, !s->generous), least = least_room(&s->set->edges[e]);
        need = need > least ? need : least;
        if (too_large(s, e, need))
            return false;
        if (s->room[e] != WEIR_AUTO && need <= s->room[e])
            continue;
        s->room[e] = (uint32_t)need;
        *changed = true;
    }
    return true;
}

/* Whether what the queue holds follows from the bounds and has no effect on them. */
static bool follows(const struct weir_task_edge *edge)
{
    return edge->room == WEIR_UNBOUNDED || (edge->room == WEIR_AUTO && !edge->blocking);
}

int64_t weir_priority_capacity(const struct weir_priority_system *s, size_t e)
{
    const struct weir_task_edge *edge = &s->set->edges[e];
    int64_t capacity = edge->initial + (follows(edge) ? weir_priority_places(s, e, false) : s->fixed[e]);
    return capacity > 0 ? capacity : 1;
}

bool weir_priority_fix_rooms(struct weir_priority_system *s)
{
    bool changed = false;
    if (!weir_priority_size(s, &changed))
        return false;
    for (size_t e = 0; e < s->set->edge_count; e++) {
        if (follows(&s->set->edges[e]) && too_large(s, e, weir_priority_places(s, e, false)))
            return false;
        s->fixed[e] = s->room[e];
    }
    return true;
}

/* ---- distances ---- */

/*
 * How far one task can get ahead of another: iteration m of j needs iteration m - D of i where D is the least number of messages
 * and free slots on a path of queues from i to j. The bounds themselves tell such a number for every queue, too: by the time its
 * producer can begin iteration m, the consumer has ended iteration m - k if finish - k P <= enable_min. Only distances between
 * tasks that share a processor are of use, so that each task looks from itself, over its own graph.
 */
/* s->weight by queue: how far its producer gets ahead of its consumer, WEIR_PRIORITY_FAR where that is not known. Whether it is
 * what it was. */
static bool weigh(struct weir_priority_system *s)
{
    bool same = s->weighed;
    for (size_t e = 0; e < s->set->edge_count; e++) {
        const struct weir_task_edge *edge = &s->set->edges[e];
        if (edge->from == WEIR_FROM_SOURCE)
            continue;
        bool waits = edge->blocking && s->room[e] != WEIR_AUTO && s->room[e] != WEIR_UNBOUNDED;
        int64_t weight = waits ? s->room[e] : WEIR_PRIORITY_FAR;
        if (s->timed) {
            int64_t known = weir_priority_places(s, e, false);
            weight = known < weight ? known : weight;
        }
        same = same && s->weight[e] == weight;
        s->weight[e] = weight;
    }
    s->weighed = true;
    return same;
}

/* Weight of edge e when left at task `at` for the task at its other end; WEIR_PRIORITY_FAR when it cannot be. */
static int64_t step(const struct weir_priority_system *s, size_t e, uint32_t at, bool reversed, uint32_t *other)
{
    const struct weir_task_edge *edge = &s->set->edges[e];
    bool forward = (edge->from == at) != reversed;
    *other = edge->from == at ? edge->to : edge->from;
    return forward ? edge->initial : s->weight[e];
}

/* Fills s->distance with distances from `start`, or to it. Labels are corrected until none is too large; tasks of which one was
 * corrected wait in a ring. */
static void look(struct weir_priority_system *s, uint32_t start, bool reversed)
{
    uint32_t n = s->set->task_count, head = 0, count = 1;
    for (uint32_t i = 0; i < n; i++)
        s->distance[i] = WEIR_PRIORITY_FAR;
    s->distance[start] = 0;
    s->queue[0] = start;
    while (count > 0) {
        uint32_t at = s->queue[head], other;
        head = head + 1 == n ? 0 : head + 1;
        count--;
        s->queued[at] = 0;
        for (uint32_t k = s->touching_first[at]; k < s->touching_first[at + 1]; k++) {
            int64_t weight = step(s, s->touching[k], at, reversed, &other);
            s->work++;
            if (weight == WEIR_PRIORITY_FAR || s->distance[at] + weight >= s->distance[other])
                continue;
            s->distance[other] = s->distance[at] + weight;
            if (!s->queued[other]) {
                uint32_t tail = head + count;
                s->queue[tail >= n ? tail - n : tail] = other;
                s->queued[other] = 1;
                count++;
            }
        }
    }
}

void weir_priority_distances_from(struct weir_priority_system *s, uint32_t task)
{
    look(s, task, false);
}

void weir_priority_distances(struct weir_priority_system *s, bool back)
{
    bool moved = false;
    if (weigh(s) && (s->both_ways || !back))
        return;
    s->both_ways = back;
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        bool any = false;
        for (uint32_t r = s->first[i]; r < s->first[i + 1] && !any; r++)
            any = s->rivals[r].same;
        if (!any)
            continue;
        for (int reversed = 0; reversed <= back; reversed++) {
            look(s, i, reversed);
            for (uint32_t r = s->first[i]; r < s->first[i + 1]; r++) {
                int64_t *known = reversed ? &s->rivals[r].back : &s->rivals[r].distance;
                if (!s->rivals[r].same || *known == s->distance[s->rivals[r].task])
                    continue;
                *known = s->distance[s->rivals[r].task];
                moved = true;
            }
        }
    }
    if (moved)
        s->distances_changed = ++s->clock;
}

/* ---- messages that would be lost ---- */

/* Whether task j has nothing to do whenever task i begins: it is more urgent. */
static bool goes_first(const struct weir_priority_system *s, uint32_t j, uint32_t i)
{
    const struct weir_task *a = &s->set->tasks[j], *b = &s->set->tasks[i];
    bool urgent = s->sharing[i] == WEIR_PREEMPTIVE || s->sharing[i] == WEIR_NONPREEMPTIVE;
    return urgent && b->processor != WEIR_OWN_PROCESSOR && a->processor == b->processor && a->priority > b->priority;
}

/* The lag of `to`, one that goes first: what it waits for, if not itself, may lag as much as it does, and `tokens` more. */
static bool lag_more(struct weir_priority_system *s, uint32_t from, uint32_t to, uint32_t tokens, int64_t *lag)
{
    int64_t most = from == WEIR_FROM_SOURCE ? 0 : lag[from] - tokens;
    most = most < s->distance[to] ? most : s->distance[to];
    if (from == to || most <= lag[to])
        return false;
    lag[to] = most;
    return true;
}

/*
 * When iteration n of i begins, the task that it waited for has ended iteration n - distance, and i itself n - 1; inputs up to n
 * are there. A task that goes first has ended all that it could begin, so that it lags no more than one of those it waits for, and
 * so on: round a circle of queues it would lag more than it does.
 */
static int64_t lag_of_urgent(struct weir_priority_system *s, const struct weir_task_edge *edge)
{
    const struct weir_taskset *set = s->set;
    int64_t *lag = s->reached;
    look(s, edge->from, true);
    s->distance[edge->from] = 1;
    for (uint32_t j = 0; j < set->task_count; j++)
        lag[j] = goes_first(s, j, edge->from) ? -WEIR_PRIORITY_FAR : s->distance[j];
    for (bool moved = true; moved && !weir_priority_spent(s);) {
        moved = false;
        for (size_t k = 0; k < set->edge_count; k++) {
            const struct weir_task_edge *e = &set->edges[k];
            bool back = e->blocking && s->fixed[k] != WEIR_UNBOUNDED && s->fixed[k] != WEIR_AUTO;
            if (goes_first(s, e->to, edge->from))
                moved |= lag_more(s, e->from, e->to, e->from == WEIR_FROM_SOURCE ? 0 : e->initial, lag);
            if (back && goes_first(s, e->from, edge->from))
                moved |= lag_more(s, e->to, e->from, s->fixed[k], lag);
        }
        s->work += set->edge_count;
    }
    return s->work > s->work_limit ? WEIR_PRIORITY_FAR : lag[edge->to];
}

/* How far the producer can get ahead of the consumer, if that is less than `need`: not beyond the end of an iteration that it must
 * wait for, whatever the times; nor beyond its own iteration before; nor beyond a consumer that always goes first. */
static int64_t least_ahead(struct weir_priority_system *s, const struct weir_task_edge *edge, int64_t need)
{
    if (edge->from == edge->to)
        return 1;
    s->weighed = weigh(s);
    look(s, edge->to, false);
    need = s->distance[edge->from] < need ? s->distance[edge->from] : need;
    int64_t lag = goes_first(s, edge->to, edge->from) ? lag_of_urgent(s, edge) : need;
    return lag < need ? lag : need;
}

bool weir_priority_keeps_all(struct weir_priority_system *s)
{
    for (size_t e = 0; e < s->set->edge_count; e++) {
        const struct weir_task_edge *edge = &s->set->edges[e];
        if (edge->blocking || edge->room == WEIR_AUTO || edge->room == WEIR_UNBOUNDED)
            continue;
        int64_t need = weir_priority_places(s, e, false);
        if (need > edge->room)
            need = least_ahead(s, edge, need);
        if (need <= edge->room)
            continue;
        s->reason.fault = WEIR_PRIORITY_FAULT_LOSS;
        s->reason.edge = e;
        s->reason.need = need + edge->initial;
        return false;
    }
    return true;
}
