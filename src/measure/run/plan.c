/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the model to what Linux is asked for. With SCHED_DEADLINE an operator gets the worst case of an execution and a margin, once
 * in each period; on a pool of cores periods and costs are those of the EDF engine, elsewhere the period is the long-run one at
 * worst times. With SCHED_FIFO shorter periods are more urgent, or the priorities of the model count where it has shared
 * processors.
 */
#include "answer/number.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/throughput.h"
#include "measure/run/trial.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FIFO_MAX 49 /* threads that serve interrupts are at 50 */
#define RUNTIME_MIN 1024
#define PERIOD_MIN_US 100
#define PERIOD_MAX_US 4194304
#define MARGIN_NS 100000
#define FAIR_SERVER (WEIR_CPU / 20) /* of each CPU, which Linux reserves for all other threads */

int64_t weir_trial_time(const struct weir_trial *trial, struct weir_ratio ticks)
{
    int64_t ns = weir_run_ns(trial->clock, ticks.numerator), by = ticks.denominator > 0 ? ticks.denominator : 1;
    return ns / by + (ns % by > 0);
}

/* ---- periods ---- */

static enum weir_status take_cores(struct weir_trial *trial, struct weir_error *error)
{
    struct weir_edf_analysis *analysis = NULL;
    struct weir_error own = {0};
    uint32_t cores = weir_pipeline_cores(trial->pipeline);
    struct weir_edf_options options = {.cores = trial->cpus < cores ? trial->cpus : 0};
    enum weir_status status = weir_edf_analyze(trial->pipeline, &options, &analysis, &own);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (status) {
        snprintf(trial->no_deadline, sizeof trial->no_deadline, "%.500s", own.message);
        return WEIR_OK;
    }
    for (uint32_t i = 0; i < trial->operators; i++) {
        const struct weir_edf_operator *op = &analysis->operators[i];
        trial->tasks[i].cost = weir_run_ns(trial->clock, op->cost);
        trial->tasks[i].period = weir_run_ns(trial->clock, op->period.numerator) / op->period.denominator;
    }
    if (!analysis->schedulable)
        snprintf(trial->no_deadline, sizeof trial->no_deadline, "the EDF test fails on %u CPU%s: %.400s", analysis->cores,
                 analysis->cores == 1 ? "" : "s", analysis->why ? analysis->why : "not schedulable");
    weir_edf_analysis_free(analysis);
    return WEIR_OK;
}

static int64_t least(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* What is connected has the pace of its sources: the shortest of them, to be safe. */
static void spread_sources(struct weir_trial *trial)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(trial->pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(trial->pipeline, i);
        int64_t *period = &trial->tasks[source.op.index].period;
        *period = least(*period, weir_run_ns(trial->clock, source.period));
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(trial->pipeline); i++) {
            struct weir_queue_spec queue = weir_pipeline_queue(trial->pipeline, (struct weir_queue){i});
            int64_t *from = &trial->tasks[queue.from.index].period, *to = &trial->tasks[queue.to.index].period;
            bool free = queue.latest || queue.optional || (queue.nonblocking && queue.full != WEIR_FULL_NEVER);
            int64_t both = least(*from, *to);
            if (free) /* either has a pace of its own */
                continue;
            changed |= both != *from || both != *to;
            *from = *to = both;
        }
    }
}

/* A pace of 0 is none. */
static enum weir_status take_throughput(struct weir_trial *trial, struct weir_error *error)
{
    struct weir_pace pace;
    enum weir_status status = weir_pace_find(&pace, trial->pipeline, true, NULL);
    for (uint32_t i = 0; i < trial->operators && !status; i++) {
        struct weir_ratio period;
        if (weir_pace_starts(&pace, (struct weir_operator){i}, &period))
            trial->tasks[i].period = weir_run_ns(trial->clock, period.numerator) / period.denominator;
    }
    weir_pace_free(&pace);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (status)
        spread_sources(trial);
    return WEIR_OK;
}

/* ---- priorities and CPUs ---- */

static int by_period(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (y > x) - (y < x); /* the longest first */
}

