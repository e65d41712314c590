/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an answer, and looking at it. */
#include "answer/answer.h"
#include "model/pipeline.h"

#include <string.h>

static void *grow(struct weir_answer *answer, void **items, size_t *capacity, size_t need, size_t size)
{
    if (!weir_reserve(items, capacity, need, size)) {
        answer->out_of_memory = true;
        return NULL;
    }
    return *items;
}

static char *format_text(struct weir_answer *answer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = weir_arena_take(&answer->arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (!text)
        answer->out_of_memory = true;
    else
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *weir_answer_format(struct weir_answer *answer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(answer, format, arguments);
    va_end(arguments);
    return text;
}

void *weir_answer_take(struct weir_answer *answer, size_t count, size_t size)
{
    size_t bytes = (count ? count : 1) * size;
    void *block = size && count > SIZE_MAX / size ? NULL : weir_arena_take(&answer->arena, bytes);
    if (block)
        memset(block, 0, bytes);
    else
        answer->out_of_memory = true;
    return block;
}

const char *weir_answer_name(const struct weir_answer *answer, struct weir_operator op)
{
    return op.index < answer->pipeline->operator_count ? answer->pipeline->operators[op.index].name : "";
}

bool weir_answer_chains(struct weir_answer *answer)
{
    const struct weir_pipeline *p = answer->pipeline;
    answer->bounds = weir_answer_take(answer, p->chain_count, sizeof *answer->bounds);
    if (!answer->bounds)
        return false;
    answer->bound_count = p->chain_count;
    for (size_t i = 0; i < p->chain_count; i++) {
        struct weir_bound *bound = &answer->bounds[i];
        bound->chain = p->chains[i];
        bound->has_deadline = p->chains[i].has_deadline;
        bound->deadline = p->chains[i].deadline;
    }
    return true;
}

void weir_answer_add_text(struct weir_answer *answer, struct weir_answer_list *list, const char *text)
{
    const char **items = grow(answer, &list->items, &list->capacity, list->count + 1, sizeof *items);
    if (items && text)
        items[list->count++] = text;
}

void weir_answer_add_line(struct weir_answer *answer, struct weir_answer_list *list, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_answer_add_text(answer, list, format_text(answer, format, arguments));
    va_end(arguments);
}

void weir_answer_scope(struct weir_answer *answer, const char *format, ...)
{
    size_t operators = answer->pipeline->operator_count, queues = answer->pipeline->queue_count;
    va_list arguments;
    va_start(arguments, format);
    const char *rest = format_text(answer, format, arguments);
    va_end(arguments);
    answer->scope = weir_answer_format(answer, "%zu operator%s, %zu queue%s%s", operators, operators == 1 ? "" : "s", queues,
                                       queues == 1 ? "" : "s", rest ? rest : "");
}

void weir_answer_add_fact(struct weir_answer *answer, const char *key, struct weir_datum value)
{
    struct weir_answer_list *list = &answer->facts;
    struct weir_field *items = grow(answer, &list->items, &list->capacity, list->count + 1, sizeof *items);
    if (items)
        items[list->count++] = (struct weir_field){key, value};
}

/* A block of the arena twice as large takes the place of one that is full. */
static void *grow_in_arena(struct weir_answer *answer, void *old, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return old;
    size_t larger = *capacity ? 2 * *capacity : 4;
    void *block = weir_answer_take(answer, larger, size);
    if (block && count)
        memcpy(block, old, count * size);
    if (block)
        *capacity = larger;
    return block;
}

void weir_record_add(struct weir_record *record, const char *key, struct weir_datum value)
{
    struct weir_field *fields =
        grow_in_arena(record->answer, record->fields, record->count, &record->capacity, sizeof *record->fields);
    if (!fields)
        return;
    record->fields = fields;
    fields[record->count++] = (struct weir_field){key, value};
}

struct weir_datum weir_record_datum(const struct weir_record *record)
{
    bool keyed = record->count && record->fields[0].key;
    return (struct weir_datum){
        .kind = keyed ? WEIR_DATUM_RECORD : WEIR_DATUM_LIST, .is.fields = record->fields, .field_count = record->count};
}

void weir_table_begin(struct weir_table_builder *builder, struct weir_answer *answer, const char *key,
                      const struct weir_column *columns, size_t column_count)
{
    *builder =
        (struct weir_table_builder){.answer = answer, .table = {.key = key, .columns = columns, .column_count = column_count}};
}

void weir_table_cells(struct weir_table_builder *builder, const struct weir_datum *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct weir_datum *cells =
            grow_in_arena(builder->answer, builder->cells, builder->count, &builder->capacity, sizeof *builder->cells);
        if (!cells)
            return;
        builder->cells = cells;
        cells[builder->count++] = values[i];
    }
}

void weir_answer_add_table(struct weir_table_builder *builder, const char *title, const char *note)
{
    struct weir_answer *answer = builder->answer;
    struct weir_answer_list *list = &answer->tables;
    struct weir_table *tables = grow(answer, &list->items, &list->capacity, list->count + 1, sizeof *tables);
    if (!tables)
        return;
    builder->table.cells = builder->cells;
    builder->table.row_count = builder->table.column_count ? builder->count / builder->table.column_count : 0;
    builder->table.title = title ? weir_answer_format(answer, "%s", title) : NULL;
    builder->table.note = note ? weir_answer_format(answer, "%s", note) : NULL;
    tables[list->count++] = builder->table;
}

void weir_bound_set(struct weir_bound *bound, enum weir_claim claim, int64_t worst, const int64_t *best)
{
    bool exact = claim == WEIR_CLAIM_EXACT, known = exact || claim == WEIR_CLAIM_SAFE;
    bound->worst = (struct weir_quantity){claim, {worst, exact}, {worst, known}};
    if (best)
        bound->best = (struct weir_quantity){exact ? WEIR_CLAIM_EXACT : WEIR_CLAIM_SAFE, {*best, 1}, {*best, exact}};
}

struct weir_chart *weir_answer_add_chart(struct weir_answer *answer, const struct weir_chart *chart)
{
    struct weir_answer_list *list = &answer->charts;
    struct weir_chart *charts = grow(answer, &list->items, &list->capacity, list->count + 1, sizeof *charts);
    if (!charts)
        return NULL;
    charts[list->count] = *chart;
    return &charts[list->count++];
}

void weir_chart_begin_series(struct weir_answer *answer, struct weir_chart *chart, const char *name, bool dashed)
{
    void *series = grow_in_arena(answer, chart->series, chart->count, &chart->capacity, sizeof *chart->series);
    if (!series)
        return;
    chart->series = series;
    chart->series[chart->count++] = (struct weir_chart_series){.name = name, .dashed = dashed};
}

void weir_chart_point(struct weir_answer *answer, struct weir_chart *chart, struct weir_datum x, struct weir_datum y)
{
    struct weir_chart_series *s = chart->count ? &chart->series[chart->count - 1] : NULL;
    for (int i = 0; i < 2 && s; i++) {
        void *points = grow_in_arena(answer, s->points, s->count, &s->capacity, sizeof *s->points);
        if (!points)
            return;
        s->points = points;
        s->points[s->count++] = i ? y : x;
    }
}

struct weir_quantity weir_quantity_of(const struct weir_separation *s, bool negated)
{
    struct weir_ratio low = {s->lower, s->lower != INT64_MIN}, high = {s->upper, s->upper != INT64_MAX};
    switch (s->outcome) {
    case WEIR_EXACT:
        return weir_quantity_exact((struct weir_ratio){negated ? -s->value : s->value, 1});
    case WEIR_NO_BOUND:
        return (struct weir_quantity){.claim = WEIR_CLAIM_UNBOUNDED};
    case WEIR_NO_EVENTS:
        return (struct weir_quantity){.claim = WEIR_CLAIM_NONE};
    case WEIR_BRACKET:
        break;
    }
    if (negated) {
        struct weir_ratio swapped = low;
        low = (struct weir_ratio){high.denominator ? -high.numerator : 0, high.denominator};
        high = (struct weir_ratio){swapped.denominator ? -swapped.numerator : 0, swapped.denominator};
    }
    return (struct weir_quantity){WEIR_CLAIM_BRACKET, low, high};
}

/* ---- looking at it ---- */

const struct weir_pipeline *weir_answer_pipeline(const struct weir_answer *answer)
{
    return answer->pipeline;
}

void weir_answer_set_title(struct weir_answer *answer, const char *title)
{
    answer->title = weir_answer_format(answer, "%s", title);
}

size_t weir_answer_chart_count(const struct weir_answer *answer)
{
    return answer->charts.count;
}

const char *weir_answer_engine(const struct weir_answer *answer)
{
    return answer->engine ? answer->engine->name : NULL;
}

size_t weir_answer_bound_count(const struct weir_answer *answer)
{
    return answer->bound_count;
}

const struct weir_bound *weir_answer_bound(const struct weir_answer *answer, size_t index)
{
    return index < answer->bound_count ? &answer->bounds[index] : NULL;
}

const struct weir_operator *weir_answer_bottleneck(const struct weir_answer *answer, size_t *count)
{
    *count = answer->bottleneck_count;
    return answer->bottleneck;
}

size_t weir_answer_table_count(const struct weir_answer *answer)
{
    return answer->tables.count;
}

const struct weir_table *weir_answer_table(const struct weir_answer *answer, size_t index)
{
    return index < answer->tables.count ? (const struct weir_table *)answer->tables.items + index : NULL;
}

struct weir_datum weir_answer_fact(const struct weir_answer *answer, const char *key)
{
    const struct weir_field *facts = answer->facts.items;
    for (size_t i = 0; i < answer->facts.count; i++)
        if (strcmp(facts[i].key, key) == 0)
            return facts[i].value;
    return (struct weir_datum){.kind = WEIR_DATUM_ABSENT};
}

struct weir_ratio weir_answer_period(const struct weir_answer *answer)
{
    struct weir_datum throughput = weir_answer_fact(answer, "throughput");
    for (size_t i = 0; throughput.kind == WEIR_DATUM_RECORD && i < throughput.field_count; i++)
        if (strcmp(throughput.is.fields[i].key, "period") == 0 && throughput.is.fields[i].value.kind == WEIR_DATUM_TIME)
            return throughput.is.fields[i].value.is.ratio;
    return (struct weir_ratio){0, 0};
}
