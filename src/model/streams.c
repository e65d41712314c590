/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that operators share. Work in a stream is done in the order in which it was launched. That is an arc only where no
 * execution time can change the order: each launch must lead to the next one, over arcs, within the round, and the last one to the
 * first one of the next round. Actors are numbered so that arcs without tokens lead upwards; so the order within a round can only
 * be that of the numbers, and a search from one launch to the next need not look beyond the next: all of them together look at each
 * arc a few times.
 */
#include "base/error.h"
#include "model/firings.h"
#include "model/links.h"
#include "model/lower.h"

#include <stdlib.h>
#include <string.h>

struct launch {
    uint32_t op, firing;
    uint32_t actor; /* in the graph: the one whose finish it is */
};

struct order {
    struct weir_lowering *lowering;
    const struct weir_graph *graph;
    struct weir_sealing *sealing;
    uint32_t *users; /* operators with a named stream, by name */
    size_t user_count;
    uint32_t *launched;      /* by execution of a round: the actor of the graph whose finish is its end on the CPU */
    struct launch *launches; /* of one stream */
    uint32_t *seen;          /* by actor, without and with a token: the search that has been there */
    uint32_t *stack, stamp;
    size_t depth;
};

static const char *stream_of(const struct weir_pipeline *p, uint32_t op)
{
    return p->operators[op].launch ? p->operators[op].launch->stream : NULL;
}

static int by_stream(const void *left, const void *right)
{
    const struct weir_operator_spec *a = *(const struct weir_operator_spec *const *)left,
                                    *b = *(const struct weir_operator_spec *const *)right;
    int order = strcmp(a->launch->stream, b->launch->stream);
    return order ? order : a < b ? -1 : a > b;
}

static int by_actor(const void *left, const void *right)
{
    const struct launch *a = left, *b = right;
    return a->actor < b->actor ? -1 : a->actor > b->actor;
}

bool weir_streams_shared(const struct weir_pipeline *p)
{
    size_t named = 0;
    for (uint32_t o = 0; o < p->operator_count; o++)
        named += stream_of(p, o) != NULL;
    return named > 1;
}

/* ---- does one launch lead to the next? ---- */

static void visit(struct order *s, uint32_t actor, uint32_t tokens)
{
    uint32_t state = 2 * actor + tokens;
    if (s->seen[state] == s->stamp)
        return;
    s->seen[state] = s->stamp;
    s->stack[s->depth++] = state;
}

/* Whether the finish of actor `from` leads to actor `to` over arcs with `tokens` tokens in all, 0 or 1. */
static bool leads(struct order *s, uint32_t from, uint32_t to, uint32_t tokens)
{
    const struct weir_graph *g = s->graph;
    s->stamp++;
    s->depth = 0;
    for (bool first = true; first || s->depth > 0; first = false) {
        uint32_t state = first ? 2 * from : s->stack[--s->depth], actor = state / 2, passed = state % 2;
        for (uint32_t r = g->out_first[actor]; r < g->out_first[actor + 1]; r++) {
            const struct weir_arc_run *run = &g->out_runs[r];
            if ((first && !run->finish) || run->tokens > tokens - passed)
                continue;
            for (uint32_t i = run->first; i < run->end; i++) {
                uint32_t head = g->heads[i], now = passed + run->tokens;
                if (head == to && now == tokens)
                    return true;
                if (now < tokens || head < to)
                    visit(s, head, now);
            }
        }
    }
    return false;
}

static enum weir_status fail_order(const struct order *s, uint32_t a, uint32_t b, const char *stream)
{
    const struct weir_pipeline *p = s->lowering->pipeline;
    char quoted[WEIR_QUOTED], first[WEIR_QUOTED], second[WEIR_QUOTED];
    return weir_errors_add(s->sealing->errors, WEIR_INVALID, s->sealing->file, p->operators[b].place,
                           "\"%s\" and \"%s\" launch into stream \"%s\" in an order that depends on times: there is no bound for "
                           "that; give each a stream of its own",
                           weir_quote(p->operators[a].name, first), weir_quote(p->operators[b].name, second),
                           weir_quote(stream, quoted));
}

/* The arcs between the launches of users[begin..end), which share a stream. */
static enum weir_status order_stream(struct order *s, size_t begin, size_t end)
{
    struct weir_lowering *l = s->lowering;
    const char *stream = stream_of(l->pipeline, s->users[begin]);
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        for (uint32_t o = s->users[i], k = 0; k < weir_lowering_firings(l, o); k++)
            s->launches[count++] = (struct launch){o, k, s->launched[s->graph->firing_first[o] + k]};
    qsort(s->launches, count, sizeof *s->launches, by_actor);
    for (size_t i = 0; i < count; i++) {
        const struct launch *a = &s->launches[i], *b = &s->launches[i + 1 < count ? i + 1 : 0];
        uint32_t tokens = i + 1 == count;
        if (a->op != b->op && !leads(s, a->actor, b->actor, tokens))
            return fail_order(s, a->op, b->op, stream);
        l->stream_arcs[l->stream_arc_count++] =
            (struct weir_stream_arc){l->parts[a->op].gpu + a->firing, l->parts[b->op].gpu + b->firing, tokens};
    }
    return WEIR_OK;
}

