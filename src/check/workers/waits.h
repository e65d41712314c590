/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking that a pipeline with a thread for each operator has all executions of one whose operators share threads, or are seen
 * late (docs/concepts/workers.md, sections 3 and 7): it is the same pipeline but for times before starts, and these are long
 * enough.
 */
#ifndef WEIR_CHECK_WORKERS_WAITS_H
#define WEIR_CHECK_WORKERS_WAITS_H

#include "check/workers/rounds.h"

/* The other pipeline has waits (struct weir_lateness). In order: whether the answer says that threads take operators in the order
 * in which they got ready. `waits`: of operators that share threads, those that hold in any order, or in that, and have a check of
 * their own (lane_waits.h), or WEIR_FAR; NULL: none. WEIR_CHECKED_OPEN: an operator has none that is long enough. WEIR_MEMORY or
 * WEIR_OK. */
enum weir_status weir_spread_check(const struct weir_pipeline *pipeline, const struct weir_pipeline *spread, bool in_order,
                                   const int64_t *waits, enum weir_checked *checked);

#endif
