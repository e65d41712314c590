/* SPDX-License-Identifier: Apache-2.0 */
/* weir convert: a model in another format. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: weir convert MODEL -o OUT [OPTION...]\n"
    "       weir convert --from FILE|FOLDER... [--times FILE...] -o OUT [OPTION...]\n"
    "\n"
    "Writes a model in another format, chosen by the extension of OUT:\n"
    "\n"
    "  .yaml .yml   yaml      a weir model\n"
    "  .json        json      a weir model as JSON\n"
    "  .dot .gv     dot       a DOT graph, with a comment on what it leaves out\n"
    "  .sdf3.xml    sdf3      a homogeneous dataflow graph for SDF3\n"
    "  .xml         uppaal    timed automata for UPPAAL, with the queries in OUT.q\n"
    "  .xta         xta       ... in UPPAAL's textual format\n"
    "  .tck         tchecker  timed automata for TChecker\n"
    "  .cu          cuda      the plan of a kernel graph as a CUDA program, for nvcc\n"
    "  .c           cuda-c    ... for any C compiler; it needs only the CUDA driver, and only to run\n"
    "  .plan        gpu-plan  ... for applications, which read it with weir_gpu_plan.h\n"
    "\n"
    "weir reads the first four formats back with the same answers. MODEL can be - for standard input, OUT can be - for\n"
    "standard output (with --to).\n"
    "\n"
    "  -o, --output OUT  where to write; the file appears only once it is complete\n"
    "  --to FORMAT       the format, whatever the extension of OUT\n"
    "  --latency N       for UPPAAL and TChecker: the latency to measure, in the order of weir analyze --full (default 1)\n"
    "  --method NAME     for CUDA: how the launches are planned (default best)\n"
    "  --no-split        for CUDA: do not split kernels that could be launched in parts\n"
    "  --launches FILE   for CUDA: launch the kernels of an object as FILE says, each in a green context with its SMs,\n"
    "                    instead of kernels that spin; FILE is that of weir gpu profile\n"
    "  --queue N         capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N   capacity of all queues, whatever the model says\n"
    "  --ports HOW       shared, separate or unknown: whether the receivers of an operator are connected to one port (where\n"
    "                    Holoscan inserts a broadcast) if no file says; unknown: answers about the model hold for both\n"
    "\n"
    "From the files of a Holoscan application: Data Flow Tracking logs and printed summaries, port maps, graphs with times,\n"
    "operator descriptions, GXF applications, job statistics. --from and --times can be given several times. What is\n"
    "missing or contradictory is reported; a time that no file contains is written as TODO:\n"
    "  --from FILE       read connections, and times if the file has them\n"
    "  --times FILE      read only times; connections are merely compared\n"
    "  --from NAME=FILE  ... for the fragment NAME of a distributed application, with operators named NAME.OPERATOR\n"
    "  --from FOLDER     read all files in it, as weir-holoscan writes them; a subfolder is a fragment\n"
    "  --margin P%       add P percent to the observed worst cases, and take it off the best cases\n"
    "  --tail N          extrapolate worst cases that, at 95 % confidence, one execution in N exceeds (N >= 100)\n"
    "  --skip-first N    leave out the times of the first N executions of each operator in a log: start-up\n"
    "  --skip-last N     ... and of the last N; without either, 10 each of those with at least 100, as HoloHub's tools do\n"
    "\n"
    "For kernel graphs:\n" WEIR_KERNEL_HELP WEIR_FLOWGRAPH_HELP "  --cores N                    number of cores in the pool\n"
    "\n"
    "  --help            this text\n";

static const char more[] =
    "\n"
    "Examples:\n"
    "  weir convert graph.dot -o graph.yaml\n"
    "  weir convert camera.yaml --to dot -o - | dot -Tsvg -o camera.svg\n"
    "  weir convert camera.yaml -o camera.xml && verifyta camera.xml camera.xml.q\n"
    "  weir convert --from portmap.yaml --times flow.log --times jobs.json --margin 20% -o app.yaml\n"
    "  weir-holoscan record -o recording -- python3 app.py && weir convert --from recording -o app.yaml\n"
    "  weir convert --from left=left.yaml --from right=right.yaml --from fragments.yaml --times flow.log -o app.yaml\n"
    "  weir convert kernels.yaml -o plan.c && cc -O2 plan.c -o plan -ldl && ./plan --runs 1000\n"
    "\n"
    "Exit status: 0 the file was written; 2 wrong usage; 3 the model cannot be read, or cannot be written in that format;\n"
    "74 the file cannot be written.\n";

/* Not formats of models: what a plan becomes. */
static const struct program {
    const char *name, *ending;
    enum weir_gpu_program program;
} programs[] = {{"cuda", ".cu", WEIR_GPU_CUDA}, {"cuda-c", ".c", WEIR_GPU_C}, {"gpu-plan", ".plan", WEIR_GPU_PLAN}};

