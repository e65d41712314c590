/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where all that a node depends on arrives evenly, execution j is released by o + (j - 1) p, counted from the first nominal arrival
 * of its part. On a queue from u to v with g = gcd(produce, consume), the need of v in multiples of g being
 * N = g ceil((threshold - initial) / g):
 *
 *     o_v = the largest of 0 and o_u + R_u + p_u (N - g) / produce
 *
 * and n executions of v do not end before n p_v - E_v, E_v being the least of E_u + p_u (consume - N) / produce.
 */
#include "engine/edf/system.h"

static void measure_edges(struct weir_edf_system *s)
{
    for (uint32_t i = 0; i < s->flow->edge_count; i++) {
        const struct weir_flow_edge *e = &s->flow->edges[i];
        int64_t common = e->produce == e->consume ? e->produce : weir_greatest_divisor(e->produce, e->consume);
        s->edges[i].common = common;
        s->edges[i].need =
            common == e->threshold && !e->initial ? common : common * weir_ceil_divide(e->threshold - e->initial, common);
        s->edges[i].behind = e->initial ? common * weir_ceil_divide(e->initial, common) : 0;
    }
}

static void find_origins(struct weir_edf_system *s)
{
    for (uint32_t g = 0; g < s->flow->part_count; g++)
        s->origin[g] = INT64_MAX;
    for (uint32_t i = 0; i < s->pipeline->source_count; i++) {
        const struct weir_source_spec *source = &s->pipeline->sources[i];
        int64_t *origin = &s->origin[s->flow->nodes[source->op.index].part], phase = source->has_phase ? source->phase : 0;
        if (!weir_edf_is_even(source))
            s->loose = true;
        else if (phase < *origin)
            *origin = phase;
    }
}

/* Nodes that join different feeds have one of their own, numbered behind the sources. */
static void find_feeds(struct weir_edf_system *s)
{
    const struct weir_flow *f = s->flow;
    uint32_t sources = (uint32_t)s->pipeline->source_count;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        if (f->nodes[v].source != WEIR_NO_SOURCE) {
            s->feed[v] = f->nodes[v].source;
            s->form[v] = weir_edf_is_even(&s->pipeline->sources[f->nodes[v].source]) ? WEIR_EDF_EVEN : WEIR_EDF_LOOSE;
            continue;
        }
        bool even = true;
        s->feed[v] = s->feed[f->edges[f->inputs[f->first_input[v]]].from];
        s->form[v] = s->form[f->edges[f->inputs[f->first_input[v]]].from];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
            uint32_t u = f->edges[f->inputs[i]].from;
            even = even && s->form[u] == WEIR_EDF_EVEN;
            if (s->feed[u] != s->feed[v])
                s->feed[v] = sources + v;
        }
        if (s->feed[v] == sources + v)
            s->form[v] = even ? WEIR_EDF_EVEN : WEIR_EDF_JOINED;
    }
}

void weir_edf_feed(struct weir_edf_system *s)
{
    measure_edges(s);
    find_origins(s);
    if (s->loose)
        find_feeds(s);
}

/* ---- lines ---- */

static bool start(struct weir_edf_system *s, uint32_t v)
{
    const struct weir_source_spec *source = &s->pipeline->sources[s->flow->nodes[v].source];
    int64_t phase = source->has_phase ? source->phase : 0, later = phase - s->origin[s->flow->nodes[v].part];
    s->operators[v].offset = weir_fraction_of(later + source->jitter);
    s->early[v] = s->operators[v].period;
    bool fits = later == 0 || weir_fraction_add(s->early[v], weir_fraction_of(-later), &s->early[v]);
    s->tight[v] = s->early[v];
    return fits && later + source->jitter < WEIR_TIME_MAX;
}

static bool raise_offset(struct weir_edf_system *s, const struct weir_flow_edge *e, const struct weir_edf_edge *scratch)
{
    const struct weir_edf_operator *u = &s->operators[e->from];
    struct weir_ratio *offset = &s->operators[e->to].offset, term, sum;
    if (!weir_fraction_add(u->offset, u->response, &sum))
        return false;
    if (scratch->need != scratch->common && (!weir_fraction_scale(u->period, scratch->need - scratch->common, e->produce, &term) ||
                                             !weir_fraction_add(sum, term, &sum)))
        return false;
    if (weir_ratio_compare(sum, *offset) > 0)
        *offset = sum;
    return true;
}

/* E of the consumer by this queue. Executions that initial samples are enough for begin at time 0, `origin` before the first
 * arrival. */
static bool lower_early(const struct weir_edf_system *s, const struct weir_flow_edge *e, int64_t gain, struct weir_ratio *early)
{
    struct weir_ratio term, origin = weir_fraction_of(s->origin[s->flow->nodes[e->to].part]);
    if (e->threshold <= e->initial && weir_ratio_compare(*early, origin) < 0)
        *early = origin;
    return gain == 0 ||
           (weir_fraction_scale(s->operators[e->from].period, gain, e->produce, &term) && weir_fraction_add(*early, term, early));
}

static bool follow_edge(struct weir_edf_system *s, uint32_t index, bool first)
{
    const struct weir_flow_edge *e = &s->flow->edges[index];
    struct weir_ratio early = s->early[e->from], tight = s->tight[e->from];
    int64_t gain = e->consume - s->edges[index].need;
    if (!raise_offset(s, e, &s->edges[index]) || !lower_early(s, e, gain > 0 ? gain : 0, &early) ||
        !lower_early(s, e, gain, &tight))
        return false;
    if (first || weir_ratio_compare(early, s->early[e->to]) < 0)
        s->early[e->to] = early;
    if (first || weir_ratio_compare(tight, s->tight[e->to]) < 0)
        s->tight[e->to] = tight;
    return true;
}

bool weir_edf_offsets(struct weir_edf_system *s)
{
    const struct weir_flow *f = s->flow;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        if (s->form[v] != WEIR_EDF_EVEN)
            continue;
        if (f->nodes[v].source != WEIR_NO_SOURCE) {
            if (!start(s, v))
                return false;
            continue;
        }
        s->operators[v].offset = weir_fraction_of(0);
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++)
            if (!follow_edge(s, f->inputs[i], i == f->first_input[v]))
                return false;
    }
    return true;
}
