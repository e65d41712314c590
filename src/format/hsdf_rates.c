/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edges of a pipeline with queues that are read several messages at once, from the pipeline and not from its event graph: what
 * that has once for each run in a round, tokens and rates say once. A queue p -> o of which N messages are taken at once, with d of
 * them at the beginning, is an edge on which p puts 1 and o takes N, with d tokens; its room one on which o puts N and p takes 1.
 *
 * The order of launches into a shared stream is that of a round, B waits for so many launches of A. An edge on which A puts P and B
 * takes C, with d tokens, has run j of B wait for the first ceil((C (j + 1) - d) / P) runs of A: it says the order where some d
 * gives that number for each j.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "format/hsdf.h"
#include "model/firings.h"

#include <string.h>

/* The actors of an operator's first firing, or WEIR_NO_ACTOR. */
struct parts {
    uint32_t by_part[WEIR_PART_TICK + 1];
};

struct joining {
    struct weir_hsdf *hsdf;
    struct parts *parts;      /* by operator */
    uint32_t *transfer;       /* by queue */
    struct weir_error *error; /* for what rates cannot say */
    bool out_of_memory;
};

static bool find_parts(struct joining *j)
{
    const struct weir_pipeline *p = j->hsdf->pipeline;
    j->parts = weir_array(p->operator_count, sizeof *j->parts);
    j->transfer = weir_array(p->queue_count, sizeof *j->transfer);
    if (!j->parts || !j->transfer)
        return false;
    memset(j->parts, 0xff, p->operator_count * sizeof *j->parts); /* WEIR_NO_ACTOR */
    for (uint32_t v = 0; v < p->graph->actor_count; v++) {
        const struct weir_actor *a = &p->graph->actors[v];
        if (a->firing)
            continue;
        if (a->part == WEIR_PART_TRANSFER)
            j->transfer[a->queue] = v;
        else
            j->parts[a->op].by_part[a->part] = v;
    }
    return true;
}

static void add(struct joining *j, struct weir_hsdf_edge edge)
{
    edge.produce = edge.produce ? edge.produce : 1;
    edge.consume = edge.consume ? edge.consume : 1;
    j->out_of_memory |= !weir_hsdf_add_edge(j->hsdf, edge);
}

/* From the end of one actor to the start of another, which comes next. */
static void follow(struct joining *j, uint32_t tail, uint32_t head, uint32_t tokens)
{
    add(j, (struct weir_hsdf_edge){.tail = j->hsdf->body[tail], .head = j->hsdf->start[head], .tokens = tokens});
}

/* The actor whose end is that of the operator on the CPU; that when its messages go out. */
static uint32_t launched(const struct joining *j, uint32_t op)
{
    const uint32_t *part = j->parts[op].by_part;
    return part[WEIR_PART_DONE] != WEIR_NO_ACTOR ? part[WEIR_PART_DONE] : part[WEIR_PART_EXECUTION];
}

static uint32_t sent(const struct joining *j, uint32_t op)
{
    const struct weir_launch *launch = j->hsdf->pipeline->operators[op].launch;
    const uint32_t *part = j->parts[op].by_part;
    if (!launch || !launch->waits)
        return launched(j, op);
    return part[WEIR_PART_AFTER] != WEIR_NO_ACTOR ? part[WEIR_PART_AFTER] : part[WEIR_PART_GPU];
}

