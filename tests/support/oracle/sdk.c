/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/sdk.h"

#include <string.h>

#define NEVER INT64_MAX

/* Whose data it is: when the executions of each operator began that it came from. -1: none of it. */
struct message {
    int64_t oldest[SDK_OPERATORS], newest[SDK_OPERATORS];
    int64_t arrived;
};

struct queue {
    int from, to, capacity, batch; /* entities */
    int port;
    int line;    /* the queue that has the messages: itself, or the first that leads to the same input */
    bool shared; /* several lead there: each producer sees room for itself, and all may send */
    bool async, output_none, input_none;
    enum sdk_policy policy;
    struct message held[SDK_HELD];
    int count;
};

struct entity {
    int op;          /* -1: a broadcast */
    int64_t ends;    /* while it executes; else NEVER */
    int64_t begins;  /* its period: not before this */
    int64_t noticed; /* by a scheduler that polls; NEVER: it is not ready */
    uint64_t rank;   /* of those that are favoured */
    int done;
    bool skipped; /* it has nothing to send */
    struct message message;
};

struct play {
    const struct sdk_app *app;
    const struct sdk_run *run;
    struct sdk_seen *seen;
    struct entity entities[SDK_ENTITIES];
    struct queue queues[SDK_QUEUES];
    int entity_count, queue_count;
    int busy[SDK_OPERATORS + 1]; /* threads, by lane; of all others under 0 */
    int64_t now, counts_from;
    int64_t clock; /* what the scheduler takes for now */
    uint64_t dice;
};

static int lane_of(const struct play *p, int e)
{
    return p->entities[e].op < 0 ? 0 : p->app->operators[p->entities[e].op].lane;
}

