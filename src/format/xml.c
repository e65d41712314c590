/* SPDX-License-Identifier: Apache-2.0 */
#include "format/xml.h"

#include "base/utf8.h"

void weir_xml_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

bool weir_xml_holds(const char *text)
{
    if (!weir_utf8_is_text(text))
        return false;
    while (*text) {
        uint32_t code;
        text += weir_utf8_next(text, &code);
        if (code == 0xfffe || code == 0xffff)
            return false;
    }
    return true;
}
