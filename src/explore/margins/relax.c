/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Let every input come as late as it may and every execution take its worst time, on a processor of its own. Iteration n of task i
 * is then enabled at s(i) + n P in the long run, where s is the least solution of
 *
 *     s(i) >= J                                  fed by the source
 *     s(j) >= s(i) + C(i) - initial P            a queue from i to j
 *     s(i) >= s(j) + C(j) - room P               ... that blocks and has that much room
 *
 * and later than any bound when there is none. In the model itself everything happens in this order too, and nothing earlier: a
 * sound bound on a finish is at least s + C. All terms fall with room, hence so does s.
 */
#include "explore/margins/relax.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

struct weir_relaxation {
    const struct weir_pipeline *model;
    const int64_t *limits;
    int64_t *enable;     /* by task */
    int64_t *enable_min; /* by task: at best times, over queues that begin empty */
    bool *fed;           /* by task */
    struct weir_arena arena;
};

/* Raises *to; times beyond counting have no bound either. */
static bool lift(int64_t *to, int64_t from, int64_t work, weir_wide back)
{
    weir_wide value = (weir_wide)from + work - back;
    if (value <= *to)
        return false;
    *to = value > WEIR_TIME_MAX ? WEIR_TIME_MAX : (int64_t)value;
    return true;
}

static void find_earliest(struct weir_relaxation *r)
{
    const struct weir_taskset *set = r->model->taskset;
    bool changed = true;
    for (uint32_t round = 0; changed && round <= set->task_count; round++) {
        changed = false;
        for (size_t i = 0; i < set->edge_count; i++) {
            const struct weir_task_edge *e = &set->edges[i];
            if (e->from != WEIR_FROM_SOURCE && e->initial == 0)
                changed |= lift(&r->enable_min[e->to], r->enable_min[e->from], set->tasks[e->from].best, 0);
        }
    }
}

struct weir_relaxation *weir_relaxation_new(const struct weir_pipeline *model, const int64_t *limits, struct weir_error *error)
{
    uint32_t tasks = model->taskset->task_count;
    struct weir_relaxation *r = weir_array_zeroed(1, sizeof *r);
    if (r) {
        r->model = model;
        r->limits = limits;
        r->enable = weir_arena_array(&r->arena, tasks, sizeof *r->enable);
        r->enable_min = weir_arena_array(&r->arena, tasks, sizeof *r->enable_min);
        r->fed = weir_arena_array(&r->arena, tasks, sizeof *r->fed);
    }
    if (!r || r->arena.failed) {
        weir_relaxation_free(r);
        weir_fail_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < model->source_count; i++)
        r->fed[model->sources[i].op.index] = true;
    find_earliest(r);
    return r;
}

void weir_relaxation_free(struct weir_relaxation *r)
{
    if (!r)
        return;
    weir_arena_free(&r->arena);
    weir_free(r);
}

/* One round over all queues; whether anything changed. */
static bool relax(struct weir_relaxation *r, const uint32_t *capacity)
{
    const struct weir_taskset *set = r->model->taskset;
    bool changed = false;
    for (size_t i = 0; i < r->model->queue_count; i++) {
        const struct weir_task_edge *e = &set->edges[i];
        int64_t period = set->graphs[set->tasks[e->from].graph].period;
        changed |= lift(&r->enable[e->to], r->enable[e->from], set->tasks[e->from].worst, (weir_wide)e->initial * period);
        if (e->blocking && capacity[i] != WEIR_UNBOUNDED)
            changed |= lift(&r->enable[e->from], r->enable[e->to], set->tasks[e->to].worst,
                            ((weir_wide)capacity[i] - e->initial) * period);
    }
    return changed;
}

static bool within(const struct weir_relaxation *r)
{
    const struct weir_taskset *set = r->model->taskset;
    for (size_t i = 0; i < r->model->chain_count; i++) {
        const struct weir_chain_spec *chain = &r->model->chains[i];
        uint32_t from = chain->from.index, to = chain->to.index;
        weir_wide latency = (weir_wide)r->enable[to] + set->tasks[to].worst - (r->fed[from] ? 0 : r->enable_min[from]) +
                            (weir_wide)chain->shift * set->graphs[set->tasks[to].graph].period;
        if (r->limits[i] != INT64_MAX && latency > r->limits[i])
            return false;
    }
    return true;
}

bool weir_relaxation_possible(struct weir_relaxation *r, const uint32_t *capacity)
{
    const struct weir_taskset *set = r->model->taskset;
    for (uint32_t i = 0; i < set->task_count; i++)
        r->enable[i] = 0;
    for (size_t i = 0; i < r->model->source_count; i++)
        r->enable[r->model->sources[i].op.index] = r->model->sources[i].jitter;
    /* A path without a cycle passes each task once: what still changes then is a cycle that grows. */
    for (uint32_t round = 0; relax(r, capacity); round++)
        if (round > set->task_count)
            return false;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (r->enable[i] >= WEIR_TIME_MAX)
            return false;
    return within(r);
}
