/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators on shared processors, by processor. And a run of them, for where no bound is known: when each operator has its
 * processor, and how inputs and messages pile up in front of it.
 */
#include "answer/timeline/timeline.h"
#include "base/alloc.h"
#include "base/number.h"
#include "model/pipeline.h"

enum { FRAMES = 15, ITERATIONS_MAX = 2000, EXECUTIONS_MAX = 20000 };

/* ---- lanes by processor ---- */

static void add_processor(struct weir_timeline *t, const struct weir_pipeline *p, uint32_t processor)
{
    static const char *const kinds[] = {"fixed priorities, preemptive; the most urgent first",
                                        "fixed priorities, not preemptive; the most urgent first", "TDM", "round robin"};
    struct weir_timeline_group group = {"own processors", "one each", true};
    if (processor != WEIR_OWN_PROCESSOR) {
        struct weir_processor_spec spec = weir_pipeline_processor(p, (struct weir_processor){processor});
        char frame[WEIR_AMOUNT_TEXT];
        group.name = spec.name;
        group.note = spec.sharing == WEIR_TDM
                         ? weir_timeline_text(t, "TDM, a frame of %s", weir_timeline_amount(t, weir_ticks(spec.frame), true, frame))
                         : kinds[spec.sharing];
    }
    weir_timeline_add_group(t, group);
}

bool weir_timeline_by_processor(struct weir_timeline *t, const struct weir_pipeline *p, uint32_t *lanes,
                                void (*add)(void *context, uint32_t op), void *context)
{
    uint32_t count = weir_pipeline_operator_count(p);
    struct weir_priority_rank *ranks = weir_array(count, sizeof *ranks);
    if (!ranks)
        return false;
    weir_priority_ranks(p, ranks);
    for (uint32_t i = 0; i < count; i++)
        lanes[ranks[i].op] = (uint32_t)t->lane_count + i;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || ranks[i].processor != ranks[i - 1].processor)
            add_processor(t, p, ranks[i].processor);
        add(context, ranks[i].op);
    }
    weir_free(ranks);
    return true;
}

/* ---- a run ---- */

struct stretch {
    uint32_t op;
    int64_t iteration, from, to;
};

/* An input arrives, or an execution ends. */
struct event {
    uint32_t op;
    bool arrival;
    int64_t time;
};

struct run {
    struct weir_timeline *t;
    const struct weir_pipeline *pipeline;
    struct stretch *stretches;
    struct event *events;
    size_t stretch_count, stretch_room, event_count, event_room;
    size_t *last;      /* by operator: its last stretch */
    int64_t *finished; /* by operator: executions */
    int64_t end;       /* until then every source goes on */
    bool failed;
};

static void note_stretch(void *context, struct weir_operator op, int64_t iteration, int64_t from, int64_t to)
{
    struct run *run = context;
    void *stretches = run->stretches;
    if (from >= run->end)
        return;
    if (!weir_reserve(&stretches, &run->stretch_room, run->stretch_count + 1, sizeof *run->stretches)) {
        run->failed = true;
        return;
    }
    run->stretches = stretches;
    run->last[op.index] = run->stretch_count;
    run->stretches[run->stretch_count++] = (struct stretch){op.index, iteration, from, to};
}

static void note_event(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                       int64_t nominal)
{
    struct run *run = context;
    void *events = run->events;
    (void)iteration;
    (void)nominal;
    if (time > run->end || (moment != WEIR_ARRIVAL && moment != WEIR_FINISH))
        return;
    if (!weir_reserve(&events, &run->event_room, run->event_count + 1, sizeof *run->events)) {
        run->failed = true;
        return;
    }
    run->events = events;
    run->finished[op.index] += moment == WEIR_FINISH;
    run->events[run->event_count++] = (struct event){op.index, moment == WEIR_ARRIVAL, time};
}

static void add_lane(void *context, uint32_t op)
{
    struct run *run = context;
    weir_timeline_add_lane(
        run->t, (struct weir_timeline_lane){.name = weir_pipeline_operator(run->pipeline, (struct weir_operator){op}).name});
    for (size_t i = 0; i < run->stretch_count; i++) {
        const struct stretch *s = &run->stretches[i];
        if (s->op == op)
            weir_timeline_add_span(run->t,
                                   (struct weir_timeline_span){.kind = WEIR_SPAN_EXECUTION,
                                                               .look = (uint32_t)(s->iteration & UINT32_MAX),
                                                               .open = i == run->last[op] && s->iteration >= run->finished[op],
                                                               .iteration = s->iteration,
                                                               .from = weir_ticks(s->from),
                                                               .to = weir_ticks(s->to < run->end ? s->to : run->end)});
    }
}

