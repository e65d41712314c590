/* SPDX-License-Identifier: Apache-2.0 */
/* Any table for people: names to the left, numbers to the right, columns as wide as what they hold; a column without a known value
 * is left out. */
#include "base/utf8.h"
#include "render/text/text.h"

#include <string.h>

enum { ROWS_MAX = 40, NAME_COLUMNS = 40, LIST_MAX = 20, ITEM_LINES = 3, ITEM_INDENT = 6 };

const char *weir_text_cell(const struct weir_pipeline *pipeline, const struct weir_datum *value, char buffer[WEIR_CELL_ROOM])
{
    switch (value->kind) {
    case WEIR_DATUM_ABSENT:
        return "";
    case WEIR_DATUM_NULL:
        return value->is.text ? value->is.text : "-";
    case WEIR_DATUM_FLAG:
        return value->is.flag ? "yes" : "no";
    case WEIR_DATUM_COUNT:
        return weir_count_format(value->is.count, buffer);
    case WEIR_DATUM_TIME:
        if (value->is.ratio.denominator == 1) /* exact, and may be negative */
            return weir_time_format(pipeline, value->is.ratio.numerator, buffer);
        return (value->rounds_down ? weir_ratio_floor : weir_ratio_time)(pipeline, value->is.ratio, buffer);
    case WEIR_DATUM_SHARE:
        return weir_ratio_percent(value->is.ratio, buffer);
    case WEIR_DATUM_TEXT:
        return value->is.text;
    case WEIR_DATUM_DURATION:
        return weir_duration_format(value->is.count, buffer);
    case WEIR_DATUM_LIST:
    case WEIR_DATUM_RECORD:
        break;
    }
    return "";
}

bool weir_text_is_number(const struct weir_datum *value)
{
    return value->kind == WEIR_DATUM_COUNT || value->kind == WEIR_DATUM_TIME || value->kind == WEIR_DATUM_SHARE ||
           value->kind == WEIR_DATUM_DURATION;
}

bool weir_text_is_shown(const struct weir_table *table, size_t column, size_t rows)
{
    bool known = false;
    for (size_t row = 0; row < rows && table->columns[column].title && !known; row++) {
        const struct weir_datum *cell = &table->cells[row * table->column_count + column];
        known = cell->kind != WEIR_DATUM_ABSENT && (cell->kind != WEIR_DATUM_NULL || cell->is.text);
    }
    return known;
}

enum { COLUMNS_MAX = 32 };

/* How much of the text fits into so many columns: whole words, or one that is longer. What follows are spaces. */
static size_t piece(const char *text, size_t width)
{
    size_t fits = 0, used = 0;
    for (size_t at = 0; text[at];) {
        size_t spaces = strspn(text + at, " "), word = strcspn(text + at + spaces, " ");
        for (size_t i = 0; i < spaces + word; i++)
            used += weir_utf8_begins(text[at + i]);
        if (fits && used > width)
            break;
        at += spaces + word;
        fits = at;
    }
    return fits;
}

size_t weir_text_longest_word(const char *text)
{
    size_t most = 0, used = 0;
    for (; *text; text++) {
        used = *text == ' ' ? 0 : used + weir_utf8_begins(*text);
        most = used > most ? used : most;
    }
    return most;
}

void weir_text_fit(const struct weir_text *text, struct weir_text_column *shapes, size_t last)
{
    size_t sum = 0;
    for (size_t c = 0; c <= last; c++)
        sum += shapes[c].shown ? 2 + shapes[c].width : 0;
    while (text->columns && sum > text->columns) {
        struct weir_text_column *widest = NULL;
        for (size_t c = 0; c <= last; c++)
            if (shapes[c].shown && shapes[c].width > shapes[c].least && (!widest || shapes[c].width > widest->width))
                widest = &shapes[c];
        if (!widest)
            return;
        widest->width--;
        sum--;
    }
}

