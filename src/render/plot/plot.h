/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a plot: where values lie on an axis (plot_axis.c), and the text of the picture (plot_svg.c). */
#ifndef WEIR_RENDER_PLOT_PLOT_H
#define WEIR_RENDER_PLOT_PLOT_H

#include "weir.h"

/* ---- axes (plot_axis.c) ---- */

/* Values between low and high lie between the pixels from and to. */
struct weir_axis {
    struct weir_plot_axis spec;
    double low, high;
    double from, to;
};

/* Chooses low and high for values in [smallest, largest]; where there are none, smallest > largest. They become round: multiples
 * of the step between ticks, or on a logarithmic axis 1, 2 or 5 times a power of ten. `from_zero` asks for 0 in the range, and
 * for powers of ten. */
void weir_axis_fit(struct weir_axis *axis, double smallest, double largest, bool from_zero);
/* Whether the value is one that the axis can show: finite, and positive where it must be. */
bool weir_axis_shows(const struct weir_axis *axis, double value);
double weir_axis_place(const struct weir_axis *axis, double value);

#define WEIR_TICKS_MAX 160
#define WEIR_TICK_TEXT 40
struct weir_tick {
    double value;
    char text[WEIR_TICK_TEXT]; /* empty: a minor tick */
};
/* Ascending; returns how many, at most WEIR_TICKS_MAX. */
size_t weir_axis_ticks(const struct weir_axis *axis, struct weir_tick ticks[WEIR_TICKS_MAX]);

/* ---- svg (plot_svg.c) ---- */

/* Writes the text. Each @ in it becomes the next argument, a double, as a coordinate with at most one digit behind the point;
 * each $ the next, text, with what XML reserves replaced; each % the next, an unsigned. The bytes do not depend on the locale. */
void weir_svg_put(FILE *out, const char *text, ...);

#define WEIR_PLOT_LOOKS 8
/* Colours for light and dark, hatchings; all that the elements refer to. */
void weir_svg_styles(FILE *out);
/* A marker of the look around a point. */
void weir_svg_marker(FILE *out, unsigned look, bool hollow, double x, double y);

#endif
