/* SPDX-License-Identifier: Apache-2.0 */
/* Which actor waits for which, and how many iterations ago: fewest tokens on paths of the event graph, by actors that are looked at
 * again until nothing changes. */
#ifndef WEIR_CHECK_TOKENS_H
#define WEIR_CHECK_TOKENS_H

#include "model/graph.h"

struct weir_march {
    const struct weir_graph *graph;
    uint32_t actor;
    bool against; /* the arcs: the paths lead to the actor, not from it */
    bool finish;  /* of paths from the actor, those alone that begin with its finish */
};
/* By actor; WEIR_FAR: there is no path. False when out of memory. */
bool weir_march(const struct weir_march *march, int64_t *fewest);

#endif
