/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From moment to moment. At each: blocks end and free their SMs, and the launches that have ended free their places; launches whose
 * delay is over want SMs. Then places are given, then SMs, as the script says. A block of length 0 ends in a further round of the
 * same moment. Whatever is free is given away as far as the dispatch allows, so that something is always under way.
 */
#include "simulate/gpu.h"

#include "base/error.h"
#include "base/heap.h"
#include "base/number.h"

#include <string.h>

#define DELAY UINT32_MAX /* in place of an SM */

/* ---- what happens later ---- */

static bool sooner(const struct weir_gpu_stage *s, const struct weir_gpu_moment *a, const struct weir_gpu_moment *b)
{
    (void)s;
    return a->time < b->time;
}

WEIR_HEAP(moments, struct weir_gpu_moment, const struct weir_gpu_stage *, sooner, WEIR_HEAP_STAYS);

static void set_moment(struct weir_gpu_stage *s, struct weir_gpu_moment moment)
{
    if (s->slows)
        s->moments[s->moment_count++] = moment;
    else
        moments_push(s, s->moments, &s->moment_count, moment);
}

/* ---- lists in the order of the script ---- */

/* Those that come at the same moment are in the order of their ranks, the first counts. */
static void join(struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t *list, uint32_t *count, uint32_t v)
{
    uint32_t at = (*count)++;
    s->came[v] = s->now;
    for (; at > 0 && script->rank[list[at - 1]] > script->rank[v]; at--) {
        if (script->order != WEIR_GPU_BY_RANK && s->came[list[at - 1]] < s->now)
            break;
        list[at] = list[at - 1];
    }
    list[at] = v;
}

static uint32_t leave(uint32_t *list, uint32_t *count, uint32_t at)
{
    uint32_t v = list[at];
    for ((*count)--; at < *count; at++)
        list[at] = list[at + 1];
    return v;
}

static uint32_t choose(struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t count)
{
    return script->order == WEIR_GPU_AT_RANDOM && count > 1 ? (uint32_t)weir_random_between(&s->random, 0, count - 1) : 0;
}

/* ---- places ---- */

/* A launch that wants SMs. In turn, one that has some already stays first. */
static void want(struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t v)
{
    uint32_t begun = 0;
    if (script->dispatch == WEIR_GPU_FIFO && s->ready_count > 0)
        begun = s->unplaced[s->ready[0]] < s->plan->launches[s->ready[0]].sms;
    uint32_t count = s->ready_count - begun;
    join(s, script, s->ready + begun, &count, v);
    s->ready_count++;
}

/* Who begins at once competes for the SMs that are free now. */
static void give_places(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    while (s->held_count > 0 && s->under_way < s->places) {
        uint32_t v = leave(s->held, &s->held_count, choose(s, script, s->held_count));
        s->under_way++;
        if (script->delay[v] == 0)
            want(s, script, v);
        else
            set_moment(s, (struct weir_gpu_moment){s->now + script->delay[v], v, DELAY});
    }
}

/* ---- SMs ---- */

static int64_t draw_length(struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t v)
{
    int64_t most = s->time[v];
    if (script->length[v] >= 0)
        return script->length[v];
    if (script->length[v] == WEIR_GPU_EACH_RANDOM)
        return weir_random_between(&s->random, 0, most);
    return weir_gpu_extreme(&s->random, most);
}

static void place(struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t v, uint32_t blocks)
{
    s->running[s->disturbs[v]] += blocks > 0 && s->unplaced[v] == s->unended[v]; /* none of its blocks is on an SM */
    s->unplaced[v] -= blocks;
    for (; blocks > 0; blocks--) {
        uint32_t sm = s->free_sms[--s->free_count];
        s->begun[sm] = s->now;
        set_moment(s, (struct weir_gpu_moment){draw_length(s, script, v) + (s->slows ? 0 : s->now), v, sm});
    }
}

/* All SMs at once, or as they come where there are not that many; a launch that does not fit is skipped. */
static void give_gang(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    uint32_t at = choose(s, script, s->ready_count);
    for (uint32_t passed = 0; s->free_count > 0 && passed < s->ready_count;) {
        at = at < s->ready_count ? at : 0;
        uint32_t v = s->ready[at], wanted = s->unplaced[v];
        bool wide = s->plan->launches[v].sms > s->sms;
        if (!wide && wanted > s->free_count) {
            passed++, at++;
            continue;
        }
        place(s, script, v, wanted < s->free_count ? wanted : s->free_count);
        if (s->unplaced[v] == 0)
            leave(s->ready, &s->ready_count, at);
        passed = 0;
        at = choose(s, script, s->ready_count);
    }
}

/* The first of the list keeps its turn until all its blocks have SMs. */
static void give_in_turn(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    while (s->free_count > 0 && s->ready_count > 0) {
        uint32_t v = s->ready[0];
        if (s->unplaced[v] == s->plan->launches[v].sms) {
            uint32_t at = choose(s, script, s->ready_count);
            s->ready[0] = s->ready[at];
            s->ready[at] = v;
            v = s->ready[0];
        }
        place(s, script, v, s->unplaced[v] < s->free_count ? s->unplaced[v] : s->free_count);
        if (s->unplaced[v] == 0)
            leave(s->ready, &s->ready_count, 0);
    }
}

static void give_interleaved(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    while (s->free_count > 0 && s->ready_count > 0) {
        uint32_t at = choose(s, script, s->ready_count);
        if (script->order == WEIR_GPU_AS_THEY_COME)
            at = s->turn = s->turn < s->ready_count ? s->turn : 0;
        uint32_t v = s->ready[at];
        place(s, script, v, 1);
        if (s->unplaced[v] == 0)
            leave(s->ready, &s->ready_count, at);
        else
            s->turn++;
    }
}

