/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a timeline: which and where, their bars, and how full the queues are that lead to their operators. */
#include "base/alloc.h"
#include "base/error.h"
#include "render/heap.h"
#include "render/timeline/gantt.h"
#include "render/timeline/label.h"

#include <string.h>

#define NAME_COLUMNS 28
#define MANY 24         /* lanes, from which on they are narrow */
#define LANES_MAX 120   /* beside those on the critical path */
#define PATH_LANES 2000 /* lanes on the critical path */
#define ROWS_MAX 6      /* of one lane; more overlap */
#define NARROW 2.5      /* pixels of a bar that cannot be told from its neighbour */
#define TOP 116.0

/* ---- which, and in which order ---- */

/* Each operator behind those it reads from, as far as loops allow; as in the model where there is a choice. */
static enum weir_status sort_lanes(struct weir_gantt *g, uint32_t *waits, struct weir_heap_item *ready)
{
    const struct weir_pipeline *pipeline = g->happening->pipeline;
    uint32_t operators = weir_pipeline_operator_count(pipeline), queues = weir_pipeline_queue_count(pipeline);
    uint32_t *next = weir_array(queues, sizeof *next), *heads = weir_array(operators, sizeof *heads);
    size_t count = 0;
    if (!next || !heads) {
        weir_free(next);
        weir_free(heads);
        return weir_fail_memory(g->error);
    }
    memset(heads, 0xff, operators * sizeof *heads);
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        next[i] = heads[q.from.index];
        heads[q.from.index] = i;
        waits[q.to.index] += q.initial == 0;
    }
    for (uint32_t v = 0; v < operators; v++)
        if (!waits[v])
            weir_heap_push(ready, &count, (struct weir_heap_item){v, v});
    while (count) {
        uint32_t op = weir_heap_pop(ready, &count).value;
        if (g->lanes[op].shown)
            g->order[g->lane_count++] = op;
        for (uint32_t i = heads[op]; i != UINT32_MAX; i = next[i]) {
            struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
            if (q.initial == 0 && --waits[q.to.index] == 0)
                weir_heap_push(ready, &count, (struct weir_heap_item){q.to.index, q.to.index});
        }
    }
    weir_free(next);
    weir_free(heads);
    return WEIR_OK;
}

/* All lanes, or where there are many those of the critical path and the first others. */
static enum weir_status choose_lanes(struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline), path = 0, others = 0;
    for (size_t i = 0; i < h->step_count; i++) {
        struct weir_gantt_lane *lane = &g->lanes[h->steps[i].step->op.index];
        path += !lane->shown;
        lane->shown = true;
    }
    g->lanes[h->witness->query.from.op.index].shown = g->lanes[h->witness->query.to.op.index].shown = true;
    if (path > PATH_LANES)
        return weir_fail(g->error, WEIR_OVERFLOW, "the worst case goes through %u operators, which are too many for a picture",
                         (unsigned)path);
    for (uint32_t v = 0; v < operators && path + others < LANES_MAX; v++) {
        others += !g->lanes[v].shown;
        g->lanes[v].shown = true;
    }
    g->order = weir_array(operators, sizeof *g->order);
    uint32_t *waits = weir_array_zeroed(operators, sizeof *waits);
    struct weir_heap_item *ready = weir_array(operators, sizeof *ready);
    enum weir_status status = WEIR_OK;
    if (!g->order || !waits || !ready)
        status = weir_fail_memory(g->error);
    else
        status = sort_lanes(g, waits, ready);
    weir_free(waits);
    weir_free(ready);
    return status;
}

/* ---- where ---- */

/* Puts the queue among the fullest of its consumer's. */
static enum weir_status add_strip(struct weir_gantt *g, uint32_t queue)
{
    struct weir_gantt_lane *lane = &g->lanes[weir_pipeline_queue(g->happening->pipeline, (struct weir_queue){queue}).to.index];
    struct weir_gantt_strip strip = {.queue = queue};
    struct weir_level *levels;
    size_t count;
    if (!lane->shown)
        return WEIR_OK;
    enum weir_status status = weir_happening_levels(g->happening, (struct weir_queue){queue}, &levels, &count, g->error);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        strip.most = levels[i].messages > strip.most ? levels[i].messages : strip.most;
    weir_free(levels);
    unsigned at = lane->strip_count;
    while (at > 0 && lane->strips[at - 1].most < strip.most)
        at--;
    if (at == g->strips_max)
        return WEIR_OK;
    lane->strip_count += lane->strip_count < g->strips_max;
    for (unsigned i = lane->strip_count - 1; i > at; i--)
        lane->strips[i] = lane->strips[i - 1];
    lane->strips[at] = strip;
    return WEIR_OK;
}

