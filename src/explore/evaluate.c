/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same pipeline with other numbers. What the engine is asked, and how, is its own affair (exact/); here its graph is kept up to
 * date. A change of times alone leaves the region that the engine searches as it was, so the question need not be posed again.
 */
#include "explore/evaluate.h"

#include "base/error.h"
#include "base/number.h"
#include "engine/exact/components.h"
#include "engine/exact/ratio.h"
#include "engine/exact/search.h"

#include <string.h>

/* ---- making one ---- */

/* Nothing but what evaluate_layout.c knows the arcs of. Which order work has in a stream that operators share may depend on
 * capacities. */
static bool fits(const struct weir_pipeline *p)
{
    if (p->phases)
        return false;
    for (uint32_t a = 0; a < p->graph->actor_count; a++) {
        enum weir_part part = p->graph->actors[a].part;
        if (part == WEIR_PART_TICK || part == WEIR_PART_TRANSFER)
            return false;
    }
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (q->optional || q->latest || q->consume > 1 || (q->nonblocking && q->full != WEIR_FULL_NEVER))
            return false;
    }
    return !weir_streams_shared(p) && p->source_count < (1u << 26) - 1;
}

static bool make_numbers(struct weir_evaluator *e)
{
    const struct weir_pipeline *p = e->pipeline;
    e->best = weir_arena_array(&e->arena, p->operator_count, sizeof *e->best);
    e->worst = weir_arena_array(&e->arena, p->operator_count, sizeof *e->worst);
    e->period = weir_arena_array(&e->arena, p->source_count, sizeof *e->period);
    e->capacity = weir_arena_array(&e->arena, p->queue_count, sizeof *e->capacity);
    e->work_best = weir_arena_array(&e->arena, p->operator_count, sizeof *e->work_best);
    e->work_worst = weir_arena_array(&e->arena, p->operator_count, sizeof *e->work_worst);
    e->actor_of = weir_arena_array(&e->arena, p->operator_count, sizeof *e->actor_of);
    e->work_of = weir_arena_array(&e->arena, p->operator_count, sizeof *e->work_of);
    if (e->arena.failed)
        return false;
    for (uint32_t a = 0; a < p->graph->actor_count; a++) {
        uint32_t o = p->graph->actors[a].op;
        if (p->graph->actors[a].part == WEIR_PART_EXECUTION)
            e->actor_of[o] = a;
        if (p->graph->actors[a].part == WEIR_PART_GPU && p->operators[o].launch)
            e->work_of[o] = a;
    }
    weir_evaluator_reset(e);
    return true;
}

/* A solver of the evaluator's own graph: room for as many token counts as there are arcs. */
static enum weir_status make_solver(struct weir_evaluator *e, struct weir_error *error)
{
    e->shell = *e->pipeline;
    e->shell.graph = &e->graph;
    if (!weir_evaluator_layout_renew(e)) /* the pipeline was sealed, so it has no deadlock */
        return weir_fail(error, WEIR_INTERNAL, "the evaluator's graph is not that of the pipeline");
    uint32_t count = e->graph.token_count_count;
    e->graph.token_count_count = e->layout.arc_count + 1;
    e->solver = weir_solver_new(&e->shell, error);
    e->graph.token_count_count = count;
    if (!e->solver)
        return WEIR_MEMORY;
    e->solver->lines_from = UINT64_MAX; /* rows alone: what lines keep of a graph is not kept up to date */
    return WEIR_OK;
}

struct weir_evaluator *weir_evaluator_new(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (weir_pipeline_require_threads(pipeline, error) || weir_pipeline_require_ports(pipeline, error))
        return NULL;
    for (uint32_t o = 0; o < pipeline->operator_count; o++)
        if (weir_pipeline_firings(pipeline, (struct weir_operator){o}) > 1) {
            weir_fail(error, WEIR_INVALID, "other numbers cannot be tried where a queue takes several messages at once");
            return NULL;
        }
    struct weir_evaluator *e = weir_array_zeroed(1, sizeof *e);
    if (!e) {
        weir_fail_memory(error);
        return NULL;
    }
    e->pipeline = pipeline;
    e->in_place = fits(pipeline);
    e->posed = WEIR_NO_INDEX;
    bool room = make_numbers(e) && (!e->in_place || weir_evaluator_layout_make(e));
    enum weir_status status = !room ? weir_fail_memory(error) : e->in_place ? make_solver(e, error) : WEIR_OK;
    if (status) {
        weir_evaluator_free(e);
        return NULL;
    }
    return e;
}

