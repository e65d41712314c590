/* SPDX-License-Identifier: Apache-2.0 */
/* The plot of weir explore --sweep: bounds over the first axis; a line for each latency or, with a second axis, for its values. */
#include "explore_sweep.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 16, LOOKS = 8, NAME = 256 };

struct drawing {
    const struct weir_sweep *sweep;
    struct weir_plot_series series[LINES_MAX + 1];
    char names[LINES_MAX + 1][NAME];
    struct weir_plot_point *points;
    size_t count, used;
};

static double x_of(const struct weir_sweep *w, size_t value)
{
    const struct weir_sweep_axis *axis = &w->axes[0];
    if (axis->values == WEIR_SWEEP_TIMES)
        return weir_ratio_seconds(w->pipeline, (struct weir_ratio){axis->numbers[value], 1});
    return axis->values == WEIR_SWEEP_WORDS || axis->numbers[value] >= WEIR_AUTO ? (double)value : (double)axis->numbers[value];
}

/* The points of a latency along the first axis, the others being as at `point`. */
static void add_line(struct drawing *d, size_t point, size_t latency)
{
    const struct weir_sweep *w = d->sweep;
    size_t stride = w->point_count / w->axes[0].count;
    struct weir_plot_series *s = &d->series[d->count];
    *s = (struct weir_plot_series){.name = d->names[d->count],
                                   .points = d->points + d->used,
                                   .look = (unsigned)(d->count % LOOKS),
                                   .dashed = d->count >= LOOKS};
    for (size_t i = 0; i < w->axes[0].count; i++) {
        size_t p = i * stride + point;
        struct weir_verdict_latency l = weir_sweep_latency(w, p, latency);
        if (w->points[p].state != WEIR_SWEEP_DONE || !weir_verdict_bounded(&l))
            continue;
        d->points[d->used++] = (struct weir_plot_point){.x = x_of(w, i), .y = weir_ratio_seconds(w->pipeline, l.worst)};
        s->count++;
    }
    d->count++;
}

static void add_deadline(struct drawing *d, int64_t deadline)
{
    const struct weir_sweep *w = d->sweep;
    double y = weir_ratio_seconds(w->pipeline, (struct weir_ratio){deadline, 1});
    snprintf(d->names[d->count], NAME, "deadline");
    d->series[d->count] = (struct weir_plot_series){.name = d->names[d->count],
                                                    .points = d->points + d->used,
                                                    .count = 2,
                                                    .look = (unsigned)(d->count % LOOKS),
                                                    .dashed = true};
    d->points[d->used++] = (struct weir_plot_point){.x = x_of(w, 0), .y = y};
    d->points[d->used++] = (struct weir_plot_point){.x = x_of(w, w->axes[0].count - 1), .y = y};
    d->count++;
}

/* The latency that is drawn where there is a second axis: the first that has a deadline, or else the first. */
static size_t chosen(const struct weir_sweep *w)
{
    for (size_t i = 0; i < w->latency_count; i++)
        if (weir_sweep_latency(w, 0, i).has_deadline)
            return i;
    return 0;
}

static void draw(struct drawing *d)
{
    const struct weir_sweep *w = d->sweep;
    if (w->axis_count == 1) {
        for (size_t i = 0; i < w->latency_count && i < LINES_MAX; i++) {
            char text[NAME];
            snprintf(d->names[d->count], NAME, "%s", weir_sweep_title(w, i, text, sizeof text));
            add_line(d, 0, i);
        }
    } else {
        size_t values = w->axes[1].count, lines = values < LINES_MAX ? values : LINES_MAX;
        size_t stride = w->point_count / w->axes[0].count / values;
        for (size_t i = 0; i < lines; i++) { /* of too many, some from the first to the last */
            size_t value = lines == 1 ? 0 : i * (values - 1) / (lines - 1);
            snprintf(d->names[d->count], NAME, "%.120s=%.120s", w->axes[1].label, w->axes[1].texts[value]);
            add_line(d, value * stride, chosen(w));
        }
    }
    struct weir_verdict_latency l = weir_sweep_latency(w, 0, chosen(w));
    if (l.has_deadline && (w->axis_count > 1 || w->latency_count == 1))
        add_deadline(d, l.deadline);
}

static void say_what(const struct weir_sweep *w, char *subtitle, size_t size)
{
    char name[NAME];
    size_t used = 0;
    subtitle[0] = 0;
    if (w->axis_count > 1)
        used = (size_t)snprintf(subtitle, size, "%s", weir_sweep_title(w, chosen(w), name, sizeof name));
    for (size_t i = 2; i < w->axis_count && used < size; i++)
        used += (size_t)snprintf(subtitle + used, size - used, "; %s=%s", w->axes[i].label, w->axes[i].texts[0]);
}

enum weir_status weir_sweep_write_svg(const void *context, FILE *out, struct weir_error *error)
{
    const struct weir_sweep_view *view = context;
    const struct weir_sweep *w = view->sweep;
    bool timed = weir_pipeline_unit(w->pipeline) != WEIR_UNIT_TICK;
    char title[NAME], subtitle[NAME], label[NAME];
    struct drawing *d = calloc(1, sizeof *d);
    if (d)
        d->points = calloc((LINES_MAX + 1) * (w->axes[0].count + 2), sizeof *d->points);
    if (!d || !d->points) {
        free(d);
        *error = (struct weir_error){.status = WEIR_MEMORY, .message = "out of memory"};
        return WEIR_MEMORY;
    }
    d->sweep = w;
    draw(d);
    snprintf(title, sizeof title, "%.120s: worst latency against %.100s", view->title, w->axes[0].label);
    snprintf(label, sizeof label, "%.200s", w->axes[0].label);
    say_what(w, subtitle, sizeof subtitle);
    bool many = w->axis_count > 1 && w->axes[1].count > LINES_MAX;
    struct weir_plot plot = {
        .kind = WEIR_PLOT_LINES,
        .title = title,
        .subtitle = *subtitle ? subtitle : NULL,
        .note = many ? "only some of the values of the second sweep are drawn" : "points that are missing have no bound",
        .x = {label, false, w->axes[0].values == WEIR_SWEEP_TIMES && timed ? WEIR_PLOT_SECONDS : WEIR_PLOT_NUMBERS},
        .y = {strcmp(w->engine, "exact") == 0 ? "worst latency" : "worst latency, at most", false,
              timed ? WEIR_PLOT_SECONDS : WEIR_PLOT_NUMBERS},
        .series = d->series,
        .series_count = d->count};
    enum weir_status status = weir_plot_write_svg(&plot, out, error);
    free(d->points);
    free(d);
    return status;
}
