/* SPDX-License-Identifier: Apache-2.0 */
/* weir generate: random models of the papers, from a seed. */
#include "generate.h"

#include <string.h>

static const char help[] =
    "Usage: weir generate holoscan --nodes N [OPTION...]\n"
    "       weir generate priority [OPTION...]\n"
    "       weir generate flow [OPTION...]\n"
    "       weir generate gpu [OPTION...]\n"
    "\n"
    "Writes a random model. The same options and seed give the same bytes on every machine.\n"
    "\n"
    "  --seed S         seed of the random numbers (default 1)\n"
    "  --format F       yaml, json or dot; default: by the file's extension, else yaml\n"
    "  -o, --output OUT the file to write (default: standard output)\n"
    "  --help           this text\n"
    "\n"
    "holoscan: the random applications of the Holoscan papers. One source, one sink, no loops; worst-case times are whole\n"
    "numbers from 100 to 1000, all equally likely.\n"
    "\n"
    "  --nodes N        number of operators, 2 to 100000\n"
    "  --density P      probability of a further queue between two operators (default 0.2)\n"
    "  --best-ratio R   best-case time as a share of the worst, rounded down (default 0)\n"
    "  --queue N        capacity of every queue (default 1)\n"
    "\n"
    "priority: random task graphs on shared processors. The analysis chooses the queue capacities.\n"
    "\n"
    "  --graphs N       number of task graphs (default 1)\n"
    "  --tasks N        operators in each, at most 10000 in total (default 8)\n"
    "  --processors N   number of processors, 1 to 1024 (default 3)\n"
    "  --load U         mean utilisation of a processor, below 1 (default 0.6)\n"
    "  --best R         best-case time as a share of the worst, rounded down (default 0.5)\n"
    "  --jitter X       largest jitter in periods, at most 1000 (default 0)\n"
    "  --cyclic         add feedback queues with initial messages\n"
    "  --sporadic       the period is only the minimum time between inputs\n"
    "  --mixed          all scheduling policies; otherwise preemptive fixed priorities\n"
    "  --sized          give some queues a capacity\n"
    "  --system NAME    instead, a system of the execution-interval paper: wlan, wlan-two, jitter or jitter-reversed\n"
    "  --period T       ... with this period, such as 12.5us\n"
    "  --jitter T       ... with this jitter (default 0)\n"
    "\n"
    "flow: the random flowgraphs of the batching paper, on a pool of cores. Operators forward or decimate samples.\n"
    "\n"
    "  --nodes N        number of operators, 2 to 100000 (default 8)\n"
    "  --heavy          operators that cost four times as much\n"
    "  --rate HZ        rate of the source, in whole Hz (default 1000000)\n"
    "  --cores N        cores in the pool (default 4)\n"
    "  --system nbfm    instead, a narrowband FM receiver at 576 kHz, with measured costs\n"
    "\n"
    "gpu: graphs of kernels on a GPU. The random ones are those of the paper: layers of kernels between a source and a\n"
    "sink, with dependencies between adjacent layers. Loads are multiples of the minimum time of a kernel.\n"
    "\n"
    "  --shape NAME     random, gaussian, laplace or stencil (default random)\n"
    "  --sms N          SMs of the GPU (default 32)\n"
    "  --average-load N average load of a kernel (default 20)\n"
    "  --layers A..B    random: number of layers, with source and sink (default 5..8); --layers 6 means 6..6\n"
    "  --parallelism N  random: 2 to N kernels in a layer (default 8)\n"
    "  --edge-probability P\n"
    "                   random: probability of a dependency between kernels of adjacent layers (default 0.5)\n"
    "  --size N         gaussian: size of the matrix; laplace and stencil: N x N kernels (default 6)\n"
    "  --random-loads   gaussian, laplace, stencil: random loads instead of those of the algorithm\n"
    "\n"
    "P, R, U and X have at most three digits after the decimal point.\n"
    "\n"
    "Examples:\n"
    "  weir generate holoscan --nodes 10 --seed 7 | weir analyze -\n"
    "  weir generate holoscan --nodes 25 --density 0.1 --best-ratio 0.5 --queue 3 -o app.yaml\n"
    "  weir generate holoscan --nodes 8 --format dot | dot -Tsvg -o app.svg\n"
    "  weir generate priority --graphs 2 --tasks 6 --load 0.7 --jitter 1.5 --cyclic | weir analyze -\n"
    "  weir generate priority --system wlan --period 12.5us --jitter 25us -o decoder.yaml\n"
    "  weir generate flow --nodes 10 --seed 3 | weir explore - --batch rate\n"
    "  weir generate gpu --edge-probability 0.2 --sms 132 | weir analyze -\n"
    "  weir generate gpu --shape stencil --size 10 -o stencil.yaml\n"
    "\n"
    "Exit status: 0 the model was written; 2 wrong usage; 74 the file cannot be written.\n";

