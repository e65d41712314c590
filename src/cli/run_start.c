/* SPDX-License-Identifier: Apache-2.0 */
/* Running: with the policy that was asked for or the next weaker one that Linux allows, until the end or a signal. */
#include "run.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REFRESH_NS 200000000
#define PATIENCE_NS 1000000000
#define RECORDS_MAX 250000  /* of an operator */
#define RECORDS_ALL 1000000 /* of all of them: as many as a trace may have */
#define WAITS_MAX 5         /* for bandwidth, a period each */
#define WATCH_PRIORITY 50   /* above all operators, so that the run can always be stopped */

/* ---- signals ---- */

static struct weir_run *volatile running;
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
    struct weir_run *run = running;
    if (asked && now() - asked_at > PATIENCE_NS) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    if (!asked)
        asked_at = now();
    asked = 1;
    if (run)
        weir_run_stop(run);
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

/* ---- how far it is ---- */

/* The latency that is nearest to its bound, or beyond it. */
static void show(const struct weir_live *live, int64_t began_ns)
{
    char text[WEIR_LIVE_PAIR], max[WEIR_LIVE_TEXT], bound[WEIR_LIVE_TEXT], time[WEIR_LIVE_TEXT];
    uint32_t chosen = 0;
    double most = -1;
    for (uint32_t i = 0; i < live->pair_count; i++) {
        struct weir_run_pair_stats seen = weir_run_pair(live->run, i);
        double share = live->pairs[i].bounded && live->pairs[i].bound > 0 ? (double)seen.max / (double)live->pairs[i].bound : 0;
        if (share > most) {
            most = share;
            chosen = i;
        }
    }
    fprintf(stderr, "\r\033[K%s", weir_live_format(began_ns, time));
    if (most >= 0)
        fprintf(stderr, "  %.60s: at most %s", weir_live_pair_name(live, chosen, text),
                weir_live_format(weir_run_pair(live->run, chosen).max, max));
    if (most > 0)
        fprintf(stderr, " of %s (%.0f %%)%s", weir_live_format(live->pairs[chosen].bound, bound), most * 100,
                most > 1 ? ", above the bound" : "");
    fflush(stderr);
}

static enum weir_status watch(const struct weir_live *live, struct weir_error *error)
{
    bool terminal = isatty(STDERR_FILENO), ended = false, shown = false;
    enum weir_status status = WEIR_OK;
    for (int64_t waited = 0; !ended; waited += REFRESH_NS) {
        if (terminal && waited >= PATIENCE_NS) {
            show(live, waited);
            shown = true;
        }
        status = weir_run_wait(live->run, terminal ? REFRESH_NS : -1, &ended, error);
    }
    if (shown)
        fputs("\r\033[K", stderr);
    return status;
}

/* This thread must get a CPU, whatever the others do; those that it makes begin as usual. */
static void set_watcher(bool urgent)
{
    static bool set;
    struct sched_param parameter = {.sched_priority = urgent ? WATCH_PRIORITY : 0};
    if (urgent != set && sched_setscheduler(0, urgent ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &parameter) == 0)
        set = urgent;
}

/* ---- starting ---- */

static void fill_threads(const struct weir_live *live, enum weir_run_policy policy, struct weir_run_thread *threads)
{
    const struct weir_live_settings *s = live->settings;
    for (uint32_t i = 0; i < live->operators; i++) {
        const struct weir_live_task *task = &live->tasks[i];
        threads[i] = (struct weir_run_thread){.policy = policy,
                                              .priority = task->priority,
                                              .runtime = task->runtime,
                                              .deadline = task->period,
                                              .period = task->period,
                                              .cpus = s->pin ? &task->cpu : s->cpus,
                                              .cpu_count = s->pin ? 1 : s->cpu_count};
    }
}

static uint64_t record_count(const struct weir_live *live)
{
    const struct weir_live_settings *s = live->settings;
    uint64_t most = RECORDS_ALL / live->operators > RECORDS_MAX ? RECORDS_MAX : RECORDS_ALL / live->operators;
    if (s->records != UINT64_MAX)
        return s->records;
    if (s->iterations == 0 || weir_pipeline_platform(live->pipeline) == WEIR_PLATFORM_CORES)
        return most;
    uint64_t turns = 1;
    for (uint32_t i = 0; i < live->operators; i++) {
        uint32_t own = weir_pipeline_turns(live->pipeline, (struct weir_operator){i});
        turns = own > turns ? own : turns;
    }
    return s->iterations < most / turns ? s->iterations * turns : most;
}

static const struct weir_witness *witness_of(const struct weir_live *live)
{
    const struct weir_latency *chosen = NULL;
    for (size_t i = 0; live->analysis && i < live->analysis->latency_count; i++) {
        const struct weir_latency *latency = &live->analysis->latencies[i];
        if (latency->witness && (!chosen || latency->worst.value > chosen->worst.value))
            chosen = latency;
    }
    return chosen ? chosen->witness : NULL;
}

static bool was_refused(const struct weir_live *live)
{
    for (uint32_t i = 0; i < live->operators; i++)
        if (weir_run_operator(live->run, (struct weir_operator){i}).policy_errno)
            return true;
    return false;
}

