/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `weir bench`: on the screen, as CSV, as JSON. */
#include "base/csv.h"
#include "base/json.h"
#include "bench/bench.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void print_padded(FILE *out, const char *text, size_t width, bool left)
{
    fprintf(out, left ? "%-*s" : "%*s", (int)width, text);
}

void weir_table_print(const struct weir_bench_table *table, FILE *out)
{
    const struct weir_style *style = weir_style_of(out);
    size_t widths[WEIR_TABLE_COLUMNS] = {0}, last = 0;
    char text[WEIR_CELL_LENGTH];
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = strlen(table->columns[c].name);
        last = table->columns[c].detail ? last : c;
        for (size_t r = 0; r < table->row_count; r++) {
            size_t width = strlen(format_cell(&table->cells[r][c], text));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    fprintf(out, "%s%s%s\n\n", style->bold, table->title, style->plain);
    for (size_t r = 0; r <= table->row_count; r++) {
        fputs("  ", out);
        for (size_t c = 0; c <= last; c++) {
            if (table->columns[c].detail)
                continue;
            /* Names stand to the left; of the last one nothing follows. */
            bool left = table->row_count > 0 && table->cells[0][c].kind == WEIR_CELL_TEXT;
            const char *word = r ? format_cell(&table->cells[r - 1][c], text) : table->columns[c].name;
            print_padded(out, word, c == last && left ? 0 : widths[c], left);
            fputs(c == last ? "\n" : "  ", out);
        }
    }
    if (table->note_count)
        fputc('\n', out);
    for (size_t i = 0; i < table->note_count; i++)
        fprintf(out, "  %s%s%s\n", style->dim, table->notes[i], style->plain);
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
