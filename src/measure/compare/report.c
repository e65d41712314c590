/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison comes to: lines for people, tables for programs, and notes on what it is worth. */
#include "answer/number.h"
#include "measure/compare/compare.h"
#include "model/pipeline.h"

#include <string.h>

#define MANY 1000 /* messages of a path, below which a note says how little that is */
#define FEW 10    /* ... and below which nothing can be inferred about others */

static const char *operator_name(const struct weir_log_comparison *c, uint32_t op)
{
    return c->pipeline->operators[op].name;
}

static const char *ms(const struct weir_log_comparison *c, int64_t ns)
{
    char *text = weir_answer_take(c->answer, WEIR_TIME_TEXT, 1);
    return text ? weir_time_format(c->scale, ns, text) : "";
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- for people ---- */

static const char *excess_text(const struct weir_log_comparison *c, const struct weir_excess *e)
{
    const char *text = weir_answer_format(c->answer, "%s took %s ms; its worst case in the model is %s ms", operator_name(c, e->op),
                                          ms(c, e->took), ms(c, c->times[e->op].worst));
    return text ? text : "";
}

static void tell_above(const struct weir_log_comparison *c, const struct weir_above *a)
{
    struct weir_answer *answer = c->answer;
    weir_answer_line(answer, "    message %llu (line %llu): %s ms", (unsigned long long)a->record, (unsigned long long)a->line,
                     ms(c, a->latency));
    if (a->own.op != WEIR_LOG_NO_OPERATOR) {
        weir_answer_line(answer, "      %s", excess_text(c, &a->own));
        return;
    }
    if (a->before.op != WEIR_LOG_NO_OPERATOR)
        weir_answer_line(
            answer, "      no operator on its path was seen to take longer than its worst case, but before it, in message %llu, %s",
            (unsigned long long)a->before.record, excess_text(c, &a->before));
    else
        weir_answer_line(answer, "      no operator on its path was seen to take longer than its worst case");
    if (a->wait >= 0)
        weir_answer_line(answer,
                         "      it waited longest between %s and %s: %s ms, of which the tracker sees neither queue nor compute()",
                         weir_log_comparison_name(c, a->wait_from), weir_log_comparison_name(c, a->wait_to), ms(c, a->wait));
}

static const char *path_text(const struct weir_log_comparison *c, const struct weir_log_path *p)
{
    size_t length = 1;
    for (size_t i = 0; i < p->count; i++)
        length += strlen(weir_log_comparison_name(c, p->names[i])) + 4;
    char *text = weir_answer_take(c->answer, length, 1), *end = text;
    for (size_t i = 0; text && i < p->count; i++)
        end += snprintf(end, length - (size_t)(end - text), "%s%s", i ? " -> " : "", weir_log_comparison_name(c, p->names[i]));
    return text ? text : "";
}

static void tell_observed(const struct weir_log_comparison *c, const struct weir_log_path *p, const struct weir_distribution *d)
{
    struct weir_answer *answer = c->answer;
    const struct weir_samples *s = &p->samples;
    char count[WEIR_COUNT_TEXT];
    weir_count_format(s->count, count);
    if (c->summary)
        weir_answer_line(answer, "  observed  %s message%s%s%s%s%s%s%s%s", count, plural(s->count), s->min >= 0 ? ", min " : "",
                         s->min >= 0 ? ms(c, s->min) : "", p->mean >= 0 ? ", mean " : "", p->mean >= 0 ? ms(c, p->mean) : "",
                         s->max >= 0 ? ", max " : "", s->max >= 0 ? ms(c, s->max) : "", s->max >= 0 ? " ms" : "");
    else if (s->count)
        weir_answer_line(answer, "  observed  %s message%s: min %s, median %s, p99 %s, max %s ms", count, plural(s->count),
                         ms(c, s->min), ms(c, d->median.numerator), ms(c, d->p99.numerator), ms(c, s->max));
    else
        weir_answer_line(answer, "  observed  no message from its begin to its end");
    if (p->rereads && p->aged)
        weir_answer_line(answer, "  of these  %llu were read once more (_old): their latency is the age of the data",
                         (unsigned long long)p->rereads);
    else if (p->rereads)
        weir_answer_line(answer, "  left out  %llu that were read once more (_old)%s", (unsigned long long)p->rereads,
                         p->in_model ? ", which no queue of the model allows: one of them is a buffer for the latest message"
                                     : ": their age is not a latency of the model");
    if (p->left_out)
        weir_answer_line(answer, "  left out  %llu at the start and end", (unsigned long long)p->left_out);
    if (p->unfinished)
        weir_answer_line(answer, "  left out  %llu of which the tracker did not see the end (-1)",
                         (unsigned long long)p->unfinished);
}

/* What follows the bound on its line. */
static const char *exceeded_text(const struct weir_log_comparison *c, const struct weir_log_path *p)
{
    const struct weir_samples *s = &p->samples;
    char share[WEIR_NUMBER_TEXT];
    const char *text = "";
    if (p->above_count && c->summary && p->max_message)
        text = weir_answer_format(c->answer, ", exceeded, by message %llu; a log tells by which operator",
                                  (unsigned long long)p->max_message);
    else if (p->above_count && c->summary)
        text = ", exceeded; a log tells by which operator";
    else if (p->above_count)
        text = weir_answer_format(c->answer, ", exceeded by %llu of them", (unsigned long long)p->above_count);
    else if (s->count && p->bound > 0 && s->max >= 0)
        text = weir_answer_format(c->answer, "; the greatest seen is %s of it",
                                  weir_ratio_percent((struct weir_ratio){s->max, p->bound}, share));
    return text ? text : "";
}

static void tell_path(const struct weir_log_comparison *c, const struct weir_log_path *p, const struct weir_distribution *d)
{
    struct weir_answer *answer = c->answer;
    weir_answer_line(answer, "%s", path_text(c, p));
    tell_observed(c, p, d);
    if (!p->in_model)
        weir_answer_line(answer, "  bound     none: the model does not have this path");
    else if (!p->bounded)
        weir_answer_line(answer, "  bound     none: %s", p->why ? p->why : "it was not found");
    else
        weir_answer_line(answer, "  bound     %s%s ms%s", p->safe ? "at most " : "", ms(c, p->bound), exceeded_text(c, p));
    if (p->below_count && c->summary)
        weir_answer_line(answer, "  best      %s ms, but the least seen is below it", ms(c, p->best));
    else if (p->below_count)
        weir_answer_line(answer, "  best      %s ms, but %llu of them took less; the least: message %llu (line %llu)",
                         ms(c, p->best), (unsigned long long)p->below_count, (unsigned long long)p->least_record,
                         (unsigned long long)p->least_line);
    for (size_t i = 0; i < p->above_kept; i++)
        tell_above(c, &p->above[i]);
    if (p->above_count > p->above_kept && c->log)
        weir_answer_line(answer, "    and %llu more, all smaller", (unsigned long long)(p->above_count - p->above_kept));
}

static void tell_operators(const struct weir_log_comparison *c)
{
    bool first = true;
    for (uint32_t i = 0; i < c->pipeline->operator_count; i++) {
        const struct weir_log_times *t = &c->times[i];
        if (!t->exceeded)
            continue;
        if (first)
            weir_answer_line(c->answer, "%s", "");
        first = false;
        weir_answer_line(c->answer,
                         "%s took longer than its worst case in %llu of %llu sightings: up to %s ms (message %llu, line %llu), "
                         "where the model has %s ms",
                         operator_name(c, i), (unsigned long long)t->exceeded, (unsigned long long)t->count, ms(c, t->max),
                         (unsigned long long)t->longest.record, (unsigned long long)t->longest.line, ms(c, t->worst));
    }
}

/* Where a bound was exceeded and no operator is to blame: what a log does not show, most likely first. */
static void tell_suspects(const struct weir_log_comparison *c)
{
    bool blameless = false;
    for (size_t i = 0; i < c->path_count; i++)
        for (size_t k = 0; k < c->paths[i].above_kept; k++) {
            const struct weir_above *a = &c->paths[i].above[k];
            blameless |= a->own.op == WEIR_LOG_NO_OPERATOR && a->before.op == WEIR_LOG_NO_OPERATOR;
        }
    if (!blameless)
        return;
    weir_answer_line(c->answer, "%s", "");
    weir_answer_line(
        c->answer,
        "What the application may have and the model does not: one port for several receivers, a deeper queue, a batch,");
    weir_answer_line(c->answer, "fewer workers than operators, work before receive() or after emit(); see docs/guide/holoscan.md");
}

/* ---- for programs ---- */

static struct weir_datum count_of(uint64_t count)
{
    return weir_datum_count(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static struct weir_datum time_if(bool known, int64_t ns)
{
    return known ? weir_datum_time(ns) : (struct weir_datum){.kind = WEIR_DATUM_ABSENT};
}

static struct weir_datum excess_datum(const struct weir_log_comparison *c, const struct weir_excess *e)
{
    struct weir_record record = {.answer = c->answer};
    if (e->op == WEIR_LOG_NO_OPERATOR)
        return (struct weir_datum){.kind = WEIR_DATUM_ABSENT};
    weir_record_add(&record, "operator", weir_datum_text(operator_name(c, e->op)));
    weir_record_add(&record, "message", count_of(e->record));
    weir_record_add(&record, "line", count_of(e->line));
    weir_record_add(&record, "took", weir_datum_time(e->took));
    weir_record_add(&record, "worst", weir_datum_time(c->times[e->op].worst));
    return weir_record_datum(&record);
}

static struct weir_datum above_datum(const struct weir_log_comparison *c, const struct weir_log_path *p)
{
    struct weir_record list = {.answer = c->answer};
    for (size_t i = 0; i < p->above_kept; i++) {
        const struct weir_above *a = &p->above[i];
        struct weir_record record = {.answer = c->answer};
        weir_record_add(&record, "message", count_of(a->record));
        weir_record_add(&record, "line", count_of(a->line));
        weir_record_add(&record, "latency", weir_datum_time(a->latency));
        weir_record_add(&record, "excess", excess_datum(c, &a->own));
        weir_record_add(&record, "excess_before", excess_datum(c, &a->before));
        weir_record_add(&list, NULL, weir_record_datum(&record));
    }
    return weir_record_datum(&list);
}

static struct weir_datum names_datum(const struct weir_log_comparison *c, const struct weir_log_path *p)
{
    struct weir_record list = {.answer = c->answer};
    for (size_t i = 0; i < p->count; i++)
        weir_record_add(&list, NULL, weir_datum_text(weir_log_comparison_name(c, p->names[i])));
    return weir_record_datum(&list);
}

static void add_path_row(const struct weir_log_comparison *c, struct weir_table_builder *table, const struct weir_log_path *p,
                         const struct weir_distribution *d)
{
    const struct weir_samples *s = &p->samples;
    bool any = s->count > 0;
    struct weir_datum absent = {.kind = WEIR_DATUM_ABSENT};
    weir_table_cell(table, names_datum(c, p), weir_datum_count(s->count), time_if(c->summary ? s->min >= 0 : any, s->min),
                    time_if(c->summary && p->mean >= 0, p->mean), time_if(!c->summary && any, d->median.numerator),
                    time_if(!c->summary && any, d->p99.numerator), time_if(c->summary ? s->max >= 0 : any, s->max),
                    count_of(p->rereads), count_of(p->unfinished), count_of(p->left_out), weir_datum_flag(p->in_model),
                    weir_datum_if(p->bounded, weir_datum_time(p->bound)),
                    p->bounded ? weir_datum_text(p->safe ? "safe" : "exact") : absent,
                    p->in_model && !p->bounded ? weir_datum_text(p->why) : absent, count_of(p->above_count), above_datum(c, p),
                    time_if(p->best > 0, p->best), count_of(p->below_count));
}

static void add_paths(struct weir_log_comparison *c)
{
    static const struct weir_column columns[] = {
        {"path", NULL},      {"count", NULL},  {"min", NULL},        {"mean", NULL},     {"median", NULL},   {"p99", NULL},
        {"max", NULL},       {"reread", NULL}, {"unfinished", NULL}, {"left_out", NULL}, {"in_model", NULL}, {"bound", NULL},
        {"certainty", NULL}, {"why", NULL},    {"above", NULL},      {"worst", NULL},    {"best", NULL},     {"below", NULL}};
    struct weir_table_builder table;
    weir_table_begin(&table, c->answer, "paths", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->path_count; i++) {
        struct weir_log_path *p = &c->paths[i];
        struct weir_distribution d = {0};
        if (!weir_samples_describe(&p->samples, (struct weir_ratio){0, 0}, (struct weir_ratio){0, 0}, &c->answer->arena, &d))
            c->answer->out_of_memory = true;
        if (i)
            weir_answer_line(c->answer, "%s", "");
        tell_path(c, p, &d);
        add_path_row(c, &table, p, &d);
    }
    weir_answer_add_table(&table, NULL, NULL);
}

static void add_operators(struct weir_log_comparison *c)
{
    static const struct weir_column columns[] = {{"name", NULL}, {"seen", NULL},  {"min", NULL},
                                                 {"max", NULL},  {"worst", NULL}, {"exceeded", NULL}};
    struct weir_table_builder table;
    weir_table_begin(&table, c->answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < c->pipeline->operator_count; i++) {
        const struct weir_log_times *t = &c->times[i];
        weir_table_cell(&table, weir_datum_text(operator_name(c, i)), count_of(t->count), time_if(t->count > 0, t->min),
                        time_if(t->count > 0, t->max), weir_datum_if(t->worst != INT64_MAX, weir_datum_time(t->worst)),
                        count_of(t->exceeded));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

/* ---- notes ---- */

static void add_note(struct weir_log_comparison *c, const char *text)
{
    void *items = c->notes.items;
    if (!weir_reserve(&items, &c->notes.capacity, c->notes.count + 1, sizeof(const char *)))
        c->answer->out_of_memory = true;
    else if (text)
        ((const char **)items)[c->notes.count++] = text;
    c->notes.items = items;
}

/* Of n messages that are alike, all up to the greatest seen: were more than 3 in n above it, that would happen in less than one of
 * twenty such runs. */
static void note_sample(struct weir_log_comparison *c)
{
    const struct weir_log_path *fewest = NULL;
    char share[WEIR_NUMBER_TEXT];
    for (size_t i = 0; i < c->path_count; i++)
        if (c->paths[i].samples.count > 0 && (!fewest || c->paths[i].samples.count < fewest->samples.count))
            fewest = &c->paths[i];
    if (!fewest || fewest->samples.count >= MANY)
        return;
    int64_t count = fewest->samples.count;
    const char *to = weir_log_comparison_name(c, fewest->names[fewest->count - 1]);
    if (count < FEW)
        add_note(c, weir_answer_format(c->answer, "%s: note: %lld message%s to \"%s\" %s too few to say how late others may be",
                                       c->log_path, (long long)count, plural(count), to, count == 1 ? "is" : "are"));
    else
        add_note(c, weir_answer_format(c->answer,
                                       "%s: note: %lld messages to \"%s\" are a small sample: even if all are alike, up to %s%% of "
                                       "others may be later than the latest seen (with 95%% confidence)",
                                       c->log_path, (long long)count, to,
                                       weir_ratio_format((struct weir_ratio){300, count}, 0, 2, share)));
}

/* What is left out of some path. */
static struct weir_skip skipped(const struct weir_log_comparison *c)
{
    bool any = false;
    for (size_t i = 0; i < c->path_count; i++)
        any |= c->paths[i].skip.first || c->paths[i].skip.last;
    return any ? c->skip : (struct weir_skip){0, 0, 0};
}

static void note_log(struct weir_log_comparison *c)
{
    struct weir_flow_counts counts = weir_flow_log_counts(c->log);
    struct weir_skip skip = skipped(c);
    uint64_t early = 0;
    if (counts.unreadable)
        add_note(c, weir_answer_format(c->answer,
                                       "%s:%llu: note: %llu of %llu lines cannot be read and were left out; this is the first",
                                       c->log_path, (unsigned long long)counts.first_unreadable,
                                       (unsigned long long)counts.unreadable, (unsigned long long)counts.lines));
    if (counts.truncated)
        add_note(c,
                 weir_answer_format(c->answer, "%s: note: the log ends in the middle of a line, which was left out", c->log_path));
    if (c->backwards)
        add_note(c, weir_answer_format(c->answer,
                                       "%s: note: %llu time%s left out, with an end before the beginning: was the clock set?",
                                       c->log_path, (unsigned long long)c->backwards, c->backwards == 1 ? " was" : "s were"));
    for (size_t i = 0; i < c->jumps.count; i++)
        add_note(c, weir_answer_format(
                        c->answer,
                        "%s:%llu: note: everything in flight took longer by up to %lld ms at one moment, in which nothing else "
                        "happened: the clock was set forward, or the machine stood still%s",
                        c->log_path, (unsigned long long)c->jumps.at[i].line,
                        (long long)(c->jumps.at[i].to - c->jumps.at[i].from) / 1000,
                        c->again ? "" : "; from a file such times are left out, but not from standard input"));
    if (c->jumped)
        add_note(c, weir_answer_format(c->answer, "%s: note: %llu message%s left out because the clock jumped meanwhile",
                                       c->log_path, (unsigned long long)c->jumped, c->jumped == 1 ? " was" : "s were"));
    for (size_t i = 0; i < c->path_count; i++)
        early += c->paths[i].above_early;
    if (skip.first || skip.last)
        add_note(c, weir_answer_format(c->answer, "%s: note: the first %u and the last %u messages of each path are left out%s",
                                       c->log_path, skip.first, skip.last, skip.least ? WEIR_SKIP_SAYS : ""));
    if (early)
        add_note(c,
                 weir_answer_format(c->answer,
                                    "%s: note: %llu latenc%s above the bound %s among the first %d messages of a path: if that is "
                                    "start-up, --skip-first %d leaves it out",
                                    c->log_path, (unsigned long long)early, early == 1 ? "y" : "ies", early == 1 ? "is" : "are",
                                    WEIR_LOG_EARLY, WEIR_LOG_EARLY));
    if (c->too_many)
        add_note(c,
                 weir_answer_format(c->answer, "%s: note: %llu messages of further paths were left out: there are too many paths",
                                    c->log_path, (unsigned long long)c->too_many));
    for (uint32_t i = 0; i < c->pipeline->operator_count; i++)
        if (!c->times[i].count && !c->pipeline->operators[i].broadcast)
            add_note(c, weir_answer_format(c->answer, "%s: note: operator \"%s\" of the model has no time in this log", c->log_path,
                                           operator_name(c, i)));
}

/* ---- all of it ---- */

static void judge(struct weir_log_comparison *c)
{
    struct weir_answer *answer = c->answer;
    uint64_t above = 0, below = 0, missing = 0, longer = 0, again = 0, messages = 0;
    char count[WEIR_COUNT_TEXT];
    for (size_t i = 0; i < c->path_count; i++) {
        above += c->paths[i].above_count;
        below += c->paths[i].below_count;
        missing += !c->paths[i].in_model;
        again += c->paths[i].in_model && c->paths[i].rereads && !c->paths[i].aged;
        messages += (uint64_t)c->paths[i].samples.count;
    }
    for (uint32_t i = 0; i < c->pipeline->operator_count; i++)
        longer += c->times[i].exceeded > 0;
    answer->scope = weir_answer_format(answer, "%s message%s on %zu path%s", weir_count_format((int64_t)messages, count),
                                       plural((int64_t)messages), c->path_count, plural((int64_t)c->path_count));
    if (!above && !below && !missing && !longer && !again && !c->too_many)
        return;
    const char *less = below ? weir_answer_format(answer, ", latencies below their best: %llu", (unsigned long long)below) : "";
    const char *other =
        again ? weir_answer_format(answer, ", paths that read a queue of the model again: %llu", (unsigned long long)again) : "";
    answer->trouble_verdict = WEIR_VERDICT_BAD;
    answer->trouble = weir_answer_format(answer,
                                         "NOT AS THE MODEL SAYS: latencies above their bound: %llu, operators above their worst "
                                         "case: %llu, unknown paths: %s%llu%s%s",
                                         (unsigned long long)above, (unsigned long long)longer, c->too_many ? "more than " : "",
                                         (unsigned long long)missing, less ? less : "", other ? other : "");
}

void weir_log_comparison_report(struct weir_log_comparison *c)
{
    note_sample(c);
    if (c->log) {
        struct weir_flow_counts counts = weir_flow_log_counts(c->log);
        struct weir_record record = {.answer = c->answer};
        weir_record_add(&record, "lines", count_of(counts.lines));
        weir_record_add(&record, "messages", count_of(counts.messages));
        weir_record_add(&record, "unreadable", count_of(counts.unreadable));
        weir_record_add(&record, "truncated", weir_datum_flag(counts.truncated));
        weir_record_add(&record, "skip_first", weir_datum_count(skipped(c).first));
        weir_record_add(&record, "skip_last", weir_datum_count(skipped(c).last));
        weir_answer_add_fact(c->answer, "log", weir_record_datum(&record));
        note_log(c);
    }
    judge(c);
    add_paths(c);
    tell_operators(c);
    tell_suspects(c);
    add_operators(c);
}
