/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum cycle ratios of the event graph, exactly, by policy iteration. */
#ifndef WEIR_ENGINE_EXACT_RATIO_H
#define WEIR_ENGINE_EXACT_RATIO_H

#include "model/graph.h"

#define WEIR_NO_COMPONENT UINT32_MAX

/* Time per token on cycles: hi or lo of actors left over finish arcs, plus offsets, over tokens. Only arcs between actors of the
 * same component count (component[o] == WEIR_NO_COMPONENT: none). */
struct weir_ratios {
    struct weir_ratio *ratio; /* by actor: largest of the cycles it leads to; denominator 0 when there is none */
    uint32_t *next;           /* by actor: the next one on the path to that cycle and round it */
};

enum weir_status weir_ratios_compute(const struct weir_graph *graph, const int64_t *times, const uint32_t *component,
                                     struct weir_ratios *ratios);
void weir_ratios_free(struct weir_ratios *ratios);
/* Walks from an actor onto its cycle; returns an actor on it. */
uint32_t weir_ratios_cycle(const struct weir_ratios *ratios, uint32_t actor, uint32_t actor_count);

#endif
