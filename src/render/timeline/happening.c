/* SPDX-License-Identifier: Apache-2.0 */
#include "render/timeline/happening.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "render/heap.h"
#include "simulate/replay.h"

#include <stdlib.h>
#include <string.h>

#define EXECUTIONS_MAX 20000         /* kept of those that are over: the latest */
#define STEPS_MAX 20000              /* of the critical path: the last */
#define PLAYED_MAX INT64_C(50000000) /* executions until the end: some seconds */
#define MORE 64                      /* iterations after those that are measured */

/* What was seen so far. The pictures' beginning is known at the end only, so the latest executions are kept. */
struct record {
    struct weir_happening *happening;
    struct weir_execution *ring; /* those that are over, in the order of their finishes */
    size_t next, kept;
    struct weir_execution *current; /* by operator: one that is under way; iteration -1: none */
    struct weir_execution *others;  /* under way beside it, of reentrant operators */
    size_t other_count, other_capacity;
    int64_t *begun; /* by operator */
    bool dropped, out_of_memory;
    int64_t dropped_until; /* the finish of the last execution that was dropped */
};

/* ---- executions ---- */

static void note_start(struct record *r, const struct weir_execution *e)
{
    r->begun[e->op]++;
    if (r->current[e->op].iteration < 0) {
        r->current[e->op] = *e;
        return;
    }
    void *list = r->others;
    if (!weir_reserve(&list, &r->other_capacity, r->other_count + 1, sizeof *r->others)) {
        r->out_of_memory = true;
        return;
    }
    r->others = list;
    r->others[r->other_count++] = *e;
}

static void note_finish(struct record *r, uint32_t op, int64_t iteration, int64_t time)
{
    struct weir_execution over = r->current[op];
    if (over.iteration == iteration) {
        r->current[op].iteration = -1;
    } else {
        size_t i = 0;
        while (i < r->other_count && (r->others[i].op != op || r->others[i].iteration != iteration))
            i++;
        if (i == r->other_count)
            return; /* out of memory */
        over = r->others[i];
        r->others[i] = r->others[--r->other_count];
    }
    if (r->kept == EXECUTIONS_MAX) {
        r->dropped = true;
        r->dropped_until = r->ring[r->next].finish;
    } else {
        r->kept++;
    }
    over.finish = over.sent = time;
    r->ring[r->next] = over;
    r->next = (r->next + 1) % EXECUTIONS_MAX;
    r->happening->finished[op]++;
}

static void note(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    if (moment == WEIR_START)
        note_start(context, &(struct weir_execution){.op = op.index,
                                                     .iteration = iteration,
                                                     .start = time,
                                                     .received = time,
                                                     .finish = WEIR_NOT_YET,
                                                     .sent = WEIR_NOT_YET});
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

/* All that is known, sorted. */
static enum weir_status gather(struct record *r, struct weir_error *error)
{
    struct weir_happening *h = r->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline);
    h->executions = weir_array(r->kept + r->other_count + operators, sizeof *h->executions);
    h->first = weir_array_zeroed((size_t)operators + 1, sizeof *h->first);
    if (!h->executions || !h->first)
        return weir_fail_memory(error);
    for (size_t i = 0; i < r->kept; i++)
        h->executions[h->count++] = r->ring[i];
    for (size_t i = 0; i < r->other_count; i++)
        h->executions[h->count++] = r->others[i];
    for (uint32_t v = 0; v < operators; v++)
        if (r->current[v].iteration >= 0)
            h->executions[h->count++] = r->current[v];
    qsort(h->executions, h->count, sizeof *h->executions, by_operator);
    return WEIR_OK;
}

/* Leaves out what is over when the picture begins. An iteration of a reentrant operator that is over, but follows one that is not,
 * stays: it has yet to send. Where such a one was dropped, the one before it stands for both. */
static void settle(struct record *r)
{
    struct weir_happening *h = r->happening;
    size_t kept = 0;
    for (size_t i = 0; i < h->count; i++) {
        struct weir_execution e = h->executions[i];
        bool leads = kept == 0 || h->executions[kept - 1].op != e.op;
        if (leads && e.finish <= h->begin && e.start < h->begin)
            continue;
        if (leads)
            h->finished[e.op] = e.iteration;
        bool last = i + 1 == h->count || h->executions[i + 1].op != e.op;
        e.messages = (last ? r->begun[e.op] : h->executions[i + 1].iteration) - e.iteration;
        h->executions[kept++] = e;
        h->first[e.op + 1]++;
    }
    h->count = kept;
    for (uint32_t v = 0; v < weir_pipeline_operator_count(h->pipeline); v++)
        h->first[v + 1] += h->first[v];
}

