/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/number.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>

static bool on_one_line(const struct weir_json *json)
{
    return json->depth > 0 && (json->line_bits >> (json->depth - 1) & 1);
}

static void new_line(struct weir_json *json)
{
    fputc('\n', json->out);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

/* What stands between the last thing written and the next value or key. */
static void separate(struct weir_json *json)
{
    if (json->keyed) {
        json->keyed = false;
        return;
    }
    if (json->filled)
        fputc(',', json->out);
    if (json->depth > 0 && !on_one_line(json))
        new_line(json);
    else if (json->filled)
        fputc(' ', json->out);
    json->filled = true;
}

static void begin(struct weir_json *json, bool array, enum weir_json_layout layout)
{
    separate(json);
    assert(json->depth < 64);
    uint64_t bit = UINT64_C(1) << json->depth;
    bool line = layout == WEIR_JSON_LINE || on_one_line(json);
    json->array_bits = array ? json->array_bits | bit : json->array_bits & ~bit;
    json->line_bits = line ? json->line_bits | bit : json->line_bits & ~bit;
    json->depth++;
    json->filled = false;
    fputc(array ? '[' : '{', json->out);
}

void weir_json_object(struct weir_json *json, enum weir_json_layout layout)
{
    begin(json, false, layout);
}

void weir_json_array(struct weir_json *json, enum weir_json_layout layout)
{
    begin(json, true, layout);
}

void weir_json_end(struct weir_json *json)
{
    assert(json->depth > 0 && !json->keyed);
    bool line = on_one_line(json), array = json->array_bits >> (json->depth - 1) & 1;
    json->depth--;
    if (json->filled && !line)
        new_line(json);
    fputc(array ? ']' : '}', json->out);
    json->filled = true;
}

void weir_json_quote(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        uint32_t code;
        size_t length = weir_utf8_next(text, &code);
        if (code == WEIR_UTF8_INVALID)
            fputs("\xef\xbf\xbd", out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", *text);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff)
            fprintf(out, "\\u%04" PRIx32, code);
        else
            fwrite(text, 1, length, out);
        text += length;
    }
    fputc('"', out);
}

void weir_json_key(struct weir_json *json, const char *key)
{
    separate(json);
    weir_json_quote(json->out, key);
    fputs(": ", json->out);
    json->keyed = true;
}

void weir_json_text(struct weir_json *json, const char *text)
{
    separate(json);
    weir_json_quote(json->out, text);
}

void weir_json_integer(struct weir_json *json, int64_t value)
{
    separate(json);
    fprintf(json->out, "%" PRId64, value);
}

void weir_json_decimal(struct weir_json *json, int64_t ticks, unsigned digits)
{
    char text[WEIR_TIME_TEXT];
    separate(json);
    fputs(weir_decimal_format(ticks, digits, text), json->out);
}

void weir_json_ratio(struct weir_json *json, struct weir_ratio ratio, unsigned digits)
{
    if (ratio.denominator == 1) {
        weir_json_decimal(json, ratio.numerator, digits);
        return;
    }
    assert(ratio.denominator > 0 && ratio.numerator >= 0 && digits <= 18);
    weir_wide divisor = ratio.denominator;
    for (unsigned i = 0; i < digits; i++)
        divisor *= 10;
    weir_wide millionths = ((weir_wide)ratio.numerator * 1000000 + divisor - 1) / divisor;
    char whole[WEIR_TIME_TEXT], part[WEIR_TIME_TEXT];
    separate(json);
    weir_decimal_format((int64_t)(millionths / 1000000), 0, whole);
    weir_decimal_format((int64_t)(millionths % 1000000), 6, part); /* "0" or "0.25" */
    fprintf(json->out, "%s%s", whole, part + 1);
}

void weir_json_bool(struct weir_json *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", json->out);
}

void weir_json_null(struct weir_json *json)
{
    separate(json);
    fputs("null", json->out);
}

void weir_json_raw(struct weir_json *json, const char *value)
{
    separate(json);
    fputs(value, json->out);
}

void weir_json_schema(struct weir_json *json, const char *title)
{
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "$schema");
    weir_json_text(json, "https://json-schema.org/draft/2020-12/schema");
    weir_json_key(json, "title");
    weir_json_text(json, title);
}
