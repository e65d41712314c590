/* SPDX-License-Identifier: Apache-2.0 */
/* What the comparison comes to, for people and as JSON. Times are printed in ms, to the microsecond of the log. */
#include "compare.h"

#include <inttypes.h>
#include <string.h>

#define MS_TEXT 48

/* Exactly, without needless zeros. */
static const char *ms(int64_t ns, char text[MS_TEXT])
{
    int used = snprintf(text, MS_TEXT, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", (uint64_t)(ns < 0 ? -ns : ns) / 1000000,
                        (uint64_t)(ns < 0 ? -ns : ns) % 1000000);
    while (text[used - 1] == '0')
        text[--used] = 0;
    if (text[used - 1] == '.')
        text[used - 1] = 0;
    return text;
}

static const char *operator_name(const struct weir_comparison *c, uint32_t op)
{
    return weir_pipeline_operator(c->pipeline, (struct weir_operator){op}).name;
}

/* ---- for people ---- */

static void print_excess(const struct weir_comparison *c, const struct weir_excess *e)
{
    char took[MS_TEXT], worst[MS_TEXT];
    printf("%s took %s ms; its worst case in the model is %s ms", operator_name(c, e->op), ms(e->took, took),
           ms(c->seen[e->op].worst, worst));
}

static void print_above(const struct weir_comparison *c, const struct weir_above *a)
{
    char latency[MS_TEXT], wait[MS_TEXT];
    printf("    message %" PRIu64 " (line %" PRIu64 "): %s ms\n      ", a->record, a->line, ms(a->latency, latency));
    if (a->own.op != WEIR_COMPARE_NOBODY) {
        print_excess(c, &a->own);
        printf("\n");
        return;
    }
    printf("no operator on its way was seen to take longer than its worst case");
    if (a->before.op != WEIR_COMPARE_NOBODY) {
        printf(", but before it, in message %" PRIu64 ", ", a->before.record);
        print_excess(c, &a->before);
    }
    if (a->wait >= 0)
        printf("\n      it waited longest between %s and %s: %s ms, of which the tracker sees neither queue nor compute()",
               weir_compare_name(c, a->wait_from), weir_compare_name(c, a->wait_to), ms(a->wait, wait));
    printf("\n");
}

static void print_way(const struct weir_comparison *c, const struct weir_compared *p)
{
    for (size_t i = 0; i < p->count; i++)
        printf("%s%s", i ? " -> " : "", weir_compare_name(c, p->names[i]));
    printf("\n");
}

static void print_summary(const struct weir_compared *p)
{
    const struct weir_style *style = weir_style_of(stdout);
    char text[3][MS_TEXT], count[WEIR_COUNT_TEXT];
    printf("  observed  %s message%s", weir_count_format(p->samples.count, count), p->samples.count == 1 ? "" : "s");
    if (p->samples.min >= 0)
        printf(", min %s", ms(p->samples.min, text[0]));
    if (p->mean >= 0)
        printf(", mean %s", ms(p->mean, text[1]));
    if (p->samples.max >= 0)
        printf(", max %s%s%s ms", style->bold, ms(p->samples.max, text[2]), style->plain);
    printf("\n");
}

static void print_path(const struct weir_comparison *c, const struct weir_compared *p)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_samples *s = &p->samples;
    char text[4][MS_TEXT], count[WEIR_COUNT_TEXT];
    print_way(c, p);
    if (c->summary) {
        print_summary(p);
    } else if (s->count) {
        printf("  observed  %s message%s: min %s, median %s, p99 %s, max %s%s%s ms\n", weir_count_format(s->count, count),
               s->count == 1 ? "" : "s", ms(s->min, text[0]), ms(weir_samples_quantile(s, 500), text[1]),
               ms(weir_samples_quantile(s, 990), text[2]), style->bold, ms(s->max, text[3]), style->plain);
    } else {
        printf("  observed  no message from its begin to its end\n");
    }
    if (p->rereads && p->aged)
        printf("  of these  %" PRIu64 " were read once more (_old): their latency is the age of the data\n", p->rereads);
    else if (p->rereads)
        printf("  left out  %" PRIu64 " that were read once more (_old): their age is no latency of the model\n", p->rereads);
    if (p->unfinished)
        printf("  left out  %" PRIu64 " of which the tracker did not see the end (-1)\n", p->unfinished);
    if (!p->in_model) {
        printf("  bound     %snone: the model does not have this path%s\n", style->bad, style->plain);
        return;
    }
    if (!p->bounded) {
        printf("  bound     none: %s\n", p->why);
        return;
    }
    printf("  bound     %s%s ms", p->safe ? "at most " : "", ms(p->bound, text[0]));
    if (p->above_count && c->summary && p->max_message)
        printf(", %sexceeded%s, by message %" PRIu64 "; a log tells by which operator\n", style->bad, style->plain, p->max_message);
    else if (p->above_count && c->summary)
        printf(", %sexceeded%s; a log tells by which operator\n", style->bad, style->plain);
    else if (p->above_count)
        printf(", %sexceeded by %" PRIu64 " of them%s\n", style->bad, p->above_count, style->plain);
    else if (s->count && p->bound > 0 && s->max >= 0)
        printf("; the greatest seen is %.1f%% of it\n", 100.0 * (double)s->max / (double)p->bound);
    else
        printf("\n");
    for (size_t i = 0; i < p->kept; i++)
        print_above(c, &p->above[i]);
    if (p->above_count > p->kept && c->log)
        printf("    and %" PRIu64 " more, all smaller\n", p->above_count - p->kept);
}

