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
 * G_i being how long before its release an execution of i can begin. Behind even sources of one part executions keep to lines, so
 * that execution x of i has to do with execution j of k only if
 *
 *     p_i - E_k - o_i - R_i  <  x p_i - j p_k  <  o_k - p_k + R_k + E_i,    <= o_k - p_i + E_i
 *
 * Where k needs i, with a gap c in time, those that execution j needs are over when the window begins; where i needs k, those that
 * need execution j have not begun: x p_i - j p_k >= p_i - c, or <= c - p_k. That is all there is behind sources that are not even.
 * Operators of which no two ever run at the same time count as one.
 *
 * R, G and o depend on one another. Bounds for which every window
 * closes hold together, so the least are looked for from below. All times are multiples of 1 / scale.
 */
#include "engine/edf/window.h"

#include "base/interrupt.h"

#define ROUNDS_EXACT 100 /* after these a response that has to grow grows by a part of itself */
#define ROUNDS_MAX 400
#define ROUNDS_DOWN 32
#define PARTS 12 /* of a unit of time, on several cores */
#define PARTS_END (INT64_C(1) << 30)
#define GRID_MAX 64  /* places of an execution beside another one that are looked at one by one */
#define TURNS_MAX 64 /* executions that are, until all of the part have come round together */

/* value * scale, rounded up; false where it is too large. */
static bool scale(const struct weir_edf_look *w, struct weir_ratio value, int64_t *result)
{
    weir_wide product = (weir_wide)value.numerator * w->scale;
    product = product / value.denominator + (product % value.denominator > 0);
    *result = (int64_t)product;
    return product < WEIR_EDF_TIMES_END && product > -(weir_wide)WEIR_EDF_TIMES_END;
}

/* ... and 0 where it is less. */
static bool scale_up(const struct weir_edf_look *w, struct weir_ratio value, int64_t *result)
{
    return scale(w, value.numerator > 0 ? value : weir_fraction_of(0), result);
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

/* ---- which operator needs which ---- */

#define APART INT64_MAX
#define GAP_END (INT64_C(1) << 56)

static int64_t *gap_of(const struct weir_edf_look *w, uint32_t producer, uint32_t consumer)
{
    return &w->system->gaps[(size_t)consumer * w->system->flow->node_count + producer];
}

static void need_within(const struct weir_edf_look *w, uint32_t producer, uint32_t consumer, int64_t gap)
{
    int64_t *known = gap_of(w, producer, consumer);
    if (gap < *known && gap > -GAP_END && gap < GAP_END)
        *known = gap;
}

/* Execution j needs one with a number of j p / p' - gap / p' or more, through this queue: p' (consume - N) / produce. */
static bool gap_over(const struct weir_edf_look *w, uint32_t index, int64_t *gap)
{
    const struct weir_flow_edge *e = &w->system->flow->edges[index];
    struct weir_ratio period = w->system->operators[e->from].period;
    weir_wide up = (weir_wide)period.numerator * w->scale / period.denominator * (e->consume - w->system->edges[index].need);
    if (up <= -(weir_wide)GAP_END || up >= GAP_END)
        return false;
    *gap = weir_ceil_divide((int64_t)up, e->produce);
    return true;
}

/* Whether each execution of the node needs an arrival, and all of them of the same kind: a line, or of one source. */
static bool can_be_related(const struct weir_edf_system *s, uint32_t v)
{
    return s->form[v] == WEIR_EDF_EVEN || (s->form[v] == WEIR_EDF_LOOSE && s->need[v] != WEIR_EDF_SOMETIMES);
}

/* Along queues. Not where initial samples are enough for the first execution: it needs none, and what its producer needs is not
 * needed then. */
static void relate(struct weir_edf_look *w)
{
    const struct weir_flow *f = w->system->flow;
    int64_t gap;
    for (size_t i = 0; i < (size_t)f->node_count * f->node_count; i++)
        w->system->gaps[i] = APART;
    for (uint32_t k = 0; k < f->node_count; k++) {
        uint32_t v = f->order[k];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++) {
            const struct weir_flow_edge *e = &f->edges[f->inputs[i]];
            if (e->threshold <= e->initial || !can_be_related(w->system, v) || !gap_over(w, f->inputs[i], &gap))
                continue;
            need_within(w, e->from, v, gap);
            for (uint32_t u = 0; u < f->node_count; u++) {
                int64_t before = *gap_of(w, u, e->from);
                if (before != APART)
                    need_within(w, u, v, before + gap);
            }
        }
    }
}

/* ---- on one grid ---- */

