/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `simulate` and models whose operators share processors. */
#ifndef WEIR_CLI_PRIORITY_SIMULATE_H
#define WEIR_CLI_PRIORITY_SIMULATE_H

#include "analyze.h"
#include "simulate.h"

/* Each prints what went wrong. In this order: begin, runs, search, check. */

/* Analyses the model: its bounds become those of the simulation, its capacities those of the queues. */
enum weir_exit weir_shared_begin(struct weir_simulation *simulation);
enum weir_status weir_shared_run_once(struct weir_simulation *simulation, enum weir_times times, uint64_t seed,
                                      struct weir_error *error);
/* Climbs towards late executions, as many runs as the settings say. */
enum weir_exit weir_shared_search(struct weir_simulation *simulation);
/* What the search found against the bounds: beyond them is a bug, said loudly. */
enum weir_exit weir_shared_check(const struct weir_simulation *simulation);
void weir_shared_free(struct weir_shared *shared); /* NULL is fine */

const struct weir_priority_analysis *weir_shared_analysis(const struct weir_simulation *simulation);
const struct weir_processors_seen *weir_shared_seen(const struct weir_simulation *simulation); /* NULL: no search */

/* ---- what it comes to (priority_seen.c) ---- */

/* What the search found for one latency. */
void weir_shared_print_pair(const struct weir_simulation *simulation, uint32_t pair);
/* The latest ends of all operators; after the latencies. */
void weir_shared_print_operators(const struct weir_simulation *simulation);
/* More keys: of one latency, and of the model, each beginning with a comma. */
void weir_shared_print_json_pair(const struct weir_simulation *simulation, uint32_t pair);
void weir_shared_print_json(const struct weir_simulation *simulation);

#endif
