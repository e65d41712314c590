/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan over the SMs as an SVG picture: time from left to right, an SM per line, a launch a block over its SMs. Colours repeat
 * after eight kernels, so names tell what colours do not: in the block where there is room, and for those who point at it anyway.
 */
#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "render/plot/plot.h"
#include "render/timeline/gpu_lanes.h"

#include <errno.h>
#include <string.h>

#define WIDTH 1000.0
#define WIDTH_MAX 2400.0 /* where many launches come one after the other */
#define LAUNCH 30.0      /* ... so that this is the width of most */
#define MARGIN 16.0
#define LEFT 64.0        /* for the numbers of SMs */
#define TOP 92.0         /* title, subtitle, numbers of groups */
#define LANE_LARGE 34.0  /* height of an SM, when there are few */
#define LANE_SMALL 4.6   /* ... when there are many */
#define CHART 400.0      /* what few SMs fill */
#define CHART_MAX 1500.0 /* what many fill at most, however thin they get */
#define RULER 26.0
#define DETAILS_MAX 200 /* launches told in words to those who do not see them */

struct picture {
    const struct weir_gpu_plan *plan;
    struct weir_gpu_lanes lanes;
    FILE *out;
    double unit; /* ticks in one unit */
    struct weir_axis x;
    double lane, top, bottom, width, height;
    int64_t deadline; /* 0: none */
};

static double value_of(const struct picture *p, struct weir_ratio ticks)
{
    return (double)ticks.numerator / (double)ticks.denominator / p->unit;
}

static size_t characters(const char *text)
{
    uint32_t code;
    size_t count = 0;
    for (; *text; count++)
        text += weir_utf8_next(text, &code);
    return count;
}

/* ---- words ---- */

static void put_launch_words(const struct picture *p, size_t index)
{
    const struct weir_gpu_launch *l = &p->plan->launches[index];
    char label[WEIR_GPU_LABEL], from[WEIR_GPU_AMOUNT], to[WEIR_GPU_AMOUNT];
    uint32_t waves = weir_gpu_waves(p->plan, l);
    weir_gpu_amount(p->plan->pipeline, l->start, true, from);
    weir_gpu_amount(p->plan->pipeline, p->lanes.end[index], true, to);
    weir_svg_put(p->out, "$: % $, $ to $, group %", weir_gpu_label(p->plan, l, label), l->sms, l->sms == 1 ? "SM" : "SMs", from, to,
                 l->group);
    if (waves > 1)
        weir_svg_put(p->out, ", in % waves", waves);
}

static void put_subtitle(const struct picture *p)
{
    const struct weir_gpu_plan *plan = p->plan;
    char bound[WEIR_GPU_AMOUNT], lower[WEIR_GPU_AMOUNT];
    weir_gpu_amount(plan->pipeline, plan->bound, true, bound);
    weir_gpu_amount(plan->pipeline, plan->lower, false, lower);
    weir_svg_put(p->out, "Method $, $ $; no plan can promise less than $", weir_gpu_method_name(plan->method),
                 plan->safe ? "safe: all is done after at most" : "NOT SAFE: legal executions can take longer than", bound, lower);
}

/* ---- the frame ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* As wide as it takes for the average launch to be seen. */
static double width_of(const struct picture *p, double end)
{
    double sum = 0, count = (double)p->plan->launch_count;
    for (size_t i = 0; i < p->plan->launch_count; i++)
        sum += value_of(p, p->plan->launches[i].time);
    double width = sum > 0 ? LEFT + MARGIN + LAUNCH * end * count / sum : WIDTH;
    return width < WIDTH ? WIDTH : width > WIDTH_MAX ? WIDTH_MAX : width;
}

