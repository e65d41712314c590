/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of one graph in slots of one frame (docs/concepts/shared-processors.md, section 12). Going back from the end of an
 * iteration to what it waited for last, and so on, there is a chain of ends of such tasks that begins with an event from outside.
 * Times in it are counted from the beginning of one's last slot to that of the next one's: at most a frame less the slot of the
 * latter, and round a circle of n tasks n - 1 frames.
 */
#include "check/priority/bounds_window.h"

#define TASKS 12
#define LOOKS (1u << 16) /* at a step of a chain */
#define TURNS (1u << 16) /* executions until slots are used in the same way again */

struct chain {
    const struct weir_window_claim *claim;
    const uint32_t *room;
    size_t count;
    uint32_t tasks[TASKS];
    int64_t frame, period;
    weir_wide frames[TASKS]; /* whole frames that executions one behind the other take, less the periods between them */
    weir_wide alone[TASKS];  /* from any moment to their end, likewise */
    weir_wide begin[TASKS];  /* what comes from outside */
    weir_wide wait[TASKS][TASKS];
    uint32_t looks;
};

static bool weigh(struct chain *c, size_t n)
{
    const struct weir_task *t = &c->claim->set->tasks[c->tasks[n]];
    weir_wide turns = t->slot / weir_wide_divisor(t->worst, t->slot);
    if ((weir_wide)t->worst * c->frame > (weir_wide)t->slot * c->period || turns > TURNS)
        return false;
    c->frames[n] = c->alone[n] = 0;
    for (weir_wide q = 1; q <= turns; q++) {
        weir_wide slots = (q * t->worst + t->slot - 1) / t->slot, less = (q - 1) * c->period;
        if (slots * c->frame - less > c->frames[n])
            c->frames[n] = slots * c->frame - less;
        if (q * t->worst + slots * (c->frame - t->slot) - less > c->alone[n])
            c->alone[n] = q * t->worst + slots * (c->frame - t->slot) - less;
    }
    return true;
}

static size_t place_of(const struct chain *c, uint32_t task)
{
    size_t n = 0;
    while (n < c->count && c->tasks[n] != task)
        n++;
    return n;
}

/* Iteration n of `to` waits for iteration n - tokens of `from`: not last, if that is over before the messages of empty queues and
 * the inputs can be there. */
static void wait_for(struct chain *c, uint32_t from, uint32_t to, uint32_t tokens)
{
    size_t a = place_of(c, from), b = place_of(c, to);
    weir_wide ago = (weir_wide)tokens * c->period, end = c->claim->finish_max[from] - ago;
    if (b == c->count || from == to || (tokens > 0 && end <= c->claim->enable_min[to]))
        return;
    if (a == c->count)
        c->begin[b] = end > c->begin[b] ? end : c->begin[b];
    else
        c->wait[a][b] = ago < c->wait[a][b] ? ago : c->wait[a][b];
}

static bool open(struct chain *c)
{
    const struct weir_window_claim *claim = c->claim;
    const struct weir_taskset *set = claim->set;
    uint32_t graph = set->tasks[claim->task].graph;
    for (size_t k = 0; k < claim->sharer_count; k++)
        if (set->tasks[claim->sharers[k]].graph == graph) {
            if (c->count == TASKS)
                return false;
            c->tasks[c->count] = claim->sharers[k];
            c->begin[c->count] = -WEIR_WINDOW_MAX;
            if (!weigh(c, c->count++))
                return false;
        }
    for (size_t a = 0; a < TASKS; a++)
        for (size_t b = 0; b < TASKS; b++)
            c->wait[a][b] = WEIR_WINDOW_MAX;
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        size_t b = place_of(c, e->to);
        if (e->from != WEIR_FROM_SOURCE) {
            wait_for(c, e->from, e->to, e->initial);
            if (e->blocking && c->room[k] != WEIR_UNBOUNDED)
                wait_for(c, e->to, e->from, c->room[k]);
        } else if (b < c->count && set->graphs[graph].jitter > c->begin[b]) {
            c->begin[b] = set->graphs[graph].jitter;
        }
    }
    return true;
}

/* Chains on from one at `from` whose last slot begins by `at`, over tasks that are not in `used`: whether all of them end the
 * claim's task in time; or, with `back`, whether all that come back there, a circle, take no longer than the periods of its tokens.
 * At most TASKS deep. */
static bool goes_on(struct chain *c, size_t from, weir_wide at, uint32_t used, size_t back)
{
    for (size_t to = 0; to < c->count; to++) {
        weir_wide then = at - c->wait[from][to];
        if (c->wait[from][to] >= WEIR_WINDOW_MAX || (to != back && (used >> to & 1)))
            continue;
        if (++c->looks > LOOKS)
            return false;
        if (back < c->count && to == back && then + c->frames[to] > c->frame)
            return false;
        if (back == c->count && c->tasks[to] == c->claim->task && then + c->alone[to] > c->claim->finish)
            return false;
        if (to == back)
            continue;
        weir_wide slot = back < c->count ? 0 : c->claim->set->tasks[c->tasks[to]].slot;
        if (!goes_on(c, to, then + c->frames[to] - slot, used | 1u << to, back))
            return false;
    }
    return true;
}

bool weir_window_frames_hold(const struct weir_window_claim *claim, const uint32_t *room)
{
    const struct weir_taskset *set = claim->set;
    const struct weir_task *task = &set->tasks[claim->task];
    struct chain c = {
        .claim = claim, .room = room, .frame = set->processors[task->processor].frame, .period = set->graphs[task->graph].period};
    if (!open(&c) || c.begin[place_of(&c, claim->task)] + c.alone[place_of(&c, claim->task)] > claim->finish)
        return false;
    for (size_t n = 0; n < c.count; n++)
        if (!goes_on(&c, n, 0, (1u << n) - 1, n))
            return false;
    for (size_t n = 0; n < c.count; n++)
        if (c.begin[n] > -WEIR_WINDOW_MAX && !goes_on(&c, n, c.begin[n] + c.alone[n], 0, c.count))
            return false;
    return true;
}
