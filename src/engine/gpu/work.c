/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work before each kernel. What a kernel with one predecessor stands behind is that predecessor and all before it; only at
 * joins do sets have to be united. The sets of all kernels together would take n^2 bits: they are made for a few columns of
 * predecessors at a time, in order, and their loads summed up, a byte of a set by a look into a table.
 */
#include "base/alloc.h"
#include "engine/gpu/divide.h"

#include <string.h>

enum { WORDS = 4, COLUMNS = 64 * WORDS };

struct columns {
    const struct weir_kernels *kernels;
    uint32_t *place;         /* by kernel: where it is in kernels->order */
    uint64_t (*sets)[WORDS]; /* by place: which kernels of the columns stand before it */
    int64_t (*sums)[256];    /* by byte of a set: the load of the kernels in it */
    const struct weir_gpu_system *system;
};

static void prepare_sums(struct columns *c, uint32_t from)
{
    for (uint32_t byte = 0; byte < 8 * WORDS; byte++) {
        c->sums[byte][0] = 0;
        for (uint32_t bits = 1; bits < 256; bits++) {
            uint32_t lowest = (uint32_t)__builtin_ctz(bits), at = from + 8 * byte + lowest;
            int64_t load = at < c->kernels->count ? c->system->load[c->kernels->order[at]] : 0;
            c->sums[byte][bits] = c->sums[byte][bits & (bits - 1)] + load;
        }
    }
}

static int64_t sum(const struct columns *c, const uint64_t set[WORDS])
{
    int64_t total = 0;
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint64_t rest = set[word], byte = 8 * (uint64_t)word; rest; rest >>= 8, byte++)
            total += c->sums[byte][rest & 255];
    return total;
}

static void do_columns(struct columns *c, uint32_t from, int64_t *work)
{
    const struct weir_kernels *k = c->kernels;
    prepare_sums(c, from);
    for (uint32_t at = from; at < k->count; at++) {
        uint32_t v = k->order[at];
        uint64_t *set = c->sets[at];
        memset(set, 0, sizeof c->sets[at]);
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++) {
            uint32_t before = c->place[k->before[j]];
            if (before < from)
                continue; /* all before it are, too */
            for (uint32_t word = 0; word < WORDS; word++)
                set[word] |= c->sets[before][word];
            if (before - from < COLUMNS)
                set[(before - from) / 64] |= UINT64_C(1) << (before - from) % 64;
        }
        if (k->first_before[v + 1] - k->first_before[v] > 1)
            work[v] += sum(c, set);
    }
}

static bool has_joins(const struct weir_kernels *k)
{
    for (uint32_t v = 0; v < k->count; v++)
        if (k->first_before[v + 1] - k->first_before[v] > 1)
            return true;
    return false;
}

bool weir_gpu_work_before(const struct weir_gpu_system *s, int64_t *work)
{
    const struct weir_kernels *k = s->kernels;
    struct columns c = {.kernels = k, .system = s};
    c.place = weir_array(k->count, sizeof *c.place);
    c.sets = weir_array(k->count, sizeof *c.sets);
    c.sums = weir_array((size_t)8 * WORDS, sizeof *c.sums);
    bool done = c.place && c.sets && c.sums;
    if (done) {
        for (uint32_t at = 0; at < k->count; at++)
            c.place[k->order[at]] = at;
        memcpy(work, s->load, k->count * sizeof *work);
        for (uint32_t from = 0; from < k->count && has_joins(k); from += COLUMNS)
            do_columns(&c, from, work);
        for (uint32_t at = 0; at < k->count; at++) {
            uint32_t v = k->order[at];
            if (k->first_before[v + 1] - k->first_before[v] == 1)
                work[v] += work[k->before[k->first_before[v]]];
        }
    }
    weir_free(c.place);
    weir_free(c.sets);
    weir_free(c.sums);
    return done;
}
