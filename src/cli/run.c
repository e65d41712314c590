/* SPDX-License-Identifier: Apache-2.0 */
/* weir run: a pipeline on real threads, held against its bound. */
#include "cli.h"

#include <ctype.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: weir run MODEL [OPTION...]\n"
    "\n"
    "Executes the pipeline with a thread for each operator, queues of the modelled capacities, and work that takes as long\n"
    "as the model says. Compares the measured latencies with the bound of the model, and with the bound recomputed from the\n"
    "execution times that were observed; explains every latency above its bound. A MODEL is a YAML, JSON, DOT or SDF3 file,\n"
    "or a GNU Radio flowgraph; - is standard input.\n"
    "\n"
    "  --iterations N   iterations of every operator; of the whole graph where operators have rates\n"
    "  --duration T     stop after this time, such as 30s (default 5s without --iterations)\n"
    "  --times T        how execution times are drawn: random (uniform; default), best, worst, bang-bang (either, in\n"
    "                   stretches), or witness (as in the longest worst case that the analysis found)\n"
    "  --work W         what operators do: spin (compute; default), memory (walk through 4 MiB each), sleep (use no CPU),\n"
    "                   or none (take no time)\n"
    "  --seed S         seed of the random numbers (default 1)\n"
    "  --tick T         the length of a tick, such as 1us, for models whose unit is tick\n"
    "  --tolerance T    count executions and latencies as late only beyond this, such as 50us (default: what the measurement\n"
    "                   itself can add on this machine)\n"
    "  --speed X        run X times as fast as the model says, such as 10 or 1/10\n"
    "  --queue N        capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N  capacity of all queues, whatever the model says\n"
    "Scheduling by Linux:\n"
    "  --sched P        other (default); fifo: by the priorities of the model, or else rate-monotonic; deadline: each\n"
    "                   operator reserves its worst case plus a margin in every period. If Linux refuses a policy, the next\n"
    "                   weaker one is used, and the answer says why\n"
    "  --margin M       for deadline, added to the worst case: a time, or a share such as 20% (default 100us)\n"
    "  --strict         fail rather than run with a weaker policy\n"
    "  --cpus LIST      CPUs to use, such as 0,1 or 2-5\n"
    "  --pin            pin operators to these CPUs in turn, those of a shared processor to the same CPU\n"
    "  --lock           lock memory; fifo and deadline always do\n"
    "  --processes LIST run operators in separate processes: a,b/c puts a and b in one, c in another, the rest in weir's own\n"
    "Output:\n"
    "  --trace FILE     a trace for Perfetto or chrome://tracing\n"
    "  --log FILE       a Data Flow Tracking log in the model's time, which weir compare and weir convert read\n"
    "  --records N      keep the first N executions of each operator for the trace, the log and explanations\n"
    "  --full           every row of every table\n"
    "  --json           JSON output\n"
    "  --help           this text\n"
    "\n"
    "On a terminal, a status line shows how close the latencies have come to their bounds. Ctrl-C ends the run; the answer\n"
    "is then what was measured so far.\n"
    "\n"
    "Examples:\n"
    "  weir run camera.yaml\n"
    "  weir run camera.yaml --iterations 1000 --times worst --sched fifo --json\n"
    "  weir run camera.yaml --duration 30s --sched deadline --trace run.json\n"
    "  weir run camera.yaml --log run.log && weir compare camera.yaml run.log\n"
    "\n"
    "Exit status: 0 every measured latency is within its bound and its deadline; 1 one is not, the pipeline failed or\n"
    "stalled, or with --strict a policy was refused; 2 wrong usage; 3 the model cannot be read or executed; 70 no memory, or\n"
    "a bug in weir; 74 a file could not be written.\n";

enum { ITERATIONS_MAX = 1000000000, RECORDS_LIMIT = 100000000, CPUS_MAX = 8 * sizeof(cpu_set_t) };
#define DURATION_NS INT64_C(5000000000)
#define PATIENCE_NS 1000000000

