/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going over rounds in which the same happens as in the rounds before, only later.
 *
 * A round is so many executions of one operator. All that decides what happens in it is noted: which moments come, and by how much
 * each is later than the one before; the signs of all differences that are looked at; the times that executions are given. And, at
 * its end, the state: what is pending, how many executions there were, how full the queues are, the clock.
 *
 * Let three rounds have the same notes, but for numbers that grow by the same in the third as in the second. A pending moment is
 * that of the moment at which it was set, plus a time that was given; so, as long as the same happens in the same order, every
 * number of a round is one of the state before it plus a constant, and those that grew by the same twice go on to do so. The order
 * stays the same until a difference changes its sign; each is a straight line, so it is known when. Up to then, and as long as
 * executions are given the same times, the machine is put where it would be so many rounds later.
 *
 * This is done for machines whose messages need not be told apart.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "simulate/machine_inside.h"

#include <stdlib.h>

enum { TRACES = 3, NOTES_MAX = 1 << 20, PATIENCE = 8, PAUSE_MAX = 4096 };

enum rule {
    SAME, /* in every round */
    SIGN, /* a line that keeps its sign */
    LINE,
};

struct note {
    int64_t value;
    uint32_t rule;
};

struct trace {
    struct note *notes;
    size_t count, capacity;
    size_t state; /* the first note of the state */
};

struct weir_rounds_state {
    struct trace traces[TRACES]; /* of the last rounds, in turn */
    uint32_t current, complete;
    uint32_t op;
    int64_t executions, stride, next; /* `next`: with which execution of the operator the round ends */
    int64_t popped;                   /* when the last moment came */
    int64_t ahead;                    /* rounds that can be seen ahead at the beginning of this one */
    int64_t *started;                 /* by operator: then */
    int64_t pause, failures;
    bool noting;
    int64_t jump; /* rounds that are gone over now, and the note of the state that is next */
    size_t at;
};

/* ---- notes ---- */

static void note(struct weir_machine *m, enum rule rule, int64_t value)
{
    struct weir_rounds_state *r = m->rounds;
    struct trace *t = &r->traces[r->current];
    if (!r->noting)
        return;
    if (t->count == NOTES_MAX)
        r->noting = false; /* too long a round to be gone over */
    else if (weir_reserve(&t->notes, &t->capacity, t->count + 1, sizeof *t->notes))
        t->notes[t->count++] = (struct note){value, rule};
    else
        m->status = WEIR_MEMORY;
}

void weir_rounds_note_given(struct weir_machine *m, int64_t time)
{
    note(m, SAME, time);
}

void weir_rounds_note_sign(struct weir_machine *m, int64_t difference)
{
    note(m, SIGN, difference);
}

static bool is_of_execution(const struct weir_machine_moment *moment)
{
    return moment->kind == WEIR_MACHINE_EXECUTED || moment->kind == WEIR_MACHINE_RECEIVED || moment->kind == WEIR_MACHINE_BOTH;
}

static void note_moment(struct weir_machine *m, const struct weir_machine_moment *moment, int64_t *before)
{
    note(m, SAME, (int64_t)moment->op * 16 + moment->kind);
    note(m, SIGN, moment->time - *before);
    if (is_of_execution(moment))
        note(m, SAME, moment->execution - m->threads[moment->op].started);
    *before = moment->time;
}

void weir_rounds_note_moment(struct weir_machine *m, const struct weir_machine_moment *moment)
{
    note_moment(m, moment, &m->rounds->popped);
}

/* ---- the state ---- */

static int by_time(const void *a, const void *b)
{
    const struct weir_machine_moment *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->execution > y->execution) - (x->execution < y->execution);
}

/* What stays as it is from round to round, and what must not come to its end. */
static void note_thread(struct weir_machine *m, const struct weir_machine_thread *s)
{
    note(m, SAME, s->missing);
    note(m, SAME, s->started - s->received);
    note(m, SAME, s->started - s->sent);
    note(m, SAME, (int64_t)s->flight_capacity);
    note(m, SIGN, s->limit - s->started);
    note(m, SIGN, s->limit - s->arrived);
    note(m, SIGN, s->goal - s->finished);
    int64_t first = s->received < s->sent ? s->received : s->sent;
    for (int64_t i = first; s->reentrant && i < s->started; i++)
        note(m, SAME, s->flights[(uint64_t)i & (s->flight_capacity - 1)].over);
}

