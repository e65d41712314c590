/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers: checked integers, decimals as people write them, ratios. */
#ifndef WEIR_BASE_NUMBER_H
#define WEIR_BASE_NUMBER_H

#include "weir.h"

/* Times and their sums stay below this, so that the sum of two never overflows. */
#define WEIR_TIME_MAX (INT64_C(1) << 60)

/* Wide enough for the product of any two int64_t. */
__extension__ typedef __int128 weir_wide;

static inline bool weir_add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool weir_multiply(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* mantissa * 10^exponent, with the unit that was written behind it. Trailing zeros are moved into the exponent, so the
 * exponent is the coarsest power of ten that divides the number (0 for zero). */
struct weir_decimal {
    int64_t mantissa;
    int exponent;
    bool has_unit;
    enum weir_unit unit;
};

enum weir_decimal_fault { WEIR_DECIMAL_OK, WEIR_DECIMAL_MALFORMED, WEIR_DECIMAL_UNIT, WEIR_DECIMAL_RANGE };
/* Reads all of text: [+-]digits[.digits][e[+-]digits][space][ns|us|ms|s|tick]. "µs" is us. */
enum weir_decimal_fault weir_decimal_parse(const char *text, struct weir_decimal *value);
/* Power of ten of a unit in seconds: ns -9, us -6, ms -3, s 0; tick has none. */
int weir_unit_exponent(enum weir_unit unit);
/* How many digits after the point the number needs when counted in `unit`; negative when none and zeros are left over. */
int weir_decimal_digits(const struct weir_decimal *value, enum weir_unit unit);
/* The number in ticks of 10^-digits units; false when it is not a whole number of ticks below WEIR_TIME_MAX. */
bool weir_decimal_ticks(const struct weir_decimal *value, enum weir_unit unit, unsigned digits, int64_t *ticks);
/* ticks / 10^digits, exactly, without needless zeros. */
const char *weir_decimal_format(int64_t ticks, unsigned digits, char text[WEIR_TIME_TEXT]);

/* The greatest common divisor, never negative; that of a number and 0 is the number. */
int64_t weir_greatest_divisor(int64_t a, int64_t b);
weir_wide weir_wide_divisor(weir_wide a, weir_wide b);

/* The largest whole number not above a / b, and the smallest not below; b is positive. */
static inline int64_t weir_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t weir_ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* -1, 0, 1 as a is below, equal to, above b; denominators positive. */
int weir_ratio_compare(struct weir_ratio a, struct weir_ratio b);
struct weir_ratio weir_ratio_reduce(struct weir_ratio ratio);
/* numerator / denominator in lowest terms, the denominator positive; false, and no ratio, where either reaches the limit, which is
 * at most 2^63. */
bool weir_ratio_make(weir_wide numerator, weir_wide denominator, weir_wide limit, struct weir_ratio *ratio);

#endif
