/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data Flow Tracking logs of runs. Starts and finishes are kept; at the end each execution of a leaf is followed back. Over a queue
 * with d initial messages of which N are taken at once, execution n took messages n * N to n * N + N - 1, and message m was sent by
 * execution m - d. Over a place for the latest message it read the last one that was sent before its start.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "render/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH INT64_C(1700000000000000) /* of the clock, microseconds */
#define PICOSECONDS 1000000             /* in a microsecond */
#define LINES_MAX 100000                /* of one record */
#define EVENTS_MAX ((size_t)1 << 28)

struct moments {
    int64_t *times; /* by execution, two each: start and finish; -1: not yet */
    size_t count, capacity;
};

struct input {
    uint32_t from;
    uint32_t initial, consume;
    bool latest;
};

/* One step of the path back from a leaf. */
struct step {
    uint32_t op;
    int64_t execution;
    uint32_t input, message; /* what is tried next */
    bool old;                /* read once more by the step before */
};

struct record {
    uint32_t op;
    int64_t execution, finish;
};

struct weir_flow_writer {
    const struct weir_pipeline *pipeline;
    uint32_t operators;
    bool out_of_memory, too_long;
    size_t events;
    struct moments *moments;
    struct input *inputs; /* by consumer */
    uint32_t *first;      /* of its inputs, by operator; one more for the end */
    bool *hidden, *leaf;  /* broadcasts; nothing leads away */
    struct step *path;
    struct record *records;
    size_t record_count, record_capacity;
};

/* ---- what can be logged ---- */

/* Which message is read from a place for the latest one can be told where it is read at the start, and sent in order. */
static bool is_told(const struct weir_pipeline *pipeline, const struct weir_queue_spec *queue)
{
    return !queue->latest || (queue->missing != WEIR_MISSING_SKIP && !weir_pipeline_operator(pipeline, queue->to).receive_max &&
                              !queue->transfer_max && !weir_pipeline_operator(pipeline, queue->from).reentrant);
}

static enum weir_status check(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!weir_pipeline_sealed(pipeline) || weir_pipeline_platform(pipeline) != WEIR_PLATFORM_THREADS)
        return weir_fail(error, WEIR_INVALID, "logs are those of sealed pipelines whose operators have threads");
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        if (spec.launch && !spec.launch->waits)
            return weir_fail(
                error, WEIR_INVALID,
                "there is no log of this: a run does not show when \"%s\", which does not wait for its work on the GPU, sends its "
                "messages",
                weir_quote(spec.name, quoted));
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        if (!is_told(pipeline, &spec))
            return weir_fail(error, WEIR_INVALID, "there is no log of this: a run does not show which messages \"%s\" reads",
                             weir_quote(weir_pipeline_operator(pipeline, spec.to).name, quoted));
        if (spec.optional || spec.full != WEIR_FULL_NEVER)
            return weir_fail(error, WEIR_INVALID, "there is no log of this: a run does not show which messages to \"%s\" are %s",
                             weir_quote(weir_pipeline_operator(pipeline, spec.to).name, quoted), spec.optional ? "taken" : "lost");
    }
    return WEIR_OK;
}

/* Without loops, operators from which all that leads away has been taken off come to an end. */
static enum weir_status check_loops(struct weir_flow_writer *w, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    uint32_t *left = weir_array_zeroed(w->operators, sizeof *left), *ready = weir_array(w->operators, sizeof *ready);
    uint32_t done = 0, count = 0;
    if (!left || !ready) {
        weir_free(left);
        weir_free(ready);
        return weir_fail_memory(error);
    }
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < w->first[w->operators]; i++)
        left[w->inputs[i].from]++;
    for (uint32_t i = 0; i < w->operators; i++)
        if (!left[i])
            ready[count++] = i;
    for (; done < count; done++)
        for (uint32_t k = w->first[ready[done]]; k < w->first[ready[done] + 1]; k++)
            if (--left[w->inputs[k].from] == 0)
                ready[count++] = w->inputs[k].from;
    for (uint32_t i = 0; !status && i < w->operators; i++)
        if (left[i])
            status = weir_fail(error, WEIR_INVALID, "a loop leads through \"%s\": paths in it have no begin",
                               weir_quote(weir_pipeline_operator(w->pipeline, (struct weir_operator){i}).name, quoted));
    weir_free(left);
    weir_free(ready);
    return status;
}

/* Broadcasts are not seen by the tracker; in a model that was written they are known by their names. */
static bool is_hidden(const struct weir_operator_spec *spec)
{
    const char *tail = strrchr(spec->name, '.');
    return spec->broadcast ||
           (tail && strncmp(tail, ".broadcast", 10) == 0 && strspn(tail + 10, "0123456789") == strlen(tail + 10));
}

