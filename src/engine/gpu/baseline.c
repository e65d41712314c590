/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What plans are compared with. Greedy: every kernel on as many SMs as make it faster; were they to run one after the other, the
 * sum of their times would be the bound.
 *
 * Graham: every kernel as blocks of the least time t, in any order that leaves no SM idle while a block is ready. At each moment
 * all SMs are busy, or some chain of launches makes headway, running or within its overhead d; so with W the time of all blocks, on
 * M SMs, the whole takes at most
 *
 *     max over chains of sum (d + t) + (W - sum t) / M,
 *
 * for d = 0 the classic L + (W - L) / M. Where the number of launches under way is limited a ready one may have to wait although
 * SMs are idle, and the argument fails; and so it does where a device waits until all blocks of a launch fit.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sorted.h"
#include "engine/gpu/fill.h"
#include "engine/gpu/plan.h"
#include "model/pipeline.h"

#include <stdlib.h>

static const char one_by_one[] = "it holds only where the device places all blocks of one kernel before those of the next";
static const char any_block[] =
    "it holds only where a free SM takes a ready block at once; a launch that waits for SMs for all its "
    "blocks leaves some idle";
static const char no_place[] = "a launch that is ready may find no free slot among the launches in progress, although SMs are idle";

/* Every launch is a kernel, and waits for those it depends on. */
static bool order(const struct weir_gpu_system *s, struct weir_gpu_flow *f)
{
    const struct weir_kernels *k = s->kernels;
    uint32_t *launch = weir_array(k->count, sizeof *launch);
    f->after = weir_array(k->edge_count, sizeof *f->after);
    if (!launch || !f->after) {
        weir_free(launch);
        return false;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t v = f->launches[i].kernel;
        launch[v] = i;
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            f->after[count++] = launch[k->before[j]];
        qsort(f->after + f->first_after[i], count - f->first_after[i], sizeof *f->after, weir_ascending_u32);
        f->first_after[i + 1] = count;
    }
    weir_free(launch);
    return true;
}

/* Blocks of the least time: their number is known, and fits. */
static enum weir_status check_least(const struct weir_gpu_system *s, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    for (uint32_t v = 0; v < s->kernels->count; v++) {
        const struct weir_kernel *k = &s->kernels->kernels[v];
        const char *name = weir_quote(s->pipeline->operators[v].name, quoted);
        if (k->times)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" has a table of times; this method needs a load and a least time",
                             name);
        if (k->min_time == 0)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" has no least time (min-time), which this method cuts loads into",
                             name);
        if (weir_gpu_usable(s, v, s->load[v]) == UINT32_MAX)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" would be more blocks than can be represented", name);
    }
    return WEIR_OK;
}

/* ---- greedy ---- */

enum weir_status weir_gpu_greedy(const struct weir_gpu_system *s, bool unaware, struct weir_gpu_result *result,
                                 struct weir_error *error)
{
    const struct weir_kernels *k = s->kernels;
    struct weir_gpu_draft draft = {0};
    enum weir_status status = unaware ? check_least(s, error) : WEIR_OK;
    if (status)
        return status;
    *result = (struct weir_gpu_result){.timing = WEIR_GPU_BY_GROUPS, .why = one_by_one};
    bool done = true;
    for (uint32_t i = 0; i < k->count && done; i++) {
        uint32_t v = k->order[i];
        uint32_t sms = unaware ? weir_gpu_usable(s, v, s->load[v]) : weir_gpu_widest(s, v, s->load[v], s->sms);
        done = weir_gpu_draft_add(&draft, &(struct weir_gpu_piece){.kernel = v, .sms = sms, .group = i, .load = s->load[v]});
    }
    done = done && weir_gpu_flow_begin(s, &draft, &result->flow) && order(s, &result->flow);
    weir_gpu_draft_free(&draft);
    if (!done)
        weir_gpu_flow_free(&result->flow);
    return done ? WEIR_OK : weir_fail_memory(error);
}

/* ---- Graham ---- */

/* Of a block of the least time, in fine ticks: at least a granule is in it. */
static int64_t block_time(const struct weir_gpu_system *s, uint32_t v)
{
    return s->granularity[v] > s->least[v] ? s->granularity[v] : s->least[v];
}

/* By levels, so that launches of a group do not wait for each other. */
static bool draw_up(const struct weir_gpu_system *s, struct weir_gpu_draft *draft)
{
    const struct weir_kernels *k = s->kernels;
    struct weir_arena scratch = {0};
    uint32_t *level = weir_arena_array(&scratch, k->count, sizeof *level);
    uint32_t *start = weir_arena_array(&scratch, (size_t)k->count + 1, sizeof *start);
    bool done = !scratch.failed && weir_reserve(&draft->pieces, &draft->capacity, k->count, sizeof *draft->pieces);
    for (uint32_t i = 0; i < k->count && done; i++) {
        uint32_t v = k->order[i];
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            level[v] = level[k->before[j]] + 1 > level[v] ? level[k->before[j]] + 1 : level[v];
        start[level[v] + 1]++;
        draft->groups = level[v] + 1 > draft->groups ? level[v] + 1 : draft->groups;
    }
    for (uint32_t i = 0; i < draft->groups; i++)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < k->count && done; i++) {
        uint32_t v = k->order[i];
        draft->pieces[start[level[v]]++] =
            (struct weir_gpu_piece){.kernel = v, .sms = weir_gpu_usable(s, v, s->load[v]), .group = level[v], .load = s->load[v]};
    }
    draft->count = done ? k->count : 0;
    weir_arena_free(&scratch);
    return done;
}

/* The chain that is longest, times the number of SMs, and the work. */
static bool find_bound(const struct weir_gpu_system *s, struct weir_gpu_result *result)
{
    const struct weir_gpu_flow *f = &result->flow;
    weir_wide work = 0, longest = 0, *chain = weir_array(f->count, sizeof *chain);
    if (!chain)
        return false;
    for (size_t i = 0; i < f->count; i++) {
        weir_wide before = 0;
        for (size_t j = f->first_after[i]; j < f->first_after[i + 1]; j++)
            before = chain[f->after[j]] > before ? chain[f->after[j]] : before;
        chain[i] = before + (weir_wide)s->overhead * s->sms + (weir_wide)f->time[i] * (s->sms - 1);
        longest = chain[i] > longest ? chain[i] : longest;
        work += (weir_wide)f->time[i] * f->launches[i].sms;
    }
    result->bound = weir_gpu_ticks_up(s, longest + work, s->sms);
    weir_free(chain);
    return true;
}

enum weir_status weir_gpu_graham(const struct weir_gpu_system *s, struct weir_gpu_result *result, struct weir_error *error)
{
    struct weir_gpu_draft draft = {0};
    enum weir_status status = check_least(s, error);
    if (status)
        return status;
    *result = (struct weir_gpu_result){.timing = WEIR_GPU_BY_CHAINS, .timed = true};
    result->why = s->places < s->kernels->count ? no_place : any_block;
    struct weir_gpu_flow *f = &result->flow;
    bool done = draw_up(s, &draft) && weir_gpu_flow_begin(s, &draft, f) && order(s, f) &&
                (f->time = weir_arena_array(&f->arena, f->count, sizeof *f->time));
    for (size_t i = 0; i < f->count && done; i++)
        f->time[i] = block_time(s, f->launches[i].kernel);
    done = done && find_bound(s, result);
    weir_gpu_draft_free(&draft);
    if (!done)
        weir_gpu_flow_free(f);
    return done ? WEIR_OK : weir_fail_memory(error);
}
