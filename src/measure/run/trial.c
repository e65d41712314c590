/* SPDX-License-Identifier: Apache-2.0 */
/* A trial: with the policy that was asked for or the next weaker one that Linux allows, until the end or until it is stopped. */
#include "measure/run/trial.h"

#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define RECORDS_MAX 250000  /* of an operator */
#define RECORDS_ALL 1000000 /* of all of them: as many as a trace may have */
#define WAITS_MAX 5         /* for bandwidth, a period each */
#define WATCH_PRIORITY 50   /* above all operators, so that the run can always be stopped */

/* ---- making and freeing ---- */

static enum weir_status prepare(struct weir_trial *trial, struct weir_error *error)
{
    const struct weir_run_options *run = &trial->options.run;
    struct weir_run_options clock = {.work = run->work, .tick_ns = run->tick_ns, .scale = run->scale};
    enum weir_status status = weir_run_new(trial->pipeline, &clock, &trial->clock, error);
    if (status)
        return status;
    trial->comparable = run->tick_ns > 0 || trial->pipeline->unit != WEIR_UNIT_TICK;
    trial->operators = weir_pipeline_operator_count(trial->pipeline);
    trial->latency_count = weir_pipeline_chain_count(trial->pipeline);
    trial->tasks = weir_array_zeroed(trial->operators, sizeof *trial->tasks);
    trial->latencies = weir_array_zeroed(trial->latency_count, sizeof *trial->latencies);
    if (!trial->tasks || !trial->latencies)
        return weir_fail_memory(error);
    for (size_t i = 0; i < trial->options.function_count && !status; i++) { /* are the names right? */
        const struct weir_trial_function *f = &trial->options.functions[i];
        status = weir_run_bind_name(trial->clock, f->name, f->function, f->context, error);
    }
    if (!status)
        status = weir_trial_plan(trial, error);
    return status ? status : weir_trial_find_bounds(trial, error);
}

enum weir_status weir_trial_new(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                struct weir_trial **trial, struct weir_error *error)
{
    static const struct weir_trial_options none;
    struct weir_trial *made = weir_array_zeroed(1, sizeof *made);
    *trial = NULL;
    if (!made)
        return weir_fail_memory(error);
    made->pipeline = pipeline;
    made->options = options ? *options : none;
    enum weir_status status = prepare(made, error);
    if (status)
        weir_trial_free(made);
    else
        *trial = made;
    return status;
}

void weir_trial_free(struct weir_trial *trial)
{
    if (!trial)
        return;
    weir_run_free(trial->run);
    weir_run_free(trial->clock);
    weir_answer_free(trial->witness);
    weir_answer_free(trial->bounds);
    weir_answer_free(trial->observed_bounds);
    weir_answer_free(trial->answer);
    weir_pipeline_free(trial->observed);
    weir_pipeline_free(trial->scale);
    weir_pipeline_free(trial->own);
    weir_free(trial->tasks);
    weir_free(trial->watches);
    weir_free(trial->standstills);
    weir_free(trial->incidents);
    weir_free(trial->latencies);
    weir_free(trial);
}

const struct weir_run *weir_trial_run_of(const struct weir_trial *trial)
{
    return trial->run;
}

const struct weir_answer *weir_trial_answer(const struct weir_trial *trial)
{
    return trial ? trial->answer : NULL;
}

const struct weir_pipeline *weir_trial_pipeline(const struct weir_trial *trial)
{
    return trial->pipeline;
}

int64_t weir_trial_bound(const struct weir_trial *trial, uint32_t chain)
{
    return chain < trial->latency_count && trial->latencies[chain].bounded ? trial->latencies[chain].bound : -1;
}

/* ---- starting ---- */

static struct weir_run_thread thread_of(const struct weir_trial *trial, uint32_t op, enum weir_run_policy policy)
{
    const struct weir_trial_options *o = &trial->options;
    const struct weir_trial_task *task = &trial->tasks[op];
    if (o->run.threads)
        return o->run.threads[op];
    return (struct weir_run_thread){.policy = policy,
                                    .priority = task->priority,
                                    .runtime = task->runtime,
                                    .deadline = task->period,
                                    .period = task->period,
                                    .cpus = o->pin ? &task->cpu : o->cpus,
                                    .cpu_count = o->pin ? 1 : o->cpu_count};
}

struct weir_run_thread weir_trial_thread(const struct weir_trial *trial, struct weir_operator op)
{
    return op.index < trial->operators ? thread_of(trial, op.index, trial->options.policy) : (struct weir_run_thread){0};
}

