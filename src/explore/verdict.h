/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a verdict that others make themselves. */
#ifndef WEIR_EXPLORE_VERDICT_H
#define WEIR_EXPLORE_VERDICT_H

#include "base/alloc.h"
#include "weir.h"

/* What the exact engine says of a latency whose deadline is filled in. */
void weir_verdict_separation(struct weir_verdict_latency *latency, const struct weir_separation *separation);

/* The name of the engine that goes with a sealed pipeline. */
const char *weir_verdict_engine(const struct weir_pipeline *pipeline);

/* The critical path in words, in the arena; false when out of memory. A long one is shortened. */
bool weir_witness_words(const struct weir_pipeline *pipeline, const struct weir_witness *witness, struct weir_arena *arena,
                        const char **words);

#endif