/* ---- the critical path ---- */

/* Stands before the step that comes next on the way back. */
struct walk {
    const struct weir_witness *witness;
    size_t segment, left;
    int64_t round;
};

static const struct weir_step *walk_back(struct walk *w, int64_t *iteration)
{
    const struct weir_segment *segments = w->witness->segments;
    while (w->left == 0) {
        if (w->round > 0) {
            w->round--;
        } else if (w->segment > 0) {
            w->segment--;
            w->round = segments[w->segment].step_count ? segments[w->segment].repeat - 1 : 0;
        } else {
            return NULL;
        }
        w->left = segments[w->segment].step_count;
    }
    const struct weir_step *step = &segments[w->segment].steps[--w->left];
    *iteration = step->iteration + w->round * segments[w->segment].iterations;
    return step;
}

/* Which execution of its operator the step is, in that iteration of the pipeline. */
static int64_t execution_of(const struct weir_happening *h, const struct weir_step *step, int64_t iteration)
{
    if (step->part == WEIR_PART_TRANSFER) { /* the one that takes the message */
        struct weir_queue_spec q = weir_pipeline_queue(h->pipeline, step->queue);
        int64_t message = iteration * (int64_t)weir_pipeline_turns(h->pipeline, q.from) + step->turn + q.initial;
        return message / (q.consume > 1 ? q.consume : 1);
    }
    return iteration * (int64_t)weir_pipeline_turns(h->pipeline, step->op) + step->turn;
}

/* Of its source; an execution that waits for a tick starts with it. */
static int64_t period_of(const struct weir_pipeline *pipeline, const struct weir_step *step)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        if (source.op.index == step->op.index)
            return source.arrivals == WEIR_ARRIVALS_CATCH_UP && step->part != WEIR_PART_TICK ? 0 : source.period;
    }
    return 0;
}

/* Backwards from the end: a step starts when the one before it is over if that one counts, when it starts if not; or a period
 * later. */
static enum weir_status find_steps(struct weir_happening *h, struct weir_error *error)
{
    struct walk walk = {.witness = h->witness, .segment = h->witness->segment_count};
    struct weir_happening_step timed;
    int64_t now = h->to;
    size_t capacity = 0;
    while ((timed.step = walk_back(&walk, &timed.iteration))) {
        timed.iteration = execution_of(h, timed.step, timed.iteration);
        timed.end = now;
        timed.start = now - (timed.step->counts ? timed.step->time : 0);
        if (timed.end < h->begin || h->step_count == STEPS_MAX) {
            h->cut = true;
            return WEIR_OK;
        }
        void *list = h->steps;
        if (!weir_reserve(&list, &capacity, h->step_count + 1, sizeof *h->steps))
            return weir_fail_memory(error);
        h->steps = list;
        h->steps[h->step_count++] = timed;
        now = timed.start - (timed.step->wait == WEIR_WAIT_PERIOD ? period_of(h->pipeline, timed.step) : 0);
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
            once += step->wait == WEIR_WAIT_PERIOD ? period_of(pipeline, step) : 0;
        }
        weir_wide all = (weir_wide)once * w->segments[s].repeat;
        length += all < most ? (int64_t)all : most;
    }
    return length < most ? length : most;
}

static struct weir_execution *find_execution(const struct weir_happening *h, uint32_t op, int64_t iteration)
{
    struct weir_execution key = {.op = op, .iteration = iteration};
    return h->count ? bsearch(&key, h->executions, h->count, sizeof key, by_operator) : NULL;
}

/* What the path needs to be at its worst is; all else is at its best. */
static void mark_worst(struct weir_happening *h)
{
    struct walk walk = {.witness = h->witness, .segment = h->witness->segment_count};
    const struct weir_step *step;
    int64_t iteration, lowest = INT64_MAX;
    for (size_t i = 0; i < h->count; i++) {
        int64_t round = h->executions[i].iteration / weir_pipeline_turns(h->pipeline, (struct weir_operator){h->executions[i].op});
        lowest = round < lowest ? round : lowest;
    }
    while ((step = walk_back(&walk, &iteration)) && iteration >= lowest) { /* they never decrease along the path */
        struct weir_execution *e = step->counts ? find_execution(h, step->op.index, execution_of(h, step, iteration)) : NULL;
        if (e && step->part == WEIR_PART_EXECUTION)
            e->worst = true;
        else if (e && step->part == WEIR_PART_RECEIVE)
            e->late = true;
        else if (e && step->part == WEIR_PART_GPU)
            e->gpu = step->time > 0;
        else if (e && step->part == WEIR_PART_AFTER)
            e->after = step->time > 0;
    }
}

