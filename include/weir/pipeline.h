/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines: their parts; building, sealing, changing and inspecting them. Stable: docs/reference/abi.md. */
#ifndef WEIR_PIPELINE_H
#define WEIR_PIPELINE_H

#include "weir/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_pipeline;

struct weir_operator {
    uint32_t index;
};
struct weir_queue {
    uint32_t index;
};
struct weir_processor {
    uint32_t index;
};

enum weir_unit { WEIR_UNIT_TICK, WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S };

/* A position in a file; 0: none. */
struct weir_place {
    uint32_t line, column;
};

#define WEIR_UNBOUNDED UINT32_MAX  /* a capacity without limit: the producer never waits */
#define WEIR_AUTO (UINT32_MAX - 1) /* a capacity for the analysis to choose; shared processors only */

/* Where the operators run, which decides the engine that answers. */
enum weir_platform {
    WEIR_PLATFORM_THREADS,    /* each operator has its own thread: weir_analyze */
    WEIR_PLATFORM_PROCESSORS, /* operators share processors: weir_priority_analyze */
    WEIR_PLATFORM_CORES,      /* a pool of cores under global EDF; queues may have rates: weir_edf_analyze */
    WEIR_PLATFORM_GPU,        /* operators are kernels, queues dependencies: weir_gpu_analyze */
};

/* How a processor is shared. docs/concepts/shared-processors.md defines each of them. */
enum weir_sharing {
    WEIR_PREEMPTIVE,    /* fixed priorities; a more urgent operator interrupts */
    WEIR_NONPREEMPTIVE, /* fixed priorities; what has begun is finished first */
    WEIR_TDM,           /* every frame, each operator has its own slot, used or not */
    WEIR_ROUND_ROBIN,   /* operators that are ready take turns of at most their slot */
};

struct weir_processor_spec {
    const char *name; /* copied; unique among processors, not empty */
    enum weir_sharing sharing;
    int64_t frame; /* WEIR_TDM: > 0 */
    struct weir_place place;
};

/* A measured time: on this many SMs a kernel takes at most this long. */
struct weir_gpu_time {
    uint32_t sms; /* >= 1 */
    int64_t time; /* > 0 */
};

/* Where the times of an operator were observed. Kept with the model and shown; no answer depends on it. */
struct weir_observed {
    uint64_t count;   /* executions observed; 0: not known */
    int64_t min, max; /* in ticks, 0 <= min <= max; min -1: not known */
    uint64_t tail;    /* the worst case is an estimate of what one execution in so many takes; 0: it is not such an estimate */
    const char *from; /* the file with the times; not empty */
};
/* With fewer executions than this, the longest time observed says little about the longest possible. */
#define WEIR_OBSERVED_FEW 100

/*
 * An execution ends on the CPU, after the time of the operator, by launching work into a stream. That work begins when it is
 * launched, when the work launched into the stream before it is over, and when the work on the GPU that is pending behind the
 * messages taken by the execution is over. An operator that does not wait sends its messages, and may start again, once it has
 * launched; one that waits does so when the work is over and `after` has passed. Either way a latency ends only when the work has
 * ended. Work in different streams does not slow each other down. An operator without a launch passes on the work that is pending
 * behind its messages, and does not wait for it.
 */
struct weir_launch {
    int64_t best, worst;             /* of the work, 0 <= best <= worst */
    bool waits;                      /* for the work to be over (a synchronous operator) */
    int64_t after_best, after_worst; /* what it does then; 0 <= after_best <= after_worst, 0 unless it waits */
    const char *stream;              /* copied; NULL: one of its own. Operators that share one must launch in an order that no
                                      * execution time can change */
};

/* How a kernel disturbs those beside it: by using the bandwidth of the memory and of the L2 cache. */
enum weir_disturbance {
    WEIR_DISTURBS_COPY, /* it reads and writes; also the choice if nothing is known */
    WEIR_DISTURBS_READ, /* it reads */
    WEIR_DISTURBS_NONE, /* it computes, or stays within the L2 cache */
};
#define WEIR_SUFFERS_MAX 100000 /* percent */

