/* SPDX-License-Identifier: Apache-2.0 */
/* What a message needs to the next connection that does not wait, and across it (docs/concepts/async.md, sections 4 and 5). */
#include "base/error.h"
#include "base/number.h"
#include "engine/async/async.h"

#include <string.h>

/* From a stop to the finish of an operator of its part, when the data is there, or executions later. */
static struct weir_span way(const struct weir_sampler *s, struct weir_stop from, uint32_t to, int64_t later)
{
    return (struct weir_span){
        .from = {.op = {s->local_of[from.op]}, .moment = from.arrival ? WEIR_ARRIVAL : WEIR_START},
        .to = {.op = {to}, .moment = WEIR_FINISH},
        .via = to,
        .later = later,
    };
}

static struct weir_async_part *part_of(const struct weir_sampler *s, uint32_t op)
{
    return &s->parts[s->part_of[op]];
}

/* The least time of the same. */
static enum weir_status least(struct weir_sampler *s, uint32_t op, struct weir_span span, struct weir_known *known)
{
    span.least = true;
    return weir_async_span(s, part_of(s, op), &span, known);
}

enum weir_status weir_segment_arrive(struct weir_sampler *s, struct weir_stop from, uint32_t to, const int64_t *shift,
                                     struct weir_arrival *arrival)
{
    struct weir_span span = way(s, from, s->local_of[to], shift ? *shift : 0);
    struct weir_known worst, best = {0};
    if (shift)
        span.via = WEIR_NO_INDEX;
    enum weir_status status = least(s, to, span, &best);
    if (!status)
        status = weir_async_span(s, part_of(s, to), &span, &worst);
    if (status)
        return status;
    *arrival =
        (struct weir_arrival){.known = worst.known, .reached = worst.reached && best.known && best.reached, .has_best = best.known};
    arrival->segment = (struct weir_async_segment){
        .kind = WEIR_SEGMENT_PATH, .from = {from.op}, .to = {to}, .worst = worst.value, .best = best.known ? best.value : 0};
    return WEIR_OK;
}

/* What all paths across a cut are chosen from. */
struct choice {
    struct weir_known sent;  /* to the finish that sends the message */
    struct weir_known newer; /* to the finish that replaces it */
    struct weir_known wait;  /* in the queue */
    struct weir_known taken; /* to the start that takes it at the latest, where that is known */
    bool first;
    int64_t executions; /* of `newer` */
};

static void add_segment(const struct weir_sampler *s, struct weir_crossing *c, const struct weir_async_segment *segment)
{
    struct weir_async_segment *mine = &c->segments[c->segment_count++];
    *mine = *segment;
    mine->has_queue = true;
    mine->queue.index = s->cuts[c->cut].queue;
    c->worst += segment->worst;
}

static void take_queue(const struct weir_sampler *s, struct weir_stop from, const struct choice *choice, struct weir_crossing *c)
{
    const struct weir_cut *cut = &s->cuts[c->cut];
    struct weir_async_segment sent = {
        .kind = WEIR_SEGMENT_PATH, .from = {from.op}, .to = {cut->from}, .worst = choice->sent.value, .best = c->best};
    struct weir_async_segment wait = {.kind = choice->first ? WEIR_SEGMENT_BEGINNING : WEIR_SEGMENT_QUEUE,
                                      .from = {cut->from},
                                      .to = {cut->to},
                                      .newer = choice->first ? cut->limit - 1 : cut->limit,
                                      .worst = choice->wait.value};
    add_segment(s, c, &sent);
    add_segment(s, c, &wait);
}

static void take_newer(const struct weir_sampler *s, struct weir_stop from, const struct choice *choice, struct weir_crossing *c)
{
    struct weir_async_segment newer = {.kind = WEIR_SEGMENT_NEWER,
                                       .from = {from.op},
                                       .to = {s->cuts[c->cut].from},
                                       .newer = choice->executions,
                                       .worst = choice->newer.value,
                                       .best = c->best};
    add_segment(s, c, &newer);
}

