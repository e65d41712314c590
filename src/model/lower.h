/* SPDX-License-Identifier: Apache-2.0 */
/* Between the rules that make arcs (lower.c), the arrays they end up in (assemble.c) and the deadlocks met on the way
 * (deadlock.c). */
#ifndef WEIR_MODEL_LOWER_H
#define WEIR_MODEL_LOWER_H

#include "model/pipeline.h"

struct weir_actor_spec {
    uint32_t op;
    enum weir_part part;
    int64_t lo, hi;
};

/* Actors in the order they were thought of: operators first. */
struct weir_lowering {
    const struct weir_pipeline *pipeline;
    struct weir_actor_spec *actors;
    uint32_t actor_count;
    uint32_t *receive, *done, *arrival; /* by operator: the extra actor, or WEIR_NO_ACTOR */
};

struct weir_arc_kind {
    int64_t offset;
    uint32_t tokens;
    uint8_t finish, wait;
};

struct weir_arc_sink {
    void (*arc)(void *context, uint32_t tail, uint32_t head, struct weir_arc_kind kind);
    void *context;
};

/* Hands every arc to the sink; each time in the same order. */
void weir_lowering_emit(const struct weir_lowering *lowering, const struct weir_arc_sink *sink);

/* Makes the graph's arrays. */
enum weir_status weir_lowering_assemble(const struct weir_lowering *lowering, const char *file, struct weir_graph **graph,
                                        struct weir_errors *errors);

/* Arcs by tail, as assemble.c collects them: kinds index a table. */
struct weir_arc_table {
    uint32_t actor_count;
    uint64_t *first; /* actor_count + 1 */
    struct weir_arc_entry {
        uint32_t kind, head;
    } * entries;
    const struct weir_arc_kind *kinds;
};
/* Reports the zero-token cycles among the actors whose `waiting` is not 0. */
enum weir_status weir_deadlock_report(const struct weir_lowering *lowering, const struct weir_arc_table *table,
                                      const uint32_t *waiting, const char *file, struct weir_errors *errors);

#endif
