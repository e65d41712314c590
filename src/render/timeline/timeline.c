/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as an SVG picture. Its height follows from its rows; its names take what they need, up to a limit. */
#include "render/timeline/timeline.h"

#include "base/error.h"
#include "base/utf8.h"
#include "render/plot/plot.h"

#include <errno.h>
#include <string.h>

#define WIDTH 1000.0
#define MARGIN 16.0
#define ROW 26.0        /* from row to row */
#define ROW_SMALL 22.0  /* ... when there are many */
#define ROWS_LARGE 36   /* ... that is, more than these */
#define LANE 26.0       /* the line with the name of a lane */
#define LABELS 96.0     /* to the right of the axis, for labels of what ends there */
#define NAME_COLUMNS 30 /* of a longer name only the beginning is written */
#define GRID_LINES_MAX 64

struct picture {
    const struct weir_timeline *timeline;
    FILE *out;
    struct weir_axis x;
    double top, bottom; /* of the rows */
    double row;         /* height of one */
    double height;
};

static size_t characters(const char *text)
{
    uint32_t code;
    size_t count = 0;
    for (; *text; count++)
        text += weir_utf8_next(text, &code);
    return count;
}

/* Sure to be enough for 12 px in any common font, for text that is not all capitals. */
static double text_width(const char *text)
{
    return 7.0 * (double)characters(text);
}

/* Writes the text, or its beginning when it has more than so many characters. */
static void put_clipped(FILE *out, const char *text, size_t columns)
{
    const char *end = text;
    uint32_t code;
    if (characters(text) <= columns) {
        weir_svg_put(out, "$", text);
        return;
    }
    char part[4 * NAME_COLUMNS + 1];
    for (size_t i = 0; i + 1 < columns; i++)
        end += weir_utf8_next(end, &code);
    size_t bytes = (size_t)(end - text);
    memcpy(part, text, bytes);
    part[bytes] = 0;
    weir_svg_put(out, "$\342\200\246", part);
}

/* ---- layout ---- */

static double legend_lines(const struct weir_timeline *t)
{
    double lines = t->legend_count ? 1 : 0, x = MARGIN;
    for (size_t i = 0; i < t->legend_count; i++) {
        double width = 44 + text_width(t->legend[i].text);
        if (x > MARGIN && x + width > WIDTH - MARGIN) {
            lines++;
            x = MARGIN;
        }
        x += width;
    }
    return lines;
}

static void lay_out(struct picture *p)
{
    const struct weir_timeline *t = p->timeline;
    double names = 0;
    for (size_t i = 0; i < t->row_count; i++) {
        double width = text_width(t->rows[i].name), widest = 7.0 * NAME_COLUMNS;
        width = width < widest ? width : widest;
        names = width > names ? width : names;
    }
    p->x = (struct weir_axis){.spec = {t->axis, false, WEIR_PLOT_NUMBERS}};
    weir_axis_fit(&p->x, t->begin, t->end, false);
    p->x.from = MARGIN + names + 20;
    p->x.to = WIDTH - MARGIN - LABELS;
    p->row = t->row_count > ROWS_LARGE ? ROW_SMALL : ROW;
    p->top = t->subtitle ? 84 : 64;
    p->bottom = p->top + LANE * (double)t->lane_count + p->row * (double)t->row_count + 6;
    p->height = p->bottom + 52 + 22 * legend_lines(t);
}

static double place(const struct picture *p, double time)
{
    double x = weir_axis_place(&p->x, time);
    return x < p->x.from ? p->x.from : x > p->x.to ? p->x.to : x;
}

/* ---- the frame ---- */

