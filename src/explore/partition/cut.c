/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows where best cases are above 0. A latency is the supremum, over paths P of the trace from its beginning to the end of the
 * latency, of the minimum over the ancestors a on P (the nodes with a path to where the latency begins, and the beginning of
 * time) of
 *
 *     slack(a) = P from a on, at worst cases  -  d(a),   d(a): the longest path from a to where the latency begins, at best
 *                                                        cases; a itself at its worst case if both leave it over its finish
 *
 * and that for whatever times (docs/concepts/exactness.md). So with the times of any division, a latency is at least the minimum
 * of the slacks on one path P: that which decides for some times h (worst cases) and b (best cases, raised as far as the latency
 * hardly falls). Let n(a, i) be how many executions of operator i count at their worst case on P from a on, and m(a, i) no fewer
 * than there are of i on any path from a to where the latency begins. Then with other times H and B
 *
 *     slack(a)  >=  slack(a) at h, b  +  sum over i of e(a, i),
 *     e(a, i)    =  n(a, i) (H(i) - h(i))  -  m(a, i) max(0, B(i) - b(i)),
 *
 * as a path of d(a) grows by no more than what is added to the executions on it. Where a is of i and both leave it over its
 * finish, d(a) is the larger of a length that has H(i) in it once and at b exceeds the other by x >= 0 (or falls short of it, then
 * x is 0), so max(H(i) - h(i), -x) is to be taken off as well. This is a form for each a, and the path is a row (rows.h): at h and
 * b as long as the latency.
 */
#include "base/error.h"
#include "explore/evaluate.h"
#include "explore/partition/rows.h"

#include <string.h>

enum { STEPS_MAX = 4096, WORK_MAX = 40000000 };

/* The path, and paths to the reference from each row up to that of its first step. */
struct cut {
    const struct weir_graph *g;
    const struct weir_problem *problem;
    size_t steps, rows;
    uint32_t *actor; /* by step */
    int64_t *row;
    bool *finish;     /* the path leaves it so */
    int64_t *length;  /* from it on, at worst cases */
    int64_t *slack;   /* INT64_MAX: no ancestor. One more: the beginning of time */
    int64_t *longest; /* by row and actor: at best cases; WEIR_DEAD: there is none */
    int64_t *hot;     /* ... over finish arcs, without its own time */
    struct weir_arena arena;
};

static int64_t cell(const struct cut *c, uint32_t actor, int64_t row)
{
    return row * c->g->actor_count + actor;
}

/* ---- the path ---- */

static bool is_step(const struct weir_actor *a, const struct weir_step *s)
{
    return a->op == s->op.index && a->part == (uint32_t)s->part && a->firing == s->firing;
}

/* The only actor that the step can be; false: there are several. */
static bool find_actor(const struct weir_graph *g, const struct weir_step *step, uint32_t *actor)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < g->actor_count; a++)
        if (is_step(&g->actors[a], step)) {
            *actor = a;
            count++;
        }
    return count == 1;
}

static bool unfold(struct cut *c, const struct weir_witness *w)
{
    size_t at = 0;
    for (size_t i = 0; i < w->segment_count; i++) {
        const struct weir_segment *s = &w->segments[i];
        for (int64_t turn = 0; turn < s->repeat; turn++)
            for (size_t k = 0; k < s->step_count; k++, at++) {
                if (at == STEPS_MAX || !find_actor(c->g, &s->steps[k], &c->actor[at]))
                    return false;
                c->row[at] = c->problem->reference_row + w->iteration - s->steps[k].iteration - turn * s->iterations;
                c->finish[at] = s->steps[k].counts;
                if (c->row[at] < 0)
                    return false;
            }
    }
    c->steps = at;
    return at > 0 && c->row[0] >= c->problem->reference_row;
}

