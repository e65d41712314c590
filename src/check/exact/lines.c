/* SPDX-License-Identifier: Apache-2.0 */
#include "check/exact/lines.h"

#include "base/alloc.h"
#include "base/number.h"
#include "check/exact/labels.h"

#include <stdlib.h>

/*
 * One actor after the other: its rows are cut where a line that matters to it begins, its own or that of a head. Between two cuts
 * everything is a line, and a comparison of two lines that holds in the first and in the last row holds between them; where the
 * last cut is behind, it has to hold in the first row, and the slopes have to keep it so.
 */
struct stretch_line {
    weir_wide at;
    int64_t slope;
    bool alive;
};

struct line_checker {
    const struct weir_line_certificate *c;
    bool *is_root;
    int64_t *cuts; /* of the actor under check */
    size_t cut_count, cut_capacity;
    uint32_t actor;
    int64_t from, last; /* rows; last INT64_MAX: for ever */
};

static bool alive(int64_t x)
{
    return x > WEIR_NOTHING_BELOW;
}

static const struct weir_label_piece *piece_of(const struct weir_line_table *t, uint32_t actor, int64_t row)
{
    uint32_t low = t->begin[actor], high = t->begin[actor + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->pieces[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low == t->begin[actor] ? NULL : &t->pieces[low - 1];
}

/* As far as the rows under check look at it, `back` rows earlier. */
static struct stretch_line line_of(const struct line_checker *k, const struct weir_line_table *t, uint32_t actor, int64_t back)
{
    const struct weir_label_piece *piece = k->from < back ? NULL : piece_of(t, actor, k->from - back);
    if (!piece || !alive(piece->line.value))
        return (struct stretch_line){0};
    weir_wide at = piece->line.value + (weir_wide)piece->line.slope * (k->from - back - piece->row);
    return (struct stretch_line){at, piece->line.slope, true};
}

static struct stretch_line plus(struct stretch_line line, int64_t constant)
{
    line.at += constant;
    return line;
}

/* a - b <= limit in all of the rows. */
static bool at_most(const struct line_checker *k, struct stretch_line a, struct stretch_line b, int64_t limit)
{
    weir_wide difference = a.at - b.at - limit, slope = (weir_wide)a.slope - b.slope;
    if (difference > 0)
        return false;
    return k->last == INT64_MAX ? slope <= 0 : difference + slope * (k->last - k->from) <= 0;
}

/* ---- cuts ---- */

static bool add_cut(struct line_checker *k, int64_t row)
{
    if (!weir_reserve(&k->cuts, &k->cut_capacity, k->cut_count + 1, sizeof *k->cuts))
        return false;
    k->cuts[k->cut_count++] = row;
    return true;
}

static bool add_cuts(struct line_checker *k, const struct weir_line_table *t, uint32_t actor, int64_t later)
{
    for (uint32_t i = t->begin[actor]; i < t->begin[actor + 1]; i++)
        if (!add_cut(k, t->pieces[i].row + later))
            return false;
    return true;
}

static int by_row(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool cut(struct line_checker *k)
{
    const struct weir_line_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    uint32_t o = k->actor;
    k->cut_count = 0;
    bool room = add_cut(k, 0) && add_cuts(k, &c->best, o, 0) && add_cuts(k, &c->label, o, 0) &&
                add_cuts(k, &c->best, g->actor_count, 0) && add_cut(k, c->about.reference_row) &&
                add_cut(k, c->about.reference_row + 1) && add_cut(k, c->about.target_row) && add_cut(k, c->about.target_row + 1);
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
        for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end && room; i++)
            room = add_cuts(k, &c->best, g->heads[i], g->out_runs[r].tokens) &&
                   add_cuts(k, &c->label, g->heads[i], g->out_runs[r].tokens);
    if (room)
        qsort(k->cuts, k->cut_count, sizeof *k->cuts, by_row);
    return room;
}

/* ---- claims ---- */

static bool is_base(const struct line_checker *k, uint32_t actor, int64_t row)
{
    return k->actor == actor && k->from == row; /* then the stretch is that row alone */
}

/* Some arc, or being the reference, supports it. */
static bool best_is_supported(const struct line_checker *k)
{
    const struct weir_line_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    uint32_t o = k->actor;
    struct stretch_line claim = line_of(k, &c->best, o, 0);
    if (!claim.alive ||
        (is_base(k, c->about.reference, c->about.reference_row) && claim.at <= (c->about.reference_finish ? c->about.lo[o] : 0)))
        return true;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t weight = run->offset + (run->finish ? c->about.lo[o] : 0);
        for (uint32_t i = run->first; i < run->end; i++) {
            struct stretch_line head = line_of(k, &c->best, g->heads[i], run->tokens);
            if (head.alive && at_most(k, claim, plus(head, weight), 0))
                return true;
        }
    }
    return false;
}

/* The last row, from `row` on, up to which a - b <= limit; row - 1: not even there. */
static int64_t stays_at_most(const struct line_checker *k, int64_t row, struct stretch_line a, struct stretch_line b, int64_t limit)
{
    weir_wide slope = (weir_wide)a.slope - b.slope, difference = a.at - b.at - limit + slope * (row - k->from);
    if (!b.alive || difference > 0)
        return row - 1;
    if (slope <= 0 || (k->last != INT64_MAX && -difference / slope >= k->last - row))
        return k->last;
    return k->last == INT64_MAX && -difference / slope >= INT64_MAX - row ? INT64_MAX - 1 : row + (int64_t)(-difference / slope);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The last row, from `row` on, up to which a path that leaves the actor over an arc of the kind is no longer than the label, or is
 * cut: its slack is below the threshold. */
static int64_t is_covered_until(const struct line_checker *k, int64_t row, struct stretch_line path, bool finish)
{
    const struct weir_line_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    uint32_t o = k->actor;
    int64_t until = stays_at_most(k, row, path, line_of(k, &c->label, o, 0), 0);
    until = later(until, stays_at_most(k, row, path, line_of(k, &c->best, o, 0), c->about.threshold - 1));
    if (!finish)
        return until;
    if (is_base(k, c->about.reference, c->about.reference_row) && c->about.reference_finish &&
        path.at - g->hi[o] < c->about.threshold)
        return k->last;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        for (uint32_t i = run->first; i < run->end && run->finish && until < k->last; i++) {
            struct stretch_line head = plus(line_of(k, &c->best, g->heads[i], run->tokens), run->offset + g->hi[o]);
            until = later(until, stays_at_most(k, row, path, head, c->about.threshold - 1));
        }
    }
    return until;
}

static bool path_is_covered(const struct line_checker *k, struct stretch_line path, bool finish)
{
    if (!path.alive)
        return true;
    for (int64_t row = k->from;;) {
        int64_t until = is_covered_until(k, row, path, finish);
        if (until < row)
            return false;
        if (until == k->last)
            return true;
        row = until + 1;
    }
}

/* At least as long as every path that is not cut. */
static bool label_covers(const struct line_checker *k)
{
    const struct weir_line_certificate *c = k->c;
    const struct weir_graph *g = c->about.graph;
    uint32_t o = k->actor;
    if (is_base(k, c->about.target, c->about.target_row) &&
        !path_is_covered(k, (struct stretch_line){c->about.target_finish ? g->hi[o] : 0, 0, true}, c->about.target_finish))
        return false;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t weight = run->offset + (run->finish ? g->hi[o] : 0);
        for (uint32_t i = run->first; i < run->end; i++)
            if (!path_is_covered(k, plus(line_of(k, &c->label, g->heads[i], run->tokens), weight), run->finish))
                return false;
    }
    return true;
}

