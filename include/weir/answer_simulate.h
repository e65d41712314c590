/* SPDX-License-Identifier: Apache-2.0 */
/* Many simulated runs of a pipeline on any platform, held against its bounds.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_ANSWER_SIMULATE_H
#define WEIR_ANSWER_SIMULATE_H

#include "weir/answer.h"
#include "weir/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise; whatever is 0 or NULL is the default. */
struct weir_simulate_options {
    uint64_t seed;      /* the same seed gives the same answer */
    int64_t runs;       /* 0: 100; on a GPU 1000 */
    int64_t iterations; /* of every operator in each run; on a pool of cores, of the whole graph. 0: 1000, on a pool of cores also
                         * as many as 20,000 executions make; not on a GPU */
    const char *times;  /* "random", "best", "worst" or "bang-bang" (stretches of either best or worst); NULL: by turns */
    /* The time of an execution; negative: not known, and `times` ("worst" where NULL) says what it is instead. Asked once for each,
     * in order of iterations per operator. There is then one run. Not on a pool of cores, nor on a GPU. */
    int64_t (*given)(void *context, struct weir_operator op, int64_t iteration);
    const char *given_by; /* what the answer calls the place that these times come from */
    /* Shared processors, a pool of cores: how inputs arrive: "nominal", "random", "extreme", and on shared processors "late",
     * "burst" or "quiet" (enum weir_releases); NULL: by turns. */
    const char *releases;
    uint32_t search; /* shared processors: further runs that climb towards late executions; 0: 200 */
    bool no_search;
    uint32_t cores, sms;           /* instead of the model's */
    const char *method, *dispatch; /* a GPU: whose plan, and "gang", "fifo" or "interleaved"; NULL: the best, and by turns */
    /* A thread per operator: is shown the first run before it is made, to make it as well; may make less of it. */
    enum weir_status (*first)(void *context, const struct weir_pipeline *pipeline, const struct weir_simulation_options *run,
                              struct weir_error *error);
    /* Threads: every event of the first run, as in struct weir_simulation_options. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void (*progress)(void *context, unsigned permille);
    void *context;     /* of given, first, observe and progress */
    const char *title; /* what the answer calls the model; NULL: its name */
};

/* Whether these options go with the pipeline, and name something that there is. WEIR_INVALID where not; the message begins with the
 * name of the option. */
WEIR_API enum weir_status weir_simulate_check(const struct weir_pipeline *pipeline, const struct weir_simulate_options *options,
                                              struct weir_error *error);
/* The bounds of a sealed pipeline, each with what was `observed`, and tables of operators, buffers, losses or dispatches. options
 * may be NULL. A value outside of a bound that is safe is a bug, reported as WEIR_INTERNAL; one above a bound that can be exceeded
 * is counted (`beyond`). Caller frees; the pipeline must live on. */
WEIR_API enum weir_status weir_answer_simulate(const struct weir_pipeline *pipeline, const struct weir_simulate_options *options,
                                               struct weir_answer **answer, struct weir_error *error);

/* ---------------------------------------------------------------- execution times from a file */

/* Lines of operator,iteration,time: comma-separated values; iterations count from 0, and empty lines, those that begin with # and a
 * heading do not count. */
struct weir_times_file;
/* Reads it; NULL on failure, and errors (not NULL) says why, every mistake once. Caller frees. */
WEIR_API struct weir_times_file *weir_times_file_read(const char *path, struct weir_errors *errors);
WEIR_API void weir_times_file_free(struct weir_times_file *file); /* NULL is fine */
/* For `extra_times` of struct weir_read_options, so that the ticks of the model are fine enough. */
WEIR_API const char *weir_times_file_times(const struct weir_times_file *file);
/* Finds the operators; checks iterations (there are so many; 0: any number) and times. errors is not NULL. */
WEIR_API enum weir_status weir_times_file_bind(struct weir_times_file *file, const struct weir_pipeline *pipeline,
                                               int64_t iterations, struct weir_errors *errors);
/* Once bound. Iterations that it takes to use all times; the time of an execution, or -1 where the file does not give it: asked in
 * order of iterations per operator. */
WEIR_API int64_t weir_times_file_iterations(const struct weir_times_file *file);
WEIR_API int64_t weir_times_file_given(struct weir_times_file *file, struct weir_operator op, int64_t iteration);

#ifdef __cplusplus
}
#endif
#endif
