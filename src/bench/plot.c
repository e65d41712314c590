/* SPDX-License-Identifier: Apache-2.0 */
/* The plots of `weir bench`, from the cells of its tables. */
#include "bench/bench.h"

#include <assert.h>

void weir_sketch_add_series(struct weir_sketch *sketch, unsigned look, bool dashed, const char *format, ...)
{
    va_list arguments;
    size_t index = sketch->plot.series_count++;
    assert(index < WEIR_SKETCH_SERIES);
    va_start(arguments, format);
    vsnprintf(sketch->names[index], sizeof sketch->names[index], format, arguments);
    va_end(arguments);
    sketch->series[index] =
        (struct weir_plot_series){.name = sketch->names[index], .points = sketch->points[index], .look = look, .dashed = dashed};
    sketch->plot.series = sketch->series;
}

static struct weir_plot_point *add_point(struct weir_sketch *sketch, double x, double y)
{
    size_t index = sketch->plot.series_count - 1;
    struct weir_plot_series *series = &sketch->series[index];
    assert(series->count < WEIR_SKETCH_POINTS);
    struct weir_plot_point *point = &sketch->points[index][series->count++];
    *point = (struct weir_plot_point){.x = x, .y = y};
    return point;
}

static bool has_number(const struct weir_bench_cell *cell)
{
    return cell->kind == WEIR_CELL_COUNT || cell->kind == WEIR_CELL_SECONDS || cell->kind == WEIR_CELL_PERCENT ||
           cell->kind == WEIR_CELL_RATIO || cell->kind == WEIR_CELL_TIME || cell->kind == WEIR_CELL_OVER;
}

void weir_sketch_add_cell(struct weir_sketch *sketch, double x, const struct weir_bench_cell *cell)
{
    if (has_number(cell))
        add_point(sketch, x, cell->number)->beyond = cell->kind == WEIR_CELL_OVER;
}

void weir_sketch_add_spread(struct weir_sketch *sketch, double x, const struct weir_bench_cell cells[3])
{
    if (!has_number(&cells[1]))
        return;
    struct weir_plot_point *point = add_point(sketch, x, cells[1].number);
    point->beyond = cells[1].kind == WEIR_CELL_OVER;
    if (has_number(&cells[0]) && has_number(&cells[2])) {
        point->low = cells[0].number;
        point->high = cells[2].number;
    }
}

void weir_sketch_axes(struct weir_sketch *sketch, const char *x, bool x_logarithmic, struct weir_plot_axis y)
{
    sketch->plot.x = (struct weir_plot_axis){x, x_logarithmic, WEIR_PLOT_NUMBERS};
    sketch->plot.y = y;
}

void weir_sketch_bars(struct weir_sketch *sketch, const char *const *groups, size_t count, struct weir_plot_axis y)
{
    sketch->plot.kind = WEIR_PLOT_BARS;
    sketch->plot.groups = groups;
    sketch->plot.group_count = count;
    sketch->plot.y = y;
}
