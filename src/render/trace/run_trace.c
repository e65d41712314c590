/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has recorded, as a trace: a track per operator, an arrow for each message from who sent it to who took it, a counter
 * for each queue. Times are real, from the first start on.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "render/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#define EXECUTIONS_MAX 1000000 /* a larger trace opens nowhere */
#define PICOSECONDS 1000       /* in a nanosecond */

struct tracing {
    const struct weir_run *run;
    const struct weir_pipeline *pipeline;
    struct weir_trace trace;
    int64_t origin; /* the moment that is 0 */
    uint32_t *twins;
    struct weir_error *error;
};

static const char *name_of(const struct tracing *t, struct weir_operator op)
{
    return weir_pipeline_operator(t->pipeline, op).name;
}

static int64_t moment_of(const struct tracing *t, int64_t ns)
{
    return (ns - t->origin) * PICOSECONDS;
}

static struct weir_trace_event event_of(const struct tracing *t, struct weir_operator op, const struct weir_run_record *r,
                                        char name[48])
{
    int64_t worst = weir_run_ns(t->run, weir_pipeline_operator(t->pipeline, op).worst);
    int64_t time = r->cpu >= 0 ? r->cpu : r->finish - r->start;
    snprintf(name, 48, "execution %lld", (long long)r->execution);
    return (struct weir_trace_event){{1, op.index + 1},
                                     name,
                                     time > worst ? "above its worst case" : "execution",
                                     moment_of(t, r->start),
                                     moment_of(t, r->finish)};
}

static void put_time(struct tracing *t, const char *key, int64_t ns)
{
    weir_json_key(&t->trace.json, key);
    weir_json_decimal(&t->trace.json, ns, 3);
}

/* ---- executions ---- */

static bool put_execution(void *context, struct weir_operator op, const struct weir_run_record *r)
{
    struct tracing *t = context;
    char name[48];
    struct weir_trace_event event = event_of(t, op, r, name);
    weir_trace_open(&t->trace, &event);
    weir_json_key(&t->trace.json, "operator");
    weir_json_text(&t->trace.json, name_of(t, op));
    weir_json_key(&t->trace.json, "execution");
    weir_json_integer(&t->trace.json, r->execution);
    if (r->cpu >= 0)
        put_time(t, "cpu_us", r->cpu);
    if (r->ready != INT64_MIN)
        put_time(t, "start_after_ready_us", r->start - r->ready);
    weir_trace_close(&t->trace);
    return true;
}

static bool find_origin(void *context, struct weir_operator op, const struct weir_run_record *r)
{
    (void)op;
    ((struct tracing *)context)->origin = r->start;
    return false;
}

/* ---- queues ---- */

static void put_arrows(struct tracing *t, uint32_t queue, const struct weir_queue_spec *q, const char *name)
{
    char sent[48], taken[48];
    size_t senders = weir_run_record_count(t->run, q->from), count = weir_run_record_count(t->run, q->to);
    int64_t first = senders ? weir_run_record(t->run, q->from, 0).execution : 0;
    for (size_t i = 0; i < count; i++) {
        struct weir_run_record to = weir_run_record(t->run, q->to, i);
        int64_t sender = weir_run_taken(t->run, (struct weir_queue){queue}, to.execution);
        if (sender < first || (uint64_t)(sender - first) >= senders)
            continue;
        struct weir_run_record from = weir_run_record(t->run, q->from, (size_t)(sender - first));
        struct weir_trace_event a = event_of(t, q->from, &from, sent), b = event_of(t, q->to, &to, taken);
        if (a.to <= b.from)
            weir_trace_flow(&t->trace, name, &a, &b);
    }
}

/* Messages are in the queue from the end of who sends them to the receive of who takes them. Of queues that lose none, with all
 * executions from the first on. */