static void place_lanes(struct weir_gantt *g)
{
    const struct weir_happening *h = g->happening;
    double names = 0;
    for (size_t i = 0; i < h->count; i++) {
        struct weir_gantt_lane *lane = &g->lanes[h->executions[i].op];
        unsigned rows = h->executions[i].row < ROWS_MAX ? h->executions[i].row + 1 : ROWS_MAX;
        lane->rows = rows > lane->rows ? rows : lane->rows;
        lane->crowded |= h->executions[i].row >= ROWS_MAX;
    }
    g->top = g->bottom = TOP;
    for (uint32_t i = 0; i < g->lane_count; i++) {
        struct weir_gantt_lane *lane = &g->lanes[g->order[i]];
        unsigned columns = weir_label_columns(weir_gantt_name(g, g->order[i]));
        double width = (g->small ? 6.2 : 7.2) * (columns < NAME_COLUMNS ? columns : NAME_COLUMNS);
        names = width > names ? width : names;
        lane->rows = lane->rows ? lane->rows : 1;
        lane->top = g->bottom;
        lane->bars = lane->top + 4;
        lane->height = 4 + (g->bar + 2) * lane->rows + (lane->strip_count ? (g->strip + 1) * lane->strip_count + 2 : 2);
        g->bottom += lane->height;
    }
    g->x.from = WEIR_GANTT_MARGIN + names + 14;
    g->x.to = WEIR_GANTT_WIDTH - WEIR_GANTT_MARGIN - 10;
}

enum weir_status weir_gantt_lay_out(struct weir_gantt *g)
{
    const struct weir_pipeline *pipeline = g->happening->pipeline;
    g->lanes = weir_array_zeroed(weir_pipeline_operator_count(pipeline), sizeof *g->lanes);
    if (!g->lanes)
        return weir_fail_memory(g->error);
    enum weir_status status = choose_lanes(g);
    g->small = g->lane_count > MANY;
    g->strips_max = g->small ? 2 : WEIR_GANTT_STRIPS;
    g->bar = g->small ? 14 : 18;
    g->strip = g->small ? 4 : 6;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline) && !status; i++)
        status = add_strip(g, i);
    if (!status)
        place_lanes(g);
    return status;
}

double weir_gantt_row(const struct weir_gantt *g, const struct weir_gantt_lane *lane, uint32_t row)
{
    return lane->bars + (g->bar + 2) * (row < ROWS_MAX ? row : ROWS_MAX - 1);
}

/* ---- bars ---- */

/* Executions that lie in one bar: one, or several that cannot be told apart. */
struct run {
    const struct weir_execution *first, *last;
    size_t count;
    double from, to;
};

static bool is_solid(const struct weir_execution *e)
{
    return e->worst || e->late || e->gpu || e->after;
}

/* Overlaps with too many others to have a row of its own. */
static bool is_crowded(const struct weir_gantt *g, const struct weir_execution *e)
{
    return g->lanes[e->op].crowded && e->row + 1 >= ROWS_MAX && !is_solid(e);
}

static struct run run_of(const struct weir_gantt *g, const struct weir_execution *e)
{
    return (struct run){e, e, 1, weir_gantt_place(g, e->start), weir_gantt_place(g, e->finish)};
}

static bool joins(const struct weir_gantt *g, const struct run *run, const struct run *next)
{
    bool near = next->from - run->to < 1;
    if (is_crowded(g, run->first))
        return near && is_crowded(g, next->first);
    return near && run->first->row == next->first->row && next->to - next->from < NARROW &&
           (run->count > 1 || run->to - run->from < NARROW);
}

static void put_number(char text[24], int64_t number)
{
    snprintf(text, 24, "%lld", (long long)number);
}

