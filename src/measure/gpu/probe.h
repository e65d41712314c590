/* SPDX-License-Identifier: Apache-2.0 */
/* A device on which kernels are measured: on some of its SMs, with a neighbour on all others. */
#ifndef WEIR_MEASURE_GPU_PROBE_H
#define WEIR_MEASURE_GPU_PROBE_H

#include "weir_gpu_plan.h"

#include <stdbool.h>

/* What a neighbour does: nothing (there is none), it holds its SMs, stays within L2, streams through memory, copies. */
enum weir_gpu_neighbour {
    WEIR_NEIGHBOUR_NONE,
    WEIR_NEIGHBOUR_IDLE,
    WEIR_NEIGHBOUR_L2,
    WEIR_NEIGHBOUR_READS,
    WEIR_NEIGHBOUR_COPIES,
    WEIR_NEIGHBOURS
};

struct weir_gpu_probe {
    struct weir_plan plan; /* the kernels, and the green contexts that were needed so far; `error` says what went wrong */
    weir_cu_handle stream;
    weir_cu_handle neighbour;
    weir_cu_address marks, notes, gate, memory[2];
    size_t memory_bytes, l2_bytes;
    volatile uint32_t *gate_open;
    double least_ns;            /* from one mark to the next */
    double mhz_least, mhz_most; /* of the SMs, as seen */
};

/* What was measured: the longest and the mean of so many. */
struct weir_gpu_span {
    double longest_ns, mean_ns;
    size_t count;
};

/* All return 0, or -1 with the reason in probe->plan.error. */
int weir_gpu_probe_open(struct weir_gpu_probe *probe, const char *text, int device);
void weir_gpu_probe_close(struct weir_gpu_probe *probe);

/* A kernel on the first `units` parts of the device, so often, with such a neighbour on all others. */
int weir_gpu_probe_kernel(struct weir_gpu_probe *probe, size_t kernel, size_t units, enum weir_gpu_neighbour neighbour, size_t runs,
                          struct weir_gpu_span *span);
/* How far something that stays in L2, or reads from memory, gets on the first parts, in rounds per ns, while a neighbour, or where
 * it is not `plan.kernel_count` that kernel, runs on all others. `duty` is how much of that time the kernel was running. */
struct weir_gpu_victim {
    enum weir_gpu_neighbour does, beside;
    size_t kernel;
};
int weir_gpu_probe_rate(struct weir_gpu_probe *probe, const struct weir_gpu_victim *victim, double *rate, double *duty);
/* From the end of a launch to the begin of the last of `wide` others in other contexts: the longest. */
int weir_gpu_probe_overhead(struct weir_gpu_probe *probe, size_t wide, size_t runs, double *ns);

#endif
