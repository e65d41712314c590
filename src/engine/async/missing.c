/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions that are skipped for want of a message to read again (docs/concepts/async.md, section 12).
 *
 * What an operator sends that skips some is a *stream* of its own: an execution that is skipped takes no time, and so do those that
 * would have handled what it did not send. Where nothing else has to keep step with a stream, all that happens is an execution of
 * the part in which these take no time.
 */
#include "base/error.h"
#include "engine/async/async.h"

static const struct weir_queue_spec *queue_of(const struct weir_sampler *s, const struct weir_cut *cut)
{
    return &s->pipeline->queues[cut->queue];
}

/* ---- whether one is missing ---- */

/* Parts that have nothing to do with each other, nor with the rest, and in which nothing is skipped. */
static bool are_apart(const struct weir_sampler *s, const struct weir_cut *cut)
{
    const struct weir_async_part *from = &s->parts[s->part_of[cut->from]], *to = &s->parts[s->part_of[cut->to]];
    if (from == to || s->pipeline->lateness || from->why || to->why || !from->pure || !to->pure)
        return false;
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const struct weir_async_part *other = &s->parts[s->part_of[s->cuts[i].to]];
        if (&s->cuts[i] != cut && (other == from || other == to) && queue_of(s, &s->cuts[i])->missing)
            return false;
    }
    return true;
}

static bool begins_any_time(const struct weir_async_part *part)
{
    const struct weir_graph *g = part->pipeline->graph;
    return weir_graph_roots(g) == 1 && g->roots[0].unknown;
}

bool weir_async_meets_any_moment(const struct weir_sampler *s, const struct weir_cut *cut)
{
    return are_apart(s, cut) && begins_any_time(&s->parts[s->part_of[cut->to]]);
}

/* Both ends in one part: every execution waits for a message, or one is always sent before it starts. */
static enum weir_status is_always_there(struct weir_sampler *s, const struct weir_cut *cut, bool *there)
{
    struct weir_async_part *part = &s->parts[s->part_of[cut->to]];
    struct weir_event sent = weir_async_sent(cut), taken = weir_async_taken(s, cut);
    struct weir_span span = {.from = taken, .to = sent, .via = WEIR_NO_INDEX};
    struct weir_known known = {0};
    int64_t held;
    enum weir_status status = weir_async_holds(s, part, sent, taken.op.index, &held);
    *there = !status && held <= 0;
    if (!status && !*there && weir_async_is_whole(part))
        status = weir_async_span(s, part, &span, &known);
    *there |= !status && known.known && known.value < 0;
    return status;
}

/* Whether a start may find no message, because none has come yet. */
static enum weir_status find_missing(struct weir_sampler *s, const struct weir_cut *cut, enum weir_async_chance *missing)
{
    struct weir_async_part *from = &s->parts[s->part_of[cut->from]], *to = &s->parts[s->part_of[cut->to]];
    struct weir_known sent = {0}, started = {0};
    bool there = false;
    *missing = WEIR_CHANCE_MAYBE;
    if (from->why || to->why || s->levels[cut->from])
        return WEIR_OK;
    enum weir_status status = WEIR_OK;
    if (from == to) {
        status = is_always_there(s, cut, &there);
        *missing = there ? WEIR_CHANCE_NO : WEIR_CHANCE_MAYBE;
        return status;
    }
    if (s->pipeline->graph->unknown_roots) {
        if (are_apart(s, cut) && (begins_any_time(from) || begins_any_time(to)))
            *missing = WEIR_CHANCE_YES;
        return WEIR_OK;
    }
    status = weir_async_beginning(s, from, weir_async_sent(cut), 0, &sent);
    if (!status)
        status = weir_async_earliest(s, to, weir_async_taken(s, cut), &started);
    if (status || !sent.known || !started.known)
        return status;
    if (started.value > sent.value)
        *missing = WEIR_CHANCE_NO;
    else if (are_apart(s, cut))
        *missing = WEIR_CHANCE_YES;
    return WEIR_OK;
}

static bool is_looked_at(const struct weir_queue_spec *q)
{
    return q->latest && (q->has_within || q->missing);
}

enum weir_status weir_async_find_samples(struct weir_sampler *s, struct weir_async_queue *queues)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->cut_count && !status; i++) {
        enum weir_async_chance stale = queues[i].stale, missing = queues[i].missing;
        queues[i].age = -1;
        if (!is_looked_at(queue_of(s, &s->cuts[i])))
            continue;
        status = weir_async_age(s, i, &queues[i]);
        if (!status)
            status = find_missing(s, &s->cuts[i], &queues[i].missing);
        if (stale == WEIR_CHANCE_YES) /* up to the first execution that is skipped, nothing was: it stays so */
            queues[i].stale = stale;
        if (missing == WEIR_CHANCE_YES)
            queues[i].missing = missing;
        if (queue_of(s, &s->cuts[i])->missing == WEIR_MISSING_FAIL)
            queues[i].faults = queues[i].stale > queues[i].missing ? queues[i].stale : queues[i].missing;
    }
    return status;
}

enum weir_status weir_async_test_skips(struct weir_sampler *s, struct weir_async_queue *queues, bool *any)
{
    *any = false;
    if (!s->misses)
        return WEIR_OK;
    enum weir_status status = weir_async_find_samples(s, queues);
    for (uint32_t i = 0; i < s->cut_count && !status; i++) {
        uint8_t *skips = &s->skips[s->cuts[i].to];
        uint8_t now = queues[i].stale ? WEIR_SKIPS_ANY : queues[i].missing ? WEIR_SKIPS_FIRST : WEIR_SKIPS_NONE;
        if (queue_of(s, &s->cuts[i])->missing != WEIR_MISSING_SKIP || now <= *skips)
            continue;
        *skips = now;
        *any = true;
    }
    return status;
}

