/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds that follow from themselves: from "no interference", executions are prolonged by the windows that the bounds of their
 * rivals allow, enablings by the finishes before them, rooms by both, until nothing changes. Then nothing that happens can be the
 * first to be late. Durations never shrink on the way: windows are not monotone in the enabling they begin with.
 *
 * All three must stand still. A duration that moved after the last enabling was computed is still a bound that nothing supports.
 */
#include "engine/priority/window.h"

static void begin(struct weir_priority_system *s, bool sizing)
{
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        s->enable[i] = 0;
        s->finish[i] = s->set->tasks[i].worst;
        s->seen[i] = 0;
        weir_priority_touch(s, i);
    }
    for (size_t e = 0; e < s->set->edge_count; e++) {
        const struct weir_task_edge *edge = &s->set->edges[e];
        s->room[e] = s->fixed[e];
        if (sizing && edge->blocking && s->fixed[e] == WEIR_AUTO)
            s->room[e] = edge->initial == 0;
    }
}

bool weir_priority_stale(struct weir_priority_system *s, uint32_t i)
{
    uint64_t latest = s->changed[i] > s->distances_changed ? s->changed[i] : s->distances_changed;
    for (uint32_t r = s->first[i]; r < s->first[i + 1]; r++)
        latest = s->changed[s->rivals[r].task] > latest ? s->changed[s->rivals[r].task] : latest;
    if (latest <= s->seen[i])
        return false;
    s->seen[i] = s->clock;
    return true;
}

static bool prolong(struct weir_priority_system *s, enum weir_priority_rule rule)
{
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        struct weir_window window;
        if (!weir_priority_stale(s, i))
            continue;
        struct weir_window_interest longer = {s->finish[i] - s->enable[i], WEIR_PRIORITY_FAR};
        enum weir_window_end end = weir_window_longest(s, rule, i, longer, &window);
        if (end != WEIR_WINDOW_FOUND) {
            s->reason.fault = end == WEIR_WINDOW_WORK ? WEIR_PRIORITY_FAULT_WORK : WEIR_PRIORITY_FAULT_WINDOW;
            s->reason.task = i;
            return false;
        }
        if (window.duration > s->finish[i] - s->enable[i]) {
            s->finish[i] = s->enable[i] + window.duration;
            weir_priority_touch(s, i);
        }
    }
    return true;
}

static bool within_limits(struct weir_priority_system *s)
{
    for (uint32_t i = 0; i < s->set->task_count; i++)
        if (s->finish[i] > s->latency_limit) {
            s->reason.fault = WEIR_PRIORITY_FAULT_LATE;
            s->reason.task = i;
            return false;
        }
    if (s->work <= s->work_limit)
        return true;
    s->reason.fault = WEIR_PRIORITY_FAULT_WORK;
    return false;
}

static enum weir_priority_outcome end(struct weir_priority_system *s, enum weir_priority_outcome outcome)
{
    if (s->reason.fault == WEIR_PRIORITY_FAULT_WORK)
        outcome = WEIR_PRIORITY_LIMIT;
    s->reason.outcome = outcome;
    return outcome;
}

enum weir_priority_outcome weir_priority_loop(struct weir_priority_system *s, enum weir_priority_rule rule, bool sizing)
{
    bool back = rule == WEIR_PRIORITY_RULE_PJ;
    s->reason.fault = WEIR_PRIORITY_FAULT_NONE;
    begin(s, sizing);
    if (!weir_priority_enable(s))
        return end(s, WEIR_PRIORITY_UNBOUNDED);
    weir_priority_distances(s, back);
    for (bool moved = true; moved;) {
        bool resized = false;
        uint64_t before = s->clock;
        s->rounds++;
        if (!prolong(s, rule))
            return end(s, WEIR_PRIORITY_LIMIT);
        if (!weir_priority_enable(s))
            return end(s, WEIR_PRIORITY_VIOLATED);
        if (!within_limits(s))
            return end(s, WEIR_PRIORITY_LIMIT);
        if (sizing && !weir_priority_size(s, &resized))
            return end(s, WEIR_PRIORITY_LIMIT);
        if (resized || s->timed)
            weir_priority_distances(s, back);
        moved = resized || s->clock != before;
    }
    return end(s, WEIR_PRIORITY_CONVERGED);
}
