/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that share worker threads, as under the schedulers of Holoscan.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_WORKERS_H
#define WEIR_WORKERS_H

#include <stdio.h>

#include "weir/age.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * On WEIR_PLATFORM_THREADS. An operator that is ready (its messages and the room for its results are there, and it is not running)
 * is executed by one of the workers, to its end. No worker is idle while an operator is ready; the order among ready operators is
 * unspecified, except under WEIR_DISPATCH_GREEDY. docs/concepts/workers.md has the theorems.
 */

/* ---------------------------------------------------------------- asking */

struct weir_workers_options {
    uint64_t work_limit; /* steps of a search before it gives up; 0: the default, about 10^9 for each latency */
    bool verify;         /* check every bound by code that shares nothing with the engine; a failure is WEIR_INTERNAL */
};

enum weir_workers_outcome {
    WEIR_WORKERS_EXACT,   /* worst and best are reached, and never exceeded */
    WEIR_WORKERS_SAFE,    /* ... never exceeded; they may or may not be reached */
    WEIR_WORKERS_UNKNOWN, /* no bound is known; `why` has the reason. best still holds */
};

/* The latency of a chain is that of weir_analyze: from the start (or arrival) of `from` to the finish of `to`. */
struct weir_workers_latency {
    struct weir_chain_spec chain;
    enum weir_workers_outcome outcome;
    int64_t worst;           /* whole ticks */
    struct weir_ratio bound; /* the same before rounding up: a finer tick does not make it longer */
    bool has_best;           /* false: nothing is known, as for a negative shift outside of WEIR_DISPATCH_GREEDY */
    int64_t best;
    /* What worst consists of. WEIR_WORKERS_SAFE only. */
    int64_t sequence; /* executions and waits that follow from one another */
    int64_t queueing; /* time in which all workers are busy with other operators */
    const char *why;  /* NULL unless unknown */
    bool verified;    /* checked with `verify`; also false if the check would take too long, or there is none */
};

struct weir_workers_analysis {
    const struct weir_pipeline *pipeline;
    const struct weir_workers_latency *latencies; /* one per chain of the pipeline */
    size_t latency_count;
};

/* For a sealed pipeline on WEIR_PLATFORM_THREADS, with any workers. options may be NULL. */
WEIR_API enum weir_status weir_workers_analyze(const struct weir_pipeline *pipeline, const struct weir_workers_options *options,
                                               struct weir_workers_analysis **analysis, struct weir_error *error);
WEIR_API void weir_workers_analysis_free(struct weir_workers_analysis *analysis); /* NULL is fine */

/* ---------------------------------------------------------------- simulating */

/* Which of the operators that are ready (and, when polled, seen) a free worker takes. WEIR_DISPATCH_GREEDY has its own order. */
enum weir_workers_order {
    WEIR_ORDER_RANDOM,
    WEIR_ORDER_OLDEST, /* the one that has been ready longest; of several, the first in the model */
    WEIR_ORDER_NEWEST, /* ... shortest */
    WEIR_ORDER_MODEL,  /* the first in the model */
    WEIR_ORDER_GIVEN,  /* as `pick` says */
};

struct weir_workers_simulation {
    int64_t iterations; /* >= 1; the run ends before an operator would start more */
    /* How execution times are drawn; and how late a ready operator is seen: within 0..polling, at random where times are given. */
    enum weir_times times;
    /* All that happens in one moment comes before a choice; WEIR_ORDER_RANDOM draws also how much of it does. */
    enum weir_workers_order order;
    uint64_t seed;
    /* WEIR_TIMES_GIVEN: the time of an execution, as in weir_simulation_options. */
    int64_t (*given)(void *context, struct weir_operator op, enum weir_part part, int64_t iteration);
    /* WEIR_ORDER_GIVEN: which of the `count` >= 1 operators, in the order of the model; the answer is below count. */
    size_t (*pick)(void *context, const struct weir_operator *ready, size_t count, int64_t time);
    /* Called at each arrival, start and finish, in order of time; may be NULL. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
    const struct weir_age_options
        *ages;                /* messages are told apart; of `run` only the context counts, and the seed, of ties. May be NULL */
    struct weir_age_end *end; /* may be NULL */
};

/* Runs the pipeline as its scheduler does. Shares no code with the analysis. */
WEIR_API enum weir_status weir_workers_simulate(const struct weir_pipeline *pipeline, const struct weir_workers_simulation *options,
                                                struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
