/* SPDX-License-Identifier: Apache-2.0 */
/* A published analysis beside the exact one: for people, and as JSON. */
#include "analyze.h"
#include "method.h"

#include <string.h>

enum { PAIRS_MAX = 12, NAME_COLUMNS = 60, NOTE_COLUMNS = 100 };

static const char *name_of(const struct weir_comparison *c, struct weir_operator op)
{
    return weir_pipeline_operator(c->pipeline, op).name;
}

static struct weir_separation as_separation(const struct weir_method_result *result)
{
    return (struct weir_separation){
        .outcome = result->outcome, .value = result->value, .lower = result->lower, .upper = result->upper};
}

/* ---- for people ---- */

/* How far the method's number lies from the exact one. */
static void print_difference(const struct weir_comparison_row *row)
{
    if (row->result.outcome != WEIR_EXACT || row->exact.outcome != WEIR_EXACT)
        return;
    int64_t value = row->result.value, exact = row->exact.value;
    if (value == exact)
        fputs("   the same", stdout);
    else if (exact > 0)
        printf("   %+.2f %%", ((double)value - (double)exact) / (double)exact * 100);
}

static void print_count(const struct weir_comparison *c, const struct weir_method_result *result)
{
    char text[WEIR_COUNT_TEXT];
    const char *what = c->settings->method == WEIR_METHOD_TGDFS        ? "expression"
                       : c->settings->method == WEIR_METHOD_STATESPACE ? "state"
                                                                       : NULL;
    if (what)
        printf("   %s %s%s", weir_count_format((int64_t)result->count, text), what, result->count == 1 ? "" : "s");
}

static void print_words(const char *note)
{
    size_t column = 0;
    while (*note) {
        size_t length = strcspn(note, " ");
        if (column + length + 1 > NOTE_COLUMNS) {
            fputs("\n", stdout);
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "    ", (int)length, note);
        note += length + strspn(note + length, " ");
    }
    if (column)
        fputc('\n', stdout);
}

static size_t name_columns(const struct weir_comparison *c, uint32_t index)
{
    struct weir_pair_spec pair = weir_pipeline_pair(c->pipeline, index);
    return weir_text_columns(name_of(c, pair.from)) + strlen(" -> ") + weir_text_columns(name_of(c, pair.to));
}

/* `columns`: those of the name of the pair, so that what follows is aligned. */
static void print_row(const struct weir_comparison *c, uint32_t index, size_t columns)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_comparison_row *row = &c->rows[index];
    const struct weir_method_result *result = &row->result;
    struct weir_pair_spec pair = weir_pipeline_pair(c->pipeline, index);
    struct weir_separation own = as_separation(result);
    char text[WEIR_RANGE_TEXT];
    size_t used = name_columns(c, index);
    printf("  %s -> %s%*s", name_of(c, pair.from), name_of(c, pair.to), used < columns ? (int)(columns - used) : 0, "");
    if (!result->applicable) {
        printf("   exact %s   %snot covered by %s%s\n", weir_range_format(c->pipeline, &row->exact, false, text), style->bad,
               c->settings->name, style->plain);
    } else {
        printf("   %s %s", c->settings->name, weir_range_format(c->pipeline, &own, false, text));
        printf("   exact %s%s", weir_comparison_since(c, index) == WEIR_SINCE_QUEUE ? "from there " : "",
               weir_range_format(c->pipeline, &row->exact, false, text));
        print_difference(row);
        print_count(c, result);
        bool bracket = result->outcome == WEIR_BRACKET, good = result->safe && !bracket;
        printf("   %s%s%s\n", good ? style->good : style->bad,
               bracket         ? "limit reached"
               : result->exact ? "safe and exact"
               : good          ? "safe"
                               : "no guarantee",
               style->plain);
        print_words(result->note);
    }
}

static void print_text(const struct weir_comparison *c)
{
    const struct weir_style *style = weir_style_of(stdout);
    uint32_t operators = weir_pipeline_operator_count(c->pipeline), queues = weir_pipeline_queue_count(c->pipeline);
    uint32_t shown = !c->settings->full && c->count > PAIRS_MAX ? PAIRS_MAX : c->count;
    size_t columns = 0;
    printf("%s%s%s: %u operator%s, %u queue%s, %s beside exact\n\n", style->bold, c->title, style->plain, operators,
           operators == 1 ? "" : "s", queues, queues == 1 ? "" : "s", c->settings->name);
    for (uint32_t i = 0; i < shown; i++) {
        size_t used = name_columns(c, i);
        columns = used > columns && used <= NAME_COLUMNS ? used : columns;
    }
    for (uint32_t i = 0; i < shown; i++)
        print_row(c, i, columns);
    if (shown < c->count)
        printf("  ... and %u more (--full lists all)\n", c->count - shown);
    printf("\n%sWhat the methods assume and promise: docs/reference/methods.md.%s\n", style->dim, style->plain);
}

