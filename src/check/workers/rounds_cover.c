/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds with all their times, one from each entry of a list. */
#include "check/workers/rounds_cover.h"

#include "base/number.h"
#include "check/workers/instants.h"
#include "model/dispatch.h"

#include <string.h>

enum { NOW, QUEUES = 32, TICKS = 64 };

struct visit {
    uint32_t held[QUEUES], ours[QUEUES];
    struct weir_instants times;
    uint32_t place; /* in the order */
    bool follows, executed;
};

struct check {
    struct weir_arena arena;
    const struct weir_rounds_cover_claim *claim;
    const struct weir_pipeline *pipeline;
    const struct weir_rounds_cover *cover;
    uint32_t *order;
    int *base;          /* by operator: the moment from which its period counts; NOW: it has none */
    int64_t *period;    /* by operator */
    int begun, read;    /* moments: the start that is followed, when the clock was read */
    int moments;        /* of an entry */
    bool late;          /* sources may start later than they could */
    struct visit *todo; /* of the round that is played */
    size_t count, capacity;
    uint64_t work;
    bool good, out_of_memory;
};

void weir_rounds_cover_free(struct weir_rounds_cover *c)
{
    weir_free(c->held);
    weir_free(c->ours);
    weir_free(c->later);
    weir_free(c->follows);
    *c = (struct weir_rounds_cover){0};
}

static void go_on(struct check *c, const struct visit *v)
{
    if (!weir_reserve(&c->todo, &c->capacity, c->count + 1, sizeof *c->todo))
        c->out_of_memory = true;
    else
        c->todo[c->count++] = *v;
}

static const struct weir_source_spec *source_of(const struct check *c, uint32_t op)
{
    return &c->pipeline->sources[c->base[op] - 1];
}

/* What waits for messages starts when it can, and so does what makes up for ticks. */
static bool may_be_late(const struct check *c, uint32_t op)
{
    if (!c->late || (c->base[op] && source_of(c, op)->arrivals != WEIR_ARRIVALS_AT_MOST))
        return false;
    for (size_t i = 0; i < c->pipeline->queue_count; i++)
        if (c->pipeline->queues[i].to.index == op && !c->pipeline->queues[i].latest && !c->pipeline->queues[i].optional)
            return false;
    return true;
}

/* ---- the end of a round ---- */

static bool is_in(const struct check *c, const struct visit *v, size_t entry)
{
    const struct weir_rounds_cover *list = c->cover;
    size_t queues = c->pipeline->queue_count, moments = (size_t)c->moments;
    const int64_t *later = list->later + entry * moments * moments;
    if (list->follows[entry] != v->follows || memcmp(list->held + entry * queues, v->held, queues * sizeof *v->held) != 0 ||
        memcmp(list->ours + entry * queues, v->ours, queues * sizeof *v->ours) != 0)
        return false;
    size_t count = v->follows ? moments : moments - 1; /* else a start that is followed does not count: it is the last moment */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && v->times.later[i][j] > later[i * moments + j])
                return false;
    return true;
}

static void end_round(struct check *c, const struct visit *v)
{
    bool found = false;
    for (size_t entry = 0; entry < c->cover->count && !found; entry++)
        found = is_in(c, v, entry);
    c->good &= found;
}

/* ---- an execution ---- */

static uint32_t wanted(const struct weir_queue_spec *q)
{
    return q->consume > 1 ? q->consume : 1;
}

static bool is_ready(const struct check *c, const struct visit *v, uint32_t op)
{
    for (uint32_t i = 0; i < c->pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &c->pipeline->queues[i];
        uint32_t held = v->held[weir_pipeline_port(c->pipeline, i)];
        bool waits_for_room = !q->latest && !q->nonblocking && q->capacity != WEIR_UNBOUNDED;
        if ((q->to.index == op && !q->latest && !q->optional && held < wanted(q)) ||
            (q->from.index == op && waits_for_room && held >= q->capacity))
            return false;
    }
    return true;
}

