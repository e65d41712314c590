/* SPDX-License-Identifier: Apache-2.0 */
/* weir simulate: what latencies look like, and how near they come to the bound. */
#include "cli.h"
#include "render/timeline/timeline.h"

#include <string.h>

static const char help[] =
    "Usage: weir simulate MODEL... [OPTION...]\n"
    "\n"
    "Simulates each pipeline with many combinations of execution times and compares every observed latency with the exact\n"
    "best and worst case. On shared processors it compares with the bounds, uses the buffer capacities that the analysis\n"
    "chose, and searches for late executions. With shared worker threads, any operator that is ready may run next. On a pool\n"
    "of cores it also shows response times and the samples in queues; on a GPU, how long a plan of the kernels takes; for\n"
    "connections that do not wait, the age of the data that arrives and the messages that are lost.\n"
    "A MODEL is a YAML, JSON, DOT or SDF3 file; - is standard input.\n"
    "\n"
    "  --runs N         number of simulations, each from the initial state (default 100)\n"
    "  --iterations N   iterations of every operator in each run (default 1000)\n"
    "  --times T        how execution times are drawn: random (uniform), best, worst, or bang-bang (either best or worst, in\n"
    "                   stretches of random length); default: one run at worst, one at best, then random and bang-bang\n"
    "                   alternately\n"
    "  --times-file F   one run with the execution times in F: lines of operator,iteration,time, with iterations from 0 and\n"
    "                   times in the model's unit. Missing times are the worst case, or the best case with --times best.\n"
    "                   Without --iterations, the run ends after the last iteration in F\n"
    "  --seed S         seed of the random numbers (default 1); the same seed gives the same output\n"
    "  --queue N        capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N  capacity of all queues, whatever the model says\n"
    "  --trace FILE     write the first run as a trace for Perfetto or chrome://tracing; only with a thread per operator\n"
    "  --log FILE       write the first run as a Data Flow Tracking log, which weir convert and weir compare read; only with\n"
    "                   threads, and if no message can be lost\n"
    "For models with shared processors:\n"
    "  --releases R     how inputs arrive, within the jitter of their source: nominal, late, random, extreme (at either end),\n"
    "                   burst (as many together as possible) or quiet (nominal, then one burst); default: all in turn\n"
    "  --search N       further runs that search for late executions by hill climbing (default 200)\n"
    "For models on a pool of cores:\n"
    "  --cores N        the number of cores, whatever the model says\n"
    "  --releases R     nominal, random or extreme\n"
    "  --iterations N   iterations of the whole graph (default 1000, or fewer so that a run has 20,000 executions)\n"
    "For graphs of kernels on a GPU:\n"
    "  --method NAME    whose plan to run: best (default), safe, paper, greedy, greedy-unaware or graham\n"
    "  --dispatch D     how free SMs take blocks: gang (all blocks of a launch at once), fifo (one launch after the other)\n"
    "                   or interleaved (of any launch that is ready); default: all in turn\n"
    "  --runs N         number of simulations (default 1000); run n has the seed S + n\n"
    "  --times T        random, worst or bang-bang; default: all in turn\n"
    "  --sms N          the number of SMs, whatever the model says\n"
    "\n"
    "  --json           JSON output: one object, or an array of objects for several models\n"
    "  --help           this text\n"
    "\n"
    "Median, p99 and histogram are exact for up to 10 million latencies; beyond that they are those of a random sample of\n"
    "10 million. Minimum and maximum are always exact.\n"
    "\n"
    "Examples:\n"
    "  weir simulate camera.yaml\n"
    "  weir simulate camera.yaml --runs 1000 --times bang-bang --seed 7\n"
    "  weir simulate camera.yaml --times-file measured.csv --json\n"
    "  weir simulate camera.yaml --times random --iterations 50 --trace run.json\n"
    "\n"
    "Exit status: 0 every run stayed within its bounds; 1 a run exceeded the bound of a method that is not safe; 2 wrong\n"
    "usage; 3 a model or the file of times cannot be read; 4 interrupted (Ctrl-C): shows what was observed so far; 70 a run\n"
    "left its bounds, which is a bug in weir.\n";

