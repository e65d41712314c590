/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Playing a witness. Its steps that count are sorted by operator and part once; each of those lists is then walked along with
 * the executions of the operator, repetitions and all, so memory is that of the compact witness and not of the iterations. Nor is
 * the time, where the machine can go over the rounds of a segment.
 */

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "simulate/machine.h"

/* A step that counts, among those of its operator and part. */
struct mark {
    int64_t execution;
    uint32_t segment;
};

/* Where an operator's part stands among its marks. */
struct cursor {
    int64_t low, high;
    int64_t firings; /* executions in an iteration */
    int64_t next;    /* execution of the mark it stands at; INT64_MAX after the last */
    int64_t round;
    size_t at, first, end; /* `first`: of the marks of the same segment */
};

struct replay {
    const struct weir_witness *witness;
    const struct weir_replay_watch *watch;
    struct cursor *cursors; /* CURSORS per operator; then one per queue, of its transfers */
    uint32_t operators;
    size_t cursor_count;
    struct mark *marks;
    int64_t from_execution, to_execution;
    int64_t from_time, to_time;
    bool from_seen, to_seen;
    bool disordered, overflow;
    struct weir_machine_rounds rounds; /* of the segment `paced`, less one, that some operator is in */
    size_t paced;
};

enum { ROUNDS_MIN = 16 }; /* of a segment, that may be gone over */
enum { CURSORS = 4 };     /* execution, receive, work on a GPU, after it */

/* The other parts take no time that could be chosen. */
static bool counts(const struct weir_step *step)
{
    return step->counts && (step->part == WEIR_PART_EXECUTION || step->part == WEIR_PART_RECEIVE || step->part == WEIR_PART_GPU ||
                            step->part == WEIR_PART_AFTER || step->part == WEIR_PART_TRANSFER);
}

static struct cursor *cursor_of(const struct replay *r, struct weir_operator op, enum weir_part part)
{
    size_t which = part == WEIR_PART_RECEIVE ? 1 : part == WEIR_PART_GPU ? 2 : part == WEIR_PART_AFTER ? 3 : 0;
    return &r->cursors[(size_t)op.index * CURSORS + which];
}

static struct cursor *transfers_of(const struct replay *r, struct weir_queue queue)
{
    return &r->cursors[(size_t)r->operators * CURSORS + queue.index];
}

static struct cursor *cursor_of_step(const struct replay *r, const struct weir_step *step)
{
    return step->part == WEIR_PART_TRANSFER ? transfers_of(r, step->queue) : cursor_of(r, step->op, step->part);
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
        !weir_multiply(later, c->firings, &later) || !weir_add(mark->execution, later, &next)) {
        r->overflow = true;
        next = INT64_MAX;
    }
    if (next < c->next)
        r->disordered = true;
    c->next = next;
}

/* The first operator that comes round in a segment with many rounds to come sets the pace, until it leaves it. */
static void set_pace(struct replay *r, const struct cursor *c, uint32_t segment)
{
    const struct weir_segment *s = &r->witness->segments[segment];
    size_t cursor = (size_t)(c - r->cursors);
    if (r->paced || s->repeat - c->round < ROUNDS_MIN || cursor >= (size_t)r->operators * CURSORS)
        return;
    r->paced = (size_t)segment + 1;
    r->rounds.op = (uint32_t)(cursor / CURSORS);
    if (!weir_multiply(s->iterations, c->firings, &r->rounds.executions))
        r->rounds.executions = 0;
}

static void advance(struct replay *r, struct cursor *c)
{
    uint32_t segment = r->marks[c->at].segment;
    c->at++;
    if (c->at == c->end || r->marks[c->at].segment != segment) {
        if (++c->round < r->witness->segments[segment].repeat) {
            c->at = c->first;
            set_pace(r, c, segment);
        } else {
            c->first = c->at;
            c->round = 0;
            if (r->paced == (size_t)segment + 1) {
                r->paced = 0;
                r->rounds.executions = 0;
            }
        }
    }
    settle(r, c);
}

/* Executions of a round of the segment that the cursor is in; 0: it is in none, or in its first. */
static int64_t round_of(const struct replay *r, const struct cursor *c)
{
    int64_t length;
    if (c->at == c->end || c->round == 0)
        return 0;
    return weir_multiply(r->witness->segments[r->marks[c->at].segment].iterations, c->firings, &length) ? length : 0;
}