/* More urgent is larger: the value to rank by. */
static int64_t urgency(const struct weir_trial *trial, uint32_t op)
{
    struct weir_operator_spec spec = weir_pipeline_operator(trial->pipeline, (struct weir_operator){op});
    if (weir_pipeline_platform(trial->pipeline) == WEIR_PLATFORM_PROCESSORS && spec.has_priority)
        return -(int64_t)spec.priority;
    return trial->tasks[op].period ? trial->tasks[op].period : INT64_MAX;
}

static bool rank(struct weir_trial *trial)
{
    int64_t *values = weir_array(trial->operators, sizeof *values);
    size_t distinct = 0;
    if (!values)
        return false;
    for (uint32_t i = 0; i < trial->operators; i++)
        values[i] = urgency(trial, i);
    qsort(values, trial->operators, sizeof *values, by_period);
    for (uint32_t i = 0; i < trial->operators; i++)
        if (i == 0 || values[i] != values[distinct - 1])
            values[distinct++] = values[i];
    size_t dropped = distinct > FIFO_MAX ? distinct - FIFO_MAX : 0; /* the least urgent share the lowest */
    for (uint32_t i = 0; i < trial->operators; i++) {
        int64_t value = urgency(trial, i);
        size_t at = 0;
        while (at < distinct && values[at] != value)
            at++;
        trial->tasks[i].priority = at < dropped ? 1 : (int)(at - dropped) + 1;
    }
    weir_free(values);
    return true;
}

enum { CPUS_MAX = 8 * sizeof(cpu_set_t) }; /* CPU_SETSIZE is less in some versions of musl */

/* Linux would pass over those that are not there. */
static enum weir_status choose_cpus(struct weir_trial *trial, struct weir_error *error)
{
    const struct weir_trial_options *o = &trial->options;
    cpu_set_t set;
    uint32_t all[CPUS_MAX], count = 0, next = 0;
    bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    for (size_t i = 0; i < o->cpu_count; i++) {
        if (count == CPUS_MAX || o->cpus[i] >= CPUS_MAX || (known && !CPU_ISSET(o->cpus[i], &set)))
            return weir_fail(error, WEIR_INVALID, "there is no CPU %u, or weir may not use it", o->cpus[i]);
        all[count++] = o->cpus[i];
    }
    for (uint32_t i = 0; known && o->cpu_count == 0 && i < CPUS_MAX; i++)
        if (CPU_ISSET(i, &set))
            all[count++] = i;
    trial->cpus = count ? count : 1;
    for (uint32_t i = 0; i < trial->operators && count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(trial->pipeline, (struct weir_operator){i});
        trial->tasks[i].cpu = all[(spec.mapped ? spec.on.index : next) % count];
        next += !spec.mapped;
    }
    return WEIR_OK;
}

/* ---- the plan ---- */

/* Of a CPU, rounded up. */
static int64_t share(int64_t time, int64_t period)
{
    weir_wide parts = (weir_wide)time * WEIR_CPU;
    return (int64_t)(parts / period + (parts % period > 0));
}

enum weir_status weir_trial_plan(struct weir_trial *trial, struct weir_error *error)
{
    const struct weir_trial_options *o = &trial->options;
    enum weir_status status = choose_cpus(trial, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < trial->operators; i++)
        trial->tasks[i].cost = weir_run_ns(trial->clock, weir_pipeline_operator(trial->pipeline, (struct weir_operator){i}).worst);
    if (weir_pipeline_platform(trial->pipeline) == WEIR_PLATFORM_CORES)
        status = take_cores(trial, error);
    else
        status = take_throughput(trial, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < trial->operators; i++) {
        struct weir_trial_task *task = &trial->tasks[i];
        int64_t margin = o->margin_ns ? o->margin_ns : MARGIN_NS;
        margin = (margin > 0 ? margin : 0) + (int64_t)((weir_wide)task->cost * o->margin_permille / 1000);
        task->runtime = task->cost + margin < RUNTIME_MIN ? RUNTIME_MIN : task->cost + margin;
        if (task->period > 0) {
            trial->bandwidth += share(task->runtime, task->period);
            trial->demand += trial->demand < 0 ? 0 : share(task->cost, task->period);
        } else if (task->cost > 0) {
            trial->demand = -1;
        }
    }
    trial->quota = weir_quota_find("/proc/self", "/sys/fs/cgroup");
    if (!rank(trial))
        return weir_fail_memory(error);
    for (uint32_t i = 0; o->run.threads && i < trial->operators; i++) { /* the caller has a plan */
        trial->tasks[i].priority = o->run.threads[i].priority;
        trial->tasks[i].runtime = o->run.threads[i].runtime;
    }
    return WEIR_OK;
}

