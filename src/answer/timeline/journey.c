/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journey of the measured message, from the operator that the latency counts from to the one that it ends at: where it is
 * executed, where it waits in a queue, and what for. It is found backwards: before an execution of the message lies the execution
 * that sent the input which came last, among those that descend from the first execution of the message. Legs follow each other
 * without a gap, so their times add up to the latency.
 */
#include "answer/schedule.h"
#include "answer/timeline/timeline.h"
#include "base/alloc.h"
#include "model/pipeline.h"

#define WAITS_TOLD 4          /* of a sum, when there are more than one beyond */
#define SHIFT_MAX 32          /* iterations between the first execution and the last; a longer journey is not told */
#define EXECUTIONS_MAX 100000 /* in these, where operators execute several times in an iteration */

struct journey {
    struct weir_timeline *t;
    const struct weir_schedule *s;
    const struct weir_pipeline *pipeline;
    const uint32_t *lanes;
    int64_t first, width; /* iterations: that of the first execution, how many from it to that of the last */
    size_t *place;        /* by operator: its first execution in them */
    bool *descends;       /* by place */
    struct weir_timeline_leg *legs;
    size_t count, room; /* from the end of the journey to its beginning */
    bool failed;
};

static const char *name_of(const struct journey *j, uint32_t op)
{
    return weir_pipeline_operator(j->pipeline, (struct weir_operator){op}).name;
}

/* Executions of the operator in the iterations before. */
static int64_t executions_before(const struct journey *j, uint32_t op)
{
    return j->first * (int64_t)weir_pipeline_firings(j->pipeline, (struct weir_operator){op});
}

static bool *descends(const struct journey *j, uint32_t op, int64_t execution)
{
    int64_t number = execution - executions_before(j, op), count = (int64_t)(j->place[op + 1] - j->place[op]);
    return number < 0 || number >= count ? NULL : &j->descends[j->place[op] + (size_t)number];
}

/* false: no memory, or too many executions. */
static bool make_room(struct journey *j)
{
    uint32_t count = weir_pipeline_operator_count(j->pipeline);
    size_t executions = 0;
    j->place = weir_array((size_t)count + 1, sizeof *j->place);
    for (uint32_t i = 0; j->place && i <= count; i++) {
        j->place[i] = executions;
        executions += i < count ? (size_t)j->width * weir_pipeline_firings(j->pipeline, (struct weir_operator){i}) : 0;
    }
    bool many = j->pipeline->firings && executions > EXECUTIONS_MAX;
    j->descends = j->place && !many ? weir_array_zeroed(executions, sizeof *j->descends) : NULL;
    j->failed |= !many && !j->descends;
    return j->descends != NULL;
}

/* Whether the number of a message of the queue tells which execution takes it. */
static bool is_followed(const struct weir_queue_spec *q)
{
    return !weir_queue_is_cut(q) && !q->port;
}

static int64_t batch_of(const struct weir_queue_spec *q)
{
    return q->consume > 1 ? q->consume : 1;
}

/* What can be made of the first execution: later by the messages that are there at the beginning. */
static void mark_descendants(const struct journey *j, const struct weir_execution *first)
{
    bool more = true;
    *descends(j, first->op, first->iteration) = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(j->pipeline); i++) {
            struct weir_queue_spec q = weir_pipeline_queue(j->pipeline, (struct weir_queue){i});
            int64_t before = executions_before(j, q.from.index), sent = 0;
            for (bool *own; is_followed(&q) && (own = descends(j, q.from.index, before + sent)); sent++) {
                bool *next = descends(j, q.to.index, (before + sent + q.initial) / batch_of(&q));
                if (*own && next && !*next)
                    *next = more = true;
            }
        }
    }
}

/* ---- legs ---- */

/* What of it lies before the latency counts, or after it ended, is no part of the journey. */
static void add(struct journey *j, struct weir_timeline_leg leg, int64_t from, int64_t to)
{
    void *legs = j->legs;
    from = from < j->s->from ? j->s->from : from;
    to = to > j->s->to ? j->s->to : to;
    if (from >= to)
        return;
    leg.from = weir_ticks(from);
    leg.to = weir_ticks(to);
    if (weir_reserve(&legs, &j->room, j->count + 1, sizeof leg)) {
        j->legs = legs;
        j->legs[j->count++] = leg;
    } else {
        j->failed = true;
    }
}

