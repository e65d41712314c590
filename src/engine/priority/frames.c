/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of one graph in the slots of one frame. Slots do not overlap, so that a task that is enabled by the end of another one
 * begins with a whole slot; and round a circle of queues time passes in whole frames (docs/concepts/shared-processors.md, section
 * 12). Iteration n of i goes back over ends of such tasks, k messages or free slots on the way, to an event from outside. With
 *
 *     M = the largest ceil(q C / S) F - (q - 1) P          rho = the largest q C + ceil(q C / S) (F - S) - (q - 1) P
 *
 * it ends by  x_1 + rho_1 + (M_2 - S_2) + ... + rho_i - k P  on every path on which no task but the first comes again, if no circle
 * is slower than its messages allow: the sum of M, less F, <= k P.
 */
#include "engine/priority/level.h"

#define MEMBERS 12       /* that are looked at together */
#define STEPS_MAX 20000  /* over all ways */
#define ROUNDS_MAX 10000 /* executions after which slots are used in the same way again */

struct ways {
    uint32_t count;
    uint32_t task[MEMBERS];
    int64_t frame, period;
    int64_t whole[MEMBERS], response[MEMBERS], slot[MEMBERS]; /* M, rho, S */
    int64_t outside[MEMBERS];                                 /* x */
    int64_t lag[MEMBERS][MEMBERS]; /* tokens * P, from the first to the second; WEIR_PRIORITY_FAR: no way */
    /* The path at hand: the tasks on it, which is tried next, by when the last slot of each begins. */
    uint32_t depth, on[MEMBERS + 1], next[MEMBERS + 1];
    int64_t at[MEMBERS + 1];
    bool taken[MEMBERS];
    uint32_t steps;
};

/* False if it takes too long to find out, or its slots are not enough. */
static bool measure(struct ways *w, uint32_t m, const struct weir_task *t)
{
    int64_t rounds = t->slot / weir_greatest_divisor(t->worst, t->slot);
    w->slot[m] = t->slot;
    w->whole[m] = w->response[m] = 0;
    if (rounds > ROUNDS_MAX || w->period > WEIR_TIME_MAX / ROUNDS_MAX ||
        (weir_wide)t->worst * w->frame > (weir_wide)t->slot * w->period)
        return false;
    for (int64_t q = 1; q <= rounds; q++) {
        int64_t slots = weir_ceil_divide(q * t->worst, t->slot);
        int64_t all = slots * w->frame - (q - 1) * w->period, own = all - slots * t->slot + q * t->worst;
        w->whole[m] = all > w->whole[m] ? all : w->whole[m];
        w->response[m] = own > w->response[m] ? own : w->response[m];
    }
    return true;
}

/* That iteration n of member `to` needs iteration n - tokens of `from`. */
static void wait_for(struct ways *w, const struct weir_priority_system *s, uint32_t from, uint32_t to, uint32_t tokens)
{
    int64_t lag;
    uint32_t m = 0;
    if (from == w->task[to] || !weir_level_can_enable(s, from, w->task[to], tokens, &lag))
        return;
    while (m < w->count && w->task[m] != from)
        m++;
    if (m == w->count)
        w->outside[to] = s->finish[from] - lag > w->outside[to] ? s->finish[from] - lag : w->outside[to];
    else
        w->lag[m][to] = lag < w->lag[m][to] ? lag : w->lag[m][to];
}

static void find_waits(struct ways *w, const struct weir_priority_system *s, uint32_t m)
{
    uint32_t task = w->task[m];
    w->outside[m] = s->fed[task] ? s->set->graphs[s->set->tasks[task].graph].jitter : -WEIR_PRIORITY_FAR;
    for (uint32_t k = s->touching_first[task]; k < s->touching_first[task + 1]; k++) {
        const struct weir_task_edge *e = &s->set->edges[s->touching[k]];
        uint32_t room = s->fixed[s->touching[k]];
        if (e->to == task)
            wait_for(w, s, e->from, m, e->initial);
        if (e->from == task && e->blocking && room != WEIR_AUTO && room != WEIR_UNBOUNDED)
            wait_for(w, s, e->to, m, room);
    }
}

