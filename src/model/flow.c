/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealing a pipeline on a pool of cores. Its graph has no cycle; every operator without input has a source; and the rates agree: on
 * a queue from u to v, the period of v is that of u times consume / produce, whichever queue one looks at.
 */
#include "model/flow.h"

#include "base/error.h"
#include "base/number.h"
#include "model/links.h"
#include "model/pipeline.h"

#include <string.h>

struct build {
    struct weir_sealing *sealing;
    struct weir_pipeline *pipeline;
    struct weir_flow *flow;
    struct weir_links out;
    uint32_t *waiting; /* by node: inputs not yet ordered */
    uint8_t *reached;  /* by node: the last flood came by */
    uint8_t *flooded;  /* by node: its chains have been looked at */
};

static void mistake(struct build *b, struct weir_place place, const char *format, const char *name)
{
    weir_sealing_mistake(b->sealing, place, format, name);
}

static void read_sources(struct build *b)
{
    const struct weir_pipeline *p = b->pipeline;
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        const char *name = p->operators[s->op.index].name;
        if (s->bursty && s->sporadic)
            mistake(b, s->place, "the source of operator \"%s\" is both bursty and sporadic", name);
        if (s->jitter && (s->bursty || s->sporadic))
            mistake(b, s->place, "the source of operator \"%s\" has jitter, but its arrivals are not even", name);
        if (b->flow->nodes[s->op.index].source != WEIR_NO_SOURCE)
            mistake(b, s->place, "operator \"%s\" has two sources", name);
        b->flow->nodes[s->op.index].source = (uint32_t)i;
    }
}

