/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking bounds across connections that do not wait. Shares nothing with the engine but the event graph and the model: the
 * segments of a latency must be of the kind that the connections between them call for, follow one another, and add up. The
 * segments themselves are separations, which have certificates of their own (labels.h), and starts counted from the beginning of
 * time.
 */
#ifndef WEIR_CHECK_ASYNC_ASYNC_H
#define WEIR_CHECK_ASYNC_ASYNC_H

#include "model/graph.h"

/* Nobody starts that actor's iteration later than `bound`. */
struct weir_beginning {
    const struct weir_graph *graph;
    uint32_t actor;
    int64_t iteration;
    int64_t bound;
};
/* WEIR_MEMORY or WEIR_OK. The rows of all arcs that reach so far must fit. */
enum weir_status weir_beginning_check(const struct weir_beginning *beginning, bool *holds);

/* Iteration i of an actor starts only when iteration i - tokens of another has started, or has finished. */
struct weir_hold {
    const struct weir_graph *graph;
    uint32_t by, actor;
    bool finish; /* of `by` */
    int64_t tokens;
};
/* WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_hold_check(const struct weir_hold *hold, bool *holds);

/* A producer of a port that others send to, too, is ready for the rest and finds no room. While there are messages, `takes` is the
 * longest in which `taken` are taken, or, where operators share threads, one. There is some after that, and the producer starts,
 * for the others cannot have sent `taken` messages meanwhile. */
struct weir_port_room_claim {
    const struct weir_pipeline *pipeline;
    uint32_t queue;
    int64_t takes, taken;
};
/* How long it waits at most then. */
int64_t weir_room_wait(const struct weir_port_room_claim *claim);
/* WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_room_check(const struct weir_port_room_claim *claim, bool *holds);

/* Whether the segments of a known latency lead from its beginning to its end, and add up to its worst case. */
bool weir_async_segments_check(const struct weir_pipeline *pipeline, const struct weir_async_latency *latency);

#endif
