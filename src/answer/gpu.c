/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about graphs of kernels on a GPU: one bound for the whole, and the plan it holds for. */
#include "answer/answer.h"
#include "answer/timeline.h"
#include "base/error.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_GPU;
}

static void release(void *detail)
{
    weir_gpu_plan_free(detail);
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_gpu_options own = {.sms = options->sms,
                                   .no_split = options->no_split,
                                   .verify = options->verify,
                                   .work_limit = options->work_limit,
                                   .progress = options->progress,
                                   .context = options->context};
    struct weir_gpu_plan *plan = NULL;
    if (options->method)
        own.method = weir_gpu_method_named(options->method);
    if (own.method == WEIR_GPU_METHODS)
        return weir_fail(error, WEIR_INVALID, "kernels on a GPU have no method \"%s\"", options->method);
    struct weir_bound *bound = weir_answer_take(answer, 1, sizeof *bound);
    if (!bound)
        return weir_fail_memory(error);
    enum weir_status status = weir_gpu_analyze(answer->pipeline, &own, &plan, error);
    if (status)
        return status;
    answer->detail = plan;
    answer->bounds = bound;
    answer->bound_count = 1;
    bound->whole = true;
    bound->worst = (struct weir_quantity){plan->safe ? WEIR_CLAIM_SAFE : WEIR_CLAIM_UNSAFE, {0, 0}, plan->bound};
    bound->has_deadline = answer->pipeline->gpu.deadline > 0;
    bound->deadline = answer->pipeline->gpu.deadline;
    bound->why = plan->why;
    bound->verified = plan->verified;
    return WEIR_OK;
}

static enum weir_status show(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                             struct weir_error *error)
{
    (void)bound; /* there is one */
    return weir_timeline_of_plan(answer->detail, timeline, error);
}

const struct weir_engine weir_engine_gpu = {"gpu", applies, analyze, release, show};
