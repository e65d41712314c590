/* SPDX-License-Identifier: Apache-2.0 */
/* Launches against kernels: the parts of each make up the whole of it, and none of them promises to be faster than the model. */
#include "check/big.h"
#include "check/gpu/launches_inside.h"

/* What is launched of a kernel so far. */
struct sum {
    weir_wide load; /* divided by the unit; at most the kernel's */
    int64_t unit;
    uint32_t part, parts;
};

/* a / b rounded up; a >= 0, b > 0. */
static weir_wide divide_up(weir_wide a, weir_wide b)
{
    return a / b + (a % b > 0);
}

static bool in_table(struct weir_launches_work *w, const struct weir_operator_spec *kernel, const struct weir_gpu_launch *l)
{
    for (size_t i = 0; i < kernel->time_count; i++)
        if (kernel->times[i].sms == l->sms)
            return (weir_wide)kernel->times[i].time * weir_launches_alone(l).denominator <= weir_launches_alone(l).numerator ||
                   weir_launches_refuse(w, "a launch is faster than the table of its kernel says");
    return weir_launches_refuse(w, "the table of a kernel does not have the number of SMs of a launch");
}

/* Of a load that is at most the kernel's. All products are below 2^127: the kernel's load and granularity are below 2^60. */
static bool time_holds(struct weir_launches_work *w, const struct weir_operator_spec *kernel, const struct weir_gpu_launch *l)
{
    if (kernel->time_count)
        return in_table(w, kernel, l);
    int64_t least = kernel->min_time ? kernel->min_time : w->gpu.min_time;
    if ((weir_wide)least * weir_launches_alone(l).denominator > weir_launches_alone(l).numerator)
        return weir_launches_refuse(w, "a launch takes less than the least time");
    if (kernel->granularity) {
        weir_wide granules = divide_up(l->load.numerator, (weir_wide)l->load.denominator * kernel->granularity);
        weir_wide time = divide_up(granules, l->sms) * kernel->granularity;
        return time * weir_launches_alone(l).denominator <= weir_launches_alone(l).numerator ||
               weir_launches_refuse(w, "a launch takes less than its fullest SM has granules");
    }
    /* load <= time * sms, without a product of three. */
    weir_wide asked = (weir_wide)l->load.numerator * weir_launches_alone(l).denominator;
    weir_wide given = (weir_wide)weir_launches_alone(l).numerator * l->load.denominator;
    return divide_up(asked, given) <= l->sms || weir_launches_refuse(w, "a launch takes less than its load on its SMs");
}

static bool add_load(struct weir_launches_work *w, const struct weir_operator_spec *kernel, struct weir_ratio load, struct sum *sum)
{
    int64_t unit;
    if (!weir_multiply(sum->unit / weir_greatest_divisor(sum->unit, load.denominator), load.denominator, &unit) ||
        unit >= INT64_C(1) << 62)
        return weir_launches_refuse(w, "the loads of the parts of a kernel have no common unit");
    sum->load = sum->load * (unit / sum->unit) + (weir_wide)load.numerator * (unit / load.denominator);
    sum->unit = unit;
    return sum->load <= (weir_wide)kernel->worst * unit ||
           weir_launches_refuse(w, "the launches of a kernel do more than its load");
}

static bool launch_holds(struct weir_launches_work *w, uint32_t i, struct sum *sums)
{
    const struct weir_gpu_launch *l = &w->plan->launches[i];
    struct weir_operator_spec kernel = weir_pipeline_operator(w->pipeline, l->kernel);
    struct sum *sum = &sums[l->kernel.index];
    w->part_before[i] = w->last[l->kernel.index];
    w->last[l->kernel.index] = i;
    if (l->part != sum->part + 1 || l->part > l->parts || (sum->part && l->parts != sum->parts))
        return weir_launches_refuse(w, "the parts of a kernel are not numbered in order, or one is there twice");
    sum->part = l->part;
    sum->parts = l->parts;
    if (l->parts > 1 && (!kernel.splittable || kernel.time_count))
        return weir_launches_refuse(w, "a kernel that may not be split is launched in parts");
    if (l->sms == 0 || l->load.numerator == 0 || weir_launches_alone(l).numerator == 0)
        return weir_launches_refuse(w, "a launch has no SMs, no load or no time");
    if (l->sms > w->plan->sms)
        return weir_launches_refuse(w, "a launch has more SMs than there are");
    if (w->gpu.sm_step > 1 && l->sms % w->gpu.sm_step != 0)
        return weir_launches_refuse(w, "the SMs of a launch are not a multiple of the step");
    if (!add_load(w, &kernel, l->load, sum))
        return false;
    if (kernel.granularity && l->part < l->parts && l->load.numerator % ((weir_wide)l->load.denominator * kernel.granularity) != 0)
        return weir_launches_refuse(w, "a part that is not the last is not a whole number of granules");
    return time_holds(w, &kernel, l);
}

