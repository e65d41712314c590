/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_EXACT_FOLD_H
#define WEIR_ENGINE_EXACT_FOLD_H

#include "weir.h"

/* A path that is being written: segments whose `steps` point into one array, one after the other. */
struct weir_path {
    struct weir_segment *segments;
    size_t count, capacity;
};

/* Appends a segment; an empty one is left out. False when out of memory. */
bool weir_path_append(struct weir_path *path, struct weir_segment segment);
/* Writes the path `from` as shortly as it can be into `to` (empty before): what repeats is written once. The steps stay where they
 * are. O(stored steps). False when out of memory. */
bool weir_path_fold(const struct weir_path *from, struct weir_path *to);

#endif
