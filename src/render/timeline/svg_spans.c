/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in the lanes of a picture: executions as bars, launches as blocks, and the other kinds of spans. */
#include "answer/number.h"
#include "base/number.h"
#include "render/timeline/svg.h"

#include <string.h>

#define RUN_TEXT 80
#define ARROW 6.0  /* pixels of a delay from which on an arrow leads to it */
#define NARROW 2.5 /* pixels of a bar that cannot be told from its neighbour */

/* ---- shapes ---- */

static bool is_solid(const struct weir_timeline_span *span)
{
    return span->kind == WEIR_SPAN_CRITICAL || span->kind == WEIR_SPAN_EXCESS;
}

void weir_picture_put_rect(const struct weir_timeline_picture *p, const char *look, const double box[4])
{
    weir_svg_put(p->out, "<rect class=\"$\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"", look, box[0], box[1],
                 box[2] > 1 ? box[2] : 1.0, box[3]);
}

/* Green, amber or red. */
static const char *state_look(unsigned state)
{
    return state == WEIR_DEADLINE_MET ? "wt-kept" : state == WEIR_DEADLINE_MISSED ? "wt-limit" : "wt-open";
}

void weir_picture_put_shape(const struct weir_timeline_picture *p, const struct weir_timeline_span *span, double from, double to,
                            const double row[2])
{
    static const char *const classes[] = {
        [WEIR_SPAN_EXECUTION] = "wt-pale", [WEIR_SPAN_CRITICAL] = "wt-solid",   [WEIR_SPAN_MEASURED] = "wt-pale",
        [WEIR_SPAN_EXCESS] = "wt-solid",   [WEIR_SPAN_LAUNCH] = "wt-block",     [WEIR_SPAN_PART] = "wt-block wt-part",
        [WEIR_SPAN_WINDOW] = "wt-window",  [WEIR_SPAN_EARLIEST] = "wt-outline", [WEIR_SPAN_LATEST] = "wt-within",
        [WEIR_SPAN_NEXT] = "wt-next",      [WEIR_SPAN_GPU] = "wt-gpu",          [WEIR_SPAN_DELAY] = "wt-delay",
        [WEIR_SPAN_TARDY] = "wt-tardy"};
    unsigned look = span->look % WEIR_PLOT_LOOKS;
    double y = row[0], height = row[1], middle = y + height / 2;
    bool block = span->kind == WEIR_SPAN_LAUNCH || span->kind == WEIR_SPAN_PART;
    bool within = span->kind == WEIR_SPAN_EARLIEST || span->kind == WEIR_SPAN_LATEST;
    char class[64];
    switch (span->kind) {
    case WEIR_SPAN_LATENCY:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v8M@ @v8M@ @H@\"/>\n", look, from, middle - 4, to, middle - 4,
                     from, middle, to);
        return;
    case WEIR_SPAN_ENABLED:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v@\"/>\n", look, from, y - 2, height + 4);
        return;
    case WEIR_SPAN_RELEASE:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v@m-3 5l3 -5l3 5\"/>\n", look, from, y + height + 1,
                     -(height + 2));
        return;
    case WEIR_SPAN_ARRIVAL:
        weir_svg_put(p->out, "<path class=\"wp% wt-line\" d=\"M@ @v@m-3 -5l3 5l3 -5\"/>\n", look, from, y - 1, height + 1);
        return;
    case WEIR_SPAN_DEADLINE:
        snprintf(class, sizeof class, "wt-over %s", state_look(span->look));
        if (to > from)
            weir_picture_put_rect(p, class, (const double[]){from, y - 2, to - from, height + 4});
        fputs(to > from ? "/>" : "", p->out);
        weir_svg_put(p->out, "<path class=\"$ wt-line\" d=\"M@ @v@m0 @h-5m5 @h-5\"/>\n", state_look(span->look), from, y - 2,
                     height + 4, -(height + 4), height + 4);
        return;
    case WEIR_SPAN_LOST:
        weir_svg_put(p->out, "<path class=\"wt-limit wt-line\" d=\"M@ @l8 8m0 -8l-8 8\"/>\n", from - 4, middle - 4);
        return;
    case WEIR_SPAN_GPU:
        weir_picture_put_rect(p, "wt-gpu", (const double[]){from, y, to - from, 4});
        break;
    case WEIR_SPAN_TARDY:
        weir_picture_put_rect(p, "wt-tardy", (const double[]){from, y + height - 5, to - from, 5});
        break;
    case WEIR_SPAN_NEXT:
        snprintf(class, sizeof class, "wp%u wt-next", look);
        weir_picture_put_rect(p, class, (const double[]){from, y + height + 2, to - from, 4});
        break;
    default:
        snprintf(class, sizeof class, "wp%u %s%s%s", look, classes[span->kind],
                 block && span->look / WEIR_PLOT_LOOKS % 2 ? " wt-dark" : "",
                 block && (height < 8 || to - from < 6) ? " wt-thin" : "");
        weir_picture_put_rect(p, class, (const double[]){from, y + (within ? 2 : 0), to - from, height - (within ? 4 : 0)});
        if (look && span->kind == WEIR_SPAN_WINDOW)
            weir_svg_put(p->out, " style=\"fill:url(#wp-hatch-%);fill-opacity:1\"", look);
        if (span->kind <= WEIR_SPAN_EXCESS)
            fputs(" rx=\"2\"", p->out);
    }
    fputs("/>", p->out);
}

