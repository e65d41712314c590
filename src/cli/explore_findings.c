/* SPDX-License-Identifier: Apache-2.0 */
/* What an exploration comes to, in the terms of its goal. */
#include "explore.h"

#include <string.h>

const char *weir_goal_name(enum weir_explore_goal goal)
{
    static const char *const names[] = {"priorities", "mapping", "spacing", "buffers"};
    return names[goal];
}

static const struct weir_priority_analysis *analysis_of(const struct weir_findings *f, bool after)
{
    return after && f->exploration->after ? f->exploration->after : f->exploration->before;
}

/* Whether the pair begins where the regulator stands. */
static bool regulated(const struct weir_findings *f, struct weir_operator from)
{
    struct weir_source_spec regulator = weir_pipeline_source(f->model, f->exploration->source);
    for (uint32_t i = 0; i < weir_pipeline_source_count(f->model); i++) {
        struct weir_source_spec source = weir_pipeline_source(f->model, i);
        if (source.op.index == from.index)
            return i == f->exploration->source || (source.name && regulator.name && strcmp(source.name, regulator.name) == 0);
    }
    return false;
}

bool weir_findings_worst(const struct weir_findings *f, size_t pair, bool after, int64_t *worst)
{
    const struct weir_priority_latency *latency = &analysis_of(f, after)->latencies[pair];
    *worst = latency->worst;
    if (after && f->exploration->after && f->options->goal == WEIR_EXPLORE_SPACING && regulated(f, latency->pair.from))
        *worst += f->exploration->delay;
    return latency->bounded;
}

bool weir_findings_met(const struct weir_findings *f, size_t pair, bool after)
{
    struct weir_pair_spec spec = weir_pipeline_pair(f->model, (uint32_t)pair);
    int64_t worst;
    bool bounded = weir_findings_worst(f, pair, after, &worst);
    return !spec.has_deadline || (bounded && worst <= spec.deadline);
}

enum weir_exit weir_findings_exit(const struct weir_findings *f)
{
    const struct weir_priority_analysis *analysis = analysis_of(f, true);
    if (analysis->outcome == WEIR_PRIORITY_UNBOUNDED)
        return WEIR_EXIT_MISSED;
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
        return WEIR_EXIT_BRACKET;
    for (size_t i = 0; i < analysis->latency_count; i++)
        if (!weir_findings_met(f, i, true))
            return WEIR_EXIT_MISSED;
    return f->options->goal == WEIR_EXPLORE_BUFFERS && f->exploration->total < 0 ? WEIR_EXIT_MISSED : WEIR_EXIT_OK;
}

bool weir_findings_change(const struct weir_findings *f, uint32_t op, struct weir_operator_change *change)
{
    if (!f->exploration->pipeline)
        return false;
    change->before = weir_pipeline_operator(f->model, (struct weir_operator){op});
    change->after = weir_pipeline_operator(f->exploration->pipeline, (struct weir_operator){op});
    change->processor = change->after.mapped && change->before.on.index != change->after.on.index;
    change->priority =
        change->after.has_priority != change->before.has_priority || change->after.priority != change->before.priority;
    return change->processor || change->priority;
}

static int64_t capacity_in(const struct weir_priority_analysis *analysis, uint32_t queue)
{
    for (size_t i = 0; i < analysis->buffer_count; i++)
        if (!analysis->buffers[i].input && analysis->buffers[i].index == queue)
            return analysis->buffers[i].capacity;
    return -1;
}

bool weir_findings_capacity(const struct weir_findings *f, uint32_t queue, int64_t *before, int64_t *after)
{
    *before = capacity_in(f->exploration->before, queue);
    *after = f->exploration->after ? capacity_in(f->exploration->after, queue) : *before;
    return *before != *after;
}
