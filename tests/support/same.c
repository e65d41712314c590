/* SPDX-License-Identifier: Apache-2.0 */
#include "support/same.h"

#include "base/number.h"
#include "model/pipeline.h"
#include "model/schema.h"

#include <stdio.h>
#include <string.h>

static char difference[256];

struct side {
    const struct weir_pipeline *pipeline;
    const void *spec;
    bool drawn; /* only what a graph in DOT says counts */
};

static bool has_slots(const struct side *s)
{
    const struct weir_operator_spec *o = s->spec;
    enum weir_sharing sharing = o->mapped ? s->pipeline->processors[o->on.index].sharing : WEIR_PREEMPTIVE;
    return sharing == WEIR_TDM || sharing == WEIR_ROUND_ROBIN;
}

/* Whether a key says something here: what no file can say beside the rest does not count. */
static bool counts(const struct side *s, enum weir_key_id id)
{
    const struct weir_queue_spec *q = s->spec;
    const struct weir_source_spec *source = s->spec;
    const struct weir_platform_spec *platform = s->spec;
    const struct weir_processor_spec *processor = s->spec;
    switch (id) {
    case WEIR_KEY_RECEIVE:
        return !s->drawn;
    case WEIR_KEY_CAPACITY:
        return !q->latest;
    case WEIR_KEY_PRIORITY:
        return !has_slots(s);
    case WEIR_KEY_ARRIVALS:
        return s->pipeline->platform == WEIR_PLATFORM_THREADS;
    case WEIR_KEY_PERIOD:
        return source->bursty || source->count <= 1; /* otherwise it is a rate */
    case WEIR_KEY_FRAME:
        return processor->sharing == WEIR_TDM;
    case WEIR_KEY_WORKERS:
        return platform->workers.dispatch != WEIR_DISPATCH_GREEDY;
    default:
        return true;
    }
}

static const char *value_text(const struct side *s, enum weir_key_id id, int end, char text[128])
{
    const struct weir_key *key = &weir_keys[id];
    const char *name = key->type == WEIR_VALUE_NAME ? weir_key_get_name(key, s->spec) : NULL;
    int64_t number = weir_key_get(key, s->spec, end);
    const struct weir_queue_spec *q = s->spec;
    if (id == WEIR_KEY_THRESHOLD && !number)
        number = q->consume;
    if (key->has && !weir_key_is_said(key, s->spec))
        snprintf(text, 128, "not said");
    else if (key->type == WEIR_VALUE_NAME)
        snprintf(text, 128, "%s", name ? name : "no name");
    else if ((key->type == WEIR_VALUE_TIME || key->type == WEIR_VALUE_INTERVAL) && number >= 0)
        return weir_time_format(s->pipeline, number, text);
    else /* a count of 0 is one that is not said */
        snprintf(text, 128, "%lld",
                 (long long)(key->type == WEIR_VALUE_COUNT && (key->usual == 1 || key->has) && !number ? 1 : number));
    return text;
}

/* The keys of one owner, not those of mappings in it. */
static bool differ(enum weir_owner owner, const struct side *a, const struct side *b, const char *what)
{
    enum weir_key_id id, end;
    for (weir_owner_keys(owner, &id, &end); id < end; id++) {
        const struct weir_key *key = &weir_keys[id];
        char one[128], two[128];
        if (!key->size || key->type == WEIR_VALUE_MAP || !(key->platforms & weir_platform_bit(a->pipeline->platform)) ||
            !counts(a, id))
            continue;
        for (int i = 0; i <= (key->type == WEIR_VALUE_INTERVAL); i++) {
            const char *left = value_text(a, id, i, one), *right = value_text(b, id, i, two);
            if (strcmp(left, right) == 0)
                continue;
            snprintf(difference, sizeof difference, "%s: \"%s\" is %.60s and %.60s", what, key->name, left, right);
            return true;
        }
    }
    return false;
}

/* A structure that is pointed to. */
static bool differ_inside(enum weir_owner owner, const struct side *a, const struct side *b, const char *what)
{
    if (!a->spec != !b->spec)
        snprintf(difference, sizeof difference, "%s is there and is not", what);
    return !a->spec != !b->spec || (a->spec && differ(owner, a, b, what));
}

