/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of large sparse graphs. An actor there has a handful of arcs in runs of one to three, and a loop over each run is guessed
 * wrongly by the processor as often as not. So the arcs of all actors that are no ancestors yet lie in one stream, and a row is one
 * loop over it without a branch: the longest path so far is kept, or begun anew at an actor's first arc, and stored each time.
 * Actors that have become ancestors leave the stream; they are looked at one by one, as in sweep_rows.c, for the few rows that it
 * takes.
 */
#include "base/alloc.h"
#include "engine/exact/sweep_visit.h"

bool weir_stream_make(struct weir_region *region, const struct weir_graph *g)
{
    struct weir_stream *stream = &region->stream;
    if (g->arc_count > (uint64_t)g->actor_count * WEIR_STREAM_DEGREE)
        return true;
    stream->all = weir_array(g->arc_count, sizeof *stream->all);
    stream->arcs = weir_array(g->arc_count, sizeof *stream->arcs);
    stream->dead = weir_array((size_t)g->actor_count + 1, sizeof *stream->dead);
    stream->live = weir_array(g->token_count_count, sizeof *stream->live);
    stream->by_row = weir_array(g->actor_count, sizeof *stream->by_row);
    stream->first = weir_array((size_t)g->actor_count + 1, sizeof *stream->first);
    if (!stream->all || !stream->arcs || !stream->first || !stream->dead || !stream->live || !stream->by_row)
        return false;
    for (uint32_t o = 0; o <= g->actor_count; o++)
        stream->dead[o] = WEIR_DEAD;
    struct weir_stream_arc *arc = stream->all;
    for (uint32_t o = g->actor_count; o-- > 0;)
        for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++)
            for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end; i++)
                *arc++ = (struct weir_stream_arc){.head = g->heads[i],
                                                  .tail = o,
                                                  .fifo = g->out_runs[r].fifo,
                                                  .finish = g->out_runs[r].finish,
                                                  .more = r > g->out_first[o] || i > g->out_runs[r].first};
    return true;
}

void weir_stream_free(struct weir_stream *stream)
{
    weir_free(stream->all);
    weir_free(stream->arcs);
    weir_free(stream->dead);
    weir_free(stream->live);
    weir_free(stream->by_row);
    weir_free(stream->first);
    weir_free(stream->row_first);
}

/* Keeps the arcs of `from` whose tails are no ancestors in row `row`; returns how many. */
static uint64_t filter(struct weir_onepass *s, const struct weir_stream_arc *from, uint64_t count, int64_t row)
{
    struct weir_stream *stream = &s->region->stream;
    const struct weir_graph *g = s->problem->graph;
    uint64_t kept = 0;
    for (uint32_t f = 0; f < g->token_count_count; f++)
        stream->live[f] = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct weir_stream_arc arc = from[i];
        bool stays = arc.tail < g->actor_count && s->region->cells[arc.tail].ancestor_row > row;
        stream->arcs[kept] = arc;
        if (!arc.more)
            stream->first[arc.tail] = (uint32_t)kept;
        kept += stays;
        stream->live[arc.fifo] += stays;
    }
    return kept;
}

/* Lets an actor's arcs run on, but store what nobody looks at, until the stream is filtered; returns how many they are. */
static uint32_t divert(struct weir_onepass *s, uint32_t o)
{
    struct weir_stream *stream = &s->region->stream;
    const struct weir_graph *g = s->problem->graph;
    uint32_t count = g->out_runs[g->out_first[o + 1] - 1].end - g->out_runs[g->out_first[o]].first;
    for (uint32_t i = stream->first[o]; i < stream->first[o] + count; i++) {
        stream->arcs[i].tail = g->actor_count;
        stream->live[stream->arcs[i].fifo]--;
    }
    return count;
}

