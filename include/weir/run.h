/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a pipeline on real threads, and measuring it. Stable: docs/reference/abi.md. */
#ifndef WEIR_RUN_H
#define WEIR_RUN_H

#include "weir/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One thread per operator, one queue per queue of the model. An execution starts when every input has its message, every output
 * has room, and the operator's own period has come; it takes its messages and frees their slots (after its receive time, if the
 * model has one), works, and sends its results when it ends. On WEIR_PLATFORM_CORES messages are samples: produce, consume and
 * threshold count them. If the model's operators share processors, cores or workers, the threads share the CPUs of this machine as
 * its scheduler decides: see struct weir_run_thread. Queues of capacity WEIR_AUTO never make their producer wait.
 *
 * weir_run_new refuses what cannot be executed: WEIR_PLATFORM_GPU, operators with a launch, reentrant operators.
 *
 *     weir_run_new -> weir_run_bind ... -> weir_run_start -> weir_run_wait -> weir_run_result ... -> weir_run_free
 *
 * Real times are nanoseconds; moments are those of CLOCK_MONOTONIC. docs/guide/run.md shows a whole program.
 */
struct weir_run;

/* ---------------------------------------------------------------- what is executed, and how */

/* What an operator without a function does during an execution. */
enum weir_run_work {
    WEIR_RUN_SPIN,   /* computes for that much CPU time */
    WEIR_RUN_MEMORY, /* reads and writes memory for that much CPU time */
    WEIR_RUN_SLEEP,  /* sleeps for that long, like work that is done elsewhere */
    WEIR_RUN_NOTHING,
};

enum weir_run_policy {
    WEIR_RUN_OTHER,
    WEIR_RUN_FIFO,
    WEIR_RUN_DEADLINE,
};
WEIR_API const char *weir_run_policy_name(enum weir_run_policy policy); /* "other", "fifo", "deadline" */

/* How Linux schedules the thread of an operator. */
struct weir_run_thread {
    enum weir_run_policy policy;
    int priority;                      /* WEIR_RUN_FIFO, also as the fallback of WEIR_RUN_DEADLINE: 1..99; 0: 1 */
    int64_t runtime, deadline, period; /* WEIR_RUN_DEADLINE: ns, runtime <= deadline <= period */
    const uint32_t *cpus;              /* that it may run on; with WEIR_RUN_DEADLINE, Linux requires all of them */
    size_t cpu_count;                  /* 0: any */
};

struct weir_run_options {
    int64_t iterations;  /* of every operator, or rounds if there are rates; 0: until it is stopped */
    int64_t duration_ns; /* weir_run_wait stops it after this; 0: no limit */

    enum weir_run_work work;
    size_t memory_bytes;   /* WEIR_RUN_MEMORY: of each operator; 0: 4 MiB */
    enum weir_times times; /* how execution times are drawn, in ticks */
    uint64_t seed;
    /* WEIR_TIMES_GIVEN: as in weir_simulation_options, but called on the thread of each operator, for executions only; a result
     * below 0 counts as 0; NULL if there is a witness. */
    int64_t (*given)(void *context, struct weir_operator op, enum weir_part part, int64_t iteration);
    void *context;
    const struct weir_witness *witness; /* WEIR_TIMES_GIVEN: play this; it must outlive the run */
    int64_t tick_ns;                    /* the length of a unit, for models in "tick"; WEIR_INVALID if it is needed and 0 */
    struct weir_ratio scale;            /* real times are the model's times multiplied by this; denominator 0: 1 */

    bool measure;        /* start and end of every execution, latencies, occupancies: the clock is read twice for each */
    bool measure_cpu;    /* with measure: the CPU time of every execution, at two system calls each */
    size_t records;      /* with measure: executions kept per operator, in memory taken before the start; 0: none */
    bool records_newest; /* keep the last ones; otherwise the first ones */
    /* With measure: an execution counts as above its worst case, and a latency as above its limit, only if it exceeds it by more
     * than this. 0: what the measurement itself can add, determined before the start; below 0: no tolerance. */
    int64_t tolerance_ns;
    const int64_t
        *limits; /* with measure: by chain, ns, copied; latencies above it are counted; below 0: none. NULL: none at all */