static void add_operator(struct joining *j, uint32_t op)
{
    const struct weir_operator_spec *spec = &j->hsdf->pipeline->operators[op];
    const struct weir_launch *launch = spec->launch;
    const uint32_t *part = j->parts[op].by_part;
    uint32_t execution = part[WEIR_PART_EXECUTION], start = j->hsdf->start[execution], gpu = part[WEIR_PART_GPU];
    if (spec->reentrant)
        add(j, (struct weir_hsdf_edge){.tail = start, .head = start, .tokens = 1});
    else
        follow(j, sent(j, op), execution, 1);
    if (part[WEIR_PART_RECEIVE] != WEIR_NO_ACTOR) {
        add(j, (struct weir_hsdf_edge){.tail = start, .head = j->hsdf->start[part[WEIR_PART_RECEIVE]]});
        follow(j, execution, part[WEIR_PART_DONE], 0);
        follow(j, part[WEIR_PART_RECEIVE], part[WEIR_PART_DONE], 0);
    }
    if (!launch)
        return;
    follow(j, launched(j, op), gpu, 0);
    if (!launch->waits)
        follow(j, gpu, gpu, 1);
    if (part[WEIR_PART_AFTER] != WEIR_NO_ACTOR)
        follow(j, gpu, part[WEIR_PART_AFTER], 0);
}

/* Whether work on the GPU that trails the messages of `from` is waited for by that of `to`: both have a part there, and nobody
 * waits for it before. */
static bool trails(const struct joining *j, uint32_t from, uint32_t to)
{
    const struct weir_launch *launch = j->hsdf->pipeline->operators[from].launch;
    return j->parts[from].by_part[WEIR_PART_GPU] != WEIR_NO_ACTOR && j->parts[to].by_part[WEIR_PART_GPU] != WEIR_NO_ACTOR &&
           (!launch || !launch->waits);
}

static void add_queue(struct joining *j, size_t number)
{
    const struct weir_hsdf *h = j->hsdf;
    const struct weir_queue_spec *q = &h->pipeline->queues[number];
    uint32_t from = q->from.index, to = q->to.index, tail = sent(j, from), batch = weir_queue_batch(q);
    uint32_t execution = j->parts[to].by_part[WEIR_PART_EXECUTION], receive = j->parts[to].by_part[WEIR_PART_RECEIVE];
    if (q->transfer_max) {
        follow(j, tail, j->transfer[number], 0);
        tail = j->transfer[number];
    }
    add(j, (struct weir_hsdf_edge){
               .tail = h->body[tail], .head = h->start[execution], .tokens = q->initial, .produce = 1, .consume = batch});
    if (trails(j, from, to))
        add(j, (struct weir_hsdf_edge){.tail = h->body[j->parts[from].by_part[WEIR_PART_GPU]],
                                       .head = h->start[j->parts[to].by_part[WEIR_PART_GPU]],
                                       .tokens = q->initial,
                                       .produce = 1,
                                       .consume = batch});
    if (!q->nonblocking && q->capacity != WEIR_UNBOUNDED)
        add(j, (struct weir_hsdf_edge){.tail = receive != WEIR_NO_ACTOR ? h->body[receive] : h->start[execution],
                                       .head = h->start[j->parts[from].by_part[WEIR_PART_EXECUTION]],
                                       .tokens = q->capacity - q->initial,
                                       .produce = batch,
                                       .consume = 1});
}

static void add_source(struct joining *j, const struct weir_source_spec *source)
{
    const uint32_t *part = j->parts[source->op.index].by_part;
    uint32_t execution = part[WEIR_PART_EXECUTION], clock = part[WEIR_PART_ARRIVAL];
    clock = clock != WEIR_NO_ACTOR ? clock : part[WEIR_PART_TICK];
    uint32_t own = clock != WEIR_NO_ACTOR ? clock : execution, start = j->hsdf->start[own];
    j->out_of_memory |=
        !weir_hsdf_add_delay(j->hsdf, own, source->period,
                             (struct weir_hsdf_edge){.tail = start, .head = start, .tokens = 1, .produce = 1, .consume = 1});
    if (own != execution)
        follow(j, own, execution, 0);
}

/* ---- streams ---- */

/* How many actors of group `a` stand in the order of the stream before the actor of a group, both in one round. */
static uint32_t count_before(const struct weir_hsdf *h, uint32_t a, uint32_t actor)
{
    uint32_t before = 0;
    for (uint32_t m = h->member_first[a]; m < h->member_first[a + 1]; m++)
        before += h->members[m] < actor; /* arcs without tokens lead to larger numbers */
    return before;
}

