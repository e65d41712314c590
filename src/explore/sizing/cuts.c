/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts. The time of a cycle over its tokens is a lower bound of the period, and the tokens of a backpressure arc are the places of
 * its queue, less the messages that are there at the beginning. So for a period P a cycle of time t needs t / P tokens, whatever
 * the capacities; and one token where it would be a deadlock without.
 */
#include "base/error.h"
#include "engine/exact/ratio.h"
#include "explore/evaluate.h"
#include "explore/sizing/sizing.h"

#include <string.h>

enum { CUTS_MAX = 1024 };

void weir_cuts_free(struct weir_cuts *cuts)
{
    weir_free(cuts->items);
    weir_free(cuts->members);
}

bool weir_cuts_copy(const struct weir_cuts *from, struct weir_cuts *to)
{
    *to = *from;
    to->capacity = from->count;
    to->member_capacity = from->member_count;
    to->items = weir_array(from->count, sizeof *to->items);
    to->members = weir_array(from->member_count, sizeof *to->members);
    if (!to->items || !to->members) {
        weir_cuts_free(to);
        *to = (struct weir_cuts){0};
        return false;
    }
    if (from->count) {
        memcpy(to->items, from->items, from->count * sizeof *to->items);
        memcpy(to->members, from->members, from->member_count * sizeof *to->members);
    }
    return true;
}

/* ---- periods ---- */

bool weir_cuts_accept(const struct weir_cuts *cuts, struct weir_ratio period)
{
    int order = cuts->period.denominator ? weir_ratio_compare(period, cuts->period) : -1;
    return order < 0 || (order == 0 && !cuts->shorter);
}

static void find_need(const struct weir_cuts *cuts, struct weir_capacity_cut *cut)
{
    weir_wide tokens = 1; /* without any it is a deadlock */
    if (cuts->period.denominator && cut->time) {
        weir_wide work = (weir_wide)cut->time * cuts->period.denominator;
        tokens = cuts->shorter ? work / cuts->period.numerator + 1 : (work - 1) / cuts->period.numerator + 1;
    }
    weir_wide need = tokens - cut->fixed;
    cut->need = need < INT64_MAX ? (int64_t)need : INT64_MAX;
}

void weir_cuts_aim(struct weir_cuts *cuts, struct weir_ratio period, bool shorter)
{
    cuts->period = period;
    cuts->shorter = shorter;
    for (size_t i = 0; i < cuts->count; i++)
        find_need(cuts, &cuts->items[i]);
}

/* ---- cycles ---- */

struct cycle {
    uint32_t members[WEIR_SIZING_QUEUES_MAX]; /* sized queues whose backpressure is on it */
    size_t count;
    int64_t time;           /* no longer than all times together */
    int64_t tokens, places; /* now: of all arcs; of the members */
};

static bool add_cut(struct weir_cuts *cuts, const struct cycle *cycle)
{
    void *items = cuts->items, *list = cuts->members;
    bool room = weir_reserve(&items, &cuts->capacity, cuts->count + 1, sizeof *cuts->items);
    cuts->items = items;
    room = room && weir_reserve(&list, &cuts->member_capacity, cuts->member_count + cycle->count, sizeof *cuts->members);
    cuts->members = list;
    if (!room)
        return false;
    struct weir_capacity_cut *cut = &cuts->items[cuts->count++];
    *cut = (struct weir_capacity_cut){cuts->member_count, cycle->count, cycle->time, cycle->tokens - cycle->places, 0};
    find_need(cuts, cut);
    if (cycle->count)
        memcpy(cuts->members + cuts->member_count, cycle->members, cycle->count * sizeof *cycle->members);
    cuts->member_count += cycle->count;
    return true;
}

static void add_arc(const struct weir_sizing_study *s, const struct weir_evaluator *e, uint32_t i, struct cycle *c)
{
    const struct weir_raw_arc *arc = &e->layout.arcs[i];
    c->tokens += e->layout.tokens[i];
    c->time += arc->finish ? e->pipeline->graph->hi[arc->tail] : 0;
    c->time += arc->source != WEIR_NO_INDEX ? e->period[arc->source] : 0;
    uint32_t number = arc->queue != WEIR_NO_INDEX ? s->number[arc->queue] : UINT32_MAX;
    if (number != UINT32_MAX) {
        c->members[c->count++] = number; /* once at most: a cycle passes an actor once */
        c->places += e->capacity[arc->queue];
    }
}

