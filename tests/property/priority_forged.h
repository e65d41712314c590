/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about systems on shared processors that executions contradict. */
#ifndef WEIR_TESTS_PRIORITY_FORGED_H
#define WEIR_TESTS_PRIORITY_FORGED_H

#include "simulate/processors.h"

struct forged {
    uint64_t count; /* of claims that were tried */
    const char *what;
    uint32_t op;
    int64_t claim, honest; /* that was taken; that of the certificate */
};

/* Whether the checker refuses each claim of one stage of the certificate, lowered below what was seen, one at a time. */
bool forged_are_refused(const struct weir_pipeline *pipeline, const struct weir_priority_analysis *analysis,
                        const struct weir_processors_observed *seen, uint64_t stage, struct forged *forged);
/* Whether no few plans show that this system, which has a bound, has none. */
bool forged_plans_fail(const struct weir_pipeline *pipeline, uint64_t seed);

#endif
