/* SPDX-License-Identifier: Apache-2.0 */
/* The long-run period of an operator: the largest cycle ratio among everything that can hold it back. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "exact/ratio.h"
#include "exact/solver.h"

/* The operators on the cycle through `on`, each once. */
static struct weir_operator *list_cycle(const struct weir_graph *g, const struct weir_ratios *ratios, uint32_t on, size_t *count)
{
    size_t length = 0;
    for (uint32_t at = on; length == 0 || at != on; at = ratios->next[at])
        length++;
    struct weir_operator *list = weir_array(length, sizeof *list);
    *count = 0;
    if (!list)
        return NULL;
    uint32_t at = on;
    for (size_t i = 0; i < length; i++, at = ratios->next[at]) {
        bool seen = false;
        for (size_t j = 0; j < *count && !seen; j++)
            seen = list[j].index == g->actors[at].op;
        if (!seen)
            list[(*count)++].index = g->actors[at].op;
    }
    return list;
}

enum weir_status weir_throughput(const struct weir_pipeline *pipeline, struct weir_operator op, bool worst,
                                 struct weir_ratio *period, struct weir_operator **cycle, size_t *cycle_count,
                                 struct weir_error *error)
{
    if (!pipeline->sealed || op.index >= pipeline->operator_count)
        return weir_fail(error, WEIR_INVALID, "throughput is that of an operator of a sealed pipeline");
    const struct weir_graph *g = pipeline->graph;
    struct weir_distances *distances = weir_distances_new(g);
    int64_t *tokens = weir_array(g->actor_count, sizeof *tokens);
    uint32_t *component = weir_array(g->actor_count, sizeof *component);
    struct weir_ratios ratios = {NULL, NULL};
    enum weir_status status = WEIR_MEMORY;
    if (distances && tokens && component) {
        weir_tokens_to(g, distances, g->start_of[op.index], false, tokens);
        for (uint32_t o = 0; o < g->actor_count; o++)
            component[o] = tokens[o] == WEIR_FAR ? WEIR_NO_COMPONENT : 0;
        status = weir_ratios_compute(g, worst ? g->hi : g->lo, component, &ratios);
    }
    if (!status) {
        uint32_t actor = g->start_of[op.index];
        for (uint32_t o = 0; o < g->actor_count; o++)
            if (component[o] == 0 && weir_ratio_compare(ratios.ratio[o], ratios.ratio[actor]) > 0)
                actor = o;
        *period = ratios.ratio[actor];
        if (cycle && !(*cycle = list_cycle(g, &ratios, weir_ratios_cycle(&ratios, actor, g->actor_count), cycle_count)))
            status = WEIR_MEMORY;
    }
    weir_ratios_free(&ratios);
    weir_free(component);
    weir_free(tokens);
    weir_distances_free(distances);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    return status ? weir_fail(error, status, "a cycle is longer than can be counted") : WEIR_OK;
}
