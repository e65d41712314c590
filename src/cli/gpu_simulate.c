/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a graph of kernels on a GPU, under every dispatch, and the bound that no run of a safe plan may break. */
#include "gpu_simulate.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 1000, RUNS_MAX = 10000000 };

const char *weir_gpu_dispatch_name(enum weir_gpu_dispatch dispatch)
{
    static const char *const names[WEIR_GPU_DISPATCHES] = {"gang", "fifo", "interleaved"};
    return names[dispatch];
}

const char *weir_gpu_times_name(enum weir_times times)
{
    return times == WEIR_TIMES_WORST ? "worst" : times == WEIR_TIMES_RANDOM ? "random" : "bang-bang";
}

/* ---- options ---- */

static enum weir_exit find_method(const struct weir_simulate_settings *settings, enum weir_gpu_method *method)
{
    const char *names[WEIR_GPU_METHODS];
    *method = settings->method ? weir_gpu_method_named(settings->method) : WEIR_GPU_BEST;
    if (*method != WEIR_GPU_METHODS)
        return WEIR_EXIT_OK;
    for (int i = 0; i < WEIR_GPU_METHODS; i++)
        names[i] = weir_gpu_method_name((enum weir_gpu_method)i);
    const char *nearest = weir_nearest(settings->method, names, WEIR_GPU_METHODS);
    return weir_complain_usage(settings->verb,
                               "--method: unknown method '%s'%s%s%s; for a GPU there are best, safe, paper, greedy, "
                               "greedy-unaware and graham",
                               settings->method, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static enum weir_exit find_dispatch(const struct weir_simulate_settings *settings, int *dispatch)
{
    const char *names[WEIR_GPU_DISPATCHES];
    *dispatch = -1;
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        names[i] = weir_gpu_dispatch_name((enum weir_gpu_dispatch)i);
        if (settings->dispatch && strcmp(settings->dispatch, names[i]) == 0)
            *dispatch = i;
    }
    if (!settings->dispatch || *dispatch >= 0)
        return WEIR_EXIT_OK;
    const char *nearest = weir_nearest(settings->dispatch, names, WEIR_GPU_DISPATCHES);
    return weir_complain_usage(settings->verb, "--dispatch: expected gang, fifo or interleaved, not '%s'%s%s%s", settings->dispatch,
                               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* What a GPU does not know. */
static enum weir_exit check_options(const struct weir_simulate_settings *settings, const char *path)
{
    if (settings->shared_option)
        return weir_complain_usage(settings->verb, "--%s: %s is a graph of kernels; the option is for shared processors",
                                   settings->shared_option, path);
    if (settings->iterations)
        return weir_complain_usage(settings->verb, "--iterations: %s is a graph of kernels, which runs once; --runs says how often",
                                   path);
    if (!settings->mixed && settings->times == WEIR_TIMES_BEST)
        return weir_complain_usage(settings->verb,
                                   "--times best: the kernels of %s may end at once; there are random, worst and "
                                   "bang-bang",
                                   path);
    if (settings->runs > RUNS_MAX)
        return weir_complain_usage(settings->verb, "--runs: for a GPU at most %d", RUNS_MAX);
    return WEIR_EXIT_OK;
}

/* ---- the runs ---- */

/* Every dispatch with every kind of times, by turns. The seed of a run, and its dispatch and times, give it again. */
static struct weir_gpu_seen_run choose(const struct weir_gpu_seen *s, size_t run, int dispatch)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
    return (struct weir_gpu_seen_run){.dispatch =
                                          (enum weir_gpu_dispatch)(dispatch < 0 ? (int)(run % WEIR_GPU_DISPATCHES) : dispatch),
                                      .times = s->settings->mixed ? times[run / WEIR_GPU_DISPATCHES % 3] : s->settings->times,
                                      .seed = s->settings->seed + run};
}

static int by_makespan(const void *left, const void *right)
{
    const struct weir_gpu_seen_run *a = left, *b = right;
    int order = weir_ratio_order(a->makespan, b->makespan);
    return order ? order : (a->seed > b->seed) - (a->seed < b->seed);
}

static enum weir_exit run_all(struct weir_gpu_seen *s, int dispatch)
{
    struct weir_progress progress = {.what = s->title};
    struct weir_error error = {0};
    size_t count = s->settings->runs ? (size_t)s->settings->runs : RUNS;
    s->runs = calloc(count, sizeof *s->runs);
    if (!s->runs) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    for (; s->count < count; s->count++) {
        struct weir_gpu_seen_run *run = &s->runs[s->count];
        *run = choose(s, s->count, dispatch);
        struct weir_gpu_simulation_options options = {.dispatch = run->dispatch, .times = run->times, .seed = run->seed};
        weir_progress_show(&progress, (unsigned)(1000 * s->count / count));
        if (weir_gpu_simulate(s->plan, &options, &run->makespan, &error) != WEIR_OK) {
            weir_progress_end(&progress);
            return weir_complain_error(s->title, &error);
        }
        s->exceeding += weir_ratio_order(run->makespan, s->plan->bound) > 0;
    }
    weir_progress_end(&progress);
    qsort(s->runs, s->count, sizeof *s->runs, by_makespan);
    return WEIR_EXIT_OK;
}

/* ---- holding it against the bound ---- */

static enum weir_exit check(const struct weir_gpu_seen *s)
{
    const struct weir_gpu_seen_run *latest = &s->runs[s->count - 1];
    char first[WEIR_NUMBER_TEXT], second[WEIR_NUMBER_TEXT];
    if (!s->exceeding)
        return WEIR_EXIT_OK;
    weir_ratio_amount(s->pipeline, latest->makespan, first);
    weir_ratio_amount(s->pipeline, s->plan->bound, second);
    if (s->plan->safe) {
        struct weir_error error = {.status = WEIR_INTERNAL};
        snprintf(error.message, sizeof error.message,
                 "the simulation ends at %s, and the bound is %s (--dispatch %s --times %s --seed %llu)", first, second,
                 weir_gpu_dispatch_name(latest->dispatch), weir_gpu_times_name(latest->times), (unsigned long long)latest->seed);
        return weir_complain_error(s->title, &error);
    }
    weir_complain("%s: the bound of the method %s is exceeded: %s, and it is %s; again with --method %s --dispatch %s --times %s "
                  "--runs 1 --seed %llu",
                  s->title, weir_gpu_method_name(s->plan->method), first, second, weir_gpu_method_name(s->plan->method),
                  weir_gpu_dispatch_name(latest->dispatch), weir_gpu_times_name(latest->times), (unsigned long long)latest->seed);
    return WEIR_EXIT_MISSED;
}

static enum weir_exit simulate(struct weir_gpu_seen *s, enum weir_gpu_method method, int dispatch)
{
    struct weir_progress progress = {.what = s->title};
    struct weir_error error = {0};
    struct weir_gpu_options options = {
        .method = method, .sms = (uint32_t)s->settings->sms, .progress = weir_progress_show, .context = &progress};
    enum weir_status status = weir_gpu_analyze(s->pipeline, &options, &s->plan, &error);
    weir_progress_end(&progress);
    return status == WEIR_OK ? run_all(s, dispatch) : weir_complain_error(s->title, &error);
}

enum weir_exit weir_gpu_simulate_model(const struct weir_simulate_settings *settings, const struct weir_pipeline *pipeline,
                                       const char *path)
{
    struct weir_gpu_seen seen = {.settings = settings, .pipeline = pipeline, .title = weir_model_title(pipeline, path)};
    enum weir_gpu_method method = WEIR_GPU_BEST;
    int dispatch = -1;
    enum weir_exit result = check_options(settings, path);
    if (result == WEIR_EXIT_OK)
        result = find_method(settings, &method);
    if (result == WEIR_EXIT_OK)
        result = find_dispatch(settings, &dispatch);
    if (result == WEIR_EXIT_OK)
        result = simulate(&seen, method, dispatch);
    if (result == WEIR_EXIT_OK) {
        result = check(&seen);
        if (result != WEIR_EXIT_INTERNAL)
            (settings->json ? weir_gpu_seen_print_json : weir_gpu_seen_print)(&seen);
    }
    free(seen.runs);
    weir_gpu_plan_free(seen.plan);
    return result;
}
