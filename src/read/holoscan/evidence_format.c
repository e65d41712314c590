/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the files of a Holoscan application apart by how they begin. */
#include "read/dot/dot.h"
#include "read/holoscan/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool begins(const char *at, const char *end, const char *with)
{
    size_t bytes = strlen(with);
    return (size_t)(end - at) >= bytes && memcmp(at, with, bytes) == 0;
}

static const char *next_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found + 1 : end;
}

static bool has_line(const struct weir_text *text, const char *with)
{
    const char *end = text->bytes + text->size;
    for (const char *at = text->bytes; at < end; at = next_line(at, end))
        if (begins(at, end, with))
            return true;
    return false;
}

static bool has_text(const struct weir_text *text, const char *what)
{
    const char *end = text->bytes + text->size;
    for (const char *at = text->bytes; at < end && (at = memchr(at, *what, (size_t)(end - at))); at++)
        if (begins(at, end, what))
            return true;
    return false;
}

/* A number and a colon, and nothing else. */
static bool is_counter(const char *at, const char *end)
{
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    if (at == digits || at == end || *at++ != ':')
        return false;
    while (at < end && (*at == ' ' || *at == '\r'))
        at++;
    return at == end || *at == '\n';
}

/* The first line that is not empty is the number of a message, or a path: "(replayer,1685129021110968,1685129021112852) -> ". A
 * log may begin in the middle of a line. */
static bool is_log(const struct weir_text *text)
{
    const char *end = text->bytes + text->size, *at = text->bytes;
    for (int lines = 0; at < end && lines < 3; at = next_line(at, end)) {
        const char *line = next_line(at, end);
        if (*at == '\n' || *at == '\r')
            continue;
        if (is_counter(at, end))
            return true;
        const char *close = *at == '(' ? memchr(at, ')', (size_t)(line - at)) : NULL;
        size_t commas = 0;
        for (const char *c = at; close && c < close; c++)
            commas += *c == ',';
        if (commas >= 2)
            return true;
        lines++;
    }
    return false;
}

static bool is_statistics(const struct weir_text *text)
{
    size_t i = 0;
    while (i < text->size && strchr(" \t\r\n", text->bytes[i]))
        i++;
    return i < text->size && (text->bytes[i] == '{' || text->bytes[i] == '[') && has_text(text, "\"execution_time_max_ms\"");
}

/* What Holoscan prints of an operator has these lines among others. */
static bool is_description(const struct weir_text *text)
{
    return has_line(text, "name:") && has_line(text, "resources:") && has_line(text, "spec:");
}

/* "WCET = ", as the response-time tools for Holoscan write it. */
static bool has_wcet(const struct weir_text *text)
{
    const char *end = text->bytes + text->size;
    for (const char *at = text->bytes; at < end && (at = memchr(at, 'W', (size_t)(end - at))); at++) {
        const char *after = at + 4;
        if (!begins(at, end, "WCET"))
            continue;
        while (after < end && *after == ' ')
            after++;
        if (after < end && *after == '=')
            return true;
    }
    return false;
}

static enum weir_evidence_format format_of(const struct weir_text *text)
{
    if (has_line(text, "Data Flow Tracking Results:"))
        return WEIR_EVIDENCE_SUMMARY;
    if (is_log(text))
        return WEIR_EVIDENCE_FLOW_LOG;
    if (weir_text_format(text) == WEIR_FORMAT_DOT)
        return (weir_text_is_measured(text) || has_wcet(text)) && !weir_text_is_cuda(text) ? WEIR_EVIDENCE_PERF_GRAPH
                                                                                           : WEIR_EVIDENCE_NONE;
    if (has_line(text, "input_to_output:") || has_line(text, "output_to_input:"))
        return WEIR_EVIDENCE_PORT_MAP;
    if (has_line(text, "components:") && has_text(text, "::"))
        return WEIR_EVIDENCE_GXF;
    if (is_description(text))
        return WEIR_EVIDENCE_DESCRIPTION;
    return is_statistics(text) ? WEIR_EVIDENCE_JOB_STATISTICS : WEIR_EVIDENCE_NONE;
}

enum weir_evidence_format weir_evidence_format_of(const char *bytes, size_t size)
{
    struct weir_text text = {.bytes = bytes, .size = size};
    if (begins(bytes, bytes + size, "\xef\xbb\xbf")) {
        text.bytes += 3;
        text.size -= 3;
    }
    return text.size ? format_of(&text) : WEIR_EVIDENCE_NONE;
}

static enum weir_status fail_io(const char *path, int code, struct weir_errors *errors)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return weir_errors_add(errors, WEIR_IO, path, (struct weir_place){0, 0}, "cannot read this file: %s", reason);
}

enum weir_status weir_evidence_format_file(const char *path, enum weir_evidence_format *format, struct weir_errors *errors)
{
    struct stat about;
    *format = WEIR_EVIDENCE_NONE;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_io(path, errno, errors);
    int code = fstat(descriptor, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    bool regular = !code && S_ISREG(about.st_mode);
    char *bytes = regular ? weir_array(WEIR_EVIDENCE_SNIFF, 1) : NULL;
    ssize_t got = bytes ? read(descriptor, bytes, WEIR_EVIDENCE_SNIFF) : 0;
    if (got < 0)
        code = errno;
    else if (bytes)
        *format = weir_evidence_format_of(bytes, (size_t)got);
    close(descriptor);
    if (regular && !bytes)
        return weir_errors_add(errors, WEIR_MEMORY, path, (struct weir_place){0, 0}, "out of memory");
    weir_free(bytes);
    return code ? fail_io(path, code, errors) : WEIR_OK;
}
