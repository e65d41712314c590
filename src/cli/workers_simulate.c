/* SPDX-License-Identifier: Apache-2.0 */
/* weir simulate, for a model whose operators share worker threads. */
#include "analyze.h"
#include "simulate.h"

static const struct weir_separation not_known = {.outcome = WEIR_BRACKET, .lower = INT64_MIN, .upper = INT64_MAX};

enum weir_exit weir_pool_begin(struct weir_simulation *s)
{
    struct weir_error error = {0};
    if (weir_workers_analyze(s->pipeline, NULL, &s->pool, &error) != WEIR_OK)
        return weir_complain_error(s->title, &error);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_workers_latency *latency = &s->pool->latencies[i];
        struct weir_bounds *bounds = &s->bounds[i];
        bool known = latency->outcome != WEIR_WORKERS_UNKNOWN;
        bounds->worst = known ? (struct weir_separation){.outcome = WEIR_EXACT, .value = latency->worst} : not_known;
        bounds->best = latency->has_best ? (struct weir_separation){.outcome = WEIR_EXACT, .value = -latency->best} : not_known;
        bounds->loose = latency->outcome != WEIR_WORKERS_EXACT;
        bounds->why = known ? NULL : latency->why;
    }
    return WEIR_EXIT_OK;
}

/* The first runs, at worst and at best times, in any order. */
enum weir_workers_order weir_pool_order(const struct weir_simulation *s)
{
    static const enum weir_workers_order orders[] = {WEIR_ORDER_RANDOM, WEIR_ORDER_OLDEST, WEIR_ORDER_NEWEST, WEIR_ORDER_MODEL};
    return orders[s->run / 2 % 4];
}

void weir_pool_print(const struct weir_simulation *s)
{
    struct weir_workers_spec workers = weir_pipeline_workers(s->pipeline);
    char amount[WEIR_AMOUNT_TEXT];
    if (workers.dispatch == WEIR_DISPATCH_GREEDY) {
        fputs("  greedy scheduler: one thread, operators in their order\n", stdout);
        return;
    }
    printf("  %s scheduler", weir_dispatch_name(workers.dispatch));
    if (workers.workers)
        printf(", %u worker%s", workers.workers, workers.workers == 1 ? "" : "s");
    else
        fputs(", a worker for each operator", stdout);
    if (workers.dispatch == WEIR_DISPATCH_POLLED)
        printf(", up to %s until an operator is seen", weir_amount_format(s->pipeline, workers.polling, amount));
    fputs("; the next operator by turns: any, the oldest, the newest, the first\n", stdout);
}

void weir_pool_print_json(const struct weir_simulation *s)
{
    struct weir_workers_spec workers = weir_pipeline_workers(s->pipeline);
    char text[WEIR_TIME_TEXT];
    printf(",\n  \"engine\": \"workers\",\n  \"scheduler\": \"%s\",\n  \"workers\": ", weir_dispatch_name(workers.dispatch));
    if (workers.workers)
        printf("%u", workers.workers);
    else
        fputs("null", stdout);
    printf(",\n  \"polling\": %s", weir_time_format(s->pipeline, workers.polling, text));
}