/* The longest arc from a step to the next one, of the kind over which it is left; false: there is none. */
static bool offset_of(const struct cut *c, size_t step, int64_t *offset)
{
    const struct weir_graph *g = c->g;
    bool found = false;
    for (uint32_t r = g->out_first[c->actor[step]]; r < g->out_first[c->actor[step] + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        if (run->finish != c->finish[step] || run->tokens != c->row[step] - c->row[step + 1])
            continue;
        for (uint32_t i = run->first; i < run->end; i++)
            if (g->heads[i] == c->actor[step + 1] && (!found || run->offset > *offset)) {
                *offset = run->offset;
                found = true;
            }
    }
    return found;
}

static bool measure(struct cut *c)
{
    size_t last = c->steps - 1;
    if (c->actor[last] != c->problem->target || c->row[last] != c->problem->target_row ||
        c->finish[last] != c->problem->target_finish)
        return false;
    for (size_t i = c->steps; i-- > 0;) {
        int64_t offset = 0;
        if (i < last && !offset_of(c, i, &offset))
            return false;
        c->length[i] = (i < last ? c->length[i + 1] : 0) + offset + (c->finish[i] ? c->g->hi[c->actor[i]] : 0);
    }
    return true;
}

/* ---- paths to the reference ---- */

/* The longest path from each node, with these times by actor; NULL: counting executions of the actor `one`. */
static void fill_longest(const struct cut *c, const int64_t *times, uint32_t one, int64_t *longest, int64_t *hot)
{
    const struct weir_graph *g = c->g;
    const struct weir_problem *p = c->problem;
    for (int64_t row = 0; row < (int64_t)c->rows; row++)
        for (uint32_t o = g->actor_count; o-- > 0;) {
            int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
            if (o == p->reference && row == p->reference_row)
                by_kind[p->reference_finish] = 0;
            for (uint32_t r = g->out_first[o]; row >= p->reference_row && r < g->out_first[o + 1]; r++) {
                const struct weir_arc_run *run = &g->out_runs[r];
                for (uint32_t i = run->first; run->tokens <= row && i < run->end; i++) {
                    int64_t behind = longest[cell(c, g->heads[i], row - run->tokens)];
                    behind += times && WEIR_ALIVE(behind) ? run->offset : 0;
                    by_kind[run->finish] = behind > by_kind[run->finish] ? behind : by_kind[run->finish];
                }
            }
            int64_t over = by_kind[1];
            if (WEIR_ALIVE(over))
                over += times ? times[o] : o == one;
            longest[cell(c, o, row)] = over > by_kind[0] ? over : by_kind[0];
            if (hot)
                hot[cell(c, o, row)] = by_kind[1];
        }
}

/* The slack of each ancestor on the path and of the beginning of time; returns the least. */
static int64_t find_slacks(struct cut *c)
{
    int64_t origin = 0, least;
    for (size_t i = 0; i < c->rows * c->g->actor_count; i++)
        origin = c->longest[i] > origin ? c->longest[i] : origin;
    least = c->slack[c->steps] = c->length[0] - origin;
    for (size_t i = 0; i < c->steps; i++) {
        int64_t d = c->longest[cell(c, c->actor[i], c->row[i])], hot = c->hot[cell(c, c->actor[i], c->row[i])];
        c->slack[i] = INT64_MAX;
        if (!WEIR_ALIVE(d))
            continue;
        hot += c->g->hi[c->actor[i]];
        c->slack[i] = c->length[i] - (c->finish[i] && hot > d ? hot : d);
        least = c->slack[i] < least ? c->slack[i] : least;
    }
    return least;
}

/* ---- the row ---- */

/* The pieces of a profile: by form, each from a step that is an ancestor; the last is from the beginning of time. */
static void fill_pieces(struct cut *c, const struct weir_partition_scorer *s, uint32_t profile, int64_t *scratch,
                        struct weir_partition_row *row)
{
    size_t profiles = s->study->options->profile_count, form = row->forms - 1;
    uint32_t one = s->evaluator->layout.place[weir_scorer_actor(s, profile)];
    int64_t most = 0, worst = 0;
    fill_longest(c, NULL, one, scratch, NULL);
    for (size_t i = 0; i < c->rows * c->g->actor_count; i++)
        most = scratch[i] > most ? scratch[i] : most;
    for (size_t i = c->steps; i-- > 0;) {
        int64_t at = cell(c, c->actor[i], c->row[i]), ahead = c->hot[at] + c->g->hi[one] - c->longest[at];
        bool counts = c->actor[i] == one && c->finish[i], own = counts && WEIR_ALIVE(c->hot[at]);
        worst += counts;
        if (c->slack[i] < INT64_MAX)
            row->pieces[--form * profiles + profile] =
                (struct weir_row_piece){.worst = worst, .best = scratch[at], .own = own, .ahead = own && ahead > 0 ? ahead : 0};
    }
    row->pieces[(row->forms - 1) * profiles + profile] = (struct weir_row_piece){.worst = worst, .best = most};
    row->best[profile] = c->g->lo[one];
    row->worst[profile] = c->g->hi[one];
}

/* *made stays false where there are too many ancestors. */
static enum weir_status make_row(const struct weir_partition_scorer *s, struct cut *c, struct weir_partition_row *row, bool *made,
                                 struct weir_error *error)
{
    int64_t *scratch = weir_arena_array(&c->arena, c->rows * c->g->actor_count, sizeof *scratch);
    uint32_t forms = 0;
    for (size_t i = 0; i <= c->steps; i++)
        forms += c->slack[i] < INT64_MAX;
    if (forms > FORMS_MAX)
        return WEIR_OK;
    if (!scratch || !weir_row_make(s->study, forms, row))
        return weir_fail_memory(error);
    *made = true;
    for (size_t i = 0, form = 0; i <= c->steps; i++)
        if (c->slack[i] < INT64_MAX)
            row->base[form++] = c->slack[i];
    for (uint32_t i = 0; i < s->study->options->profile_count; i++)
        fill_pieces(c, s, i, scratch, row);
    return WEIR_OK;
}

/* The row of a path with the times that are set. *made stays false where it is not what this can follow. */
static enum weir_status cut_along(const struct weir_partition_scorer *s, const struct weir_witness *w,
                                  struct weir_partition_row *row, bool *made, struct weir_error *error)
{
    const struct weir_graph *g = &s->evaluator->graph;
    struct cut c = {.g = g, .problem = &s->evaluator->problem};
    enum weir_status status = WEIR_OK;
    c.actor = weir_arena_array(&c.arena, STEPS_MAX, sizeof *c.actor);
    c.row = weir_arena_array(&c.arena, STEPS_MAX, sizeof *c.row);
    c.finish = weir_arena_array(&c.arena, STEPS_MAX, sizeof *c.finish);
    c.length = weir_arena_array(&c.arena, STEPS_MAX, sizeof *c.length);
    c.slack = weir_arena_array(&c.arena, STEPS_MAX + 1, sizeof *c.slack);
    bool known = !c.arena.failed && unfold(&c, w) && measure(&c);
    c.rows = known ? (size_t)c.row[0] + 1 : 0;
    known = known && (weir_wide)c.rows * (weir_wide)(g->arc_count + g->actor_count) * s->study->options->profile_count < WORK_MAX;
    if (known) {
        c.longest = weir_arena_array(&c.arena, c.rows * g->actor_count, sizeof *c.longest);
        c.hot = weir_arena_array(&c.arena, c.rows * g->actor_count, sizeof *c.hot);
    }
    if (known && !c.arena.failed) {
        fill_longest(&c, c.problem->lo, 0, c.longest, c.hot);
        if (find_slacks(&c) == w->separation) /* else it was not the path */
            status = make_row(s, &c, row, made, error);
    }
    if (c.arena.failed)
        status = weir_fail_memory(error);
    weir_arena_free(&c.arena);
    return status;
}

/* ---- which times ---- */

/* Sets every best case to so many permille of the worst, unless it was more before. */
static enum weir_status raise(struct weir_partition_scorer *s, const int64_t *best, int64_t permille, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->study->options->profile_count && !status; i++) {
        int64_t worst = s->times[weir_scorer_actor(s, i)], raised = (int64_t)((weir_wide)worst * permille / 1000);
        status = weir_scorer_set(s, i, raised > best[i] ? raised : best[i], worst, error);
    }
    return status;
}

