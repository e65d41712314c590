/* SPDX-License-Identifier: Apache-2.0 */
/* From a flow to the plan that is handed out: exact times, what was added, and whether the deadline is met. */
#ifndef WEIR_ENGINE_GPU_PLAN_H
#define WEIR_ENGINE_GPU_PLAN_H

#include "engine/gpu/flow.h"

enum weir_gpu_timing {
    WEIR_GPU_BY_GROUPS, /* a group begins when the one before it has ended; the bound is the sum of their times */
    WEIR_GPU_BY_CHAINS, /* a launch begins when all it waits for have ended; the bound is the longest chain */
};

/* What a method made. */
struct weir_gpu_result {
    struct weir_gpu_flow flow;
    enum weir_gpu_timing timing;
    bool barriers;
    bool timed;              /* flow.time is exact: not to be computed again */
    struct weir_ratio bound; /* with a denominator: instead of that of the timing */
    const char *why;         /* NULL: safe */
};

/* Takes over the flow, also when it fails: WEIR_MEMORY, or WEIR_OVERFLOW where there are too many added dependencies. */
enum weir_status weir_gpu_plan_make(const struct weir_gpu_system *system, struct weir_gpu_result *result,
                                    struct weir_gpu_plan **plan);

/* Launches without an order yet: those of the draft, in parts, and room for first_after. false: out of memory; *flow is then to be
 * freed all the same. */
bool weir_gpu_flow_begin(const struct weir_gpu_system *system, const struct weir_gpu_draft *draft, struct weir_gpu_flow *flow);

/* Kernels one after the other, in order, each on as many SMs as it can use, of those there are or (unaware) of any number. */
enum weir_status weir_gpu_greedy(const struct weir_gpu_system *system, bool unaware, struct weir_gpu_result *result,
                                 struct weir_error *error);
/* Kernels as blocks of the least time. */
enum weir_status weir_gpu_graham(const struct weir_gpu_system *system, struct weir_gpu_result *result, struct weir_error *error);

#endif
