/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the exact engine is meant to do, row by row, beside what it does. Each row runs in a process of its own, which is ended when
 * it takes far longer than the goal, so that the table is always finished; the memory is that process's own.
 */
#include "exact_table.h"
#include "clock.h"

#include "base/random.h"
#include "weir.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 40 };

/* ---- pipelines ---- */

static struct weir_operator operator_of(struct weir_pipeline *p, int64_t worst, uint32_t best_permille)
{
    char name[24];
    struct weir_operator op;
    snprintf(name, sizeof name, "o%u", weir_pipeline_operator_count(p));
    struct weir_operator_spec spec = {.name = name, .best = worst * best_permille / 1000, .worst = worst};
    weir_pipeline_add_operator(p, &spec, &op, NULL);
    return op;
}

static void queue(struct weir_pipeline *p, uint32_t from, uint32_t to, uint32_t capacity)
{
    weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = {from}, .to = {to}, .capacity = capacity}, NULL, NULL);
}

struct weir_pipeline *bench_layered_pipeline(const struct bench_layers *shape)
{
    struct weir_random random;
    weir_random_seed(&random, 7);
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < shape->operators; i++)
        operator_of(p, weir_random_between(&random, 100, 1000), shape->best_permille);
    for (uint32_t i = 1; i < shape->operators; i++) { /* operator 0 is the source, the last the sink */
        uint32_t layer = (i - 1) / shape->width, first = layer ? 1 + (layer - 1) * shape->width : 0;
        for (int64_t k = weir_random_between(&random, 1, 3); k > 0; k--) {
            uint32_t from = first + (uint32_t)weir_random_between(&random, 0, layer ? shape->width - 1 : 0);
            queue(p, from, i, shape->queue);
        }
    }
    weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {0}, .to = {shape->operators - 1}}, NULL);
    weir_pipeline_seal(p, NULL, NULL);
    return p;
}

static struct weir_pipeline *chain(uint32_t operators, uint32_t capacity, uint32_t best_permille)
{
    struct weir_random random;
    weir_random_seed(&random, 7);
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < operators; i++)
        operator_of(p, weir_random_between(&random, 1, 1000), best_permille);
    for (uint32_t i = 1; i < operators; i++)
        queue(p, i - 1, i, capacity);
    weir_pipeline_seal(p, NULL, NULL);
    return p;
}

/* Frames of a camera that are worked on for a little longer than its period: a backlog that grows for many frames. */
static struct weir_pipeline *camera(int64_t period, int64_t work, uint32_t capacity)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    const struct weir_operator_spec operators[] = {{.name = "camera", .best = period / 32, .worst = period / 16},
                                                   {.name = "infer", .best = period / 4, .worst = work},
                                                   {.name = "show", .best = period / 8, .worst = period / 2}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        weir_pipeline_add_operator(p, &operators[i], NULL, NULL);
    queue(p, 0, 1, capacity);
    queue(p, 1, 2, capacity);
    weir_pipeline_add_source(p, &(struct weir_source_spec){.op = {0}, .period = period}, NULL);
    weir_pipeline_seal(p, NULL, NULL);
    return p;
}

static struct weir_pipeline *batches(uint32_t first, uint32_t second)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < (second ? 3 : 2); i++)
        operator_of(p, i ? 9 : 3, 500);
    const uint32_t consume[] = {first, second};
    for (uint32_t i = 0; i < (second ? 2 : 1); i++)
        weir_pipeline_add_queue(
            p, &(struct weir_queue_spec){.from = {i}, .to = {i + 1}, .capacity = consume[i], .consume = consume[i]}, NULL, NULL);
    weir_pipeline_seal(p, NULL, NULL);
    return p;
}

