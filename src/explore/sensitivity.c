/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a latency depends on: one thing is changed, and the engine asked again. The critical path gives the slope for free: it is
 * the longest way, so a tick more in an operator's worst case lengthens it by a tick for each execution that counts.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "weir.h"

#define WORK_LIMIT UINT64_C(20000000) /* of one search, unless said otherwise: some 50 ms */
#define PERMILLE 100

struct findings {
    struct weir_sensitivity sensitivity; /* first, so that it can be freed by its address */
    struct weir_operator_effect *operators;
    struct weir_queue_effect *queues;
};

struct study {
    const struct weir_pipeline *pipeline;
    const struct weir_sensitivity_options *options;
    uint32_t pair;
    uint64_t work_limit;
    unsigned permille;
    size_t done, all;
    struct findings *findings;
    struct weir_error *error;
};

void weir_sensitivity_free(struct weir_sensitivity *sensitivity)
{
    struct findings *f = (struct findings *)sensitivity;
    if (!f)
        return;
    weir_free(f->operators);
    weir_free(f->queues);
    weir_free(f);
}

static struct weir_query query_of(const struct study *s, const struct weir_pipeline *p)
{
    struct weir_pair_spec pair = weir_pipeline_pair(p, s->pair);
    enum weir_moment moment = WEIR_START;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.op.index == pair.from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
            moment = WEIR_ARRIVAL;
    }
    return (struct weir_query){
        .from = {pair.from, moment}, .to = {pair.to, WEIR_FINISH}, .shift = pair.shift, .work_limit = s->work_limit};
}

/* The slowest of the operators that a latency ends at. */
static enum weir_status find_period(const struct weir_pipeline *p, struct weir_ratio *slowest, struct weir_error *error)
{
    *slowest = (struct weir_ratio){0, 1};
    for (uint32_t i = 0; i < weir_pipeline_pair_count(p); i++) {
        struct weir_operator to = weir_pipeline_pair(p, i).to;
        bool seen = false;
        for (uint32_t j = 0; j < i && !seen; j++)
            seen = weir_pipeline_pair(p, j).to.index == to.index;
        struct weir_ratio period;
        enum weir_status status = seen ? WEIR_OK : weir_throughput(p, to, true, &period, NULL, NULL, error);
        if (status)
            return status;
        if (!seen && weir_ratio_compare(period, *slowest) > 0)
            *slowest = period;
    }
    return WEIR_OK;
}

static enum weir_status measure(const struct study *s, const struct weir_pipeline *p, struct weir_effect *effect)
{
    struct weir_query query = query_of(s, p);
    struct weir_solver *solver = weir_solver_new(p, s->error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &query, &effect->worst, s->error);
    weir_solver_free(solver);
    return status ? status : find_period(p, &effect->period, s->error);
}

/* Seals the copy and measures it. A copy that cannot be sealed, because it has a deadlock, has no events. Takes the copy over. */
static enum weir_status measure_copy(const struct study *s, struct weir_pipeline *copy, struct weir_effect *effect)
{
    struct weir_error refused;
    enum weir_status status = weir_pipeline_seal_alone(copy, &refused);
    if (status == WEIR_INVALID) {
        *effect = (struct weir_effect){.worst = {.outcome = WEIR_NO_EVENTS}, .period = {0, 1}};
        status = WEIR_OK;
    } else if (status) {
        weir_fail(s->error, status, "%s", refused.message);
    } else {
        status = measure(s, copy, effect);
    }
    weir_pipeline_free(copy);
    return status;
}

/* 0 <= share <= 1000; rounded down. */
static int64_t shortened(int64_t time, unsigned share)
{
    return time - (int64_t)((weir_wide)time * share / 1000);
}

static enum weir_status try_times(const struct study *s, struct weir_operator op, const struct weir_operator_spec *spec,
                                  struct weir_effect *effect)
{
    struct weir_pipeline *copy = weir_pipeline_copy(s->pipeline, s->error);
    if (!copy)
        return WEIR_MEMORY;
    enum weir_status status = weir_pipeline_change_operator(copy, op, spec, s->error);
    if (status) {
        weir_pipeline_free(copy);
        return status;
    }
    return measure_copy(s, copy, effect);
}

