/* SPDX-License-Identifier: Apache-2.0 */
/* A small graph that can be copied and changed, unlike a pipeline: what the campaigns draw at random and cut down. */
#ifndef WEIR_TESTS_SKETCH_H
#define WEIR_TESTS_SKETCH_H

#include "base/random.h"
#include "weir.h"

#define SKETCH_OPERATORS 12
#define SKETCH_QUEUES 66

struct sketch_operator {
    char name; /* a letter */
    int64_t best, worst;
};

struct sketch_queue {
    uint32_t from, to, capacity;
};

struct sketch {
    uint32_t operator_count, queue_count;
    struct sketch_operator operators[SKETCH_OPERATORS];
    struct sketch_queue queues[SKETCH_QUEUES];
};

struct sketch_shape {
    uint32_t operators; /* 2 .. SKETCH_OPERATORS */
    int64_t worst_max;
    bool zero_best;        /* otherwise some best times are 0, some are the worst, and the rest lie in between */
    uint32_t capacity_max; /* each queue has its own */
};

/* The papers' random application with times and capacities drawn anew. Asserts that memory suffices. */
void sketch_draw(struct sketch *sketch, const struct sketch_shape *shape, struct weir_random *random);
/* Sealed; NULL when the graph is none that can be. */
struct weir_pipeline *sketch_build(const struct sketch *sketch);

#endif
