/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, and messages that are taken several at a time, not waited for, replaced or lost. Without periods the order of
 * executions still does not depend on times (docs/concepts/workers.md, section 6), but which execution a message comes from has to
 * be followed: a latency is that of the data.
 *
 * A message has an entry for each segment: each connection that does not wait or loses messages, over which its data came last; the
 * first entry is for data that came over none. An entry says which executions of `from` the data are of, the oldest and the newest,
 * as places in the order of all executions, and which execution of the operator at the head of the segment brought them (`lead`):
 * of data that meet, the newest of a segment counts, and every segment counts. What lies between two places took the sum of its
 * times.
 *
 * The order is walked until a round ends as an earlier one did, messages and what they carry included, with places and their times
 * counted from the end; from there on everything repeats. As many executions ago need not be as long ago: before the repetition
 * others may have been among them.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"
#include "model/dispatch.h"

#include <string.h>

#define PLACES_MAX ((size_t)1 << 22)
#define MESSAGES_MAX 4096 /* in one queue */

struct entry {
    int64_t lead, oldest, newest; /* -1: none */
};

struct line {
    struct entry *entries; /* of each message `segments`; the first message first */
    size_t count, capacity;
    uint32_t segment; /* 0: none of its own */
};

struct flow {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    const struct weir_chain_spec *chain;
    struct weir_links in, out;
    uint32_t *order;
    struct line *lines;  /* by queue; of one that keeps the latest message: that; of a port that several send to: the first */
    uint32_t *line_of;   /* by queue */
    uint32_t *leader;    /* by segment: whose executions lead it */
    int64_t *executions; /* by operator, so far */
    struct entry *mine, *gathered;
    size_t segments;
    int64_t *worst, *best; /* by place: all that was executed before it */
    size_t places, worst_capacity, best_capacity;
    int64_t *earlier; /* a state: see below */
    size_t state_count, earlier_count, earlier_capacity;
    int64_t bounds[2];
    bool told, out_of_memory;
    uint64_t work, work_limit;
    const char *why;   /* NULL: nothing stands in the way */
    uint32_t why_name; /* an operator */
};

static const struct entry nothing = {-1, -1, -1};

static bool keeps_latest(const struct weir_queue_spec *q)
{
    return q->latest;
}

static bool can_be_full(const struct weir_queue_spec *q)
{
    return !keeps_latest(q) && !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
}

static size_t batch_of(const struct weir_queue_spec *q)
{
    return q->consume > 1 ? q->consume : 1;
}

/* ---- what messages carry ---- */

static void join(struct entry *into, const struct entry *other)
{
    into->lead = other->lead > into->lead ? other->lead : into->lead;
    if (other->oldest >= 0 && (into->oldest < 0 || other->oldest < into->oldest))
        into->oldest = other->oldest;
    into->newest = other->newest > into->newest ? other->newest : into->newest;
}

static void clear(const struct flow *f, struct entry *entries)
{
    for (size_t k = 0; k < f->segments; k++)
        entries[k] = nothing;
}

static void pop(const struct flow *f, struct line *line, size_t messages)
{
    line->count -= messages;
    memmove(line->entries, line->entries + messages * f->segments, line->count * f->segments * sizeof *line->entries);
}

static void push(struct flow *f, struct line *line, const struct entry *message)
{
    if (line->count >= MESSAGES_MAX)
        f->why = "messages pile up in a queue to \"%s\"";
    if (f->why || !weir_reserve(&line->entries, &line->capacity, (line->count + 1) * f->segments, sizeof *line->entries)) {
        f->out_of_memory |= !f->why;
        return;
    }
    memcpy(line->entries + line->count++ * f->segments, message, f->segments * sizeof *message);
}

/* All that the message brings over its connection, as one entry; NULL: no message. */
static void take_segment(struct flow *f, uint32_t segment, const struct entry *message, int64_t execution)
{
    struct entry all = nothing;
    for (size_t k = 0; message && k < f->segments; k++)
        join(&all, &message[k]);
    all.lead = execution;
    f->mine[segment] = all;
}