static void find_times(struct weir_happening *h)
{
    bool instant = h->witness->query.assume_zero_best;
    mark_worst(h);
    for (size_t i = 0; i < h->count; i++) {
        struct weir_execution *e = &h->executions[i];
        struct weir_operator_spec spec = weir_pipeline_operator(h->pipeline, (struct weir_operator){e->op});
        e->received += e->late ? spec.receive_max : instant ? 0 : spec.receive_min;
        e->launched = e->start + (e->worst ? spec.worst : instant ? 0 : spec.best);
        e->launched = !spec.launch ? WEIR_NOT_YET : e->received > e->launched ? e->received : e->launched;
        e->landed = e->finish;
        if (spec.launch && !spec.launch->waits)
            e->sent = e->launched;
        else if (spec.launch && e->finish != WEIR_NOT_YET)
            e->landed -= e->after ? spec.launch->after_worst : instant ? 0 : spec.launch->after_best;
    }
}

/* Whether the step is when the path says. What is over when the picture begins is not. */
static bool is_tight(const struct weir_happening *h, const struct weir_happening_step *s)
{
    const struct weir_execution *e = find_execution(h, s->step->op.index, s->iteration);
    struct weir_operator_spec spec = weir_pipeline_operator(h->pipeline, s->step->op);
    bool over = e && e->finish != WEIR_NOT_YET, waits = spec.launch && spec.launch->waits;
    int64_t arrives;
    switch (s->step->part) {
    case WEIR_PART_ARRIVAL:
    case WEIR_PART_TICK:
        return weir_multiply(period_of(h->pipeline, s->step), s->iteration, &arrives) && arrives == s->end;
    case WEIR_PART_DONE: /* of the part on the CPU, where there is work on a GPU */
        return e && (!over || (spec.launch ? e->start <= s->end && s->end <= e->finish : e->finish == s->end));
    case WEIR_PART_GPU:
        return e && (!over || (waits || !spec.launch ? e->start <= s->start : e->finish == s->end));
    case WEIR_PART_AFTER:
        return e && (!over || e->finish == s->end);
    case WEIR_PART_TRANSFER: /* nobody is told when it is over: what waits for it tells */
        return e && s->end <= e->start;
    case WEIR_PART_EXECUTION:
    case WEIR_PART_RECEIVE:
        break;
    }
    return e && e->start == s->start;
}

/* Puts the steps in order of time. The first ones need not hold anything up: before what is measured begins, another way may be
 * longer. Up to the last of which that is true they are left out. */
static void order_steps(struct weir_happening *h)
{
    size_t loose = 0;
    for (size_t i = 0; i < h->step_count / 2; i++) {
        struct weir_happening_step other = h->steps[i];
        h->steps[i] = h->steps[h->step_count - 1 - i];
        h->steps[h->step_count - 1 - i] = other;
    }
    for (size_t i = 0; i < h->step_count; i++)
        if (!is_tight(h, &h->steps[i]))
            loose = i + 1;
    if (loose)
        memmove(h->steps, h->steps + loose, (h->step_count - loose) * sizeof *h->steps);
    h->step_count -= loose;
}

/* ---- the whole ---- */

/* As long again before the latency begins is enough to see how it came about. */
static void choose_begin(struct record *r)
{
    struct weir_happening *h = r->happening;
    int64_t low = h->from < h->to ? h->from : h->to, high = h->from < h->to ? h->to : h->from;
    int64_t path = h->to - path_length(h->pipeline, h->witness, WEIR_TIME_MAX), earliest = low - (high - low);
    int64_t begin = path < low ? path : low;
    earliest = earliest > 0 ? earliest : 0;
    if (r->dropped && r->dropped_until > earliest)
        earliest = r->dropped_until < high ? r->dropped_until : high;
    h->cut = begin < earliest;
    h->begin = begin < earliest ? earliest : begin;
    h->end = high;
}

static enum weir_status play(struct record *r, struct weir_error *error)
{
    struct weir_happening *h = r->happening;
    struct weir_replay_watch watch = {.more = MORE, .observe = note, .context = r};
    enum weir_status status = weir_witness_watch(h->pipeline, h->witness, &watch, error);
    if (!status && r->out_of_memory)
        status = weir_fail_memory(error);
    if (!status)
        status = gather(r, error);
    if (status)
        return status;
    h->from = watch.from;
    h->to = watch.to;
    choose_begin(r);
    settle(r);
    find_times(h);
    status = find_steps(h, error);
    if (!status)
        order_steps(h);
    return status ? status : weir_happening_rows(h, error);
}

