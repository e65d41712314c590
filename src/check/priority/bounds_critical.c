/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical instants. The window begins when neither the task nor anyone as urgent has anything left to do, z before the latest
 * enabling of the first of q iterations. Interferers of its own graph are then at known offsets; those of another periodic graph
 * have unknown offsets, but one for all of them.
 */
#include "check/priority/bounds_window.h"

#define BUSY_WORK (UINT64_C(1) << 20) /* what looking for the end of a busy period may take */

struct critical {
    const struct weir_window_claim *claim;
    struct weir_demand *jitters; /* periods and jitters only: a window that is never shorter */
    struct weir_demand *demand;
    /* interferers of one other periodic graph stand together behind the first `single` of them */
    size_t single;
    int64_t instant; /* enable_max of the task - z */
};

static bool counts_alone(const struct weir_window_claim *c, uint32_t j)
{
    uint32_t graph = c->set->tasks[j].graph;
    return graph == c->set->tasks[c->task].graph || c->set->graphs[graph].sporadic;
}

/* Own graph and sporadic ones first, then graph by graph. */
static void arrange(struct critical *x)
{
    const struct weir_task *tasks = x->claim->set->tasks;
    struct weir_interferer *list = x->demand->interferers;
    x->single = 0;
    for (size_t k = 0; k < x->demand->count; k++)
        if (counts_alone(x->claim, list[k].task)) {
            struct weir_interferer swap = list[x->single];
            list[x->single++] = list[k];
            list[k] = swap;
        }
    for (size_t k = x->single + 1; k < x->demand->count; k++) {
        struct weir_interferer moved = list[k];
        size_t at = k;
        for (; at > x->single && tasks[list[at - 1].task].graph > tasks[moved.task].graph; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* Sets the offsets of the task's own graph for a window that begins z before the anchor. */
static void move_to(struct critical *x, int64_t z)
{
    const struct weir_window_claim *c = x->claim;
    x->instant = c->enable_max[c->task] - z;
    for (size_t k = 0; k < x->single; k++) {
        struct weir_interferer *j = &x->demand->interferers[k];
        if (c->set->tasks[j->task].graph != c->set->tasks[c->task].graph)
            continue;
        j->sporadic = c->set->graphs[c->set->tasks[j->task].graph].sporadic;
        j->offset = x->instant - c->enable_min[j->task];
        j->first = weir_ceil_divide(x->instant - c->enable_max[j->task], j->period);
        if (j->sporadic && j->first > 1)
            j->first = 1;
        j->depth = c->distance[j->task];
    }
}

/* The interferers first <= k < end of one graph, with the offset at which the latest enabling of the one called `lead` is the
 * beginning of the window. */
static weir_wide work_led_by(struct critical *x, size_t first, size_t end, size_t lead, int64_t window)
{
    const struct weir_window_claim *c = x->claim;
    int64_t enable = c->enable_max[x->demand->interferers[lead].task];
    weir_wide sum = 0;
    for (size_t k = first; k < end; k++) {
        const struct weir_interferer *j = &x->demand->interferers[k];
        int64_t times = weir_ceil_divide(window + enable - c->enable_min[j->task], j->period) -
                        weir_ceil_divide(enable - c->enable_max[j->task], j->period);
        if (times > 0)
            sum += (weir_wide)times * j->worst;
    }
    return sum;
}

/* The demand of all other periodic graphs, each with its worst offset. */
static weir_wide others(struct critical *x, int64_t window, int64_t limit)
{
    const struct weir_task *tasks = x->claim->set->tasks;
    const struct weir_interferer *list = x->demand->interferers;
    weir_wide sum = 0;
    for (size_t first = x->single, end; first < x->demand->count && sum <= limit; first = end) {
        weir_wide most = 0;
        for (end = first + 1; end < x->demand->count && tasks[list[end].task].graph == tasks[list[first].task].graph;)
            end++;
        uint64_t cost = (uint64_t)(end - first) * (end - first);
        if (x->demand->work < cost)
            return (weir_wide)limit + 1;
        x->demand->work -= cost;
        for (size_t lead = first; lead < end && most <= limit; lead++) {
            weir_wide work = work_led_by(x, first, end, lead, window);
            most = work > most ? work : most;
        }
        sum += most;
    }
    return sum;
}

/* The least window with q iterations for the z that is set; false if it is above the limit. */
static bool window_of(struct critical *x, int64_t q, int64_t limit, int64_t *window)
{
    struct weir_demand *d = x->demand;
    size_t all = d->count;
    bool found = false;
    for (*window = 0;;) {
        weir_wide outside = others(x, *window, limit);
        if (outside > limit)
            break;
        /* For that much from outside, the fixed point of the rest; more of the rest may let in more from outside. */
        int64_t before = *window;
        d->base = (int64_t)outside;
        d->count = x->single;
        found = weir_demand_window(d, q, before, limit, window);
        d->count = all;
        if (!found || *window == before)
            break;
        found = false;
    }
    return found;
}

/* All z for one q. *longest becomes the largest window - z, or is left if none is above `matters`. */
static bool instants_hold(struct critical *x, int64_t q, int64_t most, int64_t matters, int64_t *longest)
{
    const struct weir_window_claim *c = x->claim;
    weir_wide allowed = (weir_wide)(q - 1) * x->demand->period + c->finish - c->enable_max[c->task];
    for (size_t lead = 0; lead <= x->single; lead++) {
        int64_t z = 0, step = x->demand->period;
        if (lead < x->single) {
            uint32_t j = x->demand->interferers[lead].task;
            if (c->set->tasks[j].graph != c->set->tasks[c->task].graph)
                continue;
            z = (c->enable_max[c->task] - c->enable_max[j]) % step;
            z += z < 0 ? step : 0;
        } else {
            step = WEIR_WINDOW_MAX; /* z = 0 alone */
        }
        /* A window is never longer than `most`, so that from some z on nothing is left to show. */
        for (; most - z > matters && z < WEIR_WINDOW_MAX; z += step) {
            int64_t window;
            weir_wide limit = allowed + z;
            move_to(x, z);
            if (!window_of(x, q, limit < WEIR_WINDOW_MAX ? (int64_t)limit : WEIR_WINDOW_MAX, &window))
                return false;
            if (window - z > *longest)
                *longest = window - z;
        }
    }
    return true;
}

/* How many iterations of the task one busy period can hold; INT64_MAX if it may go on for ever, or for too long to find out. */
static int64_t most_iterations(struct critical *x)
{
    const struct weir_window_claim *c = x->claim;
    struct weir_demand *d = x->jitters;
    int64_t jitter = c->enable_max[c->task] - c->enable_min[c->task], window, worst = d->worst;
    uint64_t left = x->demand->work, effort = left < BUSY_WORK ? left : BUSY_WORK;
    d->interferers[d->count++] = (struct weir_interferer){
        .worst = worst, .period = d->period, .offset = jitter, .span = jitter, .depth = WEIR_WINDOW_MAX, .task = c->task};
    d->worst = 0;
    d->work = effort;
    bool found = weir_demand_window(d, 1, 1, WEIR_WINDOW_MAX, &window);
    x->demand->work = left - effort + d->work;
    d->worst = worst;
    d->count--;
    if (!found)
        return INT64_MAX;
    int64_t most = weir_ceil_divide(window + jitter, d->period);
    return most > 1 ? most : 1;
}

static bool has_equal(const struct weir_window_claim *c)
{
    for (size_t k = 0; k < c->sharer_count; k++)
        if (c->sharers[k] != c->task && c->set->tasks[c->sharers[k]].priority == c->set->tasks[c->task].priority)
            return true;
    return false;
}

/* One q after the other, until longer busy periods cannot be worse. */
static bool iterations_hold(struct critical *x)
{
    const struct weir_window_claim *c = x->claim;
    struct weir_demand *d = x->demand, *jitters = x->jitters;
    /* With strict priorities a busy period whose q iterations end by the latest enabling of the next one needs no longer look. */
    bool strict = !has_equal(c);
    int64_t last = strict || d->repeat == 1 ? INT64_MAX : most_iterations(x), most = 0;
    for (int64_t q = 1; q <= WEIR_WINDOW_ITERATIONS; q++) {
        jitters->work = d->work;
        bool found = weir_demand_window(jitters, q, most, WEIR_WINDOW_MAX, &most);
        d->work = jitters->work;
        weir_wide ended = (weir_wide)q * d->period, allowed = ended - d->period + c->finish - c->enable_max[c->task];
        if (!found || allowed >= WEIR_WINDOW_MAX)
            return false;
        int64_t longest = (int64_t)(strict && ended < allowed ? ended : allowed);
        if (!instants_hold(x, q, most, longest, &longest))
            return false;
        if (q >= d->repeat || q >= last || (strict && longest <= ended))
            return true;
    }
    return false;
}

bool weir_window_critical_holds(const struct weir_window_claim *c, struct weir_demand *d)
{
    struct weir_demand jitters = *d;
    jitters.interferers += c->sharer_count; /* the second half of the room */
    weir_window_jitters(c, d);
    weir_window_jitters(c, &jitters);
    struct critical x = {.claim = c, .jitters = &jitters, .demand = d};
    if (c->finish - c->enable_max[c->task] < d->worst || !weir_demand_measure(d))
        return false;
    arrange(&x);
    return iterations_hold(&x);
}
