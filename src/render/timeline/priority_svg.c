/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The execution intervals of an analysis as a timeline: sources, processors and latencies are lanes, operators are rows. Every row
 * counts from the nominal arrival of its own input; the phases between task graphs are not known, and not shown.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"
#include "render/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 4000   /* a picture of more is none */
#define RULERS_MAX 40   /* latencies shown */
#define ARRIVALS_MAX 64 /* ... of a source */
#define DETAILS_TEXT 640

struct drawing {
    const struct weir_priority_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const struct weir_taskset *set;
    double unit;             /* ticks in one unit */
    struct weir_arena arena; /* texts */
    struct weir_timeline_lane *lanes;
    struct weir_timeline_row *rows;
    struct weir_timeline_item *items;
    uint32_t lane_count, row_count;
    size_t item_count;
    int64_t horizon; /* the latest moment */
    bool failed;     /* out of memory */
};

static const char *keep(struct drawing *d, const char *text)
{
    const char *kept = weir_arena_text(&d->arena, text);
    d->failed |= !kept;
    return kept ? kept : "";
}

static const char *amount(const struct drawing *d, int64_t ticks, char text[WEIR_TIME_TEXT + 8])
{
    char number[WEIR_TIME_TEXT];
    enum weir_unit unit = weir_pipeline_unit(d->pipeline);
    bool named = unit != WEIR_UNIT_TICK;
    snprintf(text, WEIR_TIME_TEXT + 8, "%s%s%s", weir_time_format(d->pipeline, ticks, number), named ? " " : "",
             named ? weir_unit_name(unit) : "");
    return text;
}

static void add_item(struct drawing *d, enum weir_timeline_kind kind, unsigned look, int64_t from, int64_t to)
{
    d->items[d->item_count++] = (struct weir_timeline_item){d->row_count, kind, look, (double)from / d->unit, (double)to / d->unit};
}

/* Ends the row whose items have just been added. */
static void add_row(struct drawing *d, const char *name, const char *label, const char *details, int64_t label_at)
{
    d->rows[d->row_count++] =
        (struct weir_timeline_row){keep(d, name), label ? keep(d, label) : NULL, keep(d, details), (double)label_at / d->unit};
    d->lanes[d->lane_count].row_count++;
}

static void end_lane(struct drawing *d, const char *name, const char *note)
{
    if (!d->lanes[d->lane_count].row_count)
        return;
    d->lanes[d->lane_count].name = keep(d, name);
    d->lanes[d->lane_count].note = note ? keep(d, note) : NULL;
    d->lane_count++;
}

static const char *name_of(const struct drawing *d, struct weir_operator op)
{
    return weir_pipeline_operator(d->pipeline, op).name;
}

/* ---- sources ---- */

static void add_source(struct drawing *d, uint32_t graph)
{
    const struct weir_task_graph *g = &d->set->graphs[graph];
    struct weir_source_spec source = weir_pipeline_source(d->pipeline, g->source);
    char period[WEIR_TIME_TEXT + 8], jitter[WEIR_TIME_TEXT + 8], label[160], details[DETAILS_TEXT];
    const char *name = source.name ? source.name : "source";
    amount(d, g->period, period);
    amount(d, g->jitter, jitter);
    if (g->jitter)
        add_item(d, WEIR_TIMELINE_SPAN, graph, 0, g->jitter);
    for (int64_t i = 0; i < ARRIVALS_MAX && i <= d->horizon / g->period; i++)
        if (i == 0 || !g->sporadic)
            add_item(d, WEIR_TIMELINE_ARROW, graph, i * g->period, 0);
    snprintf(label, sizeof label, "%s %s", g->sporadic ? "at least" : "every", period);
    snprintf(details, sizeof details, "%.100s: an input %s %s, up to %s late", name, g->sporadic ? "at least every" : "every",
             period, g->jitter ? jitter : "0");
    add_row(d, name, label, details, d->horizon);
}

/* ---- operators ---- */

static void add_operator(struct drawing *d, uint32_t index)
{
    const struct weir_execution_bounds *b = &d->analysis->operators[index];
    const struct weir_task *task = &d->set->tasks[index];
    int64_t period = d->set->graphs[task->graph].period;
    char low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT], end[WEIR_TIME_TEXT + 8], details[DETAILS_TEXT];
    const char *name = name_of(d, (struct weir_operator){index});
    weir_time_format(d->pipeline, b->enable_min, low);
    weir_time_format(d->pipeline, b->enable_max, high);
    amount(d, b->finish_max, end);
    add_item(d, WEIR_TIMELINE_SPAN, task->graph, b->enable_min, b->finish_max);
    if (task->best > 0)
        add_item(d, WEIR_TIMELINE_OUTLINE, task->graph, b->enable_min, b->enable_min + task->best);
    add_item(d, WEIR_TIMELINE_BLOCK, task->graph, b->finish_max - task->worst, b->finish_max);
    add_item(d, WEIR_TIMELINE_TICK, task->graph, b->enable_max, 0);
    if (b->finish_max - b->enable_min > period)
        add_item(d, WEIR_TIMELINE_GHOST, task->graph, b->enable_min + period, b->finish_max + period);
    snprintf(details, sizeof details, "%.200s: enabled from %s to %s, ends by %s", name, low, high, end);
    weir_time_format(d->pipeline, b->finish_max, end);
    add_row(d, name, end, details, b->finish_max);
}

