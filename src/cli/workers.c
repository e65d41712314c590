/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a model whose operators share worker threads. */
#include "workers.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 12 };

struct view {
    const struct weir_workers_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full;
};

static const char *name_of(const struct view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

static enum weir_verdict verdict_of(const struct weir_workers_latency *latency)
{
    if (latency->outcome == WEIR_WORKERS_UNKNOWN)
        return WEIR_VERDICT_UNDECIDED;
    return latency->deadline_met ? WEIR_VERDICT_FINE : WEIR_VERDICT_MISSED;
}

/* The answer with the deadline of the command line where the model has none: a copy, since an analysis is not ours to change. */
static struct weir_workers_latency *add_deadline(const struct weir_workers_analysis *analysis, int64_t deadline)
{
    struct weir_workers_latency *latencies = calloc(analysis->latency_count ? analysis->latency_count : 1, sizeof *latencies);
    for (size_t i = 0; latencies && i < analysis->latency_count; i++) {
        struct weir_workers_latency *latency = &latencies[i];
        *latency = analysis->latencies[i];
        if (latency->pair.has_deadline)
            continue;
        latency->pair.has_deadline = true;
        latency->pair.deadline = deadline;
        latency->deadline_met = latency->outcome != WEIR_WORKERS_UNKNOWN && latency->worst <= deadline;
    }
    return latencies;
}

/* ---- the first lines ---- */

/* The latency that misses its deadline by most; NULL when none does. */
static const struct weir_workers_latency *find_latest(const struct view *view)
{
    const struct weir_workers_latency *latest = NULL;
    for (size_t i = 0; i < view->analysis->latency_count; i++) {
        const struct weir_workers_latency *l = &view->analysis->latencies[i];
        if (verdict_of(l) == WEIR_VERDICT_MISSED &&
            (!latest || l->worst - l->pair.deadline > latest->worst - latest->pair.deadline))
            latest = l;
    }
    return latest;
}

static void print_scheduler(const struct view *view)
{
    struct weir_workers_spec workers = weir_pipeline_workers(view->pipeline);
    char amount[WEIR_AMOUNT_TEXT];
    uint32_t count = weir_pipeline_operator_count(view->pipeline);
    printf("%u operator%s, %s scheduler", count, count == 1 ? "" : "s", weir_dispatch_name(workers.dispatch));
    if (workers.dispatch == WEIR_DISPATCH_GREEDY)
        fputs(" (one thread)", stdout);
    else if (workers.workers)
        printf(", %u worker%s", workers.workers, workers.workers == 1 ? "" : "s");
    else
        fputs(", a worker for each operator", stdout);
    if (workers.dispatch == WEIR_DISPATCH_POLLED)
        printf(", polling every %s", weir_amount_format(view->pipeline, workers.polling, amount));
    fputs("\n\n", stdout);
}

static void print_first_line(const struct view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_workers_latency *latest = find_latest(view), *unknown = NULL;
    char late[WEIR_AMOUNT_TEXT], worst[WEIR_AMOUNT_TEXT];
    size_t deadlines = 0;
    for (size_t i = view->analysis->latency_count; i-- > 0;) {
        const struct weir_workers_latency *latency = &view->analysis->latencies[i];
        deadlines += latency->pair.has_deadline;
        unknown = latency->outcome == WEIR_WORKERS_UNKNOWN ? latency : unknown;
    }
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (latest)
        printf("%sDEADLINE MISSED%s by %s: %s -> %s %s %s\n  ", style->bad, style->plain,
               weir_amount_format(view->pipeline, latest->worst - latest->pair.deadline, late), name_of(view, latest->pair.from),
               name_of(view, latest->pair.to), latest->outcome == WEIR_WORKERS_EXACT ? "takes up to" : "is bounded by",
               weir_amount_format(view->pipeline, latest->worst, worst));
    else if (unknown)
        printf("%sNO BOUND FOUND%s: %s -> %s: %s\n  ", style->bad, style->plain, name_of(view, unknown->pair.from),
               name_of(view, unknown->pair.to), unknown->why);
    else if (deadlines)
        printf("%s%s met%s, ", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    print_scheduler(view);
}

/* ---- latencies ---- */

static size_t columns_of(const struct view *view, const struct weir_workers_latency *latency)
{
    return weir_text_columns(name_of(view, latency->pair.from)) + strlen(" -> ") +
           weir_text_columns(name_of(view, latency->pair.to));
}

static void print_deadline(const struct view *view, const struct weir_workers_latency *latency, size_t indent)
{
    const struct weir_style *style = weir_style_of(stdout);
    char deadline[WEIR_AMOUNT_TEXT], slack[WEIR_AMOUNT_TEXT];
    int64_t spare = latency->pair.deadline - latency->worst;
    printf("  %*s   deadline %s: ", (int)indent, "", weir_amount_format(view->pipeline, latency->pair.deadline, deadline));
    switch (verdict_of(latency)) {
    case WEIR_VERDICT_FINE:
        printf("%smet%s, %s to spare\n", style->good, style->plain, weir_amount_format(view->pipeline, spare, slack));
        break;
    case WEIR_VERDICT_MISSED:
        printf("%sMISSED%s by %s%s\n", style->bad, style->plain, weir_amount_format(view->pipeline, -spare, slack),
               latency->outcome == WEIR_WORKERS_EXACT ? "" : ", as far as the bound tells");
        break;
    default:
        printf("%snot decided%s\n", style->bad, style->plain);
    }
}

static void print_latency(const struct view *view, const struct weir_workers_latency *latency, size_t columns)
{
    char worst[WEIR_AMOUNT_TEXT], best[WEIR_AMOUNT_TEXT], chain[WEIR_AMOUNT_TEXT], queueing[WEIR_AMOUNT_TEXT];
    bool exact = latency->outcome == WEIR_WORKERS_EXACT;
    printf("  %s -> %s%*s   ", name_of(view, latency->pair.from), name_of(view, latency->pair.to),
           (int)(columns - columns_of(view, latency)), "");
    if (latency->outcome == WEIR_WORKERS_UNKNOWN)
        printf("no bound found: %s\n", latency->why);
    else
        printf("%s %s", exact ? "worst" : "at most", weir_amount_format(view->pipeline, latency->worst, worst));
    if (latency->outcome != WEIR_WORKERS_UNKNOWN && latency->has_best)
        printf(", %s %s", exact ? "best" : "at least", weir_amount_format(view->pipeline, latency->best, best));
    if (latency->outcome == WEIR_WORKERS_SAFE && latency->queueing)
        printf(" (%s one after the other, %s waiting for a worker)", weir_amount_format(view->pipeline, latency->chain, chain),
               weir_amount_format(view->pipeline, latency->queueing, queueing));
    if (latency->outcome != WEIR_WORKERS_UNKNOWN)
        puts(exact ? ", exact" : "");
    if (latency->pair.has_deadline)
        print_deadline(view, latency, columns);
}

/* Those that miss their deadline or have no bound first. */
static void print_latencies(const struct view *view)
{
    size_t count = view->analysis->latency_count, printed = 0, columns = 0;
    for (size_t i = 0; i < count; i++) {
        size_t own = columns_of(view, &view->analysis->latencies[i]);
        columns = own > columns ? own : columns;
    }
    for (int urgent = 1; urgent >= 0; urgent--)
        for (size_t i = 0; i < count; i++) {
            const struct weir_workers_latency *latency = &view->analysis->latencies[i];
            if ((verdict_of(latency) != WEIR_VERDICT_FINE) != urgent)
                continue;
            if (view->full || printed < PAIRS_MAX)
                print_latency(view, latency, columns);
            printed++;
        }
    if (!view->full && printed > PAIRS_MAX)
        printf("  and %zu more; --full prints all\n", printed - PAIRS_MAX);
    putchar('\n');
}

/* ---- */

static enum weir_exit print(const struct weir_workers_settings *settings, const struct view *view, struct weir_error *error)
{
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < view->analysis->latency_count; i++) {
        enum weir_verdict verdict = verdict_of(&view->analysis->latencies[i]);
        result = weir_exit_worse(result, verdict == WEIR_VERDICT_FINE     ? WEIR_EXIT_OK
                                         : verdict == WEIR_VERDICT_MISSED ? WEIR_EXIT_MISSED
                                                                          : WEIR_EXIT_BRACKET);
    }
    if (settings->json) {
        if (weir_workers_write_json(view->analysis, stdout, error) == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
        return result;
    }
    print_first_line(view);
    print_latencies(view);
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
    struct view view = {&shown, pipeline, weir_model_title(pipeline, path), settings->full};
    if (!shown.latencies)
        weir_complain("out of memory");
    else
        result = print(settings, &view, error);
    free(latencies);
    weir_workers_analysis_free(analysis);
    return result;
}
