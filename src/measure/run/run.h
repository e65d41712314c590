/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a run: threads (an operator and its thread) and channels (queues), in arrays that stay where they are. */
#ifndef WEIR_MEASURE_RUN_RUN_H
#define WEIR_MEASURE_RUN_RUN_H

#include "base/alloc.h"
#include "base/number.h"
#include "base/random.h"
#include "measure/run/channel.h"
#include "measure/run/pool.h"
#include "measure/run/wait.h"
#include "weir.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/* When a operator thread may start by its own clock. */
enum weir_release_kind {
    WEIR_RELEASE_NONE,
    WEIR_RELEASE_AT_MOST, /* a period after its last start */
    WEIR_RELEASE_SKIP,    /* from the next multiple of the period on */
    WEIR_RELEASE_FIXED,   /* number n at n periods */
};

struct weir_release {
    enum weir_release_kind kind;
    bool arrivals;             /* latencies count from the release */
    weir_wide period, divisor; /* ns: of period / divisor */
    int64_t phase, jitter;     /* ns */
    int64_t gathering;         /* ns that the oldest sample of an arrival has waited already */
};

/* Starts of an operator, by iteration, for the latencies that begin there. */
struct weir_stamp {
    _Atomic int64_t iteration, time;
};

/* A latency that ends at a operator thread. */
struct weir_gauge {
    uint32_t chain, from;
    bool carried;
    uint32_t origin; /* carried: which */
    int64_t shift;   /* otherwise */
    int64_t limit;   /* INT64_MAX: none */
    int64_t *kept;   /* carried: latencies by record; NULL: none */
    _Atomic uint64_t count, missed, over;
    _Atomic int64_t min, max, total, worst_execution;
};

struct weir_moments {
    int64_t execution, arrival, start, received, finish, cpu;
    int64_t starved_before, starved, sleeps; /* -1: not known */
};

/* Steps of a witness that run at their worst. */
struct weir_mark {
    int64_t iteration, apart, repeat;
    uint32_t firing;
    bool receive;
};

struct weir_times_source {
    int64_t best, worst, receive_min, receive_max; /* ticks */
    struct weir_random random;
    const struct weir_mark *marks;
    size_t mark_count;
    bool zero_best;
    uint32_t mood; /* bang-bang */
    int64_t mood_left;
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what is not shared must not be beside what is */
struct weir_operator_thread {
    struct weir_sleeper sleeper;
    struct weir_run *run;
    uint32_t index;
    uint32_t input_count, output_count;
    struct weir_channel **inputs, **outputs;
    struct weir_taking *takings; /* by input */
    struct weir_run_input *call_inputs;
    struct weir_run_output *call_outputs;
    struct weir_run_call call;
    void **sent_messages; /* of all outputs */
    size_t sent_count;
    void *fresh; /* what the execution under way has taken from the pool, linked */
    weir_run_function *function;
    void *context;
    int64_t target;      /* executions; INT64_MAX: no limit */
    int64_t repetitions; /* in a round */
    bool late;           /* receives after its start */
    struct weir_release release;
    struct weir_times_source times;
    int64_t worst_ns;
    unsigned char *memory; /* for synthetic traffic */
    size_t memory_at;

    /* Measurement. */
    struct weir_origin *origins; /* of what the execution took; by origin and segment */
    int origin;                  /* which one this operator thread is; -1: none */
    struct weir_stamp *stamps;
    uint64_t stamp_mask;
    struct weir_gauge *gauges;
    size_t gauge_count;
    struct weir_moments *records;
    int64_t *senders; /* by record and input, where an input is irregular */
    int schedstat;    /* file of Linux on this thread; -1: none */
    int64_t starved;  /* what it said last */

    /* The execution under way. */
    struct weir_moments now;
    int64_t last_start, last_due;
    bool freed;

    /* Results. */
    _Atomic int64_t executions;
    struct weir_run_operator_stats result;
    struct weir_run_thread wanted;
    uint32_t *cpus;

    uint32_t process; /* 0: this one */
    pthread_t thread;
    pid_t tid;
    bool created;
};

/* The code of WEIR_RUN_MISUSED. */
enum { WEIR_MISUSED_THREAD, WEIR_MISUSED_MESSAGE };

enum weir_gate { WEIR_GATE_CLOSED, WEIR_GATE_OPEN, WEIR_GATE_HOME };

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what is not shared must not be beside what is */
struct weir_run {
    struct weir_thread_group group;
    void *block; /* what was allocated for it */
    const struct weir_pipeline *pipeline;
    struct weir_run_options options;
    struct weir_arena arena;
    struct weir_pool pool; /* where message_bytes is given */
    struct weir_operator_thread *threads;
    struct weir_channel *channels;
    void *thread_block, *channel_block; /* what was allocated for them */
    uint32_t thread_count, channel_count;
    uint32_t chain_count;
    struct weir_gauge **gauges;     /* by chain */
    struct weir_gauge *gauge_block; /* by operator thread */
    uint32_t origin_count, segments;
    weir_wide ns_numerator, ns_denominator; /* of a tick */

