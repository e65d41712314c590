/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the checker of flows share. */
#ifndef WEIR_CHECK_EDF_FLOW_INSIDE_H
#define WEIR_CHECK_EDF_FLOW_INSIDE_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "check/big.h"
#include "check/edf/flow.h"
#include "model/flow.h"
#include "model/pipeline.h"

enum weir_flow_kind { WEIR_FLOW_EVEN, WEIR_FLOW_LOOSE, WEIR_FLOW_JOINED };

struct weir_flow_work {
    struct weir_arena arena;
    const struct weir_flow_proof *proof;
    const struct weir_edf_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const struct weir_flow *flow;
    char *why;
    enum weir_status status; /* WEIR_MEMORY, or WEIR_OVERFLOW when a number was lost */

    /* Utilisations: load[v] * (grid / share[v].denominator) of grid, in lowest terms. */
    struct weir_big grid, total;
    struct weir_ratio *share;
    uint32_t heaviest;
    struct weir_big *value; /* by node */
    uint32_t *ranked;

    /* Times are counted in units of 1 / unit ticks: periods, the parts of periods that rates ask for, responses and offsets. */
    struct weir_big unit;
    uint8_t *kind;
    uint32_t *group;       /* nodes with the same one depend on the same sources */
    struct weir_big *late; /* O: after the releases of what is needed */
    struct weir_big *high; /* phi is at most this ... */
    struct weir_big *low;  /* ... and at least this */
    struct weir_big *held, *longest;
    struct weir_big *idle;  /* executions that need no arrival: their line, from time 0 */
    uint8_t *idles;         /* by node: 2: no queue leaves room for such executions; 1: there are none; 0: there may be some */
    struct weir_big *early; /* n executions end no earlier than n periods less this */
    struct weir_big *slip;
    uint32_t *seen;
    int64_t *origin;
    int64_t **need; /* by node: the last execution of its source that execution j + 1 needs */
    int64_t table_left;
};

/* Writes `why`, and returns false. */
bool weir_flow_refuse(struct weir_flow_work *work, const char *format, ...) WEIR_PRINTF(2, 3);
/* value in units, times up / produce, which the unit is made for. */
void weir_flow_time(const struct weir_flow_work *work, struct weir_ratio value, struct weir_big *time);
void weir_flow_part(const struct weir_flow_work *work, struct weir_ratio period, int64_t up, int64_t produce,
                    struct weir_big *time);
/* Whether the claim is at least the time; when a number was lost, false with the status set. */
bool weir_flow_covers(struct weir_flow_work *work, struct weir_ratio claim, const struct weir_big *time);

bool weir_flow_responses_hold(struct weir_flow_work *work);
bool weir_flow_lines_hold(struct weir_flow_work *work);   /* offsets behind even sources */
bool weir_flow_follows_hold(struct weir_flow_work *work); /* ... and behind others */
bool weir_flow_windows_hold(struct weir_flow_work *work); /* responses that rest on all of these */
bool weir_flow_latencies_hold(struct weir_flow_work *work);
bool weir_flow_capacities_hold(struct weir_flow_work *work);

/* ---- what a queue asks for, in samples ---- */

/* Samples beyond the initial ones without which v does not begin: to the next number that can come about. */
static inline int64_t weir_flow_wanted(const struct weir_flow_edge *e, int64_t step)
{
    int64_t want = e->threshold - e->initial, rest = want % step;
    return rest > 0 ? want - rest + step : want - rest;
}

#endif
