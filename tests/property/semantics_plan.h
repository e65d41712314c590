/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines with an operator whose time is a plan for a GPU. */
#ifndef WEIR_TESTS_SEMANTICS_PLAN_H
#define WEIR_TESTS_SEMANTICS_PLAN_H

#include "base/random.h"
#include "weir.h"

/* A run of such a pipeline. */
struct planned {
    const struct weir_pipeline *pipeline;
    const struct weir_gpu_plan *plan;
    uint64_t seed;
    enum weir_times times;
    bool failed;
};

/* Times for a run: the plan is simulated with its kernels; its time, rounded up to ticks of the pipeline, is that of operator 1. */
int64_t planned_time(void *context, struct weir_operator op, enum weir_part part, int64_t execution);

/* A random pipeline of three operators, of which the second is the graph. NULL: the error says why. */
struct weir_pipeline *planned_read(const struct weir_pipeline *graph, struct weir_random *random, struct weir_error *error);

#endif
