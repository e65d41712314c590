/* SPDX-License-Identifier: Apache-2.0 */
/* Between the search for the smallest buffers and its enumeration of capacities. */
#ifndef WEIR_EXPLORE_ARRANGE_BUFFERS_H
#define WEIR_EXPLORE_ARRANGE_BUFFERS_H

#include "explore/arrange/hill_climb.h"
#include "explore/arrange/search.h"
#include "explore/margins/relax.h"

struct weir_buffers {
    struct weir_search *search;
    struct weir_design_space space; /* a capacity for each queue that is sized and blocks */
    int64_t *least;                 /* by variable: fewer are never enough */
    int64_t *limits;                /* by pair: what its latency must keep; INT64_MAX: nothing */
    bool *counted;                  /* by queue: sized, but never blocks: the analysis says what it holds */
    int64_t total_least;            /* of all queues that are sized */
    struct weir_relaxation *relaxation;
    struct weir_team *team;
    struct weir_best best;
    int64_t *list;      /* points */
    uint32_t *capacity; /* by queue: scratch for the relaxation */
    int64_t *extra;     /* by variable: scratch of the enumeration */
    uint64_t nodes;     /* of it, so far */
    bool exhausted;     /* it was given up */
};

/* First part of a score: 0 when every latency keeps its limit; second: the total. */
#define WEIR_BUFFERS_KEPT 0

/* Tries all capacities that exceed the least ones by `more` together. */
enum weir_status weir_buffers_level(struct weir_buffers *buffers, int64_t more, struct weir_error *error);

#endif