/* Whether what is followed is in the messages that it takes. */
static bool take(const struct check *c, struct visit *v, uint32_t op)
{
    bool ours = false;
    for (uint32_t i = 0; i < c->pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &c->pipeline->queues[i];
        if (q->to.index != op || weir_pipeline_port(c->pipeline, i) != i)
            continue;
        for (uint32_t n = wanted(q); n > 0 && v->held[i]; n--) {
            ours |= v->ours[i] & 1;
            if (q->latest)
                break;
            v->ours[i] >>= 1;
            v->held[i]--;
        }
    }
    return ours;
}

/* False: the application ends. */
static bool send(struct check *c, struct visit *v, uint32_t op, bool ours)
{
    for (uint32_t i = 0; i < c->pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &c->pipeline->queues[i];
        uint32_t line = weir_pipeline_port(c->pipeline, i);
        enum weir_full full = q->port && q->full == WEIR_FULL_NEVER ? WEIR_FULL_FAULT : q->full;
        bool no_room = full != WEIR_FULL_NEVER && v->held[line] >= q->capacity;
        if (q->from.index != op || (no_room && full == WEIR_FULL_REJECT))
            continue;
        if (no_room && full == WEIR_FULL_FAULT)
            return false;
        if (q->latest) {
            v->held[line] = v->ours[line] = 0;
        } else if (no_room) {
            v->held[line]--;
            v->ours[line] >>= 1;
        }
        if (v->held[line] >= QUEUES) {
            c->good = false; /* more than an entry can say */
            return false;
        }
        v->ours[line] |= (uint32_t)ours << v->held[line]++;
    }
    return true;
}

static void measure(struct check *c, const struct visit *v, uint32_t op)
{
    const struct weir_greedy_ages *age = &c->claim->ages[op];
    c->good &= age->any && v->times.later[NOW][c->begun] <= age->worst && -v->times.later[c->begun][NOW] >= age->best;
}

static void execute_one(struct check *c, struct visit v, uint32_t op, bool begins)
{
    const struct weir_operator_spec *spec = &c->pipeline->operators[op];
    int64_t least = spec->best > spec->receive_min ? spec->best : spec->receive_min,
            most = spec->worst > spec->receive_max ? spec->worst : spec->receive_max;
    bool taken = take(c, &v, op), ours = op == c->claim->from ? begins : taken, follows = false;
    if (begins)
        weir_instants_set(&v.times, c->begun, NOW, 0);
    v.follows |= begins;
    weir_instants_move(&v.times, NOW, NOW, least, most);
    if (ours)
        measure(c, &v, op);
    v.executed = true;
    v.place++;
    bool runs = send(c, &v, op, ours);
    for (uint32_t i = 0; i < c->pipeline->queue_count; i++)
        follows |= v.ours[i] != 0;
    if (runs && (!v.follows || follows)) /* else nothing is left of what is followed */
        go_on(c, &v);
}

/* With an execution that is followed from here on, and without. */
static void execute(struct check *c, const struct visit *v, uint32_t op)
{
    struct visit begins = *v;
    execute_one(c, *v, op, false);
    if (op != c->claim->from || v->follows)
        return;
    for (uint32_t o = 0; o < c->pipeline->operator_count; o++) /* it counts if no source begins more than its period later */
        if (c->base[o] && c->pipeline->phases && c->pipeline->phases[o].unknown &&
            !weir_instants_limit(&begins.times, c->base[o], NOW, 0))
            return;
    execute_one(c, begins, op, true);
}

/* ---- periods ---- */

/* Ticks that have passed are skipped: the period counts from the last of them. */
static void execute_skipping(struct check *c, const struct visit *v, uint32_t op)
{
    int base = c->base[op];
    int64_t period = c->period[op], most = v->times.later[c->read][base], least = -v->times.later[base][c->read];
    struct visit one = *v;
    if (most == WEIR_ANY_TIME || most / period - least / period > TICKS) {
        weir_instants_move(&one.times, base, c->read, -period, 0);
        execute(c, &one, op);
        return;
    }
    for (int64_t ticks = least / period > 1 ? least / period : 1; ticks <= most / period; ticks++) {
        one = *v;
        if (!weir_instants_limit(&one.times, base, c->read, -ticks * period) ||
            !weir_instants_limit(&one.times, c->read, base, (ticks + 1) * period))
            continue;
        weir_instants_set(&one.times, base, base, ticks * period);
        execute(c, &one, op);
    }
}

