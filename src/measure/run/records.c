/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records, and the moment from which an execution could have started. That moment follows from the records of the others: messages
 * and slots are counted, so that it is known which execution sent the last message that was needed, and which freed the last slot.
 */
#include "base/error.h"
#include "base/heap.h"
#include "measure/run/run.h"

static const struct weir_moments *find(const struct weir_run *run, const struct weir_operator_thread *s, int64_t execution)
{
    int64_t done = atomic_load_explicit(&s->executions, memory_order_relaxed), size = (int64_t)run->options.records;
    if (!s->records || execution < 0 || execution >= done)
        return NULL;
    if (run->options.records_newest ? execution < done - size : execution >= size)
        return NULL;
    return &s->records[execution % size];
}

size_t weir_run_record_count(const struct weir_run *run, struct weir_operator op)
{
    const struct weir_operator_thread *s = op.index < run->thread_count ? &run->threads[op.index] : NULL;
    if (!s || !s->records)
        return 0;
    int64_t done = atomic_load_explicit(&s->executions, memory_order_relaxed);
    return (uint64_t)done < run->options.records ? (size_t)done : run->options.records;
}

int64_t weir_run_taken(const struct weir_run *run, struct weir_queue queue, int64_t execution)
{
    if (queue.index >= run->channel_count)
        return -2;
    const struct weir_channel *c = &run->channels[queue.index];
    const struct weir_operator_thread *to = &run->threads[c->to];
    if (!c->irregular) {
        uint64_t message = (uint64_t)execution * c->consume;
        return execution < 0 || message < c->initial ? -1 : (int64_t)((message - c->initial) / c->produce);
    }
    if (!find(run, to, execution) || !to->senders)
        return -2;
    for (uint32_t i = 0; i < to->input_count; i++)
        if (to->inputs[i] == c)
            return to->senders[(size_t)(execution % (int64_t)run->options.records) * to->input_count + i];
    return -2;
}

int64_t weir_run_latency(const struct weir_run *run, uint32_t chain, int64_t execution)
{
    const struct weir_gauge *g = run->gauges && chain < weir_pipeline_chain_count(run->pipeline) ? run->gauges[chain] : NULL;
    const struct weir_moments *to =
        g ? find(run, &run->threads[weir_pipeline_chain(run->pipeline, chain).to.index], execution) : NULL;
    if (!to)
        return INT64_MIN;
    if (g->carried)
        return g->kept ? g->kept[execution % (int64_t)run->options.records] : INT64_MIN;
    const struct weir_moments *from = find(run, &run->threads[g->from], execution - g->shift);
    return from ? to->finish - from->arrival : INT64_MIN;
}

/* Takes the later of two causes, as long as all are known. */
static void hold_back(struct weir_run_cause *last, const struct weir_run_cause *cause)
{
    if (cause->moment == INT64_MIN || last->moment == INT64_MIN)
        *last = (struct weir_run_cause){.wait = cause->wait, .moment = INT64_MIN, .execution = -1};
    else if (cause->moment > last->moment)
        *last = *cause;
}

static void hold_back_for_message(const struct weir_run *run, const struct weir_channel *c, int64_t execution,
                                  struct weir_run_cause *last)
{
    const struct weir_operator_thread *from = &run->threads[c->from];
    uint64_t needed = (uint64_t)execution * c->consume + c->threshold - 1;
    int64_t sender = needed < c->initial ? -1 : (int64_t)((needed - c->initial) / c->produce);
    if (!c->required)
        return;
    if (c->irregular)
        sender = c->threshold > 1 ? -2 : weir_run_taken(run, (struct weir_queue){c->index}, execution);
    if (sender == -1)
        return;
    const struct weir_moments *by = c->transfer_max > 0 ? NULL : find(run, from, sender);
    struct weir_run_cause cause = {WEIR_WAIT_DATA, by ? by->finish : INT64_MIN, {c->from}, sender};
    hold_back(last, &cause);
}

static void hold_back_for_room(const struct weir_run *run, const struct weir_channel *c, int64_t execution,
                               struct weir_run_cause *last)
{
    uint64_t end = c->initial + ((uint64_t)execution + 1) * c->produce;
    if (!c->waits || end <= c->capacity)
        return;
    int64_t freed_by = (int64_t)((end - c->capacity + c->consume - 1) / c->consume) - 1;
    const struct weir_moments *by = c->irregular ? NULL : find(run, &run->threads[c->to], freed_by);
    struct weir_run_cause cause = {WEIR_WAIT_BACKPRESSURE, by ? by->received : INT64_MIN, {c->to}, freed_by};
    hold_back(last, &cause);
}