/* As often as advance() would come back to the same mark before the execution. */
static void go_round(struct replay *r, struct cursor *c, int64_t execution)
{
    int64_t length = round_of(r, c);
    if (length == 0 || (execution - c->next) / length == 0)
        return;
    int64_t left = r->witness->segments[r->marks[c->at].segment].repeat - 1 - c->round, rounds = (execution - c->next) / length;
    c->round += rounds < left ? rounds : left;
    settle(r, c);
}

static int64_t time_at(struct replay *r, struct cursor *c, int64_t execution)
{
    if (c->next < execution)
        go_round(r, c, execution);
    while (c->next < execution && !r->disordered)
        advance(r, c);
    return c->next == execution ? c->high : c->low;
}

/* Up to which execution, from `next` on, the times of the cursor repeat every so many. */
static int64_t repeats_until(struct replay *r, struct cursor *c, int64_t next, int64_t every)
{
    time_at(r, c, next);
    int64_t length = round_of(r, c), last;
    if (length == 0 || every % length != 0)
        return c->next; /* none before it counts */
    size_t mark = c->at;
    const struct weir_segment *segment = &r->witness->segments[r->marks[mark].segment];
    while (mark + 1 < c->end && r->marks[mark + 1].segment == r->marks[c->at].segment)
        mark++;
    if (!weir_multiply(length, segment->repeat - 1, &last) || !weir_add(last, r->marks[mark].execution, &last))
        return c->next;
    return last; /* the last that counts */
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t ahead(void *context, const struct weir_machine_outlook *o)
{
    struct replay *r = context;
    const struct weir_query *query = &r->witness->query;
    int64_t seen = o->arrived > o->next ? o->arrived : o->next;
    int64_t until = earlier(repeats_until(r, cursor_of(r, o->op, WEIR_PART_EXECUTION), o->next, o->every),
                            repeats_until(r, cursor_of(r, o->op, WEIR_PART_RECEIVE), o->next, o->every));
    int64_t rounds = (until - o->next) / o->every;
    if (o->op.index == query->from.op.index && !r->from_seen)
        rounds = earlier(rounds, (r->from_execution - seen) / o->every);
    if (o->op.index == query->to.op.index && !r->to_seen)
        rounds = earlier(rounds, (r->to_execution - seen) / o->every);
    return rounds;
}

static int64_t time_of(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    return time_at(context, cursor_of(context, op, part), execution);
}

static int64_t transfer_of(void *context, struct weir_queue queue, int64_t execution)
{
    return time_at(context, transfers_of(context, queue), execution);
}

static bool observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t execution, int64_t time)
{
    struct replay *r = context;
    const struct weir_query *query = &r->witness->query;
    if (r->watch->observe)
        r->watch->observe(r->watch->context, op, moment, execution, time);
    if (op.index == query->from.op.index && moment == query->from.moment && execution == r->from_execution) {
        r->from_time = time;
        r->from_seen = true;
    }
    if (op.index == query->to.op.index && moment == query->to.moment && execution == r->to_execution) {
        r->to_time = time;
        r->to_seen = true;
    }
    return !(r->from_seen && r->to_seen) && !r->disordered && !r->overflow;
}

/* ---- setting up ---- */

/* Execution of an operator: its firing in an iteration. */
static bool execution_of(const struct weir_pipeline *pipeline, struct weir_operator op, int64_t iteration, uint32_t firing,
                         int64_t *execution)
{
    return weir_multiply(iteration, weir_pipeline_firings(pipeline, op), execution) && weir_add(*execution, firing, execution) &&
           *execution < INT64_MAX;
}

static bool is_step(const struct weir_pipeline *pipeline, const struct weir_step *step)
{
    struct weir_operator op = step->op;
    int64_t execution;
    if (op.index >= weir_pipeline_operator_count(pipeline) || step->iteration < 0)
        return false;
    if (step->part == WEIR_PART_TRANSFER) {
        if (step->queue.index >= weir_pipeline_queue_count(pipeline))
            return false;
        op = weir_pipeline_queue(pipeline, step->queue).from;
    }
    return step->firing < weir_pipeline_firings(pipeline, op) &&
           execution_of(pipeline, op, step->iteration, step->firing, &execution);
}

