/* SPDX-License-Identifier: Apache-2.0 */
/* What the runs of a graph of kernels come to, beside the bound of its plan. */
#include "gpu_simulate.h"

#include <string.h>

enum { ROWS_MAX = 12, BAR_MIN = 10, BAR_MAX = 50, WHOLE_DIGITS = 12 };

static double value(struct weir_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

/* The smallest makespan that permille / 1000 of the runs do not exceed. */
static struct weir_ratio quantile(const struct weir_gpu_seen *s, size_t permille)
{
    size_t rank = (s->count * permille + 999) / 1000;
    return s->runs[rank ? rank - 1 : 0].makespan;
}

/* In ticks; for reading, not for proving. */
static double mean(const struct weir_gpu_seen *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += value(s->runs[i].makespan);
    return sum / (double)s->count;
}

static double units(const struct weir_gpu_seen *s, double ticks)
{
    for (unsigned digits = weir_pipeline_digits(s->pipeline); digits > 0; digits--)
        ticks /= 10;
    return ticks;
}

static const struct weir_gpu_seen_run *latest(const struct weir_gpu_seen *s)
{
    return &s->runs[s->count - 1];
}

/* The latest of one dispatch, or NULL; and how many there are. */
static const struct weir_gpu_seen_run *latest_of(const struct weir_gpu_seen *s, enum weir_gpu_dispatch dispatch, size_t *count)
{
    const struct weir_gpu_seen_run *found = NULL;
    *count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->runs[i].dispatch == dispatch) {
            found = &s->runs[i];
            ++*count;
        }
    return found;
}

/* ---- the histogram ---- */

struct histogram {
    const struct weir_gpu_seen *seen;
    int64_t first, width, count; /* row k holds [first + k width, first + (k + 1) width) ticks */
    size_t label, bar, fullest;
};

