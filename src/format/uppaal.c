/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline as a network of timed automata: one automaton for each actor of its dataflow graph, and one that measures a latency.
 *
 * Tokens are counters that all automata share. An actor starts as soon as each edge to it holds a token: its first edge has an
 * urgent channel, so no time passes while it could be taken. A body actor then stays for a time between `lo` and `hi`, a start
 * actor for none. All starts and ends are broadcast, so that they can be observed.
 *
 * An actor whose runs may overlap has an automaton for each of them, its lanes, which take turns to start: `in` is the next. What
 * has ended waits until `out` says that it is its turn to put its tokens.
 *
 * The observer picks any one start of the operator that is measured from, counts the ends of the operator that is measured to until
 * the one that belongs to it, and its clock y is the latency so far. `gap` is how many ends are behind the starts; where rates make
 * rounds of several runs, behind those of whole rounds. Of an actor with lanes starts are counted, up to the one whose end it is.
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
    const char *select;
};

struct template
{
    const char *name;
    const char *parameters, *declaration; /* NULL: none */
    struct location locations[4];
    struct edge edges[8];
    int location_count, edge_count;
};

#define FROM_LANES "f : int[0,FROM_LANES-1]"
#define TO_LANES "t : int[0,TO_LANES-1]"
#define ROUND_DECLARATION "clock y;\nint[GAP_MIN,GAP_MAX] gap = 0;\nint[0,GAP_MAX+TARGET_MAX+1] left = 0;\nint[0,ROUND-1] turn = 0;"
#define ROUND_PASS "gap = gap + passes[turn], turn = (turn + 1) % ROUND"
#define ROUND_BEGIN "left = gap + target[turn] + 1, gap = 0, turn = 0, y = 0"

/* There are Start and Body in every model, Lane where something overlaps, and one of the others. */
enum { START, BODY, OBSERVER, LANE, ROUND_OBSERVER, LANE_OBSERVER, SELF_OBSERVER, TEMPLATES };
static const struct template templates[TEMPLATES] =
    {
        [START] =
            {
                .name = "Start",
                .parameters = "const node id",
                .locations = {{"ready", NULL, 0, 0}},
                .location_count = 1,
                .edges = {{0, 0, "enough(id)", "starts[id]!", "take(id), put(id)", NULL}},
                .edge_count = 1,
            },
        [BODY] =
            {
                .name = "Body",
                .parameters = "const node id, const duration lo, const duration hi",
                .declaration = "clock x;",
                .locations = {{"idle", NULL, 0, 0}, {"busy", "x <= hi", 300, 0}},
                .location_count = 2,
                .edges = {{0, 1, "enough(id)", "starts[id]!", "take(id), x = 0", NULL},
                          {1, 0, "x >= lo", "ends[id]!", "put(id)", NULL}},
                .edge_count = 2,
            },
        [OBSERVER] =
            {
                .name = "Observer",
                .declaration = "clock y;\nint[GAP_MIN,GAP_MAX] gap = 0;\nint[0,GAP_MAX+SHIFT+1] left = 0;",
                .locations = {{"waiting", NULL, 0, 0}, {"measuring", NULL, 300, 0}, {"over", NULL, 600, 0}},
                .location_count = 3,
                .edges = {{0, 0, NULL, "starts[FROM]?", "gap++", NULL},
                          {0, 0, NULL, "ends[TO]?", "gap--", NULL},
                          {0, 1, NULL, "starts[FROM]?", "left = gap + SHIFT + 1, gap = 0, y = 0", NULL},
                          {1, 1, "left > 1", "ends[TO]?", "left--", NULL},
                          {1, 2, "left == 1", "ends[TO]?", "left = 0", NULL}},
                .edge_count = 5,
            },
        [LANE] =
            {
                .name = "Lane",
                .parameters = "const node id, const int lane, const duration lo, const duration hi",
                .declaration = "clock x;",
                .locations = {{"idle", NULL, 0, 0}, {"busy", "x <= hi", 300, 0}, {"over", NULL, 600, 0}},
                .location_count = 3,
                .edges = {{0, 1, "enough(id) && in[id] == lane", "starts[lanes[id] + lane]!",
                           "take(id), in[id] = next(id, lane), x = 0", NULL},
                          {1, 2, "x >= lo", "ends[lanes[id] + lane]!", NULL, NULL},
                          {2, 0, "out[id] == lane", "puts!", "put(id), out[id] = next(id, lane)", NULL}},
                .edge_count = 3,
            },
        [ROUND_OBSERVER] =
            {
                .name = "Observer",
                .declaration = ROUND_DECLARATION,
                .locations = {{"waiting", NULL, 0, 0}, {"measuring", NULL, 300, 0}, {"over", NULL, 600, 0}},
                .location_count = 3,
                .edges = {{0, 0, NULL, "starts[FROM + f]?", ROUND_PASS, FROM_LANES},
                          {0, 0, NULL, "ends[TO]?", "gap--", NULL},
                          {0, 1, NULL, "starts[FROM + f]?", ROUND_BEGIN, FROM_LANES},
                          {1, 1, "left > 1", "ends[TO]?", "left--", NULL},
                          {1, 2, "left == 1", "ends[TO]?", "left = 0", NULL}},
                .edge_count = 5,
            },
        [LANE_OBSERVER] =
            {
                .name = "Observer",
                .declaration = ROUND_DECLARATION "\nint[0,TO_LANES-1] lane = 0;",
                .locations =
                    {{"waiting", NULL, 0, 0}, {"measuring", NULL, 300, 0}, {"over", NULL, 600, 0}, {"ending", NULL, 450, 0}},
                .location_count = 4,
                .edges = {{0, 0, NULL, "starts[FROM + f]?", ROUND_PASS, FROM_LANES},
                          {0, 0, NULL, "starts[TO + t]?", "gap--", TO_LANES},
                          {0, 1, NULL, "starts[FROM + f]?", ROUND_BEGIN, FROM_LANES},
                          {1, 1, "left > 1", "starts[TO + t]?", "left--", TO_LANES},
                          {1, 3, "left == 1", "starts[TO + t]?", "left = 0, lane = t", TO_LANES},
                          {3, 2, NULL, "ends[TO + lane]?", "lane = 0", NULL}},
                .edge_count = 6,
            },
        [SELF_OBSERVER] =
            {
                .name = "Observer",
                .declaration = "clock y;\nint[0,TO_LANES-1] lane = 0;",
                .locations = {{"waiting", NULL, 0, 0}, {"measuring", NULL, 300, 0}, {"over", NULL, 600, 0}},
                .location_count = 3,
                .edges = {{0, 1, NULL, "starts[TO + t]?", "lane = t, y = 0", TO_LANES},
                          {1, 2, NULL, "ends[TO + lane]?", "lane = 0", NULL}},
                .edge_count = 2,
            },
};

