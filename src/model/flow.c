/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealing a pipeline on a pool of cores. Its graph has no cycle; every operator without input has a source; and the rates agree: on
 * a queue from u to v, the period of v is that of u times consume / produce, whichever queue one looks at.
 */
#include "model/flow.h"

#include "base/error.h"
#include "base/number.h"
#include "model/flow_rates.h"
#include "model/pipeline.h"

#include <string.h>

struct build {
    struct weir_pipeline *pipeline;
    struct weir_flow *flow;
    uint32_t *first_output, *outputs; /* as the inputs of the flow */
    uint32_t *waiting;                /* by node: inputs not yet ordered; later a stack of nodes */
    uint32_t *reached;                /* by node: where the last flood that came by began, plus one */
    uint8_t *flooded;                 /* by node: its chains have been looked at */
    const char *file;
    struct weir_errors *errors;
    enum weir_status status;
};

static void mistake(struct build *b, struct weir_place place, const char *format, const char *name)
{
    char quoted[WEIR_QUOTED];
    b->status = WEIR_INVALID;
    weir_errors_add(b->errors, WEIR_INVALID, b->file, place, format, weir_quote(name, quoted));
}

/* ---- what may be said on this platform ---- */

static void check_operators(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    struct weir_place nowhere = {0, 0};
    if (p->cores == 0) {
        b->status = WEIR_INVALID;
        weir_errors_add(b->errors, WEIR_INVALID, b->file, nowhere, "a pool of cores needs to know how many there are");
    }
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *o = &p->operators[i];
        if (o->mapped || o->has_priority || o->slot)
            mistake(b, o->place, "operator \"%s\" has a processor, priority or slot, but runs on a pool of cores", o->name);
        if (o->receive_max > 0)
            mistake(b, o->place, "operator \"%s\" has \"receive\", which a pool of cores does not support", o->name);
        if (o->splittable || o->granularity || o->min_time || o->time_count)
            mistake(b, o->place, "operator \"%s\" has keys that only kernels of a GPU have", o->name);
        if (o->reentrant)
            mistake(b, o->place, "operator \"%s\" is reentrant, which a pool of cores does not support", o->name);
    }
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        const char *name = p->operators[s->op.index].name;
        if (s->bursty && s->sporadic)
            mistake(b, s->place, "the source of operator \"%s\" is both bursty and sporadic", name);
        if (s->jitter && (s->bursty || s->sporadic))
            mistake(b, s->place, "the source of operator \"%s\" has jitter, but no even arrivals that could be late", name);
        if (b->flow->nodes[s->op.index].source != WEIR_NO_SOURCE)
            mistake(b, s->place, "operator \"%s\" has two sources", name);
        b->flow->nodes[s->op.index].source = (uint32_t)i;
    }
}

/* ---- the graph ---- */

static void sort_queues(struct build *b)
{
    struct weir_flow *f = b->flow;
    for (uint32_t i = 0; i < f->edge_count; i++) {
        f->first_input[f->edges[i].to + 2]++;
        b->first_output[f->edges[i].from + 2]++;
    }
    for (uint32_t v = 2; v < f->node_count + 2; v++) {
        f->first_input[v] += f->first_input[v - 1];
        b->first_output[v] += b->first_output[v - 1];
    }
    for (uint32_t i = 0; i < f->edge_count; i++) {
        f->inputs[f->first_input[f->edges[i].to + 1]++] = i;
        b->outputs[b->first_output[f->edges[i].from + 1]++] = i;
    }
}

static void order_nodes(struct build *b)
{
    struct weir_flow *f = b->flow;
    uint32_t count = 0;
    for (uint32_t v = 0; v < f->node_count; v++) {
        b->waiting[v] = f->first_input[v + 1] - f->first_input[v];
        if (b->waiting[v] == 0)
            f->order[count++] = v;
    }
    for (uint32_t next = 0; next < count; next++)
        for (uint32_t i = b->first_output[f->order[next]]; i < b->first_output[f->order[next] + 1]; i++)
            if (--b->waiting[f->edges[b->outputs[i]].to] == 0)
                f->order[count++] = f->edges[b->outputs[i]].to;
    for (uint32_t v = 0; v < f->node_count && count < f->node_count; v++)
        if (b->waiting[v]) {
            mistake(b, b->pipeline->operators[v].place,
                    "operator \"%s\" is on or behind a cycle of queues; a pool of cores is analysed without feedback",
                    b->pipeline->operators[v].name);
            break;
        }
}

