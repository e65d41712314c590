/* SPDX-License-Identifier: Apache-2.0 */
#include "write/happening.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "simulate/replay.h"

#include <stdlib.h>
#include <string.h>

#define EXECUTIONS_MAX 20000          /* kept: the latest */
#define STEPS_MAX 20000               /* of the critical path: the last */
#define PLAYED_MAX INT64_C(400000000) /* executions until the end: some ten seconds */

/* The latest executions, in a ring in the order of their starts. */
struct record {
    struct weir_happening *happening;
    struct weir_execution *ring;
    size_t room, next, kept;
    bool dropped;
    int64_t dropped_until; /* the latest finish of an execution that was dropped, or the start of one that has none */
};

/* ---- executions ---- */

/* The execution, and with it those before it, is not shown. */
static void pass(struct weir_happening *h, uint32_t op, int64_t iteration)
{
    if (h->finished[op] <= iteration)
        h->finished[op] = iteration + 1;
}

static void note_start(struct record *r, uint32_t op, int64_t iteration, int64_t time)
{
    if (r->kept == r->room) {
        const struct weir_execution *oldest = &r->ring[r->next];
        int64_t until = oldest->finish == WEIR_NOT_YET ? time : oldest->finish;
        r->dropped_until = until > r->dropped_until ? until : r->dropped_until;
        r->dropped = true;
        pass(r->happening, oldest->op, oldest->iteration);
    } else {
        r->kept++;
    }
    r->ring[r->next] = (struct weir_execution){.op = op, .iteration = iteration, .start = time, .finish = WEIR_NOT_YET};
    r->next = (r->next + 1) % r->room;
}

static void note_finish(struct record *r, uint32_t op, int64_t iteration, int64_t time)
{
    for (size_t i = 1; i <= r->kept; i++) {
        struct weir_execution *e = &r->ring[(r->next + r->room - i) % r->room];
        if (e->op == op && e->iteration == iteration) {
            e->finish = time;
            break;
        }
    }
    if (time <= r->happening->begin) {
        pass(r->happening, op, iteration);
        while (r->kept) { /* what is over need not be kept */
            const struct weir_execution *oldest = &r->ring[(r->next + r->room - r->kept) % r->room];
            if (oldest->finish > r->happening->begin)
                break;
            r->kept--;
        }
    }
}

static void note(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    if (moment == WEIR_START)
        note_start(context, op.index, iteration, time);
    else if (moment == WEIR_FINISH)
        note_finish(context, op.index, iteration, time);
}

static int by_operator(const void *a, const void *b)
{
    const struct weir_execution *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->iteration > y->iteration) - (x->iteration < y->iteration);
}

/* Out of the ring, sorted; what is over before the picture begins is left out. */
static enum weir_status settle(struct record *r, struct weir_error *error)
{
    struct weir_happening *h = r->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline);
    if (r->dropped && r->dropped_until > h->begin) {
        h->begin = r->dropped_until < h->to ? r->dropped_until : h->to;
        h->cut = true;
    }
    h->executions = weir_array(r->kept, sizeof *h->executions);
    h->first = weir_array_zeroed((size_t)operators + 1, sizeof *h->first);
    if (!h->executions || !h->first)
        return weir_fail_memory(error);
    for (size_t i = r->kept; i > 0; i--) {
        const struct weir_execution *e = &r->ring[(r->next + r->room - i) % r->room];
        if (e->finish > h->begin || e->start >= h->begin)
            h->executions[h->count++] = *e;
        else
            pass(h, e->op, e->iteration);
    }
    qsort(h->executions, h->count, sizeof *h->executions, by_operator);
    for (size_t i = 0; i < h->count; i++)
        h->first[h->executions[i].op + 1]++;
    for (uint32_t v = 0; v < operators; v++) {
        h->first[v + 1] += h->first[v];
        if (h->first[v + 1] > h->first[v])
            h->finished[v] = h->executions[h->first[v]].iteration;
    }
    return WEIR_OK;
}

/* ---- the critical path ---- */

static int64_t period_of(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        if (source.op.index == op.index)
            return source.period;
    }
    return 0;
}

/* Backwards from the end: a step starts when the one before it is over if that one counts, when it starts if not; or a period
 * later. */
static enum weir_status find_steps(struct weir_happening *h, struct weir_error *error)
{
    const struct weir_witness *w = h->witness;
    int64_t now = h->to;
    size_t capacity = 0;
    for (size_t s = w->segment_count; s-- > 0;)
        for (int64_t round = w->segments[s].repeat; round-- > 0;)
            for (size_t i = w->segments[s].step_count; i-- > 0;) {
                const struct weir_step *step = &w->segments[s].steps[i];
                struct weir_happening_step timed = {step, step->iteration + round * w->segments[s].iterations, now, now};
                timed.start = now - (step->counts ? step->time : 0);
                if (timed.end < h->begin || h->step_count == STEPS_MAX) {
                    h->cut = true;
                    return WEIR_OK;
                }
                void *list = h->steps;
                if (!weir_reserve(&list, &capacity, h->step_count + 1, sizeof *h->steps))
                    return weir_fail_memory(error);
                h->steps = list;
                h->steps[h->step_count++] = timed;
                now = timed.start - (step->wait == WEIR_WAIT_PERIOD ? period_of(h->pipeline, step->op) : 0);
            }
    return WEIR_OK;
}

