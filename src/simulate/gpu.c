/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/gpu.h"

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

static struct weir_ratio alone_of(const struct weir_gpu_launch *launch)
{
    return launch->alone.denominator ? launch->alone : launch->time;
}

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
        if (launch->sms == 0 || alone_of(launch).denominator <= 0 || alone_of(launch).numerator < 0)
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
        struct weir_operator_spec kernel = weir_pipeline_operator(plan->pipeline, launch->kernel);
        uint32_t worst = kernel.suffers_copy > kernel.suffers_read ? kernel.suffers_copy : kernel.suffers_read;
        sum += overhead +
               waves * (((weir_wide)alone_of(launch).numerator / alone_of(launch).denominator + 1) * (100 + worst) / 100 + 1);
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
        struct weir_ratio time = weir_ratio_reduce(alone_of(&s->plan->launches[v]));
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
    s->time = weir_arena_array(&s->arena, s->count, sizeof *s->time);
    s->before = weir_arena_array(&s->arena, s->count, sizeof *s->before);
    s->first_dependent = weir_arena_array(&s->arena, (size_t)s->count + 2, sizeof *s->first_dependent);
    s->dependents = weir_arena_array(&s->arena, waits, sizeof *s->dependents);
    s->script.rank = weir_arena_array(&s->arena, s->count, sizeof *s->script.rank);
    s->script.length = weir_arena_array(&s->arena, s->count, sizeof *s->script.length);
    s->script.delay = weir_arena_array(&s->arena, s->count, sizeof *s->script.delay);
    s->script.slowed = weir_arena_array(&s->arena, s->count, sizeof *s->script.slowed);
    s->disturbs = weir_arena_array(&s->arena, s->count, sizeof *s->disturbs);
    s->suffers = weir_arena_array(&s->arena, s->count, sizeof *s->suffers);
    s->left = weir_arena_array(&s->arena, s->count, sizeof *s->left);
    s->unplaced = weir_arena_array(&s->arena, s->count, sizeof *s->unplaced);
    s->unended = weir_arena_array(&s->arena, s->count, sizeof *s->unended);
    s->ready = weir_arena_array(&s->arena, s->count, sizeof *s->ready);
    s->held = weir_arena_array(&s->arena, s->count, sizeof *s->held);
    s->came = weir_arena_array(&s->arena, s->count, sizeof *s->came);
    s->free_sms = weir_arena_array(&s->arena, s->sms, sizeof *s->free_sms);
    s->begun = weir_arena_array(&s->arena, s->sms, sizeof *s->begun);
    s->moments = weir_arena_array(&s->arena, (size_t)s->sms + s->count, sizeof *s->moments);
    return !s->arena.failed;
}

void weir_gpu_stage_close(struct weir_gpu_stage *s)
{
    weir_arena_free(&s->arena);
}

static void link_launches(struct weir_gpu_stage *s)
{
    const struct weir_gpu_launch *launches = s->plan->launches;
    for (uint32_t v = 0; v < s->count; v++) {
        s->before[v] = (uint32_t)launches[v].after_count;
        for (size_t i = 0; i < launches[v].after_count; i++)
            s->first_dependent[launches[v].after[i] + 2]++;
    }
    for (uint32_t v = 0; v < s->count; v++)
        s->first_dependent[v + 2] += s->first_dependent[v + 1];
    for (uint32_t v = 0; v < s->count; v++)
        for (size_t i = 0; i < launches[v].after_count; i++)
            s->dependents[s->first_dependent[launches[v].after[i] + 1]++] = v;
}

static void read_launch(struct weir_gpu_stage *s, uint32_t v)
{
    struct weir_operator_spec kernel = weir_pipeline_operator(s->plan->pipeline, s->plan->launches[v].kernel);
    s->time[v] = scaled(s, alone_of(&s->plan->launches[v]));
    s->disturbs[v] = kernel.disturbs;
    s->suffers[v][WEIR_DISTURBS_READ] = kernel.suffers_read;
    s->suffers[v][WEIR_DISTURBS_COPY] = kernel.suffers_copy > kernel.suffers_read ? kernel.suffers_copy : kernel.suffers_read;
    s->slows |= kernel.suffers_copy || kernel.suffers_read;
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
        read_launch(s, v);
    return WEIR_OK;
}

/* ---- scripts: drawn, and changed step by step towards executions that end late ---- */

/* Runs of a climb before it begins anew. */
#define CLIMB_RUNS 60

/* What waits for a launch that ends a little early can overtake others. */
int64_t weir_gpu_extreme(struct weir_random *random, int64_t most)
{
    uint64_t draw = weir_random_next(random) >> 62;
    int64_t near = most > 0 && draw % 2;
    return draw / 2 ? most - near : near;
}

