/* SPDX-License-Identifier: Apache-2.0 */
/* weir_gpu_analyze: a draft by one of the methods, what waits for what, exact numbers, and the check of it all. */
#include "base/alloc.h"
#include "base/error.h"
#include "check/launches.h"
#include "gpu/fill.h"
#include "gpu/lower.h"
#include "gpu/plan.h"
#include "gpu/search.h"
#include "model/pipeline.h"

static const char to_the_letter[] =
    "launches that run together may need more SMs than there are, and launches of later groups may begin before their turn";

static enum weir_status too_many(struct weir_error *error)
{
    return weir_fail(error, WEIR_OVERFLOW,
                     "the plan would have more than %llu dependencies between launches; method best has fewer",
                     (unsigned long long)WEIR_GPU_AFTER_MAX);
}

/* ---- the published method ---- */

/* Between each two groups every launch of one waits for every launch of the other. */
static bool too_wide(const struct weir_gpu_draft *draft)
{
    uint64_t total = 0, before = 0, here = 0;
    for (size_t i = 0; i < draft->count; i++) {
        if (i && draft->pieces[i].group != draft->pieces[i - 1].group) {
            before = here;
            here = 0;
        }
        here++;
        total += before;
    }
    return total > WEIR_GPU_AFTER_MAX;
}

static enum weir_status plan_paper(struct weir_gpu_system *s, struct weir_gpu_plan **plan)
{
    struct weir_gpu_division division;
    struct weir_gpu_result result = {.timing = WEIR_GPU_BY_GROUPS, .why = to_the_letter};
    enum weir_status status = weir_gpu_divide(s, &division);
    if (status)
        return status;
    status = weir_gpu_paper_flow(s, &division, &result.flow);
    weir_gpu_division_free(&division);
    return status ? status : weir_gpu_plan_make(s, &result, plan);
}

static enum weir_status draft_safe(struct weir_gpu_system *s, struct weir_gpu_draft *draft)
{
    struct weir_gpu_division division;
    enum weir_status status = weir_gpu_divide(s, &division);
    if (!status)
        status = weir_gpu_safe_draft(s, &division, draft);
    weir_gpu_division_free(&division);
    return status;
}

static enum weir_status plan_safe(struct weir_gpu_system *s, struct weir_gpu_plan **plan)
{
    struct weir_gpu_draft draft = {0};
    struct weir_gpu_result result = {.timing = WEIR_GPU_BY_GROUPS, .barriers = true};
    enum weir_status status = draft_safe(s, &draft);
    if (!status && too_wide(&draft))
        status = WEIR_OVERFLOW;
    if (!status)
        status = weir_gpu_flow_make(s, &draft, WEIR_GPU_BARRIERS, &result.flow);
    weir_gpu_draft_free(&draft);
    return status ? status : weir_gpu_plan_make(s, &result, plan);
}

/* ---- the best ---- */

static enum weir_status plan_handed(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft,
                                    struct weir_gpu_plan **plan)
{
    struct weir_gpu_result result = {.timing = WEIR_GPU_BY_CHAINS};
    enum weir_status status = weir_gpu_flow_make(s, draft, WEIR_GPU_HANDED, &result.flow);
    return status ? status : weir_gpu_plan_make(s, &result, plan);
}

/* The search counts in fine ticks; what it found can be longer by a part of one. */
static enum weir_status plan_better(const struct weir_gpu_system *s, const struct weir_gpu_draft *safe,
                                    const struct weir_gpu_draft *found, struct weir_gpu_plan **plan)
{
    struct weir_gpu_plan *first = NULL, *second = NULL;
    enum weir_status status = plan_handed(s, found, &first);
    if (!status)
        status = plan_handed(s, safe, &second);
    if (!status) {
        bool keep = weir_ratio_compare(first->bound, second->bound) <= 0;
        *plan = keep ? first : second;
        first = keep ? second : first;
    }
    weir_gpu_plan_free(first);
    return status;
}

static enum weir_status plan_best(struct weir_gpu_system *s, int64_t lower, struct weir_gpu_plan **plan)
{
    struct weir_gpu_draft safe = {0}, found = {0};
    bool limited = false;
    enum weir_status status = draft_safe(s, &safe);
    if (!status && !weir_gpu_draft_copy(&safe, &found))
        status = WEIR_MEMORY;
    if (!status)
        status = weir_gpu_search(s, lower, &found, &limited);
    if (!status)
        status = plan_better(s, &safe, &found, plan);
    if (!status)
        (*plan)->limited = limited;
    weir_gpu_draft_free(&safe);
    weir_gpu_draft_free(&found);
    return status;
}

/* ---- all of it ---- */

static enum weir_status plan_baseline(struct weir_gpu_system *s, enum weir_gpu_method method, struct weir_gpu_plan **plan,
                                      struct weir_error *error)
{
    struct weir_gpu_result result;
    enum weir_status status = method == WEIR_GPU_GRAHAM ? weir_gpu_graham(s, &result, error)
                                                        : weir_gpu_greedy(s, method == WEIR_GPU_GREEDY_UNAWARE, &result, error);
    if (status)
        return status;
    status = weir_gpu_plan_make(s, &result, plan);
    return status ? weir_fail_memory(error) : WEIR_OK; /* nothing is added, so nothing is too much */
}

static enum weir_status make(struct weir_gpu_system *s, enum weir_gpu_method method, struct weir_gpu_plan **plan,
                             struct weir_error *error)
{
    struct weir_gpu_lower lower;
    enum weir_status status = weir_gpu_lower_find(s, &lower);
    if (!status && method == WEIR_GPU_BEST)
        status = plan_best(s, lower.fine, plan);
    else if (!status && method == WEIR_GPU_SAFE)
        status = plan_safe(s, plan);
    else if (!status && method == WEIR_GPU_PAPER)
        status = plan_paper(s, plan);
    else if (!status && (status = plan_baseline(s, method, plan, error)))
        return status;
    if (status)
        return status == WEIR_OVERFLOW ? too_many(error) : weir_fail_memory(error);
    (*plan)->method = method;
    (*plan)->lower = lower.ratio;
    return WEIR_OK;
}

static enum weir_status verify(struct weir_gpu_plan *plan, struct weir_error *error)
{
    const char *flaw = NULL;
    enum weir_status status = weir_launches_check(plan, &flaw, error);
    if (!status && flaw)
        status = weir_fail(error, WEIR_INTERNAL, "verification failed: %s", flaw);
    plan->verified = !status;
    return status;
}

enum weir_status weir_gpu_analyze(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options,
                                  struct weir_gpu_plan **plan, struct weir_error *error)
{
    static const struct weir_gpu_options none = {0};
    struct weir_gpu_system system;
    options = options ? options : &none;
    *plan = NULL;
    enum weir_status status = weir_pipeline_require(pipeline, WEIR_PLATFORM_GPU, error);
    if (!status && (unsigned)options->method >= WEIR_GPU_METHODS)
        status = weir_fail(error, WEIR_INVALID, "there is no such method");
    if (!status)
        status = weir_gpu_system_open(pipeline, options, &system, error);
    if (status)
        return status;
    struct weir_gpu_plan *made = NULL;
    status = make(&system, options->method, &made, error);
    weir_gpu_system_close(&system);
    if (made && options->verify && made->safe)
        status = verify(made, error);
    if (status)
        weir_gpu_plan_free(made);
    else
        *plan = made;
    return status;
}
