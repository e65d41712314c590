/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about operators that share worker threads. */
#include "answer/answer.h"
#include "base/error.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_THREADS && !weir_pipeline_has_enough_workers(pipeline);
}

static void release(void *detail)
{
    weir_workers_analysis_free(detail);
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_workers_options own = {.work_limit = options->work_limit};
    struct weir_workers_analysis *analysis = NULL;
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    enum weir_status status = weir_workers_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    for (size_t i = 0; i < answer->bound_count; i++) {
        const struct weir_workers_latency *from = &analysis->latencies[i];
        struct weir_bound *bound = &answer->bounds[i];
        struct weir_ratio worst = {from->worst, 1}, best = {from->best, 1};
        bool exact = from->outcome == WEIR_WORKERS_EXACT;
        bound->worst = exact                                ? weir_quantity_exact(worst)
                       : from->outcome == WEIR_WORKERS_SAFE ? weir_quantity_safe(worst)
                                                            : (struct weir_quantity){.claim = WEIR_CLAIM_UNKNOWN};
        if (from->has_best)
            bound->best = exact ? weir_quantity_exact(best) : weir_quantity_least(best);
        bound->why = from->why;
    }
    return WEIR_OK;
}

const struct weir_engine weir_engine_workers = {"workers", applies, analyze, release, NULL};
