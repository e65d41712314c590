/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens at one moment happens in a fixed order: operators that are over end; those that can start do; then one that may
 * end, or may run on, is asked; and when there is none, time passes until the next timer runs out. The order does not matter for
 * when things happen, since a start or an end never takes away what another operator waits for. It matters for how many
 * snapshots there are: a choice is put off until it cannot be put off further, so that histories which differ only in a choice to
 * come are the same.
 */
#include "baseline/statespace.h"

#include <string.h>

#define IDLE (-1)

bool weir_snapshot_new(const struct weir_classic_chart *chart, struct weir_snapshot *s)
{
    *s = (struct weir_snapshot){.longest = -1};
    s->bodies = weir_array_zeroed(chart->node_count, sizeof *s->bodies);
    s->messages = weir_array_zeroed(chart->edge_count, sizeof *s->messages);
    if (!s->bodies || !s->messages)
        return false;
    for (uint32_t i = 0; i < chart->node_count; i++)
        s->bodies[i].timer = IDLE;
    return true;
}

void weir_snapshot_free(struct weir_snapshot *s)
{
    weir_free(s->bodies);
    weir_free(s->messages);
    weir_free(s->ages);
    *s = (struct weir_snapshot){0};
}

bool weir_snapshot_push(struct weir_snapshot *s, int64_t age)
{
    if (s->age_end == s->age_capacity && s->age_first > 0) {
        s->age_end -= s->age_first;
        memmove(s->ages, s->ages + s->age_first, s->age_end * sizeof *s->ages);
        s->age_first = 0;
    }
    if (!weir_reserve(&s->ages, &s->age_capacity, s->age_end + 1, sizeof *s->ages))
        return false;
    s->ages[s->age_end++] = age;
    return true;
}

/* An idle operator has sent all it had claimed a place for, so a queue has room if it is not full of messages. */
static bool can_start(const struct weir_classic_chart *chart, const struct weir_snapshot *s, uint32_t node)
{
    if (s->bodies[node].timer != IDLE)
        return false;
    for (uint32_t i = chart->in_first[node]; i < chart->in_first[node + 1]; i++)
        if (s->messages[chart->in_edges[i]] == 0)
            return false;
    for (uint32_t i = chart->out_first[node]; i < chart->out_first[node + 1]; i++)
        if (s->messages[i] >= chart->edges[i].capacity)
            return false;
    return true;
}

static void start(const struct weir_classic_chart *chart, struct weir_snapshot *s, uint32_t node)
{
    for (uint32_t i = chart->in_first[node]; i < chart->in_first[node + 1]; i++)
        s->messages[chart->in_edges[i]]--;
    s->bodies[node] = (struct weir_body){.timer = chart->best[node], .rest = chart->worst[node] - chart->best[node]};
}

static void end(const struct weir_classic_chart *chart, struct weir_snapshot *s, uint32_t node)
{
    for (uint32_t i = chart->out_first[node]; i < chart->out_first[node + 1]; i++)
        s->messages[i]++;
    s->bodies[node] = (struct weir_body){.timer = IDLE};
    if (node == chart->sink) {
        int64_t response = s->ages[s->age_first++] + s->elapsed;
        if (response > s->longest)
            s->longest = response;
    }
}

static bool end_all(const struct weir_classic_chart *chart, struct weir_snapshot *s)
{
    bool any = false;
    for (uint32_t i = 0; i < chart->node_count; i++)
        if (s->bodies[i].timer == 0 && s->bodies[i].rest == 0) {
            end(chart, s, i);
            any = true;
        }
    return any;
}

/* The first operator that can start, or node_count. */
static uint32_t find_start(const struct weir_classic_chart *chart, const struct weir_snapshot *s)
{
    uint32_t i = 0;
    while (i < chart->node_count && !can_start(chart, s, i))
        i++;
    return i;
}

/* The first operator that may end or run on, or node_count. */
static uint32_t find_choice(const struct weir_classic_chart *chart, const struct weir_snapshot *s)
{
    uint32_t i = 0;
    while (i < chart->node_count && (s->bodies[i].timer != 0 || s->bodies[i].rest == 0))
        i++;
    return i;
}

static bool pass_time(const struct weir_classic_chart *chart, struct weir_snapshot *s)
{
    int64_t step = INT64_MAX;
    for (uint32_t i = 0; i < chart->node_count; i++)
        if (s->bodies[i].timer != IDLE && s->bodies[i].timer < step)
            step = s->bodies[i].timer;
    if (step == INT64_MAX)
        return false;
    for (uint32_t i = 0; i < chart->node_count; i++)
        if (s->bodies[i].timer != IDLE)
            s->bodies[i].timer -= step;
    s->elapsed += step;
    return true;
}

enum weir_pause weir_snapshot_run(const struct weir_classic_chart *chart, struct weir_snapshot *s)
{
    for (;;) {
        if (end_all(chart, s))
            continue;
        uint32_t next = find_start(chart, s);
        if (next == chart->source)
            return WEIR_PAUSE_SOURCE;
        if (next < chart->node_count) {
            start(chart, s, next);
            continue;
        }
        if (find_choice(chart, s) < chart->node_count)
            return WEIR_PAUSE_CHOICE;
        if (!pass_time(chart, s))
            return WEIR_PAUSE_DEADLOCK;
        if (s->elapsed > WEIR_TIME_MAX)
            return WEIR_PAUSE_OVERFLOW;
    }
}

void weir_snapshot_end(const struct weir_classic_chart *chart, struct weir_snapshot *s)
{
    s->bodies[find_choice(chart, s)].rest = 0;
}

void weir_snapshot_run_on(const struct weir_classic_chart *chart, struct weir_snapshot *s, int64_t more)
{
    struct weir_body *body = &s->bodies[find_choice(chart, s)];
    body->timer = more ? more : body->rest;
    body->rest -= body->timer;
}

bool weir_snapshot_release(const struct weir_classic_chart *chart, struct weir_snapshot *s)
{
    start(chart, s, chart->source);
    return weir_snapshot_push(s, 0);
}
