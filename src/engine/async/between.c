/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separations in a part with connections inside that do not wait (docs/concepts/async.md, section 7).
 *
 * With lists of arcs in two versions, of which one bounds starts from above and the other from below, the latest that a node z can
 * start after the reference is
 *
 *     latest(z) <= the least of  -(longest path from z to the reference, at best times), over arcs of the second version
 *                            and  the largest, over the nodes y that z waits for in the first, of latest(y) and its worst time
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
#define ROWS_MORE 16 /* of iterations that come before the reference: what they wait for may say more of when they start */

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

static bool visit_into(const struct weir_graph *g, const struct weir_inside *in, uint32_t actor, struct visitor v)
{
    for (uint32_t r = g->in_first[actor]; r < g->in_first[actor + 1]; r++) {
        const struct weir_arc_run *run = &g->in_runs[r];
        for (uint32_t t = run->first; t < run->end; t++)
            if (!v.see(v.context, &(struct weir_inner_arc){g->tails[t], actor, run->finish, run->tokens, run->tokens}, run->offset))
                return false;
    }
    for (size_t i = 0; i < in->count; i++)
        if (in->arcs[i].head == actor && !v.see(v.context, &in->arcs[i], 0))
            return false;
    return true;
}

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
    int64_t *least, *after, *latest;
    int64_t *before; /* by actor: from this depth on */
    bool *leads;     /* by actor: to the target */
    bool changed;
    int64_t depth; /* of the node that is looked at, the longest ways from it, and when it starts as far as it waits for others */
    int64_t to_reference, finish_to_reference, waited;
    bool *begins; /* by actor: it waits for nothing of its own iteration */
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

static int64_t lowest(const struct weir_graph *g, const struct weir_inside *inside)
{
    int64_t low = 0;
    for (uint32_t o = 0; o < g->actor_count; o++)
        low = inside->moved[o] < low ? inside->moved[o] : low;
    return low;
}

/* How deep the table must be; false: without end. */
static bool find_depths(struct search *s)
{
    const struct weir_graph *g = s->graph;
    const struct weir_between_query *q = &s->table.query;
    int64_t first = q->shift > 0 ? -q->shift : 0, last = q->shift < 0 ? -q->shift : 0, reach = g->tokens_max;
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
    }
    s->table.depth_min = first + lowest(g, s->inside);
    s->table.depth_count = last + reach + ROWS_MORE + 1 - s->table.depth_min;
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
    int64_t near = s->depth - arc->early, least = inside_table(s, near) ? s->least[place(s, arc->head, near)] : WEIR_NO_WAY;
    if (least != WEIR_NO_WAY)
        raise(arc->finish ? &s->finish_to_reference : &s->to_reference, least + offset);
    return true;
}

static int64_t plus(int64_t way, int64_t time)
{
    return way == WEIR_NO_WAY ? WEIR_NO_WAY : way + time;
}

static void find_least(struct search *s, uint32_t actor, int64_t depth)
{
    const struct weir_between_query *q = &s->table.query;
    bool here = actor == q->from && depth == 0;
    size_t at = place(s, actor, depth);
    s->depth = depth;
    s->to_reference = here && !q->from_finish ? 0 : WEIR_NO_WAY;
    s->finish_to_reference = here && q->from_finish ? 0 : WEIR_NO_WAY;
    visit_from(s->graph, s->inside, actor, (struct visitor){look_ahead, s});
    s->least[at] = s->to_reference;
    raise(&s->least[at], plus(s->finish_to_reference, s->graph->lo[actor]));
    s->after[at] = s->finish_to_reference;
}

/* ... after the reference, at the latest; WEIR_FAR: not known. */
static int64_t latest_finish(const struct search *s, uint32_t actor, size_t at)
{
    int64_t finish = s->latest[at] == WEIR_FAR ? WEIR_FAR : s->latest[at] + s->graph->hi[actor];
    return s->after[at] != WEIR_NO_WAY && -s->after[at] < finish ? -s->after[at] : finish;
}

/* Stops where nothing is known of what is waited for. What is older than all of the table does not exist in the beginning. */
static bool look_back(void *context, const struct weir_inner_arc *arc, int64_t offset)
{
    struct search *s = context;
    int64_t far = s->depth + arc->late;
    if (!inside_table(s, far))
        return s->table.beginning && far >= s->table.depth_min;
    size_t at = place(s, arc->tail, far);
    int64_t latest = arc->finish ? latest_finish(s, arc->tail, at) : s->latest[at];
    if (latest != WEIR_FAR)
        raise(&s->waited, latest + offset);
    return latest != WEIR_FAR;
}

