/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/search.h"

#include "base/number.h"

#include <string.h>

/* Descending in rank, then in load (ascending for WEIR_GPU_TAIL_SMALL); the earlier kernel among equals. */
static bool goes_before(const struct weir_gpu_desk *d, const struct weir_gpu_state *s, enum weir_gpu_order order,
                        const uint32_t chain[2])
{
    uint32_t a = chain[0], b = chain[1];
    if (d->rank[a] != d->rank[b])
        return d->rank[a] > d->rank[b];
    if (s->rest[a] != s->rest[b])
        return (s->rest[a] > s->rest[b]) != (order == WEIR_GPU_TAIL_SMALL);
    return a < b;
}

/* The time of what is left of a kernel on all SMs. */
static int64_t full_speed(const struct weir_gpu_system *s, uint32_t v, int64_t rest)
{
    if (rest == s->load[v])
        return s->fastest[v];
    return weir_gpu_time(s, v, rest, s->sms);
}

static int64_t rank_of(const struct weir_gpu_desk *d, const struct weir_gpu_state *s, uint32_t v, enum weir_gpu_order order)
{
    switch (order) {
    case WEIR_GPU_LEVEL:
        return d->system->tail[v] + full_speed(d->system, v, s->rest[v]);
    case WEIR_GPU_DESCENDANTS:
        return d->weight[v];
    default:
        return d->system->tail[v];
    }
}

