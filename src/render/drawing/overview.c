/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model with too many operators to be drawn one by one. Operators of the critical path are boxes of their own, or, where it is
 * long, some neighbours on it together; all others are in a box beside the stretch of the path at which they are reached: by the
 * longest path from the beginning, counted in operators. Without a critical path there are groups by that length alone. The boxes
 * stand in two rows, the path above; lines between groups that are far from each other are left out unless they are on the path.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sorted.h"
#include "model/pipeline.h"
#include "render/drawing/drawing.h"
#include "render/plot/plot.h"
#include "render/timeline/label.h"

#include <stdlib.h>
#include <string.h>

#define OPERATORS_MAX 150 /* drawn one by one */
#define QUEUES_MAX 800    /* ... with them: the layout of more can take minutes */
#define STRETCHES 12      /* of the critical path */
#define PARTS_MAX (2 * STRETCHES + 2)
#define NAMES_MAX 12
#define BOX 150.0 /* its width */
#define PITCH 200.0
#define ROW 90.0

struct part {
    uint32_t count, slowest;
    bool critical, bottleneck;
    char name[64], times[3 * WEIR_TIME_TEXT];
};

struct overview {
    struct weir_drawing *d;
    const struct weir_pipeline *p;
    uint32_t *level, *part_of; /* by operator */
    uint32_t starts[STRETCHES];
    uint32_t stretches;
    struct part parts[PARTS_MAX]; /* those of the path, then those beside it; some are empty */
    uint32_t queues[PARTS_MAX][PARTS_MAX];
    unsigned char marks[PARTS_MAX][PARTS_MAX];
};

bool weir_overview_wanted(const struct weir_pipeline *pipeline)
{
    return weir_pipeline_operator_count(pipeline) > OPERATORS_MAX || weir_pipeline_queue_count(pipeline) > QUEUES_MAX;
}

/* ---- groups ---- */

/* The most operators on a path that leads there along queues that are empty at first. */
static bool find_levels(struct overview *v)
{
    uint32_t operators = weir_pipeline_operator_count(v->p), queues = weir_pipeline_queue_count(v->p), count = 0;
    uint32_t *waits = weir_array_zeroed(operators, sizeof *waits), *ready = weir_array(operators, sizeof *ready);
    uint32_t *heads = weir_array(operators, sizeof *heads), *next = weir_array(queues, sizeof *next);
    bool room = waits && ready && heads && next;
    for (uint32_t i = 0; room && i < operators; i++)
        heads[i] = UINT32_MAX;
    for (uint32_t i = 0; room && i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(v->p, (struct weir_queue){i});
        next[i] = heads[q.from.index];
        heads[q.from.index] = i;
        waits[q.to.index] += q.initial == 0;
    }
    for (uint32_t i = 0; room && i < operators; i++)
        if (!waits[i])
            ready[count++] = i;
    for (uint32_t k = 0; room && k < count; k++)
        for (uint32_t i = heads[ready[k]]; i != UINT32_MAX; i = next[i]) {
            struct weir_queue_spec q = weir_pipeline_queue(v->p, (struct weir_queue){i});
            uint32_t level = v->level[ready[k]] + 1;
            v->level[q.to.index] = level > v->level[q.to.index] && q.initial == 0 ? level : v->level[q.to.index];
            if (q.initial == 0 && --waits[q.to.index] == 0)
                ready[count++] = q.to.index;
        }
    weir_free(waits);
    weir_free(ready);
    weir_free(heads);
    weir_free(next);
    return room;
}

/* Stretches of the path begin at levels that share its operators evenly; without a path, those of all operators. */
static bool find_stretches(struct overview *v)
{
    uint32_t operators = weir_pipeline_operator_count(v->p), count = 0;
    uint32_t *levels = weir_array(operators, sizeof *levels);
    if (!levels)
        return false;
    for (uint32_t i = 0; i < operators; i++)
        if (v->d->boxes[i].critical)
            levels[count++] = v->level[i];
    if (!count)
        for (; count < operators; count++)
            levels[count] = v->level[count];
    qsort(levels, count, sizeof *levels, weir_ascending_u32);
    for (uint32_t i = 0; i < STRETCHES; i++) {
        uint32_t level = levels[(uint64_t)i * count / STRETCHES];
        if (!v->stretches || level > v->starts[v->stretches - 1])
            v->starts[v->stretches++] = level;
    }
    weir_free(levels);
    return true;
}

