/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path through a timeline: along the lower edges of the bars that count, from one to the next at each wait. */
#include "base/alloc.h"
#include "base/error.h"
#include "render/timeline/gantt.h"

#include <string.h>

#define WAITS (WEIR_WAIT_ORDER + 1)
#define MARK 8.0  /* how wide one is: of those that would overlap the first is drawn */
#define ASIDE 4.0 /* how far the ways back to those that wait for room lie beside the others */

struct look {
    const char *title, *legend, *style;
    unsigned marker; /* circle, square, triangle, rhomb, turned triangle */
};

static const struct look looks[WAITS] = {
    [WEIR_WAIT_NONE] = {"begins", "", "", 0},
    [WEIR_WAIT_DATA] = {"waited for data", "data is there", "", 0},
    [WEIR_WAIT_BUSY] = {"was busy with the iteration before", "it is free again", "", 1},
    [WEIR_WAIT_BACKPRESSURE] = {"waited for room (backpressure)", "there is room (backpressure)", " wg-backpressure", 2},
    [WEIR_WAIT_PERIOD] = {"waited for its period", "its period has passed", " wg-period", 3},
    [WEIR_WAIT_ORDER] = {"waited for its turn", "it is its turn", " wg-order", 4},
};

const char *weir_gantt_wait_words(enum weir_wait wait)
{
    return looks[wait].title;
}

/* What was drawn last in a lane, so that what lies on it need not be drawn again. */
struct drawn {
    double mark[WAITS], link[WAITS];
    uint32_t from[WAITS]; /* lane that the link came from */
};

/* The lower edge of the bar that the step belongs to. */
static double height_of(const struct weir_gantt *g, const struct weir_happening_step *s)
{
    const struct weir_execution *e = weir_happening_execution(g->happening, s->step->op, s->iteration);
    return weir_gantt_row(g, &g->lanes[s->step->op.index], e ? e->row : 0) + g->bar;
}

/* From where the step before lets it start to where it does. */
static void put_link(const struct weir_gantt *g, struct drawn *drawn, const struct weir_happening_step *s)
{
    const struct weir_happening_step *before = s - 1;
    enum weir_wait wait = s->step->wait;
    double x = weir_gantt_place(g, before->end), to = weir_gantt_place(g, s->start);
    double y = height_of(g, before), down = height_of(g, s);
    if (to - x < 0.5 && down == y)
        return;
    if (x - drawn->link[wait] < 0.5 && to - x < 0.5 && drawn->from[wait] == before->step->op.index)
        return;
    drawn->link[wait] = x;
    drawn->from[wait] = before->step->op.index;
    double aside = wait == WEIR_WAIT_BACKPRESSURE ? (x - ASIDE < g->x.from ? ASIDE : -ASIDE) : 0;
    weir_svg_put(g->out, "<path class=\"wg-ink wg-way$\" d=\"M@ @H@V@H@\"/>\n", looks[wait].style, x, y, x + aside, down, to);
}

static void put_mark(const struct weir_gantt *g, struct drawn *drawn, const struct weir_happening_step *s)
{
    enum weir_wait wait = s->step->wait;
    const struct weir_happening_step *before = s > g->happening->steps ? s - 1 : NULL;
    const char *name = weir_gantt_name(g, s->step->op.index);
    double x = weir_gantt_place(g, s->start);
    char start[WEIR_TIME_TEXT], number[24], earlier[24];
    if (s->start < g->happening->begin || wait == WEIR_WAIT_NONE || (drawn->mark[wait] > 0 && x - drawn->mark[wait] < MARK))
        return;
    drawn->mark[wait] = x;
    snprintf(number, sizeof number, "%lld", (long long)s->iteration);
    weir_svg_put(g->out, "<g class=\"wg-mark\" data-operator=\"$\" data-iteration=\"$\" data-wait=\"$\"><title>$, iteration $, $",
                 name, number, looks[wait].title, name, number, looks[wait].title);
    if (before && before->step->op.index != s->step->op.index) {
        snprintf(earlier, sizeof earlier, "%lld", (long long)before->iteration);
        weir_svg_put(g->out, ": $, iteration $", weir_gantt_name(g, before->step->op.index), earlier);
    }
    weir_svg_put(g->out, ", until $</title>", weir_gantt_time(g, s->start, start));
    weir_svg_marker(g->out, looks[wait].marker, false, x, height_of(g, s));
    fputs("</g>\n", g->out);
}

