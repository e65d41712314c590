/* SPDX-License-Identifier: Apache-2.0 */
/* The trace graph: how far each operator lags behind the source, and what a place waits for. */
#include "baseline/tgdfs.h"

/* Against the data a lag cannot grow, along a queue it grows by the capacity at most. One sweep in each direction settles every
 * way that turns once more. */
static bool sweep(const struct weir_chart *chart, int64_t *lag)
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

enum weir_status weir_trace_build(const struct weir_chart *chart, struct weir_trace *trace, struct weir_error *error)
{
    size_t nodes = chart->node_count;
    *trace = (struct weir_trace){.chart = chart,
                                 .lag = weir_array(nodes, sizeof *trace->lag),
                                 .row = weir_array(nodes + 1, sizeof *trace->row),
                                 .sequential = weir_array(nodes, sizeof *trace->sequential),
                                 .counts = weir_array(nodes, sizeof *trace->counts)};
    if (!trace->lag || !trace->row || !trace->sequential || !trace->counts)
        return weir_fail_memory(error);
    for (uint32_t v = 0; v < nodes; v++)
        trace->lag[v] = v == chart->source ? 0 : INT64_MAX;
    while (sweep(chart, trace->lag))
        ;
    trace->row[0] = 0;
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

void weir_trace_free(struct weir_trace *trace)
{
    weir_free(trace->lag);
    weir_free(trace->row);
    weir_free(trace->sequential);
    weir_free(trace->counts);
}

bool weir_trace_arc(const struct weir_trace *trace, uint32_t node, int64_t depth, uint32_t ordinal, struct weir_trace_arc *arc)
{
    const struct weir_chart *chart = trace->chart;
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
