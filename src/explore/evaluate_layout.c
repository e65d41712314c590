/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event graph of an evaluator, laid out again and again in the same memory. The arcs are those of model/lower.c for pipelines
 * without anything special; parallel queues keep all of theirs, since which of them says more depends on capacities. The actors
 * keep their order as long as no arc without tokens is against it.
 */
#include "explore/evaluate.h"

#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

/* ---- the arcs, once ---- */

static void add_arc(struct weir_evaluator_layout *l, struct weir_raw_arc arc)
{
    if (l->arcs)
        l->arcs[l->arc_count] = arc;
    l->arc_count++;
}

/* Homes of the actors of an operator besides its execution; WEIR_NO_ACTOR: there is none. */
struct parts {
    uint32_t receive, done, gpu, after;
};

/* The end on the CPU; when its messages go out, and it may start again (model/lower.c). */
static uint32_t sent_by(const struct weir_pipeline *p, uint32_t o, const struct parts *parts)
{
    const struct weir_launch *launch = p->operators[o].launch;
    if (launch && launch->waits)
        return parts->after == WEIR_NO_ACTOR ? parts->gpu : parts->after;
    return parts->done == WEIR_NO_ACTOR ? p->graph->start_of[o] : parts->done;
}

static void add_operators(const struct weir_pipeline *p, struct weir_evaluator_layout *l, const struct parts *parts)
{
    for (uint32_t o = 0; o < p->operator_count; o++) {
        uint32_t start = p->graph->start_of[o];
        bool reentrant = p->operators[o].reentrant;
        struct weir_raw_arc arc = {.tail = reentrant ? start : sent_by(p, o, &parts[o]),
                                   .head = start,
                                   .tokens = 1,
                                   .queue = WEIR_NO_INDEX,
                                   .source = WEIR_NO_INDEX,
                                   .finish = !reentrant,
                                   .wait = reentrant ? WEIR_WAIT_ORDER : WEIR_WAIT_BUSY};
        add_arc(l, arc);
        if (parts[o].receive == WEIR_NO_ACTOR)
            continue;
        arc = (struct weir_raw_arc){
            .tail = start, .head = parts[o].receive, .queue = WEIR_NO_INDEX, .source = WEIR_NO_INDEX, .wait = WEIR_WAIT_NONE};
        add_arc(l, arc);
        arc.head = parts[o].done;
        arc.finish = 1;
        add_arc(l, arc);
        arc.tail = parts[o].receive;
        add_arc(l, arc);
    }
}

/* Arcs to work on a GPU, and to what comes after it, are as they were sealed: no capacity is part of them. */
static void add_work(const struct weir_graph *g, struct weir_evaluator_layout *l)
{
    for (uint32_t a = 0; a < g->actor_count; a++) {
        if (g->actors[a].part != WEIR_PART_GPU && g->actors[a].part != WEIR_PART_AFTER)
            continue;
        for (uint32_t r = g->in_first[a]; r < g->in_first[a + 1]; r++)
            for (uint32_t i = g->in_runs[r].first; i < g->in_runs[r].end; i++)
                add_arc(l, (struct weir_raw_arc){.tail = g->tails[i],
                                                 .head = a,
                                                 .tokens = g->in_runs[r].tokens,
                                                 .queue = WEIR_NO_INDEX,
                                                 .source = WEIR_NO_INDEX,
                                                 .finish = g->in_runs[r].finish,
                                                 .wait = g->in_runs[r].wait});
    }
}

static void add_all(const struct weir_pipeline *p, struct weir_evaluator_layout *l, const struct parts *parts)
{
    const struct weir_graph *g = p->graph;
    l->arc_count = 0;
    add_operators(p, l, parts);
    add_work(g, l);
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        struct weir_raw_arc data = {.tail = sent_by(p, q->from.index, &parts[q->from.index]),
                                    .head = g->start_of[q->to.index],
                                    .tokens = q->initial,
                                    .queue = WEIR_NO_INDEX,
                                    .source = WEIR_NO_INDEX,
                                    .finish = 1,
                                    .wait = WEIR_WAIT_DATA};
        add_arc(l, data);
        uint32_t receive = parts[q->to.index].receive;
        bool late = receive != WEIR_NO_ACTOR;
        if (!q->nonblocking)
            add_arc(l, (struct weir_raw_arc){.tail = late ? receive : g->start_of[q->to.index],
                                             .head = g->start_of[q->from.index],
                                             .queue = i,
                                             .source = WEIR_NO_INDEX,
                                             .finish = late,
                                             .wait = WEIR_WAIT_BACKPRESSURE});
    }
    for (uint32_t i = 0; i < p->source_count; i++) {
        uint32_t o = p->sources[i].op.index, start = g->start_of[o];
        uint32_t clock = p->sources[i].arrivals == WEIR_ARRIVALS_EXACT ? g->arrival_of[o] : start;
        add_arc(l, (struct weir_raw_arc){
                       .tail = clock, .head = clock, .tokens = 1, .queue = WEIR_NO_INDEX, .source = i, .wait = WEIR_WAIT_PERIOD});
        if (clock != start)
            add_arc(l, (struct weir_raw_arc){.tail = clock,
                                             .head = start,
                                             .queue = WEIR_NO_INDEX,
                                             .source = WEIR_NO_INDEX,
                                             .finish = 1,
                                             .wait = WEIR_WAIT_DATA});
    }
}

