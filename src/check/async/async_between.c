/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a table of separations, node by node. Why it is a proof: docs/concepts/async.md, section 7. An entry of `least` is
 * justified by one arc out of the node, one of `rest` by all of them. What is waited for in any case is so in the whole model, too,
 * which has no loop without tokens: no entry justifies itself.
 */
#include "check/async/async_between.h"

struct check {
    const struct weir_between *table;
    int64_t earliest; /* the largest `least` of nodes that are there whenever the one in question is: the reference is no earlier */
    bool good;
};

/* What the arcs out of a node come to. */
struct node {
    uint32_t actor;
    int64_t depth;
    int64_t least, after;      /* to the reference, the best of the arcs */
    int64_t finished, started; /* to the target, the worst: leaving at the finish, at the start */
};

static int64_t entry(const struct weir_between *t, const int64_t *values, uint32_t actor, int64_t depth)
{
    int64_t row = depth - t->depth_min;
    return row < 0 || row >= t->depth_count ? WEIR_NO_WAY : values[row * t->graph->actor_count + actor];
}

static void raise(int64_t *value, int64_t to)
{
    *value = to > *value ? to : *value;
}

/* One arc to the head, `early` and `late` iterations later. */
static void follow(struct check *c, struct node *n, const struct weir_inner_arc *arc, int64_t offset)
{
    const struct weir_between *t = c->table;
    int64_t near = n->depth - arc->early, far = n->depth - arc->late;
    int64_t least = entry(t, t->least, arc->head, near), rest = entry(t, t->rest, arc->head, far);
    if (least != WEIR_NO_WAY) {
        raise(&n->least, least + offset + (arc->finish ? t->graph->lo[n->actor] : 0));
        if (arc->finish)
            raise(&n->after, least + offset);
    }
    if (rest == WEIR_NO_WAY)
        return;
    raise(arc->finish ? &n->finished : &n->started, rest + offset);
}

static void follow_all(struct check *c, struct node *n)
{
    const struct weir_graph *g = c->table->graph;
    for (uint32_t r = g->out_first[n->actor]; r < g->out_first[n->actor + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t h = run->first; h < run->end; h++)
            follow(c, n, &(struct weir_inner_arc){n->actor, g->heads[h], run->finish, run->tokens, run->tokens}, run->offset);
    }
    for (size_t i = 0; i < c->table->inner_count; i++)
        if (c->table->inner[i].tail == n->actor)
            follow(c, n, &c->table->inner[i], 0);
}

static void begin(const struct check *c, struct node *n)
{
    const struct weir_between_query *q = &c->table->query;
    if (n->actor == q->from && n->depth == 0) {
        n->least = q->from_finish ? c->table->graph->lo[n->actor] : 0;
        n->after = q->from_finish ? 0 : WEIR_NO_WAY;
    }
    if (n->actor == q->to && n->depth == -q->shift)
        *(q->to_finish ? &n->finished : &n->started) = 0;
}

/* When the actor begins, at the latest, after what begins together, or after the reference if it begins at any time. */
static int64_t begins(const struct weir_graph *g, uint32_t actor)
{
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        if (g->roots[r].actor == actor)
            return g->roots[r].most;
    return 0;
}

/* A way to the target that leaves a node which comes before the reference gains no more than the bound; nor does one that begins
 * with the node, in the beginning. */
static void judge(struct check *c, const struct node *n)
{
    const struct weir_between *t = c->table;
    int64_t hi = t->graph->hi[n->actor], least = entry(t, t->least, n->actor, n->depth),
            after = entry(t, t->after, n->actor, n->depth), rest = entry(t, t->rest, n->actor, n->depth);
    c->good &= least <= n->least && after <= n->after;
    int64_t finished = n->finished == WEIR_NO_WAY ? WEIR_NO_WAY : n->finished + hi;
    if (least != WEIR_NO_WAY) {
        int64_t own = after != WEIR_NO_WAY && after + hi > least ? after + hi : least;
        c->good &= rest == WEIR_NO_WAY;
        c->good &= finished == WEIR_NO_WAY || finished - own <= t->bound;
        c->good &= n->started == WEIR_NO_WAY || n->started - least <= t->bound;
        return;
    }
    c->good &= rest >= finished && rest >= n->started;
    if (rest == WEIR_NO_WAY)
        return;
    int64_t from = t->graph->roots ? -begins(t->graph, n->actor) : c->earliest;
    c->good &= rest - from <= t->bound;
}

bool weir_between_check(const struct weir_between *table)
{
    struct check c = {.table = table, .good = true};
    const struct weir_graph *g = table->graph;
    int64_t reach = g->tokens_max, end = table->depth_min + table->depth_count;
    for (size_t i = 0; i < table->inner_count; i++) {
        const struct weir_inner_arc *arc = &table->inner[i];
        c.good &= arc->late <= arc->early && arc->early >= 0;
        reach = arc->early > reach ? arc->early : reach;
        reach = -arc->late > reach ? -arc->late : reach;
    }
    /* Nodes below and above the table, as far as arcs reach into it, must not lead to the target unseen. */
    for (int64_t depth = table->depth_min - reach; depth < end + (table->beginning ? 0 : reach) && c.good; depth++) {
        for (uint32_t o = 0; o < g->actor_count; o++)
            raise(&c.earliest, entry(table, table->least, o, depth > 0 ? depth : 0));
        for (uint32_t o = 0; o < g->actor_count && c.good; o++) {
            struct node n = {o, depth, WEIR_NO_WAY, WEIR_NO_WAY, WEIR_NO_WAY, WEIR_NO_WAY};
            begin(&c, &n);
            follow_all(&c, &n);
            judge(&c, &n);
        }
    }
    return c.good;
}
