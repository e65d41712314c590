/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphviz is told the sizes of the boxes and asked for positions, as the lines of its "plain" format; the drawing is ours. It is
 * loaded at run time, because it brings a dozen libraries that no other verb needs.
 */
#include "render/drawing/layout.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS 72.0 /* in one of its inches */
#define PLACED UINT32_MAX
#define QUIET 2 /* AGMAX of its error levels: say nothing */

/* What is used of it; all pointers are opaque here. */
static struct {
    void *(*gvContext)(void);
    int (*gvLayout)(void *context, void *graph, const char *engine);
    int (*gvRenderData)(void *context, void *graph, const char *format, char **text, unsigned *bytes);
    void (*gvFreeRenderData)(char *text);
    int (*gvFreeLayout)(void *context, void *graph);
    void *(*agmemread)(const char *text);
    int (*agclose)(void *graph);
    int (*agseterr)(int level);
} graphviz;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void load(void)
{
    static const char *const names[] = {"libgvc.so.6", "libgvc.so.7", "libgvc.so", NULL};
    void *library = weir_library_open(names);
    if (!library) {
        missing = "Graphviz is not installed: there is no libgvc.so.6 (Debian: libgvc6)";
        return;
    }
    bool all = true;
#define FIND(name) all = weir_library_find(library, #name, &graphviz.name, sizeof graphviz.name) && all
    FIND(gvContext);
    FIND(gvLayout);
    FIND(gvRenderData);
    FIND(gvFreeRenderData);
    FIND(gvFreeLayout);
    FIND(agmemread);
    FIND(agclose);
    FIND(agseterr);
#undef FIND
    if (!all)
        missing = "the installed Graphviz cannot be used";
}

const char *weir_layout_missing(void)
{
    pthread_once(&once, load);
    return missing;
}

/* ---- how much to ask for ---- */

/* Its time grows with the ranks that lines cross, and much faster. From some number on it is asked for less: to leave labels to us,
 * to look for fewer ways to avoid crossings, and at last for straight lines. */
enum effort { ALL, LESS, LEAST, TOO_MUCH };

static const char *const settings[] = {
    [ALL] = "nodesep=0.3",
    [LESS] = "nodesep=0.15;nslimit=1;nslimit1=1;mclimit=0.3",
    [LEAST] = "nodesep=0.1;nslimit=0.3;nslimit1=0.3;mclimit=0.05;splines=line",
};

/* Ranks that lines cross when each node comes right behind the last it depends on; nodes in loops come where they may, and some of
 * the lines between them lead back. */
static size_t count_crossed(struct weir_layout *layout, uint32_t *memory)
{
    size_t nodes = layout->node_count, edges = layout->edge_count, crossed = 0, done = 0, end = 0;
    uint32_t lowest = 0;
    uint32_t *rank = memory, *waits = rank + nodes, *heads = waits + nodes, *queue = heads + nodes, *next = queue + nodes;
    memset(rank, 0, 2 * nodes * sizeof *rank);
    memset(heads, 0xff, nodes * sizeof *heads);
    for (size_t i = 0; i < edges; i++) {
        next[i] = heads[layout->edges[i].from];
        heads[layout->edges[i].from] = (uint32_t)i;
        waits[layout->edges[i].to]++;
    }
    for (uint32_t i = 0; i < nodes; i++)
        if (waits[i] == 0)
            queue[end++] = i;
    for (size_t i = 0; i < end; i++)
        waits[queue[i]] = PLACED;
    for (; done < nodes; done++) {
        if (done == end) { /* only loops are left: the first of them */
            while (waits[lowest] == PLACED)
                lowest++;
            queue[end++] = lowest;
            waits[lowest] = PLACED;
        }
        uint32_t node = queue[done];
        for (uint32_t i = heads[node]; i != UINT32_MAX; i = next[i]) {
            uint32_t to = layout->edges[i].to;
            if (waits[to] == PLACED)
                continue;
            rank[to] = rank[to] > rank[node] ? rank[to] : rank[node] + 1;
            if (--waits[to] == 0) {
                queue[end++] = to;
                waits[to] = PLACED;
            }
        }
    }
    uint32_t *place = waits;
    for (uint32_t i = 0; i < nodes; i++)
        place[queue[i]] = i;
    for (size_t i = 0; i < edges; i++) {
        struct weir_layout_edge *e = &layout->edges[i];
        e->back = place[e->to] < place[e->from];
        crossed += rank[e->from] < rank[e->to] ? rank[e->to] - rank[e->from] : rank[e->from] - rank[e->to];
    }
    return crossed;
}

