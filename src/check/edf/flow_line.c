/* SPDX-License-Identifier: Apache-2.0 */
/* Which sources a node depends on; and where all of these are even, the line of its releases. */
#include "check/edf/flow_inside.h"

static void find_kinds(struct weir_flow_work *w)
{
    const struct weir_flow *f = w->flow;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k], first = f->first_input[v], end = f->first_input[v + 1];
        if (first == end) { /* a group is named by one of its nodes */
            const struct weir_source_spec *source = &w->pipeline->sources[f->nodes[v].source];
            w->group[v] = v;
            w->kind[v] = source->sporadic || source->bursty ? WEIR_FLOW_LOOSE : WEIR_FLOW_EVEN;
            continue;
        }
        uint32_t group = w->group[f->edges[f->inputs[first]].from];
        bool even = true, alike = true;
        for (uint32_t i = first; i < end; i++) {
            uint32_t u = f->edges[f->inputs[i]].from;
            even = even && w->kind[u] == WEIR_FLOW_EVEN;
            alike = alike && w->group[u] == group;
        }
        w->group[v] = alike ? group : v;
        w->kind[v] = even ? WEIR_FLOW_EVEN : alike ? w->kind[group] : WEIR_FLOW_JOINED;
    }
}

static int64_t phase_of(const struct weir_source_spec *source)
{
    return source->has_phase ? source->phase : 0;
}

/* The first nominal arrival of each part. */
static void find_origins(struct weir_flow_work *w)
{
    for (uint32_t g = 0; g < w->flow->part_count; g++)
        w->origin[g] = -1;
    for (size_t i = 0; i < w->pipeline->source_count; i++) {
        const struct weir_source_spec *source = &w->pipeline->sources[i];
        int64_t *origin = &w->origin[w->flow->nodes[source->op.index].part];
        if (!source->sporadic && !source->bursty && (*origin < 0 || phase_of(source) < *origin))
            *origin = phase_of(source);
    }
}

static bool source_holds(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_source_spec *source = &w->pipeline->sources[w->flow->nodes[v].source];
    int64_t later = phase_of(source) - w->origin[w->flow->nodes[v].part];
    struct weir_big time;
    weir_flow_time(w, w->flow->nodes[v].period, &w->early[v]);
    weir_flow_time(w, (struct weir_ratio){later, 1}, &time);
    weir_big_subtract(&w->early[v], &time);
    weir_flow_time(w, (struct weir_ratio){later + source->jitter, 1}, &time);
    return weir_flow_covers(w, w->analysis->operators[v].offset, &time);
}

/* The release of an execution, by the line of its producer: not later than the line of the consumer. */
static bool queue_holds(struct weir_flow_work *w, const struct weir_flow_edge *e)
{
    const struct weir_edf_operator *u = &w->analysis->operators[e->from];
    int64_t step = weir_greatest_divisor(e->produce, e->consume), wanted = weir_flow_wanted(e, step);
    struct weir_big time, part;
    weir_flow_time(w, u->offset, &time);
    weir_flow_time(w, u->response, &part);
    weir_big_add(&time, &part);
    weir_flow_part(w, u->period, wanted - step, e->produce, &part);
    weir_big_add(&time, &part);
    return weir_flow_covers(w, w->analysis->operators[e->to].offset, &time);
}

static void begin_early(struct weir_flow_work *w, const struct weir_flow_edge *e, bool first)
{
    struct weir_big early, part, start;
    weir_big_copy(&early, &w->early[e->from]);
    weir_flow_time(w, (struct weir_ratio){w->origin[w->flow->nodes[e->to].part], 1}, &start);
    if (e->initial >= e->threshold && weir_big_compare(&early, &start) < 0)
        weir_big_copy(&early, &start);
    int64_t wanted = weir_flow_wanted(e, weir_greatest_divisor(e->produce, e->consume));
    weir_flow_part(w, w->flow->nodes[e->from].period, e->consume - wanted, e->produce, &part);
    weir_big_add(&early, &part);
    if (early.lost)
        w->status = WEIR_OVERFLOW;
    else if (first || weir_big_compare(&early, &w->early[e->to]) < 0)
        weir_big_copy(&w->early[e->to], &early);
}

bool weir_flow_lines_hold(struct weir_flow_work *w)
{
    const struct weir_flow *f = w->flow;
    find_kinds(w);
    find_origins(w);
    for (uint32_t k = 0; k < f->node_count && !w->status; k++) {
        uint32_t v = f->order[k];
        if (w->kind[v] != WEIR_FLOW_EVEN)
            continue;
        bool fine = f->nodes[v].source == WEIR_NO_SOURCE || source_holds(w, v);
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1] && fine && !w->status; i++) {
            fine = queue_holds(w, &f->edges[f->inputs[i]]);
            begin_early(w, &f->edges[f->inputs[i]], i == f->first_input[v]);
        }
        if (!fine)
            return weir_flow_refuse(w, "operator %u may be released later than claimed", v);
    }
    return !w->status;
}
