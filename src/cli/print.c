/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir analyze` says about one model: verdict, numbers, story, assumptions. */
#include "analyze.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 12, NAMES_MAX = 6 };

static const char *name_of(const struct weir_view *view, struct weir_operator op)
{
    return weir_pipeline_operator(view->pipeline, op).name;
}

static int by_urgency(const void *left, const void *right)
{
    const struct weir_latency *const *a = left, *const *b = right;
    int order = weir_latency_compare(*a, *b);
    return order ? order : *a < *b ? -1 : *a > *b; /* they lie in one array: the order of the model */
}

static int by_place(const void *left, const void *right)
{
    const struct weir_latency *const *a = left, *const *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The most urgent ones when there are many; in the order of the model. `urgent` has room for as many again. */
static bool print_latencies(const struct weir_view *view, const struct weir_latency **urgent)
{
    size_t count = view->analysis->latency_count, shown = !view->full && count > PAIRS_MAX ? PAIRS_MAX : count;
    const struct weir_latency **order = urgent + count;
    memcpy(order, urgent, shown * sizeof *order);
    qsort(order, shown, sizeof *order, by_place);
    if (!weir_latencies_print(view, order, shown))
        return false;
    if (shown < count)
        printf("  ... and %zu more, none of them worse (--full lists all)\n", count - shown);
    return true;
}

static void print_names(const struct weir_view *view, const struct weir_operator *ops, size_t count)
{
    for (size_t i = 0; i < count && (view->full || i < NAMES_MAX); i++)
        printf("%s%s", i ? ", " : "", name_of(view, ops[i]));
    if (!view->full && count > NAMES_MAX)
        printf(" and %zu more", count - NAMES_MAX);
}

static int unit_exponent(enum weir_unit unit)
{
    static const int exponents[] = {0, 9, 6, 3, 0};
    return exponents[unit];
}

static void print_throughput(const struct weir_view *view)
{
    const struct weir_throughput_answer *throughput = &view->analysis->throughput;
    struct weir_ratio period = throughput->period;
    enum weir_unit unit = weir_pipeline_unit(view->pipeline);
    unsigned digits = weir_pipeline_digits(view->pipeline);
    char amount[WEIR_AMOUNT_TEXT];
    if (period.denominator <= 0 || period.numerator <= 0) {
        fputs("  nothing limits the throughput\n", stdout);
        return;
    }
    double value = (double)period.numerator / (double)period.denominator;
    for (unsigned i = 0; i < digits; i++)
        value /= 10;
    if (period.denominator == 1) {
        weir_amount_format(view->pipeline, period.numerator, amount);
    } else {
        int length = snprintf(amount, sizeof amount, "about %.6g", value);
        if (unit != WEIR_UNIT_TICK && length > 0)
            snprintf(amount + length, sizeof amount - (size_t)length, " %s", weir_unit_name(unit));
    }
    printf("  one frame every %s is guaranteed", amount);
    if (unit != WEIR_UNIT_TICK) {
        for (int i = 0; i < unit_exponent(unit); i++)
            value /= 10;
        printf(" (%.4g per second)", 1 / value);
    }
    if (throughput->bottleneck_count) {
        fputs("; bottleneck: ", stdout);
        print_names(view, throughput->bottleneck, throughput->bottleneck_count);
    }
    fputc('\n', stdout);
}

static void print_culprit(const struct weir_view *view, const struct weir_latency *latency)
{
    struct weir_story story;
    struct weir_operator op;
    int64_t time;
    char amount[WEIR_AMOUNT_TEXT];
    if (!latency->witness || !weir_story_tell(view->pipeline, latency->witness, false, &story))
        return;
    if (weir_story_culprit(view->pipeline, &story, &op, &time))
        printf("; %s holds it up the longest, %s", name_of(view, op), weir_amount_format(view->pipeline, time, amount));
    weir_story_free(&story);
}

static void print_bad_news(const struct weir_view *view, const struct weir_latency *latency, enum weir_verdict verdict)
{
    const struct weir_style *style = weir_style_of(stdout);
    char text[WEIR_RANGE_TEXT], deadline[WEIR_AMOUNT_TEXT];
    const char *from = name_of(view, latency->pair.from), *to = name_of(view, latency->pair.to);
    if (verdict == WEIR_VERDICT_NO_BOUND) {
        printf("%sNO BOUND%s: %s -> %s grows for ever", style->bad, style->plain, from, to);
    } else if (verdict == WEIR_VERDICT_UNDECIDED) {
        printf("%sLIMIT REACHED%s: %s -> %s is known only to be %s", style->bad, style->plain, from, to,
               weir_range_format(view->pipeline, &latency->worst, false, text));
    } else {
        weir_amount_format(view->pipeline, latency->pair.deadline, deadline);
        printf("%sDEADLINE MISSED%s: %s -> %s takes up to %s, and %s is allowed", style->bad, style->plain, from, to,
               weir_range_format(view->pipeline, &latency->worst, false, text), deadline);
        print_culprit(view, latency);
    }
}

static void print_first_line(const struct weir_view *view, const struct weir_latency *const *urgent)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t count = view->analysis->latency_count, deadlines = 0;
    uint32_t operators = weir_pipeline_operator_count(view->pipeline), queues = weir_pipeline_queue_count(view->pipeline);
    enum weir_verdict verdict = count ? weir_latency_verdict(urgent[0]) : WEIR_VERDICT_FINE;
    for (size_t i = 0; i < count; i++)
        deadlines += urgent[i]->pair.has_deadline;
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (verdict != WEIR_VERDICT_FINE) {
        print_bad_news(view, urgent[0], verdict);
        fputs("\n  ", stdout);
    } else if (deadlines) {
        printf("%s%s met%s, ", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    }
    printf("%u operator%s, %u queue%s, exact\n\n", operators, operators == 1 ? "" : "s", queues, queues == 1 ? "" : "s");
}

bool weir_view_print(const struct weir_view *view)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t count = view->analysis->latency_count;
    const struct weir_latency **urgent = calloc(2 * count + 1, sizeof *urgent);
    if (!urgent) {
        weir_complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        urgent[i] = &view->analysis->latencies[i];
    qsort(urgent, count, sizeof *urgent, by_urgency);
    print_first_line(view, urgent);
    bool good = print_latencies(view, urgent);
    print_throughput(view);
    if (view->verified)
        fputs("  verified: witness replays to the bound, certificate checked\n", stdout);
    bool told = false;
    for (size_t i = 0; i < count && (view->full || !told); i++)
        if (urgent[i]->witness) {
            weir_view_print_path(view, urgent[i]);
            told = true;
        }
    printf("\n%sAssumes a thread per operator and the execution times in the model; see docs/concepts/assumptions.md.%s\n",
           style->dim, style->plain);
    free(urgent);
    return good;
}
