/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/schedule.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "simulate/machine.h"

#include <stdlib.h>
#include <string.h>

#define EXECUTIONS_MAX 20000         /* kept of those that are over: the latest */
#define STEPS_MAX 20000              /* of the critical path: the last */
#define PLAYED_MAX INT64_C(50000000) /* executions until the end: some seconds */
#define MORE 64                      /* iterations after those that are measured */

/* What was seen so far. The pictures' beginning is known at the end only, so the latest executions are kept. */
struct record {
    struct weir_schedule *schedule;
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
    r->schedule->finished[op]++;
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
    struct weir_schedule *s = r->schedule;
    uint32_t operators = weir_pipeline_operator_count(s->pipeline);
    s->executions = weir_array(r->kept + r->other_count + operators, sizeof *s->executions);
    s->first = weir_array_zeroed((size_t)operators + 1, sizeof *s->first);
    if (!s->executions || !s->first)
        return weir_fail_memory(error);
    for (size_t i = 0; i < r->kept; i++)
        s->executions[s->count++] = r->ring[i];
    for (size_t i = 0; i < r->other_count; i++)
        s->executions[s->count++] = r->others[i];
    for (uint32_t v = 0; v < operators; v++)
        if (r->current[v].iteration >= 0)
            s->executions[s->count++] = r->current[v];
    qsort(s->executions, s->count, sizeof *s->executions, by_operator);
    return WEIR_OK;
}

/* Leaves out what is over when the picture begins. An iteration of a reentrant operator that is over, but follows one that is not,
 * stays: it has yet to send. Where such a one was dropped, the one before it stands for both. */
