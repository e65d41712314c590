/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the verbs about graphs of kernels on a GPU (gpu_options.c). */
#ifndef WEIR_CLI_GPU_H
#define WEIR_CLI_GPU_H

#include "cli.h"

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

#endif
