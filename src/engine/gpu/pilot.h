/* SPDX-License-Identifier: Apache-2.0 */
/* Pilot search: every choice of a next group is judged by where list policies lead from it; the best few choices are kept. */
#ifndef WEIR_ENGINE_GPU_PILOT_H
#define WEIR_ENGINE_GPU_PILOT_H

#include "engine/gpu/policy.h"

#define WEIR_GPU_GUIDES 4

/* The best draft so far; a length is with barriers for what the policies make. */
struct weir_gpu_record {
    int64_t length;
    struct weir_gpu_draft draft;
};

struct weir_gpu_pilot {
    struct weir_gpu_desk *desk;
    struct weir_gpu_record *record;
    struct weir_gpu_policy guides[WEIR_GPU_GUIDES]; /* the policies that judge, the best first */
    uint32_t guide_count;
    uint32_t width;   /* choices that are kept */
    uint32_t lengths; /* of groups that are tried for each order */
};

/* Whether the search is over: good enough, or too much work done (desk->limited). */
bool weir_gpu_over(struct weir_gpu_desk *desk, int64_t length);
/* False: out of memory. */
bool weir_gpu_pilot_run(const struct weir_gpu_pilot *pilot);

#endif
