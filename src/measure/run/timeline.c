/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has recorded, in nanoseconds from the first start on. */
#include "answer/timeline/timeline.h"

struct builder {
    struct weir_timeline *t;
    const struct weir_run *run;
    const struct weir_pipeline *pipeline;
    int64_t origin, end; /* ns of the clock */
};

static struct weir_ratio moment_of(const struct builder *b, int64_t ns)
{
    return weir_ticks(ns - b->origin);
}

/* ---- executions ---- */

/* The records of an operator are in order. */
static size_t find_range(struct builder *b)
{
    size_t all = 0;
    b->origin = INT64_MAX;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(b->pipeline); i++) {
        struct weir_operator op = {i};
        size_t count = weir_run_record_count(b->run, op);
        all += count;
        if (!count)
            continue;
        int64_t start = weir_run_record_at(b->run, op, 0).start, finish = weir_run_record_at(b->run, op, count - 1).finish;
        b->origin = start < b->origin ? start : b->origin;
        b->end = finish > b->end ? finish : b->end;
    }
    return all;
}

/* Why it did not start earlier; NULL: not known, or the run had only begun. */
static const char *cause_of(const struct builder *b, struct weir_operator op, const struct weir_run_record *r)
{
    struct weir_run_cause cause = weir_run_cause_of(b->run, op, r->execution);
    const char *name = cause.execution >= 0 ? weir_pipeline_operator(b->pipeline, cause.op).name : NULL;
    switch (cause.wait) {
    case WEIR_WAIT_DATA:
        return name ? weir_timeline_text(b->t, "data from %s, execution %lld", name, (long long)cause.execution) : NULL;
    case WEIR_WAIT_BACKPRESSURE:
        return name ? weir_timeline_text(b->t, "room, made by %s, execution %lld", name, (long long)cause.execution) : NULL;
    case WEIR_WAIT_BUSY:
        return "its own last execution";
    case WEIR_WAIT_PERIOD:
        return "its period";
    case WEIR_WAIT_ORDER:
        return "its turn";
    case WEIR_WAIT_NONE:
        break;
    }
    return NULL;
}

static void add_execution(const struct builder *b, struct weir_operator op, const struct weir_run_record *r, int64_t worst)
{
    struct weir_field facts[3];
    const char *cause = cause_of(b, op, r);
    size_t count = 0;
    if (r->cpu >= 0)
        facts[count++] = (struct weir_field){"cpu_us", weir_datum_time(r->cpu)};
    if (r->ready != INT64_MIN)
        facts[count++] = (struct weir_field){"start_after_ready_us", weir_datum_time(r->start - r->ready)};
    if (cause)
        facts[count++] = (struct weir_field){"waited_for", weir_datum_text(cause)};
    bool over = (r->cpu >= 0 ? r->cpu : r->finish - r->start) > worst;
    weir_timeline_add_span(b->t, (struct weir_timeline_span){.kind = over ? WEIR_SPAN_EXCESS : WEIR_SPAN_MEASURED,
                                                             .look = (uint32_t)(r->execution & UINT32_MAX),
                                                             .iteration = r->execution,
                                                             .from = moment_of(b, r->start),
                                                             .to = moment_of(b, r->finish),
                                                             .facts = weir_timeline_facts(b->t, facts, count),
                                                             .fact_count = count});
}

static void add_lane(const struct builder *b, struct weir_operator op)
{
    struct weir_operator_spec spec = weir_pipeline_operator(b->pipeline, op);
    int64_t worst = weir_run_ns(b->run, spec.worst);
    weir_timeline_add_lane(b->t, (struct weir_timeline_lane){.name = spec.name});
    for (size_t i = 0; i < weir_run_record_count(b->run, op); i++) {
        struct weir_run_record r = weir_run_record_at(b->run, op, i);
        add_execution(b, op, &r, worst);
    }
}

/* ---- queues ---- */