/* What a bar is, for those who point at it. */
static void put_words(const struct weir_gantt *g, const struct run *run)
{
    const struct weir_execution *e = run->first, *last = run->last;
    char start[WEIR_TIME_TEXT], finish[WEIR_TIME_TEXT], took[WEIR_TIME_TEXT], number[24], until[24];
    const char *name = weir_gantt_name(g, e->op);
    bool open = last->finish == WEIR_NOT_YET;
    weir_gantt_time(g, e->start, start);
    weir_gantt_time(g, open ? g->happening->end : last->finish, finish);
    put_number(number, e->iteration);
    put_number(until, last->iteration);
    weir_svg_put(
        g->out, "<g class=\"wg-run\" data-operator=\"$\" data-iteration=\"$\" data-start=\"$\" data-end=\"$\" data-critical=\"%\">",
        name, number, start, open ? "" : finish, is_solid(e) ? 1U : 0U);
    weir_svg_put(g->out, "<title>$, ", name);
    if (last != e) {
        weir_svg_put(g->out, "% iterations between $ and $: $ to $</title>", (unsigned)run->count, number, until, start,
                     open ? "after the end" : finish);
        return;
    }
    weir_svg_put(g->out, "iteration $: $ to $", number, start, open ? "after the end" : finish);
    if (!open)
        weir_svg_put(g->out, ", takes $", weir_time_format(g->happening->pipeline, e->finish - e->start, took));
    weir_svg_put(g->out, "$$$</title>", e->worst ? ", its worst case" : "", e->late ? ", receives as late as it can" : "",
                 e->gpu ? ", its GPU as long as it can" : "");
}

/* That a bar goes on beyond the picture. */
static void put_cuts(const struct weir_gantt *g, const struct run *run, double y)
{
    const char *look = is_solid(run->first) ? "wg-cut-on" : "wg-cut-in";
    if (run->to - run->from < 36)
        return;
    if (run->first->start < g->happening->begin)
        weir_svg_put(g->out, "<path class=\"wg-cut $\" d=\"M@ @l-4 4l4 4\"/>", look, run->from + 7, y - 4);
    if (run->last->finish == WEIR_NOT_YET)
        weir_svg_put(g->out, "<path class=\"wg-cut $\" d=\"M@ @l4 4l-4 4\"/>", look, run->to - 7, y - 4);
}

/* What of a bar is work on a GPU, or the wait for it: a stripe along its upper edge. */
static void put_launch(const struct weir_gantt *g, const struct run *run, double y)
{
    const struct weir_execution *e = run->first;
    if (e->launched >= e->landed)
        return;
    double from = weir_gantt_place(g, e->launched), to = weir_gantt_place(g, e->landed);
    if (to - from > 0.5)
        weir_svg_put(g->out, "<rect class=\"wg-launch\" x=\"@\" y=\"@\" width=\"@\" height=\"4\"/>", from, y, to - from);
}

static void put_label(const struct weir_gantt *g, const struct run *run, const char *look, const char *text)
{
    double width = run->to - run->from, y = weir_gantt_row(g, &g->lanes[run->first->op], run->first->row);
    if (width > (g->small ? 6.2 : 7.4) * (double)strlen(text) + 5)
        weir_svg_put(g->out, "<text class=\"wp-text $$\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>", look,
                     g->small ? " wg-small" : "", run->from + width / 2, y + g->bar / 2 + (g->small ? 3.2 : 3.8), text);
}

static void put_run(const struct weir_gantt *g, const struct run *run)
{
    const struct weir_execution *e = run->first;
    double width = run->to - run->from, y = weir_gantt_row(g, &g->lanes[e->op], e->row);
    char text[48];
    put_words(g, run);
    if (run->count > 1) {
        weir_svg_put(g->out, "<rect class=\"wg-many\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>", run->from, y,
                     width > 1 ? width : 1.0, g->bar);
        snprintf(text, sizeof text, "%zu iterations", run->count);
        put_label(g, run, "wg-on", text);
    } else {
        weir_svg_put(g->out, "<rect class=\"wp% $\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"2\"/>",
                     (unsigned)(e->iteration % WEIR_PLOT_LOOKS), is_solid(e) ? "wg-solid" : "wg-pale", run->from, y,
                     width > 1 ? width : 1.0, g->bar);
        put_launch(g, run, y);
        put_cuts(g, run, y + g->bar / 2);
        put_number(text, e->iteration);
        put_label(g, run, is_solid(e) ? "wg-on" : "wg-in", text);
    }
    fputs("</g>\n", g->out);
}

