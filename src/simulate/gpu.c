/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/gpu.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

/* Blocks of all launches together: some minutes of work. */
#define BLOCKS_MAX (INT64_C(1) << 28)
/* What one launch after the other would take stays below this, in parts of a tick. */
#define SPAN_MAX (INT64_C(1) << 58)
/* Steps between the ends of a tick where all times come out even: how much earlier than its end a block can end. */
#define STEPS 1000

/* ---- is it a plan? ---- */

static enum weir_status check(const struct weir_gpu_plan *plan, struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require(plan->pipeline, WEIR_PLATFORM_GPU, error);
    if (fit)
        return fit;
    if (plan->sms == 0 || plan->sms > WEIR_SMS_MAX)
        return weir_fail(error, WEIR_INVALID, "a plan is for 1 to %d SMs", WEIR_SMS_MAX);
    int64_t blocks = 0;
    for (size_t v = 0; v < plan->launch_count; v++) {
        const struct weir_gpu_launch *launch = &plan->launches[v];
        blocks += launch->sms;
        if (launch->sms == 0 || launch->time.denominator <= 0 || launch->time.numerator < 0)
            return weir_fail(error, WEIR_INVALID, "launch %zu of the plan has no SMs or no time", v);
        for (size_t i = 0; i < launch->after_count; i++)
            if (launch->after[i] >= plan->launch_count)
                return weir_fail(error, WEIR_INVALID, "launch %zu of the plan waits for one that does not exist", v);
        if (blocks > BLOCKS_MAX)
            return weir_fail(error, WEIR_INVALID, "more than %lld blocks, which are too many to simulate", (long long)BLOCKS_MAX);
    }
    return WEIR_OK;
}

/* ---- a common scale ---- */

/* In whole ticks, rounded up: one launch after the other, each in as many waves as it needs. False: out of range. */
static bool find_span(const struct weir_gpu_plan *plan, int64_t overhead, int64_t *span)
{
    weir_wide sum = 1;
    for (size_t v = 0; v < plan->launch_count && sum < SPAN_MAX; v++) {
        const struct weir_gpu_launch *launch = &plan->launches[v];
        weir_wide waves = (launch->sms + (weir_wide)plan->sms - 1) / plan->sms;
        sum += overhead + waves * ((weir_wide)launch->time.numerator / launch->time.denominator + 1);
    }
    *span = (int64_t)sum;
    return sum < SPAN_MAX;
}

static void choose_scale(struct weir_gpu_stage *s, int64_t span)
{
    int64_t most = SPAN_MAX / span;
    s->scale = 1;
    s->exact = true;
    for (uint32_t v = 0; v < s->count && s->exact; v++) {
        struct weir_ratio time = weir_ratio_reduce(s->plan->launches[v].time);
        int64_t factor = time.denominator / weir_greatest_divisor(s->scale, time.denominator);
        s->exact = factor <= most / s->scale;
        s->scale *= s->exact ? factor : 1;
    }
    if (s->exact)
        s->scale *= s->scale <= most / STEPS ? STEPS : 1;
    else
        for (s->scale = 1; s->scale <= most / 2;)
            s->scale *= 2;
}

static int64_t scaled(const struct weir_gpu_stage *s, struct weir_ratio time)
{
    return (int64_t)((weir_wide)time.numerator * s->scale / time.denominator);
}

/* ---- building ---- */

static bool allocate(struct weir_gpu_stage *s, size_t waits)
{
    s->time = weir_array(s->count, sizeof *s->time);
    s->before = weir_array_zeroed(s->count, sizeof *s->before);
    s->first_gpu_dependency = weir_array_zeroed((size_t)s->count + 2, sizeof *s->first_gpu_dependency);
    s->behind = weir_array(waits, sizeof *s->behind);
    s->script.rank = weir_array_zeroed(s->count, sizeof *s->script.rank);
    s->script.length = weir_array_zeroed(s->count, sizeof *s->script.length);
    s->script.delay = weir_array_zeroed(s->count, sizeof *s->script.delay);
    s->left = weir_array(s->count, sizeof *s->left);
    s->unplaced = weir_array(s->count, sizeof *s->unplaced);
    s->unended = weir_array(s->count, sizeof *s->unended);
    s->ready = weir_array(s->count, sizeof *s->ready);
    s->held = weir_array(s->count, sizeof *s->held);
    s->came = weir_array(s->count, sizeof *s->came);
    s->free_sms = weir_array(s->sms, sizeof *s->free_sms);
    s->moments = weir_array((size_t)s->sms + s->count, sizeof *s->moments);
    return s->time && s->before && s->first_gpu_dependency && s->behind && s->script.rank && s->script.length && s->script.delay &&
           s->left && s->unplaced && s->unended && s->ready && s->held && s->came && s->free_sms && s->moments;
}

