/* SPDX-License-Identifier: Apache-2.0 */
/* A plot as an SVG picture: title, axes with ticks and grid, bars or lines, legend. Its size follows from what it holds. */
#include "render/plot/plot.h"
#include "base/error.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

#define WIDTH 900.0
#define HEIGHT 500.0
#define TEXT_HEIGHT 15.0
#define BAR_WIDEST 60.0
#define LEGEND_LINE 22.0
#define LEGEND_SAMPLE 30.0

struct picture {
    const struct weir_plot *plot;
    FILE *out;
    struct weir_axis x, y;
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

/* ---- the frame ---- */

static bool shows(const struct picture *p, const struct weir_plot_point *point)
{
    return weir_axis_shows(&p->x, point->x) && weir_axis_shows(&p->y, point->y);
}

static bool spreads(const struct picture *p, const struct weir_plot_point *point)
{
    return weir_axis_shows(&p->y, point->low) && weir_axis_shows(&p->y, point->high) && point->low < point->high;
}

static void fit_axes(struct picture *p)
{
    double left = 1, right = 0, low = 1, high = 0;
    bool any = false;
    for (size_t s = 0; s < p->plot->series_count; s++)
        for (size_t i = 0; i < p->plot->series[s].count; i++) {
            const struct weir_plot_point *point = &p->plot->series[s].points[i];
            if (!shows(p, point))
                continue;
            double bottom = spreads(p, point) && point->low < point->y ? point->low : point->y;
            double top = spreads(p, point) && point->high > point->y ? point->high : point->y;
            left = any && left < point->x ? left : point->x;
            right = any && right > point->x ? right : point->x;
            low = any && low < bottom ? low : bottom;
            high = any && high > top ? high : top;
            any = true;
        }
    weir_axis_fit(&p->y, low, high, true);
    if (p->plot->kind == WEIR_PLOT_BARS) {
        p->x.low = -0.5;
        p->x.high = (double)(p->plot->group_count ? p->plot->group_count : 1) - 0.5;
    } else {
        weir_axis_fit(&p->x, left, right, false);
    }
}

static double legend_width(const struct weir_plot *plot)
{
    static const double WIDEST = 320, WITHOUT = 24;
    double widest = 60;
    if (plot->series_count < 2)
        return WITHOUT;
    for (size_t i = 0; i < plot->series_count; i++)
        if (text_width(plot->series[i].name) > widest)
            widest = text_width(plot->series[i].name);
    return LEGEND_SAMPLE + 24 + (widest > WIDEST ? WIDEST : widest);
}

/* Where the next word of a label begins that does not fit into the line any more; the end of the text where all fits. */
static const char *line_end(const char *text, double width)
{
    const char *end = text + strcspn(text, " ");
    while (*end) {
        const char *next = end + 1 + strcspn(end + 1, " ");
        size_t length = (size_t)(next - text);
        if (6.6 * (double)length > width)
            break;
        end = next;
    }
    return end;
}

static unsigned group_lines(const struct picture *p, double width)
{
    unsigned most = 1;
    for (size_t g = 0; g < p->plot->group_count; g++) {
        unsigned lines = 0;
        for (const char *text = p->plot->groups[g]; *text; lines++) {
            text = line_end(text, width);
            text += *text == ' ';
        }
        most = lines > most ? lines : most;
    }
    return most;
}

static double group_width(const struct picture *p)
{
    return (p->x.to - p->x.from) / (p->x.high - p->x.low);
}

static void lay_out(struct picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    double widest = 0, below = p->plot->x.label ? 48 : 30;
    size_t count = weir_axis_ticks(&p->y, ticks);
    for (size_t i = 0; i < count; i++)
        widest = text_width(ticks[i].text) > widest ? text_width(ticks[i].text) : widest;
    p->x.from = 44 + widest;
    p->x.to = WIDTH - legend_width(p->plot);
    if (p->plot->kind == WEIR_PLOT_BARS)
        below += (group_lines(p, group_width(p)) - 1) * TEXT_HEIGHT;
    if (p->plot->note)
        below += TEXT_HEIGHT + 10;
    p->y.from = HEIGHT - below;
    p->y.to = p->plot->subtitle ? 66 : 48;
}

static void put_title(const struct picture *p)
{
    const struct weir_plot *plot = p->plot;
    if (plot->title)
        weir_svg_put(p->out, "<text class=\"wp-text wp-title\" x=\"16\" y=\"28\">$</text>\n", plot->title);
    if (plot->subtitle)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"16\" y=\"48\">$</text>\n", plot->subtitle);
    if (plot->note)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"16\" y=\"@\">$</text>\n", HEIGHT - 12, plot->note);
    if (plot->y.label)
        weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" transform=\"translate(22 @) rotate(-90)\">$</text>\n",
                     (p->y.from + p->y.to) / 2, plot->y.label);
    if (plot->x.label)
        weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", (p->x.from + p->x.to) / 2,
                     HEIGHT - (plot->note ? TEXT_HEIGHT + 10 : 0) - 12, plot->x.label);
}

