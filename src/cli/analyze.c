/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze: how late each model can be. */
#include "answer/answer.h"
#include "answer/beside.h"
#include "cli.h"
#include "method.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: weir analyze MODEL... [OPTION...]\n"
    "\n"
    "How late can each pipeline be? Prints, for every source and sink (or every chain the model names), the exact worst\n"
    "and best latency, the deadlines, the guaranteed throughput, and how the worst case comes about. Where operators share\n"
    "workers, processors or a pool of cores: safe bounds on the latencies, when each operator runs, how large buffers must\n"
    "be. Where connections do not wait: safe bounds on the age of data, and whether messages can be lost. For kernels on a\n"
    "GPU: what to launch after what, on how many SMs, and when everything is done.\n"
    "A MODEL is a YAML, JSON, DOT or SDF3 file, a GNU Radio flowgraph or a graph written by CUDA; - is standard input.\n"
    "\n"
    "  --deadline T     a deadline for every latency, whatever the model says; 33.3ms, or a number in the model's unit\n"
    "  --queue N        capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N  capacity of all queues, whatever the model says\n"
    "  --ports HOW      shared, separate or unknown: whether the receivers of an operator are connected to one port (where\n"
    "                   Holoscan inserts a broadcast) if the file does not say; unknown: the bounds hold for both\n"
    "  --verify         replay every worst case in the simulator, and check the proof that nothing is worse\n"
    "  --limit N        constraints to examine per latency before the answer is a bracket; on shared processors, work to do\n"
    "                   before giving up on a bound; on a GPU, kernels to place before the best plan so far is taken\n"
    "  --memory MB      megabytes of tables before the answer is a bracket (default 1024); also for tgdfs and statespace\n"
    "  --full           print everything, however long: all latencies, all steps\n"
    "  --gantt FILE     how a worst case happens, as an SVG picture: of the first latency that misses its deadline, or else\n"
    "                   of the first; on shared processors the execution intervals; on a GPU the launches over the SMs\n"
    "  --trace FILE     ... as a trace for Perfetto or chrome://tracing; not on shared processors\n"
    "  --graph FILE     the model as an SVG drawing, with its bottleneck and critical path where they are known\n"
    "  --method NAME    a published analysis beside the exact one: tgdfs, rtss24, statespace or smt; see\n"
    "                   docs/reference/methods.md. With these:\n"
    "    --expressions FILE  tgdfs: where to write every expression, one per line\n"
    "    --horizon N         smt: iterations to look at (default 8)\n"
    "    --limit N           tgdfs, statespace: expressions or states before the answer is a bracket\n"
    "    --seconds N         tgdfs, statespace, smt: limit of CPU time in seconds\n"
    "For models with shared processors:\n"
    "  --method NAME    best (default), PJ0, PJ, PJ+iBS, EI, EI+iBS, EIC or CIX\n"
    "  --latency-limit T  give up beyond this latency; default: the model's, or 60 periods and 4 jitters\n"
    "For models on a pool of cores:\n"
    "  --cores N        the number of cores, whatever the model says\n"
    "  --explain        every bound on the response time of an operator, whether it applies and why\n"
    "For kernels on a GPU:\n"
    "  --method NAME    best (default), safe, paper, greedy, greedy-unaware or graham; all: best, and a table of all\n"
    "  --no-split       do not split kernels that could be launched in parts\n"
    "  --explain        how kernels are split, and which dependencies the plan adds\n";

static const char more[] = WEIR_KERNEL_HELP WEIR_FLOWGRAPH_HELP
    "\n"
    "  --json           JSON output; see docs/reference/json.md. One object, or an array of them for several models\n"
    "  --help           this text\n"
    "\n"
    "Examples:\n"
    "  weir analyze camera.yaml\n"
    "  weir analyze camera.yaml --deadline 33ms --gantt worst.svg --graph camera.svg\n"
    "  weir analyze --json --queue 2 graph.dot | jq '.latency[0].worst'\n"
    "  weir analyze camera.yaml --method tgdfs --expressions camera.txt\n"
    "  weir analyze decoder.yaml --method EI+iBS --gantt decoder.svg\n"
    "  weir analyze receiver.yaml --cores 2 --explain\n"
    "  weir analyze kernels.yaml --sms 132 --gantt kernels.svg --trace kernels.json\n"
    "\n"
    "Exit status: 0 every deadline is met, or none is given; 1 one is missed, or a latency has no bound; 2 wrong\n"
    "usage; 3 a model cannot be read, or the method does not cover it; 4 a safe bound is above its\n"
    "deadline, a limit was reached, or no bound was found: nothing is proved; 70 a check of --verify\n"
    "failed, which is a bug in weir.\n";