/* Behind even sources of one part, x p_i - j p_k for executions x of i and j of k that may meet. Multiples of unit_of. */
struct grid {
    int64_t least, most;
    int64_t from, to; /* x runs for at most the distance to each */
};

static bool are_on_grid(const struct weir_edf_look *w, uint32_t a, uint32_t b)
{
    const struct weir_edf_system *s = w->system;
    return s->form[a] == WEIR_EDF_EVEN && s->form[b] == WEIR_EDF_EVEN && s->flow->nodes[a].part == s->flow->nodes[b].part;
}

static int64_t unit_of(const struct weir_edf_look *w, uint32_t a, uint32_t b)
{
    return weir_greatest_divisor(w->nodes[a].period, w->nodes[b].period);
}

static struct grid grid_of(const struct weir_edf_look *w, uint32_t other, uint32_t own)
{
    const struct weir_edf_window *i = &w->nodes[other], *k = &w->nodes[own];
    int64_t needed = *gap_of(w, other, own), needs = *gap_of(w, own, other);
    struct grid g = {0, 0, i->period - k->early - i->offset - i->bound, k->offset - k->period + k->bound + i->early};
    g.least = needed != APART && i->period - needed > g.from ? i->period - needed : g.from + 1;
    g.most = needs != APART && needs - k->period < g.to ? needs - k->period : g.to - 1;
    return g;
}

/* The one that there is of x p_i - turn p_k, in a window. */
static int64_t sum_in_turn(const struct weir_edf_look *w, const struct grid *g, uint32_t other, uint32_t own)
{
    const struct weir_edf_window *i = &w->nodes[other];
    int64_t past = (int64_t)(((weir_wide)w->turn * w->nodes[own].period + g->least) % i->period);
    return weir_edf_work_between(i, g->least + (past > 0 ? i->period - past : -past), g->most, g->from, g->to);
}

/* What is released by r + p_k - p_i. */
static void count_due(struct grid *g, const struct weir_edf_window *i, const struct weir_edf_window *k)
{
    int64_t due = k->offset - i->period + i->early;
    g->most = due < g->most ? due : g->most;
}

/* What i runs of the time of k. */
static int64_t work_on_grid(const struct weir_edf_look *w, uint32_t other, uint32_t own)
{
    const struct weir_edf_window *i = &w->nodes[other];
    struct grid g = grid_of(w, other, own);
    int64_t work = 0;
    count_due(&g, i, &w->nodes[own]);
    if (w->turn > 0)
        return sum_in_turn(w, &g, other, own);
    int64_t unit = unit_of(w, other, own);
    if (i->period > unit * GRID_MAX) {
        int64_t left = weir_edf_work_by_deadlines(i, g.most - g.from), right = weir_edf_work_by_deadlines(i, g.to - g.least);
        return left < right ? left : right;
    }
    int64_t begin = weir_ceil_divide(g.least, unit) * unit;
    for (int64_t first = begin; first < begin + i->period && first <= g.most; first += unit) {
        int64_t all = weir_edf_work_between(i, first, g.most, g.from, g.to);
        work = all > work ? all : work;
    }
    return work;
}

void weir_edf_take_turn(const struct weir_edf_look *w, uint32_t own)
{
    weir_wide when = (weir_wide)w->turn * w->nodes[own].period;
    for (uint32_t v = 0; v < w->system->flow->node_count; v++) {
        struct weir_edf_window *i = &w->nodes[v];
        i->turn.known = w->turn > 0 && are_on_grid(w, v, own);
        if (!i->turn.known)
            continue;
        struct grid g = grid_of(w, v, own);
        count_due(&g, i, &w->nodes[own]);
        i->turn = (struct weir_edf_turn){true, g.from, g.to, g.most, (int64_t)(when % i->period)};
    }
}

/* ---- who never runs at the same time ---- */

/* Whether an execution of b, which needs a, is over before a begins with one that it does not need; not even. */
static bool is_over_before(const struct weir_edf_look *w, uint32_t b, uint32_t a, int64_t gap)
{
    const struct weir_edf_window *x = &w->nodes[a], *y = &w->nodes[b];
    return y->offset + y->bound + gap + x->held + x->most + y->least <= x->period;
}

static bool is_apart(const struct weir_edf_look *w, uint32_t a, uint32_t b)
{
    int64_t there = *gap_of(w, a, b), back = *gap_of(w, b, a);
    if (are_on_grid(w, a, b)) {
        struct grid g = grid_of(w, a, b);
        int64_t unit = unit_of(w, a, b);
        return weir_floor_divide(g.most, unit) * unit < g.least;
    }
    if (there != APART)
        return is_over_before(w, b, a, there);
    return back != APART && is_over_before(w, a, b, back);
}

