/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering: a pipeline as an event graph. The rules, each an arc (docs/concepts/event-graph.md):
 *
 *   one iteration at a time        sent(o) -> o, 1 token
 *   or, if o is reentrant,
 *   one after the other            start(o) -> o, 1 token
 *   data over a queue p -> o       sent(p) -> o, as many tokens as initial messages
 *   backpressure of that queue     receive(o) -> p, as many tokens as free slots at the beginning
 *   at most every T                start(o) -> o, 1 token, offset T
 *   arrivals every T               an arrival actor with start -> itself, 1 token, offset T, and data to o
 *   catching up with ticks         a clock like the arrivals, but the latency counts from the start of o
 *   skipping ticks                 such a clock, and a tick actor of [0, T] from a start of o to the next
 *   work on a GPU                  launched(o) -> gpu(o) -> gpu(o), 1 token; gpu(o) -> after(o)
 *   waiting for the start          wait(o) -> o, and what leads to o above leads to wait(o), but for messages with a reaction
 *
 * receive(o) is the start of o, or the finish of a receive actor that starts with o. launched(o) is the end of o on the CPU: when
 * it has executed and received, which a done actor joins. sent(o) is that, or the end of what comes after work on the GPU that o
 * waits for. Iterations of a reentrant operator may overtake each other; since those that read its messages start in order, each
 * message waits for the ones before it without an arc of its own, and so does each slot.
 *
 * Where operators have several firings in a round, each of these actors is there once for each firing; "1 token" leads from the
 * last firing to the first, and without a token from each to the next. streams.c finds where work on
 * the GPU follows messages, and the order in which work is launched into a stream that operators share.
 */
#include "model/lower.h"

#include "base/error.h"
#include "base/number.h"
#include "model/firings.h"

#include <string.h>

static const struct weir_parts no_parts = {WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR,
                                           WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR};

/* ---- actors ---- */

static bool add_firings(struct weir_sealing *s, struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    if (!p->firings)
        return true;
    l->firing_first = weir_arena_array(&s->scratch, p->operator_count + 1, sizeof *l->firing_first);
    if (!l->firing_first)
        return false;
    for (size_t o = 0; o < p->operator_count; o++)
        l->firing_first[o + 1] = l->firing_first[o] + p->firings[o];
    return true;
}

/* How long a message is under way, or on its way to a consumer that is late for it. */
static struct weir_actor_spec transfer_of(const struct weir_pipeline *p, uint32_t queue)
{
    const struct weir_queue_spec *q = &p->queues[queue];
    int64_t late = weir_pipeline_reaction(p, queue);
    return (struct weir_actor_spec){q->to.index, WEIR_PART_TRANSFER, 0,
                                    queue,       q->transfer_min,    q->transfer_max + (late > 0 ? late : 0)};
}

/* No more actors than this. */
static uint64_t count_actors(const struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    uint64_t count = 0;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        const struct weir_operator_spec *spec = &p->operators[o];
        uint64_t parts = 1 + (p->lateness ? 1u : 0u) + (spec->receive_max ? 2u : 0u) +
                         (spec->launch        ? 2u
                          : l->gpu_dependency ? 1u
                                              : 0u);
        count += weir_lowering_firings(l, o) * parts;
    }
    for (size_t i = 0; i < p->source_count; i++)
        count += 2 * (uint64_t)weir_lowering_firings(l, p->sources[i].op.index);
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (transfer_of(p, i).hi)
            count += weir_lowering_firings(l, p->queues[i].from.index);
    return count;
}

/* One actor for each of so many firings; returns the first. */
static uint32_t add_actors(struct weir_lowering *l, struct weir_actor_spec spec, uint32_t firings)
{
    uint32_t first = l->actor_count;
    for (; spec.firing < firings; spec.firing++)
        l->actors[l->actor_count++] = spec;
    return first;
}