/* ---- the graph ---- */

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
        for (uint32_t i = b->out.first[f->order[next]]; i < b->out.first[f->order[next] + 1]; i++)
            if (--b->waiting[f->edges[b->out.queue[i]].to] == 0)
                f->order[count++] = f->edges[b->out.queue[i]].to;
    for (uint32_t v = 0; v < f->node_count && count < f->node_count; v++)
        if (b->waiting[v]) {
            mistake(b, b->pipeline->operators[v].place,
                    "operator \"%s\" is on or downstream of a cycle of queues; a pool of cores is analysed without feedback",
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

/* ---- how often each node executes ---- */

/*
 * Periods and repetitions. The period of a source is that of its samples times its batch; that of any other node is the period of
 * each node it reads from, times consume / produce. All nodes of a part are where they were after the least common multiple of
 * their periods.
 */
bool weir_rate_scale(struct weir_ratio ratio, int64_t up, int64_t down, struct weir_ratio *result)
{
    int64_t d = weir_greatest_divisor(up, down);
    up /= d, down /= d;
    d = weir_greatest_divisor(ratio.numerator, down);
    ratio.numerator /= d, down /= d;
    d = weir_greatest_divisor(up, ratio.denominator);
    ratio.denominator /= d, up /= d;
    return weir_multiply(ratio.numerator, up, &result->numerator) && weir_multiply(ratio.denominator, down, &result->denominator) &&
           result->numerator < WEIR_TIME_MAX && result->denominator < WEIR_TIME_MAX;
}

static bool source_period(const struct weir_source_spec *s, struct weir_ratio *period)
{
    int64_t count = s->count ? s->count : 1, batch = s->batch ? s->batch : 1;
    return weir_rate_scale((struct weir_ratio){s->period, 1}, batch, count, period);
}

/* What cannot be counted of an operator. */
static enum weir_status fail(const struct weir_sealing *s, uint32_t v, const char *format)
{
    char quoted[WEIR_QUOTED];
    const struct weir_operator_spec *o = &s->pipeline->operators[v];
    return weir_errors_add(s->errors, WEIR_OVERFLOW, s->file, o->place, format, weir_quote(o->name, quoted));
}

static const char too_far_apart[] = "the period of operator \"%s\" cannot be represented: rates or units are too far apart";
static const char too_long[] = "with operator \"%s\", the time until the graph is back in its initial state cannot be represented: "
                               "rates have too few common factors";

static enum weir_status find_period(const struct weir_sealing *s, struct weir_flow *f, uint32_t v)
{
    const struct weir_pipeline *p = s->pipeline;
    struct weir_flow_node *node = &f->nodes[v];
    if (node->source != WEIR_NO_SOURCE)
        return source_period(&p->sources[node->source], &node->period) ? WEIR_OK : fail(s, v, too_far_apart);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        struct weir_ratio period;
        if (!weir_rate_scale(f->nodes[e->from].period, e->consume, e->produce, &period))
            return fail(s, v, too_far_apart);
        if (i == f->first_input[v])
            node->period = period;
        else if (weir_ratio_compare(node->period, period) != 0) {
            char from[WEIR_QUOTED], to[WEIR_QUOTED];
            return weir_errors_add(s->errors, WEIR_INVALID, s->file, p->queues[f->inputs[i]].place,
                                   "rates do not agree: \"%s\" would execute more or less often for the input from \"%s\" than for "
                                   "its other inputs",
                                   weir_quote(p->operators[v].name, to), weir_quote(p->operators[e->from].name, from));
        }
    }
    return WEIR_OK;
}

/* The root of v's part, while parts are still being joined. */
static uint32_t root_of(struct weir_flow *f, uint32_t v)
{
    while (f->nodes[v].part != v) {
        f->nodes[v].part = f->nodes[f->nodes[v].part].part;
        v = f->nodes[v].part;
    }
    return v;
}

static void find_parts(struct weir_flow *f, uint32_t *number)
{
    for (uint32_t v = 0; v < f->node_count; v++)
        f->nodes[v].part = v;
    for (uint32_t i = 0; i < f->edge_count; i++) {
        uint32_t a = root_of(f, f->edges[i].from), b = root_of(f, f->edges[i].to);
        f->nodes[a > b ? a : b].part = a > b ? b : a;
    }
    for (uint32_t v = 0; v < f->node_count; v++) /* a root comes before the rest of its part */
        number[v] = root_of(f, v) == v ? f->part_count++ : number[root_of(f, v)];
    for (uint32_t v = 0; v < f->node_count; v++)
        f->nodes[v].part = number[v];
}

/* The least common multiple of a / b and c / d in lowest terms is lcm(a, c) / gcd(b, d). */
static enum weir_status find_repetitions(const struct weir_sealing *s, struct weir_flow *f, struct weir_ratio *all)
{
    for (uint32_t v = 0; v < f->node_count; v++) {
        struct weir_ratio *h = &all[f->nodes[v].part], period = f->nodes[v].period;
        if (h->denominator == 0)
            *h = period;
        else if (!weir_multiply(h->numerator / weir_greatest_divisor(h->numerator, period.numerator), period.numerator,
                                &h->numerator))
            return fail(s, v, too_long);
        h->denominator = weir_greatest_divisor(h->denominator, period.denominator);
    }
    for (uint32_t v = 0; v < f->node_count; v++) {
        const struct weir_ratio *h = &all[f->nodes[v].part], *period = &f->nodes[v].period;
        if (!weir_multiply(h->numerator / period->numerator, period->denominator / h->denominator, &f->nodes[v].repetitions))
            return fail(s, v, too_long);
    }
    return WEIR_OK;
}

/* Fills in period, repetitions and part of every node, from the sources on. Queues whose ends do not agree are reported. */
static enum weir_status find_rates(struct weir_sealing *s, struct weir_flow *f)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t k = 0; k < f->node_count && !status; k++)
        status = find_period(s, f, f->order[k]);
    if (status)
        return status;
    uint32_t *number = weir_arena_array(&s->scratch, f->node_count, sizeof *number);
    struct weir_ratio *all = weir_arena_array(&s->scratch, f->node_count, sizeof *all);
    if (s->scratch.failed)
        return weir_sealing_memory(s);
    find_parts(f, number);
    return find_repetitions(s, f, all);
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

enum { REACHED = 1 };

static void flood(struct build *b, uint32_t from)
{
    memset(b->reached, 0, b->flow->node_count);
    b->reached[from] = REACHED;
    weir_links_flood(&b->out, (struct weir_flood){b->reached, REACHED, REACHED, 0});
}

