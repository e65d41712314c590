/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs within a graph, and the dependencies that are left when nodes that take no time are taken out. A node that launches a
 * graph becomes two: where the graph begins, and behind the nodes of the file where it ends. Both take no time.
 */
#include "read/cuda/cuda.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX (UINT64_C(1) << 28) /* edges walked to find dependencies */

struct member {
    uint32_t graph, node;
};

/* ---- graphs within the graph ---- */

static int by_graph(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void add_edge(struct weir_cuda *c, uint32_t from, uint32_t to)
{
    weir_draft_add_queue(c->dot, &(struct weir_draft_queue){.from = from, .to = to, .place = c->nodes[from].place});
}

struct joining {
    struct member *members; /* by graph */
    size_t count;           /* nodes of the file */
    size_t edges;           /* ... and edges */
    bool *has_input, *has_output;
    uint32_t *end_of;   /* by node: where the graph that it launches ends; the node itself where it launches none */
    uint32_t *launcher; /* by node: that launches the graph which the node is in, plus one; 0: none */
};

static bool open_joining(struct weir_cuda *c, struct joining *j)
{
    size_t n = j->count;
    j->members = weir_array(n, sizeof *j->members);
    j->has_input = weir_array_zeroed(n, sizeof *j->has_input);
    j->has_output = weir_array_zeroed(n, sizeof *j->has_output);
    j->end_of = weir_array(n, sizeof *j->end_of);
    j->launcher = weir_array_zeroed(n, sizeof *j->launcher);
    if (!j->members || !j->has_input || !j->has_output || !j->end_of || !j->launcher)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        j->members[i] = (struct member){c->nodes[i].graph, i};
        j->end_of[i] = i;
    }
    qsort(j->members, n, sizeof *j->members, by_graph);
    for (size_t i = 1; i < n; i++)
        c->several |= j->members[i].graph != j->members[0].graph;
    for (size_t i = 0; i < j->edges; i++) {
        const struct weir_draft_queue *q = weir_draft_queue(c->dot, i);
        j->has_output[q->from] = j->has_input[q->to] = true;
    }
    return true;
}

static bool is_before(const void *member, const void *graph)
{
    return ((const struct member *)member)->graph < *(const uint32_t *)graph;
}

/* The first node of a graph in the list of members. */
static size_t first_member(const struct joining *j, uint32_t graph)
{
    return weir_count_before(j->members, j->count, sizeof *j->members, is_before, &graph);
}

/* The node that ends the graph which `node` launches. */
static bool add_end(struct weir_cuda *c, struct joining *j, uint32_t node)
{
    char *name = weir_arena_take(&c->dot->arena, strlen(c->nodes[node].id) + 8);
    if (!name) {
        c->dot->out_of_memory = true;
        return false;
    }
    size_t bytes = (size_t)sprintf(name, "%s (end)", c->nodes[node].id);
    uint32_t op = weir_draft_find(c->dot, name, bytes);
    if (op == WEIR_NO_OPERATOR)
        op = weir_draft_add_operator(c->dot, name, bytes, c->nodes[node].place);
    if (op == WEIR_NO_OPERATOR || op != c->count)
        return false;
    c->nodes[c->count++] = (struct weir_cuda_node){.kind = WEIR_CUDA_EMPTY, .id = name, .place = c->nodes[node].place};
    j->end_of[node] = op;
    return true;
}

static void join_child(struct weir_cuda *c, struct joining *j, uint32_t node)
{
    uint32_t graph = c->nodes[node].child;
    size_t begin = first_member(j, graph), end = graph == UINT32_MAX ? j->count : first_member(j, graph + 1);
    if (end > begin && j->launcher[j->members[begin].node]) {
        weir_draft_mistake(c->dot, c->nodes[node].place, "graph_%u is launched by two nodes; the first is %s", graph,
                           c->nodes[j->launcher[j->members[begin].node] - 1].id);
        return;
    }
    if (!add_end(c, j, node))
        return;
    if (begin == end)
        add_edge(c, node, j->end_of[node]);
    for (size_t i = begin; i < end && !c->dot->out_of_memory; i++) {
        uint32_t member = j->members[i].node;
        j->launcher[member] = node + 1;
        if (!j->has_input[member])
            add_edge(c, node, member);
        if (!j->has_output[member])
            add_edge(c, member, j->end_of[node]);
    }
}

