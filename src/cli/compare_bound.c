/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounds of ways. Where every connection waits, a way has the latency of its own number of initial messages, and the exact
 * separation of its ends is its bound. The other engines answer pairs: for the way with the fewest initial messages.
 */
#include "compare.h"

#include <string.h>

/* ---- ways ---- */

/* The tracker does not see broadcasts. In a model that was written they are known by their names alone. */
static bool is_broadcast(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    const char *tail = strrchr(spec.name, '.');
    return spec.broadcast || (tail && strncmp(tail, ".broadcast", 10) == 0 && strspn(tail + 10, "0123456789") == strlen(tail + 10));
}

/* From one operator to the next. */
struct hop {
    int64_t initial; /* the fewest messages that are there at the beginning; -1: there is no such way */
    bool latest;     /* a message can be read again */
};

static void take_queue(struct hop *hop, const struct weir_queue_spec *queue, int64_t before)
{
    int64_t initial = before + (queue->latest ? 0 : queue->initial);
    hop->latest |= queue->latest;
    if (hop->initial < 0 || initial < hop->initial)
        hop->initial = initial;
}

/* Over one queue, or over two with a broadcast between them. */
static struct hop find_hop(const struct weir_pipeline *pipeline, uint32_t from, uint32_t to)
{
    struct hop hop = {.initial = -1};
    uint32_t count = weir_pipeline_queue_count(pipeline);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec first = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        if (first.from.index != from)
            continue;
        if (first.to.index == to)
            take_queue(&hop, &first, 0);
        for (uint32_t k = 0; k < count && first.to.index != to && is_broadcast(pipeline, first.to); k++) {
            struct weir_queue_spec second = weir_pipeline_queue(pipeline, (struct weir_queue){k});
            if (second.from.index == first.to.index && second.to.index == to)
                take_queue(&hop, &second, first.initial);
        }
    }
    return hop;
}

/* ---- engines ---- */

static bool has_rounds(const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        if (weir_pipeline_turns(pipeline, (struct weir_operator){i}) > 1)
            return true;
    return false;
}

enum weir_status weir_compare_bounding(struct weir_comparison *c, struct weir_error *error)
{
    struct weir_bounding *b = &c->bounding;
    if (!weir_pipeline_has_enough_workers(c->pipeline))
        return weir_workers_analyze(c->pipeline, NULL, &b->workers, error);
    if (!weir_pipeline_is_plain(c->pipeline))
        return weir_sample_analyze(c->pipeline, NULL, &b->samples, error);
    if (has_rounds(c->pipeline))
        return weir_analyze(c->pipeline, NULL, &b->rounds, error);
    b->solver = weir_solver_new(c->pipeline, error);
    return b->solver ? WEIR_OK : error->status;
}

static void take_bound(const struct weir_comparison *c, struct weir_compared *path, int64_t ticks, bool safe)
{
    path->bounded = true;
    path->safe = safe;
    path->bound = weir_compare_ns(c->pipeline, ticks);
}

static void take_answer(const struct weir_comparison *c, struct weir_compared *path, const struct weir_separation *answer)
{
    bool bracket = answer->outcome == WEIR_BRACKET && answer->upper != INT64_MAX;
    path->why = answer->outcome == WEIR_NO_BOUND ? "the model has no bound for it" : "its bound was not found";
    if (answer->outcome == WEIR_EXACT || bracket)
        take_bound(c, path, bracket ? answer->upper : answer->value, bracket);
}

/* What is asked of a path. */
struct question {
    uint32_t from, to;
    int64_t initial; /* messages on the way at the beginning */
};

static bool is_pair(const struct weir_pair_spec *pair, const struct question *q)
{
    return pair->from.index == q->from && pair->to.index == q->to;
}

static void ask_workers(const struct weir_comparison *c, struct weir_compared *path, const struct question *q)
{
    const struct weir_workers_analysis *a = c->bounding.workers;
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct weir_workers_latency *l = &a->latencies[i];
        if (!is_pair(&l->pair, q) || l->pair.shift != q->initial)
            continue;
        path->why = l->why ? l->why : "no bound is known";
        if (l->outcome != WEIR_WORKERS_UNKNOWN)
            take_bound(c, path, l->worst, l->outcome == WEIR_WORKERS_SAFE);
    }
}

static void ask_samples(const struct weir_comparison *c, struct weir_compared *path, const struct question *q)
{
    const struct weir_sample_analysis *a = c->bounding.samples;
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct weir_sample_latency *l = &a->latencies[i];
        if (!is_pair(&l->pair, q))
            continue;
        path->why = l->why ? l->why : "no bound is known";
        if (l->outcome != WEIR_SAMPLE_UNKNOWN)
            take_bound(c, path, l->worst, l->outcome == WEIR_SAMPLE_SAFE);
    }
}

static void ask_rounds(const struct weir_comparison *c, struct weir_compared *path, const struct question *q)
{
    const struct weir_analysis *a = c->bounding.rounds;
    for (size_t i = 0; i < a->latency_count; i++)
        if (is_pair(&a->latencies[i].pair, q))
            take_answer(c, path, &a->latencies[i].worst);
}

static void ask_solver(struct weir_comparison *c, struct weir_compared *path, const struct question *q)
{
    struct weir_query query = {
        .from = {.op = {q->from}, .moment = WEIR_START}, .to = {.op = {q->to}, .moment = WEIR_FINISH}, .shift = q->initial};
    struct weir_separation answer;
    if (weir_separation_worst(c->bounding.solver, &query, &answer, &c->error))
        c->failed = true;
    else
        take_answer(c, path, &answer);
}

/* A name with _old reads again what its operator sent to the next. */
static void walk(const struct weir_comparison *c, struct weir_compared *path, struct question *q)
{
    path->in_model = true;
    path->aged = true;
    for (size_t i = 0; i < path->count && path->in_model; i++) {
        uint32_t op = c->names[path->names[i]];
        path->in_model = op != WEIR_COMPARE_NOBODY;
        if (i == 0 || !path->in_model)
            continue;
        struct hop hop = find_hop(c->pipeline, c->names[path->names[i - 1]], op);
        path->in_model = hop.initial >= 0;
        path->aged &= hop.latest || !c->reread[path->names[i - 1]];
        q->initial += hop.initial;
    }
}

void weir_compare_bound(struct weir_comparison *c, struct weir_compared *path)
{
    struct question q = {0};
    walk(c, path, &q);
    if (!path->in_model)
        return;
    q.from = c->names[path->names[0]];
    q.to = c->names[path->names[path->count - 1]];
    path->why = "the model has no latency from its begin to its end";
    if (c->bounding.solver)
        ask_solver(c, path, &q);
    else if (c->bounding.workers)
        ask_workers(c, path, &q);
    else if (q.initial > 0)
        path->why = "messages are on this way at the beginning, and the bounds of this model are those of the way with the fewest";
    else if (c->bounding.samples)
        ask_samples(c, path, &q);
    else
        ask_rounds(c, path, &q);
}
