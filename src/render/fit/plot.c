/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of a block: what was measured at each size, the fit, and the line above all measurements. */
#include "base/alloc.h"
#include "base/error.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 200 };

#define SECONDS 1e-9

static int by_samples(const void *left, const void *right)
{
    const struct weir_fit_sample *a = left, *b = right;
    if (a->samples != b->samples)
        return a->samples < b->samples ? -1 : 1;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/* The three series of a block, over the same sizes. */
struct drawing {
    struct weir_plot_point seen[POINTS_MAX], fit[POINTS_MAX], safe[POINTS_MAX];
    size_t count;
};

static void add_size(struct drawing *d, const struct weir_fit *fit, const struct weir_fit_sample *samples, size_t count)
{
    const struct weir_fit_sample *middle = samples + count / 2;
    double x = (double)middle->samples;
    d->seen[d->count] = (struct weir_plot_point){
        .x = x, .y = SECONDS * middle->ns, .low = SECONDS * samples[0].ns, .high = SECONDS * samples[count - 1].ns};
    d->fit[d->count] = (struct weir_plot_point){.x = x, .y = SECONDS * (fit->init + fit->per_sample * x)};
    d->safe[d->count] = (struct weir_plot_point){.x = x, .y = SECONDS * (fit->safe_init + fit->safe_per_sample * x)};
    d->count++;
}

/* One point for each size; where there are too many sizes, for sizes evenly chosen among them. */
static bool draw(struct drawing *d, const struct weir_fit *fit)
{
    size_t n = fit->count, sizes = 1, size = 0;
    struct weir_fit_sample *sorted = weir_array(n, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, fit->observations, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_samples);
    for (size_t i = 1; i < n; i++)
        sizes += sorted[i].samples != sorted[i - 1].samples;
    size_t step = (sizes + POINTS_MAX - 1) / POINTS_MAX;
    d->count = 0;
    for (size_t begin = 0, end; begin < n; begin = end, size++) {
        for (end = begin; end < n && sorted[end].samples == sorted[begin].samples;)
            end++;
        if (size % step == 0)
            add_size(d, fit, sorted + begin, end - begin);
    }
    weir_free(sorted);
    return true;
}

enum weir_status weir_fit_write_svg(const struct weir_fit *fit, FILE *out, struct weir_error *error)
{
    struct drawing *d = weir_array(1, sizeof *d);
    if (!d || !draw(d, fit)) {
        weir_free(d);
        return weir_fail_memory(error);
    }
    const struct weir_plot_series series[] = {
        {.name = "measured: median, least to most", .points = d->seen, .count = d->count, .look = 0},
        {.name = "fit", .points = d->fit, .count = d->count, .look = 1},
        {.name = "above all", .points = d->safe, .count = d->count, .look = 2, .dashed = true}};
    char subtitle[200];
    snprintf(subtitle, sizeof subtitle, "fit: %.4g ns + %.4g ns per sample (r2 %.4f); above all: %.4g ns + %.4g ns per sample",
             fit->init, fit->per_sample, fit->r2, fit->safe_init, fit->safe_per_sample);
    const struct weir_plot picture = {.kind = WEIR_PLOT_LINES,
                                      .title = fit->block,
                                      .subtitle = subtitle,
                                      .note = fit->warning,
                                      .x = {.label = "samples of an execution", .logarithmic = true},
                                      .y = {.label = "cost", .logarithmic = true, .values = WEIR_PLOT_SECONDS},
                                      .series = series,
                                      .series_count = sizeof series / sizeof *series};
    enum weir_status status = weir_plot_write_svg(&picture, out, error);
    weir_free(d);
    return status;
}
