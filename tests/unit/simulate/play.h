/* SPDX-License-Identifier: Apache-2.0 */
/* A replay, as something that may run out of memory. */
#ifndef WEIR_TESTS_SIMULATE_PLAY_H
#define WEIR_TESTS_SIMULATE_PLAY_H

#include "weir.h"

struct play {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
};

static inline enum weir_status play(void *context)
{
    const struct play *it = context;
    int64_t separation;
    return weir_witness_replay(it->pipeline, it->witness, &separation, NULL);
}

#endif
