/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tokens an edge can hold, and how often a node runs at once. When firing i of an actor a starts in round r, firing k of b
 * has started in the rounds up to r - D(k, i), where D is the fewest tokens of a path of the event graph from the one to the other.
 * So an edge with d tokens, on which a puts p and b takes c, holds at most
 *
 *     d + p (r n_a + i + 1) - c sum over k of (r - D(k, i) + 1) = d + p (i + 1) - c n_b + c sum over k of D(k, i)
 *
 * where n are firings in a round, p n_a = c n_b. In a homogeneous graph that is d + D. Likewise a has at most
 *
 *     i + 1 - n_a + sum over k of A(k, i)
 *
 * runs at once, where A(k, i) is D from what the end of firing k leads to: an automaton, which has one clock, works on one of them.
 *
 * No cycle limits how many inputs wait that arrive once per period, or ticks that are caught up with: the longest of their waits
 * does.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "format/hsdf.h"
#include "model/pipeline.h"

#include <inttypes.h>

#define NODES_MAX 5000                /* that anyone would give to a model checker */
#define FAR_ENOUGH (INT64_C(1) << 40) /* more tokens than are written, and few enough to be multiplied */

struct bounding {
    struct weir_hsdf *hsdf;
    struct weir_hsdf_chain *chain;
    struct weir_distances *distances;
    int64_t *tokens; /* by actor, to the actor at hand */
    const struct weir_chain_spec *spec;
    bool arrives; /* the latency counts from an arrival */
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

/* The fewest tokens from the end of `actor` to the actor at hand, of those that leave by finish arcs. */
static int64_t tokens_from_end(const struct bounding *b, uint32_t actor)
{
    const struct weir_graph *g = b->hsdf->pipeline->graph;
    int64_t fewest = WEIR_FAR;
    for (uint32_t r = g->out_first[actor]; r < g->out_first[actor + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t i = run->first; i < run->end && run->finish; i++) {
            int64_t tokens = add(run->tokens, b->tokens[g->heads[i]]);
            fewest = tokens < fewest ? tokens : fewest;
        }
    }
    return fewest;
}

/* The sum over a group of the fewest tokens to the actor at hand, from the starts of its actors or from their ends. */
static int64_t tokens_from_group(const struct bounding *b, uint32_t group, bool ends)
{
    int64_t sum = 0;
    for (uint32_t m = b->hsdf->member_first[group]; m < b->hsdf->member_first[group + 1]; m++) {
        uint32_t actor = b->hsdf->members[m];
        sum = add(sum, ends ? tokens_from_end(b, actor) : b->tokens[actor]);
    }
    return sum != WEIR_FAR && sum > FAR_ENOUGH ? FAR_ENOUGH : sum;
}

/* ---- what waits for a time ---- */

/* The longest of the separations of what is asked, each as far as some firing of query.from goes; at least 0. */
static enum weir_status find_longest(const struct bounding *b, const struct weir_pipeline *p, struct weir_query query,
                                     const int64_t *target, struct weir_separation *longest)
{
    uint32_t from = weir_pipeline_firings(p, query.from.op), to = weir_pipeline_firings(p, query.to.op);
    struct weir_solver *solver = weir_solver_new(p, b->error);
    enum weir_status status = WEIR_OK;
    *longest = (struct weir_separation){.outcome = WEIR_EXACT};
    for (uint32_t k = 0; k < from && solver && !status && longest->outcome == WEIR_EXACT; k++) {
        struct weir_separation one;
        int64_t firing = target ? target[k] % to : k;
        query.from.firing = k;
        query.to.firing = (uint32_t)(firing < 0 ? firing + to : firing);
        query.shift = target ? (target[k] - query.to.firing) / to : 0;
        status = weir_separation_worst(solver, &query, &one, b->error);
        if (!status && one.outcome != WEIR_NO_EVENTS && (one.outcome != WEIR_EXACT || one.value > longest->value))
            *longest = one;
    }
    weir_solver_free(solver);
    return solver ? status : WEIR_MEMORY;
}

/* How many inputs of an operator, or ticks, are at once between their arrival and the other end. */
static enum weir_status count_waiting(const struct bounding *b, const struct weir_pipeline *p, struct weir_query query,
                                      const int64_t *target, int64_t *count)
{
    char quoted[WEIR_QUOTED];
    struct weir_separation worst;
    enum weir_status status = find_longest(b, p, query, target, &worst);
    if (status)
        return status;
    if (worst.outcome != WEIR_EXACT)
        return weir_fail(b->error, WEIR_INVALID, "inputs of \"%s\" may pile up without bound: %s needs a finite number of states",
                         weir_quote(p->operators[query.from.op.index].name, quoted), b->what);
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == query.from.op.index)
            *count = worst.value / p->sources[i].period + 1;
    return WEIR_OK;
}

