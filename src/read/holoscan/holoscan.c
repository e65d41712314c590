/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a Holoscan application, told apart by how they begin and handed to their readers. A log is never in memory as a
 * whole, unless it comes through a pipe, which can be read only once. */
#include "read/dot/dot.h"
#include "read/holoscan/evidence_build.h"
#include "read/holoscan/flow_log.h"
#include "read/holoscan/recorded.h"

#include <string.h>

#define FILES_MAX 64

/* ---- formats ---- */

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

static bool has_line(const struct weir_file_text *text, const char *with)
{
    const char *end = text->bytes + text->size;
    for (const char *at = text->bytes; at < end; at = next_line(at, end))
        if (begins(at, end, with))
            return true;
    return false;
}

static bool has_text(const struct weir_file_text *text, const char *what)
{
    return weir_text_find(text->bytes, text->bytes + text->size, what);
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
static bool is_log(const struct weir_file_text *text)
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

static bool is_statistics(const struct weir_file_text *text)
{
    size_t i = 0;
    while (i < text->size && strchr(" \t\r\n", text->bytes[i]))
        i++;
    return i < text->size && (text->bytes[i] == '{' || text->bytes[i] == '[') && has_text(text, "\"execution_time_max_ms\"");
}

/* What Holoscan prints of an operator has these lines among others. */
static bool is_description(const struct weir_file_text *text)
{
    return has_line(text, "name:") && has_line(text, "resources:") && has_line(text, "spec:");
}

/* "WCET = ", as the response-time tools for Holoscan write it. */
static bool has_wcet(const struct weir_file_text *text)
{
    const char *end = text->bytes + text->size;
    for (const char *at = text->bytes; (at = weir_text_find(at, end, "WCET")); at++) {
        const char *after = at + 4;
        while (after < end && *after == ' ')
            after++;
        if (after < end && *after == '=')
            return true;
    }
    return false;
}

static bool is_summary(const struct weir_file_text *text)
{
    return has_line(text, "Data Flow Tracking Results:");
}

bool weir_evidence_is_log(const struct weir_file_text *text)
{
    return is_log(text) && !is_summary(text);
}

static enum weir_evidence_format format_of(const struct weir_file_text *text)
{
    if (weir_evidence_is_log(text))
        return WEIR_EVIDENCE_FLOW_LOG;
    if (is_summary(text))
        return WEIR_EVIDENCE_SUMMARY;
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
    struct weir_file_text text = {.bytes = bytes, .size = size};
    if (size && begins(bytes, bytes + size, "\xef\xbb\xbf")) {
        text.bytes += 3;
        text.size -= 3;
    }
    return text.size ? format_of(&text) : WEIR_EVIDENCE_NONE;
}

/* ---- loading ---- */

struct loading {
    struct weir_evidence *evidence;
    const struct weir_holoscan_options *options;
    struct weir_errors *errors;
    const char *path, *name; /* `name` is what messages say */
    uint32_t file;
    bool found; /* in a folder: one that is not known is left out */
};

static enum weir_status read_log(const struct loading *l, const char *bytes, size_t size)
{
    return weir_flow_log_gather(l->evidence, l->file,
                                &(struct weir_flow_reading){.path = l->path,
                                                            .bytes = bytes,
                                                            .size = size,
                                                            .progress = l->options->progress,
                                                            .context = l->options->context,
                                                            .errors = l->errors});
}

static void leave_out(const struct loading *l, size_t size)
{
    l->evidence->files[l->file].fragment = NULL;
    weir_evidence_note(l->evidence, (struct weir_evidence_place){.file = l->file},
                       size ? "this is not a file of a Holoscan application that weir knows; it is left out"
                            : "this file is empty; it is left out");
}

static enum weir_status load(struct loading *l)
{
    enum weir_evidence_format *format = &l->evidence->files[l->file].format;
    enum weir_status status = strcmp(l->path, "-") != 0 ? weir_evidence_format_file(l->path, format, l->errors) : WEIR_OK;
    char *bytes;
    size_t size;
    if (!status && *format == WEIR_EVIDENCE_FLOW_LOG)
        return read_log(l, NULL, 0);
    if (!status)
        status = weir_read_bytes(l->path, l->errors, &bytes, &size);
    if (status)
        return status;
    *format = weir_evidence_format_of(bytes, size < WEIR_EVIDENCE_SNIFF ? size : WEIR_EVIDENCE_SNIFF);
    if (*format == WEIR_EVIDENCE_NONE && l->found)
        leave_out(l, size);
    else if (*format == WEIR_EVIDENCE_NONE)
        status = weir_errors_add(
            l->errors, WEIR_INVALID, l->name, (struct weir_place){0, 0},
            size
                ? "this is not a file of a Holoscan application that weir knows: no log or summary of the flow tracker, graph with "
                  "times, port map, description of operators, application of GXF or job statistics; a model is given without --from"
                : "this file is empty");
    else
        status = *format == WEIR_EVIDENCE_FLOW_LOG ? read_log(l, bytes, size)
                                                   : weir_evidence_read(l->evidence, l->file, bytes, size, l->errors);
    weir_free(bytes);
    return status;
}

#define TOO_MANY "a model can be made of at most 64 files"

/* One file; `l` has the rest. */
static enum weir_status load_file(struct loading *l, const struct weir_holoscan_file *file)
{
    struct weir_evidence *e = l->evidence;
    if (e->file_count >= FILES_MAX)
        return weir_errors_add(l->errors, WEIR_INVALID, NULL, (struct weir_place){0, 0}, TOO_MANY);
    l->path = file->path;
    l->name = strcmp(file->path, "-") == 0 ? "<stdin>" : file->path;
    if (file->fragment && *file->fragment && !weir_text_is_name(file->fragment, strlen(file->fragment)))
        return weir_errors_add(l->errors, WEIR_INVALID, l->name, (struct weir_place){0, 0},
                               "the name of the fragment must be UTF-8 text without control characters");
    l->file = weir_evidence_add_file(e, l->name, file->times_only);
    if (file->fragment)
        weir_evidence_set_fragment(e, l->file, file->fragment);
    return e->out_of_memory ? WEIR_OK : load(l);
}

/* Every file of a folder; those that are not known are noted. */
static enum weir_status load_folder(struct loading *l, const struct weir_holoscan_file *folder)
{
    struct weir_recorded files = {0};
    enum weir_status status = weir_recorded_list(&files, folder, l->errors);
    bool known = false;
    l->found = true;
    for (size_t i = 0; i < files.count && !status && !l->evidence->out_of_memory; i++) {
        status = load_file(l, &files.files[i]);
        const struct weir_evidence *e = l->evidence;
        known |= !status && !e->out_of_memory && e->files && e->files[l->file].format != WEIR_EVIDENCE_NONE;
    }
    if (!status && !known && !l->evidence->out_of_memory)
        status = weir_errors_add(l->errors, WEIR_INVALID, folder->path, (struct weir_place){0, 0},
                                 files.count ? "weir recognises no file of a Holoscan application in this folder"
                                             : "this folder is empty");
    weir_recorded_free(&files);
    return status;
}

enum weir_status weir_holoscan_read(const struct weir_holoscan_options *options, struct weir_pipeline **pipeline,
                                    struct weir_errors *errors)
{
    struct weir_evidence evidence = {
        .notes = options->notes, .tail = options->tail, .skip = weir_skip_of(options->skip_first, options->skip_last)};
    enum weir_status status = WEIR_OK;
    *pipeline = NULL;
    if (options->file_count > FILES_MAX || options->margin_permille > 10000)
        return weir_errors_add(errors, WEIR_INVALID, NULL, (struct weir_place){0, 0},
                               options->file_count > FILES_MAX ? TOO_MANY : "the margin is at most 1000%%");
    if (evidence.skip.first > WEIR_HOLOSCAN_SKIP_MAX || evidence.skip.last > WEIR_HOLOSCAN_SKIP_MAX)
        return weir_errors_add(errors, WEIR_INVALID, NULL, (struct weir_place){0, 0}, "at most %d executions can be left out",
                               WEIR_HOLOSCAN_SKIP_MAX);
    for (size_t i = 0; i < options->file_count && !evidence.out_of_memory; i++) {
        const struct weir_holoscan_file *file = &options->files[i];
        struct loading l = {.evidence = &evidence, .options = options, .errors = errors};
        enum weir_status one = weir_recorded_in_folder(file->path) ? load_folder(&l, file) : load_file(&l, file);
        status = status ? status : one;
    }
    if (!status && evidence.out_of_memory)
        status = weir_errors_add(errors, WEIR_MEMORY, NULL, (struct weir_place){0, 0}, "out of memory");
    if (!status)
        status = weir_evidence_build(&evidence, options, pipeline, errors);
    weir_evidence_free(&evidence);
    return status;
}
