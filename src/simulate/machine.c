/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each operator counts the conditions that keep it from starting; at 0 it goes on the list of those that start now. A condition,
 * once met, stays met until the operator itself starts, so an operator enters that list once per execution, and the order in
 * which operators of the same instant start does not matter, except to connections at which one end does not wait.
 *
 * A slot of an output is taken at the start, for the message that appears at the finish. Operators that are not reentrant would
 * notice no difference to taking it at the finish: only they themselves fill their queues.
 */
#include "simulate/machine.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/number.h"
#include "simulate/machine_inside.h"

void weir_machine_refuse(struct weir_machine *m, const char *wrong)
{
    m->status = WEIR_INVALID;
    m->wrong = wrong;
}

/* ---- pending moments ---- */

int64_t weir_machine_after(struct weir_machine *m, int64_t from, int64_t time)
{
    int64_t then = from;
    if (time < 0)
        weir_machine_refuse(m, "an execution was given a negative time");
    else if (!weir_add(from, time, &then))
        m->status = WEIR_OVERFLOW;
    return then;
}

static bool before(const struct weir_machine *m, const struct weir_machine_moment *a, const struct weir_machine_moment *b)
{
    (void)m;
    return a->time < b->time || (a->time == b->time && a->rank < b->rank);
}

WEIR_HEAP(moments, struct weir_machine_moment, const struct weir_machine *, before, WEIR_HEAP_STAYS);

static uint32_t rank_of(struct weir_machine *m, const struct weir_machine_moment *moment)
{
    if (m->ties == WEIR_TIES_RANDOM)
        return (uint32_t)weir_random_next(&m->random);
    if (m->ties == WEIR_TIES_FIXED)
        return 0;
    uint32_t op = moment->kind == WEIR_MACHINE_DELIVERY ? m->channels[moment->op].from : moment->op;
    return m->ranks[2 * (size_t)op];
}

void weir_machine_push(struct weir_machine *m, int64_t time, struct weir_machine_moment moment)
{
    if (!weir_reserve(&m->heap, &m->heap_capacity, m->heap_count + 1, sizeof *m->heap)) {
        m->status = WEIR_MEMORY;
        return;
    }
    moment.time = time;
    moment.rank = rank_of(m, &moment);
    moments_push(m, m->heap, &m->heap_count, moment);
}

static void push_after(struct weir_machine *m, int64_t delay, struct weir_machine_moment moment)
{
    int64_t then = weir_machine_after(m, m->now, delay);
    if (!m->status)
        weir_machine_push(m, then, moment);
}

/* ---- what is reported ---- */

static void observe(struct weir_machine *m, uint32_t op, enum weir_moment moment, int64_t execution)
{
    const struct weir_machine_rules *rules = m->rules;
    if (rules->observe && !rules->observe(rules->context, (struct weir_operator){op}, moment, execution, m->now))
        m->stopped = true;
}

static void tell_finish(struct weir_machine *m, uint32_t op, int64_t execution, uint32_t provenance)
{
    const struct weir_age_options *ages = m->rules->ages;
    struct weir_machine_thread *s = &m->threads[op];
    observe(m, op, WEIR_FINISH, execution);
    if (ages && ages->carried) {
        struct weir_finish finish = {.op = {op}, .execution = execution, .time = m->now};
        finish.ages = weir_provenance_tell(&m->hold, provenance, &finish.age_count);
        ages->carried(ages->run.context, &finish);
    }
    if (++s->finished == s->goal && --m->unfinished == 0 && m->cut)
        m->stopped = true;
}

void weir_machine_make_ready(struct weir_machine *m, uint32_t op)
{
    if (m->crews)
        weir_crews_ready(m, op);
    else
        m->ready[m->ready_count++] = op;
}

void weir_machine_not_ready(struct weir_machine *m, uint32_t op)
{
    size_t at = 0;
    while (at < m->ready_count && m->ready[at] != op)
        at++;
    if (at == m->ready_count)
        return; /* it was not yet seen */
    m->ready_count--;
    for (; at < m->ready_count; at++)
        m->ready[at] = m->ready[at + 1];
}

void weir_machine_condition_met(struct weir_machine *m, uint32_t op)
{
    if (--m->threads[op].missing == 0)
        weir_machine_make_ready(m, op);
}

/* ---- executions in flight ---- */

static struct weir_machine_flight *flight(const struct weir_machine_thread *s, int64_t execution)
{
    return &s->flights[(uint64_t)execution & (s->flight_capacity - 1)];
}

