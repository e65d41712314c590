/* SPDX-License-Identifier: Apache-2.0 */
/* One latency: its verdict, and its lines in the block of a model. */
#include "analyze.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct weir_view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

enum weir_cli_verdict weir_latency_verdict(const struct weir_latency *latency)
{
    const struct weir_separation *worst = &latency->worst;
    if (worst->outcome == WEIR_NO_BOUND)
        return WEIR_VERDICT_NO_BOUND;
    if (latency->pair.has_deadline && !latency->deadline_met) {
        bool open = worst->outcome == WEIR_BRACKET && worst->lower <= latency->pair.deadline;
        return open ? WEIR_VERDICT_UNDECIDED : WEIR_VERDICT_MISSED;
    }
    if (worst->outcome == WEIR_BRACKET || latency->best.outcome == WEIR_BRACKET || latency->gap.outcome == WEIR_BRACKET)
        return WEIR_VERDICT_UNDECIDED;
    return WEIR_VERDICT_FINE;
}

enum weir_exit weir_latency_exit(const struct weir_latency *latency)
{
    switch (weir_latency_verdict(latency)) {
    case WEIR_VERDICT_FINE:
        break;
    case WEIR_VERDICT_UNDECIDED:
        return WEIR_EXIT_BRACKET;
    case WEIR_VERDICT_MISSED:
    case WEIR_VERDICT_NO_BOUND:
        return WEIR_EXIT_MISSED;
    }
    return WEIR_EXIT_OK;
}

/* How late: after the deadline when that is missed, else after the beginning. */
static int64_t lateness_of(const struct weir_latency *latency)
{
    const struct weir_separation *worst = &latency->worst;
    int64_t value = worst->outcome == WEIR_EXACT ? worst->value : worst->upper;
    return weir_latency_verdict(latency) == WEIR_VERDICT_MISSED ? value - latency->pair.deadline : value;
}

int weir_latency_compare(const struct weir_latency *a, const struct weir_latency *b)
{
    enum weir_cli_verdict first = weir_latency_verdict(a), second = weir_latency_verdict(b);
    if (first != second)
        return first > second ? -1 : 1;
    if (first == WEIR_VERDICT_NO_BOUND)
        return 0;
    int64_t late = lateness_of(a), other = lateness_of(b);
    return late > other ? -1 : late < other;
}

enum { WORST, BEST, JITTER, GAP, CELLS };

struct row {
    const struct weir_latency *latency;
    char name[2 * 64 + 8];
    char cells[CELLS][WEIR_RANGE_TEXT];
};

static void clip_name(const char *name, char text[64])
{
    size_t length = strlen(name), keep = 56;
    if (length < 60) {
        memcpy(text, name, length + 1);
        return;
    }
    while (((unsigned char)name[keep] & 0xc0) == 0x80)
        keep--;
    memcpy(text, name, keep);
    memcpy(text + keep, "...", 4);
}

static void fill_row(const struct weir_view *view, const struct weir_latency *latency, struct row *row)
{
    char from[64], to[64], text[WEIR_RANGE_TEXT];
    const struct weir_separation *worst = &latency->worst, *best = &latency->best;
    clip_name(name_of(view, latency->pair.from), from);
    clip_name(name_of(view, latency->pair.to), to);
    row->latency = latency;
    snprintf(row->name, sizeof row->name, "%s -> %s", from, to);
    snprintf(row->cells[WORST], WEIR_RANGE_TEXT, "worst %s", weir_range_format(view->pipeline, worst, false, text));
    snprintf(row->cells[BEST], WEIR_RANGE_TEXT, "best %s", weir_range_format(view->pipeline, best, true, text));
    struct weir_separation jitter = {.outcome = worst->outcome == WEIR_EXACT ? best->outcome : worst->outcome};
    if (jitter.outcome == WEIR_BRACKET ||
        (jitter.outcome == WEIR_EXACT && __builtin_add_overflow(worst->value, best->value, &jitter.value)))
        snprintf(row->cells[JITTER], WEIR_RANGE_TEXT, "jitter not known");
    else
        snprintf(row->cells[JITTER], WEIR_RANGE_TEXT, "jitter %s", weir_range_format(view->pipeline, &jitter, false, text));
    snprintf(row->cells[GAP], WEIR_RANGE_TEXT, "gap %s", weir_range_format(view->pipeline, &latency->gap, false, text));
}

static void print_deadline(const struct weir_view *view, const struct weir_latency *latency, size_t indent)
{
    const struct weir_style *style = weir_style_of(stdout);
    char deadline[WEIR_AMOUNT_TEXT], slack[WEIR_AMOUNT_TEXT];
    const struct weir_separation *worst = &latency->worst;
    int64_t value = worst->outcome == WEIR_EXACT ? worst->value : worst->upper;
    weir_amount_format(view->pipeline, latency->pair.deadline, deadline);
    printf("  %*s   deadline %s: ", (int)indent, "", deadline);
    if (latency->deadline_met && worst->outcome == WEIR_NO_EVENTS)
        printf("%smet%s\n", style->good, style->plain);
    else if (latency->deadline_met)
        printf("%smet%s, %s to spare\n", style->good, style->plain,
               weir_amount_format(view->pipeline, latency->pair.deadline - value, slack));
    else if (weir_latency_verdict(latency) == WEIR_VERDICT_UNDECIDED)
        printf("%snot decided%s\n", style->bad, style->plain);
    else if (worst->outcome == WEIR_EXACT)
        printf("%sMISSED%s by %s\n", style->bad, style->plain,
               weir_amount_format(view->pipeline, value - latency->pair.deadline, slack));
    else
        printf("%sMISSED%s\n", style->bad, style->plain);
}

static void print_rows(const struct weir_view *view, const struct row *rows, size_t count)
{
    size_t name_width = 0, widths[CELLS] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t width = weir_text_columns(rows[i].name);
        name_width = width > name_width ? width : name_width;
        for (int cell = 0; cell < CELLS; cell++)
            widths[cell] = strlen(rows[i].cells[cell]) > widths[cell] ? strlen(rows[i].cells[cell]) : widths[cell];
    }
    for (size_t i = 0; i < count; i++) {
        fputs("  ", stdout);
        weir_print_padded(rows[i].name, name_width);
        for (int cell = 0; cell < CELLS; cell++)
            printf("   %-*s", cell + 1 < CELLS ? (int)widths[cell] : 0, rows[i].cells[cell]);
        fputc('\n', stdout);
        if (rows[i].latency->pair.has_deadline)
            print_deadline(view, rows[i].latency, name_width);
        if (rows[i].latency->why && rows[i].latency != view->told)
            printf("  %*s   %s\n", (int)name_width, "", rows[i].latency->why);
    }
}

bool weir_latencies_print(const struct weir_view *view, const struct weir_latency *const *latencies, size_t count)
{
    struct row *rows = calloc(count ? count : 1, sizeof *rows);
    if (!rows) {
        weir_complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        fill_row(view, latencies[i], &rows[i]);
    print_rows(view, rows, count);
    free(rows);
    return true;
}
