/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution intervals on shared processors: sources, processors and latencies are groups, operators are lanes. Every lane counts
 * from the nominal arrival of its own input; the phases between task graphs are not known, and not shown. Below the interval of an
 * operator stands what can come before its last execution ends in its longest busy period: the executions of others, one after the
 * other, and its own earlier ones. That may be more than fits behind its latest enabling: the processor can have been busy before.
 */
#include "answer/timeline/timeline.h"
#include "base/number.h"
#include "model/pipeline.h"

#define RULERS_MAX 40   /* latencies shown */
#define ARRIVALS_MAX 64 /* ... of a source */
#define DELAYS_MAX 24   /* others that delay an operator; the rest is shown as one */

struct builder {
    struct weir_timeline *t;
    const struct weir_priority_analysis *analysis;
    const struct weir_bound *bounds; /* by latency */
    const struct weir_pipeline *pipeline;
    const struct weir_taskset *set;
    uint32_t *lanes;        /* by operator */
    int64_t begin, horizon; /* the earliest moment, and the latest */
};

static const char *amount(const struct builder *b, int64_t ticks, char text[WEIR_AMOUNT_TEXT])
{
    return weir_timeline_amount(b->t, weir_ticks(ticks), true, text);
}

static void add_item(const struct builder *b, enum weir_span_kind kind, unsigned look, int64_t from, int64_t to)
{
    weir_timeline_add_span(b->t, (struct weir_timeline_span){
                                     .kind = kind, .look = look, .iteration = -1, .from = weir_ticks(from), .to = weir_ticks(to)});
}

static const char *name_of(const struct builder *b, struct weir_operator op)
{
    return weir_pipeline_operator(b->pipeline, op).name;
}

/* ---- sources ---- */

static void add_source(const struct builder *b, uint32_t graph)
{
    const struct weir_task_graph *g = &b->set->graphs[graph];
    struct weir_source_spec source = weir_pipeline_source(b->pipeline, g->source);
    char period[WEIR_AMOUNT_TEXT], jitter[WEIR_AMOUNT_TEXT];
    bool several = weir_pipeline_source_count(b->pipeline) > 1;
    const char *name = source.name ? source.name
                       : several   ? weir_timeline_text(b->t, "source of %s", name_of(b, source.op))
                                   : "source";
    amount(b, g->period, period);
    amount(b, g->jitter, jitter);
    weir_timeline_add_lane(
        b->t, (struct weir_timeline_lane){.name = name,
                                          .label = weir_timeline_text(b->t, "%s %s", g->sporadic ? "at least" : "every", period),
                                          .label_at = weir_ticks(b->horizon),
                                          .details = weir_timeline_text(b->t, "%s: an input %s %s, up to %s late", name,
                                                                        g->sporadic ? "at least every" : "every", period,
                                                                        g->jitter ? jitter : "0")});
    if (g->jitter)
        add_item(b, WEIR_SPAN_WINDOW, graph, 0, g->jitter);
    for (int64_t i = 0; i < ARRIVALS_MAX && i <= b->horizon / g->period; i++)
        if (i == 0 || !g->sporadic)
            add_item(b, WEIR_SPAN_ARRIVAL, graph, i * g->period, i * g->period);
}

/* ---- operators ---- */

/* What the executions of one operator take of the processor. */
static int64_t demand_of(const struct builder *b, const struct weir_interference *by)
{
    int64_t all;
    return weir_multiply(by->times, b->set->tasks[by->op.index].worst, &all) ? all : 0;
}

static void add_delay(const struct builder *b, struct weir_timeline_span span, int64_t *end, int64_t length)
{
    span.kind = WEIR_SPAN_DELAY;
    span.row = 1;
    span.iteration = -1;
    span.from = weir_ticks(*end - length);
    span.to = weir_ticks(*end);
    *end -= length;
    if (length > 0)
        weir_timeline_add_span(b->t, span);
}

