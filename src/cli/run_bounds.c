/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds that a run is held against: that of the model, and that of a model with the times that were seen. */
#include "run.h"

#include <string.h>

static const char *why_of(const struct weir_bound *bound)
{
    return bound->why                                   ? bound->why
           : bound->worst.claim == WEIR_CLAIM_UNBOUNDED ? "it grows for ever where executions take their longest"
                                                        : "none was found";
}

enum weir_exit weir_live_bound(struct weir_live *live)
{
    struct weir_error error = {0};
    struct weir_answer_options options = {.brief = true};
    for (uint32_t i = 0; i < live->pair_count; i++)
        live->pairs[i].why = "the ticks of the model have no length";
    if (!live->comparable)
        return WEIR_EXIT_OK;
    enum weir_status status = weir_answer_find(live->pipeline, &options, &live->answer, &error);
    if (status == WEIR_MEMORY || status == WEIR_INTERNAL)
        return weir_complain_error(live->title, &error);
    if (status) {
        weir_complain("%s: there is no bound to hold it against: %s", live->title, error.message);
        for (uint32_t i = 0; i < live->pair_count; i++)
            live->pairs[i].why = "no engine covers the model";
        return WEIR_EXIT_OK;
    }
    live->engine = weir_answer_engine(live->answer);
    for (uint32_t i = 0; i < live->pair_count && i < weir_answer_bound_count(live->answer); i++) {
        const struct weir_bound *bound = weir_answer_bound(live->answer, i);
        struct weir_live_pair *pair = &live->pairs[i];
        pair->bounded = weir_bound_holds(bound);
        pair->exact = bound->worst.claim == WEIR_CLAIM_EXACT;
        pair->why = pair->bounded ? NULL : why_of(bound);
        if (pair->bounded)
            pair->bound = weir_live_time(live, bound->worst.high);
    }
    return WEIR_EXIT_OK;
}

/* ---- with the times seen ---- */

/* From the start to the receive(), of the executions that were kept; otherwise anything up to the end. */
static void take_receives(const struct weir_live *live, struct weir_operator op, uint64_t executions,
                          struct weir_operator_spec *spec)
{
    size_t kept = weir_run_record_count(live->run, op);
    int64_t low = INT64_MAX, high = 0;
    for (size_t i = 0; i < kept; i++) {
        struct weir_run_record record = weir_run_record_at(live->run, op, i);
        int64_t time = record.received - record.start;
        low = time < low ? time : low;
        high = time > high ? time : high;
    }
    bool all = kept == executions && kept > 0;
    spec->receive_min = all ? weir_run_ticks(live->run, low, false) : 0;
    spec->receive_max = all ? weir_run_ticks(live->run, high, true) : spec->worst;
    spec->receive_max = spec->receive_max > spec->worst ? spec->worst : spec->receive_max;
    spec->receive_min = spec->receive_min > spec->receive_max ? spec->receive_max : spec->receive_min;
}

/* With a thread each, an execution is as long as it took; where operators share CPUs in the model, as the CPU time it took, unless
 * its work was to sleep. */
static void take_times(const struct weir_live *live, struct weir_operator op, struct weir_operator_spec *spec)
{
    struct weir_run_operator_stats seen = weir_run_operator(live->run, op);
    bool own = weir_pipeline_platform(live->pipeline) == WEIR_PLATFORM_THREADS;
    bool cpu = !own && seen.cpu_max > 0 && live->settings->work != WEIR_RUN_SLEEP;
    if (seen.executions == 0)
        return;
    spec->best = weir_run_ticks(live->run, cpu ? seen.cpu_min : seen.min, false);
    spec->worst = weir_run_ticks(live->run, cpu ? seen.cpu_max : seen.max, true);
    if (weir_pipeline_platform(live->pipeline) == WEIR_PLATFORM_CORES) {
        spec->has_cost = false;
        spec->cost_init = spec->cost_sample = 0;
        spec->best = 0;
    }
    if (spec->receive_max > 0)
        take_receives(live, op, seen.executions, spec);
}

static enum weir_status make_observed(const struct weir_live *live, struct weir_pipeline *copy, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < live->operators && !status; i++) {
        struct weir_operator op = {i};
        struct weir_operator_spec spec = weir_pipeline_operator(live->pipeline, op);
        take_times(live, op, &spec);
        status = weir_pipeline_change_operator(copy, op, &spec, error);
    }
    if (status)
        return status;
    struct weir_errors *errors = weir_errors_new();
    status = weir_pipeline_seal(copy, NULL, errors);
    if (status && weir_errors_count(errors))
        *error = *weir_errors_at(errors, 0);
    weir_errors_free(errors);
    return status;
}

static void take_observed(struct weir_live *live)
{
    for (uint32_t i = 0; i < live->pair_count && i < weir_answer_bound_count(live->observed_answer); i++) {
        const struct weir_bound *bound = weir_answer_bound(live->observed_answer, i);
        struct weir_live_pair *pair = &live->pairs[i];
        pair->observed_bounded = weir_bound_holds(bound);
        pair->observed_why = pair->observed_bounded ? NULL : why_of(bound);
        if (pair->observed_bounded)
            pair->observed = weir_live_time(live, bound->worst.high);
    }
}

void weir_live_bound_observed(struct weir_live *live)
{
    struct weir_error error = {0};
    struct weir_answer_options options = {.brief = true};
    if (!live->comparable)
        return;
    live->seen = weir_pipeline_copy(live->pipeline, &error);
    enum weir_status status = live->seen ? make_observed(live, live->seen, &error) : error.status;
    if (!status)
        status = weir_answer_find(live->seen, &options, &live->observed_answer, &error);
    if (status)
        snprintf(live->observed_why, sizeof live->observed_why, "%s", error.message[0] ? error.message : "out of memory");
    else
        take_observed(live);
}
