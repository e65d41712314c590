/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers: posing a query in the terms of the event graph, and choosing how to answer it. */
#include "engine/exact/solver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/lines.h"
#include "engine/exact/search.h"
#include "engine/exact/sweep.h"

struct weir_solver *weir_solver_new(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    return weir_pipeline_require_threads(pipeline, error) ? NULL : weir_solver_open(pipeline, error);
}

struct weir_solver *weir_solver_open(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (weir_pipeline_require_enough(pipeline, error))
        return NULL;
    struct weir_solver *s = weir_array_zeroed(1, sizeof *s);
    if (!s) {
        weir_fail_memory(error);
        return NULL;
    }
    const struct weir_graph *g = s->graph = pipeline->graph;
    s->pipeline = pipeline;
    s->lines_from = WEIR_LINES_WORK;
    s->region.steps.flat_arcs = WEIR_FLAT_ARCS;
    s->distances = weir_distances_new(g);
    s->zeros = weir_array_zeroed(g->actor_count, sizeof *s->zeros);
    s->region.ancestor_row = weir_array(g->actor_count, sizeof(int64_t));
    s->region.cells = weir_array(g->actor_count, sizeof *s->region.cells);
    s->region.row_of = weir_array(g->token_count_count, sizeof *s->region.row_of);
    s->region.active = weir_array(g->actor_count, sizeof(uint32_t));
    if (!s->distances || !s->zeros || !s->region.ancestor_row || !s->region.cells || !s->region.row_of || !s->region.active) {
        weir_solver_free(s);
        weir_fail_memory(error);
        return NULL;
    }
    return s;
}

void weir_solver_free(struct weir_solver *s)
{
    if (!s)
        return;
    weir_search_free(s->search);
    weir_lines_free(s->lines);
    weir_free(s->region.rows);
    weir_free(s->region.active);
    weir_steps_free(&s->region.steps);
    weir_free(s->region.row_of);
    weir_free(s->region.cells);
    weir_free(s->region.ancestor_row);
    weir_free(s->zeros);
    weir_distances_free(s->distances);
    weir_free(s);
}

void weir_solver_forget(struct weir_solver *s)
{
    s->posed = s->region.steps.made = false;
}

static enum weir_status resolve(const struct weir_solver *s, const struct weir_event *event, uint32_t *actor, bool *finish,
                                struct weir_error *error)
{
    const struct weir_graph *g = s->graph;
    char quoted[WEIR_QUOTED];
    if (event->op.index >= s->pipeline->operator_count)
        return weir_fail(error, WEIR_INVALID, "an event must belong to an operator of the pipeline");
    uint32_t execution = g->firing_first[event->op.index] + event->firing;
    if (event->firing >= g->firing_first[event->op.index + 1] - g->firing_first[event->op.index])
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has no firing %u in an iteration",
                         weir_quote(s->pipeline->operators[event->op.index].name, quoted), event->firing);
    *finish = event->moment == WEIR_FINISH;
    *actor = *finish ? g->finish_of[execution] : event->moment == WEIR_READY ? g->ready_of[execution] : g->start_of[execution];
    if (event->moment != WEIR_ARRIVAL)
        return WEIR_OK;
    *actor = g->arrival_of[execution];
    if (*actor == WEIR_NO_ACTOR)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has no arrivals",
                         weir_quote(s->pipeline->operators[event->op.index].name, quoted));
    return WEIR_OK;
}

static void find_ancestors(struct weir_solver *s, const struct weir_problem *p)
{
    const struct weir_graph *g = s->graph;
    struct weir_trace_region *region = &s->region;
    int64_t *row = region->ancestor_row;
    weir_tokens_to(g, s->distances, p->reference, false, row);
    region->all_ancestors = true;
    region->sweep_work = 0;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        uint32_t first = g->out_first[o], end = g->out_first[o + 1];
        uint32_t arcs = first < end ? g->out_runs[end - 1].end - g->out_runs[first].first : 0;
        region->all_ancestors &= row[o] != WEIR_FAR;
        row[o] += row[o] != WEIR_FAR ? p->reference_row : 0;
        region->sweep_work += (weir_wide)row[o] * arcs;
    }
}

