/* SPDX-License-Identifier: Apache-2.0 */
/* weir bench priority: what its experiments share. priority.c has all of it. */
#ifndef WEIR_BENCH_PRIORITY_H
#define WEIR_BENCH_PRIORITY_H

#include "bench/bench.h"

weir_bench_run weir_bench_priority_figure1, weir_bench_priority_table1, weir_bench_priority_table2, weir_bench_priority_runtimes,
    weir_bench_priority_campaign, weir_bench_priority_tightness;

/* The methods in the order of the tables: as published, then weir's own, the best at the end. */
enum { WEIR_BENCH_METHODS = WEIR_PRIORITY_METHODS };
enum weir_priority_method weir_bench_method(size_t index);
/* Colour and marker of a method in all plots, and of what simulations show in those without EIC. */
unsigned weir_bench_look(enum weir_priority_method method);
#define WEIR_BENCH_LOOK_SEEN 5
/* Whether there is room for it in plots with two lines for each method; those left out lie close to others. */
bool weir_bench_drawn(enum weir_priority_method method);

/* ---- systems; complain and return NULL when there is none ---- */

struct weir_pipeline *weir_bench_system(const char *name, int64_t period, int64_t jitter);
/* The seed is taken from that of the run and the index. */
struct weir_pipeline *weir_bench_random_system(const struct weir_bench *bench, struct weir_generate_priority_options options,
                                               uint64_t index);

/* ---- analyses ---- */

/* Complains where it fails, and *analysis is NULL. */
enum weir_exit weir_bench_analyze(const struct weir_pipeline *pipeline, enum weir_priority_method method,
                                  struct weir_priority_analysis **analysis);
/* A time of the model in its unit. */
struct weir_bench_cell weir_cell_time(const struct weir_pipeline *pipeline, int64_t ticks);
/* The bound of a chain, or why there is none. */
struct weir_bench_cell weir_cell_bound(const struct weir_priority_analysis *analysis, size_t chain);
/* "violation", "no bound", "unbounded"; only where it did not converge. */
const char *weir_bench_failure(const struct weir_priority_analysis *analysis);

/* ---- simulations ---- */

struct weir_bench_effort {
    uint32_t runs;
    int64_t iterations;
    uint64_t seed;
};
/* Looks for late executions with the capacities of the analysis, which has converged. Complains when a bound of a safe method is
 * exceeded: a bug in weir. *exceeded (may be NULL): some bound is. Caller frees *seen with weir_free(). */
enum weir_exit weir_bench_search(const struct weir_priority_analysis *analysis, const struct weir_bench_effort *effort,
                                 struct weir_processors_observed **seen, bool *exceeded);
/* The same with what was seen already, with the same capacities. */
enum weir_exit weir_bench_compare_seen(const struct weir_priority_analysis *analysis, const struct weir_processors_observed *seen,
                                       bool *exceeded);
/* Whether both have the same capacities, so that what one shows counts for the other. */
bool weir_bench_same_buffers(const struct weir_priority_analysis *a, const struct weir_priority_analysis *b);

#endif