static size_t below(const struct weir_gpu_seen *s, int64_t ticks)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (weir_ratio_order(s->runs[middle].makespan, (struct weir_ratio){ticks, 1}) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t row_count(const struct histogram *h, int64_t row)
{
    return below(h->seen, h->first + (row + 1) * h->width) - below(h->seen, h->first + row * h->width);
}

/* The narrowest rows of 1, 2 or 5 times a power of ten ticks that are few enough. */
static void choose_rows(struct histogram *h, int64_t low, int64_t high)
{
    static const int64_t steps[] = {1, 2, 5};
    for (int64_t ten = 1; ten < INT64_MAX / 100; ten *= 10)
        for (size_t i = 0; i < 3; i++) {
            h->width = ten * steps[i];
            h->first = low / h->width * h->width;
            h->count = (high - h->first) / h->width + 1;
            if (h->count <= ROWS_MAX)
                return;
        }
}

static void print_row(const struct histogram *h, int64_t row)
{
    const struct weir_gpu_plan *plan = h->seen->plan;
    const struct weir_style *style = weir_style_of(stdout);
    size_t count = row_count(h, row), total = h->seen->count;
    int64_t from = h->first + row * h->width, bound = plan->bound.numerator / plan->bound.denominator;
    bool last = bound >= from && bound < from + h->width;
    char text[WEIR_NUMBER_TEXT];
    printf("    %*s |", (int)h->label, weir_time_format(h->seen->pipeline, from, text));
    if (count || last) {
        size_t length = (count * h->bar + h->fullest - 1) / h->fullest, permille = (count * 1000 + total / 2) / total;
        for (size_t i = 0; i < h->bar; i++)
            fputc(i < length ? '#' : ' ', stdout);
        if (count && !permille)
            fputs("  < 0.1 %", stdout);
        else if (count)
            printf("%5zu.%zu %%", permille / 10, permille % 10);
        else
            fputs("         ", stdout);
        if (last)
            printf("  %s<- bound %s%s", style->bad, weir_ratio_amount(h->seen->pipeline, plan->bound, text), style->plain);
    }
    fputc('\n', stdout);
}

static void print_histogram(const struct weir_gpu_seen *s)
{
    struct histogram h = {.seen = s, .fullest = 1};
    struct weir_ratio low = s->runs[0].makespan, high = latest(s)->makespan;
    char text[WEIR_NUMBER_TEXT];
    high = weir_ratio_order(high, s->plan->bound) < 0 ? s->plan->bound : high;
    choose_rows(&h, low.numerator / low.denominator, high.numerator / high.denominator);
    for (int64_t row = 0; row < h.count; row++) {
        size_t length = strlen(weir_time_format(s->pipeline, h.first + row * h.width, text)), count = row_count(&h, row);
        h.label = length > h.label ? length : h.label;
        h.fullest = count > h.fullest ? count : h.fullest;
    }
    size_t columns = weir_terminal_columns(), other = 6 + h.label + 9 + 12 + strlen(weir_ratio_amount(s->pipeline, high, text));
    h.bar = columns > other + BAR_MIN ? columns - other : BAR_MIN;
    h.bar = h.bar < BAR_MAX ? h.bar : BAR_MAX;
    printf("\n    %sfrom, %s each%s\n", weir_style_of(stdout)->dim, weir_amount_format(s->pipeline, h.width, text),
           weir_style_of(stdout)->plain);
    for (int64_t row = 0; row < h.count; row++)
        print_row(&h, row);
}

/* ---- text ---- */

static void print_exceeded(const struct weir_gpu_seen *s)
{
    const struct weir_style *style = weir_style_of(stdout);
    char runs[WEIR_COUNT_TEXT], all[WEIR_COUNT_TEXT];
    printf("\n  %sTHE BOUND IS EXCEEDED%s in %s of %s run%s, by up to %.1f %%: the method %s is not safe\n", style->bad,
           style->plain, weir_count_format((int64_t)s->exceeding, runs), weir_count_format((int64_t)s->count, all),
           s->count == 1 ? "" : "s", 100 * (value(latest(s)->makespan) / value(s->plan->bound) - 1),
           weir_gpu_method_name(s->plan->method));
    printf("    the latest again: --method %s --dispatch %s --times %s --runs 1 --seed %llu\n",
           weir_gpu_method_name(s->plan->method), weir_gpu_dispatch_name(latest(s)->dispatch),
           weir_gpu_times_name(latest(s)->times), (unsigned long long)latest(s)->seed);
}

static void print_dispatches(const struct weir_gpu_seen *s)
{
    char amount[WEIR_NUMBER_TEXT], number[WEIR_COUNT_TEXT];
    fputs("\n  Latest by dispatch, of the bound\n", stdout);
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        size_t count;
        const struct weir_gpu_seen_run *run = latest_of(s, (enum weir_gpu_dispatch)i, &count);
        if (run)
            printf("    %-11s  %s, %.1f %%, %s run%s\n", weir_gpu_dispatch_name((enum weir_gpu_dispatch)i),
                   weir_ratio_amount(s->pipeline, run->makespan, amount), 100 * value(run->makespan) / value(s->plan->bound),
                   weir_count_format((int64_t)count, number), count == 1 ? "" : "s");
    }
}

