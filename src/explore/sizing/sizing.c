/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest capacities: some to begin with, boxes as tasks for all threads, and then pass after pass up to a cost that rises,
 * until what was found is no dearer. So what is cheaper than the last pass is excluded whenever it ends.
 */
#include "explore/sizing/sizing.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "model/pipeline.h"

#include <string.h>

enum { TASKS = 64 };

static void learn(const void *context, const void *result, void *hint)
{
    const struct weir_sizing_study *s = context;
    const struct weir_sized *found = result;
    struct weir_sized *best = hint;
    if (weir_sized_compare(s, found, best) >= 0)
        return;
    best->found = true;
    best->cost = found->cost;
    memcpy(best + 1, found + 1, s->count * sizeof(uint32_t));
}

struct passes {
    struct weir_sizing_study *study;
    struct weir_sized *best;
    char *results;
    uint8_t *done;
    int64_t lower;    /* nothing that costs less keeps the limits */
    int64_t doubtful; /* ... but perhaps something that costs this much */
    bool complete;
};

/* What is left after a pass. */
struct rest {
    bool stopped;
    int64_t above, open;
};

static struct rest look_back(struct passes *p)
{
    const struct weir_sizing_study *s = p->study;
    struct rest rest = {false, INT64_MAX, INT64_MAX};
    for (size_t i = 0; i < s->boxes.count; i++) {
        const struct weir_sized *r = (const struct weir_sized *)(p->results + i * weir_sized_size(s));
        int64_t least = weir_box_at(s, &s->boxes, i)->least;
        if (!p->done[i]) {
            rest.stopped = true;
            rest.open = least < rest.open ? least : rest.open;
            continue;
        }
        rest.stopped |= r->open != INT64_MAX;
        rest.open = r->open < rest.open ? r->open : rest.open;
        rest.above = r->above < rest.above ? r->above : rest.above;
        p->doubtful = r->doubtful < p->doubtful ? r->doubtful : p->doubtful;
    }
    return rest;
}

static enum weir_status make_passes(struct passes *p, struct weir_error *error)
{
    const struct weir_sizing_study *s = p->study;
    struct weir_task_pool_work work = {.count = s->boxes.count,
                                       .result_size = weir_sized_size(s),
                                       .hint_size = weir_sized_size(s),
                                       .hint = p->best,
                                       .context = s,
                                       .enter = weir_sizing_seeker_new,
                                       .leave = weir_sizing_seeker_free,
                                       .perform = weir_sizing_seeker_perform,
                                       .learn = learn};
    struct weir_task_pool_options pool = WEIR_TASK_POOL_OPTIONS(s->options);
    int64_t first = INT64_MAX, limit;
    for (size_t i = 0; i < s->boxes.count; i++) {
        int64_t least = weir_box_at(s, &s->boxes, i)->least;
        first = least < first ? least : first;
    }
    p->lower = limit = first;
    while (!p->complete) {
        p->best->limit = limit;
        enum weir_status status = weir_task_pool_run(&work, &pool, p->results, p->done, error);
        if (status)
            return status;
        struct rest rest = look_back(p);
        int64_t left = rest.above < rest.open ? rest.above : rest.open;
        p->lower = left > p->lower ? left : p->lower;
        if (rest.stopped)
            return WEIR_OK;
        p->complete = left == INT64_MAX || (p->best->found && p->best->cost <= limit);
        limit = weir_sizing_next_limit(p->best, first, left);
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status find_least_period(const struct weir_sizing_study *s, struct weir_evaluator *e, struct weir_ratio *period,
                                          struct weir_error *error)
{
    enum weir_status status = weir_study_set(s, e, s->most, error);
    return status ? status : weir_evaluator_throughput(e, period, error);
}

static enum weir_status fill_in(const struct weir_sizing_study *s, struct weir_sizing_seeker *k, const struct passes *p,
                                struct weir_sizing *found, struct weir_error *error)
{
    const uint32_t *low = p->best->found ? weir_sized_capacities(p->best) : NULL;
    found->sized = weir_study_sized(s);
    found->capacities = weir_study_capacities(s, low);
    if (!found->sized || !found->capacities)
        return weir_fail_memory(error);
    bool doubt = p->doubtful < (p->best->found ? p->best->cost : INT64_MAX);
    found->complete = p->complete && !doubt;
    found->cost = p->best->found ? p->best->cost : INT64_MAX;
    found->lower = p->complete || p->lower > found->cost ? found->cost : p->lower;
    found->lower = doubt && p->doubtful < found->lower ? p->doubtful : found->lower;
    if (!low)
        return WEIR_OK;
    enum weir_status status = weir_study_set(s, k->evaluator, low, error);
    if (!status)
        status = weir_evaluator_throughput(k->evaluator, &found->period, error);
    return status ? status : weir_study_pipeline(s, low, &found->pipeline, error);
}

static enum weir_status search(struct weir_sizing_study *s, struct weir_sizing_seeker *k, void *sizing, struct weir_error *error)
{
    struct weir_sizing *found = sizing;
    struct passes p = {.study = s, .best = k->best};
    if (s->options->period)
        weir_cuts_aim(&k->cuts, (struct weir_ratio){s->options->period, 1}, false);
    enum weir_status status = find_least_period(s, k->evaluator, &found->period_least, error);
    const bool *before = weir_interrupt_watch(s->options->stop);
    if (!status)
        status = weir_sizing_seeker_begin(k, error);
    if (!status)
        status = weir_sizing_seeker_split(k, s, TASKS, error);
    weir_interrupt_watch(before);
    p.doubtful = k->best->doubtful;
    if (!status && !weir_cuts_copy(&k->cuts, &s->cuts))
        status = weir_fail_memory(error);
    p.results = weir_array_zeroed(s->boxes.count, weir_sized_size(s));
    p.done = weir_array(s->boxes.count, 1);
    if (!status && (!p.results || !p.done))
        status = weir_fail_memory(error);
    p.complete = s->boxes.count == 0;
    p.lower = INT64_MAX;
    if (!status && p.results && p.done)
        status = make_passes(&p, error);
    if (!status)
        status = fill_in(s, k, &p, found, error);
    weir_free(p.results);
    weir_free(p.done);
    return status;
}

enum weir_status weir_size_queues(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                  struct weir_sizing **sizing, struct weir_error *error)
{
    struct weir_sizing *found = weir_array_zeroed(1, sizeof *found);
    *sizing = NULL;
    enum weir_status status = weir_study_run(pipeline, options, search, found, error);
    if (status)
        weir_sizing_free(found);
    else
        *sizing = found;
    return status;
}

void weir_sizing_free(struct weir_sizing *sizing)
{
    if (!sizing)
        return;
    weir_pipeline_free(sizing->pipeline);
    weir_free((void *)sizing->sized);
    weir_free((void *)sizing->capacities);
    weir_free(sizing);
}
