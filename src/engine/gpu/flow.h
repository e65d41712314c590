/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a draft to launches: which of them has ended before another begins, and who hands its SMs and places to whom.
 *
 * A launch takes over tokens, one for each of its SMs (and one for its place where places are counted), and hands them on when it
 * has ended. All it takes them from is in its `after`. Launches that can be under way together are then not ordered, hold
 * different tokens, and so never need more than there is; each begins, at most the overhead later, when the last in its `after`
 * has ended, and the longest chain of overheads and times bounds the whole.
 */
#ifndef WEIR_ENGINE_GPU_FLOW_H
#define WEIR_ENGINE_GPU_FLOW_H

#include "engine/gpu/system.h"

enum weir_gpu_form {
    WEIR_GPU_BARRIERS, /* a launch for each piece; each waits for all of the group before its own */
    /* A launch waits for the kernels its own depends on, the part before it, and those that hand it tokens: among the choices that
     * let it begin first, those it waits for anyway. Pieces of a kernel on equally many SMs in neighbouring groups are one launch.
     * Never longer than with barriers. */
    WEIR_GPU_HANDED,
};

/* Times and starts in fine ticks, rounded up like those of the system; loads, tokens and `after` are exact. */
struct weir_gpu_flow {
    size_t count;
    struct weir_gpu_piece *launches; /* in order of their groups, 0, 1, ... without a gap; each behind all it waits for */
    uint32_t *part, *parts;          /* by launch; part counts from 1 */
    int64_t *time;                   /* by launch, without the overhead */
    int64_t *start;                  /* by launch: when its blocks begin where everything takes as long as it can */
    size_t *first_after;             /* launch i waits for after[first_after[i]] .. after[first_after[i + 1] - 1], ascending */
    uint32_t *after;
    struct weir_gpu_token *tokens; /* ascending in `to`, then in `from` (WEIR_GPU_BEGIN last), each pair once; from is in after */
    size_t token_count;            /* places are 0 where the system has any number of them */
    uint32_t groups;
    int64_t length; /* of the longest chain of overheads and times */
};

/* WEIR_OK or WEIR_MEMORY; then *flow is empty. The draft is legal (system.h). Caller frees. */
enum weir_status weir_gpu_flow_make(const struct weir_gpu_system *system, const struct weir_gpu_draft *draft,
                                    enum weir_gpu_form form, struct weir_gpu_flow *flow);
void weir_gpu_flow_free(struct weir_gpu_flow *flow);

#endif
