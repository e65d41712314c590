/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separations in a part whose connections that do not wait are inside (docs/concepts/async.md, section 7). What they make somebody
 * wait for is known up to some iterations, so that there are arcs of two kinds: start_i(head) is at most the maximum over the arcs
 * of the event graph and those with `most` tokens, and at least that over the arcs of the event graph and those with `least`.
 *
 * Shares nothing with the engine but the event graph and the table that it checks.
 */
#ifndef WEIR_CHECK_ASYNC_ASYNC_BETWEEN_H
#define WEIR_CHECK_ASYNC_ASYNC_BETWEEN_H

#include "model/graph.h"

struct weir_inner_arc {
    uint32_t tail, head;
    bool finish;         /* else from the start of the tail */
    int64_t early, late; /* tokens: the head waits for iteration i - early in any case, and at worst for i - late; late <= early */
};

/* Target of iteration i + shift against reference of iteration i, by actors. */
struct weir_between_query {
    uint32_t from, to;
    bool from_finish, to_finish;
    int64_t shift;
};

#define WEIR_NO_WAY INT64_MIN

/*
 * A table over nodes, that is, actors and depths: iterations before that of the reference.
 *
 *     least   at least so long from the node's start to the reference, at best times; WEIR_NO_WAY: it need not come before it
 *     after   the same over ways that leave the node at its finish, from there on
 *     latest  the node starts at most so long after the reference; WEIR_FAR: not known
 */
struct weir_between {
    const struct weir_graph *graph;
    const struct weir_inner_arc *inner;
    size_t inner_count;
    struct weir_between_query query;
    int64_t depth_min, depth_count;
    const int64_t *least, *after, *latest; /* (depth - depth_min) * actors + actor */
    bool beginning; /* nobody has begun before these depths: the bound is about how late the target is, counted from time 0 */
    int64_t bound;
};

/* Whether the table shows that the separation is at most the bound. WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_between_check(const struct weir_between *between, bool *holds);

#endif
