/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `explore` and what it prints. */
#ifndef WEIR_CLI_EXPLORE_H
#define WEIR_CLI_EXPLORE_H

#include "cli.h"

/* What was looked for and found in one model. */
struct weir_findings {
    const struct weir_pipeline *model;
    const struct weir_explore_options *options;
    const struct weir_exploration *exploration;
    const char *title;
    const char *out; /* where the changed model was written; NULL: nowhere */
    bool stopped;    /* by the user */
};

/* "priorities", "mapping", "spacing", "buffers" */
const char *weir_goal_name(enum weir_explore_goal goal);

/* The worst case of a pair before or after, as the goal counts it (from the actual arrival, regulator included); false: no bound.
 */
bool weir_findings_worst(const struct weir_findings *findings, size_t pair, bool after, int64_t *worst);
/* Whether it keeps its deadline; true without one. */
bool weir_findings_met(const struct weir_findings *findings, size_t pair, bool after);
/* What the bounds that remain, changed or not, come to. */
enum weir_exit weir_findings_exit(const struct weir_findings *findings);

/* What changed in an operator. */
struct weir_operator_change {
    struct weir_operator_spec before, after;
    bool processor, priority;
};
bool weir_findings_change(const struct weir_findings *findings, uint32_t op, struct weir_operator_change *change);
/* What a queue holds before and after; true when it was sized and differs. -1: not known. */
bool weir_findings_capacity(const struct weir_findings *findings, uint32_t queue, int64_t *before, int64_t *after);

void weir_findings_print(const struct weir_findings *findings);
void weir_findings_print_json(const struct weir_findings *findings);

/* ---- interrupts (explore.c) ---- */

/* From here on the first interrupt sets what is returned, and a second one ends the program; until the end. */
const bool *weir_interrupts_begin(void);
void weir_interrupts_end(void);

/* ---- batches (explore_batch.c, explore_batch_print.c, explore_batch_plot.c) ---- */

struct weir_batch_settings {
    const char *batching, *utilization, *within, *merged_init; /* as given, or NULL */
    const char *out, *csv, *svg;
    enum weir_model_format format; /* of out */
    uint64_t cores, factor_max;
    bool merge, verify, json;
};
/* What is wrong with them, whatever the model. Prints it. */
enum weir_exit weir_batch_check(const struct weir_batch_settings *settings);
enum weir_exit weir_batch_run(const struct weir_batch_settings *settings, const struct weir_pipeline *model, const char *path);

/* What was found about one model. */
struct weir_batch_findings {
    const struct weir_batch_settings *settings;
    const struct weir_batch_options *options;
    const struct weir_batch_exploration *exploration;
    const struct weir_edf_analysis *analysis; /* of the chosen model; NULL: none */
    const struct weir_pipeline *model;
    const char *title;
    uint32_t cores;
    int64_t samples; /* at once at the first source, by batches of factor 1; 0: not known */
};
/* The point of the lowest utilisation within the limits, where a latency has one; point_count: there is none. */
size_t weir_batch_leanest(const struct weir_batch_findings *findings);
/* "the smallest that is schedulable", and so on; the n-th of all that is to be said, or NULL. */
const char *weir_batch_remark(const struct weir_batch_findings *findings, size_t point, unsigned n);
/* Whether an operator of the chosen model stands for several of the model. */
bool weir_batch_is_merged(const struct weir_batch_findings *findings, uint32_t op);
void weir_batch_print(const struct weir_batch_findings *findings);
void weir_batch_print_json(const struct weir_batch_findings *findings);
void weir_batch_print_csv(const struct weir_batch_findings *findings, FILE *out);
/* Utilisation or latency against the batch. */
enum weir_status weir_batch_plot(const struct weir_batch_findings *findings, bool latency, FILE *out, struct weir_error *error);

#endif
