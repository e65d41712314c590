/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preemptive global EDF on a pool of cores, from event to event. At each moment, in this order: executions end and append what
 * they made, then remove what they took; batches arrive; releases that were waited for come. Then the most urgent run. Sources go
 * on until every operator has ended its executions: one that stopped would leave those behind a join without input.
 */
#include "simulate/cores.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "model/pipeline.h"

/* ---- what happens later ---- */

static bool sooner(const struct weir_cores *c, const struct weir_core_timer *a, const struct weir_core_timer *b)
{
    (void)c;
    return a->time < b->time;
}

WEIR_HEAP(timers, struct weir_core_timer, const struct weir_cores *, sooner, WEIR_HEAP_STAYS);

static void set_timer(struct weir_cores *c, uint32_t who, int64_t time)
{
    timers_push(c, c->timers, &c->timer_count, (struct weir_core_timer){time, who});
}

static void await_batch(struct weir_cores *c, uint32_t source)
{
    int64_t time = weir_core_arrivals_draw(&c->arrivals[source]);
    if (time < 0)
        c->status = WEIR_MEMORY;
    else
        set_timer(c, c->task_count + source, time);
}

/* ---- executions ---- */

static int64_t draw_cost(struct weir_cores *c, uint32_t v)
{
    int64_t ticks = weir_dice_draw(c->options->times)(c->dice, (struct weir_operator){v}, WEIR_PART_EXECUTION, c->tasks[v].ended);
    return ticks * c->scale;
}

static bool is_before(const struct weir_core_task *a, const struct weir_core_task *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->tie < b->tie;
}

static void activate(struct weir_cores *c, uint32_t v)
{
    struct weir_core_task *t = &c->tasks[v];
    t->deadline = t->jobs[t->head].release + t->period;
    t->left = draw_cost(c, v);
    if (c->fickle)
        t->tie = weir_random_next(&c->random);
    uint32_t at = c->active_count++;
    for (; at > 0 && is_before(t, &c->tasks[c->active[at - 1]]); at--)
        c->active[at] = c->active[at - 1];
    c->active[at] = v;
}

/* The first job of v is new there. */
static void come_first(struct weir_cores *c, uint32_t v)
{
    const struct weir_core_task *t = &c->tasks[v];
    int64_t release = t->jobs[t->head].release;
    if (c->options->late && release > c->now)
        set_timer(c, v, release);
    else
        activate(c, v);
}

static bool grow(struct weir_core_task *t)
{
    size_t room = t->room ? 2 * t->room : 4;
    struct weir_core_job *jobs = weir_array(room, sizeof *jobs);
    if (!jobs)
        return false;
    for (size_t i = 0; i < t->count; i++)
        jobs[i] = t->jobs[(t->head + i) & (t->room - 1)];
    weir_free(t->jobs);
    t->jobs = jobs;
    t->room = room;
    t->head = 0;
    return true;
}

/* The next execution of v has its samples. */
static void make_ready(struct weir_cores *c, uint32_t v)
{
    struct weir_core_task *t = &c->tasks[v];
    if (t->count == t->room && !grow(t)) {
        c->status = WEIR_MEMORY;
        return;
    }
    int64_t release = c->now;
    if (t->begun && t->released + t->period > release)
        release = t->released + t->period;
    if (release >= WEIR_TIME_MAX) {
        c->status = WEIR_OVERFLOW;
        return;
    }
    t->begun = true;
    t->released = release;
    t->jobs[(t->head + t->count++) & (t->room - 1)] = (struct weir_core_job){c->now, release};
    if (t->count == 1)
        come_first(c, v);
}

/* As many executions as there are samples for. */
static void look_for_samples(struct weir_cores *c, uint32_t v)
{
    while (!c->status) {
        for (uint32_t i = c->in.first[v]; i < c->in.first[v + 1]; i++)
            if (c->queues[c->in.queue[i]].spare < c->queues[c->in.queue[i]].threshold)
                return;
        for (uint32_t i = c->in.first[v]; i < c->in.first[v + 1]; i++)
            c->queues[c->in.queue[i]].spare -= c->queues[c->in.queue[i]].consume;
        make_ready(c, v);
    }
}

/* ---- moments ---- */

static void append(struct weir_cores *c, uint32_t v)
{
    for (uint32_t i = c->out.first[v]; i < c->out.first[v + 1]; i++) {
        struct weir_core_queue *q = &c->queues[c->out.queue[i]];
        q->held += q->produce;
        q->spare += q->produce;
        if (q->held > q->peak)
            q->peak = q->held;
        if (q->held >= WEIR_TIME_MAX)
            c->status = WEIR_OVERFLOW;
    }
}

static void end_first(struct weir_cores *c, uint32_t v)
{
    struct weir_core_task *t = &c->tasks[v];
    const struct weir_core_job *job = &t->jobs[t->head];
    if (++t->ended == t->wanted)
        c->unfinished--;
    if (c->options->observe) {
        int64_t moments[3] = {job->ready, job->release, c->now};
        c->options->observe(c->options->context, (struct weir_operator){v}, t->ended, moments, c->scale);
    }
    t->head = (t->head + 1) & (t->room - 1);
    if (--t->count > 0)
        come_first(c, v);
}

