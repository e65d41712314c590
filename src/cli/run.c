/* SPDX-License-Identifier: Apache-2.0 */
/* weir run: a pipeline on real threads, held against its bound. */
#include "run.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: weir run MODEL [OPTION...]\n"
    "\n"
    "Executes the pipeline: a thread for each operator, queues of the model's capacities, and work that takes as long as the\n"
    "model says. Prints the latencies that were measured against the bound of the model, and against the bound with the\n"
    "execution times that were seen; what is above the bound is explained. A MODEL is a YAML, JSON, DOT or SDF3 file, or a\n"
    "flowgraph of GNU Radio; - is standard input.\n"
    "\n"
    "  --iterations N   of every operator; of the whole graph where operators have rates\n"
    "  --duration T     stop after that time, such as 30s; 5s where neither is given\n"
    "  --times T        how execution times are drawn: random (uniform, the default), best, worst, bang-bang (either, in\n"
    "                   stretches), or witness (as in the longest worst case that the analysis found)\n"
    "  --work W         what operators do: spin (compute, the default), memory (go through 4 MiB each), sleep (need no\n"
    "                   CPU), or none (take no time)\n"
    "  --seed S         other times for another number; 1 unless given\n"
    "  --tick T         how long a tick is, such as 1us; for models whose unit is tick\n"
    "  --speed X        so many times as fast as the model: 10, or 1/10\n"
    "  --queue N        capacity of the queues whose capacity the model does not give\n"
    "Scheduling by Linux:\n"
    "  --sched P        other (the default); fifo: shorter periods are more urgent, or as the priorities of the model say;\n"
    "                   deadline: each operator gets its worst case and a margin in every period. What Linux refuses becomes\n"
    "                   the next weaker policy, and the answer says why\n"
    "  --margin M       of an execution's worst case, for deadline: a time, or a part such as 20%; 100us unless given\n"
    "  --strict         fail rather than run with a weaker policy\n"
    "  --cpus LIST      CPUs to use, such as 0,1 or 2-5\n"
    "  --pin            each operator on one of them, by turns; those of a shared processor on the same one\n"
    "  --lock           lock memory; fifo and deadline always do\n"
    "Output:\n"
    "  --trace FILE     for Perfetto or chrome://tracing\n"
    "  --log FILE       a Data Flow Tracking log in times of the model, which weir compare and weir convert read\n"
    "  --records N      executions of each operator to keep for these and for explanations, the first ones\n"
    "  --json           for programs\n"
    "  --help           this text\n"
    "\n"
    "On a terminal a line shows how near the latencies have come to their bound. Ctrl-C ends the run; what was measured\n"
    "so far is the answer.\n"
    "\n"
    "Examples:\n"
    "  weir run camera.yaml\n"
    "  weir run camera.yaml --iterations 1000 --times worst --sched fifo --json\n"
    "  weir run camera.yaml --duration 30s --sched deadline --trace run.json\n"
    "  weir run camera.yaml --log run.log && weir compare camera.yaml run.log\n"
    "\n"
    "Exit status: 0 every latency measured is within its bound and its deadline; 1 one is not, the pipeline failed or stood\n"
    "still, or with --strict a policy was refused; 2 wrong usage; 3 a model cannot be read or executed; 70 no memory, or a\n"
    "bug in weir; 74 a file could not be written.\n";

enum { ITERATIONS_MAX = 1000000000, RECORDS_LIMIT = 100000000, CPUS_MAX = CPU_SETSIZE };
#define DURATION_NS INT64_C(5000000000)
#define MARGIN_NS 100000

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