static void put_head(const struct picture *p)
{
    const struct weir_timeline *t = p->timeline;
    weir_svg_put(p->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" role=\"img\" "
                 "aria-labelledby=\"wt-title wt-desc\">\n<title id=\"wt-title\">$</title>\n<desc id=\"wt-desc\">",
                 WIDTH, p->height, WIDTH, p->height, t->title);
    if (t->subtitle)
        weir_svg_put(p->out, "$.", t->subtitle);
    for (size_t i = 0; i < t->row_count; i++)
        if (t->rows[i].details)
            weir_svg_put(p->out, " $.", t->rows[i].details);
    fputs("</desc>\n", p->out);
    weir_svg_styles(p->out);
    fputs(
        "<style>\n"
        "  .wt-lane{stroke:#8b949e;stroke-width:1} .wt-band{fill:#59636e;fill-opacity:.07} .wt-grid{stroke:#59636e;"
        "stroke-opacity:.45;stroke-dasharray:2 3}\n"
        "  .wt-name{font-weight:600} .wt-span{fill-opacity:.2;stroke-opacity:.75} .wt-block{stroke:none}\n"
        "  .wt-outline{fill:none;stroke-width:1.2} .wt-ghost{fill-opacity:.06;stroke-opacity:.7;stroke-dasharray:3 2}\n"
        "  .wt-line{fill:none;stroke-width:1.6} .wt-limit{fill:none;stroke:#1f2328;stroke-width:1.8}\n"
        "  @media screen and (prefers-color-scheme:dark){.wt-lane{stroke:#768390} .wt-band{fill:#a1a9b3} .wt-grid{stroke:#a1a9b3} "
        ".wt-limit{stroke:#e6e8eb}}\n"
        "</style>\n",
        p->out);
    weir_svg_put(p->out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", WIDTH, p->height);
    weir_svg_put(p->out, "<text class=\"wp-text wp-title\" x=\"@\" y=\"28\">$</text>\n", MARGIN, t->title);
    if (t->subtitle)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"48\">$</text>\n", MARGIN, t->subtitle);
}

/* The scale stands above and below, so that a long picture can be read at either end. */
static void put_scale(const struct picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(&p->x, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = weir_axis_place(&p->x, ticks[i].value);
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", ticks[i].text[0] ? "wp-grid" : "wp-minor", x, p->top, p->bottom);
        if (!ticks[i].text[0])
            continue;
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x, p->top - 6,
                     ticks[i].text);
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x,
                     p->bottom + 16, ticks[i].text);
    }
    weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", (p->x.from + p->x.to) / 2,
                 p->bottom + 34, p->timeline->axis);
}

/* Drawn over the rows: a line between two periods must be seen through what spans it. */
static void put_grid(const struct picture *p)
{
    double step = p->timeline->grid;
    if (!(step > 0) || (p->x.high - p->x.low) / step > GRID_LINES_MAX)
        return;
    for (unsigned i = 0; i <= GRID_LINES_MAX; i++) {
        double at = i * step;
        if (at >= p->x.low && at <= p->x.high)
            weir_svg_put(p->out, "<path class=\"wt-grid\" d=\"M@ @V@\"/>\n", weir_axis_place(&p->x, at), p->top, p->bottom);
    }
}

/* ---- what is in the rows ---- */

static void put_bar(const struct picture *p, const struct weir_timeline_item *item, double x, double width, double y)
{
    static const char *const classes[] = {"wt-span", "wt-block", "wt-outline", "wt-ghost"};
    unsigned look = item->look % WEIR_PLOT_LOOKS;
    double tall = p->row - 12, offset = item->kind == WEIR_TIMELINE_GHOST ? tall + 4 : item->kind == WEIR_TIMELINE_SPAN ? 2 : 4;
    double height = item->kind == WEIR_TIMELINE_GHOST ? 4 : item->kind == WEIR_TIMELINE_SPAN ? tall : tall - 4;
    weir_svg_put(p->out, "<rect class=\"wp% $\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"", look, classes[item->kind], x, y + offset,
                 width > 1 ? width : 1.0, height);
    if (look && item->kind == WEIR_TIMELINE_SPAN)
        weir_svg_put(p->out, " style=\"fill:url(#wp-hatch-%);fill-opacity:1\"", look);
    fputs("/>\n", p->out);
}

static void put_item(const struct picture *p, const struct weir_timeline_item *item, double from, double to, double y)
{
    unsigned look = item->look % WEIR_PLOT_LOOKS;
    double tall = p->row - 12, middle = y + 2 + tall / 2;
    switch (item->kind) {
    case WEIR_TIMELINE_SPAN:
    case WEIR_TIMELINE_BLOCK:
    case WEIR_TIMELINE_OUTLINE:
    case WEIR_TIMELINE_GHOST:
        put_bar(p, item, from, to - from, y);
        break;
    case WEIR_TIMELINE_RULER:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v8M@ @v8M@ @H@\"/>\n", look, from, middle - 4, to, middle - 4,
                     from, middle, to);
        break;
    case WEIR_TIMELINE_TICK:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v@\"/>\n", look, from, y, tall + 4);
        break;
    case WEIR_TIMELINE_ARROW:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v@m-3 -5l3 5l3 -5\"/>\n", look, from, y + 1, tall + 1);
        break;
    case WEIR_TIMELINE_LIMIT:
        weir_svg_put(p->out, "<path class=\"wt-limit\" d=\"M@ @v@m0 @h-5m5 @h-5\"/>\n", from, y, tall + 4, -(tall + 4), tall + 4);
        break;
    }
}

