/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can a separation grow for ever?  (docs/concepts/exactness.md, "unbounded")
 *
 * Cut the event graph into strongly connected components. A path P, followed backwards from the target, passes through a chain of
 * them; spending k iterations in a component S adds about hi(S) * k to P, where hi(S) is its largest cycle ratio at worst times. At
 * an ancestor a the reference has grown by at least mu(a) times the depth, where mu(a) is the largest cycle ratio at best times on
 * a path from a to the reference. So P can be driven to infinity if and only if, at each component of ancestors that it enters,
 * some component before has hi > mu of the one it enters, and in the end some has hi > mu of all ancestors together. Of the
 * components met so far only the largest hi matters, and more of it is always better: one pass over the components decides. Where
 * not everything begins at time 0, paths begin in roots: at the end counts the mu of those that begin together, or nothing if it
 * begins at any time.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/components.h"
#include "engine/exact/explain.h"
#include "engine/exact/ratio.h"
#include "engine/exact/solver.h"

#include <string.h>

struct strand {
    struct weir_ratio hi, mu; /* denominator 0: no cycle */
    struct weir_ratio best;   /* largest hi on a path from here to the target that can be driven; denominator 0: none */
    uint32_t best_actor;      /* an actor with that ratio */
    bool ancestor, reached;
};

struct test {
    const struct weir_solver *solver;
    const struct weir_problem *problem;
    uint32_t *component; /* successors have smaller numbers */
    uint32_t component_count;
    uint32_t *order; /* actors by component */
    struct strand *strands;
    struct weir_ratios hi, lo;
};

static int compare(struct weir_ratio a, struct weir_ratio b)
{
    if (a.denominator == 0 || b.denominator == 0)
        return (a.denominator != 0) - (b.denominator != 0);
    return weir_ratio_compare(a, b);
}

static bool find_components(struct test *t)
{
    uint32_t n = t->problem->graph->actor_count;
    t->component = weir_components(t->problem->graph, &t->component_count);
    t->order = weir_array(n, sizeof *t->order);
    t->strands = t->component ? weir_array_zeroed(t->component_count, sizeof *t->strands) : NULL;
    uint32_t *first = t->component ? weir_array_zeroed((size_t)t->component_count + 1, sizeof *first) : NULL;
    if (!t->order || !t->strands || !first) {
        weir_free(first);
        return false;
    }
    for (uint32_t o = 0; o < n; o++)
        first[t->component[o] + 1]++;
    for (uint32_t c = 0; c < t->component_count; c++)
        first[c + 1] += first[c];
    for (uint32_t o = 0; o < n; o++)
        t->order[first[t->component[o]]++] = o;
    weir_free(first);
    return true;
}

static void lift(struct weir_ratio *ratio, struct weir_ratio other)
{
    if (compare(other, *ratio) > 0)
        *ratio = other;
}

/* Own rates first, then what the successors pass on; components in order, so successors are complete. */
static void gather(struct test *t, uint32_t begin, uint32_t end)
{
    const struct weir_graph *g = t->problem->graph;
    uint32_t c = t->component[t->order[begin]];
    struct strand *s = &t->strands[c];
    uint32_t hi_actor = WEIR_NO_ACTOR;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t o = t->order[i];
        s->ancestor = t->solver->region.ancestor_row[o] != WEIR_FAR;
        if (compare(t->hi.ratio[o], s->hi) > 0) {
            s->hi = t->hi.ratio[o];
            hi_actor = o;
        }
        lift(&s->mu, t->lo.ratio[o]);
        s->reached |= o == t->problem->target;
    }
    for (uint32_t i = begin; i < end && s->ancestor; i++)
        for (uint32_t r = g->out_first[t->order[i]]; r < g->out_first[t->order[i] + 1]; r++)
            for (uint32_t a = g->out_runs[r].first; a < g->out_runs[r].end; a++)
                if (t->strands[t->component[g->heads[a]]].ancestor)
                    lift(&s->mu, t->strands[t->component[g->heads[a]]].mu);
    if (s->reached && s->ancestor)
        s->reached = false; /* the target itself holds the reference back */
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t r = g->out_first[t->order[i]]; r < g->out_first[t->order[i] + 1]; r++)
            for (uint32_t a = g->out_runs[r].first; a < g->out_runs[r].end; a++) {
                const struct strand *from = &t->strands[t->component[g->heads[a]]];
                if (from == s || !from->reached || (s->ancestor && compare(from->best, s->mu) <= 0))
                    continue;
                s->reached = true;
                if (compare(from->best, s->best) > 0) {
                    s->best = from->best;
                    s->best_actor = from->best_actor;
                }
            }
    if (s->reached && compare(s->hi, s->best) > 0) {
        s->best = s->hi;
        s->best_actor = hi_actor;
    }
}

static const char *unit_of(const struct weir_pipeline *p, const char *number)
{
    return p->unit == WEIR_UNIT_TICK && strcmp(number, "1") != 0 ? "ticks" : weir_unit_name(p->unit);
}

