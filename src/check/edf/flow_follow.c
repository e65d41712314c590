/* SPDX-License-Identifier: Apache-2.0 */
/* Where a source is not even: how long after the releases of what it needs an execution is released. */
#include "check/edf/flow_inside.h"

#define TABLES (INT64_C(1) << 22)

static void raise(struct weir_big *a, const struct weir_big *b)
{
    if (weir_big_compare(b, a) > 0)
        weir_big_copy(a, b);
}

static void begin(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_source_spec *source = &w->pipeline->sources[w->flow->nodes[v].source];
    weir_big_set(&w->late[v], 0);
    weir_big_set(&w->high[v], 0);
    weir_big_set(&w->low[v], 0);
    weir_big_set(&w->idle[v], 0);
    w->idles[v] = 2;
    weir_flow_time(w, w->flow->nodes[v].period, &w->longest[v]);
    int64_t count = source->count ? source->count : 1, common = weir_greatest_divisor(count, source->batch ? source->batch : 1);
    if (source->bursty)
        weir_flow_part(w, (struct weir_ratio){source->period, 1}, count - common, count, &w->held[v]);
    else
        weir_flow_time(w, (struct weir_ratio){source->jitter, 1}, &w->held[v]);
    if (w->kind[v] == WEIR_FLOW_EVEN)
        return;
    weir_big_copy(&w->early[v], &w->longest[v]);
    weir_big_add(&w->early[v], &w->held[v]);
}

/* phi by way of one queue, whatever else is needed. */
static void enclose(const struct weir_flow_work *w, const struct weir_flow_edge *e, struct weir_big *high, struct weir_big *low)
{
    int64_t step = weir_greatest_divisor(e->produce, e->consume), ahead = e->consume - weir_flow_wanted(e, step);
    weir_flow_part(w, w->flow->nodes[e->from].period, ahead, e->produce, high);
    weir_big_add(high, &w->high[e->from]);
    weir_flow_part(w, w->flow->nodes[e->from].period, ahead - e->produce + step, e->produce, low);
    weir_big_add(low, &w->low[e->from]);
}

/* Whether an execution of the consumer needs an arrival by way of this queue, whichever it is. */
static bool insists(const struct weir_flow_work *w, const struct weir_flow_edge *e)
{
    return e->initial < e->threshold && w->idles[e->from] > 0;
}

static void find_idles(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow *f = w->flow;
    uint8_t least = 2, most = 0;
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        uint8_t by = e->initial < e->threshold ? w->idles[e->from] : 0;
        least = by < least ? by : least;
        most = by > most ? by : most;
    }
    w->idles[v] = least == 2 ? 2 : most > 0;
}

/* phi by way of every queue: from below all of them count, from above one that always insists is enough. */
static void enclose_all(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow *f = w->flow;
    struct weir_big high, low;
    bool enough = f->nodes[w->group[v]].source != WEIR_NO_SOURCE && w->idles[v] > 0, begun = false;
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        bool first = i == f->first_input[v];
        enclose(w, e, &high, &low);
        if (high.lost || low.lost) {
            w->status = WEIR_OVERFLOW;
            return;
        }
        int above = begun ? weir_big_compare(&high, &w->high[v]) : 0;
        if ((!enough || insists(w, e)) && (!begun || (enough ? above < 0 : above > 0))) {
            weir_big_copy(&w->high[v], &high);
            begun = true;
        }
        if (first || weir_big_compare(&low, &w->low[v]) < 0)
            weir_big_copy(&w->low[v], &low);
        if (first || weir_big_compare(&w->held[e->from], &w->held[v]) > 0)
            weir_big_copy(&w->held[v], &w->held[e->from]);
        if (first || weir_big_compare(&w->longest[e->from], &w->longest[v]) > 0)
            weir_big_copy(&w->longest[v], &w->longest[e->from]);
    }
}

/* The line of executions that need nothing, and how early others may end. */
static void follow_beginning(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow *f = w->flow;
    struct weir_big time, part;
    weir_big_set(&w->idle[v], 0);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
        int64_t step = weir_greatest_divisor(e->produce, e->consume), wanted = weir_flow_wanted(e, step);
        struct weir_ratio period = f->nodes[e->from].period;
        if (w->idles[e->from] == 0) {
            weir_flow_time(w, w->analysis->operators[e->from].response, &time);
            weir_big_add(&time, &w->idle[e->from]);
            weir_flow_part(w, period, wanted - step, e->produce, &part);
            weir_big_add(&time, &part);
            raise(&w->idle[v], &time);
        }
        if (w->kind[v] == WEIR_FLOW_EVEN)
            continue;
        weir_big_copy(&time, &w->early[e->from]);
        if (e->initial >= e->threshold && time.negative)
            weir_big_set(&time, 0);
        weir_flow_part(w, period, e->consume - wanted, e->produce, &part);
        weir_big_add(&time, &part);
        if (time.lost || w->idle[v].lost)
            w->status = WEIR_OVERFLOW;
        else if (i == f->first_input[v] || weir_big_compare(&time, &w->early[v]) < 0)
            weir_big_copy(&w->early[v], &time);
    }
}

