/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of struct weir_processors, shared by the files that set it up, let time pass and choose what runs. */
#ifndef WEIR_SIMULATE_PROCESSORS_INSIDE_H
#define WEIR_SIMULATE_PROCESSORS_INSIDE_H

#include "base/alloc.h"
#include "simulate/processors.h"

#define WEIR_NO_OPERATOR UINT32_MAX

/* What an operator waits for at one end of a queue, or at its source: iterations below `met` have what they need there. */
struct weir_condition {
    int64_t met;
    int64_t initially;
    uint32_t op;
};

struct weir_worker {
    int64_t enabled, finished; /* iterations; finished <= enabled */
    int64_t left;              /* of the iteration that has begun to run or was chosen to; -1: none */
    uint32_t missing;          /* conditions that keep the next iteration from being enabled */
    uint32_t first_condition, end_condition;
    uint32_t first_effect, end_effect; /* into effects: the conditions that a finish advances */
    uint32_t source;
    uint32_t lane, rank; /* rank: its bit among those of the lane, the most urgent first */
    uint32_t tie;        /* the first rank of those that are as urgent */
    int64_t slot;
    int32_t priority;
    bool begun;  /* the iteration was seen to run */
    bool queued; /* in `starting` */
};

/* What runs one operator at a time: a processor, or an operator's part of a TDM processor. */
struct weir_lane {
    enum weir_sharing sharing;
    uint32_t processor;    /* of the pipeline; WEIR_NO_OPERATOR: one that an operator has for itself */
    uint32_t first, count; /* into order: operators by rank */
    uint32_t bits;         /* into ready: the first word */
    uint32_t ready_count;
    uint32_t running; /* operator; WEIR_NO_OPERATOR: none */
    uint32_t turn;    /* WEIR_ROUND_ROBIN: rank */
    int64_t used;     /* ... of that turn; the whole slot once it is over */
    int64_t since;    /* `left` of the running operator is as of then */
    int64_t from;     /* the running stretch began */
    int64_t frame, offset;
    bool waiting; /* WEIR_TDM: for the slot */
    bool ties;    /* some are equally urgent */
    bool fickle;  /* ... and then every choice among them is drawn; otherwise their order is */
    bool dirty;
};

struct weir_processors_source {
    int64_t period, jitter;
    int64_t arrived;                   /* inputs */
    int64_t nominal, arrival;          /* of the next */
    uint32_t first_effect, end_effect; /* as of a worker */
    uint32_t source;                   /* of the pipeline; the first of those that are one */
    bool sporadic;
    int64_t *past; /* sporadic: nominal moments of inputs that some operator has not finished, a ring */
    size_t past_capacity;
    int64_t kept; /* ... from this one on, at least */
};

/* Conditions that lie in one memory block behind their operators, effects likewise. */
struct weir_processors {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_processors_rules *rules;
    struct weir_condition *conditions;
    uint32_t *effects;
    struct weir_worker *workers;
    struct weir_lane *lanes;
    struct weir_processors_source *origins; /* by task graph */
    uint32_t *origin_of;                    /* by source of the pipeline */
    uint32_t *order, *canonical;            /* operators of each lane by rank; canonical: before equals were shuffled */
    uint64_t *ready;                        /* bits by rank, lane after lane */
    uint32_t *fed, *fed_first;              /* operators a source feeds, by origin */
    uint32_t *starting, *dirty;
    uint32_t starting_count, dirty_count;
    size_t condition_count, ready_words;
    uint32_t worker_count, lane_count, origin_count, source_count;
    bool sized; /* capacities were given */

    /* A heap of lanes and, behind them, origins, by the time something happens there next. */
    uint32_t *heap, *place;
    int64_t *when;
    uint32_t heap_count;

    struct weir_random random;
    int64_t now;
    uint32_t unfinished, steps;
    enum weir_status status;
    const char *refused; /* WEIR_INVALID: what */
};

/* Schedules an event at lane or origin `who` for that time; INT64_MAX: none. */
void weir_processors_set(struct weir_processors *p, uint32_t who, int64_t time);
void weir_processors_refuse(struct weir_processors *p, enum weir_status status, const char *what);

/* processors_lanes.c: for the seed, before anything runs. */
void weir_lanes_begin(struct weir_processors *p);
/* The time of the lane has come. Returns the operator whose iteration is over, or WEIR_NO_OPERATOR. */
uint32_t weir_lane_wake(struct weir_processors *p, uint32_t lane);
void weir_lane_choose(struct weir_processors *p, uint32_t lane);
/* The operator has or no longer has something to run. */
void weir_lane_ready(struct weir_processors *p, uint32_t op, bool ready);

/* processors_build.c */
bool weir_processors_allocate(struct weir_processors *p);
enum weir_status weir_processors_read(struct weir_processors *p, const uint32_t *capacities, struct weir_error *error);

#endif
