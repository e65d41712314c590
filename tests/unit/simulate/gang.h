/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of a pool of cores have in common: short ways to build a flow, and schedules written as text. */
#ifndef WEIR_TESTS_GANG_H
#define WEIR_TESTS_GANG_H

#include "support/stage.h"

/* A flow on that many cores. Each function asserts that it works. */
struct weir_pipeline *gang_new(uint32_t cores);
struct weir_operator gang_add(struct weir_pipeline *p, const char *name, int64_t cost);
/* The spec without its ends; no capacity is any. */
void gang_queue(struct weir_pipeline *p, struct weir_operator from, struct weir_operator to, struct weir_queue_spec spec);
void gang_feed(struct weir_pipeline *p, struct weir_operator op, struct weir_source_spec spec);

#define GANG_ARRIVALS 256

struct gang_log {
    const struct weir_pipeline *pipeline;
    char text[1024]; /* "a1 0 2 5, b1 ...": samples there, release, end; as many as fit */
    size_t used;
    uint64_t hash;
    int64_t scale, last;
    int64_t arrived[GANG_ARRIVALS]; /* at operator 0 */
    int64_t arrival_count;
    int64_t ended; /* executions, of all operators */
    int64_t peak[8];
};
/* Simulates with these options, the log as context; asserts success and order. Times are worst ones unless told. */
void gang_run(const struct weir_pipeline *p, struct weir_edf_simulation_options options, struct gang_log *log);

#endif
