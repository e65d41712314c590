/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as a drawing: a box for each operator with its times, a line for each queue with its capacity. With an analysis the
 * bottleneck has a double frame, and the critical path of a latency is thick: its lines solid where data is waited for, dashed
 * where room is.
 */
#include "render/drawing/drawing.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/formats.h"
#include "model/pipeline.h"
#include "render/plot/plot.h"
#include "render/timeline/label.h"

#include <string.h>

static struct weir_operator_spec operator_of(const struct weir_drawing *d, uint32_t index)
{
    return weir_pipeline_operator(d->pipeline, (struct weir_operator){index});
}

/* ---- what is written in the boxes ---- */

void weir_drawing_times(const struct weir_drawing *d, const struct weir_operator_spec *o, char *text, size_t size)
{
    char best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    enum weir_unit unit = weir_pipeline_unit(d->pipeline);
    const char *name = unit == WEIR_UNIT_TICK ? "" : weir_unit_name(unit), *gap = *name ? " " : "";
    weir_time_format(d->pipeline, o->best, best);
    weir_time_format(d->pipeline, o->worst, worst);
    if (weir_pipeline_platform(d->pipeline) == WEIR_PLATFORM_GPU)
        snprintf(text, size, o->time_count ? "measured table" : "load %s%s%s", worst, gap, name);
    else if (o->best == o->worst)
        snprintf(text, size, "%s%s%s", worst, gap, name);
    else
        snprintf(text, size, "%s to %s%s%s", best, worst, gap, name);
}

static void describe_launch(const struct weir_drawing *d, const struct weir_launch *l, char *text, size_t size)
{
    char best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    weir_time_format(d->pipeline, l->best, best);
    weir_time_format(d->pipeline, l->worst, worst);
    snprintf(text, size, "GPU: %s%s%s%s", l->best < l->worst ? best : "", l->best < l->worst ? " to " : "", worst,
             l->waits ? ", waits" : "");
}

static void describe_note(const struct weir_drawing *d, const struct weir_operator_spec *o, char *text, size_t size)
{
    text[0] = 0;
    if (o->launch) {
        describe_launch(d, o->launch, text, size);
    } else if (o->mapped) {
        const char *on = weir_pipeline_processor(d->pipeline, o->on).name;
        if (o->has_priority)
            snprintf(text, size, "on %.40s, priority %d", on, (int)o->priority);
        else
            snprintf(text, size, "on %.60s", on);
    } else if (o->splittable) {
        snprintf(text, size, "can be split");
    } else if (o->broadcast) {
        snprintf(text, size, "broadcast");
    } else if (o->reentrant) {
        snprintf(text, size, "reentrant");
    }
}

static void describe_queue(const struct weir_drawing *d, uint32_t index, char text[WEIR_DRAWN_LABEL])
{
    struct weir_queue_spec q = weir_pipeline_queue(d->pipeline, (struct weir_queue){index});
    if (weir_pipeline_platform(d->pipeline) == WEIR_PLATFORM_CORES)
        snprintf(text, WEIR_DRAWN_LABEL, "%u:%u", q.produce ? q.produce : 1, q.consume ? q.consume : 1);
    else if (q.latest)
        snprintf(text, WEIR_DRAWN_LABEL, "latest");
    else if (q.consume > 1 && (q.capacity == WEIR_UNBOUNDED || q.nonblocking))
        snprintf(text, WEIR_DRAWN_LABEL, "by %u", q.consume);
    else if (q.consume > 1)
        snprintf(text, WEIR_DRAWN_LABEL, "%u by %u", q.capacity, q.consume);
    else if (q.full != WEIR_FULL_NEVER)
        snprintf(text, WEIR_DRAWN_LABEL, "%u %.6s", q.capacity, weir_format_full(q.full));
    else if (q.capacity == WEIR_UNBOUNDED || (q.nonblocking && weir_pipeline_platform(d->pipeline) == WEIR_PLATFORM_THREADS))
        snprintf(text, WEIR_DRAWN_LABEL, "inf");
    else if (q.capacity == WEIR_AUTO)
        snprintf(text, WEIR_DRAWN_LABEL, "auto");
    else
        snprintf(text, WEIR_DRAWN_LABEL, "%u", q.capacity);
}

