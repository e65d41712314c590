/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumping over stretches of even growth.
 *
 * Let x(k) be the entries of row k (C, D, F, O) and g(k) = x(k) - x(k - q). Suppose that g(k) = g(k - q) for the last `window`
 * rows, and look at the last q rows. Each of their entries is a maximum over candidates: an entry of an earlier row plus a
 * constant. If
 *
 *   - one candidate equals the maximum and grows as fast as it does, and
 *   - every other candidate that grows faster has a margin,
 *
 * then for as many repetitions j as the margins last, x(k) + j g(k) is again the maximum of its candidates: the rows repeat, each
 * entry growing by g. Cuts are comparisons as well: a label that passes with slack to spare passes while the slack lasts, one that
 * is cut stays cut while its slack is below the threshold, and the threshold is not reached before the slack at the origin is that
 * large. So is the choice between D and F + hi in a slack; while it stays the same, a slack grows evenly, and the largest that is
 * cut is met in the first or in the last repetition. The number of repetitions is the smallest of all these; without any limit the
 * rows repeat for ever.
 */
#include "engine/exact/accelerate.h"

struct check {
    struct weir_search *search;
    int64_t q;
    int64_t limit; /* repetitions that are still possible */
    bool broken;   /* the rows do not repeat at all */
};

/* A value and what it grows by in a repetition. */
struct line {
    int64_t value, growth;
    bool alive;
};

static inline struct line line_at(struct check *c, const int64_t *table, int64_t row, uint32_t o)
{
    int64_t n = c->search->n, now = table[row * n + o], before = table[(row - c->q) * n + o];
    struct line line = {now, now - before, WEIR_ALIVE(now)};
    if (line.alive != WEIR_ALIVE(before))
        c->broken = true;
    return line;
}

static inline struct line line_add(struct line line, int64_t constant)
{
    line.value += constant;
    return line;
}

static inline void allow(struct check *c, int64_t repetitions)
{
    if (repetitions < c->limit)
        c->limit = repetitions;
}

/* How many repetitions `low` stays at or below `high`, which it is now. */
static inline int64_t stays_below(struct line low, struct line high)
{
    int64_t closing = low.growth - high.growth;
    return closing <= 0 ? INT64_MAX : (high.value - low.value) / closing;
}

/* One of the candidates of a maximum: true when it is the one that carries it. */
static inline bool candidate(struct check *c, struct line line, struct line maximum)
{
    if (!line.alive)
        return false;
    allow(c, stays_below(line, maximum));
    return line.value == maximum.value && line.growth == maximum.growth;
}

static void check_best(struct check *c, int64_t row, uint32_t o)
{
    struct weir_search *s = c->search;
    const struct weir_graph *g = s->problem.graph;
    struct line D = line_at(c, s->D, row, o), F = line_at(c, s->F, row, o);
    bool carried_D = !D.alive, carried_F = !F.alive;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t i = run->first; i < run->end; i++) {
            struct line head = line_add(line_at(c, s->D, row - run->tokens, g->heads[i]), run->offset);
            if (run->finish)
                carried_F |= candidate(c, head, F);
            else
                carried_D |= candidate(c, head, D);
        }
    }
    carried_D |= candidate(c, line_add(F, s->problem.lo[o]), D);
    c->broken |= !carried_D || !carried_F;
}

/* How many repetitions a label of value `label` keeps, or stays below, the threshold at an ancestor. */
struct cut {
    bool passes;
    int64_t lasts;
};

static struct cut cut_at(struct check *c, struct line label, struct line D, struct line hot)
{
    int64_t R = c->search->threshold;
    struct line against[2] = {D, hot};
    struct cut pass = {true, INT64_MAX}, cut = {false, -1};
    for (int i = 0; i < 2; i++) {
        if (!against[i].alive)
            continue;
        int64_t slack = label.value - against[i].value, growth = label.growth - against[i].growth;
        if (slack < R) {
            pass.passes = false;
            int64_t lasts = growth <= 0 ? INT64_MAX : R == WEIR_NO_THRESHOLD ? INT64_MAX : (R - 1 - slack) / growth;
            if (lasts > cut.lasts)
                cut.lasts = lasts;
        } else if (growth < 0 && (slack - R) / -growth < pass.lasts) {
            pass.lasts = (slack - R) / -growth;
        }
    }
    return pass.passes ? pass : cut;
}

/* With no threshold every label is cut; a slack that grows for ever then has no largest value. */
static void note_growth(struct check *c, struct line label, struct line D, struct line hot)
{
    bool grows = label.growth > D.growth && (!hot.alive || label.growth > hot.growth);
    c->search->cut_unbounded |= grows && c->search->threshold == WEIR_NO_THRESHOLD;
}