/* ---- words ---- */

void weir_picture_put_words(const struct weir_timeline_picture *p, const struct weir_timeline_lane *lane,
                            const struct weir_timeline_span *span)
{
    char number[24], from[WEIR_TIME_TEXT], to[WEIR_TIME_TEXT];
    snprintf(number, sizeof number, "%lld", (long long)span->iteration);
    if (span->label)
        weir_svg_put(p->out, "$: ", span->label);
    else
        weir_svg_put(p->out, "$, $ $: ", lane->name, p->timeline->iteration_name, number);
    weir_picture_time(p, span->from, from);
    weir_picture_time(p, span->to, to);
    if (span->open)
        weir_svg_put(p->out, "$ $ to after the end", from, weir_timeline_unit_of(p->timeline, from));
    else
        weir_svg_put(p->out, "$ to $ $", from, to, weir_timeline_unit_of(p->timeline, to));
    if (!span->open) {
        weir_timeline_number(p->timeline, weir_ratio_difference(span->to, span->from), true, to);
        weir_svg_put(p->out, ", takes $ $", to, weir_timeline_unit_of(p->timeline, to));
    }
    if (span->note)
        weir_svg_put(p->out, ", $", span->note);
}

/* ---- delays ---- */

/* With an arrow from the lane of those that cause it. */
void weir_picture_put_delay(const struct weir_timeline_picture *p, uint32_t index, const struct weir_timeline_span *span)
{
    double from = weir_picture_place(p, span->from), to = weir_picture_place(p, span->to),
           y = weir_picture_row(p, index, span->row);
    double room = to - from - 6, each = 5.4, middle = (from + to) / 2;
    fputs("<g class=\"wt-run\"><title>", p->out);
    weir_picture_put_words(p, &p->timeline->lanes[index], span);
    fputs("</title>", p->out);
    weir_picture_put_shape(p, span, from, to, (const double[]){y, p->bar - 3});
    if (span->label && room > 4 * each) {
        weir_svg_put(p->out, "<text class=\"wp-text wt-in wt-less\" text-anchor=\"middle\" x=\"@\" y=\"@\">", middle,
                     y + p->bar / 2 + 1.5);
        weir_label_put(p->out, span->label, (unsigned)(room / each));
        fputs("</text>", p->out);
    }
    if (span->by && to - from > ARROW && p->lanes[span->by - 1].shown) {
        double top = weir_picture_row(p, span->by - 1, 0) + p->bar / 2;
        bool down = top < y;
        weir_svg_put(p->out, "<path class=\"wp% wt-by\" d=\"M@ @V@$\"/>", span->look % WEIR_PLOT_LOOKS, middle, top,
                     down ? y : y + p->bar - 3, down ? "m-3 -5l3 5l3 -5" : "m-3 5l3 -5l3 5");
    }
    fputs("</g>\n", p->out);
}

/* ---- bars ---- */

/* Executions that lie in one bar: one, or several that cannot be told apart. */
struct run {
    const struct weir_timeline_span *first, *last;
    size_t count;
    double from, to;
};

/* Overlaps with too many others to have a row of its own. */
static bool is_crowded(const struct weir_timeline_lane *lane, const struct weir_timeline_span *span)
{
    return lane->rows > WEIR_PICTURE_ROWS && span->row + 1 >= WEIR_PICTURE_ROWS && !is_solid(span);
}

static bool joins(const struct weir_timeline_lane *lane, const struct run *run, const struct run *next)
{
    bool near = next->from - run->to < 1;
    if (is_crowded(lane, run->first))
        return near && is_crowded(lane, next->first);
    return near && run->first->row == next->first->row && next->to - next->from < NARROW &&
           (run->count > 1 || run->to - run->from < NARROW);
}

