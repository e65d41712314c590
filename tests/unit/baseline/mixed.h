/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the published analyses share: random pipelines of the papers' model, and weir's own answer. */
#ifndef WEIR_TESTS_CLASSIC_MIXED_H
#define WEIR_TESTS_CLASSIC_MIXED_H

#include "support/stage.h"

/* A random application of the Holoscan papers, with capacities up to the given one and best cases of so many permille. */
struct weir_pipeline *mixed_pipeline(uint64_t seed, uint32_t nodes, uint32_t capacity_max, uint32_t best_permille);
/* The worst case of the first pair by the exact engine; asserts that there is one. */
int64_t mixed_exact(const struct weir_pipeline *pipeline, bool zero_best, int64_t shift);

#endif
