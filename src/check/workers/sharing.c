/* SPDX-License-Identifier: Apache-2.0 */
/* The work that keeps threads busy while a chain waits for one of them, added up again. */
#include "check/workers/sharing.h"

#include "base/alloc.h"
#include "base/number.h"
#include "check/tokens.h"
#include "check/workers/sharing_chain.h"

/* The most that some executions take of the threads of one crew. */
struct crew {
    uint32_t threads; /* 0: one for each of its operators */
    bool has_from;    /* one of its threads executes `from` when the latency begins */
    bool on_chain;    /* some of its operators can be */
    int64_t work;     /* -1: without limit */
};

struct sharing {
    struct weir_arena arena;
    const struct weir_sharing_claim *claim;
    const struct weir_pipeline *pipeline;
    const struct weir_graph *graph;
    struct weir_span_of_chain span;
    uint32_t *crew_of; /* by operator; 0: that of the workers */
    struct crew *crews;
    uint32_t crew_count;
    int64_t *under_way; /* of operators of a crew */
    int64_t *weights;   /* by actor */
};

/* ---- the latency ---- */

static bool measure(struct sharing *s, uint32_t chain)
{
    const struct weir_graph *g = s->graph;
    const struct weir_chain_spec *spec = &s->pipeline->chains[chain];
    uint32_t arrival = g->arrival_of[spec->from.index], count = g->actor_count;
    struct weir_span_of_chain *span = &s->span;
    *span = (struct weir_span_of_chain){.graph = g,
                                        .from = arrival == WEIR_NO_ACTOR ? g->start_of[spec->from.index] : arrival,
                                        .to = g->finish_of[spec->to.index],
                                        .shift = spec->shift,
                                        .started = weir_arena_array(&s->arena, count, sizeof *span->started),
                                        .finished = weir_arena_array(&s->arena, count, sizeof *span->finished),
                                        .leads = weir_arena_array(&s->arena, count, sizeof *span->leads),
                                        .follows = weir_arena_array(&s->arena, count, sizeof *span->follows)};
    if (s->arena.failed || !weir_march(&(struct weir_march){.graph = g, .actor = span->from, .against = true}, span->started) ||
        !weir_march(&(struct weir_march){.graph = g, .actor = span->to, .against = true}, span->leads) ||
        !weir_march(&(struct weir_march){.graph = g, .actor = g->start_of[spec->to.index]}, span->follows))
        return false;
    for (uint32_t o = 0; o < count; o++)
        span->finished[o] = WEIR_FAR;
    for (uint32_t head = 0; head < count; head++) /* an arc that leaves a finish, and a path from there on */
        for (uint32_t r = g->in_first[head]; span->started[head] != WEIR_FAR && r < g->in_first[head + 1]; r++)
            for (uint32_t i = g->in_runs[r].first; g->in_runs[r].finish && i < g->in_runs[r].end; i++) {
                int64_t tokens = span->started[head] + g->in_runs[r].tokens, *finished = &span->finished[g->tails[i]];
                *finished = tokens < *finished ? tokens : *finished;
            }
    return true;
}

/* ---- operators that share threads ---- */

static bool find_crews(struct sharing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    uint32_t *sizes;
    s->crew_count = p->lane_count + 1;
    s->crew_of = weir_arena_array(&s->arena, p->operator_count, sizeof *s->crew_of);
    s->crews = weir_arena_array(&s->arena, s->crew_count, sizeof *s->crews);
    s->under_way = weir_arena_array(&s->arena, p->operator_count, sizeof *s->under_way);
    s->weights = weir_arena_array(&s->arena, s->graph->actor_count, sizeof *s->weights);
    sizes = weir_arena_array(&s->arena, s->crew_count, sizeof *sizes);
    if (s->arena.failed)
        return false;
    for (size_t o = 0; o < p->operator_count; o++) {
        s->crew_of[o] = p->lanes && p->lanes[o] != WEIR_NO_LANE ? p->lanes[o] + 1 : 0;
        sizes[s->crew_of[o]]++;
        s->crews[s->crew_of[o]].on_chain |= s->span.leads[s->graph->start_of[o]] != WEIR_FAR;
    }
    uint32_t from = s->graph->actors[s->span.from].op;
    s->crews[s->crew_of[from]].has_from = s->graph->start_of[from] == s->span.from;
    for (uint32_t c = 0; c < s->crew_count; c++) {
        uint32_t threads = c ? 1 : p->workers.dispatch == WEIR_DISPATCH_GREEDY ? 1 : p->workers.workers;
        s->crews[c].threads = threads < sizes[c] ? threads : 0;
    }
    return true;
}

