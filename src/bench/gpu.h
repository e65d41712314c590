/* SPDX-License-Identifier: Apache-2.0 */
/* weir bench gpu: what its experiments share. gpu.c has the figures of the paper, bench_gpu_shapes.c the algorithms. */
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

/* Runs every method; simulates; checks what has to hold, and is WEIR_INTERNAL where it does not. For any thread. */
enum weir_status weir_gpu_try(const struct weir_generate_gpu_options *options, struct weir_gpu_trial *trial,
                              struct weir_error *error);

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
void weir_gpu_fill_row(const struct weir_gpu_means *means, bool normalised, struct weir_cell *cells);
/* The methods in the order of the tables; WEIR_GPU_METHODS stands for the lower bound at their end. */
enum { WEIR_GPU_COLUMNS = 6 };
enum weir_gpu_method weir_gpu_column(size_t index);
const char *weir_gpu_column_name(size_t index);
void weir_gpu_add_notes(struct weir_bench_table *table);

/* ---------------------------------------------------------------- sharing work (bench_gpu_share.c) */

/* Pieces of work for as many threads as there are to be; by how many, nobody can tell from the result. */
struct weir_bench_work {
    enum weir_status (*run)(void *context, size_t index, struct weir_error *error); /* by any thread */
    void *context;
    size_t count;
    size_t before, all; /* pieces done in this experiment before these, and all of it: for the progress */
};
/* Complains of the first piece that fails. */
enum weir_exit weir_bench_share(struct weir_bench *bench, const struct weir_bench_work *work);

/* Graph `i` of a point is that of seed 100000 * seed + i. */
enum weir_exit weir_gpu_try_all(struct weir_bench *bench, const struct weir_generate_gpu_options *options,
                                struct weir_bench_work work, struct weir_gpu_trial *trials);

/* ---------------------------------------------------------------- experiments */

enum weir_exit weir_bench_gpu_algorithms(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch);
enum weir_exit weir_bench_gpu_drawn(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch);

#endif
