/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of a pipeline as a trace: a track per operator (several where iterations of a reentrant one overlap), an arrow for
 * each message from who sent it to who took it, a counter for each queue. Of the witness of a latency, or of a simulation.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "render/timeline/happening.h"
#include "render/trace/trace.h"
#include "simulate/machine.h"
#include "simulate/times.h"

#include <stdlib.h>
#include <string.h>

#define EXECUTIONS_MAX 1000000 /* a larger trace opens nowhere */

struct moments {
    int64_t start, finish; /* what is not over ends with the trace */
};

struct tracing {
    const struct weir_happening *happening;
    struct weir_trace trace;
    struct moments *moments; /* by execution */
    uint32_t *tracks;        /* by operator: those of the ones before it */
    uint32_t *twins;         /* by queue: those before it between the same operators */
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

/* ---- preparing ---- */

static enum weir_status find_moments(struct tracing *t)
{
    const struct weir_happening *h = t->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline);
    enum weir_status status = WEIR_OK;
    t->moments = weir_array_zeroed(h->count, sizeof *t->moments);
    t->tracks = weir_array_zeroed((size_t)operators + 1, sizeof *t->tracks);
    if (!t->moments || !t->tracks)
        return weir_fail_memory(t->error);
    for (uint32_t op = 0; op < operators; op++) {
        uint32_t rows = 1;
        for (size_t i = h->first[op]; i < h->first[op + 1]; i++)
            rows = h->executions[i].row >= rows ? h->executions[i].row + 1 : rows;
        t->tracks[op + 1] = t->tracks[op] + rows;
    }
    for (size_t i = 0; i < h->count && !status; i++) {
        const struct weir_execution *e = &h->executions[i];
        status = moment_of(t, e->start, &t->moments[i].start);
        if (!status)
            status = moment_of(t, e->finish == WEIR_NOT_YET ? h->end : e->finish, &t->moments[i].finish);
    }
    return status;
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
    uint32_t queues = weir_pipeline_queue_count(t->happening->pipeline);
    struct ends *ends = weir_array(queues, sizeof *ends);
    t->twins = weir_array_zeroed(queues, sizeof *t->twins);
    if (!ends || !t->twins) {
        weir_free(ends);
        return weir_fail_memory(t->error);
    }
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(t->happening->pipeline, (struct weir_queue){i});
        ends[i] = (struct ends){q.from.index, q.to.index, i};
    }
    qsort(ends, queues, sizeof *ends, by_ends);
    for (uint32_t i = 1; i < queues; i++)
        if (ends[i].from == ends[i - 1].from && ends[i].to == ends[i - 1].to)
            t->twins[ends[i].queue] = t->twins[ends[i - 1].queue] + 1;
    weir_free(ends);
    return WEIR_OK;
}

/* ---- executions ---- */

static struct weir_trace_event event_of(const struct tracing *t, size_t execution, char name[64])
{
    const struct weir_execution *e = &t->happening->executions[execution];
    const struct moments *m = &t->moments[execution];
    snprintf(name, 64, "iteration %lld", (long long)e->iteration);
    return (struct weir_trace_event){{1, t->tracks[e->op] + e->row + 1},
                                     name,
                                     e->worst || e->late || e->gpu || e->after ? "worst case" : "execution",
                                     m->start,
                                     m->finish};
}

static void put_flag(struct tracing *t, const char *key, bool value)
{
    weir_json_key(&t->trace.json, key);
    weir_json_bool(&t->trace.json, value);
}

static void put_executions(struct tracing *t)
{
    const struct weir_happening *h = t->happening;
    char name[64];
    for (size_t i = 0; i < h->count; i++) {
        const struct weir_execution *e = &h->executions[i];
        struct weir_trace_event event = event_of(t, i, name);
        weir_trace_open(&t->trace, &event);
        weir_json_key(&t->trace.json, "operator");
        weir_json_text(&t->trace.json, name_of(t, e->op));
        weir_json_key(&t->trace.json, "iteration");
        weir_json_integer(&t->trace.json, e->iteration);
        put_flag(t, "critical", e->worst || e->late || e->gpu || e->after);
        if (e->finish == WEIR_NOT_YET)
            put_flag(t, "unfinished", true);
        weir_trace_close(&t->trace);
    }
}

static void put_names(struct tracing *t)
{
    const struct weir_pipeline *pipeline = t->happening->pipeline;
    const char *name = weir_pipeline_name(pipeline);
    weir_trace_process(&t->trace, 1, *name ? name : "pipeline");
    for (uint32_t op = 0; op < weir_pipeline_operator_count(pipeline); op++)
        for (uint32_t track = t->tracks[op]; track < t->tracks[op + 1]; track++)
            weir_trace_thread(&t->trace, (struct weir_track){1, track + 1}, name_of(t, op));
}

/* ---- queues ---- */