static void check_sources(struct build *b)
{
    const struct weir_flow *f = b->flow;
    for (uint32_t v = 0; v < f->node_count; v++) {
        bool fed = f->first_input[v + 1] > f->first_input[v];
        const struct weir_operator_spec *o = &b->pipeline->operators[v];
        if (!fed && f->nodes[v].source == WEIR_NO_SOURCE)
            mistake(b, o->place, "operator \"%s\" has no input and no source; give it a rate or a period", o->name);
        if (fed && f->nodes[v].source != WEIR_NO_SOURCE)
            mistake(b, b->pipeline->sources[f->nodes[v].source].place, "operator \"%s\" has both input and a source", o->name);
    }
}

/* ---- costs ---- */

static void fill_costs(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    struct weir_flow *f = b->flow;
    for (uint32_t v = 0; v < f->node_count; v++) {
        struct weir_operator_spec *o = &p->operators[v];
        int64_t samples = 0, product;
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++)
            if (f->edges[f->inputs[i]].consume > samples)
                samples = f->edges[f->inputs[i]].consume;
        if (f->nodes[v].source != WEIR_NO_SOURCE && p->sources[f->nodes[v].source].batch > samples)
            samples = p->sources[f->nodes[v].source].batch;
        samples = samples ? samples : 1;
        if (o->has_cost) {
            if (!weir_multiply(o->cost_sample, samples, &product) || !weir_add(product, o->cost_init, &product) ||
                product >= WEIR_TIME_MAX) {
                mistake(b, o->place, "operator \"%s\" costs more than can be represented; use a coarser unit", o->name);
                continue;
            }
            o->best = 0;
            o->worst = product;
        }
        f->nodes[v].cost = o->worst;
        f->nodes[v].best = o->best;
        if (o->worst == 0)
            mistake(b, o->place, "operator \"%s\" costs nothing; on a pool of cores every operator takes time", o->name);
    }
}

/* ---- latencies ---- */

/* Marks what can be reached from `from`, with from + 1. */
static void flood(struct build *b, uint32_t from)
{
    const struct weir_flow *f = b->flow;
    uint32_t *stack = b->waiting, depth = 0;
    b->reached[from] = from + 1;
    stack[depth++] = from;
    while (depth > 0) {
        uint32_t v = stack[--depth];
        for (uint32_t i = b->first_output[v]; i < b->first_output[v + 1]; i++) {
            uint32_t to = f->edges[b->outputs[i]].to;
            if (b->reached[to] == from + 1)
                continue;
            b->reached[to] = from + 1;
            stack[depth++] = to;
        }
    }
}

static void check_chain(struct build *b, const struct weir_chain_spec *chain)
{
    const struct weir_pipeline *p = b->pipeline;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    if (b->reached[chain->to.index] != chain->from.index + 1)
        b->status = weir_errors_add(b->errors, WEIR_INVALID, b->file, chain->place,
                                    "no path of queues leads from \"%s\" to \"%s\", so there is no latency to measure",
                                    weir_quote(p->operators[chain->from.index].name, from),
                                    weir_quote(p->operators[chain->to.index].name, to));
    if (chain->has_shift && chain->shift)
        mistake(b, chain->place, "a latency to \"%s\" with an offset is not supported on a pool of cores",
                p->operators[chain->to.index].name);
}

/* Chains that begin at the same operator are looked at together. */
static void check_chains(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (size_t i = 0; i < p->chain_count; i++) {
        uint32_t from = p->chains[i].from.index;
        if (b->flow->nodes[from].source == WEIR_NO_SOURCE) {
            mistake(b, p->chains[i].place, "on a pool of cores a latency begins at an operator with a source, which \"%s\" is not",
                    p->operators[from].name);
            continue;
        }
        if (b->flooded[from])
            continue;
        b->flooded[from] = 1;
        flood(b, from);
        for (size_t k = i; k < p->chain_count; k++)
            if (p->chains[k].from.index == from)
                check_chain(b, &p->chains[k]);
    }
}