static size_t measure(const struct weir_text *text, const struct weir_table *table, size_t rows,
                      struct weir_text_column shapes[COLUMNS_MAX])
{
    char buffer[WEIR_CELL_ROOM];
    size_t last = 0;
    for (size_t c = 0; c < table->column_count && c < COLUMNS_MAX; c++) {
        struct weir_text_column *shape = &shapes[c];
        *shape = (struct weir_text_column){0};
        if (!table->columns[c].title)
            continue;
        shape->width = weir_text_columns(table->columns[c].title);
        shape->least = weir_text_longest_word(table->columns[c].title);
        for (size_t row = 0; row < rows; row++) {
            const struct weir_datum *cell = &table->cells[row * table->column_count + c];
            const char *content = weir_text_cell(text->pipeline, cell, buffer);
            size_t width = weir_text_columns(content), least = weir_text_longest_word(content);
            shape->width = width > shape->width ? width : shape->width;
            shape->least = least > shape->least ? least : shape->least;
            shape->right |= weir_text_is_number(cell);
        }
        shape->shown = weir_text_is_shown(table, c, rows);
        last = shape->shown ? c : last;
        if (!text->full && !shape->right && shape->width > NAME_COLUMNS)
            shape->width = NAME_COLUMNS;
        shape->least = shape->least < shape->width ? shape->least : shape->width;
    }
    weir_text_fit(text, shapes, last);
    return last;
}

static void print_cell(const struct weir_text *text, const struct weir_text_column *shape, const char *content, bool last)
{
    size_t used = weir_text_columns(content);
    if (last && !*content)
        return;
    fputs("  ", text->out);
    if (shape->right)
        weir_text_spaces(text->out, used < shape->width ? shape->width - used : 0);
    if (shape->right || last)
        fputs(content, text->out);
    else
        weir_text_padded(text->out, content, shape->width < 3 ? 3 : shape->width);
}

void weir_text_line(const struct weir_text *text, const struct weir_text_column *shapes, const char **contents, size_t count)
{
    bool more = true;
    for (bool first = true; first || more; first = false) {
        size_t last = 0;
        more = false;
        if (!first)
            fputc('\n', text->out);
        for (size_t c = 0; c < count; c++)
            last = shapes[c].shown && (first || *contents[c]) ? c + 1 : last;
        for (size_t c = 0; c < last; c++) {
            char part[512];
            size_t bytes = text->columns ? piece(contents[c], shapes[c].width) : strlen(contents[c]);
            if (!shapes[c].shown)
                continue;
            snprintf(part, sizeof part, "%.*s", (int)bytes, contents[c]);
            print_cell(text, &shapes[c], bytes < sizeof part ? part : contents[c], c + 1 == last);
            contents[c] += bytes;
            contents[c] += strspn(contents[c], " ");
            more |= *contents[c] != 0;
        }
    }
}

bool weir_text_has_times(const struct weir_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        if (table->cells[i].kind == WEIR_DATUM_TIME && table->columns[i % table->column_count].title)
            return true;
    return false;
}

static void print_title(const struct weir_text *text, const struct weir_table *table)
{
    enum weir_unit unit = weir_pipeline_unit(text->pipeline);
    size_t length = strcspn(table->title, ":");
    fprintf(text->out, "\n%s%.*s%s", text->style->bold, (int)length, table->title, text->style->plain);
    if (unit != WEIR_UNIT_TICK && weir_text_has_times(table))
        fprintf(text->out, " (in %s)", weir_unit_name(unit));
    fprintf(text->out, "%s\n", table->title + length);
}

/* Whether an item of the list does not fit behind the column `at`, but does near the left edge. */
static bool is_crowded(const struct weir_text *text, const struct weir_datum *list, size_t at)
{
    char buffer[WEIR_CELL_ROOM];
    size_t widest = 0;
    for (size_t i = 0; i < list->field_count; i++) {
        size_t columns = weir_text_columns(weir_text_cell(text->pipeline, &list->is.fields[i].value, buffer));
        widest = columns > widest ? columns : widest;
    }
    return at > ITEM_INDENT && at + widest + 1 > weir_text_width(text) && ITEM_INDENT + widest + 1 <= weir_text_width(text);
}

