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
};

/* A sealed pipeline; never NULL unless memory runs out. */
struct weir_pipeline *weir_random_pipeline(struct weir_random *random, enum weir_flavour flavour);

#endif
