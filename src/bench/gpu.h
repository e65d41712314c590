/* SPDX-License-Identifier: Apache-2.0 */
/* weir bench gpu: what its experiments share. gpu.c has the figures of the paper, gpu_shapes.c the algorithms. */
#ifndef WEIR_BENCH_GPU_H
#define WEIR_BENCH_GPU_H

#include "bench/bench.h"

enum { WEIR_BENCH_ORDERS = 10 }; /* orders of dispatch that a plan is simulated with */

/* What the methods make of one graph. Times are in those of the shortest launch. */
struct weir_gpu_trial {
    double bounds[WEIR_GPU_METHODS], lower;
    double whole; /* the bound of `best` that splits no kernel */
    double over;  /* by which share the longest simulation of `paper` exceeds its bound; 0: none does */
    uint32_t kernels, launches, splits;
};

/* Means over the graphs of a point. */
struct weir_gpu_means {
    double kernels, launches, splits;
    double bounds[WEIR_GPU_METHODS], lower, whole; /* over the bound of greedy-unaware, graph by graph */
    double absolute[WEIR_GPU_METHODS], absolute_lower, absolute_whole;
    double gaps[WEIR_GPU_METHODS], whole_gap; /* above the lower bound, in percent */
    double best_below_paper, paper_below_graham, paper_below_greedy;
    uint64_t graphs, impossible, exceeded; /* graphs where `paper` is below the lower bound; where a simulation exceeds it */
    double over;                           /* ... by how much at most, in percent */
};
struct weir_gpu_means weir_gpu_mean(const struct weir_gpu_trial *trials, size_t count);

/* The columns behind those that name a point: means of bounds (normalised, or as they are), then how good they are. */
size_t weir_gpu_add_columns(struct weir_bench_table *table); /* returns where the first bound is */
void weir_gpu_fill_row(const struct weir_gpu_means *means, bool normalised, struct weir_bench_cell *cells);
/* The methods in the order of the tables; WEIR_GPU_METHODS stands for the lower bound at their end. */
enum { WEIR_GPU_COLUMNS = 6 };
enum weir_gpu_method weir_gpu_column(size_t index);
const char *weir_gpu_column_name(size_t index);
void weir_gpu_add_notes(struct weir_bench_table *table);

/* Graphs for as many threads as are wanted; the result does not depend on how many. */
struct weir_gpu_work {
    struct weir_generate_gpu_options (*graph)(const void *context, uint64_t index);
    const void *context;
    size_t count;
    size_t before, all; /* graphs done in this experiment before these, and all of it: for the progress */
};
/* Complains of the first graph that fails. */
enum weir_exit weir_gpu_try_all(struct weir_bench *bench, const struct weir_gpu_work *work, struct weir_gpu_trial *trials);
/* As a graph of weir_gpu_work, with options as its context: graph `i` of a point has the seed 100000 * seed + i. */
struct weir_generate_gpu_options weir_gpu_seeded(const void *options, uint64_t index);
static inline uint64_t weir_gpu_seed(const struct weir_bench *bench)
{
    return bench->seed * 100000;
}

/* ---------------------------------------------------------------- experiments */

weir_bench_run weir_bench_gpu_algorithms, weir_bench_gpu_drawn;

#endif
