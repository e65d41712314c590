/* SPDX-License-Identifier: Apache-2.0 */
/* Any table of an answer, as the terminal has it: columns of which nothing is known are left out, lists are told, and what is one
 * list is no table. */
#include "render/html/page.h"
#include "render/plot/plot.h"
#include "render/text/text.h"

#include <string.h>

#define ITEMS_MAX 24 /* of a list in a cell */

static void put_cell(struct weir_page *page, const struct weir_datum *cell, bool head)
{
    char text[WEIR_CELL_ROOM];
    const struct weir_pipeline *pipeline = page->model->pipeline;
    size_t items = cell->kind == WEIR_DATUM_LIST ? cell->field_count : 0, shown = items < ITEMS_MAX ? items : ITEMS_MAX;
    fprintf(page->out, "<%s%s>", head ? "th scope=\"row\"" : "td", weir_text_is_number(cell) ? " class=\"number\"" : "");
    weir_svg_put(page->out, "$", weir_text_cell(pipeline, cell, text));
    for (size_t i = 0; i < shown; i++)
        weir_svg_put(page->out, "$$", i ? ", " : "", weir_text_cell(pipeline, &cell->is.fields[i].value, text));
    if (shown < items)
        weir_svg_put(page->out, " and % more", (unsigned)(items - shown));
    fputs(head ? "</th>" : "</td>", page->out);
}

static bool is_numbers(const struct weir_table *table, size_t column, size_t rows)
{
    bool any = false;
    for (size_t row = 0; row < rows && !any; row++)
        any = weir_text_is_number(&table->cells[row * table->column_count + column]);
    return any;
}

static void put_heads(struct weir_page *page, const struct weir_table *table, size_t rows)
{
    fputs("<table><thead><tr>", page->out);
    for (size_t c = 0; c < table->column_count; c++)
        if (weir_text_is_shown(table, c, rows))
            weir_svg_put(page->out,
                         is_numbers(table, c, rows) ? "<th scope=\"col\" class=\"number\">$</th>" : "<th scope=\"col\">$</th>",
                         table->columns[c].title);
    fputs("</tr></thead><tbody>\n", page->out);
}

static void put_rows(struct weir_page *page, const struct weir_table *table, size_t rows)
{
    put_heads(page, table, rows);
    for (size_t row = 0; row < rows; row++) {
        bool head = true;
        fputs("<tr>", page->out);
        for (size_t c = 0; c < table->column_count; c++)
            if (weir_text_is_shown(table, c, rows)) {
                put_cell(page, &table->cells[row * table->column_count + c], head);
                head = false;
            }
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody></table>", page->out);
}

/* The cells of one column. */
static void put_items(struct weir_page *page, const struct weir_table *table, size_t column, size_t rows)
{
    char text[WEIR_CELL_ROOM];
    bool any = false;
    fputs("<p>", page->out);
    for (size_t row = 0; row < rows; row++) {
        const struct weir_datum *cell = &table->cells[row * table->column_count + column];
        if (cell->kind == WEIR_DATUM_ABSENT)
            continue;
        fputs(any ? "; " : "", page->out);
        weir_page_words(page, weir_text_cell(page->model->pipeline, cell, text));
        any = true;
    }
    fputs("</p>", page->out);
}

/* As on the terminal, the unit before what is said more of it; without a colon at its end. */
static void put_title(struct weir_page *page, const struct weir_table *table)
{
    enum weir_unit unit = weir_pipeline_unit(page->model->pipeline);
    bool times = unit != WEIR_UNIT_TICK && weir_text_has_times(table);
    char name[256];
    size_t length = strlen(table->title), head = strcspn(table->title, ":");
    length -= length && table->title[length - 1] == ':';
    head = head < length ? head : length;
    snprintf(name, sizeof name, "%.*s%s%s%s%.*s", (int)head, table->title, times ? " (in " : "", times ? weir_unit_name(unit) : "",
             times ? ")" : "", (int)(length - head), table->title + head);
    fputs("<h3>", page->out);
    weir_page_words(page, name);
    for (size_t i = length = 0; i <= strlen(name); i++) /* to be read aloud */
        if (name[i] != '`')
            name[length++] = name[i];
    weir_svg_put(page->out, "</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"$\">", name);
}

void weir_page_table(struct weir_page *page, const struct weir_table *table)
{
    size_t rows = table->row_count < WEIR_PAGE_ROWS ? table->row_count : WEIR_PAGE_ROWS, list = weir_text_list_of(table);
    if (!table->title || !table->row_count)
        return;
    put_title(page, table);
    if (list < table->column_count)
        put_items(page, table, list, rows);
    else
        put_rows(page, table, rows);
    fputs("</div>\n", page->out);
    if (rows < table->row_count)
        weir_svg_put(page->out, "<p>The first % of % rows. weir analyze --json has them all.</p>\n", (unsigned)rows,
                     (unsigned)table->row_count);
    if (!table->note)
        return;
    fputs(strchr(table->note, '\n') ? "<p class=\"lines\">" : "<p>", page->out);
    weir_page_words(page, table->note);
    fputs("</p>\n", page->out);
}
