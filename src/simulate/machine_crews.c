/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that share threads. Those that are ready, and have been seen, are listed in the order of the pipeline. Each has a crew,
 * the workers or the thread of its lane, which starts one of them when it is free.
 */
#include "model/dispatch.h"
#include "simulate/machine_inside.h"

struct weir_crews_state {
    struct weir_workers_spec spec;
    int64_t *since; /* by operator: when it became ready */
    int64_t *times; /* ... and how often */
    uint32_t *crew; /* by operator: 0, or its lane and 1 */
    uint32_t *idle; /* by crew: threads */
    struct weir_machine_candidate *list;
    uint32_t *order; /* WEIR_DISPATCH_GREEDY: of the operators */
    uint32_t place;  /* ... in it: of the operator that the thread comes to next */
};

/* ---- being ready ---- */

static void list(struct weir_machine *m, uint32_t op)
{
    size_t at = m->ready_count++;
    for (; at > 0 && m->ready[at - 1] > op; at--)
        m->ready[at] = m->ready[at - 1];
    m->ready[at] = op;
}

void weir_crews_ready(struct weir_machine *m, uint32_t op)
{
    const struct weir_machine_crews *rules = m->rules->crews;
    struct weir_crews_state *c = m->crews;
    c->since[op] = m->now;
    c->times[op]++;
    int64_t delay = 0;
    if (c->spec.polling && rules->delay)
        delay = rules->delay(rules->context, (struct weir_operator){op}, m->threads[op].started);
    if (delay < 0 || delay > c->spec.polling) {
        weir_machine_refuse(m, "an operator is seen later than the polling period allows");
    } else if (delay == 0) {
        list(m, op);
    } else {
        int64_t then = weir_machine_after(m, m->now, delay);
        if (!m->status)
            weir_machine_push(m, then,
                              (struct weir_machine_moment){.op = op, .kind = WEIR_MACHINE_SEEN, .execution = c->times[op]});
    }
}

void weir_crews_see(struct weir_machine *m, uint32_t op, int64_t which)
{
    if (m->crews->times[op] == which && m->threads[op].missing == 0)
        list(m, op);
}

/* ---- threads ---- */

void weir_crews_take(struct weir_machine *m, uint32_t op)
{
    m->crews->idle[m->crews->crew[op]]--;
}

void weir_crews_free(struct weir_machine *m, uint32_t op)
{
    m->crews->idle[m->crews->crew[op]]++;
}

/* In the list; the thread goes on from the operator behind it. */
static size_t come_to(const struct weir_machine *m)
{
    struct weir_crews_state *c = m->crews;
    while (m->threads[c->order[c->place]].missing)
        c->place = c->place + 1 == m->thread_count ? 0 : c->place + 1;
    uint32_t op = c->order[c->place];
    c->place = c->place + 1 == m->thread_count ? 0 : c->place + 1;
    size_t at = 0;
    while (m->ready[at] != op)
        at++;
    return at;
}

/* In the list; its end: none of them has a thread. */
static size_t pick(struct weir_machine *m)
{
    const struct weir_machine_crews *rules = m->rules->crews;
    struct weir_crews_state *c = m->crews;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < m->ready_count; i++) {
        uint32_t op = m->ready[i];
        if (c->idle[c->crew[op]])
            c->list[count++] = (struct weir_machine_candidate){{op}, m->threads[op].started, c->since[op]};
    }
    if (count == 0)
        return m->ready_count;
    size_t picked = rules->pick ? rules->pick(rules->context, c->list, count, m->now) : 0;
    if (picked >= count) {
        weir_machine_refuse(m, "an operator was chosen that does not exist");
        return m->ready_count;
    }
    while (m->ready[at] != c->list[picked].op.index)
        at++;
    return at;
}

bool weir_crews_choose(struct weir_machine *m)
{
    const struct weir_crews_state *c = m->crews;
    bool tied = m->heap_count && m->heap[0].time == m->now, greedy = c->spec.dispatch == WEIR_DISPATCH_GREEDY;
    if (m->ready_count == 0 || (greedy && !c->idle[0]))
        return false;
    if (tied && (m->ties != WEIR_TIES_RANDOM || weir_random_next(&m->random) >> 63))
        return false;
    size_t at = greedy ? come_to(m) : pick(m);
    if (at == m->ready_count)
        return false;
    uint32_t op = m->ready[at];
    for (; at + 1 < m->ready_count; at++)
        m->ready[at] = m->ready[at + 1];
    m->ready[at] = op;
    return true;
}

/* ---- setting up ---- */

bool weir_crews_new(struct weir_machine *m, const struct weir_pipeline *pipeline)
{
    struct weir_crews_state *c = weir_arena_array(&m->arena, 1, sizeof *c);
    if (!c)
        return false;
    c->spec = weir_pipeline_workers(pipeline);
    c->since = weir_arena_array(&m->arena, m->thread_count, sizeof *c->since);
    c->times = weir_arena_array(&m->arena, m->thread_count, sizeof *c->times);
    c->list = weir_arena_array(&m->arena, m->thread_count, sizeof *c->list);
    c->crew = weir_arena_array(&m->arena, m->thread_count, sizeof *c->crew);
    c->order = weir_arena_array(&m->arena, m->thread_count, sizeof *c->order);
    c->idle = weir_arena_array(&m->arena, (size_t)pipeline->lane_count + 1, sizeof *c->idle);
    if (m->arena.failed || (c->spec.dispatch == WEIR_DISPATCH_GREEDY && !weir_dispatch_order(pipeline, c->order)))
        return false;
    c->idle[0] = c->spec.workers ? c->spec.workers : m->thread_count;
    for (uint32_t i = 0; i < m->thread_count && pipeline->lanes; i++)
        if (pipeline->lanes[i] != WEIR_NO_LANE) {
            c->crew[i] = pipeline->lanes[i] + 1;
            c->idle[c->crew[i]] = 1;
        }
    m->crews = c;
    return true;
}
