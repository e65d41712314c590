/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an application, each handed to its reader by what it holds. A log is never in memory as a whole, unless it comes
 * through a pipe, which can be read only once. */
#include "read/draft.h"
#include "read/holoscan/evidence_build.h"
#include "read/holoscan/flow_log.h"

#include <string.h>
#include <sys/stat.h>

#define FILES_MAX 64

struct loading {
    struct weir_evidence *evidence;
    const struct weir_holoscan_options *options;
    struct weir_errors *errors;
    const char *path, *name; /* `name` is what messages say */
    uint32_t file;
};

/* The format of a file by its beginning. *again: it can be read once more. */
static enum weir_status sniff(const struct loading *l, enum weir_evidence_format *format, bool *again)
{
    struct stat about;
    *format = WEIR_EVIDENCE_NONE;
    *again = strcmp(l->path, "-") != 0 && stat(l->path, &about) == 0 && S_ISREG(about.st_mode);
    return strcmp(l->path, "-") != 0 ? weir_evidence_format_file(l->path, format, l->errors) : WEIR_OK;
}

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

static enum weir_status read_bytes(const struct loading *l, enum weir_evidence_format format, const char *bytes, size_t size)
{
    switch (format) {
    case WEIR_EVIDENCE_FLOW_LOG:
        return read_log(l, bytes, size);
    case WEIR_EVIDENCE_SUMMARY:
        return weir_evidence_read_summary(l->evidence, l->file, bytes, size, l->errors);
    case WEIR_EVIDENCE_PERF_GRAPH:
        return weir_evidence_read_perf_graph(l->evidence, l->file, bytes, size, l->errors);
    case WEIR_EVIDENCE_PORT_MAP:
        return weir_evidence_read_port_map(l->evidence, l->file, bytes, size, l->errors);
    case WEIR_EVIDENCE_GXF:
        return weir_evidence_read_gxf(l->evidence, l->file, bytes, size, l->errors);
    case WEIR_EVIDENCE_JOB_STATISTICS:
        return weir_evidence_read_job_statistics(l->evidence, l->file, bytes, size, l->errors);
    case WEIR_EVIDENCE_DESCRIPTION:
        return weir_evidence_read_description(l->evidence, l->file, bytes, size, l->errors);
    case WEIR_EVIDENCE_NONE:
    case WEIR_EVIDENCE_FORMATS:
        break;
    }
    return weir_errors_add(
        l->errors, WEIR_INVALID, l->name, (struct weir_place){0, 0},
        size ? "this is no file of a Holoscan application that weir knows: no log or summary of the flow tracker, graph with "
               "times, port map, description of operators, application of GXF or job statistics; a model is given without --from"
             : "this file is empty");
}

static enum weir_status load(struct loading *l)
{
    enum weir_evidence_format format;
    bool again;
    enum weir_status status = sniff(l, &format, &again);
    if (status)
        return status;
    l->evidence->files[l->file].format = format;
    if (format == WEIR_EVIDENCE_FLOW_LOG)
        return read_log(l, NULL, 0);
    char *bytes;
    size_t size;
    status = weir_read_bytes(l->path, l->errors, &bytes, &size);
    if (status)
        return status;
    if (!again)
        format = weir_evidence_format_of(bytes, size < WEIR_EVIDENCE_SNIFF ? size : WEIR_EVIDENCE_SNIFF);
    l->evidence->files[l->file].format = format;
    status = read_bytes(l, format, bytes, size);
    weir_free(bytes);
    return status;
}

enum weir_status weir_holoscan_read(const struct weir_holoscan_options *options, struct weir_pipeline **pipeline,
                                    struct weir_errors *errors)
{
    struct weir_evidence evidence = {.notes = options->notes};
    enum weir_status status = WEIR_OK;
    *pipeline = NULL;
    if (options->file_count > FILES_MAX || options->margin_permille > 10000)
        return weir_errors_add(errors, WEIR_INVALID, NULL, (struct weir_place){0, 0},
                               options->file_count > FILES_MAX ? "at most 64 files make a model" : "the margin is at most 1000%%");
    for (size_t i = 0; i < options->file_count && !evidence.out_of_memory; i++) {
        const struct weir_holoscan_file *file = &options->files[i];
        struct loading l = {.evidence = &evidence, .options = options, .errors = errors, .path = file->path};
        l.name = strcmp(file->path, "-") == 0 ? "<stdin>" : file->path;
        l.file = weir_evidence_add_file(&evidence, l.name, file->times_only);
        if (file->fragment)
            weir_evidence_set_fragment(&evidence, l.file, file->fragment);
        enum weir_status one = evidence.out_of_memory ? WEIR_OK : load(&l);
        status = status ? status : one;
    }
    if (!status && evidence.out_of_memory)
        status = weir_errors_add(errors, WEIR_MEMORY, NULL, (struct weir_place){0, 0}, "out of memory");
    if (!status)
        status = weir_evidence_build(&evidence, options, pipeline, errors);
    weir_evidence_free(&evidence);
    return status;
}
