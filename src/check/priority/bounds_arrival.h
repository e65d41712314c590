/* SPDX-License-Identifier: Apache-2.0 */
/* Checking bounds that count from the actual arrival of an input, given those from its nominal one. */
#ifndef WEIR_CHECK_PRIORITY_BOUNDS_ARRIVAL_H
#define WEIR_CHECK_PRIORITY_BOUNDS_ARRIVAL_H

#include "model/taskset.h"

struct weir_arrival_claim {
    const struct weir_taskset *set;
    const uint32_t *room;                                        /* by edge, as in a proof of bounds */
    const int64_t *enable_min, *enable_max, *finish_max, *after; /* by task; the first three hold */
};

/* Whether every iteration ends at most `after` its input arrives; if not, *wrong is the first task that may not. */
bool weir_arrivals_hold(const struct weir_arrival_claim *claim, uint32_t *wrong);

#endif
