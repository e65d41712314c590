/* SPDX-License-Identifier: Apache-2.0 */
/* The executions of a schedule as spans: lanes in the direction of the data, a colour per iteration. */
#include "answer/schedule.h"
#include "answer/timeline/timeline.h"

#include "base/heap.h"
#include "model/pipeline.h"

#include <string.h>

struct builder {
    struct weir_timeline *t;
    const struct weir_schedule *schedule;
    const struct weir_pipeline *pipeline;
    uint32_t *lanes; /* by operator */
    struct weir_error *error;
};

static const char *name_of(const struct builder *b, uint32_t op)
{
    return weir_pipeline_operator(b->pipeline, (struct weir_operator){op}).name;
}

/* ---- executions ---- */

static bool is_critical(const struct weir_execution *e)
{
    return e->worst || e->late || e->gpu || e->after;
}

static void add_execution(const struct builder *b, const struct weir_execution *e)
{
    static const char *const notes[] = {NULL,
                                        "its worst case",
                                        "receives as late as it can",
                                        "its worst case, receives as late as it can",
                                        "its GPU as long as it can",
                                        "its worst case, its GPU as long as it can",
                                        "receives as late as it can, its GPU as long as it can",
                                        "its worst case, receives as late as it can, its GPU as long as it can"};
    bool open = e->finish == WEIR_NOT_YET;
    weir_timeline_add_span(b->t, (struct weir_timeline_span){.kind = is_critical(e) ? WEIR_SPAN_CRITICAL : WEIR_SPAN_EXECUTION,
                                                             .look = (uint32_t)(e->iteration & UINT32_MAX),
                                                             .open = open,
                                                             .iteration = e->iteration,
                                                             .from = weir_ticks(e->start),
                                                             .to = weir_ticks(open ? b->schedule->end : e->finish),
                                                             .note = notes[e->worst + 2 * e->late + 4 * e->gpu]});
}

static void add_lane(const struct builder *b, uint32_t op)
{
    const struct weir_schedule *s = b->schedule;
    b->lanes[op] = (uint32_t)b->t->lane_count;
    weir_timeline_add_lane(b->t, (struct weir_timeline_lane){.name = name_of(b, op)});
    size_t first = b->t->span_count;
    for (size_t i = s->first[op]; i < s->first[op + 1]; i++)
        add_execution(b, &s->executions[i]);
    weir_timeline_pack(b->t);
    for (size_t i = s->first[op]; i < s->first[op + 1] && !b->t->failed; i++) {
        const struct weir_execution *e = &s->executions[i];
        if (e->launched < e->landed)
            weir_timeline_add_span(b->t, (struct weir_timeline_span){.kind = WEIR_SPAN_GPU,
                                                                     .row = b->t->spans[first + i - s->first[op]].row,
                                                                     .iteration = -1,
                                                                     .from = weir_ticks(e->launched),
                                                                     .to = weir_ticks(e->landed < s->end ? e->landed : s->end)});
    }
}

static bool is_smaller(const void *context, const uint32_t *a, const uint32_t *b)
{
    (void)context;
    return *a < *b;
}

#define PLACED UINT32_MAX

WEIR_HEAP(ready, uint32_t, const void *, is_smaller, WEIR_HEAP_STAYS);

/* Each operator behind those it reads from, as far as loops allow; as in the model where there is a choice. */
static enum weir_status add_lanes(const struct builder *b)
{
    uint32_t operators = weir_pipeline_operator_count(b->pipeline), queues = weir_pipeline_queue_count(b->pipeline);
    uint32_t *waits = weir_array_zeroed(operators, sizeof *waits), *heads = weir_array(operators, sizeof *heads);
    uint32_t *heap = weir_array(operators, sizeof *heap), *next = weir_array(queues, sizeof *next);
    size_t count = 0;
    bool room = waits && heads && heap && next;
    for (uint32_t v = 0; room && v < operators; v++)
        heads[v] = UINT32_MAX;
    for (uint32_t i = 0; room && i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(b->pipeline, (struct weir_queue){i});
        next[i] = heads[q.from.index];
        heads[q.from.index] = i;
        waits[q.to.index] += q.initial == 0;
    }
    for (uint32_t v = 0; room && v < operators; v++)
        if (!waits[v])
            ready_push(NULL, heap, &count, v);
    for (uint32_t v = 0; room && (count || v < operators);) {
        if (!count && waits[v] != PLACED) /* on a loop in which a queue is not waited for */
            ready_push(NULL, heap, &count, v);
        if (!count) {
            v++;
            continue;
        }
        uint32_t op = ready_pop(NULL, heap, &count);
        waits[op] = PLACED;
        add_lane(b, op);
        for (uint32_t i = heads[op]; i != UINT32_MAX; i = next[i]) {
            struct weir_queue_spec q = weir_pipeline_queue(b->pipeline, (struct weir_queue){i});
            if (q.initial == 0 && waits[q.to.index] != PLACED && --waits[q.to.index] == 0)
                ready_push(NULL, heap, &count, q.to.index);
        }
    }
    weir_free(waits);
    weir_free(heads);
    weir_free(heap);
    weir_free(next);
    return room ? WEIR_OK : weir_fail_memory(b->error);
}

