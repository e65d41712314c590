/* SPDX-License-Identifier: Apache-2.0 */
/* The charts of an answer: counts, times and shares become coordinates. */
#include "answer/answer.h"
#include "answer/number.h"
#include "base/error.h"
#include "render/plot/plot.h"

static double place(const struct weir_pipeline *pipeline, const struct weir_datum *value)
{
    if (value->kind == WEIR_DATUM_COUNT)
        return (double)value->is.count;
    if (value->kind == WEIR_DATUM_TIME)
        return weir_ratio_seconds(pipeline, value->is.ratio);
    return (double)value->is.ratio.numerator / (double)value->is.ratio.denominator;
}

static enum weir_plot_values values_of(const struct weir_pipeline *pipeline, bool times)
{
    return times && weir_pipeline_unit(pipeline) != WEIR_UNIT_TICK ? WEIR_PLOT_SECONDS : WEIR_PLOT_NUMBERS;
}

enum weir_status weir_answer_write_chart(const struct weir_answer *answer, size_t index, FILE *out, struct weir_error *error)
{
    if (index >= answer->charts.count)
        return weir_fail(error, WEIR_INVALID, "the answer has no chart %zu", index);
    const struct weir_chart *chart = (const struct weir_chart *)answer->charts.items + index;
    const struct weir_pipeline *p = answer->pipeline;
    size_t total = 0, used = 0;
    for (size_t i = 0; i < chart->count; i++)
        total += chart->series[i].count / 2;
    struct weir_plot_series *series = weir_array_zeroed(chart->count, sizeof *series);
    struct weir_plot_point *points = weir_array_zeroed(total, sizeof *points);
    enum weir_status status = series && points ? WEIR_OK : weir_fail_memory(error);
    for (size_t i = 0; !status && i < chart->count; i++) {
        const struct weir_chart_series *from = &chart->series[i];
        series[i] = (struct weir_plot_series){.name = from->name,
                                              .points = points + used,
                                              .count = from->count / 2,
                                              .look = (unsigned)(i % WEIR_PLOT_LOOKS),
                                              .dashed = from->dashed || i >= WEIR_PLOT_LOOKS};
        for (size_t k = 0; k + 1 < from->count; k += 2, used++)
            points[used] = (struct weir_plot_point){.x = place(p, &from->points[k]), .y = place(p, &from->points[k + 1])};
    }
    const char *name = answer->title ? answer->title : weir_pipeline_name(p);
    char title[256];
    snprintf(title, sizeof title, "%.120s%s%.120s", name ? name : "", name ? ": " : "", chart->title);
    struct weir_plot plot = {.kind = WEIR_PLOT_LINES,
                             .title = title,
                             .subtitle = chart->subtitle,
                             .note = chart->note,
                             .x = {chart->x_label, chart->logarithmic, values_of(p, chart->x_times)},
                             .y = {chart->y_label, chart->logarithmic, values_of(p, chart->y_times)},
                             .series = series,
                             .series_count = chart->count};
    if (!status)
        status = weir_plot_write_svg(&plot, out, error);
    weir_free(series);
    weir_free(points);
    return status;
}
