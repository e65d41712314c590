/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verbs and models of flows on a pool of cores. */
#ifndef WEIR_CLI_EDF_H
#define WEIR_CLI_EDF_H

#include "analyze.h"

struct weir_edf_settings {
    const char *deadline; /* as given, or NULL */
    uint64_t cores;       /* 0: the model's */
    bool json, full, verify, explain;
};

/* Analyses and prints one model. A failure is in *error, with its status, and not printed yet; the result then means nothing. */
enum weir_exit weir_edf_run(const struct weir_edf_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                            struct weir_error *error);

/* Whether no source that leads to it is sporadic or bursty: then latencies count from every arrival. (edf_ways.c) */
bool weir_edf_is_even(const struct weir_pipeline *pipeline, uint32_t op);

/* ---- the block of a model (edf_print.c, edf_table.c, edf_explain.c) ---- */

struct weir_edf_view {
    const struct weir_edf_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full, explain;
};

/* False, with the message printed, when out of memory. */
bool weir_edf_print(const struct weir_edf_view *view);
/* What each operator does, costs and how late it is. False when out of memory. */
bool weir_edf_print_operators(const struct weir_edf_view *view);
/* How many samples the queues hold. */
void weir_edf_print_buffers(const struct weir_edf_view *view);
/* Which bounds there are for each operator, which apply, and which is the least. */
void weir_edf_print_reasons(const struct weir_edf_view *view);

#endif
