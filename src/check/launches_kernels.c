/* SPDX-License-Identifier: Apache-2.0 */
/* Launches against kernels: the parts of each make up the whole of it, and none of them promises to be faster than the model. */
#include "check/launches_inside.h"

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
            return (weir_wide)kernel->times[i].time * l->time.denominator <= l->time.numerator ||
                   weir_launches_refuse(w, "a launch is faster than the table of its kernel says");
    return weir_launches_refuse(w, "the table of a kernel does not have the number of SMs of a launch");
}

/* Of a load that is at most the kernel's. All products are below 2^127: the kernel's load and granularity are below 2^60. */
static bool time_holds(struct weir_launches_work *w, const struct weir_operator_spec *kernel, const struct weir_gpu_launch *l)
{
    if (kernel->time_count)
        return in_table(w, kernel, l);
    int64_t least = kernel->min_time ? kernel->min_time : w->gpu.min_time;
    if ((weir_wide)least * l->time.denominator > l->time.numerator)
        return weir_launches_refuse(w, "a launch takes less than the least time");
    if (kernel->granularity) {
        weir_wide granules = divide_up(l->load.numerator, (weir_wide)l->load.denominator * kernel->granularity);
        weir_wide time = divide_up(granules, l->sms) * kernel->granularity;
        return time * l->time.denominator <= l->time.numerator ||
               weir_launches_refuse(w, "a launch takes less than its fullest SM has granules");
    }
    /* load <= time * sms, without a product of three. */
    weir_wide asked = (weir_wide)l->load.numerator * l->time.denominator;
    weir_wide given = (weir_wide)l->time.numerator * l->load.denominator;
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
    if (l->sms == 0 || l->load.numerator == 0 || l->time.numerator == 0)
        return weir_launches_refuse(w, "a launch has no SMs, no load or no time");
    if (l->sms > w->plan->sms)
        return weir_launches_refuse(w, "a launch has more SMs than there are");
    if (!add_load(w, &kernel, l->load, sum))
        return false;
    if (kernel.granularity && l->part < l->parts && l->load.numerator % ((weir_wide)l->load.denominator * kernel.granularity) != 0)
        return weir_launches_refuse(w, "a part that is not the last is not a whole number of granules");
    return time_holds(w, &kernel, l);
}

bool weir_launches_kernels_hold(struct weir_launches_work *w)
{
    struct sum *sums = weir_array_zeroed(w->kernels, sizeof *sums);
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
    weir_free(sums);
    return holds;
}