/* ---- execution by execution ---- */

/* The last execution of the source that execution j of u needs. */
static bool need_of(const struct weir_flow_work *w, uint32_t u, int64_t j, int64_t *need)
{
    const struct weir_flow_node *node = &w->flow->nodes[u];
    if (node->source != WEIR_NO_SOURCE) {
        *need = j;
        return true;
    }
    int64_t place = (j - 1) % node->repetitions, rounds = (j - 1) / node->repetitions, jump;
    return weir_multiply(rounds, w->flow->nodes[w->group[u]].repetitions, &jump) && weir_add(jump, w->need[u][place], need);
}

/* Fills the table; false when something does not fit. */
static bool trace(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow *f = w->flow;
    for (int64_t j = 1; j <= f->nodes[v].repetitions; j++) {
        w->need[v][j - 1] = INT64_MIN;
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
            const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
            int64_t samples = (j - 1) * e->consume + e->threshold - e->initial, need;
            if (!need_of(w, e->from, (samples - 1) / e->produce + 1, &need))
                return false;
            if (need > w->need[v][j - 1])
                w->need[v][j - 1] = need;
        }
    }
    return true;
}

/* The exact range of phi. */
static void measure(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow_node *node = &w->flow->nodes[v], *source = &w->flow->nodes[w->group[v]];
    int64_t at[2] = {1, 1}; /* of the largest, of the smallest */
    weir_wide best[2] = {0, 0};
    for (int64_t j = 1; j <= node->repetitions; j++) {
        weir_wide phi = (weir_wide)j * source->repetitions - (weir_wide)w->need[v][j - 1] * node->repetitions;
        for (int k = 0; k < 2; k++)
            if (j == 1 || (k ? phi < best[k] : phi > best[k])) {
                best[k] = phi;
                at[k] = j;
            }
    }
    for (int k = 0; k < 2; k++) {
        struct weir_big *phi = k ? &w->low[v] : &w->high[v], part;
        weir_flow_part(w, node->period, at[k], 1, phi);
        weir_flow_part(w, source->period, w->need[v][at[k] - 1], 1, &part);
        weir_big_subtract(phi, &part);
    }
}

static void look_closely(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow *f = w->flow;
    int64_t queues = 1 + f->first_input[v + 1] - f->first_input[v];
    if (w->kind[v] != WEIR_FLOW_LOOSE || w->idles[v] != 2 || f->nodes[v].repetitions > w->table_left / queues)
        return;
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        uint32_t u = f->edges[f->inputs[i]].from;
        if (!w->need[u] && f->nodes[u].source == WEIR_NO_SOURCE)
            return;
    }
    w->need[v] = weir_array((size_t)f->nodes[v].repetitions, sizeof **w->need);
    if (!w->need[v]) {
        w->status = WEIR_MEMORY;
        return;
    }
    if (trace(w, v)) {
        measure(w, v);
        w->table_left -= f->nodes[v].repetitions * queues;
        return;
    }
    weir_free(w->need[v]);
    w->need[v] = NULL;
}

/* ---- offsets ---- */

static bool release_holds(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_flow *f = w->flow;
    struct weir_big late, part;
    weir_big_set(&w->late[v], 0);
    for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
        uint32_t u = f->edges[f->inputs[i]].from;
        weir_flow_time(w, w->analysis->operators[u].response, &late);
        weir_big_add(&late, &w->late[u]);
        raise(&w->late[v], &late);
    }
    weir_big_add(&w->late[v], &w->high[v]);
    weir_big_subtract(&w->late[v], &w->low[v]);
    weir_big_copy(&late, &w->high[v]); /* executions that initial samples are enough for follow the beginning */
    weir_flow_time(w, f->nodes[v].period, &part);
    weir_big_subtract(&late, &part);
    weir_big_add(&late, &w->longest[v]);
    weir_big_add(&late, &w->idle[v]);
    raise(&w->late[v], &late);
    if (w->late[v].lost)
        w->status = WEIR_OVERFLOW;
    if (w->status)
        return false;
    if (w->kind[v] == WEIR_FLOW_EVEN)
        return true;
    if (!weir_flow_covers(w, w->analysis->operators[v].offset, &w->late[v]))
        return weir_flow_refuse(w, "operator %u may be released later than claimed", v);
    weir_flow_time(w, w->analysis->operators[v].offset, &w->late[v]); /* what is claimed, from here on */
    return true;
}

bool weir_flow_follows_hold(struct weir_flow_work *w)
{
    const struct weir_flow *f = w->flow;
    if (!w->analysis->sporadic)
        return true;
    w->table_left = TABLES;
    for (uint32_t k = 0; k < f->node_count && !w->status; k++) {
        uint32_t v = f->order[k];
        if (f->nodes[v].source != WEIR_NO_SOURCE) {
            begin(w, v);
            continue;
        }
        find_idles(w, v);
        enclose_all(w, v);
        if (!w->status)
            follow_beginning(w, v);
        if (!w->status)
            look_closely(w, v);
        if (!w->status && !release_holds(w, v))
            return false;
    }
    return !w->status;
}
