/* SPDX-License-Identifier: Apache-2.0 */
/* How long executions take in a simulation: drawn per operator from its intervals. */
#ifndef WEIR_SIMULATE_TIMES_H
#define WEIR_SIMULATE_TIMES_H

#include "base/random.h"
#include "weir.h"

/* What one part of an operator's iterations takes. */
struct weir_die {
    int64_t low, high;
    int64_t left;  /* executions until the mood changes */
    uint32_t mood; /* see times.c */
};

/* Each operator draws from its own random numbers, so that the order in which operators of one instant start is not seen in
 * the times, and a change to one operator leaves the draws of the others as they are. */
struct weir_dice {
    struct weir_random random;
    struct weir_die execution, receive, gpu, after;
};

/* What every simulation asks of its options; `given`: there is a function that gives the times. */
enum weir_status weir_times_check(int64_t iterations, enum weir_times times, bool given, struct weir_error *error);

/* One per operator of the pipeline, and behind them one per queue, whose transfer is its execution; NULL when out of memory. Caller
 * frees with weir_free(). */
struct weir_dice *weir_dice_new(const struct weir_pipeline *pipeline, uint64_t seed);

/* For weir_machine_rules.time_of, with the dice as context; NULL for times that are given. */
typedef int64_t weir_draw(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration);
weir_draw *weir_dice_draw(enum weir_times times);

#endif