static void put_run_words(const struct weir_timeline_picture *p, const struct weir_timeline_lane *lane, const struct run *run)
{
    const struct weir_timeline_span *span = run->first;
    char number[24], until[24], start[WEIR_TIME_TEXT], finish[WEIR_TIME_TEXT];
    snprintf(number, sizeof number, "%lld", (long long)span->iteration);
    snprintf(until, sizeof until, "%lld", (long long)run->last->iteration);
    weir_picture_time(p, span->from, start);
    weir_picture_time(p, run->last->to, finish);
    weir_svg_put(
        p->out, "<g class=\"wt-run\" data-operator=\"$\" data-iteration=\"$\" data-start=\"$\" data-end=\"$\" data-critical=\"%\">",
        lane->name, number, start, run->last->open ? "" : finish, is_solid(span) ? 1U : 0U);
    fputs("<title>", p->out);
    if (run->count > 1)
        weir_svg_put(p->out, "$, % $s between $ and $: $ to $ $", lane->name, (unsigned)run->count, p->timeline->iteration_name,
                     number, until, start, run->last->open ? "after the end" : finish,
                     run->last->open ? "" : weir_timeline_unit_of(p->timeline, finish));
    else
        weir_picture_put_words(p, lane, span);
    fputs("</title>", p->out);
}

/* That a bar goes on beyond the picture. */
static void put_cuts(const struct weir_timeline_picture *p, const struct run *run, double y)
{
    const char *look = is_solid(run->first) ? "wt-cut-on" : "wt-cut-in";
    if (run->to - run->from < 36)
        return;
    if (weir_ratio_compare(run->first->from, p->timeline->begin) < 0)
        weir_svg_put(p->out, "<path class=\"wt-cut $\" d=\"M@ @l-4 4l4 4\"/>", look, run->from + 7, y - 4);
    if (run->last->open)
        weir_svg_put(p->out, "<path class=\"wt-cut $\" d=\"M@ @l4 4l-4 4\"/>", look, run->to - 7, y - 4);
}

/* The longest that fits of "2: 455 us", "2: 455" and "2"; empty where nothing does. */
static void choose_label(const struct weir_timeline_picture *p, const struct run *run, double room, char text[RUN_TEXT])
{
    const struct weir_timeline_span *span = run->first;
    bool timed = run->count == 1 && !span->open;
    double each = p->small ? 6.2 : 7.0;
    char time[WEIR_TIME_TEXT];
    int length = 0;
    if (run->count > 1)
        length = snprintf(text, RUN_TEXT, "%zu %ss", run->count, p->timeline->iteration_name);
    if (run->count == 1 && span->label && strlen(span->label) < RUN_TEXT && room > each * weir_label_columns(span->label) + 5) {
        snprintf(text, RUN_TEXT, "%s", span->label);
        return;
    }
    for (int form = timed ? 0 : 2; form < 3 && run->count == 1; form++) {
        weir_timeline_number(p->timeline, weir_ratio_difference(span->to, span->from), true, time);
        length = snprintf(text, RUN_TEXT,
                          form == 2 ? "%lld"
                          : form    ? "%lld: %s"
                                    : "%lld: %s %s",
                          (long long)span->iteration, time, weir_timeline_unit_of(p->timeline, time));
        if (room > each * length + 5)
            return;
    }
    if (room <= (p->small ? 6.2 : 7.4) * length + 5)
        text[0] = 0;
}

static void put_run(const struct weir_timeline_picture *p, uint32_t lane, const struct run *run)
{
    const struct weir_timeline_span *span = run->first;
    double width = run->to - run->from, y = weir_picture_row(p, lane, span->row);
    char text[RUN_TEXT];
    put_run_words(p, &p->timeline->lanes[lane], run);
    if (run->count > 1) {
        weir_picture_put_rect(p, "wt-many", (const double[]){run->from, y, width, p->bar});
        fputs("/>", p->out);
    } else {
        weir_picture_put_shape(p, span, run->from, run->to, (const double[]){y, p->bar});
        put_cuts(p, run, y + p->bar / 2);
    }
    choose_label(p, run, width, text);
    if (*text)
        weir_svg_put(p->out, "<text class=\"wp-text $$\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>",
                     run->count > 1 || is_solid(span) ? "wt-on" : "wt-in", p->small ? " wt-small" : "", run->from + width / 2,
                     y + p->bar / 2 + (p->small ? 3.2 : 3.8), text);
    fputs("</g>\n", p->out);
}

