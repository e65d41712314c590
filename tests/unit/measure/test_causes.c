/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw; NOLINT(bugprone-reserved-identifier) */
/* Why latencies are above the bound, of executions that are made up to the nanosecond. */
#include "measure/run/run.h"
#include "measure/run/schedstat.h"
#include "measure/run/trial.h"
#include "support/stage.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { EXECUTIONS = 200 };

/* A pipeline in ms, its run and its trial, of which nothing has been executed. */
struct scene {
    struct weir_pipeline *pipeline;
    struct weir_trial *trial;
    struct weir_run *run;
};

static int nothing(void *context, const struct weir_run_call *call)
{
    (void)context;
    (void)call;
    return 0;
}

static void open_scene(struct scene *s, const char *model, bool functions)
{
    static const struct weir_trial_function all[] = {{"a", nothing, NULL}, {"b", nothing, NULL}};
    struct weir_trial_options options = {.functions = all, .function_count = functions ? 2 : 0};
    const struct weir_run_options run = {
        .iterations = EXECUTIONS, .measure = true, .measure_cpu = true, .records = EXECUTIONS, .tolerance_ns = -1};
    struct weir_error error = {.status = WEIR_OK};
    s->pipeline = stage_read(model);
    options.run = run;
    if (weir_trial_new(s->pipeline, &options, &s->trial, &error) || weir_run_new(s->pipeline, &run, &s->run, &error) ||
        weir_run_allocate(s->run, &error))
        fail_msg("%s", error.message);
    s->trial->run = s->run;
    s->run->joined = true;
    s->run->result.began = 0;
}

static void close_scene(struct scene *s)
{
    weir_trial_free(s->trial);
    weir_pipeline_free(s->pipeline);
}

/* Time in which nobody runs, and how one execution differs from the others. */
struct trouble {
    int64_t stop_from, stop_to;
    uint32_t op;
    int64_t execution;
    int64_t late;    /* its start, though it could */
    int64_t starved; /* of that, because no CPU was free */
    int64_t longer;  /* it takes */
    int64_t cpu;     /* of that, on the CPU */
    int64_t starved_in;
    bool sleeps; /* it gives its CPU away */
    bool silent; /* Linux does not tell */
};

static int64_t behind_stop(const struct trouble *t, int64_t moment)
{
    return moment >= t->stop_from && moment < t->stop_to ? t->stop_to : moment;
}

/* Plays a chain with a period by the rules of the run: each waits for its message, for room, for itself and for its period. */
static void play(struct scene *s, const struct trouble *t, int64_t period, const int64_t *length)
{
    uint32_t count = weir_pipeline_operator_count(s->pipeline);
    int64_t limit = s->trial->latencies[0].bound;
    for (int64_t n = 0; n < EXECUTIONS; n++) {
        for (uint32_t i = 0; i < count; i++) {
            struct weir_moments *own = s->run->threads[i].records, *r = &own[n];
            int64_t ready = i == 0 ? n * period : s->run->threads[i - 1].records[n].finish;
            if (n > 0 && own[n - 1].finish > ready)
                ready = own[n - 1].finish;
            if (i + 1 < count && n > 0 && s->run->threads[i + 1].records[n - 1].start > ready) /* capacity 1 */
                ready = s->run->threads[i + 1].records[n - 1].start;
            bool it = t->op == i && t->execution == n;
            int64_t start = behind_stop(t, ready + (it ? t->late : 0)), time = length[i] + (it ? t->longer : 0);
            int64_t finish = start + time;
            if (start < t->stop_from && finish > t->stop_from)
                finish += t->stop_to - t->stop_from;
            *r = (struct weir_moments){.execution = n,
                                       .arrival = i == 0 ? n * period : start,
                                       .start = start,
                                       .received = start,
                                       .finish = finish,
                                       .cpu = length[i] + (it ? t->cpu : 0),
                                       .starved_before = t->silent ? -1
                                                         : it      ? t->starved
                                                                   : 0,
                                       .starved = t->silent ? -1
                                                  : it      ? t->starved_in
                                                            : 0,
                                       .sleeps = t->silent ? -1 : it && t->sleeps};
            atomic_store(&s->run->threads[i].executions, n + 1);
        }
        int64_t latency = s->run->threads[count - 1].records[n].finish - n * period;
        if (latency > limit)
            atomic_fetch_add(&s->run->gauges[0]->over, 1);
        atomic_fetch_add(&s->run->gauges[0]->count, 1);
    }
}