struct place {
    uint32_t processor, index;
    int64_t urgency; /* the smaller the more urgent */
};

static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->processor != b->processor)
        return a->processor < b->processor ? -1 : 1;
    if (a->urgency != b->urgency)
        return a->urgency < b->urgency ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void end_processor(struct drawing *d, uint32_t processor)
{
    static const char *const kinds[] = {"fixed priorities, preemptive; the most urgent first",
                                        "fixed priorities, not preemptive; the most urgent first", "TDM", "round robin"};
    if (processor == WEIR_OWN_PROCESSOR) {
        end_lane(d, "own processors", "one each");
        return;
    }
    struct weir_processor_spec spec = weir_pipeline_processor(d->pipeline, (struct weir_processor){processor});
    char note[120], frame[WEIR_TIME_TEXT + 8];
    snprintf(note, sizeof note, "%s%s%s", kinds[spec.sharing], spec.sharing == WEIR_TDM ? ", a frame of " : "",
             spec.sharing == WEIR_TDM ? amount(d, spec.frame, frame) : "");
    end_lane(d, spec.name, note);
}

static enum weir_status add_processors(struct drawing *d, struct weir_error *error)
{
    uint32_t count = d->set->task_count;
    struct place *places = weir_array(count, sizeof *places);
    if (!places)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(d->pipeline, (struct weir_operator){i});
        places[i] = (struct place){spec.mapped ? spec.on.index : WEIR_OWN_PROCESSOR, i, -(int64_t)spec.priority};
    }
    qsort(places, count, sizeof *places, by_place);
    for (uint32_t i = 0; i < count; i++) {
        add_operator(d, places[i].index);
        if (i + 1 == count || places[i + 1].processor != places[i].processor)
            end_processor(d, places[i].processor);
    }
    weir_free(places);
    return WEIR_OK;
}

/* ---- latencies ---- */

static int64_t begin_of(const struct drawing *d, const struct weir_priority_latency *latency)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(d->pipeline); i++)
        if (weir_pipeline_source(d->pipeline, i).op.index == latency->pair.from.index)
            return 0;
    return d->analysis->operators[latency->pair.from.index].enable_min;
}

static void add_latency(struct drawing *d, const struct weir_priority_latency *latency)
{
    char worst[WEIR_TIME_TEXT + 8], deadline[WEIR_TIME_TEXT + 8], name[280], details[DETAILS_TEXT];
    int64_t begin = begin_of(d, latency);
    uint32_t graph = d->set->tasks[latency->pair.to.index].graph;
    amount(d, latency->worst, worst);
    snprintf(name, sizeof name, "%.120s \342\206\222 %.120s", name_of(d, latency->pair.from), name_of(d, latency->pair.to));
    int used = snprintf(details, sizeof details, "%s: at most %s", name, worst);
    add_item(d, WEIR_TIMELINE_RULER, graph, begin, begin + latency->worst);
    if (latency->pair.has_deadline) {
        snprintf(details + used, sizeof details - (size_t)used, ", deadline %s", amount(d, latency->pair.deadline, deadline));
        if (latency->pair.deadline <= d->horizon - begin)
            add_item(d, WEIR_TIMELINE_LIMIT, graph, begin + latency->pair.deadline, 0);
    }
    add_row(d, name, worst, details, begin + latency->worst);
}

static void add_latencies(struct drawing *d)
{
    char note[80];
    size_t count = d->analysis->latency_count, shown = count < RULERS_MAX ? count : RULERS_MAX;
    for (size_t i = 0; i < shown; i++)
        add_latency(d, &d->analysis->latencies[i]);
    snprintf(note, sizeof note, "the first %zu of %zu", shown, count);
    end_lane(d, "latencies", shown < count ? note : d->analysis->safe ? NULL : "not safe: legal executions can exceed them");
}

/* ---- the picture ---- */

