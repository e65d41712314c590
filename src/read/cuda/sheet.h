/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of an object and how they are launched: docs/reference/formats.md, "Launches of kernels". */
#ifndef WEIR_READ_CUDA_SHEET_H
#define WEIR_READ_CUDA_SHEET_H

#include "base/alloc.h"
#include "weir.h"

struct weir_gpu_sheet {
    struct weir_arena arena;
    const char *path;
    const char *name; /* NULL: none */
    const char *text; /* object, buffers, kernels and arguments, as lines of a plan (tools/gpu/weir_gpu_plan_file.h) */
    const char **kernels;
    uint64_t *memory; /* by kernel: bytes that a launch reads from memory and writes to it; 0: not said */
    size_t kernel_count;
    const char **dependencies; /* as they are written in models */
    size_t dependency_count;
};

/* Its number, or kernel_count. */
size_t weir_gpu_sheet_find(const struct weir_gpu_sheet *sheet, const char *kernel);

/* The next whole number, for times that are rounded up: ceil() without libm, which the library does not link. */
static inline double weir_gpu_round_up(double value)
{
    if (!(value < 0x1p53 && value > -0x1p53))
        return value; /* whole already */
    double whole = (double)(int64_t)value;
    return whole < value ? whole + 1 : whole;
}

#endif
