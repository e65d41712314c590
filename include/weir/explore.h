/* SPDX-License-Identifier: Apache-2.0 */
/* What to change in a model. Included by weir.h. */
#ifndef WEIR_EXPLORE_H
#define WEIR_EXPLORE_H

#include "weir.h"
#include "weir/priority.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_explore_goal {
    WEIR_EXPLORE_PRIORITIES, /* of the operators on each processor */
    WEIR_EXPLORE_MAPPING,    /* of operators to processors, and their priorities */
    WEIR_EXPLORE_SPACING,    /* the least time a regulator keeps between the arrivals of a jittered source */
    WEIR_EXPLORE_BUFFERS,    /* the smallest total capacity within a latency */
};

struct weir_explore_options {
    enum weir_explore_goal goal;
    enum weir_priority_method method; /* a safe one */
    uint64_t seed;
    uint32_t starts;       /* hill climbing: from the model and starts - 1 random ones; 0: 8 */
    uint64_t evaluations;  /* analyses at most; 0: some 10,000 */
    int64_t within;        /* WEIR_EXPLORE_BUFFERS: latency that every pair must keep; 0: the deadlines of the model */
    unsigned threads;      /* 0: one per core. The result is the same for every number */
    int64_t latency_limit; /* as in struct weir_priority_options */
    const bool *stop;      /* looked at now and then: true ends the search with what was found; may be NULL */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};

struct weir_exploration {
    struct weir_pipeline *pipeline;                /* the model with the best change found; NULL: nothing found is better */
    struct weir_priority_analysis *before, *after; /* after: of that pipeline; NULL with it */
    uint64_t evaluations;
    bool complete;    /* nothing was left out: the result is optimal among all changes of the kind */
    bool interrupted; /* by stop or by the limit on evaluations */
    /* WEIR_EXPLORE_SPACING: a regulator behind source `source` keeps its inputs `spacing` apart and holds none of them for longer
     * than `delay`. In `pipeline` the source is sporadic with that period and without jitter; from the actual arrival of an input a
     * latency is at most delay and the latency there. */
    int64_t spacing, delay;
    uint32_t source;
    const char *note; /* what should be known about the result, a sentence or two; NULL: nothing */
};
WEIR_API enum weir_status weir_explore(const struct weir_pipeline *pipeline, const struct weir_explore_options *options,
                                       struct weir_exploration **exploration, struct weir_error *error);
WEIR_API void weir_exploration_free(struct weir_exploration *exploration);

#ifdef __cplusplus
}
#endif
#endif
