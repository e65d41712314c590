/* SPDX-License-Identifier: Apache-2.0 */
/* One thread that goes round, played until everything is as it was before. */
#include "check/workers/rounds.h"

#include "base/error.h"
#include "base/number.h"
#include "check/workers/rounds_inside.h"
#include "model/dispatch.h"

#include <string.h>

void weir_rounds_see(struct weir_rounds *r, int64_t worst, int64_t best)
{
    r->worst = r->any && r->worst > worst ? r->worst : worst;
    r->best = r->any && r->best < best ? r->best : best;
    r->any = true;
}

/* ---- iterations, where each message is that of one ---- */

static void push_back(struct weir_rounds *r, struct weir_deque *d)
{
    if (d->first > d->count) { /* more than half of it is past */
        memmove(d->items, d->items + d->first, d->count * sizeof *d->items);
        d->first = 0;
    }
    if (weir_reserve(&d->items, &d->capacity, d->first + d->count + 1, sizeof *d->items))
        d->items[d->first + d->count++] = r->now;
    else
        r->out_of_memory = true;
}

static struct weir_instant pop_front(struct weir_deque *d)
{
    d->count--;
    return d->items[d->first++];
}

/* Iteration i of `from` begins; its end, iteration i + shift of `to`, may have been. */
static void begin_iteration(struct weir_rounds *r)
{
    if (r->skip_starts > 0) {
        r->skip_starts--;
    } else if (r->ended.count) {
        struct weir_instant end = pop_front(&r->ended); /* the longer it took since, the earlier that was */
        weir_rounds_see(r, end.best - r->now.best, end.worst - r->now.worst);
    } else {
        push_back(r, &r->begun);
    }
}

static void end_iteration(struct weir_rounds *r)
{
    if (r->skip_finishes > 0) {
        r->skip_finishes--;
    } else if (r->begun.count) {
        struct weir_instant begin = pop_front(&r->begun);
        weir_rounds_see(r, r->now.worst - begin.worst, r->now.best - begin.best);
    } else {
        push_back(r, &r->ended);
    }
}

/* ---- an execution ---- */

static bool has_room(const struct weir_queue_spec *q, const struct weir_round_queue *buffer)
{
    bool waits = !q->latest && !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
    return !waits || buffer->count < q->capacity;
}

static bool is_ready(const struct weir_rounds *r, uint32_t op)
{
    const struct weir_queue_spec *queues = r->pipeline->queues;
    for (uint32_t i = r->in.first[op]; i < r->in.first[op + 1]; i++) {
        const struct weir_queue_spec *q = &queues[r->in.queue[i]];
        size_t wanted = q->latest || q->optional ? 0 : q->consume > 1 ? q->consume : 1;
        if (r->buffers[r->buffer_of[r->in.queue[i]]].count < wanted)
            return false;
    }
    for (uint32_t i = r->out.first[op]; i < r->out.first[op + 1]; i++)
        if (!has_room(&queues[r->out.queue[i]], &r->buffers[r->buffer_of[r->out.queue[i]]]))
            return false;
    return true;
}

static void send(struct weir_rounds *r, uint32_t queue)
{
    const struct weir_queue_spec *q = &r->pipeline->queues[queue];
    struct weir_round_queue *buffer = &r->buffers[r->buffer_of[queue]];
    enum weir_full full = q->port && q->full == WEIR_FULL_NEVER ? WEIR_FULL_FAULT : q->full;
    if (q->latest) {
        buffer->count = 0;
    } else if (full != WEIR_FULL_NEVER && buffer->count >= q->capacity) {
        r->failed |= full == WEIR_FULL_FAULT;
        if (full == WEIR_FULL_REJECT)
            return;
        weir_rounds_pop(r, buffer);
    }
    weir_rounds_push(r, buffer);
}

static void execute(struct weir_rounds *r, uint32_t op)
{
    const struct weir_operator_spec *spec = &r->pipeline->operators[op];
    weir_rounds_take(r, op);
    if (!r->by_data && op == r->chain->from.index)
        begin_iteration(r);
    r->now.worst += spec->worst > spec->receive_max ? spec->worst : spec->receive_max;
    r->now.best += spec->best > spec->receive_min ? spec->best : spec->receive_min;
    if (op == r->chain->to.index && r->by_data)
        weir_rounds_measure(r);
    else if (op == r->chain->to.index)
        end_iteration(r);
    for (uint32_t i = r->out.first[op]; i < r->out.first[op + 1] && !r->out_of_memory; i++)
        send(r, r->out.queue[i]);
    r->work += r->segment_count;
}

/* ---- until it is as it was ---- */

struct state {
    int64_t *numbers;
    size_t count, capacity;
};

static bool note(void *context, int64_t number)
{
    struct state *s = context;
    if (!weir_reserve(&s->numbers, &s->capacity, s->count + 1, sizeof *s->numbers))
        return false;
    s->numbers[s->count++] = number;
    return true;
}

static bool note_deque(const struct weir_rounds *r, const struct weir_deque *d, struct state *s)
{
    bool good = note(s, (int64_t)d->count);
    for (size_t i = d->first; good && i < d->first + d->count; i++)
        good = note(s, r->now.worst - d->items[i].worst) && note(s, r->now.best - d->items[i].best);
    return good;
}

