/* SPDX-License-Identifier: Apache-2.0 */
/* weir simulate: what latencies look like, and how near they come to the bound. */
#include "simulate.h"
#include "edf_simulate.h"
#include "gpu_simulate.h"

#include <string.h>

static const char help[] =
    "Usage: weir simulate MODEL... [OPTION...]\n"
    "\n"
    "Runs each pipeline with many execution times and prints, for every pair, the latencies seen against the exact best\n"
    "and worst case. Where operators share processors: against the bounds, with the buffers that the analysis chose, and\n"
    "with a search for late executions. Where they share worker threads: with every choice among those that are ready. On a\n"
    "pool of cores: responses and samples in queues, too. On a GPU: how long a plan of its kernels takes.\n"
    "Where connections do not wait: how old the data is that arrives, and what is lost.\n"
    "A MODEL is a YAML, JSON, DOT or SDF3 file; - is standard input.\n"
    "\n"
    "  --runs N         how often to start afresh; 100 unless given\n"
    "  --iterations N   of every operator, in each run; 1000 unless given\n"
    "  --times T        how execution times are drawn: random (uniform), best, worst, or bang-bang (either best or worst, in\n"
    "                   stretches of random length); unless given, a mix: a run each at worst and at best, then random and\n"
    "                   bang-bang by turns\n"
    "  --times-file F   execution times from F, in one run: lines of operator,iteration,time, iterations from 0 on, times in\n"
    "                   the model's unit; what F does not give is at its worst, or at its best with --times best; without\n"
    "                   --iterations, F's last iteration is the last\n"
    "  --seed S         other times for another number; 1 unless given. The same seed gives the same bytes\n"
    "  --queue N        capacity of the queues whose capacity the model does not give\n"
    "  --trace FILE     the first run as a trace for Perfetto or chrome://tracing; for models with a thread per operator\n"
    "  --log FILE       the first run as a Data Flow Tracking log, which weir convert and weir compare read; for models with\n"
    "                   threads in which no message is lost\n"
    "For models with shared processors:\n"
    "  --releases R     how inputs arrive, within the jitter of their source: nominal, late, random, extreme (at either end),\n"
    "                   burst (as many together as can be) or quiet (nominal, then one burst); unless given, all by turns\n"
    "  --search N       further runs that climb towards late executions; 200 unless given\n"
    "For models on a pool of cores:\n"
    "  --cores N        that many, whatever the model says\n"
    "  --releases R     nominal, random or extreme\n"
    "  --iterations N   of the whole graph; unless given, 1000 or as many as 20,000 executions make\n"
    "For graphs of kernels on a GPU:\n"
    "  --method M       whose plan to run: best (the default), safe, paper, greedy, greedy-unaware or graham\n"
    "  --dispatch D     how free SMs take blocks: gang (those of a launch all at once), fifo (of one launch, then of the\n"
    "                   next) or interleaved (of any that is ready); unless given, all by turns\n"
    "  --runs N         1000 unless given; run n has the seed S + n\n"
    "  --times T        random, worst or bang-bang; unless given, all by turns\n"
    "  --sms N          that many, whatever the model says\n"
    "\n"
    "  --json           for programs. One object, or an array of them for several models\n"
    "  --help           this text\n"
    "\n"
    "Up to 10 million latencies are kept, all pairs together; of more, median, p99 and histogram are those of a random\n"
    "selection of that many. Minimum and maximum are always of all.\n"
    "\n"
    "Examples:\n"
    "  weir simulate camera.yaml\n"
    "  weir simulate camera.yaml --runs 1000 --times bang-bang --seed 7\n"
    "  weir simulate camera.yaml --times-file measured.csv --json\n"
    "  weir simulate camera.yaml --times random --iterations 50 --trace run.json\n"
    "\n"
    "Exit status: 0 simulated; 1 a run took longer than the bound of a method that is not safe; 3 a model or the file of\n"
    "times cannot be read; 70 something lies outside of the bounds, which is a bug in weir.\n";

