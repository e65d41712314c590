/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kinds.h"

#include "base/alloc.h"

#include <stdlib.h>

static bool same_kind(const struct weir_arc_kind *a, const struct weir_arc_kind *b)
{
    return a->tokens == b->tokens && a->finish == b->finish && a->wait == b->wait && a->offset == b->offset;
}

static size_t kind_slot(const struct weir_kinds *k, const struct weir_arc_kind *kind)
{
    uint64_t h = ((uint64_t)kind->tokens * 8 + kind->finish * 131u + kind->wait) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)kind->offset * UINT64_C(0xbf58476d1ce4e5b9);
    size_t slot = (h >> 20) & (k->index_size - 1);
    while (k->index[slot] && !same_kind(&k->list[k->index[slot] - 1], kind))
        slot = (slot + 1) & (k->index_size - 1);
    return slot;
}

static bool grow_kinds(struct weir_kinds *k)
{
    void *kinds = k->list;
    if (!weir_reserve(&kinds, &k->capacity, k->count + 1, sizeof *k->list))
        return false;
    k->list = kinds;
    if (k->count * 2 < k->index_size)
        return true;
    size_t size = k->index_size ? k->index_size * 2 : 64;
    uint32_t *index = weir_array_zeroed(size, sizeof *index);
    if (!index)
        return false;
    weir_free(k->index);
    k->index = index;
    k->index_size = size;
    for (size_t i = 0; i < k->count; i++)
        index[kind_slot(k, &k->list[i])] = (uint32_t)i + 1;
    return true;
}

bool weir_kinds_find(struct weir_kinds *k, const struct weir_arc_kind *kind, uint32_t *index)
{
    *index = k->last;
    if (k->last < k->count && same_kind(&k->list[k->last], kind))
        return true; /* as a rule */
    if (!grow_kinds(k))
        return false;
    size_t slot = kind_slot(k, kind);
    if (!k->index[slot]) {
        k->list[k->count++] = *kind;
        k->index[slot] = (uint32_t)k->count;
    }
    *index = k->last = k->index[slot] - 1;
    return true;
}

static int by_key(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

bool weir_kinds_rank(struct weir_kinds *k)
{
    size_t count = k->count;
    uint64_t *keys = weir_array(count, sizeof *keys);
    uint32_t *distinct = k->token_counts = weir_array(count, sizeof *distinct);
    k->rank = weir_array(count, sizeof *k->rank);
    k->by_rank = weir_array(count, sizeof *k->by_rank);
    k->fifo = weir_array(count, sizeof *k->fifo);
    if (!keys || !distinct || !k->rank || !k->by_rank || !k->fifo) {
        weir_free(keys);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)k->list[i].tokens << 32 | i;
    qsort(keys, count, sizeof *keys, by_key);
    uint32_t counts = 0;
    for (size_t r = 0; r < count; r++) {
        uint32_t kind = (uint32_t)keys[r], tokens = k->list[kind].tokens;
        k->rank[kind] = (uint32_t)r;
        k->by_rank[r] = kind;
        if (counts == 0 || distinct[counts - 1] != tokens)
            distinct[counts++] = tokens;
        k->fifo[kind] = counts - 1;
    }
    k->token_count_count = counts;
    weir_free(keys);
    return true;
}

void weir_kinds_free(struct weir_kinds *k)
{
    weir_free(k->list);
    weir_free(k->index);
    weir_free(k->rank);
    weir_free(k->by_rank);
    weir_free(k->fifo);
    weir_free(k->token_counts);
}