static void execute_due(struct check *c, struct visit *v, uint32_t op)
{
    switch (source_of(c, op)->arrivals) {
    case WEIR_ARRIVALS_AT_MOST:
        weir_instants_set(&v->times, c->base[op], c->read, 0);
        execute(c, v, op);
        return;
    case WEIR_ARRIVALS_CATCH_UP:
        weir_instants_set(&v->times, c->base[op], c->base[op], c->period[op]);
        execute(c, v, op);
        return;
    case WEIR_ARRIVALS_SKIP:
        execute_skipping(c, v, op);
        return;
    default:
        c->good = false;
    }
}

/* Nothing was executed: the next round that does begins when the first of the periods that are waited for has passed, or a source
 * goes on that was late. */
static void wait(struct check *c, const struct visit *v)
{
    bool any = false;
    for (uint32_t o = 0; o < c->pipeline->operator_count; o++) {
        struct visit next = *v;
        if (!is_ready(c, v, o)) /* what is, and has no period, is late */
            continue;
        any = true;
        weir_instants_move(&next.times, NOW, NOW, 0, WEIR_ANY_TIME);
        bool can_be = !c->base[o] || weir_instants_limit(&next.times, c->base[o], NOW, -c->period[o]);
        for (uint32_t u = 0; u < c->pipeline->operator_count && can_be; u++)
            if (c->base[u] && is_ready(c, v, u) && !may_be_late(c, u))
                can_be = weir_instants_limit(&next.times, NOW, c->base[u], c->period[u]);
        if (can_be)
            end_round(c, &next);
    }
    c->good &= any; /* else it stands still */
}

/* ---- a round ---- */

static void visit(struct check *c, struct visit *v)
{
    while (v->place < c->pipeline->operator_count && !is_ready(c, v, c->order[v->place]))
        v->place++;
    if (v->place == c->pipeline->operator_count) {
        if (v->executed)
            end_round(c, v);
        else
            wait(c, v);
        return;
    }
    uint32_t op = c->order[v->place];
    struct visit due = *v;
    if (!c->base[op])
        execute(c, &due, op);
    else if (weir_instants_limit(&due.times, c->base[op], c->read, -c->period[op]))
        execute_due(c, &due, op);
    v->place++;
    if (may_be_late(c, op) || (c->base[op] && weir_instants_limit(&v->times, c->read, c->base[op], c->period[op])))
        go_on(c, v);
}

static void play(struct check *c, size_t entry)
{
    struct visit v = {.follows = c->cover->follows[entry]};
    size_t queues = c->pipeline->queue_count, moments = (size_t)c->moments;
    memcpy(v.held, c->cover->held + entry * queues, queues * sizeof *v.held);
    memcpy(v.ours, c->cover->ours + entry * queues, queues * sizeof *v.ours);
    weir_instants_begin(&v.times, c->moments + 1);
    for (int i = 0; i < c->moments; i++)
        for (int j = 0; j < c->moments; j++)
            if (i != j &&
                !weir_instants_limit(&v.times, i, j, c->cover->later[(entry * moments + (size_t)i) * moments + (size_t)j]))
                return; /* it never is */
    int once = c->moments;
    if (c->read != NOW)
        weir_instants_set(&v.times, once, NOW, 0);
    go_on(c, &v);
    while (c->good && !c->out_of_memory && c->count && c->work < c->claim->work) {
        struct visit next = c->todo[--c->count];
        visit(c, &next);
        c->work++;
    }
}

