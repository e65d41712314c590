/* SPDX-License-Identifier: Apache-2.0 */
/* Building a pipeline, and looking at it. */
#include "model/pipeline.h"

#include "base/error.h"
#include "base/number.h"
#include "model/firings.h"
#include "model/suggest.h"

#include <string.h>

struct weir_pipeline *weir_pipeline_new(struct weir_error *error)
{
    struct weir_pipeline *p = weir_array_zeroed(1, sizeof *p);
    if (!p)
        weir_fail_memory(error);
    else
        p->name = "";
    return p;
}

void weir_pipeline_free(struct weir_pipeline *p)
{
    if (!p)
        return;
    weir_graph_free(p->graph);
    weir_free(p->processors);
    weir_free(p->operators);
    weir_free(p->queues);
    weir_free(p->sources);
    weir_free(p->chains);
    weir_names_free(&p->names);
    weir_map_free(&p->chain_index);
    weir_free(p->has_source);
    weir_free(p->given_phases);
    weir_free(p->lateness);
    weir_free(p->reactions);
    weir_arena_free(&p->arena);
    weir_arena_free(&p->sealed_arena);
    weir_free(p);
}

enum weir_status weir_fail_missing(struct weir_error *error)
{
    return weir_fail(error, WEIR_INVALID, "there is no pipeline");
}

enum weir_status weir_fail_sealed(const struct weir_pipeline *p, struct weir_error *error)
{
    return p ? weir_fail(error, WEIR_INVALID, "the pipeline is sealed: nothing can be added to it") : weir_fail_missing(error);
}

/* ---- names ---- */

bool weir_pipeline_find(const struct weir_pipeline *p, const char *name, struct weir_operator *op)
{
    uint32_t found = weir_names_find(&p->names, name, strlen(name));
    if (found != WEIR_MAP_NONE && op)
        op->index = found;
    return found != WEIR_MAP_NONE;
}

const char *weir_pipeline_suggest(const struct weir_pipeline *p, const char *name)
{
    const char **names = weir_array(p->operator_count, sizeof(const char *)), *nearest = NULL;
    for (uint32_t i = 0; names && i < p->operator_count; i++)
        names[i] = p->operators[i].name;
    if (names)
        nearest = weir_suggest(name, names, p->operator_count);
    weir_free(names);
    return nearest;
}

/* ---- building ---- */

enum weir_status weir_pipeline_set_name(struct weir_pipeline *p, const char *name, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    const char *copy = weir_arena_text(&p->arena, name);
    if (!copy)
        return weir_fail_memory(error);
    p->name = copy;
    return WEIR_OK;
}

enum weir_status weir_pipeline_set_unit(struct weir_pipeline *p, enum weir_unit unit, unsigned digits, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (!weir_unit_name(unit))
        return weir_fail(error, WEIR_INVALID, "unknown unit: %d", (int)unit);
    if (digits > 18)
        return weir_fail(error, WEIR_INVALID, "a unit can have at most 18 decimal digits, not %u", digits);
    p->unit = unit;
    p->digits = digits;
    return WEIR_OK;
}