/* The message that execution k of the producer sends is number k + initial of the queue; so many at once are taken. */
static void put_arrows(struct tracing *t, const struct weir_queue_spec *q, const char *name)
{
    const struct weir_happening *h = t->happening;
    char sent[64], taken[64];
    size_t to = h->first[q->to.index], end = h->first[q->to.index + 1];
    int64_t batch = q->consume > 1 ? q->consume : 1;
    for (size_t i = h->first[q->from.index]; i < h->first[q->from.index + 1]; i++) {
        int64_t iteration = (h->executions[i].iteration + q->initial) / batch;
        while (to < end && h->executions[to].iteration < iteration)
            to++;
        if (to == end)
            return;
        if (h->executions[to].iteration != iteration || h->executions[i].finish == WEIR_NOT_YET ||
            h->executions[to].start < h->executions[i].sent)
            continue;
        struct weir_trace_event a = event_of(t, i, sent), b = event_of(t, to, taken);
        weir_trace_flow(&t->trace, name, &a, &b);
    }
}

static enum weir_status put_levels(struct tracing *t, uint32_t queue, const char *name)
{
    struct weir_level *levels;
    size_t count;
    enum weir_status status = weir_happening_levels(t->happening, (struct weir_queue){queue}, &levels, &count, t->error);
    for (size_t i = 0; i < count && !status; i++) {
        int64_t at;
        status = moment_of(t, levels[i].time, &at);
        if (!status)
            weir_trace_counter(&t->trace, 1, name, at, levels[i].messages);
    }
    weir_free(levels);
    return status;
}

static enum weir_status put_queue(struct tracing *t, uint32_t queue)
{
    struct weir_queue_spec q = weir_pipeline_queue(t->happening->pipeline, (struct weir_queue){queue});
    const char *from = name_of(t, q.from.index), *to = name_of(t, q.to.index);
    size_t bytes = strlen(from) + strlen(to) + 40;
    char *name = weir_array(bytes, 1);
    if (!name)
        return weir_fail_memory(t->error);
    if (weir_queue_is_cut(&q)) { /* who took which message is not told */
        weir_free(name);
        return WEIR_OK;
    }
    int used = snprintf(name, bytes, "queue %s -> %s", from, to);
    if (t->twins[queue])
        snprintf(name + used, bytes - (size_t)used, " (%u)", t->twins[queue] + 1);
    put_arrows(t, &q, name + strlen("queue "));
    enum weir_status status = put_levels(t, queue, name);
    weir_free(name);
    return status;
}

/* ---- the whole ---- */

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
    if (!status)
        status = find_twins(t);
    if (status)
        return status;
    weir_trace_begin(&t->trace, t->trace.json.out);
    weir_json_key(&t->trace.json, "model");
    weir_json_text(&t->trace.json, weir_pipeline_name(pipeline));
    weir_json_key(&t->trace.json, "unit");
    weir_json_text(&t->trace.json, weir_unit_name(weir_pipeline_unit(pipeline)));
    if (t->happening->witness) {
        weir_json_key(&t->trace.json, "worst");
        weir_json_decimal(&t->trace.json, t->happening->to - t->happening->from, weir_pipeline_digits(pipeline));
    }
    weir_trace_events(&t->trace);
    put_names(t);
    put_executions(t);
    status = put_marks(t);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline) && !status; i++)
        status = put_queue(t, i);
    enum weir_status written = weir_trace_end(&t->trace, t->error);
    return status ? status : written;
}

