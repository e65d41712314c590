/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_EXACT_COMPONENTS_H
#define WEIR_ENGINE_EXACT_COMPONENTS_H

#include "model/graph.h"

/* The strongly connected component of each actor, numbered so that an arc leads to the same or a smaller number. Caller frees; NULL
 * when out of memory. O(arcs). */
uint32_t *weir_components(const struct weir_graph *graph, uint32_t *component_count);

#endif
