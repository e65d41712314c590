/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of explorations share: models, and a second opinion on what is best. */
#ifndef WEIR_TESTS_EXPLORING_H
#define WEIR_TESTS_EXPLORING_H

#include "support/stage.h"

/* A random system, sealed. */
struct weir_pipeline *exploring_random(uint64_t seed, uint32_t graphs, uint32_t tasks, uint32_t processors);

struct weir_exploration *exploring_run(const struct weir_pipeline *model, const struct weir_explore_options *options);
struct weir_priority_analysis *exploring_analyze(const struct weir_pipeline *pipeline, enum weir_priority_method method);

/* Missed deadlines and the sum of relative latencies, in parts of 2^-30 as the search counts them; a large number without bounds.
 * The smaller the better. */
struct exploring_worth {
    int missing; /* 0: bounds */
    int64_t missed;
    int64_t relative;
};
struct exploring_worth exploring_worth(const struct weir_pipeline *model, const struct weir_priority_analysis *analysis);
int exploring_compare(struct exploring_worth a, struct exploring_worth b);

/* The best over all orders of the operators on each processor, each tried by changing the model and analysing it. */
struct exploring_worth exploring_best_order(const struct weir_pipeline *model, enum weir_priority_method method);
/* The smallest total over all capacities up to `most` of the queues marked auto, -1 when there is none. */
int64_t exploring_best_total(const struct weir_pipeline *model, enum weir_priority_method method, uint32_t most, int64_t within);

void exploring_assert_same(const struct weir_exploration *a, const struct weir_exploration *b);

/* Writes the answer of a search as text, JSON and CSV, and its charts, to nowhere; frees it. */
enum weir_status exploring_write(struct weir_answer *answer);

#endif