int64_t weir_trial_quota(const struct weir_trial *trial)
{
    return trial->quota.period > 0 ? share(trial->quota.runtime, trial->quota.period) : 0;
}

/* ---- admission ---- */

static int64_t read_setting(const char *path, int64_t otherwise)
{
    FILE *file = fopen(path, "re");
    char text[32] = "", *end;
    if (!file)
        return otherwise;
    bool there = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    long long value = strtoll(text, &end, 10);
    return there && end != text ? (int64_t)value : otherwise;
}

/* Since 6.12 a part of each CPU is reserved for threads without a policy, and counts. */
static bool has_fair_server(void)
{
    struct utsname name;
    char *rest;
    if (uname(&name))
        return false;
    long major = strtol(name.release, &rest, 10), minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
    return major > 6 || (major == 6 && minor >= 12);
}

static int64_t bandwidth_there(void)
{
    int64_t period = read_setting("/proc/sys/kernel/sched_rt_period_us", 1000000);
    int64_t runtime = read_setting("/proc/sys/kernel/sched_rt_runtime_us", 950000);
    int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (runtime < 0 || period <= 0)
        return cpus * WEIR_CPU; /* Linux does not limit it */
    return cpus * (runtime * WEIR_CPU / period - (has_fair_server() ? FAIR_SERVER : 0));
}

static bool refuse_operator(struct weir_trial *trial, uint32_t op, int64_t lowest, int64_t highest)
{
    const struct weir_trial_task *task = &trial->tasks[op];
    const char *name = weir_pipeline_operator(trial->pipeline, (struct weir_operator){op}).name;
    char one[WEIR_DURATION_TEXT], other[WEIR_DURATION_TEXT], *text = trial->no_deadline;
    size_t size = sizeof trial->no_deadline;
    if (task->period == 0)
        snprintf(text, size, "no period is known for %.200s", name);
    else if (task->period < lowest)
        snprintf(text, size, "%.200s has a period of %s, and Linux takes none below %s; larger batches have longer ones", name,
                 weir_duration_format(task->period, one), weir_duration_format(lowest, other));
    else if (task->period > highest)
        snprintf(text, size, "%.200s has a period of %s, and Linux takes none above %s", name,
                 weir_duration_format(task->period, one), weir_duration_format(highest, other));
    else if (task->runtime > task->period)
        snprintf(text, size, "%.200s needs %s, margin included, of every %s", name, weir_duration_format(task->runtime, one),
                 weir_duration_format(task->period, other));
    else
        return false;
    return true;
}

bool weir_trial_admit(struct weir_trial *trial)
{
    int64_t lowest = read_setting("/proc/sys/kernel/sched_deadline_period_min_us", PERIOD_MIN_US) * 1000;
    int64_t highest = read_setting("/proc/sys/kernel/sched_deadline_period_max_us", PERIOD_MAX_US) * 1000;
    trial->limit = bandwidth_there();
    if (trial->no_deadline[0])
        return false; /* the EDF test */
    for (uint32_t i = 0; i < trial->operators; i++)
        if (refuse_operator(trial, i, lowest, highest))
            return false;
    if (trial->bandwidth <= trial->limit)
        return true;
    char needed[WEIR_NUMBER_TEXT], there[WEIR_NUMBER_TEXT];
    snprintf(trial->no_deadline, sizeof trial->no_deadline,
             "the operators need %s CPUs, margin included, and %s of %ld may be reserved",
             weir_ratio_format((struct weir_ratio){trial->bandwidth, WEIR_CPU}, 0, 3, needed),
             weir_ratio_format((struct weir_ratio){trial->limit, WEIR_CPU}, 0, 3, there), sysconf(_SC_NPROCESSORS_ONLN));
    return false;
}