static enum weir_status check(struct replay *r, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    const struct weir_witness *witness = r->witness;
    const struct weir_query *query = &witness->query;
    int64_t to_iteration;
    if (!weir_pipeline_sealed(pipeline))
        return weir_fail(error, WEIR_INVALID, "the pipeline has to be sealed before a witness is played");
    r->operators = weir_pipeline_operator_count(pipeline);
    if (query->from.op.index >= r->operators || query->to.op.index >= r->operators)
        return weir_fail(error, WEIR_INVALID, "the witness is about operators that the pipeline does not have");
    if (!weir_add(witness->iteration, query->shift, &to_iteration) || to_iteration == INT64_MAX ||
        witness->iteration == INT64_MAX ||
        !execution_of(pipeline, query->from.op, witness->iteration, query->from.firing, &r->from_execution) ||
        !execution_of(pipeline, query->to.op, to_iteration, query->to.firing, &r->to_execution))
        return weir_fail(error, WEIR_OVERFLOW, "the iteration of the witness is too large");
    if (witness->iteration < 0 || to_iteration < 0)
        return weir_fail(error, WEIR_INVALID, "the witness is about an iteration before the first");
    if (witness->segment_count > UINT32_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "the witness has too many segments");
    for (size_t s = 0; s < witness->segment_count; s++) {
        const struct weir_segment *segment = &witness->segments[s];
        if (segment->repeat < 1 || segment->iterations < (segment->repeat > 1))
            return weir_fail(error, WEIR_INVALID, "a segment of the witness is walked at least once, and forwards");
        for (size_t i = 0; i < segment->step_count; i++)
            if (!is_step(pipeline, &segment->steps[i]))
                return weir_fail(error, WEIR_INVALID, "a step of the witness is not one of the pipeline");
    }
    return WEIR_OK;
}

/* Sorts the steps that count by operator and part, in the order of the path. */
static void sort_marks(struct replay *r)
{
    const struct weir_witness *witness = r->witness;
    for (size_t s = 0; s < witness->segment_count; s++)
        for (size_t i = 0; i < witness->segments[s].step_count; i++) {
            const struct weir_step *step = &witness->segments[s].steps[i];
            if (counts(step))
                cursor_of_step(r, step)->end++;
        }
    size_t total = 0;
    for (size_t i = 0; i < r->cursor_count; i++) {
        struct cursor *c = &r->cursors[i];
        size_t mine = c->end;
        c->at = c->first = c->end = total;
        total += mine;
    }
    for (size_t s = 0; s < witness->segment_count; s++)
        for (size_t i = 0; i < witness->segments[s].step_count; i++) {
            const struct weir_step *step = &witness->segments[s].steps[i];
            if (!counts(step))
                continue;
            struct cursor *c = cursor_of_step(r, step);
            r->marks[c->end++] = (struct mark){step->iteration * c->firings + step->firing, (uint32_t)s};
        }
}

static void set_cursors(struct replay *r, const struct weir_pipeline *pipeline)
{
    static const struct weir_launch no_launch = {0};
    bool zero = r->witness->query.assume_zero_best;
    for (uint32_t i = 0; i < r->operators; i++) {
        struct weir_operator op = {i};
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
        const struct weir_launch *launch = spec.launch ? spec.launch : &no_launch;
        int64_t firings = weir_pipeline_firings(pipeline, op);
        *cursor_of(r, op, WEIR_PART_EXECUTION) = (struct cursor){zero ? 0 : spec.best, spec.worst, .firings = firings};
        *cursor_of(r, op, WEIR_PART_RECEIVE) = (struct cursor){zero ? 0 : spec.receive_min, spec.receive_max, .firings = firings};
        *cursor_of(r, op, WEIR_PART_GPU) = (struct cursor){zero ? 0 : launch->best, launch->worst, .firings = firings};
        *cursor_of(r, op, WEIR_PART_AFTER) =
            (struct cursor){zero ? 0 : launch->after_best, launch->after_worst, .firings = firings};
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        *transfers_of(r, (struct weir_queue){i}) =
            (struct cursor){zero ? 0 : q.transfer_min, q.transfer_max, .firings = weir_pipeline_firings(pipeline, q.from)};
    }
    sort_marks(r);
    for (size_t i = 0; i < r->cursor_count; i++)
        settle(r, &r->cursors[i]);
}

