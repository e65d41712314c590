/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The witness of a latency as a picture: a lane per operator, a colour per iteration; the critical path drawn through it with the
 * reason of each wait; below each bar how full the queues are that lead to the operator. Times count from the event that the
 * latency is measured from.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "write/happening.h"
#include "write/plot.h"
#include "write/utf8.h"

#include <errno.h>
#include <string.h>

#define WIDTH 1120.0
#define MARGIN 16.0
#define NAME_COLUMNS 28
#define STRIPS_MAX 4U /* queues shown below a bar: the fullest */
#define MANY 24       /* operators, from which on lanes are narrow */

struct strip {
    uint32_t queue;
    int64_t most; /* messages at once */
};

struct lane {
    double top, bar; /* where it begins, and the middle of its bar */
    struct strip strips[STRIPS_MAX];
    unsigned strip_count, queue_count; /* shown, and all */
};

struct picture {
    const struct weir_happening *happening;
    const struct weir_latency *latency;
    FILE *out;
    struct weir_error *error;
    struct weir_axis x;
    struct lane *lanes; /* by operator */
    double unit;        /* ticks in one */
    double bar, strip;  /* heights */
    double top, bottom, height;
    bool waits[WEIR_WAIT_ORDER + 1]; /* those that occur */
};

static const char *const wait_words[] = {
    [WEIR_WAIT_NONE] = "begins",
    [WEIR_WAIT_DATA] = "waited for data",
    [WEIR_WAIT_BUSY] = "was busy with the iteration before",
    [WEIR_WAIT_BACKPRESSURE] = "waited for room (backpressure)",
    [WEIR_WAIT_PERIOD] = "waited for its period",
    [WEIR_WAIT_ORDER] = "waited for its turn",
};

/* Markers tell the waits apart: circle, square, triangle, rhomb, turned triangle. */
static const unsigned wait_markers[] = {0, 0, 1, 2, 3, 4};

/* ---- layout ---- */

static const char *name_of(const struct picture *p, uint32_t op)
{
    return weir_pipeline_operator(p->happening->pipeline, (struct weir_operator){op}).name;
}

/* The beginning of a long name, with an ellipsis. */
static void put_name(const struct picture *p, const char *name)
{
    char part[4 * NAME_COLUMNS + 4];
    size_t columns = 0, bytes = 0;
    uint32_t code;
    while (name[bytes] && columns < NAME_COLUMNS - 1) {
        bytes += weir_utf8_next(name + bytes, &code);
        columns++;
    }
    if (!name[bytes] || !name[bytes + weir_utf8_next(name + bytes, &code)]) {
        weir_svg_put(p->out, "$", name);
        return;
    }
    memcpy(part, name, bytes);
    part[bytes] = 0;
    weir_svg_put(p->out, "$\342\200\246", part);
}

static double columns_of(const char *name)
{
    uint32_t code;
    double columns = 0;
    for (; *name && columns < NAME_COLUMNS; columns++)
        name += weir_utf8_next(name, &code);
    return columns;
}

/* Puts the queue among the fullest of its consumer's. */
static enum weir_status add_strip(struct picture *p, uint32_t queue)
{
    struct weir_level *levels;
    size_t count;
    enum weir_status status = weir_happening_levels(p->happening, (struct weir_queue){queue}, &levels, &count, p->error);
    if (status)
        return status;
    struct strip strip = {.queue = queue};
    for (size_t i = 0; i < count; i++)
        strip.most = levels[i].messages > strip.most ? levels[i].messages : strip.most;
    weir_free(levels);
    struct lane *lane = &p->lanes[weir_pipeline_queue(p->happening->pipeline, (struct weir_queue){queue}).to.index];
    lane->queue_count++;
    unsigned at = lane->strip_count;
    while (at > 0 && lane->strips[at - 1].most < strip.most)
        at--;
    if (at == STRIPS_MAX)
        return WEIR_OK;
    lane->strip_count += lane->strip_count < STRIPS_MAX;
    for (unsigned i = lane->strip_count - 1; i > at; i--)
        lane->strips[i] = lane->strips[i - 1];
    lane->strips[at] = strip;
    return WEIR_OK;
}

