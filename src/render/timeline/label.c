/* SPDX-License-Identifier: Apache-2.0 */
#include "render/timeline/label.h"

#include "base/utf8.h"
#include "render/plot/plot.h"

#define CUT_BYTES 512 /* of a name that is cut; more than a picture has room for */

struct range {
    uint32_t first, last;
};

static bool is_in(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static unsigned columns_of(uint32_t code)
{
    static const struct range wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                        {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    static const struct range none[] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    if (is_in(code, none, sizeof none / sizeof *none))
        return 0;
    return is_in(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

unsigned weir_label_columns(const char *text)
{
    unsigned columns = 0;
    uint32_t code;
    while (*text) {
        text += weir_utf8_next(text, &code);
        columns += columns_of(code);
    }
    return columns;
}

void weir_label_put(FILE *out, const char *text, unsigned columns)
{
    char part[CUT_BYTES + 1];
    size_t used = 0;
    uint32_t code;
    unsigned taken = 0;
    if (weir_label_columns(text) <= columns) {
        weir_svg_put(out, "$", text);
        return;
    }
    while (*text) {
        size_t bytes = weir_utf8_next(text, &code);
        taken += columns_of(code);
        if (taken >= columns || used + bytes > CUT_BYTES)
            break;
        for (size_t i = 0; i < bytes; i++)
            part[used++] = *text++;
    }
    part[used] = 0;
    weir_svg_put(out, "$\342\200\246", part);
}