static void lay_out(struct picture *p)
{
    double bound = value_of(p, p->plan->bound), end = larger(bound, p->lanes.to / p->unit), lanes = p->lanes.lane_count;
    double deadline = (double)p->deadline / p->unit, rulers = 2;
    if (deadline > end && deadline <= end * 4 / 3)
        end = deadline;
    rulers += p->deadline != 0;
    p->width = width_of(p, end);
    p->x = (struct weir_axis){.spec = {"time", false, WEIR_PLOT_NUMBERS}};
    weir_axis_fit(&p->x, 0, larger(end, value_of(p, p->plan->lower)), false);
    p->x.from = LEFT;
    p->x.to = p->width - MARGIN - 8;
    p->lane = CHART / lanes;
    p->lane = p->lane > LANE_LARGE ? LANE_LARGE : p->lane < LANE_SMALL ? LANE_SMALL : p->lane;
    p->lane = p->lane * lanes > CHART_MAX ? CHART_MAX / lanes : p->lane;
    p->top = TOP;
    p->bottom = TOP + p->lane * lanes;
    p->height = p->bottom + 46 + RULER * rulers + 34;
}

static void put_styles(const struct picture *p)
{
    weir_svg_styles(p->out);
    fputs(
        "<style>\n"
        "  .wg-block{fill-opacity:.3;stroke-width:1} .wg-dark{fill-opacity:.6} .wg-part{stroke-dasharray:4 2;stroke-width:1.6}\n"
        "  .wg-thin{stroke-width:.5} .wg-small{font-size:9px} .wg-tiny{font-size:7px}\n"
        "  .wg-group{stroke:#1f2328;stroke-opacity:.7;stroke-dasharray:1 3} .wg-bound{stroke:#1f2328;stroke-width:1.8;fill:none}\n"
        "  .wg-lower{stroke:#59636e;stroke-width:1.4;stroke-dasharray:6 3;fill:none} .wg-absent{fill:#59636e;fill-opacity:.16}\n"
        "  .wg-limit{stroke:#8c2d2d;stroke-width:1.8;fill:none} .wg-bad{font-weight:600}\n"
        "  @media screen and (prefers-color-scheme:dark){.wg-group,.wg-bound{stroke:#e6e8eb} .wg-lower{stroke:#a1a9b3} "
        ".wg-absent{fill:#a1a9b3} .wg-limit{stroke:#ef8080}}\n"
        "</style>\n",
        p->out);
}

static void put_head(const struct picture *p)
{
    const char *name = weir_pipeline_name(p->plan->pipeline);
    char title[200];
    snprintf(title, sizeof title, "%.120s%s%u launches on %u SM%s", name ? name : "", name && *name ? ": " : "",
             (unsigned)p->plan->launch_count, p->plan->sms, p->plan->sms == 1 ? "" : "s");
    weir_svg_put(p->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" role=\"img\" "
                 "aria-labelledby=\"wg-title wg-desc\">\n<title id=\"wg-title\">$</title>\n<desc id=\"wg-desc\">",
                 p->width, p->height, p->width, p->height, title);
    put_subtitle(p);
    for (size_t i = 0; i < p->plan->launch_count && i < DETAILS_MAX; i++) {
        fputs(". ", p->out);
        put_launch_words(p, i);
    }
    if (p->plan->launch_count > DETAILS_MAX)
        weir_svg_put(p->out, ". And % launches more", (unsigned)(p->plan->launch_count - DETAILS_MAX));
    fputs(".</desc>\n", p->out);
    put_styles(p);
    weir_svg_put(p->out, "<rect class=\"wp-back\" width=\"@\" height=\"@\"/>\n", p->width, p->height);
    weir_svg_put(p->out, "<text class=\"wp-text wp-title\" x=\"@\" y=\"28\">$</text>\n", MARGIN, title);
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint$\" x=\"@\" y=\"48\">", p->plan->safe ? "" : " wg-bad", MARGIN);
    put_subtitle(p);
    fputs("</text>\n", p->out);
}

