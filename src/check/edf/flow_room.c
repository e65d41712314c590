/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies and capacities, which rest on responses and offsets. */
#include "check/edf/flow_inside.h"

/* ---- latencies ---- */

/* How much later, by the lines, the last use of something from source `from` comes in each node behind it. */
static bool find_slips(struct weir_flow_work *w, uint32_t from)
{
    const struct weir_flow *f = w->flow;
    uint32_t mark = from + 1;
    weir_big_set(&w->slip[from], 0);
    w->seen[from] = mark;
    for (uint32_t k = 0; k < f->node_count; k++)
        for (uint32_t i = f->first_input[f->order[k]]; i < f->first_input[f->order[k] + 1]; i++) {
            const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
            if (w->seen[e->from] != mark)
                continue;
            /* Samples in front of the last one made, to the end of the execution that takes it. */
            int64_t step = weir_greatest_divisor(e->produce, e->consume), over = (step - e->initial % step) % step;
            struct weir_big slip;
            weir_flow_part(w, f->nodes[e->from].period, e->produce - step + e->initial + over, e->produce, &slip);
            weir_big_add(&slip, &w->slip[e->from]);
            if (slip.lost) {
                w->status = WEIR_OVERFLOW;
                return false;
            }
            if (w->seen[e->to] != mark || weir_big_compare(&slip, &w->slip[e->to]) > 0)
                weir_big_copy(&w->slip[e->to], &slip);
            w->seen[e->to] = mark;
        }
    return true;
}

static bool latency_holds(struct weir_flow_work *w, const struct weir_edf_latency *latency)
{
    uint32_t from = latency->chain.from.index, to = latency->chain.to.index;
    const struct weir_source_spec *source = &w->pipeline->sources[w->flow->nodes[from].source];
    struct weir_big time, part;
    weir_flow_time(w, w->analysis->operators[to].offset, &time);
    weir_flow_time(w, w->analysis->operators[to].response, &part);
    weir_big_add(&time, &part);
    if (w->kind[to] == WEIR_FLOW_LOOSE) {
        weir_big_add(&time, &w->held[to]);
        return latency->gathering.numerator == 0 && weir_flow_covers(w, latency->worst, &time);
    }
    weir_big_add(&time, &w->slip[to]);
    int64_t phase = source->has_phase ? source->phase : 0, count = source->count ? source->count : 1;
    weir_flow_time(w, (struct weir_ratio){phase - w->origin[w->flow->nodes[from].part], 1}, &part);
    weir_big_subtract(&time, &part);
    weir_flow_part(w, (struct weir_ratio){source->period, 1}, source->batch > 1 ? source->batch - 1 : 0, count, &part);
    weir_big_add(&time, &part);
    return weir_flow_covers(w, latency->gathering, &part) && weir_flow_covers(w, latency->worst, &time);
}

static bool claim_holds(struct weir_flow_work *w, size_t i)
{
    const struct weir_edf_latency *latency = &w->analysis->latencies[i];
    const struct weir_chain_spec *chain = &w->pipeline->chains[i];
    if (latency->chain.to.index != chain->to.index)
        return weir_flow_refuse(w, "latency %zu is that of another chain", i);
    bool joined = w->kind[chain->to.index] == WEIR_FLOW_JOINED;
    if (latency->unbounded && !joined)
        return weir_flow_refuse(w, "latency %zu waits for no source that may be silent", i);
    if (!latency->bounded)
        return true;
    if (joined)
        return weir_flow_refuse(w, "latency %zu has no bound: it waits for another source", i);
    return latency_holds(w, latency) ? true : weir_flow_refuse(w, "latency %zu may be longer than claimed", i);
}

/* Source by source, whatever the order of the chains. Nothing leads into a source, so its mark is only its own. */
bool weir_flow_latencies_hold(struct weir_flow_work *w)
{
    size_t count = w->analysis->latency_count;
    for (size_t i = 0; i < count && !w->status; i++) {
        uint32_t from = w->pipeline->chains[i].from.index;
        if (w->analysis->latencies[i].chain.from.index != from)
            return weir_flow_refuse(w, "latency %zu is that of another chain", i);
        if (w->seen[from] == from + 1)
            continue;
        if (!find_slips(w, from))
            return false;
        for (size_t k = i; k < count && !w->status; k++)
            if (w->pipeline->chains[k].from.index == from && !claim_holds(w, k))
                return false;
    }
    return !w->status;
}

/* ---- capacities ---- */

/* Whether in that time less than one sample more than `room` is made. */
static bool fits(struct weir_flow_work *w, const struct weir_flow_edge *e, struct weir_big *time, int64_t room)
{
    struct weir_ratio period = w->flow->nodes[e->from].period;
    struct weir_big part;
    if (time->count == 0 || time->negative)
        return room >= 0;
    weir_big_multiply(time, e->produce);
    weir_big_multiply(time, period.denominator);
    weir_big_copy(&part, &w->unit);
    weir_big_multiply(&part, period.numerator);
    weir_big_multiply(&part, room);
    if (time->lost || part.lost)
        w->status = WEIR_OVERFLOW;
    return !w->status && weir_big_compare(time, &part) <= 0;
}

/* Whether no more than `capacity` samples are ever in the queue. */
static bool is_enough(struct weir_flow_work *w, const struct weir_flow_edge *e, uint32_t capacity)
{
    const struct weir_edf_operator *v = &w->analysis->operators[e->to];
    struct weir_big time, idle;
    int64_t room = (int64_t)capacity + 1 - e->initial;
    if (capacity < e->initial)
        return false;
    weir_flow_time(w, v->response, &idle);
    weir_big_add(&idle, &w->early[e->from]);
    weir_flow_time(w, v->offset, &time);
    if (w->kind[e->to] == WEIR_FLOW_EVEN) {
        weir_big_add(&time, &idle);
        return fits(w, e, &time, room);
    }
    weir_big_add(&idle, &w->idle[e->to]);
    if ((w->idles[e->from] == 0 || w->idles[e->to] == 0) && !fits(w, e, &idle, room))
        return false;
    struct weir_big part;
    weir_flow_time(w, v->response, &part);
    weir_big_add(&time, &part);
    weir_big_add(&time, &w->held[e->from]);
    weir_big_add(&time, &w->high[e->from]);
    weir_big_subtract(&time, &w->low[e->to]);
    weir_flow_time(w, v->period, &part); /* for the execution that may still wait for arrivals */
    weir_big_add(&time, &part);
    return fits(w, e, &time, room);
}

bool weir_flow_capacities_hold(struct weir_flow_work *w)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < w->flow->edge_count; i++) {
        const struct weir_flow_edge *e = &w->flow->edges[i];
        const struct weir_buffer *buffer = &w->analysis->buffers[i];
        uint32_t given = w->pipeline->queues[i].capacity;
        bool open = given == WEIR_AUTO || given == WEIR_UNBOUNDED;
        if (buffer->index != i || buffer->input || buffer->chosen != open || (!open && buffer->capacity != given))
            return weir_flow_refuse(w, "queue %u is not that of the pipeline", i);
        if (buffer->capacity == WEIR_UNBOUNDED)
            continue;
        total += buffer->capacity;
        bool grows = w->kind[e->to] == WEIR_FLOW_JOINED && w->group[e->from] != w->group[e->to];
        if (grows || !is_enough(w, e, buffer->capacity))
            return weir_flow_refuse(w, "queue %u may need more than %u slots", i, buffer->capacity);
    }
    if (total != w->analysis->buffer_total)
        return weir_flow_refuse(w, "the capacities do not add up");
    return !w->status;
}