/* Ticks that are caught up with hold an operator back as arrivals do, and of arrivals it is known how long they wait. */
static enum weir_status count_ticks(const struct bounding *b, struct weir_query query, int64_t *count)
{
    struct weir_pipeline *copy = weir_pipeline_copy(b->hsdf->pipeline, b->error);
    if (!copy)
        return WEIR_MEMORY;
    for (size_t i = 0; i < copy->source_count; i++)
        if (copy->sources[i].op.index == query.from.op.index)
            copy->sources[i].arrivals = WEIR_ARRIVALS_EXACT;
    enum weir_status status = weir_pipeline_seal_alone(copy, b->error);
    if (!status)
        status = count_waiting(b, copy, query, NULL, count);
    weir_pipeline_free(copy);
    return status;
}

/* ---- edges and nodes ---- */

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
    if (tokens > edge->bound)
        edge->bound = (uint32_t)tokens;
    return WEIR_OK;
}

/* An arrival or a tick is followed by the next a period later, so one at a time; but many may wait for the operator. */
static enum weir_status bound_clock(const struct bounding *b, uint32_t group)
{
    struct weir_hsdf *h = b->hsdf;
    const struct weir_hsdf_node *node = &h->nodes[h->body[h->members[h->member_first[group]]]];
    struct weir_operator op = {node->op};
    struct weir_query query = {.from = {.op = op, .moment = WEIR_ARRIVAL}, .to = {.op = op, .moment = WEIR_START}};
    int64_t waiting = 1;
    enum weir_status status =
        node->part == WEIR_PART_ARRIVAL ? count_waiting(b, h->pipeline, query, NULL, &waiting) : count_ticks(b, query, &waiting);
    for (uint32_t i = 0; i < h->edge_count && !status; i++)
        if (h->nodes[h->edges[i].tail].group == group)
            status = set_bound(b, &h->edges[i], h->nodes[h->edges[i].head].group == group ? 1 : waiting);
    return status;
}

/* Nobody tells apart which execution and which receive of an operator belong together once either may overtake others. */
static enum weir_status set_lanes(const struct bounding *b, uint32_t group, int64_t around)
{
    char quoted[WEIR_QUOTED];
    struct weir_hsdf *h = b->hsdf;
    struct weir_hsdf_node *node = &h->nodes[h->body[h->members[h->member_first[group]]]];
    const struct weir_operator_spec *spec = &h->pipeline->operators[node->op];
    uint32_t number = (uint32_t)(node - h->nodes);
    if (around == WEIR_FAR || around > NODES_MAX)
        return weir_fail(b->error, WEIR_INVALID,
                         "nothing limits how often operator \"%s\" overlaps itself: %s needs a finite number of states; give the "
                         "queues behind it a capacity",
                         operator_of(b, number, quoted), b->what);
    if (around > 1 && spec->reentrant && spec->receive_max && node->part != WEIR_PART_TRANSFER)
        return weir_fail(b->error, WEIR_INVALID,
                         "operator \"%s\" is reentrant and receives late: its iterations may end in any order, which %s has no way "
                         "to say",
                         operator_of(b, number, quoted), b->what);
    if (around > node->lanes)
        node->lanes = (uint32_t)around;
    return WEIR_OK;
}

