/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds that follow from themselves: from "no interference", executions are prolonged by the windows that the bounds of their
 * rivals allow, enablings by the finishes before them, rooms by both, until nothing changes. Then nothing that happens can be the
 * first to be late. Durations never shrink on the way: windows are not monotone in the enabling they begin with.
 *
 * All three must stand still. A duration that moved after the last enabling was computed is still a bound that nothing supports.
 */
#include "engine/priority/level.h"

#include <string.h>

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

/* When the task, or one that it waits for or that waits for it, changed last. */
static uint64_t changed_around(const struct weir_priority_system *s, uint32_t i)
{
    uint64_t latest = s->changed[i];
    for (uint32_t k = s->touching_first[i]; k < s->touching_first[i + 1]; k++) {
        const struct weir_task_edge *edge = &s->set->edges[s->touching[k]];
        uint32_t other = edge->from == i ? edge->to : edge->from;
        latest = s->changed[other] > latest ? s->changed[other] : latest;
    }
    return latest;
}

static void note_level(struct weir_priority_system *s, uint32_t i, const struct weir_window *window)
{
    bool by_level = window->by == WEIR_PRIORITY_RULE_LEVEL;
    s->level[i] = by_level ? window->level : WEIR_NO_LEVEL;
    s->region[i] = by_level ? window->region : (struct weir_region){0};
}

/* With levels: so may whatever comes to the processor from outside; where levels are joined, to any. */
static bool is_level_stale(struct weir_priority_system *s, uint32_t i)
{
    if (s->across) {
        bool moved = s->clock > s->seen[i];
        s->seen[i] = s->clock;
        return moved;
    }
    uint32_t p = s->set->tasks[i].processor;
    const uint32_t *list = p == WEIR_OWN_PROCESSOR ? &i : s->sharers + s->sharers_first[p];
    uint32_t count = p == WEIR_OWN_PROCESSOR ? 1 : s->sharers_first[p + 1] - s->sharers_first[p];
    bool stale = s->distances_changed > s->seen[i];
    for (uint32_t k = 0; k < count && !stale && s->clock > s->seen[i]; k++)
        stale = changed_around(s, list[k]) > s->seen[i];
    s->seen[i] = s->clock;
    return stale;
}

/* Whether the window of task i may have changed since it was last computed; marks it as computed. */
static bool is_stale(struct weir_priority_system *s, uint32_t i)
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
        if (!is_stale(s, i))
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

/* By the busy times of levels alone where there are some, or by the least of all rules. Where a busy time ends does not depend on
 * the enabling of the task itself: no cycle of queues on one processor adds up. */
