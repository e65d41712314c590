/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for operators that share worker threads: docs/concepts/workers.md, whose words are used here. */
#ifndef WEIR_ENGINE_WORKERS_WORKERS_H
#define WEIR_ENGINE_WORKERS_WORKERS_H

#include "check/workers/rounds_cover.h"
#include "check/workers/rounds_table.h"
#include "model/pipeline.h"

#define WEIR_WORKERS_WHY 320 /* bytes of a reason */

/* Operators that share threads: those of the scheduler's workers are crew 0, those of each lane another. */
struct weir_crews {
    uint32_t count;
    uint32_t *of;      /* by operator */
    uint32_t *threads; /* by crew; 0: one for each of its operators */
    bool few, lanes;   /* some crew has fewer threads than operators; some lane does */
};
enum weir_status weir_crews_find(const struct weir_pipeline *pipeline, struct weir_arena *arena, struct weir_crews *crews,
                                 struct weir_error *error);

/* One latency: the start of an actor's iteration i, and the finish of another's iteration i + shift. */
struct weir_workers_question {
    const struct weir_pipeline *pipeline;
    const struct weir_graph *graph;
    const struct weir_crews *crews;
    uint32_t from, to; /* actors */
    int64_t shift;
    uint64_t work_limit;
    /* By actor, fewest tokens on a path; WEIR_FAR: there is none. Filled by weir_workers_measure. */
    int64_t *past;   /* to `from`: so many iterations ago or earlier, it had started when `from` starts */
    int64_t *over;   /* ... that begins with the finish of the actor: it had finished */
    int64_t *behind; /* to `to` */
    int64_t *ahead;  /* from the start of the operator of `to`: so many iterations later, it does not start before that */
    char why[WEIR_WORKERS_WHY]; /* why there is no bound; empty: there is one */
    /* What the bound where operators wait for workers is made of: U, by operator, and k. */
    bool *apart;
    int64_t shares;
};

/* Longer chains of iterations are not looked at. */
#define WEIR_WORKERS_SHIFT_MAX (INT64_C(1) << 32)

enum weir_status weir_workers_measure(struct weir_workers_question *question, struct weir_error *error);
/* How a chain is weighed: what no operator works on (waiting for a period, or to be seen) `full` times, and the work of operators
 * as often or less. */
struct weir_workers_weights {
    int64_t full;
    const int64_t *work; /* by operator; NULL: `full` of all of them */
};

/* The longest chain that ends with the finish, counted from the start on. Where there is none, or none is found: `why` is filled.
 */
enum weir_status weir_workers_sequence(struct weir_workers_question *question, const struct weir_workers_weights *weights,
                                       int64_t *length, struct weir_error *error);
/* The longest path at best times from the start to the finish; *known is false when there is none. */
enum weir_status weir_workers_best(const struct weir_workers_question *question, bool *known, int64_t *length,
                                   struct weir_error *error);
/* The bound where operators wait for workers; *worst is that of a worker each. `why` is filled where there is none. */
enum weir_status weir_workers_share(struct weir_workers_question *question, struct weir_ratio *worst, struct weir_error *error);

/* The one thread of WEIR_DISPATCH_GREEDY, in a pipeline without periods. The order is found once and walked for each chain. */
struct weir_greedy;
enum weir_status weir_greedy_new(const struct weir_pipeline *pipeline, uint64_t work_limit, struct weir_greedy **greedy,
                                 struct weir_error *error);
void weir_greedy_free(struct weir_greedy *greedy);
/* Empty `why`: *worst and *best are the largest and the least latency. */
enum weir_status weir_greedy_latency(struct weir_greedy *greedy, const struct weir_chain_spec *chain, int64_t bounds[2],
                                     char why[WEIR_WORKERS_WHY], struct weir_error *error);
