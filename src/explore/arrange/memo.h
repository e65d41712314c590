/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of points, by point. */
#ifndef WEIR_EXPLORE_ARRANGE_MEMO_H
#define WEIR_EXPLORE_ARRANGE_MEMO_H

#include "base/map.h"
#include "explore/answer.h"

struct weir_memo {
    size_t width; /* values of a point; set it, and zero the rest */
    int64_t *points;
    struct weir_score *scores;
    size_t count, point_capacity, score_capacity;
    struct weir_map index;
};

/* NULL when it is not there. */
const struct weir_score *weir_memo_find(const struct weir_memo *memo, const int64_t *point);
/* Forgets it instead when that would take too much memory; false when out of memory. */
bool weir_memo_add(struct weir_memo *memo, const int64_t *point, const struct weir_score *score);
void weir_memo_free(struct weir_memo *memo);

#endif
