/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir analyze` says about a flow on a pool of cores: verdict, latencies, operators, buffers, what would help. */
#include "edf.h"

#include <string.h>

enum { PAIRS_MAX = 12 };

static const char *name_of(const struct weir_edf_view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

static bool is_bad(const struct weir_edf_latency *latency)
{
    return !latency->bounded || !latency->deadline_met;
}

/* ---- the first line ---- */

/* A latency without a bound, or else the one that misses its deadline by most; NULL when all is well. */
static const struct weir_edf_latency *find_latest(const struct weir_edf_view *view)
{
    const struct weir_edf_latency *latest = NULL;
    for (size_t i = 0; i < view->analysis->latency_count; i++) {
        const struct weir_edf_latency *l = &view->analysis->latencies[i];
        if (!is_bad(l) || (latest && !latest->bounded))
            continue;
        if (!latest || !l->bounded ||
            weir_ratio_order(weir_ratio_above(l->worst, l->pair.deadline), weir_ratio_above(latest->worst, latest->pair.deadline)) >
                0)
            latest = l;
    }
    return latest;
}

static const char joined[] = "it also waits for another source, which may be silent for any time";

static void print_bad_news(const struct weir_edf_view *view, const struct weir_edf_latency *latency)
{
    const struct weir_style *style = weir_style_of(stdout);
    const char *from = name_of(view, latency->pair.from), *to = name_of(view, latency->pair.to);
    char late[WEIR_NUMBER_TEXT], worst[WEIR_NUMBER_TEXT];
    if (!latency->bounded)
        printf("%sNO BOUND%s: %s -> %s: %s\n  ", style->bad, style->plain, from, to, joined);
    else
        printf("%sDEADLINE MISSED%s by %s: %s -> %s is bounded by %s\n  ", style->bad, style->plain,
               weir_ratio_amount(view->pipeline, weir_ratio_above(latency->worst, latency->pair.deadline), late), from, to,
               weir_ratio_amount(view->pipeline, latency->worst, worst));
}

static void print_first_line(const struct weir_edf_view *view)
{
    const struct weir_edf_analysis *analysis = view->analysis;
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_edf_latency *latest = find_latest(view);
    uint32_t operators = weir_pipeline_operator_count(view->pipeline), queues = weir_pipeline_queue_count(view->pipeline);
    size_t deadlines = 0;
    for (size_t i = 0; i < analysis->latency_count; i++)
        deadlines += analysis->latencies[i].pair.has_deadline;
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (!analysis->schedulable)
        printf("%sNOT SCHEDULABLE%s: %s\n  ", style->bad, style->plain, analysis->why ? analysis->why : "too much to do");
    else if (latest)
        print_bad_news(view, latest);
    else if (deadlines)
        printf("%s%s met%s, ", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    printf("%u operator%s, %u queue%s, %u core%s%s\n\n", operators, operators == 1 ? "" : "s", queues, queues == 1 ? "" : "s",
           analysis->cores, analysis->cores == 1 ? "" : "s", analysis->schedulable ? ", safe" : "");
}

/* ---- latencies ---- */

static size_t pair_columns(const struct weir_edf_view *view, const struct weir_edf_latency *latency)
{
    return weir_text_columns(name_of(view, latency->pair.from)) + strlen(" -> ") +
           weir_text_columns(name_of(view, latency->pair.to));
}

static void print_deadline(const struct weir_edf_view *view, const struct weir_edf_latency *latency, size_t indent)
{
    const struct weir_style *style = weir_style_of(stdout);
    char deadline[WEIR_AMOUNT_TEXT], slack[WEIR_NUMBER_TEXT];
    printf("  %*s   deadline %s: ", (int)indent, "", weir_amount_format(view->pipeline, latency->pair.deadline, deadline));
    if (!latency->bounded)
        printf("%sMISSED%s\n", style->bad, style->plain);
    else if (latency->deadline_met) /* what is to spare is rounded down */
        printf("%smet%s, %s to spare\n", style->good, style->plain,
               weir_amount_format(view->pipeline, latency->pair.deadline - weir_ratio_ceiling(latency->worst), slack));
    else
        printf("%sMISSED%s by %s, as far as the bound tells\n", style->bad, style->plain,
               weir_ratio_amount(view->pipeline, weir_ratio_above(latency->worst, latency->pair.deadline), slack));
}

static void print_latency(const struct weir_edf_view *view, const struct weir_edf_latency *latency, size_t columns)
{
    char worst[WEIR_NUMBER_TEXT], gathering[WEIR_NUMBER_TEXT];
    size_t used = pair_columns(view, latency);
    printf("  %s -> %s%*s   ", name_of(view, latency->pair.from), name_of(view, latency->pair.to),
           used < columns ? (int)(columns - used) : 0, "");
    if (latency->bounded) {
        printf("at most %s", weir_ratio_amount(view->pipeline, latency->worst, worst));
        if (latency->gathering.numerator > 0)
            printf(", %s of it until the batch is full", weir_ratio_amount(view->pipeline, latency->gathering, gathering));
        if (view->analysis->sporadic && !weir_edf_is_even(view->pipeline, latency->pair.to.index))
            fputs(" from the last arrival that an execution needs", stdout);
        fputc('\n', stdout);
    } else {
        puts("no bound");
    }
    if (latency->pair.has_deadline)
        print_deadline(view, latency, columns);
}

/* Deadlines that are missed are always told; of the rest, the first few. */
static void print_latencies(const struct weir_edf_view *view)
{
    size_t count = view->analysis->latency_count, shown = 0, columns = 0;
    bool hidden = false;
    for (size_t i = 0; i < count; i++) {
        size_t used = pair_columns(view, &view->analysis->latencies[i]);
        columns = used > columns && used <= 60 ? used : columns;
    }
    for (size_t i = 0; i < count; i++) {
        const struct weir_edf_latency *latency = &view->analysis->latencies[i];
        bool telling = latency->pair.has_deadline && is_bad(latency);
        if (!view->full && shown >= PAIRS_MAX && !telling) {
            hidden |= is_bad(latency);
            continue;
        }
        print_latency(view, latency, columns);
        shown++;
    }
    if (shown < count)
        printf("  ... and %zu more%s (--full lists all)\n", count - shown, hidden ? "" : ", none of which misses a deadline");
}

/* ---- the rest ---- */

static void print_load(const struct weir_edf_view *view)
{
    const struct weir_edf_analysis *analysis = view->analysis;
    char load[WEIR_NUMBER_TEXT], share[WEIR_NUMBER_TEXT];
    struct weir_ratio each = analysis->utilization;
    int64_t all;
    printf("  utilization: %s of %u core%s", weir_ratio_format(analysis->utilization, 0, 4, load), analysis->cores,
           analysis->cores == 1 ? "" : "s");
    if (!__builtin_mul_overflow(each.denominator, (int64_t)analysis->cores, &all)) {
        each.denominator = all;
        printf(", %s", weir_ratio_percent(each, share));
    }
    fputc('\n', stdout);
    if (analysis->verified)
        fputs("  verified: the certificate was checked\n", stdout);
}

static void print_help(const struct weir_edf_view *view)
{
    bool small = weir_ratio_order(view->analysis->utilization, (struct weir_ratio){view->analysis->cores, 1}) <= 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(view->pipeline); i++)
        small &= view->analysis->operators[i].utilization.numerator <= view->analysis->operators[i].utilization.denominator;
    puts("\nWhat can help");
    if (small) {
        puts("  a larger queue: `capacity: auto` leaves its size to the analysis");
        return;
    }
    puts("  larger batches, where a part of the cost is paid once for an execution: `weir explore MODEL --batch rate`");
    puts("  more cores (--cores N), lower rates, or less to do for a sample");
}

bool weir_edf_print(const struct weir_edf_view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    print_first_line(view);
    print_latencies(view);
    print_load(view);
    bool good = weir_edf_print_operators(view);
    if (view->analysis->schedulable) {
        if (view->explain)
            weir_edf_print_reasons(view);
        weir_edf_print_buffers(view);
    } else {
        print_help(view);
    }
    printf("\n%sAssumes global EDF, and the costs and rates in the model; see docs/concepts/pool-of-cores.md.%s\n", style->dim,
           style->plain);
    return good;
}
