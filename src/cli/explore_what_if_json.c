/* SPDX-License-Identifier: Apache-2.0 */
/* What weir explore --what-if --json prints: docs/reference/explore.md. */
#include "explore_what_if.h"

static void print_text(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    weir_print_json_text(stdout, text);
}

static void print_latency(const struct weir_pipeline *p, const struct weir_verdict_latency *l)
{
    char number[WEIR_AMOUNT_TEXT];
    fputs("\n      {", stdout);
    if (!l->whole) {
        print_text("from", weir_pipeline_operator(p, l->pair.from).name);
        fputs(", ", stdout);
        print_text("to", weir_pipeline_operator(p, l->pair.to).name);
        fputs(", ", stdout);
    }
    printf("\"worst\": %s, \"outcome\": \"%s\"", weir_verdict_number(p, l, "null", number), weir_certainty_name(l->certainty));
    if (l->has_best)
        printf(", \"best\": %s", weir_time_format(p, l->best, number));
    if (l->has_deadline)
        printf(", \"deadline\": %s", weir_time_format(p, l->deadline, number));
    printf(", \"met\": %s", l->met ? "true" : "false");
    if (l->why) {
        fputs(", ", stdout);
        print_text("why", l->why);
    }
    if (l->path) {
        fputs(", ", stdout);
        print_text("path", l->path);
    }
    fputc('}', stdout);
}

static void print_verdicts(const char *key, const struct weir_verdicts *v)
{
    char number[WEIR_AMOUNT_TEXT];
    printf("  \"%s\": {\n    \"engine\": \"%s\",\n    \"latency\": [", key, v->engine);
    for (size_t i = 0; i < v->latency_count; i++) {
        fputs(i ? "," : "", stdout);
        print_latency(v->pipeline, &v->latencies[i]);
    }
    fputs("\n    ]", stdout);
    if (v->has_period) {
        printf(",\n    \"throughput\": {\"period\": %s, \"bottleneck\": [", weir_ratio_time(v->pipeline, v->period, number));
        for (size_t i = 0; i < v->bottleneck_count; i++) {
            fputs(i ? ", " : "", stdout);
            weir_print_json_text(stdout, weir_pipeline_operator(v->pipeline, v->bottleneck[i]).name);
        }
        fputs("]}", stdout);
    }
    if (v->utilization.denominator)
        printf(",\n    \"utilization\": %s", weir_ratio_format(v->utilization, 0, 6, number));
    if (v->places >= 0)
        printf(",\n    \"places\": %lld", (long long)v->places);
    fputs("\n  }", stdout);
}

void weir_what_if_print_json(const struct weir_what_if *w)
{
    static const char *const kinds[] = {[WEIR_CHANGE_SET] = "set", [WEIR_CHANGE_ADD] = "add", [WEIR_CHANGE_REMOVE] = "remove"};
    const struct weir_pipeline *p = w->after->pipeline;
    fputs("{\n  \"weir\": 1,\n  ", stdout);
    print_text("model", w->title);
    printf(",\n  \"unit\": \"%s\",\n  \"goal\": \"what-if\",\n  \"changes\": [", weir_unit_name(weir_pipeline_unit(p)));
    for (size_t i = 0; i < w->count; i++) {
        printf("%s\n    {", i ? "," : "");
        print_text(kinds[w->changes[i].kind], w->changes[i].text);
        fputc('}', stdout);
    }
    fputs("\n  ],\n", stdout);
    print_verdicts("before", w->before);
    fputs(",\n", stdout);
    print_verdicts("after", w->after);
    fputs("\n}\n", stdout);
}
