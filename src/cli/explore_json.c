/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir explore --json` prints: docs/reference/explore.md. */
#include "explore.h"

static void print_time(const struct weir_findings *f, const char *key, bool known, int64_t ticks)
{
    char number[WEIR_TIME_TEXT];
    printf("\"%s\": %s", key, known ? weir_time_format(f->model, ticks, number) : "null");
}

static void print_name(const char *key, const char *name)
{
    printf("\"%s\": ", key);
    weir_print_json_text(stdout, name);
}

static const char *operator_name(const struct weir_findings *f, struct weir_operator op)
{
    return weir_pipeline_operator(f->model, op).name;
}

static void print_latencies(const struct weir_findings *f)
{
    fputs("  \"latency\": [", stdout);
    for (size_t i = 0; i < f->exploration->before->latency_count; i++) {
        struct weir_pair_spec pair = weir_pipeline_pair(f->model, (uint32_t)i);
        int64_t before, after;
        bool bounded = weir_findings_worst(f, i, false, &before), still = weir_findings_worst(f, i, true, &after);
        fputs(i ? ",\n    {" : "\n    {", stdout);
        print_name("from", operator_name(f, pair.from));
        fputs(", ", stdout);
        print_name("to", operator_name(f, pair.to));
        fputs(", ", stdout);
        print_time(f, "before", bounded, before);
        fputs(", ", stdout);
        print_time(f, "after", still, after);
        if (pair.has_deadline) {
            fputs(", ", stdout);
            print_time(f, "deadline", true, pair.deadline);
            printf(", \"met_before\": %s", weir_findings_met(f, i, false) ? "true" : "false");
        }
        printf(", \"met\": %s}", weir_findings_met(f, i, true) ? "true" : "false");
    }
    fputs("\n  ]", stdout);
}

static void print_operators(const struct weir_findings *f)
{
    struct weir_operator_change change;
    bool any = false;
    fputs(",\n  \"operators\": [", stdout);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(f->model); i++) {
        if (!weir_findings_change(f, i, &change))
            continue;
        fputs(any ? ",\n    {" : "\n    {", stdout);
        any = true;
        print_name("name", change.before.name);
        if (change.processor) {
            fputs(", ", stdout);
            print_name("processor_before", weir_pipeline_processor(f->model, change.before.on).name);
            fputs(", ", stdout);
            print_name("processor", weir_pipeline_processor(f->model, change.after.on).name);
        }
        if (change.priority && change.before.has_priority)
            printf(", \"priority_before\": %d", change.before.priority);
        if (change.priority)
            printf(", \"priority\": %d", change.after.priority);
        fputc('}', stdout);
    }
    fputs(any ? "\n  ]" : "]", stdout);
}

static void print_queues(const struct weir_findings *f)
{
    bool any = false;
    fputs(",\n  \"buffers\": [", stdout);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(f->model); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(f->model, (struct weir_queue){i});
        int64_t before, after;
        if (!weir_findings_capacity(f, i, &before, &after))
            continue;
        fputs(any ? ",\n    {" : "\n    {", stdout);
        any = true;
        print_name("from", operator_name(f, queue.from));
        fputs(", ", stdout);
        print_name("to", operator_name(f, queue.to));
        if (before >= 0)
            printf(", \"before\": %lld", (long long)before);
        printf(", \"capacity\": %lld}", (long long)after);
    }
    fputs(any ? "\n  ]" : "]", stdout);
}

static void print_total(const char *key, int64_t total)
{
    if (total < 0)
        printf(",\n  \"%s\": null", key);
    else
        printf(",\n  \"%s\": %lld", key, (long long)total);
}

static void print_spacing(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    struct weir_source_spec source = weir_pipeline_source(f->model, e->source);
    fputs(",\n  \"regulator\": ", stdout);
    if (!e->pipeline) {
        fputs("null", stdout);
        return;
    }
    fputc('{', stdout);
    if (source.name) {
        print_name("source", source.name);
        fputs(", ", stdout);
    }
    print_name("operator", operator_name(f, source.op));
    fputs(", ", stdout);
    print_time(f, "spacing", true, e->spacing);
    fputs(", ", stdout);
    print_time(f, "delay", true, e->delay);
    fputc('}', stdout);
}

void weir_findings_print_json(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    const struct weir_priority_analysis *last = e->after ? e->after : e->before;
    fputs("{\n  \"weir\": 1,\n  ", stdout);
    print_name("model", f->title);
    printf(",\n  \"unit\": \"%s\",\n  \"engine\": \"fixed-priority\",\n  \"method\": \"%s\",\n  \"goal\": \"%s\",\n",
           weir_unit_name(weir_pipeline_unit(f->model)), weir_priority_method_name(f->options->method),
           weir_goal_name(f->options->goal));
    printf("  \"improved\": %s,\n  \"complete\": %s,\n  \"interrupted\": %s,\n  \"evaluations\": %llu,\n",
           e->pipeline ? "true" : "false", e->complete ? "true" : "false", e->interrupted ? "true" : "false",
           (unsigned long long)e->evaluations);
    printf("  \"converged_before\": %s,\n  \"converged\": %s,\n", e->before->outcome == WEIR_PRIORITY_CONVERGED ? "true" : "false",
           last->outcome == WEIR_PRIORITY_CONVERGED ? "true" : "false");
    print_latencies(f);
    if (f->options->goal == WEIR_EXPLORE_SPACING) {
        print_spacing(f);
    } else if (f->options->goal == WEIR_EXPLORE_BUFFERS) {
        print_queues(f);
        print_total("total_before", e->total_before);
        print_total("total", e->total);
        print_total("total_least", e->total_least);
    } else {
        print_operators(f);
    }
    if (last->why) {
        fputs(",\n  ", stdout);
        print_name("why", last->why);
    }
    if (e->note) {
        fputs(",\n  ", stdout);
        print_name("note", e->note);
    }
    fputs("\n}\n", stdout);
}