static void add_rival(const struct builder *b, const struct weir_interference *by, int64_t *end)
{
    const char *name = name_of(b, by->op);
    struct weir_timeline_span span = {.look = b->set->tasks[by->op.index].graph, .by = b->lanes[by->op.index] + 1};
    span.label = by->times == 1 ? name : weir_timeline_text(b->t, "%s %lldx", name, (long long)by->times);
    span.note = by->times == 1 ? "an execution that can come first" : "executions that can come first";
    add_delay(b, span, end, demand_of(b, by));
}

/* It waits for its slot or its turn, whichever operators have those before. */
static bool takes_turns(const struct builder *b, uint32_t index)
{
    uint32_t processor = b->set->tasks[index].processor;
    return processor != WEIR_OWN_PROCESSOR &&
           weir_pipeline_processor(b->pipeline, (struct weir_processor){processor}).sharing > WEIR_NONPREEMPTIVE;
}

static bool is_delayed(const struct builder *b, uint32_t index)
{
    const struct weir_execution_bounds *e = &b->analysis->operators[index];
    return e->interference_count > 0 || e->iterations > 1 ||
           (takes_turns(b, index) && e->window > b->set->tasks[index].worst * e->iterations);
}

/* Towards the past: its own earlier executions, then those of others, as they stand in the lanes. */
static void add_delays(struct builder *b, uint32_t index)
{
    const struct weir_execution_bounds *e = &b->analysis->operators[index];
    const struct weir_task *task = &b->set->tasks[index];
    int64_t end = e->finish_max - task->worst, own = (e->iterations - 1) * task->worst, rest = 0;
    if (own > 0)
        add_delay(b,
                  (struct weir_timeline_span){.look = task->graph,
                                              .label = weir_timeline_text(b->t, "itself %lldx", (long long)e->iterations - 1),
                                              .note = "earlier executions of its own"},
                  &end, own);
    if (takes_turns(b, index)) {
        add_delay(b, (struct weir_timeline_span){.look = task->graph, .label = "others", .note = "waits for its turn"}, &end,
                  e->window - own - task->worst);
    } else {
        for (size_t i = e->interference_count; i-- > 0;)
            if (e->interference_count - i <= DELAYS_MAX)
                add_rival(b, &e->interference[i], &end);
            else
                rest += demand_of(b, &e->interference[i]);
        if (rest > 0)
            add_delay(
                b,
                (struct weir_timeline_span){.look = task->graph,
                                            .label = weir_timeline_text(b->t, "%zu others", e->interference_count - DELAYS_MAX),
                                            .note = "executions that can come first"},
                &end, rest);
    }
    b->begin = end < b->begin ? end : b->begin;
}

/* With the operators that delay it among its facts. */
static void add_window(const struct builder *b, uint32_t index)
{
    const struct weir_execution_bounds *e = &b->analysis->operators[index];
    struct weir_timeline_span span = {.kind = WEIR_SPAN_WINDOW,
                                      .look = b->set->tasks[index].graph,
                                      .iteration = -1,
                                      .from = weir_ticks(e->enable_min),
                                      .to = weir_ticks(e->finish_max)};
    const char *by = NULL;
    for (size_t i = 0; i < e->interference_count && i < DELAYS_MAX; i++)
        by = weir_timeline_text(b->t, "%s%s%s %lldx", by ? by : "", by ? ", " : "", name_of(b, e->interference[i].op),
                                (long long)e->interference[i].times);
    if (by) {
        span.facts = weir_timeline_facts(b->t, &(struct weir_field){"delayed_by", weir_datum_text(by)}, 1);
        span.fact_count = 1;
    }
    weir_timeline_add_span(b->t, span);
}

