/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as an SVG picture: time from left to right, lanes below each other, rulers above. Its height follows from its lanes.
 */
#include "render/timeline/svg.h"

#include "base/number.h"

#include <string.h>

#define MARGIN WEIR_PICTURE_MARGIN
#define WIDTH 1120.0
#define WIDTH_MAX 2400.0  /* where many blocks come one after the other */
#define BLOCK 30.0        /* ... so that this is the width of most */
#define TALL 700.0        /* the scale stands above as well */
#define TITLE_COLUMNS 112 /* that fit */
#define EVENT_COLUMNS 36  /* at a ruler */
#define DESCRIBED 60      /* steps of the critical path in the text alternative */
#define DETAILS_MAX 200   /* ... and blocks */

/* ---- time ---- */

static double value_of(const struct weir_timeline_picture *p, struct weir_ratio time)
{
    int64_t origin = p->timeline->origin;
    double ticks = time.denominator == 1 ? (double)(time.numerator - origin)
                                         : (double)time.numerator / (double)time.denominator - (double)origin;
    return ticks / p->unit;
}

double weir_picture_place(const struct weir_timeline_picture *p, struct weir_ratio time)
{
    double x = weir_axis_place(&p->x, value_of(p, time));
    return x < p->x.from ? p->x.from : x > p->x.to ? p->x.to : x;
}

const char *weir_picture_time(const struct weir_timeline_picture *p, struct weir_ratio time, char text[WEIR_TIME_TEXT])
{
    time.numerator -= time.denominator == 1 ? p->timeline->origin : 0; /* it is 0 where times are not whole */
    return weir_timeline_number(p->timeline, time, true, text);
}

bool weir_picture_shows(const struct weir_timeline_picture *p, const struct weir_timeline_span *span)
{
    return !p->part || (value_of(p, span->to) >= p->x.low && value_of(p, span->from) <= p->x.high);
}

static void set_axis(struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    p->unit = 1;
    for (unsigned i = 0; i < t->digits; i++)
        p->unit *= 10;
    struct weir_timeline_window window = weir_timeline_window(t);
    p->part = window.part;
    p->x.low = window.from / p->unit;
    p->x.high = window.to / p->unit;
    if (!(p->x.low < p->x.high)) { /* all at once: a tick to either side */
        p->x.low -= 1 / p->unit;
        p->x.high += 1 / p->unit;
    }
}

/* As wide as it takes for the average block to be seen. */
static double width_of(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    double sum = 0, count = 0;
    for (size_t i = 0; i < t->lane_count; i++)
        for (size_t k = 0; t->lanes[i].row_name && k < t->lanes[i].span_count; k++, count++)
            sum += value_of(p, t->spans[t->lanes[i].first_span + k].to) - value_of(p, t->spans[t->lanes[i].first_span + k].from);
    double width = sum > 0 ? 80 + BLOCK * (p->x.high - p->x.low) * count / sum : WIDTH;
    return width < WIDTH ? WIDTH : width > WIDTH_MAX ? WIDTH_MAX : width;
}

/* Whether the value is a whole number of ticks: between those nothing happens. */
static bool is_moment(const struct weir_timeline_picture *p, double value)
{
    double ticks = (value < 0 ? -value : value) * p->unit;
    if (ticks > 1e15)
        return true;
    double rest = ticks - (double)(int64_t)(ticks + 0.5);
    return rest < 1e-3 && rest > -1e-3;
}

static void put_scale(const struct weir_timeline_picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    struct weir_axis round = p->x; /* ticks are multiples of their step when the axis begins at one */
    weir_axis_fit(&round, p->x.low, p->x.high, false);
    size_t count = weir_axis_ticks(&round, ticks);
    double slack = (p->x.high - p->x.low) * 1e-9, taken = 0;
    for (size_t i = 0; i < count; i++) {
        double x = weir_axis_place(&p->x, ticks[i].value), half = 3.5 * (double)strlen(ticks[i].text);
        if (ticks[i].value < p->x.low - slack || ticks[i].value > p->x.high + slack || !is_moment(p, ticks[i].value))
            continue;
        weir_svg_put(p->out, "<path class=\"wp-grid\" d=\"M@ @V@\"/>\n", x, p->top, p->bottom);
        double middle = x + half > p->width - 4 ? p->width - 4 - half : x - half < 4 ? 4 + half : x;
        if (middle - half < taken)
            continue;
        taken = middle + half + 8;
        for (int above = 0; above < (p->bottom - p->top > TALL ? 2 : 1); above++)
            weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", middle,
                         above ? p->top - (p->timeline->marker_name ? 20 : 6) : p->bottom + 16, ticks[i].text);
    }
    weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", (p->x.from + p->x.to) / 2,
                 p->bottom + 34, p->timeline->axis);
}

