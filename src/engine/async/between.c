/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separations in a part with connections inside that do not wait (docs/concepts/async.md, section 7).
 *
 * With lists of arcs in two versions, of which one bounds starts from above and the other from below, the last node on a way to the
 * target that comes before the reference gives
 *
 *     separation <= the largest, over such nodes z,  of  (longest path from z to the target, over nodes that do not come before the
 *                   reference, at worst times)  -  (longest path from z to the reference, at best times)
 *
 * Arcs of the first version may have negative tokens; no loop has 0 or fewer, or it is not known whether anything moves. So nodes
 * are looked at in the order of rows, which are depths moved by a number for each actor, such that no arc leads to a later row.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/async/async.h"

struct weir_inside {
    struct weir_inner_arc *arcs;
    size_t count;
    int64_t *moved;  /* by actor: row = depth + moved */
    uint32_t *order; /* actors, such that arcs within a row lead from a later one to an earlier one */
};

#define NODES_MAX 4000000

void weir_inside_free(struct weir_inside *inside)
{
    if (!inside)
        return;
    weir_free(inside->arcs);
    weir_free(inside->moved);
    weir_free(inside->order);
    weir_free(inside);
}

/* Calls `see` with every arc of the part; stops when it answers false. */
struct visitor {
    bool (*see)(void *context, const struct weir_inner_arc *arc, int64_t offset);
    void *context;
};

static bool visit_from(const struct weir_graph *g, const struct weir_inside *in, uint32_t actor, struct visitor v)
{
    for (uint32_t r = g->out_first[actor]; r < g->out_first[actor + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t h = run->first; h < run->end; h++)
            if (!v.see(v.context, &(struct weir_inner_arc){actor, g->heads[h], run->finish, run->tokens, run->tokens}, run->offset))
                return false;
    }
    for (size_t i = 0; i < in->count; i++)
        if (in->arcs[i].tail == actor && !v.see(v.context, &in->arcs[i], 0))
            return false;
    return true;
}

/* ---- rows ---- */

struct sorting {
    struct weir_inside *inside;
    uint32_t *left; /* by actor: arcs within a row that lead to it from those that are not sorted */
    uint32_t sorted;
    bool changed;
};

static bool push_back(void *context, const struct weir_inner_arc *arc, int64_t offset)
{
    struct sorting *s = context;
    int64_t *moved = s->inside->moved, least = moved[arc->tail] + arc->late;
    (void)offset;
    if (moved[arc->head] > least) {
        moved[arc->head] = least;
        s->changed = true;
    }
    return true;
}

static bool within_row(const struct sorting *s, const struct weir_inner_arc *arc)
{
    return arc->late + s->inside->moved[arc->tail] == s->inside->moved[arc->head];
}

static bool count_arc(void *context, const struct weir_inner_arc *arc, int64_t offset)
{
    struct sorting *s = context;
    (void)offset;
    s->left[arc->head] += within_row(s, arc);
    return true;
}

static bool drop_arc(void *context, const struct weir_inner_arc *arc, int64_t offset)
{
    struct sorting *s = context;
    (void)offset;
    if (within_row(s, arc) && --s->left[arc->head] == 0)
        s->inside->order[s->sorted++] = arc->head;
    return true;
}

/* False in `live` where a loop has no tokens, or less. */
static enum weir_status sort_rows(const struct weir_graph *g, struct weir_inside *in, bool *live)
{
    struct sorting s = {.inside = in, .left = weir_array_zeroed(g->actor_count, sizeof *s.left), .changed = true};
    in->moved = weir_array_zeroed(g->actor_count, sizeof *in->moved);
    in->order = weir_array(g->actor_count, sizeof *in->order);
    bool good = s.left && in->moved && in->order;
    for (uint32_t pass = 0; good && s.changed && pass <= g->actor_count; pass++) {
        s.changed = false;
        for (uint32_t o = 0; o < g->actor_count; o++)
            visit_from(g, in, o, (struct visitor){push_back, &s});
    }
    for (uint32_t o = 0; good && !s.changed && o < g->actor_count; o++)
        visit_from(g, in, o, (struct visitor){count_arc, &s});
    for (uint32_t o = 0; good && !s.changed && o < g->actor_count; o++)
        if (s.left[o] == 0)
            in->order[s.sorted++] = o;
    for (uint32_t i = 0; good && !s.changed && i < s.sorted; i++)
        visit_from(g, in, in->order[i], (struct visitor){drop_arc, &s});
    *live = good && !s.changed && s.sorted == g->actor_count;
    weir_free(s.left);
    return good ? WEIR_OK : WEIR_MEMORY;
}

enum weir_status weir_inside_new(const struct weir_graph *graph, const struct weir_inner_arc *arcs, size_t count,
                                 struct weir_inside **inside)
{
    bool live = false;
    struct weir_inside *in = weir_array_zeroed(1, sizeof *in);
    *inside = NULL;
    if (!in)
        return WEIR_MEMORY;
    in->arcs = weir_array(count, sizeof *in->arcs);
    enum weir_status status = in->arcs ? WEIR_OK : WEIR_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        in->arcs[i] = arcs[i];
    in->count = count;
    if (!status)
        status = sort_rows(graph, in, &live);
    if (status || !live)
        weir_inside_free(in);
    else
        *inside = in;
    return status;
}

