/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir: how late can a streaming pipeline be?
 *
 * The one header to include; what belongs to one engine stands in a header of its own, included at the end. The shape of every
 * use:
 *
 *     build or read a pipeline -> seal it -> ask it -> free everything
 *
 * Time is an int64_t count of ticks. A pipeline says what a tick is: 10^digits ticks make one of its
 * units (ns, us, ms, s, or the dimensionless "tick"). weir_time_format() prints ticks as that unit.
 *
 * Functions return a status; the details are in the last parameter, which may be NULL. The library
 * never prints, exits or aborts because of its input. A sealed pipeline is immutable: any number of
 * threads may use it at once, each with its own solver. Nothing else is safe to share.
 */
#ifndef WEIR_H
#define WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

/* The version of the library that is linked, "MAJOR.MINOR.PATCH". */
WEIR_API const char *weir_version(void);

/* ---------------------------------------------------------------- errors */

enum weir_status {
    WEIR_OK = 0,
    WEIR_INVALID,  /* the input or the argument is wrong; the message says how */
    WEIR_MEMORY,   /* an allocation failed; nothing changed */
    WEIR_OVERFLOW, /* a time or a count does not fit; never a wrong answer instead */
    WEIR_IO,       /* a file could not be read or written */
    WEIR_INTERNAL, /* a self-check of the library failed: a bug in weir */
};

/* Line and column count from 1; 0 means "not from a file". */
struct weir_error {
    enum weir_status status;
    uint32_t line, column;
    char file[256];
    char message[512];
};

/* Every mistake of one file, in the order of the file. Caller owns it. */
struct weir_errors;
WEIR_API struct weir_errors *weir_errors_new(void); /* NULL when out of memory */
WEIR_API void weir_errors_free(struct weir_errors *errors);
WEIR_API size_t weir_errors_count(const struct weir_errors *errors);
WEIR_API const struct weir_error *weir_errors_at(const struct weir_errors *errors, size_t index);

/* All memory of the library comes from here. resize(context, NULL, n) allocates, resize(context, p, 0)
 * frees and returns NULL. Set it before anything else, once; NULL restores the C library's. */
struct weir_allocator {
    void *(*resize)(void *context, void *old, size_t bytes);
    void *context;
};
WEIR_API void weir_set_allocator(const struct weir_allocator *allocator);

/* ---------------------------------------------------------------- the model */

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

/* Where in a file something was said; 0 when it was not. */
struct weir_place {
    uint32_t line, column;
};

#define WEIR_UNBOUNDED UINT32_MAX  /* a capacity without limit: the producer never waits */
#define WEIR_AUTO (UINT32_MAX - 1) /* a capacity for the analysis to choose; shared processors only */

/* Where the operators run; it decides which engine answers. */
enum weir_platform {
    WEIR_PLATFORM_THREADS,    /* each operator has its own: weir_analyze */
    WEIR_PLATFORM_PROCESSORS, /* operators share processors: weir_priority_analyze */
    WEIR_PLATFORM_CORES,      /* a pool of cores under global EDF; queues may have rates: weir_edf_analyze */
    WEIR_PLATFORM_GPU,        /* operators are kernels, queues dependencies: weir_gpu_analyze */
};

/* How a processor is shared. docs/concepts/shared-processors.md says precisely what each of them does. */
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

/* Measured: on so many SMs a kernel takes at most so long. */
struct weir_gpu_time {
    uint32_t sms; /* >= 1 */
    int64_t time; /* > 0 */
};

struct weir_observed;
struct weir_launch;

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
    struct weir_place place;
    /* On WEIR_PLATFORM_PROCESSORS. An operator that is not mapped has a processor of its own. */
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
     * time of so many blocks of it as the fullest SM gets; not below the least time. A table in its place: the kernel runs on one
     * of the numbers of SMs in it, and `worst` is computed when the pipeline is sealed. */
    bool splittable;                   /* it can be launched in parts; not with a table */
    int64_t granularity;               /* >= 0: 0 where the load can be divided at will */
    int64_t min_time;                  /* >= 0: 0 where it is the platform's */
    const struct weir_gpu_time *times; /* copied; ascending SMs; NULL: none */
    size_t time_count;
    const struct weir_observed *observed; /* what the times were made of, weir/holoscan.h; copied; NULL: not said */
    const struct weir_launch *launch;     /* on WEIR_PLATFORM_THREADS: work on a GPU, weir/holoscan.h; copied; NULL: none */
};