/* Drawn over the lanes: a moment must be seen through what spans it. */
static void put_markers(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    double last = -1000;
    if (t->marker_name)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"end\" x=\"@\" y=\"@\">$</text>\n", p->x.from - 8,
                     p->top - 6, t->marker_name);
    for (size_t i = 0; i < t->marker_count; i++) {
        double x = weir_picture_place(p, t->markers[i].at);
        bool named = t->markers[i].label && x >= last + 26;
        weir_svg_put(p->out, "<path class=\"wt-marker\" d=\"M@ @V@\"/>\n", x, named ? p->top - 16 : p->top, p->bottom);
        if (!named)
            continue;
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">$</text>\n", x + 3, p->top - 6, t->markers[i].label);
        last = x;
    }
}

/* ---- rulers ---- */

static double head_height(const struct weir_timeline_picture *p)
{
    return p->timeline->account ? 78 : 58;
}

static double ruler_height(const struct weir_timeline_ruler *ruler)
{
    return ruler->from_event || ruler->to_event ? 46 : 26;
}

static double text_width(const char *text, unsigned most)
{
    unsigned columns = weir_label_columns(text);
    return 6.7 * (columns < most ? columns : most);
}

struct event {
    const char *text;
    double x;
};

static void put_event(const struct weir_timeline_picture *p, const struct event *event, bool behind, double y)
{
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"$\" x=\"@\" y=\"@\">", behind ? "start" : "end",
                 event->x + (behind ? 5 : -5), y);
    weir_label_put(p->out, event->text, EVENT_COLUMNS);
    fputs("</text>\n", p->out);
}

/* What happens at both ends, between them where there is room, else outside. */
static void put_events(const struct weir_timeline_picture *p, const struct event *left, const struct event *right, double y)
{
    double room = right->x - left->x, first = text_width(left->text, EVENT_COLUMNS),
           second = text_width(right->text, EVENT_COLUMNS);
    bool inside = room > first + second + 24, outside = left->x - first - 5 > MARGIN;
    put_event(p, left, inside || !outside, y);
    if (inside || (outside && room > second + 10))
        put_event(p, right, false, y);
    else if (outside && right->x + second + 5 < p->width - MARGIN)
        put_event(p, right, true, y);
}

/* A length, with lines through the lanes at its ends; an arrow where it ends beyond the picture. */
static void put_ruler(const struct weir_timeline_picture *p, const struct weir_timeline_ruler *ruler, double y)
{
    static const char *const classes[] = {"wt-latency", "wt-bound", "wt-lower", "wt-open"};
    const char *class = ruler->state == WEIR_DEADLINE_MET      ? "wt-kept"
                        : ruler->state == WEIR_DEADLINE_MISSED ? "wt-limit"
                                                               : classes[ruler->kind];
    double from = weir_picture_place(p, ruler->from), to = weir_picture_place(p, ruler->to);
    double left = from < to ? from : to, right = from < to ? to : from, half = text_width(ruler->text, 80) / 2 + 8;
    double slack = (p->x.high - p->x.low) * 1e-9, middle = (from + to) / 2;
    bool beyond = value_of(p, ruler->to) > p->x.high + slack, both = ruler->from_event != NULL;
    if (ruler->over.denominator && !beyond)
        weir_svg_put(p->out, "<rect class=\"wt-over $\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n", class, to, p->top,
                     weir_picture_place(p, ruler->over) - to, p->bottom - p->top);
    if (both)
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", class, from, y - 6, p->bottom);
    if (!beyond)
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", class, to, y - 6, p->bottom);
    if (right - left > 16)
        weir_svg_put(p->out, "<path class=\"$ wt-length\" d=\"M@ @H@$M@ @$\"/>\n", class, left, y, right,
                     both || beyond ? "m-7 -4l7 4l-7 4" : "m0 -4v8", left, y, both ? "l7 -4m-7 4l7 4" : "m0 -4v8");
    if (right - left < 2 * half) /* beside it, where no line crosses the words */
        middle = right + 2 * half < p->x.to ? right + half : left - half > p->x.from + half ? left - half : p->x.from + half;
    weir_svg_put(p->out, "<text class=\"wp-text$\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n",
                 ruler->kind <= WEIR_RULER_BOUND ? " wt-name" : "", middle, y - 6, ruler->text);
    if (!both)
        return;
    struct event begin = {ruler->from_event, from}, end = {ruler->to_event, to};
    put_events(p, from <= to ? &begin : &end, from <= to ? &end : &begin, y + 20);
}