/* Reentrant operators in a ring. */
static struct weir_pipeline *ring(uint32_t tokens)
{
    enum { MEMBERS = 8 };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        char name[8];
        snprintf(name, sizeof name, "r%u", i);
        struct weir_operator_spec spec = {.name = name, .best = 70 + 13 * i, .worst = 100 + 17 * i, .reentrant = true};
        weir_pipeline_add_operator(p, &spec, NULL, NULL);
    }
    for (uint32_t i = 1; i < MEMBERS; i++)
        queue(p, i - 1, i, WEIR_UNBOUNDED);
    weir_pipeline_add_queue(
        p, &(struct weir_queue_spec){.from = {MEMBERS - 1}, .to = {0}, .capacity = WEIR_UNBOUNDED, .initial = tokens}, NULL, NULL);
    weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {0}, .to = {MEMBERS - 1}}, NULL);
    weir_pipeline_seal(p, NULL, NULL);
    return p;
}

/* Two sources, thirteen sinks, two layers between them: a latency from each source to each sink. */
static struct weir_pipeline *many_latencies(uint32_t capacity)
{
    enum { SOURCES = 2, WIDTH = 13, LAYERS = 2, SINKS = 13, OPERATORS = SOURCES + WIDTH * LAYERS + SINKS };
    struct weir_random random;
    weir_random_seed(&random, 7);
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < OPERATORS; i++)
        operator_of(p, weir_random_between(&random, 100, 1000), 900);
    for (uint32_t i = SOURCES; i < OPERATORS; i++) {
        uint32_t layer = i - SOURCES < WIDTH * LAYERS ? (i - SOURCES) / WIDTH : LAYERS;
        uint32_t first = layer ? SOURCES + (layer - 1) * WIDTH : 0, count = layer ? WIDTH : SOURCES;
        for (uint32_t k = 0; k < 2; k++)
            queue(p, first + (i + k * (1 + i / WIDTH)) % count, i, capacity);
    }
    weir_pipeline_seal(p, NULL, NULL);
    return p;
}

/* ---- one row ---- */

enum row_kind { ROW_QUERY, ROW_ANALYZE, ROW_VERIFY, ROW_LIMIT };

struct row {
    const char *name;
    const char *goal_text; /* where it is not a time alone */
    double goal;           /* seconds; 0: none is set */
    enum row_kind kind;
    struct weir_pipeline *(*make)(const uint32_t *argument);
    uint32_t argument[4];
};

struct outcome {
    double seconds;
    bool exact, done;
    uint32_t latencies;
};

static struct outcome run_query(const struct weir_pipeline *p)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_chain_spec c = weir_pipeline_chain(p, 0);
    struct weir_query query = {
        .from = {.op = c.from, .moment = WEIR_START}, .to = {.op = c.to, .moment = WEIR_FINISH}, .shift = c.shift};
    struct weir_separation result = {0};
    double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum weir_status status = weir_separation_worst(solver, &query, &result, NULL);
    struct outcome outcome = {.seconds = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin,
                              .exact = !status && result.outcome == WEIR_EXACT,
                              .done = true,
                              .latencies = 1};
    weir_solver_free(solver);
    return outcome;
}

static struct outcome run_analysis(const struct weir_pipeline *p, enum row_kind kind)
{
    struct weir_analyze_options options = {.verify = kind == ROW_VERIFY, .work_limit = kind == ROW_LIMIT ? 1000 : 0, .threads = 1};
    struct weir_analysis *analysis;
    double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum weir_status status = weir_analyze(p, &options, &analysis, NULL);
    struct outcome outcome = {.seconds = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin, .exact = !status, .done = true};
    if (status)
        return outcome;
    outcome.latencies = (uint32_t)analysis->latency_count;
    for (size_t i = 0; i < analysis->latency_count && kind != ROW_LIMIT; i++)
        outcome.exact &=
            analysis->latencies[i].worst.outcome == WEIR_EXACT && (kind != ROW_VERIFY || analysis->latencies[i].verified);
    weir_analysis_free(analysis);
    return outcome;
}

