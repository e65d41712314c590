/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The region of the one-pass case, translated into steps that are all alike: the longest of two (or four) paths that begin with
 * finish arcs, plus the actor's own time, or of as many that begin with start arcs, is stored in the step's cell. Where there are
 * fewer arcs, slots lead to a cell that is never alive; where there are more, steps of no time before the actor's own gather them.
 * So a row is one loop without a branch, whatever the degrees are.
 *
 * Steps are in the order of the row that makes their actors ancestors, the last such row first, and of their numbers. An arc
 * without tokens leads to an actor that becomes an ancestor no sooner, and has a larger number: it comes before. So what is left of
 * a row is always the beginning of the steps.
 *
 * A slot is the distance from the current row to the cell it reads: rows lie one after the other. If no arc has more than one
 * token, and those with one lead to cells that are stored later, a row takes the place of the one before it. If none between two
 * actors has fewer than so many, a step is done for so many rows at once.
 *
 * No time is part of it: asked again with other times, a question is answered by the steps that are there.
 */
#include "base/alloc.h"
#include "engine/exact/sweep.h"

#include <string.h>

enum {
    INSERTION_MAX = 64,
    DIGIT = 8,
    AHEAD = 32,
    AT_ONCE = 4,
    NARROW = 2,
    WIDE = 4,

    FLAT_NODES = 1 << 14,
    LOOK_EVERY = 1 << 14,
    DEAD_BYTE = 0xc0
};

static size_t length_of(const struct weir_steps *m)
{
    return 2 * (size_t)m->width + 1;
}

void weir_steps_free(struct weir_steps *m)
{
    weir_free(m->code);
    weir_free(m->blocks);
    weir_free(m->place);
    weir_free(m->active);
    weir_free(m->cell_of);
}

static bool reserve(struct weir_steps *m, const struct weir_graph *g)
{
    size_t n = g->actor_count;
    return weir_reserve(&m->blocks, &m->block_room, n, sizeof *m->blocks) &&
           weir_reserve(&m->place, &m->place_room, n, sizeof *m->place) &&
           weir_reserve(&m->active, &m->active_room, n, sizeof *m->active);
}

/* ---- the order ---- */

static void insert_each(uint32_t *order, uint32_t n, const int64_t *row)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t o = n - 1 - i, at = i;
        for (; at > 0 && row[order[at - 1]] < row[o]; at--)
            order[at] = order[at - 1];
        order[at] = o;
    }
}

/* By digits of how much sooner than the last an actor is an ancestor, the lowest first. Returns which of the two has the order. */
static const uint32_t *sort_digits(uint32_t *order, uint32_t *other, uint32_t n, const int64_t *row)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        last = row[i] > last ? row[i] : last;
        order[i] = n - 1 - i;
    }
    for (unsigned shift = 0; shift < 63 && last >> shift > 0; shift += DIGIT) {
        uint32_t first[(1 << DIGIT) + 1] = {0};
        for (uint32_t i = 0; i < n; i++)
            first[((last - row[i]) >> shift & ((1 << DIGIT) - 1)) + 1]++;
        for (int d = 0; d < 1 << DIGIT; d++)
            first[d + 1] += first[d];
        for (uint32_t i = 0; i < n; i++)
            other[first[(last - row[order[i]]) >> shift & ((1 << DIGIT) - 1)]++] = order[i];
        uint32_t *sorted = other;
        other = order;
        order = sorted;
    }
    return order;
}

/* ---- the steps ---- */

/* Steps of no time that so many arcs of a kind take before the actor's own: each but the first has what the one before it found in
 * one of its slots. */
static uint32_t steps_before(uint32_t arcs, uint32_t width)
{
    return arcs <= width ? 0 : (arcs - width + 2 * width - 2) / (2 * width - 1);
}

static uint32_t arcs_of_kind(const struct weir_problem *p, uint32_t o, bool finish)
{
    const struct weir_graph *g = p->graph;
    uint32_t arcs = o == p->target && p->target_finish == finish;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
        arcs += g->out_runs[r].finish == finish ? g->out_runs[r].end - g->out_runs[r].first : 0;
    return arcs;
}

