/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a pipeline. Growing arrays until it is sealed; immutable, with its event graph, after. */
#ifndef WEIR_MODEL_PIPELINE_H
#define WEIR_MODEL_PIPELINE_H

#include "base/alloc.h"
#include "base/map.h"
#include "model/flow.h"
#include "model/graph.h"
#include "model/kernels.h"
#include "model/taskset.h"
#include "weir.h"

/* When an operator may begin: not before a time in [least, most], or where that is unknown at any time; what begins more than
 * `most` later than it is counted from is not counted then (docs/concepts/phases.md). */
struct weir_phase {
    int64_t least, most;
    bool unknown;
};

/* What a scheduler does to an operator (docs/concepts/workers.md, section 7): from when it is ready to its start, `most` passes at
 * most; and the time that its period, or its next tick, counts from is up to `early` before its start. */
struct weir_lateness {
    int64_t most, early;
};

#define WEIR_NO_LANE UINT32_MAX
#define WEIR_AS_ANY INT64_C(-1) /* a reaction: as late as to anything else */

struct weir_pipeline {
    struct weir_arena arena; /* names */
    const char *name;
    enum weir_unit unit;
    unsigned digits;
    bool sealed;
    enum weir_platform platform;
    int64_t latency_limit; /* 0: none */
    bool has_deadline;     /* for every latency, in place of its own */
    int64_t deadline;
    uint32_t cores; /* 0: not said */
    struct weir_gpu_spec gpu;
    struct weir_workers_spec workers;

    struct weir_operator_spec *operators;
    size_t operator_count, operator_capacity;
    const bool
        *untimed; /* by operator: its time is still to be filled in; NULL: none is. Of those that files gave only the graph */
    struct weir_queue_spec *queues;
    size_t queue_count, queue_capacity;
    struct weir_source_spec *sources;
    size_t source_count, source_capacity;
    struct weir_chain_spec *chains;
    size_t chain_count, chain_capacity;
    struct weir_processor_spec *processors;
    size_t processor_count, processor_capacity;

    struct weir_names names; /* of operators */
    struct weir_map chain_index;
    uint8_t *has_source; /* by operator; grown when a source is added */
    size_t has_source_capacity;
    struct weir_phase *given_phases; /* by operator, in place of those of the sources; NULL: none given */
    struct weir_lateness *lateness;  /* by operator; NULL: all start when they are ready */
    int64_t *reactions;              /* by queue, of the first so many: see weir_pipeline_set_reaction */
    size_t reaction_count, reaction_capacity;

    uint32_t *loop_starts; /* operators that begin the pipeline although they have inputs; found by weir_pipeline_check_reach */
    size_t loop_start_count;

    /* Once sealed; all but the graph in memory of its own. */
    struct weir_arena sealed_arena;
    struct weir_graph *graph;     /* on shared processors: of the same pipeline with a thread per operator */
    struct weir_taskset *taskset; /* on shared processors, else NULL */
    struct weir_flow *flow;       /* on cores, else NULL; there is no graph then */
    struct weir_kernels *kernels; /* on a GPU, else NULL; there is no graph then */
    struct weir_phase *phases;    /* by operator; NULL: all begin at time 0 */
    uint32_t *lanes;              /* by operator: which lane it is in, or WEIR_NO_LANE; NULL: none is in any */
    uint32_t lane_count;          /* ... and how many there are */
    uint32_t *firings;            /* by operator: executions in a round; NULL: all 1 */
    uint32_t *queue_numbers;      /* see weir_queue_number; NULL: all 0 */
    uint8_t *shift_given;         /* by chain: it was given when the pipeline was built; NULL when no chain was */
};

/* Whether operators share a stream of a GPU. */
bool weir_streams_shared(const struct weir_pipeline *pipeline);

/* Checks one specification without looking at the rest of the pipeline. */
enum weir_status weir_operator_check(const struct weir_pipeline *pipeline, const struct weir_operator_spec *spec,
                                     struct weir_error *error);