static void join(struct overview *v)
{
    for (uint32_t i = 0; i < weir_pipeline_operator_count(v->p); i++) {
        const struct weir_drawn_box *box = &v->d->boxes[i];
        uint32_t stretch = 0;
        while (stretch + 1 < v->stretches && v->starts[stretch + 1] <= v->level[i])
            stretch++;
        uint32_t index = box->critical ? stretch : STRETCHES + (v->level[i] < v->starts[0] ? STRETCHES : stretch);
        struct part *part = &v->parts[index];
        int64_t worst = weir_pipeline_operator(v->p, (struct weir_operator){i}).worst;
        if (!part->count++ || worst > weir_pipeline_operator(v->p, (struct weir_operator){part->slowest}).worst)
            part->slowest = i;
        part->critical |= box->critical;
        part->bottleneck |= box->bottleneck;
        v->part_of[i] = index;
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(v->p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(v->p, (struct weir_queue){i});
        uint32_t from = v->part_of[q.from.index], to = v->part_of[q.to.index];
        v->queues[from][to]++;
        v->marks[from][to] |= v->d->marks[i];
    }
}

/* "4.25 ms" of "3 to 4.25 ms" */
static const char *last_word(const char *times)
{
    const char *to = strstr(times, " to ");
    return to ? to + 4 : times;
}

static void describe_part(const struct overview *v, struct part *part)
{
    bool kernels = weir_pipeline_platform(v->p) == WEIR_PLATFORM_GPU;
    struct weir_operator_spec o = weir_pipeline_operator(v->p, (struct weir_operator){part->slowest});
    char times[2 * WEIR_TIME_TEXT + 16];
    weir_drawing_times(v->d, &o, times, sizeof times);
    if (part->count == 1)
        snprintf(part->name, sizeof part->name, "%.60s", o.name);
    else
        snprintf(part->name, sizeof part->name, "%s%u %s", part->critical ? "" : "+", part->count,
                 part->critical ? "on the path"
                 : kernels      ? "kernels"
                                : "operators");
    snprintf(part->times, sizeof part->times, part->count == 1 ? "%s" : "up to %s", part->count == 1 ? times : last_word(times));
}

/* ---- drawing ---- */

static void put_names(const struct overview *v, uint32_t index)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(v->p) && told < NAMES_MAX; i++)
        if (v->part_of[i] == index)
            weir_svg_put(v->d->out, told++ ? ", $" : "$", weir_pipeline_operator(v->p, (struct weir_operator){i}).name);
    if (v->parts[index].count > told)
        weir_svg_put(v->d->out, " and % more", v->parts[index].count - told);
}

static void put_part(const struct overview *v, uint32_t index, const struct weir_layout_node *n)
{
    const struct part *part = &v->parts[index];
    FILE *out = v->d->out;
    double x = n->x + WEIR_DRAWING_MARGIN - n->width / 2, y = n->y + v->d->top - n->height / 2, middle = n->x + WEIR_DRAWING_MARGIN;
    if (part->count == 1)
        weir_svg_put(out, "<g class=\"wd-operator\" data-operator=\"%\"><title>", part->slowest);
    else
        fputs("<g class=\"wd-group\"><title>", out);
    put_names(v, index);
    if (part->count > 1)
        weir_svg_put(out, "; the slowest: $", weir_pipeline_operator(v->p, (struct weir_operator){part->slowest}).name);
    weir_svg_put(out, "$$</title>", part->critical ? ", on the critical path" : "", part->bottleneck ? ", bottleneck" : "");
    if (part->count > 1) /* a pile of boxes */
        weir_svg_put(out, "<rect class=\"wd-pile\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"6\"/>", x + 4, y + 4, n->width,
                     n->height);
    weir_svg_put(out, "<rect class=\"wd-box$\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"6\"/>",
                 part->critical ? " wd-critical" : "", x, y, n->width, n->height);
    if (part->bottleneck)
        weir_svg_put(out, "<rect class=\"wd-frame\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"9\"/>", x - 4, y - 4,
                     n->width + 8, n->height + 8);
    weir_svg_put(out, "<text class=\"wd-text wd-name\" text-anchor=\"middle\" x=\"@\" y=\"@\">", middle, y + 18);
    weir_label_put(out, part->name, 19);
    weir_svg_put(out, "</text><text class=\"wd-text wd-times\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text></g>\n", middle,
                 y + 35, part->times);
}