/* EVENTS_MAX: of a trace, unless more is asked for: some 40 MB. */
enum { EVENTS_MAX = 300000, ITERATIONS_MAX = 1000000000, SEARCH_MAX = 1000000000, CORES_MAX = 65536, SMS_MAX = 65536 };

struct settings {
    struct weir_simulate_options simulation;
    bool json;
    struct weir_queue_options queues;
    const char *trace, *log; /* where the first run goes; NULL: nowhere */
    const struct weir_verb *verb;
};

/* What the simulation of one model works with. */
struct job {
    const struct settings *settings;
    const struct weir_pipeline *pipeline;
    const char *path, *title;
    struct weir_times_file *times;
    struct weir_simulate_options options; /* those of the settings, for this model */
    struct weir_progress progress;
    FILE *trace;
    struct weir_flow_writer *log;
};

/* ---- what a simulation calls ---- */

static void show_progress(void *context, unsigned permille)
{
    weir_progress_show(&((struct job *)context)->progress, permille);
}

static int64_t give_time(void *context, struct weir_operator op, int64_t iteration)
{
    return weir_times_file_given(((struct job *)context)->times, op, iteration);
}

static void log_event(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    weir_flow_writer_observe(((struct job *)context)->log, op, moment, iteration, time);
}

static enum weir_status trace_run(void *context, const struct weir_pipeline *pipeline, const struct weir_simulation_options *run,
                                  struct weir_error *error)
{
    struct weir_timeline *timeline;
    struct weir_simulation_options shown = *run;
    int64_t events = (int64_t)weir_pipeline_operator_count(pipeline) + INT64_C(4) * weir_pipeline_queue_count(pipeline);
    int64_t most = EVENTS_MAX / events > 1 ? EVENTS_MAX / events : 1;
    struct job *job = context;
    if (!job->settings->simulation.iterations && !job->times && most < shown.iterations) {
        shown.iterations = most;
        fprintf(stderr, "%s: note: the trace has the first %lld of %lld iterations; with --iterations it has all\n", job->title,
                (long long)most, (long long)run->iterations);
    }
    enum weir_status status = weir_timeline_of_simulation(pipeline, &shown, &timeline, error);
    return weir_timeline_finish(status, &timeline, weir_timeline_write_trace, ((struct job *)context)->trace, error);
}

/* ---- one model ---- */

static enum weir_exit write_log(struct job *job)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, job->settings->log);
    if (result != WEIR_EXIT_OK)
        return result;
    return weir_output_finish(&output, weir_flow_writer_write(job->log, output.file, &error), &error, job->title);
}

