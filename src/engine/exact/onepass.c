/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one-pass case: every best time is 0.
 *
 * Then the longest path from any ancestor a of the reference to it is 0 at best times, or hi(a) where the critical path P leaves a
 * over a finish arc and some path to the reference begins with one ("hot"): a's execution then counts on both sides. Only the last
 * ancestor on P can bind (docs/concepts/exactness.md), so with
 *
 *     V(n) = longest path, at worst times, from n to the target, over nodes that are no ancestors
 *
 * the worst separation is the maximum, over arcs from an ancestor a to a node that is none, of V(head), plus hi(a) when the arc is
 * a finish arc and a is not hot. Each arc of the region is looked at once: by steps that are all alike (sweep_steps.c), or, where
 * actors have many arcs or the rows are wanted, over the runs of each actor (sweep_rows.c).
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/search.h"
#include "engine/exact/sweep.h"

/* hot_row and last_row of every actor, from ancestor_row; returns the last row of all. */
static int64_t outline(struct weir_trace_region *region, const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    int64_t last = 0;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        int64_t hot = INT64_MAX, end = -1;
        for (const struct weir_arc_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop;
             run++) {
            int64_t nearest = INT64_MAX, furthest = 0;
            for (const uint32_t *head = g->heads + run->first, *none = g->heads + run->end; head < none; head++) {
                int64_t row = region->ancestor_row[*head];
                nearest = row < nearest ? row : nearest;
                furthest = row > furthest ? row : furthest;
            }
            if (run->finish && nearest + run->tokens < hot)
                hot = nearest + run->tokens;
            if (furthest + run->tokens - 1 > end)
                end = furthest + run->tokens - 1;
        }
        if (o == p->reference && p->reference_finish && p->reference_row < hot)
            hot = p->reference_row;
        if (o == p->target && p->target_row > end)
            end = p->target_row;
        region->cells[o] =
            (struct weir_cell){.hi = g->hi[o], .ancestor_row = region->ancestor_row[o], .hot_row = hot, .last_row = end};
        last = end > last ? end : last;
    }
    return last;
}

/* Every row at its longest; narrowed where an answer is asked for, not its tables. */
static void bracket(struct weir_solver *solver, const struct weir_problem *p, int64_t last_row, bool narrow,
                    struct weir_separation *result)
{
    result->outcome = WEIR_BRACKET;
    if (!weir_multiply(last_row + 1, p->graph->row_max, &result->upper))
        result->upper = INT64_MAX;
    if (p->one_pass && narrow)
        weir_bracket_narrow(solver, p, result);
}

/* By steps, where that is possible and no limit is in the way. */
static enum weir_status solve_by_steps(struct weir_onepass *s, bool *done)
{
    struct weir_trace_region *region = s->region;
    struct weir_steps *steps = &region->steps;
    const struct weir_problem *p = s->problem;
    const struct weir_graph *g = p->graph;
    *done = false;
    if (g->arc_count > (uint64_t)g->actor_count * WEIR_STEPS_DEGREE)
        return WEIR_OK;
    if (!(weir_steps_are_made(steps, p) ? weir_steps_again(steps, p) : weir_steps_make(steps, p, region->ancestor_row)))
        return WEIR_MEMORY;
    if (!steps->made || !steps->fits || steps->cells > p->memory_limit / sizeof(int64_t) / 16 ||
        steps->relaxations >= p->work_limit || (weir_wide)steps->last_row * (g->row_max + 1) > WEIR_TIME_MAX)
        return WEIR_OK;
    if (steps->cells > region->rows_capacity &&
        !weir_reserve(&region->rows, &region->rows_capacity, steps->cells, sizeof *region->rows))
        return WEIR_MEMORY;
    s->best = weir_steps_run(steps, g, region->rows);
    s->relaxations = steps->relaxations;
    *done = true;
    return WEIR_OK;
}

/* By rows, which may be kept. *limit: what is in the way. */
static enum weir_status solve_by_rows(struct weir_onepass *s, bool keep, enum weir_limit *limit)
{
    struct weir_trace_region *region = s->region;
    const struct weir_problem *p = s->problem;
    const struct weir_graph *g = p->graph;
    int64_t last_row = outline(region, p), most = (int64_t)(p->memory_limit / sizeof(int64_t) / g->actor_count);
    s->row_count = last_row + 1;
    s->ring = keep || last_row < (int64_t)g->tokens_max ? s->row_count : (int64_t)g->tokens_max + 1;
    if (s->ring > most || last_row > WEIR_TIME_MAX / (g->row_max + 1)) {
        *limit = s->ring > most ? WEIR_LIMIT_MEMORY : WEIR_LIMIT_RANGE;
        return WEIR_OK;
    }
    if (!weir_reserve(&region->rows, &region->rows_capacity, (size_t)s->ring * g->actor_count, sizeof *region->rows))
        return WEIR_MEMORY;
    weir_sweep_rows(s);
    *limit = s->relaxations >= p->work_limit ? WEIR_LIMIT_WORK : WEIR_LIMIT_NONE;
    return WEIR_OK;
}

enum weir_status weir_onepass_solve(struct weir_solver *solver, const struct weir_problem *p, bool keep,
                                    struct weir_separation *result, struct weir_onepass_start *start)
{
    struct weir_onepass s = {.region = &solver->region, .problem = p, .best = WEIR_DEAD};
    bool done = false;
    enum weir_limit limit = WEIR_LIMIT_NONE;
    enum weir_status status = keep ? WEIR_OK : solve_by_steps(&s, &done);
    if (!status && !done)
        status = solve_by_rows(&s, keep, &limit);
    if (status)
        return status;
    *result =
        (struct weir_separation){.passes = 1, .lower = INT64_MIN, .upper = INT64_MAX, .relaxations = s.relaxations, .limit = limit};
    if (weir_interrupted()) {
        result->limit = WEIR_LIMIT_WORK;
        result->outcome = WEIR_BRACKET;
        return WEIR_OK;
    }
    if (limit != WEIR_LIMIT_NONE) {
        bracket(solver, p, s.row_count - 1, !keep, result);
        return WEIR_OK;
    }
    result->outcome = WEIR_ALIVE(s.best) ? WEIR_EXACT : WEIR_NO_EVENTS;
    result->value = result->lower = result->upper = s.best;
    if (start)
        *start = s.start;
    return WEIR_OK;
}

struct weir_trace_path weir_onepass_trace_path(const struct weir_solver *s, const struct weir_problem *p, uint32_t o, int64_t row,
                                               int64_t label)
{
    const struct weir_graph *g = p->graph;
    const struct weir_cell *cell = &s->region.cells[o];
    int64_t own = row >= cell->ancestor_row && row >= cell->hot_row ? 0 : cell->hi; /* what a finish arc adds */
    if (o == p->target && row == p->target_row && label == (p->target_finish ? own : 0))
        return (struct weir_trace_path){.found = true, .end = true, .finish = p->target_finish};
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1] && g->out_runs[r].tokens <= row; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        const int64_t *values = s->region.rows + (row - run->tokens) * g->actor_count;
        for (uint32_t i = run->first; i < run->end; i++)
            if (WEIR_ALIVE(values[g->heads[i]]) && values[g->heads[i]] + (run->finish ? own : 0) == label)
                return weir_trace_path_over(run, g->heads[i]);
    }
    return (struct weir_trace_path){0};
}
