/* SPDX-License-Identifier: Apache-2.0 */
/* The trace graph: how far each operator lags behind the source, and what a place waits for. */
#include "baseline/tgdfs.h"

/* Against the data a lag cannot grow, along a queue it grows by the capacity at most. One sweep in each direction settles every
 * path that turns once more. */
static bool sweep(const struct weir_classic_chart *chart, int64_t *lag)
{
    bool changed = false;
    for (uint32_t v = 0; v < chart->node_count; v++)
        for (uint32_t e = chart->out_first[v]; e < chart->out_first[v + 1] && lag[v] != INT64_MAX; e++) {
            const struct weir_chart_edge *edge = &chart->edges[e];
            if (lag[v] + edge->capacity < lag[edge->to]) {
                lag[edge->to] = lag[v] + edge->capacity;
                changed = true;
            }
        }
    for (uint32_t v = chart->node_count; v-- > 0;)
        for (uint32_t e = chart->out_first[v]; e < chart->out_first[v + 1]; e++) {
            uint32_t to = chart->edges[e].to;
            if (lag[to] < lag[v]) {
                lag[v] = lag[to];
                changed = true;
            }
        }
    return changed;
}

enum weir_status weir_trace_build(const struct weir_classic_chart *chart, struct weir_trace *trace, struct weir_error *error)
{
    size_t nodes = chart->node_count;
    *trace = (struct weir_trace){.chart = chart};
    trace->lag = weir_arena_array(&trace->arena, nodes, sizeof *trace->lag);
    trace->row = weir_arena_array(&trace->arena, nodes + 1, sizeof *trace->row);
    trace->sequential = weir_arena_array(&trace->arena, nodes, sizeof *trace->sequential);
    trace->counts = weir_arena_array(&trace->arena, nodes, sizeof *trace->counts);
    if (trace->arena.failed)
        return weir_fail_memory(error);
    for (uint32_t v = 0; v < nodes; v++)
        trace->lag[v] = v == chart->source ? 0 : INT64_MAX;
    while (sweep(chart, trace->lag))
        ;
    for (uint32_t v = 0; v < nodes; v++) {
        if (__builtin_add_overflow(trace->row[v], (uint64_t)trace->lag[v] + 1, &trace->row[v + 1]))
            trace->row[v + 1] = UINT64_MAX; /* more than any memory holds */
        trace->sequential[v] = trace->counts[v] = true;
        for (uint32_t e = chart->out_first[v]; e < chart->out_first[v + 1]; e++) {
            trace->sequential[v] &= chart->edges[e].capacity > 1;
            trace->counts[v] &= trace->lag[chart->edges[e].to] > trace->lag[v];
        }
    }
    return WEIR_OK;
}

bool weir_trace_arc(const struct weir_trace *trace, uint32_t node, int64_t depth, uint32_t ordinal, struct weir_trace_arc *arc)
{
    const struct weir_classic_chart *chart = trace->chart;
    uint32_t inputs = chart->in_first[node + 1] - chart->in_first[node];
    if (ordinal < inputs) {
        *arc = (struct weir_trace_arc){
            .node = chart->edges[chart->in_edges[chart->in_first[node] + ordinal]].from, .weighted = true, .depth = depth};
    } else if (ordinal == inputs && trace->sequential[node]) {
        *arc = (struct weir_trace_arc){.node = node, .weighted = true, .depth = depth + 1};
    } else {
        uint32_t e = chart->out_first[node] + ordinal - inputs - trace->sequential[node];
        if (e >= chart->out_first[node + 1])
            return false;
        *arc = (struct weir_trace_arc){.node = chart->edges[e].to, .depth = depth + chart->edges[e].capacity};
    }
    arc->ancestor = arc->depth >= trace->lag[arc->node];
    arc->counts = arc->weighted && (!arc->ancestor || (arc->depth == trace->lag[arc->node] && trace->counts[arc->node]));
    return true;
}

/* ---- the bound ---- */

/*
 * The maximum over all expressions without the expressions. With V(v, k) the largest value of those of a place that is no
 * ancestor, and 0 for ancestors,
 *
 *     V(v, k) = max over the arcs from (u, j) to (v, k) of  V(u, j) + (worst case of u, if the arc counts)
 *
 * and the answer is the sink's worst case plus V(sink, 0). Arcs come from larger k, or from the same k and a smaller number.
 */
static bool settle(const struct weir_trace *trace, int64_t *values, uint32_t node, int64_t depth)
{
    int64_t largest = 0;
    struct weir_trace_arc arc;
    for (uint32_t ordinal = 0; weir_trace_arc(trace, node, depth, ordinal, &arc); ordinal++) {
        int64_t value = arc.ancestor ? 0 : values[trace->row[arc.node] + (uint64_t)arc.depth];
        if (arc.counts && !weir_add(value, trace->chart->worst[arc.node], &value))
            return false;
        largest = value > largest ? value : largest;
    }
    values[trace->row[node] + (uint64_t)depth] = largest;
    return true;
}

enum weir_status weir_tgdfs_bound(const struct weir_trace *trace, uint64_t bytes, int64_t *bound, struct weir_error *error)
{
    const struct weir_classic_chart *chart = trace->chart;
    uint64_t places = trace->row[chart->node_count];
    *bound = INT64_MAX;
    if (places > bytes / sizeof(int64_t))
        return WEIR_OK;
    int64_t *values = weir_array(places, sizeof *values);
    if (!values)
        return weir_fail_memory(error);
    bool counted = true;
    for (int64_t depth = trace->lag[chart->sink]; counted && depth-- > 0;) /* no lag exceeds the sink's */
        for (uint32_t v = 0; counted && v < chart->node_count; v++)
            if (depth < trace->lag[v])
                counted = settle(trace, values, v, depth);
    int64_t before = counted && chart->sink != chart->source ? values[trace->row[chart->sink]] : 0;
    weir_free(values);
    if (!counted || !weir_add(before, chart->worst[chart->sink], bound))
        return weir_fail(error, WEIR_OVERFLOW, "the latency is larger than can be represented");
    return WEIR_OK;
}
