/* SPDX-License-Identifier: Apache-2.0 */
/* How long operators wait for others that share a thread with them (docs/concepts/workers.md, section 9, whose words are used
 * here), and how long after their release they start (docs/concepts/async.md, section 11). */
#ifndef WEIR_ENGINE_ASYNC_LANES_H
#define WEIR_ENGINE_ASYNC_LANES_H

#include "model/pipeline.h"

/* For how long an execution of an operator occupies its thread. */
int64_t weir_operator_busy(const struct weir_pipeline *pipeline, uint32_t op);

/* The pipeline has a thread for each operator and the waits that are tried; `lanes` is by operator, or WEIR_NO_LANE. Fills in how
 * long each operator of a lane waits, once it is seen, in any order: WEIR_FAR where that is not found (or, with `verified`, not
 * checked; one that does not hold is WEIR_INTERNAL); 0 for the others. */
enum weir_status weir_async_waits(const struct weir_pipeline *pipeline, const uint32_t *lanes, bool verified, int64_t *waits,
                                  struct weir_error *error);

/* How long after its tick and its messages are there an operator starts, where the model says how long it may. */
struct weir_start_delay {
    int64_t most; /* -1: not known */
    enum weir_async_chance late;
};
/* By operator. */
enum weir_status weir_async_delays(const struct weir_pipeline *pipeline, uint64_t work_limit, struct weir_start_delay *delays,
                                   struct weir_error *error);

#endif
