/* SPDX-License-Identifier: Apache-2.0 */
#include "test_launches_truth.h"

#include "base/number.h"

#include <string.h>

#define MOST_UNITS (INT64_C(1) << 50)

struct view {
    const struct weir_gpu_plan *plan;
    const struct weir_pipeline *pipeline;
    struct weir_gpu_spec gpu;
    uint32_t kernels;
    size_t launches;
    int64_t units;                              /* to the tick; all times are whole numbers of them, also divided by the SMs */
    uint32_t before[TRUTH_LAUNCHES];            /* by launch: those that have ended before it begins, as bits */
    bool reach[TRUTH_LAUNCHES][TRUTH_LAUNCHES]; /* by kernel and kernel: the second depends on the first */
};

static weir_wide in_units(const struct view *v, struct weir_ratio r)
{
    return (weir_wide)r.numerator * (v->units / r.denominator);
}

static bool refine(struct view *v, int64_t denominator)
{
    return denominator > 0 && weir_multiply(v->units / weir_greatest_divisor(v->units, denominator), denominator, &v->units) &&
           v->units < MOST_UNITS;
}

static struct weir_operator_spec kernel_of(const struct view *v, uint32_t index)
{
    return weir_pipeline_operator(v->pipeline, (struct weir_operator){index});
}

/* The time of a load on so many SMs, in units; -1: it cannot have that number. */
static weir_wide model_time(const struct view *v, const struct weir_operator_spec *kernel, weir_wide load, uint32_t sms)
{
    for (size_t i = 0; i < kernel->time_count; i++)
        if (kernel->times[i].sms == sms)
            return (weir_wide)kernel->times[i].time * v->units;
    if (kernel->time_count)
        return -1;
    weir_wide least = (weir_wide)(kernel->min_time ? kernel->min_time : v->gpu.min_time) * v->units, time;
    if (kernel->granularity) {
        weir_wide grain = (weir_wide)kernel->granularity * v->units, granules = 0, each = 0;
        while (granules * grain < load)
            granules++;
        while (each * sms < granules)
            each++;
        time = each * grain;
    } else {
        time = load / sms + (load % sms > 0);
    }
    return time > least ? time : least;
}

static bool kernel_is_whole(const struct view *v, uint32_t index)
{
    struct weir_operator_spec kernel = kernel_of(v, index);
    weir_wide done = 0;
    uint32_t parts = 0;
    for (size_t i = 0; i < v->launches; i++)
        parts += v->plan->launches[i].kernel.index == index;
    for (size_t i = 0, part = 0, last = 0; i < v->launches; i++) {
        const struct weir_gpu_launch *l = &v->plan->launches[i];
        if (l->kernel.index != index)
            continue;
        weir_wide load = in_units(v, l->load), time = model_time(v, &kernel, load, l->sms);
        if (load <= 0 || time < 0 || in_units(v, l->time) < time || l->part != ++part || l->parts != parts)
            return false;
        if (v->gpu.sm_step > 1 && l->sms % v->gpu.sm_step)
            return false;
        if (part > 1 && !(v->before[i] >> last & 1))
            return false;
        if (kernel.granularity && part < parts && load % ((weir_wide)kernel.granularity * v->units))
            return false;
        last = i;
        done += load;
    }
    return parts && (parts == 1 || kernel.splittable) && done == (weir_wide)kernel.worst * v->units;
}

/* What it takes beside those that nothing orders with it: all percent of the worst of them, or a share of each of their times.
 * There are only two kinds of percent, so that both sides are whole numbers of units times both of 100 + percent. */
static bool neighbours_are_paid(const struct view *v, size_t i)
{
    const struct weir_gpu_launch *all = v->plan->launches;
    struct weir_operator_spec kernel = kernel_of(v, all[i].kernel.index);
    weir_wide alone = model_time(v, &kernel, in_units(v, all[i].load), all[i].sms), time = in_units(v, all[i].time);
    weir_wide read = kernel.suffers_read, copy = kernel.suffers_copy > kernel.suffers_read ? kernel.suffers_copy : read;
    weir_wide beside[2] = {0}, worst = 0;
    for (size_t j = 0; j < v->launches; j++) {
        enum weir_disturbance does = kernel_of(v, all[j].kernel.index).disturbs;
        if (j == i || v->before[i] >> j & 1 || v->before[j] >> i & 1 || does == WEIR_DISTURBS_NONE)
            continue;
        beside[does == WEIR_DISTURBS_COPY] += in_units(v, all[j].time);
        worst = does == WEIR_DISTURBS_COPY ? copy : worst > read ? worst : read;
    }
    return time * 100 >= alone * (100 + worst) ||
           (time - alone) * (100 + read) * (100 + copy) >= beside[0] * read * (100 + copy) + beside[1] * copy * (100 + read);
}

static bool dependency_is_kept(const struct view *v, struct weir_queue_spec q)
{
    for (size_t i = 0; i < v->launches; i++)
        for (size_t j = 0; j < v->launches; j++)
            if (v->plan->launches[i].kernel.index == q.from.index && v->plan->launches[j].kernel.index == q.to.index &&
                !(v->before[j] >> i & 1))
                return false;
    return true;
}

/* Every set of launches of which none is ordered before another. */
static bool there_is_room(const struct view *v)
{
    for (uint32_t set = 1; set < UINT32_C(1) << v->launches; set++) {
        uint64_t sms = 0, count = 0;
        bool together = true;
        for (size_t i = 0; i < v->launches && together; i++)
            if (set >> i & 1) {
                together = (v->before[i] & set) == 0;
                sms += v->plan->launches[i].sms;
                count++;
            }
        if (together && (sms > v->plan->sms || (v->gpu.max_concurrent && count > v->gpu.max_concurrent)))
            return false;
    }
    return true;
}

