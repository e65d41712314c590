/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline as a network of timed automata: one automaton for each actor of its dataflow graph, and one that measures a latency.
 *
 * Tokens are counters that all automata share. An actor starts as soon as each edge to it holds a token: its first edge has an
 * urgent channel, so no time passes while it could be taken. A body actor then stays for a time between `lo` and `hi`, a start
 * actor for none. All starts and ends are broadcast, so that they can be observed.
 *
 * The observer picks any one start of the operator that is measured from, counts the ends of the operator that is measured to until
 * the one that belongs to it, and its clock y is the latency so far. `gap` is how many ends are behind the starts.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "format/formats.h"
#include "format/hsdf.h"
#include "format/xml.h"
#include "model/pipeline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

struct uppaal {
    const struct weir_hsdf *hsdf;
    struct weir_hsdf_chain chain;
    FILE *out;
    bool xml; /* what is special in XML is quoted */
};

struct location {
    const char *name;
    const char *invariant; /* NULL: none */
    int x, y;              /* where it is drawn */
};

struct edge {
    int from, to;
    const char *guard, *channel, *update; /* NULL: none */
};

struct template
{
    const char *name;
    const char *parameters, *declaration; /* NULL: none */
    struct location locations[3];
    int location_count;
    struct edge edges[6];
    int edge_count;
};

/* Start, Body and Observer, in this order. */
#define TEMPLATES 3
static const struct template templates[TEMPLATES] = {
    {
        .name = "Start",
        .parameters = "const node id",
        .locations = {{"ready", NULL, 0, 0}},
        .location_count = 1,
        .edges = {{0, 0, "enough(id)", "starts[id]!", "take(id), put(id)"}},
        .edge_count = 1,
    },
    {
        .name = "Body",
        .parameters = "const node id, const duration lo, const duration hi",
        .declaration = "clock x;",
        .locations = {{"idle", NULL, 0, 0}, {"busy", "x <= hi", 300, 0}},
        .location_count = 2,
        .edges = {{0, 1, "enough(id)", "starts[id]!", "take(id), x = 0"}, {1, 0, "x >= lo", "ends[id]!", "put(id)"}},
        .edge_count = 2,
    },
    {
        .name = "Observer",
        .declaration = "clock y;\nint[GAP_MIN,GAP_MAX] gap = 0;\nint[0,GAP_MAX+SHIFT+1] left = 0;",
        .locations = {{"waiting", NULL, 0, 0}, {"measuring", NULL, 300, 0}, {"over", NULL, 600, 0}},
        .location_count = 3,
        .edges = {{0, 0, NULL, "starts[FROM]?", "gap++"},
                  {0, 0, NULL, "ends[TO]?", "gap--"},
                  {0, 1, NULL, "starts[FROM]?", "left = gap + SHIFT + 1, gap = 0, y = 0"},
                  {1, 1, "left > 1", "ends[TO]?", "left--"},
                  {1, 2, "left == 1", "ends[TO]?", "left = 0"}},
        .edge_count = 5,
    },
};

static void say(const struct uppaal *u, const char *format, ...) WEIR_PRINTF(2, 3);

static void say(const struct uppaal *u, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (u->xml)
        weir_xml_text(u->out, text);
    else
        fputs(text, u->out);
}

/* A member of every edge, by its offset. */
static void say_edges(const struct uppaal *u, const char *declaration, size_t member)
{
    say(u, "%s[EDGES] = {", declaration);
    for (uint32_t i = 0; i < u->hsdf->edge_count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)&u->hsdf->edges[i] + member, sizeof value);
        say(u, "%s%" PRIu32, i == 0 ? "" : i % 24 == 0 ? ",\n    " : ", ", value);
    }
    say(u, "};\n");
}

