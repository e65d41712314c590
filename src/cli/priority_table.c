/* SPDX-License-Identifier: Apache-2.0 */
/* Who runs when on which processor, and how many messages the queues hold. */
#include "priority.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 30, ROWS_MAX = 40, DELAYS_MAX = 5, BUFFERS_MAX = 20, LINE_COLUMNS = 100 };

#define NO_PROCESSOR UINT32_MAX

static const char *name_of(const struct weir_priority_view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

/* ---- how much there is to do ---- */

static uint32_t root_of(uint32_t *parents, uint32_t op)
{
    while (parents[op] != op) {
        parents[op] = parents[parents[op]];
        op = parents[op];
    }
    return op;
}

/* The period of each operator: that of the source of its task graph. Caller frees; NULL when out of memory. */
static int64_t *find_periods(const struct weir_pipeline *pipeline)
{
    uint32_t count = weir_pipeline_operator_count(pipeline);
    uint32_t *parents = calloc(count, sizeof *parents);
    int64_t *periods = calloc(count, sizeof *periods);
    for (uint32_t i = 0; parents && i < count; i++)
        parents[i] = i;
    for (uint32_t i = 0; parents && i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        parents[root_of(parents, queue.from.index)] = root_of(parents, queue.to.index);
    }
    for (uint32_t i = 0; parents && periods && i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        periods[root_of(parents, source.op.index)] = source.period;
    }
    for (uint32_t i = 0; parents && periods && i < count; i++)
        periods[i] = periods[root_of(parents, i)];
    if (!parents) {
        free(periods);
        periods = NULL;
    }
    free(parents);
    return periods;
}

/* ---- the table ---- */

struct row {
    uint32_t op, processor;
    int64_t urgency; /* the smaller the more urgent */
    char rank[WEIR_AMOUNT_TEXT + 8], enabled[2 * WEIR_TIME_TEXT + 8], finish[WEIR_TIME_TEXT];
};

struct table {
    const struct weir_priority_view *view;
    struct row *rows;
    const int64_t *periods;
    size_t count, shown;
    size_t name, rank, enabled, finish; /* columns */
};

static int by_place(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->processor != b->processor)
        return a->processor < b->processor ? -1 : 1;
    if (a->urgency != b->urgency)
        return a->urgency < b->urgency ? -1 : 1;
    return a->op < b->op ? -1 : 1;
}

static void fill_row(const struct weir_priority_view *view, uint32_t op, struct row *row)
{
    struct weir_operator_spec spec = weir_pipeline_operator(view->pipeline, (struct weir_operator){op});
    const struct weir_execution_bounds *bounds = &view->analysis->operators[op];
    char low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT];
    row->op = op;
    row->processor = spec.mapped ? spec.on.index : NO_PROCESSOR;
    row->urgency = spec.has_priority ? -(int64_t)spec.priority : 0;
    if (spec.slot)
        snprintf(row->rank, sizeof row->rank, "%s", weir_time_format(view->pipeline, spec.slot, low));
    else if (spec.has_priority)
        snprintf(row->rank, sizeof row->rank, "%d", spec.priority);
    else
        snprintf(row->rank, sizeof row->rank, "-");
    snprintf(row->enabled, sizeof row->enabled, "%s to %s", weir_time_format(view->pipeline, bounds->enable_min, low),
             weir_time_format(view->pipeline, bounds->enable_max, high));
    weir_time_format(view->pipeline, bounds->finish_max, row->finish);
}

static size_t wider(size_t columns, const char *text)
{
    size_t used = weir_text_columns(text);
    return used > columns ? used : columns;
}

static void measure(struct table *t)
{
    t->name = strlen("operator");
    t->rank = strlen("priority");
    t->enabled = strlen("enabled");
    t->finish = strlen("ends by");
    for (size_t i = 0; i < t->shown; i++) {
        t->name = wider(t->name, name_of(t->view, (struct weir_operator){t->rows[i].op}));
        t->rank = wider(t->rank, t->rows[i].rank);
        t->enabled = wider(t->enabled, t->rows[i].enabled);
        t->finish = wider(t->finish, t->rows[i].finish);
    }
    t->name = t->name < NAME_COLUMNS ? t->name : NAME_COLUMNS;
}

static void print_delays(const struct weir_priority_view *view, const struct weir_execution_bounds *bounds)
{
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < bounds->interference_count; i++) {
        const struct weir_interference *one = &bounds->interference[i];
        if (one->times <= 0)
            continue;
        if (view->full || count < DELAYS_MAX) {
            printf("%s%s", shown ? ", " : "", name_of(view, one->op));
            if (one->times > 1)
                printf(" %lldx", (long long)one->times);
            shown++;
        }
        count++;
    }
    if (shown < count)
        printf(" and %zu more", count - shown);
    if (!count)
        fputs("nobody", stdout);
    if (bounds->iterations > 1)
        printf(" (%lld iterations in a row)", (long long)bounds->iterations);
}