static const char chain[] = "{unit: ms, operators: {a: [1, 2], b: [1, 5]}, queues: [a -> b], "
                            "source: {operator: a, period: 10, arrivals: exact}}";
static const int64_t usual[] = {1 * MS, 4 * MS};

/* Explains it: one incident of that cause, which all that are late are due to. */
static const struct weir_incident *one_cause(struct scene *s, enum weir_excess_cause cause, uint64_t at_least)
{
    assert_int_equal(weir_trial_explain(s->trial, NULL), WEIR_OK);
    const struct weir_trial_latency *latency = &s->trial->latencies[0];
    assert_true(latency->over >= at_least);
    assert_int_equal(latency->looked_at, latency->over);
    for (int i = 0; i < WEIR_EXCESS_CAUSES; i++)
        assert_int_equal(latency->classified[i], i == (int)cause ? latency->over : 0);
    assert_int_equal(s->trial->incident_count, 1);
    assert_int_equal(s->trial->incidents[0].victims, latency->over);
    return &s->trial->incidents[0];
}

/* Half a second in which the program is stopped: whatever operators were doing, and however long the backlog is. */
TEST(a_stop_is_one_cause_of_all_that_it_made_late)
{
    static const int64_t moments[] = {300 * MS, 300 * MS + MS / 2, 302 * MS, 304 * MS + MS / 2, 307 * MS, 309 * MS};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        struct scene s;
        open_scene(&s, chain, false);
        play(&s, &(struct trouble){.stop_from = moments[i], .stop_to = moments[i] + 500 * MS, .execution = -1}, 10 * MS, usual);
        struct weir_watch watch = {.due = moments[i] + 20 * MS, .woke = moments[i] + 500 * MS};
        s.trial->watches = weir_array_zeroed(1, sizeof watch);
        s.trial->watches[0] = watch;
        s.trial->watch_count = s.trial->watch_room = 1;
        const struct weir_incident *stop = one_cause(&s, WEIR_EXCESS_STOPPED, 60);
        assert_int_equal(s.trial->standstill_count, 1);
        assert_true(stop->at <= moments[i] && stop->at > moments[i] - 10 * MS);
        close_scene(&s);
    }
}

/* Without anybody who watches: the operators are witnesses to each other. */
TEST(a_stop_is_recognised_by_operators_alone)
{
    struct scene s;
    open_scene(&s, chain, false);
    play(&s, &(struct trouble){.stop_from = 302 * MS, .stop_to = 330 * MS, .execution = -1}, 10 * MS, usual);
    one_cause(&s, WEIR_EXCESS_STOPPED, 3);
    close_scene(&s);
}

static void expect_cause(const struct trouble *t, bool functions, enum weir_excess_cause cause)
{
    struct scene s;
    open_scene(&s, chain, functions);
    play(&s, t, 10 * MS, usual);
    const struct weir_incident *one = one_cause(&s, cause, 2);
    assert_int_equal(one->op, t->op);
    assert_int_equal(one->execution, t->execution);
    close_scene(&s);
}

/* A backlog of many messages goes back to the one execution that it began with. */
TEST(what_began_a_backlog_is_told_apart)
{
    int64_t most = 60 * MS;
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .longer = most, .cpu = most}, true, WEIR_EXCESS_OPERATOR);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .longer = most, .sleeps = true}, true, WEIR_EXCESS_BLOCKED);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .longer = most}, true, WEIR_EXCESS_MACHINE);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .longer = most, .starved_in = most}, true, WEIR_EXCESS_NO_CPU);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .longer = most}, false, WEIR_EXCESS_MACHINE);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .longer = most, .silent = true}, true, WEIR_EXCESS_MACHINE);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .late = most}, true, WEIR_EXCESS_WAKE_UP);
    expect_cause(&(struct trouble){.op = 1, .execution = 40, .late = most, .starved = most}, true, WEIR_EXCESS_NO_CPU);
    expect_cause(&(struct trouble){.op = 0, .execution = 40, .late = most, .starved = most}, true, WEIR_EXCESS_NO_CPU);
}