/* Times differ from run to run, so they are no part of the answer. */
static void print_times(const struct weir_comparison *c)
{
    int64_t method_ns = 0, exact_ns = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        method_ns += c->rows[i].method_ns;
        exact_ns += c->rows[i].exact_ns;
    }
    fprintf(stderr, "%s: %s took %.3f ms, exact %.3f ms\n", c->title, c->settings->name, (double)method_ns / 1e6,
            (double)exact_ns / 1e6);
}

static void complain_uncovered(const struct weir_comparison *c)
{
    uint32_t uncovered = 0, first = 0;
    for (uint32_t i = c->count; i-- > 0;)
        if (!c->rows[i].result.applicable) {
            uncovered++;
            first = i;
        }
    if (!uncovered)
        return;
    struct weir_pair_spec pair = weir_pipeline_pair(c->pipeline, first);
    weir_complain("%s: %s -> %s is not covered by %s. %s", c->title, name_of(c, pair.from), name_of(c, pair.to), c->settings->name,
                  c->rows[first].result.note);
    if (uncovered > 1)
        weir_complain("%s: nor %s %u other latenc%s", c->title, uncovered == 2 ? "is" : "are", uncovered - 1,
                      uncovered == 2 ? "y" : "ies");
}

/* ---- for programs ---- */

static void print_json_time(const struct weir_comparison *c, const char *key, bool known, int64_t ticks)
{
    char text[WEIR_TIME_TEXT];
    printf(", \"%s\": %s", key, known ? weir_time_format(c->pipeline, ticks, text) : "null");
}

static void print_json_worst(const struct weir_comparison *c, const char *key, const struct weir_separation *s)
{
    char lower[40];
    bool bracket = s->outcome == WEIR_BRACKET;
    print_json_time(c, key, s->outcome == WEIR_EXACT || (bracket && s->upper != INT64_MAX), bracket ? s->upper : s->value);
    snprintf(lower, sizeof lower, "%s_lower", key);
    if (bracket)
        print_json_time(c, lower, s->lower != INT64_MIN, s->lower);
}

static void print_json_row(const struct weir_comparison *c, uint32_t index)
{
    static const char *const moments[] = {
        [WEIR_SINCE_START] = "start", [WEIR_SINCE_ARRIVAL] = "arrival", [WEIR_SINCE_QUEUE] = "queue"};
    const struct weir_comparison_row *row = &c->rows[index];
    const struct weir_method_result *result = &row->result;
    struct weir_pair_spec pair = weir_pipeline_pair(c->pipeline, index);
    struct weir_separation own = as_separation(result);
    if (!result->applicable)
        own.outcome = WEIR_NO_EVENTS;
    fputs("    {\"from\": ", stdout);
    weir_print_json_text(stdout, name_of(c, pair.from));
    fputs(", \"to\": ", stdout);
    weir_print_json_text(stdout, name_of(c, pair.to));
    printf(", \"shift\": %lld, \"method\": \"%s\", \"applicable\": %s", (long long)pair.shift, c->settings->name,
           result->applicable ? "true" : "false");
    print_json_worst(c, "worst", &own);
    printf(", \"safe\": %s, \"exact\": %s, \"count\": %llu", result->safe ? "true" : "false", result->exact ? "true" : "false",
           (unsigned long long)result->count);
    print_json_worst(c, "exact_worst", &row->exact);
    printf(", \"since\": \"%s\", \"note\": ", moments[weir_comparison_since(c, index)]);
    weir_print_json_text(stdout, result->note);
    fputc('}', stdout);
}

static void print_json(const struct weir_comparison *c)
{
    const char *name = weir_pipeline_name(c->pipeline);
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, name ? name : "");
    printf(",\n  \"unit\": \"%s\",\n  \"engine\": \"%s\",\n  \"latency\": [", weir_unit_name(weir_pipeline_unit(c->pipeline)),
           c->settings->name);
    for (uint32_t i = 0; i < c->count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        print_json_row(c, i);
    }
    fputs("\n  ]\n}\n", stdout);
}

void weir_comparison_print(const struct weir_comparison *comparison)
{
    if (comparison->settings->json)
        print_json(comparison);
    else
        print_text(comparison);
    complain_uncovered(comparison);
    print_times(comparison);
}
