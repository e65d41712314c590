/* SPDX-License-Identifier: Apache-2.0 */
/* Execution times from a file: lines of operator,iteration,time, as comma-separated values. A first line
 * "operator,iteration,time" is a heading. */
#include "model/suggest.h"
#include "read/text.h"

#include <stdlib.h>
#include <string.h>

enum { NAME, ITERATION, TIME, FIELDS };

struct row {
    struct weir_csv_field fields[FIELDS];
    uint32_t op;
    int64_t iteration, time;
};

struct weir_times_file {
    struct weir_arena arena;
    const char *path;
    char *times; /* all of them as written, separated by commas */
    struct row *rows;
    size_t count, capacity;
    int64_t last_iteration; /* known once bound */
    size_t *cursors;        /* by operator, once bound */
    uint32_t operators;     /* ... how many */
};

/* ---- reading ---- */

static void take_line(struct weir_times_file *file, struct weir_csv *csv)
{
    if (csv->count != FIELDS) {
        weir_draft_mistake(csv->draft, csv->fields[0].place, "expected operator,iteration,time, but found %s",
                           csv->count < FIELDS ? "less" : "more");
        return;
    }
    if (file->count == 0 && strcmp(csv->fields[NAME].text, "operator") == 0 &&
        strcmp(csv->fields[ITERATION].text, "iteration") == 0)
        return;
    if (!weir_draft_room(csv->draft, &file->rows, &file->capacity, file->count, sizeof *file->rows))
        return;
    struct row *row = &file->rows[file->count++];
    memset(row, 0, sizeof *row);
    memcpy(row->fields, csv->fields, sizeof row->fields);
}

/* One text of all times, for the reader of the model. */
static void join_times(struct weir_times_file *file, struct weir_draft *draft)
{
    size_t bytes = 1;
    for (size_t i = 0; i < file->count; i++)
        bytes += strlen(file->rows[i].fields[TIME].text) + 1;
    char *end = file->times = weir_arena_take(&file->arena, bytes);
    draft->out_of_memory |= !end;
    for (size_t i = 0; end && i < file->count; i++)
        end += snprintf(end, bytes - (size_t)(end - file->times), "%s,", file->rows[i].fields[TIME].text);
    if (end)
        *end = 0;
}

struct weir_times_file *weir_times_file_read(const char *path, struct weir_errors *errors)
{
    char *bytes = NULL;
    size_t size;
    struct weir_draft draft = {.file = path, .errors = errors};
    struct weir_times_file *file = weir_array_zeroed(1, sizeof *file);
    draft.out_of_memory = !file;
    if (file && weir_read_bytes(path, errors, &bytes, &size) == WEIR_OK) {
        struct weir_file_text text = {.bytes = bytes, .size = size};
        file->path = weir_arena_text(&file->arena, path);
        draft.out_of_memory |= !file->path;
        struct weir_csv csv = {.draft = &draft, .text = &text, .arena = &file->arena};
        bool good = weir_text_check(&draft, &text);
        while (good && weir_csv_next_good(&csv))
            take_line(file, &csv);
        join_times(file, &draft);
    }
    bool good = bytes && !draft.out_of_memory && !draft.mistakes;
    weir_free(bytes);
    if (good)
        return file;
    if (draft.out_of_memory)
        weir_errors_add(errors, WEIR_MEMORY, path, (struct weir_place){0, 0}, "out of memory");
    weir_times_file_free(file);
    return NULL;
}

const char *weir_times_file_times(const struct weir_times_file *file)
{
    return file->times;
}

void weir_times_file_free(struct weir_times_file *file)
{
    if (!file)
        return;
    weir_arena_free(&file->arena);
    weir_free(file->rows);
    weir_free(file->cursors);
    weir_free(file);
}

/* ---- binding ---- */

static bool parse_iteration(const char *text, int64_t *iteration)
{
    *iteration = 0;
    bool good = *text != 0;
    for (; *text && good; text++)
        good = *text >= '0' && *text <= '9' && weir_multiply(*iteration, 10, iteration) &&
               weir_add(*iteration, *text - '0', iteration);
    return good;
}

static void complain_name(const struct weir_times_file *file, const struct weir_csv_field *name,
                          const struct weir_pipeline *pipeline, struct weir_errors *errors)
{
    const char *nearest = weir_pipeline_suggest(pipeline, name->text);
    char quoted[WEIR_QUOTED];
    weir_errors_add(errors, WEIR_INVALID, file->path, name->place, "unknown operator \"%s\"%s%.100s%s",
                    weir_quote(name->text, quoted), nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                    nearest ? "\"?" : "");
}

