/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are no times, from text: counts, capacities, flags, choices, frequencies. */
#include "read/draft.h"

#include <string.h>
#include <strings.h>

/* Digits only; false when they are not. Above `most` the number is UINT64_MAX. */
static bool parse_digits(const char *text, uint64_t most, uint64_t *number)
{
    size_t length = strlen(text);
    *number = 0;
    if (length == 0 || strspn(text, "0123456789") != length)
        return false;
    for (; *text && *number != UINT64_MAX; text++) {
        *number = *number * 10 + (uint64_t)(*text - '0');
        if (*number > most)
            *number = UINT64_MAX;
    }
    return true;
}

static bool read_count(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_key *key, int64_t *value)
{
    char quoted[WEIR_QUOTED];
    uint64_t number, least = key->type == WEIR_VALUE_COUNT;
    const char *of = strcmp(key->name, "consume") == 0 && weir_draft_threads(d) ? "messages" : key->of;
    if (!parse_digits(text, key->most, &number))
        weir_draft_mistake(d, place, "\"%s\" must be a whole number of %s%s, not \"%s\"", key->name, of, least ? " from 1 on" : "",
                           weir_quote(text, quoted));
    else if (number < least)
        weir_draft_mistake(d, place, "\"%s\" must be at least 1", key->name);
    else if (number > key->most)
        weir_draft_mistake(d, place, "\"%s\" is out of range: at most %llu %s", key->name, (unsigned long long)key->most, of);
    else {
        *value = (int64_t)number;
        return true;
    }
    return false;
}

static bool read_integer(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_key *key,
                         int64_t *value)
{
    char quoted[WEIR_QUOTED];
    const long long most = (long long)key->most, least = -most - !key->of;
    bool negative = *text == '-';
    uint64_t number;
    if (!parse_digits(text + (negative || *text == '+'), (uint64_t)-least, &number))
        weir_draft_mistake(d, place, "\"%s\" must be a whole number%s%s, not \"%s\"", key->name, key->of ? " of " : "",
                           key->of ? key->of : "", weir_quote(text, quoted));
    else if (number > (uint64_t)-least || (!negative && number > key->most)) {
        if (key->of)
            weir_draft_mistake(d, place, "\"%s\" is out of range: at most %lld %s", key->name, most, key->of);
        else
            weir_draft_mistake(d, place, "\"%s\" is out of range: it goes from %lld to %lld", key->name, least, most);
    } else {
        *value = negative ? -(int64_t)number : (int64_t)number;
        return true;
    }
    return false;
}

static bool read_capacity(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_key *key,
                          int64_t *value)
{
    char quoted[WEIR_QUOTED];
    uint64_t number;
    bool threads = weir_draft_threads(d);
    *value = WEIR_UNBOUNDED;
    if (strcasecmp(text, "unbounded") == 0)
        return true;
    if (strcasecmp(text, "auto") == 0) {
        if (threads)
            weir_draft_mistake(d, place,
                               "\"%s\" can be auto where operators share processors or cores; give a number, or \"unbounded\"",
                               key->name);
        else
            *value = WEIR_AUTO;
        return !threads;
    }
    if (!parse_digits(text, key->most, &number))
        weir_draft_mistake(d, place, "\"%s\" must be a whole number from 1 on%s or \"unbounded\", not \"%s\"", key->name,
                           threads ? "" : ", \"auto\"", weir_quote(text, quoted));
    else if (number == 0)
        weir_draft_mistake(d, place, "\"%s\" must be at least 1: a queue of capacity 0 lets no message through", key->name);
    else if (number > key->most)
        weir_draft_mistake(d, place, "\"%s\" is out of range: a queue holds at most %u messages, or is unbounded", key->name,
                           (unsigned)key->most);
    else {
        *value = (int64_t)number;
        return true;
    }
    return false;
}

static bool read_flag(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_key *key, int64_t *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    char quoted[WEIR_QUOTED];
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (strcasecmp(text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    weir_draft_mistake(d, place, "\"%s\" must be true or false, not \"%s\"", key->name, weir_quote(text, quoted));
    return false;
}

static bool read_choice(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_key *key, int64_t *value)
{
    char quoted[WEIR_QUOTED], choices[WEIR_CHOICES_TEXT];
    int64_t choice = weir_key_choice(key, text);
    if (choice < 0)
        weir_draft_mistake(d, place, "\"%s\" must be %s, not \"%s\"", key->name, weir_key_choices(key, choices),
                           weir_quote(text, quoted));
    else
        *value = choice;
    return choice >= 0;
}

bool weir_draft_read(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_key *key, int64_t *number)
{
    switch (key->type) {
    case WEIR_VALUE_COUNT:
    case WEIR_VALUE_NUMBER:
        return read_count(d, text, place, key, number);
    case WEIR_VALUE_INTEGER:
        return read_integer(d, text, place, key, number);
    case WEIR_VALUE_CAPACITY:
        return read_capacity(d, text, place, key, number);
    case WEIR_VALUE_FLAG:
        return read_flag(d, text, place, key, number);
    default:
        return read_choice(d, text, place, key, number);
    }
}

/* ---- frequencies ---- */

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
        weir_draft_mistake(d, place, "\"%s\" is not a frequency; expected Hz, kHz, MHz or GHz after the number", quoted);
    else if (fault == WEIR_DECIMAL_RANGE)
        weir_draft_mistake(d, place, "\"%s\" is out of range: it has more digits than can be represented", quoted);
    else if (!end)
        weir_draft_mistake(d, place, "\"%s\" has no unit; expected Hz, kHz, MHz or GHz after the number", quoted);
    else if (rate->mantissa <= 0)
        weir_draft_mistake(d, place, "\"%s\" must be above 0, but is %s", what, quoted);
    else {
        rate->exponent += exponent;
        return true;
    }
    return false;
}
