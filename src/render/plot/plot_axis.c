/* SPDX-License-Identifier: Apache-2.0 */
/* Axes: round limits, ticks, and what is written beside them. Elementary arithmetic only, so that every machine draws the same. */
#include "render/plot/plot.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-9   /* a relative difference that does not count */
#define MOST_EXACT 9e15 /* a double has no more digits */

/* Binary digits of the logarithm one by one: squaring doubles it, and a carry over 10 is a digit. */
static double log10_of(double value)
{
    double result = 0, digit = 1;
    for (; value >= 10; value /= 10)
        result++;
    for (; value < 1; value *= 10)
        result--;
    for (int i = 0; i < 36; i++) {
        value *= value;
        digit /= 2;
        if (value >= 10) {
            value /= 10;
            result += digit;
        }
    }
    return result;
}

static double power_of_10(int exponent)
{
    double value = 1;
    for (; exponent > 0; exponent--)
        value *= 10;
    for (; exponent < 0; exponent++)
        value /= 10;
    return value;
}

/* The largest whole number not above a value of moderate size. */
static int floor_of(double value)
{
    int whole = (int)value;
    return whole > value ? whole - 1 : whole;
}

/* Some six steps of 1, 2 or 5 times a power of ten. */
static double step_of(double range)
{
    double step = power_of_10(floor_of(log10_of(range / 6)));
    double steps = range / 6 / step;
    return step * (steps < 1.5 ? 1 : steps < 3.5 ? 2 : steps < 7.5 ? 5 : 10);
}

static void fit_linear(struct weir_axis *axis, double smallest, double largest)
{
    if (smallest >= largest)
        largest = smallest + 1;
    double step = step_of(largest - smallest), slack = step / 1e6;
    double first = smallest / step, last = largest / step;
    if (first > -1e9 && first < 1e9 && last > -1e9 && last < 1e9) {
        smallest = floor_of(first + slack / step) * step;
        largest = -floor_of(-last + slack / step) * step;
    }
    axis->low = smallest;
    axis->high = largest;
}

static void fit_logarithmic(struct weir_axis *axis, double smallest, double largest, bool decades)
{
    static const int factors[] = {1, 2, 5};
    double low = power_of_10(floor_of(log10_of(smallest) + ROUNDING)), high = power_of_10(-floor_of(ROUNDING - log10_of(largest)));
    if (high <= low * 1.5)
        high = low * 10;
    axis->low = low;
    axis->high = high;
    for (int i = 0; i < 3 && !decades; i++) {
        if (low * factors[i] <= smallest * (1 + ROUNDING))
            axis->low = low * factors[i];
        if (high / factors[i] >= largest * (1 - ROUNDING))
            axis->high = high / factors[i];
    }
    if (axis->high <= axis->low * 1.5)
        axis->high = axis->low * 10;
}

void weir_axis_fit(struct weir_axis *axis, double smallest, double largest, bool from_zero)
{
    if (smallest > largest)
        smallest = largest = 1;
    if (axis->spec.logarithmic) {
        fit_logarithmic(axis, smallest, largest, from_zero);
        return;
    }
    if (from_zero) {
        smallest = smallest > 0 ? 0 : smallest;
        largest = largest < 0 ? 0 : largest;
    }
    fit_linear(axis, smallest, largest);
}

bool weir_axis_shows(const struct weir_axis *axis, double value)
{
    return isfinite(value) && (value > 0 || !axis->spec.logarithmic);
}

double weir_axis_place(const struct weir_axis *axis, double value)
{
    double share;
    if (axis->spec.logarithmic)
        share = log10_of(value / axis->low) / log10_of(axis->high / axis->low);
    else
        share = (value - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

/* ---- what is written at a tick ---- */

/* Up to `digits` behind the point, without zeros at the end; thousands with commas. */
static void format_number(double value, unsigned digits, char text[WEIR_TICK_TEXT])
{
    double size = value < 0 ? -value : value;
    while (digits > 0 && size * power_of_10((int)digits) > MOST_EXACT)
        digits--;
    if (size > MOST_EXACT) {
        int exponent = floor_of(log10_of(size) + ROUNDING);
        snprintf(text, WEIR_TICK_TEXT, "%s%de%d", value < 0 ? "-" : "", (int)(size / power_of_10(exponent) + 0.5), exponent);
        return;
    }
    double scale = power_of_10((int)digits);
    unsigned long long all = (unsigned long long)(size * scale + 0.5), unit = (unsigned long long)scale;
    unsigned long long whole = all / unit, part = all % unit;
    char figures[24], *end = text;
    int length = snprintf(figures, sizeof figures, "%llu", whole);
    if (value < 0 && all > 0)
        *end++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = figures[i];
    }
    if (part > 0)
        *end++ = '.';
    for (unit /= 10; part > 0; unit /= 10) {
        *end++ = (char)('0' + part / unit);
        part %= unit;
    }
    *end = 0;
}

static void format_tick(const struct weir_axis *axis, double value, char text[WEIR_TICK_TEXT])
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}};
    if (axis->spec.values == WEIR_PLOT_NUMBERS) {
        format_number(value, 9, text);
        return;
    }
    size_t unit = 0;
    while (value != 0 && unit < 3 && (value < 0 ? -value : value) < units[unit].size * 0.9999999)
        unit++;
    format_number(value / units[unit].size, 6, text);
    size_t used = strlen(text);
    snprintf(text + used, WEIR_TICK_TEXT - used, "%s", units[unit].name);
}

/* ---- which ticks ---- */

static size_t linear_ticks(const struct weir_axis *axis, struct weir_tick ticks[WEIR_TICKS_MAX])
{
    double step = step_of(axis->high - axis->low);
    size_t count = 0;
    for (; count < WEIR_TICKS_MAX; count++) {
        double value = axis->low + (double)count * step;
        if (value > axis->high + step / 1e6)
            break;
        ticks[count].value = value;
        format_tick(axis, value, ticks[count].text);
    }
    return count;
}

/* Powers of ten, and in between 2 and 5 where there is room for words, the rest where there is room for a line. */
static size_t logarithmic_ticks(const struct weir_axis *axis, struct weir_tick ticks[WEIR_TICKS_MAX])
{
    size_t count = 0;
    int first = floor_of(log10_of(axis->low) + ROUNDING), last = -floor_of(ROUNDING - log10_of(axis->high));
    int every = (last - first) / 12 + 1;
    for (int decade = first; decade <= last; decade++)
        for (int factor = 1; factor < 10 && count < WEIR_TICKS_MAX; factor++) {
            double value = factor * power_of_10(decade);
            bool worded = factor == 1 ? decade % every == 0 : last - first <= 2 && (factor == 2 || factor == 5);
            if ((!worded && every > 1) || value < axis->low * (1 - ROUNDING) || value > axis->high * (1 + ROUNDING))
                continue;
            ticks[count].value = value;
            ticks[count].text[0] = 0;
            if (worded)
                format_tick(axis, value, ticks[count].text);
            count++;
        }
    return count;
}

size_t weir_axis_ticks(const struct weir_axis *axis, struct weir_tick ticks[WEIR_TICKS_MAX])
{
    return axis->spec.logarithmic ? logarithmic_ticks(axis, ticks) : linear_ticks(axis, ticks);
}
