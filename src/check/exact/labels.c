/* SPDX-License-Identifier: Apache-2.0 */
#include "check/exact/labels.h"

#include "base/number.h"

/*
 * Everything is checked as lines  at + j * slope  over the repetitions j = 0..repeat of a row; an explicit row is the case of one
 * repetition. A comparison of two lines that holds at both ends holds between them, so each check looks at both ends only, or at
 * the first and the slopes when the repetition never ends.
 */
struct line {
    int64_t at, slope;
    bool alive;
};

struct checker {
    const struct weir_certificate *c;
    int64_t n;
    /* the row under check */
    int64_t row;
    int64_t period;   /* 0: explicit */
    int64_t from, to; /* repetitions; to INT64_MAX: for ever */
    int64_t first;    /* row of the stretch that may be looked back to */
    bool first_stretch;
};

static bool alive(int64_t x)
{
    return x > WEIR_NOTHING_BELOW;
}

static struct line line_of(const struct checker *k, const int64_t *table, int64_t row, uint32_t o)
{
    int64_t now = table[row * k->n + o];
    if (!k->period || !alive(now))
        return (struct line){now, 0, alive(now)};
    return (struct line){now, now - table[(row - k->period) * k->n + o], true};
}

static struct line plus(struct line line, int64_t constant)
{
    line.at += constant;
    return line;
}

/* a - b <= limit in all repetitions. */
static bool at_most(const struct checker *k, struct line a, struct line b, int64_t limit)
{
    weir_wide difference = (weir_wide)a.at - b.at - limit, slope = (weir_wide)a.slope - b.slope;
    if (difference + slope * k->from > 0)
        return false;
    return k->to == INT64_MAX ? slope <= 0 : difference + slope * k->to <= 0;
}

/* best[o]: some arc, or being the reference, supports it. */
static bool best_is_supported(const struct checker *k, uint32_t o)
{
    const struct weir_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    struct line claim = line_of(k, c->best, k->row, o);
    if (!claim.alive)
        return true;
    if (k->first_stretch && !k->period && o == c->about.reference && k->row == c->about.reference_row &&
        claim.at <= (c->about.reference_finish ? c->about.lo[o] : 0))
        return true;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        if (k->row - run->tokens < k->first)
            continue;
        for (uint32_t i = run->first; i < run->end; i++) {
            struct line head = line_of(k, c->best, k->row - run->tokens, g->heads[i]);
            if (head.alive && at_most(k, claim, plus(head, run->offset + (run->finish ? c->about.lo[o] : 0)), 0))
                return true;
        }
    }
    return false;
}

/* A path of length `path` that leaves o over an arc of the given kind is cut here: its slack is below the threshold. */
static bool is_cut(const struct checker *k, uint32_t o, struct line path, bool finish)
{
    const struct weir_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    struct line best = line_of(k, c->best, k->row, o);
    if (best.alive && at_most(k, path, best, c->about.threshold - 1))
        return true;
    if (!finish)
        return false;
    if (k->first_stretch && !k->period && o == c->about.reference && k->row == c->about.reference_row &&
        c->about.reference_finish && path.at - g->hi[o] < c->about.threshold)
        return true;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        if (!run->finish || k->row - run->tokens < k->first)
            continue;
        for (uint32_t i = run->first; i < run->end; i++) {
            struct line head = line_of(k, c->best, k->row - run->tokens, g->heads[i]);
            if (head.alive && at_most(k, path, plus(head, run->offset + g->hi[o]), c->about.threshold - 1))
                return true;
        }
    }
    return false;
}

static bool path_is_covered(const struct checker *k, uint32_t o, struct line path, bool finish)
{
    struct line label = line_of(k, k->c->label, k->row, o);
    if (!path.alive || (label.alive && at_most(k, path, label, 0)))
        return true;
    return is_cut(k, o, path, finish);
}

