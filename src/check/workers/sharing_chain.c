/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are iterations, counted back from that of the finish: later rows have smaller numbers, and are looked at later. */
#include "check/workers/sharing_chain.h"

#include "base/alloc.h"
#include "base/number.h"

#define NONE (-1)
#define TABLE_MAX ((uint64_t)1 << 24)

struct table {
    int64_t *values;
    int64_t kept; /* rows at a time */
    uint32_t width;
};

static int64_t *at(const struct table *t, uint32_t actor, int64_t row)
{
    return &t->values[(size_t)(row % t->kept) * t->width + actor];
}

/* *fits: so many rows can be looked at. False: out of memory. */
static bool make_table(const struct weir_graph *g, int64_t rows, uint64_t work, struct table *t, bool *fits)
{
    uint64_t arcs = g->arc_count + g->actor_count + 1;
    t->kept = (rows < g->tokens_max ? rows : (int64_t)g->tokens_max) + 1;
    t->width = g->actor_count;
    *fits = rows >= 0 && t->kept > 0 && (uint64_t)rows <= work / arcs && (uint64_t)t->kept <= TABLE_MAX / (t->width + 1);
    t->values = *fits ? weir_array((size_t)t->kept * t->width, sizeof *t->values) : NULL;
    return !*fits || t->values;
}

bool weir_chain_is_past(const struct weir_span_of_chain *s, uint32_t actor, int64_t row)
{
    return s->started[actor] != WEIR_FAR && row - s->shift >= s->started[actor];
}

/* What passes after the start of `from` until the arc from that actor's row is satisfied. */
static int64_t arc_from(const struct weir_span_of_chain *s, const struct weir_chain_weights *w, const struct weir_arc_run *run,
                        const struct table *t, uint32_t tail, int64_t row)
{
    int64_t own = run->finish ? s->graph->hi[tail] * w->actors[tail] : 0, offset = run->offset * w->full;
    if (!weir_chain_is_past(s, tail, row))
        return *at(t, tail, row) + own + offset;
    bool over = s->finished[tail] != WEIR_FAR && row - s->shift >= s->finished[tail];
    return offset + (over ? 0 : own);
}

/* The latest start of an actor's iteration that is no ancestor, counted from the start of `from`; it may have been before. */
static int64_t start_of(const struct weir_span_of_chain *s, const struct weir_chain_weights *w, const struct table *t,
                        uint32_t actor, int64_t row)
{
    const struct weir_graph *g = s->graph;
    int64_t latest = 0;
    for (uint32_t r = g->in_first[actor]; r < g->in_first[actor + 1]; r++)
        for (uint32_t i = g->in_runs[r].first; i < g->in_runs[r].end; i++) {
            int64_t then = arc_from(s, w, &g->in_runs[r], t, g->tails[i], row + g->in_runs[r].tokens);
            latest = then > latest ? then : latest;
        }
    return latest + (g->actors[actor].part == WEIR_PART_EXECUTION ? w->polling * w->full : 0);
}

/* All times stay below WEIR_TIME_MAX as long as sums do. */
static bool can_count(const struct weir_graph *g, const struct weir_chain_weights *w)
{
    int64_t step;
    return weir_add(g->row_max, w->polling, &step) && weir_multiply(step, w->full, &step) && step < WEIR_TIME_MAX / 4;
}

bool weir_chain_longest(const struct weir_span_of_chain *s, const struct weir_chain_weights *w, int64_t *longest)
{
    const struct weir_graph *g = s->graph;
    struct table t;
    int64_t rows = 0;
    bool fits = can_count(g, w);
    *longest = NONE;
    if (weir_chain_is_past(s, s->to, 0)) {
        bool over = s->finished[s->to] != WEIR_FAR && -s->shift >= s->finished[s->to];
        *longest = over ? 0 : g->hi[s->to] * w->actors[s->to];
        return true;
    }
    for (uint32_t o = 0; o < g->actor_count && fits; o++) {
        if (s->leads[o] == WEIR_FAR)
            continue;
        fits = s->started[o] != WEIR_FAR; /* else any number of its iterations may be left to do */
        rows = fits && s->started[o] + s->shift > rows ? s->started[o] + s->shift : rows;
    }
    if (!fits)
        return true;
    if (!make_table(g, rows, w->work, &t, &fits))
        return false;
    for (int64_t row = rows - 1; row >= 0 && fits; row--)
        for (uint32_t o = 0; o < g->actor_count && fits; o++) {
            if (s->leads[o] == WEIR_FAR || weir_chain_is_past(s, o, row))
                continue;
            *at(&t, o, row) = start_of(s, w, &t, o, row);
            fits = *at(&t, o, row) < WEIR_TIME_MAX / 4;
        }
    if (fits)
        *longest = *at(&t, s->to, 0) + g->hi[s->to] * w->actors[s->to];
    weir_free(t.values);
    return true;
}

/* ---- best cases ---- */

static int64_t earliest(const struct weir_span_of_chain *s, const struct table *t, uint32_t actor, int64_t row, bool offsets)
{
    const struct weir_graph *g = s->graph;
    int64_t latest = NONE;
    for (uint32_t r = g->in_first[actor]; r < g->in_first[actor + 1]; r++) {
        const struct weir_arc_run *run = &g->in_runs[r];
        for (uint32_t i = run->first; i < run->end && row + run->tokens <= s->shift; i++) {
            int64_t before = *at(t, g->tails[i], row + run->tokens);
            int64_t then = before + (offsets ? run->offset : 0) + (run->finish ? g->lo[g->tails[i]] : 0);
            latest = before != NONE && then > latest ? then : latest;
        }
    }
    return latest < WEIR_TIME_MAX / 4 ? latest : WEIR_TIME_MAX / 4;
}

bool weir_chain_least(const struct weir_span_of_chain *s, bool offsets, uint64_t work, int64_t *least)
{
    const struct weir_graph *g = s->graph;
    struct table t;
    bool fits = s->shift >= 0;
    *least = NONE;
    if (!fits)
        return true;
    if (!make_table(g, s->shift + 1, work, &t, &fits))
        return false;
    for (int64_t row = s->shift; row >= 0 && fits; row--)
        for (uint32_t o = 0; o < g->actor_count; o++)
            *at(&t, o, row) = row == s->shift && o == s->from ? 0 : earliest(s, &t, o, row, offsets);
    if (fits && *at(&t, s->to, 0) != NONE)
        *least = *at(&t, s->to, 0) + g->lo[s->to];
    weir_free(t.values);
    return true;
}
