/* SPDX-License-Identifier: Apache-2.0 */
#include "format/hsdf.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the arc belongs in the graph. The order in which a reentrant operator begins its iterations does not: tokens have it.
 * That of launches into a stream, from the end of one to the start of another, does. */
static bool counts(const struct weir_run *run)
{
    return run->wait != WEIR_WAIT_ORDER || run->finish;
}

static void add_node(struct weir_hsdf *h, uint32_t actor, enum weir_hsdf_role role, int64_t lo, int64_t hi)
{
    const struct weir_actor *a = &h->pipeline->graph->actors[actor];
    h->nodes[h->node_count++] = (struct weir_hsdf_node){a->op, (enum weir_part)a->part, role, lo, hi};
}

static void add_edge(struct weir_hsdf *h, uint32_t tail, uint32_t head, uint32_t tokens)
{
    h->edges[h->edge_count++] = (struct weir_hsdf_edge){.tail = tail, .head = head, .tokens = tokens};
}

static void add_actors(struct weir_hsdf *h)
{
    const struct weir_graph *g = h->pipeline->graph;
    for (uint32_t v = 0; v < g->actor_count; v++) {
        bool split = false;
        for (uint32_t r = g->out_first[v]; r < g->out_first[v + 1]; r++)
            split |= !g->out_runs[r].finish && counts(&g->out_runs[r]);
        h->start[v] = h->node_count;
        if (split)
            add_node(h, v, WEIR_HSDF_START, 0, 0);
        h->body[v] = h->node_count;
        add_node(h, v, WEIR_HSDF_BODY, g->lo[v], g->hi[v]);
        if (split)
            add_edge(h, h->start[v], h->body[v], 0);
    }
}

static void add_arcs(struct weir_hsdf *h)
{
    const struct weir_graph *g = h->pipeline->graph;
    for (uint32_t v = 0; v < g->actor_count; v++)
        for (uint32_t r = g->out_first[v]; r < g->out_first[v + 1]; r++) {
            const struct weir_run *run = &g->out_runs[r];
            for (uint32_t i = run->first; i < run->end && counts(run); i++) {
                uint32_t tail = run->finish ? h->body[v] : h->start[v];
                if (run->offset) {
                    add_edge(h, tail, h->node_count, 0);
                    tail = h->node_count;
                    add_node(h, v, WEIR_HSDF_DELAY, run->offset, run->offset);
                }
                add_edge(h, tail, h->start[g->heads[i]], run->tokens);
            }
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
    size_t delays = 0;
    for (uint32_t r = 0; r < g->out_first[g->actor_count]; r++)
        delays += g->out_runs[r].offset ? g->out_runs[r].end - g->out_runs[r].first : 0;
    h->nodes = weir_array(2 * (size_t)g->actor_count + delays, sizeof *h->nodes);
    h->edges = weir_array(g->arc_count + g->actor_count + delays, sizeof *h->edges);
    h->start = weir_array(g->actor_count, sizeof *h->start);
    h->body = weir_array(g->actor_count, sizeof *h->body);
    if (!h->nodes || !h->edges || !h->start || !h->body)
        return weir_fail_memory(error);
    add_actors(h);
    add_arcs(h);
    return WEIR_OK;
}

void weir_hsdf_free(struct weir_hsdf *h)
{
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
    size_t length = strlen(op) + strlen(word) + 2;
    struct weir_operator taken;
    for (;; length++) {
        if (!weir_reserve(&name->text, &name->capacity, length + 1, 1))
            return NULL;
        size_t used = (size_t)snprintf(name->text, name->capacity, "%s.%s", op, word);
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

void weir_hsdf_find_chain(const struct weir_hsdf *h, uint32_t index, struct weir_hsdf_chain *chain)
{
    const struct weir_graph *g = h->pipeline->graph;
    const struct weir_chain_spec *spec = &h->pipeline->chains[index];
    uint32_t arrival = g->arrival_of[spec->from.index];
    uint32_t from = arrival != WEIR_NO_ACTOR ? arrival : g->start_of[spec->from.index];
    *chain = (struct weir_hsdf_chain){.from = h->start[from], .to = h->body[g->finish_of[spec->to.index]], .shift = spec->shift};
}
