/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no plan can go below. Let h be the longest chain before a kernel (its head), q the longest behind it (its tail), every
 * kernel at its fastest and each after a launch overhead. All kernels with head >= h and tail >= q run on the SMs after h and one
 * overhead, and end q before the end of the whole:
 *
 *     bound >= h + overhead + q + area(head >= h, tail >= q) / SMs        for every h and q,
 *
 * the area of a kernel being the least of SMs times time over the numbers of SMs it can have; parts of a kernel have no less
 * together. From h on each also takes a place, for its overhead and its time:
 *
 *     bound >= h + q + sum(overhead + fastest) / places.
 *
 * And no chain is done sooner than its kernels one after the other. All of this is so where every launch takes as long as it can
 * and begins as late as it can, which may happen.
 *
 * Heads go down, one after the other, and each adds its kernels to a tree over the tails that knows the best tail for what is in
 * it.
 */
#include "engine/gpu/plan.h"

#include "base/alloc.h"

#include <stdlib.h>

struct spot {
    int64_t head, tail;
    uint32_t kernel, leaf; /* leaf: the number of its tail among the different ones, the least first */
};

/* Of a stretch of tails: what its kernels need of SMs or places, and the most of q * number of them + (need from q on, within the
 * stretch); -1: no kernel. */
struct stretch {
    weir_wide need, best;
};

struct finder {
    const struct weir_gpu_system *system;
    int64_t *fastest, *head, *tail; /* rounded down, unlike the system's */
    struct spot *spots;
    struct stretch *tree; /* 1 is the root, 2i and 2i + 1 are the halves of i, leaves begin at `leaves` */
    uint32_t leaves;
};

static int64_t fastest_down(const struct weir_gpu_system *s, uint32_t v)
{
    const struct weir_kernel *k = &s->kernels->kernels[v];
    if (k->times || s->granularity[v])
        return s->fastest[v];
    int64_t time = s->load[v] / s->sms, least = k->min_time * s->scale;
    return time > least ? time : least;
}

static int64_t area(const struct weir_gpu_system *s, uint32_t v)
{
    const struct weir_kernel *k = &s->kernels->kernels[v];
    int64_t least = k->min_time * s->scale, grain = s->granularity[v];
    if (k->times) {
        least = INT64_MAX;
        for (uint32_t i = 0; i < k->time_count && k->times[i].sms <= s->sms; i++) {
            weir_wide one = (weir_wide)k->times[i].time * k->times[i].sms * s->scale;
            least = one < least ? (int64_t)one : least;
        }
        return least;
    }
    int64_t load = grain ? (s->load[v] / grain + (s->load[v] % grain > 0)) * grain : s->load[v];
    return load > least ? load : least;
}

static void find_chains(struct finder *f)
{
    const struct weir_gpu_system *s = f->system;
    const struct weir_kernels *k = s->kernels;
    for (uint32_t v = 0; v < k->count; v++)
        f->fastest[v] = fastest_down(s, v);
    for (uint32_t i = 0; i < k->count; i++)
        for (uint32_t v = k->order[i], j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++) {
            int64_t end = f->head[v] + s->overhead + f->fastest[v], *head = &f->head[k->dependents[j]];
            *head = end > *head ? end : *head;
        }
    for (uint32_t i = k->count; i-- > 0;)
        for (uint32_t v = k->order[i], j = k->first_before[v]; j < k->first_before[v + 1]; j++) {
            int64_t rest = f->tail[v] + s->overhead + f->fastest[v], *tail = &f->tail[k->before[j]];
            *tail = rest > *tail ? rest : *tail;
        }
}

static int by_tail(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    return x->tail < y->tail ? -1 : x->tail > y->tail;
}

/* Descending. */
static int by_head(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    return x->head > y->head ? -1 : x->head < y->head;
}

