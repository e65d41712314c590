/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The closed form of RTSS 2024, for queues of 1 and times fixed at their worst, measured from the moment a message enters the
 * source's own input queue, also of 1: that is, from the start of the source one iteration earlier.
 *
 * Let w be the worst case, s the source, t the sink, and c(path) the sum of w over its nodes but the last.
 *
 *     ipd(v)   immediate post-dominator: the first node that every path from v to t has in common
 *     W(v)     delay between two messages at v: w(v) where at most one edge leaves it, else max c over the paths from v to ipd(v)
 *     D(v)     max c over the paths from v to t, plus w(t)
 *     SP(v)    a path from s to v with the fewest nodes, h(v) of them; of several, the one with the smallest c
 *     LP       a path from s to t that attains D(s); of several, the first in the order of the queues
 *
 *     bound = max over v of  h(v) W(v) + D(v) + (0 if v is on LP, else D(s) - c(SP(v)))
 *
 * Everything is a longest or shortest path in a graph without cycles. The bound is no theorem: there are pipelines that are
 * later, so it is held against the exact value.
 */
#include "baseline/classic.h"

#include <string.h>

struct form {
    struct weir_arena arena;
    const struct weir_classic_chart *chart;
    int64_t *to_sink; /* D */
    int64_t *delay;   /* W */
    int64_t *lead;    /* c(SP) */
    int64_t *longest; /* scratch: from one node to the others; -1: not reached */
    uint32_t *ipd, *hops;
    bool *on_longest;
};

static bool take_arrays(struct form *f)
{
    size_t nodes = f->chart->node_count;
    f->to_sink = weir_arena_array(&f->arena, nodes, sizeof *f->to_sink);
    f->delay = weir_arena_array(&f->arena, nodes, sizeof *f->delay);
    f->lead = weir_arena_array(&f->arena, nodes, sizeof *f->lead);
    f->longest = weir_arena_array(&f->arena, nodes, sizeof *f->longest);
    f->ipd = weir_arena_array(&f->arena, nodes, sizeof *f->ipd);
    f->hops = weir_arena_array(&f->arena, nodes, sizeof *f->hops);
    f->on_longest = weir_arena_array(&f->arena, nodes, sizeof *f->on_longest);
    return !f->arena.failed;
}

/* From the sink backwards: D, and the post-dominators by climbing from two successors until they meet. */
static bool look_ahead(struct form *f)
{
    const struct weir_classic_chart *chart = f->chart;
    for (uint32_t v = chart->node_count; v-- > 0;) {
        int64_t rest = 0;
        uint32_t meet = v;
        for (uint32_t e = chart->out_first[v]; e < chart->out_first[v + 1]; e++) {
            uint32_t next = chart->edges[e].to;
            rest = f->to_sink[next] > rest ? f->to_sink[next] : rest;
            uint32_t a = e == chart->out_first[v] ? next : meet, b = next;
            while (a != b) {
                uint32_t *behind = a < b ? &a : &b;
                *behind = f->ipd[*behind];
            }
            meet = a;
        }
        f->ipd[v] = meet;
        if (!weir_add(chart->worst[v], rest, &f->to_sink[v]))
            return false;
    }
    return true;
}

/* No sum here exceeds D of the source, so none overflows. */
static void find_delays(struct form *f)
{
    const struct weir_classic_chart *chart = f->chart;
    for (uint32_t v = 0; v < chart->node_count; v++) {
        f->delay[v] = chart->worst[v];
        if (chart->out_first[v + 1] - chart->out_first[v] <= 1)
            continue;
        for (uint32_t u = v; u <= f->ipd[v]; u++)
            f->longest[u] = -1;
        f->longest[v] = 0;
        for (uint32_t u = v; u < f->ipd[v]; u++) {
            if (f->longest[u] < 0)
                continue;
            for (uint32_t e = chart->out_first[u]; e < chart->out_first[u + 1]; e++) {
                int64_t *there = &f->longest[chart->edges[e].to], here = f->longest[u] + chart->worst[u];
                *there = here > *there ? here : *there;
            }
        }
        f->delay[v] = f->longest[f->ipd[v]];
    }
}