enum { ITERATIONS_MAX = 1000000000, SEARCH_RUNS = 200, SEARCH_MAX = 1000000000, CORES_MAX = 65536, SMS_MAX = 65536 };

/* A model that cannot be simulated still has its place in the JSON. errors: NULL when it could be read. */
static void print_json_errors(const char *path, const struct weir_errors *errors)
{
    fputs("{\n  \"weir\": 1,\n  \"file\": ", stdout);
    weir_print_json_text(stdout, path);
    fputs(",\n  \"errors\": [", stdout);
    if (!errors)
        fputs("\n    {\"line\": 0, \"column\": 0, \"message\": \"not simulated\"}", stdout);
    for (size_t i = 0; errors && i < weir_errors_count(errors); i++) {
        const struct weir_error *error = weir_errors_at(errors, i);
        printf("%s\n    {\"line\": %u, \"column\": %u, \"message\": ", i ? "," : "", error->line, error->column);
        weir_print_json_text(stdout, error->message);
        fputc('}', stdout);
    }
    fputs("\n  ]\n}\n", stdout);
}

static enum weir_exit simulate_pipeline(const struct weir_simulate_settings *settings, const struct weir_pipeline *pipeline,
                                        const char *path, struct weir_times_file *given)
{
    struct weir_simulation simulation = {.settings = settings,
                                         .pipeline = pipeline,
                                         .title = weir_model_title(pipeline, path),
                                         .given = given,
                                         .runs = given            ? 1
                                                 : settings->runs ? (int64_t)settings->runs
                                                                  : 100,
                                         .iterations = settings->iterations ? (int64_t)settings->iterations : 1000};
    if (given) {
        enum weir_exit bound =
            weir_times_bind(given, pipeline, settings->iterations ? (int64_t)settings->iterations : (int64_t)ITERATIONS_MAX);
        if (bound != WEIR_EXIT_OK)
            return bound;
        if (!settings->iterations && given->count)
            simulation.iterations = given->last_iteration + 1;
    }
    enum weir_exit result = weir_simulation_run(&simulation);
    if (result == WEIR_EXIT_OK && settings->json)
        weir_simulation_print_json(&simulation);
    else if (result == WEIR_EXIT_OK)
        weir_simulation_print(&simulation);
    weir_simulation_free(&simulation);
    return result;
}

/* What a pool of cores does not know. */
static enum weir_exit simulate_cores(const struct weir_simulate_settings *settings, const struct weir_pipeline *pipeline,
                                     const char *path, const struct weir_times_file *given)
{
    enum weir_releases releases = settings->releases;
    struct weir_simulate_settings pool = *settings;
    if (given)
        return weir_complain_usage(settings->verb, "--times-file: %s has a pool of cores, whose costs are drawn so far", path);
    if (settings->shared_option && strcmp(settings->shared_option, "search") == 0)
        return weir_complain_usage(settings->verb, "--search: %s has a pool of cores; the search is for shared processors", path);
    if (!settings->mixed_releases && releases != WEIR_RELEASES_NOMINAL && releases != WEIR_RELEASES_RANDOM &&
        releases != WEIR_RELEASES_EXTREME)
        return weir_complain_usage(settings->verb,
                                   "--releases: %s has a pool of cores; for it there are nominal, random and extreme", path);
    pool.pool_arrivals = releases == WEIR_RELEASES_RANDOM    ? WEIR_EDF_ARRIVALS_RANDOM
                         : releases == WEIR_RELEASES_EXTREME ? WEIR_EDF_ARRIVALS_EXTREME
                                                             : WEIR_EDF_ARRIVALS_EVEN;
    return weir_edf_simulate_model(&pool, pipeline, path);
}

static const char *gpu_option(const struct weir_simulate_settings *settings)
{
    return settings->method ? "method" : settings->dispatch ? "dispatch" : settings->sms ? "sms" : NULL;
}

