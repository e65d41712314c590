/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block holds the kernels before a join that are in no block yet. What is before any of the joins so far is a set that holds all
 * before its members, so a walk backwards from the join that stops at kernels with a block finds the new one.
 */
#include "base/alloc.h"
#include "engine/gpu/fill.h"

#include <stdlib.h>
#include <string.h>

struct ranked {
    int64_t work;
    uint32_t place, kernel; /* place: in kernels->order */
};

struct divider {
    const struct weir_gpu_system *system;
    struct weir_gpu_division *division;
    struct ranked *sorted;
    uint32_t *waiting; /* by kernel: how many it depends on in its block that have no group yet */
    uint32_t *stack;
    struct weir_gpu_rankset heads;
    uint32_t placed;
};

uint32_t weir_gpu_usable(const struct weir_gpu_system *s, uint32_t v, int64_t load)
{
    const struct weir_kernel *k = &s->kernels->kernels[v];
    if (k->times)
        return weir_gpu_widest(s, v, load, UINT32_MAX);
    if (!k->min_time && !s->granularity[v])
        return UINT32_MAX;
    int64_t unit = s->granularity[v], least = s->least[v], width;
    if (unit) {
        int64_t each = least / unit > 1 ? least / unit : 1, granules = load / unit + (load % unit > 0);
        width = granules / each + (granules % each > 0);
    } else {
        width = load / least + (load % least > 0);
    }
    return width < UINT32_MAX ? (uint32_t)width : UINT32_MAX;
}

/* Descending work; among equals the first in order. */
static int by_work(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->work != y->work)
        return x->work > y->work ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* Ascending work. */
static int by_join(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->work != y->work)
        return x->work < y->work ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* ---- blocks ---- */

static void gather(struct divider *d, uint32_t join, uint32_t block)
{
    const struct weir_kernels *k = d->system->kernels;
    uint32_t depth = 0, v = join;
    for (;;) {
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            if (d->division->block[k->before[j]] == UINT32_MAX) {
                d->division->block[k->before[j]] = block;
                d->stack[depth++] = k->before[j];
            }
        if (depth == 0)
            return;
        v = d->stack[--depth];
    }
}

/* Leaves the number of the block behind the last join, which holds the rest. */
static uint32_t cut(struct divider *d)
{
    const struct weir_kernels *k = d->system->kernels;
    uint32_t joins = 0;
    struct ranked *sorted = d->sorted; /* of the joins, after the ranks have been read from it */
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t v = sorted[i].kernel;
        d->division->block[v] = UINT32_MAX;
        if (k->first_before[v + 1] - k->first_before[v] > 1)
            sorted[joins++] = sorted[i];
    }
    qsort(sorted, joins, sizeof *sorted, by_join);
    for (uint32_t i = 0; i < joins; i++)
        gather(d, sorted[i].kernel, i);
    for (uint32_t v = 0; v < k->count; v++)
        if (d->division->block[v] == UINT32_MAX)
            d->division->block[v] = joins;
    return joins;
}

/* ---- groups ---- */

/* Of the first heads, as many as may run together: all of them, or that which can use all SMs, alone. */
static uint32_t choose(struct divider *d, uint32_t *group)
{
    const struct weir_gpu_system *s = d->system;
    uint32_t most = s->sms < s->places ? s->sms : s->places, count = 0, widest = 0, best = 0;
    for (uint32_t r = weir_gpu_rankset_next(&d->heads, 0); r < d->heads.limit && count < most;
         r = weir_gpu_rankset_next(&d->heads, r + 1)) {
        uint32_t v = d->division->ranked[r], usable = weir_gpu_usable(s, v, s->load[v]);
        if (usable > widest)
            widest = usable, best = v;
        group[count++] = v;
    }
    if (count > 1 && widest >= s->sms) {
        group[0] = best;
        count = 1;
    }
    return count;
}

static void place_group(struct divider *d, const uint32_t *group, uint32_t count)
{
    const struct weir_kernels *k = d->system->kernels;
    struct weir_gpu_division *division = d->division;
    for (uint32_t i = 0; i < count; i++)
        weir_gpu_rankset_remove(&d->heads, division->rank[group[i]]);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t v = group[i], j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++) {
            uint32_t behind = k->dependents[j];
            if (division->block[behind] == division->block[v] && --d->waiting[behind] == 0)
                weir_gpu_rankset_add(&d->heads, division->rank[behind]);
        }
    d->placed += count;
    division->first[++division->groups] = d->placed;
}

