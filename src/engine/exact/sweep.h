/* SPDX-License-Identifier: Apache-2.0 */
/* The paths through the region of the one-pass case. Each fills in best, start and relaxations. */
#ifndef WEIR_ENGINE_EXACT_SWEEP_H
#define WEIR_ENGINE_EXACT_SWEEP_H

#include "base/interrupt.h"
#include "engine/exact/solver.h"

struct weir_onepass {
    struct weir_trace_region *region;
    const struct weir_problem *problem;
    int64_t row_count;
    int64_t ring; /* rows that are kept */
    uint64_t relaxations;
    int64_t best;
    struct weir_onepass_start start;
};

static inline bool weir_sweep_goes_on(const struct weir_onepass *sweep)
{
    return sweep->relaxations < sweep->problem->work_limit && !weir_interrupted();
}

/* region.rows holds row r at (r % ring) * actor_count. */
void weir_sweep_rows(struct weir_onepass *sweep);

/* Up to this many arcs per actor steps are faster than rows. */
enum { WEIR_STEPS_DEGREE = 16, WEIR_FLAT_ARCS = 1 << 12 };

void weir_steps_free(struct weir_steps *steps);
static inline bool weir_steps_are_made(const struct weir_steps *m, const struct weir_problem *p)
{
    return m->made && m->target == p->target && m->target_finish == p->target_finish && m->target_row == p->target_row &&
           m->reference == p->reference && m->reference_finish == p->reference_finish && m->reference_row == p->reference_row;
}
/* Translates the region of the problem into steps, unless there are more arcs to look at than may be. False when out of memory. */
bool weir_steps_make(struct weir_steps *steps, const struct weir_problem *problem, const int64_t *ancestor_row);
/* Asked the same again: a small region gets steps of each node, which are quicker, and take longer to make. */
bool weir_steps_again(struct weir_steps *steps, const struct weir_problem *problem);
/* The steps of each node. False when out of memory. */
bool weir_steps_flatten(struct weir_steps *steps, const struct weir_problem *problem);
int64_t weir_steps_run_flat(const struct weir_steps *steps, const int64_t *hi, int64_t *cells);
/* The worst separation. Needs steps that fit, and steps->cells cells. */
int64_t weir_steps_run(const struct weir_steps *steps, const struct weir_graph *graph, int64_t *cells);

#endif
