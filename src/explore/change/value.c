/* SPDX-License-Identifier: Apache-2.0 */
/* The values of assignments: read as the model file's are; lists and ranges of them, for sweeps. */
#include "base/number.h"
#include "explore/change/change.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- one value ---- */

static bool read_integer(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_key *key, int64_t *number)
{
    char quoted[WEIR_QUOTED], *end;
    const char *text = weir_yaml_number(d, node, key->name, "a whole number");
    if (!text)
        return false;
    long long value = strtoll(text, &end, 10);
    if (*end || end == text || strlen(text) > 12 || value < INT32_MIN || value > INT32_MAX) {
        weir_draft_mistake(d, node->place, "\"%s\" must be a whole number from %d to %d, not \"%s\"", key->name, INT32_MIN,
                           INT32_MAX, weir_quote(text, quoted));
        return false;
    }
    *number = value;
    return true;
}

static bool read_processor(struct weir_draft *d, const struct weir_yaml_node *node, int64_t *number)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    const char *text = weir_yaml_text(d, node, "on", "the name of a processor");
    uint32_t found = text ? weir_draft_find_processor(d, text) : WEIR_NO_PROCESSOR;
    if (text && found == WEIR_NO_PROCESSOR)
        weir_draft_mistake(d, node->place, "there is no processor \"%s\"%s", weir_quote(text, quoted),
                           weir_draft_hint_processor(d, text, near));
    *number = found;
    return found != WEIR_NO_PROCESSOR;
}

static bool read_scheduler(struct weir_draft *d, const struct weir_yaml_node *node, int64_t *number)
{
    char quoted[WEIR_QUOTED];
    const char *text = weir_yaml_text(d, node, "scheduler", "event-based, multi-thread or greedy");
    for (int i = WEIR_DISPATCH_EVENTS; text && i <= WEIR_DISPATCH_GREEDY; i++)
        if (strcasecmp(text, weir_dispatch_name((enum weir_dispatch)i)) == 0) {
            *number = i;
            return true;
        }
    if (text)
        weir_draft_mistake(d, node->place, "unknown scheduler \"%s\"; expected event-based, multi-thread or greedy",
                           weir_quote(text, quoted));
    return false;
}

/* What is counted or said in a word. */
static bool read_word(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_key *key, int64_t *number)
{
    struct weir_draft_count count = {key->name, key->of, key->most};
    uint32_t value = 0;
    bool yes = false, good;
    const char *text;
    switch (key->value) {
    case WEIR_VALUE_COUNT:
        good = weir_yaml_count(d, node, &count, &value);
        break;
    case WEIR_VALUE_NUMBER:
        text = weir_yaml_number(d, node, key->name, "a whole number of messages");
        good = text && weir_draft_read_initial(d, text, node->place, &value);
        break;
    case WEIR_VALUE_CAPACITY:
        text = weir_yaml_capacity(d, node, key->name);
        good = text && weir_draft_read_capacity(d, text, node->place, key->name, &value);
        break;
    case WEIR_VALUE_BOOLEAN:
        text = weir_yaml_number(d, node, key->name, "true or false");
        good = text && weir_draft_read_boolean(d, text, node->place, key->name, &yes);
        value = yes;
        break;
    case WEIR_VALUE_ARRIVALS: {
        enum weir_arrivals arrivals = WEIR_ARRIVALS_AT_MOST;
        text = weir_yaml_text(d, node, key->name, "at-most, exact, catch-up or skip");
        good = text && weir_draft_read_arrivals(d, text, node->place, &arrivals);
        value = (uint32_t)arrivals;
        break;
    }
    case WEIR_VALUE_FULL: {
        enum weir_full full = WEIR_FULL_NEVER;
        text = weir_yaml_text(d, node, key->name, "never, pop, reject or fault");
        good = text && weir_draft_read_full(d, text, node->place, &full);
        value = (uint32_t)full;
        break;
    }
    default:
        return false;
    }
    *number = value;
    return good;
}