static enum weir_status write_trace(const struct weir_happening *happening, FILE *out, struct weir_error *error)
{
    struct tracing t = {.happening = happening, .error = error};
    t.trace.json.out = out;
    enum weir_status status = put_all(&t);
    weir_free(t.moments);
    weir_free(t.tracks);
    weir_free(t.twins);
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

/* Times are drawn here, as the simulator would, to know when messages are received: it tells of starts and finishes only. */
struct recording {
    const struct weir_simulation_options *options;
    struct weir_happening happening;
    int64_t (*draw)(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration); /* NULL: times are given */
    struct weir_dice *dice;
    int64_t last; /* moment that was told */
};

/* NULL: beyond those that were asked for, of an operator that does not wait for the others. */
static struct weir_execution *execution_of(struct recording *r, struct weir_operator op, int64_t iteration)
{
    const uint32_t *first = &r->happening.first[op.index];
    return iteration < first[1] - first[0] ? &r->happening.executions[first[0] + (size_t)iteration] : NULL;
}

static bool record(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct recording *r = context;
    struct weir_execution *e = execution_of(r, op, iteration);
    if (e && moment == WEIR_START)
        e->start = e->received = time;
    else if (e && moment == WEIR_FINISH)
        e->finish = time;
    r->last = e ? time : r->last;
    if (r->options->observe)
        r->options->observe(r->options->context, op, moment, iteration, time);
    return true;
}

/* Asked for after the start is told. */
static int64_t draw(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct recording *r = context;
    const struct weir_simulation_options *options = r->options;
    int64_t time = r->draw ? r->draw(r->dice, op, part, iteration) : options->given(options->context, op, part, iteration);
    struct weir_execution *e = part == WEIR_PART_TRANSFER ? NULL : execution_of(r, op, iteration);
    int64_t known = time > 0 && time < WEIR_TIME_MAX ? time : 0; /* the simulator complains of the rest */
    if (e && part == WEIR_PART_RECEIVE)
        e->received += known;
    else if (e && part == WEIR_PART_EXECUTION)
        e->sent = e->start + known; /* for now: it is over then on the CPU */
    return time;
}

static int64_t draw_transfer(void *context, struct weir_queue queue, int64_t execution)
{
    struct recording *r = context;
    struct weir_dice *behind = r->dice + weir_pipeline_operator_count(r->happening.pipeline);
    return r->draw(behind, (struct weir_operator){queue.index}, WEIR_PART_EXECUTION, execution);
}

/* Leaves out what did not begin, and finds when messages were sent. */
static void settle(struct recording *r)
{
    struct weir_happening *h = &r->happening;
    size_t kept = 0, next = 0;
    for (uint32_t op = 0; op < weir_pipeline_operator_count(h->pipeline); op++) {
        const struct weir_launch *launch = weir_pipeline_operator(h->pipeline, (struct weir_operator){op}).launch;
        size_t end = h->first[op + 1];
        for (; next < end; next++) {
            struct weir_execution e = h->executions[next];
            if (e.start < 0)
                continue;
            e.sent = !launch || launch->waits ? e.finish : e.sent > e.received ? e.sent : e.received;
            h->executions[kept++] = e;
        }
        h->first[op + 1] = (uint32_t)kept;
    }
    h->count = kept;
    h->end = r->last;
}

/* Executions of an iteration of the pipeline. */
static int64_t turns_of_all(const struct weir_pipeline *pipeline)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        sum += weir_pipeline_turns(pipeline, (struct weir_operator){i});
    return sum;
}

static enum weir_status prepare(struct recording *r, struct weir_error *error)
{
    struct weir_happening *h = &r->happening;
    uint32_t operators = weir_pipeline_operator_count(h->pipeline);
    h->count = (size_t)(r->options->iterations * turns_of_all(h->pipeline));
    h->executions = weir_array_zeroed(h->count, sizeof *h->executions);
    h->first = weir_array((size_t)operators + 1, sizeof *h->first);
    h->finished = weir_array_zeroed(operators, sizeof *h->finished);
    if (r->draw)
        r->dice = weir_dice_new(h->pipeline, r->options->seed);
    if (!h->executions || !h->first || !h->finished || (r->draw && !r->dice))
        return weir_fail_memory(error);
    h->first[0] = 0;
    for (uint32_t op = 0; op < operators; op++) {
        int64_t count = r->options->iterations * weir_pipeline_turns(h->pipeline, (struct weir_operator){op});
        h->first[op + 1] = h->first[op] + (uint32_t)count;
        for (int64_t i = 0; i < count; i++)
            h->executions[h->first[op] + (size_t)i] =
                (struct weir_execution){.op = op, .iteration = i, .messages = 1, .start = -1, .finish = WEIR_NOT_YET};
    }
    return WEIR_OK;
}

enum weir_status weir_simulation_write_trace(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                             FILE *out, struct weir_error *error)
{
    static int64_t (*const draws[])(void *, struct weir_operator, enum weir_part, int64_t) = {
        [WEIR_TIMES_RANDOM] = weir_dice_random,
        [WEIR_TIMES_BEST] = weir_dice_best,
        [WEIR_TIMES_WORST] = weir_dice_worst,
        [WEIR_TIMES_BANG_BANG] = weir_dice_bang_bang,
    };
    struct recording r = {.options = options, .happening = {.pipeline = pipeline}};
    struct weir_machine_rules rules = {.iterations = options->iterations, .time_of = draw, .observe = record, .context = &r};
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    int64_t executions = turns_of_all(pipeline);
    if (executions < 1 || options->iterations < 1 || options->iterations > EXECUTIONS_MAX / executions)
        return weir_fail(error, WEIR_INVALID,
                         "a trace has at most %d executions, and at least one: not %lld of each of %u operators", EXECUTIONS_MAX,
                         (long long)options->iterations, (unsigned)operators);
    if ((size_t)options->times < sizeof draws / sizeof *draws)
        r.draw = draws[options->times];
    else if (options->times != WEIR_TIMES_GIVEN || !options->given)
        return weir_simulate(pipeline, options, error); /* which says what is wrong */
    if (r.draw)
        rules.transfer_of = draw_transfer;
    enum weir_status status = weir_pipeline_require_enough(pipeline, error);
    if (!status)
        status = prepare(&r, error);
    if (!status)
        status = weir_machine_run(pipeline, &rules, error);
    if (!status)
        settle(&r);
    if (!status)
        status = weir_happening_rows(&r.happening, error);
    if (!status)
        status = write_trace(&r.happening, out, error);
    weir_free(r.dice);
    weir_happening_free(&r.happening);
    return status;
}
