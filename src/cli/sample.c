/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a model with connections that do not wait, or ticks that are skipped. */
#include "sample.h"

#include "latency_list.h"

#include <stdlib.h>

enum { QUEUES_MAX = 12 };

struct view {
    const struct weir_sample_analysis *analysis;
    struct weir_latency_list list;
    const char *title;
};

static const char *name_of(const struct view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->list.pipeline, op).name;
}

/* The answer with the deadline of the command line where the model has none: a copy, since an analysis is not ours to change. */
static struct weir_sample_latency *add_deadline(const struct weir_sample_analysis *analysis, int64_t deadline)
{
    struct weir_sample_latency *latencies = calloc(analysis->latency_count ? analysis->latency_count : 1, sizeof *latencies);
    for (size_t i = 0; latencies && i < analysis->latency_count; i++) {
        struct weir_sample_latency *latency = &latencies[i];
        *latency = analysis->latencies[i];
        if (weir_pair_add_deadline(&latency->pair, deadline))
            latency->deadline_met = latency->outcome != WEIR_SAMPLE_UNKNOWN && latency->worst <= deadline;
    }
    return latencies;
}

/* ---- the first lines ---- */

static const struct weir_sample_queue *find_fault(const struct view *view)
{
    const struct weir_sample_queue *found = NULL;
    for (size_t i = 0; i < view->analysis->queue_count; i++) {
        const struct weir_sample_queue *q = &view->analysis->queues[i];
        if (q->faults != WEIR_CHANCE_NO && (!found || q->faults > found->faults))
            found = q;
    }
    return found;
}

static void print_fault(const struct view *view, const struct weir_sample_queue *fault)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_queue_spec q = weir_pipeline_queue(view->list.pipeline, fault->queue);
    bool sure = fault->faults == WEIR_CHANCE_YES;
    printf("%s%s%s: the queue %s -> %s %s when a message comes", style->bad, sure ? "CAN FAIL" : "NOT SHOWN TO RUN", style->plain,
           name_of(view, q.from), name_of(view, q.to), sure ? "can be full" : "is not shown never to be full");
    if (fault->iteration >= 0)
        printf(", such as message %lld", (long long)fault->iteration);
    putchar('\n');
}

static void print_first_line(const struct view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_sample_queue *fault = find_fault(view);
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (fault && (fault->faults == WEIR_CHANCE_YES || !weir_latency_list_misses(&view->list)))
        print_fault(view, fault);
    else
        puts(weir_latency_list_sum_up(&view->list) == WEIR_SUMMARY_EMPTY ? "no deadlines" : "");
    uint32_t count = weir_pipeline_operator_count(view->list.pipeline);
    printf("  %u operator%s, connections that do not wait: bounds are safe, and exact where it says so%s\n\n", count,
           count == 1 ? "" : "s", view->analysis->certified ? "; certificates checked" : "");
}

/* ---- latencies ---- */

static struct weir_listed_latency latency_at(const void *analysis, size_t index)
{
    const struct weir_sample_latency *l = &((const struct weir_sample_analysis *)analysis)->latencies[index];
    return (struct weir_listed_latency){.pair = l->pair,
                                        .known = l->outcome != WEIR_SAMPLE_UNKNOWN,
                                        .exact = l->outcome == WEIR_SAMPLE_EXACT,
                                        .deadline_met = l->deadline_met,
                                        .has_best = l->has_best,
                                        .worst = l->worst,
                                        .best = l->best,
                                        .why = l->why};
}

static void print_legs(const struct weir_latency_list *list, size_t index, size_t indent)
{
    const struct weir_sample_latency *latency = &((const struct weir_sample_analysis *)list->analysis)->latencies[index];
    char amount[WEIR_AMOUNT_TEXT], words[WEIR_LEG_TEXT];
    for (size_t i = 0; i < latency->leg_count && latency->outcome != WEIR_SAMPLE_EXACT; i++)
        printf("  %*s   %s %s\n", (int)indent, "", weir_amount_format(list->pipeline, latency->legs[i].worst, amount),
               weir_sample_leg_words(list->pipeline, &latency->legs[i], words));
}

/* ---- connections ---- */

static const char *fate_of(const struct weir_queue_spec *spec, const struct weir_sample_queue *queue)
{
    static const char *const losses[] = {"no message is lost", "messages can be lost", "messages get lost"};
    static const char *const faults[] = {"never full", "not shown never to be full", "can be full: the application fails"};
    static const char *const values[] = {"each message is read", "messages can be replaced before they are read", ""};
    if (spec->full == WEIR_FULL_FAULT)
        return faults[queue->faults];
    return spec->latest ? values[queue->loses] : losses[queue->loses];
}

static void print_queues(const struct view *view)
{
    size_t count = view->analysis->queue_count, shown = view->list.full || count <= QUEUES_MAX ? count : QUEUES_MAX;
    for (size_t i = 0; i < shown; i++) {
        const struct weir_sample_queue *queue = &view->analysis->queues[i];
        struct weir_queue_spec spec = weir_pipeline_queue(view->list.pipeline, queue->queue);
        printf("  %s -> %s: %s\n", name_of(view, spec.from), name_of(view, spec.to), fate_of(&spec, queue));
    }
    if (shown < count)
        printf("  and %zu more; --full prints all\n", count - shown);
    if (count)
        putchar('\n');
}

/* ---- */

static enum weir_exit exit_of(const struct view *view)
{
    const struct weir_sample_queue *fault = find_fault(view);
    enum weir_exit result = !fault ? WEIR_EXIT_OK : fault->faults == WEIR_CHANCE_YES ? WEIR_EXIT_MISSED : WEIR_EXIT_BRACKET;
    return weir_exit_worse(result, weir_latency_list_exit(&view->list));
}

static enum weir_exit print(const struct weir_sample_settings *settings, const struct view *view, struct weir_error *error)
{
    if (settings->json) {
        if (weir_sample_write_json(view->analysis, stdout, error) == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
        return exit_of(view);
    }
    print_first_line(view);
    weir_latency_list_print(&view->list);
    print_queues(view);
    return exit_of(view);
}

enum weir_exit weir_sample_run(const struct weir_sample_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                               struct weir_error *error)
{
    struct weir_sample_options options = {.verify = settings->verify, .work_limit = settings->limit};
    struct weir_sample_analysis *analysis = NULL;
    int64_t deadline = 0;
    if (settings->deadline && !weir_time_option(pipeline, settings->deadline, 0, &deadline, error))
        return WEIR_EXIT_INPUT;
    enum weir_status status = weir_sample_analyze(pipeline, &options, &analysis, error);
    if (status != WEIR_OK)
        return weir_exit_of(error->status);
    struct weir_sample_analysis shown = *analysis;
    struct weir_sample_latency *latencies = NULL;
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
                                 .print_below = print_legs},
                        .title = weir_model_title(pipeline, path)};
    if (!shown.latencies)
        weir_complain("out of memory");
    else
        result = print(settings, &view, error);
    free(latencies);
    weir_sample_analysis_free(analysis);
    return result;
}
