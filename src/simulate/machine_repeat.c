/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaving out what only repeats.
 *
 * After every so many iterations (a repetition) the machine is compared with what it was then. Say that at three such times in a
 * row everything that is counted is the same, relative to the iteration; that in the two repetitions between them the same moments
 * came in the same order; and that each pending moment moved by the same amount in both. A moment comes a duration after the one
 * that caused it, so while durations repeat and the order stays, each moment of the next repetition is again as much later as it
 * was the last time: times are lines over the repetitions. The order stays while no moment overtakes the next, and how long that is
 * can be computed for each two that follow one another. Moments of the same time may change places: what comes of them does not
 * depend on their order.
 *
 * Only where nothing but these comparisons depends on time: no reentrant operators, no GPU, no fragments, nothing that is not
 * waited for, no ticks that are made up for or skipped.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "simulate/machine_inside.h"

enum { KINDS = WEIR_MACHINE_ARRIVAL + 1, COUNTS = 6, NOTES_MAX = 1 << 20 };

/* A moment as it came. */
struct note {
    int64_t time, execution;
    uint32_t op, kind;
};

struct notes {
    struct note *list;
    size_t count, capacity;
};

struct weir_machine_repetition {
    int64_t *counts;  /* of stations, COUNTS each; of channels, two each: as they are and as they were; see count() */
    int64_t *pending; /* by station and kind, INT64_MAX: none */
    int64_t *growth;  /* ... and by how much later it was than the last time */
    struct notes now, before;
    size_t count_count, pending_count;
    int64_t next; /* executions of station 0 at which the repetition ends */
    int alike;    /* ends of repetitions in a row at which all that is counted was the same */
    int even;     /* ... and pending moments moved as before */
    bool lost;    /* more moments came than are noted */
};

void weir_machine_repetition_free(struct weir_machine_repetition *r)
{
    if (!r)
        return;
    weir_free(r->counts);
    weir_free(r->pending);
    weir_free(r->growth);
    weir_free(r->now.list);
    weir_free(r->before.list);
    weir_free(r);
}

static int64_t per_repetition(const struct weir_machine *m, uint32_t op)
{
    return m->stations[op].goal / m->rules->iterations * m->rules->repetition;
}

bool weir_machine_repetition_new(struct weir_machine *m)
{
    if (m->rules->repetition < 1 || m->more || m->ties != WEIR_TIES_FIXED)
        return true;
    for (uint32_t i = 0; i < m->station_count; i++) {
        const struct weir_operator_thread *s = &m->stations[i];
        bool plain = !s->period || s->arrivals == WEIR_ARRIVALS_AT_MOST || s->arrivals == WEIR_ARRIVALS_EXACT;
        if (!plain || s->reentrant || s->goal / m->rules->iterations > INT64_MAX / m->rules->repetition)
            return true;
    }
    struct weir_machine_repetition *r = m->repetition = weir_array_zeroed(1, sizeof *r);
    if (!r)
        return false;
    r->count_count = (size_t)m->station_count * COUNTS + 2 * (size_t)m->channel_count;
    r->pending_count = (size_t)m->station_count * KINDS;
    r->counts = weir_array_zeroed(2 * r->count_count, sizeof *r->counts);
    r->pending = weir_array_zeroed(r->pending_count, sizeof *r->pending);
    r->growth = weir_array_zeroed(r->pending_count, sizeof *r->growth);
    r->next = per_repetition(m, 0);
    return r->counts && r->pending && r->growth;
}

void weir_machine_repetition_note(struct weir_machine *m, const struct weir_machine_moment *moment)
{
    struct notes *notes = &m->repetition->now;
    void *list = notes->list;
    if (notes->count == NOTES_MAX) {
        m->repetition->lost = true;
        return;
    }
    if (!weir_reserve(&list, &notes->capacity, notes->count + 1, sizeof *notes->list)) {
        m->status = WEIR_MEMORY;
        return;
    }
    notes->list = list;
    notes->list[notes->count++] = (struct note){moment->time, moment->execution, moment->op, moment->kind};
}

/* Everything that is counted, executions relative to how often the operator has begun. */
static void count(const struct weir_machine *m, int64_t *counts)
{
    for (uint32_t i = 0; i < m->station_count; i++) {
        const struct weir_operator_thread *s = &m->stations[i];
        int64_t *mine = counts + (size_t)i * COUNTS;
        mine[0] = s->started;
        mine[1] = s->started - s->received;
        mine[2] = s->started - s->sent;
        mine[3] = s->started - s->finished;
        mine[4] = s->period && s->arrivals == WEIR_ARRIVALS_EXACT ? s->started - s->arrived : 0;
        mine[5] = s->missing;
    }
    for (uint32_t i = 0; i < m->channel_count; i++) {
        int64_t *mine = counts + (size_t)m->station_count * COUNTS + 2 * (size_t)i;
        mine[0] = m->channels[i].messages;
        mine[1] = m->channels[i].occupied;
    }
}

/* Whether all that is counted is as it was, a repetition later. */
static bool counts_alike(const struct weir_machine *m)
{
    const struct weir_machine_repetition *r = m->repetition;
    const int64_t *now = r->counts, *before = r->counts + r->count_count;
    for (size_t i = 0; i < r->count_count; i++) {
        bool begun = i < (size_t)m->station_count * COUNTS && i % COUNTS == 0;
        if (now[i] - before[i] != (begun ? per_repetition(m, (uint32_t)(i / COUNTS)) : 0))
            return false;
    }
    return true;
}

