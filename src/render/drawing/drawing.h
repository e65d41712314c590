/* SPDX-License-Identifier: Apache-2.0 */
/* What drawing.c, which draws every operator, and overview.c, which draws groups of them, share. */
#ifndef WEIR_RENDER_DRAWING_DRAWING_H
#define WEIR_RENDER_DRAWING_DRAWING_H

#include "answer/answer.h"
#include "render/drawing/layout.h"

#define WEIR_DRAWING_MARGIN 16.0
#define WEIR_DRAWING_LINE 18.0 /* of the words above */
#define WEIR_DRAWING_WORDS 4
#define WEIR_DRAWING_TEXT 224
#define WEIR_DRAWING_NAME 28 /* columns of a name */

enum { WEIR_DRAWN_DATA = 1, WEIR_DRAWN_ROOM = 2 }; /* marks of the critical path along a queue */

struct weir_drawn_box {
    char times[2 * WEIR_TIME_TEXT + 16];
    char note[2 * WEIR_TIME_TEXT + 32]; /* a third line; may be empty */
    bool critical, bottleneck;
};

#define WEIR_DRAWN_LABEL 32

struct weir_drawing {
    const struct weir_pipeline *pipeline;
    const struct weir_answer *answer; /* NULL: none */
    const struct weir_bound *bound;   /* NULL: none to mark */
    struct weir_layout layout;
    struct weir_drawn_box *boxes;     /* by operator */
    char (*labels)[WEIR_DRAWN_LABEL]; /* by queue */
    unsigned char *marks;             /* by queue */
    const char *common;               /* the label that most lines have, where there is no room for it; or NULL */
    char words[WEIR_DRAWING_WORDS][WEIR_DRAWING_TEXT];
    unsigned word_count;
    bool cuts;  /* some line is dotted */
    double top; /* where the layout begins */
    FILE *out;
    struct weir_error *error;
};

/* The beginning of the file, as large as the layout and the words above need. */
void weir_drawing_begin(struct weir_drawing *d);
/* A curve of the layout, as the data of a path; and the head of an arrow at its end. */
void weir_drawing_curve(const struct weir_drawing *d, const struct weir_layout_edge *edge);
void weir_drawing_arrow(const struct weir_drawing *d, const struct weir_layout_edge *edge, bool way);
/* "3 to 4.25 ms" */
void weir_drawing_times(const struct weir_drawing *d, const struct weir_operator_spec *o, char *text, size_t size);

/* Too much for the eye, and for Graphviz: operators on the critical path, and the others in groups. Boxes have their marks of the
 * critical path and of the bottleneck, and queues theirs. */
bool weir_overview_wanted(const struct weir_pipeline *pipeline);
enum weir_status weir_overview_draw(struct weir_drawing *d);

#endif