/* Room for one more execution in flight, with nothing of it over. */
static struct weir_machine_flight *make_flight(struct weir_machine *m, struct weir_machine_thread *s, int64_t execution)
{
    int64_t first = s->received < s->sent ? s->received : s->sent;
    size_t old = s->flight_capacity;
    if (s->reentrant && (uint64_t)(execution - first) >= old) {
        size_t capacity = old ? 2 * old : 16;
        struct weir_machine_flight *grown = weir_array(capacity, sizeof *grown);
        if (!grown) {
            m->status = WEIR_MEMORY;
            return NULL;
        }
        for (int64_t i = first; i < execution; i++)
            grown[(uint64_t)i & (capacity - 1)] = *flight(s, i);
        weir_free(s->flights);
        s->flights = grown;
        s->flight_capacity = capacity;
    }
    struct weir_machine_flight *mine = flight(s, execution);
    *mine = (struct weir_machine_flight){.parcel = {.provenance = WEIR_NO_PROVENANCE}};
    if (!weir_provenance_new(&m->hold, &mine->parcel.provenance)) {
        m->status = WEIR_MEMORY;
        return NULL;
    }
    return mine;
}

/* ---- what an execution does ---- */

static int64_t time_of(struct weir_machine *m, uint32_t op, enum weir_part part, int64_t execution)
{
    int64_t time = m->rules->time_of(m->rules->context, (struct weir_operator){op}, part, execution);
    if (time < 0)
        weir_machine_refuse(m, "an execution was given a negative time");
    weir_machine_is_given(m, time);
    return time;
}

static void receive(struct weir_machine *m, uint32_t op, int64_t execution)
{
    struct weir_machine_thread *s = &m->threads[op];
    struct weir_machine_flight *mine = flight(s, execution);
    weir_machine_read(m, s, execution, &mine->parcel);
    weir_provenance_stamp(&m->hold, mine->parcel.provenance, (struct weir_operator){op}, execution, mine->started);
    if (!s->reentrant) {
        weir_machine_free_slots(m, s);
        return;
    }
    flight(s, execution)->over |= WEIR_FLIGHT_RECEIVED;
    while (s->received < s->started && flight(s, s->received)->over & WEIR_FLIGHT_RECEIVED)
        weir_machine_free_slots(m, s);
}

static void send(struct weir_machine *m, struct weir_machine_thread *s)
{
    const struct weir_machine_flight *mine = flight(s, s->sent++);
    if (mine->skipped)
        weir_machine_send_nothing(m, s);
    else
        weir_machine_send(m, s, &mine->parcel);
    weir_provenance_drop(&m->hold, mine->parcel.provenance);
}

/* When the period lets the next execution start; not after now: at once. */
static int64_t next_tick(struct weir_machine *m, const struct weir_machine_thread *s)
{
    int64_t periods = 1, then = 0;
    if (s->arrivals == WEIR_ARRIVALS_AT_MOST)
        return weir_machine_after(m, m->now, s->period);
    periods = s->arrivals == WEIR_ARRIVALS_CATCH_UP ? s->started : (m->now - s->begin) / s->period + 1;
    if (!weir_multiply(periods, s->period, &then) || !weir_add(s->begin, then, &then))
        m->status = WEIR_OVERFLOW;
    return then;
}

/* Lets the next execution wait for what it has to, besides messages and slots. */
static void hold_next(struct weir_machine *m, uint32_t op)
{
    struct weir_machine_thread *s = &m->threads[op];
    if (s->started == s->limit) {
        s->missing++; /* for good */
    } else if (s->period && s->arrivals == WEIR_ARRIVALS_EXACT) {
        weir_machine_sees(m, s->started - s->arrived);
        s->missing += s->started == s->arrived;
    } else if (s->period) {
        int64_t then = next_tick(m, s);
        if (m->status)
            return;
        weir_machine_sees(m, then - m->now);
        if (then <= m->now)
            return;
        s->missing++;
        weir_machine_push(m, then, (struct weir_machine_moment){.op = op, .kind = WEIR_MACHINE_PERIOD});
    }
}

/* Whether the execution is skipped, or the application ends, for want of a message to read again. */
static bool is_skipped(struct weir_machine *m, const struct weir_machine_thread *s)
{
    uint32_t queue = 0;
    enum weir_missing missing = weir_machine_misses(m, s, &queue);
    if (missing == WEIR_MISSING_FAIL) {
        m->stopped = true;
        if (m->rules->end)
            *m->rules->end = (struct weir_age_end){.fault = true, .queue = {queue}, .time = m->now};
    }
    return missing == WEIR_MISSING_SKIP;
}