static void put_y_axis(const struct picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(&p->y, ticks);
    for (size_t i = 0; i < count; i++) {
        double y = weir_axis_place(&p->y, ticks[i].value);
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @H@\"/>\n", ticks[i].text[0] ? "wp-grid" : "wp-minor", p->x.from, y,
                     p->x.to);
    }
    for (size_t i = 0; i < count; i++)
        if (ticks[i].text[0])
            weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"end\" x=\"@\" y=\"@\">$</text>\n", p->x.from - 8,
                         weir_axis_place(&p->y, ticks[i].value) + 4, ticks[i].text);
}

static void put_x_axis(const struct picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(&p->x, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = weir_axis_place(&p->x, ticks[i].value);
        weir_svg_put(p->out, "<path class=\"wp-frame\" d=\"M@ @v@\"/>\n", x, p->y.from, ticks[i].text[0] ? 5.0 : 3.0);
        if (ticks[i].text[0])
            weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x, p->y.from + 19,
                         ticks[i].text);
    }
}

static void put_groups(const struct picture *p)
{
    for (size_t g = 0; g < p->plot->group_count; g++) {
        double x = weir_axis_place(&p->x, (double)g), y = p->y.from + 18;
        for (const char *text = p->plot->groups[g]; *text; y += TEXT_HEIGHT) {
            const char *end = line_end(text, group_width(p));
            char line[128];
            snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
            weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x, y, line);
            text = end + (*end == ' ');
        }
    }
}

/* ---- what is in it ---- */

/* An arrow that leads upwards: there is more than can be shown. */
static void put_beyond(const struct picture *p, unsigned look, double x, double y)
{
    weir_svg_put(p->out, "<path class=\"wp% wp-line\" d=\"M@ @v-13m-4 5l4 -5l4 5\"/>\n", look, x, y);
}

static void put_line(const struct picture *p, const struct weir_plot_series *series)
{
    unsigned look = series->look % WEIR_PLOT_LOOKS;
    bool begun = false;
    for (size_t i = 0; i < series->count; i++) {
        const struct weir_plot_point *point = &series->points[i];
        if (!shows(p, point))
            continue;
        if (!begun)
            weir_svg_put(p->out, "<path class=\"wp% wp-line$\" d=\"M", look, series->dashed ? " wp-dashed" : "");
        weir_svg_put(p->out, begun ? "L@ @" : "@ @", weir_axis_place(&p->x, point->x), weir_axis_place(&p->y, point->y));
        begun = true;
    }
    if (begun)
        fputs("\"/>\n", p->out);
    for (size_t i = 0; i < series->count; i++) {
        const struct weir_plot_point *point = &series->points[i];
        if (!shows(p, point))
            continue;
        double x = weir_axis_place(&p->x, point->x), y = weir_axis_place(&p->y, point->y);
        if (spreads(p, point)) {
            double low = weir_axis_place(&p->y, point->low), high = weir_axis_place(&p->y, point->high);
            weir_svg_put(p->out, "<path class=\"wp% wp-line\" stroke-opacity=\"0.6\" d=\"M@ @h6m-3 0V@m-3 0h6\"/>\n", look, x - 3,
                         low, high);
        }
        if (point->beyond)
            put_beyond(p, look, x, y);
        weir_svg_marker(p->out, look, series->dashed, x, y);
    }
}