static struct weir_timeline_leg leg_of(const struct journey *j, const struct weir_execution *e, enum weir_leg_kind kind,
                                       const char *text)
{
    uint32_t lane = j->lanes[e->op];
    size_t number = (size_t)(e - j->s->executions) - j->s->first[e->op];
    return (struct weir_timeline_leg){.kind = kind,
                                      .lane = lane,
                                      .row = j->t->spans[j->t->lanes[lane].first_span + number].row,
                                      .iteration = e->iteration,
                                      .text = text};
}

/* The execution that took the message whose place in the queue this one needs; NULL where there was room from the beginning. */
static const struct weir_execution *taker_before(const struct journey *j, const struct weir_queue_spec *q,
                                                 const struct weir_execution *e)
{
    bool waits = q->from.index == e->op && !q->nonblocking && q->capacity != WEIR_UNBOUNDED && is_followed(q);
    int64_t taken = e->iteration + q->initial - (int64_t)q->capacity;
    return waits && taken >= 0 ? weir_schedule_execution(j->s, q->to, taken / batch_of(q)) : NULL;
}

/* What ended when the execution started, apart from the execution before it: room, another input, a period. */
static void add_last_wait(struct journey *j, const struct weir_execution *e, int64_t from)
{
    enum weir_leg_kind kind = WEIR_LEG_WAITING;
    const char *text = NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(j->pipeline) && !text; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(j->pipeline, (struct weir_queue){i});
        const struct weir_execution *taker = taker_before(j, &q, e);
        if (taker && taker->received == e->start) {
            kind = WEIR_LEG_BLOCKED;
            text = weir_timeline_text(j->t, "blocked in %s until %s takes frame %lld", name_of(j, e->op), name_of(j, q.to.index),
                                      (long long)taker->iteration);
        }
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(j->pipeline) && !text; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(j->pipeline, (struct weir_queue){i});
        bool leads = q.to.index == e->op && is_followed(&q);
        const struct weir_execution *sender =
            leads ? weir_schedule_execution(j->s, q.from, (e->iteration + 1) * batch_of(&q) - 1 - q.initial) : NULL;
        if (sender && sender->sent == e->start)
            text = weir_timeline_text(
                j->t, batch_of(&q) > 1 ? "waiting in %s for the last message of its batch" : "waiting in %s for the message of %s",
                name_of(j, e->op), name_of(j, q.from.index));
    }
    if (!text && !weir_pipeline_has_enough_workers(j->pipeline))
        text = weir_timeline_text(j->t, "waiting in %s for a worker", name_of(j, e->op));
    if (!text)
        text = weir_timeline_text(j->t, "waiting for the period of %s to pass", name_of(j, e->op));
    add(j, leg_of(j, e, kind, text), from, e->start);
}

/* From when the message was there to when it is taken: behind the one before it, then for whatever else. */
static void add_wait(struct journey *j, const struct weir_execution *e, int64_t from)
{
    bool reentrant = weir_pipeline_operator(j->pipeline, (struct weir_operator){e->op}).reentrant;
    const struct weir_execution *before =
        reentrant ? NULL : weir_schedule_execution(j->s, (struct weir_operator){e->op}, e->iteration - 1);
    int64_t free = before && before->finish > from ? before->finish : from;
    free = free > e->start ? e->start : free;
    if (free < e->start)
        add_last_wait(j, e, free);
    if (before && free > from)
        add(j,
            leg_of(j, e, WEIR_LEG_WAITING,
                   weir_timeline_text(j->t, "waiting behind frame %lld in %s", (long long)before->iteration, name_of(j, e->op))),
            from, free);
}

/* ---- the way back ---- */

/* The execution of the message that sent what came last to this one, and through which queue. */
static const struct weir_execution *sender_of(const struct journey *j, const struct weir_execution *e, struct weir_queue_spec *way)
{
    const struct weir_execution *last = NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(j->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(j->pipeline, (struct weir_queue){i});
        int64_t batch = batch_of(&q), sent = e->iteration * batch - q.initial;
        for (int64_t k = sent; q.to.index == e->op && is_followed(&q) && k < sent + batch; k++) {
            const bool *own = descends(j, q.from.index, k);
            const struct weir_execution *sender = own && *own ? weir_schedule_execution(j->s, q.from, k) : NULL;
            if (sender && sender->finish != WEIR_NOT_YET && (!last || sender->sent > last->sent)) {
                last = sender;
                *way = q;
            }
        }
    }
    return last;
}

