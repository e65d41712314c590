/* SPDX-License-Identifier: Apache-2.0 */
/* What a run comes to, for people. */
#include "analyze.h"
#include "run.h"

#include <string.h>

#define NAME_MAX_COLUMNS 40
#define OPERATORS_SHOWN 40

const char *weir_live_format(int64_t ns, char text[WEIR_LIVE_TEXT])
{
    double value = (double)ns;
    int64_t size = ns < 0 ? -ns : ns;
    if (size < 1000)
        snprintf(text, WEIR_LIVE_TEXT, "%lld ns", (long long)ns);
    else if (size < 1000000)
        snprintf(text, WEIR_LIVE_TEXT, "%.1f us", value / 1e3);
    else if (size < 1000000000)
        snprintf(text, WEIR_LIVE_TEXT, "%.3f ms", value / 1e6);
    else
        snprintf(text, WEIR_LIVE_TEXT, "%.3f s", value / 1e9);
    return text;
}

const char *weir_live_pair_name(const struct weir_live *live, uint32_t pair, char text[WEIR_LIVE_PAIR])
{
    struct weir_pair_spec spec = weir_pipeline_pair(live->pipeline, pair);
    snprintf(text, WEIR_LIVE_PAIR, "%.100s -> %.100s", weir_pipeline_operator(live->pipeline, spec.from).name,
             weir_pipeline_operator(live->pipeline, spec.to).name);
    return text;
}

static void print_right(const char *text, int columns)
{
    int width = (int)weir_text_columns(text);
    printf("  %*s%s", width < columns ? columns - width : 0, "", text);
}

static void print_time(int64_t ns, int columns)
{
    char text[WEIR_LIVE_TEXT];
    print_right(weir_live_format(ns, text), columns);
}

static int64_t mean(int64_t total, uint64_t count)
{
    return count ? total / (int64_t)count : 0;
}

/* ---- how it went ---- */

static void print_scheduling(const struct weir_live *live)
{
    const struct weir_live_settings *s = live->settings;
    printf("  policy %s on %u CPU%s", weir_run_policy_name(live->policy), live->cpus, live->cpus == 1 ? "" : "s");
    if (live->policy == WEIR_RUN_DEADLINE)
        printf("; %.2f of %.2f CPUs reserved", live->bandwidth, live->limit);
    if (s->policy != WEIR_RUN_OTHER || s->lock)
        printf("; memory %slocked%s%s", weir_run_result(live->run).memory_locked ? "" : "not ", live->no_lock[0] ? ": " : "",
               live->no_lock);
    putchar('\n');
    if (live->no_deadline[0] && s->policy == WEIR_RUN_DEADLINE)
        printf("  not deadline: %s\n", live->no_deadline);
    if (live->no_fifo[0])
        printf("  not fifo: %s\n", live->no_fifo);
    if (live->demand > live->cpus && live->comparable && (s->work == WEIR_RUN_SPIN || s->work == WEIR_RUN_MEMORY))
        printf("  at worst the operators need %.2f CPUs: more than there are\n", live->demand);
}

/* ---- latencies ---- */

static size_t name_columns(const struct weir_live *live, bool pairs)
{
    char text[WEIR_LIVE_PAIR];
    size_t most = 8;
    for (uint32_t i = 0; i < (pairs ? live->pair_count : live->operators); i++) {
        size_t columns = weir_text_columns(pairs ? weir_live_pair_name(live, i, text)
                                                 : weir_pipeline_operator(live->pipeline, (struct weir_operator){i}).name);
        most = columns > most ? columns : most;
    }
    return most > NAME_MAX_COLUMNS ? NAME_MAX_COLUMNS : most;
}

