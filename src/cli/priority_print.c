/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir analyze` says about operators that share processors: verdict, numbers, who runs when, buffers, what would help. */
#include "priority.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 12 };

static const char *name_of(const struct weir_priority_view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

bool weir_priority_boundless(const struct weir_priority_analysis *analysis, const struct weir_priority_latency *latency)
{
    return !latency->bounded && (analysis->outcome == WEIR_PRIORITY_UNBOUNDED || analysis->outcome == WEIR_PRIORITY_CONVERGED);
}

/* A number that is not safe decides no deadline that it meets. One above the deadline is at least no promise. */
enum weir_cli_verdict weir_priority_verdict(const struct weir_priority_analysis *analysis,
                                            const struct weir_priority_latency *latency)
{
    if (!latency->bounded)
        return weir_priority_boundless(analysis, latency) ? WEIR_VERDICT_NO_BOUND : WEIR_VERDICT_UNDECIDED;
    if (!latency->pair.has_deadline)
        return WEIR_VERDICT_FINE;
    if (!latency->deadline_met)
        return WEIR_VERDICT_MISSED;
    return analysis->safe ? WEIR_VERDICT_FINE : WEIR_VERDICT_UNDECIDED;
}

/* ---- the first line ---- */

/* The latency that misses its deadline by most; NULL when none does. */
static const struct weir_priority_latency *find_latest(const struct weir_priority_view *view)
{
    const struct weir_priority_latency *latest = NULL;
    for (size_t i = 0; i < view->analysis->latency_count; i++) {
        const struct weir_priority_latency *l = &view->analysis->latencies[i];
        if (weir_priority_verdict(view->analysis, l) == WEIR_VERDICT_MISSED &&
            (!latest || l->worst - l->pair.deadline > latest->worst - latest->pair.deadline))
            latest = l;
    }
    return latest;
}

/* The first latency without a bound where the others have one; NULL when there is none. */
static const struct weir_priority_latency *find_boundless(const struct weir_priority_view *view)
{
    const struct weir_priority_analysis *analysis = view->analysis;
    for (size_t i = 0; i < analysis->latency_count && analysis->outcome == WEIR_PRIORITY_CONVERGED; i++)
        if (!analysis->latencies[i].bounded)
            return &analysis->latencies[i];
    return NULL;
}

static void print_size(const struct weir_priority_view *view)
{
    uint32_t counts[] = {weir_pipeline_operator_count(view->pipeline), weir_pipeline_queue_count(view->pipeline),
                         weir_pipeline_processor_count(view->pipeline)};
    printf("%u operator%s, %u queue%s, %u processor%s", counts[0], counts[0] == 1 ? "" : "s", counts[1], counts[1] == 1 ? "" : "s",
           counts[2], counts[2] == 1 ? "" : "s");
    if (view->analysis->outcome == WEIR_PRIORITY_CONVERGED)
        fputs(view->analysis->safe ? ", safe" : ", not safe", stdout);
    fputs("\n\n", stdout);
}

static void print_first_line(const struct weir_priority_view *view)
{
    const struct weir_priority_analysis *analysis = view->analysis;
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_priority_latency *latest = find_latest(view), *boundless = find_boundless(view);
    char late[WEIR_AMOUNT_TEXT], worst[WEIR_AMOUNT_TEXT];
    size_t deadlines = 0;
    for (size_t i = 0; i < analysis->latency_count; i++)
        deadlines += analysis->latencies[i].pair.has_deadline;
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
        printf("%sNO BOUND%s%s: %s\n  ", style->bad, analysis->outcome == WEIR_PRIORITY_UNBOUNDED ? "" : " FOUND", style->plain,
               analysis->why ? analysis->why : "the method gives none");
    else if (boundless)
        printf("%sNO BOUND%s: %s -> %s ends with a later input, for which a sporadic source may take any time\n  ", style->bad,
               style->plain, name_of(view, boundless->pair.from), name_of(view, boundless->pair.to));
    else if (latest)
        printf("%sDEADLINE MISSED%s by %s: %s -> %s %s %s\n  ", style->bad, style->plain,
               weir_amount_format(view->pipeline, latest->worst - latest->pair.deadline, late), name_of(view, latest->pair.from),
               name_of(view, latest->pair.to), analysis->safe ? "is bounded by" : "is put at",
               weir_amount_format(view->pipeline, latest->worst, worst));
    else if (deadlines && !analysis->safe)
        printf("%sNOT DECIDED%s: the method %s is not safe\n  ", style->bad, style->plain,
               weir_priority_method_name(analysis->method));
    else if (deadlines)
        printf("%s%s met%s, ", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    print_size(view);
}

/* ---- latencies ---- */

static size_t pair_columns(const struct weir_priority_view *view, const struct weir_priority_latency *latency)
{
    return weir_text_columns(name_of(view, latency->pair.from)) + strlen(" -> ") +
           weir_text_columns(name_of(view, latency->pair.to));
}

static void print_deadline(const struct weir_priority_view *view, const struct weir_priority_latency *latency, size_t indent)
{
    const struct weir_style *style = weir_style_of(stdout);
    char deadline[WEIR_AMOUNT_TEXT], slack[WEIR_AMOUNT_TEXT];
    printf("  %*s   deadline %s: ", (int)indent, "", weir_amount_format(view->pipeline, latency->pair.deadline, deadline));
    switch (weir_priority_verdict(view->analysis, latency)) {
    case WEIR_VERDICT_FINE:
        printf("%smet%s, %s to spare\n", style->good, style->plain,
               weir_amount_format(view->pipeline, latency->pair.deadline - latency->worst, slack));
        break;
    case WEIR_VERDICT_MISSED:
        printf("%sMISSED%s by %s%s\n", style->bad, style->plain,
               weir_amount_format(view->pipeline, latency->worst - latency->pair.deadline, slack),
               view->analysis->safe ? ", as far as the bound tells" : "");
        break;
    case WEIR_VERDICT_UNDECIDED:
        printf("%snot decided%s\n", style->bad, style->plain);
        break;
    case WEIR_VERDICT_NO_BOUND:
        printf("%sMISSED%s\n", style->bad, style->plain);
        break;
    }
}

static void print_latency(const struct weir_priority_view *view, const struct weir_priority_latency *latency, size_t columns)
{
    char worst[WEIR_AMOUNT_TEXT], best[WEIR_AMOUNT_TEXT];
    size_t used = pair_columns(view, latency);
    printf("  %s -> %s%*s   ", name_of(view, latency->pair.from), name_of(view, latency->pair.to),
           used < columns ? (int)(columns - used) : 0, "");
    if (latency->bounded)
        printf("%s %s   at least %s\n",
               view->analysis->safe ? "at most" : "not safe:", weir_amount_format(view->pipeline, latency->worst, worst),
               weir_amount_format(view->pipeline, latency->best, best));
    else
        puts(weir_priority_boundless(view->analysis, latency) ? "no bound" : "not known");
    if (latency->pair.has_deadline)
        print_deadline(view, latency, columns);
}

/* Deadlines are always told; of latencies without one, the first few. */
static void print_latencies(const struct weir_priority_view *view)
{
    size_t count = view->analysis->latency_count, shown = 0, columns = 0;
    for (size_t i = 0; i < count; i++) {
        size_t used = pair_columns(view, &view->analysis->latencies[i]);
        columns = used > columns && used <= 60 ? used : columns;
    }
    for (size_t i = 0; i < count; i++) {
        const struct weir_priority_latency *latency = &view->analysis->latencies[i];
        bool bad = latency->pair.has_deadline && weir_priority_verdict(view->analysis, latency) != WEIR_VERDICT_FINE;
        if (!view->full && shown >= PAIRS_MAX && !bad)
            continue;
        print_latency(view, latency, columns);
        shown++;
    }
    if (shown < count)
        printf("  ... and %zu more%s (--full lists all)\n", count - shown,
               view->analysis->outcome == WEIR_PRIORITY_CONVERGED ? ", none of which misses a deadline" : "");
}

static void print_method(const struct weir_priority_view *view)
{
    const struct weir_priority_analysis *analysis = view->analysis;
    const struct weir_style *style = weir_style_of(stdout);
    const char *method = weir_priority_method_name(analysis->method);
    printf("  method: %s", method);
    if (analysis->outcome == WEIR_PRIORITY_CONVERGED && analysis->variant && strcmp(analysis->variant, method) != 0)
        printf(", by %s", analysis->variant);
    if (!analysis->safe)
        printf("; %snot safe: legal executions can exceed it%s", style->bad, style->plain);
    char rounds[WEIR_COUNT_TEXT], windows[WEIR_COUNT_TEXT];
    if (view->full)
        printf("; %s rounds, %s windows", weir_count_format((int64_t)analysis->rounds, rounds),
               weir_count_format((int64_t)analysis->windows, windows));
    fputc('\n', stdout);
    if (analysis->verified)
        fputs("  verified: the certificate was checked\n", stdout);
}

/* ---- where there is no bound ---- */

static bool has_given_capacity(const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        if (queue.capacity != WEIR_AUTO && queue.capacity != WEIR_UNBOUNDED)
            return true;
    }
    return false;
}

static void print_help(const struct weir_priority_view *view)
{
    const struct weir_priority_analysis *analysis = view->analysis;
    bool proved = analysis->outcome == WEIR_PRIORITY_UNBOUNDED, limit = analysis->outcome == WEIR_PRIORITY_LIMIT;
    if (!proved)
        puts("\nThat no bound was found does not prove that there is none.");
    puts("\nWhat can help");
    if (!proved && analysis->method != WEIR_PRIORITY_BEST)
        puts("  another method: best, the default, tries all safe ones and with them buffers of several sizes");
    if (limit)
        puts("  a higher limit: --latency-limit T for the latency, --limit N for the work");
    if (has_given_capacity(view->pipeline))
        puts("  queues that are large enough: `capacity: auto` leaves their size to the analysis");
    puts("  shorter execution times or a longer period; other processors or priorities, which `weir explore` looks for");
}

bool weir_priority_print(const struct weir_priority_view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    bool good = true;
    print_first_line(view);
    print_latencies(view);
    print_method(view);
    if (view->analysis->outcome == WEIR_PRIORITY_CONVERGED) {
        good = weir_priority_print_processors(view);
        weir_priority_print_buffers(view);
    } else {
        print_help(view);
    }
    printf("\n%sAssumes the processors, priorities and execution times in the model; see docs/concepts/shared-processors.md.%s\n",
           style->dim, style->plain);
    return good;
}
