/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/plan.h"
#include "base/alloc.h"
#include "engine/gpu/fill.h"

#include <string.h>

/* What a plan points into. */
struct whole {
    struct weir_gpu_plan plan; /* first, so that it can be freed by its address */
    struct weir_gpu_flow flow;
    struct weir_gpu_launch *launches;
    struct weir_gpu_edge *added;
};

void weir_gpu_plan_free(struct weir_gpu_plan *plan)
{
    if (!plan)
        return;
    struct whole *whole = (struct whole *)plan;
    weir_gpu_flow_free(&whole->flow);
    weir_free(whole);
}

bool weir_gpu_flow_begin(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft, struct weir_gpu_flow *flow)
{
    size_t count = draft->count;
    uint32_t *parts = weir_array_zeroed(s->kernels->count, sizeof *parts);
    *flow = (struct weir_gpu_flow){
        .count = count,
        .groups = draft->groups,
    };
    flow->launches = weir_arena_array(&flow->arena, count, sizeof *flow->launches);
    flow->part = weir_arena_array(&flow->arena, count, sizeof *flow->part);
    flow->parts = weir_arena_array(&flow->arena, count, sizeof *flow->parts);
    flow->first_after = weir_arena_array(&flow->arena, count + 1, sizeof *flow->first_after);
    bool done = parts && !flow->arena.failed;
    for (size_t i = 0; i < count && done; i++) {
        flow->launches[i] = draft->pieces[i];
        flow->part[i] = ++parts[draft->pieces[i].kernel];
    }
    for (size_t i = 0; i < count && done; i++)
        flow->parts[i] = parts[draft->pieces[i].kernel];
    weir_free(parts);
    return done;
}

/* ---- times ---- */

/* Until all blocks of a launch have ended, from when the first begins. */
static struct weir_ratio lasting(const struct weir_gpu_system *s, const struct weir_gpu_launch *launch)
{
    int64_t waves = launch->sms / s->sms + (launch->sms % s->sms > 0), numerator;
    if (waves == 1)
        return launch->time;
    if (weir_multiply(launch->time.numerator, waves, &numerator))
        return weir_ratio_reduce((struct weir_ratio){numerator, launch->time.denominator});
    return weir_ratio_reduce((struct weir_ratio){launch->time.numerator, launch->time.denominator / waves});
}

static struct weir_ratio later(struct weir_ratio a, struct weir_ratio b)
{
    return weir_ratio_compare(a, b) < 0 ? b : a;
}

static struct weir_ratio time_by_groups(const struct weir_gpu_system *s, struct whole *w)
{
    struct weir_ratio overhead = {s->kernels->gpu.launch_overhead, 1}, end = {0, 1};
    for (size_t i = 0; i < w->flow.count;) {
        struct weir_ratio longest = {0, 1}, start = weir_gpu_sum_up(s, end, overhead);
        for (uint32_t group = w->launches[i].group; i < w->flow.count && w->launches[i].group == group; i++) {
            w->launches[i].start = start;
            longest = later(longest, lasting(s, &w->launches[i]));
        }
        end = weir_gpu_sum_up(s, start, longest);
    }
    return end;
}

static struct weir_ratio time_by_chains(const struct weir_gpu_system *s, struct whole *w, struct weir_ratio *ends)
{
    struct weir_ratio overhead = {s->kernels->gpu.launch_overhead, 1}, last = {0, 1};
    for (size_t i = 0; i < w->flow.count; i++) {
        struct weir_gpu_launch *launch = &w->launches[i];
        struct weir_ratio ready = {0, 1};
        for (size_t j = 0; j < launch->after_count; j++)
            ready = later(ready, ends[launch->after[j]]);
        launch->start = weir_gpu_sum_up(s, ready, overhead);
        ends[i] = weir_gpu_sum_up(s, launch->start, launch->time);
        last = later(last, ends[i]);
    }
    return last;
}

/* ---- what was added ---- */

/* Counts, or with `added` lists, what is in the `after` of launch i without a dependency. `waits` has for every kernel 1 + the last
 * kernel that was found to depend on it. */
static size_t list_added(const struct weir_gpu_system *s, const struct whole *w, uint32_t i, uint32_t *waits,
                         struct weir_gpu_edge *added)
{
    const struct weir_kernels *k = s->kernels;
    const struct weir_gpu_launch *launch = &w->launches[i];
    uint32_t v = launch->kernel.index;
    size_t count = 0;
    for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
        waits[k->before[j]] = v + 1;
    for (size_t j = 0; j < launch->after_count; j++) {
        uint32_t from = launch->after[j], u = w->launches[from].kernel.index;
        if (u == v || waits[u] == v + 1)
            continue;
        if (added)
            added[count] = (struct weir_gpu_edge){from, i};
        count++;
    }
    return count;
}

