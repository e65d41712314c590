/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Playing a witness. Its steps that count are sorted by operator and part once; each of those lists is then walked along with
 * the iterations of the operator, repetitions and all, so memory is that of the compact witness and not of the iterations.
 */
#include "simulate/replay.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "simulate/machine.h"

/* A step that counts, among those of its operator and part. */
struct mark {
    int64_t iteration;
    uint32_t segment;
};

/* Where an operator's part stands among its marks. */
struct cursor {
    int64_t low, high;
    int64_t next; /* iteration of the mark it stands at; INT64_MAX after the last */
    int64_t round;
    size_t at, first, end; /* `first`: of the marks of the same segment */
};

struct replay {
    const struct weir_witness *witness;
    const struct weir_replay_watch *watch;
    struct cursor *cursors; /* two per operator: execution, receive */
    struct mark *marks;
    int64_t from_iteration, to_iteration;
    int64_t from_time, to_time;
    bool from_seen, to_seen;
    bool disordered, overflow;
};

static bool counts(const struct weir_step *step)
{
    return step->counts && (step->part == WEIR_PART_EXECUTION || step->part == WEIR_PART_RECEIVE);
}

static size_t cursor_of(struct weir_operator op, enum weir_part part)
{
    return (size_t)op.index * 2 + (part == WEIR_PART_RECEIVE);
}

/* ---- the marks ---- */

/* Sets the cursor on its mark `at` in repetition `round`. */
static void settle(struct replay *r, struct cursor *c)
{
    if (c->at == c->end) {
        c->next = INT64_MAX;
        return;
    }
    int64_t later, next;
    const struct mark *mark = &r->marks[c->at];
    if (!weir_multiply(r->witness->segments[mark->segment].iterations, c->round, &later) ||
        !weir_add(mark->iteration, later, &next)) {
        r->overflow = true;
        next = INT64_MAX;
    }
    if (next < c->next)
        r->disordered = true;
    c->next = next;
}

static void advance(struct replay *r, struct cursor *c)
{
    uint32_t segment = r->marks[c->at].segment;
    c->at++;
    if (c->at == c->end || r->marks[c->at].segment != segment) {
        if (++c->round < r->witness->segments[segment].repeat) {
            c->at = c->first;
        } else {
            c->first = c->at;
            c->round = 0;
        }
    }
    settle(r, c);
}

static int64_t time_of(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct replay *r = context;
    struct cursor *c = &r->cursors[cursor_of(op, part)];
    while (c->next < iteration && !r->disordered)
        advance(r, c);
    return c->next == iteration ? c->high : c->low;
}

static bool observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct replay *r = context;
    const struct weir_query *query = &r->witness->query;
    if (r->watch->observe)
        r->watch->observe(r->watch->context, op, moment, iteration, time);
    if (op.index == query->from.op.index && moment == query->from.moment && iteration == r->from_iteration) {
        r->from_time = time;
        r->from_seen = true;
    }
    if (op.index == query->to.op.index && moment == query->to.moment && iteration == r->to_iteration) {
        r->to_time = time;
        r->to_seen = true;
    }
    return !(r->from_seen && r->to_seen) && !r->disordered && !r->overflow;
}

/* ---- setting up ---- */

static enum weir_status check(struct replay *r, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    const struct weir_witness *witness = r->witness;
    const struct weir_query *query = &witness->query;
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    if (!weir_pipeline_sealed(pipeline))
        return weir_fail(error, WEIR_INVALID, "the pipeline has to be sealed before a witness is played");
    if (query->from.op.index >= operators || query->to.op.index >= operators)
        return weir_fail(error, WEIR_INVALID, "the witness is about operators that the pipeline does not have");
    r->from_iteration = witness->iteration;
    if (!weir_add(witness->iteration, query->shift, &r->to_iteration) || r->to_iteration == INT64_MAX ||
        witness->iteration == INT64_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "the iteration of the witness is too large");
    if (r->from_iteration < 0 || r->to_iteration < 0)
        return weir_fail(error, WEIR_INVALID, "the witness is about an iteration before the first");
    if (witness->segment_count > UINT32_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "the witness has too many segments");
    for (size_t s = 0; s < witness->segment_count; s++) {
        const struct weir_segment *segment = &witness->segments[s];
        if (segment->repeat < 1 || segment->iterations < (segment->repeat > 1))
            return weir_fail(error, WEIR_INVALID, "a segment of the witness is walked at least once, and forwards");
        for (size_t i = 0; i < segment->step_count; i++)
            if (segment->steps[i].op.index >= operators || segment->steps[i].iteration < 0)
                return weir_fail(error, WEIR_INVALID, "a step of the witness is not one of the pipeline");
    }
    return WEIR_OK;
}

