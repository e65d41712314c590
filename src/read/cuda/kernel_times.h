/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of kernels from a CSV file (docs/reference/formats.md): what was measured on so many SMs, or a load; or the summary of
 * kernels that Nsight Systems prints.
 */
#ifndef WEIR_READ_CUDA_KERNEL_TIMES_H
#define WEIR_READ_CUDA_KERNEL_TIMES_H

#include "read/text.h"

#define WEIR_KERNEL_TIMES_BYTES_MAX (UINT64_C(64) << 20)

/* What a file says of one name. */
struct weir_kernel_entry {
    const char *name, *base; /* `base` is the name without what templates and parameters add to it; NULL: not known */
    struct weir_place place;
    bool has_load, splittable, has_granularity, has_min_time;
    bool whole; /* the name has no templates and parameters: it stands for all of them */
    struct weir_decimal load, granularity, min_time;
    size_t first, count; /* of its table; none with a load */
};

struct weir_kernel_width {
    uint32_t sms; /* 0: as many as the kernel has blocks, at most all */
    struct weir_decimal time;
    struct weir_place place;
};

struct weir_kernel_times {
    struct weir_draft *draft;
    struct weir_arena arena;
    const char *path;
    struct weir_kernel_entry *entries; /* by name */
    size_t count, capacity;
    struct weir_kernel_width *widths; /* by entry, then by SMs */
    size_t width_count, width_capacity;
};

/* Reads the file; mistakes are reported. Zero-initialise, then set draft. */
void weir_kernel_times_read(struct weir_kernel_times *times, const char *path);
void weir_kernel_times_free(struct weir_kernel_times *times);
/* The entry of exactly that name, or NULL. */
const struct weir_kernel_entry *weir_kernel_times_find(const struct weir_kernel_times *times, const char *name);

/* The qualified name of a function without templates, parameters and result: of a symbol (_ZN3net6conv2dIfdEEvPT_PT0_i) or of what
 * tools make of it ("void net::conv2d<float, double>(T1 *, T2 *, int)") both are net::conv2d. NULL where that is not clear, or,
 * with draft->out_of_memory set, when there is no memory. Lives in the arena. */
const char *weir_kernel_base(struct weir_draft *draft, struct weir_arena *arena, const char *name);

#endif
