/* SPDX-License-Identifier: Apache-2.0 */
/* What messages carry: which executions of the beginnings of segments. */
#include "base/error.h"
#include "check/workers/rounds_inside.h"

#include <string.h>

#define EXECUTIONS_MAX ((size_t)1 << 22) /* of the beginning of a segment */

bool weir_rounds_lay_legs(struct weir_rounds *r)
{
    const struct weir_pipeline *p = r->pipeline;
    r->segments = weir_arena_array(&r->arena, p->queue_count + 1, sizeof *r->segments);
    if (!r->segments)
        return false;
    r->segments[r->segment_count++].op = r->chain->from.index;
    for (uint32_t i = 0; i < p->queue_count && r->by_data; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        bool begins = q->latest || q->optional || q->port || q->full != WEIR_FULL_NEVER;
        if (!begins || r->buffer_of[i] != i)
            continue;
        r->segments[r->segment_count].op = q->to.index;
        r->buffers[i].segment = r->segment_count++;
    }
    r->mine = weir_arena_array(&r->arena, r->segment_count, sizeof *r->mine);
    r->handled = weir_arena_array(&r->arena, p->operator_count * r->segment_count, sizeof *r->handled);
    for (size_t i = 0; r->handled && i < p->operator_count * r->segment_count; i++)
        r->handled[i] = -1;
    return !r->arena.failed;
}

/* ---- data ---- */

static void join(struct weir_instant *into, struct weir_instant other)
{
    into->worst = other.worst < into->worst ? other.worst : into->worst;
    into->best = other.best > into->best ? other.best : into->best;
}

/* What a message, or an execution, has of all segments. */
static struct weir_instant gather(const struct weir_rounds *r, const struct weir_rounds_part *held)
{
    struct weir_instant all = WEIR_NO_DATA;
    for (uint32_t k = 0; k < r->segment_count; k++)
        for (int64_t x = held[k].above + 1; x <= held[k].last; x++)
            join(&all, r->segments[k].data[x]);
    return all;
}

static void begin_segment(struct weir_rounds *r, uint32_t k, struct weir_instant data)
{
    struct weir_rounds_segment *segment = &r->segments[k];
    int64_t x = (int64_t)segment->count;
    if (segment->count >= EXECUTIONS_MAX) {
        r->work = r->limit + 1;
        return;
    }
    if (!weir_reserve(&segment->data, &segment->capacity, segment->count + 1, sizeof *segment->data)) {
        r->out_of_memory = true;
        return;
    }
    segment->data[segment->count++] = data;
    r->mine[k] = (struct weir_rounds_part){x - 1, x};
    r->handled[segment->op * (size_t)r->segment_count + k] = x;
}

/* ---- buffers ---- */

void weir_rounds_push(struct weir_rounds *r, struct weir_round_queue *buffer)
{
    size_t segments = r->segment_count;
    if (r->by_data && !weir_reserve(&buffer->held, &buffer->capacity, (buffer->count + 1) * segments, sizeof *buffer->held)) {
        r->out_of_memory = true;
        return;
    }
    if (r->by_data)
        memcpy(buffer->held + buffer->count * segments, r->mine, segments * sizeof *r->mine);
    buffer->count++;
}

void weir_rounds_pop(struct weir_rounds *r, struct weir_round_queue *buffer)
{
    size_t segments = r->segment_count;
    if (buffer->count == 0) {
        r->failed = true;
        return;
    }
    buffer->count--;
    if (r->by_data)
        memmove(buffer->held, buffer->held + segments, buffer->count * segments * sizeof *buffer->held);
}

/* ---- an execution ---- */

/* The last execution of the beginning of each segment that comes over the plain queues. */
static void take_plain(struct weir_rounds *r, uint32_t op)
{
    for (uint32_t i = r->in.first[op]; i < r->in.first[op + 1] && !r->failed; i++) {
        uint32_t queue = r->in.queue[i], messages = r->pipeline->queues[queue].consume;
        struct weir_round_queue *buffer = &r->buffers[queue];
        for (uint32_t n = messages > 1 ? messages : 1; n > 0 && r->buffer_of[queue] == queue && !buffer->segment && !r->failed;
             n--) {
            for (uint32_t k = 0; k < r->segment_count && r->by_data && buffer->count; k++)
                if (buffer->held[k].last > r->mine[k].last)
                    r->mine[k].last = buffer->held[k].last;
            weir_rounds_pop(r, buffer);
        }
    }
}

void weir_rounds_take(struct weir_rounds *r, uint32_t op)
{
    int64_t *handled = &r->handled[op * (size_t)r->segment_count];
    for (uint32_t k = 0; k < r->segment_count; k++)
        r->mine[k] = (struct weir_rounds_part){handled[k], handled[k]};
    take_plain(r, op);
    for (uint32_t k = 0; k < r->segment_count; k++)
        handled[k] = r->mine[k].last;
    for (uint32_t i = r->in.first[op]; i < r->in.first[op + 1]; i++) {
        uint32_t queue = r->in.queue[i];
        struct weir_round_queue *buffer = &r->buffers[queue];
        if (!buffer->segment || r->buffer_of[queue] != queue)
            continue;
        begin_segment(r, buffer->segment, buffer->count ? gather(r, buffer->held) : WEIR_NO_DATA);
        if (buffer->count && !r->pipeline->queues[queue].latest)
            weir_rounds_pop(r, buffer);
    }
    if (op != r->chain->from.index || !r->by_data)
        return;
    for (uint32_t k = 0; k < r->segment_count; k++) /* what comes back to it ends here */
        r->mine[k] = (struct weir_rounds_part){-1, -1};
    begin_segment(r, 0, r->now);
}

void weir_rounds_measure(struct weir_rounds *r)
{
    struct weir_instant all = gather(r, r->mine);
    if (all.worst != INT64_MAX)
        weir_rounds_see(r, r->now.worst - all.worst, r->now.best - all.best);
}

/* ---- what is the same again ---- */

bool weir_rounds_note_data(const struct weir_rounds *r, bool (*note)(void *context, int64_t number), void *context)
{
    bool good = true;
    for (size_t i = 0; i < r->pipeline->queue_count; i++)
        for (size_t m = 0; good && m < r->buffers[i].count * r->segment_count; m++) {
            const struct weir_rounds_part *held = &r->buffers[i].held[m];
            const struct weir_rounds_segment *segment = &r->segments[m % r->segment_count];
            int64_t count = (int64_t)segment->count;
            good = note(context, held->last < 0 ? -1 : count - held->last) && note(context, held->last - held->above);
            for (int64_t x = held->above + 1; good && x <= held->last; x++) {
                bool any = segment->data[x].worst != INT64_MAX;
                good = note(context, any ? r->now.worst - segment->data[x].worst : -1) &&
                       note(context, any ? r->now.best - segment->data[x].best : -1);
            }
        }
    for (size_t i = 0; good && i < r->pipeline->operator_count * r->segment_count; i++)
        good = note(context, r->handled[i] < 0 ? -1 : (int64_t)r->segments[i % r->segment_count].count - r->handled[i]);
    return good;
}
