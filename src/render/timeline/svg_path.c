/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path through a picture: along the lower edges of the bars that count, from one to the next at each wait. */
#include "base/number.h"
#include "render/timeline/svg.h"

#define MARK 8.0  /* how wide one is: of those that would overlap the first is drawn */
#define ASIDE 4.0 /* how far the ways back to those that wait for room lie beside the others */

struct look {
    const char *title, *legend, *style;
    unsigned marker; /* circle, square, triangle, rhomb, turned triangle */
};

static const struct look looks[WEIR_PICTURE_WAITS] = {
    [WEIR_WAIT_NONE] = {"begins", "", "", 0},
    [WEIR_WAIT_DATA] = {"waited for data", "data is there", "", 0},
    [WEIR_WAIT_BUSY] = {"was busy with the iteration before", "it is free again", "", 1},
    [WEIR_WAIT_BACKPRESSURE] = {"waited for room (backpressure)", "there is room (backpressure)", " wt-backpressure", 2},
    [WEIR_WAIT_PERIOD] = {"waited for its period", "its period has passed", " wt-period", 3},
    [WEIR_WAIT_ORDER] = {"waited for its turn", "it is its turn", " wt-order", 4},
};

const char *weir_picture_wait_words(enum weir_wait wait)
{
    return looks[wait].title;
}

const char *weir_picture_wait_legend(enum weir_wait wait)
{
    return looks[wait].legend;
}

void weir_picture_put_wait(const struct weir_timeline_picture *p, enum weir_wait wait, double x, double y)
{
    if (wait != WEIR_WAIT_BUSY) /* that wait goes nowhere */
        weir_svg_put(p->out, "<path class=\"wt-ink wt-way$\" d=\"M@ @h26\"/>", looks[wait].style, x, y);
    fputs("<g class=\"wt-mark\">", p->out);
    weir_svg_marker(p->out, looks[wait].marker, false, x + 26, y);
    fputs("</g>", p->out);
}

/* What was drawn last in a lane, so that what lies on it need not be drawn again. */
struct drawn {
    double mark[WEIR_PICTURE_WAITS], link[WEIR_PICTURE_WAITS];
    uint32_t from[WEIR_PICTURE_WAITS]; /* lane that the link came from */
};

/* The lower edge of the bar that the step belongs to; of a block over numbered rows, below its upper edge: its words are in the
 * middle. */
static double height_of(const struct weir_timeline_picture *p, const struct weir_timeline_step *s)
{
    double row = weir_picture_row(p, s->lane, s->row), below = p->lanes[s->lane].row / 2;
    if (p->timeline->lanes[s->lane].row_name)
        return row + (below < 4 ? below : 4);
    return row + p->bar;
}

void weir_picture_put_step(const struct weir_timeline_picture *p, const struct weir_timeline_step *s)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)s->iteration);
    if (s->label)
        weir_svg_put(p->out, "$", s->label);
    else
        weir_svg_put(p->out, "$, $ $", p->timeline->lanes[s->lane].name, p->timeline->iteration_name, number);
}

/* From where the step before lets it start to where it does. */
static void put_link(const struct weir_timeline_picture *p, struct drawn *drawn, const struct weir_timeline_step *s)
{
    const struct weir_timeline_step *before = s - 1;
    double x = weir_picture_place(p, before->to), to = weir_picture_place(p, s->from);
    double y = height_of(p, before), down = height_of(p, s);
    if (to - x < 0.5 && down == y)
        return;
    if (x - drawn->link[s->wait] < 0.5 && to - x < 0.5 && drawn->from[s->wait] == before->lane)
        return;
    drawn->link[s->wait] = x;
    drawn->from[s->wait] = before->lane;
    double aside = s->wait == WEIR_WAIT_BACKPRESSURE ? (x - ASIDE < p->x.from ? ASIDE : -ASIDE) : 0;
    weir_svg_put(p->out, "<path class=\"wt-ink wt-way$\" d=\"M@ @H@V@H@\"/>\n", looks[s->wait].style, x, y, x + aside, down, to);
}

static void put_mark(const struct weir_timeline_picture *p, struct drawn *drawn, const struct weir_timeline_step *s)
{
    const struct weir_timeline *t = p->timeline;
    const struct weir_timeline_step *before = s > t->steps ? s - 1 : NULL;
    double x = weir_picture_place(p, s->from);
    char start[WEIR_TIME_TEXT], number[24];
    if (weir_ratio_compare(s->from, t->begin) < 0 || s->wait == WEIR_WAIT_NONE ||
        (drawn->mark[s->wait] > 0 && x - drawn->mark[s->wait] < MARK))
        return;
    drawn->mark[s->wait] = x;
    snprintf(number, sizeof number, "%lld", (long long)s->iteration);
    weir_svg_put(p->out, "<g class=\"wt-mark\" data-operator=\"$\" data-iteration=\"$\" data-wait=\"$\"><title>",
                 s->label ? s->label : t->lanes[s->lane].name, number, looks[s->wait].title);
    weir_picture_put_step(p, s);
    weir_svg_put(p->out, ", $", looks[s->wait].title);
    if (before && (before->lane != s->lane || before->label)) {
        fputs(": ", p->out);
        weir_picture_put_step(p, before);
    }
    weir_picture_time(p, s->from, start);
    weir_svg_put(p->out, ", until $ $</title>", start, weir_timeline_unit_of(t, start));
    weir_svg_marker(p->out, looks[s->wait].marker, false, x, height_of(p, s));
    fputs("</g>\n", p->out);
}

enum weir_status weir_picture_put_path(const struct weir_timeline_picture *p, struct weir_error *error)
{
    const struct weir_timeline *t = p->timeline;
    struct drawn *drawn = t->step_count ? weir_array_zeroed(t->lane_count, sizeof *drawn) : NULL;
    if (!drawn)
        return t->step_count ? weir_fail_memory(error) : WEIR_OK;
    double ended = 0, last = 0;
    fputs("<g class=\"wt-path\">\n", p->out);
    for (size_t i = 0; i < t->step_count; i++) {
        const struct weir_timeline_step *s = &t->steps[i];
        double from = weir_picture_place(p, s->from), to = weir_picture_place(p, s->to), y = height_of(p, s);
        if (i)
            put_link(p, &drawn[s->lane], s);
        if (to - from < 0.5 && to - ended < 0.5 && y == last)
            continue; /* on what is drawn already */
        if (to > from)
            weir_svg_put(p->out, "<path class=\"wt-ink wt-way\" d=\"M@ @H@\"/>\n", from, y, to);
        ended = to;
        last = y;
    }
    for (size_t i = 0; i < t->step_count; i++)
        put_mark(p, &drawn[t->steps[i].lane], &t->steps[i]);
    fputs("</g>\n", p->out);
    weir_free(drawn);
    return WEIR_OK;
}
