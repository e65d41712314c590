/* SPDX-License-Identifier: Apache-2.0 */
/* Dividing the pipeline at the connections that do not wait, and making the parts one after the other. */
#include "base/error.h"
#include "engine/async/async.h"
#include "model/links.h"

#include <string.h>

void weir_async_free_part(struct weir_async_part *part)
{
    weir_distances_free(part->distances);
    weir_solver_free(part->solver);
    weir_inside_free(part->inside);
    weir_routes_free(part->routes);
    weir_pipeline_free(part->pipeline);
}

void weir_async_free_parts(struct weir_sampler *s)
{
    for (uint32_t i = 0; i < s->part_count; i++)
        weir_async_free_part(&s->parts[i]);
    weir_free(s->parts);
    s->parts = NULL;
    s->part_count = 0;
    for (uint32_t i = 0; s->cuts && i < s->cut_count; i++) {
        s->cuts[i].step = WEIR_FAR;
        s->cuts[i].waited = false;
        s->cuts[i].inside = false;
    }
}

static uint32_t leader_of(uint32_t *leader, uint32_t o)
{
    while (leader[o] != o) {
        leader[o] = leader[leader[o]];
        o = leader[o];
    }
    return o;
}

static bool joins(const struct weir_sampler *s, uint32_t queue)
{
    return s->cut_of[queue] == WEIR_NO_INDEX || s->cuts[s->cut_of[queue]].joined;
}

/* Numbers the parts, and the operators in each. False when out of memory. */
static bool number(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    uint32_t *leader = weir_array(p->operator_count, sizeof *leader);
    if (!leader)
        return false;
    for (uint32_t o = 0; o < p->operator_count; o++)
        leader[o] = o;
    for (uint32_t i = 0; i < p->queue_count; i++)
        if (joins(s, i)) {
            uint32_t a = leader_of(leader, p->queues[i].from.index), b = leader_of(leader, p->queues[i].to.index);
            leader[a > b ? a : b] = a > b ? b : a;
        }
    uint32_t count = 0;
    for (uint32_t o = 0; o < p->operator_count; o++) /* a leader is the first of its part */
        s->part_of[o] = leader_of(leader, o) == o ? count++ : s->part_of[leader_of(leader, o)];
    weir_free(leader);
    s->parts = weir_array_zeroed(count, sizeof *s->parts);
    if (!s->parts)
        return false;
    s->part_count = count;
    for (uint32_t o = 0; o < p->operator_count; o++)
        s->local_of[o] = s->parts[s->part_of[o]].count++;
    return true;
}

/* The part that must be known before another, because of a cut; WEIR_NO_INDEX: none. */
static uint32_t needs(const struct weir_sampler *s, const struct weir_cut *cut, uint32_t *of)
{
    if (cut->joined || weir_cut_is_plain(cut) || (cut->kind != WEIR_CUT_ROOM && cut->kind != WEIR_CUT_LOSSY))
        return WEIR_NO_INDEX;
    bool room = cut->kind == WEIR_CUT_ROOM;
    *of = s->part_of[room ? cut->from : cut->to];
    return s->part_of[room ? cut->to : cut->from];
}

static bool reach(bool *reached, uint32_t part, uint32_t other)
{
    bool more = reached[part] && !reached[other];
    reached[other] |= more;
    return more;
}

/* Parts that executions of those reached wait for, or are skipped for want of something of, over one connection. */
static bool reach_over(const struct weir_sampler *s, const struct weir_cut *cut, bool *reached)
{
    const struct weir_queue_spec *q = &s->pipeline->queues[cut->queue];
    uint32_t of = 0, first = needs(s, cut, &of), from = s->part_of[cut->from], to = s->part_of[cut->to];
    bool more = first != WEIR_NO_INDEX && reach(reached, of, first);
    if (cut->shared && !q->nonblocking)
        more |= reach(reached, from, to);
    if (q->missing != WEIR_MISSING_REUSE)
        more |= reach(reached, to, from);
    return more;
}

enum weir_status weir_async_depends(struct weir_sampler *s, uint32_t part, uint32_t on, bool *depends)
{
    bool *reached = weir_array_zeroed(s->part_count, sizeof *reached);
    if (!reached)
        return weir_fail_memory(s->error);
    reached[part] = true;
    for (bool more = true; more && !reached[on];) {
        more = false;
        for (uint32_t i = 0; i < s->cut_count; i++)
            more |= reach_over(s, &s->cuts[i], reached);
    }
    *depends = reached[on];
    weir_free(reached);
    return WEIR_OK;
}

static enum weir_status set_why(struct weir_sampler *s, struct weir_async_part *part, const char *text)
{
    part->made = true;
    part->why = weir_arena_text(&s->arena, text);
    return part->why ? WEIR_OK : weir_fail_memory(s->error);
}