/* ---- work ---- */

/* Executions that start after `from` does and before `to`, and the two themselves; WEIR_FAR: no limit is known. */
static int64_t executions_of(const struct sharing *s, uint32_t op)
{
    const struct weir_span_of_chain *span = &s->span;
    uint32_t start = s->graph->start_of[op];
    int64_t before = span->started[start], after = span->follows[start], between;
    if (before == WEIR_FAR || after == WEIR_FAR || !weir_add(before, after, &between) ||
        !weir_add(between, span->shift - 1, &between))
        return WEIR_FAR;
    return (between > 0 ? between : 0) + (start == span->from) + (op == s->graph->actors[span->to].op);
}

/* Whether the last execution of the operator that has started when `from` starts may be at work then. */
static bool may_be_under_way(const struct sharing *s, uint32_t op)
{
    uint32_t start = s->graph->start_of[op], finish = s->graph->finish_of[op];
    return start != s->span.from && (s->span.started[start] == WEIR_FAR || s->span.finished[finish] > s->span.started[start]);
}

static bool add_work(int64_t *sum, int64_t work)
{
    return weir_add(*sum, work, sum) && *sum < WEIR_TIME_MAX / 4;
}

/* The largest of those that may be under way at once, each taken out when it is counted. */
static bool add_under_way(int64_t *sum, int64_t *times, uint32_t count, uint32_t threads)
{
    for (uint32_t n = 0; n < threads && n < count; n++) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < count; i++)
            largest = times[i] > times[largest] ? i : largest;
        if (times[largest] == 0)
            return true;
        if (!add_work(sum, times[largest]))
            return false;
        times[largest] = 0;
    }
    return true;
}

/* All that operators outside of U can do on the threads of a crew; false: without limit. */
static bool sum_work(const struct sharing *s, uint32_t crew, int64_t *sum)
{
    const struct crew *it = &s->crews[crew];
    uint32_t count = 0;
    *sum = 0;
    for (uint32_t o = 0; o < s->pipeline->operator_count; o++) {
        int64_t worst = s->pipeline->operators[o].worst, executions, work;
        if (s->crew_of[o] != crew || worst == 0 || (crew == 0 && s->claim->apart && s->claim->apart[o]))
            continue;
        executions = executions_of(s, o);
        if (executions == WEIR_FAR || !weir_multiply(executions, worst, &work) || !add_work(sum, work))
            return false;
        s->under_way[count++] = may_be_under_way(s, o) ? worst : 0;
    }
    return add_under_way(sum, s->under_way, count, it->threads - it->has_from);
}

/* ---- the bound ---- */

/* In a lane the chain's own work is among all that its thread does; of the workers' operators it is so for those outside of U. */
static void weigh(const struct sharing *s)
{
    const struct weir_sharing_claim *c = s->claim;
    for (uint32_t a = 0; a < s->graph->actor_count; a++) {
        uint32_t op = s->graph->actors[a].op;
        const struct crew *crew = &s->crews[s->crew_of[op]];
        bool apart = c->apart && c->apart[op];
        s->weights[a] = crew->threads == 0 ? c->shares : s->crew_of[op] ? 0 : apart ? c->shares : c->shares - 1;
    }
}

/* Whether so many of the workers are left for the operators outside of U. */
static bool are_shares(const struct sharing *s)
{
    int64_t left = s->crews[0].threads;
    for (uint32_t o = 0; o < s->pipeline->operator_count && s->claim->apart; o++)
        left -= s->claim->apart[o] && s->crew_of[o] == 0;
    return s->claim->shares >= 1 && (s->crews[0].threads == 0 || s->claim->shares <= left);
}