static void add_arrows(const struct builder *b, uint32_t queue, const struct weir_queue_spec *q, const char *name)
{
    size_t senders = weir_run_record_count(b->run, q->from), count = weir_run_record_count(b->run, q->to);
    int64_t first = senders ? weir_run_record_at(b->run, q->from, 0).execution : 0;
    for (size_t i = 0; i < count; i++) {
        struct weir_run_record to = weir_run_record_at(b->run, q->to, i);
        int64_t sender = weir_run_taken(b->run, (struct weir_queue){queue}, to.execution);
        if (sender < first || (uint64_t)(sender - first) >= senders)
            continue;
        size_t at = (size_t)(sender - first);
        if (weir_run_record_at(b->run, q->from, at).finish <= to.start)
            weir_timeline_add_arrow(b->t, (struct weir_timeline_arrow){name, b->t->lanes[q->from.index].first_span + at,
                                                                       b->t->lanes[q->to.index].first_span + i, WEIR_ARROW_DATA});
    }
}

/* Messages are in the queue from the end of their sender to the receive of their receiver. Of queues that lose none, with all
 * executions from the first on. */
static void add_level(const struct builder *b, const struct weir_queue_spec *q, const char *name)
{
    size_t sends = weir_run_record_count(b->run, q->from), takes = weir_run_record_count(b->run, q->to), i = 0, k = 0;
    int64_t produce = q->produce ? q->produce : 1, consume = q->consume ? q->consume : 1, level = q->initial;
    if (q->latest || q->optional || (q->nonblocking && q->full != WEIR_FULL_NEVER) || !sends || !takes ||
        weir_run_record_at(b->run, q->from, 0).execution > 0 || weir_run_record_at(b->run, q->to, 0).execution > 0)
        return;
    bool bounded = q->capacity != WEIR_UNBOUNDED && !q->nonblocking;
    weir_timeline_add_level(b->t, (struct weir_timeline_level){.name = weir_timeline_text(b->t, "queue %s", name),
                                                               .title = name,
                                                               .lane = q->to.index,
                                                               .capacity = bounded ? (int64_t)q->capacity : 0});
    int64_t sent = weir_run_record_at(b->run, q->from, 0).finish, taken = weir_run_record_at(b->run, q->to, 0).received;
    while (i < sends || k < takes) {
        bool send = k == takes || (i < sends && sent <= taken);
        level += send ? produce : -consume;
        weir_timeline_add_point(b->t, (struct weir_timeline_point){moment_of(b, send ? sent : taken), level});
        if (send && ++i < sends)
            sent = weir_run_record_at(b->run, q->from, i).finish;
        else if (!send && ++k < takes)
            taken = weir_run_record_at(b->run, q->to, k).received;
    }
}

enum weir_status weir_timeline_of_run(const struct weir_run *run, struct weir_timeline **timeline, struct weir_error *error)
{
    struct builder b = {.run = run, .pipeline = weir_run_pipeline(run)};
    const char *name = weir_pipeline_name(b.pipeline);
    size_t count = find_range(&b);
    *timeline = NULL;
    if (count == 0 || count > WEIR_TIMELINE_EXECUTIONS_MAX)
        return weir_fail(error, WEIR_INVALID, "a trace has at most %d executions, and at least one: not %zu",
                         WEIR_TIMELINE_EXECUTIONS_MAX, count);
    struct weir_timeline *t = b.t = weir_timeline_new(b.pipeline);
    if (!t)
        return weir_fail_memory(error);
    t->unit = WEIR_UNIT_US;
    t->digits = 3;
    t->iteration_name = "execution";
    t->end = moment_of(&b, b.end);
    t->title = t->summary = weir_timeline_text(t, "%s: a run", *name ? name : "pipeline");
    t->axis = "time in us, from the first start";
    weir_timeline_add_fact(t, "end", weir_datum_text(weir_run_result(run).description));
    weir_timeline_add_group(t, (struct weir_timeline_group){.name = *name ? name : "pipeline"});
    for (uint32_t i = 0; i < weir_pipeline_operator_count(b.pipeline); i++)
        add_lane(&b, (struct weir_operator){i});
    for (uint32_t i = 0; i < weir_pipeline_queue_count(b.pipeline) && !t->failed; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(b.pipeline, (struct weir_queue){i});
        const char *queue = weir_timeline_queue_name(t, b.pipeline, i);
        add_arrows(&b, i, &q, queue);
        add_level(&b, &q, queue);
    }
    return weir_timeline_end(t, WEIR_OK, timeline, error);
}