static void note_line(struct weir_machine *m, int64_t *value) /* NOLINT(readability-non-const-parameter): as move_line */
{
    note(m, LINE, *value);
}

/* All numbers that grow from round to round. */
static void each_line(struct weir_machine *m, void (*act)(struct weir_machine *m, int64_t *value))
{
    act(m, &m->now);
    for (uint32_t i = 0; i < m->thread_count; i++) {
        struct weir_machine_thread *s = &m->threads[i];
        act(m, &s->started);
        act(m, &s->received);
        act(m, &s->sent);
        act(m, &s->finished);
        act(m, &s->arrived);
    }
    for (uint32_t i = 0; i < m->channel_count; i++) {
        act(m, &m->channels[i].messages);
        act(m, &m->channels[i].occupied);
    }
    for (size_t i = 0; i < m->heap_count; i++) {
        act(m, &m->heap[i].time);
        if (is_of_execution(&m->heap[i]))
            act(m, &m->heap[i].execution);
    }
}

static void note_state(struct weir_machine *m)
{
    struct weir_rounds_state *r = m->rounds;
    qsort(m->heap, m->heap_count, sizeof *m->heap, by_time); /* still a heap */
    int64_t before = m->now;
    for (size_t i = 0; i < m->heap_count; i++)
        note_moment(m, &m->heap[i], &before);
    for (uint32_t i = 0; i < m->thread_count; i++)
        note_thread(m, &m->threads[i]);
    r->traces[r->current].state = r->traces[r->current].count;
    each_line(m, note_line);
}

/* ---- going over rounds ---- */

static int sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

/* The most rounds after the last of three for which the note is right; 0: for none. */
static int64_t right_for(const struct note *a, const struct note *b, const struct note *c)
{
    if (a->rule != b->rule || b->rule != c->rule)
        return 0;
    if (c->rule == SAME)
        return a->value == b->value && b->value == c->value ? INT64_MAX : 0;
    int64_t growth = c->value - b->value;
    if (b->value - a->value != growth)
        return 0;
    if (c->rule == LINE || growth == 0)
        return INT64_MAX;
    if (sign(a->value) != sign(b->value) || sign(b->value) != sign(c->value) || c->value == 0)
        return 0;
    if (sign(growth) == sign(c->value))
        return INT64_MAX;
    return c->value > 0 ? (c->value - 1) / -growth : (-c->value - 1) / growth;
}

static const struct trace *trace_before(const struct weir_rounds_state *r, uint32_t rounds)
{
    return &r->traces[(r->current + TRACES - rounds) % TRACES];
}

static int64_t rounds_to_go_over(const struct weir_machine *m)
{
    const struct weir_rounds_state *r = m->rounds;
    const struct trace *a = trace_before(r, 2), *b = trace_before(r, 1), *c = trace_before(r, 0);
    int64_t most = r->ahead - 1, flights = 1;
    if (a->count != b->count || b->count != c->count || a->state != c->state || b->state != c->state)
        return 0;
    for (size_t i = c->count; i-- > 0 && most > 0;) {
        int64_t rounds = right_for(&a->notes[i], &b->notes[i], &c->notes[i]);
        most = rounds < most ? rounds : most;
    }
    for (uint32_t i = 0; i < m->thread_count; i++) /* executions in flight keep their places in the rings */
        if (m->threads[i].reentrant && (int64_t)m->threads[i].flight_capacity > flights)
            flights = (int64_t)m->threads[i].flight_capacity;
    return most > 0 ? most - most % flights : 0;
}

static void move_line(struct weir_machine *m, int64_t *value)
{
    struct weir_rounds_state *r = m->rounds;
    int64_t growth = trace_before(r, 0)->notes[r->at].value - trace_before(r, 1)->notes[r->at].value, all;
    r->at++;
    if (!weir_multiply(growth, r->jump, &all) || !weir_add(*value, all, value))
        m->status = WEIR_OVERFLOW;
}

/* ---- rounds ---- */