static bool note_state(const struct weir_rounds *r, struct state *s)
{
    bool good = true;
    s->count = 0;
    for (size_t i = 0; good && i < r->pipeline->queue_count; i++)
        good = note(s, (int64_t)r->buffers[i].count);
    if (r->by_data)
        return good && weir_rounds_note_data(r, note, s);
    return good && note(s, r->skip_starts) && note(s, r->skip_finishes) && note_deque(r, &r->begun, s) &&
           note_deque(r, &r->ended, s);
}

static bool is_same(const struct state *a, const struct state *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0);
}

/* Compared with the state after 1, 2, 4, 8 ... rounds. True: it was the same. */
static bool play(struct weir_rounds *r, struct state *now, struct state *earlier)
{
    r->out_of_memory = !note_state(r, earlier);
    for (uint64_t round = 1, next = 1; !r->out_of_memory && !r->failed && r->work <= r->limit; round++) {
        for (uint32_t i = 0; i < r->pipeline->operator_count && !r->failed && !r->out_of_memory; i++)
            if (is_ready(r, r->order[i]))
                execute(r, r->order[i]);
        r->out_of_memory = r->out_of_memory || !note_state(r, now);
        r->work += r->pipeline->operator_count + r->pipeline->queue_count + now->count;
        if (r->out_of_memory || r->failed || r->now.worst >= WEIR_TIME_MAX)
            return false;
        if (is_same(now, earlier))
            return true;
        if (round == next) {
            struct state swap = *earlier;
            *earlier = *now;
            *now = swap;
            next = 2 * round;
        }
    }
    return false;
}

/* ---- */

static bool begin(struct weir_rounds *r)
{
    const struct weir_pipeline *p = r->pipeline;
    r->order = weir_arena_array(&r->arena, p->operator_count, sizeof *r->order);
    r->buffers = weir_arena_array(&r->arena, p->queue_count, sizeof *r->buffers);
    r->buffer_of = weir_arena_array(&r->arena, p->queue_count, sizeof *r->buffer_of);
    if (r->arena.failed || !weir_dispatch_order(p, r->order) || !weir_links_make(&r->in, p, WEIR_LINKS_IN, &r->arena) ||
        !weir_links_make(&r->out, p, WEIR_LINKS_OUT, &r->arena))
        return false;
    for (uint32_t i = 0; i < p->queue_count; i++)
        r->buffer_of[i] = weir_pipeline_port(p, i);
    if (!weir_rounds_lay_legs(r))
        return false;
    for (uint32_t k = 0; k < r->segment_count; k++)
        r->mine[k] = (struct weir_rounds_part){-1, -1};
    for (uint32_t i = 0; i < p->queue_count; i++)
        for (uint32_t n = p->queues[i].initial; n > 0 && r->work <= r->limit; n--) {
            weir_rounds_push(r, &r->buffers[i]);
            r->work += r->segment_count;
            if (r->out_of_memory)
                return false;
        }
    return true;
}

static void end(struct weir_rounds *r)
{
    for (size_t i = 0; r->buffers && i < r->pipeline->queue_count; i++)
        weir_free(r->buffers[i].held);
    for (uint32_t k = 0; r->segments && k < r->segment_count; k++)
        weir_free(r->segments[k].data);
    weir_free(r->begun.items);
    weir_free(r->ended.items);
    weir_arena_free(&r->arena);
}

/* Whether this is the model that the play is about. */
static bool applies(const struct weir_pipeline *p)
{
    bool good = p->workers.dispatch == WEIR_DISPATCH_GREEDY && p->source_count == 0 && p->lane_count == 0;
    for (size_t i = 0; i < p->operator_count; i++)
        good &= !p->operators[i].launch && !p->operators[i].reentrant;
    for (size_t i = 0; i < p->queue_count; i++)
        good &= p->queues[i].transfer_max == 0;
    return good;
}

static bool is_by_data(const struct weir_pipeline *p)
{
    bool by_data = p->firings != NULL;
    for (size_t i = 0; i < p->queue_count; i++)
        by_data |= p->queues[i].consume > 1 || weir_queue_is_cut(&p->queues[i]);
    return by_data;
}

enum weir_status weir_rounds_check(const struct weir_rounds_claim *claim, enum weir_checked *checked)
{
    const struct weir_pipeline *p = claim->pipeline;
    struct weir_rounds r = {.pipeline = p, .chain = &p->chains[claim->chain], .limit = claim->work};
    struct state now = {0}, earlier = {0};
    *checked = WEIR_CHECKED_OPEN;
    r.by_data = is_by_data(p);
    if (!applies(p) || (r.by_data && p->shift_given && p->shift_given[claim->chain]))
        return WEIR_OK;
    r.skip_starts = r.chain->shift < 0 ? -r.chain->shift : 0;
    r.skip_finishes = r.chain->shift > 0 ? r.chain->shift : 0;
    bool good = begin(&r), same = good && play(&r, &now, &earlier);
    if (same)
        *checked = r.any && r.worst == claim->worst && r.best == claim->best ? WEIR_CHECKED_HOLDS : WEIR_CHECKED_FAILS;
    else if (r.failed || (r.any && (r.worst > claim->worst || r.best < claim->best)))
        *checked = WEIR_CHECKED_FAILS;
    weir_free(now.numbers);
    weir_free(earlier.numbers);
    end(&r);
    return good && !r.out_of_memory ? WEIR_OK : WEIR_MEMORY;
}
