/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the files of the method tgdfs (RTSS 2025): the trace graph, seen backwards from the finish of the sink in iteration i.
 *
 * A place (v, k) is the start of operator v in iteration i - k. It waits for
 *
 *     the executions of its producers in the same iteration     data          weight: worst case of the producer
 *     its own previous execution                                sequential    weight: its worst case
 *     the start of each reader s in iteration i - k - q(v, s)    downstream    weight: 0
 *
 * where the sequential arc is left out if some queue out of v has a capacity of 1: the reader's start, one iteration ago, waits
 * for that very execution.
 *
 * A place is an ancestor if some path leads from it to the start of the source in iteration i; this depends on lag(v), the fewest
 * iterations that data arcs (0) and downstream arcs (the capacity) take from v to the source: (v, k) is an ancestor iff
 * k >= lag(v). The search ends there. What it came over counts only if it came over a weighted arc and no path from the ancestor
 * to the source begins with a weighted arc: that is, if k == lag(v) and lag(s) > lag(v) for every reader s.
 */
#ifndef WEIR_BASELINE_TGDFS_H
#define WEIR_BASELINE_TGDFS_H

#include "baseline/classic.h"

struct weir_trace {
    struct weir_arena arena; /* to be freed, also where it could not be built */
    const struct weir_classic_chart *chart;
    /* By node: */
    int64_t *lag;
    uint64_t *row;    /* node_count + 1: place (v, k), k <= lag(v), has the number row[v] + k */
    bool *sequential; /* the sequential arc is there */
    bool *counts;     /* the execution of the ancestor (v, lag(v)) counts */
};

enum weir_status weir_trace_build(const struct weir_classic_chart *chart, struct weir_trace *trace, struct weir_error *error);

/* What a place waits for. `ancestor`: depth >= lag(node), the search ends. */
struct weir_trace_arc {
    uint32_t node;
    bool weighted, ancestor;
    bool counts; /* weighted, and not cancelled by path_specific_value */
    int64_t depth;
};
/* The arc of that ordinal into (node, depth), in the order data, sequential, downstream; false when there are no more. */
bool weir_trace_arc(const struct weir_trace *trace, uint32_t node, int64_t depth, uint32_t ordinal, struct weir_trace_arc *arc);

/* The largest value of all expressions, by one pass over all places instead of one over all expressions: what the paper's
 * algorithm comes to in time and memory proportional to the places. INT64_MAX when there are too many of them for `bytes`. */
enum weir_status weir_tgdfs_bound(const struct weir_trace *trace, uint64_t bytes, int64_t *bound, struct weir_error *error);

#endif
