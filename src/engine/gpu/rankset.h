/* SPDX-License-Identifier: Apache-2.0 */
/* A set of small numbers, walked through from the least. */
#ifndef WEIR_ENGINE_GPU_RANKSET_H
#define WEIR_ENGINE_GPU_RANKSET_H

#include <stdint.h>

struct weir_gpu_rankset {
    uint64_t *words; /* one bit for each number below `limit`, zeroed to begin with */
    uint32_t limit;
    uint32_t low; /* no number in words before this one */
};

static inline uint32_t weir_gpu_rankset_words(uint32_t limit)
{
    return limit / 64 + 1;
}

static inline void weir_gpu_rankset_add(struct weir_gpu_rankset *set, uint32_t number)
{
    set->words[number / 64] |= UINT64_C(1) << number % 64;
    set->low = number / 64 < set->low ? number / 64 : set->low;
}

static inline void weir_gpu_rankset_remove(struct weir_gpu_rankset *set, uint32_t number)
{
    set->words[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* The least number in the set that is not below `from`, or the limit. */
static inline uint32_t weir_gpu_rankset_next(struct weir_gpu_rankset *set, uint32_t from)
{
    if (from >= set->limit)
        return set->limit;
    uint32_t count = weir_gpu_rankset_words(set->limit), at = from / 64;
    uint64_t rest = set->words[at] & (~UINT64_C(0) << from % 64);
    if (!rest && at < set->low)
        at = set->low - 1;
    while (!rest && ++at < count)
        rest = set->words[at];
    if (from == 0)
        set->low = at < count ? at : count;
    return rest ? at * 64 + (uint32_t)__builtin_ctzll(rest) : set->limit;
}

#endif
