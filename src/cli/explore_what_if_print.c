/* SPDX-License-Identifier: Apache-2.0 */
/* What weir explore --what-if says: before and after, side by side. */
#include "explore_what_if.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 34, NUMBER_COLUMNS = 16, LATENCIES_MAX = 12, PATHS_MAX = 3 };

/* One latency before and after; either may be missing. */
struct row {
    const struct weir_verdict_latency *before, *after;
};

static const struct weir_verdict_latency *any_of(const struct row *row)
{
    return row->after ? row->after : row->before;
}

static const struct weir_pipeline *model_of(const struct weir_what_if *w, const struct row *row)
{
    return row->after ? w->after->pipeline : w->before->pipeline;
}

/* Those there are after the changes, in their order, then those that went. NULL: out of memory. */
static struct row *make_rows(const struct weir_what_if *w, size_t *count)
{
    struct row *rows = calloc(w->before->latency_count + w->after->latency_count + 1, sizeof *rows);
    *count = 0;
    for (size_t i = 0; rows && i < w->after->latency_count; i++) {
        const struct weir_verdict_latency *l = &w->after->latencies[i];
        rows[(*count)++] = (struct row){weir_verdict_same(w->before, w->after->pipeline, l), l};
    }
    for (size_t i = 0; rows && i < w->before->latency_count; i++) {
        const struct weir_verdict_latency *l = &w->before->latencies[i];
        if (!weir_verdict_same(w->after, w->before->pipeline, l))
            rows[(*count)++] = (struct row){l, NULL};
    }
    if (!rows)
        weir_complain("out of memory");
    return rows;
}

static int order_of(struct weir_ratio a, struct weir_ratio b)
{
    if (a.denominator == 1 && b.denominator == 1)
        return (a.numerator > b.numerator) - (a.numerator < b.numerator);
    return weir_ratio_order(a, b);
}

/* ---- the first lines ---- */

static void print_first_line(const struct weir_what_if *w)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t deadlines = 0, missed = 0, unbounded = 0;
    for (size_t i = 0; i < w->after->latency_count; i++) {
        const struct weir_verdict_latency *l = &w->after->latencies[i];
        deadlines += l->has_deadline;
        missed += l->has_deadline && !l->met;
        unbounded += l->certainty == WEIR_CERTAIN_UNBOUNDED || l->certainty == WEIR_CERTAIN_UNKNOWN;
    }
    printf("%s%s%s, changed: ", style->bold, w->title, style->plain);
    if (missed)
        printf("%s%zu deadline%s missed%s", style->bad, missed, missed == 1 ? "" : "s", style->plain);
    else if (unbounded)
        printf("%sno bound%s for %zu latenc%s", style->bad, style->plain, unbounded, unbounded == 1 ? "y" : "ies");
    else if (deadlines)
        printf("%s%s met%s", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    else
        fputs("no deadlines", stdout);
    fputc('\n', stdout);
    static const char *const marks[] = {[WEIR_CHANGE_SET] = " ", [WEIR_CHANGE_ADD] = "+", [WEIR_CHANGE_REMOVE] = "-"};
    for (size_t i = 0; i < w->count; i++)
        printf("  %s %s\n", marks[w->changes[i].kind], w->changes[i].text);
    fputc('\n', stdout);
}

/* ---- numbers ---- */

static void print_columns(const char *name, const char *before, const char *after)
{
    fputs("  ", stdout);
    weir_print_padded(name, NAME_COLUMNS);
    fputs("  ", stdout);
    weir_print_padded(before, NUMBER_COLUMNS);
    printf("  %s", after);
}

/* "  -0.3 ms" behind the two. */
static void print_difference(const struct weir_pipeline *pipeline, struct weir_ratio before, struct weir_ratio after,
                             const char *text)
{
    char amount[WEIR_AMOUNT_TEXT];
    int order = order_of(after, before);
    size_t columns = weir_text_columns(text);
    if (order == 0)
        return;
    struct weir_ratio difference;
    if (after.denominator == 1 && before.denominator == 1)
        difference = (struct weir_ratio){order > 0 ? after.numerator - before.numerator : before.numerator - after.numerator, 1};
    else
        difference = order > 0 ? weir_ratio_difference(after, before) : weir_ratio_difference(before, after);
    printf("%*s  (%s%s)", columns < NUMBER_COLUMNS ? (int)(NUMBER_COLUMNS - columns) : 0, "", order > 0 ? "+" : "-",
           weir_signed_amount(pipeline, difference, amount));
}

static const char *met_word(const struct weir_verdict_latency *l)
{
    return l->met ? "met" : l->certainty == WEIR_CERTAIN_UNKNOWN ? "not decided" : "missed";
}

static void print_deadline(const struct weir_what_if *w, const struct row *row)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_verdict_latency *b = row->before, *a = row->after;
    char amount[WEIR_AMOUNT_TEXT], other[WEIR_AMOUNT_TEXT];
    if (!a || !a->has_deadline)
        return;
    printf("  %*s  deadline ", NAME_COLUMNS, "");
    if (b && b->has_deadline && b->deadline != a->deadline)
        printf("%s -> ", weir_amount_format(w->before->pipeline, b->deadline, other));
    printf("%s: ", weir_amount_format(w->after->pipeline, a->deadline, amount));
    if (b && b->has_deadline && strcmp(met_word(b), met_word(a)) != 0)
        printf("%s -> ", met_word(b));
    printf("%s%s%s\n", a->met ? style->good : style->bad, met_word(a), style->plain);
}

