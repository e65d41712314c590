/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of several processors drawn at random: weir tries few of them, and few systems need any. */
#ifndef WEIR_TESTS_PRIORITY_REGIONS_H
#define WEIR_TESTS_PRIORITY_REGIONS_H

#include "simulate/processors.h"

struct drawn {
    uint64_t regions, bounds; /* that were tried; that have a bound */
    const char *what;
    uint32_t op;
    int64_t claim, seen;
};

/* Whether no bound by such a region, from the bounds of this analysis, is below what was seen in the system it is about; and the
 * checker takes each, and none that is lower than what was seen. */
bool drawn_regions_hold(const struct weir_pipeline *pipeline, const struct weir_priority_analysis *analysis,
                        const struct weir_processors_observed *seen, uint64_t seed, struct drawn *drawn);

#endif
