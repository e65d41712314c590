/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for a GPU, claim by claim. What is read here was written by the engine, and may be any nonsense: indices are looked at
 * before they are used, and whatever cannot be confirmed is refused. */
#include "check/gpu/launches.h"

#include "base/error.h"
#include "check/gpu/launches_inside.h"

/* ---- the shape of the plan ---- */

static bool launch_is_sane(struct weir_launches_work *w, uint32_t i)
{
    const struct weir_gpu_launch *l = &w->plan->launches[i];
    if (l->kernel.index >= w->kernels)
        return weir_launches_refuse(w, "a launch has no kernel");
    if (!weir_launches_is_ratio(l->load) || !weir_launches_is_ratio(l->time) || !weir_launches_is_ratio(weir_launches_alone(l)) ||
        !weir_launches_is_ratio(l->start))
        return weir_launches_refuse(w, "a launch has an invalid load, time or start");
    if (l->after_count > i || (l->after_count && !l->after))
        return weir_launches_refuse(w, "a launch waits for more launches than stand before it");
    for (size_t j = 0; j < l->after_count; j++) {
        if (l->after[j] >= i)
            return weir_launches_refuse(w, "a launch waits for one that does not stand before it");
        if (j && l->after[j] <= l->after[j - 1])
            return weir_launches_refuse(w, "what a launch waits for is not in ascending order");
    }
    return true;
}

static bool shape_holds(struct weir_launches_work *w)
{
    const struct weir_gpu_plan *p = w->plan;
    if (p->sms == 0 || p->sms > WEIR_LAUNCHES_SMS)
        return weir_launches_refuse(w, "the plan has no SMs");
    if (p->launch_count == 0 || p->launch_count >= WEIR_LAUNCHES_NONE || !p->launches)
        return weir_launches_refuse(w, "the plan has no launches");
    if ((p->token_count && !p->tokens) || (p->added_count && !p->added))
        return weir_launches_refuse(w, "a list of the plan is missing");
    if (!weir_launches_is_ratio(p->bound) || p->bound.numerator / p->bound.denominator >= WEIR_LAUNCHES_BOUND)
        return weir_launches_refuse(w, "the bound is not a time that can be represented");
    if (!weir_launches_is_ratio(p->lower))
        return weir_launches_refuse(w, "the lower bound is not a time");
    w->count = (uint32_t)p->launch_count;
    for (uint32_t i = 0; i < w->count; i++)
        if (!launch_is_sane(w, i))
            return false;
    return true;
}

size_t weir_launches_find(const struct weir_gpu_launch *l, uint32_t from)
{
    size_t low = 0, high = l->after_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->after[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->after_count && l->after[low] == from ? low : l->after_count;
}

/* ---- the pipeline, once more from its specs ---- */

static struct weir_queue_spec dependency(const struct weir_launches_work *w, uint32_t i)
{
    return weir_pipeline_queue(w->pipeline, (struct weir_queue){i});
}

/* Each kernel behind all it depends on. False where there is a cycle. */
static bool order_kernels(struct weir_launches_work *w, uint32_t *waiting, size_t *first_dependent, uint32_t *dependents)
{
    uint32_t queues = weir_pipeline_queue_count(w->pipeline), done = 0, found = 0;
    for (uint32_t i = 0; i < queues; i++)
        first_dependent[dependency(w, i).from.index + 1]++;
    for (uint32_t v = 0; v < w->kernels; v++)
        first_dependent[v + 1] += first_dependent[v];
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = dependency(w, i);
        dependents[first_dependent[q.from.index]++] = q.to.index;
        waiting[q.to.index]++;
    }
    for (uint32_t v = 0; v < w->kernels; v++)
        if (waiting[v] == 0)
            w->order[found++] = v;
    /* first_dependent[v] is now where those of v end, and those of v + 1 begin. */
    for (; done < found; done++) {
        uint32_t v = w->order[done];
        for (size_t j = v ? first_dependent[v - 1] : 0; j < first_dependent[v]; j++)
            if (--waiting[dependents[j]] == 0)
                w->order[found++] = dependents[j];
    }
    return found == w->kernels;
}

static bool read_dependencies(struct weir_launches_work *w)
{
    uint32_t queues = weir_pipeline_queue_count(w->pipeline);
    size_t n = w->kernels, *first_dependent = weir_arena_array(&w->arena, n + 1, sizeof *first_dependent);
    uint32_t *dependents = weir_arena_array(&w->arena, queues, sizeof *dependents);
    uint32_t *waiting = weir_arena_array(&w->arena, n, sizeof *waiting);
    w->first_before = weir_arena_array(&w->arena, n + 2, sizeof *w->first_before);
    w->before = weir_arena_array(&w->arena, queues, sizeof *w->before);
    w->order = weir_arena_array(&w->arena, n, sizeof *w->order);
    if (w->arena.failed)
        return weir_launches_no_memory(w);
    /* Counted one further on, so that the sums end up in their place when the lists are filled. */
    for (uint32_t i = 0; i < queues; i++)
        w->first_before[dependency(w, i).to.index + 2]++;
    for (size_t v = 0; v < n; v++)
        w->first_before[v + 2] += w->first_before[v + 1];
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = dependency(w, i);
        w->before[w->first_before[q.to.index + 1]++] = q.from.index;
    }
    return order_kernels(w, waiting, first_dependent, dependents) || weir_launches_refuse(w, "the dependencies have a cycle");
}

static bool make_room(struct weir_launches_work *w)
{
    w->last = weir_arena_array(&w->arena, w->kernels, sizeof *w->last);
    w->part_before = weir_arena_array(&w->arena, w->count, sizeof *w->part_before);
    w->seen = weir_arena_array(&w->arena, w->count, sizeof *w->seen);
    w->stack = weir_arena_array(&w->arena, w->count, sizeof *w->stack);
    return !w->arena.failed || weir_launches_no_memory(w);
}

/* ---- the claims ---- */

static bool order_holds(struct weir_launches_work *w)
{
    return weir_ratio_compare(w->plan->lower, w->plan->bound) <= 0 || weir_launches_refuse(w, "the lower bound is above the bound");
}

static bool claims_hold(struct weir_launches_work *w)
{
    return shape_holds(w) && read_dependencies(w) && make_room(w) && weir_launches_kernels_hold(w) &&
           weir_launches_groups_hold(w) && weir_launches_dependencies_hold(w) && weir_launches_added_hold(w) &&
           weir_launches_tokens_hold(w) && weir_launches_neighbours_hold(w) && weir_launches_path_holds(w) &&
           weir_launches_starts_hold(w) && order_holds(w) && weir_launches_lower_holds(w);
}

enum weir_status weir_launches_check(const struct weir_gpu_plan *plan, const char **flaw, struct weir_error *error)
{
    struct weir_launches_work w = {.plan = plan, .pipeline = plan->pipeline};
    *flaw = NULL;
    if (!plan->safe) {
        *flaw = "the plan does not claim to be safe";
    } else if (plan->why) {
        *flaw = "the plan is called safe, and says what can break it";
    } else if (!w.pipeline || !weir_pipeline_sealed(w.pipeline) || weir_pipeline_platform(w.pipeline) != WEIR_PLATFORM_GPU) {
        *flaw = "the plan is not for a graph of kernels";
    } else {
        w.gpu = weir_pipeline_gpu(w.pipeline);
        w.kernels = weir_pipeline_operator_count(w.pipeline);
        if (!claims_hold(&w))
            *flaw = w.flaw;
    }
    weir_arena_free(&w.arena);
    return w.memory ? weir_fail_memory(error) : WEIR_OK;
}
