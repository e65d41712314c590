/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where arrivals are not even, an execution is held against the releases of the arrivals that it needs. With n(j) the last
 * execution of a source that execution j of v needs, and phi(j) = j p_v - n(j) p_source:
 *
 *     r_j(v) <= (release of n(j)) + O_v,   O_source = 0
 *     O_v = the larger of max(O_u + R_u) + max phi - min phi  and  i_v + max phi - p_v + p_source
 *
 * Executions that need no arrival, because initial samples are enough, keep to a line from time 0 with the offset i_v. phi comes
 * round with the repetitions of v: it is tabulated where these are few and every queue asks for something from the first execution
 * on. Otherwise, and behind joins of several sources, it is enclosed queue by queue:
 *
 *     phi_v(j) = phi_u(V) + p_u x / produce  for a queue from u, and x in [consume - N - (produce - g), consume - N]
 */
#include "engine/edf/system.h"

#include <string.h>

/* Entries of all tables together. */
#define TABLES_MAX (INT64_C(1) << 20)

struct tables {
    int64_t **need; /* by node: n(1) .. n(repetitions); NULL: none */
    int64_t left;   /* entries */
};

static bool start(struct weir_edf_system *s, uint32_t v)
{
    const struct weir_source_spec *source = &s->pipeline->sources[s->flow->nodes[v].source];
    struct weir_edf_operator *o = &s->operators[v];
    if (s->form[v] != WEIR_EDF_EVEN)
        o->offset = weir_fraction_of(0);
    s->ahead[v] = s->behind[v] = s->idle[v] = weir_fraction_of(0);
    s->need[v] = WEIR_EDF_REGULAR;
    s->longest[v] = o->period;
    s->held[v] = weir_fraction_of(source->jitter);
    if (source->bursty) { /* count in any window: batches of which some come together */
        int64_t count = weir_edf_count(source), common = weir_greatest_divisor(count, weir_edf_batch(source));
        if (!weir_fraction_scale(weir_fraction_of(source->period), count - common, count, &s->held[v]))
            return false;
    }
    return s->form[v] == WEIR_EDF_EVEN || weir_fraction_add(o->period, s->held[v], &s->tight[v]);
}

static void raise(struct weir_ratio *largest, struct weir_ratio value)
{
    if (weir_ratio_compare(value, *largest) > 0)
        *largest = value;
}

/* ahead and behind, by way of one queue. */
static bool enclose(const struct weir_edf_system *s, uint32_t index, struct weir_ratio *ahead, struct weir_ratio *behind)
{
    const struct weir_flow_edge *e = &s->flow->edges[index];
    const struct weir_edf_edge *scratch = &s->edges[index];
    int64_t gain = e->consume - scratch->need, spread = e->produce - scratch->common;
    struct weir_ratio period = s->operators[e->from].period, high, low;
    return weir_fraction_scale(period, gain, e->produce, &high) && weir_fraction_scale(period, spread - gain, e->produce, &low) &&
           weir_fraction_add(s->ahead[e->from], high, ahead) && weir_fraction_add(s->behind[e->from], low, behind);
}

/* Whether executions of v need an arrival by way of this queue, from the first on. */
static bool asks(const struct weir_edf_system *s, const struct weir_flow_edge *e)
{
    return e->threshold > e->initial && s->need[e->from] != WEIR_EDF_SOMETIMES;
}

static void find_need(struct weir_edf_system *s, uint32_t v)
{
    const struct weir_flow *f = s->flow;
    bool all = true;
    s->need[v] = WEIR_EDF_SOMETIMES;
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        all = all && e->threshold > e->initial && s->need[e->from] == WEIR_EDF_REGULAR;
        if (asks(s, e))
            s->need[v] = WEIR_EDF_ALWAYS;
    }
    if (all)
        s->need[v] = WEIR_EDF_REGULAR;
}

/* The last of what is needed decides: of one source, any queue that always asks for something bounds phi; of several, each has a
 * phi of its own, and so may each queue whose producer at times needs nothing. */