static bool is_playable(const struct weir_pipeline *pipeline, const struct weir_witness *witness)
{
    int64_t executions = 0, shift = witness->query.shift; /* of an iteration */
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        executions += weir_pipeline_turns(pipeline, (struct weir_operator){i});
    int64_t most = PLAYED_MAX / (executions + 1) - MORE;
    return witness->iteration <= most && (shift <= 0 || shift <= most - witness->iteration);
}

enum weir_status weir_happening_find(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                     struct weir_happening *h, struct weir_error *error)
{
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    struct record record = {.happening = h};
    *h = (struct weir_happening){.pipeline = pipeline, .witness = witness};
    if (!is_playable(pipeline, witness))
        return weir_fail(error, WEIR_OVERFLOW, "the worst case needs %lld iterations, which is too long to be played",
                         (long long)witness->iteration);
    h->finished = weir_array_zeroed(operators, sizeof *h->finished);
    record.begun = weir_array_zeroed(operators, sizeof *record.begun);
    record.ring = weir_array(EXECUTIONS_MAX, sizeof *record.ring);
    record.current = weir_array_zeroed(operators, sizeof *record.current);
    enum weir_status status;
    if (h->finished && record.begun && record.ring && record.current) {
        for (uint32_t v = 0; v < operators; v++)
            record.current[v].iteration = -1;
        status = play(&record, error);
    } else {
        status = weir_fail_memory(error);
    }
    weir_free(record.begun);
    weir_free(record.ring);
    weir_free(record.current);
    weir_free(record.others);
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

const struct weir_execution *weir_happening_execution(const struct weir_happening *h, struct weir_operator op, int64_t iteration)
{
    return find_execution(h, op.index, iteration);
}

enum weir_status weir_happening_rows(struct weir_happening *h, struct weir_error *error)
{
    struct weir_heap_item *ends = weir_array(h->count, sizeof *ends);
    size_t rows = 0;
    if (!ends)
        return weir_fail_memory(error);
    for (size_t i = 0; i < h->count; i++) {
        struct weir_execution *e = &h->executions[i];
        if (i == 0 || e->op != h->executions[i - 1].op)
            rows = 0;
        e->row = (uint32_t)rows;
        if (rows && ends[0].key <= e->start) /* the row that is free since the longest */
            e->row = weir_heap_pop(ends, &rows).value;
        weir_heap_push(ends, &rows, (struct weir_heap_item){e->finish, e->row});
    }
    weir_free(ends);
    return WEIR_OK;
}

/* ---- queues ---- */

static int by_time(const void *a, const void *b)
{
    const struct weir_level *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->messages > y->messages) - (x->messages < y->messages);
}

/* Changes of a queue by one of its ends, which sends so many messages at once or takes them (below 0): executions send and receive
 * in their order. Returns how many. */
static size_t find_changes(const struct weir_happening *h, uint32_t op, int64_t each, struct weir_level *list)
{
    int64_t latest = h->begin;
    size_t used = 0;
    for (size_t i = h->first[op]; i < h->first[op + 1]; i++) {
        const struct weir_execution *e = &h->executions[i];
        int64_t time = each > 0 ? e->sent : e->received;
        latest = time > latest ? time : latest;
        if (latest > h->end)
            break;
        list[used++] = (struct weir_level){latest, each * e->messages};
    }
    return used;
}

enum weir_status weir_happening_levels(const struct weir_happening *h, struct weir_queue queue, struct weir_level **levels,
                                       size_t *count, struct weir_error *error)
{
    struct weir_queue_spec q = weir_pipeline_queue(h->pipeline, queue);
    size_t froms = h->first[q.from.index + 1] - h->first[q.from.index], tos = h->first[q.to.index + 1] - h->first[q.to.index];
    struct weir_level *list = weir_array(froms + tos + 1, sizeof *list);
    *levels = list;
    *count = 0;
    if (!list)
        return weir_fail_memory(error);
    int64_t batch = q.consume > 1 ? q.consume : 1;
    list[0] = (struct weir_level){h->begin, q.initial + h->finished[q.from.index] - batch * h->finished[q.to.index]};
    size_t used = 1 + find_changes(h, q.from.index, 1, list + 1);
    used += find_changes(h, q.to.index, -batch, list + used);
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
