/* SPDX-License-Identifier: Apache-2.0 */
/* Which SMs each launch of a plan has, where the plan says only how many and when. */
#ifndef WEIR_ANSWER_SMS_H
#define WEIR_ANSWER_SMS_H

#include "weir.h"

/* SMs that lie side by side. */
struct weir_sm_range {
    uint32_t sm, count;
};

struct weir_sms {
    uint32_t count;      /* more than the plan has where launches of a plan that is not safe need more at once */
    size_t *first_range; /* launch i has ranges[first_range[i]] .. ranges[first_range[i + 1] - 1], by SM */
    struct weir_sm_range *ranges;
    size_t range_count, range_capacity;
    uint32_t *order;        /* launches by start */
    struct weir_ratio *end; /* by launch: when it is over if everything takes as long as it can */
};

/* Launches that overlap have different SMs, side by side where there is room for that. A launch with more blocks than there are SMs
 * has all of them, for several waves. WEIR_INVALID where more SMs are needed than a picture can have. */
enum weir_status weir_sms_assign(const struct weir_gpu_plan *plan, struct weir_sms *sms, struct weir_error *error);
void weir_sms_free(struct weir_sms *sms);

struct weir_timeline;
/* Adds the steps of the critical chain, on the lane that was added last, and what the bound adds up from (timeline/chain.c). */
void weir_timeline_add_chain(struct weir_timeline *timeline, const struct weir_gpu_plan *plan, const struct weir_sms *sms);

/* How often all SMs are needed one after the other: 1 unless a launch has more blocks than there are SMs. */
uint32_t weir_gpu_waves(const struct weir_gpu_plan *plan, const struct weir_gpu_launch *launch);

#endif
