/* SPDX-License-Identifier: Apache-2.0 */
#include "model/lower.h"

#include "base/alloc.h"

#include <stdlib.h>

static bool same_kind(const struct weir_arc_kind *a, const struct weir_arc_kind *b)
{
    return a->tokens == b->tokens && a->finish == b->finish && a->wait == b->wait && a->offset == b->offset;
}

bool weir_kinds_find(struct weir_kinds *k, const struct weir_arc_kind *kind, uint32_t *index)
{
    *index = k->last;
    if (k->last < k->count && same_kind(&k->list[k->last], kind))
        return true; /* as a rule */
    uint32_t hash = weir_hash_pair((uint64_t)kind->tokens * 8 + kind->finish * 131u + kind->wait, (uint64_t)kind->offset);
    struct weir_map_cursor probe = weir_map_begin(&k->index, hash);
    while (weir_map_next(&k->index, &probe) && !same_kind(&k->list[probe.value], kind))
        ;
    if (probe.value == WEIR_MAP_NONE) {
        if (!weir_reserve(&k->list, &k->capacity, k->count + 1, sizeof *k->list) ||
            !weir_map_add(&k->index, hash, (uint32_t)k->count))
            return false;
        probe.value = (uint32_t)k->count;
        k->list[k->count++] = *kind;
    }
    *index = k->last = probe.value;
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
    weir_map_free(&k->index);
    weir_free(k->rank);
    weir_free(k->by_rank);
    weir_free(k->fifo);
    weir_free(k->token_counts);
}
