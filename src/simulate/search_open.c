/* SPDX-License-Identifier: Apache-2.0 */
/* Room for a search: what it keeps of the pipeline, plans, and what is seen. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "simulate/search.h"

static bool read_pipeline(struct weir_processors_search *s)
{
    const struct weir_pipeline *pipeline = s->pipeline;
    s->operator_count = weir_pipeline_operator_count(pipeline);
    s->source_count = weir_pipeline_source_count(pipeline);
    s->processor_count = weir_pipeline_processor_count(pipeline);
    s->chain_count = weir_pipeline_chain_count(pipeline);
    s->best = weir_array(s->operator_count, sizeof *s->best);
    s->worst = weir_array(s->operator_count, sizeof *s->worst);
    s->on = weir_array(s->operator_count, sizeof *s->on);
    s->sources = weir_array(s->source_count, sizeof *s->sources);
    s->shared = weir_array(s->processor_count, sizeof *s->shared);
    s->chains = weir_array_zeroed(s->chain_count, sizeof *s->chains);
    if (!s->best || !s->worst || !s->on || !s->sources || !s->shared || !s->chains)
        return false;
    for (uint32_t i = 0; i < s->operator_count; i++) {
        struct weir_operator_spec o = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        s->best[i] = o.best;
        s->worst[i] = o.worst;
        s->on[i] = o.mapped ? o.on.index : UINT32_MAX;
    }
    for (uint32_t i = 0; i < s->source_count; i++)
        s->sources[i] = weir_pipeline_source(pipeline, i);
    for (uint32_t i = 0; i < s->processor_count; i++)
        s->shared[i] = weir_pipeline_processor(pipeline, (struct weir_processor){i});
    return true;
}

/* A chain whose ends are far apart in iterations is seen only by a run that is longer than that. */
static bool read_chains(struct weir_processors_search *s)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < s->chain_count; i++) {
        struct weir_search_chain *p = &s->chains[i];
        p->spec = weir_pipeline_chain(s->pipeline, i);
        p->source = weir_processors_source(s->processors, p->spec.from);
        int64_t shift = p->spec.shift < 0 ? -p->spec.shift : p->spec.shift;
        most = shift > most ? shift : most;
        for (uint32_t k = 0; k < s->source_count; k++)
            p->fed |= s->sources[k].op.index == p->spec.from.index;
    }
    return weir_add(s->iterations, most, &s->iterations);
}

static int64_t *carve(int64_t **free, size_t count)
{
    int64_t *piece = *free;
    *free += count;
    return piece;
}

static bool make_plans(struct weir_processors_search *s)
{
    size_t iterations = (size_t)s->iterations, operators, sources, total;
    if (__builtin_mul_overflow(s->operator_count, iterations, &operators) ||
        __builtin_mul_overflow(s->source_count, iterations, &sources) || operators > SIZE_MAX / 64 || sources > SIZE_MAX / 64)
        return false;
    s->plan_size = operators + 2 * sources + s->source_count + s->processor_count + 1;
    total = 3 * s->plan_size + 2 * operators + 2 * sources;
    s->memory = weir_array(total, sizeof *s->memory);
    if (!s->memory)
        return false;
    int64_t *free = s->memory;
    for (int i = 0; i < 3; i++) {
        s->plans[i].times = carve(&free, operators);
        s->plans[i].offsets = carve(&free, sources);
        s->plans[i].spreads = carve(&free, sources);
        s->plans[i].phases = carve(&free, s->source_count);
        s->plans[i].frames = carve(&free, s->processor_count);
        s->plans[i].order = carve(&free, 1);
    }
    s->sighting.enable = carve(&free, operators);
    s->sighting.finish = carve(&free, operators);
    s->sighting.nominal = carve(&free, sources);
    s->sighting.arrival = carve(&free, sources);
    return true;
}

static bool make_seen(struct weir_processors_search *s)
{
    size_t operators = s->operator_count, chains = s->chain_count;
    s->seen = weir_array_zeroed(1, sizeof *s->seen + (3 * operators + 3 * chains) * sizeof(int64_t));
    if (!s->seen)
        return false;
    int64_t *free = (int64_t *)(s->seen + 1);
    s->seen->finish_max = carve(&free, operators);
    s->seen->enable_min = carve(&free, operators);
    s->seen->enable_max = carve(&free, operators);
    s->seen->latency_max = carve(&free, chains);
    s->seen->latency_min = carve(&free, chains);
    s->seen->latency_max_arrival = carve(&free, chains);
    for (size_t i = 0; i < operators; i++) {
        s->seen->finish_max[i] = s->seen->enable_max[i] = INT64_MIN;
        s->seen->enable_min[i] = INT64_MAX;
    }
    for (size_t i = 0; i < chains; i++) {
        s->seen->latency_max[i] = s->seen->latency_max_arrival[i] = INT64_MIN;
        s->seen->latency_min[i] = INT64_MAX;
    }
    return true;
}

enum weir_status weir_search_open(struct weir_processors_search *s, const uint32_t *capacities, struct weir_error *error)
{
    enum weir_status status = weir_processors_new(s->pipeline, capacities, &s->processors, error);
    if (status)
        return status;
    if (read_pipeline(s) && read_chains(s) && make_plans(s) && make_seen(s))
        return WEIR_OK;
    return weir_fail_memory(error);
}

void weir_search_close(struct weir_processors_search *s)
{
    weir_processors_free(s->processors);
    weir_free(s->seen);
    weir_free(s->memory);
    weir_free(s->chains);
    weir_free(s->best);
    weir_free(s->worst);
    weir_free(s->on);
    weir_free(s->sources);
    weir_free(s->shared);
}