static enum weir_status lay_out(struct picture *p)
{
    const struct weir_happening *h = p->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline);
    double names = 0;
    p->lanes = weir_array_zeroed(operators, sizeof *p->lanes);
    if (!p->lanes)
        return weir_fail_memory(p->error);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(h->pipeline); i++) {
        enum weir_status status = add_strip(p, i);
        if (status)
            return status;
    }
    p->bar = operators > MANY ? 13 : 18;
    p->strip = operators > MANY ? 4 : 6;
    p->top = 116;
    p->bottom = p->top;
    for (uint32_t v = 0; v < operators; v++) {
        struct lane *lane = &p->lanes[v];
        double width = 7.2 * columns_of(name_of(p, v));
        names = width > names ? width : names;
        lane->top = p->bottom;
        lane->bar = p->bottom + 4 + p->bar / 2;
        p->bottom += p->bar + 7 + (p->strip + 1) * lane->strip_count;
    }
    for (size_t i = 0; i < h->step_count; i++)
        p->waits[h->steps[i].step->wait] = true;
    p->height = p->bottom + 92;
    p->unit = 1;
    for (unsigned i = 0; i < weir_pipeline_digits(h->pipeline); i++)
        p->unit *= 10;
    p->x = (struct weir_axis){.low = (double)(h->begin - h->from) / p->unit, .high = (double)(h->end - h->from) / p->unit};
    if (!(p->x.high > p->x.low))
        p->x.high = p->x.low + 1 / p->unit;
    p->x.from = MARGIN + names + 14;
    p->x.to = WIDTH - MARGIN - 10;
    return WEIR_OK;
}

static double place(const struct picture *p, int64_t time)
{
    const struct weir_happening *h = p->happening;
    time = time < h->begin ? h->begin : time > h->end ? h->end : time;
    return weir_axis_place(&p->x, (double)(time - h->from) / p->unit);
}

static const char *text_of(const struct picture *p, int64_t time, char text[WEIR_TIME_TEXT])
{
    return weir_time_format(p->happening->pipeline, time - p->happening->from, text);
}

/* ---- the frame ---- */

static const char *unit_of(const struct picture *p)
{
    enum weir_unit unit = weir_pipeline_unit(p->happening->pipeline);
    return unit == WEIR_UNIT_TICK ? "ticks" : weir_unit_name(unit);
}

static void put_styles(const struct picture *p)
{
    weir_svg_styles(p->out);
    fputs(
        "<style>\n"
        "  .wg-band{fill:#59636e;fill-opacity:.07} .wg-pale{fill-opacity:.22;stroke-opacity:.6} .wg-solid{fill-opacity:.92}\n"
        "  .wg-ink{stroke:#1f2328;fill:none} .wg-mark path{stroke:#fff;fill:#1f2328;stroke-width:1}\n"
        "  .wp-text.wg-on{fill:#fff} .wp-text.wg-in{fill:#1f2328} .wp-text.wg-small{font-size:10px} "
        ".wg-queue{fill:#59636e;fill-opacity:.55}\n"
        "  .wg-room{fill:#59636e;fill-opacity:.12} .wg-end{stroke:#1f2328;stroke-width:1.4;stroke-dasharray:5 3;fill:none}\n"
        "  .wg-way{stroke-width:2.4} .wg-backpressure{stroke-dasharray:6 3} .wg-period{stroke-dasharray:1 3} "
        ".wg-order{stroke-dasharray:7 3 1 3}\n"
        "  @media (prefers-color-scheme:dark){.wg-band{fill:#a1a9b3} .wg-ink,.wg-end{stroke:#e6e8eb} .wp-text.wg-on{fill:#14171c} "
        ".wp-text.wg-in{fill:#e6e8eb} .wg-mark path{stroke:#14171c;fill:#e6e8eb} .wg-queue,.wg-room{fill:#a1a9b3}}\n"
        "</style>\n",
        p->out);
}