/* How many automata overlap; 0: they never do. */
static uint32_t lanes_of(const struct uppaal *u, uint32_t node)
{
    bool body = !weir_hsdf_is_step(u->hsdf, &u->chain, node);
    return body && u->hsdf->nodes[node].lanes > 1 ? u->hsdf->nodes[node].lanes : 0;
}

static bool has_lanes(const struct uppaal *u)
{
    bool any = false;
    for (uint32_t i = 0; i < u->hsdf->node_count; i++)
        any |= lanes_of(u, i) > 0;
    return any;
}

static int observer_of(const struct uppaal *u)
{
    if (lanes_of(u, u->chain.to))
        return u->chain.from == u->chain.to ? SELF_OBSERVER : LANE_OBSERVER;
    return u->hsdf->pipeline->firings || lanes_of(u, u->chain.from) ? ROUND_OBSERVER : OBSERVER;
}

static bool is_written(const struct uppaal *u, int number)
{
    return number == START || number == BODY || (number == LANE && has_lanes(u)) || number == observer_of(u);
}

/* Channels of a node, one for each lane, follow each other: the first. */
static uint32_t channel_of(const struct uppaal *u, uint32_t node)
{
    uint32_t channel = 0;
    for (uint32_t i = 0; i < node; i++)
        channel += lanes_of(u, i) ? lanes_of(u, i) : 1;
    return channel;
}

/* Without lanes a node's channel is its number. */
static const char *channel_text(const struct uppaal *u, const char *channel)
{
    if (!has_lanes(u))
        return channel;
    return strcmp(channel, "starts[id]!") == 0 ? "starts[lanes[id]]!"
           : strcmp(channel, "ends[id]!") == 0 ? "ends[lanes[id]]!"
                                               : channel;
}

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