/* Why the part on one side of a cut cannot be known, whatever the other is like. */
enum weir_status weir_async_refuse(struct weir_sampler *s, const struct weir_cut *cut, uint32_t of)
{
    char text[WEIR_ASYNC_WHY], from[WEIR_QUOTED], to[WEIR_QUOTED];
    weir_quote(s->pipeline->operators[cut->from].name, from);
    weir_quote(s->pipeline->operators[cut->to].name, to);
    if (cut->strange)
        snprintf(text, sizeof text,
                 "no bound is known for a connection that does not wait to a reentrant operator that receives late: that from "
                 "\"%s\" to \"%s\"",
                 from, to);
    else if (cut->kind == WEIR_CUT_ROOM && cut->from == cut->to)
        snprintf(
            text, sizeof text,
            "\"%s\" waits for room in a queue to itself, which nobody else empties: it may stand still forever; with more room, or "
            "with blocking: false and full: pop, there is an answer",
            from);
    else if (cut->kind == WEIR_CUT_ROOM)
        snprintf(text, sizeof text,
                 "\"%s\" waits for \"%s\" to take its messages, and \"%s\" depends on \"%s\" in another way as well: they may "
                 "block each other forever; with blocking: false and full: pop, or latest: true, there is an answer",
                 from, to, to, from);
    else
        snprintf(text, sizeof text,
                 "the queue from \"%s\" to \"%s\" can be full, and the two also depend on each other in another way: what is lost "
                 "there cannot be distinguished from what is not",
                 from, to);
    return set_why(s, &s->parts[of], text);
}

static const char *stream_of(const struct weir_pipeline *p, uint32_t op)
{
    return p->operators[op].launch ? p->operators[op].launch->stream : NULL;
}

/* A stream that operators of different parts launch into: the order in which they do is not known, even if it was as long as no
 * message is lost. */
static enum weir_status refuse_streams(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    enum weir_status status = WEIR_OK;
    for (uint32_t a = 0; a < p->operator_count; a++)
        for (uint32_t b = 0; b < p->operator_count && stream_of(p, a) && !status; b++) {
            char text[WEIR_ASYNC_WHY], first[WEIR_QUOTED], second[WEIR_QUOTED];
            struct weir_async_part *part = &s->parts[s->part_of[a]];
            if (part->made || s->part_of[a] == s->part_of[b] || !stream_of(p, b) || strcmp(stream_of(p, a), stream_of(p, b)) != 0)
                continue;
            snprintf(text, sizeof text,
                     "\"%s\" and \"%s\" launch into one stream, with a connection that does not wait between them: the order of "
                     "their launches is not known",
                     weir_quote(p->operators[a].name, first), weir_quote(p->operators[b].name, second));
            status = set_why(s, part, text);
        }
    return status;
}

/* A port that several send to, and that is joined with what one of them sends otherwise. */
static enum weir_status refuse_inner_port(struct weir_sampler *s, const struct weir_cut *cut, uint32_t of)
{
    char text[WEIR_ASYNC_WHY], from[WEIR_QUOTED], to[WEIR_QUOTED];
    snprintf(text, sizeof text,
             "\"%s\" sends to a port of \"%s\" that others send to as well, and the two also depend on each other in another way: "
             "the order of the messages is not known",
             weir_quote(s->pipeline->operators[cut->from].name, from), weir_quote(s->pipeline->operators[cut->to].name, to));
    return set_why(s, &s->parts[of], text);
}

static enum weir_status refuse_what_must_be(struct weir_sampler *s)
{
    enum weir_status status = refuse_streams(s);
    for (uint32_t i = 0; i < s->cut_count && !status; i++) {
        uint32_t of, first = needs(s, &s->cuts[i], &of);
        if (s->cuts[i].shared && first != WEIR_NO_INDEX && first == of && !s->parts[of].made)
            status = refuse_inner_port(s, &s->cuts[i], of);
        if (s->cuts[i].shared)
            continue;
        if (first != WEIR_NO_INDEX && s->cuts[i].strange && !s->parts[of].made)
            status = weir_async_refuse(s, &s->cuts[i], of);
        s->cuts[i].inside = first != WEIR_NO_INDEX && first == of;
    }
    return status;
}

/* Whether all that the part needs is there; a part that is not known makes this one unknown. */
static enum weir_status look(struct weir_sampler *s, uint32_t part, bool *ready)
{
    *ready = true;
    for (uint32_t i = 0; i < s->cut_count; i++) {
        uint32_t of, first = needs(s, &s->cuts[i], &of);
        if (first == WEIR_NO_INDEX || of != part || first == part)
            continue;
        if (s->parts[first].why)
            return set_why(s, &s->parts[part], s->parts[first].why);
        *ready &= s->parts[first].made;
    }
    return WEIR_OK;
}