/* How it begins: a period before the phase of each source. */
static void begin(struct check *c)
{
    struct visit v = {0};
    weir_instants_begin(&v.times, c->moments);
    for (uint32_t i = 0; i < c->pipeline->queue_count; i++)
        v.held[i] = c->pipeline->queues[i].initial;
    for (uint32_t o = 0; o < c->pipeline->operator_count; o++) {
        struct weir_phase phase = c->pipeline->phases ? c->pipeline->phases[o] : (struct weir_phase){0};
        if (!c->base[o])
            continue;
        bool can_be = weir_instants_limit(&v.times, NOW, c->base[o], c->period[o] - (phase.unknown ? 0 : phase.least)) &&
                      (phase.unknown || weir_instants_limit(&v.times, c->base[o], NOW, phase.most - c->period[o]));
        c->good &= can_be;
    }
    end_round(c, &v);
}

static void play_all(struct check *c, const struct weir_rounds_cover *cover, bool once)
{
    c->cover = cover;
    c->read = once ? c->moments : NOW;
    begin(c);
    for (size_t entry = 0; entry < cover->count && c->good && !c->out_of_memory && c->work < c->claim->work; entry++) {
        c->count = 0;
        play(c, entry);
    }
}

/* ---- */

/* Whether this is the model that the play is about. */
static bool applies(const struct weir_pipeline *p)
{
    bool good = p->workers.dispatch == WEIR_DISPATCH_GREEDY && p->lane_count == 0 && p->queue_count <= QUEUES &&
                p->source_count > 0 && p->source_count <= WEIR_COVER_SOURCES;
    for (size_t i = 0; i < p->operator_count; i++)
        good &= !p->operators[i].launch && !p->operators[i].reentrant;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        good &= q->transfer_max == 0 && q->missing == WEIR_MISSING_REUSE && q->initial <= QUEUES &&
                (q->consume <= 1 || (!q->latest && !q->optional && q->consume <= QUEUES));
    }
    for (size_t i = 0; i < p->source_count; i++)
        good &= p->sources[i].arrivals != WEIR_ARRIVALS_EXACT && p->sources[i].period > 0;
    return good;
}

/* The answer says that no source stops where messages are read again, taken when their consumer happens to start, or several at
 * once; and phases that are not known say when sources begin, all of them. */
static bool sources_may_be_late(const struct weir_pipeline *p)
{
    bool late = !p->firings && !(p->graph && p->graph->unknown_roots);
    for (size_t i = 0; i < p->queue_count; i++)
        late &= !p->queues[i].latest && !p->queues[i].optional;
    return late;
}

enum weir_status weir_rounds_cover_check(const struct weir_rounds_cover_claim *claim, enum weir_checked *checked)
{
    const struct weir_pipeline *p = claim->pipeline;
    struct check c = {.claim = claim, .pipeline = p, .good = true, .late = sources_may_be_late(p)};
    *checked = WEIR_CHECKED_OPEN;
    if (!applies(p))
        return WEIR_OK;
    c.begun = (int)p->source_count + 1;
    c.moments = c.begun + 1;
    c.order = weir_arena_array(&c.arena, p->operator_count, sizeof *c.order);
    c.base = weir_arena_array(&c.arena, p->operator_count, sizeof *c.base);
    c.period = weir_arena_array(&c.arena, p->operator_count, sizeof *c.period);
    bool good = !c.arena.failed && weir_dispatch_order(p, c.order);
    for (size_t i = 0; i < p->source_count && good; i++) {
        c.base[p->sources[i].op.index] = (int)i + 1;
        c.period[p->sources[i].op.index] = p->sources[i].period;
    }
    if (good) {
        play_all(&c, claim->at_visit, false);
        play_all(&c, claim->once_round, true);
        *checked = !c.good ? WEIR_CHECKED_FAILS : c.work < claim->work ? WEIR_CHECKED_HOLDS : WEIR_CHECKED_OPEN;
    }
    weir_free(c.todo);
    weir_arena_free(&c.arena);
    return good && !c.out_of_memory ? WEIR_OK : WEIR_MEMORY;
}
