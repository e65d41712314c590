/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline on a GPU as a graph of kernels. Made when the pipeline is sealed. Nodes are the operators, in their order. */
#ifndef WEIR_MODEL_KERNELS_H
#define WEIR_MODEL_KERNELS_H

#include "weir.h"

#define WEIR_SMS_MAX 65536

struct weir_kernel {
    int64_t load;        /* > 0; time on one SM, ticks; with a table that of its fewest SMs, times their number */
    int64_t longest;     /* whatever the number of SMs; the sum over all kernels, each with the launch overhead, is below 2^60 */
    int64_t min_time;    /* of the kernel or the platform; 0 with a table */
    int64_t granularity; /* 0: none */
    bool splittable;
    const struct weir_gpu_time *times; /* NULL: no table */
    uint32_t time_count;
    enum weir_disturbance disturbs;
    uint32_t suffers[WEIR_DISTURBS_NONE + 1]; /* by what one beside it does: percent; 0 for WEIR_DISTURBS_NONE */
};

struct weir_kernels {
    uint32_t count, edge_count; /* a dependency that is said twice is one */
    struct weir_gpu_spec gpu;   /* sm_step is at least 1 */
    bool disturbed;             /* a kernel suffers from something */
    struct weir_kernel *kernels;
    uint32_t *order; /* each behind those it depends on; the earliest in the file first among those that could be next */
    /* Kernel v depends on before[first_before[v]] .. before[first_before[v + 1] - 1], ascending; the others depend on it. */
    uint32_t *first_before, *before;
    uint32_t *first_dependent, *dependents;
};

struct weir_sealing;

/* Checks the whole of a pipeline on a GPU, and makes its kernels. */
enum weir_status weir_kernels_build(struct weir_sealing *sealing);

/* Checks what a spec says of kernels, apart from the rest of the pipeline. */
enum weir_status weir_kernel_check(const struct weir_operator_spec *spec, struct weir_error *error);

#endif
