/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphviz is told the sizes of the boxes and asked for positions, as the lines of its "plain" format; the drawing is ours. It is
 * loaded at run time, because it brings a dozen libraries that no other verb needs.
 */
#include "write/layout.h"

#include "base/alloc.h"
#include "base/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS 72.0 /* in one of its inches */

/* What is used of it; all pointers are opaque here. */
static struct {
    void *(*gvContext)(void);
    int (*gvLayout)(void *context, void *graph, const char *engine);
    int (*gvRenderData)(void *context, void *graph, const char *format, char **text, unsigned *bytes);
    void (*gvFreeRenderData)(char *text);
    int (*gvFreeLayout)(void *context, void *graph);
    int (*gvFreeContext)(void *context);
    void *(*agmemread)(const char *text);
    int (*agclose)(void *graph);
} graphviz;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Converting the address by copying: C has no cast from a pointer to data to one to a function. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static void load(void)
{
    static const char *const names[] = {"libgvc.so.6", "libgvc.so.7", "libgvc.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "Graphviz is not installed: there is no libgvc.so.6 (Debian: libgvc6)";
        return;
    }
    bool all = true;
#define FIND(name) all = find(library, #name, &graphviz.name, sizeof graphviz.name) && all
    FIND(gvContext);
    FIND(gvLayout);
    FIND(gvRenderData);
    FIND(gvFreeRenderData);
    FIND(gvFreeLayout);
    FIND(gvFreeContext);
    FIND(agmemread);
    FIND(agclose);
#undef FIND
    if (!all)
        missing = "the Graphviz that is installed is not one that can be used";
}

const char *weir_layout_missing(void)
{
    pthread_once(&once, load);
    return missing;
}

/* ---- asking ---- */

static void put_number(FILE *out, double value)
{
    fprintf(out, "%ld.%02ld", (long)value, (long)(value * 100) % 100); /* whatever the locale */
}

static char *describe(const struct weir_layout *layout)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "digraph g{rankdir=%s;ranksep=0.6;nodesep=0.3;node[shape=box,fixedsize=true,label=\"\"];edge[fontsize=10];\n",
            layout->top_down ? "TB" : "LR");
    for (size_t i = 0; i < layout->node_count; i++) {
        fprintf(out, "n%zu[width=", i);
        put_number(out, layout->nodes[i].width / PIXELS);
        fputs(",height=", out);
        put_number(out, layout->nodes[i].height / PIXELS);
        fputs("];\n", out);
    }
    for (size_t i = 0; i < layout->edge_count; i++) {
        const struct weir_layout_edge *e = &layout->edges[i];
        fprintf(out, "n%u->n%u", e->from, e->to);
        if (e->label)
            fprintf(out, "[label=\"%s\"]", e->label);
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

static void read_edge(struct reader *r, struct weir_layout *layout, size_t *capacity, bool *out_of_memory)
{
    size_t from = read_node(r, layout), to = read_node(r, layout), index = 0;
    double points = read_number(r);
    /* Of several between two nodes they come in the order in which they were given. */
    while (index < layout->edge_count &&
           (layout->edges[index].from != from || layout->edges[index].to != to || layout->edges[index].point_count))
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
        layout->points[layout->point_count++] = (struct weir_layout_point){x, y};
    }
    if (!e->label)
        return;
    r->at += *r->at == ' ';
    r->at += *r->at == '"' ? strcspn(r->at + 1, "\"\n") + 2 : strcspn(r->at, " \n");
    e->label_x = read_number(r) * PIXELS;
    e->label_y = layout->height - read_number(r) * PIXELS;
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
    char *text = NULL;
    unsigned bytes;
    void *context = graphviz.gvContext();
    void *graph = context ? graphviz.agmemread(description) : NULL;
    enum weir_status status = WEIR_OK;
    if (!graph || graphviz.gvLayout(context, graph, "dot"))
        status = weir_fail(error, WEIR_INVALID, "Graphviz cannot lay out the graph");
    else if (graphviz.gvRenderData(context, graph, "plain", &text, &bytes) || !text)
        status = weir_fail(error, WEIR_INVALID, "Graphviz cannot write its layout");
    if (!status)
        status = understand(layout, text, error);
    if (text)
        graphviz.gvFreeRenderData(text);
    if (graph) {
        graphviz.gvFreeLayout(context, graph);
        graphviz.agclose(graph);
    }
    if (context)
        graphviz.gvFreeContext(context);
    return status;
}

enum weir_status weir_layout_find(struct weir_layout *layout, struct weir_error *error)
{
    const char *why = weir_layout_missing();
    if (why)
        return weir_fail(error, WEIR_INVALID, "%s", why);
    layout->points = NULL;
    layout->point_count = 0;
    for (size_t i = 0; i < layout->edge_count; i++)
        layout->edges[i].point_count = 0;
    char *description = describe(layout);
    if (!description)
        return weir_fail_memory(error);
    enum weir_status status = lay_out(layout, description, error);
    free(description);
    return status;
}

void weir_layout_free(struct weir_layout *layout)
{
    weir_free(layout->points);
    layout->points = NULL;
}