/* What happens to a message that finds a nonblocking queue full. */
enum weir_full {
    WEIR_FULL_NEVER,  /* the queue holds them all, whatever its capacity */
    WEIR_FULL_POP,    /* the oldest message in it is lost */
    WEIR_FULL_REJECT, /* the new message is lost */
    WEIR_FULL_FAULT,  /* the application fails */
};

struct weir_queue_spec {
    struct weir_operator from, to;
    uint32_t capacity; /* >= 1, or WEIR_UNBOUNDED, or WEIR_AUTO */
    uint32_t initial;  /* messages in it at the beginning, <= capacity */
    bool nonblocking;  /* the producer never waits for room (no downstream condition) */
    struct weir_place place;
    /* On WEIR_PLATFORM_CORES, messages being samples: an execution of `from` appends `produce`; one of `to` begins when `threshold`
     * are there and removes `consume`. 0 stands for 1, 1 and `consume`. consume <= threshold. On WEIR_PLATFORM_THREADS: `consume`
     * alone; an execution of `to` takes that many messages at once. */
    uint32_t produce, consume, threshold;
    /* On WEIR_PLATFORM_THREADS; docs/concepts/sampling.md has the rules. */
    enum weir_full full;
    bool optional; /* the consumer never waits for a message: an execution takes one if there is one (no input condition) */
    bool latest;   /* no queue but a place for the latest message: nobody waits, and it is read again until there is a newer one */
    int64_t transfer_min, transfer_max; /* a message takes this long from one to the other (fragments); 0 <= min <= max */
};

enum weir_arrivals {
    WEIR_ARRIVALS_AT_MOST,  /* starts are at least a period apart (a periodic condition, MinTimeBetweenTicks) */
    WEIR_ARRIVALS_EXACT,    /* input arrives exactly every period and waits; latency counts from arrival */
    WEIR_ARRIVALS_CATCH_UP, /* start n not before n periods; what is missed is made up for (CatchUpMissedTicks) */
    WEIR_ARRIVALS_SKIP,     /* at most one start from each multiple of the period to the next (NoCatchUpMissedTicks) */
};

struct weir_source_spec {
    struct weir_operator op;
    int64_t period; /* > 0 */
    enum weir_arrivals arrivals;
    struct weir_place place;
    /* On WEIR_PLATFORM_PROCESSORS, where input arrives exactly every period and waits. Sources of the same name are one source that
     * feeds several operators: all they say must be the same. */
    const char *name; /* copied; NULL: none */
    int64_t jitter;   /* >= 0: input n arrives between n * period and n * period + jitter, in order; may exceed the period */
    bool sporadic;    /* the period is only the least time between nominal arrivals */
    bool has_phase;   /* nominal arrivals are at phase, phase + period ...: simulated so; bounds hold for every phase */
    int64_t phase;    /* >= 0 */
    /* On WEIR_PLATFORM_CORES. */
    int64_t count;  /* samples arrive evenly, this many in each period; 0: 1 */
    bool bursty;    /* ... not evenly, but at any moments such that no window of a period sees more than `count` */
    uint32_t batch; /* an execution handles this many samples; 0: 1 */
};

/* A latency to report: from the start (or arrival) of `from` to the finish of `to`. On shared processors, from the nominal arrival
 * of its input where `from` is fed by a source, and from the moment it is enabled where it is not. */
struct weir_pair_spec {
    struct weir_operator from, to;
    bool has_deadline;
    int64_t deadline; /* >= 0 */
    /* How many iterations later `to` handles what `from` began. Normally left to weir: the fewest initial
     * messages on a way of queues from `from` to `to`, so that the latency is that of a message. */
    bool has_shift;
    int64_t shift;
    struct weir_place place;
};