/* How far the picture reaches: over all intervals and latencies, and to deadlines that are not much farther. */
static void find_horizon(struct drawing *d)
{
    int64_t end = 1;
    for (uint32_t i = 0; i < d->set->task_count; i++)
        end = d->analysis->operators[i].finish_max > end ? d->analysis->operators[i].finish_max : end;
    for (uint32_t i = 0; i < d->set->graph_count; i++)
        end = d->set->graphs[i].jitter > end ? d->set->graphs[i].jitter : end;
    for (size_t i = 0; i < d->analysis->latency_count; i++) {
        const struct weir_priority_latency *latency = &d->analysis->latencies[i];
        int64_t last = begin_of(d, latency) + latency->worst;
        end = last > end ? last : end;
    }
    d->horizon = end;
    for (size_t i = 0; i < d->analysis->latency_count; i++) {
        const struct weir_priority_latency *latency = &d->analysis->latencies[i];
        int64_t limit = begin_of(d, latency) + latency->pair.deadline;
        if (latency->pair.has_deadline && limit > d->horizon && limit <= end + end / 3)
            d->horizon = limit;
    }
}

static bool allocate(struct drawing *d)
{
    size_t operators = d->set->task_count, graphs = d->set->graph_count;
    size_t rows = operators + graphs + RULERS_MAX, items = 5 * operators + graphs * (ARRIVALS_MAX + 1) + 2 * (size_t)RULERS_MAX;
    d->lanes = weir_array_zeroed(weir_pipeline_processor_count(d->pipeline) + (size_t)3, sizeof *d->lanes);
    d->rows = weir_array_zeroed(rows, sizeof *d->rows);
    d->items = weir_array_zeroed(items, sizeof *d->items);
    return d->lanes && d->rows && d->items;
}

/* Lines at the arrivals, where all task graphs agree on them. */
static double grid_of(const struct drawing *d)
{
    for (uint32_t i = 0; i < d->set->graph_count; i++)
        if (d->set->graphs[i].period != d->set->graphs[0].period || d->set->graphs[i].sporadic)
            return 0;
    return (double)d->set->graphs[0].period / d->unit;
}

static enum weir_status draw(struct drawing *d, FILE *out, struct weir_error *error)
{
    static const struct weir_timeline_legend legend[] = {
        {WEIR_TIMELINE_SPAN, "from the earliest enabling to the latest end"},
        {WEIR_TIMELINE_TICK, "latest enabling"},
        {WEIR_TIMELINE_OUTLINE, "best time, as early as it can be"},
        {WEIR_TIMELINE_BLOCK, "worst time, as late as it can end"},
        {WEIR_TIMELINE_GHOST, "next iteration, where it overlaps"},
        {WEIR_TIMELINE_ARROW, "nominal arrival"},
        {WEIR_TIMELINE_RULER, "latency, at most"},
        {WEIR_TIMELINE_LIMIT, "deadline"},
    };
    const struct weir_priority_analysis *a = d->analysis;
    const char *name = weir_pipeline_name(d->pipeline), *unit = weir_unit_name(weir_pipeline_unit(d->pipeline));
    char title[200], subtitle[200], axis[120];
    find_horizon(d);
    for (uint32_t i = 0; i < d->set->graph_count; i++)
        add_source(d, i);
    end_lane(d, "sources", "and how late an input can arrive");
    enum weir_status status = add_processors(d, error);
    if (status != WEIR_OK)
        return status;
    add_latencies(d);
    if (d->failed)
        return weir_fail_memory(error);
    if (name && *name)
        snprintf(title, sizeof title, "%.120s: execution intervals", name);
    else
        snprintf(title, sizeof title, "Execution intervals");
    snprintf(subtitle, sizeof subtitle, "Method %s%s", a->variant ? a->variant : weir_priority_method_name(a->method),
             a->safe ? ", safe: no execution is later" : ", not safe: legal executions can exceed it");
    snprintf(axis, sizeof axis, "time after the nominal arrival (%s)", unit);
    struct weir_timeline timeline = {.title = title,
                                     .subtitle = subtitle,
                                     .axis = axis,
                                     .end = (double)d->horizon / d->unit,
                                     .grid = grid_of(d),
                                     .lanes = d->lanes,
                                     .lane_count = d->lane_count,
                                     .rows = d->rows,
                                     .row_count = d->row_count,
                                     .items = d->items,
                                     .item_count = d->item_count,
                                     .legend = legend,
                                     .legend_count = sizeof legend / sizeof *legend};
    return weir_timeline_write_svg(&timeline, out, error);
}

enum weir_status weir_priority_write_svg(const struct weir_priority_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct drawing d = {.analysis = analysis, .pipeline = analysis->pipeline, .set = analysis->pipeline->taskset, .unit = 1};
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
        return weir_fail(error, WEIR_INVALID, "no bound was found, so that there are no execution intervals to draw");
    if (d.set->task_count > ROWS_MAX)
        return weir_fail(error, WEIR_INVALID, "a timeline shows at most %d operators", ROWS_MAX);
    for (unsigned i = 0; i < weir_pipeline_digits(analysis->pipeline); i++)
        d.unit *= 10;
    enum weir_status status = allocate(&d) ? draw(&d, out, error) : weir_fail_memory(error);
    weir_free(d.lanes);
    weir_free(d.rows);
    weir_free(d.items);
    weir_arena_free(&d.arena);
    return status;
}
