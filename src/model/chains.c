/* SPDX-License-Identifier: Apache-2.0 */
/* Which latencies are to be reported, and which iterations belong together in each. */
#include "base/error.h"
#include "model/firings.h"
#include "model/links.h"

#include <stdlib.h>
#include <string.h>

static int by_from_and_to(const void *left, const void *right)
{
    const struct weir_chain_spec *a = left, *b = right;
    if (a->from.index != b->from.index)
        return a->from.index < b->from.index ? -1 : 1;
    return a->to.index < b->to.index ? -1 : a->to.index > b->to.index;
}

struct pairing {
    struct weir_pipeline *pipeline;
    bool plain; /* each operator executes once per iteration, and every queue is waited for: the event graph tells */
    struct weir_distances *distances;
    int64_t *tokens; /* by actor, to the last `to`; plain only */
    uint32_t last;   /* ... that; or the last `from` */
    struct weir_routes *routes;
    const int64_t *executions; /* by operator, from the last `from` */
    struct weir_links links;
    uint8_t *reached; /* by operator, likewise, over queues of any kind */
    uint8_t *ends;
    struct weir_sealing *sealing;
};

enum { REACHED = 1 };

static bool make_room(struct pairing *c)
{
    const struct weir_pipeline *p = c->pipeline;
    struct weir_arena *scratch = &c->sealing->scratch;
    c->ends = weir_arena_array(scratch, p->operator_count, sizeof *c->ends);
    c->plain = !p->firings;
    for (size_t i = 0; i < p->queue_count && c->plain; i++)
        c->plain = weir_queue_waits(&p->queues[i]);
    if (c->plain) {
        c->distances = weir_distances_new(p->graph);
        c->tokens = weir_arena_array(scratch, p->graph->actor_count, sizeof *c->tokens);
        return c->distances && !scratch->failed;
    }
    c->routes = weir_routes_new(p);
    c->reached = weir_arena_array(scratch, p->operator_count, sizeof *c->reached);
    return weir_links_make(&c->links, p, WEIR_LINKS_OUT, scratch) && c->routes;
}

/*
 * How many iterations later `to` handles what `from` sends; WEIR_FAR: never. With several executions in an iteration, what the
 * first of them sends. Where messages get there only over a connection that is not waited for, no number says it: 0.
 */
static int64_t shift_between(struct pairing *c, uint32_t from, uint32_t to)
{
    const struct weir_graph *g = c->pipeline->graph;
    if (c->plain) {
        if (c->last != to)
            weir_tokens_to(g, c->distances, g->start_of[to], true, c->tokens);
        c->last = to;
        return c->tokens[g->start_of[from]];
    }
    if (c->last != from) {
        c->executions = weir_routes_from(c->routes, (struct weir_operator){from}, 0);
        memset(c->reached, 0, c->pipeline->operator_count); /* over queues of any kind */
        c->reached[from] = REACHED;
        weir_links_flood(&c->links, (struct weir_flood){c->reached, REACHED, REACHED, 0});
    }
    c->last = from;
    if (c->executions[to] != WEIR_NO_ROUTE)
        return c->executions[to] / weir_pipeline_firings(c->pipeline, (struct weir_operator){to});
    return c->reached[to] ? 0 : WEIR_FAR;
}

static enum weir_status fail_too_many(struct weir_sealing *s)
{
    s->pipeline->chain_count = 0;
    return s->status = weir_errors_add(s->errors, WEIR_INVALID, s->file, (struct weir_place){0, 0},
                                       "more than %d pairs of a source and a leaf; name the latencies to report under measure",
                                       WEIR_CHAINS_MAX);
}

enum weir_status weir_pipeline_pair(struct weir_sealing *s, uint32_t from, uint32_t to, int64_t shift)
{
    struct weir_pipeline *p = s->pipeline;
    if (p->chain_count == WEIR_CHAINS_MAX)
        return fail_too_many(s);
    if (!weir_reserve(&p->chains, &p->chain_capacity, p->chain_count + 1, sizeof *p->chains)) {
        p->chain_count = 0; /* none were given: a second try begins anew */
        return weir_sealing_memory(s);
    }
    p->chains[p->chain_count++] = (struct weir_chain_spec){.from = {from}, .to = {to}, .has_shift = true, .shift = shift};
    return WEIR_OK;
}

