/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a value where a setting points to. Nothing is checked on the way: the capacity and the initial messages of a queue may be
 * set one after the other, and only both together are right. */
#include "base/error.h"
#include "explore/change/change.h"
#include "model/pipeline.h"

#include <string.h>

/* ---- operators ---- */

static enum weir_status set_launch(struct weir_pipeline *p, struct weir_operator_spec *o, const struct weir_setting *s,
                                   const struct weir_value *v, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!o->launch)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" launches no work on a GPU", weir_quote(o->name, quoted));
    struct weir_launch *launch = weir_arena_take(&p->arena, sizeof *launch);
    if (!launch)
        return weir_fail_memory(error);
    *launch = *o->launch;
    if (s->key->id == WEIR_KEY_LAUNCH)
        launch->best = v->numbers[0], launch->worst = v->numbers[1];
    else
        launch->after_best = v->numbers[0], launch->after_worst = v->numbers[1];
    o->launch = launch;
    return WEIR_OK;
}

/* A time that is set is nothing that was seen. */
static void set_times(struct weir_operator_spec *o, enum weir_key_id id, const int64_t numbers[2])
{
    o->observed = NULL;
    o->has_cost = false;
    o->cost_init = o->cost_sample = 0;
    if (id == WEIR_KEY_TIME) {
        o->best = numbers[0];
        o->worst = numbers[1];
    } else if (id == WEIR_KEY_WORST) {
        o->worst = numbers[0];
        o->best = o->best < o->worst ? o->best : o->worst;
    } else {
        o->best = numbers[0];
    }
}

static enum weir_status set_cost(struct weir_operator_spec *o, enum weir_key_id id, int64_t number, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!o->has_cost)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a time and no cost", weir_quote(o->name, quoted));
    *(id == WEIR_KEY_COST_INIT ? &o->cost_init : &o->cost_sample) = number;
    return WEIR_OK;
}

static enum weir_status set_operator(struct weir_pipeline *p, const struct weir_setting *s, const struct weir_value *v,
                                     struct weir_error *error)
{
    struct weir_operator_spec *o = &p->operators[s->from];
    char quoted[WEIR_QUOTED];
    int64_t number = v->numbers[0];
    switch (s->key->id) {
    case WEIR_KEY_TIME:
    case WEIR_KEY_BEST:
    case WEIR_KEY_WORST:
        set_times(o, s->key->id, v->numbers);
        break;
    case WEIR_KEY_RECEIVE:
        o->receive_min = v->numbers[0];
        o->receive_max = v->numbers[1];
        break;
    case WEIR_KEY_REENTRANT:
        o->reentrant = number != 0;
        break;
    case WEIR_KEY_ON:
        o->mapped = true;
        o->on.index = (uint32_t)number;
        break;
    case WEIR_KEY_PRIORITY:
        o->has_priority = true;
        o->priority = (int32_t)number;
        break;
    case WEIR_KEY_SLOT:
        o->slot = number;
        break;
    case WEIR_KEY_COST_INIT:
    case WEIR_KEY_COST_SAMPLE:
        return set_cost(o, s->key->id, number, error);
    case WEIR_KEY_LAUNCH:
    case WEIR_KEY_LAUNCH_AFTER:
        return set_launch(p, o, s, v, error);
    case WEIR_KEY_LOAD:
        if (o->time_count)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" has a table of times and no load", weir_quote(o->name, quoted));
        o->worst = number;
        break;
    case WEIR_KEY_GRANULARITY:
        o->granularity = number;
        break;
    case WEIR_KEY_MIN_TIME:
        o->min_time = number;
        break;
    case WEIR_KEY_SPLITTABLE:
        o->splittable = number != 0;
        break;
    default:
        break;
    }
    return WEIR_OK;
}

/* ---- sources ---- */

static void change_source(struct weir_source_spec *source, enum weir_key_id id, int64_t number)
{
    switch (id) {
    case WEIR_KEY_PERIOD:
        source->period = number;
        source->count = source->bursty ? source->count : 0;
        break;
    case WEIR_KEY_ARRIVALS:
        source->arrivals = (enum weir_arrivals)number;
        break;
    case WEIR_KEY_JITTER:
        source->jitter = number;
        break;
    case WEIR_KEY_SPORADIC:
        source->sporadic = number != 0;
        break;
    case WEIR_KEY_PHASE:
        source->has_phase = true;
        source->phase = number;
        break;
    case WEIR_KEY_BATCH:
        source->batch = (uint32_t)number;
        break;
    default:
        break;
    }
}

