/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of weir explore --pareto: a table, JSON, CSV and a plot. */
#include "explore_size.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 16, LOOKS = 8, NAME = 128, SHOWN = 60 };

static bool has_deadline(const struct weir_pipeline *model)
{
    for (uint32_t i = 0; i < weir_pipeline_pair_count(model); i++)
        if (weir_pipeline_pair(model, i).has_deadline)
            return true;
    return false;
}

/* The least capacity of each queue goes without saying: those that are deeper at the point. */
static void print_deeper(const struct weir_size_view *view, const struct weir_front_point *point)
{
    bool any = false;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(view->model); i++) {
        uint32_t initial = weir_pipeline_queue(view->model, (struct weir_queue){i}).initial, least = initial > 1 ? initial : 1;
        char name[WEIR_QUEUE_TEXT];
        if (!view->front->sized[i] || point->capacities[i] == least)
            continue;
        printf("%s%s: %u", any ? ", " : "", weir_queue_name(view->model, i, name), point->capacities[i]);
        any = true;
    }
    printf("%s\n", any ? "" : "as small as they can be");
}

static void print_proof(const struct weir_size_view *view)
{
    char cost[WEIR_COST_TEXT];
    unsigned most = view->options->most ? view->options->most : WEIR_SIZING_MOST;
    if (view->front->complete)
        printf("\nNo other capacities up to %u are as good in all three and better in one.\n", most);
    else
        printf("\n%s: of capacities with less than %s, no others are as good in all three and better in one.\n",
               view->stopped ? "Interrupted" : "Some latencies are not known",
               weir_cost_format(view, view->front->cost_below, cost));
}

void weir_front_print(const struct weir_size_view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_front *f = view->front;
    bool deadlines = has_deadline(view->model);
    printf("%s%s%s: latency against period against %s\n", style->bold, view->title, style->plain,
           view->options->weights ? "places by weight" : "places");
    if (f->point_count == 0)
        printf("\n  no capacities keep the limits\n");
    else
        printf("\n  %10s  %-14s  %-14s  %squeues\n", view->options->weights ? "weight" : "places", "latency", "period",
               deadlines ? "deadlines  " : "");
    for (size_t i = 0; i < f->point_count && i < SHOWN; i++) {
        const struct weir_front_point *p = &f->points[i];
        char cost[WEIR_COUNT_TEXT], latency[WEIR_AMOUNT_TEXT], period[WEIR_AMOUNT_TEXT];
        printf("  %10s  %-14s  %-14s  %s", weir_count_format(p->cost, cost), weir_amount_format(view->model, p->latency, latency),
               weir_signed_amount(view->model, p->period, period),
               !deadlines ? ""
               : p->met   ? "kept       "
                          : "missed     ");
        print_deeper(view, p);
    }
    if (f->point_count > SHOWN)
        printf("  and %zu more: --csv has them all\n", f->point_count - SHOWN);
    print_proof(view);
}

/* ---- for programs ---- */

static void print_json_queues(const struct weir_size_view *view)
{
    const char *between = "";
    printf("  \"queues\": [");
    for (uint32_t i = 0; i < weir_pipeline_queue_count(view->model); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(view->model, (struct weir_queue){i});
        if (!view->front->sized[i])
            continue;
        printf("%s\n    {\"from\": ", between);
        weir_print_json_text(stdout, weir_pipeline_operator(view->model, queue.from).name);
        fputs(", \"to\": ", stdout);
        weir_print_json_text(stdout, weir_pipeline_operator(view->model, queue.to).name);
        printf(", \"weight\": %lld}", (long long)weir_queue_weight(view, i));
        between = ",";
    }
    printf("\n  ],\n");
}

void weir_front_print_json(const struct weir_size_view *view)
{
    const struct weir_front *f = view->front;
    char time[WEIR_TIME_TEXT], period[WEIR_AMOUNT_TEXT];
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, view->title);
    printf(",\n  \"unit\": \"%s\",\n  \"goal\": \"pareto\",\n  \"complete\": %s,\n",
           weir_unit_name(weir_pipeline_unit(view->model)), f->complete ? "true" : "false");
    if (f->complete)
        printf("  \"cost_below\": null,\n");
    else
        printf("  \"cost_below\": %lld,\n", (long long)f->cost_below);
    print_json_queues(view);
    printf("  \"points\": [");
    for (size_t i = 0; i < f->point_count; i++) {
        const struct weir_front_point *p = &f->points[i];
        const char *between = "";
        printf("%s\n    {\"cost\": %lld, \"latency\": %s, \"period\": %s, \"met\": %s, \"capacities\": [", i ? "," : "",
               (long long)p->cost, weir_time_format(view->model, p->latency, time),
               weir_signed_time(view->model, p->period, period), p->met ? "true" : "false");
        for (uint32_t q = 0; q < weir_pipeline_queue_count(view->model); q++) {
            if (!f->sized[q])
                continue;
            printf("%s%u", between, p->capacities[q]);
            between = ", ";
        }
        printf("]}");
    }
    printf("\n  ]\n}\n");
}

