/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a table of separations, node by node. Why it is a proof: docs/concepts/async.md, section 7. An entry of `least` is
 * justified by one arc out of the node, one of `latest` by that or by all arcs that lead to the node. No loop of arcs is without
 * tokens, or has less, which is checked here: no entry justifies itself.
 */
#include "check/async/async_between.h"

#include "base/alloc.h"

struct check {
    const struct weir_between *table;
    int64_t earliest; /* the largest `least` of nodes that are there whenever the one in question is: the reference is no earlier */
    bool good;
};

/* What the arcs of a node come to. */
struct node {
    uint32_t actor;
    int64_t depth;
    int64_t least, after; /* to the reference, the best of the arcs out of it */
    int64_t waited;       /* the last of what it waits for, after the reference */
    bool alone;           /* it waits for nothing of its own iteration */
};

static int64_t entry(const struct weir_between *t, const int64_t *values, uint32_t actor, int64_t depth, int64_t none)
{
    int64_t row = depth - t->depth_min;
    return row < 0 || row >= t->depth_count ? none : values[row * t->graph->actor_count + actor];
}

static void raise(int64_t *value, int64_t to)
{
    *value = to > *value ? to : *value;
}

static int64_t latest_finish(const struct weir_between *t, uint32_t actor, int64_t depth)
{
    int64_t start = entry(t, t->latest, actor, depth, WEIR_FAR), after = entry(t, t->after, actor, depth, WEIR_NO_WAY);
    int64_t finish = start == WEIR_FAR ? WEIR_FAR : start + t->graph->hi[actor];
    return after != WEIR_NO_WAY && -after < finish ? -after : finish;
}

/* ---- loops ---- */

/* Each actor moved by a number of rows, so that in units of a part of a token all arcs lead to later rows: then every loop has a
 * token at least. */
struct rows {
    int64_t *row, unit; /* units in a token: more than actors */
    bool changed;
};

static void lower(struct rows *rows, uint32_t tail, uint32_t head, int64_t tokens)
{
    int64_t least = rows->row[tail] + tokens * rows->unit - 1;
    rows->changed |= rows->row[head] > least;
    rows->row[head] = rows->row[head] > least ? least : rows->row[head];
}

static enum weir_status check_loops(const struct weir_between *t, bool *good)
{
    const struct weir_graph *g = t->graph;
    struct rows rows = {weir_array_zeroed(g->actor_count, sizeof *rows.row), (int64_t)g->actor_count + 1, true};
    for (uint32_t pass = 0; rows.row && rows.changed && pass <= g->actor_count; pass++) {
        rows.changed = false;
        for (uint32_t o = 0; o < g->actor_count; o++)
            for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
                for (uint32_t h = g->out_runs[r].first; h < g->out_runs[r].end; h++)
                    lower(&rows, o, g->heads[h], g->out_runs[r].tokens);
        for (size_t i = 0; i < t->inner_count; i++)
            lower(&rows, t->inner[i].tail, t->inner[i].head, t->inner[i].late);
    }
    *good = rows.row && !rows.changed;
    enum weir_status status = rows.row ? WEIR_OK : WEIR_MEMORY;
    weir_free(rows.row);
    return status;
}

/* ---- nodes ---- */

/* An arc out of the node. */
static void follow(const struct check *c, struct node *n, const struct weir_inner_arc *arc, int64_t offset)
{
    const struct weir_between *t = c->table;
    int64_t least = entry(t, t->least, arc->head, n->depth - arc->early, WEIR_NO_WAY);
    if (least == WEIR_NO_WAY)
        return;
    raise(&n->least, least + offset + (arc->finish ? t->graph->lo[n->actor] : 0));
    if (arc->finish)
        raise(&n->after, least + offset);
}

