/* SPDX-License-Identifier: Apache-2.0 */
/* Executions that show that there is no bound are played by src/check. They must be executions of the model. */
#ifndef WEIR_TESTS_PRIORITY_PLANS_H
#define WEIR_TESTS_PRIORITY_PLANS_H

#include "weir.h"

/* Plays a plan both there and with the simulator: false if an operator has not ended as many iterations in both. *compared is
 * raised where they can be: not where several may go first. */
bool plan_is_an_execution(const struct weir_pipeline *pipeline, uint64_t plan, uint64_t *compared);

/* How far an execution ends behind its nominal arrival when everything takes its longest, and inputs are on time; frames begin and
 * graphs start where the seed says. */
int64_t latest_at_worst(const struct weir_pipeline *pipeline, const uint32_t *capacities, uint64_t seed, int64_t iterations);

#endif
