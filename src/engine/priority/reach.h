/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reachable situations. Bounds of one task after the other let everything be late at once. Here the system is followed as a whole:
 * a situation says how many iterations of each task have ended, and so who is pending and who runs; and how long the inputs and the
 * executions of those have been on their way is known as far as the differences between any two of these clocks are
 * (docs/concepts/shared-processors.md, section 14). What can happen next leads to another situation. Where the same one is met
 * again, what is known about it gets less sharp until nothing new is met; then no iteration is ever later than the latest met.
 */
#ifndef WEIR_ENGINE_PRIORITY_REACH_H
#define WEIR_ENGINE_PRIORITY_REACH_H

#include "engine/priority/system.h"

/* How a clock goes while time passes. */
enum weir_pace {
    WEIR_PACE_STANDS,
    WEIR_PACE_RUNS,
    WEIR_PACE_SHARES, /* one of several that are equally urgent, or in round robin */
};

enum weir_happening {
    WEIR_HAPPENS_BEGINNING, /* the first nominal moment of graph `of` */
    WEIR_HAPPENS_MOMENT,    /* ... the next */
    WEIR_HAPPENS_ARRIVAL,   /* ... an input that was due */
    WEIR_HAPPENS_END,       /* of the execution of task `of` */
    WEIR_HAPPENS_START,     /* ... without preemption */
};

/* A clock: since the last nominal moment of a graph, or for how long an iteration of a task has run. The first is always 0. */
struct weir_reach_clock {
    bool graph;
    enum weir_pace pace;
    uint32_t of;
    int64_t most;         /* it never shows more */
    int64_t left, others; /* how much it goes on at most; and all together that it shares its processor with */
};

struct weir_reach_view {
    uint32_t count;
    struct weir_reach_clock *clocks; /* of graphs and then of tasks, in their order */
    bool urgent;                     /* a processor without preemption is about to choose: no time passes before it has */
};

struct weir_reach_event {
    enum weir_happening what;
    uint32_t of, clock; /* clock: of the view; 0: none */
};

/* What is known of the clocks of a situation: clock a is at most differences[a * count + b] ahead of clock b. */
struct weir_reach_zone {
    size_t differences; /* where they begin in `pool` */
    uint32_t situation, next;
    bool queued, live;
};

struct weir_reach {
    struct weir_priority_system *s;
    struct weir_arena arena;
    uint32_t width, together; /* numbers of a situation; zones that are kept apart for each */
    int64_t unit;             /* all times are multiples of it */
    uint64_t moves_left;
    int64_t backlog; /* the largest so far */
    bool memory;
    int64_t *finish; /* by task: the latest so far */

    /* what was met */
    uint16_t *numbers; /* of each situation */
    uint32_t *first;   /* by situation: its zones */
    uint32_t *slots;   /* 1 + a situation, by hash */
    int32_t *pool;     /* differences, in units */
    struct weir_reach_zone *zones;
    uint32_t *queue, *next; /* zones from which to go on: in this step, in the next */
    size_t situation_count, number_capacity, first_capacity, slot_count, pool_count, pool_capacity, zone_count, zone_capacity,
        queue_count, queue_capacity, next_count, next_capacity;

    /* of the move at hand */
    uint16_t *now, *then;
    struct weir_reach_view view, after;
    int64_t *zone, *moved, *changed;
    int64_t patience; /* how long time can pass */
    uint32_t *from;   /* by clock of `after`: that of `view` it goes on from, 0: it begins */
    struct weir_reach_urgency {
        int32_t priority;
        uint32_t count;
        int64_t left; /* ... what they have left at most */
    } * urgency;      /* by processor: of the most urgent that are pending */
};

/* A situation is a list of numbers: by graph 0, or 1 + the inputs that are due; by task how many nominal moments it is behind; by
 * processor 0, or 1 + the task that runs there without preemption. */
static inline uint16_t *weir_reach_due(const struct weir_reach *r, uint16_t *situation, uint32_t graph)
{
    (void)r;
    return situation + graph;
}
static inline uint16_t *weir_reach_behind(const struct weir_reach *r, uint16_t *situation, uint32_t task)
{
    return situation + r->s->set->graph_count + task;
}
static inline uint16_t *weir_reach_running(const struct weir_reach *r, uint16_t *situation, uint32_t processor)
{
    return situation + r->s->set->graph_count + r->s->set->task_count + processor;
}

/* Whether iterations of the task are enabled and have not ended; and the clocks of a situation (reach_view.c). */
bool weir_reach_is_pending(const struct weir_reach *reach, uint16_t *situation, uint32_t task);
void weir_reach_look(struct weir_reach *reach, uint16_t *situation, struct weir_reach_view *view);

/* r->view was looked at last, r->zone is known of it: how long time can pass; and r->moved, when it has, up to the event: false
 * where it cannot happen (reach_zone.c). */
int64_t weir_reach_patience(struct weir_reach *reach);
bool weir_reach_pass(struct weir_reach *reach, const struct weir_reach_event *event);

/* All that can happen in the situation of r->now, with r->zone; what follows is met. False: it leads too far (reach_moves.c). */
bool weir_reach_move_on(struct weir_reach *reach);

/* The situation r->then with r->changed is reached, too. False: there are too many (reach.c). */
bool weir_reach_meet(struct weir_reach *reach);

#endif