static enum weir_status try_operator(const struct study *s, struct weir_operator op)
{
    struct weir_operator_effect *e = &s->findings->operators[op.index];
    struct weir_operator_spec slower = weir_pipeline_operator(s->pipeline, op), faster = slower;
    slower.worst += slower.worst < WEIR_TIME_MAX - 1;
    e->best = faster.best = shortened(faster.best, s->permille);
    e->worst = faster.worst = shortened(faster.worst, s->permille);
    faster.receive_max = faster.receive_max < faster.worst ? faster.receive_max : faster.worst;
    faster.receive_min = faster.receive_min < faster.receive_max ? faster.receive_min : faster.receive_max;
    enum weir_status status = try_times(s, op, &slower, &e->slower);
    return status ? status : try_times(s, op, &faster, &e->faster);
}

static enum weir_status try_capacity(const struct study *s, struct weir_queue queue, uint32_t capacity, struct weir_effect *effect)
{
    struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, queue);
    struct weir_pipeline *copy = weir_pipeline_copy(s->pipeline, s->error);
    if (!copy)
        return WEIR_MEMORY;
    spec.capacity = capacity;
    enum weir_status status = weir_pipeline_change_queue(copy, queue, &spec, s->error);
    if (status) {
        weir_pipeline_free(copy);
        return status;
    }
    return measure_copy(s, copy, effect);
}

static enum weir_status try_queue(const struct study *s, struct weir_queue queue)
{
    struct weir_queue_effect *e = &s->findings->queues[queue.index];
    struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, queue);
    bool sized = spec.capacity != WEIR_UNBOUNDED && !spec.nonblocking;
    e->has_more = sized && spec.capacity < WEIR_QUEUE_MAX;
    e->has_less = sized && spec.capacity > 1 && spec.capacity > spec.initial;
    enum weir_status status = e->has_more ? try_capacity(s, queue, spec.capacity + 1, &e->more) : WEIR_OK;
    return status || !e->has_less ? status : try_capacity(s, queue, spec.capacity - 1, &e->less);
}

/* True: go on. */
static bool proceed(struct study *s)
{
    if (s->options->progress)
        s->options->progress(s->options->context, (unsigned)(s->done * 1000 / s->all));
    s->done++;
    return !s->options->stop || !__atomic_load_n(s->options->stop, __ATOMIC_RELAXED);
}

static enum weir_status study_all(struct study *s)
{
    enum weir_status status = measure(s, s->pipeline, &s->findings->sensitivity.now);
    for (uint32_t i = 0; i < s->pipeline->operator_count && !status; i++)
        status = proceed(s) ? try_operator(s, (struct weir_operator){i}) : WEIR_INVALID;
    for (uint32_t i = 0; i < s->pipeline->queue_count && !status; i++)
        status = proceed(s) ? try_queue(s, (struct weir_queue){i}) : WEIR_INVALID;
    if (status == WEIR_INVALID)
        weir_fail(s->error, WEIR_INVALID, "interrupted");
    return status;
}

enum weir_status weir_sensitivity_find(const struct weir_pipeline *pipeline, uint32_t pair,
                                       const struct weir_sensitivity_options *options, struct weir_sensitivity **sensitivity,
                                       struct weir_error *error)
{
    static const struct weir_sensitivity_options defaults;
    struct study s = {.pipeline = pipeline, .options = options ? options : &defaults, .pair = pair, .error = error};
    *sensitivity = NULL;
    enum weir_status status = weir_pipeline_require(pipeline, WEIR_PLATFORM_THREADS, error);
    if (status)
        return status;
    if (pair >= pipeline->pair_count)
        return weir_fail(error, WEIR_INVALID, "the pipeline has no latency number %u", pair);
    if (s.options->permille > 1000)
        return weir_fail(error, WEIR_INVALID, "an operator cannot be faster by more than the whole");
    s.permille = s.options->permille ? s.options->permille : PERMILLE;
    s.work_limit = s.options->work_limit ? s.options->work_limit : WORK_LIMIT;
    s.all = pipeline->operator_count + pipeline->queue_count + 1;
    struct findings *f = s.findings = weir_array_zeroed(1, sizeof *f);
    if (!f)
        return weir_fail_memory(error);
    f->operators = weir_array_zeroed(pipeline->operator_count, sizeof *f->operators);
    f->queues = weir_array_zeroed(pipeline->queue_count, sizeof *f->queues);
    status = f->operators && f->queues ? study_all(&s) : weir_fail_memory(error);
    if (status) {
        weir_sensitivity_free(&f->sensitivity);
        return status;
    }
    f->sensitivity.pipeline = pipeline;
    f->sensitivity.pair = pair;
    f->sensitivity.permille = s.permille;
    f->sensitivity.operators = f->operators;
    f->sensitivity.queues = f->queues;
    *sensitivity = &f->sensitivity;
    return WEIR_OK;
}
