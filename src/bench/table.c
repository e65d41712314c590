/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `weir bench`: on the screen, as CSV, as JSON. */
#include "base/csv.h"
#include "base/json.h"
#include "bench/bench.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- filling ---- */

struct weir_bench_cell weir_cell_text(const char *text)
{
    struct weir_bench_cell cell = {.kind = WEIR_CELL_TEXT};
    snprintf(cell.text, sizeof cell.text, "%s", text);
    return cell;
}

struct weir_bench_cell weir_cell_number(enum weir_cell_kind kind, double number)
{
    return (struct weir_bench_cell){.kind = kind, .number = number};
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

void weir_cells_spread(double *values, size_t count, enum weir_cell_kind kind, const struct weir_bench_cell *over,
                       struct weir_bench_cell cells[3])
{
    qsort(values, count, sizeof *values, by_size);
    for (size_t i = 0; i < 3; i++) {
        double value = values[(count - 1) * (i + 1) / 4];
        cells[i] = isfinite(value) ? weir_cell_number(kind, value) : *over;
    }
}

size_t weir_table_add_column(struct weir_bench_table *table, bool detail, const char *format, ...)
{
    va_list arguments;
    assert(table->column_count < WEIR_TABLE_COLUMNS);
    struct weir_table_column *column = &table->columns[table->column_count];
    column->detail = detail;
    va_start(arguments, format);
    vsnprintf(column->name, sizeof column->name, format, arguments);
    va_end(arguments);
    return table->column_count++;
}

struct weir_bench_cell *weir_table_add_row(struct weir_bench_table *table)
{
    assert(table->row_count < WEIR_TABLE_ROWS);
    return table->cells[table->row_count++];
}

void weir_table_add_note(struct weir_bench_table *table, const char *format, ...)
{
    va_list arguments;
    assert(table->note_count < WEIR_TABLE_NOTES);
    char *note = table->notes[table->note_count];
    va_start(arguments, format);
    vsnprintf(note, WEIR_TABLE_NOTE, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < table->note_count; i++)
        if (strcmp(table->notes[i], note) == 0)
            return;
    table->note_count++;
}

/* ---- one cell ---- */

/* Three digits, whatever the size: 0.437, 13.9, 307, 12345. */
static void format_digits(double number, char text[WEIR_SECONDS_TEXT])
{
    int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    snprintf(text, WEIR_SECONDS_TEXT, "%.*f", number < 0.9995 ? 3 : digits, number);
}

const char *weir_seconds_format(double seconds, char text[WEIR_SECONDS_TEXT])
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    size_t unit = 0;
    while (unit < 2 && seconds < units[unit].size)
        unit++;
    format_digits(seconds / units[unit].size, text);
    size_t used = strlen(text);
    snprintf(text + used, WEIR_SECONDS_TEXT - used, " %s", units[unit].name);
    return text;
}

static const char *format_cell(const struct weir_bench_cell *cell, char text[WEIR_CELL_LENGTH])
{
    char number[WEIR_SECONDS_TEXT];
    switch (cell->kind) {
    case WEIR_CELL_SKIPPED:
        return "-";
    case WEIR_CELL_MISSING:
        return "n/a";
    case WEIR_CELL_TEXT:
    case WEIR_CELL_OVER:
        return cell->text;
    case WEIR_CELL_BOOL:
        return cell->number != 0 ? "yes" : "no";
    case WEIR_CELL_COUNT:
        return weir_count_format((int64_t)cell->number, text);
    case WEIR_CELL_SECONDS:
        snprintf(text, WEIR_CELL_LENGTH, "%s", weir_seconds_format(cell->number, number));
        return text;
    case WEIR_CELL_PERCENT:
        snprintf(text, WEIR_CELL_LENGTH, "%.2f %%", cell->number);
        return text;
    case WEIR_CELL_RATIO:
        snprintf(text, WEIR_CELL_LENGTH, "%.3f", cell->number);
        return text;
    case WEIR_CELL_TIME:
        snprintf(text, WEIR_CELL_LENGTH, "%.12g", cell->number);
        return text;
    }
    return "";
}

/* For programs: a plain number; nothing where a number is missing. False where the cell has no number. */
static bool format_value(const struct weir_bench_cell *cell, char text[WEIR_CELL_LENGTH])
{
    if (cell->kind == WEIR_CELL_COUNT)
        snprintf(text, WEIR_CELL_LENGTH, "%.0f", cell->number);
    else if (cell->kind == WEIR_CELL_SECONDS)
        snprintf(text, WEIR_CELL_LENGTH, "%.9f", cell->number);
    else if (cell->kind == WEIR_CELL_PERCENT || cell->kind == WEIR_CELL_RATIO)
        snprintf(text, WEIR_CELL_LENGTH, "%.4f", cell->number);
    else if (cell->kind == WEIR_CELL_TIME)
        snprintf(text, WEIR_CELL_LENGTH, "%.12g", cell->number);
    else
        return false;
    return true;
}

/* ---- the screen ---- */

static const char *content_of(const struct weir_bench_table *table, size_t row, size_t column, char text[WEIR_CELL_LENGTH])
{
    return row ? format_cell(&table->cells[row - 1][column], text) : table->columns[column].name;
}

