/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything an operator waits for is a condition with a count that only grows, by one at a time: messages of a queue, places of a
 * queue, inputs of the source. The next iteration is enabled when none of its conditions is missing; a finish or an arrival
 * advances the conditions on its list.
 */
#include "simulate/processors.h"

#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "simulate/processors_inside.h"

void weir_processors_refuse(struct weir_processors *p, enum weir_status status, const char *what)
{
    if (!p->status) {
        p->status = status;
        p->refused = what;
    }
}

/* ---- when something happens next ---- */

static bool sooner(const struct weir_processors *p, const uint32_t *a, const uint32_t *b)
{
    return p->when[*a] < p->when[*b];
}

#define NOTE_PLACE(p, who, at) ((p)->place[who] = (uint32_t)(at))
WEIR_HEAP(waiting, uint32_t, struct weir_processors *, sooner, NOTE_PLACE);

void weir_processors_set(struct weir_processors *p, uint32_t who, int64_t time)
{
    int64_t before = p->when[who];
    p->when[who] = time;
    if (time < before)
        waiting_rise(p, p->heap, p->place[who], who);
    else if (time > before)
        waiting_sink(p, p->heap, p->heap_count, p->place[who], who);
}

/* ---- nominal moments ---- */

static int64_t *past(const struct weir_processors_source *o, int64_t iteration)
{
    return &o->past[(uint64_t)iteration & (o->past_capacity - 1)];
}

static int64_t nominal_of(const struct weir_processors *p, const struct weir_worker *worker, int64_t iteration)
{
    const struct weir_processors_source *o = &p->origins[worker->source];
    return o->sporadic ? *past(o, iteration) : p->rules->phases[o->source] + iteration * o->period;
}

/* What anyone still needs begins with the slowest operator's. */
static void forget(struct weir_processors *p, uint32_t origin)
{
    struct weir_processors_source *o = &p->origins[origin];
    o->kept = o->arrived;
    for (uint32_t i = 0; i < p->worker_count; i++)
        if (p->workers[i].source == origin && p->workers[i].finished < o->kept)
            o->kept = p->workers[i].finished;
}

static void remember(struct weir_processors *p, uint32_t origin)
{
    struct weir_processors_source *o = &p->origins[origin];
    bool full = (uint64_t)(o->arrived - o->kept) >= o->past_capacity;
    if (full)
        forget(p, origin);
    if (full && 2 * (uint64_t)(o->arrived - o->kept) >= o->past_capacity) {
        struct weir_processors_source larger = {.past_capacity = o->past_capacity ? 2 * o->past_capacity : 64};
        larger.past = weir_array(larger.past_capacity, sizeof *larger.past);
        if (!larger.past) {
            weir_processors_refuse(p, WEIR_MEMORY, NULL);
            return;
        }
        for (int64_t i = o->kept; i < o->arrived; i++)
            *past(&larger, i) = *past(o, i);
        weir_free(o->past);
        o->past = larger.past;
        o->past_capacity = larger.past_capacity;
    }
    *past(o, o->arrived) = o->nominal;
}

/* ---- enabling ---- */

static void enable(struct weir_processors *p, uint32_t op)
{
    struct weir_worker *w = &p->workers[op];
    const struct weir_processors_rules *rules = p->rules;
    int64_t iteration = w->enabled++;
    if (rules->enabled)
        rules->enabled(rules->context, (struct weir_operator){op}, iteration, p->now, nominal_of(p, w, iteration));
    if (w->finished == iteration)
        weir_lane_ready(p, op, true);
}

static void count_missing(struct weir_processors *p, struct weir_worker *w)
{
    w->missing = 0;
    for (uint32_t i = w->first_condition; i < w->end_condition; i++)
        w->missing += p->conditions[i].met == w->enabled;
}

/* A condition that was missing is the next iteration's, too, until it advances again: no more than one is enabled. */
static void advance(struct weir_processors *p, uint32_t first_effect, uint32_t end_effect)
{
    for (uint32_t i = first_effect; i < end_effect; i++) {
        struct weir_condition *c = &p->conditions[p->effects[i]];
        struct weir_worker *w = &p->workers[c->op];
        if (c->met++ != w->enabled || w->enabled == p->rules->iterations || --w->missing > 0)
            continue;
        enable(p, c->op);
        count_missing(p, w);
    }
}

