/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Systems on shared processors, written shortly. One line each, in this order:
 *
 *     g PERIOD JITTER [sporadic]                     a task graph, driven by source s0, s1, ...
 *     p fixed | nonpreemptive | tdm | robin [FRAME]  processor p0, p1, ...; those that are not given are fixed
 *     t GRAPH PROCESSOR PRIORITY BEST WORST [SLOT]   operator t0, t1, ...; processor -1: its own
 *     e FROM TO INITIAL ROOM BLOCKS                  a queue; from -1, -2, ...: the source of graph 0, 1, ...; room: free slots at
 *                                                    the beginning, -1: auto, -2: unbounded
 *     m FROM TO [DEADLINE]                           a latency
 */
#ifndef WEIR_TESTS_PLAN_H
#define WEIR_TESTS_PLAN_H

#include "weir.h"

/* Lines up to the first that begins with anything else, or to the end. Sealed; asserts that it works. */
struct weir_pipeline *plan_build(const char *lines);

/* The analysis by a method, its certificate checked if it is safe; asserts that it works. Caller frees. */
struct weir_priority_analysis *plan_analyze(const struct weir_pipeline *pipeline, enum weir_priority_method method);
/* The latest finish of an operator by a method, or -1 when that does not converge. */
int64_t plan_finish(const struct weir_pipeline *pipeline, enum weir_priority_method method, uint32_t op);
/* For stage_fail_each_allocation. */
enum weir_status plan_analyze_again(void *pipeline);

#endif
