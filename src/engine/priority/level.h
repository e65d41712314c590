/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Busy times of levels. All tasks of a processor that are as urgent as some priority, or more, make up a level. While any of them
 * has something to do, the processor does nothing else; so what happens inside need not be followed from task to task: a busy time
 * begins with an event from outside, the input of a source or the end of a task that does not belong to the level.
 *
 * entry_j: the event from outside that an iteration of j goes back to comes no later than this after its nominal moment: the
 * longest path to j within the level, where only messages and free slots count, and no execution. If the level becomes busy at t0 =
 * (nominal moment of iteration n of i) + entry_i - z, then z >= 0, and what runs in [t0, t0 + w) are iterations n + m of j with
 *
 *     entry_j + m P >= entry_i - z          the event from outside is not before t0
 *     enable_min_j + m P < entry_i - z + w  it is enabled before the window ends
 *     m < D                                 it does not wait for iteration n
 *
 * The least w that holds all of it, and iteration n, gives finish_i >= entry_i + w - z. Every level that i is in gives such a
 * bound.
 *
 * Tasks of another periodic graph have one unknown phase for all of them. The worst is one of those with the latest entry of one of
 * them, their leader, at t0: a window for each, and not for the worst of all in every step.
 */
#ifndef WEIR_ENGINE_PRIORITY_LEVEL_H
#define WEIR_ENGINE_PRIORITY_LEVEL_H

#include "engine/priority/window.h"

/* A task of the level. */
struct weir_member {
    int64_t entry, early, cost, period;
    int64_t distance; /* from the task in question; of its own graph only */
    int64_t from;     /* ... the first iteration in the window */
    uint32_t task;
};

/* Tasks of one other graph, or one of a sporadic graph. */
struct weir_group {
    size_t first, end; /* members */
    size_t leader;
};

struct weir_level {
    struct weir_priority_system *s;
    uint32_t task;
    int32_t priority;
    bool sporadic;
    int64_t period, entry, cost;
    int64_t before;                   /* not preemptive: what a less urgent task may still have to do when the level becomes busy */
    int64_t tail;                     /* ... the execution that is not interrupted any more */
    int64_t late;                     /* ... 1: what is enabled at the very end of the window goes first, too */
    int64_t longest;                  /* the level is not busy for longer; WEIR_PRIORITY_FAR: not known */
    int64_t horizon;                  /* z from this on need not be looked at */
    const struct weir_region *region; /* levels of other processors that join it; NULL: none */
    size_t own, count, groups;
};

/* The latest end of the task by the busy times of the levels it is in, if it is not above `most`, all as finish - enable;
 * window->level tells which. */
enum weir_window_end weir_window_level(struct weir_priority_system *system, uint32_t task, int64_t most,
                                       struct weir_window *window);
/* How often each rival executes in that window. */
void weir_level_counts(struct weir_priority_system *system, uint32_t task, const struct weir_window *window, int64_t *counts);

/* ... of levels of several processors together (region.c); window->region tells which. prepare: once, before the first. */
void weir_region_prepare(struct weir_priority_system *system);
enum weir_window_end weir_window_region(struct weir_priority_system *system, uint32_t task, int64_t most,
                                        struct weir_window *window);

/* The same for a task that has slots of a frame (frames.c). */
enum weir_window_end weir_window_frames(struct weir_priority_system *system, uint32_t task, int64_t most,
                                        struct weir_window *window);

/* ---- between the files of levels ---- */

/* Whether an event that needs iteration n - places of `from` can be the one that enables iteration n of `to`; *lag: those places in
 * time. */
bool weir_level_can_enable(const struct weir_priority_system *system, uint32_t from, uint32_t to, uint32_t places, int64_t *lag);

/* system->entry and system->inside for the level of this priority on the processor of the task, with the levels that join it;
 * region is NULL where none do. */
void weir_level_enter(struct weir_priority_system *system, uint32_t task, int32_t priority, const struct weir_region *region);

/* The bound by the level that was entered, as in weir_window_level. */
enum weir_window_end weir_level_close(struct weir_level *level, int64_t most, struct weir_window *window);

/* A processor that is not preemptive joins a region as a whole. */
static inline int64_t weir_region_priority(const struct weir_priority_system *s, uint32_t task, int64_t priority)
{
    return s->sharing[task] == WEIR_PREEMPTIVE ? priority : INT64_MIN;
}

#endif