static void add_running(struct journey *j, const struct weir_execution *e, int64_t to)
{
    int64_t end = e->finish < to ? e->finish : to;
    if (to > end)
        add(j, leg_of(j, e, WEIR_LEG_UNDER_WAY, weir_timeline_text(j->t, "on the GPU for %s", name_of(j, e->op))), end, to);
    add(j, leg_of(j, e, WEIR_LEG_RUNNING, weir_timeline_text(j->t, "running in %s", name_of(j, e->op))), e->start, end);
}

/* false: it does not lead back to the first execution. */
static bool go_back(struct journey *j, const struct weir_execution *first, const struct weir_execution *e)
{
    struct weir_queue_spec way = {0};
    int64_t until = j->s->to;
    for (size_t steps = 0; steps <= j->s->count; steps++) {
        add_running(j, e, until > e->start ? until : e->start);
        if (e == first) {
            add_wait(j, e, j->s->from);
            return true;
        }
        const struct weir_execution *sender = sender_of(j, e, &way);
        if (!sender || sender->sent > e->start)
            return false;
        int64_t takes = e->start - sender->sent; /* one that waits longer was there as soon as can be: nothing waited for it */
        int64_t there = sender->sent + (takes > way.transfer_max ? way.transfer_min : takes);
        add_wait(j, e, way.transfer_max > 0 ? there : sender->sent);
        if (way.transfer_max > 0)
            add(j, leg_of(j, e, WEIR_LEG_UNDER_WAY, weir_timeline_text(j->t, "on the way from %s", name_of(j, sender->op))),
                sender->sent, there);
        until = sender->sent;
        e = sender;
    }
    return false;
}

/* Whether the legs lie side by side from one end of the latency to the other. */
static bool is_whole(const struct journey *j)
{
    int64_t now = j->s->from;
    for (size_t i = j->count; i-- > 0; now = j->legs[i].to.numerator)
        if (j->legs[i].from.numerator != now)
            return false;
    return now == j->s->to;
}

/* Which execution of its operator the event belongs to, in an iteration. */
static const struct weir_execution *execution_of(const struct weir_schedule *s, struct weir_event event, int64_t iteration)
{
    return weir_schedule_execution(s, event.op, iteration * (int64_t)weir_pipeline_firings(s->pipeline, event.op) + event.firing);
}

void weir_timeline_add_journey(struct weir_timeline *t, const struct weir_schedule *s, const uint32_t *lanes)
{
    const struct weir_query *query = &s->witness->query;
    struct journey j = {t, s, s->pipeline, lanes, .first = s->witness->iteration, .width = query->shift + 1};
    if (t->failed || query->shift < 0 || query->shift > SHIFT_MAX || s->from >= s->to)
        return;
    const struct weir_execution *first = execution_of(s, query->from, j.first);
    const struct weir_execution *last = execution_of(s, query->to, j.first + query->shift);
    if (first && last && make_room(&j)) {
        mark_descendants(&j, first);
        bool whole = go_back(&j, first, last) && !j.failed && is_whole(&j);
        for (size_t i = j.count; whole && i-- > 0;)
            weir_timeline_add_leg(t, j.legs[i]);
    }
    t->failed |= j.failed;
    weir_free(j.place);
    weir_free(j.descends);
    weir_free(j.legs);
}

static int64_t length_of(const struct weir_timeline_leg *leg)
{
    return leg->to.numerator - leg->from.numerator;
}

/* Of those at which the message does not run, how many are longer, or as long and before it. */
static size_t rank_of(const struct weir_timeline *t, size_t index)
{
    size_t rank = 0;
    for (size_t i = 0; i < t->leg_count; i++) {
        int64_t more = length_of(&t->legs[i]) - length_of(&t->legs[index]);
        rank += t->legs[i].kind != WEIR_LEG_RUNNING && (more > 0 || (more == 0 && i < index));
    }
    return rank;
}

