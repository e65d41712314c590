/* SPDX-License-Identifier: Apache-2.0 */
/* What a situation says: which iterations are pending, which of them run, and so which clocks there are and how they go. */
#include "engine/priority/reach.h"

bool weir_reach_is_pending(const struct weir_reach *r, uint16_t *situation, uint32_t task)
{
    const struct weir_priority_system *s = r->s;
    uint32_t behind = *weir_reach_behind(r, situation, task);
    if (behind == 0 || (s->fed[task] && behind + 1 <= *weir_reach_due(r, situation, s->set->tasks[task].graph)))
        return false;
    for (uint32_t k = s->touching_first[task]; k < s->touching_first[task + 1]; k++) {
        const struct weir_task_edge *e = &s->set->edges[s->touching[k]];
        if (e->to == task && behind + (uint64_t)e->initial <= *weir_reach_behind(r, situation, e->from))
            return false;
        bool limited = e->blocking && e->room != WEIR_AUTO && e->room != WEIR_UNBOUNDED;
        if (e->from == task && limited && *weir_reach_behind(r, situation, e->to) >= behind + (uint64_t)e->room)
            return false;
    }
    return true;
}

/* The most urgent pending tasks of each processor; in round robin all are. */
static void find_urgent(struct weir_reach *r, uint16_t *situation)
{
    const struct weir_taskset *set = r->s->set;
    for (uint32_t p = 0; p < set->processor_count; p++)
        r->urgency[p] = (struct weir_reach_urgency){INT32_MIN, 0, 0};
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        if (p == WEIR_OWN_PROCESSOR || !weir_reach_is_pending(r, situation, i))
            continue;
        int32_t priority = set->processors[p].sharing == WEIR_ROUND_ROBIN ? 0 : set->tasks[i].priority;
        if (r->urgency[p].count > 0 && priority < r->urgency[p].priority)
            continue;
        uint32_t count = priority == r->urgency[p].priority ? r->urgency[p].count : 0;
        r->urgency[p] = (struct weir_reach_urgency){priority, count + 1, 0};
    }
}

static enum weir_pace pace_of(const struct weir_reach *r, uint32_t task)
{
    const struct weir_taskset *set = r->s->set;
    uint32_t p = set->tasks[task].processor;
    if (p == WEIR_OWN_PROCESSOR || set->processors[p].sharing == WEIR_NONPREEMPTIVE)
        return WEIR_PACE_RUNS;
    if (set->processors[p].sharing == WEIR_PREEMPTIVE && set->tasks[task].priority < r->urgency[p].priority)
        return WEIR_PACE_STANDS;
    return r->urgency[p].count == 1 ? WEIR_PACE_RUNS : WEIR_PACE_SHARES;
}

/* Without preemption, only what has begun has a clock. */
static bool has_clock(struct weir_reach *r, uint16_t *situation, uint32_t task)
{
    uint32_t p = r->s->set->tasks[task].processor;
    if (p != WEIR_OWN_PROCESSOR && r->s->set->processors[p].sharing == WEIR_NONPREEMPTIVE)
        return *weir_reach_running(r, situation, p) == task + 1;
    return weir_reach_is_pending(r, situation, task);
}

void weir_reach_look(struct weir_reach *r, uint16_t *situation, struct weir_reach_view *view)
{
    const struct weir_taskset *set = r->s->set;
    view->count = 1;
    view->urgent = false;
    view->clocks[0] = (struct weir_reach_clock){.pace = WEIR_PACE_STANDS};
    for (uint32_t g = 0; g < set->graph_count; g++) {
        uint16_t due = *weir_reach_due(r, situation, g);
        int64_t most = set->graphs[g].period;
        if (due == 0)
            continue;
        if (due > 1 && set->graphs[g].jitter - (due - 2) * set->graphs[g].period < most)
            most = set->graphs[g].jitter - (due - 2) * set->graphs[g].period;
        view->clocks[view->count++] = (struct weir_reach_clock){true, WEIR_PACE_RUNS, g, most, 0, 0};
    }
    find_urgent(r, situation);
    for (uint32_t i = 0; i < set->task_count; i++)
        if (has_clock(r, situation, i))
            view->clocks[view->count++] = (struct weir_reach_clock){false, pace_of(r, i), i, set->tasks[i].worst, 0, 0};
    for (uint32_t p = 0; p < set->processor_count; p++)
        if (set->processors[p].sharing == WEIR_NONPREEMPTIVE && r->urgency[p].count > 0 &&
            *weir_reach_running(r, situation, p) == 0)
            view->urgent = true;
}
