/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about operators that share processors. */
#include "answer/answer.h"
#include "answer/timeline.h"
#include "base/error.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_PROCESSORS;
}

static void release(void *detail)
{
    weir_priority_analysis_free(detail);
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_priority_options own = {.latency_limit = options->latency_limit,
                                        .work_limit = options->work_limit,
                                        .verify = options->verify,
                                        .progress = options->progress,
                                        .context = options->context};
    struct weir_priority_analysis *analysis = NULL;
    if (options->method)
        own.method = weir_priority_method_named(options->method);
    if (own.method == WEIR_PRIORITY_METHODS)
        return weir_fail(error, WEIR_INVALID, "shared processors have no method \"%s\"", options->method);
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    enum weir_status status = weir_priority_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    bool converged = analysis->outcome == WEIR_PRIORITY_CONVERGED;
    for (size_t i = 0; i < answer->bound_count; i++) {
        const struct weir_priority_latency *from = &analysis->latencies[i];
        struct weir_bound *bound = &answer->bounds[i];
        struct weir_ratio worst = {from->worst, 1};
        if (from->bounded)
            bound->worst = weir_quantity_safe(worst);
        else
            bound->worst.claim =
                converged || analysis->outcome == WEIR_PRIORITY_UNBOUNDED ? WEIR_CLAIM_UNBOUNDED : WEIR_CLAIM_UNKNOWN;
        if (from->bounded && !analysis->safe)
            bound->worst.claim = WEIR_CLAIM_UNSAFE;
        if (from->bounded && from->best != INT64_MIN)
            bound->best = weir_quantity_least((struct weir_ratio){from->best, 1});
        bound->why = from->bounded ? NULL : analysis->why;
    }
    return WEIR_OK;
}

static enum weir_status show(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                             struct weir_error *error)
{
    (void)bound; /* one picture shows them all */
    return weir_timeline_of_intervals(answer->detail, timeline, error);
}

const struct weir_engine weir_engine_priority = {"fixed-priority", applies, analyze, release, show};
