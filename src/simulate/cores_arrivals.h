/* SPDX-License-Identifier: Apache-2.0 */
/* When the batches of a source arrive, in whole numbers of 1 / scale of a tick. */
#ifndef WEIR_SIMULATE_CORES_ARRIVALS_H
#define WEIR_SIMULATE_CORES_ARRIVALS_H

#include "base/random.h"
#include "weir.h"

struct weir_core_arrivals {
    enum weir_edf_arrivals mode;
    struct weir_random random;
    uint32_t op;
    int64_t period; /* of batches */
    int64_t phase, jitter;
    bool sporadic, bursty;
    int64_t drawn; /* batches */
    int64_t last;  /* arrival */
    int64_t odds;  /* of 16: how often an extreme source pauses or is late */
    /* Bursts: in `window` no more samples than `most` batches / `least` are made of; both in lowest terms. */
    int64_t window, most, least;
    int64_t *past; /* arrivals, a ring of `kept`, which grows up to `most` */
    int64_t kept;
};

/* Draws how the source behaves; the fields up to there are set, the others 0 but for the numbers of a burst. False: they do not
 * fit. */
bool weir_core_arrivals_begin(struct weir_core_arrivals *arrivals, uint64_t seed);
/* The arrival of the next batch; WEIR_TIME_MAX: beyond all time; -1: out of memory. */
int64_t weir_core_arrivals_draw(struct weir_core_arrivals *arrivals);

#endif
