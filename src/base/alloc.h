/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: everything the library allocates passes through weir_resize, so that a test can fail each allocation in turn. */
#ifndef WEIR_BASE_ALLOC_H
#define WEIR_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* As realloc, but 0 bytes frees. NULL on failure; the old block then stays as it was. */
void *weir_resize(void *old, size_t bytes);
/* count * size bytes, uninitialised; NULL on failure or when the product overflows. count 0 gives a block of one byte. */
void *weir_array(size_t count, size_t size);
/* The same, zeroed. */
void *weir_array_zeroed(size_t count, size_t size);

/* Makes room for at least `need` elements of `size` bytes in the array of *capacity that the pointer at `array` leads to, growing
 * by half, large ones by an eighth; false, and nothing changed, when out of memory. */
bool weir_reserve(void *array, size_t *capacity, size_t need, size_t size);

/* One block after another, freed together: what a model, a result or a computation owns. Zero-initialise. */
struct weir_arena {
    struct weir_arena_block *last;
    bool failed; /* something that was asked for is not there: one look after many is enough */
};
void *weir_arena_take(struct weir_arena *arena, size_t bytes); /* aligned to 16; NULL on failure */
/* count * size bytes, zeroed; NULL on failure or when the product overflows. */
void *weir_arena_array(struct weir_arena *arena, size_t count, size_t size);
char *weir_arena_text(struct weir_arena *arena, const char *text);
char *weir_arena_bytes(struct weir_arena *arena, const char *text, size_t bytes); /* these, and a 0 behind them */
void weir_arena_free(struct weir_arena *arena);                                   /* it can be used again */

#endif
