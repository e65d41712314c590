/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The demand of a window. It grows with the window, so that the least fixed point is found by going up from below, and every step
 * is at least a tick.
 */
#include "check/bounds_window.h"

static int64_t end_of(const struct weir_interferer *j, int64_t q, int64_t window)
{
    int64_t end = weir_ceil_divide(j->offset + window, j->period);
    if (j->sporadic && end < 0)
        end = 0;
    return j->depth < WEIR_WINDOW_MAX && j->depth + q - 1 < end ? j->depth + q - 1 : end;
}

/* Those with a latest end, earliest first: together they take no longer than until the last of their ends. */
static int64_t clipped_work(const struct weir_demand *d)
{
    int64_t sum = 0;
    for (size_t k = 0; k < d->clipped_count; k++) {
        const struct weir_clipped *c = &d->clipped[k];
        const struct weir_interferer *j = &d->interferers[c->interferer];
        if (c->number >= j->end)
            continue;
        sum = c->end - sum < j->worst ? c->end : sum + j->worst;
    }
    return sum;
}

/* demand(q, window), or anything above the limit if it is above. */
static weir_wide work_in(struct weir_demand *d, int64_t q, int64_t window, int64_t limit)
{
    weir_wide own = (weir_wide)q * d->worst, sum = d->base + own;
    weir_wide rounds = d->slot ? (own + d->slot - 1) / d->slot : 0;
    for (size_t k = 0; k < d->count && sum <= limit; k++) {
        struct weir_interferer *j = &d->interferers[k];
        j->end = end_of(j, q, window);
        int64_t times = j->end - j->first - j->listed, most = weir_ceil_divide(j->span + window, j->period);
        times = times < most ? times : most;
        weir_wide work = times > 0 ? (weir_wide)times * j->worst : 0;
        if (d->slot && rounds * j->slot < work)
            work = rounds * j->slot;
        sum += work;
    }
    return sum > limit || !d->clipped_count ? sum : sum + clipped_work(d);
}

bool weir_demand_window(struct weir_demand *d, int64_t q, int64_t from, int64_t limit, int64_t *window)
{
    uint64_t cost = 1 + d->count + d->clipped_count;
    for (*window = from; *window <= limit && d->work >= cost;) {
        d->work -= cost;
        weir_wide work = work_in(d, q, *window, limit);
        if (work > limit)
            return false;
        if (work <= *window)
            return true;
        *window = (int64_t)work;
    }
    return false;
}

bool weir_demand_measure(struct weir_demand *d)
{
    /* Rounded down to a 2^-60th each: what is above 1 then is above 1. */
    weir_wide whole = (weir_wide)1 << 60, load = whole * d->worst / d->period;
    weir_wide repeat = 1;
    for (size_t k = 0; k < d->count; k++) {
        const struct weir_interferer *j = &d->interferers[k];
        load += whole * j->worst / j->period;
        if (load > whole)
            return false;
        int64_t part = j->period / weir_greatest_divisor(j->period, d->period);
        if (repeat < WEIR_WINDOW_ITERATIONS)
            repeat = repeat / weir_greatest_divisor((int64_t)repeat, part) * part;
    }
    d->repeat = INT64_MAX;
    if (load > whole)
        return false;
    if (repeat >= WEIR_WINDOW_ITERATIONS)
        return true;
    weir_wide length = repeat * d->period, work = repeat * d->worst;
    for (size_t k = 0; k < d->count && work <= length; k++)
        work += length / d->interferers[k].period * d->interferers[k].worst;
    if (work > length)
        return false;
    d->repeat = (int64_t)repeat;
    return true;
}
