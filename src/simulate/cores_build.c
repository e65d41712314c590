/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the words of the pipeline to tasks and queues. Periods are found anew, by walking from a source over queues in either
 * direction: a simulation that took the numbers of the analysis could not contradict them.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "simulate/cores.h"

#include <string.h>

struct build {
    struct weir_cores *c;
    struct weir_ratio *period; /* denominator 0: not known yet */
    uint32_t *part, *stack;
    int64_t *round; /* by part: scaled; the least common multiple of its periods */
    uint32_t part_count;
};

/* *multiple becomes the least common multiple of itself and `other`. */
static bool join(int64_t *multiple, int64_t other)
{
    return weir_multiply(*multiple / weir_greatest_divisor(*multiple, other), other, multiple) && *multiple < WEIR_TIME_MAX;
}

static bool scale_up(const struct weir_cores *c, int64_t ticks, int64_t *time)
{
    return weir_multiply(ticks, c->scale, time) && *time < WEIR_TIME_MAX;
}

/* ---- the graph ---- */

static void read_queues(struct weir_cores *c)
{
    for (uint32_t i = 0; i < c->queue_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(c->pipeline, (struct weir_queue){i});
        struct weir_core_queue *q = &c->queues[i];
        *q = (struct weir_core_queue){.from = spec.from.index, .to = spec.to.index};
        q->produce = spec.produce ? spec.produce : 1;
        q->consume = spec.consume ? spec.consume : 1;
        q->threshold = spec.threshold ? spec.threshold : q->consume;
        q->held = q->spare = q->peak = spec.initial;
        c->tasks[q->to].end_input++;
        c->tasks[q->from].end_output++;
    }
    uint32_t in = 0, out = 0;
    for (uint32_t v = 0; v < c->task_count; v++) {
        struct weir_core_task *t = &c->tasks[v];
        uint32_t inputs = t->end_input, outputs = t->end_output;
        t->first_input = t->end_input = in;
        t->first_output = t->end_output = out;
        in += inputs, out += outputs;
    }
    for (uint32_t i = 0; i < c->queue_count; i++) {
        c->inputs[c->tasks[c->queues[i].to].end_input++] = i;
        c->outputs[c->tasks[c->queues[i].from].end_output++] = i;
    }
}

/* ---- periods ---- */

static struct weir_ratio source_period(const struct weir_source_spec *s, bool *fits)
{
    struct weir_ratio period = {1, 1};
    *fits = weir_ratio_make((weir_wide)s->period * (s->batch ? s->batch : 1), s->count ? s->count : 1, WEIR_TIME_MAX, &period);
    return period;
}

/* Sets the period of the other end of a queue, or compares it with what is known. */
static enum weir_status step(struct build *b, uint32_t queue, uint32_t at, uint32_t *depth)
{
    const struct weir_core_queue *q = &b->c->queues[queue];
    struct weir_ratio here = b->period[at], there;
    bool down = q->from == at;
    uint32_t other = down ? q->to : q->from;
    if (!weir_ratio_make((weir_wide)here.numerator * (down ? q->consume : q->produce),
                         (weir_wide)here.denominator * (down ? q->produce : q->consume), WEIR_TIME_MAX, &there))
        return WEIR_OVERFLOW;
    if (b->period[other].denominator)
        return weir_ratio_compare(b->period[other], there) == 0 ? WEIR_OK : WEIR_INTERNAL;
    b->period[other] = there;
    b->part[other] = b->part[at];
    b->stack[(*depth)++] = other;
    return WEIR_OK;
}

static enum weir_status walk(struct build *b, uint32_t from, struct weir_ratio period)
{
    const struct weir_cores *c = b->c;
    uint32_t depth = 0;
    enum weir_status status = WEIR_OK;
    b->period[from] = period;
    b->part[from] = b->part_count++;
    b->stack[depth++] = from;
    while (depth > 0 && !status) {
        uint32_t v = b->stack[--depth];
        const struct weir_core_task *t = &c->tasks[v];
        for (uint32_t i = t->first_input; i < t->end_input && !status; i++)
            status = step(b, c->inputs[i], v, &depth);
        for (uint32_t i = t->first_output; i < t->end_output && !status; i++)
            status = step(b, c->outputs[i], v, &depth);
    }
    return status;
}