static void give_sms(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    if (script->dispatch == WEIR_GPU_GANG)
        give_gang(s, script);
    else if (script->dispatch == WEIR_GPU_FIFO)
        give_in_turn(s, script);
    else
        give_interleaved(s, script);
}

/* ---- moments ---- */

static void end_launch(struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t v)
{
    s->ended++;
    s->under_way--;
    for (uint32_t i = s->first_dependent[v]; i < s->first_dependent[v + 1]; i++)
        if (--s->left[s->dependents[i]] == 0)
            join(s, script, s->held, &s->held_count, s->dependents[i]);
}

static void end_moment(struct weir_gpu_stage *s, const struct weir_gpu_script *script, const struct weir_gpu_moment *moment)
{
    if (moment->sm == DELAY) {
        want(s, script, moment->launch);
        return;
    }
    s->free_sms[s->free_count++] = moment->sm;
    if (s->observe) {
        int64_t begin_end[2] = {s->begun[moment->sm], moment->time};
        s->observe(s->context, moment->launch, moment->sm, begin_end, s->scale);
    }
    uint32_t v = moment->launch;
    s->unended[v]--;
    s->running[s->disturbs[v]] -= s->unplaced[v] == s->unended[v];
    if (s->unended[v] == 0)
        end_launch(s, script, v);
}

/* ---- where launches slow each other down: all that is under way goes on, at its own speed, until something ends ---- */

/* By how many thousandths of its time alone a launch takes longer now: the worst of those that run beside it, as far as the script
 * lets them. */
static int64_t slowed(const struct weir_gpu_stage *s, const struct weir_gpu_script *script, uint32_t v)
{
    uint32_t worst = 0;
    for (int c = 0; c < WEIR_DISTURBS_NONE; c++)
        if (s->running[c] > ((int)s->disturbs[v] == c) && s->suffers[v][c] > worst)
            worst = s->suffers[v][c];
    return (int64_t)worst * script->slowed[v] / 100;
}

/* How long until it ends, if nothing changes; rounded down, and what is done meanwhile up: a little faster is legal, too. */
static int64_t until(const struct weir_gpu_stage *s, const struct weir_gpu_script *script, const struct weir_gpu_moment *m)
{
    int64_t slower = 1000 + slowed(s, script, m->launch), product;
    if (m->sm == DELAY)
        return m->time - s->now;
    return weir_multiply(m->time, slower, &product) ? product / 1000 : (int64_t)((weir_wide)m->time * slower / 1000);
}

static void go_on(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    int64_t least = INT64_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < s->moment_count; i++) {
        int64_t time = until(s, script, &s->moments[i]);
        least = time < least ? time : least;
    }
    for (size_t i = 0; i < s->moment_count; i++) {
        struct weir_gpu_moment *m = &s->moments[i];
        if (m->sm == DELAY)
            continue;
        int64_t slower = 1000 + slowed(s, script, m->launch), thousand;
        int64_t done = weir_multiply(least, 1000, &thousand) && thousand <= INT64_MAX - slower
                           ? (thousand + slower - 1) / slower
                           : (int64_t)(((weir_wide)least * 1000 + slower - 1) / slower);
        m->time -= done < m->time ? done : m->time;
    }
    s->now += least;
    /* Those that end now stand last. */
    for (size_t i = 0; i < s->moment_count; i++)
        if (s->moments[i].sm == DELAY ? s->moments[i].time > s->now : s->moments[i].time > 0) {
            struct weir_gpu_moment m = s->moments[kept];
            s->moments[kept++] = s->moments[i];
            s->moments[i] = m;
        }
    while (s->moment_count > kept) {
        struct weir_gpu_moment m = s->moments[--s->moment_count];
        m.time = s->now;
        end_moment(s, script, &m);
    }
}

static void begin(struct weir_gpu_stage *s, const struct weir_gpu_script *script)
{
    weir_random_seed(&s->random, script->seed);
    s->now = 0;
    s->ready_count = s->held_count = 0;
    s->moment_count = 0;
    s->under_way = s->ended = s->turn = s->waits = 0;
    memset(s->running, 0, sizeof s->running);
    for (s->free_count = 0; s->free_count < s->sms; s->free_count++)
        s->free_sms[s->free_count] = s->sms - 1 - s->free_count;
    for (uint32_t v = 0; v < s->count; v++) {
        s->left[v] = s->before[v];
        s->unplaced[v] = s->unended[v] = s->plan->launches[v].sms;
        if (s->left[v] == 0)
            join(s, script, s->held, &s->held_count, v);
    }
}

enum weir_status weir_gpu_stage_run(struct weir_gpu_stage *s, const struct weir_gpu_script *script, int64_t *makespan,
                                    struct weir_error *error)
{
    begin(s, script);
    for (;;) {
        give_places(s, script);
        give_sms(s, script);
        s->waits += s->held_count > 0 || s->ready_count > 0;
        if (s->moment_count == 0)
            break;
        if (s->slows) {
            go_on(s, script);
            if (s->now >= WEIR_TIME_MAX)
                return weir_fail(error, WEIR_OVERFLOW, "times become longer than can be represented");
            continue;
        }
        s->now = s->moments[0].time;
        if (s->now >= WEIR_TIME_MAX)
            return weir_fail(error, WEIR_OVERFLOW, "times become longer than can be represented");
        while (s->moment_count > 0 && s->moments[0].time == s->now) {
            struct weir_gpu_moment moment = moments_pop(s, s->moments, &s->moment_count);
            end_moment(s, script, &moment);
        }
    }
    *makespan = s->now;
    return s->ended == s->count ? WEIR_OK : weir_fail(error, WEIR_INVALID, "launches of the plan wait for each other");
}
