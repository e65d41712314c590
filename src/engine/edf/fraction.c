/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/edf/fraction.h"

#include <assert.h>

static bool fits(weir_wide n)
{
    return n < WEIR_FRACTION_MAX && n > -WEIR_FRACTION_MAX;
}

/* A ratio with a power of two below the line, next above n / d. */
static bool round_up(weir_wide n, weir_wide d, struct weir_ratio *result)
{
    assert(d > 0);
    weir_wide whole = n / d, rest = n % d;
    if (rest < 0) {
        rest += d;
        whole--;
    }
    if (whole >= WEIR_TIME_MAX - 1 || whole <= -WEIR_TIME_MAX)
        return false;
    while (d >= WEIR_FRACTION_MAX) {
        rest = (rest + 1) >> 1;
        d >>= 1;
    }
    int bits = 0; /* (|whole| + 2) * 2^bits < 2^62 */
    for (weir_wide size = (whole < 0 ? -whole : whole) + 2; size < WEIR_FRACTION_MAX / 2; size <<= 1)
        bits++;
    weir_wide up = whole * ((weir_wide)1 << bits) + ((rest << bits) + d - 1) / d;
    while (bits > 0 && (up & 1) == 0) {
        up >>= 1;
        bits--;
    }
    *result = (struct weir_ratio){(int64_t)up, INT64_C(1) << bits};
    return true;
}

static bool settle(weir_wide n, weir_wide d, struct weir_ratio *result)
{
    if (!fits(n) || !fits(d))
        return round_up(n, d, result);
    *result = (struct weir_ratio){(int64_t)n, (int64_t)d};
    return (n < WEIR_TIME_MAX && n > -WEIR_TIME_MAX) ||
           (result->numerator / result->denominator < WEIR_TIME_MAX && result->numerator / result->denominator > -WEIR_TIME_MAX);
}

bool weir_fraction_make(weir_wide n, weir_wide d, struct weir_ratio *result)
{
    assert(d > 0);
    weir_wide divisor = weir_wide_divisor(n, d);
    assert(divisor > 0);
    return settle(n / divisor, d / divisor, result);
}

bool weir_fraction_add(struct weir_ratio a, struct weir_ratio b, struct weir_ratio *sum)
{
    int64_t common = weir_greatest_divisor(a.denominator, b.denominator);
    assert(common > 0);
    weir_wide n = (weir_wide)a.numerator * (b.denominator / common) + (weir_wide)b.numerator * (a.denominator / common);
    weir_wide d = (weir_wide)(a.denominator / common) * b.denominator;
    if (common > 1) { /* the sum of two in lowest terms can only be shortened by what both have below the line */
        int64_t shorter = weir_greatest_divisor(fits(n) ? (int64_t)n : (int64_t)(n % common), common);
        n /= shorter;
        d /= shorter;
    }
    return settle(n, d, sum);
}

bool weir_fraction_scale(struct weir_ratio a, int64_t up, int64_t down, struct weir_ratio *result)
{
    int64_t common = weir_greatest_divisor(up, down);
    assert(common > 0);
    up /= common;
    down /= common;
    int64_t first = weir_greatest_divisor(a.numerator, down), second = weir_greatest_divisor(up, a.denominator);
    assert(first > 0 && second > 0);
    return settle((weir_wide)(a.numerator / first) * (up / second), (weir_wide)(a.denominator / second) * (down / first), result);
}
