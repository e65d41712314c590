/* SPDX-License-Identifier: Apache-2.0 */
/* weir convert: a model in another format. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: weir convert MODEL -o OUT [OPTION...]\n"
    "\n"
    "Writes a model in another format, told by the ending of OUT:\n"
    "\n"
    "  .yaml .yml   yaml      a weir model\n"
    "  .json        json      a weir model as JSON\n"
    "  .dot .gv     dot       a DOT graph; a comment in it says what was left out\n"
    "  .sdf3.xml    sdf3      a homogeneous dataflow graph for SDF3\n"
    "  .xml         uppaal    timed automata for UPPAAL, and OUT.q with what to ask of them\n"
    "  .xta         xta       ... in UPPAAL's textual format\n"
    "  .tck         tchecker  timed automata for TChecker\n"
    "\n"
    "The first four can be read again and have the same answers. MODEL may be - for standard input, OUT may be - for\n"
    "standard output (then --to is needed).\n"
    "\n"
    "  -o, --output OUT  where to write; a file appears only when it is complete\n"
    "  --to FORMAT       the format, whatever the ending of OUT\n"
    "  --latency N       for UPPAAL and TChecker: which latency is measured, in the order of weir analyze --full; 1 when\n"
    "                    this is missing\n"
    "  --queue N         capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N   capacity of all queues, whatever the model says\n" WEIR_FLOWGRAPH_HELP
    "  --cores N                    of the pool they run on\n"
    "\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  weir convert graph.dot -o graph.yaml\n"
    "  weir convert camera.yaml --to dot -o - | dot -Tsvg -o camera.svg\n"
    "  weir convert camera.yaml -o camera.xml && verifyta camera.xml camera.xml.q\n"
    "\n"
    "Exit status: 0 written; 3 the model cannot be read, or not be written in that format; 74 the file cannot be written.\n";

struct conversion {
    const char *in, *out;
    enum weir_model_format format;
    uint32_t pair;
    const struct weir_pipeline *pipeline;
};

/* `out` may be another than the conversion's: the questions stand beside the answers. */
static enum weir_exit write_file(const struct conversion *c, const char *out, enum weir_model_format format)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, out);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = weir_pipeline_write(c->pipeline, format, c->pair, output.file, &error);
    bool unwritable = status != WEIR_OK && status != WEIR_IO; /* closing reports what the file did not take */
    if (unwritable)
        result = weir_complain_error(c->in, &error);
    return weir_exit_worse(result, weir_output_close(&output, !unwritable));
}

static enum weir_exit write_all(const struct conversion *c)
{
    enum weir_exit result = write_file(c, c->out, c->format);
    bool uppaal = c->format == WEIR_MODEL_UPPAAL || c->format == WEIR_MODEL_XTA;
    if (result != WEIR_EXIT_OK || !uppaal || strcmp(c->out, "-") == 0)
        return result;
    size_t bytes = strlen(c->out) + 3;
    char *beside = malloc(bytes);
    if (!beside) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    snprintf(beside, bytes, "%s.q", c->out);
    result = write_file(c, beside, WEIR_MODEL_UPPAAL_QUERIES);
    free(beside);
    return result;
}

static enum weir_exit convert(struct conversion *c, const struct weir_read_options *options)
{
    struct weir_pipeline *pipeline;
    enum weir_exit result = weir_model_read(c->in, options, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    c->pipeline = pipeline;
    result = write_all(c);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit complain_format(const struct weir_arguments *arguments, const char *to, const char *out)
{
    if (to)
        return weir_complain_usage(arguments->verb,
                                   "unknown format '%s'; there are yaml, json, dot, sdf3, uppaal, xta and tchecker", to);
    return weir_complain_usage(arguments->verb,
                               "which format is '%s'? Let it end in .yaml, .json, .dot, .sdf3.xml, .xml, .xta or .tck, or give "
                               "--to FORMAT",
                               out);
}

/* What the options say. */
struct settings {
    const char *out, *to;
    uint64_t queue, force_queue, latency, cores;
    struct weir_flowgraph_options flowgraph;
};

static enum weir_exit check_and_convert(const struct settings *settings, const struct weir_arguments *arguments)
{
    if (arguments->count != 1)
        return weir_complain_usage(arguments->verb, "exactly one model is converted, not %zu", arguments->count);
    if (settings->queue && settings->force_queue)
        return weir_complain_usage(arguments->verb, "--queue and --force-queue exclude each other");
    if (!settings->out)
        return weir_complain_usage(arguments->verb, "where to? Give -o OUT");
    enum weir_model_format format = settings->to ? weir_model_format_named(settings->to) : weir_model_format_of(settings->out);
    if (format == WEIR_MODEL_FORMATS || format == WEIR_MODEL_UPPAAL_QUERIES)
        return complain_format(arguments, settings->to, settings->out);
    struct weir_read_options reading = {.queue = (uint32_t)(settings->force_queue ? settings->force_queue : settings->queue),
                                        .force_queue = settings->force_queue != 0,
                                        .cores = (uint32_t)settings->cores};
    weir_flowgraph_fill(&settings->flowgraph, &reading);
    struct conversion conversion = {
        .in = arguments->items[0], .out = settings->out, .format = format, .pair = (uint32_t)(settings->latency - 1)};
    return convert(&conversion, &reading);
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings settings = {.latency = 1};
    struct weir_flowgraph_options *flowgraph = &settings.flowgraph;
    const struct weir_option options[] = {
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &settings.out},
        {.name = "to", .kind = WEIR_OPTION_TEXT, .value = &settings.to},
        {.name = "rate", .kind = WEIR_OPTION_LIST, .value = &flowgraph->rates},
        {.name = "source-rate", .kind = WEIR_OPTION_LIST, .value = &flowgraph->source_rates},
        {.name = "cost", .kind = WEIR_OPTION_LIST, .value = &flowgraph->costs},
        {.name = "costs", .kind = WEIR_OPTION_TEXT, .value = &flowgraph->costs_path},
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &settings.cores, .low = 1, .high = 65536},
        {.name = "latency", .kind = WEIR_OPTION_NUMBER, .value = &settings.latency, .low = 1, .high = UINT32_MAX},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &settings.queue, .low = 1, .high = 1 << 30},
        {.name = "force-queue", .kind = WEIR_OPTION_NUMBER, .value = &settings.force_queue, .low = 1, .high = 1 << 30},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = check_and_convert(&settings, arguments);
    weir_flowgraph_free(flowgraph);
    return result;
}

const struct weir_verb weir_verb_convert = {"convert", "a model in another format: YAML, DOT, SDF3, UPPAAL ...", help, run};
