/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `simulate` and flows on a pool of cores. */
#ifndef WEIR_CLI_EDF_SIMULATE_H
#define WEIR_CLI_EDF_SIMULATE_H

#include "analyze.h"
#include "simulate.h"

/* ---- which executions belong together (edf_ways.c) ---- */

/* Whether no source that leads to it is sporadic or bursty: then latencies count from every arrival. */
bool weir_edf_is_even(const struct weir_pipeline *pipeline, uint32_t op);
/* The queues on all ways of one pair, each after those that lead to it. */
struct weir_edf_ways {
    struct weir_queue_spec *queues; /* no rate is 0 */
    size_t count;
    uint32_t from, to;
    int64_t *marks; /* by operator; scratch, which the ways of one pipeline may share */
};
/* False when out of memory. ways->marks is set before. */
bool weir_edf_ways_find(const struct weir_pipeline *pipeline, const struct weir_pair_spec *pair, struct weir_edf_ways *ways);
void weir_edf_ways_free(struct weir_edf_ways *ways);
/* The last execution of `to` that takes anything made of execution n of `from`. */
int64_t weir_edf_ways_last(const struct weir_edf_ways *ways, int64_t n);
/* The last execution of `from` that execution k of `to` needs; 0 or less: none. */
int64_t weir_edf_ways_needed(const struct weir_edf_ways *ways, int64_t k);

/* ---- the runs of one model (edf_simulate.c) ---- */

/* Times seen are in 1 / scale of a tick. */
struct weir_edf_seen_pair {
    struct weir_edf_ways ways;
    struct weir_samples samples; /* from the moment the batch is complete to the end */
    bool even;                   /* every sample has a latency; otherwise every execution of `to` has one */
    int64_t noted, next, next_last;
};

struct weir_edf_seen {
    const struct weir_simulate_settings *settings;
    const struct weir_pipeline *pipeline;
    const char *title;
    struct weir_edf_analysis *analysis;
    int64_t runs, rounds;
    int64_t scale;
    struct weir_edf_seen_pair *pairs;
    uint32_t pair_count;
    int64_t **arrivals; /* by operator, in this run: of its batches */
    size_t *arrived, *room;
    int64_t *executions, *responses; /* by operator: how many, the longest */
    int64_t *peaks, *peak;           /* by queue: of all runs, of this one */
    int64_t *marks;
    bool failed; /* out of memory */
};

/* Simulates one model, prints it and holds it against the bounds. Prints what went wrong. */
enum weir_exit weir_edf_simulate_model(const struct weir_simulate_settings *settings, const struct weir_pipeline *pipeline,
                                       const char *path);

/* ---- what it comes to (edf_seen.c) ---- */

/* A latency as seen, with what its sample waited before its batch was complete; and the bound of what was seen alone. */
struct weir_ratio weir_edf_seen_latency(const struct weir_edf_seen *seen, uint32_t pair, int64_t scaled);
void weir_edf_seen_print(const struct weir_edf_seen *seen);
void weir_edf_seen_print_json(const struct weir_edf_seen *seen);

#endif