    /* Several processes: processes.c. */
    bool shared;            /* memory that all of them see */
    uint32_t process_count; /* this one included */
    struct weir_process *processes;
    struct pollfd *polled;
    pthread_t watcher;
    bool watched;
    sigset_t signals;          /* that the thread which started the run had blocked */
    _Atomic uint32_t born;     /* a futex: the processes are made */
    _Atomic int process_error; /* why one of them did not get to the gate; 0: they did */

    bool bound;   /* some operator has a function, or some queue something to discard: messages are more than counts */
    bool started; /* weir_run_start was called */
    bool joined;
    bool lossy; /* some message may never arrive, so that not every operator completes its iterations */
    _Atomic uint32_t gate, arrived,
        alive; /* futexes: enum weir_gate, threads at it, threads of this process and other processes that are not over */
    _Atomic bool cut_short;  /* an operator ended before its iterations */
    _Atomic int end;         /* enum weir_run_end; the first one counts */
    _Atomic int64_t cut_off; /* the moment of it; 0: it has not come */
    struct weir_run_outcome result;
    char description[256];
    uint64_t loops_per_ms;
    int64_t tolerance;
};

/* Zeroed memory of the run that shares no line of the caches with anything else; NULL on failure. What threads write all the time
 * must be in such. */
void *weir_run_lines(struct weir_run *run, size_t count, size_t size);

/* ---- building: build.c, counts.c, gauges.c ---- */
enum weir_status weir_run_build(struct weir_run *run, struct weir_error *error);
/* The executions of every operator in one round. */
enum weir_status weir_run_count(struct weir_run *run, struct weir_error *error);
/* What measures the latencies, and what messages have to carry for it. */
enum weir_status weir_run_gauge(struct weir_run *run, struct weir_error *error);
/* What is not needed before the start: storage of channels, records. */
enum weir_status weir_run_allocate(struct weir_run *run, struct weir_error *error);

/* ---- messages of the pool: messages.c ---- */
enum weir_status weir_messages_prepare(struct weir_run *run, struct weir_error *error);
/* Before an execution sends: what is in the outputs belongs to the queues as well. False: one is no message of the run. */
bool weir_messages_count_sent(struct weir_operator_thread *s);
/* After it: what it took and what it made no longer belong to it. */
void weir_messages_let_go(struct weir_operator_thread *s);

/* ---- times and work: times.c, work.c ---- */
enum weir_status weir_times_prepare(struct weir_run *run, struct weir_error *error);
/* In ticks; -1: none was given. */
int64_t weir_times_draw(struct weir_operator_thread *s, enum weir_part part, int64_t execution);
/* Sets loops_per_ms where the work needs it. */
void weir_work_calibrate(struct weir_run *run);
/* Works for so long; returns early when the run stops. */
void weir_work_do(struct weir_operator_thread *s, int64_t ns);

/* ---- running: operator_thread.c, policy.c, run.c ---- */
void *weir_operator_thread_main(void *thread);
/* The first end counts. Wakes all threads. Safe in a signal handler. */
void weir_run_finish(struct weir_run *run, enum weir_run_end end, uint32_t op, uint32_t queue, int code);
/* Nobody can go on: says what end that is. */
void weir_run_settle(struct weir_run *run, uint32_t op);
/* After the end: the status, and the description of the result. */
enum weir_status weir_run_judge(struct weir_run *run, struct weir_error *error);
/* Sets the policies of all threads, which wait at the gate. */
enum weir_status weir_run_schedule(struct weir_run *run, struct weir_error *error);

/* 0, or why it could not be made. */
int weir_run_create(struct weir_run *run, struct weir_operator_thread *s);

/* ---- other processes: processes.c ---- */
enum weir_status weir_processes_check(struct weir_run *run, struct weir_error *error);
/* Forks them; their threads go to the gate. */
enum weir_status weir_processes_start(struct weir_run *run, struct weir_error *error);
/* Whether one did not get there. */
enum weir_status weir_processes_refused(const struct weir_run *run, struct weir_error *error);
void weir_processes_join(struct weir_run *run);
void weir_processes_free(struct weir_run *run);

/* ---- measuring: measure.c ---- */
void weir_measure_start(struct weir_operator_thread *s);
void weir_measure_finish(struct weir_operator_thread *s);
/* When its messages are sent: keeps the record of it. */
void weir_measure_keep(struct weir_operator_thread *s);
/* Finds out what measuring itself may add to a time. */
void weir_measure_calibrate(struct weir_run *run);
void weir_measure_open(struct weir_operator_thread *s);
void weir_measure_thread(struct weir_operator_thread *s);
/* What was under way when the run was cut off. */
void weir_measure_pending(const struct weir_run *run, const struct weir_gauge *g, struct weir_run_chain_stats *chain);

/* The release of execution n: nominal, without jitter. */
static inline int64_t weir_release_of(const struct weir_operator_thread *s, int64_t execution)
{
    assert(s->release.divisor > 0);
    return s->run->result.began + s->release.phase + (int64_t)(s->release.period * execution / s->release.divisor);
}

#endif
