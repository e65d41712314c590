/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sorted.h"

#include "base/alloc.h"
#include "weir.h"

bool weir_groups_make(struct weir_groups *g, size_t owners, size_t items, uint32_t (*owner)(const void *context, uint32_t item),
                      const void *context)
{
    g->first = items < UINT32_MAX ? weir_array_zeroed(owners + 2, sizeof *g->first) : NULL;
    g->item = weir_array(items, sizeof *g->item);
    if (!g->first || !g->item)
        return false;
    for (uint32_t i = 0; i < items; i++)
        if (owner(context, i) != UINT32_MAX)
            g->first[owner(context, i) + 2]++;
    for (size_t i = 2; i < owners + 2; i++)
        g->first[i] += g->first[i - 1];
    for (uint32_t i = 0; i < items; i++)
        if (owner(context, i) != UINT32_MAX)
            g->item[g->first[owner(context, i) + 1]++] = i;
    return true;
}

void weir_groups_free(struct weir_groups *g)
{
    weir_free(g->first);
    weir_free(g->item);
}

size_t weir_count_before(const void *items, size_t count, size_t size, bool (*before)(const void *item, const void *key),
                         const void *key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before((const char *)items + middle * size, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int weir_ascending_u32(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

int weir_ascending_i64(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}
