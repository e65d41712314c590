/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator in place of two. Its execution j does execution j of both, so that
 *
 *   serial    `second` reads from `first` at the same rate, and execution j of it takes just what execution j of `first` made:
 *             samples that stay behind would wait inside of the merged operator, where no latency counts them;
 *   parallel  both read from one operator, and execute equally often;
 *
 * and in neither case a path of other queues leads from one to the other: the merged operator would wait for itself.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <stdio.h>
#include <string.h>

struct merge {
    const struct weir_pipeline *old;
    struct weir_pipeline *merged;
    uint32_t first, second; /* operators of old */
    bool serial;
    uint32_t init_permille;
    struct weir_error *error;
};

/* ---- whether it is legal ---- */

/* Whether queues other than those that join the two directly lead from `from` to `to`. seen has a place for each operator. */
static bool leads(const struct merge *m, uint32_t from, uint32_t to, uint8_t *seen)
{
    const struct weir_flow *f = m->old->flow;
    memset(seen, 0, f->node_count);
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
            uint32_t u = f->edges[f->inputs[i]].from;
            seen[v] |= seen[u] || (u == from && v != to);
        }
    }
    return seen[to];
}

static enum weir_status refuse(const struct merge *m, const char *why)
{
    char first[WEIR_QUOTED], second[WEIR_QUOTED];
    return weir_fail(m->error, WEIR_INVALID, "\"%s\" and \"%s\" cannot be merged: %s",
                     weir_quote(m->old->operators[m->first].name, first), weir_quote(m->old->operators[m->second].name, second),
                     why);
}

static bool same_reader(const struct merge *m)
{
    const struct weir_flow *f = m->old->flow;
    for (uint32_t i = f->first_input[m->first]; i < f->first_input[m->first + 1]; i++)
        for (uint32_t k = f->first_input[m->second]; k < f->first_input[m->second + 1]; k++)
            if (f->edges[f->inputs[i]].from == f->edges[f->inputs[k]].from)
                return true;
    return false;
}

/* Whether `second` reads from another than `first`. */
static bool has_other_input(const struct merge *m)
{
    const struct weir_flow *f = m->old->flow;
    for (uint32_t i = f->first_input[m->second]; i < f->first_input[m->second + 1]; i++)
        if (f->edges[f->inputs[i]].from != m->first)
            return true;
    return false;
}

static enum weir_status check(struct merge *m)
{
    const struct weir_flow *f = m->old->flow;
    if (m->first >= f->node_count || m->second >= f->node_count || m->first == m->second)
        return weir_fail(m->error, WEIR_INVALID, "only two operators of the pipeline can be merged");
    if (weir_ratio_compare(f->nodes[m->first].period, f->nodes[m->second].period) != 0)
        return refuse(m, "they do not execute equally often");
    for (uint32_t i = f->first_input[m->second]; i < f->first_input[m->second + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        if (e->from != m->first)
            continue;
        m->serial = true;
        if (e->produce != e->consume || e->threshold != e->consume)
            return refuse(m, "the second needs more than one execution of the first");
        if (e->initial)
            return refuse(m, "samples wait between them from the beginning");
    }
    if (m->serial && f->nodes[m->first].source != WEIR_NO_SOURCE && has_other_input(m))
        return refuse(m, "the first has a source, and the second other input as well");
    if (!m->serial && !same_reader(m))
        return refuse(m, "neither reads from the other, and no operator feeds both");
    uint8_t *seen = weir_array(f->node_count, sizeof *seen);
    if (!seen)
        return weir_fail_memory(m->error);
    bool around = leads(m, m->first, m->second, seen) || leads(m, m->second, m->first, seen);
    if (!m->serial && !around) /* nor directly the other way */
        for (uint32_t i = f->first_input[m->first]; i < f->first_input[m->first + 1]; i++)
            around |= f->edges[f->inputs[i]].from == m->second;
    weir_free(seen);
    return around ? refuse(m, "other operators between them would wait for the merged one, and it for them") : WEIR_OK;
}

/* ---- its cost ---- */

static int64_t samples_of(const struct weir_pipeline *p, uint32_t v, uint32_t inner)
{
    const struct weir_flow *f = p->flow;
    int64_t most = 0;
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        if (e->from != inner && e->consume > most)
            most = e->consume;
    }
    if (f->nodes[v].source != WEIR_NO_SOURCE && p->sources[f->nodes[v].source].batch > most)
        most = p->sources[f->nodes[v].source].batch;
    return most;
}

/* The part of an operator's cost that does not depend on the samples, and the one that does. */
static void split(const struct weir_operator_spec *o, int64_t *init, int64_t *rest)
{
    *init = o->has_cost ? o->cost_init : 0;
    *rest = o->worst - *init;
}

static enum weir_status refuse_cost(const struct merge *m)
{
    return weir_fail(m->error, WEIR_OVERFLOW, "the merged operator costs more than can be represented");
}

/* The cost of a sample is rounded up where samples do not divide it, and init makes up for that: an execution of this many samples
 * costs what it should, one of more at least that. */
