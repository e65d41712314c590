/* SPDX-License-Identifier: Apache-2.0 */
/* What the runs of a flow on a pool of cores come to: latencies, responses, samples in queues; each beside its bound. */
#include "edf_simulate.h"

#include <string.h>

enum { ROWS_MAX = 12, BAR_MIN = 10, BAR_MAX = 50, LINES_MAX = 40, NAME_COLUMNS = 40, WHOLE_DIGITS = 12 };

static const char *name_of(const struct weir_edf_seen *s, struct weir_operator op)
{
    return weir_pipeline_operator(s->pipeline, op).name;
}

struct weir_ratio weir_edf_seen_latency(const struct weir_edf_seen *s, uint32_t pair, int64_t scaled)
{
    return weir_ratio_sum((struct weir_ratio){scaled, s->scale}, s->analysis->latencies[pair].gathering);
}

static double share_of(struct weir_ratio seen, struct weir_ratio bound)
{
    return 100 * ((double)seen.numerator / (double)seen.denominator) / ((double)bound.numerator / (double)bound.denominator);
}

/* ---- the histogram ---- */

struct histogram {
    const struct weir_edf_seen *seen;
    uint32_t pair;
    int64_t first, width, count; /* row k holds [first + k width, first + (k + 1) width) ticks */
    size_t label, bar, fullest;
};

/* Latencies below a number of ticks, gathering included. */
static size_t below(const struct histogram *h, int64_t ticks)
{
    const struct weir_samples *samples = &h->seen->pairs[h->pair].samples;
    struct weir_ratio rest = weir_ratio_difference((struct weir_ratio){ticks, 1}, h->seen->analysis->latencies[h->pair].gathering);
    size_t low = 0, high = samples->kept_count;
    if (rest.numerator <= 0)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (weir_ratio_order((struct weir_ratio){samples->kept[middle], h->seen->scale}, rest) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t row_count(const struct histogram *h, int64_t row)
{
    return below(h, h->first + (row + 1) * h->width) - below(h, h->first + row * h->width);
}

/* The narrowest rows of 1, 2 or 5 times a power of ten ticks that are few enough to cover [low, high]. */
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
    const struct weir_edf_latency *latency = &h->seen->analysis->latencies[h->pair];
    const struct weir_style *style = weir_style_of(stdout);
    size_t count = row_count(h, row), total = h->seen->pairs[h->pair].samples.kept_count;
    int64_t from = h->first + row * h->width, worst = latency->bounded ? latency->worst.numerator / latency->worst.denominator : -1;
    bool last = worst >= from && worst < from + h->width;
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
            printf("  %s<- bound %s%s", style->bad, weir_ratio_amount(h->seen->pipeline, latency->worst, text), style->plain);
    }
    fputc('\n', stdout);
}

