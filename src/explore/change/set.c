/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a value where a setting points to. Nothing is checked on the way: the capacity and the initial messages of a queue may be
 * set one after the other, and only both together are right. */
#include "base/error.h"
#include "explore/change/change.h"
#include "model/pipeline.h"

#include <string.h>

/* ---- operators ---- */

static enum weir_status set_launch(struct weir_pipeline *p, struct weir_operator_spec *o, const struct weir_key *key,
                                   const int64_t numbers[2], struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!o->launch)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" launches no work on a GPU", weir_quote(o->name, quoted));
    struct weir_launch *launch = weir_arena_take(&p->arena, sizeof *launch);
    if (!launch)
        return weir_fail_memory(error);
    *launch = *o->launch;
    weir_key_set(key, launch, numbers);
    o->launch = launch;
    return WEIR_OK;
}

static enum weir_status set_operator(struct weir_pipeline *p, const struct weir_setting *s, const int64_t numbers[2],
                                     struct weir_error *error)
{
    struct weir_operator_spec *o = &p->operators[s->from];
    const struct weir_key *key = s->key;
    enum weir_key_id id = weir_key_id(key);
    char quoted[WEIR_QUOTED];
    if (key->owner == WEIR_OF_LAUNCH)
        return set_launch(p, o, key, numbers, error);
    if (key->owner == WEIR_OF_COST && !o->has_cost)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a time and no cost", weir_quote(o->name, quoted));
    if (id == WEIR_KEY_LOAD && o->time_count)
        return weir_fail(error, WEIR_INVALID, "kernel \"%s\" has a table of times and no load", weir_quote(o->name, quoted));
    if (id == WEIR_KEY_TIME || key->owner == WEIR_OF_ENDS) { /* a time that is set was not observed */
        o->observed = NULL;
        o->has_cost = false;
        o->cost_init = o->cost_sample = 0;
    }
    weir_key_set(key, o, numbers);
    if (id == WEIR_KEY_WORST && o->best > o->worst)
        o->best = o->worst;
    return WEIR_OK;
}

/* ---- sources ---- */

/* Sources of the same name are one. */
static bool is_same(const struct weir_source_spec *a, const struct weir_source_spec *b)
{
    return a == b || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

static enum weir_status set_source(struct weir_pipeline *p, const struct weir_setting *s, const int64_t numbers[2],
                                   struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    bool period = s->key == &weir_keys[WEIR_KEY_PERIOD];
    const struct weir_source_spec *found = NULL;
    for (size_t i = 0; i < p->source_count && !found; i++)
        found = p->sources[i].op.index == s->from ? &p->sources[i] : NULL;
    for (size_t i = 0; i < p->source_count && found; i++)
        if (is_same(&p->sources[i], found)) {
            weir_key_set(s->key, &p->sources[i], numbers);
            if (period && !p->sources[i].bursty)
                p->sources[i].count = 0;
        }
    if (found)
        return WEIR_OK;
    if (!period)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has no source; give it a period first",
                         weir_quote(p->operators[s->from].name, quoted));
    struct weir_source_spec spec = {.op = {s->from},
                                    .period = numbers[0],
                                    .arrivals = p->platform == WEIR_PLATFORM_THREADS ? WEIR_ARRIVALS_AT_MOST : WEIR_ARRIVALS_EXACT};
    return weir_pipeline_add_source(p, &spec, error);
}

/* ---- queues ---- */

bool weir_setting_has_queue(const struct weir_setting *s, const struct weir_queue_spec *q, uint32_t rank)
{
    if (s->from == WEIR_NO_OPERATOR) /* all that have a capacity of their own */
        return s->key != &weir_keys[WEIR_KEY_CAPACITY] || (q->capacity != WEIR_UNBOUNDED && !q->latest);
    return q->from.index == s->from && q->to.index == s->to && (!s->number || s->number == rank + 1);
}

static enum weir_status set_queues(struct weir_pipeline *p, const struct weir_setting *s, const int64_t numbers[2])
{
    uint32_t rank = 0;
    for (size_t i = 0; i < p->queue_count; i++) {
        struct weir_queue_spec *q = &p->queues[i];
        if (weir_setting_has_queue(s, q, rank))
            weir_key_set(s->key, q, numbers);
        rank += s->from != WEIR_NO_OPERATOR && q->from.index == s->from && q->to.index == s->to;
    }
    return WEIR_OK;
}

/* ---- latencies, processors, the platform ---- */

