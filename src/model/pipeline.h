/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a pipeline. Growing arrays until it is sealed; immutable, with its event graph, after. */
#ifndef WEIR_MODEL_PIPELINE_H
#define WEIR_MODEL_PIPELINE_H

#include "base/alloc.h"
#include "model/graph.h"
#include "weir.h"

struct weir_pipeline {
    struct weir_arena arena; /* names */
    const char *name;
    enum weir_unit unit;
    unsigned digits;
    bool sealed;

    struct weir_operator_spec *operators;
    size_t operator_count, operator_capacity;
    struct weir_queue_spec *queues;
    size_t queue_count, queue_capacity;
    struct weir_source_spec *sources;
    size_t source_count, source_capacity;
    struct weir_pair_spec *pairs;
    size_t pair_count, pair_capacity;

    uint32_t *index; /* open-addressed hash of names: operator + 1, or 0 */
    size_t index_size;
    uint32_t *pair_index; /* ... of pairs */
    size_t pair_index_size;
    uint8_t *has_source; /* by operator; grown when a source is added */
    size_t has_source_capacity;

    uint32_t *loop_starts; /* operators that begin the pipeline although they have inputs; found by weir_pipeline_check_reach */
    size_t loop_start_count;

    struct weir_graph *graph; /* once sealed */
};

/* Capacities and initial messages stay below this. */
#define WEIR_QUEUE_MAX (UINT32_C(1) << 30)

/* Latencies of one pipeline that weir chooses itself; more are a mistake of the model, or want to be chosen by name. */
#define WEIR_PAIRS_MAX 10000

/* The mistakes that need no event graph: nothing there, operators that no source reaches. In a deadlocked pipeline only those that
 * no queue reaches are told: the others may be what the deadlock leads to. */
enum weir_status weir_pipeline_check_reach(struct weir_pipeline *pipeline, bool deadlocked, const char *file,
                                           struct weir_errors *errors);
/* After the graph is there: adds the pairs the user left to us, and the shift of each. */
enum weir_status weir_pipeline_complete_pairs(struct weir_pipeline *pipeline, const char *file, struct weir_errors *errors);
/* The roots and leaves of the pipeline, one flag per operator (bit 0 root, bit 1 leaf). */
void weir_pipeline_mark_ends(const struct weir_pipeline *pipeline, uint8_t *ends);

#endif
