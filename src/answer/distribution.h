/* SPDX-License-Identifier: Apache-2.0 */
/* What was observed of one quantity: gathered value by value, then described by percentiles and a histogram. */
#ifndef WEIR_ANSWER_DISTRIBUTION_H
#define WEIR_ANSWER_DISTRIBUTION_H

#include "base/alloc.h"
#include "weir.h"

/* Values are kept up to kept_max; of more, a random selection is kept in which each is as likely as the others, so that memory does
 * not grow with the number of values. Zero-initialise, set kept_max. */
struct weir_samples {
    int64_t *kept;
    size_t kept_count, kept_capacity, kept_max;
    int64_t count, min, max;  /* of all */
    int64_t scale;            /* values are in 1 / scale of a tick; 0: 1 */
    struct weir_ratio offset; /* ... and less by this than what is described; denominator 0: by nothing */
    size_t bins_max;          /* of the histogram; 0: as many as lines are good to read */
    uint64_t random;          /* the state that the selection is drawn from */
    bool failed;              /* out of memory, or out of range */
};

void weir_samples_add(struct weir_samples *samples, int64_t value);
/* A value that is not negative, in ticks: makes the scale as fine as it needs. */
void weir_samples_add_ratio(struct weir_samples *samples, struct weir_ratio ticks);
/* What a value comes to in ticks, the offset included. */
struct weir_ratio weir_samples_value(const struct weir_samples *samples, int64_t scaled);
/* -1, 0, 1 as the largest is below, equal to, above that many ticks; exact. There must be one. */
int weir_samples_compare_max(const struct weir_samples *samples, struct weir_ratio ticks);
int weir_samples_compare_min(const struct weir_samples *samples, struct weir_ratio ticks);
/* How many of the kept ones are above that many ticks. */
size_t weir_samples_above(const struct weir_samples *samples, struct weir_ratio ticks);
/* The mean of the kept ones, rounded up where it is no ratio of 64 bits. */
struct weir_ratio weir_samples_mean(const struct weir_samples *samples);
/* Sorts the values and describes them; the histogram covers [low, high] as far as these are known (denominator > 0), and ends at
 * `high` unless a value lies beyond. Memory is the arena's. False when out of memory. */
bool weir_samples_describe(struct weir_samples *samples, struct weir_ratio low, struct weir_ratio high, struct weir_arena *arena,
                           struct weir_distribution *distribution);
void weir_samples_free(struct weir_samples *samples);

#endif