/* When the actor begins, at the latest, after what begins together, or after the reference if it begins at any time. */
static int64_t begins(const struct weir_graph *g, uint32_t actor)
{
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        if (g->roots[r].actor == actor)
            return g->roots[r].most;
    return 0;
}

/* `earliest`: the reference is no earlier, if the node is of the first iteration. What begins an iteration may do so later than it
 * could, but not after what waits for it. */
static void find_latest(struct search *s, uint32_t actor, int64_t depth, int64_t earliest)
{
    size_t at = place(s, actor, depth);
    bool before = s->least[at] != WEIR_NO_WAY;
    s->depth = depth;
    s->waited = s->graph->roots ? begins(s->graph, actor) : -earliest;
    bool known = !(before && s->begins[actor]) && visit_into(s->graph, s->inside, actor, (struct visitor){look_back, s});
    s->latest[at] = known ? s->waited : WEIR_FAR;
    if (before && -s->least[at] < s->latest[at])
        s->latest[at] = -s->least[at];
}

/* By depth, the largest `least` of nodes that are there if one of that depth is. */
static void find_earliest(const struct search *s, int64_t *earliest)
{
    int64_t most = 0, end = s->table.depth_min + s->table.depth_count;
    for (int64_t depth = s->table.depth_min; depth < end; depth++) {
        for (uint32_t o = 0; o < s->graph->actor_count; o++)
            raise(&most, s->least[place(s, o, depth)]);
        earliest[depth - s->table.depth_min] = most;
    }
    for (int64_t depth = s->table.depth_min; depth < 0 && end > 0; depth++)
        earliest[depth - s->table.depth_min] = earliest[-s->table.depth_min];
}

static void fill_table(struct search *s, int64_t *earliest)
{
    const struct weir_graph *g = s->graph;
    const struct weir_between_query *q = &s->table.query;
    int64_t first = s->table.depth_min + lowest(g, s->inside), end = s->table.depth_min + s->table.depth_count;
    for (int64_t row = first; row < end; row++)
        for (uint32_t i = g->actor_count; i-- > 0;) {
            uint32_t actor = s->inside->order[i];
            if (inside_table(s, row - s->inside->moved[actor]))
                find_least(s, actor, row - s->inside->moved[actor]);
        }
    find_earliest(s, earliest);
    for (int64_t row = end; row-- > first;)
        for (uint32_t i = 0; i < g->actor_count; i++) {
            int64_t depth = row - s->inside->moved[s->inside->order[i]];
            if (inside_table(s, depth))
                find_latest(s, s->inside->order[i], depth, earliest[depth - s->table.depth_min]);
        }
    size_t target = place(s, q->to, -q->shift);
    s->table.bound = q->to_finish ? latest_finish(s, q->to, target) : s->latest[target];
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
    const struct weir_graph *g = s->graph;
    size_t nodes = (size_t)s->table.depth_count * g->actor_count;
    int64_t *earliest = weir_array_zeroed((size_t)s->table.depth_count, sizeof *earliest);
    s->least = weir_array(nodes, sizeof *s->least);
    s->after = weir_array(nodes, sizeof *s->after);
    s->latest = weir_array(nodes, sizeof *s->latest);
    s->begins = weir_array(g->actor_count, sizeof *s->begins);
    bool good = earliest && s->least && s->after && s->latest && s->begins;
    for (size_t i = 0; good && i < nodes; i++) {
        s->least[i] = s->after[i] = WEIR_NO_WAY;
        s->latest[i] = WEIR_FAR;
    }
    for (uint32_t o = 0; good && o < g->actor_count; o++)
        s->begins[o] = g->in_first[o] == g->in_first[o + 1] || g->in_runs[g->in_first[o]].tokens > 0;
    if (good) {
        fill_table(s, earliest);
        s->table.least = s->least;
        s->table.after = s->after;
        s->table.latest = s->latest;
        answer->known = s->table.bound != WEIR_FAR;
        answer->value = s->table.bound;
        bool holds = true;
        good = !verify || !answer->known || weir_between_check(&s->table, &holds) == WEIR_OK;
        answer->wrong = !holds;
    }
    weir_free(s->begins);
    weir_free(s->latest);
    weir_free(s->after);
    weir_free(s->least);
    weir_free(earliest);
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
    s.table.depth_min = lowest(graph, inside);
    s.table.depth_count = to->shift + 1 - s.table.depth_min;
    s.table.beginning = true;
    *answer = (struct weir_inside_answer){0};
    return !fits(&s) || solve(&s, verify, answer) ? WEIR_OK : WEIR_MEMORY;
}