static void add_parts(struct weir_lowering *l, uint32_t o)
{
    const struct weir_operator_spec *spec = &l->pipeline->operators[o];
    const struct weir_launch *launch = spec->launch;
    struct weir_parts *parts = &l->parts[o];
    uint32_t firings = weir_lowering_firings(l, o);
    *parts = no_parts;
    int64_t wait = weir_pipeline_lateness(l->pipeline, o).most;
    if (wait > 0)
        parts->wait = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_WAIT, 0, 0, 0, wait}, firings);
    if (spec->receive_max > 0) {
        parts->receive =
            add_actors(l, (struct weir_actor_spec){o, WEIR_PART_RECEIVE, 0, 0, spec->receive_min, spec->receive_max}, firings);
        /* even where best >= receive_max: a query may read best times as 0 */
        parts->done = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_DONE, 0, 0, 0, 0}, firings);
    }
    if (launch)
        parts->gpu = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_GPU, 0, 0, launch->best, launch->worst}, firings);
    else if (l->gpu_dependency && l->gpu_dependency[o] == (WEIR_TRAILS | WEIR_NEEDS))
        parts->gpu = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_GPU, 0, 0, 0, 0}, firings);
    if (launch && launch->after_worst > 0)
        parts->after =
            add_actors(l, (struct weir_actor_spec){o, WEIR_PART_AFTER, 0, 0, launch->after_best, launch->after_worst}, firings);
}

static void add_source(struct weir_lowering *l, const struct weir_source_spec *s)
{
    uint32_t o = s->op.index, firings = weir_lowering_firings(l, o);
    struct weir_parts *parts = &l->parts[o];
    if (s->arrivals == WEIR_ARRIVALS_EXACT)
        parts->arrival = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_ARRIVAL, 0, 0, 0, 0}, firings);
    if (s->arrivals == WEIR_ARRIVALS_CATCH_UP || s->arrivals == WEIR_ARRIVALS_SKIP)
        parts->clock = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_TICK, 0, 0, 0, 0}, firings);
    if (s->arrivals == WEIR_ARRIVALS_SKIP)
        parts->tick = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_TICK, 0, 0, 0, s->period}, firings);
}

static bool add_transfers(struct weir_sealing *s, struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        struct weir_actor_spec spec = transfer_of(p, i);
        if (!spec.hi)
            continue;
        if (!l->transfer) {
            l->transfer = weir_arena_array(&s->scratch, p->queue_count, sizeof *l->transfer);
            if (!l->transfer)
                return false;
            memset(l->transfer, 0xff, p->queue_count * sizeof *l->transfer); /* WEIR_NO_ACTOR */
        }
        l->transfer[i] = add_actors(l, spec, weir_lowering_firings(l, p->queues[i].from.index));
    }
    return true;
}

static bool lay_out(struct weir_sealing *s, struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    l->parts = weir_array(p->operator_count, sizeof *l->parts);
    l->actors = weir_array(count_actors(l), sizeof *l->actors);
    if (!l->parts || !l->actors)
        return false;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        const struct weir_operator_spec *spec = &p->operators[o];
        add_actors(l, (struct weir_actor_spec){o, WEIR_PART_EXECUTION, 0, 0, spec->best, spec->worst}, weir_lowering_firings(l, o));
    }
    for (uint32_t o = 0; o < p->operator_count; o++)
        add_parts(l, o);
    for (size_t i = 0; i < p->source_count; i++)
        add_source(l, &p->sources[i]);
    return add_transfers(s, l);
}

/* The first of the actors whose finish is the end of the operator on the CPU; the moment its messages go out and it may start
 * again; its finish. */
static uint32_t launched(const struct weir_lowering *l, uint32_t o)
{
    return l->parts[o].done == WEIR_NO_ACTOR ? weir_lowering_first(l, o) : l->parts[o].done;
}