/* Sources of the same name are one. */
static bool is_same(const struct weir_source_spec *a, const struct weir_source_spec *b)
{
    return a == b || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

static enum weir_status set_source(struct weir_pipeline *p, const struct weir_setting *s, const struct weir_value *v,
                                   struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    const struct weir_source_spec *found = NULL;
    for (size_t i = 0; i < p->source_count && !found; i++)
        found = p->sources[i].op.index == s->from ? &p->sources[i] : NULL;
    for (size_t i = 0; i < p->source_count && found; i++)
        if (is_same(&p->sources[i], found))
            change_source(&p->sources[i], s->key->id, v->numbers[0]);
    if (found)
        return WEIR_OK;
    if (s->key->id != WEIR_KEY_PERIOD)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has no source; give it a period first",
                         weir_quote(p->operators[s->from].name, quoted));
    struct weir_source_spec spec = {.op = {s->from},
                                    .period = v->numbers[0],
                                    .arrivals = p->platform == WEIR_PLATFORM_THREADS ? WEIR_ARRIVALS_AT_MOST : WEIR_ARRIVALS_EXACT};
    return weir_pipeline_add_source(p, &spec, error);
}

/* ---- queues ---- */

static void change_queue(struct weir_queue_spec *q, enum weir_key_id id, const int64_t numbers[2])
{
    switch (id) {
    case WEIR_KEY_CAPACITY:
        q->capacity = (uint32_t)numbers[0];
        break;
    case WEIR_KEY_INITIAL:
        q->initial = (uint32_t)numbers[0];
        break;
    case WEIR_KEY_BLOCKING:
        q->nonblocking = numbers[0] == 0;
        break;
    case WEIR_KEY_PRODUCE:
        q->produce = (uint32_t)numbers[0];
        break;
    case WEIR_KEY_CONSUME:
        q->consume = (uint32_t)numbers[0];
        break;
    case WEIR_KEY_THRESHOLD:
        q->threshold = (uint32_t)numbers[0];
        break;
    case WEIR_KEY_FULL:
        q->full = (enum weir_full)numbers[0];
        break;
    case WEIR_KEY_OPTIONAL:
        q->optional = numbers[0] != 0;
        break;
    case WEIR_KEY_LATEST:
        q->latest = numbers[0] != 0;
        break;
    case WEIR_KEY_TRANSFER:
        q->transfer_min = numbers[0];
        q->transfer_max = numbers[1];
        break;
    default:
        break;
    }
}

bool weir_setting_has_queue(const struct weir_setting *s, const struct weir_queue_spec *q, uint32_t rank)
{
    if (s->from == WEIR_NO_OPERATOR) /* all that have a capacity of their own */
        return s->key->id != WEIR_KEY_CAPACITY || (q->capacity != WEIR_UNBOUNDED && !q->latest);
    return q->from.index == s->from && q->to.index == s->to && (!s->number || s->number == rank + 1);
}

static enum weir_status set_queues(struct weir_pipeline *p, const struct weir_setting *s, const struct weir_value *v)
{
    uint32_t rank = 0;
    for (size_t i = 0; i < p->queue_count; i++) {
        struct weir_queue_spec *q = &p->queues[i];
        if (weir_setting_has_queue(s, q, rank))
            change_queue(q, s->key->id, v->numbers);
        rank += s->from != WEIR_NO_OPERATOR && q->from.index == s->from && q->to.index == s->to;
    }
    return WEIR_OK;
}

/* ---- latencies, processors, the platform ---- */

static enum weir_status set_pair(struct weir_pipeline *p, const struct weir_setting *s, const struct weir_value *v,
                                 struct weir_error *error)
{
    bool found = false;
    for (size_t i = 0; i < p->pair_count; i++)
        if (p->pairs[i].from.index == s->from && p->pairs[i].to.index == s->to) {
            p->pairs[i].has_deadline = found = true;
            p->pairs[i].deadline = v->numbers[0];
        }
    struct weir_pair_spec pair = {.from = {s->from}, .to = {s->to}, .has_deadline = true, .deadline = v->numbers[0]};
    return found ? WEIR_OK : weir_pipeline_add_pair(p, &pair, error);
}

