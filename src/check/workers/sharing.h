/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking bounds of operators that share threads: workers, the one thread of the greedy scheduler, lanes
 * (docs/concepts/workers.md, sections 2 to 5 and 9, whose words are used here). The certificate of a bound is the set U and the
 * number k; all else is counted again, from the event graph: which executions are ancestors, the chain from its beginning on, and
 * the work that can be done meanwhile.
 */
#ifndef WEIR_CHECK_WORKERS_SHARING_H
#define WEIR_CHECK_WORKERS_SHARING_H

#include "check/workers/rounds.h"
#include "model/pipeline.h"

struct weir_sharing_claim {
    const struct weir_pipeline *pipeline;
    uint32_t chain;
    struct weir_ratio bound; /* no latency is longer */
    const bool *apart;       /* by operator: it is in U; NULL: none is */
    int64_t shares;          /* k: at least 1 */
    uint64_t work;           /* arcs that are looked at before it is given up */
};
/* WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_sharing_check(const struct weir_sharing_claim *claim, enum weir_checked *checked);

/* Whether no latency of the chain is shorter than `best`, whatever the threads do. */
enum weir_status weir_sharing_check_best(const struct weir_pipeline *pipeline, uint32_t chain, int64_t best, uint64_t work,
                                         enum weir_checked *checked);

#endif