static void declare(const struct uppaal *u)
{
    const struct weir_hsdf *h = u->hsdf;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    uint32_t most = 0;
    for (uint32_t i = 0; i < h->edge_count; i++)
        most = h->edges[i].bound > most ? h->edges[i].bound : most;
    say(u, "// A pipeline as a homogeneous dataflow graph, one automaton for each actor. Times are ticks.\n");
    say(u, "const int NODES = %" PRIu32 ";\nconst int EDGES = %" PRIu32 ";\n", h->node_count, h->edge_count);
    say(u, "typedef int[0,NODES-1] node;\ntypedef int[0,%" PRId64 "] duration;\n\n", WEIR_HSDF_TIME_MAX);
    say(u, "// Edge e leads from actor tail[e] to actor head[e].\n");
    say_edges(u, "const node tail", offsetof(struct weir_hsdf_edge, tail));
    say_edges(u, "const node head", offsetof(struct weir_hsdf_edge, head));
    say(u, "int[0,%" PRIu32 "] ", most);
    say_edges(u, "tokens", offsetof(struct weir_hsdf_edge, tokens));
    say(u, "\n// Of each actor: it starts, as soon as it can; it ends.\n");
    say(u, "urgent broadcast chan starts[NODES];\nbroadcast chan ends[NODES];\n\n");
    say(u, "bool enough(node n)\n{\n    for (e : int[0,EDGES-1])\n        if (head[e] == n && tokens[e] == 0)\n"
           "            return false;\n    return true;\n}\n\n");
    say(u, "void take(node n)\n{\n    for (e : int[0,EDGES-1])\n        if (head[e] == n)\n            tokens[e]--;\n}\n\n");
    say(u, "void put(node n)\n{\n    for (e : int[0,EDGES-1])\n        if (tail[e] == n)\n            tokens[e]++;\n}\n\n");
    say(u, "// The latency: from a start of FROM (%s) to the end of TO (%s) that is SHIFT iterations later.\n",
        weir_quote(h->pipeline->operators[h->nodes[u->chain.from].op].name, from),
        weir_quote(h->pipeline->operators[h->nodes[u->chain.to].op].name, to));
    say(u, "const int FROM = %" PRIu32 ";\nconst int TO = %" PRIu32 ";\nconst int SHIFT = %" PRId64 ";\n", u->chain.from,
        u->chain.to, u->chain.shift);
    say(u, "const int GAP_MIN = %" PRId64 ";\nconst int GAP_MAX = %" PRId64 ";\n", u->chain.gap_min, u->chain.gap_max);
}

static void instantiate(const struct uppaal *u)
{
    const struct weir_hsdf *h = u->hsdf;
    char name[WEIR_HSDF_IDENTIFIER];
    for (uint32_t i = 0; i < h->node_count; i++) {
        const struct weir_hsdf_node *node = &h->nodes[i];
        weir_hsdf_identifier(h, i, name);
        if (node->role == WEIR_HSDF_START)
            say(u, "%s = Start(%" PRIu32 ");\n", name, i);
        else
            say(u, "%s = Body(%" PRIu32 ", %" PRId64 ", %" PRId64 ");\n", name, i, node->lo, node->hi);
    }
    say(u, "Latency = Observer();\nsystem ");
    for (uint32_t i = 0; i < h->node_count; i++)
        say(u, "%s, ", weir_hsdf_identifier(h, i, name));
    say(u, "Latency;\n");
}

/* ---- XML ---- */

static void label(FILE *out, const char *kind, const char *text, int x, int y)
{
    if (!text)
        return;
    fprintf(out, "      <label kind=\"%s\" x=\"%d\" y=\"%d\">", kind, x, y);
    weir_xml_text(out, text);
    fputs("</label>\n", out);
}

/* Ids of locations are unique in the whole file. */
static void write_template(const struct uppaal *u, int number)
{
    const struct template *t = &templates[number];
    FILE *out = u->out;
    fprintf(out, "  <template>\n    <name>%s</name>\n", t->name);
    if (t->parameters)
        fprintf(out, "    <parameter>%s</parameter>\n", t->parameters);
    if (t->declaration)
        fprintf(out, "    <declaration>%s</declaration>\n", t->declaration);
    for (int i = 0; i < t->location_count; i++) {
        const struct location *l = &t->locations[i];
        fprintf(out, "    <location id=\"id%d\" x=\"%d\" y=\"%d\">\n      <name x=\"%d\" y=\"%d\">%s</name>\n", 10 * number + i,
                l->x, l->y, l->x - 20, l->y + 16, l->name);
        label(out, "invariant", l->invariant, l->x - 20, l->y + 33);
        fputs("    </location>\n", out);
    }
    fprintf(out, "    <init ref=\"id%d\"/>\n", 10 * number);
    for (int i = 0; i < t->edge_count; i++) {
        const struct edge *e = &t->edges[i];
        int x = (t->locations[e->from].x + t->locations[e->to].x) / 2 - 60, y = -80 - 80 * i; /* one above the other */
        fprintf(out, "    <transition>\n      <source ref=\"id%d\"/>\n      <target ref=\"id%d\"/>\n", 10 * number + e->from,
                10 * number + e->to);
        label(out, "guard", e->guard, x, y);
        label(out, "synchronisation", e->channel, x, y + 17);
        label(out, "assignment", e->update, x, y + 34);
        if (e->from == e->to)
            fprintf(out, "      <nail x=\"%d\" y=\"%d\"/>\n      <nail x=\"%d\" y=\"%d\"/>\n", t->locations[e->from].x - 30, y,
                    t->locations[e->from].x + 30, y);
        fputs("    </transition>\n", out);
    }
    fputs("  </template>\n", out);
}

