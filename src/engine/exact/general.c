/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimisation problem over searches.
 *
 * A search without threshold cuts at the first ancestor of every path; the largest slack it meets is an upper bound U. Deciding U
 * either reaches it, and then it is the answer, or proves that nothing in (best_cut, U] is reachable: the next U is best_cut. Some
 * pipelines take many such steps; after a few the answer is closed in from below, by doubling steps and then bisection.
 */
#include "base/error.h"
#include "base/interrupt.h"
#include "engine/exact/lines.h"
#include "engine/exact/search.h"
#include "engine/exact/solver.h"

/* Steps down that begin where the last search cut; and by how much each after them is longer than the one before. */
enum { DESCENTS = 1, STRIDE = 8 };

struct descent {
    struct weir_solver *solver;
    bool by_lines;
    struct weir_separation *result;
    int64_t lower, upper;                          /* lower: reached, or INT64_MIN; upper: not exceeded, or INT64_MAX */
    enum { HALVING, FROM_ABOVE, FROM_BELOW } next; /* where to go on between them */
};

static enum weir_search_verdict decide(struct descent *d, int64_t threshold)
{
    const struct weir_search *rows = d->solver->search;
    const struct weir_lines *lines = d->solver->lines;
    enum weir_search_verdict verdict =
        d->by_lines ? weir_lines_decide(d->solver->lines, threshold) : weir_search_decide(d->solver->search, threshold);
    d->result->passes++;
    int64_t reached = INT64_MIN, cut = INT64_MAX;
    if (verdict == WEIR_REACHABLE)
        reached = d->by_lines ? weir_lines_reached(lines) : weir_search_reached(rows);
    else if (verdict == WEIR_UNREACHABLE && !(d->by_lines ? lines->cut_unbounded : rows->cut_unbounded))
        cut = d->by_lines ? lines->best_cut : rows->best_cut;
    d->lower = reached > d->lower ? reached : d->lower;
    d->upper = cut < d->upper ? cut : d->upper;
    return verdict;
}

/* A finite upper bound, or WEIR_UNDECIDED. */
static enum weir_search_verdict bound_above(struct descent *d)
{
    if (d->upper != INT64_MAX)
        return WEIR_UNREACHABLE;
    enum weir_search_verdict verdict = decide(d, WEIR_NO_THRESHOLD);
    if (verdict != WEIR_UNREACHABLE || d->upper != INT64_MAX)
        return verdict;
    /* The first ancestors alone do not bound it; the earlier ones do. */
    for (int64_t threshold = 1; threshold < WEIR_NO_THRESHOLD / 2 && d->upper == INT64_MAX; threshold *= 2) {
        verdict = decide(d, threshold);
        if (verdict == WEIR_UNDECIDED || verdict == WEIR_OUT_OF_MEMORY)
            return verdict;
    }
    return d->upper == INT64_MAX ? WEIR_UNDECIDED : WEIR_UNREACHABLE;
}

/* Plain executions often reach the answer. They are played for about as long as the searches have taken: a look at an arc takes a
 * row a fraction of what it takes a line. */
enum { TRY_ROWS = 2, TRY_LINES = 16 };

static bool try_executions(struct descent *d)
{
    const struct weir_solver *s = d->solver;
    const struct weir_problem *p = d->by_lines ? &s->lines->problem : &s->search->problem;
    uint64_t visits = d->by_lines ? s->lines->relaxations * TRY_LINES : s->search->relaxations * TRY_ROWS;
    int64_t reached;
    if (!weir_bracket_try(s, p, d->upper, visits, &reached))
        return false;
    d->lower = WEIR_ALIVE(reached) ? reached : d->lower;
    return true;
}

/* Closes [lower, upper] in on the answer: a step down from above; then what plain executions reach, which nothing may exceed, and
 * what was cut, which may be reached; then halving. Where nothing is reached yet, by longer and longer steps down. */