static enum weir_exit simulate_file(const struct weir_simulate_settings *settings, const char *path,
                                    const struct weir_read_options *options, struct weir_times_file *given)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    if (!errors) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    enum weir_status status = weir_read_file(path, options, &pipeline, errors);
    enum weir_exit result;
    if (status != WEIR_OK)
        result = weir_complain_errors(errors, status);
    else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_THREADS && settings->shared_option)
        result = weir_complain_usage(settings->verb, "--%s: %s has a thread per operator; the option is for shared processors",
                                     settings->shared_option, path);
    else if (weir_pipeline_platform(pipeline) != WEIR_PLATFORM_GPU && gpu_option(settings))
        result = weir_complain_usage(settings->verb, "--%s: %s is no graph of kernels on a GPU", gpu_option(settings), path);
    else if (settings->trace &&
             (weir_pipeline_platform(pipeline) != WEIR_PLATFORM_THREADS || !weir_pipeline_has_enough_workers(pipeline)))
        result = weir_complain_usage(settings->verb, "--trace: %s has no thread per operator; other runs are not traced", path);
    else if (settings->log && weir_pipeline_platform(pipeline) != WEIR_PLATFORM_THREADS)
        result = weir_complain_usage(settings->verb, "--log: the operators of %s have no threads", path);
    else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES)
        result = simulate_cores(settings, pipeline, path, given);
    else if (settings->cores)
        result = weir_complain_usage(settings->verb, "--cores: %s has no pool of cores", path);
    else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU && given)
        result = weir_complain_usage(settings->verb, "--times-file: %s is a graph of kernels, whose times are drawn", path);
    else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU)
        result = weir_gpu_simulate_model(settings, pipeline, path);
    else
        result = simulate_pipeline(settings, pipeline, path, given);
    if (settings->json && result != WEIR_EXIT_OK && result != WEIR_EXIT_MISSED)
        print_json_errors(path, status == WEIR_OK ? NULL : errors);
    weir_errors_free(errors);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit simulate_all(const struct weir_simulate_settings *settings, const struct weir_arguments *arguments,
                                   struct weir_read_options *options, const char *times_path)
{
    struct weir_times_file file = {0};
    enum weir_exit worst = times_path ? weir_times_read(times_path, &file) : WEIR_EXIT_OK;
    options->extra_times = file.times;
    bool array = settings->json && arguments->count > 1;
    for (size_t i = 0; i < arguments->count && (!times_path || worst == WEIR_EXIT_OK); i++) {
        if (array || i > 0)
            fputs(!settings->json ? "\n" : i ? ",\n" : "[\n", stdout);
        worst = weir_exit_worse(worst, simulate_file(settings, arguments->items[i], options, times_path ? &file : NULL));
    }
    if (array)
        fputs("]\n", stdout);
    weir_times_free(&file);
    return worst;
}

