/* SPDX-License-Identifier: Apache-2.0 */
/* The long-run period of an operator: the largest cycle ratio among everything that can hold it back, over its executions in an
 * iteration. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/components.h"
#include "engine/exact/ratio.h"
#include "engine/exact/solver.h"

/* The operators on the cycle that `actor` leads to, each once, the first of the pipeline first; none for WEIR_NO_ACTOR. */
static struct weir_operator *list_cycle(const struct weir_graph *g, const struct weir_ratios *ratios, uint32_t actor, size_t *count)
{
    size_t length = 0;
    uint32_t on = actor == WEIR_NO_ACTOR ? actor : weir_ratios_cycle(ratios, actor, g->actor_count);
    for (uint32_t at = on; on != WEIR_NO_ACTOR && (length == 0 || at != on); at = ratios->next[at])
        length++;
    for (size_t i = 0, at = on; i < length; i++, at = ratios->next[at])
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
    uint32_t at = on;
    for (size_t i = 0; i < length; i++, at = ratios->next[at]) {
        uint32_t op = g->actors[at].op;
        if (!seen[op])
            list[(*count)++].index = op;
        seen[op] = 1;
    }
    weir_free(seen);
    return list;
}

enum weir_status weir_throughput(const struct weir_pipeline *pipeline, struct weir_operator op, bool worst,
                                 struct weir_ratio *period, struct weir_operator **cycle, size_t *cycle_count,
                                 struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require_threads(pipeline, error);
    if (fit)
        return fit;
    if (op.index >= pipeline->operator_count)
        return weir_fail(error, WEIR_INVALID, "throughput is that of an operator of the pipeline");
    const struct weir_graph *g = pipeline->graph;
    struct weir_distances *distances = weir_distances_new(g);
    int64_t *tokens = weir_array(g->actor_count, sizeof *tokens);
    uint32_t component_count, *component = weir_components(g, &component_count);
    struct weir_ratios ratios = {NULL, NULL};
    enum weir_status status = WEIR_MEMORY;
    if (distances && tokens && component) {
        weir_tokens_to(g, distances, g->start_of[g->firing_first[op.index]], false, tokens);
        for (uint32_t o = 0; o < g->actor_count; o++)
            if (tokens[o] == WEIR_FAR)
                component[o] = WEIR_NO_COMPONENT;
        status = weir_ratios_compute(g, worst ? g->hi : g->lo, component, &ratios);
    }
    if (!status) {
        uint32_t actor = WEIR_NO_ACTOR;
        *period = (struct weir_ratio){0, 1}; /* nothing holds it back */
        for (uint32_t o = 0; o < g->actor_count; o++)
            if (ratios.ratio[o].denominator && (actor == WEIR_NO_ACTOR || weir_ratio_compare(ratios.ratio[o], *period) > 0)) {
                actor = o;
                *period = ratios.ratio[o];
            }
        int64_t per_round, firings = weir_pipeline_firings(pipeline, op);
        if (!weir_multiply(period->denominator, firings, &per_round))
            status = WEIR_OVERFLOW;
        else
            *period = weir_ratio_reduce((struct weir_ratio){period->numerator, per_round});
        if (!status && cycle && !(*cycle = list_cycle(g, &ratios, actor, cycle_count)))
            status = WEIR_MEMORY;
    }
    weir_ratios_free(&ratios);
    weir_free(component);
    weir_free(tokens);
    weir_distances_free(distances);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    return status ? weir_fail(error, status, "a cycle is longer than can be represented") : WEIR_OK;
}
