/* SPDX-License-Identifier: Apache-2.0 */
/* How deep queues must be: the smallest capacities that are enough, and what larger ones are good for.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_SIZING_H
#define WEIR_SIZING_H

#include "weir/answer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_SIZING_QUEUES_MAX 256
#define WEIR_SIZING_MOST 64
#define WEIR_FRONT_POINTS_MAX 512

/* Marks every queue that a text of so many bytes means, "a->b" or "a->b#2" for the second of them, and no other: an array by queue.
 * False: there is none. */
WEIR_API bool weir_queues_named(const struct weir_pipeline *pipeline, const char *text, size_t length, bool *marked);

struct weir_sizing_options {
    /* By queue of the pipeline: it is sized. NULL: all that have a capacity and make their producer wait. */
    const bool *sized;
    /* By queue: what a slot in it costs, >= 1, for example in bytes. NULL: 1 each. */
    const int64_t *weights;
    int64_t within;   /* that every latency keeps, besides its deadline; 0: none */
    int64_t period;   /* at worst times a result at least this often; 0: none */
    uint32_t most;    /* slots in one queue; 0: WEIR_SIZING_MOST. A queue that begins with more messages has room for them */
    unsigned threads; /* 0: one per core. The result is the same for every number */
    const bool *stop; /* looked at now and then, atomically; may be NULL */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
};

struct weir_sizing {
    struct weir_pipeline *pipeline; /* with these capacities, sealed; NULL: none are enough, or none were found */
    const bool *sized;              /* by queue */
    const uint32_t *capacities;     /* by queue; of equally cheap ones the first in the order of numbers; as modelled: not sized */
    int64_t cost;                   /* capacity times weight, of all that are sized */
    int64_t lower;                  /* none that are enough cost less; INT64_MAX: none are enough */
    bool complete;                  /* nothing was left out: no cheaper ones are enough */
    struct weir_ratio period;       /* at worst times; {0, 0}: none were found */
    /* With `most` slots in each sized queue, the shortest period of all; {0, 0}: even that is a deadlock. */
    struct weir_ratio period_least;
};
/* The cheapest capacities, from 1 (or the initial messages) to `most`, that keep the limits. A latency need not grow with a
 * capacity, and none is excluded without proof. For a sealed pipeline on threads of its own, which must live on. Caller frees.
 */
WEIR_API enum weir_status weir_size_queues(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                           struct weir_sizing **sizing, struct weir_error *error);
WEIR_API void weir_sizing_free(struct weir_sizing *sizing); /* NULL is fine */

/* The result as an answer, for weir_answer_write_text and others; `options` as given. Pipelines must outlive it. Caller frees. */
WEIR_API enum weir_status weir_sizing_answer(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                             const struct weir_sizing *sizing, struct weir_answer **answer,
                                             struct weir_error *error);

/* No other capacities are at least as good in all three, and better in one. */
struct weir_front_point {
    int64_t latency; /* worst case, the longest of all chains */
    struct weir_ratio period;
    int64_t cost;
    enum weir_deadline_state state; /* the worst state of any deadline */
    const uint32_t *capacities;     /* by queue; of equally good ones the first in the order of numbers */
};
struct weir_front {
    const struct weir_front_point *points; /* ascending cost, then latency */
    size_t point_count;
    const bool *sized;  /* by queue */
    bool complete;      /* nothing was left out */
    int64_t cost_below; /* not complete: nothing was left out that costs less */
};
/* Latency against period against cost. Deadlines are not required; `within` and `period` leave out what exceeds them. Latencies
 * without bound are no points. WEIR_OVERFLOW: more than WEIR_FRONT_POINTS_MAX points. Caller frees. */
WEIR_API enum weir_status weir_front_find(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                          struct weir_front **front, struct weir_error *error);
WEIR_API void weir_front_free(struct weir_front *front); /* NULL is fine */
/* The result as an answer: good if some point meets every deadline. Caller frees. */
WEIR_API enum weir_status weir_front_answer(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                            const struct weir_front *front, struct weir_answer **answer, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
