/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The witness of a latency as a picture: a lane per operator, a colour per iteration; the critical path drawn through it with the
 * reason of each wait; below each lane how full the queues are that lead to the operator. Times count from the event that the
 * latency is measured from.
 */
#include "render/timeline/gantt.h"

#include "base/alloc.h"
#include "base/error.h"
#include "render/timeline/label.h"

#include <errno.h>
#include <string.h>

#define MARGIN WEIR_GANTT_MARGIN
#define WIDTH WEIR_GANTT_WIDTH
#define RULER 78.0             /* where the latency is drawn as a length */
#define TITLE_COLUMNS 112      /* that fit */
#define TITLE_NAME_COLUMNS 34  /* of the model, where they do not */
#define TITLE_EVENT_COLUMNS 20 /* of an operator in it */
#define EVENT_COLUMNS 28       /* of one at the ruler */
#define DESCRIBED 60           /* steps of the critical path */

const char *weir_gantt_name(const struct weir_gantt *g, uint32_t op)
{
    return weir_pipeline_operator(g->happening->pipeline, (struct weir_operator){op}).name;
}

double weir_gantt_place(const struct weir_gantt *g, int64_t time)
{
    const struct weir_happening *h = g->happening;
    time = time < h->begin ? h->begin : time > h->end ? h->end : time;
    return weir_axis_place(&g->x, (double)(time - h->from) / g->unit);
}

const char *weir_gantt_time(const struct weir_gantt *g, int64_t time, char text[WEIR_TIME_TEXT])
{
    return weir_time_format(g->happening->pipeline, time - g->happening->from, text);
}

static const char *unit_of(const struct weir_gantt *g)
{
    enum weir_unit unit = weir_pipeline_unit(g->happening->pipeline);
    return unit == WEIR_UNIT_TICK ? "ticks" : weir_unit_name(unit);
}

static const char *worst_of(const struct weir_gantt *g, char text[WEIR_TIME_TEXT])
{
    return weir_time_format(g->happening->pipeline, g->happening->to - g->happening->from, text);
}

/* ---- head ---- */

static void put_styles(const struct weir_gantt *g)
{
    weir_svg_styles(g->out);
    fputs("<style>\n"
          "  .wg-band{fill:#59636e;fill-opacity:.07} .wg-pale{fill-opacity:.22;stroke-opacity:.6} .wg-solid{fill-opacity:.92} "
          ".wg-many{fill:#59636e}\n"
          "  .wg-ink{stroke:#1f2328;fill:none} .wg-mark path{stroke:#fff;fill:#1f2328;stroke-width:1}\n"
          "  .wp-text.wg-on{fill:#fff} .wp-text.wg-in{fill:#1f2328} .wp-text.wg-small{font-size:10px} "
          ".wg-queue{fill:#59636e;fill-opacity:.6} .wg-launch{fill:#e3a008}\n"
          "  .wg-cut{fill:none;stroke-width:1.4} .wg-cut-on{stroke:#fff} .wg-cut-in{stroke:#1f2328}\n"
          "  .wg-room{fill:#59636e;fill-opacity:.12} .wg-end{stroke:#1f2328;stroke-width:1.4;stroke-dasharray:5 3;fill:none}\n"
          "  .wg-way{stroke-width:2.4} .wg-backpressure{stroke-dasharray:5 2.5} .wg-period{stroke-dasharray:1.5 3} "
          ".wg-order{stroke-dasharray:7 3 1 3}\n"
          "  @media screen and (prefers-color-scheme:dark){.wg-band{fill:#a1a9b3} .wg-ink,.wg-end,.wg-cut-in{stroke:#e6e8eb} "
          ".wg-cut-on{stroke:#14171c} .wp-text.wg-on{fill:#14171c} .wp-text.wg-in{fill:#e6e8eb} "
          ".wg-mark path{stroke:#14171c;fill:#e6e8eb} .wg-queue,.wg-room,.wg-many{fill:#a1a9b3}}\n"
          "</style>\n",
          g->out);
}

/* The critical path in words, for those who do not see it. */
static void put_description(const struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    size_t first = h->step_count > DESCRIBED ? h->step_count - DESCRIBED : 0;
    char iteration[24];
    weir_svg_put(g->out, "<desc>The critical path$: ", first ? ", its last steps" : "");
    for (size_t i = first; i < h->step_count; i++) {
        snprintf(iteration, sizeof iteration, "%lld", (long long)h->steps[i].iteration);
        weir_svg_put(g->out, "$$ iteration $ $", i > first ? "; " : "", weir_gantt_name(g, h->steps[i].step->op.index), iteration,
                     weir_gantt_wait_words(h->steps[i].step->wait));
    }
    fputs(".</desc>\n", g->out);
}

