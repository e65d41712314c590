/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verbs and graphs of kernels on a GPU. */
#ifndef WEIR_CLI_GPU_H
#define WEIR_CLI_GPU_H

#include "analyze.h"

/* ---- reading (gpu_options.c) ---- */

/* What the command line says of graphs of kernels, in the place of what a model says. Zero-initialise. */
struct weir_kernel_options {
    const char *times, *min_time, *launch_overhead; /* NULL: not given */
    uint64_t sms, max_concurrent;                   /* 0: not given */
};
#define WEIR_KERNEL_HELP                                                                                                           \
    "  --sms N, --min-time T, --launch-overhead T, --max-concurrent N, --kernel-times FILE\n"                                      \
    "                   in the place of what the model says; what the graphs that CUDA writes do not say\n"
#define WEIR_KERNEL_OPTIONS(kernels)                                                                                               \
    {.name = "sms", .kind = WEIR_OPTION_NUMBER, .value = &(kernels).sms, .low = 1, .high = 65536},                                 \
        {.name = "min-time", .kind = WEIR_OPTION_TEXT, .value = &(kernels).min_time},                                              \
        {.name = "launch-overhead", .kind = WEIR_OPTION_TEXT, .value = &(kernels).launch_overhead},                                \
        {.name = "max-concurrent", .kind = WEIR_OPTION_NUMBER, .value = &(kernels).max_concurrent, .low = 1, .high = UINT32_MAX},  \
    {                                                                                                                              \
        .name = "kernel-times", .kind = WEIR_OPTION_TEXT, .value = &(kernels).times                                                \
    }
void weir_kernel_fill(const struct weir_kernel_options *kernels, struct weir_read_options *options);
/* The name of one that is given, or NULL. */
const char *weir_kernel_option(const struct weir_kernel_options *kernels);

/* ---- analysing (gpu.c) ---- */

struct weir_gpu_settings {
    enum weir_gpu_method method;
    bool all;             /* a table of all methods, too */
    const char *deadline; /* as given, or NULL */
    uint64_t limit;
    const char *gantt, *trace; /* files, or NULL */
    bool json, full, verify, explain, no_split;
};

/* Analyses and prints one model. A failure is in *error, with its status, and not printed yet; the result then means nothing. */
enum weir_exit weir_gpu_run(const struct weir_gpu_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                            struct weir_error *error);

/* Whether the bounds of a method are promises. */
bool weir_gpu_method_safe(enum weir_gpu_method method);
/* How a plan stands to the deadline of its model. */
enum weir_cli_verdict weir_gpu_verdict(const struct weir_gpu_plan *plan);

/* ---- the block of a model (gpu_print.c, gpu_explain.c, gpu_methods.c) ---- */

struct weir_gpu_view {
    const struct weir_gpu_plan *plan;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full, explain;
};

void weir_gpu_print(const struct weir_gpu_view *view);
/* "resize", or "resize[2/3]". */
void weir_gpu_print_launch(const struct weir_gpu_view *view, const struct weir_gpu_launch *launch);
/* What is launched after what that the model does not ask for, and how kernels are split. */
void weir_gpu_print_reasons(const struct weir_gpu_view *view);
/* A line for each method. */
enum weir_exit weir_gpu_print_methods(const struct weir_gpu_settings *settings, const struct weir_pipeline *pipeline,
                                      struct weir_error *error);

/* ---- numbers (gpu_number.c) ---- */

/* "4.66666 us": as weir_ratio_amount, but rounded down. */
const char *weir_gpu_floor(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_AMOUNT_TEXT]);
/* "7.15 %": how far the bound lies above the lower one, rounded up; negative where it lies below. */
const char *weir_gpu_gap(const struct weir_gpu_plan *plan, char text[WEIR_AMOUNT_TEXT]);

#endif