/* The tasks of the graph of `task` on its processor; false if they are too many, or none waits for another one. */
static bool find_members(struct ways *w, const struct weir_priority_system *s, uint32_t task)
{
    uint32_t p = s->set->tasks[task].processor;
    w->frame = s->set->processors[p].frame;
    w->period = s->period[task];
    for (uint32_t k = s->sharers_first[p]; k < s->sharers_first[p + 1]; k++)
        if (s->set->tasks[s->sharers[k]].graph == s->set->tasks[task].graph) {
            if (w->count == MEMBERS || !measure(w, w->count, &s->set->tasks[s->sharers[k]]))
                return false;
            w->task[w->count++] = s->sharers[k];
        }
    for (uint32_t a = 0; a < w->count; a++)
        for (uint32_t b = 0; b < w->count; b++)
            w->lag[a][b] = WEIR_PRIORITY_FAR;
    for (uint32_t m = 0; m < w->count; m++)
        find_waits(w, s, m);
    return true;
}

/* ---- all ways ---- */

static void push(struct ways *w, uint32_t member, int64_t at)
{
    w->on[w->depth] = member;
    w->next[w->depth] = 0;
    w->at[w->depth++] = at;
}

/* The next member that the last one on the way leads to; false when there is none, and then the last one is off the way. */
static bool step(struct ways *w, uint32_t *to, int64_t *at)
{
    uint32_t last = w->depth - 1, from = w->on[last];
    for (*to = w->next[last]; *to < w->count; ++*to)
        if (*to != from && w->lag[from][*to] < WEIR_PRIORITY_FAR)
            break;
    w->next[last] = *to + 1;
    w->steps++;
    if (*to < w->count) {
        *at = w->at[last] - w->lag[from][*to];
        return true;
    }
    w->depth--;
    if (w->depth > 0)
        w->taken[from] = false;
    return false;
}

/* Whether no circle takes longer than its messages and free slots allow. Circles are looked at from their first member. */
static bool circles_keep_up(struct ways *w)
{
    uint32_t to;
    int64_t at;
    for (uint32_t root = 0; root < w->count; root++) {
        push(w, root, 0);
        while (w->depth > 0 && w->steps < STEPS_MAX) {
            if (!step(w, &to, &at) || to < root || w->taken[to])
                continue;
            if (to == root) {
                if (at + w->whole[to] > w->frame)
                    return false;
                continue;
            }
            w->taken[to] = true;
            push(w, to, at + w->whole[to]);
        }
    }
    return w->steps < STEPS_MAX;
}

/* The latest end of member `end`. */
static int64_t find_latest(struct ways *w, uint32_t end)
{
    uint32_t to;
    int64_t at, latest = w->outside[end] + w->response[end];
    for (uint32_t root = 0; root < w->count; root++) {
        if (w->outside[root] <= -WEIR_PRIORITY_FAR / 2)
            continue;
        push(w, root, w->outside[root] + w->response[root]);
        while (w->depth > 0 && w->steps < STEPS_MAX) {
            if (!step(w, &to, &at) || w->taken[to])
                continue;
            if (to == end && at + w->response[to] > latest)
                latest = at + w->response[to];
            w->taken[to] = true;
            push(w, to, at + w->whole[to] - w->slot[to]);
        }
    }
    return latest;
}

enum weir_window_end weir_window_frames(struct weir_priority_system *s, uint32_t i, int64_t most, struct weir_window *window)
{
    struct ways w = {0};
    uint32_t end = 0;
    s->windows++;
    if (!find_members(&w, s, i) || !circles_keep_up(&w))
        return WEIR_WINDOW_BEYOND;
    w.steps = 0;
    while (w.task[end] != i)
        end++;
    int64_t duration = find_latest(&w, end) - s->enable[i];
    s->work += w.steps;
    if (duration > most || w.steps >= STEPS_MAX)
        return WEIR_WINDOW_BEYOND;
    *window = (struct weir_window){.iterations = 1, .length = duration, .duration = duration, .by = WEIR_PRIORITY_RULE_LEVEL};
    return WEIR_WINDOW_FOUND;
}