static uint32_t sent_by(const struct weir_lowering *l, uint32_t o)
{
    const struct weir_launch *launch = l->pipeline->operators[o].launch;
    if (!launch || !launch->waits)
        return launched(l, o);
    return l->parts[o].after == WEIR_NO_ACTOR ? l->parts[o].gpu : l->parts[o].after;
}

uint32_t weir_lowering_finished(const struct weir_lowering *l, uint32_t o)
{
    const struct weir_launch *launch = l->pipeline->operators[o].launch;
    return launch && !launch->waits ? l->parts[o].gpu : sent_by(l, o);
}

/* ---- arcs ---- */

/* An arc for each firing: within the round, from the one at `tail` to the one at `head`. */
static void emit_firings(const struct weir_arc_sink *sink, uint32_t tail, uint32_t head, uint32_t firings,
                         struct weir_arc_kind kind)
{
    for (uint32_t k = 0; k < firings; k++)
        sink->arc(sink->context, tail + k, head + k, kind);
}

/* From each firing to the next. */
static void emit_next(const struct weir_arc_sink *sink, uint32_t tail, uint32_t head, uint32_t firings, struct weir_arc_kind kind)
{
    for (uint32_t k = 0; k < firings; k++) {
        kind.tokens = k + 1 == firings;
        sink->arc(sink->context, tail + k, head + (k + 1 == firings ? 0 : k + 1), kind);
    }
}

static void emit_launch(const struct weir_lowering *l, const struct weir_arc_sink *sink, uint32_t o)
{
    const struct weir_launch *launch = l->pipeline->operators[o].launch;
    const struct weir_parts *parts = &l->parts[o];
    uint32_t firings = weir_lowering_firings(l, o);
    struct weir_arc_kind then = {.finish = 1, .wait = WEIR_WAIT_NONE};
    if (!launch)
        return;
    emit_firings(sink, launched(l, o), parts->gpu, firings, then);
    if (!launch->waits)
        emit_next(sink, parts->gpu, parts->gpu, firings, (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_BUSY});
    if (parts->after != WEIR_NO_ACTOR)
        emit_firings(sink, parts->gpu, parts->after, firings, then);
}

static void emit_operators(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    for (uint32_t o = 0; o < l->pipeline->operator_count; o++) {
        const struct weir_parts *parts = &l->parts[o];
        uint32_t execution = weir_lowering_first(l, o), ready = weir_lowering_ready(l, o), firings = weir_lowering_firings(l, o);
        struct weir_arc_kind then = {.finish = 1, .wait = WEIR_WAIT_NONE};
        if (ready != execution)
            emit_firings(sink, ready, execution, firings, then);
        if (l->pipeline->operators[o].reentrant)
            emit_next(sink, execution, ready, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_ORDER});
        else
            emit_next(sink, sent_by(l, o), ready, firings, (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_BUSY});
        if (parts->receive != WEIR_NO_ACTOR) {
            emit_firings(sink, execution, parts->receive, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_NONE});
            emit_firings(sink, execution, parts->done, firings, then);
            emit_firings(sink, parts->receive, parts->done, firings, then);
        }
        emit_launch(l, sink, o);
    }
}

static void emit_source(const struct weir_lowering *l, const struct weir_arc_sink *sink, const struct weir_source_spec *s)
{
    const struct weir_parts *parts = &l->parts[s->op.index];
    uint32_t execution = weir_lowering_first(l, s->op.index), firings = weir_lowering_firings(l, s->op.index);
    uint32_t ready = weir_lowering_ready(l, s->op.index);
    uint32_t clock = parts->arrival != WEIR_NO_ACTOR ? parts->arrival : parts->clock;
    bool own = clock == WEIR_NO_ACTOR;
    clock = own ? execution : clock;
    int64_t early = own ? weir_pipeline_lateness(l->pipeline, s->op.index).early : 0;
    emit_next(sink, clock, own ? ready : clock, firings,
              (struct weir_arc_kind){.wait = WEIR_WAIT_PERIOD, .offset = s->period > early ? s->period - early : 0});
    if (!own)
        emit_firings(
            sink, clock, ready, firings,
            (struct weir_arc_kind){.finish = 1, .wait = parts->arrival != WEIR_NO_ACTOR ? WEIR_WAIT_DATA : WEIR_WAIT_PERIOD});
    if (parts->tick == WEIR_NO_ACTOR)
        return;
    emit_firings(sink, execution, parts->tick, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_NONE});
    emit_next(sink, parts->tick, ready, firings, (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_PERIOD});
}