/* The label that most lines have. */
static const char *find_common(const struct weir_drawing *d)
{
    uint32_t queues = weir_pipeline_queue_count(d->pipeline), most = 0;
    const char *common = NULL;
    for (uint32_t i = 0; i < queues; i++) {
        uint32_t same = 0;
        if (common && strcmp(d->labels[i], common) == 0)
            continue;
        for (uint32_t k = i; k < queues; k++)
            same += strcmp(d->labels[i], d->labels[k]) == 0;
        if (same > most) {
            most = same;
            common = d->labels[i];
        }
    }
    return common;
}

/* ---- the critical path ---- */

/* Where a step waits for an earlier one: `later` iterations later, which tells parallel queues apart. */
static void mark_link(struct weir_drawing *d, const struct weir_step *before, const struct weir_step *step, int64_t later)
{
    bool data = step->wait == WEIR_WAIT_DATA;
    if (step->part == WEIR_PART_TRANSFER)
        d->marks[step->queue.index] |= WEIR_DRAWN_DATA;
    if (step->part == WEIR_PART_TRANSFER || before->part == WEIR_PART_TRANSFER)
        return;
    uint32_t from = data ? before->op.index : step->op.index, to = data ? step->op.index : before->op.index;
    if (!data && step->wait != WEIR_WAIT_BACKPRESSURE)
        return;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(d->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(d->pipeline, (struct weir_queue){i});
        /* Where several messages are taken at once, iterations do not tell queues between the same two operators apart. */
        bool several = q.consume > 1 || weir_pipeline_firings(d->pipeline, q.from) > 1;
        if (q.from.index == from && q.to.index == to && !weir_queue_is_cut(&q) &&
            (several || later == (data ? (int64_t)q.initial : (int64_t)q.capacity - q.initial)))
            d->marks[i] |= data ? WEIR_DRAWN_DATA : WEIR_DRAWN_ROOM;
    }
}

static void mark_path(struct weir_drawing *d)
{
    const struct weir_witness *w = d->bound ? d->bound->witness : NULL;
    const struct weir_step *before = NULL;
    int64_t iteration = 0; /* of `before` */
    for (size_t s = 0; w && s < w->segment_count; s++) {
        const struct weir_segment *segment = &w->segments[s];
        for (size_t i = 0; i < segment->step_count; i++) {
            const struct weir_step *step = &segment->steps[i];
            d->boxes[step->op.index].critical |= step->counts;
            if (before)
                mark_link(d, before, step, step->iteration - iteration);
            before = step;
            iteration = step->iteration;
        }
        if (segment->step_count && segment->repeat > 1) {
            mark_link(d, before, &segment->steps[0], segment->steps[0].iteration + segment->iterations - iteration);
            iteration += (segment->repeat - 1) * segment->iterations;
        }
    }
    for (size_t i = 0; d->answer && i < d->answer->bottleneck_count; i++)
        d->boxes[d->answer->bottleneck[i].index].bottleneck = true;
}

/* ---- preparing ---- */