struct weir_operator_spec {
    const char *name;    /* copied; unique in the pipeline, not empty */
    int64_t best, worst; /* execution time, 0 <= best <= worst */
    /* Input slots are freed this long after the start (receive() is called late). 0 <= receive_min <=
     * receive_max <= worst. Both 0: freed at the start. */
    int64_t receive_min, receive_max;
    /* May begin an iteration while earlier ones are still running. Iterations begin in order; where they end out of order, a
     * message (and, with a late receive(), a free slot) waits for those before it. */
    bool reentrant;
    bool broadcast; /* inserted for a fanned-out port, not written by the user */
    /* A broadcast that may not exist: it is not known whether its receivers share one port or have several. It has one input, which
     * begins empty. Answers hold however the receivers are divided. */
    bool assumed;
    bool has_start_within; /* start_within is given, even if it is 0 */
    struct weir_place place;
    /* On WEIR_PLATFORM_PROCESSORS. An unmapped operator has a processor of its own. */
    bool mapped;
    struct weir_processor on;
    bool has_priority;
    int32_t priority; /* larger is more urgent; equal ones may run in any order */
    int64_t slot;     /* WEIR_TDM, WEIR_ROUND_ROBIN: > 0; otherwise 0 */
    /* On WEIR_PLATFORM_CORES: an execution that takes c samples costs at most cost_init + c * cost_sample; best and worst are then
     * computed when the pipeline is sealed (best is 0). c is the most that it consumes of one queue; a source's own samples. */
    bool has_cost;
    int64_t cost_init, cost_sample;
    /* On WEIR_PLATFORM_GPU: `worst` is the load, the time on one SM (best is 0). On m SMs: load / m, or with a granularity the
     * time of the blocks on the fullest SM; not below the least time. With a table instead, the kernel runs on one of its numbers
     * of SMs, and `worst` is computed when the pipeline is sealed. */
    bool splittable;                   /* it can be launched in parts; not with a table */
    int64_t granularity;               /* >= 0; 0: the load can be divided at will */
    int64_t min_time;                  /* >= 0; 0: the platform's */
    const struct weir_gpu_time *times; /* copied; ascending SMs; NULL: none */
    size_t time_count;
    /* ...: how it disturbs kernels beside it, and by how many percent it takes longer while one of those reads or copies. */
    enum weir_disturbance disturbs;
    uint32_t suffers_read;
    uint32_t suffers_copy;                /* if less than suffers_read, that counts */
    const struct weir_observed *observed; /* where the times were observed; copied; NULL: not known */
    const struct weir_launch *launch;     /* on WEIR_PLATFORM_THREADS: work on a GPU; copied; NULL: none */
    /* On WEIR_PLATFORM_THREADS: operators with the same lane share one thread; copied; NULL: none. */
    const char *lane;
    /* ...: it should start no later than this after its tick and its messages have come. 0 counts only with has_start_within. */
    int64_t start_within;
};

/* What happens to a message that finds a nonblocking queue full. */
enum weir_full {
    WEIR_FULL_NEVER,  /* the queue can hold any number, whatever its capacity */
    WEIR_FULL_POP,    /* the oldest message in it is lost */
    WEIR_FULL_REJECT, /* the new message is lost */
    WEIR_FULL_FAULT,  /* the application fails */
};

/* What an execution does if there is no latest message to read, or it is older than allowed. */
enum weir_missing {
    WEIR_MISSING_REUSE, /* executes nevertheless */
    WEIR_MISSING_SKIP,  /* takes its other messages and is over at once: it sends nothing */
    WEIR_MISSING_FAIL,  /* the application fails */
};

struct weir_queue_spec {
    struct weir_operator from, to;
    uint32_t capacity; /* >= 1, or WEIR_UNBOUNDED, or WEIR_AUTO */
    uint32_t initial;  /* messages in it at the beginning, <= capacity */
    bool nonblocking;  /* the producer never waits for room (no downstream condition) */
    struct weir_place place;
    /* On WEIR_PLATFORM_CORES, messages being samples: an execution of `from` appends `produce`; one of `to` begins when `threshold`
     * have come, and removes `consume`. 0 stands for 1, 1 and `consume`. consume <= threshold. On WEIR_PLATFORM_THREADS: `consume`
     * alone; an execution of `to` takes that many messages at once. */
    uint32_t produce, consume, threshold;
    /* On WEIR_PLATFORM_THREADS; docs/concepts/async.md has the rules. */
    enum weir_full full;
    bool optional; /* the consumer never waits for a message: an execution takes one if there is one (no input condition) */
    bool latest;   /* only the latest message is kept: no one waits, and it is read again until there is a newer one */
    int64_t transfer_min, transfer_max; /* a message takes this long from one to the other (fragments); 0 <= min <= max */
    /* latest: the age of the message that is read, from the start of `from`, should be at most this. 0 counts only with has_within.
     */
    int64_t within;
    bool has_within;
    enum weir_missing missing; /* latest: what a start of `to` does if there is no message, or only an older one */
    /* An input port of `to` that several operators send to, copied; NULL: it has one of its own. Queues with the same `to` and port
     * are one queue, in the order in which messages arrive, with the same capacity, `full` and `consume`. Producers that wait for
     * room may both see the last free slot, so the queue can still be full: WEIR_FULL_NEVER then means WEIR_FULL_FAULT. */
    const char *port;
};

