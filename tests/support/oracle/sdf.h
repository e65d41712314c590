/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of actors with rates, and what they do when each actor runs as soon as it can: an oracle for the SDF3 reader that counts
 * tokens and knows nothing of copies and iterations.
 */
#ifndef WEIR_TESTS_SDF_H
#define WEIR_TESTS_SDF_H

#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

#define SDF_ACTORS 8
#define SDF_CHANNELS 24
#define SDF_RUNS 400 /* of an actor */

struct sdf_channel {
    int from, to;
    int64_t produce, consume, initial;
    int64_t size; /* 0: without limit */
};

struct sdf_graph {
    int actors, channels;
    int64_t time[SDF_ACTORS];
    int64_t repetitions[SDF_ACTORS];
    struct sdf_channel channel[SDF_CHANNELS];
};

/* A consistent graph that hangs together; it may be stuck. */
void sdf_random(struct sdf_graph *graph, struct weir_random *random);
/* As an SDF3 file. Caller frees. */
char *sdf_text(const struct sdf_graph *graph);
/* The start of each run, every actor running `iterations` times its repetitions; false when the graph gets stuck before. */
bool sdf_run(const struct sdf_graph *graph, int64_t iterations, int64_t start[SDF_ACTORS][SDF_RUNS]);

#endif
