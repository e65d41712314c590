/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of an evaluator: an event graph of its own, whose times and arcs can change, and a solver that believes it to be the
 * graph of a sealed pipeline. Actors have the numbers of the sealed graph ("homes") in what stays, and places in the graph at work,
 * whose order depends on which queues are full at the beginning.
 */
#ifndef WEIR_EXPLORE_EVALUATE_H
#define WEIR_EXPLORE_EVALUATE_H

#include "base/alloc.h"
#include "engine/exact/solver.h"
#include "model/graph.h"
#include "model/pipeline.h"
#include "weir.h"

#define WEIR_NO_INDEX UINT32_MAX

/* An arc between homes, before it has its tokens and its offset. */
struct weir_raw_arc {
    uint32_t tail, head;
    uint32_t tokens; /* of all but backpressure */
    uint32_t queue;  /* backpressure of this one, or WEIR_NO_INDEX */
    uint32_t source; /* offset is the period of this one, or WEIR_NO_INDEX */
    uint8_t finish, wait;
};

/* An arc as it is now, on its way into a run. */
struct weir_laid_arc {
    uint64_t key; /* tokens, finish, wait, source: what makes a run, in the order of runs */
    uint32_t end; /* place of its head, or of its tail */
};

struct weir_evaluator_layout {
    struct weir_raw_arc *arcs; /* by tail */
    uint32_t arc_count;
    uint32_t *first_out, *first_in; /* by home, actor_count + 1: into arcs, into by_head */
    uint32_t *by_head;              /* arcs by head */
    uint32_t *home, *place;         /* by place, by home */
    uint32_t *waiting, *order;      /* scratch by home, by place */
    uint32_t *tokens;               /* by arc, now; WEIR_UNBOUNDED: it is not there */
    uint32_t *distinct;             /* token counts, the graph's array */
    struct weir_laid_arc *laid;     /* scratch: the arcs of an actor */
    struct weir_actor *actors;      /* the graph's arrays */
    uint32_t *start_of, *finish_of, *arrival_of;
    uint32_t *out_first, *in_first, *heads, *tails;
    struct weir_arc_run *out_runs, *in_runs;
    int64_t *lo, *hi;
};

struct weir_evaluator {
    const struct weir_pipeline *pipeline;
    bool in_place;

    /* The numbers, and what has changed since they were last put to use. */
    int64_t *best, *worst, *period;
    int64_t *work_best, *work_worst; /* by operator: of its work on a GPU */
    uint32_t *capacity;
    int64_t total; /* of all times and periods, as sealing counts them */
    bool times_changed, arcs_changed;
    uint64_t work_limit;

    /* In place. */
    struct weir_pipeline shell; /* the pipeline, except for its graph */
    struct weir_graph graph;
    struct weir_evaluator_layout layout;
    uint32_t *actor_of; /* by operator: home of the actor that executes it */
    uint32_t *work_of;  /* ... and of its work on a GPU, where it launches some */
    bool deadlocked;
    struct weir_solver *solver;
    uint32_t distances_room; /* token counts that solver->distances can hold */
    struct weir_problem problem;
    uint32_t posed; /* the chain of `problem`, whose region the solver has; WEIR_NO_INDEX: none */

    /* For throughput, until arcs change. */
    uint32_t *component; /* by place; NULL: not known */

    /* Not in place: the pipeline as it is now, sealed; NULL: not made yet. Its solver is `solver`. */
    struct weir_pipeline *copy;

    struct weir_arena arena; /* of the arrays of the numbers and of the layout */
};

/* ---- evaluate_layout.c ---- */

/* Makes the layout of the evaluator's pipeline, as it was sealed. False when out of memory. */
bool weir_evaluator_layout_make(struct weir_evaluator *evaluator);
/* Lays out the graph with the capacities and periods of now; false in a deadlock, and the graph is then of no use. */
bool weir_evaluator_layout_renew(struct weir_evaluator *evaluator);

/* ---- evaluate.c ---- */

/* Brings the graph and the solver up to date. */
enum weir_status weir_evaluator_settle(struct weir_evaluator *evaluator, struct weir_error *error);
/* About a latency of a pipeline that is sealed. */
struct weir_query weir_chain_query(const struct weir_pipeline *pipeline, uint32_t chain, uint64_t work_limit);
/* Poses the chain to the solver, unless it still is; settled, and no deadlock. */
enum weir_status weir_evaluator_pose(struct weir_evaluator *evaluator, uint32_t chain, struct weir_error *error);

/* ---- evaluate_ask.c ---- */

/* weir_evaluator_gradient, and by operator how often the worst time of its work on a GPU is part of the sum. */
enum weir_status weir_evaluator_gradients(struct weir_evaluator *evaluator, uint32_t chain, int64_t *counts, int64_t *work_counts,
                                          bool *exact, struct weir_error *error);

/* The period of the slowest output: of all that leads to one of them. *component: as found the
 * last time for this graph, or NULL; the caller's. */
enum weir_status weir_graph_period(const struct weir_pipeline *pipeline, const struct weir_graph *graph, uint32_t **component,
                                   struct weir_ratio *period);

#endif