/* How wide the columns are, and whether they stand to the left. Returns the last that is shown. */
static size_t measure(const struct weir_text *text, const struct weir_bench_table *table, struct weir_text_column *columns)
{
    char buffer[WEIR_CELL_LENGTH];
    size_t last = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        bool left = table->row_count > 0 && table->cells[0][c].kind == WEIR_CELL_TEXT;
        columns[c] = (struct weir_text_column){.shown = !table->columns[c].detail, .right = !left};
        last = columns[c].shown ? c : last;
        for (size_t r = 0; r <= table->row_count; r++) {
            const char *content = content_of(table, r, c, buffer);
            size_t width = weir_text_columns(content), least = r ? width : weir_text_longest_word(content); /* heads alone wrap */
            columns[c].width = width > columns[c].width ? width : columns[c].width;
            columns[c].least = least > columns[c].least ? least : columns[c].least;
        }
    }
    weir_text_fit(text, columns, last);
    return last;
}

static void print_rows(const struct weir_text *text, const struct weir_bench_table *table, const struct weir_text_column *columns,
                       size_t last)
{
    char buffers[WEIR_TABLE_COLUMNS][WEIR_CELL_LENGTH];
    const char *contents[WEIR_TABLE_COLUMNS];
    for (size_t r = 0; r <= table->row_count; r++) {
        for (size_t c = 0; c <= last; c++)
            contents[c] = content_of(table, r, c, buffers[c]);
        weir_text_line(text, columns, contents, last + 1);
        fputc('\n', text->out);
    }
}

/* What is wider than the terminal comes in parts, each with the first column. */
static void print_parts(const struct weir_text *text, const struct weir_bench_table *table,
                        const struct weir_text_column all[WEIR_TABLE_COLUMNS], size_t last)
{
    for (size_t next = 1; next <= last;) {
        struct weir_text_column columns[WEIR_TABLE_COLUMNS];
        size_t used = 2 + all[0].width, first = next, end = 0;
        memcpy(columns, all, sizeof columns);
        for (size_t c = 1; c <= last; c++)
            columns[c].shown = false;
        for (; next <= last; next++) {
            size_t width = 2 + all[next].width;
            if (all[next].shown && end && text->columns && used + width > text->columns)
                break;
            columns[next].shown = all[next].shown;
            used += all[next].shown ? width : 0;
            end = next;
        }
        fputs(first > 1 ? "\n" : "", text->out);
        print_rows(text, table, columns, end);
    }
    if (last == 0)
        print_rows(text, table, all, last);
}

static struct weir_text text_of(FILE *out)
{
    return (struct weir_text){
        .out = out, .style = weir_style_of(out), .columns = isatty(fileno(out)) ? weir_terminal_columns() : 0};
}

void weir_table_words(FILE *out, const char *words, unsigned indent)
{
    const struct weir_text text = text_of(out);
    if (text.columns)
        weir_text_words(&text, words, indent);
    else
        fprintf(out, "%*s%s\n", (int)indent, "", words);
}

void weir_table_print(const struct weir_bench_table *table, FILE *out)
{
    const struct weir_text text = text_of(out);
    const struct weir_style *style = text.style;
    struct weir_text_column columns[WEIR_TABLE_COLUMNS];
    size_t last = measure(&text, table, columns);
    fprintf(out, "%s%s%s\n\n", style->bold, table->title, style->plain);
    print_parts(&text, table, columns, last);
    if (table->note_count)
        fputc('\n', out);
    for (size_t i = 0; i < table->note_count; i++) {
        fputs(style->dim, out);
        weir_table_words(out, table->notes[i], 2);
        fputs(style->plain, out);
    }
    fputc('\n', out);
}

/* ---- files ---- */

static void write_csv_cell(FILE *out, const struct weir_bench_cell *cell)
{
    char text[WEIR_CELL_LENGTH];
    if (format_value(cell, text))
        fputs(text, out);
    else if (cell->kind != WEIR_CELL_SKIPPED)
        weir_csv_field(out, format_cell(cell, text));
}

void weir_table_write_csv(const struct weir_bench_table *table, FILE *out)
{
    for (size_t r = 0; r <= table->row_count; r++) {
        const char *comma = "";
        for (size_t c = 0; c < table->column_count; c++) {
            if (table->columns[c].screen_only)
                continue;
            fputs(comma, out);
            if (r == 0)
                weir_csv_field(out, table->columns[c].name);
            else
                write_csv_cell(out, &table->cells[r - 1][c]);
            comma = ",";
        }
        fputc('\n', out);
    }
}

static void write_json_cell(FILE *out, const struct weir_bench_cell *cell)
{
    char text[WEIR_CELL_LENGTH];
    if (format_value(cell, text))
        fputs(text, out);
    else if (cell->kind == WEIR_CELL_BOOL)
        fputs(cell->number != 0 ? "true" : "false", out);
    else if (cell->kind == WEIR_CELL_SKIPPED || cell->kind == WEIR_CELL_MISSING)
        fputs("null", out);
    else
        weir_json_quote(out, cell->text);
}

void weir_table_write_json(const struct weir_bench_table *table, FILE *out)
{
    fputs("{\"id\": ", out);
    weir_json_quote(out, table->id);
    fputs(", \"title\": ", out);
    weir_json_quote(out, table->title);
    fputs(",\n     \"rows\": [", out);
    for (size_t r = 0; r < table->row_count; r++) {
        fputs(r ? ",\n      {" : "\n      {", out);
        const char *comma = "";
        for (size_t c = 0; c < table->column_count; c++) {
            if (table->columns[c].screen_only)
                continue;
            fputs(comma, out);
            comma = ", ";
            weir_json_quote(out, table->columns[c].name);
            fputs(": ", out);
            write_json_cell(out, &table->cells[r][c]);
        }
        fputc('}', out);
    }
    fputs("],\n     \"notes\": [", out);
    for (size_t i = 0; i < table->note_count; i++) {
        fputs(i ? ", " : "", out);
        weir_json_quote(out, table->notes[i]);
    }
    fputs("]}", out);
}
