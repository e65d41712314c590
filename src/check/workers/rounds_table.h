/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a bound under the greedy scheduler with periods, where the thread is never idle while the latency lasts
 * (docs/concepts/workers.md, section 6). The certificate is a list of what the queues can hold at the beginning of a round, and for
 * each entry and each number of ends of `to` that an iteration still has before it, how long it takes from there on at most. The
 * check plays one round from each entry, with each operator that has a period due or not: it must end in an entry of the list, and
 * what it takes, with what is left then, must be no more than was claimed.
 */
#ifndef WEIR_CHECK_WORKERS_ROUNDS_TABLE_H
#define WEIR_CHECK_WORKERS_ROUNDS_TABLE_H

#include "check/workers/rounds.h"

struct weir_rounds_table {
    uint32_t *messages; /* by entry and queue */
    size_t count;       /* of entries */
    size_t ends;        /* that an iteration has before it: below this */
    int64_t *longest;   /* by entry and ends; 0 ends: of an iteration that begins in the round */
    bool *needed;       /* the same: an iteration can be there, so that the time counts */
};
void weir_rounds_table_free(struct weir_rounds_table *table);

/* No latency of the chain is longer than `worst`. WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_rounds_table_check(const struct weir_pipeline *pipeline, uint32_t chain,
                                         const struct weir_rounds_table *table, int64_t worst, enum weir_checked *checked);

#endif
