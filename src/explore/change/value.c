/* SPDX-License-Identifier: Apache-2.0 */
/* The values of assignments: read as the model file's are; lists and ranges of them, for sweeps. */
#include "explore/change/change.h"

#include <string.h>

/* ---- one value ---- */

static bool is_time(const struct weir_key *key)
{
    return key->type == WEIR_VALUE_TIME || key->type == WEIR_VALUE_INTERVAL;
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
    weir_yaml_value(d, node, key, value->numbers);
    if (is_time(key)) {
        value->times[0] = (uint32_t)value->numbers[0];
        value->times[1] = (uint32_t)value->numbers[key->type == WEIR_VALUE_INTERVAL];
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

static bool is_counted(const struct weir_key *key)
{
    return key->type == WEIR_VALUE_COUNT || key->type == WEIR_VALUE_NUMBER || key->type == WEIR_VALUE_CAPACITY ||
           key->type == WEIR_VALUE_INTEGER;
}

/* LOW:HIGH or LOW:HIGH:STEP; `middle` is where the first colon stands. */
static bool read_range(struct weir_revision *r, struct weir_piece piece, size_t middle, const struct weir_key *key,
                       struct weir_item *item)
{
    struct weir_piece low = {piece.change, piece.begin, middle}, high = {piece.change, middle + 1, piece.end};
    high.end = end_of(r, high, ":");
    struct weir_piece step = {piece.change, high.end + 1, piece.end};
    /* A step of a capacity or of an initial number is a count; one of times a time. */
    static const struct weir_key counted = {.name = "step", .type = WEIR_VALUE_COUNT, .of = "steps", .most = INT32_MAX};
    static const struct weir_key timed = {.name = "step", .type = WEIR_VALUE_TIME};
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
