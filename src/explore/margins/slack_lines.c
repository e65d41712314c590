/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/margins/slack_lines.h"

#include "base/alloc.h"
#include "base/number.h"
#include "engine/exact/search.h"

void weir_slack_lines_free(struct weir_slack_lines *lines)
{
    weir_free(lines->items);
    *lines = (struct weir_slack_lines){0};
}

static bool add(struct weir_slack_lines *lines, struct weir_slack_line line)
{
    void *items = lines->items;
    bool room = weir_reserve(&items, &lines->capacity, lines->count + 1, sizeof *lines->items);
    lines->items = items;
    if (room)
        lines->items[lines->count++] = line;
    return room;
}

/* What leaving an actor over an arc adds to the slopes of everything before. */
struct gain {
    int64_t slope, periods;
};

static struct gain gain_of(const struct weir_slack_lines_step *step, uint32_t actor, bool finish, enum weir_wait wait)
{
    return (struct gain){.slope = finish && step->rise ? step->rise[actor] : 0,
                         .periods = wait == WEIR_WAIT_PERIOD && actor == step->clock};
}

/* ---- best times of 0: one sum ---- */

static enum weir_status onepass_lines(struct weir_solver *s, const struct weir_problem *p, const struct weir_slack_lines_step *step,
                                      struct weir_slack_lines *lines)
{
    struct weir_separation result;
    struct weir_onepass_start start;
    enum weir_status status = weir_onepass_solve(s, p, true, &result, &start);
    if (status || result.outcome != WEIR_EXACT)
        return status;
    struct weir_slack_line line = {
        .value = result.value, .length = result.value, .depth = start.row - p->reference_row, .kind = WEIR_LINE_SUM};
    uint32_t o = start.actor;
    int64_t row = start.row, label = result.value;
    bool free = row >= s->region.cells[o].hot_row; /* its own time holds the reference back just as long */
    for (;;) {
        struct weir_trace_path arc = weir_onepass_trace_path(s, p, o, row, label);
        if (!arc.found)
            return WEIR_OK;
        line.slope += free ? 0 : gain_of(step, o, arc.finish, WEIR_WAIT_NONE).slope;
        free = false;
        if (arc.end)
            break;
        o = arc.head;
        row -= arc.tokens;
        label = s->region.rows[row * p->graph->actor_count + o];
    }
    return add(lines, line) ? WEIR_OK : WEIR_MEMORY;
}

/* ---- in general: the nodes of the path that a search finds ---- */

static bool add_node(const struct weir_search *s, const struct weir_problem *p, uint32_t o, int64_t row,
                     const struct weir_trace_path *arc, struct weir_slack_lines *lines)
{
    int64_t at = row * (int64_t)s->n + o, length = s->C[at];
    struct weir_slack_line line = {.length = length, .depth = row - p->reference_row, .at = at, .actor = o, .kind = WEIR_LINE_BEST};
    if (!WEIR_ALIVE(s->D[at]))
        return true;
    line.value = length - s->D[at];
    if (!add(lines, line))
        return false;
    if (!arc->finish || !WEIR_ALIVE(s->F[at]))
        return true;
    line.kind = WEIR_LINE_HOT;
    line.value = length - s->F[at] - p->graph->hi[o];
    return add(lines, line);
}

/* Goes along the path and lists its slacks; slopes hold what each node alone adds until the path is at its end. */
static enum weir_status walk(const struct weir_search *s, const struct weir_problem *p, const struct weir_slack_lines_step *step,
                             struct weir_slack_lines *lines)
{
    uint32_t o = s->found_actor;
    int64_t row = s->found_row, begin = row < p->reference_row ? p->reference_row : row;
    struct gain total = {0};
    const struct weir_root *root = weir_root_of(p->graph, o); /* what it waits for at the beginning of time is on the path, too */
    int64_t length = s->C[row * (int64_t)s->n + o] + (root ? root->most : 0);
    if (!add(lines, (struct weir_slack_line){.value = length - (root ? weir_root_against(root, s->O[begin]) : s->O[begin]),
                                             .length = length,
                                             .depth = begin - p->reference_row,
                                             .at = begin,
                                             .actor = WEIR_NO_ACTOR,
                                             .kind = root && root->unknown ? WEIR_LINE_SUM : WEIR_LINE_ORIGIN}))
        return WEIR_MEMORY;
    for (;;) {
        struct weir_trace_path arc = weir_search_trace_path(s, o, row, NULL, true);
        if (!arc.found) {
            lines->count = 0;
            return WEIR_OK;
        }
        size_t before = lines->count;
        if (!add_node(s, p, o, row, &arc, lines))
            return WEIR_MEMORY;
        for (size_t i = before; i < lines->count; i++) {
            lines->items[i].slope = total.slope; /* of all before it; turned round below */
            lines->items[i].periods = total.periods;
        }
        struct gain gain = gain_of(step, o, arc.finish, arc.wait);
        if (!weir_add(total.slope, gain.slope, &total.slope))
            return WEIR_OVERFLOW;
        total.periods += gain.periods;
        if (arc.end)
            break;
        o = arc.head;
        row -= arc.tokens;
    }
    for (size_t i = 0; i < lines->count; i++) {
        struct weir_slack_line *line = &lines->items[i];
        line->slope = total.slope - line->slope;
        line->periods = total.periods - line->periods;
        if (line->kind == WEIR_LINE_HOT && step->rise)
            line->slope -= step->rise[line->actor];
    }
    return WEIR_OK;
}

enum weir_status weir_slack_lines_find(struct weir_solver *s, const struct weir_problem *p, int64_t value,
                                       const struct weir_slack_lines_step *step, struct weir_slack_lines *lines)
{
    lines->count = 0;
    if (p->one_pass)
        return onepass_lines(s, p, step, lines);
    s->search->relaxations = 0; /* the limit is for each search */
    enum weir_search_verdict verdict = weir_search_decide(s->search, value);
    if (verdict == WEIR_OUT_OF_MEMORY)
        return WEIR_MEMORY;
    return verdict == WEIR_REACHABLE && s->search->epoch_count == 1 ? walk(s->search, p, step, lines) : WEIR_OK;
}
