/* SPDX-License-Identifier: Apache-2.0 */
/* What the searches for margins share. */
#ifndef WEIR_EXPLORE_MARGINS_MARGIN_H
#define WEIR_EXPLORE_MARGINS_MARGIN_H

#include "answer/answer.h"
#include "base/number.h"
#include "explore/evaluate.h"
#include "explore/margins/slack_lines.h"

#define WEIR_MARGIN_TRIES 20000
#define WEIR_MARGIN_WORK UINT64_C(50000000)

struct weir_breach {
    uint32_t chain; /* the first whose deadline is missed, or is not decided */
    struct weir_separation latency;
};

/* The deadline of a latency of the evaluator, which counts in ticks divided by `scale`. In a deadlock every deadline is missed. */
enum weir_deadline_state weir_evaluator_judge(const struct weir_evaluator *evaluator, const struct weir_separation *latency,
                                              int64_t deadline, int64_t scale);
/* All deadlines, with the numbers that the evaluator has now: met, one is missed, or one is not decided. */
enum weir_status weir_deadlines_check(struct weir_evaluator *evaluator, int64_t scale, enum weir_deadline_state *state,
                                      struct weir_breach *breach, uint64_t *searches, struct weir_error *error);
bool weir_deadlines_given(const struct weir_pipeline *pipeline);
/* What the engine was posed for the latency of a chain, which was the last that was asked. */
enum weir_status weir_evaluator_problem(struct weir_evaluator *evaluator, uint32_t chain, struct weir_problem *problem,
                                        struct weir_error *error);
/* The lines of a path that reaches the latency of a chain, in the same case. */
enum weir_status weir_evaluator_lines(struct weir_evaluator *evaluator, uint32_t chain, int64_t value,
                                      const struct weir_slack_lines_step *step, struct weir_slack_lines *lines,
                                      struct weir_error *error);

static inline bool weir_margins_stopped(const struct weir_margins_options *options)
{
    return options->stop && __atomic_load_n(options->stop, __ATOMIC_RELAXED);
}

#endif
