/* SPDX-License-Identifier: Apache-2.0 */
/* When the inputs of a source arrive in a simulation, drawn within what the source allows. */
#ifndef WEIR_SIMULATE_PROCESSORS_RELEASES_H
#define WEIR_SIMULATE_PROCESSORS_RELEASES_H

#include "base/random.h"
#include "simulate/processors.h"

struct weir_release_die {
    struct weir_random random;
    enum weir_releases mode; /* not WEIR_RELEASES_GIVEN */
    int64_t period, jitter;
    bool sporadic;
    bool drawn;      /* an input was */
    int64_t nominal; /* of the last input that was drawn, from that of the first */
    int64_t quiet;   /* inputs before the next burst */
    int64_t burst;   /* when the inputs of a burst arrive, from the nominal moment of the first input; -1: no burst */
    bool once;       /* ... and no other burst follows */
};

/* For a simulation of that many iterations. */
void weir_release_die_new(struct weir_release_die *die, const struct weir_source_spec *source, enum weir_releases mode,
                          int64_t iterations, uint64_t seed);
/* The next input. */
struct weir_release weir_release_draw(struct weir_release_die *die);

#endif
