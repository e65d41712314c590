/* SPDX-License-Identifier: Apache-2.0 */
/* weir convert: a model in another format. */
#include "cli.h"

#include <string.h>

static const char help[] =
    "Usage: weir convert MODEL -o OUT [OPTION...]\n"
    "\n"
    "Writes a model in another format, told by the ending of OUT: .yaml or .yml for a weir model, .dot or .gv for a DOT\n"
    "graph. A DOT graph has no place for periods, deadlines and receive times; a comment in it says what was left out.\n"
    "MODEL may be - for standard input, OUT may be - for standard output (then --to is needed).\n"
    "\n"
    "  -o, --output OUT  where to write; a file appears only when it is complete\n"
    "  --to FORMAT       yaml or dot, whatever the ending of OUT\n"
    "  --queue N         capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N   capacity of all queues, whatever the model says\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  weir convert graph.dot -o graph.yaml\n"
    "  weir convert camera.yaml --to dot -o - | dot -Tsvg -o camera.svg\n"
    "\n"
    "Exit status: 0 written; 3 the model cannot be read, or not be written in that format; 74 the file cannot be written.\n";

struct format {
    const char *name;
    const char *endings[2];
    enum weir_status (*write)(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);
};

static const struct format formats[] = {
    {"yaml", {".yaml", ".yml"}, weir_pipeline_write_yaml},
    {"dot", {".dot", ".gv"}, weir_pipeline_write_dot},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static const struct format *format_of_path(const char *path)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        for (size_t k = 0; k < 2; k++)
            if (ends_in(path, formats[i].endings[k]))
                return &formats[i];
    return NULL;
}

static const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static enum weir_exit convert(const char *in, const char *out, const struct format *format, const struct weir_read_options *options)
{
    struct weir_pipeline *pipeline;
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_model_read(in, options, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    result = weir_output_open(&output, out);
    if (result == WEIR_EXIT_OK) {
        enum weir_status status = format->write(pipeline, output.file, &error);
        bool unwritable = status != WEIR_OK && status != WEIR_IO; /* closing reports what the file did not take */
        if (unwritable)
            result = weir_complain_error(in, &error);
        result = weir_exit_worse(result, weir_output_close(&output, !unwritable));
    }
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    const char *out = NULL, *to = NULL;
    uint64_t queue = 0, force_queue = 0;
    const struct weir_option options[] = {
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &out},
        {.name = "to", .kind = WEIR_OPTION_TEXT, .value = &to},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &queue, .low = 1, .high = 1 << 30},
        {.name = "force-queue", .kind = WEIR_OPTION_NUMBER, .value = &force_queue, .low = 1, .high = 1 << 30},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count != 1)
        return weir_complain_usage(arguments->verb, "exactly one model is converted, not %zu", arguments->count);
    if (queue && force_queue)
        return weir_complain_usage(arguments->verb, "--queue and --force-queue exclude each other");
    if (!out)
        return weir_complain_usage(arguments->verb, "where to? Give -o OUT");
    const struct format *format = to ? format_named(to) : format_of_path(out);
    if (!format && to)
        return weir_complain_usage(arguments->verb, "unknown format '%s'; there are yaml and dot", to);
    if (!format)
        return weir_complain_usage(arguments->verb, "which format is '%s'? Let it end in .yaml or .dot, or give --to FORMAT", out);
    struct weir_read_options reading = {.queue = (uint32_t)(force_queue ? force_queue : queue), .force_queue = force_queue != 0};
    return convert(arguments->items[0], out, format, &reading);
}

const struct weir_verb weir_verb_convert = {"convert", "a model in another format: YAML, DOT", help, run};
