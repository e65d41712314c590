/* SPDX-License-Identifier: Apache-2.0 */
/* Where the boxes and lines of a graph go, by Graphviz, which is loaded when it is first needed. */
#ifndef WEIR_RENDER_DRAWING_LAYOUT_H
#define WEIR_RENDER_DRAWING_LAYOUT_H

#include "weir.h"

/* Lengths are in pixels, y grows downwards. */
struct weir_layout_node {
    double width, height; /* in */
    double x, y;          /* out: its middle */
};

struct weir_layout_edge {
    uint32_t from, to;  /* in */
    const char *label;  /* in: NULL: none; at most a few letters */
    size_t first_point; /* out: of point_count of the layout's, a Bézier curve: 3 n + 1 */
    size_t point_count;
    bool back;               /* out: it leads against the direction of the drawing, in a loop */
    double label_x, label_y; /* out: a point of the line, with room for the label around it where the layout is not crowded */
};

struct weir_layout_point {
    double x, y;
};

struct weir_layout {
    bool top_down; /* otherwise from left to right */
    struct weir_layout_node *nodes;
    size_t node_count;
    struct weir_layout_edge *edges;
    size_t edge_count;
    double width, height;             /* out */
    bool crowded;                     /* out: no room was made for labels */
    struct weir_layout_point *points; /* out; freed by weir_layout_free */
    size_t point_count;
};

/* NULL: it can be used; else what is missing. */
const char *weir_layout_missing(void);
/* Nodes and edges are the caller's. WEIR_OVERFLOW: too many for a layout that takes seconds at most. One at a time: others wait. */
enum weir_status weir_layout_find(struct weir_layout *layout, struct weir_error *error);
void weir_layout_free(struct weir_layout *layout);

#endif
