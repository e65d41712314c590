/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/text.h"

#include <string.h>

const struct weir_style weir_style_color = {"\033[1m", "\033[2m", "\033[32m", "\033[1;31m", "\033[0m"};
const struct weir_style weir_style_none = {"", "", "", "", ""};

size_t weir_text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
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
        shown += ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (shown > keep)
            break;
    }
    fwrite(text, 1, bytes, out);
    if (used > columns)
        fputs("...", out);
    else
        weir_text_spaces(out, columns - used);
}

/* One line of the text, in as many as it takes. */
static void print_words(FILE *out, const char *words, const char *end, size_t indent)
{
    size_t column = 0;
    while (words < end) {
        size_t length = strcspn(words, " \n"), columns = 0;
        for (size_t i = 0; i < length; i++)
            columns += ((unsigned char)words[i] & 0xc0) != 0x80; /* not within a character */
        bool wraps = column && column + 1 + columns > WEIR_TEXT_COLUMNS;
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

void weir_text_words(FILE *out, const char *words, size_t indent)
{
    for (;;) {
        size_t more = strspn(words, " "), length = strcspn(words, "\n");
        print_words(out, words + more, words + length, indent + more);
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
