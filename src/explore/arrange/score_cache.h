/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of points, by point. */
#ifndef WEIR_EXPLORE_ARRANGE_SCORE_CACHE_H
#define WEIR_EXPLORE_ARRANGE_SCORE_CACHE_H

#include "base/map.h"
#include "explore/arrange/score.h"

struct weir_score_cache {
    size_t width; /* values of a point; set it, and zero the rest */
    int64_t *points;
    struct weir_score *scores;
    size_t count, point_capacity, score_capacity;
    struct weir_map index;
};

/* NULL when it is not there. */
const struct weir_score *weir_score_cache_find(const struct weir_score_cache *cache, const int64_t *point);
/* Forgets it instead when that would take too much memory; false when out of memory. */
bool weir_score_cache_add(struct weir_score_cache *cache, const int64_t *point, const struct weir_score *score);
void weir_score_cache_free(struct weir_score_cache *cache);

#endif
