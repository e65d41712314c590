/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of what happens when: rows in lanes, time from left to right, as SVG. It knows nothing of analyses: whoever has
 * moments and stretches of time to show fills in the lists. Times are in the unit of the axis.
 */
#ifndef WEIR_RENDER_TIMELINE_TIMELINE_H
#define WEIR_RENDER_TIMELINE_TIMELINE_H

#include "weir.h"

enum weir_timeline_kind {
    WEIR_TIMELINE_SPAN,    /* tall and pale: when something can be going on */
    WEIR_TIMELINE_BLOCK,   /* solid, within a span: something going on */
    WEIR_TIMELINE_OUTLINE, /* the same, hollow */
    WEIR_TIMELINE_GHOST,   /* thin and dashed, below: the span of another time */
    WEIR_TIMELINE_RULER,   /* a length between two moments */
    WEIR_TIMELINE_TICK,    /* a moment: a line across the span */
    WEIR_TIMELINE_ARROW,   /* a moment: something arrives */
    WEIR_TIMELINE_LIMIT,   /* a moment: something must be over */
};

struct weir_timeline_item {
    uint32_t row;
    enum weir_timeline_kind kind;
    unsigned look;   /* colour and hatching, as in a plot */
    double from, to; /* moments: from alone */
};

struct weir_timeline_row {
    const char *name;
    const char *label;   /* stands behind `label_at`; NULL: none */
    const char *details; /* the row in words: for those who point at it, and for those who do not see it */
    double label_at;
};

struct weir_timeline_lane {
    const char *name, *note; /* note may be NULL */
    uint32_t row_count;      /* the next so many rows */
};

struct weir_timeline_legend {
    enum weir_timeline_kind kind;
    const char *text;
};

struct weir_timeline {
    const char *title, *subtitle;
    const char *axis;  /* its label */
    double begin, end; /* what the axis holds at least */
    double grid;       /* a line every so much, from 0 on; 0: none */
    const struct weir_timeline_lane *lanes;
    size_t lane_count;
    const struct weir_timeline_row *rows;
    size_t row_count;
    const struct weir_timeline_item *items; /* in order of rows; later ones lie on top */
    size_t item_count;
    const struct weir_timeline_legend *legend;
    size_t legend_count;
};

/* One picture for light and dark backgrounds and for paper; the same timeline gives the same bytes. */
enum weir_status weir_timeline_write_svg(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);

#endif