enum weir_arrivals {
    WEIR_ARRIVALS_AT_MOST,  /* starts are at least a period apart (a periodic condition, MinTimeBetweenTicks) */
    WEIR_ARRIVALS_EXACT,    /* input arrives exactly every period and waits; latency counts from arrival */
    WEIR_ARRIVALS_CATCH_UP, /* start n is not before n periods; missed starts are made up for (CatchUpMissedTicks) */
    WEIR_ARRIVALS_SKIP,     /* at most one start from each multiple of the period to the next (NoCatchUpMissedTicks) */
};

struct weir_source_spec {
    struct weir_operator op;
    int64_t period; /* > 0 */
    enum weir_arrivals arrivals;
    struct weir_place place;
    /* On WEIR_PLATFORM_PROCESSORS, where input arrives exactly every period and waits. Sources with the same name are one source
     * that feeds several operators; all their values must be equal. */
    const char *name; /* copied; NULL: none */
    int64_t jitter;   /* >= 0: input n arrives between n * period and n * period + jitter, in order; may exceed the period */
    bool sporadic;    /* the period is only the least time between nominal arrivals */
    /* When the first input arrives, or the first start is possible; periods count from there. On WEIR_PLATFORM_THREADS a time in
     * [phase, phase_max]; without one, see docs/concepts/phases.md. Elsewhere only simulations use it: bounds hold for every phase.
     */
    bool has_phase;
    int64_t phase, phase_max; /* 0 <= phase <= phase_max; phase_max 0 stands for phase */
    /* On WEIR_PLATFORM_CORES. */
    int64_t count;  /* samples arrive evenly, this many in each period; 0: 1 */
    bool bursty;    /* ... not evenly, but such that no window of a period has more than `count` */
    uint32_t batch; /* an execution handles this many samples; 0: 1 */
};

/* A latency to report: from the start (or arrival) of `from` to the finish of `to`. On shared processors, from the nominal arrival
 * of its input if a source feeds `from`, and otherwise from the moment at which it is enabled. */
struct weir_chain_spec {
    struct weir_operator from, to;
    bool has_deadline;
    int64_t deadline; /* >= 0 */
    /* How many iterations later `to` handles what `from` began. Normally left to weir: the fewest initial
     * messages on a path of queues from `from` to `to`, so that the latency is that of a message. */
    bool has_shift;
    int64_t shift;
    struct weir_place place;
};

/* On WEIR_PLATFORM_THREADS: operators that share worker threads, as under the schedulers of Holoscan. */
enum weir_dispatch {
    WEIR_DISPATCH_EVENTS, /* a worker is woken when an operator becomes ready: Holoscan's event-based scheduler */
    WEIR_DISPATCH_POLLED, /* workers look for ready operators every `polling`: the multi-thread scheduler */
    WEIR_DISPATCH_GREEDY, /* one thread goes through the operators in their order, again and again, and executes those that are
                           * ready: the greedy scheduler */
};

struct weir_workers_spec {
    enum weir_dispatch dispatch;
    uint32_t workers; /* 0: at least as many as operators; 1 under WEIR_DISPATCH_GREEDY */
    int64_t polling;  /* WEIR_DISPATCH_POLLED: a ready operator is seen at most this late; otherwise 0 */
    struct weir_place place;
};
WEIR_API const char *weir_dispatch_name(enum weir_dispatch dispatch); /* "event-based", "multi-thread", "greedy" */