static enum weir_search_verdict close_in(struct descent *d)
{
    int64_t step = 0;
    for (int i = 0; d->lower < d->upper && WEIR_ALIVE(d->upper); i++) {
        int64_t before = d->upper, threshold = d->upper;
        if (i == DESCENTS && d->lower == INT64_MIN) {
            if (!try_executions(d))
                return WEIR_OUT_OF_MEMORY;
            d->next = FROM_BELOW;
        }
        if (d->lower >= d->upper)
            break;
        if (d->lower != INT64_MIN)
            threshold = d->next == FROM_BELOW   ? d->lower + 1
                        : d->next == FROM_ABOVE ? d->upper
                                                : d->lower + (d->upper - d->lower + 1) / 2;
        else if (i >= DESCENTS)
            threshold = d->upper <= 0 || step < d->upper / 2 ? d->upper - step : d->upper / 2; /* seldom below that */
        enum weir_search_verdict verdict = decide(d, threshold);
        if (verdict == WEIR_UNDECIDED || verdict == WEIR_OUT_OF_MEMORY)
            return verdict;
        d->next = d->next == FROM_BELOW ? FROM_ABOVE : HALVING;
        step = step > before - d->upper ? step : before - d->upper;
        step = step < INT64_MAX / (2 * STRIDE) ? step * STRIDE : step;
        step = step > 0 ? step : 1;
    }
    return WEIR_REACHABLE;
}

static enum weir_status test_unbounded(struct weir_solver *s, const struct weir_problem *p, bool *unbounded)
{
    *unbounded = false;
    for (uint32_t o = 0; o < p->graph->actor_count; o++)
        if (s->region.ancestor_row[o] == WEIR_FAR)
            return weir_unbounded_test(s, p, unbounded, NULL, 0);
    return WEIR_OK;
}

/* ---- over rows, or over lines ---- */

static bool pose_rows(struct weir_solver *s, const struct weir_problem *p, uint64_t work)
{
    struct weir_problem limited = *p;
    limited.work_limit = work < p->work_limit ? work : p->work_limit;
    if (!s->search && !(s->search = weir_search_new(p->graph->actor_count, p->graph->tokens_max)))
        return false;
    weir_search_pose(s->search, &limited);
    return true;
}

static bool pose_lines(struct weir_solver *s, const struct weir_problem *p)
{
    if (!s->lines && !(s->lines = weir_lines_new(p->graph)))
        return false;
    weir_lines_pose(s->lines, p);
    return true;
}

/* Some rows of a large graph are quick as well, and often all it takes: the larger it is, the longer lines take for each arc. A
 * single search is not repeated for each threshold, and what it finds is more to the point over rows. */
enum { ROWS_BRIEF = 32, ROWS_BRIEF_MAX = 1000, ROWS_ONCE = 64, ROWS_ONCE_FACTOR = 5 };

static uint64_t brief_work(const struct weir_solver *s, const struct weir_graph *g, bool once)
{
    uint64_t arcs = g->arc_count;
    if (s->lines_from > UINT64_MAX / 2 / ROWS_ONCE_FACTOR)
        return UINT64_MAX;
    return once ? s->lines_from * ROWS_ONCE_FACTOR + arcs * ROWS_ONCE
                : s->lines_from + arcs * (ROWS_BRIEF + (arcs < ROWS_BRIEF_MAX ? arcs : ROWS_BRIEF_MAX));
}

/* No search over rows is over before they have all met an ancestor; it looks at each arc twice in each. Where that alone is more
 * than such a share of what rows may take, lines come first. */
enum { ROWS_SHARE = 3 };

static uint64_t rows_take(const struct weir_solver *s, const struct weir_problem *p)
{
    int64_t rows = p->target_row;
    for (uint32_t o = 0; o < p->graph->actor_count; o++) {
        int64_t row = s->region.ancestor_row[o];
        rows = row != WEIR_FAR && row > rows ? row : rows;
    }
    rows += p->graph->tokens_max;
    return (uint64_t)rows < UINT64_MAX / 2 / (p->graph->arc_count + 1) ? (uint64_t)rows * 2 * p->graph->arc_count : UINT64_MAX;
}

/* What is tried, one after the other. */
enum attempt { ROWS_BRIEFLY, LINES, ROWS, ATTEMPTS };