/* The bars of one operator; `crowded` ones below the others, and before those that stand out against them. */
static void put_runs(const struct weir_gantt *g, uint32_t op, bool crowded)
{
    const struct weir_happening *h = g->happening;
    struct run run = {0};
    for (size_t i = h->first[op]; i < h->first[op + 1]; i++) {
        const struct weir_execution *e = &h->executions[i];
        bool begins_at_the_end = e->start == h->end && e->finish == WEIR_NOT_YET && h->begin < h->end;
        if (is_crowded(g, e) != crowded || begins_at_the_end)
            continue;
        struct run next = run_of(g, e);
        if (run.count && joins(g, &run, &next)) {
            run.last = e;
            run.count++;
            run.to = next.to > run.to ? next.to : run.to;
            continue;
        }
        if (run.count)
            put_run(g, &run);
        run = next;
    }
    if (run.count)
        put_run(g, &run);
}

/* ---- queues ---- */

/* How full a queue is: an area whose height is the share of its places, or of the most it held where it has no bound. */
static enum weir_status put_strip(const struct weir_gantt *g, const struct weir_gantt_strip *strip, double y)
{
    const struct weir_happening *h = g->happening;
    struct weir_queue_spec q = weir_pipeline_queue(h->pipeline, (struct weir_queue){strip->queue});
    struct weir_level *levels;
    size_t count;
    enum weir_status status = weir_happening_levels(h, (struct weir_queue){strip->queue}, &levels, &count, g->error);
    if (status)
        return status;
    bool bounded = q.capacity != WEIR_UNBOUNDED && !q.nonblocking;
    double all = bounded ? (double)q.capacity : strip->most ? (double)strip->most : 1.0, bottom = y + g->strip, share = 0;
    char most[24], room[24];
    put_number(most, strip->most);
    put_number(room, (int64_t)q.capacity);
    weir_svg_put(g->out, "<g class=\"wg-level\"><title>queue from $ to $: at most $ $$ at once</title>",
                 weir_gantt_name(g, q.from.index), weir_gantt_name(g, q.to.index), most, bounded ? "of " : "messages",
                 bounded ? room : "");
    weir_svg_put(g->out, "<rect class=\"wg-room\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>", g->x.from, y, g->x.to - g->x.from,
                 g->strip);
    if (strip->most > 0) {
        double last = g->x.from;
        weir_svg_put(g->out, "<path class=\"wg-queue\" d=\"M@ @", g->x.from, bottom);
        for (size_t i = 0; i < count; i++) {
            double x = weir_gantt_place(g, levels[i].time), now = (double)levels[i].messages / all;
            now = now < 0 ? 0 : now > 1 ? 1 : now;
            if (i > 0 && x - last < 0.4 && now <= share) /* of what cannot be told apart the highest */
                continue;
            last = x;
            share = now;
            weir_svg_put(g->out, "H@V@", x, bottom - share * g->strip);
        }
        weir_svg_put(g->out, "H@V@Z\"/>", weir_gantt_place(g, h->end), bottom);
    }
    fputs("</g>\n", g->out);
    weir_free(levels);
    return WEIR_OK;
}

/* ---- lanes ---- */

static enum weir_status put_lane(const struct weir_gantt *g, uint32_t op)
{
    const struct weir_gantt_lane *lane = &g->lanes[op];
    enum weir_status status = WEIR_OK;
    weir_svg_put(g->out, "<g><title>$</title><text class=\"wp-text$\" x=\"@\" y=\"@\">", weir_gantt_name(g, op),
                 g->small ? " wg-small" : "", WEIR_GANTT_MARGIN + 4, lane->bars + g->bar / 2 + (g->small ? 3.2 : 4));
    weir_label_put(g->out, weir_gantt_name(g, op), NAME_COLUMNS);
    fputs("</text></g>\n", g->out);
    for (unsigned i = 0; i < lane->strip_count && !status; i++)
        status = put_strip(g, &lane->strips[i], lane->bars + (g->bar + 2) * lane->rows + (g->strip + 1) * i);
    if (status)
        return status;
    if (lane->crowded)
        put_runs(g, op, true);
    put_runs(g, op, false);
    return WEIR_OK;
}

enum weir_status weir_gantt_put_lanes(const struct weir_gantt *g)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < g->lane_count && !status; i++)
        status = put_lane(g, g->order[i]);
    return status;
}
