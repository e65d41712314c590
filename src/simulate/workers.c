/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operator counts what it is short of; at 0 it is ready. Nothing but its own start takes that away again, so each iteration
 * becomes ready once, is seen once, and waits in a list of those to choose from.
 *
 * No operator executes two iterations at once, so at most one thing of each kind is to happen to each of them: room for all of
 * them is taken at the beginning.
 */
#include "simulate/workers.h"

#include "base/error.h"
#include "base/heap.h"
#include "base/number.h"
#include "base/random.h"
#include "model/dispatch.h"
#include "model/links.h"
#include "model/pipeline.h"

enum event { FINISH, RECEIVE, PERIOD, SEEN, EVENTS };

struct moment {
    int64_t time;
    uint64_t tie; /* of equal times the smaller goes first */
    uint32_t op;
    uint32_t what;
};

struct pipe {
    int64_t there; /* messages */
    int64_t taken; /* slots */
    int64_t slots; /* INT64_MAX: the writer never waits */
    uint32_t writer, reader;
};

struct actor {
    int64_t begun;   /* iterations */
    int64_t arrived; /* inputs */
    int64_t ready;   /* since when */
    int64_t period;  /* 0: none */
    uint32_t short_of;
    bool exact;   /* arrivals, or ticks that are caught up with */
    bool arrives; /* the former */
    bool late;    /* receives after the start */
    bool last;    /* ... this time not before the finish */
};

struct pool {
    struct weir_arena arena;
    const struct weir_pool_rules *rules;
    struct weir_workers_spec spec;
    struct actor *actors;
    struct pipe *pipes;
    struct weir_links in, out; /* pipes, by actor */
    struct moment *moments;    /* a heap */
    size_t moment_count;
    struct weir_candidate *seen; /* in the order of the pipeline */
    size_t seen_count;
    struct weir_candidate *list; /* those of them that a thread is free for */
    uint32_t actor_count, pipe_count;
    uint32_t *crew;  /* by actor: 0, or its lane and 1 */
    uint32_t *idle;  /* by crew: workers, and the thread of each lane */
    uint32_t *order; /* WEIR_DISPATCH_GREEDY: of the operators */
    uint32_t place;  /* ... in it: of the operator that the thread comes to next */
    int64_t now;
    struct weir_random random;
    bool over;
    enum weir_status status;
    const char *wrong; /* WEIR_INVALID: what was given */
};

/* ---- what is to happen ---- */