enum weir_status weir_queue_check(const struct weir_pipeline *pipeline, const struct weir_queue_spec *spec,
                                  struct weir_error *error);
enum weir_status weir_source_check(const struct weir_pipeline *pipeline, const struct weir_source_spec *spec,
                                   struct weir_error *error);
/* The parts of these that only Holoscan has (holoscan.c). */
enum weir_status weir_launch_check(const struct weir_operator_spec *spec, struct weir_error *error);
enum weir_status weir_connection_check(const struct weir_queue_spec *spec, struct weir_error *error);
bool weir_launch_keep(struct weir_pipeline *pipeline, struct weir_operator_spec *spec);
/* All but operators, queues, sources and latencies. */
enum weir_status weir_pipeline_copy_head(const struct weir_pipeline *from, struct weir_pipeline *to, struct weir_error *error);
/* Makes room for so many more operators and queues at once: adding them one by one takes half as much again. False: out of
 * memory. */
bool weir_pipeline_reserve(struct weir_pipeline *pipeline, size_t operators, size_t queues);
/* What the pipeline keeps of a spec: its own copy of the table. False: out of memory. */
bool weir_operator_keep(struct weir_pipeline *pipeline, struct weir_operator_spec *spec);
/* Fails unless there is one, which is sealed; and of that platform. */
enum weir_status weir_pipeline_require_sealed(const struct weir_pipeline *pipeline, struct weir_error *error);
enum weir_status weir_pipeline_require(const struct weir_pipeline *pipeline, enum weir_platform platform, struct weir_error *error);
/* ... unless it is sealed and every operator always finds a thread at once: for code that runs it, or can handle what is not plain.
 */
enum weir_status weir_pipeline_require_enough(const struct weir_pipeline *pipeline, struct weir_error *error);
/* ... and it is plain, so that its event graph says all there is to say: for exact questions. */
enum weir_status weir_pipeline_require_threads(const struct weir_pipeline *pipeline, struct weir_error *error);
/* ... and each operator executes once per iteration, on the CPU alone, and no message takes time: for methods that know no more. */
enum weir_status weir_pipeline_require_simple(const struct weir_pipeline *pipeline, struct weir_error *error);
/* Whether a broadcast is assumed (ports.h); fails where one is, for code that handles one reading of the ports only. */
bool weir_pipeline_assumes(const struct weir_pipeline *pipeline);
enum weir_status weir_pipeline_require_ports(const struct weir_pipeline *pipeline, struct weir_error *error);
/* Operators that are in no lane: those that the workers of the scheduler are for. */
uint32_t weir_pipeline_free_count(const struct weir_pipeline *pipeline);
/* Whether the consumer does not wait for messages, or may not get them all: the queue is no arc of the event graph as it is. */
/* The first queue of the port that this one leads to; itself, where it has one of its own. */
uint32_t weir_pipeline_port(const struct weir_pipeline *pipeline, uint32_t queue);
bool weir_queue_is_cut(const struct weir_queue_spec *queue);
/* Whether the consumer of the queue waits for its messages. */
bool weir_queue_waits(const struct weir_queue_spec *queue);
/* Of queues between the same two operators, in that direction: which it is, from 1 on. 0: it is the only one, or not sealed. */
uint32_t weir_queue_number(const struct weir_pipeline *pipeline, struct weir_queue queue);
/* Seals a pipeline that no file describes: the first mistake is the error. */
enum weir_status weir_pipeline_seal_alone(struct weir_pipeline *pipeline, struct weir_error *error);
/* "the pipeline is sealed" */
enum weir_status weir_fail_missing(struct weir_error *error); /* a pipeline that is NULL */
enum weir_status weir_fail_sealed(const struct weir_pipeline *pipeline, struct weir_error *error);

