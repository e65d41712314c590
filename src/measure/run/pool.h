/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a run, with a count of references: each slot of a queue, each execution that took or made one, and each function that
 * keeps one. A message without references is free. Any thread may take, keep and release at any time.
 */
#ifndef WEIR_MEASURE_RUN_POOL_H
#define WEIR_MEASURE_RUN_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR_POOL_CHUNKS = 32 };

struct weir_pool_message; /* what stands before each */

struct weir_pool {
    size_t stride;
    bool shared;    /* with other processes: it does not grow */
    uint32_t first; /* messages of the first chunk; each further one doubles what there is */
    _Atomic(unsigned char *) chunks[WEIR_POOL_CHUNKS];
    _Atomic uint64_t free; /* a stack: the number of its top + 1, and above it a count of changes */
    _Atomic uint32_t growing;
};

/* With room for so many at first. False: out of memory. */
bool weir_pool_open(struct weir_pool *pool, size_t bytes, uint32_t count);
void weir_pool_close(struct weir_pool *pool);

/* One that the caller alone has, linked to what *fresh points to; NULL: out of memory. */
void *weir_pool_take(struct weir_pool *pool, void **fresh);
/* The one that it is linked to. */
void *weir_pool_next(const void *message);

/* Whether it is one of these, and in use. */
bool weir_pool_has(const struct weir_pool *pool, const void *message);
void weir_pool_keep(void *message);
void weir_pool_release(struct weir_pool *pool, void *message);

#endif
