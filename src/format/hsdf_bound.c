/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tokens an edge can hold. The tokens on a cycle, those that its actors are working on included, are always the same
 * number; so an edge never holds more than the fewest tokens on a cycle through it. An actor never works on more than that many
 * at once either, and an automaton, which has one clock for it, can work on one.
 *
 * No cycle limits how many inputs wait that arrive once per period: the longest of their waits does.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "format/hsdf.h"
#include "model/pipeline.h"

#include <inttypes.h>

#define NODES_MAX 5000 /* that anyone would give to a model checker */

struct bounding {
    struct weir_hsdf *hsdf;
    struct weir_hsdf_chain *chain;
    struct weir_distances *distances;
    int64_t *tokens;         /* by actor, to the actor at hand */
    uint32_t *actor_of;      /* by node */
    struct weir_query query; /* the chain's */
    const char *what;
    struct weir_error *error;
};

static int64_t add(int64_t a, int64_t b)
{
    return a == WEIR_FAR || b == WEIR_FAR ? WEIR_FAR : a + b;
}

static const char *operator_of(const struct bounding *b, uint32_t node, char quoted[WEIR_QUOTED])
{
    return weir_quote(b->hsdf->pipeline->operators[b->hsdf->nodes[node].op].name, quoted);
}

/* The fewest tokens from the end of `actor` to its next start, of those that leave by finish arcs. */
static int64_t tokens_around(const struct bounding *b, uint32_t actor)
{
    const struct weir_graph *g = b->hsdf->pipeline->graph;
    int64_t fewest = WEIR_FAR;
    for (uint32_t r = g->out_first[actor]; r < g->out_first[actor + 1]; r++) {
        const struct weir_run *run = &g->out_runs[r];
        for (uint32_t i = run->first; i < run->end && run->finish; i++) {
            int64_t tokens = add(run->tokens, b->tokens[g->heads[i]]);
            fewest = tokens < fewest ? tokens : fewest;
        }
    }
    return fewest;
}

/* How many inputs of query.from are at once between their arrival and the other end of the query. */
static enum weir_status count_waiting(const struct bounding *b, struct weir_query query, int64_t *count)
{
    char quoted[WEIR_QUOTED];
    const struct weir_pipeline *p = b->hsdf->pipeline;
    struct weir_separation worst;
    struct weir_solver *solver = weir_solver_new(p, b->error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &query, &worst, b->error);
    weir_solver_free(solver);
    if (status)
        return status;
    if (worst.outcome != WEIR_EXACT)
        return weir_fail(b->error, WEIR_INVALID, "inputs of \"%s\" may pile up without bound: %s needs a finite number of states",
                         weir_quote(p->operators[query.from.op.index].name, quoted), b->what);
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == query.from.op.index)
            *count = (worst.value > 0 ? worst.value : 0) / p->sources[i].period + 1;
    return WEIR_OK;
}

static enum weir_status set_bound(const struct bounding *b, struct weir_hsdf_edge *edge, int64_t tokens)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    if (tokens == WEIR_FAR)
        return weir_fail(
            b->error, WEIR_INVALID,
            "nothing limits how far \"%s\" gets ahead of \"%s\": %s needs a finite number of states; give their queue a "
            "capacity",
            operator_of(b, edge->tail, from), operator_of(b, edge->head, to), b->what);
    if (tokens > WEIR_HSDF_TIME_MAX)
        return weir_fail(b->error, WEIR_OVERFLOW, "the queue between \"%s\" and \"%s\" is too long for %s",
                         operator_of(b, edge->tail, from), operator_of(b, edge->head, to), b->what);
    edge->bound = (uint32_t)tokens;
    return WEIR_OK;
}

/* An arrival is followed by the next a period later, so one at a time; but many may wait for the operator. */
static enum weir_status bound_arrival(const struct bounding *b, uint32_t actor)
{
    struct weir_hsdf *h = b->hsdf;
    struct weir_operator op = {h->nodes[h->body[actor]].op};
    struct weir_query query = {.from = {.op = op, .moment = WEIR_ARRIVAL}, .to = {.op = op, .moment = WEIR_START}};
    int64_t waiting = 1;
    enum weir_status status = count_waiting(b, query, &waiting);
    for (uint32_t i = 0; i < h->edge_count && !status; i++)
        if (b->actor_of[h->edges[i].tail] == actor)
            status = set_bound(b, &h->edges[i], b->actor_of[h->edges[i].head] == actor ? 1 : waiting);
    return status;
}

/* The edges that leave the nodes of one actor; b->tokens are those to it. */
static enum weir_status bound_actor(const struct bounding *b, uint32_t actor)
{
    char quoted[WEIR_QUOTED];
    struct weir_hsdf *h = b->hsdf;
    int64_t around = tokens_around(b, actor);
    bool instant = h->nodes[h->body[actor]].hi == 0;
    if (h->nodes[h->body[actor]].part == WEIR_PART_ARRIVAL)
        return bound_arrival(b, actor);
    if (around > 1 && !(instant && around != WEIR_FAR))
        return weir_fail(b->error, WEIR_INVALID, "operator \"%s\" may overlap itself, which an automaton of %s cannot",
                         operator_of(b, h->body[actor], quoted), b->what);
    for (uint32_t i = 0; i < h->edge_count; i++) {
        struct weir_hsdf_edge *e = &h->edges[i];
        if (b->actor_of[e->tail] != actor)
            continue;
        int64_t tokens = add(e->tokens, b->tokens[b->actor_of[e->head]]);
        if (h->nodes[e->head].role == WEIR_HSDF_BODY && e->head != h->start[actor] && b->actor_of[e->head] == actor)
            tokens = around; /* from the start of the actor to its own body */
        if (h->nodes[e->head].role == WEIR_HSDF_DELAY)
            tokens =
                add(h->edges[i + 1].tokens, b->tokens[b->actor_of[h->edges[i + 1].head]]); /* the edge that leaves it is next */
        enum weir_status status = set_bound(b, e, tokens);
        if (status)
            return status;
        if (h->nodes[e->head].role == WEIR_HSDF_DELAY && tokens > 1)
            return weir_fail(b->error, WEIR_INTERNAL, "a period overlaps itself");
    }
    return WEIR_OK;
}

