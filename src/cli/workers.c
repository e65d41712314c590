/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a model whose operators share worker threads. */
#include "workers.h"

#include "latency_list.h"

#include <stdlib.h>

struct view {
    const struct weir_workers_analysis *analysis;
    struct weir_latency_list list;
    const char *title;
};

/* The answer with the deadline of the command line where the model has none: a copy, since an analysis is not ours to change. */
static struct weir_workers_latency *add_deadline(const struct weir_workers_analysis *analysis, int64_t deadline)
{
    struct weir_workers_latency *latencies = calloc(analysis->latency_count ? analysis->latency_count : 1, sizeof *latencies);
    for (size_t i = 0; latencies && i < analysis->latency_count; i++) {
        struct weir_workers_latency *latency = &latencies[i];
        *latency = analysis->latencies[i];
        if (weir_pair_add_deadline(&latency->pair, deadline))
            latency->deadline_met = latency->outcome != WEIR_WORKERS_UNKNOWN && latency->worst <= deadline;
    }
    return latencies;
}

/* ---- the first lines ---- */

static void print_scheduler(const struct view *view)
{
    struct weir_workers_spec workers = weir_pipeline_workers(view->list.pipeline);
    char amount[WEIR_AMOUNT_TEXT];
    uint32_t count = weir_pipeline_operator_count(view->list.pipeline);
    printf("%u operator%s, %s scheduler", count, count == 1 ? "" : "s", weir_dispatch_name(workers.dispatch));
    if (workers.dispatch == WEIR_DISPATCH_GREEDY)
        fputs(" (one thread)", stdout);
    else if (workers.workers)
        printf(", %u worker%s", workers.workers, workers.workers == 1 ? "" : "s");
    else
        fputs(", a worker for each operator", stdout);
    if (workers.dispatch == WEIR_DISPATCH_POLLED)
        printf(", polling every %s", weir_amount_format(view->list.pipeline, workers.polling, amount));
    fputs("\n\n", stdout);
}

static void print_first_line(const struct view *view)
{
    static const char *const between[] = {[WEIR_SUMMARY_EMPTY] = "", [WEIR_SUMMARY_MET] = ", ", [WEIR_SUMMARY_BAD] = "\n  "};
    const struct weir_style *style = weir_style_of(stdout);
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    fputs(between[weir_latency_list_sum_up(&view->list)], stdout);
    print_scheduler(view);
}

/* ---- latencies ---- */

static struct weir_listed_latency latency_at(const void *analysis, size_t index)
{
    const struct weir_workers_latency *l = &((const struct weir_workers_analysis *)analysis)->latencies[index];
    return (struct weir_listed_latency){.pair = l->pair,
                                        .known = l->outcome != WEIR_WORKERS_UNKNOWN,
                                        .exact = l->outcome == WEIR_WORKERS_EXACT,
                                        .deadline_met = l->deadline_met,
                                        .has_best = l->has_best,
                                        .worst = l->worst,
                                        .best = l->best,
                                        .why = l->why};
}

static void print_shares(const struct weir_latency_list *list, size_t index)
{
    const struct weir_workers_latency *latency = &((const struct weir_workers_analysis *)list->analysis)->latencies[index];
    char chain[WEIR_AMOUNT_TEXT], queueing[WEIR_AMOUNT_TEXT];
    if (latency->outcome == WEIR_WORKERS_SAFE && latency->queueing)
        printf(" (%s one after the other, %s waiting for a worker)", weir_amount_format(list->pipeline, latency->chain, chain),
               weir_amount_format(list->pipeline, latency->queueing, queueing));
}

/* ---- */

static enum weir_exit print(const struct weir_workers_settings *settings, const struct view *view, struct weir_error *error)
{
    enum weir_exit result = weir_latency_list_exit(&view->list);
    if (settings->json) {
        if (weir_workers_write_json(view->analysis, stdout, error) == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
        return result;
    }
    print_first_line(view);
    weir_latency_list_print(&view->list);
    return result;
}

enum weir_exit weir_workers_run(const struct weir_workers_settings *settings, const struct weir_pipeline *pipeline,
                                const char *path, struct weir_error *error)
{
    struct weir_workers_options options = {.work_limit = settings->limit};
    struct weir_workers_analysis *analysis = NULL;
    int64_t deadline = 0;
    if (settings->deadline && !weir_time_option(pipeline, settings->deadline, 0, &deadline, error))
        return WEIR_EXIT_INPUT;
    enum weir_status status = weir_workers_analyze(pipeline, &options, &analysis, error);
    if (status != WEIR_OK)
        return weir_exit_of(error->status);
    struct weir_workers_analysis shown = *analysis;
    struct weir_workers_latency *latencies = NULL;
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (settings->deadline) {
        latencies = add_deadline(analysis, deadline);
        shown.latencies = latencies;
    }
    struct view view = {.analysis = &shown,
                        .list = {.pipeline = pipeline,
                                 .analysis = &shown,
                                 .count = shown.latency_count,
                                 .full = settings->full,
                                 .at = latency_at,
                                 .print_aside = print_shares},
                        .title = weir_model_title(pipeline, path)};
    if (!shown.latencies)
        weir_complain("out of memory");
    else
        result = print(settings, &view, error);
    free(latencies);
    weir_workers_analysis_free(analysis);
    return result;
}
