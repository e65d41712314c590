/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated runs of a pipeline, and the latencies in them. */
#ifndef WEIR_TESTS_SEMANTICS_WATCH_H
#define WEIR_TESTS_SEMANTICS_WATCH_H

#include "weir.h"

enum { WATCH_OPERATORS = 8, WATCH_EXECUTIONS = 1024, WATCH_QUEUES = 32 };

/* One run. Executions beyond the last that fits are left out. */
struct watch {
    const struct weir_pipeline *pipeline;
    int64_t start[WATCH_OPERATORS][WATCH_EXECUTIONS]; /* or arrival; -1: not seen */
    int64_t finish[WATCH_OPERATORS][WATCH_EXECUTIONS];
    struct weir_operator from[WATCH_OPERATORS]; /* every operator */
    /* [of the operator that finishes][execution][whose data]; from WATCH_OPERATORS: nothing of it */
    struct weir_age ages[WATCH_OPERATORS][WATCH_EXECUTIONS][WATCH_OPERATORS];
    bool exact[WATCH_OPERATORS]; /* arrivals count */
    uint64_t lost[WATCH_QUEUES];
    struct weir_age_end end;
    uint64_t executions;
    uint32_t used; /* executions that the last run wrote to; before the first the whole is 0 */
    bool begun;
    int64_t counts_from; /* latencies that begin earlier wait for a source that has not begun */
};

/* How a run draws times and ties. DRIFT: times rise and fall slowly, each operator's at its own pace. */
struct watch_run {
    int64_t iterations;
    enum weir_times times; /* WEIR_TIMES_GIVEN: DRIFT unless `given` is there */
    enum weir_ties ties;
    uint64_t seed;
    int64_t (*given)(void *context, struct weir_operator op, enum weir_part part, int64_t execution);
    int64_t (*transfer)(void *context, struct weir_queue queue, int64_t execution); /* with `given` */
    void *context;
};

enum weir_status watch_simulate(struct watch *watch, const struct weir_pipeline *pipeline, const struct watch_run *run,
                                struct weir_error *error);

struct span {
    bool any;
    int64_t min, max;
};
/* Latencies of the pair as weir_analyze has them: from each execution to the first that carries its data. */
struct span watch_latency(const struct watch *watch, const struct weir_chain_spec *chain);
/* Ages at each finish: of all that is carried. */
struct span watch_age(const struct watch *watch, const struct weir_chain_spec *chain);
/* Between one finish and the next. */
struct span watch_gap(const struct watch *watch, struct weir_operator op);
/* The range of a part of an operator; not of WEIR_PART_TRANSFER. */
void watch_range(const struct weir_pipeline *pipeline, struct weir_operator op, enum weir_part part, int64_t *low, int64_t *high);

#endif
