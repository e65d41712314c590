/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task set prepared for analysis, with the bounds it is at. Everything is allocated once, by weir_priority_system_open; all that
 * follows works in place, so that a run of a method costs no memory.
 *
 * Bounds of task i: iteration n is enabled in [enable_min[i], enable[i]] and ends by finish[i], relative to its nominal arrival.
 */
#ifndef WEIR_ENGINE_PRIORITY_SYSTEM_H
#define WEIR_ENGINE_PRIORITY_SYSTEM_H

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "check/priority/bounds.h"
#include "model/taskset.h"
#include "weir.h"

#define WEIR_PRIORITY_FAR (INT64_C(1) << 61) /* no path of queues; beyond all times */

/* The rules of check/priority/bounds.h under their own numbers, and the published one that is no rule because it can be exceeded.
 */
enum weir_priority_rule {
    WEIR_PRIORITY_RULE_PJ0 = WEIR_RULE_PJ0,
    WEIR_PRIORITY_RULE_EI = WEIR_RULE_EI,
    WEIR_PRIORITY_RULE_EIC = WEIR_RULE_EIC,
    WEIR_PRIORITY_RULE_CIX = WEIR_RULE_CIX,
    WEIR_PRIORITY_RULE_BEST = WEIR_RULE_BEST,
    WEIR_PRIORITY_RULE_LEVEL = WEIR_RULE_LEVEL,
    WEIR_PRIORITY_RULE_PJ,
};

/* Another task on the processor of the one that has it in its list. */
struct weir_rival {
    uint32_t task;
    bool same;        /* of the same task graph */
    int64_t distance; /* fewest messages and places on a path to it: it cannot get further ahead. WEIR_PRIORITY_FAR: no path */
    int64_t back;     /* ... on a path from it; kept for PJ only */
};

/* Why a run did not converge; words are made of it by weir_priority_reason_write. */
enum weir_priority_fault {
    WEIR_PRIORITY_FAULT_NONE,
    WEIR_PRIORITY_FAULT_SLOW,   /* task: takes longer than its period, or than its slots give it */
    WEIR_PRIORITY_FAULT_LOAD,   /* of the processor of task; need: in permille */
    WEIR_PRIORITY_FAULT_CYCLE,  /* of operators, in cycle[] */
    WEIR_PRIORITY_FAULT_LOSS,   /* queue `edge` does not block and is too small */
    WEIR_PRIORITY_FAULT_ROOM,   /* queue `edge` would have to be larger than queues can be */
    WEIR_PRIORITY_FAULT_WINDOW, /* task's busy period goes beyond the limit of latency */
    WEIR_PRIORITY_FAULT_LATE,   /* ... its finish does */
    WEIR_PRIORITY_FAULT_WORK,   /* the limit of work */
    WEIR_PRIORITY_FAULT_BEHIND, /* an execution in which task gets `need` iterations further behind in every cycle_time */
    WEIR_PRIORITY_FAULT_LOST,   /* an execution in which queue `edge` loses a message; need: 0 if not known */
};

struct weir_priority_reason {
    enum weir_priority_fault fault;
    enum weir_priority_outcome outcome;
    uint32_t task;
    size_t edge;
    int64_t need; /* messages: what queue `edge` would have to hold */
    uint32_t *cycle;
    uint32_t cycle_count;
    int64_t cycle_time, cycle_places; /* how long a round takes; messages and free slots on it */
};

/* Times in periods and a rest: at = periods * period + rest, 0 <= rest < period. Windows are compared with many such times. */
struct weir_split {
    int64_t periods, rest;
};

/* How often a rival executes: max(0, min(max(ceil((w + ahead) / period), least), cap + q - 1) + extra), with least + q - 1 for
 * least where it grows. */
struct weir_term {
    struct weir_split ahead;
    int64_t period, least, cap, extra;
    bool grows;
    int64_t cost, slot;
    int64_t plain;  /* EIC: executions from this one on are not clipped */
    uint32_t rival; /* index into rivals */
};

struct weir_clip {
    int64_t end, number, cost;
    uint32_t term;
};

struct weir_priority_system {
    struct weir_arena arena;
    const struct weir_taskset *set;

