/* SPDX-License-Identifier: Apache-2.0 */
/* What the runs of a model come to: numbers, a histogram, JSON. */
#include "priority_simulate.h"

#include <string.h>

enum { ROWS_MAX = 12, BAR_MIN = 10, BAR_MAX = 60 };

static const char *name_of(const struct weir_simulation *s, struct weir_operator op)
{
    return weir_pipeline_operator(s->pipeline, op).name;
}

/* The end of a separation that is never exceeded. */
static bool safe_end(const struct weir_separation *separation, int64_t *value)
{
    *value = separation->outcome == WEIR_EXACT ? separation->value : separation->upper;
    return separation->outcome == WEIR_EXACT || (separation->outcome == WEIR_BRACKET && separation->upper != INT64_MAX);
}

/* ---- the histogram ---- */

struct rows {
    int64_t first, width; /* row k holds [first + k * width, first + (k + 1) * width) */
    int64_t count;
};

static int64_t floor_to(int64_t value, int64_t width)
{
    int64_t rest = value % width;
    return value - (rest < 0 ? rest + width : rest);
}

/* The narrowest rows of 1, 2 or 5 times a power of ten that are few enough to cover [low, high]. */
static struct rows choose_rows(int64_t low, int64_t high)
{
    static const int64_t steps[] = {1, 2, 5};
    struct rows rows = {low, INT64_MAX / 2, 1};
    for (int64_t ten = 1; ten < INT64_MAX / 100; ten *= 10)
        for (size_t i = 0; i < 3; i++) {
            int64_t width = ten * steps[i], first = floor_to(low, width), count = (floor_to(high, width) - first) / width + 1;
            if (count <= ROWS_MAX)
                return (struct rows){first, width, count};
        }
    return rows;
}

struct histogram {
    const struct weir_simulation *simulation;
    const struct weir_samples *samples;
    const struct weir_bounds *bounds;
    struct rows rows;
    size_t label, bar; /* columns */
    size_t fullest;
};

static size_t row_count(const struct histogram *h, int64_t row)
{
    int64_t from = h->rows.first + row * h->rows.width;
    return weir_samples_below(h->samples, from + h->rows.width) - weir_samples_below(h->samples, from);
}

static void print_share(size_t count, size_t total)
{
    size_t permille = (count * 1000 + total / 2) / total;
    if (count && !permille)
        fputs("  < 0.1 %", stdout);
    else if (count)
        printf("%5zu.%zu %%", permille / 10, permille % 10);
    else
        fputs("         ", stdout);
}

static bool lies_in(const struct histogram *h, int64_t row, const struct weir_separation *bound, bool negated)
{
    int64_t from = h->rows.first + row * h->rows.width, value = negated ? -bound->value : bound->value;
    return bound->outcome == WEIR_EXACT && value >= from && value < from + h->rows.width;
}

static bool marked(const struct histogram *h, int64_t row)
{
    return lies_in(h, row, &h->bounds->best, true) || lies_in(h, row, &h->bounds->worst, false);
}

static void print_marks(const struct histogram *h, int64_t row)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_pipeline *pipeline = h->simulation->pipeline;
    char amount[WEIR_AMOUNT_TEXT];
    if (lies_in(h, row, &h->bounds->best, true))
        printf("  %s<- best %s%s", style->good, weir_amount_format(pipeline, -h->bounds->best.value, amount), style->plain);
    if (lies_in(h, row, &h->bounds->worst, false))
        printf("  %s<- worst %s%s", style->bad, weir_amount_format(pipeline, h->bounds->worst.value, amount), style->plain);
}

static void print_row(const struct histogram *h, int64_t row)
{
    char label[WEIR_TIME_TEXT];
    size_t count = row_count(h, row), length = h->fullest ? (count * h->bar + h->fullest - 1) / h->fullest : 0;
    weir_time_format(h->simulation->pipeline, h->rows.first + row * h->rows.width, label);
    printf("    %*s |", (int)h->label, label);
    if (count || marked(h, row)) {
        for (size_t i = 0; i < h->bar; i++)
            fputc(i < length ? '#' : ' ', stdout);
        print_share(count, h->samples->kept_count);
        print_marks(h, row);
    }
    fputc('\n', stdout);
}

