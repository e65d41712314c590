/* SPDX-License-Identifier: Apache-2.0 */
/* How often each node of a flow executes. */
#ifndef WEIR_MODEL_FLOW_RATES_H
#define WEIR_MODEL_FLOW_RATES_H

#include "model/flow.h"

/* ratio * up / down, all positive; false when it cannot be counted. */
bool weir_rate_scale(struct weir_ratio ratio, int64_t up, int64_t down, struct weir_ratio *result);

/* Fills in period, repetitions and part of every node, from the sources on. Queues whose ends do not agree are reported. */
enum weir_status weir_flow_rates(const struct weir_pipeline *pipeline, struct weir_flow *flow, const char *file,
                                 struct weir_errors *errors);

#endif
