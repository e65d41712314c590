/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launches take beside others. A launch is accepted if its time is at least its time alone, made longer by all the percent of
 * the worst that may be under way beside it; or, where launches are few enough to find out which those are, at least
 *
 *     its time alone + the sum over those of their time * percent / (100 + percent),
 *
 * measured in 2^-24 of a tick, rounded up. docs/concepts/gpu.md, section 10.
 */
#include "check/gpu/launches_inside.h"

#define FINE_BITS 24
#define FEW 4096 /* launches; of more, any may run beside any */

struct beside {
    struct weir_launches_work *work;
    struct weir_operator_spec *kernels; /* by kernel */
    size_t *first_waiting;              /* by launch: those that wait for it, in `waiting` */
    uint32_t *waiting;
    uint8_t *ordered; /* by launch, of the one at hand: before or behind it, or itself */
};

static uint32_t percent(const struct beside *b, uint32_t v, uint32_t u)
{
    const struct weir_operator_spec *own = &b->kernels[b->work->plan->launches[v].kernel.index];
    enum weir_disturbance other = b->kernels[b->work->plan->launches[u].kernel.index].disturbs;
    if (other == WEIR_DISTURBS_NONE)
        return 0;
    if (other == WEIR_DISTURBS_READ || own->suffers_copy < own->suffers_read)
        return own->suffers_read;
    return own->suffers_copy;
}

static weir_wide fine_up(struct weir_ratio r)
{
    weir_wide fine = (weir_wide)r.numerator << FINE_BITS;
    return (fine + r.denominator - 1) / r.denominator;
}

/* Marks everything that is before or behind a launch, by way of whomever. */
static void mark(struct beside *b, uint32_t v)
{
    const struct weir_launches_work *w = b->work;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < w->count; i++)
        b->ordered[i] = i == v;
    for (uint32_t i = v;;) {
        const struct weir_gpu_launch *l = &w->plan->launches[i];
        for (size_t j = 0; j < l->after_count; j++)
            if (!b->ordered[l->after[j]]) {
                b->ordered[l->after[j]] = true;
                w->stack[depth++] = l->after[j];
            }
        if (depth == 0)
            break;
        i = w->stack[--depth];
    }
    for (uint32_t i = v;;) {
        for (size_t j = b->first_waiting[i]; j < b->first_waiting[i + 1]; j++)
            if (!b->ordered[b->waiting[j]]) {
                b->ordered[b->waiting[j]] = true;
                w->stack[depth++] = b->waiting[j];
            }
        if (depth == 0)
            break;
        i = w->stack[--depth];
    }
}

/* time >= alone * (100 + percent) / 100. Both times are below 2^62 ticks, so that whole and part are compared one by one. */
static bool scaled_holds(const struct weir_gpu_launch *l, uint32_t worst)
{
    /* left / (100 + worst) >= right / 100 */
    struct weir_ratio alone = weir_launches_alone(l);
    weir_wide left = (weir_wide)l->time.numerator * alone.denominator, right = (weir_wide)alone.numerator * l->time.denominator;
    weir_wide a = left / (100 + worst), b = right / 100;
    return a != b ? a > b : (left % (100 + worst)) * 100 >= right % 100 * (100 + worst);
}

static bool launch_holds(struct beside *b, uint32_t v)
{
    struct weir_launches_work *w = b->work;
    const struct weir_gpu_launch *all = w->plan->launches;
    uint32_t worst = 0;
    weir_wide sum = fine_up(weir_launches_alone(&all[v]));
    if (b->waiting)
        mark(b, v);
    for (uint32_t u = 0; u < w->count; u++) {
        uint32_t more = u == v || (b->waiting && b->ordered[u]) ? 0 : percent(b, v, u);
        worst = more > worst ? more : worst;
        if (b->waiting)
            sum += (fine_up(all[u].time) * more + 99 + more) / (100 + more);
    }
    if (scaled_holds(&all[v], worst))
        return true;
    weir_wide given = ((weir_wide)all[v].time.numerator << FINE_BITS) / all[v].time.denominator;
    return (b->waiting && weir_launches_alone(&all[v]).numerator > 0 && sum <= given) ||
           weir_launches_refuse(w, "a launch takes less than it can beside those that slow it down");
}

static bool link_waiting(struct beside *b)
{
    struct weir_launches_work *w = b->work;
    const struct weir_gpu_launch *all = w->plan->launches;
    size_t total = 0;
    for (uint32_t i = 0; i < w->count; i++)
        total += all[i].after_count;
    b->first_waiting = weir_arena_array(&w->arena, (size_t)w->count + 2, sizeof *b->first_waiting);
    b->waiting = weir_arena_array(&w->arena, total + 1, sizeof *b->waiting);
    b->ordered = weir_arena_array(&w->arena, w->count, sizeof *b->ordered);
    if (w->arena.failed)
        return weir_launches_no_memory(w);
    for (uint32_t i = 0; i < w->count; i++)
        for (size_t j = 0; j < all[i].after_count; j++)
            b->first_waiting[all[i].after[j] + 2]++;
    for (uint32_t i = 0; i < w->count; i++)
        b->first_waiting[i + 2] += b->first_waiting[i + 1];
    for (uint32_t i = 0; i < w->count; i++)
        for (size_t j = 0; j < all[i].after_count; j++)
            b->waiting[b->first_waiting[all[i].after[j] + 1]++] = i;
    return true;
}

bool weir_launches_neighbours_hold(struct weir_launches_work *w)
{
    struct beside b = {.work = w, .kernels = weir_arena_array(&w->arena, w->kernels, sizeof *b.kernels)};
    bool suffers = false;
    if (!b.kernels)
        return weir_launches_no_memory(w);
    for (uint32_t v = 0; v < w->kernels; v++) {
        b.kernels[v] = weir_pipeline_operator(w->pipeline, (struct weir_operator){v});
        suffers |= b.kernels[v].suffers_read || b.kernels[v].suffers_copy;
    }
    for (uint32_t v = 0; v < w->count; v++)
        if (weir_ratio_compare(w->plan->launches[v].time, w->plan->bound) > 0)
            return weir_launches_refuse(w, "the bound is less than the longest chain takes");
        else if (weir_ratio_compare(weir_launches_alone(&w->plan->launches[v]), w->plan->launches[v].time) > 0)
            return weir_launches_refuse(w, "a launch takes longer alone than beside others");
    if (suffers && w->count <= FEW && !link_waiting(&b))
        return false;
    for (uint32_t v = 0; suffers && v < w->count; v++)
        if (!launch_holds(&b, v))
            return false;
    return true;
}