void weir_gpu_seen_print(const struct weir_gpu_seen *s)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_ratio shown[4] = {s->runs[0].makespan, quantile(s, 500), quantile(s, 990), latest(s)->makespan};
    char count[WEIR_COUNT_TEXT], texts[4][WEIR_NUMBER_TEXT];
    printf("%s%s%s: %s run%s on %u SM%s, method %s, %s times, %s dispatch, seed %llu\n", style->bold, s->title, style->plain,
           weir_count_format((int64_t)s->count, count), s->count == 1 ? "" : "s", s->plan->sms, s->plan->sms == 1 ? "" : "s",
           weir_gpu_method_name(s->plan->method), s->settings->times_name, s->settings->dispatch ? s->settings->dispatch : "mixed",
           (unsigned long long)s->settings->seed);
    for (int i = 0; i < 4; i++)
        weir_ratio_amount(s->pipeline, shown[i], texts[i]);
    printf("\n  %smakespan%s\n    min %s   mean %.6g   median %s   p99 %s   max %s\n", style->bold, style->plain, texts[0],
           units(s, mean(s)), texts[1], texts[2], texts[3]);
    printf("    %sbound %s; the latest seen is %.1f %% of it\n", s->plan->safe ? "" : "unsafe ",
           weir_ratio_amount(s->pipeline, s->plan->bound, texts[0]), 100 * value(latest(s)->makespan) / value(s->plan->bound));
    if (s->plan->why)
        printf("    not safe: %s\n", s->plan->why);
    if (s->exceeding)
        print_exceeded(s);
    print_histogram(s);
    if (!s->settings->dispatch)
        print_dispatches(s);
}

/* ---- JSON ---- */

static void print_json_number(const struct weir_gpu_seen *s, const char *key, struct weir_ratio ticks)
{
    char text[WEIR_NUMBER_TEXT];
    printf("\"%s\": %s", key, weir_ratio_format(ticks, weir_pipeline_digits(s->pipeline), WHOLE_DIGITS, text));
}

static void print_json_run(const struct weir_gpu_seen_run *run)
{
    printf("\"dispatch\": \"%s\", \"times\": \"%s\", \"seed\": %llu", weir_gpu_dispatch_name(run->dispatch),
           weir_gpu_times_name(run->times), (unsigned long long)run->seed);
}

static void print_json_makespan(const struct weir_gpu_seen *s)
{
    static const char *const keys[4] = {"min", "median", "p99", "max"};
    struct weir_ratio shown[4] = {s->runs[0].makespan, quantile(s, 500), quantile(s, 990), latest(s)->makespan};
    fputs("  \"makespan\": {", stdout);
    for (int i = 0; i < 4; i++) {
        print_json_number(s, keys[i], shown[i]);
        fputs(", ", stdout);
    }
    printf("\"mean\": %.12g},\n  \"latest\": {", units(s, mean(s)));
    print_json_run(latest(s));
    fputs("},\n  \"dispatches\": [", stdout);
    bool some = false;
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        size_t count;
        const struct weir_gpu_seen_run *run = latest_of(s, (enum weir_gpu_dispatch)i, &count);
        if (!run)
            continue;
        printf("%s\n    {\"dispatch\": \"%s\", \"runs\": %zu, ", some ? "," : "", weir_gpu_dispatch_name(run->dispatch), count);
        print_json_number(s, "max", run->makespan);
        fputc('}', stdout);
        some = true;
    }
    fputs("\n  ],\n", stdout);
}

void weir_gpu_seen_print_json(const struct weir_gpu_seen *s)
{
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, s->title);
    printf(",\n  \"unit\": \"%s\",\n  \"engine\": \"gpu\",\n  \"method\": \"%s\",\n  \"sms\": %u,\n  \"seed\": %llu,\n"
           "  \"runs\": %zu,\n  \"times\": \"%s\",\n  \"dispatch\": \"%s\",\n",
           weir_unit_name(weir_pipeline_unit(s->pipeline)), weir_gpu_method_name(s->plan->method), s->plan->sms,
           (unsigned long long)s->settings->seed, s->count, s->settings->times_name,
           s->settings->dispatch ? s->settings->dispatch : "mixed");
    print_json_makespan(s);
    fputs("  ", stdout);
    print_json_number(s, "bound", s->plan->bound);
    printf(",\n  \"safe\": %s,\n", s->plan->safe ? "true" : "false");
    if (s->plan->why) {
        fputs("  \"why\": ", stdout);
        weir_print_json_text(stdout, s->plan->why);
        fputs(",\n", stdout);
    }
    printf("  \"exceeded\": %zu\n}\n", s->exceeding);
}
