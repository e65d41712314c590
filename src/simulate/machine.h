/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline in motion: a discrete-event simulation of operators, queues and the messages in them.
 *
 * An operator starts its next iteration as soon as
 *
 *     it is not executing, or is reentrant,
 *     every queue it reads holds a message,
 *     every blocking, bounded queue it writes has a free slot,
 *     its period has passed since its last start (arrivals at most), or the next input has arrived (exact arrivals).
 *
 * At the start it claims one message of each queue it reads; the slots are free from its receive moment on. At the finish,
 * which is when both the execution and the receive are over, one message appears in each queue it writes. A queue is a ring:
 * where iterations of a reentrant operator overtake each other, the messages that they write, and the slots that they free,
 * wait for those before them.
 *
 * This file is what weir's answers are checked against, so it knows nothing of how they are found.
 */
#ifndef WEIR_SIMULATE_MACHINE_H
#define WEIR_SIMULATE_MACHINE_H

#include "weir.h"

struct weir_machine_rules {
    int64_t iterations; /* of every operator; >= 1 */
    /* How long this part of the iteration takes; negative is refused. WEIR_PART_RECEIVE is asked only of operators whose
     * receive_max is above 0. Asked once each, in order of iterations. */
    int64_t (*time_of)(void *context, struct weir_operator op, enum weir_part part, int64_t iteration);
    /* In order of time; returns false to end the simulation. May be NULL. */
    bool (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
};

/* Runs from time 0, with the initial messages in the queues, until every operator has done its iterations. Memory is that of the
 * pipeline and of the executions in flight: one for each operator, unless it is reentrant. O(queues of the operator +
 * log(executions in flight)) per execution. */
enum weir_status weir_machine_run(const struct weir_pipeline *pipeline, const struct weir_machine_rules *rules,
                                  struct weir_error *error);

#endif