static void put_rulers(const struct weir_timeline_picture *p)
{
    double y = head_height(p);
    for (size_t i = 0; i < p->timeline->ruler_count; i++) {
        put_ruler(p, &p->timeline->rulers[i], y + 20);
        y += ruler_height(&p->timeline->rulers[i]);
    }
    weir_picture_put_journey(p, y + 6);
}

/* ---- what the signs mean ---- */

struct legend {
    const struct weir_timeline_picture *p;
    bool draw;
    double x, y;
};

/* Puts the text of the next sign; returns where the sign goes. */
static double next_sign(struct legend *l, const char *text)
{
    double width = 50 + text_width(text, 200);
    if (l->x > MARGIN && l->x + width > l->p->width - MARGIN) {
        l->x = MARGIN;
        l->y += 22;
    }
    if (l->draw)
        weir_svg_put(l->p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">$</text>\n", l->x + 34, l->y + 4, text);
    l->x += width;
    return l->x - width;
}

static void next_line(struct legend *l)
{
    l->y += l->x > MARGIN ? 22 : 0;
    l->x = MARGIN;
}

static void put_legend_spans(struct legend *l)
{
    static const char *const texts[WEIR_SPAN_KINDS] = {
        [WEIR_SPAN_EXECUTION] = "at its best time",
        [WEIR_SPAN_CRITICAL] = "at its worst time",
        [WEIR_SPAN_MEASURED] = "as measured",
        [WEIR_SPAN_EXCESS] = "longer than its worst time",
        [WEIR_SPAN_LAUNCH] = "launch",
        [WEIR_SPAN_PART] = "part of a kernel",
        [WEIR_SPAN_WINDOW] = "from the earliest enabling to the latest end",
        [WEIR_SPAN_EARLIEST] = "best time, as early as it can be",
        [WEIR_SPAN_LATEST] = "worst time, as late as it can end",
        [WEIR_SPAN_NEXT] = "next iteration, where it overlaps",
        [WEIR_SPAN_GPU] = "on the GPU",
        [WEIR_SPAN_DELAY] = "executions of others that can come first",
        [WEIR_SPAN_TARDY] = "later than its deadline",
        [WEIR_SPAN_LATENCY] = "latency, at most",
        [WEIR_SPAN_ENABLED] = "latest enabling",
        [WEIR_SPAN_ARRIVAL] = "nominal arrival",
        [WEIR_SPAN_DEADLINE] = "deadline",
        [WEIR_SPAN_RELEASE] = "its release",
        [WEIR_SPAN_LOST] = "a message is lost",
    };
    for (unsigned kind = 0; kind < WEIR_SPAN_KINDS; kind++) {
        struct weir_timeline_span span = {.kind = (enum weir_span_kind)kind};
        if (!l->p->kinds[kind])
            continue;
        const char *run = l->p->timeline->bar_legend;
        double x = next_sign(l, run && (kind == WEIR_SPAN_EXECUTION || kind == WEIR_SPAN_MEASURED) ? run : texts[kind]),
               y = l->y - (kind == WEIR_SPAN_NEXT ? 16 : 6); /* the next iteration lies low */
        if (l->draw)
            weir_picture_put_shape(l->p, &span, kind >= WEIR_SPAN_ENABLED ? x + 13 : x, x + 26, (const double[]){y, 12});
    }
}

