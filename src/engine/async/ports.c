/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that several operators send to: how long messages wait there, and producers for room (docs/concepts/async.md, section 8).
 */
#include "base/error.h"
#include "check/async/async.h"
#include "engine/async/async.h"

/* What stands in the way of looking at the consumer of a port as if there always were messages; NULL: nothing does. */
static const char *find_ties(const struct weir_sampler *s, const struct weir_cut *cut)
{
    const struct weir_pipeline *p = s->pipeline;
    uint32_t part = s->part_of[cut->to];
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const struct weir_cut *other = &s->cuts[i];
        bool ties = other->kind == WEIR_CUT_ROOM    ? s->part_of[other->from] == part
                    : other->kind == WEIR_CUT_LOSSY ? s->part_of[other->to] == part
                                                    : false;
        if (ties && other->port != cut->port && !other->joined && !weir_cut_is_plain(other))
            return "more connections that do not wait at those that take the messages";
        if (other->shared && s->part_of[other->from] == part && !p->queues[other->queue].nonblocking)
            return "those that take the messages waiting for room in such a port as well";
    }
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (s->part_of[o] == part && (p->operators[o].launch || p->operators[o].reentrant || (p->phases && p->phases[o].unknown)))
            return "reentrant operators, work on a GPU or unknown phases at those that take the messages";
    return NULL;
}

/* ... of saying how long a producer waits for room. */
static const char *find_obstacle(const struct weir_sampler *s, const struct weir_cut *cut)
{
    const struct weir_pipeline *p = s->pipeline;
    const char *why = NULL;
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const struct weir_cut *other = &s->cuts[i];
        const struct weir_operator_spec *from = &p->operators[other->from];
        bool waits = !p->queues[other->queue].nonblocking, ours = other->shared && other->port == cut->port;
        if (ours && from->reentrant)
            why = "others that are reentrant";
        if (!ours && other->shared && other->from == cut->from && waits)
            why = "another such port that it waits for as well";
    }
    return why ? why : find_ties(s, cut);
}

/* Messages that an operator can send in a closed interval of that length: its executions take a time, and its starts are apart. How
 * long after its start one sends that waits for work on a GPU is not looked at. WEIR_FAR: any number. */
static int64_t most_sent(const struct weir_pipeline *p, uint32_t op, int64_t time)
{
    const struct weir_operator_spec *spec = &p->operators[op];
    int64_t busy = spec->worst > spec->receive_max ? spec->worst : spec->receive_max, most = WEIR_FAR;
    if (spec->best > 0 && !spec->reentrant)
        most = time / spec->best + 1;
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *source = &p->sources[i];
        bool apart = source->arrivals == WEIR_ARRIVALS_AT_MOST || source->arrivals == WEIR_ARRIVALS_SKIP;
        if (source->op.index != op || !apart || spec->reentrant || (spec->launch && spec->launch->waits))
            continue;
        int64_t counted = time + busy - spec->best + weir_pipeline_lateness(p, op).early;
        int64_t starts = counted / source->period + (source->arrivals == WEIR_ARRIVALS_SKIP ? 2 : 1);
        most = starts < most ? starts : most;
    }
    return most;
}

enum { HOPS_MAX = 8 }; /* from an operator back to one that sends rarely */

/* ... that each can while the producer of the cut waits, which sends nothing. Of messages that an operator waits for, it handles
 * those that are in the queue, those that come, and that of the execution which is under way. */
static void count_sent(const struct weir_sampler *s, const struct weir_cut *cut, int64_t time, int64_t *most)
{
    const struct weir_pipeline *p = s->pipeline;
    for (uint32_t o = 0; o < p->operator_count; o++)
        most[o] = o == cut->from ? 0 : most_sent(p, o, time);
    for (int hop = 0; hop < HOPS_MAX; hop++)
        for (size_t i = 0; i < p->queue_count; i++) {
            const struct weir_queue_spec *q = &p->queues[i];
            uint32_t from = q->from.index, to = q->to.index;
            bool limited = weir_queue_waits(q) && !q->transfer_max && (!q->nonblocking || q->full != WEIR_FULL_NEVER);
            if (!limited || q->capacity == WEIR_UNBOUNDED || most[from] == WEIR_FAR || p->operators[to].reentrant)
                continue;
            if (most[from] + q->capacity + 1 < most[to])
                most[to] = most[from] + q->capacity + 1;
        }
}

/* ... that all others which send to the port can. A single one that waits for room, and takes some time, sends what it is at work
 * on and no more: when there is room for it, the producer of the cut starts as well. */
static enum weir_status others_send(const struct weir_sampler *s, const struct weir_cut *cut, int64_t time, int64_t *sum)
{
    const struct weir_pipeline *p = s->pipeline;
    int64_t others = 0, *most = weir_array(p->operator_count, sizeof *most);
    bool waits = true;
    if (!most)
        return weir_fail_memory(s->error);
    *sum = 0;
    count_sent(s, cut, time, most);
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const struct weir_cut *other = &s->cuts[i];
        if (other == cut || !other->shared || other->port != cut->port)
            continue;
        const struct weir_operator_spec *from = &p->operators[other->from];
        others++;
        waits &= !p->queues[other->queue].nonblocking && from->best > 0 && !from->launch;
        *sum = most[other->from] >= WEIR_FAR - *sum ? WEIR_FAR : *sum + most[other->from];
    }
    *sum = waits && others == 1 && !p->lateness ? 1 : *sum;
    weir_free(most);
    return WEIR_OK;
}

/* The part of the consumer of a port as if there always were messages: it is not held back by the port itself, and whatever held it
 * back before is no reason to take longer (docs/concepts/async.md, section 8). */
