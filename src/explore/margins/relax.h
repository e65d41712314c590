/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no choice of priorities, and no method, can better: latencies of a task set in which every execution takes its worst time
 * and no operator ever waits for a processor. Less room never makes them smaller.
 */
#ifndef WEIR_EXPLORE_MARGINS_RELAX_H
#define WEIR_EXPLORE_MARGINS_RELAX_H

#include "weir.h"

struct weir_relaxation;
/* limits: by chain, INT64_MAX for none; the caller's, to be kept. */
struct weir_relaxation *weir_relaxation_new(const struct weir_pipeline *model, const int64_t *limits, struct weir_error *error);
void weir_relaxation_free(struct weir_relaxation *relaxation); /* NULL is fine */

/* Whether latencies within the limits are possible at all when queue q holds capacity[q] messages (WEIR_UNBOUNDED: any number).
 * False is a proof that they are not. Queues that do not block are ignored. */
bool weir_relaxation_possible(struct weir_relaxation *relaxation, const uint32_t *capacity);

#endif
