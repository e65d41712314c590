/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses that are claimed to follow from windows: with all responses and offsets as they are claimed, no window stays open
 * longer than claimed. Then all of them hold (docs/concepts/pool-of-cores.md, section 3). Here times are whole multiples of 1 /
 * scale, those that are not rounded up.
 */
#include "check/edf/flow_inside.h"
#include "check/edf/flow_pair.h"

#define TIMES_END (INT64_C(1) << 59)
#define FINER 12
#define FINE_END (INT64_C(1) << 30)
#define TURNS 64
#define RELATION_END (INT64_C(1) << 57)

struct group {
    weir_wide work, more;
    uint32_t size;
};

struct windows {
    struct weir_flow_work *work;
    struct weir_flow_task *nodes;
    struct group *groups;
    int64_t scale;
    int64_t turn; /* behind even sources: the execution that is looked at; 0: all */
    bool apart;   /* no operator is assumed to be in step with the one that is looked at */
};

/* The least whole number above `below` that is not below time * scale / unit. */
static int64_t whole_above(struct windows *s, const struct weir_big *time, int64_t below)
{
    struct weir_big asked, reached;
    weir_big_copy(&asked, time);
    weir_big_multiply(&asked, s->scale);
    int64_t enough = TIMES_END;
    while (enough - below > 1) {
        int64_t middle = below + (enough - below) / 2;
        weir_big_copy(&reached, &s->work->unit);
        weir_big_multiply(&reached, middle);
        if (reached.lost || asked.lost)
            s->work->status = WEIR_OVERFLOW;
        if (s->work->status)
            return 0;
        if (weir_big_compare(&reached, &asked) >= 0)
            enough = middle;
        else
            below = middle;
    }
    if (enough == TIMES_END)
        s->work->status = WEIR_OVERFLOW;
    return enough;
}

static int64_t whole(struct windows *s, const struct weir_big *time)
{
    return whole_above(s, time, -1);
}

static int64_t whole_or_less(struct windows *s, const struct weir_big *time)
{
    return whole_above(s, time, -TIMES_END);
}

static int64_t whole_ratio(struct windows *s, struct weir_ratio value)
{
    weir_wide up = (weir_wide)value.numerator * s->scale;
    up = (up + value.denominator - 1) / value.denominator;
    if (up >= TIMES_END)
        s->work->status = WEIR_OVERFLOW;
    return up >= TIMES_END ? 0 : (int64_t)up;
}

static void join_scale(struct windows *s, int64_t denominator)
{
    int64_t more = denominator / weir_greatest_divisor(denominator, s->scale);
    if (!weir_multiply(s->scale, more, &s->scale) || s->scale >= TIMES_END)
        s->work->status = WEIR_OVERFLOW;
}

static void describe(struct windows *s, uint32_t v)
{
    struct weir_flow_work *w = s->work;
    const struct weir_edf_operator *o = &w->analysis->operators[v];
    struct weir_flow_task *node = &s->nodes[v];
    struct weir_big line, time;
    *node = (struct weir_flow_task){.part = w->flow->nodes[v].part,
                                    .period = whole_ratio(s, w->flow->nodes[v].period),
                                    .cost = whole_ratio(s, (struct weir_ratio){w->flow->nodes[v].cost, 1}),
                                    .response = whole_ratio(s, o->response),
                                    .claimed = o->applies[WEIR_EDF_WINDOW] ? whole_ratio(s, o->responses[WEIR_EDF_WINDOW]) : 0};
    bool even = node->even = w->kind[v] == WEIR_FLOW_EVEN;
    weir_flow_time(w, w->flow->nodes[v].period, &time);
    if (even)
        weir_flow_time(w, o->offset, &line);
    else
        weir_big_copy(&line, &w->idle[v]);
    weir_big_add(&line, &w->early[v]);
    weir_big_subtract(&line, &time);
    if (even) {
        node->offset = whole_ratio(s, o->offset);
        node->early = whole_or_less(s, &w->early[v]);
        node->before = whole(s, &line);
        return;
    }
    node->offset = whole(s, &w->late[v]);
    node->held = whole(s, &w->held[v]);
    node->source = whole(s, &w->longest[v]);
    node->high = whole_or_less(s, &w->high[v]);
    weir_big_set(&time, 0);
    weir_big_subtract(&time, &w->low[v]);
    node->low = whole_or_less(s, &time);
    weir_big_copy(&time, &w->late[v]);
    weir_big_add(&time, &w->held[v]);
    node->before = whole(s, w->idles[v] == 0 && weir_big_compare(&line, &time) > 0 ? &line : &time);
}