static void put_legend_path(struct legend *l)
{
    const struct weir_timeline_picture *p = l->p;
    bool any = false;
    for (unsigned wait = WEIR_WAIT_DATA; wait < WEIR_PICTURE_WAITS; wait++)
        any |= p->waits[wait];
    if (!p->timeline->step_count)
        return;
    next_line(l);
    next_sign(l, any ? "the critical path; an operator on it starts when:" : "the critical path");
    if (l->draw)
        weir_svg_put(p->out, "<path class=\"wt-ink wt-way\" d=\"M@ @h26\"/>", MARGIN, l->y);
    for (unsigned wait = WEIR_WAIT_DATA; wait < WEIR_PICTURE_WAITS; wait++) {
        if (!p->waits[wait])
            continue;
        double x = next_sign(l, weir_picture_wait_legend((enum weir_wait)wait));
        if (l->draw)
            weir_picture_put_wait(p, (enum weir_wait)wait, x, l->y);
    }
}

static void put_legend_levels(struct legend *l)
{
    char text[120];
    snprintf(text, sizeof text, "how full the queues are that lead to the operator: the fullest, up to %u of them",
             l->p->levels_max);
    next_line(l);
    next_sign(l, text);
    if (!l->draw)
        return;
    weir_svg_put(l->p->out, "<rect class=\"wt-room\" x=\"@\" y=\"@\" width=\"26\" height=\"8\"/>", MARGIN, l->y - 4);
    weir_svg_put(l->p->out, "<path class=\"wt-full\" d=\"M@ @h9v-4h9v-4h8v8h-26Z\"/>\n", MARGIN, l->y + 4);
}

/* Draws it, or finds how high it is. */
static double put_legend(const struct weir_timeline_picture *p, bool draw)
{
    struct legend l = {p, draw, MARGIN, p->bottom + 56};
    bool levels = false;
    for (size_t i = 0; i < p->timeline->lane_count; i++)
        levels |= p->lanes[i].level_count > 0;
    put_legend_spans(&l);
    if (p->timeline->marker_legend) {
        double x = next_sign(&l, p->timeline->marker_legend);
        if (draw)
            weir_svg_put(p->out, "<path class=\"wt-marker\" d=\"M@ @v14\"/>", x + 13, l.y - 7);
    }
    put_legend_path(&l);
    if (levels)
        put_legend_levels(&l);
    return l.y + (l.x > MARGIN ? 14 : -22) - p->bottom;
}

/* ---- head ---- */

