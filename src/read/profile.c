/* SPDX-License-Identifier: Apache-2.0 */
/* Times of operators on parts of a GPU, from a CSV file: operator, sms, time and, where it is known, best. */
#include "read/text.h"

#include <stdlib.h>
#include <string.h>

#define PROFILE_BYTES_MAX (UINT64_C(16) << 20)
#define PROFILE_LINES_MAX 100000

enum column { OPERATOR, SMS, TIME, BEST, COLUMNS };
static const char *const names[] = {"operator", "sms", "time", "best"};

struct line {
    uint32_t op;
    struct weir_profile_point point;
    struct weir_place place;
};

struct reader {
    struct weir_draft draft;
    const struct weir_pipeline *pipeline;
    struct weir_arena arena;
    struct weir_csv csv;
    size_t at[COLUMNS]; /* field plus one; 0: there is none */
    struct line *lines;
    size_t count, capacity;
};

static bool take_heading(struct reader *r)
{
    const size_t before = r->draft.mistakes;
    if (!weir_csv_next(&r->csv)) {
        if (r->draft.mistakes == before && !r->draft.out_of_memory)
            weir_draft_mistake(&r->draft, (struct weir_place){1, 1}, "expected a heading: operator,sms,time");
        return false;
    }
    for (size_t i = 0; i < r->csv.count; i++) {
        const struct weir_csv_field *field = &r->csv.fields[i];
        char quoted[WEIR_QUOTED], near[WEIR_HINT];
        size_t column = 0;
        while (column < COLUMNS && strcmp(field->text, names[column]) != 0)
            column++;
        if (column == COLUMNS)
            weir_draft_mistake(&r->draft, field->place, "unknown column \"%s\"%s", weir_quote(field->text, quoted),
                               *weir_hint_word(field->text, names, COLUMNS, near) ? near : "; expected operator, sms, time, best");
        else if (r->at[column])
            weir_draft_mistake(&r->draft, field->place, "column \"%s\" is there twice", names[column]);
        else
            r->at[column] = i + 1;
    }
    for (size_t column = 0; column < BEST && r->draft.mistakes == before; column++)
        if (!r->at[column])
            weir_draft_mistake(&r->draft, r->csv.fields[0].place, "the heading has no column \"%s\"", names[column]);
    return r->draft.mistakes == before;
}

/* Whole ticks that are not shorter, or not longer: up to a hundred digits are written behind the point, and few are needed. */
static bool round_to_ticks(const struct weir_pipeline *p, struct weir_decimal value, bool up, int64_t *ticks)
{
    enum weir_unit unit = weir_pipeline_unit(p);
    unsigned digits = weir_pipeline_digits(p);
    bool cut = false;
    while (value.mantissa && weir_decimal_digits(&value, unit) > (int)digits) {
        cut |= value.mantissa % 10 != 0;
        value.mantissa /= 10;
        value.exponent++;
    }
    if (!weir_decimal_ticks(&value, unit, digits, ticks))
        return false;
    *ticks += cut && up;
    return true;
}

static bool read_time(struct reader *r, enum column column, int64_t *ticks)
{
    const struct weir_csv_field *field = &r->csv.fields[r->at[column] - 1];
    char quoted[WEIR_QUOTED];
    struct weir_decimal value;
    enum weir_decimal_fault fault = weir_decimal_parse(field->text, &value);
    const bool tick = weir_pipeline_unit(r->pipeline) == WEIR_UNIT_TICK;
    if (fault == WEIR_DECIMAL_MALFORMED || (fault == WEIR_DECIMAL_OK && value.mantissa < 0))
        weir_draft_mistake(&r->draft, field->place, "\"%s\" is a time, not \"%s\"", names[column], weir_quote(field->text, quoted));
    else if (fault == WEIR_DECIMAL_UNIT || (fault == WEIR_DECIMAL_OK && value.has_unit && (value.unit == WEIR_UNIT_TICK) != tick))
        weir_draft_mistake(&r->draft, field->place, "\"%s\" has a unit that the model cannot count in: \"%s\"", names[column],
                           weir_quote(field->text, quoted));
    else if (fault == WEIR_DECIMAL_RANGE || !round_to_ticks(r->pipeline, value, column == TIME, ticks))
        weir_draft_mistake(&r->draft, field->place, "\"%s\" is longer than can be represented", names[column]);
    else
        return true;
    return false;
}

static bool read_sms(struct reader *r, uint32_t *sms)
{
    const struct weir_csv_field *field = &r->csv.fields[r->at[SMS] - 1];
    char quoted[WEIR_QUOTED], *end;
    unsigned long value = *field->text >= '0' && *field->text <= '9' ? strtoul(field->text, &end, 10) : 0;
    if (value < 1 || value > 1000000 || *end) {
        weir_draft_mistake(&r->draft, field->place, "\"sms\" must be a number from 1 to 1000000, not \"%s\"",
                           weir_quote(field->text, quoted));
        return false;
    }
    *sms = (uint32_t)value;
    return true;
}