enum weir_status weir_async_divide(struct weir_sampler *s)
{
    weir_async_free_parts(s);
    if (!number(s))
        return weir_fail_memory(s->error);
    enum weir_status status = weir_async_find_streams(s);
    if (!status)
        status = refuse_what_must_be(s);
    for (bool progress = true; progress && !status;) {
        progress = false;
        for (uint32_t i = 0; i < s->part_count && !status; i++) {
            bool ready;
            if (s->parts[i].made)
                continue;
            status = look(s, i, &ready);
            if (!status && ready && !s->parts[i].made)
                status = weir_async_make_part(s, i);
            progress |= s->parts[i].made;
        }
    }
    for (uint32_t i = 0; i < s->part_count && !status; i++)
        if (!s->parts[i].made)
            status = set_why(s, &s->parts[i],
                             "parts of the pipeline depend on each other in a circle of connections that do not wait, so none can "
                             "be analysed first");
    return status;
}

/* ---- connections that do not wait ---- */

/* The connections that do not wait, and those of them across which nothing is known. */
static enum weir_cut_kind kind_of(const struct weir_queue_spec *q)
{
    if (q->latest)
        return WEIR_CUT_LATEST;
    if (!q->optional)
        return WEIR_CUT_LOSSY;
    return q->nonblocking || q->capacity == WEIR_UNBOUNDED ? WEIR_CUT_PICK : WEIR_CUT_ROOM;
}

enum weir_status weir_async_flood(const struct weir_sampler *s, uint8_t *marks, bool backwards)
{
    struct weir_arena scratch = {0};
    struct weir_links links;
    bool good = weir_links_make(&links, s->pipeline, backwards ? WEIR_LINKS_IN : WEIR_LINKS_OUT, &scratch);
    if (good)
        weir_links_flood(&links, (struct weir_flood){marks, 1, 1, 0});
    weir_arena_free(&scratch);
    return good ? WEIR_OK : weir_fail_memory(s->error);
}

/* Where both ends of a connection are in one part even without it, every execution of the consumer may take a message, or the
 * producer may never have to wait for room: the first is taken to be so, then the second, until it is shown not to be. */
static enum weir_status find_rooms(struct weir_sampler *s)
{
    if (!number(s))
        return weir_fail_memory(s->error);
    for (uint32_t i = 0; i < s->cut_count; i++) {
        struct weir_cut *cut = &s->cuts[i];
        bool inside = cut->kind == WEIR_CUT_ROOM && !cut->strange && s->part_of[cut->from] == s->part_of[cut->to];
        cut->room = inside ? WEIR_ROOM_EVERY : WEIR_ROOM_SERVED;
    }
    return WEIR_OK;
}

enum weir_status weir_async_find_cuts(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    s->cut_of = weir_arena_array(&s->scratch, p->queue_count, sizeof *s->cut_of);
    for (size_t i = 0; i < p->queue_count; i++)
        s->cut_count += weir_queue_is_cut(&p->queues[i]);
    s->cuts = weir_arena_array(&s->scratch, s->cut_count, sizeof *s->cuts);
    if (s->scratch.failed)
        return weir_fail_memory(s->error);
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        s->cut_of[i] = WEIR_NO_INDEX;
        if (!weir_queue_is_cut(q))
            continue;
        enum weir_cut_kind kind = kind_of(q);
        const struct weir_operator_spec *to = &p->operators[q->to.index];
        bool strange = (kind == WEIR_CUT_ROOM || kind == WEIR_CUT_LOSSY) && to->reentrant && to->receive_max > 0;
        s->cut_of[i] = found;
        s->cuts[found++] = (struct weir_cut){.kind = kind,
                                             .queue = i,
                                             .from = q->from.index,
                                             .to = q->to.index,
                                             .joined = kind == WEIR_CUT_LOSSY && !strange && !q->port,
                                             .port = s->cut_of[weir_pipeline_port(p, i)],
                                             .shared = q->port != NULL,
                                             .strange = strange,
                                             .limit = q->full == WEIR_FULL_NEVER ? 0 : q->capacity};
    }
    enum weir_status status = weir_async_keep_ticks(s);
    if (!status)
        status = weir_async_keep_samples(s);
    return status ? status : find_rooms(s);
}

bool weir_async_is_whole(const struct weir_async_part *part)
{
    return !part->why && (!part->pipeline->graph->unknown_roots || weir_graph_roots(part->pipeline->graph) == 1);
}

enum weir_status weir_async_open(struct weir_sampler *s, struct weir_async_queue **queues)
{
    s->part_of = weir_arena_array(&s->scratch, s->pipeline->operator_count, sizeof *s->part_of);
    s->local_of = weir_arena_array(&s->scratch, s->pipeline->operator_count, sizeof *s->local_of);
    enum weir_status status = weir_async_find_cuts(s);
    if (status)
        return status;
    *queues = weir_arena_array(&s->arena, s->cut_count, sizeof **queues);
    return s->arena.failed ? weir_fail_memory(s->error) : weir_async_join(s, *queues);
}

void weir_async_close(struct weir_sampler *s)
{
    weir_async_free_parts(s);
    weir_arena_free(&s->scratch);
}