void weir_evaluator_free(struct weir_evaluator *e)
{
    if (!e)
        return;
    weir_solver_free(e->solver);
    weir_pipeline_free(e->copy);
    weir_free(e->component);
    weir_arena_free(&e->arena);
    weir_free(e);
}

bool weir_evaluator_in_place(const struct weir_evaluator *e)
{
    return e->in_place;
}

/* ---- the numbers ---- */

void weir_evaluator_reset(struct weir_evaluator *e)
{
    const struct weir_pipeline *p = e->pipeline;
    e->total = 0; /* it was checked when the pipeline was sealed */
    for (uint32_t a = 0; a < p->graph->actor_count; a++)
        e->total += p->graph->hi[a];
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_launch *launch = p->operators[i].launch;
        e->best[i] = p->operators[i].best;
        e->worst[i] = p->operators[i].worst;
        e->work_best[i] = launch ? launch->best : 0;
        e->work_worst[i] = launch ? launch->worst : 0;
    }
    for (size_t i = 0; i < p->queue_count; i++)
        e->capacity[i] = p->queues[i].capacity;
    for (size_t i = 0; i < p->source_count; i++) {
        e->period[i] = p->sources[i].period;
        e->total += p->sources[i].period + p->sources[i].jitter;
    }
    e->times_changed = e->arcs_changed = true;
}

static enum weir_status add_to_total(struct weir_evaluator *e, int64_t old, int64_t new, struct weir_error *error)
{
    if (new >= WEIR_TIME_MAX - (e->total - old))
        return weir_fail(error, WEIR_OVERFLOW, "times and periods together are longer than can be represented");
    e->total += new - old;
    return WEIR_OK;
}

enum weir_status weir_evaluator_set_times(struct weir_evaluator *e, struct weir_operator op, int64_t best, int64_t worst,
                                          struct weir_error *error)
{
    if (op.index >= e->pipeline->operator_count)
        return weir_fail(error, WEIR_INVALID, "a time must be that of an operator of the pipeline");
    if (best < 0 || best > worst)
        return weir_fail(error, WEIR_INVALID, "a best case must not be negative, nor above the worst");
    if (worst < e->pipeline->operators[op.index].receive_max)
        return weir_fail(error, WEIR_INVALID, "an operator must receive its messages within its worst case");
    enum weir_status status = add_to_total(e, e->worst[op.index], worst, error);
    if (status)
        return status;
    e->times_changed |= e->best[op.index] != best || e->worst[op.index] != worst;
    e->best[op.index] = best;
    e->worst[op.index] = worst;
    return WEIR_OK;
}

enum weir_status weir_evaluator_set_work(struct weir_evaluator *e, struct weir_operator op, int64_t best, int64_t worst,
                                         struct weir_error *error)
{
    if (op.index >= e->pipeline->operator_count || !e->pipeline->operators[op.index].launch)
        return weir_fail(error, WEIR_INVALID, "work on a GPU must be that of an operator that launches some");
    if (best < 0 || best > worst)
        return weir_fail(error, WEIR_INVALID, "a best case must not be negative, nor above the worst");
    enum weir_status status = add_to_total(e, e->work_worst[op.index], worst, error);
    if (status)
        return status;
    e->times_changed |= e->work_best[op.index] != best || e->work_worst[op.index] != worst;
    e->work_best[op.index] = best;
    e->work_worst[op.index] = worst;
    return WEIR_OK;
}

enum weir_status weir_evaluator_set_capacity(struct weir_evaluator *e, struct weir_queue queue, uint32_t capacity,
                                             struct weir_error *error)
{
    if (queue.index >= e->pipeline->queue_count)
        return weir_fail(error, WEIR_INVALID, "a capacity must be that of a queue of the pipeline");
    uint32_t initial = e->pipeline->queues[queue.index].initial;
    if (capacity != WEIR_UNBOUNDED && (capacity < 1 || capacity < initial || capacity > WEIR_QUEUE_MAX))
        return weir_fail(error, WEIR_INVALID, "a capacity must be from %u to %u, or without limit", initial > 1 ? initial : 1,
                         WEIR_QUEUE_MAX);
    e->arcs_changed |= e->capacity[queue.index] != capacity;
    e->capacity[queue.index] = capacity;
    return WEIR_OK;
}

