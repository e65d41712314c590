/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the columns of a CSV file of kernel times mean. Either kernel,sms,time or kernel,load with what else a model says of
 * kernels; or what Nsight Systems or Nsight Compute prints, of which the names and the longest times are taken. Measured numbers
 * have more digits than any clock tells apart: they are rounded up to a picosecond.
 */
#include "read/cuda/kernel_times.h"

#include "model/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum column { NAME, SMS, TIME, LOAD, SPLITTABLE, GRANULARITY, MIN_TIME, COLUMNS };
static const char *const column_names[COLUMNS] = {"kernel", "sms", "time", "load", "splittable", "granularity", "min-time"};

/* Where a column stands, and the unit of its numbers. */
struct heading {
    size_t at[COLUMNS]; /* plus one; 0: not there */
    bool has_unit[COLUMNS];
    enum weir_unit unit[COLUMNS];
    size_t count;
    bool profiler; /* the file is one of Nsight Systems or Nsight Compute */
};

/* One line, before lines of the same name are put together. */
struct row {
    struct weir_kernel_entry entry;
    struct weir_kernel_width width; /* where it has a time */
    size_t order;
    bool given[COLUMNS];
};

struct reader {
    struct weir_kernel_times *times;
    struct weir_draft *draft;
    struct weir_csv csv;
    struct heading heading;
    struct row *rows;
    size_t count, capacity;
};

/* ---- the heading ---- */

/* "Time (us)", "time_us", "time [us]": the word in small letters, and the unit behind it; false when that is unknown. */
static bool split_heading(const char *text, char word[32], bool *has_unit, enum weir_unit *unit)
{
    static const enum weir_unit units[] = {WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S};
    size_t length = 0;
    char name[8] = "";
    for (; text[length] && length < 31; length++)
        word[length] = (char)(text[length] >= 'A' && text[length] <= 'Z' ? text[length] | 0x20 : text[length]);
    word[length] = 0;
    *has_unit = false;
    char *begin = strpbrk(word, "([");
    if (!begin)
        begin = strrchr(word, '_');
    if (!begin)
        return text[length] == 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin + 1, ")]"), begin + 1);
    if (strcmp(name, "\xc2\xb5s") == 0 || strcmp(name, "\xce\xbcs") == 0)
        memcpy(name, "us", 3);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(name, weir_unit_name(units[i])) == 0) {
            *has_unit = true;
            *unit = units[i];
        }
    if (!*has_unit && *begin == '_')
        return true;
    while (begin > word && begin[-1] == ' ')
        begin--;
    *begin = 0;
    return *has_unit;
}

static enum column column_named(const char *word, bool profiler)
{
    static const char *const names[] = {"name", "operation", "kernel name"};
    static const char *const times[] = {"max", "maximum", "duration", "gpu__time_duration.sum"};
    for (size_t i = 0; profiler && i < sizeof times / sizeof *times; i++)
        if (strcmp(word, times[i]) == 0 || (i < sizeof names / sizeof *names && strcmp(word, names[i]) == 0))
            return strcmp(word, times[i]) == 0 ? TIME : NAME;
    if (profiler)
        return COLUMNS;
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(word, column_names[i]) == 0)
            return (enum column)i;
    return strcmp(word, "name") == 0 ? NAME : strcmp(word, "min_time") == 0 ? MIN_TIME : COLUMNS;
}

/* Whether the line is the heading of a profiler: a name, and the longest time, or that of one launch. */
static bool is_profiler(const struct weir_csv *csv)
{
    bool found[COLUMNS + 1] = {false}, has_unit;
    enum weir_unit unit;
    char word[32];
    for (size_t i = 0; i < csv->count; i++) {
        split_heading(csv->fields[i].text, word, &has_unit, &unit);
        found[column_named(word, true)] = true;
    }
    return found[NAME] && found[TIME];
}

static void report_column(struct reader *r, const struct weir_csv_field *field, const char *word)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    weir_hint_word(word, column_names, COLUMNS, near);
    weir_draft_mistake(r->draft, field->place, "unknown column \"%s\"%s", weir_quote(field->text, quoted),
                       *near ? near : "; expected kernel, sms and time, or kernel and load");
}

