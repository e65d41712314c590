/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches that slow each other down. While one is under way that does c (copies, reads), the blocks of launch v go on at 1 / f_c
 * of their speed at least, f_c = 1 + suffers(v, c) / 100; where several are, the one that slows it most counts. What can be under
 * way beside v is what is not ordered with it. So, C being its time alone and N what is not ordered with it, v takes at most
 *
 *     C * the largest f_c over N                                                       (1)
 *     C + sum over u in N of (1 - 1 / f_c(u)) T(u)                                     (2)
 *
 * for any T(u) that u takes at most; (2), because a moment beside u costs v no more than 1 - 1 / f of it. That times which satisfy
 * (2) among each other hold is shown in docs/concepts/gpu.md, section 10. Where it makes the whole shorter, launches are put one
 * behind the other that could run together otherwise.
 */
#include "base/alloc.h"
#include "engine/gpu/plan.h"

#include <string.h>

#define MOST 4096   /* launches or kernels; of more, each is taken to run beside any other */
#define MOST_ADD 64 /* launches between which order is added */
#define TRIES 4000  /* orders that are looked at */

/* Rows of bits: which launches have ended before another begins. */
struct rows {
    uint64_t *bits;
    size_t words;
};

static uint64_t *row(const struct rows *r, size_t i)
{
    return r->bits + i * r->words;
}

static bool has(const struct rows *r, size_t i, size_t j)
{
    return row(r, i)[j / 64] >> j % 64 & 1;
}

static void put_behind(const struct rows *r, size_t later, size_t earlier)
{
    for (size_t w = 0; w < r->words; w++)
        row(r, later)[w] |= row(r, earlier)[w];
    row(r, later)[earlier / 64] |= UINT64_C(1) << earlier % 64;
}

static bool together(const struct rows *r, size_t i, size_t j)
{
    return i != j && !has(r, i, j) && !has(r, j, i);
}

/* ---- before a plan is made ---- */