static void explain(const struct test *t, const struct strand *s, struct weir_ratio mu, char *words, size_t size)
{
    const struct weir_pipeline *p = t->solver->pipeline;
    char slow[WEIR_TIME_TEXT], fast[WEIR_TIME_TEXT], name[WEIR_QUOTED], reference[WEIR_QUOTED];
    uint32_t on = weir_ratios_cycle(&t->hi, s->best_actor, t->problem->graph->actor_count);
    uint32_t op = t->problem->graph->actors[on].op;
    bool several = false; /* operators; the parts of one do not count */
    for (uint32_t at = t->hi.next[on]; at != on; at = t->hi.next[at])
        several |= t->problem->graph->actors[at].op != op;
    weir_quote(p->operators[op].name, name);
    weir_quote(p->operators[t->problem->graph->actors[t->problem->reference].op].name, reference);
    weir_decimal_format(s->best.numerator / s->best.denominator, p->digits, slow);
    weir_decimal_format(mu.numerator / mu.denominator + (mu.numerator % mu.denominator != 0), p->digits, fast);
    snprintf(words, size,
             "the backlog grows without bound: %s\"%s\" can need %s %s per %s, and nothing keeps \"%s\" from going on every %s %s",
             several ? "the cycle through " : "", name, slow, unit_of(p, slow), p->firings ? "round" : "iteration", reference, fast,
             unit_of(p, fast));
}

/* ... where the backlog is what piled up before something began. */
static void explain_root(const struct test *t, const struct weir_root *root, char *words, size_t size)
{
    const struct weir_pipeline *p = t->solver->pipeline;
    const struct weir_graph *g = t->problem->graph;
    char name[WEIR_QUOTED], reference[WEIR_QUOTED];
    snprintf(words, size,
             "the backlog has no bound: \"%s\" may begin at any time after \"%s\", and what comes until then is kept and never "
             "made up for; give their phases, or a queue with a limit",
             weir_quote(p->operators[g->actors[root->actor].op].name, name),
             weir_quote(p->operators[g->actors[t->problem->reference].op].name, reference));
}

/* The largest mu of what begins together; without roots, of all ancestors. */
static struct weir_ratio origin_rate(const struct test *t)
{
    const struct weir_graph *g = t->problem->graph;
    struct weir_ratio mu = {0, 1};
    for (uint32_t c = 0; c < t->component_count && !g->roots; c++)
        if (t->strands[c].ancestor)
            lift(&mu, t->strands[c].mu);
    for (uint32_t r = 0; r < weir_graph_roots(g); r++) {
        const struct strand *s = &t->strands[t->component[g->roots[r].actor]];
        if (s->ancestor && !g->roots[r].unknown)
            lift(&mu, s->mu);
    }
    return mu;
}

/* Whether a path that is driven can begin somewhere. */
static bool can_begin(const struct test *t, char *words, size_t words_size)
{
    const struct weir_graph *g = t->problem->graph;
    struct weir_ratio mu = origin_rate(t);
    for (uint32_t c = 0; c < t->component_count && !g->roots; c++)
        if (t->strands[c].reached && compare(t->strands[c].best, mu) > 0) {
            if (words)
                explain(t, &t->strands[c], mu, words, words_size);
            return true;
        }
    for (uint32_t r = 0; r < weir_graph_roots(g); r++) {
        const struct weir_root *root = &g->roots[r];
        const struct strand *s = &t->strands[t->component[root->actor]];
        struct weir_ratio against = root->unknown ? (struct weir_ratio){0, 1} : mu;
        if (!s->reached || compare(s->best, against) <= 0)
            continue;
        if (words && root->unknown && compare(s->best, mu) <= 0)
            explain_root(t, root, words, words_size);
        else if (words)
            explain(t, s, mu, words, words_size);
        return true;
    }
    return false;
}

enum weir_status weir_unbounded_test(struct weir_solver *solver, const struct weir_problem *p, bool *unbounded, char *words,
                                     size_t words_size)
{
    struct test t = {.solver = solver, .problem = p};
    enum weir_status status = find_components(&t) ? WEIR_OK : WEIR_MEMORY;
    if (!status)
        status = weir_ratios_compute(p->graph, p->graph->hi, t.component, &t.hi);
    if (!status)
        status = weir_ratios_compute(p->graph, p->lo, t.component, &t.lo);
    *unbounded = false;
    if (!status) {
        uint32_t n = p->graph->actor_count;
        for (uint32_t begin = 0, end; begin < n; begin = end) {
            for (end = begin; end < n && t.component[t.order[end]] == t.component[t.order[begin]];)
                end++;
            gather(&t, begin, end);
        }
        *unbounded = can_begin(&t, words, words_size);
    }
    weir_ratios_free(&t.hi);
    weir_ratios_free(&t.lo);
    weir_free(t.strands);
    weir_free(t.order);
    weir_free(t.component);
    return status;
}

enum weir_status weir_unbounded_explain(struct weir_solver *solver, const struct weir_query *query, char *words, size_t size)
{
    struct weir_problem problem;
    bool unbounded;
    words[0] = 0;
    enum weir_status status = weir_problem_pose(solver, query, &problem, NULL);
    return status ? status : weir_unbounded_test(solver, &problem, &unbounded, words, size);
}
