/* SPDX-License-Identifier: Apache-2.0 */
/* What a run comes to, for programs: docs/reference/run.md. Times are nanoseconds. */
#include "run.h"

static void put_text(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    if (text && *text)
        weir_print_json_text(stdout, text);
    else
        fputs("null", stdout);
}

static void put_time(const char *key, bool known, int64_t ns)
{
    if (known)
        printf("\"%s\": %lld", key, (long long)ns);
    else
        printf("\"%s\": null", key);
}

static void put_operator_name(const struct weir_live *live, const char *key, struct weir_operator op)
{
    put_text(key, weir_pipeline_operator(live->pipeline, op).name);
}

static const char *end_name(enum weir_run_end end)
{
    static const char *const names[] = {"unfinished", "complete", "stopped", "failed", "standstill", "fault", "exhausted"};
    return names[end];
}

/* ---- the run ---- */

static void put_run(const struct weir_live *live)
{
    const struct weir_live_settings *s = live->settings;
    struct weir_run_outcome result = weir_run_result(live->run);
    printf("  \"end\": \"%s\",\n  ", end_name(result.end));
    put_text("description", result.description);
    printf(",\n  \"duration\": %lld,\n  \"executions\": %llu,\n", (long long)(result.ended - result.began),
           (unsigned long long)result.executions);
    printf("  \"work\": \"%s\",\n  \"times\": \"%s\",\n  \"seed\": %llu,\n", s->work_name, s->times_name,
           (unsigned long long)s->seed);
    printf("  \"scale\": {\"numerator\": %lld, \"denominator\": %lld},\n", (long long)s->scale.numerator,
           (long long)s->scale.denominator);
}

static void put_scheduling(const struct weir_live *live)
{
    const struct weir_live_settings *s = live->settings;
    printf("  \"scheduling\": {\n    \"asked\": \"%s\",\n    \"policy\": \"%s\",\n    ", weir_run_policy_name(s->policy),
           weir_run_policy_name(live->policy));
    put_text("not_deadline", s->policy == WEIR_RUN_DEADLINE ? live->no_deadline : "");
    fputs(",\n    ", stdout);
    put_text("not_fifo", live->no_fifo);
    printf(",\n    \"cpus\": %u,\n    ", live->cpus);
    if (live->demand >= 0 && live->comparable)
        printf("\"demand\": %.6f,\n    ", live->demand);
    else
        fputs("\"demand\": null,\n    ", stdout);
    if (s->policy == WEIR_RUN_DEADLINE)
        printf("\"bandwidth\": %.6f,\n    \"bandwidth_limit\": %.6f,\n    ", live->bandwidth, live->limit);
    printf("\"memory_locked\": %s,\n    ", weir_run_result(live->run).memory_locked ? "true" : "false");
    put_text("memory_not_locked", live->no_lock);
    fputs("\n  },\n", stdout);
}

/* ---- latencies ---- */

static void put_excess(const struct weir_live *live, const struct weir_live_pair *pair)
{
    printf(",\n      \"above\": {\"count\": %llu, \"looked_at\": %llu", (unsigned long long)pair->over,
           (unsigned long long)pair->looked_at);
    for (int i = 0; i < WEIR_LIVE_REASONS; i++)
        printf(", \"%s\": %llu", weir_live_reason_name((enum weir_live_reason)i), (unsigned long long)pair->classified[i]);
    if (pair->looked_at) {
        printf(",\n        \"longest\": {\"execution\": %lld, \"latency\": %lld", (long long)pair->worst_execution,
               (long long)pair->worst);
        for (int i = 0; i < WEIR_LIVE_UNKNOWN; i++)
            printf(", \"%s\": %lld", weir_live_reason_name((enum weir_live_reason)i), (long long)pair->shares.time[i]);
        for (int i = 0; i < WEIR_LIVE_UNKNOWN; i++)
            if (pair->shares.time[i] > 0) {
                char key[48];
                snprintf(key, sizeof key, "%s_most", weir_live_reason_name((enum weir_live_reason)i));
                fputs(", ", stdout);
                put_operator_name(live, key, (struct weir_operator){pair->shares.op[i]});
            }
        fputs("}", stdout);
    }
    fputs("}", stdout);
}

