/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of kernels on a GPU: how many SMs each kernel gets, in which order they are launched, and when all of them are done.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_GPU_H
#define WEIR_GPU_H

#include <stdio.h>

#include "weir/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * On WEIR_PLATFORM_GPU the operators of a pipeline are kernels and its queues are dependencies, without a cycle. A launch runs a
 * kernel, or a part of one, as so many blocks, each on an SM of its own; free SMs take ready blocks in an unspecified order.
 * A launch ends when its last block does, and may end early. docs/concepts/gpu.md has the theorems.
 *
 * Ratios are in ticks and exact; one whose exact value does not fit is rounded up, never down (lower bounds: down).
 */

enum weir_gpu_method {
    WEIR_GPU_BEST,           /* list policies, pilot search, tokens handed from launch to launch; never above WEIR_GPU_SAFE */
    WEIR_GPU_SAFE,           /* the published method made safe: water-filled widths, fillers on SMs of their own, barriers */
    WEIR_GPU_PAPER,          /* the published method as it is; its bound can be exceeded */
    WEIR_GPU_GREEDY,         /* every kernel as wide as it can use, on at most all SMs; the sum of the times */
    WEIR_GPU_GREEDY_UNAWARE, /* ... as wide as it can use, whatever the number of SMs */
    WEIR_GPU_GRAHAM, /* every kernel as blocks of the least time; Graham's bound, which a device that keeps SMs idle exceeds */
    WEIR_GPU_METHODS,
};
WEIR_API const char *weir_gpu_method_name(enum weir_gpu_method method); /* "best", "safe", "paper", "greedy", ... */
/* WEIR_GPU_METHODS if there is no such method. */
WEIR_API enum weir_gpu_method weir_gpu_method_named(const char *name);

struct weir_gpu_launch {
    struct weir_operator kernel;
    uint32_t part, parts;    /* of how many the kernel is launched in; part counts from 1; a part waits for the one before */
    uint32_t group;          /* from 0: launches of one group were planned to run together */
    uint32_t sms;            /* blocks, each on an SM of its own (more than there are: in waves) */
    struct weir_ratio load;  /* time on one SM */
    struct weir_ratio time;  /* of each of its blocks, at most */
    struct weir_ratio alone; /* ... while nothing that disturbs it runs; denominator 0: `time` */
    struct weir_ratio start; /* when it begins if everything takes as long as it can: its position in the picture of the plan */
    const uint32_t *after;   /* launches that must have ended before it begins, ascending */
    size_t after_count;
};

#define WEIR_GPU_BEGIN UINT32_MAX

/* SMs (and places among the launches in progress) that one launch passes to a later one; the certificate of a safe plan. */
struct weir_gpu_token {
    uint32_t from, to; /* launches; from may be WEIR_GPU_BEGIN; `from` is in `after` of `to` */
    uint32_t sms;
    uint32_t places; /* 0 unless max_concurrent is given */
};

struct weir_gpu_edge {
    uint32_t from, to; /* launches */
};

struct weir_gpu_plan {
    const struct weir_pipeline *pipeline;
    enum weir_gpu_method method;
    uint32_t sms; /* planned for */
    struct weir_ratio bound;
    struct weir_ratio lower;                /* no plan has a smaller bound: proven */
    bool safe;                              /* no legal execution takes longer than the bound */
    const char *why;                        /* NULL when safe; else what can break it, in words */
    bool barriers;                          /* each group waits for all of the one before (`after` says so too) */
    const struct weir_gpu_launch *launches; /* in order of groups; a launch comes after all those that it waits for */
    size_t launch_count;
    uint32_t group_count;
    uint32_t split_count; /* kernels launched in more than one part */
    /* Those in `after` that do not join two kernels with a dependency, nor two parts of one kernel. */
    const struct weir_gpu_edge *added;
    size_t added_count;
    const struct weir_gpu_token *tokens; /* of safe plans */
    size_t token_count;
    bool limited; /* the search ended at the work limit; the plan is no less safe */
    bool verified;
};

struct weir_gpu_options {
    enum weir_gpu_method method;
    uint32_t sms;        /* instead of the model's; 0: the model's */
    bool no_split;       /* do not split kernels */
    bool verify;         /* check the certificate by code that shares nothing with the engine; a failure is WEIR_INTERNAL */
    uint64_t work_limit; /* kernels placed by each search of WEIR_GPU_BEST (two where kernels may be split); 0: the default */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};

/* options may be NULL. WEIR_INVALID if the method does not cover the model; the message says why. Caller frees. */
WEIR_API enum weir_status weir_gpu_analyze(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options,
                                           struct weir_gpu_plan **plan, struct weir_error *error);
WEIR_API void weir_gpu_plan_free(struct weir_gpu_plan *plan);

/* ---------------------------------------------------------------- as a program */

enum weir_gpu_program {
    WEIR_GPU_CUDA, /* .cu, the runtime's interface, for nvcc */
    WEIR_GPU_C,    /* .c, the driver's interface and PTX in the text, for any C compiler */
    WEIR_GPU_PLAN, /* .plan, a file that an application reads with weir_gpu_plan.h */
};
/* A complete program that runs the plan as a CUDA graph, with kernels that spin for their load, and prints what it measured. */
WEIR_API enum weir_status weir_gpu_write_program(const struct weir_gpu_plan *plan, enum weir_gpu_program program, FILE *out,
                                                 struct weir_error *error);