static void order_blocks(struct weir_steps *m, uint32_t n, const int64_t *ancestor_row)
{
    const uint32_t *order = m->active;
    if (n <= INSERTION_MAX)
        insert_each(m->active, n, ancestor_row);
    else
        order = sort_digits(m->active, m->place, n, ancestor_row);
    for (uint32_t i = 0; i < n; i++)
        m->blocks[i] = (struct weir_sweep_block){.actor = order[i], .ancestor_row = ancestor_row[order[i]]};
}

/* From which row on a path to the reference begins with a finish arc, and in which rows one of the arcs leads to a node that is no
 * ancestor. Counts the arcs that are looked at: up to the last row, those whose heads are not before the first. */
static void outline_block(struct weir_steps *m, const struct weir_problem *p, const int64_t *ancestor_row,
                          struct weir_sweep_block *block)
{
    const struct weir_graph *g = p->graph;
    const struct weir_arc_run *first = g->out_runs + g->out_first[block->actor],
                              *stop = g->out_runs + g->out_first[block->actor + 1];
    block->hot_row = block->actor == p->reference && p->reference_finish ? p->reference_row : INT64_MAX;
    block->last_row = block->actor == p->target ? p->target_row : -1;
    for (const struct weir_arc_run *run = first; run < stop; run++) {
        int64_t nearest = INT64_MAX, furthest = 0;
        for (const uint32_t *head = g->heads + run->first, *none = g->heads + run->end; head < none; head++) {
            int64_t row = ancestor_row[*head];
            nearest = row < nearest ? row : nearest;
            furthest = row > furthest ? row : furthest;
        }
        if (run->finish && nearest + run->tokens < block->hot_row)
            block->hot_row = nearest + run->tokens;
        if (furthest + run->tokens - 1 > block->last_row)
            block->last_row = furthest + run->tokens - 1;
    }
    for (const struct weir_arc_run *run = first; run < stop && run->tokens <= block->last_row; run++)
        m->relaxations += (uint64_t)(block->last_row - run->tokens + 1) * (run->end - run->first);
    m->last_row = block->last_row > m->last_row ? block->last_row : m->last_row;
}

/* Gives every actor its place, at the width that takes less. */
static void place_actors(struct weir_steps *m, const struct weir_problem *p)
{
    uint32_t n = p->graph->actor_count, narrow = n, wide = n, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct weir_sweep_block *block = &m->blocks[i];
        block->first = arcs_of_kind(p, block->actor, false);
        block->last = arcs_of_kind(p, block->actor, true);
        narrow += steps_before(block->first, NARROW) + steps_before(block->last, NARROW);
        wide += steps_before(block->first, WIDE) + steps_before(block->last, WIDE);
    }
    m->width = narrow - wide <= wide / 4 ? NARROW : WIDE;
    for (uint32_t i = 0; i < n; i++) {
        struct weir_sweep_block *block = &m->blocks[i];
        uint32_t before = steps_before(block->first, m->width) + steps_before(block->last, m->width);
        block->first = count;
        block->last = count + before;
        m->place[block->actor] = block->last;
        count = block->last + 1;
    }
    m->count = count;
}

/* Where the slots of an actor's arcs of one kind go. */
struct filling {
    struct weir_steps *steps;
    const struct weir_sweep_block *block;
    bool finish;
    uint32_t step, before; /* the current one; those before the actor's own that are not full yet */
    int32_t *next, *end;   /* slots */
    uint32_t fewest;       /* tokens, above 0, of an arc of any actor, without one to itself */
    bool in_place;         /* arcs with tokens lead to what is stored later */
};

static void begin_step(struct filling *f, uint32_t step)
{
    const struct weir_steps *m = f->steps;
    f->step = step;
    f->next = m->code + step * length_of(m) + 1 + (f->finish && !f->before ? m->width : 0);
    f->end = f->next + (f->before ? 2 * m->width : m->width);
}