/* The arc between two homes that weighs most at that ratio. */
static uint32_t heaviest(const struct weir_evaluator *e, uint32_t tail, uint32_t head, struct weir_ratio ratio)
{
    const struct weir_evaluator_layout *l = &e->layout;
    uint32_t best = WEIR_NO_INDEX;
    weir_wide most = 0;
    for (uint32_t i = l->first_out[tail]; i < l->first_out[tail + 1]; i++) {
        const struct weir_raw_arc *arc = &l->arcs[i];
        if (arc->head != head || l->tokens[i] == WEIR_UNBOUNDED)
            continue;
        int64_t time =
            (arc->finish ? e->pipeline->graph->hi[tail] : 0) + (arc->source != WEIR_NO_INDEX ? e->period[arc->source] : 0);
        weir_wide weight = (weir_wide)time * ratio.denominator - (weir_wide)ratio.numerator * l->tokens[i];
        if (best == WEIR_NO_INDEX || weight > most) {
            best = i;
            most = weight;
        }
    }
    return best;
}

/* The slowest cycle, after weir_evaluator_throughput, which knows the components. */
static enum weir_status find_slowest(const struct weir_sizing_study *s, const struct weir_evaluator *e, struct cycle *c,
                                     struct weir_error *error)
{
    const struct weir_graph *g = &e->graph;
    struct weir_ratios ratios;
    *c = (struct cycle){.count = 0};
    enum weir_status status = weir_ratios_compute(g, g->hi, e->component, &ratios);
    if (status)
        return status == WEIR_MEMORY ? weir_fail_memory(error)
                                     : weir_fail(error, status, "a cycle is longer than can be represented");
    uint32_t slowest = WEIR_NO_ACTOR;
    for (uint32_t o = 0; o < g->actor_count; o++)
        if (ratios.ratio[o].denominator &&
            (slowest == WEIR_NO_ACTOR || weir_ratio_compare(ratios.ratio[o], ratios.ratio[slowest]) > 0))
            slowest = o;
    if (slowest != WEIR_NO_ACTOR) {
        uint32_t on = weir_ratios_cycle(&ratios, slowest, g->actor_count), at = on;
        do {
            uint32_t next = ratios.next[at];
            add_arc(s, e, heaviest(e, e->layout.home[at], e->layout.home[next], ratios.ratio[slowest]), c);
            at = next;
        } while (at != on);
    }
    weir_ratios_free(&ratios);
    return WEIR_OK;
}

/* The arc without tokens by which one of those that wait for ever waits for another of them. */
static uint32_t waits_over(const struct weir_evaluator_layout *l, uint32_t home)
{
    for (uint32_t k = l->first_in[home]; k < l->first_in[home + 1]; k++)
        if (l->tokens[l->by_head[k]] == 0 && l->waiting[l->arcs[l->by_head[k]].tail])
            return l->by_head[k];
    return WEIR_NO_INDEX;
}

/* In a deadlock: back over those that wait for ever, until it goes round. */
static void find_deadlock(const struct weir_sizing_study *s, const struct weir_evaluator *e, struct cycle *c)
{
    const struct weir_evaluator_layout *l = &e->layout;
    uint32_t n = e->graph.actor_count, at = 0;
    *c = (struct cycle){.count = 0};
    while (!l->waiting[at])
        at++;
    for (uint32_t i = 0; i < n; i++)
        at = l->arcs[waits_over(l, at)].tail;
    for (uint32_t on = at;;) {
        uint32_t arc = waits_over(l, at);
        add_arc(s, e, arc, c);
        at = l->arcs[arc].tail;
        if (at == on)
            return;
    }
}

enum weir_status weir_cuts_test(const struct weir_sizing_study *s, struct weir_evaluator *e, struct weir_cuts *cuts, bool *fine,
                                bool *added, struct weir_error *error)
{
    struct weir_ratio period;
    struct cycle cycle;
    *added = false;
    enum weir_status status = weir_evaluator_settle(e, error);
    bool stuck = !status && e->deadlocked;
    *fine = !stuck;
    if (!status && !stuck && cuts->period.denominator) {
        status = weir_evaluator_throughput(e, &period, error);
        *fine = !status && weir_cuts_accept(cuts, period);
    }
    if (status || *fine || !e->in_place || cuts->count >= CUTS_MAX)
        return status;
    if (stuck)
        find_deadlock(s, e, &cycle);
    else
        status = find_slowest(s, e, &cycle, error);
    if (status)
        return status;
    *added = true;
    return add_cut(cuts, &cycle) ? WEIR_OK : weir_fail_memory(error);
}

/* ---- what they demand of a box ---- */

static int64_t places_of(const struct weir_cuts *cuts, const struct weir_capacity_cut *cut, const uint32_t *low)
{
    int64_t places = 0;
    for (size_t i = 0; i < cut->count; i++)
        places += low[cuts->members[cut->first + i]];
    return places;
}

