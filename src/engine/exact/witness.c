/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path, read off the tables from its beginning to the target: at each node some arc leads to a head whose label,
 * plus the arc, is the node's own. In a stretch that a jump passed over, the last rows before the jump stand for all their
 * repetitions; once the path comes through the same node of these rows again it goes in circles, and the circle is written once.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "engine/exact/fold.h"
#include "engine/exact/lines.h"
#include "engine/exact/search.h"
#include "engine/exact/solver.h"
#include "model/firings.h"
#include "model/links.h"

#include <string.h>

struct path_builder {
    const struct weir_solver *solver;
    const struct weir_problem *problem;
    int64_t iteration; /* of the reference */
    struct weir_step *steps;
    size_t step_count, step_capacity;
    struct weir_path path;      /* its steps are where they were when the segment was closed; see place_steps */
    size_t open;                /* first step that is in no segment yet */
    struct weir_links links;    /* queues by producer */
    uint32_t last;              /* actor of the last step */
    struct weir_trace_path arc; /* by which the last step was left */
    bool failed;
};

/* Whether the queue makes execution `head`, in some round, wait for execution `tail` so many rounds earlier: for its message, or,
 * where `tail` is the consumer, for the room it makes. lower.c has the numbers. */
static bool is_waited_for(const struct path_builder *b, const struct weir_queue_spec *q, const struct weir_actor *tail,
                          const struct weir_actor *head)
{
    const struct weir_pipeline *p = b->solver->pipeline;
    int64_t batch = weir_queue_batch(q), ago = b->arc.tokens;
    int64_t earlier = tail->firing - ago * weir_pipeline_firings(p, (struct weir_operator){tail->op});
    bool room = b->arc.wait == WEIR_WAIT_BACKPRESSURE;
    if (room && (q->nonblocking || q->capacity == WEIR_UNBOUNDED || q->capacity == WEIR_AUTO))
        return false;
    if (!room && !weir_queue_waits(q))
        return false;
    int64_t message = room ? (int64_t)head->firing + q->initial - q->capacity : earlier + q->initial;
    return (message >= 0 ? message / batch : -((batch - 1 - message) / batch)) == (room ? earlier : head->firing);
}

/* The queue over which the step before holds up `head`; UINT32_MAX: none. Of several that do alike, the first. */
static uint32_t queue_between(const struct path_builder *b, const struct weir_actor *head)
{
    const struct weir_pipeline *p = b->solver->pipeline;
    const struct weir_actor *tail = &b->problem->graph->actors[b->last];
    bool room = b->arc.wait == WEIR_WAIT_BACKPRESSURE;
    if (head->part == WEIR_PART_TRANSFER)
        return head->queue;
    if ((b->arc.wait != WEIR_WAIT_DATA && !room) || tail->part == WEIR_PART_ARRIVAL)
        return UINT32_MAX;
    if (tail->part == WEIR_PART_TRANSFER)
        return tail->queue;
    uint32_t from = room ? head->op : tail->op, to = room ? tail->op : head->op;
    for (uint32_t i = b->links.first[from]; i < b->links.first[from + 1]; i++)
        if (p->queues[b->links.queue[i]].to.index == to && is_waited_for(b, &p->queues[b->links.queue[i]], tail, head))
            return b->links.queue[i];
    return UINT32_MAX;
}

static void add_step(struct path_builder *b, uint32_t actor, int64_t depth, const struct weir_trace_path *arc)
{
    if (!weir_reserve(&b->steps, &b->step_capacity, b->step_count + 1, sizeof *b->steps)) {
        b->failed = true;
        return;
    }
    const struct weir_graph *g = b->problem->graph;
    b->steps[b->step_count] = (struct weir_step){
        .op = {g->actors[actor].op},
        .part = (enum weir_part)g->actors[actor].part,
        .wait = b->arc.wait,
        .counts = arc->finish,
        .firing = g->actors[actor].firing,
        .queue = {queue_between(b, &g->actors[actor])},
        .iteration = b->iteration - depth,
        .time = arc->finish ? g->hi[actor] : b->problem->lo[actor],
    };
    b->step_count++;
    b->last = actor;
    b->arc = *arc;
}

/* Puts the steps since the last segment into one. */
static void close_segment(struct path_builder *b, size_t end, int64_t iterations, int64_t repeat)
{
    struct weir_segment segment = {.step_count = end - b->open, .iterations = iterations, .repeat = repeat};
    b->failed |= !weir_path_append(&b->path, segment);
    b->open = end;
}

/* ---- the general case: rows of a search ---- */

/* A place on the path: a stored row of an epoch, or, with `over` > 0, that many rows past the epoch's last. */
struct spot {
    size_t epoch;
    uint32_t actor;
    int64_t row, over;
};

static int64_t epoch_last(const struct weir_search *s, size_t epoch)
{
    return (epoch + 1 < s->epoch_count ? s->epochs[epoch + 1].first : s->row_count) - 1;
}

