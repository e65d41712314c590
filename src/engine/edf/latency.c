/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a source to any node behind it. What execution n of u makes is last used by execution ceil((n produce + initial) / consume)
 * of v, which by the line of v comes at most
 *
 *     p_u (produce - g + g ceil(initial / g)) / produce,   g = gcd(produce, consume)
 *
 * later than n by the line of u: the slip of the queue. The slip D of a node is the largest sum over the paths from the source.
 */
#include "base/error.h"
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

/* ---- queues ---- */

/*
 * How many samples a queue from u to v holds. With the time T from the moment at which an execution of u can end at the earliest to
 * the one at which what it made is gone at the latest, fewer than Z + initial, where Z = T produce / p_u. Even arrivals: n
 * executions of u do not end before n p_u - E_u, and v has ended its execution j by o_v + R_v + (j - 1) p_v:
 *
 *     T = o_v + R_v + E_u
 *
 * Arrivals that are not even: T = held + O_v + R_v + max phi_u - min phi_v + p_v, the last for the execution of v that may still
 * wait for arrivals. Where executions need none, these are as if on time from the beginning: T = i_v + R_v + E_u. A queue into a
 * join of other sources grows as long as these are silent.
 *
 * Where the model leaves the capacity open, even arrivals get floor(Z) + produce + max(threshold, initial), with a coarser E: room
 * for a batch at either end to be written or read in place.
 */
#define PLACES_MAX ((weir_wide)1 << 60)

/* floor(T produce / p_u), and whether something is left over. */
static bool count(struct weir_ratio time, const struct weir_flow_edge *e, struct weir_ratio period, weir_wide *places, bool *rest)
{
    if (time.numerator < 0)
        time = weir_fraction_of(0);
    int64_t factor;
    if (!weir_multiply(e->produce, period.denominator, &factor) || factor >= WEIR_FRACTION_MAX) {
        struct weir_ratio z;
        if (!weir_fraction_scale(time, period.denominator, period.numerator, &z) || !weir_fraction_scale(z, e->produce, 1, &z))
            return false;
        time = z;
        factor = 1;
        period = weir_fraction_of(1);
    }
    weir_wide n = (weir_wide)time.numerator * factor, d = (weir_wide)time.denominator * period.numerator;
    *places = n / d;
    *rest = n % d != 0;
    return true;
}

static bool time_even(const struct weir_edf_system *s, const struct weir_flow_edge *e, struct weir_ratio *time)
{
    const struct weir_edf_operator *v = &s->operators[e->to];
    return weir_fraction_add(v->offset, v->response, time) && weir_fraction_add(*time, s->tight[e->from], time);
}

static bool time_loose(const struct weir_edf_system *s, const struct weir_flow_edge *e, struct weir_ratio *time)
{
    const struct weir_edf_operator *v = &s->operators[e->to];
    struct weir_ratio idle;
    if (!weir_fraction_add(v->offset, v->response, time) || !weir_fraction_add(*time, s->held[e->from], time) ||
        !weir_fraction_add(*time, s->ahead[e->from], time) || !weir_fraction_add(*time, s->behind[e->to], time) ||
        !weir_fraction_add(*time, v->period, time))
        return false;
    if (s->need[e->from] != WEIR_EDF_SOMETIMES && s->need[e->to] != WEIR_EDF_SOMETIMES)
        return true;
    if (!weir_fraction_add(s->idle[e->to], v->response, &idle) || !weir_fraction_add(idle, s->tight[e->from], &idle))
        return false;
    if (weir_ratio_compare(idle, *time) > 0)
        *time = idle;
    return true;
}

/* The most that a queue holds. */
static bool need_of(const struct weir_edf_system *s, uint32_t index, weir_wide *need)
{
    const struct weir_flow_edge *e = &s->flow->edges[index];
    struct weir_ratio time;
    bool rest;
    if (!(s->form[e->to] == WEIR_EDF_EVEN ? time_even(s, e, &time) : time_loose(s, e, &time)) ||
        !count(time, e, s->operators[e->from].period, need, &rest))
        return false;
    *need += e->initial - !rest;
    if (*need < e->initial)
        *need = e->initial;
    return true;
}

/* What weir gives a queue that is left to it. */
static bool choose(const struct weir_edf_system *s, uint32_t index, weir_wide *places)
{
    const struct weir_flow_edge *e = &s->flow->edges[index];
    const struct weir_edf_operator *v = &s->operators[e->to];
    struct weir_ratio time;
    bool rest;
    if (s->form[e->to] != WEIR_EDF_EVEN)
        return need_of(s, index, places);
    if (!weir_fraction_add(v->offset, v->response, &time) || !weir_fraction_add(time, s->early[e->from], &time) ||
        !count(time, e, s->operators[e->from].period, places, &rest))
        return false;
    *places += e->produce + (e->threshold > e->initial ? e->threshold : e->initial);
    return true;
}

static bool grows(const struct weir_edf_system *s, const struct weir_flow_edge *e)
{
    return s->form[e->to] == WEIR_EDF_JOINED && s->feed[e->from] != s->feed[e->to];
}

static void tell(const struct weir_edf_system *s, uint32_t index, weir_wide need)
{
    const struct weir_flow_edge *e = &s->flow->edges[index];
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    weir_quote(s->pipeline->operators[e->from].name, from);
    weir_quote(s->pipeline->operators[e->to].name, to);
    uint32_t capacity = s->pipeline->queues[index].capacity;
    if (grows(s, e))
        snprintf(
            s->why, WEIR_EDF_WORDS,
            "the queue from \"%s\" to \"%s\" holds %u, but no number is enough: \"%s\" also waits for another source, which may "
            "be silent",
            from, to, capacity, to);
    else
        snprintf(s->why, WEIR_EDF_WORDS,
                 "the queue from \"%s\" to \"%s\" holds %u, but up to %lld samples may have to wait there; \"%s\" would be held up",
                 from, to, capacity, (long long)(need < PLACES_MAX ? need : PLACES_MAX), from);
}

bool weir_edf_buffers(struct weir_edf_system *s, bool *schedulable)
{
    s->buffer_total = 0;
    for (uint32_t i = 0; i < s->flow->edge_count; i++) {
        const struct weir_flow_edge *e = &s->flow->edges[i];
        uint32_t given = s->pipeline->queues[i].capacity;
        bool chosen = given == WEIR_AUTO || given == WEIR_UNBOUNDED, open = grows(s, e);
        weir_wide places = 0;
        if (!open && !(chosen ? choose(s, i, &places) : need_of(s, i, &places)))
            return false;
        if (!chosen && (open || places > given)) {
            *schedulable = false;
            tell(s, i, places);
            return true;
        }
        if (chosen)
            given = open || places >= WEIR_AUTO ? WEIR_UNBOUNDED : (uint32_t)places;
        s->buffers[i] = (struct weir_buffer){.index = i, .capacity = given, .chosen = chosen};
        s->buffer_total += given == WEIR_UNBOUNDED ? 0 : given;
    }
    return true;
}
