/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include "weir.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct weir_allocator hook;

void weir_set_allocator(const struct weir_allocator *allocator)
{
    if (allocator)
        hook = *allocator;
    else
        hook.resize = NULL;
}

void *weir_resize(void *old, size_t bytes)
{
    if (hook.resize)
        return hook.resize(hook.context, old, bytes);
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, bytes);
}

void weir_free(void *memory)
{
    if (memory)
        weir_resize(memory, 0);
}

void *weir_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return weir_resize(NULL, bytes ? bytes : 1);
}

void *weir_array_zeroed(size_t count, size_t size)
{
    void *block = weir_array(count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

#define LARGE ((size_t)16 << 20)

bool weir_reserve(void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return true;
    /* By half; an array of many megabytes, which is moved without being copied, by an eighth: what it leaves unused counts. */
    size_t more = *capacity > LARGE / (size ? size : 1) ? *capacity / 8 : *capacity / 2, grown = *capacity + more + 8;
    if (grown < need)
        grown = need;
    size_t bytes;
    if (__builtin_mul_overflow(grown, size, &bytes) || bytes > PTRDIFF_MAX)
        return false;
    void *block;
    memcpy(&block, array, sizeof block); /* the pointer there is of any type */
    block = weir_resize(block, bytes);
    if (!block)
        return false;
    memcpy(array, &block, sizeof block);
    *capacity = grown;
    return true;
}

struct weir_arena_block {
    struct weir_arena_block *before;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

/* What is asked for shares a block, unless allocations are counted: an allocator that a test refuses each allocation with, or an
 * address sanitizer that tells what is written behind the end of one. */
static bool shares_blocks(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return false;
#else
    return !hook.resize;
#endif
}

void *weir_arena_take(struct weir_arena *arena, size_t bytes)
{
    if (bytes > PTRDIFF_MAX / 2) {
        arena->failed = true;
        return NULL;
    }
    bool shared = shares_blocks();
    if (shared)
        bytes = (bytes + 15) & ~(size_t)15;
    struct weir_arena_block *block = arena->last;
    if (!block || !shared || block->size - block->used < bytes) {
        size_t size = bytes > 4000 || !shared ? bytes : 4000;
        block = weir_resize(NULL, sizeof *block + size);
        arena->failed |= !block;
        if (!block)
            return NULL;
        *block = (struct weir_arena_block){.before = arena->last, .size = size};
        arena->last = block;
    }
    void *taken = block->bytes + block->used;
    block->used += bytes;
    return taken;
}

void *weir_arena_array(struct weir_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; /* which there is not */
    void *block = weir_arena_take(arena, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

char *weir_arena_text(struct weir_arena *arena, const char *text)
{
    return weir_arena_bytes(arena, text, strlen(text));
}

char *weir_arena_bytes(struct weir_arena *arena, const char *text, size_t bytes)
{
    char *copy = weir_arena_take(arena, bytes + 1);
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = 0;
    }
    return copy;
}

void weir_arena_free(struct weir_arena *arena)
{
    while (arena->last) {
        struct weir_arena_block *block = arena->last;
        arena->last = block->before;
        weir_resize(block, 0);
    }
    arena->failed = false;
}