static inline bool same_event(const struct weir_event *a, const struct weir_event *b)
{
    return a->op.index == b->op.index && a->moment == b->moment && a->firing == b->firing;
}

static inline bool same_query(const struct weir_query *a, const struct weir_query *b)
{
    return same_event(&a->from, &b->from) && same_event(&a->to, &b->to) && a->shift == b->shift &&
           a->assume_zero_best == b->assume_zero_best && a->work_limit == b->work_limit && a->memory_limit == b->memory_limit;
}

static enum weir_status pose(struct weir_solver *s, const struct weir_query *query, struct weir_error *error)
{
    const struct weir_graph *g = s->graph;
    bool known = s->posed;
    struct weir_problem *p = &s->problem, before = s->problem;
    s->posed = false;
    *p = (struct weir_problem){.graph = g, .lo = query->assume_zero_best ? s->zeros : g->lo};
    enum weir_status status = resolve(s, &query->from, &p->reference, &p->reference_finish, error);
    if (!status)
        status = resolve(s, &query->to, &p->target, &p->target_finish, error);
    if (status)
        return status;
    if (query->shift > WEIR_QUEUE_MAX || query->shift < -(int64_t)WEIR_QUEUE_MAX)
        return weir_fail(error, WEIR_INVALID, "a shift is at most %u iterations", WEIR_QUEUE_MAX);
    p->reference_row = query->shift > 0 ? query->shift : 0;
    p->target_row = p->reference_row - query->shift;
    p->work_limit = query->work_limit ? query->work_limit : WEIR_WORK_DEFAULT;
    p->memory_limit = query->memory_limit ? query->memory_limit : WEIR_MEMORY_DEFAULT;
    if (!known || before.reference != p->reference || before.reference_row != p->reference_row)
        find_ancestors(s, p);
    /* Without the order of iterations a later node of an actor may be an ancestor where an earlier one is none; and where not all
     * begin at 0, the beginning is something to wait for. */
    p->zero_best_is_one_pass = s->region.all_ancestors && !g->offsets && g->in_order && !g->roots;
    s->query = *query;
    s->posed = true;
    return WEIR_OK;
}

enum weir_status weir_problem_pose(struct weir_solver *s, const struct weir_query *query, struct weir_problem *p,
                                   struct weir_error *error)
{
    enum weir_status status = s->posed && same_query(&s->query, query) ? WEIR_OK : pose(s, query, error);
    *p = s->problem;
    p->one_pass = p->zero_best_is_one_pass && (s->graph->instant_best || query->assume_zero_best);
    return status;
}

/* A sweep is as quick as lines are for so much less; and they look at each arc so often that it may take so many rows. */
enum { SWEEP_FACTOR = 10, SWEEP_ROWS = 2000 };

bool weir_problem_is_swept(const struct weir_solver *s, const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    if (!p->one_pass)
        return false;
    weir_wide work = s->region.sweep_work;
    if (s->lines_from > 0 && work <= (weir_wide)g->arc_count * SWEEP_ROWS)
        return true;
    return !weir_lines_apply(g) || work / SWEEP_FACTOR <= s->lines_from || p->work_limit <= s->lines_from;
}

enum weir_status weir_separation_worst(struct weir_solver *s, const struct weir_query *query, struct weir_separation *result,
                                       struct weir_error *error)
{
    struct weir_problem problem;
    enum weir_status status = weir_problem_pose(s, query, &problem, error);
    if (status)
        return status;
    if (!weir_problem_is_swept(s, &problem))
        return weir_general_solve(s, &problem, result, error);
    status = weir_onepass_solve(s, &problem, false, result, NULL);
    return status == WEIR_MEMORY ? weir_fail_memory(error) : status;
}
