/* SPDX-License-Identifier: Apache-2.0 */
/* The paths through the region of the one-pass case. Each fills in best, start and relaxations. */
#ifndef WEIR_ENGINE_EXACT_SWEEP_H
#define WEIR_ENGINE_EXACT_SWEEP_H

#include "base/interrupt.h"
#include "engine/exact/solver.h"

/* Blocks of fewer rows are not worth their bookkeeping. */
#define WEIR_BLOCK_MIN 4

struct weir_onepass {
    struct weir_region *region;
    const struct weir_problem *problem;
    int64_t row_count;
    int64_t ring;   /* rows that are kept */
    int64_t stride; /* from one row to the next: actor_count, and one more for a stream */
    uint64_t relaxations;
    int64_t best;
    struct weir_onepass_start start;
};

static inline bool weir_sweep_goes_on(const struct weir_onepass *sweep)
{
    return sweep->relaxations < sweep->problem->work_limit && !weir_interrupted();
}

/* region.rows holds row r at (r % ring) * stride. */
void weir_sweep_rows(struct weir_onepass *sweep);
/* Points region.row_of to the rows that `row`, stored at `slot`, looks back to. */
void weir_sweep_locate(struct weir_onepass *sweep, int64_t row, int64_t slot);

/* Up to this many arcs per actor, and from this many actors on, the stream is faster; solver->region.stream_from can be changed. */
enum { WEIR_STREAM_DEGREE = 16, WEIR_STREAM_ACTORS = 256 };
/* Prepares region.stream, or leaves it empty where the graph is too dense for it. False when out of memory. */
bool weir_stream_make(struct weir_region *region, const struct weir_graph *graph);
void weir_stream_free(struct weir_stream *stream);
/* As weir_sweep_rows. Needs a stream. False when out of memory. */
bool weir_sweep_stream(struct weir_onepass *sweep);

/* region.rows holds actor o at o * row_count; needs graph->block_rows >= 1 and ring == row_count. */
void weir_sweep_columns(struct weir_onepass *sweep);

#endif