static void settle(struct record *r)
{
    struct weir_schedule *s = r->schedule;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct weir_execution e = s->executions[i];
        bool leads = kept == 0 || s->executions[kept - 1].op != e.op;
        if (leads && e.finish <= s->begin && e.start < s->begin)
            continue;
        if (leads)
            s->finished[e.op] = e.iteration;
        bool last = i + 1 == s->count || s->executions[i + 1].op != e.op;
        e.messages = (last ? r->begun[e.op] : s->executions[i + 1].iteration) - e.iteration;
        s->executions[kept++] = e;
        s->first[e.op + 1]++;
    }
    s->count = kept;
    for (uint32_t v = 0; v < weir_pipeline_operator_count(s->pipeline); v++)
        s->first[v + 1] += s->first[v];
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
static int64_t execution_of(const struct weir_schedule *s, const struct weir_step *step, int64_t iteration)
{
    if (step->part == WEIR_PART_TRANSFER) { /* the one that takes the message */
        struct weir_queue_spec q = weir_pipeline_queue(s->pipeline, step->queue);
        int64_t message = iteration * (int64_t)weir_pipeline_firings(s->pipeline, q.from) + step->firing + q.initial;
        return message / (q.consume > 1 ? q.consume : 1);
    }
    return iteration * (int64_t)weir_pipeline_firings(s->pipeline, step->op) + step->firing;
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

int64_t weir_step_delay(const struct weir_pipeline *pipeline, const struct weir_step *step)
{
    return step->wait == WEIR_WAIT_PERIOD ? period_of(pipeline, step) : 0;
}

/* Backwards from the end: a step starts when the one before it is over if that one counts, when it starts if not; or a period
 * later. */
static enum weir_status find_steps(struct weir_schedule *s, struct weir_error *error)
{
    struct walk walk = {.witness = s->witness, .segment = s->witness->segment_count};
    struct weir_schedule_step timed;
    int64_t now = s->to;
    size_t capacity = 0;
    while ((timed.step = walk_back(&walk, &timed.iteration))) {
        timed.iteration = execution_of(s, timed.step, timed.iteration);
        timed.end = now;
        timed.start = now - (timed.step->counts ? timed.step->time : 0);
        if (timed.end < s->begin || s->step_count == STEPS_MAX) {
            s->cut = true;
            return WEIR_OK;
        }
        void *list = s->steps;
        if (!weir_reserve(&list, &capacity, s->step_count + 1, sizeof *s->steps))
            return weir_fail_memory(error);
        s->steps = list;
        s->steps[s->step_count++] = timed;
        now = timed.start - weir_step_delay(s->pipeline, timed.step);
    }
    return WEIR_OK;
}

/* How far before its end the path begins; at most `most`. */
static int64_t path_length(const struct weir_pipeline *pipeline, const struct weir_witness *w, int64_t most)
{
    int64_t length = 0;
    for (size_t k = w->segment_count; k-- > 0 && length < most;) {
        int64_t once = 0;
        for (size_t i = 0; i < w->segments[k].step_count && once < most; i++) {
            const struct weir_step *step = &w->segments[k].steps[i];
            once += step->counts ? step->time : 0;
            once += weir_step_delay(pipeline, step);
        }
        weir_wide all = (weir_wide)once * w->segments[k].repeat;
        length += all < most ? (int64_t)all : most;
    }
    return length < most ? length : most;
}

struct weir_execution *weir_schedule_execution(const struct weir_schedule *s, struct weir_operator op, int64_t iteration)
{
    struct weir_execution key = {.op = op.index, .iteration = iteration};
    return s->count ? bsearch(&key, s->executions, s->count, sizeof key, by_operator) : NULL;
}

/* What the path needs to be at its worst is; all else is at its best. */
static void mark_worst(struct weir_schedule *s)
{
    struct walk walk = {.witness = s->witness, .segment = s->witness->segment_count};
    const struct weir_step *step;
    int64_t iteration, lowest = INT64_MAX;
    for (size_t i = 0; i < s->count; i++) {
        int64_t round =
            s->executions[i].iteration / weir_pipeline_firings(s->pipeline, (struct weir_operator){s->executions[i].op});
        lowest = round < lowest ? round : lowest;
    }
    while ((step = walk_back(&walk, &iteration)) && iteration >= lowest) { /* they never decrease along the path */
        struct weir_execution *e = step->counts ? weir_schedule_execution(s, step->op, execution_of(s, step, iteration)) : NULL;
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

static void find_times(struct weir_schedule *s)
{
    bool instant = s->witness->query.assume_zero_best;
    mark_worst(s);
    for (size_t i = 0; i < s->count; i++) {
        struct weir_execution *e = &s->executions[i];
        struct weir_operator_spec spec = weir_pipeline_operator(s->pipeline, (struct weir_operator){e->op});
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
static bool is_tight(const struct weir_schedule *s, const struct weir_schedule_step *timed)
{
    const struct weir_execution *e = weir_schedule_execution(s, timed->step->op, timed->iteration);
    struct weir_operator_spec spec = weir_pipeline_operator(s->pipeline, timed->step->op);
    bool over = e && e->finish != WEIR_NOT_YET, waits = spec.launch && spec.launch->waits;
    int64_t arrives;
    switch (timed->step->part) {
    case WEIR_PART_ARRIVAL:
    case WEIR_PART_TICK:
        return weir_multiply(period_of(s->pipeline, timed->step), timed->iteration, &arrives) && arrives == timed->end;
    case WEIR_PART_DONE: /* of the part on the CPU, where there is work on a GPU */
        return e && (!over || (spec.launch ? e->start <= timed->end && timed->end <= e->finish : e->finish == timed->end));
    case WEIR_PART_GPU:
        return e && (!over || (waits || !spec.launch ? e->start <= timed->start : e->finish == timed->end));
    case WEIR_PART_AFTER:
        return e && (!over || e->finish == timed->end);
    case WEIR_PART_TRANSFER: /* its end is not an event of its own: what waits for it shows it */
        return e && timed->end <= e->start;
    case WEIR_PART_EXECUTION:
    case WEIR_PART_RECEIVE:
        break;
    }
    return e && e->start == timed->start;
}

/* Puts the steps in order of time. The first ones need not hold anything up: before what is measured begins, another way may be
 * longer. Up to the last of which that is true they are left out. */
static void order_steps(struct weir_schedule *s)
{
    size_t loose = 0;
    for (size_t i = 0; i < s->step_count / 2; i++) {
        struct weir_schedule_step other = s->steps[i];
        s->steps[i] = s->steps[s->step_count - 1 - i];
        s->steps[s->step_count - 1 - i] = other;
    }
    for (size_t i = 0; i < s->step_count; i++)
        if (!is_tight(s, &s->steps[i]))
            loose = i + 1;
    if (loose)
        memmove(s->steps, s->steps + loose, (s->step_count - loose) * sizeof *s->steps);
    s->step_count -= loose;
}

/* ---- the whole ---- */

/* As long again before the latency begins is enough to see how it came about. */
static void choose_begin(struct record *r)
{
    struct weir_schedule *s = r->schedule;
    int64_t low = s->from < s->to ? s->from : s->to, high = s->from < s->to ? s->to : s->from;
    int64_t path = s->to - path_length(s->pipeline, s->witness, WEIR_TIME_MAX), earliest = low - (high - low);
    int64_t begin = path < low ? path : low;
    earliest = earliest > 0 ? earliest : 0;
    if (r->dropped && r->dropped_until > earliest)
        earliest = r->dropped_until < high ? r->dropped_until : high;
    s->cut = begin < earliest;
    s->begin = begin < earliest ? earliest : begin;
    s->end = high;
}

static enum weir_status play(struct record *r, struct weir_error *error)
{
    struct weir_schedule *s = r->schedule;
    struct weir_replay_watch watch = {.more = MORE, .observe = note, .context = r};
    enum weir_status status = weir_witness_watch(s->pipeline, s->witness, &watch, error);
    if (!status && r->out_of_memory)
        status = weir_fail_memory(error);
    if (!status)
        status = gather(r, error);
    if (status)
        return status;
    s->from = watch.from;
    s->to = watch.to;
    choose_begin(r);
    settle(r);
    find_times(s);
    status = find_steps(s, error);
    if (!status)
        order_steps(s);
    return status;
}

static bool is_playable(const struct weir_pipeline *pipeline, const struct weir_witness *witness)
{
    int64_t executions = 0, shift = witness->query.shift; /* of an iteration */
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        executions += weir_pipeline_firings(pipeline, (struct weir_operator){i});
    int64_t most = PLAYED_MAX / (executions + 1) - MORE;
    return witness->iteration <= most && (shift <= 0 || shift <= most - witness->iteration);
}

enum weir_status weir_schedule_of_witness(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                          struct weir_schedule *s, struct weir_error *error)
{
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    struct record record = {.schedule = s};
    *s = (struct weir_schedule){.pipeline = pipeline, .witness = witness};
    if (!is_playable(pipeline, witness))
        return weir_fail(error, WEIR_OVERFLOW, "the worst case needs %lld iterations, which is too long to be played",
                         (long long)witness->iteration);
    s->finished = weir_array_zeroed(operators, sizeof *s->finished);
    record.begun = weir_array_zeroed(operators, sizeof *record.begun);
    record.ring = weir_array(EXECUTIONS_MAX, sizeof *record.ring);
    record.current = weir_array_zeroed(operators, sizeof *record.current);
    enum weir_status status;
    if (s->finished && record.begun && record.ring && record.current) {
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

void weir_schedule_free(struct weir_schedule *s)
{
    weir_free(s->executions);
    weir_free(s->first);
    weir_free(s->steps);
    weir_free(s->finished);
    *s = (struct weir_schedule){0};
}

/* ---- queues ---- */

static int by_time(const void *a, const void *b)
{
    const struct weir_schedule_level *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->messages > y->messages) - (x->messages < y->messages);
}

/* Changes of a queue by one of its ends, which sends so many messages at once or takes them (below 0): executions send and receive
 * in their order. Returns how many. */
static size_t find_changes(const struct weir_schedule *s, uint32_t op, int64_t each, struct weir_schedule_level *list)
{
    int64_t latest = s->begin;
    size_t used = 0;
    for (size_t i = s->first[op]; i < s->first[op + 1]; i++) {
        const struct weir_execution *e = &s->executions[i];
        int64_t time = each > 0 ? e->sent : e->received;
        latest = time > latest ? time : latest;
        if (latest > s->end)
            break;
        list[used++] = (struct weir_schedule_level){latest, each * e->messages};
    }
    return used;
}

enum weir_status weir_schedule_levels(const struct weir_schedule *s, struct weir_queue queue, struct weir_schedule_level **levels,
                                      size_t *count, struct weir_error *error)
{
    struct weir_queue_spec q = weir_pipeline_queue(s->pipeline, queue);
    size_t froms = s->first[q.from.index + 1] - s->first[q.from.index], tos = s->first[q.to.index + 1] - s->first[q.to.index];
    struct weir_schedule_level *list = weir_array(froms + tos + 1, sizeof *list);
    *levels = list;
    *count = 0;
    if (!list)
        return weir_fail_memory(error);
    int64_t batch = q.consume > 1 ? q.consume : 1;
    list[0] = (struct weir_schedule_level){s->begin, q.initial + s->finished[q.from.index] - batch * s->finished[q.to.index]};
    size_t used = 1 + find_changes(s, q.from.index, 1, list + 1);
    used += find_changes(s, q.to.index, -batch, list + used);
    qsort(list + 1, used - 1, sizeof *list, by_time);
    size_t kept = 1;
    for (size_t i = 1; i < used; i++) {
        int64_t messages = list[kept - 1].messages + list[i].messages;
        if (list[i].time == list[kept - 1].time)
            list[kept - 1].messages = messages;
        else
            list[kept++] = (struct weir_schedule_level){list[i].time, messages};
    }
    *count = kept;
    return WEIR_OK;
}
