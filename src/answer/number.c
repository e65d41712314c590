/* SPDX-License-Identifier: Apache-2.0 */
/* Times, ratios as decimal numbers (rounded up unless they are lower bounds), counts. */
#include "answer/number.h"

#include "base/number.h"

#include <string.h>

enum { MORE = 12, ROOM = WEIR_TIME_TEXT + MORE };

/* A short word behind a number, which there is room for. A table spends its time here, so nothing here is printed. */
static void append(char *text, const char *word)
{
    memcpy(text + strlen(text), word, strlen(word) + 1);
}

static void append_unit(char *text, enum weir_unit unit)
{
    append(text, " ");
    append(text, weir_unit_name(unit));
}

const char *weir_amount_format(const struct weir_pipeline *pipeline, int64_t ticks, char text[WEIR_AMOUNT_TEXT])
{
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    weir_time_format(pipeline, ticks, text);
    if (unit != WEIR_UNIT_TICK)
        append_unit(text, unit);
    return text;
}

/* The decimals of rest / denominator < 1, or of a little more (down: less); true when they are not all of it. */
static bool write_decimals(int64_t rest, int64_t denominator, bool down, char digits[MORE])
{
    while (denominator > INT64_MAX / 10) {
        denominator = down ? denominator - denominator / 2 : denominator / 2;
        rest = rest / 2 + !down;
        rest = rest < denominator ? rest : denominator - 1;
    }
    for (int i = 0; i < MORE; i++) {
        rest *= 10;
        digits[i] = (char)('0' + rest / denominator);
        rest %= denominator;
    }
    return rest > 0;
}

/* The next number of so many digits; there is room for one more in front. */
static void step_up(char *digits, size_t length)
{
    while (length-- > 0) {
        if (digits[length] != '9') {
            digits[length]++;
            return;
        }
        digits[length] = '0';
    }
}

static const char *format(struct weir_ratio value, unsigned places, unsigned digits, bool down, char text[WEIR_NUMBER_TEXT])
{
    char all[ROOM], more[MORE];
    if (value.denominator <= 0)
        return memcpy(text, "-", 2);
    int64_t whole = value.numerator / value.denominator, rest = value.numerator % value.denominator;
    size_t count = strlen(weir_decimal_format(whole, 0, text));
    /* One zero in front for a carry, one at least before the point. */
    size_t length = 1 + (count > places ? count : places + 1);
    memset(all, '0', length - count);
    memcpy(all + length - count, text, count);
    size_t point = length - places, end = length;
    if (rest) {
        bool left = write_decimals(rest, value.denominator, down, more);
        memcpy(all + length, more, MORE);
        end += MORE;
        size_t first = strspn(all, "0"), keep = first + digits;
        keep = keep < point ? point : keep > end ? end : keep;
        for (size_t i = keep; i < end; i++)
            left |= all[i] != '0';
        if (left && !down)
            step_up(all, keep);
        end = keep;
    }
    size_t begin = all[0] == '0';
    while (begin + 1 < point && all[begin] == '0')
        begin++;
    while (end > point && all[end - 1] == '0')
        end--;
    size_t used = point - begin;
    memcpy(text, all + begin, used);
    if (end > point) {
        text[used++] = '.';
        memcpy(text + used, all + point, end - point);
        used += end - point;
    }
    text[used] = 0;
    return text;
}

const char *weir_ratio_format(struct weir_ratio value, unsigned places, unsigned digits, char text[WEIR_NUMBER_TEXT])
{
    return format(value, places, digits, false, text);
}

const char *weir_ratio_floor(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT])
{
    return format(ticks, weir_pipeline_digits(pipeline), 6, true, text);
}

const char *weir_ratio_time(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT])
{
    return weir_ratio_format(ticks, weir_pipeline_digits(pipeline), 6, text);
}

const char *weir_ratio_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT])
{
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    weir_ratio_time(pipeline, ticks, text);
    if (unit != WEIR_UNIT_TICK && ticks.denominator > 0)
        append_unit(text, unit);
    return text;
}

const char *weir_quantity_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT])
{
    return ticks.denominator == 1 ? weir_amount_format(pipeline, ticks.numerator, text) : weir_ratio_amount(pipeline, ticks, text);
}

const char *weir_quantity_floor(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT])
{
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    if (ticks.denominator == 1)
        return weir_amount_format(pipeline, ticks.numerator, text);
    weir_ratio_floor(pipeline, ticks, text);
    if (unit != WEIR_UNIT_TICK && ticks.denominator > 0)
        append_unit(text, unit);
    return text;
}

