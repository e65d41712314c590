/* SPDX-License-Identifier: Apache-2.0 */
/* Names and ways of the log in the model, and the bounds of ways. */
#include "compare.h"

#include <string.h>

static bool ends_behind_dot(const char *name, const char *tail)
{
    size_t length = strlen(name), bytes = strlen(tail);
    return length > bytes && name[length - bytes - 1] == '.' && strcmp(name + length - bytes, tail) == 0;
}

uint32_t weir_compare_match(const struct weir_pipeline *pipeline, const char *name)
{
    struct weir_operator op;
    if (weir_pipeline_find(pipeline, name, &op))
        return op.index;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if (weir_pipeline_find(pipeline, dot + 1, &op))
            return op.index;
    uint32_t found = WEIR_COMPARE_NOBODY;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        if (!ends_behind_dot(weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, name))
            continue;
        if (found != WEIR_COMPARE_NOBODY)
            return WEIR_COMPARE_NOBODY; /* two would do */
        found = i;
    }
    return found;
}

/* Tenfold for each power; INT64_MAX when that is too much. */
static int64_t scale_up(int64_t value, int powers)
{
    for (; powers > 0; powers--)
        if (value == INT64_MAX || __builtin_mul_overflow(value, 10, &value))
            return INT64_MAX;
    return value;
}

int64_t weir_compare_ns(const struct weir_pipeline *pipeline, int64_t ticks)
{
    static const int exponents[] = {[WEIR_UNIT_NS] = 0, [WEIR_UNIT_US] = 3, [WEIR_UNIT_MS] = 6, [WEIR_UNIT_S] = 9};
    int powers = exponents[weir_pipeline_unit(pipeline)] - (int)weir_pipeline_digits(pipeline);
    for (; powers < 0; powers++)
        ticks /= 10;
    return scale_up(ticks, powers);
}

/* The tracker does not see broadcasts. In a model that was written they are known by their names alone. */
static bool is_broadcast(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    const char *tail = strrchr(spec.name, '.');
    return spec.broadcast || (tail && strncmp(tail, ".broadcast", 10) == 0 && strspn(tail + 10, "0123456789") == strlen(tail + 10));
}

/* The fewest messages that are in the queues from one operator to another at the beginning: of one queue, or of two with a
 * broadcast between them. -1: there is no such way. */
static int64_t fewest_initial(const struct weir_pipeline *pipeline, uint32_t from, uint32_t to)
{
    int64_t fewest = -1;
    uint32_t count = weir_pipeline_queue_count(pipeline);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec first = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        if (first.from.index != from)
            continue;
        if (first.to.index == to && (fewest < 0 || first.initial < fewest))
            fewest = first.initial;
        for (uint32_t k = 0; k < count && first.to.index != to && is_broadcast(pipeline, first.to); k++) {
            struct weir_queue_spec second = weir_pipeline_queue(pipeline, (struct weir_queue){k});
            int64_t both = (int64_t)first.initial + second.initial;
            if (second.from.index == first.to.index && second.to.index == to && (fewest < 0 || both < fewest))
                fewest = both;
        }
    }
    return fewest;
}

static void take_answer(struct weir_comparison *c, struct weir_compared *path, const struct weir_separation *answer)
{
    int64_t ticks = answer->outcome == WEIR_EXACT ? answer->value : answer->upper;
    path->bounded = answer->outcome == WEIR_EXACT || (answer->outcome == WEIR_BRACKET && answer->upper != INT64_MAX);
    if (path->bounded)
        path->bound = weir_compare_ns(c->pipeline, ticks);
    else
        path->why = answer->outcome == WEIR_NO_BOUND ? "the model has no bound for it" : "its bound was not found";
}

/* Where operators share workers: the bound of the pair, which holds for the way with the fewest initial messages. */
static void take_shared(struct weir_comparison *c, struct weir_compared *path, const struct weir_query *query)
{
    path->why = "the model has no latency from its begin to its end";
    for (size_t i = 0; i < c->workers->latency_count; i++) {
        const struct weir_workers_latency *l = &c->workers->latencies[i];
        if (l->pair.from.index != query->from.op.index || l->pair.to.index != query->to.op.index || l->pair.shift != query->shift)
            continue;
        path->bounded = l->outcome == WEIR_WORKERS_EXACT || l->outcome == WEIR_WORKERS_SAFE;
        if (path->bounded)
            path->bound = weir_compare_ns(c->pipeline, l->worst);
        else
            path->why = l->why ? l->why : "no bound is known";
    }
}

void weir_compare_bound(struct weir_comparison *c, struct weir_compared *path)
{
    int64_t shift = 0;
    path->in_model = true;
    for (size_t i = 0; i < path->count && path->in_model; i++) {
        uint32_t op = c->names[path->names[i]];
        path->in_model = op != WEIR_COMPARE_NOBODY;
        if (i == 0 || !path->in_model)
            continue;
        int64_t initial = fewest_initial(c->pipeline, c->names[path->names[i - 1]], op);
        path->in_model = initial >= 0;
        shift += initial;
    }
    if (!path->in_model)
        return;
    struct weir_query query = {.from = {{c->names[path->names[0]]}, WEIR_START},
                               .to = {{c->names[path->names[path->count - 1]]}, WEIR_FINISH},
                               .shift = shift};
    struct weir_separation answer;
    if (c->workers)
        take_shared(c, path, &query);
    else if (weir_separation_worst(c->solver, &query, &answer, &c->error))
        c->failed = true;
    else
        take_answer(c, path, &answer);
}
