/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/margins/proof.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/search.h"

#include <string.h>

enum { FINISH_KEPT = 1, START_KEPT = 2, FINISH_DROPPED = 4, START_DROPPED = 8, HOT_ABOVE = 16, HOT_BELOW = 32 };
#define ENTRIES_MAX 1000000 /* of a table that is kept */

void weir_probe_free(struct weir_probe *p)
{
    if (!p)
        return;
    weir_slack_lines_free(&p->lines);
    weir_free(p->choices);
    weir_free(p->D);
    weir_free(p->F);
    weir_free(p->O);
    weir_free(p);
}

/* ---- making one ---- */

/* What the search decided at (o, row). */
static uint8_t choice_at(const struct weir_search *s, uint32_t o, int64_t row)
{
    const struct weir_problem *p = &s->problem;
    const struct weir_graph *g = p->graph;
    int64_t at = row * (int64_t)s->n + o, by_kind[2] = {WEIR_DEAD, WEIR_DEAD}, hot = s->F[at] + g->hi[o];
    if (o == p->target && row == p->target_row)
        by_kind[p->target_finish] = 0;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1] && g->out_runs[r].tokens <= row; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t i = run->first; i < run->end; i++) {
            int64_t value = s->C[(row - run->tokens) * (int64_t)s->n + g->heads[i]] + run->offset;
            by_kind[run->finish] = value > by_kind[run->finish] ? value : by_kind[run->finish];
        }
    }
    bool finish = WEIR_ALIVE(by_kind[1]), start = WEIR_ALIVE(by_kind[0]);
    if (!WEIR_ALIVE(s->D[at]))
        return (uint8_t)((finish ? FINISH_KEPT : 0) | (start ? START_KEPT : 0));
    int64_t d = hot > s->D[at] ? hot : s->D[at];
    uint8_t choice = 0;
    if (finish)
        choice |= by_kind[1] + g->hi[o] - d < s->threshold ? FINISH_DROPPED : FINISH_KEPT;
    if (start)
        choice |= by_kind[0] - s->D[at] < s->threshold ? START_DROPPED : START_KEPT;
    if (choice & FINISH_DROPPED && hot != s->D[at])
        choice |= hot > s->D[at] ? HOT_ABOVE : HOT_BELOW;
    return choice;
}

/* The proof that no more is reached. Leaves it out where it is too large, or passes over a jump. */
static enum weir_status keep_choices(struct weir_search *s, struct weir_probe *p)
{
    s->relaxations = 0;
    enum weir_search_verdict verdict = weir_search_decide(s, p->latency.value + 1);
    if (verdict == WEIR_OUT_OF_MEMORY)
        return WEIR_MEMORY;
    if (verdict != WEIR_UNREACHABLE || s->epoch_count != 1 || s->row_count > ENTRIES_MAX / s->n)
        return WEIR_OK;
    p->actors = s->n;
    p->rows = s->row_count;
    p->period = s->epochs[0].repeat == INT64_MAX ? s->epochs[0].period : 0;
    p->choices = weir_array((size_t)p->rows * s->n, sizeof *p->choices);
    if (!p->choices)
        return WEIR_MEMORY;
    for (int64_t row = 0; row < p->rows; row++)
        for (uint32_t o = 0; o < s->n; o++)
            p->choices[row * (int64_t)s->n + o] = choice_at(s, o, row);
    return WEIR_OK;
}

static enum weir_status keep_tables(const struct weir_search *s, struct weir_probe *p)
{
    if (!p->choices || s->epoch_count != 1 || s->shared > ENTRIES_MAX / s->n || s->shared < p->rows)
        return WEIR_OK;
    size_t entries = (size_t)s->shared * s->n;
    p->D = weir_array(entries, sizeof *p->D);
    p->F = weir_array(entries, sizeof *p->F);
    p->O = weir_array((size_t)s->shared, sizeof *p->O);
    if (!p->D || !p->F || !p->O)
        return WEIR_MEMORY;
    memcpy(p->D, s->D, entries * sizeof *p->D);
    memcpy(p->F, s->F, entries * sizeof *p->F);
    memcpy(p->O, s->O, (size_t)s->shared * sizeof *p->O);
    p->best_rows = s->shared;
    p->table = true;
    return WEIR_OK;
}