/* label[o]: at least as long as every path that is not cut. */
static bool label_covers(const struct checker *k, uint32_t o)
{
    const struct weir_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    if (k->first_stretch && !k->period && o == c->about.target && k->row == c->about.target_row &&
        !path_is_covered(k, o, (struct line){c->about.target_finish ? g->hi[o] : 0, 0, true}, c->about.target_finish))
        return false;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        if (k->row - run->tokens < k->first)
            continue;
        int64_t weight = run->offset + (run->finish ? g->hi[o] : 0);
        for (uint32_t i = run->first; i < run->end; i++)
            if (!path_is_covered(k, o, plus(line_of(k, c->label, k->row - run->tokens, g->heads[i]), weight), run->finish))
                return false;
    }
    return true;
}

static struct line origin_of(const struct checker *k, int64_t row)
{
    int64_t now = k->c->origin[row];
    return (struct line){now, k->period ? now - k->c->origin[row - k->period] : 0, true};
}

/* A path that begins in a root is as long as its label and its phase together. The reference is not before the origin; where the
 * root begins at any time, not more than `most` before that. Roots after the reference in time have iterations before them. */
static bool roots_hold(const struct checker *k)
{
    const struct weir_certificate *c = k->c;
    const struct weir_root *roots = c->about.graph->roots;
    if (!roots || (k->first_stretch && !k->period && k->row < c->about.reference_row))
        return true;
    for (const struct weir_root *root = roots; root < roots + c->about.graph->root_count; root++) {
        struct line label = plus(line_of(k, c->label, k->row, root->actor), root->most);
        struct line origin = root->unknown ? (struct line){.alive = true} : origin_of(k, k->row);
        if (label.alive && !at_most(k, label, origin, c->about.threshold - 1))
            return false;
    }
    return true;
}

/* The best of the beginning of time is that of some node in this row or before, and no label exceeds it by the threshold. */
static bool origin_holds(const struct checker *k)
{
    const struct weir_certificate *c = k->c;
    bool base = k->first_stretch && !k->period;
    /* Nodes after the reference in time belong to iterations that exist whenever the reference's does. */
    struct line origin = origin_of(k, base && k->row < c->about.reference_row ? c->about.reference_row : k->row);
    for (int64_t o = 0; o < k->n && !c->about.graph->roots; o++) {
        struct line label = line_of(k, c->label, k->row, (uint32_t)o);
        if (label.alive && !at_most(k, label, origin, c->about.threshold - 1))
            return false;
    }
    if (!roots_hold(k))
        return false;
    struct line claim = origin_of(k, k->row);
    if (base && claim.at <= 0)
        return true;
    if (k->row > k->first && at_most(k, claim, origin_of(k, k->row - 1), 0))
        return true;
    for (int64_t o = 0; o < k->n && !c->about.graph->roots; o++) {
        struct line best = line_of(k, c->best, k->row, (uint32_t)o);
        if (best.alive && at_most(k, claim, best, 0))
            return true;
    }
    for (uint32_t r = 0; r < weir_graph_roots(c->about.graph); r++) {
        const struct weir_root *root = &c->about.graph->roots[r];
        struct line best = line_of(k, c->best, k->row, root->actor);
        if (!root->unknown && best.alive && at_most(k, claim, plus(best, root->least), 0))
            return true;
    }
    return false;
}

static bool row_holds(const struct checker *k)
{
    for (uint32_t o = 0; o < k->c->about.graph->actor_count; o++)
        if (!best_is_supported(k, o) || !label_covers(k, o))
            return false;
    return origin_holds(k);
}

/* x(row) continues backwards, unbroken, the lines of the last `period` rows. */
static bool continues(const struct checker *k, const int64_t *table, int64_t width, const struct weir_stretch *s, int64_t row)
{
    int64_t later = row, steps = 0;
    for (; later < s->end - s->period; steps++)
        later += s->period;
    for (int64_t o = 0; o < width; o++) {
        int64_t x = table[row * width + o], y = table[later * width + o], z = table[(later - s->period) * width + o];
        if (width == k->n && (alive(x) != alive(y) || alive(y) != alive(z)))
            return false;
        if ((width == 1 || alive(x)) && y - x != steps * (y - z))
            return false;
    }
    return true;
}