bool weir_permille_parse(const char *text, uint32_t most, uint32_t *permille)
{
    size_t whole = strspn(text, "0123456789");
    const char *fraction = text + whole + (text[whole] == '.');
    size_t digits = strspn(fraction, "0123456789");
    if (whole + digits == 0 || fraction[digits])
        return false;
    uint64_t value = 0;
    uint32_t weight = 100;
    for (size_t i = 0; i < whole && value <= most; i++)
        value = value * 10 + 1000 * (uint64_t)(text[i] - '0');
    for (size_t i = 0; i < digits; i++, weight /= 10) {
        if (weight == 0 && fraction[i] != '0')
            return false;
        value += weight * (uint64_t)(fraction[i] - '0');
    }
    *permille = (uint32_t)value;
    return value <= most;
}

enum weir_exit weir_generate_holoscan_model(const struct weir_generate_request *r, struct weir_pipeline **pipeline)
{
    struct weir_error error = {0};
    struct weir_generate_options options = {
        .nodes = (uint32_t)r->nodes, .seed = r->seed, .queue = (uint32_t)r->queue, .density_permille = 200};
    if (r->nodes == 0)
        return weir_complain_usage(r->verb, "how many operators? --nodes N");
    if (r->density && !weir_permille_parse(r->density, 1000, &options.density_permille))
        return weir_complain_usage(r->verb, "--density: expected a number from 0 to 1 such as 0.2, not '%s'", r->density);
    if (r->best_ratio && !weir_permille_parse(r->best_ratio, 1000, &options.best_permille))
        return weir_complain_usage(r->verb, "--best-ratio: expected a number from 0 to 1 such as 0.5, not '%s'", r->best_ratio);
    return weir_generate_holoscan(&options, pipeline, &error) == WEIR_OK ? WEIR_EXIT_OK : weir_complain_error(NULL, &error);
}

static enum weir_exit make_flow(const struct weir_generate_request *r, struct weir_pipeline **pipeline)
{
    struct weir_error error = {0};
    uint32_t cores = r->cores ? (uint32_t)r->cores : 4;
    struct weir_generate_flow_options options = {.seed = r->seed,
                                                 .nodes = r->nodes ? (uint32_t)r->nodes : 8,
                                                 .heavy = r->heavy,
                                                 .rate_hz = (int64_t)r->rate,
                                                 .cores = cores};
    if (r->system && strcmp(r->system, "nbfm") != 0)
        return weir_complain_usage(r->verb, "--system: there is only nbfm, not '%s'", r->system);
    if (r->system && (r->nodes || r->heavy || r->rate))
        return weir_complain_usage(r->verb, "--system goes with --cores alone: nothing else is random about it");
    enum weir_status status =
        r->system ? weir_generate_nbfm(cores, pipeline, &error) : weir_generate_flow(&options, pipeline, &error);
    return status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_error(NULL, &error);
}

/* ---- the command line ---- */

