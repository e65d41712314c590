/* SPDX-License-Identifier: Apache-2.0 */
/* The words of an SVG picture: numbers, escaped text, styles, markers. */
#include "base/utf8.h"
#include "render/plot/plot.h"

#include <stdarg.h>

static void put_text(FILE *out, const char *text)
{
    while (*text) {
        uint32_t code;
        size_t bytes = weir_utf8_next(text, &code);
        /* Most control characters cannot stand in XML at all. */
        if (code == WEIR_UTF8_INVALID || code < 0x20 || code == 0xfffe || code == 0xffff)
            fputs("\357\277\275", out);
        else if (code == '<')
            fputs("&lt;", out);
        else if (code == '>')
            fputs("&gt;", out);
        else if (code == '&')
            fputs("&amp;", out);
        else if (code == '"')
            fputs("&quot;", out);
        else
            fwrite(text, 1, bytes, out);
        text += bytes;
    }
}

static void put_coordinate(FILE *out, double value)
{
    static const double FARTHEST = 100000;
    value = value > FARTHEST ? FARTHEST : value < -FARTHEST ? -FARTHEST : value;
    int tenths = (int)(value * 10 + (value < 0 ? -0.5 : 0.5));
    if (tenths < 0) {
        fputc('-', out);
        tenths = -tenths;
    }
    fprintf(out, tenths % 10 ? "%d.%d" : "%d", tenths / 10, tenths % 10);
}

void weir_svg_put(FILE *out, const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    for (; *text; text++)
        switch (*text) {
        case '@':
            put_coordinate(out, va_arg(arguments, double));
            break;
        case '$':
            put_text(out, va_arg(arguments, const char *));
            break;
        case '%':
            fprintf(out, "%u", va_arg(arguments, unsigned));
            break;
        default:
            fputc(*text, out);
        }
    va_end(arguments);
}

/* Told apart by people with any kind of colour vision, as far as eight colours can be; the marker or the hatching tells the rest.
 * Of each pair the first is dark enough for a light background, the second light enough for a dark one. */
static const char *const colours[WEIR_PLOT_LOOKS][2] = {
    {"0072b2", "4aa8e8"}, {"c2500a", "f58a4b"}, {"007d5c", "2fc29a"}, {"a9487f", "e59ac4"},
    {"8a6d00", "e2bd3c"}, {"4b4f9e", "a3a7f2"}, {"5d5d5d", "b5b5b5"}, {"8c2d2d", "ef8080"},
};

static void put_colours(FILE *out, unsigned which)
{
    for (unsigned look = 0; look < WEIR_PLOT_LOOKS; look++)
        fprintf(out, "  .wp%u{fill:#%s;stroke:#%s}\n", look, colours[look][which], colours[look][which]);
}

/* Lines across a tile of 6 by 6, for the hatching of each look; look 0 is plain. */
static const char *const hatchings[WEIR_PLOT_LOOKS] = {
    "",
    "M-1 1L1 -1M0 6L6 0M5 7L7 5",
    "M-1 5L1 7M0 0L6 6M5 -1L7 1",
    "M0 3H6",
    "M3 0V6",
    "M0 3H6M3 0V6",
    "M-1 1L1 -1M0 6L6 0M5 7L7 5M-1 5L1 7M0 0L6 6M5 -1L7 1",
    "M1 1H3V3",
};

static void put_hatchings(FILE *out)
{
    for (unsigned look = 0; look < WEIR_PLOT_LOOKS; look++) {
        weir_svg_put(out,
                     "<pattern id=\"wp-hatch-%\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                     "<rect class=\"wp%\" width=\"6\" height=\"6\" stroke=\"none\" style=\"stroke:none\" fill-opacity=\"@\"/>",
                     look, look, look ? 0.2 : 0.9);
        if (look)
            fprintf(out, "<path class=\"wp%u\" d=\"%s\" style=\"fill:none\" stroke-width=\"1.2\"/>", look, hatchings[look]);
        fputs("</pattern>\n", out);
    }
}

void weir_svg_styles(FILE *out)
{
    fputs("<style>\n"
          "  .wp-back,path.wp-hollow{fill:#fff}\n"
          "  .wp-text{fill:#1f2328;font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px}\n"
          "  .wp-title{font-size:16px;font-weight:600} .wp-faint{fill:#59636e}\n"
          "  .wp-grid{stroke:#dfe3e8} .wp-minor{stroke:#eff1f4} .wp-frame{stroke:#8b949e;fill:none}\n",
          out);
    put_colours(out, 0);
    fputs("  @media screen and (prefers-color-scheme:dark){\n"
          "  .wp-back,path.wp-hollow{fill:#14171c}\n"
          "  .wp-text{fill:#e6e8eb} .wp-faint{fill:#a1a9b3}\n"
          "  .wp-grid{stroke:#343b45} .wp-minor{stroke:#22272e} .wp-frame{stroke:#768390}\n",
          out);
    put_colours(out, 1);
    fputs("  }\n"
          "  path.wp-line{fill:none;stroke-width:1.8;stroke-linejoin:round} .wp-dashed{stroke-dasharray:6 4} "
          ".wp-hollow{stroke-width:1.6}\n"
          "</style>\n<defs>\n",
          out);
    put_hatchings(out);
    fputs("</defs>\n", out);
}

void weir_svg_marker(FILE *out, unsigned look, bool hollow, double x, double y)
{
    /* Paths around 0, each about as large to the eye as a circle of radius 4. */
    static const char *const shapes[WEIR_PLOT_LOOKS] = {
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
        "M-3.5 -3.5H3.5V3.5H-3.5Z",
        "M0 -4.6L4.4 3.4H-4.4Z",
        "M0 -5L5 0L0 5L-5 0Z",
        "M0 4.6L4.4 -3.4H-4.4Z",
        "M-1.4 -4.4H1.4V-1.4H4.4V1.4H1.4V4.4H-1.4V1.4H-4.4V-1.4H-1.4Z",
        "M-4.4 0L-2.2 -3.9H2.2L4.4 0L2.2 3.9H-2.2Z",
        "M0 -4.8L1.5 -1.5L4.8 0L1.5 1.5L0 4.8L-1.5 1.5L-4.8 0L-1.5 -1.5Z",
    };
    look %= WEIR_PLOT_LOOKS;
    weir_svg_put(out, "<path class=\"wp% $\" transform=\"translate(@ @)\" d=\"$\"/>\n", look, hollow ? "wp-hollow" : "", x, y,
                 shapes[look]);
}