/* The executions in a lane; `crowded` ones below the others, and before those that stand out against them. */
static void put_runs(const struct weir_timeline_picture *p, uint32_t index, bool crowded)
{
    const struct weir_timeline *t = p->timeline;
    const struct weir_timeline_lane *lane = &t->lanes[index];
    struct run run = {0};
    for (size_t i = 0; i < lane->span_count; i++) {
        const struct weir_timeline_span *span = &t->spans[lane->first_span + i];
        bool begins_at_the_end = span->open && weir_ratio_compare(span->from, span->to) == 0;
        if (span->kind > WEIR_SPAN_EXCESS || is_crowded(lane, span) != crowded || (begins_at_the_end && p->x.from < p->x.to) ||
            !weir_picture_shows(p, span))
            continue;
        struct run next = {span, span, 1, weir_picture_place(p, span->from), weir_picture_place(p, span->to)};
        if (run.count && joins(lane, &run, &next)) {
            run.last = span;
            run.count++;
            run.to = next.to > run.to ? next.to : run.to;
            continue;
        }
        if (run.count)
            put_run(p, index, &run);
        run = next;
    }
    if (run.count)
        put_run(p, index, &run);
}

void weir_picture_put_executions(const struct weir_timeline_picture *p, uint32_t lane)
{
    if (p->timeline->lanes[lane].rows > WEIR_PICTURE_ROWS)
        put_runs(p, lane, true);
    put_runs(p, lane, false);
}

/* ---- blocks over numbered rows ---- */

struct letters {
    unsigned size;
    bool upright; /* from bottom to top */
    double room;  /* characters */
};

/* The largest letters with which all fits, lying or else upright; otherwise small ones, the way that has more room. */
static struct letters choose_letters(const double box[4], double length)
{
    static const unsigned sizes[] = {12, 9, 7};
    struct letters best = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int upright = 0; upright < 2; upright++) {
            double along = box[upright ? 3 : 2], across = box[upright ? 2 : 3];
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

static void put_letters(const struct weir_timeline_picture *p, double x, double y, struct letters letters)
{
    static const char *const sizes[] = {[7] = " wt-tiny", [9] = " wt-less", [12] = ""};
    weir_svg_put(p->out, "<text class=\"wp-text$\" text-anchor=\"middle\" x=\"@\" y=\"@\"", sizes[letters.size], x,
                 y + letters.size * 0.35);
    if (letters.upright)
        weir_svg_put(p->out, " transform=\"rotate(-90 @ @)\"", x, y);
    fputc('>', p->out);
}

/* The label, cut short where it does not fit; of a part, the number is never cut; nothing where there is no room for that. */
static void put_block_label(const struct weir_timeline_picture *p, const struct weir_timeline_lane *lane,
                            const struct weir_timeline_span *span, const double box[4])
{
    const char *part = span->kind == WEIR_SPAN_PART ? strrchr(span->label, ' ') : NULL;
    size_t bytes = part ? (size_t)(part - span->label) : strlen(span->label);
    unsigned more = part ? weir_label_columns(part) : 0, length = weir_label_columns(span->label);
    struct letters letters = choose_letters(box, length);
    unsigned room = letters.room > 0 ? (unsigned)letters.room : 0;
    double x = box[0] + box[2] / 2, y = box[1] + box[3] / 2;
    bool two = box[3] >= 32 && box[2] >= 46 && !letters.upright;
    char name[256];
    if (length > room && room < more + 3)
        return;
    bytes = bytes < sizeof name - 1 ? bytes : sizeof name - 1;
    memcpy(name, span->label, bytes);
    name[bytes] = 0;
    put_letters(p, x, y - (two ? 7 : 0), letters);
    weir_label_put(p->out, name, length <= room ? length : room - more);
    weir_svg_put(p->out, "$</text>", part ? part : "");
    if (two) {
        put_letters(p, x, y + 7, (struct letters){9, false, 0});
        weir_svg_put(p->out, "% $$</text>", span->row_count, lane->row_name, span->row_count == 1 ? "" : "s");
    }
}

void weir_picture_put_blocks(const struct weir_timeline_picture *p, uint32_t index)
{
    const struct weir_timeline_lane *lane = &p->timeline->lanes[index];
    double row = p->lanes[index].row;
    for (size_t i = 0; i < lane->span_count; i++) {
        const struct weir_timeline_span *span = &p->timeline->spans[lane->first_span + i];
        double from = weir_picture_place(p, span->from), to = weir_picture_place(p, span->to);
        double box[] = {from, weir_picture_row(p, index, span->row), to - from > 0.5 ? to - from : 0.5, row * span->row_count};
        fputs("<g class=\"wt-run\"><title>", p->out);
        weir_picture_put_words(p, lane, span);
        fputs("</title>", p->out);
        weir_picture_put_shape(p, span, from, to, (const double[]){box[1], box[3]});
        put_block_label(p, lane, span, box);
        fputs("</g>\n", p->out);
    }
}
