/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latest enablings: enable_j >= finish_i - initial * P for every queue i -> j, enable_i >= finish_j - room * P where it blocks.
 * The durations finish - enable stay, so that this is a longest path: passes over all queues, in the order messages go, until
 * nothing moves. If something still moves after as many passes as there are tasks, the tasks that raised one another form a cycle
 * that gains time every round.
 */
#include "engine/priority/system.h"

#define NO_OPERATOR UINT32_MAX

static int64_t lag_of(int64_t period, uint32_t places)
{
    int64_t lag;
    return weir_multiply(period, places, &lag) && lag < WEIR_TIME_MAX ? lag : WEIR_TIME_MAX;
}

static bool raise(struct weir_priority_system *s, uint32_t from, uint32_t to, uint32_t places)
{
    int64_t at = s->finish[from] - lag_of(s->period[to], places);
    if (at <= s->enable[to])
        return false;
    s->finish[to] += at - s->enable[to];
    s->enable[to] = at;
    s->parent[to] = from;
    weir_priority_touch(s, to);
    return true;
}

static bool counted(uint32_t room)
{
    return room != WEIR_AUTO && room != WEIR_UNBOUNDED;
}

/* One pass; returns a task that moved, or NO_OPERATOR. Ends at the first that moves beyond `most`. */
static uint32_t pass(struct weir_priority_system *s, int64_t most)
{
    const struct weir_taskset *set = s->set;
    uint32_t moved = NO_OPERATOR;
    for (size_t k = 0; k < set->edge_count; k++) {
        size_t e = s->sorted[k];
        const struct weir_task_edge *edge = &set->edges[e];
        if (edge->from == WEIR_FROM_SOURCE) {
            int64_t late = set->graphs[set->tasks[edge->to].graph].jitter - s->enable[edge->to];
            if (late > 0) {
                s->enable[edge->to] += late;
                s->finish[edge->to] += late;
                s->parent[edge->to] = NO_OPERATOR;
                weir_priority_touch(s, edge->to);
                moved = edge->to;
            }
            continue;
        }
        if (raise(s, edge->from, edge->to, edge->initial))
            moved = edge->to;
        if (edge->blocking && counted(s->fixed[e]) && raise(s, edge->to, edge->from, s->fixed[e]))
            moved = edge->from;
        if (moved != NO_OPERATOR && s->enable[moved] > most)
            break;
    }
    s->work += set->edge_count;
    return moved;
}

/* Fewest places between two tasks that follow each other on the cycle. */
static int64_t places_between(const struct weir_priority_system *s, uint32_t from, uint32_t to)
{
    int64_t least = WEIR_PRIORITY_FAR;
    for (size_t e = 0; e < s->set->edge_count; e++) {
        const struct weir_task_edge *edge = &s->set->edges[e];
        if (edge->from == from && edge->to == to && edge->initial < least)
            least = edge->initial;
        if (edge->from == to && edge->to == from && edge->blocking && counted(s->fixed[e]) && s->fixed[e] < least)
            least = s->fixed[e];
    }
    return least;
}

static void reverse(uint32_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = list[count - 1 - i];
        list[count - 1 - i] = list[i];
        list[i] = other;
    }
}

/* A cycle that was walked backwards, forwards and from its first operator on. */
static void turn_round(uint32_t *cycle, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        first = cycle[i] < cycle[first] ? i : first;
    if (count == 0)
        return;
    reverse(cycle, first + 1);
    reverse(cycle + first + 1, count - first - 1);
}

static void tell_cycle(struct weir_priority_system *s, uint32_t at)
{
    struct weir_priority_reason *r = &s->reason;
    for (uint32_t i = 0; i < s->set->task_count && s->parent[at] != NO_OPERATOR; i++)
        at = s->parent[at];
    r->fault = WEIR_PRIORITY_FAULT_CYCLE;
    r->cycle_count = 0;
    r->cycle_time = r->cycle_places = 0;
    uint32_t begin = at;
    do { /* backwards along the cycle */
        uint32_t before = s->parent[at];
        if (before == NO_OPERATOR)
            break;
        r->cycle[r->cycle_count++] = at;
        r->cycle_time += s->finish[at] - s->enable[at];
        r->cycle_places += places_between(s, before, at);
        at = before;
    } while (at != begin && r->cycle_count <= s->set->task_count);
    turn_round(r->cycle, r->cycle_count);
}

bool weir_priority_enable(struct weir_priority_system *s)
{
    uint32_t n = s->set->task_count, moved = NO_OPERATOR;
    int64_t begin = 0, most = 0; /* no path without a cycle is longer */
    for (uint32_t g = 0; g < s->set->graph_count; g++)
        begin = s->set->graphs[g].jitter > begin ? s->set->graphs[g].jitter : begin;
    for (uint32_t i = 0; i < n; i++) {
        s->parent[i] = NO_OPERATOR;
        begin = s->enable[i] > begin ? s->enable[i] : begin;
        most += s->finish[i] - s->enable[i];
    }
    most += begin;
    for (uint32_t round = 0; round < n + 2; round++) {
        moved = pass(s, most);
        if (moved == NO_OPERATOR)
            return true;
        if (s->enable[moved] > most)
            break;
        if (s->work > s->work_limit) {
            s->reason.fault = WEIR_PRIORITY_FAULT_WORK;
            return false;
        }
    }
    tell_cycle(s, moved);
    return false;
}
