/* SPDX-License-Identifier: Apache-2.0 */
/* Small random pipelines with what Holoscan has beyond plain queues: batches, work on a GPU, transfers, periodic conditions and, if
 * asked for, connections that do not wait and ticks that are skipped. */
#ifndef WEIR_TESTS_RANDOM_SEMANTICS_H
#define WEIR_TESTS_RANDOM_SEMANTICS_H

#include "base/random.h"
#include "weir.h"

/* A sealed pipeline; NULL where what was drawn has no meaning: a deadlock, a stream whose order is open. *why says so. */
struct weir_pipeline *weir_random_semantics(struct weir_random *random, bool cut, struct weir_error *why);
/* Seeds of the campaign that draw the next. */
static inline bool weir_random_is_overlay(uint64_t seed)
{
    return seed % 32 == 22;
}
/* The last operator joins each message of the first with what came of an earlier one on the way over all others, if it is there. */
struct weir_pipeline *weir_random_overlay(struct weir_random *random, struct weir_error *why);
/* One with few states, and nothing that does not wait. */
struct weir_pipeline *weir_random_small_semantics(struct weir_random *random, struct weir_error *why);
/* The same pipeline under a scheduler, or with lanes, sealed; NULL where that has no meaning. */
struct weir_pipeline *weir_random_shared(const struct weir_pipeline *pipeline, struct weir_random *random);

#endif
