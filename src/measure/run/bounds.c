/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds that a run is held against: that of the model, and that of the model with the times that were observed. */
#include "base/error.h"
#include "measure/run/trial.h"
#include "model/pipeline.h"

#include <stdio.h>

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
static void take_times(const struct weir_trial *trial, struct weir_operator op, struct weir_operator_spec *spec)
{
    struct weir_run_operator_stats seen = weir_run_operator(trial->run, op);
    bool own = weir_pipeline_platform(trial->pipeline) == WEIR_PLATFORM_THREADS;
    bool cpu = !own && seen.cpu_max > 0 && trial->options.run.work != WEIR_RUN_SLEEP;
    if (seen.executions == 0)
        return;
    spec->best = weir_run_ticks(trial->run, cpu ? seen.cpu_min : seen.min, false);
    spec->worst = weir_run_ticks(trial->run, cpu ? seen.cpu_max : seen.max, true);
    if (weir_pipeline_platform(trial->pipeline) == WEIR_PLATFORM_CORES) {
        spec->has_cost = false;
        spec->cost_init = spec->cost_sample = 0;
        spec->best = 0;
    }
    if (spec->receive_max > 0)
        take_receives(trial, op, seen.executions, spec);
}

static enum weir_status make_observed(const struct weir_trial *trial, struct weir_pipeline *copy, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < trial->operators && !status; i++) {
        struct weir_operator op = {i};
        struct weir_operator_spec spec = weir_pipeline_operator(trial->pipeline, op);
        take_times(trial, op, &spec);
        status = weir_pipeline_change_operator(copy, op, &spec, error);
    }
    return status ? status : weir_pipeline_seal_alone(copy, error);
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
    trial->observed = weir_pipeline_copy(trial->pipeline, &own);
    enum weir_status status = trial->observed ? make_observed(trial, trial->observed, &own) : own.status;
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