/* "1.5ms" as nanoseconds, at least `least`. */
static bool parse_time(const struct weir_arguments *arguments, const char *option, const char *text, int64_t least, int64_t *ns)
{
    struct weir_error error = {0};
    struct weir_pipeline *nanoseconds = weir_pipeline_new(&error);
    size_t length = strlen(text);
    bool good = length && isalpha((unsigned char)text[length - 1]) && nanoseconds &&
                !weir_pipeline_set_unit(nanoseconds, WEIR_UNIT_NS, 0, &error) && !weir_time_parse(nanoseconds, text, ns, &error) &&
                *ns >= least && *ns < INT64_C(1) << 56;
    weir_pipeline_free(nanoseconds);
    if (!good)
        weir_complain_usage(arguments->verb, "--%s: expected a time with its unit, such as 1ms, not '%s'", option, text);
    return good;
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

static bool parse_margin(const struct weir_arguments *arguments, const char *text, struct weir_live_settings *s)
{
    char *end;
    size_t length = strlen(text);
    if (length == 0 || text[length - 1] != '%')
        return parse_time(arguments, "margin", text, 0, &s->margin);
    long percent = isdigit((unsigned char)text[0]) ? strtol(text, &end, 10) : -1;
    if (percent < 0 || percent > 100000 || strcmp(end, "%") != 0) {
        weir_complain_usage(arguments->verb, "--margin: expected a time such as 100us, or a part such as 20%%, not '%s'", text);
        return false;
    }
    s->margin = -1;
    s->margin_permille = percent * 10;
    return true;
}

static bool parse_cpus(const struct weir_arguments *arguments, const char *text, struct weir_live_settings *s)
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
    s->cpus = calloc(CPUS_MAX, sizeof *s->cpus);
    for (uint32_t i = 0; s->cpus && i < CPUS_MAX; i++)
        if (wanted[i])
            s->cpus[s->cpu_count++] = i;
    return s->cpus != NULL;
}

struct texts {
    const char *times, *work, *sched, *duration, *tick, *speed, *margin, *cpus;
};

static bool parse_texts(const struct weir_arguments *arguments, const struct texts *t, struct weir_live_settings *s)
{
    static const char *const times[] = {"random", "best", "worst", "bang-bang", "witness", NULL};
    static const char *const work[] = {"spin", "memory", "sleep", "none", NULL};
    static const char *const policies[] = {"other", "fifo", "deadline", NULL};
    size_t chosen = 0;
    if (t->times && !parse_choice(arguments, "times", t->times, times, &chosen))
        return false;
    s->times = (enum weir_times)chosen; /* the last is WEIR_TIMES_GIVEN, by the witness */
    s->witness = s->times == WEIR_TIMES_GIVEN;
    s->times_name = times[chosen];
    chosen = 0;
    if (t->work && !parse_choice(arguments, "work", t->work, work, &chosen))
        return false;
    s->work = (enum weir_run_work)chosen;
    s->work_name = work[chosen];
    chosen = 0;
    if (t->sched && !parse_choice(arguments, "sched", t->sched, policies, &chosen))
        return false;
    s->policy = (enum weir_run_policy)chosen;
    if ((t->duration && !parse_time(arguments, "duration", t->duration, 1, &s->duration)) ||
        (t->tick && !parse_time(arguments, "tick", t->tick, 1, &s->tick)) ||
        (t->speed && !parse_speed(arguments, t->speed, &s->scale)) || (t->margin && !parse_margin(arguments, t->margin, s)) ||
        (t->cpus && !parse_cpus(arguments, t->cpus, s)))
        return false;
    if (!t->duration && !s->iterations)
        s->duration = DURATION_NS;
    return true;
}

/* ---- all of it ---- */

static void close_live(struct weir_live *live)
{
    weir_run_free(live->run);
    weir_run_free(live->clock);
    weir_analysis_free(live->analysis);
    weir_answer_free(live->answer);
    weir_answer_free(live->observed_answer);
    weir_pipeline_free(live->seen);
    free(live->tasks);
    free(live->pairs);
}

static enum weir_exit prepare(struct weir_live *live)
{
    const struct weir_live_settings *s = live->settings;
    struct weir_error error = {0};
    struct weir_run_options options = {.work = s->work, .tick_ns = s->tick, .scale = s->scale};
    if (!live->comparable && s->work != WEIR_RUN_NOTHING)
        return weir_complain_usage(s->verb, "%s: the times of the model have no unit: how long is a tick? Give --tick 1us",
                                   live->title);
    if (weir_run_new(live->pipeline, &options, &live->clock, &error))
        return weir_complain_error(live->title, &error);
    if (s->log) { /* better now than after the run */
        struct weir_flow_writer *writer = weir_flow_writer_new(live->pipeline, &error);
        if (!writer)
            return weir_complain_error(live->title, &error);
        weir_flow_writer_free(writer);
    }
    live->operators = weir_pipeline_operator_count(live->pipeline);
    live->pair_count = weir_pipeline_pair_count(live->pipeline);
    live->tasks = calloc((size_t)live->operators + 1, sizeof *live->tasks);
    live->pairs = calloc((size_t)live->pair_count + 1, sizeof *live->pairs);
    if (!live->tasks || !live->pairs) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    enum weir_exit result = weir_live_plan(live);
    return result == WEIR_EXIT_OK ? weir_live_bound(live) : result;
}