/* Where kernel v[0] belongs among the first v[1] that are ready. */
static uint32_t place_of(const struct weir_gpu_desk *d, const struct weir_gpu_state *s, enum weir_gpu_order order,
                         const uint32_t v[2])
{
    uint32_t low = 0, high = v[1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (goes_before(d, s, order, (uint32_t[]){v[0], s->ready[middle]}))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Those before `sorted` are in order; the others are put in their places, from the left. */
static void insert(struct weir_gpu_desk *d, struct weir_gpu_state *s, enum weir_gpu_order order, uint32_t sorted)
{
    for (uint32_t i = sorted; i < s->ready_count; i++) {
        uint32_t v = s->ready[i], j = place_of(d, s, order, (uint32_t[]){v, i});
        memmove(s->ready + j + 1, s->ready + j, (i - j) * sizeof *s->ready);
        s->ready[j] = v;
    }
}

/* Merges runs of growing length; runs of 16 are made by insertion. */
static void merge_runs(struct weir_gpu_desk *d, struct weir_gpu_state *s, enum weir_gpu_order order)
{
    uint32_t count = s->ready_count, *ready = s->ready;
    for (uint32_t first = 0; first < count; first += 16) {
        struct weir_gpu_state run = *s;
        run.ready += first;
        run.ready_count = count - first < 16 ? count - first : 16;
        insert(d, &run, order, 1);
    }
    for (uint32_t width = 16; width < count; width *= 2)
        for (uint32_t first = 0; first + width < count; first += 2 * width) {
            uint32_t a = 0, b = first + width, end = count - b < width ? count : b + width, out = first;
            for (uint32_t i = 0; i < width; i++)
                d->buffer[i] = ready[first + i];
            while (a < width && b < end)
                ready[out++] = goes_before(d, s, order, (uint32_t[]){ready[b], d->buffer[a]}) ? ready[b++] : d->buffer[a++];
            while (a < width)
                ready[out++] = d->buffer[a++];
        }
}

void weir_gpu_sort(struct weir_gpu_desk *d, struct weir_gpu_state *s, enum weir_gpu_order order)
{
    for (uint32_t i = 0; i < s->ready_count; i++)
        d->rank[s->ready[i]] = rank_of(d, s, s->ready[i], order);
    if (s->ready_count <= 32)
        insert(d, s, order, 1);
    else
        merge_runs(d, s, order);
}

/* ---- the length of a group ---- */

/* Whether they fit within the time; if so the time they really need, else the least time at which one of them needs fewer. */
static bool fits(const struct weir_gpu_desk *d, const struct weir_gpu_state *s, const uint32_t *kernels, uint32_t count,
                 int64_t *time)
{
    const struct weir_gpu_system *system = d->system;
    uint32_t *widths = d->buffer;
    int64_t needed = 0, next = WEIR_GPU_NEVER;
    uint64_t sms = 0;
    for (uint32_t i = 0; i < count; i++) {
        widths[i] = weir_gpu_width(system, kernels[i], s->rest[kernels[i]], *time);
        if (widths[i] == 0)
            return false;
        sms += widths[i];
    }
    bool fit = sms <= system->sms;
    for (uint32_t i = 0; i < count && fit; i++) {
        int64_t here = weir_gpu_time(system, kernels[i], s->rest[kernels[i]], widths[i]);
        needed = here > needed ? here : needed;
    }
    for (uint32_t i = 0; i < count && !fit; i++) {
        int64_t longer = WEIR_GPU_NEVER;
        if (system->kernels->kernels[kernels[i]].times)
            longer = *time + 1;
        else if (widths[i] > system->step)
            longer = weir_gpu_time(system, kernels[i], s->rest[kernels[i]], widths[i] - system->step);
        next = longer < next ? longer : next;
    }
    *time = fit ? needed : next;
    return fit;
}

int64_t weir_gpu_share(const struct weir_gpu_desk *d, const struct weir_gpu_state *s, const uint32_t *kernels, uint32_t count)
{
    const struct weir_gpu_system *system = d->system;
    if (count > system->sms || count > system->places)
        return WEIR_GPU_NEVER;
    int64_t low = 1, high, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = kernels[i];
        int64_t alone = full_speed(system, v, s->rest[v]);
        low = alone > low ? alone : low;
        sum += s->rest[v];
    }
    int64_t time = low;
    if (fits(d, s, kernels, count, &time))
        return time;
    low = time;
    /* Rounding up costs each less than one SM, so this is enough where there are no tables and granules; else doubling ends where
     * each has the fewest SMs it can have: then all fit, or they never do. */
    high = sum / (system->sms > count ? system->sms - count : 1) + 1;
    for (high = high > low ? high : low;;) {
        time = high;
        if (fits(d, s, kernels, count, &time))
            break;
        if (time == WEIR_GPU_NEVER || high > WEIR_GPU_NEVER / 4)
            return WEIR_GPU_NEVER;
        low = time > high ? time : high + 1;
        high *= 2;
    }
    high = time;
    while (low < high) {
        time = low + (high - low) / 2;
        int64_t tried = time;
        if (fits(d, s, kernels, count, &time))
            high = time;
        else
            low = time > tried ? time : tried + 1;
    }
    return high;
}

/* ---- a group ---- */

#define FAR 4096 /* kernels that do not fit before the others are not looked at */

bool weir_gpu_fill(struct weir_gpu_desk *d, const struct weir_gpu_state *s, int64_t time)
{
    struct weir_gpu_system *system = d->system;
    uint32_t free = system->sms, places = system->places;
    d->group_count = 0;
    d->group_time = 0;
    uint32_t i = 0, misses = 0;
    for (; i < s->ready_count && free && places && misses < FAR; i++) {
        uint32_t v = s->ready[i], width = weir_gpu_width(system, v, s->rest[v], time);
        int64_t load = s->rest[v];
        if (width == 0 || width > free) {
            load = weir_gpu_fitting(system, v, load, free, time);
            if (load == 0) {
                misses++;
                continue;
            }
            width = load == s->rest[v] ? free : weir_gpu_width(system, v, load, time);
        }
        int64_t own = weir_gpu_time(system, v, load, width);
        d->group_time = own > d->group_time ? own : d->group_time;
        d->group[d->group_count++] = (struct weir_gpu_piece){v, width, s->groups, load};
        free -= width;
        places--;
    }
    system->work += 1 + i / 16 + s->ready_count / 1024;
    return d->group_count > 0;
}

static uint64_t mix(uint32_t v, int64_t rest)
{
    uint64_t x = (uint64_t)rest * UINT64_C(0x9e3779b97f4a7c15) + v;
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9) + v;
    return x ^ x >> 29;
}

uint64_t weir_gpu_step_hash(const struct weir_gpu_desk *d, const struct weir_gpu_state *s)
{
    uint64_t hash = s->hash;
    for (uint32_t i = 0; i < d->group_count; i++) {
        uint32_t v = d->group[i].kernel;
        hash += mix(v, s->rest[v] - d->group[i].load) - mix(v, s->rest[v]);
    }
    return hash;
}

