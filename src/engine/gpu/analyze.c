/* SPDX-License-Identifier: Apache-2.0 */
/* weir_gpu_analyze: a draft by one of the methods, what waits for what, exact numbers, and the check of it all. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/word.h"
#include "check/gpu/launches.h"
#include "engine/gpu/fill.h"
#include "engine/gpu/plan.h"
#include "engine/gpu/search.h"
#include "model/pipeline.h"
#include "weir.h"

#include <string.h>

static const char to_the_letter[] =
    "launches that run together may need more SMs than there are, and launches of later groups may begin too early";

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

static enum weir_status plan_barred(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft,
                                    struct weir_gpu_plan **plan)
{
    struct weir_gpu_result result = {.timing = WEIR_GPU_BY_GROUPS, .barriers = true};
    enum weir_status status = too_wide(draft) ? WEIR_OVERFLOW : weir_gpu_flow_make(s, draft, WEIR_GPU_BARRIERS, &result.flow);
    return status ? status : weir_gpu_plan_make(s, &result, plan);
}

static enum weir_status plan_safe(struct weir_gpu_system *s, struct weir_gpu_plan **plan)
{
    struct weir_gpu_draft draft = {0};
    enum weir_status status = draft_safe(s, &draft);
    if (!status)
        status = plan_barred(s, &draft, plan);
    weir_gpu_draft_free(&draft);
    return status;
}

/* ---- the best ---- */

static enum weir_status plan_handed(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft,
                                    struct weir_gpu_plan **plan)
{
    struct weir_gpu_result result = {.timing = WEIR_GPU_BY_CHAINS};
    enum weir_status status = weir_gpu_flow_make(s, draft, WEIR_GPU_HANDED, &result.flow);
    return status ? status : weir_gpu_plan_make(s, &result, plan);
}

/* The shorter of two plans, and of equal ones that with fewer launches, is kept in *plan; the other is freed. */
static void keep_better(struct weir_gpu_plan **plan, struct weir_gpu_plan *other)
{
    int order = *plan ? weir_ratio_compare((*plan)->bound, other->bound) : 1;
    if (order < 0 || (order == 0 && (*plan)->launch_count <= other->launch_count)) {
        weir_gpu_plan_free(other);
    } else {
        weir_gpu_plan_free(*plan);
        *plan = other;
    }
}

/* Whether it is the shortest so far, *shorter. */
static enum weir_status offer(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft, struct weir_gpu_plan **plan,
                              bool *shorter)
{
    struct weir_gpu_plan *made = NULL;
    enum weir_status status = plan_handed(s, draft, &made);
    if (status)
        return status;
    *shorter = !*plan || weir_ratio_compare(made->bound, (*plan)->bound) < 0;
    keep_better(plan, made);
    /* Where launches slow each other down, those that barriers keep apart can be worth more than those that they hold up. */
    if (!s->kernels->disturbed || too_wide(draft))
        return WEIR_OK;
    status = plan_barred(s, draft, &made);
    if (!status)
        keep_better(plan, made);
    return status;
}

/* Searches from the draft of `safe`, or from `found` where that is shorter; `found` is then what was found. The search counts in
 * fine ticks, so that its plan can be longer by a part of one: both are offered. */
static enum weir_status search(struct weir_gpu_system *s, int64_t lower, struct weir_gpu_draft *found, struct weir_gpu_plan **plan)
{
    struct weir_gpu_draft safe = {0};
    bool limited = *plan && (*plan)->limited, here = false, shorter = false;
    enum weir_status status = draft_safe(s, &safe);
    if (!status)
        status = offer(s, &safe, plan, &shorter);
    if (!status && (shorter || found->count == 0) && !weir_gpu_draft_copy(&safe, found))
        status = WEIR_MEMORY;
    if (!status)
        status = weir_gpu_search(s, lower, found, &here);
    if (!status)
        status = offer(s, found, plan, &shorter);
    if (!status)
        (*plan)->limited = limited || here;
    weir_gpu_draft_free(&safe);
    return status;
}

/* Where kernels slow each other down, plans are looked for twice: as if each ran alone, and as if each always had the worst
 * neighbour that it can have. */
static enum weir_status search_both(struct weir_gpu_system *s, int64_t lower, struct weir_gpu_draft *found,
                                    struct weir_gpu_plan **plan)
{
    enum weir_status status = search(s, lower, found, plan);
    if (status || !s->kernels->disturbed)
        return status;
    found->count = 0;
    if (!weir_gpu_expect_neighbours(s, true))
        return WEIR_MEMORY;
    status = search(s, lower, found, plan);
    weir_gpu_expect_neighbours(s, false);
    found->count = 0;
    return status;
}

static bool any_splittable(const struct weir_gpu_system *s)
{
    for (uint32_t v = 0; v < s->kernels->count; v++)
        if (weir_gpu_splittable(s, v))
            return true;
    return false;
}

/* Where kernels may be split, it is also tried not to, so that the leave to split never makes a plan longer. Where launches cost
 * time that comes first: what it finds is then often worth going on from. */
static enum weir_status plan_best(struct weir_gpu_system *s, const struct weir_gpu_lower *lower, struct weir_gpu_plan **plan)
{
    struct weir_gpu_draft found = {0};
    bool split = any_splittable(s), whole_first = s->overhead > 0;
    int rounds = split ? 2 : 1;
    enum weir_status status = WEIR_OK;
    s->work_whole = weir_gpu_search_limit(s) * (uint64_t)rounds * (s->kernels->disturbed ? 2 : 1);
    for (int i = 0; i < rounds && !status && (i == 0 || weir_ratio_compare((*plan)->bound, lower->ratio) > 0); i++) {
        s->split = split && (i == 0) != whole_first;
        if (!s->split)
            found.count = 0;
        status = search_both(s, lower->fine, &found, plan);
    }
    s->split = split;
    weir_gpu_draft_free(&found);
    if (!status && s->progress)
        s->progress(s->context, 1000);
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
    if (s->step > 1 && method != WEIR_GPU_BEST && method != WEIR_GPU_SAFE)
        return weir_fail(error, WEIR_INVALID, "method %s does not support \"sm-step\"; best and safe do",
                         weir_gpu_method_name(method));
    enum weir_status status = weir_gpu_lower_find(s, &lower);
    if (!status && method == WEIR_GPU_BEST)
        status = plan_best(s, &lower, plan);
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
    if (!status && made && options->verify && made->safe)
        status = verify(made, error);
    if (status)
        weir_gpu_plan_free(made);
    else
        *plan = made;
    return status;
}

/* ---- names ---- */

static const char *const names[WEIR_GPU_METHODS] = {
    [WEIR_GPU_BEST] = "best",     [WEIR_GPU_SAFE] = "safe",     [WEIR_GPU_PAPER] = "paper",
    [WEIR_GPU_GREEDY] = "greedy", [WEIR_GPU_GRAHAM] = "graham", [WEIR_GPU_GREEDY_UNAWARE] = "greedy-unaware",
};

const char *weir_gpu_method_name(enum weir_gpu_method method)
{
    return WEIR_WORD(names, method);
}

enum weir_gpu_method weir_gpu_method_named(const char *name)
{
    return (enum weir_gpu_method)weir_word_find(names, WEIR_GPU_METHODS, name);
}