static enum weir_status choose_effort(struct weir_layout *layout, enum effort *effort, struct weir_error *error)
{
    size_t nodes = layout->node_count, edges = layout->edge_count;
    *effort = TOO_MUCH;
    if (nodes > 3000 || edges > 4000)
        return WEIR_OK;
    uint32_t *memory = weir_array(4 * nodes + edges, sizeof *memory);
    if (!memory)
        return weir_fail_memory(error);
    size_t crossed = count_crossed(layout, memory);
    weir_free(memory);
    *effort = crossed <= 700                                               ? ALL
              : crossed <= 5000 || (crossed <= 15000 && edges < 3 * nodes) ? LESS
              : crossed <= 40000                                           ? LEAST
                                                                           : TOO_MUCH;
    return WEIR_OK;
}

/* ---- asking ---- */

static void put_number(FILE *out, double value)
{
    fprintf(out, "%ld.%02ld", (long)value, (long)(value * 100) % 100); /* whatever the locale */
}

static char *describe(const struct weir_layout *layout, enum effort effort)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "digraph g{rankdir=%s;ranksep=0.6;%s;node[shape=box,fixedsize=true,label=\"\"];\n", layout->top_down ? "TB" : "LR",
            settings[effort]);
    for (size_t i = 0; i < layout->node_count; i++) {
        fprintf(out, "n%zu[width=", i);
        put_number(out, layout->nodes[i].width / PIXELS);
        fputs(",height=", out);
        put_number(out, layout->nodes[i].height / PIXELS);
        fputs("];\n", out);
    }
    for (size_t i = 0; i < layout->edge_count; i++) {
        const struct weir_layout_edge *e = &layout->edges[i];
        /* A line that leads back is one that leads on, drawn from its end: Graphviz loses memory with the others. */
        fprintf(out, "n%u->n%u[dir=%s]", e->back ? e->to : e->from, e->back ? e->from : e->to, e->back ? "back" : "forward");
        if (e->label && !layout->crowded) /* its size, not its text: so fonts have no say */
            fprintf(out,
                    "[label=<<table border='0' cellborder='0' cellspacing='0' cellpadding='0' fixedsize='true' width='%zu' "
                    "height='14'><tr><td></td></tr></table>>]",
                    8 * strlen(e->label) + 8);
        fputs(";\n", out);
    }
    fputs("}\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- listening ---- */

struct reader {
    const char *at;
    bool bad;
};

static double read_number(struct reader *r)
{
    /* strtod follows the locale; Graphviz writes a point. */
    double value = 0, scale = 1;
    while (*r->at == ' ')
        r->at++;
    bool negative = *r->at == '-';
    r->at += negative;
    if (*r->at < '0' || *r->at > '9')
        r->bad = true;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++)
        value = value * 10 + (*r->at - '0');
    if (*r->at == '.')
        for (r->at++; *r->at >= '0' && *r->at <= '9'; r->at++)
            value += (*r->at - '0') * (scale /= 10);
    if (*r->at == 'e') { /* tiny ones only */
        while (*r->at && *r->at != ' ' && *r->at != '\n')
            r->at++;
        value = 0;
    }
    return negative ? -value : value;
}

/* A node: n and its number. */
static size_t read_node(struct reader *r, const struct weir_layout *layout)
{
    while (*r->at == ' ')
        r->at++;
    if (*r->at++ != 'n') {
        r->bad = true;
        return 0;
    }
    double number = read_number(r);
    if (number >= (double)layout->node_count)
        r->bad = true;
    return r->bad ? 0 : (size_t)number;
}

static bool starts(const struct reader *r, const char *word)
{
    return strncmp(r->at, word, strlen(word)) == 0;
}

