/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze: how late each model can be. */
#include "analyze.h"
#include "answer/answer.h"
#include "gpu.h"
#include "method.h"
#include "pictures.h"
#include "sample.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: weir analyze MODEL... [OPTION...]\n"
    "\n"
    "How late can each pipeline be? Prints, for every source and sink (or every pair the model names), the exact worst\n"
    "and best latency, the deadlines, the guaranteed throughput, and how the worst case comes about. Where operators share\n"
    "workers, processors or a pool of cores: safe bounds of the latencies, who runs when, how large buffers have to be. Where\n"
    "connections do not wait: safe bounds of the age of data, and whether messages can be lost. For\n"
    "kernels on a GPU: what to launch after what, on how many SMs, and after what time all of it is done.\n"
    "A MODEL is a YAML, JSON, DOT or SDF3 file, a flowgraph of GNU Radio or a graph that CUDA wrote; - is standard input.\n"
    "\n"
    "  --deadline T     a deadline for every latency that has none in its model; 33.3ms, or a number in the model's unit\n"
    "  --queue N        capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N  capacity of all queues, whatever the model says\n"
    "  --verify         replay every worst case in the simulator, and check the proof that nothing is worse\n"
    "  --limit N        constraints to look at per latency before a bracket is good enough; on shared processors, work to do\n"
    "                   before no bound is found; on a GPU, kernels to place before the best plan so far is good enough\n"
    "  --full           everything, however long: all pairs, all steps\n"
    "  --gantt FILE     a worst case as it happens, as a picture, SVG: of the first latency that misses its deadline, or else\n"
    "                   of the first; on shared processors the execution intervals; on a GPU the launches over the SMs\n"
    "  --trace FILE     ... as a trace for Perfetto or chrome://tracing; not on shared processors\n"
    "  --graph FILE     the model as a drawing, SVG, with its bottleneck and critical path where those are known\n"
    "  --method NAME    a published analysis beside the exact one: tgdfs, rtss24, statespace or smt; see\n"
    "                   docs/reference/methods.md. With these:\n"
    "    --expressions FILE  tgdfs: where to write every expression, one per line\n"
    "    --horizon N         smt: iterations to look at; 8 unless given\n"
    "    --limit N           tgdfs, statespace: expressions or states before a bracket is good enough\n"
    "    --memory MB         tgdfs, statespace: megabytes to use before that; 1024 unless given\n"
    "    --seconds N         tgdfs, statespace, smt: seconds to work before that\n"
    "For models with shared processors:\n"
    "  --method NAME    best (unless given), PJ0, PJ, PJ+iBS, EI, EI+iBS, EIC or CIX\n"
    "  --latency-limit T  give up beyond this latency; unless given, the model's, or 60 periods and 4 jitters\n"
    "For models on a pool of cores:\n"
    "  --cores N        that many, whatever the model says\n"
    "  --explain        every bound on the response of an operator, whether it applies and why\n"
    "For kernels on a GPU:\n"
    "  --method NAME    best (unless given), safe, paper, greedy, greedy-unaware or graham; all: best, and a table of all\n"
    "  --no-split       leave kernels whole that could be launched in parts\n"
    "  --explain        how kernels are split, and which dependencies the plan adds\n";

static const char more[] = WEIR_KERNEL_HELP WEIR_FLOWGRAPH_HELP
    "\n"
    "  --json           for programs; see docs/reference/json.md. One object, or an array of them for several models\n"
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
    "Exit status: 0 every deadline is met, or none is given; 1 one is missed, or a latency has no bound; 3 a model cannot\n"
    "be read, or is outside of what the method covers; 4 the limit was reached, or no bound was found.\n";

enum { CORES_MAX = 65536 };

struct settings {
    bool json, verify, full, several, explain, no_split;
    const char *deadline, *latency_limit, *gantt, *trace, *graph;
    const char *times; /* those of the command line, for the reader */
    uint64_t queue, force_queue, cores;
    const struct weir_verb *verb;
    struct weir_method_settings method;
    struct weir_flowgraph_options flowgraph;
    struct weir_kernel_options kernels;
};

