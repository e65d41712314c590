/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a pipeline in simulated time. Stable: docs/reference/abi.md. */
#ifndef WEIR_SIMULATE_H
#define WEIR_SIMULATE_H

#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_times { WEIR_TIMES_RANDOM, WEIR_TIMES_BEST, WEIR_TIMES_WORST, WEIR_TIMES_BANG_BANG, WEIR_TIMES_GIVEN };

struct weir_simulation_options {
    int64_t iterations;    /* of every operator; >= 1 */
    enum weir_times times; /* how execution times are drawn */
    uint64_t seed;
    /* WEIR_TIMES_GIVEN: the time of an execution; called once for each, in order of iterations per operator and part;
     * weir/age.h says of which parts. */
    int64_t (*given)(void *context, struct weir_operator op, enum weir_part part, int64_t iteration);
    /* Called at each arrival, start and finish, in order of time; may be NULL. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
    /* By source: its phase. NULL: that of the model; if that is an interval or unknown, it is drawn from the seed (if unknown,
     * within one period). */
    const int64_t *phases;
};

/* Runs the pipeline by its rules: FIFO queues, filled and emptied message by message. Shares no code with the analysis. */
WEIR_API enum weir_status weir_simulate(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                        struct weir_error *error);
/* Plays the witness and measures the separation that it claims. */
WEIR_API enum weir_status weir_witness_replay(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                              int64_t *separation, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
