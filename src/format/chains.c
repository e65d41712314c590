/* SPDX-License-Identifier: Apache-2.0 */
#include "format/chains.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

enum { ROOT = 1, LEAF = 2 };

struct search {
    const struct weir_pipeline *pipeline;
    struct weir_distances *distances;
    int64_t *tokens;
    uint8_t *ends;
};

static int64_t tokens_from(const struct search *search, struct weir_operator op)
{
    return search->tokens[search->pipeline->graph->start_of[op.index]];
}

static void look_towards(const struct search *search, struct weir_operator op)
{
    const struct weir_graph *graph = search->pipeline->graph;
    weir_tokens_to(graph, search->distances, graph->start_of[op.index], true, search->tokens);
}

/* How many chains weir would choose: every root with every leaf it reaches. */
static size_t count_usual(const struct search *search)
{
    const struct weir_pipeline *p = search->pipeline;
    size_t count = 0;
    for (uint32_t leaf = 0; leaf < p->operator_count; leaf++) {
        if (!(search->ends[leaf] & LEAF))
            continue;
        look_towards(search, (struct weir_operator){leaf});
        for (uint32_t root = 0; root < p->operator_count; root++)
            count += (search->ends[root] & ROOT) && tokens_from(search, (struct weir_operator){root}) != WEIR_FAR;
    }
    return count;
}

static void search_all(const struct search *search, struct weir_chain_needs *needs)
{
    const struct weir_pipeline *p = search->pipeline;
    uint32_t last = UINT32_MAX;
    weir_pipeline_mark_ends(p, search->ends);
    for (size_t i = 0; i < p->chain_count; i++) {
        const struct weir_chain_spec *chain = &p->chains[i];
        if (chain->to.index != last)
            look_towards(search, chain->to);
        last = chain->to.index;
        needs->offset[i] = chain->shift != tokens_from(search, chain->from);
        needs->any |= needs->offset[i] || chain->has_deadline || !(search->ends[chain->from.index] & ROOT) ||
                      !(search->ends[chain->to.index] & LEAF);
    }
    /* Chains of usual ends and offsets are all different, so they are the usual ones when there are as many. */
    needs->any = needs->any || p->chain_count != count_usual(search);
}

static bool find(const struct weir_pipeline *p, struct weir_chain_needs *needs)
{
    struct search search = {.pipeline = p};
    search.distances = weir_distances_new(p->graph);
    search.tokens = weir_array(p->graph->actor_count, sizeof *search.tokens);
    search.ends = weir_array_zeroed(p->operator_count, sizeof *search.ends);
    bool good = search.distances && search.tokens && search.ends;
    if (good)
        search_all(&search, needs);
    weir_free(search.ends);
    weir_free(search.tokens);
    weir_distances_free(search.distances);
    return good;
}

/* ---- on a pool of cores, where no latency has an offset ---- */

/* The same of a flow: every operator with a source and every leaf it reaches. `reaches` is scratch, by operator. */
static size_t count_usual_flow(const struct weir_flow *flow, const uint8_t *ends, uint8_t *reaches)
{
    size_t count = 0;
    for (uint32_t leaf = 0; leaf < flow->node_count; leaf++) {
        if (!(ends[leaf] & LEAF))
            continue;
        memset(reaches, 0, flow->node_count);
        reaches[leaf] = 1;
        for (uint32_t k = flow->node_count; k-- > 0;) {
            uint32_t v = flow->order[k];
            if (!reaches[v])
                continue;
            count += (ends[v] & ROOT) != 0;
            for (uint32_t i = flow->first_input[v]; i < flow->first_input[v + 1]; i++)
                reaches[flow->edges[flow->inputs[i]].from] = 1;
        }
    }
    return count;
}

/* False: out of memory. */
static bool find_flow(const struct weir_pipeline *p, struct weir_chain_needs *needs)
{
    const struct weir_flow *flow = p->flow;
    uint8_t *ends = weir_array_zeroed(flow->node_count, sizeof *ends), *reaches = weir_array(flow->node_count, sizeof *reaches);
    bool good = ends && reaches;
    for (uint32_t v = 0; good && v < flow->node_count; v++)
        ends[v] = LEAF | (flow->nodes[v].source == WEIR_NO_SOURCE ? 0 : ROOT);
    for (uint32_t i = 0; good && i < flow->edge_count; i++)
        ends[flow->edges[i].from] &= ROOT;
    for (size_t i = 0; good && i < p->chain_count; i++)
        needs->any |= p->chains[i].has_deadline || !(ends[p->chains[i].to.index] & LEAF); /* they begin at sources, all of them */
    if (good)
        needs->any = needs->any || p->chain_count != count_usual_flow(flow, ends, reaches);
    weir_free(ends);
    weir_free(reaches);
    return good;
}

/* ---- all ---- */

/* Whether the tokens of the event graph say how many iterations are between two operators: each executes once in an iteration, and
 * each message is waited for. */
static bool tells_offsets(const struct weir_pipeline *p)
{
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].consume > 1 || !weir_queue_waits(&p->queues[i]))
            return false;
    return true;
}

enum weir_status weir_chain_needs_find(const struct weir_pipeline *p, struct weir_chain_needs *needs, struct weir_error *error)
{
    needs->any = p->chain_count > 0;
    needs->offset = weir_array_zeroed(p->chain_count, sizeof *needs->offset);
    if (!needs->offset)
        return weir_fail_memory(error);
    if (!p->sealed) {
        for (size_t i = 0; i < p->chain_count; i++)
            needs->offset[i] = p->chains[i].has_shift;
        return WEIR_OK;
    }
    needs->any = false;
    if (p->kernels) /* a graph of kernels has none */
        return WEIR_OK;
    bool good = true;
    if (p->flow) {
        good = find_flow(p, needs);
    } else if (tells_offsets(p)) {
        good = find(p, needs);
    } else {
        needs->any = p->shift_given != NULL; /* some were given */
        for (size_t i = 0; i < p->chain_count && needs->any; i++)
            needs->offset[i] = p->shift_given[i];
    }
    if (good)
        return WEIR_OK;
    weir_free(needs->offset);
    needs->offset = NULL;
    return weir_fail_memory(error);
}