/* Where all others on a cut are as deep as they can be, one must have the rest. False: not even that is enough. */
static bool raise_low(const struct weir_sizing_study *s, const struct weir_cuts *cuts, struct weir_box *box, bool *changed)
{
    uint32_t *low = weir_box_low(box);
    uint8_t *open = weir_box_open(s, box);
    *changed = false;
    for (size_t c = 0; c < cuts->count; c++) {
        const struct weir_capacity_cut *cut = &cuts->items[c];
        const uint32_t *members = cuts->members + cut->first;
        int64_t high = 0;
        for (size_t i = 0; i < cut->count; i++)
            high += open[members[i]] ? s->most[members[i]] : low[members[i]];
        if (high < cut->need)
            return false;
        for (size_t i = 0; i < cut->count; i++) {
            uint32_t q = members[i];
            int64_t must = open[q] ? cut->need - (high - s->most[q]) : 0;
            if (must <= low[q])
                continue;
            low[q] = (uint32_t)must;
            open[q] = low[q] < s->most[q];
            box->known = false;
            *changed = true;
        }
    }
    return true;
}

/* Of the cuts that are not kept yet, the one that adds most to the least cost, at the prices that are left. */
static const struct weir_capacity_cut *dearest(const struct weir_sizing_study *s, const struct weir_cuts *cuts,
                                               struct weir_box *box, const int64_t *price, int64_t *gain, int64_t *each)
{
    const struct weir_capacity_cut *best = NULL;
    uint32_t *low = weir_box_low(box);
    uint8_t *open = weir_box_open(s, box);
    *gain = 0;
    for (size_t c = 0; c < cuts->count; c++) {
        const struct weir_capacity_cut *cut = &cuts->items[c];
        int64_t missing = cut->need - places_of(cuts, cut, low), cheapest = INT64_MAX, product;
        if (missing <= 0)
            continue;
        for (size_t i = 0; i < cut->count; i++) {
            uint32_t q = cuts->members[cut->first + i];
            if (open[q] && price[q] < cheapest)
                cheapest = price[q];
        }
        if (!weir_multiply(missing, cheapest, &product))
            product = INT64_MAX / 2;
        if (product > *gain || (best && product == *gain && product && cut->count < best->count)) {
            best = cut;
            *gain = product;
            *each = cheapest;
        }
    }
    return best;
}

/* Places that are missing must be paid for on the queues of their cut. What one cut has taken of a price, no other takes again: the
 * sum is no more than any way to keep them all costs. */
static void raise_least(const struct weir_sizing_study *s, const struct weir_cuts *cuts, struct weir_box *box)
{
    int64_t price[WEIR_SIZING_QUEUES_MAX], gain, each = 0, least = weir_study_cost(s, weir_box_low(box));
    memcpy(price, s->weight, s->count * sizeof *price);
    for (const struct weir_capacity_cut *cut; (cut = dearest(s, cuts, box, price, &gain, &each)) != NULL;) {
        least = least > WEIR_TIME_MAX - gain ? WEIR_TIME_MAX : least + gain;
        for (size_t i = 0; i < cut->count; i++)
            price[cuts->members[cut->first + i]] -= each;
    }
    box->least = least > box->least ? least : box->least;
}

/* The open queue on the most violated cut that is on the most of others that are violated, for its price. */
static uint32_t choose(const struct weir_sizing_study *s, const struct weir_cuts *cuts, struct weir_box *box)
{
    int64_t helps[WEIR_SIZING_QUEUES_MAX] = {0}, most = 0;
    const struct weir_capacity_cut *worst = NULL;
    uint32_t best = UINT32_MAX, *low = weir_box_low(box);
    for (size_t c = 0; c < cuts->count; c++) {
        const struct weir_capacity_cut *cut = &cuts->items[c];
        int64_t missing = cut->need - places_of(cuts, cut, low);
        if (missing <= 0)
            continue;
        for (size_t i = 0; i < cut->count; i++)
            helps[cuts->members[cut->first + i]]++;
        if (missing > most) {
            most = missing;
            worst = cut;
        }
    }
    for (size_t i = 0; worst && i < worst->count; i++) {
        uint32_t q = cuts->members[worst->first + i];
        if (!weir_box_open(s, box)[q])
            continue;
        weir_wide order = best == UINT32_MAX ? 1 : (weir_wide)helps[q] * s->weight[best] - (weir_wide)helps[best] * s->weight[q];
        if (order > 0 || (order == 0 && q < best))
            best = q;
    }
    return best;
}

bool weir_cuts_apply(const struct weir_sizing_study *s, const struct weir_cuts *cuts, struct weir_box *box, uint32_t *queue)
{
    *queue = UINT32_MAX;
    for (bool changed = true; changed;)
        if (!raise_low(s, cuts, box, &changed))
            return false;
    raise_least(s, cuts, box);
    *queue = choose(s, cuts, box);
    return true;
}
