/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can still be said when a limit was reached. From below: the first iterations of the run in which everything takes its worst
 * time is a legal execution, so what it separates the events by is reached. From above: best cases of 0 only add executions, so
 * the one-pass case bounds it where it applies.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "engine/exact/solver.h"

enum { ENTRIES_MAX = 10000000 };

static void run_row(const struct weir_problem *p, int64_t *starts, int64_t row)
{
    const struct weir_graph *g = p->graph;
    int64_t n = g->actor_count;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        int64_t start = 0;
        for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1] && g->in_runs[r].tokens <= row; r++) {
            const struct weir_run *run = &g->in_runs[r];
            for (uint32_t i = run->first; i < run->end; i++) {
                uint32_t tail = g->tails[i];
                int64_t at = starts[(row - run->tokens) * n + tail] + run->offset + (run->finish ? g->hi[tail] : 0);
                start = at > start ? at : start;
            }
        }
        starts[row * n + o] = start;
    }
}

static int64_t reached_by_running(const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    int64_t n = g->actor_count, shift = p->reference_row - p->target_row, i = shift < 0 ? -shift : 0;
    int64_t rows = (shift > 0 ? shift : i) + 1;
    if (rows > ENTRIES_MAX / n || rows > WEIR_TIME_MAX / (g->row_max + 1))
        return INT64_MIN;
    int64_t *starts = weir_array((size_t)(rows * n), sizeof *starts);
    if (!starts)
        return INT64_MIN;
    for (int64_t row = 0; row < rows; row++)
        run_row(p, starts, row);
    int64_t target = starts[(i + shift) * n + p->target] + (p->target_finish ? g->hi[p->target] : 0);
    int64_t reference = starts[i * n + p->reference] + (p->reference_finish ? g->hi[p->reference] : 0);
    weir_free(starts);
    return target - reference;
}

void weir_bracket_narrow(struct weir_solver *solver, const struct weir_problem *problem, struct weir_separation *result)
{
    int64_t reached = reached_by_running(problem);
    result->lower = reached > result->lower ? reached : result->lower;
    if (problem->one_pass || !problem->zero_best_is_one_pass)
        return;
    struct weir_problem relaxed = *problem;
    struct weir_separation zero;
    relaxed.lo = solver->zeros;
    relaxed.work_limit = WEIR_WORK_DEFAULT;
    if (weir_onepass_solve(solver, &relaxed, false, &zero, NULL) == WEIR_OK && zero.upper < result->upper)
        result->upper = zero.upper;
}
