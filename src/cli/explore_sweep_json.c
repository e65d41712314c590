/* SPDX-License-Identifier: Apache-2.0 */
/* What weir explore --sweep --json prints: docs/reference/explore.md. */
#include "explore_sweep.h"

static void print_text(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    weir_print_json_text(stdout, text);
}

static void print_axes(const struct weir_sweep *w)
{
    static const char *const kinds[] = {[WEIR_SWEEP_TIMES] = "time", [WEIR_SWEEP_COUNTS] = "count", [WEIR_SWEEP_WORDS] = "word"};
    fputs("  \"axes\": [", stdout);
    for (size_t i = 0; i < w->axis_count; i++) {
        const struct weir_sweep_axis *axis = &w->axes[i];
        printf("%s\n    {", i ? "," : "");
        print_text("target", axis->label);
        printf(", \"kind\": \"%s\", \"values\": [", kinds[axis->values]);
        for (size_t j = 0; j < axis->count; j++) {
            fputs(j ? ", " : "", stdout);
            weir_print_json_text(stdout, axis->texts[j]);
        }
        fputs("]}", stdout);
    }
    fputs("\n  ],\n", stdout);
}

static void print_latencies(const struct weir_sweep *w)
{
    char number[WEIR_AMOUNT_TEXT];
    fputs("  \"latency\": [", stdout);
    for (size_t i = 0; i < w->latency_count; i++) {
        struct weir_verdict_latency l = weir_sweep_latency(w, 0, i);
        printf("%s\n    {", i ? "," : "");
        if (!l.whole) {
            print_text("from", weir_pipeline_operator(w->pipeline, l.pair.from).name);
            fputs(", ", stdout);
            print_text("to", weir_pipeline_operator(w->pipeline, l.pair.to).name);
            if (l.has_deadline)
                printf(", \"deadline\": %s", weir_time_format(w->pipeline, l.deadline, number));
        }
        fputc('}', stdout);
    }
    fputs("\n  ],\n", stdout);
}

static void print_point(const struct weir_sweep *w, size_t p)
{
    static const char *const states[] = {
        [WEIR_SWEEP_OPEN] = "open", [WEIR_SWEEP_DONE] = "done", [WEIR_SWEEP_IMPOSSIBLE] = "impossible"};
    const struct weir_sweep_point *point = &w->points[p];
    char number[WEIR_AMOUNT_TEXT];
    printf("%s\n    {\"at\": [", p ? "," : "");
    for (size_t i = 0; i < w->axis_count; i++)
        printf("%s%zu", i ? ", " : "", weir_sweep_value(w, p, i));
    printf("], \"state\": \"%s\"", states[point->state]);
    if (point->state == WEIR_SWEEP_DONE) {
        fputs(", \"worst\": [", stdout);
        for (size_t i = 0; i < w->latency_count; i++) {
            struct weir_verdict_latency l = weir_sweep_latency(w, p, i);
            printf("%s%s", i ? ", " : "", weir_verdict_number(w->pipeline, &l, "null", number));
        }
        fputc(']', stdout);
        if (point->period.denominator)
            printf(", \"period\": %s", weir_ratio_time(w->pipeline, point->period, number));
        printf(", \"met\": %s", point->met ? "true" : "false");
    }
    fputc('}', stdout);
}

static void print_anomalies(const struct weir_sweep *w)
{
    fputs("  \"anomalies\": [", stdout);
    for (size_t i = 0; i < w->anomaly_count; i++) {
        const struct weir_sweep_anomaly *a = &w->anomalies[i];
        printf("%s\n    {", i ? "," : "");
        if (a->latency < w->latency_count)
            printf("\"latency\": %zu, ", a->latency);
        else
            fputs("\"latency\": null, ", stdout);
        printf("\"axis\": %zu, \"count\": %zu, \"from\": %zu, \"to\": %zu}", a->axis, a->count, a->from, a->to);
    }
    fputs(w->anomaly_count ? "\n  ]\n" : "]\n", stdout);
}

void weir_sweep_print_json(const struct weir_sweep_view *view)
{
    const struct weir_sweep *w = view->sweep;
    fputs("{\n  \"weir\": 1,\n  ", stdout);
    print_text("model", view->title);
    printf(",\n  \"unit\": \"%s\",\n  \"engine\": \"%s\",\n  \"goal\": \"sweep\",\n  \"interrupted\": %s,\n",
           weir_unit_name(weir_pipeline_unit(w->pipeline)), w->engine, w->done < w->point_count ? "true" : "false");
    print_axes(w);
    print_latencies(w);
    fputs("  \"points\": [", stdout);
    for (size_t p = 0; p < w->point_count; p++)
        print_point(w, p);
    fputs("\n  ],\n", stdout);
    print_anomalies(w);
    fputs("}\n", stdout);
}