static void print_histogram(const struct weir_simulation *s, uint32_t pair)
{
    struct histogram h = {.simulation = s, .samples = &s->samples[pair], .bounds = &s->bounds[pair]};
    int64_t low = h.samples->min, high = h.samples->max;
    char amount[WEIR_AMOUNT_TEXT];
    if (h.bounds->best.outcome == WEIR_EXACT)
        low = -h.bounds->best.value;
    if (h.bounds->worst.outcome == WEIR_EXACT)
        high = h.bounds->worst.value;
    h.rows = choose_rows(low, high);
    size_t mark = strlen("  <- worst ") + strlen(weir_amount_format(s->pipeline, high, amount));
    for (int64_t row = 0; row < h.rows.count; row++) {
        size_t length = strlen(weir_time_format(s->pipeline, h.rows.first + row * h.rows.width, amount)),
               count = row_count(&h, row);
        h.label = length > h.label ? length : h.label;
        h.fullest = count > h.fullest ? count : h.fullest;
    }
    size_t columns = weir_terminal_columns(), other = 4 + h.label + 2 + 9 + mark;
    h.bar = columns > other + BAR_MIN ? columns - other : BAR_MIN;
    h.bar = h.bar < BAR_MAX ? h.bar : BAR_MAX;
    weir_amount_format(s->pipeline, h.rows.width, amount);
    printf("\n    %sfrom, %s each%s\n", weir_style_of(stdout)->dim, amount, weir_style_of(stdout)->plain);
    for (int64_t row = 0; row < h.rows.count; row++)
        print_row(&h, row);
}

/* ---- text ---- */

static void print_bounds(const struct weir_simulation *s, uint32_t pair)
{
    const struct weir_samples *samples = &s->samples[pair];
    const struct weir_separation *worst = &s->bounds[pair].worst, *best = &s->bounds[pair].best;
    char best_text[WEIR_RANGE_TEXT], worst_text[WEIR_RANGE_TEXT];
    bool loose = s->bounds[pair].loose;
    printf(loose ? "    bounds: best %s, worst %s" : "    exact: best %s, worst %s",
           weir_range_format(s->pipeline, best, true, best_text), weir_range_format(s->pipeline, worst, false, worst_text));
    if (samples->count && worst->outcome == WEIR_EXACT) {
        if (samples->max == worst->value)
            fputs(loose ? "; the bound was reached" : "; the worst case was seen", stdout);
        else if (worst->value > 0 && samples->max >= 0)
            printf("; the latest seen is %.1f %% of it", 100 * (double)samples->max / (double)worst->value);
    }
    fputc('\n', stdout);
    if (s->bounds[pair].why)
        printf("    no bound found: %s\n", s->bounds[pair].why);
}

static void print_pair(const struct weir_simulation *s, uint32_t index)
{
    struct weir_pair_spec pair = weir_pipeline_pair(s->pipeline, index);
    const struct weir_samples *samples = &s->samples[index];
    const struct weir_style *style = weir_style_of(stdout);
    char count[WEIR_COUNT_TEXT], texts[4][WEIR_AMOUNT_TEXT];
    printf("\n  %s%s -> %s%s: %s latenc%s\n", style->bold, name_of(s, pair.from), name_of(s, pair.to), style->plain,
           weir_count_format(samples->count, count), samples->count == 1 ? "y" : "ies");
    if (samples->count) {
        bool all = samples->count == (int64_t)samples->kept_count;
        printf("    min %s   median %s   p99 %s   max %s\n", weir_amount_format(s->pipeline, samples->min, texts[0]),
               weir_amount_format(s->pipeline, weir_samples_quantile(samples, 500), texts[1]),
               weir_amount_format(s->pipeline, weir_samples_quantile(samples, 990), texts[2]),
               weir_amount_format(s->pipeline, samples->max, texts[3]));
        if (!all)
            printf("    median, p99 and the histogram are of %s latencies drawn from these\n",
                   weir_count_format((int64_t)samples->kept_count, count));
    }
    print_bounds(s, index);
    if (s->shared)
        weir_shared_print_pair(s, index);
    if (samples->count)
        print_histogram(s, index);
}