static void hold_back_for_release(const struct weir_run *run, const struct weir_operator_thread *s, int64_t execution,
                                  struct weir_run_cause *last)
{
    const struct weir_moments *before = find(run, s, execution - 1);
    int64_t period = s->release.divisor ? (int64_t)(s->release.period / s->release.divisor) : 0, began = run->result.began;
    struct weir_run_cause cause = {WEIR_WAIT_PERIOD, INT64_MIN, {s->index}, execution - 1};
    switch (s->release.kind) {
    case WEIR_RELEASE_NONE:
        return;
    case WEIR_RELEASE_AT_MOST:
        if (before)
            cause.moment = before->start + period;
        break;
    case WEIR_RELEASE_SKIP:
        assert(period > 0);
        if (before)
            cause.moment = began + ((before->start - began) / period + 1) * period;
        break;
    case WEIR_RELEASE_FIXED:
        cause.execution = -1;
        cause.moment = s->release.jitter > 0 ? INT64_MIN : weir_release_of(s, execution);
        break;
    }
    if (execution > 0 || s->release.kind == WEIR_RELEASE_FIXED)
        hold_back(last, &cause);
}

static struct weir_run_cause cause_of(const struct weir_run *run, const struct weir_operator_thread *s, int64_t execution)
{
    struct weir_run_cause last = {WEIR_WAIT_NONE, run->result.began, {s->index}, -1};
    for (uint32_t i = 0; i < s->input_count; i++)
        hold_back_for_message(run, s->inputs[i], execution, &last);
    for (uint32_t i = 0; i < s->output_count; i++)
        hold_back_for_room(run, s->outputs[i], execution, &last);
    if (execution > 0) {
        const struct weir_moments *before = find(run, s, execution - 1);
        struct weir_run_cause cause = {WEIR_WAIT_BUSY, before ? before->finish : INT64_MIN, {s->index}, execution - 1};
        hold_back(&last, &cause);
    }
    hold_back_for_release(run, s, execution, &last);
    return last;
}

struct weir_run_cause weir_run_cause_of(const struct weir_run *run, struct weir_operator op, int64_t execution)
{
    if (op.index >= run->thread_count || !find(run, &run->threads[op.index], execution))
        return (struct weir_run_cause){WEIR_WAIT_NONE, INT64_MIN, op, -1};
    return cause_of(run, &run->threads[op.index], execution);
}

struct weir_run_record weir_run_record_at(const struct weir_run *run, struct weir_operator op, size_t index)
{
    const struct weir_run_record none = {
        .execution = -1, .ready = INT64_MIN, .cpu = -1, .starved_before = -1, .starved = -1, .sleeps = -1};
    if (index >= weir_run_record_count(run, op))
        return none;
    const struct weir_operator_thread *s = &run->threads[op.index];
    int64_t done = atomic_load_explicit(&s->executions, memory_order_relaxed), size = (int64_t)run->options.records;
    int64_t execution = (int64_t)index + (run->options.records_newest && done > size ? done - size : 0);
    const struct weir_moments *m = find(run, s, execution);
    if (!m)
        return none;
    return (struct weir_run_record){.execution = execution,
                                    .ready = cause_of(run, s, execution).moment,
                                    .arrival = m->arrival,
                                    .start = m->start,
                                    .received = m->received,
                                    .finish = m->finish,
                                    .cpu = m->cpu,
                                    .starved_before = m->starved_before,
                                    .starved = m->starved,
                                    .sleeps = m->sleeps};
}

/* ---- all of them, in order of time ---- */

struct cursor {
    int64_t start;
    uint32_t op;
    size_t at;
};

static bool starts_before(const void *context, const struct cursor *a, const struct cursor *b)
{
    (void)context;
    return a->start < b->start;
}

WEIR_HEAP(cursors, struct cursor, const void *, starts_before, WEIR_HEAP_STAYS);

enum weir_status weir_run_observe(const struct weir_run *run,
                                  bool (*observe)(void *context, struct weir_operator op, const struct weir_run_record *record),
                                  void *context, struct weir_error *error)
{
    struct cursor *heap = weir_array(run->thread_count, sizeof *heap);
    size_t count = 0;
    if (!heap)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (weir_run_record_count(run, (struct weir_operator){i}) > 0)
            heap[count++] = (struct cursor){weir_run_record_at(run, (struct weir_operator){i}, 0).start, i, 0};
    for (size_t i = count; i-- > 0;)
        cursors_sink(NULL, heap, count, i, heap[i]);
    while (count > 0) {
        struct weir_operator op = {heap[0].op};
        struct weir_run_record record = weir_run_record_at(run, op, heap[0].at);
        if (!observe(context, op, &record))
            break;
        if (++heap[0].at < weir_run_record_count(run, op))
            heap[0].start = weir_run_record_at(run, op, heap[0].at).start;
        else
            heap[0] = heap[--count];
        if (count)
            cursors_sink(NULL, heap, count, 0, heap[0]);
    }
    weir_free(heap);
    return WEIR_OK;
}