    const struct weir_run_thread *threads; /* by operator, copied; NULL: all as WEIR_RUN_OTHER on any CPU */
    bool fall_back;                        /* deadline -> fifo -> other if Linux refuses; otherwise a refusal is WEIR_INVALID */
    bool lock_memory;     /* mlockall while it runs (memory locked before stays locked); the result says whether it worked */
    size_t stack_bytes;   /* of a thread; 0: the system's default, or 512 KiB if memory is locked */
    size_t message_bytes; /* functions take their messages from the run by weir_run_message; 0: they send pointers of their own */
    int64_t spin_ns; /* how long a waiting thread spins before it sleeps; 0: weir chooses, and may yield instead; -1: it does not
                        spin */
    /* By operator, copied: the process in which its thread runs. 0: this one. Each other number, up to the number of operators, is
     * a process that weir_run_start forks. NULL: all in this one. Functions must then take their messages from the run
     * (message_bytes). See docs/guide/run.md. */
    const uint32_t *processes;
};

/* The pipeline must be sealed and live longer than the run. options may be NULL: it runs until stopped, spinning, without
 * measurements. */
WEIR_API enum weir_status weir_run_new(const struct weir_pipeline *pipeline, const struct weir_run_options *options,
                                       struct weir_run **run, struct weir_error *error);
WEIR_API const struct weir_pipeline *weir_run_pipeline(const struct weir_run *run);
/* Ends the run first if necessary. NULL is fine. */
WEIR_API void weir_run_free(struct weir_run *run);

/* ---------------------------------------------------------------- functions of the user */

struct weir_run_input {
    struct weir_queue queue;
    void *const *messages; /* initial messages are NULL */
    uint32_t count;        /* the queue's threshold, of which `consume` are taken; 0: no message, at an optional or latest input */
    bool again;            /* a latest message that was read before */
};

struct weir_run_output {
    struct weir_queue queue;
    void **messages; /* to be filled in; initially NULL */
    uint32_t count;  /* the queue's produce */
};

/* Inputs and outputs are in the order of the pipeline's queues. */
struct weir_run_call {
    struct weir_operator op;
    int64_t execution; /* from 0 */
    int64_t start;     /* 0 unless measured */
    const struct weir_run_input *inputs;
    size_t input_count;
    const struct weir_run_output *outputs;
    size_t output_count;
    struct weir_run *run;
};

/* One execution, on the operator's thread. 0: continue. WEIR_RUN_LAST: its messages are sent, it was the operator's last execution,
 * and the run ends when the others have done all they can. Any other value ends the run at once and becomes `code` of the result.
 */
typedef int weir_run_function(void *context, const struct weir_run_call *call);
#define WEIR_RUN_LAST INT32_MIN

/* Before the start. An operator without a function does its work and sends the first message that it takes, if any, to all its
 * outputs; so broadcasts need no function. */
WEIR_API enum weir_status weir_run_bind(struct weir_run *run, struct weir_operator op, weir_run_function *function, void *context,
                                        struct weir_error *error);
/* By the name of the operator. */
WEIR_API enum weir_status weir_run_bind_name(struct weir_run *run, const char *name, weir_run_function *function, void *context,
                                             struct weir_error *error);
/* In a function, if the model has a late receive: frees the slots of the inputs now, not when the function returns. */
WEIR_API void weir_run_receive(const struct weir_run_call *call);
/* In a function: the first message from that operator (NULL: from the first input with one); NULL if there is none. Operators that
 * only broadcast are skipped. */
WEIR_API void *weir_run_message_from(const struct weir_run_call *call, const char *from);
/* In a function: sends the same message to every output. Returns 0, so that a function can end with it. */
WEIR_API int weir_run_send(const struct weir_run_call *call, void *message);

/*
 * Who frees a message? With `message_bytes`, the run counts references: a message in a queue holds one, and so does an execution
 * that took or made it, until it returns. When the last reference is gone, the message is used again. A function that needs a
 * message for longer calls weir_run_keep. Only NULL and messages of the run can be sent (anything else ends it with
 * WEIR_RUN_MISUSED).
 *
 * Without `message_bytes`, messages are the caller's pointers, which the run does not interpret: one that is sent to two queues is
 * passed to the `discard` of each.
 */
/* In a function: a message of `message_bytes`, aligned to 64 bytes, with its previous contents (initially 0). If queues have
 * capacities, memory for all messages is allocated before the start (up to 256 MiB in all). NULL: no more memory. */
WEIR_API void *weir_run_message(const struct weir_run_call *call);
/* Take and drop a reference, on any thread, until weir_run_free, which frees all messages. False: it is not a message of the run,
 * or has no references. */