static int64_t draw_length(struct weir_random *random, enum weir_times times, int64_t most)
{
    if (times == WEIR_TIMES_WORST)
        return most;
    bool each = weir_random_next(random) >> 63;
    if (times == WEIR_TIMES_RANDOM)
        return each ? WEIR_GPU_EACH_RANDOM : weir_random_between(random, 0, most);
    return each ? WEIR_GPU_EACH_EXTREME : weir_gpu_extreme(random, most);
}

static int64_t draw_delay(struct weir_random *random, enum weir_times times, int64_t most)
{
    if (times == WEIR_TIMES_WORST || most == 0)
        return most;
    return times == WEIR_TIMES_RANDOM ? weir_random_between(random, 0, most) : weir_gpu_extreme(random, most);
}

static void draw(struct weir_gpu_stage *s, enum weir_times times, struct weir_random *random)
{
    struct weir_gpu_script *script = &s->script;
    /* Most launches at their worst, or few: what is late in a plan is often one that is early among many that are not. */
    int64_t late = times == WEIR_TIMES_WORST ? 0 : weir_random_between(random, 0, 9);
    script->order = (enum weir_gpu_turns)weir_random_between(random, 0, WEIR_GPU_TURNS - 1);
    script->seed = weir_random_next(random);
    for (uint32_t v = 0; v < s->count; v++) {
        bool worst = late > 0 && weir_random_between(random, 1, 10) <= late;
        script->rank[v] = weir_random_next(random);
        script->length[v] = draw_length(random, worst ? WEIR_TIMES_WORST : times, s->time[v]);
        script->delay[v] = draw_delay(random, times, s->overhead);
        script->slowed[v] = !s->slows || worst || times == WEIR_TIMES_WORST ? 1000 : (uint32_t)weir_random_between(random, 0, 1000);
    }
}

void weir_gpu_script_draw(struct weir_gpu_stage *s, enum weir_gpu_dispatch dispatch, enum weir_times times, uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    s->script.dispatch = dispatch;
    draw(s, times, &random);
}

/* ---- climbing ---- */

/* What a step changed, to take it back. */
struct step {
    enum weir_gpu_turns order;
    uint64_t seed, rank;
    uint32_t launch;
    int64_t length, delay;
    uint32_t slowed;
};

static struct step change(struct weir_gpu_stage *s, const struct weir_gpu_climb *climb, struct weir_random *random)
{
    struct weir_gpu_script *script = &s->script;
    uint32_t v = (uint32_t)weir_random_between(random, 0, (int64_t)s->count - 1);
    struct step step = {script->order, script->seed, script->rank[v], v, script->length[v], script->delay[v], script->slowed[v]};
    int64_t what = weir_random_between(random, 0, 9);
    enum weir_times times = what % 2 ? WEIR_TIMES_BANG_BANG : WEIR_TIMES_RANDOM;
    if (what == 0)
        script->seed = weir_random_next(random);
    else if (what == 1)
        script->order = (enum weir_gpu_turns)weir_random_between(random, 0, WEIR_GPU_TURNS - 1);
    else if (what < 5 || climb->worst_only) /* first of all, last of all, anywhere */
        script->rank[v] = what == 2 ? 0 : what == 3 ? UINT64_MAX : weir_random_next(random);
    else if (what == 5 && s->overhead > 0)
        script->delay[v] = draw_delay(random, times, s->overhead);
    else
        script->length[v] = what < 8 ? draw_length(random, times, s->time[v]) : s->time[v];
    if (what == 9)
        script->slowed[v] = 1000;
    return step;
}

static void take_back(struct weir_gpu_script *script, const struct step *step)
{
    script->order = step->order;
    script->seed = step->seed;
    script->rank[step->launch] = step->rank;
    script->length[step->launch] = step->length;
    script->delay[step->launch] = step->delay;
    script->slowed[step->launch] = step->slowed;
}

enum weir_status weir_gpu_climb_late(struct weir_gpu_stage *s, const struct weir_gpu_climb *climb, int64_t *makespan,
                                     struct weir_error *error)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_BANG_BANG, WEIR_TIMES_RANDOM};
    struct weir_random random;
    int64_t reached = -1, seen;
    weir_random_seed(&random, climb->seed);
    s->script.dispatch = climb->dispatch;
    *makespan = -1;
    for (uint32_t run = 0; run < climb->runs; run++) {
        struct step step = {0};
        bool anew = run % CLIMB_RUNS == 0 || s->count == 0;
        if (anew)
            draw(s, climb->worst_only ? WEIR_TIMES_WORST : times[run / CLIMB_RUNS % 3], &random);
        else
            step = change(s, climb, &random);
        enum weir_status status = weir_gpu_stage_run(s, &s->script, &seen, error);
        if (status)
            return status;
        if (anew || seen >= reached)
            reached = seen;
        else
            take_back(&s->script, &step);
        *makespan = seen > *makespan ? seen : *makespan;
    }
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