static void take_heading(struct reader *r, bool profiler)
{
    struct heading *h = &r->heading;
    *h = (struct heading){.count = r->csv.count, .profiler = profiler};
    for (size_t i = 0; i < r->csv.count; i++) {
        const struct weir_csv_field *field = &r->csv.fields[i];
        char word[32], quoted[WEIR_QUOTED];
        bool has_unit;
        enum weir_unit unit = WEIR_UNIT_TICK;
        bool good = split_heading(field->text, word, &has_unit, &unit);
        enum column column = column_named(word, profiler);
        if (column == COLUMNS) {
            if (!profiler)
                report_column(r, field, word);
        } else if (h->at[column]) {
            weir_draft_mistake(r->draft, field->place, "column \"%s\" is there twice", column_names[column]);
        } else if (!good || (has_unit && (column <= SMS || column == SPLITTABLE))) {
            weir_draft_mistake(r->draft, field->place, "column \"%s\" has an unknown unit; expected ns, us, ms or s",
                               weir_quote(field->text, quoted));
        } else {
            h->at[column] = i + 1;
            h->has_unit[column] = has_unit || profiler; /* older ones say "Maximum", and mean ns */
            h->unit[column] = has_unit ? unit : WEIR_UNIT_NS;
        }
    }
}

/* Of an own heading: what is needed is there. */
static void check_heading(struct reader *r)
{
    const struct heading *h = &r->heading;
    const struct weir_place place = r->csv.fields[0].place;
    if (!h->at[NAME])
        weir_draft_mistake(r->draft, place, "the heading has no column \"kernel\"");
    if (!h->at[TIME] && !h->at[LOAD])
        weir_draft_mistake(r->draft, place, "the heading has neither \"time\" nor \"load\"");
    if (!h->at[LOAD] && (h->at[SPLITTABLE] || h->at[GRANULARITY] || h->at[MIN_TIME]))
        weir_draft_mistake(r->draft, place, "\"splittable\", \"granularity\" and \"min-time\" belong to a \"load\"");
}

/* Up to the heading. The first line is one, or a later one is that of Nsight Systems, which says other things first. */
static bool find_heading(struct reader *r)
{
    struct weir_place first = {1, 1};
    const size_t before = r->draft->mistakes;
    for (size_t line = 0; weir_csv_next(&r->csv); line++) {
        char word[32];
        bool has_unit, known = false;
        enum weir_unit unit;
        if (is_profiler(&r->csv)) {
            take_heading(r, true);
            return true;
        }
        if (line == 0)
            first = r->csv.fields[0].place;
        for (size_t i = 0; line == 0 && i < r->csv.count; i++) {
            split_heading(r->csv.fields[i].text, word, &has_unit, &unit);
            known |= column_named(word, false) != COLUMNS;
        }
        if (known) {
            take_heading(r, false);
            if (r->draft->mistakes == before)
                check_heading(r);
            return r->draft->mistakes == before;
        }
    }
    if (!r->draft->out_of_memory && r->draft->mistakes == before)
        weir_draft_mistake(r->draft, first,
                           "expected a heading: kernel,sms,time or kernel,load, or that of nsys stats --report cuda_gpu_kern_sum");
    return false;
}

/* ---- lines ---- */

static void round_up(struct weir_decimal *value)
{
    for (; value->mantissa && value->exponent + weir_unit_exponent(value->unit) < -12; value->exponent++)
        value->mantissa = value->mantissa / 10 + (value->mantissa % 10 != 0);
    for (; value->mantissa && value->mantissa % 10 == 0; value->exponent++)
        value->mantissa /= 10;
}

static void read_time(struct reader *r, const struct weir_csv_field *field, enum column column, struct weir_decimal *value)
{
    char quoted[WEIR_QUOTED];
    enum weir_decimal_fault fault = weir_decimal_parse(field->text, value);
    if (fault == WEIR_DECIMAL_OK && !value->has_unit && r->heading.has_unit[column]) {
        value->has_unit = true;
        value->unit = r->heading.unit[column];
    }
    weir_quote(field->text, quoted);
    if (fault == WEIR_DECIMAL_MALFORMED)
        weir_draft_mistake(r->draft, field->place, "\"%s\" must be a number such as 5, 4.25 or 33.3us, not \"%s\"",
                           column_names[column], quoted);
    else if (fault == WEIR_DECIMAL_UNIT || (fault == WEIR_DECIMAL_OK && value->has_unit && value->unit == WEIR_UNIT_TICK))
        weir_draft_mistake(r->draft, field->place, "\"%s\" has an unknown unit; expected ns, us, ms or s", quoted);
    else if (fault == WEIR_DECIMAL_RANGE)
        weir_draft_mistake(r->draft, field->place, "\"%s\" is out of range: it has more digits than can be represented", quoted);
    else if (value->mantissa < 0)
        weir_draft_mistake(r->draft, field->place, "\"%s\" must not be negative, but is %s", column_names[column], quoted);
    else if (!value->has_unit && value->mantissa)
        weir_draft_mistake(r->draft, field->place, "\"%s\" has no unit: write one behind it, or in the heading: %s_us", quoted,
                           column_names[column]);
    else {
        value->unit = value->has_unit ? value->unit : WEIR_UNIT_NS;
        value->has_unit = true;
        if (column != GRANULARITY)
            round_up(value);
    }
}

