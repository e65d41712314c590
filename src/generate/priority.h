/* SPDX-License-Identifier: Apache-2.0 */
/* A random system on its way: drawn by priority.c, put into a pipeline by priority_build.c. */
#ifndef WEIR_GENERATE_PRIORITY_H
#define WEIR_GENERATE_PRIORITY_H

#include "base/random.h"
#include "weir.h"

#define WEIR_SKETCH_NONE UINT32_MAX

enum weir_sketch_stream { WEIR_SKETCH_SHAPE, WEIR_SKETCH_SOURCES, WEIR_SKETCH_MAPPING, WEIR_SKETCH_TIMES, WEIR_SKETCH_STREAMS };

struct weir_sketch_task {
    uint32_t graph, processor;
    uint32_t parent, extra; /* tasks joined to it by queues that begin empty: from parent, to extra; or WEIR_SKETCH_NONE */
    bool leads;
    int64_t worst, slot;
    int32_t priority;
};

struct weir_sketch_graph {
    int64_t period, jitter;
};

struct weir_sketch_processor {
    enum weir_sharing sharing;
    int64_t frame;
    uint32_t tasks;
    int64_t shortest; /* period of its tasks */
};

struct weir_sketch {
    const struct weir_generate_priority_options *options;
    struct weir_random random[WEIR_SKETCH_STREAMS];
    uint32_t task_count, processor_count;
    struct weir_sketch_task *tasks; /* graph by graph, in an order in which all follow their parents */
    struct weir_sketch_graph *graphs;
    struct weir_sketch_processor *processors;
    uint32_t *list; /* scratch, by task */
    int64_t *sums;  /* scratch, by task */
};

/* Uniform in [low, high]. */
static inline uint32_t weir_sketch_pick(struct weir_sketch *draft, enum weir_sketch_stream stream, uint32_t low, uint32_t high)
{
    return (uint32_t)weir_random_between(&draft->random[stream], low, high);
}

static inline int64_t weir_sketch_divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Draws the queues' kinds, too. Sealed. */
enum weir_status weir_sketch_build(struct weir_sketch *draft, struct weir_pipeline **pipeline, struct weir_error *error);

#endif