/* The advanced copies at the beginning of an epoch stand for rows of the one before, or for repetitions of its last rows. */
static void settle(const struct weir_search *s, struct spot *spot)
{
    while (spot->epoch > 0 && spot->over == 0 && spot->row < s->epochs[spot->epoch].first + s->window) {
        int64_t logical = spot->row + s->epochs[spot->epoch].depth;
        spot->epoch--;
        int64_t last = epoch_last(s, spot->epoch);
        spot->row = logical - s->epochs[spot->epoch].depth;
        if (spot->row > last) {
            spot->over = spot->row - last;
            spot->row = last;
        }
    }
}

static int64_t depth_of(const struct weir_search *s, const struct spot *spot)
{
    return weir_search_depth(s, &s->epochs[spot->epoch], spot->row) + spot->over;
}

/* Walks through repeated rows until they are left; circles are compressed. */
static void walk_repetitions(struct path_builder *b, const struct weir_search *s, struct spot *spot)
{
    int64_t period = s->epochs[spot->epoch].period, last = epoch_last(s, spot->epoch), n = s->n;
    size_t states = (size_t)(period * n);
    int64_t *seen_over = weir_array_zeroed(states, sizeof *seen_over); /* rows past the last when the node was met; 0: not yet */
    size_t *seen_step = weir_array(states, sizeof *seen_step);
    if (!seen_over || !seen_step)
        b->failed = true;
    while (!b->failed && spot->over > 0) {
        int64_t pattern = (spot->over - 1) % period, row = last - period + 1 + pattern;
        size_t state = (size_t)(pattern * n + spot->actor);
        if (seen_over && seen_over[state]) {
            int64_t circle = seen_over[state] - spot->over, more = (spot->over - 1) / circle;
            if (more > 0) {
                close_segment(b, seen_step[state], 0, 1);
                close_segment(b, b->step_count, circle, more + 1);
                spot->over -= more * circle;
            }
            weir_free(seen_over); /* what is left is shorter than a circle */
            seen_over = NULL;
        }
        if (seen_over) {
            seen_over[state] = spot->over;
            seen_step[state] = b->step_count;
        }
        struct weir_repetition repetition = {.period = period, .times = (spot->over - 1) / period + 1};
        struct weir_trace_path arc = weir_search_trace_path(s, spot->actor, row, &repetition, false);
        if (!arc.found) {
            b->failed = true;
            break;
        }
        add_step(b, spot->actor, depth_of(s, spot), &arc);
        spot->actor = arc.head;
        spot->over -= arc.tokens;
    }
    if (spot->over < 0)
        spot->row += spot->over;
    spot->over = 0;
    weir_free(seen_over);
    weir_free(seen_step);
}

static enum weir_status trace_search(struct path_builder *b, const struct weir_search *s)
{
    struct spot spot = {.epoch = s->epoch_count - 1, .actor = s->found_actor, .row = s->found_row};
    int64_t depth = depth_of(s, &spot);
    b->iteration = depth > 0 ? depth : 0;
    while (!b->failed) {
        settle(s, &spot);
        if (spot.over > 0) {
            walk_repetitions(b, s, &spot);
            continue;
        }
        struct weir_trace_path arc = weir_search_trace_path(s, spot.actor, spot.row, NULL, spot.epoch == 0);
        if (!arc.found)
            return WEIR_INTERNAL;
        add_step(b, spot.actor, depth_of(s, &spot), &arc);
        if (arc.end)
            break;
        spot.actor = arc.head;
        spot.row -= arc.tokens;
    }
    return b->failed ? WEIR_MEMORY : WEIR_OK;
}

/* ---- ... lines ---- */

/* What an execution does again and again is written once. */
static enum weir_status trace_lines(struct path_builder *b, const struct weir_lines *l)
{
    struct weir_lines_step step;
    weir_lines_begin(l, &step);
    int64_t origin = b->problem->reference_row;
    b->iteration = step.row > origin ? step.row - origin : 0;
    for (bool found = step.arc.found; !b->failed; found = weir_lines_next(l, &step)) {
        if (!found)
            return WEIR_INTERNAL;
        add_step(b, step.actor, step.row - origin, &step.arc);
        if (step.times > 1) {
            close_segment(b, b->step_count, 0, 1);
            add_step(b, step.actor, step.row - 1 - origin, &step.arc);
            close_segment(b, b->step_count, 1, step.times - 1);
        }
        if (step.arc.end)
            break;
    }
    return b->failed ? WEIR_MEMORY : WEIR_OK;
}

/* ---- the one-pass case: rows of the region ---- */

/* The path may begin with the last ancestor, in iteration 0: whatever it waited for before costs nothing at best times of 0. */
static enum weir_status trace_onepass(struct path_builder *b, struct weir_onepass_start start, int64_t value)
{
    const struct weir_problem *p = b->problem;
    uint32_t o = start.actor;
    int64_t row = start.row, label = value;
    b->iteration = row > p->reference_row ? row - p->reference_row : 0;
    while (!b->failed) {
        struct weir_trace_path arc = weir_onepass_trace_path(b->solver, p, o, row, label);
        if (!arc.found)
            return WEIR_INTERNAL;
        add_step(b, o, row - p->reference_row, &arc);
        if (arc.end)
            break;
        o = arc.head;
        row -= arc.tokens;
        label = b->solver->region.rows[row * p->graph->actor_count + o];
    }
    return b->failed ? WEIR_MEMORY : WEIR_OK;
}

