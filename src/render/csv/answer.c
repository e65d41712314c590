/* SPDX-License-Identifier: Apache-2.0 */
/* A table of an answer, or its bounds, as comma-separated values: exact decimals in the model's unit, nothing where nothing is
 * known. */
#include "answer/answer.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "render/json/report.h"

#include <string.h>

static void write_datum(const struct weir_answer *answer, const struct weir_datum *value, FILE *out)
{
    struct weir_json json = {.out = out};
    unsigned digits = weir_pipeline_digits(answer->pipeline);
    switch (value->kind) {
    case WEIR_DATUM_TEXT:
        weir_csv_field(out, value->is.text);
        break;
    case WEIR_DATUM_FLAG:
        fputs(value->is.flag ? "true" : "false", out);
        break;
    case WEIR_DATUM_COUNT:
        weir_json_integer(&json, value->is.count);
        break;
    case WEIR_DATUM_TIME:
    case WEIR_DATUM_SHARE:
        if (value->is.ratio.denominator > 0)
            weir_json_ratio(&json, value->is.ratio, value->kind == WEIR_DATUM_TIME ? digits : 0);
        break;
    default: /* a list or a record has no place in a cell */
        break;
    }
}

/* The table that a search has for this has titles alone. */
static const char *head_of(const struct weir_table *table, size_t column)
{
    return table->key ? table->columns[column].key : table->columns[column].title;
}

static void write_table(const struct weir_answer *answer, const struct weir_table *table, FILE *out)
{
    for (size_t row = 0; row <= table->row_count; row++) {
        const char *comma = "";
        for (size_t c = 0; c < table->column_count; c++) {
            if (!head_of(table, c))
                continue;
            fputs(comma, out);
            comma = ",";
            if (row == 0)
                weir_csv_field(out, head_of(table, c));
            else
                write_datum(answer, &table->cells[(row - 1) * table->column_count + c], out);
        }
        fputc('\n', out);
    }
}

static struct weir_datum end_of(struct weir_ratio end)
{
    return weir_datum_if(end.denominator > 0, weir_datum_ratio(end));
}

static void write_bounds(const struct weir_answer *answer, FILE *out)
{
    fputs("from,to,shift,claim,worst,best,gap,deadline,state\n", out);
    for (size_t i = 0; i < answer->bound_count; i++) {
        const struct weir_bound *bound = &answer->bounds[i];
        bool named = !bound->whole;
        const struct weir_datum cells[] = {
            weir_datum_text(named ? weir_answer_name(answer, bound->chain.from) : NULL),
            weir_datum_text(named ? weir_answer_name(answer, bound->chain.to) : NULL),
            weir_datum_if(named, weir_datum_count(bound->chain.shift)),
            weir_datum_text(weir_claim_name(bound->worst.claim)),
            end_of(bound->worst.high),
            end_of(bound->best.low),
            end_of(bound->gap.high),
            weir_datum_if(bound->has_deadline, weir_datum_time(bound->deadline)),
            weir_datum_text(weir_deadline_state_name(bound->state)),
        };
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            fputs(c ? "," : "", out);
            write_datum(answer, &cells[c], out);
        }
        fputc('\n', out);
    }
}

enum weir_status weir_answer_write_csv(const struct weir_answer *answer, const char *table, FILE *out, struct weir_error *error)
{
    const struct weir_table *found = table ? NULL : weir_answer_table(answer, answer->csv - 1);
    for (size_t i = 0; table && i < weir_answer_table_count(answer) && !found; i++) {
        const struct weir_table *one = weir_answer_table(answer, i);
        found = one->key && strcmp(one->key, table) == 0 ? one : NULL;
    }
    if (table && !found)
        return weir_fail(error, WEIR_INVALID, "the answer has no table \"%s\"", table);
    if (found)
        write_table(answer, found, out);
    else
        write_bounds(answer, out);
    return weir_written(out, "the answer", error);
}
