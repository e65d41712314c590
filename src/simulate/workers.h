/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that share worker threads, in motion: a discrete-event simulation.
 *
 * An operator is ready for its next iteration when
 *
 *     it is not executing,
 *     every queue it reads holds a message,
 *     every blocking, bounded queue it writes has a free slot,
 *     its period has passed since its last start (arrivals at most), or the next input has arrived (exact arrivals),
 *
 * and stays so until it starts. A worker that is free takes an operator that is ready, and has been seen where they are polled, and
 * executes one iteration of it, to the end. None is free while there is such an operator. The slots of what the iteration read are
 * free from its receive moment on; what it writes appears at its finish, which is when both the execution and the receive are over.
 *
 * The operators of a lane have a thread of their own in place of the workers, which does the same with these.
 *
 * Under WEIR_DISPATCH_GREEDY there is one thread, which goes through the operators in the order of model/dispatch.h, from the last
 * to the first again, and executes one iteration of each that is ready when it comes to it.
 *
 * This file is what the bounds are checked against, so it knows nothing of how they are found.
 */
#ifndef WEIR_SIMULATE_WORKERS_H
#define WEIR_SIMULATE_WORKERS_H

#include "weir.h"

/* An operator that a worker may take. */
struct weir_candidate {
    struct weir_operator op;
    int64_t iteration;
    int64_t since; /* when it became ready */
};

struct weir_pool_rules {
    /* The run ends before an operator would start more iterations than that, >= 1. Others are then still behind: nobody stops
     * while others go on, as nobody would in an endless run. */
    int64_t iterations;
    /* Of what happens in the same moment. 0: all of it happens before anyone is chosen. Otherwise a free worker may choose when
     * only a part of it has happened; which part, and in which order, is drawn. */
    uint64_t seed;
    /* How long this part of the iteration takes; negative is refused. WEIR_PART_RECEIVE is asked only of operators whose
     * receive_max is above 0. Asked once each, in order of iterations. */
    int64_t (*time_of)(void *context, struct weir_operator op, enum weir_part part, int64_t iteration);
    /* Which of them a free worker takes: below count. They are in the order of the pipeline. Not asked under WEIR_DISPATCH_GREEDY.
     * NULL: the first. */
    size_t (*pick)(void *context, const struct weir_candidate *candidates, size_t count, int64_t time);
    /* How long after it is ready the operator is seen: 0 .. polling; more is refused. Asked only where polling is above 0; NULL: 0.
     */
    int64_t (*delay)(void *context, struct weir_operator op, int64_t iteration);
    /* In order of time; returns false to end the run. May be NULL. */
    bool (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
    /* By operator: when it, or its clock, begins; NULL: all at time 0. */
    const int64_t *begins;
};

/* WEIR_INVALID for pipelines with reentrant operators. Memory is that of the pipeline; O(queues of the operator +
 * operators) per execution. */
enum weir_status weir_pool_run(const struct weir_pipeline *pipeline, const struct weir_pool_rules *rules, struct weir_error *error);

#endif
