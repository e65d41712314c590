/* SPDX-License-Identifier: Apache-2.0 */
/* The long-run period of an operator: the largest cycle ratio among everything that can hold it back, over its executions in an
 * iteration (docs/concepts/throughput.md). */
#include "engine/exact/throughput.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

static enum weir_status fail_long(struct weir_error *error)
{
    return weir_fail(error, WEIR_OVERFLOW, "a cycle is longer than can be represented");
}

/* Whether the cycle of `a` is slower than that of `b`, or as slow and comes before it; either may be WEIR_NO_ACTOR. */
static bool is_slower(const struct weir_pace *pace, uint32_t a, uint32_t b)
{
    if (a == WEIR_NO_ACTOR || b == WEIR_NO_ACTOR)
        return a != WEIR_NO_ACTOR;
    int order = weir_ratio_compare(pace->ratios.ratio[a], pace->ratios.ratio[b]);
    return order ? order > 0 : a < b;
}

/* Arcs lead to the same or a smaller component: with the largest first, what holds a component back is known when its turn comes.
 * `order` is scratch: component_count + 1 and one for each actor. */
static void spread(struct weir_pace *pace, uint32_t component_count, uint32_t *order)
{
    const struct weir_graph *g = pace->pipeline->graph;
    uint32_t *first = order + g->actor_count, *slowest = pace->slowest;
    for (uint32_t c = 0; c < component_count; c++)
        slowest[c] = WEIR_NO_ACTOR;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        uint32_t c = pace->component[o];
        first[c + 1]++;
        if (pace->ratios.ratio[o].denominator && is_slower(pace, o, slowest[c]))
            slowest[c] = o;
    }
    for (uint32_t c = 0; c < component_count; c++)
        first[c + 1] += first[c];
    for (uint32_t o = 0; o < g->actor_count; o++)
        order[first[pace->component[o]]++] = o;
    for (uint32_t k = g->actor_count; k-- > 0;) {
        uint32_t o = order[k], from = slowest[pace->component[o]];
        for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
            for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end; i++) {
                uint32_t *to = &slowest[pace->component[g->heads[i]]];
                *to = is_slower(pace, from, *to) ? from : *to;
            }
    }
}

enum weir_status weir_pace_find_at(struct weir_pace *pace, const struct weir_pipeline *pipeline, const int64_t *times,
                                   struct weir_error *error)
{
    const struct weir_graph *g = pipeline->graph;
    enum weir_status status;
    uint32_t count = 0;
    *pace = (struct weir_pace){.pipeline = pipeline};
    pace->component = weir_components(g, &count);
    pace->slowest = weir_array(count, sizeof *pace->slowest);
    uint32_t *order = weir_array_zeroed((size_t)g->actor_count + count + 1, sizeof *order);
    status = WEIR_MEMORY;
    if (pace->component && pace->slowest && order)
        status = weir_ratios_compute(g, times, pace->component, &pace->ratios);
    if (!status)
        spread(pace, count, order);
    weir_free(order);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    return status ? fail_long(error) : WEIR_OK;
}

enum weir_status weir_pace_find(struct weir_pace *pace, const struct weir_pipeline *pipeline, bool worst, struct weir_error *error)
{
    *pace = (struct weir_pace){.pipeline = pipeline};
    enum weir_status status = weir_pipeline_require_threads(pipeline, error);
    return status ? status : weir_pace_find_at(pace, pipeline, worst ? pipeline->graph->hi : pipeline->graph->lo, error);
}

struct weir_ratio weir_pace_of(const struct weir_pace *pace, uint32_t actor, uint32_t *on)
{
    *on = pace->slowest[pace->component[actor]];
    return *on == WEIR_NO_ACTOR ? (struct weir_ratio){0, 1} : pace->ratios.ratio[*on];
}

void weir_pace_free(struct weir_pace *pace)
{
    weir_ratios_free(&pace->ratios);
    weir_free(pace->slowest);
    weir_free(pace->component);
}

/* What holds back the slowest of the operator's executions in an iteration; `actors` is start_of or finish_of. */
static uint32_t slowest_of(const struct weir_pace *pace, struct weir_operator op, const uint32_t *actors)
{
    const struct weir_graph *g = pace->pipeline->graph;
    uint32_t found = WEIR_NO_ACTOR;
    for (uint32_t i = g->firing_first[op.index]; i < g->firing_first[op.index + 1]; i++) {
        uint32_t actor = pace->slowest[pace->component[actors[i]]];
        found = is_slower(pace, actor, found) ? actor : found;
    }
    return found;
}

