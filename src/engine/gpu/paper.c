/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithm 2 and Equation 9 as printed, where print leaves no choice. The widths of Equation 5 are rounded to the nearest, halves
 * up, at least 1. Fillers are launched while the idle area lasts, each on as many of the idle SMs as it can use, as if no other
 * were there. Let R be the longest of a group's own kernels: what was released and is not done waits for R in later groups, and
 * what depends on R waits for the group's fillers. Nothing else is ordered, which is why the bound does not hold.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "engine/gpu/fill.h"
#include "engine/gpu/plan.h"

#include <stdlib.h>

struct step {
    uint32_t longest; /* the launch R */
    uint32_t first;   /* fillers: launches first .. end - 1 */
    uint32_t end;
};

struct paper {
    struct weir_gpu_filling filling;
    struct weir_gpu_draft draft;
    struct step *steps;
    size_t step_capacity;
    uint32_t *since;        /* by kernel: it waits for R of the groups from this one on */
    uint32_t *launch_since; /* by launch: what `since` was */
    size_t since_capacity;
    uint32_t *longest_of; /* by kernel: the group whose R it is, or UINT32_MAX */
    uint32_t *last;       /* by kernel: its last launch so far, or UINT32_MAX */
};

/* A table has only some widths. */
static uint32_t available(const struct weir_gpu_system *s, uint32_t v, uint32_t width)
{
    const struct weir_kernel *k = &s->kernels->kernels[v];
    if (!k->times)
        return width;
    uint32_t found = k->times[0].sms;
    for (uint32_t i = 1; i < k->time_count && k->times[i].sms <= width; i++)
        found = k->times[i].sms;
    return found;
}

static bool launch(struct paper *p, uint32_t v, int64_t load, uint32_t sms)
{
    size_t count = p->draft.count;
    if (!weir_reserve(&p->launch_since, &p->since_capacity, count + 1, sizeof *p->launch_since))
        return false;
    p->launch_since[count] = p->since[v];
    p->since[v] = p->filling.group;
    return weir_gpu_filling_launch(&p->filling, v, load, sms);
}

/* Equation 5: in proportion to the load. */
static bool launch_own(struct paper *p)
{
    struct weir_gpu_filling *f = &p->filling;
    const struct weir_gpu_system *s = f->system;
    weir_wide sum = 0;
    for (uint32_t i = 0; i < f->own_count; i++)
        sum += f->left[f->own[i]];
    for (uint32_t i = 0; i < f->own_count; i++) {
        uint32_t v = f->own[i], usable = weir_gpu_usable(s, v, f->left[v]);
        uint32_t width = (uint32_t)((2 * (weir_wide)f->left[v] * s->sms + sum) / (2 * sum));
        width = width > 1 ? width : 1;
        if (!launch(p, v, f->left[v], available(s, v, width < usable ? width : usable)))
            return false;
    }
    return true;
}

/* How much of a kernel is launched into the idle area; 0: nothing. */
static int64_t portion(const struct weir_gpu_filling *f, uint32_t v, int64_t area)
{
    int64_t grain = f->system->granularity[v];
    if (f->left[v] <= area)
        return f->left[v];
    if (!weir_gpu_splittable(f->system, v))
        return 0;
    return grain ? area / grain * grain : area;
}

static bool launch_fillers(struct paper *p, struct weir_ratio longest, int64_t spare)
{
    struct weir_gpu_filling *f = &p->filling;
    const struct weir_gpu_system *s = f->system;
    weir_wide idle = (weir_wide)longest.numerator * spare * s->scale / longest.denominator;
    int64_t area = idle < INT64_MAX ? (int64_t)idle : INT64_MAX;
    uint32_t rank = 0, launches = f->own_count;
    while (area > 0 && launches < s->places) {
        uint32_t v = weir_gpu_filling_next(f, &rank);
        if (v == UINT32_MAX)
            break;
        int64_t load = portion(f, v, area);
        if (load == 0)
            continue;
        uint32_t usable = weir_gpu_usable(s, v, load), width = usable < spare ? usable : (uint32_t)spare;
        struct weir_gpu_piece piece = {.kernel = v, .sms = available(s, v, width), .load = load};
        /* Longer than the group only with tables, granularities and least times of kernels, which the paper does not have. */
        if (piece.sms > spare || weir_ratio_compare(weir_gpu_exact_time(s, &piece), longest) > 0)
            continue;
        if (!launch(p, v, load, piece.sms))
            return false;
        area = f->left[v] ? 0 : area - load;
        launches++;
    }
    return true;
}