static void put_pair(const struct weir_live *live, uint32_t index)
{
    const struct weir_live_pair *pair = &live->pairs[index];
    struct weir_run_pair_stats seen = weir_run_pair(live->run, index);
    bool any = seen.count > 0, deadline = seen.pair.has_deadline && live->comparable;
    int64_t within = deadline ? weir_run_ns(live->run, seen.pair.deadline) : 0;
    printf("%s\n    {\n      ", index ? "," : "");
    put_operator_name(live, "from", seen.pair.from);
    fputs(", ", stdout);
    put_operator_name(live, "to", seen.pair.to);
    printf(",\n      \"messages\": %llu, \"missed\": %llu, ", (unsigned long long)seen.count, (unsigned long long)seen.missed);
    printf("\"pending\": %llu, \"pending_above\": %llu, ", (unsigned long long)seen.pending, (unsigned long long)seen.pending_over);
    put_time("pending_max", seen.pending > 0, seen.pending_max);
    fputs(", ", stdout);
    put_time("min", any, seen.min);
    fputs(", ", stdout);
    put_time("mean", any, any ? seen.total / (int64_t)seen.count : 0);
    fputs(", ", stdout);
    put_time("max", any, seen.max);
    fputs(",\n      ", stdout);
    put_time("bound", pair->bounded, pair->bound);
    printf(", \"exact\": %s, ", pair->bounded && pair->exact ? "true" : "false");
    put_time("bound_observed", pair->observed_bounded, pair->observed);
    fputs(", ", stdout);
    put_text("why", pair->bounded ? pair->observed_why : pair->why);
    fputs(",\n      ", stdout);
    put_time("deadline", deadline, within);
    printf(", \"deadline_met\": %s", weir_live_late(live, &seen) ? "false" : "true");
    if (pair->bounded)
        put_excess(live, pair);
    fputs("\n    }", stdout);
}

/* ---- operators and queues ---- */

static void put_operator(const struct weir_live *live, uint32_t index)
{
    struct weir_operator op = {index};
    struct weir_run_operator_stats seen = weir_run_operator(live->run, op);
    const struct weir_live_task *task = &live->tasks[index];
    bool any = seen.executions > 0, cpu = any && live->settings->work != WEIR_RUN_NOTHING;
    printf("%s\n    {", index ? "," : "");
    put_operator_name(live, "name", op);
    printf(", \"executions\": %llu,\n      ", (unsigned long long)seen.executions);
    put_time("min", any, seen.min);
    fputs(", ", stdout);
    put_time("mean", any, any ? seen.total / (int64_t)seen.executions : 0);
    fputs(", ", stdout);
    put_time("max", any, seen.max);
    fputs(", ", stdout);
    put_time("cpu_min", cpu, seen.cpu_min);
    fputs(", ", stdout);
    put_time("cpu_max", cpu, seen.cpu_max);
    fputs(", ", stdout);
    put_time("worst_case", live->comparable, task->cost);
    printf(",\n      \"above_worst_case\": %llu, \"overruns\": %llu, \"thread_cpu\": %lld, \"sleeps\": %llu,\n",
           (unsigned long long)seen.over_worst, (unsigned long long)seen.over_budget, (long long)seen.thread_cpu,
           (unsigned long long)seen.sleeps);
    printf("      \"voluntary_switches\": %llu, \"involuntary_switches\": %llu, \"minor_faults\": %llu, \"major_faults\": %llu,\n",
           (unsigned long long)seen.voluntary_switches, (unsigned long long)seen.involuntary_switches,
           (unsigned long long)seen.minor_faults, (unsigned long long)seen.major_faults);
    printf("      \"policy\": \"%s\", ", weir_run_policy_name(seen.policy));
    put_time("priority", seen.policy == WEIR_RUN_FIFO, task->priority);
    fputs(", ", stdout);
    put_time("runtime", seen.policy == WEIR_RUN_DEADLINE, task->runtime);
    fputs(", ", stdout);
    put_time("period", task->period > 0 && live->comparable, task->period);
    fputs("}", stdout);
}

static void put_queue(const struct weir_live *live, uint32_t index)
{
    struct weir_queue_spec queue = weir_pipeline_queue(live->pipeline, (struct weir_queue){index});
    struct weir_run_queue_stats seen = weir_run_queue(live->run, (struct weir_queue){index});
    printf("%s\n    {", index ? "," : "");
    put_operator_name(live, "from", queue.from);
    fputs(", ", stdout);
    put_operator_name(live, "to", queue.to);
    printf(", \"sent\": %llu, \"taken\": %llu, \"lost\": %llu, \"peak\": %llu}", (unsigned long long)seen.sent,
           (unsigned long long)seen.taken, (unsigned long long)seen.lost, (unsigned long long)seen.peak);
}

void weir_live_print_json(const struct weir_live *live)
{
    fputs("{\n  \"weir\": 1,\n  ", stdout);
    put_text("name", live->title);
    fputs(",\n  \"unit\": \"ns\",\n", stdout);
    put_run(live);
    put_scheduling(live);
    fputs("  ", stdout);
    put_text("engine", live->engine);
    fputs(",\n  ", stdout);
    put_text("no_bound_observed", live->observed_why);
    fputs(",\n  \"latency\": [", stdout);
    for (uint32_t i = 0; i < live->pair_count; i++)
        put_pair(live, i);
    fputs("\n  ],\n  \"operators\": [", stdout);
    for (uint32_t i = 0; i < live->operators; i++)
        put_operator(live, i);
    fputs("\n  ],\n  \"queues\": [", stdout);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(live->pipeline); i++)
        put_queue(live, i);
    fputs("\n  ]\n}\n", stdout);
}