/* ---- who comes before the reference ---- */

struct search {
    const struct weir_graph *graph;
    const struct weir_inside *inside;
    struct weir_between table;
    int64_t *least, *after, *rest;
    int64_t *before; /* by actor: from this depth on */
    bool *leads;     /* by actor: to the target */
    bool changed;
    int64_t depth; /* of the node that is looked at, and the longest ways from it */
    int64_t to_reference, finish_to_reference, to_target, finish_to_target;
};

static bool relax_tokens(void *context, const struct weir_inner_arc *arc, int64_t offset)
{
    struct search *s = context;
    (void)offset;
    if (s->before[arc->head] != WEIR_FAR && s->before[arc->head] + arc->early < s->before[arc->tail]) {
        s->before[arc->tail] = s->before[arc->head] + arc->early;
        s->changed = true;
    }
    if (s->leads[arc->head] && !s->leads[arc->tail])
        s->leads[arc->tail] = s->changed = true;
    return true;
}

/* How deep the table must be; false: without end. */
static bool find_depths(struct search *s)
{
    const struct weir_graph *g = s->graph;
    const struct weir_between_query *q = &s->table.query;
    int64_t first = q->shift > 0 ? -q->shift : 0, last = q->shift < 0 ? -q->shift : 0, reach = g->tokens_max, low = 0;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        s->before[o] = o == q->from ? 0 : WEIR_FAR;
        s->leads[o] = o == q->to;
    }
    for (s->changed = true; s->changed;) {
        s->changed = false;
        for (uint32_t o = 0; o < g->actor_count; o++)
            visit_from(g, s->inside, o, (struct visitor){relax_tokens, s});
    }
    for (size_t i = 0; i < s->inside->count; i++)
        reach = s->inside->arcs[i].early > reach ? s->inside->arcs[i].early : reach;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        if (s->leads[o] && s->before[o] == WEIR_FAR)
            return false;
        if (s->leads[o] && s->before[o] > last)
            last = s->before[o];
        low = s->inside->moved[o] < low ? s->inside->moved[o] : low;
    }
    s->table.depth_min = first + low;
    s->table.depth_count = last + reach + 1 - s->table.depth_min;
    return true;
}

/* ---- the table ---- */

static size_t place(const struct search *s, uint32_t actor, int64_t depth)
{
    return (size_t)(depth - s->table.depth_min) * s->graph->actor_count + actor;
}

static bool inside_table(const struct search *s, int64_t depth)
{
    return depth >= s->table.depth_min && depth < s->table.depth_min + s->table.depth_count;
}

static void raise(int64_t *value, int64_t to)
{
    *value = to > *value ? to : *value;
}

static bool look_ahead(void *context, const struct weir_inner_arc *arc, int64_t offset)
{
    struct search *s = context;
    int64_t near = s->depth - arc->early, far = s->depth - arc->late;
    int64_t least = inside_table(s, near) ? s->least[place(s, arc->head, near)] : WEIR_NO_WAY;
    int64_t rest = inside_table(s, far) ? s->rest[place(s, arc->head, far)] : WEIR_NO_WAY;
    if (least != WEIR_NO_WAY)
        raise(arc->finish ? &s->finish_to_reference : &s->to_reference, least + offset);
    if (rest != WEIR_NO_WAY)
        raise(arc->finish ? &s->finish_to_target : &s->to_target, rest + offset);
    return true;
}

static int64_t plus(int64_t way, int64_t time)
{
    return way == WEIR_NO_WAY ? WEIR_NO_WAY : way + time;
}

static void fill_node(struct search *s, uint32_t actor, int64_t depth)
{
    const struct weir_between_query *q = &s->table.query;
    int64_t hi = s->graph->hi[actor], least, own;
    bool here = actor == q->from && depth == 0, there = actor == q->to && depth == -q->shift;
    size_t at = place(s, actor, depth);
    s->depth = depth;
    s->to_reference = here && !q->from_finish ? 0 : WEIR_NO_WAY;
    s->finish_to_reference = here && q->from_finish ? 0 : WEIR_NO_WAY;
    s->to_target = there && !q->to_finish ? 0 : WEIR_NO_WAY;
    s->finish_to_target = there && q->to_finish ? 0 : WEIR_NO_WAY;
    visit_from(s->graph, s->inside, actor, (struct visitor){look_ahead, s});
    least = s->to_reference;
    raise(&least, plus(s->finish_to_reference, s->graph->lo[actor]));
    s->least[at] = least;
    s->after[at] = s->finish_to_reference;
    int64_t finished = plus(s->finish_to_target, hi);
    if (least == WEIR_NO_WAY) {
        s->rest[at] = finished > s->to_target ? finished : s->to_target;
        return;
    }
    own = least;
    raise(&own, plus(s->finish_to_reference, hi));
    raise(&s->table.bound, plus(finished, -own));
    raise(&s->table.bound, plus(s->to_target, -least));
}