/* The next step gets what the current one finds. */
static void go_on(struct filling *f)
{
    int32_t found = (int32_t)f->step;
    f->before--;
    begin_step(f, f->before ? f->step + 1 : f->block->last);
    *f->next++ = found;
}

static inline void put(struct filling *f, int32_t slot)
{
    if (f->next == f->end)
        go_on(f);
    *f->next++ = slot;
}

static void fill_kind(struct filling *f, const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    const struct weir_steps *m = f->steps;
    uint32_t o = f->block->actor;
    int32_t own = INT32_MAX; /* an arc of the actor to itself is left for the end */
    if (o == p->target && p->target_finish == f->finish)
        put(f, (int32_t)m->count + 1);
    for (const struct weir_arc_run *run = g->out_runs + g->out_first[o], *stop = g->out_runs + g->out_first[o + 1]; run < stop;
         run++)
        for (uint32_t i = run->first; run->finish == f->finish && i < run->end; i++) {
            uint32_t head = g->heads[i];
            int32_t slot = (int32_t)m->place[head] - (int32_t)run->tokens * m->stride;
            f->in_place &= run->tokens == 0 || m->place[head] >= f->block->last;
            if (head == o && own == INT32_MAX) {
                own = slot;
                continue;
            }
            f->fewest = run->tokens > 0 && run->tokens < f->fewest ? run->tokens : f->fewest;
            put(f, slot);
        }
    while (f->before > 0)
        go_on(f);
    if (own != INT32_MAX)
        put(f, own);
}

static void fill_block(struct filling *f, const struct weir_problem *p, const struct weir_sweep_block *block)
{
    const struct weir_steps *m = f->steps;
    uint32_t next = block->first;
    int32_t *code = m->code + block->first * length_of(m), *own = m->code + block->last * length_of(m);
    for (int32_t *end = own + length_of(m); code < end; code++)
        *code = (int32_t)m->count;
    for (code = m->code + block->first * length_of(m); code <= own; code += length_of(m))
        *code = (int32_t)(code < own ? p->graph->actor_count : block->actor);
    f->block = block;
    for (int finish = 0; finish < 2; finish++) {
        f->finish = finish;
        f->before = block->first < block->last ? steps_before(arcs_of_kind(p, block->actor, finish), m->width) : 0;
        begin_step(f, f->before ? next : block->last);
        next += f->before;
        fill_kind(f, p);
    }
}

/* False: the rows cannot take each other's places. */
static bool fill(struct weir_steps *m, const struct weir_problem *p)
{
    struct filling f = {.steps = m, .fewest = UINT32_MAX, .in_place = p->graph->tokens_max <= 1};
    for (uint32_t i = 0; i < p->graph->actor_count; i++)
        fill_block(&f, p, &m->blocks[i]);
    m->at_once = f.fewest >= AT_ONCE ? AT_ONCE : 1;
    return f.in_place;
}

static bool make_rows(struct weir_steps *m, const struct weir_problem *p)
{
    const struct weir_graph *g = p->graph;
    place_actors(m, p);
    if (!weir_reserve(&m->code, &m->code_room, m->count * length_of(m), sizeof *m->code))
        return false;
    m->fits = (uint64_t)g->tokens_max < (uint64_t)INT32_MAX / ((uint64_t)m->count + 2);
    m->stride = 0;
    if (g->tokens_max <= 1 && fill(m, p)) {
        m->at_once = 1;
    } else if (m->fits) {
        m->stride = (int32_t)m->count + 2;
        fill(m, p);
    }
    return true;
}

/* Cells that a run needs. */
static size_t cells_of(const struct weir_steps *m, const struct weir_graph *g)
{
    if (m->flat || m->stride == 0)
        return (size_t)m->count + 2;
    int64_t rows = m->last_row - m->target_row + 1, most = (int64_t)g->tokens_max + AHEAD;
    rows = rows < most ? rows : most;
    rows += m->at_once - 1;
    rows -= rows % m->at_once;
    return (size_t)((int64_t)g->tokens_max + rows) * (size_t)m->stride;
}

