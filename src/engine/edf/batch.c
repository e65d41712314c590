/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same work in batches. When an operator v does N_v of its executions at once, a queue from u to v with produce a, consume c
 * and threshold t becomes one with N_u a, N_v c and (N_v - 1) c + t: the last of the N_v executions must find its threshold after
 * the others have consumed. Batches arrive with their last samples, so that sources of different batches, which began together,
 * have different phases. Nothing else changes, so that the batched model is analysed like any other.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "base/word.h"
#include "model/pipeline.h"

const char *weir_batching_name(enum weir_batching batching)
{
    static const char *const names[] = {"uniform", "rate", "edge"};
    return WEIR_WORD(names, batching);
}

/* *multiple becomes the least common multiple of itself and `other`. */
static bool join(int64_t *multiple, int64_t other)
{
    return weir_multiply(*multiple / weir_greatest_divisor(*multiple, other), other, multiple);
}

/* Executions at once, by operator; false when they cannot be counted. */
static bool choose(const struct weir_flow *f, enum weir_batching batching, int64_t factor, int64_t *batch)
{
    bool good = true;
    for (uint32_t v = 0; v < f->node_count; v++)
        batch[v] = batching == WEIR_BATCH_RATE ? f->nodes[v].repetitions : 1;
    for (uint32_t i = 0; batching == WEIR_BATCH_EDGE && i < f->edge_count && good; i++) {
        const struct weir_flow_edge *e = &f->edges[i];
        int64_t d = weir_greatest_divisor(e->produce, e->consume);
        good = join(&batch[e->from], e->consume / d) && join(&batch[e->to], e->produce / d);
    }
    for (uint32_t v = 0; v < f->node_count && good; v++)
        good = weir_multiply(batch[v], factor, &batch[v]);
    return good;
}

/* number * times + plus, at most WEIR_QUEUE_MAX. */
static bool enlarge(int64_t number, int64_t times, int64_t plus, uint32_t *result)
{
    int64_t product;
    if (!weir_multiply(number, times, &product) || !weir_add(product, plus, &product) || product > WEIR_QUEUE_MAX)
        return false;
    *result = (uint32_t)product;
    return true;
}

static bool batch_queue(const struct weir_flow_edge *e, const int64_t *batch, struct weir_queue_spec *q)
{
    q->capacity = WEIR_AUTO; /* what was enough for single executions says nothing */
    return enlarge(e->produce, batch[e->from], 0, &q->produce) && enlarge(e->consume, batch[e->to], 0, &q->consume) &&
           enlarge(e->consume, batch[e->to] - 1, e->threshold, &q->threshold);
}

static bool batch_operator(int64_t batch, struct weir_operator_spec *o)
{
    return o->has_cost || (weir_multiply(o->best, batch, &o->best) && weir_multiply(o->worst, batch, &o->worst));
}

/* How much later the first batch is there: whole ticks and a rest, in parts of the source's count. */
struct delay {
    weir_wide ticks, rest;
    int64_t parts;
};

static struct delay delay_of(const struct weir_source_spec *s, int64_t batch)
{
    if (batch > WEIR_QUEUE_MAX) /* is refused anyway */
        batch = WEIR_QUEUE_MAX;
    int64_t old = s->batch ? s->batch : 1, count = s->count ? s->count : 1;
    weir_wide time = ((weir_wide)batch - 1) * old * s->period;
    return (struct delay){time / count, time % count, count};
}

/* Whether first batches that were there together no longer are. Only then phases matter: what is common to all changes nothing. */
static bool drifts(const struct weir_pipeline *p, const int64_t *batch)
{
    struct delay first = {0, 0, 0};
    for (uint32_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        if (s->sporadic || s->bursty)
            continue;
        struct delay own = delay_of(s, batch[s->op.index]);
        if (first.parts && (own.ticks != first.ticks || own.rest * first.parts != first.rest * own.parts))
            return true;
        first = own;
    }
    return false;
}

/* The moment need not be a whole tick: then it counts as jitter. */
static bool postpone(struct weir_source_spec *s, struct delay delay)
{
    if (s->sporadic || s->bursty)
        return true;
    weir_wide phase = (s->has_phase ? s->phase : 0) + delay.ticks;
    if (phase >= WEIR_TIME_MAX)
        return false;
    s->phase = s->phase_max = (int64_t)phase;
    s->has_phase = phase > 0;
    s->jitter += delay.rest > 0;
    return true;
}

static enum weir_status change(const struct weir_pipeline *p, const int64_t *batch, struct weir_pipeline *copy,
                               struct weir_error *error)
{
    const struct weir_flow *f = p->flow;
    enum weir_status status = WEIR_OK;
    bool counted = true, later = drifts(p, batch);
    for (uint32_t i = 0; i < p->operator_count && !status && counted; i++) {
        struct weir_operator_spec o = p->operators[i];
        counted = batch_operator(batch[i], &o);
        if (counted)
            status = weir_pipeline_change_operator(copy, (struct weir_operator){i}, &o, error);
    }
    for (uint32_t i = 0; i < p->queue_count && !status && counted; i++) {
        struct weir_queue_spec q = p->queues[i];
        counted = batch_queue(&f->edges[i], batch, &q);
        if (counted)
            status = weir_pipeline_change_queue(copy, (struct weir_queue){i}, &q, error);
    }
    for (uint32_t i = 0; i < p->source_count && !status && counted; i++) {
        struct weir_source_spec s = p->sources[i];
        counted = (!later || postpone(&s, delay_of(&s, batch[s.op.index]))) &&
                  enlarge(s.batch ? s.batch : 1, batch[s.op.index], 0, &s.batch);
        if (counted)
            status = weir_pipeline_change_source(copy, i, &s, error);
    }
    return counted ? status : weir_fail(error, WEIR_OVERFLOW, "batches of this size cannot be represented");
}

enum weir_status weir_pipeline_batch(const struct weir_pipeline *p, enum weir_batching batching, int64_t factor,
                                     struct weir_pipeline **batched, struct weir_error *error)
{
    *batched = NULL;
    enum weir_status status = weir_pipeline_require(p, WEIR_PLATFORM_CORES, error);
    if (status)
        return status;
    if (factor < 1)
        return weir_fail(error, WEIR_INVALID, "a batch has at least one execution");
    if ((unsigned)batching > WEIR_BATCH_EDGE)
        return weir_fail(error, WEIR_INVALID, "unknown kind of batching: %d", (int)batching);
    struct weir_pipeline *copy = weir_pipeline_copy(p, error);
    int64_t *batch = weir_array(p->operator_count, sizeof *batch);
    if (!copy)
        status = WEIR_MEMORY;
    else if (!batch)
        status = weir_fail_memory(error);
    else if (!choose(p->flow, batching, factor, batch))
        status = weir_fail(error, WEIR_OVERFLOW, "batches of this size cannot be represented");
    else
        status = change(p, batch, copy, error);
    if (!status)
        status = weir_pipeline_seal_alone(copy, error);
    if (status == WEIR_INVALID) { /* the model is valid: only size can make it another */
        status = WEIR_OVERFLOW;
        if (error)
            error->status = status;
    }
    weir_free(batch);
    if (status)
        weir_pipeline_free(copy);
    else
        *batched = copy;
    return status;
}