static void print_pair(const struct weir_live *live, uint32_t index, size_t columns)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_live_pair *pair = &live->pairs[index];
    struct weir_run_pair_stats seen = weir_run_pair(live->run, index);
    char text[WEIR_LIVE_PAIR], number[WEIR_COUNT_TEXT];
    fputs("  ", stdout);
    weir_print_padded(weir_live_pair_name(live, index, text), columns);
    print_right(weir_count_format((int64_t)seen.count, number), 10);
    if (seen.count == 0) {
        printf("  %snone got through%s\n", seen.pending_over ? style->bad : "", seen.pending_over ? style->plain : "");
        return;
    }
    print_time(seen.min, 10);
    print_time(mean(seen.total, seen.count), 10);
    print_time(seen.max, 10);
    if (pair->bounded)
        print_time(pair->bound, 10);
    else
        print_right("none", 10);
    if (pair->observed_bounded)
        print_time(pair->observed, 10);
    else
        print_right("none", 10);
    if (pair->bounded && (seen.over || seen.pending_over))
        printf("  %sabove the bound%s", style->bad, style->plain);
    else if (pair->bounded)
        printf("  %swithin%s", style->good, style->plain);
    if (weir_live_late(live, &seen))
        printf(", %smisses its deadline of %s%s", style->bad, weir_live_format(weir_run_ns(live->run, seen.pair.deadline), text),
               style->plain);
    putchar('\n');
}

/* What has no latency: still under way at the end, or through after its start was forgotten. */
static void print_unmeasured(const struct weir_live *live, uint32_t index)
{
    struct weir_run_pair_stats seen = weir_run_pair(live->run, index);
    char text[WEIR_LIVE_PAIR], time[WEIR_LIVE_TEXT];
    if (seen.pending_over)
        printf("  %s: %llu under way at the end were above the bound already, the oldest at %s\n",
               weir_live_pair_name(live, index, text), (unsigned long long)seen.pending_over,
               weir_live_format(seen.pending_max, time));
    if (seen.missed)
        printf("  %s: %llu were not measured: so many were under way at once that their starts were forgotten\n",
               weir_live_pair_name(live, index, text), (unsigned long long)seen.missed);
}

static const char *reason_words(enum weir_live_reason reason)
{
    static const char *const words[] = {"an operator took more than its worst case", "the machine took time away from an operator",
                                        "operators started late: a wake-up took long, or no CPU was free",
                                        "of something that was not recorded"};
    return words[reason];
}

static void print_excess(const struct weir_live *live, uint32_t index)
{
    const struct weir_live_pair *pair = &live->pairs[index];
    struct weir_run_pair_stats seen = weir_run_pair(live->run, index);
    char text[WEIR_LIVE_PAIR], time[WEIR_LIVE_TEXT];
    printf("\n%s: %llu of %llu above the bound", weir_live_pair_name(live, index, text), (unsigned long long)pair->over,
           (unsigned long long)seen.count);
    if (pair->looked_at < pair->over)
        printf("; of the %llu that were recorded and looked at", (unsigned long long)pair->looked_at);
    putchar('\n');
    for (int i = 0; i < WEIR_LIVE_REASONS; i++)
        if (pair->classified[i])
            printf("  %llu mostly because %s\n", (unsigned long long)pair->classified[i], reason_words((enum weir_live_reason)i));
    if (pair->looked_at) {
        printf("  the longest of them ends with execution %lld, %s above:", (long long)pair->worst_execution,
               weir_live_format(pair->worst - pair->bound, time));
        const char *before = " ";
        for (int i = 0; i < WEIR_LIVE_UNKNOWN; i++)
            if (pair->shares.time[i] > 0) {
                printf("%s%s %s (most: %s)", before, weir_live_reason_name((enum weir_live_reason)i),
                       weir_live_format(pair->shares.time[i], time),
                       weir_pipeline_operator(live->pipeline, (struct weir_operator){pair->shares.op[i]}).name);
                before = ", ";
            }
        if (pair->shares.time[WEIR_LIVE_UNKNOWN])
            printf("%sthe rest was not recorded", before);
        putchar('\n');
    }
    if (pair->observed_bounded && seen.max <= pair->observed)
        fputs("  with the times that the operators took, all of it is within the bound\n", stdout);
    else if (pair->observed_bounded)
        fputs("  the times that the operators took do not explain all of it: they started late\n", stdout);
}