static enum weir_status find_periods(struct build *b)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < b->c->source_count && !status; i++) {
        struct weir_source_spec spec = weir_pipeline_source(b->c->pipeline, i);
        bool fits;
        struct weir_ratio period = source_period(&spec, &fits), *known = &b->period[spec.op.index];
        if (!fits)
            status = WEIR_OVERFLOW;
        else if (known->denominator)
            status = weir_ratio_compare(*known, period) == 0 ? WEIR_OK : WEIR_INTERNAL;
        else
            status = walk(b, spec.op.index, period);
    }
    return status;
}

static bool find_scale(struct build *b)
{
    struct weir_cores *c = b->c;
    c->scale = 1;
    for (uint32_t v = 0; v < c->task_count; v++)
        if (!join(&c->scale, b->period[v].denominator))
            return false;
    for (uint32_t g = 0; g < b->part_count; g++)
        b->round[g] = 1;
    for (uint32_t v = 0; v < c->task_count; v++) {
        const struct weir_ratio *p = &b->period[v];
        if (!weir_multiply(p->numerator, c->scale / p->denominator, &c->tasks[v].period) || c->tasks[v].period >= WEIR_TIME_MAX ||
            !join(&b->round[b->part[v]], c->tasks[v].period))
            return false;
    }
    return true;
}

/* ---- costs ---- */

/* The cost of an execution of v that takes that many samples. */
static bool read_cost(struct weir_cores *c, uint32_t v, int64_t samples)
{
    struct weir_operator_spec spec = weir_pipeline_operator(c->pipeline, (struct weir_operator){v});
    struct weir_die *die = &c->dice[v].execution;
    int64_t cost, scaled;
    if (spec.has_cost) {
        if (!weir_multiply(samples, spec.cost_sample, &cost) || !weir_add(cost, spec.cost_init, &cost))
            return false;
        *die = (struct weir_die){.low = 0, .high = cost};
    }
    return scale_up(c, die->high, &scaled);
}

static bool read_costs(struct weir_cores *c)
{
    bool good = true;
    for (uint32_t v = 0; v < c->task_count && good; v++) {
        int64_t samples = 0;
        for (uint32_t i = c->tasks[v].first_input; i < c->tasks[v].end_input; i++)
            samples = c->queues[c->inputs[i]].consume > samples ? c->queues[c->inputs[i]].consume : samples;
        good = samples == 0 || read_cost(c, v, samples);
    }
    for (uint32_t i = 0; i < c->source_count && good; i++) {
        struct weir_source_spec source = weir_pipeline_source(c->pipeline, i);
        good = read_cost(c, source.op.index, source.batch ? source.batch : 1);
    }
    return good;
}

/* ---- sources ---- */

/* As many rounds of each part as begin in the asked number of the slowest. */
static bool count_executions(struct build *b)
{
    int64_t slowest = 1, length;
    for (uint32_t g = 0; g < b->part_count; g++)
        slowest = b->round[g] > slowest ? b->round[g] : slowest;
    if (!weir_multiply(b->c->options->rounds, slowest, &length) || length >= WEIR_TIME_MAX)
        return false;
    for (uint32_t v = 0; v < b->c->task_count; v++) {
        struct weir_core_task *t = &b->c->tasks[v];
        int64_t round = b->round[b->part[v]];
        if (!weir_multiply(length / round + (length % round != 0), round / t->period, &t->wanted))
            return false;
    }
    return true;
}

