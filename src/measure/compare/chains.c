/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths of a log in the model, and their bounds. The bounds are those of the answer about the model with one latency for each
 * path: where every connection waits, that of the path's own number of initial messages. Elsewhere a latency is that of the path
 * with the fewest.
 */
#include "base/number.h"
#include "measure/compare/compare.h"
#include "model/pipeline.h"

#include <string.h>

/* ---- paths ---- */

/* The tracker does not see broadcasts. In a model that was written they are known by their names alone. */
static bool is_broadcast(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    const char *tail = strrchr(spec.name, '.');
    return spec.broadcast || (tail && strncmp(tail, ".broadcast", 10) == 0 && strspn(tail + 10, "0123456789") == strlen(tail + 10));
}

/* From one operator to the next. */
struct hop {
    int64_t initial; /* the fewest messages that are there at the beginning; -1: there is no such path */
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

/* A name with _old reads again what its operator sent to the next. */
void weir_log_comparison_follow(const struct weir_log_comparison *c, struct weir_log_path *path)
{
    path->in_model = true;
    path->aged = true;
    for (size_t i = 0; i < path->count && path->in_model; i++) {
        uint32_t op = c->names[path->names[i]];
        path->in_model = op != WEIR_LOG_NO_OPERATOR;
        if (i == 0 || !path->in_model)
            continue;
        struct hop hop = find_hop(c->pipeline, c->names[path->names[i - 1]], op);
        path->in_model = hop.initial >= 0;
        path->aged &= hop.latest || !c->reread[path->names[i - 1]];
        path->shift += hop.initial;
    }
    path->asked = !path->in_model;
}

/* ---- bounds ---- */

int64_t weir_log_ns(const struct weir_pipeline *pipeline, struct weir_ratio ticks)
{
    static const int exponents[] = {[WEIR_UNIT_NS] = 0, [WEIR_UNIT_US] = 3, [WEIR_UNIT_MS] = 6, [WEIR_UNIT_S] = 9};
    int powers = exponents[pipeline->unit] - (int)pipeline->digits;
    weir_wide value = ticks.numerator, by = ticks.denominator;
    for (; powers < 0; powers++)
        by *= 10;
    for (; powers > 0; powers--)
        value *= 10;
    value /= by;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static struct weir_chain_spec chain_of(const struct weir_log_comparison *c, const struct weir_log_path *path)
{
    const struct weir_pipeline *p = c->pipeline;
    bool counted = weir_pipeline_is_plain(p) && !p->firings;
    return (struct weir_chain_spec){.from = {c->names[path->names[0]]},
                                    .to = {c->names[path->names[path->count - 1]]},
                                    .has_shift = counted,
                                    .shift = path->shift};
}

static void take_bound(const struct weir_log_comparison *c, struct weir_log_path *path, const struct weir_bound *bound)
{
    path->bounded = weir_bound_holds(bound);
    if (!path->bounded) {
        const char *why = bound->why                                   ? bound->why
                          : bound->worst.claim == WEIR_CLAIM_UNBOUNDED ? "the model has no bound for it"
                                                                       : "its bound was not found";
        path->why = weir_answer_format(c->answer, "%s", why);
        return;
    }
    path->safe = bound->worst.claim != WEIR_CLAIM_EXACT;
    path->bound = weir_log_ns(c->pipeline, bound->worst.high);
    if (bound->best.claim == WEIR_CLAIM_EXACT)
        path->best = weir_log_ns(c->pipeline, bound->best.low);
}

/* Where the shift is not given, weir finds that of the path with the fewest initial messages. */
static const struct weir_bound *find_bound(const struct weir_answer *answer, const struct weir_chain_spec *chain)
{
    const struct weir_bound *found = NULL, *bound;
    for (size_t i = 0; (bound = weir_answer_bound(answer, i)); i++) {
        if (bound->chain.from.index != chain->from.index || bound->chain.to.index != chain->to.index)
            continue;
        if (bound->chain.shift == chain->shift)
            return bound;
        if (!chain->has_shift && !found)
            found = bound;
    }
    return found;
}

/* False, with the reason, where the model has no latency that would be that of the path. */
static bool can_ask(struct weir_log_path *path, const struct weir_chain_spec *chain)
{
    if (chain->has_shift)
        return true;
    if (path->count == 1)
        path->why = "the model has no latency from its begin to its end";
    else if (path->shift > 0)
        path->why =
            "messages are on this path at the beginning, and the bounds of this model are those of the path with the fewest";
    return !path->why;
}

static enum weir_status add_chains(struct weir_log_comparison *c, struct weir_pipeline *model, bool *any, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < c->path_count && !status; i++) {
        struct weir_log_path *path = &c->paths[i];
        if (path->asked)
            continue;
        struct weir_chain_spec chain = chain_of(c, path);
        path->asked = !can_ask(path, &chain);
        if (path->asked)
            continue;
        status = weir_pipeline_add_chain(model, &chain, error);
        *any = true;
    }
    return status;
}

enum weir_status weir_log_comparison_ask(struct weir_log_comparison *c, struct weir_error *error)
{
    struct weir_answer *answer = NULL;
    bool any = false;
    c->asking = true;
    struct weir_pipeline *model = weir_pipeline_copy(c->pipeline, error);
    enum weir_status status = model ? add_chains(c, model, &any, error) : WEIR_MEMORY;
    if (!status && any)
        status = weir_pipeline_seal_alone(model, error);
    if (!status && any)
        status = weir_answer_find(model, NULL, &answer, error);
    for (size_t i = 0; i < c->path_count && answer; i++) {
        struct weir_log_path *path = &c->paths[i];
        if (path->asked)
            continue;
        struct weir_chain_spec chain = chain_of(c, path);
        const struct weir_bound *bound = find_bound(answer, &chain);
        path->asked = true;
        path->why = "its bound was not found";
        if (bound)
            take_bound(c, path, bound);
    }
    weir_answer_free(answer);
    weir_pipeline_free(model);
    c->asking = status != WEIR_OK;
    return status;
}
