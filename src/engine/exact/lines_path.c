/* SPDX-License-Identifier: Apache-2.0 */
/* Following labels that are lines: which arc carries a label, and what the path that was found reaches. */
#include "engine/exact/lines_inside.h"

#include <assert.h>

static const struct weir_label_piece *piece_at(const struct weir_track *t, uint32_t actor, int64_t row)
{
    uint32_t low = t->begin[actor], high = t->begin[actor + 1];
    assert(low == high || t->sorted);
    while (low < high) { /* the first after the row */
        uint32_t middle = low + (high - low) / 2;
        if (t->sorted[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low > t->begin[actor] ? &t->sorted[low - 1] : NULL;
}

static int64_t label_at(const struct weir_lines *l, uint32_t actor, int64_t row)
{
    const struct weir_label_piece *piece = row < 0 ? NULL : piece_at(&l->label, actor, row);
    return piece ? weir_line_at(piece, row).value : WEIR_DEAD;
}

/* What a path that leaves the node over an arc of the kind has to spare there; INT64_MAX where there is no ancestor. */
static int64_t slack_at(const struct weir_lines *l, uint32_t actor, int64_t row, bool finish)
{
    const struct weir_label_piece *best = piece_at(&l->best, actor, row);
    if (!best || !WEIR_ALIVE(best->line.value))
        return INT64_MAX;
    int64_t d = weir_line_at(best, row).value, hot = weir_hot_at(best, row).value + l->problem.graph->hi[actor];
    return label_at(l, actor, row) - (finish && hot > d ? hot : d);
}

static struct weir_trace_path arc_from(const struct weir_lines *l, uint32_t o, int64_t row)
{
    const struct weir_problem *p = &l->problem;
    const struct weir_graph *g = p->graph;
    int64_t label = label_at(l, o, row);
    if (o == p->target && row == p->target_row && label == (p->target_finish ? g->hi[o] : 0) &&
        slack_at(l, o, row, p->target_finish) >= l->threshold)
        return (struct weir_trace_path){.found = true, .end = true, .finish = p->target_finish};
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1] && g->out_runs[r].tokens <= row; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t own = run->offset + (run->finish ? g->hi[o] : 0);
        if (slack_at(l, o, row, run->finish) < l->threshold)
            continue;
        for (uint32_t i = run->first; i < run->end; i++) {
            int64_t head = label_at(l, g->heads[i], row - run->tokens);
            if (WEIR_ALIVE(head) && head + own == label)
                return weir_trace_path_over(run, g->heads[i]);
        }
    }
    return (struct weir_trace_path){0};
}

/* How often the path leaves the actor over the arc to its own row before: as long as its label and its best are lines and it is not
 * cut, which between two rows of the same lines it is not if it is not in either. */
static int64_t times_of(const struct weir_lines *l, uint32_t o, int64_t row, const struct weir_trace_path *arc)
{
    if (arc->end || arc->head != o || arc->tokens != 1)
        return 1;
    const struct weir_label_piece *label = piece_at(&l->label, o, row), *best = piece_at(&l->best, o, row);
    int64_t from = label->row;
    if (best && best->row > from)
        from = best->row;
    int64_t weight = label_at(l, o, row) - label_at(l, o, row - 1);
    if (row - from < 2 || label->line.slope != weight || slack_at(l, o, from + 1, arc->finish) < l->threshold)
        return 1;
    return row - from;
}

void weir_lines_begin(const struct weir_lines *l, struct weir_lines_step *step)
{
    *step = (struct weir_lines_step){.actor = l->found_actor, .row = l->found_row};
    step->arc = arc_from(l, step->actor, step->row);
    step->times = step->arc.found ? times_of(l, step->actor, step->row, &step->arc) : 1;
}

bool weir_lines_next(const struct weir_lines *l, struct weir_lines_step *step)
{
    step->row -= step->times * step->arc.tokens;
    step->actor = step->arc.head;
    step->arc = arc_from(l, step->actor, step->row);
    step->times = step->arc.found ? times_of(l, step->actor, step->row, &step->arc) : 1;
    return step->arc.found;
}

/* ---- what the path reaches ---- */

/* Steps of the path from one of an actor on, until it comes back there over the same arc. */
enum { CIRCLE_MAX = 256 };
struct circle {
    struct weir_lines_step steps[CIRCLE_MAX];
    uint32_t count;
};

static bool is_closed_by(const struct circle *c, const struct weir_lines_step *step)
{
    const struct weir_lines_step *first = &c->steps[0];
    return c->count && first->actor == step->actor && first->arc.head == step->arc.head && first->arc.tokens == step->arc.tokens &&
           first->arc.finish == step->arc.finish && first->arc.end == step->arc.end && step->row < first->row;
}

/* How often the path can go round, each time by that many rows, within the lines its labels have now. */
static int64_t rounds_of(const struct weir_lines *l, const struct circle *c, int64_t rows)
{
    int64_t rounds = INT64_MAX;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct weir_lines_step *s = &c->steps[i];
        const struct weir_label_piece *label = piece_at(&l->label, s->actor, s->row), *best = piece_at(&l->best, s->actor, s->row);
        int64_t from = best && best->row > label->row ? best->row : label->row, fit = (s->row - from) / rows;
        rounds = s->times > 1 ? 0 : fit < rounds ? fit : rounds;
    }
    return rounds;
}

