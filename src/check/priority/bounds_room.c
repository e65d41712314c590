/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that do not block lose nothing. By the times: when a place is taken, enough others are free. By the order of queues: the
 * producer waits for an iteration of the consumer. By urgency: whenever the producer begins, a more urgent task on its processor
 * has nothing to do, so that it has ended all that it had the messages and the places for.
 */
#include "check/priority/bounds_window.h"

/* When iteration n of `task` begins, task j has ended iteration n - lag[j]. */
struct lags {
    const struct weir_taskset *set;
    const uint32_t *room;
    int64_t *known, *lag; /* by task: from the order of queues; WEIR_WINDOW_MAX: not known */
    uint32_t task;
};

static bool is_idle(const struct lags *l, uint32_t j)
{
    const struct weir_task *other = &l->set->tasks[j], *own = &l->set->tasks[l->task];
    if (own->processor == WEIR_OWN_PROCESSOR || other->processor != own->processor || other->priority <= own->priority)
        return false;
    enum weir_sharing sharing = l->set->processors[own->processor].sharing;
    return sharing == WEIR_PREEMPTIVE || sharing == WEIR_NONPREEMPTIVE;
}

/* j is idle: its next iteration lacks something. Who should have given it lags at least as much as j does, less the tokens; the one
 * that lags most is the worst. */
static int64_t most_lag(const struct lags *l, uint32_t j)
{
    int64_t most = -WEIR_WINDOW_MAX;
    for (size_t k = 0; k < l->set->edge_count; k++) {
        const struct weir_task_edge *e = &l->set->edges[k];
        int64_t lag = -WEIR_WINDOW_MAX;
        if (e->to == j && e->from == WEIR_FROM_SOURCE)
            lag = 0;
        else if (e->to == j && e->from != j)
            lag = l->lag[e->from] - e->initial;
        most = lag > most ? lag : most;
        if (e->from == j && e->to != j && e->blocking && l->room[k] != WEIR_UNBOUNDED && l->lag[e->to] - l->room[k] > most)
            most = l->lag[e->to] - l->room[k];
    }
    return most < l->known[j] ? most : l->known[j];
}

/* From below, until nothing moves: no circle of queues is without tokens, so no task lags because of itself. */
static bool find_lags(struct lags *l, uint64_t *work)
{
    uint64_t round = (uint64_t)l->set->task_count * l->set->edge_count + 1;
    for (uint32_t j = 0; j < l->set->task_count; j++)
        l->lag[j] = is_idle(l, j) ? -WEIR_WINDOW_MAX : l->known[j];
    for (bool moved = true; moved;) {
        moved = false;
        if (*work <= round)
            return false;
        *work -= round;
        for (uint32_t j = 0; j < l->set->task_count; j++) {
            int64_t lag = is_idle(l, j) ? most_lag(l, j) : l->lag[j];
            moved |= lag > l->lag[j];
            l->lag[j] = lag > l->lag[j] ? lag : l->lag[j];
        }
    }
    return true;
}

static bool goes_first(const struct weir_room_claim *c, const struct weir_task_edge *e, uint32_t room)
{
    struct lags l = {.set = c->set, .room = c->proof->room, .known = c->known, .lag = c->lag, .task = e->from};
    if (!is_idle(&l, e->to))
        return false;
    for (uint32_t j = 0; j < c->set->task_count; j++) {
        if (!weir_token_graph_walk(c->tokens, j, c->work))
            return false;
        l.known[j] = j == e->from ? 1 : c->tokens->distance[e->from];
    }
    return find_lags(&l, c->work) && l.lag[e->to] <= room;
}

bool weir_room_holds(const struct weir_room_claim *c, size_t k)
{
    const struct weir_task_edge *e = &c->set->edges[k];
    uint32_t room = c->proof->room[k];
    int64_t taken = e->from == WEIR_FROM_SOURCE ? 0 : c->proof->enable_min[e->from];
    if (e->blocking || room == WEIR_UNBOUNDED ||
        (weir_wide)room * c->set->graphs[c->set->tasks[e->to].graph].period >= c->finish_max[e->to] - taken)
        return true;
    if (e->from == WEIR_FROM_SOURCE)
        return false;
    if (e->from == e->to) /* its iterations follow each other */
        return room >= 1;
    weir_token_graph_set(c->tokens, c->set, c->proof, c->finish_max);
    return (weir_token_graph_walk(c->tokens, e->to, c->work) && c->tokens->distance[e->from] <= room) || goes_first(c, e, room);
}
