/* SPDX-License-Identifier: Apache-2.0 */
/* What else an evaluator can be asked: which times its answer is made of, and how fast the pipeline runs. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/ratio.h"
#include "engine/exact/throughput.h"
#include "explore/evaluate.h"
#include "explore/margins/slack_lines.h"

#include <string.h>

/* ---- the path of the largest sum ---- */

static enum weir_status trace_counts(struct weir_evaluator *e, struct weir_onepass_start start, int64_t value, int64_t *counts,
                                     int64_t *work_counts)
{
    const struct weir_graph *g = &e->graph;
    uint32_t o = start.actor;
    int64_t row = start.row, label = value;
    bool free = row >= e->solver->region.cells[o].hot_row;
    for (;;) {
        struct weir_trace_path arc = weir_onepass_trace_path(e->solver, &e->problem, o, row, label);
        if (!arc.found)
            return WEIR_INTERNAL;
        if (arc.finish && !free && g->actors[o].part == WEIR_PART_EXECUTION)
            counts[g->actors[o].op]++;
        if (arc.finish && !free && g->actors[o].part == WEIR_PART_GPU)
            work_counts[g->actors[o].op]++;
        free = false;
        if (arc.end)
            return WEIR_OK;
        o = arc.head;
        row -= arc.tokens;
        label = e->solver->region.rows[row * g->actor_count + o];
    }
}

enum weir_status weir_evaluator_gradients(struct weir_evaluator *e, uint32_t chain, int64_t *counts, int64_t *work_counts,
                                          bool *exact, struct weir_error *error)
{
    *exact = false;
    if (chain >= e->pipeline->chain_count)
        return weir_fail(error, WEIR_INVALID, "the pipeline has no latency number %u", chain);
    enum weir_status status = weir_evaluator_settle(e, error);
    if (status || !e->in_place || e->deadlocked)
        return status;
    status = weir_evaluator_pose(e, chain, error);
    if (status || !e->problem.one_pass)
        return status;
    struct weir_separation result;
    struct weir_onepass_start start;
    status = weir_onepass_solve(e->solver, &e->problem, true, &result, &start);
    if (status)
        return status == WEIR_MEMORY ? weir_fail_memory(error) : status;
    if (result.outcome != WEIR_EXACT)
        return WEIR_OK;
    memset(counts, 0, e->pipeline->operator_count * sizeof *counts);
    memset(work_counts, 0, e->pipeline->operator_count * sizeof *work_counts);
    if (trace_counts(e, start, result.value, counts, work_counts))
        return weir_fail(error, WEIR_INTERNAL, "the path of a worst case could not be followed");
    *exact = true;
    return WEIR_OK;
}

enum weir_status weir_evaluator_gradient(struct weir_evaluator *e, uint32_t chain, int64_t *counts, bool *exact,
                                         struct weir_error *error)
{
    int64_t *work_counts = weir_array(e->pipeline->operator_count, sizeof *work_counts);
    enum weir_status status =
        work_counts ? weir_evaluator_gradients(e, chain, counts, work_counts, exact, error) : weir_fail_memory(error);
    weir_free(work_counts);
    return status;
}

/* ---- throughput ---- */

/* Leaves the component of those alone that lead to a result of an output. Scratch: `waiting` and `kept` by actor, `outputs` by
 * operator. */
static void keep_ancestors(const struct weir_pipeline *p, const struct weir_graph *g, uint32_t *component, uint32_t *waiting)
{
    uint32_t count = 0, n = g->actor_count;
    uint8_t *kept = (uint8_t *)(waiting + n), *outputs = kept + n;
    memset(kept, 0, n);
    weir_pipeline_mark_outputs(p, outputs);
    for (size_t i = 0; i < p->operator_count; i++)
        if (outputs[i]) {
            uint32_t end = g->finish_of[i];
            waiting[count++] = end;
            kept[end] = 1;
        }
    while (count) {
        uint32_t at = waiting[--count];
        for (uint32_t r = g->in_first[at]; r < g->in_first[at + 1]; r++)
            for (uint32_t i = g->in_runs[r].first; i < g->in_runs[r].end; i++)
                if (!kept[g->tails[i]]) {
                    kept[g->tails[i]] = 1;
                    waiting[count++] = g->tails[i];
                }
    }
    for (uint32_t o = 0; o < n; o++)
        if (!kept[o])
            component[o] = WEIR_NO_COMPONENT;
}

enum weir_status weir_graph_period(const struct weir_pipeline *p, const struct weir_graph *g, uint32_t **component,
                                   struct weir_ratio *period)
{
    struct weir_ratios ratios;
    *period = (struct weir_ratio){0, 1};
    if (!*component) {
        uint32_t count, *waiting = weir_array_zeroed(2 * (size_t)g->actor_count, sizeof *waiting);
        *component = waiting ? weir_components(g, &count) : NULL;
        if (*component)
            keep_ancestors(p, g, *component, waiting);
        weir_free(waiting);
    }
    enum weir_status status = *component ? weir_ratios_compute(g, g->hi, *component, &ratios) : WEIR_MEMORY;
    if (status)
        return status;
    for (uint32_t o = 0; o < g->actor_count; o++)
        if (ratios.ratio[o].denominator && weir_ratio_compare(ratios.ratio[o], *period) > 0)
            *period = ratios.ratio[o];
    weir_ratios_free(&ratios);
    return WEIR_OK;
}

enum weir_status weir_evaluator_throughput(struct weir_evaluator *e, struct weir_ratio *period, struct weir_error *error)
{
    *period = (struct weir_ratio){0, 0};
    enum weir_status status = weir_evaluator_settle(e, error);
    if (status || e->deadlocked)
        return status;
    const struct weir_graph *g = e->in_place ? &e->graph : e->copy->graph;
    status = weir_graph_period(e->pipeline, g, &e->component, period);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    return status ? weir_fail(error, status, "a cycle is longer than can be represented") : WEIR_OK;
}