/* Of each actor how many lanes, the first of their channels, and whose turn it is. */
static void declare_lanes(const struct uppaal *u)
{
    static const char *const declarations[] = {"const int count", "const int lanes", "int in", "int out"};
    say(u,
        "// Runs of actor n that overlap take turns: count[n] of them, from channel lanes[n] on.\nurgent broadcast chan puts;\n");
    for (size_t d = 0; d < sizeof declarations / sizeof *declarations; d++) {
        say(u, "%s[NODES] = {", declarations[d]);
        for (uint32_t i = 0; i < u->hsdf->node_count; i++) {
            uint32_t count = lanes_of(u, i) ? lanes_of(u, i) : 1;
            say(u, "%s%" PRIu32, i == 0 ? "" : i % 24 == 0 ? ",\n    " : ", ", d == 0 ? count : d == 1 ? channel_of(u, i) : 0);
        }
        say(u, "};\n");
    }
    say(u, "\nint next(node n, int lane)\n{\n    return (lane + 1) %% count[n];\n}\n\n");
}

static void declare_latency(const struct uppaal *u)
{
    const struct weir_hsdf *h = u->hsdf;
    const struct weir_hsdf_chain *c = &u->chain;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    bool plain = observer_of(u) == OBSERVER;
    say(u, "// The latency: from a start of FROM (%s) to the end of TO (%s) that ",
        weir_quote(h->pipeline->operators[h->nodes[c->from].op].name, from),
        weir_quote(h->pipeline->operators[h->nodes[c->to].op].name, to));
    say(u, h->pipeline->firings ? "takes what it sends.\n"
           : plain              ? "is SHIFT iterations later.\n"
                                : "is as many iterations later.\n");
    say(u, "const int FROM = %" PRIu32 ";\nconst int TO = %" PRIu32 ";\n", channel_of(u, c->from), channel_of(u, c->to));
    if (plain) {
        say(u, "const int SHIFT = %" PRId64 ";\n", c->target[0]);
    } else {
        say(u, "const int FROM_LANES = %" PRIu32 ";\nconst int TO_LANES = %" PRIu32 ";\n",
            lanes_of(u, c->from) ? lanes_of(u, c->from) : 1, lanes_of(u, c->to) ? lanes_of(u, c->to) : 1);
        say(u, "const int ROUND = %" PRIu32 ";\nconst int TARGET_MAX = %" PRId64 ";\n", c->from_firings, c->target_max);
        say(u, "const int target[ROUND] = {");
        for (uint32_t k = 0; k < c->from_firings; k++)
            say(u, "%s%" PRId64, k ? ", " : "", c->target[k]);
        say(u, "};\nconst int passes[ROUND] = {");
        for (uint32_t k = 0; k < c->from_firings; k++)
            say(u, "%s%" PRIu32, k ? ", " : "", k + 1 == c->from_firings ? c->to_firings : 0);
        say(u, "};\n");
    }
    say(u, "const int GAP_MIN = %" PRId64 ";\nconst int GAP_MAX = %" PRId64 ";\n", c->gap_min, c->gap_max);
}

static void declare(const struct uppaal *u)
{
    const struct weir_hsdf *h = u->hsdf;
    uint32_t most = 0;
    for (uint32_t i = 0; i < h->edge_count; i++)
        most = h->edges[i].bound > most ? h->edges[i].bound : most;
    bool lanes = has_lanes(u), rates = h->pipeline->firings != NULL;
    say(u, "// A pipeline as a %sdataflow graph, one automaton for each actor. Times are ticks.\n", rates ? "" : "homogeneous ");
    say(u, "const int NODES = %" PRIu32 ";\nconst int EDGES = %" PRIu32 ";\n", h->node_count, h->edge_count);
    if (lanes)
        say(u, "const int CHANNELS = %" PRIu32 ";\n", channel_of(u, h->node_count));
    say(u, "typedef int[0,NODES-1] node;\ntypedef int[0,%" PRId64 "] duration;\n\n", WEIR_HSDF_TIME_MAX);
    say(u, "// Edge e leads from actor tail[e] to actor head[e].\n");
    say_edges(u, "const node tail", offsetof(struct weir_hsdf_edge, tail));
    say_edges(u, "const node head", offsetof(struct weir_hsdf_edge, head));
    if (rates) {
        say_edges(u, "const int produce", offsetof(struct weir_hsdf_edge, produce));
        say_edges(u, "const int consume", offsetof(struct weir_hsdf_edge, consume));
    }
    say(u, "int[0,%" PRIu32 "] ", most);
    say_edges(u, "tokens", offsetof(struct weir_hsdf_edge, tokens));
    say(u, "\n// Of each actor: it starts, as soon as it can; it ends.\n");
    say(u, "urgent broadcast chan starts[%s];\nbroadcast chan ends[%s];\n\n", lanes ? "CHANNELS" : "NODES",
        lanes ? "CHANNELS" : "NODES");
    if (lanes)
        declare_lanes(u);
    say(u,
        "bool enough(node n)\n{\n    for (e : int[0,EDGES-1])\n        if (head[e] == n && tokens[e] %s)\n"
        "            return false;\n    return true;\n}\n\n",
        rates ? "< consume[e]" : "== 0");
    say(u, "void take(node n)\n{\n    for (e : int[0,EDGES-1])\n        if (head[e] == n)\n            tokens[e]%s;\n}\n\n",
        rates ? " = tokens[e] - consume[e]" : "--");
    say(u, "void put(node n)\n{\n    for (e : int[0,EDGES-1])\n        if (tail[e] == n)\n            tokens[e]%s;\n}\n\n",
        rates ? " = tokens[e] + produce[e]" : "++");
    declare_latency(u);
}