    /* by task */
    int64_t *period, *enable_min;
    enum weir_sharing *sharing;
    uint32_t *first, *lower; /* rivals: more urgent ones at first[i] .. lower[i], less urgent ones up to first[i + 1] */
    int64_t *repeat;         /* busy periods of more executions than this are no worse (window.c); at least 1 */
    struct weir_rival *rivals;
    uint32_t *touching, *touching_first; /* edges by task they begin or end at */
    uint32_t *sharers, *sharers_first;   /* tasks by processor, within it by graph */
    uint8_t *fed;                        /* by a source */
    uint32_t *sorted;                    /* edges, each after those that lead to its beginning over queues that begin empty */

    /* by edge; enabling obeys `fixed`, distances obey `room`, which buffer sizing raises */
    uint32_t *fixed, *room;
    bool timed;      /* distances obey the bounds, too */
    int64_t *weight; /* ... of the way back that distances were last computed with, if any were: `weighed` */
    bool weighed, both_ways;
    bool generous;       /* queues that are sized get so much room that no task ever waits */
    uint8_t *ready_late; /* by task: something that may take no time can enable it, after others have chosen what to run */

    /* the bounds, and when which changed */
    int64_t *enable, *finish;
    uint64_t *changed, *seen, clock, distances_changed;
    int64_t *level;             /* by task: the level its finish was last found with, or WEIR_NO_LEVEL */
    struct weir_region *region; /* ... and the levels of other processors that joined it */
    bool across;                /* whether levels of several processors are joined */

    /* limits and what it took */
    int64_t latency_limit;
    uint64_t work_limit, work, windows, rounds;
    uint64_t report_at; /* when to call progress; UINT64_MAX: never */
    void (*progress)(void *context, unsigned permille);
    void *context;
    struct weir_priority_reason reason;

    /* scratch */
    struct weir_term *terms;
    size_t term_count;
    bool clipping; /* the clips below count, too */
    int64_t turns; /* round robin: how often each other task has a turn; 0: irrelevant */
    struct weir_clip *clips;
    size_t clip_count;
    int64_t *ups, *offsets, *reached;
    int64_t *next_enable, *next_finish;   /* by task */
    struct weir_split *latest, *earliest; /* by rival of the task at hand */
    int64_t *distance;                    /* by task */
    int64_t *entry;                       /* by task of the level at hand (level.h) */
    uint32_t *entry_by;                   /* ... the task whose end that is; WEIR_FROM_SOURCE: none */
    uint8_t *inside;                      /* by task: whether it is one of that level */
    uint32_t *entered, entered_count;     /* those that are */
    uint32_t *ranked;                     /* as sharers, the most urgent first */
    struct weir_member *level_members;
    struct weir_group *level_groups;
    uint32_t *queue, *parent;
    uint8_t *queued;
};

static inline struct weir_split weir_split_of(int64_t time, int64_t period)
{
    int64_t periods = time / period, rest = time % period;
    return rest < 0 ? (struct weir_split){periods - 1, rest + period} : (struct weir_split){periods, rest};
}

/* One more step: whether it is one too many. */
static inline bool weir_priority_spent(struct weir_priority_system *s)
{
    if ((s->work & 1023) == 0 && weir_interrupted() && s->work < s->work_limit)
        s->work = s->work_limit;
    return ++s->work > s->work_limit;
}

/* WEIR_OVERFLOW when times are so large that sums of them might not fit. latency_limit and work_limit are to be set before. */
enum weir_status weir_priority_system_open(struct weir_priority_system *system, const struct weir_taskset *set,
                                           struct weir_error *error);
void weir_priority_system_close(struct weir_priority_system *system);

/* Rooms as the task set has them. */
void weir_priority_rooms_reset(struct weir_priority_system *system);

/* Distances between rivals, from the rooms as they are (distance.c). */
void weir_priority_distances(struct weir_priority_system *system, bool back);
/* system->distance by task: how many iterations it can get ahead of this one at most, as known when the above was last called. */
void weir_priority_distances_from(struct weir_priority_system *system, uint32_t task);

/* Raises enable, and finish with it, until every queue's order holds: the least such bounds above the present ones. False when
 * there are none: a cycle, told in reason; or at the limit of work (enable.c). */
bool weir_priority_enable(struct weir_priority_system *system);

