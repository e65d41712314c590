/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking how long an operator waits for others that share threads with it (docs/concepts/workers.md, section 9, whose words are
 * used here). What the claim rests on has checks of its own: separations have certificates (labels.h), and which operator
 * waits for which is followed along the arcs (async.h). Here it is checked that these are of the kind that the theorem is about,
 * and how much work they leave room for.
 */
#ifndef WEIR_CHECK_WORKERS_LANE_WAITS_H
#define WEIR_CHECK_WORKERS_LANE_WAITS_H

#include "model/graph.h"
#include "model/pipeline.h"

/* In which order executions of two operators are: one of the first, and that so many before or after that number of the other. */
struct weir_lane_step {
    int64_t executions; /* WEIR_FAR: nothing is known */
    int64_t value;      /* from the first moment to the second at most; with `arcs`, not looked at */
    bool arcs;          /* the one waits for the other */
};

/* Operators that share threads. */
struct weir_thread_groups {
    const uint32_t *of;      /* by operator */
    const uint32_t *threads; /* by group; 0: one for each of its operators */
    const bool *in_order;    /* by group: its threads take operators in the order in which they got ready; NULL: none do */
};

/* Another operator u of the group of v. */
struct weir_lane_rival {
    struct weir_lane_step over;  /* from the start of execution k of v to the finish of execution k - executions of u */
    struct weir_lane_step ahead; /* from the start of execution k + executions of u to the start of execution k of v */
};

/* What is known of the starts of an operator. */
struct weir_lane_starts {
    const struct weir_graph *graph; /* of its part; NULL: there is none, and nothing is known by separations */
    const int64_t *least;           /* from one to the n-th after it, at least; n from 1 */
    uint32_t known;                 /* ... to this */
    uint32_t leader;                /* another of the part, which has a period; UINT32_MAX: none */
    int64_t ahead,
        behind;    /* it starts execution i when the leader has started i - ahead; and the leader i when it has i - behind */
    uint32_t feed; /* a queue with `full` that it takes messages from; UINT32_MAX: none */
};

struct weir_lane_claim {
    const struct weir_pipeline *pipeline; /* with a thread each */
    const struct weir_thread_groups *groups;
    uint32_t op;
    int64_t wait;                          /* from when it is seen to its start, at most */
    const struct weir_lane_rival *rivals;  /* by operator */
    const struct weir_lane_starts *starts; /* by operator */
};
/* WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_lane_check(const struct weir_lane_claim *claim, bool *holds);

#endif