static void print_operators(const struct weir_comparison *c)
{
    const struct weir_style *style = weir_style_of(stdout);
    char text[2][MS_TEXT];
    for (uint32_t i = 0; i < weir_pipeline_operator_count(c->pipeline); i++) {
        const struct weir_seen *s = &c->seen[i];
        if (s->exceeded)
            printf("%s%s%s took longer than its worst case in %" PRIu64 " of %" PRIu64 " sightings: up to %s ms (message %" PRIu64
                   ", line %" PRIu64 "), where the model has %s ms\n",
                   style->bad, operator_name(c, i), style->plain, s->exceeded, s->count, ms(s->max, text[0]), s->longest.record,
                   s->longest.line, ms(s->worst, text[1]));
    }
}

/* Of n messages that are alike, all up to the greatest seen: were more than 3 in n above it, that would happen in less than one of
 * twenty such runs. */
static void print_sample(const struct weir_comparison *c)
{
    const struct weir_compared *fewest = NULL;
    for (size_t i = 0; i < c->path_count; i++)
        if (c->paths[i].samples.count > 0 && (!fewest || c->paths[i].samples.count < fewest->samples.count))
            fewest = &c->paths[i];
    if (!fewest || fewest->samples.count >= WEIR_COMPARE_MANY)
        return;
    fprintf(stderr, "%s: note: %" PRId64 " message%s to \"%s\" %s ", c->log_path, fewest->samples.count,
            fewest->samples.count == 1 ? "" : "s", weir_compare_name(c, fewest->names[fewest->count - 1]),
            fewest->samples.count == 1 ? "is" : "are");
    if (fewest->samples.count < 10)
        fprintf(stderr, "too few to say how late others may be\n");
    else
        fprintf(stderr,
                "a small sample: even if all are alike, up to %.2g%% of others may be later than the latest seen (with 95%% "
                "confidence)\n",
                100 * 3.0 / (double)fewest->samples.count);
}

static void print_quality(const struct weir_comparison *c)
{
    print_sample(c);
    if (!c->log)
        return;
    struct weir_flow_counts counts = weir_flow_log_counts(c->log);
    if (counts.unreadable)
        fprintf(stderr,
                "%s:%" PRIu64 ": note: %" PRIu64 " of %" PRIu64 " lines cannot be read and were left out; this is the first\n",
                c->log_path, counts.first_unreadable, counts.unreadable, counts.lines);
    if (counts.truncated)
        fprintf(stderr, "%s: note: the log ends within a line, which was left out\n", c->log_path);
    if (c->backwards)
        fprintf(stderr, "%s: note: %" PRIu64 " times were left out because they end before they begin: was the clock set?\n",
                c->log_path, c->backwards);
    if (c->too_many)
        fprintf(stderr, "%s: note: %" PRIu64 " messages of further paths were left out: there are too many paths\n", c->log_path,
                c->too_many);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(c->pipeline); i++)
        if (!c->seen[i].count && !weir_pipeline_operator(c->pipeline, (struct weir_operator){i}).broadcast)
            fprintf(stderr, "%s: note: operator \"%s\" of the model has no time in this log\n", c->log_path, operator_name(c, i));
}

/* Where a bound was exceeded and no operator is to blame: what a log does not show, most likely first. */
static void print_suspects(const struct weir_comparison *c)
{
    bool blameless = false;
    for (size_t i = 0; i < c->path_count; i++)
        for (size_t k = 0; k < c->paths[i].kept; k++) {
            const struct weir_above *a = &c->paths[i].above[k];
            blameless |= a->own.op == WEIR_COMPARE_NOBODY && a->before.op == WEIR_COMPARE_NOBODY;
        }
    if (blameless)
        printf("\nWhat the application may have and the model has not: one port for several receivers, a deeper queue, a batch,\n"
               "fewer workers than operators, work before receive() or after emit(); see docs/guide/holoscan.md\n");
}

