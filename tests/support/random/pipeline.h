/* SPDX-License-Identifier: Apache-2.0 */
/* Small random pipelines of every kind the exact engine accepts: cyclic, with initial messages, mixed capacities, constants,
 * several sources and sinks, periods, arrivals, late receives, reentrant operators, queues that do not block. */
#ifndef WEIR_TESTS_RANDOM_PIPELINE_H
#define WEIR_TESTS_RANDOM_PIPELINE_H

#include "base/random.h"
#include "weir.h"

enum weir_flavour {
    WEIR_FLAVOUR_ZERO_BEST,  /* best cases 0, blocking queues only: the published problem, in general graphs */
    WEIR_FLAVOUR_INTERVALS,  /* ... with best cases */
    WEIR_FLAVOUR_EVERYTHING, /* ... and periods, arrivals, late receives, reentrant operators, non-blocking queues */
    WEIR_FLAVOUR_SLOW,       /* ... with times so nearly equal that backlogs build up a tick at a time */
    WEIR_FLAVOURS,
    WEIR_FLAVOUR_PHASES = WEIR_FLAVOURS, /* everything, with several sources that begin at times of their own */
};

#define WEIR_RANDOM_OPERATORS 7 /* at most */

/* Phases of its sources as the model has them, every other time with start-ups that are further apart where they are unknown; and
 * from when on a latency counts: not before a source of unknown phase begins, but for a period. NULL: there are none. */
const int64_t *weir_random_phases(const struct weir_pipeline *pipeline, uint64_t seed, int64_t *phases, int64_t *counts_from);

/* A sealed pipeline; never NULL unless memory runs out. */
struct weir_pipeline *weir_random_pipeline(struct weir_random *random, enum weir_flavour flavour);

#endif
