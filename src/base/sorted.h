/* SPDX-License-Identifier: Apache-2.0 */
/* Items by what they belong to, and searches in sorted arrays. */
#ifndef WEIR_BASE_SORTED_H
#define WEIR_BASE_SORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The items of owner o, in their order: item[first[o]] .. item[first[o + 1] - 1]. Zero-initialise. */
struct weir_groups {
    uint32_t *first, *item;
};

/* `owner` returns the owner of an item; UINT32_MAX: none. False when out of memory; to be freed nevertheless. */
bool weir_groups_make(struct weir_groups *groups, size_t owners, size_t items,
                      uint32_t (*owner)(const void *context, uint32_t item), const void *context);
void weir_groups_free(struct weir_groups *groups);

/* How many of the sorted items, each of `size` bytes, come before the key. */
size_t weir_count_before(const void *items, size_t count, size_t size, bool (*before)(const void *item, const void *key),
                         const void *key);

/* For qsort: numbers in ascending order. */
int weir_ascending_u32(const void *left, const void *right);
int weir_ascending_i64(const void *left, const void *right);

#endif