WEIR_API bool weir_run_keep(struct weir_run *run, void *message);
WEIR_API bool weir_run_release(struct weir_run *run, void *message);
/* Before the start, without message_bytes. Called for every message that is not NULL and leaves this queue without being taken:
 * lost by a full queue, replaced by a later one, or left over at the end; for each queue that it was sent to. On the thread of
 * either end, or in weir_run_free. */
WEIR_API enum weir_status weir_run_discard(struct weir_run *run, struct weir_queue queue,
                                           void (*discard)(void *context, void *message), void *context, struct weir_error *error);

/* ---------------------------------------------------------------- running */

/* Creates the threads, sets their policies, and only then lets them run. After a failure no thread is left. Once per run. */
WEIR_API enum weir_status weir_run_start(struct weir_run *run, struct weir_error *error);
/* Waits until the run has ended, but no longer than timeout_ns; -1: no limit. *ended (may be NULL) tells whether it has ended:
 * after a stop, that is when the last function has returned. To be called by one thread. Returns the status of the run once it has
 * ended, WEIR_OK also after a stop. */
WEIR_API enum weir_status weir_run_wait(struct weir_run *run, int64_t timeout_ns, bool *ended, struct weir_error *error);
/* Executions in progress are finished, and no others begin (synthetic ones are cut short, and do not count). Safe in a signal
 * handler and on any thread. */
WEIR_API void weir_run_stop(struct weir_run *run);
/* weir_run_new, _start and _wait in one call. If it fails after the start, *run is set nevertheless, with what was measured; caller
 * frees. */
WEIR_API enum weir_status weir_run_execute(const struct weir_pipeline *pipeline, const struct weir_run_options *options,
                                           struct weir_run **run, struct weir_error *error);

/* ---------------------------------------------------------------- results */

enum weir_run_end {
    WEIR_RUN_UNFINISHED, /* not started, or running */
    WEIR_RUN_COMPLETE,   /* every operator did its iterations, or all that the others let it do */
    WEIR_RUN_STOPPED,    /* weir_run_stop, or the duration is over */
    WEIR_RUN_FAILED,     /* a function said so: op, code */
    WEIR_RUN_STANDSTILL, /* every operator waits for another: op is one of them */
    WEIR_RUN_FAULT,      /* a message found a queue full whose policy is WEIR_FULL_FAULT: queue */
    WEIR_RUN_EXHAUSTED,  /* no memory for a queue without limit: queue */
    WEIR_RUN_MISUSED,    /* a function ended its thread or was cancelled, or sent something that is not a message of the run: op */
    WEIR_RUN_DIED,       /* one of the processes ended before its operators had: op is one of them, code the signal, or 0 */
};

struct weir_run_outcome {
    enum weir_run_end end;
    struct weir_operator op;
    struct weir_queue queue;
    int code;
    int64_t began, ended;    /* moments */
    int64_t began_realtime;  /* the first of them by CLOCK_REALTIME, ns since 1970 */
    uint64_t executions;     /* of all operators */
    bool memory_locked;      /* if that was asked for */
    int memory_errno;        /* why not; 0: it is locked */
    uint64_t loops_per_ms;   /* calibration of synthetic work; 0: none was needed */
    int64_t tolerance_ns;    /* the tolerance that was applied */
    const char *description; /* of the end, in words */
};
/* After the end. */
WEIR_API struct weir_run_outcome weir_run_result(const struct weir_run *run);

/* Execution times are from start to end, in ns. min, max and total are 0 without measurements. */
struct weir_run_operator_stats {
    uint64_t executions;
    int64_t min, max, total;
    int64_t cpu_min, cpu_max, cpu_total; /* measure_cpu */
    int64_t thread_cpu;                  /* of the whole thread, with its waits */
    uint64_t over_worst;  /* executions above the worst case of the model (in CPU time where that is measured), by more than the
                             tolerance */
    uint64_t over_budget; /* ... above the runtime of WEIR_RUN_DEADLINE; measure_cpu */
    uint64_t sleeps;      /* how often it slept for a message, for room or for its period */
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t minor_faults, major_faults;
    enum weir_run_policy policy;      /* at the end */
    int policy_errno, affinity_errno; /* why not the policy or the CPUs that were asked for; 0: as asked */
};
WEIR_API struct weir_run_operator_stats weir_run_operator(const struct weir_run *run, struct weir_operator op);

