/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graphs that cudaGraphDebugDotPrint writes. label.c reads what a node says of itself, graph.c puts the graphs within
 * each other together and takes the nodes out that take no time, model.c makes kernels of the rest, with times from a file.
 */
#ifndef WEIR_READ_CUDA_CUDA_H
#define WEIR_READ_CUDA_CUDA_H

#include "read/cuda/kernel_times.h"
#include "read/dot/dot.h"

enum weir_cuda_kind {
    WEIR_CUDA_KERNEL,
    WEIR_CUDA_COPY,  /* MEMCPY */
    WEIR_CUDA_SET,   /* MEMSET */
    WEIR_CUDA_EMPTY, /* nothing, or the recording of an event: takes no time */
    WEIR_CUDA_CHILD, /* another graph of the file */
    WEIR_CUDA_OTHER, /* HOST, MEM_ALLOC ...: takes a time that has to be given */
    WEIR_CUDA_UNKNOWN,
};

struct weir_cuda_node {
    enum weir_cuda_kind kind;
    const char *id;         /* "graph_2_node_7" */
    const char *symbol;     /* of a kernel as the linker knows it; of other nodes their kind, "memcpy" */
    const char *base;       /* as weir_kernel_base; NULL: not known */
    const char *direction;  /* of a copy, "HtoD"; else NULL */
    uint32_t graph, number; /* 2 and 7 of the id */
    uint32_t child;         /* graph */
    uint64_t blocks;        /* of the grid; 0: not said */
    struct weir_place place;
    const struct weir_kernel_entry *entry; /* what it takes; NULL: not known */
    bool kept;                             /* it takes time, so it becomes a kernel */
    uint32_t op;                           /* then which */
};

struct weir_cuda {
    struct weir_draft *draft;     /* of the kernels */
    struct weir_draft *dot;       /* nodes and edges as they are in the file; a second draft with the same errors */
    struct weir_cuda_node *nodes; /* those of `dot`, and behind them the ends of graphs within the graph */
    size_t count;
    bool several; /* there is more than one graph */
    struct weir_kernel_times times;
};

/* Takes the label apart. */
void weir_cuda_read_label(struct weir_cuda *cuda, struct weir_cuda_node *node, const char *label, const char *shape);

/* Joins each graph to the node that launches it. Before nodes are made kernels; all mistakes are reported. */
void weir_cuda_join_graphs(struct weir_cuda *cuda);
/* Once nodes are kernels or not: what a kernel waits for, with all the nodes between left out. */
void weir_cuda_add_dependencies(struct weir_cuda *cuda);

/* The times of nodes: finds the entry of each. What has none is reported. */
void weir_cuda_find_times(struct weir_cuda *cuda);

#endif
