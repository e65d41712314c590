/* SPDX-License-Identifier: Apache-2.0 */
/* Getting the bytes, telling the formats apart, and handing a draft to its reader. */
#include "read/draft.h"
#include "read/gnuradio/grc.h"
#include "read/holoscan/evidence.h"
#include "read/text.h"
#include "read/yaml/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEBIBYTE (UINT64_C(1) << 20)

static bool line_begins(const struct weir_file_text *text, size_t begin, const char *with)
{
    size_t bytes = strlen(with);
    return text->size - begin >= bytes && memcmp(text->bytes + begin, with, bytes) == 0;
}

/* Whether YAML holds a flowgraph: no model has keys of these names. */
static bool is_flowgraph(const struct weir_file_text *text)
{
    bool options = false, blocks = false, connections = false;
    for (size_t begin = 0; begin < text->size && !(blocks && (options || connections));) {
        options |= line_begins(text, begin, "options:");
        blocks |= line_begins(text, begin, "blocks:");
        connections |= line_begins(text, begin, "connections:");
        const char *end = memchr(text->bytes + begin, '\n', text->size - begin);
        begin = end ? (size_t)(end - text->bytes) + 1 : text->size;
    }
    return blocks && (options || connections);
}

/* Whether the first element is that of flowgraphs before GNU Radio 3.8. */
static bool is_old_flowgraph(const struct weir_file_text *text)
{
    for (size_t i = 0; i + 1 < text->size; i++)
        if (text->bytes[i] == '<' && text->bytes[i + 1] != '?' && text->bytes[i + 1] != '!')
            return line_begins(text, i, "<flow_graph");
    return false;
}

static void read_yaml(struct weir_draft *d, const struct weir_file_text *text)
{
    const struct weir_place start = {1, 1};
    bool flowgraph = is_flowgraph(text);
    uint64_t most = flowgraph ? WEIR_GRC_BYTES_MAX : WEIR_READ_YAML_BYTES_MAX;
    if (text->size > most)
        weir_draft_mistake(d, start, "this file is too large: %s have up to %u MiB%s", flowgraph ? "flowgraphs" : "YAML models",
                           (unsigned)(most / MEBIBYTE), flowgraph ? "" : "; a graph in DOT may be larger");
    else
        (flowgraph ? weir_read_grc : weir_read_yaml)(d, text);
}

static void refuse_options(struct weir_draft *d, enum weir_format format, const struct weir_file_text *text)
{
    const struct weir_read_options *o = d->options;
    bool given = o->rate_count || o->source_rate_count || o->cost_count || o->costs_path;
    if (given && !(format == WEIR_FORMAT_YAML && is_flowgraph(text)))
        weir_draft_mistake(d, (struct weir_place){0, 0},
                           "--rate, --source-rate, --cost and --costs are for flowgraphs of GNU Radio");
    if (o->kernel_times && !(format == WEIR_FORMAT_DOT && weir_text_is_cuda(text)))
        weir_draft_mistake(d, (struct weir_place){0, 0}, "--kernel-times is for the graphs that cudaGraphDebugDotPrint writes");
}

static void read_text(struct weir_draft *d, struct weir_file_text *text)
{
    if (!weir_text_check(d, text))
        return;
    const struct weir_place start = {1, 1};
    enum weir_format format = weir_text_format(text);
    if (weir_evidence_is_log(text)) {
        weir_draft_mistake(d, start,
                           "this is a log of Holoscan's flow tracker; make a model of it: weir convert --from LOG -o MODEL");
        return;
    }
    refuse_options(d, format, text);
    switch (format) {
    case WEIR_FORMAT_NONE:
        weir_draft_mistake(d, start, "%s: expected a model (\"operators:\" ...) or a graph (\"digraph {\" ...)",
                           text->size ? "there is nothing but space and comments here" : "this file is empty");
        break;
    case WEIR_FORMAT_DOT:
        (weir_text_is_cuda(text) ? weir_read_cuda : weir_read_dot)(d, text);
        break;
    case WEIR_FORMAT_XML:
        if (is_old_flowgraph(text))
            weir_draft_mistake(d, start,
                               "this is a flowgraph from before GNU Radio 3.8; open it in GNU Radio Companion and save it again");
        else
            weir_read_sdf3(d, text);
        break;
    case WEIR_FORMAT_YAML:
        read_yaml(d, text);
        break;
    }
}

/* ---- files ---- */

struct loading {
    const char *path, *file; /* `file` is what messages say */
    struct weir_errors *errors;
    size_t most; /* bytes of a file that can be read again; 0: all of any file */
    char *bytes;
    size_t size, capacity;
};

static enum weir_status fail_io(const struct loading *l, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return weir_errors_add(l->errors, WEIR_IO, l->file, (struct weir_place){0, 0}, "cannot read this file: %s", reason);
}

static enum weir_status fail_size(const struct loading *l)
{
    return weir_errors_add(l->errors, WEIR_INVALID, l->file, (struct weir_place){0, 0},
                           "this file is too large: the most is %u MiB", (unsigned)(WEIR_READ_BYTES_MAX / MEBIBYTE));
}

static enum weir_status fail_room(const struct loading *l)
{
    return weir_errors_add(l->errors, WEIR_MEMORY, l->file, (struct weir_place){0, 0}, "out of memory");
}