static bool prolong_levels(struct weir_priority_system *s, bool least)
{
    struct weir_window_interest any = {0, WEIR_PRIORITY_FAR};
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        struct weir_window window;
        if (!is_level_stale(s, i))
            continue;
        enum weir_window_end end = WEIR_WINDOW_BEYOND;
        if (!least)
            end = weir_window_level(s, i, s->latency_limit - s->enable[i], &window);
        if (least || (end == WEIR_WINDOW_BEYOND && s->sharing[i] == WEIR_TDM))
            end = weir_window_longest(s, WEIR_PRIORITY_RULE_LEVEL, i, any, &window);
        if (end != WEIR_WINDOW_FOUND) {
            s->reason.fault = end == WEIR_WINDOW_WORK ? WEIR_PRIORITY_FAULT_WORK : WEIR_PRIORITY_FAULT_WINDOW;
            s->reason.task = i;
            return false;
        }
        note_level(s, i, &window);
        if (s->enable[i] + window.duration > s->finish[i]) {
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

static void next_enablings(struct weir_priority_system *s);

/* What goes up step by step for ever is not worth much more than all that was tried before. */
#define ROUNDS_MAX 500
#define WORK_LEAST UINT64_C(20000000)
#define WORK_ACROSS UINT64_C(200000000)

static enum weir_priority_outcome loop_levels(struct weir_priority_system *s, bool least)
{
    uint64_t most = (least ? 1 : 4) * s->work + (s->across ? WORK_ACROSS : WORK_LEAST);
    s->reason.fault = WEIR_PRIORITY_FAULT_NONE;
    begin(s, false);
    for (int round = 0; round < ROUNDS_MAX && s->work <= most; round++) {
        uint64_t before = s->clock;
        s->rounds++;
        next_enablings(s);
        for (uint32_t i = 0; i < s->set->task_count; i++)
            if (s->next_enable[i] > s->enable[i]) {
                s->enable[i] = s->next_enable[i];
                weir_priority_touch(s, i);
            }
        weir_priority_distances(s, false);
        if (!prolong_levels(s, least) || !within_limits(s))
            return end(s, WEIR_PRIORITY_LIMIT);
        if (s->clock == before)
            return end(s, WEIR_PRIORITY_CONVERGED);
    }
    s->reason.fault = WEIR_PRIORITY_FAULT_WORK;
    return end(s, WEIR_PRIORITY_LIMIT);
}

enum weir_priority_outcome weir_priority_loop_levels(struct weir_priority_system *s)
{
    s->across = false;
    enum weir_priority_outcome outcome = loop_levels(s, false);
    if (outcome != WEIR_PRIORITY_CONVERGED && s->work <= s->work_limit)
        outcome = loop_levels(s, true);
    if (outcome == WEIR_PRIORITY_CONVERGED || s->work > s->work_limit)
        return outcome;
    s->across = true;
    weir_region_prepare(s);
    outcome = loop_levels(s, true);
    s->across = outcome == WEIR_PRIORITY_CONVERGED;
    return outcome;
}

/* ---- narrowing ---- */

/*
 * What follows from bounds that hold, holds. Bounds that follow from themselves came about from below, and durations that were once
 * too long have stayed so; looked at again with what is known now, some are shorter. The smaller of old and new holds, too. So it
 * goes down step by step, until a step gains nothing.
 */
#define STEPS_MAX 4096

/* Takes the smaller of the present bounds and others. */
static void meet(struct weir_priority_system *s, const int64_t *enable, const int64_t *finish)
{
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        if (enable[i] >= s->enable[i] && finish[i] >= s->finish[i])
            continue;
        s->enable[i] = enable[i] < s->enable[i] ? enable[i] : s->enable[i];
        s->finish[i] = finish[i] < s->finish[i] ? finish[i] : s->finish[i];
        weir_priority_touch(s, i);
    }
}

static void need(struct weir_priority_system *s, uint32_t task, int64_t finish, uint32_t places)
{
    weir_wide at = finish - (weir_wide)places * s->period[task];
    if (at > s->next_enable[task])
        s->next_enable[task] = (int64_t)at;
}

/* The enablings that follow from the finishes. */
static void next_enablings(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    memset(s->next_enable, 0, set->task_count * sizeof *s->next_enable);
    for (size_t e = 0; e < set->edge_count; e++) {
        const struct weir_task_edge *edge = &set->edges[e];
        if (edge->from == WEIR_FROM_SOURCE) {
            need(s, edge->to, set->graphs[set->tasks[edge->to].graph].jitter, 0);
            continue;
        }
        need(s, edge->to, s->finish[edge->from], edge->initial);
        if (edge->blocking && s->fixed[e] != WEIR_UNBOUNDED && s->fixed[e] != WEIR_AUTO)
            need(s, edge->from, s->finish[edge->to], s->fixed[e]);
    }
    s->work += set->edge_count;
}

void weir_priority_enable_after(struct weir_priority_system *s)
{
    next_enablings(s);
    memcpy(s->enable, s->next_enable, s->set->task_count * sizeof *s->enable);
}

/* ... and the finishes that follow from the enablings. Those of tasks for which nothing changed were looked at before. */
static void next_finishes(struct weir_priority_system *s, enum weir_priority_rule rule)
{
    for (uint32_t i = 0; i < s->set->task_count && s->work <= s->work_limit; i++) {
        struct weir_window window;
        struct weir_window_interest shorter = {0, s->finish[i] - s->enable[i]};
        s->level[i] = WEIR_NO_LEVEL;
        if ((rule == WEIR_PRIORITY_RULE_LEVEL ? is_level_stale(s, i) : is_stale(s, i)) &&
            weir_window_longest(s, rule, i, shorter, &window) == WEIR_WINDOW_FOUND) {
            s->next_finish[i] = s->enable[i] + window.duration;
            note_level(s, i, &window);
        }
        int64_t begun = s->finish[i] - s->set->tasks[i].worst;
        s->next_enable[i] = begun < s->next_enable[i] ? begun : s->next_enable[i];
    }
}

bool weir_priority_narrow(struct weir_priority_system *s, enum weir_priority_rule rule, struct weir_bounds_proof *proof)
{
    size_t bytes = s->set->task_count * sizeof *s->finish;
    memset(s->seen, 0, s->set->task_count * sizeof *s->seen);
    for (int step = 0; step < STEPS_MAX; step++) {
        weir_priority_distances(s, false);
        memcpy(s->next_finish, s->finish, bytes);
        next_enablings(s);
        next_finishes(s, rule);
        uint64_t before = s->clock;
        meet(s, s->next_enable, s->next_finish);
        if (s->clock == before)
            return true;
        s->rounds++;
        struct weir_bounds_stage stage = {false,    (enum weir_bounds_rule)rule,  s->enable, s->finish,
                                          s->level, s->across ? s->region : NULL, NULL};
        if (!weir_proof_add(proof, &stage))
            return false;
        if (s->work > s->work_limit)
            return true;
    }
    return true;
}
