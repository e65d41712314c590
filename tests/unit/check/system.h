/* SPDX-License-Identifier: Apache-2.0 */
/* Task sets and proofs about them, written down by hand. */
#ifndef WEIR_TESTS_SYSTEM_H
#define WEIR_TESTS_SYSTEM_H

#include "check/priority/bounds.h"

#define SYSTEM_TASKS 8
#define SYSTEM_EDGES 12
#define SYSTEM_STAGES 4

struct claim {
    int64_t enable, finish;
};

struct system {
    struct weir_task tasks[SYSTEM_TASKS];
    struct weir_task_graph graphs[3];
    struct weir_task_edge edges[SYSTEM_EDGES];
    struct weir_task_processor processors[2];
    struct weir_taskset set;
    int64_t enable_min[SYSTEM_TASKS];
    uint32_t room[SYSTEM_EDGES];
    struct weir_bounds_stage stages[SYSTEM_STAGES];
    int64_t enable_max[SYSTEM_STAGES][SYSTEM_TASKS], finish_max[SYSTEM_STAGES][SYSTEM_TASKS];
    int64_t level[SYSTEM_TASKS]; /* for whoever points a stage to it */
    struct weir_region region[SYSTEM_TASKS];
    struct weir_bounds_proof proof;
    char why[160];
};

/* No tasks; two processors of the given kind; two graphs with these periods, and room for a third. */
void system_begin(struct system *s, enum weir_sharing sharing, int64_t period, int64_t other_period);
/* Priorities are urgent when large. On processor 0; move it by hand. Times are constant. Returns its number. */
uint32_t system_task(struct system *s, uint32_t graph, int64_t worst, int32_t priority);
/* From its source, or from another task without initial messages: a queue that blocks, without limit. */
uint32_t system_edge(struct system *s, uint32_t from, uint32_t to);
/* A stage with these claims, by task. */
void system_stage(struct system *s, bool base, enum weir_bounds_rule rule, const struct claim *claims);

bool system_holds(struct system *s);
/* The whole holds, and does not with any one claim of the last stage a tick lower. */
void system_assert_tight(struct system *s);

#endif