static bool before(const struct pool *p, const struct moment *a, const struct moment *b)
{
    (void)p;
    return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

WEIR_HEAP(moments, struct moment, const struct pool *, before, WEIR_HEAP_STAYS);

static void expect(struct pool *p, int64_t delay, uint32_t op, enum event what)
{
    int64_t time;
    if (!weir_add(p->now, delay, &time)) {
        p->status = WEIR_OVERFLOW;
        return;
    }
    uint64_t tie = p->rules->seed ? weir_random_next(&p->random) : (uint64_t)op * EVENTS + what;
    moments_push(p, p->moments, &p->moment_count, (struct moment){.time = time, .tie = tie, .op = op, .what = what});
}

static void observe(struct pool *p, uint32_t op, enum weir_moment moment, int64_t iteration)
{
    const struct weir_pool_rules *rules = p->rules;
    if (rules->observe && !rules->observe(rules->context, (struct weir_operator){op}, moment, iteration, p->now))
        p->over = true;
}

/* From now on a worker may take it. */
static void see(struct pool *p, uint32_t op)
{
    const struct actor *a = &p->actors[op];
    size_t at = p->seen_count++;
    for (; at > 0 && p->seen[at - 1].op.index > op; at--)
        p->seen[at] = p->seen[at - 1];
    p->seen[at] = (struct weir_candidate){.op = {op}, .iteration = a->begun, .since = a->ready};
}

static void become_ready(struct pool *p, uint32_t op)
{
    const struct weir_pool_rules *rules = p->rules;
    p->actors[op].ready = p->now;
    if (p->spec.dispatch == WEIR_DISPATCH_GREEDY)
        return; /* the thread finds it when it comes to it */
    int64_t delay = 0;
    if (p->spec.polling && rules->delay)
        delay = rules->delay(rules->context, (struct weir_operator){op}, p->actors[op].begun);
    if (delay < 0 || delay > p->spec.polling) {
        p->status = WEIR_INVALID;
        p->wrong = "an operator is seen later than the polling period allows";
    } else if (delay == 0) {
        see(p, op);
    } else {
        expect(p, delay, op, SEEN);
    }
}

static void get(struct pool *p, uint32_t op)
{
    if (--p->actors[op].short_of == 0)
        become_ready(p, op);
}

/* ---- an execution ---- */

static int64_t time_of(struct pool *p, uint32_t op, enum weir_part part, int64_t iteration)
{
    int64_t time = p->rules->time_of(p->rules->context, (struct weir_operator){op}, part, iteration);
    if (time < 0) {
        p->status = WEIR_INVALID;
        p->wrong = "an execution was given a negative time";
    }
    return time;
}

static void free_slots(struct pool *p, uint32_t op)
{
    for (uint32_t i = p->in.first[op]; i < p->in.first[op + 1]; i++) {
        struct pipe *pipe = &p->pipes[p->in.queue[i]];
        if (pipe->taken-- == pipe->slots)
            get(p, pipe->writer);
    }
}

/* What the next iteration has to wait for, besides the end of this one. */
static void use_up(struct pool *p, uint32_t op)
{
    struct actor *a = &p->actors[op];
    for (uint32_t i = p->in.first[op]; i < p->in.first[op + 1]; i++)
        a->short_of += --p->pipes[p->in.queue[i]].there == 0;
    for (uint32_t i = p->out.first[op]; i < p->out.first[op + 1]; i++) {
        struct pipe *pipe = &p->pipes[p->out.queue[i]];
        a->short_of += ++pipe->taken == pipe->slots;
    }
    if (a->exact) {
        a->short_of += a->begun == a->arrived;
    } else if (a->period) {
        a->short_of++;
        expect(p, a->period, op, PERIOD);
    }
}

static void start(struct pool *p, uint32_t op)
{
    struct actor *a = &p->actors[op];
    if (a->begun == p->rules->iterations) {
        p->over = true;
        return;
    }
    int64_t iteration = a->begun++;
    p->idle[p->crew[op]]--;
    a->short_of++; /* it is executing */
    observe(p, op, WEIR_START, iteration);
    use_up(p, op);
    int64_t wait = a->late ? time_of(p, op, WEIR_PART_RECEIVE, iteration) : 0;
    int64_t length = time_of(p, op, WEIR_PART_EXECUTION, iteration);
    if (p->status)
        return;
    expect(p, length > wait ? length : wait, op, FINISH);
    a->last = wait && wait >= length;
    if (wait == 0)
        free_slots(p, op);
    else if (wait < length)
        expect(p, wait, op, RECEIVE);
}

static void finish(struct pool *p, uint32_t op)
{
    struct actor *a = &p->actors[op];
    p->idle[p->crew[op]]++;
    observe(p, op, WEIR_FINISH, a->begun - 1);
    if (a->last)
        free_slots(p, op);
    for (uint32_t i = p->out.first[op]; i < p->out.first[op + 1]; i++) {
        struct pipe *pipe = &p->pipes[p->out.queue[i]];
        if (pipe->there++ == 0)
            get(p, pipe->reader);
    }
    get(p, op);
}

static void pass_period(struct pool *p, uint32_t op)
{
    struct actor *a = &p->actors[op];
    if (!a->exact) {
        get(p, op);
        return;
    }
    if (a->arrives)
        observe(p, op, WEIR_ARRIVAL, a->arrived);
    if (a->arrived < p->rules->iterations) /* the next would end the run, and those after it are of no use */
        expect(p, a->period, op, PERIOD);
    if (a->arrived++ == a->begun)
        get(p, op);
}

static void happen(struct pool *p, struct moment moment)
{
    p->now = moment.time;
    switch ((enum event)moment.what) {
    case FINISH:
        finish(p, moment.op);
        break;
    case RECEIVE:
        free_slots(p, moment.op);
        break;
    case PERIOD:
        pass_period(p, moment.op);
        break;
    case SEEN:
        see(p, moment.op);
        break;
    case EVENTS:
        break;
    }
}

/* ---- all of it ---- */

/* Whether one more of the things of this moment happens before anyone is chosen. */
static bool goes_on(struct pool *p)
{
    return p->moment_count && p->moments[0].time == p->now && (!p->rules->seed || weir_random_next(&p->random) >> 63);
}

/* The place of the operator whose turn it is; none: actor_count. */
static uint32_t come_to(struct pool *p)
{
    for (uint32_t i = 0; i < p->actor_count; i++) {
        uint32_t place = p->place < p->actor_count - i ? p->place + i : p->place - (p->actor_count - i);
        if (p->actors[p->order[place]].short_of == 0)
            return place;
    }
    return p->actor_count;
}

/* False: no thread is free for any of those that are there. */
static bool choose_seen(struct pool *p)
{
    const struct weir_pool_rules *rules = p->rules;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < p->seen_count; i++)
        if (p->idle[p->crew[p->seen[i].op.index]])
            p->list[count++] = p->seen[i];
    if (count == 0)
        return false;
    size_t picked = rules->pick ? rules->pick(rules->context, p->list, count, p->now) : 0;
    if (picked >= count) {
        p->status = WEIR_INVALID;
        p->wrong = "an operator was chosen that is not there";
        return false;
    }
    uint32_t op = p->list[picked].op.index;
    while (p->seen[at].op.index != op)
        at++;
    p->seen_count--;
    for (size_t i = at; i < p->seen_count; i++)
        p->seen[i] = p->seen[i + 1];
    start(p, op);
    return true;
}

