/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of weir explore --size-queues. */
#include "explore_size.h"

#include <string.h>

const char *weir_queue_name(const struct weir_pipeline *model, uint32_t index, char text[WEIR_QUEUE_TEXT])
{
    struct weir_queue_spec queue = weir_pipeline_queue(model, (struct weir_queue){index});
    unsigned nth = 1;
    for (uint32_t i = 0; i < index; i++) {
        struct weir_queue_spec other = weir_pipeline_queue(model, (struct weir_queue){i});
        nth += other.from.index == queue.from.index && other.to.index == queue.to.index;
    }
    int length = snprintf(text, WEIR_QUEUE_TEXT, "%.100s -> %.100s", weir_pipeline_operator(model, queue.from).name,
                          weir_pipeline_operator(model, queue.to).name);
    if (nth > 1 && length > 0)
        snprintf(text + length, (size_t)(WEIR_QUEUE_TEXT - length), "#%u", nth);
    return text;
}

const char *weir_cost_format(const struct weir_size_view *view, int64_t cost, char text[WEIR_COST_TEXT])
{
    char number[WEIR_COUNT_TEXT];
    const char *unit = view->options->weights ? "by weight" : cost == 1 ? "place" : "places";
    snprintf(text, WEIR_COST_TEXT, "%s %s", weir_count_format(cost, number), unit);
    return text;
}

int64_t weir_queue_weight(const struct weir_size_view *view, uint32_t queue)
{
    return view->options->weights ? view->options->weights[queue] : 1;
}

static const char *capacity_format(uint32_t capacity, char text[16])
{
    snprintf(text, 16, "%u", capacity);
    return capacity == WEIR_UNBOUNDED ? "unbounded" : text;
}

static unsigned count_sized(const struct weir_size_view *view, const bool *sized)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(view->model); i++)
        count += sized[i];
    return count;
}

/* ---- for people ---- */

static void print_queues(const struct weir_size_view *view)
{
    printf("\n  ");
    weir_print_padded("queue", 40);
    printf("  %-14s  places%s\n", "as modelled", view->options->weights ? "  weight" : "");
    for (uint32_t i = 0; i < weir_pipeline_queue_count(view->model); i++) {
        char name[WEIR_QUEUE_TEXT], before[16];
        if (!view->sizing->sized[i])
            continue;
        fputs("  ", stdout);
        weir_print_padded(weir_queue_name(view->model, i, name), 40);
        printf("  %-14s  %6u", capacity_format(weir_pipeline_queue(view->model, (struct weir_queue){i}).capacity, before),
               view->sizing->capacities[i]);
        if (view->options->weights)
            printf("  %6lld", (long long)weir_queue_weight(view, i));
        fputc('\n', stdout);
    }
}

static void print_latencies(const struct weir_size_view *view)
{
    const struct weir_pipeline *model = view->model;
    char before[WEIR_AMOUNT_TEXT], after[WEIR_AMOUNT_TEXT], limit[WEIR_AMOUNT_TEXT];
    printf("\n  ");
    weir_print_padded("latency, at most", 40);
    printf("  %-14s  %s\n", "as modelled", "sized so");
    for (size_t i = 0; i < view->after->latency_count; i++) {
        const struct weir_verdict_latency *l = &view->after->latencies[i];
        const struct weir_verdict_latency *b = weir_verdict_same(view->before, view->after->pipeline, l);
        int64_t within = view->options->within, deadline = l->has_deadline ? l->deadline : INT64_MAX;
        char title[256];
        fputs("  ", stdout);
        weir_print_padded(weir_verdict_title(view->after->pipeline, l, title, sizeof title), 40);
        printf("  %-14s  %s", b ? weir_verdict_format(model, b, before) : "", weir_verdict_format(model, l, after));
        deadline = within && within < deadline ? within : deadline;
        if (deadline != INT64_MAX)
            printf("  within %s", weir_amount_format(model, deadline, limit));
        fputc('\n', stdout);
    }
    fputs("  ", stdout);
    weir_print_padded("period at worst times", 40);
    printf("  %-14s  %s", view->before->has_period ? weir_signed_amount(model, view->before->period, before) : "",
           weir_signed_amount(model, view->sizing->period, after));
    if (view->options->period)
        printf("  within %s", weir_amount_format(model, view->options->period, limit));
    fputc('\n', stdout);
}