static size_t record_count(const struct weir_trial *trial)
{
    const struct weir_trial_options *o = &trial->options;
    size_t share = RECORDS_ALL / (trial->operators ? trial->operators : 1), most = share > RECORDS_MAX ? RECORDS_MAX : share;
    uint32_t rounds = 1;
    if (o->records != 0)
        return o->records < 0 ? 0 : (size_t)o->records;
    if (o->run.iterations == 0 || trial->pipeline->platform == WEIR_PLATFORM_CORES)
        return most;
    for (uint32_t i = 0; i < trial->operators; i++) {
        uint32_t own = weir_pipeline_firings(trial->pipeline, (struct weir_operator){i});
        rounds = own > rounds ? own : rounds;
    }
    return (size_t)o->run.iterations < most / rounds ? (size_t)o->run.iterations * rounds : most;
}

/* That of the longest worst case. */
static enum weir_status find_witness(struct weir_trial *trial, struct weir_error *error)
{
    const struct weir_bound *chosen = NULL, *bound;
    enum weir_status status = weir_answer_find(trial->pipeline, NULL, &trial->witness, error);
    if (status)
        return status;
    for (size_t i = 0; (bound = weir_answer_bound(trial->witness, i)); i++)
        if (bound->witness && (!chosen || weir_ratio_compare(bound->worst.high, chosen->worst.high) > 0))
            chosen = bound;
    if (!chosen)
        return weir_fail(error, WEIR_INVALID, "no latency has a witness that could be played");
    trial->options.run.witness = chosen->witness;
    return WEIR_OK;
}

static bool was_refused(const struct weir_trial *trial)
{
    for (uint32_t i = 0; i < trial->operators; i++)
        if (weir_run_operator(trial->run, (struct weir_operator){i}).policy_errno)
            return true;
    return false;
}

/* One attempt. *refused: it was the policy. */
static enum weir_status start(struct weir_trial *trial, enum weir_run_policy policy, bool *refused, struct weir_error *error)
{
    struct weir_run_thread *threads = weir_array_zeroed(trial->operators, sizeof *threads);
    int64_t *limits = weir_array(trial->latency_count, sizeof *limits);
    struct weir_run_options options = trial->options.run;
    enum weir_status status = threads && limits ? WEIR_OK : weir_fail_memory(error);
    options.measure = true;
    options.measure_cpu = options.work != WEIR_RUN_NOTHING;
    options.records = record_count(trial);
    options.limits = limits;
    options.threads = threads;
    options.lock_memory = trial->lock_memory;
    options.fall_back = trial->options.run.threads && !trial->options.strict; /* of a plan of the caller's, each by itself */
    *refused = false;
    if (!status) {
        for (uint32_t i = 0; i < trial->operators; i++)
            threads[i] = thread_of(trial, i, policy);
        for (uint32_t i = 0; i < trial->latency_count; i++)
            limits[i] = weir_trial_bound(trial, i);
        status = weir_run_new(trial->pipeline, &options, &trial->run, error);
    }
    for (size_t i = 0; i < trial->options.function_count && !status; i++) {
        const struct weir_trial_function *f = &trial->options.functions[i];
        status = weir_run_bind_name(trial->run, f->name, f->function, f->context, error);
    }
    if (!status) {
        status = weir_run_start(trial->run, error);
        *refused = status && was_refused(trial);
    }
    weir_free(threads);
    weir_free(limits);
    if (status) {
        weir_run_free(trial->run);
        trial->run = NULL;
    }
    return status;
}

/* Linux says the same for two reasons. */
static void note_refusal(struct weir_trial *trial, enum weir_run_policy policy, const struct weir_error *error)
{
    bool narrow = policy == WEIR_RUN_DEADLINE && (trial->options.pin || trial->options.cpu_count) &&
                  strstr(error->message, strerror(EPERM)) != NULL;
    char *text = policy == WEIR_RUN_DEADLINE ? trial->no_deadline : trial->no_fifo;
    snprintf(text, sizeof trial->no_fifo, "%.400s%s", error->message,
             narrow ? "; such threads must be privileged and allowed to run on all CPUs" : "");
}

/* What a thread had reserved is free only when its period is over: of the run before this one, say. */
static bool worth_waiting(const struct weir_trial *trial, const struct weir_error *error)
{
    int64_t longest = 0;
    if (!strstr(error->message, strerror(EBUSY)))
        return false;
    for (uint32_t i = 0; i < trial->operators; i++)
        longest = trial->tasks[i].period > longest ? trial->tasks[i].period : longest;
    struct timespec wait = {.tv_sec = (time_t)(longest / 1000000000), .tv_nsec = (long)(longest % 1000000000)};
    return nanosleep(&wait, NULL) == 0;
}

/* This thread must get a CPU, whatever the others do; those that it makes begin as usual. */
static void set_watcher(bool *set, bool urgent)
{
    struct sched_param parameter = {.sched_priority = urgent ? WATCH_PRIORITY : 0};
    if (urgent != *set && sched_setscheduler(0, urgent ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &parameter) == 0)
        *set = urgent;
}

/* The policies of a plan of the caller's, as they were asked for or as they are. */
static enum weir_run_policy strongest(const struct weir_trial *trial, bool now)
{
    enum weir_run_policy most = WEIR_RUN_OTHER;
    for (uint32_t i = 0; i < trial->operators; i++) {
        enum weir_run_policy one =
            now ? weir_run_operator(trial->run, (struct weir_operator){i}).policy : trial->options.run.threads[i].policy;
        most = one > most ? one : most;
    }
    return most;
}