static void choose_next(struct pool *p)
{
    uint32_t place = come_to(p);
    if (place == p->actor_count)
        return;
    p->place = place + 1 == p->actor_count ? 0 : place + 1;
    start(p, p->order[place]);
}

static void choose(struct pool *p)
{
    bool any = true;
    if (p->spec.dispatch == WEIR_DISPATCH_GREEDY && p->idle[0])
        choose_next(p);
    while (any && p->seen_count && !p->over && !p->status)
        any = choose_seen(p);
}

static void run(struct pool *p)
{
    for (;;) {
        choose(p);
        if (p->over || p->status || !p->moment_count)
            return;
        do
            happen(p, moments_pop(p, p->moments, &p->moment_count));
        while (!p->over && !p->status && goes_on(p));
    }
}

/* ---- setting up ---- */

static void read_operators(struct pool *p, const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < p->actor_count; i++)
        p->actors[i].late = weir_pipeline_operator(pipeline, (struct weir_operator){i}).receive_max > 0;
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        struct actor *a = &p->actors[source.op.index];
        a->period = source.period;
        a->arrives = source.arrivals == WEIR_ARRIVALS_EXACT;
        a->exact = a->arrives || source.arrivals == WEIR_ARRIVALS_CATCH_UP;
    }
}

static void read_lanes(struct pool *p, const struct weir_pipeline *pipeline)
{
    p->idle[0] = p->spec.workers ? p->spec.workers : p->actor_count;
    for (uint32_t i = 0; i < p->actor_count && pipeline->lanes; i++)
        if (pipeline->lanes[i] != WEIR_NO_LANE) {
            p->crew[i] = pipeline->lanes[i] + 1;
            p->idle[p->crew[i]] = 1;
        }
}

static void read_queues(struct pool *p, const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < p->pipe_count; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        bool endless = q.nonblocking || q.capacity == WEIR_UNBOUNDED;
        p->pipes[i] = (struct pipe){.there = q.initial,
                                    .taken = q.initial,
                                    .slots = endless ? INT64_MAX : q.capacity,
                                    .writer = q.from.index,
                                    .reader = q.to.index};
    }
}

