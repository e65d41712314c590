/* SPDX-License-Identifier: Apache-2.0 */
#include "format/emit.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* A longer key needs the form with a question mark; YAML's own limit is 1024 characters with the quotes. */
#define SHORT_KEY 128

/* ---- text in YAML ---- */

/* Words that a YAML reader may take for something else than text. */
static bool is_word_of_yaml(const char *text)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(const char *text)
{
    if (!is_letter(text[0]) || is_word_of_yaml(text))
        return false;
    for (const char *c = text; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9') && *c != '-' && *c != '.')
            return false;
    return true;
}

static void write_quoted(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    while (*text) {
        uint32_t code;
        size_t length = weir_utf8_next(text, &code);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", *text);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
                 (code >= 0xfffe && code <= 0xffff))
            fprintf(out, "\\u%04" PRIx32, code);
        else
            fwrite(text, 1, length, out);
        text += length;
    }
    fputc('"', out);
}

/* ---- structure ---- */

void weir_emit_begin(struct weir_emit *e)
{
    if (e->is_json)
        weir_json_object(&e->json, WEIR_JSON_BLOCK);
}

void weir_emit_finish(struct weir_emit *e)
{
    if (!e->is_json)
        return;
    weir_json_end(&e->json);
    fputc('\n', e->json.out);
}

void weir_emit_section(struct weir_emit *e, const char *key, bool list)
{
    if (!e->is_json) {
        fprintf(e->json.out, "%s:\n", key);
        return;
    }
    weir_json_key(&e->json, key);
    (list ? weir_json_array : weir_json_object)(&e->json, WEIR_JSON_BLOCK);
}

void weir_emit_section_end(struct weir_emit *e)
{
    if (e->is_json)
        weir_json_end(&e->json);
}

void weir_emit_entry(struct weir_emit *e, const char *name)
{
    if (e->is_json) {
        if (name)
            weir_json_key(&e->json, name);
    } else if (!name) {
        fputs("  - ", e->json.out);
    } else {
        bool brief = strlen(name) < SHORT_KEY;
        fputs(brief ? "  " : "  ? ", e->json.out);
        write_quoted(e->json.out, name);
        fputs(brief ? ": " : "\n  : ", e->json.out);
    }
    weir_emit_map(e);
}

bool weir_emit_arrow(struct weir_emit *e, const char *from, const char *to)
{
    if (e->is_json || !is_plain(from) || !is_plain(to))
        return false;
    fprintf(e->json.out, "  - %s -> %s\n", from, to);
    return true;
}

void weir_emit_key(struct weir_emit *e, const char *key)
{
    if (e->is_json)
        weir_json_key(&e->json, key);
    else
        fprintf(e->json.out, "%s%s: ", e->depth && e->filled ? ", " : "", key);
}

void weir_emit_map(struct weir_emit *e)
{
    if (e->is_json)
        weir_json_object(&e->json, WEIR_JSON_LINE);
    else
        fputc('{', e->json.out);
    e->depth++;
    e->filled = false;
}

/* Behind a value: at the top, the line ends. */
static void finish_value(struct weir_emit *e)
{
    e->filled = true;
    if (!e->depth && !e->is_json)
        fputc('\n', e->json.out);
}

void weir_emit_end(struct weir_emit *e)
{
    e->depth--;
    if (e->is_json)
        weir_json_end(&e->json);
    else
        fputc('}', e->json.out);
    finish_value(e);
}

/* ---- values ---- */

void weir_emit_text(struct weir_emit *e, const char *text)
{
    if (e->is_json)
        weir_json_text(&e->json, text);
    else
        write_quoted(e->json.out, text);
    finish_value(e);
}

void weir_emit_word(struct weir_emit *e, const char *word)
{
    if (e->is_json)
        weir_json_text(&e->json, word);
    else
        fputs(word, e->json.out);
    finish_value(e);
}

void weir_emit_integer(struct weir_emit *e, int64_t value)
{
    if (e->is_json)
        weir_json_integer(&e->json, value);
    else
        fprintf(e->json.out, "%" PRId64, value);
    finish_value(e);
}

void weir_emit_flag(struct weir_emit *e, bool value)
{
    if (e->is_json)
        weir_json_bool(&e->json, value);
    else
        fputs(value ? "true" : "false", e->json.out);
    finish_value(e);
}

void weir_emit_time(struct weir_emit *e, int64_t ticks)
{
    char text[WEIR_TIME_TEXT];
    if (e->is_json)
        weir_json_decimal(&e->json, ticks, weir_pipeline_digits(e->pipeline));
    else
        fputs(weir_time_format(e->pipeline, ticks, text), e->json.out);
    finish_value(e);
}

void weir_emit_interval(struct weir_emit *e, int64_t least, int64_t most)
{
    char low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT];
    if (e->is_json) {
        weir_json_array(&e->json, WEIR_JSON_LINE);
        weir_json_decimal(&e->json, least, weir_pipeline_digits(e->pipeline));
        weir_json_decimal(&e->json, most, weir_pipeline_digits(e->pipeline));
        weir_json_end(&e->json);
    } else if (least == most) {
        fputs(weir_time_format(e->pipeline, least, low), e->json.out);
    } else {
        fprintf(e->json.out, "[%s, %s]", weir_time_format(e->pipeline, least, low), weir_time_format(e->pipeline, most, high));
    }
    finish_value(e);
}