static enum weir_status find_added(const struct weir_gpu_system *s, struct whole *w)
{
    uint32_t *waits = weir_array_zeroed(s->kernels->count, sizeof *waits);
    if (!waits)
        return WEIR_MEMORY;
    uint32_t count = (uint32_t)w->flow.count;
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += list_added(s, w, i, waits, NULL);
    enum weir_status status = total > WEIR_GPU_AFTER_MAX ? WEIR_OVERFLOW : WEIR_OK;
    if (!status && !(w->added = weir_arena_array(&w->flow.arena, (size_t)total, sizeof *w->added)))
        status = WEIR_MEMORY;
    size_t listed = 0;
    for (uint32_t i = 0; i < count && !status; i++)
        listed += list_added(s, w, i, waits, &w->added[listed]);
    w->plan.added = w->added;
    w->plan.added_count = listed;
    weir_free(waits);
    return status;
}

/* ---- all of it ---- */

static void fill_launches(const struct weir_gpu_system *s, struct whole *w, bool timed)
{
    const struct weir_gpu_flow *f = &w->flow;
    for (size_t i = 0; i < f->count; i++) {
        const struct weir_gpu_piece *piece = &f->launches[i];
        size_t waits = f->first_after[i + 1] - f->first_after[i];
        w->launches[i] = (struct weir_gpu_launch){
            .kernel = {piece->kernel},
            .part = f->part[i],
            .parts = f->parts[i],
            .group = piece->group,
            .sms = piece->sms,
            .load = weir_gpu_ticks_up(s, piece->load, 1),
            .time = timed ? weir_gpu_ticks_up(s, f->time[i], 1) : weir_gpu_exact_time(s, piece),
            .after = waits ? f->after + f->first_after[i] : NULL,
            .after_count = waits,
        };
        w->launches[i].alone = w->launches[i].time;
        w->plan.split_count += f->part[i] == 1 && f->parts[i] > 1;
    }
}

static enum weir_status fill_in(const struct weir_gpu_system *s, const struct weir_gpu_result *result, struct whole *w)
{
    struct weir_ratio *ends = weir_array(w->flow.count, sizeof *ends);
    w->launches = weir_arena_array(&w->flow.arena, w->flow.count, sizeof *w->launches);
    if (!ends || !w->launches) {
        weir_free(ends);
        return WEIR_MEMORY;
    }
    fill_launches(s, w, result->timed);
    if (s->kernels->disturbed && !result->why && weir_gpu_meet_neighbours(s, &w->flow, w->launches, !result->barriers)) {
        weir_free(ends);
        return WEIR_MEMORY;
    }
    w->plan.bound = result->timing == WEIR_GPU_BY_GROUPS ? time_by_groups(s, w) : time_by_chains(s, w, ends);
    weir_free(ends);
    if (result->bound.denominator)
        w->plan.bound = result->bound;
    return find_added(s, w);
}

enum weir_status weir_gpu_plan_make(const struct weir_gpu_system *s, struct weir_gpu_result *result, struct weir_gpu_plan **plan)
{
    struct whole *w = weir_array_zeroed(1, sizeof *w);
    if (!w) {
        weir_gpu_flow_free(&result->flow);
        return WEIR_MEMORY;
    }
    w->flow = result->flow;
    result->flow = (struct weir_gpu_flow){0};
    w->plan = (struct weir_gpu_plan){
        .pipeline = s->pipeline,
        .sms = s->sms,
        .safe = !result->why,
        .why = result->why,
        .barriers = result->barriers,
        .launch_count = w->flow.count,
        .group_count = w->flow.groups,
        .tokens = w->flow.tokens,
        .token_count = w->flow.token_count,
    };
    enum weir_status status = fill_in(s, result, w);
    w->plan.launches = w->launches;
    if (status)
        weir_gpu_plan_free(&w->plan);
    else
        *plan = &w->plan;
    return status;
}

/* ---- exact times ---- */

static struct weir_ratio reduced(int64_t numerator, int64_t denominator)
{
    return weir_ratio_reduce((struct weir_ratio){numerator, denominator});
}

