/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread that goes through the operators in the order of model/dispatch.h. What it executes next depends on the messages in the
 * queues, and these on what was executed before: times have no say in it. So the order is found by counting messages, until a round
 * begins with the same messages as an earlier one; from there on everything repeats. A latency is the sum of the times of all that
 * is executed from the one to the other.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"
#include "model/dispatch.h"

#include <string.h>

struct weir_greedy {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    uint32_t *order;             /* of operators, in a round */
    uint32_t *queues;            /* by operator: its inputs, then its outputs that can be full */
    uint32_t *first;             /* by operator, into queues; one more at the end */
    uint32_t *outputs;           /* by operator: where its outputs begin */
    uint32_t *rest, *rest_first; /* by operator: its outputs that are never full */
    int64_t *messages;           /* by queue */
    uint64_t work_limit, work;
    int64_t rounds; /* after so many, all that can happen has begun; 0: not known */
    int64_t period; /* the last so many of them come again and again */
};

static bool limited(const struct weir_queue_spec *q)
{
    return !q->nonblocking && q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
}

static void reset(const struct weir_greedy *g)
{
    for (size_t i = 0; i < g->pipeline->queue_count; i++)
        g->messages[i] = g->pipeline->queues[i].initial;
}

/* The queues of each operator: counted, then filled in. `kind` 0: inputs, 1: outputs that can be full, 2: those that cannot. */
static uint32_t owner(const struct weir_queue_spec *q, int kind)
{
    return kind == 0 ? q->to.index : (kind == 1) == limited(q) ? q->from.index : UINT32_MAX;
}

static void index_queues(const struct weir_greedy *g)
{
    const struct weir_pipeline *p = g->pipeline;
    uint32_t n = (uint32_t)p->operator_count, at = 0, rest = 0;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        g->first[q->to.index]++;
        if (limited(q))
            g->outputs[q->from.index]++;
        else
            g->rest_first[q->from.index]++;
    }
    for (uint32_t o = 0; o < n; o++) { /* where each list ends; filling goes backwards */
        uint32_t inputs = g->first[o], outputs = g->outputs[o];
        g->first[o] = at + inputs;
        g->outputs[o] = at + inputs + outputs;
        at += inputs + outputs;
        rest += g->rest_first[o];
        g->rest_first[o] = rest;
    }
    g->first[n] = at;
    g->rest_first[n] = rest;
    for (size_t i = p->queue_count; i-- > 0;) {
        const struct weir_queue_spec *q = &p->queues[i];
        g->queues[--g->first[owner(q, 0)]] = (uint32_t)i;
        if (owner(q, 1) != UINT32_MAX)
            g->queues[--g->outputs[owner(q, 1)]] = (uint32_t)i;
        else
            g->rest[--g->rest_first[owner(q, 2)]] = (uint32_t)i;
    }
}

static bool is_ready(const struct weir_greedy *g, uint32_t op)
{
    for (uint32_t i = g->first[op]; i < g->outputs[op]; i++)
        if (g->messages[g->queues[i]] == 0)
            return false;
    for (uint32_t i = g->outputs[op]; i < g->first[op + 1]; i++)
        if (g->messages[g->queues[i]] >= g->pipeline->queues[g->queues[i]].capacity)
            return false;
    return true;
}

static void execute(const struct weir_greedy *g, uint32_t op)
{
    for (uint32_t i = g->first[op]; i < g->outputs[op]; i++)
        g->messages[g->queues[i]]--;
    for (uint32_t i = g->outputs[op]; i < g->first[op + 1]; i++)
        g->messages[g->queues[i]]++;
    for (uint32_t i = g->rest_first[op]; i < g->rest_first[op + 1]; i++)
        g->messages[g->rest[i]]++;
}

/* False: the limit is reached. */
static bool spend(struct weir_greedy *g)
{
    g->work += g->pipeline->operator_count + g->pipeline->queue_count;
    return g->work <= g->work_limit;
}