static void write_xml(const struct uppaal *u)
{
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
          "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' "
          "'http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd'>\n<nta>\n  <declaration>",
          u->out);
    declare(u);
    fputs("</declaration>\n", u->out);
    for (int i = 0; i < TEMPLATES; i++)
        write_template(u, i);
    fputs("  <system>", u->out);
    instantiate(u);
    fputs("</system>\n</nta>\n", u->out);
}

/* ---- text ---- */

static void write_process(const struct uppaal *u, const struct template *t)
{
    FILE *out = u->out;
    fprintf(out, "\nprocess %s(%s)\n{\n", t->name, t->parameters ? t->parameters : "");
    if (t->declaration)
        fprintf(out, "%s\n", t->declaration);
    fputs("state\n", out);
    for (int i = 0; i < t->location_count; i++) {
        const struct location *l = &t->locations[i];
        fprintf(out, "    %s", l->name);
        if (l->invariant)
            fprintf(out, " { %s }", l->invariant);
        fputs(i + 1 < t->location_count ? ",\n" : ";\n", out);
    }
    fprintf(out, "init %s;\ntrans\n", t->locations[0].name);
    for (int i = 0; i < t->edge_count; i++) {
        const struct edge *e = &t->edges[i];
        fprintf(out, "    %s -> %s {", t->locations[e->from].name, t->locations[e->to].name);
        if (e->guard)
            fprintf(out, " guard %s;", e->guard);
        if (e->channel)
            fprintf(out, " sync %s;", e->channel);
        if (e->update)
            fprintf(out, " assign %s;", e->update);
        fputs(i + 1 < t->edge_count ? " },\n" : " };\n", out);
    }
    fputs("}\n", out);
}

static void write_text(const struct uppaal *u)
{
    declare(u);
    for (int i = 0; i < TEMPLATES; i++)
        write_process(u, &templates[i]);
    fputc('\n', u->out);
    instantiate(u);
}

/* ---- the queries ---- */

static void write_queries(const struct uppaal *u)
{
    FILE *out = u->out;
    if (u->chain.known) {
        fprintf(out, "/*\nNo latency is longer: satisfied.\n*/\nA[] Latency.measuring imply Latency.y <= %" PRId64 "\n\n",
                u->chain.worst);
        fprintf(out, "/*\nOne is as long: not satisfied.\n*/\nA[] Latency.measuring imply Latency.y < %" PRId64 "\n\n",
                u->chain.worst);
    }
    fputs("/*\nThe longest.\n*/\nsup{Latency.measuring}: Latency.y\n", out);
}

/* ---- all three ---- */

static enum weir_status write_with(void (*write)(const struct uppaal *uppaal), const struct weir_pipeline *pipeline, uint32_t chain,
                                   FILE *out, struct weir_error *error)
{
    struct weir_hsdf hsdf;
    struct uppaal u = {.hsdf = &hsdf, .out = out, .xml = write == write_xml};
    enum weir_status status = weir_hsdf_build(&hsdf, pipeline, error);
    if (!status)
        status = weir_hsdf_bound(&hsdf, chain, &u.chain, "UPPAAL", error);
    if (!status)
        write(&u);
    weir_hsdf_free(&hsdf);
    return status;
}

enum weir_status weir_write_uppaal_xml(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    return write_with(write_xml, pipeline, chain, out, error);
}

enum weir_status weir_write_uppaal_text(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    return write_with(write_text, pipeline, chain, out, error);
}

enum weir_status weir_write_uppaal_queries(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out,
                                           struct weir_error *error)
{
    return write_with(write_queries, pipeline, chain, out, error);
}