/* How many there are over time: more with what `in` does, fewer where `out` ends an execution. */
static void add_level(const struct run *run, struct weir_timeline_level level, const struct event *in, uint32_t out, int64_t count)
{
    weir_timeline_add_level(run->t, level);
    weir_timeline_add_point(run->t, (struct weir_timeline_point){weir_ticks(0), count});
    for (size_t i = 0; i < run->event_count; i++) {
        const struct event *e = &run->events[i];
        int64_t before = count;
        count += e->op == in->op && e->arrival == in->arrival;
        count -= e->op == out && !e->arrival;
        if (count != before)
            weir_timeline_add_point(run->t, (struct weir_timeline_point){weir_ticks(e->time), count});
    }
}

static void add_levels(const struct run *run, const uint32_t *lanes)
{
    const struct weir_pipeline *p = run->pipeline;
    for (uint32_t i = 0; i < p->source_count; i++) {
        uint32_t op = p->sources[i].op.index;
        const char *name = weir_timeline_text(run->t, "inputs of %s", p->operators[op].name);
        add_level(run, (struct weir_timeline_level){.name = name, .title = name, .lane = lanes[op]}, &(struct event){op, true, 0},
                  op, 0);
    }
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        bool limited = q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
        const char *name = weir_timeline_queue_name(run->t, p, i);
        add_level(run,
                  (struct weir_timeline_level){.name = weir_timeline_text(run->t, "queue %s", name),
                                               .title = name,
                                               .lane = lanes[q->to.index],
                                               .capacity = limited ? (int64_t)q->capacity : 0},
                  &(struct event){q->from.index, false, 0}, q->to.index, q->initial);
    }
}

/* As long as some inputs of the source with that period need, and no longer than all sources go on in so many iterations. */
static int64_t choose_iterations(const struct weir_pipeline *p, int64_t period, int64_t *end)
{
    int64_t shortest = period, most = EXECUTIONS_MAX / (int64_t)p->operator_count;
    for (uint32_t i = 0; i < p->source_count; i++)
        shortest = p->sources[i].period < shortest ? p->sources[i].period : shortest;
    most = most > ITERATIONS_MAX ? ITERATIONS_MAX : most < 2 ? 2 : most;
    weir_wide all = ((weir_wide)FRAMES * period + shortest - 1) / shortest;
    int64_t iterations = all > most ? most : (int64_t)all;
    return weir_multiply(iterations, shortest, end) ? iterations : 0;
}

enum weir_status weir_timeline_run_processors(const struct weir_pipeline *p, int64_t period, struct weir_timeline **timeline,
                                              struct weir_error *error)
{
    struct run run = {.pipeline = p, .t = weir_timeline_new(p)};
    uint32_t *lanes = weir_array(p->operator_count, sizeof *lanes);
    int64_t *phases = weir_array_zeroed(p->source_count, sizeof *phases);
    run.last = weir_array_zeroed(p->operator_count, sizeof *run.last);
    run.finished = weir_array_zeroed(p->operator_count, sizeof *run.finished);
    struct weir_processors_options options = {.iterations = choose_iterations(p, period, &run.end),
                                              .times = WEIR_TIMES_WORST,
                                              .seed = 1,
                                              .phases = phases,
                                              .observe = note_event,
                                              .ran = note_stretch,
                                              .context = &run};
    *timeline = NULL;
    enum weir_status status = run.t && lanes && phases && run.last && run.finished ? WEIR_OK : weir_fail_memory(error);
    for (uint32_t i = 0; !status && i < p->source_count; i++)
        phases[i] = p->sources[i].has_phase ? p->sources[i].phase : 0;
    if (!status && options.iterations < 1)
        status = weir_fail(error, WEIR_OVERFLOW, "a run of some inputs takes longer than any time that can be told");
    if (!status)
        status = weir_processors_simulate(p, &options, error);
    if (!status) {
        run.t->end = weir_ticks(run.end);
        run.failed |= !weir_timeline_by_processor(run.t, p, lanes, add_lane, &run);
        if (!run.failed)
            add_levels(&run, lanes);
        run.t->bar_legend = "a stretch in which it has its processor";
        run.t->axis = weir_timeline_text(run.t, "time in %s", weir_timeline_unit(run.t));
    }
    weir_free(phases);
    weir_free(lanes);
    weir_free(run.last);
    weir_free(run.finished);
    weir_free(run.stretches);
    weir_free(run.events);
    return !run.t ? status : weir_timeline_end(run.t, !status && run.failed ? weir_fail_memory(error) : status, timeline, error);
}
