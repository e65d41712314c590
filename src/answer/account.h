/* SPDX-License-Identifier: Apache-2.0 */
/* A worst case as a sum: what of it the measured message is executed in, and what it waits for. */
#ifndef WEIR_ANSWER_ACCOUNT_H
#define WEIR_ANSWER_ACCOUNT_H

#include "weir.h"

#include <stdio.h>

struct weir_account {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
    struct weir_account_wait *waits; /* by operator: the executions of other messages in it */
    int64_t running, under_way, ticks;
    int64_t first, last; /* own iterations */
};

/* false: out of memory. Free it in any case. */
bool weir_account_begin(struct weir_account *account, const struct weir_pipeline *pipeline, const struct weir_witness *witness);
void weir_account_free(struct weir_account *account);
/* A step of the critical path in an iteration; times count from the event that is measured from. */
void weir_account_add(struct weir_account *account, const struct weir_step *step, int64_t iteration, int64_t start, int64_t end);
/* The step again, so many times, all after that event, each time `later` iterations after the time before. */
void weir_account_repeat(struct weir_account *account, const struct weir_step *step, int64_t iteration, int64_t later,
                         int64_t times);
/* "76 ms = 46 running + 30 waiting behind frame 0 in infer". Only where it holds: parts add up to the latency, some of
 * it is waiting, and each operator executes once in an iteration. */
bool weir_account_holds(const struct weir_account *account);
void weir_account_put(const struct weir_account *account, FILE *out);

#endif
