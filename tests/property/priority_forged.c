/* SPDX-License-Identifier: Apache-2.0 */
#include "priority_forged.h"

#include "check/priority/bounds.h"
#include "check/priority/refute.h"
#include "model/pipeline.h"

struct forgery {
    const struct weir_taskset *set;
    const struct weir_bounds_proof *proof;
    struct forged *forged;
};

static bool is_refused(const struct forgery *f, int64_t *claim, int64_t value, const char *what, uint32_t op)
{
    bool holds = true;
    *f->forged = (struct forged){f->forged->count + 1, what, op, value, *claim};
    *claim = value;
    enum weir_status status = weir_bounds_check(f->set, f->proof, &holds, NULL);
    *claim = f->forged->honest;
    return status == WEIR_OVERFLOW || (status == WEIR_OK && !holds);
}

bool forged_are_refused(const struct weir_pipeline *pipeline, const struct weir_priority_analysis *analysis,
                        const struct weir_processors_observed *seen, uint64_t stage, struct forged *forged)
{
    const struct forgery f = {pipeline->taskset, analysis->proof, forged};
    const struct weir_bounds_stage *s = &f.proof->stages[f.proof->stage_count - 1 - stage % f.proof->stage_count];
    for (uint32_t i = 0; i < f.set->task_count; i++)
        if (!is_refused(&f, &s->finish_max[i], seen->finish_max[i] - 1, "a finish is claimed too early, of", i) ||
            !is_refused(&f, &s->enable_max[i], seen->enable_max[i] - 1, "an enabling is claimed too early, of", i) ||
            !is_refused(&f, &f.proof->enable_min[i], seen->enable_min[i] + 1, "an earliest enabling is claimed too late, of", i))
            return false;
    return true;
}

bool forged_plans_fail(const struct weir_pipeline *pipeline, uint64_t seed)
{
    enum { PLANS = 12, ALONE = 2, WORK = 40000 };
    struct weir_refuter refuter;
    bool opened = weir_refuter_open(&refuter, pipeline->taskset, NULL, 0);
    for (uint64_t k = 0; opened && k < PLANS && !weir_refuter_done(&refuter); k++)
        weir_refuter_try(&refuter, k < ALONE ? WEIR_PLAN_ALONE | (seed + 9 * k) % 72 : (seed + k) % 72, WORK);
    bool shown = !opened || weir_refuter_done(&refuter);
    weir_refuter_close(&refuter);
    return !shown;
}
