/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From outside to the tasks of a level, or of levels that are joined. Iteration n of a task is enabled by the last of several
 * events; where that is the end of a task of the level, the same is asked of that one. What comes no later than the earliest
 * enabling is never the last alone: among the messages of queues that begin empty, and the inputs, there is one that is no earlier.
 */
#include "engine/priority/level.h"

static bool counted(uint32_t room)
{
    return room != WEIR_AUTO && room != WEIR_UNBOUNDED;
}

bool weir_level_can_enable(const struct weir_priority_system *s, uint32_t from, uint32_t to, uint32_t places, int64_t *lag)
{
    *lag = 0;
    if (places == 0)
        return true;
    if (!weir_multiply(s->period[to], places, lag) || *lag >= WEIR_TIME_MAX)
        return false;
    return s->finish[from] - *lag > s->enable_min[to];
}

static bool raise(struct weir_priority_system *s, uint32_t from, uint32_t to, uint32_t places, bool inner)
{
    int64_t lag;
    if (!s->inside[to] || s->inside[from] != inner || !weir_level_can_enable(s, from, to, places, &lag))
        return false;
    int64_t at = (inner ? s->entry[from] : s->finish[from]) - lag;
    if (at <= s->entry[to])
        return false;
    s->entry[to] = at;
    s->entry_by[to] = inner ? s->entry_by[from] : from;
    return true;
}

/* Over the queues of one task: what it gives to others and, in doing so, what they give to it. Whether something moved; *inward:
 * whether one of them leads from one task of the level to another. */
static bool pass(struct weir_priority_system *s, uint32_t task, bool inner, bool *inward)
{
    bool moved = false;
    for (uint32_t k = s->touching_first[task]; k < s->touching_first[task + 1]; k++) {
        const struct weir_task_edge *edge = &s->set->edges[s->touching[k]];
        uint32_t room = s->fixed[s->touching[k]];
        bool within = s->inside[edge->from] && s->inside[edge->to];
        *inward |= within;
        if (within != inner)
            continue;
        moved |= raise(s, edge->from, edge->to, edge->initial, inner);
        if (edge->blocking && counted(room))
            moved |= raise(s, edge->to, edge->from, room, inner);
    }
    s->work += s->touching_first[task + 1] - s->touching_first[task];
    return moved;
}

/* The tasks of the processor of `task` from that priority on, those that are inside already left out. */
static void include(struct weir_priority_system *s, uint32_t task, int64_t priority)
{
    const struct weir_taskset *set = s->set;
    uint32_t p = set->tasks[task].processor;
    const uint32_t *list = p == WEIR_OWN_PROCESSOR ? &task : s->sharers + s->sharers_first[p];
    uint32_t count = p == WEIR_OWN_PROCESSOR ? 1 : s->sharers_first[p + 1] - s->sharers_first[p];
    for (uint32_t k = 0; k < count; k++)
        if ((list[k] == task || set->tasks[list[k]].priority >= priority) && !s->inside[list[k]]) {
            s->entered[s->entered_count++] = list[k];
            s->inside[list[k]] = 1;
            s->entry_by[list[k]] = WEIR_FROM_SOURCE;
            s->entry[list[k]] = s->fed[list[k]] ? set->graphs[set->tasks[list[k]].graph].jitter : -WEIR_PRIORITY_FAR;
        }
}

void weir_level_enter(struct weir_priority_system *s, uint32_t task, int32_t priority, const struct weir_region *region)
{
    for (uint32_t k = 0; k < s->entered_count; k++)
        s->inside[s->entered[k]] = 0;
    s->entered_count = 0;
    include(s, task, region ? weir_region_priority(s, task, priority) : priority);
    for (uint32_t k = 0; region && k < region->count; k++)
        include(s, region->task[k], weir_region_priority(s, region->task[k], s->set->tasks[region->task[k]].priority));
    bool inward = false;
    for (uint32_t k = 0; k < s->entered_count; k++)
        pass(s, s->entered[k], false, &inward);
    for (bool moved = inward; moved;) {
        moved = false;
        for (uint32_t k = 0; k < s->entered_count; k++)
            moved |= pass(s, s->entered[k], true, &inward);
    }
    for (uint32_t k = 0; k < s->entered_count; k++)
        if (s->entry[s->entered[k]] > s->enable[s->entered[k]])
            s->entry[s->entered[k]] = s->enable[s->entered[k]];
}
