/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exact/lines.h"

#include "base/alloc.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "engine/exact/lines_inside.h"

#include <string.h>

static bool earlier(const void *context, const struct weir_line_event *a, const struct weir_line_event *b)
{
    (void)context;
    return a->row < b->row || (a->row == b->row && a->position < b->position);
}

WEIR_HEAP(events, struct weir_line_event, const void *, earlier, WEIR_HEAP_STAYS);

/* ---- memory ---- */

static bool track_make(struct weir_track *t, const struct weir_graph *g)
{
    size_t n = (size_t)g->actor_count + 1;
    t->first = weir_array(n, sizeof *t->first);
    t->last = weir_array(n, sizeof *t->last);
    t->cursor = weir_array(g->arc_count, sizeof *t->cursor);
    t->looked = weir_array(n, sizeof *t->looked);
    t->step = weir_array(n, sizeof *t->step);
    t->begin = weir_array(n + 1, sizeof *t->begin);
    return t->first && t->last && t->cursor && t->looked && t->step && t->begin;
}

static void track_free(struct weir_track *t)
{
    weir_free(t->pieces);
    weir_free(t->next);
    weir_free(t->first);
    weir_free(t->last);
    weir_free(t->cursor);
    weir_free(t->looked);
    weir_free(t->step);
    weir_free(t->sorted);
    weir_free(t->begin);
}

static void track_clear(struct weir_track *t, const struct weir_graph *g)
{
    size_t n = (size_t)g->actor_count + 1;
    t->count = 0;
    memset(t->first, 0xff, n * sizeof *t->first); /* WEIR_NO_PIECE */
    memset(t->last, 0xff, n * sizeof *t->last);
    memset(t->cursor, 0xff, g->arc_count * sizeof *t->cursor);
    memset(t->looked, 0xff, n * sizeof *t->looked); /* -1 */
    memset(t->step, 0, n * sizeof *t->step);
}

/* No arc without tokens leads to a root, so that every node is behind one of its own row. */
static void find_roots(struct weir_lines *l, const struct weir_graph *g)
{
    for (uint32_t o = 0; o < g->actor_count; o++) {
        l->is_root[o] = g->in_first[o] == g->in_first[o + 1] || g->in_runs[g->in_first[o]].tokens > 0;
        for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++)
            l->is_root[o] &= g->in_runs[r].tokens > 0;
        if (l->is_root[o])
            l->roots[l->root_count++] = o;
    }
}

struct weir_lines *weir_lines_new(const struct weir_graph *g)
{
    struct weir_lines *l = weir_array_zeroed(1, sizeof *l);
    if (!l)
        return NULL;
    size_t widest = 0, n = l->n = g->actor_count;
    for (uint32_t o = 0; o < n; o++) {
        size_t arcs = 0;
        for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
            arcs += g->out_runs[r].end - g->out_runs[r].first;
        widest = arcs > widest ? arcs : widest;
    }
    l->roots = weir_array(n, sizeof *l->roots);
    l->is_root = weir_array(n, sizeof *l->is_root);
    l->own_best = weir_array(n + 1, sizeof *l->own_best);
    l->rising = weir_array(WEIR_RISING * n, sizeof *l->rising);
    l->candidates = weir_array(widest + 2, sizeof *l->candidates); /* two for the ends of paths */
    if (!l->roots || !l->is_root || !l->own_best || !l->rising || !l->candidates || !track_make(&l->best, g) ||
        !track_make(&l->label, g)) {
        weir_lines_free(l);
        return NULL;
    }
    find_roots(l, g);
    return l;
}

void weir_lines_free(struct weir_lines *l)
{
    if (!l)
        return;
    track_free(&l->best);
    track_free(&l->label);
    weir_free(l->roots);
    weir_free(l->is_root);
    weir_free(l->own_best);
    weir_free(l->rising);
    weir_free(l->candidates);
    weir_free(l->heap);
    weir_free(l);
}

void weir_lines_pose(struct weir_lines *l, const struct weir_problem *problem)
{
    l->problem = *problem;
    l->complete = false;
    l->relaxations = 0;
}

