/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds that a run is held against: that of the model, and that of the model with the times that were observed. */
#include "base/error.h"
#include "base/number.h"
#include "measure/run/trial.h"
#include "model/pipeline.h"
#include "read/holoscan/tail_estimate.h"

#include <stdio.h>

#define MARGIN_MAX 10000

static const char *why_of(const struct weir_bound *bound)
{
    return bound->why                                   ? bound->why
           : bound->worst.claim == WEIR_CLAIM_UNBOUNDED ? "it grows without bound where executions take their longest"
                                                        : "none was found";
}

enum weir_status weir_trial_find_bounds(struct weir_trial *trial, struct weir_error *error)
{
    struct weir_answer_options options = {.brief = true};
    for (uint32_t i = 0; i < trial->latency_count; i++)
        trial->latencies[i].why = "the ticks of the model have no length";
    if (!trial->comparable)
        return WEIR_OK;
    struct weir_error own = {0};
    enum weir_status status = weir_answer_find(trial->pipeline, &options, &trial->bounds, &own);
    if (status == WEIR_MEMORY || status == WEIR_INTERNAL)
        return weir_fail(error, status, "%s", own.message);
    if (status) {
        snprintf(trial->no_bound, sizeof trial->no_bound, "%s", own.message);
        for (uint32_t i = 0; i < trial->latency_count; i++)
            trial->latencies[i].why = "no engine covers the model";
        return WEIR_OK;
    }
    for (uint32_t i = 0; i < trial->latency_count; i++) {
        const struct weir_bound *bound = weir_answer_bound(trial->bounds, i);
        struct weir_trial_latency *latency = &trial->latencies[i];
        latency->bounded = weir_bound_holds(bound);
        latency->exact = bound->worst.claim == WEIR_CLAIM_EXACT;
        latency->why = latency->bounded ? NULL : why_of(bound);
        if (latency->bounded)
            latency->bound = weir_trial_time(trial, bound->worst.high);
    }
    return WEIR_OK;
}

/* ---- with the times observed ---- */

/* From the start to the receive(), of the executions that were kept; otherwise anything up to the end. */
static void take_receives(const struct weir_trial *trial, struct weir_operator op, uint64_t executions,
                          struct weir_operator_spec *spec)
{
    size_t kept = weir_run_record_count(trial->run, op);
    int64_t low = INT64_MAX, high = 0;
    for (size_t i = 0; i < kept; i++) {
        struct weir_run_record record = weir_run_record_at(trial->run, op, i);
        int64_t time = record.received - record.start;
        low = time < low ? time : low;
        high = time > high ? time : high;
    }
    bool all = kept == executions && kept > 0;
    spec->receive_min = all ? weir_run_ticks(trial->run, low, false) : 0;
    spec->receive_max = all ? weir_run_ticks(trial->run, high, true) : spec->worst;
    spec->receive_max = spec->receive_max > spec->worst ? spec->worst : spec->receive_max;
    spec->receive_min = spec->receive_min > spec->receive_max ? spec->receive_max : spec->receive_min;
}

/* With a thread each, an execution is as long as it took; where operators share CPUs in the model, as the CPU time it took, unless
 * its work was to sleep. */
static bool takes_cpu(const struct weir_trial *trial, const struct weir_run_operator_stats *seen)
{
    return weir_pipeline_platform(trial->pipeline) != WEIR_PLATFORM_THREADS && seen->cpu_max > 0 &&
           trial->options.run.work != WEIR_RUN_SLEEP;
}

/* Of what was recorded: the longest, or what one in so many takes. */
static enum weir_status find_longest(const struct weir_trial *trial, struct weir_operator op, const struct weir_trial_times *how,
                                     int64_t *longest, struct weir_error *error)
{
    struct weir_run_operator_stats seen = weir_run_operator(trial->run, op);
    struct weir_tail_estimate tail = {0};
    bool cpu = takes_cpu(trial, &seen);
    size_t kept = how->tail || how->wake_ups ? weir_run_record_count(trial->run, op) : 0;
    *longest = cpu ? seen.cpu_max : seen.max;
    for (size_t i = 0; i < kept; i++) {
        struct weir_run_record r = weir_run_record_at(trial->run, op, i);
        int64_t begin = how->wake_ups && r.ready != INT64_MIN && r.ready < r.start ? r.ready : r.start;
        int64_t time = cpu ? r.cpu + (r.start - begin) : r.finish - begin;
        *longest = time > *longest ? time : *longest;
        weir_tail_add(&tail, time);
    }
    if (!how->tail)
        return WEIR_OK;
    int64_t upper = weir_tail_estimate_upper(&tail, how->tail);
    char name[WEIR_QUOTED];
    if (upper == 0)
        return weir_fail(error, WEIR_INVALID,
                         "operator \"%s\": %llu recorded executions are too few to estimate the tail of their times",
                         weir_quote(weir_pipeline_operator(trial->pipeline, op).name, name), (unsigned long long)kept);
    *longest = upper > *longest ? upper : *longest;
    return WEIR_OK;
}