static void put_head(const struct picture *p)
{
    const struct weir_pair_spec *pair = &p->latency->pair;
    const char *from = name_of(p, pair->from.index), *to = name_of(p, pair->to.index), *unit = unit_of(p);
    const char *name = weir_pipeline_name(p->happening->pipeline);
    char worst[WEIR_TIME_TEXT];
    weir_time_format(p->happening->pipeline, p->latency->worst.value, worst);
    weir_svg_put(p->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-gantt\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" "
                 "role=\"img\" aria-label=\"Timeline of the worst case from $ to $: $ $\">\n",
                 WIDTH, p->height, WIDTH, p->height, from, to, worst, unit);
    weir_svg_put(p->out, "<desc>The critical path: ");
    for (size_t i = 0; i < p->happening->step_count && i < 60; i++) {
        const struct weir_happening_step *s = &p->happening->steps[i];
        char iteration[24];
        snprintf(iteration, sizeof iteration, "%lld", (long long)s->iteration);
        weir_svg_put(p->out, "$$ iteration $ $", i ? "; " : "", name_of(p, s->step->op.index), iteration,
                     wait_words[s->step->wait]);
    }
    fputs(".</desc>\n", p->out);
    put_styles(p);
    weir_svg_put(p->out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", WIDTH, p->height);
    weir_svg_put(p->out, "<text class=\"wp-text wp-title\" x=\"@\" y=\"26\">$$$ \342\206\222 $: the worst case, $ $</text>\n",
                 MARGIN, *name ? name : "", *name ? ": " : "", from, to, worst, unit);
    weir_svg_put(p->out,
                 "<text class=\"wp-text wp-faint\" x=\"@\" y=\"46\">Solid bars run at their worst time; pale ones at their "
                 "best. A colour is an iteration, whose number stands in the bar.$</text>\n",
                 MARGIN, p->happening->cut ? " What led to this begins earlier." : "");
}

static void put_scale(const struct picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(&p->x, ticks);
    for (size_t i = 0; i < count; i++) {
        if (ticks[i].value < p->x.low || ticks[i].value > p->x.high)
            continue;
        double x = weir_axis_place(&p->x, ticks[i].value);
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", ticks[i].text[0] ? "wp-grid" : "wp-minor", x, p->top, p->bottom);
        if (ticks[i].text[0])
            weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x,
                         p->bottom + 16, ticks[i].text);
    }
    weir_svg_put(p->out,
                 "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">time in $, from where the latency counts</text>\n",
                 (p->x.from + p->x.to) / 2, p->bottom + 34, unit_of(p));
}

/* The latency, as a length between two moments. */
static void put_ruler(const struct picture *p)
{
    const struct weir_happening *h = p->happening;
    char worst[WEIR_TIME_TEXT];
    double from = place(p, h->from), to = place(p, h->to), y = 78, middle = (from + to) / 2;
    weir_time_format(h->pipeline, p->latency->worst.value, worst);
    weir_svg_put(p->out, "<path class=\"wg-end\" d=\"M@ @V@M@ @V@\"/>\n", from, y - 6, p->bottom, to, y - 6, p->bottom);
    weir_svg_put(p->out, "<path class=\"wg-ink\" stroke-width=\"1.6\" d=\"M@ @H@m-7 -4l7 4l-7 4M@ @l7 -4m-7 4l7 4\"/>\n", from, y,
                 to, from, y);
    double room = 3.6 * (double)(strlen(worst) + strlen(unit_of(p)) + 3);
    middle = middle < p->x.from + room ? p->x.from + room : middle > p->x.to - room ? p->x.to - room : middle;
    weir_svg_put(p->out, "<text class=\"wp-text\" font-weight=\"600\" text-anchor=\"middle\" x=\"@\" y=\"@\">$ $</text>\n", middle,
                 y - 8, worst, unit_of(p));
    bool arrival = p->latency->witness->query.from.moment == WEIR_ARRIVAL;
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"$\" x=\"@\" y=\"@\">$ $</text>\n",
                 from > WIDTH - 260 ? "end" : "start", from > WIDTH - 260 ? from - 5 : from + 5, y + 20,
                 name_of(p, h->witness->query.from.op.index), arrival ? "gets its input" : "starts");
    if (to - from > 260)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"end\" x=\"@\" y=\"@\">$ is done</text>\n", to - 5,
                     y + 20, name_of(p, h->witness->query.to.op.index));
}

/* ---- lanes ---- */

static void put_execution(const struct picture *p, const struct weir_execution *e)
{
    const struct weir_happening *h = p->happening;
    char start[WEIR_TIME_TEXT], finish[WEIR_TIME_TEXT], took[WEIR_TIME_TEXT], number[24];
    bool open = e->finish == WEIR_NOT_YET;
    double x = place(p, e->start), width = place(p, open ? h->end : e->finish) - x;
    const struct lane *lane = &p->lanes[e->op];
    unsigned look = (unsigned)(e->iteration % WEIR_PLOT_LOOKS);
    text_of(p, e->start, start);
    text_of(p, open ? h->end : e->finish, finish);
    weir_time_format(h->pipeline, open ? 0 : e->finish - e->start, took);
    snprintf(number, sizeof number, "%lld", (long long)e->iteration);
    weir_svg_put(p->out,
                 "<g class=\"wg-run\" data-operator=\"$\" data-iteration=\"$\" data-start=\"$\" data-end=\"$\" "
                 "data-critical=\"%\"><title>$, iteration $: $ to $",
                 name_of(p, e->op), number, start, open ? "" : finish, e->critical ? 1U : 0U, name_of(p, e->op), number, start,
                 open ? "after the end" : finish);
    if (!open)
        weir_svg_put(p->out, ", takes $$", took, e->critical ? ", its worst case" : "");
    weir_svg_put(p->out, "</title><rect class=\"wp% $\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"2\"/>", look,
                 e->critical ? "wg-solid" : "wg-pale", x, lane->bar - p->bar / 2, width > 1 ? width : 1.0, p->bar);
    if (width > 7.0 * (double)strlen(number) + 4)
        weir_svg_put(p->out, "<text class=\"wp-text $$\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>",
                     e->critical ? "wg-on" : "wg-in", p->bar < 16 ? " wg-small" : "", x + width / 2,
                     lane->bar + (p->bar < 16 ? 3.5 : 4.2), number);
    fputs("</g>\n", p->out);
}