enum { CORES_MAX = 65536 };

struct settings {
    bool json, verify, full, several, explain, no_split;
    const char *deadline, *latency_limit, *gantt, *trace, *graph;
    const char *times; /* those of the command line, for the reader */
    struct weir_queue_options queues;
    uint64_t cores;
    const char *ports_text;
    enum weir_ports ports;
    const struct weir_verb *verb;
    struct weir_method_settings method;
    struct weir_flowgraph_options flowgraph;
    struct weir_kernel_options kernels;
};

/* The text of an option as a number of this model's ticks, at least `least`: 0 for deadlines, 1 for limits. */
static bool time_option(const struct weir_pipeline *pipeline, const char *text, int64_t least, int64_t *ticks,
                        struct weir_error *error)
{
    if (weir_time_parse(pipeline, text, ticks, error) != WEIR_OK)
        return false;
    if (*ticks >= least)
        return true;
    error->status = WEIR_INVALID;
    snprintf(error->message, sizeof error->message, "%s",
             least ? "a latency limit must be longer than 0" : "a deadline must not be negative");
    return false;
}

/* A text that is no time in any unit is wrong before a model is looked at. */
static bool check_time(const struct weir_arguments *arguments, const char *option, const char *text, int64_t least)
{
    static const enum weir_unit units[] = {WEIR_UNIT_TICK, WEIR_UNIT_NS};
    struct weir_error error = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        int64_t ticks;
        struct weir_pipeline *pipeline = weir_pipeline_new(&error);
        bool good = pipeline && weir_pipeline_set_unit(pipeline, units[i], 0, &error) == WEIR_OK &&
                    (time_option(pipeline, text, least, &ticks, &error) || error.status == WEIR_OVERFLOW);
        weir_pipeline_free(pipeline);
        if (good)
            return true;
    }
    weir_complain_usage(arguments->verb, "--%s: %s", option, error.message);
    return false;
}

static enum weir_exit fail_model(const struct settings *settings, const char *path, const struct weir_error *error)
{
    if (settings->json)
        weir_print_json_errors(path, NULL, error);
    return weir_complain_error(path, error);
}

/* A certificate that takes too long to check is no reason to doubt the answer, but it is not what was asked for. */
static bool is_unchecked(const struct weir_answer *answer)
{
    for (size_t i = 0; i < weir_answer_bound_count(answer); i++) {
        const struct weir_bound *bound = weir_answer_bound(answer, i);
        if (!bound->verified && (bound->worst.claim == WEIR_CLAIM_EXACT || bound->worst.claim == WEIR_CLAIM_SAFE))
            return true;
    }
    return false;
}

static enum weir_exit print_answer(const struct settings *settings, const struct weir_answer *answer, const char *title)
{
    struct weir_text_options text = {.title = title, .full = settings->full};
    bool unchecked = settings->verify && is_unchecked(answer);
    if (unchecked)
        weir_complain("%s: not verified: there is no certificate for it, or a check would take too long", title);
    enum weir_exit result = weir_print_answer(answer, settings->json, &text, title);
    return unchecked ? weir_exit_worse(result, WEIR_EXIT_BRACKET) : result;
}

static bool has_deadline(const struct weir_answer *answer)
{
    for (size_t i = 0; i < weir_answer_bound_count(answer); i++)
        if (weir_answer_bound(answer, i)->has_deadline)
            return true;
    return false;
}