static void print_none(const struct weir_size_view *view)
{
    const struct weir_sizing *s = view->sizing;
    unsigned most = view->options->most ? view->options->most : WEIR_SIZING_MOST;
    char amount[WEIR_AMOUNT_TEXT], cost[WEIR_COST_TEXT];
    if (!s->complete) {
        printf("%s: %s, no capacities were found that keep the limits\n", view->title,
               view->stopped ? "interrupted" : "the limits of the analysis were reached");
        if (s->lower > 0 && s->lower != INT64_MAX)
            printf("\nNone with less than %s do.\n", weir_cost_format(view, s->lower, cost));
        return;
    }
    printf("%s: no capacities up to %u keep the limits\n", view->title, most);
    bool slow = !s->period_least.denominator;
    if (view->options->period && !slow)
        slow = weir_ratio_order(s->period_least, (struct weir_ratio){view->options->period, 1}) > 0;
    if (slow && s->period_least.denominator)
        printf("\nWith %u places in each the period is still %s.\n", most,
               weir_signed_amount(view->model, s->period_least, amount));
}

void weir_sizing_print(const struct weir_size_view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_sizing *s = view->sizing;
    char cost[WEIR_COST_TEXT], lower[WEIR_COST_TEXT];
    if (!s->pipeline) {
        print_none(view);
        return;
    }
    unsigned queues = count_sized(view, s->sized);
    printf("%s%s%s: %s in %u queue%s\n", style->bold, view->title, style->plain, weir_cost_format(view, s->cost, cost), queues,
           queues == 1 ? "" : "s");
    print_queues(view);
    print_latencies(view);
    if (s->complete)
        printf("\nNone with less keep the limits.\n");
    else
        printf("\n%s: the best so far. None with less than %s keep the limits, %lld below it.\n",
               view->stopped ? "Interrupted" : "Some latencies are not known", weir_cost_format(view, s->lower, lower),
               (long long)(s->cost - s->lower));
}

/* ---- for programs ---- */

static void print_json_queues(const struct weir_size_view *view)
{
    const struct weir_sizing *s = view->sizing;
    const char *between = "";
    printf(",\n  \"queues\": [");
    for (uint32_t i = 0; i < weir_pipeline_queue_count(view->model); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(view->model, (struct weir_queue){i});
        char before[16];
        if (!s->sized[i])
            continue;
        printf("%s\n    {\"from\": ", between);
        weir_print_json_text(stdout, weir_pipeline_operator(view->model, queue.from).name);
        fputs(", \"to\": ", stdout);
        weir_print_json_text(stdout, weir_pipeline_operator(view->model, queue.to).name);
        printf(", \"before\": %s, \"capacity\": %u, \"weight\": %lld}",
               queue.capacity == WEIR_UNBOUNDED ? "null" : capacity_format(queue.capacity, before), s->capacities[i],
               (long long)weir_queue_weight(view, i));
        between = ",";
    }
    printf("\n  ]");
}

void weir_sizing_print_json(const struct weir_size_view *view)
{
    const struct weir_sizing *s = view->sizing;
    char number[WEIR_AMOUNT_TEXT];
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, view->title);
    printf(",\n  \"unit\": \"%s\",\n  \"goal\": \"size-queues\",\n  \"complete\": %s",
           weir_unit_name(weir_pipeline_unit(view->model)), s->complete ? "true" : "false");
    if (s->lower == INT64_MAX)
        printf(",\n  \"cost_least\": null");
    else
        printf(",\n  \"cost_least\": %lld", (long long)s->lower);
    printf(",\n  \"period_least\": %s",
           s->period_least.denominator ? weir_signed_time(view->model, s->period_least, number) : "null");
    if (!s->pipeline) {
        puts(",\n  \"cost\": null\n}");
        return;
    }
    printf(",\n  \"cost\": %lld,\n  \"period\": %s", (long long)s->cost, weir_signed_time(view->model, s->period, number));
    print_json_queues(view);
    fputs(",\n", stdout);
    weir_verdicts_print_json(view->before, "before");
    fputs(",\n", stdout);
    weir_verdicts_print_json(view->after, "after");
    puts("\n}");
}

enum weir_status weir_sizing_write_csv(const void *context, FILE *out, struct weir_error *error)
{
    (void)error;
    const struct weir_size_view *view = context;
    char name[WEIR_QUEUE_TEXT], before[16];
    fprintf(out, "queue,before,places,weight\n");
    for (uint32_t i = 0; i < weir_pipeline_queue_count(view->model); i++) {
        if (!view->sizing->sized[i])
            continue;
        weir_print_csv_text(out, weir_queue_name(view->model, i, name));
        fprintf(out, ",%s,%u,%lld\n", capacity_format(weir_pipeline_queue(view->model, (struct weir_queue){i}).capacity, before),
                view->sizing->capacities[i], (long long)weir_queue_weight(view, i));
    }
    return WEIR_OK;
}
