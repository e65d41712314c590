/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, and operators with periods. The order of executions depends on times: whether a period has passed when the thread
 * comes to an operator. So both are allowed, in every round and of every such operator: what is executed in a round depends on the
 * messages in the queues and on who is due, and there are finitely many of both. While the latency of an iteration lasts, the
 * thread executes one operator after the other, unless nobody is ready; the latency is no longer than the longest sequence of
 * rounds that the messages allow. Where somebody might have to be waited for meanwhile, or the sequence has no end, there is no
 * bound of this kind.
 *
 * A node is the messages at the beginning of a round, with the number of executions of `to` that are left until the latency ends.
 */
#include "base/error.h"
#include "base/map.h"
#include "base/number.h"
#include "engine/workers/workers.h"
#include "model/dispatch.h"

#include <string.h>

enum { CLOCKS_MAX = 4, LEFT_MAX = 64, STATES_MAX = 4096, PASSES_MAX = 300 };

struct tracing {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_chain_spec *chain;
    struct weir_links in, out;
    uint32_t *order, *clock; /* clock: by operator, its number from 1 on; 0: it has no period */
    uint32_t clocks;
    uint8_t *path;    /* by queue: on a path from `from` to `to` */
    uint32_t *states; /* messages, by state and queue */
    size_t state_count, state_capacity;
    uint32_t *now; /* messages in the round that is played */
    struct weir_map known;
    int64_t *longest; /* by state and what is left: -1: no iteration gets there; the longest from there on */
    bool *needed;
    bool out_of_memory, lost; /* lost: no bound */
};

static bool limited(const struct weir_queue_spec *q)
{
    return !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
}

static bool is_ready(const struct tracing *t, uint32_t op, uint32_t due)
{
    if (t->clock[op] && !(due & 1u << (t->clock[op] - 1)))
        return false;
    for (uint32_t i = t->in.first[op]; i < t->in.first[op + 1]; i++)
        if (t->now[t->in.queue[i]] == 0)
            return false;
    for (uint32_t i = t->out.first[op]; i < t->out.first[op + 1]; i++) {
        const struct weir_queue_spec *q = &t->pipeline->queues[t->out.queue[i]];
        if (limited(q) && t->now[t->out.queue[i]] >= q->capacity)
            return false;
    }
    return true;
}

static void execute(struct tracing *t, uint32_t op)
{
    for (uint32_t i = t->in.first[op]; i < t->in.first[op + 1]; i++)
        t->now[t->in.queue[i]]--;
    for (uint32_t i = t->out.first[op]; i < t->out.first[op + 1]; i++)
        t->lost |= ++t->now[t->out.queue[i]] > WEIR_QUEUE_MAX;
}

/* The number of the state that the round ended in, which may be new. */
static uint32_t find_state(struct tracing *t)
{
    size_t width = t->pipeline->queue_count;
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < width; i++)
        hash = (hash ^ t->now[i]) * 1099511628211u;
    struct weir_map_cursor probe = weir_map_begin(&t->known, (uint32_t)(hash ^ hash >> 32));
    while (weir_map_next(&t->known, &probe))
        if (memcmp(&t->states[probe.value * width], t->now, width * sizeof *t->now) == 0)
            return probe.value;
    t->lost |= t->state_count >= STATES_MAX;
    if (t->lost || !weir_reserve(&t->states, &t->state_capacity, (t->state_count + 1) * width, sizeof *t->states) ||
        !weir_map_add(&t->known, probe.hash, (uint32_t)t->state_count)) {
        t->out_of_memory |= !t->lost;
        return 0;
    }
    memcpy(&t->states[t->state_count * width], t->now, width * sizeof *t->now);
    return (uint32_t)t->state_count++;
}

/* One round from a state. `left` > 0: of an iteration under way; 0: one that begins in it, if one does. */
struct round {
    int64_t length; /* of the iteration, in this round */
    int64_t left;   /* 0: it is over, or none has begun */
    bool begun, idle;
};

static int64_t under_way(const struct tracing *t)
{
    int64_t sum = 0;
    for (size_t i = 0; i < t->pipeline->queue_count; i++)
        if (t->path[i])
            sum += (int64_t)t->now[i] - t->pipeline->queues[i].initial;
    return sum;
}

static struct round play(struct tracing *t, uint32_t state, uint32_t due, int64_t left)
{
    const struct weir_pipeline *p = t->pipeline;
    struct round r = {.left = left, .begun = left > 0, .idle = true};
    memcpy(t->now, &t->states[state * p->queue_count], p->queue_count * sizeof *t->now);
    for (uint32_t i = 0; i < p->operator_count && !t->lost; i++) {
        uint32_t op = t->order[i];
        if (!is_ready(t, op, due))
            continue;
        r.idle = false;
        if (!r.begun && op == t->chain->from.index) {
            r.begun = true;
            r.left = under_way(t) + 1 + t->chain->shift;
            t->lost |= r.left <= 0 || r.left >= LEFT_MAX;
        }
        execute(t, op);
        r.length += r.left > 0 ? p->operators[op].worst : 0;
        r.left -= r.left > 0 && op == t->chain->to.index;
    }
    return r;
}