WEIR_API struct weir_pipeline *weir_pipeline_new(struct weir_error *error);
WEIR_API void weir_pipeline_free(struct weir_pipeline *pipeline); /* NULL is fine */

/* Each of these fails on a sealed pipeline, and leaves the pipeline as it was when it fails. */
WEIR_API enum weir_status weir_pipeline_set_name(struct weir_pipeline *pipeline, const char *name, struct weir_error *error);
/* One unit is 10^digits ticks, digits <= 18. The default is WEIR_UNIT_TICK with 0 digits. */
WEIR_API enum weir_status weir_pipeline_set_unit(struct weir_pipeline *pipeline, enum weir_unit unit, unsigned digits,
                                                 struct weir_error *error);
/* WEIR_PLATFORM_THREADS is the default. */
WEIR_API enum weir_status weir_pipeline_set_platform(struct weir_pipeline *pipeline, enum weir_platform platform,
                                                     struct weir_error *error);
/* On WEIR_PLATFORM_CORES: how many, >= 1. */
WEIR_API enum weir_status weir_pipeline_set_cores(struct weir_pipeline *pipeline, uint32_t cores, struct weir_error *error);
/* Latencies beyond this are of no interest: an analysis that gets there gives up. > 0; 0 takes it back. */
WEIR_API enum weir_status weir_pipeline_set_latency_limit(struct weir_pipeline *pipeline, int64_t limit, struct weir_error *error);
/* A deadline for every latency (on a GPU: for the whole), in the place of those that are given; >= 0. */
WEIR_API enum weir_status weir_pipeline_set_deadline(struct weir_pipeline *pipeline, int64_t deadline, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_processor(struct weir_pipeline *pipeline, const struct weir_processor_spec *spec,
                                                      struct weir_processor *processor, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_operator(struct weir_pipeline *pipeline, const struct weir_operator_spec *spec,
                                                     struct weir_operator *op, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_queue(struct weir_pipeline *pipeline, const struct weir_queue_spec *spec,
                                                  struct weir_queue *queue, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_add_source(struct weir_pipeline *pipeline, const struct weir_source_spec *spec,
                                                   struct weir_error *error);
/* With no pair added, sealing adds every source with every leaf it reaches. A pair added twice is one pair; the tighter
 * deadline counts. */
WEIR_API enum weir_status weir_pipeline_add_pair(struct weir_pipeline *pipeline, const struct weir_pair_spec *spec,
                                                 struct weir_error *error);
/* Checks the whole and freezes it. Every mistake is appended to errors (may be NULL); WEIR_INVALID if there is one. `file` is
 * what the messages call the model (may be NULL). */
WEIR_API enum weir_status weir_pipeline_seal(struct weir_pipeline *pipeline, const char *file, struct weir_errors *errors);

/* An unsealed copy, to change and seal again. Pairs that were not given are left out again. */
WEIR_API struct weir_pipeline *weir_pipeline_copy(const struct weir_pipeline *pipeline, struct weir_error *error);
/* In an unsealed pipeline, another spec in the place of the one at that index. Names and the ends of queues stay as they are. */
WEIR_API enum weir_status weir_pipeline_change_operator(struct weir_pipeline *pipeline, struct weir_operator op,
                                                        const struct weir_operator_spec *spec, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_change_queue(struct weir_pipeline *pipeline, struct weir_queue queue,
                                                     const struct weir_queue_spec *spec, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_change_source(struct weir_pipeline *pipeline, uint32_t index,
                                                      const struct weir_source_spec *spec, struct weir_error *error);

/* Looking at it. Indices run from 0; names live as long as the pipeline. */
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
WEIR_API uint32_t weir_pipeline_source_count(const struct weir_pipeline *pipeline); /* those with a period */
WEIR_API uint32_t weir_pipeline_pair_count(const struct weir_pipeline *pipeline);
WEIR_API struct weir_operator_spec weir_pipeline_operator(const struct weir_pipeline *pipeline, struct weir_operator op);
WEIR_API struct weir_queue_spec weir_pipeline_queue(const struct weir_pipeline *pipeline, struct weir_queue queue);
WEIR_API struct weir_source_spec weir_pipeline_source(const struct weir_pipeline *pipeline, uint32_t index);
WEIR_API struct weir_pair_spec weir_pipeline_pair(const struct weir_pipeline *pipeline, uint32_t index);
/* Executions of the operator in one iteration of the (sealed) pipeline: 1 unless a queue consumes several messages at once. */
WEIR_API uint32_t weir_pipeline_turns(const struct weir_pipeline *pipeline, struct weir_operator op);
/* False when there is none of that name. */
WEIR_API bool weir_pipeline_find(const struct weir_pipeline *pipeline, const char *name, struct weir_operator *op);

#define WEIR_TIME_TEXT 48 /* bytes that hold any formatted time */
/* Ticks as an exact decimal number of the pipeline's unit, without the unit's name: "33.3", "-4", "1200". */
WEIR_API const char *weir_time_format(const struct weir_pipeline *pipeline, int64_t ticks, char text[WEIR_TIME_TEXT]);
/* The other way: "5", "4.25", "33.3ms" (a suffix is converted to the pipeline's unit). Fails when the value is not a whole
 * number of ticks. */
WEIR_API enum weir_status weir_time_parse(const struct weir_pipeline *pipeline, const char *text, int64_t *ticks,
                                          struct weir_error *error);

/* ---------------------------------------------------------------- reading */

struct weir_read_options {
    uint32_t queue;          /* capacity of queues that give none; 0: 1 */
    bool force_queue;        /* ... and of those that give one, too */
    const char *extra_times; /* comma-separated times that will be asked of the model ("33.3ms,5"): its tick is made fine
                              * enough to hold them; NULL: none */
    const char *deadline;    /* "33.3ms": for every latency, in the place of those of the model; NULL: not given */
    /* Flowgraphs of GNU Radio: what their files do not say. */
    uint32_t cores;                  /* of the pool that they run on; 0: not given */
    const char *const *rates;        /* "BLOCK=OUT/IN": samples out and in per execution */
    const char *const *source_rates; /* "BLOCK=576kHz" */
    const char *const *costs;        /* "BLOCK=INIT,PER-SAMPLE": times, in ns without a unit; BLOCK may be a type of blocks */
    size_t rate_count, source_rate_count, cost_count;
    const char *costs_path;    /* a file of costs, for blocks that are given none; NULL: none */
    struct weir_errors *notes; /* gets what the user should know and is no mistake, such as what was left out; NULL: not wanted */
    /* Graphs of kernels: in the place of what a model says; what the graphs that CUDA writes do not say. */
    const char *kernel_times;               /* a CSV file of the times of kernels; CUDA's graphs only; NULL: none */
    uint32_t sms, max_concurrent;           /* 0: not given */
    const char *min_time, *launch_overhead; /* "1.5us"; NULL: not given */
    bool no_files;                          /* read no file that a model names (`time: {gpu: FILE}`): for models of strangers */
};

/* Reads and seals a model: YAML (so JSON too), DOT, SDF3, a flowgraph of GNU Radio or a graph that CUDA wrote
 * (cudaGraphDebugDotPrint), told apart by their content. "-" reads standard input. On failure *pipeline is NULL and errors says
 * why, every mistake once. */
WEIR_API enum weir_status weir_read_file(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                         struct weir_errors *errors);
/* The same from memory; `file` is what messages call it. */
WEIR_API enum weir_status weir_read_memory(const char *text, size_t bytes, const char *file,
                                           const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                           struct weir_errors *errors);

/* ---------------------------------------------------------------- asking: separations */

enum weir_moment { WEIR_START, WEIR_FINISH, WEIR_ARRIVAL }; /* WEIR_ARRIVAL: sources with WEIR_ARRIVALS_EXACT only */

/* In a pipeline with queues that `consume` several messages, iterations are rounds: an operator executes weir_pipeline_turns()
 * times in each. */
struct weir_event {
    struct weir_operator op;
    enum weir_moment moment;
    uint32_t turn; /* which of its executions in a round; 0 where there is only one */
};

/* sup over all iterations i and all execution times of  t_{i+shift}(to) - t_i(from). The best case of a latency is minus the
 * worst separation asked the other way round, with the shift negated. */
struct weir_query {
    struct weir_event from, to;
    int64_t shift;
    bool assume_zero_best; /* read every best case as 0: the published problem, and always an upper bound */
    uint64_t work_limit;   /* arcs to relax before giving a bracket instead; 0: the default, some 10^10 */
};

enum weir_outcome {
    WEIR_EXACT,     /* value is reached, and never exceeded */
    WEIR_NO_BOUND,  /* the separation grows for ever */
    WEIR_BRACKET,   /* a limit was reached: lower <= the worst separation <= upper */
    WEIR_NO_EVENTS, /* there is no such pair of events */
};

struct weir_separation {
    enum weir_outcome outcome;
    int64_t value;        /* WEIR_EXACT */
    int64_t lower, upper; /* WEIR_BRACKET; INT64_MIN / INT64_MAX when nothing is known */
    uint64_t relaxations; /* trace arcs looked at */
    uint32_t passes;      /* searches run */
};

/* What a search needs besides the pipeline: scratch memory, reused from query to query. One per thread. */
struct weir_solver;
WEIR_API struct weir_solver *weir_solver_new(const struct weir_pipeline *pipeline, struct weir_error *error);
WEIR_API void weir_solver_free(struct weir_solver *solver);
WEIR_API enum weir_status weir_separation_worst(struct weir_solver *solver, const struct weir_query *query,
                                                struct weir_separation *result, struct weir_error *error);

/* ---------------------------------------------------------------- witnesses */

/* Why an execution on the critical path could not start before the step ahead of it. */
enum weir_wait {
    WEIR_WAIT_NONE,         /* first step: nothing to wait for */
    WEIR_WAIT_DATA,         /* for the message that the previous step sends */
    WEIR_WAIT_BUSY,         /* the operator itself was still at its previous iteration */
    WEIR_WAIT_BACKPRESSURE, /* for room: the previous step took a message out of the queue */
    WEIR_WAIT_PERIOD,       /* for the source's period to pass */
    WEIR_WAIT_ORDER,        /* for its turn: a reentrant operator's previous iteration had not begun */
};

/* What a step is: the execution of an operator, or one of the parts weir adds to model it. */
enum weir_part {
    WEIR_PART_EXECUTION,
    WEIR_PART_RECEIVE,  /* from the start of an execution to its receive() */
    WEIR_PART_ARRIVAL,  /* the arrival of an input */
    WEIR_PART_DONE,     /* execution and receive() both over */
    WEIR_PART_GPU,      /* the work on a GPU that the execution launched */
    WEIR_PART_AFTER,    /* what the operator does once that is over */
    WEIR_PART_TRANSFER, /* a message on its way to `op` */
    WEIR_PART_TICK,     /* the time to the next tick of a periodic condition */
};

/* One step of the critical path. Steps with counts == true run at the operator's worst time and push the end back;
 * everything that is not such a step runs at its best time. */
struct weir_step {
    struct weir_operator op;
    enum weir_part part;
    enum weir_wait wait; /* for the previous step */
    bool counts;
    uint32_t turn;           /* of op; of WEIR_PART_TRANSFER, of the producer */
    struct weir_queue queue; /* WEIR_PART_TRANSFER: over which */
    int64_t iteration;       /* in the first repetition of its segment */
    int64_t time;            /* what this part takes in the witness */
};

/* The path in order of time. A segment is walked `repeat` times; each repetition is `iterations` later than the last. */
struct weir_segment {
    const struct weir_step *steps;
    size_t step_count;
    int64_t iterations;
    int64_t repeat; /* >= 1 */
};

/* An execution of the pipeline in which the separation is reached: run every execution at its best time except the steps that
 * count, which run at their worst. */
struct weir_witness {
    struct weir_query query;
    int64_t separation;
    int64_t iteration; /* i of the query: iteration of `from` */
    const struct weir_segment *segments;
    size_t segment_count;
};

/* Only where weir_separation_worst is WEIR_EXACT. Caller frees. */
WEIR_API enum weir_status weir_separation_witness(struct weir_solver *solver, const struct weir_query *query,
                                                  struct weir_witness **witness, struct weir_error *error);
WEIR_API void weir_witness_free(struct weir_witness *witness);

/* Certifies that no execution separates the events by more than `bound`: makes the table of labels, and has it checked by code
 * that shares nothing with the search. *holds is the checker's word. */
WEIR_API enum weir_status weir_separation_certify(struct weir_solver *solver, const struct weir_query *query, int64_t bound,
                                                  bool *holds, struct weir_error *error);

/* ---------------------------------------------------------------- throughput */

/* period = numerator / denominator ticks per iteration (execution, where there are several in one), in lowest terms. */
struct weir_ratio {
    int64_t numerator, denominator;
};

/* The slowest cycle that holds `op` back, at worst times (worst = true) or best times. *cycle (may be NULL) gets the operators
 * on that cycle, each once, in order; caller frees it with weir_free(). */
WEIR_API enum weir_status weir_throughput(const struct weir_pipeline *pipeline, struct weir_operator op, bool worst,
                                          struct weir_ratio *period, struct weir_operator **cycle, size_t *cycle_count,
                                          struct weir_error *error);
WEIR_API void weir_free(void *memory);

/* ---------------------------------------------------------------- simulating */

enum weir_times { WEIR_TIMES_RANDOM, WEIR_TIMES_BEST, WEIR_TIMES_WORST, WEIR_TIMES_BANG_BANG, WEIR_TIMES_GIVEN };

struct weir_simulation_options {
    int64_t iterations;    /* of every operator; >= 1 */
    enum weir_times times; /* how execution times are drawn */
    uint64_t seed;
    /* WEIR_TIMES_GIVEN: the time of an execution; called once for each, in order of iterations per operator and part;
     * weir/age.h says of which parts. */
    int64_t (*given)(void *context, struct weir_operator op, enum weir_part part, int64_t iteration);
    /* Called at each arrival, start and finish, in order of time; may be NULL. */
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time);
    void *context;
};

/* Runs the pipeline as its words say: FIFO queues filled and emptied message by message. Knows nothing of the analysis. */
WEIR_API enum weir_status weir_simulate(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                        struct weir_error *error);
/* Plays the witness and measures the separation it claims. */
WEIR_API enum weir_status weir_witness_replay(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                              int64_t *separation, struct weir_error *error);

/* ---------------------------------------------------------------- the whole answer */

struct weir_latency {
    struct weir_pair_spec pair;
    struct weir_separation worst; /* of the latency */
    struct weir_separation best;  /* of its negation: the best case is -best.value */
    struct weir_separation gap;   /* worst time between two successive finishes of `to` */
    struct weir_witness *witness; /* NULL unless worst is exact */
    const char *why;              /* NULL unless unbounded or a bracket: the reason in words */
    bool deadline_met;            /* true without a deadline */
    bool verified;                /* witness replayed and certificate checked; false also where that would take too long */
};

struct weir_throughput_answer {
    struct weir_ratio period, best_period; /* of the slowest leaf */
    const struct weir_operator *bottleneck;
    size_t bottleneck_count;
};

struct weir_analysis {
    const struct weir_pipeline *pipeline;
    const struct weir_latency *latencies; /* one per pair of the pipeline */
    size_t latency_count;
    struct weir_throughput_answer throughput;
};

struct weir_analyze_options {
    bool verify;         /* replay every witness, check every certificate; a failure is WEIR_INTERNAL */
    uint64_t work_limit; /* as in weir_query */
    /* Called now and then with the share of the work done, 0..1000; may be NULL. */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

WEIR_API enum weir_status weir_analyze(const struct weir_pipeline *pipeline, const struct weir_analyze_options *options,
                                       struct weir_analysis **analysis, struct weir_error *error);
WEIR_API void weir_analysis_free(struct weir_analysis *analysis);
/* The JSON contract of docs/reference/json.md, ending in a newline. */
WEIR_API enum weir_status weir_analysis_write_json(const struct weir_analysis *analysis, FILE *out, struct weir_error *error);

/* ---------------------------------------------------------------- generating and writing models */

/* The random applications of the Holoscan papers: worst cases uniform in [100, 1000], extra queues with probability
 * density_permille / 1000, best case = worst * best_permille / 1000. Same seed, same pipeline. */
struct weir_generate_options {
    uint32_t nodes; /* >= 2 */
    uint64_t seed;
    uint32_t density_permille; /* the papers: 200 */
    uint32_t best_permille;    /* the papers: 0 */
    uint32_t queue;            /* capacity of every queue; 0: 1 */
};
WEIR_API enum weir_status weir_generate_holoscan(const struct weir_generate_options *options, struct weir_pipeline **pipeline,
                                                 struct weir_error *error);

/* The eight HoloHub applications of the papers, A to H in their tables. Names as in examples/: "multi-ai-ultrasound" ... */
WEIR_API size_t weir_application_count(void);
WEIR_API const char *weir_application_name(size_t index); /* NULL beyond the last */

struct weir_application_options {
    uint32_t queue; /* capacity of every queue; 0: 1 */
    /* Worst cases uniform in [100, 1000], from the seed; otherwise those of the published evaluation. */
    bool random_times;
    uint64_t seed;
    uint32_t best_permille; /* best case = worst * best_permille / 1000 */
};
/* options may be NULL. */
WEIR_API enum weir_status weir_generate_application(const char *name, const struct weir_application_options *options,
                                                    struct weir_pipeline **pipeline, struct weir_error *error);

WEIR_API enum weir_status weir_pipeline_write_yaml(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_write_dot(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);

/* docs/reference/formats.md says what each of them holds. The first four can be read back. */
enum weir_model_format {
    WEIR_MODEL_YAML,
    WEIR_MODEL_JSON, /* the model file as JSON */
    WEIR_MODEL_DOT,
    WEIR_MODEL_SDF3,           /* a homogeneous dataflow graph */
    WEIR_MODEL_UPPAAL,         /* timed automata, as XML */
    WEIR_MODEL_XTA,            /* ... as text */
    WEIR_MODEL_UPPAAL_QUERIES, /* the questions to ask of either */
    WEIR_MODEL_TCHECKER,
    WEIR_MODEL_FORMATS, /* how many there are; no format */
};
WEIR_API const char *weir_model_format_name(enum weir_model_format format); /* "yaml", "json", "dot", "sdf3", "uppaal" ... */
/* WEIR_MODEL_FORMATS when there is none of that name, or when the ending of the path is not one of a format. */
WEIR_API enum weir_model_format weir_model_format_named(const char *name);
WEIR_API enum weir_model_format weir_model_format_of(const char *path);
/* Formats for model checkers measure one latency: that of pair `pair`; the others pass over it. WEIR_INVALID where the format
 * cannot hold the pipeline. All but YAML and DOT need it sealed. */
WEIR_API enum weir_status weir_pipeline_write(const struct weir_pipeline *pipeline, enum weir_model_format format, uint32_t pair,
                                              FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif

#include "weir/age.h"
#include "weir/answer.h"
#include "weir/change.h"
#include "weir/edf.h"
#include "weir/evaluate.h"
#include "weir/explore.h"
#include "weir/gpu.h"
#include "weir/holoscan.h"
#include "weir/margins.h"
#include "weir/methods.h"
#include "weir/partition.h"
#include "weir/plot.h"
#include "weir/priority.h"
#include "weir/ranks.h"
#include "weir/run.h"
#include "weir/sample.h"
#include "weir/see.h"
#include "weir/sizing.h"
#include "weir/sweep.h"
#include "weir/verdict.h"
#include "weir/workers.h"

#endif