static bool read_source(const struct weir_cores *c, uint32_t index, uint64_t seed)
{
    struct weir_source_spec spec = weir_pipeline_source(c->pipeline, index);
    struct weir_core_arrivals *a = &c->arrivals[index];
    struct weir_ratio share;
    *a = (struct weir_core_arrivals){.mode = c->options->arrivals,
                                     .op = spec.op.index,
                                     .period = c->tasks[spec.op.index].period,
                                     .sporadic = spec.sporadic,
                                     .bursty = spec.bursty};
    if (!scale_up(c, spec.has_phase ? spec.phase : 0, &a->phase) || !scale_up(c, spec.jitter, &a->jitter) ||
        !weir_ratio_make(spec.batch ? spec.batch : 1, spec.count ? spec.count : 1, WEIR_TIME_MAX, &share) ||
        (a->bursty && !scale_up(c, spec.period, &a->window)))
        return false;
    a->least = share.numerator;
    a->most = share.denominator;
    return weir_core_arrivals_begin(a, seed);
}

static bool read_sources(struct weir_cores *c)
{
    for (uint32_t i = 0; i < c->source_count; i++)
        if (!read_source(c, i, weir_random_next(&c->random)))
            return false;
    return true;
}

/* ---- the whole ---- */

static bool make_room(struct weir_cores *c)
{
    size_t n = c->task_count = weir_pipeline_operator_count(c->pipeline);
    size_t e = c->queue_count = weir_pipeline_queue_count(c->pipeline);
    c->source_count = weir_pipeline_source_count(c->pipeline);
    c->tasks = weir_array_zeroed(n, sizeof *c->tasks);
    c->queues = weir_array(e, sizeof *c->queues);
    c->inputs = weir_array(e, sizeof *c->inputs);
    c->outputs = weir_array(e, sizeof *c->outputs);
    c->arrivals = weir_array_zeroed(c->source_count, sizeof *c->arrivals);
    c->active = weir_array(n, sizeof *c->active);
    c->ended = weir_array(n, sizeof *c->ended);
    c->timers = weir_array(n + c->source_count, sizeof *c->timers);
    c->dice = weir_dice_new(c->pipeline, weir_random_next(&c->random));
    return c->tasks && c->queues && c->inputs && c->outputs && c->arrivals && c->active && c->ended && c->timers && c->dice;
}

static enum weir_status derive(struct build *b)
{
    read_queues(b->c);
    enum weir_status status = find_periods(b);
    if (status)
        return status;
    return find_scale(b) && count_executions(b) && read_costs(b->c) && read_sources(b->c) ? WEIR_OK : WEIR_OVERFLOW;
}

enum weir_status weir_cores_build(struct weir_cores *c, struct weir_error *error)
{
    struct build b = {.c = c};
    enum weir_status status = WEIR_MEMORY;
    weir_random_seed(&c->random, c->options->seed);
    bool room = make_room(c);
    b.period = weir_array_zeroed(c->task_count, sizeof *b.period);
    b.part = weir_array_zeroed(c->task_count, sizeof *b.part);
    b.stack = weir_array(c->task_count, sizeof *b.stack);
    b.round = weir_array(c->task_count, sizeof *b.round);
    if (room && b.period && b.part && b.stack && b.round)
        status = derive(&b);
    weir_free(b.period);
    weir_free(b.part);
    weir_free(b.stack);
    weir_free(b.round);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (status == WEIR_INTERNAL)
        return weir_fail(error, status, "the rates of a sealed pipeline do not agree");
    return status ? weir_fail(error, status, "periods and costs are too far apart to be simulated on one scale, or rounds too many")
                  : WEIR_OK;
}

void weir_cores_clear(struct weir_cores *c)
{
    for (uint32_t v = 0; c->tasks && v < c->task_count; v++)
        weir_free(c->tasks[v].jobs);
    for (uint32_t i = 0; c->arrivals && i < c->source_count; i++)
        weir_free(c->arrivals[i].past);
    weir_free(c->tasks);
    weir_free(c->queues);
    weir_free(c->inputs);
    weir_free(c->outputs);
    weir_free(c->arrivals);
    weir_free(c->active);
    weir_free(c->ended);
    weir_free(c->timers);
    weir_free(c->dice);
}