/* How far before its end the path begins; at most `most`. */
static int64_t path_length(const struct weir_pipeline *pipeline, const struct weir_witness *w, int64_t most)
{
    int64_t length = 0;
    for (size_t s = w->segment_count; s-- > 0 && length < most;) {
        int64_t once = 0;
        for (size_t i = 0; i < w->segments[s].step_count && once < most; i++) {
            const struct weir_step *step = &w->segments[s].steps[i];
            once += step->counts ? step->time : 0;
            once += step->wait == WEIR_WAIT_PERIOD ? period_of(pipeline, step->op) : 0;
        }
        weir_wide all = (weir_wide)once * w->segments[s].repeat;
        length += all < most ? (int64_t)all : most;
    }
    return length < most ? length : most;
}

static struct weir_execution *find_execution(const struct weir_happening *h, const struct weir_happening_step *step)
{
    struct weir_execution key = {.op = step->step->op.index, .iteration = step->iteration};
    if (!step->step->counts || step->step->part != WEIR_PART_EXECUTION)
        return NULL;
    return bsearch(&key, h->executions, h->count, sizeof key, by_operator);
}

/* Puts the steps in order of time. The first ones need not hold anything up: before what is measured begins, another way may be
 * longer. Up to the last of which that is true they are left out. */
static void mark_critical(struct weir_happening *h)
{
    size_t loose = 0;
    for (size_t i = 0; i < h->step_count / 2; i++) {
        struct weir_happening_step other = h->steps[i];
        h->steps[i] = h->steps[h->step_count - 1 - i];
        h->steps[h->step_count - 1 - i] = other;
    }
    for (size_t i = 0; i < h->step_count; i++) {
        struct weir_execution *e = find_execution(h, &h->steps[i]);
        if (e)
            e->critical = true;
        if (e && e->start != h->steps[i].start)
            loose = i + 1;
    }
    memmove(h->steps, h->steps + loose, (h->step_count - loose) * sizeof *h->steps);
    h->step_count -= loose;
}

/* ---- the whole ---- */

enum weir_status weir_happening_find(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                     struct weir_happening *h, struct weir_error *error)
{
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    struct weir_replay_watch watch = {0};
    struct record record = {.happening = h, .room = EXECUTIONS_MAX};
    *h = (struct weir_happening){.pipeline = pipeline, .witness = witness};
    if (witness->iteration > PLAYED_MAX / ((int64_t)operators + 1))
        return weir_fail(error, WEIR_OVERFLOW, "the worst case needs %lld iterations, which is too long to be played",
                         (long long)witness->iteration);
    enum weir_status status = weir_witness_watch(pipeline, witness, &watch, error);
    if (status)
        return status;
    /* As long again before the latency begins is enough to see how it came about. */
    int64_t length = watch.to - watch.from > 0 ? watch.to - watch.from : 0;
    int64_t path = watch.to - path_length(pipeline, witness, WEIR_TIME_MAX), earliest = watch.from - length;
    int64_t begin = path < watch.from ? path : watch.from;
    h->cut = begin < earliest;
    h->begin = begin < earliest ? earliest : begin;
    h->begin = h->begin > 0 ? h->begin : 0;
    h->from = watch.from;
    h->to = watch.to;
    h->end = watch.to > watch.from ? watch.to : watch.from;
    h->finished = weir_array_zeroed(operators, sizeof *h->finished);
    record.ring = weir_array(record.room, sizeof *record.ring);
    if (!h->finished || !record.ring) {
        status = weir_fail_memory(error);
    } else {
        watch.observe = note;
        watch.context = &record;
        status = weir_witness_watch(pipeline, witness, &watch, error);
    }
    if (!status)
        status = settle(&record, error);
    weir_free(record.ring);
    if (!status)
        status = find_steps(h, error);
    if (!status)
        mark_critical(h);
    return status;
}

void weir_happening_free(struct weir_happening *h)
{
    weir_free(h->executions);
    weir_free(h->first);
    weir_free(h->steps);
    weir_free(h->finished);
    *h = (struct weir_happening){0};
}

/* ---- queues ---- */

static int by_time(const void *a, const void *b)
{
    const struct weir_level *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->messages > y->messages) - (x->messages < y->messages); /* leaves before enters: what is full stays full */
}

enum weir_status weir_happening_levels(const struct weir_happening *h, struct weir_queue queue, struct weir_level **levels,
                                       size_t *count, struct weir_error *error)
{
    struct weir_queue_spec q = weir_pipeline_queue(h->pipeline, queue);
    const struct weir_execution *from = h->executions + h->first[q.from.index], *to = h->executions + h->first[q.to.index];
    size_t froms = h->first[q.from.index + 1] - h->first[q.from.index], tos = h->first[q.to.index + 1] - h->first[q.to.index];
    struct weir_level *list = weir_array(froms + tos + 1, sizeof *list);
    size_t used = 1;
    *levels = list;
    *count = 0;
    if (!list)
        return weir_fail_memory(error);
    /* Those of the consumer that are under way at the beginning have taken theirs. */
    int64_t taken = h->finished[q.to.index];
    for (size_t i = 0; i < tos && to[i].start < h->begin; i++)
        taken++;
    list[0] = (struct weir_level){h->begin, q.initial + h->finished[q.from.index] - taken};
    for (size_t i = 0; i < froms; i++)
        if (from[i].finish != WEIR_NOT_YET)
            list[used++] = (struct weir_level){from[i].finish, 1};
    for (size_t i = 0; i < tos; i++)
        if (to[i].start >= h->begin)
            list[used++] = (struct weir_level){to[i].start, -1};
    qsort(list + 1, used - 1, sizeof *list, by_time);
    size_t kept = 1;
    for (size_t i = 1; i < used; i++) {
        int64_t messages = list[kept - 1].messages + list[i].messages;
        if (list[i].time == list[kept - 1].time)
            list[kept - 1].messages = messages;
        else
            list[kept++] = (struct weir_level){list[i].time, messages};
    }
    *count = kept;
    return WEIR_OK;
}
