/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of a pipeline as a trace: a track per operator (several where iterations of a reentrant one overlap), an arrow for
 * each message from who sent it to who took it, a counter for each queue. Of the witness of a latency, or of a simulation.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "write/happening.h"
#include "write/trace.h"

#include <stdlib.h>

#define EXECUTIONS_MAX 1000000 /* a larger trace opens nowhere */

struct moments {
    int64_t start, finish;
    uint32_t track; /* from 1 */
    bool shown;     /* it has a finish */
};

struct tracing {
    const struct weir_happening *happening; /* executions and `first`; for a simulation the rest is empty */
    struct weir_trace trace;
    struct moments *moments; /* by execution */
    uint32_t tracks;
    struct weir_error *error;
};

static const char *name_of(const struct tracing *t, uint32_t op)
{
    return weir_pipeline_operator(t->happening->pipeline, (struct weir_operator){op}).name;
}

static enum weir_status moment_of(const struct tracing *t, int64_t time, int64_t *moment)
{
    return weir_trace_moment(t->happening->pipeline, (struct weir_ratio){time, 1}, moment, t->error);
}

/* The first of the operator's tracks that is free when the execution starts; `ends` has room for all of them. */
static uint32_t track_of(int64_t *ends, uint32_t *count, const struct weir_execution *e)
{
    uint32_t track = 0;
    while (track < *count && ends[track] > e->start)
        track++;
    *count += track == *count;
    ends[track] = e->finish;
    return track;
}

static enum weir_status find_moments(struct tracing *t)
{
    const struct weir_happening *h = t->happening;
    int64_t *ends = weir_array(h->count, sizeof *ends);
    enum weir_status status = WEIR_OK;
    t->moments = weir_array_zeroed(h->count, sizeof *t->moments);
    if (!ends || !t->moments)
        status = weir_fail_memory(t->error);
    for (uint32_t op = 0; op < weir_pipeline_operator_count(h->pipeline) && !status; op++) {
        uint32_t used = 0;
        for (size_t i = h->first[op]; i < h->first[op + 1] && !status; i++) {
            const struct weir_execution *e = &h->executions[i];
            struct moments *m = &t->moments[i];
            m->shown = e->finish != WEIR_NOT_YET;
            if (!m->shown)
                continue;
            m->track = t->tracks + track_of(ends, &used, e) + 1;
            status = moment_of(t, e->start, &m->start);
            if (!status)
                status = moment_of(t, e->finish, &m->finish);
        }
        t->tracks += used ? used : 1;
    }
    weir_free(ends);
    return status;
}

static struct weir_trace_event event_of(const struct tracing *t, size_t execution, char name[64])
{
    const struct weir_execution *e = &t->happening->executions[execution];
    const struct moments *m = &t->moments[execution];
    snprintf(name, 64, "iteration %lld", (long long)e->iteration);
    return (struct weir_trace_event){{1, m->track}, name, e->critical ? "worst case" : "execution", m->start, m->finish};
}

static void put_executions(struct tracing *t)
{
    const struct weir_happening *h = t->happening;
    char name[64];
    for (size_t i = 0; i < h->count; i++) {
        if (!t->moments[i].shown)
            continue;
        struct weir_trace_event event = event_of(t, i, name);
        weir_trace_open(&t->trace, &event);
        weir_json_key(&t->trace.json, "operator");
        weir_json_text(&t->trace.json, name_of(t, h->executions[i].op));
        weir_json_key(&t->trace.json, "iteration");
        weir_json_integer(&t->trace.json, h->executions[i].iteration);
        weir_json_key(&t->trace.json, "critical");
        weir_json_bool(&t->trace.json, h->executions[i].critical);
        weir_trace_close(&t->trace);
    }
}

static void put_names(struct tracing *t)
{
    const struct weir_happening *h = t->happening;
    const char *name = weir_pipeline_name(h->pipeline);
    uint32_t track = 0;
    weir_trace_process(&t->trace, 1, *name ? name : "pipeline");
    for (uint32_t op = 0; op < weir_pipeline_operator_count(h->pipeline); op++) {
        uint32_t last = track + 1;
        for (size_t i = h->first[op]; i < h->first[op + 1]; i++)
            last = t->moments[i].track > last ? t->moments[i].track : last;
        while (track < last)
            weir_trace_thread(&t->trace, (struct weir_track){1, ++track}, name_of(t, op));
    }
}

/* The message that iteration k of the producer sends is taken by iteration k + initial of the consumer. */
static void put_arrows(struct tracing *t, const struct weir_queue_spec *q)
{
    const struct weir_happening *h = t->happening;
    char sent[64], taken[64], name[160];
    size_t to = h->first[q->to.index];
    snprintf(name, sizeof name, "%.70s -> %.70s", name_of(t, q->from.index), name_of(t, q->to.index));
    for (size_t i = h->first[q->from.index]; i < h->first[q->from.index + 1]; i++) {
        int64_t iteration = h->executions[i].iteration + q->initial;
        while (to < h->first[q->to.index + 1] && h->executions[to].iteration < iteration)
            to++;
        if (to == h->first[q->to.index + 1])
            return;
        if (h->executions[to].iteration != iteration || !t->moments[i].shown || !t->moments[to].shown)
            continue;
        struct weir_trace_event a = event_of(t, i, sent), b = event_of(t, to, taken);
        weir_trace_flow(&t->trace, name, &a, &b);
    }
}

