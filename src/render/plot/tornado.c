/* SPDX-License-Identifier: Apache-2.0 */
/* What moves a latency most: a bar for each number, from the latency with less of it to that with more. */
#include "base/alloc.h"
#include "base/error.h"
#include "render/plot/plot.h"
#include "render/timeline/label.h"

#include <stdlib.h>

enum { BARS_MAX = 24, COLUMNS = 26 };
static const double WIDTH = 900, LEFT = 310, RIGHT = 40, TOP = 84, BAR = 24, BOTTOM = 64;

struct bar {
    const struct weir_margin *margin;
    size_t index; /* of equals the first */
    double low, high;
    bool falls; /* more of it is less latency */
};

struct drawing {
    const struct weir_margins *margins;
    struct bar *bars;
    size_t count, left_out;
    struct weir_axis axis;
    double now;
    FILE *out;
};

static double in_units(const struct weir_margins *m, int64_t ticks)
{
    double value = (double)ticks;
    for (unsigned d = weir_pipeline_digits(m->pipeline); d > 0; d--)
        value /= 10;
    return value;
}

static int by_length(const void *left, const void *right)
{
    const struct bar *a = left, *b = right;
    double x = a->high - a->low, y = b->high - b->low;
    if (x > y || x < y)
        return x > y ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool exact(const struct weir_separation *s)
{
    return s->outcome == WEIR_EXACT;
}

/* Those that move it; false when out of memory. */
static bool collect(struct drawing *d)
{
    const struct weir_margins *m = d->margins;
    d->bars = weir_array(m->count, sizeof *d->bars);
    if (!d->bars)
        return false;
    for (size_t i = 0; i < m->count; i++) {
        const struct weir_margin *item = &m->items[i];
        if (!item->vertex_count || !exact(&item->at_less) || !exact(&item->at_more))
            continue;
        double less = in_units(m, item->at_less.value), more = in_units(m, item->at_more.value);
        double low = less < more ? less : more, high = less < more ? more : less;
        low = low < d->now ? low : d->now;
        high = high > d->now ? high : d->now;
        if (high > low)
            d->bars[d->count++] = (struct bar){item, i, low, high, less > more};
    }
    if (d->count)
        qsort(d->bars, d->count, sizeof *d->bars, by_length);
    d->left_out = d->count > BARS_MAX ? d->count - BARS_MAX : 0;
    d->count -= d->left_out;
    return true;
}

static void put_name(const struct drawing *d, const struct weir_margin *item)
{
    const struct weir_pipeline *p = d->margins->pipeline;
    char less[WEIR_TIME_TEXT], more[WEIR_TIME_TEXT];
    if (item->parameter == WEIR_PARAMETER_CAPACITY) {
        struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){item->index});
        weir_label_put(d->out, weir_pipeline_operator(p, queue.from).name, COLUMNS / 2 + 2);
        fputs(" -&gt; ", d->out);
        weir_label_put(d->out, weir_pipeline_operator(p, queue.to).name, COLUMNS / 2 + 2);
        weir_svg_put(d->out, ": % .. %", (unsigned)item->less, (unsigned)item->more);
        return;
    }
    weir_label_put(d->out, weir_pipeline_operator(p, (struct weir_operator){item->index}).name, COLUMNS);
    weir_svg_put(d->out, " $: $ .. $", item->parameter == WEIR_PARAMETER_WORST ? "worst" : "best",
                 weir_time_format(p, item->less, less), weir_time_format(p, item->more, more));
}

static void draw_axis(struct drawing *d, double bottom)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(&d->axis, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = weir_axis_place(&d->axis, ticks[i].value);
        weir_svg_put(d->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", ticks[i].text[0] ? "wp-grid" : "wp-minor", x, TOP, bottom);
        if (ticks[i].text[0])
            weir_svg_put(d->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x, bottom + 18,
                         ticks[i].text);
    }
}

static void draw_bar(struct drawing *d, const struct bar *bar, double y)
{
    double now = weir_axis_place(&d->axis, d->now), low = weir_axis_place(&d->axis, bar->low),
           high = weir_axis_place(&d->axis, bar->high);
    weir_svg_put(d->out, "<text class=\"wp-text\" text-anchor=\"end\" x=\"@\" y=\"@\">", LEFT - 10, y + BAR / 2 + 1);
    put_name(d, bar->margin);
    fputs("</text>\n", d->out);
    unsigned less = bar->falls ? 1 : 0, more = bar->falls ? 0 : 1;
    if (low < now)
        weir_svg_put(d->out, "<rect class=\"wp%\" style=\"fill:url(#wp-hatch-%)\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n",
                     less, less, low, y, now - low, BAR - 8);
    if (high > now)
        weir_svg_put(d->out, "<rect class=\"wp%\" style=\"fill:url(#wp-hatch-%)\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n",
                     more, more, now, y, high - now, BAR - 8);
}

