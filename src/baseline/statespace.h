/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worst case by exhaustive search: every snapshot that the self-timed execution of a chart can be in is visited. It stands for
 * the timed-automata baseline of the papers, and shares nothing with the exact engine: it moves messages from queue to queue.
 *
 * A snapshot says of each operator whether it is idle, and if not how much it has left, and of each queue how many messages are in
 * it. There are finitely many, since queues are bounded. How old the messages in flight are is not part of it. Instead, every
 * snapshot carries for each message in flight the greatest age that any history found so far gives it. That suffices: the future
 * of a snapshot does not depend on the ages, and a message that is older now will be older by as much when it leaves. A snapshot
 * whose ages have grown is expanded again.
 *
 * In terms of the homogeneous SDF graph: an operator's start actor is the moment when its timer is set, its body actor the timer.
 * A queue is two channels, messages one way and free slots the other; free slots are not counted, being what the messages, and
 * the one that a running producer is to send, leave over.
 */
#ifndef WEIR_BASELINE_STATESPACE_H
#define WEIR_BASELINE_STATESPACE_H

#include "baseline/classic.h"

/* Which execution times are tried. That the ends of the interval suffice is the theorem of docs/concepts/exactness.md, section 4:
 * the worst case is reached with every execution at its best or its worst time. */
enum weir_statespace_times {
    WEIR_STATESPACE_ENDS,       /* best and worst: what the method does */
    WEIR_STATESPACE_EVERY_TICK, /* every whole number in between as well: a reference, for small times only */
};

/* weir_statespace_run with a choice of times. */
enum weir_status weir_statespace_search(const struct weir_classic_chart *chart, enum weir_statespace_times times,
                                        const struct weir_method_options *options, struct weir_method_result *result,
                                        struct weir_error *error);

/* ---- one execution, step by step (statespace_step.c) ---- */

struct weir_body {
    int64_t timer; /* until it may end; -1: idle */
    int64_t rest;  /* how much longer it may take after that */
};

struct weir_snapshot {
    struct weir_body *bodies; /* by node of the chart */
    uint32_t *messages;       /* by edge: those that have arrived and are not taken */
    /* Messages between the start of the source and the finish of the sink, oldest first: their ages at the last pause. */
    int64_t *ages;
    size_t age_first, age_end, age_capacity;
    int64_t elapsed; /* since that pause */
    int64_t longest; /* response time of the messages that have left; -1: none has */
};

enum weir_pause {
    WEIR_PAUSE_CHOICE, /* an operator may end, or run on: weir_snapshot_choose */
    WEIR_PAUSE_SOURCE, /* the source is about to start: weir_snapshot_release */
    WEIR_PAUSE_MEMORY,
    WEIR_PAUSE_OVERFLOW,
    WEIR_PAUSE_DEADLOCK, /* never, in a chart */
};

bool weir_snapshot_new(const struct weir_classic_chart *chart, struct weir_snapshot *snapshot);
void weir_snapshot_free(struct weir_snapshot *snapshot);
/* Goes on to the next pause. What happens on the way is determined. */
enum weir_pause weir_snapshot_run(const struct weir_classic_chart *chart, struct weir_snapshot *snapshot);
/* At WEIR_PAUSE_CHOICE: the operator ends; or runs `more` longer, 0: all its rest. */
void weir_snapshot_end(const struct weir_classic_chart *chart, struct weir_snapshot *snapshot);
void weir_snapshot_run_on(const struct weir_classic_chart *chart, struct weir_snapshot *snapshot, int64_t more);
/* At WEIR_PAUSE_SOURCE, before any time has elapsed since; false when out of memory. */
bool weir_snapshot_release(const struct weir_classic_chart *chart, struct weir_snapshot *snapshot);
/* Adds a message of that age behind the others; false when out of memory. */
bool weir_snapshot_push(struct weir_snapshot *snapshot, int64_t age);

/* ---- all snapshots that were met (statespace_store.c) ---- */

#define WEIR_NO_RECORD UINT32_MAX

struct weir_state_record {
    uint64_t key, ages; /* where they begin */
    uint32_t key_bytes, age_count;
    uint32_t next; /* that waits to be expanded */
    bool waiting;
};

struct weir_store {
    const struct weir_classic_chart *chart;
    unsigned char *keys;
    int64_t *ages;
    struct weir_state_record *records;
    uint32_t *table; /* by hash of the key: record + 1, or 0 */
    size_t key_count, key_capacity, age_count, age_capacity, record_count, record_capacity, table_size;
    uint32_t first, last; /* of the records that wait, for the first time or again; WEIR_NO_RECORD: none does */
    size_t waiting;
    unsigned char *key; /* of the snapshot at hand */
    uint64_t bytes, bytes_max, record_max;
    int64_t oldest; /* age of all that were entered */
};

enum weir_stored {
    WEIR_STORED,
    WEIR_STORED_FULL, /* a limit is reached */
    WEIR_STORED_MEMORY,
    WEIR_STORED_OVERFLOW,
};

bool weir_store_new(const struct weir_classic_chart *chart, uint64_t record_max, uint64_t bytes_max, struct weir_store *store);
void weir_store_free(struct weir_store *store);
/* Enters the snapshot, or raises the ages of one that is there; if that was news it waits to be expanded. */
enum weir_stored weir_store_put(struct weir_store *store, const struct weir_snapshot *snapshot);
/* The record that has waited longest, where one does. */
uint32_t weir_store_take(struct weir_store *store);
/* Its snapshot; false when out of memory. */
bool weir_store_load(const struct weir_store *store, uint32_t record, struct weir_snapshot *snapshot);

#endif