/* ---- which operator needs which ---- */

/* How far the reader of a queue may be ahead of its writer in time, if it needs it from the first execution on. */
static bool needs(const struct windows *s, const struct weir_flow_edge *e, int64_t *gap)
{
    const struct weir_flow_work *w = s->work;
    int64_t step = weir_greatest_divisor(e->produce, e->consume);
    bool always = w->kind[e->to] == WEIR_FLOW_EVEN || (w->kind[e->to] == WEIR_FLOW_LOOSE && w->idles[e->to] != 0);
    weir_wide time = (weir_wide)s->nodes[e->from].period * (e->consume - weir_flow_wanted(e, step));
    if (!always || e->threshold <= e->initial || time >= RELATION_END || time <= -(weir_wide)RELATION_END)
        return false;
    *gap = weir_ceil_divide((int64_t)time, e->produce);
    return true;
}

static void relate(int64_t *known, int64_t from, int64_t more)
{
    if (from != WEIR_FLOW_APART && from + more < *known && from + more > -RELATION_END && from + more < RELATION_END)
        *known = from + more;
}

static void find_relations(struct windows *s, uint32_t k)
{
    const struct weir_flow *f = s->work->flow;
    int64_t more;
    for (uint32_t v = 0; v < f->node_count; v++)
        s->nodes[v].ancestor = s->nodes[v].descendant = WEIR_FLOW_APART;
    s->nodes[k].ancestor = s->nodes[k].descendant = 0;
    for (uint32_t at = f->node_count; at-- > 0;) {
        uint32_t v = f->order[at];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++)
            if (needs(s, &f->edges[f->inputs[i]], &more))
                relate(&s->nodes[f->edges[f->inputs[i]].from].ancestor, s->nodes[v].ancestor, more);
    }
    for (uint32_t at = 0; at < f->node_count; at++) {
        uint32_t v = f->order[at];
        for (uint32_t i = f->first_input[v]; i < f->first_input[v + 1]; i++)
            if (needs(s, &f->edges[f->inputs[i]], &more))
                relate(&s->nodes[v].descendant, s->nodes[f->edges[f->inputs[i]].from].descendant, more);
    }
}

/* ---- operators that are never executed at the same time ---- */

static bool groups_hold(struct windows *s)
{
    uint32_t n = s->work->flow->node_count;
    for (uint32_t k = 0; k < n; k++) {
        const struct weir_flow_task *own = &s->nodes[k];
        find_relations(s, k);
        for (uint32_t v = 0; v < n; v++) {
            const struct weir_flow_task *i = &s->nodes[v];
            if (v == k || i->group != own->group)
                continue;
            if (!weir_flow_pair_apart(i, own))
                return weir_flow_refuse(s->work, "operators %u and %u may be executed at the same time", k, v);
        }
    }
    return true;
}