static uint32_t actor_now(const struct weir_evaluator *e, struct weir_operator op)
{
    if (e->in_place)
        return e->layout.place[e->actor_of[op.index]];
    const struct weir_graph *g = e->copy->graph;
    for (uint32_t a = 0; a < g->actor_count; a++)
        if (g->actors[a].op == op.index && g->actors[a].part == WEIR_PART_EXECUTION)
            return a;
    return 0;
}

/* What proofs need of an exact latency. */
static enum weir_status explain(struct weir_prober *r, struct weir_probe *p, struct weir_error *error)
{
    struct weir_evaluator *e = r->evaluator;
    const struct weir_graph *g = e->in_place ? &e->graph : e->copy->graph;
    struct weir_problem problem;
    enum weir_status status = weir_evaluator_problem(e, r->chain, &problem, error);
    if (status)
        return status;
    p->one_pass = problem.one_pass && !r->best;
    memset(r->rise, 0, (size_t)g->actor_count * sizeof *r->rise);
    if (!r->best)
        r->rise[actor_now(e, r->op)] = 1;
    if (!problem.one_pass) {
        status = keep_choices(e->solver->search, p);
        r->searches++;
    }
    struct weir_slack_lines_step step = {.rise = r->rise, .clock = WEIR_NO_ACTOR};
    if (!status)
        status = weir_evaluator_lines(e, r->chain, p->latency.value, &step, &p->lines, error);
    r->searches++;
    if (!status && p->choices)
        status = keep_tables(e->solver->search, p);
    return status == WEIR_MEMORY ? weir_fail_memory(error) : status;
}

enum weir_status weir_prober_ask(struct weir_prober *r, int64_t at, struct weir_separation *latency, struct weir_error *error)
{
    const struct weir_operator_spec *spec = &r->evaluator->pipeline->operators[r->op.index];
    enum weir_status status =
        weir_evaluator_set_times(r->evaluator, r->op, r->best ? at : spec->best, r->best ? spec->worst : at, error);
    r->searches++;
    return status ? status : weir_evaluator_latency(r->evaluator, r->chain, latency, error);
}

enum weir_status weir_probe_make(struct weir_prober *r, int64_t at, struct weir_probe **probe, struct weir_error *error)
{
    struct weir_probe *p = *probe = weir_array_zeroed(1, sizeof *p);
    if (!p)
        return weir_fail_memory(error);
    p->at = at;
    enum weir_status status = weir_prober_ask(r, at, &p->latency, error);
    if (!status && p->latency.outcome == WEIR_EXACT)
        status = explain(r, p, error);
    if (status) {
        weir_probe_free(p);
        *probe = NULL;
    }
    return status;
}

/* ---- proofs ---- */

static bool same_choices(const struct weir_probe *a, const struct weir_probe *b)
{
    if (a->rows != b->rows || a->period != b->period)
        return false;
    for (int64_t i = 0; i < a->rows * (int64_t)a->actors; i++) {
        uint8_t x = a->choices[i], y = b->choices[i], sides = (x | y) & (HOT_ABOVE | HOT_BELOW);
        if ((x & 15) != (y & 15) || sides == (HOT_ABOVE | HOT_BELOW))
            return false;
    }
    return true;
}

static bool straight(int64_t a, int64_t m, int64_t b, const int64_t x[3])
{
    if (!WEIR_ALIVE(a) || !WEIR_ALIVE(m) || !WEIR_ALIVE(b))
        return !WEIR_ALIVE(a) && !WEIR_ALIVE(m) && !WEIR_ALIVE(b);
    return (weir_wide)m * (x[2] - x[0]) == (weir_wide)a * (x[2] - x[1]) + (weir_wide)b * (x[1] - x[0]);
}