static int by_tail(const void *left, const void *right)
{
    const struct weir_raw_arc *a = left, *b = right;
    if (a->tail != b->tail)
        return a->tail < b->tail ? -1 : 1;
    return a->head < b->head ? -1 : a->head > b->head;
}

static bool collect(struct weir_evaluator *e)
{
    const struct weir_pipeline *p = e->pipeline;
    const struct weir_graph *g = p->graph;
    struct weir_evaluator_layout *l = &e->layout;
    struct parts *parts = weir_arena_array(&e->arena, p->operator_count, sizeof *parts);
    if (!parts)
        return false;
    for (uint32_t o = 0; o < p->operator_count; o++)
        parts[o] = (struct parts){WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR, WEIR_NO_ACTOR};
    for (uint32_t a = 0; a < g->actor_count; a++) {
        struct parts *of = &parts[g->actors[a].op];
        if (g->actors[a].part == WEIR_PART_RECEIVE)
            of->receive = a;
        else if (g->actors[a].part == WEIR_PART_DONE)
            of->done = a;
        else if (g->actors[a].part == WEIR_PART_GPU)
            of->gpu = a;
        else if (g->actors[a].part == WEIR_PART_AFTER)
            of->after = a;
    }
    add_all(p, l, parts);
    l->arcs = weir_arena_array(&e->arena, l->arc_count, sizeof *l->arcs);
    if (!l->arcs)
        return false;
    add_all(p, l, parts);
    qsort(l->arcs, l->arc_count, sizeof *l->arcs, by_tail);
    return true;
}

/* Where the arcs of each home begin, by tail and by head. */
static void index_arcs(struct weir_evaluator_layout *l, uint32_t n)
{
    memset(l->first_out, 0, ((size_t)n + 1) * sizeof *l->first_out);
    memset(l->first_in, 0, ((size_t)n + 1) * sizeof *l->first_in);
    for (uint32_t i = 0; i < l->arc_count; i++) {
        l->first_out[l->arcs[i].tail + 1]++;
        l->first_in[l->arcs[i].head + 1]++;
    }
    for (uint32_t o = 0; o < n; o++) {
        l->first_out[o + 1] += l->first_out[o];
        l->first_in[o + 1] += l->first_in[o];
        l->waiting[o] = l->first_in[o];
    }
    for (uint32_t i = 0; i < l->arc_count; i++)
        l->by_head[l->waiting[l->arcs[i].head]++] = i;
}

static bool make_arrays(struct weir_evaluator *e)
{
    struct weir_arena *a = &e->arena;
    struct weir_evaluator_layout *l = &e->layout;
    size_t n = e->pipeline->graph->actor_count, operators = e->pipeline->operator_count, arcs = l->arc_count, ends = n + 1;
    l->first_out = weir_arena_array(a, ends, sizeof *l->first_out);
    l->first_in = weir_arena_array(a, ends, sizeof *l->first_in);
    l->by_head = weir_arena_array(a, arcs, sizeof *l->by_head);
    l->home = weir_arena_array(a, n, sizeof *l->home);
    l->place = weir_arena_array(a, n, sizeof *l->place);
    l->waiting = weir_arena_array(a, n, sizeof *l->waiting);
    l->order = weir_arena_array(a, n, sizeof *l->order);
    l->tokens = weir_arena_array(a, arcs, sizeof *l->tokens);
    l->distinct = weir_arena_array(a, arcs, sizeof *l->distinct);
    l->laid = weir_arena_array(a, arcs, sizeof *l->laid);
    l->actors = weir_arena_array(a, n, sizeof *l->actors);
    l->start_of = weir_arena_array(a, operators, sizeof *l->start_of);
    l->finish_of = weir_arena_array(a, operators, sizeof *l->finish_of);
    l->arrival_of = weir_arena_array(a, operators, sizeof *l->arrival_of);
    l->out_first = weir_arena_array(a, ends, sizeof *l->out_first);
    l->in_first = weir_arena_array(a, ends, sizeof *l->in_first);
    l->heads = weir_arena_array(a, arcs, sizeof *l->heads);
    l->tails = weir_arena_array(a, arcs, sizeof *l->tails);
    l->out_runs = weir_arena_array(a, arcs, sizeof *l->out_runs);
    l->in_runs = weir_arena_array(a, arcs, sizeof *l->in_runs);
    l->lo = weir_arena_array(a, n, sizeof *l->lo);
    l->hi = weir_arena_array(a, (size_t)n + 1, sizeof *l->hi);
    return !a->failed;
}