static enum weir_exit answer_model(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error = {0};
    struct weir_answer *answer = NULL;
    const char *title = weir_model_title(pipeline, path);
    struct weir_progress progress = {.what = title};
    struct weir_answer_options options = {.method = settings->method.name,
                                          .verify = settings->verify,
                                          .explain = settings->explain,
                                          .no_split = settings->no_split,
                                          .work_limit = settings->method.limit,
                                          .memory_limit = settings->method.megabytes << 20,
                                          .cores = (uint32_t)settings->cores,
                                          .threads = settings->several ? 1 : 0,
                                          .progress = weir_progress_show,
                                          .context = &progress};
    if (settings->latency_limit && !time_option(pipeline, settings->latency_limit, 1, &options.latency_limit, &error))
        return fail_model(settings, path, &error);
    if (!settings->several)
        weir_interrupts_watch();
    enum weir_status status = weir_answer_find(pipeline, &options, &answer, &error);
    bool interrupted = !settings->several && weir_interrupts_unwatch();
    weir_progress_end(&progress);
    if (interrupted)
        weir_complain("%s: interrupted; this is what is known so far", title);
    if (status != WEIR_OK)
        return fail_model(settings, path, &error);
    enum weir_exit result = print_answer(settings, answer, title);
    if (interrupted && result == WEIR_EXIT_OK && !has_deadline(answer))
        result = WEIR_EXIT_BRACKET;
    if (result == WEIR_EXIT_OK || result == WEIR_EXIT_MISSED || result == WEIR_EXIT_BRACKET) {
        const struct weir_pictures pictures = {settings->gantt, settings->trace, settings->graph};
        result = weir_exit_worse(result, weir_pictures_save(&pictures, answer, title));
    }
    weir_answer_free(answer);
    return result;
}

/* ---- a published method beside the exact engine ---- */

static void complain_uncovered(const struct weir_answer *answer, const struct weir_beside *beside, const char *title)
{
    if (!beside->uncovered)
        return;
    weir_complain("%s: %s -> %s is not covered by %s. %s", title, weir_answer_name(answer, beside->first.from),
                  weir_answer_name(answer, beside->first.to), weir_answer_engine(answer), beside->note);
    if (beside->uncovered > 1)
        weir_complain("%s: nor %s %zu other latenc%s", title, beside->uncovered == 2 ? "is" : "are", beside->uncovered - 1,
                      beside->uncovered == 2 ? "y" : "ies");
}

/* What it took goes to stderr: it differs from run to run, and is no part of the answer. */
static enum weir_exit print_beside(const struct settings *settings, const struct weir_answer *answer,
                                   const struct weir_beside *beside, const char *title)
{
    enum weir_exit result = print_answer(settings, answer, title);
    complain_uncovered(answer, beside, title);
    fprintf(stderr, "%s: %s took %.3f ms, exact %.3f ms\n", title, weir_answer_engine(answer), (double)beside->method_ns / 1e6,
            (double)beside->exact_ns / 1e6);
    return beside->uncovered ? weir_exit_worse(result, WEIR_EXIT_INPUT) : result;
}

static enum weir_exit compare_method(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    const struct weir_method_settings *method = &settings->method;
    const char *title = weir_model_title(pipeline, path);
    struct weir_progress progress = {.what = title};
    struct weir_output output = {0};
    struct weir_error error = {0};
    struct weir_answer *answer = NULL;
    enum weir_exit result = method->expressions ? weir_output_open(&output, method->expressions) : WEIR_EXIT_OK;
    if (result != WEIR_EXIT_OK)
        return result;
    struct weir_beside beside = {.method = method->method,
                                 .options = {.limit = method->limit,
                                             .bytes = method->megabytes << 20,
                                             .horizon = (uint32_t)method->horizon,
                                             .seconds = (uint32_t)method->seconds,
                                             .expressions = output.file,
                                             .progress = weir_progress_show,
                                             .context = &progress}};
    enum weir_status status = weir_answer_beside(pipeline, &beside, &answer, &error);
    weir_progress_end(&progress);
    if (status == WEIR_OK)
        result = print_beside(settings, answer, &beside, title);
    else if (status != WEIR_IO) /* closing the file tells what it did not take */
        result = fail_model(settings, path, &error);
    if (method->expressions) {
        bool whole = status == WEIR_OK && result == WEIR_EXIT_OK;
        if (status == WEIR_OK && !whole)
            weir_complain("%s is not written: not all expressions were made", method->expressions);
        result = weir_exit_worse(result, weir_output_close(&output, whole || status == WEIR_IO));
    }
    weir_answer_free(answer);
    return weir_exit_worse(result, weir_drawing_save(settings->graph, pipeline, title));
}

/* ---- which options go with which engine ---- */

