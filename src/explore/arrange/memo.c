/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/arrange/memo.h"

#include "base/alloc.h"

#include <string.h>

#define BYTES_MAX (UINT64_C(256) << 20)

static uint32_t find(const struct weir_memo *memo, const int64_t *point, uint32_t hash)
{
    struct weir_map_cursor probe = weir_map_begin(&memo->index, hash);
    while (weir_map_next(&memo->index, &probe) &&
           memcmp(memo->points + probe.value * memo->width, point, memo->width * sizeof *point) != 0)
        ;
    return probe.value;
}

const struct weir_score *weir_memo_find(const struct weir_memo *memo, const int64_t *point)
{
    uint32_t index = find(memo, point, weir_hash_bytes(point, memo->width * sizeof *point));
    return index != WEIR_MAP_NONE ? &memo->scores[index] : NULL;
}

bool weir_memo_add(struct weir_memo *memo, const int64_t *point, const struct weir_score *score)
{
    uint64_t bytes = (uint64_t)(memo->count + 1) * (memo->width * sizeof *point + sizeof *score + 2 * sizeof *memo->index.slots);
    if (bytes > BYTES_MAX)
        return true;
    void *points = memo->points, *scores = memo->scores;
    uint32_t hash = weir_hash_bytes(point, memo->width * sizeof *point);
    if (find(memo, point, hash) != WEIR_MAP_NONE)
        return true;
    bool good = weir_reserve(&points, &memo->point_capacity, (memo->count + 1) * memo->width, sizeof *point);
    memo->points = points;
    good = good && weir_reserve(&scores, &memo->score_capacity, memo->count + 1, sizeof *score);
    memo->scores = scores;
    if (!good || !weir_map_add(&memo->index, hash, (uint32_t)memo->count))
        return false;
    memcpy(memo->points + memo->count * memo->width, point, memo->width * sizeof *point);
    memo->scores[memo->count++] = *score;
    return true;
}

void weir_memo_free(struct weir_memo *memo)
{
    weir_free(memo->points);
    weir_free(memo->scores);
    weir_map_free(&memo->index);
}