/* ---- streams ---- */

static bool joins(const struct weir_sampler *s, uint32_t queue)
{
    return s->cut_of[queue] == WEIR_NO_INDEX || s->cuts[s->cut_of[queue]].joined;
}

/* From the operators that skip on, over queues that are waited for; as often as there are operators is enough, since what goes
 * round has messages in it at the beginning and is refused. */
static void follow(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        s->streams[o] = s->skips[o] ? o : WEIR_NO_INDEX;
        s->levels[o] = s->skips[o];
    }
    for (size_t pass = 0; pass < p->operator_count; pass++)
        for (uint32_t i = 0; i < p->queue_count; i++) {
            uint32_t from = p->queues[i].from.index, to = p->queues[i].to.index;
            if (!joins(s, i) || !s->levels[from])
                continue;
            s->streams[to] = s->skips[to] ? to : s->streams[from];
            s->levels[to] = s->levels[to] > s->levels[from] ? s->levels[to] : s->levels[from];
        }
}

/* Whether what comes to the operator is of a stream. */
static bool is_behind(const struct weir_sampler *s, uint32_t op)
{
    for (uint32_t i = 0; i < s->pipeline->queue_count; i++)
        if (s->pipeline->queues[i].to.index == op && joins(s, i) && s->levels[s->pipeline->queues[i].from.index])
            return true;
    return false;
}

/* What of a queue does not go together with a stream from `from`, or to an operator behind one; NULL: nothing. */
static const char *find_fault(const struct weir_sampler *s, uint32_t queue)
{
    const struct weir_pipeline *p = s->pipeline;
    const struct weir_queue_spec *q = &p->queues[queue];
    uint32_t from = q->from.index;
    bool joined = joins(s, queue), behind = is_behind(s, q->to.index);
    if (joined && s->levels[from] && (q->initial || q->consume > 1))
        return "queues behind it that begin with messages, or of which several are taken at once";
    if (joined && s->levels[from] == WEIR_SKIPS_ANY && !q->nonblocking && q->capacity != WEIR_UNBOUNDED)
        return "others behind it that wait for room, unless \"blocking: false\"";
    if (!joined && !q->latest && (behind || (s->levels[from] && (!q->optional || !q->nonblocking))))
        return "connections that do not wait, but for \"latest\", behind it";
    for (uint32_t i = 0; i < p->queue_count && behind && joined; i++)
        if (p->queues[i].to.index == q->to.index && joins(s, i) && s->streams[p->queues[i].from.index] != s->streams[from])
            return "others behind it that also wait for what does not come from it";
    for (size_t i = 0; i < p->source_count && behind; i++)
        if (p->sources[i].op.index == q->to.index)
            return "periods behind it";
    const struct weir_operator_spec *ends[] = {&p->operators[from], &p->operators[q->to.index]};
    if ((s->levels[from] && (ends[0]->reentrant || ends[0]->launch)) || (behind && (ends[1]->reentrant || ends[1]->launch)))
        return "reentrant operators or work on a GPU behind it";
    return NULL;
}

/* The operator whose stream it is that reaches the queue. */
static uint32_t skipper_of(const struct weir_sampler *s, uint32_t queue)
{
    const struct weir_pipeline *p = s->pipeline;
    uint32_t to = p->queues[queue].to.index;
    if (s->levels[p->queues[queue].from.index])
        return s->streams[p->queues[queue].from.index];
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].to.index == to && joins(s, i) && s->levels[p->queues[i].from.index])
            return s->streams[p->queues[i].from.index];
    return to;
}

static enum weir_status refuse(struct weir_sampler *s, uint32_t op, uint32_t skipper, const char *what)
{
    struct weir_async_part *part = &s->parts[s->part_of[op]];
    char text[WEIR_ASYNC_WHY], name[WEIR_QUOTED];
    if (part->made)
        return WEIR_OK;
    snprintf(text, sizeof text, "\"%s\" may skip executions for want of a fresh message: no bound is known for that with %s",
             weir_quote(s->pipeline->operators[skipper].name, name), what);
    part->made = true;
    part->why = weir_arena_text(&s->arena, text);
    return part->why ? WEIR_OK : weir_fail_memory(s->error);
}

enum weir_status weir_async_find_streams(struct weir_sampler *s)
{
    enum weir_status status = WEIR_OK;
    if (!s->misses)
        return WEIR_OK;
    follow(s);
    for (uint32_t i = 0; i < s->pipeline->queue_count && !status; i++) {
        const struct weir_queue_spec *q = &s->pipeline->queues[i];
        const char *fault = find_fault(s, i);
        if (!fault)
            continue;
        uint32_t skipper = skipper_of(s, i);
        status = refuse(s, q->to.index, skipper, fault);
        if (!status && !q->nonblocking) /* who waits for room there */
            status = refuse(s, q->from.index, skipper, fault);
    }
    return status;
}

enum weir_status weir_async_keep_samples(struct weir_sampler *s)
{
    size_t count = s->pipeline->operator_count;
    s->skips = weir_arena_array(&s->scratch, count, sizeof *s->skips);
    s->levels = weir_arena_array(&s->scratch, count, sizeof *s->levels);
    s->streams = weir_arena_array(&s->scratch, count, sizeof *s->streams);
    for (size_t i = 0; i < s->pipeline->queue_count; i++)
        s->misses |= s->pipeline->queues[i].missing != WEIR_MISSING_REUSE;
    return s->scratch.failed ? weir_fail_memory(s->error) : WEIR_OK;
}