enum weir_status weir_operator_check(const struct weir_pipeline *p, const struct weir_operator_spec *spec, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!spec->name || !*spec->name)
        return weir_fail(error, WEIR_INVALID, "an operator needs a name");
    weir_quote(spec->name, quoted);
    if (spec->best < 0)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a negative time", quoted);
    if (spec->best > spec->worst)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a best case above its worst case", quoted);
    if (spec->worst >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "operator \"%s\" takes longer than can be represented", quoted);
    if (spec->receive_min < 0 || spec->receive_min > spec->receive_max)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has an invalid receive interval", quoted);
    if (spec->receive_max > spec->worst)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" receives after its end", quoted);
    if (spec->mapped && spec->on.index >= p->processor_count)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" runs on no processor of the pipeline", quoted);
    if (spec->slot < 0 || spec->slot >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has an invalid slot", quoted);
    if (spec->cost_init < 0 || spec->cost_sample < 0 || spec->cost_init >= WEIR_TIME_MAX || spec->cost_sample >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has an invalid cost", quoted);
    if (spec->start_within < 0 || spec->start_within >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has an invalid time to start within", quoted);
    if (spec->lane && (!*spec->lane || spec->reentrant))
        return weir_fail(error, WEIR_INVALID,
                         spec->reentrant
                             ? "operator \"%s\" is reentrant: it cannot be in a lane, where one execution runs at a time"
                             : "operator \"%s\" is in a lane without a name",
                         quoted);
    const struct weir_observed *o = spec->observed;
    if (o && (!o->from || !*o->from || o->min < -1 || o->max < 0 || o->min > o->max || o->max >= WEIR_TIME_MAX))
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has an invalid observation", quoted);
    enum weir_status status = weir_launch_check(spec, error);
    return status ? status : weir_kernel_check(spec, error);
}

static bool keep_observed(struct weir_pipeline *p, struct weir_operator_spec *spec)
{
    if (!spec->observed)
        return true;
    struct weir_observed *observed = weir_arena_take(&p->arena, sizeof *observed);
    if (!observed)
        return false;
    *observed = *spec->observed;
    observed->from = weir_arena_text(&p->arena, observed->from);
    spec->observed = observed;
    return observed->from != NULL;
}

bool weir_operator_keep(struct weir_pipeline *p, struct weir_operator_spec *spec)
{
    if (!keep_observed(p, spec) || !weir_launch_keep(p, spec))
        return false;
    if (spec->lane && !(spec->lane = weir_arena_text(&p->arena, spec->lane)))
        return false;
    if (!spec->time_count) {
        spec->times = NULL;
        return true;
    }
    struct weir_gpu_time *times = weir_arena_take(&p->arena, spec->time_count * sizeof *times);
    if (!times)
        return false;
    memcpy(times, spec->times, spec->time_count * sizeof *times);
    spec->times = times;
    return true;
}

bool weir_pipeline_reserve(struct weir_pipeline *p, size_t operators, size_t queues)
{
    return weir_reserve(&p->operators, &p->operator_capacity, p->operator_count + operators, sizeof *p->operators) &&
           weir_reserve(&p->queues, &p->queue_capacity, p->queue_count + queues, sizeof *p->queues);
}

enum weir_status weir_pipeline_add_operator(struct weir_pipeline *p, const struct weir_operator_spec *spec,
                                            struct weir_operator *op, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    enum weir_status status = weir_operator_check(p, spec, error);
    if (status)
        return status;
    if (p->operator_count >= UINT32_MAX / 4)
        return weir_fail(error, WEIR_OVERFLOW, "too many operators");
    if (!weir_reserve(&p->operators, &p->operator_capacity, p->operator_count + 1, sizeof *p->operators))
        return weir_fail_memory(error);
    if (weir_pipeline_find(p, spec->name, NULL))
        return weir_fail(error, WEIR_INVALID, "there are two operators named \"%s\"", weir_quote(spec->name, quoted));
    struct weir_operator_spec *mine = &p->operators[p->operator_count];
    *mine = *spec;
    mine->has_start_within |= spec->start_within > 0;
    mine->name = weir_arena_text(&p->arena, spec->name);
    if (!mine->name || !weir_operator_keep(p, mine) || !weir_names_add(&p->names, mine->name, (uint32_t)p->operator_count))
        return weir_fail_memory(error);
    if (op)
        op->index = (uint32_t)p->operator_count;
    p->operator_count++;
    return WEIR_OK;
}

enum weir_status weir_queue_check(const struct weir_pipeline *p, const struct weir_queue_spec *spec, struct weir_error *error)
{
    bool counted = spec->capacity != WEIR_UNBOUNDED && spec->capacity != WEIR_AUTO;
    if (spec->from.index >= p->operator_count || spec->to.index >= p->operator_count)
        return weir_fail(error, WEIR_INVALID, "a queue must join two operators of the pipeline");
    if (spec->capacity == 0)
        return weir_fail(error, WEIR_INVALID, "a queue must hold at least one message");
    if (spec->produce > WEIR_QUEUE_MAX || spec->consume > WEIR_QUEUE_MAX || spec->threshold > WEIR_QUEUE_MAX)
        return weir_fail(error, WEIR_INVALID, "a queue's rates and threshold must be at most %u", WEIR_QUEUE_MAX);
    if (spec->threshold && spec->threshold < (spec->consume ? spec->consume : 1))
        return weir_fail(error, WEIR_INVALID, "a queue's threshold must not be below what an execution consumes");
    if (counted && spec->capacity > WEIR_QUEUE_MAX)
        return weir_fail(error, WEIR_INVALID, "a queue holds at most %u messages, or is unbounded", WEIR_QUEUE_MAX);
    if (spec->initial > WEIR_QUEUE_MAX)
        return weir_fail(error, WEIR_INVALID, "a queue can begin with at most %u messages", WEIR_QUEUE_MAX);
    if (spec->initial > spec->capacity)
        return weir_fail(error, WEIR_INVALID, "a queue of %u cannot begin with %u messages", spec->capacity, spec->initial);
    return weir_connection_check(spec, error);
}

enum weir_status weir_pipeline_add_queue(struct weir_pipeline *p, const struct weir_queue_spec *spec, struct weir_queue *queue,
                                         struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    enum weir_status status = weir_queue_check(p, spec, error);
    if (status)
        return status;
    if (p->queue_count >= UINT32_MAX / 4)
        return weir_fail(error, WEIR_OVERFLOW, "too many queues");
    if (!weir_reserve(&p->queues, &p->queue_capacity, p->queue_count + 1, sizeof *p->queues))
        return weir_fail_memory(error);
    p->queues[p->queue_count] = *spec;
    p->queues[p->queue_count].has_within |= spec->within > 0;
    if (spec->port && !(p->queues[p->queue_count].port = weir_arena_text(&p->arena, spec->port)))
        return weir_fail_memory(error);
    if (spec->port && spec->full == WEIR_FULL_NEVER)
        p->queues[p->queue_count].full = WEIR_FULL_FAULT;
    if (queue)
        queue->index = (uint32_t)p->queue_count;
    p->queue_count++;
    return WEIR_OK;
}

enum weir_status weir_source_check(const struct weir_pipeline *p, const struct weir_source_spec *spec, struct weir_error *error)
{
    if (spec->op.index >= p->operator_count)
        return weir_fail(error, WEIR_INVALID, "a source must be an operator of the pipeline");
    if ((unsigned)spec->arrivals > WEIR_ARRIVALS_SKIP)
        return weir_fail(error, WEIR_INVALID, "unknown kind of arrivals: %d", (int)spec->arrivals);
    if (spec->period <= 0)
        return weir_fail(error, WEIR_INVALID, "a period must be longer than 0");
    if (spec->period >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "a period is longer than can be represented");
    if (spec->jitter < 0 || spec->phase < 0 || spec->phase_max < 0)
        return weir_fail(error, WEIR_INVALID, "a %s must not be negative", spec->jitter < 0 ? "jitter" : "phase");
    if (spec->phase_max && spec->phase_max < spec->phase)
        return weir_fail(error, WEIR_INVALID, "the latest phase of a source is before its earliest");
    if (spec->phase_max && spec->phase_max != spec->phase && p->platform != WEIR_PLATFORM_THREADS)
        return weir_fail(error, WEIR_INVALID, "a phase has limits only where each operator has a thread");
    if (spec->jitter >= WEIR_TIME_MAX || spec->phase >= WEIR_TIME_MAX || spec->phase_max >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "a jitter or phase is longer than can be represented");
    if (spec->count < 0 || spec->count >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "a source must have at least one arrival in a period");
    return WEIR_OK;
}

enum weir_status weir_pipeline_add_source(struct weir_pipeline *p, const struct weir_source_spec *spec, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    enum weir_status status = weir_source_check(p, spec, error);
    if (status)
        return status;
    size_t known = p->has_source_capacity;
    if (!weir_reserve(&p->has_source, &p->has_source_capacity, p->operator_count, sizeof *p->has_source))
        return weir_fail_memory(error);
    if (p->has_source_capacity > known)
        memset(p->has_source + known, 0, p->has_source_capacity - known);
    if (p->has_source[spec->op.index])
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has two periods",
                         weir_quote(p->operators[spec->op.index].name, quoted));
    if (!weir_reserve(&p->sources, &p->source_capacity, p->source_count + 1, sizeof *p->sources))
        return weir_fail_memory(error);
    const char *name = spec->name ? weir_arena_text(&p->arena, spec->name) : NULL;
    if (spec->name && !name)
        return weir_fail_memory(error);
    struct weir_source_spec *source = &p->sources[p->source_count++];
    *source = *spec;
    source->name = name;
    source->phase_max = spec->phase_max ? spec->phase_max : spec->phase;
    p->has_source[spec->op.index] = 1;
    return WEIR_OK;
}

static bool same_chain(const struct weir_chain_spec *a, const struct weir_chain_spec *b)
{
    return a->from.index == b->from.index && a->to.index == b->to.index && a->has_shift == b->has_shift &&
           (!a->has_shift || a->shift == b->shift);
}

/* WEIR_MAP_NONE: it is new. */
static uint32_t find_chain(const struct weir_pipeline *p, const struct weir_chain_spec *chain, uint32_t *hash)
{
    *hash = weir_hash_pair((uint64_t)chain->from.index << 32 | chain->to.index, chain->has_shift ? (uint64_t)chain->shift + 1 : 0);
    struct weir_map_cursor probe = weir_map_begin(&p->chain_index, *hash);
    while (weir_map_next(&p->chain_index, &probe) && !same_chain(&p->chains[probe.value], chain))
        ;
    return probe.value;
}

enum weir_status weir_pipeline_add_chain(struct weir_pipeline *p, const struct weir_chain_spec *spec, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (spec->from.index >= p->operator_count || spec->to.index >= p->operator_count)
        return weir_fail(error, WEIR_INVALID, "a latency must be measured between two operators of the pipeline");
    if (spec->has_deadline && spec->deadline < 0)
        return weir_fail(error, WEIR_INVALID, "a deadline must not be negative");
    if (spec->has_deadline && spec->deadline >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "a deadline is longer than can be represented");
    if (spec->has_shift && (spec->shift > WEIR_QUEUE_MAX || spec->shift < -(int64_t)WEIR_QUEUE_MAX))
        return weir_fail(error, WEIR_INVALID, "an offset is at most %u iterations", WEIR_QUEUE_MAX);
    if (p->chain_count >= UINT32_MAX / 4)
        return weir_fail(error, WEIR_OVERFLOW, "too many latencies");
    uint32_t hash, found = find_chain(p, spec, &hash);
    if (found != WEIR_MAP_NONE) {
        struct weir_chain_spec *same = &p->chains[found];
        if (spec->has_deadline && (!same->has_deadline || spec->deadline < same->deadline)) {
            same->has_deadline = true;
            same->deadline = spec->deadline;
            same->place = spec->place;
        }
        return WEIR_OK;
    }
    if (!weir_reserve(&p->chains, &p->chain_capacity, p->chain_count + 1, sizeof *p->chains))
        return weir_fail_memory(error);
    if (!weir_map_add(&p->chain_index, hash, (uint32_t)p->chain_count))
        return weir_fail_memory(error);
    p->chains[p->chain_count++] = *spec;
    return WEIR_OK;
}

/* ---- looking ---- */

const char *weir_pipeline_name(const struct weir_pipeline *p)
{
    return p->name;
}

enum weir_unit weir_pipeline_unit(const struct weir_pipeline *p)
{
    return p->unit;
}

unsigned weir_pipeline_digits(const struct weir_pipeline *p)
{
    return p->digits;
}

uint32_t weir_pipeline_firings(const struct weir_pipeline *p, struct weir_operator op)
{
    return p->firings && op.index < p->operator_count ? p->firings[op.index] : 1;
}

bool weir_pipeline_sealed(const struct weir_pipeline *p)
{
    return p && p->sealed;
}

uint32_t weir_pipeline_operator_count(const struct weir_pipeline *p)
{
    return (uint32_t)p->operator_count;
}

uint32_t weir_pipeline_queue_count(const struct weir_pipeline *p)
{
    return (uint32_t)p->queue_count;
}

uint32_t weir_pipeline_source_count(const struct weir_pipeline *p)
{
    return (uint32_t)p->source_count;
}

uint32_t weir_pipeline_chain_count(const struct weir_pipeline *p)
{
    return (uint32_t)p->chain_count;
}

struct weir_operator_spec weir_pipeline_operator(const struct weir_pipeline *p, struct weir_operator op)
{
    return op.index < p->operator_count ? p->operators[op.index] : (struct weir_operator_spec){0};
}

struct weir_queue_spec weir_pipeline_queue(const struct weir_pipeline *p, struct weir_queue queue)
{
    return queue.index < p->queue_count ? p->queues[queue.index] : (struct weir_queue_spec){0};
}

struct weir_source_spec weir_pipeline_source(const struct weir_pipeline *p, uint32_t index)
{
    return index < p->source_count ? p->sources[index] : (struct weir_source_spec){0};
}

struct weir_chain_spec weir_pipeline_chain(const struct weir_pipeline *p, uint32_t index)
{
    return index < p->chain_count ? p->chains[index] : (struct weir_chain_spec){0};
}

const char *weir_time_format(const struct weir_pipeline *p, int64_t ticks, char text[WEIR_TIME_TEXT])
{
    return weir_decimal_format(ticks, p->digits, text);
}

enum weir_status weir_time_parse(const struct weir_pipeline *p, const char *text, int64_t *ticks, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    struct weir_decimal value;
    if (!p)
        return weir_fail_missing(error);
    switch (weir_decimal_parse(text, &value)) {
    case WEIR_DECIMAL_OK:
        break;
    case WEIR_DECIMAL_UNIT:
        return weir_fail(error, WEIR_INVALID, "\"%s\" has an unknown unit; expected ns, us, ms, s or tick",
                         weir_quote(text, quoted));
    case WEIR_DECIMAL_RANGE:
        return weir_fail(error, WEIR_OVERFLOW, "\"%s\" has more digits than can be represented", weir_quote(text, quoted));
    case WEIR_DECIMAL_MALFORMED:
        return weir_fail(error, WEIR_INVALID, "\"%s\" is not a time; expected a number such as 5, 4.25 or 33.3ms",
                         weir_quote(text, quoted));
    }
    if (value.has_unit && (value.unit == WEIR_UNIT_TICK) != (p->unit == WEIR_UNIT_TICK) && value.mantissa)
        return weir_fail(error, WEIR_INVALID, "\"%s\" cannot be converted to the model's unit, %s", weir_quote(text, quoted),
                         weir_unit_name(p->unit));
    if (!weir_decimal_ticks(&value, p->unit, p->digits, ticks))
        return weir_fail(error, WEIR_OVERFLOW, "\"%s\" is not a whole number of the model's ticks, or too large",
                         weir_quote(text, quoted));
    return WEIR_OK;
}
