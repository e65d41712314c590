/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower bound: what chains and areas say, computed anew and exactly; the claim may be less.
 *
 * Let h be the longest chain before a kernel and q the longest behind it, overheads included. Kernels with at least h before and q
 * behind them run all their blocks later than h and the overhead, on M SMs, and end q before the end of the whole; and each holds a
 * place for its overhead and time. So, for every h and q, h + q and their shares together are no more than any bound. Going down
 * through the h, each kernel adds its share to all q that are not above its own. All values are whole numbers of 1 / M tick.
 */
#include "check/gpu/launches_inside.h"

#include <stdlib.h>

struct key {
    weir_wide value;
    uint32_t kernel;
};

/* Over the different tails, ascending: the most of weight * tail + all that was added for that tail. */
struct tree {
    weir_wide *most;  /* by node: the root is 1, below i are 2i and 2i + 1, leaves begin at `leaves` */
    weir_wide *added; /* by node: to all below it, and counted in `most` of the node alone */
    size_t leaves;
};

#define UNUSED (-((weir_wide)1 << 120)) /* a tail that no kernel so far has, nor a larger one */

struct lower {
    struct weir_launches_work *work;
    weir_wide *fastest, *head, *tail; /* by kernel; in 1 / M tick */
    weir_wide *area;                  /* by kernel: the least that its blocks take together, in ticks */
    weir_wide *place;                 /* by kernel: how long it holds a place, in 1 / M tick */
    struct key *by_head, *by_tail;    /* descending; ascending */
    size_t *rank;                     /* by kernel: of its tail among the different ones */
    struct tree tree;
};

/* ---- kernels ---- */

/* A kernel in parts is no faster than in one piece, and its blocks take no less together. */
static void find_least(struct lower *l, uint32_t v)
{
    struct weir_launches_work *w = l->work;
    struct weir_operator_spec kernel = weir_pipeline_operator(w->pipeline, (struct weir_operator){v});
    int64_t sms = w->plan->sms;
    if (kernel.time_count == 0) {
        int64_t least = kernel.min_time ? kernel.min_time : w->gpu.min_time, grain = kernel.granularity;
        weir_wide granules = grain ? kernel.worst / grain + (kernel.worst % grain > 0) : 0;
        l->area[v] = grain ? granules * grain : kernel.worst;
        l->fastest[v] = grain ? (granules + sms - 1) / sms * grain * sms : kernel.worst;
        l->area[v] = l->area[v] > least ? l->area[v] : least;
        l->fastest[v] = l->fastest[v] > (weir_wide)least * sms ? l->fastest[v] : (weir_wide)least * sms;
        return;
    }
    bool found = false;
    for (size_t i = 0; i < kernel.time_count && kernel.times[i].sms <= sms; i++) {
        weir_wide time = (weir_wide)kernel.times[i].time * sms, area = (weir_wide)kernel.times[i].time * kernel.times[i].sms;
        l->fastest[v] = !found || time < l->fastest[v] ? time : l->fastest[v];
        l->area[v] = !found || area < l->area[v] ? area : l->area[v];
        found = true;
    }
}