static void put_scale(const struct picture *p)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(&p->x, ticks);
    enum weir_unit unit = weir_pipeline_unit(p->plan->pipeline);
    for (size_t i = 0; i < count; i++) {
        double x = weir_axis_place(&p->x, ticks[i].value);
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", ticks[i].text[0] ? "wp-grid" : "wp-minor", x, p->top, p->bottom);
        if (ticks[i].text[0])
            weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>\n", x,
                         p->bottom + 16, ticks[i].text);
    }
    weir_svg_put(p->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">time$$$</text>\n",
                 (p->x.from + p->x.to) / 2, p->bottom + 34, unit == WEIR_UNIT_TICK ? "" : " (",
                 unit == WEIR_UNIT_TICK ? "" : weir_unit_name(unit), unit == WEIR_UNIT_TICK ? "" : ")");
}

/* Every SM has a number where there is room; otherwise every 2nd, 5th, 10th ... */
static void put_numbers(const struct picture *p)
{
    static const uint32_t factors[] = {2, 5, 10};
    uint32_t step = 1, sms = p->plan->sms;
    for (uint32_t power = 1, i = 0; p->lane * step < 13 && step < sms; i++) {
        step = power * factors[i % 3];
        power = i % 3 == 2 ? power * 10 : power;
    }
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">SM</text>\n", MARGIN, p->top - 8);
    for (uint32_t sm = 0; sm < sms; sm += step)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"end\" x=\"@\" y=\"@\">%</text>\n", LEFT - 8,
                     p->top + p->lane * (sm + (p->lane > 8 ? 0.5 : 0)) + 4, sm);
    if (p->lanes.lane_count > sms) {
        double y = p->top + p->lane * sms;
        weir_svg_put(p->out, "<rect class=\"wg-absent\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n", MARGIN, y,
                     p->width - 2 * MARGIN, p->bottom - y);
        weir_svg_put(p->out,
                     "<text class=\"wp-text wg-bad\" x=\"@\" y=\"@\"><title>Below this line are blocks for which there is no SM: "
                     "they would have to wait</title>no SM</text>\n",
                     MARGIN, y + 14);
    }
    weir_svg_put(p->out, "<rect class=\"wp-frame\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>\n", p->x.from, p->top,
                 p->x.to - p->x.from, p->lane * sms);
}

/* ---- launches ---- */

struct box {
    double x, y, width, height;
};

struct letters {
    unsigned size;
    bool upright; /* from bottom to top */
    double room;  /* characters */
};

/* The largest letters with which all fits, lying or else upright; otherwise small ones, the way that has more room. */
static struct letters choose_letters(struct box box, double length)
{
    static const unsigned sizes[] = {12, 9, 7};
    struct letters best = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int upright = 0; upright < 2; upright++) {
            double along = upright ? box.height : box.width, across = upright ? box.width : box.height;
            struct letters letters = {sizes[i], upright != 0, (along - 5) / (sizes[i] * 0.58)};
            if (across < sizes[i] * 1.2)
                continue;
            if (letters.room >= length)
                return letters;
            if (letters.room > best.room)
                best = letters;
        }
    return best;
}

static void put_letters(const struct picture *p, struct box box, struct letters letters)
{
    double x = box.x + box.width / 2, y = box.y + box.height / 2, drop = letters.size * 0.35;
    weir_svg_put(p->out, "<text class=\"wp-text$\" text-anchor=\"middle\" x=\"@\" y=\"@\"",
                 letters.size == 12  ? ""
                 : letters.size == 9 ? " wg-small"
                                     : " wg-tiny",
                 x, y + drop);
    if (letters.upright)
        weir_svg_put(p->out, " transform=\"rotate(-90 @ @)\"", x, y);
    fputc('>', p->out);
}

