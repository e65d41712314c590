/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses by what can run in the window from the release of an execution to its end (docs/concepts/pool-of-cores.md, section 3).
 * An execution of k that ends x after its release waits for y = x - e_k - (what is left of its predecessors), in which all m cores
 * run others, each of them one core at a time:
 *
 *     m y <= sum over i of min(y, W_i)
 *
 * W_i, the work of i in the window with deadlines that count, is the less of
 *
 *     by time        N e + min(e, S - e - N p),  N = floor((S - e) / p),  S = x + R_i + G_i
 *     by deadlines   the sum over n >= 0 of  min(e, L - n p)^+,           L = p_k - p_i + R_i
 *
 * G_i being how long before its release an execution of i can begin. Where execution j of k needs execution j + D of i, those up to
 * j + D are over when the window begins; where execution j of i needs execution j + D of k, none from j - D on has begun. What is
 * left is, by the lines of both (section 4),
 *
 *     k behind i     floor((o_k + E_i) / p) - 1 - D executions
 *     i behind k     the sum over n >= 0 of  min(e, L - n p)^+,           L = o_i + R_i + E_k - (D + 2) p
 *
 * R, G and o depend on one another. Bounds for which every window
 * closes hold together, so the least are looked for from below. All times are multiples of 1 / scale.
 */
#include "engine/edf/window.h"

#define ROUNDS_EXACT 100 /* after these a response that has to grow grows by a part of itself */
#define ROUNDS_MAX 400
#define PARTS 12 /* of a unit of time, on several cores */
#define PARTS_END (INT64_C(1) << 30)

/* value * scale, rounded up; false where it is too large. */
static bool scale_up(const struct weir_edf_look *w, struct weir_ratio value, int64_t *result)
{
    weir_wide product = (weir_wide)value.numerator * w->scale;
    if (product <= 0) {
        *result = 0;
        return true;
    }
    product = (product + value.denominator - 1) / value.denominator;
    *result = (int64_t)product;
    return product < WEIR_EDF_TIMES_END;
}

/* Periods and costs in multiples of 1 / scale; false where times are too large then. */
static bool measure(struct weir_edf_look *w)
{
    const struct weir_edf_system *s = w->system;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        struct weir_edf_window *n = &w->nodes[v];
        if (!scale_up(w, s->operators[v].period, &n->period) || !scale_up(w, s->operators[v].response, &n->limit) ||
            !scale_up(w, weir_fraction_of(s->operators[v].cost), &n->cost))
            return false;
    }
    return true;
}

static void find_round(struct weir_edf_look *w)
{
    weir_wide round = 1;
    for (uint32_t v = 0; v < w->system->flow->node_count && round < WEIR_EDF_TIMES_END / 2; v++)
        round *= w->nodes[v].period / weir_greatest_divisor((int64_t)round, w->nodes[v].period);
    w->round = round < WEIR_EDF_TIMES_END / 2 ? (int64_t)round : 0;
}

/* The least common multiple of the denominators of periods, if times stay small with it; and some parts of that, since work is
 * divided by cores. */
static bool find_scale(struct weir_edf_look *w)
{
    const struct weir_edf_system *s = w->system;
    w->scale = 1;
    for (uint32_t v = 0; v < s->flow->node_count; v++) {
        int64_t rest = s->operators[v].period.denominator;
        rest /= weir_greatest_divisor(rest, w->scale);
        if (!weir_multiply(w->scale, rest, &w->scale) || w->scale > WEIR_EDF_TIMES_END >> 20)
            return false;
    }
    int64_t whole = w->scale;
    w->scale = s->cores > 1 && whole < PARTS_END ? whole * PARTS : whole;
    if (measure(w))
        return true;
    w->scale = whole;
    return measure(w);
}

/* ---- who needs whom ---- */

#define APART INT32_MIN
#define SHIFT_MAX (INT32_C(1) << 20)

static int32_t *shift_of(const struct weir_edf_look *w, uint32_t producer, uint32_t consumer)
{
    return &w->system->shifts[(size_t)consumer * w->system->flow->node_count + producer];
}