/* The value of a column in this line. */
static void read_column(struct reader *r, enum column column, const struct weir_csv_field *field, struct row *row)
{
    int64_t number = 0;
    struct weir_decimal *const times[COLUMNS] = {[TIME] = &row->width.time,
                                                 [LOAD] = &row->entry.load,
                                                 [GRANULARITY] = &row->entry.granularity,
                                                 [MIN_TIME] = &row->entry.min_time};
    if (times[column])
        read_time(r, field, column, times[column]);
    else if (column != NAME)
        weir_draft_read(r->draft, field->text, field->place, &weir_keys[column == SMS ? WEIR_KEY_SMS : WEIR_KEY_SPLITTABLE],
                        &number);
    if (column == SMS)
        row->width.sms = (uint32_t)number;
    if (column == SPLITTABLE)
        row->entry.splittable = number;
    if (column == TIME || column == LOAD)
        row->width.place = field->place;
}

static void check_row(struct reader *r, const struct row *row)
{
    if (row->given[TIME] == row->given[LOAD])
        weir_draft_mistake(r->draft, row->entry.place,
                           row->given[TIME] ? "a line has a \"time\" or a \"load\", not both"
                                            : "this line has neither a \"time\" nor a \"load\"");
    else if (row->given[LOAD] && row->given[SMS])
        weir_draft_mistake(r->draft, row->entry.place, "a \"load\" is the time on one SM: this line needs no \"sms\"");
    else if (row->given[TIME] && (row->given[SPLITTABLE] || row->given[GRANULARITY] || row->given[MIN_TIME]))
        weir_draft_mistake(r->draft, row->entry.place,
                           "\"splittable\", \"granularity\" and \"min-time\" belong to a \"load\", but this line has a \"time\"");
}

/* Nsight Compute has units in a line of their own, in which nothing is named: "ns", or "nsecond". */
static bool take_units(struct reader *r)
{
    static const enum weir_unit units[] = {WEIR_UNIT_NS, WEIR_UNIT_US, WEIR_UNIT_MS, WEIR_UNIT_S};
    struct heading *h = &r->heading;
    size_t name = h->at[NAME], time = h->at[TIME];
    if (!h->profiler || r->count || !time || !name || time > r->csv.count || name > r->csv.count || *r->csv.fields[name - 1].text)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *text = r->csv.fields[time - 1].text, *unit = weir_unit_name(units[i]);
        size_t length = strlen(unit);
        if (strncmp(text, unit, length) == 0 && (!text[length] || strcmp(text + length, "econd") == 0)) {
            h->unit[TIME] = units[i];
            return true;
        }
    }
    return false;
}

static void read_row(struct reader *r)
{
    const struct heading *h = &r->heading;
    const struct weir_csv_field *fields = r->csv.fields;
    size_t before = r->draft->mistakes;
    struct row row = {.entry.place = fields[0].place, .order = r->count};
    if (take_units(r))
        return;
    if (r->csv.count > h->count) {
        weir_draft_mistake(r->draft, fields[h->count].place,
                           "this line has more fields than the heading; a name with commas must be in quotes");
        return;
    }
    for (int i = 0; i < COLUMNS; i++) {
        const struct weir_csv_field *field = h->at[i] && h->at[i] <= r->csv.count ? &fields[h->at[i] - 1] : NULL;
        row.given[i] = field && *field->text;
        if (row.given[i])
            read_column(r, (enum column)i, field, &row);
    }
    row.entry.name = row.given[NAME] ? fields[h->at[NAME] - 1].text : "";
    row.entry.has_load = row.given[LOAD];
    row.entry.has_granularity = row.given[GRANULARITY];
    row.entry.has_min_time = row.given[MIN_TIME];
    if (!*row.entry.name)
        weir_draft_mistake(r->draft, row.entry.place, "this line names no kernel");
    else if (r->draft->mistakes == before)
        check_row(r, &row);
    if (r->draft->mistakes == before && weir_draft_room(r->draft, &r->rows, &r->capacity, r->count, sizeof *r->rows))
        r->rows[r->count++] = row;
}

/* ---- lines of one name ---- */