bool weir_steps_make(struct weir_steps *m, const struct weir_problem *p, const int64_t *ancestor_row)
{
    uint32_t n = p->graph->actor_count;
    m->made = false;
    if (!reserve(m, p->graph))
        return false;
    order_blocks(m, n, ancestor_row);
    m->last_row = 0;
    m->relaxations = 0;
    for (uint32_t i = 0; i < n; i++)
        outline_block(m, p, ancestor_row, &m->blocks[i]);
    m->target = p->target, m->target_finish = p->target_finish, m->target_row = p->target_row;
    m->reference = p->reference, m->reference_finish = p->reference_finish, m->reference_row = p->reference_row;
    if (m->relaxations >= p->work_limit)
        return true; /* none are made */
    m->flat = false;
    m->made = make_rows(m, p);
    m->cells = m->made ? cells_of(m, p->graph) : 0;
    return m->made;
}

bool weir_steps_again(struct weir_steps *m, const struct weir_problem *p)
{
    int64_t rows = m->last_row - m->target_row + 1;
    if (m->flat || m->relaxations > m->flat_arcs || (weir_wide)rows * p->graph->actor_count > FLAT_NODES)
        return true;
    m->flat = true;
    m->made = weir_steps_flatten(m, p);
    m->cells = m->made ? cells_of(m, p->graph) : 0;
    return m->made;
}

/* ---- the sweep ---- */

/* What a sweep goes over; width and rows are constants in each of the loops that are made of the functions below. */
struct sweep {
    const struct weir_steps *steps;
    const int64_t *hi;
    uint32_t width, rows;
    int64_t stride;
};

__attribute__((always_inline)) static inline int64_t longest(const int64_t *now, const int32_t *slots, uint32_t width)
{
    int64_t a = now[slots[0]], b = now[slots[1]];
    a = a > b ? a : b;
    if (width == WIDE) {
        int64_t c = now[slots[2]], d = now[slots[3]];
        c = c > d ? c : d;
        a = a > c ? a : c;
    }
    return a;
}

/* Steps [first, end) in the rows from `now` on. */
__attribute__((always_inline)) static inline void run(struct sweep s, uint32_t first, uint32_t end, int64_t *now)
{
    const int32_t *code = s.steps->code + first * (2 * (size_t)s.width + 1);
    for (uint32_t i = first; i < end; i++, code += 2 * s.width + 1) {
        int64_t own = s.hi[code[0]], *row = now;
        for (uint32_t k = 0; k < s.rows; k++, row += s.stride) {
            int64_t finish = longest(row, code + 1 + s.width, s.width) + own, start = longest(row, code + 1, s.width);
            row[i] = finish > start ? finish : start;
        }
    }
}

/* An actor that is an ancestor in all the rows, and hot in all or none: the longest path that begins there. */
__attribute__((always_inline)) static inline int64_t visit(struct sweep s, const struct weir_sweep_block *block, int64_t row,
                                                           int64_t *now)
{
    const int32_t *code = s.steps->code + block->last * (2 * (size_t)s.width + 1);
    int64_t best = WEIR_DEAD, own = row >= block->hot_row ? 0 : s.hi[block->actor];
    if (block->first < block->last)
        run(s, block->first, block->last, now);
    for (uint32_t k = 0; k < s.rows; k++, now += s.stride) {
        int64_t finish = longest(now, code + 1 + s.width, s.width) + own, start = longest(now, code + 1, s.width);
        now[block->last] = WEIR_DEAD;
        best = finish > best ? finish : best;
        best = start > best ? start : best;
    }
    return best;
}