enum weir_status weir_evaluator_set_period(struct weir_evaluator *e, uint32_t source, int64_t period, struct weir_error *error)
{
    if (source >= e->pipeline->source_count)
        return weir_fail(error, WEIR_INVALID, "a period must be that of a source of the pipeline");
    if (period < 1)
        return weir_fail(error, WEIR_INVALID, "a period must be longer than 0");
    enum weir_status status = add_to_total(e, e->period[source], period, error);
    if (status)
        return status;
    e->arcs_changed |= e->period[source] != period;
    e->period[source] = period;
    return WEIR_OK;
}

int64_t weir_evaluator_best(const struct weir_evaluator *e, struct weir_operator op)
{
    return op.index < weir_pipeline_operator_count(e->pipeline) ? e->best[op.index] : 0;
}

int64_t weir_evaluator_worst(const struct weir_evaluator *e, struct weir_operator op)
{
    return op.index < weir_pipeline_operator_count(e->pipeline) ? e->worst[op.index] : 0;
}

uint32_t weir_evaluator_capacity(const struct weir_evaluator *e, struct weir_queue queue)
{
    return queue.index < weir_pipeline_queue_count(e->pipeline) ? e->capacity[queue.index] : 0;
}

int64_t weir_evaluator_period(const struct weir_evaluator *e, uint32_t source)
{
    return source < weir_pipeline_source_count(e->pipeline) ? e->period[source] : 0;
}

void weir_evaluator_limit(struct weir_evaluator *e, uint64_t work_limit)
{
    e->work_limit = work_limit;
    e->posed = WEIR_NO_INDEX;
}

/* ---- bringing things up to date ---- */

/* What the solver made of the arcs it knew. False when out of memory. */
static bool refresh_solver(struct weir_evaluator *e)
{
    struct weir_solver *s = e->solver;
    struct weir_graph *g = &e->graph;
    weir_solver_forget(s);
    if (g->token_count_count > e->distances_room) {
        uint32_t count = g->token_count_count;
        g->token_count_count = count + 2;
        struct weir_distances *distances = weir_distances_new(g);
        g->token_count_count = count;
        if (!distances)
            return false;
        weir_distances_free(s->distances);
        s->distances = distances;
        e->distances_room = count + 2;
    }
    if (s->search)
        s->search->window = g->tokens_max;
    return true;
}

static void put_times(struct weir_evaluator *e)
{
    struct weir_evaluator_layout *l = &e->layout;
    struct weir_graph *g = &e->graph;
    const struct weir_graph *sealed = e->pipeline->graph;
    for (uint32_t v = 0; v < g->actor_count; v++) {
        l->lo[v] = sealed->lo[l->home[v]];
        l->hi[v] = sealed->hi[l->home[v]];
    }
    for (size_t o = 0; o < e->pipeline->operator_count; o++) {
        uint32_t v = l->place[e->actor_of[o]];
        l->lo[v] = e->best[o];
        l->hi[v] = e->worst[o];
        if (e->pipeline->operators[o].launch) {
            v = l->place[e->work_of[o]];
            l->lo[v] = e->work_best[o];
            l->hi[v] = e->work_worst[o];
        }
    }
    g->instant_best = !g->offsets;
    g->row_max = 0;
    for (uint32_t v = 0; v < g->actor_count; v++) {
        g->instant_best &= l->lo[v] == 0;
        g->row_max += l->hi[v]; /* no more than e->total */
    }
    for (size_t i = 0; i < e->pipeline->source_count; i++)
        g->row_max += e->period[i];
}

static enum weir_status settle_in_place(struct weir_evaluator *e, struct weir_error *error)
{
    if (e->arcs_changed) {
        weir_free(e->component);
        e->component = NULL;
        e->posed = WEIR_NO_INDEX;
        e->deadlocked = !weir_evaluator_layout_renew(e);
        if (!e->deadlocked && !refresh_solver(e))
            return weir_fail_memory(error);
        e->arcs_changed = false;
        e->times_changed = true; /* periods are part of row_max */
    }
    if (e->times_changed && !e->deadlocked)
        put_times(e);
    e->times_changed = false;
    return WEIR_OK;
}

/* Work of other times on the GPU; false when out of memory. */
static bool copy_work(struct weir_pipeline *copy, const struct weir_evaluator *e, size_t o)
{
    struct weir_launch *launch = weir_arena_take(&copy->arena, sizeof *launch);
    if (!launch)
        return false;
    *launch = *copy->operators[o].launch;
    launch->best = e->work_best[o];
    launch->worst = e->work_worst[o];
    copy->operators[o].launch = launch;
    return true;
}

