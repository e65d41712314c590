/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline in motion: a discrete-event simulation of operators, queues and the messages in them.
 *
 * An operator starts its next execution as soon as
 *
 *     it is not executing, or is reentrant,
 *     every queue it waits for holds as many messages as it consumes,
 *     every blocking, bounded queue it writes has a free slot,
 *     its period has passed since its last start (arrivals at most), the next input has arrived (exact arrivals), the clock has
 *     come to as many periods as there were starts (catch-up), or to a multiple of the period after its last start (skip).
 *
 * At the start it claims the messages of each queue it reads: as many as it consumes; of an optional queue one, if there is one.
 * The slots are free from its receive moment on, at which it reads the last message that came over each latest connection. A queue
 * that can lose messages is full when it has as many as its capacity that are not claimed. When both the execution and the receive
 * are over it launches its work on a GPU, if it has any, and, unless it waits for that, one message
 * goes into each queue it writes. A queue is a ring: where executions of a reentrant operator overtake each other, the messages
 * that they write, and the slots that they free, wait for those before them. Messages under way between fragments do not overtake
 * each other.
 *
 * Where operators share threads (weir_machine_crews) this only makes an operator ready. A thread that is free takes one that is,
 * and has been seen where they are polled, and executes it to the end; none is free while there is one for it. Threads are workers,
 * or that of a lane. Under WEIR_DISPATCH_GREEDY there is one, which goes through the operators in the order of model/dispatch.h,
 * from the last to the first again, and executes each that is ready when it comes to it.
 *
 * A stream does its work in the order of launching. As all that work has to wait for was launched before it, the end of work is
 * known when it is launched; messages carry the end of the work behind them.
 *
 * This file is what weir's answers are checked against, so it knows nothing of how they are found.
 */
#ifndef WEIR_SIMULATE_MACHINE_H
#define WEIR_SIMULATE_MACHINE_H

#include "weir.h"

/* Executions of an operator that come in rounds. */
struct weir_machine_outlook {
    struct weir_operator op;
    int64_t next, arrived; /* the execution that it starts next, and how many inputs have arrived */
    int64_t every;         /* executions in a round */
};

/* Rounds: the machine goes over those in which the same happens as in the ones before (machine_rounds.c). */
struct weir_machine_rounds {
    uint32_t op;
    int64_t executions; /* of the operator, in a round; 0: none are known. Both may change while it runs. */
    /* For how many rounds the times of the operator's executions repeat, and nothing of them has to be observed. */
    int64_t (*ahead)(void *context, const struct weir_machine_outlook *outlook);
};

/* An operator that a thread may take. */
struct weir_machine_candidate {
    struct weir_operator op;
    int64_t execution;
    int64_t since; /* when it became ready */
};

/* Operators share threads as the pipeline says; none of them is reentrant. Where no connection is cut, the run ends before one
 * would start more executions than the rules say: no operator stops while others go on. */
struct weir_machine_crews {
    /* Of what happens in the same moment. 0: all of it happens before anyone is chosen. Otherwise a free thread may choose when
     * only a part of it has happened; which part, and in which order, is drawn. */
    uint64_t seed;
    /* Which of them a free thread takes: below count. They are in the order of the pipeline. Not asked under WEIR_DISPATCH_GREEDY.
     * NULL: the first. */
    size_t (*pick)(void *context, const struct weir_machine_candidate *candidates, size_t count, int64_t time);
    /* How long after it is ready the operator is seen: 0 .. polling; more is refused. Asked only where polling is above 0; NULL: 0.
     */
    int64_t (*delay)(void *context, struct weir_operator op, int64_t execution);
    void *context;
};

struct weir_machine_rules {
    int64_t iterations; /* rounds: every operator executes weir_pipeline_firings() times as often; >= 1 */
    /* How long this part of the execution takes; negative is refused. Asked once each, in order of executions, of the parts that
     * the operator has: weir/age.h. */
    int64_t (*time_of)(void *context, struct weir_operator op, enum weir_part part, int64_t execution);
    /* How long the message of that execution of the producer is under way. NULL: time_of of the consumer's WEIR_PART_TRANSFER. */
    int64_t (*transfer_of)(void *context, struct weir_queue queue, int64_t execution);
    /* In order of time; returns false to end the simulation. May be NULL. */
    bool (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t execution, int64_t time);
    void *context;
    /* By operator: when it, or its clock, begins; NULL: all at time 0. */
    const int64_t *begins;
    /* Ties, what is carried and what is lost; of `run` only the seed and the context count. NULL: none of it. */
    const struct weir_age_options *ages;
    struct weir_age_end *end;                 /* may be NULL */
    const struct weir_machine_rounds *rounds; /* NULL: everything is played */
    const struct weir_machine_crews *crews;   /* NULL: each operator has a thread */
    int64_t starts_max;                       /* WEIR_OVERFLOW after so many starts that were played; 0: any number */
};

/* When operators begin in a simulation, by operator, as the model says: drawn where it leaves that open, which within a period.
 * `phases` may be NULL; else they are given, by source. *begins is NULL where all begin at time 0; the caller frees it. */
enum weir_status weir_begins_draw(const struct weir_pipeline *pipeline, const int64_t *phases, uint64_t seed, int64_t **begins,
                                  struct weir_error *error);

/* What the rules leave open, drawn or given as the options say. */
enum weir_status weir_machine_play(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                   struct weir_machine_rules rules, struct weir_error *error);

/* Runs from time 0, with the initial messages in the queues, until every operator has done its executions; where a connection is
 * cut: weir/age.h. Memory is that of the pipeline and of the executions in flight: one for each operator, unless it is reentrant;
 * and of the messages, where these are told apart. O(queues of the operator + log(executions in flight)) per execution, and
 * operators where they share threads. */
enum weir_status weir_machine_run(const struct weir_pipeline *pipeline, const struct weir_machine_rules *rules,
                                  struct weir_error *error);

/* A witness as it happens. */

struct weir_replay_watch {
    int64_t starts_max; /* as in the rules */
    int64_t more; /* iterations to play beyond those that are measured, as far as time allows: they change nothing, but are seen */
    /* Called at each arrival, start and finish up to the later of the two events that are measured; may be NULL. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
    int64_t from, to; /* out: when the two events happen */
};

enum weir_status weir_witness_watch(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                    struct weir_replay_watch *watch, struct weir_error *error);

#endif
