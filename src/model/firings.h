/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues from which several messages are taken at once. Then operators do not execute equally often; the pipeline is back where it
 * was after a round, in which operator o has firings(o) executions. Execution n of an operator is its firing n mod firings in round
 * n / firings.
 */
#ifndef WEIR_MODEL_FIRINGS_H
#define WEIR_MODEL_FIRINGS_H

#include "model/pipeline.h"

/* What a round is lowered to stays below these. */
#define WEIR_ROUND_ACTORS_MAX 1000000
#define WEIR_ROUND_ARCS_MAX 10000000

/* Messages that an execution of the consumer takes. */
static inline uint32_t weir_queue_batch(const struct weir_queue_spec *queue)
{
    return queue->consume > 1 ? queue->consume : 1;
}

/* The fewest executions of each operator, at least one, after which every queue that is waited for holds what it held at the
 * beginning: pipeline->firings, NULL where each executes once. Queues that cannot come back are mistakes. */
enum weir_status weir_firings_find(struct weir_sealing *sealing);

/* Where messages go. */
struct weir_routes;
#define WEIR_NO_ROUTE INT64_MAX
struct weir_routes *weir_routes_new(const struct weir_pipeline *pipeline); /* NULL: out of memory */
void weir_routes_free(struct weir_routes *routes);
/* For each operator the first execution that can depend on what execution `firing` of `from` sends, over queues that are waited
 * for; WEIR_NO_ROUTE: none does. Lives until the next call. */
const int64_t *weir_routes_from(struct weir_routes *routes, struct weir_operator from, uint32_t firing);

#endif
