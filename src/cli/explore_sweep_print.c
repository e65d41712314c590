/* SPDX-License-Identifier: Apache-2.0 */
/* What weir explore --sweep says: a table of points, where bounds are best, and anomalies; CSV. */
#include "explore_sweep.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 40, COLUMNS_MAX = 10, LATENCIES_MAX = 3, CELL = 14, WHERE = 400 };

/* ---- names ---- */

static const char *unit_of(const struct weir_sweep *w)
{
    enum weir_unit unit = weir_pipeline_unit(w->pipeline);
    return unit == WEIR_UNIT_TICK ? "" : weir_unit_name(unit);
}

const char *weir_sweep_title(const struct weir_sweep *w, size_t latency, char *text, size_t size)
{
    if (latency == w->latency_count)
        return "one result at least every";
    struct weir_verdict_latency l = weir_sweep_latency(w, 0, latency);
    return weir_verdict_title(w->pipeline, &l, text, size);
}

struct weir_verdict_latency weir_sweep_latency(const struct weir_sweep *w, size_t point, size_t latency)
{
    if (latency == w->latency_count)
        return (struct weir_verdict_latency){.certainty =
                                                 w->points[point].period.denominator ? WEIR_CERTAIN_EXACT : WEIR_CERTAIN_NONE,
                                             .worst = w->points[point].period,
                                             .met = true};
    const struct weir_sweep_cell *cell = &w->cells[point * w->latency_count + latency];
    struct weir_verdict_latency l = {.certainty = cell->certainty, .worst = cell->worst, .met = cell->met};
    l.whole = weir_pipeline_platform(w->pipeline) == WEIR_PLATFORM_GPU;
    if (l.whole)
        return l;
    l.pair = weir_pipeline_pair(w->pipeline, (uint32_t)latency);
    l.has_deadline = l.pair.has_deadline;
    l.deadline = l.pair.deadline;
    return l;
}

