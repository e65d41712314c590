/* SPDX-License-Identifier: Apache-2.0 */
/* The plots of `weir explore --batch`. */
#include "analyze.h"
#include "explore.h"

#include <stdlib.h>
#include <string.h>

/* Points for up to four series behind each other. */
struct lines {
    struct weir_plot_point *points;
    struct weir_plot_series series[4];
    size_t count, used;
};

static void begin_series(struct lines *lines, const char *name, unsigned look, bool dashed)
{
    lines->series[lines->count++] =
        (struct weir_plot_series){.name = name, .points = lines->points + lines->used, .look = look, .dashed = dashed};
}

static void add_point(struct lines *lines, double x, double y)
{
    lines->points[lines->used++] = (struct weir_plot_point){.x = x, .y = y};
    lines->series[lines->count - 1].count++;
}

static double samples_of(const struct weir_batch_findings *f, const struct weir_batch_point *p)
{
    return (double)p->factor * (double)(f->samples ? f->samples : 1);
}

static double ratio(struct weir_ratio value)
{
    return (double)value.numerator / (double)value.denominator;
}

/* A limit as a line from the first to the last point. */
static void add_limit(const struct weir_batch_findings *f, struct lines *lines, const char *name, double y)
{
    const struct weir_batch_exploration *e = f->exploration;
    begin_series(lines, name, (unsigned)lines->count, true);
    add_point(lines, samples_of(f, &e->points[0]), y);
    add_point(lines, samples_of(f, &e->points[e->point_count - 1]), y);
}

static void draw_latencies(const struct weir_batch_findings *f, struct lines *lines)
{
    const struct weir_batch_exploration *e = f->exploration;
    begin_series(lines, "bound on the latency", 0, false);
    for (size_t i = 0; i < e->point_count; i++)
        if (e->points[i].latency.denominator)
            add_point(lines, samples_of(f, &e->points[i]), weir_ratio_seconds(f->model, e->points[i].latency));
    if (e->merges) {
        begin_series(lines, "best, merged", 1, false);
        add_point(lines, samples_of(f, &e->chosen), weir_ratio_seconds(f->model, e->chosen.latency));
    }
    if (f->options->within)
        add_limit(f, lines, "limit", weir_ratio_seconds(f->model, (struct weir_ratio){f->options->within, 1}));
}

static void draw_loads(const struct weir_batch_findings *f, struct lines *lines)
{
    const struct weir_batch_exploration *e = f->exploration;
    begin_series(lines, "utilization", 0, false);
    for (size_t i = 0; i < e->point_count; i++)
        add_point(lines, samples_of(f, &e->points[i]), ratio(e->points[i].utilization));
    if (e->merges) {
        begin_series(lines, "best, merged", 1, false);
        add_point(lines, samples_of(f, &e->chosen), ratio(e->chosen.utilization));
    }
    if (f->options->utilization.denominator)
        add_limit(f, lines, "limit", ratio(f->options->utilization));
    add_limit(f, lines, "cores", f->cores);
}

enum weir_status weir_batch_plot(const struct weir_batch_findings *f, bool latency, FILE *out, struct weir_error *error)
{
    const struct weir_batch_exploration *e = f->exploration;
    bool timed = weir_pipeline_unit(f->model) != WEIR_UNIT_TICK;
    char title[256], subtitle[128];
    struct lines lines = {.points = calloc(e->point_count + 8, sizeof *lines.points)};
    if (!lines.points) {
        *error = (struct weir_error){.status = WEIR_MEMORY, .message = "out of memory"};
        return WEIR_MEMORY;
    }
    if (e->point_count)
        (latency ? draw_latencies : draw_loads)(f, &lines);
    snprintf(title, sizeof title, "%.200s: %s", f->title,
             latency ? "latency against batch size" : "utilization against batch size");
    snprintf(subtitle, sizeof subtitle, "%s batches, %u core%s", weir_batching_name(f->options->batching), f->cores,
             f->cores == 1 ? "" : "s");
    struct weir_plot plot = {
        .kind = WEIR_PLOT_LINES,
        .title = title,
        .subtitle = subtitle,
        .note = latency ? "batches without a point are not schedulable, or have no bound" : NULL,
        .x = {f->samples ? "samples at a time at the source" : "factor", true, WEIR_PLOT_NUMBERS},
        .y = {latency ? "latency, at most" : "cores in use", true, latency && timed ? WEIR_PLOT_SECONDS : WEIR_PLOT_NUMBERS},
        .series = lines.series,
        .series_count = lines.count};
    enum weir_status status = weir_plot_write_svg(&plot, out, error);
    free(lines.points);
    return status;
}
