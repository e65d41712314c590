/* SPDX-License-Identifier: Apache-2.0 */
/* Between the rules that make arcs (lower.c and the files it names), the arrays they end up in (assemble.c) and the deadlocks met
 * on the way (deadlock.c). */
#ifndef WEIR_MODEL_LOWER_H
#define WEIR_MODEL_LOWER_H

#include "base/map.h"
#include "model/pipeline.h"

struct weir_actor_spec {
    uint32_t op;
    enum weir_part part;
    uint32_t firing;
    uint32_t queue; /* of a transfer */
    int64_t lo, hi;
};

/* The actors that an operator has besides its executions: the first of each, one for each firing after it; or WEIR_NO_ACTOR. */
struct weir_parts {
    uint32_t wait; /* for the start, once it is ready */
    uint32_t receive, done;
    uint32_t arrival; /* of input */
    uint32_t clock;   /* the ticks of a periodic condition */
    uint32_t tick;    /* from a start to the next of these */
    uint32_t gpu;     /* its work there; or, without work of its own, that behind the messages it hands on */
    uint32_t after;
};

struct weir_stream_arc {
    uint32_t tail, head, tokens;
};

/* Actors in the order they were thought of: executions first. */
struct weir_lowering {
    const struct weir_pipeline *pipeline;
    struct weir_actor_spec *actors;
    uint32_t actor_count;
    uint32_t *firing_first; /* by operator, and one more: the actor of its first execution in a round; NULL: the operator's index */
    struct weir_parts *parts; /* by operator */
    uint32_t *transfer;       /* by queue: the first of those of its messages, one for each firing of the producer; NULL: none */
    uint8_t *gpu_dependency;  /* by operator, see streams.c; NULL: every operator waits for the work that it launches */
    struct weir_stream_arc *stream_arcs; /* the order of launches into shared streams */
    size_t stream_arc_count;
};

static inline uint32_t weir_lowering_first(const struct weir_lowering *l, uint32_t op)
{
    return l->firing_first ? l->firing_first[op] : op;
}

static inline uint32_t weir_lowering_firings(const struct weir_lowering *l, uint32_t op)
{
    return l->firing_first ? l->firing_first[op + 1] - l->firing_first[op] : 1;
}

/* The first of the actors that start when the operator is ready. */
static inline uint32_t weir_lowering_ready(const struct weir_lowering *l, uint32_t op)
{
    return l->parts[op].wait == UINT32_MAX ? weir_lowering_first(l, op) : l->parts[op].wait;
}

uint32_t weir_lowering_finished(const struct weir_lowering *lowering, uint32_t op);

/* ---- streams.c: work on a GPU behind messages ---- */

enum {
    WEIR_TRAILS = 1, /* there may be work on a GPU, not yet over, behind the operator's messages */
    WEIR_NEEDS = 2,  /* it launches, or somebody does to whom it hands messages on */
};
/* Fills in lowering->gpu_dependency. */
enum weir_status weir_gpu_dependency_find(struct weir_sealing *sealing, struct weir_lowering *lowering);

/* ---- streams.c: shared streams ---- */

/* Where operators share a stream (weir_streams_shared): fills in stream_arcs, from the graph without them. */
enum weir_status weir_streams_order(struct weir_sealing *sealing, struct weir_lowering *lowering, const struct weir_graph *graph);

/* ---- lower.c ---- */

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
enum weir_status weir_lowering_assemble(struct weir_sealing *sealing, const struct weir_lowering *lowering,
                                        struct weir_graph **graph);

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
enum weir_status weir_deadlock_report(struct weir_sealing *sealing, const struct weir_lowering *lowering,
                                      const struct weir_arc_table *table, const uint32_t *waiting);

/* The kinds of arcs a pipeline lowers to: few, however many arcs there are. */

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