static void print_load(const struct table *t, size_t first)
{
    double load = 0;
    for (size_t i = first; i < t->count && t->rows[i].processor == t->rows[first].processor; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(t->view->pipeline, (struct weir_operator){t->rows[i].op});
        if (t->periods[t->rows[i].op] > 0)
            load += (double)spec.worst / (double)t->periods[t->rows[i].op];
    }
    printf(", load %.1f %%", 100 * load);
}

/* The line above the operators of a processor, and what stands in its columns. */
static void print_processor(const struct table *t, size_t first)
{
    static const char *const kinds[] = {"fixed priorities, preemptive", "fixed priorities, not preemptive", "TDM", "round robin"};
    const struct weir_style *style = weir_style_of(stdout);
    const char *rank = "";
    char frame[WEIR_AMOUNT_TEXT];
    if (t->rows[first].processor == NO_PROCESSOR) {
        printf("\n  %sown processors%s: one each", style->bold, style->plain);
    } else {
        struct weir_processor_spec spec =
            weir_pipeline_processor(t->view->pipeline, (struct weir_processor){t->rows[first].processor});
        rank = spec.sharing == WEIR_TDM || spec.sharing == WEIR_ROUND_ROBIN ? "slot" : "priority";
        printf("\n  %s%s%s: %s", style->bold, spec.name, style->plain, kinds[spec.sharing]);
        if (spec.sharing == WEIR_TDM)
            printf(", frame %s", weir_amount_format(t->view->pipeline, spec.frame, frame));
        print_load(t, first);
    }
    printf("\n    %s%-*s  %*s  %*s  %*s  delayed by%s\n", style->dim, (int)t->name, "operator", (int)t->rank, rank, (int)t->enabled,
           "enabled", (int)t->finish, "ends by", style->plain);
}

static void print_rows(const struct table *t)
{
    for (size_t i = 0; i < t->shown; i++) {
        const struct row *row = &t->rows[i];
        if (i == 0 || row->processor != t->rows[i - 1].processor)
            print_processor(t, i);
        fputs("    ", stdout);
        weir_print_padded(name_of(t->view, (struct weir_operator){row->op}), t->name);
        printf("  %*s  %*s  %*s  ", (int)t->rank, row->processor == NO_PROCESSOR ? "" : row->rank, (int)t->enabled, row->enabled,
               (int)t->finish, row->finish);
        print_delays(t->view, &t->view->analysis->operators[row->op]);
        fputc('\n', stdout);
    }
    if (t->shown < t->count)
        printf("  ... and %zu more operators (--full lists all)\n", t->count - t->shown);
}

bool weir_priority_print_processors(const struct weir_priority_view *view)
{
    size_t count = weir_pipeline_operator_count(view->pipeline);
    struct table table = {.view = view, .count = count, .shown = !view->full && count > ROWS_MAX ? ROWS_MAX : count};
    int64_t *periods = find_periods(view->pipeline);
    table.rows = calloc(count, sizeof *table.rows);
    table.periods = periods;
    bool good = table.rows && periods;
    if (good) {
        enum weir_unit unit = weir_pipeline_unit(view->pipeline);
        bool named = unit != WEIR_UNIT_TICK;
        for (uint32_t i = 0; i < count; i++)
            fill_row(view, i, &table.rows[i]);
        qsort(table.rows, count, sizeof *table.rows, by_place);
        measure(&table);
        printf("\nWho runs when%s%s, after the nominal arrival of the input%s\n", named ? " (in " : "",
               named ? weir_unit_name(unit) : "", named ? ")" : "");
        print_rows(&table);
    } else {
        weir_complain("out of memory");
    }
    free(table.rows);
    free(periods);
    return good;
}

/* ---- buffers ---- */

static size_t put_buffer(const struct weir_priority_view *view, const struct weir_buffer *buffer, size_t column)
{
    struct weir_operator from = {0}, to;
    const char *first;
    if (buffer->input) {
        struct weir_source_spec source = weir_pipeline_source(view->pipeline, buffer->index);
        first = source.name ? source.name : "source";
        to = source.op;
    } else {
        struct weir_queue_spec queue = weir_pipeline_queue(view->pipeline, (struct weir_queue){buffer->index});
        from = queue.from;
        to = queue.to;
        first = name_of(view, from);
    }
    char number[16];
    size_t digits = (size_t)snprintf(number, sizeof number, "%u", buffer->capacity);
    size_t length = weir_text_columns(first) + 4 + weir_text_columns(name_of(view, to)) + 1 + digits;
    if (column && column + 3 + length > LINE_COLUMNS) {
        fputs(",\n", stdout);
        column = 0;
    }
    printf("%s%s -> %s %s", column ? ", " : "  ", first, name_of(view, to), number);
    return column + 2 + length;
}

void weir_priority_print_buffers(const struct weir_priority_view *view)
{
    const struct weir_priority_analysis *analysis = view->analysis;
    size_t chosen = 0, shown = 0, column = 0;
    char total[WEIR_COUNT_TEXT];
    for (size_t i = 0; i < analysis->buffer_count; i++)
        chosen += analysis->buffers[i].chosen;
    printf("\nBuffers: room for %s message%s in all", weir_count_format(analysis->buffer_total, total),
           analysis->buffer_total == 1 ? "" : "s");
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