static enum weir_status put_queue(struct tracing *t, struct weir_queue queue)
{
    struct weir_queue_spec q = weir_pipeline_queue(t->happening->pipeline, queue);
    struct weir_level *levels;
    size_t count;
    char name[160];
    put_arrows(t, &q);
    enum weir_status status = weir_happening_levels(t->happening, queue, &levels, &count, t->error);
    snprintf(name, sizeof name, "queue %.70s -> %.70s", name_of(t, q.from.index), name_of(t, q.to.index));
    for (size_t i = 0; i < count && !status; i++) {
        int64_t at;
        status = moment_of(t, levels[i].time, &at);
        if (!status)
            weir_trace_counter(&t->trace, 1, name, at, levels[i].messages);
    }
    weir_free(levels);
    return status;
}

/* Where the latency is measured. */
static enum weir_status put_marks(struct tracing *t)
{
    const struct weir_happening *h = t->happening;
    int64_t from, to;
    if (!h->witness)
        return WEIR_OK;
    enum weir_status status = moment_of(t, h->from, &from);
    if (!status)
        status = moment_of(t, h->to, &to);
    if (!status) {
        weir_trace_mark(&t->trace, "the latency begins", from);
        weir_trace_mark(&t->trace, "the latency ends", to);
    }
    return status;
}

static enum weir_status put_all(struct tracing *t)
{
    const struct weir_pipeline *pipeline = t->happening->pipeline;
    enum weir_status status = find_moments(t);
    if (status)
        return status;
    weir_trace_begin(&t->trace, t->trace.json.out);
    weir_json_key(&t->trace.json, "model");
    weir_json_text(&t->trace.json, weir_pipeline_name(pipeline));
    if (t->happening->witness) {
        weir_json_key(&t->trace.json, "worst");
        weir_json_decimal(&t->trace.json, t->happening->to - t->happening->from, weir_pipeline_digits(pipeline));
    }
    weir_trace_events(&t->trace);
    put_names(t);
    put_executions(t);
    status = put_marks(t);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline) && !status; i++)
        status = put_queue(t, (struct weir_queue){i});
    enum weir_status written = weir_trace_end(&t->trace, t->error);
    return status ? status : written;
}

static enum weir_status write_trace(const struct weir_happening *happening, FILE *out, struct weir_error *error)
{
    struct tracing t = {.happening = happening, .error = error};
    t.trace.json.out = out;
    enum weir_status status = put_all(&t);
    weir_free(t.moments);
    return status;
}

enum weir_status weir_analysis_write_trace(const struct weir_analysis *analysis, size_t latency, FILE *out,
                                           struct weir_error *error)
{
    struct weir_happening happening = {0};
    if (latency >= analysis->latency_count || !analysis->latencies[latency].witness)
        return weir_fail(error, WEIR_INVALID, "there is no worst case to trace: the latency has no witness");
    enum weir_status status = weir_happening_find(analysis->pipeline, analysis->latencies[latency].witness, &happening, error);
    if (!status)
        status = write_trace(&happening, out, error);
    weir_happening_free(&happening);
    return status;
}

/* ---- simulations ---- */

struct recording {
    const struct weir_simulation_options *options;
    struct weir_happening happening;
    int64_t iterations; /* that were made room for, of each operator */
    uint32_t operators;
};

static void record(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct recording *r = context;
    struct weir_execution *e = &r->happening.executions[(size_t)op.index * (size_t)r->iterations + (size_t)iteration];
    if (moment == WEIR_START)
        e->start = time;
    else if (moment == WEIR_FINISH)
        e->finish = time;
    if (r->options->observe)
        r->options->observe(r->options->context, op, moment, iteration, time);
}

static int64_t pass_given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct recording *r = context;
    return r->options->given(r->options->context, op, part, iteration);
}

enum weir_status weir_simulation_write_trace(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                             FILE *out, struct weir_error *error)
{
    struct recording r = {.options = options, .iterations = options->iterations};
    struct weir_happening *h = &r.happening;
    r.operators = weir_pipeline_operator_count(pipeline);
    if (r.operators == 0 || options->iterations < 1 || options->iterations > EXECUTIONS_MAX / (int64_t)r.operators)
        return weir_fail(error, WEIR_INVALID, "a trace has at least one iteration, and at most %d executions", EXECUTIONS_MAX);
    h->pipeline = pipeline;
    h->count = (size_t)options->iterations * r.operators;
    h->executions = weir_array_zeroed(h->count, sizeof *h->executions);
    h->first = weir_array((size_t)r.operators + 1, sizeof *h->first);
    h->finished = weir_array_zeroed(r.operators, sizeof *h->finished);
    enum weir_status status = h->executions && h->first && h->finished ? WEIR_OK : weir_fail_memory(error);
    for (size_t i = 0; i < h->count && !status; i++)
        h->executions[i] = (struct weir_execution){.op = (uint32_t)(i / (size_t)options->iterations),
                                                   .iteration = (int64_t)(i % (size_t)options->iterations),
                                                   .start = WEIR_NOT_YET,
                                                   .finish = WEIR_NOT_YET};
    for (uint32_t i = 0; i <= r.operators && !status; i++)
        h->first[i] = i * (uint32_t)options->iterations;
    struct weir_simulation_options mine = *options;
    mine.observe = record;
    mine.given = options->given ? pass_given : NULL;
    mine.context = &r;
    if (!status)
        status = weir_simulate(pipeline, &mine, error);
    if (!status)
        status = write_trace(h, out, error);
    weir_happening_free(h);
    return status;
}