static void put_line(const struct overview *v, const struct weir_layout_edge *e, const uint32_t *ends, bool path)
{
    uint32_t from = ends[0], to = ends[1], count = v->queues[from][to];
    unsigned mark = v->marks[from][to];
    if (e->point_count < 4 || (mark != 0) != path)
        return;
    weir_svg_put(v->d->out, "<g><title>% $ from $ to $$</title><path class=\"wd-line$$\" d=\"", count,
                 count == 1 ? "queue" : "queues", v->parts[from].name, v->parts[to].name, mark ? ", on the critical path" : "",
                 mark ? " wd-way" : " wd-thin", mark == WEIR_DRAWN_ROOM ? " wd-room" : "");
    weir_drawing_curve(v->d, e);
    fputs("\"/>", v->d->out);
    weir_drawing_arrow(v->d, e, mark != 0);
    fputs("</g>\n", v->d->out);
}

static void describe(struct overview *v)
{
    struct weir_drawing *d = v->d;
    bool witness = d->bound && d->bound->witness;
    snprintf(d->words[d->word_count++], WEIR_DRAWING_TEXT, "%u %s and %u %s: %s.", weir_pipeline_operator_count(v->p),
             weir_pipeline_platform(v->p) == WEIR_PLATFORM_GPU ? "kernels" : "operators", weir_pipeline_queue_count(v->p),
             weir_pipeline_platform(v->p) == WEIR_PLATFORM_GPU ? "dependencies" : "queues",
             witness ? "those off the critical path are together, beside where they are reached"
                     : "those that are reached after equally many are together");
    if (witness)
        snprintf(d->words[d->word_count++], WEIR_DRAWING_TEXT, "Thick and blue: the critical path.%s",
                 d->answer->bottleneck_count ? " Double frame: with the bottleneck." : "");
}

static uint32_t column_of(const struct overview *v, uint32_t part)
{
    bool before = v->parts[2 * STRETCHES].count > 0;
    return part == 2 * STRETCHES ? 0 : part % STRETCHES + before;
}

static bool is_drawn(const struct overview *v, uint32_t from, uint32_t to)
{
    uint32_t a = column_of(v, from), b = column_of(v, to);
    return from != to && v->queues[from][to] && (v->marks[from][to] || a == b || a + 1 == b || b + 1 == a);
}

/* From side to side in a row, over the boxes where others lie between; from edge to edge between the rows. */
static void bend(const uint32_t ends[2], const struct weir_layout_node *a, const struct weir_layout_node *b,
                 struct weir_layout_point curve[4])
{
    double right = b->x > a->x ? 1 : -1, tip = 9, span = b->x > a->x ? b->x - a->x : a->x - b->x;
    bool near = span < 1.5 * PITCH, level = a->y == b->y;
    if (level && near && b->x > a->x) {
        double x0 = a->x + a->width / 2, x1 = b->x - b->width / 2 - tip;
        memcpy(curve, (struct weir_layout_point[]){{x0, a->y}, {(x0 + x1) / 2, a->y}, {(x0 + x1) / 2, b->y}, {x1, b->y}},
               4 * sizeof *curve);
    } else if (level) {
        bool above = ends[0] < STRETCHES;
        double edge = above ? -1 : 1, y = a->y + edge * a->height / 2, y1 = b->y + edge * (b->height / 2 + tip),
               lift = edge * (24 + span / 12);
        memcpy(curve,
               (struct weir_layout_point[]){{a->x, y}, {a->x + right * 30, y + lift}, {b->x - right * 30, y1 + lift}, {b->x, y1}},
               4 * sizeof *curve);
    } else {
        double down = b->y > a->y ? 1 : -1, shift = down * 14, y0 = a->y + down * a->height / 2,
               y1 = b->y - down * (b->height / 2 + tip);
        memcpy(curve,
               (struct weir_layout_point[]){
                   {a->x + shift, y0}, {a->x + shift, (y0 + y1) / 2}, {b->x + shift, (y0 + y1) / 2}, {b->x + shift, y1}},
               4 * sizeof *curve);
    }
}