static void find_chains(struct lower *l)
{
    struct weir_launches_work *w = l->work;
    weir_wide overhead = (weir_wide)w->gpu.launch_overhead * w->plan->sms;
    for (uint32_t v = 0; v < w->kernels; v++) {
        find_least(l, v);
        l->place[v] = l->fastest[v] + overhead;
    }
    for (uint32_t i = 0; i < w->kernels; i++) {
        uint32_t v = w->order[i];
        for (size_t j = w->first_before[v]; j < w->first_before[v + 1]; j++) {
            weir_wide end = l->head[w->before[j]] + l->place[w->before[j]];
            l->head[v] = end > l->head[v] ? end : l->head[v];
        }
    }
    for (uint32_t i = w->kernels; i-- > 0;) {
        uint32_t v = w->order[i];
        for (size_t j = w->first_before[v]; j < w->first_before[v + 1]; j++) {
            weir_wide *tail = &l->tail[w->before[j]], rest = l->tail[v] + l->place[v];
            *tail = rest > *tail ? rest : *tail;
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

static void sort(struct lower *l)
{
    uint32_t n = l->work->kernels;
    for (uint32_t v = 0; v < n; v++) {
        l->by_head[v] = (struct key){l->head[v], v};
        l->by_tail[v] = (struct key){l->tail[v], v};
    }
    qsort(l->by_head, n, sizeof *l->by_head, descending);
    qsort(l->by_tail, n, sizeof *l->by_tail, ascending);
    size_t rank = 0;
    for (uint32_t i = 0; i < n; i++) {
        rank += i && l->by_tail[i].value > l->by_tail[i - 1].value;
        l->rank[l->by_tail[i].kernel] = rank;
    }
}

/* ---- all pairs of a head and a tail ---- */

static void tree_set(struct tree *t, size_t rank, weir_wide value)
{
    size_t i = t->leaves + rank;
    t->most[i] = value;
    for (i /= 2; i; i /= 2)
        t->most[i] = (t->most[2 * i] > t->most[2 * i + 1] ? t->most[2 * i] : t->most[2 * i + 1]) + t->added[i];
}

/* To all up to `rank`. */
static void tree_add(struct tree *t, size_t rank, weir_wide share)
{
    size_t i = t->leaves + rank;
    t->most[i] += share;
    for (; i > 1; i /= 2) {
        size_t up = i / 2;
        if (i % 2) {
            t->most[i - 1] += share;
            t->added[i - 1] += share;
        }
        t->most[up] = (t->most[2 * up] > t->most[2 * up + 1] ? t->most[2 * up] : t->most[2 * up + 1]) + t->added[up];
    }
}

/* The most of weight * (h + q) + the shares of the kernels with head >= h and tail >= q, of which there is one. */
static weir_wide best_chain(struct lower *l, weir_wide weight, const weir_wide *share)
{
    uint32_t n = l->work->kernels, used = 0; /* in by_tail: those whose tails are in use */
    weir_wide best = 0;
    for (size_t i = 0; i < 2 * l->tree.leaves; i++) {
        l->tree.most[i] = UNUSED;
        l->tree.added[i] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = l->by_head[i].kernel;
        for (; used < n && l->by_tail[used].value <= l->tail[v]; used++)
            if (used == 0 || l->by_tail[used].value > l->by_tail[used - 1].value)
                tree_set(&l->tree, l->rank[l->by_tail[used].kernel], weight * l->by_tail[used].value);
        tree_add(&l->tree, l->rank[v], share[v]);
        weir_wide found = weight * l->head[v] + l->tree.most[1];
        best = found > best ? found : best;
    }
    return best;
}

/* ---- the claim ---- */

static bool follows(struct lower *l)
{
    struct weir_launches_work *w = l->work;
    struct weir_ratio claim = w->plan->lower;
    weir_wide sms = w->plan->sms, places = w->gpu.max_concurrent, chain = 0;
    find_chains(l);
    for (uint32_t v = 0; v < w->kernels; v++) {
        weir_wide length = l->head[v] + l->place[v] + l->tail[v];
        chain = length > chain ? length : chain;
    }
    weir_wide asked = (claim.numerator * sms + claim.denominator - 1) / claim.denominator;
    if (asked <= chain)
        return true;
    sort(l);
    if (asked <= best_chain(l, 1, l->area) + w->gpu.launch_overhead * sms)
        return true;
    asked = (claim.numerator * sms * places + claim.denominator - 1) / claim.denominator;
    return (places && asked <= best_chain(l, places, l->place)) ||
           weir_launches_refuse(w, "the lower bound does not follow from chains and areas");
}

bool weir_launches_lower_holds(struct weir_launches_work *w)
{
    struct lower l = {.work = w, .tree.leaves = 1};
    while (l.tree.leaves < w->kernels)
        l.tree.leaves *= 2;
    weir_wide **const values[] = {&l.fastest, &l.head, &l.tail, &l.area, &l.place};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = weir_arena_array(&w->arena, w->kernels, sizeof **values[i]);
    l.tree.most = weir_arena_array(&w->arena, 2 * l.tree.leaves, sizeof *l.tree.most);
    l.tree.added = weir_arena_array(&w->arena, 2 * l.tree.leaves, sizeof *l.tree.added);
    l.by_head = weir_arena_array(&w->arena, w->kernels, sizeof *l.by_head);
    l.by_tail = weir_arena_array(&w->arena, w->kernels, sizeof *l.by_tail);
    l.rank = weir_arena_array(&w->arena, w->kernels, sizeof *l.rank);
    return w->arena.failed ? weir_launches_no_memory(w) : follows(&l);
}
