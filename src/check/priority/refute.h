/* SPDX-License-Identifier: Apache-2.0 */
/*
 * That there is no bound, shown by executions (check/priority/execution.h). Queues whose size is left to the analysis may get any
 * number of free slots, so that it must be shown for every choice. An execution in which such a queue asks for few shows it for all
 * larger numbers; each smaller one is a case of its own, in which another execution may be needed. The certificate is a list of
 * plans, one for each case in the order in which they come up. Where a part is too slow even if no other task is in its way, one
 * plan with each task alone shows it for all of them.
 */
#ifndef WEIR_CHECK_PRIORITY_REFUTE_H
#define WEIR_CHECK_PRIORITY_REFUTE_H

#include "check/priority/execution.h"

/* A latency, from the nominal arrival of an input if `fed`, else from the enabling of `from`, to the end of `to`. */
struct weir_refuted {
    uint32_t from, to;
    bool fed;
    bool unbounded; /* the answer: it has no bound, or a message on the way is lost, however large the queues are */
    bool pending;   /* ... in the case at hand */
};

/* Goes through the cases. */
struct weir_refuter {
    struct weir_played_execution execution;
    struct weir_refuted *claims;
    size_t claim_count;
    uint32_t *cases; /* rooms by edge, one case behind the other; WEIR_UNBOUNDED: not decided */
    size_t case_count, case_capacity, current;
    int64_t *need; /* by edge: with as many free slots or more, the case at hand is shown */
    uint8_t *before, *behind;
    struct weir_refuter_pin *pins; /* queues that fill up and then have to be looked at as full */
    size_t depth;
    bool memory; /* ran out */
    /* What the first execution of all shows. */
    enum weir_execution_end shown;
    size_t edge;                 /* LOSES */
    uint32_t task;               /* GROWS: one that gets further behind */
    int64_t iterations, rounded; /* ... by this many, in this time */
};

#define WEIR_REFUTE_CASES 256
#define WEIR_PLAN_ALONE (UINT64_C(1) << 63) /* a plan with this is played with each task alone, and shows all cases */

/* False when out of memory. Claims belong to the caller, and are answered when all cases are shown. */
bool weir_refuter_open(struct weir_refuter *refuter, const struct weir_taskset *set, struct weir_refuted *claims, size_t count);
void weir_refuter_close(struct weir_refuter *refuter);
/* Whether this plan shows the case at hand, with so much work; then the next one is at hand. */
bool weir_refuter_try(struct weir_refuter *refuter, uint64_t plan, uint64_t work);

static inline bool weir_refuter_done(const struct weir_refuter *refuter)
{
    return refuter->current == refuter->case_count;
}

/* Whether the plans show all cases. Fails with WEIR_MEMORY. */
enum weir_status weir_refutation_check(const struct weir_taskset *set, const uint64_t *plans, size_t count,
                                       struct weir_refuted *claims, size_t claim_count, bool *holds);

#endif