/* The pipeline as it is now, made anew. */
static enum weir_status make_copy(struct weir_evaluator *e, struct weir_error *error)
{
    const struct weir_pipeline *p = e->pipeline;
    struct weir_pipeline *copy = weir_pipeline_copy(p, error);
    if (!copy)
        return WEIR_MEMORY;
    for (size_t i = 0; i < p->operator_count; i++) {
        copy->operators[i].best = e->best[i];
        copy->operators[i].worst = e->worst[i];
        if (copy->operators[i].launch && !copy_work(copy, e, i)) {
            weir_pipeline_free(copy);
            return weir_fail_memory(error);
        }
    }
    for (size_t i = 0; i < p->queue_count; i++)
        copy->queues[i].capacity = e->capacity[i];
    for (size_t i = 0; i < p->source_count; i++)
        copy->sources[i].period = e->period[i];
    enum weir_status status = weir_pipeline_seal_alone(copy, error);
    e->deadlocked = status == WEIR_INVALID;
    if (!status && !(e->solver = weir_solver_new(copy, error)))
        status = WEIR_MEMORY;
    if (status) {
        weir_pipeline_free(copy);
        return e->deadlocked ? WEIR_OK : status;
    }
    e->copy = copy;
    return WEIR_OK;
}

enum weir_status weir_evaluator_settle(struct weir_evaluator *e, struct weir_error *error)
{
    if (e->in_place)
        return settle_in_place(e, error);
    if (!e->times_changed && !e->arcs_changed)
        return WEIR_OK;
    weir_solver_free(e->solver);
    weir_pipeline_free(e->copy);
    weir_free(e->component);
    e->solver = NULL;
    e->copy = NULL;
    e->component = NULL;
    enum weir_status status = make_copy(e, error);
    e->times_changed = e->arcs_changed = status != WEIR_OK;
    return status;
}

/* ---- latencies ---- */

struct weir_query weir_chain_query(const struct weir_pipeline *pipeline, uint32_t chain, uint64_t work_limit)
{
    const struct weir_chain_spec *spec = &pipeline->chains[chain];
    bool arrives = pipeline->graph->arrival_of[spec->from.index] != WEIR_NO_ACTOR;
    return (struct weir_query){.from = {spec->from, arrives ? WEIR_ARRIVAL : WEIR_START, 0},
                               .to = {spec->to, WEIR_FINISH, 0},
                               .shift = spec->shift,
                               .work_limit = work_limit};
}

enum weir_status weir_evaluator_pose(struct weir_evaluator *e, uint32_t chain, struct weir_error *error)
{
    if (e->posed != chain) {
        struct weir_query query = weir_chain_query(e->pipeline, chain, e->work_limit);
        e->posed = WEIR_NO_INDEX;
        enum weir_status status = weir_problem_pose(e->solver, &query, &e->problem, error);
        if (status)
            return status;
        e->posed = chain;
    }
    e->problem.one_pass = e->problem.zero_best_is_one_pass && e->graph.instant_best;
    return WEIR_OK;
}

enum weir_status weir_evaluator_latency(struct weir_evaluator *e, uint32_t chain, struct weir_separation *result,
                                        struct weir_error *error)
{
    if (chain >= e->pipeline->chain_count)
        return weir_fail(error, WEIR_INVALID, "the pipeline has no latency number %u", chain);
    enum weir_status status = weir_evaluator_settle(e, error);
    if (status)
        return status;
    if (e->deadlocked) {
        *result = (struct weir_separation){.outcome = WEIR_NO_EVENTS, .lower = INT64_MIN, .upper = INT64_MAX};
        return WEIR_OK;
    }
    if (!e->in_place) {
        struct weir_query query = weir_chain_query(e->pipeline, chain, e->work_limit);
        return weir_separation_worst(e->solver, &query, result, error);
    }
    status = weir_evaluator_pose(e, chain, error);
    if (status)
        return status;
    if (!e->problem.one_pass)
        return weir_general_solve(e->solver, &e->problem, result, error);
    status = weir_onepass_solve(e->solver, &e->problem, false, result, NULL);
    return status == WEIR_MEMORY ? weir_fail_memory(error) : status;
}
