/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a latency depends on: one thing is changed, and the engine asked again. The work for all of it is limited unless the caller
 * sets a limit for each search: a large pipeline has thousands of things to change, and each takes a search of all of it. What lies
 * on the path that holds the latency up comes first, then the rest in its order; what there is no work left for is not known.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "explore/evaluate.h"

#define WORK_LIMIT UINT64_C(20000000)  /* of one search, unless said otherwise: some 50 ms */
#define WORK_TOTAL UINT64_C(600000000) /* of all of them, unless a limit for each is given: a second or two */
#define ARC_WORK 40 /* what copying and sealing come to, for each arc; the period takes a round per actor, at most */
#define PERMILLE 100

struct study {
    const struct weir_pipeline *pipeline;
    const struct weir_sensitivity_options *options;
    uint32_t chain;
    uint64_t work_limit; /* of a search */
    uint64_t left;       /* for all that are still to come */
    unsigned permille;
    size_t done, all;
    struct weir_sensitivity *found;
    struct weir_operator_effect *operators; /* of it */
    struct weir_queue_effect *queues;
    struct weir_error *error;
};

void weir_sensitivity_free(struct weir_sensitivity *sensitivity)
{
    if (!sensitivity)
        return;
    weir_free((void *)(uintptr_t)sensitivity->operators);
    weir_free((void *)(uintptr_t)sensitivity->queues);
    weir_free(sensitivity);
}

static const struct weir_effect unknown = {.worst = {.outcome = WEIR_BRACKET, .lower = INT64_MIN, .upper = INT64_MAX}};

/* Times too long to be counted are no mistake of the model's as it is: what is asked for is not known. */
static enum weir_status settle(struct study *s, enum weir_status status, struct weir_effect *effect)
{
    if (status == WEIR_OVERFLOW) {
        *effect = unknown;
        return WEIR_OK;
    }
    return status == WEIR_MEMORY ? weir_fail_memory(s->error) : status;
}

static enum weir_status measure(struct study *s, const struct weir_pipeline *p, struct weir_effect *effect)
{
    struct weir_query query = weir_chain_query(p, s->chain, s->work_limit < s->left ? s->work_limit : s->left);
    uint32_t *component = NULL;
    struct weir_solver *solver = weir_solver_new(p, s->error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &query, &effect->worst, s->error);
    weir_solver_free(solver);
    uint64_t work = effect->worst.relaxations + (p->graph->arc_count + 1) * (ARC_WORK + p->graph->actor_count);
    s->left -= work < s->left ? work : s->left;
    if (!status)
        status = weir_graph_period(p, p->graph, &component, &effect->period);
    weir_free(component);
    return settle(s, status, effect);
}

/* Seals the copy, unless changing it has failed, and measures it. One that cannot be sealed, because it has a deadlock, has no
 * events. Takes the copy over. */
static enum weir_status measure_copy(struct study *s, struct weir_pipeline *copy, enum weir_status changed,
                                     struct weir_effect *effect)
{
    struct weir_error refused;
    enum weir_status status = changed ? changed : weir_pipeline_seal_alone(copy, &refused);
    if (!changed && status == WEIR_INVALID) {
        *effect = (struct weir_effect){.worst = {.outcome = WEIR_NO_EVENTS}, .period = {0, 1}};
        status = WEIR_OK;
    } else if (!changed) {
        status = status ? settle(s, status, effect) : measure(s, copy, effect);
    }
    weir_pipeline_free(copy);
    return status;
}

static enum weir_status try_times(struct study *s, struct weir_operator op, const struct weir_operator_spec *spec,
                                  struct weir_effect *effect)
{
    struct weir_pipeline *copy = weir_pipeline_copy(s->pipeline, s->error);
    return copy ? measure_copy(s, copy, weir_pipeline_change_operator(copy, op, spec, s->error), effect) : WEIR_MEMORY;
}

/* Faster by a share of its worst case, but by a tick at least: times of few ticks cannot be divided. */
static struct weir_operator_spec hastened(struct weir_operator_spec spec, unsigned permille)
{
    int64_t less = (int64_t)(((weir_wide)spec.worst * permille + 999) / 1000);
    spec.worst -= less;
    spec.best -= (int64_t)((weir_wide)spec.best * permille / 1000);
    spec.best = spec.best < spec.worst ? spec.best : spec.worst;
    spec.receive_max = spec.receive_max < spec.worst ? spec.receive_max : spec.worst;
    spec.receive_min = spec.receive_min < spec.receive_max ? spec.receive_min : spec.receive_max;
    return spec;
}

static enum weir_status try_operator(struct study *s, struct weir_operator op)
{
    struct weir_operator_effect *e = &s->operators[op.index];
    struct weir_operator_spec slower = weir_pipeline_operator(s->pipeline, op), faster = hastened(slower, s->permille);
    e->best = faster.best;
    e->worst = faster.worst;
    if (slower.worst < WEIR_TIME_MAX - 1 && s->left) {
        slower.worst++;
        enum weir_status status = try_times(s, op, &slower, &e->slower);
        if (status)
            return status;
    }
    return s->left ? try_times(s, op, &faster, &e->faster) : WEIR_OK;
}

static enum weir_status try_capacity(struct study *s, struct weir_queue queue, uint32_t capacity, struct weir_effect *effect)
{
    struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, queue);
    struct weir_pipeline *copy = weir_pipeline_copy(s->pipeline, s->error);
    spec.capacity = capacity;
    return copy ? measure_copy(s, copy, weir_pipeline_change_queue(copy, queue, &spec, s->error), effect) : WEIR_MEMORY;
}