static bool parse_times(const struct weir_arguments *arguments, const char *text, struct weir_simulate_settings *settings)
{
    static const char *const names[] = {"random", "best", "worst", "bang-bang"};
    static const enum weir_times values[] = {WEIR_TIMES_RANDOM, WEIR_TIMES_BEST, WEIR_TIMES_WORST, WEIR_TIMES_BANG_BANG};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            settings->times_name = names[i];
            settings->times = values[i];
            return true;
        }
    const char *nearest = weir_nearest(text, names, 4);
    weir_complain_usage(arguments->verb, "--times: expected random, best, worst or bang-bang, not '%s'%s%s%s", text,
                        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

static bool parse_releases(const struct weir_arguments *arguments, const char *text, struct weir_simulate_settings *settings)
{
    static const char *const names[] = {"nominal", "late", "random", "extreme", "burst", "quiet"};
    for (size_t i = 0; i < 6; i++)
        if (strcmp(text, names[i]) == 0) {
            settings->releases_name = names[i];
            settings->releases = (enum weir_releases)i;
            return true;
        }
    const char *nearest = weir_nearest(text, names, 6);
    weir_complain_usage(arguments->verb, "--releases: expected nominal, late, random, extreme, burst or quiet, not '%s'%s%s%s",
                        text, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

static enum weir_exit check_times_path(const struct weir_simulate_settings *settings, const struct weir_arguments *arguments)
{
    if (settings->times != WEIR_TIMES_BEST && settings->times != WEIR_TIMES_WORST)
        return weir_complain_usage(arguments->verb, "with --times-file, --times is best or worst: what the file does not give");
    if (arguments->count > 1)
        return weir_complain_usage(arguments->verb, "--times-file goes with one model");
    if (settings->runs > 1)
        return weir_complain_usage(arguments->verb, "--times-file is one run: all would be the same");
    return WEIR_EXIT_OK;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct weir_simulate_settings settings = {.seed = 1, .verb = arguments->verb, .search = UINT64_MAX};
    const char *times = NULL, *times_path = NULL, *releases = NULL;
    uint64_t queue = 0;
    const struct weir_option options[] = {
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &settings.json},
        {.name = "runs", .kind = WEIR_OPTION_NUMBER, .value = &settings.runs, .low = 1, .high = ITERATIONS_MAX},
        {.name = "iterations", .kind = WEIR_OPTION_NUMBER, .value = &settings.iterations, .low = 1, .high = ITERATIONS_MAX},
        {.name = "times", .kind = WEIR_OPTION_TEXT, .value = &times},
        {.name = "times-file", .kind = WEIR_OPTION_TEXT, .value = &times_path},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &settings.seed, .high = UINT64_MAX},
        {.name = "releases", .kind = WEIR_OPTION_TEXT, .value = &releases},
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &settings.cores, .low = 1, .high = CORES_MAX},
        {.name = "method", .kind = WEIR_OPTION_TEXT, .value = &settings.method},
        {.name = "dispatch", .kind = WEIR_OPTION_TEXT, .value = &settings.dispatch},
        {.name = "sms", .kind = WEIR_OPTION_NUMBER, .value = &settings.sms, .low = 1, .high = SMS_MAX},
        {.name = "search", .kind = WEIR_OPTION_NUMBER, .value = &settings.search, .high = SEARCH_MAX},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &queue, .low = 1, .high = 1 << 30},
        {.name = "trace", .kind = WEIR_OPTION_TEXT, .value = &settings.trace},
        {.name = "log", .kind = WEIR_OPTION_TEXT, .value = &settings.log},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which model?");
    settings.mixed = !times && !times_path;
    settings.times_name = "mixed";
    if (!settings.mixed && !parse_times(arguments, times ? times : "worst", &settings))
        return WEIR_EXIT_USAGE;
    if (times_path && check_times_path(&settings, arguments) != WEIR_EXIT_OK)
        return WEIR_EXIT_USAGE;
    const char *file = settings.trace ? settings.trace : settings.log, *option = settings.trace ? "trace" : "log";
    if (file && arguments->count > 1)
        return weir_complain_usage(arguments->verb, "--%s goes with one model", option);
    if (file && (strcmp(file, "-") == 0 || (settings.log && strcmp(settings.log, "-") == 0)))
        return weir_complain_usage(arguments->verb, "--%s: give a file; standard output is for the answer", option);
    settings.shared_option = releases ? "releases" : settings.search != UINT64_MAX ? "search" : NULL;
    settings.search = settings.search == UINT64_MAX ? SEARCH_RUNS : settings.search;
    settings.mixed_releases = !releases;
    settings.releases_name = "mixed";
    if (releases && !parse_releases(arguments, releases, &settings))
        return WEIR_EXIT_USAGE;
    size_t standard_inputs = 0;
    for (size_t i = 0; i < arguments->count; i++)
        standard_inputs += strcmp(arguments->items[i], "-") == 0;
    if (standard_inputs > 1)
        return weir_complain_usage(arguments->verb, "standard input (-) can be read only once");
    struct weir_read_options read = {.queue = (uint32_t)queue};
    return simulate_all(&settings, arguments, &read, times_path);
}

const struct weir_verb weir_verb_simulate = {"simulate", "the latencies of many runs against the bounds", help, run, NULL};
