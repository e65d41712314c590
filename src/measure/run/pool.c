/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/pool.h"

#include "measure/run/shared.h"
#include "measure/run/wait.h"
#include "weir.h"

struct weir_pool_message {
    _Atomic uint32_t owners;
    _Atomic uint32_t next; /* in the stack of free ones: number + 1; 0: none */
    uint32_t number;
    void *linked; /* what the same execution took from the pool before it */
};

enum { HEADER = 64, LINE = 64 };
_Static_assert(sizeof(struct weir_pool_message) <= HEADER, "the messages themselves are aligned like lines of the caches");

static struct weir_pool_message *header_of(const void *message)
{
    return (struct weir_pool_message *)((uintptr_t)message - HEADER);
}

/* The messages of a chunk, and the number of its first. */
static uint32_t chunk_size(const struct weir_pool *pool, int chunk)
{
    return chunk == 0 ? pool->first : pool->first << (chunk - 1);
}

static unsigned char *begin_of(unsigned char *chunk)
{
    return chunk + (LINE - (uintptr_t)chunk % LINE) % LINE;
}

static struct weir_pool_message *numbered(const struct weir_pool *pool, uint32_t number)
{
    int chunk = 0;
    uint32_t first = 0;
    for (; number - first >= chunk_size(pool, chunk); chunk++)
        first += chunk_size(pool, chunk);
    unsigned char *base = atomic_load_explicit(&pool->chunks[chunk], memory_order_acquire);
    return (struct weir_pool_message *)(void *)(begin_of(base) + (number - first) * pool->stride);
}

/* ---- the stack of free ones ---- */

static void push(struct weir_pool *pool, struct weir_pool_message *m)
{
    uint64_t top = atomic_load_explicit(&pool->free, memory_order_relaxed), next;
    do {
        atomic_store_explicit(&m->next, (uint32_t)top, memory_order_relaxed);
        next = ((top >> 32) + 1) << 32 | (m->number + 1);
    } while (!atomic_compare_exchange_weak_explicit(&pool->free, &top, next, memory_order_release, memory_order_relaxed));
}

/* A top that was taken and put back meanwhile has another count of changes. */
static struct weir_pool_message *pop(struct weir_pool *pool)
{
    uint64_t top = atomic_load_explicit(&pool->free, memory_order_acquire), next;
    struct weir_pool_message *m;
    do {
        if ((uint32_t)top == 0)
            return NULL;
        m = numbered(pool, (uint32_t)top - 1);
        next = ((top >> 32) + 1) << 32 | atomic_load_explicit(&m->next, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&pool->free, &top, next, memory_order_acquire, memory_order_acquire));
    return m;
}

/* ---- memory ---- */

static bool add_chunk(struct weir_pool *pool, int chunk, uint32_t first)
{
    uint32_t count = chunk_size(pool, chunk);
    unsigned char *made =
        count <= SIZE_MAX / pool->stride - 1 ? weir_shared_array(pool->shared, count * pool->stride + LINE, 1) : NULL;
    if (!made)
        return false;
    atomic_store_explicit(&pool->chunks[chunk], made, memory_order_release);
    for (uint32_t i = count; i-- > 0;) {
        struct weir_pool_message *m = (struct weir_pool_message *)(void *)(begin_of(made) + i * pool->stride);
        m->number = first + i;
        push(pool, m);
    }
    return true;
}

bool weir_pool_open(struct weir_pool *pool, size_t bytes, uint32_t count)
{
    if (bytes > PTRDIFF_MAX / 2)
        return false;
    pool->stride = (HEADER + bytes + LINE - 1) / LINE * LINE;
    pool->first = count;
    return add_chunk(pool, 0, 0);
}

void weir_pool_close(struct weir_pool *pool)
{
    for (int i = 0; i < WEIR_POOL_CHUNKS; i++)
        weir_shared_free(pool->shared, atomic_load(&pool->chunks[i]));
}

/* One thread at a time; the others find what it adds. */
static bool grow(struct weir_pool *pool)
{
    uint32_t first = 0, idle = 0;
    int chunk = 0;
    if (!atomic_compare_exchange_strong(&pool->growing, &idle, 1)) {
        weir_futex_wait(&pool->growing, 1, INT64_MAX);
        return true;
    }
    for (; chunk < WEIR_POOL_CHUNKS && atomic_load(&pool->chunks[chunk]); chunk++)
        first += chunk_size(pool, chunk);
    bool good = (uint32_t)atomic_load(&pool->free) != 0 ||
                (!pool->shared && chunk < WEIR_POOL_CHUNKS && first <= UINT32_MAX / 4 && add_chunk(pool, chunk, first));
    atomic_store(&pool->growing, 0);
    weir_futex_wake(&pool->growing, INT32_MAX);
    return good;
}

/* ---- messages ---- */

void *weir_pool_take(struct weir_pool *pool, void **fresh)
{
    struct weir_pool_message *m;
    while (!(m = pop(pool)))
        if (!grow(pool))
            return NULL;
    atomic_store_explicit(&m->owners, 1, memory_order_relaxed);
    m->linked = *fresh;
    *fresh = (unsigned char *)m + HEADER;
    return *fresh;
}

void *weir_pool_next(const void *message)
{
    return header_of(message)->linked;
}

bool weir_pool_has(const struct weir_pool *pool, const void *message)
{
    uintptr_t at = (uintptr_t)message;
    for (int i = 0; i < WEIR_POOL_CHUNKS; i++) {
        unsigned char *chunk = atomic_load_explicit(&pool->chunks[i], memory_order_acquire);
        if (!chunk)
            return false;
        uintptr_t begin = (uintptr_t)begin_of(chunk) + HEADER;
        if (at < begin || at >= begin + chunk_size(pool, i) * pool->stride)
            continue;
        return (at - begin) % pool->stride == 0 && atomic_load_explicit(&header_of(message)->owners, memory_order_relaxed) > 0;
    }
    return false;
}

void weir_pool_keep(void *message)
{
    atomic_fetch_add_explicit(&header_of(message)->owners, 1, memory_order_relaxed);
}

/* What others wrote into it is over before it is taken again. */
void weir_pool_release(struct weir_pool *pool, void *message)
{
    struct weir_pool_message *m = header_of(message);
    if (atomic_fetch_sub_explicit(&m->owners, 1, memory_order_acq_rel) == 1)
        push(pool, m);
}