static void join_ahead(struct weir_edf_system *s, const struct weir_flow_edge *e, struct weir_ratio ahead, bool *first)
{
    bool several = s->feed[e->to] >= s->pipeline->source_count, any = several || s->need[e->to] == WEIR_EDF_SOMETIMES;
    if (!any && !asks(s, e))
        return;
    if (*first || (weir_ratio_compare(ahead, s->ahead[e->to]) > 0) == any)
        s->ahead[e->to] = ahead;
    *first = false;
}

static bool enclose_all(struct weir_edf_system *s, uint32_t v)
{
    const struct weir_flow *f = s->flow;
    bool first = true;
    find_need(s, v);
    s->behind[v] = weir_fraction_of(-(WEIR_TIME_MAX - 1));
    s->held[v] = s->longest[v] = weir_fraction_of(0);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        struct weir_ratio ahead, behind;
        if (!enclose(s, f->inputs[i], &ahead, &behind))
            return false;
        join_ahead(s, e, ahead, &first);
        raise(&s->behind[v], behind);
        raise(&s->held[v], s->held[e->from]);
        raise(&s->longest[v], s->longest[e->from]);
    }
    return true;
}

/* Executions without need: their line; and how early executions may end, from time 0 on. */
static bool begin(struct weir_edf_system *s, uint32_t v)
{
    const struct weir_flow *f = s->flow;
    s->idle[v] = weir_fraction_of(0);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        const struct weir_edf_edge *scratch = &s->edges[f->inputs[i]];
        const struct weir_edf_operator *u = &s->operators[e->from];
        struct weir_ratio term, sum, early = s->tight[e->from];
        if (s->need[e->from] == WEIR_EDF_SOMETIMES) {
            if (!weir_fraction_scale(u->period, scratch->need - scratch->common, e->produce, &term) ||
                !weir_fraction_add(s->idle[e->from], u->response, &sum) || !weir_fraction_add(sum, term, &sum))
                return false;
            raise(&s->idle[v], sum);
        }
        if (s->form[v] == WEIR_EDF_EVEN)
            continue;
        if (e->threshold <= e->initial && early.numerator < 0)
            early = weir_fraction_of(0);
        if (!weir_fraction_scale(u->period, e->consume - scratch->need, e->produce, &term) ||
            !weir_fraction_add(early, term, &early))
            return false;
        if (i == f->first_input[v] || weir_ratio_compare(early, s->tight[v]) < 0)
            s->tight[v] = early;
    }
    return true;
}

/* ---- tables ---- */

/* n of execution V of u; false when it does not fit. */
static bool look_up(const struct weir_edf_system *s, const struct tables *t, uint32_t u, int64_t execution, int64_t *need)
{
    if (s->flow->nodes[u].source != WEIR_NO_SOURCE) {
        *need = execution;
        return true;
    }
    int64_t round = s->operators[u].repetitions, source = s->operators[s->pipeline->sources[s->feed[u]].op.index].repetitions;
    int64_t rounds = weir_floor_divide(execution - 1, round), before;
    return weir_multiply(rounds, source, &before) && weir_add(before, t->need[u][execution - 1 - rounds * round], need);
}

static bool tabulate(struct weir_edf_system *s, struct tables *t, uint32_t v)
{
    const struct weir_flow *f = s->flow;
    for (int64_t j = 0; j < s->operators[v].repetitions; j++) {
        int64_t last = INT64_MIN, need;
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
            const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
            int64_t samples = j * e->consume + e->threshold - e->initial;
            if (!look_up(s, t, e->from, weir_ceil_divide(samples, e->produce), &need))
                return false;
            last = need > last ? need : last;
        }
        t->need[v][j] = last;
    }
    return true;
}