/* The point of a Bézier curve at a share of its way. */
static struct weir_layout_point point_at(const struct weir_layout_point *p, double t)
{
    double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    return (struct weir_layout_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                                      a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* Moves the label onto its line, to the point nearest to where it is. */
static void put_label_on_line(const struct weir_layout *layout, struct weir_layout_edge *e)
{
    const struct weir_layout_point *points = &layout->points[e->first_point];
    struct weir_layout_point best = points[0];
    double least = 1e30;
    for (size_t i = 0; i + 3 < e->point_count; i += 3)
        for (int step = 0; step <= 32; step++) {
            struct weir_layout_point at = point_at(points + i, step / 32.0);
            double x = at.x - e->label_x, y = at.y - e->label_y;
            if (x * x + y * y < least) {
                least = x * x + y * y;
                best = at;
            }
        }
    e->label_x = best.x;
    e->label_y = best.y;
}

static void put_label_in_the_middle(const struct weir_layout *layout, struct weir_layout_edge *e)
{
    size_t parts = (e->point_count - 1) / 3;
    const struct weir_layout_point *p = &layout->points[e->first_point + 3 * ((parts - 1) / 2)];
    struct weir_layout_point middle = parts % 2 ? point_at(p, 0.5) : p[3];
    e->label_x = middle.x;
    e->label_y = middle.y;
}

static bool is_between(const struct weir_layout_edge *e, size_t from, size_t to)
{
    return e->back ? e->from == to && e->to == from : e->from == from && e->to == to;
}

static void read_edge(struct reader *r, struct weir_layout *layout, size_t *capacity, bool *out_of_memory)
{
    size_t from = read_node(r, layout), to = read_node(r, layout), index = 0;
    double points = read_number(r);
    /* Of several between two nodes they come in the order in which they were given. */
    while (index < layout->edge_count && (layout->edges[index].point_count || !is_between(&layout->edges[index], from, to)))
        index++;
    if (r->bad || index == layout->edge_count || points < 4 || points > 100000) {
        r->bad = true;
        return;
    }
    struct weir_layout_edge *e = &layout->edges[index];
    void *list = layout->points;
    if (!weir_reserve(&list, capacity, layout->point_count + (size_t)points, sizeof *layout->points)) {
        *out_of_memory = true;
        return;
    }
    layout->points = list;
    e->first_point = layout->point_count;
    e->point_count = (size_t)points;
    for (size_t i = 0; i < e->point_count; i++) {
        double x = read_number(r) * PIXELS, y = layout->height - read_number(r) * PIXELS;
        layout->points[e->first_point + (e->back ? e->point_count - 1 - i : i)] = (struct weir_layout_point){x, y};
    }
    layout->point_count += e->point_count;
    if (!e->label || layout->crowded) {
        put_label_in_the_middle(layout, e);
        return;
    }
    r->at += *r->at == ' ';
    r->at += *r->at == '"' ? strcspn(r->at + 1, "\"\n") + 2 : strcspn(r->at, " \n");
    e->label_x = read_number(r) * PIXELS;
    e->label_y = layout->height - read_number(r) * PIXELS;
    put_label_on_line(layout, e);
}

static enum weir_status understand(struct weir_layout *layout, const char *text, struct weir_error *error)
{
    struct reader r = {.at = text};
    size_t capacity = 0;
    bool out_of_memory = false;
    while (*r.at && !r.bad && !out_of_memory && !starts(&r, "stop")) {
        if (starts(&r, "graph ")) {
            r.at += 6;
            read_number(&r);
            layout->width = read_number(&r) * PIXELS;
            layout->height = read_number(&r) * PIXELS;
        } else if (starts(&r, "node ")) {
            r.at += 5;
            size_t node = read_node(&r, layout);
            layout->nodes[node].x = read_number(&r) * PIXELS;
            layout->nodes[node].y = layout->height - read_number(&r) * PIXELS;
        } else if (starts(&r, "edge ")) {
            r.at += 5;
            read_edge(&r, layout, &capacity, &out_of_memory);
        }
        r.at += strcspn(r.at, "\n");
        r.at += *r.at == '\n';
    }
    if (out_of_memory)
        return weir_fail_memory(error);
    return r.bad ? weir_fail(error, WEIR_INVALID, "Graphviz gave a layout that cannot be read") : WEIR_OK;
}

static enum weir_status lay_out(struct weir_layout *layout, const char *description, struct weir_error *error)
{
    static void *context; /* stays: what it is given back is not forgotten everywhere in it */
    char *text = NULL;
    unsigned bytes;
    graphviz.agseterr(QUIET);
    if (!context)
        context = graphviz.gvContext();
    void *graph = context ? graphviz.agmemread(description) : NULL;
    enum weir_status status = WEIR_OK;
    if (!graph || graphviz.gvLayout(context, graph, "dot"))
        status = weir_fail(error, WEIR_INVALID, "Graphviz cannot lay out the graph");
    else if (graphviz.gvRenderData(context, graph, "plain", &text, &bytes) || !text)
        status = weir_fail(error, WEIR_INVALID, "Graphviz cannot write its layout");
    if (text) {
        status = status ? status : understand(layout, text, error);
        graphviz.gvFreeRenderData(text);
    }
    if (graph) {
        graphviz.gvFreeLayout(context, graph);
        graphviz.agclose(graph);
    }
    return status;
}

enum weir_status weir_layout_find(struct weir_layout *layout, struct weir_error *error)
{
    const char *why = weir_layout_missing();
    enum effort effort;
    if (why)
        return weir_fail(error, WEIR_INVALID, "%s", why);
    layout->points = NULL;
    layout->point_count = 0;
    for (size_t i = 0; i < layout->edge_count; i++)
        layout->edges[i].point_count = 0;
    enum weir_status status = choose_effort(layout, &effort, error);
    if (status)
        return status;
    if (effort == TOO_MUCH)
        return weir_fail(error, WEIR_OVERFLOW, "%zu boxes with %zu lines between them are too many for a drawing",
                         layout->node_count, layout->edge_count);
    layout->crowded = effort != ALL;
    char *description = describe(layout, effort);
    if (!description)
        return weir_fail_memory(error);
    pthread_mutex_lock(&one_at_a_time);
    status = lay_out(layout, description, error);
    pthread_mutex_unlock(&one_at_a_time);
    free(description);
    return status;
}

void weir_layout_free(struct weir_layout *layout)
{
    weir_free(layout->points);
    layout->points = NULL;
}
