/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/text.h"
#include "base/utf8.h"

#include <string.h>

const struct weir_style weir_style_color = {"\033[1m", "\033[2m", "\033[32m", "\033[1;31m", "\033[0m"};
const struct weir_style weir_style_none = {"", "", "", "", ""};

size_t weir_text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += weir_utf8_begins(*text);
    return columns;
}

void weir_text_spaces(FILE *out, size_t count)
{
    static const char spaces[] = "                                                                ";
    for (; count >= sizeof spaces; count -= sizeof spaces - 1)
        fwrite(spaces, 1, sizeof spaces - 1, out);
    fwrite(spaces, 1, count, out);
}

void weir_text_padded(FILE *out, const char *text, size_t columns)
{
    size_t used = weir_text_columns(text), keep = used > columns ? columns - 3 : used, bytes = 0;
    for (size_t shown = 0; text[bytes]; bytes++) {
        shown += weir_utf8_begins(text[bytes]);
        if (shown > keep)
            break;
    }
    fwrite(text, 1, bytes, out);
    if (used > columns)
        fputs("...", out);
    else
        weir_text_spaces(out, columns - used);
}

size_t weir_text_width(const struct weir_text *text)
{
    enum { LEAST = 40, USUAL = 110 };
    return !text->columns ? USUAL : text->columns > LEAST ? text->columns : LEAST;
}

/* The bytes of a character or of an escape sequence, and how many columns it takes. */
static size_t glyph(const char *text, size_t *columns)
{
    size_t bytes = 1;
    *columns = *text != '\033';
    if (*text == '\033')
        bytes = strcspn(text, "m") + 1;
    else
        while (!weir_utf8_begins(text[bytes]))
            bytes++;
    return bytes;
}

/* One line up to `end`: what does not fit goes on below, two columns deeper than it began. */
static void print_wrapped(FILE *out, const char *line, const char *end, size_t width)
{
    size_t indent = strspn(line, " "), used = 0, at = 0, length = (size_t)(end - line);
    indent = indent + 2 < width / 2 ? indent + 2 : width / 2;
    while (at < length) {
        size_t spaces = strspn(line + at, " "), stop = at + spaces, columns = spaces, wide;
        while (stop < length && line[stop] != ' ') {
            stop += glyph(line + stop, &wide);
            columns += wide;
        }
        stop = stop < length ? stop : length;
        if (used && used + columns > width) {
            fputc('\n', out);
            weir_text_spaces(out, indent);
            at += spaces;
            used = indent + columns - spaces;
        } else {
            used += columns;
        }
        fwrite(line + at, 1, stop - at, out);
        at = stop;
    }
}

void weir_text_wrapped(FILE *out, const char *text, size_t width)
{
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        print_wrapped(out, text, end, width);
        if (*end)
            fputc('\n', out);
        text = end + (*end != 0);
    }
}

/* One line of the text, in as many as it takes. */
static void print_words(const struct weir_text *text, const char *words, const char *end, size_t indent)
{
    FILE *out = text->out;
    size_t column = 0;
    while (words < end) {
        size_t length = strcspn(words, " \n"), columns = 0;
        for (size_t i = 0; i < length; i++)
            columns += weir_utf8_begins(words[i]); /* not within a character */
        bool wraps = column && column + 1 + columns > weir_text_width(text);
        if (column && !wraps)
            fputc(' ', out);
        else {
            fputs(wraps ? "\n" : "", out);
            weir_text_spaces(out, indent);
        }
        column = (column && !wraps ? column + 1 : indent) + columns;
        fwrite(words, 1, length, out);
        words += length + strspn(words + length, " ");
    }
    fputc('\n', out);
}

void weir_text_words(const struct weir_text *text, const char *words, size_t indent)
{
    for (;;) {
        size_t more = strspn(words, " "), length = strcspn(words, "\n");
        print_words(text, words + more, words + length, indent + more);
        if (!words[length])
            return;
        words += length + 1;
    }
}

const char *weir_quantity_format(const struct weir_pipeline *pipeline, const struct weir_quantity *q, char text[WEIR_RANGE_TEXT])
{
    char low[WEIR_NUMBER_TEXT] = "", high[WEIR_NUMBER_TEXT] = "";
    if (q->low.denominator)
        weir_quantity_amount(pipeline, q->low, low);
    if (q->high.denominator)
        weir_quantity_amount(pipeline, q->high, high);
    switch (q->claim) {
    case WEIR_CLAIM_NONE:
        return "never";
    case WEIR_CLAIM_UNKNOWN:
        return "not known";
    case WEIR_CLAIM_UNBOUNDED:
        return "no bound";
    case WEIR_CLAIM_EXACT:
    case WEIR_CLAIM_SAFE:
    case WEIR_CLAIM_UNSAFE:
        snprintf(text, WEIR_RANGE_TEXT, "%s", high[0] ? high : low);
        return text;
    case WEIR_CLAIM_BRACKET:
        break;
    }
    if (!low[0] && !high[0])
        return "not known";
    snprintf(text, WEIR_RANGE_TEXT, "%s%s%s",
             high[0] && low[0] ? low
             : high[0]         ? "at most "
                               : "at least ",
             high[0] && low[0] ? " to " : "", high[0] ? high : low);
    return text;
}

const char *weir_text_many(const struct weir_pipeline *pipeline, const struct weir_datum *names, char *text, size_t size)
{
    struct weir_operator op, slowest = {0};
    int64_t most = -1;
    char time[WEIR_NUMBER_TEXT];
    for (size_t i = 0; i < names->field_count; i++)
        if (weir_pipeline_find(pipeline, names->is.fields[i].value.is.text, &op) &&
            weir_pipeline_operator(pipeline, op).worst > most) {
            slowest = op;
            most = weir_pipeline_operator(pipeline, op).worst;
        }
    int used = snprintf(text, size, "%zu operators", names->field_count);
    if (most >= 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", the slowest %.300s with %s", weir_pipeline_operator(pipeline, slowest).name,
                 weir_quantity_amount(pipeline, (struct weir_ratio){most, 1}, time));
    return text;
}