bool weir_time_option(const struct weir_pipeline *pipeline, const char *text, int64_t least, int64_t *ticks,
                      struct weir_error *error)
{
    if (weir_time_parse(pipeline, text, ticks, error) != WEIR_OK)
        return false;
    if (*ticks >= least)
        return true;
    error->status = WEIR_INVALID;
    snprintf(error->message, sizeof error->message, "%s",
             least ? "a latency limit is longer than 0" : "a deadline is not negative");
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
                    (weir_time_option(pipeline, text, least, &ticks, &error) || error.status == WEIR_OVERFLOW);
        weir_pipeline_free(pipeline);
        if (good)
            return true;
    }
    weir_complain_usage(arguments->verb, "--%s: %s", option, error.message);
    return false;
}

/* A model that cannot be analysed still has its place in the JSON. */
static void print_json_errors(const char *path, const struct weir_errors *errors, const struct weir_error *error)
{
    size_t count = error ? 1 : weir_errors_count(errors);
    fputs("{\n  \"weir\": 1,\n  \"file\": ", stdout);
    weir_print_json_text(stdout, path);
    fputs(",\n  \"errors\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        const struct weir_error *one = error ? error : weir_errors_at(errors, i);
        printf("%s\n    {\"line\": %u, \"column\": %u, \"message\": ", i ? "," : "", one->line, one->column);
        weir_print_json_text(stdout, one->message);
        fputc('}', stdout);
    }
    fputs("\n  ]\n}\n", stdout);
}

static enum weir_exit fail_model(const struct settings *settings, const char *path, const struct weir_error *error)
{
    if (settings->json)
        print_json_errors(path, NULL, error);
    return weir_complain_error(path, error);
}

static enum weir_exit compare_pipeline(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error = {0};
    enum weir_exit result;
    struct weir_comparison comparison = {
        .settings = &settings->method, .pipeline = pipeline, .title = weir_model_title(pipeline, path)};
    if (weir_comparison_run(&comparison, &result, &error) != WEIR_OK)
        result = fail_model(settings, path, &error);
    else if (comparison.answered)
        weir_comparison_print(&comparison);
    weir_comparison_free(&comparison);
    return result;
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
    struct weir_text_options text = {.title = title, .full = settings->full, .color = weir_style_of(stdout)->bold[0] != 0};
    struct weir_error error = {0};
    enum weir_exit result = weir_exit_of_verdict(weir_answer_verdict(answer));
    if (settings->verify && is_unchecked(answer)) {
        weir_complain("%s: not verified: a replay or a certificate would take too long", title);
        result = weir_exit_worse(result, WEIR_EXIT_BRACKET);
    }
    enum weir_status status =
        settings->json ? weir_answer_write_json(answer, stdout, &error) : weir_answer_write_text(answer, &text, stdout, &error);
    return status == WEIR_OK || status == WEIR_IO ? result : weir_complain_error(title, &error); /* main reports what stdout did */
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
                                          .cores = (uint32_t)settings->cores,
                                          .progress = weir_progress_show,
                                          .context = &progress};
    if (settings->latency_limit && !weir_time_option(pipeline, settings->latency_limit, 1, &options.latency_limit, &error))
        return fail_model(settings, path, &error);
    enum weir_status status = weir_answer_find(pipeline, &options, &answer, &error);
    weir_progress_end(&progress);
    if (status != WEIR_OK)
        return fail_model(settings, path, &error);
    enum weir_exit result = print_answer(settings, answer, title);
    if (result == WEIR_EXIT_OK || result == WEIR_EXIT_MISSED || result == WEIR_EXIT_BRACKET) {
        const struct weir_pictures pictures = {settings->gantt, settings->trace, settings->graph};
        result = weir_exit_worse(result, weir_pictures_save(&pictures, answer, title));
    }
    weir_answer_free(answer);
    return result;
}

