/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times, exactly. Every time of a file is kept as the decimal it was written as. When all are there, the model's unit is known,
 * and the tick is made so fine that each is a whole number of ticks, and no finer.
 */
#include "read/draft.h"

#include <string.h>

#define DIGITS_MAX 18

uint32_t weir_draft_bad_time(struct weir_draft *d, struct weir_place place)
{
    if (d->time_count >= UINT32_MAX || !weir_draft_room(d, &d->times, &d->time_capacity, d->time_count, sizeof *d->times)) {
        d->out_of_memory = true;
        return WEIR_NO_TIME;
    }
    d->times[d->time_count++] = (struct weir_draft_time){.place = place, .bad = true};
    return (uint32_t)(d->time_count - 1);
}

uint32_t weir_draft_decimal(struct weir_draft *d, const struct weir_decimal *value, struct weir_place place)
{
    uint32_t number = weir_draft_bad_time(d, place);
    if (number == WEIR_NO_TIME)
        return number;
    d->times[number].value = *value;
    d->times[number].bad = false;
    return number;
}

uint32_t weir_draft_time(struct weir_draft *d, const char *text, struct weir_place place, const char *what)
{
    char quoted[WEIR_QUOTED];
    uint32_t number = weir_draft_bad_time(d, place);
    if (number == WEIR_NO_TIME)
        return number;
    struct weir_decimal value;
    enum weir_decimal_fault fault = weir_decimal_parse(text, &value);
    if (fault == WEIR_DECIMAL_OK && value.mantissa >= 0) {
        d->times[number].value = value;
        d->times[number].bad = false;
        return number;
    }
    weir_quote(text, quoted);
    if (strcmp(text, "TODO") == 0) {
        weir_draft_mistake(d, place, "\"%s\" is still to be filled in: a number such as 5, 4.25 or 33.3ms, or [least, most]", what);
    } else if (fault == WEIR_DECIMAL_MALFORMED) {
        weir_draft_mistake(d, place, "\"%s\" must be a number such as 5, 4.25 or 33.3ms, not \"%s\"", what, quoted);
    } else if (fault == WEIR_DECIMAL_UNIT) {
        weir_draft_mistake(d, place, "\"%s\" has an unknown unit; expected ns, us, ms, s or tick", quoted);
    } else if (fault == WEIR_DECIMAL_RANGE) {
        weir_draft_mistake(d, place, "\"%s\" is out of range: it has more digits than can be represented", quoted);
    } else {
        weir_draft_mistake(d, place, "\"%s\" must not be negative, but is %s", what, quoted);
    }
    return number;
}

bool weir_draft_set_unit(struct weir_draft *d, const char *text, struct weir_place place)
{
    static const enum weir_unit units[] = {WEIR_UNIT_TICK, WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S};
    char quoted[WEIR_QUOTED];
    if (strcmp(text, "\xc2\xb5s") == 0 || strcmp(text, "\xce\xbcs") == 0)
        text = "us";
    d->has_unit = true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, weir_unit_name(units[i])) == 0) {
            d->unit = units[i];
            return true;
        }
    weir_draft_mistake(d, place, "unknown unit \"%s\"; expected ns, us, ms, s or tick", weir_quote(text, quoted));
    d->unit_bad = true;
    return false;
}

/* Without a unit in the file, or with an unknown one, which is a mistake already: the finest that is written behind a time.
 * Times without one are then unclear. What options say of a GPU is not of the file. */
static void choose_unit(struct weir_draft *d)
{
    const struct weir_draft_time *finest = NULL;
    for (size_t i = 0; i < d->time_count; i++) {
        const struct weir_draft_time *t = &d->times[i];
        if (!t->bad && t->value.has_unit && t->value.unit != WEIR_UNIT_TICK && !(d->gpu && t->place.line == 0) &&
            (!finest || weir_unit_exponent(t->value.unit) < weir_unit_exponent(finest->value.unit)))
            finest = t;
    }
    if (!finest)
        return;
    d->unit = finest->value.unit;
    for (size_t i = 0; i < d->time_count; i++) {
        struct weir_draft_time *t = &d->times[i];
        if (t->bad || t->value.has_unit || t->value.mantissa == 0)
            continue;
        t->bad = true;
        if (!d->unit_bad)
            weir_draft_mistake(d, t->place,
                               "this time has no unit, but the one in line %u has: give the model a unit, or write one here",
                               finest->place.line);
    }
}