/* The labels of one row. */
static void run_stream(struct weir_onepass *s, uint64_t count, int64_t *values)
{
    const int64_t *const *row_of = s->region->row_of;
    const struct weir_cell *cells = s->region->cells;
    int64_t longest = WEIR_DEAD;
    for (const struct weir_stream_arc *arc = s->region->stream.arcs, *end = arc + count; arc < end; arc++) {
        int64_t way = row_of[arc->fifo][arc->head] + (cells[arc->tail].hi & -(int64_t)arc->finish);
        longest = arc->more ? longest : WEIR_DEAD;
        longest = way > longest ? way : longest;
        values[arc->tail] = longest;
    }
}

/* Actors in order of the row from which on they are ancestors: those of row r at row_first[r]. */
static bool order_by_row(struct weir_onepass *s)
{
    struct weir_stream *stream = &s->region->stream;
    uint32_t n = s->problem->graph->actor_count;
    if (!weir_reserve(&stream->row_first, &stream->row_capacity, (size_t)s->row_count + 2, sizeof *stream->row_first))
        return false;
    for (int64_t r = 0; r < s->row_count + 2; r++)
        stream->row_first[r] = 0;
    for (uint32_t o = 0; o < n; o++) {
        int64_t row = s->region->cells[o].ancestor_row;
        stream->row_first[(row < s->row_count ? row : s->row_count) + 1]++;
    }
    for (int64_t r = 0; r < s->row_count; r++)
        stream->row_first[r + 1] += stream->row_first[r];
    for (uint32_t o = n; o-- > 0;) {
        int64_t row = s->region->cells[o].ancestor_row;
        if (row < s->row_count)
            stream->by_row[stream->row_first[row]++] = o;
    }
    for (int64_t r = s->row_count; r > 0; r--)
        stream->row_first[r] = stream->row_first[r - 1];
    stream->row_first[0] = 0;
    return true;
}

/* The ancestors that still have an arc to a node that is none, or whose rows are still looked back to. */
static uint32_t visit_ancestors(struct weir_onepass *s, uint32_t count, int64_t row, int64_t *values)
{
    const struct weir_region *region = s->region;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) /* they look at each other */
        values[region->active[i]] = WEIR_DEAD;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t o = region->active[i];
        int64_t last = region->cells[o].last_row;
        if (row <= last)
            weir_sweep_visit(s, o, row);
        region->active[kept] = o;
        kept += row < last + s->ring;
    }
    return kept;
}

bool weir_sweep_stream(struct weir_onepass *s)
{
    const struct weir_graph *g = s->problem->graph;
    struct weir_stream *stream = &s->region->stream;
    if (!order_by_row(s))
        return false;
    s->region->cells[g->actor_count].hi = 0;
    uint64_t arcs = filter(s, stream->all, g->arc_count, -1), left = 0; /* left: arcs that were diverted */
    uint32_t ancestors = 0;
    int64_t slot = 0;
    for (int64_t row = 0; row < s->row_count && weir_sweep_goes_on(s); row++) {
        int64_t *values = s->region->rows + slot * s->stride;
        weir_sweep_locate(s, row, slot);
        for (uint32_t i = stream->row_first[row]; i < stream->row_first[row + 1]; i++) {
            uint32_t o = stream->by_row[i];
            s->region->active[ancestors++] = o;
            left += divert(s, o);
        }
        if (left * 8 > arcs) {
            arcs = filter(s, stream->arcs, arcs, row);
            left = 0;
        }
        if (row <= s->problem->target_row) {
            for (uint32_t o = g->actor_count; o-- > 0;)
                values[o] = s->region->cells[o].ancestor_row > row ? weir_sweep_visit(s, o, row) : WEIR_DEAD;
        } else {
            for (uint32_t f = 0; f < g->token_count_count; f++) {
                if (g->token_counts[f] > row)
                    s->region->row_of[f] = stream->dead;
                else
                    s->relaxations += stream->live[f];
            }
            run_stream(s, arcs, values);
        }
        ancestors = visit_ancestors(s, ancestors, row, values);
        slot = slot + 1 == s->ring ? 0 : slot + 1;
    }
    return true;
}