static enum weir_status prepare(struct weir_drawing *d)
{
    uint32_t operators = weir_pipeline_operator_count(d->pipeline), queues = weir_pipeline_queue_count(d->pipeline);
    bool kernels = weir_pipeline_platform(d->pipeline) == WEIR_PLATFORM_GPU;
    d->boxes = weir_array_zeroed(operators, sizeof *d->boxes);
    d->labels = weir_array_zeroed(queues, sizeof *d->labels);
    d->marks = weir_array_zeroed(queues, sizeof *d->marks);
    d->layout.nodes = weir_array_zeroed(operators, sizeof *d->layout.nodes);
    d->layout.edges = weir_array_zeroed(queues, sizeof *d->layout.edges);
    if (!d->boxes || !d->labels || !d->marks || !d->layout.nodes || !d->layout.edges)
        return weir_fail_memory(d->error);
    mark_path(d);
    if (weir_overview_wanted(d->pipeline))
        return WEIR_OK;
    d->layout.node_count = operators;
    d->layout.edge_count = queues;
    for (uint32_t i = 0; i < operators; i++) {
        struct weir_operator_spec o = operator_of(d, i);
        struct weir_drawn_box *box = &d->boxes[i];
        weir_drawing_times(d, &o, box->times, sizeof box->times);
        describe_note(d, &o, box->note, sizeof box->note);
        unsigned columns = weir_label_columns(o.name), times = weir_label_columns(box->times), note = weir_label_columns(box->note);
        columns = columns < WEIR_DRAWING_NAME ? columns : WEIR_DRAWING_NAME;
        columns = times > columns ? times : columns;
        columns = note > columns ? note : columns;
        d->layout.nodes[i].width = 7.4 * columns + 26;
        d->layout.nodes[i].height = *box->note ? 60 : 44;
    }
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(d->pipeline, (struct weir_queue){i});
        describe_queue(d, i, d->labels[i]);
        d->layout.edges[i] =
            (struct weir_layout_edge){.from = q.from.index, .to = q.to.index, .label = kernels ? NULL : d->labels[i]};
    }
    enum weir_status status = weir_layout_find(&d->layout, d->error);
    if (!status && d->layout.crowded && !kernels)
        d->common = find_common(d);
    return status;
}

/* ---- words ---- */

static const char *shown(const char *label)
{
    return strcmp(label, "inf") == 0 ? "\342\210\236" : label;
}