/* D, F and O are straight from a over m to b in the first `rows` rows. */
static bool straight_tables(const struct weir_probe *a, const struct weir_probe *m, const struct weir_probe *b, int64_t rows)
{
    const int64_t x[3] = {a->at, m->at, b->at};
    for (int64_t i = 0; i < rows * (int64_t)a->actors; i++)
        if (!straight(a->D[i], m->D[i], b->D[i], x) || !straight(a->F[i], m->F[i], b->F[i], x))
            return false;
    for (int64_t row = 0; row < rows; row++)
        if (!straight(a->O[row], m->O[row], b->O[row], x))
            return false;
    return true;
}

/* The slack that a line has with b's tables; false where they do not reach so far. */
static bool slack_at(const struct weir_prober *r, const struct weir_slack_line *line, const struct weir_probe *a,
                     const struct weir_probe *b, weir_wide *slack)
{
    *slack = (weir_wide)line->value + (weir_wide)line->slope * (b->at - a->at);
    if (!r->best || line->kind == WEIR_LINE_SUM)
        return true;
    int64_t row = line->kind == WEIR_LINE_ORIGIN ? line->at : line->at / (int64_t)a->actors;
    if (row >= b->best_rows || row >= a->best_rows)
        return false;
    const int64_t *before = line->kind == WEIR_LINE_ORIGIN ? a->O : line->kind == WEIR_LINE_HOT ? a->F : a->D;
    const int64_t *after = line->kind == WEIR_LINE_ORIGIN ? b->O : line->kind == WEIR_LINE_HOT ? b->F : b->D;
    *slack += (weir_wide)before[line->at] - after[line->at];
    return true;
}

/* The path that reaches a's latency reaches b's with b's numbers. */
static bool reaches(const struct weir_prober *r, const struct weir_probe *a, const struct weir_probe *b)
{
    for (size_t i = 0; i < a->lines.count; i++) {
        weir_wide slack;
        if (!slack_at(r, &a->lines.items[i], a, b, &slack) || slack < b->latency.value)
            return false;
    }
    return a->lines.count > 0;
}

/* The rows that a path with these lines looks at. */
static int64_t rows_of(const struct weir_slack_lines *lines, uint32_t actors)
{
    int64_t rows = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const struct weir_slack_line *line = &lines->items[i];
        int64_t row = line->kind == WEIR_LINE_ORIGIN ? line->at : line->at / (int64_t)actors;
        rows = row + 1 > rows ? row + 1 : rows;
    }
    return rows;
}

static bool labels_prove(const struct weir_prober *r, const struct weir_probe *a, const struct weir_probe *b,
                         const struct weir_probe *inside)
{
    if (!a->table || !b->table || a->actors != b->actors || !same_choices(a, b))
        return false;
    const struct weir_probe *from = reaches(r, a, b) ? a : reaches(r, b, a) ? b : NULL;
    if (!from || !r->best)
        return from != NULL;
    if (!inside || !inside->table || inside->actors != a->actors)
        return false;
    int64_t rows = rows_of(&from->lines, a->actors);
    rows = rows > a->rows ? rows : a->rows;
    if (a->period) /* labels go on for ever, and so must the tables; that they stay straight is not known */
        return false;
    return rows <= a->best_rows && rows <= b->best_rows && rows <= inside->best_rows && straight_tables(a, inside, b, rows);
}

enum weir_proof weir_probes_prove(const struct weir_prober *r, const struct weir_probe *a, const struct weir_probe *b,
                                  const struct weir_probe *inside)
{
    if (b->at - a->at <= 1)
        return WEIR_PROOF_NEXT;
    bool exact = a->latency.outcome == WEIR_EXACT && b->latency.outcome == WEIR_EXACT;
    if ((exact && a->latency.value == b->latency.value) ||
        (a->latency.outcome == b->latency.outcome && (a->latency.outcome == WEIR_NO_BOUND || a->latency.outcome == WEIR_NO_EVENTS)))
        return WEIR_PROOF_FLAT;
    if (!exact)
        return WEIR_PROOF_NONE;
    if (a->one_pass && b->one_pass)
        return reaches(r, a, b) || reaches(r, b, a) ? WEIR_PROOF_CONVEX : WEIR_PROOF_NONE;
    return labels_prove(r, a, b, inside) ? WEIR_PROOF_LABELS : WEIR_PROOF_NONE;
}