static void need_at_least(const struct weir_edf_look *w, uint32_t producer, uint32_t consumer, int32_t shift)
{
    int32_t *known = shift_of(w, producer, consumer);
    if (shift > *known && shift < SHIFT_MAX)
        *known = shift;
}

/* Along queues that are written and read in the same portions: execution j needs execution j + shift. Not where initial samples are
 * enough for the first execution: it needs none, and what its producer needs is not needed then. */
static void relate(struct weir_edf_look *w)
{
    const struct weir_flow *f = w->system->flow;
    for (size_t i = 0; i < (size_t)f->node_count * f->node_count; i++)
        w->system->shifts[i] = APART;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
            const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
            int64_t shift = weir_ceil_divide(e->threshold - e->initial, e->produce) - 1;
            if (e->produce != e->consume || w->system->form[v] != WEIR_EDF_EVEN || shift < 0 || shift >= SHIFT_MAX)
                continue;
            need_at_least(w, e->from, v, (int32_t)shift);
            for (uint32_t u = 0; u < f->node_count; u++) {
                int32_t before = *shift_of(w, u, e->from);
                if (before != APART)
                    need_at_least(w, u, v, before + (int32_t)shift);
            }
        }
    }
}

/* ---- one window ---- */

/* What is left of `other` in the window of `own` because one of them needs the other. */
int64_t weir_edf_work_in_step(const struct weir_edf_look *w, uint32_t other, uint32_t own)
{
    const struct weir_edf_window *i = &w->nodes[other], *k = &w->nodes[own];
    int32_t behind = *shift_of(w, other, own), before = *shift_of(w, own, other);
    if (behind != APART) {
        int64_t left = (k->offset + i->early) / i->period - 1 - behind;
        return left > 0 ? left * i->cost : 0;
    }
    return before == APART ? INT64_MAX
                           : weir_edf_work_by_deadlines(i, i->offset + i->bound + k->early - ((int64_t)before + 2) * i->period);
}

/* The least whole y from which on the others cannot keep all cores busy. It is looked for from above, as up / down: those whose
 * work is longer than that have a core each, and the rest of the cores has the rest of the work. */
int64_t weir_edf_wait(const struct weir_edf_look *w, int64_t sum)
{
    int64_t up = sum, down = w->system->cores ? w->system->cores : 1;
    for (;;) {
        int64_t small = 0, cores = w->system->cores;
        for (uint32_t i = 0; i < w->system->flow->node_count; i++)
            if ((weir_wide)w->nodes[i].work * down > up)
                cores--;
            else
                small += w->nodes[i].work;
        if (cores <= 0 || (weir_wide)small * down >= (weir_wide)up * cores)
            return weir_ceil_divide(up, down);
        up = small;
        down = cores;
    }
}

/* When an execution of k ends at the latest, if its window is as long as its bound; negative where that does not fit. */
static int64_t close_window(struct weir_edf_look *w, uint32_t k)
{
    const struct weir_edf_window *own = &w->nodes[k];
    weir_wide sum = 0;
    for (uint32_t v = 0; v < w->system->flow->node_count; v++) {
        struct weir_edf_window *i = &w->nodes[v];
        i->work = 0;
        if (v == k || i->cost == 0)
            continue;
        int64_t time = weir_edf_work_in_time(i, own->bound + i->bound + i->ahead),
                step = w->related ? weir_edf_work_in_step(w, v, k) : time;
        i->work = weir_edf_work_by_deadlines(i, own->period - i->period + i->bound);
        i->work = time < i->work ? time : i->work;
        i->work = step < i->work ? step : i->work;
        sum += i->work;
    }
    if (sum >= WEIR_EDF_TIMES_END)
        return -1;
    int64_t end = own->cost + weir_edf_work_by_deadlines(own, own->bound - own->period) + weir_edf_wait(w, (int64_t)sum);
    if (!w->busy || end <= own->bound)
        return end;
    int64_t busy = weir_edf_busy(w, k, end);
    return busy < end ? busy : end;
}