/* An arc that leads to it. Nobody is at work before the beginning. */
static void wait_for(const struct check *c, struct node *n, const struct weir_inner_arc *arc, int64_t offset)
{
    const struct weir_between *t = c->table;
    int64_t depth = n->depth + arc->late;
    if (t->beginning && depth >= t->depth_min + t->depth_count)
        return;
    int64_t latest = arc->finish ? latest_finish(t, arc->tail, depth) : entry(t, t->latest, arc->tail, depth, WEIR_FAR);
    raise(&n->waited, latest == WEIR_FAR ? WEIR_FAR : latest + offset);
}

static void look_around(const struct check *c, struct node *n)
{
    const struct weir_graph *g = c->table->graph;
    for (uint32_t r = g->out_first[n->actor]; r < g->out_first[n->actor + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t h = run->first; h < run->end; h++)
            follow(c, n, &(struct weir_inner_arc){n->actor, g->heads[h], run->finish, run->tokens, run->tokens}, run->offset);
    }
    for (uint32_t r = g->in_first[n->actor]; r < g->in_first[n->actor + 1]; r++) {
        const struct weir_arc_run *run = &g->in_runs[r];
        n->alone &= run->tokens > 0;
        for (uint32_t h = run->first; h < run->end; h++)
            wait_for(c, n, &(struct weir_inner_arc){g->tails[h], n->actor, run->finish, run->tokens, run->tokens}, run->offset);
    }
    for (size_t i = 0; i < c->table->inner_count; i++) {
        const struct weir_inner_arc *arc = &c->table->inner[i];
        if (arc->tail == n->actor)
            follow(c, n, arc, 0);
        if (arc->head == n->actor)
            wait_for(c, n, arc, 0);
    }
}

/* When the actor begins, at the latest, after what begins together, or after the reference if it begins at any time. */
static int64_t begins(const struct check *c, uint32_t actor)
{
    const struct weir_graph *g = c->table->graph;
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        if (g->roots[r].actor == actor)
            return g->roots[r].most;
    return g->roots ? 0 : -c->earliest;
}

/* What begins an iteration may do so later than it could, so that nothing but what it comes before limits it. */
static void judge(struct check *c, uint32_t actor, int64_t depth)
{
    const struct weir_between *t = c->table;
    const struct weir_between_query *q = &t->query;
    struct node n = {actor, depth, WEIR_NO_WAY, WEIR_NO_WAY, begins(c, actor), .alone = true};
    if (actor == q->from && depth == 0) {
        n.least = q->from_finish ? t->graph->lo[actor] : 0;
        n.after = q->from_finish ? 0 : WEIR_NO_WAY;
    }
    look_around(c, &n);
    int64_t least = entry(t, t->least, actor, depth, WEIR_NO_WAY), latest = entry(t, t->latest, actor, depth, WEIR_FAR);
    bool before = least != WEIR_NO_WAY;
    c->good &= least <= n.least && entry(t, t->after, actor, depth, WEIR_NO_WAY) <= n.after;
    c->good &= (before && latest >= -least) || (!(before && n.alone) && latest >= n.waited);
}

enum weir_status weir_between_check(const struct weir_between *table, bool *holds)
{
    struct check c = {.table = table};
    enum weir_status status = check_loops(table, &c.good);
    const struct weir_between_query *q = &table->query;
    for (size_t i = 0; i < table->inner_count; i++)
        c.good &= table->inner[i].late <= table->inner[i].early && table->inner[i].early >= 0;
    for (int64_t depth = table->depth_min; depth < table->depth_min + table->depth_count && c.good; depth++) {
        for (uint32_t o = 0; o < table->graph->actor_count; o++)
            raise(&c.earliest, entry(table, table->least, o, depth > 0 ? depth : 0, WEIR_NO_WAY));
        for (uint32_t o = 0; o < table->graph->actor_count && c.good; o++)
            judge(&c, o, depth);
    }
    int64_t latest =
        q->to_finish ? latest_finish(table, q->to, -q->shift) : entry(table, table->latest, q->to, -q->shift, WEIR_FAR);
    *holds = c.good && latest <= table->bound;
    return status;
}