/* An option that has no meaning on the platform of the model, and why; NULL when there is none. */
static const char *find_foreign(const struct settings *settings, enum weir_platform platform, const char **what)
{
    bool pool = platform == WEIR_PLATFORM_CORES, gpu = platform == WEIR_PLATFORM_GPU;
    bool exact = platform == WEIR_PLATFORM_THREADS && settings->method.method == WEIR_METHOD_EXACT;
    const char *of_kernels = settings->no_split ? "no-split" : weir_kernel_option(&settings->kernels);
    *what = pool ? "there is no worst case to draw, only a bound" : "published methods draw nothing";
    if (settings->gantt && !exact && !gpu && platform != WEIR_PLATFORM_PROCESSORS)
        return "gantt";
    *what = "there is no single run to trace";
    if (settings->trace && !exact && !gpu)
        return "trace";
    *what = "the limit is for shared processors";
    if (platform != WEIR_PLATFORM_PROCESSORS && settings->latency_limit)
        return "latency-limit";
    *what = "the option is for a pool of cores";
    if (!pool && settings->cores)
        return "cores";
    *what = "the option is for a pool of cores and for GPUs";
    if (!pool && !gpu && settings->explain)
        return "explain";
    *what = "its analysis always comes to an end";
    if (pool && settings->method.limit)
        return "limit";
    *what = pool ? "its queues need what the analysis says" : "dependencies have no capacity";
    if ((pool || gpu) && settings->force_queue)
        return "force-queue";
    if (gpu && settings->queue)
        return "queue";
    *what = "the option is for kernels on a GPU";
    return gpu ? NULL : of_kernels;
}

static enum weir_exit check_platform(const struct settings *settings, enum weir_platform platform, const char *path)
{
    static const char *const kinds[] = {"a thread per operator", "shared processors", "a pool of cores", "kernels on a GPU"};
    const char *what, *option = find_foreign(settings, platform, &what);
    return option ? weir_complain_usage(settings->verb, "--%s: %s has %s; %s", option, path, kinds[platform], what) : WEIR_EXIT_OK;
}

static enum weir_exit analyze_gpu(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error = {0};
    struct weir_gpu_settings gpu = {.method = settings->method.gpu,
                                    .all = settings->method.all,
                                    .deadline = settings->deadline,
                                    .limit = settings->method.limit,
                                    .gantt = settings->gantt,
                                    .trace = settings->trace,
                                    .json = settings->json,
                                    .full = settings->full,
                                    .verify = settings->verify,
                                    .explain = settings->explain,
                                    .no_split = settings->no_split};
    enum weir_exit result = weir_gpu_run(&gpu, pipeline, path, &error);
    return error.status == WEIR_OK ? result : fail_model(settings, path, &error);
}

/* Where operators wait for workers, or for the scheduler to look. */
static enum weir_exit analyze_workers(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error = {0};
    struct weir_workers_settings workers = {
        .deadline = settings->deadline, .limit = settings->method.limit, .json = settings->json, .full = settings->full};
    const char *option = settings->gantt         ? "gantt"
                         : settings->trace       ? "trace"
                         : settings->verify      ? "verify"
                         : settings->method.name ? "method"
                                                 : NULL;
    if (option)
        return weir_complain_usage(
            settings->verb, "--%s: needs a thread for each operator, and those of %s share workers or are polled", option, path);
    enum weir_exit result = weir_workers_run(&workers, pipeline, path, &error);
    return error.status == WEIR_OK ? result : fail_model(settings, path, &error);
}

/* Where connections do not wait, or ticks are skipped. */
static enum weir_exit analyze_samples(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error = {0};
    struct weir_sample_settings sample = {.deadline = settings->deadline,
                                          .limit = settings->method.limit,
                                          .json = settings->json,
                                          .full = settings->full,
                                          .verify = settings->verify};
    const char *option = settings->gantt ? "gantt" : settings->trace ? "trace" : settings->method.name ? "method" : NULL;
    if (option)
        return weir_complain_usage(settings->verb, "--%s: needs connections that wait and ticks that are not skipped, unlike %s",
                                   option, path);
    enum weir_exit result = weir_sample_run(&sample, pipeline, path, &error);
    return error.status == WEIR_OK ? result : fail_model(settings, path, &error);
}

