/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and models whose operators share processors. */
#ifndef WEIR_CLI_PRIORITY_H
#define WEIR_CLI_PRIORITY_H

#include "analyze.h"

struct weir_priority_settings {
    enum weir_priority_method method;
    const char *deadline, *latency_limit; /* as given, or NULL */
    uint64_t limit;
    const char *gantt; /* a file, or NULL */
    bool json, full, verify;
};

/* Analyses and prints one model. A failure is in *error, with its status, and not printed yet; the result then means nothing. */
enum weir_exit weir_priority_run(const struct weir_priority_settings *settings, const struct weir_pipeline *pipeline,
                                 const char *path, struct weir_error *error);

/* ---- the block of a model (priority_print.c, priority_table.c) ---- */

struct weir_priority_view {
    const struct weir_priority_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full;
};

/* Whether it is proved that the latency has no bound: that of all, or, where there are bounds, of what a sporadic source may keep
 * waiting. */
bool weir_priority_boundless(const struct weir_priority_analysis *analysis, const struct weir_priority_latency *latency);
/* What a latency comes to; the analysis is the one it belongs to. */
enum weir_cli_verdict weir_priority_verdict(const struct weir_priority_analysis *analysis,
                                            const struct weir_priority_latency *latency);
/* False, with the message printed, when out of memory. */
bool weir_priority_print(const struct weir_priority_view *view);
/* Who runs when on which processor. False when out of memory. */
bool weir_priority_print_processors(const struct weir_priority_view *view);
/* How many messages the queues hold. */
void weir_priority_print_buffers(const struct weir_priority_view *view);

#endif
