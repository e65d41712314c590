/* SPDX-License-Identifier: Apache-2.0 */
/* A flow on a pool of cores as the campaign sees it: what its words say about who needs what of whom, and what one simulation did.
 * Nothing here knows the analysis. */
#ifndef WEIR_TESTS_CORES_FLOW_H
#define WEIR_TESTS_CORES_FLOW_H

#include "support/random/flow.h"

enum { NODES = WEIR_RANDOM_FLOW_OPERATORS, QUEUES = 3 * NODES };

struct list {
    int64_t *at;
    size_t count, capacity;
};

struct node {
    uint32_t feeds; /* sources it depends on, a bit each by operator */
    bool even;      /* they all are */
    bool source;
    struct weir_source_spec spec;
    struct list arrival, ready, release, end;
    struct list first;       /* when the first sample of each batch arrived, where samples are drawn one by one */
    struct list there;       /* when the samples of each execution, or its batch, were there */
    struct list need[NODES]; /* by source that it depends on: the last of its executions that each execution needs; 0: none */
    struct list use;         /* by execution of one source: the last that removes anything made of it; empty: none does */
};

struct flow {
    const struct weir_pipeline *pipeline;
    uint32_t operators, queues;
    uint32_t order[NODES];
    struct weir_queue_spec queue[QUEUES];
    uint32_t into[QUEUES], into_first[NODES + 1]; /* queues in the order of their consumers, and those of each place in it */
    uint32_t place[NODES];                        /* of an operator in the order */
    struct node node[NODES];
    int64_t origin[NODES]; /* by operator: the first phase of an even source of its part */
    int64_t scale;
    bool broken; /* memory ran out, or executions came out of order */
};

/* Of a sealed pipeline, into a flow that is zero or was of another one; its lists are never freed. */
void flow_read(struct flow *flow, const struct weir_pipeline *pipeline);
/* Before the next simulation. */
void flow_forget(struct flow *flow);

/* Room for so many; false, and the flow is broken: there is no memory. */
bool flow_grow(struct flow *flow, struct list *list, size_t capacity);

static inline void flow_put(struct flow *f, struct list *list, int64_t value)
{
    if (list->count < list->capacity || flow_grow(f, list, list->capacity ? 2 * list->capacity : 64))
        list->at[list->count++] = value;
}

/* For struct weir_edf_simulation_options, with the flow as context. */
void flow_observe(void *flow, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale);
void flow_arrived(void *flow, struct weir_operator op, int64_t execution, int64_t time, int64_t scale);

/* Global EDF, by code of its own: the samples of every source arrive as the `original` of a batched flow, or the flow itself,
 * allows, one by one, often so that all sources rest and begin again at once, and an execution of a source has what it needs when
 * the last sample of its batch has arrived. Fills in the lists, and the most samples that each queue held. False: the sources are
 * not the same, or the numbers are too long. */
bool flow_play(struct flow *flow, const struct weir_pipeline *original, uint64_t seed, int64_t peak[QUEUES]);

/* When the samples of each execution of v that ended were there, or its batch, by what was seen before. NULL: no memory. */
const int64_t *flow_find_there(struct flow *flow, uint32_t v);
/* Fills in need[source] of every operator that depends on it, for the executions that ended. */
void flow_find_needs(struct flow *flow, uint32_t source);
/* Fills in `use` of every operator, for the executions of the source that arrived. */
void flow_find_uses(struct flow *flow, uint32_t source);

#endif