static void add_chains(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    const struct weir_flow *f = b->flow;
    for (uint32_t v = 0; v < f->node_count && !b->status; v++) {
        if (f->nodes[v].source == WEIR_NO_SOURCE)
            continue;
        flood(b, v);
        for (uint32_t to = 0; to < f->node_count; to++) {
            if (b->reached[to] != v + 1 || b->first_output[to + 1] > b->first_output[to])
                continue;
            void *list = p->chains;
            if (p->chain_count == WEIR_CHAINS_MAX) {
                b->status = weir_errors_add(b->errors, WEIR_INVALID, b->file, (struct weir_place){0, 0},
                                            "more than %d pairs of a source and a leaf; name the latencies to report under measure",
                                            WEIR_CHAINS_MAX);
                return;
            }
            if (!weir_reserve(&list, &p->chain_capacity, p->chain_count + 1, sizeof *p->chains)) {
                b->status = WEIR_MEMORY;
                return;
            }
            p->chains = list;
            p->chains[p->chain_count++] = (struct weir_chain_spec){.from = {v}, .to = {to}, .has_shift = true};
        }
    }
}

static void complete_chains(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    if (p->chain_count == 0) {
        add_chains(b);
        if (b->status)
            p->chain_count = 0;
        return;
    }
    check_chains(b);
    if (b->status)
        return;
    p->shift_given = weir_array(p->chain_count, sizeof *p->shift_given);
    if (!p->shift_given)
        b->status = WEIR_MEMORY;
    for (size_t i = 0; i < p->chain_count && !b->status; i++) {
        p->shift_given[i] = p->chains[i].has_shift;
        p->chains[i].has_shift = true;
    }
}

/* ---- the whole ---- */

static bool make_room(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    size_t n = p->operator_count, e = p->queue_count;
    struct weir_flow *f = b->flow = weir_array_zeroed(1, sizeof *f);
    b->first_output = weir_array_zeroed(n + 2, sizeof *b->first_output);
    b->outputs = weir_array(e, sizeof *b->outputs);
    b->waiting = weir_array(n, sizeof *b->waiting);
    b->reached = weir_array_zeroed(n, sizeof *b->reached);
    b->flooded = weir_array_zeroed(n, sizeof *b->flooded);
    if (!f || !b->first_output || !b->outputs || !b->waiting || !b->reached || !b->flooded)
        return false;
    f->node_count = (uint32_t)n;
    f->edge_count = (uint32_t)e;
    f->nodes = weir_array_zeroed(n, sizeof *f->nodes);
    f->edges = weir_array_zeroed(e, sizeof *f->edges);
    f->order = weir_array_zeroed(n, sizeof *f->order);
    f->first_input = weir_array_zeroed(n + 2, sizeof *f->first_input);
    f->inputs = weir_array(e, sizeof *f->inputs);
    if (!f->nodes || !f->edges || !f->order || !f->first_input || !f->inputs)
        return false;
    for (size_t i = 0; i < n; i++)
        f->nodes[i].source = WEIR_NO_SOURCE;
    for (size_t i = 0; i < e; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        int64_t consume = q->consume ? q->consume : 1;
        f->edges[i] = (struct weir_flow_edge){
            q->from.index, q->to.index, q->produce ? q->produce : 1, consume, q->threshold ? q->threshold : consume, q->initial};
    }
    return true;
}

static void check_all(struct build *b)
{
    check_operators(b);
    sort_queues(b);
    order_nodes(b);
    check_sources(b);
    if (!b->status)
        fill_costs(b);
    if (!b->status)
        b->status = weir_flow_rates(b->pipeline, b->flow, b->file, b->errors);
    if (!b->status)
        complete_chains(b);
}

enum weir_status weir_flow_seal(struct weir_pipeline *p, const char *file, struct weir_errors *errors)
{
    struct build b = {.pipeline = p, .file = file, .errors = errors};
    struct weir_place nowhere = {0, 0};
    if (p->operator_count == 0)
        return weir_errors_add(errors, WEIR_INVALID, file, nowhere, "the pipeline has no operators");
    if (make_room(&b))
        check_all(&b);
    else
        b.status = WEIR_MEMORY;
    if (b.status == WEIR_MEMORY)
        weir_errors_add(errors, WEIR_MEMORY, file, nowhere, "out of memory");
    weir_free(b.first_output);
    weir_free(b.outputs);
    weir_free(b.waiting);
    weir_free(b.reached);
    weir_free(b.flooded);
    if (b.status) {
        weir_errors_sort(errors);
        weir_flow_free(b.flow);
        return b.status;
    }
    p->flow = b.flow;
    p->sealed = true;
    return WEIR_OK;
}

void weir_flow_free(struct weir_flow *f)
{
    if (!f)
        return;
    weir_free(f->nodes);
    weir_free(f->edges);
    weir_free(f->order);
    weir_free(f->first_input);
    weir_free(f->inputs);
    weir_free(f);
}
