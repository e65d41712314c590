/* SPDX-License-Identifier: Apache-2.0 */
/* How much each number of a pipeline matters, and how far it may go. Pipelines on threads of their own.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_MARGINS_H
#define WEIR_MARGINS_H

#include <stdio.h>

#include "weir/answer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_margins_options {
    uint32_t permille;                                  /* `less` and `more` are times so much shorter and longer; 0: 100 */
    uint32_t steps;                                     /* capacities looked at beyond that of the model; 0: 16 */
    unsigned threads;                                   /* 0: one per core; the same answer for any number */
    uint64_t work_limit;                                /* of each search, as in struct weir_query; 0: a modest default */
    uint64_t tries;                                     /* searches for one number; 0: 20,000 */
    const bool *stop;                                   /* as in struct weir_explore_options */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
};

/* ---------------------------------------------------------------- one number at a time */

enum weir_parameter { WEIR_PARAMETER_WORST, WEIR_PARAMETER_BEST, WEIR_PARAMETER_CAPACITY };

/* Why the latency of every number between two vertices lies on the straight line from one to the other. */
enum weir_proof {
    WEIR_PROOF_NEXT,   /* there is no number between them */
    WEIR_PROOF_FLAT,   /* it is the same at both, and can only rise or only fall in between */
    WEIR_PROOF_CONVEX, /* best cases are 0: what is largest at one end still is at the other (docs/reference/explore.md) */
    WEIR_PROOF_LABELS, /* what is reached and what proves that no more is are the same at both ends, but for the numbers */
    WEIR_PROOF_PIECES, /* it is so on shorter pieces, each by one of these proofs, and they are on one line */
    WEIR_PROOF_NONE,   /* it does not: no more is known than that it lies between the two */
};

struct weir_vertex {
    int64_t at;
    struct weir_separation latency;
    enum weir_proof proof; /* of what lies between this vertex and the next */
};

/*
 * The latency as a function of one number, all others as in the model: exact at every whole number from `low` to `high` where no
 * proof is missing. It never falls as a worst case grows and never rises as a best case grows, since only the set of possible
 * executions grows or shrinks; there is no such rule for capacities, of which each is asked.
 */
struct weir_margin {
    enum weir_parameter parameter;
    uint32_t index;    /* of the operator or the queue */
    int64_t now;       /* in the model; a capacity without limit: -1 */
    int64_t low, high; /* what was looked at */
    const struct weir_vertex *vertices;
    size_t vertex_count;
    int64_t less, more; /* `permille` below and above, or one slot less and more; equal to `now` if there is none */
    struct weir_separation at_less, at_more;
    bool flat;      /* the latency is the same from low to high: it does not matter */
    bool proved;    /* every piece has a proof, and every latency is exact (or known to have no bound, or a deadlock) */
    bool settled;   /* capacity: proved that no more than `high` slots are ever needed; more of them change nothing */
    bool has_limit; /* the chain has a deadline, and met and missed were told apart at `limit` */
    /* How far the number may go with the deadline kept: the largest worst case, the smallest best case; for a deadline that is
     * missed, how far it must be changed. `high` or `low` itself: as far as was looked. -1: no number in the range will do. */
    int64_t limit;
};

struct weir_margins {
    const struct weir_pipeline *pipeline;
    uint32_t chain;
    struct weir_separation now;
    const struct weir_margin *items; /* worst cases, best cases, then capacities of queues that block */
    size_t count;
    bool complete; /* false: interrupted; what has no vertices was not looked at */
};
/* options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_margins_find(const struct weir_pipeline *pipeline, uint32_t chain,
                                            const struct weir_margins_options *options, struct weir_margins **margins,
                                            struct weir_error *error);
WEIR_API void weir_margins_free(struct weir_margins *margins);
/* What they come to, of one or several latencies of a pipeline that lives on; `options` as they were given. Caller frees. */
WEIR_API enum weir_status weir_margins_answer(const struct weir_pipeline *pipeline, const struct weir_margins_options *options,
                                              const struct weir_margins *const *margins, size_t count, struct weir_answer **answer,
                                              struct weir_error *error);
