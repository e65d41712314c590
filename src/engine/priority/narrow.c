/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from bounds that hold, holds. Bounds that follow from themselves came about from below, and durations that were once
 * too long have stayed so; looked at again with what is known now, some are shorter. The smaller of old and new holds, too. So it
 * goes down step by step, until a step gains nothing.
 */
#include "engine/priority/narrow.h"

#include "engine/priority/window.h"

#include <string.h>

#define STEPS_MAX 4096

void weir_priority_meet(struct weir_priority_system *s, const int64_t *enable, const int64_t *finish)
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
        if (edge->blocking && s->fixed[e] != WEIR_UNBOUNDED)
            need(s, edge->from, s->finish[edge->to], s->fixed[e]);
    }
    s->work += set->edge_count;
}

/* ... and the finishes that follow from the enablings. Those of tasks for which nothing changed were looked at before. */
static void next_finishes(struct weir_priority_system *s, enum weir_priority_rule rule)
{
    for (uint32_t i = 0; i < s->set->task_count && s->work <= s->work_limit; i++) {
        struct weir_window window;
        struct weir_window_interest shorter = {0, s->finish[i] - s->enable[i]};
        if (weir_priority_stale(s, i) && weir_window_longest(s, rule, i, shorter, &window) == WEIR_WINDOW_FOUND)
            s->next_finish[i] = s->enable[i] + window.duration;
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
        weir_priority_meet(s, s->next_enable, s->next_finish);
        if (s->clock == before)
            return true;
        s->rounds++;
        if (!weir_proof_add(proof, false, rule, s->enable, s->finish))
            return false;
        if (s->work > s->work_limit)
            return true;
    }
    return true;
}