/* Returns the first of the items that is not of this row. */
static size_t put_row(const struct picture *p, size_t row, size_t item, double y)
{
    const struct weir_timeline *t = p->timeline;
    const struct weir_timeline_row *r = &t->rows[row];
    double middle = y + p->row / 2;
    fputs("<g>", p->out);
    if (r->details)
        weir_svg_put(p->out, "<title>$</title>", r->details);
    weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">", MARGIN + 8, middle + 2);
    put_clipped(p->out, r->name, NAME_COLUMNS);
    fputs("</text>\n", p->out);
    for (; item < t->item_count && t->items[item].row == row; item++)
        put_item(p, &t->items[item], place(p, t->items[item].from), place(p, t->items[item].to), y);
    if (r->label)
        weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">$</text>\n", place(p, r->label_at) + 6, middle + 1, r->label);
    fputs("</g>\n", p->out);
    return item;
}

static void put_lanes(const struct picture *p)
{
    const struct weir_timeline *t = p->timeline;
    double y = p->top;
    size_t row = 0, item = 0;
    for (size_t i = 0; i < t->lane_count; i++) {
        const struct weir_timeline_lane *lane = &t->lanes[i];
        double height = LANE + p->row * lane->row_count;
        if (i % 2 == 0)
            weir_svg_put(p->out, "<rect class=\"wt-band\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n", MARGIN, y,
                         WIDTH - 2 * MARGIN, height);
        weir_svg_put(p->out, "<path class=\"wt-lane\" d=\"M@ @H@\"/>\n", MARGIN, y, WIDTH - MARGIN);
        weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\"><tspan class=\"wt-name\">", MARGIN, y + 17);
        put_clipped(p->out, lane->name, NAME_COLUMNS);
        fputs("</tspan>", p->out);
        if (lane->note)
            weir_svg_put(p->out, "<tspan class=\"wp-faint\" dx=\"8\">$</tspan>", lane->note);
        fputs("</text>\n", p->out);
        y += LANE;
        for (uint32_t k = 0; k < lane->row_count; k++, y += p->row)
            item = put_row(p, row++, item, y);
    }
    weir_svg_put(p->out, "<path class=\"wt-lane\" d=\"M@ @H@\"/>\n", MARGIN, p->bottom, WIDTH - MARGIN);
}

static void put_legend(const struct picture *p)
{
    const struct weir_timeline *t = p->timeline;
    double x = MARGIN, y = p->bottom + 44;
    for (size_t i = 0; i < t->legend_count; i++) {
        double width = 44 + text_width(t->legend[i].text);
        struct weir_timeline_item item = {.kind = t->legend[i].kind};
        bool moment = item.kind >= WEIR_TIMELINE_TICK;
        if (x > MARGIN && x + width > WIDTH - MARGIN) {
            x = MARGIN;
            y += 22;
        }
        /* A ghost lies low in its row. */
        put_item(p, &item, moment ? x + 13 : x, x + 26, item.kind == WEIR_TIMELINE_GHOST ? y - 8 : y);
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">$</text>\n", x + 32, y + p->row / 2 + 1,
                     t->legend[i].text);
        x += width;
    }
}

enum weir_status weir_timeline_write_svg(const struct weir_timeline *timeline, FILE *out, struct weir_error *error)
{
    struct picture p = {.timeline = timeline, .out = out};
    lay_out(&p);
    put_head(&p);
    put_scale(&p);
    put_lanes(&p);
    put_grid(&p);
    put_legend(&p);
    fputs("</svg>\n", out);
    if (ferror(out))
        return weir_fail(error, WEIR_IO, "cannot write the timeline: %s", errno ? strerror(errno) : "write error");
    return WEIR_OK;
}
