/* SPDX-License-Identifier: Apache-2.0 */
/* What an application did, against what its model proves.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_MEASURE_H
#define WEIR_MEASURE_H

#include "weir/answer.h"
#include "weir/holoscan.h"
#include "weir/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- a log of another application */

/*
 * A Data Flow Tracking log of a Holoscan application (weir/holoscan.h), or what the tracker prints at its end, against a model with
 * a thread for each operator. Each path from a root to a leaf has the bound of its own number of initial messages. Latencies above
 * it are explained by the operators that took longer than their worst case. Stamps are whole microseconds, so a time of n counts
 * as more than n - 1, and as less than n + 1 where it is held against a best case.
 */
struct weir_log_comparison;

struct weir_log_comparison_options {
    const char *model;                                  /* what messages call the model; NULL: "the model" */
    void (*progress)(void *context, unsigned permille); /* of the log; may be NULL */
    void *context;
    uint32_t skip_first, skip_last; /* messages of each path that are left out of a log: start-up and end */
    int64_t tolerance;              /* ns; a time contradicts the model when it does so by more than this */
};

/* Reads the log once, in little memory; "-" is standard input. options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_log_comparison_read(const struct weir_pipeline *pipeline, const char *path,
                                                   const struct weir_log_comparison_options *options,
                                                   struct weir_log_comparison **comparison, struct weir_errors *errors);
WEIR_API void weir_log_comparison_free(struct weir_log_comparison *comparison); /* NULL is fine */
/* To be looked at and written like that of an analysis: the tables "paths" and "operators", times in ms. Its verdict is
 * WEIR_VERDICT_BAD where something contradicts the model, else WEIR_VERDICT_GOOD. Lives as long as the comparison. */
WEIR_API const struct weir_answer *weir_log_comparison_answer(const struct weir_log_comparison *comparison);
/* What limits its worth, a sentence each, with the file: few messages, lines that cannot be read ... NULL beyond the last. */
WEIR_API const char *weir_log_comparison_note(const struct weir_log_comparison *comparison, size_t index);

/* ---------------------------------------------------------------- a pipeline that weir runs */

/*
 * A run (weir/run.h) of synthetic work under a plan for Linux, held against the bounds of its model: that of the model, and that of
 * the model with the execution times that were observed. What is above the bound of the model is explained.
 *
 *     weir_trial_new -> weir_trial_run -> weir_trial_answer ... -> weir_trial_free
 */
struct weir_trial;

struct weir_trial_options {
    const char *title; /* what the answer calls the model; NULL: its name */
    /* Iterations, duration, work, times, seed, tick and scale. What is measured and recorded, the threads and the limits are chosen
     * by the trial, and a witness too where WEIR_TIMES_GIVEN comes without one: that of the longest worst case. */
    struct weir_run_options run;
    size_t records;              /* executions of each operator to keep, the first ones; SIZE_MAX: as many as are of use */
    enum weir_run_policy policy; /* what is refused becomes the next weaker one */
    bool strict;                 /* ... is an error */
    int64_t margin_ns;           /* WEIR_RUN_DEADLINE: of an execution's worst case; below 0: in permille of it */
    int64_t margin_permille;
    const uint32_t *cpus; /* that may be used */
    size_t cpu_count;     /* 0: all */
    bool pin;             /* each operator on one of them; those of a shared processor on the same one */
    /* Called a few times in a second while it runs, on the thread of weir_trial_run; NULL: never. */
    void (*watch)(void *context, const struct weir_trial *trial, int64_t elapsed_ns);
    void *context;
};

/* Plans it, and asks for the bounds. The pipeline must be sealed and live longer. Its tick should be a nanosecond or finer, so that
 * what is observed can be said in it (weir_read_options.extra_times). A model that no engine covers has no bounds; the answer says
 * why. Caller frees. */
WEIR_API enum weir_status weir_trial_new(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                         struct weir_trial **trial, struct weir_error *error);
WEIR_API void weir_trial_free(struct weir_trial *trial); /* NULL is fine */
/* Once per trial, until it has ended. On failure after the start there is a run and an answer all the same. */
WEIR_API enum weir_status weir_trial_run(struct weir_trial *trial, struct weir_error *error);
/* Ends it. Safe in a signal handler and on any thread, before the start as well. */
WEIR_API void weir_trial_stop(struct weir_trial *trial);
/* NULL until it has started. */
WEIR_API const struct weir_run *weir_trial_run_of(const struct weir_trial *trial);
/* After weir_trial_run; NULL where it did not start. To be looked at and written like that of an analysis: the tables "latency",
 * "operators" and "queues", times in ns (docs/reference/run.md). Its verdict is WEIR_VERDICT_BAD where a latency is above its bound
 * or its deadline. */
WEIR_API const struct weir_answer *weir_trial_answer(const struct weir_trial *trial);
/* Of that latency of the pipeline, in ns of the run; -1: there is none. */
WEIR_API int64_t weir_trial_bound(const struct weir_trial *trial, uint32_t chain);

/* The records as a Data Flow Tracking log, in times of the model. */
WEIR_API enum weir_status weir_run_write_log(const struct weir_run *run, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
