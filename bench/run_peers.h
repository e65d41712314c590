/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to hand messages along a chain of operators that do nothing but hand them on, for bench_run. Each gets the same chain: so
 * many operators, a queue with so many places between neighbours, the numbers 1, 2, ... as messages. The last operator holds each
 * message against the number it must be.
 */
#ifndef WEIR_BENCH_RUN_PEERS_H
#define WEIR_BENCH_RUN_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#define RUN_OPERATORS_MAX 64
#define RUN_CAPACITY_MAX 1024

#ifdef __cplusplus
extern "C" {
#endif

struct flow {
    uint32_t operators; /* 2 to RUN_OPERATORS_MAX */
    uint32_t capacity;  /* 1 to RUN_CAPACITY_MAX */
    int64_t messages;
};

/* Nanoseconds from the first message to the last; below 0: a message was lost, or it could not be started. */
typedef double flow_run(const struct flow *flow);

flow_run run_ring;      /* rings of atomic indices; who waits spins, and gives its CPU away now and then where there are few */
flow_run run_mutex;     /* a ring, a mutex and two condition variables */
flow_run run_weir;      /* functions at the ends */
flow_run run_counts;    /* no functions */
flow_run run_processes; /* no functions, every other operator in another process */
flow_run run_measured;  /* functions, and every execution measured */
flow_run run_tbb;       /* oneTBB's flow graph: serial nodes, as many messages under way as the queues would hold */
flow_run run_gstreamer; /* its element "queue" between operators */

double run_clock_ns(void);

#ifdef __cplusplus
}
#endif
#endif