/* ---- one window ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void find_steps(struct windows *s, uint32_t k)
{
    for (uint32_t v = 0; v < s->work->flow->node_count; v++)
        s->nodes[v].step = v == k || s->nodes[v].cost == 0 ? 0 : weir_flow_pair_step(&s->nodes[v], &s->nodes[k], s->turn);
}

/* What i may run in a window that is so long, and begins so long before the release of k. */
static int64_t disturbance(const struct weir_flow_task *i, const struct weir_flow_task *k, int64_t length, int64_t sooner)
{
    /* In time: if the first begins as late as it can, each of the others has a period, and the last what is left. */
    int64_t rest = length + i->response - i->cost + i->before, turns = weir_flow_periods_in(i, rest);
    int64_t time = turns * i->cost, most = weir_flow_fading(i, sooner + k->period - i->period + i->response);
    rest -= turns * i->period;
    time += rest < i->cost ? rest : i->cost;
    most = time < most ? time : most;
    return i->step < most - sooner ? i->step + sooner : most;
}

/* What at most `count` operators of a group may have left from before. Takes it from them. */
static weir_wide carried_by(const struct windows *s, uint32_t group, uint32_t count)
{
    weir_wide sum = 0;
    for (; count > 0; count--) {
        struct weir_flow_task *most = NULL;
        for (struct weir_flow_task *i = s->nodes; i < s->nodes + s->work->flow->node_count; i++)
            if (i->group == group && i->carried > (most ? most->carried : 0))
                most = i;
        if (!most)
            break;
        sum += most->carried;
        most->carried = 0;
    }
    return sum;
}

/* Whether groups cannot keep all cores busy for as long as `waits`, where all but one core may have a group with work from before.
 */
static bool cores_suffice(struct windows *s, int64_t waits)
{
    uint32_t cores = s->work->analysis->cores, over = 0, over_carried = 0, n = s->work->flow->node_count;
    weir_wide sum = 0;
    for (uint32_t g = 0; g < n; g++)
        s->groups[g].work = s->groups[g].more = 0;
    for (const struct weir_flow_task *i = s->nodes; i < s->nodes + n; i++) {
        s->groups[i->group].work += i->work;
        s->groups[i->group].more += i->carried;
    }
    for (uint32_t g = 0; g < n; g++) {
        struct group *group = &s->groups[g];
        if (group->size >= cores)
            group->more = carried_by(s, g, cores - 1);
        over += group->work > waits;
        over_carried += group->work <= waits && group->work + group->more > waits;
        weir_wide anew = group->work < waits ? group->work : waits, all = group->work + group->more;
        group->more = (all < waits ? all : waits) - anew;
        sum += anew;
    }
    for (uint32_t count = cores - 1; count > 0; count--) {
        struct group *most = s->groups;
        for (uint32_t g = 1; g < n; g++)
            most = s->groups[g].more > most->more ? &s->groups[g] : most;
        sum += most->more;
        most->more = 0;
    }
    return sum <= (weir_wide)waits * cores && over + (over_carried < cores ? over_carried : cores - 1) < cores;
}

static bool window_closes(struct windows *s, uint32_t k)
{
    const struct weir_flow_task *own = &s->nodes[k];
    int64_t length = own->claimed;
    int64_t waits = length - own->cost - weir_flow_fading(own, own->response - own->period);
    for (uint32_t v = 0; v < s->work->flow->node_count; v++) {
        s->nodes[v].work = v == k ? 0 : disturbance(&s->nodes[v], own, length, 0);
        s->nodes[v].carried = 0;
    }
    return waits >= 0 && cores_suffice(s, waits);
}

/* ---- windows that begin when cores get busy, at most a before the release ---- */

/* The most that `count` operators have above the others. Takes it from them. */
static weir_wide take_most(struct windows *s, uint32_t count)
{
    weir_wide sum = 0;
    for (; count > 0; count--) {
        struct weir_flow_task *most = s->nodes;
        for (struct weir_flow_task *i = s->nodes; i < s->nodes + s->work->flow->node_count; i++)
            most = i->carried > most->carried ? i : most;
        sum += most->carried;
        most->carried = 0;
    }
    return sum;
}

