/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each operator counts the conditions that keep it from starting; at 0 it goes on the list of those that start now. A condition,
 * once met, stays met until the operator itself starts, so an operator enters that list once per iteration, and the order in
 * which operators of the same instant start does not matter.
 *
 * A slot of an output is taken at the start, for the message that appears at the finish. Operators that are not reentrant would
 * notice no difference to taking it at the finish: only they themselves fill their queues.
 */
#include "simulate/machine.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"

struct channel {
    int64_t messages; /* to be claimed */
    int64_t occupied; /* slots: of messages, of those claimed but not yet received, and of those to come */
    int64_t capacity; /* INT64_MAX: the producer never waits */
    uint32_t from, to;
};

struct station {
    int64_t started;             /* iterations begun */
    int64_t received, sent;      /* iterations whose input slots are free, whose messages are out */
    int64_t arrived;             /* inputs, for exact arrivals */
    int64_t period;              /* 0: none */
    uint32_t missing;            /* conditions that are not met */
    uint32_t first_out, end_out; /* channels */
    uint32_t first_in, end_in;   /* into machine.inputs */
    bool exact;                  /* arrivals */
    bool late;                   /* receives after the start */
    bool reentrant;
    uint8_t *flights; /* what is over of the iterations that began and have not received and sent, a ring; reentrant ones only */
    size_t flight_capacity;
};

enum { RECEIVED = 1, FINISHED = 2 }; /* flags of a flight */

enum kind { FINISH, RECEIVE, PERIOD_OVER, ARRIVAL };

struct moment {
    int64_t time;
    int64_t iteration; /* of FINISH and RECEIVE */
    uint32_t op;
    uint32_t kind;
};

struct machine {
    const struct weir_machine_rules *rules;
    struct station *stations;
    struct channel *channels; /* in order of their producer */
    uint32_t *inputs;         /* channels in order of their consumer */
    uint32_t *ready;          /* a stack */
    struct moment *heap;
    size_t ready_count, heap_count, heap_capacity;
    uint32_t station_count, channel_count;
    uint32_t unfinished; /* stations */
    int64_t now;
    bool stopped;
    enum weir_status status;
};

/* ---- pending moments ---- */

/* After `delay`. */
static void push(struct machine *m, int64_t delay, struct moment moment)
{
    void *heap = m->heap;
    if (!weir_add(m->now, delay, &moment.time)) {
        m->status = WEIR_OVERFLOW;
        return;
    }
    if (!weir_reserve(&heap, &m->heap_capacity, m->heap_count + 1, sizeof *m->heap)) {
        m->status = WEIR_MEMORY;
        return;
    }
    m->heap = heap;
    size_t hole = m->heap_count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (m->heap[parent].time <= moment.time)
            break;
        m->heap[hole] = m->heap[parent];
        hole = parent;
    }
    m->heap[hole] = moment;
}

