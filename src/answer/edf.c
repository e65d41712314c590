/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about flows with rates on a pool of cores. */
#include "answer/answer.h"
#include "base/error.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_CORES;
}

static void release(void *detail)
{
    weir_edf_analysis_free(detail);
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_edf_options own = {.cores = options->cores, .verify = options->verify};
    struct weir_edf_analysis *analysis = NULL;
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    enum weir_status status = weir_edf_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    for (size_t i = 0; i < answer->bound_count; i++) {
        const struct weir_edf_latency *from = &analysis->latencies[i];
        struct weir_bound *bound = &answer->bounds[i];
        bound->worst = from->bounded ? weir_quantity_safe(from->worst) : (struct weir_quantity){.claim = WEIR_CLAIM_UNBOUNDED};
        bound->why = from->bounded ? NULL : analysis->why;
    }
    weir_answer_add_fact(answer, "utilization", weir_datum_share(analysis->utilization));
    return WEIR_OK;
}

const struct weir_engine weir_engine_edf = {"global-edf", applies, analyze, release, NULL};