static void take_plain(struct flow *f, struct line *line, size_t messages)
{
    clear(f, f->gathered);
    for (size_t i = 0; i < messages; i++)
        for (size_t k = 0; k < f->segments; k++)
            join(&f->gathered[k], &line->entries[i * f->segments + k]);
    pop(f, line, messages);
    for (size_t k = 0; k < f->segments; k++) {
        if (f->gathered[k].lead > f->mine[k].lead)
            f->mine[k] = f->gathered[k];
        else if (f->gathered[k].lead == f->mine[k].lead)
            join(&f->mine[k], &f->gathered[k]);
    }
}

/* ---- an execution ---- */

static bool is_ready(const struct flow *f, uint32_t op)
{
    const struct weir_queue_spec *queues = f->pipeline->queues;
    for (uint32_t i = f->in.first[op]; i < f->in.first[op + 1]; i++) {
        const struct weir_queue_spec *q = &queues[f->in.queue[i]];
        if (!keeps_latest(q) && !q->optional && f->lines[f->line_of[f->in.queue[i]]].count < batch_of(q))
            return false;
    }
    for (uint32_t i = f->out.first[op]; i < f->out.first[op + 1]; i++)
        if (can_be_full(&queues[f->out.queue[i]]) &&
            f->lines[f->line_of[f->out.queue[i]]].count >= queues[f->out.queue[i]].capacity)
            return false;
    return true;
}

static void receive(struct flow *f, uint32_t op)
{
    int64_t execution = f->executions[op];
    clear(f, f->mine);
    for (uint32_t i = f->in.first[op]; i < f->in.first[op + 1]; i++) {
        const struct weir_queue_spec *q = &f->pipeline->queues[f->in.queue[i]];
        struct line *line = &f->lines[f->in.queue[i]];
        if (f->line_of[f->in.queue[i]] != f->in.queue[i])
            continue;
        if (!line->segment) {
            take_plain(f, line, batch_of(q));
            continue;
        }
        take_segment(f, line->segment, line->count ? line->entries : NULL, execution);
        if (line->count && !keeps_latest(q))
            pop(f, line, 1);
    }
    if (op == f->chain->from.index) {
        clear(f, f->mine);
        f->mine[0] = (struct entry){execution, (int64_t)f->places, (int64_t)f->places};
    }
    f->executions[op]++;
}

static void send(struct flow *f, uint32_t op)
{
    for (uint32_t i = f->out.first[op]; i < f->out.first[op + 1] && !f->why && !f->out_of_memory; i++) {
        const struct weir_queue_spec *q = &f->pipeline->queues[f->out.queue[i]];
        struct line *line = &f->lines[f->line_of[f->out.queue[i]]];
        bool lossy = q->nonblocking && q->full != WEIR_FULL_NEVER && !keeps_latest(q);
        if (keeps_latest(q))
            line->count = 0;
        f->why_name = q->to.index;
        if (lossy && line->count >= q->capacity) {
            if (q->full == WEIR_FULL_FAULT)
                f->why = "a message finds the queue to \"%s\" full: the application fails";
            if (q->full == WEIR_FULL_REJECT)
                continue;
            pop(f, line, 1);
        }
        push(f, line, f->mine);
    }
}

static void tell(struct flow *f)
{
    struct entry all = nothing;
    for (size_t k = 0; k < f->segments; k++)
        join(&all, &f->mine[k]);
    if (all.oldest < 0)
        return;
    int64_t worst = f->worst[f->places] - f->worst[all.oldest], best = f->best[f->places] - f->best[all.newest];
    f->bounds[0] = f->told && f->bounds[0] > worst ? f->bounds[0] : worst;
    f->bounds[1] = f->told && f->bounds[1] < best ? f->bounds[1] : best;
    f->told = true;
}

