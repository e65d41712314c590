/* SPDX-License-Identifier: Apache-2.0 */
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
#include "model/firings.h"
#include "model/lower.h"

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
    uint32_t from = weir_lowering_first(l, q->from.index), to = l->parts[q->to.index].receive;
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

void weir_lowering_emit_queues(const struct weir_lowering *l, const struct weir_arc_sink *sink)
{
    const struct weir_pipeline *p = l->pipeline;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        uint32_t from = q->from.index, to = q->to.index, sent = weir_lowering_sent(l, from);
        bool limited = !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
        if (q->optional && limited &&
            !l->firing_first) /* a start takes one message at most: what must have been is not all there is */
            emit_room(l, sink, q);
        if (!weir_queue_waits(q))
            continue;
        if (l->transfer && l->transfer[i] != WEIR_NO_ACTOR) {
            weir_emit_firings(sink, sent, l->transfer[i], weir_lowering_firings(l, from),
                              (struct weir_arc_kind){.finish = 1, .wait = WEIR_WAIT_DATA});
            sent = l->transfer[i];
        }
        emit_messages(l, sink, q, sent, weir_lowering_first(l, to));
        if (l->behind && (l->behind[from] & WEIR_TRAILS) && (l->behind[to] & WEIR_NEEDS))
            emit_messages(l, sink, q, l->parts[from].gpu, l->parts[to].gpu);
        if (limited)
            emit_room(l, sink, q);
    }
}
