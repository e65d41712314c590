/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <string.h>

void weir_print_json_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', out);
    while (*s) {
        size_t length = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
        for (size_t i = 1; i < length; i++)
            if ((s[i] & 0xc0) != 0x80)
                length = 0;
        /* The second byte tells overlong forms, surrogates and what lies beyond U+10FFFF. */
        if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) || (*s == 0xf0 && s[1] < 0x90) ||
            (*s == 0xf4 && s[1] >= 0x90))
            length = 0;
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", *s);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else
            fwrite(s, 1, length, out);
        s += length ? length : 1;
    }
    fputc('"', out);
}

void weir_print_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void weir_print_padded(const char *text, size_t columns)
{
    weir_text_padded(stdout, text, columns);
}
