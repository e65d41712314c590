/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated runs that follow each message: whose data arrives, how old it is, and what is lost.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_AGE_H
#define WEIR_AGE_H

#include "weir/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An execution carries the data of `from` when it is one of `from`, or when a message that it took, or a latest value that it read,
 * was sent by an execution that does. What came around a loop to `from` itself is not counted again. Where queues from which every
 * message is taken meet, what comes over the path with the fewest initial messages counts, as for a latency of weir_analyze; what
 * comes over other connections counts besides it.
 *
 * weir_simulate() in a pipeline whose queues consume several messages: iterations are rounds, and what it calls an iteration of an
 * operator is an execution: of each round weir_pipeline_firings() ones. Times are asked for, with WEIR_TIMES_GIVEN, of these parts,
 * once each: WEIR_PART_EXECUTION; WEIR_PART_RECEIVE where receive_max is above 0; WEIR_PART_GPU where there is a launch, and
 * WEIR_PART_AFTER where it waits; WEIR_PART_TRANSFER, of the consumer, for each of its queues with a transfer and each execution of
 * the producer (weir_age_options.transfer says of which queue).
 *
 * Where a queue is latest, optional or can lose messages, one part of the pipeline may be faster than another. Nobody stops then
 * until every operator has done its iterations, or one has done WEIR_AHEAD_MAX times as many: those that stopped before would let
 * the data of the others grow old. A run ends early where the application fails (WEIR_FULL_FAULT).
 */
#define WEIR_AHEAD_MAX 64

/* What an execution carries of one operator. */
struct weir_age {
    struct weir_operator from;
    int64_t oldest, newest; /* its executions, from 0 on */
    /* When they started; where inputs of `from` arrive exactly: when these arrived. */
    int64_t oldest_time, newest_time;
};

/* What comes first of things that happen at the same time. Seen only where a queue is latest, optional or can lose messages. */
enum weir_ties {
    WEIR_TIES_FIXED,
    WEIR_TIES_RANDOM, /* drawn each time */
    WEIR_TIES_RANKED, /* drawn once: always the same of two */
};

struct weir_finish {
    struct weir_operator op;
    int64_t execution, time;
    const struct weir_age *ages; /* those of which it carries data, in the order of weir_age_options.from */
    size_t age_count;
};

struct weir_age_options {
    struct weir_simulation_options run;
    enum weir_ties ties; /* drawn from run.seed */
    const struct weir_operator *from;
    size_t from_count;
    /* WEIR_TIMES_GIVEN: how long the message of that execution of the producer is under way; NULL: run.given is asked. */
    int64_t (*transfer)(void *context, struct weir_queue queue, int64_t execution);
    /* At each finish, right after run.observe; and at each loss of a message that somebody sent: in a full queue, or replaced
     * before it was read. Each may be NULL; context is run.context. */
    void (*carried)(void *context, const struct weir_finish *finish);
    void (*lost)(void *context, struct weir_queue queue, int64_t time);
};

/* Whether the application failed, and where and when. */
struct weir_age_end {
    bool fault;
    struct weir_queue queue;
    int64_t time;
};

/* weir_simulate() with these. end may be NULL. */
WEIR_API enum weir_status weir_simulate_ages(const struct weir_pipeline *pipeline, const struct weir_age_options *options,
                                             struct weir_age_end *end, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
