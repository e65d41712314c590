/* SPDX-License-Identifier: Apache-2.0 */
#include "render/heap.h"

#include <stdbool.h>

static bool before(struct weir_heap_item a, struct weir_heap_item b)
{
    return a.key != b.key ? a.key < b.key : a.value < b.value;
}

void weir_heap_push(struct weir_heap_item *items, size_t *count, struct weir_heap_item item)
{
    size_t hole = (*count)++;
    for (; hole > 0 && before(item, items[(hole - 1) / 2]); hole = (hole - 1) / 2)
        items[hole] = items[(hole - 1) / 2];
    items[hole] = item;
}

struct weir_heap_item weir_heap_pop(struct weir_heap_item *items, size_t *count)
{
    struct weir_heap_item first = items[0], last = items[--*count];
    size_t hole = 0;
    for (size_t child = 1; child < *count; child = 2 * hole + 1) {
        child += child + 1 < *count && before(items[child + 1], items[child]);
        if (!before(items[child], last))
            break;
        items[hole] = items[child];
        hole = child;
    }
    items[hole] = last;
    return first;
}