TEST(time_without_a_cpu_is_the_quotas_where_the_group_was_held_back)
{
    struct scene s;
    open_scene(&s, chain, true);
    play(&s, &(struct trouble){.op = 1, .execution = 40, .late = 50 * MS, .starved = 50 * MS}, 10 * MS, usual);
    s.trial->watches = weir_array_zeroed(1, sizeof *s.trial->watches);
    s.trial->watches[0] = (struct weir_watch){.due = 450 * MS, .woke = 455 * MS, .starved = 5 * MS, .throttled = 50 * MS};
    s.trial->watch_count = s.trial->watch_room = 1;
    one_cause(&s, WEIR_EXCESS_QUOTA, 2);
    close_scene(&s);
}

/* ---- quotas ---- */

#define FOLDER "/tmp/weir-quota-XXXXXX"
static char folder[] = FOLDER;

static void put(const char *path, const char *text)
{
    char all[512];
    snprintf(all, sizeof all, "%s/%s", folder, path);
    for (char *slash = all + sizeof folder; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(all, 0700);
        *slash = '/';
    }
    FILE *file = fopen(all, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int drop(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
    (void)stat, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    assert_int_equal(nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
    strcpy(folder, FOLDER);
}

static struct weir_quota find_quota(const char *groups)
{
    char root[256];
    put("cgroup", groups);
    snprintf(root, sizeof root, "%s/root", folder);
    return weir_quota_find(folder, root);
}

TEST(quotas_of_control_groups_are_known)
{
    if (!mkdtemp(folder))
        skip();
    struct weir_quota q = find_quota("0::/a/b\n");
    assert_int_equal(q.period, 0);
    assert_int_equal(weir_quota_throttled(&q), -1);
    put("root/a/b/cpu.max", "max 100000\n");
    put("root/a/cpu.max", "50000 100000\n"); /* that of the group around it counts */
    put("root/a/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 1234\n");
    q = find_quota("0::/a/b\n");
    assert_int_equal(q.runtime, 50000);
    assert_int_equal(q.period, 100000);
    assert_int_equal(weir_quota_throttled(&q), 1234000);
    put("root/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
    q = find_quota("5:cpuset:/c\n4:cpu,cpuacct:/c\n");
    assert_int_equal(q.period, 0);
    put("root/cpu,cpuacct/c/cpu.cfs_quota_us", "20000\n");
    put("root/cpu,cpuacct/c/cpu.cfs_period_us", "10000\n");
    put("root/cpu,cpuacct/c/cpu.stat", "nr_periods 7\nnr_throttled 3\nthrottled_time 99\n");
    q = find_quota("nonsense\n5:cpuset:/c\n4:cpuacct,cpu:/d\n4:cpu,cpuacct:/c\n");
    assert_int_equal(q.runtime, 20000);
    assert_int_equal(weir_quota_throttled(&q), 99);
    q = find_quota("");
    assert_int_equal(q.period, 0);
    remove_folder();
}

TEST(time_that_the_host_took_is_known)
{
    char path[300];
    if (!mkdtemp(folder))
        skip();
    snprintf(path, sizeof path, "%s/stat", folder);
    assert_int_equal(weir_schedstat_stolen(path), -1);
    put("stat", "cpu  1413661 362239 703505 199082 1726 0 2652 35 4 5\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    assert_int_equal(weir_schedstat_stolen(path), 35 * (1000000000 / sysconf(_SC_CLK_TCK)));
    put("stat", "cpu  1 2 3\n"); /* an old kernel */
    assert_int_equal(weir_schedstat_stolen(path), -1);
    put("stat", "cpu  1 2 3 4 5 6 7 9223372036854775807\n");
    assert_int_equal(weir_schedstat_stolen(path), -1);
    remove_folder();
}
