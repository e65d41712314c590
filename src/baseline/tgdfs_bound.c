/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maximum over all expressions without the expressions. With V(v, k) the largest value of those of a place that is no
 * ancestor, and 0 for ancestors,
 *
 *     V(v, k) = max over the arcs from (u, j) to (v, k) of  V(u, j) + (worst case of u, if the arc counts)
 *
 * and the answer is the sink's worst case plus V(sink, 0). Arcs come from larger k, or from the same k and a smaller number.
 */
#include "baseline/tgdfs.h"

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
    const struct weir_chart *chart = trace->chart;
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