static enum weir_status set_processor(struct weir_pipeline *p, const struct weir_setting *s, const struct weir_value *v,
                                      struct weir_error *error)
{
    struct weir_processor_spec *processor = &p->processors[s->from];
    char quoted[WEIR_QUOTED];
    bool frame = s->key->id == WEIR_KEY_FRAME;
    bool slots = processor->sharing == WEIR_TDM || processor->sharing == WEIR_ROUND_ROBIN;
    weir_quote(processor->name, quoted);
    if (frame && processor->sharing != WEIR_TDM)
        return weir_fail(error, WEIR_INVALID, "\"frame\" is about tdm, and processor \"%s\" is none", quoted);
    if (frame && v->numbers[0] <= 0)
        return weir_fail(error, WEIR_INVALID, "\"frame\" must be longer than 0");
    if (!frame && slots)
        return weir_fail(error, WEIR_INVALID, "\"preemptive\" is about fixed priorities, but processor \"%s\" goes by slots",
                         quoted);
    if (frame)
        processor->frame = v->numbers[0];
    else
        processor->sharing = v->numbers[0] ? WEIR_PREEMPTIVE : WEIR_NONPREEMPTIVE;
    return WEIR_OK;
}

static enum weir_status set_gpu(struct weir_pipeline *p, enum weir_key_id id, int64_t number, struct weir_error *error)
{
    struct weir_gpu_spec gpu = p->gpu;
    if (id == WEIR_KEY_SMS)
        gpu.sms = (uint32_t)number;
    else if (id == WEIR_KEY_LEAST_TIME)
        gpu.min_time = number;
    else if (id == WEIR_KEY_LAUNCH_OVERHEAD)
        gpu.launch_overhead = number;
    else if (id == WEIR_KEY_MAX_CONCURRENT)
        gpu.max_concurrent = (uint32_t)number;
    else
        gpu.deadline = number;
    return weir_pipeline_set_gpu(p, &gpu, error);
}

/* What does not go together any more is left out: the number of workers under greedy, polling under all but multi-thread. */
static enum weir_status set_workers(struct weir_pipeline *p, enum weir_key_id id, int64_t number, struct weir_error *error)
{
    struct weir_workers_spec workers = p->workers;
    if (id == WEIR_KEY_WORKERS) {
        workers.workers = (uint32_t)number;
    } else if (id == WEIR_KEY_POLLING) {
        workers.polling = number;
    } else {
        bool greedy = number == WEIR_DISPATCH_GREEDY;
        workers.workers = greedy ? 1 : workers.dispatch == WEIR_DISPATCH_GREEDY ? 0 : workers.workers;
        workers.polling = number == WEIR_DISPATCH_POLLED ? workers.polling : 0;
        workers.dispatch = (enum weir_dispatch)number;
    }
    return weir_pipeline_set_workers(p, &workers, error);
}

static enum weir_status set_platform(struct weir_pipeline *p, const struct weir_setting *s, const struct weir_value *v,
                                     struct weir_error *error)
{
    switch (s->key->id) {
    case WEIR_KEY_SCHEDULER:
    case WEIR_KEY_WORKERS:
    case WEIR_KEY_POLLING:
        return set_workers(p, s->key->id, v->numbers[0], error);
    case WEIR_KEY_CORES:
        return weir_pipeline_set_cores(p, (uint32_t)v->numbers[0], error);
    case WEIR_KEY_LATENCY_LIMIT:
        return weir_pipeline_set_latency_limit(p, v->numbers[0], error);
    default:
        return set_gpu(p, s->key->id, v->numbers[0], error);
    }
}

/* ---- */

enum weir_status weir_setting_apply(const struct weir_setting *s, const struct weir_value *value, struct weir_pipeline *p,
                                    struct weir_error *error)
{
    switch (s->key->owner) {
    case WEIR_OF_OPERATOR:
        return set_operator(p, s, value, error);
    case WEIR_OF_SOURCE:
        return set_source(p, s, value, error);
    case WEIR_OF_QUEUE:
        return set_queues(p, s, value);
    case WEIR_OF_PAIR:
        return set_pair(p, s, value, error);
    case WEIR_OF_PROCESSOR:
        return set_processor(p, s, value, error);
    case WEIR_OF_PLATFORM:
        break;
    }
    return set_platform(p, s, value, error);
}

enum weir_status weir_setting_check(const struct weir_setting *s, const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    uint32_t rank = 0;
    if (s->key->owner == WEIR_OF_OPERATOR)
        return weir_operator_check(p, &p->operators[s->from], error);
    for (size_t i = 0; i < p->source_count && s->key->owner == WEIR_OF_SOURCE && !status; i++)
        if (p->sources[i].op.index == s->from)
            status = weir_source_check(p, &p->sources[i], error);
    for (size_t i = 0; i < p->queue_count && s->key->owner == WEIR_OF_QUEUE && !status; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (weir_setting_has_queue(s, q, rank))
            status = weir_queue_check(p, q, error);
        rank += s->from != WEIR_NO_OPERATOR && q->from.index == s->from && q->to.index == s->to;
    }
    return status;
}