/* How long before its release such a window of k can begin; negative where that is not known. */
static int64_t longest_before(struct windows *s, uint32_t k)
{
    uint32_t cores = s->work->analysis->cores;
    weir_wide one = (weir_wide)1 << 64, load = 0;
    for (struct weir_flow_task *i = s->nodes; i < s->nodes + s->work->flow->node_count; i++) {
        load += (one * i->cost + i->period - 1) / i->period;
        i->carried = (int64_t)(((weir_wide)i->cost * i->response + i->period - 1) / i->period);
    }
    weir_wide carried = take_most(s, cores - 1), spare = one * cores - load;
    /* spare a <= load p + carried, in which all is divided by what is left of a whole. */
    weir_wide part = spare >> 32, most = ((load >> 32) + 1) * s->nodes[k].period;
    if (part <= 0 || carried >= TIMES_END)
        return -1;
    most = (most + (carried << 32)) / part;
    return most < TIMES_END ? (int64_t)most : -1;
}

/* On one core: whether, from the moment it gets busy until `from` and the claim are over, there is one at which all work that came
 * until then is done. */
static bool busy_core_closes(struct windows *s, uint32_t k, int64_t from, int64_t to)
{
    const struct weir_flow_task *own = &s->nodes[k];
    weir_wide done = 0, length = (weir_wide)own->cost * (1 + weir_flow_periods_in(own, from));
    while (length > done && length <= (weir_wide)from + own->claimed) {
        done = length;
        length = (weir_wide)own->cost * (1 + weir_flow_periods_in(own, from));
        for (uint32_t v = 0; v < s->work->flow->node_count; v++) {
            const struct weir_flow_task *i = &s->nodes[v];
            if (v == k || i->cost == 0)
                continue;
            int64_t anew = weir_flow_fading(i, (int64_t)done + i->before), count = weir_flow_periods_in(i, from + own->period);
            int64_t step = s->apart ? INT64_MAX : i->step;
            anew = count <= anew / i->cost ? count * i->cost : anew;
            length += least(step < anew - to ? step + to : anew, weir_flow_pair_since(i, own, s->apart ? 0 : s->turn, to, false));
        }
    }
    return length <= done;
}

/* On several: whether executions of k whose windows begin at least `from` and less than `to` before their release end in time; in
 * between no further deadline counts. */
static bool busy_cores_close(struct windows *s, uint32_t k, int64_t from, int64_t to)
{
    const struct weir_flow_task *own = &s->nodes[k];
    int64_t length = own->claimed + to,
            waits = from + own->claimed - own->cost - weir_flow_fading(own, from + own->response - own->period);
    for (uint32_t v = 0; v < s->work->flow->node_count; v++) {
        struct weir_flow_task *i = &s->nodes[v];
        i->carried = i->work = 0;
        if (v == k || i->cost == 0)
            continue;
        int64_t anew = weir_flow_fading(i, length + i->before), count = weir_flow_periods_in(i, from + own->period);
        anew = count <= anew / i->cost ? count * i->cost : anew;
        i->work = least(i->step < anew - to ? i->step + to : anew, weir_flow_pair_since(i, own, s->turn, to, false));
        int64_t carried = least(disturbance(i, own, length, to), weir_flow_pair_since(i, own, s->turn, to, true));
        i->carried = carried > i->work ? carried - i->work : 0;
    }
    return waits >= 0 && cores_suffice(s, waits);
}

/* On one core that is not overloaded, if no operator is assumed to be in step with k: from a common multiple of all
 * periods on, windows are those of one multiple before with just as much more time and no more work. That multiple; INT64_MAX where
 * it does not apply. */
static int64_t repeats_after(const struct windows *s)
{
    weir_wide multiple = 1, work = 0;
    if (s->work->analysis->cores != 1)
        return INT64_MAX;
    for (uint32_t v = 0; v < s->work->flow->node_count; v++) {
        int64_t period = s->nodes[v].period;
        multiple *= period / weir_greatest_divisor((int64_t)multiple, period);
        if (multiple >= TIMES_END)
            return INT64_MAX;
    }
    for (uint32_t v = 0; v < s->work->flow->node_count; v++)
        work += multiple / s->nodes[v].period * s->nodes[v].cost;
    return work <= multiple ? (int64_t)multiple : INT64_MAX;
}

