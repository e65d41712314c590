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
int64_t weir_tail_estimate_find(struct weir_tail_estimate *t, uint64_t rarity)
{
    uint64_t excesses = t->count / 10 < WEIR_TAIL - 1 ? t->count / 10 : WEIR_TAIL - 1;
    if (excesses < WEIR_TAIL_LEAST || rarity > UINT64_MAX / WEIR_TAIL || excesses * rarity < t->count)
        return 0;
    qsort(t->top, t->kept, sizeof *t->top, descending);
    int64_t threshold = t->top[excesses];
    weir_wide sum = 0;
    for (uint64_t i = 0; i < excesses; i++)
        sum += t->top[i] - threshold;
    weir_wide beyond = sum * weir_log_permille(excesses * rarity, t->count) / ((weir_wide)excesses * 1000);
    return beyond >= WEIR_TIME_MAX - threshold ? 0 : threshold + (int64_t)beyond;
}