const char *weir_slack_amount(const struct weir_pipeline *pipeline, int64_t deadline, struct weir_ratio worst,
                              char text[WEIR_NUMBER_TEXT])
{
    struct weir_ratio below = weir_ratio_above(worst, deadline);
    bool late = below.numerator > 0;
    below.numerator = late ? below.numerator : -below.numerator;
    text[0] = '-';
    (late ? weir_quantity_amount : weir_quantity_floor)(pipeline, below, text + late);
    return text;
}

const char *weir_ratio_percent(struct weir_ratio value, char text[WEIR_NUMBER_TEXT])
{
    bool negative = value.numerator < 0; /* its amount is rounded down */
    value.numerator = negative ? -value.numerator : value.numerator;
    /* A little more where the product does not fit. */
    while (value.numerator > INT64_MAX / 100) {
        value.numerator = value.numerator / 2 + !negative;
        value.denominator = value.denominator > 1 ? value.denominator / 2 : 1;
    }
    value.numerator *= 100;
    text[0] = '-';
    format(value, 0, 3, negative, text + negative);
    append(text, " %");
    return text;
}

struct weir_ratio weir_ratio_above(struct weir_ratio ticks, int64_t whole)
{
    int64_t product, rest;
    if (!__builtin_mul_overflow(whole, ticks.denominator, &product) && !__builtin_sub_overflow(ticks.numerator, product, &rest))
        return (struct weir_ratio){rest, ticks.denominator};
    return (struct weir_ratio){weir_ratio_ceiling(ticks) - whole, 1};
}

/* a + sign * b over their common denominator; false when that does not fit. */
static bool combine(struct weir_ratio a, struct weir_ratio b, int sign, struct weir_ratio *result)
{
    int64_t common = weir_greatest_divisor(a.denominator, b.denominator), left, right;
    if (__builtin_mul_overflow(a.numerator, b.denominator / common, &left) ||
        __builtin_mul_overflow(b.numerator, a.denominator / common * sign, &right) ||
        __builtin_add_overflow(left, right, &result->numerator) ||
        __builtin_mul_overflow(a.denominator, b.denominator / common, &result->denominator))
        return false;
    return true;
}

struct weir_ratio weir_ratio_sum(struct weir_ratio a, struct weir_ratio b)
{
    struct weir_ratio result;
    return combine(a, b, 1, &result) ? result : (struct weir_ratio){weir_ratio_ceiling(a) + weir_ratio_ceiling(b), 1};
}

struct weir_ratio weir_ratio_difference(struct weir_ratio a, struct weir_ratio b)
{
    struct weir_ratio result;
    return combine(a, b, -1, &result) ? result : (struct weir_ratio){weir_ratio_ceiling(a) - b.numerator / b.denominator, 1};
}

int64_t weir_ratio_ceiling(struct weir_ratio ticks)
{
    return ticks.numerator / ticks.denominator + (ticks.numerator % ticks.denominator > 0);
}

double weir_ratio_seconds(const struct weir_pipeline *pipeline, struct weir_ratio ticks)
{
    static const int exponents[] = {0, 9, 6, 3, 0};
    double value = (double)ticks.numerator / (double)ticks.denominator;
    for (int i = exponents[weir_pipeline_unit(pipeline)] + (int)weir_pipeline_digits(pipeline); i > 0; i--)
        value /= 10;
    return value;
}

const char *weir_count_format(int64_t count, char text[WEIR_COUNT_TEXT])
{
    char number[WEIR_TIME_TEXT], *digits = number + (count < 0);
    size_t used = 0, length = strlen(weir_decimal_format(count, 0, number)) - (count < 0);
    if (count < 0)
        text[used++] = '-';
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = 0;
    return text;
}

const char *weir_duration_format(int64_t ns, char text[WEIR_DURATION_TEXT])
{
    static const struct {
        int64_t below, whole, part; /* part: the last digit that is shown */
        int digits;
        const char *name;
    } units[] = {{1000000, 1000, 100, 1, "us"}, {1000000000, 1000000, 1000, 3, "ms"}, {INT64_MAX, 1000000000, 1000000, 3, "s"}};
    const char *sign = ns < 0 ? "-" : "";
    int64_t size = ns < 0 ? (ns == INT64_MIN ? INT64_MAX : -ns) : ns;
    size_t i = 0;
    if (size < 1000) {
        snprintf(text, WEIR_DURATION_TEXT, "%s%lld ns", sign, (long long)size);
        return text;
    }
    while (size >= units[i].below && i < 2)
        i++;
    int64_t parts = size / units[i].part + (size % units[i].part * 2 >= units[i].part), all = units[i].whole / units[i].part;
    snprintf(text, WEIR_DURATION_TEXT, "%s%lld.%0*lld %s", sign, (long long)(parts / all), units[i].digits,
             (long long)(parts % all), units[i].name);
    return text;
}