/* In a process of its own; *gigabytes: the most memory it had. */
static struct outcome run_row(const struct row *row, double *gigabytes)
{
    struct outcome outcome = {.done = false};
    int pipes[2];
    if (pipe(pipes))
        return outcome;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit cpu = {LIMIT_SECONDS, LIMIT_SECONDS};
        setrlimit(RLIMIT_CPU, &cpu);
        struct weir_pipeline *p = row->make(row->argument);
        outcome = row->kind == ROW_QUERY ? run_query(p) : run_analysis(p, row->kind);
        _exit(write(pipes[1], &outcome, sizeof outcome) != (ssize_t)sizeof outcome);
    }
    close(pipes[1]);
    if (child < 0 || read(pipes[0], &outcome, sizeof outcome) != (ssize_t)sizeof outcome)
        outcome.done = false;
    close(pipes[0]);
    struct rusage usage = {0};
    int status;
    if (child > 0)
        wait4(child, &status, 0, &usage);
    *gigabytes = (double)usage.ru_maxrss / 1048576;
    return outcome;
}

/* ---- the rows ---- */

static struct weir_pipeline *make_layers(const uint32_t *a)
{
    return bench_layered_pipeline(&(struct bench_layers){a[0], a[1], a[2], a[3]});
}

static struct weir_pipeline *make_chain(const uint32_t *a)
{
    return chain(a[0], a[1], a[2]);
}

static struct weir_pipeline *make_batches(const uint32_t *a)
{
    return batches(a[0], a[1]);
}

static struct weir_pipeline *make_ring(const uint32_t *a)
{
    return ring(a[0]);
}

static struct weir_pipeline *make_camera(const uint32_t *a)
{
    return camera(a[0], a[1], a[2]);
}

static struct weir_pipeline *make_many(const uint32_t *a)
{
    return many_latencies(a[0]);
}

static const struct row rows[] = {
    {"1,000 operators, queue 1000, [0.5w, w]", "5 s, 2 GiB", 5, ROW_QUERY, make_layers, {1000, 10, 1000, 500}},
    {"1,000 operators, queue 1000, [0.9w, w]", "5 s, 2 GiB", 5, ROW_QUERY, make_layers, {1000, 10, 1000, 900}},
    {"10,000 operators, queue 10, [0.9w, w]", NULL, 30, ROW_QUERY, make_layers, {10000, 100, 10, 900}},
    {"100,000 operators, queue 10, [0.5w, w]", NULL, 30, ROW_QUERY, make_layers, {100000, 1000, 10, 500}},
    {"chain of 10,000, analysed", NULL, 1, ROW_ANALYZE, make_chain, {10000, 1, 0}},
    {"chain of 100,000, analysed", NULL, 5, ROW_ANALYZE, make_chain, {100000, 1, 0}},
    {"300 operators, queue 100, [0.99w, w]", NULL, 1, ROW_QUERY, make_layers, {300, 10, 100, 990}},
    {"reentrant ring, 1000 tokens", NULL, 0.5, ROW_ANALYZE, make_ring, {1000}},
    {"batches: consume 1,000, analysed", NULL, 0.1, ROW_ANALYZE, make_batches, {1000, 0}},
    {"batches: consume 10,000, analysed", NULL, 1, ROW_ANALYZE, make_batches, {10000, 0}},
    {"batches: consume 441 x 1000, analysed", NULL, 10, ROW_ANALYZE, make_batches, {441, 1000}},
    {"batches: consume 10,000, --limit 1000", NULL, 1, ROW_LIMIT, make_batches, {10000, 0}},
    {"batches: consume 441 x 1000, --limit 1000", NULL, 1, ROW_LIMIT, make_batches, {441, 1000}},
    {"10^6 places in ten queues", "exact", 30, ROW_QUERY, make_chain, {11, 100000, 500}},
    {"10^9 places in two queues", "exact", 30, ROW_QUERY, make_chain, {3, 500000000, 500}},
    {"--verify, 333330 of 333333 ticks, queue 50", NULL, 0.1, ROW_VERIFY, make_camera, {333330, 333333, 50}},
    {"33,333,333 of 33,333,334 ticks, queue 700", "exact", 5, ROW_ANALYZE, make_camera, {33333333, 33333334, 700}},
    {"26 latencies, 41 operators, queue 100, [0.9w, w]", NULL, 1, ROW_ANALYZE, make_many, {100}},
};