static void add(struct finder *f, const struct spot *spot, int64_t need, uint32_t number)
{
    uint32_t i = f->leaves + spot->leaf;
    f->tree[i].need += need;
    f->tree[i].best = (weir_wide)spot->tail * number + f->tree[i].need;
    for (i /= 2; i; i /= 2) {
        const struct stretch *low = &f->tree[2 * (size_t)i], *high = &f->tree[2 * (size_t)i + 1];
        f->tree[i].need = low->need + high->need;
        f->tree[i].best = low->best >= 0 && low->best + high->need > high->best ? low->best + high->need : high->best;
    }
}

static void sort_spots(struct finder *f)
{
    uint32_t n = f->system->kernels->count;
    for (uint32_t v = 0; v < n; v++)
        f->spots[v] = (struct spot){.head = f->head[v], .tail = f->tail[v], .kernel = v};
    qsort(f->spots, n, sizeof *f->spots, by_tail);
    for (uint32_t i = 1; i < n; i++)
        f->spots[i].leaf = f->spots[i - 1].leaf + (f->spots[i].tail > f->spots[i - 1].tail);
    qsort(f->spots, n, sizeof *f->spots, by_head);
}

/* The most of h + q + need / number, times the number: of SMs, or of places. */
static weir_wide best_chain(struct finder *f, bool places, uint32_t number)
{
    const struct weir_gpu_system *s = f->system;
    weir_wide most = 0;
    for (uint32_t i = 1; i < 2 * f->leaves; i++)
        f->tree[i] = (struct stretch){0, -1};
    for (uint32_t i = 0; i < s->kernels->count; i++) {
        uint32_t v = f->spots[i].kernel;
        add(f, &f->spots[i], places ? s->overhead + f->fastest[v] : area(s, v), number);
        weir_wide found = (weir_wide)f->spots[i].head * number + f->tree[1].best;
        most = found > most ? found : most;
    }
    return most;
}

static void raise_to(const struct weir_gpu_system *s, struct weir_gpu_lower *lower, weir_wide most, uint32_t number)
{
    struct weir_ratio ratio = weir_gpu_ticks_down(s, most, number);
    if (weir_ratio_compare(ratio, lower->ratio) > 0)
        lower->ratio = ratio;
    if (most / number > lower->fine)
        lower->fine = (int64_t)(most / number);
}

static void find(struct finder *f, struct weir_gpu_lower *lower)
{
    const struct weir_gpu_system *s = f->system;
    *lower = (struct weir_gpu_lower){{0, 1}, 0};
    find_chains(f);
    sort_spots(f);
    int64_t longest = 0;
    for (uint32_t v = 0; v < s->kernels->count; v++) {
        int64_t chain = f->head[v] + s->overhead + f->fastest[v] + f->tail[v];
        longest = chain > longest ? chain : longest;
    }
    raise_to(s, lower, longest, 1);
    raise_to(s, lower, best_chain(f, false, s->sms) + (weir_wide)s->overhead * s->sms, s->sms);
    if (s->places != UINT32_MAX)
        raise_to(s, lower, best_chain(f, true, s->places), s->places);
}

enum weir_status weir_gpu_lower_find(const struct weir_gpu_system *s, struct weir_gpu_lower *lower)
{
    uint32_t n = s->kernels->count;
    struct finder f = {.system = s, .leaves = 1};
    while (f.leaves < n)
        f.leaves *= 2;
    struct weir_arena scratch = {0};
    f.fastest = weir_arena_array(&scratch, n, sizeof *f.fastest);
    f.head = weir_arena_array(&scratch, n, sizeof *f.head);
    f.tail = weir_arena_array(&scratch, n, sizeof *f.tail);
    f.spots = weir_arena_array(&scratch, n, sizeof *f.spots);
    f.tree = weir_arena_array(&scratch, 2 * (size_t)f.leaves, sizeof *f.tree);
    enum weir_status status = scratch.failed ? WEIR_MEMORY : WEIR_OK;
    if (!status)
        find(&f, lower);
    weir_arena_free(&scratch);
    return status;
}
