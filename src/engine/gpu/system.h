/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph of kernels in whole numbers, as the searches want it, and what they make: drafts of plans. A fine tick is 1 / scale of a
 * tick, so that most divisions come out even; where one does not, times are rounded up. Exact values are computed once, from the
 * draft that is chosen (plan.c): the loads of a draft are exact, only its times are rounded here.
 */
#ifndef WEIR_ENGINE_GPU_SYSTEM_H
#define WEIR_ENGINE_GPU_SYSTEM_H

#include "base/alloc.h"
#include "model/kernels.h"
#include "weir.h"

#define WEIR_GPU_NEVER INT64_MAX

/* All times and loads in fine ticks; the sum of all of them, whichever the widths, is far below INT64_MAX. */
struct weir_gpu_system {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_kernels *kernels;
    uint32_t sms;    /* a multiple of the step */
    uint32_t step;   /* every launch has a multiple of it */
    uint32_t places; /* launches under way at once; at least 1; UINT32_MAX: any number */
    bool split;      /* kernels that may be split may be */
    int64_t scale;
    int64_t overhead;
    /* By kernel. Where no least time is said, `least` is a small share of the kernel's fastest time: it changes nothing for the
     * whole kernel, and keeps searches from cutting it to dust. */
    int64_t *load, *least, *granularity;
    int64_t *shortest; /* by kernel: steps for its sake are no shorter; at least `least`, and a small share of its fastest time */
    int64_t *fastest;  /* by kernel: its time, without overhead, on as many SMs as help it */
    /* By kernel: by how many percent a draft takes it to be slower than alone, because of those that may run beside it; 0 unless
     * weir_gpu_expect_neighbours was called. Exact times know who does (neighbours.c). */
    uint32_t *slower;
    /* By kernel: the longest chain of kernels before and behind it, itself left out, each at its fastest plus overhead. */
    int64_t *head, *tail;
    uint64_t work, work_limit; /* kernels placed by searches so far; by each at most */
    uint64_t work_whole;       /* by all searches together, as far as is known */
    unsigned permille;         /* last told */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

enum weir_status weir_gpu_system_open(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options,
                                      struct weir_gpu_system *system, struct weir_error *error);
void weir_gpu_system_close(struct weir_gpu_system *system);

/* The fewest SMs that a launch of the kernel may have. */
uint32_t weir_gpu_fewest(const struct weir_gpu_system *system, uint32_t kernel);
/* The time of a part of a kernel on so many SMs, rounded up; WEIR_GPU_NEVER where the kernel's table does not have that number.
 * sms >= 1; 0 < load <= the kernel's. */
int64_t weir_gpu_time(const struct weir_gpu_system *system, uint32_t kernel, int64_t load, uint32_t sms);
/* The fewest SMs, of those there are, on which the part takes at most `time`; 0: there is no such number. */
uint32_t weir_gpu_width(const struct weir_gpu_system *system, uint32_t kernel, int64_t load, int64_t time);
/* The fewest SMs on which the part is as fast as it can be on `most` SMs; 0 where a table has no number so small. */
uint32_t weir_gpu_widest(const struct weir_gpu_system *system, uint32_t kernel, int64_t load, uint32_t most);
/* How much of a load can be done on so many SMs in that time: a whole number of granules, at most `load`; 0 where it cannot be
 * split so: nothing fits, or the kernel may not be split and does not fit whole. */
int64_t weir_gpu_fitting(const struct weir_gpu_system *system, uint32_t kernel, int64_t load, uint32_t sms, int64_t time);
/* Whether the kernel may be launched in parts here. */
bool weir_gpu_splittable(const struct weir_gpu_system *system, uint32_t kernel);

/* One launch of a draft. */
struct weir_gpu_piece {
    uint32_t kernel, sms, group;
    int64_t load;
};

/* Launches in order of their groups (0, 1, ... without a gap); a kernel's pieces are in different groups, and add up to its load;
 * a kernel begins in a later group than all it depends on end in. The SMs of a group's pieces add up to at most all there are, and
 * their number to at most the places. */
struct weir_gpu_draft {
    struct weir_gpu_piece *pieces;
    size_t count, capacity;
    uint32_t groups;
};
bool weir_gpu_draft_add(struct weir_gpu_draft *draft, const struct weir_gpu_piece *piece); /* false: out of memory */
bool weir_gpu_draft_copy(const struct weir_gpu_draft *from, struct weir_gpu_draft *to);    /* into what `to` has room for */
void weir_gpu_draft_free(struct weir_gpu_draft *draft);
/* With barriers between the groups: the sum of each group's overhead and longest time. */
int64_t weir_gpu_draft_length(const struct weir_gpu_system *system, const struct weir_gpu_draft *draft);

#endif