/* The name, cut short where it does not fit, with the part, which is never cut; nothing where there is no room for that. */
static void put_label(const struct picture *p, const struct weir_gpu_launch *launch, struct box box)
{
    const char *name = weir_pipeline_operator(p->plan->pipeline, launch->kernel).name, *end = name;
    char part[32] = "", cut[256];
    uint32_t code;
    if (launch->parts > 1)
        snprintf(part, sizeof part, " %u/%u", launch->part, launch->parts);
    size_t length = characters(name), more = strlen(part);
    struct letters letters = choose_letters(box, (double)(length + more));
    size_t room = letters.room > 0 ? (size_t)letters.room : 0;
    bool whole = length + more <= room;
    if (!whole && room < more + 3)
        return;
    for (size_t i = 0; *end && i < (whole ? length : room - more - 1) && end - name < (ptrdiff_t)sizeof cut - 8; i++)
        end += weir_utf8_next(end, &code);
    memcpy(cut, name, (size_t)(end - name));
    cut[end - name] = 0;
    bool two = box.height >= 32 && box.width >= 46 && !letters.upright;
    put_letters(p, (struct box){box.x, box.y - (two ? 7 : 0), box.width, box.height}, letters);
    weir_svg_put(p->out, "$$$</text>", cut, *end ? "\342\200\246" : "", part);
    if (two) {
        put_letters(p, (struct box){box.x, box.y + 7, box.width, box.height}, (struct letters){9, false, 0});
        weir_svg_put(p->out, "% $</text>", launch->sms, launch->sms == 1 ? "SM" : "SMs");
    }
}

static void put_launch(const struct picture *p, size_t index)
{
    const struct weir_gpu_launch *l = &p->plan->launches[index];
    double from = weir_axis_place(&p->x, value_of(p, l->start)), to = weir_axis_place(&p->x, value_of(p, p->lanes.end[index]));
    size_t first = p->lanes.first_run[index], next = p->lanes.first_run[index + 1], widest = first;
    double width = larger(to - from, 0.5);
    fputs("<g><title>", p->out);
    put_launch_words(p, index);
    fputs("</title>", p->out);
    for (size_t i = first; i < next; i++) {
        const struct weir_gpu_run *run = &p->lanes.runs[i];
        double height = p->lane * run->count;
        widest = run->count > p->lanes.runs[widest].count ? i : widest;
        weir_svg_put(p->out, "<rect class=\"wp% wg-block$$$\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>",
                     l->kernel.index % WEIR_PLOT_LOOKS, l->kernel.index / WEIR_PLOT_LOOKS % 2 ? " wg-dark" : "",
                     l->parts > 1 ? " wg-part" : "", height < 8 || width < 6 ? " wg-thin" : "", from, p->top + p->lane * run->sm,
                     width, height);
    }
    const struct weir_gpu_run *run = &p->lanes.runs[widest];
    put_label(p, l, (struct box){from, p->top + p->lane * run->sm, width, p->lane * run->count});
    fputs("</g>\n", p->out);
}

/* ---- groups ---- */

/* A line where a group begins after all before it have ended; its number above, where there is room since the last. */
static void put_groups(const struct picture *p)
{
    const struct weir_gpu_plan *plan = p->plan;
    struct weir_ratio over = {0, 1};
    double last = 0;
    for (size_t first = 0, next; first < plan->launch_count; first = next) {
        struct weir_ratio begin = plan->launches[first].start, end = over;
        for (next = first; next < plan->launch_count && plan->launches[next].group == plan->launches[first].group; next++) {
            begin = weir_ratio_compare(plan->launches[next].start, begin) < 0 ? plan->launches[next].start : begin;
            end = weir_ratio_compare(p->lanes.end[next], end) > 0 ? p->lanes.end[next] : end;
        }
        bool apart = weir_ratio_compare(begin, over) >= 0;
        over = end;
        if (!apart)
            continue;
        double x = weir_axis_place(&p->x, value_of(p, begin));
        bool numbered = last == 0 || x >= last + 26;
        weir_svg_put(p->out, "<path class=\"wg-group\" d=\"M@ @V@\"/>\n", x, numbered ? p->top - 16 : p->top, p->bottom);
        if (!numbered)
            continue;
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">%</text>\n", x + 3, p->top - 6,
                     plan->launches[first].group);
        last = x;
    }
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">group</text>\n", p->x.from + 3, p->top - 21);
}

