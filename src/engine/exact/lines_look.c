/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of an actor's lines in a row in which one of them may end. */
#include "engine/exact/lines_inside.h"

static int64_t value_before(const struct weir_track *t, uint32_t actor, int64_t row)
{
    uint32_t last = t->last[actor];
    return last == WEIR_NO_PIECE ? WEIR_DEAD : weir_line_at(&t->pieces[last], row - 1).value;
}

/* The larger of the two, the steeper if they are equal; until the other overtakes it. */
static struct weir_label_line larger(struct weir_label_line a, struct weir_label_line b, struct weir_look *look)
{
    bool first = a.value > b.value || (a.value == b.value && a.slope >= b.slope);
    struct weir_label_line high = first ? a : b, low = first ? b : a;
    weir_look_until(look, weir_line_overtakes(low, high, look->row));
    return high;
}

static struct weir_label_line alive_or_dead(struct weir_label_line line)
{
    return WEIR_ALIVE(line.value) ? line : (struct weir_label_line){WEIR_DEAD, 0};
}

/* An actor's own line: the larger of those that pass, or, where it grew by the same twice, by that much; then its bundles go on
 * with it. */
static struct weir_label_line settle(const struct weir_track *t, struct weir_look *look, struct weir_bundle by_kind[2],
                                     const bool passes[2])
{
    struct weir_label_line own = {WEIR_DEAD, 0};
    for (int kind = 0; kind < 2; kind++) {
        struct weir_label_line line = by_kind[kind].line;
        if (passes[kind] && (line.value > own.value || (line.value == own.value && line.slope > own.slope)))
            own = line;
    }
    int64_t slope = own.slope;
    weir_lines_trust(t, look, &own);
    if (own.slope != slope)
        weir_look_until(look, look->row + 1);
    for (int kind = 0; kind < 2; kind++) {
        weir_bundle_settle(&by_kind[kind], own, look);
        if (passes[kind])
            weir_look_until(look, weir_line_overtakes(by_kind[kind].line, own, look->row));
    }
    return own;
}

/* ---- the beginning of time ---- */

static bool look_origin(struct weir_lines *l, int64_t row)
{
    struct weir_track *t = &l->best;
    struct weir_look look = {.actor = l->n, .row = row, .before = value_before(t, l->n, row), .until = INT64_MAX};
    struct weir_label_line line = {look.before > 0 ? look.before : 0, 0};
    for (uint32_t i = 0; i < l->root_count; i++) {
        uint32_t last = t->last[l->roots[i]];
        if (last != WEIR_NO_PIECE)
            line = larger(line, weir_line_at(&t->pieces[last], row), &look);
    }
    /* those that were passed by may overtake the one that is left */
    for (uint32_t i = 0; i < l->root_count; i++) {
        uint32_t last = t->last[l->roots[i]];
        if (last != WEIR_NO_PIECE)
            weir_look_until(&look, weir_line_overtakes(weir_line_at(&t->pieces[last], row), line, row));
    }
    l->relaxations += l->root_count;
    return weir_lines_keep(l, t, &look, &(struct weir_label_piece){.line = line, .hot = {WEIR_DEAD, 0}});
}

/* ---- best times ---- */

bool weir_lines_look_best(struct weir_lines *l, uint32_t o, int64_t row)
{
    const struct weir_problem *p = &l->problem;
    struct weir_track *t = &l->best;
    if (o == l->n)
        return look_origin(l, row);
    struct weir_look look = {.actor = o, .row = row, .time = p->lo[o], .before = value_before(t, o, row), .until = INT64_MAX};
    look.base = o == p->reference && row == p->reference_row;
    look.base_finish = p->reference_finish;
    if (look.base)
        look.until = row + 1;
    struct weir_bundle by_kind[2];
    l->candidate_count = 0;
    for (int kind = 0; kind < 2; kind++)
        weir_lines_bundle(l, t, &look, kind, &by_kind[kind]);
    struct weir_label_line own = settle(t, &look, by_kind, (const bool[]){true, true});
    struct weir_label_line hot = by_kind[1].line;
    hot.value -= look.time;
    struct weir_label_piece piece = {.line = alive_or_dead(own), .hot = alive_or_dead(hot)};
    return weir_lines_keep(l, t, &look, &piece);
}

/* ---- labels ---- */

static void note(struct weir_lines *l, int64_t slack)
{
    l->best_cut = slack > l->best_cut ? slack : l->best_cut;
}

/* A slack below the threshold, from here until the actor is looked at again. */
static void note_line(struct weir_lines *l, const struct weir_look *look, int which, struct weir_label_line slack)
{
    note(l, slack.value);
    if (slack.slope > 0)
        l->rising[(size_t)WEIR_RISING * look->actor + (size_t)which] = (struct weir_rising){look->row, slack.value, slack.slope};
}