/* ---- arrivals and finishes ---- */

/* When the next input of the source arrives. */
static void expect(struct weir_processors *p, uint32_t origin)
{
    struct weir_processors_source *o = &p->origins[origin];
    int64_t last = o->arrival, step = o->period;
    if (o->arrived == p->rules->iterations) {
        weir_processors_set(p, p->lane_count + origin, INT64_MAX);
        return;
    }
    struct weir_drawn_release release = p->rules->release(p->rules->context, o->source, o->arrived);
    if (release.offset < 0 || release.offset > o->jitter)
        weir_processors_refuse(p, WEIR_INVALID, "an input was given an arrival beyond its jitter");
    if (o->arrived > 0 && o->sporadic && (release.spread < 0 || !weir_add(step, release.spread, &step)))
        weir_processors_refuse(p, WEIR_INVALID, "inputs of a sporadic source were given too close to each other");
    if (o->arrived == 0)
        step = p->rules->phases[o->source];
    if (!weir_add(o->nominal, step, &o->nominal) || !weir_add(o->nominal, release.offset, &o->arrival))
        weir_processors_refuse(p, WEIR_OVERFLOW, NULL);
    if (p->status)
        return;
    o->arrival = o->arrival < last ? last : o->arrival;
    weir_processors_set(p, p->lane_count + origin, o->arrival);
}

static void arrive(struct weir_processors *p, uint32_t origin)
{
    struct weir_processors_source *o = &p->origins[origin];
    const struct weir_processors_rules *rules = p->rules;
    if (o->sporadic)
        remember(p, origin);
    if (p->status)
        return;
    int64_t iteration = o->arrived++;
    if (rules->arrived)
        rules->arrived(rules->context, o->source, iteration, p->now, o->nominal);
    for (uint32_t i = p->fed_first[origin]; rules->observe && i < p->fed_first[origin + 1]; i++)
        rules->observe(rules->context, (struct weir_operator){p->fed[i]}, WEIR_ARRIVAL, iteration, p->now, o->nominal);
    advance(p, o->first_effect, o->end_effect);
    expect(p, origin);
}

static void tell(struct weir_processors *p, uint32_t op, enum weir_moment moment)
{
    const struct weir_worker *w = &p->workers[op];
    if (p->rules->observe)
        p->rules->observe(p->rules->context, (struct weir_operator){op}, moment, w->finished, p->now,
                          nominal_of(p, w, w->finished));
}

static void finish(struct weir_processors *p, uint32_t op)
{
    struct weir_worker *w = &p->workers[op];
    if (!w->begun)
        tell(p, op, WEIR_START);
    tell(p, op, WEIR_FINISH);
    w->begun = false;
    w->left = -1;
    w->finished++;
    if (w->finished == w->enabled)
        weir_lane_ready(p, op, false);
    if (w->finished == p->rules->iterations)
        p->unfinished--;
    advance(p, w->first_effect, w->end_effect);
}

/* ---- time ---- */

static void wake(struct weir_processors *p)
{
    uint32_t who = p->heap[0];
    if (who >= p->lane_count) {
        arrive(p, who - p->lane_count);
        return;
    }
    uint32_t over = weir_lane_wake(p, who);
    if (over != WEIR_NO_OPERATOR)
        finish(p, over);
}

static void choose(struct weir_processors *p)
{
    for (uint32_t i = 0; i < p->dirty_count; i++) {
        p->lanes[p->dirty[i]].dirty = false;
        weir_lane_choose(p, p->dirty[i]);
    }
    p->dirty_count = 0;
}

/* At the end of a moment: the operators that were chosen and not replaced within it. */
static void start(struct weir_processors *p)
{
    for (uint32_t i = 0; i < p->starting_count; i++) {
        uint32_t op = p->starting[i];
        struct weir_worker *w = &p->workers[op];
        const struct weir_lane *lane = &p->lanes[w->lane];
        w->queued = false;
        if (lane->running != op || lane->waiting || w->begun)
            continue;
        tell(p, op, WEIR_START);
        w->begun = true;
    }
    p->starting_count = 0;
}

