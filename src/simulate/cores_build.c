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
        for (uint32_t i = c->in.first[v]; i < c->in.first[v + 1] && !status; i++)
            status = step(b, c->in.queue[i], v, &depth);
        for (uint32_t i = c->out.first[v]; i < c->out.first[v + 1] && !status; i++)
            status = step(b, c->out.queue[i], v, &depth);
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
        for (uint32_t i = c->in.first[v]; i < c->in.first[v + 1]; i++)
            samples = c->queues[c->in.queue[i]].consume > samples ? c->queues[c->in.queue[i]].consume : samples;
        good = samples == 0 || read_cost(c, v, samples);
    }
    for (uint32_t i = 0; i < c->source_count && good; i++) {
        struct weir_source_spec source = weir_pipeline_source(c->pipeline, i);
        good = read_cost(c, source.op.index, source.batch ? source.batch : 1);
    }
    return good;
}

/* ---- arrivals ---- */

/*
 * A batch arrives with its last sample. Of samples such that no window sees more than x of them, batches of B can be made at
 * a_1 <= a_2 <= ... exactly when
 *
 *     a_j >= a_(j-k) + floor(k B / x) window    for all k < j
 *
 * (put each sample as early as the batches before it allow). With B / x = b / c in lowest terms k <= c is enough, because k = c
 * gives b windows; and of the k with the same quotient the smallest.
 */
/* An extreme source pauses for this many periods. */
#define REST 8

static bool is_even(const struct weir_core_arrivals *a)
{
    return a->mode == WEIR_EDF_ARRIVALS_EVEN || (!a->sporadic && !a->bursty);
}

/* Draws how the source behaves; the fields up to there are set, the others 0 but for the numbers of a burst. False: they do not
 * fit. */
static bool begin_arrivals(struct weir_core_arrivals *a, uint64_t seed)
{
    static const int64_t odds[] = {1, 2, 4, 8, 12, 16};
    int64_t product;
    weir_random_seed(&a->random, seed);
    a->odds = odds[weir_random_between(&a->random, 0, 5)];
    return !a->bursty || (weir_multiply(a->least, a->window, &product) && product < WEIR_TIME_MAX &&
                          weir_multiply(a->least, a->most, &product) && product < WEIR_TIME_MAX);
}

/* Nominal arrivals, each up to the jitter late, in order. */
static int64_t draw_even(struct weir_core_arrivals *a)
{
    int64_t time, late = 0;
    if (!weir_multiply(a->drawn, a->period, &time) || !weir_add(time, a->phase, &time))
        return INT64_MAX;
    if (a->mode == WEIR_EDF_ARRIVALS_RANDOM)
        late = weir_random_between(&a->random, 0, a->jitter);
    else if (a->mode == WEIR_EDF_ARRIVALS_EXTREME && weir_random_between(&a->random, 1, 16) <= a->odds)
        late = a->jitter;
    return time < WEIR_TIME_MAX ? time + late : time;
}

static int64_t draw_pause(struct weir_core_arrivals *a)
{
    if (a->mode == WEIR_EDF_ARRIVALS_EXTREME)
        return weir_random_between(&a->random, 1, 16) <= a->odds ? REST : 0;
    return weir_random_between(&a->random, 0, 2) ? 0 : -1;
}

/* The earliest moment that the windows leave to the next batch. */
static int64_t earliest(const struct weir_core_arrivals *a)
{
    int64_t time = a->last, reach = a->drawn < a->kept ? a->drawn : a->kept;
    bool few = a->least < a->most; /* quotients rather than batches */
    for (int64_t i = 1; i <= (few ? a->least : a->most); i++) {
        int64_t k = few ? (i * a->most + a->least - 1) / a->least : i, windows = few ? i : i * a->least / a->most;
        if (k > reach)
            break;
        int64_t then = a->past[(a->drawn - k) % a->kept] + windows * a->window;
        time = then > time ? then : time;
    }
    return time;
}

/* The ring is full for the first time, so that its first place is that of the first arrival. */
static bool keep_more(struct weir_core_arrivals *a)
{
    int64_t kept = a->kept == 0 ? 16 : 2 * a->kept;
    kept = kept > a->most ? a->most : kept;
    int64_t *past = weir_resize(a->past, (size_t)kept * sizeof *past);
    if (!past)
        return false;
    a->past = past;
    a->kept = kept;
    return true;
}

int64_t weir_core_arrivals_draw(struct weir_core_arrivals *a)
{
    int64_t time;
    if (is_even(a)) {
        time = draw_even(a);
    } else {
        time = a->drawn == 0 ? a->phase : a->bursty ? earliest(a) : a->last + a->period;
        int64_t pause = draw_pause(a), unit = a->bursty && a->window > a->period ? a->window : a->period;
        if (unit >= WEIR_TIME_MAX / REST)
            unit = WEIR_TIME_MAX / REST;
        time += pause < 0 ? weir_random_between(&a->random, 0, 2 * a->period) : pause * unit;
    }
    if (time < a->last)
        time = a->last;
    if (time > WEIR_TIME_MAX)
        time = WEIR_TIME_MAX;
    if (a->bursty && !is_even(a)) {
        if (a->drawn == a->kept && a->kept < a->most && !keep_more(a))
            return -1;
        a->past[a->drawn % a->kept] = time;
    }
    a->last = time;
    a->drawn++;
    return time;
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
    return begin_arrivals(a, seed);
}

static bool read_sources(struct weir_cores *c)
{
    for (uint32_t i = 0; i < c->source_count; i++)
        if (!read_source(c, i, weir_random_next(&c->random)))
            return false;
    return true;
}

/* ---- the whole ---- */

static bool make_room(struct build *b)
{
    struct weir_cores *c = b->c;
    struct weir_arena *arena = &c->arena;
    size_t n = c->task_count = weir_pipeline_operator_count(c->pipeline);
    size_t e = c->queue_count = weir_pipeline_queue_count(c->pipeline);
    c->source_count = weir_pipeline_source_count(c->pipeline);
    c->tasks = weir_arena_array(arena, n, sizeof *c->tasks);
    c->queues = weir_arena_array(arena, e, sizeof *c->queues);
    c->arrivals = weir_arena_array(arena, c->source_count, sizeof *c->arrivals);
    c->active = weir_arena_array(arena, n, sizeof *c->active);
    c->ended = weir_arena_array(arena, n, sizeof *c->ended);
    c->timers = weir_arena_array(arena, n + c->source_count, sizeof *c->timers);
    c->dice = weir_dice_new(c->pipeline, weir_random_next(&c->random));
    b->period = weir_arena_array(arena, n, sizeof *b->period);
    b->part = weir_arena_array(arena, n, sizeof *b->part);
    b->stack = weir_arena_array(arena, n, sizeof *b->stack);
    b->round = weir_arena_array(arena, n, sizeof *b->round);
    return c->dice && weir_links_make(&c->in, c->pipeline, WEIR_LINKS_IN, arena) &&
           weir_links_make(&c->out, c->pipeline, WEIR_LINKS_OUT, arena);
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
    weir_random_seed(&c->random, c->options->seed);
    if (!make_room(&b))
        return weir_fail_memory(error);
    enum weir_status status = derive(&b);
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
    weir_free(c->dice);
    weir_arena_free(&c->arena);
}
