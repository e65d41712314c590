/* SPDX-License-Identifier: Apache-2.0 */
/* Execution times from a file: lines of operator,iteration,time. Empty lines and those that begin with # do not count; a first
 * line "operator,iteration,time" is a heading; a name with a comma in it stands in double quotes. */
#include "simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MISTAKES_MAX = 20 };

/* Prints "file:line: message"; after some of them, nothing. */
static void WEIR_CLI_PRINTF(4, 5)
    complain(const struct weir_times_file *file, uint32_t line, size_t *mistakes, const char *format, ...)
{
    struct weir_error error = {.status = WEIR_INVALID, .line = line};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    if (++*mistakes <= MISTAKES_MAX)
        weir_complain_error(file->path, &error);
}

static enum weir_exit verdict(const struct weir_times_file *file, size_t mistakes)
{
    if (mistakes > MISTAKES_MAX)
        weir_complain("%s: ... and %zu more mistakes", file->path, mistakes - MISTAKES_MAX);
    return mistakes ? WEIR_EXIT_INPUT : WEIR_EXIT_OK;
}

static enum weir_exit out_of_memory(void)
{
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}

/* ---- reading ---- */

static enum weir_exit read_text(const char *path, char **text, size_t *length)
{
    FILE *in = fopen(path, "rb");
    size_t capacity = 0, got = 1;
    bool good = in != NULL;
    *text = NULL;
    *length = 0;
    while (good && got) {
        if (capacity - *length < 4096) {
            char *grown = realloc(*text, capacity = capacity ? 2 * capacity : 65536);
            if (!grown) {
                fclose(in);
                return out_of_memory();
            }
            *text = grown;
        }
        got = fread(*text + *length, 1, capacity - *length - 1, in);
        *length += got;
        good = !ferror(in);
    }
    if (!good)
        weir_complain("cannot read %s: %s", path, strerror(errno));
    else
        (*text)[*length] = 0;
    if (in)
        fclose(in);
    return good ? WEIR_EXIT_OK : WEIR_EXIT_INPUT;
}

/* Cuts the next field out of the line; *rest is what follows its comma, or NULL after the last. NULL when a quote is not closed
 * or something follows it. */
