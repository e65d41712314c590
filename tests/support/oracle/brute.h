/* SPDX-License-Identifier: Apache-2.0 */
/* An oracle for small pipelines: every combination of best and worst execution times, by the plain recurrence of start times. */
#ifndef WEIR_TESTS_BRUTE_H
#define WEIR_TESTS_BRUTE_H

#include "weir.h"

#define WEIR_BRUTE_BITS 20

struct weir_brute {
    bool any;          /* whether there is such a pair of events in these iterations */
    int64_t max, min;  /* of t_{i+shift}(to) - t_i(from), 0 <= i, i + shift < iterations */
    int64_t iteration; /* an i that reaches max */
};

/* How many executions have a choice: operators with best < worst, times iterations. */
uint64_t weir_brute_bits(const struct weir_pipeline *pipeline, const struct weir_query *query, uint32_t iterations);

/* False when the pipeline is not for this oracle: more than WEIR_BRUTE_BITS choices, a late receive, or a deadlock. */
bool weir_brute_separation(const struct weir_pipeline *pipeline, const struct weir_query *query, uint32_t iterations,
                           struct weir_brute *result);

#endif