static void execute(struct flow *f, uint32_t op)
{
    const struct weir_operator_spec *spec = &f->pipeline->operators[op];
    if (f->places + 2 > PLACES_MAX) {
        f->why = "the work limit was reached before the order of execution repeated itself";
        return;
    }
    if (!weir_reserve(&f->worst, &f->worst_capacity, f->places + 2, sizeof *f->worst) ||
        !weir_reserve(&f->best, &f->best_capacity, f->places + 2, sizeof *f->best)) {
        f->out_of_memory = true;
        return;
    }
    receive(f, op);
    f->worst[f->places + 1] = f->worst[f->places] + spec->worst;
    f->best[f->places + 1] = f->best[f->places] + (spec->best > spec->receive_min ? spec->best : spec->receive_min);
    f->places++;
    if (f->worst[f->places] >= WEIR_TIME_MAX)
        f->why = "the times add up to more than can be represented; use a coarser unit";
    if (op == f->chain->to.index)
        tell(f);
    send(f, op);
}

/* ---- repetition ---- */

/* A state: of each queue the number of messages, and so many numbers of each entry that they carry, counted from the end. */
enum { NUMBERS = 5 };

static int64_t ago(int64_t now, int64_t place)
{
    return place < 0 ? -1 : now - place;
}

static void describe(const struct flow *f, const struct entry *e, size_t segment, int64_t numbers[NUMBERS])
{
    numbers[0] = ago(f->executions[f->leader[segment]], e->lead);
    numbers[1] = ago((int64_t)f->places, e->oldest);
    numbers[2] = ago((int64_t)f->places, e->newest);
    numbers[3] = e->oldest < 0 ? -1 : f->worst[f->places] - f->worst[e->oldest];
    numbers[4] = e->newest < 0 ? -1 : f->best[f->places] - f->best[e->newest];
}

static void count_state(struct flow *f)
{
    f->state_count = f->pipeline->queue_count;
    for (size_t i = 0; i < f->pipeline->queue_count; i++)
        f->state_count += f->lines[i].count * f->segments * NUMBERS;
}

/* Most states differ in their first numbers from the earlier one, so that it is not worth while to write them down first. */
static bool is_as_earlier(const struct flow *f)
{
    const int64_t *earlier = f->earlier;
    if (f->state_count != f->earlier_count)
        return false;
    for (size_t i = 0; i < f->pipeline->queue_count; i++) {
        const struct entry *e = f->lines[i].entries;
        if (*earlier++ != (int64_t)f->lines[i].count)
            return false;
        for (size_t n = 0; n < f->lines[i].count; n++)
            for (size_t k = 0; k < f->segments; k++, e++, earlier += NUMBERS) {
                int64_t numbers[NUMBERS];
                describe(f, e, k, numbers);
                if (memcmp(numbers, earlier, sizeof numbers) != 0)
                    return false;
            }
    }
    return true;
}

static void keep_state(struct flow *f)
{
    if (!weir_reserve(&f->earlier, &f->earlier_capacity, f->state_count, sizeof *f->earlier)) {
        f->out_of_memory = true;
        return;
    }
    int64_t *earlier = f->earlier;
    for (size_t i = 0; i < f->pipeline->queue_count; i++) {
        const struct entry *e = f->lines[i].entries;
        *earlier++ = (int64_t)f->lines[i].count;
        for (size_t n = 0; n < f->lines[i].count; n++)
            for (size_t k = 0; k < f->segments; k++, e++, earlier += NUMBERS)
                describe(f, e, k, earlier);
    }
    f->earlier_count = f->state_count;
}

static void walk(struct flow *f)
{
    uint64_t next = 1;
    count_state(f);
    keep_state(f);
    for (uint64_t round = 1; !f->out_of_memory; round++) {
        size_t before = f->places;
        for (uint32_t i = 0; i < f->pipeline->operator_count && !f->why && !f->out_of_memory; i++)
            if (is_ready(f, f->order[i]))
                execute(f, f->order[i]);
        f->work += (f->places - before) * f->segments + f->pipeline->operator_count + f->pipeline->queue_count + f->state_count;
        if (!f->why && f->places == before)
            f->why = "no operator is ready any more: the application comes to a standstill";
        if (!f->why && f->work > f->work_limit)
            f->why = "the work limit was reached before the order of execution repeated itself";
        if (f->why || f->out_of_memory)
            return;
        count_state(f);
        if (is_as_earlier(f))
            return;
        if (round == next) {
            keep_state(f);
            next = 2 * round;
        }
    }
}