static void check_label(struct check *c, int64_t row, uint32_t o)
{
    struct weir_search *s = c->search;
    const struct weir_graph *g = s->problem.graph;
    struct line C = line_at(c, s->C, row, o), D = line_at(c, s->D, row, o), F = line_at(c, s->F, row, o);
    int64_t carried = C.alive ? -1 : INT64_MAX; /* repetitions for which some candidate carries the label */
    struct line hot = line_add(F, g->hi[o]);
    if (D.alive && F.alive) /* a slack is a line only as long as the larger of the two stays the larger */
        allow(c, D.value >= hot.value ? stays_below(hot, D) : stays_below(D, hot));
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t own = run->finish ? g->hi[o] : 0;
        hot.alive = F.alive && run->finish;
        for (uint32_t i = run->first; i < run->end; i++) {
            struct line label = line_add(line_at(c, s->C, row - run->tokens, g->heads[i]), run->offset + own);
            if (!label.alive)
                continue;
            struct cut cut = D.alive ? cut_at(c, label, D, hot) : (struct cut){true, INT64_MAX};
            if (!cut.passes) {
                note_growth(c, label, D, hot);
                int64_t harmless = C.alive && label.value <= C.value ? stays_below(label, C) : -1;
                allow(c, harmless > cut.lasts ? harmless : cut.lasts);
                continue;
            }
            if (!C.alive || label.value > C.value) {
                c->broken = true; /* cannot be: a label that passes is a candidate */
                return;
            }
            allow(c, stays_below(label, C));
            if (label.value == C.value && label.growth == C.growth && cut.lasts > carried)
                carried = cut.lasts;
        }
    }
    if (carried < 0)
        c->broken = true;
    allow(c, carried);
}

static struct line origin_at(const struct check *c, int64_t row)
{
    const int64_t *O = c->search->O;
    return (struct line){O[row], O[row] - O[row - c->q], true};
}

/* How long a path that begins in a node stays below the threshold. */
static void check_reach(struct check *c, struct line label, struct line origin)
{
    struct weir_search *s = c->search;
    int64_t growth = label.growth - origin.growth;
    if (!label.alive || growth <= 0)
        return;
    if (s->threshold == WEIR_NO_THRESHOLD)
        s->cut_unbounded = true;
    else
        allow(c, (s->threshold - 1 - (label.value - origin.value)) / growth);
}

static void check_origin(struct check *c, int64_t row)
{
    struct weir_search *s = c->search;
    const struct weir_graph *g = s->problem.graph;
    struct line O = origin_at(c, row);
    bool carried = candidate(c, origin_at(c, row - 1), O);
    for (uint32_t o = 0; o < s->n && !g->roots; o++) {
        carried |= candidate(c, line_at(c, s->D, row, o), O);
        check_reach(c, line_at(c, s->C, row, o), O);
    }
    for (uint32_t r = 0; r < weir_graph_roots(g); r++) {
        const struct weir_root *root = &g->roots[r];
        if (!root->unknown)
            carried |= candidate(c, line_add(line_at(c, s->D, row, root->actor), root->least), O);
        check_reach(c, line_add(line_at(c, s->C, row, root->actor), root->most), root->unknown ? (struct line){.alive = true} : O);
    }
    c->broken |= !carried;
}

/* g(k) = g(k - q) over the window. */
static bool steady(struct weir_search *s, int64_t q)
{
    const int64_t *tables[] = {s->C, s->D, s->F};
    int64_t n = s->n, end = s->row_count * n;
    for (size_t t = 0; t < 3; t++) {
        const int64_t *x = tables[t];
        for (int64_t i = end - s->window * n; i < end; i++, s->spent++)
            if (WEIR_ALIVE(x[i]) != WEIR_ALIVE(x[i - q * n]) || x[i] - x[i - q * n] != x[i - q * n] - x[i - 2 * q * n])
                return false;
    }
    for (int64_t row = s->row_count - s->window; row < s->row_count; row++)
        if (s->O[row] - s->O[row - q] != s->O[row - q] - s->O[row - 2 * q])
            return false;
    return true;
}

bool weir_may_repeat(const struct weir_search *s, int64_t q)
{
    int64_t n = s->n, last = (s->row_count - 1) * n;
    for (int64_t o = 0; o < n; o++) {
        const int64_t *C = s->C + last + o, *D = s->D + last + o;
        if (C[0] - C[-q * n] != C[-q * n] - C[-2 * q * n] || D[0] - D[-q * n] != D[-q * n] - D[-2 * q * n])
            return false;
    }
    return true;
}

int64_t weir_repetitions(struct weir_search *s, int64_t q)
{
    if (!steady(s, q))
        return 0;
    struct check c = {.search = s, .q = q, .limit = INT64_MAX};
    bool unbounded_before = s->cut_unbounded;
    for (int64_t row = s->row_count - q; row < s->row_count && !c.broken && c.limit > 1; row++) {
        for (uint32_t o = 0; o < s->n && !c.broken && c.limit > 1; o++) {
            check_best(&c, row, o);
            check_label(&c, row, o);
        }
        check_origin(&c, row);
        s->relaxations += 2 * s->problem.graph->arc_count;
        s->spent += 2 * s->problem.graph->arc_count;
    }
    if (c.broken || c.limit != INT64_MAX)
        s->cut_unbounded = unbounded_before;
    return c.broken ? 0 : c.limit;
}