static void start(struct weir_machine *m, uint32_t op)
{
    struct weir_machine_thread *s = &m->threads[op];
    int64_t execution = s->started++;
    struct weir_machine_flight *mine = make_flight(m, s, execution);
    if (!mine)
        return;
    if (m->starts++ == m->rules->starts_max - 1)
        m->status = WEIR_OVERFLOW;
    s->missing++; /* it is starting and, unless it is reentrant, executing */
    if (m->crews)
        weir_crews_take(m, op);
    observe(m, op, WEIR_START, execution);
    weir_machine_claim(m, op, execution, &mine->parcel);
    mine->started = s->period && s->arrivals == WEIR_ARRIVALS_EXACT ? s->begin + execution * s->period : m->now;
    mine->parcel.began = m->now + 1;
    hold_next(m, op);
    mine->skipped = m->more && is_skipped(m, s);
    int64_t wait = s->late ? time_of(m, op, WEIR_PART_RECEIVE, execution) : 0;
    int64_t length = mine->skipped ? 0 : time_of(m, op, WEIR_PART_EXECUTION, execution);
    if (m->status || m->stopped)
        return;
    if (wait == 0)
        receive(m, op, execution);
    else if (wait < length)
        push_after(m, wait, (struct weir_machine_moment){.op = op, .kind = WEIR_MACHINE_RECEIVED, .execution = execution});
    bool both = wait > 0 && wait >= length;
    push_after(
        m, both ? wait : length,
        (struct weir_machine_moment){.op = op, .kind = both ? WEIR_MACHINE_BOTH : WEIR_MACHINE_EXECUTED, .execution = execution});
    if (s->reentrant)
        weir_machine_condition_met(m, op);
}

/* The operator is done with the execution: its messages go out, and it may start again. */
static void complete(struct weir_machine *m, uint32_t op)
{
    if (m->crews)
        weir_crews_free(m, op);
    send(m, &m->threads[op]);
    weir_machine_condition_met(m, op);
}

/* Work goes into the stream. */
static void launch(struct weir_machine *m, uint32_t op, int64_t execution)
{
    struct weir_machine_thread *s = &m->threads[op];
    struct weir_parcel *parcel = &s->own.parcel;
    int64_t *stream = &m->streams[s->stream], begin = m->now;
    if (*stream > begin)
        begin = *stream;
    if (parcel->over > begin)
        begin = parcel->over;
    *stream = parcel->over = weir_machine_after(m, begin, time_of(m, op, WEIR_PART_GPU, execution));
    if (m->status)
        return;
    struct weir_machine_moment over = {
        .op = op, .kind = WEIR_MACHINE_WORKED, .execution = execution, .provenance = parcel->provenance};
    if (!s->waits)
        weir_provenance_keep(&m->hold, parcel->provenance);
    weir_machine_push(m, parcel->over, over);
    if (!s->waits)
        complete(m, op);
}

static void worked(struct weir_machine *m, const struct weir_machine_moment *moment)
{
    if (m->threads[moment->op].waits) {
        push_after(m, time_of(m, moment->op, WEIR_PART_AFTER, moment->execution),
                   (struct weir_machine_moment){.op = moment->op, .kind = WEIR_MACHINE_AFTER, .execution = moment->execution});
        return;
    }
    tell_finish(m, moment->op, moment->execution, moment->provenance);
    weir_provenance_drop(&m->hold, moment->provenance);
}

static void executed(struct weir_machine *m, uint32_t op, int64_t execution)
{
    struct weir_machine_thread *s = &m->threads[op];
    if (s->launches) {
        launch(m, op, execution);
        return;
    }
    if (!flight(s, execution)->skipped)
        tell_finish(m, op, execution, flight(s, execution)->parcel.provenance);
    else if (++s->finished == s->goal && --m->unfinished == 0)
        m->stopped = true;
    if (!s->reentrant) {
        complete(m, op);
        return;
    }
    flight(s, execution)->over |= WEIR_FLIGHT_FINISHED;
    while (s->sent < s->started && flight(s, s->sent)->over & WEIR_FLIGHT_FINISHED && !m->status)
        send(m, s);
}

static void arrive(struct weir_machine *m, uint32_t op)
{
    struct weir_machine_thread *s = &m->threads[op];
    observe(m, op, WEIR_ARRIVAL, s->arrived);
    if (++s->arrived < s->limit)
        push_after(m, s->period, (struct weir_machine_moment){.op = op, .kind = WEIR_MACHINE_ARRIVAL});
    weir_machine_sees(m, s->arrived - s->started - 1);
    if (s->arrived == s->started + 1)
        weir_machine_condition_met(m, op);
}