static void draw_words(struct drawing *d, double bottom)
{
    const struct weir_margins *m = d->margins;
    const struct weir_pipeline *p = m->pipeline;
    struct weir_chain_spec chain = weir_pipeline_chain(p, m->chain);
    char line[256], number[WEIR_TIME_TEXT];
    weir_svg_put(d->out, "<text class=\"wp-text wp-title\" x=\"16\" y=\"28\">What moves the latency: $</text>\n",
                 weir_pipeline_name(p) ? weir_pipeline_name(p) : "");
    snprintf(line, sizeof line, "%.60s to %.60s, at worst %s %s", weir_pipeline_operator(p, chain.from).name,
             weir_pipeline_operator(p, chain.to).name, exact(&m->now) ? weir_time_format(p, m->now.value, number) : "?",
             weir_unit_name(weir_pipeline_unit(p)));
    weir_svg_put(d->out, "<text class=\"wp-text wp-faint\" x=\"16\" y=\"48\">$</text>\n", line);
    weir_svg_put(d->out, "<rect class=\"wp0\" style=\"fill:url(#wp-hatch-0)\" x=\"16\" y=\"58\" width=\"22\" height=\"12\"/>"
                         "<text class=\"wp-text\" x=\"44\" y=\"68\">with less of it</text>"
                         "<rect class=\"wp1\" style=\"fill:url(#wp-hatch-1)\" x=\"150\" y=\"58\" width=\"22\" height=\"12\"/>"
                         "<text class=\"wp-text\" x=\"178\" y=\"68\">with more of it</text>\n");
    weir_svg_put(d->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">worst latency ($)</text>\n",
                 (d->axis.from + d->axis.to) / 2, bottom + 38, weir_unit_name(weir_pipeline_unit(p)));
    if (d->left_out)
        weir_svg_put(d->out, "<text class=\"wp-text wp-faint\" x=\"16\" y=\"@\">and % that move it less</text>\n", bottom + 38,
                     (unsigned)d->left_out);
    if (!d->count)
        weir_svg_put(d->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">None of them moves it.</text>\n", LEFT, TOP + 20);
}

static void draw(struct drawing *d)
{
    double smallest = d->now, largest = d->now;
    for (size_t i = 0; i < d->count; i++) {
        smallest = d->bars[i].low < smallest ? d->bars[i].low : smallest;
        largest = d->bars[i].high > largest ? d->bars[i].high : largest;
    }
    double bottom = TOP + BAR * (double)(d->count ? d->count : 1);
    d->axis = (struct weir_axis){.from = LEFT, .to = WIDTH - RIGHT};
    weir_axis_fit(&d->axis, smallest, largest, false);
    weir_svg_put(d->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" role=\"img\" "
                 "aria-labelledby=\"wp-name\">\n<title id=\"wp-name\">What moves the worst latency, % numbers</title>\n",
                 WIDTH, bottom + BOTTOM, WIDTH, bottom + BOTTOM, (unsigned)d->count);
    weir_svg_styles(d->out);
    weir_svg_put(d->out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", WIDTH, bottom + BOTTOM);
    draw_axis(d, bottom);
    for (size_t i = 0; i < d->count; i++)
        draw_bar(d, &d->bars[i], TOP + 4 + BAR * (double)i);
    double now = weir_axis_place(&d->axis, d->now);
    weir_svg_put(d->out, "<path class=\"wp-frame\" d=\"M@ @V@\"/>\n", now, TOP, bottom);
    draw_words(d, bottom);
    fputs("</svg>\n", d->out);
}

enum weir_status weir_margins_write_svg(const struct weir_margins *margins, FILE *out, struct weir_error *error)
{
    struct drawing d = {.margins = margins, .out = out};
    if (!exact(&margins->now))
        return weir_fail(error, WEIR_INVALID, "only a latency that is known exactly has a chart");
    d.now = in_units(margins, margins->now.value);
    if (!collect(&d)) {
        weir_free(d.bars);
        return weir_fail_memory(error);
    }
    draw(&d);
    weir_free(d.bars);
    return ferror(out) ? weir_fail(error, WEIR_IO, "the chart could not be written") : WEIR_OK;
}
