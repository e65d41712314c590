/* SPDX-License-Identifier: Apache-2.0 */
/* The store itself: names found by a hash, everything else in lists that are looked through once, at the end. */
#include "read/holoscan/evidence.h"

#include <stdarg.h>
#include <string.h>

static bool room(struct weir_evidence *e, void *array, size_t *capacity, size_t count, size_t size)
{
    void **list = array;
    void *grown = *list;
    if (e->out_of_memory || !weir_reserve(&grown, capacity, count + 1, size)) {
        e->out_of_memory = true;
        return false;
    }
    *list = grown;
    return true;
}

void weir_evidence_free(struct weir_evidence *e)
{
    weir_free(e->files);
    weir_free(e->operators);
    weir_names_free(&e->names);
    weir_free(e->times);
    weir_free(e->connections);
    weir_free(e->ports);
    weir_free(e->paths);
    weir_free(e->periods);
    weir_free(e->schedulers);
    weir_arena_free(&e->arena);
}

static const char *keep_text(struct weir_evidence *e, const char *text)
{
    if (!text || e->out_of_memory)
        return NULL;
    const char *copy = weir_arena_text(&e->arena, text);
    e->out_of_memory |= !copy;
    return copy;
}

uint32_t weir_evidence_add_file(struct weir_evidence *e, const char *path, bool times_only)
{
    if (!room(e, &e->files, &e->file_capacity, e->file_count, sizeof *e->files))
        return 0;
    const char *copy = keep_text(e, path);
    if (!copy)
        return 0;
    e->files[e->file_count] = (struct weir_evidence_file){.path = copy, .times_only = times_only};
    return (uint32_t)e->file_count++;
}

void weir_evidence_set_fragment(struct weir_evidence *e, uint32_t file, const char *fragment)
{
    const char *copy = keep_text(e, fragment);
    if (file < e->file_count)
        e->files[file].fragment = copy;
}

/* ---- names ---- */

uint32_t weir_evidence_find(const struct weir_evidence *e, const char *name, size_t bytes)
{
    return weir_names_find(&e->names, name, bytes);
}

/* The name with the file's fragment before it, in `text`; itself where that is not needed. */
static const char *qualify(const struct weir_evidence *e, uint32_t file, const char *name, size_t *bytes,
                           char text[2 * WEIR_EVIDENCE_NAME_MAX + 2])
{
    const char *fragment = file < e->file_count ? e->files[file].fragment : NULL;
    size_t length = fragment ? strlen(fragment) : 0;
    if (!fragment || length > WEIR_EVIDENCE_NAME_MAX || *bytes > WEIR_EVIDENCE_NAME_MAX ||
        (*bytes > length && name[length] == '.' && memcmp(name, fragment, length) == 0))
        return name;
    memcpy(text, fragment, length + 1);
    text[length] = '.';
    memcpy(text + length + 1, name, *bytes);
    *bytes += length + 1;
    return text;
}

uint32_t weir_evidence_find_in(const struct weir_evidence *e, uint32_t file, const char *name, size_t bytes)
{
    char text[2 * WEIR_EVIDENCE_NAME_MAX + 2];
    const char *all = qualify(e, file, name, &bytes, text);
    return weir_evidence_find(e, all, bytes);
}

