/* SPDX-License-Identifier: Apache-2.0 */
/* Utilisations, and responses by the theorem that each is said to come from. */
#include "check/edf/flow_inside.h"

/* ---- utilisations ---- */

static bool shares_hold(struct weir_flow_work *w)
{
    weir_big_set(&w->grid, 1);
    for (uint32_t v = 0; v < w->flow->node_count; v++) {
        const struct weir_flow_node *node = &w->flow->nodes[v];
        int64_t common = weir_greatest_divisor(node->cost, node->period.numerator), busy;
        int64_t whole = node->period.numerator / common;
        if (!weir_multiply(node->cost / common, node->period.denominator, &busy) || busy > whole)
            return weir_flow_refuse(w, "operator %u needs more than one core", v);
        w->share[v] = (struct weir_ratio){busy, whole};
        if (weir_ratio_compare(w->analysis->operators[v].utilization, w->share[v]) < 0)
            return weir_flow_refuse(w, "operator %u uses more of a core than claimed", v);
        if (weir_ratio_compare(w->share[v], w->share[w->heaviest]) > 0)
            w->heaviest = v;
        struct weir_big rest;
        weir_big_copy(&rest, &w->grid);
        weir_big_multiply(&w->grid, whole / weir_greatest_divisor(whole, weir_big_divide(&rest, whole)));
    }
    if (w->grid.lost)
        w->status = WEIR_OVERFLOW;
    return !w->status;
}

/* The share of a node, of grid. */
static void load_of(const struct weir_flow_work *w, uint32_t v, struct weir_big *load)
{
    weir_big_copy(load, &w->grid);
    weir_big_divide(load, w->share[v].denominator);
    weir_big_multiply(load, w->share[v].numerator);
}

/* a <= b, neither lost. */
static bool in_order(struct weir_flow_work *w, const struct weir_big *a, const struct weir_big *b)
{
    if (a->lost || b->lost)
        w->status = WEIR_OVERFLOW;
    return !w->status && weir_big_compare(a, b) <= 0;
}

static bool total_holds(struct weir_flow_work *w)
{
    struct weir_big load, said, all;
    weir_big_set(&w->total, 0);
    for (uint32_t v = 0; v < w->flow->node_count; v++) {
        load_of(w, v, &load);
        weir_big_add(&w->total, &load);
    }
    weir_big_copy(&all, &w->total);
    weir_big_multiply(&all, w->analysis->utilization.denominator);
    weir_big_copy(&said, &w->grid);
    weir_big_multiply(&said, w->analysis->utilization.numerator);
    if (!in_order(w, &all, &said))
        return weir_flow_refuse(w, "the operators need more in all than claimed");
    weir_big_copy(&said, &w->grid);
    weir_big_multiply(&said, w->analysis->cores);
    if (!in_order(w, &w->total, &said))
        return weir_flow_refuse(w, "the operators need more than all cores");
    return true;
}

