/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program, or synthetic work, under a plan for Linux, and compares it with the bounds of its model. Stable:
 * docs/reference/abi.md. */
#ifndef WEIR_TRIAL_H
#define WEIR_TRIAL_H

#include <stdio.h>

#include "weir/answer.h"
#include "weir/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A trial is a run (weir/run.h) of the caller's functions or of synthetic work, under a plan: policies, priorities, budgets, CPUs.
 * It is compared with the bound of its model, and with the bound for the execution times that were observed. Latencies above the
 * bound of the model are traced back to their causes. One call each:
 *
 *     weir_trial_execute    plans and runs it
 *     weir_trial_model      the model with the measured times: the longest, with a margin, or an estimate of the tail
 *     weir_trial_rehearse   both of these; returns a trial of that model, ready to run
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
    const char *title; /* the name of the model in the answer; NULL: its own name */
    /* Iterations, duration, work, times, seed, tick, scale, memory, size of messages and tolerance. The trial chooses what is
     * measured and recorded, the limits, and with WEIR_TIMES_GIVEN a witness, unless there is one: that of the longest worst case.
     * `threads` is the plan; if it is NULL, the plan is made from the model (docs/reference/run.md). */
    struct weir_run_options run;
    const struct weir_trial_function *functions; /* of operators; the others do synthetic work. Must live until the run has ended */
    size_t function_count;
    int64_t records; /* how many executions of each operator to keep, from the first on; 0: as many as are useful; -1: none */
    enum weir_run_policy policy; /* if it is refused, the next weaker one is used */
    bool strict;                 /* ... or it is an error */
    int64_t margin_ns;           /* WEIR_RUN_DEADLINE: added to the worst case of an execution; 0: 100 us; below 0: none */
    uint32_t margin_permille;    /* ... and this share of the worst case as well */
    const uint32_t *cpus;        /* that may be used */
    size_t cpu_count;            /* 0: all */
    bool pin;                    /* each operator on one of them; those of a shared processor on the same one */
    /* Called a few times per second while it runs, on the thread of weir_trial_run; NULL: never. */
    void (*watch)(void *context, const struct weir_trial *trial, int64_t elapsed_ns);
    void *context;
};

/* Makes the plan and computes the bounds. The pipeline must be sealed and outlive the trial. With a tick of a nanosecond or less
 * (weir_read_options.extra_times), observed times are exact; otherwise they are rounded, worst cases up. A model that no engine
 * covers has no bounds; the answer says why. options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_trial_new(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                         struct weir_trial **trial, struct weir_error *error);
WEIR_API void weir_trial_free(struct weir_trial *trial); /* NULL is fine */
/* The planned thread of an operator, with the policy that was asked for. Zeroed if there is no such operator. */
WEIR_API struct weir_run_thread weir_trial_thread(const struct weir_trial *trial, struct weir_operator op);
/* Runs the trial to its end; once per trial. If it fails after the start, there are a run and an answer nevertheless. */
WEIR_API enum weir_status weir_trial_run(struct weir_trial *trial, struct weir_error *error);
/* weir_trial_new and _run in one call. If it fails after the start, *trial is set nevertheless; caller frees. */
WEIR_API enum weir_status weir_trial_execute(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                             struct weir_trial **trial, struct weir_error *error);
/* Stops it. Safe in a signal handler and on any thread, also before the start. */
WEIR_API void weir_trial_stop(struct weir_trial *trial);
/* NULL until it has started. */
WEIR_API const struct weir_run *weir_trial_run_of(const struct weir_trial *trial);
/* After weir_trial_run; NULL if it did not start, or trial is NULL. An answer like that of an analysis, with the tables "latency",
 * "causes", "operators" and "queues" and times in ns (docs/reference/run.md). Its verdict is WEIR_VERDICT_BAD if a latency is above
 * its bound by more than the tolerance, or above its deadline. */
WEIR_API const struct weir_answer *weir_trial_answer(const struct weir_trial *trial);
/* The bound of that latency of the pipeline, in ns of the run; -1: there is none. */
WEIR_API int64_t weir_trial_bound(const struct weir_trial *trial, uint32_t chain);

/* How measured times become those of a model. */
struct weir_trial_times {
    uint64_t
        tail; /* worst cases are what one execution in so many exceeds, estimated from those recorded, at 95 %; 0: the longest */
    uint32_t margin_permille; /* lengthens worst cases and shortens best cases; at most 10,000 */
    int64_t iterations;       /* of weir_trial_rehearse */
    bool wake_ups; /* count an execution from the moment at which it was ready, not only from its start, so that the bound includes
                      wake-ups; recorded executions only */
};
/* After weir_trial_run: a sealed copy of the model with the measured times. times may be NULL: the longest. Operators that were
 * never executed keep their times, and so do those with a cost (a pool of cores). WEIR_INVALID if the tail of an operator cannot be
 * estimated because fewer than 80 of its executions were recorded. Caller frees. */
WEIR_API enum weir_status weir_trial_model(const struct weir_trial *trial, const struct weir_trial_times *times,
                                           struct weir_pipeline **model, struct weir_error *error);

/* A rehearsal: executes the pipeline for times->iterations (0: as the options say), and makes a trial of weir_trial_model with the
 * measured times, ready to run. The pipeline must outlive it. On failure *trial is NULL. Caller frees. */
WEIR_API enum weir_status weir_trial_rehearse(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                              const struct weir_trial_times *times, struct weir_trial **trial,
                                              struct weir_error *error);
/* The model that it is compared with. */
WEIR_API const struct weir_pipeline *weir_trial_pipeline(const struct weir_trial *trial);

/* Writes the records as a Data Flow Tracking log, in the model's time. */
WEIR_API enum weir_status weir_run_write_log(const struct weir_run *run, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
