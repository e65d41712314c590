/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir explore` says: whether there is something better, before and after side by side, what to change. */
#include "analyze.h"
#include "explore.h"

#include <string.h>

enum { NAME_COLUMNS = 40, NUMBER_COLUMNS = 14, LATENCIES_MAX = 12, CHANGES_MAX = 24 };

static void print_rest(size_t shown, size_t count)
{
    if (shown < count)
        printf("  ... and %zu more (--json lists all)\n", count - shown);
}

static const char *operator_name(const struct weir_findings *f, struct weir_operator op)
{
    return weir_pipeline_operator(f->model, op).name;
}

/* ---- the verdict ---- */

static void print_kind(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    bool better = e->pipeline, optimal = e->complete;
    switch (f->options->goal) {
    case WEIR_EXPLORE_PRIORITIES:
        fputs(better    ? "better priorities"
              : optimal ? "no priorities are better than these"
                        : "no better priorities found",
              stdout);
        break;
    case WEIR_EXPLORE_MAPPING:
        fputs(better ? "a better mapping" : optimal ? "no mapping is better than this" : "no better mapping found", stdout);
        break;
    case WEIR_EXPLORE_SPACING:
        fputs(better    ? "a regulator helps"
              : optimal ? "no regulator makes it better"
                        : "no regulator found that makes it better",
              stdout);
        break;
    case WEIR_EXPLORE_BUFFERS:
        fputs(better          ? e->total_before < 0 ? "queues that keep every limit" : "smaller queues"
              : e->total < 0  ? optimal ? "no queues keep every limit" : "no queues found that keep every limit"
              : e->total == 0 ? "no queues to size"
              : optimal       ? "no smaller queues keep every limit"
                              : "no smaller queues found",
              stdout);
        break;
    }
    if (better && optimal)
        fputs(f->options->goal == WEIR_EXPLORE_BUFFERS ? ", none smaller" : ", proved the best", stdout);
}

static void print_effort(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    char count[WEIR_COUNT_TEXT];
    printf("  %s analys%s with %s", weir_count_format((int64_t)e->evaluations, count), e->evaluations == 1 ? "is" : "es",
           weir_priority_method_name(f->options->method));
    if (e->complete)
        fputs(f->options->goal == WEIR_EXPLORE_BUFFERS ? ": everything smaller is ruled out" : ": nothing is left to try", stdout);
    else if (e->interrupted)
        fputs(f->stopped ? "; stopped: the best so far" : "; the limit: the best so far", stdout);
    fputs("\n\n", stdout);
}

static void print_first_line(const struct weir_findings *f)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_exploration *e = f->exploration;
    const struct weir_priority_analysis *last = e->after ? e->after : e->before;
    size_t missed = 0, deadlines = 0;
    for (size_t i = 0; i < last->latency_count; i++) {
        deadlines += last->latencies[i].pair.has_deadline;
        missed += !weir_findings_met(f, i, true);
    }
    printf("%s%s%s: %s", style->bold, f->title, style->plain, e->pipeline ? style->good : "");
    print_kind(f);
    fputs(e->pipeline ? style->plain : "", stdout);
    if (last->outcome != WEIR_PRIORITY_CONVERGED)
        printf("; %sno bound%s: %s", style->bad, style->plain, last->why ? last->why : "none found");
    else if (missed)
        printf("; %s%zu deadline%s missed%s", style->bad, missed, missed == 1 ? "" : "s", style->plain);
    else if (deadlines)
        printf("; %s%s met%s", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    fputc('\n', stdout);
}

/* ---- before and after ---- */

static void print_number(const struct weir_findings *f, bool known, int64_t ticks, bool last)
{
    char amount[WEIR_AMOUNT_TEXT];
    const char *text = known ? weir_amount_format(f->model, ticks, amount) : "no bound";
    fputs("  ", stdout);
    if (last)
        fputs(text, stdout);
    else
        weir_print_padded(text, NUMBER_COLUMNS);
}

static void print_latency(const struct weir_findings *f, size_t i)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_pair_spec pair = weir_pipeline_pair(f->model, (uint32_t)i);
    char name[256], amount[WEIR_AMOUNT_TEXT];
    int64_t before, after;
    bool bounded = weir_findings_worst(f, i, false, &before), still = weir_findings_worst(f, i, true, &after);
    snprintf(name, sizeof name, "%.100s -> %.100s", operator_name(f, pair.from), operator_name(f, pair.to));
    fputs("  ", stdout);
    weir_print_padded(name, NAME_COLUMNS);
    print_number(f, bounded, before, !f->exploration->after && !pair.has_deadline);
    if (f->exploration->after)
        print_number(f, still, after, !pair.has_deadline);
    if (pair.has_deadline) {
        bool met = weir_findings_met(f, i, true);
        printf("  deadline %s: %s%s%s", weir_amount_format(f->model, pair.deadline, amount), met ? style->good : style->bad,
               met ? "met" : "missed", style->plain);
    }
    fputc('\n', stdout);
}

static void print_total(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    bool sized = f->options->goal == WEIR_EXPLORE_BUFFERS;
    int64_t before = sized ? e->total_before : e->before->outcome == WEIR_PRIORITY_CONVERGED ? e->before->buffer_total : -1;
    int64_t after = sized ? e->total : e->after && e->after->outcome == WEIR_PRIORITY_CONVERGED ? e->after->buffer_total : -1;
    char count[WEIR_COUNT_TEXT];
    if ((before < 0 && after < 0) || (sized && e->total == 0))
        return;
    fputs("  ", stdout);
    weir_print_padded(sized ? "places in the queues that are sized" : "places in all queues", NAME_COLUMNS);
    fputs("  ", stdout);
    const char *text = before < 0 ? "-" : weir_count_format(before, count);
    if (!e->after) {
        printf("%s\n", text);
        return;
    }
    weir_print_padded(text, NUMBER_COLUMNS);
    printf("  %s\n", after < 0 ? "-" : weir_count_format(after, count));
}

static void print_numbers(const struct weir_findings *f)
{
    fputs("  ", stdout);
    weir_print_padded(f->options->goal == WEIR_EXPLORE_SPACING ? "worst latency, from the actual arrival" : "worst latency",
                      NAME_COLUMNS);
    fputs("  ", stdout);
    fputs(f->exploration->after ? "before          after\n" : "now\n", stdout);
    size_t count = f->exploration->before->latency_count, shown = 0;
    /* Missed deadlines first when not all can be shown. */
    for (int missed = 1; missed >= 0; missed--)
        for (size_t i = 0; i < count && (shown < LATENCIES_MAX || count <= LATENCIES_MAX); i++)
            if (weir_findings_met(f, i, true) != missed) {
                print_latency(f, i);
                shown++;
            }
    print_rest(shown, count);
    print_total(f);
}

/* ---- what to change ---- */

static void print_operators(const struct weir_findings *f)
{
    struct weir_operator_change change;
    size_t shown = 0, count = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(f->model); i++) {
        if (!weir_findings_change(f, i, &change) || count++ >= CHANGES_MAX)
            continue;
        shown++;
        printf("  %s:", change.before.name);
        if (change.processor)
            printf(" %s -> %s%s", weir_pipeline_processor(f->model, change.before.on).name,
                   weir_pipeline_processor(f->model, change.after.on).name, change.priority ? "," : "");
        if (change.priority && change.before.has_priority)
            printf(" priority %d -> %d", change.before.priority, change.after.priority);
        else if (change.priority)
            printf(" priority %d", change.after.priority);
        fputc('\n', stdout);
    }
    print_rest(shown, count);
}

static void print_queues(const struct weir_findings *f)
{
    size_t shown = 0, count = 0;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(f->model); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(f->model, (struct weir_queue){i});
        int64_t before, after;
        if (!weir_findings_capacity(f, i, &before, &after) || count++ >= CHANGES_MAX)
            continue;
        shown++;
        printf("  %s -> %s: ", operator_name(f, queue.from), operator_name(f, queue.to));
        if (before >= 0)
            printf("%lld -> ", (long long)before);
        printf("%lld\n", (long long)after);
    }
    print_rest(shown, count);
}

static void print_spacing(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    struct weir_source_spec source = weir_pipeline_source(f->model, e->source);
    char spacing[WEIR_AMOUNT_TEXT], delay[WEIR_AMOUNT_TEXT], amount[WEIR_AMOUNT_TEXT];
    printf("  behind the source of %s, a regulator that keeps inputs at least %s apart\n", operator_name(f, source.op),
           weir_amount_format(f->model, e->spacing, spacing));
    printf("  it holds an input for at most %s; they arrive every %s", weir_amount_format(f->model, e->delay, delay),
           weir_amount_format(f->model, source.period, amount));
    printf(" with %s of jitter\n", weir_amount_format(f->model, source.jitter, amount));
}

/* Words in lines of at most so many columns. */
static void print_note(const char *text)
{
    enum { COLUMNS = 96 };
    size_t used = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (used && used + 1 + length > COLUMNS) {
            fputc('\n', stdout);
            used = 0;
        }
        printf("%s%.*s", used ? " " : "", (int)length, text);
        used += length + (used > 0);
        text += length + (text[length] == ' ');
    }
    fputc('\n', stdout);
}

void weir_findings_print(const struct weir_findings *f)
{
    const struct weir_exploration *e = f->exploration;
    print_first_line(f);
    print_effort(f);
    print_numbers(f);
    if (e->pipeline) {
        fputs("\nChange\n", stdout);
        if (f->options->goal == WEIR_EXPLORE_SPACING)
            print_spacing(f);
        else if (f->options->goal == WEIR_EXPLORE_BUFFERS)
            print_queues(f);
        else
            print_operators(f);
    }
    if (e->note) {
        fputc('\n', stdout);
        print_note(e->note);
    }
    if (f->out)
        printf("\nThe changed model is in %s.\n", f->out);
}
