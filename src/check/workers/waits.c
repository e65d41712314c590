/* SPDX-License-Identifier: Apache-2.0 */
/* How long an operator that is ready waits for its start, at most, and that nothing else of a pipeline was changed. */
#include "check/workers/waits.h"

#include "base/number.h"
#include "check/tokens.h"
#include "model/dispatch.h"

#include <string.h>

#define RELATED_MAX 256 /* operators among which it is determined which waits for which */

/* ---- the same, but for times ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_launch(const struct weir_launch *a, const struct weir_launch *b)
{
    return (!a && !b) || (a && b && a->best == b->best && a->worst == b->worst && a->after_best == b->after_best &&
                          a->after_worst == b->after_worst && a->waits == b->waits && same_text(a->stream, b->stream));
}

static bool same_queue(const struct weir_queue_spec *a, const struct weir_queue_spec *b)
{
    return a->from.index == b->from.index && a->to.index == b->to.index && a->capacity == b->capacity && a->initial == b->initial &&
           a->nonblocking == b->nonblocking && a->consume == b->consume && a->full == b->full && a->optional == b->optional &&
           a->latest == b->latest && a->transfer_min == b->transfer_min && a->transfer_max == b->transfer_max &&
           same_text(a->port, b->port);
}

static bool same_source(const struct weir_source_spec *a, const struct weir_source_spec *b)
{
    return a->op.index == b->op.index && a->period == b->period && a->arrivals == b->arrivals && a->has_phase == b->has_phase &&
           a->phase == b->phase && a->phase_max == b->phase_max;
}

static bool same_phase(const struct weir_pipeline *a, const struct weir_pipeline *b, size_t op)
{
    struct weir_phase none = {0}, x = a->phases ? a->phases[op] : none, y = b->phases ? b->phases[op] : none;
    return x.least == y.least && x.most == y.most && x.unknown == y.unknown;
}

/* All but the times of executions and the assignment of threads; the other has one for each operator. */
static bool is_same(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    bool same = a->operator_count == b->operator_count && a->queue_count == b->queue_count && a->source_count == b->source_count &&
                a->chain_count == b->chain_count && b->workers.dispatch != WEIR_DISPATCH_GREEDY && b->workers.workers == 0 &&
                b->workers.polling == 0 && a->graph && b->graph;
    for (size_t i = 0; same && i < a->operator_count; i++)
        same = a->operators[i].reentrant == b->operators[i].reentrant && same_phase(a, b, i) &&
               same_launch(a->operators[i].launch, b->operators[i].launch);
    for (size_t i = 0; same && i < a->queue_count; i++)
        same = same_queue(&a->queues[i], &b->queues[i]);
    for (size_t i = 0; same && i < a->source_count; i++)
        same = same_source(&a->sources[i], &b->sources[i]);
    for (size_t i = 0; same && i < a->chain_count; i++)
        same = a->chains[i].from.index == b->chains[i].from.index && a->chains[i].to.index == b->chains[i].to.index &&
               a->chains[i].shift == b->chains[i].shift;
    return same;
}

/* The threads that v shares with others; 0: there is one for each of them. */
static uint32_t threads_of(const struct weir_pipeline *p, uint32_t v)
{
    bool in_lane = p->lanes && p->lanes[v] != WEIR_NO_LANE;
    uint32_t threads = in_lane ? 1 : p->workers.workers, members = 0;
    for (uint32_t u = 0; u < p->operator_count; u++)
        members += p->lanes ? p->lanes[u] == p->lanes[v] : 1;
    return threads == 0 || threads >= members ? 0 : threads;
}

/* ---- waits for a thread ---- */

struct waits {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline, *spread;
    uint32_t count;
    int64_t *busy;  /* by operator: how long an execution has its thread */
    int64_t *meets; /* by operator, of the one that is looked at: the same, where it can execute while that one is ready; else 0 */
    int64_t *to_start, *from_start; /* by actor: fewest tokens to its start, and from there */
    uint32_t *order;
    bool in_order;
    const int64_t *checked; /* by operator that shares threads: a wait that holds, or WEIR_FAR; NULL: none is known */
};

