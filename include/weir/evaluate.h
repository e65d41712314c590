/* SPDX-License-Identifier: Apache-2.0 */
/* Asking one pipeline again and again, each time with other numbers: what searches are made of.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_EVALUATE_H
#define WEIR_EVALUATE_H

#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An evaluator begins with the numbers of a sealed pipeline on threads of its own. They are then changed in place, and the worst
 * case of a chain or the period asked for: the answer is that of weir_separation_worst (of weir_throughput) for a pipeline sealed
 * with the same numbers. What stays is the rest: operators, queues, initial messages, receive times, chains and their shifts.
 *
 * Setting a number costs nothing; asking does no more than the change requires. After a change of times alone the region that is
 * searched is known already; after one of a capacity it is laid out again. For latencies nothing is allocated once each chain was
 * asked, unless queues become deeper than before or best cases are above 0 (the search then grows its tables as it needs).
 * Pipelines with something that this cannot do in place (weir_evaluator_in_place) are copied and sealed for every answer: right,
 * but slow.
 *
 * One per thread; the pipeline must live on.
 */
struct weir_evaluator;
WEIR_API struct weir_evaluator *weir_evaluator_new(const struct weir_pipeline *pipeline, struct weir_error *error);
WEIR_API void weir_evaluator_free(struct weir_evaluator *evaluator); /* NULL is fine */
WEIR_API bool weir_evaluator_in_place(const struct weir_evaluator *evaluator);

/* WEIR_INVALID, and nothing changes, when the number is none that the pipeline could have been sealed with: 0 <= best <= worst,
 * receive_max <= worst (weir_operator_spec); 1 <= capacity, initial <= capacity, or WEIR_UNBOUNDED; period > 0. WEIR_OVERFLOW when
 * all times together would be longer than can be counted. */
WEIR_API enum weir_status weir_evaluator_set_times(struct weir_evaluator *evaluator, struct weir_operator op, int64_t best,
                                                   int64_t worst, struct weir_error *error);
/* Of the work on a GPU that each execution launches. */
WEIR_API enum weir_status weir_evaluator_set_work(struct weir_evaluator *evaluator, struct weir_operator op, int64_t best,
                                                  int64_t worst, struct weir_error *error);
WEIR_API enum weir_status weir_evaluator_set_capacity(struct weir_evaluator *evaluator, struct weir_queue queue, uint32_t capacity,
                                                      struct weir_error *error);
WEIR_API enum weir_status weir_evaluator_set_period(struct weir_evaluator *evaluator, uint32_t source, int64_t period,
                                                    struct weir_error *error);
/* As sealed. */
WEIR_API void weir_evaluator_reset(struct weir_evaluator *evaluator);

/* The numbers as they are now. */
WEIR_API int64_t weir_evaluator_best(const struct weir_evaluator *evaluator, struct weir_operator op);
WEIR_API int64_t weir_evaluator_worst(const struct weir_evaluator *evaluator, struct weir_operator op);
WEIR_API uint32_t weir_evaluator_capacity(const struct weir_evaluator *evaluator, struct weir_queue queue);
WEIR_API int64_t weir_evaluator_period(const struct weir_evaluator *evaluator, uint32_t source);

/* Arcs that one answer may look at before it is a bracket, as in struct weir_query; 0: the default. */
WEIR_API void weir_evaluator_limit(struct weir_evaluator *evaluator, uint64_t work_limit);

/* The worst case of chain `chain` of the pipeline (weir_pipeline_chain), from the start of its first operator, or from the arrival
 * of its input where it has one. Where the capacities make a deadlock there are no events: WEIR_NO_EVENTS. */
WEIR_API enum weir_status weir_evaluator_latency(struct weir_evaluator *evaluator, uint32_t chain, struct weir_separation *result,
                                                 struct weir_error *error);
/* The long-run period at worst times of the slowest output, an operator whose messages are not taken or at which a chain ends; {0,
 * 0} in a deadlock. */
WEIR_API enum weir_status weir_evaluator_throughput(struct weir_evaluator *evaluator, struct weir_ratio *period,
                                                    struct weir_error *error);

/* Where every best case is 0 and no source has a period: the worst case is the largest of finitely many sums of worst times, so it
 * is convex in them. counts[o] (by operator, the caller's) gets how often the worst time of operator o is part of a largest sum:
 * a subgradient. *exact: it is the case, counts is filled in, and the latency was exact. */
WEIR_API enum weir_status weir_evaluator_gradient(struct weir_evaluator *evaluator, uint32_t chain, int64_t *counts, bool *exact,
                                                  struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
