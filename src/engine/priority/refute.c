/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where no rule finds a bound, perhaps there is none: one execution that repeats itself with more and more that waits, or that
 * loses a message, shows that. Plans are tried one after the other, and what a plan shows is for src/check to say.
 */
#include "check/priority/refute.h"
#include "base/interrupt.h"
#include "engine/priority/system.h"

#define PLANS 18                   /* for each case; nearly all that are shown are by the first nine */
#define MOMENTS UINT64_C(8000)     /* of an execution */
#define WORK_ALL UINT64_C(8000000) /* for all of them */
#define WORK_LEAST UINT64_C(8)     /* ... of which none gets more than this part */
#define PLANS_ALONE 4              /* with each task alone */
#define PLAN_STEP 9                /* from one plan with the longest times, and inputs that come on time, to the next */

struct hunt {
    struct weir_refuter refuter;
    uint64_t each, left; /* work */
    uint64_t *plans;
    size_t count;
};

static bool try_plan(struct hunt *h, uint64_t plan)
{
    uint64_t work = h->each < h->left ? h->each : h->left;
    bool shown = weir_refuter_try(&h->refuter, plan, work);
    h->left -= work - h->refuter.execution.work;
    if (shown)
        h->plans[h->count++] = plan;
    return shown;
}

/* What showed another case often shows this one, too. */
static bool show_case(struct hunt *h)
{
    for (size_t k = h->count; k > 0 && k + 4 > h->count; k--)
        if (h->left > 0 && try_plan(h, h->plans[k - 1]))
            return true;
    for (uint64_t plan = 0; plan < PLANS && h->left > 0 && !weir_interrupted() && !h->refuter.memory; plan++)
        if (try_plan(h, plan))
            return true;
    return false;
}

/* A task that is too slow although no other is in its way is so whatever the free slots: a circle of queues with slots of frames on
 * it. */
static bool show_alone(struct hunt *h)
{
    h->left = h->left > h->each * PLANS_ALONE ? h->left : h->each * PLANS_ALONE;
    for (uint64_t plan = 0; plan < PLANS_ALONE && h->left > 0 && !weir_interrupted(); plan++)
        if (try_plan(h, WEIR_PLAN_ALONE | plan * PLAN_STEP))
            return true;
    return false;
}

static bool has_frames(const struct weir_taskset *set)
{
    bool any = false;
    for (uint32_t p = 0; p < set->processor_count; p++)
        any |= set->processors[p].sharing == WEIR_TDM;
    return any;
}

static void tell(struct weir_method_run *run, const struct weir_refuter *r)
{
    struct weir_priority_reason *reason = &run->system->reason;
    bool lost = r->shown == WEIR_EXECUTION_LOSES;
    bool same = reason->fault == WEIR_PRIORITY_FAULT_LOSS && reason->edge == r->edge;
    int64_t need = same ? reason->need : 0; /* what it may have to hold is known */
    run->outcome = reason->outcome = WEIR_PRIORITY_UNBOUNDED;
    reason->fault = lost ? WEIR_PRIORITY_FAULT_LOST : WEIR_PRIORITY_FAULT_BEHIND;
    reason->edge = r->edge;
    reason->task = r->task;
    reason->need = lost ? need : r->iterations;
    reason->cycle_time = r->rounded;
}

bool weir_priority_refute(struct weir_method_run *run, struct weir_refutation *found)
{
    struct weir_priority_system *s = run->system;
    struct hunt h = {.left = WORK_ALL};
    h.each = MOMENTS * (s->set->task_count + s->set->edge_count + 1);
    h.each = h.each < WORK_ALL / WORK_LEAST ? h.each : WORK_ALL / WORK_LEAST;
    h.plans = weir_arena_array(&s->arena, WEIR_REFUTE_CASES, sizeof *h.plans);
    bool good = h.plans && weir_refuter_open(&h.refuter, s->set, found->claims, found->claim_count);
    if (h.plans) {
        bool frames = has_frames(s->set);
        while (good && !weir_refuter_done(&h.refuter) && (show_case(&h) || (frames && show_alone(&h))))
            continue;
        good = good && !h.refuter.memory;
        if (good && weir_refuter_done(&h.refuter)) {
            tell(run, &h.refuter);
            found->plans = h.plans;
            found->plan_count = h.count;
        }
        weir_refuter_close(&h.refuter);
    }
    return good;
}