static bool fill(struct weir_flow_writer *w)
{
    uint32_t queues = weir_pipeline_queue_count(w->pipeline);
    w->moments = weir_array_zeroed(w->operators, sizeof *w->moments);
    w->inputs = weir_array(queues, sizeof *w->inputs);
    w->first = weir_array_zeroed((size_t)w->operators + 2, sizeof *w->first);
    w->hidden = weir_array(w->operators, sizeof *w->hidden);
    w->leaf = weir_array(w->operators, sizeof *w->leaf);
    w->path = weir_array((size_t)w->operators + 1, sizeof *w->path);
    if (!w->moments || !w->inputs || !w->first || !w->hidden || !w->leaf || !w->path)
        return false;
    for (uint32_t i = 0; i < w->operators; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(w->pipeline, (struct weir_operator){i});
        w->hidden[i] = is_hidden(&spec);
        w->leaf[i] = true;
    }
    for (uint32_t i = 0; i < queues; i++)
        w->first[weir_pipeline_queue(w->pipeline, (struct weir_queue){i}).to.index + 2]++;
    for (uint32_t i = 0; i < w->operators; i++)
        w->first[i + 2] += w->first[i + 1];
    for (uint32_t i = 0; i < queues; i++) { /* first[op + 1] runs to the end of the inputs of op */
        struct weir_queue_spec spec = weir_pipeline_queue(w->pipeline, (struct weir_queue){i});
        w->inputs[w->first[spec.to.index + 1]++] = (struct input){.from = spec.from.index,
                                                                  .initial = spec.latest ? 0 : spec.initial,
                                                                  .consume = spec.consume ? spec.consume : 1,
                                                                  .latest = spec.latest};
        w->leaf[spec.from.index] = false;
    }
    return true;
}

struct weir_flow_writer *weir_flow_writer_new(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (check(pipeline, error))
        return NULL;
    struct weir_flow_writer *w = weir_array_zeroed(1, sizeof *w);
    if (!w) {
        weir_fail_memory(error);
        return NULL;
    }
    w->pipeline = pipeline;
    w->operators = weir_pipeline_operator_count(pipeline);
    enum weir_status status = fill(w) ? check_loops(w, error) : weir_fail_memory(error);
    if (status) {
        weir_flow_writer_free(w);
        return NULL;
    }
    return w;
}

void weir_flow_writer_free(struct weir_flow_writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; w->moments && i < w->operators; i++)
        weir_free(w->moments[i].times);
    weir_free(w->moments);
    weir_free(w->inputs);
    weir_free(w->first);
    weir_free(w->hidden);
    weir_free(w->leaf);
    weir_free(w->path);
    weir_free(w->records);
    weir_free(w);
}

/* ---- the run ---- */

void weir_flow_writer_observe(void *writer, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct weir_flow_writer *w = writer;
    if (op.index >= w->operators || iteration < 0 || moment == WEIR_ARRIVAL || w->out_of_memory || w->too_long)
        return;
    struct moments *m = &w->moments[op.index];
    size_t need = 2 * ((size_t)iteration + 1);
    void *times = m->times;
    if (need > m->count) {
        w->events += need - m->count;
        w->too_long = w->events > EVENTS_MAX;
        w->out_of_memory = !w->too_long && !weir_reserve(&times, &m->capacity, need, sizeof *m->times);
        m->times = times;
        if (w->too_long || w->out_of_memory)
            return;
        for (; m->count < need; m->count++)
            m->times[m->count] = -1;
    }
    m->times[2 * (size_t)iteration + (moment == WEIR_FINISH)] = time;
}

static int64_t moment_of(const struct weir_flow_writer *w, uint32_t op, int64_t execution, bool finish)
{
    const struct moments *m = &w->moments[op];
    size_t at = 2 * (size_t)execution + finish;
    return execution >= 0 && at < m->count ? m->times[at] : -1;
}

/* ---- the path back ---- */