static char *cut_field(char **rest)
{
    char *field = *rest + strspn(*rest, " \t"), *end = field;
    if (*field == '"') {
        char *to = ++field;
        for (end = field; *end && (*end != '"' || end[1] == '"'); end++) {
            end += *end == '"';
            *to++ = *end;
        }
        if (!*end)
            return NULL;
        end += 1 + strspn(end + 1, " \t");
        if (*end && *end != ',')
            return NULL;
        *rest = *end ? end + 1 : NULL;
        *to = 0;
        return field;
    }
    end += strcspn(end, ",");
    *rest = *end ? end + 1 : NULL;
    while (end > field && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = 0;
    return field;
}

static bool append(struct weir_times_file *file, const struct weir_times_row *row)
{
    if (file->count == file->capacity) {
        size_t capacity = file->capacity ? 2 * file->capacity : 256;
        struct weir_times_row *rows = realloc(file->rows, capacity * sizeof *rows);
        if (!rows)
            return false;
        file->rows = rows;
        file->capacity = capacity;
    }
    file->rows[file->count++] = *row;
    return true;
}

/* False when out of memory. */
static bool read_line(struct weir_times_file *file, char *line, uint32_t number, size_t *mistakes)
{
    char *fields[3] = {0}, *rest = line;
    size_t count = 0;
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return true;
    for (; rest && count < 4; count++) {
        char *field = cut_field(&rest);
        if (!field) {
            complain(file, number, mistakes, "a name in quotes is not closed, or something follows it");
            return true;
        }
        if (count < 3)
            fields[count] = field;
    }
    if (count != 3) {
        complain(file, number, mistakes, "expected operator,iteration,time, but found %s", count < 3 ? "less" : "more");
        return true;
    }
    bool heading = file->count == 0 && !*mistakes && strcmp(fields[0], "operator") == 0 && strcmp(fields[1], "iteration") == 0;
    struct weir_times_row row = {fields[0], fields[1], fields[2], number, 0, 0, 0};
    return heading || append(file, &row);
}

/* One text of all times, for the reader of the model. */
static bool join_times(struct weir_times_file *file)
{
    size_t bytes = 1;
    for (size_t i = 0; i < file->count; i++)
        bytes += strlen(file->rows[i].time_text) + 1;
    char *end = file->times = malloc(bytes);
    if (!end)
        return false;
    for (size_t i = 0; i < file->count; i++) {
        size_t length = strlen(file->rows[i].time_text);
        memcpy(end, file->rows[i].time_text, length);
        end[length] = ',';
        end += length + 1;
    }
    *end = 0;
    return true;
}

enum weir_exit weir_times_read(const char *path, struct weir_times_file *file)
{
    size_t length, mistakes = 0;
    *file = (struct weir_times_file){.path = path};
    enum weir_exit result = read_text(path, &file->text, &length);
    if (result != WEIR_EXIT_OK)
        return result;
    if (strlen(file->text) != length) {
        complain(file, 0, &mistakes, "this is not a text file");
        return WEIR_EXIT_INPUT;
    }
    uint32_t number = 1;
    char *next;
    for (char *line = file->text; line; line = next, number++) {
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : NULL;
        *end = 0;
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        if (!read_line(file, line, number, &mistakes))
            return out_of_memory();
    }
    if (!join_times(file))
        return out_of_memory();
    return verdict(file, mistakes);
}

/* ---- binding ---- */

static bool parse_iteration(const char *text, int64_t *iteration)
{
    *iteration = 0;
    bool good = *text != 0;
    for (; *text && good; text++)
        good = *text >= '0' && *text <= '9' && !__builtin_mul_overflow(*iteration, (int64_t)10, iteration) &&
               !__builtin_add_overflow(*iteration, (int64_t)(*text - '0'), iteration);
    return good;
}

static void complain_name(const struct weir_times_file *file, const struct weir_times_row *row,
                          const struct weir_pipeline *pipeline, size_t *mistakes)
{
    const char *nearest = NULL, **names = malloc(file->operators * sizeof *names);
    for (uint32_t i = 0; names && i < file->operators; i++)
        names[i] = weir_pipeline_operator(pipeline, (struct weir_operator){i}).name;
    if (names)
        nearest = weir_nearest(row->name, names, file->operators);
    complain(file, row->line, mistakes, "unknown operator \"%.100s\"%s%.100s%s", row->name, nearest ? "; did you mean \"" : "",
             nearest ? nearest : "", nearest ? "\"?" : "");
    free(names);
}

static void bind_row(struct weir_times_file *file, struct weir_times_row *row, const struct weir_pipeline *pipeline,
                     size_t *mistakes)
{
    struct weir_operator op;
    struct weir_error error = {0};
    if (!weir_pipeline_find(pipeline, row->name, &op)) {
        complain_name(file, row, pipeline, mistakes);
        return;
    }
    row->op = op.index;
    if (!parse_iteration(row->iteration_text, &row->iteration)) {
        complain(file, row->line, mistakes, "an iteration is a whole number from 0 on, not \"%.100s\"", row->iteration_text);
        return;
    }
    if (weir_time_parse(pipeline, row->time_text, &row->time, &error) != WEIR_OK) {
        complain(file, row->line, mistakes, "%s", error.message);
        return;
    }
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    char best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    if (row->time < spec.best || row->time > spec.worst)
        complain(file, row->line, mistakes, "\"%.100s\" takes from %s to %s in the model, so not %.100s", row->name,
                 weir_time_format(pipeline, spec.best, best), weir_time_format(pipeline, spec.worst, worst), row->time_text);
}

static int by_execution(const void *left, const void *right)
{
    const struct weir_times_row *a = left, *b = right;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->iteration != b->iteration)
        return a->iteration < b->iteration ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

enum weir_exit weir_times_bind(struct weir_times_file *file, const struct weir_pipeline *pipeline, int64_t iterations)
{
    size_t mistakes = 0;
    file->operators = weir_pipeline_operator_count(pipeline);
    for (size_t i = 0; i < file->count; i++) {
        struct weir_times_row *row = &file->rows[i];
        bind_row(file, row, pipeline, &mistakes);
        if (row->iteration >= iterations)
            complain(file, row->line, &mistakes, "iteration %lld is not simulated: the first is 0, and there are %lld",
                     (long long)row->iteration, (long long)iterations);
        if (row->iteration > file->last_iteration)
            file->last_iteration = row->iteration;
    }
    if (mistakes)
        return verdict(file, mistakes);
    if (file->count)
        qsort(file->rows, file->count, sizeof *file->rows, by_execution);
    for (size_t i = 1; i < file->count; i++) {
        const struct weir_times_row *row = &file->rows[i], *before = row - 1;
        if (row->op == before->op && row->iteration == before->iteration)
            complain(file, row->line, &mistakes, "iteration %lld of \"%.100s\" has a time in line %u already",
                     (long long)row->iteration, row->name, before->line);
    }
    file->cursors = calloc(file->operators, sizeof *file->cursors);
    if (!file->cursors)
        return out_of_memory();
    for (size_t i = file->count; i-- > 0;)
        file->cursors[file->rows[i].op] = i;
    return verdict(file, mistakes);
}

int64_t weir_times_given(struct weir_times_file *file, struct weir_operator op, int64_t iteration)
{
    size_t *cursor = &file->cursors[op.index];
    if (*cursor >= file->count)
        return -1;
    const struct weir_times_row *row = &file->rows[*cursor];
    if (row->op != op.index || row->iteration != iteration)
        return -1;
    ++*cursor;
    return row->time;
}

void weir_times_free(struct weir_times_file *file)
{
    free(file->text);
    free(file->times);
    free(file->rows);
    free(file->cursors);
}