/* Executions that have nothing left end. */
static void end_some(struct weir_cores *c)
{
    uint32_t running = c->active_count < c->cores ? c->active_count : c->cores, count = 0, kept = 0;
    for (uint32_t i = 0; i < running; i++) {
        uint32_t v = c->active[i];
        if (c->tasks[v].left == 0)
            c->ended[count++] = v;
        else
            c->active[kept++] = v;
    }
    if (count == 0)
        return;
    for (uint32_t i = running; i < c->active_count; i++)
        c->active[kept++] = c->active[i];
    c->active_count = kept;
    for (uint32_t i = 0; i < count; i++)
        append(c, c->ended[i]);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = c->in.first[c->ended[i]]; k < c->in.first[c->ended[i] + 1]; k++)
            c->queues[c->in.queue[k]].held -= c->queues[c->in.queue[k]].consume;
        end_first(c, c->ended[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = c->out.first[c->ended[i]]; k < c->out.first[c->ended[i] + 1]; k++)
            look_for_samples(c, c->queues[c->out.queue[k]].to);
}

static void arrive(struct weir_cores *c)
{
    while (c->timer_count > 0 && c->timers[0].time <= c->now && !c->status) {
        uint32_t who = timers_pop(c, c->timers, &c->timer_count).who;
        if (who < c->task_count) {
            activate(c, who);
            continue;
        }
        const struct weir_core_arrivals *a = &c->arrivals[who - c->task_count];
        if (c->options->arrived)
            c->options->arrived(c->options->context, (struct weir_operator){a->op}, a->drawn, c->now, c->scale);
        make_ready(c, a->op);
        await_batch(c, who - c->task_count);
    }
}

/* Time passes until something happens. Sources never end, so that something does. */
static void pass(struct weir_cores *c)
{
    uint32_t running = c->active_count < c->cores ? c->active_count : c->cores;
    int64_t next = c->timers[0].time;
    for (uint32_t i = 0; i < running; i++)
        if (c->tasks[c->active[i]].left < next - c->now)
            next = c->now + c->tasks[c->active[i]].left;
    for (uint32_t i = 0; i < running; i++)
        c->tasks[c->active[i]].left -= next - c->now;
    c->now = next;
    if (next >= WEIR_TIME_MAX)
        c->status = WEIR_OVERFLOW;
}

static void play(struct weir_cores *c)
{
    for (uint32_t v = 0; v < c->task_count; v++)
        c->tasks[v].tie = weir_random_next(&c->random);
    c->fickle = weir_random_between(&c->random, 0, 1) == 1;
    for (uint32_t i = 0; i < c->source_count; i++)
        await_batch(c, i);
    for (uint32_t v = 0; v < c->task_count; v++)
        if (c->in.first[v] < c->in.first[v + 1])
            look_for_samples(c, v);
    arrive(c);
    c->unfinished = c->task_count;
    while (!c->status && c->unfinished > 0) {
        pass(c);
        end_some(c);
        arrive(c);
        if ((++c->steps & 4095) == 0 && !c->status && weir_interrupted())
            c->status = WEIR_INVALID;
    }
}

/* ---- from outside ---- */

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_edf_simulation_options *options,
                              struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require(pipeline, WEIR_PLATFORM_CORES, error);
    if (fit)
        return fit;
    if (options->rounds < 1)
        return weir_fail(error, WEIR_INVALID, "a simulation has at least one round");
    if ((unsigned)options->times >= WEIR_TIMES_GIVEN)
        return weir_fail(error, WEIR_INVALID, "unknown way to draw costs: %d", (int)options->times);
    if ((unsigned)options->arrivals > WEIR_EDF_ARRIVALS_EXTREME)
        return weir_fail(error, WEIR_INVALID, "unknown way to draw arrivals: %d", (int)options->arrivals);
    if (options->cores > WEIR_CORES_MAX)
        return weir_fail(error, WEIR_INVALID, "a platform has 1 to %d cores", WEIR_CORES_MAX);
    return WEIR_OK;
}

enum weir_status weir_edf_simulate(const struct weir_pipeline *pipeline, const struct weir_edf_simulation_options *options,
                                   int64_t *peak, struct weir_error *error)
{
    enum weir_status status = check(pipeline, options, error);
    if (status)
        return status;
    struct weir_cores c = {.pipeline = pipeline, .options = options};
    c.cores = options->cores ? options->cores : weir_pipeline_cores(pipeline);
    status = weir_cores_build(&c, error);
    if (!status) {
        play(&c);
        status = c.status == WEIR_MEMORY    ? weir_fail_memory(error)
                 : c.status == WEIR_INVALID ? weir_fail(error, WEIR_INVALID, "interrupted")
                 : c.status
                     ? weir_fail(error, c.status, "times or samples become larger than can be represented; simulate fewer rounds")
                     : WEIR_OK;
    }
    for (uint32_t i = 0; i < c.queue_count && peak && !status; i++)
        peak[i] = c.queues[i].peak;
    weir_cores_clear(&c);
    return status;
}
