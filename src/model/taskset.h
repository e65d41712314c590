/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis of shared processors needs of a pipeline, in index-based arrays; made when the pipeline is sealed. Tasks are
 * the operators, in their order.
 */
#ifndef WEIR_MODEL_TASKSET_H
#define WEIR_MODEL_TASKSET_H

#include "weir.h"

#define WEIR_OWN_PROCESSOR UINT32_MAX /* no other task runs there */
#define WEIR_FROM_SOURCE UINT32_MAX

struct weir_task {
    uint32_t graph;
    uint32_t processor;  /* or WEIR_OWN_PROCESSOR */
    int32_t priority;    /* 0 where none matters */
    int64_t best, worst; /* 0 <= best <= worst, worst >= 1 */
    int64_t slot;        /* WEIR_TDM, WEIR_ROUND_ROBIN; otherwise 0 */
};

/* What queues and a common source join, with that source. */
struct weir_task_graph {
    int64_t period, jitter;
    bool sporadic;
    bool has_phase; /* the model says when input 0 comes: no other phase is an execution of it, though bounds hold for all */
    int64_t phase;
    uint32_t source; /* the first of the pipeline's sources that is this graph's */
};

/* The queues of the pipeline in their order, and after them one edge for each source of the pipeline. */
struct weir_task_edge {
    uint32_t from, to; /* from WEIR_FROM_SOURCE: the source of `to`'s graph */
    uint32_t initial;  /* messages at the beginning */
    uint32_t room;     /* free slots at the beginning; or WEIR_AUTO, WEIR_UNBOUNDED. Edges from a source: WEIR_AUTO */
    bool blocking;     /* `from` waits for room. Never from a source */
};

struct weir_task_processor {
    enum weir_sharing sharing;
    int64_t frame; /* WEIR_TDM */
    int64_t free;  /* ... what its slots leave of it; otherwise 0 */
};

struct weir_taskset {
    uint32_t task_count, graph_count, processor_count;
    size_t edge_count;
    struct weir_task *tasks;
    struct weir_task_graph *graphs;
    struct weir_task_edge *edges;
    struct weir_task_processor *processors;
};

struct weir_sealing;

/* Checks what only models on shared processors must obey, and makes the task set of the pipeline. */
enum weir_status weir_taskset_build(struct weir_sealing *sealing);

#endif