static bool chains_are_short(const struct view *v)
{
    weir_wide end[TRUTH_LAUNCHES], overhead = (weir_wide)v->gpu.launch_overhead * v->units, longest = 0;
    for (size_t i = 0; i < v->launches; i++) {
        const struct weir_gpu_launch *l = &v->plan->launches[i];
        weir_wide ready = 0;
        for (size_t j = 0; j < i; j++)
            if (v->before[i] >> j & 1 && end[j] > ready)
                ready = end[j];
        end[i] = ready + overhead + in_units(v, l->time);
        longest = end[i] > longest ? end[i] : longest;
    }
    return longest <= in_units(v, v->plan->bound);
}

/* ---- the lower bound ---- */

static bool lower_is_low(struct view *v)
{
    weir_wide fastest[TRUTH_LAUNCHES], area[TRUTH_LAUNCHES], head[TRUTH_LAUNCHES] = {0}, tail[TRUTH_LAUNCHES] = {0};
    weir_wide claim = in_units(v, v->plan->lower), overhead = (weir_wide)v->gpu.launch_overhead * v->units;
    for (uint32_t k = 0; k < v->kernels; k++) {
        struct weir_operator_spec kernel = kernel_of(v, k);
        fastest[k] = area[k] = -1;
        for (uint32_t sms = 1; sms <= v->plan->sms; sms++) {
            weir_wide time = model_time(v, &kernel, (weir_wide)kernel.worst * v->units, sms);
            if (time >= 0 && (fastest[k] < 0 || time < fastest[k]))
                fastest[k] = time;
            if (time >= 0 && (area[k] < 0 || time * sms < area[k]))
                area[k] = time * sms;
        }
    }
    for (uint32_t round = 0; round < v->kernels; round++)
        for (uint32_t a = 0; a < v->kernels; a++)
            for (uint32_t b = 0; b < v->kernels; b++)
                if (v->reach[a][b]) {
                    weir_wide end = head[a] + overhead + fastest[a], rest = tail[b] + overhead + fastest[b];
                    head[b] = end > head[b] ? end : head[b];
                    tail[a] = rest > tail[a] ? rest : tail[a];
                }
    for (uint32_t a = 0; a < v->kernels; a++) {
        if (claim <= head[a] + overhead + fastest[a] + tail[a])
            return true;
        for (uint32_t b = 0; b < v->kernels; b++) {
            weir_wide areas = 0, places = 0;
            for (uint32_t k = 0; k < v->kernels; k++)
                if (head[k] >= head[a] && tail[k] >= tail[b]) {
                    areas += area[k];
                    places += fastest[k] + overhead;
                }
            if (areas && claim * v->plan->sms <= (head[a] + overhead + tail[b]) * v->plan->sms + areas)
                return true;
            if (places && v->gpu.max_concurrent && (claim - head[a] - tail[b]) * v->gpu.max_concurrent <= places)
                return true;
        }
    }
    return false;
}

/* ---- the whole ---- */

static enum truth look(struct view *v)
{
    const struct weir_gpu_plan *p = v->plan;
    if (v->launches == 0 || v->launches > TRUTH_LAUNCHES || v->kernels > TRUTH_LAUNCHES || p->sms > 1024)
        return TRUTH_UNKNOWN;
    v->units = p->sms ? p->sms : 1;
    if (!refine(v, p->bound.denominator) || !refine(v, p->lower.denominator))
        return TRUTH_UNKNOWN;
    for (size_t i = 0; i < v->launches; i++) {
        const struct weir_gpu_launch *l = &p->launches[i];
        int64_t denominator = 1;
        if (!weir_multiply(l->time.denominator, p->sms, &denominator) || !refine(v, denominator) || !refine(v, l->load.denominator))
            return TRUTH_UNKNOWN;
        if (l->kernel.index >= v->kernels || l->sms == 0)
            return TRUTH_ILLEGAL;
        for (size_t j = 0; j < l->after_count; j++) {
            if (l->after[j] >= i)
                return TRUTH_ILLEGAL;
            v->before[i] |= UINT32_C(1) << l->after[j] | v->before[l->after[j]];
        }
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(v->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(v->pipeline, (struct weir_queue){i});
        v->reach[q.from.index][q.to.index] = true;
        if (!dependency_is_kept(v, q))
            return TRUTH_ILLEGAL;
    }
    for (uint32_t k = 0; k < v->kernels; k++)
        if (!kernel_is_whole(v, k))
            return TRUTH_ILLEGAL;
    for (size_t i = 0; i < v->launches; i++)
        if (!neighbours_are_paid(v, i))
            return TRUTH_ILLEGAL;
    bool legal = there_is_room(v) && chains_are_short(v) && weir_ratio_compare(p->lower, p->bound) <= 0 && lower_is_low(v);
    return legal ? TRUTH_LEGAL : TRUTH_ILLEGAL;
}

enum truth truth_of(const struct weir_gpu_plan *plan)
{
    struct view v = {.plan = plan, .pipeline = plan->pipeline, .launches = plan->launch_count};
    v.gpu = weir_pipeline_gpu(plan->pipeline);
    v.kernels = weir_pipeline_operator_count(plan->pipeline);
    return look(&v);
}