struct weir_ratio weir_gpu_exact_time(const struct weir_gpu_system *s, const struct weir_gpu_piece *piece)
{
    const struct weir_kernel *k = &s->kernels->kernels[piece->kernel];
    if (k->times)
        return reduced(weir_gpu_time(s, piece->kernel, piece->load, piece->sms), s->scale);
    int64_t waves = piece->sms / s->sms + (piece->sms % s->sms > 0), grain = s->granularity[piece->kernel];
    struct weir_ratio time = reduced(piece->load, s->scale), least = reduced(k->min_time, waves);
    if (grain) {
        int64_t granules = piece->load / grain + (piece->load % grain > 0);
        time = reduced(grain / s->scale * (granules / piece->sms + (granules % piece->sms > 0)), 1);
    } else {
        int64_t common = weir_greatest_divisor(time.numerator, piece->sms), denominator;
        if (weir_multiply(time.denominator, piece->sms / common, &denominator))
            time = (struct weir_ratio){time.numerator / common, denominator};
        else
            time = weir_gpu_ticks_up(s, piece->load, piece->sms);
    }
    return weir_ratio_compare(time, least) > 0 ? time : least;
}

/* ---- rounding ---- */

/* ceil(a * b / c) where a < c < 2^126: bit by bit, because the product has up to 190 of them. */
static int64_t scale_up(weir_wide a, int64_t b, weir_wide c)
{
    weir_wide rest = 0;
    int64_t quotient = 0;
    for (int bit = 62; bit >= 0; bit--) {
        quotient *= 2, rest *= 2;
        if (rest >= c)
            rest -= c, quotient++;
        if (b >> bit & 1)
            rest += a;
        if (rest >= c)
            rest -= c, quotient++;
    }
    return quotient + (rest > 0);
}

/* A grid finer than fine ticks, but not so fine that the next sum would leave what fits. */
enum { FINER_BITS = 20 };

static struct weir_ratio round_up(const struct weir_gpu_system *s, weir_wide numerator, weir_wide denominator)
{
    int64_t whole = (int64_t)(numerator / denominator), grid = s->scale;
    for (int bits = 0; bits < FINER_BITS && grid < (INT64_MAX >> 2) / (whole + 1); bits++)
        grid *= 2;
    return reduced(whole * grid + scale_up(numerator % denominator, grid, denominator), grid);
}

struct weir_ratio weir_gpu_sum_up(const struct weir_gpu_system *s, struct weir_ratio a, struct weir_ratio b)
{
    int64_t shared = weir_greatest_divisor(a.denominator, b.denominator);
    weir_wide numerator = (weir_wide)a.numerator * (b.denominator / shared) + (weir_wide)b.numerator * (a.denominator / shared);
    /* What a reduced sum of reduced ratios can be divided by divides what they shared. */
    int64_t common = weir_greatest_divisor(shared, (int64_t)(numerator % shared));
    weir_wide denominator = (weir_wide)(a.denominator / shared) * (b.denominator / common);
    numerator /= common;
    if (numerator <= INT64_MAX && denominator <= INT64_MAX)
        return (struct weir_ratio){(int64_t)numerator, (int64_t)denominator};
    return round_up(s, numerator, denominator);
}

struct weir_ratio weir_gpu_times_up(const struct weir_gpu_system *s, struct weir_ratio a, int64_t by, int64_t of)
{
    struct weir_ratio ratio;
    weir_wide numerator = (weir_wide)a.numerator * by, denominator = (weir_wide)a.denominator * of;
    return weir_ratio_make(numerator, denominator, (weir_wide)INT64_MAX + 1, &ratio) ? ratio : round_up(s, numerator, denominator);
}

/* Any ratio of two int64_t. */
#define LIMIT ((weir_wide)INT64_MAX + 1)

struct weir_ratio weir_gpu_ticks_up(const struct weir_gpu_system *s, weir_wide fine, uint32_t divisor)
{
    struct weir_ratio ratio;
    if (weir_ratio_make(fine, (weir_wide)s->scale * divisor, LIMIT, &ratio))
        return ratio;
    return round_up(s, fine, (weir_wide)s->scale * divisor);
}

struct weir_ratio weir_gpu_ticks_down(const struct weir_gpu_system *s, weir_wide fine, uint32_t divisor)
{
    struct weir_ratio ratio;
    if (weir_ratio_make(fine, (weir_wide)s->scale * divisor, LIMIT, &ratio))
        return ratio;
    return reduced((int64_t)(fine / divisor), s->scale);
}