void weir_simulation_print(const struct weir_simulation *s)
{
    const struct weir_style *style = weir_style_of(stdout);
    char runs[WEIR_COUNT_TEXT], iterations[WEIR_COUNT_TEXT];
    printf("%s%s%s: %s run%s of %s iteration%s", style->bold, s->title, style->plain, weir_count_format(s->runs, runs),
           s->runs == 1 ? "" : "s", weir_count_format(s->iterations, iterations), s->iterations == 1 ? "" : "s");
    if (s->given)
        printf(", times from %s, others %s", s->given->path, s->settings->times_name);
    else
        printf(", %s times", s->settings->times_name);
    if (s->shared)
        printf(", %s arrivals", s->settings->releases_name);
    if (s->shared || s->pool || !s->given)
        printf(", seed %llu", (unsigned long long)s->settings->seed);
    fputc('\n', stdout);
    if (s->shared && weir_shared_analysis(s)->why)
        printf("  no bound%s: %s\n", weir_shared_analysis(s)->outcome == WEIR_PRIORITY_UNBOUNDED ? "" : " found",
               weir_shared_analysis(s)->why);
    if (s->pool)
        weir_pool_print(s);
    if (s->ages)
        weir_ages_print(s);
    for (uint32_t i = 0; i < s->pair_count; i++)
        print_pair(s, i);
    if (s->shared)
        weir_shared_print_operators(s);
}

/* ---- JSON ---- */

static void print_json_time(const struct weir_simulation *s, const char *key, bool known, int64_t ticks)
{
    char text[WEIR_TIME_TEXT];
    printf(", \"%s\": %s", key, known ? weir_time_format(s->pipeline, ticks, text) : "null");
}

static void print_json_pair(const struct weir_simulation *s, uint32_t index)
{
    struct weir_pair_spec pair = weir_pipeline_pair(s->pipeline, index);
    const struct weir_samples *samples = &s->samples[index];
    const struct weir_separation *worst = &s->bounds[index].worst, *best = &s->bounds[index].best;
    bool some = samples->count > 0;
    int64_t high, low;
    bool high_known = safe_end(worst, &high), low_known = safe_end(best, &low);
    fputs("    {\"from\": ", stdout);
    weir_print_json_text(stdout, name_of(s, pair.from));
    fputs(", \"to\": ", stdout);
    weir_print_json_text(stdout, name_of(s, pair.to));
    printf(", \"shift\": %lld, \"samples\": %lld", (long long)pair.shift, (long long)samples->count);
    print_json_time(s, "min", some, samples->min);
    print_json_time(s, "median", some, some ? weir_samples_quantile(samples, 500) : 0);
    print_json_time(s, "p99", some, some ? weir_samples_quantile(samples, 990) : 0);
    print_json_time(s, "max", some, samples->max);
    printf(", \"percentiles_exact\": %s", samples->count == (int64_t)samples->kept_count ? "true" : "false");
    print_json_time(s, "worst", high_known, high);
    print_json_time(s, "best", low_known, low_known ? -low : 0);
    bool exact = !s->bounds[index].loose && worst->outcome == WEIR_EXACT && best->outcome == WEIR_EXACT;
    printf(", \"exact\": %s", exact ? "true" : "false");
    if (s->shared)
        weir_shared_print_json_pair(s, index);
    if (worst->outcome == WEIR_NO_BOUND)
        fputs(", \"unbounded\": true", stdout);
    if (s->bounds[index].why) {
        fputs(", \"why\": ", stdout);
        weir_print_json_text(stdout, s->bounds[index].why);
    }
    fputc('}', stdout);
}

void weir_simulation_print_json(const struct weir_simulation *s)
{
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, s->title);
    printf(",\n  \"unit\": \"%s\",\n  \"seed\": %llu,\n  \"runs\": %lld,\n  \"iterations\": %lld,\n  \"times\": \"%s\",\n",
           weir_unit_name(weir_pipeline_unit(s->pipeline)), (unsigned long long)s->settings->seed, (long long)s->runs,
           (long long)s->iterations, s->settings->times_name);
    if (s->given) {
        fputs("  \"times_file\": ", stdout);
        weir_print_json_text(stdout, s->given->path);
        fputs(",\n", stdout);
    }
    if (s->shared)
        printf("  \"releases\": \"%s\",\n", s->settings->releases_name);
    fputs("  \"latency\": [", stdout);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        print_json_pair(s, i);
    }
    fputs("\n  ]", stdout);
    if (s->shared)
        weir_shared_print_json(s);
    if (s->pool)
        weir_pool_print_json(s);
    if (s->ages)
        weir_ages_print_json(s);
    fputs("\n}\n", stdout);
}
