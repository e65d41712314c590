/* SPDX-License-Identifier: Apache-2.0 */
#include "read/holoscan/tail_estimate.h"

#include "base/heap.h"
#include "base/number.h"

#include <stdlib.h>

#define LN2_BILLIONTHS 693147180

static bool is_less(const void *nothing, const int64_t *a, const int64_t *b)
{
    (void)nothing;
    return *a < *b;
}

WEIR_HEAP(top, int64_t, const void *, is_less, WEIR_HEAP_STAYS);

/* Takes the place of the least, unless there is room. */
void weir_tail_push(struct weir_tail_estimate *t, int64_t time)
{
    if (t->kept < WEIR_TAIL)
        top_push(NULL, t->top, &t->kept, time);
    else
        top_sink(NULL, t->top, WEIR_TAIL, 0, time);
}

/* Twenty binary digits of the logarithm to base 2, each by squaring. */
int64_t weir_log_permille(uint64_t a, uint64_t b)
{
    int64_t whole = 0;
    for (; b <= a / 2; b *= 2)
        whole++;
    weir_wide ratio = ((weir_wide)a << 40) / (weir_wide)b; /* 1 <= ratio < 2, in 2^-40 */
    int64_t log = whole << 20;
    for (int64_t digit = INT64_C(1) << 19; digit; digit >>= 1) {
        ratio = (ratio * ratio) >> 40;
        if (ratio >> 41) {
            ratio >>= 1;
            log += digit;
        }
    }
    return (int64_t)((((weir_wide)log * LN2_BILLIONTHS) >> 20) / 1000000);
}

static int descending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a < b) - (a > b);
}

/* A tenth of what was seen, at most all that are kept but one, which is the threshold. */
static uint64_t excesses_of(const struct weir_tail_estimate *t)
{
    return t->count / 10 < WEIR_TAIL - 1 ? t->count / 10 : WEIR_TAIL - 1;
}

/* Sorts what is kept; what so many are above the next, in all. */
static weir_wide sum_of(struct weir_tail_estimate *t, uint64_t excesses)
{
    weir_wide sum = 0;
    qsort(t->top, t->kept, sizeof *t->top, descending);
    for (uint64_t i = 0; i < excesses; i++)
        sum += t->top[i] - t->top[excesses];
    return sum;
}

int64_t weir_tail_estimate_find(struct weir_tail_estimate *t, uint64_t rarity)
{
    uint64_t excesses = excesses_of(t);
    if (excesses < WEIR_TAIL_LEAST || rarity > UINT64_MAX / WEIR_TAIL || excesses * rarity < t->count)
        return 0;
    weir_wide sum = sum_of(t, excesses);
    int64_t threshold = t->top[excesses];
    weir_wide beyond = sum * weir_log_permille(excesses * rarity, t->count) / ((weir_wide)excesses * 1000);
    return beyond >= WEIR_TIME_MAX - threshold ? 0 : threshold + (int64_t)beyond;
}

/* The sum of k exponential excesses, divided by half their mean, is distributed as chi squared with 2 k degrees of freedom. It is
 * above its 5 % quantile, here in thousandths from k = WEIR_TAIL_LEAST on, with a chance of 95 %: so the mean is at most 2 sum /
 * quantile. */
static const uint16_t quantiles[] = {7961,  9390,  10850, 12338, 13848, 15379, 16927, 18492,
                                     20071, 21664, 23268, 24884, 26509, 28143, 29787, 31439};

int64_t weir_tail_estimate_upper(struct weir_tail_estimate *t, uint64_t rarity)
{
    uint64_t excesses = excesses_of(t);
    _Static_assert(sizeof quantiles / sizeof *quantiles == WEIR_TAIL - WEIR_TAIL_LEAST, "one for each number of excesses");
    if (excesses < WEIR_TAIL_LEAST)
        return 0;
    weir_wide sum = sum_of(t, excesses);
    int64_t threshold = t->top[excesses], longest = t->top[0];
    if (rarity > UINT64_MAX / WEIR_TAIL || excesses * rarity < t->count)
        return longest;
    weir_wide logarithm = weir_log_permille(excesses * rarity, t->count) + 1; /* which is rounded down */
    weir_wide beyond = 2 * sum * logarithm / quantiles[excesses - WEIR_TAIL_LEAST] + 1;
    int64_t upper = beyond >= WEIR_TIME_MAX - threshold ? WEIR_TIME_MAX - 1 : threshold + (int64_t)beyond;
    return upper > longest && sum > 0 ? upper : longest;
}

#define HEAVY 8 /* ln(23 / 0.01), rounded up: the longest of 23 is so many means above the threshold, or more */

bool weir_tail_estimate_is_heavy(struct weir_tail_estimate *t)
{
    uint64_t excesses = excesses_of(t);
    if (excesses < WEIR_TAIL_LEAST)
        return false;
    weir_wide sum = sum_of(t, excesses);
    return (weir_wide)(t->top[0] - t->top[excesses]) * (weir_wide)excesses > HEAVY * sum;
}
