/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the connections of the file to streams between blocks that run. Each connection is followed upstream: through bypassed
 * blocks to what feeds them, and from a virtual source to what feeds the virtual sink of the same stream. Wires are sorted by where
 * they end, so that each step is a search.
 */
#include "read/gnuradio/grc.h"

#include <stdlib.h>
#include <string.h>

static bool is_type(const struct weir_grc_block *block, const char *type)
{
    return strcmp(block->type, type) == 0;
}

static bool stream_port(const char *port)
{
    return *port && strspn(port, "0123456789") == strlen(port);
}

static int compare_places(struct weir_place a, struct weir_place b)
{
    if (a.line != b.line)
        return a.line < b.line ? -1 : 1;
    return (a.column > b.column) - (a.column < b.column);
}

static int by_end(const void *a, const void *b)
{
    const struct weir_grc_wire *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    int order = strcmp(x->to_port, y->to_port);
    if (order)
        return order;
    return compare_places(x->place, y->place);
}

static bool ends_before(const void *wire, const void *key)
{
    const struct weir_grc_wire *w = wire, *k = key;
    return w->to < k->to || (w->to == k->to && k->to_port && strcmp(w->to_port, k->to_port) < 0);
}

/* The first wire to a block, or to a port of it, when that is not NULL; NULL when there is none. */
static const struct weir_grc_wire *wire_to(const struct weir_grc *g, uint32_t block, const char *port)
{
    struct weir_grc_wire key = {.to = block, .to_port = port};
    size_t low = weir_count_before(g->wires, g->wire_count, sizeof *g->wires, ends_before, &key);
    const struct weir_grc_wire *found = low < g->wire_count ? &g->wires[low] : NULL;
    return found && found->to == block && (!port || strcmp(found->to_port, port) == 0) ? found : NULL;
}

/* ---- virtual sinks by stream ---- */

struct joining {
    struct weir_grc *grc;
    struct weir_names sinks; /* by stream */
    size_t joined;           /* blocks that are joined through */
    size_t messages;         /* connections that carry them */
    struct weir_place one;   /* ... of which this is the first */
};

static void collect_sinks(struct joining *j)
{
    struct weir_grc *g = j->grc;
    char quoted[WEIR_QUOTED];
    for (uint32_t i = 0; i < g->block_count && !g->draft->out_of_memory; i++) {
        const char *stream = weir_grc_parameter(&g->blocks[i], "stream_id");
        if (!is_type(&g->blocks[i], "virtual_sink") || g->blocks[i].state != WEIR_GRC_ENABLED || !stream)
            continue;
        if (weir_names_find(&j->sinks, stream, strlen(stream)) != WEIR_MAP_NONE)
            weir_draft_mistake(g->draft, g->blocks[i].place, "a second virtual sink has the stream \"%s\"",
                               weir_quote(stream, quoted));
        else
            g->draft->out_of_memory |= !weir_names_add(&j->sinks, stream, i);
    }
}

/* ---- following ---- */

static const struct weir_grc_wire *into_virtual(const struct joining *j, const struct weir_grc_wire *wire)
{
    struct weir_grc *g = j->grc;
    char quoted[WEIR_QUOTED];
    struct weir_grc_block *source = &g->blocks[wire->from];
    const char *stream = weir_grc_parameter(source, "stream_id");
    uint32_t sink = stream ? weir_names_find(&j->sinks, stream, strlen(stream)) : WEIR_GRC_NONE;
    if (sink != WEIR_GRC_NONE)
        return wire_to(g, sink, NULL);
    if (source->progress == WEIR_GRC_NEW)
        weir_draft_mistake(g->draft, source->place, "no virtual sink has the stream \"%s\"",
                           weir_quote(stream ? stream : "", quoted));
    source->progress = WEIR_GRC_DONE; /* reported once, however many connections it has */
    return NULL;
}

/* The wire that really feeds what `wire` ends at; NULL when nothing does. */
static const struct weir_grc_wire *follow(const struct joining *j, const struct weir_grc_wire *wire)
{
    struct weir_grc *g = j->grc;
    const struct weir_grc_wire *begin = wire;
    for (size_t steps = 0; wire; steps++) {
        const struct weir_grc_block *from = &g->blocks[wire->from];
        if (steps > j->joined) {
            weir_draft_mistake(g->draft, begin->place, "this connection leads through virtual or bypassed blocks back to itself");
            return NULL;
        }
        if (is_type(from, "virtual_source"))
            wire = into_virtual(j, wire);
        else if (from->state == WEIR_GRC_BYPASSED)
            wire = wire_to(g, wire->from, wire->from_port);
        else
            return wire;
    }
    return NULL;
}

static void add_stream(struct joining *j, const struct weir_grc_wire *from, const struct weir_grc_wire *to)
{
    struct weir_grc *g = j->grc;
    if (!stream_port(from->from_port) || !stream_port(to->to_port)) {
        g->blocks[from->from].messages = g->blocks[to->to].messages = true;
        if (j->messages++ == 0 || to->place.line < j->one.line)
            j->one = to->place;
        return;
    }
    if (is_type(&g->blocks[to->to], "pad_sink")) {
        g->blocks[from->from].padded = true;
        return;
    }
    if (!weir_draft_room(g->draft, &g->streams, &g->stream_capacity, g->stream_count, sizeof *g->streams))
        return;
    g->streams[g->stream_count++] = (struct weir_grc_stream){from->from, to->to, to->place};
    g->blocks[from->from].outputs++;
    g->blocks[to->to].inputs++;
}

static int by_place(const void *a, const void *b)
{
    const struct weir_grc_stream *x = a, *y = b;
    return compare_places(x->place, y->place);
}

/* A long chain of joined blocks is walked for each connection behind it; no flowgraph has many of both. */
#define STEPS_MAX 100000000

void weir_grc_connect(struct weir_grc *g)
{
    struct joining j = {.grc = g};
    if (g->wire_count)
        qsort(g->wires, g->wire_count, sizeof *g->wires, by_end);
    for (size_t i = 0; i < g->block_count; i++)
        j.joined += g->blocks[i].state == WEIR_GRC_BYPASSED || is_type(&g->blocks[i], "virtual_source");
    if (j.joined > 0 && g->wire_count > STEPS_MAX / j.joined) {
        weir_draft_mistake(g->draft, g->options_place, "this flowgraph has too many virtual or bypassed blocks to be followed");
        return;
    }
    collect_sinks(&j);
    for (size_t i = 0; i < g->wire_count && !g->draft->out_of_memory; i++) {
        const struct weir_grc_wire *to = &g->wires[i];
        if (g->blocks[to->to].state == WEIR_GRC_BYPASSED || is_type(&g->blocks[to->to], "virtual_sink"))
            continue;
        const struct weir_grc_wire *from = follow(&j, to);
        if (from)
            add_stream(&j, from, to);
    }
    if (g->stream_count)
        qsort(g->streams, g->stream_count, sizeof *g->streams, by_place);
    if (j.messages)
        weir_grc_note(g, j.one, "connections that carry messages are left out: %zu, the first of them here", j.messages);
    weir_names_free(&j.sinks);
}
