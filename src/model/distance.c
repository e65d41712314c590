/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fewest tokens on a path to an actor: Dijkstra backwards.
 *
 * Arcs of one token count are relaxed in order of growing distance, so what they reach is found in order of growing distance
 * too: a plain queue per distinct token count replaces the heap. A pipeline has few distinct counts (0, 1, and its capacities);
 * one with more than FIFO_MAX of them gets the heap.
 */
#include "base/alloc.h"
#include "base/heap.h"
#include "model/graph.h"

enum { FIFO_MAX = 16 };

struct fifo {
    uint32_t *next, *end;
};

struct weir_distances {
    uint32_t actor_count;
    uint32_t fifo_count; /* 0: the heap is used */
    uint32_t *entries;   /* fifo_count queues of actor_count; or the heap */
    struct fifo fifos[FIFO_MAX];
    uint32_t *place; /* in the heap, plus one; 0 when not in it */
    size_t heap_count;
    uint32_t *settled, stamp; /* settled[o] == stamp: the distance of o is final */
};

struct weir_distances *weir_distances_new(const struct weir_graph *graph)
{
    struct weir_distances *d = weir_array_zeroed(1, sizeof *d);
    if (!d)
        return NULL;
    bool heap = graph->token_count_count > FIFO_MAX;
    d->actor_count = graph->actor_count;
    d->fifo_count = heap ? 0 : graph->token_count_count;
    /* An actor enters a queue at most once: its distance there only improves the first time. */
    d->entries = weir_array((size_t)(heap ? 1 : d->fifo_count) * d->actor_count, sizeof *d->entries);
    d->place = weir_array_zeroed(heap ? d->actor_count : 1, sizeof *d->place);
    d->settled = weir_array_zeroed(d->actor_count, sizeof *d->settled);
    if (!d->entries || !d->place || !d->settled) {
        weir_distances_free(d);
        return NULL;
    }
    return d;
}

void weir_distances_free(struct weir_distances *d)
{
    if (!d)
        return;
    weir_free(d->settled);
    weir_free(d->place);
    weir_free(d->entries);
    weir_free(d);
}

/* Order and places of one search. */
struct nearness {
    const int64_t *tokens;
    uint32_t *place;
};

static bool nearer(const struct nearness *n, const uint32_t *a, const uint32_t *b)
{
    return n->tokens[*a] < n->tokens[*b];
}

#define NOTE_PLACE(n, actor, at) ((n)->place[actor] = (uint32_t)(at) + 1)
WEIR_HEAP(heap, uint32_t, const struct nearness *, nearer, NOTE_PLACE);

static uint32_t take_nearest(struct weir_distances *d, const int64_t *tokens)
{
    if (d->heap_count == 0)
        return WEIR_NO_ACTOR;
    uint32_t nearest = heap_pop(&(struct nearness){tokens, d->place}, d->entries, &d->heap_count);
    d->place[nearest] = 0;
    return nearest;
}

/* The nearest actor that is not settled yet; WEIR_NO_ACTOR when there is none. An actor that a later, nearer path overtook is
 * still in its first queue; it is skipped there. */
static uint32_t fifo_pop(struct weir_distances *d, const int64_t *tokens)
{
    for (;;) {
        struct fifo *nearest = NULL;
        for (struct fifo *f = d->fifos; f < d->fifos + d->fifo_count; f++)
            if (f->next < f->end && (!nearest || tokens[*f->next] < tokens[*nearest->next]))
                nearest = f;
        if (!nearest)
            return WEIR_NO_ACTOR;
        uint32_t actor = *nearest->next++;
        if (d->settled[actor] != d->stamp)
            return actor;
    }
}

static void relax_into_fifo(const struct weir_graph *g, struct weir_distances *d, const struct weir_arc_run *run, int64_t through,
                            int64_t *tokens)
{
    uint32_t *end = d->fifos[run->fifo].end;
    for (const uint32_t *tail = g->tails + run->first, *stop = g->tails + run->end; tail < stop; tail++) {
        if (tokens[*tail] > through) {
            tokens[*tail] = through;
            *end++ = *tail;
        }
    }
    d->fifos[run->fifo].end = end;
}

static void relax_into_heap(const struct weir_graph *g, struct weir_distances *d, const struct weir_arc_run *run, int64_t through,
                            int64_t *tokens)
{
    for (uint32_t i = run->first; i < run->end; i++) {
        if (tokens[g->tails[i]] > through) {
            tokens[g->tails[i]] = through;
            uint32_t actor = g->tails[i];
            size_t at = d->place[actor] ? d->place[actor] - 1 : d->heap_count++;
            heap_rise(&(struct nearness){tokens, d->place}, d->entries, at, actor);
        }
    }
}

static void clear(struct weir_distances *d, int64_t *tokens)
{
    for (uint32_t o = 0; o < d->actor_count; o++)
        tokens[o] = WEIR_FAR;
    for (uint32_t f = 0; f < d->fifo_count; f++)
        d->fifos[f].next = d->fifos[f].end = d->entries + (size_t)f * d->actor_count;
    if (++d->stamp == 0) {
        for (uint32_t o = 0; o < d->actor_count; o++)
            d->settled[o] = 0;
        d->stamp = 1;
    }
}

void weir_tokens_to(const struct weir_graph *g, struct weir_distances *d, uint32_t target, bool data_only, int64_t *tokens)
{
    clear(d, tokens);
    tokens[target] = 0;
    for (uint32_t o = target; o != WEIR_NO_ACTOR; o = d->fifo_count ? fifo_pop(d, tokens) : take_nearest(d, tokens)) {
        d->settled[o] = d->stamp;
        for (const struct weir_arc_run *run = g->in_runs + g->in_first[o], *last = g->in_runs + g->in_first[o + 1]; run < last;
             run++) {
            if (data_only && run->wait != WEIR_WAIT_DATA && run->wait != WEIR_WAIT_NONE)
                continue;
            int64_t through = tokens[o] + run->tokens;
            if (d->fifo_count)
                relax_into_fifo(g, d, run, through, tokens);
            else
                relax_into_heap(g, d, run, through, tokens);
        }
    }
}
