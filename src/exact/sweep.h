/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways through the region of the one-pass case. Both fill in best, start and relaxations. */
#ifndef WEIR_EXACT_SWEEP_H
#define WEIR_EXACT_SWEEP_H

#include "exact/solver.h"

/* Blocks of fewer rows are not worth their bookkeeping. */
#define WEIR_BLOCK_MIN 4

struct weir_sweep {
    struct weir_region *region;
    const struct weir_problem *problem;
    int64_t row_count;
    int64_t ring; /* rows that are kept */
    uint64_t relaxations;
    int64_t best;
    struct weir_onepass_start start;
};

/* region.rows holds row r at (r % ring) * actor_count. */
void weir_sweep_rows(struct weir_sweep *sweep);
/* region.rows holds actor o at o * row_count; needs graph->block_rows >= 1 and ring == row_count. */
void weir_sweep_columns(struct weir_sweep *sweep);

#endif
