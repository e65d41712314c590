/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scanner for logs of gigabytes. A line is looked at once: the comma behind a name is guessed to be the first one, and only where
 * no two numbers follow it the next is tried, since names may hold anything. A name is compared with the one that last followed the
 * name before it, which is nearly always the same, and only otherwise looked up.
 */
#include "read/holoscan/flow_log.h"
#include "read/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)1 << 20) /* bytes held; a line is no longer */
#define STEPS_MAX 1024          /* of a path */
#define STAMP_DIGITS 18
#define NAMES_MAX WEIR_EVIDENCE_MAX

struct name {
    const char *text;
    uint32_t bytes;
    uint32_t next; /* the name that followed it last */
};

struct weir_flow_log {
    struct weir_arena arena;
    struct name *names;
    size_t name_count, name_capacity;
    struct weir_names index; /* name -> its number */
    uint32_t first;          /* the name that began a path last */
    int descriptor;          /* -1: from memory */
    bool standard;
    char *buffer;      /* NULL from memory */
    const char *bytes; /* what is there: the buffer, or the caller's text */
    size_t at, end;
    bool drained;  /* nothing is behind `end` */
    bool skipping; /* a line that is too long, to its end */
    uint64_t size; /* of the file; 0: not known */
    uint64_t record;
    bool out_of_memory;
    struct weir_flow_watch watch; /* names as above */
    struct weir_flow_counts counts;
    struct weir_flow_step steps[STEPS_MAX];
};

/* ---- names ---- */

static bool is_name(const struct weir_flow_log *log, uint32_t name, const char *text, size_t bytes)
{
    const struct name *n = &log->names[name];
    return n->bytes == bytes && memcmp(n->text, text, bytes) == 0;
}

/* WEIR_NO_OPERATOR: it cannot be a name, or there is no memory. A name may hold anything, but with a step in it what was read is a
 * line that is damaged. */
static uint32_t add_name(struct weir_flow_log *log, const char *text, size_t bytes)
{
    if (log->name_count >= NAMES_MAX || !weir_text_is_name(text, bytes) || weir_text_find(text, text + bytes, ") -> ("))
        return WEIR_NO_OPERATOR;
    bool room = weir_reserve(&log->names, &log->name_capacity, log->name_count + 1, sizeof *log->names);
    const char *copy = room ? weir_arena_bytes(&log->arena, text, bytes) : NULL;
    uint32_t name = (uint32_t)log->name_count;
    if (!copy || !weir_flow_watch_name(&log->watch) || !weir_names_add(&log->index, copy, name)) {
        log->out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    log->names[log->name_count++] = (struct name){.text = copy, .bytes = (uint32_t)bytes, .next = name};
    return name;
}

/* `guess` is the name expected here. */
static uint32_t look_up(struct weir_flow_log *log, const char *text, size_t bytes, uint32_t guess)
{
    if (guess < log->name_count && is_name(log, guess, text, bytes))
        return guess;
    if (bytes == 0 || bytes > WEIR_EVIDENCE_NAME_MAX)
        return WEIR_NO_OPERATOR;
    uint32_t name = weir_names_find(&log->index, text, bytes);
    return name != WEIR_MAP_NONE ? name : add_name(log, text, bytes);
}

/* ---- a line ---- */

/* Reads a stamp up to `stop`; NULL when it is none. Anything below zero stands for -1. */
static const char *read_stamp(const char *at, const char *end, char stop, int64_t *stamp)
{
    bool negative = at < end && *at == '-';
    at += negative;
    const char *begin = at;
    int64_t value = 0;
    while (at < end && (unsigned char)(*at - '0') < 10 && at - begin < STAMP_DIGITS)
        value = value * 10 + (*at++ - '0');
    if (at == begin || at == end || *at != stop)
        return NULL;
    *stamp = negative ? -1 : value;
    return at + 1;
}

static bool is_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at == end;
}

/* One step from behind its "(" on; what follows it, or NULL when it is none. */
static const char *read_step(struct weir_flow_log *log, const char *at, const char *end, uint32_t guess,
                             struct weir_flow_step *step)
{
    for (const char *from = at; from < end; from++) {
        const char *comma = memchr(from, ',', (size_t)(end - from));
        if (!comma)
            return NULL;
        const char *next = read_stamp(comma + 1, end, ',', &step->receive);
        next = next ? read_stamp(next, end, ')', &step->publish) : NULL;
        if (next) {
            step->name = look_up(log, at, (size_t)(comma - at), guess);
            return step->name == WEIR_NO_OPERATOR || step->receive < 0 ? NULL : next;
        }
        from = comma;
    }
    return NULL;
}

/* How many steps; 0 when the line is not a path. */
static size_t read_path(struct weir_flow_log *log, const char *at, const char *end)
{
    size_t count = 0;
    uint32_t guess = log->first;
    while (count < STEPS_MAX && at < end && *at == '(') {
        struct weir_flow_step *step = &log->steps[count];
        at = read_step(log, at + 1, end, guess, step);
        if (!at)
            return 0;
        if (count)
            log->names[step[-1].name].next = step->name;
        else
            log->first = step->name;
        guess = log->names[step->name].next;
        count++;
        if (is_blank(at, end))
            return count;
        if (end - at < 5 || memcmp(at, " -> ", 4) != 0)
            return 0;
        at += 4;
    }
    return 0;
}

static bool read_counter(const char *at, const char *end, uint64_t *record)
{
    int64_t number;
    const char *next = read_stamp(at, end, ':', &number);
    if (!next || number < 0 || !is_blank(next, end))
        return false;
    *record = (uint64_t)number;
    return true;
}

