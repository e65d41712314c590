/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `simulate` and graphs of kernels on a GPU. */
#ifndef WEIR_CLI_GPU_SIMULATE_H
#define WEIR_CLI_GPU_SIMULATE_H

#include "analyze.h"
#include "simulate.h"

/* One run: makespan, and how to have it again. */
struct weir_gpu_seen_run {
    struct weir_ratio makespan;
    enum weir_gpu_dispatch dispatch;
    enum weir_times times;
    uint64_t seed;
};

struct weir_gpu_seen {
    const struct weir_simulate_settings *settings;
    const struct weir_pipeline *pipeline;
    const char *title;
    struct weir_gpu_plan *plan;
    struct weir_gpu_seen_run *runs; /* in ascending order of their makespans, once all are done */
    size_t count;
    size_t exceeding; /* runs that end later than the bound */
};

/* Simulates one model, prints it and holds it against the bound. Prints what went wrong. */
enum weir_exit weir_gpu_simulate_model(const struct weir_simulate_settings *settings, const struct weir_pipeline *pipeline,
                                       const char *path);

const char *weir_gpu_dispatch_name(enum weir_gpu_dispatch dispatch); /* "gang", "fifo", "interleaved" */
const char *weir_gpu_times_name(enum weir_times times);

/* ---- what the runs come to (gpu_seen.c) ---- */

void weir_gpu_seen_print(const struct weir_gpu_seen *seen);
void weir_gpu_seen_print_json(const struct weir_gpu_seen *seen);

#endif
