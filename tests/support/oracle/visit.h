/* SPDX-License-Identifier: Apache-2.0 */
/* The states that an interpreter of timed automata has seen, each once. */
#ifndef WEIR_TESTS_ORACLE_VISIT_H
#define WEIR_TESTS_ORACLE_VISIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct network;

struct visit {
    struct network *network;
    int *states; /* one after the other */
    size_t width, count, limit;
    uint32_t *index;
    size_t index_size;
};

static inline void visit(struct visit *v, const int *state)
{
    uint64_t h = 0;
    for (size_t i = 0; i < v->width; i++)
        h = (h ^ (uint32_t)state[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    size_t slot = h & (v->index_size - 1);
    for (; v->index[slot]; slot = (slot + 1) & (v->index_size - 1))
        if (memcmp(v->states + (v->index[slot] - 1) * v->width, state, v->width * sizeof *state) == 0)
            return;
    if (v->count == v->limit)
        return;
    memcpy(v->states + v->count++ * v->width, state, v->width * sizeof *state);
    v->index[slot] = (uint32_t)v->count;
}

#endif
