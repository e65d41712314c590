/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/shared_partition.h"

#include <string.h>

enum { PENDING = PLAY_OPERATORS * PLAY_ITERATIONS };

struct machine {
    struct play *play;
    struct weir_random *random;
    bool late;
    uint32_t operators, queues;
    struct weir_queue_spec queue[PLAY_QUEUES];
    uint32_t messages[PLAY_QUEUES], places[PLAY_QUEUES];
    uint32_t started[PLAY_OPERATORS], finished[PLAY_OPERATORS];
    struct weir_operator_spec spec[PLAY_OPERATORS];
    /* What is to happen: an operator launches its work at `at`, or it has finished. */
    struct event {
        int64_t at;
        uint32_t op, iteration;
        bool launches;
    } events[PENDING];
    size_t event_count;
    int64_t idle_at[PLAY_OPERATORS]; /* by partition: when the work launched so far is done */
    int64_t now;
};

static int64_t draw(struct machine *m, int64_t best, int64_t worst)
{
    return m->late || weir_random_between(m->random, 0, 1) ? worst : best;
}

static void plan(struct machine *m, struct event event)
{
    m->events[m->event_count++] = event;
}

static bool can_start(const struct machine *m, uint32_t op)
{
    if (m->started[op] == PLAY_ITERATIONS || (!m->spec[op].reentrant && m->started[op] > m->finished[op]))
        return false;
    for (uint32_t i = 0; i < m->queues; i++)
        if ((m->queue[i].to.index == op && m->messages[i] == 0) || (m->queue[i].from.index == op && m->places[i] == 0))
            return false;
    return true;
}

static void start(struct machine *m, uint32_t op)
{
    uint32_t iteration = m->started[op]++;
    const struct weir_operator_spec *spec = &m->spec[op];
    bool works = m->play->part[op] != PLAY_ALONE;
    m->play->start[op][iteration] = m->now;
    for (uint32_t i = 0; i < m->queues; i++) {
        if (m->queue[i].to.index == op) { /* a message is taken, and its place free */
            m->messages[i]--;
            m->places[i]++;
        }
        if (m->queue[i].from.index == op)
            m->places[i]--;
    }
    int64_t alone = works && !spec->launch ? 0 : draw(m, spec->best, spec->worst);
    plan(m, (struct event){m->now + alone, op, iteration, works});
}

static void launch(struct machine *m, const struct event *e)
{
    uint8_t part = m->play->part[e->op];
    const struct weir_launch *launch = m->spec[e->op].launch;
    int64_t from = m->idle_at[part] > m->now ? m->idle_at[part] : m->now;
    m->idle_at[part] = from + draw(m, m->play->best[e->op], m->play->worst[e->op]);
    int64_t after = launch ? draw(m, launch->after_best, launch->after_worst) : 0;
    plan(m, (struct event){m->idle_at[part] + after, e->op, e->iteration, false});
}

static void finish(struct machine *m, const struct event *e)
{
    m->finished[e->op]++;
    m->play->finish[e->op][e->iteration] = m->now;
    for (uint32_t i = 0; i < m->queues; i++)
        m->messages[i] += m->queue[i].from.index == e->op;
}

/* One of the events of now; false: there are none. */
static bool happen(struct machine *m)
{
    size_t found = m->event_count, many = 0;
    for (size_t i = 0; i < m->event_count; i++)
        if (m->events[i].at == m->now && weir_random_between(m->random, 0, (int64_t)many++) == 0)
            found = i;
    if (found == m->event_count)
        return false;
    struct event e = m->events[found];
    m->events[found] = m->events[--m->event_count];
    if (e.launches)
        launch(m, &e);
    else
        finish(m, &e);
    return true;
}

static bool start_one(struct machine *m)
{
    uint32_t found = m->operators, many = 0;
    for (uint32_t op = 0; op < m->operators; op++)
        if (can_start(m, op) && weir_random_between(m->random, 0, many++) == 0)
            found = op;
    if (found == m->operators)
        return false;
    start(m, found);
    return true;
}

bool play_run(struct play *play, struct weir_random *random, bool late)
{
    struct machine m = {.play = play, .random = random, .late = late};
    const struct weir_pipeline *p = play->pipeline;
    m.operators = weir_pipeline_operator_count(p);
    m.queues = weir_pipeline_queue_count(p);
    if (m.operators > PLAY_OPERATORS || m.queues > PLAY_QUEUES)
        return false;
    for (uint32_t i = 0; i < m.operators; i++)
        m.spec[i] = weir_pipeline_operator(p, (struct weir_operator){i});
    for (uint32_t i = 0; i < m.queues; i++) {
        m.queue[i] = weir_pipeline_queue(p, (struct weir_queue){i});
        m.messages[i] = m.queue[i].initial;
        m.places[i] = m.queue[i].capacity - m.queue[i].initial;
    }
    for (;;) {
        while (happen(&m) || start_one(&m))
            ;
        if (m.event_count == 0)
            break;
        m.now = INT64_MAX;
        for (size_t i = 0; i < m.event_count; i++)
            m.now = m.events[i].at < m.now ? m.events[i].at : m.now;
    }
    for (uint32_t i = 0; i < m.operators; i++)
        if (m.finished[i] < PLAY_ITERATIONS)
            return false;
    return true;
}

int64_t play_latency(const struct play *play, struct weir_operator from, struct weir_operator to)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < PLAY_ITERATIONS; i++) {
        int64_t latency = play->finish[to.index][i] - play->start[from.index][i];
        longest = latency > longest ? latency : longest;
    }
    return longest;
}