static const struct kind {
    const char *name;
    enum weir_exit (*make)(const struct weir_generate_request *request, struct weir_pipeline **pipeline);
} kinds[] = {{"holoscan", weir_generate_holoscan_model},
             {"priority", weir_generate_priority_model},
             {"flow", make_flow},
             {"gpu", weir_generate_gpu_model}};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const struct kind *find_kind(const struct weir_arguments *arguments)
{
    const char *names[KIND_COUNT], *word = arguments->count ? arguments->items[0] : NULL;
    if (!word) {
        weir_complain_usage(arguments->verb, "what kind of model? There are: holoscan, priority, flow, gpu");
        return NULL;
    }
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i].name;
        if (strcmp(word, names[i]) != 0)
            continue;
        if (arguments->count == 1)
            return &kinds[i];
        weir_complain_usage(arguments->verb, "one kind of model at a time, not also '%s'", arguments->items[1]);
        return NULL;
    }
    const char *nearest = weir_nearest(word, names, KIND_COUNT);
    if (nearest)
        weir_complain_usage(arguments->verb, "unknown kind of model '%s'; did you mean '%s'?", word, nearest);
    else
        weir_complain_usage(arguments->verb, "unknown kind of model '%s'; there are: holoscan, priority, flow, gpu", word);
    return NULL;
}

/* An option that only another kind has, or NULL. */
static const char *foreign_option(const struct kind *kind, const struct weir_generate_request *r)
{
    enum { HOLOSCAN = 1, PRIORITY = 2, FLOW = 4, GPU = 8 }; /* by place in kinds[] */
    const struct {
        const char *name;
        bool given;
        int kinds;
    } options[] = {
        {"nodes", r->nodes != 0, HOLOSCAN | FLOW},
        {"queue", r->queue != 0, HOLOSCAN},
        {"density", r->density, HOLOSCAN},
        {"best-ratio", r->best_ratio, HOLOSCAN},
        {"graphs", r->graphs != 0, PRIORITY},
        {"tasks", r->tasks != 0, PRIORITY},
        {"processors", r->processors != 0, PRIORITY},
        {"load", r->load, PRIORITY},
        {"jitter", r->jitter, PRIORITY},
        {"best", r->best, PRIORITY},
        {"system", r->system, PRIORITY | FLOW},
        {"period", r->period, PRIORITY},
        {"cyclic", r->cyclic, PRIORITY},
        {"sporadic", r->sporadic, PRIORITY},
        {"mixed", r->mixed, PRIORITY},
        {"sized", r->sized, PRIORITY},
        {"heavy", r->heavy, FLOW},
        {"rate", r->rate != 0, FLOW},
        {"cores", r->cores != 0, FLOW},
        {"shape", r->shape, GPU},
        {"sms", r->sms != 0, GPU},
        {"average-load", r->average_load != 0, GPU},
        {"layers", r->layers, GPU},
        {"parallelism", r->parallelism != 0, GPU},
        {"edge-probability", r->edge_probability, GPU},
        {"size", r->size != 0, GPU},
        {"random-loads", r->random_loads, GPU},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && !(options[i].kinds & (1 << (kind - kinds))))
            return options[i].name;
    return NULL;
}

