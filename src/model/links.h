/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of each operator, to walk along them. */
#ifndef WEIR_MODEL_LINKS_H
#define WEIR_MODEL_LINKS_H

#include "base/alloc.h"
#include "weir.h"

/* Those of operator o: queue[first[o]] .. queue[first[o + 1] - 1], in their order. */
struct weir_links {
    const struct weir_pipeline *pipeline;
    uint32_t *first, *queue;
    uint32_t *stack; /* room for all operators */
};

enum {
    WEIR_LINKS_OUT = 1,
    WEIR_LINKS_IN = 2,    /* both: a queue is listed at each of its ends */
    WEIR_LINKS_EMPTY = 4, /* only queues that begin empty */
};

/* In the memory of the arena; false when out of memory. */
bool weir_links_make(struct weir_links *links, const struct weir_pipeline *pipeline, unsigned sides, struct weir_arena *arena);
/* Sets `mark` in the flags of all operators that have one of the flags `from`, and of all that the queues lead to from there; not
 * of those with a flag of `wall`, nor beyond them. */
struct weir_flood {
    uint8_t *flags; /* by operator */
    uint8_t from, mark, wall;
};
void weir_links_flood(const struct weir_links *links, struct weir_flood flood);

#endif