bool weir_launches_kernels_hold(struct weir_launches_work *w)
{
    struct sum *sums = weir_arena_array(&w->arena, w->kernels, sizeof *sums);
    uint32_t split = 0;
    bool holds = sums || weir_launches_no_memory(w);
    for (uint32_t v = 0; holds && v < w->kernels; v++) {
        w->last[v] = WEIR_LAUNCHES_NONE;
        sums[v].unit = 1;
    }
    for (uint32_t i = 0; holds && i < w->count; i++)
        holds = launch_holds(w, i, sums);
    for (uint32_t v = 0; holds && v < w->kernels; v++) {
        struct weir_operator_spec kernel = weir_pipeline_operator(w->pipeline, (struct weir_operator){v});
        split += sums[v].parts > 1;
        if (sums[v].part == 0)
            holds = weir_launches_refuse(w, "a kernel is not launched");
        else if (sums[v].part < sums[v].parts)
            holds = weir_launches_refuse(w, "a part of a kernel is not launched");
        else if (sums[v].load != (weir_wide)kernel.worst * sums[v].unit)
            holds = weir_launches_refuse(w, "the launches of a kernel do less than its load");
    }
    if (holds && split != w->plan->split_count)
        holds = weir_launches_refuse(w, "the number of kernels that are split is wrong");
    return holds;
}

/* ---- tokens ---- */

/*
 * Tokens. Launches under way together wait for none of each other. Cut the plan between all that at least one of them waits for,
 * and the rest: every token they hold crosses the cut, no launch hands on more than it took over, and what one took over came from
 * its own side; so no more cross the cut than there were at the beginning.
 */
struct held {
    uint64_t sms, places;
};

static bool add(struct held *held, const struct weir_gpu_token *token)
{
    return !__builtin_add_overflow(held->sms, token->sms, &held->sms) &&
           !__builtin_add_overflow(held->places, token->places, &held->places);
}

static bool token_holds(struct weir_launches_work *w, const struct weir_gpu_token *token, struct held *taken, struct held *handed)
{
    if (token->to >= w->count)
        return weir_launches_refuse(w, "a token is for no launch");
    const struct weir_gpu_launch *to = &w->plan->launches[token->to];
    if (token->from != WEIR_GPU_BEGIN && weir_launches_find(to, token->from) == to->after_count)
        return weir_launches_refuse(w, "a token is from a launch that its taker does not wait for");
    if (token->places && w->gpu.max_concurrent == 0)
        return weir_launches_refuse(w, "a token has places, but the model has none");
    struct held *from = &handed[token->from == WEIR_GPU_BEGIN ? w->count : token->from];
    return (add(from, token) && add(&taken[token->to], token)) ||
           weir_launches_refuse(w, "tokens are more than can be represented");
}

bool weir_launches_tokens_hold(struct weir_launches_work *w)
{
    const struct weir_gpu_plan *p = w->plan;
    struct held *taken = weir_arena_array(&w->arena, (size_t)w->count + 1, sizeof *taken);
    struct held *handed = weir_arena_array(&w->arena, (size_t)w->count + 1, sizeof *handed);
    bool holds = !w->arena.failed || weir_launches_no_memory(w);
    for (size_t i = 0; holds && i < p->token_count; i++)
        holds = token_holds(w, &p->tokens[i], taken, handed);
    for (uint32_t i = 0; holds && i < w->count; i++)
        if (taken[i].sms < p->launches[i].sms)
            holds = weir_launches_refuse(w, "a launch takes over fewer SMs than it uses");
        else if (taken[i].places == 0 && w->gpu.max_concurrent)
            holds = weir_launches_refuse(w, "a launch takes over no place");
        else if (handed[i].sms > taken[i].sms || handed[i].places > taken[i].places)
            holds = weir_launches_refuse(w, "a launch hands on more than it took over");
    if (holds && (handed[w->count].sms > p->sms || handed[w->count].places > w->gpu.max_concurrent))
        holds = weir_launches_refuse(w, "more is handed out at the beginning than there is");
    return holds;
}

/* ---- starts ---- */

/* The picture of a plan: no launch begins before the overhead has passed since all it waits for ended, none ends after the bound.
 */
/* Whether a + b + c <= d. Products of the denominators have three limbs, and sums of products four. */
static bool fits(struct weir_ratio a, struct weir_ratio b, int64_t c, struct weir_ratio d)
{
    struct weir_ratio terms[] = {a, b, {c, 1}, d};
    struct weir_big sum;
    weir_big_set(&sum, 0);
    for (unsigned i = 0; i < 4; i++) {
        struct weir_big term;
        weir_big_set(&term, terms[i].numerator);
        for (unsigned j = 0; j < 4; j++)
            if (j != i)
                weir_big_multiply(&term, terms[j].denominator);
        if (i < 3)
            weir_big_add(&sum, &term);
        else
            weir_big_subtract(&sum, &term);
    }
    return sum.negative || sum.count == 0;
}

bool weir_launches_starts_hold(struct weir_launches_work *w)
{
    const struct weir_gpu_launch *all = w->plan->launches;
    struct weir_ratio zero = {0, 1};
    for (uint32_t i = 0; i < w->count; i++) {
        const struct weir_gpu_launch *l = &all[i];
        if (!fits(l->start, l->time, 0, w->plan->bound))
            return weir_launches_refuse(w, "a launch is drawn to end after the bound");
        bool kept = fits(zero, zero, w->gpu.launch_overhead, l->start);
        for (size_t j = 0; kept && j < l->after_count; j++)
            kept = fits(all[l->after[j]].start, all[l->after[j]].time, w->gpu.launch_overhead, l->start);
        if (!kept)
            return weir_launches_refuse(w, "a launch is drawn to begin before it may");
    }
    return true;
}