/* phi from the table: (j repetitions_source - n(j) repetitions_v) p_v / repetitions_source. */
static bool measure(struct weir_edf_system *s, const struct tables *t, uint32_t v)
{
    const struct weir_edf_operator *o = &s->operators[v];
    int64_t source = s->operators[s->pipeline->sources[s->feed[v]].op.index].repetitions;
    weir_wide most = 0, least = 0;
    for (int64_t j = 0; j < o->repetitions; j++) {
        weir_wide phi = (weir_wide)(j + 1) * source - (weir_wide)t->need[v][j] * o->repetitions;
        most = j == 0 || phi > most ? phi : most;
        least = j == 0 || phi < least ? phi : least;
    }
    if (most >= WEIR_FRACTION_MAX || least <= -WEIR_FRACTION_MAX || most <= -WEIR_FRACTION_MAX || least >= WEIR_FRACTION_MAX ||
        source >= WEIR_FRACTION_MAX)
        return false;
    struct weir_ratio ahead, behind;
    if (!weir_fraction_scale(o->period, (int64_t)most, source, &ahead) ||
        !weir_fraction_scale(o->period, (int64_t)-least, source, &behind))
        return false;
    s->ahead[v] = ahead;
    s->behind[v] = behind;
    return true;
}

/* Makes the table of v, if there is room and if those before it have theirs, and takes phi from it; false when out of memory. */
static bool look_closely(struct weir_edf_system *s, struct tables *t, uint32_t v)
{
    const struct weir_flow *f = s->flow;
    int64_t work = 1 + f->first_input[v + 1] - f->first_input[v];
    if (s->form[v] != WEIR_EDF_LOOSE || s->need[v] != WEIR_EDF_REGULAR || s->operators[v].repetitions > t->left / work)
        return true;
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        uint32_t u = f->edges[f->inputs[i]].from;
        if (!t->need[u] && f->nodes[u].source == WEIR_NO_SOURCE)
            return true;
    }
    t->need[v] = weir_array((size_t)s->operators[v].repetitions, sizeof **t->need);
    if (!t->need[v])
        return false;
    if (!tabulate(s, t, v) || !measure(s, t, v)) {
        weir_free(t->need[v]);
        t->need[v] = NULL;
        return true;
    }
    t->left -= s->operators[v].repetitions * work;
    return true;
}

/* ---- offsets ---- */

static bool hold(struct weir_edf_system *s, uint32_t v)
{
    const struct weir_flow *f = s->flow;
    struct weir_ratio *late = s->late;
    struct weir_ratio term, initial, period = s->operators[v].period;
    struct weir_ratio offset = weir_fraction_of(0);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        uint32_t u = f->edges[f->inputs[i]].from;
        if (!weir_fraction_add(late[u], s->operators[u].response, &term))
            return false;
        raise(&offset, term);
    }
    if (!weir_fraction_add(offset, s->ahead[v], &offset) || !weir_fraction_add(offset, s->behind[v], &offset) ||
        !weir_fraction_add(s->ahead[v], (struct weir_ratio){-period.numerator, period.denominator}, &initial) ||
        !weir_fraction_add(initial, s->longest[v], &initial) || !weir_fraction_add(initial, s->idle[v], &initial))
        return false;
    raise(&offset, initial);
    late[v] = offset;
    if (s->form[v] != WEIR_EDF_EVEN)
        s->operators[v].offset = offset;
    return true;
}

/* Without tables: phi is known already. */
static enum weir_status walk(struct weir_edf_system *s, struct tables *t)
{
    const struct weir_flow *f = s->flow;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        bool fed = f->nodes[v].source != WEIR_NO_SOURCE;
        s->late[v] = weir_fraction_of(0);
        if (fed ? !start(s, v) : (t && !enclose_all(s, v)) || !begin(s, v))
            return WEIR_OVERFLOW;
        if (!fed && t && !look_closely(s, t, v))
            return WEIR_MEMORY;
        if (!fed && !hold(s, v))
            return WEIR_OVERFLOW;
    }
    return WEIR_OK;
}

enum weir_status weir_edf_follow(struct weir_edf_system *s)
{
    uint32_t n = s->flow->node_count;
    struct tables t = {weir_array_zeroed(n, sizeof *t.need), TABLES_MAX};
    enum weir_status status = t.need ? walk(s, &t) : WEIR_MEMORY;
    for (uint32_t v = 0; t.need && v < n; v++)
        weir_free(t.need[v]);
    weir_free(t.need);
    return status;
}

enum weir_status weir_edf_follow_again(struct weir_edf_system *s)
{
    return walk(s, NULL);
}
