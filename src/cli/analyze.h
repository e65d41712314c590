/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and what it prints. */
#ifndef WEIR_CLI_ANALYZE_H
#define WEIR_CLI_ANALYZE_H

#include "cli.h"
#include "render/text/text.h"

/* ---- the block of a model (print.c, path.c) ---- */

struct weir_view {
    const struct weir_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full; /* everything, however long */
    bool verified;
    const struct weir_latency *told; /* why it has no bound stands in the first line; NULL: of none */
};

/* False, with the message printed, when out of memory. */
bool weir_view_print(const struct weir_view *view);

/* ---- one latency (latency.c) ---- */

/* The more urgent the larger. */
enum weir_cli_verdict {
    WEIR_VERDICT_FINE,
    WEIR_VERDICT_UNDECIDED, /* a limit was reached, and what is known does not decide the deadline or is no exact answer */
    WEIR_VERDICT_MISSED,
    WEIR_VERDICT_NO_BOUND,
};
enum weir_cli_verdict weir_latency_verdict(const struct weir_latency *latency);
/* What a latency alone makes of the exit status. */
enum weir_exit weir_latency_exit(const struct weir_latency *latency);
/* Negative when a is to be told of before b: the more urgent first, then the later. */
int weir_latency_compare(const struct weir_latency *a, const struct weir_latency *b);
/* The lines of some latencies, aligned. False, with the message printed, when out of memory. */
bool weir_latencies_print(const struct weir_view *view, const struct weir_latency *const *latencies, size_t count);

/* ---- times on the command line (analyze.c) ---- */

/* The text of an option as a number of this model's ticks, at least `least`: 0 for deadlines, 1 for limits. */
bool weir_time_option(const struct weir_pipeline *pipeline, const char *text, int64_t least, int64_t *ticks,
                      struct weir_error *error);

/* ---- text (text.c) ---- */

/* Prints text in exactly so many columns, at least 3: filled up with spaces, or cut short. */
void weir_print_padded(const char *text, size_t columns);

#endif
