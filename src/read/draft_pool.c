/* SPDX-License-Identifier: Apache-2.0 */
/* Frequencies, and how often a source on a pool of cores has arrivals. */
#include "read/draft.h"

#include <string.h>

#define RATES "a frequency such as 576kHz, 44.1kHz or 0.5Hz"

/* The power of ten of the unit that text ends in, and where it begins; NULL when there is none. */
static const char *find_unit(const char *text, int *exponent)
{
    static const char *const units[] = {"Hz", "kHz", "MHz", "GHz"};
    const char *end = text + strspn(text, "+-.0123456789eE");
    const char *unit = end + strspn(end, " ");
    for (int i = 0; i < 4; i++)
        if (strcmp(unit, units[i]) == 0) {
            *exponent = 3 * i;
            return end;
        }
    return NULL;
}

bool weir_draft_read_rate(struct weir_draft *d, const char *text, struct weir_place place, const char *what,
                          struct weir_decimal *rate)
{
    char quoted[WEIR_QUOTED], number[64];
    int exponent = 0;
    const char *end = find_unit(text, &exponent);
    size_t length = end ? (size_t)(end - text) : strlen(text);
    weir_quote(text, quoted);
    if (length >= sizeof number) {
        weir_draft_mistake(d, place, "\"%s\" must be " RATES ", not \"%s\"", what, quoted);
        return false;
    }
    memcpy(number, text, length);
    number[length] = 0;
    enum weir_decimal_fault fault = weir_decimal_parse(number, rate);
    if (fault == WEIR_DECIMAL_MALFORMED)
        weir_draft_mistake(d, place, "\"%s\" must be " RATES ", not \"%s\"", what, quoted);
    else if (fault == WEIR_DECIMAL_UNIT || rate->has_unit)
        weir_draft_mistake(d, place, "\"%s\" is no frequency; expected Hz, kHz, MHz or GHz behind the number", quoted);
    else if (fault == WEIR_DECIMAL_RANGE)
        weir_draft_mistake(d, place, "\"%s\" is out of range: it has more digits than can be kept", quoted);
    else if (!end)
        weir_draft_mistake(d, place, "\"%s\" has no unit; expected Hz, kHz, MHz or GHz behind the number", quoted);
    else if (rate->mantissa <= 0)
        weir_draft_mistake(d, place, "\"%s\" must be above 0, but is %s", what, quoted);
    else {
        rate->exponent += exponent;
        return true;
    }
    return false;
}

/* ---- once times are ticks ---- */

/* mantissa * 10^exponent arrivals in 10^second ticks, in lowest terms. */
static bool count_arrivals(struct weir_draft_source *s, int second)
{
    weir_wide count = s->rate.mantissa, period = 1;
    int zeros = second - s->rate.exponent;
    if (zeros < -18 || zeros > 37)
        return false;
    for (; zeros > 0; zeros--)
        period *= 10;
    for (; zeros < 0; zeros++)
        count *= 10;
    struct weir_ratio rate;
    if (!weir_ratio_make(count, period, WEIR_TIME_MAX, &rate))
        return false;
    s->spec.count = rate.numerator;
    s->rate_ticks = rate.denominator;
    return true;
}

static void check_rate(struct weir_draft *d, struct weir_draft_source *s, unsigned digits)
{
    int second = -weir_unit_exponent(d->unit);
    if (d->unit_bad) {
        s->bad = true;
    } else if (d->unit == WEIR_UNIT_TICK) {
        weir_draft_mistake(d, s->rate_place, "a rate counts seconds, but the model's unit is tick: give the model a unit of time%s",
                           d->has_unit ? "" : ", or write units behind its times");
        s->bad = true;
    } else if (!count_arrivals(s, second) || !count_arrivals(s, second + (int)digits)) { /* whatever finer times there are */
        weir_draft_mistake(d, s->rate_place, "this rate is out of range: it cannot be counted in the ticks that this model needs");
        s->bad = true;
    }
}

void weir_draft_check_pool(struct weir_draft *d, unsigned digits)
{
    for (size_t i = 0; i < d->source_count && d->pool; i++) {
        struct weir_draft_source *s = &d->sources[i];
        const struct weir_draft_time *period = &d->times[s->spec.period];
        if (s->has_rate)
            check_rate(d, s, digits);
        else
            s->bad |= period->bad || period->ticks == 0;
        d->incomplete |= s->bad;
    }
}