/* The same where messages are taken several at a time, not waited for, replaced or lost: of the data of a chain. */
enum weir_status weir_greedy_flow(const struct weir_pipeline *pipeline, uint32_t chain, uint64_t work_limit, int64_t bounds[2],
                                  char why[WEIR_WORKERS_WHY], struct weir_error *error);
/* The pipeline with the work that its operators wait for on a GPU as a part of their executions; NULL: there is none, and it is as
 * it is. WEIR_INVALID where operators share threads in a way that no theorem is about. */
enum weir_status weir_workers_plain(const struct weir_pipeline *pipeline, struct weir_pipeline **plain, struct weir_error *error);
/* Whether messages or ticks may be lost, or not waited for, or several are taken at once, while operators share workers in an order
 * that depends on times: what holds then is found with waits, below. */
bool weir_workers_spreads(const struct weir_pipeline *pipeline);
/* The pipeline with a thread for each operator and waits in place of its scheduler and lanes (struct weir_lateness; none where
 * nobody ever waits), sealed: all that these do is an execution of it. *ordered: if it matters that workers, or those of some lane,
 * take operators in the order in which they got ready. */
enum weir_status weir_workers_spread(const struct weir_pipeline *pipeline, struct weir_pipeline **spread, bool *ordered,
                                     struct weir_error *error);
/* The same where no order is needed; else *spread is NULL. */
enum weir_status weir_workers_spread_any(const struct weir_pipeline *pipeline, struct weir_pipeline **spread,
                                         struct weir_error *error);
/* Has that checked; *covers: all executions are shown to be among those of the other. A failure is WEIR_INTERNAL. */
enum weir_status weir_workers_spread_verify(const struct weir_pipeline *pipeline, const struct weir_pipeline *spread, bool ordered,
                                            bool *covers, struct weir_error *error);

/* All rounds of the greedy scheduler with periods, where these are few enough: the longest and the shortest time from the start of
 * an execution of `from` to the finish of what comes of it. By chain; `any` is false where nothing can be said. With `verify` each
 * is checked; a failure is WEIR_INTERNAL. */
enum weir_status weir_greedy_rounds(const struct weir_pipeline *pipeline, bool verify, struct weir_greedy_ages *ages,
                                    struct weir_error *error);
/* Of all operators, for executions of one; *known is false where nothing can be said. With `covers`, why that is so, to be freed:
 * if the clock is read at each operator, and if once in a round. */
enum weir_status weir_greedy_follow(const struct weir_pipeline *pipeline, uint32_t from, struct weir_greedy_ages *ages,
                                    struct weir_rounds_cover *covers, bool *known, struct weir_error *error);

/* Has an answer checked, which then is `verified`, or not; a failure is WEIR_INTERNAL: about a pipeline whose order does not depend
 * on times; about one whose operators wait for threads. */
enum weir_status weir_greedy_verify(const struct weir_pipeline *pipeline, uint32_t chain, struct weir_workers_latency *latency,
                                    struct weir_error *error);
enum weir_status weir_share_verify(const struct weir_workers_question *question, uint32_t chain,
                                   struct weir_workers_latency *latency, struct weir_error *error);
enum weir_status weir_periods_verify(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_rounds_table *table,
                                     struct weir_workers_latency *latency, struct weir_error *error);
/* ... about one that a solver knows, of the pipeline itself or of one that covers it. */
enum weir_status weir_solved_verify(struct weir_solver *solver, const struct weir_query *query,
                                    struct weir_workers_latency *latency, struct weir_error *error);
/* ... and its best case alone. */
enum weir_status weir_best_verify(const struct weir_pipeline *pipeline, uint32_t chain, struct weir_workers_latency *latency,
                                  struct weir_error *error);

/* A bound where operators have periods, and messages are waited for one by one; *worst -1: none of this kind. `table` is why it is
 * one, to be freed; NULL: not wanted. */
enum weir_status weir_greedy_periods(const struct weir_pipeline *pipeline, const struct weir_chain_spec *chain, int64_t *worst,
                                     struct weir_rounds_table *table, struct weir_error *error);

#endif
