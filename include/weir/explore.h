/* SPDX-License-Identifier: Apache-2.0 */
/* What to change in a model.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_EXPLORE_H
#define WEIR_EXPLORE_H

#include "weir/answer.h"
#include "weir/priority.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_explore_goal {
    WEIR_EXPLORE_PRIORITIES, /* of the operators on each processor with fixed priorities */
    WEIR_EXPLORE_MAPPING,    /* of operators to such processors, and their priorities */
    WEIR_EXPLORE_SPACING,    /* the least time a regulator keeps between the arrivals of a jittered source */
    WEIR_EXPLORE_BUFFERS,    /* the smallest total capacity of queues within a latency */
};

/*
 * What is better. Priorities, mapping, spacing: a change with bounds before one without; then fewer missed deadlines; then the
 * smaller sum of the worst latencies, each relative to its deadline or, without one, to the period of its source. Of equals the one
 * nearest to the model. Buffers: every latency within its limit; then the smaller total.
 */
struct weir_explore_options {
    enum weir_explore_goal goal;
    enum weir_priority_method method; /* a safe one */
    uint64_t seed;
    uint32_t starts;       /* hill climbing: from the model, from rules of thumb, then from random ones; 0: 8 */
    uint64_t evaluations;  /* at most this many analyses; 0: 10,000 */
    unsigned threads;      /* 0: one per core. The result is the same for every number; with more than one, the allocator is
                            * called from all of them */
    int64_t latency_limit; /* as in struct weir_priority_options */
    bool verify;           /* check the certificates of `before` and `after` */
    /* WEIR_EXPLORE_MAPPING: where operators may be moved to; NULL: all processors with fixed priorities. And those that stay
     * where they are. Operators without a processor, or on one that gives slots, stay in any case. */
    const struct weir_processor *processors;
    size_t processor_count;
    const struct weir_operator *pinned;
    size_t pinned_count;
    /* WEIR_EXPLORE_SPACING: put the regulator behind the source of this operator; NULL: behind the one where it helps most. */
    const struct weir_operator *source;
    /* WEIR_EXPLORE_BUFFERS: latency that every chain must keep besides its deadline; 0: the deadlines alone. Sized are the queues
     * with WEIR_AUTO; with `resize` those with a given capacity, too. */
    int64_t within;
    bool resize;
    const bool *stop; /* looked at before each analysis, atomically: true ends the search with what was found; may be NULL */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
};

struct weir_exploration {
    struct weir_pipeline *pipeline;                /* the model with the best change found, sealed; NULL: nothing is better */
    struct weir_priority_analysis *before, *after; /* before: of the caller's pipeline, which must live on; after: of `pipeline` */
    uint64_t evaluations;
    bool complete;    /* nothing was left out: by this method, within its limits, no change of this kind is better */
    bool interrupted; /* by stop or by the limit on evaluations, before it was complete */
    /* WEIR_EXPLORE_SPACING: a regulator behind source `source` keeps its inputs `spacing` apart and holds none of them for longer
     * than `delay`. In `pipeline` the source is sporadic with that period and without jitter, and deadlines that begin at it are
     * shorter by `delay`; from the actual arrival of an input a latency is at most `delay` and the latency there. */
    int64_t spacing, delay;
    uint32_t source;
    /* WEIR_EXPLORE_BUFFERS: slots in the queues that are sized: in `before` (-1: it keeps no limit), in `after`, and the number
     * below which, by this method, none will do. */
    int64_t total_before, total, total_least;
    const char *note; /* remarks on the result, a sentence or two; NULL: none */
};
WEIR_API enum weir_status weir_explore(const struct weir_pipeline *pipeline, const struct weir_explore_options *options,
                                       struct weir_exploration **exploration, struct weir_error *error);
WEIR_API void weir_exploration_free(struct weir_exploration *exploration);
/* The result as an answer, for weir_answer_write_text and others; `options` as given. All must outlive it. Caller frees. */
WEIR_API enum weir_status weir_exploration_answer(const struct weir_pipeline *pipeline, const struct weir_explore_options *options,
                                                  const struct weir_exploration *exploration, struct weir_answer **answer,
                                                  struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