static void find_busy(struct waits *w)
{
    for (uint32_t o = 0; o < w->count; o++) {
        const struct weir_operator_spec *spec = &w->pipeline->operators[o];
        w->busy[o] = spec->worst > spec->receive_max ? spec->worst : spec->receive_max;
    }
}

/* Fewest tokens from the finish of u to the start that `to_start` is about. */
static int64_t from_finish(const struct waits *w, uint32_t u)
{
    const struct weir_graph *g = w->pipeline->graph;
    uint32_t finish = g->finish_of[u];
    int64_t fewest = WEIR_FAR;
    for (uint32_t r = g->out_first[finish]; r < g->out_first[finish + 1]; r++)
        for (uint32_t i = g->out_runs[r].first; g->out_runs[r].finish && i < g->out_runs[r].end; i++) {
            int64_t rest = w->to_start[g->heads[i]];
            if (rest != WEIR_FAR && rest + g->out_runs[r].tokens < fewest)
                fewest = rest + g->out_runs[r].tokens;
        }
    return fewest;
}

/* Who executes while v is ready: executions of u from `over` iterations ago on are over then, and those from `ahead` later on wait
 * for v. */
static bool meet(struct waits *w, uint32_t v)
{
    const struct weir_graph *g = w->pipeline->graph;
    bool counted = !w->pipeline->firings && w->count <= RELATED_MAX;
    if (counted && (!weir_march(&(struct weir_march){.graph = g, .actor = g->start_of[v]}, w->from_start) ||
                    !weir_march(&(struct weir_march){.graph = g, .actor = g->start_of[v], .against = true}, w->to_start)))
        return false;
    for (uint32_t u = 0; u < w->count; u++) {
        w->meets[u] = u == v ? 0 : w->busy[u];
        if (u == v || !counted)
            continue;
        int64_t over = from_finish(w, u), ahead = w->from_start[g->start_of[u]];
        if (over != WEIR_FAR && ahead != WEIR_FAR && over + ahead <= 1)
            w->meets[u] = 0;
    }
    return true;
}

/* In order, each of the others executes once at most: no longer wait has all threads at work on them. */
static bool is_enough(const struct waits *w, uint32_t v, uint32_t threads, int64_t wait)
{
    weir_wide work = 0;
    uint32_t longer = 0;
    for (uint32_t u = 0; u < w->count; u++) {
        bool together = w->pipeline->lanes ? w->pipeline->lanes[u] == w->pipeline->lanes[v] : true;
        if (!together)
            continue;
        work += w->meets[u] < wait ? w->meets[u] : wait;
        longer += w->meets[u] > wait;
    }
    return (weir_wide)threads * wait >= work && longer < threads;
}

static bool check_ordered(struct waits *w, uint32_t v, enum weir_checked *checked)
{
    const struct weir_pipeline *p = w->pipeline;
    int64_t wait = weir_pipeline_lateness(w->spread, v).most - p->workers.polling;
    uint32_t threads = threads_of(p, v);
    if (threads && !meet(w, v))
        return false;
    if (wait < 0)
        *checked = WEIR_CHECKED_FAILS;
    else if (threads && w->checked && w->checked[v] <= wait)
        return true;
    else if (threads && (!w->in_order || !is_enough(w, v, threads, wait)))
        *checked = w->checked ? WEIR_CHECKED_OPEN : WEIR_CHECKED_FAILS; /* there are others, which rely on times */
    return true;
}

/* ---- greedy ---- */

static const struct weir_source_spec *source_of(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op)
            return &p->sources[i];
    return NULL;
}

static uint32_t place_of(const struct waits *w, uint32_t op)
{
    uint32_t place = 0;
    while (w->order[place] != op)
        place++;
    return place;
}

/* A wait for the one thread that was checked holds where no period counts from when the clock was read. */
static bool is_checked(const struct waits *w, uint32_t v, int64_t wait)
{
    for (size_t i = 0; i < w->pipeline->source_count; i++)
        if (w->pipeline->sources[i].arrivals == WEIR_ARRIVALS_AT_MOST || w->pipeline->sources[i].arrivals == WEIR_ARRIVALS_SKIP)
            return false;
    return w->checked && w->checked[v] <= wait;
}