/* Each joins the first group, in the order of the graph, of which nobody ever runs at the same time. */
static void find_groups(struct weir_edf_look *w)
{
    const struct weir_flow *f = w->system->flow;
    for (uint32_t at = 0; at < f->node_count; at++) {
        uint32_t v = f->order[at], before = w->related && w->system->cores > 1 ? at : 0;
        w->nodes[v].group = w->nodes[v].clash = v;
        w->nodes[v].next = f->node_count;
        for (uint32_t k = 0; k < before; k++)
            if (!is_apart(w, f->order[k], v))
                w->nodes[w->nodes[f->order[k]].group].clash = v;
        for (uint32_t k = 0; k < before && w->nodes[v].group == v; k++)
            if (w->nodes[f->order[k]].group == f->order[k] && w->nodes[f->order[k]].clash != v)
                w->nodes[v].group = f->order[k];
        struct weir_edf_window *lead = &w->nodes[w->nodes[v].group];
        if (lead != &w->nodes[v]) {
            w->nodes[v].next = lead->next;
            lead->next = v;
        }
    }
}

/* ---- one window ---- */

/* What is left of `other` in the window of `own`, which needs it; not even. */
static int64_t work_before(const struct weir_edf_look *w, uint32_t other, uint32_t own, int64_t gap)
{
    const struct weir_edf_window *i = &w->nodes[other], *k = &w->nodes[own];
    int64_t due = k->period - i->period, more = i->held + k->offset + (due < k->bound ? due : k->bound);
    int64_t left = weir_floor_divide(i->most + k->least + (more > 0 ? more : 0) + gap, i->period);
    return left > 0 ? left * i->cost : 0;
}

/* ... which is needed by it. */
static int64_t work_behind(const struct weir_edf_look *w, uint32_t other, uint32_t own, int64_t gap)
{
    const struct weir_edf_window *i = &w->nodes[other], *k = &w->nodes[own];
    if (gap - k->period + k->most + i->least >= k->source)
        return INT64_MAX;
    return weir_edf_work_by_deadlines(i, i->offset + i->bound + gap - k->period + i->held + k->most + i->least);
}

/* What is left of `other` in the window of `own` because one of them needs the other, or both follow one clock. */
int64_t weir_edf_work_in_step(const struct weir_edf_look *w, uint32_t other, uint32_t own)
{
    int64_t needed = *gap_of(w, other, own), needs = *gap_of(w, own, other);
    if (are_on_grid(w, other, own))
        return work_on_grid(w, other, own);
    if (needed != APART)
        return work_before(w, other, own, needed);
    return needs == APART ? INT64_MAX : work_behind(w, other, own, needs);
}

/* The least whole y from which on the others cannot keep all cores busy. It is looked for from above, as up / down: those whose
 * work is longer than that have a core each, and the rest of the cores has the rest of the work. */
int64_t weir_edf_wait(struct weir_edf_look *w, int64_t sum)
{
    int64_t up = sum, down = w->system->cores ? w->system->cores : 1;
    for (;;) {
        int64_t small = 0, cores = w->system->cores;
        for (uint32_t i = 0; i < w->system->flow->node_count; i++)
            if ((weir_wide)w->nodes[i].work * down > up)
                cores--;
            else
                small += w->nodes[i].work;
        if (cores <= 0 || (weir_wide)small * down >= (weir_wide)up * cores) {
            w->rounded = up % down > 0;
            return weir_ceil_divide(up, down);
        }
        up = small;
        down = cores;
    }
}

int64_t weir_edf_close_turn(struct weir_edf_look *w, uint32_t k)
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
    for (uint32_t v = 0; v < w->system->flow->node_count; v++)
        if (w->nodes[v].group != v) {
            w->nodes[w->nodes[v].group].work += w->nodes[v].work;
            w->nodes[v].work = 0;
        }
    int64_t end = own->cost + weir_edf_work_by_deadlines(own, own->bound - own->period) + weir_edf_wait(w, (int64_t)sum);
    if (w->turn == 0)
        w->up = w->rounded ? end : -1;
    if (!w->busy || end <= own->bound)
        return end;
    int64_t busy = weir_edf_busy(w, k, end);
    return busy < end ? busy : end;
}