void weir_gpu_stage_close(struct weir_gpu_stage *s)
{
    void *all[] = {s->time,         s->before,      s->first_gpu_dependency,
                   s->behind,       s->script.rank, s->script.length,
                   s->script.delay, s->left,        s->unplaced,
                   s->unended,      s->ready,       s->held,
                   s->came,         s->free_sms,    s->moments};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        weir_free(all[i]);
}

static void link_launches(struct weir_gpu_stage *s)
{
    const struct weir_gpu_launch *launches = s->plan->launches;
    for (uint32_t v = 0; v < s->count; v++) {
        s->before[v] = (uint32_t)launches[v].after_count;
        for (size_t i = 0; i < launches[v].after_count; i++)
            s->first_gpu_dependency[launches[v].after[i] + 2]++;
    }
    for (uint32_t v = 0; v < s->count; v++)
        s->first_gpu_dependency[v + 2] += s->first_gpu_dependency[v + 1];
    for (uint32_t v = 0; v < s->count; v++)
        for (size_t i = 0; i < launches[v].after_count; i++)
            s->behind[s->first_gpu_dependency[launches[v].after[i] + 1]++] = v;
}

enum weir_status weir_gpu_stage_open(struct weir_gpu_stage *s, const struct weir_gpu_plan *plan, struct weir_error *error)
{
    *s = (struct weir_gpu_stage){.plan = plan, .sms = plan->sms};
    enum weir_status status = check(plan, error);
    if (status)
        return status;
    struct weir_gpu_spec gpu = weir_pipeline_gpu(plan->pipeline);
    int64_t span = 0;
    size_t waits = 0;
    s->count = (uint32_t)plan->launch_count;
    s->places = gpu.max_concurrent ? gpu.max_concurrent : UINT32_MAX;
    if (!find_span(plan, gpu.launch_overhead, &span))
        return weir_fail(error, WEIR_OVERFLOW, "the launches of the plan take too long to simulate");
    choose_scale(s, span);
    s->overhead = gpu.launch_overhead * s->scale;
    for (uint32_t v = 0; v < s->count; v++)
        waits += plan->launches[v].after_count;
    if (!allocate(s, waits))
        return weir_fail_memory(error);
    link_launches(s);
    for (uint32_t v = 0; v < s->count; v++)
        s->time[v] = scaled(s, plan->launches[v].time);
    return WEIR_OK;
}

/* ---- from outside ---- */

enum weir_status weir_gpu_simulate(const struct weir_gpu_plan *plan, const struct weir_gpu_simulation_options *options,
                                   struct weir_ratio *makespan, struct weir_error *error)
{
    if ((unsigned)options->dispatch >= WEIR_GPU_DISPATCHES)
        return weir_fail(error, WEIR_INVALID, "unknown way to dispatch blocks: %d", (int)options->dispatch);
    if (options->times != WEIR_TIMES_WORST && options->times != WEIR_TIMES_RANDOM && options->times != WEIR_TIMES_BANG_BANG)
        return weir_fail(error, WEIR_INVALID, "blocks take worst, random or bang-bang times, not %d", (int)options->times);
    struct weir_gpu_stage stage;
    enum weir_status status = weir_gpu_stage_open(&stage, plan, error);
    if (!status) {
        int64_t end = 0;
        stage.observe = options->observe;
        stage.context = options->context;
        weir_gpu_script_draw(&stage, options->dispatch, options->times, options->seed);
        status = weir_gpu_stage_run(&stage, &stage.script, &end, error);
        if (!status)
            *makespan = weir_ratio_reduce((struct weir_ratio){end, stage.scale});
    }
    weir_gpu_stage_close(&stage);
    return status;
}
