/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/arrange/memo.h"

#include "base/alloc.h"

#include <string.h>

#define BYTES_MAX (UINT64_C(256) << 20)

static size_t slot_of(const struct weir_memo *memo, const int64_t *point)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < memo->width; i++) {
        hash = (hash ^ (uint64_t)point[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    size_t slot = (size_t)hash & (memo->slot_count - 1);
    while (memo->slots[slot] &&
           memcmp(memo->points + (memo->slots[slot] - 1) * memo->width, point, memo->width * sizeof *point) != 0)
        slot = (slot + 1) & (memo->slot_count - 1);
    return slot;
}

const struct weir_score *weir_memo_find(const struct weir_memo *memo, const int64_t *point)
{
    if (!memo->count)
        return NULL;
    uint32_t index = memo->slots[slot_of(memo, point)];
    return index ? &memo->scores[index - 1] : NULL;
}

static bool grow_slots(struct weir_memo *memo)
{
    if (memo->count * 2 < memo->slot_count)
        return true;
    size_t size = memo->slot_count ? memo->slot_count * 2 : 256;
    uint32_t *grown = weir_array_zeroed(size, sizeof *grown);
    if (!grown)
        return false;
    weir_free(memo->slots);
    memo->slots = grown;
    memo->slot_count = size;
    for (size_t i = 0; i < memo->count; i++)
        grown[slot_of(memo, memo->points + i * memo->width)] = (uint32_t)i + 1;
    return true;
}

bool weir_memo_add(struct weir_memo *memo, const int64_t *point, const struct weir_score *score)
{
    uint64_t bytes = (uint64_t)(memo->count + 1) * (memo->width * sizeof *point + sizeof *score + 2 * sizeof *memo->slots);
    if (bytes > BYTES_MAX)
        return true;
    void *points = memo->points, *scores = memo->scores;
    bool good = grow_slots(memo) && weir_reserve(&points, &memo->point_capacity, (memo->count + 1) * memo->width, sizeof *point);
    memo->points = points;
    good = good && weir_reserve(&scores, &memo->score_capacity, memo->count + 1, sizeof *score);
    memo->scores = scores;
    if (!good)
        return false;
    size_t slot = slot_of(memo, point);
    if (memo->slots[slot])
        return true;
    memcpy(memo->points + memo->count * memo->width, point, memo->width * sizeof *point);
    memo->scores[memo->count] = *score;
    memo->slots[slot] = (uint32_t)++memo->count;
    return true;
}

void weir_memo_free(struct weir_memo *memo)
{
    weir_free(memo->points);
    weir_free(memo->scores);
    weir_free(memo->slots);
}
