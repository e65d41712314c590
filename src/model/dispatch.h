/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holoscan creates the entity of a broadcast right behind that of its operator, and the greedy scheduler goes through the entities
 * in the order of their creation: through the operators as the model has them, each followed by the broadcasts of its ports.
 */
#ifndef WEIR_MODEL_DISPATCH_H
#define WEIR_MODEL_DISPATCH_H

#include "model/links.h"
#include "model/pipeline.h"

/* All operators in that order; false when out of memory. */
bool weir_dispatch_order(const struct weir_pipeline *pipeline, uint32_t *order);

#endif