/* ---------------------------------------------------------------- kernels of an object */

/* Kernels of a cubin, PTX, fatbin or shared object: the shape and arguments with which they are launched, and what depends on
 * what: read from YAML (docs/reference/formats.md). Caller frees. On failure *sheet is NULL and errors says why. */
struct weir_gpu_sheet;
WEIR_API enum weir_status weir_gpu_sheet_read(const char *path, struct weir_gpu_sheet **sheet, struct weir_errors *errors);
WEIR_API void weir_gpu_sheet_free(struct weir_gpu_sheet *sheet); /* NULL is fine */

/* A safe plan in which each launch has certain SMs, in parts of `sm-step`, as the file that weir_gpu_plan.h reads, or as a program
 * that launches the kernels of the sheet, each in a green context, and measures. The sheet may be NULL for WEIR_GPU_PLAN. */
WEIR_API enum weir_status weir_gpu_write_launches(const struct weir_gpu_plan *plan, const struct weir_gpu_sheet *sheet,
                                                  enum weir_gpu_program program, FILE *out, struct weir_error *error);

struct weir_gpu_profile_options {
    int device;
    uint32_t step;          /* of the numbers of SMs; 0: that of the device */
    uint32_t runs;          /* of each kernel on each number of SMs beside each neighbour; 0: 1000 */
    uint32_t margin;        /* percent, added to the longest time */
    const uint32_t *widths; /* numbers of SMs, ascending; NULL: the step, twice, four times ... and all */
    size_t width_count;
    void (*progress)(void *context, const char *what); /* may be NULL */
    void *context;
};
/* Measures the kernels of the sheet on the device, alone and beside neighbours, and writes a model with their times. Nothing is
 * written if it fails. WEIR_IO: there is no suitable device; the message says why. */
WEIR_API enum weir_status weir_gpu_profile(const struct weir_gpu_sheet *sheet, const struct weir_gpu_profile_options *options,
                                           FILE *out, struct weir_error *error);

/* ---------------------------------------------------------------- simulating */

enum weir_gpu_dispatch {
    WEIR_GPU_GANG,        /* a launch begins when SMs are free for all its blocks at once */
    WEIR_GPU_FIFO,        /* free SMs take the blocks of one launch, then of the next */
    WEIR_GPU_INTERLEAVED, /* a free SM takes a block of any launch that is ready */
    WEIR_GPU_DISPATCHES,
};

struct weir_gpu_simulation_options {
    enum weir_gpu_dispatch dispatch;
    enum weir_times times; /* WORST, RANDOM or BANG_BANG: of blocks, and of how long after it is ready a launch begins */
    uint64_t seed;         /* of the times, and of the order in which ready launches are taken */
    /* Called when a block ends, in order of time; in ticks divided by scale. May be NULL. */
    void (*observe)(void *context, uint32_t launch, uint32_t sm, const int64_t begin_end[2], int64_t scale);
    void *context;
};
/* Runs the launches as blocks on the SMs of the plan, without regard to groups, starts, tokens or bounds. Times without a common
 * scale are rounded down, which is a legal execution. */
WEIR_API enum weir_status weir_gpu_simulate(const struct weir_gpu_plan *plan, const struct weir_gpu_simulation_options *options,
                                            struct weir_ratio *makespan, struct weir_error *error);

/* ---------------------------------------------------------------- generating */

enum weir_gpu_shape {
    WEIR_GPU_RANDOM,   /* layers of random width, random dependencies between neighbours */
    WEIR_GPU_GAUSSIAN, /* elimination of a matrix of `size` */
    WEIR_GPU_LAPLACE,  /* wave front over a grid of size x size */
    WEIR_GPU_STENCIL,  /* `size` levels of `size` tasks, each after its three neighbours, between a source and a sink */
    WEIR_GPU_SHAPES,
};
WEIR_API const char *weir_gpu_shape_name(enum weir_gpu_shape shape); /* "random", "gaussian", "laplace", "stencil" */

struct weir_generate_gpu_options {
    enum weir_gpu_shape shape;
    uint64_t seed;
    uint32_t sms;                    /* of the platform; 0: 32 */
    uint32_t size;                   /* of all but WEIR_GPU_RANDOM; 0: 6 */
    uint32_t layers_min, layers_max; /* WEIR_GPU_RANDOM, source and sink included; 0: 5 and 8, the paper's */
    uint32_t parallelism;            /* 2 to so many kernels in a layer; 0: 8 */
    uint32_t edge_permille;          /* 0: 500 */
    uint32_t average;                /* load, in multiples of the least time; 0: 20 */
    bool random_loads;               /* not for WEIR_GPU_RANDOM: random loads instead of those of the algorithm */
};
/* Kernels may be split; the least time is 1 tick. */
WEIR_API enum weir_status weir_generate_gpu(const struct weir_generate_gpu_options *options, struct weir_pipeline **pipeline,
                                            struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