/* Its platform decides which engine answers. */
static enum weir_exit analyze_model(const struct settings *settings, const struct weir_pipeline *pipeline, const char *path)
{
    enum weir_platform platform = weir_pipeline_platform(pipeline);
    struct weir_error error;
    if (!weir_method_applies(&settings->method, platform, &error))
        return fail_model(settings, path, &error);
    enum weir_exit result = check_platform(settings, platform, path);
    if (result != WEIR_EXIT_OK)
        return result;
    bool plenty = platform != WEIR_PLATFORM_THREADS || weir_pipeline_has_enough_workers(pipeline);
    bool plain = platform != WEIR_PLATFORM_THREADS || weir_pipeline_is_plain(pipeline);
    if (platform == WEIR_PLATFORM_PROCESSORS || platform == WEIR_PLATFORM_CORES ||
        (platform == WEIR_PLATFORM_THREADS && plenty && plain && settings->method.method == WEIR_METHOD_EXACT))
        return answer_model(settings, pipeline, path);
    result = !plain                          ? analyze_samples(settings, pipeline, path)
             : !plenty                       ? analyze_workers(settings, pipeline, path)
             : platform == WEIR_PLATFORM_GPU ? analyze_gpu(settings, pipeline, path)
                                             : compare_pipeline(settings, pipeline, path);
    return weir_exit_worse(result, weir_drawing_save(settings->graph, pipeline, weir_model_title(pipeline, path)));
}

