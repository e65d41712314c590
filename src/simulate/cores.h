/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a simulation on a pool of cores, shared by the files that set it up and let time pass. Times are whole numbers of
 * 1 / scale of a tick.
 */
#ifndef WEIR_SIMULATE_CORES_H
#define WEIR_SIMULATE_CORES_H

#include "model/links.h"
#include "simulate/times.h"
#include "weir.h"

/* When the batches of a source arrive. */
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

/* The arrival of the next batch; WEIR_TIME_MAX: beyond all time; -1: out of memory. */
int64_t weir_core_arrivals_draw(struct weir_core_arrivals *arrivals);

/* An execution that has its samples and has not ended. */
struct weir_core_job {
    int64_t ready, release;
};

struct weir_core_task {
    int64_t period;
    int64_t wanted; /* executions until the end */
    int64_t ended;
    int64_t released;           /* the release of the last that is ready; meaningless before the first */
    int64_t left;               /* of the first job, once it is eligible */
    int64_t deadline;           /* ... */
    uint64_t tie;               /* of equal deadlines the smaller goes first */
    bool begun;                 /* some execution was ready */
    struct weir_core_job *jobs; /* a ring of `room`, a power of two; the first is jobs[head] */
    size_t room, head, count;
};

struct weir_core_queue {
    uint32_t from, to;
    int64_t produce, consume, threshold;
    int64_t held;  /* samples: appended when an execution of `from` ends, removed when one of `to` does */
    int64_t spare; /* ... less what ready executions of `to` will consume */
    int64_t peak;
};

/* An arrival at a source (who >= task_count) or a release that is waited for. */
struct weir_core_timer {
    int64_t time;
    uint32_t who;
};

struct weir_cores {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_edf_simulation_options *options;
    uint32_t cores, task_count, queue_count, source_count;
    int64_t scale;
    struct weir_core_task *tasks;
    struct weir_core_queue *queues;
    struct weir_core_arrivals *arrivals; /* by source */
    struct weir_links in, out;           /* queues, by task */
    struct weir_dice *dice;
    struct weir_random random;
    bool fickle; /* equal deadlines: drawn for each execution; otherwise operators have an order */

    uint32_t *active; /* tasks with an eligible job, the most urgent first: the first `cores` of them run */
    uint32_t active_count;
    uint32_t *ended;                /* tasks whose job ends now */
    struct weir_core_timer *timers; /* a heap */
    size_t timer_count;
    uint32_t unfinished; /* tasks that have not ended as many executions as wanted */
    int64_t now;
    uint32_t steps;
    enum weir_status status; /* WEIR_INVALID: interrupted */
};

/* cores_build.c: everything but options and cores is set, from what the pipeline says. */
enum weir_status weir_cores_build(struct weir_cores *cores, struct weir_error *error);
void weir_cores_clear(struct weir_cores *cores);

#endif
