/* SPDX-License-Identifier: Apache-2.0 */
/* Plans made by hand, to be spoiled. */
#ifndef WEIR_TESTS_LAUNCHES_PLANS_H
#define WEIR_TESTS_LAUNCHES_PLANS_H

#include "check/gpu/launches.h"
#include "support/stage.h"

#define PLAN_LAUNCHES 24

/* A plan that can be written to. */
struct draft {
    struct weir_pipeline *pipeline;
    struct weir_gpu_plan plan;
    struct weir_gpu_launch launches[PLAN_LAUNCHES];
    uint32_t after[PLAN_LAUNCHES][PLAN_LAUNCHES];
    struct weir_gpu_token tokens[4 * PLAN_LAUNCHES];
    struct weir_gpu_edge added[4 * PLAN_LAUNCHES];
};

/* What a spec says of a kernel. */
struct plan_kernel {
    const char *name;
    int64_t worst, granularity;
    const struct weir_gpu_time *times;
    size_t time_count;
    bool splittable;
    enum weir_disturbance disturbs;
    uint32_t suffers_read, suffers_copy;
};
/* A graph of kernels, with dependencies as pairs of them. Sealed. */
struct weir_pipeline *plan_graph(const struct weir_gpu_spec *gpu, const struct plan_kernel *kernels, size_t count,
                                 const uint32_t (*edges)[2], size_t edge_count);

/* An empty plan for the whole of a graph. The draft keeps the graph. */
void draft_open(struct draft *draft, struct weir_pipeline *pipeline);
void draft_close(struct draft *draft);
/* Appends a launch of a kernel: the whole of it, on so many SMs, with that time, and behind `after` (ended by -1). */
struct weir_gpu_launch *draft_launch(struct draft *draft, uint32_t kernel, uint32_t sms, struct weir_ratio time, const int *after);
void draft_token(struct draft *draft, uint32_t from, uint32_t to, uint32_t sms, uint32_t places);
void draft_add(struct draft *draft, uint32_t from, uint32_t to);

void assert_proven(const struct draft *draft);
void assert_flaw(const struct draft *draft, const char *flaw);

/* Five kernels on 4 SMs with overheads and 2 places: one split by granules of 2, one with a table, two dependencies added.
 * Launches: a, b.1, c, b.2, f, e; they take 12. */
void draft_handed(struct draft *draft);

#endif