/* Poses the problem for the attempt, rows briefly for so much work. *left_out: it is of no use. False: out of memory. */
static bool pose(struct weir_solver *s, const struct weir_problem *p, enum attempt attempt, uint64_t brief, bool *left_out)
{
    bool more = p->work_limit > s->lines_from && weir_lines_apply(p->graph);
    *left_out = attempt == ROWS_BRIEFLY ? more && s->lines_from == 0
                : attempt == LINES      ? !more
                                        : !more || (!s->lines->given_up && !s->lines->out_of_range);
    if (*left_out)
        return true;
    if (attempt == LINES)
        return pose_lines(s, p);
    return pose_rows(s, p, attempt == ROWS || !more ? UINT64_MAX : brief);
}

enum weir_search_verdict weir_general_decide(struct weir_solver *s, const struct weir_problem *p, int64_t threshold, bool *by_lines)
{
    enum weir_search_verdict verdict = WEIR_UNDECIDED;
    for (enum attempt attempt = ROWS_BRIEFLY; attempt < ATTEMPTS && verdict == WEIR_UNDECIDED; attempt++) {
        bool left_out;
        if (!pose(s, p, attempt, brief_work(s, p->graph, true), &left_out))
            return WEIR_OUT_OF_MEMORY;
        if (left_out)
            continue;
        *by_lines = attempt == LINES;
        verdict = *by_lines ? weir_lines_decide(s->lines, threshold) : weir_search_decide(s->search, threshold);
    }
    return verdict;
}

/* Searches that take much longer than the first one build something up slowly: lines are for that. */
enum { ROWS_AFTER_FIRST = 3 };

static void hurry(struct weir_search *rows)
{
    if (rows->relaxations < rows->problem.work_limit / ROWS_AFTER_FIRST)
        rows->problem.work_limit = rows->relaxations * ROWS_AFTER_FIRST;
}

static enum weir_limit limit_of(const struct descent *d, const struct weir_problem *p)
{
    const struct weir_search *rows = d->solver->search;
    const struct weir_lines *lines = d->solver->lines;
    if ((d->by_lines ? lines->relaxations : rows->relaxations) > p->work_limit)
        return WEIR_LIMIT_WORK;
    return (d->by_lines ? lines->full : rows->full) ? WEIR_LIMIT_MEMORY : WEIR_LIMIT_RANGE;
}

enum weir_status weir_general_solve(struct weir_solver *s, const struct weir_problem *p, struct weir_separation *result,
                                    struct weir_error *error)
{
    *result = (struct weir_separation){.lower = INT64_MIN, .upper = INT64_MAX};
    bool unbounded;
    if (test_unbounded(s, p, &unbounded))
        return weir_fail_memory(error);
    if (unbounded) {
        result->outcome = WEIR_NO_BOUND;
        return WEIR_OK;
    }
    struct descent d = {.solver = s, .result = result, .lower = INT64_MIN, .upper = INT64_MAX};
    enum weir_search_verdict verdict = WEIR_UNDECIDED;
    for (enum attempt attempt = ROWS_BRIEFLY; attempt < ATTEMPTS && verdict == WEIR_UNDECIDED; attempt++) {
        bool left_out, lines = p->work_limit > s->lines_from && weir_lines_apply(p->graph);
        if (attempt == ROWS_BRIEFLY && lines && rows_take(s, p) > brief_work(s, p->graph, false) / ROWS_SHARE)
            continue;
        if (!pose(s, p, attempt, brief_work(s, p->graph, false), &left_out))
            return weir_fail_memory(error);
        if (left_out)
            continue;
        d.by_lines = attempt == LINES;
        verdict = bound_above(&d);
        if (attempt == ROWS_BRIEFLY && s->search->problem.work_limit < p->work_limit)
            hurry(s->search);
        if (verdict == WEIR_UNREACHABLE)
            verdict = close_in(&d);
        result->relaxations += d.by_lines ? s->lines->relaxations : s->search->relaxations;
    }
    if (verdict == WEIR_OUT_OF_MEMORY)
        return weir_fail_memory(error);
    result->lower = d.lower;
    result->upper = d.upper;
    if (verdict == WEIR_UNDECIDED) {
        result->limit = limit_of(&d, p);
        if (weir_interrupted())
            result->outcome = WEIR_BRACKET; /* how narrow it is does not matter */
        else
            weir_bracket_narrow(s, p, result);
    } else if (!WEIR_ALIVE(d.upper)) {
        result->outcome = WEIR_NO_EVENTS;
    } else {
        result->outcome = WEIR_EXACT;
        result->value = d.lower;
    }
    return WEIR_OK;
}
