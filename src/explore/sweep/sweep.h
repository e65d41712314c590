/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a sweep: its axes, what is done at each point, what is found in all of them. */
#ifndef WEIR_EXPLORE_SWEEP_SWEEP_H
#define WEIR_EXPLORE_SWEEP_SWEEP_H

#include "explore/change/change.h"

struct weir_sweeping {
    struct weir_sweep sweep; /* first, so that it can be freed by its address */
    struct weir_revision revision;
    const struct weir_sweep_options *options;
    struct weir_change *changes; /* fixed ones, then axes */
    struct weir_pipeline *plain; /* with the fixed changes, not sealed */
    struct weir_pipeline *base;
    struct weir_sweep_axis *axes;
    struct weir_value **values; /* by axis and value */
    struct weir_sweep_point *points;
    struct weir_sweep_cell *cells;
    struct weir_sweep_anomaly *anomalies;
    bool fast; /* an evaluator can do it */
};

/* The assignment of an axis. */
const struct weir_assignment *weir_sweeping_axis(const struct weir_sweeping *sweeping, size_t axis);
/* Makes the axes, once the revision is read: reports ranges that are none, and too many points. */
enum weir_status weir_sweep_lay_out(struct weir_sweeping *sweeping);
/* A pipeline with the fixed changes and, where `point` is one, its values; sealed. WEIR_INVALID where there is none. */
#define WEIR_NO_POINT SIZE_MAX
enum weir_status weir_sweep_build(const struct weir_sweeping *sweeping, size_t point, struct weir_pipeline **pipeline,
                                  struct weir_error *error);
/* Asks at every point. */
enum weir_status weir_sweep_ask(struct weir_sweeping *sweeping, struct weir_error *error);
/* Looks for anomalies. */
enum weir_status weir_sweep_compare(struct weir_sweeping *sweeping);

#endif