static void print_histogram(const struct weir_edf_seen *s, uint32_t pair)
{
    const struct weir_samples *samples = &s->pairs[pair].samples;
    const struct weir_edf_latency *latency = &s->analysis->latencies[pair];
    struct histogram h = {.seen = s, .pair = pair, .fullest = 1};
    struct weir_ratio low = weir_edf_seen_latency(s, pair, samples->min), high = weir_edf_seen_latency(s, pair, samples->max);
    char text[WEIR_NUMBER_TEXT];
    high = latency->bounded ? latency->worst : high;
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

static void print_pair(const struct weir_edf_seen *s, uint32_t index)
{
    const struct weir_edf_latency *latency = &s->analysis->latencies[index];
    const struct weir_samples *samples = &s->pairs[index].samples;
    const struct weir_style *style = weir_style_of(stdout);
    char count[WEIR_COUNT_TEXT], texts[4][WEIR_NUMBER_TEXT];
    printf("\n  %s%s -> %s%s: %s latenc%s%s\n", style->bold, name_of(s, latency->pair.from), name_of(s, latency->pair.to),
           style->plain, weir_count_format(samples->count, count), samples->count == 1 ? "y" : "ies",
           s->pairs[index].even ? "" : ", from the last arrival that an execution needs");
    if (samples->count) {
        int64_t values[4] = {samples->min, weir_samples_quantile(samples, 500), weir_samples_quantile(samples, 990), samples->max};
        for (int i = 0; i < 4; i++)
            weir_ratio_amount(s->pipeline, weir_edf_seen_latency(s, index, values[i]), texts[i]);
        printf("    min %s   median %s   p99 %s   max %s\n", texts[0], texts[1], texts[2], texts[3]);
        if (samples->count != (int64_t)samples->kept_count)
            printf("    median, p99 and the histogram are of %s latencies drawn from these\n",
                   weir_count_format((int64_t)samples->kept_count, count));
    }
    if (latency->bounded && samples->count)
        printf("    bound %s; the latest seen is %.1f %% of it\n", weir_ratio_amount(s->pipeline, latency->worst, texts[0]),
               share_of(weir_edf_seen_latency(s, index, samples->max), latency->worst));
    else
        puts(latency->bounded ? "    no execution took all that it needs: simulate more" : "    no bound");
    if (samples->count)
        print_histogram(s, index);
}

static void print_operators(const struct weir_edf_seen *s)
{
    uint32_t count = weir_pipeline_operator_count(s->pipeline);
    size_t columns = 3;
    char amount[WEIR_NUMBER_TEXT], number[WEIR_COUNT_TEXT];
    for (uint32_t i = 0; i < count; i++) {
        size_t used = weir_text_columns(name_of(s, (struct weir_operator){i}));
        columns = used > columns ? used : columns;
    }
    columns = columns < NAME_COLUMNS ? columns : NAME_COLUMNS;
    printf("\n  Longest responses, from the release to the end%s\n",
           s->analysis->schedulable ? ", of those that the bounds allow" : "");
    for (uint32_t i = 0; i < count && i < LINES_MAX; i++) {
        struct weir_ratio seen = {s->responses[i], s->scale}, bound = s->analysis->operators[i].response;
        fputs("    ", stdout);
        weir_print_padded(name_of(s, (struct weir_operator){i}), columns);
        printf("  %s", weir_ratio_amount(s->pipeline, seen, amount));
        if (s->analysis->schedulable)
            printf(" of %s, %.1f %%", weir_ratio_amount(s->pipeline, bound, amount), share_of(seen, bound));
        printf(", %s execution%s\n", weir_count_format(s->executions[i], number), s->executions[i] == 1 ? "" : "s");
    }
    if (count > LINES_MAX)
        printf("    ... and %u more (--json lists all)\n", count - LINES_MAX);
}

static void print_queues(const struct weir_edf_seen *s)
{
    uint32_t count = weir_pipeline_queue_count(s->pipeline);
    char name[256], number[WEIR_COUNT_TEXT];
    size_t columns = 3;
    if (!count)
        return;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            printf("\n  Most samples in a queue%s\n", s->analysis->schedulable ? ", of those that it has room for" : "");
        for (uint32_t i = 0; i < count && i < LINES_MAX; i++) {
            struct weir_queue_spec queue = weir_pipeline_queue(s->pipeline, (struct weir_queue){i});
            snprintf(name, sizeof name, "%.100s -> %.100s", name_of(s, queue.from), name_of(s, queue.to));
            size_t used = weir_text_columns(name);
            columns = used > columns && used <= NAME_COLUMNS ? used : columns;
            if (!pass)
                continue;
            fputs("    ", stdout);
            weir_print_padded(name, columns);
            printf("  %s", weir_count_format(s->peaks[i], number));
            if (i < s->analysis->buffer_count && s->analysis->buffers[i].capacity != WEIR_UNBOUNDED)
                printf(" of %s", weir_count_format(s->analysis->buffers[i].capacity, number));
            fputc('\n', stdout);
        }
    }
    if (count > LINES_MAX)
        printf("    ... and %u more (--json lists all)\n", count - LINES_MAX);
}

void weir_edf_seen_print(const struct weir_edf_seen *s)
{
    const struct weir_style *style = weir_style_of(stdout);
    char runs[WEIR_COUNT_TEXT], rounds[WEIR_COUNT_TEXT];
    printf("%s%s%s: %s run%s of %s round%s on %u core%s, %s times, %s arrivals, seed %llu\n", style->bold, s->title, style->plain,
           weir_count_format(s->runs, runs), s->runs == 1 ? "" : "s", weir_count_format(s->rounds, rounds),
           s->rounds == 1 ? "" : "s", s->analysis->cores, s->analysis->cores == 1 ? "" : "s", s->settings->times_name,
           s->settings->releases_name, (unsigned long long)s->settings->seed);
    if (!s->analysis->schedulable)
        printf("  no bound: not schedulable: %s\n", s->analysis->why);
    for (uint32_t i = 0; i < s->pair_count; i++)
        print_pair(s, i);
    print_operators(s);
    print_queues(s);
}

