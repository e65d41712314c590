/* SPDX-License-Identifier: Apache-2.0 */
/* The exact engine: how far apart two events can be, an execution that shows it, a proof of the bound; throughput. Stable:
 * docs/reference/abi.md. */
#ifndef WEIR_SEPARATION_H
#define WEIR_SEPARATION_H

#include "weir/pipeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_moment { WEIR_START, WEIR_FINISH, WEIR_ARRIVAL }; /* WEIR_ARRIVAL: sources with WEIR_ARRIVALS_EXACT only */

/* In a pipeline with queues that `consume` several messages, iterations are rounds: an operator executes weir_pipeline_firings()
 * times in each. */
struct weir_event {
    struct weir_operator op;
    enum weir_moment moment;
    uint32_t firing; /* which of its executions in a round; 0 if there is only one */
};

/* sup over all iterations i and all execution times of  t_{i+shift}(to) - t_i(from). The best case of a latency is minus the
 * worst separation asked the other way round, with the shift negated. */
struct weir_query {
    struct weir_event from, to;
    int64_t shift;
    bool assume_zero_best; /* read every best case as 0: the published problem, and always an upper bound */
    uint64_t work_limit;   /* arcs to relax before the answer is a bracket; 0: the default, about 10^10 */
    uint64_t memory_limit; /* bytes of tables before the answer is a bracket; 0: the default, 1 GiB */
};

enum weir_outcome {
    WEIR_EXACT,     /* value is reached, and never exceeded */
    WEIR_NO_BOUND,  /* the separation grows for ever */
    WEIR_BRACKET,   /* a limit was reached: lower <= the worst separation <= upper */
    WEIR_NO_EVENTS, /* there is no such pair of events */
};

/* The limit that made the answer a bracket. */
enum weir_limit {
    WEIR_LIMIT_NONE,
    WEIR_LIMIT_WORK,   /* work_limit */
    WEIR_LIMIT_MEMORY, /* memory_limit */
    WEIR_LIMIT_RANGE,  /* times beyond what can be represented */
};

struct weir_separation {
    enum weir_outcome outcome;
    int64_t value;        /* WEIR_EXACT */
    int64_t lower, upper; /* WEIR_BRACKET; INT64_MIN / INT64_MAX when nothing is known */
    uint64_t relaxations; /* trace arcs looked at */
    uint32_t passes;      /* searches run */
    enum weir_limit limit;
};

/* Scratch memory for searches, reused from query to query. One per thread. */
struct weir_solver;
WEIR_API struct weir_solver *weir_solver_new(const struct weir_pipeline *pipeline, struct weir_error *error);
WEIR_API void weir_solver_free(struct weir_solver *solver);
WEIR_API enum weir_status weir_separation_worst(struct weir_solver *solver, const struct weir_query *query,
                                                struct weir_separation *result, struct weir_error *error);

/* ---------------------------------------------------------------- witnesses */

/* Why an execution on the critical path could not start earlier than the step before it allowed. */
enum weir_wait {
    WEIR_WAIT_NONE,         /* first step: nothing to wait for */
    WEIR_WAIT_DATA,         /* for the message that the previous step sends */
    WEIR_WAIT_BUSY,         /* the operator itself was still at its previous iteration */
    WEIR_WAIT_BACKPRESSURE, /* for room: the previous step took a message out of the queue */
    WEIR_WAIT_PERIOD,       /* for the source's period to pass */
    WEIR_WAIT_ORDER,        /* for its turn: a reentrant operator's previous iteration had not begun */
};

/* What a step is: the execution of an operator, or one of the parts by which weir models it. */
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
    uint32_t firing; /* of op; of WEIR_PART_TRANSFER, of the producer */
    struct weir_queue
        queue; /* in which it waited for a message or for room; of WEIR_PART_TRANSFER, the one it belongs to. Else UINT32_MAX */
    int64_t iteration; /* in the first repetition of its segment */
    int64_t time;      /* what this part takes in the witness */
};

/* The path in order of time. A segment is repeated `repeat` times, each time `iterations` later. */
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

/* Only if the outcome of weir_separation_worst is WEIR_EXACT. Caller frees. */
WEIR_API enum weir_status weir_separation_witness(struct weir_solver *solver, const struct weir_query *query,
                                                  struct weir_witness **witness, struct weir_error *error);
WEIR_API void weir_witness_free(struct weir_witness *witness);

/* Certifies that no execution separates the events by more than `bound`: makes the table of labels, and has it checked by code
 * that shares nothing with the search. *holds is the checker's verdict. */
WEIR_API enum weir_status weir_separation_certify(struct weir_solver *solver, const struct weir_query *query, int64_t bound,
                                                  bool *holds, struct weir_error *error);

/* ---------------------------------------------------------------- throughput */

/* The long-run period, in ticks per iteration (or per execution, if there are several in one).
 *
 * The slowest cycle that holds `op` back, at worst times (worst = true) or best times. *cycle (may be NULL) gets the operators
 * on that cycle, each once, in order; caller frees it with weir_free(). */
WEIR_API enum weir_status weir_throughput(const struct weir_pipeline *pipeline, struct weir_operator op, bool worst,
                                          struct weir_ratio *period, struct weir_operator **cycle, size_t *cycle_count,
                                          struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