static enum weir_status try_queue(struct study *s, struct weir_queue queue)
{
    struct weir_queue_effect *e = &s->queues[queue.index];
    uint32_t capacity = weir_pipeline_queue(s->pipeline, queue).capacity;
    enum weir_status status = e->has_more && s->left ? try_capacity(s, queue, capacity + 1, &e->more) : WEIR_OK;
    return status || !e->has_less || !s->left ? status : try_capacity(s, queue, capacity - 1, &e->less);
}

/* Nothing is known yet. */
static void prepare(const struct study *s)
{
    for (uint32_t i = 0; i < s->pipeline->operator_count; i++)
        s->operators[i].slower = s->operators[i].faster = unknown;
    for (uint32_t i = 0; i < s->pipeline->queue_count; i++) {
        struct weir_queue_effect *e = &s->queues[i];
        struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, (struct weir_queue){i});
        bool sized = spec.capacity != WEIR_UNBOUNDED && !spec.nonblocking;
        e->more = e->less = unknown;
        e->has_more = sized && spec.capacity < WEIR_QUEUE_MAX;
        e->has_less = sized && spec.capacity > 1 && spec.capacity > spec.initial;
    }
}

/* Marks the operators on the critical path. */
static enum weir_status mark_critical(struct study *s, bool *critical)
{
    struct weir_witness *witness;
    struct weir_query query = weir_chain_query(s->pipeline, s->chain, s->work_limit);
    if (s->found->now.worst.outcome != WEIR_EXACT)
        return WEIR_OK;
    struct weir_solver *solver = weir_solver_new(s->pipeline, s->error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_witness(solver, &query, &witness, s->error);
    weir_solver_free(solver);
    if (status)
        return status == WEIR_OVERFLOW ? WEIR_OK : status;
    for (size_t i = 0; i < witness->segment_count; i++)
        for (size_t j = 0; j < witness->segments[i].step_count; j++)
            critical[witness->segments[i].steps[j].op.index] = true;
    weir_witness_free(witness);
    return WEIR_OK;
}

static bool interrupted(struct study *s)
{
    if (s->options->progress)
        s->options->progress(s->options->context, (unsigned)(s->done * 1000 / s->all));
    s->done++;
    return s->options->stop && __atomic_load_n(s->options->stop, __ATOMIC_RELAXED);
}

/* Operators and queues on the critical path, or those that are not. */
static enum weir_status study_those(struct study *s, const bool *critical, bool wanted)
{
    const struct weir_pipeline *p = s->pipeline;
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < p->operator_count && !status; i++)
        if (critical[i] == wanted)
            status = interrupted(s) ? weir_fail(s->error, WEIR_INVALID, "interrupted") : try_operator(s, (struct weir_operator){i});
    for (uint32_t i = 0; i < p->queue_count && !status; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){i});
        if ((critical[queue.from.index] && critical[queue.to.index]) == wanted)
            status = interrupted(s) ? weir_fail(s->error, WEIR_INVALID, "interrupted") : try_queue(s, (struct weir_queue){i});
    }
    return status;
}

static enum weir_status study_all(struct study *s)
{
    bool *critical = weir_array_zeroed(s->pipeline->operator_count, sizeof *critical);
    if (!critical)
        return weir_fail_memory(s->error);
    prepare(s);
    enum weir_status status = measure(s, s->pipeline, &s->found->now);
    if (!status)
        status = mark_critical(s, critical);
    if (!status)
        status = study_those(s, critical, true);
    if (!status)
        status = study_those(s, critical, false);
    weir_free(critical);
    return status;
}

enum weir_status weir_sensitivity_find(const struct weir_pipeline *pipeline, uint32_t chain,
                                       const struct weir_sensitivity_options *options, struct weir_sensitivity **sensitivity,
                                       struct weir_error *error)
{
    static const struct weir_sensitivity_options defaults;
    struct study s = {.pipeline = pipeline, .options = options ? options : &defaults, .chain = chain, .error = error};
    *sensitivity = NULL;
    enum weir_status status = weir_pipeline_require_simple(pipeline, error);
    if (status)
        return status;
    if (chain >= pipeline->chain_count)
        return weir_fail(error, WEIR_INVALID, "the pipeline has no latency number %u", chain);
    if (s.options->permille > 1000)
        return weir_fail(error, WEIR_INVALID, "an operator cannot be faster by more than the whole");
    s.permille = s.options->permille ? s.options->permille : PERMILLE;
    s.work_limit = s.options->work_limit ? s.options->work_limit : WORK_LIMIT;
    s.left = s.options->work_limit ? UINT64_MAX : WORK_TOTAL;
    s.all = pipeline->operator_count + pipeline->queue_count + 1;
    struct weir_sensitivity *f = s.found = weir_array_zeroed(1, sizeof *f);
    if (!f)
        return weir_fail_memory(error);
    f->pipeline = pipeline;
    f->chain = chain;
    f->permille = s.permille;
    f->operators = s.operators = weir_array_zeroed(pipeline->operator_count, sizeof *s.operators);
    f->queues = s.queues = weir_array_zeroed(pipeline->queue_count, sizeof *s.queues);
    status = s.operators && s.queues ? study_all(&s) : weir_fail_memory(error);
    if (status)
        weir_sensitivity_free(f);
    else
        *sensitivity = f;
    return status;
}