/* ... of all, and where that is more than the bound, of one after the other until everything comes round. */
static int64_t close_window(struct weir_edf_look *w, uint32_t k)
{
    int64_t turns = w->system->operators[k].repetitions, latest = 0, end;
    w->turn = 0;
    end = weir_edf_close_turn(w, k);
    if (end <= w->nodes[k].bound || !w->related || w->system->form[k] != WEIR_EDF_EVEN || turns > TURNS_MAX)
        return end;
    while (w->turn < turns && latest < end) {
        w->turn++;
        int64_t one = weir_edf_close_turn(w, k);
        if (one < 0)
            return one;
        latest = one > latest ? one : latest;
        w->steps += w->system->flow->node_count;
    }
    return latest < end ? latest : end;
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
               scale(w, s->tight[v], &w->nodes[v].early);
    if (!weir_fraction_add(o->offset, s->held[v], &ahead) || !scale_up(w, o->offset, &w->nodes[v].offset) ||
        !scale_up(w, s->held[v], &w->nodes[v].held) || !scale(w, s->ahead[v], &w->nodes[v].most) ||
        !scale(w, s->behind[v], &w->nodes[v].least) || !scale_up(w, s->longest[v], &w->nodes[v].source))
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
    find_groups(w);
    return true;
}

/* The bounds that there are, before the first one is rounded up. */
static void keep_exact(struct weir_edf_look *w)
{
    for (uint32_t v = 0; v < w->system->flow->node_count; v++)
        w->nodes[v].exact = w->nodes[v].bound;
    w->exact = false;
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
        bool more = round > ROUNDS_EXACT && end < own->bound + own->bound / 32;
        if (w->exact && (more || end == w->up))
            keep_exact(w);
        if (more)
            end = own->bound + own->bound / 32;
        own->bound = end < own->limit ? end : own->limit;
        *grown = true;
    }
    return true;
}

static void swap_bounds(struct weir_edf_look *w)
{
    for (uint32_t v = 0; v < w->system->flow->node_count; v++) {
        int64_t bound = w->nodes[v].bound;
        w->nodes[v].bound = w->nodes[v].lower;
        w->nodes[v].lower = bound;
    }
}

static bool all_close(struct weir_edf_look *w)
{
    if (!find_offsets(w))
        return false;
    for (uint32_t k = 0; k < w->system->flow->node_count; k++) {
        int64_t end = w->nodes[k].bound < w->nodes[k].limit ? close_window(w, k) : 0;
        if (end < 0 || end > w->nodes[k].bound)
            return false;
    }
    return true;
}

/* Where every window closes: bounds that grew by more than they had to become what their windows come to, as long as every window
 * closes with that, too. False when the offsets do not fit. */
static bool settle_down(struct weir_edf_look *w)
{
    uint32_t n = w->system->flow->node_count;
    for (int round = 0; round < ROUNDS_DOWN; round++) {
        bool less = false;
        for (uint32_t k = 0; k < n; k++) {
            struct weir_edf_window *own = &w->nodes[k];
            int64_t end = own->bound < own->limit ? close_window(w, k) : -1;
            own->lower = end >= own->cost && end < own->bound ? end : own->bound;
            less = less || own->lower < own->bound;
        }
        w->steps += 2 * (int64_t)n * n;
        if (!less || w->steps > WEIR_EDF_STEPS_MAX || weir_interrupted())
            return true;
        swap_bounds(w);
        if (all_close(w))
            continue;
        swap_bounds(w);
        return find_offsets(w);
    }
    return true;
}

static bool settle(struct weir_edf_look *w)
{
    int64_t n = w->system->flow->node_count;
    bool grown = true;
    w->steps = 0;
    w->exact = true;
    for (int64_t v = 0; v < n; v++) {
        w->nodes[v].longest = w->nodes[v].due = 0;
        w->nodes[v].bound = w->nodes[v].cost < w->nodes[v].limit ? w->nodes[v].cost : w->nodes[v].limit;
    }
    int round = 0;
    for (; grown; round++) {
        w->steps += n * n;
        bool spent = round == ROUNDS_MAX || w->steps > WEIR_EDF_STEPS_MAX || weir_interrupted();
        if (spent || !find_offsets(w) || !look(w, round, &grown))
            return false;
    }
    return round <= ROUNDS_EXACT || settle_down(w);
}

void weir_edf_narrow(struct weir_edf_system *s)
{
    struct weir_edf_look w = {.system = s, .nodes = s->windows, .related = s->gaps != NULL, .busy = true};
    uint32_t n = s->flow->node_count;
    for (uint32_t v = 0; v < n; v++)
        w.nodes[v].group = v;
    bool fits = n > s->cores && find_scale(&w);
    if (fits && w.related)
        relate(&w);
    if (fits && s->cores == 1)
        find_round(&w);
    bool found = fits && settle(&w);
    if (fits && !found) {
        w.busy = false;
        found = settle(&w);
    }
    if (found && !w.exact && s->cores > 1)
        weir_edf_refine(&w);
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