/* The kernels of each block, in one list that the counts of `start` cut up. */
static void sort_blocks(struct divider *d, uint32_t *start, uint32_t *list)
{
    const struct weir_kernels *k = d->system->kernels;
    for (uint32_t v = 0; v < k->count; v++)
        start[d->division->block[v] + 1]++;
    for (uint32_t b = 0; b < k->count; b++)
        start[b + 1] += start[b];
    for (uint32_t v = 0; v < k->count; v++)
        list[start[d->division->block[v]]++] = v;
    /* start[b] is now where block b ends */
}

static void group_all(struct divider *d, uint32_t blocks, uint32_t *start)
{
    const struct weir_kernels *k = d->system->kernels;
    uint32_t *list = d->stack;
    sort_blocks(d, start, list);
    for (uint32_t v = 0; v < k->count; v++)
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            d->waiting[v] += d->division->block[k->before[j]] == d->division->block[v];
    for (uint32_t b = 0, from = 0; b < blocks; from = start[b++]) {
        for (uint32_t i = from; i < start[b]; i++)
            if (d->waiting[list[i]] == 0)
                weir_gpu_rankset_add(&d->heads, d->division->rank[list[i]]);
        while (d->placed < start[b])
            place_group(d, d->division->members + d->placed, choose(d, d->division->members + d->placed));
    }
}

/* ---- the whole ---- */

static bool rank(struct divider *d)
{
    const struct weir_kernels *k = d->system->kernels;
    int64_t *work = weir_array(k->count, sizeof *work);
    bool done = work && weir_gpu_work_before(d->system, work);
    if (done) {
        for (uint32_t i = 0; i < k->count; i++)
            d->sorted[i] = (struct ranked){work[k->order[i]], i, k->order[i]};
        qsort(d->sorted, k->count, sizeof *d->sorted, by_work);
        for (uint32_t i = 0; i < k->count; i++) {
            d->division->ranked[i] = d->sorted[i].kernel;
            d->division->rank[d->sorted[i].kernel] = i;
        }
    }
    weir_free(work);
    return done;
}

enum weir_status weir_gpu_divide(const struct weir_gpu_system *s, struct weir_gpu_division *division)
{
    size_t n = s->kernels->count;
    struct divider d = {.system = s, .division = division};
    struct weir_arena scratch = {0}, kept = {0};
    *division = (struct weir_gpu_division){
        .members = weir_arena_array(&kept, n + 1, sizeof *division->members),
        .first = weir_arena_array(&kept, n + 1, sizeof *division->first),
        .rank = weir_arena_array(&kept, n, sizeof *division->rank),
        .ranked = weir_arena_array(&kept, n, sizeof *division->ranked),
        .block = weir_arena_array(&kept, n, sizeof *division->block),
    };
    division->arena = kept;
    d.sorted = weir_arena_array(&scratch, n, sizeof *d.sorted);
    d.waiting = weir_arena_array(&scratch, n, sizeof *d.waiting);
    d.stack = weir_arena_array(&scratch, n, sizeof *d.stack);
    d.heads.limit = (uint32_t)n;
    d.heads.words = weir_arena_array(&scratch, weir_gpu_rankset_words(d.heads.limit), sizeof *d.heads.words);
    uint32_t *start = weir_arena_array(&scratch, n + 2, sizeof *start);
    bool done = !kept.failed && !scratch.failed && rank(&d);
    if (done)
        group_all(&d, cut(&d) + 1, start);
    else
        weir_gpu_division_free(division);
    weir_arena_free(&scratch);
    return done ? WEIR_OK : WEIR_MEMORY;
}

void weir_gpu_division_free(struct weir_gpu_division *division)
{
    weir_arena_free(&division->arena);
    *division = (struct weir_gpu_division){0};
}

/* ---- the work before each kernel ---- */

/*
 * The work before each kernel. What a kernel with one predecessor stands behind is that predecessor and all before it; only at
 * joins do sets have to be united. The sets of all kernels together would take n^2 bits: they are made for a few columns of
 * predecessors at a time, in order, and their loads summed up, a byte of a set by a look into a table.
 */
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
    struct weir_arena scratch = {0};
    c.place = weir_arena_array(&scratch, k->count, sizeof *c.place);
    c.sets = weir_arena_array(&scratch, k->count, sizeof *c.sets);
    c.sums = weir_arena_array(&scratch, (size_t)8 * WORDS, sizeof *c.sums);
    bool done = !scratch.failed;
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
    weir_arena_free(&scratch);
    return done;
}