/* The rows that are repeated: the window before them continues their lines, and the lines hold in every repetition. */
static bool repetition_holds(const struct checker *base, const struct weir_stretch *s)
{
    const struct weir_certificate *c = base->c;
    struct checker k = *base;
    k.period = s->period;
    k.from = 1;
    k.to = s->repeat;
    int64_t begin = s->end - s->period;
    if (s->period < 1 || begin - k.c->window - s->period < s->first)
        return false;
    if (k.first_stretch && begin - c->window - s->period <
                               (c->about.reference_row > c->about.target_row ? c->about.reference_row : c->about.target_row))
        return false; /* the base cases must not be among the rows repeated or looked back to */
    /* As far back as a growth is read off: those of the rows that are looked back to begin a period before them. */
    for (int64_t row = begin - c->window - s->period; row < s->end; row++)
        if (!continues(&k, c->label, k.n, s, row) || !continues(&k, c->best, k.n, s, row) || !continues(&k, c->origin, 1, s, row))
            return false;
    for (k.row = begin; k.row < s->end; k.row++)
        if (!row_holds(&k))
            return false;
    return true;
}

/* The first rows of stretch `index` are what the one before came to after its repetitions, all less the same base: every check
 * of rows after the first stretch compares times with each other only. */
static bool copies_hold(const struct checker *k, size_t index)
{
    const struct weir_certificate *c = k->c;
    const struct weir_stretch *s = &c->stretches[index], *before = s - 1;
    if (s->base && c->about.graph->unknown_roots) /* what begins at any time is compared with no other time */
        return false;
    if (s->first != before->end || s->end - s->first < c->window || before->repeat < 1 || before->repeat == INT64_MAX ||
        before->end - before->first < c->window + before->period)
        return false;
    const int64_t *tables[] = {c->label, c->best};
    for (int64_t w = 0; w < c->window; w++) {
        int64_t row = s->first + w, old = before->end - c->window + w;
        for (int64_t o = 0; o < k->n; o++)
            for (int t = 0; t < 2; t++) {
                int64_t x = tables[t][row * k->n + o], y = tables[t][old * k->n + o],
                        z = tables[t][(old - before->period) * k->n + o];
                if (alive(x) != alive(y) || (alive(x) && x != y + (weir_wide)before->repeat * (y - z) - s->base))
                    return false;
            }
        weir_wide origin = c->origin[old] + (weir_wide)before->repeat * (c->origin[old] - c->origin[old - before->period]);
        if (c->origin[row] != origin - s->base)
            return false;
    }
    return true;
}

/* Beyond the last row: repetition for ever, or no label left that anything could continue. */
static bool ends_well(const struct checker *k)
{
    const struct weir_certificate *c = k->c;
    const struct weir_stretch *last = &c->stretches[c->stretch_count - 1];
    if (last->repeat == INT64_MAX)
        return true;
    if (last->repeat != 0 || last->end - last->first <= c->window)
        return false;
    for (int64_t i = (last->end - c->window) * k->n; i < last->end * k->n; i++)
        if (alive(c->label[i]))
            return false;
    return true;
}

bool weir_certificate_check(const struct weir_certificate *c)
{
    struct checker k = {.c = c, .n = c->about.graph->actor_count};
    if (c->stretch_count == 0 || c->window < (int64_t)c->about.graph->tokens_max || c->stretches[0].first != 0 ||
        c->stretches[0].base != 0)
        return false;
    /* Both events must lie in rows that are looked at one by one: nothing else says that the paths from them are there. */
    int64_t begin = c->stretches[0].end;
    if (c->about.target_row < 0 || c->about.target_row >= begin || c->about.reference_row < 0 || c->about.reference_row >= begin)
        return false;
    for (size_t i = 0; i < c->stretch_count; i++) {
        const struct weir_stretch *s = &c->stretches[i];
        k.first = s->first;
        k.first_stretch = i == 0;
        k.period = k.from = k.to = 0;
        if (i > 0 && !copies_hold(&k, i))
            return false;
        for (k.row = s->first + (i > 0 ? c->window : 0); k.row < s->end; k.row++)
            if (!row_holds(&k))
                return false;
        if (s->repeat != 0 && !repetition_holds(&k, s))
            return false;
    }
    return ends_well(&k);
}
