/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the picture of a timeline: svg.c has its frame, svg_lanes.c what is in the lanes, svg_path.c
 * the path, svg_journey.c the measured message. */
#ifndef WEIR_RENDER_TIMELINE_SVG_H
#define WEIR_RENDER_TIMELINE_SVG_H

#include "render/plot/plot.h"
#include "render/timeline/label.h"
#include "render/timeline/timeline.h"

#define WEIR_PICTURE_MARGIN 16.0
#define WEIR_PICTURE_LEVELS 4U /* shown below a lane at most: the fullest */
#define WEIR_PICTURE_ROWS 6U   /* of one lane; more overlap */
#define WEIR_PICTURE_WAITS (WEIR_WAIT_ORDER + 1)

struct weir_picture_lane {
    bool shown;
    uint32_t rows;                  /* drawn; what lies on later ones is drawn on the last */
    double top, height, first, row; /* where it begins, how high it is, where its first row begins, height of a row */
    size_t levels[WEIR_PICTURE_LEVELS];
    unsigned level_count;
};

struct weir_timeline_picture {
    const struct weir_timeline *timeline;
    FILE *out;
    struct weir_axis x;              /* in units, from the origin */
    double unit;                     /* ticks in one of them */
    struct weir_picture_lane *lanes; /* by lane */
    uint32_t shown, left_out;
    bool small;        /* many lanes, so narrow ones */
    double bar, strip; /* heights */
    double width, height, top, bottom;
    bool part;                                              /* of a long run */
    bool kinds[WEIR_SPAN_KINDS], waits[WEIR_PICTURE_WAITS]; /* what is to be explained */
    unsigned levels_max;                                    /* of a lane */
};

/* Where a moment lies; those outside of the picture at its edges. */
double weir_picture_place(const struct weir_timeline_picture *picture, struct weir_ratio time);
/* A moment from the origin on, without its unit. */
const char *weir_picture_time(const struct weir_timeline_picture *picture, struct weir_ratio time, char text[WEIR_TIME_TEXT]);
/* Whether some of the span is in the picture. */
bool weir_picture_shows(const struct weir_timeline_picture *picture, const struct weir_timeline_span *span);
double weir_picture_row(const struct weir_timeline_picture *picture, uint32_t lane, uint32_t row);

/* Which lanes are shown, and how high they are, from `top` on. */
enum weir_status weir_picture_place_lanes(struct weir_timeline_picture *picture, struct weir_error *error);
void weir_picture_put_lanes(const struct weir_timeline_picture *picture);
void weir_picture_put_executions(const struct weir_timeline_picture *picture, uint32_t lane);
void weir_picture_put_blocks(const struct weir_timeline_picture *picture, uint32_t lane);
/* All but the end of the element; x, y, width, height. */
void weir_picture_put_rect(const struct weir_timeline_picture *picture, const char *look, const double box[4]);
/* A span or a moment of the kind from one place to the other, in a row that begins at y and is so high. */
void weir_picture_put_shape(const struct weir_timeline_picture *picture, const struct weir_timeline_span *span, double from,
                            double to, const double row[2]);
void weir_picture_put_delay(const struct weir_timeline_picture *picture, uint32_t lane, const struct weir_timeline_span *span);
/* "label: 1 to 2 us, takes 1 us, note". */
void weir_picture_put_words(const struct weir_timeline_picture *picture, const struct weir_timeline_lane *lane,
                            const struct weir_timeline_span *span);

/* ---- the journey (svg_journey.c) ---- */

double weir_picture_journey_height(const struct weir_timeline_picture *picture);
void weir_picture_put_journey(const struct weir_timeline_picture *picture, double y);
void weir_picture_put_ribbon(const struct weir_timeline_picture *picture);

enum weir_status weir_picture_put_path(const struct weir_timeline_picture *picture, struct weir_error *error);
/* "infer, iteration 3". */
void weir_picture_put_step(const struct weir_timeline_picture *picture, const struct weir_timeline_step *step);
const char *weir_picture_wait_words(enum weir_wait wait);
/* What the sign of the wait means, and the sign itself. */
const char *weir_picture_wait_legend(enum weir_wait wait);
void weir_picture_put_wait(const struct weir_timeline_picture *picture, enum weir_wait wait, double x, double y);

#endif
