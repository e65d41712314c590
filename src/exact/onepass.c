/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one-pass case: every best time is 0.
 *
 * Then the longest way from any ancestor a of the reference to it is 0 at best times, or hi(a) where the critical path P leaves a
 * over a finish arc and some way to the reference begins with one ("hot"): a's execution then counts on both sides. Only the last
 * ancestor on P can bind (docs/concepts/exactness.md), so with
 *
 *     V(n) = longest way, at worst times, from n to the target, over nodes that are no ancestors
 *
 * the worst separation is the maximum, over arcs from an ancestor a to a node that is none, of V(head), plus hi(a) when the arc is
 * a finish arc and a is not hot. Each arc of the region is looked at once.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "exact/solver.h"

#include <string.h>

/* hot_row and last_row of every actor, from ancestor_row; returns the last row of all. */
static int64_t outline(struct weir_region *region, const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    int64_t last = 0;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        int64_t hot = INT64_MAX, end = -1;
        for (const struct weir_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop;
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
        region->hot_row[o] = hot;
        region->last_row[o] = end;
        last = end > last ? end : last;
    }
    return last;
}

struct sweep {
    struct weir_region *region;
    const struct weir_problem *problem;
    int64_t ring; /* rows that are kept */
    int64_t slot; /* row % ring of the current row */
    uint64_t relaxations;
    int64_t best;
    struct weir_onepass_start start;
};

/* Longest ways from (o, row) over its arcs: of finish arcs without o's own time, and of start arcs. */
static inline void pull(struct sweep *s, uint32_t o, int64_t row, int64_t *finish, int64_t *start)
{
    const struct weir_problem *p = s->problem;
    const struct weir_graph *g = p->graph;
    int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
    uint64_t arcs = 0;
    if (o == p->target && row == p->target_row)
        by_kind[p->target_finish] = 0;
    for (const struct weir_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop; run++) {
        if (run->tokens > row)
            break; /* runs are in order of tokens */
        int64_t slot = s->slot - run->tokens;
        const int64_t *values = s->region->rows + (slot < 0 ? slot + s->ring : slot) * g->actor_count;
        int64_t longest = by_kind[run->finish];
        for (const uint32_t *head = g->heads + run->first, *none = g->heads + run->end; head < none; head++)
            longest = values[*head] > longest ? values[*head] : longest;
        by_kind[run->finish] = longest;
        arcs += run->end - run->first;
    }
    s->relaxations += arcs;
    *finish = by_kind[1];
    *start = by_kind[0];
}

static void visit(struct sweep *s, uint32_t o, int64_t row, int64_t *values)
{
    const struct weir_region *region = s->region;
    int64_t finish, start, hi = s->problem->graph->hi[o];
    pull(s, o, row, &finish, &start);
    if (row < region->ancestor_row[o]) {
        finish += hi;
        values[o] = finish > start ? (WEIR_ALIVE(finish) ? finish : WEIR_DEAD) : start;
        return;
    }
    if (row < region->hot_row[o])
        finish += hi;
    int64_t longest = finish > start ? finish : start;
    if (longest > s->best) {
        s->best = longest;
        s->start = (struct weir_onepass_start){o, row};
    }
}

static void sweep_rows(struct sweep *s, int64_t row_count)
{
    const struct weir_region *region = s->region;
    uint32_t n = s->problem->graph->actor_count, count = 0;
    for (uint32_t o = n; o-- > 0;)
        region->active[count++] = o;
    for (int64_t row = 0; row < row_count && s->relaxations < s->problem->work_limit; row++) {
        int64_t *values = region->rows + s->slot * n;
        for (uint32_t o = 0; o < n; o++)
            values[o] = WEIR_DEAD;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t o = region->active[i];
            if (row > region->last_row[o])
                continue;
            region->active[kept++] = o;
            visit(s, o, row, values);
        }
        count = kept;
        s->slot = s->slot + 1 == s->ring ? 0 : s->slot + 1;
    }
}

/* What can be said without looking at the region: the first iteration alone, and every row at its longest. */
static void bracket(const struct weir_problem *p, int64_t last_row, struct weir_separation *result)
{
    result->outcome = WEIR_BRACKET;
    result->lower = p->target_row == p->reference_row && p->target_finish ? p->graph->hi[p->target] : INT64_MIN;
    if (!weir_multiply(last_row + 1, p->graph->row_max, &result->upper))
        result->upper = INT64_MAX;
}

enum weir_status weir_onepass_solve(struct weir_solver *solver, const struct weir_problem *p, bool keep,
                                    struct weir_separation *result, struct weir_onepass_start *start)
{
    struct weir_region *region = &solver->region;
    const struct weir_graph *g = p->graph;
    int64_t last_row = outline(region, p);
    struct sweep s = {.region = region, .problem = p, .best = WEIR_DEAD};
    *result = (struct weir_separation){.passes = 1, .lower = INT64_MIN, .upper = INT64_MAX};
    s.ring = keep || last_row < (int64_t)g->tokens_max ? last_row + 1 : (int64_t)g->tokens_max + 1;
    if ((uint64_t)s.ring > WEIR_TABLE_BYTES_MAX / sizeof(int64_t) / g->actor_count || last_row > WEIR_TIME_MAX / (g->row_max + 1)) {
        bracket(p, last_row, result);
        return WEIR_OK;
    }
    void *rows = region->rows;
    if (!weir_reserve(&rows, &region->rows_capacity, (size_t)s.ring * g->actor_count, sizeof *region->rows))
        return WEIR_MEMORY;
    region->rows = rows;
    sweep_rows(&s, last_row + 1);
    result->relaxations = s.relaxations;
    if (s.relaxations >= p->work_limit) {
        bracket(p, last_row, result);
        return WEIR_OK;
    }
    result->outcome = WEIR_ALIVE(s.best) ? WEIR_EXACT : WEIR_NO_EVENTS;
    result->value = result->lower = result->upper = s.best;
    if (start)
        *start = s.start;
    return WEIR_OK;
}
