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
    int64_t total, drawn; /* batches */
    int64_t last;         /* arrival */
    int64_t odds;         /* of 16: how often an extreme source pauses or is late */
    /* Bursts: in `window` no more samples than `most` batches / `least` are made of; both in lowest terms. */
    int64_t window, most, least;
    int64_t *past; /* arrivals, a ring of `kept` */
    int64_t kept;
};

/* Draws how the source behaves. The other fields are set: past only where bursty, NULL before this call. WEIR_OVERFLOW,
 * WEIR_MEMORY.
 */
enum weir_status weir_core_arrivals_begin(struct weir_core_arrivals *arrivals, uint64_t seed);
/* The arrival of the next batch; WEIR_TIME_MAX or more: beyond all time. */
int64_t weir_core_arrivals_draw(struct weir_core_arrivals *arrivals);

#endif