const char *weir_sweep_where(const struct weir_sweep *w, size_t point, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < w->axis_count && used + 1 < size; i++) {
        const struct weir_sweep_axis *axis = &w->axes[i];
        bool timed = axis->values == WEIR_SWEEP_TIMES && *unit_of(w);
        int more = snprintf(text + used, size - used, "%s%s=%s%s%s", i ? ", " : "", axis->label,
                            axis->texts[weir_sweep_value(w, point, i)], timed ? " " : "", timed ? unit_of(w) : "");
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

/* ---- the first lines ---- */

static bool has_period(const struct weir_sweep *w)
{
    for (size_t i = 0; i < w->point_count; i++)
        if (w->points[i].period.denominator)
            return true;
    return false;
}

static void print_first_line(const struct weir_sweep_view *view)
{
    const struct weir_sweep *w = view->sweep;
    const struct weir_style *style = weir_style_of(stdout);
    char points[WEIR_COUNT_TEXT], some[WEIR_COUNT_TEXT];
    size_t met = 0, impossible = 0;
    bool deadlines = false;
    for (size_t i = 0; i < w->latency_count; i++)
        deadlines |= weir_sweep_latency(w, 0, i).has_deadline;
    for (size_t i = 0; i < w->point_count; i++) {
        met += w->points[i].state == WEIR_SWEEP_DONE && w->points[i].met;
        impossible += w->points[i].state == WEIR_SWEEP_IMPOSSIBLE;
    }
    printf("%s%s%s: %s points", style->bold, view->title, style->plain, weir_count_format((int64_t)w->point_count, points));
    if (deadlines)
        printf("; %sdeadlines met at %s of them%s", met ? style->good : style->bad, weir_count_format((int64_t)met, some),
               style->plain);
    fputc('\n', stdout);
    for (size_t i = 0; i < view->changes->count; i++)
        printf("  with %s\n", view->changes->changes[i].name);
    if (w->done < w->point_count)
        printf("  stopped: %s of them are done\n", weir_count_format((int64_t)w->done, some));
    if (impossible)
        printf("  %s of them are no pipeline: a deadlock, or values that do not go together\n",
               weir_count_format((int64_t)impossible, some));
    fputc('\n', stdout);
}

/* ---- tables ---- */

static const char *format(const struct weir_sweep *w, size_t point, size_t latency, char text[WEIR_AMOUNT_TEXT])
{
    struct weir_verdict_latency l = weir_sweep_latency(w, point, latency);
    if (w->points[point].state != WEIR_SWEEP_DONE)
        return w->points[point].state == WEIR_SWEEP_OPEN ? "?" : "-";
    if (!weir_verdict_bounded(&l))
        return latency == w->latency_count ? "-" : weir_verdict_format(w->pipeline, &l, text);
    weir_signed_time(w->pipeline, l.worst, text);
    if (l.has_deadline && !l.met)
        strncat(text, " !", WEIR_AMOUNT_TEXT - strlen(text) - 1);
    return text;
}

/* The last one ends its line. */
static void print_cell(const char *text, size_t columns, bool last)
{
    if (last)
        puts(text);
    else
        weir_print_padded(text, columns);
    if (!last)
        fputs("  ", stdout);
}

static size_t columns_of(const struct weir_sweep_axis *axis)
{
    size_t most = weir_text_columns(axis->label);
    for (size_t i = 0; i < axis->count; i++) {
        size_t own = weir_text_columns(axis->texts[i]);
        most = own > most ? own : most;
    }
    return most < 4 ? 4 : most > 40 ? 40 : most;
}

/* The k-th of `shown` rows of a table that has `all`: from the first to the last, evenly. */
static size_t spread(size_t k, size_t shown, size_t all)
{
    return shown < all ? k * (all - 1) / (shown - 1) : k;
}

/* Rows by the first axis, columns by the second: of one latency. */
static void print_matrix(const struct weir_sweep_view *view, size_t latency)
{
    const struct weir_sweep *w = view->sweep;
    const struct weir_sweep_axis *rows = &w->axes[0], *columns = &w->axes[1];
    char name[256], text[WEIR_AMOUNT_TEXT];
    size_t wide = columns_of(rows);
    printf("  %s, %s%s%s; down: %s, across: %s\n", weir_sweep_title(w, latency, name, sizeof name),
           strcmp(w->engine, "exact") == 0 ? "exact" : "at most", *unit_of(w) ? ", in " : "", unit_of(w), rows->label,
           columns->label);
    fputs("  ", stdout);
    print_cell("", wide, false);
    for (size_t j = 0; j < columns->count; j++)
        print_cell(columns->texts[j], CELL, j + 1 == columns->count);
    size_t shown = view->full || rows->count <= ROWS_MAX ? rows->count : ROWS_MAX;
    for (size_t k = 0; k < shown; k++) {
        size_t i = spread(k, shown, rows->count);
        fputs("  ", stdout);
        print_cell(rows->texts[i], wide, false);
        for (size_t j = 0; j < columns->count; j++)
            print_cell(format(w, i * columns->count + j, latency, text), CELL, j + 1 == columns->count);
    }
    if (shown < rows->count)
        printf("  and %zu rows between these (--full prints all, --csv FILE keeps them)\n", rows->count - shown);
    fputc('\n', stdout);
}

static void print_list(const struct weir_sweep_view *view)
{
    const struct weir_sweep *w = view->sweep;
    size_t latencies = w->latency_count < LATENCIES_MAX || view->full ? w->latency_count : LATENCIES_MAX;
    bool period = has_period(w);
    char name[256], text[WEIR_AMOUNT_TEXT];
    fputs("  ", stdout);
    for (size_t i = 0; i < w->axis_count; i++)
        print_cell(w->axes[i].label, columns_of(&w->axes[i]), false);
    for (size_t j = 0; j < latencies; j++)
        print_cell(weir_sweep_title(w, j, name, sizeof name), 24, !period && j + 1 == latencies);
    if (period)
        print_cell("period", CELL, true);
    size_t shown = view->full || w->point_count <= ROWS_MAX ? w->point_count : ROWS_MAX;
    for (size_t k = 0; k < shown; k++) {
        size_t p = spread(k, shown, w->point_count);
        fputs("  ", stdout);
        for (size_t i = 0; i < w->axis_count; i++)
            print_cell(w->axes[i].texts[weir_sweep_value(w, p, i)], columns_of(&w->axes[i]), false);
        for (size_t j = 0; j < latencies; j++)
            print_cell(format(w, p, j, text), 24, !period && j + 1 == latencies);
        if (period)
            print_cell(format(w, p, w->latency_count, text), CELL, true);
    }
    if (shown < w->point_count)
        printf("  and %zu between these (--full prints all, --csv FILE keeps them)\n", w->point_count - shown);
    if (latencies < w->latency_count)
        printf("  and %zu latencies more in each (--csv FILE has all)\n", w->latency_count - latencies);
    fputc('\n', stdout);
}

/* ---- what is found in them ---- */

static void print_best(const struct weir_sweep *w)
{
    char name[256], where[WHERE], other[WHERE], amount[WEIR_AMOUNT_TEXT], more[WEIR_AMOUNT_TEXT];
    for (size_t j = 0; j < w->latency_count && j < LATENCIES_MAX; j++) {
        size_t low = SIZE_MAX, high = SIZE_MAX;
        for (size_t p = 0; p < w->point_count; p++) {
            struct weir_verdict_latency l = weir_sweep_latency(w, p, j), a, b;
            if (w->points[p].state != WEIR_SWEEP_DONE || !weir_verdict_bounded(&l))
                continue;
            a = low == SIZE_MAX ? l : weir_sweep_latency(w, low, j);
            b = high == SIZE_MAX ? l : weir_sweep_latency(w, high, j);
            low = low == SIZE_MAX || weir_ratio_order(l.worst, a.worst) < 0 ? p : low;
            high = high == SIZE_MAX || weir_ratio_order(l.worst, b.worst) > 0 ? p : high;
        }
        if (low == SIZE_MAX)
            continue;
        printf("%s: from %s at %s to", weir_sweep_title(w, j, name, sizeof name),
               weir_signed_amount(w->pipeline, weir_sweep_latency(w, low, j).worst, amount),
               weir_sweep_where(w, low, where, sizeof where));
        printf(" %s at %s\n", weir_signed_amount(w->pipeline, weir_sweep_latency(w, high, j).worst, more),
               weir_sweep_where(w, high, other, sizeof other));
    }
}

static void print_anomalies(const struct weir_sweep *w)
{
    char name[256], where[WHERE], other[WHERE], before[WEIR_AMOUNT_TEXT], after[WEIR_AMOUNT_TEXT];
    bool exact = strcmp(w->engine, "exact") == 0;
    if (w->anomaly_count)
        puts(exact ? "\nTiming anomalies: what should help makes it worse"
                   : "\nAnomalies of the bounds: what should help makes them worse");
    for (size_t i = 0; i < w->anomaly_count && i < 12; i++) {
        const struct weir_sweep_anomaly *a = &w->anomalies[i];
        struct weir_verdict_latency from = weir_sweep_latency(w, a->from, a->latency),
                                    to = weir_sweep_latency(w, a->to, a->latency);
        printf("  %s, %s of %s: %zu time%s; most from", weir_sweep_title(w, a->latency, name, sizeof name),
               w->axes[a->axis].better > 0 ? "more" : "less", w->axes[a->axis].label, a->count, a->count == 1 ? "" : "s");
        printf(" %s at %s to %s at %s\n", weir_verdict_format(w->pipeline, &from, before),
               weir_sweep_where(w, a->from, where, sizeof where), weir_verdict_format(w->pipeline, &to, after),
               weir_sweep_where(w, a->to, other, sizeof other));
    }
    if (w->anomaly_count > 12)
        printf("  ... and %zu more (--json lists all)\n", w->anomaly_count - 12);
}

void weir_sweep_print(const struct weir_sweep_view *view)
{
    const struct weir_sweep *w = view->sweep;
    print_first_line(view);
    bool matrix = w->axis_count == 2 && w->axes[1].count <= COLUMNS_MAX && w->latency_count <= LATENCIES_MAX;
    for (size_t i = 0; matrix && i < w->latency_count; i++)
        print_matrix(view, i);
    if (matrix && has_period(w))
        print_matrix(view, w->latency_count);
    if (!matrix)
        print_list(view);
    print_best(w);
    print_anomalies(w);
}

/* ---- CSV ---- */

static void put_csv(FILE *out, const char *text, const char *before)
{
    fputs(before, out);
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static const char *const states[] = {
    [WEIR_SWEEP_OPEN] = "open", [WEIR_SWEEP_DONE] = "done", [WEIR_SWEEP_IMPOSSIBLE] = "impossible"};

enum weir_status weir_sweep_write_csv(const void *context, FILE *out, struct weir_error *error)
{
    const struct weir_sweep *w = ((const struct weir_sweep_view *)context)->sweep;
    char name[256], number[WEIR_AMOUNT_TEXT];
    (void)error;
    for (size_t i = 0; i < w->axis_count; i++)
        put_csv(out, w->axes[i].label, i ? "," : "");
    for (size_t i = 0; i < w->latency_count; i++)
        put_csv(out, weir_sweep_title(w, i, name, sizeof name), ",");
    fputs(",\"period\",\"met\",\"state\"\n", out);
    for (size_t p = 0; p < w->point_count; p++) {
        const struct weir_sweep_point *point = &w->points[p];
        for (size_t i = 0; i < w->axis_count; i++) {
            const char *text = w->axes[i].texts[weir_sweep_value(w, p, i)];
            if (strpbrk(text, ",\""))
                put_csv(out, text, i ? "," : "");
            else
                fprintf(out, "%s%s", i ? "," : "", text);
        }
        for (size_t i = 0; i <= w->latency_count; i++) {
            struct weir_verdict_latency l = weir_sweep_latency(w, p, i);
            bool known = point->state == WEIR_SWEEP_DONE;
            fprintf(out, ",%s", known ? weir_verdict_number(w->pipeline, &l, "", number) : "");
        }
        fprintf(out, ",%s,%s\n", point->state != WEIR_SWEEP_DONE ? "" : point->met ? "true" : "false", states[point->state]);
    }
    return WEIR_OK;
}
