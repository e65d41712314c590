/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a solver. The question, in the terms of the event graph: over all iterations i and all execution times, how large
 * can  target_{i+shift} - reference_i  become, where both are starts or finishes of actors?
 *
 * A node (o, k) of the trace graph is the execution of actor o in iteration i - k; k is its depth. Tables have a row for each
 * depth; row r is depth r + depth_first, where depth_first is negative when the target lies after the reference.
 */
#ifndef WEIR_ENGINE_EXACT_SOLVER_H
#define WEIR_ENGINE_EXACT_SOLVER_H

#include "check/labels.h"
#include "model/graph.h"
#include "model/pipeline.h"
#include "weir.h"

/* "There is no path": so low that any sum with real times still compares below every real time. */
#define WEIR_DEAD (-(INT64_C(1) << 62))
#define WEIR_ALIVE(x) ((x) > -(INT64_C(1) << 61))

/* A threshold that nothing reaches: every ancestor cuts. */
#define WEIR_NO_THRESHOLD (INT64_C(1) << 61)

#define WEIR_LINES_WORK UINT64_C(4000)
#define WEIR_WORK_DEFAULT UINT64_C(10000000000)
#define WEIR_MEMORY_DEFAULT ((size_t)1 << 30)

struct weir_problem {
    const struct weir_graph *graph;
    const int64_t *lo; /* best times; all 0 when they are assumed so */
    uint32_t reference, target;
    bool reference_finish, target_finish;
    int64_t reference_row, target_row;
    bool one_pass;              /* every best time and offset is 0, and every actor can hold the reference back */
    bool zero_best_is_one_pass; /* ... it would be so if best times were 0 */
    uint64_t work_limit;
    size_t memory_limit;
};

/* What the one-pass case knows of an actor, together in memory. */
struct weir_cell {
    int64_t hi;
    int64_t ancestor_row; /* from this row on its nodes have a path to the reference */
    int64_t hot_row;      /* ... one that begins with a finish arc */
    int64_t last_row;     /* the last row in which a node of the actor has an arc to a node that is no ancestor */
};

/* The arcs of large sparse graphs, one after the other; see sweep_stream.c. */
struct weir_stream_arc {
    uint32_t head, tail, fifo;
    uint16_t finish, more; /* more: not the first arc of its tail */
};

struct weir_stream {
    struct weir_stream_arc *all, *arcs; /* all; those whose tails are no ancestors yet. NULL: the graph is dense */
    int64_t *dead;                      /* a row in which nothing is alive */
    uint64_t *live;                     /* by token count: arcs in the stream */
    uint32_t *first;                    /* by actor: its first arc in the stream; one more for diverted arcs */
    uint32_t *by_row, *row_first;       /* actors by the row that makes them ancestors */
    size_t row_capacity;
};

enum weir_search_verdict { WEIR_REACHABLE, WEIR_UNREACHABLE, WEIR_UNDECIDED, WEIR_OUT_OF_MEMORY };

struct weir_region {
    int64_t *ancestor_row;   /* by actor, WEIR_FAR: never */
    struct weir_cell *cells; /* and one more, of no actor */
    uint32_t *active;
    const int64_t **row_of; /* by distinct token count: the row that many rows back */
    struct weir_stream stream;
    uint32_t stream_from; /* actors from which on the stream is used */
    int64_t *rows;
    size_t rows_capacity;
};

struct weir_search;
struct weir_lines;

struct weir_solver {
    const struct weir_pipeline *pipeline;
    const struct weir_graph *graph;
    struct weir_distances *distances;
    int64_t *zeros; /* actor_count of them */
    struct weir_region region;
    struct weir_search *search; /* made when first needed */
    struct weir_lines *lines;   /* likewise */
    uint64_t lines_from;        /* work after which lines are tried in place of rows */
};

/* As weir_solver_new, for pipelines that are not plain, too: its answers are those of the event graph, in which connections that
 * are not waited for are left out, queues that lose messages hold them all, and a tick that is skipped comes at any time. */
struct weir_solver *weir_solver_open(const struct weir_pipeline *pipeline, struct weir_error *error);

/* WEIR_INVALID when an event does not exist. Leaves solver->region.ancestor_row filled in. */
enum weir_status weir_problem_pose(struct weir_solver *solver, const struct weir_query *query, struct weir_problem *problem,
                                   struct weir_error *error);

/* Whether it is answered by the one pass: the case applies, and the pass is not too long. */
bool weir_problem_is_swept(const struct weir_solver *solver, const struct weir_problem *problem);

/* ---- certify.c ---- */

struct weir_certified weir_problem_certified(const struct weir_problem *problem, int64_t threshold);

/* ---- witness.c ---- */

/* weir_separation_witness() where the answer is known. */
enum weir_status weir_separation_trace(struct weir_solver *solver, const struct weir_query *query, int64_t worst,
                                       struct weir_witness **witness, struct weir_error *error);

/* ---- onepass.c ---- */

/* Where the worst case of the one-pass problem begins: the node (actor, row) that the critical path comes from. */
struct weir_onepass_start {
    uint32_t actor;
    int64_t row;
};
/* `keep`: leave all rows in region.rows, row r at r * actor_count, for tracing. A bracket when a limit is in the way. */
enum weir_status weir_onepass_solve(struct weir_solver *solver, const struct weir_problem *problem, bool keep,
                                    struct weir_separation *result, struct weir_onepass_start *start);
/* The arc that the label of (actor, row) comes over, in tables that weir_onepass_solve has kept. Where the path begins at an
 * ancestor whose own time holds the reference back just as long, that time counts for nothing. */
struct weir_trace_path weir_onepass_trace_path(const struct weir_solver *solver, const struct weir_problem *problem, uint32_t actor,
                                               int64_t row, int64_t label);

/* ---- general.c ---- */

/* The general problem: descends from an upper bound by searches. */
enum weir_status weir_general_solve(struct weir_solver *solver, const struct weir_problem *problem, struct weir_separation *result,
                                    struct weir_error *error);

/* Whether the separation is at least the threshold: over rows if that takes little, else over lines (*by_lines), else over rows.
 * The search that decided holds its tables. An enum weir_search_verdict. */
enum weir_search_verdict weir_general_decide(struct weir_solver *solver, const struct weir_problem *problem, int64_t threshold,
                                             bool *by_lines);

/* ---- bracket.c ---- */

/* Narrows result's lower and upper as far as that costs little. */
void weir_bracket_narrow(struct weir_solver *solver, const struct weir_problem *problem, struct weir_separation *result);

/* ---- unbounded.c ---- */

/* Whether the separation can grow for ever, and if so (words, may be NULL) why. Looks at rates only. */
enum weir_status weir_unbounded_test(struct weir_solver *solver, const struct weir_problem *problem, bool *unbounded, char *words,
                                     size_t words_size);

#endif