bool weir_track_sort(struct weir_track *t, uint32_t actors)
{
    if (!weir_reserve(&t->sorted, &t->sorted_capacity, t->count, sizeof *t->sorted))
        return false;
    uint32_t at = 0;
    for (uint32_t o = 0; o < actors; o++) {
        t->begin[o] = at;
        for (uint32_t i = t->first[o]; i != WEIR_NO_PIECE; i = t->next[i])
            t->sorted[at++] = t->pieces[i];
    }
    t->begin[actors] = at;
    return true;
}

/* ---- lines ---- */

struct weir_label_line weir_line_at(const struct weir_label_piece *piece, int64_t row)
{
    return WEIR_ALIVE(piece->line.value)
               ? (struct weir_label_line){piece->line.value + piece->line.slope * (row - piece->row), piece->line.slope}
               : (struct weir_label_line){WEIR_DEAD, 0};
}

int64_t weir_line_overtakes(struct weir_label_line low, struct weir_label_line high, int64_t row)
{
    if (!WEIR_ALIVE(low.value) || !WEIR_ALIVE(high.value) || low.slope <= high.slope)
        return INT64_MAX;
    return row + (high.value - low.value) / (low.slope - high.slope) + 1;
}

const struct weir_label_piece *weir_track_advance(const struct weir_track *t, uint32_t actor, uint32_t *cursor, int64_t row)
{
    if (*cursor == WEIR_NO_PIECE)
        *cursor = t->first[actor];
    if (*cursor == WEIR_NO_PIECE || t->pieces[*cursor].row > row) {
        *cursor = WEIR_NO_PIECE;
        return NULL;
    }
    for (uint32_t next; (next = t->next[*cursor]) != WEIR_NO_PIECE && t->pieces[next].row <= row;)
        *cursor = next;
    return &t->pieces[*cursor];
}

static void take(struct weir_lines *l, struct weir_label_line line)
{
    l->candidates[l->candidate_count++] = line;
}

