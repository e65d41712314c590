/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published analyses, kept for comparison. What they share: the papers' model of a pipeline (a chart), the clock, the note.
 *
 * The papers' model is a directed acyclic graph of operators with one source and one sink, joined by bounded queues that begin
 * empty. An operator runs once per message for a time in [best, worst]; it starts as soon as it has finished the message before,
 * every queue into it has a message, and every queue out of it has room. A message leaves its queue when its reader starts.
 */
#ifndef WEIR_BASELINE_CLASSIC_H
#define WEIR_BASELINE_CLASSIC_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "weir.h"

/* ---- charts (chart.c) ---- */

struct weir_chart_edge {
    uint32_t from, to; /* from < to */
    uint32_t capacity; /* >= 1 */
};

/* Nodes are numbered so that an edge leads to a larger number: the source is 0, the sink node_count - 1 (the same in a chart of
 * one node). No two edges join the same nodes: of parallel queues the smallest counts. */
struct weir_classic_chart {
    const struct weir_pipeline *pipeline; /* what it was made from; must outlive the chart */
    uint32_t chain;
    uint32_t node_count, edge_count;
    uint32_t source, sink;
    /* By node: */
    const int64_t *best, *worst;
    const char **names;
    const uint32_t *ops;                 /* the operator of the pipeline */
    const uint32_t *out_first;           /* node_count + 1: where its outgoing edges begin in `edges` */
    const uint32_t *in_first;            /* node_count + 1: where its incoming edges begin in `in_edges` */
    const struct weir_chart_edge *edges; /* by `from`, then in the order of the pipeline's queues */
    const uint32_t *in_edges;            /* indices of edges, by `to`, ascending */
    bool zero_best;                      /* every best case is 0 */
    struct weir_arena arena;
};

/* The papers' model of what chain `chain` of a sealed pipeline measures. Where the pipeline is outside of that model the status is
 * WEIR_OK, result->applicable false, and result->note says why; otherwise result->applicable is true. Free the chart in any
 * case. O(operators + queues). */
enum weir_status weir_chart_extract(const struct weir_pipeline *pipeline, uint32_t chain, struct weir_classic_chart *chart,
                                    struct weir_method_result *result, struct weir_error *error);
void weir_chart_free(struct weir_classic_chart *chart);

/* ---- the methods ---- */

/* Each fills in a result that is all zero but for `applicable`, which is true; it may set it to false and say why in the note.
 * `options` is never NULL, and its fields are as the caller of weir_method_run gave them: 0 still means the default. */
enum weir_status weir_tgdfs_run(const struct weir_classic_chart *chart, const struct weir_method_options *options,
                                struct weir_method_result *result, struct weir_error *error);
enum weir_status weir_rtss24_run(const struct weir_classic_chart *chart, const struct weir_method_options *options,
                                 struct weir_method_result *result, struct weir_error *error);
enum weir_status weir_statespace_run(const struct weir_classic_chart *chart, const struct weir_method_options *options,
                                     struct weir_method_result *result, struct weir_error *error);
/* Covers more than the papers' model, so it gets the pipeline; decides itself what is applicable. Only where weir_smt_missing
 * (smt.h) is NULL. */
enum weir_status weir_smt_run(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_method_options *options,
                              struct weir_method_result *result, struct weir_error *error);

/* The question of a chain: from the start of its first operator, or from the arrival where that is what its latency counts from,
 * to the finish of its last. */
struct weir_query weir_method_query(const struct weir_pipeline *pipeline, uint32_t chain);

/* ---- limits ---- */

#define WEIR_METHOD_BYTES (UINT64_C(1) << 30) /* where options->bytes is 0 */

/* options->seconds of CPU time of this thread, from the moment it is started. */
struct weir_clock {
    int64_t end_ms; /* INT64_MAX: never */
};
void weir_clock_start(struct weir_clock *clock, const struct weir_method_options *options);
/* In milliseconds; INT64_MAX: without a limit. */
int64_t weir_clock_left(const struct weir_clock *clock);
bool weir_clock_over(const struct weir_clock *clock);

/* Calls options->progress where there is one; done / all, at most 1. */
void weir_method_progress(const struct weir_method_options *options, uint64_t done, uint64_t all);

/* Appends a sentence to result->note, with a space in between; what does not fit is cut off. */
void weir_note_add(struct weir_method_result *result, const char *format, ...) WEIR_PRINTF(2, 3);

/* Whether there is a Z3 for the method smt. It is a library of tens of megabytes, so it is loaded when it is first asked for. */

/* NULL when weir_smt_run works; otherwise what is missing, in words. */
const char *weir_smt_missing(void);

#endif