/* ---- all of it ---- */

static bool begin(struct flow *f)
{
    const struct weir_pipeline *p = f->pipeline;
    f->segments = 1;
    f->order = weir_arena_array(&f->arena, p->operator_count, sizeof *f->order);
    f->lines = weir_arena_array(&f->arena, p->queue_count, sizeof *f->lines);
    f->line_of = weir_arena_array(&f->arena, p->queue_count, sizeof *f->line_of);
    f->leader = weir_arena_array(&f->arena, p->queue_count + 1, sizeof *f->leader);
    f->executions = weir_arena_array(&f->arena, p->operator_count, sizeof *f->executions);
    if (f->arena.failed || !weir_dispatch_order(p, f->order) || !weir_links_make(&f->in, p, WEIR_LINKS_IN, &f->arena) ||
        !weir_links_make(&f->out, p, WEIR_LINKS_OUT, &f->arena))
        return false;
    f->leader[0] = f->chain->from.index;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        f->line_of[i] = weir_pipeline_port(p, i);
        f->lines[i].segment = weir_queue_is_cut(&p->queues[i]) ? (uint32_t)f->segments : 0;
        if (f->lines[i].segment)
            f->leader[f->segments++] = p->queues[i].to.index;
    }
    f->mine = weir_arena_array(&f->arena, f->segments, sizeof *f->mine);
    f->gathered = weir_arena_array(&f->arena, f->segments, sizeof *f->gathered);
    if (f->arena.failed || !weir_reserve(&f->worst, &f->worst_capacity, 1, sizeof *f->worst) ||
        !weir_reserve(&f->best, &f->best_capacity, 1, sizeof *f->best))
        return false;
    f->worst[0] = f->best[0] = 0;
    clear(f, f->mine);
    for (uint32_t i = 0; i < p->queue_count && !f->out_of_memory && !f->why; i++)
        for (uint32_t k = 0; k < p->queues[i].initial && !keeps_latest(&p->queues[i]) && !f->out_of_memory && !f->why; k++) {
            f->why_name = p->queues[i].to.index;
            push(f, &f->lines[i], f->mine);
        }
    return !f->out_of_memory;
}

enum weir_status weir_greedy_flow(const struct weir_pipeline *p, uint32_t chain, uint64_t work_limit, int64_t bounds[2],
                                  char why[WEIR_WORKERS_WHY], struct weir_error *error)
{
    struct flow f = {.pipeline = p, .chain = &p->chains[chain], .work_limit = work_limit};
    char name[WEIR_QUOTED];
    if (p->shift_given && p->shift_given[chain])
        f.why = "the latency has an offset, which has no meaning for the data of messages that are not taken one by one";
    else if (!begin(&f))
        f.out_of_memory = true;
    if (!f.why && !f.out_of_memory)
        walk(&f);
    if (!f.why && !f.told)
        f.why = "none of its data reaches \"%s\"", f.why_name = f.chain->to.index;
    *why = '\0';
    if (f.why) {
        const char *quote = strstr(f.why, "\"%s\"");
        if (quote)
            snprintf(why, WEIR_WORKERS_WHY, "%.*s\"%s\"%s", (int)(quote - f.why), f.why,
                     weir_quote(p->operators[f.why_name].name, name), quote + 4);
        else
            snprintf(why, WEIR_WORKERS_WHY, "%s", f.why);
    }
    bounds[0] = f.bounds[0];
    bounds[1] = f.bounds[1];
    for (size_t i = 0; f.lines && i < p->queue_count; i++)
        weir_free(f.lines[i].entries);
    weir_free(f.worst);
    weir_free(f.best);
    weir_free(f.earlier);
    weir_arena_free(&f.arena);
    return f.out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}