static enum weir_status price(const struct merge *m, struct weir_operator_spec *o)
{
    const struct weir_operator_spec *a = &m->old->operators[m->first], *b = &m->old->operators[m->second];
    if (!a->has_cost && !b->has_cost)
        return weir_add(a->best, b->best, &o->best) && weir_add(a->worst, b->worst, &o->worst) ? WEIR_OK : refuse_cost(m);
    int64_t init[2], rest[2], inner = samples_of(m->old, m->second, m->serial ? m->first : UINT32_MAX);
    int64_t samples = samples_of(m->old, m->first, UINT32_MAX);
    samples = inner > samples ? inner : samples;
    samples = samples ? samples : 1;
    split(a, &init[0], &rest[0]);
    split(b, &init[1], &rest[1]);
    int64_t large = init[0] > init[1] ? init[0] : init[1], small = init[0] > init[1] ? init[1] : init[0];
    weir_wide once = large + ((weir_wide)small * m->init_permille + 999) / 1000, each = (weir_wide)rest[0] + rest[1];
    weir_wide one = (each + samples - 1) / samples;
    if (once + one * samples >= WEIR_TIME_MAX)
        return refuse_cost(m);
    once -= one * samples - each;
    o->has_cost = true;
    o->cost_init = once > 0 ? (int64_t)once : 0;
    o->cost_sample = (int64_t)one;
    o->best = o->worst = 0;
    return WEIR_OK;
}

/* ---- the pipeline with it ---- */

static struct weir_operator renumber(const struct merge *m, struct weir_operator op)
{
    uint32_t index = op.index == m->second ? m->first : op.index; /* the merged one stands where the first stood */
    return (struct weir_operator){index > m->second ? index - 1 : index};
}

/* "first+second", and more signs until nobody else is called so. */
static char *make_name(const struct merge *m)
{
    const char *a = m->old->operators[m->first].name, *b = m->old->operators[m->second].name;
    size_t length = strlen(a) + strlen(b) + 1, room = length + m->old->operator_count + 1;
    char *name = weir_array(room, 1);
    if (!name)
        return NULL;
    snprintf(name, room, "%s+%s", a, b);
    while (weir_pipeline_find(m->old, name, NULL)) {
        name[length++] = '+';
        name[length] = 0;
    }
    return name;
}

static enum weir_status add_operators(const struct merge *m)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < m->old->operator_count && !status; i++) {
        struct weir_operator_spec o = m->old->operators[i];
        if (i == m->second)
            continue;
        char *name = NULL;
        if (i == m->first) {
            o.name = name = make_name(m);
            status = name ? price(m, &o) : weir_fail_memory(m->error);
        }
        if (!status)
            status = weir_pipeline_add_operator(m->merged, &o, NULL, m->error);
        weir_free(name);
    }
    return status;
}

static bool has_other_output(const struct merge *m)
{
    const struct weir_flow *f = m->old->flow;
    for (uint32_t i = 0; i < f->edge_count; i++)
        if (f->edges[i].from == m->first && f->edges[i].to != m->second)
            return true;
    return false;
}

static bool is_leaf(const struct weir_flow *f, uint32_t v)
{
    for (uint32_t i = 0; i < f->edge_count; i++)
        if (f->edges[i].from == v)
            return false;
    return true;
}

/* Whether the chains have to be named: they were, or the merged operator is no leaf where one of the two was. */
static bool keeps_chains(const struct merge *m)
{
    const struct weir_flow *f = m->old->flow;
    bool leaf = is_leaf(f, m->second);
    return m->old->shift_given || (m->serial ? leaf && has_other_output(m) : leaf != is_leaf(f, m->first));
}

static enum weir_status add_rest(const struct merge *m)
{
    const struct weir_pipeline *p = m->old;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < p->queue_count && !status; i++) {
        struct weir_queue_spec q = p->queues[i];
        if (q.from.index == m->first && q.to.index == m->second)
            continue;
        q.from = renumber(m, q.from);
        q.to = renumber(m, q.to);
        status = weir_pipeline_add_queue(m->merged, &q, NULL, m->error);
    }
    for (size_t i = 0; i < p->source_count && !status; i++) {
        struct weir_source_spec s = p->sources[i];
        s.op = renumber(m, s.op);
        status = weir_pipeline_add_source(m->merged, &s, m->error);
    }
    for (size_t i = 0; i < p->chain_count && !status && keeps_chains(m); i++) {
        struct weir_chain_spec chain = p->chains[i];
        chain.from = renumber(m, chain.from);
        chain.to = renumber(m, chain.to);
        chain.has_shift = false;
        status = weir_pipeline_add_chain(m->merged, &chain, m->error);
    }
    return status;
}

static enum weir_status build(struct merge *m)
{
    const struct weir_pipeline *p = m->old;
    m->merged = weir_pipeline_new(m->error);
    if (!m->merged)
        return WEIR_MEMORY;
    enum weir_status status = weir_pipeline_set_name(m->merged, p->name, m->error);
    m->merged->unit = p->unit;
    m->merged->digits = p->digits;
    m->merged->platform = p->platform;
    m->merged->cores = p->cores;
    m->merged->latency_limit = p->latency_limit;
    if (!status)
        status = add_operators(m);
    if (!status)
        status = add_rest(m);
    return status ? status : weir_pipeline_seal_alone(m->merged, m->error);
}

enum weir_status weir_pipeline_merge(const struct weir_pipeline *p, struct weir_operator first, struct weir_operator second,
                                     uint32_t init_permille, struct weir_pipeline **merged, struct weir_error *error)
{
    struct merge m = {.old = p, .first = first.index, .second = second.index, .init_permille = init_permille, .error = error};
    *merged = NULL;
    enum weir_status status = weir_pipeline_require(p, WEIR_PLATFORM_CORES, error);
    if (!status)
        status = check(&m);
    if (!status)
        status = build(&m);
    if (status)
        weir_pipeline_free(m.merged);
    else
        *merged = m.merged;
    return status;
}