/* From the start (with exact arrivals, the arrival) of `from` to the end of `to`. If all queues between them keep every message and
 * have no rates, the iterations are `shift` apart, as in weir_analyze. Otherwise, for each execution of `to`, it is the oldest
 * start of `from` whose data it carries: over queues that keep every message, by the path with the fewest initial messages, and
 * over each other connection, as in weir/age.h. */
struct weir_run_chain_stats {
    struct weir_chain_spec chain;
    bool carried; /* the second case */
    uint64_t count;
    int64_t min, max, total;
    int64_t worst_execution; /* of `to` */
    uint64_t missed;         /* executions of `to` whose start at `from` was not kept */
    uint64_t over;           /* latencies above the limit that the options give */
    /* After a run that was cut off (any end but WEIR_RUN_COMPLETE), unless `carried`: iterations that `from` had started, or that
     * had arrived, and `to` had not ended. They have no latency, only an age when the run was cut off. */
    uint64_t pending, pending_over; /* ... and those already older than the limit */
    int64_t pending_max;            /* of the oldest; 0: there is none */
};
/* Can also be called while it runs, on any thread; the numbers are then slightly old, each for itself. */
WEIR_API struct weir_run_chain_stats weir_run_chain(const struct weir_run *run, uint32_t chain);

struct weir_run_queue_stats {
    uint64_t sent, taken; /* messages or samples, initial ones included in sent */
    uint64_t lost;        /* by a full queue, or replaced before they were read */
    uint64_t peak;        /* most that were in it; measured only */
};
WEIR_API struct weir_run_queue_stats weir_run_queue(const struct weir_run *run, struct weir_queue queue);

/* ---------------------------------------------------------------- records */

struct weir_run_record {
    int64_t execution; /* from 0 */
    int64_t ready;     /* the moment from which nothing held it back; INT64_MIN: not known */
    int64_t arrival;   /* exact arrivals: of its input; otherwise as start */
    int64_t start, received, finish;
    int64_t cpu; /* time of a CPU between start and finish; -1: not measured */
    /* How long the thread was ready to run but had no CPU: between the end of the previous execution and the start, and between
     * start and finish. -1: not measured (measure_cpu), or not reported by Linux. */
    int64_t starved_before, starved;
    int64_t sleeps; /* how often the thread gave up its CPU between start and finish, to sleep or wait; -1: as above */
};

/* After the end. How many executions of the operator were kept, and record `index` of them, in order. */
WEIR_API size_t weir_run_record_count(const struct weir_run *run, struct weir_operator op);
WEIR_API struct weir_run_record weir_run_record_at(const struct weir_run *run, struct weir_operator op, size_t index);
/* The execution of the producer whose message an execution of the consumer took, the oldest of several; -1: none, or an initial
 * message; -2: not kept. */
WEIR_API int64_t weir_run_taken(const struct weir_run *run, struct weir_queue queue, int64_t execution);
/* The latency of chain `chain` that ends with that execution of its `to`; INT64_MIN: there is none, or it was not kept. */
WEIR_API int64_t weir_run_latency(const struct weir_run *run, uint32_t chain, int64_t execution);

/* The last event that an execution had to wait for. */
struct weir_run_cause {
    enum weir_wait wait; /* WEIR_WAIT_NONE: the run had only begun */
    int64_t moment;      /* when it happened: `ready` of the record; INT64_MIN: not known */
    /* The execution whose end (DATA: it sent the message; BUSY: the operator's own), receive (BACKPRESSURE: it made room) or start
     * (PERIOD: the operator's own) it was; execution -1: none. */
    struct weir_operator op;
    int64_t execution;
};
/* After the end, of an execution that was kept. */
WEIR_API struct weir_run_cause weir_run_cause_of(const struct weir_run *run, struct weir_operator op, int64_t execution);
/* Calls `observe` for all records, in order of their starts, until it returns false. */
WEIR_API enum weir_status weir_run_observe(const struct weir_run *run,
                                           bool (*observe)(void *context, struct weir_operator op,
                                                           const struct weir_run_record *record),
                                           void *context, struct weir_error *error);

/* Converts ticks of the model to nanoseconds of the run, rounded to the nearest, and back, rounded up or down. */
WEIR_API int64_t weir_run_ns(const struct weir_run *run, int64_t ticks);
WEIR_API int64_t weir_run_ticks(const struct weir_run *run, int64_t ns, bool up);

#ifdef __cplusplus
}
#endif
#endif