static void instantiate(const struct uppaal *u)
{
    const struct weir_hsdf *h = u->hsdf;
    bool lanes = has_lanes(u);
    char name[WEIR_HSDF_IDENTIFIER];
    for (uint32_t i = 0; i < h->node_count; i++) {
        const struct weir_hsdf_node *node = &h->nodes[i];
        weir_hsdf_identifier(h, i, name);
        for (uint32_t k = 0; k < lanes_of(u, i); k++)
            say(u, "%s_%" PRIu32 " = Lane(%" PRIu32 ", %" PRIu32 ", %" PRId64 ", %" PRId64 ");\n", name, k + 1, i, k, node->lo,
                node->hi);
        if (weir_hsdf_is_step(h, &u->chain, i))
            say(u, "%s = Start(%" PRIu32 ");\n", name, i);
        else if (!lanes_of(u, i))
            say(u, "%s = Body(%" PRIu32 ", %" PRId64 ", %" PRId64 ");\n", name, i, node->lo, node->hi);
    }
    say(u, "Latency = Observer();\nsystem ");
    for (uint32_t i = 0; i < h->node_count; i++) {
        weir_hsdf_identifier(h, i, name);
        for (uint32_t k = 0; k < lanes_of(u, i); k++)
            say(u, "%s_%" PRIu32 ", ", name, k + 1);
        if (!lanes || !lanes_of(u, i))
            say(u, "%s, ", name);
    }
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
        label(out, "select", e->select, x, y - 17);
        label(out, "guard", e->guard, x, y);
        label(out, "synchronisation", channel_text(u, e->channel), x, y + 17);
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
        if (is_written(u, i))
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
        if (e->select)
            fprintf(out, " select %s;", e->select);
        if (e->guard)
            fprintf(out, " guard %s;", e->guard);
        if (e->channel)
            fprintf(out, " sync %s;", channel_text(u, e->channel));
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
        if (is_written(u, i))
            write_process(u, &templates[i]);
    fputc('\n', u->out);
    instantiate(u);
}

/* ---- the queries ---- */

static void write_queries(const struct uppaal *u)
{
    FILE *out = u->out;
    const char *where = observer_of(u) == LANE_OBSERVER ? "(Latency.measuring or Latency.ending)" : "Latency.measuring";
    if (u->chain.known) {
        fprintf(out, "/*\nNo latency is longer: satisfied.\n*/\nA[] %s imply Latency.y <= %" PRId64 "\n\n", where, u->chain.worst);
        fprintf(out, "/*\nOne is as long: not satisfied.\n*/\nA[] %s imply Latency.y < %" PRId64 "\n\n", where, u->chain.worst);
    }
    fprintf(out, "/*\nThe longest.\n*/\nsup{%s}: Latency.y\n",
            observer_of(u) == LANE_OBSERVER ? "Latency.measuring or Latency.ending" : "Latency.measuring");
}

/* ---- all three ---- */

static enum weir_status write_with(void (*write)(const struct uppaal *uppaal), const struct weir_pipeline *pipeline, uint32_t chain,
                                   FILE *out, struct weir_error *error)
{
    struct weir_hsdf hsdf;
    struct uppaal u = {.hsdf = &hsdf, .out = out, .xml = write == write_xml};
    enum weir_status status = weir_hsdf_build(&hsdf, pipeline, error);
    if (!status)
        status = weir_hsdf_find_chain(&hsdf, chain, &u.chain, error);
    if (!status)
        status = weir_hsdf_bound(&hsdf, chain, &u.chain, "UPPAAL", error);
    if (!status)
        write(&u);
    weir_hsdf_chain_free(&u.chain);
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