static bool do_group(struct paper *p)
{
    struct weir_gpu_filling *f = &p->filling;
    if (!weir_reserve(&p->steps, &p->step_capacity, (size_t)f->group + 1, sizeof *p->steps))
        return false;
    struct step *step = &p->steps[f->group];
    size_t first = p->draft.count;
    if (!launch_own(p))
        return false;
    struct weir_ratio longest = {0, 1};
    int64_t spare = f->system->sms;
    for (size_t i = first; i < p->draft.count; i++) {
        struct weir_ratio time = weir_gpu_exact_time(f->system, &p->draft.pieces[i]);
        spare -= p->draft.pieces[i].sms;
        if (weir_ratio_compare(time, longest) > 0) {
            longest = time;
            step->longest = (uint32_t)i;
        }
    }
    p->longest_of[p->draft.pieces[step->longest].kernel] = f->group;
    step->first = (uint32_t)p->draft.count;
    if (spare > 0 && !launch_fillers(p, longest, spare))
        return false;
    step->end = (uint32_t)p->draft.count;
    /* Released from the next group on. */
    const struct weir_kernels *k = f->system->kernels;
    for (size_t i = first; i < p->draft.count; i++)
        for (uint32_t v = p->draft.pieces[i].kernel, j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++)
            p->since[k->dependents[j]] = f->group + 1;
    weir_gpu_filling_end(f);
    return true;
}

/* ---- what waits for what ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The launches that launch i waits for, ascending, some of them repeatedly, into `after`; how many. NULL only counts. */
static size_t list_after(const struct paper *p, uint32_t i, uint32_t *after)
{
    const struct weir_kernels *k = p->filling.system->kernels;
    const struct weir_gpu_piece *piece = &p->draft.pieces[i];
    uint32_t v = piece->kernel;
    size_t count = 0;
    if (p->last[v] != UINT32_MAX) {
        if (after)
            after[count] = p->last[v];
        count++;
    }
    for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1] && p->last[v] == UINT32_MAX; j++) {
        uint32_t u = k->before[j], group = p->longest_of[u];
        if (after)
            after[count] = p->last[u];
        count++;
        if (group == UINT32_MAX)
            continue;
        for (uint32_t x = p->steps[group].first; after && x < p->steps[group].end; x++)
            after[count + x - p->steps[group].first] = x;
        count += p->steps[group].end - p->steps[group].first;
    }
    for (uint32_t group = p->launch_since[i]; after && group < piece->group; group++)
        after[count + group - p->launch_since[i]] = p->steps[group].longest;
    count += piece->group - p->launch_since[i];
    if (after)
        qsort(after, count, sizeof *after, by_number);
    return count;
}

static enum weir_status order(struct paper *p, struct weir_gpu_flow *flow)
{
    uint64_t total = 0;
    size_t kept = 0;
    for (uint32_t i = 0; i < flow->count; i++) {
        total += list_after(p, i, NULL);
        p->last[flow->launches[i].kernel] = i;
    }
    if (total > WEIR_GPU_AFTER_MAX)
        return WEIR_OVERFLOW;
    flow->after = weir_array((size_t)total, sizeof *flow->after);
    if (!flow->after)
        return WEIR_MEMORY;
    for (uint32_t v = 0; v < p->filling.system->kernels->count; v++)
        p->last[v] = UINT32_MAX;
    for (uint32_t i = 0; i < flow->count; i++) {
        size_t count = list_after(p, i, flow->after + kept), first = kept;
        for (size_t j = 0; j < count; j++)
            if (j == 0 || flow->after[first + j] != flow->after[kept - 1])
                flow->after[kept++] = flow->after[first + j];
        flow->first_after[i + 1] = kept;
        p->last[flow->launches[i].kernel] = i;
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status make(struct paper *p, struct weir_gpu_flow *flow)
{
    uint32_t n = p->filling.system->kernels->count;
    for (uint32_t v = 0; v < n; v++)
        p->longest_of[v] = p->last[v] = UINT32_MAX;
    while (weir_gpu_filling_begin(&p->filling))
        if (!do_group(p))
            return WEIR_MEMORY;
    return weir_gpu_flow_begin(p->filling.system, &p->draft, flow) ? order(p, flow) : WEIR_MEMORY;
}

enum weir_status weir_gpu_paper_flow(const struct weir_gpu_system *s, const struct weir_gpu_division *division,
                                     struct weir_gpu_flow *flow)
{
    struct weir_arena scratch = {0};
    struct paper p = {.since = weir_arena_array(&scratch, s->kernels->count, sizeof *p.since),
                      .longest_of = weir_arena_array(&scratch, s->kernels->count, sizeof *p.longest_of),
                      .last = weir_arena_array(&scratch, s->kernels->count, sizeof *p.last)};
    *flow = (struct weir_gpu_flow){0};
    enum weir_status status = scratch.failed ? WEIR_MEMORY : WEIR_OK;
    if (!status)
        status = weir_gpu_filling_open(s, division, &p.draft, &p.filling);
    if (!status)
        status = make(&p, flow);
    if (status)
        weir_gpu_flow_free(flow);
    weir_gpu_filling_close(&p.filling);
    weir_gpu_draft_free(&p.draft);
    weir_free(p.steps);
    weir_free(p.launch_since);
    weir_arena_free(&scratch);
    return status;
}