static enum weir_status set_deadline(struct weir_pipeline *p, const struct weir_setting *s, const int64_t numbers[2],
                                     struct weir_error *error)
{
    bool found = false;
    for (size_t i = 0; i < p->chain_count; i++)
        if (p->chains[i].from.index == s->from && p->chains[i].to.index == s->to) {
            weir_key_set(s->key, &p->chains[i], numbers);
            found = true;
        }
    struct weir_chain_spec chain = {.from = {s->from}, .to = {s->to}, .has_deadline = true, .deadline = numbers[0]};
    return found ? WEIR_OK : weir_pipeline_add_chain(p, &chain, error);
}

static enum weir_status set_processor(struct weir_pipeline *p, const struct weir_setting *s, int64_t number,
                                      struct weir_error *error)
{
    struct weir_processor_spec *processor = &p->processors[s->from];
    char quoted[WEIR_QUOTED];
    bool frame = s->key == &weir_keys[WEIR_KEY_FRAME];
    bool slots = processor->sharing == WEIR_TDM || processor->sharing == WEIR_ROUND_ROBIN;
    weir_quote(processor->name, quoted);
    if (frame && processor->sharing != WEIR_TDM)
        return weir_fail(error, WEIR_INVALID, "\"frame\" is about tdm, and processor \"%s\" is none", quoted);
    if (frame && number <= 0)
        return weir_fail(error, WEIR_INVALID, "\"frame\" must be longer than 0");
    if (!frame && slots)
        return weir_fail(error, WEIR_INVALID, "\"preemptive\" is about fixed priorities, but processor \"%s\" uses slots", quoted);
    if (frame)
        processor->frame = number;
    else
        processor->sharing = number ? WEIR_PREEMPTIVE : WEIR_NONPREEMPTIVE;
    return WEIR_OK;
}

static enum weir_status set_platform(struct weir_pipeline *p, const struct weir_setting *s, const int64_t numbers[2],
                                     struct weir_error *error)
{
    struct weir_platform_spec spec = weir_platform_spec(p);
    struct weir_workers_spec *workers = &spec.workers;
    bool was_greedy = workers->dispatch == WEIR_DISPATCH_GREEDY;
    weir_key_set(s->key, &spec, numbers);
    if (s->key->owner == WEIR_OF_GPU)
        return weir_pipeline_set_gpu(p, &spec.gpu, error);
    if (s->key == &weir_keys[WEIR_KEY_CORES])
        return weir_pipeline_set_cores(p, spec.cores, error);
    if (s->key == &weir_keys[WEIR_KEY_LATENCY_LIMIT])
        return weir_pipeline_set_latency_limit(p, spec.latency_limit, error);
    if (s->key == &weir_keys[WEIR_KEY_SCHEDULER]) {
        /* What does not go together any more is left out: the number of workers under greedy, polling under all but multi-thread.
         */
        workers->workers = workers->dispatch == WEIR_DISPATCH_GREEDY ? 1 : was_greedy ? 0 : workers->workers;
        workers->polling = workers->dispatch == WEIR_DISPATCH_POLLED ? workers->polling : 0;
    }
    return weir_pipeline_set_workers(p, workers, error);
}

/* ---- */

enum weir_status weir_setting_apply(const struct weir_setting *s, const struct weir_value *value, struct weir_pipeline *p,
                                    struct weir_error *error)
{
    switch (weir_key_target(s->key)) {
    case WEIR_OF_OPERATOR:
        return set_operator(p, s, value->numbers, error);
    case WEIR_OF_SOURCE:
        return set_source(p, s, value->numbers, error);
    case WEIR_OF_QUEUE:
        return set_queues(p, s, value->numbers);
    case WEIR_OF_DEADLINE:
        return set_deadline(p, s, value->numbers, error);
    case WEIR_OF_PROCESSOR:
        return set_processor(p, s, value->numbers[0], error);
    default:
        return set_platform(p, s, value->numbers, error);
    }
}

enum weir_status weir_setting_check(const struct weir_setting *s, const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    uint32_t rank = 0;
    enum weir_owner target = weir_key_target(s->key);
    if (target == WEIR_OF_OPERATOR)
        return weir_operator_check(p, &p->operators[s->from], error);
    for (size_t i = 0; i < p->source_count && target == WEIR_OF_SOURCE && !status; i++)
        if (p->sources[i].op.index == s->from)
            status = weir_source_check(p, &p->sources[i], error);
    for (size_t i = 0; i < p->queue_count && target == WEIR_OF_QUEUE && !status; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (weir_setting_has_queue(s, q, rank))
            status = weir_queue_check(p, q, error);
        rank += s->from != WEIR_NO_OPERATOR && q->from.index == s->from && q->to.index == s->to;
    }
    return status;
}