static void bind_row(struct weir_times_file *file, struct row *row, const struct weir_pipeline *pipeline,
                     struct weir_errors *errors)
{
    const struct weir_csv_field *fields = row->fields;
    struct weir_operator op;
    struct weir_error error = {0};
    char quoted[WEIR_QUOTED], best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    if (!weir_pipeline_find(pipeline, fields[NAME].text, &op)) {
        complain_name(file, &fields[NAME], pipeline, errors);
        return;
    }
    row->op = op.index;
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    if (!parse_iteration(fields[ITERATION].text, &row->iteration))
        weir_errors_add(errors, WEIR_INVALID, file->path, fields[ITERATION].place,
                        "an iteration must be a whole number from 0 on, not \"%s\"", weir_quote(fields[ITERATION].text, quoted));
    else if (weir_time_parse(pipeline, fields[TIME].text, &row->time, &error) != WEIR_OK)
        weir_errors_add_error(errors, file->path, fields[TIME].place, &error);
    else if (row->time < spec.best || row->time > spec.worst)
        weir_errors_add(errors, WEIR_INVALID, file->path, fields[TIME].place,
                        "\"%.100s\" takes from %s to %s in the model, so not %.40s", fields[NAME].text,
                        weir_time_format(pipeline, spec.best, best), weir_time_format(pipeline, spec.worst, worst),
                        fields[TIME].text);
}

static int by_execution(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->iteration != b->iteration)
        return a->iteration < b->iteration ? -1 : 1;
    return a->fields[NAME].place.line < b->fields[NAME].place.line ? -1 : 1;
}

/* Sorts the rows, and finds the first of each operator. */
static enum weir_status index_rows(struct weir_times_file *file, const struct weir_pipeline *pipeline, struct weir_errors *errors)
{
    if (file->count)
        qsort(file->rows, file->count, sizeof *file->rows, by_execution);
    for (size_t i = 1; i < file->count; i++) {
        const struct row *row = &file->rows[i], *before = row - 1;
        if (row->op == before->op && row->iteration == before->iteration)
            weir_errors_add(errors, WEIR_INVALID, file->path, row->fields[ITERATION].place,
                            "iteration %lld of \"%.100s\" has a time in line %u already", (long long)row->iteration,
                            row->fields[NAME].text, before->fields[NAME].place.line);
    }
    weir_free(file->cursors);
    file->operators = weir_pipeline_operator_count(pipeline);
    file->cursors = weir_array_zeroed(file->operators, sizeof *file->cursors);
    if (!file->cursors)
        return weir_errors_add(errors, WEIR_MEMORY, file->path, (struct weir_place){0, 0}, "out of memory");
    for (size_t i = file->count; i-- > 0;)
        file->cursors[file->rows[i].op] = i;
    return WEIR_OK;
}

enum weir_status weir_times_file_bind(struct weir_times_file *file, const struct weir_pipeline *pipeline, int64_t iterations,
                                      struct weir_errors *errors)
{
    size_t before = weir_errors_count(errors);
    for (size_t i = 0; i < file->count; i++) {
        struct row *row = &file->rows[i];
        bind_row(file, row, pipeline, errors);
        if (iterations && row->iteration >= iterations)
            weir_errors_add(errors, WEIR_INVALID, file->path, row->fields[ITERATION].place,
                            "iteration %lld is not simulated: the first is 0, and there are %lld", (long long)row->iteration,
                            (long long)iterations);
        if (row->iteration > file->last_iteration)
            file->last_iteration = row->iteration;
    }
    if (weir_errors_count(errors) != before)
        return WEIR_INVALID;
    enum weir_status status = index_rows(file, pipeline, errors);
    return status ? status : weir_errors_count(errors) != before ? WEIR_INVALID : WEIR_OK;
}

int64_t weir_times_file_iterations(const struct weir_times_file *file)
{
    return file->count ? file->last_iteration + 1 : 0;
}

int64_t weir_times_file_given(struct weir_times_file *file, struct weir_operator op, int64_t iteration)
{
    size_t *cursor = file->cursors && op.index < file->operators ? &file->cursors[op.index] : NULL;
    if (!cursor || *cursor >= file->count)
        return -1;
    const struct row *row = &file->rows[*cursor];
    if (row->op != op.index || row->iteration != iteration)
        return -1;
    ++*cursor;
    return row->time;
}