/* WEIR_PLATFORM_GPU. */
struct weir_gpu_spec {
    uint32_t sms;            /* >= 1 */
    int64_t min_time;        /* no launch of a kernel without a table is shorter, however many SMs it has; >= 0 */
    int64_t launch_overhead; /* a launch begins at most this long after all that it waits for has ended; >= 0 */
    uint32_t max_concurrent; /* launches that may be in progress at once; 0: any number */
    uint32_t sm_step;        /* a launch has a multiple of this many SMs, as a green context does; 0 or 1: any number */
    int64_t deadline;        /* for the whole graph; 0: none */
    struct weir_place place;
};

WEIR_API struct weir_pipeline *weir_pipeline_new(struct weir_error *error);
WEIR_API void weir_pipeline_free(struct weir_pipeline *pipeline); /* NULL is fine */

/* Each of these fails on a sealed pipeline. If it fails, the pipeline is unchanged. */
WEIR_API enum weir_status weir_pipeline_set_name(struct weir_pipeline *pipeline, const char *name, struct weir_error *error);
/* One unit is 10^digits ticks, digits <= 18. The default is WEIR_UNIT_TICK with 0 digits. */
WEIR_API enum weir_status weir_pipeline_set_unit(struct weir_pipeline *pipeline, enum weir_unit unit, unsigned digits,
                                                 struct weir_error *error);
/* WEIR_PLATFORM_THREADS is the default. */
WEIR_API enum weir_status weir_pipeline_set_platform(struct weir_pipeline *pipeline, enum weir_platform platform,
                                                     struct weir_error *error);
