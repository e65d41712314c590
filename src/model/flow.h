/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline on a pool of cores as a processing graph: queues with rates, and how often each operator executes. Made when the
 * pipeline is sealed. Nodes are the operators, in their order.
 */
#ifndef WEIR_MODEL_FLOW_H
#define WEIR_MODEL_FLOW_H

#include "base/number.h"
#include "weir.h"

#define WEIR_NO_SOURCE UINT32_MAX

struct weir_flow_node {
    struct weir_ratio period; /* ticks from one execution to the next, in the long run; in lowest terms */
    int64_t repetitions;      /* executions until the part of the graph it belongs to is where it was */
    int64_t cost;             /* of an execution at most, ticks */
    int64_t best;             /* ... at least */
    uint32_t part;            /* of the graph, weakly connected */
    uint32_t source;          /* of the pipeline that feeds it; WEIR_NO_SOURCE where queues do */
};

/* The queues of the pipeline, in their order; no field is 0 that stands for something else. */
struct weir_flow_edge {
    uint32_t from, to;
    int64_t produce, consume, threshold, initial;
};

struct weir_flow {
    uint32_t node_count, edge_count, part_count;
    struct weir_flow_node *nodes;
    struct weir_flow_edge *edges;
    uint32_t *order; /* nodes, each after those that it reads from */
    /* The queues that lead to node v are inputs[first_input[v]] .. inputs[first_input[v + 1] - 1]. */
    uint32_t *first_input, *inputs;
};

struct weir_sealing;

/* Checks the whole of a pipeline on cores, completes its chains and costs, and makes its flow. */
enum weir_status weir_flow_build(struct weir_sealing *sealing);
/* Executions of all nodes in one round of the slowest part of the graph, as a multiple of 2^-WEIR_ROUND_BITS; false where there are
 * too many to count. */
enum { WEIR_ROUND_BITS = 32 };
bool weir_flow_round(const struct weir_flow *flow, weir_wide *executions);
/* ratio * up / down, all positive; false when it cannot be counted. */
bool weir_rate_scale(struct weir_ratio ratio, int64_t up, int64_t down, struct weir_ratio *result);

#endif