/* What the edge from firing i, the actor at hand, can hold. */
static int64_t tokens_on(const struct bounding *b, const struct weir_hsdf_edge *edge, uint32_t i)
{
    uint32_t group = b->hsdf->nodes[edge->head].group;
    int64_t back = tokens_from_group(b, group, false);
    if (back == WEIR_FAR)
        return WEIR_FAR;
    return edge->tokens + (int64_t)edge->produce * (i + 1) + edge->consume * (back - weir_hsdf_firings(b->hsdf, group));
}

/* The edges that leave the nodes of one actor, the one at hand, which is firing i of its group. */
static enum weir_status bound_firing(const struct bounding *b, uint32_t group, uint32_t i)
{
    struct weir_hsdf *h = b->hsdf;
    int64_t own = weir_hsdf_firings(h, group), around = add(tokens_from_group(b, group, true), i + 1 - own);
    enum weir_status status = set_lanes(b, group, around);
    for (uint32_t k = 0; k < h->edge_count && !status; k++) {
        struct weir_hsdf_edge *e = &h->edges[k];
        const struct weir_hsdf_node *head = &h->nodes[e->head];
        if (h->nodes[e->tail].group != group)
            continue;
        if (head->group == group && head->role == WEIR_HSDF_BODY && h->nodes[e->tail].role == WEIR_HSDF_START)
            status = set_bound(b, e, around); /* from the start of the actor to its own body */
        else if (head->role == WEIR_HSDF_DELAY)
            status = set_bound(b, e, 1);
        else
            status = set_bound(b, e, tokens_on(b, e, i));
    }
    return status;
}

/* ---- the latency ---- */

static enum weir_status find_gap(const struct bounding *b)
{
    const struct weir_hsdf *h = b->hsdf;
    struct weir_hsdf_chain *c = b->chain;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    uint32_t first = h->nodes[c->from].group, last = h->nodes[c->to].group;
    bool seen = true;
    c->gap_min = 0;
    for (uint32_t j = 0; j < c->to_firings; j++) {
        weir_tokens_to(h->pipeline->graph, b->distances, h->members[h->member_first[last] + j], false, b->tokens);
        int64_t ahead = b->tokens[h->members[h->member_first[first + 1] - 1]]; /* of the last firing: the rounds that began */
        int64_t gap = ahead == WEIR_FAR ? 0 : c->to_firings * (1 - ahead) - (j + 1);
        c->gap_min = gap < c->gap_min ? gap : c->gap_min;
        for (uint32_t k = 0; k < c->from_firings; k++)
            if (c->target[k] - j >= 0 ? (c->target[k] - j) % c->to_firings == 0 : c->to_firings == 1) {
                int64_t tokens = b->tokens[h->members[h->member_first[first] + k]];
                seen &= tokens != WEIR_FAR && tokens <= (c->target[k] - j) / c->to_firings;
            }
        seen &= ahead != WEIR_FAR;
    }
    weir_tokens_to(h->pipeline->graph, b->distances, h->members[h->member_first[first + 1] - 1], false, b->tokens);
    c->gap_max = tokens_from_group(b, last, true);
    if (b->arrives) {
        enum weir_status status = count_waiting(b, h->pipeline,
                                                (struct weir_query){.from = {.op = b->spec->from, .moment = WEIR_ARRIVAL},
                                                                    .to = {.op = b->spec->to, .moment = WEIR_FINISH}},
                                                c->target, &c->gap_max);
        if (status)
            return status;
        if (h->pipeline->firings)
            c->gap_max = c->to_firings * (c->gap_max / c->from_firings + 1);
    }
    if (c->gap_max == WEIR_FAR)
        return weir_fail(b->error, WEIR_INVALID,
                         "nothing limits how far \"%s\" gets ahead of \"%s\": %s needs a finite number of states",
                         operator_of(b, c->from, from), operator_of(b, c->to, to), b->what);
    if (!seen)
        return weir_fail(b->error, WEIR_INVALID,
                         "the end of this latency may come before its beginning, which the automaton that measures it cannot see");
    return WEIR_OK;
}