static enum weir_status take_times(const struct weir_trial *trial, struct weir_operator op, const struct weir_trial_times *how,
                                   struct weir_operator_spec *spec, struct weir_error *error)
{
    struct weir_run_operator_stats seen = weir_run_operator(trial->run, op);
    int64_t longest = 0, shortest = takes_cpu(trial, &seen) ? seen.cpu_min : seen.min, more = how->margin_permille;
    if (seen.executions == 0)
        return WEIR_OK;
    enum weir_status status = find_longest(trial, op, how, &longest, error);
    if (status)
        return status;
    longest += (int64_t)(((weir_wide)longest * more + 999) / 1000);
    shortest = (int64_t)((weir_wide)shortest * 1000 / (1000 + more));
    spec->best = weir_run_ticks(trial->run, shortest, false);
    spec->worst = weir_run_ticks(trial->run, longest, true);
    if (weir_pipeline_platform(trial->pipeline) == WEIR_PLATFORM_CORES) {
        spec->has_cost = false;
        spec->cost_init = spec->cost_sample = 0;
        spec->best = 0;
    }
    if (spec->receive_max > 0)
        take_receives(trial, op, seen.executions, spec);
    return WEIR_OK;
}

/* Where the times come from. */
static struct weir_observed observe(const struct weir_trial *trial, struct weir_operator op, const struct weir_trial_times *how)
{
    struct weir_run_operator_stats seen = weir_run_operator(trial->run, op);
    bool cpu = takes_cpu(trial, &seen);
    return (struct weir_observed){.count = seen.executions,
                                  .min = weir_run_ticks(trial->run, cpu ? seen.cpu_min : seen.min, false),
                                  .max = weir_run_ticks(trial->run, cpu ? seen.cpu_max : seen.max, true),
                                  .tail = how->tail,
                                  .from = "a run"};
}

enum weir_status weir_trial_model(const struct weir_trial *trial, const struct weir_trial_times *times,
                                  struct weir_pipeline **model, struct weir_error *error)
{
    static const struct weir_trial_times longest;
    *model = NULL;
    if (!trial->run || !trial->comparable)
        return weir_fail(error, WEIR_INVALID,
                         trial->run ? "the ticks of the model have no length: measured times cannot be put into it"
                                    : "the trial was not run");
    if (times && times->margin_permille > MARGIN_MAX)
        return weir_fail(error, WEIR_INVALID, "a margin is at most %d permille", MARGIN_MAX);
    struct weir_pipeline *copy = weir_pipeline_copy(trial->pipeline, error);
    enum weir_status status = copy ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t i = 0; i < trial->operators && !status; i++) {
        struct weir_operator op = {i};
        struct weir_operator_spec spec = weir_pipeline_operator(trial->pipeline, op);
        struct weir_observed seen = observe(trial, op, times ? times : &longest);
        status = take_times(trial, op, times ? times : &longest, &spec, error);
        spec.observed = seen.count ? &seen : spec.observed;
        if (!status)
            status = weir_pipeline_change_operator(copy, op, &spec, error);
    }
    if (!status)
        status = weir_pipeline_seal_alone(copy, error);
    if (status)
        weir_pipeline_free(copy);
    else
        *model = copy;
    return status;
}

static void take_observed(struct weir_trial *trial)
{
    for (uint32_t i = 0; i < trial->latency_count; i++) {
        const struct weir_bound *bound = weir_answer_bound(trial->observed_bounds, i);
        struct weir_trial_latency *latency = &trial->latencies[i];
        latency->observed_bounded = weir_bound_holds(bound);
        latency->observed_why = latency->observed_bounded ? NULL : why_of(bound);
        if (latency->observed_bounded)
            latency->observed = weir_trial_time(trial, bound->worst.high);
    }
}

enum weir_status weir_trial_find_observed(struct weir_trial *trial, struct weir_error *error)
{
    struct weir_error own = {0};
    struct weir_answer_options options = {.brief = true};
    if (!trial->comparable)
        return WEIR_OK;
    enum weir_status status = weir_trial_model(trial, NULL, &trial->observed, &own);
    if (!status)
        status = weir_answer_find(trial->observed, &options, &trial->observed_bounds, &own);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (status)
        snprintf(trial->no_observed, sizeof trial->no_observed, "%s", own.message);
    else
        take_observed(trial);
    return WEIR_OK;
}