/* How full a queue is: an area whose height is the share of its places, or of the most it held where it has no bound. */
static enum weir_status put_strip(const struct picture *p, const struct strip *strip, double y)
{
    const struct weir_happening *h = p->happening;
    struct weir_queue_spec q = weir_pipeline_queue(h->pipeline, (struct weir_queue){strip->queue});
    struct weir_level *levels;
    size_t count;
    enum weir_status status = weir_happening_levels(h, (struct weir_queue){strip->queue}, &levels, &count, p->error);
    if (status)
        return status;
    bool bounded = q.capacity != WEIR_UNBOUNDED;
    double all = bounded ? (double)q.capacity : strip->most ? (double)strip->most : 1.0, bottom = y + p->strip;
    char most[24], room[24];
    snprintf(most, sizeof most, "%lld", (long long)strip->most);
    snprintf(room, sizeof room, "%lu", (unsigned long)q.capacity);
    weir_svg_put(p->out, "<g class=\"wg-level\"><title>queue from $ to $: at most $ of $ messages</title>",
                 name_of(p, q.from.index), name_of(p, q.to.index), most, bounded ? room : "any number of");
    weir_svg_put(p->out, "<rect class=\"wg-room\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>", p->x.from, y, p->x.to - p->x.from,
                 p->strip);
    weir_svg_put(p->out, "<path class=\"wg-queue\" d=\"M@ @", p->x.from, bottom);
    for (size_t i = 0; i < count; i++) {
        double share = (double)levels[i].messages / all;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        weir_svg_put(p->out, "H@V@", place(p, levels[i].time), bottom - share * p->strip);
    }
    weir_svg_put(p->out, "H@V@Z\"/></g>\n", p->x.to, bottom);
    weir_free(levels);
    return WEIR_OK;
}

static enum weir_status put_lane(const struct picture *p, uint32_t op)
{
    const struct weir_happening *h = p->happening;
    const struct lane *lane = &p->lanes[op];
    double height = p->bar + 7 + (p->strip + 1) * lane->strip_count;
    if (op % 2 == 0)
        weir_svg_put(p->out, "<rect class=\"wg-band\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n", MARGIN, lane->top,
                     WIDTH - 2 * MARGIN, height);
    weir_svg_put(p->out, "<g><title>$</title><text class=\"wp-text$\" x=\"@\" y=\"@\">", name_of(p, op),
                 p->bar < 16 ? " wg-small" : "", MARGIN + 4, lane->bar + 4);
    put_name(p, name_of(p, op));
    fputs("</text></g>\n", p->out);
    for (unsigned i = 0; i < lane->strip_count; i++) {
        enum weir_status status = put_strip(p, &lane->strips[i], lane->bar + p->bar / 2 + 2 + (p->strip + 1) * i);
        if (status)
            return status;
    }
    for (size_t i = h->first[op]; i < h->first[op + 1]; i++)
        put_execution(p, &h->executions[i]);
    return WEIR_OK;
}

/* ---- the critical path ---- */

/* From where the step before lets it start to where it does. */
static void put_link(const struct picture *p, const struct weir_happening_step *before, const struct weir_happening_step *step)
{
    static const char *const styles[] = {"", "", "", " wg-backpressure", " wg-period", " wg-order"};
    double y = p->lanes[before->step->op.index].bar, to = p->lanes[step->step->op.index].bar;
    weir_svg_put(p->out, "<path class=\"wg-ink wg-way$\" d=\"M@ @V@H@\"/>\n", styles[step->step->wait], place(p, before->end), y,
                 to, place(p, step->start));
}