struct conversion {
    const struct weir_queue_options *queues;
    const char *in, *out;
    enum weir_model_format format;
    const struct program *program; /* NULL: the model itself is written */
    struct weir_gpu_options planning;
    const char *launches;
    uint32_t chain;
    const struct weir_pipeline *pipeline;
    const struct weir_holoscan_arguments *application; /* NULL: from a model */
};

enum weir_exit weir_output_model(const char *path, const struct weir_pipeline *pipeline, enum weir_model_format format,
                                 uint32_t chain, const char *title)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    return weir_output_finish(&output, weir_pipeline_write(pipeline, format, chain, output.file, &error), &error, title);
}

static enum weir_exit write_all(const struct conversion *c)
{
    enum weir_exit result = weir_output_model(c->out, c->pipeline, c->format, c->chain, c->in);
    bool uppaal = c->format == WEIR_MODEL_UPPAAL || c->format == WEIR_MODEL_XTA;
    if (result != WEIR_EXIT_OK || !uppaal || strcmp(c->out, "-") == 0)
        return result;
    size_t bytes = strlen(c->out) + 3;
    char *beside = malloc(bytes);
    if (!beside)
        return weir_complain_memory();
    snprintf(beside, bytes, "%s.q", c->out);
    result = weir_output_model(beside, c->pipeline, WEIR_MODEL_UPPAAL_QUERIES, c->chain, c->in);
    free(beside);
    return result;
}

/* The program or the plan, of kernels that spin or of those of a sheet. */
static enum weir_exit write_plan(const struct conversion *c, const struct weir_gpu_plan *plan, const struct weir_gpu_sheet *sheet)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, c->out);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_gpu_program program = c->program->program;
    enum weir_status status = sheet || program == WEIR_GPU_PLAN ? weir_gpu_write_launches(plan, sheet, program, output.file, &error)
                                                                : weir_gpu_write_program(plan, program, output.file, &error);
    return weir_output_finish(&output, status, &error, c->in);
}

static enum weir_exit write_program(const struct conversion *c)
{
    struct weir_gpu_plan *plan = NULL;
    struct weir_gpu_sheet *sheet = NULL;
    struct weir_error error = {0};
    enum weir_exit result = WEIR_EXIT_OK;
    if (weir_pipeline_platform(c->pipeline) != WEIR_PLATFORM_GPU) {
        weir_complain("%s: only graphs of kernels on a GPU can be written as programs", c->in);
        return WEIR_EXIT_INPUT;
    }
    if (c->launches)
        result = weir_sheet_load(c->launches, &sheet);
    if (result == WEIR_EXIT_OK && weir_gpu_analyze(c->pipeline, &c->planning, &plan, &error))
        result = weir_complain_error(c->in, &error);
    if (plan)
        result = write_plan(c, plan, sheet);
    weir_gpu_plan_free(plan);
    weir_gpu_sheet_free(sheet);
    return result;
}