/* The thread comes by once a round; a period that ends after the clock was read is seen in the next. */
static bool is_round_enough(const struct waits *w, uint32_t v)
{
    const struct weir_source_spec *source = source_of(w->pipeline, v);
    struct weir_lateness given = weir_pipeline_lateness(w->spread, v);
    int64_t others = 0, before = 0, again = 0;
    if (is_checked(w, v, given.most))
        return true;
    for (uint32_t u = 0; u < w->count; u++)
        others += w->meets[u];
    for (uint32_t i = 0; w->order[i] != v; i++) {
        before += w->busy[w->order[i]];
        again += w->meets[w->order[i]];
    }
    if (!source)
        return given.most >= others;
    int64_t counted = source->arrivals == WEIR_ARRIVALS_AT_MOST ? given.early : 0;
    return given.early >= before && given.most >= others + again + counted;
}

/* From the end of `from` the thread goes on until it comes to `to`. */
static bool is_reaction_enough(const struct waits *w, uint32_t queue)
{
    const struct weir_queue_spec *q = &w->pipeline->queues[queue];
    int64_t given = weir_pipeline_reaction(w->spread, queue), between = 0;
    if (given == WEIR_AS_ANY || is_checked(w, q->to.index, given))
        return true;
    for (uint32_t i = (place_of(w, q->from.index) + 1) % w->count; w->order[i] != q->to.index; i = (i + 1) % w->count)
        between += w->meets[w->order[i]];
    return given >= between;
}

static bool check_rounds(struct waits *w, uint32_t v, enum weir_checked *checked)
{
    if (!meet(w, v))
        return false;
    bool good = is_round_enough(w, v);
    for (uint32_t i = 0; i < w->pipeline->queue_count && good; i++)
        good = w->pipeline->queues[i].to.index != v || is_reaction_enough(w, i);
    *checked = good ? *checked : WEIR_CHECKED_FAILS;
    return true;
}

/* ---- */

static bool same_times(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    bool same = true;
    for (size_t i = 0; i < a->operator_count; i++)
        same &= a->operators[i].best == b->operators[i].best && a->operators[i].worst == b->operators[i].worst &&
                a->operators[i].receive_min == b->operators[i].receive_min &&
                a->operators[i].receive_max == b->operators[i].receive_max;
    return same;
}

static bool begin(struct waits *w)
{
    uint32_t actors = w->pipeline->graph->actor_count;
    w->busy = weir_arena_array(&w->arena, w->count, sizeof *w->busy);
    w->meets = weir_arena_array(&w->arena, w->count, sizeof *w->meets);
    w->order = weir_arena_array(&w->arena, w->count, sizeof *w->order);
    w->from_start = weir_arena_array(&w->arena, actors, sizeof *w->from_start);
    w->to_start = weir_arena_array(&w->arena, actors, sizeof *w->to_start);
    return !w->arena.failed && weir_dispatch_order(w->pipeline, w->order);
}

enum weir_status weir_spread_check(const struct weir_pipeline *p, const struct weir_pipeline *spread, bool in_order,
                                   const int64_t *waits, enum weir_checked *checked)
{
    struct waits w = {
        .pipeline = p, .spread = spread, .count = (uint32_t)p->operator_count, .in_order = in_order, .checked = waits};
    *checked = WEIR_CHECKED_OPEN;
    for (size_t i = 0; i < p->operator_count; i++)
        if (p->operators[i].launch) /* which is assumed to be part of the execution: that is not checked */
            return WEIR_OK;
    *checked = WEIR_CHECKED_FAILS;
    if (!is_same(p, spread) || !same_times(p, spread) || spread->lane_count)
        return WEIR_OK;
    bool good = begin(&w), greedy = p->workers.dispatch == WEIR_DISPATCH_GREEDY;
    if (good)
        find_busy(&w);
    *checked = WEIR_CHECKED_HOLDS;
    for (uint32_t v = 0; v < w.count && good && *checked == WEIR_CHECKED_HOLDS; v++)
        good = greedy ? check_rounds(&w, v, checked) : check_ordered(&w, v, checked);
    weir_arena_free(&w.arena);
    return good ? WEIR_OK : WEIR_MEMORY;
}