static int64_t begins(const struct weir_graph *g, uint32_t actor)
{
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        if (g->roots[r].actor == actor)
            return g->roots[r].most;
    return 0;
}

/* Ways that begin with the first iteration, and not after a node that comes before the reference. */
static void begin_ways(struct search *s)
{
    const struct weir_graph *g = s->graph;
    int64_t earliest = 0;
    for (uint32_t o = 0; o < g->actor_count && inside_table(s, 0); o++)
        raise(&earliest, s->least[place(s, o, 0)]);
    for (int64_t depth = s->table.depth_min; inside_table(s, depth); depth++) {
        for (uint32_t o = 0; o < g->actor_count && depth > 0; o++)
            raise(&earliest, s->least[place(s, o, depth)]);
        for (uint32_t o = 0; o < g->actor_count; o++)
            raise(&s->table.bound, plus(s->rest[place(s, o, depth)], g->roots ? begins(g, o) : -earliest));
    }
}

static void fill_table(struct search *s)
{
    const struct weir_graph *g = s->graph;
    int64_t low = 0;
    for (uint32_t o = 0; o < g->actor_count; o++)
        low = s->inside->moved[o] < low ? s->inside->moved[o] : low;
    s->table.bound = WEIR_NO_WAY;
    for (int64_t row = s->table.depth_min + low; row < s->table.depth_min + s->table.depth_count; row++)
        for (uint32_t i = g->actor_count; i-- > 0;) {
            uint32_t actor = s->inside->order[i];
            int64_t depth = row - s->inside->moved[actor];
            if (inside_table(s, depth))
                fill_node(s, actor, depth);
        }
    begin_ways(s);
}

static bool fits(const struct search *s)
{
    int64_t longest;
    return (uint64_t)s->table.depth_count <= NODES_MAX / (s->graph->actor_count + (uint64_t)1) &&
           weir_multiply(s->graph->row_max + 1, s->table.depth_count + 1, &longest) && longest < WEIR_TIME_MAX;
}

/* The table that was laid out, and what it says. */
static bool solve(struct search *s, bool verify, struct weir_inside_answer *answer)
{
    size_t nodes = (size_t)s->table.depth_count * s->graph->actor_count;
    s->least = weir_array(nodes, sizeof *s->least);
    s->after = weir_array(nodes, sizeof *s->after);
    s->rest = weir_array(nodes, sizeof *s->rest);
    bool good = s->least && s->after && s->rest;
    for (size_t i = 0; good && i < nodes; i++)
        s->least[i] = s->after[i] = s->rest[i] = WEIR_NO_WAY;
    if (good) {
        fill_table(s);
        s->table.least = s->least;
        s->table.after = s->after;
        s->table.rest = s->rest;
        answer->known = s->table.bound != WEIR_NO_WAY;
        answer->value = s->table.bound;
        answer->wrong = verify && answer->known && !weir_between_check(&s->table);
    }
    weir_free(s->rest);
    weir_free(s->after);
    weir_free(s->least);
    return good;
}

static struct search begin(const struct weir_graph *graph, const struct weir_inside *inside, struct weir_between_query query)
{
    return (struct search){.graph = graph,
                           .inside = inside,
                           .table = {.graph = graph, .inner = inside->arcs, .inner_count = inside->count, .query = query}};
}

enum weir_status weir_inside_worst(const struct weir_graph *graph, const struct weir_inside *inside,
                                   const struct weir_between_query *query, bool verify, struct weir_inside_answer *answer)
{
    struct search s = begin(graph, inside, *query);
    s.before = weir_array(graph->actor_count, sizeof *s.before);
    s.leads = weir_array(graph->actor_count, sizeof *s.leads);
    bool good = s.before && s.leads;
    *answer = (struct weir_inside_answer){0};
    if (good && find_depths(&s) && fits(&s))
        good = solve(&s, verify, answer);
    weir_free(s.leads);
    weir_free(s.before);
    return good ? WEIR_OK : WEIR_MEMORY;
}

/* As if a reference that waits for nobody were at the beginning. */
enum weir_status weir_inside_beginning(const struct weir_graph *graph, const struct weir_inside *inside,
                                       const struct weir_between_query *to, bool verify, struct weir_inside_answer *answer)
{
    struct search s =
        begin(graph, inside, (struct weir_between_query){.from = WEIR_NO_ACTOR, .to = to->to, .to_finish = to->to_finish});
    for (uint32_t o = 0; o < graph->actor_count; o++)
        s.table.depth_min = inside->moved[o] < s.table.depth_min ? inside->moved[o] : s.table.depth_min;
    s.table.depth_count = to->shift + 1 - s.table.depth_min;
    s.table.beginning = true;
    *answer = (struct weir_inside_answer){0};
    return !fits(&s) || solve(&s, verify, answer) ? WEIR_OK : WEIR_MEMORY;
}
