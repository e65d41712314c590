/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows that begin at the latest enabling of the first of q iterations in a row. From there on the task always has an iteration
 * that is ready and has not ended, so that its processor is never idle, and what runs instead of it can be counted.
 */
#include "check/priority/bounds_window.h"

#include <stdlib.h>

#define CLIPPED_PERIODS 8  /* beyond the claim, how far latest ends are listed */
#define CLIPPED_EACH 1024u /* of one interferer */

static const struct weir_task_graph *graph_of(const struct weir_taskset *set, uint32_t task)
{
    return &set->graphs[set->tasks[task].graph];
}

static void begin(const struct weir_window_claim *c, struct weir_demand *d)
{
    d->period = graph_of(c->set, c->task)->period;
    d->base = 0;
    d->worst = c->set->tasks[c->task].worst;
    d->slot = 0;
    d->count = d->clipped_count = 0;
}

static bool is_urgent(const struct weir_window_claim *c, uint32_t other)
{
    return other != c->task && c->set->tasks[other].priority >= c->set->tasks[c->task].priority;
}

/* An interferer of which nothing but spans is known: two of its iterations begin a period apart at least. */
static struct weir_interferer apart(const struct weir_window_claim *c, uint32_t j, int64_t span)
{
    return (struct weir_interferer){.worst = c->set->tasks[j].worst,
                                    .period = graph_of(c->set, j)->period,
                                    .offset = span,
                                    .span = span,
                                    .depth = WEIR_WINDOW_MAX,
                                    .slot = c->set->tasks[j].slot,
                                    .task = j};
}

void weir_window_jitters(const struct weir_window_claim *c, struct weir_demand *d)
{
    begin(c, d);
    for (size_t k = 0; k < c->sharer_count; k++) {
        uint32_t j = c->sharers[k];
        if (is_urgent(c, j))
            d->interferers[d->count++] = apart(c, j, c->enable_max[j] - c->enable_min[j]);
    }
}

/* By its execution interval. `late` is 1 where one that becomes ready at the very end of the window counts too. */
static struct weir_interferer between(const struct weir_window_claim *c, uint32_t j, int64_t late)
{
    int64_t anchor = c->enable_max[c->task];
    struct weir_interferer f = apart(c, j, c->finish_max[j] - c->enable_min[j]);
    if (c->set->tasks[j].graph != c->set->tasks[c->task].graph)
        return f;
    f.sporadic = graph_of(c->set, j)->sporadic;
    f.offset = anchor - c->enable_min[j] + late;
    f.first = weir_floor_divide(anchor - c->finish_max[j], f.period) + 1;
    if (f.sporadic && f.first > 1)
        f.first = 1;
    f.span += late;
    f.depth = c->distance[j];
    return f;
}

/* For q = 1, 2, ...: the window, and `tail` after it, is within the claim. */
static bool scan(const struct weir_window_claim *c, struct weir_demand *d, int64_t tail)
{
    int64_t beyond = c->finish - c->enable_max[c->task] - tail, window = 0;
    if (beyond < 0)
        return false;
    for (int64_t q = 1; q <= WEIR_WINDOW_ITERATIONS; q++) {
        weir_wide limit = (weir_wide)(q - 1) * d->period + beyond;
        if (limit >= WEIR_WINDOW_MAX || !weir_demand_window(d, q, window, (int64_t)limit, &window))
            return false;
        if (window + tail <= (weir_wide)q * d->period || q >= d->repeat)
            return true;
    }
    return false;
}

bool weir_window_jitter_holds(const struct weir_window_claim *c, struct weir_demand *d)
{
    weir_window_jitters(c, d);
    return weir_demand_measure(d) && scan(c, d, 0);
}

/* ---- latest ends ---- */

static int by_end(const void *a, const void *b)
{
    const struct weir_clipped *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->interferer > y->interferer) - (x->interferer < y->interferer);
}

/* Lists the iterations that must end within the window, if they are known to. */
static bool list_ends(const struct weir_window_claim *c, struct weir_demand *d)
{
    int64_t anchor = c->enable_max[c->task];
    weir_wide horizon = (weir_wide)c->finish - anchor + (weir_wide)CLIPPED_PERIODS * d->period;
    for (size_t k = 0; k < d->count; k++) {
        struct weir_interferer *j = &d->interferers[k];
        if (c->set->tasks[j->task].graph != c->set->tasks[c->task].graph)
            continue;
        for (int64_t m = j->first; j->listed < CLIPPED_EACH && (!j->sporadic || m <= 0); m++) {
            weir_wide end = (weir_wide)c->finish_max[j->task] - anchor + (weir_wide)m * j->period;
            if (end >= horizon || end >= WEIR_WINDOW_MAX)
                break;
            if (!weir_reserve(&d->clipped, &d->clipped_capacity, d->clipped_count + 1, sizeof *d->clipped)) {
                d->memory = true;
                return false;
            }
            d->clipped[d->clipped_count++] = (struct weir_clipped){(int64_t)end, m, k};
            j->listed++;
        }
    }
    if (d->clipped_count > 1)
        qsort(d->clipped, d->clipped_count, sizeof *d->clipped, by_end);
    return true;
}