void bench_table(const char *part)
{
    printf("%-50s %12s %12s %9s\n", "what", "time", "goal", "memory");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (part && !strstr(rows[i].name, part))
            continue;
        double gigabytes = 0;
        char goal[32], time[32];
        struct outcome o = run_row(&rows[i], &gigabytes);
        if (rows[i].goal_text)
            snprintf(goal, sizeof goal, "%s", rows[i].goal_text);
        else
            snprintf(goal, sizeof goal, "%.3g s", rows[i].goal);
        if (o.done)
            snprintf(time, sizeof time, "%.3f s", o.seconds);
        else
            snprintf(time, sizeof time, "> %d s", LIMIT_SECONDS);
        printf("%-50s %12s %12s %6.2f GB  %s\n", rows[i].name, time, goal, gigabytes,
               !o.done                                        ? "missed: ended"
               : !o.exact                                     ? "missed: not exact"
               : rows[i].goal > 0 && o.seconds > rows[i].goal ? "missed"
                                                              : "reached");
        fflush(stdout);
    }
}

/* ---- two cores ---- */

#define CORES_GOAL 1.8

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_analysis(const struct weir_pipeline *p, unsigned threads)
{
    struct weir_analyze_options options = {.threads = threads};
    struct weir_analysis *analysis = NULL;
    double begin = wall();
    enum weir_status status = weir_analyze(p, &options, &analysis, NULL);
    weir_analysis_free(analysis);
    return status ? 0 : wall() - begin;
}

static void print_cores(const char *name, double one, double two)
{
    char times[32], goal[32];
    snprintf(times, sizeof times, "%.2fx", two > 0 ? one / two : 0);
    snprintf(goal, sizeof goal, "%.1fx", CORES_GOAL);
    printf("%-50s %12s %12s %9s  %s (%.2f s by one)\n", name, times, goal, "", one >= two * CORES_GOAL ? "reached" : "missed", one);
    fflush(stdout);
}

enum { TRIES = 3, FILES = 16 };

static void compare_threads(const char *name, struct weir_pipeline *p)
{
    double one = 0, two = 0;
    for (int i = 0; i < TRIES; i++) { /* the quickest of each, in turns */
        double a = time_analysis(p, 1), b = time_analysis(p, 2);
        one = i && one < a ? one : a;
        two = i && two < b ? two : b;
    }
    print_cores(name, one, two);
    weir_pipeline_free(p);
}

/* The program beside this one, on copies of a file: what it takes, and of how much work of the cores. Its output counts for
 * nothing. */
struct taken {
    double wall, work;
};

static double work_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static struct taken time_program(const char *file)
{
    char command[4096], self[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    char *slash = strrchr(self, '/');
    int at = snprintf(command, sizeof command, "%.*s/../weir analyze", slash ? (int)(slash - self) : 0, self);
    for (int i = 0; i < FILES; i++)
        at += snprintf(command + at, sizeof command - (size_t)at, " %s", file);
    snprintf(command + at, sizeof command - (size_t)at, " >/dev/null 2>&1");
    double begin = wall(), work = work_of_children();
    int status = system(command);
    return (struct taken){status == 0 ? wall() - begin : 0, work_of_children() - work};
}

static void compare_files(const char *name, struct weir_pipeline *p)
{
    char path[] = "/tmp/weir-bench-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        return;
    weir_pipeline_write_yaml(p, file, NULL);
    fclose(file);
    struct taken least = {0};
    for (int i = 0; i < TRIES; i++) {
        struct taken t = time_program(path);
        least = i && least.wall < t.wall ? least : t;
    }
    print_cores(name, least.work, least.wall);
    unlink(path);
    weir_pipeline_free(p);
}

void bench_cores(const char *part)
{
    if (part && !strstr("cores", part))
        return;
    compare_threads("26 latencies, queue 4000, two threads", many_latencies(4000));
    compare_threads("one latency, 1,000 operators, queue 400, two threads",
                    bench_layered_pipeline(&(struct bench_layers){1000, 10, 400, 900}));
    compare_files("16 files of 26 latencies, queue 400, all cores", many_latencies(400));
}
