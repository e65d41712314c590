/* SPDX-License-Identifier: Apache-2.0 */
#include "format/hsdf.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/firings.h"
#include "model/pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the arc belongs in the graph. The order in which a reentrant operator begins its iterations does not: tokens have it.
 * That of launches into a stream, from the end of one to the start of another, does. */
static bool counts(const struct weir_arc_run *run)
{
    return run->wait != WEIR_WAIT_ORDER || run->finish;
}

static void add_node(struct weir_hsdf *h, uint32_t actor, enum weir_hsdf_role role, int64_t lo, int64_t hi)
{
    const struct weir_actor *a = &h->pipeline->graph->actors[actor];
    h->nodes[h->node_count++] = (struct weir_hsdf_node){.op = a->op,
                                                        .part = (enum weir_part)a->part,
                                                        .role = role,
                                                        .group = h->group[actor],
                                                        .number = a->queue,
                                                        .lo = lo,
                                                        .hi = hi,
                                                        .lanes = 1};
}

bool weir_hsdf_add_edge(struct weir_hsdf *h, struct weir_hsdf_edge edge)
{
    if (!weir_reserve(&h->edges, &h->edge_capacity, (size_t)h->edge_count + 1, sizeof *h->edges))
        return false;
    h->edges[h->edge_count++] = edge;
    return true;
}

/* The edge that leaves the delay is the next one behind that to it. */
bool weir_hsdf_add_delay(struct weir_hsdf *h, uint32_t actor, int64_t time, struct weir_hsdf_edge edge)
{
    uint32_t delay = h->node_count, head = edge.head, tokens = edge.tokens;
    edge.head = delay;
    edge.tokens = 0;
    if (!weir_hsdf_add_edge(h, edge))
        return false;
    add_node(h, actor, WEIR_HSDF_DELAY, time, time);
    edge.tail = delay;
    edge.head = head;
    edge.tokens = tokens;
    return weir_hsdf_add_edge(h, edge);
}

/* ---- groups ---- */

struct member {
    struct weir_actor actor;
    uint32_t index;
};