static void check_chain(struct build *b, const struct weir_chain_spec *chain)
{
    const struct weir_pipeline *p = b->pipeline;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    if (!b->reached[chain->to.index])
        b->sealing->status = weir_errors_add(b->sealing->errors, WEIR_INVALID, b->sealing->file, chain->place,
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
    const struct weir_flow *f = b->flow;
    for (uint32_t v = 0; v < f->node_count; v++) {
        if (f->nodes[v].source == WEIR_NO_SOURCE)
            continue;
        flood(b, v);
        for (uint32_t to = 0; to < f->node_count; to++)
            if (b->reached[to] && b->out.first[to + 1] == b->out.first[to] && weir_pipeline_pair(b->sealing, v, to, 0))
                return;
    }
}

static void complete_chains(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    if (p->chain_count == 0) {
        add_chains(b);
        return;
    }
    check_chains(b);
    if (b->sealing->status)
        return;
    p->shift_given = weir_arena_array(&p->sealed_arena, p->chain_count, sizeof *p->shift_given);
    if (!p->shift_given)
        weir_sealing_memory(b->sealing);
    for (size_t i = 0; i < p->chain_count && p->shift_given; i++) {
        p->shift_given[i] = p->chains[i].has_shift;
        p->chains[i].has_shift = true;
    }
}

/* ---- the whole ---- */

static bool make_room(struct build *b)
{
    struct weir_pipeline *p = b->pipeline;
    struct weir_arena *scratch = &b->sealing->scratch, *kept = &p->sealed_arena;
    size_t n = p->operator_count, e = p->queue_count;
    struct weir_flow *f = b->flow = weir_arena_array(kept, 1, sizeof *f);
    struct weir_links in;
    b->waiting = weir_arena_array(scratch, n, sizeof *b->waiting);
    b->reached = weir_arena_array(scratch, n, sizeof *b->reached);
    b->flooded = weir_arena_array(scratch, n, sizeof *b->flooded);
    if (!f || !weir_links_make(&b->out, p, WEIR_LINKS_OUT, scratch) || !weir_links_make(&in, p, WEIR_LINKS_IN, kept))
        return false;
    *f = (struct weir_flow){.node_count = (uint32_t)n, .edge_count = (uint32_t)e, .first_input = in.first, .inputs = in.queue};
    f->nodes = weir_arena_array(kept, n, sizeof *f->nodes);
    f->edges = weir_arena_array(kept, e, sizeof *f->edges);
    f->order = weir_arena_array(kept, n, sizeof *f->order);
    if (kept->failed)
        return false;
    for (size_t i = 0; i < n; i++)
        f->nodes[i].source = WEIR_NO_SOURCE;
    for (size_t i = 0; i < e; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        int64_t consume = q->consume ? q->consume : 1;
        f->edges[i] = (struct weir_flow_edge){
            q->from.index, q->to.index, q->produce ? q->produce : 1, consume, q->threshold ? q->threshold : consume, q->initial};
    }
    p->flow = f;
    return true;
}

enum weir_status weir_flow_build(struct weir_sealing *s)
{
    struct build b = {.sealing = s, .pipeline = s->pipeline};
    if (s->pipeline->operator_count == 0)
        return weir_sealing_fail(s, WEIR_INVALID, "the pipeline has no operators");
    if (!make_room(&b))
        return weir_sealing_memory(s);
    weir_platform_check(s, false);
    if (s->pipeline->cores == 0)
        weir_sealing_fail(s, WEIR_INVALID, "a pool of cores needs to know how many there are");
    read_sources(&b);
    order_nodes(&b);
    check_sources(&b);
    if (!s->status)
        fill_costs(&b);
    if (!s->status)
        s->status = find_rates(s, b.flow);
    if (!s->status)
        complete_chains(&b);
    return s->status;
}

/* ---- a round ---- */

/* a / b as a multiple of 2^-WEIR_ROUND_BITS; false where it is too large to be of use. */
static bool divide(struct weir_ratio a, struct weir_ratio b, weir_wide *quotient)
{
    int64_t numerators = weir_greatest_divisor(a.numerator, b.numerator), numerator, denominator;
    int64_t denominators = weir_greatest_divisor(a.denominator, b.denominator);
    if (!weir_multiply(a.numerator / numerators, b.denominator / denominators, &numerator) ||
        !weir_multiply(a.denominator / denominators, b.numerator / numerators, &denominator))
        return false;
    *quotient = ((weir_wide)numerator << WEIR_ROUND_BITS) / denominator;
    return true;
}

bool weir_flow_round(const struct weir_flow *flow, weir_wide *executions)
{
    struct weir_ratio longest = {0, 1};
    bool fits = true;
    *executions = 0;
    for (uint32_t v = 0; v < flow->node_count && fits; v++) {
        struct weir_ratio round = flow->nodes[v].period;
        fits = weir_multiply(round.numerator, flow->nodes[v].repetitions, &round.numerator);
        if (fits && weir_ratio_compare(round, longest) > 0)
            longest = round;
    }
    for (uint32_t v = 0; v < flow->node_count && fits; v++) {
        weir_wide part = 0;
        fits = divide(longest, flow->nodes[v].period, &part);
        *executions += part;
    }
    return fits;
}
