/* SPDX-License-Identifier: Apache-2.0 */
/* Between segments (segments.c) and the paths that are made of them (paths.c). */
#ifndef WEIR_ENGINE_ASYNC_SEGMENTS_H
#define WEIR_ENGINE_ASYNC_SEGMENTS_H

#include "engine/async/async.h"

/* The beginning of a segment: the start of an operator, or the arrival of its input. */
struct weir_stop {
    uint32_t op;
    bool arrival;
};

/* From a stop to the start of the consumer of a cut. */
struct weir_crossing {
    uint32_t cut;
    struct weir_async_segment segments[2];
    uint32_t segment_count;
    int64_t worst, best;
    bool has_best;
    const char *why; /* NULL: it is known */
};

/* Crosses the cut; `tokens` initial messages are on the way to it. */
enum weir_status weir_segment_cross(struct weir_sampler *sampler, struct weir_stop from, uint32_t cut, int64_t tokens,
                                    struct weir_crossing *crossing);

/* From a stop to the finish of an operator of the same part. */
struct weir_arrival {
    struct weir_async_segment segment;
    bool known, reached, has_best; /* known false: `why` of the sampler is filled */
};
enum weir_status weir_segment_arrive(struct weir_sampler *sampler, struct weir_stop from, uint32_t to, int64_t shift,
                                     struct weir_arrival *arrival);

#endif
