/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a model with connections that do not wait, or ticks that are skipped. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 12 };

struct view {
    const struct weir_sample_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full;
};

static const char *name_of(const struct view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

static enum weir_verdict verdict_of(const struct weir_sample_latency *latency)
{
    if (latency->outcome == WEIR_SAMPLE_UNKNOWN)
        return WEIR_VERDICT_UNDECIDED;
    return latency->deadline_met ? WEIR_VERDICT_FINE : WEIR_VERDICT_MISSED;
}

/* The answer with the deadline of the command line where the model has none: a copy, since an analysis is not ours to change. */
static struct weir_sample_latency *add_deadline(const struct weir_sample_analysis *analysis, int64_t deadline)
{
    struct weir_sample_latency *latencies = calloc(analysis->latency_count ? analysis->latency_count : 1, sizeof *latencies);
    for (size_t i = 0; latencies && i < analysis->latency_count; i++) {
        struct weir_sample_latency *latency = &latencies[i];
        *latency = analysis->latencies[i];
        if (latency->pair.has_deadline)
            continue;
        latency->pair.has_deadline = true;
        latency->pair.deadline = deadline;
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

/* The latency that misses its deadline by most; NULL when none does. */
static const struct weir_sample_latency *find_latest(const struct view *view)
{
    const struct weir_sample_latency *latest = NULL;
    for (size_t i = 0; i < view->analysis->latency_count; i++) {
        const struct weir_sample_latency *l = &view->analysis->latencies[i];
        if (verdict_of(l) == WEIR_VERDICT_MISSED &&
            (!latest || l->worst - l->pair.deadline > latest->worst - latest->pair.deadline))
            latest = l;
    }
    return latest;
}

static void print_fault(const struct view *view, const struct weir_sample_queue *fault)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_queue_spec q = weir_pipeline_queue(view->pipeline, fault->queue);
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
    const struct weir_sample_latency *latest = find_latest(view), *unknown = NULL;
    const struct weir_sample_queue *fault = find_fault(view);
    char late[WEIR_AMOUNT_TEXT], worst[WEIR_AMOUNT_TEXT];
    size_t deadlines = 0;
    for (size_t i = view->analysis->latency_count; i-- > 0;) {
        const struct weir_sample_latency *latency = &view->analysis->latencies[i];
        deadlines += latency->pair.has_deadline;
        unknown = latency->outcome == WEIR_SAMPLE_UNKNOWN ? latency : unknown;
    }
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (fault && (fault->faults == WEIR_CHANCE_YES || !latest))
        print_fault(view, fault);
    else if (latest)
        printf("%sDEADLINE MISSED%s by %s: %s -> %s %s %s\n", style->bad, style->plain,
               weir_amount_format(view->pipeline, latest->worst - latest->pair.deadline, late), name_of(view, latest->pair.from),
               name_of(view, latest->pair.to), latest->outcome == WEIR_SAMPLE_EXACT ? "takes up to" : "is bounded by",
               weir_amount_format(view->pipeline, latest->worst, worst));
    else if (unknown)
        printf("%sNO BOUND FOUND%s: %s -> %s: %s\n", style->bad, style->plain, name_of(view, unknown->pair.from),
               name_of(view, unknown->pair.to), unknown->why);
    else if (deadlines == 0)
        puts("no deadlines");
    else
        printf("%s%s met%s\n", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    uint32_t count = weir_pipeline_operator_count(view->pipeline);
    printf("  %u operator%s, connections that do not wait: bounds are safe, and exact where it says so%s\n\n", count,
           count == 1 ? "" : "s", view->analysis->certified ? "; certificates checked" : "");
}

/* ---- latencies ---- */

static size_t columns_of(const struct view *view, const struct weir_sample_latency *latency)
{
    return weir_text_columns(name_of(view, latency->pair.from)) + strlen(" -> ") +
           weir_text_columns(name_of(view, latency->pair.to));
}

static void print_deadline(const struct view *view, const struct weir_sample_latency *latency, size_t indent)
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
               latency->outcome == WEIR_SAMPLE_EXACT ? "" : ", as far as the bound tells");
        break;
    default:
        printf("%snot decided%s\n", style->bad, style->plain);
    }
}

static void print_latency(const struct view *view, const struct weir_sample_latency *latency, size_t columns)
{
    char amount[WEIR_AMOUNT_TEXT], words[WEIR_LEG_TEXT];
    bool exact = latency->outcome == WEIR_SAMPLE_EXACT;
    printf("  %s -> %s%*s   ", name_of(view, latency->pair.from), name_of(view, latency->pair.to),
           (int)(columns - columns_of(view, latency)), "");
    if (latency->outcome == WEIR_SAMPLE_UNKNOWN) {
        printf("no bound found: %s\n", latency->why);
    } else {
        printf("%s %s", exact ? "worst" : "at most", weir_amount_format(view->pipeline, latency->worst, amount));
        if (latency->has_best)
            printf(", %s %s", exact ? "best" : "at least", weir_amount_format(view->pipeline, latency->best, amount));
        puts(exact ? ", exact" : "");
    }
    for (size_t i = 0; i < latency->leg_count && !exact; i++)
        printf("  %*s   %s %s\n", (int)columns, "", weir_amount_format(view->pipeline, latency->legs[i].worst, amount),
               weir_sample_leg_words(view->pipeline, &latency->legs[i], words));
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
            const struct weir_sample_latency *latency = &view->analysis->latencies[i];
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
    size_t count = view->analysis->queue_count, shown = view->full || count <= PAIRS_MAX ? count : PAIRS_MAX;
    for (size_t i = 0; i < shown; i++) {
        const struct weir_sample_queue *queue = &view->analysis->queues[i];
        struct weir_queue_spec spec = weir_pipeline_queue(view->pipeline, queue->queue);
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
    for (size_t i = 0; i < view->analysis->latency_count; i++) {
        enum weir_verdict verdict = verdict_of(&view->analysis->latencies[i]);
        result = weir_exit_worse(result, verdict == WEIR_VERDICT_FINE     ? WEIR_EXIT_OK
                                         : verdict == WEIR_VERDICT_MISSED ? WEIR_EXIT_MISSED
                                                                          : WEIR_EXIT_BRACKET);
    }
    return result;
}

static enum weir_exit print(const struct weir_sample_settings *settings, const struct view *view, struct weir_error *error)
{
    if (settings->json) {
        if (weir_sample_write_json(view->analysis, stdout, error) == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
        return exit_of(view);
    }
    print_first_line(view);
    print_latencies(view);
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
    struct view view = {&shown, pipeline, weir_model_title(pipeline, path), settings->full};
    if (!shown.latencies)
        weir_complain("out of memory");
    else
        result = print(settings, &view, error);
    free(latencies);
    weir_sample_analysis_free(analysis);
    return result;
}
