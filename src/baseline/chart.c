/* SPDX-License-Identifier: Apache-2.0 */
/* From a pipeline to the papers' model of it, or to the reason why there is none. */
#include "baseline/classic.h"

#include <stdio.h>
#include <string.h>

/* ---- what the papers' model has no words for ---- */

static void refuse(struct weir_method_result *result, const char *format, ...) WEIR_PRINTF(2, 3);

static void refuse(struct weir_method_result *result, const char *format, ...)
{
    char why[sizeof result->note];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    result->applicable = false;
    weir_note_add(result, "Outside the papers' model: %s.", why);
}

static bool check_operators(const struct weir_pipeline *p, struct weir_method_result *result)
{
    char quoted[WEIR_QUOTED];
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec op = weir_pipeline_operator(p, (struct weir_operator){i});
        if (op.reentrant) {
            refuse(result, "operator \"%s\" works on several messages at once", weir_quote(op.name, quoted));
            return false;
        }
        if (op.receive_max > 0) {
            refuse(result, "operator \"%s\" frees its input later than at its start", weir_quote(op.name, quoted));
            return false;
        }
    }
    if (weir_pipeline_source_count(p) > 0) {
        struct weir_operator op = weir_pipeline_source(p, 0).op;
        refuse(result, "operator \"%s\" has a period; there, input is always at hand",
               weir_quote(weir_pipeline_operator(p, op).name, quoted));
        return false;
    }
    return true;
}

static bool check_queues(const struct weir_pipeline *p, struct weir_method_result *result)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        const char *why = q.initial                      ? "begins with messages in it (feedback, or a delay)"
                          : q.nonblocking                ? "does not hold its producer back"
                          : q.capacity == WEIR_UNBOUNDED ? "is unbounded"
                                                         : NULL;
        if (!why)
            continue;
        refuse(result, "the queue from \"%s\" to \"%s\" %s", weir_quote(weir_pipeline_operator(p, q.from).name, from),
               weir_quote(weir_pipeline_operator(p, q.to).name, to), why);
        return false;
    }
    return true;
}

/* `degree` is scratch: twice the number of operators, zeroed. Without initial messages there is no cycle, and so at least one
 * operator without input and one without output. */
static bool check_ends(const struct weir_pipeline *p, const struct weir_chain_spec *chain, uint32_t *degree,
                       struct weir_method_result *result)
{
    uint32_t operators = weir_pipeline_operator_count(p), sources = 0, sinks = 0;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        degree[q.to.index]++;
        degree[operators + q.from.index]++;
    }
    for (uint32_t i = 0; i < operators; i++) {
        sources += degree[i] == 0;
        sinks += degree[operators + i] == 0;
    }
    if (sources > 1)
        refuse(result, "the pipeline has %u sources", sources);
    else if (sinks > 1)
        refuse(result, "the pipeline has %u sinks", sinks);
    else if (degree[chain->from.index] > 0 || degree[operators + chain->to.index] > 0)
        refuse(result, "the latency is not that from the source to the sink");
    else if (chain->shift != 0)
        refuse(result, "the latency ends %lld iterations away from where it begins", (long long)chain->shift);
    return result->applicable;
}

/* ---- the chart ---- */

struct draft {
    struct weir_classic_chart *chart;
    int64_t *best, *worst;
    const char **names;
    uint32_t *ops, *out_first, *in_first, *in_edges;
    struct weir_chart_edge *edges;
    struct weir_arena scratch; /* of: */
    uint32_t *node_of;         /* by operator */
    uint32_t *waiting;         /* by operator: inputs whose producer has no number yet */
    uint32_t *first, *targets; /* by operator, its successors and the capacities, in the order of the queues */
    uint32_t *capacities;
    uint32_t *seen; /* by node: the last edge to it, + 1 */
};

static bool take_arrays(struct draft *d, uint32_t operators, uint32_t queues)
{
    struct weir_arena *arena = &d->chart->arena, *scratch = &d->scratch;
    d->best = weir_arena_array(arena, operators, sizeof *d->best);
    d->worst = weir_arena_array(arena, operators, sizeof *d->worst);
    d->names = weir_arena_array(arena, operators, sizeof *d->names);
    d->ops = weir_arena_array(arena, operators, sizeof *d->ops);
    d->out_first = weir_arena_array(arena, operators + (size_t)1, sizeof *d->out_first);
    d->in_first = weir_arena_array(arena, operators + (size_t)2, sizeof *d->in_first);
    d->in_edges = weir_arena_array(arena, queues + (size_t)1, sizeof *d->in_edges);
    d->edges = weir_arena_array(arena, queues + (size_t)1, sizeof *d->edges);
    d->node_of = weir_arena_array(scratch, operators, sizeof *d->node_of);
    d->waiting = weir_arena_array(scratch, operators, sizeof *d->waiting);
    d->first = weir_arena_array(scratch, operators + (size_t)1, sizeof *d->first);
    d->targets = weir_arena_array(scratch, queues, sizeof *d->targets);
    d->capacities = weir_arena_array(scratch, queues, sizeof *d->capacities);
    d->seen = weir_arena_array(scratch, operators, sizeof *d->seen);
    return !arena->failed && !scratch->failed;
}

