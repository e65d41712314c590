/* SPDX-License-Identifier: Apache-2.0 */
/* Executions that show that there is no bound are played by src/check. They must be executions of the model. */
#ifndef WEIR_TESTS_PRIORITY_PLANS_H
#define WEIR_TESTS_PRIORITY_PLANS_H

#include "weir.h"

/* Plays a plan both there and with the simulator: false if an operator has not ended as many iterations in both. *compared is
 * raised where they can be: not where several may go first. */
bool plan_is_an_execution(const struct weir_pipeline *pipeline, uint64_t plan, uint64_t *compared);

#endif
