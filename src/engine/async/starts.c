/* SPDX-License-Identifier: Apache-2.0 */
/* How long after its release an operator starts, where the model says how long it may (docs/concepts/async.md, section 11). */
#include "base/error.h"
#include "engine/async/async.h"
#include "engine/async/lanes.h"

struct delays {
    struct weir_sampler *s;
    uint32_t op;
    uint32_t triggers; /* that it waits for, known or not */
    int64_t most;      /* from one of them on; WEIR_FAR: of none it is known */
    bool reached;      /* by a start, as far as that trigger goes */
};

static void take(struct delays *d, const struct weir_known *known, int64_t less)
{
    if (!known->known || known->value - less >= d->most)
        return;
    d->most = known->value > less ? known->value - less : 0;
    d->reached = known->reached && known->value >= less;
}

static struct weir_async_part *part_of(const struct delays *d)
{
    return &d->s->parts[d->s->part_of[d->op]];
}

static struct weir_event start_of(const struct delays *d)
{
    return (struct weir_event){.op = {d->s->local_of[d->op]}, .moment = WEIR_START};
}

/* Whether the operator waits for nothing but its clock, itself and its thread. */
static bool is_free(const struct delays *d)
{
    const struct weir_pipeline *p = d->s->pipeline;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if ((q->to.index == d->op && (weir_queue_waits(q) || q->port)) ||
            (q->from.index == d->op && !q->latest && !q->nonblocking && q->capacity != WEIR_UNBOUNDED))
            return false;
    }
    return true;
}

/* A tick that it did not miss, or the end of its period. The next tick after one that it may have missed is after its last start,
 * and what of that execution is left then is shorter than the whole. */
static enum weir_status after_clock(struct delays *d, const struct weir_source_spec *source, bool kept)
{
    struct weir_event start = start_of(d), tick = {.op = start.op, .moment = WEIR_ARRIVAL};
    struct weir_span span = {.from = tick, .to = start, .via = WEIR_NO_INDEX};
    const struct weir_pipeline *p = d->s->pipeline;
    struct weir_known known = {0};
    bool counted = kept || source->arrivals == WEIR_ARRIVALS_EXACT || source->arrivals == WEIR_ARRIVALS_CATCH_UP;
    enum weir_status status = WEIR_OK;
    d->triggers++;
    if (!counted && is_free(d) && source->arrivals == WEIR_ARRIVALS_SKIP) {
        known = (struct weir_known){.known = true, .value = weir_pipeline_lateness(p, d->op).most + weir_operator_busy(p, d->op)};
        take(d, &known, 0);
    }
    if (!weir_async_is_whole(part_of(d)))
        return WEIR_OK;
    status = counted ? weir_async_span(d->s, part_of(d), &span, &known) : weir_async_starts(d->s, d->op, 1, &known);
    known.reached &= source->arrivals != WEIR_ARRIVALS_SKIP || kept;
    if (!status)
        take(d, &known, source->arrivals == WEIR_ARRIVALS_AT_MOST ? source->period : 0);
    return status;
}

/* The message that it takes. */
static enum weir_status after_message(struct delays *d, uint32_t queue)
{
    struct weir_sampler *s = d->s;
    const struct weir_queue_spec *q = &s->pipeline->queues[queue];
    const struct weir_operator_spec *from = &s->pipeline->operators[q->from.index];
    struct weir_cut *cut = s->cut_of[queue] == WEIR_NO_INDEX ? NULL : &s->cuts[s->cut_of[queue]];
    struct weir_known known = {0};
    bool first;
    enum weir_status status = WEIR_OK;
    d->triggers++;
    if (cut && !cut->joined) {
        if (!s->pipeline->graph->unknown_roots) /* what is sent before the consumer begins waits for that */
            status = weir_async_wait(s, cut, &known, &first);
        known.value += q->transfer_max;
    } else if (weir_async_is_whole(part_of(d)) && (cut || (!from->reentrant && (!from->launch || from->launch->waits)))) {
        struct weir_event sent = {.op = {cut ? cut->sender : s->local_of[q->from.index]}, .moment = WEIR_FINISH};
        struct weir_span span = {.from = sent, .to = start_of(d), .via = WEIR_NO_INDEX, .later = q->initial};
        status = weir_async_span(s, part_of(d), &span, &known);
        known.reached &= q->transfer_max == 0;
    }
    if (!status)
        take(d, &known, 0);
    return status;
}

static enum weir_status find_delay(struct delays *d, struct weir_start_delay *delay)
{
    const struct weir_pipeline *p = d->s->pipeline;
    int64_t within = p->operators[d->op].start_within;
    enum weir_status status = WEIR_OK;
    d->most = WEIR_FAR;
    for (size_t i = 0; i < p->source_count && !status; i++)
        if (p->sources[i].op.index == d->op)
            status = after_clock(d, &p->sources[i], d->s->kept[i]);
    for (uint32_t i = 0; i < p->queue_count && !status; i++)
        if (p->queues[i].to.index == d->op && weir_queue_waits(&p->queues[i]))
            status = after_message(d, i);
    if (status || d->most == WEIR_FAR)
        return status;
    delay->most = d->most;
    delay->late = d->most <= within                                                    ? WEIR_CHANCE_NO
                  : d->triggers == 1 && d->reached && part_of(d)->pure && !p->lateness ? WEIR_CHANCE_YES
                                                                                       : WEIR_CHANCE_MAYBE;
    return WEIR_OK;
}

static enum weir_status find_all(struct weir_sampler *s, struct weir_start_delay *delays)
{
    const struct weir_pipeline *p = s->pipeline;
    struct weir_async_queue *queues = NULL;
    enum weir_status status = weir_async_open(s, &queues);
    for (uint32_t o = 0; o < p->operator_count && !status; o++) {
        struct delays d = {.s = s, .op = o};
        delays[o] = (struct weir_start_delay){.most = -1, .late = WEIR_CHANCE_MAYBE};
        if (p->operators[o].has_start_within && !part_of(&d)->why && !p->firings)
            status = find_delay(&d, &delays[o]);
    }
    return status;
}

enum weir_status weir_async_delays(const struct weir_pipeline *pipeline, uint64_t work_limit, struct weir_start_delay *delays,
                                   struct weir_error *error)
{
    struct weir_async_options options = {.work_limit = work_limit};
    struct weir_error own = {.status = WEIR_OK};
    struct weir_sampler s = {.pipeline = pipeline, .options = &options, .error = &own, .certified = true};
    enum weir_status status = find_all(&s, delays);
    weir_async_close(&s);
    weir_arena_free(&s.arena);
    if (status && error)
        *error = own;
    return status;
}