/* No label exceeds the best of the beginning of time by the threshold. Nodes after the reference in time belong to iterations that
 * exist whenever the reference's does. */
static bool label_stays_below(const struct line_checker *k)
{
    const struct weir_line_certificate *c = k->c;
    struct stretch_line label = line_of(k, &c->label, k->actor, 0), origin;
    struct line_checker at_reference = *k;
    bool before = k->from < c->about.reference_row;
    at_reference.from = before ? c->about.reference_row : k->from;
    origin = line_of(&at_reference, &c->best, c->about.graph->actor_count, 0);
    origin.slope = before ? 0 : origin.slope;
    if (!origin.alive)
        origin = (struct stretch_line){0, 0, true};
    return !label.alive || at_most(k, label, origin, c->about.threshold - 1);
}

static bool actor_holds(struct line_checker *k)
{
    for (size_t i = 0; i < k->cut_count; i++) {
        bool end = i + 1 == k->cut_count;
        if (!end && k->cuts[i] == k->cuts[i + 1])
            continue;
        k->from = k->cuts[i];
        k->last = end ? INT64_MAX : k->cuts[i + 1] - 1;
        if (!best_is_supported(k) || !label_covers(k) || !label_stays_below(k))
            return false;
    }
    return true;
}

/* ---- the beginning of time ---- */