/* What waits for a node that launches a graph waits for the end of the graph: also the ends of other graphs within it. */
static void move_edges(struct weir_cuda *c, const struct joining *j, size_t from)
{
    for (size_t i = from; i < c->dot->queue_count; i++) {
        struct weir_draft_queue *q = weir_draft_queue(c->dot, i);
        bool begins = q->from < j->count && q->to < j->count && j->launcher[q->to] == q->from + 1;
        bool own = q->from < j->count && j->end_of[q->from] == q->to; /* of an empty graph */
        if (q->from < j->count && !begins && !own)
            q->from = j->end_of[q->from];
    }
}

void weir_cuda_join_graphs(struct weir_cuda *c)
{
    struct joining j = {.count = c->count, .edges = c->dot->queue_count};
    if (open_joining(c, &j)) {
        for (uint32_t i = 0; i < j.count && !c->dot->out_of_memory; i++)
            if (c->nodes[i].kind == WEIR_CUDA_CHILD)
                join_child(c, &j, i);
        if (!c->dot->out_of_memory)
            move_edges(c, &j, 0);
    } else {
        c->dot->out_of_memory = true;
    }
    weir_free(j.members);
    weir_free(j.has_input);
    weir_free(j.has_output);
    weir_free(j.end_of);
    weir_free(j.launcher);
}

/* ---- dependencies ---- */

struct walk {
    struct weir_cuda *cuda;
    struct weir_groups edges; /* by the node they come from */
    uint32_t *stack, *seen;   /* `seen` by node: the last kernel that it was found from, plus one */
    uint64_t steps;
};

/* The kernels that wait for this one: all that can be reached over nodes that take no time. */
static bool walk_from(struct walk *w, uint32_t node)
{
    struct weir_cuda *c = w->cuda;
    size_t depth = 0;
    w->stack[depth++] = node;
    while (depth) {
        uint32_t v = w->stack[--depth];
        for (uint32_t i = w->edges.first[v]; i < w->edges.first[v + 1]; i++) {
            uint32_t to = weir_draft_queue(c->dot, w->edges.item[i])->to;
            if (++w->steps > STEPS_MAX)
                return false;
            if (w->seen[to] == node + 1)
                continue;
            w->seen[to] = node + 1;
            if (c->nodes[to].kept)
                weir_draft_add_queue(
                    c->draft,
                    &(struct weir_draft_queue){.from = c->nodes[node].op, .to = c->nodes[to].op, .place = c->nodes[node].place});
            else
                w->stack[depth++] = to;
        }
    }
    return !c->draft->out_of_memory && c->draft->queue_count <= WEIR_DOT_PRODUCT_MAX;
}

void weir_cuda_add_dependencies(struct weir_cuda *c)
{
    struct walk w = {.cuda = c};
    w.stack = weir_array(c->count + 1, sizeof *w.stack);
    w.seen = weir_array_zeroed(c->count, sizeof *w.seen);
    bool good = weir_draft_group_queues(c->dot, &w.edges) && w.stack && w.seen;
    c->draft->out_of_memory |= !good;
    weir_draft_kind(c->draft, &(struct weir_draft_kind){0});
    for (uint32_t i = 0; i < c->count && good; i++)
        if (c->nodes[i].kept)
            good = walk_from(&w, i);
    if (!good && !c->draft->out_of_memory)
        weir_draft_mistake(c->draft, (struct weir_place){1, 1},
                           "without the nodes that take no time this graph has too many dependencies: %" PRIu64 " are the most",
                           WEIR_DOT_PRODUCT_MAX);
    weir_groups_free(&w.edges);
    weir_free(w.stack);
    weir_free(w.seen);
}
