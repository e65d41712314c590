/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the timeline: gantt.c has its frame, gantt_lanes.c the lanes, gantt_path.c the critical path. */
#ifndef WEIR_RENDER_TIMELINE_GANTT_H
#define WEIR_RENDER_TIMELINE_GANTT_H

#include "render/plot/plot.h"
#include "render/timeline/happening.h"

#define WEIR_GANTT_WIDTH 1120.0
#define WEIR_GANTT_MARGIN 16.0
#define WEIR_GANTT_STRIPS 4U /* queues shown below a bar at most: the fullest */

struct weir_gantt_strip {
    uint32_t queue;
    int64_t most; /* messages at once */
};

struct weir_gantt_lane {
    bool shown;
    bool crowded;             /* more overlap than have rows */
    unsigned rows;            /* of bars, where iterations overlap */
    double top, height, bars; /* where it begins, how high it is, where its bars begin */
    struct weir_gantt_strip strips[WEIR_GANTT_STRIPS];
    unsigned strip_count;
};

struct weir_gantt {
    const struct weir_happening *happening;
    const struct weir_latency *latency;
    FILE *out;
    struct weir_error *error;
    struct weir_axis x;            /* in units of the model, from where the latency counts */
    double unit;                   /* ticks in one of them */
    struct weir_gantt_lane *lanes; /* by operator */
    uint32_t *order;               /* operators that are shown, each behind those it reads from */
    uint32_t lane_count;
    bool small;        /* many lanes, so narrow ones */
    double bar, strip; /* heights */
    double top, bottom;
    unsigned strips_max; /* of a lane */
};

/* Chooses the lanes and where they go; the axis last, whose room depends on the names. */
enum weir_status weir_gantt_lay_out(struct weir_gantt *gantt);
enum weir_status weir_gantt_put_lanes(const struct weir_gantt *gantt);
enum weir_status weir_gantt_put_path(const struct weir_gantt *gantt);
void weir_gantt_put_legend(const struct weir_gantt *gantt);
double weir_gantt_legend_height(const struct weir_gantt *gantt);

const char *weir_gantt_name(const struct weir_gantt *gantt, uint32_t op);
/* Where a moment lies; those outside of the picture at its edges. */
double weir_gantt_place(const struct weir_gantt *gantt, int64_t time);
/* A moment, counted from where the latency does. */
const char *weir_gantt_time(const struct weir_gantt *gantt, int64_t time, char text[WEIR_TIME_TEXT]);
/* Where a row of bars begins. */
double weir_gantt_row(const struct weir_gantt *gantt, const struct weir_gantt_lane *lane, uint32_t row);
const char *weir_gantt_wait_words(enum weir_wait wait);

#endif
