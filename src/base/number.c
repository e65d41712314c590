/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "base/word.h"

#include <ctype.h>
#include <string.h>

static const char *const unit_names[] = {"tick", "ns", "us", "ms", "s"};

const char *weir_unit_name(enum weir_unit unit)
{
    return WEIR_WORD(unit_names, unit);
}

int weir_unit_exponent(enum weir_unit unit)
{
    static const int exponents[] = {0, -9, -6, -3, 0};
    return exponents[unit];
}

static enum weir_decimal_fault parse_unit(const char *s, struct weir_decimal *value)
{
    if (strcmp(s, "\xc2\xb5s") == 0 || strcmp(s, "\xce\xbcs") == 0)
        s = "us";
    for (size_t i = 0; i < sizeof unit_names / sizeof *unit_names; i++) {
        if (strcmp(s, unit_names[i]) == 0) {
            value->has_unit = true;
            value->unit = (enum weir_unit)i;
            return WEIR_DECIMAL_OK;
        }
    }
    return WEIR_DECIMAL_UNIT;
}

/* No text is long enough for its digits to reach this, so an exponent that is cut off here stays out of range. */
#define EXPONENT_MAX 500000000

/* The exponent behind an 'e', leaving *s after it; false when there are no digits. */
static bool parse_exponent(const char **s, int *exponent)
{
    const char *p = *s + 1;
    int sign = *p == '-' ? -1 : 1, written = 0;
    if (*p == '+' || *p == '-')
        p++;
    if (!isdigit((unsigned char)*p))
        return false;
    for (; isdigit((unsigned char)*p); p++)
        written = written < EXPONENT_MAX / 10 ? written * 10 + (*p - '0') : EXPONENT_MAX;
    *exponent += sign * written;
    *s = p;
    return true;
}

enum weir_decimal_fault weir_decimal_parse(const char *s, struct weir_decimal *value)
{
    *value = (struct weir_decimal){0};
    bool negative = *s == '-', point = false, digits = false;
    if (*s == '+' || *s == '-')
        s++;
    bool out_of_range = false;
    int zeros = 0; /* zeros seen that may yet turn out to be trailing */
    for (;; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)*s))
            break;
        digits = true;
        if (point && value->exponent > -EXPONENT_MAX)
            value->exponent--;
        if (*s == '0') {
            zeros += zeros < EXPONENT_MAX;
            continue;
        }
        for (; zeros > 0 && value->mantissa; zeros--)
            out_of_range |= !weir_multiply(value->mantissa, 10, &value->mantissa);
        zeros = 0;
        out_of_range |= !weir_multiply(value->mantissa, 10, &value->mantissa);
        out_of_range |= !weir_add(value->mantissa, *s - '0', &value->mantissa);
    }
    if (!digits)
        return WEIR_DECIMAL_MALFORMED;
    value->exponent += zeros;
    if ((*s == 'e' || *s == 'E') && !parse_exponent(&s, &value->exponent))
        return WEIR_DECIMAL_MALFORMED;
    if (out_of_range)
        value->mantissa = 0;
    if (negative)
        value->mantissa = -value->mantissa;
    if (value->mantissa == 0)
        value->exponent = 0;
    while (*s == ' ')
        s++;
    if (*s) {
        enum weir_decimal_fault fault = parse_unit(s, value);
        if (fault)
            return isalpha((unsigned char)*s) || (unsigned char)*s >= 0x80 ? fault : WEIR_DECIMAL_MALFORMED;
    }
    return out_of_range ? WEIR_DECIMAL_RANGE : WEIR_DECIMAL_OK;
}

int weir_decimal_digits(const struct weir_decimal *value, enum weir_unit unit)
{
    if (value->mantissa == 0)
        return 0;
    int shift = value->has_unit ? weir_unit_exponent(value->unit) - weir_unit_exponent(unit) : 0;
    return -(value->exponent + shift);
}

bool weir_decimal_ticks(const struct weir_decimal *value, enum weir_unit unit, unsigned digits, int64_t *ticks)
{
    int zeros = (int)digits - weir_decimal_digits(value, unit);
    *ticks = value->mantissa;
    if (value->mantissa == 0)
        return true;
    if (zeros < 0 || zeros > 18)
        return false;
    for (; zeros > 0; zeros--)
        if (!weir_multiply(*ticks, 10, ticks))
            return false;
    return -WEIR_TIME_MAX < *ticks && *ticks < WEIR_TIME_MAX;
}

const char *weir_decimal_format(int64_t ticks, unsigned digits, char text[WEIR_TIME_TEXT])
{
    char reversed[WEIR_TIME_TEXT];
    size_t n = 0;
    uint64_t rest = ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks;
    bool fraction = false; /* a digit of the fraction was written, so zeros count */
    for (unsigned place = 0; place <= digits || rest; place++, rest /= 10) {
        if (place == digits && fraction)
            reversed[n++] = '.';
        if (place >= digits || fraction || rest % 10) {
            fraction |= place < digits;
            reversed[n++] = (char)('0' + rest % 10);
        }
    }
    size_t used = 0;
    if (ticks < 0)
        text[used++] = '-';
    while (n > 0)
        text[used++] = reversed[--n];
    text[used] = 0;
    return text;
}

int weir_ratio_compare(struct weir_ratio a, struct weir_ratio b)
{
    weir_wide left = (weir_wide)a.numerator * b.denominator, right = (weir_wide)b.numerator * a.denominator;
    return left < right ? -1 : left > right;
}

/* Without divisions, which are what some analyses would spend most of their time on. */
int64_t weir_greatest_divisor(int64_t first, int64_t second)
{
    uint64_t a = first < 0 ? 0 - (uint64_t)first : (uint64_t)first, b = second < 0 ? 0 - (uint64_t)second : (uint64_t)second;
    if (a == 0 || b == 0)
        return (int64_t)(a | b);
    if (a == 1 || b == 1)
        return 1;
    if (a >> 16 > b) /* far apart: one division brings them together */
        a %= b;
    else if (b >> 16 > a)
        b %= a;
    if (a == 0 || b == 0)
        return (int64_t)(a | b);
    int twos = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        uint64_t low = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = low;
    }
    return (int64_t)(a << twos);
}

weir_wide weir_wide_divisor(weir_wide a, weir_wide b)
{
    a = a < 0 ? -a : a, b = b < 0 ? -b : b;
    while (b && (a > INT64_MAX || b > INT64_MAX)) {
        weir_wide rest = a % b;
        a = b, b = rest;
    }
    return b ? weir_greatest_divisor((int64_t)a, (int64_t)b) : a;
}

bool weir_ratio_make(weir_wide numerator, weir_wide denominator, weir_wide limit, struct weir_ratio *ratio)
{
    weir_wide divisor = weir_wide_divisor(numerator, denominator);
    numerator /= divisor, denominator /= divisor;
    if (numerator >= limit || numerator <= -limit || denominator >= limit)
        return false;
    *ratio = (struct weir_ratio){(int64_t)numerator, (int64_t)denominator};
    return true;
}

struct weir_ratio weir_ratio_reduce(struct weir_ratio ratio)
{
    int64_t a = weir_greatest_divisor(ratio.numerator, ratio.denominator);
    if (a > 1)
        return (struct weir_ratio){ratio.numerator / a, ratio.denominator / a};
    return ratio;
}