static void check_units(struct weir_draft *d)
{
    for (size_t i = 0; i < d->time_count; i++) {
        struct weir_draft_time *t = &d->times[i];
        if (t->bad || !t->value.has_unit || t->value.mantissa == 0)
            continue;
        if ((t->value.unit == WEIR_UNIT_TICK) == (d->unit == WEIR_UNIT_TICK))
            continue;
        t->bad = true;
        if (!d->unit_bad)
            weir_draft_mistake(d, t->place, "a time in %s cannot be converted to the model's unit, %s",
                               weir_unit_name(t->value.unit), weir_unit_name(d->unit));
    }
}

static int finest_digits(struct weir_draft *d)
{
    int digits = 0;
    for (size_t i = 0; i < d->time_count; i++) {
        struct weir_draft_time *t = &d->times[i];
        if (t->bad || t->value.mantissa == 0)
            continue;
        int needed = weir_decimal_digits(&t->value, d->unit);
        if (needed > DIGITS_MAX) {
            t->bad = true;
            weir_draft_mistake(d, t->place,
                               "this time is out of range: it needs %d digits after the point in %s, and %d is the most", needed,
                               weir_unit_name(d->unit), DIGITS_MAX);
            t->bad = true;
        } else if (needed > digits) {
            digits = needed;
        }
    }
    return digits;
}

static bool all_fit(const struct weir_draft *d, int digits)
{
    int64_t ticks;
    for (size_t i = 0; i < d->time_count; i++)
        if (!d->times[i].bad && !weir_decimal_ticks(&d->times[i].value, d->unit, (unsigned)digits, &ticks))
            return false;
    return true;
}

/* The digits that the times to be asked need. One that cannot be held is left out: who asks it will be told. */
static int extra_digits(const struct weir_draft *d, int digits)
{
    const char *list = d->options->extra_times;
    while (list && *list) {
        size_t length = strcspn(list, ",");
        char text[64];
        struct weir_decimal value;
        int64_t ticks;
        if (length < sizeof text) {
            memcpy(text, list, length);
            text[length] = 0;
            int needed = weir_decimal_parse(text, &value) ? 0 : weir_decimal_digits(&value, d->unit);
            if (needed > digits && needed <= DIGITS_MAX && weir_decimal_ticks(&value, d->unit, (unsigned)needed, &ticks))
                digits = needed;
        }
        list += length + (list[length] == ',');
    }
    return digits;
}

unsigned weir_draft_choose_tick(struct weir_draft *d)
{
    if (!d->has_unit || d->unit_bad)
        choose_unit(d);
    check_units(d);
    int digits = finest_digits(d), finer = extra_digits(d, digits);
    if (finer > digits && all_fit(d, finer))
        digits = finer;
    char most[WEIR_TIME_TEXT], why[96] = "";
    weir_decimal_format(WEIR_TIME_MAX - 1, (unsigned)digits, most);
    if (digits)
        snprintf(why, sizeof why, "with the %d digits after the point that this model needs, ", digits);
    for (size_t i = 0; i < d->time_count; i++) {
        struct weir_draft_time *t = &d->times[i];
        if (t->bad || weir_decimal_ticks(&t->value, d->unit, (unsigned)digits, &t->ticks))
            continue;
        weir_draft_mistake(d, t->place, "this time is out of range: %sthe largest is %s %s", why, most, weir_unit_name(d->unit));
        t->ticks = 0;
        t->bad = true;
    }
    return (unsigned)digits;
}