static void print_latencies(const struct weir_live *live)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t columns = name_columns(live, true);
    if (live->pair_count == 0)
        return;
    printf("\n%s  ", style->bold);
    weir_print_padded("latency", columns);
    print_right("messages", 10);
    print_right("min", 10);
    print_right("mean", 10);
    print_right("max", 10);
    print_right("bound", 10);
    print_right("as seen", 10);
    printf("%s\n", style->plain);
    for (uint32_t i = 0; i < live->pair_count; i++)
        print_pair(live, i, columns);
    for (uint32_t i = 0; i < live->pair_count; i++) {
        char text[WEIR_LIVE_PAIR];
        if (live->pairs[i].why)
            printf("  %s has no bound: %s\n", weir_live_pair_name(live, i, text), live->pairs[i].why);
        else if (live->pairs[i].observed_why)
            printf("  %s has no bound with the times seen: %s\n", weir_live_pair_name(live, i, text), live->pairs[i].observed_why);
    }
    for (uint32_t i = 0; i < live->pair_count; i++)
        print_unmeasured(live, i);
    if (live->observed_why[0])
        printf("  there is no bound with the times seen: %s\n", live->observed_why);
    for (uint32_t i = 0; i < live->pair_count; i++)
        if (live->pairs[i].bounded && live->pairs[i].over)
            print_excess(live, i);
}

/* ---- operators and queues ---- */

static void print_operator(const struct weir_live *live, uint32_t index, size_t columns)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_operator op = {index};
    struct weir_run_operator_stats seen = weir_run_operator(live->run, op);
    char text[96];
    fputs("  ", stdout);
    weir_print_padded(weir_pipeline_operator(live->pipeline, op).name, columns);
    print_right(weir_count_format((int64_t)seen.executions, text), 10);
    print_time(seen.min, 10);
    print_time(mean(seen.total, seen.executions), 10);
    print_time(seen.max, 10);
    if (live->comparable)
        print_time(live->tasks[index].cost, 10);
    else
        print_right("none", 10);
    print_right(weir_count_format((int64_t)seen.over_worst, text), 10);
    if (live->policy == WEIR_RUN_DEADLINE)
        print_right(weir_count_format((int64_t)seen.over_budget, text), 10);
    snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)seen.involuntary_switches,
             (unsigned long long)seen.voluntary_switches);
    print_right(text, 12);
    snprintf(text, sizeof text, "%llu", (unsigned long long)(seen.minor_faults + seen.major_faults));
    print_right(text, 6);
    if (seen.policy != live->policy)
        printf("  %s%s%s", style->dim, weir_run_policy_name(seen.policy), style->plain);
    putchar('\n');
}

static void print_operators(const struct weir_live *live)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t columns = name_columns(live, false);
    uint32_t shown = live->operators > OPERATORS_SHOWN ? OPERATORS_SHOWN : live->operators;
    printf("\n%s  ", style->bold);
    weir_print_padded("operator", columns);
    print_right("executions", 10);
    print_right("min", 10);
    print_right("mean", 10);
    print_right("max", 10);
    print_right("worst case", 10);
    print_right("above it", 10);
    if (live->policy == WEIR_RUN_DEADLINE)
        print_right("overruns", 10);
    print_right("interrupted", 12);
    print_right("faults", 6);
    printf("%s\n", style->plain);
    for (uint32_t i = 0; i < shown; i++)
        print_operator(live, i, columns);
    if (shown < live->operators)
        printf("  and %u more; --json has them all\n", live->operators - shown);
}

static void print_losses(const struct weir_live *live)
{
    for (uint32_t i = 0; i < weir_pipeline_queue_count(live->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(live->pipeline, (struct weir_queue){i});
        struct weir_run_queue_stats seen = weir_run_queue(live->run, (struct weir_queue){i});
        if (seen.lost)
            printf("  of %llu messages from %s to %s, %llu were lost\n", (unsigned long long)seen.sent,
                   weir_pipeline_operator(live->pipeline, queue.from).name, weir_pipeline_operator(live->pipeline, queue.to).name,
                   (unsigned long long)seen.lost);
    }
}

void weir_live_print(const struct weir_live *live)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_run_outcome result = weir_run_result(live->run);
    char time[WEIR_LIVE_TEXT], count[WEIR_COUNT_TEXT];
    printf("%s%s%s: %s executions in %s; %s\n", style->bold, live->title, style->plain,
           weir_count_format((int64_t)result.executions, count), weir_live_format(result.ended - result.began, time),
           result.description);
    print_scheduling(live);
    print_latencies(live);
    print_operators(live);
    print_losses(live);
}
