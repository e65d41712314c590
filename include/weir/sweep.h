/* SPDX-License-Identifier: Apache-2.0 */
/* Many pipelines that differ in some numbers, and what becomes of their bounds.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_SWEEP_H
#define WEIR_SWEEP_H

#include "weir/answer.h"
#include "weir/change.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All values of all axes together: their product. An axis is a WEIR_CHANGE_SET whose value may be a list, with commas, of values
 * and of ranges LOW:HIGH:STEP; of a count the step may be left out. Linked parameters, A.KEY,B.KEY=VALUES, are one axis. */
struct weir_sweep_options {
    const struct weir_change *changes; /* made first, once */
    size_t change_count;
    const struct weir_change *axes;
    size_t axis_count;   /* >= 1 */
    uint64_t points_max; /* more are refused; 0: 1,000,000 */
    uint64_t work_limit; /* of each answer, as that of the engine */
    unsigned threads;    /* 0: one per core. The result is the same for every number */
    const bool *stop;    /* as in struct weir_explore_options: what was found until then is the result */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

enum weir_sweep_values { WEIR_SWEEP_TIMES, WEIR_SWEEP_COUNTS, WEIR_SWEEP_WORDS };

struct weir_sweep_axis {
    const char *label; /* what stands before the = */
    enum weir_sweep_values values;
    size_t count;
    const int64_t *numbers;   /* ticks, of an interval the greatest; counts, where WEIR_UNBOUNDED and WEIR_AUTO are no numbers */
    const char *const *texts; /* of each value; times in the unit of the pipeline */
    int better;               /* one would expect more (1) or less (-1) of it to help; 0: neither */
};

enum weir_sweep_state {
    WEIR_SWEEP_OPEN, /* stopped before */
    WEIR_SWEEP_DONE,
    WEIR_SWEEP_IMPOSSIBLE, /* no pipeline: a deadlock, more messages than fit, best above worst ... */
};

struct weir_sweep_cell {
    enum weir_claim claim;
    enum weir_deadline_state state;
    struct weir_ratio worst; /* ticks; the upper end of a bracket; denominator 0: there is no bound */
};

struct weir_sweep_point {
    enum weir_sweep_state state;
    bool met;                 /* every deadline; WEIR_SWEEP_DONE */
    struct weir_ratio period; /* denominator 0: not of this engine */
};

/* Where something that should help makes a bound worse. */
struct weir_sweep_anomaly {
    size_t latency; /* latency_count: the period */
    size_t axis;
    size_t count;    /* how many neighbours on this axis there are of which it is so */
    size_t from, to; /* points: of those the one with the greatest rise. `to` should be the better */
};

struct weir_sweep {
    const struct weir_pipeline *pipeline; /* with the first value of each axis, or else as `changes` leave it; sealed */
    const char *engine;                   /* as weir_engine_of has it */
    const struct weir_change *changes;    /* made first; their texts are the caller's */
    size_t change_count;
    const struct weir_sweep_axis *axes;
    size_t axis_count;
    size_t latency_count; /* of each point: the chains of the pipeline; on a GPU one */
    size_t point_count;   /* the last axis goes through its values first */
    const struct weir_sweep_point *points;
    const struct weir_sweep_cell *cells; /* point * latency_count + latency */
    size_t done;                         /* points that are not open */
    const struct weir_sweep_anomaly *anomalies;
    size_t anomaly_count;
};

/* Mistakes in changes and axes, as weir_change_apply has them, are added to errors. Caller frees. */
WEIR_API enum weir_status weir_sweep_run(const struct weir_pipeline *pipeline, const struct weir_sweep_options *options,
                                         struct weir_sweep **sweep, struct weir_errors *errors);
WEIR_API void weir_sweep_free(struct weir_sweep *sweep); /* NULL is fine */
/* What it comes to, for weir_answer_write_text, _json, _csv and _chart; `full`: the text has every point, however many. The verdict
 * is good where at some point every deadline is met and every latency has a bound. The sweep and the texts of its changes must live
 * on. Caller frees. */
WEIR_API enum weir_status weir_sweep_answer(const struct weir_sweep *sweep, bool full, struct weir_answer **answer,
                                            struct weir_error *error);
/* Which value of an axis a point has. */
WEIR_API size_t weir_sweep_value(const struct weir_sweep *sweep, size_t point, size_t axis);

#ifdef __cplusplus
}
#endif
#endif