static void take_step(const struct weir_sampler *s, struct weir_stop from, int64_t worst, struct weir_crossing *c)
{
    struct weir_async_segment segment = {
        .kind = WEIR_SEGMENT_ROOM, .from = {from.op}, .to = {s->cuts[c->cut].to}, .worst = worst, .best = c->best};
    add_segment(s, c, &segment);
}

/* The start that takes the message at the latest, where the ends keep step. */
static enum weir_status ask_step(struct weir_sampler *s, struct weir_stop from, const struct weir_cut *cut,
                                 struct weir_known *taken)
{
    if (cut->step == WEIR_FAR)
        return WEIR_OK;
    struct weir_span span = way(s, from, cut->sender, cut->step);
    span.to = weir_async_taken(s, cut);
    enum weir_status status = weir_async_span(s, part_of(s, cut->from), &span, taken);
    taken->value = taken->value < 0 ? 0 : taken->value;
    return status;
}

static enum weir_status set_why(struct weir_sampler *s, struct weir_crossing *c)
{
    c->why = weir_arena_text(&s->arena, s->why);
    return c->why ? WEIR_OK : weir_fail_memory(s->error);
}

/* Whether nothing that begins the part can be late: its inputs arrive exactly. */
static bool comes_on_time(const struct weir_sampler *s, uint32_t part)
{
    const struct weir_pipeline *p = s->pipeline;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        bool fed = s->part_of[o] != part;
        for (size_t i = 0; i < p->source_count && !fed; i++)
            fed = p->sources[i].op.index == o && p->sources[i].arrivals == WEIR_ARRIVALS_EXACT;
        for (uint32_t i = 0; i < p->queue_count && !fed; i++)
            fed = p->queues[i].to.index == o && (s->cut_of[i] == WEIR_NO_INDEX || s->cuts[s->cut_of[i]].joined);
        if (!fed)
            return false;
    }
    return true;
}

/* Latest values, and queues that lose messages or are read without waiting. */
static enum weir_status cross_queue(struct weir_sampler *s, struct weir_stop from, struct weir_crossing *c)
{
    struct weir_cut *cut = &s->cuts[c->cut];
    const struct weir_queue_spec *q = &s->pipeline->queues[cut->queue];
    bool latest = cut->kind == WEIR_CUT_LATEST, pop = q->full == WEIR_FULL_POP;
    bool skips = s->levels[cut->from] > (latest ? WEIR_SKIPS_FIRST : WEIR_SKIPS_NONE); /* the next message may not be sent */
    struct weir_span span = way(s, from, cut->sender, 0);
    struct choice choice = {.executions = latest ? 1 : q->capacity};
    enum weir_status status = WEIR_OK;
    if (!latest)
        status = weir_async_span(s, part_of(s, cut->from), &span, &choice.sent);
    if (!status && choice.sent.known)
        status = weir_async_wait(s, cut, &choice.wait, &choice.first);
    if (!status && !latest && !skips)
        status = ask_step(s, from, cut, &choice.taken);
    span.later = choice.executions;
    if (latest && skips)
        snprintf(s->why, sizeof s->why,
                 "executions may be skipped for want of a fresh message: when the next message comes is not known");
    if (!status && (latest || pop) && !skips)
        status = weir_async_span(s, part_of(s, cut->from), &span, &choice.newer);
    if (status)
        return status;
    int64_t queued = 0;
    bool waits = choice.sent.known && choice.wait.known && weir_add(choice.sent.value, choice.wait.value, &queued);
    if (!waits && !choice.newer.known && !choice.taken.known)
        return set_why(s, c);
    /* A source that is late sends no newer message; the consumer takes the one that is there all the same. */
    bool newer = choice.newer.known && choice.newer.value <= queued && comes_on_time(s, s->part_of[cut->from]);
    if (choice.taken.known && (!waits || choice.taken.value <= queued) && (!newer || choice.taken.value <= choice.newer.value))
        take_step(s, from, choice.taken.value, c);
    else if (!waits || newer)
        take_newer(s, from, &choice, c);
    else
        take_queue(s, from, &choice, c);
    return WEIR_OK;
}

