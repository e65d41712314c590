/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the latencies of one thread that goes through the operators in their order, without periods (docs/concepts/workers.md,
 * section 6): the rounds are played message by message, with one clock on which all executions take their worst times and one on
 * which they take their best, until everything that the future depends on is as it was before. All latencies have been seen then.
 */
#ifndef WEIR_CHECK_WORKERS_ROUNDS_H
#define WEIR_CHECK_WORKERS_ROUNDS_H

#include "model/pipeline.h"

enum weir_checked {
    WEIR_CHECKED_HOLDS,
    WEIR_CHECKED_FAILS,
    WEIR_CHECKED_OPEN, /* it would take too long to tell, or there is none */
};

/* The largest and the least latency of a chain are these. */
struct weir_rounds_claim {
    const struct weir_pipeline *pipeline;
    uint32_t chain;
    int64_t worst, best;
    uint64_t work; /* looks at an operator or a message before it is given up */
};
/* WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_rounds_check(const struct weir_rounds_claim *claim, enum weir_checked *checked);

#endif