/* ---- all windows ---- */

/* How long before its release an execution can be ready, from the offsets as they are. */
static bool find_ahead(struct weir_edf_look *w, uint32_t v)
{
    const struct weir_edf_system *s = w->system;
    const struct weir_edf_operator *o = &s->operators[v];
    struct weir_ratio less = {-o->period.numerator, o->period.denominator}, line, ahead;
    bool even = s->form[v] == WEIR_EDF_EVEN;
    if (!weir_fraction_add(s->tight[v], less, &line) || !weir_fraction_add(line, even ? o->offset : s->idle[v], &line))
        return false;
    if (even)
        return scale_up(w, line, &w->nodes[v].ahead) && scale_up(w, o->offset, &w->nodes[v].offset) &&
               scale_up(w, s->tight[v], &w->nodes[v].early);
    if (!weir_fraction_add(o->offset, s->held[v], &ahead))
        return false;
    if (s->need[v] == WEIR_EDF_SOMETIMES && weir_ratio_compare(line, ahead) > 0)
        ahead = line;
    return scale_up(w, ahead, &w->nodes[v].ahead);
}

static bool find_offsets(struct weir_edf_look *w)
{
    struct weir_edf_system *s = w->system;
    for (uint32_t v = 0; v < s->flow->node_count; v++)
        if (!weir_fraction_make(w->nodes[v].bound, w->scale, &s->operators[v].response))
            return false;
    if (!weir_edf_offsets(s) || (s->loose && weir_edf_follow_again(s)))
        return false;
    for (uint32_t v = 0; v < s->flow->node_count; v++)
        if (!find_ahead(w, v))
            return false;
    return true;
}

/* One look at every window; *grown when a bound had to be raised. */
static bool look(struct weir_edf_look *w, int round, bool *grown)
{
    *grown = false;
    for (uint32_t k = 0; k < w->system->flow->node_count; k++) {
        struct weir_edf_window *own = &w->nodes[k];
        if (own->bound >= own->limit)
            continue;
        int64_t end = close_window(w, k);
        if (end < 0)
            return false;
        if (end <= own->bound)
            continue;
        if (round > ROUNDS_EXACT && end < own->bound + own->bound / 32)
            end = own->bound + own->bound / 32;
        own->bound = end < own->limit ? end : own->limit;
        *grown = true;
    }
    return true;
}

static bool settle(struct weir_edf_look *w)
{
    int64_t n = w->system->flow->node_count;
    bool grown = true;
    w->steps = 0;
    for (int64_t v = 0; v < n; v++) {
        w->nodes[v].longest = 0;
        w->nodes[v].bound = w->nodes[v].cost < w->nodes[v].limit ? w->nodes[v].cost : w->nodes[v].limit;
    }
    for (int round = 0; grown; round++) {
        w->steps += n * n;
        if (round == ROUNDS_MAX || w->steps > WEIR_EDF_STEPS_MAX || !find_offsets(w) || !look(w, round, &grown))
            return false;
    }
    return true;
}

void weir_edf_narrow(struct weir_edf_system *s)
{
    struct weir_edf_look w = {.system = s, .nodes = s->windows, .related = s->shifts != NULL, .busy = true};
    uint32_t n = s->flow->node_count;
    if (w.related)
        relate(&w);
    bool fits = n > s->cores && find_scale(&w);
    if (fits && s->cores == 1)
        find_round(&w);
    bool found = fits && settle(&w);
    if (fits && !found) {
        w.busy = false;
        found = settle(&w);
    }
    for (uint32_t v = 0; v < n; v++) {
        struct weir_edf_operator *o = &s->operators[v];
        struct weir_ratio response;
        if (found && weir_fraction_make(w.nodes[v].bound, w.scale, &response) &&
            weir_ratio_compare(response, o->responses[o->by]) < 0) {
            o->applies[WEIR_EDF_WINDOW] = true;
            o->responses[WEIR_EDF_WINDOW] = response;
            o->by = WEIR_EDF_WINDOW;
        }
        o->response = o->responses[o->by];
    }
}
