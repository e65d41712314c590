/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/exact.h"

static struct weir_ratio reduced(int64_t numerator, int64_t denominator)
{
    return weir_ratio_reduce((struct weir_ratio){numerator, denominator});
}

struct weir_ratio weir_gpu_exact_time(const struct weir_gpu_system *s, const struct weir_gpu_piece *piece)
{
    const struct weir_kernel *k = &s->kernels->kernels[piece->kernel];
    if (k->times)
        return reduced(weir_gpu_time(s, piece->kernel, piece->load, piece->sms), s->scale);
    int64_t waves = piece->sms / s->sms + (piece->sms % s->sms > 0), grain = s->granularity[piece->kernel];
    struct weir_ratio time = reduced(piece->load, s->scale), least = reduced(k->min_time, waves);
    if (grain) {
        int64_t granules = piece->load / grain + (piece->load % grain > 0);
        time = reduced(grain / s->scale * (granules / piece->sms + (granules % piece->sms > 0)), 1);
    } else {
        int64_t common = weir_greatest_divisor(time.numerator, piece->sms), denominator;
        if (weir_multiply(time.denominator, piece->sms / common, &denominator))
            time = (struct weir_ratio){time.numerator / common, denominator};
        else
            time = weir_gpu_ticks_up(s, piece->load, piece->sms);
    }
    return weir_ratio_compare(time, least) > 0 ? time : least;
}

/* ---- rounding ---- */

/* ceil(a * b / c) where a < c < 2^126: bit by bit, because the product has up to 190 of them. */
static int64_t scale_up(weir_wide a, int64_t b, weir_wide c)
{
    weir_wide rest = 0;
    int64_t quotient = 0;
    for (int bit = 62; bit >= 0; bit--) {
        quotient *= 2, rest *= 2;
        if (rest >= c)
            rest -= c, quotient++;
        if (b >> bit & 1)
            rest += a;
        if (rest >= c)
            rest -= c, quotient++;
    }
    return quotient + (rest > 0);
}

/* A grid finer than fine ticks, but not so fine that the next sum would leave what fits. */
enum { FINER_BITS = 20 };

static struct weir_ratio round_up(const struct weir_gpu_system *s, weir_wide numerator, weir_wide denominator)
{
    int64_t whole = (int64_t)(numerator / denominator), grid = s->scale;
    for (int bits = 0; bits < FINER_BITS && grid < (INT64_MAX >> 2) / (whole + 1); bits++)
        grid *= 2;
    return reduced(whole * grid + scale_up(numerator % denominator, grid, denominator), grid);
}

struct weir_ratio weir_gpu_sum_up(const struct weir_gpu_system *s, struct weir_ratio a, struct weir_ratio b)
{
    int64_t shared = weir_greatest_divisor(a.denominator, b.denominator);
    weir_wide numerator = (weir_wide)a.numerator * (b.denominator / shared) + (weir_wide)b.numerator * (a.denominator / shared);
    /* What a reduced sum of reduced ratios can be divided by divides what they shared. */
    int64_t common = weir_greatest_divisor(shared, (int64_t)(numerator % shared));
    weir_wide denominator = (weir_wide)(a.denominator / shared) * (b.denominator / common);
    numerator /= common;
    if (numerator <= INT64_MAX && denominator <= INT64_MAX)
        return (struct weir_ratio){(int64_t)numerator, (int64_t)denominator};
    return round_up(s, numerator, denominator);
}

/* Any ratio of two int64_t. */
#define LIMIT ((weir_wide)INT64_MAX + 1)

struct weir_ratio weir_gpu_ticks_up(const struct weir_gpu_system *s, weir_wide fine, uint32_t divisor)
{
    struct weir_ratio ratio;
    if (weir_ratio_make(fine, (weir_wide)s->scale * divisor, LIMIT, &ratio))
        return ratio;
    return round_up(s, fine, (weir_wide)s->scale * divisor);
}

struct weir_ratio weir_gpu_ticks_down(const struct weir_gpu_system *s, weir_wide fine, uint32_t divisor)
{
    struct weir_ratio ratio;
    if (weir_ratio_make(fine, (weir_wide)s->scale * divisor, LIMIT, &ratio))
        return ratio;
    return reduced((int64_t)(fine / divisor), s->scale);
}