/* Takes the pending moments down; whether there are the same, and each as much later as the last time. */
static void look_ahead(struct weir_machine *m, bool *same, bool *even)
{
    struct weir_machine_repetition *r = m->repetition;
    size_t pending = 0;
    *same = *even = true;
    for (size_t i = 0; i < m->heap_count; i++) {
        const struct weir_machine_moment *moment = &m->heap[i];
        int64_t *last = &r->pending[(size_t)moment->op * KINDS + moment->kind];
        int64_t *growth = &r->growth[(size_t)moment->op * KINDS + moment->kind], grown = moment->time - *last;
        *same &= *last != INT64_MAX;
        *even &= grown == *growth;
        *growth = grown;
        *last = moment->time;
    }
    for (size_t i = 0; i < r->pending_count; i++)
        pending += r->pending[i] != INT64_MAX;
    if (pending == m->heap_count)
        return;
    *same = false; /* some that were there are not any more */
    for (size_t i = 0; i < r->pending_count; i++)
        r->pending[i] = INT64_MAX;
    for (size_t i = 0; i < m->heap_count; i++)
        r->pending[(size_t)m->heap[i].op * KINDS + m->heap[i].kind] = m->heap[i].time;
}

/* For how many repetitions `a` comes no later than `b`, which moves by `b_growth`. */
static int64_t stays_before(int64_t a, int64_t a_growth, int64_t b, int64_t b_growth)
{
    if (a > b)
        return 0;
    return a_growth <= b_growth ? INT64_MAX : (b - a) / (a_growth - b_growth);
}

/* For how many more repetitions the moments come in the order of the last two; 0 where these differ. */
static int64_t order_lasts(const struct weir_machine *m)
{
    const struct notes *now = &m->repetition->now, *before = &m->repetition->before;
    int64_t lasts = INT64_MAX;
    if (now->count != before->count || now->count == 0)
        return 0;
    for (size_t i = 0; i < now->count; i++) {
        const struct note *a = &now->list[i], *was = &before->list[i];
        bool counted = a->kind != WEIR_MACHINE_PERIOD && a->kind != WEIR_MACHINE_ARRIVAL;
        if (a->op != was->op || a->kind != was->kind || a->execution - was->execution != (counted ? per_repetition(m, a->op) : 0))
            return 0;
        size_t next = i + 1 < now->count ? i + 1 : 0;
        const struct note *b = &now->list[next];
        int64_t b_growth = b->time - before->list[next].time;
        int64_t stays = stays_before(a->time, a->time - was->time, b->time + (next ? 0 : b_growth), b_growth);
        lasts = stays < lasts ? stays : lasts;
    }
    return lasts;
}

/* No further than a repetition before the end. */
static int64_t until_end(const struct weir_machine *m)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < m->station_count; i++) {
        const struct weir_operator_thread *s = &m->stations[i];
        int64_t most = s->started > s->arrived ? s->started : s->arrived;
        int64_t left = (s->limit - most) / per_repetition(m, i) - 1;
        least = left < least ? left : least;
    }
    return least;
}

/* Goes on where the machine will be after so many more repetitions. */
static void leap(struct weir_machine *m, int64_t times)
{
    struct weir_machine_repetition *r = m->repetition;
    size_t last = r->now.count - 1, pending = m->heap_count;
    int64_t growth = r->now.list[last].time - r->before.list[last].time, later;
    bool fits = weir_multiply(growth, times, &later) && weir_add(m->now, later, &m->now);
    m->heap_count = 0;
    for (size_t i = 0; i < pending; i++) { /* those before i are in their new places */
        struct weir_machine_moment moment = m->heap[i];
        fits &= weir_multiply(r->growth[(size_t)moment.op * KINDS + moment.kind], times, &later) &&
                weir_add(moment.time, later, &moment.time);
        if (moment.kind != WEIR_MACHINE_PERIOD && moment.kind != WEIR_MACHINE_ARRIVAL)
            moment.execution += times * per_repetition(m, moment.op);
        weir_machine_push(m, moment.time, moment);
    }
    for (uint32_t i = 0; i < m->station_count; i++) {
        struct weir_operator_thread *s = &m->stations[i];
        int64_t executions = times * per_repetition(m, i);
        s->started += executions;
        s->received += executions;
        s->sent += executions;
        s->finished += executions;
        s->arrived += s->period && s->arrivals == WEIR_ARRIVALS_EXACT ? executions : 0;
    }
    r->alike = r->even = 0;
    if (!fits)
        m->status = WEIR_OVERFLOW;
}

void weir_machine_repetition_end(struct weir_machine *m)
{
    struct weir_machine_repetition *r = m->repetition;
    const struct weir_machine_rules *rules = m->rules;
    if (m->stations[0].started < r->next)
        return;
    bool same, even;
    count(m, r->counts);
    look_ahead(m, &same, &even);
    r->alike = same && !r->lost && counts_alike(m) ? r->alike + 1 : 0;
    r->lost = false;
    r->even = even && r->alike ? r->even + 1 : 0;
    int64_t times = rules->repeats(rules->context), most = 0;
    if (times > 0 && r->alike > 1 && r->even > 0) {
        most = order_lasts(m);
        times = most < times ? most : times;
        most = until_end(m);
        times = most < times ? most : times;
        if (times > 1) {
            leap(m, times);
            rules->leap(rules->context, times);
        }
    }
    for (size_t i = 0; i < r->count_count; i++)
        r->counts[r->count_count + i] = r->counts[i];
    struct notes old = r->before;
    r->before = r->now;
    r->now = old;
    r->now.count = 0;
    r->next = m->stations[0].started + per_repetition(m, 0);
}
