/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a cover holds all that can be reached (docs/concepts/shared-processors.md, section 14): it holds the beginning, and
 * whatever can happen in a zone of it leads into a zone of it. Inside src/check only.
 */
#ifndef WEIR_CHECK_PRIORITY_BOUNDS_COVER_H
#define WEIR_CHECK_PRIORITY_BOUNDS_COVER_H

#include "base/alloc.h"
#include "base/number.h"
#include "check/priority/bounds.h"

/* It runs while time passes, or stands, or shares a processor with others; it never shows more than `most`. */
struct weir_cover_clock {
    uint32_t owner; /* a graph, or behind the last graph a task */
    bool runs, shares;
    int64_t most;
    int64_t slack, beside; /* of those that share: how much it can go on, and the others together */
};

/* A situation: its numbers, and what they mean. */
struct weir_cover_place {
    uint16_t *numbers;
    uint8_t *pending; /* by task */
    struct weir_cover_clock *clocks;
    uint32_t count;
    bool chooses; /* a processor without preemption has to choose at once */
};

struct weir_cover_event {
    enum { WEIR_COVER_BEGINS, WEIR_COVER_MOMENT, WEIR_COVER_INPUT, WEIR_COVER_END, WEIR_COVER_CHOICE } kind;
    uint32_t of;
    int64_t shows; /* what its clock shows at least; at most what it ever does */
};

struct weir_cover_step {
    const struct weir_taskset *set;
    struct weir_cover_place here, there;
    int64_t *known, *passed, *next; /* differences: of `here`, up to the event, of `there` */
    int32_t *urgency;               /* by processor: the highest priority of a pending task */
    uint32_t *rivals;               /* ... how many have it */
    int64_t *slack;                 /* ... how long they take together at most */
    uint32_t *kept;                 /* by clock of `there`: that of `here`, or 0 */
};

static inline uint32_t weir_cover_width(const struct weir_taskset *set)
{
    return set->graph_count + set->task_count + set->processor_count;
}

/* In the memory of the arena; false when out of memory. */
bool weir_cover_step_make(struct weir_cover_step *step, const struct weir_taskset *set, struct weir_arena *arena);
/* What the numbers of the place mean; false: nothing. */
bool weir_cover_read(struct weir_cover_step *step, struct weir_cover_place *place);
/* Sharpens step->known, of `here`; false: it contradicts itself. */
bool weir_cover_begin(struct weir_cover_step *step);
/* Time passes and the event happens: `there` and step->next. *possible: whether it can. False: no such situation. */
bool weir_cover_happens(struct weir_cover_step *step, const struct weir_cover_event *event, bool *possible);
/* The latest time from the nominal moment of the iteration of the task that ends with the event. */
weir_wide weir_cover_end(const struct weir_cover_step *step, uint32_t task);

/* Whether the stage holds, which is a base and has a cover. Each step takes from *work; 0: it was not enough. False and *memory:
 * out of memory. */
bool weir_cover_holds(const struct weir_taskset *set, const struct weir_bounds_stage *stage, uint64_t *work, bool *memory);

#endif
