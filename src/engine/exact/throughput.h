/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_EXACT_THROUGHPUT_H
#define WEIR_ENGINE_EXACT_THROUGHPUT_H

#include "engine/exact/components.h"
#include "engine/exact/ratio.h"
#include "weir.h"

/* The long-run pace of every operator of a sealed pipeline on threads, at worst or at best times. */
struct weir_pace {
    const struct weir_pipeline *pipeline;
    struct weir_ratios ratios;
    uint32_t *component;
    uint32_t *slowest; /* by component: an actor whose cycle is the slowest of those that hold it back, or WEIR_NO_ACTOR */
};
enum weir_status weir_pace_find(struct weir_pace *pace, const struct weir_pipeline *pipeline, bool worst, struct weir_error *error);
/* ... at times of one's choice, by actor. */
enum weir_status weir_pace_find_at(struct weir_pace *pace, const struct weir_pipeline *pipeline, const int64_t *times,
                                   struct weir_error *error);
void weir_pace_free(struct weir_pace *pace); /* also where it was not found */

/* From one start, or one result, of the operator to the next: the average over a long run. {0, 1}: nothing holds it back. Reports
 * an overflow as false. */
bool weir_pace_starts(const struct weir_pace *pace, struct weir_operator op, struct weir_ratio *period);
bool weir_pace_results(const struct weir_pace *pace, struct weir_operator op, struct weir_ratio *period);
/* Of an actor: from one iteration to the next; and an actor of the cycle that holds it back, or WEIR_NO_ACTOR. */
struct weir_ratio weir_pace_of(const struct weir_pace *pace, uint32_t actor, uint32_t *on);
/* The slowest of the outputs: the operators that no queue leaves, and those that a latency ends at. There is one at least. */
enum weir_status weir_pace_outputs(const struct weir_pace *pace, struct weir_ratio *period, struct weir_operator *slowest,
                                   struct weir_error *error);
/* Marks them. */
void weir_pipeline_mark_outputs(const struct weir_pipeline *pipeline, uint8_t *outputs);

/* The operators on the cycle that holds back the results of `op`, each once, the first of the pipeline first. Caller frees; NULL
 * when out of memory. */
struct weir_operator *weir_pace_cycle(const struct weir_pace *pace, struct weir_operator op, size_t *count);

#endif
