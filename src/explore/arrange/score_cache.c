/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/arrange/score_cache.h"

#include "base/alloc.h"

#include <string.h>

#define BYTES_MAX (UINT64_C(256) << 20)

static uint32_t find(const struct weir_score_cache *cache, const int64_t *point, uint32_t hash)
{
    struct weir_map_cursor probe = weir_map_begin(&cache->index, hash);
    while (weir_map_next(&cache->index, &probe) &&
           memcmp(cache->points + probe.value * cache->width, point, cache->width * sizeof *point) != 0)
        ;
    return probe.value;
}

const struct weir_score *weir_score_cache_find(const struct weir_score_cache *cache, const int64_t *point)
{
    uint32_t index = find(cache, point, weir_hash_bytes(point, cache->width * sizeof *point));
    return index != WEIR_MAP_NONE ? &cache->scores[index] : NULL;
}

bool weir_score_cache_add(struct weir_score_cache *cache, const int64_t *point, const struct weir_score *score)
{
    uint64_t bytes = (uint64_t)(cache->count + 1) * (cache->width * sizeof *point + sizeof *score + 2 * sizeof *cache->index.slots);
    if (bytes > BYTES_MAX)
        return true;
    void *points = cache->points, *scores = cache->scores;
    uint32_t hash = weir_hash_bytes(point, cache->width * sizeof *point);
    if (find(cache, point, hash) != WEIR_MAP_NONE)
        return true;
    bool good = weir_reserve(&points, &cache->point_capacity, (cache->count + 1) * cache->width, sizeof *point);
    cache->points = points;
    good = good && weir_reserve(&scores, &cache->score_capacity, cache->count + 1, sizeof *score);
    cache->scores = scores;
    if (!good || !weir_map_add(&cache->index, hash, (uint32_t)cache->count))
        return false;
    memcpy(cache->points + cache->count * cache->width, point, cache->width * sizeof *point);
    cache->scores[cache->count++] = *score;
    return true;
}

void weir_score_cache_free(struct weir_score_cache *cache)
{
    weir_free(cache->points);
    weir_free(cache->scores);
    weir_map_free(&cache->index);
}