/* ---- */

static enum weir_status find_path(struct weir_solver *s, struct path_builder *b, int64_t worst, struct weir_error *error)
{
    const struct weir_problem *p = b->problem;
    struct weir_separation result;
    struct weir_onepass_start start;
    enum weir_status status = WEIR_OK;
    if (!weir_problem_is_swept(s, p)) {
        bool by_lines;
        switch (weir_general_decide(s, p, worst, &by_lines)) {
        case WEIR_REACHABLE:
            status = by_lines ? trace_lines(b, s->lines) : trace_search(b, s->search);
            break;
        case WEIR_UNDECIDED:
            return weir_fail(error, WEIR_OVERFLOW, "the witness is too large to be found within the limits");
        case WEIR_OUT_OF_MEMORY:
            return weir_fail_memory(error);
        case WEIR_UNREACHABLE:
            return weir_fail(error, WEIR_INTERNAL, "a separation of %lld was reached before and is not now", (long long)worst);
        }
    } else {
        status = weir_onepass_solve(s, p, true, &result, &start);
        if (!status && result.outcome != WEIR_EXACT)
            return weir_fail(error, WEIR_OVERFLOW, "the pipeline is too large to keep the tables that a witness is read from");
        if (!status)
            status = trace_onepass(b, start, result.value);
    }
    if (status == WEIR_INTERNAL)
        return weir_fail(error, status, "the critical path cannot be read off its tables");
    return status ? weir_fail_memory(error) : WEIR_OK;
}

/* A witness with its segments and steps in one block. */
static struct weir_witness *pack(const struct weir_path *path, const struct path_builder *b)
{
    size_t segments_at = sizeof(struct weir_witness), steps_at = segments_at + path->count * sizeof(struct weir_segment), steps = 0;
    for (size_t i = 0; i < path->count; i++)
        steps += path->segments[i].step_count;
    char *block = weir_resize(NULL, steps_at + steps * sizeof(struct weir_step));
    if (!block)
        return NULL;
    struct weir_segment *segment = (struct weir_segment *)(void *)(block + segments_at);
    struct weir_step *step = (struct weir_step *)(void *)(block + steps_at);
    for (size_t i = 0; i < path->count; i++) {
        segment[i] = path->segments[i];
        segment[i].steps = memcpy(step, path->segments[i].steps, segment[i].step_count * sizeof *step);
        step += segment[i].step_count;
    }
    struct weir_witness *witness = (struct weir_witness *)(void *)block;
    *witness = (struct weir_witness){.iteration = b->iteration, .segments = segment, .segment_count = path->count};
    return witness;
}

/* The steps have stopped moving: the segments, one after the other, can point to theirs. */
static void place_steps(struct path_builder *b)
{
    const struct weir_step *step = b->steps;
    for (size_t i = 0; i < b->path.count; i++) {
        b->path.segments[i].steps = step;
        step += b->path.segments[i].step_count;
    }
}

enum weir_status weir_separation_witness(struct weir_solver *s, const struct weir_query *query, struct weir_witness **witness,
                                         struct weir_error *error)
{
    struct weir_separation result;
    *witness = NULL;
    enum weir_status status = weir_separation_worst(s, query, &result, error);
    if (status)
        return status;
    if (result.outcome != WEIR_EXACT)
        return weir_fail(error, WEIR_INVALID, "only an exact separation has a witness");
    return weir_separation_trace(s, query, result.value, witness, error);
}

enum weir_status weir_separation_trace(struct weir_solver *s, const struct weir_query *query, int64_t worst,
                                       struct weir_witness **witness, struct weir_error *error)
{
    struct weir_problem problem;
    *witness = NULL;
    enum weir_status status = weir_problem_pose(s, query, &problem, error);
    if (status)
        return status;
    struct path_builder b = {.solver = s, .problem = &problem};
    struct weir_arena arena = {0};
    struct weir_path folded = {0};
    status =
        weir_links_make(&b.links, s->pipeline, WEIR_LINKS_OUT, &arena) ? find_path(s, &b, worst, error) : weir_fail_memory(error);
    if (!status) {
        close_segment(&b, b.step_count, 0, 1);
        place_steps(&b);
        if (!b.failed && weir_path_fold(&b.path, &folded))
            *witness = pack(&folded, &b);
        if (!*witness)
            status = weir_fail_memory(error);
    }
    if (*witness) {
        (*witness)->query = *query;
        (*witness)->separation = worst;
    }
    weir_arena_free(&arena);
    weir_free(folded.segments);
    weir_free(b.path.segments);
    weir_free(b.steps);
    return status;
}

void weir_witness_free(struct weir_witness *witness)
{
    weir_free(witness);
}