/* ---- queues ---- */

static size_t span_of(const struct builder *b, uint32_t op, size_t execution)
{
    return b->t->lanes[b->lanes[op]].first_span + execution - b->schedule->first[op];
}

/* The message that execution k of the producer sends is number k + initial of the queue; so many at once are taken. */
static void add_data(const struct builder *b, const struct weir_queue_spec *q, const char *name)
{
    const struct weir_schedule *s = b->schedule;
    uint32_t from = q->from.index, to = q->to.index;
    size_t taker = s->first[to], end = s->first[to + 1];
    int64_t batch = q->consume > 1 ? q->consume : 1;
    for (size_t i = s->first[from]; i < s->first[from + 1]; i++) {
        const struct weir_execution *sender = &s->executions[i];
        int64_t iteration = (sender->iteration + q->initial) / batch;
        while (taker < end && s->executions[taker].iteration < iteration)
            taker++;
        if (taker == end)
            return;
        const struct weir_execution *e = &s->executions[taker];
        if (e->iteration == iteration && sender->finish != WEIR_NOT_YET && e->start >= sender->sent)
            weir_timeline_add_arrow(
                b->t, (struct weir_timeline_arrow){name, span_of(b, from, i), span_of(b, to, taker), WEIR_ARROW_DATA});
    }
}

/* Message n finds room when message n - capacity was taken. Only room that was waited for is shown: the producer starts at the
 * moment at which the consumer receives. */
static void add_room(const struct builder *b, const struct weir_queue_spec *q, const char *name)
{
    const struct weir_schedule *s = b->schedule;
    uint32_t from = q->from.index, to = q->to.index;
    size_t taker = s->first[to], end = s->first[to + 1];
    int64_t batch = q->consume > 1 ? q->consume : 1;
    if (q->capacity == WEIR_UNBOUNDED || q->nonblocking || q->produce > 1 || from == to)
        return;
    for (size_t i = s->first[from]; i < s->first[from + 1]; i++) {
        int64_t taken = s->executions[i].iteration + q->initial - (int64_t)q->capacity;
        while (taker < end && taken >= 0 && s->executions[taker].iteration < taken / batch)
            taker++;
        if (taker == end)
            return;
        const struct weir_execution *e = &s->executions[taker];
        if (taken >= 0 && e->iteration == taken / batch && e->received == s->executions[i].start && e->received > s->begin)
            weir_timeline_add_arrow(
                b->t, (struct weir_timeline_arrow){name, span_of(b, to, taker), span_of(b, from, i), WEIR_ARROW_ROOM});
    }
}

static enum weir_status add_queue(const struct builder *b, uint32_t queue)
{
    struct weir_queue_spec q = weir_pipeline_queue(b->pipeline, (struct weir_queue){queue});
    struct weir_schedule_level *points;
    size_t count;
    if (weir_queue_is_cut(&q)) /* which message is taken, or lost, is not known */
        return WEIR_OK;
    const char *name = weir_timeline_queue_name(b->t, b->pipeline, queue);
    enum weir_status status = weir_schedule_levels(b->schedule, (struct weir_queue){queue}, &points, &count, b->error);
    if (status)
        return status;
    add_data(b, &q, name);
    add_room(b, &q, name);
    weir_timeline_add_level(
        b->t, (struct weir_timeline_level){.name = weir_timeline_text(b->t, "queue %s", name),
                                           .title = name,
                                           .lane = b->lanes[q.to.index],
                                           .capacity = q.capacity == WEIR_UNBOUNDED || q.nonblocking ? 0 : (int64_t)q.capacity});
    for (size_t i = 0; i < count; i++)
        weir_timeline_add_point(b->t, (struct weir_timeline_point){weir_ticks(points[i].time), points[i].messages});
    weir_free(points);
    return WEIR_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): lanes is filled through the builder */
enum weir_status weir_timeline_add_schedule(struct weir_timeline *t, const struct weir_schedule *schedule, uint32_t *lanes,
                                            struct weir_error *error)
{
    const char *name = weir_pipeline_name(schedule->pipeline);
    struct builder b = {t, schedule, schedule->pipeline, lanes, error};
    t->begin = weir_ticks(schedule->begin);
    t->end = weir_ticks(schedule->end);
    weir_timeline_add_fact(t, "unit", weir_datum_text(weir_unit_name(t->unit)));
    weir_timeline_add_group(t, (struct weir_timeline_group){.name = *name ? name : "pipeline"});
    enum weir_status status = add_lanes(&b);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(b.pipeline) && !status && !t->failed; i++)
        status = add_queue(&b, i);
    return status;
}