static void put_styles(const struct weir_timeline_picture *p)
{
    weir_svg_styles(p->out);
    fputs(
        "<style>\n"
        "  svg:root{max-width:100%;height:auto}\n" /* a file of its own fits the window */
        "  .wt-band{fill:#59636e;fill-opacity:.07} .wt-rule{stroke:#8b949e} .wt-name{font-weight:600} .wt-bad{font-weight:600}\n"
        "  .wt-pale{fill-opacity:.22;stroke-opacity:.6} .wt-solid{fill-opacity:.92} .wt-many{fill:#59636e} .wt-gpu{fill:#e3a008}\n"
        "  .wt-block{fill-opacity:.3;stroke-width:1} .wt-dark{fill-opacity:.6} .wt-part{stroke-dasharray:4 2;stroke-width:1.6} "
        ".wt-thin{stroke-width:.5} .wt-absent{fill:#59636e;fill-opacity:.16}\n"
        "  .wt-window{fill-opacity:.2;stroke-opacity:.75} .wt-within{stroke:none} .wt-outline{fill:none;stroke-width:1.2} "
        ".wt-tardy{fill:#b3261e;fill-opacity:.75} .wt-delay{fill-opacity:.12;stroke-opacity:.8} "
        ".wt-by{fill:none;stroke-width:1.2;stroke-opacity:.7} "
        ".wt-next{fill-opacity:.06;stroke-opacity:.7;stroke-dasharray:3 2} .wt-line{fill:none;stroke-width:1.6}\n"
        "  .wt-ink,.wt-latency,.wt-bound{stroke:#1f2328;fill:none} .wt-mark path{stroke:#fff;fill:#1f2328;stroke-width:1}\n"
        "  .wp-text.wt-on{fill:#fff} .wp-text.wt-in{fill:#1f2328} .wp-text.wt-small{font-size:10px} "
        ".wp-text.wt-less{font-size:9px} .wp-text.wt-tiny{font-size:7px}\n"
        "  .wt-cut{fill:none;stroke-width:1.4} .wt-cut-on{stroke:#fff} .wt-cut-in{stroke:#1f2328}\n"
        "  .wt-full{fill:#59636e;fill-opacity:.6} .wt-room{fill:#59636e;fill-opacity:.12}\n"
        "  .wt-latency{stroke-width:1.4;stroke-dasharray:5 3} .wt-bound{stroke-width:1.8} "
        ".wt-lower{stroke:#59636e;stroke-width:1.4;stroke-dasharray:6 3;fill:none} "
        ".wt-limit,.wt-kept,.wt-open{stroke-width:1.8;fill:none} .wt-limit{stroke:#b3261e} .wt-kept{stroke:#1a7f37} "
        ".wt-open{stroke:#9a6700} .wt-over{fill:#b3261e;fill-opacity:.12;stroke:none} .wt-over.wt-open{fill:#9a6700}\n"
        "  .wt-latency.wt-length{stroke-width:1.6;stroke-dasharray:none} .wt-marker{stroke:#1f2328;stroke-opacity:.55;"
        "stroke-dasharray:1 3}\n"
        "  .wt-running .wt-leg{fill:#0b5cad;stroke:#fff} .wt-waiting .wt-leg{fill:#fdeec8;stroke:#8a5a00} .wt-blocked "
        ".wt-leg{fill:#ffe1de;"
        "stroke:#a40e26} .wt-under-way .wt-leg{fill:#d8dde3;stroke:#5d5d5d} .wt-ribbon{fill:#0b5cad;fill-opacity:.2}\n"
        "  .wt-way{stroke-width:2.4} .wt-backpressure{stroke-dasharray:5 2.5} .wt-period{stroke-dasharray:1.5 3} "
        ".wt-order{stroke-dasharray:7 3 1 3}\n"
        "  @media screen and (prefers-color-scheme:dark){.wt-band,.wt-full,.wt-room,.wt-many,.wt-absent{fill:#a1a9b3} "
        ".wt-rule{stroke:#768390} .wt-ink,.wt-latency,.wt-bound,.wt-marker,.wt-cut-in{stroke:#e6e8eb} .wt-lower{stroke:#a1a9b3} "
        ".wt-limit{stroke:#ef8080} .wt-kept{stroke:#4ac26b} .wt-open{stroke:#d4a72c} .wt-over{fill:#ef8080;stroke:none} "
        ".wt-over.wt-open{fill:#d4a72c} .wt-cut-on{stroke:#14171c} .wp-text.wt-on{fill:#14171c} .wp-text.wt-in{fill:#e6e8eb} "
        ".wt-mark path{stroke:#14171c;fill:#e6e8eb} .wt-running .wt-leg,.wt-ribbon{fill:#6cb6ff} .wt-running "
        ".wt-leg{stroke:#14171c} .wt-waiting "
        ".wt-leg{fill:#3a2e10;stroke:#f0c674} .wt-blocked .wt-leg{fill:#47191d;stroke:#ffa198} .wt-under-way .wt-leg{fill:#343b45;"
        "stroke:#b5b5b5}}\n"
        "</style>\n",
        p->out);
}

static void describe_path(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    size_t first = t->step_count > DESCRIBED ? t->step_count - DESCRIBED : 0;
    weir_svg_put(p->out, " The critical path$: ", first ? ", its last steps" : "");
    for (size_t i = first; i < t->step_count; i++) {
        fputs(i > first ? "; " : "", p->out);
        weir_picture_put_step(p, &t->steps[i]);
        weir_svg_put(p->out, " $", weir_picture_wait_words(t->steps[i].wait));
    }
    fputc('.', p->out);
}