/* All work that is waited for, in shares; false: without limit. */
static bool sum_all(const struct sharing *s, int64_t *sum)
{
    *sum = 0;
    for (uint32_t c = 0; c < s->crew_count; c++) {
        int64_t work = 0;
        if (s->crews[c].threads == 0 || (c && !s->crews[c].on_chain))
            continue;
        if (!sum_work(s, c, &work) || (c && !weir_multiply(work, s->claim->shares, &work)) || !add_work(sum, work))
            return false;
    }
    return true;
}

/* False: out of memory. */
static bool judge(struct sharing *s, enum weir_checked *checked)
{
    const struct weir_sharing_claim *c = s->claim;
    int64_t longest, sum = 0;
    uint32_t last = s->graph->start_of[s->graph->actors[s->span.to].op];
    bool has_thread = weir_chain_is_past(&s->span, last, 0); /* it has started when `from` starts: nothing is waited for */
    struct weir_chain_weights weights = {
        .actors = s->weights, .full = c->shares, .polling = s->pipeline->workers.polling, .work = c->work};
    *checked = WEIR_CHECKED_FAILS;
    weigh(s);
    for (uint32_t a = 0; a < s->graph->actor_count && has_thread; a++)
        s->weights[a] = c->shares;
    if (!has_thread && (!are_shares(s) || !sum_all(s, &sum)))
        return true;
    if (!weir_chain_longest(&s->span, &weights, &longest))
        return false;
    if (longest < 0)
        *checked = WEIR_CHECKED_OPEN;
    else if ((weir_wide)c->bound.numerator * c->shares >= (weir_wide)c->bound.denominator * (longest + sum))
        *checked = WEIR_CHECKED_HOLDS;
    return true;
}

/* Whether the theorems are about it: operators that take one message of each queue, and work on the CPU alone. */
static bool applies(const struct weir_pipeline *p, uint32_t chain)
{
    bool good = p->graph && !p->firings && p->chains[chain].shift <= INT32_MAX && p->chains[chain].shift >= -INT32_MAX;
    for (size_t i = 0; i < p->operator_count; i++)
        good &= !p->operators[i].launch && !p->operators[i].reentrant;
    for (size_t i = 0; i < p->queue_count; i++)
        good &= !weir_queue_is_cut(&p->queues[i]) && p->queues[i].consume <= 1 && !p->queues[i].transfer_max;
    for (size_t i = 0; i < p->source_count; i++)
        good &= p->sources[i].arrivals != WEIR_ARRIVALS_SKIP &&
                (!p->sources[i].has_phase || p->sources[i].phase_max <= p->sources[i].period);
    return good;
}

enum weir_status weir_sharing_check(const struct weir_sharing_claim *claim, enum weir_checked *checked)
{
    struct sharing s = {.claim = claim, .pipeline = claim->pipeline, .graph = claim->pipeline->graph};
    *checked = WEIR_CHECKED_OPEN;
    if (!applies(claim->pipeline, claim->chain) || claim->bound.denominator <= 0)
        return WEIR_OK;
    bool good = measure(&s, claim->chain) && find_crews(&s) && judge(&s, checked);
    weir_arena_free(&s.arena);
    return good ? WEIR_OK : WEIR_MEMORY;
}

enum weir_status weir_sharing_check_best(const struct weir_pipeline *pipeline, uint32_t chain, int64_t best, uint64_t work,
                                         enum weir_checked *checked)
{
    struct sharing s = {.pipeline = pipeline, .graph = pipeline->graph};
    int64_t least = -1;
    *checked = WEIR_CHECKED_OPEN;
    if (!applies(pipeline, chain))
        return WEIR_OK;
    /* The greedy scheduler reads the clock before it comes to an operator: its starts may be less than a period apart. */
    bool offsets = pipeline->workers.dispatch != WEIR_DISPATCH_GREEDY;
    bool good = measure(&s, chain) && weir_chain_least(&s.span, offsets, work, &least);
    if (good && least >= 0)
        *checked = least >= best ? WEIR_CHECKED_HOLDS : WEIR_CHECKED_FAILS;
    weir_arena_free(&s.arena);
    return good ? WEIR_OK : WEIR_MEMORY;
}