static void sort_queues(struct draft *d, const struct weir_pipeline *p)
{
    uint32_t operators = weir_pipeline_operator_count(p), queues = weir_pipeline_queue_count(p);
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        d->first[q.from.index + 1]++;
        d->waiting[q.to.index]++;
    }
    for (uint32_t i = 0; i < operators; i++)
        d->first[i + 1] += d->first[i];
    uint32_t *next = d->node_of; /* not in use yet */
    memcpy(next, d->first, operators * sizeof *next);
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        uint32_t place = next[q.from.index]++;
        d->targets[place] = q.to.index;
        d->capacities[place] = q.capacity;
    }
}

/* An operator gets its number when all its producers have theirs. */
static void number_nodes(struct draft *d, uint32_t operators, uint32_t source)
{
    uint32_t numbered = 0;
    d->ops[numbered++] = source;
    for (uint32_t node = 0; node < numbered; node++) {
        uint32_t op = d->ops[node];
        d->node_of[op] = node;
        for (uint32_t i = d->first[op]; i < d->first[op + 1]; i++)
            if (--d->waiting[d->targets[i]] == 0)
                d->ops[numbered++] = d->targets[i];
    }
    d->chart->node_count = numbered < operators ? numbered : operators;
}

static void join_nodes(struct draft *d)
{
    uint32_t nodes = d->chart->node_count, edges = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t op = d->ops[node], begin = edges;
        d->out_first[node] = edges;
        for (uint32_t i = d->first[op]; i < d->first[op + 1]; i++) {
            uint32_t to = d->node_of[d->targets[i]], capacity = d->capacities[i], before = d->seen[to];
            if (before > begin) { /* a parallel queue */
                if (capacity < d->edges[before - 1].capacity)
                    d->edges[before - 1].capacity = capacity;
                continue;
            }
            d->edges[edges++] = (struct weir_chart_edge){node, to, capacity};
            d->seen[to] = edges;
            d->in_first[to + 2]++;
        }
    }
    d->out_first[nodes] = edges;
    for (uint32_t node = 0; node < nodes; node++)
        d->in_first[node + 2] += d->in_first[node + 1];
    for (uint32_t e = 0; e < edges; e++)
        d->in_edges[d->in_first[d->edges[e].to + 1]++] = e;
    d->chart->edge_count = edges;
}

static void describe_nodes(struct draft *d, const struct weir_pipeline *p)
{
    d->chart->zero_best = true;
    for (uint32_t node = 0; node < d->chart->node_count; node++) {
        struct weir_operator_spec op = weir_pipeline_operator(p, (struct weir_operator){d->ops[node]});
        d->best[node] = op.best;
        d->worst[node] = op.worst;
        d->names[node] = op.name;
        d->chart->zero_best &= op.best == 0;
    }
}

static enum weir_status draw(const struct weir_pipeline *p, const struct weir_chain_spec *chain, struct weir_classic_chart *chart,
                             struct weir_error *error)
{
    struct draft d = {.chart = chart};
    if (!take_arrays(&d, weir_pipeline_operator_count(p), weir_pipeline_queue_count(p))) {
        weir_arena_free(&d.scratch);
        return weir_fail_memory(error);
    }
    sort_queues(&d, p);
    number_nodes(&d, weir_pipeline_operator_count(p), chain->from.index);
    join_nodes(&d);
    describe_nodes(&d, p);
    chart->source = 0;
    chart->sink = d.node_of[chain->to.index];
    chart->best = d.best;
    chart->worst = d.worst;
    chart->names = d.names;
    chart->ops = d.ops;
    chart->out_first = d.out_first;
    chart->in_first = d.in_first;
    chart->edges = d.edges;
    chart->in_edges = d.in_edges;
    weir_arena_free(&d.scratch);
    return WEIR_OK;
}

enum weir_status weir_chart_extract(const struct weir_pipeline *p, uint32_t chain, struct weir_classic_chart *chart,
                                    struct weir_method_result *result, struct weir_error *error)
{
    struct weir_chain_spec spec = weir_pipeline_chain(p, chain);
    *chart = (struct weir_classic_chart){.pipeline = p, .chain = chain};
    result->applicable = true;
    if (!check_operators(p, result) || !check_queues(p, result))
        return WEIR_OK;
    uint32_t *degree = weir_array_zeroed(2 * (size_t)weir_pipeline_operator_count(p), sizeof *degree);
    if (!degree)
        return weir_fail_memory(error);
    bool inside = check_ends(p, &spec, degree, result);
    weir_free(degree);
    return inside ? draw(p, &spec, chart, error) : WEIR_OK;
}

void weir_chart_free(struct weir_classic_chart *chart)
{
    weir_arena_free(&chart->arena);
    *chart = (struct weir_classic_chart){0};
}
