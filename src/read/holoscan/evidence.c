/* SPDX-License-Identifier: Apache-2.0 */
/* The store itself: names found by a hash, everything else in lists that are looked through once, at the end. */
#include "read/holoscan/evidence.h"

#include <stdarg.h>
#include <string.h>

static bool room(struct weir_evidence *e, void *array, size_t *capacity, size_t count, size_t size)
{
    e->out_of_memory = e->out_of_memory || !weir_reserve(array, capacity, count + 1, size);
    return !e->out_of_memory;
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

/* ---- what the files contain ---- */

bool weir_evidence_add_time(struct weir_evidence *e, const struct weir_evidence_time *time)
{
    struct weir_evidence_operator *op = &e->operators[time->op];
    struct weir_evidence_time *old = op->last_time ? &e->times[op->last_time - 1] : NULL;
    if (old && old->at.file == time->at.file && old->span == time->span) {
        old->count += time->count;
        old->rare = time->rare > old->rare ? time->rare : old->rare;
        old->upper = time->upper > old->upper ? time->upper : old->upper;
        old->heavy |= time->heavy;
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

bool weir_evidence_add_path(struct weir_evidence *e, const struct weir_flow_path *path)
{
    if (e->path_count >= WEIR_EVIDENCE_MAX || !room(e, &e->paths, &e->path_capacity, e->path_count, sizeof *e->paths))
        return false;
    const char **names = weir_arena_take(&e->arena, path->count * sizeof *names + 1);
    e->out_of_memory |= !names;
    if (!names)
        return false;
    if (path->count)
        memcpy(names, path->names, path->count * sizeof *names);
    e->paths[e->path_count] = *path;
    e->paths[e->path_count++].names = names;
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
    va_list arguments;
    uint32_t line = at.line > UINT32_MAX ? 0 : (uint32_t)at.line;
    const char *file = at.file < e->file_count ? e->files[at.file].path : NULL;
    va_start(arguments, format);
    weir_errors_add_list(e->notes, WEIR_OK, file, (struct weir_place){line, line ? 1 : 0}, format, arguments);
    va_end(arguments);
}

/* ---- one file on its way into the store ---- */

static const struct {
    weir_evidence_read_format *read;
    bool connects, ports, observed; /* as in weir_evidence_file */
} formats[WEIR_EVIDENCE_FORMATS] = {
    [WEIR_EVIDENCE_SUMMARY] = {weir_evidence_read_summary, true, false, true},
    [WEIR_EVIDENCE_PERF_GRAPH] = {weir_evidence_read_perf_graph, true, false, false},
    [WEIR_EVIDENCE_PORT_MAP] = {weir_evidence_read_port_map, true, true, false},
    [WEIR_EVIDENCE_GXF] = {weir_evidence_read_gxf, true, true, false},
    [WEIR_EVIDENCE_JOB_STATISTICS] = {weir_evidence_read_job_statistics, false, false, true},
    [WEIR_EVIDENCE_DESCRIPTION] = {weir_evidence_read_description, false, false, false},
};

/* Hands the mistakes on, in the order of the file, and frees. */
static enum weir_status end_reading(struct weir_evidence_reader *t)
{
    enum weir_status status = t->draft.mistakes ? WEIR_INVALID : WEIR_OK;
    weir_errors_sort(t->own);
    for (size_t i = 0; t->own && i < weir_errors_count(t->own); i++) {
        const struct weir_error *e = weir_errors_at(t->own, i);
        weir_errors_add_error(t->errors, t->draft.file, (struct weir_place){e->line, e->column}, e);
    }
    if (t->draft.out_of_memory || t->evidence->out_of_memory) {
        t->evidence->out_of_memory = true;
        status = weir_errors_add(t->errors, WEIR_MEMORY, t->draft.file, (struct weir_place){0, 0}, "out of memory");
    }
    weir_errors_free(t->own);
    weir_draft_free(&t->draft);
    weir_arena_free(&t->arena);
    weir_free(t->key);
    return status;
}

enum weir_status weir_evidence_read(struct weir_evidence *e, uint32_t number, const char *bytes, size_t size,
                                    struct weir_errors *errors)
{
    struct weir_evidence_file *file = &e->files[number];
    struct weir_evidence_reader t = {.evidence = e, .file = number, .errors = errors, .own = weir_errors_new()};
    struct weir_draft *d = &t.draft;
    t.text = (struct weir_file_text){.bytes = bytes, .size = size};
    *d = (struct weir_draft){.file = file->path, .errors = t.own, .options = &t.options};
    weir_draft_init(d);
    d->out_of_memory |= !t.own;
    if (!d->out_of_memory && size > WEIR_EVIDENCE_BYTES_MAX)
        weir_draft_mistake(d, (struct weir_place){0, 0}, "this file is too large: the most is %u MiB",
                           (unsigned)(WEIR_EVIDENCE_BYTES_MAX >> 20));
    else if (!d->out_of_memory && weir_text_check(d, &t.text)) {
        file->connects = formats[file->format].connects;
        file->ports = formats[file->format].ports;
        file->observed = formats[file->format].observed;
        formats[file->format].read(&t);
    }
    return end_reading(&t);
}

struct weir_evidence_place weir_evidence_reader_at(const struct weir_evidence_reader *t, struct weir_place place)
{
    return (struct weir_evidence_place){.file = t->file, .line = place.line};
}

/* What the store cannot take is reported once; the rest of the file is then skipped. */
static void report_full(struct weir_evidence_reader *t, struct weir_place place)
{
    if (weir_evidence_reader_goes_on(t))
        weir_draft_mistake(&t->draft, place, "there are more than %d operators or connections, which is more than is read",
                           WEIR_EVIDENCE_MAX);
    t->full = true;
}

void weir_evidence_reader_add(struct weir_evidence_reader *t, bool added, struct weir_place place)
{
    if (!added)
        report_full(t, place);
}

uint32_t weir_evidence_reader_operator(struct weir_evidence_reader *t, const char *name, size_t bytes, struct weir_place place)
{
    if (!weir_evidence_reader_goes_on(t) || !weir_draft_check_name(&t->draft, name, bytes, place))
        return WEIR_NO_OPERATOR;
    if (bytes > WEIR_EVIDENCE_NAME_MAX) {
        weir_draft_mistake(&t->draft, place, "the name of an operator has %zu bytes; %d are the most", bytes,
                           WEIR_EVIDENCE_NAME_MAX);
        return WEIR_NO_OPERATOR;
    }
    uint32_t op = weir_evidence_operator(t->evidence, name, bytes, weir_evidence_reader_at(t, place));
    if (op == WEIR_NO_OPERATOR)
        report_full(t, place);
    return op;
}

bool weir_evidence_reader_check_port(struct weir_evidence_reader *t, const char *port, struct weir_place place)
{
    size_t bytes = strlen(port);
    if (!weir_draft_check_name_of(&t->draft, "a port", port, bytes, place))
        return false;
    if (bytes > WEIR_EVIDENCE_NAME_MAX)
        weir_draft_mistake(&t->draft, place, "the name of a port has %zu bytes; %d are the most", bytes, WEIR_EVIDENCE_NAME_MAX);
    return bytes <= WEIR_EVIDENCE_NAME_MAX;
}

size_t weir_evidence_reader_join(struct weir_evidence_reader *t, const char *word, size_t bytes, char between, const char *other)
{
    size_t more = strlen(other);
    if (!weir_reserve(&t->key, &t->key_capacity, bytes + 1 + more, 1)) {
        t->draft.out_of_memory = true;
        return 0;
    }
    memcpy(t->key, word, bytes);
    t->key[bytes] = between;
    memcpy(t->key + bytes + 1, other, more);
    return bytes + 1 + more;
}

bool weir_evidence_reader_round(const struct weir_decimal *value, enum weir_unit unit, bool up, int64_t *nanoseconds)
{
    const int nano = weir_unit_exponent(WEIR_UNIT_NS);
    int64_t whole = value->mantissa;
    int shift = value->exponent + weir_unit_exponent(value->has_unit ? value->unit : unit) - nano;
    bool rest = false;
    if (whole < 0)
        return false;
    for (; shift < 0 && whole; shift++) {
        rest |= whole % 10 != 0;
        whole /= 10;
    }
    for (; shift > 0 && whole; shift--)
        if (!weir_multiply(whole, 10, &whole))
            return false;
    *nanoseconds = whole + (up && rest);
    return *nanoseconds < WEIR_TIME_MAX;
}

bool weir_evidence_reader_time(struct weir_evidence_reader *t, const char *text, struct weir_place place, const char *what,
                               struct weir_decimal *value)
{
    char quoted[WEIR_QUOTED];
    enum weir_decimal_fault fault = weir_decimal_parse(text, value);
    weir_quote(text, quoted);
    if (fault == WEIR_DECIMAL_RANGE)
        weir_draft_mistake(&t->draft, place, "%s is out of range: \"%s\" has more digits than can be represented", what, quoted);
    else if (fault || (value->has_unit && value->unit == WEIR_UNIT_TICK))
        weir_draft_mistake(&t->draft, place, "%s must be a number, not \"%s\"", what, quoted);
    return fault == WEIR_DECIMAL_OK && !(value->has_unit && value->unit == WEIR_UNIT_TICK);
}