/* The least whole number of cores that the total does not exceed, less one. */
static uint32_t carried(const struct weir_flow_work *w)
{
    uint32_t low = 1, high = w->analysis->cores;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct weir_big some;
        weir_big_copy(&some, &w->grid);
        weir_big_multiply(&some, middle);
        if (weir_big_compare(&w->total, &some) <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low - 1;
}

/* ---- the largest values ---- */

static bool is_larger(const struct weir_big *value, uint32_t a, uint32_t b)
{
    return weir_big_compare(&value[a], &value[b]) > 0;
}

/* Orders the nodes by value, the largest first: by merging longer and longer runs. */
static bool rank(struct weir_flow_work *w)
{
    uint32_t n = w->flow->node_count, *from = w->ranked, *spare = weir_array(n, sizeof *spare), *to = spare;
    if (!spare) {
        w->status = WEIR_MEMORY;
        return false;
    }
    for (uint32_t v = 0; v < n; v++) {
        from[v] = v;
        if (w->value[v].lost)
            w->status = WEIR_OVERFLOW;
    }
    for (size_t run = 1; run < n && !w->status; run *= 2) {
        for (size_t start = 0; start < n; start += 2 * run) {
            size_t middle = start + run < n ? start + run : n, end = middle + run < n ? middle + run : n;
            for (size_t a = start, b = middle, k = start; k < end; k++)
                to[k] = b == end || (a < middle && !is_larger(w->value, from[b], from[a])) ? from[a++] : from[b++];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t v = 0; from != w->ranked && v < n; v++)
        w->ranked[v] = from[v];
    weir_free(spare);
    return !w->status;
}

/* ---- Devi and Anderson ---- */

static bool x_holds(struct weir_flow_work *w)
{
    struct weir_ratio x = w->proof->x;
    uint32_t n = w->flow->node_count, k = carried(w);
    if (x.denominator <= 0 || x.numerator < 0)
        return weir_flow_refuse(w, "there is no valid x");
    if (w->analysis->cores == 1 || k == 0)
        return true;
    struct weir_big work, room, load;
    int64_t least = INT64_MAX;
    for (uint32_t v = 0; v < n; v++) {
        weir_big_set(&w->value[v], w->flow->nodes[v].cost);
        least = w->flow->nodes[v].cost < least ? w->flow->nodes[v].cost : least;
    }
    if (!rank(w))
        return false;
    weir_big_set(&work, -least);
    for (uint32_t i = 0; i < k; i++)
        weir_big_add(&work, &w->value[w->ranked[i]]);
    for (uint32_t v = 0; v < n; v++)
        load_of(w, v, &w->value[v]);
    if (!rank(w))
        return false;
    weir_big_copy(&room, &w->grid);
    weir_big_multiply(&room, w->analysis->cores);
    for (uint32_t i = 0; i + 1 < k; i++) {
        load_of(w, w->ranked[i], &load);
        weir_big_subtract(&room, &load);
    }
    /* work grid <= x room; the work is a sum of times, which a few products bring to its place. */
    weir_big_multiply(&room, x.numerator);
    struct weir_big asked;
    weir_big_set(&asked, 0);
    weir_big_copy(&load, &w->grid);
    weir_big_multiply(&load, x.denominator);
    for (unsigned i = work.count; i-- > 0;) { /* asked = work * load, limb by limb in two halves */
        for (int half = 32; half >= 0; half -= 32) {
            struct weir_big part;
            weir_big_multiply(&asked, INT64_C(1) << 32);
            weir_big_copy(&part, &load);
            weir_big_multiply(&part, (int64_t)(work.limb[i] >> half & UINT32_MAX));
            weir_big_add(&asked, &part);
        }
    }
    return (work.negative || in_order(w, &asked, &room)) ? true : weir_flow_refuse(w, "x is too small");
}

/* ---- compliant vectors ---- */

static struct weir_ratio shortest_period(const struct weir_flow_work *w)
{
    struct weir_ratio shortest = w->flow->nodes[0].period;
    for (uint32_t v = 1; v < w->flow->node_count; v++)
        if (weir_ratio_compare(w->flow->nodes[v].period, shortest) < 0)
            shortest = w->flow->nodes[v].period;
    return shortest;
}

/* grid * m * b * d times (e - u a / b - e u / m + u n / d), where a / b is the shortest period and n / d is s. */
static void carry_in(const struct weir_flow_work *w, uint32_t v, struct weir_ratio shortest, struct weir_big *value)
{
    struct weir_ratio s = w->proof->s;
    int64_t cost = w->flow->nodes[v].cost, cores = w->analysis->cores;
    struct weir_big load, term;
    load_of(w, v, &load);
    weir_big_copy(value, &w->grid);
    weir_big_multiply(value, cores);
    weir_big_subtract(value, &load);
    weir_big_multiply(value, cost);
    weir_big_multiply(value, shortest.denominator);
    weir_big_multiply(value, s.denominator);
    weir_big_copy(&term, &load);
    weir_big_multiply(&term, shortest.numerator);
    weir_big_multiply(&term, cores);
    weir_big_multiply(&term, s.denominator);
    weir_big_subtract(value, &term);
    weir_big_copy(&term, &load);
    weir_big_multiply(&term, s.numerator);
    weir_big_multiply(&term, cores);
    weir_big_multiply(&term, shortest.denominator);
    weir_big_add(value, &term);
}

static bool s_holds(struct weir_flow_work *w)
{
    struct weir_ratio s = w->proof->s, shortest = shortest_period(w);
    uint32_t n = w->flow->node_count, k = carried(w);
    int64_t cores = w->analysis->cores;
    if (s.denominator <= 0 || s.numerator < 0)
        return weir_flow_refuse(w, "there is no valid s");
    struct weir_big sum, room;
    weir_big_copy(&sum, &w->total);
    weir_big_multiply(&sum, shortest.numerator);
    weir_big_multiply(&sum, cores);
    weir_big_multiply(&sum, s.denominator);
    for (uint32_t v = 0; v < n; v++) {
        carry_in(w, v, shortest, &w->value[v]);
        if (k > 0 && (weir_wide)s.numerator * cores < (weir_wide)w->flow->nodes[v].cost * s.denominator)
            return weir_flow_refuse(w, "s is below a share of the cost of operator %u", v);
    }
    if (!rank(w))
        return false;
    for (uint32_t i = 0; i < k && !w->value[w->ranked[i]].negative; i++)
        weir_big_add(&sum, &w->value[w->ranked[i]]);
    weir_big_copy(&room, &w->grid);
    weir_big_multiply(&room, s.numerator);
    weir_big_multiply(&room, cores);
    weir_big_multiply(&room, cores);
    weir_big_multiply(&room, shortest.denominator);
    return in_order(w, &sum, &room) ? true : weir_flow_refuse(w, "s is too small");
}

/* ---- operator by operator ---- */

/* claim >= a + b + c, exactly. */
static bool covers_sum(struct weir_flow_work *w, struct weir_ratio claim, const struct weir_ratio terms[4])
{
    struct weir_big n, d, add;
    weir_big_set(&n, claim.numerator);
    weir_big_set(&d, claim.denominator);
    for (int i = 0; i < 4; i++) {
        weir_big_multiply(&n, terms[i].denominator);
        weir_big_copy(&add, &d);
        weir_big_multiply(&add, terms[i].numerator);
        weir_big_multiply(&d, terms[i].denominator);
        weir_big_subtract(&n, &add);
    }
    if (n.lost)
        w->status = WEIR_OVERFLOW;
    return !w->status && !n.negative;
}

static bool compliant_holds(struct weir_flow_work *w, uint32_t v, struct weir_ratio shortest)
{
    const struct weir_edf_operator *o = &w->analysis->operators[v];
    struct weir_ratio zero = {0, 1}, less = {-shortest.numerator, shortest.denominator};
    const struct weir_ratio plain[4] = {o->period, less, {o->cost, 1}, zero};
    if (!covers_sum(w, o->responses[WEIR_EDF_COMPLIANT], plain))
        return false;
    /* p - p_min + e (1 - 1 / m) + s */
    struct weir_ratio most = {0, w->analysis->cores};
    if (!weir_multiply(o->cost, (int64_t)w->analysis->cores - 1, &most.numerator)) {
        w->status = WEIR_OVERFLOW;
        return false;
    }
    const struct weir_ratio full[4] = {o->period, less, most, w->proof->s};
    return covers_sum(w, o->responses[WEIR_EDF_COMPLIANT], full);
}

static bool operator_holds(struct weir_flow_work *w, uint32_t v, const bool *known, struct weir_ratio shortest)
{
    const struct weir_edf_operator *o = &w->analysis->operators[v];
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
        if (o->applies[b] && !known[b])
            return weir_flow_refuse(w, "operator %u: bound %u does not apply", v, b);
    struct weir_ratio cost = {o->cost, 1}, zero = {0, 1};
    const struct weir_ratio tardy[4] = {o->period, cost, w->proof->x, zero};
    if ((o->applies[WEIR_EDF_ALONE] && weir_ratio_compare(o->responses[WEIR_EDF_ALONE], cost) < 0) ||
        (o->applies[WEIR_EDF_NO_MISS] && weir_ratio_compare(o->responses[WEIR_EDF_NO_MISS], o->period) < 0) ||
        (o->applies[WEIR_EDF_DEVI_ANDERSON] && !covers_sum(w, o->responses[WEIR_EDF_DEVI_ANDERSON], tardy)) ||
        (o->applies[WEIR_EDF_COMPLIANT] && !compliant_holds(w, v, shortest)))
        return weir_flow_refuse(w, "operator %u may take longer than claimed", v);
    return true;
}

bool weir_flow_responses_hold(struct weir_flow_work *w)
{
    bool asked[WEIR_EDF_BOUNDS] = {false}, known[WEIR_EDF_BOUNDS] = {false};
    if (!shares_hold(w) || !total_holds(w))
        return false;
    for (uint32_t v = 0; v < w->flow->node_count; v++)
        for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
            asked[b] = asked[b] || w->analysis->operators[v].applies[b];
    struct weir_big most, all;
    load_of(w, w->heaviest, &most);
    weir_big_multiply(&most, (int64_t)w->analysis->cores - 1);
    weir_big_add(&most, &w->total);
    weir_big_copy(&all, &w->grid);
    weir_big_multiply(&all, w->analysis->cores);
    known[WEIR_EDF_ALONE] = w->flow->node_count <= w->analysis->cores;
    known[WEIR_EDF_NO_MISS] = w->analysis->cores == 1 || in_order(w, &most, &all);
    if ((asked[WEIR_EDF_DEVI_ANDERSON] && !x_holds(w)) || (asked[WEIR_EDF_COMPLIANT] && !s_holds(w)))
        return false;
    known[WEIR_EDF_DEVI_ANDERSON] = asked[WEIR_EDF_DEVI_ANDERSON];
    known[WEIR_EDF_COMPLIANT] = asked[WEIR_EDF_COMPLIANT];
    known[WEIR_EDF_WINDOW] = true; /* looked at when offsets are known */
    struct weir_ratio shortest = shortest_period(w);
    for (uint32_t v = 0; v < w->flow->node_count; v++)
        if (!operator_holds(w, v, known, shortest))
            return false;
    return !w->status;
}
