/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimisation problem over searches.
 *
 * A search without threshold cuts at the first ancestor of every way; the largest slack it meets is an upper bound U. Deciding U
 * either reaches it, and then it is the answer, or proves that nothing in (best_cut, U] is reachable: the next U is best_cut. Some
 * pipelines take many such steps; after a few the answer is closed in from below, by doubling steps and then bisection.
 */
#include "base/error.h"
#include "base/interrupt.h"
#include "engine/exact/search.h"
#include "engine/exact/solver.h"

enum { DESCENTS = 3 };

struct descent {
    struct weir_search *search;
    struct weir_separation *result;
    int64_t lower, upper; /* lower: reached, or INT64_MIN; upper: not exceeded, or INT64_MAX */
};

static enum weir_search_verdict decide(struct descent *d, int64_t threshold)
{
    enum weir_search_verdict verdict = weir_search_decide(d->search, threshold);
    d->result->passes++;
    if (verdict == WEIR_REACHABLE)
        d->lower = weir_search_reached(d->search);
    else if (verdict == WEIR_UNREACHABLE && !d->search->cut_unbounded)
        d->upper = d->search->best_cut;
    return verdict;
}

/* A finite upper bound, or WEIR_UNDECIDED. */
static enum weir_search_verdict bound_above(struct descent *d)
{
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

/* Closes [lower, upper] in on the answer: a few steps down from above; then longer and longer ones until something is reached;
 * then halving. */
static enum weir_search_verdict close_in(struct descent *d)
{
    int64_t step = 0;
    for (int i = 0; d->lower < d->upper && WEIR_ALIVE(d->upper); i++) {
        int64_t before = d->upper, threshold = d->upper;
        if (d->lower != INT64_MIN)
            threshold = d->lower + (d->upper - d->lower + 1) / 2;
        else if (i >= DESCENTS)
            threshold = d->upper - step;
        enum weir_search_verdict verdict = decide(d, threshold);
        if (verdict == WEIR_UNDECIDED || verdict == WEIR_OUT_OF_MEMORY)
            return verdict;
        step = step < INT64_MAX / 8 && step > before - d->upper ? step * 2 : (before - d->upper) * 2;
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
    if (!s->search && !(s->search = weir_search_new(p->graph->actor_count, p->graph->tokens_max)))
        return weir_fail_memory(error);
    weir_search_pose(s->search, p);
    struct descent d = {.search = s->search, .result = result, .lower = INT64_MIN, .upper = INT64_MAX};
    enum weir_search_verdict verdict = bound_above(&d);
    if (verdict == WEIR_UNREACHABLE)
        verdict = close_in(&d);
    result->relaxations = s->search->relaxations;
    if (verdict == WEIR_OUT_OF_MEMORY)
        return weir_fail_memory(error);
    result->lower = d.lower;
    result->upper = d.upper;
    if (verdict == WEIR_UNDECIDED) {
        result->limit = s->search->relaxations > p->work_limit ? WEIR_LIMIT_WORK
                        : s->search->full                      ? WEIR_LIMIT_MEMORY
                                                               : WEIR_LIMIT_RANGE;
        if (weir_interrupted())
            result->outcome = WEIR_BRACKET; /* of which nobody asks how narrow it is */
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
