/* SPDX-License-Identifier: Apache-2.0 */
/* Two operators beside each other in a window of one of them, for flow_window.c. Times are whole multiples of 1 / scale. */
#ifndef WEIR_CHECK_EDF_FLOW_PAIR_H
#define WEIR_CHECK_EDF_FLOW_PAIR_H

#include "base/number.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_FLOW_APART INT64_MAX /* neither needs the other */

struct weir_flow_task {
    int64_t cost, period, response;
    int64_t claimed; /* what is claimed to follow from its windows */
    int64_t carried; /* what it may have left from before a window, as far as it is not counted yet */
    int64_t before;  /* an execution may run so long before its release */
    int64_t offset, early;
    /* Where arrivals are not even: what phi is at most, and minus what it is at least; of the source: how long it holds arrivals
     * back, and its period. */
    int64_t high, low, held, source;
    bool even;
    int64_t ancestor;   /* of the one whose window is looked at: its execution j needs those up to (j p' - this) / p */
    int64_t descendant; /* ... this one's x needs those of it up to (x p - this) / p' */
    uint32_t group;     /* those of one are never executed at the same time */
    uint32_t part;      /* those of one, if even, follow one clock */
    int64_t step;       /* what it may run in the window of the one that is looked at, since they follow one clock or each other */
    int64_t work;       /* in the window that is looked at; `carried` is what there may be more */
};

/* Whether the two are never executed at the same time; relations of i are those to k. */
bool weir_flow_pair_apart(const struct weir_flow_task *i, const struct weir_flow_task *k);
/* What i may run in the window of k, or of its execution `turn`, because both follow one clock or one of them needs the other;
 * INT64_MAX where neither is so, or that says nothing. */
int64_t weir_flow_pair_step(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t turn);
/* ... in a window of execution `turn` that begins less than `sooner` before its release: with work of i left then, or all of it
 * released since. */
int64_t weir_flow_pair_since(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t turn, int64_t sooner,
                             bool left);

static inline int64_t weir_flow_periods_in(const struct weir_flow_task *n, int64_t time)
{
    return n->period > 0 ? time / n->period : 0;
}

/* Executions a period apart, of which the first has `left` for itself, the next a period less, and so on. */
static inline int64_t weir_flow_fading(const struct weir_flow_task *n, int64_t left)
{
    int64_t sum = 0;
    if (left > n->period) { /* those that have more than a period have more than they cost */
        int64_t many = weir_flow_periods_in(n, left - 1);
        sum = many * n->cost;
        left -= many * n->period;
    }
    return left <= 0 ? sum : sum + (left < n->cost ? left : n->cost);
}

#endif
