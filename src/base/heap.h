/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary heaps over an array of the caller's, as inline functions for one type of item: no call to compare, no allocation.
 * WEIR_HEAP(jobs, struct job, const struct desk *, job_before, WEIR_HEAP_STAYS) defines
 *
 *     jobs_push(context, heap, &count, item)         the array has room for one more
 *     jobs_pop(context, heap, &count)                the first; there is one
 *     jobs_rise(context, heap, at, item)             puts the item at `at`, or above where it belongs there
 *     jobs_sink(context, heap, count, at, item)      puts the item at `at`, or below
 *
 * job_before(context, &a, &b) says whether a comes before b; the context is whatever that needs. WEIR_HEAP_PLACED(context, item,
 * at) in place of WEIR_HEAP_STAYS is called with the new position of each item that moves. Items that are equal come in any order,
 * but always in the same.
 */
#ifndef WEIR_BASE_HEAP_H
#define WEIR_BASE_HEAP_H

#include <stddef.h>

#define WEIR_HEAP_STAYS(context, item, at) ((void)(context))

/* NOLINTBEGIN(bugprone-macro-parentheses): types and names of functions take none. */
#define WEIR_HEAP(name, type, context_type, before, placed)                                                                        \
    __attribute__((unused)) static inline void name##_rise(context_type context, type *heap, size_t at, type item)                 \
    {                                                                                                                              \
        for (; at > 0 && before(context, &item, &heap[(at - 1) / 2]); at = (at - 1) / 2) {                                         \
            heap[at] = heap[(at - 1) / 2];                                                                                         \
            placed(context, heap[at], at);                                                                                         \
        }                                                                                                                          \
        heap[at] = item;                                                                                                           \
        placed(context, item, at);                                                                                                 \
    }                                                                                                                              \
    __attribute__((unused)) static inline void name##_sink(context_type context, type *heap, size_t count, size_t at, type item)   \
    {                                                                                                                              \
        for (size_t child; (child = 2 * at + 1) < count; at = child) {                                                             \
            if (child + 1 < count && before(context, &heap[child + 1], &heap[child]))                                              \
                child++;                                                                                                           \
            if (!before(context, &heap[child], &item))                                                                             \
                break;                                                                                                             \
            heap[at] = heap[child];                                                                                                \
            placed(context, heap[at], at);                                                                                         \
        }                                                                                                                          \
        heap[at] = item;                                                                                                           \
        placed(context, item, at);                                                                                                 \
    }                                                                                                                              \
    __attribute__((unused)) static inline void name##_push(context_type context, type *heap, size_t *count, type item)             \
    {                                                                                                                              \
        name##_rise(context, heap, (*count)++, item);                                                                              \
    }                                                                                                                              \
    __attribute__((unused)) static inline type name##_pop(context_type context, type *heap, size_t *count)                         \
    {                                                                                                                              \
        type first = heap[0];                                                                                                      \
        if (--*count)                                                                                                              \
            name##_sink(context, heap, *count, 0, heap[*count]);                                                                   \
        return first;                                                                                                              \
    }                                                                                                                              \
    _Static_assert(sizeof(type) > 0, "a semicolon follows")
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