static enum weir_status bound_chain(const struct bounding *b)
{
    const struct weir_graph *g = b->hsdf->pipeline->graph;
    struct weir_hsdf_chain *p = b->chain;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    uint32_t first = b->actor_of[p->from], last = b->actor_of[p->to];
    weir_tokens_to(g, b->distances, last, false, b->tokens);
    int64_t ahead = b->tokens[first];
    weir_tokens_to(g, b->distances, first, false, b->tokens);
    int64_t behind = tokens_around(b, last);
    if (b->hsdf->nodes[p->from].part == WEIR_PART_ARRIVAL) {
        enum weir_status status = count_waiting(b, b->query, &behind);
        if (status)
            return status;
    }
    if (behind == WEIR_FAR)
        return weir_fail(b->error, WEIR_INVALID,
                         "nothing limits how far \"%s\" gets ahead of \"%s\": %s needs a finite number of states",
                         operator_of(b, p->from, from), operator_of(b, p->to, to), b->what);
    if (ahead == WEIR_FAR || p->shift < ahead)
        return weir_fail(b->error, WEIR_INVALID,
                         "the end of this latency may come before its beginning, which the automaton that measures it cannot see");
    if (behind > WEIR_HSDF_TIME_MAX / 4 || p->shift > WEIR_HSDF_TIME_MAX / 4)
        return weir_fail(b->error, WEIR_OVERFLOW, "the queues are too long for %s", b->what);
    p->gap_min = -ahead;
    p->gap_max = behind;
    return WEIR_OK;
}

static enum weir_status find_worst(const struct bounding *b)
{
    struct weir_separation worst;
    struct weir_solver *solver = weir_solver_new(b->hsdf->pipeline, b->error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &b->query, &worst, b->error);
    weir_solver_free(solver);
    if (status)
        return status;
    b->chain->known = worst.outcome == WEIR_EXACT && worst.value <= WEIR_HSDF_TIME_MAX;
    b->chain->worst = worst.value;
    return WEIR_OK;
}

static enum weir_status check_sizes(const struct bounding *b)
{
    char quoted[WEIR_QUOTED];
    const struct weir_hsdf *h = b->hsdf;
    if (h->node_count > NODES_MAX)
        return weir_fail(b->error, WEIR_INVALID, "%" PRIu32 " actors are too many for %s; the most is %d", h->node_count, b->what,
                         NODES_MAX);
    for (uint32_t i = 0; i < h->node_count; i++)
        if (h->nodes[i].hi > WEIR_HSDF_TIME_MAX)
            return weir_fail(b->error, WEIR_INVALID, "the time of \"%s\" is too long for %s: give the model a coarser unit",
                             operator_of(b, i, quoted), b->what);
    return WEIR_OK;
}

static enum weir_status bound_all(const struct bounding *b)
{
    const struct weir_graph *g = b->hsdf->pipeline->graph;
    enum weir_status status = check_sizes(b);
    uint32_t actor = 0;
    for (uint32_t i = 0; i < b->hsdf->node_count; i++) { /* nodes of actors come in their order, delays behind all of them */
        if (b->hsdf->nodes[i].role == WEIR_HSDF_DELAY)
            break;
        b->actor_of[i] = actor;
        actor += b->hsdf->nodes[i].role == WEIR_HSDF_BODY;
    }
    for (uint32_t i = 0; i < b->hsdf->edge_count; i++)
        if (b->hsdf->nodes[b->hsdf->edges[i].head].role == WEIR_HSDF_DELAY)
            b->actor_of[b->hsdf->edges[i].head] = b->actor_of[b->hsdf->edges[i].tail];
    for (uint32_t v = 0; v < g->actor_count && !status; v++) {
        weir_tokens_to(g, b->distances, v, false, b->tokens);
        status = bound_actor(b, v);
    }
    if (!status)
        status = bound_chain(b);
    return status ? status : find_worst(b);
}

enum weir_status weir_hsdf_bound(struct weir_hsdf *h, uint32_t index, struct weir_hsdf_chain *chain, const char *what,
                                 struct weir_error *error)
{
    struct bounding b = {.hsdf = h, .chain = chain, .what = what, .error = error};
    const struct weir_chain_spec *spec = &h->pipeline->chains[index];
    bool arrivals = h->pipeline->graph->arrival_of[spec->from.index] != WEIR_NO_ACTOR;
    b.query = (struct weir_query){.from = {.op = spec->from, .moment = arrivals ? WEIR_ARRIVAL : WEIR_START},
                                  .to = {.op = spec->to, .moment = WEIR_FINISH},
                                  .shift = spec->shift};
    enum weir_status status;
    weir_hsdf_find_chain(h, index, chain);
    b.distances = weir_distances_new(h->pipeline->graph);
    b.tokens = weir_array(h->pipeline->graph->actor_count, sizeof *b.tokens);
    b.actor_of = weir_array(h->node_count, sizeof *b.actor_of);
    if (!b.distances || !b.tokens || !b.actor_of)
        status = weir_fail_memory(error);
    else
        status = bound_all(&b);
    weir_free(b.actor_of);
    weir_free(b.tokens);
    weir_distances_free(b.distances);
    return status;
}