static struct moment pop(struct machine *m)
{
    struct moment *heap = m->heap, first = heap[0], last = heap[--m->heap_count];
    size_t count = m->heap_count, hole = 0, child;
    while ((child = 2 * hole + 1) < count) {
        if (child + 1 < count && heap[child + 1].time < heap[child].time)
            child++;
        if (heap[child].time >= last.time)
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = last;
    return first;
}

/* ---- what happens ---- */

static void observe(struct machine *m, uint32_t op, enum weir_moment moment, int64_t iteration)
{
    const struct weir_machine_rules *rules = m->rules;
    if (rules->observe && !rules->observe(rules->context, (struct weir_operator){op}, moment, iteration, m->now))
        m->stopped = true;
}

static void condition_met(struct machine *m, uint32_t op)
{
    if (--m->stations[op].missing == 0)
        m->ready[m->ready_count++] = op;
}

/* ---- what is over of an iteration of a reentrant operator ---- */

static uint8_t *flight(const struct station *s, int64_t iteration)
{
    return &s->flights[(uint64_t)iteration & (s->flight_capacity - 1)];
}

/* Room for one more iteration in flight, with nothing of it over. */
static void make_flight(struct machine *m, struct station *s, int64_t iteration)
{
    int64_t first = s->received < s->sent ? s->received : s->sent;
    size_t old = s->flight_capacity;
    if ((uint64_t)(iteration - first) >= old) {
        uint8_t *grown = weir_array(old ? 2 * old : 16, sizeof *grown);
        if (!grown) {
            m->status = WEIR_MEMORY;
            return;
        }
        struct station larger = {.flights = grown, .flight_capacity = old ? 2 * old : 16};
        for (int64_t i = first; i < iteration; i++)
            *flight(&larger, i) = *flight(s, i);
        weir_free(s->flights);
        s->flights = grown;
        s->flight_capacity = larger.flight_capacity;
    }
    *flight(s, iteration) = 0;
}

/* ---- what an iteration does ---- */

/* The messages that were claimed by the oldest iteration that still holds its own leave their queues. */
static void free_slots(struct machine *m, struct station *s)
{
    s->received++;
    for (uint32_t i = s->first_in; i < s->end_in; i++) {
        struct channel *c = &m->channels[m->inputs[i]];
        if (c->occupied-- == c->capacity)
            condition_met(m, c->from);
    }
}

static void receive(struct machine *m, struct station *s, int64_t iteration)
{
    if (!s->reentrant) {
        free_slots(m, s);
        return;
    }
    *flight(s, iteration) |= RECEIVED;
    while (s->received < s->started && *flight(s, s->received) & RECEIVED)
        free_slots(m, s);
}

/* The messages of the oldest iteration that has not sent its own appear. */
static void send(struct machine *m, struct station *s)
{
    s->sent++;
    for (uint32_t i = s->first_out; i < s->end_out; i++) {
        struct channel *c = &m->channels[i];
        if (c->messages++ == 0)
            condition_met(m, c->to);
    }
    if (s->sent == m->rules->iterations)
        m->unfinished--;
}

static int64_t time_of(struct machine *m, uint32_t op, enum weir_part part, int64_t iteration)
{
    int64_t time = m->rules->time_of(m->rules->context, (struct weir_operator){op}, part, iteration);
    if (time < 0)
        m->status = WEIR_INVALID;
    return time;
}

/* Takes a message of each input and a slot of each output, and lets the next iteration wait for what it has to. */
static void claim(struct machine *m, uint32_t op)
{
    struct station *s = &m->stations[op];
    for (uint32_t i = s->first_in; i < s->end_in; i++)
        if (--m->channels[m->inputs[i]].messages == 0)
            s->missing++;
    for (uint32_t i = s->first_out; i < s->end_out; i++)
        if (++m->channels[i].occupied == m->channels[i].capacity)
            s->missing++;
    if (s->started == m->rules->iterations) {
        s->missing++; /* for good */
    } else if (s->exact) {
        s->missing += s->started == s->arrived;
    } else if (s->period) {
        s->missing++;
        push(m, s->period, (struct moment){.op = op, .kind = PERIOD_OVER});
    }
}

static void start(struct machine *m, uint32_t op)
{
    struct station *s = &m->stations[op];
    int64_t iteration = s->started++;
    s->missing++; /* it is starting and, unless it is reentrant, executing */
    observe(m, op, WEIR_START, iteration);
    claim(m, op);
    int64_t wait = s->late ? time_of(m, op, WEIR_PART_RECEIVE, iteration) : 0;
    int64_t length = time_of(m, op, WEIR_PART_EXECUTION, iteration);
    if (s->reentrant && !m->status)
        make_flight(m, s, iteration);
    if (m->status)
        return;
    if (wait == 0)
        receive(m, s, iteration);
    else
        push(m, wait, (struct moment){.op = op, .kind = RECEIVE, .iteration = iteration});
    push(m, length > wait ? length : wait, (struct moment){.op = op, .kind = FINISH, .iteration = iteration});
    if (s->reentrant)
        condition_met(m, op);
}

static void finish(struct machine *m, uint32_t op, int64_t iteration)
{
    struct station *s = &m->stations[op];
    observe(m, op, WEIR_FINISH, iteration);
    if (!s->reentrant) {
        send(m, s);
        condition_met(m, op);
        return;
    }
    *flight(s, iteration) |= FINISHED;
    while (s->sent < s->started && *flight(s, s->sent) & FINISHED)
        send(m, s);
}

static void arrive(struct machine *m, uint32_t op)
{
    struct station *s = &m->stations[op];
    observe(m, op, WEIR_ARRIVAL, s->arrived);
    if (++s->arrived < m->rules->iterations)
        push(m, s->period, (struct moment){.op = op, .kind = ARRIVAL});
    if (s->arrived == s->started + 1)
        condition_met(m, op);
}

static void happen(struct machine *m, struct moment moment)
{
    m->now = moment.time;
    switch ((enum kind)moment.kind) {
    case FINISH:
        finish(m, moment.op, moment.iteration);
        break;
    case RECEIVE:
        receive(m, &m->stations[moment.op], moment.iteration);
        break;
    case PERIOD_OVER:
        condition_met(m, moment.op);
        break;
    case ARRIVAL:
        arrive(m, moment.op);
        break;
    }
}

static void run(struct machine *m)
{
    while (!m->status && !m->stopped) {
        if (m->ready_count)
            start(m, m->ready[--m->ready_count]);
        else if (m->heap_count)
            happen(m, pop(m));
        else
            break;
    }
}

/* ---- setting up ---- */

static void read_stations(struct machine *m, const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < m->station_count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        m->stations[i].late = spec.receive_max > 0;
        m->stations[i].reentrant = spec.reentrant;
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(pipeline, i);
        struct station *s = &m->stations[spec.op.index];
        s->period = spec.period;
        s->exact = spec.arrivals == WEIR_ARRIVALS_EXACT;
    }
}

