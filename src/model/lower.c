/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering: a pipeline as an event graph. The rules, each an arc (docs/concepts/event-graph.md):
 *
 *   one iteration at a time        finish(o) -> o, 1 token
 *   or, if o is reentrant,
 *   one after the other            start(o) -> o, 1 token
 *   data over a queue p -> o       finish(p) -> o, as many tokens as initial messages
 *   backpressure of that queue     receive(o) -> p, as many tokens as free slots at the beginning
 *   at most every T                start(o) -> o, 1 token, offset T
 *   arrivals every T               an arrival actor with start -> itself, 1 token, offset T, and data to o
 *
 * receive(o) is the start of o, or the finish of a receive actor that starts with o. An operator finishes when it has executed
 * and received; a done actor joins the two. Iterations of a reentrant operator may overtake each other; since those that read
 * its messages start in order, each message waits for the ones before it without an arc of its own, and so does each slot.
 */
#include "model/lower.h"

#include "base/error.h"
#include "base/number.h"

#include <string.h>

static bool lay_out(struct weir_lowering *l)
{
    const struct weir_pipeline *p = l->pipeline;
    size_t n = p->operator_count;
    l->receive = weir_array(n, sizeof *l->receive);
    l->done = weir_array(n, sizeof *l->done);
    l->arrival = weir_array(n, sizeof *l->arrival);
    l->actors = weir_array(3 * n + p->source_count, sizeof *l->actors);
    if (!l->receive || !l->done || !l->arrival || !l->actors)
        return false;
    uint32_t count = (uint32_t)n;
    for (uint32_t o = 0; o < n; o++) {
        const struct weir_operator_spec *spec = &p->operators[o];
        l->actors[o] = (struct weir_actor_spec){o, WEIR_PART_EXECUTION, spec->best, spec->worst};
        l->receive[o] = l->done[o] = l->arrival[o] = WEIR_NO_ACTOR;
        if (spec->receive_max > 0) {
            l->receive[o] = count;
            l->actors[count++] = (struct weir_actor_spec){o, WEIR_PART_RECEIVE, spec->receive_min, spec->receive_max};
            l->done[o] = count; /* even where best >= receive_max: a query may read best times as 0 */
            l->actors[count++] = (struct weir_actor_spec){o, WEIR_PART_DONE, 0, 0};
        }
    }
    for (size_t i = 0; i < p->source_count; i++) {
        if (p->sources[i].arrivals != WEIR_ARRIVALS_EXACT)
            continue;
        uint32_t o = p->sources[i].op.index;
        l->arrival[o] = count;
        l->actors[count++] = (struct weir_actor_spec){o, WEIR_PART_ARRIVAL, 0, 0};
    }
    l->actor_count = count;
    return true;
}

static uint32_t finish_of(const struct weir_lowering *l, uint32_t o)
{
    return l->done[o] == WEIR_NO_ACTOR ? o : l->done[o];
}

static void emit_operators(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    for (uint32_t o = 0; o < l->pipeline->operator_count; o++) {
        if (l->pipeline->operators[o].reentrant)
            sink->arc(sink->context, o, o, (struct weir_arc_kind){.tokens = 1, .wait = WEIR_WAIT_ORDER});
        else
            sink->arc(sink->context, finish_of(l, o), o, (struct weir_arc_kind){.tokens = 1, .finish = 1, .wait = WEIR_WAIT_BUSY});
        if (l->receive[o] != WEIR_NO_ACTOR)
            sink->arc(sink->context, o, l->receive[o], (struct weir_arc_kind){.wait = WEIR_WAIT_NONE});
        if (l->done[o] != WEIR_NO_ACTOR) {
            sink->arc(sink->context, o, l->done[o], (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_NONE});
            sink->arc(sink->context, l->receive[o], l->done[o], (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_NONE});
        }
    }
}

void weir_lowering_emit(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    const struct weir_pipeline *p = l->pipeline;
    emit_operators(l, sink);
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        uint32_t from = q->from.index, to = q->to.index;
        sink->arc(sink->context, finish_of(l, from), to,
                  (struct weir_arc_kind){.tokens = q->initial, .finish = 1, .wait = WEIR_WAIT_DATA});
        if (q->nonblocking || q->capacity == WEIR_UNBOUNDED || q->capacity == WEIR_AUTO)
            continue;
        bool late = l->receive[to] != WEIR_NO_ACTOR;
        sink->arc(sink->context, late ? l->receive[to] : to, from,
                  (struct weir_arc_kind){.tokens = q->capacity - q->initial, .finish = late, .wait = WEIR_WAIT_BACKPRESSURE});
    }
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        uint32_t o = s->op.index, clock = s->arrivals == WEIR_ARRIVALS_EXACT ? l->arrival[o] : o;
        sink->arc(sink->context, clock, clock, (struct weir_arc_kind){.tokens = 1, .wait = WEIR_WAIT_PERIOD, .offset = s->period});
        if (clock != o)
            sink->arc(sink->context, clock, o, (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_DATA});
    }
}

static enum weir_status check_sums(const struct weir_lowering *l, const char *file, struct weir_errors *errors)
{
    int64_t sum = 0;
    for (uint32_t a = 0; a < l->actor_count; a++)
        if (!weir_add(sum, l->actors[a].hi, &sum) || sum >= WEIR_TIME_MAX)
            return weir_errors_add(errors, WEIR_OVERFLOW, file, l->pipeline->operators[l->actors[a].op].place,
                                   "the times of all operators together are longer than can be counted; use a coarser unit");
    for (size_t i = 0; i < l->pipeline->source_count; i++)
        if (!weir_add(sum, l->pipeline->sources[i].period, &sum) || !weir_add(sum, l->pipeline->sources[i].jitter, &sum) ||
            sum >= WEIR_TIME_MAX)
            return weir_errors_add(errors, WEIR_OVERFLOW, file, l->pipeline->sources[i].place,
                                   "times and periods together are longer than can be counted; use a coarser unit");
    return WEIR_OK;
}

enum weir_status weir_graph_build(const struct weir_pipeline *pipeline, const char *file, struct weir_graph **graph,
                                  struct weir_errors *errors)
{
    struct weir_lowering l = {.pipeline = pipeline};
    enum weir_status status;
    *graph = NULL;
    if (!lay_out(&l))
        status = weir_errors_add(errors, WEIR_MEMORY, file, (struct weir_place){0, 0}, "out of memory");
    else if (!(status = check_sums(&l, file, errors)))
        status = weir_lowering_assemble(&l, file, graph, errors);
    weir_free(l.actors);
    weir_free(l.arrival);
    weir_free(l.done);
    weir_free(l.receive);
    return status;
}