static void finish(struct weir_gpu_desk *d, struct weir_gpu_state *s, uint32_t v)
{
    const struct weir_kernels *k = d->system->kernels;
    s->left--;
    for (uint32_t j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++)
        if (--s->waits[k->dependents[j]] == 0)
            s->ready[s->ready_count++] = k->dependents[j];
}

bool weir_gpu_step(struct weir_gpu_desk *d, struct weir_gpu_state *s, struct weir_gpu_draft *log)
{
    s->time += d->system->overhead + d->group_time;
    d->system->work += d->group_count;
    for (uint32_t i = 0; i < d->group_count; i++) {
        const struct weir_gpu_piece *piece = &d->group[i];
        uint32_t v = piece->kernel;
        if (!weir_gpu_draft_add(log, piece))
            return false;
        int64_t before = s->rest[v] == d->system->load[v] ? d->area[v] : s->rest[v];
        s->hash -= mix(v, s->rest[v]);
        s->rest[v] -= piece->load;
        s->hash += mix(v, s->rest[v]);
        s->area += s->rest[v] - before;
    }
    s->groups++;
    /* The pieces stand in the order of what is ready. */
    uint32_t kept = 0, at = 0;
    for (uint32_t next = 0; next < d->group_count; at++)
        if (d->group[next].kernel == s->ready[at])
            next++;
        else
            s->ready[kept++] = s->ready[at];
    memmove(s->ready + kept, s->ready + at, (s->ready_count - at) * sizeof *s->ready);
    s->ready_count -= d->group_count;
    d->fresh = s->ready_count;
    for (uint32_t i = 0; i < d->group_count; i++)
        if (s->rest[d->group[i].kernel])
            s->ready[s->ready_count++] = d->group[i].kernel;
        else
            finish(d, s, d->group[i].kernel);
    return true;
}

/* ---- to the end ---- */

static int64_t group_length(const struct weir_gpu_desk *d, const struct weir_gpu_state *s, enum weir_gpu_rule rule)
{
    const struct weir_gpu_system *system = d->system;
    uint32_t first = s->ready[0], most = system->sms < system->places ? system->sms : system->places, count = 1;
    if (rule == WEIR_GPU_SHORTEST && weir_gpu_splittable(system, first))
        return system->shortest[first];
    most = most < s->ready_count ? most : s->ready_count;
    if (rule == WEIR_GPU_ALL)
        count = most;
    for (; rule == WEIR_GPU_TOP && count < most; count++)
        if (system->tail[s->ready[count]] < system->tail[first])
            break;
    /* Kernels with tables may not fit side by side, whatever the time. */
    int64_t time = weir_gpu_share(d, s, s->ready, count);
    for (; time == WEIR_GPU_NEVER && count > 1; time = weir_gpu_share(d, s, s->ready, count))
        count = count / 2;
    return time;
}

static int64_t least_end(const struct weir_gpu_desk *d, const struct weir_gpu_state *s)
{
    const struct weir_gpu_system *system = d->system;
    uint32_t first = s->ready[0];
    int64_t chain = s->time + system->overhead + full_speed(system, first, s->rest[first]) + system->tail[first];
    int64_t area = s->time + weir_ceil_divide(s->area, system->sms);
    return chain > area ? chain : area;
}

bool weir_gpu_play(struct weir_gpu_desk *d, struct weir_gpu_state *s, struct weir_gpu_policy policy, int64_t *length)
{
    *length = WEIR_GPU_NEVER;
    d->log.count = 0;
    if (s->left)
        weir_gpu_sort(d, s, policy.order);
    while (s->left) {
        if (least_end(d, s) >= d->bar)
            return true;
        if (!weir_gpu_fill(d, s, group_length(d, s, policy.rule)) &&
            !weir_gpu_fill(d, s, full_speed(d->system, s->ready[0], s->rest[s->ready[0]])))
            return true;
        if (!weir_gpu_step(d, s, &d->log))
            return false;
        for (uint32_t i = d->fresh; i < s->ready_count; i++)
            d->rank[s->ready[i]] = rank_of(d, s, s->ready[i], policy.order);
        insert(d, s, policy.order, d->fresh);
    }
    *length = s->time;
    return true;
}