/* Adds the row of the path by which the latency is so long with the times that are set. */
static enum weir_status cut_here(struct weir_partition_scorer *s, uint32_t chain, int64_t latency, struct weir_error *error)
{
    struct weir_evaluator *e = s->evaluator;
    struct weir_witness *witness = NULL;
    struct weir_query query = weir_chain_query(e->pipeline, chain, e->work_limit);
    enum weir_status status = weir_separation_trace(e->solver, &query, latency, &witness, error);
    if (status)
        return status == WEIR_OVERFLOW ? WEIR_OK : status; /* the path is too long */
    struct weir_partition_row row = {.chain = chain};
    bool made = false;
    status = cut_along(s, witness, &row, &made, error);
    weir_witness_free(witness);
    row.chain = chain;
    if (made && !weir_rows_add(s->study, s->rows, &row))
        weir_row_free(&row);
    return status;
}

/* The higher best cases are, the less other divisions take away from the row. */
static enum weir_status cut_latency(struct weir_partition_scorer *s, uint32_t chain, const int64_t *best, struct weir_error *error)
{
    static const int64_t permilles[] = {900, 800, 700, 600, 500, 400, 300, 200, 100, 0};
    struct weir_evaluator *e = s->evaluator;
    struct weir_separation worst, here;
    enum weir_status status = weir_evaluator_latency(e, chain, &worst, error);
    if (status || worst.outcome != WEIR_EXACT || !e->in_place || e->graph.roots || (s->study->instant && e->problem.one_pass))
        return status;
    for (size_t i = 0; i < sizeof permilles / sizeof *permilles; i++) {
        status = raise(s, best, permilles[i], error);
        if (!status)
            status = weir_evaluator_latency(e, chain, &here, error);
        if (status)
            return status;
        if (here.outcome == WEIR_EXACT && !e->problem.one_pass && here.value >= worst.value - worst.value / 1000)
            return cut_here(s, chain, here.value, error);
    }
    return WEIR_OK;
}

enum weir_status weir_scorer_cut(struct weir_partition_scorer *s, struct weir_error *error)
{
    const struct weir_evaluator *e = s->evaluator;
    int64_t best[PARTS_MAX] = {0};
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->study->options->profile_count; i++) {
        uint32_t op = s->study->options->profiles[i].op.index;
        best[i] = s->study->pipeline->operators[op].launch ? e->work_best[op] : e->best[op];
    }
    for (uint32_t i = 0; i < s->study->pipeline->chain_count && !status; i++) {
        status = cut_latency(s, i, best, error);
        if (!status)
            status = raise(s, best, 0, error);
    }
    return status;
}
