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

#endif