static bool differ_operator(const struct weir_pipeline *a, const struct weir_pipeline *b, size_t i, bool drawn)
{
    const struct weir_operator_spec *x = &a->operators[i], *y = &b->operators[i];
    struct side one = {a, x, drawn}, two = {b, y, drawn};
    bool gpu = a->platform == WEIR_PLATFORM_GPU;
    if (strcmp(x->name, y->name) != 0 || x->time_count != y->time_count || x->has_cost != y->has_cost) {
        snprintf(difference, sizeof difference, "operator %.60s: another name, table or cost", x->name);
        return true;
    }
    for (size_t k = 0; k < x->time_count; k++)
        if (x->times[k].sms != y->times[k].sms || x->times[k].time != y->times[k].time) {
            snprintf(difference, sizeof difference, "kernel %.60s: another table", x->name);
            return true;
        }
    return (gpu ? differ(WEIR_OF_KERNEL, &one, &two, "a kernel") : differ(WEIR_OF_OPERATOR, &one, &two, "an operator")) ||
           (x->has_cost && differ(WEIR_OF_COST, &one, &two, "a cost")) ||
           differ_inside(WEIR_OF_LAUNCH, &(struct side){a, x->launch, drawn}, &(struct side){b, y->launch, drawn}, "a launch") ||
           differ_inside(WEIR_OF_OBSERVED, &(struct side){a, x->observed, drawn}, &(struct side){b, y->observed, drawn},
                         "an observation");
}

/* count / period may be in other terms, and ticks be others. */
static bool same_rate(const struct weir_pipeline *a, const struct weir_source_spec *x, const struct weir_pipeline *b,
                      const struct weir_source_spec *y)
{
    weir_wide left = (weir_wide)(x->count ? x->count : 1) * y->period, right = (weir_wide)(y->count ? y->count : 1) * x->period;
    for (unsigned d = a->digits; d > b->digits; d--)
        left *= 10;
    for (unsigned d = b->digits; d > a->digits; d--)
        right *= 10;
    return left == right;
}

static bool differ_source(const struct weir_pipeline *a, const struct weir_pipeline *b, size_t i)
{
    const struct weir_source_spec *x = &a->sources[i], *y = NULL;
    for (size_t k = 0; k < b->source_count && !y; k++)
        y = b->sources[k].op.index == x->op.index ? &b->sources[k] : NULL;
    if (!y || (a->platform == WEIR_PLATFORM_CORES && !same_rate(a, x, b, y))) {
        snprintf(difference, sizeof difference, "source %zu: none at this operator, or another rate", i);
        return true;
    }
    return differ(WEIR_OF_SOURCE, &(struct side){a, x, false}, &(struct side){b, y, false}, "a source");
}

static bool differ_chain(const struct weir_pipeline *a, const struct weir_pipeline *b, size_t i)
{
    const struct weir_chain_spec *x = &a->chains[i];
    char one[WEIR_TIME_TEXT], two[WEIR_TIME_TEXT];
    for (size_t k = 0; k < b->chain_count; k++) {
        const struct weir_chain_spec *y = &b->chains[k];
        if (x->from.index == y->from.index && x->to.index == y->to.index && x->has_deadline == y->has_deadline &&
            (x->shift == y->shift || a->platform == WEIR_PLATFORM_CORES) &&
            (!x->has_deadline || strcmp(weir_time_format(a, x->deadline, one), weir_time_format(b, y->deadline, two)) == 0))
            return false;
    }
    snprintf(difference, sizeof difference, "latency %zu is not there", i);
    return true;
}

const char *find_difference(const struct weir_pipeline *a, const struct weir_pipeline *b, enum weir_model_format format)
{
    bool drawn = format == WEIR_MODEL_DOT;
    struct weir_platform_spec x = weir_platform_spec(a), y = weir_platform_spec(b);
    struct side one = {a, &x, drawn}, two = {b, &y, drawn};
    bool different = a->platform != b->platform || a->unit != b->unit ||
                     strcmp(weir_pipeline_name(a), weir_pipeline_name(b)) != 0 || a->operator_count != b->operator_count ||
                     a->queue_count != b->queue_count || a->source_count != b->source_count ||
                     (a->chain_count != b->chain_count && !drawn) || a->processor_count != b->processor_count;
    if (different) {
        snprintf(difference, sizeof difference, "another platform, unit, name, or number of operators, queues, sources ...");
        return difference;
    }
    different = differ(WEIR_OF_PLATFORM, &one, &two, "the platform") ||
                (a->platform == WEIR_PLATFORM_GPU && differ(WEIR_OF_GPU, &one, &two, "the GPU"));
    for (size_t i = 0; i < a->operator_count && !different; i++)
        different = differ_operator(a, b, i, drawn);
    for (size_t i = 0; i < a->queue_count && !different; i++)
        different = a->queues[i].to.index != b->queues[i].to.index || differ(WEIR_OF_QUEUE, &(struct side){a, &a->queues[i], drawn},
                                                                             &(struct side){b, &b->queues[i], drawn}, "a queue");
    for (size_t i = 0; i < a->source_count && !different; i++)
        different = differ_source(a, b, i);
    for (size_t i = 0; i < a->chain_count && !different && !drawn; i++)
        different = differ_chain(a, b, i);
    for (size_t i = 0; i < a->processor_count && !different; i++)
        different = a->processors[i].sharing != b->processors[i].sharing ||
                    differ(WEIR_OF_PROCESSOR, &(struct side){a, &a->processors[i], drawn},
                           &(struct side){b, &b->processors[i], drawn}, "a processor");
    return different ? difference : NULL;
}