static uint64_t draw(struct play *p)
{
    p->dice ^= p->dice << 13;
    p->dice ^= p->dice >> 7;
    p->dice ^= p->dice << 17;
    return p->dice * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static int64_t between(struct play *p, int64_t low, int64_t high)
{
    return low + (int64_t)(draw(p) % (uint64_t)(high - low + 1));
}

/* ---- what the SDK makes of the application ---- */

bool sdk_begins(const struct sdk_app *app, int op)
{
    for (int i = 0; i < app->port_count; i++)
        for (int k = 0; k < app->ports[i].targets; k++)
            if (app->ports[i].to[k] == op && !app->ports[i].async && !app->ports[i].input_none)
                return false;
    return true;
}

static void connect(struct play *p, const struct sdk_port *port, int from, int to)
{
    struct queue *q = &p->queues[p->queue_count++];
    q->from = from;
    q->to = to;
    q->capacity = port->capacity;
    q->batch = port->batch;
    q->port = (int)(port - p->app->ports);
    q->shared = port->shared;
    q->line = p->queue_count - 1;
    for (int i = 0; port->shares && i < p->queue_count; i++)
        if (p->queues[i].port == port->shares - 1)
            q->line = p->queues[i].line;
    q->async = port->async;
    q->output_none = port->output_none;
    q->input_none = port->input_none;
    q->policy = port->policy;
    q->count = 0;
}

/* Entities in the order of creation: an operator, then the broadcasts of its ports. */
static void create(struct play *p)
{
    int of[SDK_OPERATORS] = {0}, broadcast[SDK_PORTS] = {0};
    for (int o = 0; o < p->app->operator_count; o++) {
        of[o] = p->entity_count;
        p->entities[p->entity_count++] = (struct entity){.op = o, .ends = NEVER, .noticed = NEVER};
        for (int i = 0; i < p->app->port_count; i++)
            if (p->app->ports[i].from == o && p->app->ports[i].targets > 1) {
                broadcast[i] = p->entity_count;
                p->entities[p->entity_count++] = (struct entity){.op = -1, .ends = NEVER, .noticed = NEVER};
            }
    }
    for (int i = 0; i < p->app->port_count; i++) {
        const struct sdk_port *port = &p->app->ports[i];
        int from = of[port->from];
        if (port->targets > 1) {
            connect(p, port, from, broadcast[i]);
            from = broadcast[i];
        }
        for (int k = 0; k < port->targets; k++)
            connect(p, port, from, of[port->to[k]]);
    }
}

static void set_ranks(struct play *p)
{
    for (int e = 0; e < p->entity_count && p->run->favours; e++)
        p->entities[e].rank = draw(p);
}

/* A source does not begin before `time`: what was before that is its start-up. */
static void begin_by(struct play *p, int op, int64_t time)
{
    const struct sdk_operator *o = &p->app->operators[op];
    if (p->run->phases && o->ticks != SDK_NO_TICKS && sdk_begins(p->app, op) && time - o->period > p->counts_from)
        p->counts_from = time - o->period;
}

static void set_phases(struct play *p)
{
    for (int e = 0; e < p->entity_count; e++) {
        struct entity *it = &p->entities[e];
        const struct sdk_operator *o = it->op < 0 ? NULL : &p->app->operators[it->op];
        if (!o || o->ticks == SDK_NO_TICKS || !p->run->phases || !sdk_begins(p->app, it->op))
            continue;
        it->begins = draw(p) % 3 ? between(p, 0, o->period) : between(p, 0, 6 * o->period);
        begin_by(p, it->op, it->begins);
    }
}

/* ---- executing ---- */

static bool is_ready(const struct play *p, int e)
{
    const struct entity *it = &p->entities[e];
    if (it->ends != NEVER || it->begins > p->clock)
        return false;
    for (int i = 0; i < p->queue_count; i++) {
        const struct queue *q = &p->queues[i];
        int count = p->queues[q->line].count;
        if (q->to == e && !q->async && !q->input_none && count < q->batch)
            return false;
        if (q->from == e && !q->async && !q->output_none && count == q->capacity)
            return false;
    }
    return true;
}

static void mix(struct message *into, const struct message *other)
{
    for (int o = 0; o < SDK_OPERATORS; o++) {
        if (other->oldest[o] >= 0 && (into->oldest[o] < 0 || other->oldest[o] < into->oldest[o]))
            into->oldest[o] = other->oldest[o];
        if (other->newest[o] > into->newest[o])
            into->newest[o] = other->newest[o];
    }
}

static void drop_first(struct queue *q)
{
    memmove(q->held, q->held + 1, (size_t)--q->count * sizeof *q->held);
}

/* Ticks count from the first execution, whenever that is. */
static void next_tick(struct play *p, struct entity *it)
{
    const struct sdk_operator *o = &p->app->operators[it->op];
    int64_t last = it->done == 1 ? p->clock : it->begins;
    if (it->done == 1)
        begin_by(p, it->op, p->clock);
    switch (o->ticks) {
    case SDK_NO_TICKS:
        break;
    case SDK_AT_LEAST:
        it->begins = p->clock + o->period;
        break;
    case SDK_CATCH_UP:
        it->begins = last + o->period;
        break;
    case SDK_SKIP:
        it->begins = last + ((p->clock - last) / o->period + 1) * o->period;
        break;
    }
    if (p->run->stalls && sdk_begins(p->app, it->op) && draw(p) % 12 == 0) {
        int64_t later = p->now + between(p, 0, 8 * o->worst + 2 * o->period);
        if (o->ticks != SDK_SKIP && o->ticks != SDK_CATCH_UP && later > it->begins)
            it->begins = later;
    }
}

static int64_t time_of(struct play *p, const struct sdk_operator *o)
{
    int mode = p->run->mode;
    return mode == 0   ? o->best
           : mode == 1 ? o->worst
           : mode == 2 ? (draw(p) & 1 ? o->best : o->worst)
                       : between(p, o->best, o->worst);
}

/* How long it could have been started by what releases it: its tick and the messages that it waits for. */
static void note_delay(struct play *p, int e)
{
    const struct entity *it = &p->entities[e];
    int64_t released = -1;
    if (it->op < 0)
        return;
    if (p->app->operators[it->op].ticks != SDK_NO_TICKS)
        released = it->begins;
    for (int i = 0; i < p->queue_count; i++) {
        const struct queue *q = &p->queues[i];
        if (q->to == e && !q->async && !q->input_none && q->held[q->batch - 1].arrived > released)
            released = q->held[q->batch - 1].arrived;
    }
    if (released >= 0 && p->now - released > p->seen->delay[it->op])
        p->seen->delay[it->op] = p->now - released;
}

/* Whether what the operator reads again is missing, and it does not execute. */
static bool misses(struct play *p, int e)
{
    bool skips = false;
    for (int i = 0; i < p->queue_count; i++) {
        const struct queue *q = &p->queues[i];
        if (q->to != e || !q->async)
            continue;
        const struct sdk_port *port = &p->app->ports[q->port];
        bool stale = q->count && p->now - q->held[0].newest[port->from] > port->within;
        p->seen->missed[q->port] |= q->count == 0;
        if (q->count && !stale)
            continue;
        skips |= port->missing == SDK_SKIP_ACTIVATION;
        p->seen->fault |= port->missing == SDK_FAIL;
    }
    return skips;
}

static void start(struct play *p, int e)
{
    struct entity *it = &p->entities[e];
    note_delay(p, e);
    it->skipped = misses(p, e);
    memset(&it->message, 0xff, sizeof it->message);
    for (int i = 0; i < p->queue_count; i++) {
        struct queue *q = &p->queues[i];
        if (q->to != e || q->line != i || q->count == 0)
            continue;
        int64_t began = q->held[0].newest[p->app->ports[q->port].from];
        if (q->async && began >= p->counts_from && p->now - began > p->seen->read[q->port])
            p->seen->read[q->port] = p->now - began;
        for (int k = 0; k < q->batch && (k == 0 || q->count > 0); k++) {
            mix(&it->message, &q->held[0]);
            if (!q->async)
                drop_first(q);
        }
    }
    it->noticed = NEVER;
    it->ends = p->now;
    it->done++;
    p->busy[lane_of(p, e)]++;
    if (it->op < 0)
        return;
    it->message.oldest[it->op] = it->message.newest[it->op] = p->now;
    it->ends += it->skipped ? 0 : time_of(p, &p->app->operators[it->op]);
    next_tick(p, it);
}

static void push(struct play *p, struct queue *q, const struct message *message)
{
    if (q->async)
        q->count = 0;
    bool full = (q->output_none || q->shared) && !q->async && q->count == q->capacity;
    if (full && q->policy == SDK_FAULT)
        p->seen->fault = true;
    if (full && q->policy != SDK_POP)
        return;
    if (full)
        drop_first(q);
    q->held[q->count] = *message;
    q->held[q->count++].arrived = p->now;
}

static void note(struct play *p, int from, int to, int64_t began)
{
    struct sdk_seen *s = p->seen;
    int64_t age = p->now - began;
    if (began < 0 || began < p->counts_from)
        return;
    if (!s->any[from][to] || age > s->longest[from][to])
        s->longest[from][to] = age;
    if (!s->any[from][to] || age < s->shortest[from][to])
        s->shortest[from][to] = age;
    s->any[from][to] = true;
}

static void finish(struct play *p, int e)
{
    struct entity *it = &p->entities[e];
    it->ends = NEVER;
    p->busy[lane_of(p, e)]--;
    if (it->skipped)
        return;
    for (int from = 0; it->op >= 0 && from < p->app->operator_count; from++) {
        note(p, from, it->op, it->message.oldest[from]);
        note(p, from, it->op, it->message.newest[from]);
    }
    for (int i = 0; i < p->queue_count && !p->seen->fault; i++)
        if (p->queues[i].from == e)
            push(p, &p->queues[p->queues[i].line], &it->message);
}

/* ---- schedulers ---- */

/* Whether a free worker may start it now. */
static bool can_start(struct play *p, int e)
{
    const struct sdk_app *app = p->app;
    struct entity *it = &p->entities[e];
    if (!is_ready(p, e)) {
        it->noticed = NEVER;
        return false;
    }
    if (it->noticed == NEVER)
        it->noticed = p->now + (app->scheduler != SDK_MULTI_THREAD ? 0 : draw(p) & 1 ? app->polling : between(p, 0, app->polling));
    int lane = lane_of(p, e);
    bool thread = lane ? p->busy[lane] == 0 : app->scheduler == SDK_THREADS || p->busy[0] < app->workers;
    return it->noticed <= p->now && thread;
}

/* Whether one that can start on the same thread was there before this one, or goes first. */
static bool has_to_wait(const struct play *p, const int *can, int count, int e)
{
    for (int i = 0; i < count; i++) {
        int other = can[i] - SDK_ENTITIES;
        if (other < 0 || lane_of(p, other) != lane_of(p, e))
            continue;
        if (p->run->in_order ? p->entities[other].noticed < p->entities[e].noticed
                             : p->run->favours && p->entities[other].rank < p->entities[e].rank)
            return true;
    }
    return false;
}

/* One thing of those that can happen in this moment, whichever; false: nothing can. */
static bool step(struct play *p)
{
    int can[2 * SDK_ENTITIES], count = 0;
    for (int e = 0; e < p->entity_count; e++) {
        if (p->entities[e].ends == p->now)
            can[count++] = e;
        else if (can_start(p, e))
            can[count++] = SDK_ENTITIES + e;
    }
    if (count == 0)
        return false;
    int what = can[draw(p) % (uint64_t)count];
    while (what >= SDK_ENTITIES && has_to_wait(p, can, count, what - SDK_ENTITIES))
        what = can[draw(p) % (uint64_t)count];
    if (what < SDK_ENTITIES)
        finish(p, what);
    else
        start(p, what - SDK_ENTITIES);
    return true;
}

static int64_t next_moment(const struct play *p)
{
    int64_t next = NEVER;
    for (int e = 0; e < p->entity_count; e++) {
        const struct entity *it = &p->entities[e];
        int64_t when[] = {it->ends, it->begins, it->noticed};
        for (int i = 0; i < 3; i++)
            if (when[i] > p->now && when[i] < next)
                next = when[i];
    }
    return next;
}

/* A round through the entities, one after the other on one thread; false: none was ready. */
static bool round_of_greedy(struct play *p)
{
    bool any = false;
    p->clock = p->now;
    for (int e = 0; e < p->entity_count && !p->seen->fault; e++) {
        p->clock = p->run->rounds ? p->clock : p->now;
        if (!is_ready(p, e))
            continue;
        any = true;
        start(p, e);
        p->now = p->entities[e].ends;
        finish(p, e);
    }
    return any;
}

static bool is_over(const struct play *p)
{
    bool over = true, far = false;
    for (int e = 0; e < p->entity_count; e++) {
        over &= p->entities[e].op < 0 || p->entities[e].done >= p->run->executions;
        far |= p->entities[e].done >= 16 * p->run->executions;
    }
    return over || far || p->seen->fault;
}

void sdk_play(const struct sdk_app *app, const struct sdk_run *run, struct sdk_seen *seen)
{
    static struct play play;
    struct play *p = &play;
    p->app = app, p->run = run, p->seen = seen;
    p->entity_count = p->queue_count = 0;
    memset(p->busy, 0, sizeof p->busy);
    p->now = p->clock = p->counts_from = 0;
    p->dice = run->seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    create(p);
    set_phases(p);
    set_ranks(p);
    while (!is_over(p)) {
        bool moved = app->scheduler == SDK_GREEDY ? round_of_greedy(p) : step(p);
        if (moved)
            continue;
        int64_t next = next_moment(p);
        if (next == NEVER) {
            seen->still = true;
            return;
        }
        p->now = p->clock = next;
    }
}
