/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a small plan for a GPU is what it says, by trying everything: every set of launches, every pair of kernels. */
#ifndef WEIR_TESTS_LAUNCHES_TRUTH_H
#define WEIR_TESTS_LAUNCHES_TRUTH_H

#include "weir.h"

#define TRUTH_LAUNCHES 12

enum truth {
    TRUTH_LEGAL,   /* no execution takes longer than the bound, and no plan has a bound below the lower one */
    TRUTH_ILLEGAL, /* ... or it is not known why that should be so */
    TRUTH_UNKNOWN, /* too large to try */
};
/* Looks at nothing but launches, what they wait for, and the bounds: not at tokens. */
enum truth truth_of(const struct weir_gpu_plan *plan);

#endif