static enum weir_status free_consumer(struct weir_sampler *s, const struct weir_cut *cut, struct weir_async_part *part)
{
    *part = (struct weir_async_part){.pure = true};
    return weir_async_make_free(s, s->part_of[cut->to], part);
}

/* How long it takes for so many messages, and for so many from the beginning, if there are. */
static enum weir_status take_from(struct weir_sampler *s, const struct weir_cut *cut, struct weir_async_part *part, int64_t count,
                                  struct weir_known takes[2])
{
    struct weir_event start = weir_async_taken(s, cut);
    struct weir_span span = {.from = start, .to = start, .via = WEIR_NO_INDEX, .later = count};
    enum weir_status status = weir_async_span(s, part, &span, &takes[0]);
    takes[1] = (struct weir_known){0};
    if (!status && takes[0].known)
        status = weir_async_beginning(s, part, start, count - 1, &takes[1]);
    return status;
}

static enum weir_status take_messages(struct weir_sampler *s, const struct weir_cut *cut, int64_t count, struct weir_known *known,
                                      struct weir_known *first)
{
    struct weir_async_part part;
    struct weir_known takes[2] = {{0}};
    enum weir_status status = free_consumer(s, cut, &part);
    if (!status)
        status = take_from(s, cut, &part, count, takes);
    *known = takes[0];
    *first = takes[1];
    weir_async_free_part(&part);
    return status;
}

enum { PLACES_MAX = 24 }; /* that others may take while one waits */

/* So many messages are taken that the others cannot have sent as many: there is room then. */
static enum weir_status outlast(struct weir_sampler *s, const struct weir_cut *cut, struct weir_async_part *part,
                                struct weir_port_room_claim *claim, bool *found)
{
    enum weir_status status = WEIR_OK;
    for (*found = false; claim->taken < PLACES_MAX && !*found && !status;) {
        struct weir_known takes[2];
        int64_t sent = 0;
        status = take_from(s, cut, part, ++claim->taken, takes);
        if (status || !takes[0].known || !takes[1].known)
            break;
        weir_known_raise(&takes[0], &takes[1]);
        claim->takes = takes[0].value;
        status = others_send(s, cut, weir_room_wait(claim), &sent);
        *found = !status && sent < claim->taken;
    }
    return status;
}

/* Where operators share threads, others may take a place before its producer has a thread: as often as they send. */
static enum weir_status endure(struct weir_sampler *s, const struct weir_cut *cut, struct weir_async_part *part,
                               struct weir_port_room_claim *claim, bool *found)
{
    struct weir_known takes[2];
    enum weir_status status = take_from(s, cut, part, 1, takes);
    *found = false;
    if (status || !takes[0].known || !takes[1].known)
        return status;
    weir_known_raise(&takes[0], &takes[1]);
    claim->takes = takes[0].value;
    while (claim->taken < PLACES_MAX && !*found && !status) {
        int64_t sent = 0;
        claim->taken++;
        status = others_send(s, cut, weir_room_wait(claim), &sent);
        *found = !status && sent < claim->taken;
    }
    return status;
}

static enum weir_status find_room(struct weir_sampler *s, const struct weir_cut *cut, struct weir_known *wait)
{
    struct weir_async_part part;
    struct weir_port_room_claim claim = {.pipeline = s->pipeline, .queue = cut->queue};
    bool found = false;
    enum weir_status status = free_consumer(s, cut, &part);
    if (!status)
        status = (s->pipeline->lateness ? endure : outlast)(s, cut, &part, &claim, &found);
    weir_async_free_part(&part);
    *wait = (struct weir_known){.known = found, .value = found ? weir_room_wait(&claim) : 0};
    if (status || !found || !s->options->verify)
        return status;
    if (weir_room_check(&claim, &found))
        return weir_fail_memory(s->error);
    return found ? WEIR_OK : weir_fail(s->error, WEIR_INTERNAL, "verification failed: others can send more messages than claimed");
}

enum weir_status weir_async_room_wait(struct weir_sampler *s, const struct weir_cut *cut, struct weir_known *wait)
{
    const char *why = find_obstacle(s, cut);
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    *wait = (struct weir_known){0};
    enum weir_status status = why ? WEIR_OK : find_room(s, cut, wait);
    if (status || wait->known)
        return status;
    snprintf(s->why, sizeof s->why,
             "\"%s\" waits for room in a port of \"%s\" that others send to as well: no bound is known for that with %s",
             weir_quote(s->pipeline->operators[cut->from].name, from), weir_quote(s->pipeline->operators[cut->to].name, to),
             why ? why : "others that may send as fast as messages are taken");
    return WEIR_OK;
}

enum weir_status weir_async_port_takes(struct weir_sampler *s, const struct weir_cut *cut, struct weir_known *spacing,
                                       struct weir_known *first)
{
    *spacing = *first = (struct weir_known){0};
    return find_ties(s, cut) ? WEIR_OK : take_messages(s, cut, 1, spacing, first);
}

enum weir_status weir_async_port_wait(struct weir_sampler *s, struct weir_cut *cut, struct weir_known *known)
{
    enum weir_status status = WEIR_OK;
    *known = (struct weir_known){0};
    if (!cut->shared || find_ties(s, cut))
        return WEIR_OK;
    if (!cut->waited) {
        struct weir_known first;
        status = take_messages(s, cut, cut->limit, &cut->wait, &first);
        weir_known_raise(&cut->wait, &first);
    }
    cut->waited = !status;
    *known = cut->wait;
    return status;
}
