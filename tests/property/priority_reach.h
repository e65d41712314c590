/* SPDX-License-Identifier: Apache-2.0 */
/* Situations that can be reached, of systems that need them and of others: weir asks for them where nothing else has a bound. */
#ifndef WEIR_TESTS_PRIORITY_REACH_H
#define WEIR_TESTS_PRIORITY_REACH_H

#include "simulate/processors.h"

struct reached {
    bool bounded;
    const char *what;
    uint32_t op;
    int64_t claim, seen;
};

/* Whether the bounds by situations, if there are any, hold in all simulations that are tried, of the system with the room that they
 * ask for; the checker takes them, and none that is lower than what was seen. */
bool reached_bounds_hold(const struct weir_pipeline *pipeline, uint64_t seed, struct reached *reached);

#endif