/* ---- the order of actors ---- */

static bool in_order(const struct weir_evaluator_layout *l)
{
    for (uint32_t i = 0; i < l->arc_count; i++)
        if (l->tokens[i] == 0 && l->place[l->arcs[i].tail] >= l->place[l->arcs[i].head])
            return false;
    return true;
}

/* Arcs without tokens lead to later places. False: they make a cycle. */
static bool order_actors(struct weir_evaluator_layout *l, uint32_t n)
{
    memset(l->waiting, 0, (size_t)n * sizeof *l->waiting);
    for (uint32_t i = 0; i < l->arc_count; i++)
        l->waiting[l->arcs[i].head] += l->tokens[i] == 0;
    uint32_t done = 0, ready = 0;
    for (uint32_t o = 0; o < n; o++)
        if (!l->waiting[o])
            l->order[ready++] = o;
    for (; done < ready; done++)
        for (uint32_t o = l->order[done], i = l->first_out[o]; i < l->first_out[o + 1]; i++)
            if (l->tokens[i] == 0 && --l->waiting[l->arcs[i].head] == 0)
                l->order[ready++] = l->arcs[i].head;
    if (done < n)
        return false;
    memcpy(l->home, l->order, (size_t)n * sizeof *l->home);
    for (uint32_t v = 0; v < n; v++)
        l->place[l->home[v]] = v;
    return true;
}

static void place_actors(struct weir_evaluator *e)
{
    struct weir_evaluator_layout *l = &e->layout;
    const struct weir_graph *sealed = e->pipeline->graph;
    for (uint32_t v = 0; v < sealed->actor_count; v++)
        l->actors[v] = sealed->actors[l->home[v]];
    for (size_t o = 0; o < e->pipeline->operator_count; o++) {
        l->start_of[o] = l->place[sealed->start_of[o]];
        l->finish_of[o] = l->place[sealed->finish_of[o]];
        l->arrival_of[o] = sealed->arrival_of[o] == WEIR_NO_ACTOR ? WEIR_NO_ACTOR : l->place[sealed->arrival_of[o]];
    }
    e->times_changed = true;
}

/* ---- runs ---- */

