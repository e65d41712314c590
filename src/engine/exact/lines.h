/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision problem (search.h) over lines instead of rows.
 *
 * Along the rows, D, F and C of an actor grow evenly for long stretches: by the time of whoever is slowest there. So each is kept
 * as a list of pieces, straight lines over the rows, and an actor is looked at only in rows in which a line may end: where one
 * candidate of a maximum overtakes another, where a slack crosses the threshold, where the line of a head ends. These are known
 * ahead and wait in a heap by row; within a row, actors are looked at from the last to the first, so that what an arc without
 * tokens leads to is known. When no event is left, all lines go on for ever, and R is not reached.
 *
 * A line holds from its row until the next event of its actor, because it equals one of its candidates, whose line holds, and none
 * exceeds it. An operator's own past is a candidate as well: carried by it alone, a line grows by the operator's own time. Loops of
 * several actors carry each other's lines: who is looked at in row after row and grows by the same each time is taken at its word,
 * and looked at again in the next row, until whoever carries it has the same slope.
 *
 * Not everything is lines: what repeats with a period of several rows has pieces of a row each. Then the search gives up, and rows
 * are the better way.
 */
#ifndef WEIR_ENGINE_EXACT_LINES_H
#define WEIR_ENGINE_EXACT_LINES_H

#include "check/exact/lines.h"
#include "engine/exact/search.h"

#define WEIR_NO_PIECE UINT32_MAX

/* The pieces of every actor (and of the beginning of time, behind them), in lists while they grow. */
struct weir_track {
    struct weir_label_piece *pieces;
    uint32_t *next; /* by piece: the next of its actor */
    size_t count, capacity, next_capacity;
    uint32_t *first, *last; /* by actor */
    uint32_t *cursor;       /* by arc: the piece of its head that was last looked at */
    int64_t *looked;        /* by actor: the last row it was looked at in; -1: none */
    int64_t *step;          /* ... and what its line had grown by from the row before, if that was looked at, too */
    /* once they are complete: sorted by actor, then by row */
    struct weir_label_piece *sorted;
    size_t sorted_capacity;
    uint32_t *begin; /* by actor, one more than there are */
};

struct weir_line_event {
    int64_t row;
    uint32_t position; /* within the row */
};

/* Slacks that grow until the line ends: the largest of them is met there. */
struct weir_rising {
    int64_t row, value, slope;
};
enum { WEIR_RISING = 3 }; /* over finish arcs, over start arcs, at the beginning of time */

struct weir_lines {
    struct weir_problem problem;
    uint32_t n;
    struct weir_track best, label;
    bool complete; /* `best` is */
    uint32_t *roots, root_count;
    bool *is_root;
    uint32_t *own_best;         /* by actor: piece of `best` that was last looked at; then that of the beginning of time */
    struct weir_rising *rising; /* WEIR_RISING by actor */
    struct weir_line_event *heap;
    size_t heap_count, heap_capacity;
    struct weir_label_line *candidates; /* of the actor that is looked at */
    size_t candidate_count;
    uint64_t looks; /* actors looked at in this run */

    /* the answer, as that of a search */
    int64_t threshold, best_cut;
    bool cut_unbounded, full, out_of_range, given_up;
    uint32_t found_actor;
    int64_t found_row;
    uint64_t relaxations;
};

/* Whether searches over lines answer questions about the graph: everything in it begins at time 0. */
static inline bool weir_lines_apply(const struct weir_graph *graph)
{
    return !graph->roots;
}

struct weir_lines *weir_lines_new(const struct weir_graph *graph);
void weir_lines_free(struct weir_lines *lines);
void weir_lines_pose(struct weir_lines *lines, const struct weir_problem *problem);
enum weir_search_verdict weir_lines_decide(struct weir_lines *lines, int64_t threshold);

/* ---- lines_path.c ---- */

/* After WEIR_REACHABLE: a path that was found, from its beginning. */
struct weir_lines_step {
    uint32_t actor;
    int64_t row;
    int64_t times; /* the execution and that many less one after it, each of which waits for the one before */
    struct weir_trace_path arc;
};
/* The first step, and the one after; false: none is found, which is a mistake of the tables. arc.end: it is the last. */
void weir_lines_begin(const struct weir_lines *lines, struct weir_lines_step *step);
bool weir_lines_next(const struct weir_lines *lines, struct weir_lines_step *step);
int64_t weir_lines_reached(const struct weir_lines *lines);

/* ---- certify.c ---- */

/* After WEIR_UNREACHABLE. */
struct weir_line_certificate weir_lines_certificate(const struct weir_lines *lines);

/* ---- within ---- */

struct weir_bundle { /* the candidates of one kind of arc, the actor's own time included */
    const struct weir_label_line *candidates;
    size_t count;
    struct weir_label_line line; /* their maximum */
    bool carried;                /* by another candidate than the actor's own past, with that slope */
    bool has_self;               /* there is an arc to the row before */
    int64_t weight;              /* of that */
};

/* Sorts the pieces of a track by actor; false when out of memory. */
bool weir_track_sort(struct weir_track *track, uint32_t actors);

#endif