enum {
    EXACT = 1,
    PUBLISHED = 2, /* a published method for the exact engine's models */
    WORKERS = 4,
    SAMPLING = 8,
    PRIORITY = 16,
    EDF = 32,
    GPU = 64,
};

static const struct {
    const char *engine, *has;
} engines[] = {{"exact", "a thread per operator"},
               {"exact", "a thread per operator"},
               {"workers", "operators that share workers or are polled"},
               {"sampling", "connections that do not wait or ticks that are skipped"},
               {"fixed-priority", "shared processors"},
               {"global-edf", "a pool of cores"},
               {"gpu", "kernels on a GPU"}};

/* Which of the engines, as a place in the list, answers for the model. */
static size_t find_engine(const struct settings *settings, const struct weir_pipeline *pipeline)
{
    const char *name = weir_engine_of(pipeline);
    size_t i = 0;
    while (strcmp(engines[i].engine, name) != 0)
        i++;
    return i == 0 && settings->method.method != WEIR_METHOD_EXACT ? 1 : i;
}

static enum weir_exit check_options(const struct settings *s, size_t engine, const char *path)
{
    const char *of_kernels = s->no_split ? "no-split" : weir_kernel_option(&s->kernels);
    const struct {
        const char *option;
        bool given;
        unsigned without; /* engines that it means nothing to */
        const char *why;
    } rules[] = {
        {"gantt", s->gantt, PUBLISHED, "published methods have no picture"},
        {"trace", s->trace, PUBLISHED | PRIORITY, "there is no single run to trace"},
        {"method", s->method.name, WORKERS | SAMPLING, "there is one analysis for it"},
        {"latency-limit", s->latency_limit, ~0U ^ PRIORITY, "the limit is for shared processors"},
        {"cores", s->cores, ~0U ^ EDF, "the option is for a pool of cores"},
        {"explain", s->explain, ~0U ^ (EDF | GPU), "the option is for a pool of cores and for GPUs"},
        {"limit", s->method.limit, EDF, "its analysis always terminates"},
        {"memory", s->method.megabytes, ~0U ^ (PUBLISHED | EXACT), "the limit is for the exact engine and the published searches"},
        {"force-queue", s->queues.all, EDF, "the analysis chooses the capacities of its queues"},
        {"force-queue", s->queues.all, GPU, "dependencies have no capacity"},
        {"queue", s->queues.unsaid, GPU, "dependencies have no capacity"},
        {of_kernels, of_kernels, ~0U ^ GPU, "the option is for kernels on a GPU"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && rules[i].without & 1U << engine) {
            struct weir_error error = {0};
            snprintf(error.message, sizeof error.message, "--%s: %s has %s; %s", rules[i].option, path, engines[engine].has,
                     rules[i].why);
            if (s->json)
                weir_print_json_errors(path, NULL, &error);
            return weir_complain_usage(s->verb, "--%s: %s has %s; %s", rules[i].option, path, engines[engine].has, rules[i].why);
        }
    return WEIR_EXIT_OK;
}

static enum weir_exit analyze_model(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error;
    if (!weir_method_applies(&settings->method, weir_pipeline_platform(pipeline), &error))
        return fail_model(settings, path, &error);
    size_t engine = find_engine(settings, pipeline);
    enum weir_exit result = check_options(settings, engine, path);
    if (result != WEIR_EXIT_OK)
        return result;
    return 1U << engine == PUBLISHED ? compare_method(settings, pipeline, path) : answer_model(settings, pipeline, path);
}

static enum weir_exit analyze_file(const struct settings *settings, const char *path)
{
    struct weir_read_options options = {.extra_times = settings->times, .deadline = settings->deadline, .ports = settings->ports};
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    if (!errors)
        return weir_complain_memory();
    options.cores = (uint32_t)settings->cores;
    weir_queue_fill(settings->verb, &settings->queues, &options);
    weir_flowgraph_fill(&settings->flowgraph, &options);
    weir_kernel_fill(&settings->kernels, &options);
    enum weir_status status = weir_model_load(path, &options, &pipeline, errors);
    enum weir_exit result;
    if (status != WEIR_OK) {
        if (settings->json)
            weir_print_json_errors(path, errors, NULL);
        result = weir_complain_errors(errors, status);
    } else {
        result = analyze_model(settings, pipeline, path);
    }
    weir_errors_free(errors);
    weir_pipeline_free(pipeline);
    return result;
}

static void print_summary(const size_t *counts, size_t models)
{
    static const struct {
        enum weir_exit status;
        const char *words;
    } kinds[] = {{WEIR_EXIT_OK, "fine"},
                 {WEIR_EXIT_MISSED, "late"},
                 {WEIR_EXIT_BRACKET, "not decided"},
                 {WEIR_EXIT_INPUT, "not read"},
                 {WEIR_EXIT_INTERNAL, "failed"}};
    printf("\n%zu models: ", models);
    bool first = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!counts[kinds[i].status])
            continue;
        printf("%s%zu %s", first ? "" : ", ", counts[kinds[i].status], kinds[i].words);
        first = false;
    }
    fputc('\n', stdout);
}