/* The steps of a line, 0 when it has none. */
static size_t read_line(struct weir_flow_log *log, const char *at, const char *end)
{
    log->counts.lines++;
    if (*at == '(') {
        size_t count = read_path(log, at, end);
        if (count)
            return count;
    } else if (is_blank(at, end) || read_counter(at, end, &log->record)) {
        return 0;
    }
    if (!log->counts.unreadable++)
        log->counts.first_unreadable = log->counts.lines;
    return 0;
}

/* ---- blocks ---- */

static enum weir_status fill(struct weir_flow_log *log, struct weir_error *error)
{
    if (log->descriptor < 0) {
        log->drained = true;
        return WEIR_OK;
    }
    memmove(log->buffer, log->buffer + log->at, log->end - log->at);
    log->end -= log->at;
    log->at = 0;
    if (log->end == BLOCK) { /* one line fills it all */
        log->skipping = true;
        log->end = 0;
    }
    ssize_t got;
    do
        got = read(log->descriptor, log->buffer + log->end, BLOCK - log->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return weir_fail(error, WEIR_IO, "cannot read this file: %s", strerror(errno));
    log->drained = got == 0;
    log->end += (size_t)got;
    log->counts.bytes += (uint64_t)got;
    return WEIR_OK;
}

/* What is left without a line end: the writer may have been stopped in the middle of a path or of a number. */
static void leave_rest(struct weir_flow_log *log)
{
    log->counts.truncated |= log->skipping || !is_blank(log->bytes + log->at, log->bytes + log->end);
    log->at = log->end;
    log->skipping = false;
}

enum weir_status weir_flow_log_next(struct weir_flow_log *log, struct weir_flow_message *message, struct weir_error *error)
{
    *message = (struct weir_flow_message){.steps = log->steps};
    for (;;) {
        const char *begin = log->bytes + log->at, *stop = log->at < log->end ? memchr(begin, '\n', log->end - log->at) : NULL;
        if (!stop && log->drained) {
            leave_rest(log);
            return WEIR_OK;
        }
        if (!stop) {
            enum weir_status status = fill(log, error);
            if (status)
                return status;
            continue;
        }
        log->at += (size_t)(stop - begin) + 1;
        if (log->skipping) {
            log->skipping = false;
            log->counts.lines++;
            if (!log->counts.unreadable++)
                log->counts.first_unreadable = log->counts.lines;
            continue;
        }
        message->count = read_line(log, begin, stop);
        if (log->out_of_memory)
            return weir_fail_memory(error);
        if (message->count) {
            log->counts.messages++;
            for (size_t i = 0; i < message->count; i++)
                weir_flow_watch_step(&log->watch, log->steps[i].name, log->steps[i].receive, log->steps[i].publish,
                                     log->counts.lines);
            message->record = log->record;
            message->line = log->counts.lines;
            return WEIR_OK;
        }
    }
}

/* ---- opening ---- */

struct weir_flow_log *weir_flow_log_open_memory(const char *text, size_t bytes, struct weir_error *error)
{
    struct weir_flow_log *log = weir_array_zeroed(1, sizeof *log);
    if (!log) {
        weir_fail_memory(error);
        return NULL;
    }
    log->descriptor = -1;
    log->bytes = text;
    log->end = bytes;
    log->size = log->counts.bytes = bytes;
    return log;
}

static bool open_file(struct weir_flow_log *log, const char *path, struct weir_error *error)
{
    struct stat about = {0};
    log->standard = strcmp(path, "-") == 0;
    log->descriptor = log->standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int code = log->descriptor < 0 || fstat(log->descriptor, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (code) {
        weir_fail(error, WEIR_IO, "cannot read this file: %s", strerror(code));
        return false;
    }
    log->size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    log->bytes = log->buffer = weir_array(BLOCK, 1);
    if (!log->buffer)
        weir_fail_memory(error);
    return log->buffer != NULL;
}

struct weir_flow_log *weir_flow_log_open(const char *path, struct weir_error *error)
{
    struct weir_flow_log *log = weir_flow_log_open_memory(NULL, 0, error);
    if (log && !open_file(log, path, error)) {
        weir_flow_log_close(log);
        return NULL;
    }
    return log;
}

void weir_flow_log_close(struct weir_flow_log *log)
{
    if (!log)
        return;
    if (log->descriptor >= 0 && !log->standard)
        close(log->descriptor);
    weir_free(log->buffer);
    weir_free(log->names);
    weir_names_free(&log->index);
    weir_flow_watch_free(&log->watch);
    weir_arena_free(&log->arena);
    weir_free(log);
}

/* ---- looking at it ---- */

void weir_flow_log_find_jumps(const struct weir_flow_log *log, struct weir_flow_jumps *jumps)
{
    weir_flow_watch_find(&log->watch, jumps);
}

unsigned weir_flow_log_permille(const struct weir_flow_log *log)
{
    uint64_t done = log->counts.bytes - (log->end - log->at);
    return !log->size ? 0 : done >= log->size ? 1000 : (unsigned)(done * 1000 / log->size);
}

struct weir_flow_counts weir_flow_log_counts(const struct weir_flow_log *log)
{
    return log->counts;
}

uint32_t weir_flow_log_name_count(const struct weir_flow_log *log)
{
    return (uint32_t)log->name_count;
}

const char *weir_flow_log_name(const struct weir_flow_log *log, uint32_t name)
{
    return log->names[name].text;
}

uint32_t weir_flow_log_reread_of(const struct weir_flow_log *log, uint32_t name)
{
    static const char suffix[] = "_old";
    const size_t tail = sizeof suffix - 1;
    const struct name *n = &log->names[name];
    if (n->bytes <= tail || memcmp(n->text + n->bytes - tail, suffix, tail) != 0)
        return name;
    uint32_t read = weir_names_find(&log->index, n->text, n->bytes - tail);
    return read != WEIR_MAP_NONE ? read : name;
}