static void put_levels(struct tracing *t, const struct weir_queue_spec *q, const char *name)
{
    size_t sends = weir_run_record_count(t->run, q->from), takes = weir_run_record_count(t->run, q->to), i = 0, k = 0;
    int64_t produce = q->produce ? q->produce : 1, consume = q->consume ? q->consume : 1, level = q->initial;
    if (q->latest || q->optional || (q->nonblocking && q->full != WEIR_FULL_NEVER) || !sends || !takes ||
        weir_run_record(t->run, q->from, 0).execution > 0 || weir_run_record(t->run, q->to, 0).execution > 0)
        return;
    int64_t sent = weir_run_record(t->run, q->from, 0).finish, taken = weir_run_record(t->run, q->to, 0).received;
    while (i < sends || k < takes) {
        bool send = k == takes || (i < sends && sent <= taken);
        int64_t at = send ? sent : taken;
        level += send ? produce : -consume;
        weir_trace_counter(&t->trace, 1, name, moment_of(t, at), level);
        if (send && ++i < sends)
            sent = weir_run_record(t->run, q->from, i).finish;
        else if (!send && ++k < takes)
            taken = weir_run_record(t->run, q->to, k).received;
    }
}

struct ends {
    uint32_t from, to, queue;
};

static int by_ends(const void *a, const void *b)
{
    const struct ends *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->queue > y->queue) - (x->queue < y->queue);
}

/* Counters are told apart by their names alone. */
static enum weir_status find_twins(struct tracing *t)
{
    uint32_t queues = weir_pipeline_queue_count(t->pipeline);
    struct ends *ends = weir_array(queues, sizeof *ends);
    t->twins = weir_array_zeroed(queues, sizeof *t->twins);
    if (!ends || !t->twins) {
        weir_free(ends);
        return weir_fail_memory(t->error);
    }
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        ends[i] = (struct ends){q.from.index, q.to.index, i};
    }
    if (queues)
        qsort(ends, queues, sizeof *ends, by_ends);
    for (uint32_t i = 1; i < queues; i++)
        if (ends[i].from == ends[i - 1].from && ends[i].to == ends[i - 1].to)
            t->twins[ends[i].queue] = t->twins[ends[i - 1].queue] + 1;
    weir_free(ends);
    return WEIR_OK;
}

static enum weir_status put_queue(struct tracing *t, uint32_t queue)
{
    struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){queue});
    const char *from = name_of(t, q.from), *to = name_of(t, q.to);
    size_t bytes = strlen(from) + strlen(to) + 40;
    char *name = weir_array(bytes, 1);
    if (!name)
        return weir_fail_memory(t->error);
    int used = snprintf(name, bytes, "queue %s -> %s", from, to);
    if (t->twins[queue])
        snprintf(name + used, bytes - (size_t)used, " (%u)", t->twins[queue] + 1);
    put_arrows(t, queue, &q, name + strlen("queue "));
    put_levels(t, &q, name);
    weir_free(name);
    return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status put_all(struct tracing *t)
{
    enum weir_status status = find_twins(t);
    if (!status)
        status = weir_run_observe(t->run, find_origin, t, t->error);
    if (status)
        return status;
    weir_json_key(&t->trace.json, "model");
    weir_json_text(&t->trace.json, weir_pipeline_name(t->pipeline));
    weir_json_key(&t->trace.json, "end");
    weir_json_text(&t->trace.json, weir_run_result(t->run).description);
    weir_trace_events(&t->trace);
    weir_trace_process(&t->trace, 1, *weir_pipeline_name(t->pipeline) ? weir_pipeline_name(t->pipeline) : "pipeline");
    for (uint32_t i = 0; i < weir_pipeline_operator_count(t->pipeline); i++)
        weir_trace_thread(&t->trace, (struct weir_track){1, i + 1}, name_of(t, (struct weir_operator){i}));
    status = weir_run_observe(t->run, put_execution, t, t->error);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(t->pipeline) && !status; i++)
        status = put_queue(t, i);
    return status;
}

enum weir_status weir_run_write_trace(const struct weir_run *run, FILE *out, struct weir_error *error)
{
    struct tracing t = {.run = run, .pipeline = weir_run_pipeline(run), .error = error};
    size_t count = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(t.pipeline); i++)
        count += weir_run_record_count(run, (struct weir_operator){i});
    if (count == 0 || count > EXECUTIONS_MAX)
        return weir_fail(error, WEIR_INVALID, "a trace has at most %d executions, and at least one: not %zu", EXECUTIONS_MAX,
                         count);
    weir_trace_begin(&t.trace, out);
    enum weir_status status = put_all(&t), written = status ? status : weir_trace_end(&t.trace, error);
    weir_free(t.twins);
    return status ? status : written;
}