static void happen(struct weir_machine *m, struct weir_machine_moment moment)
{
    m->now = moment.time;
    if (m->rounds)
        weir_rounds_note_moment(m, &moment);
    switch ((enum weir_machine_kind)moment.kind) {
    case WEIR_MACHINE_BOTH:
        receive(m, moment.op, moment.execution);
        executed(m, moment.op, moment.execution);
        break;
    case WEIR_MACHINE_EXECUTED:
        executed(m, moment.op, moment.execution);
        break;
    case WEIR_MACHINE_RECEIVED:
        receive(m, moment.op, moment.execution);
        break;
    case WEIR_MACHINE_WORKED:
        worked(m, &moment);
        break;
    case WEIR_MACHINE_AFTER:
        tell_finish(m, moment.op, moment.execution, m->threads[moment.op].own.parcel.provenance);
        complete(m, moment.op);
        break;
    case WEIR_MACHINE_DELIVERY:
        weir_machine_deliver(m, moment.op);
        break;
    case WEIR_MACHINE_PERIOD:
        weir_machine_condition_met(m, moment.op);
        break;
    case WEIR_MACHINE_ARRIVAL:
        arrive(m, moment.op);
        break;
    case WEIR_MACHINE_SEEN:
        weir_crews_see(m, moment.op, moment.execution);
        break;
    }
}

/* ---- one after the other ---- */

/* Puts the operator whose turn it is on top of those that are ready. True when it starts before the first of the moments. */
static bool choose(struct weir_machine *m)
{
    if (m->crews)
        return weir_crews_choose(m);
    if (m->ties == WEIR_TIES_FIXED || m->ready_count == 0)
        return m->ready_count > 0;
    size_t last = m->ready_count - 1, best = last;
    bool tied = m->heap_count && m->heap[0].time == m->now, first = true;
    if (m->ties == WEIR_TIES_RANDOM) {
        best = (size_t)weir_random_between(&m->random, 0, (int64_t)last);
        first = !tied || weir_random_next(&m->random) >> 63;
    } else {
        for (size_t i = 0; i < last; i++)
            if (m->ranks[2 * (size_t)m->ready[i] + 1] < m->ranks[2 * (size_t)m->ready[best] + 1])
                best = i;
        first = !tied || m->ranks[2 * (size_t)m->ready[best] + 1] <= m->heap[0].rank;
    }
    uint32_t op = m->ready[best];
    m->ready[best] = m->ready[last];
    m->ready[last] = op;
    return first;
}

static void run(struct weir_machine *m)
{
    while (!m->status && !m->stopped) {
        if (choose(m)) {
            uint32_t op = m->ready[--m->ready_count];
            const struct weir_machine_thread *s = &m->threads[op];
            if (m->cut ? s->started / WEIR_AHEAD_MAX >= s->goal : s->started == s->goal)
                m->stopped = true; /* the others are too slow, or behind */
            else
                start(m, op);
        } else if (m->rounds && weir_rounds_due(m)) {
            weir_rounds_end(m);
        } else if (m->heap_count) {
            happen(m, moments_pop(m, m->heap, &m->heap_count));
        } else {
            break;
        }
    }
}

static enum weir_status explain(const struct weir_machine *m, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (m->status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (m->status == WEIR_OVERFLOW)
        return weir_fail(error, WEIR_OVERFLOW, "the simulation runs for longer than can be represented");
    if (m->status == WEIR_INVALID)
        return weir_fail(error, WEIR_INVALID, "%s", m->wrong);
    if (m->stopped || m->unfinished == 0)
        return WEIR_OK;
    uint32_t stuck = 0;
    while (m->threads[stuck].finished >= m->threads[stuck].goal)
        stuck++;
    char name[WEIR_QUOTED], time[WEIR_TIME_TEXT];
    /* Whether an optional queue gets full for good is not known when a pipeline is sealed. */
    return weir_fail(error, m->cut ? WEIR_INVALID : WEIR_INTERNAL,
                     "the simulation is stuck at time %s: operator \"%s\" cannot start iteration %lld",
                     weir_time_format(pipeline, m->now, time),
                     weir_quote(weir_pipeline_operator(pipeline, (struct weir_operator){stuck}).name, name),
                     (long long)m->threads[stuck].started);
}

enum weir_status weir_machine_run(const struct weir_pipeline *pipeline, const struct weir_machine_rules *rules,
                                  struct weir_error *error)
{
    struct weir_machine m = {.rules = rules};
    if (rules->end)
        *rules->end = (struct weir_age_end){.fault = false};
    m.status = weir_machine_build(&m, pipeline);
    if (!m.status)
        run(&m);
    enum weir_status status = explain(&m, pipeline, error);
    weir_machine_free(&m);
    return status;
}