static enum weir_status start_best(struct weir_trial *trial, bool *watcher, struct weir_error *error)
{
    bool strict = trial->options.strict, refused = false;
    int waits = 0;
    trial->policy = trial->options.policy;
    if (trial->options.run.threads)
        trial->policy = strongest(trial, false);
    else if (trial->policy == WEIR_RUN_DEADLINE && !weir_trial_admit(trial)) {
        if (strict)
            return weir_fail(error, WEIR_INVALID, "not admitted to SCHED_DEADLINE: %.400s", trial->no_deadline);
        trial->policy = WEIR_RUN_FIFO;
    }
    for (;;) {
        set_watcher(watcher, trial->policy != WEIR_RUN_OTHER);
        struct weir_error own = {0};
        enum weir_status status = start(trial, trial->policy, &refused, &own);
        if (status == WEIR_MEMORY && trial->lock_memory) {
            trial->lock_memory = false;
            snprintf(trial->no_lock, sizeof trial->no_lock, "not enough memory could be locked");
        } else if (refused && trial->policy == WEIR_RUN_DEADLINE && waits < WAITS_MAX && worth_waiting(trial, &own)) {
            waits++;
        } else if (!refused || strict || trial->policy == WEIR_RUN_OTHER || trial->options.run.threads) {
            return status ? weir_fail(error, status, "%s", own.message) : WEIR_OK;
        } else {
            note_refusal(trial, trial->policy, &own);
            trial->policy = trial->policy == WEIR_RUN_DEADLINE ? WEIR_RUN_FIFO : WEIR_RUN_OTHER;
        }
    }
}

/* ---- running ---- */

void weir_trial_stop(struct weir_trial *trial)
{
    atomic_store(&trial->stopped, true);
    struct weir_run *run = atomic_load(&trial->running);
    if (run)
        weir_run_stop(run);
}

enum weir_status weir_trial_run(struct weir_trial *trial, struct weir_error *error)
{
    const struct weir_run_options *run = &trial->options.run;
    bool watcher = false;
    enum weir_status status = WEIR_OK;
    if (trial->run)
        return weir_fail(error, WEIR_INVALID, "a trial can be run only once");
    trial->lock_memory = run->lock_memory || trial->options.policy != WEIR_RUN_OTHER;
    if (run->times == WEIR_TIMES_GIVEN && !run->given && !run->witness)
        status = find_witness(trial, error);
    if (status)
        return status;
    status = start_best(trial, &watcher, error);
    if (!status) {
        atomic_store(&trial->running, trial->run);
        if (atomic_load(&trial->stopped))
            weir_run_stop(trial->run);
        status = weir_trial_watch(trial, error);
        atomic_store(&trial->running, (struct weir_run *)NULL);
    }
    set_watcher(&watcher, false);
    if (!trial->run)
        return status;
    struct weir_run_outcome result = weir_run_result(trial->run);
    if (trial->lock_memory && !result.memory_locked)
        snprintf(trial->no_lock, sizeof trial->no_lock, "%s", strerror(result.memory_errno));
    if (run->threads)
        trial->policy = strongest(trial, true);
    enum weir_status told = weir_trial_find_observed(trial, status ? NULL : error);
    if (!told)
        told = weir_trial_explain(trial, status ? NULL : error);
    if (!told)
        told = weir_trial_report(trial, status ? NULL : error);
    if (told) {
        weir_answer_free(trial->answer);
        trial->answer = NULL;
    }
    return status ? status : told;
}

enum weir_status weir_trial_execute(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                    struct weir_trial **trial, struct weir_error *error)
{
    enum weir_status status = weir_trial_new(pipeline, options, trial, error);
    return status ? status : weir_trial_run(*trial, error);
}

enum weir_status weir_trial_rehearse(const struct weir_pipeline *pipeline, const struct weir_trial_options *options,
                                     const struct weir_trial_times *times, struct weir_trial **trial, struct weir_error *error)
{
    struct weir_trial_options own = {0};
    struct weir_trial *measured = NULL;
    struct weir_pipeline *model = NULL;
    *trial = NULL;
    if (options)
        own = *options;
    if (times && times->iterations) {
        own.run.iterations = times->iterations;
        own.run.duration_ns = 0;
    }
    if (own.run.iterations == 0 && own.run.duration_ns == 0)
        return weir_fail(error, WEIR_INVALID, "how long is the rehearsal?");
    enum weir_status status = weir_trial_execute(pipeline, &own, &measured, error);
    if (!status)
        status = weir_trial_model(measured, times, &model, error);
    weir_trial_free(measured);
    if (!status)
        status = weir_trial_new(model, options, trial, error);
    if (*trial)
        (*trial)->own = model;
    else
        weir_pipeline_free(model);
    return status;
}
