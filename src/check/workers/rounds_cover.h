/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking bounds under the greedy scheduler with periods (docs/concepts/workers.md, section 8). The certificate lists how a round
 * can begin: what is in the queues, which messages are of the execution that is followed, and at which times. The check plays one
 * round from each entry. It must end in an entry, whatever the times, and no end of an execution that has taken such messages may
 * be later, or sooner, than was claimed.
 */
#ifndef WEIR_CHECK_WORKERS_ROUNDS_COVER_H
#define WEIR_CHECK_WORKERS_ROUNDS_COVER_H

#include "check/workers/rounds.h"

enum { WEIR_COVER_SOURCES = 6 };

/* Of an operator: how long after the start that is followed an execution ends which has taken what came of it. */
struct weir_greedy_ages {
    bool any; /* there is one */
    bool verified;
    int64_t worst, best;
};

/* Moments are numbered: now; from where the period of each source counts, in their order; the start that is followed. */
struct weir_rounds_cover {
    uint32_t *held, *ours; /* by entry and queue: messages; bits of those that are of what is followed, the oldest first */
    int64_t *later;        /* by entry and two moments: the first is at most so much later; WEIR_ANY_TIME: no limit */
    bool *follows;         /* by entry: an execution is followed */
    size_t count;          /* of entries */
};
void weir_rounds_cover_free(struct weir_rounds_cover *cover);

struct weir_rounds_cover_claim {
    const struct weir_pipeline *pipeline;
    uint32_t from;                              /* whose executions are followed */
    const struct weir_greedy_ages *ages;        /* by operator */
    const struct weir_rounds_cover *at_visit;   /* if the clock is read when the thread comes to an operator */
    const struct weir_rounds_cover *once_round; /* ... and if at the beginning of the round */
    uint64_t work;                              /* visits before it is given up */
};
/* WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_rounds_cover_check(const struct weir_rounds_cover_claim *claim, enum weir_checked *checked);

#endif