/* Ends early at a NUL: what follows does not make a model of it, and a device may never end. */
static enum weir_status load_bytes(struct loading *l, int descriptor)
{
    for (;;) {
        if (l->size > WEIR_READ_BYTES_MAX)
            return fail_size(l);
        if (!weir_reserve(&l->bytes, &l->capacity, l->size + 1, 1))
            return fail_room(l);
        ssize_t got = read(descriptor, l->bytes + l->size, l->capacity - l->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_io(l, errno);
        bool binary = memchr(l->bytes + l->size, 0, (size_t)got) != NULL;
        l->size += (size_t)got;
        if (got == 0 || binary || (l->most && l->size >= l->most))
            return WEIR_OK;
    }
}

static enum weir_status load(struct loading *l)
{
    bool standard = strcmp(l->path, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(l->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_io(l, errno);
    struct stat about;
    enum weir_status status = WEIR_OK;
    if (fstat(descriptor, &about) != 0) {
        status = fail_io(l, errno);
    } else if (S_ISDIR(about.st_mode)) {
        status = fail_io(l, EISDIR);
    } else if (!l->most && S_ISREG(about.st_mode) && (uint64_t)about.st_size > WEIR_READ_BYTES_MAX) {
        status = fail_size(l);
    } else if (!l->most || S_ISREG(about.st_mode)) {
        size_t expected = l->most ? l->most : S_ISREG(about.st_mode) ? (size_t)about.st_size + 4096 : 4096;
        bool whole = weir_reserve(&l->bytes, &l->capacity, expected, 1); /* one block; for a file, a smaller start may do */
        status = whole || !l->most ? load_bytes(l, descriptor) : fail_room(l);
    }
    if (!standard)
        close(descriptor);
    return status;
}

/* At most so many bytes, as in loading. */
static enum weir_status read_some(const char *path, size_t most, struct weir_errors *errors, char **bytes, size_t *size)
{
    struct loading l = {.path = path, .file = strcmp(path, "-") == 0 ? "<stdin>" : path, .errors = errors, .most = most};
    enum weir_status status = load(&l);
    if (status)
        weir_free(l.bytes);
    *bytes = status ? NULL : l.bytes;
    *size = status ? 0 : l.size;
    return status;
}

enum weir_status weir_read_bytes(const char *path, struct weir_errors *errors, char **bytes, size_t *size)
{
    return read_some(path, 0, errors, bytes, size);
}

enum weir_status weir_evidence_format_file(const char *path, enum weir_evidence_format *format, struct weir_errors *errors)
{
    char *bytes;
    size_t size;
    enum weir_status status = read_some(path, WEIR_EVIDENCE_SNIFF, errors, &bytes, &size);
    *format = weir_evidence_format_of(bytes, size);
    weir_free(bytes);
    return status;
}

enum weir_status weir_draft_read_text(struct weir_draft *d, const char *path, uint64_t most, const char *what,
                                      struct weir_file_text *text)
{
    enum weir_status status = weir_read_bytes(path, d->errors, &text->owned, &text->size);
    d->mistakes += status != WEIR_OK;
    d->out_of_memory |= status == WEIR_MEMORY;
    text->bytes = text->owned;
    d->file = path;
    if (!status && text->size > most)
        weir_draft_mistake(d, (struct weir_place){0, 0}, "this file is too large: %s have up to %u MiB", what,
                           (unsigned)(most >> 20));
    return status ? status : text->size <= most && weir_text_check(d, text) ? WEIR_OK : WEIR_INVALID;
}

/* Makes a pipeline of what was read, if it is enough to look for further mistakes. */
static enum weir_status seal(struct weir_draft *d, struct weir_pipeline **pipeline)
{
    enum weir_status status = d->mistakes ? WEIR_INVALID : WEIR_OK;
    if (!d->out_of_memory && (d->operator_count || !d->mistakes))
        status = weir_draft_seal(d, pipeline);
    return weir_draft_finish(d, status);
}

/* Reads the text, which is freed if it may be, and makes a pipeline of it. */
static enum weir_status make(struct weir_file_text *text, const char *file, const struct weir_read_options *options,
                             struct weir_pipeline **pipeline, struct weir_errors *errors)
{
    struct weir_read_options none = {0};
    struct weir_draft d = {.file = file, .errors = errors, .options = options ? options : &none};
    if (weir_draft_init(&d))
        read_text(&d, text);
    weir_free(text->owned); /* before the pipeline is built: both may be large */
    return seal(&d, pipeline);
}

enum weir_status weir_read_node(const struct weir_yaml_node *root, const char *file, const struct weir_read_options *options,
                                struct weir_pipeline **pipeline, struct weir_errors *errors)
{
    struct weir_draft d = {.file = file, .errors = errors, .options = options};
    *pipeline = NULL;
    if (weir_draft_init(&d))
        weir_read_yaml_node(&d, root);
    return seal(&d, pipeline);
}

enum weir_status weir_read_memory(const char *bytes, size_t size, const char *file, const struct weir_read_options *options,
                                  struct weir_pipeline **pipeline, struct weir_errors *errors)
{
    struct weir_file_text text = {.bytes = bytes, .size = size};
    *pipeline = NULL;
    if (size > WEIR_READ_BYTES_MAX)
        return weir_errors_add(errors, WEIR_INVALID, file, (struct weir_place){0, 0}, "this text is too large: the most is %u MiB",
                               (unsigned)(WEIR_READ_BYTES_MAX / MEBIBYTE));
    return make(&text, file, options, pipeline, errors);
}

enum weir_status weir_read_file(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                struct weir_errors *errors)
{
    struct weir_file_text text = {0};
    *pipeline = NULL;
    enum weir_status status = weir_read_bytes(path, errors, &text.owned, &text.size);
    text.bytes = text.owned;
    return status ? status : make(&text, strcmp(path, "-") == 0 ? "<stdin>" : path, options, pipeline, errors);
}
