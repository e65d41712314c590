/* SPDX-License-Identifier: Apache-2.0 */
/* Between the search for a batch size and that for merges. */
#ifndef WEIR_EXPLORE_BATCH_H
#define WEIR_EXPLORE_BATCH_H

#include "weir.h"

/* What a batched model comes to. `gathering` gets the longest a sample waits for the rest of its batch, below which no latency is;
 * may be NULL. */
enum weir_status weir_batch_judge(const struct weir_pipeline *batched, const struct weir_batch_options *options,
                                  struct weir_batch_point *point, struct weir_ratio *gathering, struct weir_error *error);
/* Within the limits before not; then the lower latency; then the lower utilisation. */
bool weir_batch_better(const struct weir_batch_point *a, const struct weir_batch_point *b);
/* Merges operators of *batched as long as that makes it better; *batched and *point become what was found. */
enum weir_status weir_batch_merge(struct weir_pipeline **batched, const struct weir_batch_options *options,
                                  struct weir_batch_point *point, size_t *merges, struct weir_error *error);

#endif