/* Buffer sizing: raises the rooms of queues that are left to the analysis (size.c). False: reason says which queue. */
bool weir_priority_size(struct weir_priority_system *system, bool *changed);
/* Slots that edge e needs so that no task ever waits or loses a message, by the present bounds. */
int64_t weir_priority_places(const struct weir_priority_system *system, size_t e, bool blocking);
/* Messages that queue e holds, initial ones included, once rooms are fixed. */
int64_t weir_priority_capacity(const struct weir_priority_system *system, size_t e);
/* Fixes the rooms of all queues that block; those of the others may still follow the bounds. False: reason says which queue would
 * have to be too large. */
bool weir_priority_fix_rooms(struct weir_priority_system *system);
/* Whether no queue of given size that does not block loses a message. */
bool weir_priority_keeps_all(struct weir_priority_system *system);

bool weir_priority_is_fed(const struct weir_pipeline *pipeline, uint32_t op); /* by a source */
/* The latency of a chain by the present bounds; false when it does not fit. */
bool weir_priority_latency_of(const struct weir_priority_system *system, const struct weir_pipeline *pipeline,
                              const struct weir_chain_spec *chain, struct weir_priority_latency *latency);

/* By task: how long after the actual arrival of its input an iteration ends at most, by the present bounds. False: out of memory
 * (arrival.c). */
bool weir_priority_arrivals(struct weir_priority_system *system, int64_t *after);

/* From nothing known to bounds that follow from themselves (loop.c). */
enum weir_priority_outcome weir_priority_loop(struct weir_priority_system *system, enum weir_priority_rule rule, bool sizing);

/* The enablings that follow from the finishes, whatever they were. */
void weir_priority_enable_after(struct weir_priority_system *system);

/* ... by the busy times of levels (level.h). */
enum weir_priority_outcome weir_priority_loop_levels(struct weir_priority_system *system);

static inline void weir_priority_touch(struct weir_priority_system *system, uint32_t task)
{
    system->changed[task] = ++system->clock;
}

/* WEIR_PRIORITY_CONVERGED when no processor is asked for more than it has; otherwise the reason says which. */
enum weir_priority_outcome weir_load_check(struct weir_priority_system *system);

#define WEIR_PRIORITY_WORDS 1000

/* Why there is no bound, in words with the names of the pipeline. */
void weir_priority_reason_write(const struct weir_priority_system *system, const struct weir_pipeline *pipeline,
                                char words[WEIR_PRIORITY_WORDS]);

/* Certificates in the making. */

/* Without stages, for the rooms that the system has fixed; queues that do not block get what their size is. NULL: out of memory. */
struct weir_bounds_proof *weir_proof_new(const struct weir_priority_system *system);
/* Appends these bounds; false when out of memory. */
bool weir_proof_add(struct weir_bounds_proof *proof, const struct weir_bounds_stage *stage);
/* Rooms of queues that are left to the analysis and do not block, by the bounds of the system. */
void weir_proof_set_rooms(struct weir_bounds_proof *proof, const struct weir_priority_system *system);

/* From a method to bounds with their certificate. */

struct weir_method_run {
    struct weir_priority_system *system;
    const struct weir_pipeline *pipeline;
    enum weir_priority_outcome outcome; /* converged: the system holds bounds and rooms */
    struct weir_bounds_proof *proof;    /* of methods that are safe, if it converged; the caller frees it */
    const char *variant;
    enum weir_priority_rule rule; /* that explains a window best */
};

/* Looks for executions that show that there is no bound (check/priority/refute.h): *plans, in the arena, where it is shown, and
 * then the reason. claims: of the latencies that are asked for. False: out of memory. */
struct weir_refuted;
struct weir_refutation {
    struct weir_refuted *claims;
    size_t claim_count;
    uint64_t *plans;
    size_t plan_count;
};
bool weir_priority_refute(struct weir_method_run *run, struct weir_refutation *refutation);

/* WEIR_MEMORY is the only failure. */
enum weir_status weir_method_single(struct weir_method_run *run, enum weir_priority_method method);
enum weir_status weir_method_portfolio(struct weir_method_run *run);
/* By the situations that can be reached (reach.h): where nothing else has bounds. Without any, the run stays as it is. */
enum weir_status weir_method_reach(struct weir_method_run *run);

/* Lowers bounds that hold, in the system with the rooms that are fixed, as far as the rule allows; each step becomes a stage of the
 * proof. It may end at any time, and does at the limit of work. False: out of memory. */
bool weir_priority_narrow(struct weir_priority_system *system, enum weir_priority_rule rule, struct weir_bounds_proof *proof);

#endif
