/* SPDX-License-Identifier: Apache-2.0 */
/* What the search for late executions found, beside the bounds. */
#include "priority_simulate.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 40, NAME_COLUMNS = 30 };

static bool bounded(const struct weir_simulation *s)
{
    return weir_shared_analysis(s)->outcome == WEIR_PRIORITY_CONVERGED;
}

static void print_share(int64_t seen, int64_t bound)
{
    if (seen == bound)
        fputs(", which is the bound", stdout);
    else if (bound > 0)
        printf(", %.1f %% of the bound", 100 * (double)seen / (double)bound);
}

void weir_shared_print_pair(const struct weir_simulation *s, uint32_t pair)
{
    const struct weir_processors_seen *seen = weir_shared_seen(s);
    char amount[WEIR_AMOUNT_TEXT];
    if (!seen)
        return;
    printf("    the search found %s", weir_amount_format(s->pipeline, seen->latency_max[pair], amount));
    if (bounded(s))
        print_share(seen->latency_max[pair], weir_shared_analysis(s)->latencies[pair].worst);
    if (seen->latency_max_arrival[pair] != seen->latency_max[pair])
        printf("; %s from the actual arrival", weir_amount_format(s->pipeline, seen->latency_max_arrival[pair], amount));
    fputc('\n', stdout);
}

static void print_operator(const struct weir_simulation *s, uint32_t op, size_t columns)
{
    int64_t latest = weir_shared_seen(s)->finish_max[op];
    char amount[WEIR_AMOUNT_TEXT];
    fputs("    ", stdout);
    weir_print_padded(weir_pipeline_operator(s->pipeline, (struct weir_operator){op}).name, columns);
    printf("  %s", weir_amount_format(s->pipeline, latest, amount));
    if (bounded(s)) {
        int64_t bound = weir_shared_analysis(s)->operators[op].finish_max;
        printf(" of %s", weir_amount_format(s->pipeline, bound, amount));
        if (bound > 0 && latest >= 0)
            printf(", %.1f %%", 100 * (double)latest / (double)bound);
    }
    fputc('\n', stdout);
}

void weir_shared_print_operators(const struct weir_simulation *s)
{
    uint32_t count = weir_pipeline_operator_count(s->pipeline);
    size_t columns = 3;
    char executions[WEIR_COUNT_TEXT];
    if (!weir_shared_seen(s))
        return;
    for (uint32_t i = 0; i < count; i++) {
        size_t used = weir_text_columns(weir_pipeline_operator(s->pipeline, (struct weir_operator){i}).name);
        columns = used > columns ? used : columns;
    }
    columns = columns < NAME_COLUMNS ? columns : NAME_COLUMNS;
    printf("\n  Latest ends that the search found in %s executions%s\n",
           weir_count_format((int64_t)weir_shared_seen(s)->executions, executions),
           bounded(s) ? ", of those that the bounds allow" : "");
    for (uint32_t i = 0; i < count && i < ROWS_MAX; i++)
        print_operator(s, i, columns);
    if (count > ROWS_MAX)
        printf("    ... and %u more (--json lists all)\n", count - ROWS_MAX);
}

static void print_json_time(const struct weir_simulation *s, const char *key, int64_t ticks)
{
    char text[WEIR_TIME_TEXT];
    printf(", \"%s\": %s", key, weir_time_format(s->pipeline, ticks, text));
}

void weir_shared_print_json_pair(const struct weir_simulation *s, uint32_t pair)
{
    const struct weir_processors_seen *seen = weir_shared_seen(s);
    if (!seen)
        return;
    print_json_time(s, "search_max", seen->latency_max[pair]);
    print_json_time(s, "search_max_arrival", seen->latency_max_arrival[pair]);
    print_json_time(s, "search_min", seen->latency_min[pair]);
}

static void print_json_operator(const struct weir_simulation *s, uint32_t op)
{
    const struct weir_processors_seen *seen = weir_shared_seen(s);
    fputs("    {\"name\": ", stdout);
    weir_print_json_text(stdout, weir_pipeline_operator(s->pipeline, (struct weir_operator){op}).name);
    print_json_time(s, "enable_min_seen", seen->enable_min[op]);
    print_json_time(s, "enable_max_seen", seen->enable_max[op]);
    print_json_time(s, "finish_max_seen", seen->finish_max[op]);
    if (bounded(s))
        print_json_time(s, "finish_max", weir_shared_analysis(s)->operators[op].finish_max);
    else
        fputs(", \"finish_max\": null", stdout);
    fputc('}', stdout);
}

void weir_shared_print_json(const struct weir_simulation *s)
{
    uint32_t count = weir_pipeline_operator_count(s->pipeline);
    printf(",\n  \"engine\": \"fixed-priority\",\n  \"variant\": \"%s\",\n  \"converged\": %s", weir_shared_analysis(s)->variant,
           bounded(s) ? "true" : "false");
    if (!weir_shared_seen(s))
        return;
    printf(",\n  \"search\": %llu,\n  \"executions\": %llu,\n  \"operators\": [", (unsigned long long)s->settings->search,
           (unsigned long long)weir_shared_seen(s)->executions);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        print_json_operator(s, i);
    }
    fputs("\n  ]", stdout);
}