/* One that becomes an ancestor, or hot, in one of them. */
__attribute__((always_inline)) static inline int64_t visit_any(struct sweep s, const struct weir_sweep_block *block, int64_t row,
                                                               int64_t *now)
{
    int64_t end = row + s.rows, best = WEIR_DEAD;
    if (row >= block->ancestor_row && (row >= block->hot_row || end <= block->hot_row))
        return visit(s, block, row, now);
    for (s.rows = 1; row < end; row++, now += s.stride) {
        int64_t value = WEIR_DEAD;
        if (row >= block->ancestor_row)
            value = visit(s, block, row, now);
        else
            run(s, block->first, block->last + 1, now);
        best = value > best ? value : best;
    }
    return best;
}

/* The ancestors from `left` on have become so by now. Returns how many are active after these rows. */
__attribute__((always_inline)) static inline uint32_t visit_ancestors(struct sweep s, uint32_t left, uint32_t before,
                                                                      uint32_t active, int64_t row, int64_t *now, int64_t *best)
{
    const struct weir_steps *m = s.steps;
    uint32_t kept = 0;
    for (uint32_t i = left; i < before; i++) {
        int64_t value = visit_any(s, &m->blocks[i], row, now);
        *best = value > *best ? value : *best;
    }
    for (uint32_t i = 0; i < active; i++) {
        const struct weir_sweep_block *block = &m->blocks[m->active[i]];
        int64_t value = visit_any(s, block, row, now);
        *best = value > *best ? value : *best;
        m->active[kept] = m->active[i];
        kept += block->last_row >= row + s.rows;
    }
    for (uint32_t i = left; i < before; i++) {
        m->active[kept] = i;
        kept += m->blocks[i].last_row >= row + s.rows;
    }
    return kept;
}

/* Cells that are not alive: all bytes are the same, since that is the quickest way to set them. */
static void kill_cells(int64_t *cells, const int64_t *end)
{
    memset(cells, DEAD_BYTE, (size_t)(end - cells) * sizeof *cells);
}

__attribute__((always_inline)) static inline int64_t sweep(struct sweep s, const struct weir_graph *g, int64_t *cells)
{
    const struct weir_steps *m = s.steps;
    int64_t best = WEIR_DEAD, past = (int64_t)g->tokens_max * s.stride, *now = cells + past;
    const int64_t *end = cells + m->cells;
    uint32_t left = g->actor_count, active = 0;
    uint64_t looked = 0;
    kill_cells(cells, end);
    now[m->count + 1] = 0;
    for (int64_t row = m->target_row; row <= m->last_row; row += s.rows) {
        uint32_t before = left;
        while (left > 0 && m->blocks[left - 1].ancestor_row < row + s.rows)
            left--;
        uint32_t count = left > 0 ? m->blocks[left - 1].last + 1 : 0;
        run(s, 0, count, now);
        active = visit_ancestors(s, left, before, active, row, now, &best);
        now[m->count + 1] = WEIR_DEAD;
        now += s.rows * s.stride;
        if (now == end && row + s.rows <= m->last_row) {
            memmove(cells, now - past, (size_t)past * sizeof *cells);
            now = cells + past;
            kill_cells(now, end);
        }
        looked += count;
        if (looked >= LOOK_EVERY) {
            looked = 0;
            if (weir_interrupted())
                break;
        }
    }
    return WEIR_ALIVE(best) ? best : WEIR_DEAD;
}

int64_t weir_steps_run(const struct weir_steps *m, const struct weir_graph *g, int64_t *cells)
{
    struct sweep s = {.steps = m, .hi = g->hi, .stride = m->stride};
    if (m->flat)
        return weir_steps_run_flat(m, g->hi, cells);
    if (m->width == NARROW) {
        s.width = NARROW;
        s.rows = 1;
        if (m->at_once == 1)
            return sweep(s, g, cells);
        s.rows = AT_ONCE;
        return sweep(s, g, cells);
    }
    s.width = WIDE;
    s.rows = 1;
    if (m->at_once == 1)
        return sweep(s, g, cells);
    s.rows = AT_ONCE;
    return sweep(s, g, cells);
}