/* ---- queues ---- */

/*
 * The arcs of queues. Of a queue p -> o with d messages at the beginning, of which N are taken at once:
 *
 *   execution n of o takes the messages n N .. n N + N - 1; message x comes from execution x - d of p;
 *   execution m of p claims a place for message m + d: there is one when message m + d - capacity has been taken, by execution
 *   (m + d - capacity) / N of o, rounded down.
 *
 * p has N times as many firings as o. An execution of a firing and a number of rounds earlier is an arc with as many tokens. What
 * does not exist, before the first round, holds nobody up.
 */
/* Execution `n`, seen from round 0, of an operator with so many firings. n < firings. */
static uint32_t firing_of(int64_t n, uint32_t firings, uint32_t *rounds_ago)
{
    int64_t ago = n >= 0 ? 0 : (firings - 1 - n) / firings;
    *rounds_ago = (uint32_t)ago;
    return (uint32_t)(n + ago * firings);
}

/* From the sender of each message, at `tail` for its firings, to whoever takes it. */
static void emit_messages(const struct weir_lowering *l, const struct weir_arc_sink *sink, const struct weir_queue_spec *q,
                          uint32_t tail, uint32_t head)
{
    struct weir_arc_kind kind = {.tokens = q->initial, .finish = 1, .wait = WEIR_WAIT_DATA};
    if (!l->firing_first) {
        sink->arc(sink->context, tail, head, kind);
        return;
    }
    uint32_t batch = weir_queue_batch(q), senders = weir_lowering_firings(l, q->from.index);
    for (uint32_t x = 0; x < senders; x++) {
        uint32_t sender = firing_of((int64_t)x - q->initial, senders, &kind.tokens);
        sink->arc(sink->context, tail + sender, head + x / batch, kind);
    }
}

static void emit_room(const struct weir_lowering *l, const struct weir_arc_sink *sink, const struct weir_queue_spec *q)
{
    uint32_t from = weir_lowering_ready(l, q->from.index), to = l->parts[q->to.index].receive;
    bool late = to != WEIR_NO_ACTOR;
    struct weir_arc_kind kind = {.tokens = q->capacity - q->initial, .finish = late, .wait = WEIR_WAIT_BACKPRESSURE};
    to = late ? to : weir_lowering_first(l, q->to.index);
    if (!l->firing_first) {
        sink->arc(sink->context, to, from, kind);
        return;
    }
    uint32_t senders = weir_lowering_firings(l, q->from.index), takers = weir_lowering_firings(l, q->to.index);
    int64_t batch = weir_queue_batch(q);
    for (uint32_t m = 0; m < senders; m++) {
        int64_t message = (int64_t)m + q->initial - q->capacity;
        int64_t taker = message >= 0 ? message / batch : -((batch - 1 - message) / batch);
        uint32_t firing = firing_of(taker, takers, &kind.tokens);
        sink->arc(sink->context, to + firing, from + m, kind);
    }
}

