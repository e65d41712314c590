/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds across connections that do not wait, checked: starts from the beginning of time on, and sums of segments. */
#include "check/async/async.h"

#include "base/alloc.h"
#include "base/number.h"
#include "check/tokens.h"
#include "model/pipeline.h"

#include <string.h>

/* ---- starts ---- */

/* Hands the start of an actor on along its arcs: to later rows, or to larger numbers in the same. */
static void hand_on(const struct weir_beginning *b, int64_t *rows, int64_t kept, uint32_t actor, int64_t row)
{
    const struct weir_graph *g = b->graph;
    int64_t start = rows[row % kept * g->actor_count + actor];
    for (uint32_t r = g->out_first[actor]; r < g->out_first[actor + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t then = start + run->offset + (run->finish ? g->hi[actor] : 0), at = row + run->tokens;
        if (at > b->iteration)
            continue;
        int64_t *there = rows + at % kept * g->actor_count;
        for (uint32_t h = run->first; h < run->end; h++)
            if (there[g->heads[h]] < then)
                there[g->heads[h]] = then;
    }
}

enum weir_status weir_beginning_check(const struct weir_beginning *b, bool *holds)
{
    const struct weir_graph *g = b->graph;
    int64_t kept = (g->tokens_max < b->iteration ? g->tokens_max : b->iteration) + 1;
    int64_t *rows = weir_array_zeroed((size_t)kept * g->actor_count, sizeof *rows);
    *holds = false;
    if (!rows)
        return WEIR_MEMORY;
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        rows[g->roots[r].actor] = g->roots[r].most;
    for (int64_t row = 0; row <= b->iteration; row++) {
        for (uint32_t o = 0; o < g->actor_count; o++)
            hand_on(b, rows, kept, o, row);
        int64_t *mine = rows + row % kept * g->actor_count;
        if (row == b->iteration)
            *holds = mine[b->actor] <= b->bound;
        memset(mine, 0, g->actor_count * sizeof *mine); /* for the row that comes in its place */
    }
    weir_free(rows);
    return WEIR_OK;
}

/* ---- which waits for which ---- */

enum weir_status weir_hold_check(const struct weir_hold *hold, bool *holds)
{
    uint32_t count = hold->graph->actor_count;
    int64_t *fewest = weir_array(count, sizeof *fewest);
    bool good = fewest && weir_march(&(struct weir_march){.graph = hold->graph, .actor = hold->by, .finish = hold->finish}, fewest);
    *holds = good && count && fewest[hold->actor] <= hold->tokens;
    weir_free(fewest);
    return good ? WEIR_OK : WEIR_MEMORY;
}

/* ---- segments ---- */

struct walk {
    const struct weir_pipeline *pipeline;
    uint32_t at;   /* the operator that the next segment begins at */
    bool in_queue; /* ... is in a queue, and the next segment says how long */
    uint32_t queue;
    bool over;
    int64_t sum;
};

/* From the start of an operator to the finish of one, where the message is sent into a queue or the latency is over. */
static bool follow_path(struct walk *w, const struct weir_async_segment *segment)
{
    if (!segment->has_queue) {
        w->over = true;
        return true;
    }
    struct weir_queue_spec q = weir_pipeline_queue(w->pipeline, segment->queue);
    w->in_queue = true;
    w->queue = segment->queue.index;
    return q.from.index == segment->to.index && !q.latest &&
           (q.nonblocking || q.optional || q.port || q.capacity == WEIR_UNBOUNDED);
}

static bool follow_queue(struct walk *w, const struct weir_async_segment *segment)
{
    struct weir_queue_spec q = weir_pipeline_queue(w->pipeline, segment->queue);
    int64_t messages = segment->kind == WEIR_SEGMENT_BEGINNING ? segment->newer + 1 : segment->newer;
    w->in_queue = false;
    w->at = q.to.index;
    return segment->queue.index == w->queue && q.to.index == segment->to.index && messages >= 1 &&
           ((q.full == WEIR_FULL_NEVER && q.nonblocking) || messages <= q.capacity);
}

static bool follow_newer(struct walk *w, const struct weir_async_segment *segment)
{
    struct weir_queue_spec q = weir_pipeline_queue(w->pipeline, segment->queue);
    w->at = q.to.index;
    return q.from.index == segment->to.index &&
           (q.latest ? segment->newer == 1 : q.full == WEIR_FULL_POP && segment->newer == q.capacity);
}

static bool follow_room(struct walk *w, const struct weir_async_segment *segment)
{
    struct weir_queue_spec q = weir_pipeline_queue(w->pipeline, segment->queue);
    w->at = q.to.index;
    return q.to.index == segment->to.index && (q.optional || q.full != WEIR_FULL_NEVER);
}

static bool follow(struct walk *w, const struct weir_async_segment *segment)
{
    bool waits = segment->kind == WEIR_SEGMENT_QUEUE || segment->kind == WEIR_SEGMENT_BEGINNING;
    if (w->over || w->in_queue != waits || !weir_add(w->sum, segment->worst, &w->sum))
        return false;
    if (segment->kind != WEIR_SEGMENT_PATH &&
        (!segment->has_queue || segment->queue.index >= weir_pipeline_queue_count(w->pipeline) || segment->worst < 0))
        return false;
    if (!waits && segment->from.index != w->at)
        return false;
    switch (segment->kind) {
    case WEIR_SEGMENT_PATH:
        return follow_path(w, segment);
    case WEIR_SEGMENT_NEWER:
        return follow_newer(w, segment);
    case WEIR_SEGMENT_QUEUE:
    case WEIR_SEGMENT_BEGINNING:
        return follow_queue(w, segment);
    case WEIR_SEGMENT_ROOM:
        return follow_room(w, segment);
    }
    return false;
}

/* ---- room in ports ---- */

/* Where operators share threads, each time that others have filled the port one message is taken and received, and then there is
 * room, but the producer may have to wait for a thread while another message comes. */
int64_t weir_room_wait(const struct weir_port_room_claim *claim)
{
    const struct weir_pipeline *p = claim->pipeline;
    const struct weir_queue_spec *q = &p->queues[claim->queue];
    int64_t received = claim->takes + p->operators[q->to.index].receive_max;
    return p->lateness ? claim->taken * (received + weir_pipeline_lateness(p, q->from.index).most) : received;
}

/* The shortest time from one message of an operator to the count-th after it. */
static int64_t least_time(const struct weir_pipeline *p, uint32_t op, int64_t count)
{
    const struct weir_operator_spec *spec = &p->operators[op];
    int64_t least = count * spec->best, longest = spec->receive_max > spec->worst ? spec->receive_max : spec->worst;
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *source = &p->sources[i];
        int64_t periods = source->arrivals == WEIR_ARRIVALS_AT_MOST ? count
                          : source->arrivals == WEIR_ARRIVALS_SKIP  ? count - 1
                                                                    : 0;
        /* From start to start; the first may take its longest time, and the last its shortest. What waits for work on a GPU may
         * send long after its start. */
        int64_t starts = spec->launch && spec->launch->waits ? 0 : periods * source->period - weir_pipeline_lateness(p, op).early;
        if (source->op.index == op && starts - (longest - spec->best) > least)
            least = starts - (longest - spec->best);
    }
    return least;
}

