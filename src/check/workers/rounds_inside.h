/* SPDX-License-Identifier: Apache-2.0 */
/* Between the play of rounds (rounds.c) and what its messages carry (rounds_data.c). */
#ifndef WEIR_CHECK_WORKERS_ROUNDS_INSIDE_H
#define WEIR_CHECK_WORKERS_ROUNDS_INSIDE_H

#include "check/workers/rounds.h"
#include "model/links.h"

/* A moment, on the clock of worst times and on that of best times. */
struct weir_instant {
    int64_t worst, best;
};

/*
 * Data come over plain queues to the execution that can depend on them first; a connection that loses messages, does not wait for
 * them or reads them again begins a new *segment*, from the execution that takes the message. Segment 0 begins with executions of
 * `from`. Within a segment nothing is lost and no message overtakes another, so that an execution of an operator handles those
 * executions of the beginning of the segment that are above the last it has handled before.
 */
struct weir_rounds_segment {
    uint32_t op; /* where it begins */
    /* By execution of that operator: when what it took began, the oldest on the clock of worst times, the newest on the other. */
    struct weir_instant *data;
    size_t count, capacity;
};

struct weir_rounds_part {
    int64_t above, last; /* executions of the beginning of the segment; last -1: none */
};

struct weir_round_queue {
    struct weir_rounds_part *held; /* by message, the oldest first, and segment */
    size_t count, capacity;
    uint32_t segment; /* that begins behind it; 0: none does */
};

struct weir_deque {
    struct weir_instant *items;
    size_t first, count, capacity;
};

struct weir_rounds {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_chain_spec *chain;
    struct weir_links in, out;
    uint32_t *order, *buffer_of;      /* by place; by queue: the first queue of its port */
    struct weir_round_queue *buffers; /* by queue */
    struct weir_rounds_segment *segments;
    uint32_t segment_count;
    bool by_data; /* latencies are those of data; else of iterations, which are counted */
    struct weir_rounds_part *mine;
    int64_t *handled; /* by operator and segment: the last execution of its beginning */
    struct weir_instant now;
    bool any;
    int64_t worst, best; /* seen so far */
    uint64_t work, limit;
    bool out_of_memory, failed; /* failed: a message finds a queue full that must not be, or is missing */

    /* By iteration: beginnings that wait for their end, or ends that came before their beginning, and how many of each are left
     * out because there is no other. */
    struct weir_deque begun, ended;
    int64_t skip_starts, skip_finishes;
};

void weir_rounds_see(struct weir_rounds *rounds, int64_t worst, int64_t best);

/* ---- rounds_data.c ---- */

#define WEIR_NO_DATA ((struct weir_instant){INT64_MAX, INT64_MIN})

/* The segments; false when out of memory. */
bool weir_rounds_lay_legs(struct weir_rounds *rounds);
/* An execution takes its messages, before its time passes; ends; sends into a buffer. */
void weir_rounds_take(struct weir_rounds *rounds, uint32_t op);
void weir_rounds_measure(struct weir_rounds *rounds);
void weir_rounds_push(struct weir_rounds *rounds, struct weir_round_queue *buffer);
void weir_rounds_pop(struct weir_rounds *rounds, struct weir_round_queue *buffer);
/* All that the future depends on, but for the numbers of messages, as numbers that are the same again when it is. */
bool weir_rounds_note_data(const struct weir_rounds *rounds, bool (*note)(void *context, int64_t number), void *context);

#endif
