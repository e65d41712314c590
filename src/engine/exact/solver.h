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

#include "base/number.h"
#include "check/exact/labels.h"
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

/* The steps of an actor in a sweep, [first, last]; the last one is its own. See sweep_steps.c. */
struct weir_sweep_block {
    int64_t ancestor_row, hot_row, last_row; /* as in a cell */
    uint32_t actor, first, last;
};

struct weir_steps {
    int32_t *code;                   /* of each step: whose time counts, slots of start arcs, slots of finish arcs */
    struct weir_sweep_block *blocks; /* in the order of their steps */
    uint32_t *place;                 /* by actor: its own step */
    uint32_t *active;                /* blocks of ancestors that have an arc to a node that is none */
    size_t code_room, block_room, place_room, active_room;
    int32_t *cell_of; /* by row and actor, while steps are made; 0: not alive */
    size_t cell_room;
    uint64_t flat_arcs; /* up to so many there is a step for each node from the second time on; it can be changed */
    bool flat;          /* ... there is; else for each actor: */
    uint32_t count;     /* steps of labels */
    uint32_t visits;    /* flat: ... of ancestors, after them */
    uint32_t width;     /* slots of each kind: 2 or 4 */
    uint32_t at_once;   /* rows that are done together: 1 or 4 */
    int32_t stride;     /* from one row to the next; 0: each takes the place of the one before */
    bool fits;          /* slots have room for the distances */
    int64_t last_row;
    uint64_t relaxations;
    size_t cells; /* that a run needs */
    /* the question they answer */
    bool made, target_finish, reference_finish;
    uint32_t target, reference;
    int64_t target_row, reference_row;
};

enum weir_search_verdict { WEIR_REACHABLE, WEIR_UNREACHABLE, WEIR_UNDECIDED, WEIR_OUT_OF_MEMORY };

struct weir_trace_region {
    int64_t *ancestor_row; /* by actor, WEIR_FAR: never */
    bool all_ancestors;    /* none is WEIR_FAR; then ... */
    weir_wide sweep_work;  /* ... no sweep looks at many more arcs than these */
    struct weir_cell *cells;
    uint32_t *active;
    const int64_t **row_of; /* by distinct token count: the row that many rows back */
    struct weir_steps steps;
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
    struct weir_trace_region region;
    bool posed; /* `problem` is what `query` asks */
    struct weir_query query;
    struct weir_problem problem;
    struct weir_search *search; /* made when first needed */
    struct weir_lines *lines;   /* likewise */
    uint64_t lines_from;        /* work after which lines are tried in place of rows */
};

/* As weir_solver_new, for pipelines that are not plain, too: its answers are those of the event graph, in which connections that
 * are not waited for are left out, queues that lose messages hold them all, and a tick that is skipped comes at any time. */
struct weir_solver *weir_solver_open(const struct weir_pipeline *pipeline, struct weir_error *error);

/* After a change of the graph's arcs: forgets what was made of them. Times may change at any time. */
void weir_solver_forget(struct weir_solver *solver);

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

/* What two plain executions separate the events by, as far as so many arcs go; INT64_MIN: they do not go far enough. A separation
 * of `enough` is not exceeded. False when out of memory. */
bool weir_bracket_try(const struct weir_solver *solver, const struct weir_problem *problem, int64_t enough, uint64_t visits,
                      int64_t *reached);
/* Narrows result's lower and upper as far as that costs little. */
void weir_bracket_narrow(struct weir_solver *solver, const struct weir_problem *problem, struct weir_separation *result);

/* ---- unbounded.c ---- */

/* Whether the separation can grow for ever, and if so (words, may be NULL) why. Looks at rates only. */
enum weir_status weir_unbounded_test(struct weir_solver *solver, const struct weir_problem *problem, bool *unbounded, char *words,
                                     size_t words_size);

#endif