/* Capacities and initial messages stay below this. */
#define WEIR_QUEUE_MAX (UINT32_C(1) << 30)
#define WEIR_PROCESSORS_MAX 4096
#define WEIR_CORES_MAX 65536
#define WEIR_WORKERS_MAX 65536

/* Latencies of one pipeline that weir chooses itself; more are a mistake of the model, or want to be chosen by name. */
#define WEIR_CHAINS_MAX 10000

/* ---- sealing ---- */

/* Each step returns its own status. */
struct weir_sealing {
    struct weir_pipeline *pipeline;
    const char *file;
    struct weir_errors *errors;
    enum weir_status status;   /* of the step */
    bool early;                /* weir_platform_check: what is looked for */
    struct weir_arena scratch; /* until it is sealed, or not */
};

/* A mistake about something of that name. */
void weir_sealing_mistake(struct weir_sealing *sealing, struct weir_place place, const char *format, const char *name);
/* ... about nothing in particular. */
enum weir_status weir_sealing_fail(struct weir_sealing *sealing, enum weir_status status, const char *what);
enum weir_status weir_sealing_memory(struct weir_sealing *sealing);

/* What is given that has no meaning on the platform. `early`: that of which nothing that is built may know. */
enum weir_status weir_platform_check(struct weir_sealing *sealing, bool early);
/* Says when an operator begins, which then counts for all of them in place of what sources say; before it is sealed, and when
 * all operators are there. False: out of memory. */
bool weir_pipeline_set_phase(struct weir_pipeline *pipeline, uint32_t op, struct weir_phase phase);
/* Says how late an operator may start; as above. */
bool weir_pipeline_set_lateness(struct weir_pipeline *pipeline, uint32_t op, struct weir_lateness wait);
/* Says how late its consumer may start when a message of the queue is the last that it waited for, in place of what set_lateness
 * says. False: out of memory. */
bool weir_pipeline_set_reaction(struct weir_pipeline *pipeline, uint32_t queue, int64_t most);
static inline int64_t weir_pipeline_reaction(const struct weir_pipeline *pipeline, uint32_t queue)
{
    return queue < pipeline->reaction_count ? pipeline->reactions[queue] : WEIR_AS_ANY;
}
/* Of an operator; all 0 where none is given. */
static inline struct weir_lateness weir_pipeline_lateness(const struct weir_pipeline *pipeline, uint32_t op)
{
    return pipeline->lateness ? pipeline->lateness[op] : (struct weir_lateness){0};
}
/* When each operator begins. */
enum weir_status weir_phases_find(struct weir_sealing *sealing);
/* Ticks and batches that do not fit together. */
enum weir_status weir_pipeline_check_ticks(struct weir_sealing *sealing);
/* Whether the operators can do with their workers, and which of them share a lane. */
enum weir_status weir_pipeline_check_workers(struct weir_sealing *sealing);
/* The mistakes that need no event graph: nothing there, operators that no source reaches. In a deadlocked pipeline only those that
 * no queue reaches are reported: the others may be what the deadlock leads to. */
enum weir_status weir_pipeline_check_reach(struct weir_sealing *sealing, bool deadlocked);
/* Numbers the queues between the same two operators. */
enum weir_status weir_pipeline_number_queues(struct weir_sealing *sealing);
/* After the graph is there: adds the chains the user left to us, and the shift of each. */
enum weir_status weir_pipeline_complete_chains(struct weir_sealing *sealing);
/* A chain from a source to a leaf that was not given. */
enum weir_status weir_pipeline_pair(struct weir_sealing *sealing, uint32_t from, uint32_t to, int64_t shift);
/* The roots and leaves of the pipeline, flags per operator. */
enum { WEIR_ENDS_ROOT = 1, WEIR_ENDS_LEAF = 2 };
void weir_pipeline_mark_ends(const struct weir_pipeline *pipeline, uint8_t *ends);

#endif
