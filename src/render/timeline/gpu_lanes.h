/* SPDX-License-Identifier: Apache-2.0 */
/* What the pictures of a plan share: which SMs each launch has, where the plan says only how many and when; and words. */
#ifndef WEIR_RENDER_TIMELINE_GPU_LANES_H
#define WEIR_RENDER_TIMELINE_GPU_LANES_H

#include "weir.h"

/* SMs that lie side by side. */
struct weir_gpu_run {
    uint32_t sm, count;
};

struct weir_gpu_lanes {
    uint32_t sms;        /* of the plan */
    uint32_t lane_count; /* more where launches of a plan that is not safe need more at once than there are */
    size_t *first_run;   /* launch i has runs[first_run[i]] .. runs[first_run[i + 1] - 1], by SM */
    struct weir_gpu_run *runs;
    size_t run_count, run_capacity;
    struct weir_ratio *end; /* by launch: when it is over if everything takes as long as it can */
    double from, to;        /* the first start, and the last end, in ticks */
};

/* Launches that overlap have different SMs, side by side where there is room for that. A launch with more blocks than there are SMs
 * has all of them, for several waves. With `narrow`, a launch counts as one SM, and there are as many as it takes: the fewest
 * tracks that show every launch. WEIR_INVALID where the launches cannot be laid out: more lanes than a picture can have. */
enum weir_status weir_gpu_lanes_make(const struct weir_gpu_plan *plan, bool narrow, struct weir_gpu_lanes *lanes,
                                     struct weir_error *error);
void weir_gpu_lanes_free(struct weir_gpu_lanes *lanes);

/* How often all SMs are needed one after the other: 1 unless a launch has more blocks than there are SMs. */
uint32_t weir_gpu_waves(const struct weir_gpu_plan *plan, const struct weir_gpu_launch *launch);

/* "resize", or "resize 2/3" for a part; the beginning of a long name. Returns text. */
#define WEIR_GPU_LABEL 160
const char *weir_gpu_label(const struct weir_gpu_plan *plan, const struct weir_gpu_launch *launch, char text[WEIR_GPU_LABEL]);

/* "4.666667 us": up to six digits behind the point, and the rest rounded up or down. Returns text. */
#define WEIR_GPU_AMOUNT (WEIR_TIME_TEXT + 8)
const char *weir_gpu_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, bool up, char text[WEIR_GPU_AMOUNT]);

#endif
