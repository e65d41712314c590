/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as SVG.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_PLOT_H
#define WEIR_PLOT_H

#include <stdio.h>

#include "weir/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_plot_kind { WEIR_PLOT_LINES, WEIR_PLOT_BARS };
enum weir_plot_values { WEIR_PLOT_NUMBERS, WEIR_PLOT_SECONDS }; /* ticks read "1,000", or "10 us" where 0.00001 stands */

struct weir_plot_axis {
    const char *label;
    bool logarithmic;
    enum weir_plot_values values;
};

struct weir_plot_point {
    double x, y;      /* bars: x is the index of the group */
    double low, high; /* the spread around y, drawn where low < high */
    bool beyond;      /* y is a limit that the value exceeds */
};

/* What cannot be drawn, because it is not finite or not positive on a logarithmic axis, is left out. */
struct weir_plot_series {
    const char *name;
    const struct weir_plot_point *points;
    size_t count;
    unsigned look; /* colour with marker or hatching, 0 .. 7, the same for the same number */
    bool dashed;   /* a second kind of line, with hollow markers */
};

struct weir_plot {
    enum weir_plot_kind kind;
    const char *title, *subtitle, *note; /* NULL: none */
    struct weir_plot_axis x, y;          /* bars: of x only the label counts */
    const char *const *groups;           /* bars: what stands below each group */
    size_t group_count;
    const struct weir_plot_series *series;
    size_t series_count;
};

/* One picture for light and dark backgrounds; the same plot gives the same bytes. */
WEIR_API enum weir_status weir_plot_write_svg(const struct weir_plot *plot, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