/* How many rounds can be seen ahead, if the next ones have as many executions as the last had. */
static int64_t look_ahead(struct weir_machine *m)
{
    const struct weir_machine_rules *rules = m->rules;
    int64_t *started = m->rounds->started, least = INT64_MAX;
    for (uint32_t i = 0; i < m->thread_count; i++) {
        const struct weir_machine_thread *s = &m->threads[i];
        struct weir_machine_outlook o = {.op = {i}, .next = s->started, .arrived = s->arrived, .every = s->started - started[i]};
        int64_t rounds = o.every > 0 ? rules->rounds->ahead(rules->context, &o) : INT64_MAX;
        least = rounds < least ? rounds : least;
        started[i] = s->started;
    }
    return least;
}

static void begin_round(struct weir_machine *m, int64_t rounds)
{
    struct weir_rounds_state *r = m->rounds;
    r->current = (r->current + 1) % TRACES;
    r->traces[r->current].count = 0;
    r->popped = m->now;
    int64_t length;
    if (!weir_multiply(r->executions, rounds, &length) || !weir_add(m->threads[r->op].started, length, &r->next))
        r->next = INT64_MAX;
}

/* Of another length; or after a while. */
static void begin_anew(struct weir_machine *m, bool later)
{
    struct weir_rounds_state *r = m->rounds;
    r->failures = 0;
    r->complete = 0;
    r->ahead = 0;
    r->noting = !later;
    for (uint32_t i = 0; i < m->thread_count; i++)
        r->started[i] = m->threads[i].started;
    begin_round(m, later ? r->pause : r->stride);
}

/* The next length that is tried; after the last the first, a while later. */
static void try_another(struct weir_machine *m)
{
    struct weir_rounds_state *r = m->rounds;
    bool last = r->stride == 60;
    r->stride = last ? 1 : r->stride == 1 ? 2 : r->stride == 2 ? 12 : 60;
    if (last)
        r->pause = r->pause < PAUSE_MAX ? 2 * r->pause : PAUSE_MAX;
    begin_anew(m, last);
}

bool weir_rounds_due(const struct weir_machine *m)
{
    const struct weir_machine_rounds *wanted = m->rules->rounds;
    const struct weir_rounds_state *r = m->rounds;
    return wanted->executions > 0 &&
           (wanted->op != r->op || wanted->executions != r->executions || m->threads[r->op].started >= r->next);
}

void weir_rounds_end(struct weir_machine *m)
{
    struct weir_rounds_state *r = m->rounds;
    const struct weir_machine_rounds *wanted = m->rules->rounds;
    if (wanted->op != r->op || wanted->executions != r->executions) {
        r->op = wanted->op;
        r->executions = wanted->executions;
        r->stride = 1;
        r->pause = PATIENCE;
        begin_anew(m, false);
        return;
    }
    if (!r->noting) { /* after a while, or because the notes grew too long */
        begin_anew(m, r->traces[r->current].count > 0);
        return;
    }
    note_state(m);
    r->complete += r->complete < TRACES;
    int64_t rounds = r->noting && r->complete == TRACES ? rounds_to_go_over(m) : 0;
    if (rounds > 0) {
        r->jump = rounds;
        r->at = r->traces[r->current].state;
        each_line(m, move_line);
        r->pause = PATIENCE;
        begin_anew(m, false);
        return;
    }
    r->failures += r->complete == TRACES;
    if (!r->noting || r->failures > PATIENCE) {
        try_another(m);
        return;
    }
    r->ahead = look_ahead(m);
    begin_round(m, r->stride);
}

/* ---- making ---- */

bool weir_rounds_new(struct weir_machine *m)
{
    if (!m->rules->rounds || m->more || m->ties != WEIR_TIES_FIXED)
        return true;
    for (uint32_t i = 0; i < m->thread_count; i++)
        if (m->threads[i].period && m->threads[i].arrivals == WEIR_ARRIVALS_SKIP)
            return true;
    m->rounds = weir_arena_array(&m->arena, 1, sizeof *m->rounds);
    if (!m->rounds)
        return false;
    m->rounds->started = weir_arena_array(&m->arena, m->thread_count, sizeof *m->rounds->started);
    return m->rounds->started != NULL;
}

void weir_rounds_free(struct weir_rounds_state *r)
{
    for (int i = 0; r && i < TRACES; i++)
        weir_free(r->traces[i].notes);
}