static void pass(struct weir_processors *p)
{
    while (!p->status && p->unfinished > 0 && p->when[p->heap[0]] < INT64_MAX) {
        int64_t next = p->when[p->heap[0]];
        if (next > p->now)
            start(p);
        p->now = next;
        while (!p->status && p->when[p->heap[0]] == p->now)
            wake(p);
        if (!p->status)
            choose(p);
        if ((++p->steps & 4095) == 0 && !p->status && weir_interrupted())
            weir_processors_refuse(p, WEIR_INVALID, "interrupted");
    }
}

/* ---- a run ---- */

static void begin(struct weir_processors *p)
{
    p->now = 0;
    p->status = WEIR_OK;
    p->refused = NULL;
    p->starting_count = p->dirty_count = 0;
    p->unfinished = p->worker_count;
    weir_random_seed(&p->random, p->rules->seed);
    p->heap_count = p->lane_count + p->origin_count;
    for (uint32_t i = 0; i < p->heap_count; i++) {
        p->heap[i] = p->place[i] = i;
        p->when[i] = INT64_MAX;
    }
    for (size_t i = 0; i < p->condition_count; i++)
        p->conditions[i].met = p->conditions[i].initially;
    weir_lanes_begin(p);
    for (uint32_t i = 0; i < p->worker_count; i++) {
        struct weir_worker *w = &p->workers[i];
        w->enabled = w->finished = 0;
        w->left = -1;
        w->begun = w->queued = false;
        count_missing(p, w); /* never none: every operator follows its source on empty queues */
    }
    for (uint32_t i = 0; i < p->origin_count && !p->status; i++) {
        struct weir_processors_source *o = &p->origins[i];
        int64_t end;
        o->arrived = o->nominal = o->arrival = o->kept = 0;
        if (!weir_multiply(p->rules->iterations, o->period, &end) || !weir_add(end, p->rules->phases[o->source], &end))
            weir_processors_refuse(p, WEIR_OVERFLOW, NULL);
        else
            expect(p, i);
    }
}

static enum weir_status explain(const struct weir_processors *p, struct weir_error *error)
{
    if (p->status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (p->status == WEIR_OVERFLOW)
        return weir_fail(error, WEIR_OVERFLOW, "the simulation runs for longer than can be represented");
    if (p->status)
        return weir_fail(error, p->status, "%s", p->refused);
    if (p->unfinished == 0)
        return WEIR_OK;
    uint32_t stuck = 0;
    while (p->workers[stuck].finished == p->rules->iterations)
        stuck++;
    char name[WEIR_QUOTED], time[WEIR_TIME_TEXT];
    return weir_fail(error, p->sized ? WEIR_INVALID : WEIR_INTERNAL,
                     "the simulation is stuck at time %s: operator \"%s\" cannot start iteration %lld%s",
                     weir_time_format(p->pipeline, p->now, time),
                     weir_quote(weir_pipeline_operator(p->pipeline, (struct weir_operator){stuck}).name, name),
                     (long long)p->workers[stuck].finished, p->sized ? " with these capacities" : "");
}

enum weir_status weir_processors_play(struct weir_processors *p, const struct weir_processors_rules *rules,
                                      struct weir_error *error)
{
    p->rules = rules;
    begin(p);
    pass(p);
    return explain(p, error);
}

enum weir_status weir_processors_new(const struct weir_pipeline *pipeline, const uint32_t *capacities,
                                     struct weir_processors **processors, struct weir_error *error)
{
    *processors = NULL;
    struct weir_processors *p = weir_array_zeroed(1, sizeof *p);
    if (!p)
        return weir_fail_memory(error);
    p->pipeline = pipeline;
    p->sized = capacities != NULL;
    enum weir_status status = weir_processors_allocate(p) ? weir_processors_read(p, capacities, error) : weir_fail_memory(error);
    if (status)
        weir_processors_free(p);
    else
        *processors = p;
    return status;
}

void weir_processors_free(struct weir_processors *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; p->origins && i < p->origin_count; i++)
        weir_free(p->origins[i].past);
    weir_arena_free(&p->arena);
    weir_free(p);
}

uint32_t weir_processors_source(const struct weir_processors *processors, struct weir_operator op)
{
    return processors->origins[processors->workers[op.index].source].source;
}