static void add_operator(void *context, uint32_t index)
{
    struct builder *b = context;
    const struct weir_execution_bounds *e = &b->analysis->operators[index];
    const struct weir_task *task = &b->set->tasks[index];
    int64_t period = b->set->graphs[task->graph].period;
    char low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT], end[WEIR_TIME_TEXT], by[WEIR_AMOUNT_TEXT];
    const char *name = name_of(b, (struct weir_operator){index});
    weir_time_format(b->pipeline, e->enable_min, low);
    weir_time_format(b->pipeline, e->enable_max, high);
    weir_time_format(b->pipeline, e->finish_max, end);
    weir_timeline_add_lane(
        b->t, (struct weir_timeline_lane){.name = name,
                                          .label = weir_timeline_text(b->t, "%s", end),
                                          .label_at = weir_ticks(e->finish_max),
                                          .rows = is_delayed(b, index) ? 2 : 1,
                                          .details = weir_timeline_text(b->t, "%s: enabled from %s to %s, ends by %s", name, low,
                                                                        high, amount(b, e->finish_max, by))});
    add_window(b, index);
    if (task->best > 0)
        add_item(b, WEIR_SPAN_EARLIEST, task->graph, e->enable_min, e->enable_min + task->best);
    add_item(b, WEIR_SPAN_LATEST, task->graph, e->finish_max - task->worst, e->finish_max);
    add_item(b, WEIR_SPAN_ENABLED, task->graph, e->enable_max, e->enable_max);
    if (e->finish_max - e->enable_min > period)
        weir_timeline_add_span(b->t, (struct weir_timeline_span){.kind = WEIR_SPAN_NEXT,
                                                                 .row = is_delayed(b, index), /* the last */
                                                                 .look = task->graph,
                                                                 .iteration = -1,
                                                                 .from = weir_ticks(e->enable_min + period),
                                                                 .to = weir_ticks(e->finish_max + period)});
    if (is_delayed(b, index))
        add_delays(b, index);
}

static enum weir_status add_processors(struct builder *b, struct weir_error *error)
{
    b->lanes = weir_array(b->set->task_count, sizeof *b->lanes);
    bool room = b->lanes && weir_timeline_by_processor(b->t, b->pipeline, b->lanes, add_operator, b);
    weir_free(b->lanes);
    /* Not everything that came before has to be seen. */
    b->t->begin = weir_ticks(b->begin < -b->horizon ? -b->horizon : b->begin);
    return room ? WEIR_OK : weir_fail_memory(error);
}

/* ---- latencies ---- */

static int64_t begin_of(const struct builder *b, const struct weir_priority_latency *latency)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(b->pipeline); i++)
        if (weir_pipeline_source(b->pipeline, i).op.index == latency->chain.from.index)
            return 0;
    return b->analysis->operators[latency->chain.from.index].enable_min;
}

static void add_latency(const struct builder *b, const struct weir_priority_latency *latency, enum weir_deadline_state state)
{
    char text[WEIR_AMOUNT_TEXT];
    const struct weir_chain_spec *chain = &latency->chain;
    int64_t begin = begin_of(b, latency);
    uint32_t graph = b->set->tasks[chain->to.index].graph;
    bool seen = !chain->has_deadline || chain->deadline <= b->horizon - begin; /* a deadline farther away is told */
    const char *worst = weir_timeline_text(b->t, "%s", amount(b, latency->worst, text));
    const char *label = seen ? worst : weir_timeline_text(b->t, "%s of %s", worst, amount(b, chain->deadline, text));
    const char *name = weir_timeline_text(b->t, "%s \342\206\222 %s", name_of(b, chain->from), name_of(b, chain->to));
    weir_timeline_add_lane(
        b->t, (struct weir_timeline_lane){
                  .name = name,
                  .label = label,
                  .label_at = weir_ticks(begin + latency->worst),
                  .details = weir_timeline_text(b->t, "%s: at most %s%s%s", name, worst, chain->has_deadline ? ", deadline " : "",
                                                chain->has_deadline ? amount(b, chain->deadline, text) : "")});
    add_item(b, WEIR_SPAN_LATENCY, graph, begin, begin + latency->worst);
    bool late = latency->worst > chain->deadline;
    if (chain->has_deadline && seen)
        add_item(b, WEIR_SPAN_DEADLINE, state, begin + chain->deadline, begin + (late ? latency->worst : chain->deadline));
}