/* A later round that begins as an earlier one did, compared with ever later ones: the 1st, 2nd, 4th, 8th ... */
static bool find_period(struct weir_greedy *g)
{
    const struct weir_pipeline *p = g->pipeline;
    size_t bytes = p->queue_count * sizeof *g->messages;
    int64_t *earlier = weir_array(p->queue_count, sizeof *earlier);
    int64_t next = 1, kept = 0;
    if (!earlier)
        return false;
    reset(g);
    memcpy(earlier, g->messages, bytes);
    for (int64_t round = 1; spend(g); round++) {
        for (uint32_t i = 0; i < p->operator_count; i++)
            if (is_ready(g, g->order[i]))
                execute(g, g->order[i]);
        if (memcmp(earlier, g->messages, bytes) == 0) {
            g->rounds = round;
            g->period = round - kept;
            break;
        }
        if (round == next) {
            memcpy(earlier, g->messages, bytes);
            kept = round;
            next = 2 * round;
        }
    }
    weir_free(earlier);
    return true;
}

enum weir_status weir_greedy_new(const struct weir_pipeline *p, uint64_t work_limit, struct weir_greedy **greedy,
                                 struct weir_error *error)
{
    struct weir_greedy *g = weir_array_zeroed(1, sizeof *g);
    *greedy = NULL;
    if (!g)
        return weir_fail_memory(error);
    g->pipeline = p;
    g->work_limit = work_limit;
    g->queues = weir_arena_array(&g->arena, 2 * p->queue_count, sizeof *g->queues);
    g->first = weir_arena_array(&g->arena, p->operator_count + 1, sizeof *g->first);
    g->outputs = weir_arena_array(&g->arena, p->operator_count, sizeof *g->outputs);
    g->rest = weir_arena_array(&g->arena, p->queue_count, sizeof *g->rest);
    g->rest_first = weir_arena_array(&g->arena, p->operator_count + 1, sizeof *g->rest_first);
    g->messages = weir_arena_array(&g->arena, p->queue_count, sizeof *g->messages);
    g->order = weir_arena_array(&g->arena, p->operator_count, sizeof *g->order);
    bool good = !g->arena.failed && weir_dispatch_order(p, g->order);
    if (good) {
        index_queues(g);
        good = find_period(g);
    }
    if (!good) {
        weir_greedy_free(g);
        return weir_fail_memory(error);
    }
    *greedy = g;
    return WEIR_OK;
}

void weir_greedy_free(struct weir_greedy *g)
{
    if (g)
        weir_arena_free(&g->arena);
    weir_free(g);
}

/* ---- one latency ---- */

/* A moment: all that was executed before it, at worst and at best times, and how many executions that were. */
struct moment {
    int64_t worst, best, executions;
};

#define MOMENTS_MAX ((size_t)1 << 22)

struct list {
    struct moment *items;
    size_t count, capacity;
};

struct walk {
    struct weir_greedy *greedy;
    const struct weir_chain_spec *chain;
    struct moment now;
    struct list starts, finishes;
    int64_t cycle_starts, cycle_finishes; /* in the rounds that come again */
    bool too_long, out_of_memory;
};