static int by_key(const void *left, const void *right)
{
    const struct weir_laid_arc *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

enum { FEW = 24 }; /* so many are sorted by insertion */

static void sort_arcs(struct weir_laid_arc *list, uint32_t count)
{
    if (count > FEW) {
        qsort(list, count, sizeof *list, by_key);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct weir_laid_arc arc = list[i];
        uint32_t at = i;
        for (; at > 0 && by_key(&arc, &list[at - 1]) < 0; at--)
            list[at] = list[at - 1];
        list[at] = arc;
    }
}

/* tokens above finish, wait (5 bits) and source + 1 (26 bits; 0: none). */
static uint64_t key_of(const struct weir_raw_arc *arc, uint32_t tokens)
{
    return (uint64_t)tokens << 32 | (uint64_t)arc->finish << 31 | (uint64_t)arc->wait << 26 | (arc->source + 1);
}

/* One direction of the graph while it is written. */
struct side {
    struct weir_arc_run *runs;
    uint32_t *ends;
    uint32_t run_count, end_count;
};

static void write_runs(const struct weir_evaluator *e, struct side *side, uint32_t count)
{
    const struct weir_laid_arc *laid = e->layout.laid;
    sort_arcs(e->layout.laid, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = (uint32_t)(laid[i].key & ((1u << 26) - 1));
        if (i == 0 || laid[i].key != laid[i - 1].key)
            side->runs[side->run_count++] = (struct weir_arc_run){.offset = source ? e->period[source - 1] : 0,
                                                                  .first = side->end_count,
                                                                  .tokens = (uint32_t)(laid[i].key >> 32),
                                                                  .finish = laid[i].key >> 31 & 1,
                                                                  .wait = laid[i].key >> 26 & 31};
        side->ends[side->end_count++] = laid[i].end;
        side->runs[side->run_count - 1].end = side->end_count;
    }
}

static void write_graph(struct weir_evaluator *e)
{
    struct weir_evaluator_layout *l = &e->layout;
    uint32_t n = e->graph.actor_count;
    struct side out = {.runs = l->out_runs, .ends = l->heads}, in = {.runs = l->in_runs, .ends = l->tails};
    for (uint32_t v = 0; v < n; v++) {
        uint32_t o = l->home[v], count = 0;
        l->out_first[v] = out.run_count;
        l->in_first[v] = in.run_count;
        for (uint32_t i = l->first_out[o]; i < l->first_out[o + 1]; i++)
            if (l->tokens[i] != WEIR_UNBOUNDED)
                l->laid[count++] = (struct weir_laid_arc){key_of(&l->arcs[i], l->tokens[i]), l->place[l->arcs[i].head]};
        write_runs(e, &out, count);
        count = 0;
        for (uint32_t k = l->first_in[o]; k < l->first_in[o + 1]; k++) {
            uint32_t i = l->by_head[k];
            if (l->tokens[i] != WEIR_UNBOUNDED)
                l->laid[count++] = (struct weir_laid_arc){key_of(&l->arcs[i], l->tokens[i]), l->place[l->arcs[i].tail]};
        }
        write_runs(e, &in, count);
    }
    l->out_first[n] = out.run_count;
    l->in_first[n] = in.run_count;
    e->graph.arc_count = out.end_count;
}

/* The distinct token counts, ascending. Those below 64, most of them, by a set of bits. */
static void list_tokens(struct weir_evaluator *e)
{
    struct weir_evaluator_layout *l = &e->layout;
    uint32_t runs = l->out_first[e->graph.actor_count], count = 0, small;
    uint64_t set = 0;
    for (uint32_t r = 0; r < runs; r++)
        if (l->out_runs[r].tokens < 64)
            set |= UINT64_C(1) << l->out_runs[r].tokens;
    for (; set; set &= set - 1)
        l->distinct[count++] = (uint32_t)__builtin_ctzll(set);
    small = count;
    for (uint32_t r = 0; r < runs; r++)
        if (l->out_runs[r].tokens >= 64)
            l->distinct[count++] = l->out_runs[r].tokens;
    if (count > small) {
        qsort(l->distinct + small, count - small, sizeof *l->distinct, weir_ascending_u32);
        uint32_t kept = small + 1;
        for (uint32_t i = small + 1; i < count; i++)
            if (l->distinct[i] != l->distinct[kept - 1])
                l->distinct[kept++] = l->distinct[i];
        count = kept;
    }
    e->graph.token_count_count = count;
    e->graph.tokens_max = count ? l->distinct[count - 1] : 0;
}

static void number_tokens(const struct weir_evaluator_layout *l, uint32_t distinct, struct weir_arc_run *runs, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        uint32_t low = 0, high = distinct - 1;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (l->distinct[middle] < runs[r].tokens)
                low = middle + 1;
            else
                high = middle;
        }
        runs[r].fifo = low & WEIR_FIFO_MAX;
    }
}

/* ---- now ---- */

bool weir_evaluator_layout_renew(struct weir_evaluator *e)
{
    struct weir_evaluator_layout *l = &e->layout;
    uint32_t n = e->graph.actor_count;
    for (uint32_t i = 0; i < l->arc_count; i++) {
        uint32_t queue = l->arcs[i].queue;
        if (queue == WEIR_NO_INDEX)
            l->tokens[i] = l->arcs[i].tokens;
        else
            l->tokens[i] = e->capacity[queue] == WEIR_UNBOUNDED || e->capacity[queue] == WEIR_AUTO
                               ? WEIR_UNBOUNDED
                               : e->capacity[queue] - e->pipeline->queues[queue].initial;
    }
    if (!in_order(l)) {
        if (!order_actors(l, n))
            return false;
        place_actors(e);
    }
    write_graph(e);
    list_tokens(e);
    number_tokens(l, e->graph.token_count_count, l->out_runs, l->out_first[n]);
    number_tokens(l, e->graph.token_count_count, l->in_runs, l->in_first[n]);
    return true;
}

bool weir_evaluator_layout_make(struct weir_evaluator *e)
{
    struct weir_evaluator_layout *l = &e->layout;
    const struct weir_graph *sealed = e->pipeline->graph;
    uint32_t n = sealed->actor_count;
    if (!collect(e) || !make_arrays(e))
        return false;
    index_arcs(l, n);
    for (uint32_t v = 0; v < n; v++)
        l->home[v] = l->place[v] = v;
    struct weir_graph *g = &e->graph;
    *g = *sealed;
    g->actors = l->actors, g->lo = l->lo, g->hi = l->hi;
    g->out_first = l->out_first, g->out_runs = l->out_runs, g->heads = l->heads;
    g->in_first = l->in_first, g->in_runs = l->in_runs, g->tails = l->tails;
    g->start_of = l->start_of, g->finish_of = l->finish_of, g->arrival_of = l->arrival_of;
    g->token_counts = l->distinct;
    place_actors(e);
    return true;
}
