/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that do not wait: queues that lose messages, optional inputs, latest messages; and periodic
 * conditions that skip missed ticks.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_ASYNC_H
#define WEIR_ASYNC_H

#include <stdio.h>

#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The rules, on WEIR_PLATFORM_THREADS with a worker for each operator. docs/concepts/async.md has the theorems.
 *
 * A message is in its queue from the finish of the execution that sent it (with a transfer: that much later) until it is taken or
 * lost. The queue has `initial` messages at time 0. Simultaneous events may happen in any order: a message
 * sent at the very moment of a start may be seen by it or not, and may find the slot taken or just freed.
 *
 * waiting consumer (neither optional nor latest): starts when there is a message, and takes the oldest at its start.
 * optional consumer: starts whether there is a message or not; if one is there at its start it takes the oldest.
 * blocking producer: starts when there is room. A slot is claimed by a start of the producer, and free again when the execution
 *     that took the message receives (at its start, or `receive` after it). There are `capacity` slots.
 * nonblocking producer: never waits for room. A slot is free again from the start that takes the message on, whenever that
 *     execution receives: new messages have a stage of their own, as in GXF. A message that is sent while `capacity` messages are
 * in the queue finds it full, and WEIR_FULL_NEVER: is kept all the same; WEIR_FULL_POP: is kept, and the oldest message in the
 * queue is lost; WEIR_FULL_REJECT: is lost; WEIR_FULL_FAULT: the application ends. What came before it is as if the queue held
 * everything. latest: the connection keeps the message that was sent last. No one waits. An execution of the consumer reads it when
 * it receives (at its start, or `receive` after it), as often as it executes, and does not take it away; before the first there is
 * nothing to read.
 *
 * A lossy queue with a waiting consumer: execution n of the consumer takes the n-th message that is not lost. An execution that
 * finds nothing at an optional or latest input is an execution like any other, and what it sends carries nothing from there. A
 * message that is lost has no latency.
 *
 * WEIR_ARRIVALS_SKIP: start 0 is not held back by the period; start n + 1 is not before the first multiple of the period that is
 * greater than the time of start n. Latencies count from the start.
 *
 * The latency of a chain goes from the start (WEIR_ARRIVALS_EXACT: the arrival) of an execution of `from` to the finish of each
 * execution of `to` that handles what came of it. Over queues that wait and do not lose, which that is, is as for weir_analyze: the
 * fewest initial messages. A message that is taken over one of the other connections in an execution is handled by it. What the
 * consumer of a latest connection reads again is handled again: the latency is then the age of the data. Where several paths of
 * connections lead from `from` to `to` that differ in connections that do not wait, each has its own latency, and the worst counts.
 * What comes back to `from` itself is not counted again.
 */

enum weir_async_outcome {
    WEIR_ASYNC_EXACT,   /* worst and best are reached, and never exceeded: none of the rules above matters for the latency */
    WEIR_ASYNC_SAFE,    /* ... never exceeded; they may or may not be reached */
    WEIR_ASYNC_UNKNOWN, /* no bound is known; `why` has the reason */
};

/* Between these two events lies a segment. */
enum weir_async_segment_kind {
    WEIR_SEGMENT_PATH,  /* from the start of `from` to the finish of `to`: queues that wait */
    WEIR_SEGMENT_NEWER, /* ... to the finish of `to` `newer` executions after the one that sends the message: by then, what was not
                         * read is replaced. The message has been read, at the latest at its end */
    WEIR_SEGMENT_QUEUE, /* the message waits in the queue, `newer` executions of `to` at most */
    WEIR_SEGMENT_ROOM,  /* from the start of `from` to the moment the message is taken out of a queue whose producer waits for room,
                         * by a consumer that does not wait for messages */
    WEIR_SEGMENT_BEGINNING, /* as WEIR_SEGMENT_QUEUE, where the first executions of `to` come late: from time 0 to its execution
                               `newer` */
};

/* Segments follow one another; their times add up to `worst`. */
struct weir_async_segment {
    enum weir_async_segment_kind kind;
    struct weir_operator from, to;
    bool has_queue;          /* a segment that ends where a connection that does not wait is passed */
    struct weir_queue queue; /* ... this one */
    int64_t newer;
    int64_t worst;
    int64_t best; /* its share of the least latency of this path */
};

struct weir_async_latency {
    struct weir_chain_spec chain;
    enum weir_async_outcome outcome;
    int64_t worst;
    bool has_best;                             /* false: nothing is known */
    int64_t best;                              /* no latency is smaller */
    const struct weir_async_segment *segments; /* of the worst path; NULL where unknown */
    size_t segment_count;
    const char *why; /* NULL unless unknown */
};

enum weir_async_chance {
    WEIR_CHANCE_NO,    /* never: proved */
    WEIR_CHANCE_MAYBE, /* not excluded */
    WEIR_CHANCE_YES,   /* some execution does it */
};

/* What can happen to the messages of a connection that does not wait, or can lose messages. */
struct weir_async_queue {
    struct weir_queue queue;
    /* A message of `from` is never read: lost in a full queue (or with the application), or replaced before it is read. */
    enum weir_async_chance loses;
    enum weir_async_chance faults; /* WEIR_FULL_FAULT: the application can fail here; otherwise WEIR_CHANCE_NO */
    int64_t iteration;             /* WEIR_CHANCE_YES: the execution of `from` whose message can find it full; -1: not known */
    enum weir_async_chance stale;  /* what is read can be older than `within` of the queue; WEIR_CHANCE_NO where that has none */
    int64_t age;                   /* if it has one: nothing older is read; -1: not known */
    /* What is read: before the first message has come, a start of `to` can find none. WEIR_CHANCE_NO without `missing`. */
    enum weir_async_chance missing;
    bool plain; /* it never gets full, so it is the same as without a limit: what it joins is exact */
};

struct weir_async_options {
    bool verify;         /* check the certificate of each segment, and add them up again; a failure is WEIR_INTERNAL */
    uint64_t work_limit; /* of each separation, as in weir_query */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};

struct weir_async_analysis {
    const struct weir_pipeline *pipeline;
    const struct weir_async_latency *latencies; /* one per chain of the pipeline */
    size_t latency_count;
    const struct weir_async_queue *queues; /* those that are latest, optional, or have a `full` */
    size_t queue_count;
    bool certified; /* `verify`, and every separation behind the answer had a certificate that holds */
};

/* For a sealed pipeline on WEIR_PLATFORM_THREADS with enough workers; one without such connections is answered too, exactly.
 * options may be NULL. */
WEIR_API enum weir_status weir_async_analyze(const struct weir_pipeline *pipeline, const struct weir_async_options *options,
                                             struct weir_async_analysis **analysis, struct weir_error *error);
WEIR_API void weir_async_analysis_free(struct weir_async_analysis *analysis); /* NULL is fine */
/* A segment in a few words, without its time: "camera -> filter, and the next 1 after it". Returns text. */
#define WEIR_SEGMENT_TEXT 512
WEIR_API const char *weir_async_segment_text(const struct weir_pipeline *pipeline, const struct weir_async_segment *segment,
                                             char text[WEIR_SEGMENT_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