static enum weir_status lay_out(struct overview *v, uint32_t nodes[PARTS_MAX], uint32_t (*ends)[2])
{
    struct weir_layout *layout = &v->d->layout;
    uint32_t place[PARTS_MAX], columns = 0;
    bool path = false, above = false; /* lines above it */
    for (uint32_t i = 0; i < STRETCHES; i++) {
        path |= v->parts[i].count > 0;
        for (uint32_t k = 0; k < STRETCHES; k++)
            above |= k != i + 1 && is_drawn(v, i, k);
    }
    double top = above ? 2 * ROW : ROW / 2;
    for (uint32_t i = 0; i < PARTS_MAX; i++) {
        if (!v->parts[i].count)
            continue;
        describe_part(v, &v->parts[i]);
        uint32_t column = column_of(v, i);
        columns = column + 1 > columns ? column + 1 : columns;
        place[i] = (uint32_t)layout->node_count;
        nodes[layout->node_count] = i;
        layout->nodes[layout->node_count++] = (struct weir_layout_node){
            .width = BOX, .height = 44, .x = BOX / 2 + PITCH * column, .y = path ? top + (i < STRETCHES ? 0 : ROW + 20) : ROW};
    }
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        for (uint32_t k = 0; k < PARTS_MAX; k++)
            if (is_drawn(v, i, k)) {
                ends[layout->edge_count][0] = i;
                ends[layout->edge_count][1] = k;
                layout->edges[layout->edge_count++] = (struct weir_layout_edge){.from = place[i], .to = place[k], .point_count = 4};
            }
    layout->points = weir_array(4 * layout->edge_count + 1, sizeof *layout->points);
    if (!layout->points)
        return weir_fail_memory(v->d->error);
    for (size_t i = 0; i < layout->edge_count; i++) {
        struct weir_layout_edge *e = &layout->edges[i];
        e->first_point = 4 * i;
        bend(ends[i], &layout->nodes[e->from], &layout->nodes[e->to], &layout->points[e->first_point]);
    }
    layout->width = PITCH * (columns - 1) + BOX + 8;
    layout->height = (path ? top + ROW + 20 : ROW) + ROW / 2;
    return WEIR_OK;
}

enum weir_status weir_overview_draw(struct weir_drawing *d)
{
    uint32_t operators = weir_pipeline_operator_count(d->pipeline), nodes[PARTS_MAX];
    struct overview *v = weir_array_zeroed(1, sizeof *v);
    uint32_t(*ends)[2] = weir_array((size_t)PARTS_MAX * PARTS_MAX, sizeof *ends);
    weir_free(d->layout.nodes);
    weir_free(d->layout.edges);
    d->layout.nodes = weir_array_zeroed(PARTS_MAX, sizeof *d->layout.nodes);
    d->layout.edges = weir_array_zeroed((size_t)PARTS_MAX * PARTS_MAX, sizeof *d->layout.edges);
    enum weir_status status = v && ends && d->layout.nodes && d->layout.edges ? WEIR_OK : WEIR_MEMORY;
    if (!status) {
        v->d = d;
        v->p = d->pipeline;
        v->level = weir_array_zeroed(operators, sizeof *v->level);
        v->part_of = weir_array_zeroed(operators, sizeof *v->part_of);
        status = v->level && v->part_of && find_levels(v) && find_stretches(v) ? WEIR_OK : WEIR_MEMORY;
    }
    if (status) {
        weir_fail_memory(d->error);
    } else {
        join(v);
        status = lay_out(v, nodes, ends);
    }
    if (!status) {
        describe(v);
        weir_drawing_begin(d);
        for (int path = 0; path < 2; path++)
            for (size_t i = 0; i < d->layout.edge_count; i++)
                put_line(v, &d->layout.edges[i], ends[i], path);
        for (size_t i = 0; i < d->layout.node_count; i++)
            put_part(v, nodes[i], &d->layout.nodes[i]);
        fputs("</svg>\n", d->out);
        status = weir_written(d->out, "the drawing", d->error);
    }
    weir_free(v ? v->level : NULL);
    weir_free(v ? v->part_of : NULL);
    weir_free(v);
    weir_free(ends);
    return status;
}