/* ---- processors of other kinds ---- */

/* Whether some iteration of l, less urgent, can be running when the window begins. */
static bool can_block(const struct weir_window_claim *c, uint32_t l)
{
    if (c->set->tasks[l].graph != c->set->tasks[c->task].graph)
        return true;
    struct weir_interferer f = between(c, l, 0);
    int64_t end = weir_ceil_divide(f.offset, f.period);
    if (f.sporadic && end < 0)
        end = 0;
    return (f.depth < end ? f.depth : end) > f.first;
}

static bool nonpreemptive_holds(const struct weir_window_claim *c, struct weir_demand *d)
{
    int64_t blocking = 0;
    begin(c, d);
    for (size_t k = 0; k < c->sharer_count; k++) {
        uint32_t j = c->sharers[k];
        if (is_urgent(c, j))
            d->interferers[d->count++] = between(c, j, c->set->tasks[j].graph == c->set->tasks[c->task].graph);
        else if (j != c->task && c->set->tasks[j].worst > blocking && can_block(c, j))
            blocking = c->set->tasks[j].worst;
    }
    d->base = blocking - d->worst;
    return weir_demand_measure(d) && scan(c, d, d->worst);
}

static bool round_robin_holds(const struct weir_window_claim *c, struct weir_demand *d)
{
    begin(c, d);
    for (size_t k = 0; k < c->sharer_count; k++)
        if (c->sharers[k] != c->task)
            d->interferers[d->count++] = between(c, c->sharers[k], 0);
    if (!weir_demand_measure(d))
        return false;
    if (scan(c, d, 0))
        return true;
    /* Rounds do not repeat with the periods. */
    d->repeat = INT64_MAX;
    d->slot = c->set->tasks[c->task].slot;
    return scan(c, d, 0);
}

/* q iterations take w(q) = qC + ceil(qC / S) (F - S). With g = gcd(C, S), ceil(qC / S) <= (qC + S - g) / S, so that
 * w(q) - (q - 1)P is at most P + ((S - g)(F - S) - q (SP - CF)) / S, which falls with q. */
static bool tdm_holds(const struct weir_window_claim *c, struct weir_demand *d)
{
    begin(c, d);
    weir_wide worst = d->worst, period = d->period, slot = c->set->tasks[c->task].slot;
    weir_wide frame = c->set->processors[c->set->tasks[c->task].processor].frame;
    weir_wide beyond = (weir_wide)c->finish - c->enable_max[c->task], g = weir_wide_divisor(worst, slot);
    if (slot <= 0 || slot > frame || worst * frame > slot * period)
        return false;
    for (weir_wide q = 1; q <= WEIR_WINDOW_ITERATIONS && d->work > 0; q++, d->work--) {
        weir_wide work = q * worst, window = work + (work + slot - 1) / slot * (frame - slot), gain;
        if (window > (q - 1) * period + beyond)
            return false;
        if (window <= q * period || __builtin_mul_overflow(q + 1, slot * period - worst * frame, &gain) ||
            slot * (period - beyond) + (slot - g) * (frame - slot) <= gain)
            return true;
    }
    return false;
}

bool weir_window_interval_holds(const struct weir_window_claim *c, struct weir_demand *d, bool clip)
{
    uint32_t processor = c->set->tasks[c->task].processor;
    switch (processor == WEIR_OWN_PROCESSOR ? WEIR_PREEMPTIVE : c->set->processors[processor].sharing) {
    case WEIR_NONPREEMPTIVE:
        return nonpreemptive_holds(c, d);
    case WEIR_TDM:
        return tdm_holds(c, d);
    case WEIR_ROUND_ROBIN:
        return round_robin_holds(c, d);
    case WEIR_PREEMPTIVE:
    default:
        break;
    }
    begin(c, d);
    for (size_t k = 0; k < c->sharer_count; k++)
        if (is_urgent(c, c->sharers[k]))
            d->interferers[d->count++] = between(c, c->sharers[k], 0);
    return (!clip || list_ends(c, d)) && weir_demand_measure(d) && scan(c, d, 0);
}
