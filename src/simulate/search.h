/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for late executions on shared processors. A plan holds everything that a simulation leaves open, so that it can be drawn,
 * played, changed a little and played again.
 */
#ifndef WEIR_SIMULATE_SEARCH_H
#define WEIR_SIMULATE_SEARCH_H

#include "base/alloc.h"
#include "simulate/processors.h"

struct weir_plan {
    int64_t *times;             /* by operator and iteration */
    int64_t *offsets, *spreads; /* by source and iteration */
    int64_t *phases, *frames;   /* by source, by processor */
    int64_t *order;             /* one: a seed for what is left: equals, first turns */
};

/* What was seen of one run, by operator or source and iteration. */
struct weir_sighting {
    int64_t *enable, *finish;
    int64_t *nominal, *arrival;
};

/* Something to be late: a chain, as the bounds count it or from the actual arrival. */
struct weir_search_target {
    uint32_t chain;
    bool arrival;
    int64_t latest; /* seen when plans were drawn */
    uint64_t seed;  /* ... and of which plan */
};

struct weir_search_chain {
    struct weir_chain_spec spec;
    uint32_t source; /* that drives both ends */
    bool fed;        /* `from` is, by it */
};

/* Where in a run a latency was largest. */
struct weir_worst {
    int64_t value;
    int64_t iteration; /* of `from` */
    int64_t time;      /* of the finish */
};

struct weir_processors_search {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    struct weir_processors *processors;
    struct weir_processors_observed *seen;
    int64_t iterations;
    uint32_t operator_count, source_count, processor_count, chain_count;
    size_t plan_size;            /* numbers in a plan */
    struct weir_plan plans[3];   /* see search.c */
    const struct weir_plan *now; /* the one that is played */
    struct weir_sighting sighting;
    struct weir_search_chain *chains;
    int64_t *best, *worst;            /* times, by operator */
    uint32_t *on;                     /* processor, by operator; of its own: UINT32_MAX */
    struct weir_source_spec *sources; /* by source */
    struct weir_processor_spec *shared;
    struct weir_random random;
};

/* Draws a plan; the same seed gives the same. */
enum weir_status weir_plan_draw(const struct weir_processors_search *s, struct weir_plan *plan, uint64_t seed);
/* Changes something that may matter for the latency of that chain where it was largest. */
void weir_plan_change(struct weir_processors_search *s, struct weir_plan *plan, const struct weir_search_chain *chain,
                      const struct weir_worst *worst);

#endif