/* Messages that the operators can send while the producer of the claim waits, by operator: no more than so many have the time to,
 * or there are no more for them to handle: those in a queue, those that come, and one that is being handled. */
static void count_messages(const struct weir_port_room_claim *claim, int64_t *counts)
{
    const struct weir_pipeline *p = claim->pipeline;
    int64_t wait = weir_room_wait(claim);
    for (uint32_t o = 0; o < p->operator_count; o++) {
        bool free = p->operators[o].reentrant;
        for (counts[o] = free ? claim->taken : 0; counts[o] < claim->taken && least_time(p, o, counts[o]) <= wait;)
            counts[o]++;
    }
    counts[p->queues[claim->queue].from.index] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < p->queue_count; i++) {
            const struct weir_queue_spec *q = &p->queues[i];
            int64_t *to = &counts[q->to.index], most = counts[q->from.index] + q->capacity + 1;
            if (!weir_queue_waits(q) || q->transfer_max || q->capacity == WEIR_UNBOUNDED || p->operators[q->to.index].reentrant)
                continue;
            if ((q->nonblocking && q->full == WEIR_FULL_NEVER) || most >= *to || counts[q->from.index] >= claim->taken)
                continue;
            *to = most;
            changed = true;
        }
    }
}

enum weir_status weir_room_check(const struct weir_port_room_claim *claim, bool *holds)
{
    const struct weir_pipeline *p = claim->pipeline;
    const struct weir_queue_spec *own = &p->queues[claim->queue];
    int64_t sent = 0, others = 0, *counts = weir_array(p->operator_count, sizeof *counts);
    bool waiting = !p->lateness, good = claim->taken > 0 && claim->takes >= 0 && own->port;
    *holds = false;
    if (!counts)
        return WEIR_MEMORY;
    count_messages(claim, counts);
    for (uint32_t i = 0; i < p->queue_count && good; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (i == claim->queue || !q->port || q->to.index != own->to.index || strcmp(q->port, own->port) != 0)
            continue;
        const struct weir_operator_spec *from = &p->operators[q->from.index];
        others++;
        good = !from->reentrant;
        waiting &= !q->nonblocking && from->best > 0 && !from->launch;
        sent += counts[q->from.index];
    }
    *holds = good && others > 0 && (waiting && others == 1 ? 1 : sent) < claim->taken;
    weir_free(counts);
    return WEIR_OK;
}

bool weir_async_segments_check(const struct weir_pipeline *pipeline, const struct weir_async_latency *latency)
{
    struct walk w = {.pipeline = pipeline, .at = latency->chain.from.index};
    for (size_t i = 0; i < latency->segment_count; i++)
        if (!follow(&w, &latency->segments[i]))
            return false;
    return w.over && latency->segments[latency->segment_count - 1].to.index == latency->chain.to.index && w.sum == latency->worst;
}