/* ... those of the queues. */
static void emit_queues(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    const struct weir_pipeline *p = l->pipeline;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        uint32_t from = q->from.index, to = q->to.index, sent = sent_by(l, from);
        bool direct = weir_pipeline_reaction(p, i) != WEIR_AS_ANY;
        bool limited = !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
        bool even = weir_lowering_firings(l, from) == weir_lowering_firings(l, to);
        if (q->optional && limited && even) /* a start takes one message at most: what must have been is not all there is */
            emit_room(l, sink, q);
        if (!weir_queue_waits(q))
            continue;
        if (l->transfer && l->transfer[i] != WEIR_NO_ACTOR) {
            emit_firings(sink, sent, l->transfer[i], weir_lowering_firings(l, from),
                         (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_DATA});
            sent = l->transfer[i];
        }
        emit_messages(l, sink, q, sent, direct ? weir_lowering_first(l, to) : weir_lowering_ready(l, to));
        if (l->gpu_dependency && (l->gpu_dependency[from] & WEIR_TRAILS) && (l->gpu_dependency[to] & WEIR_NEEDS))
            emit_messages(l, sink, q, l->parts[from].gpu, l->parts[to].gpu);
        if (limited)
            emit_room(l, sink, q);
    }
}

void weir_lowering_emit(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    const struct weir_pipeline *p = l->pipeline;
    emit_operators(l, sink);
    emit_queues(l, sink);
    for (size_t i = 0; i < p->source_count; i++)
        emit_source(l, sink, &p->sources[i]);
    for (size_t i = 0; i < l->stream_arc_count; i++) {
        const struct weir_stream_arc *arc = &l->stream_arcs[i];
        sink->arc(sink->context, arc->tail, arc->head,
                  (struct weir_arc_kind){.tokens = arc->tokens, .finish = 1, .wait = WEIR_WAIT_ORDER});
    }
}

/* ---- the whole ---- */

static enum weir_status check_sums(const struct weir_sealing *s, const struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    int64_t sum = 0, periods;
    for (uint32_t a = 0; a < l->actor_count; a++)
        if (!weir_add(sum, l->actors[a].hi, &sum) || sum >= WEIR_TIME_MAX)
            return weir_errors_add(s->errors, WEIR_OVERFLOW, s->file, p->operators[l->actors[a].op].place,
                                   "the times of all operators together are longer than can be represented; use a coarser unit");
    for (size_t i = 0; i < p->source_count; i++)
        if (!weir_multiply(p->sources[i].period, weir_lowering_firings(l, p->sources[i].op.index), &periods) ||
            !weir_add(sum, periods, &sum) || !weir_add(sum, p->sources[i].jitter, &sum) ||
            !weir_add(sum, p->sources[i].has_phase ? p->sources[i].phase_max : 0, &sum) || sum >= WEIR_TIME_MAX)
            return weir_errors_add(s->errors, WEIR_OVERFLOW, s->file, p->sources[i].place,
                                   "times and periods together are longer than can be represented; use a coarser unit");
    return WEIR_OK;
}

static enum weir_status assemble(struct weir_sealing *s, struct weir_lowering *l, struct weir_graph **graph)
{
    enum weir_status status = weir_lowering_assemble(s, l, graph);
    if (status || !weir_streams_shared(l->pipeline))
        return status;
    struct weir_graph *open = *graph; /* in which the order of launches does not matter yet */
    *graph = NULL;
    status = weir_streams_order(s, l, open);
    weir_graph_free(open);
    return status ? status : weir_lowering_assemble(s, l, graph);
}

enum weir_status weir_graph_build(struct weir_sealing *s, struct weir_graph **graph)
{
    const struct weir_pipeline *p = s->pipeline;
    struct weir_lowering l = {.pipeline = p};
    enum weir_status status = weir_gpu_dependency_find(s, &l);
    *graph = NULL;
    if (!status && !add_firings(s, &l))
        status = weir_sealing_memory(s);
    if (!status && count_actors(&l) >= (p->firings ? 8 * (uint64_t)WEIR_ROUND_ACTORS_MAX : UINT32_MAX / 2))
        status = weir_sealing_fail(s, WEIR_OVERFLOW, "too many operators");
    if (!status && !lay_out(s, &l))
        status = weir_sealing_memory(s);
    if (!status)
        status = check_sums(s, &l);
    if (!status)
        status = assemble(s, &l, graph);
    weir_free(l.actors);
    weir_free(l.parts);
    return status;
}
