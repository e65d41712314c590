/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision problem: is a separation of at least R reachable?  (docs/concepts/exactness.md, "deciding")
 *
 *     D(n)  longest path from n to the reference at best times; n is an ancestor when there is one
 *     F(n)  the same over paths that begin with a finish arc, without n's own time:  D = max(start arcs, F + lo)
 *     C(n)  longest path from n to the target at worst times, all of whose ancestors a keep  C(a) - d(a) >= R,
 *           where d(a) is D(a), or max(D(a), F(a) + hi(a)) if the path leaves a over a finish arc
 *     O     longest path from the beginning of time to the reference, at best times:  max of D so far
 *
 * R is reachable if and only if some C(n) - O >= R. A larger C is better for every earlier node, so one label per node suffices.
 * Where not everything begins at time 0, n is a root r, and what is compared with R is C(r) + most(r) - O, with O the largest
 * least(r) + D(r) of the roots that begin together; or C(r) + most(r) if r begins at any time (docs/concepts/phases.md).
 * Rows follow one another for ever; a search ends when R is reached, when no label is left alive, or when all rows to come are
 * known to repeat what was seen (accelerate.h). In between it jumps over stretches that grow evenly.
 *
 * Rows are stored one after the other; a jump leaves a gap in depth, not in storage. After a jump the last `window` rows are stored
 * again, advanced, so that what follows finds its past where it expects it. An epoch is what lies between two jumps.
 */
#ifndef WEIR_ENGINE_EXACT_SEARCH_H
#define WEIR_ENGINE_EXACT_SEARCH_H

#include "engine/exact/solver.h"

/* Rows [first, ...) of an epoch; the first `window` of them are advanced copies, except in epoch 0. Its last `period` rows before
 * the next epoch were repeated `repeat` more times by the jump. */
struct weir_epoch {
    int64_t first;
    int64_t depth;  /* of row 0 if it belonged to this epoch: depth of row r = r + depth */
    int64_t period; /* of the jump that ends it; 0 for the last epoch */
    int64_t repeat; /* INT64_MAX: for ever */
    int64_t base;   /* what its times are less than those the epoch before comes to: only differences of times are ever used */
};

struct weir_search {
    struct weir_problem problem;
    uint32_t n;
    int64_t window; /* rows that a row looks back: the largest token count */

    int64_t *C, *D, *F; /* row r, actor o at r * n + o */
    int64_t *O;         /* by row */
    size_t capacity;    /* rows that fit */
    int64_t row_count;  /* rows stored */
    int64_t shared;     /* rows of D, F, O that every search of this problem has in common and are valid */
    int64_t settled;    /* rows of C that are valid where there is no ancestor: no threshold matters there */

    struct weir_epoch *epochs;
    size_t epoch_count, epoch_capacity;

    /* the answer */
    int64_t threshold;  /* R */
    int64_t best_cut;   /* largest slack below R that was met: no separation in [best_cut + 1, R) is reachable either */
    bool cut_unbounded; /* there is no such largest slack */
    bool full;          /* the tables would outgrow the memory they may have */
    uint32_t found_actor;
    int64_t found_row;
    uint64_t relaxations; /* of all searches of this problem */
    uint64_t spent;       /* entries compared by this search while looking for repetitions */
};

struct weir_search *weir_search_new(uint32_t actor_count, int64_t window);
void weir_search_free(struct weir_search *search);
/* Begins a new problem: forgets the shared rows. */
void weir_search_pose(struct weir_search *search, const struct weir_problem *problem);
enum weir_search_verdict weir_search_decide(struct weir_search *search, int64_t threshold);

/* What a root adds to its label, and what is against it: its slack at the beginning of time is C + most - O. */
static inline int64_t weir_root_against(const struct weir_root *root, int64_t origin)
{
    return root->unknown ? 0 : origin;
}
/* The root of that actor; NULL: everything begins at time 0. */
const struct weir_root *weir_root_of(const struct weir_graph *graph, uint32_t actor);

/* After WEIR_REACHABLE: a separation, at least the threshold, that the path which was found reaches. */
int64_t weir_search_reached(const struct weir_search *search);

/* The arc that carries a label. */
struct weir_trace_path {
    bool found, end, finish;
    uint32_t head, tokens;
    enum weir_wait wait;
};
static inline struct weir_trace_path weir_trace_path_over(const struct weir_arc_run *run, uint32_t head)
{
    return (struct weir_trace_path){
        .found = true, .finish = run->finish, .head = head, .tokens = run->tokens, .wait = (enum weir_wait)run->wait};
}
/* Where a row stands for repetitions of itself: the last `period` rows repeat, and this is the one `times` later. */
struct weir_repetition {
    int64_t period, times;
};
/* The arc by which the longest path leaves (actor, row); `end`: the path ends there, at the target. With a repetition (may be
 * NULL), an arc that carries the label in all repetitions up to that one. `base`: the row belongs to the first epoch. */
struct weir_trace_path weir_search_trace_path(const struct weir_search *search, uint32_t actor, int64_t row,
                                              const struct weir_repetition *repetition, bool base);

/* Depth of a stored row: iteration i - depth. */
int64_t weir_search_depth(const struct weir_search *search, const struct weir_epoch *epoch, int64_t row);

#endif
