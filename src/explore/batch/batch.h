/* SPDX-License-Identifier: Apache-2.0 */
/* Between the search for a batch size and that for merges. */
#ifndef WEIR_EXPLORE_BATCH_BATCH_H
#define WEIR_EXPLORE_BATCH_BATCH_H

#include "weir.h"

/* What holds for this batch and every larger one. */
struct weir_batch_floor {
    struct weir_ratio latency; /* the longest of all pairs is at least this: samples gather, and their last execution takes time */
    bool hopeless;             /* some limit on a latency cannot be kept */
};

/* What a batched model comes to. `floor` may be NULL. */
enum weir_status weir_batch_judge(const struct weir_pipeline *batched, const struct weir_batch_options *options,
                                  struct weir_batch_point *point, struct weir_batch_floor *floor, struct weir_error *error);
/* By options->stop. */
bool weir_batch_stopped(const struct weir_batch_options *options);
/* Within the limits before not; then the lower latency; then the lower utilisation. */
bool weir_batch_better(const struct weir_batch_point *a, const struct weir_batch_point *b);
/* Merges operators of *batched as long as that makes it better, or until it is to stop; *batched and *point become what was
 * found. */
enum weir_status weir_batch_merge(struct weir_pipeline **batched, const struct weir_batch_options *options,
                                  struct weir_batch_point *point, size_t *merges, struct weir_error *error);

#endif