static void put_way(const struct picture *p)
{
    const struct weir_happening *h = p->happening;
    char start[WEIR_TIME_TEXT], number[24], earlier[24];
    fputs("<g class=\"wg-path\">\n", p->out);
    for (size_t i = 0; i < h->step_count; i++) {
        const struct weir_happening_step *s = &h->steps[i];
        if (i)
            put_link(p, &h->steps[i - 1], s);
        if (s->end > s->start)
            weir_svg_put(p->out, "<path class=\"wg-ink wg-way\" d=\"M@ @H@\"/>\n", place(p, s->start),
                         p->lanes[s->step->op.index].bar + p->bar / 2, place(p, s->end));
    }
    for (size_t i = 0; i < h->step_count; i++) {
        const struct weir_happening_step *s = &h->steps[i], *before = i ? s - 1 : NULL;
        if (s->start < h->begin || s->step->wait == WEIR_WAIT_NONE)
            continue;
        snprintf(number, sizeof number, "%lld", (long long)s->iteration);
        weir_svg_put(p->out,
                     "<g class=\"wg-mark\" data-operator=\"$\" data-iteration=\"$\" data-wait=\"$\"><title>$, iteration $, $",
                     name_of(p, s->step->op.index), number, wait_words[s->step->wait], name_of(p, s->step->op.index), number,
                     wait_words[s->step->wait]);
        if (before && before->step->op.index != s->step->op.index) {
            snprintf(earlier, sizeof earlier, "%lld", (long long)before->iteration);
            weir_svg_put(p->out, ": $, iteration $", name_of(p, before->step->op.index), earlier);
        }
        weir_svg_put(p->out, ", until $</title>", text_of(p, s->start, start));
        weir_svg_marker(p->out, wait_markers[s->step->wait], false, place(p, s->start), p->lanes[s->step->op.index].bar);
        fputs("</g>\n", p->out);
    }
    fputs("</g>\n", p->out);
}

static void put_legend(const struct picture *p)
{
    static const char *const styles[] = {"", "", "", " wg-backpressure", " wg-period", " wg-order"};
    double x = MARGIN, y = p->bottom + 58;
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">critical path; it starts when:</text>\n", x, y + 4);
    x += 186;
    for (unsigned wait = WEIR_WAIT_DATA; wait <= WEIR_WAIT_ORDER; wait++) {
        static const char *const words[] = {
            "", "data is there", "it is free again", "there is room (backpressure)", "its period has passed", "it is its turn"};
        if (!p->waits[wait])
            continue;
        weir_svg_put(p->out, "<path class=\"wg-ink wg-way$\" d=\"M@ @h26\"/><g class=\"wg-mark\">", styles[wait], x, y);
        weir_svg_marker(p->out, wait_markers[wait], false, x + 13, y);
        weir_svg_put(p->out, "</g><text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">$</text>\n", x + 32, y + 4, words[wait]);
        x += 52 + 6.6 * (double)strlen(words[wait]);
    }
    weir_svg_put(p->out, "<rect class=\"wg-room\" x=\"@\" y=\"@\" width=\"26\" height=\"6\"/>", MARGIN, y + 19);
    weir_svg_put(p->out, "<path class=\"wg-queue\" d=\"M@ @h10v-3h9v3h7v3h-26Z\"/>", MARGIN, y + 22);
    weir_svg_put(
        p->out,
        "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">how full the queues to the operator are (up to % of them)</text>\n",
        MARGIN + 32, y + 26, STRIPS_MAX);
}

static enum weir_status put_all(struct picture *p)
{
    uint32_t operators = weir_pipeline_operator_count(p->happening->pipeline);
    enum weir_status status = lay_out(p);
    if (status)
        return status;
    put_head(p);
    put_scale(p);
    for (uint32_t v = 0; v < operators && !status; v++)
        status = put_lane(p, v);
    put_ruler(p);
    put_way(p);
    put_legend(p);
    fputs("</svg>\n", p->out);
    if (!status && ferror(p->out))
        status = weir_fail(p->error, WEIR_IO, "cannot write the timeline: %s", errno ? strerror(errno) : "write error");
    return status;
}

enum weir_status weir_analysis_write_gantt(const struct weir_analysis *analysis, size_t latency, FILE *out,
                                           struct weir_error *error)
{
    struct weir_happening happening = {0};
    struct picture p = {.happening = &happening, .out = out, .error = error};
    if (latency >= analysis->latency_count || !analysis->latencies[latency].witness)
        return weir_fail(error, WEIR_INVALID, "there is no worst case to draw: the latency has no witness");
    p.latency = &analysis->latencies[latency];
    enum weir_status status = weir_happening_find(analysis->pipeline, p.latency->witness, &happening, error);
    if (!status)
        status = put_all(&p);
    weir_free(p.lanes);
    weir_happening_free(&happening);
    return status;
}