void weir_timeline_sum_legs(struct weir_timeline *t)
{
    char text[WEIR_AMOUNT_TEXT];
    int64_t all = t->legs[t->leg_count - 1].to.numerator - t->legs[0].from.numerator, running = 0, rest = 0;
    const char *waits = "";
    size_t count = 0;
    for (size_t i = 0; i < t->leg_count; i++)
        count += t->legs[i].kind != WEIR_LEG_RUNNING;
    for (size_t i = 0; i < t->leg_count; i++) {
        int64_t takes = length_of(&t->legs[i]);
        weir_timeline_number(t, weir_ticks(takes), true, text);
        if (t->legs[i].kind == WEIR_LEG_RUNNING)
            running += takes;
        else if (count > WAITS_TOLD + 1 && rank_of(t, i) >= WAITS_TOLD)
            rest += takes;
        else
            waits = weir_timeline_text(t, "%s + %s %s", waits, text, t->legs[i].text);
    }
    if (rest)
        waits = weir_timeline_text(t, "%s + %s in %zu shorter waits", waits, weir_timeline_number(t, weir_ticks(rest), true, text),
                                   count - WAITS_TOLD);
    const char *sum = weir_timeline_text(t, "%s = ", weir_timeline_amount(t, weir_ticks(all), true, text));
    t->account = weir_timeline_text(t, "%s%s running%s", sum, weir_timeline_number(t, weir_ticks(running), true, text), waits);
}

/* ---- where data grows old ---- */

/* The last execution of a producer that the data was in before this one started. */
static const struct weir_execution *carrier_before(const struct journey *j, const struct weir_execution *e,
                                                   struct weir_queue_spec *way)
{
    const struct weir_execution *last = NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(j->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(j->pipeline, (struct weir_queue){i});
        for (size_t k = j->s->first[q.from.index]; q.to.index == e->op && k < j->s->first[q.from.index + 1]; k++) {
            const struct weir_execution *x = &j->s->executions[k];
            if (x->carries == e->carries && x->finish != WEIR_NOT_YET && x->sent <= e->start && (!last || x->sent > last->sent)) {
                last = x;
                *way = q;
            }
        }
    }
    return last;
}

static bool age_back(struct journey *j, const struct weir_execution *e, uint32_t from)
{
    struct weir_queue_spec way = {0};
    int64_t until = j->s->to;
    for (size_t steps = 0; steps <= j->s->count; steps++) {
        add_running(j, e, until > e->start ? until : e->start);
        if (e->op == from && e->iteration == e->carries) {
            add(j, leg_of(j, e, WEIR_LEG_WAITING, weir_timeline_text(j->t, "waiting for %s to start", name_of(j, from))),
                j->s->from, e->start);
            return true;
        }
        const struct weir_execution *sender = carrier_before(j, e, &way);
        if (!sender)
            return false;
        const char *text =
            way.latest ? "growing old between %s and %s, which reads what is there when it starts" : "waiting between %s and %s";
        add(j, leg_of(j, e, WEIR_LEG_WAITING, weir_timeline_text(j->t, text, name_of(j, sender->op), name_of(j, e->op))),
            sender->sent, e->start);
        until = sender->sent;
        e = sender;
    }
    return false;
}

void weir_timeline_add_ageing(struct weir_timeline *t, struct weir_schedule *s, const uint32_t *lanes,
                              const struct weir_chain_spec *chain)
{
    const struct weir_execution *oldest = NULL;
    for (size_t i = s->first[chain->to.index]; i < s->first[chain->to.index + 1]; i++) {
        const struct weir_execution *e = &s->executions[i];
        if (e->carries >= 0 && e->finish != WEIR_NOT_YET && (!oldest || e->finish - e->since > oldest->finish - oldest->since))
            oldest = e;
    }
    if (!oldest || t->failed)
        return;
    s->from = oldest->since;
    s->to = oldest->finish;
    struct journey j = {t, s, s->pipeline, lanes, .first = oldest->carries};
    bool whole = age_back(&j, oldest, chain->from.index) && !j.failed && is_whole(&j);
    for (size_t i = j.count; whole && i-- > 0;)
        weir_timeline_add_leg(t, j.legs[i]);
    t->failed |= j.failed;
    weir_free(j.legs);
}
