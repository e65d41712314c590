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

/* The ratio in the model's unit, exact or rounded up in the third digit behind a tick: what is guaranteed stays true. */
static const char *format_period(const struct weir_view *view, struct weir_ratio period, char text[WEIR_AMOUNT_TEXT])
{
    enum { MORE_DIGITS = 3 };
    if (period.denominator == 1)
        return weir_amount_format(view->pipeline, period.numerator, text);
    uint64_t divisor = (uint64_t)period.denominator, whole = (uint64_t)period.numerator / divisor;
    uint64_t rest = (uint64_t)period.numerator % divisor, part = 0;
    for (int i = 0; i < MORE_DIGITS; i++) {
        rest *= 10; /* a denominator stays below 2^60 */
        part = part * 10 + rest / divisor;
        rest %= divisor;
    }
    part += rest > 0;
    char digits[WEIR_AMOUNT_TEXT];
    int point = (int)weir_pipeline_digits(view->pipeline) + MORE_DIGITS;
    int length = snprintf(digits, sizeof digits, "%0*llu%03llu", point - MORE_DIGITS + 1, (unsigned long long)(whole + part / 1000),
                          (unsigned long long)(part % 1000));
    while (point > 0 && digits[length - 1] == '0') {
        length--;
        point--;
    }
    enum weir_unit unit = weir_pipeline_unit(view->pipeline);
    bool named = unit != WEIR_UNIT_TICK;
    snprintf(text, WEIR_AMOUNT_TEXT, "%.*s%s%.*s%s%s", length - point, digits, point ? "." : "", point, digits + length - point,
             named ? " " : "", named ? weir_unit_name(unit) : "");
    return text;
}

/* How often that is in a second, rounded down. */
static void print_rate(const struct weir_view *view, struct weir_ratio period)
{
    static const int exponents[] = {0, 9, 6, 3, 0};
    enum weir_unit unit = weir_pipeline_unit(view->pipeline);
    if (unit == WEIR_UNIT_TICK)
        return;
    double rate = (double)period.denominator / (double)period.numerator;
    for (int i = exponents[unit] + (int)weir_pipeline_digits(view->pipeline); i > 0; i--)
        rate *= 10;
    if (rate >= 1e15 || rate < 1)
        printf(" (%.3g per second)", rate);
    else if (rate >= 100)
        printf(" (%lld per second)", (long long)rate);
    else
        printf(" (%.2f per second)", (double)(long long)(rate * 100) / 100);
}

static void print_throughput(const struct weir_view *view)
{
    const struct weir_throughput_answer *throughput = &view->analysis->throughput;
    struct weir_ratio period = throughput->period;
    char amount[WEIR_AMOUNT_TEXT];
    if (period.denominator <= 0 || period.numerator <= 0) {
        fputs("  nothing limits the throughput\n", stdout);
        return;
    }
    printf("  one frame every %s is guaranteed", format_period(view, period, amount));
    print_rate(view, period);
    if (throughput->bottleneck_count) {
        fputs(throughput->bottleneck_count == 1 ? "; bottleneck: " : "\n  bottleneck: the loop of ", stdout);
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
        printf(", %s of it in %s", weir_amount_format(view->pipeline, time, amount), name_of(view, op));
    weir_story_free(&story);
}

static void print_bad_news(const struct weir_view *view, const struct weir_latency *latency, enum weir_cli_verdict verdict)
{
    const struct weir_style *style = weir_style_of(stdout);
    char text[WEIR_RANGE_TEXT], late[WEIR_AMOUNT_TEXT];
    const char *from = name_of(view, latency->pair.from), *to = name_of(view, latency->pair.to);
    if (verdict == WEIR_VERDICT_NO_BOUND) {
        printf("%sNO BOUND%s: %s -> %s: %s", style->bad, style->plain, from, to, latency->why ? latency->why : "it grows for ever");
    } else if (verdict == WEIR_VERDICT_UNDECIDED) {
        printf("%sLIMIT REACHED%s: %s -> %s: worst %s", style->bad, style->plain, from, to,
               weir_range_format(view->pipeline, &latency->worst, false, text));
    } else {
        int64_t worst = latency->worst.outcome == WEIR_EXACT ? latency->worst.value : latency->worst.lower;
        weir_amount_format(view->pipeline, worst - latency->pair.deadline, late);
        printf("%sDEADLINE MISSED%s by %s%s: %s -> %s takes %s", style->bad, style->plain,
               latency->worst.outcome == WEIR_EXACT ? "" : "at least ", late, from, to,
               weir_range_format(view->pipeline, &latency->worst, false, text));
        print_culprit(view, latency);
    }
}

static void print_first_line(const struct weir_view *view, const struct weir_latency *const *urgent)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t count = view->analysis->latency_count, deadlines = 0;
    uint32_t operators = weir_pipeline_operator_count(view->pipeline), queues = weir_pipeline_queue_count(view->pipeline);
    enum weir_cli_verdict verdict = count ? weir_latency_verdict(urgent[0]) : WEIR_VERDICT_FINE;
    bool bracket = false;
    for (size_t i = 0; i < count; i++) {
        deadlines += urgent[i]->pair.has_deadline;
        bracket |= urgent[i]->worst.outcome == WEIR_BRACKET || urgent[i]->best.outcome == WEIR_BRACKET;
    }
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    if (verdict != WEIR_VERDICT_FINE) {
        print_bad_news(view, urgent[0], verdict);
        fputs("\n  ", stdout);
    } else if (deadlines) {
        printf("%s%s met%s, ", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    }
    printf("%u operator%s, %u queue%s, %s\n\n", operators, operators == 1 ? "" : "s", queues, queues == 1 ? "" : "s",
           bracket ? "not exact" : "exact");
}

bool weir_view_print(const struct weir_view *given)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_view copy = *given;
    const struct weir_view *view = &copy;
    size_t count = view->analysis->latency_count;
    const struct weir_latency **urgent = calloc(2 * count + 1, sizeof *urgent);
    if (!urgent) {
        weir_complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        urgent[i] = &view->analysis->latencies[i];
    qsort(urgent, count, sizeof *urgent, by_urgency);
    copy.told = count && weir_latency_verdict(urgent[0]) == WEIR_VERDICT_NO_BOUND ? urgent[0] : NULL;
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
