/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a source to any node behind it. What execution n of u makes is last used by execution ceil((n produce + initial) / consume)
 * of v, which by the line of v comes at most
 *
 *     p_u (produce - g + g ceil(initial / g)) / produce,   g = gcd(produce, consume)
 *
 * later than n by the line of u: the slip of the queue. The slip D of a node is the largest sum over the ways from the source.
 */
#include "engine/edf/fraction.h"
#include "engine/edf/system.h"

static bool slip_over(struct weir_edf_system *s, uint32_t index, uint32_t mark)
{
    const struct weir_flow_edge *e = &s->flow->edges[index];
    int64_t executions = e->produce - s->edges[index].common + s->edges[index].behind;
    struct weir_ratio term, slip = s->slip[e->from];
    if (executions && (!weir_fraction_scale(s->operators[e->from].period, executions, e->produce, &term) ||
                       !weir_fraction_add(slip, term, &slip)))
        return false;
    if (s->reached[e->to] != mark || weir_ratio_compare(slip, s->slip[e->to]) > 0)
        s->slip[e->to] = slip;
    s->reached[e->to] = mark;
    return true;
}

static bool find_slips(struct weir_edf_system *s, uint32_t from)
{
    const struct weir_flow *f = s->flow;
    uint32_t mark = from + 1;
    s->reached[from] = mark;
    s->slip[from] = weir_fraction_of(0);
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++)
            if (s->reached[f->edges[f->inputs[i]].from] == mark && !slip_over(s, f->inputs[i], mark))
                return false;
    }
    return true;
}

static bool find_even(const struct weir_edf_system *s, struct weir_edf_latency *latency)
{
    uint32_t from = latency->chain.from.index, to = latency->chain.to.index;
    const struct weir_edf_operator *o = &s->operators[to];
    const struct weir_source_spec *source = &s->pipeline->sources[s->flow->nodes[from].source];
    int64_t later = (source->has_phase ? source->phase : 0) - s->origin[s->flow->nodes[from].part];
    int64_t batch = weir_edf_batch(source);
    struct weir_ratio *worst = &latency->worst;
    return (batch == 1 ||
            weir_fraction_scale(weir_fraction_of(source->period), batch - 1, weir_edf_count(source), &latency->gathering)) &&
           weir_fraction_add(o->offset, o->response, worst) && weir_fraction_add(*worst, s->slip[to], worst) &&
           weir_fraction_add(*worst, latency->gathering, worst) && weir_fraction_add(*worst, weir_fraction_of(-later), worst);
}

static bool find_latency(const struct weir_edf_system *s, struct weir_edf_latency *latency)
{
    const struct weir_chain_spec *chain = &latency->chain;
    const struct weir_edf_operator *to = &s->operators[chain->to.index];
    if (s->form[chain->to.index] == WEIR_EDF_EVEN) {
        if (!find_even(s, latency))
            return false;
    } else if (!weir_fraction_add(to->offset, to->response, &latency->worst) ||
               !weir_fraction_add(latency->worst, s->held[chain->to.index], &latency->worst)) {
        return false;
    }
    latency->bounded = true;
    latency->needed = s->form[chain->to.index] != WEIR_EDF_EVEN;
    return true;
}

/* Chains that begin at the same source together: the slips of only one are known at a time. Nothing leads into a source, so its
 * mark is only its own. */
bool weir_edf_latencies(struct weir_edf_system *s)
{
    size_t count = s->pipeline->chain_count;
    for (size_t i = 0; i < count; i++) {
        uint32_t from = s->latencies[i].chain.from.index;
        if (s->reached[from] == from + 1)
            continue;
        if (!find_slips(s, from))
            return false;
        for (size_t k = i; k < count; k++)
            if (s->latencies[k].chain.from.index == from && s->form[s->latencies[k].chain.to.index] != WEIR_EDF_JOINED &&
                !find_latency(s, &s->latencies[k]))
                return false;
    }
    return true;
}
