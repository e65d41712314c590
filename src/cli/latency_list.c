/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies whose bounds are exact, safe or unknown, as lines. */
#include "latency_list.h"

#include <string.h>

enum { PAIRS_MAX = 12 };

static const char *name_of(const struct weir_latency_list *list, struct weir_operator op)
{
    return weir_pipeline_operator(list->pipeline, op).name;
}

static enum weir_cli_verdict verdict_of(const struct weir_listed_latency *latency)
{
    if (!latency->known)
        return WEIR_VERDICT_UNDECIDED;
    return latency->deadline_met ? WEIR_VERDICT_FINE : WEIR_VERDICT_MISSED;
}

bool weir_pair_add_deadline(struct weir_pair_spec *pair, int64_t deadline)
{
    if (pair->has_deadline)
        return false;
    pair->has_deadline = true;
    pair->deadline = deadline;
    return true;
}

/* ---- all of them ---- */

/* The latency that misses its deadline by most. False when none does. */
static bool find_latest(const struct weir_latency_list *list, struct weir_listed_latency *latest)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        struct weir_listed_latency l = list->at(list->analysis, i);
        if (verdict_of(&l) != WEIR_VERDICT_MISSED || (found && l.worst - l.pair.deadline <= latest->worst - latest->pair.deadline))
            continue;
        *latest = l;
        found = true;
    }
    return found;
}

bool weir_latency_list_misses(const struct weir_latency_list *list)
{
    struct weir_listed_latency latest;
    return find_latest(list, &latest);
}

enum weir_exit weir_latency_list_exit(const struct weir_latency_list *list)
{
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < list->count; i++) {
        struct weir_listed_latency latency = list->at(list->analysis, i);
        enum weir_cli_verdict verdict = verdict_of(&latency);
        result = weir_exit_worse(result, verdict == WEIR_VERDICT_FINE     ? WEIR_EXIT_OK
                                         : verdict == WEIR_VERDICT_MISSED ? WEIR_EXIT_MISSED
                                                                          : WEIR_EXIT_BRACKET);
    }
    return result;
}

static void print_latest(const struct weir_latency_list *list, const struct weir_listed_latency *latest)
{
    const struct weir_style *style = weir_style_of(stdout);
    char late[WEIR_AMOUNT_TEXT], worst[WEIR_AMOUNT_TEXT];
    printf("%sDEADLINE MISSED%s by %s: %s -> %s %s %s", style->bad, style->plain,
           weir_amount_format(list->pipeline, latest->worst - latest->pair.deadline, late), name_of(list, latest->pair.from),
           name_of(list, latest->pair.to), latest->exact ? "takes up to" : "is bounded by",
           weir_amount_format(list->pipeline, latest->worst, worst));
}

enum weir_list_summary weir_latency_list_sum_up(const struct weir_latency_list *list)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_listed_latency found;
    size_t deadlines = 0;
    if (find_latest(list, &found)) {
        print_latest(list, &found);
        return WEIR_SUMMARY_BAD;
    }
    for (size_t i = 0; i < list->count; i++) {
        found = list->at(list->analysis, i);
        deadlines += found.pair.has_deadline;
        if (found.known)
            continue;
        printf("%sNO BOUND FOUND%s: %s -> %s: %s", style->bad, style->plain, name_of(list, found.pair.from),
               name_of(list, found.pair.to), found.why);
        return WEIR_SUMMARY_BAD;
    }
    if (deadlines == 0)
        return WEIR_SUMMARY_EMPTY;
    printf("%s%s met%s", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    return WEIR_SUMMARY_MET;
}

/* ---- lines ---- */

static size_t columns_of(const struct weir_latency_list *list, const struct weir_listed_latency *latency)
{
    return weir_text_columns(name_of(list, latency->pair.from)) + strlen(" -> ") +
           weir_text_columns(name_of(list, latency->pair.to));
}

static void print_deadline(const struct weir_latency_list *list, const struct weir_listed_latency *latency, size_t indent)
{
    const struct weir_style *style = weir_style_of(stdout);
    char deadline[WEIR_AMOUNT_TEXT], slack[WEIR_AMOUNT_TEXT];
    int64_t spare = latency->pair.deadline - latency->worst;
    printf("  %*s   deadline %s: ", (int)indent, "", weir_amount_format(list->pipeline, latency->pair.deadline, deadline));
    switch (verdict_of(latency)) {
    case WEIR_VERDICT_FINE:
        printf("%smet%s, %s to spare\n", style->good, style->plain, weir_amount_format(list->pipeline, spare, slack));
        break;
    case WEIR_VERDICT_MISSED:
        printf("%sMISSED%s by %s%s\n", style->bad, style->plain, weir_amount_format(list->pipeline, -spare, slack),
               latency->exact ? "" : ", as far as the bound tells");
        break;
    default:
        printf("%snot decided%s\n", style->bad, style->plain);
    }
}

static void print_latency(const struct weir_latency_list *list, size_t index, size_t columns)
{
    struct weir_listed_latency latency = list->at(list->analysis, index);
    char amount[WEIR_AMOUNT_TEXT];
    printf("  %s -> %s%*s   ", name_of(list, latency.pair.from), name_of(list, latency.pair.to),
           (int)(columns - columns_of(list, &latency)), "");
    if (!latency.known) {
        printf("no bound found: %s\n", latency.why);
    } else {
        printf("%s %s", latency.exact ? "worst" : "at most", weir_amount_format(list->pipeline, latency.worst, amount));
        if (latency.has_best)
            printf(", %s %s", latency.exact ? "best" : "at least", weir_amount_format(list->pipeline, latency.best, amount));
        if (list->print_aside)
            list->print_aside(list, index);
        puts(latency.exact ? ", exact" : "");
    }
    if (list->print_below)
        list->print_below(list, index, columns);
    if (latency.pair.has_deadline)
        print_deadline(list, &latency, columns);
}

void weir_latency_list_print(const struct weir_latency_list *list)
{
    size_t printed = 0, columns = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct weir_listed_latency latency = list->at(list->analysis, i);
        size_t own = columns_of(list, &latency);
        columns = own > columns ? own : columns;
    }
    for (int urgent = 1; urgent >= 0; urgent--)
        for (size_t i = 0; i < list->count; i++) {
            struct weir_listed_latency latency = list->at(list->analysis, i);
            if ((verdict_of(&latency) != WEIR_VERDICT_FINE) != urgent)
                continue;
            if (list->full || printed < PAIRS_MAX)
                print_latency(list, i, columns);
            printed++;
        }
    if (!list->full && printed > PAIRS_MAX)
        printf("  and %zu more; --full prints all\n", printed - PAIRS_MAX);
    putchar('\n');
}