static void find_paths(struct form *f)
{
    const struct weir_classic_chart *chart = f->chart;
    f->hops[chart->source] = 1;
    f->lead[chart->source] = 0;
    for (uint32_t v = 1; v < chart->node_count; v++) {
        f->hops[v] = UINT32_MAX;
        for (uint32_t i = chart->in_first[v]; i < chart->in_first[v + 1]; i++) {
            uint32_t from = chart->edges[chart->in_edges[i]].from;
            int64_t lead = f->lead[from] + chart->worst[from];
            if (f->hops[from] + 1 < f->hops[v] || (f->hops[from] + 1 == f->hops[v] && lead < f->lead[v])) {
                f->hops[v] = f->hops[from] + 1;
                f->lead[v] = lead;
            }
        }
    }
    for (uint32_t v = chart->source;;) {
        f->on_longest[v] = true;
        if (v == chart->sink)
            return;
        uint32_t e = chart->out_first[v];
        while (f->to_sink[chart->edges[e].to] != f->to_sink[v] - chart->worst[v])
            e++;
        v = chart->edges[e].to;
    }
}

static bool evaluate(const struct form *f, int64_t *bound)
{
    *bound = 0;
    for (uint32_t v = 0; v < f->chart->node_count; v++) {
        int64_t candidate, extra = f->on_longest[v] ? 0 : f->to_sink[f->chart->source] - f->lead[v];
        if (!weir_multiply(f->hops[v], f->delay[v], &candidate) || !weir_add(candidate, f->to_sink[v], &candidate) ||
            !weir_add(candidate, extra, &candidate))
            return false;
        *bound = candidate > *bound ? candidate : *bound;
    }
    return true;
}

/* The truth, measured from the same moment, with the times of the model. */
static enum weir_status compare(const struct weir_classic_chart *chart, struct weir_method_result *result, struct weir_error *error)
{
    char text[WEIR_TIME_TEXT];
    struct weir_separation truth;
    struct weir_query query = weir_method_query(chart->pipeline, chart->chain);
    query.shift++;
    struct weir_solver *solver = weir_solver_new(chart->pipeline, error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &query, &truth, error);
    weir_solver_free(solver);
    if (status)
        return status;
    int64_t lower = truth.outcome == WEIR_BRACKET ? truth.lower : truth.value;
    int64_t upper = truth.outcome == WEIR_BRACKET ? truth.upper : truth.value;
    result->safe = result->value >= upper;
    result->exact = lower == upper && result->value == upper;
    if (result->value < lower)
        weir_note_add(result, "Warning: below the exact value measured the same way, %s; not safe here.",
                      weir_time_format(chart->pipeline, lower, text));
    else if (!result->safe)
        weir_note_add(result, "Whether it is safe here was not decided within the limit.");
    return WEIR_OK;
}

enum weir_status weir_rtss24_run(const struct weir_classic_chart *chart, const struct weir_method_options *options,
                                 struct weir_method_result *result, struct weir_error *error)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    (void)options; /* nothing here is worth a limit */
    for (uint32_t e = 0; e < chart->edge_count; e++) {
        const struct weir_chart_edge *edge = &chart->edges[e];
        if (edge->capacity == 1)
            continue;
        result->applicable = false;
        weir_note_add(result, "All queues must have a capacity of 1; that from \"%s\" to \"%s\" has %u.",
                      weir_quote(chart->names[edge->from], from), weir_quote(chart->names[edge->to], to), edge->capacity);
        return WEIR_OK;
    }
    struct form f = {.chart = chart};
    enum weir_status status = WEIR_OK;
    if (!take_arrays(&f)) {
        status = weir_fail_memory(error);
    } else if (!look_ahead(&f)) {
        status = weir_fail(error, WEIR_OVERFLOW, "the worst cases add up to more than can be represented");
    } else {
        find_delays(&f);
        find_paths(&f);
        if (!evaluate(&f, &result->value))
            status = weir_fail(error, WEIR_OVERFLOW, "the bound is larger than can be represented");
    }
    weir_arena_free(&f.arena);
    if (status)
        return status;
    result->outcome = WEIR_EXACT;
    weir_note_add(result,
                  "For queues of 1 and times fixed at their worst; measured from entry into the source's own queue, that is, from "
                  "the start of the source one iteration earlier.");
    return compare(chart, result, error);
}