/* Sorts the steps that count by operator and part, in the order of the path. */
static void sort_marks(struct replay *r, size_t cursor_count)
{
    const struct weir_witness *witness = r->witness;
    for (size_t s = 0; s < witness->segment_count; s++)
        for (size_t i = 0; i < witness->segments[s].step_count; i++) {
            const struct weir_step *step = &witness->segments[s].steps[i];
            r->cursors[cursor_of(step->op, step->part)].end += counts(step);
        }
    size_t total = 0;
    for (size_t i = 0; i < cursor_count; i++) {
        struct cursor *c = &r->cursors[i];
        size_t mine = c->end;
        c->at = c->first = c->end = total;
        total += mine;
    }
    for (size_t s = 0; s < witness->segment_count; s++)
        for (size_t i = 0; i < witness->segments[s].step_count; i++) {
            const struct weir_step *step = &witness->segments[s].steps[i];
            if (counts(step))
                r->marks[r->cursors[cursor_of(step->op, step->part)].end++] = (struct mark){step->iteration, (uint32_t)s};
        }
}

static void set_cursors(struct replay *r, const struct weir_pipeline *pipeline)
{
    bool zero = r->witness->query.assume_zero_best;
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    sort_marks(r, (size_t)operators * 2);
    for (uint32_t i = 0; i < operators; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        struct cursor *execution = &r->cursors[cursor_of((struct weir_operator){i}, WEIR_PART_EXECUTION)];
        struct cursor *receive = &r->cursors[cursor_of((struct weir_operator){i}, WEIR_PART_RECEIVE)];
        execution->low = zero ? 0 : spec.best;
        execution->high = spec.worst;
        receive->low = zero ? 0 : spec.receive_min;
        receive->high = spec.receive_max;
        settle(r, execution);
        settle(r, receive);
    }
}

static enum weir_status play(struct replay *r, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    /* Nothing waits for a later iteration than its own. */
    int64_t last = r->from_iteration > r->to_iteration ? r->from_iteration : r->to_iteration;
    int64_t more = r->watch->more < INT64_MAX - 1 - last ? r->watch->more : 0;
    struct weir_machine_rules rules = {.iterations = last + 1 + more, .time_of = time_of, .observe = observe, .context = r};
    set_cursors(r, pipeline);
    enum weir_status status = weir_machine_run(pipeline, &rules, error);
    if (status)
        return status;
    if (r->overflow)
        return weir_fail(error, WEIR_OVERFLOW, "the witness repeats a segment for longer than can be counted");
    if (r->disordered)
        return weir_fail(error, WEIR_INVALID, "the steps of the witness are not in order of their iterations");
    if (!r->from_seen || !r->to_seen)
        return weir_fail(error, WEIR_INVALID, "the events of the witness do not happen");
    return WEIR_OK;
}

enum weir_status weir_witness_watch(const struct weir_pipeline *pipeline, const struct weir_witness *witness,
                                    struct weir_replay_watch *watch, struct weir_error *error)
{
    struct replay r = {.witness = witness, .watch = watch};
    enum weir_status status = check(&r, pipeline, error);
    if (status)
        return status;
    size_t steps = 0;
    for (size_t s = 0; s < witness->segment_count; s++)
        steps += witness->segments[s].step_count;
    r.cursors = weir_array_zeroed(weir_pipeline_operator_count(pipeline), 2 * sizeof *r.cursors);
    r.marks = weir_array(steps, sizeof *r.marks);
    if (r.cursors && r.marks)
        status = play(&r, pipeline, error);
    else
        status = weir_fail_memory(error);
    watch->from = r.from_time;
    watch->to = r.to_time;
    weir_free(r.cursors);
    weir_free(r.marks);
    return status;
}

enum weir_status weir_witness_replay(const struct weir_pipeline *pipeline, const struct weir_witness *witness, int64_t *separation,
                                     struct weir_error *error)
{
    struct weir_replay_watch watch = {0};
    enum weir_status status = weir_witness_watch(pipeline, witness, &watch, error);
    if (!status)
        *separation = watch.to - watch.from;
    return status;
}