static void print_row(const struct weir_what_if *w, const struct row *row)
{
    char name[256], before[WEIR_AMOUNT_TEXT], after[WEIR_AMOUNT_TEXT];
    const struct weir_verdict_latency *b = row->before, *a = row->after;
    const char *then = a ? weir_verdict_format(w->after->pipeline, a, after) : "gone";
    print_columns(weir_verdict_title(model_of(w, row), any_of(row), name, sizeof name),
                  b ? weir_verdict_format(w->before->pipeline, b, before) : "new", then);
    if (a && b && weir_verdict_bounded(a) && weir_verdict_bounded(b))
        print_difference(w->after->pipeline, b->worst, a->worst, then);
    fputc('\n', stdout);
    if (a && a->has_best && b && b->has_best && (a->best != b->best || a->certainty == WEIR_CERTAIN_EXACT)) {
        print_columns("  best case", weir_amount_format(w->before->pipeline, b->best, before),
                      weir_amount_format(w->after->pipeline, a->best, after));
        fputc('\n', stdout);
    }
    print_deadline(w, row);
    if (a && a->why && !weir_verdict_bounded(a))
        printf("    %s\n", a->why);
}

/* Bad news first where not all can be shown. */
static void print_rows(const struct weir_what_if *w, const struct row *rows, size_t count)
{
    size_t shown = 0;
    print_columns(w->after->latency_count && w->after->latencies[0].certainty == WEIR_CERTAIN_EXACT ? "worst latency, exact"
                                                                                                    : "worst latency, at most",
                  "before", "after\n");
    for (int bad = 1; bad >= 0; bad--)
        for (size_t i = 0; i < count; i++) {
            const struct weir_verdict_latency *l = any_of(&rows[i]);
            bool is_bad = !l->met || (!weir_verdict_bounded(l) && l->certainty != WEIR_CERTAIN_NONE);
            if (count > LATENCIES_MAX && (is_bad != bad || shown >= LATENCIES_MAX))
                continue;
            if (count <= LATENCIES_MAX && !bad)
                continue;
            print_row(w, &rows[i]);
            shown++;
        }
    if (shown < count)
        printf("  ... and %zu more (--json lists all)\n", count - shown);
}

static void print_names(const char *label, const struct weir_verdicts *v)
{
    printf("    %s", label);
    for (size_t i = 0; i < v->bottleneck_count && i < 12; i++)
        printf("%s%s", i ? ", " : "", weir_pipeline_operator(v->pipeline, v->bottleneck[i]).name);
    puts(v->bottleneck_count > 12 ? " ..." : "");
}

static void print_rest(const struct weir_what_if *w)
{
    const struct weir_verdicts *b = w->before, *a = w->after;
    char before[WEIR_AMOUNT_TEXT], after[WEIR_AMOUNT_TEXT];
    if (a->has_period || b->has_period) {
        const char *then = a->has_period ? weir_ratio_amount(a->pipeline, a->period, after) : "-";
        print_columns("one result at least every", b->has_period ? weir_ratio_amount(b->pipeline, b->period, before) : "-", then);
        if (a->has_period && b->has_period)
            print_difference(a->pipeline, b->period, a->period, then);
        fputs("\n  held back by\n", stdout);
        if (b->has_period)
            print_names("before  ", b);
        if (a->has_period)
            print_names("after   ", a);
    }
    if (a->utilization.denominator && b->utilization.denominator) {
        print_columns("cores in use", weir_ratio_format(b->utilization, 0, 4, before),
                      weir_ratio_format(a->utilization, 0, 4, after));
        fputc('\n', stdout);
    }
    if (a->places >= 0 || b->places >= 0) {
        char some[WEIR_COUNT_TEXT], more[WEIR_COUNT_TEXT];
        print_columns("places in all queues", b->places < 0 ? "-" : weir_count_format(b->places, some),
                      a->places < 0 ? "-" : weir_count_format(a->places, more));
        fputc('\n', stdout);
    }
}

static void print_paths(const struct weir_what_if *w, const struct row *rows, size_t count)
{
    char name[256];
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        const struct weir_verdict_latency *b = rows[i].before, *a = rows[i].after;
        if (!a || !a->path || all++ >= PATHS_MAX)
            continue;
        printf("%sCritical path of %s\n", shown ? "" : "\n", weir_verdict_title(w->after->pipeline, a, name, sizeof name));
        if (b && b->path && strcmp(b->path, a->path) == 0)
            printf("  same    %s\n", a->path);
        else if (b && b->path)
            printf("  before  %s\n  after   %s\n", b->path, a->path);
        else
            printf("  after   %s\n", a->path);
        shown++;
    }
    if (all > shown)
        printf("... and of %zu more (--json lists all)\n", all - shown);
}

void weir_what_if_print(const struct weir_what_if *w)
{
    size_t count;
    struct row *rows = make_rows(w, &count);
    if (!rows)
        return;
    print_first_line(w);
    print_rows(w, rows, count);
    print_rest(w);
    print_paths(w, rows, count);
    if (w->out)
        printf("\nThe changed model is in %s.\n", w->out);
    free(rows);
}
