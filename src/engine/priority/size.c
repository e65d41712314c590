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
        int64_t need = weir_priority_places(s, e, true);
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

bool weir_priority_keeps_all(struct weir_priority_system *s)
{
    for (size_t e = 0; e < s->set->edge_count; e++) {
        const struct weir_task_edge *edge = &s->set->edges[e];
        if (edge->blocking || edge->room == WEIR_AUTO || edge->room == WEIR_UNBOUNDED)
            continue;
        int64_t need = weir_priority_places(s, e, false);
        if (need <= edge->room)
            continue;
        s->reason.fault = WEIR_PRIORITY_FAULT_LOSS;
        s->reason.edge = e;
        s->reason.need = need + edge->initial;
        return false;
    }
    return true;
}