/* A tornado chart: a bar for each number, from the latency at `less` to that at `more`, the longest at the top. */
WEIR_API enum weir_status weir_margins_write_svg(const struct weir_margins *margins, FILE *out, struct weir_error *error);
/* "convex", "labels" ... */
WEIR_API const char *weir_proof_name(enum weir_proof proof);

/* ---------------------------------------------------------------- all at once */

enum weir_margin_outcome {
    WEIR_MARGIN_EXACT,   /* the answer, proved */
    WEIR_MARGIN_NONE,    /* no number keeps every deadline, proved */
    WEIR_MARGIN_NO_END,  /* every number looked at keeps them */
    WEIR_MARGIN_BRACKET, /* a limit or an interrupt: the answer lies between the two */
};

/* The largest factor by which all worst cases can grow at once with every deadline kept (the critical scaling factor); below 1
 * where one is missed. Best cases, receive times, periods and capacities stay; a factor that brings a worst case below what must
 * stay within it is none. */
struct weir_scaling {
    enum weir_margin_outcome outcome;
    struct weir_ratio factor;       /* WEIR_MARGIN_EXACT */
    struct weir_ratio lower, upper; /* WEIR_MARGIN_BRACKET: kept at lower (0: not known), not at upper (denominator 0: not known) */
    uint32_t chain;                 /* whose deadline ends it */
    uint64_t searches;
};
/* WEIR_INVALID where no chain has a deadline. options may be NULL. */
WEIR_API enum weir_status weir_scaling_find(const struct weir_pipeline *pipeline, const struct weir_margins_options *options,
                                            struct weir_scaling *scaling, struct weir_error *error);
/* What it comes to: good where the factor is at least 1. Caller frees. */
WEIR_API enum weir_status weir_scaling_answer(const struct weir_pipeline *pipeline, const struct weir_scaling *scaling,
                                              struct weir_answer **answer, struct weir_error *error);

/* The shortest period of a source with every deadline kept. A shorter period need not be worse, so none is passed over without
 * proof: a path that makes a latency too long still does for periods that are not much longer. */
struct weir_pacing {
    enum weir_margin_outcome outcome;
    int64_t period;       /* WEIR_MARGIN_EXACT */
    int64_t lower, upper; /* WEIR_MARGIN_BRACKET: none below lower keeps them, upper does (-1: not known) */
    uint32_t chain;       /* whose deadline one tick less breaks; UINT32_MAX: there is no shorter period */
    uint64_t searches;
};
/* source: of weir_pipeline_source. */
WEIR_API enum weir_status weir_pacing_find(const struct weir_pipeline *pipeline, uint32_t source,
                                           const struct weir_margins_options *options, struct weir_pacing *pacing,
                                           struct weir_error *error);
/* A sealed copy in which every operator without inputs, or else `op` alone, is a source: those that were none have a period of one
 * tick, to be asked about. op may be NULL. Caller frees. */
WEIR_API enum weir_status weir_pacing_sources(const struct weir_pipeline *pipeline, const struct weir_operator *op,
                                              struct weir_pipeline **paced, struct weir_error *error);
/* What they come to, of one or several sources. Caller frees. */
struct weir_source_pacing {
    uint32_t source;
    struct weir_pacing pacing;
};
/* A sealed copy with the period that was found; WEIR_MARGIN_EXACT. Caller frees. */
WEIR_API enum weir_status weir_pacing_apply(const struct weir_pipeline *pipeline, const struct weir_source_pacing *found,
                                            struct weir_pipeline **paced, struct weir_error *error);
WEIR_API enum weir_status weir_pacing_answer(const struct weir_pipeline *pipeline, const struct weir_source_pacing *pacings,
                                             size_t count, struct weir_answer **answer, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