static void read_line(struct reader *r)
{
    struct line line = {.place = r->csv.fields[0].place};
    char quoted[WEIR_QUOTED];
    for (size_t column = 0; column < BEST; column++)
        if (r->at[column] > r->csv.count) {
            weir_draft_mistake(&r->draft, line.place, "this line has no \"%s\"", names[column]);
            return;
        }
    const struct weir_csv_field *name = &r->csv.fields[r->at[OPERATOR] - 1];
    struct weir_operator op;
    if (!weir_pipeline_find(r->pipeline, name->text, &op)) {
        weir_draft_mistake(&r->draft, name->place, "the model has no operator \"%s\"", weir_quote(name->text, quoted));
        return;
    }
    line.op = op.index;
    bool good = read_sms(r, &line.point.sms);
    good &= read_time(r, TIME, &line.point.worst);
    if (r->at[BEST] && r->at[BEST] <= r->csv.count && *r->csv.fields[r->at[BEST] - 1].text)
        good &= read_time(r, BEST, &line.point.best);
    if (!good)
        return;
    if (line.point.best > line.point.worst)
        weir_draft_mistake(&r->draft, line.place, "the best case is above the worst");
    else if (line.point.worst < weir_pipeline_operator(r->pipeline, op).receive_max)
        weir_draft_mistake(&r->draft, line.place, "operator \"%s\" receives later than that", weir_quote(name->text, quoted));
    else if (r->count >= PROFILE_LINES_MAX)
        weir_draft_mistake(&r->draft, line.place, "more than %d lines", PROFILE_LINES_MAX);
    else if (weir_draft_room(&r->draft, &r->lines, &r->capacity, r->count, sizeof *r->lines))
        r->lines[r->count++] = line;
}

static int by_operator(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->point.sms != y->point.sms)
        return x->point.sms < y->point.sms ? -1 : 1;
    return x->place.line < y->place.line ? -1 : 1;
}

/* Everything in one block. */
static struct weir_profiles *put_together(struct reader *r)
{
    size_t operators = 0;
    if (r->count)
        qsort(r->lines, r->count, sizeof *r->lines, by_operator);
    for (size_t i = 0; i < r->count; i++) {
        bool same = i && r->lines[i].op == r->lines[i - 1].op;
        operators += !same;
        if (same && r->lines[i].point.sms == r->lines[i - 1].point.sms)
            weir_draft_mistake(&r->draft, r->lines[i].place,
                               "the same operator has two times on as many SMs; the first is in line %u",
                               r->lines[i - 1].place.line);
    }
    if (r->draft.mistakes)
        return NULL;
    size_t items_at = sizeof(struct weir_profiles), points_at = items_at + operators * sizeof(struct weir_profile);
    char *block = weir_resize(NULL, points_at + r->count * sizeof(struct weir_profile_point));
    if (!block) {
        r->draft.out_of_memory = true;
        return NULL;
    }
    struct weir_profile *items = (struct weir_profile *)(void *)(block + items_at);
    struct weir_profile_point *points = (struct weir_profile_point *)(void *)(block + points_at);
    struct weir_profiles *profiles = (struct weir_profiles *)(void *)block;
    *profiles = (struct weir_profiles){items, operators};
    size_t at = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (!i || r->lines[i].op != r->lines[i - 1].op)
            items[at++] = (struct weir_profile){{r->lines[i].op}, &points[i], 0};
        points[i] = r->lines[i].point;
        items[at - 1].point_count++;
    }
    return profiles;
}

static void read_lines(struct reader *r, const struct weir_file_text *text)
{
    r->csv = (struct weir_csv){.draft = &r->draft, .text = text, .arena = &r->arena};
    if (take_heading(r))
        while (weir_csv_next(&r->csv))
            read_line(r);
    if (!r->draft.mistakes && !r->draft.out_of_memory && !r->count)
        weir_draft_mistake(&r->draft, (struct weir_place){1, 1}, "there is nothing after the heading");
}

enum weir_status weir_profiles_read(const char *path, const struct weir_pipeline *pipeline, struct weir_profiles **profiles,
                                    struct weir_errors *errors)
{
    const struct weir_read_options options = {0};
    struct reader r = {.draft = {.file = path, .options = &options, .errors = errors}, .pipeline = pipeline};
    struct weir_file_text text = {0};
    *profiles = NULL;
    enum weir_status status = weir_draft_read_text(&r.draft, path, PROFILE_BYTES_MAX, "profiles", &text);
    if (!status)
        read_lines(&r, &text);
    if (!status && !r.draft.mistakes && !r.draft.out_of_memory)
        *profiles = put_together(&r);
    if (!status && r.draft.out_of_memory)
        status = weir_errors_add(errors, WEIR_MEMORY, path, (struct weir_place){0, 0}, "out of memory");
    else if (!status && r.draft.mistakes)
        status = WEIR_INVALID;
    weir_free(r.lines);
    weir_free(text.owned);
    weir_arena_free(&r.arena);
    weir_draft_free(&r.draft);
    return status;
}

void weir_profiles_free(struct weir_profiles *profiles)
{
    weir_free(profiles);
}