uint32_t weir_evidence_operator(struct weir_evidence *e, const char *name, size_t bytes, struct weir_evidence_place at)
{
    char text[2 * WEIR_EVIDENCE_NAME_MAX + 2];
    if (bytes == 0)
        return WEIR_NO_OPERATOR;
    name = qualify(e, at.file, name, &bytes, text);
    uint32_t op = weir_evidence_find(e, name, bytes);
    bool graph = at.file < e->file_count && !e->files[at.file].times_only;
    if (op != WEIR_NO_OPERATOR) {
        e->operators[op].by_graph |= graph;
        return op;
    }
    if (e->operator_count >= WEIR_EVIDENCE_MAX || bytes > WEIR_EVIDENCE_NAME_MAX || memchr(name, 0, bytes))
        return WEIR_NO_OPERATOR;
    if (!room(e, &e->operators, &e->operator_capacity, e->operator_count, sizeof *e->operators))
        return WEIR_NO_OPERATOR;
    const char *copy = weir_arena_bytes(&e->arena, name, bytes);
    op = (uint32_t)e->operator_count;
    if (!copy || !weir_names_add(&e->names, copy, op)) {
        e->out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    e->operators[e->operator_count++] = (struct weir_evidence_operator){.name = copy, .at = at, .by_graph = graph};
    return op;
}

/* ---- what is said ---- */

bool weir_evidence_add_time(struct weir_evidence *e, const struct weir_evidence_time *time)
{
    struct weir_evidence_operator *op = &e->operators[time->op];
    struct weir_evidence_time *old = op->last_time ? &e->times[op->last_time - 1] : NULL;
    if (old && old->at.file == time->at.file && old->span == time->span) {
        old->count += time->count;
        old->rare = time->rare > old->rare ? time->rare : old->rare;
        if (old->min == WEIR_TIME_UNKNOWN || (time->min != WEIR_TIME_UNKNOWN && time->min < old->min))
            old->min = time->min;
        if (time->max > old->max)
            old->max = time->max, old->at = time->at;
        return true;
    }
    if (e->time_count >= 4 * (size_t)WEIR_EVIDENCE_MAX || !room(e, &e->times, &e->time_capacity, e->time_count, sizeof *e->times))
        return false;
    e->times[e->time_count++] = *time;
    op->last_time = (uint32_t)e->time_count;
    return true;
}

bool weir_evidence_connect(struct weir_evidence *e, const struct weir_evidence_connection *connection)
{
    if (e->connection_count >= WEIR_EVIDENCE_MAX ||
        !room(e, &e->connections, &e->connection_capacity, e->connection_count, sizeof *e->connections))
        return false;
    struct weir_evidence_connection mine = *connection;
    mine.from_port = keep_text(e, connection->from_port);
    mine.to_port = keep_text(e, connection->to_port);
    if (e->out_of_memory)
        return false;
    e->connections[e->connection_count++] = mine;
    return true;
}

bool weir_evidence_add_port(struct weir_evidence *e, const struct weir_evidence_port *port)
{
    if (e->port_count >= 2 * (size_t)WEIR_EVIDENCE_MAX || !room(e, &e->ports, &e->port_capacity, e->port_count, sizeof *e->ports))
        return false;
    struct weir_evidence_port mine = *port;
    mine.port = keep_text(e, port->port);
    if (e->out_of_memory)
        return false;
    e->ports[e->port_count++] = mine;
    return true;
}

bool weir_evidence_add_path(struct weir_evidence *e, const struct weir_evidence_path *path)
{
    if (e->path_count >= WEIR_EVIDENCE_MAX || !room(e, &e->paths, &e->path_capacity, e->path_count, sizeof *e->paths))
        return false;
    struct weir_evidence_path mine = *path;
    uint32_t *operators = weir_arena_take(&e->arena, path->count * sizeof *operators + 1);
    if (!operators) {
        e->out_of_memory = true;
        return false;
    }
    if (path->count)
        memcpy(operators, path->operators, path->count * sizeof *operators);
    mine.operators = operators;
    e->paths[e->path_count++] = mine;
    return true;
}

bool weir_evidence_add_period(struct weir_evidence *e, const struct weir_evidence_period *period)
{
    if (e->period_count >= WEIR_EVIDENCE_MAX || !room(e, &e->periods, &e->period_capacity, e->period_count, sizeof *e->periods))
        return false;
    e->periods[e->period_count++] = *period;
    return true;
}

bool weir_evidence_add_scheduler(struct weir_evidence *e, const struct weir_evidence_scheduler *scheduler)
{
    if (e->scheduler_count >= WEIR_EVIDENCE_MAX ||
        !room(e, &e->schedulers, &e->scheduler_capacity, e->scheduler_count, sizeof *e->schedulers))
        return false;
    e->schedulers[e->scheduler_count++] = *scheduler;
    return true;
}

void weir_evidence_note(struct weir_evidence *e, struct weir_evidence_place at, const char *format, ...)
{
    char message[sizeof((struct weir_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    uint32_t line = at.line > UINT32_MAX ? 0 : (uint32_t)at.line;
    const char *file = at.file < e->file_count ? e->files[at.file].path : NULL;
    weir_errors_add(e->notes, WEIR_OK, file, (struct weir_place){line, line ? 1 : 0}, "%s", message);
}
