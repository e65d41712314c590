/* SPDX-License-Identifier: Apache-2.0 */
/* A witness as it happens. */
#ifndef WEIR_SIMULATE_REPLAY_H
#define WEIR_SIMULATE_REPLAY_H

#include "weir.h"

struct weir_replay_watch {
    int64_t more; /* iterations to play beyond those that are measured, as far as time allows: they change nothing, but are seen */
    /* Called at each arrival, start and finish up to the later of the two events that are measured; may be NULL. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
    int64_t from, to; /* out: when the two events happen */
};

enum weir_status weir_witness_watch(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                    struct weir_replay_watch *watch, struct weir_error *error);

#endif