static void put_bars(const struct picture *p, size_t index)
{
    const struct weir_plot_series *series = &p->plot->series[index];
    unsigned look = series->look % WEIR_PLOT_LOOKS;
    double count = (double)p->plot->series_count, width = group_width(p) * 0.84 / count;
    if (width > BAR_WIDEST)
        width = BAR_WIDEST;
    for (size_t i = 0; i < series->count; i++) {
        const struct weir_plot_point *point = &series->points[i];
        if (!shows(p, point))
            continue;
        double x = weir_axis_place(&p->x, point->x) + width * ((double)index - count / 2);
        double top = weir_axis_place(&p->y, point->y);
        double foot = p->y.spec.logarithmic ? p->y.from : weir_axis_place(&p->y, 0);
        double high = top < foot ? top : foot, low = top < foot ? foot : top;
        weir_svg_put(p->out, "<rect class=\"wp%\" style=\"fill:url(#wp-hatch-%)\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n",
                     look, look, x + 0.5, high, width - 1, low - high);
        if (point->beyond)
            put_beyond(p, look, x + width / 2, top - 2);
    }
}

static void put_legend(const struct picture *p)
{
    double x = p->x.to + 16, y = p->y.to + 8;
    for (size_t i = 0; i < p->plot->series_count && p->plot->series_count > 1; i++, y += LEGEND_LINE) {
        const struct weir_plot_series *series = &p->plot->series[i];
        unsigned look = series->look % WEIR_PLOT_LOOKS;
        if (p->plot->kind == WEIR_PLOT_BARS) {
            weir_svg_put(p->out,
                         "<rect class=\"wp%\" style=\"fill:url(#wp-hatch-%)\" x=\"@\" y=\"@\" width=\"22\" height=\"12\"/>\n", look,
                         look, x, y - 6);
        } else {
            weir_svg_put(p->out, "<path class=\"wp% wp-line$\" d=\"M@ @h26\"/>\n", look, series->dashed ? " wp-dashed" : "", x, y);
            weir_svg_marker(p->out, look, series->dashed, x + 13, y);
        }
        weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">$</text>\n", x + LEGEND_SAMPLE + 4, y + 4, series->name);
    }
}

enum weir_status weir_plot_write_svg(const struct weir_plot *plot, FILE *out, struct weir_error *error)
{
    struct picture picture = {.plot = plot, .out = out, .x.spec = plot->x, .y.spec = plot->y}, *p = &picture;
    bool bars = plot->kind == WEIR_PLOT_BARS;
    if (bars)
        p->x.spec.logarithmic = false;
    errno = 0;
    fit_axes(p);
    lay_out(p);
    weir_svg_put(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"@\" height=\"@\" viewBox=\"0 0 @ @\">\n"
                 "<title>$</title>\n",
                 WIDTH, HEIGHT, WIDTH, HEIGHT, plot->title ? plot->title : "plot");
    weir_svg_styles(out);
    weir_svg_put(out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", WIDTH, HEIGHT);
    put_title(p);
    put_y_axis(p);
    if (bars)
        put_groups(p);
    else
        put_x_axis(p);
    for (size_t i = 0; i < plot->series_count; i++) {
        if (bars)
            put_bars(p, i);
        else
            put_line(p, &plot->series[i]);
    }
    weir_svg_put(out, "<path class=\"wp-frame\" d=\"M@ @V@H@\"/>\n", p->x.from, p->y.to, p->y.from, p->x.to);
    put_legend(p);
    fputs("</svg>\n", out);
    return weir_written(out, "the plot", error);
}