static void begin(struct pool *p)
{
    for (uint32_t i = 0; i < p->pipe_count; i++) {
        const struct pipe *pipe = &p->pipes[i];
        p->actors[pipe->reader].short_of += pipe->there == 0;
        p->actors[pipe->writer].short_of += pipe->taken == pipe->slots;
    }
    for (uint32_t i = 0; i < p->actor_count; i++) {
        struct actor *a = &p->actors[i];
        int64_t later = p->rules->begins ? p->rules->begins[i] : 0;
        if (a->exact || later) {
            a->short_of++;
            expect(p, later, i, PERIOD);
        }
        if (a->short_of == 0)
            become_ready(p, i);
    }
    while (!p->over && !p->status && goes_on(p))
        happen(p, moments_pop(p, p->moments, &p->moment_count));
}

static bool allocate(struct pool *p, const struct weir_pipeline *pipeline)
{
    p->actors = weir_arena_array(&p->arena, p->actor_count, sizeof *p->actors);
    p->pipes = weir_arena_array(&p->arena, p->pipe_count, sizeof *p->pipes);
    p->moments = weir_arena_array(&p->arena, (size_t)p->actor_count * EVENTS, sizeof *p->moments);
    p->seen = weir_arena_array(&p->arena, p->actor_count, sizeof *p->seen);
    p->list = weir_arena_array(&p->arena, p->actor_count, sizeof *p->list);
    p->crew = weir_arena_array(&p->arena, p->actor_count, sizeof *p->crew);
    p->idle = weir_arena_array(&p->arena, (size_t)pipeline->lane_count + 1, sizeof *p->idle);
    if (p->spec.dispatch == WEIR_DISPATCH_GREEDY) {
        p->order = weir_arena_array(&p->arena, p->actor_count, sizeof *p->order);
        if (p->arena.failed || !weir_dispatch_order(pipeline, p->order))
            return false;
    }
    return weir_links_make(&p->in, pipeline, WEIR_LINKS_IN, &p->arena) &&
           weir_links_make(&p->out, pipeline, WEIR_LINKS_OUT, &p->arena);
}

static enum weir_status explain(const struct pool *p, struct weir_error *error)
{
    if (p->status == WEIR_OVERFLOW)
        return weir_fail(error, WEIR_OVERFLOW, "the simulation runs for longer than can be represented");
    if (p->status)
        return weir_fail(error, p->status, "%s", p->wrong);
    return p->over ? WEIR_OK : weir_fail(error, WEIR_INTERNAL, "the simulation of worker threads is stuck");
}

static enum weir_status check(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    char name[WEIR_QUOTED];
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec op = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        if (op.reentrant)
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" is reentrant; those that share worker threads cannot be",
                             weir_quote(op.name, name));
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        if (q.consume > 1 || q.latest || q.optional || q.full != WEIR_FULL_NEVER)
            return weir_fail(
                error, WEIR_INVALID,
                "operators share threads, and the simulation of these plays queues that are waited for, message by message, alone: "
                "not those to \"%s\"",
                weir_quote(weir_pipeline_operator(pipeline, q.to).name, name));
    }
    return WEIR_OK;
}

enum weir_status weir_pool_run(const struct weir_pipeline *pipeline, const struct weir_pool_rules *rules, struct weir_error *error)
{
    struct pool p = {.rules = rules,
                     .spec = weir_pipeline_workers(pipeline),
                     .actor_count = weir_pipeline_operator_count(pipeline),
                     .pipe_count = weir_pipeline_queue_count(pipeline)};
    enum weir_status status = check(pipeline, error);
    if (status)
        return status;
    weir_random_seed(&p.random, rules->seed);
    if (allocate(&p, pipeline)) {
        read_operators(&p, pipeline);
        read_lanes(&p, pipeline);
        read_queues(&p, pipeline);
        begin(&p);
        run(&p);
        status = explain(&p, error);
    } else {
        status = weir_fail_memory(error);
    }
    weir_arena_free(&p.arena);
    return status;
}