static bool period_of(const struct weir_pace *pace, struct weir_operator op, const uint32_t *actors, struct weir_ratio *period)
{
    uint32_t actor = slowest_of(pace, op, actors);
    *period = actor == WEIR_NO_ACTOR ? (struct weir_ratio){0, 1} : pace->ratios.ratio[actor];
    int64_t per_round;
    if (!weir_multiply(period->denominator, weir_pipeline_firings(pace->pipeline, op), &per_round))
        return false;
    *period = weir_ratio_reduce((struct weir_ratio){period->numerator, per_round});
    return true;
}

bool weir_pace_starts(const struct weir_pace *pace, struct weir_operator op, struct weir_ratio *period)
{
    return period_of(pace, op, pace->pipeline->graph->start_of, period);
}

bool weir_pace_results(const struct weir_pace *pace, struct weir_operator op, struct weir_ratio *period)
{
    return period_of(pace, op, pace->pipeline->graph->finish_of, period);
}

void weir_pipeline_mark_outputs(const struct weir_pipeline *p, uint8_t *outputs)
{
    for (size_t i = 0; i < p->operator_count; i++)
        outputs[i] = 1;
    for (size_t i = 0; i < p->queue_count; i++)
        outputs[p->queues[i].from.index] = 0;
    for (size_t i = 0; i < p->chain_count; i++)
        outputs[p->chains[i].to.index] = 1;
}

enum weir_status weir_pace_outputs(const struct weir_pace *pace, struct weir_ratio *period, struct weir_operator *slowest,
                                   struct weir_error *error)
{
    const struct weir_pipeline *p = pace->pipeline;
    uint8_t *outputs = weir_array(p->operator_count, 1);
    if (!outputs)
        return weir_fail_memory(error);
    weir_pipeline_mark_outputs(p, outputs);
    *period = (struct weir_ratio){-1, 1};
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < p->operator_count && !status; i++) {
        struct weir_ratio one;
        if (outputs[i] && !weir_pace_results(pace, (struct weir_operator){i}, &one))
            status = fail_long(error);
        else if (outputs[i] && weir_ratio_compare(one, *period) > 0) {
            *period = one;
            slowest->index = i;
        }
    }
    weir_free(outputs);
    return status;
}

struct weir_operator *weir_pace_cycle(const struct weir_pace *pace, struct weir_operator op, size_t *count)
{
    const struct weir_graph *g = pace->pipeline->graph;
    const uint32_t *next = pace->ratios.next;
    uint32_t actor = slowest_of(pace, op, g->finish_of);
    size_t length = 0;
    uint32_t on = actor == WEIR_NO_ACTOR ? actor : weir_ratios_cycle(&pace->ratios, actor, g->actor_count);
    for (uint32_t at = on; on != WEIR_NO_ACTOR && (length == 0 || at != on); at = next[at])
        length++;
    for (size_t i = 0, at = on; i < length; i++, at = next[at])
        if (g->actors[at].op < g->actors[on].op)
            on = (uint32_t)at;
    struct weir_operator *list = weir_array(length, sizeof *list);
    uint8_t *seen = weir_array_zeroed(g->actor_count, sizeof *seen); /* by operator: there are no more of them than actors */
    *count = 0;
    if (!list || !seen) {
        weir_free(seen);
        weir_free(list);
        return NULL;
    }
    for (size_t i = 0, at = on; i < length; i++, at = next[at]) {
        uint32_t member = g->actors[at].op;
        if (!seen[member])
            list[(*count)++].index = member;
        seen[member] = 1;
    }
    weir_free(seen);
    return list;
}

enum weir_status weir_throughput(const struct weir_pipeline *pipeline, struct weir_operator op, bool worst,
                                 struct weir_ratio *period, struct weir_operator **cycle, size_t *cycle_count,
                                 struct weir_error *error)
{
    struct weir_pace pace;
    enum weir_status status = weir_pace_find(&pace, pipeline, worst, error);
    if (!status && op.index >= pipeline->operator_count)
        status = weir_fail(error, WEIR_INVALID, "throughput must be that of an operator of the pipeline");
    if (!status && !weir_pace_results(&pace, op, period))
        status = fail_long(error);
    if (!status && cycle && !(*cycle = weir_pace_cycle(&pace, op, cycle_count)))
        status = weir_fail_memory(error);
    weir_pace_free(&pace);
    return status;
}