static bool make_room(struct order *s)
{
    const struct weir_pipeline *p = s->lowering->pipeline;
    struct weir_arena *scratch = &s->sealing->scratch;
    const struct weir_operator_spec **sorted = weir_arena_array(scratch, p->operator_count, sizeof *sorted);
    size_t launches = 0, actors = s->graph->actor_count;
    for (uint32_t o = 0; o < p->operator_count && sorted; o++)
        if (stream_of(p, o)) {
            launches += weir_lowering_firings(s->lowering, o);
            sorted[s->user_count++] = &p->operators[o];
        }
    s->users = weir_arena_array(scratch, p->operator_count, sizeof *s->users);
    s->launched = weir_arena_array(scratch, actors, sizeof *s->launched);
    s->seen = weir_arena_array(scratch, 2 * actors, sizeof *s->seen);
    s->stack = weir_arena_array(scratch, 2 * actors, sizeof *s->stack);
    s->launches = weir_arena_array(scratch, launches, sizeof *s->launches);
    s->lowering->stream_arcs = weir_arena_array(scratch, launches, sizeof *s->lowering->stream_arcs);
    if (scratch->failed || !sorted)
        return false;
    for (uint32_t v = 0; v < actors; v++) {
        const struct weir_actor *a = &s->graph->actors[v];
        bool done = s->lowering->parts[a->op].done != WEIR_NO_ACTOR;
        if (a->part == (done ? WEIR_PART_DONE : WEIR_PART_EXECUTION))
            s->launched[s->graph->firing_first[a->op] + a->firing] = v;
    }
    qsort(sorted, s->user_count, sizeof *sorted, by_stream);
    for (size_t i = 0; i < s->user_count; i++)
        s->users[i] = (uint32_t)(sorted[i] - p->operators);
    return true;
}

enum weir_status weir_streams_order(struct weir_sealing *sealing, struct weir_lowering *l, const struct weir_graph *graph)
{
    struct order s = {.lowering = l, .graph = graph, .sealing = sealing};
    enum weir_status status = make_room(&s) ? WEIR_OK : weir_sealing_memory(sealing);
    for (size_t begin = 0, end; begin < s.user_count && !status; begin = end) {
        const char *stream = stream_of(l->pipeline, s.users[begin]);
        for (end = begin + 1; end < s.user_count && strcmp(stream_of(l->pipeline, s.users[end]), stream) == 0;)
            end++;
        if (end - begin > 1)
            status = order_stream(&s, begin, end);
    }
    return status;
}

/* ---- work behind messages ---- */

/* Work on a GPU that follows messages: it was launched by an operator that does not wait for it, and whoever launches work on what
 * it makes has that work wait, through any number of operators that only hand messages on. */
/* Operators that launch: what they mark of others ends there. */
enum { LAUNCHES = 4 };

static enum weir_status check_cuts(struct weir_sealing *s, const uint8_t *behind)
{
    const struct weir_pipeline *p = s->pipeline;
    enum weir_status status = WEIR_OK;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (weir_queue_is_cut(q) && (behind[q->from.index] & WEIR_TRAILS) && (behind[q->to.index] & WEIR_NEEDS))
            status =
                weir_errors_add(s->errors, WEIR_INVALID, s->file, q->place,
                                "there may be work on a GPU behind the messages from \"%s\" to \"%s\" that other work waits "
                                "for: that is known only where each message is waited for",
                                weir_quote(p->operators[q->from.index].name, from), weir_quote(p->operators[q->to.index].name, to));
    }
    return status;
}

enum weir_status weir_gpu_dependency_find(struct weir_sealing *s, struct weir_lowering *l)
{
    const struct weir_pipeline *p = s->pipeline;
    struct weir_links out, in;
    bool any = false;
    for (size_t o = 0; o < p->operator_count; o++)
        any |= p->operators[o].launch && !p->operators[o].launch->waits;
    if (!any)
        return WEIR_OK;
    l->gpu_dependency = weir_arena_array(&s->scratch, p->operator_count, sizeof *l->gpu_dependency);
    if (!weir_links_make(&out, p, WEIR_LINKS_OUT, &s->scratch) || !weir_links_make(&in, p, WEIR_LINKS_IN, &s->scratch))
        return weir_sealing_memory(s);
    for (size_t o = 0; o < p->operator_count; o++)
        if (p->operators[o].launch)
            l->gpu_dependency[o] = LAUNCHES | WEIR_NEEDS | (p->operators[o].launch->waits ? 0 : WEIR_TRAILS);
    weir_links_flood(&out, (struct weir_flood){l->gpu_dependency, WEIR_TRAILS, WEIR_TRAILS, LAUNCHES});
    weir_links_flood(&in, (struct weir_flood){l->gpu_dependency, WEIR_NEEDS, WEIR_NEEDS, LAUNCHES});
    for (size_t o = 0; o < p->operator_count; o++)
        l->gpu_dependency[o] &= (uint8_t)~LAUNCHES;
    return check_cuts(s, l->gpu_dependency);
}