void weir_compare_print(struct weir_comparison *c)
{
    print_quality(c);
    for (size_t i = 0; i < c->path_count; i++) {
        if (i)
            printf("\n");
        print_path(c, &c->paths[i]);
    }
    for (uint32_t i = 0; i < weir_pipeline_operator_count(c->pipeline); i++)
        if (c->seen[i].exceeded) {
            printf("\n");
            break;
        }
    print_operators(c);
    print_suspects(c);
}

/* ---- as JSON ---- */

static void print_time(const char *key, int64_t ns)
{
    char text[MS_TEXT];
    printf("\"%s\": %s", key, ms(ns, text));
}

static void print_excess_json(const struct weir_comparison *c, const char *key, const struct weir_excess *e)
{
    if (e->op == WEIR_COMPARE_NOBODY)
        return;
    printf(", \"%s\": {\"operator\": ", key);
    weir_print_json_text(stdout, operator_name(c, e->op));
    printf(", \"message\": %" PRIu64 ", \"line\": %" PRIu64 ", ", e->record, e->line);
    print_time("took", e->took);
    printf(", ");
    print_time("worst", c->seen[e->op].worst);
    printf("}");
}

static void print_path_json(const struct weir_comparison *c, const struct weir_compared *p)
{
    const struct weir_samples *s = &p->samples;
    printf("    {\"path\": [");
    for (size_t i = 0; i < p->count; i++) {
        printf("%s", i ? ", " : "");
        weir_print_json_text(stdout, weir_compare_name(c, p->names[i]));
    }
    printf("], \"count\": %" PRId64 ", ", s->count);
    if (c->summary) {
        static const char *const keys[] = {"min", "mean", "max"};
        const int64_t values[] = {s->min, p->mean, s->max};
        for (size_t i = 0; i < 3; i++)
            if (values[i] >= 0)
                print_time(keys[i], values[i]), printf(", ");
    } else if (s->count) {
        print_time("min", s->min), printf(", ");
        print_time("median", weir_samples_quantile(s, 500)), printf(", ");
        print_time("p99", weir_samples_quantile(s, 990)), printf(", ");
        print_time("max", s->max), printf(", ");
    }
    printf("\"reread\": %" PRIu64 ", \"unfinished\": %" PRIu64 ", \"in_model\": %s, ", p->rereads, p->unfinished,
           p->in_model ? "true" : "false");
    if (p->in_model && p->bounded) {
        print_time("bound", p->bound);
        printf(", \"certainty\": \"%s\"", p->safe ? "safe" : "exact");
    } else {
        printf("\"bound\": null");
    }
    printf(", \"above\": %" PRIu64 ", \"worst\": [", p->above_count);
    for (size_t i = 0; i < p->kept; i++) {
        const struct weir_above *a = &p->above[i];
        printf("%s\n      {\"message\": %" PRIu64 ", \"line\": %" PRIu64 ", ", i ? "," : "", a->record, a->line);
        print_time("latency", a->latency);
        print_excess_json(c, "excess", &a->own);
        print_excess_json(c, "excess_before", &a->before);
        printf("}");
    }
    printf("]}");
}

void weir_compare_print_json(struct weir_comparison *c)
{
    struct weir_flow_counts counts = {0};
    print_quality(c);
    printf("{\n  \"unit\": \"ms\",\n  ");
    if (c->log) {
        counts = weir_flow_log_counts(c->log);
        printf("\"log\": {\"lines\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"unreadable\": %" PRIu64 ", \"truncated\": %s},\n  ",
               counts.lines, counts.messages, counts.unreadable, counts.truncated ? "true" : "false");
    }
    printf("\"paths\": [\n");
    for (size_t i = 0; i < c->path_count; i++) {
        print_path_json(c, &c->paths[i]);
        printf(i + 1 < c->path_count ? ",\n" : "\n");
    }
    printf("  ],\n  \"operators\": [\n");
    uint32_t operators = weir_pipeline_operator_count(c->pipeline);
    for (uint32_t i = 0; i < operators; i++) {
        const struct weir_seen *s = &c->seen[i];
        printf("    {\"name\": ");
        weir_print_json_text(stdout, operator_name(c, i));
        printf(", \"seen\": %" PRIu64 ", ", s->count);
        if (s->count) {
            print_time("min", s->min), printf(", ");
            print_time("max", s->max), printf(", ");
        }
        if (s->worst == INT64_MAX)
            printf("\"worst\": null");
        else
            print_time("worst", s->worst);
        printf(", \"exceeded\": %" PRIu64 "}%s\n", s->exceeded, i + 1 < operators ? "," : "");
    }
    printf("  ]\n}\n");
}
