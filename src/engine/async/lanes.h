/* SPDX-License-Identifier: Apache-2.0 */
/* How long operators wait for others that share threads with them (docs/concepts/workers.md, section 9, whose words are used
 * here), and how long after their release they start (docs/concepts/async.md, section 11). */
#ifndef WEIR_ENGINE_ASYNC_LANES_H
#define WEIR_ENGINE_ASYNC_LANES_H

#include "check/workers/lane_waits.h"
#include "model/pipeline.h"

/* For how long an execution of an operator occupies its thread. */
int64_t weir_operator_busy(const struct weir_pipeline *pipeline, uint32_t op);

/* The pipeline has a thread for each operator and the waits that are tried. Fills in how long each operator of a group waits, once
 * it is seen: WEIR_FAR where that is not found (or, with `verified`, not checked; one that does not hold is WEIR_INTERNAL); 0 for
 * the others. */
enum weir_status weir_async_waits(const struct weir_pipeline *pipeline, const struct weir_thread_groups *groups, bool verified,
                                  int64_t *waits, struct weir_error *error);

/* `threads` threads are at work on others, each of which is for so long at most, or WEIR_FAR: the longest that all of them are.
 * WEIR_FAR: for ever. Sorts. */
int64_t weir_least_wait(int64_t *times, uint32_t count, uint32_t threads);

/* How long after its tick and its messages are there an operator starts, where the model says how long it may. */
struct weir_start_delay {
    int64_t most; /* -1: not known */
    enum weir_async_chance late;
};
/* By operator. */
enum weir_status weir_async_delays(const struct weir_pipeline *pipeline, uint64_t work_limit, struct weir_start_delay *delays,
                                   struct weir_error *error);

#endif