/* All of it in words, for screen readers. */
static void put_description(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    size_t told = 0, blocks = 0;
    weir_svg_put(p->out, "<desc>$$$", t->account ? t->account : "", t->account ? ". " : "", t->subtitle ? t->subtitle : "");
    if (t->step_count)
        describe_path(p);
    bool ended = !t->step_count && t->subtitle && *t->subtitle && t->subtitle[strlen(t->subtitle) - 1] == '.';
    for (size_t i = 0; i < t->lane_count; i++) {
        if (p->lanes[i].shown && t->lanes[i].details) {
            weir_svg_put(p->out, "$ $", ended ? "" : ".", t->lanes[i].details);
            ended = false;
        }
        for (size_t k = 0; t->lanes[i].row_name && k < t->lanes[i].span_count; k++, blocks++)
            if (told < DETAILS_MAX) {
                fputs(". ", p->out);
                weir_picture_put_words(p, &t->lanes[i], &t->spans[t->lanes[i].first_span + k]);
                told++;
            }
    }
    if (told < blocks)
        weir_svg_put(p->out, ". And % more", (unsigned)(blocks - told));
    fputs("</desc>\n", p->out);
}

static void put_head(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    weir_svg_put(p->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-timeline\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" "
                 "role=\"img\" aria-label=\"$\">\n",
                 p->width, p->height, p->width, p->height, t->summary);
    put_description(p);
    put_styles(p);
    weir_svg_put(p->out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", p->width, p->height);
    weir_svg_put(p->out, "<text class=\"wp-text wp-title\" x=\"@\" y=\"26\">", MARGIN);
    weir_label_put(p->out, t->title, TITLE_COLUMNS);
    fputs("</text>\n", p->out);
    if (t->account) {
        weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"46\">", MARGIN);
        weir_label_put(p->out, t->account, (unsigned)((p->width - 2 * MARGIN) / 6.7));
        fputs("</text>\n", p->out);
    }
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">$$</text>\n", MARGIN, head_height(p) - 12,
                 t->subtitle ? t->subtitle : "", p->part ? " Only part of it is shown." : "");
}

/* ---- the whole ---- */

static enum weir_status lay_out(struct weir_timeline_picture *p, struct weir_error *error)
{
    const struct weir_timeline *t = p->timeline;
    set_axis(p);
    p->width = width_of(p);
    p->top = head_height(p);
    for (size_t i = 0; i < t->ruler_count; i++)
        p->top += ruler_height(&t->rulers[i]);
    p->top += weir_picture_journey_height(p);
    p->top += (t->marker_name || !t->ruler_count ? 14 : 0) + 12;
    enum weir_status status = weir_picture_place_lanes(p, error);
    if (status)
        return status;
    for (size_t i = 0; i < t->lane_count; i++)
        for (size_t k = 0; p->lanes[i].shown && k < t->lanes[i].span_count; k++)
            p->kinds[t->spans[t->lanes[i].first_span + k].kind] |= weir_picture_shows(p, &t->spans[t->lanes[i].first_span + k]);
    for (size_t i = 0; i < t->step_count; i++)
        p->waits[t->steps[i].wait] = true;
    p->height = p->bottom + put_legend(p, false);
    return WEIR_OK;
}

enum weir_status weir_timeline_write_svg(const struct weir_timeline *timeline, FILE *out, struct weir_error *error)
{
    struct weir_timeline_picture p = {.timeline = timeline, .out = out};
    p.lanes = weir_array_zeroed(timeline->lane_count, sizeof *p.lanes);
    enum weir_status status = p.lanes ? lay_out(&p, error) : weir_fail_memory(error);
    if (!status) {
        put_head(&p);
        put_scale(&p);
        weir_picture_put_ribbon(&p);
        weir_picture_put_lanes(&p);
        put_markers(&p);
        put_rulers(&p);
        status = weir_picture_put_path(&p, error);
        put_legend(&p, true);
        fputs("</svg>\n", out);
    }
    weir_free(p.lanes);
    return status ? status : weir_written(out, "the timeline", error);
}