/* What rose until the row before was largest there. */
static void end_rising(struct weir_lines *l, uint32_t o, int64_t row)
{
    for (int i = 0; i < WEIR_RISING; i++) {
        struct weir_rising *r = &l->rising[(size_t)WEIR_RISING * o + (size_t)i];
        if (r->slope > 0)
            note(l, r->value + r->slope * (row - 1 - r->row));
        r->slope = 0;
    }
}

void weir_lines_close(struct weir_lines *l)
{
    for (size_t i = 0; i < (size_t)WEIR_RISING * l->n; i++)
        l->cut_unbounded |= l->rising[i].slope > 0;
}

static struct weir_label_line difference(struct weir_label_line a, struct weir_label_line b)
{
    return (struct weir_label_line){a.value - b.value, a.slope - b.slope};
}

/* Until the slack is on the other side of the threshold. */
static void until_crossing(const struct weir_lines *l, struct weir_look *look, struct weir_label_line slack)
{
    int64_t R = l->threshold;
    if (slack.value < R && slack.slope > 0 && R != WEIR_NO_THRESHOLD)
        weir_look_until(look, look->row + (R - slack.value + slack.slope - 1) / slack.slope);
    else if (slack.value >= R && slack.slope < 0)
        weir_look_until(look, look->row + (slack.value - R) / -slack.slope + 1);
}

/* What a path over an arc of each kind is held against at an ancestor; dead where there is none. */
static void held_against(struct weir_lines *l, struct weir_look *look, struct weir_label_line against[2])
{
    uint32_t o = look->actor, *cursor = &l->own_best[o];
    const struct weir_label_piece *piece = weir_track_advance(&l->best, o, cursor, look->row);
    uint32_t next = piece ? l->best.next[*cursor] : l->best.first[o];
    against[0] = against[1] = (struct weir_label_line){WEIR_DEAD, 0};
    if (next != WEIR_NO_PIECE)
        weir_look_until(look, l->best.pieces[next].row);
    if (!piece)
        return;
    struct weir_label_line D = weir_line_at(piece, look->row), hot = weir_hot_at(piece, look->row);
    hot.value += WEIR_ALIVE(hot.value) ? l->problem.graph->hi[o] : 0;
    against[0] = D;
    against[1] = WEIR_ALIVE(D.value) ? larger(D, hot, look) : D;
}

/* At a root: whether the threshold is reached from the beginning of time. */
static void hold_against_origin(struct weir_lines *l, struct weir_look *look, struct weir_label_line own)
{
    int64_t row = look->row < l->problem.reference_row ? l->problem.reference_row : look->row;
    uint32_t *cursor = &l->own_best[l->n], at = *cursor;
    const struct weir_label_piece *piece = weir_track_advance(&l->best, l->n, &at, row);
    if (row == look->row)
        *cursor = at;
    else
        weir_look_until(look, row);
    if (!piece || !WEIR_ALIVE(own.value))
        return;
    if (l->best.next[at] != WEIR_NO_PIECE)
        weir_look_until(look, l->best.pieces[l->best.next[at]].row);
    struct weir_label_line origin = weir_line_at(piece, row);
    origin.slope = row == look->row ? origin.slope : 0;
    struct weir_label_line slack = difference(own, origin);
    if (slack.value >= l->threshold) {
        l->found_actor = look->actor;
        l->found_row = look->row;
        return;
    }
    until_crossing(l, look, slack);
    note_line(l, look, 2, slack);
}

bool weir_lines_look_label(struct weir_lines *l, uint32_t o, int64_t row)
{
    const struct weir_problem *p = &l->problem;
    struct weir_track *t = &l->label;
    struct weir_look look = {
        .actor = o, .row = row, .time = p->graph->hi[o], .before = value_before(t, o, row), .until = INT64_MAX};
    look.base = o == p->target && row == p->target_row;
    look.base_finish = p->target_finish;
    if (look.base)
        look.until = row + 1;
    end_rising(l, o, row);
    struct weir_bundle by_kind[2];
    struct weir_label_line against[2];
    bool passes[2];
    held_against(l, &look, against);
    l->candidate_count = 0;
    for (int kind = 0; kind < 2; kind++) {
        weir_lines_bundle(l, t, &look, kind, &by_kind[kind]);
        bool ancestor = WEIR_ALIVE(against[kind].value), alive = WEIR_ALIVE(by_kind[kind].line.value);
        passes[kind] = alive && (!ancestor || by_kind[kind].line.value - against[kind].value >= l->threshold);
    }
    struct weir_label_line own = settle(t, &look, by_kind, passes);
    for (int kind = 0; kind < 2; kind++) {
        if (!WEIR_ALIVE(against[kind].value) || !WEIR_ALIVE(by_kind[kind].line.value))
            continue;
        struct weir_label_line slack = difference(by_kind[kind].line, against[kind]);
        until_crossing(l, &look, slack);
        if (slack.value < l->threshold)
            note_line(l, &look, kind, slack);
    }
    own = alive_or_dead(own);
    if (l->is_root[o])
        hold_against_origin(l, &look, own);
    return weir_lines_keep(l, t, &look, &(struct weir_label_piece){.line = own, .hot = {WEIR_DEAD, 0}});
}
