/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What messages carry: of each operator that is watched, which of its executions. Shared by the messages of one execution.
 *
 * Where paths over queues that keep every message meet, the latency is that of the path with the fewest initial messages, which is
 * the one that brings the newest. Where paths differ in other connections each counts. So provenance has an entry for each operator
 * and each connection of the latter kind over which its data came last: a segment. Segment 0: over none. Within a segment what the
 * newest execution at its head brings counts.
 */
#ifndef WEIR_SIMULATE_PROVENANCE_H
#define WEIR_SIMULATE_PROVENANCE_H

#include "weir.h"

#define WEIR_NO_PROVENANCE UINT32_MAX

struct weir_provenance_entry {
    int64_t lead; /* the execution at the head of the segment: of the operator that is watched, or of the consumer; -1: none */
    int64_t oldest, newest, oldest_time, newest_time; /* -1: that one brought nothing */
};

/* Zero-initialise, and set what is watched and the number of segments. Nothing is carried where nothing is watched. */
struct weir_provenance_hold {
    const struct weir_operator *from;
    size_t from_count, segments;
    struct weir_provenance_entry
        *entries;          /* from_count * segments for each provenance, and as many at the beginning, for a batch */
    uint32_t *uses;        /* by provenance; of one that is free: the next free one */
    struct weir_age *told; /* from_count, room for what is reported */
    size_t entry_capacity, use_capacity;
    uint32_t count, free;
};

void weir_provenance_free(struct weir_provenance_hold *hold);
/* An empty one, used once; false when out of memory. *provenance is WEIR_NO_PROVENANCE where nothing is carried. */
bool weir_provenance_new(struct weir_provenance_hold *hold, uint32_t *provenance);
/* One more, or one less, holds it. WEIR_NO_PROVENANCE is fine, here and below. */
void weir_provenance_keep(struct weir_provenance_hold *hold, uint32_t provenance);
void weir_provenance_drop(struct weir_provenance_hold *hold, uint32_t provenance);
/* Messages that are taken from one queue at once are put together, one by one, and then added as one. */
void weir_provenance_gather(struct weir_provenance_hold *hold, uint32_t message);
void weir_provenance_add_gathered(struct weir_provenance_hold *hold, uint32_t provenance);
/* What comes over the connection with that segment to execution `lead` of its consumer: a message, or WEIR_NO_PROVENANCE. */
void weir_provenance_add_segment(struct weir_provenance_hold *hold, uint32_t provenance, uint32_t message, size_t segment,
                                 int64_t lead);
/* It is of this execution, where that is watched: only that counts of its operator. */
void weir_provenance_stamp(struct weir_provenance_hold *hold, uint32_t provenance, struct weir_operator op, int64_t execution,
                           int64_t time);
/* Those of which there is something. They live until the next call. */
const struct weir_age *weir_provenance_tell(struct weir_provenance_hold *hold, uint32_t provenance, size_t *count);

#endif