/* A list in a cell, which is that of the last column: as many items in a line as fit, from the column `at` on, or below. */
static void print_items(const struct weir_text *text, const struct weir_datum *list, size_t at)
{
    char buffer[WEIR_CELL_ROOM];
    bool below = is_crowded(text, list, at);
    at = below ? ITEM_INDENT : at;
    size_t column = at, lines = 1, width = weir_text_width(text);
    fputs(below ? "\n" : "  ", text->out);
    weir_text_spaces(text->out, below ? at : 0);
    for (size_t i = 0; i < list->field_count; i++) {
        const char *item = weir_text_cell(text->pipeline, &list->is.fields[i].value, buffer);
        size_t columns = weir_text_columns(item);
        size_t behind = text->full || lines < ITEM_LINES ? 1 : strlen(" and 100000 more"); /* the , or the rest */
        bool wraps = i && column + 2 + columns + behind > width;
        if (wraps && !text->full && lines++ == ITEM_LINES) {
            fprintf(text->out, " and %zu more", list->field_count - i);
            return;
        }
        fputs(wraps ? ",\n" : i ? ", " : "", text->out);
        weir_text_spaces(text->out, wraps ? at : 0);
        fputs(item, text->out);
        column = wraps || !i ? at + columns : column + 2 + columns;
    }
}

static void print_row(const struct weir_text *text, const struct weir_table *table, const struct weir_text_column *shapes,
                      size_t row)
{
    const struct weir_datum *cells = &table->cells[row * table->column_count];
    char buffers[COLUMNS_MAX][WEIR_CELL_ROOM];
    const char *contents[COLUMNS_MAX];
    size_t last = table->column_count < COLUMNS_MAX ? table->column_count : COLUMNS_MAX, used = 0;
    while (last > 0 && (!shapes[last - 1].shown || cells[last - 1].kind == WEIR_DATUM_ABSENT)) /* no spaces at the end */
        last--;
    bool list = last > 0 && cells[last - 1].kind == WEIR_DATUM_LIST;
    for (size_t c = 0; c < last; c++) {
        contents[c] = weir_text_cell(text->pipeline, &cells[c], buffers[c]);
        used += c + 1 < last && shapes[c].shown ? 2 + shapes[c].width : 0;
    }
    weir_text_line(text, shapes, contents, list ? last - 1 : last);
    if (list)
        print_items(text, &cells[last - 1], used + 2);
    fputc('\n', text->out);
}

/* The cells of one column one after the other, as many in a line as fit. */
static void print_list(const struct weir_text *text, const struct weir_table *table, size_t column)
{
    size_t used = 0, shown = 0, left = 0;
    char buffer[WEIR_CELL_ROOM];
    for (size_t row = 0; row < table->row_count; row++) {
        const struct weir_datum *cell = &table->cells[row * table->column_count + column];
        const char *item = weir_text_cell(text->pipeline, cell, buffer);
        size_t length = weir_text_columns(item);
        if (cell->kind == WEIR_DATUM_ABSENT)
            continue;
        if (!text->full && shown == LIST_MAX) {
            left++;
            continue;
        }
        bool wraps = used && used + 3 + length > weir_text_width(text); /* with the ; behind it */
        fprintf(text->out, "%s%s%s", wraps ? ";\n" : used ? "; " : "", !used || wraps ? "  " : "", item);
        used = !used || wraps ? 2 + length : used + 2 + length;
        shown++;
    }
    if (left)
        fprintf(text->out, "; and %zu more (--full lists all)", left);
    if (shown)
        fputc('\n', text->out);
}

static void print_rows(const struct weir_text *text, const struct weir_table *table)
{
    struct weir_text_column shapes[COLUMNS_MAX] = {{0}};
    size_t rows = !text->full && table->row_count > ROWS_MAX ? ROWS_MAX : table->row_count;
    size_t last = measure(text, table, rows, shapes);
    fputs(text->style->dim, text->out);
    const char *titles[COLUMNS_MAX];
    for (size_t c = 0; c <= last; c++)
        titles[c] = table->columns[c].title ? table->columns[c].title : "";
    weir_text_line(text, shapes, titles, last + 1);
    fprintf(text->out, "%s\n", text->style->plain);
    for (size_t row = 0; row < rows; row++)
        print_row(text, table, shapes, row);
    if (rows < table->row_count)
        fprintf(text->out, "  ... and %zu more (--full lists all)\n", table->row_count - rows);
}

size_t weir_text_list_of(const struct weir_table *table)
{
    size_t list = 0;
    while (list < table->column_count && !(table->columns[list].title && !table->columns[list].title[0]))
        list++;
    return list;
}

void weir_text_table(const struct weir_text *text, const struct weir_table *table)
{
    size_t list = weir_text_list_of(table);
    if (!table->title || !table->row_count)
        return;
    print_title(text, table);
    if (list < table->column_count)
        print_list(text, table, list);
    else
        print_rows(text, table);
    if (table->note)
        weir_text_words(text, table->note, 2);
}
