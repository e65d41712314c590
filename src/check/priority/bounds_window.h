/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a finish follows from enablings: the rules of docs/concepts/shared-processors.md, each as a test of one claim. Inside
 * src/check only.
 */
#ifndef WEIR_CHECK_PRIORITY_BOUNDS_WINDOW_H
#define WEIR_CHECK_PRIORITY_BOUNDS_WINDOW_H

#include "base/alloc.h"
#include "base/number.h"
#include "check/priority/bounds.h"

#define WEIR_WINDOW_MAX (INT64_C(1) << 61)   /* no way there; also, no window is looked at beyond this */
#define WEIR_WINDOW_ITERATIONS (1u << 20)    /* of a task in one busy period; a claim that takes more is not confirmed */
#define WEIR_BOUNDS_WORK (UINT64_C(1) << 30) /* counts of interferers that one check may take */

/* What is known, and the claim about one task that is to follow from it. All times are at least 0 and below WEIR_TIME_MAX. */
struct weir_window_claim {
    const struct weir_taskset *set;
    const int64_t *enable_min, *enable_max, *finish_max; /* by task */
    /* By task: iteration m of it begins only after iteration m - distance of `task` has ended; WEIR_WINDOW_MAX: no matter. */
    const int64_t *distance;
    const uint32_t *sharers; /* the tasks on the processor, `task` among them */
    size_t sharer_count;
    uint32_t task;
    int64_t finish;
};

/* A task that can delay the one in question. In a window of length w with q iterations of that one, the iterations `first` <= m <
 * min(ceil((offset + w) / period), depth + q - 1) can run, numbered from the first of the q. */
struct weir_interferer {
    int64_t worst, period;
    int64_t offset, first, depth;
    bool sporadic;  /* ... earlier ones than number 0 are not excluded by their beginning */
    int64_t span;   /* ... and never more than ceil((span + w) / period) */
    int64_t slot;   /* round robin: what it may take in a round */
    int64_t listed; /* how many from `first` on are in the list of those with a latest end */
    int64_t end;    /* of the numbers, in the window last looked at */
    uint32_t task;
};

/* An iteration that runs for at most `end` from the beginning of the window, whatever it is interrupted by. */
struct weir_clipped {
    int64_t end, number;
    size_t interferer;
};

/* Everything that can run in a window. */
struct weir_demand {
    int64_t period;
    int64_t base, worst; /* of the task itself: base + q * worst */
    int64_t slot;        /* round robin, otherwise 0 */
    size_t count, clipped_count;
    struct weir_interferer *interferers; /* room for twice as many as there are sharers */
    struct weir_clipped *clipped;
    size_t clipped_capacity;
    /* Demand for this many iterations more is at most that many periods more; INT64_MAX: not known. */
    int64_t repeat;
    uint64_t work; /* what is left of it */
    bool memory;   /* ran out */
};

/* The least w >= from with demand(q, w) <= w; false if it is more than `limit`, or the work is spent. */
bool weir_demand_window(struct weir_demand *demand, int64_t q, int64_t from, int64_t limit, int64_t *window);
/* Finds out about `repeat`; false if the task and its interferers ask for more than there is. */
bool weir_demand_measure(struct weir_demand *demand);

/* Interferers as their periods and jitters tell; and whether the claim follows from that. */
void weir_window_jitters(const struct weir_window_claim *claim, struct weir_demand *demand);
bool weir_window_jitter_holds(const struct weir_window_claim *claim, struct weir_demand *demand);
/* Whether the claim follows from execution intervals, on processors of every kind; `clip`: at the latest ends too. */
bool weir_window_interval_holds(const struct weir_window_claim *claim, struct weir_demand *demand, bool clip);
/* ... from critical instants, on preemptive processors. */
bool weir_window_critical_holds(const struct weir_window_claim *claim, struct weir_demand *demand);

/* Another task of a level, as the task of the claim meets it: the event from outside that its iterations go back to comes by
 * `entry`, they are ready from `ready` on. */
struct weir_level_other {
    uint32_t task, graph;
    int64_t entry, ready, worst, period, tokens;
};

/* What it takes to look at a level: room for all tasks in each; the rooms of the queues; and levels that join it, or NULL. */
struct weir_level_room {
    int64_t *entry;
    struct weir_level_other *others;
    size_t *lead;
    const uint32_t *room;
    const struct weir_region *region;
};

/* Whether the claim follows from the busy times of the tasks of the processor that have this priority or a higher one, together
 * with the levels that join them. On processors of all kinds but TDM. */
bool weir_window_level_holds(const struct weir_window_claim *claim, struct weir_demand *demand, const struct weir_level_room *room,
                             int64_t priority);

/* ... for a task in slots of a frame. */
bool weir_window_frames_hold(const struct weir_window_claim *claim, const uint32_t *room);

/* Least token distances from a task. */
struct weir_token_arc {
    uint32_t to;
    int64_t tokens;
};
struct weir_token_graph {
    uint32_t task_count;
    uint32_t *first;             /* by task, its arcs; one more at the end */
    struct weir_token_arc *arcs; /* of each edge the path there and the path back */
    size_t *there, *back;        /* by edge, its arcs */
    int64_t *distance;
    uint32_t *queue;
    uint8_t *queued;
};
/* In the memory of the arena; false when out of memory. */
bool weir_token_graph_make(struct weir_token_graph *graph, const struct weir_taskset *set, struct weir_arena *arena);
/* The paths back, from the rooms and from what is known about the times. */
void weir_token_graph_set(struct weir_token_graph *graph, const struct weir_taskset *set, const struct weir_bounds_proof *proof,
                          const int64_t *finish_max);
/* graph->distance becomes that from `task`. Takes from *work; false when it is spent. */
bool weir_token_graph_walk(struct weir_token_graph *graph, uint32_t task, uint64_t *work);

/* What is known where queues that do not block are to lose nothing; room for all tasks in `known` and `lag`. */
struct weir_room_claim {
    const struct weir_taskset *set;
    const struct weir_bounds_proof *proof;
    const int64_t *finish_max;
    struct weir_token_graph *tokens;
    uint64_t *work;
    int64_t *known, *lag;
};
/* Whether edge k blocks, or has the room that it needs. */
bool weir_room_holds(const struct weir_room_claim *claim, size_t k);

#endif