bool weir_gpu_expect_neighbours(struct weir_gpu_system *s, bool expect)
{
    const struct weir_kernels *k = s->kernels;
    struct rows before = {.words = ((size_t)k->count + 63) / 64};
    memset(s->slower, 0, k->count * sizeof *s->slower);
    if (!expect)
        return true;
    if (k->count <= MOST && !(before.bits = weir_array_zeroed(k->count * before.words, sizeof *before.bits)))
        return false;
    for (uint32_t i = 0; before.bits && i < k->count; i++)
        for (uint32_t v = k->order[i], j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            put_behind(&before, v, k->before[j]);
    for (uint32_t v = 0; v < k->count; v++)
        for (uint32_t u = 0; u < k->count; u++) {
            uint32_t percent = k->kernels[v].suffers[k->kernels[u].disturbs];
            if (percent > s->slower[v] && (before.bits ? together(&before, u, v) : u != v))
                s->slower[v] = percent;
        }
    weir_free(before.bits);
    return true;
}

/* ---- the times of a plan ---- */

/* Times are in 1 / grid of a tick, rounded up. */
struct meeting {
    struct weir_arena arena;
    const struct weir_gpu_system *system;
    size_t count;
    const struct weir_kernel **kernels; /* by launch */
    const struct weir_gpu_flow *flow;
    struct rows before; /* no bits: everything may run together */
    int64_t grid, overhead;
    int64_t *alone, *time, *end; /* by launch */
    uint32_t *worst;             /* by launch: the largest percent of what may be under way beside it */
    bool *even;                  /* by launch: its time alone is a multiple of 1 / grid */
    bool *summed;                /* by launch: its time is that of (2) */
    struct weir_gpu_edge *added; /* behind those of the flow */
    size_t added_count;
    uint32_t tries;
};

/* (2), from the times as they are; INT64_MAX where it says nothing. What is rounded up term by term is that much more for a launch
 * that checks it, on another grid: one more. */
static int64_t sum_up(const struct meeting *m, size_t v)
{
    weir_wide whole = m->alone[v];
    bool even = m->even[v];
    for (size_t u = 0; u < m->count; u++) {
        uint32_t percent = m->kernels[v]->suffers[m->kernels[u]->disturbs];
        if (percent == 0 || !together(&m->before, u, v))
            continue;
        weir_wide cost = (weir_wide)m->time[u] * percent;
        even &= (m->summed[u] || (m->even[u] && (weir_wide)m->alone[u] * m->worst[u] % 100 == 0)) && cost % (100 + percent) == 0;
        whole += (cost + 99 + percent) / (100 + percent);
    }
    whole += !even;
    return whole < INT64_MAX ? (int64_t)whole : INT64_MAX;
}

static void find_times(struct meeting *m)
{
    enum { ROUNDS = 3 }; /* of (2): each begins with times that hold, and makes some of them shorter */
    for (size_t v = 0; v < m->count; v++) {
        m->worst[v] = 0;
        for (size_t u = 0; u < m->count; u++) {
            uint32_t percent = m->kernels[v]->suffers[m->kernels[u]->disturbs];
            if (percent > m->worst[v] && (!m->before.bits || together(&m->before, u, v)))
                m->worst[v] = percent;
        }
        m->time[v] = (int64_t)(((weir_wide)m->alone[v] * (100 + m->worst[v]) + 99) / 100);
        m->summed[v] = false;
    }
    for (int i = 0; i < ROUNDS && m->before.bits; i++)
        for (size_t v = 0; v < m->count; v++) {
            int64_t time = m->worst[v] ? sum_up(m, v) : INT64_MAX;
            if (time < m->time[v]) {
                m->time[v] = time;
                m->summed[v] = true;
            }
        }
}

/* The length of the longest chain; ends by launch. */
static int64_t find_length(struct meeting *m)
{
    const struct weir_gpu_flow *f = m->flow;
    int64_t length = 0;
    for (size_t i = 0; i < m->count; i++) {
        int64_t ready = 0;
        for (size_t j = f->first_after[i]; j < f->first_after[i + 1]; j++)
            ready = m->end[f->after[j]] > ready ? m->end[f->after[j]] : ready;
        for (size_t j = 0; j < m->added_count; j++)
            if (m->added[j].to == i && m->end[m->added[j].from] > ready)
                ready = m->end[m->added[j].from];
        m->end[i] = ready + m->overhead + m->time[i];
        length = m->end[i] > length ? m->end[i] : length;
    }
    return length;
}

/* ---- adding order ---- */

/* Everything that waits for `later` waits for `earlier` from now on. */
static void add_order(struct meeting *m, uint32_t earlier, uint32_t later)
{
    m->added[m->added_count++] = (struct weir_gpu_edge){earlier, later};
    put_behind(&m->before, later, earlier);
    for (size_t i = later + 1; i < m->count; i++)
        if (has(&m->before, i, later))
            put_behind(&m->before, i, later);
}

/* Puts v in order with u, or with all that may run beside it and slow it down as much as u does; the later in the plan waits.
 * Whether that makes the whole shorter than *length; if not, nothing has changed. */
static bool try_order(struct meeting *m, const uint32_t chain[2], bool all, uint64_t *saved, int64_t *length)
{
    uint32_t v = chain[0], least = m->kernels[v]->suffers[m->kernels[chain[1]]->disturbs];
    size_t words = m->count * m->before.words, first = m->added_count;
    memcpy(saved, m->before.bits, words * sizeof *saved);
    for (uint32_t u = all ? 0 : chain[1]; u < (all ? m->count : chain[1] + 1); u++)
        if (together(&m->before, u, v) && m->kernels[v]->suffers[m->kernels[u]->disturbs] >= least)
            add_order(m, u < v ? u : v, u < v ? v : u);
    m->tries++;
    find_times(m);
    int64_t made = find_length(m);
    if (made < *length) {
        *length = made;
        return true;
    }
    m->added_count = first;
    memcpy(m->before.bits, saved, words * sizeof *saved);
    return false;
}

static bool add_some(struct meeting *m, uint64_t *saved, int64_t *length)
{
    for (uint32_t v = 0; v < m->count; v++)
        for (uint32_t u = 0; u < m->count && m->tries < TRIES; u++) {
            const uint32_t chain[2] = {v, u};
            if (m->kernels[v]->suffers[m->kernels[u]->disturbs] && together(&m->before, u, v) &&
                (try_order(m, chain, true, saved, length) || try_order(m, chain, false, saved, length)))
                return true;
        }
    return false;
}

static bool add_orders(struct meeting *m)
{
    uint64_t *saved = weir_array(m->count * m->before.words, sizeof *saved);
    if (!saved)
        return false;
    find_times(m);
    int64_t length = find_length(m);
    while (add_some(m, saved, &length))
        ;
    weir_free(saved);
    return true;
}

/* ---- into the plan ---- */

/* Each list of what a launch waits for, with what was added to it, in order. */
static bool write_orders(struct meeting *m, struct weir_gpu_flow *f)
{
    size_t first = 0;
    uint32_t *after = weir_array(f->first_after[m->count] + m->added_count, sizeof *after);
    if (!after)
        return false;
    for (size_t i = 0, count = 0; i < m->count; i++) {
        size_t end = f->first_after[i + 1];
        size_t begin = count;
        for (size_t j = first; j < end; j++)
            after[count++] = f->after[j];
        for (size_t j = 0; j < m->added_count; j++) {
            size_t at = count;
            if (m->added[j].to != i)
                continue;
            for (; at > begin && after[at - 1] > m->added[j].from; at--)
                after[at] = after[at - 1];
            after[at] = m->added[j].from;
            count++;
        }
        first = end;
        f->first_after[i + 1] = count;
    }
    weir_free(f->after);
    f->after = after;
    return true;
}

static void write_times(const struct meeting *m, struct weir_gpu_launch *launches)
{
    for (size_t i = 0; i < m->count; i++) {
        struct weir_gpu_launch *l = &launches[i];
        size_t waits = m->flow->first_after[i + 1] - m->flow->first_after[i];
        l->after = waits ? m->flow->after + m->flow->first_after[i] : NULL;
        l->after_count = waits;
        l->time = m->summed[i] ? weir_ratio_reduce((struct weir_ratio){m->time[i], m->grid})
                               : weir_gpu_times_up(m->system, l->alone, 100 + m->worst[i], 100);
    }
}

static bool open_meeting(struct meeting *m, const struct weir_gpu_launch *launches)
{
    const struct weir_kernels *k = m->system->kernels;
    weir_wide whole = 0;
    for (size_t i = 0; i < m->count; i++)
        whole += (weir_wide)k->kernels[launches[i].kernel.index].longest + k->gpu.launch_overhead;
    m->grid = whole < INT64_C(1) << 48 ? 1024 : 1;
    m->overhead = k->gpu.launch_overhead * m->grid;
    m->kernels = weir_arena_array(&m->arena, m->count, sizeof(const struct weir_kernel *));
    m->alone = weir_arena_array(&m->arena, m->count, sizeof *m->alone);
    m->time = weir_arena_array(&m->arena, m->count, sizeof *m->time);
    m->end = weir_arena_array(&m->arena, m->count, sizeof *m->end);
    m->worst = weir_arena_array(&m->arena, m->count, sizeof *m->worst);
    m->even = weir_arena_array(&m->arena, m->count, sizeof *m->even);
    m->summed = weir_arena_array(&m->arena, m->count, sizeof *m->summed);
    m->added = weir_arena_array(&m->arena, (size_t)MOST_ADD * MOST_ADD, sizeof *m->added);
    m->before.words = (m->count + 63) / 64;
    if (m->count <= MOST)
        m->before.bits = weir_arena_array(&m->arena, m->count * m->before.words, sizeof *m->before.bits);
    if (m->arena.failed)
        return false;
    for (size_t i = 0; i < m->count; i++) {
        struct weir_ratio alone = launches[i].alone;
        m->kernels[i] = &k->kernels[launches[i].kernel.index];
        m->even[i] = (weir_wide)alone.numerator * m->grid % alone.denominator == 0;
        m->alone[i] = (int64_t)(((weir_wide)alone.numerator * m->grid + alone.denominator - 1) / alone.denominator);
        for (size_t j = m->flow->first_after[i]; m->before.bits && j < m->flow->first_after[i + 1]; j++)
            put_behind(&m->before, i, m->flow->after[j]);
    }
    return true;
}

enum weir_status weir_gpu_meet_neighbours(const struct weir_gpu_system *s, struct weir_gpu_flow *flow,
                                          struct weir_gpu_launch *launches, bool may_add)
{
    struct meeting m = {.system = s, .count = flow->count, .flow = flow};
    bool ok = open_meeting(&m, launches);
    if (ok && may_add && m.count <= MOST_ADD)
        ok = add_orders(&m);
    if (ok) {
        find_times(&m);
        ok = m.added_count == 0 || write_orders(&m, flow);
    }
    if (ok)
        write_times(&m, launches);
    weir_arena_free(&m.arena);
    return ok ? WEIR_OK : WEIR_MEMORY;
}