/* ---- when operators begin ---- */

/* The path begins in a root, which is as late as it can be. `later`: from when on, it alone where it begins at any time, else with
 * all that begin together; -1: that is not known yet. */
static bool begin(const struct weir_pipeline *pipeline, const struct weir_witness *witness, int64_t later, int64_t *begins)
{
    const struct weir_graph *g = pipeline->graph;
    uint32_t first = witness->segment_count ? witness->segments[0].steps[0].op.index : UINT32_MAX;
    bool alone = first < pipeline->operator_count && pipeline->phases[first].unknown, fits = true;
    for (uint32_t i = 0; i < weir_graph_roots(g); i++) {
        const struct weir_root *root = &g->roots[i];
        uint32_t op = g->actors[root->actor].op;
        if (!weir_part_begins(g->actors[root->actor].part))
            continue;
        bool known = later >= 0, late = known && (alone ? op == first : !root->unknown);
        int64_t own = op == first && (known || !root->unknown) ? root->most : root->unknown ? 0 : root->least;
        fits &= weir_add(own, late ? later : 0, &begins[op]);
    }
    return fits;
}

static bool has_unknown(const struct weir_pipeline *pipeline)
{
    return pipeline->graph->unknown_roots;
}

static enum weir_status run(struct replay *r, const struct weir_pipeline *pipeline, const int64_t *begins, struct weir_error *error)
{
    /* Nothing waits for a later iteration than its own. */
    const struct weir_witness *witness = r->witness;
    int64_t last = witness->iteration + (witness->query.shift > 0 ? witness->query.shift : 0);
    int64_t more = r->watch->more < INT64_MAX - 1 - last ? r->watch->more : 0;
    struct weir_machine_rules rules = {.iterations = last + 1 + more,
                                       .time_of = time_of,
                                       .transfer_of = transfer_of,
                                       .observe = observe,
                                       .context = r,
                                       .begins = begins,
                                       .rounds = r->watch->observe ? NULL : &r->rounds,
                                       .starts_max = r->watch->starts_max};
    r->rounds = (struct weir_machine_rounds){.ahead = ahead};
    r->paced = 0;
    r->from_seen = r->to_seen = false;
    set_cursors(r, pipeline);
    return weir_machine_run(pipeline, &rules, error);
}

/* Once to see when the latency would begin; then with what the path begins with at that moment, as late as it counts. What begins
 * at any time must not be earlier: what came from there would be waited for instead. */
static enum weir_status run_twice(struct replay *r, const struct weir_pipeline *pipeline, int64_t *begins, struct weir_error *error)
{
    struct weir_replay_watch quiet = {.starts_max = r->watch->starts_max}, *watch = (struct weir_replay_watch *)(uintptr_t)r->watch;
    begin(pipeline, r->witness, -1, begins);
    r->watch = has_unknown(pipeline) ? &quiet : watch;
    enum weir_status status = run(r, pipeline, begins, error);
    r->watch = watch;
    if (status || !has_unknown(pipeline) || !r->from_seen || r->disordered || r->overflow)
        return status;
    if (!begin(pipeline, r->witness, r->from_time, begins))
        return weir_fail(error, WEIR_OVERFLOW, "the simulation runs for longer than can be represented");
    return run(r, pipeline, begins, error);
}

static enum weir_status play(struct replay *r, const struct weir_pipeline *pipeline, struct weir_error *error)
{
    int64_t *begins = pipeline->phases ? weir_array_zeroed(pipeline->operator_count, sizeof *begins) : NULL;
    if (pipeline->phases && !begins)
        return weir_fail_memory(error);
    enum weir_status status = begins ? run_twice(r, pipeline, begins, error) : run(r, pipeline, NULL, error);
    weir_free(begins);
    if (status)
        return status;
    if (r->overflow)
        return weir_fail(error, WEIR_OVERFLOW, "the witness repeats a segment for longer than can be represented");
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
    r.cursor_count = (size_t)r.operators * CURSORS + weir_pipeline_queue_count(pipeline);
    r.cursors = weir_array_zeroed(r.cursor_count, sizeof *r.cursors);
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