static void reach_states(struct tracing *t)
{
    for (size_t i = 0; i < t->pipeline->queue_count; i++)
        t->now[i] = t->pipeline->queues[i].initial;
    find_state(t);
    for (uint32_t s = 0; s < t->state_count && !t->lost && !t->out_of_memory; s++)
        for (uint32_t due = 0; due < 1u << t->clocks && !t->lost && !t->out_of_memory; due++) {
            play(t, s, due, 0);
            find_state(t);
        }
}

/* Lengthens what is known of every node that is needed, until nothing changes; *worst is the longest iteration. */
static bool lengthen(struct tracing *t, int64_t *worst)
{
    bool changed = false;
    for (uint32_t s = 0; s < t->state_count && !t->lost; s++)
        for (int64_t left = 0; left < LEFT_MAX && !t->lost; left++) {
            size_t node = s * (size_t)LEFT_MAX + (size_t)left;
            if (left && !t->needed[node])
                continue;
            int64_t longest = t->longest[node];
            for (uint32_t due = 0; due < 1u << t->clocks && !t->lost; due++) {
                struct round r = play(t, s, due, left);
                size_t next = find_state(t) * (size_t)LEFT_MAX + (size_t)r.left;
                t->lost |= left && r.idle;
                if (!r.begun || t->lost)
                    continue;
                if (r.left) {
                    changed |= !t->needed[next];
                    t->needed[next] = true;
                    r.length += t->longest[next];
                }
                longest = r.length > longest ? r.length : longest;
            }
            t->lost |= longest >= WEIR_TIME_MAX;
            changed |= longest > t->longest[node];
            t->longest[node] = longest;
            if (!left)
                *worst = longest > *worst ? longest : *worst;
        }
    return changed;
}

/* ---- setting up ---- */

/* A path of queues from `from` to `to`, against the queues; false: there is none. */
static bool find_path(struct tracing *t, uint32_t *from_queue)
{
    const struct weir_pipeline *p = t->pipeline;
    bool found = t->chain->from.index == t->chain->to.index;
    for (size_t i = 0; i < p->operator_count; i++)
        from_queue[i] = UINT32_MAX;
    for (size_t pass = 0; pass < p->operator_count && !found; pass++)
        for (uint32_t i = 0; i < p->queue_count; i++) {
            uint32_t a = p->queues[i].from.index, b = p->queues[i].to.index;
            if ((a == t->chain->from.index || from_queue[a] != UINT32_MAX) && b != t->chain->from.index &&
                from_queue[b] == UINT32_MAX)
                from_queue[b] = i;
            found = from_queue[t->chain->to.index] != UINT32_MAX;
        }
    for (uint32_t op = t->chain->to.index; found && op != t->chain->from.index; op = p->queues[from_queue[op]].from.index)
        t->path[from_queue[op]] = 1;
    return found;
}

static bool begin(struct tracing *t)
{
    const struct weir_pipeline *p = t->pipeline;
    t->order = weir_arena_array(&t->arena, p->operator_count, sizeof *t->order);
    t->clock = weir_arena_array(&t->arena, p->operator_count, sizeof *t->clock);
    t->path = weir_arena_array(&t->arena, p->queue_count, sizeof *t->path);
    t->now = weir_arena_array(&t->arena, p->queue_count, sizeof *t->now);
    uint32_t *from_queue = weir_arena_array(&t->arena, p->operator_count, sizeof *from_queue);
    if (t->arena.failed || !weir_dispatch_order(p, t->order) || !weir_links_make(&t->in, p, WEIR_LINKS_IN, &t->arena) ||
        !weir_links_make(&t->out, p, WEIR_LINKS_OUT, &t->arena))
        return false;
    for (size_t i = 0; i < p->source_count; i++) {
        t->lost |= p->sources[i].arrivals == WEIR_ARRIVALS_EXACT && p->sources[i].op.index == t->chain->from.index;
        t->clock[p->sources[i].op.index] = ++t->clocks;
    }
    t->lost |= t->clocks > CLOCKS_MAX || !find_path(t, from_queue);
    return true;
}

enum weir_status weir_greedy_periods(const struct weir_pipeline *p, const struct weir_chain_spec *chain, int64_t *worst,
                                     struct weir_rounds_table *table, struct weir_error *error)
{
    struct tracing t = {.pipeline = p, .chain = chain};
    *worst = -1;
    t.out_of_memory = !begin(&t);
    if (!t.lost && !t.out_of_memory)
        reach_states(&t);
    if (!t.lost && !t.out_of_memory) {
        t.longest = weir_array_zeroed(t.state_count * LEFT_MAX, sizeof *t.longest);
        t.needed = weir_array_zeroed(t.state_count * LEFT_MAX, sizeof *t.needed);
        t.out_of_memory = !t.longest || !t.needed;
    }
    bool changed = !t.lost && !t.out_of_memory;
    for (int pass = 0; changed && pass < PASSES_MAX; pass++)
        changed = lengthen(&t, worst);
    if (t.lost || changed || t.out_of_memory)
        *worst = -1;
    struct weir_rounds_table own = {t.states, t.state_count, LEFT_MAX, t.longest, t.needed};
    if (table)
        *table = own;
    else
        weir_rounds_table_free(&own);
    weir_map_free(&t.known);
    weir_arena_free(&t.arena);
    return t.out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}
