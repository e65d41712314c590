/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the claims about a flow on a pool of cores. Shares nothing with the engine but the flow, and counts with whole numbers
 * as long as they get. The claims are those of the analysis: responses, each with the theorem it comes from, offsets, latencies and
 * capacities. Each must follow from the claims it rests on (docs/concepts/pool-of-cores.md); it may be larger than needed.
 */
#ifndef WEIR_CHECK_EDF_FLOW_H
#define WEIR_CHECK_EDF_FLOW_H

#include "weir.h"

struct weir_flow_proof {
    const struct weir_edf_analysis *analysis;
    struct weir_ratio x, s; /* of the bounds of Devi and Anderson, and of compliant vectors; negative: none is claimed */
    const uint32_t *groups; /* by operator: those with the same number are never executed at the same time; NULL: not claimed */
};

/* Whether every claim holds; of an analysis that is not schedulable, nothing is claimed. *why (may be NULL) gets a few words about
 * the first that does not. Fails with WEIR_MEMORY, or with WEIR_OVERFLOW where numbers get too long. */
enum weir_status weir_flow_check(const struct weir_flow_proof *proof, bool *holds, char why[160]);

#endif
