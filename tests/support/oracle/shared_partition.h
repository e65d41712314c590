/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a pipeline whose operators share partitions of a GPU: messages, places and one queue of work for each partition, which is
 * done in the order in which it was launched. It knows nothing of event graphs, and nothing of sums. */
#ifndef WEIR_TESTS_SHARED_PARTITION_H
#define WEIR_TESTS_SHARED_PARTITION_H

#include "base/random.h"
#include "weir.h"

enum { PLAY_OPERATORS = 8, PLAY_QUEUES = 24, PLAY_ITERATIONS = 40, PLAY_ALONE = 255 };

struct play {
    const struct weir_pipeline *pipeline;
    uint8_t part[PLAY_OPERATORS];                        /* by operator; PLAY_ALONE: it has nothing to do with the GPU */
    int64_t best[PLAY_OPERATORS], worst[PLAY_OPERATORS]; /* of its work there: all it does, unless it launches some */
    int64_t start[PLAY_OPERATORS][PLAY_ITERATIONS];      /* after play_run */
    int64_t finish[PLAY_OPERATORS][PLAY_ITERATIONS];     /* ... of its messages */
};

/* Every time is drawn: the shortest or the longest, or with `late` only the longest. Who comes first at the same time is drawn,
 * too. False: it stands still, or is larger than this can play. */
bool play_run(struct play *play, struct weir_random *random, bool late);
/* The longest that a message took. */
int64_t play_latency(const struct play *play, struct weir_operator from, struct weir_operator to);

#endif