/* What was measured alone makes of the exit status. */
static enum weir_exit judge(const struct weir_live *live)
{
    for (uint32_t i = 0; i < live->pair_count; i++) {
        struct weir_run_pair_stats seen = weir_run_pair(live->run, i);
        if (seen.over || seen.pending_over || weir_live_late(live, &seen))
            return WEIR_EXIT_MISSED;
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit run_pipeline(struct weir_live *live)
{
    enum weir_exit result = prepare(live);
    if (result == WEIR_EXIT_OK)
        result = weir_live_probe(live->settings);
    if (result != WEIR_EXIT_OK)
        return result;
    result = weir_live_run(live);
    if (!live->run)
        return result;
    weir_live_bound_observed(live);
    weir_live_explain(live);
    if (live->settings->json)
        weir_live_print_json(live);
    else
        weir_live_print(live);
    result = weir_exit_worse(result, judge(live));
    return weir_exit_worse(result, weir_live_write(live));
}

/* The tick of the model is made a nanosecond, or finer, so that what is measured can be said in it. */
static enum weir_exit run_model(const struct weir_live_settings *settings, const char *path)
{
    char extra[64] = "1ns", digits[] = "000000000000000001";
    struct weir_pipeline *pipeline = NULL;
    int places = 0;
    for (int64_t tick = settings->tick; tick > 1 && places < 15; tick /= 10)
        places++;
    if (places)
        snprintf(extra, sizeof extra, "1ns,0.%s", digits + sizeof digits - 1 - places);
    struct weir_read_options read = {.queue = (uint32_t)settings->queue, .extra_times = extra};
    enum weir_exit result = weir_model_read(path, &read, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    struct weir_live live = {.settings = settings,
                             .pipeline = pipeline,
                             .title = weir_model_title(pipeline, path),
                             .comparable = settings->tick > 0 || weir_pipeline_unit(pipeline) != WEIR_UNIT_TICK};
    result = run_pipeline(&live);
    close_live(&live);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct weir_live_settings s = {.verb = arguments->verb, .seed = 1, .records = UINT64_MAX, .scale = {1, 1}, .margin = MARGIN_NS};
    struct texts t = {0};
    const struct weir_option options[] = {
        {.name = "iterations", .kind = WEIR_OPTION_NUMBER, .value = &s.iterations, .low = 1, .high = ITERATIONS_MAX},
        {.name = "duration", .kind = WEIR_OPTION_TEXT, .value = &t.duration},
        {.name = "times", .kind = WEIR_OPTION_TEXT, .value = &t.times},
        {.name = "work", .kind = WEIR_OPTION_TEXT, .value = &t.work},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &s.seed, .high = UINT64_MAX},
        {.name = "tick", .kind = WEIR_OPTION_TEXT, .value = &t.tick},
        {.name = "speed", .kind = WEIR_OPTION_TEXT, .value = &t.speed},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &s.queue, .low = 1, .high = 1 << 30},
        {.name = "sched", .kind = WEIR_OPTION_TEXT, .value = &t.sched},
        {.name = "margin", .kind = WEIR_OPTION_TEXT, .value = &t.margin},
        {.name = "strict", .kind = WEIR_OPTION_FLAG, .value = &s.strict},
        {.name = "cpus", .kind = WEIR_OPTION_TEXT, .value = &t.cpus},
        {.name = "pin", .kind = WEIR_OPTION_FLAG, .value = &s.pin},
        {.name = "lock", .kind = WEIR_OPTION_FLAG, .value = &s.lock},
        {.name = "trace", .kind = WEIR_OPTION_TEXT, .value = &s.trace},
        {.name = "log", .kind = WEIR_OPTION_TEXT, .value = &s.log},
        {.name = "records", .kind = WEIR_OPTION_NUMBER, .value = &s.records, .high = RECORDS_LIMIT},
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &s.json},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return result;
    if (arguments->count != 1)
        return weir_complain_usage(arguments->verb, arguments->count ? "one model at a time" : "which model?");
    const char *file = s.trace && strcmp(s.trace, "-") == 0 ? "trace" : s.log && strcmp(s.log, "-") == 0 ? "log" : NULL;
    if (file)
        return weir_complain_usage(arguments->verb, "--%s: give a file; standard output is for the answer", file);
    if (parse_texts(arguments, &t, &s))
        result = run_model(&s, arguments->items[0]);
    free(s.cpus);
    return result;
}

const struct weir_verb weir_verb_run = {"run", "execute a pipeline on real threads, and hold it against its bound", help, run,
                                        NULL};
