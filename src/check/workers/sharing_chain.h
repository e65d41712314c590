/* SPDX-License-Identifier: Apache-2.0 */
/* The longest chain of a latency, from the ancestors of its beginning on. */
#ifndef WEIR_CHECK_WORKERS_SHARING_CHAIN_H
#define WEIR_CHECK_WORKERS_SHARING_CHAIN_H

#include "model/graph.h"

/* One latency: from the start of an actor's iteration i to the finish of another's iteration i + shift. */
struct weir_span_of_chain {
    const struct weir_graph *graph;
    uint32_t from, to;
    int64_t shift;
    /* By actor, in tokens; WEIR_FAR: never. */
    int64_t *started;  /* so many iterations ago and earlier, it has started when `from` starts */
    int64_t *finished; /* ... and has finished */
    int64_t *leads;    /* to the finish */
    int64_t *follows;  /* the start of the operator of `to` */
};

/* How often the time of each actor counts, and all else: offsets, and what passes before a start. */
struct weir_chain_weights {
    const int64_t *actors;
    int64_t full, polling;
    uint64_t work;
};

/* Whether the end of an iteration of an actor, that many rows before that of the finish, is after the start of `from`. */
bool weir_chain_is_past(const struct weir_span_of_chain *span, uint32_t actor, int64_t row);
/* -1: too long to be counted, or without end. False: out of memory. */
bool weir_chain_longest(const struct weir_span_of_chain *span, const struct weir_chain_weights *weights, int64_t *longest);
/* The longest path at best times from the start to the finish; -1: none, or too long to be counted. */
bool weir_chain_least(const struct weir_span_of_chain *span, bool offsets, uint64_t work, int64_t *least);

#endif