struct all {
    const struct settings *settings;
    const struct weir_arguments *arguments;
};

static enum weir_exit analyze_one(void *context, size_t i)
{
    const struct all *all = context;
    return analyze_file(all->settings, all->arguments->items[i]);
}

static enum weir_exit analyze_all(const struct settings *settings, const struct weir_arguments *arguments)
{
    size_t counts[WEIR_EXIT_OUTPUT + 1] = {0};
    enum weir_exit worst = WEIR_EXIT_OK;
    struct all all = {settings, arguments};
    struct weir_several *several = weir_several_new(arguments->count, analyze_one, &all);
    if (!several)
        return weir_complain_memory();
    if (settings->json && settings->several)
        fputs("[\n", stdout);
    for (size_t i = 0; i < arguments->count; i++) {
        if (i > 0)
            fputs(settings->json ? ",\n" : "\n", stdout);
        enum weir_exit result = settings->several ? weir_several_next(several) : analyze_one(&all, i);
        counts[result]++;
        worst = weir_exit_worse(worst, result);
    }
    weir_several_free(several);
    if (settings->several && settings->json)
        fputs("]\n", stdout);
    else if (settings->several)
        print_summary(counts, arguments->count);
    return worst;
}

/* The options that --method brings with it, or that do not go with it. */
static enum weir_exit check_method(struct settings *settings, const struct weir_arguments *arguments)
{
    struct weir_method_settings *method = &settings->method;
    enum weir_exit result = weir_method_check(method, arguments->verb);
    if (result != WEIR_EXIT_OK || method->method == WEIR_METHOD_EXACT)
        return result;
    if (method->method == WEIR_METHODS) {
        bool safe = method->priority != WEIR_PRIORITY_METHODS ? weir_priority_method_safe(method->priority)
                                                              : method->gpu == WEIR_GPU_BEST || method->gpu == WEIR_GPU_SAFE;
        if (settings->verify && !safe)
            return weir_complain_usage(arguments->verb, "--verify: the method %s is not safe, so there is nothing to verify",
                                       method->priority != WEIR_PRIORITY_METHODS ? weir_priority_method_name(method->priority)
                                                                                 : method->name);
        if (method->limit && method->priority == WEIR_PRIORITY_METHODS && !method->all && method->gpu != WEIR_GPU_BEST)
            return weir_complain_usage(arguments->verb, "--limit: the method %s always terminates", method->name);
        return WEIR_EXIT_OK;
    }
    if (settings->verify || settings->deadline)
        return weir_complain_usage(arguments->verb, "%s goes with the exact method only",
                                   settings->verify ? "--verify" : "--deadline");
    if (method->expressions && arguments->count > 1)
        return weir_complain_usage(arguments->verb, "--expressions goes with one model");
    return WEIR_EXIT_OK;
}

/* The times of the command line as the reader wants them: its tick must hold them. */
static enum weir_exit analyze_with_times(struct settings *settings, const struct weir_arguments *arguments)
{
    char *times = weir_times_join(settings->deadline, settings->latency_limit);
    if (!times)
        return weir_complain_memory();
    settings->times = *times ? times : NULL;
    enum weir_exit result = analyze_all(settings, arguments);
    free(times);
    return result;
}