enum weir_status weir_gantt_put_path(const struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline);
    struct drawn *drawn = weir_array_zeroed(operators, sizeof *drawn);
    if (!drawn)
        return weir_fail_memory(g->error);
    double ended = 0, last = 0;
    fputs("<g class=\"wg-path\">\n", g->out);
    for (size_t i = 0; i < h->step_count; i++) {
        const struct weir_happening_step *s = &h->steps[i];
        double from = weir_gantt_place(g, s->start), to = weir_gantt_place(g, s->end), y = height_of(g, s);
        if (i)
            put_link(g, &drawn[s->step->op.index], s);
        if (to - from < 0.5 && to - ended < 0.5 && y == last)
            continue; /* on what is drawn already */
        if (s->end > s->start)
            weir_svg_put(g->out, "<path class=\"wg-ink wg-way\" d=\"M@ @H@\"/>\n", from, y, to);
        ended = to;
        last = y;
    }
    for (size_t i = 0; i < h->step_count; i++)
        put_mark(g, &drawn[h->steps[i].step->op.index], &h->steps[i]);
    fputs("</g>\n", g->out);
    weir_free(drawn);
    return WEIR_OK;
}

/* ---- what the signs mean ---- */

double weir_gantt_legend_height(const struct weir_gantt *g)
{
    bool strips = false;
    for (uint32_t i = 0; i < g->lane_count; i++)
        strips |= g->lanes[g->order[i]].strip_count > 0;
    return strips ? 92 : 72;
}

void weir_gantt_put_legend(const struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    double x = WEIR_GANTT_MARGIN, y = g->bottom + 58;
    bool waits[WAITS] = {false}, any = false;
    for (size_t i = 0; i < h->step_count; i++) {
        waits[h->steps[i].step->wait] = true;
        any |= h->steps[i].step->wait != WEIR_WAIT_NONE;
    }
    weir_svg_put(g->out, "<path class=\"wg-ink wg-way\" d=\"M@ @h26\"/>", x, y);
    weir_svg_put(g->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">the critical path$</text>\n", x + 32, y + 4,
                 any ? "; an operator on it starts when:" : "");
    x += 32 + (any ? 304 : 120);
    for (unsigned wait = WEIR_WAIT_DATA; wait < WAITS; wait++) {
        if (!waits[wait])
            continue;
        bool line = wait != WEIR_WAIT_BUSY; /* that wait goes nowhere */
        if (line)
            weir_svg_put(g->out, "<path class=\"wg-ink wg-way$\" d=\"M@ @h26\"/>", looks[wait].style, x, y);
        fputs("<g class=\"wg-mark\">", g->out);
        weir_svg_marker(g->out, looks[wait].marker, false, x + (line ? 26 : 6), y);
        x += line ? 36 : 16;
        weir_svg_put(g->out, "</g><text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">$</text>\n", x, y + 4, looks[wait].legend);
        x += 18 + 6.6 * (double)strlen(looks[wait].legend);
    }
    if (weir_gantt_legend_height(g) < 80)
        return;
    x = WEIR_GANTT_MARGIN;
    weir_svg_put(g->out, "<rect class=\"wg-room\" x=\"@\" y=\"@\" width=\"26\" height=\"8\"/>", x, y + 18);
    weir_svg_put(g->out, "<path class=\"wg-queue\" d=\"M@ @h9v-4h9v-4h8v8h-26Z\"/>", x, y + 26);
    weir_svg_put(g->out,
                 "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">how full the queues are that lead to the operator: the fullest, "
                 "up to % of them</text>\n",
                 x + 32, y + 26, g->strips_max);
}