static int by_name(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->entry.name, y->entry.name);
    if (order)
        return order;
    if (x->width.sms != y->width.sms)
        return x->width.sms < y->width.sms ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Both have units of seconds. */
static bool is_longer(const struct weir_decimal *a, const struct weir_decimal *b)
{
    int64_t x = a->mantissa, y = b->mantissa;
    int shift = a->exponent + weir_unit_exponent(a->unit) - b->exponent - weir_unit_exponent(b->unit);
    for (; shift > 0 && x; shift--)
        if (!weir_multiply(x, 10, &x))
            return true;
    for (; shift < 0 && y; shift++)
        if (!weir_multiply(y, 10, &y))
            return false;
    return x > y;
}

static void add_entry(struct reader *r, const struct row *row)
{
    struct weir_kernel_times *t = r->times;
    if (!weir_draft_room(r->draft, &t->entries, &t->capacity, t->count, sizeof *t->entries))
        return;
    struct weir_kernel_entry *e = &t->entries[t->count++];
    *e = row->entry;
    e->base = weir_kernel_base(r->draft, &t->arena, e->name);
    e->whole = !strpbrk(e->name, "<(") && strncmp(e->name, "_Z", 2) != 0;
    e->first = t->width_count;
}

/* A further line of the same name, or the first. */
static void add_line(struct reader *r, const struct row *row, bool first)
{
    struct weir_kernel_times *t = r->times;
    struct weir_kernel_entry *e = &t->entries[t->count - 1];
    char quoted[WEIR_QUOTED];
    if (!first && (e->has_load || row->given[LOAD])) {
        weir_draft_mistake(r->draft, row->entry.place, "kernel \"%s\" is given twice; a kernel with a load has one line",
                           weir_quote(row->entry.name, quoted));
        return;
    }
    if (row->given[LOAD])
        return;
    struct weir_kernel_width *last = e->count ? &t->widths[e->first + e->count - 1] : NULL;
    if (last && last->sms == row->width.sms) {
        if (!r->heading.profiler)
            weir_draft_mistake(r->draft, row->entry.place, "kernel \"%s\" has two times on as many SMs; the first is in line %u",
                               weir_quote(row->entry.name, quoted), last->place.line);
        else if (is_longer(&row->width.time, &last->time))
            last->time = row->width.time;
        return;
    }
    if (last && last->sms == 0) {
        weir_draft_mistake(r->draft, row->entry.place, "kernel \"%s\" has a line with \"sms\" and one without",
                           weir_quote(row->entry.name, quoted));
        return;
    }
    if (!weir_draft_room(r->draft, &t->widths, &t->width_capacity, t->width_count, sizeof *t->widths))
        return;
    t->widths[t->width_count++] = row->width;
    e->count++;
}

static void put_together(struct reader *r)
{
    if (r->count)
        qsort(r->rows, r->count, sizeof *r->rows, by_name);
    for (size_t i = 0; i < r->count && !r->draft->out_of_memory; i++) {
        bool first = i == 0 || strcmp(r->rows[i - 1].entry.name, r->rows[i].entry.name) != 0;
        if (first)
            add_entry(r, &r->rows[i]);
        if (!r->draft->out_of_memory)
            add_line(r, &r->rows[i], first);
    }
}

/* ---- the file ---- */

static void read_lines(struct weir_kernel_times *t, const struct weir_file_text *text)
{
    struct reader r = {.times = t, .draft = t->draft, .csv = {.draft = t->draft, .text = text, .arena = &t->arena}};
    if (find_heading(&r))
        while (weir_csv_next(&r.csv))
            read_row(&r);
    put_together(&r);
    weir_free(r.rows);
}

void weir_kernel_times_read(struct weir_kernel_times *t, const char *path)
{
    const char *file = t->draft->file;
    struct weir_file_text text = {0};
    t->path = path;
    if (!weir_draft_read_text(t->draft, path, WEIR_KERNEL_TIMES_BYTES_MAX, "times of kernels", &text))
        read_lines(t, &text);
    t->draft->file = file;
    weir_free(text.owned);
}

void weir_kernel_times_free(struct weir_kernel_times *t)
{
    weir_free(t->entries);
    weir_free(t->widths);
    weir_arena_free(&t->arena);
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const struct weir_kernel_entry *)entry)->name);
}

const struct weir_kernel_entry *weir_kernel_times_find(const struct weir_kernel_times *t, const char *name)
{
    return t->count ? bsearch(name, t->entries, t->count, sizeof *t->entries, compare_name) : NULL;
}