enum weir_status weir_front_write_csv(const void *context, FILE *out, struct weir_error *error)
{
    (void)error;
    const struct weir_size_view *view = context;
    const struct weir_front *f = view->front;
    uint32_t queues = weir_pipeline_queue_count(view->model);
    char time[WEIR_TIME_TEXT], period[WEIR_AMOUNT_TEXT], name[WEIR_QUEUE_TEXT];
    fprintf(out, "%s,latency,period,met", view->options->weights ? "weight" : "places");
    for (uint32_t q = 0; q < queues; q++)
        if (f->sized[q]) {
            fputc(',', out);
            weir_print_csv_text(out, weir_queue_name(view->model, q, name));
        }
    fputc('\n', out);
    for (size_t i = 0; i < f->point_count; i++) {
        const struct weir_front_point *p = &f->points[i];
        fprintf(out, "%lld,%s,%s,%s", (long long)p->cost, weir_time_format(view->model, p->latency, time),
                weir_signed_time(view->model, p->period, period), p->met ? "yes" : "no");
        for (uint32_t q = 0; q < queues; q++)
            if (f->sized[q])
                fprintf(out, ",%u", p->capacities[q]);
        fputc('\n', out);
    }
    return WEIR_OK;
}

/* ---- the plot: latency against places, a line for each period ---- */

struct drawing {
    struct weir_plot_series series[LINES_MAX];
    struct weir_ratio periods[LINES_MAX];
    char names[LINES_MAX][NAME];
    struct weir_plot_point *points;
    size_t count, used;
};

/* The periods, the shortest first; the longest of too many are left out. */
static size_t list_periods(const struct weir_front *f, struct weir_ratio *periods)
{
    size_t count = 0;
    for (size_t i = 0; i < f->point_count; i++) {
        size_t at = 0;
        while (at < count && weir_ratio_order(periods[at], f->points[i].period) < 0)
            at++;
        if (at == LINES_MAX || (at < count && weir_ratio_order(periods[at], f->points[i].period) == 0))
            continue;
        count += count < LINES_MAX;
        memmove(periods + at + 1, periods + at, (count - at - 1) * sizeof *periods);
        periods[at] = f->points[i].period;
    }
    return count;
}

static void draw(const struct weir_size_view *view, struct drawing *d)
{
    const struct weir_front *f = view->front;
    d->count = list_periods(f, d->periods);
    for (size_t i = 0; i < d->count; i++) {
        char amount[WEIR_AMOUNT_TEXT];
        struct weir_plot_series *s = &d->series[i];
        snprintf(d->names[i], NAME, "period %s", weir_signed_amount(view->model, d->periods[i], amount));
        *s = (struct weir_plot_series){
            .name = d->names[i], .points = d->points + d->used, .look = (unsigned)(i % LOOKS), .dashed = i >= LOOKS};
        for (size_t k = 0; k < f->point_count; k++) {
            if (weir_ratio_order(f->points[k].period, d->periods[i]) != 0)
                continue;
            d->points[d->used++] = (struct weir_plot_point){
                .x = (double)f->points[k].cost, .y = weir_ratio_seconds(view->model, (struct weir_ratio){f->points[k].latency, 1})};
            s->count++;
        }
    }
}

enum weir_status weir_front_write_svg(const void *context, FILE *out, struct weir_error *error)
{
    const struct weir_size_view *view = context;
    bool timed = weir_pipeline_unit(view->model) != WEIR_UNIT_TICK;
    char title[2 * NAME];
    struct drawing *d = calloc(1, sizeof *d);
    if (d)
        d->points = calloc(view->front->point_count + 1, sizeof *d->points);
    if (!d || !d->points) {
        free(d);
        *error = (struct weir_error){.status = WEIR_MEMORY, .message = "out of memory"};
        return WEIR_MEMORY;
    }
    draw(view, d);
    snprintf(title, sizeof title, "%.120s: what queues are good for", view->title);
    struct weir_plot plot = {
        .kind = WEIR_PLOT_LINES,
        .title = title,
        .subtitle = "no other capacities are as good in latency, period and places, and better in one",
        .note = view->front->complete ? NULL : "interrupted: not all that is worth having is here",
        .x = {view->options->weights ? "places in queues, by weight" : "places in queues", false, WEIR_PLOT_NUMBERS},
        .y = {"worst latency", false, timed ? WEIR_PLOT_SECONDS : WEIR_PLOT_NUMBERS},
        .series = d->series,
        .series_count = d->count};
    enum weir_status status = weir_plot_write_svg(&plot, out, error);
    free(d->points);
    free(d);
    return status;
}
