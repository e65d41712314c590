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
 *
 * receive(o) is the start of o, or the finish of a receive actor that starts with o. launched(o) is the end of o on the CPU: when
 * it has executed and received, which a done actor joins. sent(o) is that, or the end of what comes after work on the GPU that o
 * waits for. Iterations of a reentrant operator may overtake each other; since those that read its messages start in order, each
 * message waits for the ones before it without an arc of its own, and so does each slot.
 *
 * Where operators have several firings in a round, each of these actors is there once for each firing; "1 token" leads from the
 * last firing to the first, and without a token from each to the next. lower_queues.c has the arcs of queues, gpu_dependency.c says
 * where work on the GPU follows messages, streams.c in which order work is launched into a stream that operators share.
 */
#include "model/lower.h"

#include "base/error.h"
#include "base/number.h"
#include "model/firings.h"

#include <string.h>

static const struct weir_parts no_parts = {WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR,
                                           WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR};

/* ---- actors ---- */

static bool add_firings(struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    if (!p->firings)
        return true;
    l->firing_first = weir_array(p->operator_count + 1, sizeof *l->firing_first);
    if (!l->firing_first)
        return false;
    l->firing_first[0] = 0;
    for (size_t o = 0; o < p->operator_count; o++)
        l->firing_first[o + 1] = l->firing_first[o] + p->firings[o];
    return true;
}

/* No more actors than this. */
static uint64_t count_actors(const struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    uint64_t count = 0;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        const struct weir_operator_spec *spec = &p->operators[o];
        uint64_t parts = 1 + (spec->receive_max ? 2u : 0u) + (spec->launch ? 2u : l->behind ? 1u : 0u);
        count += weir_lowering_firings(l, o) * parts;
    }
    for (size_t i = 0; i < p->source_count; i++)
        count += 2 * (uint64_t)weir_lowering_firings(l, p->sources[i].op.index);
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].transfer_max)
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
    if (spec->receive_max > 0) {
        parts->receive =
            add_actors(l, (struct weir_actor_spec){o, WEIR_PART_RECEIVE, 0, 0, spec->receive_min, spec->receive_max}, firings);
        /* even where best >= receive_max: a query may read best times as 0 */
        parts->done = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_DONE, 0, 0, 0, 0}, firings);
    }
    if (launch)
        parts->gpu = add_actors(l, (struct weir_actor_spec){o, WEIR_PART_GPU, 0, 0, launch->best, launch->worst}, firings);
    else if (l->behind && l->behind[o] == (WEIR_TRAILS | WEIR_NEEDS))
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

static bool add_transfers(struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (!q->transfer_max)
            continue;
        if (!l->transfer) {
            l->transfer = weir_array(p->queue_count, sizeof *l->transfer);
            if (!l->transfer)
                return false;
            memset(l->transfer, 0xff, p->queue_count * sizeof *l->transfer); /* WEIR_NO_ACTOR */
        }
        l->transfer[i] = add_actors(
            l, (struct weir_actor_spec){q->to.index, WEIR_PART_TRANSFER, 0, (uint32_t)i, q->transfer_min, q->transfer_max},
            weir_lowering_firings(l, q->from.index));
    }
    return true;
}

static bool lay_out(struct weir_lowering *l)
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
    return add_transfers(l);
}

uint32_t weir_lowering_launched(const struct weir_lowering *l, uint32_t o)
{
    return l->parts[o].done == WEIR_NO_ACTOR ? weir_lowering_first(l, o) : l->parts[o].done;
}

uint32_t weir_lowering_sent(const struct weir_lowering *l, uint32_t o)
{
    const struct weir_launch *launch = l->pipeline->operators[o].launch;
    if (!launch || !launch->waits)
        return weir_lowering_launched(l, o);
    return l->parts[o].after == WEIR_NO_ACTOR ? l->parts[o].gpu : l->parts[o].after;
}

uint32_t weir_lowering_finished(const struct weir_lowering *l, uint32_t o)
{
    const struct weir_launch *launch = l->pipeline->operators[o].launch;
    return launch && !launch->waits ? l->parts[o].gpu : weir_lowering_sent(l, o);
}

/* ---- arcs ---- */

void weir_emit_firings(const struct weir_arc_sink *sink, uint32_t tail, uint32_t head, uint32_t firings, struct weir_arc_kind kind)
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
    weir_emit_firings(sink, weir_lowering_launched(l, o), parts->gpu, firings, then);
    if (!launch->waits)
        emit_next(sink, parts->gpu, parts->gpu, firings, (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_BUSY});
    if (parts->after != WEIR_NO_ACTOR)
        weir_emit_firings(sink, parts->gpu, parts->after, firings, then);
}

static void emit_operators(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    for (uint32_t o = 0; o < l->pipeline->operator_count; o++) {
        const struct weir_parts *parts = &l->parts[o];
        uint32_t execution = weir_lowering_first(l, o), firings = weir_lowering_firings(l, o);
        struct weir_arc_kind then = {.finish = 1, .wait = WEIR_WAIT_NONE};
        if (l->pipeline->operators[o].reentrant)
            emit_next(sink, execution, execution, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_ORDER});
        else
            emit_next(sink, weir_lowering_sent(l, o), execution, firings,
                      (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_BUSY});
        if (parts->receive != WEIR_NO_ACTOR) {
            weir_emit_firings(sink, execution, parts->receive, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_NONE});
            weir_emit_firings(sink, execution, parts->done, firings, then);
            weir_emit_firings(sink, parts->receive, parts->done, firings, then);
        }
        emit_launch(l, sink, o);
    }
}