/* ---- JSON ---- */

static void print_json_number(const struct weir_edf_seen *s, const char *key, bool known, struct weir_ratio ticks)
{
    char text[WEIR_NUMBER_TEXT];
    printf(", \"%s\": %s", key, known ? weir_ratio_format(ticks, weir_pipeline_digits(s->pipeline), WHOLE_DIGITS, text) : "null");
}

static void print_json_name(const char *key, const char *name)
{
    printf("\"%s\": ", key);
    weir_print_json_text(stdout, name);
}

static void print_json_pair(const struct weir_edf_seen *s, uint32_t index)
{
    const struct weir_edf_latency *latency = &s->analysis->latencies[index];
    const struct weir_samples *samples = &s->pairs[index].samples;
    bool some = samples->count > 0;
    fputs("    {", stdout);
    print_json_name("from", name_of(s, latency->pair.from));
    fputs(", ", stdout);
    print_json_name("to", name_of(s, latency->pair.to));
    printf(", \"samples\": %lld", (long long)samples->count);
    print_json_number(s, "min", some, weir_edf_seen_latency(s, index, samples->min));
    print_json_number(s, "median", some, weir_edf_seen_latency(s, index, some ? weir_samples_quantile(samples, 500) : 0));
    print_json_number(s, "p99", some, weir_edf_seen_latency(s, index, some ? weir_samples_quantile(samples, 990) : 0));
    print_json_number(s, "max", some, weir_edf_seen_latency(s, index, samples->max));
    printf(", \"percentiles_exact\": %s", samples->count == (int64_t)samples->kept_count ? "true" : "false");
    print_json_number(s, "worst", latency->bounded, latency->worst);
    fputs(latency->bounded ? ", \"exact\": false}" : ", \"exact\": false, \"unbounded\": true}", stdout);
}

static void print_json_parts(const struct weir_edf_seen *s)
{
    fputs(",\n  \"operators\": [", stdout);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline); i++) {
        fputs(i ? ",\n    {" : "\n    {", stdout);
        print_json_name("name", name_of(s, (struct weir_operator){i}));
        printf(", \"executions\": %lld", (long long)s->executions[i]);
        print_json_number(s, "response_max", s->executions[i] > 0, (struct weir_ratio){s->responses[i], s->scale});
        print_json_number(s, "response", s->analysis->schedulable, s->analysis->operators[i].response);
        fputc('}', stdout);
    }
    fputs("\n  ],\n  \"buffers\": [", stdout);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(s->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(s->pipeline, (struct weir_queue){i});
        fputs(i ? ",\n    {" : "\n    {", stdout);
        print_json_name("from", name_of(s, queue.from));
        fputs(", ", stdout);
        print_json_name("to", name_of(s, queue.to));
        printf(", \"peak\": %lld, \"capacity\": ", (long long)s->peaks[i]);
        if (i < s->analysis->buffer_count && s->analysis->buffers[i].capacity != WEIR_UNBOUNDED)
            printf("%u}", s->analysis->buffers[i].capacity);
        else
            fputs("null}", stdout);
    }
    fputs(weir_pipeline_queue_count(s->pipeline) ? "\n  ]" : "]", stdout);
}

void weir_edf_seen_print_json(const struct weir_edf_seen *s)
{
    fputs("{\n  \"weir\": 1,\n  ", stdout);
    print_json_name("model", s->title);
    printf(",\n  \"unit\": \"%s\",\n  \"engine\": \"global-edf\",\n  \"cores\": %u,\n  \"seed\": %llu,\n  \"runs\": %lld,\n"
           "  \"rounds\": %lld,\n  \"times\": \"%s\",\n  \"releases\": \"%s\",\n  \"schedulable\": %s,\n",
           weir_unit_name(weir_pipeline_unit(s->pipeline)), s->analysis->cores, (unsigned long long)s->settings->seed,
           (long long)s->runs, (long long)s->rounds, s->settings->times_name, s->settings->releases_name,
           s->analysis->schedulable ? "true" : "false");
    if (s->analysis->why) {
        fputs("  ", stdout);
        print_json_name("why", s->analysis->why);
        fputs(",\n", stdout);
    }
    fputs("  \"latency\": [", stdout);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        print_json_pair(s, i);
    }
    fputs("\n  ]", stdout);
    print_json_parts(s);
    fputs("\n}\n", stdout);
}