static void put_title(const struct weir_gantt *g)
{
    const struct weir_pair_spec *pair = &g->latency->pair;
    const char *from = weir_gantt_name(g, pair->from.index), *to = weir_gantt_name(g, pair->to.index), *unit = unit_of(g);
    const char *name = weir_pipeline_name(g->happening->pipeline);
    char worst[WEIR_TIME_TEXT];
    worst_of(g, worst);
    unsigned columns = weir_label_columns(name) + weir_label_columns(from) + weir_label_columns(to) + 22 +
                       (unsigned)(strlen(worst) + strlen(unit));
    bool fits = columns <= TITLE_COLUMNS;
    weir_svg_put(g->out, "<text class=\"wp-text wp-title\" x=\"@\" y=\"26\">", MARGIN);
    weir_label_put(g->out, name, fits ? TITLE_COLUMNS : TITLE_NAME_COLUMNS);
    fputs(*name ? ": " : "", g->out);
    weir_label_put(g->out, from, fits ? TITLE_COLUMNS : TITLE_EVENT_COLUMNS);
    fputs(" \342\206\222 ", g->out);
    weir_label_put(g->out, to, fits ? TITLE_COLUMNS : TITLE_EVENT_COLUMNS);
    weir_svg_put(g->out, ": the worst case, $ $</text>\n", worst, unit);
}

static void put_head(const struct weir_gantt *g)
{
    const struct weir_pair_spec *pair = &g->latency->pair;
    double height = g->bottom + weir_gantt_legend_height(g);
    unsigned missing = weir_pipeline_operator_count(g->happening->pipeline) - g->lane_count;
    char worst[WEIR_TIME_TEXT], left_out[64] = "";
    bool launches = false;
    for (uint32_t i = 0; i < g->lane_count; i++)
        launches |= weir_pipeline_operator(g->happening->pipeline, (struct weir_operator){g->order[i]}).launch != NULL;
    weir_svg_put(g->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-gantt\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" "
                 "role=\"img\" aria-label=\"Timeline of the worst case from $ to $: $ $\">\n",
                 WIDTH, height, WIDTH, height, weir_gantt_name(g, pair->from.index), weir_gantt_name(g, pair->to.index),
                 worst_of(g, worst), unit_of(g));
    put_description(g);
    put_styles(g);
    weir_svg_put(g->out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", WIDTH, height);
    put_title(g);
    if (missing)
        snprintf(left_out, sizeof left_out, " %u operators are left out.", missing);
    weir_svg_put(g->out,
                 "<text class=\"wp-text wp-faint\" x=\"@\" y=\"46\">Solid bars run at their worst time, pale ones at their "
                 "best. A colour is an iteration, whose number stands in the bar.$$$</text>\n",
                 MARGIN, launches ? " A stripe: on the GPU." : "", g->happening->cut ? " What led to this begins earlier." : "",
                 left_out);
    for (uint32_t i = 0; i < g->lane_count; i += 2)
        weir_svg_put(g->out, "<rect class=\"wg-band\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n", MARGIN,
                     g->lanes[g->order[i]].top, WIDTH - 2 * MARGIN, g->lanes[g->order[i]].height);
}

/* ---- time ---- */

static void set_axis(struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    g->unit = 1;
    for (unsigned i = 0; i < weir_pipeline_digits(h->pipeline); i++)
        g->unit *= 10;
    g->x.low = (double)(h->begin - h->from) / g->unit;
    g->x.high = (double)(h->end - h->from) / g->unit;
    if (h->begin == h->end) { /* all at once: a tick to either side */
        g->x.low -= 1 / g->unit;
        g->x.high += 1 / g->unit;
    }
}

/* Whether the value is a whole number of ticks: between those nothing happens. */
static bool is_moment(const struct weir_gantt *g, double value)
{
    double ticks = (value < 0 ? -value : value) * g->unit;
    if (ticks > 1e15)
        return true;
    double rest = ticks - (double)(int64_t)(ticks + 0.5);
    return rest < 1e-3 && rest > -1e-3;
}

static void put_scale(const struct weir_gantt *g)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    struct weir_axis round = g->x; /* ticks are multiples of their step when the axis begins at one */
    weir_axis_fit(&round, g->x.low, g->x.high, false);
    size_t count = weir_axis_ticks(&round, ticks);
    double slack = (g->x.high - g->x.low) * 1e-9, taken = 0;
    for (size_t i = 0; i < count; i++) {
        double x = weir_axis_place(&g->x, ticks[i].value), half = 3.5 * (double)strlen(ticks[i].text);
        if (ticks[i].value < g->x.low - slack || ticks[i].value > g->x.high + slack || !is_moment(g, ticks[i].value))
            continue;
        weir_svg_put(g->out, "<path class=\"wp-grid\" d=\"M@ @V@\"/>\n", x, g->top, g->bottom);
        double middle = x + half > WIDTH - 4 ? WIDTH - 4 - half : x - half < 4 ? 4 + half : x;
        if (middle - half < taken)
            continue;
        taken = middle + half + 8;
        weir_svg_put(g->out, "<text class=\"wp-text wp-faint\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", middle,
                     g->bottom + 16, ticks[i].text);
    }
    weir_svg_put(g->out,
                 "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">time in $, from where the latency counts</text>\n",
                 (g->x.from + g->x.to) / 2, g->bottom + 34, unit_of(g));
}