/* In the rows from `from` on: how far some root's line is at least as large as the claim. 0: in none. */
static int64_t supported_until(struct line_checker *k, struct stretch_line claim, int64_t last)
{
    const struct weir_line_table *best = &k->c->best;
    int64_t until = claim.at <= 0 && claim.slope <= 0 ? last : k->from - 1;
    for (uint32_t o = 0; o < k->c->about.graph->actor_count && until < last; o++) {
        const struct weir_label_piece *piece = k->is_root[o] ? piece_of(best, o, k->from) : NULL;
        if (!piece || !alive(piece->line.value))
            continue;
        bool ends = piece + 1 < best->pieces + best->begin[o + 1];
        k->last = ends && piece[1].row - 1 < last ? piece[1].row - 1 : last;
        if (k->last > until && at_most(k, claim, line_of(k, best, o, 0), 0))
            until = k->last;
    }
    return until;
}

static bool origin_holds(struct line_checker *k)
{
    const struct weir_line_table *best = &k->c->best;
    uint32_t n = k->c->about.graph->actor_count;
    for (uint32_t i = best->begin[n]; i < best->begin[n + 1]; i++) {
        const struct weir_label_piece *piece = &best->pieces[i];
        int64_t last = i + 1 < best->begin[n + 1] ? piece[1].row - 1 : INT64_MAX;
        for (k->from = piece->row;;) {
            int64_t until = supported_until(k, line_of(k, best, n, 0), last);
            if (until < k->from)
                return false;
            if (until == last)
                break;
            k->from = until + 1;
        }
    }
    return true;
}

/* ---- the whole ---- */

/* In order, and of times that sums and products of are exact. */
static bool is_in_order(const struct weir_line_table *t, uint32_t actors)
{
    for (uint32_t o = 0; o < actors; o++)
        for (uint32_t i = t->begin[o]; i < t->begin[o + 1]; i++) {
            const struct weir_label_piece *piece = &t->pieces[i];
            if (piece->row < 0 || piece->row >= WEIR_TIME_MAX || (i > t->begin[o] && piece->row <= piece[-1].row))
                return false;
            bool small =
                piece->line.value < WEIR_TIME_MAX && piece->line.slope < WEIR_TIME_MAX && piece->line.slope > -WEIR_TIME_MAX;
            if (alive(piece->line.value) && (!small || piece->line.value <= -WEIR_TIME_MAX))
                return false;
        }
    return true;
}

enum weir_check_verdict weir_line_certificate_check(const struct weir_line_certificate *c)
{
    const struct weir_graph *g = c->about.graph;
    uint32_t n = g->actor_count;
    struct line_checker k = {.c = c, .is_root = weir_array(n, sizeof *k.is_root)};
    if (!k.is_root)
        return WEIR_CHECK_NO_MEMORY;
    for (uint32_t o = 0; o < n; o++) {
        k.is_root[o] = true;
        for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++)
            k.is_root[o] &= g->in_runs[r].tokens > 0;
    }
    enum weir_check_verdict verdict = c->about.target_row >= 0 && c->about.reference_row >= 0 && is_in_order(&c->best, n + 1) &&
                                              is_in_order(&c->label, n) && origin_holds(&k)
                                          ? WEIR_CHECK_HOLDS
                                          : WEIR_CHECK_FAILS;
    for (k.actor = 0; k.actor < n && verdict == WEIR_CHECK_HOLDS; k.actor++)
        verdict = !cut(&k) ? WEIR_CHECK_NO_MEMORY : actor_holds(&k) ? WEIR_CHECK_HOLDS : WEIR_CHECK_FAILS;
    weir_free(k.cuts);
    weir_free(k.is_root);
    return verdict;
}
