/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of arcs a pipeline lowers to: few, however many arcs there are. */
#ifndef WEIR_MODEL_KINDS_H
#define WEIR_MODEL_KINDS_H

#include "base/map.h"
#include "model/lower.h"

/* Zero-initialise. */
struct weir_kinds {
    struct weir_arc_kind *list;
    size_t count, capacity;
    struct weir_map index;
    uint32_t last; /* found last */
    /* once ranked */
    uint32_t *rank, *by_rank; /* kind -> its place in the order of tokens, and back */
    uint32_t *fifo;           /* kind -> index of its token count */
    uint32_t *token_counts;   /* the distinct ones, ascending */
    uint32_t token_count_count;
};

/* The number of a kind, a new one if it was not met before; false when out of memory. */
bool weir_kinds_find(struct weir_kinds *kinds, const struct weir_arc_kind *kind, uint32_t *index);
/* Puts them in order of tokens; false when out of memory. */
bool weir_kinds_rank(struct weir_kinds *kinds);
void weir_kinds_free(struct weir_kinds *kinds);

#endif