/* From piece to piece; one that does not close is tried in shorter ones. */
static bool pieces_close(struct windows *s, uint32_t k, int64_t last)
{
    int64_t from = 0, size = INT64_MAX;
    while (from <= last) {
        int64_t next = INT64_MAX, end = from + s->nodes[k].period;
        for (uint32_t v = 0; v < s->work->flow->node_count; v++) {
            int64_t until = s->nodes[v].period - end % s->nodes[v].period;
            next = until < next ? until : next;
        }
        size = size < next ? size : next;
        while (!(s->work->analysis->cores > 1 ? busy_cores_close : busy_core_closes)(s, k, from, from + size)) {
            if (size == 1)
                return false;
            size /= 2;
        }
        from += size;
        size = size < INT64_MAX / 2 ? 2 * size : size;
    }
    return true;
}

static bool busy_windows_close(struct windows *s, uint32_t k)
{
    int64_t last = longest_before(s, k), multiple = repeats_after(s);
    if (multiple < INT64_MAX && (last < 0 || last >= multiple)) {
        s->apart = true;
        bool closes = pieces_close(s, k, multiple - 1);
        s->apart = false;
        if (closes)
            return true;
    }
    return last >= 0 && pieces_close(s, k, last);
}

/* All executions of k at once, or each of those until everything behind its even sources comes round together. */
static bool windows_close(struct windows *s, uint32_t k)
{
    int64_t turns = s->nodes[k].even ? s->work->flow->nodes[k].repetitions : 0;
    find_relations(s, k);
    for (s->turn = 0;; s->turn++) {
        find_steps(s, k);
        bool closes = window_closes(s, k) || busy_windows_close(s, k);
        if (s->turn == 0 ? closes || turns == 0 || turns > TURNS : !closes || s->turn >= turns)
            return closes;
    }
}

/* Periods and windows are whole numbers then. Offsets need not be: the finer the scale, the less they are rounded up. */
static void find_scale(struct windows *s)
{
    const struct weir_edf_operator *operators = s->work->analysis->operators;
    for (uint32_t v = 0; v < s->work->flow->node_count && !s->work->status; v++)
        join_scale(s, operators[v].period.denominator);
    if (s->work->analysis->cores > 1 && s->scale < FINE_END)
        s->scale *= FINER;
    for (uint32_t v = 0; v < s->work->flow->node_count && !s->work->status; v++)
        if (operators[v].applies[WEIR_EDF_WINDOW])
            join_scale(s, operators[v].responses[WEIR_EDF_WINDOW].denominator);
}

bool weir_flow_windows_hold(struct weir_flow_work *w)
{
    struct windows s = {.work = w, .scale = 1};
    uint32_t n = w->flow->node_count;
    bool asked = false, fine = true;
    for (uint32_t v = 0; v < n; v++)
        asked = asked || w->analysis->operators[v].applies[WEIR_EDF_WINDOW];
    if (!asked)
        return true;
    find_scale(&s);
    s.nodes = weir_array(n, sizeof *s.nodes);
    s.groups = weir_array_zeroed(n, sizeof *s.groups);
    if (!s.nodes || !s.groups)
        w->status = WEIR_MEMORY;
    for (uint32_t v = 0; v < n && !w->status; v++) {
        const uint32_t *groups = w->proof->groups;
        describe(&s, v);
        s.nodes[v].group = groups && groups[v] < n ? groups[v] : v;
        s.groups[s.nodes[v].group].size++;
    }
    fine = !w->status && groups_hold(&s);
    for (uint32_t v = 0; v < n && fine && !w->status; v++) {
        if (!w->analysis->operators[v].applies[WEIR_EDF_WINDOW])
            continue;
        if (!windows_close(&s, v))
            fine = weir_flow_refuse(w, "operator %u may take longer than its window is claimed to be", v);
    }
    weir_free(s.nodes);
    weir_free(s.groups);
    return fine && !w->status;
}
