/* SPDX-License-Identifier: Apache-2.0 */
/* A picture for each block: what was measured at each size, the fit, and the line above all measurements. */
#include "fit.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 200, PATH = 4096 };

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
    struct weir_fit_sample *sorted = malloc(n * sizeof *sorted);
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
    free(sorted);
    return true;
}

static enum weir_exit plot(const struct weir_fit *fit, struct drawing *d, const char *path)
{
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
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = weir_plot_write_svg(&picture, output.file, &error);
    if (status != WEIR_OK && status != WEIR_IO) /* closing it tells what the file did not take */
        result = weir_complain_error(path, &error);
    return weir_exit_worse(result, weir_output_close(&output, result == WEIR_EXIT_OK));
}

/* FILE.svg and a block become FILE-BLOCK.svg, what file names should not hold replaced; the number is added when others before it
 * have come to the same name. False when that is too long. */
static bool name_file(const char *path, const struct weir_fits *fits, size_t index, char name[PATH])
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash) || dot == path)
        dot = path + strlen(path);
    char block[128] = "";
    const char *from = fits->fits[index].block;
    for (size_t i = 0; i + 1 < sizeof block && from[i]; i++) {
        bool plain = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.", from[i]) != NULL;
        block[i] = plain ? from[i] : '_';
        block[i + 1] = 0;
    }
    int length = strcmp(block, from) == 0 ? snprintf(name, PATH, "%.*s-%s%s", (int)(dot - path), path, block, dot)
                                          : snprintf(name, PATH, "%.*s-%zu-%s%s", (int)(dot - path), path, index + 1, block, dot);
    return length > 0 && length < PATH;
}

enum weir_exit weir_fits_plot(const struct weir_fits *fits, const char *path)
{
    enum weir_exit result = WEIR_EXIT_OK;
    struct drawing *d = malloc(sizeof *d);
    char name[PATH];
    bool memory = d != NULL;
    for (size_t i = 0; memory && i < fits->count && result == WEIR_EXIT_OK; i++) {
        memory = draw(d, &fits->fits[i]);
        if (!memory)
            break;
        if (fits->count > 1 && !name_file(path, fits, i, name)) {
            weir_complain("cannot write %s: the name is too long", path);
            result = WEIR_EXIT_OUTPUT;
        } else {
            result = plot(&fits->fits[i], d, fits->count > 1 ? name : path);
        }
    }
    free(d);
    if (memory)
        return result;
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}
