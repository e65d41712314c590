/* SPDX-License-Identifier: Apache-2.0 */
/* What was observed, for people: percentiles beside the bounds, and a histogram that ends at the bound. */
#include "answer/answer.h"
#include "base/number.h"
#include "render/text/text.h"

#include <string.h>

enum { BAR_MIN = 10, BAR_MAX = 60, SHARE_COLUMNS = 9, COLUMNS = 80 };

static double value(struct weir_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

/* ---- the histogram ---- */

/* Values have the bound in a bin of theirs: exact ones, and safe ones. */
static bool marks(const struct weir_quantity *quantity, struct weir_ratio end, const struct weir_distribution *d, size_t bin)
{
    bool last = bin + 1 == d->bin_count;
    if (!end.denominator || quantity->claim == WEIR_CLAIM_BRACKET || weir_ratio_compare(end, d->bins[bin].from) < 0)
        return false;
    int order = weir_ratio_compare(end, d->bins[bin].to);
    return order < 0 || (last && order == 0);
}

static void print_share(FILE *out, int64_t count, int64_t total)
{
    int64_t permille = total ? (count * 1000 + total / 2) / total : 0;
    if (count && !permille)
        fprintf(out, "%*s", SHARE_COLUMNS, "< 0.1 %");
    else if (count)
        fprintf(out, "%5lld.%lld %%", (long long)permille / 10, (long long)permille % 10);
    else
        fprintf(out, "%*s", SHARE_COLUMNS, "");
}

static void print_marks(const struct weir_text *text, const struct weir_bound *bound, size_t bin)
{
    char amount[WEIR_NUMBER_TEXT];
    if (marks(&bound->best, bound->best.low, bound->observed, bin))
        fprintf(text->out, "  %s<- best %s%s", text->style->good, weir_quantity_amount(text->pipeline, bound->best.low, amount),
                text->style->plain);
    if (marks(&bound->worst, bound->worst.high, bound->observed, bin))
        fprintf(text->out, "  %s<- %s %s%s", text->style->bad, bound->worst.claim == WEIR_CLAIM_EXACT ? "worst" : "bound",
                weir_quantity_amount(text->pipeline, bound->worst.high, amount), text->style->plain);
}

/* Columns of bars: what labels, shares and marks leave. */
static size_t bar_columns(const struct weir_text *text, const struct weir_bound *bound, size_t label)
{
    char amount[WEIR_NUMBER_TEXT];
    struct weir_ratio high = bound->worst.high.denominator ? bound->worst.high : bound->observed->max;
    size_t other =
        4 + label + 2 + SHARE_COLUMNS + strlen("  <- worst ") + strlen(weir_quantity_amount(text->pipeline, high, amount));
    size_t columns = text->columns ? text->columns : COLUMNS, bar = columns > other + BAR_MIN ? columns - other : BAR_MIN;
    return bar < BAR_MAX ? bar : BAR_MAX;
}

static void print_histogram(const struct weir_text *text, const struct weir_bound *bound)
{
    const struct weir_distribution *d = bound->observed;
    char label[WEIR_NUMBER_TEXT];
    size_t columns = 0;
    int64_t fullest = 1;
    for (size_t i = 0; i < d->bin_count; i++) {
        size_t length = strlen(weir_time_format(text->pipeline, d->bins[i].from.numerator, label));
        columns = length > columns ? length : columns;
        fullest = d->bins[i].count > fullest ? d->bins[i].count : fullest;
    }
    size_t bar = bar_columns(text, bound, columns);
    fprintf(text->out, "\n    %sfrom, %s each%s\n", text->style->dim, weir_amount_format(text->pipeline, d->bin_width, label),
            text->style->plain);
    for (size_t i = 0; i < d->bin_count; i++) {
        int64_t count = d->bins[i].count;
        size_t length = ((size_t)count * bar + (size_t)fullest - 1) / (size_t)fullest;
        bool marked = marks(&bound->best, bound->best.low, d, i) || marks(&bound->worst, bound->worst.high, d, i);
        fprintf(text->out, "    %*s |", (int)columns, weir_time_format(text->pipeline, d->bins[i].from.numerator, label));
        for (size_t k = 0; k < bar && (count || marked); k++)
            fputc(k < length ? '#' : ' ', text->out);
        if (count || marked)
            print_share(text->out, count, d->kept);
        print_marks(text, bound, i);
        fputc('\n', text->out);
    }
}

/* ---- one bound ---- */

static void print_bound(const struct weir_text *text, const struct weir_bound *bound)
{
    const struct weir_quantity *worst = &bound->worst;
    const struct weir_distribution *d = bound->observed;
    char quantity[WEIR_RANGE_TEXT];
    bool exact = worst->claim == WEIR_CLAIM_EXACT || worst->claim == WEIR_CLAIM_BRACKET || worst->claim == WEIR_CLAIM_UNBOUNDED;
    fprintf(text->out, exact ? "    exact:" : "    bounds:");
    if (bound->best.claim != WEIR_CLAIM_NONE)
        fprintf(text->out, " best %s,", weir_quantity_format(text->pipeline, &bound->best, quantity));
    fprintf(text->out, " worst %s", weir_quantity_format(text->pipeline, worst, quantity));
    if (worst->claim == WEIR_CLAIM_UNSAFE)
        fputs(", which can be exceeded", text->out);
    if (d->count && worst->high.denominator && worst->claim != WEIR_CLAIM_BRACKET) {
        if (weir_ratio_compare(d->max, worst->high) == 0)
            fputs(exact ? "; the worst case was seen" : "; the bound was reached", text->out);
        else if (worst->high.numerator > 0 && d->max.numerator >= 0)
            fprintf(text->out, "; the latest seen is %.1f %% of it", 100 * value(d->max) / value(worst->high));
    }
    fputc('\n', text->out);
    if (bound->why)
        fprintf(text->out, "    %s: %s\n",
                worst->claim == WEIR_CLAIM_UNSAFE      ? "not safe"
                : worst->claim == WEIR_CLAIM_UNBOUNDED ? "no bound"
                                                       : "no bound found",
                bound->why);
}

void weir_text_observed(const struct weir_text *text, const struct weir_bound *bound)
{
    const struct weir_distribution *d = bound->observed;
    char count[WEIR_COUNT_TEXT], numbers[4][WEIR_NUMBER_TEXT];
    fprintf(text->out, "\n  %s", text->style->bold);
    if (bound->whole)
        fputs("the whole", text->out);
    else
        fprintf(text->out, "%s -> %s", weir_pipeline_operator(text->pipeline, bound->chain.from).name,
                weir_pipeline_operator(text->pipeline, bound->chain.to).name);
    fprintf(text->out, "%s: %s latenc%s%s%s\n", text->style->plain, weir_count_format(d->count, count), d->count == 1 ? "y" : "ies",
            bound->since ? ", from " : "", bound->since ? bound->since : "");
    if (d->count)
        fprintf(text->out, "    min %s   median %s   p99 %s   max %s\n", weir_quantity_amount(text->pipeline, d->min, numbers[0]),
                weir_quantity_amount(text->pipeline, d->median, numbers[1]),
                weir_quantity_amount(text->pipeline, d->p99, numbers[2]), weir_quantity_amount(text->pipeline, d->max, numbers[3]));
    if (d->kept != d->count)
        fprintf(text->out, "    median, p99 and the histogram are of %s latencies drawn from these\n",
                weir_count_format(d->kept, count));
    print_bound(text, bound);
    if (bound->has_deadline)
        fprintf(text->out, "    deadline %s: %s\n", weir_amount_format(text->pipeline, bound->deadline, numbers[0]),
                weir_deadline_state_name(bound->state));
    if (d->note)
        fprintf(text->out, "    %s\n", d->note);
    if (d->bin_count)
        print_histogram(text, bound);
}

/* ---- all of it ---- */

void weir_text_simulation(const struct weir_text *text, const struct weir_answer *answer, const char *title)
{
    const char *const *lines = answer->lines.items;
    const struct weir_style *style = text->style;
    fprintf(text->out, "%s%s%s: ", style->bold, title, style->plain);
    if (answer->trouble) {
        size_t word = strcspn(answer->trouble, ":");
        fprintf(text->out, "%s%.*s%s%s\n  ", style->bad, (int)word, answer->trouble, style->plain, answer->trouble + word);
    }
    fprintf(text->out, "%s\n", answer->scope);
    for (size_t i = 0; i < answer->lines.count; i++)
        fprintf(text->out, "  %s\n", lines[i]);
    for (size_t i = 0; i < answer->bound_count; i++)
        weir_text_observed(text, &answer->bounds[i]);
    for (size_t i = 0; i < answer->tables.count; i++)
        weir_text_table(text, weir_answer_table(answer, i));
}