/* Goes round as often as possible at once; the least slack on the way, or INT64_MAX where that is no more than walking. An arc that
 * carries the label in the first and in the last round does so in each between them, since both its ends are lines; a slack, which
 * is a line less the larger of two, is least in one of these. */
static int64_t go_round(const struct weir_lines *l, const struct circle *c, struct weir_lines_step *step)
{
    int64_t rows = c->steps[0].row - step->row, rounds = rounds_of(l, c, rows), least = INT64_MAX;
    if (rounds < 2)
        return INT64_MAX;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct weir_lines_step *s = &c->steps[i];
        int64_t row = s->row - (rounds - 1) * rows, slack = slack_at(l, s->actor, row, s->arc.finish);
        int64_t weight = label_at(l, s->actor, s->row) - label_at(l, s->arc.head, s->row - s->arc.tokens);
        if (slack < l->threshold || label_at(l, s->actor, row) - label_at(l, s->arc.head, row - s->arc.tokens) != weight)
            return INT64_MAX;
        least = slack < least ? slack : least;
    }
    step->row = c->steps[0].row - rounds * rows;
    step->arc = arc_from(l, step->actor, step->row);
    step->times = step->arc.found ? times_of(l, step->actor, step->row, &step->arc) : 1;
    return least;
}

/* The least slack on the path. */
int64_t weir_lines_reached(const struct weir_lines *l)
{
    int64_t row = l->found_row < l->problem.reference_row ? l->problem.reference_row : l->found_row;
    const struct weir_label_piece *origin = piece_at(&l->best, l->n, row);
    int64_t least = label_at(l, l->found_actor, l->found_row) - weir_line_at(origin, row).value;
    struct weir_lines_step step;
    struct circle circle = {.count = 0};
    weir_lines_begin(l, &step);
    for (bool found = step.arc.found; found; found = weir_lines_next(l, &step)) {
        if (is_closed_by(&circle, &step)) {
            int64_t slack = go_round(l, &circle, &step);
            least = slack < least ? slack : least;
            circle.count = 0;
            if (!step.arc.found)
                break;
        }
        for (int end = 0; end < 2; end++) {
            int64_t slack = slack_at(l, step.actor, step.row - (end ? step.times - 1 : 0), step.arc.finish);
            least = slack < least ? slack : least;
        }
        if (step.arc.end)
            return least;
        circle.count = circle.count == CIRCLE_MAX ? 0 : circle.count;
        circle.steps[circle.count++] = step;
    }
    return l->threshold;
}
