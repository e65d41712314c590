/* SPDX-License-Identifier: Apache-2.0 */
/* A program, or synthetic work, under a plan for Linux, held against what its model proves. Stable: docs/reference/abi.md. */
#ifndef WEIR_TRIAL_H
#define WEIR_TRIAL_H

#include <stdio.h>

#include "weir/answer.h"
#include "weir/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A run (weir/run.h) with functions of the caller's or synthetic work, under a plan: policies, priorities, budgets, CPUs. It is
 * held against the bounds of its model: that of the model, and that of the model with the execution times that were observed. What
 * is above the bound of the model is followed back to what started it. One call each:
 *
 *     weir_trial_execute    plans and runs it
 *     weir_trial_model      the model with the times that were measured: the longest, with a margin or an estimate of the tail
 *     weir_trial_rehearse   both, and a trial of that model, to be run
 *     weir_answer_find      the bound of a model
 *     weir_trial_answer     the run against the bound, with causes: weir_answer_write_text, weir_answer_write_json
 *     weir_run_write_log, weir_run_write_trace, weir_report_write
 *
 * docs/guide/c.md shows a whole program.
 */
struct weir_trial;

struct weir_trial_function {
    const char *name; /* of the operator */
    weir_run_function *function;
    void *context;
};

struct weir_trial_options {
    const char *title; /* what the answer calls the model; NULL: its name */
    /* Iterations, duration, work, times, seed, tick, scale, memory, size of messages and tolerance. What is measured and recorded
     * and the limits are chosen by the trial, and a witness too where WEIR_TIMES_GIVEN comes without one: that of the longest worst
     * case. `threads`, where given, is the plan; otherwise it is made from the model (docs/reference/run.md). */
    struct weir_run_options run;
    const struct weir_trial_function *functions; /* of operators; the others do synthetic work. Used while it is run */
    size_t function_count;
    int64_t records;             /* executions of each operator to keep, the first ones; 0: as many as are of use; -1: none */
    enum weir_run_policy policy; /* what is refused becomes the next weaker one */
    bool strict;                 /* ... is an error */
    int64_t margin_ns;           /* WEIR_RUN_DEADLINE: on top of the worst case of an execution; 0: 100 us; below 0: none */
    uint32_t margin_permille;    /* and besides, of the worst case */
    const uint32_t *cpus;        /* that may be used */
    size_t cpu_count;            /* 0: all */
    bool pin;                    /* each operator on one of them; those of a shared processor on the same one */
    /* Called a few times in a second while it runs, on the thread of weir_trial_run; NULL: never. */
    void (*watch)(void *context, const struct weir_trial *trial, int64_t elapsed_ns);
    void *context;
};

/* Plans it, and asks for the bounds. The pipeline must be sealed and live longer. With a tick of a nanosecond or finer, what is
 * observed can be said in it (weir_read_options.extra_times); otherwise it is rounded, worst cases up. A model that no engine
 * covers has no bounds; the answer says why. options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_trial_new(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                         struct weir_trial **trial, struct weir_error *error);
WEIR_API void weir_trial_free(struct weir_trial *trial); /* NULL is fine */
/* The thread of that operator as it is planned, of the policy that was asked for. All 0 where there is no such operator. */
WEIR_API struct weir_run_thread weir_trial_thread(const struct weir_trial *trial, struct weir_operator op);
/* Once per trial, until it has ended. On failure after the start there is a run and an answer all the same. */
WEIR_API enum weir_status weir_trial_run(struct weir_trial *trial, struct weir_error *error);
/* Both: new and run. On failure after the start *trial is there as well; caller frees. */
WEIR_API enum weir_status weir_trial_execute(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                             struct weir_trial **trial, struct weir_error *error);
/* Ends it. Safe in a signal handler and on any thread, before the start as well. */
WEIR_API void weir_trial_stop(struct weir_trial *trial);
/* NULL until it has started. */
WEIR_API const struct weir_run *weir_trial_run_of(const struct weir_trial *trial);
/* After weir_trial_run; NULL where it did not start, or trial is NULL. To be looked at and written like that of an analysis: the
 * tables "latency", "causes", "operators" and "queues", times in ns (docs/reference/run.md). Its verdict is WEIR_VERDICT_BAD where
 * a latency is above its bound by more than the tolerance, or above its deadline. */
WEIR_API const struct weir_answer *weir_trial_answer(const struct weir_trial *trial);
/* Of that latency of the pipeline, in ns of the run; -1: there is none. */
WEIR_API int64_t weir_trial_bound(const struct weir_trial *trial, uint32_t chain);

/* How measured times become those of a model. */
struct weir_trial_times {
    uint64_t
        tail; /* worst cases are what one execution in so many takes, by the tail of what was recorded, at 95 %; 0: the longest */
    uint32_t margin_permille; /* worst cases become so much longer, best cases so much shorter; at most 10,000 */
    int64_t iterations;       /* of weir_trial_rehearse */
    bool wake_ups; /* an execution takes from the moment that nothing held it back, and not only from its start: what a wake-up
                      takes is then in the bound. Of those that were recorded */
};
/* After weir_trial_run: a copy of the model with the times that were measured, sealed. times may be NULL: the longest. Operators
 * that were never executed keep their times; so do those with functions of their own costs (a pool of cores). WEIR_INVALID where
 * the tail of an operator cannot be estimated: fewer than 80 executions were recorded. Caller frees. */
WEIR_API enum weir_status weir_trial_model(const struct weir_trial *trial, const struct weir_trial_times *times,
                                           struct weir_pipeline **model, struct weir_error *error);

/* A rehearsal: executes the pipeline for times->iterations (0: as long as the options say), and makes a trial of weir_trial_model
 * with the times that were measured, to be run. The pipeline must live longer. On failure *trial is NULL. Caller frees. */
WEIR_API enum weir_status weir_trial_rehearse(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                              const struct weir_trial_times *times, struct weir_trial **trial,
                                              struct weir_error *error);
/* The model that it is held against. */
WEIR_API const struct weir_pipeline *weir_trial_pipeline(const struct weir_trial *trial);

/* What was recorded as a Data Flow Tracking log, in times of the model. */
WEIR_API enum weir_status weir_run_write_log(const struct weir_run *run, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
