/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the greatest of n times may be exceeded. The largest few are kept; beyond the smallest of them, excesses are taken to be
 * exponentially distributed with their mean ("peaks over a threshold"). Where executions are alike, independent and the tail is no
 * heavier than that, it is what one execution in a million takes: an estimate, used to warn, and with its uncertainty as a worst
 * case if it is asked for.
 */
#ifndef WEIR_READ_HOLOSCAN_TAIL_ESTIMATE_H
#define WEIR_READ_HOLOSCAN_TAIL_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_TAIL 24      /* times that are kept */
#define WEIR_TAIL_LEAST 8 /* excesses below which there is no estimate */

/* Zero-initialise. */
struct weir_tail_estimate {
    int64_t top[WEIR_TAIL]; /* of those seen, the largest; the least of them first, as a heap */
    size_t kept;
    uint64_t count;
};

void weir_tail_push(struct weir_tail_estimate *tail, int64_t time);
static inline void weir_tail_add(struct weir_tail_estimate *tail, int64_t time)
{
    tail->count++;
    if (tail->kept < WEIR_TAIL || time > tail->top[0])
        weir_tail_push(tail, time);
}

/* The time that one in `rarity` takes; 0 when too few were seen to say, or so many that it has been seen. The tail is given up. */
int64_t weir_tail_estimate_find(struct weir_tail_estimate *tail, uint64_t rarity);

/* The same with its uncertainty: with 95 % confidence no more than one in `rarity` takes longer. The longest seen, where that is
 * more. 0: too few were seen. */
int64_t weir_tail_estimate_upper(struct weir_tail_estimate *tail, uint64_t rarity);
/* Whether the longest is so far out that in an exponential tail it would be with a chance of less than 1 in 100. */
bool weir_tail_estimate_is_heavy(struct weir_tail_estimate *tail);

/* The natural logarithm of a / b in thousandths, rounded down; 0 < b <= a. */
int64_t weir_log_permille(uint64_t a, uint64_t b);

#endif
