/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line I + D c with I, D >= 0 that no observation exceeds, and whose total excess over them is the least. With m the mean of
 * the sizes this is: minimise I + D m. For a given D the smallest I is g(D) = max(y - D c), a convex function that falls, so the
 * function max(g(D), 0) + D m is convex as well. Without I, D >= 0 its minimum is the edge of the upper convex hull above m. A
 * negative slope there becomes 0; beyond D0 = max(y / c), where g reaches 0, the function grows, so D is at most D0. In floating
 * point I is then raised until the sums, as they are computed, hold.
 */
#include "measure/fit/fit.h"

#include <float.h>

struct corner {
    double c, y;
};

static double cross(struct corner a, struct corner b, struct corner p)
{
    return (b.c - a.c) * (p.y - a.y) - (b.y - a.y) * (p.c - a.c);
}

/* The upper hull from left to right; returns how many corners. */
static size_t build_hull(const struct weir_fit_sample *sorted, size_t count, struct corner *hull)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        struct corner p = {(double)sorted[i].samples, sorted[i].ns};
        if (size && hull[size - 1].c >= p.c) { /* of one size only the highest counts */
            if (hull[size - 1].y >= p.y)
                continue;
            size--;
        }
        while (size >= 2 && cross(hull[size - 2], hull[size - 1], p) >= 0)
            size--;
        hull[size++] = p;
    }
    return size;
}

bool weir_fit_envelope(const struct weir_fit_sample *sorted, size_t count, struct weir_fit *fit)
{
    struct corner *hull = weir_array(count, sizeof *hull);
    if (!hull)
        return false;
    size_t size = build_hull(sorted, count, hull);
    double mean = 0, steepest = 0, slope = DBL_MAX, init = 0;
    for (size_t i = 0; i < count; i++) {
        mean += (double)sorted[i].samples / (double)count;
        steepest = weir_larger(steepest, sorted[i].ns / (double)sorted[i].samples);
    }
    for (size_t i = 1; i < size; i++) {
        slope = (hull[i].y - hull[i - 1].y) / (hull[i].c - hull[i - 1].c);
        if (hull[i].c >= mean)
            break;
    }
    slope = weir_smaller(weir_larger(slope, 0), steepest);
    for (size_t i = 0; i < size; i++)
        init = weir_larger(init, hull[i].y - slope * hull[i].c);
    for (size_t i = 0; i < count; i++)
        while (init + slope * (double)sorted[i].samples < sorted[i].ns) /* a few times: what rounding took away */
            init += DBL_EPSILON * sorted[i].ns;
    fit->safe_init = init;
    fit->safe_per_sample = slope;
    weir_resize(hull, 0);
    return true;
}