static void note(struct walk *w, struct list *list)
{
    if (list->count >= MOMENTS_MAX)
        w->greedy->work = w->greedy->work_limit; /* which ends it */
    else if (!weir_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        w->out_of_memory = true;
    if (w->out_of_memory || list->count >= MOMENTS_MAX)
        return;
    list->items[list->count++] = w->now;
}

static void walk_round(struct walk *w, bool begin)
{
    const struct weir_pipeline *p = w->greedy->pipeline;
    for (uint32_t i = 0; i < p->operator_count && !w->out_of_memory && !w->too_long; i++) {
        uint32_t op = w->greedy->order[i];
        if (!is_ready(w->greedy, op))
            continue;
        execute(w->greedy, op);
        if (begin && op == w->chain->from.index)
            note(w, &w->starts);
        const struct weir_operator_spec *spec = &p->operators[op];
        w->now.worst += spec->worst;
        w->now.best += spec->best > spec->receive_min ? spec->best : spec->receive_min; /* it receives before it ends */
        w->now.executions++;
        w->too_long = w->now.worst >= WEIR_TIME_MAX;
        if (op == w->chain->to.index)
            note(w, &w->finishes);
    }
}

static void measure(const struct walk *w, int64_t bounds[2])
{
    bounds[0] = INT64_MIN;
    bounds[1] = INT64_MAX;
    for (size_t i = w->chain->shift < 0 ? (size_t)-w->chain->shift : 0; i < w->starts.count; i++) {
        const struct moment *start = &w->starts.items[i], *finish = &w->finishes.items[(int64_t)i + w->chain->shift];
        bool later = finish->executions > start->executions;
        int64_t worst = finish->worst - start->worst, best = finish->best - start->best;
        int64_t most = later ? worst : best, least = later ? best : worst;
        bounds[0] = most > bounds[0] ? most : bounds[0];
        bounds[1] = least < bounds[1] ? least : bounds[1];
    }
}

/* Iterations that begin in the rounds known to be all, each followed to its end. */
static void walk(struct walk *w, char why[WEIR_WORKERS_WHY])
{
    struct weir_greedy *g = w->greedy;
    size_t starts = 0, finishes = 0;
    bool enough = true;
    reset(g);
    for (int64_t round = 0; round < g->rounds && enough && !w->out_of_memory && !w->too_long; round++) {
        if (round == g->rounds - g->period)
            starts = w->starts.count, finishes = w->finishes.count;
        walk_round(w, true);
        enough = spend(g);
    }
    w->cycle_starts = (int64_t)(w->starts.count - starts);
    w->cycle_finishes = (int64_t)(w->finishes.count - finishes);
    if (enough && !w->too_long && !w->out_of_memory && (w->cycle_starts != w->cycle_finishes || w->cycle_starts == 0)) {
        snprintf(why, WEIR_WORKERS_WHY, "the two operators do not run equally often, so one gets ever further ahead of the other");
        return;
    }
    /* A latency repeats from where both its start and its finish do, which may be long past by then: a whole period of those. */
    int64_t needed = (int64_t)finishes - w->chain->shift + w->cycle_starts;
    while (enough && !w->too_long && !w->out_of_memory && (int64_t)w->starts.count < needed) {
        walk_round(w, true);
        enough = spend(g);
    }
    while (enough && !w->too_long && !w->out_of_memory && (int64_t)w->finishes.count < (int64_t)w->starts.count + w->chain->shift) {
        walk_round(w, false);
        enough = spend(g);
    }
    if (!enough)
        snprintf(why, WEIR_WORKERS_WHY, "the work limit was reached before the order of execution repeated itself");
    else if (w->too_long)
        snprintf(why, WEIR_WORKERS_WHY, "the times add up to more than can be represented; use a coarser unit");
}

enum weir_status weir_greedy_latency(struct weir_greedy *g, const struct weir_chain_spec *chain, int64_t bounds[2],
                                     char why[WEIR_WORKERS_WHY], struct weir_error *error)
{
    struct walk w = {.greedy = g, .chain = chain};
    *why = '\0';
    bounds[0] = bounds[1] = 0;
    if (g->rounds == 0 || chain->shift > WEIR_WORKERS_SHIFT_MAX || chain->shift < -WEIR_WORKERS_SHIFT_MAX) {
        snprintf(why, WEIR_WORKERS_WHY, "the work limit was reached before the order of execution repeated itself");
        return WEIR_OK;
    }
    g->work = 0;
    walk(&w, why);
    if (!w.out_of_memory && !*why)
        measure(&w, bounds);
    weir_free(w.starts.items);
    weir_free(w.finishes.items);
    return w.out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}