/* ---- rulers ---- */

static void put_ruler(const struct picture *p, unsigned row, const char *class, const char *words, struct weir_ratio at)
{
    double y = p->bottom + 46 + RULER * row + 18, value = value_of(p, at), x = weir_axis_place(&p->x, value);
    bool beyond = value > p->x.high;
    x = beyond ? p->x.to : x;
    if (!beyond)
        weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @V@\"/>\n", class, x, p->top, p->bottom);
    weir_svg_put(p->out, "<path class=\"$\" d=\"M@ @v8M@ @H@$\"/>\n", class, p->x.from, y - 4, p->x.from, y, x,
                 beyond ? "m-6 -4l6 4l-6 4" : "m0 -4v8");
    weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">$</text>\n", p->x.from + 8, y - 5, words);
}

static void put_rulers(const struct picture *p)
{
    const struct weir_gpu_plan *plan = p->plan;
    char text[WEIR_GPU_AMOUNT], words[2 * WEIR_GPU_AMOUNT];
    snprintf(words, sizeof words, "lower bound: %s", weir_gpu_amount(plan->pipeline, plan->lower, false, text));
    put_ruler(p, 0, "wg-lower", words, plan->lower);
    snprintf(words, sizeof words, "bound%s: %s", plan->safe ? "" : ", not safe",
             weir_gpu_amount(plan->pipeline, plan->bound, true, text));
    put_ruler(p, 1, "wg-bound", words, plan->bound);
    if (p->deadline) {
        struct weir_ratio deadline = {p->deadline, 1};
        bool above = weir_ratio_compare(plan->bound, deadline) > 0;
        snprintf(words, sizeof words, "deadline: %s, %s", weir_gpu_amount(plan->pipeline, deadline, true, text),
                 above        ? "missed"
                 : plan->safe ? "met"
                              : "not decided");
        put_ruler(p, 2, "wg-limit", words, deadline);
    }
}

static void put_legend(const struct picture *p)
{
    double x = MARGIN, y = p->height - 16;
    bool split = p->plan->split_count > 0;
    weir_svg_put(p->out, "<rect class=\"wp0 wg-block\" x=\"@\" y=\"@\" width=\"22\" height=\"12\"/>", x, y - 10);
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">launch</text>\n", x + 28, y);
    if (split) {
        weir_svg_put(p->out, "<rect class=\"wp0 wg-block wg-part\" x=\"@\" y=\"@\" width=\"22\" height=\"12\"/>", x + 90, y - 10);
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">part of a kernel</text>\n", x + 118, y);
    }
    x += split ? 230 : 90;
    weir_svg_put(p->out, "<path class=\"wg-group\" d=\"M@ @v14\"/>", x + 8, y - 11);
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">a group begins when those before have ended</text>\n",
                 x + 20, y);
}

enum weir_status weir_gpu_write_svg(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct picture p = {.plan = plan, .out = out, .unit = 1, .deadline = weir_pipeline_gpu(plan->pipeline).deadline};
    enum weir_status status = weir_gpu_lanes_make(plan, false, &p.lanes, error);
    if (status != WEIR_OK)
        return status;
    for (unsigned i = 0; i < weir_pipeline_digits(plan->pipeline); i++)
        p.unit *= 10;
    lay_out(&p);
    put_head(&p);
    put_scale(&p);
    put_numbers(&p);
    for (size_t i = 0; i < plan->launch_count; i++)
        put_launch(&p, i);
    put_groups(&p);
    put_rulers(&p);
    put_legend(&p);
    fputs("</svg>\n", out);
    weir_gpu_lanes_free(&p.lanes);
    if (ferror(out))
        return weir_fail(error, WEIR_IO, "cannot write the picture: %s", errno ? strerror(errno) : "write error");
    return WEIR_OK;
}