static bool choose_format(const struct weir_verb *verb, const char *name, const char *path, enum weir_model_format *format)
{
    *format = name ? weir_model_format_named(name) : path ? weir_model_format_of(path) : WEIR_MODEL_YAML;
    if (*format == WEIR_MODEL_YAML || *format == WEIR_MODEL_JSON || *format == WEIR_MODEL_DOT)
        return true;
    if (name)
        weir_complain_usage(verb, "--format: expected yaml, json or dot, not '%s'", name);
    *format = WEIR_MODEL_YAML;
    return !name;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct weir_generate_request r = {.verb = arguments->verb, .seed = 1};
    const char *format_name = NULL, *path = NULL;
    enum weir_model_format format;
    const struct weir_option options[] = {
        {.name = "nodes", .kind = WEIR_OPTION_NUMBER, .value = &r.nodes, .low = 2, .high = 100000},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &r.seed, .high = UINT64_MAX},
        {.name = "density", .kind = WEIR_OPTION_TEXT, .value = &r.density},
        {.name = "best-ratio", .kind = WEIR_OPTION_TEXT, .value = &r.best_ratio},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &r.queue, .low = 1, .high = 1 << 30},
        {.name = "graphs", .kind = WEIR_OPTION_NUMBER, .value = &r.graphs, .low = 1, .high = 10000},
        {.name = "tasks", .kind = WEIR_OPTION_NUMBER, .value = &r.tasks, .low = 1, .high = 10000},
        {.name = "processors", .kind = WEIR_OPTION_NUMBER, .value = &r.processors, .low = 1, .high = 1024},
        {.name = "load", .kind = WEIR_OPTION_TEXT, .value = &r.load},
        {.name = "jitter", .kind = WEIR_OPTION_TEXT, .value = &r.jitter},
        {.name = "best", .kind = WEIR_OPTION_TEXT, .value = &r.best},
        {.name = "cyclic", .kind = WEIR_OPTION_FLAG, .value = &r.cyclic},
        {.name = "sporadic", .kind = WEIR_OPTION_FLAG, .value = &r.sporadic},
        {.name = "mixed", .kind = WEIR_OPTION_FLAG, .value = &r.mixed},
        {.name = "sized", .kind = WEIR_OPTION_FLAG, .value = &r.sized},
        {.name = "system", .kind = WEIR_OPTION_TEXT, .value = &r.system},
        {.name = "period", .kind = WEIR_OPTION_TEXT, .value = &r.period},
        {.name = "heavy", .kind = WEIR_OPTION_FLAG, .value = &r.heavy},
        {.name = "rate", .kind = WEIR_OPTION_NUMBER, .value = &r.rate, .low = 1, .high = 1000000000},
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &r.cores, .low = 1, .high = 65536},
        {.name = "shape", .kind = WEIR_OPTION_TEXT, .value = &r.shape},
        {.name = "sms", .kind = WEIR_OPTION_NUMBER, .value = &r.sms, .low = 1, .high = 65536},
        {.name = "average-load", .kind = WEIR_OPTION_NUMBER, .value = &r.average_load, .low = 1, .high = 1000000000},
        {.name = "layers", .kind = WEIR_OPTION_TEXT, .value = &r.layers},
        {.name = "parallelism", .kind = WEIR_OPTION_NUMBER, .value = &r.parallelism, .low = 2, .high = 100000},
        {.name = "edge-probability", .kind = WEIR_OPTION_TEXT, .value = &r.edge_probability},
        {.name = "size", .kind = WEIR_OPTION_NUMBER, .value = &r.size, .low = 2, .high = 300},
        {.name = "random-loads", .kind = WEIR_OPTION_FLAG, .value = &r.random_loads},
        {.name = "format", .kind = WEIR_OPTION_TEXT, .value = &format_name},
        {.name = "output", .letter = 'o', .kind = WEIR_OPTION_TEXT, .value = &path},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    const struct kind *kind = find_kind(arguments);
    if (!kind)
        return WEIR_EXIT_USAGE;
    const char *foreign = foreign_option(kind, &r);
    if (foreign)
        return weir_complain_usage(arguments->verb, "--%s is not an option of '%s'", foreign, kind->name);
    if (!choose_format(arguments->verb, format_name, path, &format))
        return WEIR_EXIT_USAGE;
    struct weir_pipeline *pipeline = NULL;
    enum weir_exit result = kind->make(&r, &pipeline);
    if (result == WEIR_EXIT_OK)
        result = weir_output_model(path, pipeline, format, 0, NULL);
    weir_pipeline_free(pipeline);
    return result;
}

const struct weir_verb weir_verb_generate = {"generate", "generate random models as in the papers, from a seed", help, run, NULL};