static void add_latencies(const struct builder *b)
{
    size_t count = b->analysis->latency_count, shown = count < RULERS_MAX ? count : RULERS_MAX;
    const char *note = b->analysis->safe ? NULL : "not safe: legal executions can exceed them";
    if (shown < count)
        note = weir_timeline_text(b->t, "the first %zu of %zu", shown, count);
    if (shown)
        weir_timeline_add_group(b->t, (struct weir_timeline_group){"latencies", note, true});
    for (size_t i = 0; i < shown; i++)
        add_latency(b, &b->analysis->latencies[i], b->bounds[i].state);
}

/* ---- the whole ---- */

/* How far the picture reaches: over all intervals and latencies, and to deadlines that are not much farther. */
static void find_horizon(struct builder *b)
{
    int64_t end = 1;
    for (uint32_t i = 0; i < b->set->task_count; i++)
        end = b->analysis->operators[i].finish_max > end ? b->analysis->operators[i].finish_max : end;
    for (uint32_t i = 0; i < b->set->graph_count; i++)
        end = b->set->graphs[i].jitter > end ? b->set->graphs[i].jitter : end;
    for (size_t i = 0; i < b->analysis->latency_count; i++) {
        const struct weir_priority_latency *latency = &b->analysis->latencies[i];
        int64_t last = begin_of(b, latency) + latency->worst;
        end = last > end ? last : end;
    }
    b->horizon = end;
    for (size_t i = 0; i < b->analysis->latency_count; i++) {
        const struct weir_priority_latency *latency = &b->analysis->latencies[i];
        int64_t limit = begin_of(b, latency) + latency->chain.deadline;
        if (latency->chain.has_deadline && limit > b->horizon && limit <= 2 * end)
            b->horizon = limit;
    }
}

/* Lines at the arrivals, where all task graphs agree on them. */
static void add_arrivals(const struct builder *b)
{
    int64_t period = b->set->graphs[0].period;
    for (uint32_t i = 0; i < b->set->graph_count; i++)
        if (b->set->graphs[i].period != period || b->set->graphs[i].sporadic)
            return;
    for (int64_t i = 0; b->horizon / period <= ARRIVALS_MAX && i <= b->horizon / period; i++)
        weir_timeline_add_marker(b->t, (struct weir_timeline_marker){weir_ticks(i * period), NULL});
}

enum weir_status weir_timeline_of_intervals(const struct weir_priority_analysis *a, const struct weir_bound *bounds,
                                            struct weir_timeline **timeline, struct weir_error *error)
{
    struct builder b = {.analysis = a, .bounds = bounds, .pipeline = a->pipeline, .set = a->pipeline->taskset};
    *timeline = NULL;
    if (a->outcome != WEIR_PRIORITY_CONVERGED)
        return weir_fail(error, WEIR_INVALID, "no bound was found, so there are no execution intervals to draw");
    const char *name = weir_pipeline_name(a->pipeline);
    struct weir_timeline *t = b.t = weir_timeline_new(a->pipeline);
    if (!t)
        return weir_fail_memory(error);
    find_horizon(&b);
    t->end = weir_ticks(b.horizon);
    t->title = name && *name ? weir_timeline_text(t, "%s: execution intervals", name) : "Execution intervals";
    t->summary = t->title;
    t->subtitle = weir_timeline_text(t, "Method %s%s", a->variant ? a->variant : weir_priority_method_name(a->method),
                                     a->safe ? ", safe: no execution is later." : ", not safe: legal executions can exceed it.");
    for (uint32_t i = 0; i < b.set->task_count; i++)
        if (is_delayed(&b, i)) {
            t->subtitle =
                weir_timeline_text(t, "%s Below an interval: which other operators can run first, and for how long.", t->subtitle);
            break;
        }
    t->axis = weir_timeline_text(t, "time after the nominal arrival (%s)", weir_unit_name(t->unit));
    weir_timeline_add_group(t, (struct weir_timeline_group){"sources", "and how late an input can arrive", true});
    for (uint32_t i = 0; i < b.set->graph_count; i++)
        add_source(&b, i);
    enum weir_status status = add_processors(&b, error);
    add_latencies(&b);
    add_arrivals(&b);
    return weir_timeline_end(t, status, timeline, error);
}
