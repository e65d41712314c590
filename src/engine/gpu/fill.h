/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithm 2 of the published method, in two ways: each group of a division gets SMs, and what it leaves idle is filled with
 * kernels of later groups that could begin already; the last of them is split.
 */
#ifndef WEIR_ENGINE_GPU_FILL_H
#define WEIR_ENGINE_GPU_FILL_H

#include "engine/gpu/divide.h"
#include "engine/gpu/flow.h"
#include "engine/gpu/rankset.h"

/* A graph that is being done, group by group. */
struct weir_gpu_filling {
    const struct weir_gpu_system *system;
    const struct weir_gpu_division *division;
    struct weir_gpu_draft *draft;
    int64_t *left;                    /* by kernel: load that has no launch yet */
    uint32_t *waiting;                /* by kernel: how many it depends on that are not done */
    struct weir_gpu_rankset released; /* ranks of kernels that depend on nothing that is not done, and are not done themselves */
    uint32_t *step;                   /* by kernel: 1 + the group whose own it was last */
    uint32_t *own;                    /* the kernels the group is made for */
    uint32_t own_count, group;
    uint32_t next_group, next_member; /* of the division */
};

/* The draft is emptied. WEIR_OK or WEIR_MEMORY; then *filling is empty. */
enum weir_status weir_gpu_filling_open(const struct weir_gpu_system *system, const struct weir_gpu_division *division,
                                       struct weir_gpu_draft *draft, struct weir_gpu_filling *filling);
void weir_gpu_filling_close(struct weir_gpu_filling *filling);
/* The next kernels that are to run together, into `own`: a group of the division, without those that are done, or as many of it as
 * there are SMs and places for. false: all is done. */
bool weir_gpu_filling_begin(struct weir_gpu_filling *filling);
/* Adds a launch of so much of a kernel to the group. false: out of memory. */
bool weir_gpu_filling_launch(struct weir_gpu_filling *filling, uint32_t kernel, int64_t load, uint32_t sms);
/* The kernel of the next rank, from `*rank` on, that is released and not the group's own, or UINT32_MAX; *rank is then behind it.
 */
uint32_t weir_gpu_filling_next(struct weir_gpu_filling *filling, uint32_t *rank);
/* The group is complete: what has been launched whole is done. */
void weir_gpu_filling_end(struct weir_gpu_filling *filling);

/* Made safe: the group's own kernels get the widths with which the longest of them is as short as can be; fillers get SMs of their
 * own and end no later. For barriers between groups. The draft is emptied first. */
enum weir_status weir_gpu_safe_draft(const struct weir_gpu_system *system, const struct weir_gpu_division *division,
                                     struct weir_gpu_draft *draft);

/* To the letter: the flow has the published dependencies, and more SMs than there are may be needed at once. WEIR_MEMORY, or
 * WEIR_OVERFLOW where there are too many dependencies; then *flow is empty. */
enum weir_status weir_gpu_paper_flow(const struct weir_gpu_system *system, const struct weir_gpu_division *division,
                                     struct weir_gpu_flow *flow);

/* A plan with more dependencies than this between launches is refused. */
#define WEIR_GPU_AFTER_MAX (UINT64_C(1) << 26)

#endif