/* What the lines and their numbers mean. */
static void describe_lines(struct weir_drawing *d)
{
    enum weir_platform platform = weir_pipeline_platform(d->pipeline);
    bool initial = false, batches = false;
    char others[WEIR_DRAWN_LABEL + 48] = "";
    for (uint32_t i = 0; i < weir_pipeline_queue_count(d->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(d->pipeline, (struct weir_queue){i});
        initial |= q.initial > 0;
        batches |= q.consume > 1 && platform == WEIR_PLATFORM_THREADS;
        d->cuts |= weir_queue_is_cut(&q);
    }
    if (d->common)
        snprintf(others, sizeof others, "; lines without have %s", shown(d->common));
    if (platform == WEIR_PLATFORM_GPU)
        snprintf(d->words[d->word_count++], WEIR_DRAWING_TEXT, "Kernels and what they wait for.");
    else
        snprintf(d->words[d->word_count++], WEIR_DRAWING_TEXT, "Numbers on the lines: %s%s%s%s.",
                 platform == WEIR_PLATFORM_CORES ? "samples written and read at a time" : "capacities of the queues",
                 batches ? " by how many are taken at once" : "", others, initial ? "; * with messages at the beginning" : "");
    if (d->cuts)
        snprintf(d->words[d->word_count++], WEIR_DRAWING_TEXT, "Dotted: messages are not waited for, or may be lost.");
}

static void describe(struct weir_drawing *d)
{
    if (d->layout.edge_count)
        describe_lines(d);
    if (d->bound && d->bound->witness) {
        bool room = false;
        for (uint32_t i = 0; i < d->layout.edge_count; i++)
            room |= d->marks[i] == WEIR_DRAWN_ROOM;
        snprintf(d->words[d->word_count++], WEIR_DRAWING_TEXT, "Thick and blue: the critical path%s.%s",
                 room ? ", dashed where it waits for room" : "",
                 !d->answer->bottleneck_count ? ""
                 : d->answer->paced           ? " Double frame: its period is the bottleneck."
                                              : " Double frame: the bottleneck.");
    }
}

/* ---- drawing ---- */

static void put_styles(const struct weir_drawing *d)
{
    fputs("<style>\n"
          "  .wd-back{fill:#fff} .wd-text{fill:#1f2328;font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;"
          "font-size:12px}\n"
          "  .wd-title{font-size:16px;font-weight:600} .wd-name{font-weight:600} .wd-faint{fill:#59636e}\n"
          "  .wd-box,.wd-pile{fill:#f6f8fa;stroke:#59636e;stroke-width:1} "
          ".wd-critical{fill:#d6e9f8;stroke:#0072b2;stroke-width:2.6}\n"
          "  .wd-frame{fill:none;stroke:#c2500a;stroke-width:1.6} .wd-tag{fill:#a8430a;font-size:11px}\n"
          "  .wd-line{fill:none;stroke:#59636e;stroke-width:1.2} .wd-way{stroke:#0072b2;stroke-width:3.2} "
          ".wd-room{stroke-dasharray:7 4} .wd-cut{stroke-dasharray:2 4}\n"
          "  .wd-head{fill:#59636e} .wd-head-way{fill:#0072b2} .wd-plate{fill:#fff} .wd-thin{stroke-opacity:.45} "
          ".wd-common{display:none}\n"
          "  @media screen and (prefers-color-scheme:dark){.wd-back,.wd-plate{fill:#14171c} .wd-text{fill:#e6e8eb} "
          ".wd-faint{fill:#a1a9b3} "
          ".wd-box,.wd-pile{fill:#22272e;stroke:#a1a9b3} .wd-critical{fill:#10334d;stroke:#4aa8e8} .wd-frame{stroke:#f58a4b} "
          ".wd-tag{fill:#f58a4b} .wd-line{stroke:#a1a9b3} .wd-way{stroke:#4aa8e8} .wd-head{fill:#a1a9b3} "
          ".wd-head-way{fill:#4aa8e8}}\n"
          "</style>\n",
          d->out);
}

static void put_head(const struct weir_drawing *d, double width, double height)
{
    const char *name = weir_pipeline_name(d->pipeline);
    bool kernels = weir_pipeline_platform(d->pipeline) == WEIR_PLATFORM_GPU;
    weir_svg_put(d->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-drawing\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" "
                 "role=\"img\" aria-label=\"Drawing of $: % $, % $\">\n",
                 width, height, width, height, *name ? name : "the model", weir_pipeline_operator_count(d->pipeline),
                 kernels ? "kernels" : "operators", weir_pipeline_queue_count(d->pipeline), kernels ? "dependencies" : "queues");
    put_styles(d);
    weir_svg_put(d->out, "<rect class=\"wd-back\" width=\"@\" height=\"@\"/>\n", width, height);
    weir_svg_put(d->out, "<text class=\"wd-text wd-title\" x=\"@\" y=\"26\">", WEIR_DRAWING_MARGIN);
    weir_label_put(d->out, *name ? name : kernels ? "Kernels" : "Pipeline", (unsigned)((width - 2 * WEIR_DRAWING_MARGIN) / 10.4));
    fputs("</text>\n", d->out);
    for (unsigned i = 0; i < d->word_count; i++)
        weir_svg_put(d->out, "<text class=\"wd-text wd-faint\" x=\"@\" y=\"@\">$</text>\n", WEIR_DRAWING_MARGIN,
                     28 + WEIR_DRAWING_LINE * (i + 1), d->words[i]);
}

void weir_drawing_begin(struct weir_drawing *d)
{
    d->top = 26 + WEIR_DRAWING_LINE * (d->word_count + 1);
    double width = d->layout.width + 2 * WEIR_DRAWING_MARGIN, height = d->layout.height + d->top + WEIR_DRAWING_MARGIN + 8;
    for (unsigned i = 0; i < d->word_count; i++) {
        double needed = 6.7 * weir_label_columns(d->words[i]) + 2 * WEIR_DRAWING_MARGIN;
        width = needed > width ? needed : width;
    }
    put_head(d, width > 320 ? width : 320, height);
}

/* An arrow head at the end of a curve. */
void weir_drawing_arrow(const struct weir_drawing *d, const struct weir_layout_edge *edge, bool way)
{
    const struct weir_layout_point *end = &d->layout.points[edge->first_point + edge->point_count - 1];
    double dx = end[0].x - end[-1].x, dy = end[0].y - end[-1].y, reach = dx * dx + dy * dy, length = reach > 1 ? reach : 1;
    for (int i = 0; i < 40; i++) /* the root, without a library */
        length = (length + reach / length) / 2;
    length = length > 0.001 ? length : 1;
    double ux = dx / length, uy = dy / length, size = way ? 10 : 8, half = size * 0.42;
    double x = end->x + WEIR_DRAWING_MARGIN + ux * size, y = end->y + d->top + uy * size;
    weir_svg_put(d->out, "<path class=\"$\" d=\"M@ @L@ @L@ @Z\"/>\n", way ? "wd-head-way" : "wd-head", x, y,
                 x - ux * size - uy * half, y - uy * size + ux * half, x - ux * size + uy * half, y - uy * size - ux * half);
}

void weir_drawing_curve(const struct weir_drawing *d, const struct weir_layout_edge *edge)
{
    const struct weir_layout_point *p = &d->layout.points[edge->first_point];
    weir_svg_put(d->out, "M@ @C", p[0].x + WEIR_DRAWING_MARGIN, p[0].y + d->top);
    for (size_t i = 1; i < edge->point_count; i++)
        weir_svg_put(d->out, " @ @", p[i].x + WEIR_DRAWING_MARGIN, p[i].y + d->top);
}

/* For tooltips. */
static void describe_waits(const struct weir_drawing *d, const struct weir_queue_spec *q)
{
    char most[WEIR_TIME_TEXT];
    if (q->optional)
        fputs(", taken if there is one", d->out);
    if (q->transfer_max)
        weir_svg_put(d->out, ", under way for up to $", weir_time_format(d->pipeline, q->transfer_max, most));
}

static void put_queue(const struct weir_drawing *d, uint32_t index)
{
    const struct weir_layout_edge *e = &d->layout.edges[index];
    struct weir_queue_spec q = weir_pipeline_queue(d->pipeline, (struct weir_queue){index});
    const char *label = d->labels[index];
    bool room = d->marks[index] == WEIR_DRAWN_ROOM;
    if (e->point_count < 4)
        return;
    weir_svg_put(d->out, "<g class=\"wd-queue\" data-queue=\"%\"><title>$ to $", index, operator_of(d, e->from).name,
                 operator_of(d, e->to).name);
    if (q.latest)
        fputs(": the latest message", d->out);
    else if (e->label && weir_pipeline_platform(d->pipeline) != WEIR_PLATFORM_CORES)
        weir_svg_put(d->out, ": capacity $", strcmp(label, "inf") == 0 ? "unbounded" : label);
    describe_waits(d, &q);
    if (q.initial)
        weir_svg_put(d->out, ", % at the beginning", q.initial);
    weir_svg_put(d->out, "$</title><path class=\"wd-line$$\" d=\"",
                 room              ? ", waited for room"
                 : d->marks[index] ? ", on the critical path"
                                   : "",
                 d->marks[index]     ? " wd-way"
                 : d->layout.crowded ? " wd-thin"
                                     : "",
                 room                    ? " wd-room"
                 : weir_queue_is_cut(&q) ? " wd-cut"
                                         : "");
    weir_drawing_curve(d, e);
    fputs("\"/>", d->out);
    weir_drawing_arrow(d, e, d->marks[index] != 0);
    if (e->label) {
        double x = e->label_x + WEIR_DRAWING_MARGIN, y = e->label_y + d->top,
               half = 3.8 * (weir_label_columns(shown(label)) + (q.initial > 0)) + 1.5;
        bool hidden = d->common && strcmp(label, d->common) == 0 && !q.initial; /* until a page says another number */
        if (!hidden)
            weir_svg_put(d->out, "<rect class=\"wd-plate\" x=\"@\" y=\"@\" width=\"@\" height=\"14\"/>", x - half, y - 7, 2 * half);
        weir_svg_put(d->out, "<text class=\"wd-text wd-capacity$\" text-anchor=\"middle\" x=\"@\" y=\"@\">$$</text>",
                     hidden ? " wd-common" : "", x, y + 4, shown(label), q.initial ? "*" : "");
    }
    fputs("</g>\n", d->out);
}

static void put_box(const struct weir_drawing *d, uint32_t index)
{
    const struct weir_layout_node *n = &d->layout.nodes[index];
    const struct weir_drawn_box *box = &d->boxes[index];
    double x = n->x + WEIR_DRAWING_MARGIN - n->width / 2, y = n->y + d->top - n->height / 2, middle = n->x + WEIR_DRAWING_MARGIN;
    const char *name = operator_of(d, index).name;
    weir_svg_put(d->out, "<g class=\"wd-operator\" data-operator=\"%\"><title>$: $$$$$</title>", index, name, box->times,
                 *box->note ? ", " : "", box->note, box->critical ? ", on the critical path" : "",
                 !box->bottleneck   ? ""
                 : d->answer->paced ? ", its period is the bottleneck"
                                    : ", bottleneck");
    weir_svg_put(d->out, "<rect class=\"wd-box$\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"6\"/>",
                 box->critical ? " wd-critical" : "", x, y, n->width, n->height);
    if (box->bottleneck)
        weir_svg_put(d->out, "<rect class=\"wd-frame\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"9\"/>", x - 4, y - 4,
                     n->width + 8, n->height + 8);
    weir_svg_put(d->out, "<text class=\"wd-text wd-name\" text-anchor=\"middle\" x=\"@\" y=\"@\">", middle, y + 18);
    weir_label_put(d->out, name, WEIR_DRAWING_NAME);
    weir_svg_put(d->out, "</text><text class=\"wd-text wd-times\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>", middle, y + 35,
                 box->times);
    if (*box->note)
        weir_svg_put(d->out, "<text class=\"wd-text wd-faint wd-note\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>", middle,
                     y + 51, box->note);
    fputs("</g>\n", d->out);
}

static enum weir_status draw(struct weir_drawing *d)
{
    enum weir_status status = prepare(d);
    if (status || weir_overview_wanted(d->pipeline))
        return status ? status : weir_overview_draw(d);
    describe(d);
    weir_drawing_begin(d);
    for (uint32_t i = 0; i < d->layout.edge_count; i++)
        if (!d->marks[i])
            put_queue(d, i);
    for (uint32_t i = 0; i < d->layout.edge_count; i++)
        if (d->marks[i])
            put_queue(d, i);
    for (uint32_t i = 0; i < d->layout.node_count; i++)
        put_box(d, i);
    fputs("</svg>\n", d->out);
    return weir_written(d->out, "the drawing", d->error);
}

bool weir_drawing_available(const char **why)
{
    const char *missing = weir_layout_missing();
    if (why)
        *why = missing;
    return !missing;
}

enum weir_status weir_pipeline_write_drawing(const struct weir_pipeline *pipeline, const struct weir_answer *answer, size_t bound,
                                             FILE *out, struct weir_error *error)
{
    struct weir_drawing d = {.pipeline = pipeline, .answer = answer, .out = out, .error = error};
    if (!pipeline || weir_pipeline_operator_count(pipeline) == 0)
        return weir_fail(error, WEIR_INVALID, "there is nothing to draw: the pipeline has no operators");
    if (answer)
        d.bound = weir_answer_bound(answer, bound);
    enum weir_status status = draw(&d);
    weir_free(d.boxes);
    weir_free(d.labels);
    weir_free(d.marks);
    weir_free(d.layout.nodes);
    weir_free(d.layout.edges);
    weir_layout_free(&d.layout);
    return status;
}
