/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a flow on a pool of cores, and how many samples its queues hold. */
#include "edf.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 30, ROWS_MAX = 40, BUFFERS_MAX = 20, LINE_COLUMNS = 100 };

enum { PERIOD, COST, LOAD, RESPONSE, OFFSET, CELLS };

struct row {
    char cells[CELLS][WEIR_NUMBER_TEXT];
    const char *by;
};

static const char *name_of(const struct weir_edf_view *view, uint32_t op)
{
    return weir_pipeline_operator(view->pipeline, (struct weir_operator){op}).name;
}

static void fill_row(const struct weir_edf_view *view, uint32_t op, struct row *row)
{
    const struct weir_edf_operator *o = &view->analysis->operators[op];
    weir_ratio_time(view->pipeline, o->period, row->cells[PERIOD]);
    weir_time_format(view->pipeline, o->cost, row->cells[COST]);
    weir_ratio_percent(o->utilization, row->cells[LOAD]);
    row->by = "";
    if (!view->analysis->schedulable)
        return;
    weir_ratio_time(view->pipeline, o->response, row->cells[RESPONSE]);
    weir_ratio_time(view->pipeline, o->offset, row->cells[OFFSET]);
    row->by = weir_edf_bound_name(o->by);
}

static void print_rows(const struct weir_edf_view *view, const struct row *rows, size_t shown)
{
    static const char *const heads[CELLS] = {"period", "cost", "load", "response", "offset"};
    const struct weir_style *style = weir_style_of(stdout);
    size_t name = strlen("operator"), widths[CELLS];
    int cells = view->analysis->schedulable ? CELLS : RESPONSE;
    for (int c = 0; c < CELLS; c++)
        widths[c] = strlen(heads[c]);
    for (size_t i = 0; i < shown; i++) {
        size_t used = weir_text_columns(name_of(view, (uint32_t)i));
        name = used > name ? used : name;
        for (int c = 0; c < cells; c++)
            widths[c] = strlen(rows[i].cells[c]) > widths[c] ? strlen(rows[i].cells[c]) : widths[c];
    }
    name = name < NAME_COLUMNS ? name : NAME_COLUMNS;
    printf("  %s", style->dim);
    weir_print_padded("operator", name);
    for (int c = 0; c < cells; c++)
        printf("  %*s", (int)widths[c], heads[c]);
    printf("%s%s\n", cells == CELLS ? "  bound" : "", style->plain);
    for (size_t i = 0; i < shown; i++) {
        fputs("  ", stdout);
        weir_print_padded(name_of(view, (uint32_t)i), name);
        for (int c = 0; c < cells; c++)
            printf("  %*s", (int)widths[c], rows[i].cells[c]);
        printf("%s%s\n", cells == CELLS ? "  " : "", rows[i].by);
    }
}

bool weir_edf_print_operators(const struct weir_edf_view *view)
{
    size_t count = weir_pipeline_operator_count(view->pipeline), shown = !view->full && count > ROWS_MAX ? ROWS_MAX : count;
    enum weir_unit unit = weir_pipeline_unit(view->pipeline);
    struct row *rows = calloc(shown, sizeof *rows);
    if (!rows) {
        weir_complain("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < shown; i++)
        fill_row(view, i, &rows[i]);
    printf("\nOperators");
    if (unit != WEIR_UNIT_TICK)
        printf(" (in %s)", weir_unit_name(unit));
    if (view->analysis->schedulable)
        fputs(": execution j is released by `offset` + (j - 1) `period`, and ends at most `response` later", stdout);
    if (view->analysis->schedulable && view->analysis->sporadic)
        fputs(";\n  behind sources that are not even, at most `offset` after the release of the last arrival it needs", stdout);
    fputc('\n', stdout);
    print_rows(view, rows, shown);
    if (shown < count)
        printf("  ... and %zu more operators (--full lists all)\n", count - shown);
    free(rows);
    return true;
}

/* ---- buffers ---- */

static size_t put_buffer(const struct weir_edf_view *view, const struct weir_buffer *buffer, size_t column)
{
    struct weir_queue_spec queue = weir_pipeline_queue(view->pipeline, (struct weir_queue){buffer->index});
    const char *from = name_of(view, queue.from.index), *to = name_of(view, queue.to.index);
    char number[WEIR_COUNT_TEXT] = "any number";
    if (buffer->capacity != WEIR_UNBOUNDED)
        weir_count_format(buffer->capacity, number);
    size_t length = weir_text_columns(from) + 4 + weir_text_columns(to) + 2 + strlen(number);
    if (column && column + 2 + length > LINE_COLUMNS) {
        fputs(";\n", stdout);
        column = 0;
    }
    printf("%s%s -> %s: %s", column ? "; " : "  ", from, to, number);
    return column + 2 + length;
}

void weir_edf_print_buffers(const struct weir_edf_view *view)
{
    const struct weir_edf_analysis *analysis = view->analysis;
    size_t chosen = 0, shown = 0, column = 0;
    char total[WEIR_COUNT_TEXT];
    if (!analysis->buffer_count)
        return;
    size_t growing = 0;
    for (size_t i = 0; i < analysis->buffer_count; i++) {
        chosen += analysis->buffers[i].chosen;
        growing += analysis->buffers[i].capacity == WEIR_UNBOUNDED;
    }
    fputs("\nBuffers: ", stdout);
    if (growing)
        printf("%zu queue%s without limit while another source is silent", growing, growing == 1 ? " grows" : "s grow");
    if (growing < analysis->buffer_count)
        printf("%swith room for %s sample%s in all no operator waits for room", growing ? "; in the others, " : "",
               weir_count_format(analysis->buffer_total, total), analysis->buffer_total == 1 ? "" : "s");
    puts(chosen ? "; chosen by the analysis:" : ", all as the model says");
    for (size_t i = 0; i < analysis->buffer_count && (view->full || shown < BUFFERS_MAX); i++) {
        if (!analysis->buffers[i].chosen)
            continue;
        column = put_buffer(view, &analysis->buffers[i], column);
        shown++;
    }
    if (shown < chosen)
        printf(" and %zu more (--full lists all)", chosen - shown);
    if (chosen)
        fputc('\n', stdout);
}