/* Sorts the queues by producer, and their numbers by consumer (a counting sort each). */
static void read_channels(struct machine *m, const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < m->channel_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        m->stations[spec.from.index].end_out++;
        m->stations[spec.to.index].end_in++;
    }
    uint32_t out = 0, in = 0;
    for (uint32_t i = 0; i < m->station_count; i++) {
        struct station *s = &m->stations[i];
        uint32_t outs = s->end_out, ins = s->end_in;
        s->first_out = s->end_out = out;
        s->first_in = s->end_in = in;
        out += outs;
        in += ins;
    }
    for (uint32_t i = 0; i < m->channel_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        uint32_t place = m->stations[spec.from.index].end_out++;
        bool endless = spec.nonblocking || spec.capacity == WEIR_UNBOUNDED;
        m->channels[place] = (struct channel){.messages = spec.initial,
                                              .occupied = spec.initial,
                                              .capacity = endless ? INT64_MAX : spec.capacity,
                                              .from = spec.from.index,
                                              .to = spec.to.index};
        m->inputs[m->stations[spec.to.index].end_in++] = place;
    }
}

/* Everything that can start at time 0 becomes ready. */
static void begin(struct machine *m)
{
    for (uint32_t i = 0; i < m->channel_count; i++) {
        const struct channel *c = &m->channels[i];
        m->stations[c->to].missing += c->messages == 0;
        m->stations[c->from].missing += c->occupied == c->capacity;
    }
    m->unfinished = m->station_count;
    for (uint32_t i = 0; i < m->station_count; i++) {
        struct station *s = &m->stations[i];
        if (s->exact) {
            s->missing++;
            push(m, 0, (struct moment){.op = i, .kind = ARRIVAL});
        }
        if (!s->missing)
            m->ready[m->ready_count++] = i;
    }
}

static bool allocate(struct machine *m)
{
    m->stations = weir_array_zeroed(m->station_count, sizeof *m->stations);
    m->channels = weir_array(m->channel_count, sizeof *m->channels);
    m->inputs = weir_array(m->channel_count, sizeof *m->inputs);
    m->ready = weir_array(m->station_count, sizeof *m->ready);
    return m->stations && m->channels && m->inputs && m->ready;
}

static enum weir_status explain(const struct machine *m, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (m->status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (m->status == WEIR_OVERFLOW)
        return weir_fail(error, WEIR_OVERFLOW, "the simulation runs for longer than can be counted");
    if (m->status == WEIR_INVALID)
        return weir_fail(error, WEIR_INVALID, "an execution was given a negative time");
    if (m->stopped || m->unfinished == 0)
        return WEIR_OK;
    uint32_t stuck = 0;
    while (m->stations[stuck].sent == m->rules->iterations)
        stuck++;
    char name[WEIR_QUOTED], time[WEIR_TIME_TEXT];
    return weir_fail(error, WEIR_INTERNAL, "the simulation stands still at time %s: operator \"%s\" cannot start iteration %lld",
                     weir_time_format(pipeline, m->now, time),
                     weir_quote(weir_pipeline_operator(pipeline, (struct weir_operator){stuck}).name, name),
                     (long long)m->stations[stuck].started);
}

enum weir_status weir_machine_run(const struct weir_pipeline *pipeline, const struct weir_machine_rules *rules,
                                  struct weir_error *error)
{
    struct machine m = {.rules = rules,
                        .station_count = weir_pipeline_operator_count(pipeline),
                        .channel_count = weir_pipeline_queue_count(pipeline)};
    enum weir_status status;
    if (allocate(&m)) {
        read_stations(&m, pipeline);
        read_channels(&m, pipeline);
        begin(&m);
        run(&m);
        status = explain(&m, pipeline, error);
    } else {
        status = weir_fail_memory(error);
    }
    for (uint32_t i = 0; m.stations && i < m.station_count; i++)
        weir_free(m.stations[i].flights);
    weir_free(m.stations);
    weir_free(m.channels);
    weir_free(m.inputs);
    weir_free(m.ready);
    weir_free(m.heap);
    return status;
}