/* The last execution that was over at `time`; -1: none. Executions end in their order. */
static int64_t last_before(const struct weir_flow_writer *w, uint32_t op, int64_t time)
{
    int64_t low = 0, high = (int64_t)(w->moments[op].count / 2);
    while (low < high) {
        int64_t middle = low + (high - low) / 2, finish = moment_of(w, op, middle, true);
        if (finish >= 0 && finish <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* The next message that the last step took, as a step of its own; false when there is no more. */
static bool step_back(const struct weir_flow_writer *w, struct step *s, struct step *back)
{
    uint32_t end = w->first[s->op + 1];
    while (s->input < end) {
        const struct input *in = &w->inputs[s->input];
        *back = (struct step){.op = in->from, .input = w->first[in->from]};
        if (in->latest) {
            back->execution = last_before(w, in->from, moment_of(w, s->op, s->execution, false));
            int64_t before = s->execution ? last_before(w, in->from, moment_of(w, s->op, s->execution - 1, false)) : -1;
            back->old = before == back->execution;
            s->input++;
        } else {
            back->execution = s->execution * in->consume + s->message - in->initial;
            if (++s->message == in->consume)
                s->input++, s->message = 0;
        }
        if (back->execution >= 0 && moment_of(w, back->op, back->execution, true) >= 0)
            return true;
    }
    return false;
}

static enum weir_status write_stamp(const struct weir_flow_writer *w, int64_t ticks, FILE *out, struct weir_error *error)
{
    int64_t moment;
    enum weir_status status = weir_trace_moment(weir_pipeline_unit(w->pipeline), weir_pipeline_digits(w->pipeline),
                                                (struct weir_ratio){ticks, 1}, &moment, error);
    if (!status)
        fprintf(out, ",%" PRId64, EPOCH + moment / PICOSECONDS);
    return status;
}

static enum weir_status write_line(const struct weir_flow_writer *w, size_t length, FILE *out, struct weir_error *error)
{
    bool begun = false;
    enum weir_status status = WEIR_OK;
    for (size_t i = length; i-- > 0 && !status;) {
        const struct step *s = &w->path[i];
        if (w->hidden[s->op])
            continue;
        fprintf(out, "%s(%s%s", begun ? " -> " : "", weir_pipeline_operator(w->pipeline, (struct weir_operator){s->op}).name,
                s->old ? "_old" : "");
        begun = true;
        status = write_stamp(w, moment_of(w, s->op, s->execution, false), out, error);
        if (!status)
            status = write_stamp(w, moment_of(w, s->op, s->execution, true), out, error);
        fputc(')', out);
    }
    fputs(" \n", out);
    return status;
}

/* All ways that lead to an execution of a leaf, each from a root. */
static enum weir_status write_record(struct weir_flow_writer *w, const struct record *record, FILE *out, struct weir_error *error)
{
    size_t length = 1, lines = 0;
    enum weir_status status = WEIR_OK;
    w->path[0] = (struct step){.op = record->op, .execution = record->execution, .input = w->first[record->op]};
    while (length && !status) {
        struct step *s = &w->path[length - 1];
        if (w->first[s->op] == w->first[s->op + 1]) { /* a root */
            if (++lines > LINES_MAX)
                return weir_fail(error, WEIR_INVALID, "more than %d paths lead to one execution: too many for a log", LINES_MAX);
            status = write_line(w, length--, out, error);
        } else if (step_back(w, s, s + 1)) {
            length++;
        } else {
            length--;
        }
    }
    return status;
}

static int by_finish(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->finish != b->finish)
        return a->finish < b->finish ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return (a->execution > b->execution) - (a->execution < b->execution);
}

static bool collect(struct weir_flow_writer *w)
{
    w->record_count = 0;
    for (uint32_t op = 0; op < w->operators; op++)
        for (int64_t i = 0; w->leaf[op] && i < (int64_t)(w->moments[op].count / 2); i++) {
            void *records = w->records;
            bool room = weir_reserve(&records, &w->record_capacity, w->record_count + 1, sizeof *w->records);
            w->records = records;
            if (!room)
                return false;
            int64_t finish = moment_of(w, op, i, true);
            if (finish >= 0)
                w->records[w->record_count++] = (struct record){op, i, finish};
        }
    if (w->record_count)
        qsort(w->records, w->record_count, sizeof *w->records, by_finish);
    return true;
}

enum weir_status weir_flow_writer_write(struct weir_flow_writer *w, FILE *out, struct weir_error *error)
{
    if (w->too_long)
        return weir_fail(error, WEIR_INVALID, "the run is too long to be logged: more than %zu starts and ends", EVENTS_MAX);
    if (w->out_of_memory || !collect(w))
        return weir_fail_memory(error);
    enum weir_status status = WEIR_OK;
    errno = 0;
    for (size_t i = 0; i < w->record_count && !status; i++) {
        fprintf(out, "%zu:\n", i + 1);
        status = write_record(w, &w->records[i], out, error);
        fputc('\n', out);
    }
    return status ? status : weir_written(out, "the log", error);
}