/* ---- what is measured ---- */

struct event {
    const char *name, *words;
    double x;
};

static double width_of(const struct event *event)
{
    unsigned columns = weir_label_columns(event->name);
    return 6.7 * (double)((columns < EVENT_COLUMNS ? columns : EVENT_COLUMNS) + strlen(event->words) + 1);
}

static void put_event(const struct weir_gantt *g, const struct event *event, bool behind)
{
    weir_svg_put(g->out, "<text class=\"wp-text wp-faint\" text-anchor=\"$\" x=\"@\" y=\"@\">", behind ? "start" : "end",
                 event->x + (behind ? 5 : -5), RULER + 20);
    weir_label_put(g->out, event->name, EVENT_COLUMNS);
    weir_svg_put(g->out, " $</text>\n", event->words);
}

/* The words of both events, between them where there is room, else outside. */
static void put_events(const struct weir_gantt *g, const struct event *left, const struct event *right)
{
    double room = right->x - left->x, first = width_of(left), second = width_of(right);
    bool inside = room > first + second + 24, outside = left->x - first - 5 > MARGIN;
    put_event(g, left, inside || !outside);
    if (inside || (outside && room > second + 10))
        put_event(g, right, false);
    else if (outside && right->x + second + 5 < WIDTH - MARGIN)
        put_event(g, right, true);
}

/* The latency, as a length between two moments. */
static void put_ruler(const struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    const struct weir_query *query = &h->witness->query;
    static const char *const words[] = {[WEIR_START] = "starts", [WEIR_FINISH] = "is done", [WEIR_ARRIVAL] = "gets its input"};
    struct event from = {weir_gantt_name(g, query->from.op.index), words[query->from.moment], weir_gantt_place(g, h->from)};
    struct event to = {weir_gantt_name(g, query->to.op.index), words[query->to.moment], weir_gantt_place(g, h->to)};
    const struct event *left = from.x <= to.x ? &from : &to, *right = from.x <= to.x ? &to : &from;
    char worst[WEIR_TIME_TEXT];
    double middle = (from.x + to.x) / 2, room = 3.8 * (double)(strlen(worst_of(g, worst)) + strlen(unit_of(g)) + 2);
    weir_svg_put(g->out, "<path class=\"wg-end\" d=\"M@ @V@M@ @V@\"/>\n", from.x, RULER - 6, g->bottom, to.x, RULER - 6, g->bottom);
    if (right->x - left->x > 16)
        weir_svg_put(g->out, "<path class=\"wg-ink\" stroke-width=\"1.6\" d=\"M@ @H@m-7 -4l7 4l-7 4M@ @l7 -4m-7 4l7 4\"/>\n",
                     left->x, RULER, right->x, left->x, RULER);
    middle = middle < g->x.from + room ? g->x.from + room : middle > g->x.to - room ? g->x.to - room : middle;
    weir_svg_put(g->out, "<text class=\"wp-text\" font-weight=\"600\" text-anchor=\"middle\" x=\"@\" y=\"@\">$ $</text>\n", middle,
                 RULER - 8, worst, unit_of(g));
    put_events(g, left, right);
}

static enum weir_status put_all(struct weir_gantt *g)
{
    enum weir_status status = weir_gantt_lay_out(g);
    if (status)
        return status;
    set_axis(g);
    put_head(g);
    put_scale(g);
    status = weir_gantt_put_lanes(g);
    put_ruler(g);
    if (!status)
        status = weir_gantt_put_path(g);
    weir_gantt_put_legend(g);
    fputs("</svg>\n", g->out);
    if (!status && ferror(g->out))
        status = weir_fail(g->error, WEIR_IO, "cannot write the timeline: %s", errno ? strerror(errno) : "write error");
    return status;
}

enum weir_status weir_analysis_write_gantt(const struct weir_analysis *analysis, size_t latency, FILE *out,
                                           struct weir_error *error)
{
    struct weir_happening happening = {0};
    struct weir_gantt g = {.happening = &happening, .out = out, .error = error};
    if (latency >= analysis->latency_count || !analysis->latencies[latency].witness)
        return weir_fail(error, WEIR_INVALID, "there is no worst case to draw: the latency has no witness");
    g.latency = &analysis->latencies[latency];
    enum weir_status status = weir_happening_find(analysis->pipeline, g.latency->witness, &happening, error);
    if (!status)
        status = put_all(&g);
    weir_free(g.lanes);
    weir_free(g.order);
    weir_happening_free(&happening);
    return status;
}