static int by_part(const void *left, const void *right)
{
    const struct weir_actor *a = &((const struct member *)left)->actor, *b = &((const struct member *)right)->actor;
    const uint32_t keys[][2] = {{a->op, b->op}, {a->part, b->part}, {a->queue, b->queue}, {a->firing, b->firing}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* In the order of their first actors in the event graph. */
static bool find_groups(struct weir_hsdf *h)
{
    const struct weir_graph *g = h->pipeline->graph;
    struct member *sorted = h->pipeline->firings ? weir_array(g->actor_count, sizeof *sorted) : NULL;
    uint32_t *place = h->pipeline->firings ? weir_array(g->actor_count, sizeof *place) : NULL, count = 0;
    bool good = !h->pipeline->firings || (sorted && place);
    for (uint32_t v = 0; v < g->actor_count && sorted; v++)
        sorted[v] = (struct member){g->actors[v], v};
    if (good && sorted)
        qsort(sorted, g->actor_count, sizeof *sorted, by_part);
    for (uint32_t i = 0; i < g->actor_count && sorted && place; i++)
        place[sorted[i].index] = i;
    h->member_first[0] = 0;
    for (uint32_t v = 0; v < g->actor_count && good; v++) {
        if (sorted && g->actors[v].firing)
            continue;
        uint32_t first = sorted && place ? place[v] : v, i = first;
        do {
            uint32_t member = sorted ? sorted[i].index : v;
            h->group[member] = h->group_count;
            h->members[count++] = member;
            i++;
        } while (sorted && i < g->actor_count && sorted[i].actor.firing);
        h->member_first[++h->group_count] = count;
    }
    weir_free(place);
    weir_free(sorted);
    return good;
}

/* ---- nodes, and the edges of a homogeneous graph ---- */

/* Whether something waits for the start of an actor of the group. With rates, tokens no longer have the order of a reentrant
 * operator: its runs are distinguished. */
static bool is_split(const struct weir_hsdf *h, uint32_t group)
{
    const struct weir_graph *g = h->pipeline->graph;
    for (uint32_t m = h->member_first[group]; m < h->member_first[group + 1]; m++)
        for (uint32_t v = h->members[m], r = g->out_first[v]; r < g->out_first[v + 1]; r++)
            if (!g->out_runs[r].finish && (counts(&g->out_runs[r]) || h->pipeline->firings))
                return true;
    return false;
}

static bool add_actors(struct weir_hsdf *h)
{
    const struct weir_graph *g = h->pipeline->graph;
    bool good = true;
    for (uint32_t group = 0; group < h->group_count; group++) {
        uint32_t v = h->members[h->member_first[group]], start = h->node_count, body;
        bool split = is_split(h, group);
        if (split)
            add_node(h, v, WEIR_HSDF_START, 0, 0);
        body = h->node_count;
        add_node(h, v, WEIR_HSDF_BODY, g->lo[v], g->hi[v]);
        for (uint32_t m = h->member_first[group]; m < h->member_first[group + 1]; m++) {
            h->start[h->members[m]] = start;
            h->body[h->members[m]] = body;
        }
        if (split)
            good &= weir_hsdf_add_edge(h, (struct weir_hsdf_edge){.tail = start, .head = body, .produce = 1, .consume = 1});
    }
    return good;
}

static bool add_arcs(struct weir_hsdf *h)
{
    const struct weir_graph *g = h->pipeline->graph;
    bool good = true;
    for (uint32_t v = 0; v < g->actor_count; v++)
        for (uint32_t r = g->out_first[v]; r < g->out_first[v + 1]; r++) {
            const struct weir_arc_run *run = &g->out_runs[r];
            for (uint32_t i = run->first; i < run->end && counts(run) && good; i++) {
                struct weir_hsdf_edge edge = {.tail = run->finish ? h->body[v] : h->start[v],
                                              .head = h->start[g->heads[i]],
                                              .tokens = run->tokens,
                                              .produce = 1,
                                              .consume = 1};
                good = run->offset ? weir_hsdf_add_delay(h, v, run->offset, edge) : weir_hsdf_add_edge(h, edge);
            }
        }
    return good;
}

/* Queues name transfers in the event graph; here those to one operator are counted. */
static void number_transfers(struct weir_hsdf *h)
{
    for (uint32_t i = 0; i < h->node_count; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < i && h->nodes[i].part == WEIR_PART_TRANSFER; k++)
            before += h->nodes[k].part == WEIR_PART_TRANSFER && h->nodes[k].op == h->nodes[i].op;
        h->nodes[i].number = before;
    }
}

enum weir_status weir_hsdf_build(struct weir_hsdf *h, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    *h = (struct weir_hsdf){.pipeline = pipeline};
    if (!pipeline->sealed)
        return weir_fail(error, WEIR_INVALID, "the pipeline has to be sealed before it is written in this format");
    const struct weir_graph *g = pipeline->graph;
    if (g->arc_count > UINT32_MAX / 4)
        return weir_fail(error, WEIR_OVERFLOW, "too many queues for this format");
    size_t delays = pipeline->source_count;
    for (uint32_t r = 0; r < g->out_first[g->actor_count]; r++)
        delays += g->out_runs[r].offset ? g->out_runs[r].end - g->out_runs[r].first : 0;
    h->nodes = weir_array(2 * (size_t)g->actor_count + delays, sizeof *h->nodes);
    h->group = weir_array(g->actor_count, sizeof *h->group);
    h->start = weir_array(g->actor_count, sizeof *h->start);
    h->body = weir_array(g->actor_count, sizeof *h->body);
    h->members = weir_array(g->actor_count, sizeof *h->members);
    h->member_first = weir_array((size_t)g->actor_count + 1, sizeof *h->member_first);
    if (!h->nodes || !h->group || !h->start || !h->body || !h->members || !h->member_first || !find_groups(h) || !add_actors(h))
        return weir_fail_memory(error);
    enum weir_status status = pipeline->firings ? weir_hsdf_add_rates(h, error) : add_arcs(h) ? WEIR_OK : weir_fail_memory(error);
    number_transfers(h);
    return status;
}

void weir_hsdf_free(struct weir_hsdf *h)
{
    weir_free(h->member_first);
    weir_free(h->members);
    weir_free(h->group);
    weir_free(h->body);
    weir_free(h->start);
    weir_free(h->edges);
    weir_free(h->nodes);
}

/* ---- names ---- */

/* What comes behind the operator's name; NULL for its execution. Without a point, so that a name's last point tells it apart. */
static const char *word_of(const struct weir_hsdf_node *node)
{
    static const char *const words[][3] = {
        [WEIR_PART_EXECUTION] = {NULL, "start", "period"},
        [WEIR_PART_RECEIVE] = {"receive", "receive_start", "receive_period"},
        [WEIR_PART_ARRIVAL] = {"arrival", "arrival_start", "arrival_period"},
        [WEIR_PART_DONE] = {"done", "done_start", "done_period"},
        [WEIR_PART_GPU] = {"gpu", "gpu_start", "gpu_period"},
        [WEIR_PART_AFTER] = {"after", "after_start", "after_period"},
        [WEIR_PART_TRANSFER] = {"transfer", "transfer_start", "transfer_period"},
        [WEIR_PART_TICK] = {"tick", "tick_start", "tick_period"},
    };
    return words[node->part][node->role];
}

const char *weir_hsdf_name(const struct weir_hsdf *h, uint32_t number, struct weir_hsdf_name *name)
{
    const struct weir_hsdf_node *node = &h->nodes[number];
    const char *op = h->pipeline->operators[node->op].name, *word = word_of(node);
    if (!word)
        return op;
    char numbered[32];
    snprintf(numbered, sizeof numbered, node->number ? "%s_%" PRIu32 : "%s", word, node->number + 1);
    size_t length = strlen(op) + strlen(numbered) + 2;
    struct weir_operator taken;
    for (;; length++) {
        if (!weir_reserve(&name->text, &name->capacity, length + 1, 1))
            return NULL;
        size_t used = (size_t)snprintf(name->text, name->capacity, "%s.%s", op, numbered);
        memset(name->text + used, '_', length - 1 - used);
        name->text[length - 1] = 0;
        if (!weir_pipeline_find(h->pipeline, name->text, &taken))
            return name->text;
    }
}

const char *weir_hsdf_identifier(const struct weir_hsdf *h, uint32_t number, char text[WEIR_HSDF_IDENTIFIER])
{
    const struct weir_hsdf_node *node = &h->nodes[number];
    const char *op = h->pipeline->operators[node->op].name, *word = word_of(node);
    size_t used = 0;
    for (; *op && used < 24; op++) {
        bool plain = (*op >= 'a' && *op <= 'z') || (*op >= 'A' && *op <= 'Z') || (*op >= '0' && *op <= '9' && used > 0);
        if (plain)
            text[used++] = *op;
        else if (used > 0 && text[used - 1] != '_')
            text[used++] = '_';
    }
    if (used == 0)
        text[used++] = 'n';
    snprintf(text + used, WEIR_HSDF_IDENTIFIER - used, "_%" PRIu32 "%s%s", number, word ? "_" : "", word ? word : "");
    return text;
}

enum weir_status weir_hsdf_find_chain(const struct weir_hsdf *h, uint32_t index, struct weir_hsdf_chain *chain,
                                      struct weir_error *error)
{
    const struct weir_pipeline *p = h->pipeline;
    const struct weir_graph *g = p->graph;
    const struct weir_chain_spec *spec = &p->chains[index];
    uint32_t first = g->firing_first[spec->from.index], arrival = g->arrival_of[first];
    uint32_t from = arrival != WEIR_NO_ACTOR ? arrival : g->start_of[first];
    *chain = (struct weir_hsdf_chain){.from = h->start[from],
                                      .to = h->body[g->finish_of[g->firing_first[spec->to.index]]],
                                      .from_firings = weir_pipeline_firings(p, spec->from),
                                      .to_firings = weir_pipeline_firings(p, spec->to)};
    chain->target = weir_array(chain->from_firings, sizeof *chain->target);
    struct weir_routes *routes = p->firings ? weir_routes_new(p) : NULL;
    bool good = chain->target && (routes || !p->firings);
    for (uint32_t k = 0; k < chain->from_firings && good; k++)
        chain->target[k] = routes ? weir_routes_from(routes, spec->from, k)[spec->to.index] : spec->shift;
    weir_routes_free(routes);
    return good ? WEIR_OK : weir_fail_memory(error);
}

void weir_hsdf_chain_free(struct weir_hsdf_chain *chain)
{
    weir_free(chain->target);
}

bool weir_hsdf_is_step(const struct weir_hsdf *h, const struct weir_hsdf_chain *chain, uint32_t number)
{
    const struct weir_hsdf_node *node = &h->nodes[number];
    return node->role == WEIR_HSDF_START || (node->hi == 0 && node->lanes > 1 && number != chain->from && number != chain->to);
}