/* The server of the producer's part ends no earlier than the message is taken. */
static enum weir_status cross_room(struct weir_sampler *s, struct weir_stop from, struct weir_crossing *c)
{
    const struct weir_cut *cut = &s->cuts[c->cut];
    struct weir_span span = way(s, from, cut->helper, 0);
    struct weir_known taken;
    enum weir_status status = weir_async_span(s, part_of(s, cut->from), &span, &taken);
    if (status)
        return status;
    if (!taken.known)
        return set_why(s, c);
    take_step(s, from, taken.value, c);
    return WEIR_OK;
}

enum weir_status weir_segment_cross(struct weir_sampler *s, struct weir_stop from, uint32_t index, struct weir_crossing *c)
{
    const struct weir_cut *cut = &s->cuts[index];
    bool room = cut->kind == WEIR_CUT_ROOM && !weir_cut_is_plain(cut) && !cut->inside;
    struct weir_known best;
    *c = (struct weir_crossing){.cut = index};
    enum weir_status status = least(s, cut->from, way(s, from, cut->sender, 0), &best);
    if (status)
        return status;
    c->has_best = best.known;
    /* a latest value may be sent after the start that reads it, up to its receive */
    c->best = best.known ? best.value - (cut->kind == WEIR_CUT_LATEST ? s->pipeline->operators[cut->to].receive_max : 0) : 0;
    return room ? cross_room(s, from, c) : cross_queue(s, from, c);
}

/* ---- in words ---- */

/* Segments in words. */
const char *weir_async_segment_text(const struct weir_pipeline *p, const struct weir_async_segment *segment,
                                    char text[WEIR_SEGMENT_TEXT])
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    bool transfer = segment->has_queue && p->queues[segment->queue.index].transfer_max > 0;
    weir_quote(p->operators[segment->from.index].name, from);
    weir_quote(p->operators[segment->to.index].name, to);
    switch (segment->kind) {
    case WEIR_SEGMENT_PATH:
        snprintf(text, WEIR_SEGMENT_TEXT,
                 transfer ? "from the start of %s until the message of %s has come over"
                 : segment->has_queue && p->operators[segment->to.index].launch && !p->operators[segment->to.index].launch->waits
                     ? "from the start of %s until %s has sent the message"
                     : "from the start of %s to the finish of %s",
                 from, to);
        break;
    case WEIR_SEGMENT_NEWER:
        if (segment->newer == 1)
            snprintf(text, WEIR_SEGMENT_TEXT,
                     transfer ? "from the start of %s until a newer message of %s has come over"
                              : "from the start of %s until %s has sent a newer message",
                     from, to);
        else
            snprintf(text, WEIR_SEGMENT_TEXT, "from the start of %s until %s has sent %lld newer messages", from, to,
                     (long long)segment->newer);
        break;
    case WEIR_SEGMENT_QUEUE:
        snprintf(text, WEIR_SEGMENT_TEXT, "in the queue from %s to %s, for %lld execution%s", from, to, (long long)segment->newer,
                 segment->newer == 1 ? "" : "s");
        break;
    case WEIR_SEGMENT_BEGINNING:
        snprintf(text, WEIR_SEGMENT_TEXT, "in the queue from %s to %s, before execution %lld of %s begins", from, to,
                 (long long)segment->newer, to);
        break;
    case WEIR_SEGMENT_ROOM:
        snprintf(text, WEIR_SEGMENT_TEXT, "from the start of %s until %s has taken the message", from, to);
        break;
    }
    return text;
}
