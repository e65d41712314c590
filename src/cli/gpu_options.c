/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

void weir_kernel_fill(const struct weir_kernel_options *kernels, struct weir_read_options *options)
{
    options->kernel_times = kernels->times;
    options->min_time = kernels->min_time;
    options->launch_overhead = kernels->launch_overhead;
    options->sms = (uint32_t)kernels->sms;
    options->max_concurrent = (uint32_t)kernels->max_concurrent;
}

const char *weir_kernel_option(const struct weir_kernel_options *kernels)
{
    return kernels->sms               ? "sms"
           : kernels->min_time        ? "min-time"
           : kernels->launch_overhead ? "launch-overhead"
           : kernels->max_concurrent  ? "max-concurrent"
           : kernels->times           ? "kernel-times"
                                      : NULL;
}