/* On WEIR_PLATFORM_CORES: the number of cores, >= 1. */
WEIR_API enum weir_status weir_pipeline_set_cores(struct weir_pipeline *pipeline, uint32_t cores, struct weir_error *error);
/* An analysis gives up on latencies beyond this. > 0; 0: no limit. */
WEIR_API enum weir_status weir_pipeline_set_latency_limit(struct weir_pipeline *pipeline, int64_t limit, struct weir_error *error);
/* A deadline for every latency (on a GPU, for the whole graph), replacing those that are given; >= 0. */
WEIR_API enum weir_status weir_pipeline_set_deadline(struct weir_pipeline *pipeline, int64_t deadline, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_processor(struct weir_pipeline *pipeline, const struct weir_processor_spec *spec,
                                                      struct weir_processor *processor, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_operator(struct weir_pipeline *pipeline, const struct weir_operator_spec *spec,
                                                     struct weir_operator *op, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_queue(struct weir_pipeline *pipeline, const struct weir_queue_spec *spec,
                                                  struct weir_queue *queue, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_source(struct weir_pipeline *pipeline, const struct weir_source_spec *spec,
                                                   struct weir_error *error);
/* Before sealing. Default: WEIR_DISPATCH_EVENTS, as many workers as operators. A number of workers, or WEIR_DISPATCH_GREEDY,
 * excludes reentrant operators, for which no number of workers is enough. */
WEIR_API enum weir_status weir_pipeline_set_workers(struct weir_pipeline *pipeline, const struct weir_workers_spec *workers,
                                                    struct weir_error *error);
/* On WEIR_PLATFORM_GPU, before sealing. */
WEIR_API enum weir_status weir_pipeline_set_gpu(struct weir_pipeline *pipeline, const struct weir_gpu_spec *gpu,
                                                struct weir_error *error);
/* If no chain is added, sealing adds a chain from every source to every leaf that it reaches. A chain that is added twice is one
 * chain with the tighter deadline. */
WEIR_API enum weir_status weir_pipeline_add_chain(struct weir_pipeline *pipeline, const struct weir_chain_spec *spec,
                                                  struct weir_error *error);
/* Checks the pipeline as a whole and freezes it. All errors are appended to `errors` (may be NULL); WEIR_INVALID if there are any.
 * `file` is the name of the model in messages (may be NULL). */
WEIR_API enum weir_status weir_pipeline_seal(struct weir_pipeline *pipeline, const char *file, struct weir_errors *errors);

/* An unsealed copy, to be changed and sealed again. Chains that sealing added are left out. */
WEIR_API struct weir_pipeline *weir_pipeline_copy(const struct weir_pipeline *pipeline, struct weir_error *error);
/* Replace the spec at that index of an unsealed pipeline. Names and the ends of queues cannot be changed. */
WEIR_API enum weir_status weir_pipeline_change_operator(struct weir_pipeline *pipeline, struct weir_operator op,
                                                        const struct weir_operator_spec *spec, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_change_queue(struct weir_pipeline *pipeline, struct weir_queue queue,
                                                     const struct weir_queue_spec *spec, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_change_source(struct weir_pipeline *pipeline, uint32_t index,
                                                      const struct weir_source_spec *spec, struct weir_error *error);

/* Inspecting a pipeline. Indices count from 0; beyond the last, the result is a zeroed spec. Names live as long as the pipeline. */
WEIR_API enum weir_platform weir_pipeline_platform(const struct weir_pipeline *pipeline);
WEIR_API uint32_t weir_pipeline_cores(const struct weir_pipeline *pipeline);        /* 0 on other platforms */
WEIR_API int64_t weir_pipeline_latency_limit(const struct weir_pipeline *pipeline); /* 0: none */
WEIR_API uint32_t weir_pipeline_processor_count(const struct weir_pipeline *pipeline);
WEIR_API struct weir_processor_spec weir_pipeline_processor(const struct weir_pipeline *pipeline, struct weir_processor processor);
WEIR_API const char *weir_pipeline_name(const struct weir_pipeline *pipeline);
WEIR_API enum weir_unit weir_pipeline_unit(const struct weir_pipeline *pipeline);
WEIR_API const char *weir_unit_name(enum weir_unit unit); /* "tick", "ns", "us", "ms", "s" */
WEIR_API unsigned weir_pipeline_digits(const struct weir_pipeline *pipeline);
WEIR_API bool weir_pipeline_sealed(const struct weir_pipeline *pipeline);
WEIR_API uint32_t weir_pipeline_operator_count(const struct weir_pipeline *pipeline);
WEIR_API uint32_t weir_pipeline_queue_count(const struct weir_pipeline *pipeline);
WEIR_API uint32_t weir_pipeline_source_count(const struct weir_pipeline *pipeline); /* operators with a period */
WEIR_API uint32_t weir_pipeline_chain_count(const struct weir_pipeline *pipeline);
WEIR_API struct weir_operator_spec weir_pipeline_operator(const struct weir_pipeline *pipeline, struct weir_operator op);
WEIR_API struct weir_queue_spec weir_pipeline_queue(const struct weir_pipeline *pipeline, struct weir_queue queue);
WEIR_API struct weir_source_spec weir_pipeline_source(const struct weir_pipeline *pipeline, uint32_t index);
WEIR_API struct weir_chain_spec weir_pipeline_chain(const struct weir_pipeline *pipeline, uint32_t index);
/* Executions of the operator in one iteration of the (sealed) pipeline: 1 unless a queue has several messages taken at once. */
WEIR_API uint32_t weir_pipeline_firings(const struct weir_pipeline *pipeline, struct weir_operator op);
WEIR_API struct weir_workers_spec weir_pipeline_workers(const struct weir_pipeline *pipeline);
/* Whether every operator always finds a free worker: only then does weir_analyze answer, exactly. */
WEIR_API bool weir_pipeline_has_enough_workers(const struct weir_pipeline *pipeline);
WEIR_API struct weir_gpu_spec weir_pipeline_gpu(const struct weir_pipeline *pipeline); /* 0 SMs on other platforms */
/* Whether every consumer waits for its messages and gets them all, and no source skips ticks. weir_analyze answers only
 * such pipelines, exactly; for the others see docs/concepts/async.md. */
WEIR_API bool weir_pipeline_is_plain(const struct weir_pipeline *pipeline);
/* False if there is no operator of that name. */
WEIR_API bool weir_pipeline_find(const struct weir_pipeline *pipeline, const char *name, struct weir_operator *op);

#define WEIR_TIME_TEXT 48 /* bytes that hold any formatted time */
/* Ticks as an exact decimal number of the pipeline's unit, without the unit's name: "33.3", "-4", "1200". */
WEIR_API const char *weir_time_format(const struct weir_pipeline *pipeline, int64_t ticks, char text[WEIR_TIME_TEXT]);
/* The inverse: "5", "4.25", "33.3ms" (converted to the pipeline's unit). Fails if the value is not a whole number of ticks. */
WEIR_API enum weir_status weir_time_parse(const struct weir_pipeline *pipeline, const char *text, int64_t *ticks,
                                          struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
