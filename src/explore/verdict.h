/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a verdict that others make themselves. */
#ifndef WEIR_EXPLORE_VERDICT_H
#define WEIR_EXPLORE_VERDICT_H

#include "answer/answer.h"
#include "base/alloc.h"

/* What the exact engine says of a latency whose deadline is filled in. */
void weir_verdict_separation(struct weir_verdict_latency *latency, const struct weir_separation *separation);

/* The name of the engine that goes with a sealed pipeline. */
const char *weir_verdict_engine(const struct weir_pipeline *pipeline);

#endif