bool weir_value_read(struct weir_revision *r, struct weir_piece piece, const struct weir_key *key, struct weir_value *value)
{
    struct weir_draft *d = &r->draft;
    size_t mistakes = d->mistakes;
    *value = (struct weir_value){.times = {WEIR_NO_TIME, WEIR_NO_TIME}};
    piece = weir_piece_trim(r, piece);
    const struct weir_yaml_node *node = piece.begin < piece.end ? weir_piece_parse(r, piece) : NULL;
    if (!node) {
        if (d->mistakes == mistakes && !d->out_of_memory)
            weir_revision_mistake(r, piece, "a value is missing for \"%s\"", key->name);
        return false;
    }
    switch (key->value) {
    case WEIR_VALUE_INTERVAL:
        weir_yaml_interval(d, node, key->name, value->times);
        break;
    case WEIR_VALUE_TIME:
        value->times[0] = value->times[1] = weir_yaml_time(d, node, key->name);
        break;
    case WEIR_VALUE_INTEGER:
        read_integer(d, node, key, &value->numbers[0]);
        break;
    case WEIR_VALUE_PROCESSOR:
        read_processor(d, node, &value->numbers[0]);
        break;
    case WEIR_VALUE_SCHEDULER:
        read_scheduler(d, node, &value->numbers[0]);
        break;
    default:
        read_word(d, node, key, &value->numbers[0]);
        break;
    }
    return d->mistakes == mistakes && !d->out_of_memory;
}

/* ---- lists and ranges ---- */

/* The end of what begins at `begin`: where one of `marks` stands outside of brackets and quotes. */
static size_t end_of(const struct weir_revision *r, struct weir_piece piece, const char *marks)
{
    const char *text = r->changes[piece.change].text;
    int depth = 0;
    bool quoted = false;
    size_t i = piece.begin;
    for (; i < piece.end; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (depth <= 0 && strchr(marks, text[i]))
            break;
        depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
    }
    return i;
}

static bool is_time(const struct weir_key *key)
{
    return key->value == WEIR_VALUE_TIME || key->value == WEIR_VALUE_INTERVAL;
}

static bool is_counted(const struct weir_key *key)
{
    return key->value == WEIR_VALUE_COUNT || key->value == WEIR_VALUE_NUMBER || key->value == WEIR_VALUE_CAPACITY ||
           key->value == WEIR_VALUE_INTEGER;
}

/* LOW:HIGH or LOW:HIGH:STEP; `middle` is where the first colon stands. */
static bool read_range(struct weir_revision *r, struct weir_piece piece, size_t middle, const struct weir_key *key,
                       struct weir_item *item)
{
    struct weir_piece low = {piece.change, piece.begin, middle}, high = {piece.change, middle + 1, piece.end};
    high.end = end_of(r, high, ":");
    struct weir_piece step = {piece.change, high.end + 1, piece.end};
    /* A step of a capacity or of an initial number is a count; one of times a time. */
    static const struct weir_key counted = {.name = "step", .value = WEIR_VALUE_COUNT, .of = "steps", .most = INT32_MAX};
    static const struct weir_key timed = {.name = "step", .value = WEIR_VALUE_TIME};
    item->range = true;
    if (!is_time(key) && !is_counted(key)) {
        weir_revision_mistake(r, piece, "\"%s\" has no range; give its values with commas between them", key->name);
        return false;
    }
    if (high.end == piece.end && is_time(key)) {
        weir_revision_mistake(r, piece, "a range of times needs a step: LOW:HIGH:STEP, such as 1ms:20ms:1ms");
        return false;
    }
    item->step.numbers[0] = 1;
    bool good = weir_value_read(r, low, key, &item->first);
    good &= weir_value_read(r, high, key, &item->last);
    if (high.end < piece.end)
        good &= weir_value_read(r, step, is_time(key) ? &timed : &counted, &item->step);
    return good;
}

void weir_values_read(struct weir_revision *r, struct weir_piece piece, const struct weir_key *key,
                      struct weir_assignment *assignment)
{
    struct weir_draft *d = &r->draft;
    bool ranges = piece.change >= r->first_range;
    while (!d->out_of_memory) {
        struct weir_piece one = piece;
        one.end = ranges ? end_of(r, piece, ",") : piece.end;
        struct weir_piece trimmed = weir_piece_trim(r, one);
        struct weir_item item = {.place = weir_piece_place(r, trimmed), .text = weir_piece_text(r, trimmed)};
        size_t middle = ranges ? end_of(r, one, ":") : one.end;
        bool good = middle < one.end ? read_range(r, one, middle, key, &item) : weir_value_read(r, one, key, &item.first);
        if (good && weir_draft_room(d, &assignment->items, &assignment->item_capacity, assignment->item_count, sizeof item))
            assignment->items[assignment->item_count++] = item;
        if (one.end == piece.end)
            return;
        piece.begin = one.end + 1;
    }
}