/* The lines of the heads that arcs of the kind lead to, each with what the arc adds. */
static void collect(struct weir_lines *l, struct weir_track *t, const struct weir_look *look, bool finish, struct weir_bundle *b)
{
    const struct weir_graph *g = l->problem.graph;
    int64_t own = finish ? look->time : 0;
    for (uint32_t r = g->out_first[look->actor]; r < g->out_first[look->actor + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        if (run->tokens > look->row && run->tokens > 1)
            break;
        for (uint32_t i = run->first; i < run->end && run->finish == finish; i++) {
            uint32_t head = g->heads[i];
            if (head == look->actor && run->tokens == 1) {
                b->weight = b->has_self && b->weight > run->offset + own ? b->weight : run->offset + own;
                b->has_self = true;
                continue;
            }
            const struct weir_label_piece *piece =
                run->tokens > look->row ? NULL : weir_track_advance(t, head, &t->cursor[i], look->row - run->tokens);
            if (!piece || !WEIR_ALIVE(piece->line.value))
                continue;
            struct weir_label_line line = weir_line_at(piece, look->row - run->tokens);
            line.value += run->offset + own;
            take(l, line);
        }
        l->relaxations += run->end - run->first;
    }
}

/* Their maximum: the steepest of the largest. */
void weir_lines_bundle(struct weir_lines *l, struct weir_track *t, const struct weir_look *look, bool finish, struct weir_bundle *b)
{
    size_t first = l->candidate_count;
    *b = (struct weir_bundle){.candidates = l->candidates + first, .line = {WEIR_DEAD, 0}};
    collect(l, t, look, finish, b);
    if (look->base && look->base_finish == finish)
        take(l, (struct weir_label_line){finish ? look->time : 0, 0});
    b->count = l->candidate_count - first;
    for (size_t i = 0; i < b->count; i++) {
        struct weir_label_line c = b->candidates[i];
        if (c.value > b->line.value || (c.value == b->line.value && c.slope > b->line.slope)) {
            b->line = c;
            b->carried = true;
        }
    }
    if (b->has_self && WEIR_ALIVE(look->before)) {
        int64_t value = look->before + b->weight;
        if (value > b->line.value || (value == b->line.value && b->weight > b->line.slope)) {
            b->line = (struct weir_label_line){value, b->weight};
            b->carried = false;
        }
    }
}

/* Where the actor's own past carries the line of the bundle, or may overtake it from the next row on. */
static void follow_self(struct weir_bundle *b, struct weir_label_line own, struct weir_look *look)
{
    bool alive = WEIR_ALIVE(own.value);
    if (!b->has_self || (!alive && (b->carried || !WEIR_ALIVE(b->line.value))))
        return;
    int64_t next = alive ? own.value + b->weight : WEIR_DEAD;
    struct weir_label_line after = {b->line.value + b->line.slope, b->line.slope};
    if (!b->carried && alive && next == b->line.value + own.slope)
        b->line.slope = own.slope;
    else if (!b->carried || next > after.value)
        weir_look_until(look, look->row + 1);
    else
        weir_look_until(look, weir_line_overtakes((struct weir_label_line){next, own.slope}, after, look->row + 1));
}

void weir_bundle_settle(struct weir_bundle *b, struct weir_label_line own, struct weir_look *look)
{
    follow_self(b, own, look);
    for (size_t i = 0; i < b->count; i++)
        weir_look_until(look, weir_line_overtakes(b->candidates[i], b->line, look->row));
}

void weir_lines_trust(const struct weir_track *t, const struct weir_look *look, struct weir_label_line *line)
{
    int64_t step = line->value - look->before;
    bool again = t->looked[look->actor] == look->row - 1 && t->step[look->actor] == step;
    if (WEIR_ALIVE(line->value) && WEIR_ALIVE(look->before) && again)
        line->slope = step;
}

/* ---- events ---- */

bool weir_lines_push(struct weir_lines *l, int64_t row, uint32_t actor)
{
    if (row == INT64_MAX)
        return true;
    if (!weir_reserve(&l->heap, &l->heap_capacity, l->heap_count + 1, sizeof *l->heap))
        return false;
    events_push(NULL, l->heap, &l->heap_count, (struct weir_line_event){row, actor == l->n ? l->n : l->n - 1 - actor});
    return true;
}

/* Puts a piece behind those of its actor, and wakes up whoever looks at it. */
static bool append(struct weir_lines *l, struct weir_track *t, uint32_t actor, const struct weir_label_piece *piece)
{
    const struct weir_graph *g = l->problem.graph;
    if ((t->count + 1) * sizeof *piece > l->problem.memory_limit / 2 || t->count + 1 >= WEIR_NO_PIECE) {
        l->full = true;
        return true;
    }
    if (!weir_reserve(&t->pieces, &t->capacity, t->count + 1, sizeof *t->pieces) ||
        !weir_reserve(&t->next, &t->next_capacity, t->count + 1, sizeof *t->next))
        return false;
    uint32_t at = (uint32_t)t->count++;
    t->pieces[at] = *piece;
    t->next[at] = WEIR_NO_PIECE;
    if (t->first[actor] == WEIR_NO_PIECE)
        t->first[actor] = at;
    else
        t->next[t->last[actor]] = at;
    t->last[actor] = at;
    if (actor == l->n)
        return true;
    bool pushed = true;
    for (uint32_t r = g->in_first[actor]; r < g->in_first[actor + 1] && pushed; r++)
        for (uint32_t i = g->in_runs[r].first; i < g->in_runs[r].end && pushed; i++)
            if (g->tails[i] != actor || g->in_runs[r].tokens != 1)
                pushed = weir_lines_push(l, piece->row + g->in_runs[r].tokens, g->tails[i]);
    return pushed && (t != &l->best || !l->is_root[actor] || weir_lines_push(l, piece->row, l->n));
}

bool weir_lines_keep(struct weir_lines *l, struct weir_track *t, const struct weir_look *look, struct weir_label_piece *piece)
{
    uint32_t actor = look->actor, last = t->last[actor];
    piece->row = look->row;
    t->step[actor] = WEIR_ALIVE(look->before) ? piece->line.value - look->before : 0;
    t->looked[actor] = look->row;
    bool same = last == WEIR_NO_PIECE && !WEIR_ALIVE(piece->line.value) && !WEIR_ALIVE(piece->hot.value);
    if (last != WEIR_NO_PIECE) {
        const struct weir_label_piece *old = &t->pieces[last];
        struct weir_label_line line = weir_line_at(old, look->row), hot = weir_hot_at(old, look->row);
        same = line.value == piece->line.value && line.slope == piece->line.slope && hot.value == piece->hot.value &&
               hot.slope == piece->hot.slope;
    }
    return (same || append(l, t, actor, piece)) && weir_lines_push(l, look->until, actor);
}

/* ---- running ---- */

enum { ROWS_MIN = 64, SHARE = 8, LOOKS_MIN = 1000, LOOKS_MAX = 4000, LOOKS_EACH = 256 };

/* Whether rows are the better way: many actors are looked at in each row, or some again and again without an end. */
static bool is_dense(const struct weir_lines *l, int64_t row)
{
    uint64_t n = l->n, rows = (uint64_t)row + ROWS_MIN;
    return (l->looks > LOOKS_MIN && rows < UINT64_MAX / n && l->looks > rows * n / SHARE) || l->looks > LOOKS_MAX + LOOKS_EACH * n;
}

/* Looks at one actor after the other; WEIR_REACHABLE: the last one reached the threshold. WEIR_UNREACHABLE: no event is left. */
static enum weir_search_verdict run(struct weir_lines *l, struct weir_track *t,
                                    bool (*look)(struct weir_lines *, uint32_t, int64_t))
{
    int64_t rows_max = WEIR_TIME_MAX / 2 / (l->problem.graph->row_max + 1);
    l->looks = 0;
    l->full = l->out_of_range = l->given_up = false;
    while (l->heap_count) {
        struct weir_line_event event = events_pop(NULL, l->heap, &l->heap_count);
        uint32_t actor = event.position == l->n ? l->n : l->n - 1 - event.position;
        if (t->looked[actor] == event.row)
            continue;
        l->looks++;
        l->out_of_range = event.row > rows_max;
        l->given_up = is_dense(l, event.row);
        if (l->out_of_range || l->given_up || l->full || l->relaxations > l->problem.work_limit || weir_interrupted())
            return WEIR_UNDECIDED;
        if (!look(l, actor, event.row))
            return WEIR_OUT_OF_MEMORY;
        if (l->found_row >= 0)
            return WEIR_REACHABLE;
    }
    return l->full ? WEIR_UNDECIDED : WEIR_UNREACHABLE;
}

static enum weir_search_verdict find_best(struct weir_lines *l)
{
    const struct weir_problem *p = &l->problem;
    track_clear(&l->best, p->graph);
    l->heap_count = 0;
    if (!weir_lines_push(l, p->reference_row, p->reference) || !weir_lines_push(l, p->reference_row, l->n))
        return WEIR_OUT_OF_MEMORY;
    enum weir_search_verdict verdict = run(l, &l->best, weir_lines_look_best);
    l->complete = verdict == WEIR_UNREACHABLE && weir_track_sort(&l->best, l->n + 1);
    return verdict == WEIR_UNREACHABLE && !l->complete ? WEIR_OUT_OF_MEMORY : verdict;
}

enum weir_search_verdict weir_lines_decide(struct weir_lines *l, int64_t threshold)
{
    const struct weir_problem *p = &l->problem;
    l->threshold = threshold;
    l->best_cut = WEIR_DEAD;
    l->cut_unbounded = false;
    l->found_row = -1;
    if (!l->complete) {
        enum weir_search_verdict verdict = find_best(l);
        if (verdict != WEIR_UNREACHABLE)
            return verdict;
    }
    track_clear(&l->label, p->graph);
    memset(l->own_best, 0xff, ((size_t)l->n + 1) * sizeof *l->own_best);
    for (size_t i = 0; i < (size_t)WEIR_RISING * l->n; i++)
        l->rising[i] = (struct weir_rising){0};
    l->heap_count = 0;
    if (!weir_lines_push(l, p->target_row, p->target))
        return WEIR_OUT_OF_MEMORY;
    enum weir_search_verdict verdict = run(l, &l->label, weir_lines_look_label);
    if (verdict == WEIR_UNREACHABLE)
        weir_lines_close(l);
    return (verdict == WEIR_UNREACHABLE || verdict == WEIR_REACHABLE) && !weir_track_sort(&l->label, l->n) ? WEIR_OUT_OF_MEMORY
                                                                                                           : verdict;
}