static enum weir_exit check_times(const struct settings *settings, const struct weir_arguments *arguments)
{
    if (settings->deadline && !check_time(arguments, "deadline", settings->deadline, 0))
        return WEIR_EXIT_USAGE;
    if (settings->latency_limit && !check_time(arguments, "latency-limit", settings->latency_limit, 1))
        return WEIR_EXIT_USAGE;
    return WEIR_EXIT_OK;
}

static enum weir_exit check_files(const struct settings *settings, const struct weir_arguments *arguments)
{
    const struct weir_file_option files[] = {{"gantt", settings->gantt}, {"trace", settings->trace}, {"graph", settings->graph}};
    for (size_t i = 0; i < sizeof files / sizeof *files && arguments->count > 1; i++)
        if (files[i].path)
            return weir_complain_usage(arguments->verb, "--%s goes with one model", files[i].name);
    return weir_files_check(arguments->verb, files, sizeof files / sizeof *files) ? WEIR_EXIT_OK : WEIR_EXIT_USAGE;
}

static enum weir_exit check_and_analyze(struct settings *settings, struct weir_arguments *arguments)
{
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which model?");
    if (!weir_queue_fill(arguments->verb, &settings->queues, &(struct weir_read_options){0}) ||
        !weir_ports_read(arguments->verb, settings->ports_text, &settings->ports))
        return WEIR_EXIT_USAGE;
    if (check_times(settings, arguments) != WEIR_EXIT_OK || check_files(settings, arguments) != WEIR_EXIT_OK)
        return WEIR_EXIT_USAGE;
    size_t standard_inputs = 0;
    for (size_t i = 0; i < arguments->count; i++)
        standard_inputs += strcmp(arguments->items[i], "-") == 0;
    if (standard_inputs > 1)
        return weir_complain_usage(arguments->verb, "standard input (-) can be read only once");
    enum weir_exit checked = check_method(settings, arguments);
    if (checked != WEIR_EXIT_OK)
        return checked;
    settings->several = arguments->count > 1;
    return analyze_with_times(settings, arguments);
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings settings = {.verb = arguments->verb};
    struct weir_method_settings *method = &settings.method;
    const struct weir_option options[] = {
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &settings.json},
        {.name = "verify", .kind = WEIR_OPTION_FLAG, .value = &settings.verify},
        {.name = "full", .kind = WEIR_OPTION_FLAG, .value = &settings.full},
        {.name = "explain", .kind = WEIR_OPTION_FLAG, .value = &settings.explain},
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &settings.cores, .low = 1, .high = CORES_MAX},
        WEIR_FLOWGRAPH_OPTIONS(settings.flowgraph),
        {.name = "deadline", .kind = WEIR_OPTION_TEXT, .value = &settings.deadline},
        {.name = "latency-limit", .kind = WEIR_OPTION_TEXT, .value = &settings.latency_limit},
        {.name = "gantt", .kind = WEIR_OPTION_TEXT, .value = &settings.gantt},
        {.name = "trace", .kind = WEIR_OPTION_TEXT, .value = &settings.trace},
        {.name = "graph", .kind = WEIR_OPTION_TEXT, .value = &settings.graph},
        {.name = "no-split", .kind = WEIR_OPTION_FLAG, .value = &settings.no_split},
        WEIR_KERNEL_OPTIONS(settings.kernels),
        WEIR_QUEUE_OPTIONS(settings.queues),
        {.name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &method->limit, .low = 1, .high = UINT64_MAX},
        {.name = "ports", .kind = WEIR_OPTION_TEXT, .value = &settings.ports_text},
        {.name = "method", .kind = WEIR_OPTION_TEXT, .value = &method->name},
        {.name = "expressions", .kind = WEIR_OPTION_TEXT, .value = &method->expressions},
        {.name = "horizon", .kind = WEIR_OPTION_NUMBER, .value = &method->horizon, .low = 1, .high = 1000000},
        {.name = "memory", .kind = WEIR_OPTION_NUMBER, .value = &method->megabytes, .low = 1, .high = 1 << 30},
        {.name = "seconds", .kind = WEIR_OPTION_NUMBER, .value = &method->seconds, .low = 1, .high = 1000000000},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = check_and_analyze(&settings, arguments);
    weir_flowgraph_free(&settings.flowgraph);
    return result;
}

const struct weir_verb weir_verb_analyze = {"analyze", "find worst and best latency, deadlines, throughput, critical path", help,
                                            run, more};