static enum weir_exit analyze_file(const struct settings *settings, const char *path)
{
    struct weir_read_options options = {.queue = (uint32_t)(settings->force_queue ? settings->force_queue : settings->queue),
                                        .force_queue = settings->force_queue != 0,
                                        .extra_times = settings->times,
                                        .deadline = settings->deadline};
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    if (!errors) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    options.cores = (uint32_t)settings->cores;
    weir_flowgraph_fill(&settings->flowgraph, &options);
    weir_kernel_fill(&settings->kernels, &options);
    enum weir_status status = weir_model_load(path, &options, &pipeline, errors);
    enum weir_exit result;
    if (status != WEIR_OK) {
        if (settings->json)
            print_json_errors(path, errors, NULL);
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

static enum weir_exit analyze_all(const struct settings *settings, const struct weir_arguments *arguments)
{
    size_t counts[WEIR_EXIT_OUTPUT + 1] = {0};
    enum weir_exit worst = WEIR_EXIT_OK;
    if (settings->json && settings->several)
        fputs("[\n", stdout);
    for (size_t i = 0; i < arguments->count; i++) {
        if (i > 0)
            fputs(settings->json ? ",\n" : "\n", stdout);
        enum weir_exit result = analyze_file(settings, arguments->items[i]);
        counts[result]++;
        worst = weir_exit_worse(worst, result);
    }
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
                                                              : weir_gpu_method_safe(method->gpu);
        if (settings->verify && !safe)
            return weir_complain_usage(arguments->verb, "--verify: the method %s is not safe, so that there is nothing to verify",
                                       method->priority != WEIR_PRIORITY_METHODS ? weir_priority_method_name(method->priority)
                                                                                 : method->name);
        if (method->all && settings->json)
            return weir_complain_usage(arguments->verb,
                                       "--json: --method all is a table to look at; ask for the methods one by one");
        if (method->limit && method->priority == WEIR_PRIORITY_METHODS && !method->all && method->gpu != WEIR_GPU_BEST)
            return weir_complain_usage(arguments->verb, "--limit: the method %s always comes to an end", method->name);
        return WEIR_EXIT_OK;
    }
    if (settings->verify || settings->deadline)
        return weir_complain_usage(arguments->verb, "%s goes with the exact method only",
                                   settings->verify ? "--verify" : "--deadline");
    if (method->expressions && arguments->count > 1)
        return weir_complain_usage(arguments->verb, "--expressions goes with one model");
    method->json = settings->json;
    method->full = settings->full;
    return WEIR_EXIT_OK;
}

/* The times of the command line as the reader wants them: its tick must hold them. */
static enum weir_exit analyze_with_times(struct settings *settings, const struct weir_arguments *arguments)
{
    const char *deadline = settings->deadline, *limit = settings->latency_limit;
    size_t bytes = (deadline ? strlen(deadline) : 0) + (limit ? strlen(limit) : 0) + 2;
    char *times = malloc(bytes);
    if (!times) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    snprintf(times, bytes, "%s%s%s", deadline ? deadline : "", deadline && limit ? "," : "", limit ? limit : "");
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

static enum weir_exit check_file(const struct weir_arguments *arguments, const char *option, const char *path)
{
    if (path && strcmp(path, "-") == 0)
        return weir_complain_usage(arguments->verb, "--%s: give a file; standard output is for the answer", option);
    if (path && arguments->count > 1)
        return weir_complain_usage(arguments->verb, "--%s goes with one model", option);
    return WEIR_EXIT_OK;
}

static enum weir_exit check_files(const struct settings *settings, const struct weir_arguments *arguments)
{
    enum weir_exit result = check_file(arguments, "gantt", settings->gantt);
    if (result == WEIR_EXIT_OK)
        result = check_file(arguments, "trace", settings->trace);
    if (result == WEIR_EXIT_OK)
        result = check_file(arguments, "graph", settings->graph);
    const char *files[] = {settings->gantt, settings->trace, settings->graph};
    for (size_t i = 0; i < 3 && result == WEIR_EXIT_OK; i++)
        for (size_t j = 0; j < i; j++)
            if (files[i] && files[j] && strcmp(files[i], files[j]) == 0)
                return weir_complain_usage(arguments->verb, "%s cannot be two pictures at once", files[i]);
    return result;
}

static enum weir_exit check_and_analyze(struct settings *settings, struct weir_arguments *arguments)
{
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which model?");
    if (settings->queue && settings->force_queue)
        return weir_complain_usage(arguments->verb, "--queue and --force-queue exclude each other");
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
        {.name = "rate", .kind = WEIR_OPTION_LIST, .value = &settings.flowgraph.rates},
        {.name = "source-rate", .kind = WEIR_OPTION_LIST, .value = &settings.flowgraph.source_rates},
        {.name = "cost", .kind = WEIR_OPTION_LIST, .value = &settings.flowgraph.costs},
        {.name = "costs", .kind = WEIR_OPTION_TEXT, .value = &settings.flowgraph.costs_path},
        {.name = "deadline", .kind = WEIR_OPTION_TEXT, .value = &settings.deadline},
        {.name = "latency-limit", .kind = WEIR_OPTION_TEXT, .value = &settings.latency_limit},
        {.name = "gantt", .kind = WEIR_OPTION_TEXT, .value = &settings.gantt},
        {.name = "trace", .kind = WEIR_OPTION_TEXT, .value = &settings.trace},
        {.name = "graph", .kind = WEIR_OPTION_TEXT, .value = &settings.graph},
        {.name = "no-split", .kind = WEIR_OPTION_FLAG, .value = &settings.no_split},
        WEIR_KERNEL_OPTIONS(settings.kernels),
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &settings.queue, .low = 1, .high = 1 << 30},
        {.name = "force-queue", .kind = WEIR_OPTION_NUMBER, .value = &settings.force_queue, .low = 1, .high = 1 << 30},
        {.name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &method->limit, .low = 1, .high = UINT64_MAX},
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

const struct weir_verb weir_verb_analyze = {"analyze", "worst and best latency, deadlines, throughput, critical path", help, run,
                                            more};