struct settings {
    const struct weir_verb *verb;
    bool json, full, shown; /* shown: something of its progress */
    uint64_t iterations, seed, records;
    struct weir_queue_options queues;
    struct weir_trial_options trial;
    uint32_t *cpus;          /* NULL: any */
    const char *processes;   /* names; NULL: none */
    const char *trace, *log; /* files, or NULL */
};

/* ---- options ---- */

static bool parse_choice(const struct weir_arguments *arguments, const char *option, const char *text, const char *const *names,
                         size_t *chosen)
{
    size_t count = 0;
    char list[128] = "";
    for (; names[count]; count++) {
        if (strcmp(text, names[count]) == 0) {
            *chosen = count;
            return true;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", !count ? "" : names[count + 1] ? ", " : " or ", names[count]);
    }
    const char *nearest = weir_nearest(text, names, count);
    weir_complain_usage(arguments->verb, "--%s: expected %s, not '%s'%s%s%s", option, list, text, nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

static bool parse_speed(const struct weir_arguments *arguments, const char *text, struct weir_ratio *scale)
{
    char *end;
    long times = isdigit((unsigned char)text[0]) ? strtol(text, &end, 10) : 0, by = 1;
    if (times > 0 && *end == '/')
        by = isdigit((unsigned char)end[1]) ? strtol(end + 1, &end, 10) : 0;
    if (times <= 0 || by <= 0 || *end || times > INT32_MAX || by > INT32_MAX) {
        weir_complain_usage(arguments->verb, "--speed: expected a number such as 10 or 1/10, not '%s'", text);
        return false;
    }
    *scale = (struct weir_ratio){by, times};
    return true;
}

static bool parse_margin(const struct weir_arguments *arguments, const char *text, struct settings *s)
{
    size_t length = strlen(text);
    if (length == 0 || text[length - 1] != '%') {
        bool good = weir_parse_duration(arguments, "margin", text, 0, &s->trial.margin_ns);
        s->trial.margin_ns -= s->trial.margin_ns == 0; /* none, and not the usual one */
        return good;
    }
    if (!weir_parse_percent(text, 1000000, &s->trial.margin_permille)) {
        weir_complain_usage(arguments->verb, "--margin: expected a time such as 100us, or a share such as 20%%, not '%s'", text);
        return false;
    }
    s->trial.margin_ns = -1;
    return true;
}

static bool parse_cpus(const struct weir_arguments *arguments, const char *text, struct settings *s)
{
    bool wanted[CPUS_MAX] = {false}, good = true;
    for (const char *at = text; good; at++) {
        char *end;
        long first = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1, last = first;
        if (first >= 0 && *end == '-')
            last = isdigit((unsigned char)end[1]) ? strtol(end + 1, &end, 10) : -1;
        good = first >= 0 && last >= first && last < CPUS_MAX && (*end == ',' || !*end);
        for (long i = first; good && i <= last; i++)
            wanted[i] = true;
        if (!good || !*end)
            break;
        at = end;
    }
    if (!good) {
        weir_complain_usage(arguments->verb, "--cpus: expected numbers below %d such as 0,1 or 2-5, not '%s'", CPUS_MAX, text);
        return false;
    }
    cpu_set_t there;
    bool known = sched_getaffinity(0, sizeof there, &there) == 0;
    s->cpus = calloc(CPUS_MAX, sizeof *s->cpus);
    for (uint32_t i = 0; s->cpus && i < CPUS_MAX; i++) {
        if (wanted[i] && known && !CPU_ISSET(i, &there)) {
            weir_complain_usage(arguments->verb, "--cpus: there is no CPU %u, or weir may not use it", i);
            return false;
        }
        if (wanted[i])
            s->cpus[s->trial.cpu_count++] = i;
    }
    s->trial.cpus = s->cpus;
    return s->cpus != NULL;
}

struct texts {
    const char *times, *work, *sched, *duration, *tick, *speed, *margin, *cpus, *tolerance;
};

static bool parse_texts(const struct weir_arguments *arguments, const struct texts *t, struct settings *s)
{
    struct weir_run_options *run = &s->trial.run;
    static const char *const times[] = {"random", "best", "worst", "bang-bang", "witness", NULL};
    static const char *const work[] = {"spin", "memory", "sleep", "none", NULL};
    static const char *const policies[] = {"other", "fifo", "deadline", NULL};
    size_t chosen = 0;
    if (t->times && !parse_choice(arguments, "times", t->times, times, &chosen))
        return false;
    run->times = (enum weir_times)chosen; /* the last is WEIR_TIMES_GIVEN, by the witness */
    chosen = 0;
    if (t->work && !parse_choice(arguments, "work", t->work, work, &chosen))
        return false;
    run->work = (enum weir_run_work)chosen;
    chosen = 0;
    if (t->sched && !parse_choice(arguments, "sched", t->sched, policies, &chosen))
        return false;
    s->trial.policy = (enum weir_run_policy)chosen;
    run->iterations = (int64_t)s->iterations;
    run->seed = s->seed;
    s->trial.records = s->records == UINT64_MAX ? 0 : s->records == 0 ? -1 : (int64_t)s->records;
    if ((t->duration && !weir_parse_duration(arguments, "duration", t->duration, 1, &run->duration_ns)) ||
        (t->tick && !weir_parse_duration(arguments, "tick", t->tick, 1, &run->tick_ns)) ||
        (t->speed && !parse_speed(arguments, t->speed, &run->scale)) || (t->margin && !parse_margin(arguments, t->margin, s)) ||
        (t->cpus && !parse_cpus(arguments, t->cpus, s)) ||
        (t->tolerance && !weir_parse_duration(arguments, "tolerance", t->tolerance, 0, &run->tolerance_ns)))
        return false;
    if (t->tolerance && run->tolerance_ns == 0)
        run->tolerance_ns = -1; /* none, and not that of the clock */
    if (!t->duration && !s->iterations)
        run->duration_ns = DURATION_NS;
    return true;
}

/* By operator; NULL where a name is not one of the model. */
static uint32_t *parse_processes(const struct settings *s, const struct weir_pipeline *pipeline)
{
    char word[256];
    uint32_t process = 1, *processes = calloc(weir_pipeline_operator_count(pipeline), sizeof *processes);
    for (const char *at = s->processes; processes; at++) {
        struct weir_operator op;
        size_t length = strcspn(at, ",/");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, at);
        if (!weir_pipeline_find(pipeline, word, &op)) {
            weir_complain_usage(s->verb, "--processes: '%s' is no operator of the model", word);
            free(processes);
            return NULL;
        }
        processes[op.index] = process;
        at += length;
        if (*at == '\0')
            break;
        process += *at == '/';
    }
    return processes;
}

/* ---- signals ---- */

static struct weir_trial *volatile running;
static volatile sig_atomic_t asked; /* to stop */
static volatile int64_t asked_at;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One that comes much later is not about the run any more; the same one may come twice, to the process and to its group. */
static void interrupted(int number)
{
    struct weir_trial *trial = running;
    if (asked && now() - asked_at > PATIENCE_NS) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    if (!asked)
        asked_at = now();
    asked = 1;
    if (trial)
        weir_trial_stop(trial);
}

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void catch_signals(struct sigaction old[NUMBERS])
{
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < NUMBERS; i++)
        if (sigaction(numbers[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

static void release_signals(const struct sigaction old[NUMBERS])
{
    for (size_t i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &old[i], NULL);
    running = NULL;
}

/* ---- files ---- */

/* Whether the files could be written, before anything is run. */
static enum weir_exit probe(const struct settings *s, const struct weir_pipeline *pipeline, const char *title)
{
    const char *const paths[] = {s->trace, s->log};
    enum weir_exit result = WEIR_EXIT_OK;
    struct weir_error error = {0};
    struct weir_flow_writer *writer = s->log ? weir_flow_writer_new(pipeline, &error) : NULL;
    weir_flow_writer_free(writer);
    if (s->log && !writer)
        return weir_complain_error(title, &error);
    for (size_t i = 0; i < 2 && result == WEIR_EXIT_OK; i++) {
        struct weir_output output;
        if (!paths[i])
            continue;
        result = weir_output_open(&output, paths[i]);
        if (result == WEIR_EXIT_OK)
            result = weir_output_close(&output, false);
    }
    return result;
}

static enum weir_exit write_file(const struct weir_run *run, const char *path,
                                 enum weir_status (*write)(const struct weir_run *, FILE *, struct weir_error *))
{
    struct weir_output output;
    struct weir_error error = {0};
    if (!path)
        return WEIR_EXIT_OK;
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = write(run, output.file, &error);
    if (!status && ftell(output.file) == 0)
        weir_complain("%s is empty: the run ended before any message had passed through the pipeline; give a longer --duration, or "
                      "--iterations",
                      path);
    return weir_output_finish(&output, status, &error, path);
}

/* ---- all of it ---- */

/* The latency that is nearest to its bound, or beyond it. */
static void show(void *shown, const struct weir_trial *trial, int64_t elapsed)
{
    const struct weir_run *run = weir_trial_run_of(trial);
    const struct weir_pipeline *pipeline = weir_run_pipeline(run);
    char max[WEIR_DURATION_TEXT], bound[WEIR_DURATION_TEXT], time[WEIR_DURATION_TEXT];
    struct weir_run_chain_stats chosen = {0};
    double most = -1;
    if (elapsed < PATIENCE_NS)
        return;
    *(bool *)shown = true;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(pipeline); i++) {
        struct weir_run_chain_stats seen = weir_run_chain(run, i);
        int64_t limit = weir_trial_bound(trial, i);
        double share = limit > 0 ? (double)seen.max / (double)limit : 0;
        if (share > most) {
            most = share;
            chosen = seen;
            weir_duration_format(limit, bound);
        }
    }
    fprintf(stderr, "\r\033[K%s", weir_duration_format(elapsed, time));
    if (most >= 0)
        fprintf(stderr, "  %.30s -> %.30s: at most %s", weir_pipeline_operator(pipeline, chosen.chain.from).name,
                weir_pipeline_operator(pipeline, chosen.chain.to).name, weir_duration_format(chosen.max, max));
    if (most > 0)
        fprintf(stderr, " of %s (%.0f %%)%s", bound, most * 100, most > 1 ? ", above the bound" : "");
    fflush(stderr);
}

static enum weir_exit run_trial(const struct settings *s, struct weir_trial *trial)
{
    struct weir_error error = {0};
    struct sigaction old[NUMBERS];
    catch_signals(old);
    running = trial;
    if (asked)
        weir_trial_stop(trial);
    enum weir_status status = weir_trial_run(trial, &error);
    release_signals(old);
    if (s->trial.watch && *(bool *)s->trial.context)
        fputs("\r\033[K", stderr);
    const struct weir_answer *answer = weir_trial_answer(trial);
    enum weir_exit result = status ? weir_complain_error(s->trial.title, &error) : WEIR_EXIT_OK;
    if (!answer)
        return s->trial.strict && status == WEIR_INVALID ? WEIR_EXIT_MISSED : result;
    if (status && status != WEIR_MEMORY) /* it ran, and failed */
        result = WEIR_EXIT_MISSED;
    const struct weir_run *run = weir_trial_run_of(trial);
    result = weir_exit_worse(result, weir_print_answer(answer, s->json, &(struct weir_text_options){.full = s->full}, NULL));
    result = weir_exit_worse(result, write_file(run, s->trace, weir_run_write_trace));
    return weir_exit_worse(result, write_file(run, s->log, weir_run_write_log));
}

static enum weir_exit run_pipeline(struct settings *s, const struct weir_pipeline *pipeline, const char *path)
{
    struct weir_error error = {0};
    struct weir_trial *trial = NULL;
    s->trial.title = weir_model_title(pipeline, path);
    s->trial.watch = isatty(STDERR_FILENO) ? show : NULL;
    s->trial.context = &s->shown;
    if (weir_pipeline_unit(pipeline) == WEIR_UNIT_TICK && !s->trial.run.tick_ns && s->trial.run.work != WEIR_RUN_NOTHING)
        return weir_complain_usage(s->verb, "%s: the times of the model have no unit: how long is a tick? Give --tick 1us",
                                   s->trial.title);
    uint32_t *processes = s->processes ? parse_processes(s, pipeline) : NULL;
    if (s->processes && !processes)
        return WEIR_EXIT_USAGE;
    s->trial.run.processes = processes;
    enum weir_status status = weir_trial_new(pipeline, &s->trial, &trial, &error);
    enum weir_exit result = status ? weir_complain_error(s->trial.title, &error) : probe(s, pipeline, s->trial.title);
    if (result == WEIR_EXIT_OK)
        result = run_trial(s, trial);
    weir_trial_free(trial);
    free(processes);
    return result;
}

/* The tick of the model is made a nanosecond, or finer, so that what is measured can be said in it. */
static enum weir_exit run_model(struct settings *s, const char *path)
{
    char extra[64] = "1ns", digits[] = "000000000000000001";
    struct weir_pipeline *pipeline = NULL;
    int places = 0;
    for (int64_t tick = s->trial.run.tick_ns; tick > 1 && places < 15; tick /= 10)
        places++;
    if (places)
        snprintf(extra, sizeof extra, "1ns,0.%s", digits + sizeof digits - 1 - places);
    struct weir_read_options read = {.extra_times = extra};
    if (!weir_queue_fill(s->verb, &s->queues, &read))
        return WEIR_EXIT_USAGE;
    enum weir_exit result = weir_model_read(path, &read, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    result = run_pipeline(s, pipeline, path);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.verb = arguments->verb, .seed = 1, .records = UINT64_MAX, .trial = {.run.scale = {1, 1}}};
    struct texts t = {0};
    const struct weir_option options[] = {
        {.name = "iterations", .kind = WEIR_OPTION_NUMBER, .value = &s.iterations, .low = 1, .high = ITERATIONS_MAX},
        {.name = "duration", .kind = WEIR_OPTION_TEXT, .value = &t.duration},
        {.name = "times", .kind = WEIR_OPTION_TEXT, .value = &t.times},
        {.name = "work", .kind = WEIR_OPTION_TEXT, .value = &t.work},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &s.seed, .high = INT64_MAX},
        {.name = "tick", .kind = WEIR_OPTION_TEXT, .value = &t.tick},
        {.name = "speed", .kind = WEIR_OPTION_TEXT, .value = &t.speed},
        WEIR_QUEUE_OPTIONS(s.queues),
        {.name = "sched", .kind = WEIR_OPTION_TEXT, .value = &t.sched},
        {.name = "margin", .kind = WEIR_OPTION_TEXT, .value = &t.margin},
        {.name = "strict", .kind = WEIR_OPTION_FLAG, .value = &s.trial.strict},
        {.name = "tolerance", .kind = WEIR_OPTION_TEXT, .value = &t.tolerance},
        {.name = "cpus", .kind = WEIR_OPTION_TEXT, .value = &t.cpus},
        {.name = "pin", .kind = WEIR_OPTION_FLAG, .value = &s.trial.pin},
        {.name = "lock", .kind = WEIR_OPTION_FLAG, .value = &s.trial.run.lock_memory},
        {.name = "processes", .kind = WEIR_OPTION_TEXT, .value = &s.processes},
        {.name = "trace", .kind = WEIR_OPTION_TEXT, .value = &s.trace},
        {.name = "log", .kind = WEIR_OPTION_TEXT, .value = &s.log},
        {.name = "records", .kind = WEIR_OPTION_NUMBER, .value = &s.records, .high = RECORDS_LIMIT},
        {.name = "full", .kind = WEIR_OPTION_FLAG, .value = &s.full},
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &s.json},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return result;
    if (arguments->count != 1)
        return weir_complain_usage(arguments->verb, arguments->count ? "one model at a time" : "which model?");
    if (!weir_files_check(arguments->verb, (struct weir_file_option[]){{"trace", s.trace}, {"log", s.log}}, 2))
        return WEIR_EXIT_USAGE;
    if (!s.records && (s.trace || s.log))
        return weir_complain_usage(arguments->verb, "--%s: --records 0 keeps no execution for it", s.trace ? "trace" : "log");
    if (parse_texts(arguments, &t, &s))
        result = run_model(&s, arguments->items[0]);
    free(s.cpus);
    return result;
}

const struct weir_verb weir_verb_run = {"run", "execute a pipeline on real threads and compare it with its bounds", help, run,
                                        NULL};