/* One attempt. *refused: it was the policy. */
static enum weir_status start(struct weir_live *live, enum weir_run_policy policy, bool *refused, struct weir_error *error)
{
    const struct weir_live_settings *s = live->settings;
    struct weir_run_thread *threads = calloc((size_t)live->operators + 1, sizeof *threads);
    int64_t *limits = calloc((size_t)live->pair_count + 1, sizeof *limits);
    struct weir_run_options options = {.iterations = (int64_t)s->iterations,
                                       .duration_ns = s->duration,
                                       .work = s->work,
                                       .times = s->times,
                                       .seed = s->seed,
                                       .witness = witness_of(live),
                                       .tick_ns = s->tick,
                                       .scale = s->scale,
                                       .measure = true,
                                       .measure_cpu = s->work != WEIR_RUN_NOTHING,
                                       .records = record_count(live),
                                       .limits = limits,
                                       .threads = threads,
                                       .lock_memory = live->lock_memory};
    enum weir_status status = WEIR_MEMORY;
    *refused = false;
    if (threads && limits) {
        fill_threads(live, policy, threads);
        for (uint32_t i = 0; i < live->pair_count; i++)
            limits[i] = live->pairs[i].bounded ? live->pairs[i].bound : -1;
        status = weir_run_new(live->pipeline, &options, &live->run, error);
        if (!status) {
            status = weir_run_start(live->run, error);
            *refused = status && was_refused(live);
        }
    } else {
        snprintf(error->message, sizeof error->message, "out of memory");
        error->status = status;
    }
    free(threads);
    free(limits);
    if (status) {
        weir_run_free(live->run);
        live->run = NULL;
    }
    return status;
}

/* Linux says the same for two reasons. */
static void note_refusal(struct weir_live *live, enum weir_run_policy policy, const struct weir_error *error)
{
    bool narrow = policy == WEIR_RUN_DEADLINE && (live->settings->pin || live->settings->cpu_count) &&
                  strstr(error->message, strerror(EPERM)) != NULL;
    char *text = policy == WEIR_RUN_DEADLINE ? live->no_deadline : live->no_fifo;
    snprintf(text, sizeof live->no_fifo, "%.400s%s", error->message,
             narrow ? "; it lets such threads run on all CPUs only, and privileged ones" : "");
}

/* What a thread had reserved is free only when its period is over: of the run before this one, say. */
static bool worth_waiting(const struct weir_live *live, const struct weir_error *error)
{
    int64_t longest = 0;
    if (!strstr(error->message, strerror(EBUSY)))
        return false;
    for (uint32_t i = 0; i < live->operators; i++)
        longest = live->tasks[i].period > longest ? live->tasks[i].period : longest;
    struct timespec wait = {.tv_sec = (time_t)(longest / 1000000000), .tv_nsec = (long)(longest % 1000000000)};
    return nanosleep(&wait, NULL) == 0;
}

static enum weir_status start_best(struct weir_live *live, struct weir_error *error)
{
    enum weir_run_policy policy = live->settings->policy;
    bool refused = false;
    int waits = 0;
    if (policy == WEIR_RUN_DEADLINE && !weir_live_admit(live)) {
        if (live->settings->strict) {
            snprintf(error->message, sizeof error->message, "not admitted to SCHED_DEADLINE: %.400s", live->no_deadline);
            error->status = WEIR_INVALID;
            return WEIR_INVALID;
        }
        policy = WEIR_RUN_FIFO;
    }
    for (;;) {
        set_watcher(policy != WEIR_RUN_OTHER);
        enum weir_status status = start(live, policy, &refused, error);
        live->policy = policy;
        if (status == WEIR_MEMORY && live->lock_memory) {
            live->lock_memory = false;
            snprintf(live->no_lock, sizeof live->no_lock, "with locked memory there was not enough of it");
        } else if (refused && policy == WEIR_RUN_DEADLINE && waits < WAITS_MAX && worth_waiting(live, error)) {
            waits++;
        } else if (!refused || live->settings->strict || policy == WEIR_RUN_OTHER) {
            return status;
        } else {
            note_refusal(live, policy, error);
            policy = policy == WEIR_RUN_DEADLINE ? WEIR_RUN_FIFO : WEIR_RUN_OTHER;
        }
    }
}

static enum weir_exit fail(const struct weir_live *live, const struct weir_error *error, bool refused)
{
    enum weir_exit result = weir_complain_error(live->title, error);
    return refused ? WEIR_EXIT_MISSED : result;
}

enum weir_exit weir_live_run(struct weir_live *live)
{
    struct weir_error error = {0};
    struct sigaction old[NUMBERS];
    live->lock_memory = live->settings->lock || live->settings->policy != WEIR_RUN_OTHER;
    if (live->settings->witness) {
        enum weir_status status = weir_analyze(live->pipeline, NULL, &live->analysis, &error);
        if (status)
            return weir_complain_error(live->title, &error);
        if (!witness_of(live)) {
            weir_complain("%s: no latency has a witness that could be played", live->title);
            return WEIR_EXIT_INPUT;
        }
    }
    catch_signals(old);
    enum weir_status status = start_best(live, &error);
    if (!status) {
        running = live->run;
        if (asked)
            weir_run_stop(live->run);
        status = watch(live, &error);
    }
    set_watcher(false);
    release_signals(old);
    if (!live->run)
        return fail(live, &error, live->settings->strict && status == WEIR_INVALID);
    struct weir_run_outcome result = weir_run_result(live->run);
    if (live->lock_memory && !result.memory_locked)
        snprintf(live->no_lock, sizeof live->no_lock, "%s", strerror(result.memory_errno));
    if (!status)
        return WEIR_EXIT_OK;
    weir_complain_error(live->title, &error);
    return status == WEIR_MEMORY ? WEIR_EXIT_INTERNAL : WEIR_EXIT_MISSED;
}