/* Starts of an operator that overlaps itself are counted apart from its ends. */
static enum weir_status check_self(const struct bounding *b)
{
    const struct weir_hsdf_chain *c = b->chain;
    char quoted[WEIR_QUOTED];
    bool same = c->from != c->to || b->hsdf->nodes[c->to].lanes < 2;
    for (uint32_t k = 0; k < c->from_firings && !same; k++)
        if (c->target[k] != k)
            return weir_fail(
                b->error, WEIR_INVALID,
                "operator \"%s\" may overlap itself, and this latency leads to another of its own iterations: %s has no "
                "way to say that",
                operator_of(b, c->from, quoted), b->what);
    return WEIR_OK;
}

static enum weir_status bound_chain(const struct bounding *b)
{
    struct weir_hsdf_chain *c = b->chain;
    enum weir_status status = find_gap(b);
    if (status)
        return status;
    status = check_self(b);
    if (status)
        return status;
    c->target_max = c->target[0];
    for (uint32_t k = 1; k < c->from_firings; k++)
        c->target_max = c->target[k] > c->target_max ? c->target[k] : c->target_max;
    if (c->gap_max > WEIR_HSDF_TIME_MAX / 4 || c->target_max > WEIR_HSDF_TIME_MAX / 4)
        return weir_fail(b->error, WEIR_OVERFLOW, "the queues are too long for %s", b->what);
    struct weir_separation worst;
    struct weir_query query = {.from = {.op = b->spec->from, .moment = b->arrives ? WEIR_ARRIVAL : WEIR_START},
                               .to = {.op = b->spec->to, .moment = WEIR_FINISH}};
    status = find_longest(b, b->hsdf->pipeline, query, c->target, &worst);
    c->known = !status && worst.outcome == WEIR_EXACT && worst.value <= WEIR_HSDF_TIME_MAX;
    c->worst = worst.value;
    return status;
}

static enum weir_status check_sizes(const struct bounding *b)
{
    char quoted[WEIR_QUOTED];
    const struct weir_hsdf *h = b->hsdf;
    uint32_t actors = h->pipeline->firings ? h->pipeline->graph->actor_count : h->node_count;
    if (actors > NODES_MAX)
        return weir_fail(b->error, WEIR_INVALID, "%" PRIu32 " actors are too many for %s; the most is %d", actors, b->what,
                         NODES_MAX);
    for (uint32_t i = 0; i < h->node_count; i++)
        if (h->nodes[i].hi > WEIR_HSDF_TIME_MAX)
            return weir_fail(b->error, WEIR_INVALID, "the time of \"%s\" is too long for %s: give the model a coarser unit",
                             operator_of(b, i, quoted), b->what);
    return WEIR_OK;
}

static enum weir_status bound_all(const struct bounding *b)
{
    struct weir_hsdf *h = b->hsdf;
    enum weir_status status = check_sizes(b);
    for (uint32_t group = 0; group < h->group_count && !status; group++) {
        uint32_t first = h->member_first[group], part = h->nodes[h->body[h->members[first]]].part;
        if (part == WEIR_PART_ARRIVAL || part == WEIR_PART_TICK) {
            status = bound_clock(b, group);
            continue;
        }
        for (uint32_t i = 0; i < weir_hsdf_firings(h, group) && !status; i++) {
            weir_tokens_to(h->pipeline->graph, b->distances, h->members[first + i], false, b->tokens);
            status = bound_firing(b, group, i);
        }
    }
    return status ? status : bound_chain(b);
}

enum weir_status weir_hsdf_bound(struct weir_hsdf *h, uint32_t index, struct weir_hsdf_chain *chain, const char *what,
                                 struct weir_error *error)
{
    struct bounding b = {.hsdf = h, .chain = chain, .spec = &h->pipeline->chains[index], .what = what, .error = error};
    const struct weir_graph *g = h->pipeline->graph;
    b.arrives = g->arrival_of[g->firing_first[b.spec->from.index]] != WEIR_NO_ACTOR;
    enum weir_status status;
    b.distances = weir_distances_new(g);
    b.tokens = weir_array(g->actor_count, sizeof *b.tokens);
    if (!b.distances || !b.tokens)
        status = weir_fail_memory(error);
    else
        status = bound_all(&b);
    weir_free(b.tokens);
    weir_distances_free(b.distances);
    return status;
}
