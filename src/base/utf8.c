/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

size_t weir_utf8_next(const char *text, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length; less is an overlong form */
    const unsigned char *s = (const unsigned char *)text;
    *code = s[0];
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t value = s[0] & (0xffU >> (length + 1));
    *code = WEIR_UTF8_INVALID;
    if (s[0] < 0xc0 || s[0] >= 0xf8)
        return 1;
    for (size_t i = 1; i < length; i++) { /* the closing 0 is not a continuation, so this never runs past it */
        if (weir_utf8_begins(s[i]))
            return 1;
        value = value << 6 | (s[i] & 0x3f);
    }
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 1;
    *code = value;
    return length;
}

bool weir_utf8_is_text(const char *text)
{
    while (*text) {
        uint32_t code;
        text += weir_utf8_next(text, &code);
        if (code == WEIR_UTF8_INVALID || code < 0x20 || code == 0x7f)
            return false;
    }
    return true;
}
