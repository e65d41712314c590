/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/report.h"

#include "base/number.h"

#define MILLION 1000000

/* The ratio / 10^digits, cut in the sixth decimal: a positive one is rounded down, a negative one up. */
static void write_cut(struct weir_json *json, struct weir_ratio ratio, unsigned digits)
{
    weir_wide divisor = ratio.denominator;
    for (unsigned i = 0; i < digits; i++)
        divisor *= 10;
    weir_wide millionths = (weir_wide)ratio.numerator * MILLION / divisor;
    if (millionths <= INT64_MAX)
        weir_json_decimal(json, (int64_t)millionths, 6);
    else
        weir_json_integer(json, (int64_t)(millionths / MILLION));
}

static void write_ratio(struct weir_json *json, const struct weir_datum *value, unsigned digits)
{
    struct weir_ratio ratio = value->is.ratio;
    if (ratio.denominator <= 0)
        weir_json_null(json);
    else if (ratio.denominator == 1)
        weir_json_decimal(json, ratio.numerator, digits);
    else if (value->rounds_down || ratio.numerator < 0)
        write_cut(json, ratio, digits);
    else
        weir_json_ratio(json, ratio, digits);
}

static void write_scalar(struct weir_report *report, const struct weir_datum *value)
{
    struct weir_json *json = &report->json;
    switch (value->kind) {
    case WEIR_DATUM_FLAG:
        weir_json_bool(json, value->is.flag);
        break;
    case WEIR_DATUM_COUNT:
    case WEIR_DATUM_DURATION:
        weir_json_integer(json, value->is.count);
        break;
    case WEIR_DATUM_TIME:
        write_ratio(json, value, report->digits);
        break;
    case WEIR_DATUM_SHARE:
        write_ratio(json, value, 0);
        break;
    case WEIR_DATUM_TEXT:
        weir_json_text(json, value->is.text);
        break;
    case WEIR_DATUM_ABSENT:
    case WEIR_DATUM_NULL:
    case WEIR_DATUM_LIST:
    case WEIR_DATUM_RECORD:
        weir_json_null(json);
    }
}

static bool is_nested(const struct weir_datum *value)
{
    return value->kind == WEIR_DATUM_LIST || value->kind == WEIR_DATUM_RECORD;
}

static void write_key(struct weir_report *report, const char *key)
{
    if (key)
        weir_json_key(&report->json, key);
}

/* A scalar, and where it is wanted the exact ratio beside it. */
static void write_leaf(struct weir_report *report, const char *key, const struct weir_datum *value)
{
    char name[64];
    write_key(report, key);
    write_scalar(report, value);
    if (!value->with_exact || !key || value->kind != WEIR_DATUM_TIME || value->is.ratio.denominator <= 1)
        return;
    snprintf(name, sizeof name, "%s_exact", key);
    weir_json_key(&report->json, name);
    weir_json_array(&report->json, WEIR_JSON_LINE);
    weir_json_integer(&report->json, value->is.ratio.numerator);
    weir_json_integer(&report->json, value->is.ratio.denominator);
    weir_json_end(&report->json);
}

/* Records are nested a few levels deep by the engines, never by what a user wrote: a stack of fixed depth does. */
void weir_report_datum(struct weir_report *report, const char *key, const struct weir_datum *value)
{
    enum { DEPTH = 8 };
    struct {
        const struct weir_field *next, *end;
    } stack[DEPTH];
    struct weir_field top = {key, *value};
    size_t depth = 0;
    const struct weir_field *field = &top;
    for (;;) {
        const struct weir_datum *v = &field->value;
        if (is_nested(v) && depth < DEPTH) {
            enum weir_json_layout layout = depth || v->kind == WEIR_DATUM_LIST ? WEIR_JSON_LINE : WEIR_JSON_BLOCK;
            write_key(report, field->key);
            if (v->kind == WEIR_DATUM_LIST)
                weir_json_array(&report->json, layout);
            else
                weir_json_object(&report->json, layout);
            stack[depth].next = v->is.fields;
            stack[depth++].end = v->field_count ? v->is.fields + v->field_count : v->is.fields;
        } else if (v->kind != WEIR_DATUM_ABSENT) {
            write_leaf(report, field->key, v);
        }
        while (depth && stack[depth - 1].next == stack[depth - 1].end) {
            weir_json_end(&report->json);
            depth--;
        }
        if (!depth)
            return;
        field = stack[depth - 1].next++;
    }
}

void weir_report_table(struct weir_report *report, const struct weir_table *table)
{
    if (!table->key)
        return;
    weir_json_key(&report->json, table->key);
    weir_json_array(&report->json, WEIR_JSON_BLOCK);
    for (size_t row = 0; row < table->row_count; row++) {
        weir_json_object(&report->json, WEIR_JSON_LINE);
        for (size_t c = 0; c < table->column_count; c++)
            if (table->columns[c].key)
                weir_report_datum(report, table->columns[c].key, &table->cells[row * table->column_count + c]);
        weir_json_end(&report->json);
    }
    weir_json_end(&report->json);
}