static void emit_source(const struct weir_lowering *l, const struct weir_arc_sink *sink, const struct weir_source_spec *s)
{
    const struct weir_parts *parts = &l->parts[s->op.index];
    uint32_t execution = weir_lowering_first(l, s->op.index), firings = weir_lowering_firings(l, s->op.index);
    uint32_t clock = parts->arrival != WEIR_NO_ACTOR ? parts->arrival : parts->clock;
    bool own = clock == WEIR_NO_ACTOR;
    clock = own ? execution : clock;
    emit_next(sink, clock, clock, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_PERIOD, .offset = s->period});
    if (!own)
        weir_emit_firings(
            sink, clock, execution, firings,
            (struct weir_arc_kind){.finish = 1, .wait = parts->arrival != WEIR_NO_ACTOR ? WEIR_WAIT_DATA : WEIR_WAIT_PERIOD});
    if (parts->tick == WEIR_NO_ACTOR)
        return;
    weir_emit_firings(sink, execution, parts->tick, firings, (struct weir_arc_kind){.wait = WEIR_WAIT_NONE});
    emit_next(sink, parts->tick, execution, firings, (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_PERIOD});
}

void weir_lowering_emit(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    const struct weir_pipeline *p = l->pipeline;
    emit_operators(l, sink);
    weir_lowering_emit_queues(l, sink);
    for (size_t i = 0; i < p->source_count; i++)
        emit_source(l, sink, &p->sources[i]);
    for (size_t i = 0; i < l->stream_arc_count; i++) {
        const struct weir_stream_arc *arc = &l->stream_arcs[i];
        sink->arc(sink->context, arc->tail, arc->head,
                  (struct weir_arc_kind){.tokens = arc->tokens, .finish = 1, .wait = WEIR_WAIT_ORDER});
    }
}

/* ---- the whole ---- */

static enum weir_status check_sums(const struct weir_lowering *l, const char *file, struct weir_errors *errors)
{
    const struct weir_pipeline *p = l->pipeline;
    int64_t sum = 0, periods;
    for (uint32_t a = 0; a < l->actor_count; a++)
        if (!weir_add(sum, l->actors[a].hi, &sum) || sum >= WEIR_TIME_MAX)
            return weir_errors_add(errors, WEIR_OVERFLOW, file, p->operators[l->actors[a].op].place,
                                   "the times of all operators together are longer than can be represented; use a coarser unit");
    for (size_t i = 0; i < p->source_count; i++)
        if (!weir_multiply(p->sources[i].period, weir_lowering_firings(l, p->sources[i].op.index), &periods) ||
            !weir_add(sum, periods, &sum) || !weir_add(sum, p->sources[i].jitter, &sum) || sum >= WEIR_TIME_MAX)
            return weir_errors_add(errors, WEIR_OVERFLOW, file, p->sources[i].place,
                                   "times and periods together are longer than can be represented; use a coarser unit");
    return WEIR_OK;
}

static enum weir_status assemble(struct weir_lowering *l, const char *file, struct weir_graph **graph, struct weir_errors *errors)
{
    enum weir_status status = weir_lowering_assemble(l, file, graph, errors);
    if (status || !weir_streams_shared(l->pipeline))
        return status;
    struct weir_graph *open = *graph; /* in which the order of launches does not matter yet */
    *graph = NULL;
    status = weir_streams_order(l, open, file, errors);
    weir_graph_free(open);
    return status ? status : weir_lowering_assemble(l, file, graph, errors);
}

enum weir_status weir_graph_build(const struct weir_pipeline *pipeline, const char *file, struct weir_graph **graph,
                                  struct weir_errors *errors)
{
    struct weir_lowering l = {.pipeline = pipeline};
    enum weir_status status = weir_gpu_dependency_find(&l, file, errors);
    struct weir_place nowhere = {0, 0};
    *graph = NULL;
    if (!status && !add_firings(&l))
        status = weir_errors_add(errors, WEIR_MEMORY, file, nowhere, "out of memory");
    if (!status && count_actors(&l) >= (pipeline->firings ? 8 * (uint64_t)WEIR_ROUND_ACTORS_MAX : UINT32_MAX / 2))
        status = weir_errors_add(errors, WEIR_OVERFLOW, file, nowhere, "too many operators");
    if (!status && !lay_out(&l))
        status = weir_errors_add(errors, WEIR_MEMORY, file, nowhere, "out of memory");
    if (!status)
        status = check_sums(&l, file, errors);
    if (!status)
        status = assemble(&l, file, graph, errors);
    weir_free(l.actors);
    weir_free(l.parts);
    weir_free(l.transfer);
    weir_free(l.behind);
    weir_free(l.firing_first);
    weir_free(l.stream_arcs);
    return status;
}
