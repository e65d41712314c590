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

static int by_end(const void *a, const void *b)
{
    const struct weir_grc_wire *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    int order = strcmp(x->to_port, y->to_port);
    if (order)
        return order;
    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    return (x->place.column > y->place.column) - (x->place.column < y->place.column);
}

/* The first wire to a block, or to a port of it, when that is not NULL; NULL when there is none. */
static const struct weir_grc_wire *wire_to(const struct weir_grc *g, uint32_t block, const char *port)
{
    size_t low = 0, high = g->wire_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct weir_grc_wire *w = &g->wires[middle];
        bool before = w->to < block || (w->to == block && port && strcmp(w->to_port, port) < 0);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    const struct weir_grc_wire *found = low < g->wire_count ? &g->wires[low] : NULL;
    return found && found->to == block && (!port || strcmp(found->to_port, port) == 0) ? found : NULL;
}

/* ---- virtual sinks by stream ---- */

struct sink {
    const char *stream;
    uint32_t block;
};

static int by_stream(const void *a, const void *b)
{
    const struct sink *x = a, *y = b;
    int order = strcmp(x->stream, y->stream);
    return order ? order : (x->block > y->block) - (x->block < y->block);
}

struct joining {
    struct weir_grc *grc;
    struct sink *sinks;
    size_t sink_count;
    size_t joined;         /* blocks that are joined through */
    size_t messages;       /* connections that carry them */
    struct weir_place one; /* ... of which this is the first */
};

static bool collect_sinks(struct joining *j)
{
    struct weir_grc *g = j->grc;
    char quoted[WEIR_QUOTED];
    j->sinks = weir_array(g->block_count, sizeof *j->sinks);
    if (!j->sinks) {
        g->draft->out_of_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < g->block_count; i++) {
        const char *stream = weir_grc_parameter(&g->blocks[i], "stream_id");
        if (is_type(&g->blocks[i], "virtual_sink") && g->blocks[i].state == WEIR_GRC_ENABLED && stream)
            j->sinks[j->sink_count++] = (struct sink){stream, i};
    }
    qsort(j->sinks, j->sink_count, sizeof *j->sinks, by_stream);
    for (size_t i = 1; i < j->sink_count; i++)
        if (strcmp(j->sinks[i - 1].stream, j->sinks[i].stream) == 0)
            weir_draft_mistake(g->draft, g->blocks[j->sinks[i].block].place, "a second virtual sink has the stream \"%s\"",
                               weir_quote(j->sinks[i].stream, quoted));
    return true;
}

static uint32_t sink_of(const struct joining *j, const char *stream)
{
    size_t low = 0, high = j->sink_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(j->sinks[middle].stream, stream) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < j->sink_count && strcmp(j->sinks[low].stream, stream) == 0 ? j->sinks[low].block : WEIR_GRC_NONE;
}

/* ---- following ---- */

static const struct weir_grc_wire *into_virtual(const struct joining *j, const struct weir_grc_wire *wire)
{
    struct weir_grc *g = j->grc;
    char quoted[WEIR_QUOTED];
    struct weir_grc_block *source = &g->blocks[wire->from];
    const char *stream = weir_grc_parameter(source, "stream_id");
    uint32_t sink = stream ? sink_of(j, stream) : WEIR_GRC_NONE;
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
    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    return (x->place.column > y->place.column) - (x->place.column < y->place.column);
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
    for (size_t i = collect_sinks(&j) ? 0 : g->wire_count; i < g->wire_count && !g->draft->out_of_memory; i++) {
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
    weir_free(j.sinks);
}