/* Exceeding a bound that is not safe is worth an exit status of its own. */
static enum weir_exit print_answer(const struct job *job, const struct weir_answer *answer)
{
    struct weir_text_options text = {.title = job->title};
    enum weir_exit result = weir_print_answer(answer, job->settings->json, &text, job->title);
    if (result == WEIR_EXIT_INTERNAL || result == WEIR_EXIT_INPUT)
        return result;
    for (size_t i = 0; i < weir_answer_bound_count(answer); i++) {
        const struct weir_bound *bound = weir_answer_bound(answer, i);
        char seen[WEIR_NUMBER_TEXT], limit[WEIR_NUMBER_TEXT];
        if (!bound->observed->beyond)
            continue;
        weir_complain("%s: a bound that is not safe is exceeded: %s, and it is %s", job->title,
                      weir_ratio_amount(job->pipeline, bound->observed->max, seen),
                      weir_ratio_amount(job->pipeline, bound->worst.high, limit));
        return WEIR_EXIT_MISSED;
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit simulate(struct job *job, struct weir_error *error)
{
    struct weir_answer *answer = NULL;
    struct weir_output trace;
    enum weir_exit result = job->settings->trace ? weir_output_open(&trace, job->settings->trace) : WEIR_EXIT_OK;
    if (result != WEIR_EXIT_OK)
        return result;
    if (job->settings->trace)
        job->trace = trace.file;
    weir_interrupts_watch();
    enum weir_status status = weir_answer_simulate(job->pipeline, &job->options, &answer, error);
    bool interrupted = weir_interrupts_unwatch();
    weir_progress_end(&job->progress);
    if (status != WEIR_OK)
        result = weir_complain_error(job->title, error);
    if (job->settings->trace)
        result = weir_exit_worse(result, weir_output_close(&trace, status == WEIR_OK));
    if (result == WEIR_EXIT_OK && job->log)
        result = write_log(job);
    if (result == WEIR_EXIT_OK)
        result = print_answer(job, answer);
    weir_answer_free(answer);
    return interrupted && result != WEIR_EXIT_INTERNAL ? WEIR_EXIT_BRACKET : result;
}

/* The settings as they are for this model; exit status and error where they do not go together. */
static enum weir_exit prepare(struct job *job, struct weir_errors *errors, struct weir_error *error)
{
    const struct settings *settings = job->settings;
    struct weir_simulate_options *o = &job->options;
    job->progress.what = o->title = job->title;
    o->context = job;
    o->progress = show_progress;
    o->given = job->times ? give_time : NULL;
    o->first = settings->trace ? trace_run : NULL;
    o->observe = settings->log ? log_event : NULL;
    if (!weir_queue_applies(&settings->queues, job->pipeline, job->path, error))
        return weir_complain_usage(settings->verb, "%s", error->message);
    if (weir_simulate_check(job->pipeline, o, error) != WEIR_OK)
        return weir_complain_usage(settings->verb, "%s: --%s", job->path, error->message);
    if (job->times) {
        enum weir_status status = weir_times_file_bind(job->times, job->pipeline, o->iterations, errors);
        if (status != WEIR_OK)
            return weir_complain_errors(errors, status);
        o->iterations = o->iterations ? o->iterations : weir_times_file_iterations(job->times);
    }
    if (settings->log && !(job->log = weir_flow_writer_new(job->pipeline, error)))
        return weir_complain_error(job->title, error);
    return WEIR_EXIT_OK;
}

static enum weir_exit simulate_file(const struct settings *settings, const char *path, struct weir_times_file *times)
{
    struct weir_read_options options = {.extra_times = times ? weir_times_file_times(times) : NULL};
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    struct weir_error error = {0};
    if (!errors)
        return weir_complain_memory();
    weir_queue_fill(settings->verb, &settings->queues, &options);
    enum weir_status status = weir_model_load(path, &options, &pipeline, errors);
    enum weir_exit result = status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_errors(errors, status);
    if (status == WEIR_OK) {
        struct job job = {.settings = settings,
                          .pipeline = pipeline,
                          .path = path,
                          .title = weir_model_title(pipeline, path),
                          .times = times,
                          .options = settings->simulation};
        result = prepare(&job, errors, &error);
        if (result == WEIR_EXIT_OK)
            result = simulate(&job, &error);
        weir_flow_writer_free(job.log);
    }
    if (settings->json && result != WEIR_EXIT_OK && result != WEIR_EXIT_MISSED && (result != WEIR_EXIT_BRACKET || error.status))
        weir_print_json_errors(path, errors, weir_errors_count(errors) ? NULL : &error);
    weir_errors_free(errors);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit simulate_all(const struct settings *settings, const struct weir_arguments *arguments,
                                   struct weir_times_file *times)
{
    enum weir_exit worst = WEIR_EXIT_OK;
    bool array = settings->json && arguments->count > 1;
    for (size_t i = 0; i < arguments->count; i++) {
        if (array || i > 0)
            fputs(!settings->json ? "\n" : i ? ",\n" : "[\n", stdout);
        enum weir_exit result = simulate_file(settings, arguments->items[i], times);
        worst = weir_exit_worse(worst, result);
        if (result == WEIR_EXIT_BRACKET) /* interrupted: so are the others */
            break;
    }
    if (array)
        fputs("]\n", stdout);
    return worst;
}

/* With the times of a file, where there is one. */
static enum weir_exit simulate_with(struct settings *settings, const struct weir_arguments *arguments, const char *times_path)
{
    if (!times_path)
        return simulate_all(settings, arguments, NULL);
    struct weir_errors *errors = weir_errors_new();
    struct weir_times_file *times = errors ? weir_times_file_read(times_path, errors) : NULL;
    enum weir_status status = errors && weir_errors_count(errors) ? weir_errors_at(errors, 0)->status : WEIR_MEMORY;
    enum weir_exit result = times    ? simulate_all(settings, arguments, times)
                            : errors ? weir_complain_errors(errors, status)
                                     : WEIR_EXIT_INTERNAL;
    weir_times_file_free(times);
    weir_errors_free(errors);
    return result;
}

/* ---- the command line ---- */

static enum weir_exit check(const struct settings *settings, const struct weir_arguments *arguments, const char *times_path)
{
    const char *single = times_path ? "times-file" : settings->trace ? "trace" : settings->log ? "log" : NULL;
    size_t standard_inputs = 0;
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which model?");
    if (!weir_queue_fill(arguments->verb, &settings->queues, &(struct weir_read_options){0}))
        return WEIR_EXIT_USAGE;
    if (single && arguments->count > 1)
        return weir_complain_usage(arguments->verb, "--%s goes with one model", single);
    if (!weir_files_check(arguments->verb, (struct weir_file_option[]){{"trace", settings->trace}, {"log", settings->log}}, 2))
        return WEIR_EXIT_USAGE;
    for (size_t i = 0; i < arguments->count; i++)
        standard_inputs += strcmp(arguments->items[i], "-") == 0;
    if (standard_inputs > 1)
        return weir_complain_usage(arguments->verb, "standard input (-) can be read only once");
    return WEIR_EXIT_OK;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings settings = {.verb = arguments->verb};
    struct weir_simulate_options *o = &settings.simulation;
    const char *times_path = NULL;
    uint64_t runs = 0, iterations = 0, seed = 1, cores = 0, sms = 0, search = UINT64_MAX;
    const struct weir_option options[] = {
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &settings.json},
        {.name = "runs", .kind = WEIR_OPTION_NUMBER, .value = &runs, .low = 1, .high = ITERATIONS_MAX},
        {.name = "iterations", .kind = WEIR_OPTION_NUMBER, .value = &iterations, .low = 1, .high = ITERATIONS_MAX},
        {.name = "times", .kind = WEIR_OPTION_TEXT, .value = &o->times},
        {.name = "times-file", .kind = WEIR_OPTION_TEXT, .value = &times_path},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &seed, .high = INT64_MAX},
        {.name = "releases", .kind = WEIR_OPTION_TEXT, .value = &o->releases},
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &cores, .low = 1, .high = CORES_MAX},
        {.name = "method", .kind = WEIR_OPTION_TEXT, .value = &o->method},
        {.name = "dispatch", .kind = WEIR_OPTION_TEXT, .value = &o->dispatch},
        {.name = "sms", .kind = WEIR_OPTION_NUMBER, .value = &sms, .low = 1, .high = SMS_MAX},
        {.name = "search", .kind = WEIR_OPTION_NUMBER, .value = &search, .high = SEARCH_MAX},
        WEIR_QUEUE_OPTIONS(settings.queues),
        {.name = "trace", .kind = WEIR_OPTION_TEXT, .value = &settings.trace},
        {.name = "log", .kind = WEIR_OPTION_TEXT, .value = &settings.log},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options) ||
        check(&settings, arguments, times_path) != WEIR_EXIT_OK)
        return WEIR_EXIT_USAGE;
    o->runs = (int64_t)runs;
    o->iterations = (int64_t)iterations;
    o->seed = seed;
    o->cores = (uint32_t)cores;
    o->sms = (uint32_t)sms;
    o->no_search = search == 0;
    o->search = search == UINT64_MAX ? 0 : (uint32_t)search;
    o->given_by = times_path;
    return simulate_with(&settings, arguments, times_path);
}

const struct weir_verb weir_verb_simulate = {"simulate", "compare the latencies of many simulated runs with the bounds", help, run,
                                             NULL};
