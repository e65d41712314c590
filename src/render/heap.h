/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest first; among equals the one of the smallest value. The caller has made room. */
#ifndef WEIR_RENDER_HEAP_H
#define WEIR_RENDER_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct weir_heap_item {
    int64_t key;
    uint32_t value;
};

void weir_heap_push(struct weir_heap_item *items, size_t *count, struct weir_heap_item item);
/* There must be one. */
struct weir_heap_item weir_heap_pop(struct weir_heap_item *items, size_t *count);

#endif