static enum weir_exit convert(struct conversion *c, const struct weir_read_options *options)
{
    struct weir_pipeline *pipeline;
    enum weir_exit result =
        c->application ? weir_holoscan_load(c->application, options, &pipeline) : weir_model_read(c->in, options, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    c->pipeline = pipeline;
    struct weir_error error = {0};
    if (!c->application && !weir_queue_applies(c->queues, pipeline, c->in, &error))
        result = weir_complain_usage(&weir_verb_convert, "%s", error.message);
    else
        result = c->program ? write_program(c) : write_all(c);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit complain_format(const struct weir_arguments *arguments, const char *to, const char *out)
{
    if (to)
        return weir_complain_usage(arguments->verb,
                                   "unknown format '%s'; there are yaml, json, dot, sdf3, uppaal, xta, tchecker, cuda, cuda-c and"
                                   " gpu-plan",
                                   to);
    return weir_complain_usage(
        arguments->verb,
        "which format is '%s'? Let it end in .yaml, .json, .dot, .sdf3.xml, .xml, .xta, .tck, .cu, .c or .plan, "
        "or give --to FORMAT",
        out);
}

/* What the options say. */
struct settings {
    const char *out, *to, *method, *launches;
    bool no_split;
    struct weir_queue_options queues;
    uint64_t latency, cores;
    const char *ports;
    struct weir_flowgraph_options flowgraph;
    struct weir_kernel_options kernels;
    struct weir_holoscan_arguments application;
};

static const struct program *find_program(const struct settings *settings)
{
    size_t length = strlen(settings->out);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        size_t tail = strlen(programs[i].ending);
        bool ends = length > tail && strcmp(settings->out + length - tail, programs[i].ending) == 0;
        if (settings->to ? strcmp(settings->to, programs[i].name) == 0 : ends)
            return &programs[i];
    }
    return NULL;
}

/* False when there is no such method. */
static bool fill_planning(const struct settings *settings, struct weir_gpu_options *planning)
{
    bool whole = settings->no_split || settings->launches; /* a kernel as it is does all of its work */
    *planning = (struct weir_gpu_options){.no_split = whole, .verify = true};
    if (settings->method)
        planning->method = weir_gpu_method_named(settings->method);
    return planning->method != WEIR_GPU_METHODS;
}

static enum weir_exit check_and_convert(const struct settings *settings, const struct weir_arguments *arguments)
{
    bool application = settings->application.from.count > 0;
    const char *wrong = weir_holoscan_usage(&settings->application, arguments->count);
    if (wrong)
        return weir_complain_usage(arguments->verb, "%s", wrong);
    if (!application && arguments->count != 1)
        return weir_complain_usage(arguments->verb, "weir convert takes exactly one model, not %zu", arguments->count);
    if (application && settings->queues.all)
        return weir_complain_usage(arguments->verb, "--force-queue is for models; give --queue with --from");
    struct weir_read_options reading = {.cores = (uint32_t)settings->cores};
    if (!weir_queue_fill(arguments->verb, &settings->queues, &reading))
        return WEIR_EXIT_USAGE;
    if (!settings->out)
        return weir_complain_usage(arguments->verb, "where to? Give -o OUT");
    enum weir_model_format format = settings->to ? weir_model_format_named(settings->to) : weir_model_format_of(settings->out);
    const struct program *program = find_program(settings);
    if (!program && (format == WEIR_MODEL_FORMATS || format == WEIR_MODEL_UPPAAL_QUERIES))
        return complain_format(arguments, settings->to, settings->out);
    if (!program && (settings->method || settings->no_split || settings->launches))
        return weir_complain_usage(arguments->verb, "--method, --no-split and --launches are for plans: write .cu, .c or .plan");
    if (!weir_ports_read(arguments->verb, settings->ports, &reading.ports))
        return WEIR_EXIT_USAGE;
    weir_flowgraph_fill(&settings->flowgraph, &reading);
    weir_kernel_fill(&settings->kernels, &reading);
    struct conversion conversion = {.in = application ? settings->application.from.items[0] : arguments->items[0],
                                    .application = application ? &settings->application : NULL,
                                    .queues = &settings->queues,
                                    .out = settings->out,
                                    .format = format,
                                    .program = program,
                                    .launches = settings->launches,
                                    .chain = (uint32_t)(settings->latency - 1)};
    if (!fill_planning(settings, &conversion.planning))
        return weir_complain_usage(arguments->verb,
                                   "unknown method '%s'; there are best, safe, paper, greedy, greedy-unaware and graham",
                                   settings->method);
    return convert(&conversion, &reading);
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings settings = {.latency = 1, .application = {.skip_first = WEIR_SKIP_USUAL, .skip_last = WEIR_SKIP_USUAL}};
    const struct weir_option options[] = {
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &settings.out},
        {.name = "to", .kind = WEIR_OPTION_TEXT, .value = &settings.to},
        {.name = "method", .kind = WEIR_OPTION_TEXT, .value = &settings.method},
        {.name = "no-split", .kind = WEIR_OPTION_FLAG, .value = &settings.no_split},
        {.name = "launches", .kind = WEIR_OPTION_TEXT, .value = &settings.launches},
        WEIR_FLOWGRAPH_OPTIONS(settings.flowgraph),
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &settings.cores, .low = 1, .high = 65536},
        WEIR_KERNEL_OPTIONS(settings.kernels),
        {.name = "from", .kind = WEIR_OPTION_LIST, .value = &settings.application.from},
        {.name = "times", .kind = WEIR_OPTION_LIST, .value = &settings.application.times},
        {.name = "margin", .kind = WEIR_OPTION_TEXT, .value = &settings.application.margin},
        {.name = "tail",
         .kind = WEIR_OPTION_NUMBER,
         .value = &settings.application.tail,
         .low = 100,
         .high = UINT64_C(1000000000000)},
        {.name = "skip-first",
         .kind = WEIR_OPTION_NUMBER,
         .value = &settings.application.skip_first,
         .low = 0,
         .high = WEIR_HOLOSCAN_SKIP_MAX},
        {.name = "skip-last",
         .kind = WEIR_OPTION_NUMBER,
         .value = &settings.application.skip_last,
         .low = 0,
         .high = WEIR_HOLOSCAN_SKIP_MAX},
        {.name = "latency", .kind = WEIR_OPTION_NUMBER, .value = &settings.latency, .low = 1, .high = UINT32_MAX},
        WEIR_QUEUE_OPTIONS(settings.queues),
        {.name = "ports", .kind = WEIR_OPTION_TEXT, .value = &settings.ports},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = check_and_convert(&settings, arguments);
    weir_flowgraph_free(&settings.flowgraph);
    weir_holoscan_free(&settings.application);
    return result;
}

const struct weir_verb weir_verb_convert = {"convert", "write a model in another format: YAML, DOT, SDF3, UPPAAL ...", help, run,
                                            more};
