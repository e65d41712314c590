/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event graph: what every pipeline without a platform is lowered to (docs/concepts/event-graph.md).
 *
 * Actors happen once per iteration, for a time in [lo, hi]. An arc from p to o with k tokens says, for every iteration i >= k,
 *
 *     finish arc:  start_i(o) >= start_{i-k}(p) + time_{i-k}(p) + offset
 *     start arc:   start_i(o) >= start_{i-k}(p) + offset
 *
 * and everything starts as soon as its arcs allow, at 0 at the earliest. Actors are numbered so that an arc without tokens leads
 * to a larger number. The arcs that leave an actor are grouped into runs of one kind, so that an arc costs four bytes and an
 * inner loop is a plain maximum over heads.
 */
#ifndef WEIR_MODEL_GRAPH_H
#define WEIR_MODEL_GRAPH_H

#include "weir.h"

#define WEIR_NO_ACTOR UINT32_MAX

struct weir_arc_run {
    int64_t offset;
    uint32_t first, end; /* into heads (or tails) */
    uint32_t tokens;
    uint32_t fifo : 26; /* which of the graph's distinct token counts this is */
    uint32_t finish : 1;
    uint32_t wait : 5; /* enum weir_wait */
};

#define WEIR_FIFO_MAX ((UINT32_C(1) << 26) - 1)

struct weir_actor {
    uint32_t op;
    uint32_t part;   /* enum weir_part */
    uint32_t firing; /* which of the operator's executions in a round; of a transfer, of the producer's */
    uint32_t queue;  /* of a transfer; otherwise 0 */
};

/* A part that only pipelines with waits have (struct weir_lateness): from when an operator is ready to its start. */
#define WEIR_PART_WAIT ((enum weir_part)(WEIR_PART_TICK + 1))
/* ... whose start is this moment of it: the start, where it waits for nothing more. */
#define WEIR_READY ((enum weir_moment)(WEIR_ARRIVAL + 1))

/* An actor that waits for nothing of its own iteration, or has a phase. */
struct weir_root {
    uint32_t actor;
    bool unknown;        /* it begins at any time; else all others begin together, each at a time in ... */
    int64_t least, most; /* ... these after that; unknown: the reference is no more than `most` before it */
};

/* Whether an operator begins with it; the other parts are of what has begun, or of messages that are there at the beginning. */
static inline bool weir_part_begins(enum weir_part part)
{
    return part == WEIR_PART_EXECUTION || part == WEIR_PART_RECEIVE || part == WEIR_PART_ARRIVAL || part == WEIR_PART_TICK ||
           part == WEIR_PART_WAIT;
}

struct weir_graph {
    uint32_t actor_count;
    const struct weir_actor *actors;
    const int64_t *lo, *hi; /* hi: one more, of no actor, 0 */

    uint64_t arc_count;
    const uint32_t *out_first; /* actor_count + 1, into out_runs; runs in order of tokens */
    const struct weir_arc_run *out_runs;
    const uint32_t *heads;
    const uint32_t *in_first;
    const struct weir_arc_run *in_runs;
    const uint32_t *tails;

    /* Operator o executes firing_first[o + 1] - firing_first[o] times in an iteration (a round, then); where all execute once,
     * firing_first[o] is o. Those below are by firing_first[o] + firing. */
    const uint32_t *firing_first; /* one more than operators */
    const uint32_t *start_of;     /* the actor whose start is the operator's */
    const uint32_t *ready_of;     /* ... whose start is when it is ready: the same, but where operators wait for their start */
    const uint32_t *finish_of;    /* ... whose finish is the operator's */
    const uint32_t *arrival_of;   /* ... whose start is the arrival of input, or WEIR_NO_ACTOR */

    /* Where the trace begins, if not everything does at time 0; of every path of time the first actor is one of these. */
    const struct weir_root *roots; /* NULL: all begin at 0 */
    uint32_t root_count;
    bool unknown_roots; /* some are */

    const uint32_t *token_counts; /* the distinct ones, ascending */
    uint32_t token_count_count;
    uint32_t tokens_max;
    int64_t row_max;   /* no path within one iteration is longer than this at worst times: sum of hi and offsets */
    bool offsets;      /* some offset is not 0 */
    bool in_order;     /* every operator ends an iteration before it starts the next: none is reentrant */
    bool instant_best; /* every lo and every offset is 0: the one-pass case */
};

static inline uint32_t weir_graph_roots(const struct weir_graph *graph)
{
    return graph->roots ? graph->root_count : 0;
}

struct weir_sealing;
/* Lowers the pipeline. Zero-token cycles are mistakes, reported with their operators. */
enum weir_status weir_graph_build(struct weir_sealing *sealing, struct weir_graph **graph);
void weir_graph_free(struct weir_graph *graph);

/* ---- fewest tokens on a path ---- */

#define WEIR_FAR INT64_MAX

/* Scratch for weir_tokens_to, made once and reused. */
struct weir_distances;
struct weir_distances *weir_distances_new(const struct weir_graph *graph);
void weir_distances_free(struct weir_distances *distances);
/* For each actor, the fewest tokens on a path from it to `target`; WEIR_FAR when there is none. With data_only, paths over queues
 * in the direction of the data. O(arcs). */
void weir_tokens_to(const struct weir_graph *graph, struct weir_distances *distances, uint32_t target, bool data_only,
                    int64_t *tokens);

#endif