static enum weir_status add_order(struct joining *j, uint32_t a, uint32_t b)
{
    struct weir_hsdf *h = j->hsdf;
    uint32_t of_a = weir_hsdf_firings(h, a), of_b = weir_hsdf_firings(h, b);
    uint32_t shared = (uint32_t)weir_greatest_divisor(of_a, of_b), consume = of_a / shared, produce = of_b / shared;
    int64_t least = 0, most = INT64_MAX;
    for (uint32_t k = 0; k < of_b; k++) { /* produce (n - 1) < consume (k + 1) - tokens <= produce n */
        int64_t n = count_before(h, a, h->members[h->member_first[b] + k]), need = (int64_t)consume * (k + 1);
        least = need - produce * n > least ? need - produce * n : least;
        if (n > 0)
            most = need - produce * (n - 1) - 1 < most ? need - produce * (n - 1) - 1 : most;
    }
    char one[WEIR_QUOTED], other[WEIR_QUOTED];
    uint32_t first = h->members[h->member_first[a]], second = h->members[h->member_first[b]];
    const struct weir_graph *g = h->pipeline->graph;
    if (least > most || least > UINT32_MAX)
        return weir_fail(j->error, WEIR_INVALID,
                         "\"%s\" and \"%s\" launch into one stream in an order that rates cannot say: this format cannot hold "
                         "that; YAML and JSON can",
                         weir_quote(h->pipeline->operators[g->actors[first].op].name, one),
                         weir_quote(h->pipeline->operators[g->actors[second].op].name, other));
    add(j,
        (struct weir_hsdf_edge){
            .tail = h->body[first], .head = h->start[second], .tokens = (uint32_t)least, .produce = produce, .consume = consume});
    return WEIR_OK;
}

/* Each pair of groups once, where an actor of the one is followed by one of the other. */
static enum weir_status add_streams(struct joining *j)
{
    const struct weir_hsdf *h = j->hsdf;
    const struct weir_graph *g = h->pipeline->graph;
    enum weir_status status = WEIR_OK;
    uint32_t *seen = weir_array_zeroed(h->group_count, sizeof *seen); /* by head: the last tail, and one */
    j->out_of_memory |= !seen;
    for (uint32_t a = 0; a < h->group_count && seen && !status; a++)
        for (uint32_t m = h->member_first[a]; m < h->member_first[a + 1]; m++)
            for (uint32_t v = h->members[m], r = g->out_first[v]; r < g->out_first[v + 1]; r++)
                for (uint32_t i = g->out_runs[r].first; i < g->out_runs[r].end && !status; i++) {
                    uint32_t b = h->group[g->heads[i]];
                    if (!g->out_runs[r].finish || g->out_runs[r].wait != WEIR_WAIT_ORDER || a == b || seen[b] == a + 1)
                        continue;
                    seen[b] = a + 1;
                    status = add_order(j, a, b);
                }
    weir_free(seen);
    return status;
}

enum weir_status weir_hsdf_add_rates(struct weir_hsdf *h, struct weir_error *error)
{
    struct joining j = {.hsdf = h, .error = error};
    const struct weir_pipeline *p = h->pipeline;
    enum weir_status status = WEIR_OK;
    j.out_of_memory = !find_parts(&j);
    for (uint32_t o = 0; o < p->operator_count && !j.out_of_memory; o++)
        add_operator(&j, o);
    for (size_t i = 0; i < p->queue_count && !j.out_of_memory; i++)
        add_queue(&j, i);
    for (size_t i = 0; i < p->source_count && !j.out_of_memory; i++)
        add_source(&j, &p->sources[i]);
    if (!j.out_of_memory)
        status = add_streams(&j);
    weir_free(j.transfer);
    weir_free(j.parts);
    return j.out_of_memory ? weir_fail_memory(error) : status;
}
