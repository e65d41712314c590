/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to build a flow on a pool of cores; each asserts that it works. */
#ifndef WEIR_TESTS_EDF_POOL_H
#define WEIR_TESTS_EDF_POOL_H

#include "support/stage.h"

/* Without operators, on that many cores. */
struct weir_pipeline *pool_new(uint32_t cores);
/* The next operator, "a", "b" ... "z", "a1" ..., of that cost. */
struct weir_operator pool_add(struct weir_pipeline *pipeline, int64_t cost);
/* produce, consume, threshold, initial; any number of places. */
void pool_queue(struct weir_pipeline *pipeline, uint32_t from, uint32_t to, const uint32_t rates[4]);
void pool_feed(struct weir_pipeline *pipeline, uint32_t op, int64_t period);
/* The analysis, verified. */
struct weir_edf_analysis *pool_analyze(const struct weir_pipeline *pipeline, uint32_t cores);
/* ... by the published bounds on tardiness alone. */
struct weir_edf_analysis *pool_published(const struct weir_pipeline *pipeline, uint32_t cores);

#define assert_ratio(value, n, d)                                                                                                  \
    do {                                                                                                                           \
        struct weir_ratio ratio_ = (value);                                                                                        \
        assert_int_equal(ratio_.numerator, n);                                                                                     \
        assert_int_equal(ratio_.denominator, d);                                                                                   \
    } while (0)

#endif
