/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions: levels of several processors together. While any task of the region has something to do, one of the processors at least
 * works for the region, so that the busy time of the region is no longer than all it has to do, one after the other
 * (docs/concepts/shared-processors.md, section 12). Nothing that happens inside is followed from task to task: a cycle of queues,
 * or a path that comes back to a processor, is inside as a whole, and what interferes with it counts once.
 *
 * Every region whose load is below 1 gives a bound. Two kinds are tried. One grows from the level of the task along what enables it
 * last: by the level of the task outside whose end that is, again and again. The other takes the same share of the tasks of every
 * preemptive processor, the most urgent ones.
 */
#include "engine/priority/level.h"

enum { SHARES = 5, DEPTHS = 3 }; /* of the other processors; of the task's own, from its priority to the lowest */

struct hunt {
    struct weir_priority_system *s;
    uint32_t task;
    int64_t most;
    bool found;
    struct weir_window *window;
};

/* Whether the tasks that were entered ask for less than there is, all together. */
static bool is_slack(const struct weir_priority_system *s)
{
    weir_wide whole = (weir_wide)1 << 60, load = 0;
    for (uint32_t k = 0; k < s->entered_count; k++)
        load += whole * s->set->tasks[s->entered[k]].worst / s->period[s->entered[k]] + 1;
    return load < whole;
}

/* Enters the region and keeps its bound if it is the least so far. *going: false where it asks for too much. */
static enum weir_window_end try(struct hunt *h, int32_t priority, const struct weir_region *region, bool *going)
{
    struct weir_priority_system *s = h->s;
    struct weir_level l = {.s = s, .task = h->task, .priority = priority, .region = region};
    struct weir_window one;
    weir_level_enter(s, h->task, priority, region);
    *going = is_slack(s);
    if (!*going || region->count == 0)
        return WEIR_WINDOW_BEYOND;
    enum weir_window_end end = weir_level_close(&l, h->most, &one);
    if (end == WEIR_WINDOW_FOUND) {
        *h->window = one;
        h->most = one.duration - 1;
        h->found = true;
    }
    return end;
}

/* ---- along what enables it last ---- */

/* The level of one task more; false where there is none: slots are fixed, or too many processors are in it. */
static bool join(const struct weir_priority_system *s, uint32_t task, uint32_t more, int32_t *priority, struct weir_region *region)
{
    const struct weir_task *tasks = s->set->tasks;
    uint32_t p = tasks[more].processor, k = 0;
    if (s->sharing[more] == WEIR_TDM)
        return false;
    if (p != WEIR_OWN_PROCESSOR && p == tasks[task].processor) {
        *priority = tasks[more].priority < *priority ? tasks[more].priority : *priority;
        return true;
    }
    while (k < region->count && (p == WEIR_OWN_PROCESSOR || tasks[region->task[k]].processor != p))
        k++;
    if (k == WEIR_REGION_MAX)
        return false;
    region->task[k] = more;
    region->count += k == region->count;
    return true;
}

static enum weir_window_end grow(struct hunt *h)
{
    struct weir_region region = {0};
    int32_t priority = h->s->set->tasks[h->task].priority;
    for (bool going = true;;) {
        if (try(h, priority, &region, &going) == WEIR_WINDOW_WORK)
            return WEIR_WINDOW_WORK;
        uint32_t from = h->s->entry_by[h->task];
        if (!going || from == WEIR_FROM_SOURCE || !join(h->s, h->task, from, &priority, &region))
            return WEIR_WINDOW_FOUND;
    }
}

/* ---- shares of all processors ---- */

/* Tasks of every processor, the most urgent first. */
void weir_region_prepare(struct weir_priority_system *s)
{
    const struct weir_task *tasks = s->set->tasks;
    for (uint32_t p = 0; p < s->set->processor_count; p++)
        for (uint32_t k = s->sharers_first[p]; k < s->sharers_first[p + 1]; k++) {
            uint32_t task = s->sharers[k], at = k;
            for (; at > s->sharers_first[p] && tasks[s->ranked[at - 1]].priority < tasks[task].priority; at--)
                s->ranked[at] = s->ranked[at - 1];
            s->ranked[at] = task;
        }
}

static uint32_t share_of(uint32_t count, uint32_t part, uint32_t parts)
{
    return (count * part + parts / 2) / parts;
}

static enum weir_window_end take_shares(struct hunt *h, uint32_t depth, uint32_t part)
{
    const struct weir_priority_system *s = h->s;
    const struct weir_task *tasks = s->set->tasks;
    uint32_t own = tasks[h->task].processor;
    int32_t priority = tasks[h->task].priority;
    struct weir_region region = {0};
    bool going;
    for (uint32_t p = 0; p < s->set->processor_count; p++) {
        uint32_t first = s->sharers_first[p], count = s->sharers_first[p + 1] - first, taken = share_of(count, part, SHARES);
        if (p == own) { /* from its own place on */
            uint32_t at = 0;
            while (s->ranked[first + at] != h->task)
                at++;
            priority = tasks[s->ranked[first + at + share_of(count - at - 1, depth, DEPTHS - 1)]].priority;
        } else if (taken > 0 && s->set->processors[p].sharing == WEIR_PREEMPTIVE && region.count < WEIR_REGION_MAX) {
            region.task[region.count++] = s->ranked[first + taken - 1];
        }
    }
    return try(h, priority, &region, &going);
}

/* ---- both ---- */

enum weir_window_end weir_window_region(struct weir_priority_system *s, uint32_t i, int64_t most, struct weir_window *window)
{
    struct hunt h = {.s = s, .task = i, .most = most, .window = window};
    if (s->sharing[i] == WEIR_TDM)
        return WEIR_WINDOW_BEYOND;
    weir_priority_distances_from(s, i);
    if (grow(&h) == WEIR_WINDOW_WORK)
        return WEIR_WINDOW_WORK;
    for (uint32_t depth = 0; depth < DEPTHS && s->set->processor_count > 1; depth++)
        for (uint32_t part = 1; part <= SHARES; part++)
            if (take_shares(&h, depth, part) == WEIR_WINDOW_WORK)
                return WEIR_WINDOW_WORK;
    return h.found ? WEIR_WINDOW_FOUND : WEIR_WINDOW_BEYOND;
}
