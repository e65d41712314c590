/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN_MAX 10000 /* thousandths */

const char *weir_holoscan_usage(const struct weir_holoscan_arguments *arguments, size_t operands)
{
    uint32_t permille;
    if (!arguments->from.count && (arguments->times.count || arguments->margin || arguments->tail ||
                                   arguments->skip_first != WEIR_SKIP_USUAL || arguments->skip_last != WEIR_SKIP_USUAL))
        return "--times, --margin, --tail, --skip-first and --skip-last go with --from FILE, which says what is connected";
    if (arguments->from.count && operands)
        return "--from FILE takes the place of a model";
    if (arguments->margin && !weir_parse_percent(arguments->margin, MARGIN_MAX, &permille))
        return "--margin is a percentage from 0% to 1000%, with at most one digit after the point";
    return NULL;
}

static void print_notes(const struct weir_errors *notes)
{
    for (size_t i = 0; i < weir_errors_count(notes); i++) {
        const struct weir_error *note = weir_errors_at(notes, i);
        if (note->line)
            fprintf(stderr, "%s:%u: note: %s\n", note->file, note->line, note->message);
        else
            fprintf(stderr, "%s: note: %s\n", note->file, note->message);
    }
}

/* "left=portmap.yaml" is a file about the fragment "left". A file whose own name has a = in it is meant where a / or a dot stands
 * before that, as in "./a=b.yaml". False: out of memory. */
static bool split_fragment(struct weir_holoscan_file *file, char **fragment)
{
    size_t bytes = strcspn(file->path, "=./");
    if (bytes == 0 || file->path[bytes] != '=')
        return true;
    *fragment = strndup(file->path, bytes);
    file->fragment = *fragment;
    file->path += bytes + 1;
    return *fragment != NULL;
}

enum weir_exit weir_holoscan_load(const struct weir_holoscan_arguments *arguments, const struct weir_read_options *reading,
                                  struct weir_pipeline **pipeline)
{
    size_t count = arguments->from.count + arguments->times.count;
    struct weir_progress progress = {.what = "reading"};
    struct weir_holoscan_options options = {.file_count = count,
                                            .queue = reading->queue,
                                            .ports = reading->ports,
                                            .skip_first = (uint32_t)arguments->skip_first,
                                            .skip_last = (uint32_t)arguments->skip_last,
                                            .skeleton = true,
                                            .progress = weir_progress_show,
                                            .context = &progress};
    struct weir_holoscan_file *files = calloc(count, sizeof *files);
    char **fragments = calloc(count, sizeof *fragments);
    bool named = true;
    struct weir_errors *errors = weir_errors_new();
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    *pipeline = NULL;
    if (files && fragments && errors) {
        for (size_t i = 0; i < count; i++) {
            bool times = i >= arguments->from.count;
            files[i].path = times ? arguments->times.items[i - arguments->from.count] : arguments->from.items[i];
            files[i].times_only = times;
            named &= split_fragment(&files[i], &fragments[i]);
        }
        if (arguments->margin)
            weir_parse_percent(arguments->margin, MARGIN_MAX, &options.margin_permille);
        options.tail = arguments->tail;
        options.files = files;
        options.notes = weir_errors_new(); /* without memory there are no notes */
        enum weir_status status = named ? weir_holoscan_read(&options, pipeline, errors) : WEIR_MEMORY;
        weir_progress_end(&progress);
        print_notes(options.notes);
        weir_errors_free(options.notes);
        result = status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_errors(errors, status);
    } else {
        weir_complain("out of memory");
    }
    weir_errors_free(errors);
    for (size_t i = 0; fragments && i < count; i++)
        free(fragments[i]);
    free(fragments);
    free(files);
    return result;
}

void weir_holoscan_free(struct weir_holoscan_arguments *arguments)
{
    free((void *)arguments->from.items);
    free((void *)arguments->times.items);
}