static enum weir_status add_chain(struct pairing *c, uint32_t root, uint32_t leaf)
{
    int64_t shift = shift_between(c, root, leaf);
    return shift == WEIR_FAR ? WEIR_OK : weir_pipeline_pair(c->sealing, root, leaf, shift);
}

/* One after the other, so that the search from (or to) an operator is needed once. */
static enum weir_status add_all_chains(struct pairing *c)
{
    struct weir_pipeline *p = c->pipeline;
    weir_pipeline_mark_ends(p, c->ends);
    uint8_t outer = c->plain ? WEIR_ENDS_LEAF : WEIR_ENDS_ROOT, inner = c->plain ? WEIR_ENDS_ROOT : WEIR_ENDS_LEAF;
    size_t leaves = 0;
    for (uint32_t o = 0; o < p->operator_count; o++)
        leaves += (c->ends[o] & WEIR_ENDS_LEAF) != 0;
    if (leaves > WEIR_CHAINS_MAX) /* each is reached */
        return fail_too_many(c->sealing);
    for (uint32_t a = 0; a < p->operator_count; a++)
        for (uint32_t b = 0; b < p->operator_count && (c->ends[a] & outer); b++) {
            enum weir_status status = !(c->ends[b] & inner) ? WEIR_OK : c->plain ? add_chain(c, b, a) : add_chain(c, a, b);
            if (status)
                return status;
        }
    if (p->chain_count)
        qsort(p->chains, p->chain_count, sizeof *p->chains, by_from_and_to);
    return WEIR_OK;
}

static enum weir_status shift_given_chains(struct pairing *c)
{
    struct weir_pipeline *p = c->pipeline;
    enum weir_status status = WEIR_OK;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    for (size_t i = 0; i < p->chain_count; i++) {
        struct weir_chain_spec *chain = &p->chains[i];
        weir_quote(p->operators[chain->from.index].name, from);
        weir_quote(p->operators[chain->to.index].name, to);
        if (chain->has_shift && p->firings)
            status = weir_errors_add(c->sealing->errors, WEIR_INVALID, c->sealing->file, chain->place,
                                     "an offset counts iterations, in each of which \"%s\" and \"%s\" need not execute equally "
                                     "often here: leave it out",
                                     from, to);
        if (chain->has_shift)
            continue;
        chain->shift = shift_between(c, chain->from.index, chain->to.index);
        if (chain->shift == WEIR_FAR)
            status = weir_errors_add(c->sealing->errors, WEIR_INVALID, c->sealing->file, chain->place,
                                     "no path of queues leads from \"%s\" to \"%s\", so there is no latency to measure", from, to);
    }
    for (size_t i = 0; i < p->chain_count && !status; i++) /* all of them, or none: more queues may be added before a second try */
        p->chains[i].has_shift = true;
    return status;
}

enum weir_status weir_pipeline_complete_chains(struct weir_sealing *s)
{
    struct weir_pipeline *p = s->pipeline;
    struct pairing c = {.pipeline = p, .last = WEIR_NO_ACTOR, .sealing = s};
    uint8_t *given = p->chain_count ? weir_arena_array(&p->sealed_arena, p->chain_count, sizeof *given) : NULL;
    for (size_t i = 0; given && i < p->chain_count; i++)
        given[i] = p->chains[i].has_shift;
    enum weir_status status;
    if (!make_room(&c) || (p->chain_count && !given))
        status = weir_sealing_memory(s);
    else
        status = p->chain_count ? shift_given_chains(&c) : add_all_chains(&c);
    p->shift_given = given;
    weir_distances_free(c.distances);
    weir_routes_free(c.routes);
    return status;
}
