/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch arrives with its last sample. Of samples such that no window sees more than x of them, batches of B can be made at
 * a_1 <= a_2 <= ... exactly when
 *
 *     a_j >= a_(j-k) + floor(k B / x) window    for all k < j
 *
 * (put each sample as early as the batches before it allow). With B / x = b / c in lowest terms k <= c is enough, because k = c
 * gives b windows; and of the k with the same quotient the smallest.
 */
#include "simulate/cores_arrivals.h"

#include "base/alloc.h"
#include "base/number.h"

/* An extreme source pauses for this many periods. */
#define REST 8

static bool is_even(const struct weir_core_arrivals *a)
{
    return a->mode == WEIR_EDF_ARRIVALS_EVEN || (!a->sporadic && !a->bursty);
}

bool weir_core_arrivals_begin(struct weir_core_arrivals *a, uint64_t seed)
{
    static const int64_t odds[] = {1, 2, 4, 8, 12, 16};
    int64_t product;
    weir_random_seed(&a->random, seed);
    a->odds = odds[weir_random_between(&a->random, 0, 5)];
    return !a->bursty || (weir_multiply(a->least, a->window, &product) && product < WEIR_TIME_MAX &&
                          weir_multiply(a->least, a->most, &product) && product < WEIR_TIME_MAX);
}

/* Nominal arrivals, each up to the jitter late, in order. */
static int64_t draw_even(struct weir_core_arrivals *a)
{
    int64_t time, late = 0;
    if (!weir_multiply(a->drawn, a->period, &time) || !weir_add(time, a->phase, &time))
        return INT64_MAX;
    if (a->mode == WEIR_EDF_ARRIVALS_RANDOM)
        late = weir_random_between(&a->random, 0, a->jitter);
    else if (a->mode == WEIR_EDF_ARRIVALS_EXTREME && weir_random_between(&a->random, 1, 16) <= a->odds)
        late = a->jitter;
    return time < WEIR_TIME_MAX ? time + late : time;
}

static int64_t draw_pause(struct weir_core_arrivals *a)
{
    if (a->mode == WEIR_EDF_ARRIVALS_EXTREME)
        return weir_random_between(&a->random, 1, 16) <= a->odds ? REST : 0;
    return weir_random_between(&a->random, 0, 2) ? 0 : -1;
}

/* The earliest moment that the windows leave to the next batch. */
static int64_t earliest(const struct weir_core_arrivals *a)
{
    int64_t time = a->last, reach = a->drawn < a->kept ? a->drawn : a->kept;
    bool few = a->least < a->most; /* quotients rather than batches */
    for (int64_t i = 1; i <= (few ? a->least : a->most); i++) {
        int64_t k = few ? (i * a->most + a->least - 1) / a->least : i, windows = few ? i : i * a->least / a->most;
        if (k > reach)
            break;
        int64_t then = a->past[(a->drawn - k) % a->kept] + windows * a->window;
        time = then > time ? then : time;
    }
    return time;
}

/* The ring is full for the first time, so that its first place is that of the first arrival. */
static bool keep_more(struct weir_core_arrivals *a)
{
    int64_t kept = a->kept == 0 ? 16 : 2 * a->kept;
    kept = kept > a->most ? a->most : kept;
    int64_t *past = weir_resize(a->past, (size_t)kept * sizeof *past);
    if (!past)
        return false;
    a->past = past;
    a->kept = kept;
    return true;
}

int64_t weir_core_arrivals_draw(struct weir_core_arrivals *a)
{
    int64_t time;
    if (is_even(a)) {
        time = draw_even(a);
    } else {
        time = a->drawn == 0 ? a->phase : a->bursty ? earliest(a) : a->last + a->period;
        int64_t pause = draw_pause(a), unit = a->bursty && a->window > a->period ? a->window : a->period;
        if (unit >= WEIR_TIME_MAX / REST)
            unit = WEIR_TIME_MAX / REST;
        time += pause < 0 ? weir_random_between(&a->random, 0, 2 * a->period) : pause * unit;
    }
    if (time < a->last)
        time = a->last;
    if (time > WEIR_TIME_MAX)
        time = WEIR_TIME_MAX;
    if (a->bursty && !is_even(a)) {
        if (a->drawn == a->kept && a->kept < a->most && !keep_more(a))
            return -1;
        a->past[a->drawn % a->kept] = time;
    }
    a->last = time;
    a->drawn++;
    return time;
}
