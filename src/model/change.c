/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a pipeline, and changes to one that is not sealed. */
#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

enum weir_status weir_pipeline_copy_head(const struct weir_pipeline *from, struct weir_pipeline *to, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_set_name(to, from->name, error);
    to->unit = from->unit;
    to->digits = from->digits;
    to->platform = from->platform;
    to->latency_limit = from->latency_limit;
    to->has_deadline = from->has_deadline;
    to->deadline = from->deadline;
    to->cores = from->cores;
    to->gpu = from->gpu;
    to->workers = from->workers;
    for (size_t i = 0; i < from->processor_count && !status; i++)
        status = weir_pipeline_add_processor(to, &from->processors[i], NULL, error);
    return status;
}

static enum weir_status copy_parts(const struct weir_pipeline *from, struct weir_pipeline *to, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_copy_head(from, to, error);
    for (size_t i = 0; i < from->operator_count && !status; i++)
        status = weir_pipeline_add_operator(to, &from->operators[i], NULL, error);
    for (size_t i = 0; i < from->queue_count && !status; i++)
        status = weir_pipeline_add_queue(to, &from->queues[i], NULL, error);
    for (size_t i = 0; i < from->source_count && !status; i++)
        status = weir_pipeline_add_source(to, &from->sources[i], error);
    bool given = !from->sealed || from->shift_given;
    for (size_t i = 0; i < from->chain_count && given && !status; i++) {
        struct weir_chain_spec chain = from->chains[i];
        chain.has_shift = from->sealed ? from->shift_given[i] : chain.has_shift;
        status = weir_pipeline_add_chain(to, &chain, error);
    }
    return status;
}

struct weir_pipeline *weir_pipeline_copy(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    if (!pipeline) {
        weir_fail_missing(error);
        return NULL;
    }
    struct weir_pipeline *copy = weir_pipeline_new(error);
    if (copy && copy_parts(pipeline, copy, error)) {
        weir_pipeline_free(copy);
        copy = NULL;
    }
    return copy;
}

enum weir_status weir_pipeline_change_operator(struct weir_pipeline *p, struct weir_operator op,
                                               const struct weir_operator_spec *spec, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (op.index >= p->operator_count || strcmp(spec->name ? spec->name : "", p->operators[op.index].name) != 0)
        return weir_fail(error, WEIR_INVALID, "the name of an operator cannot be changed");
    enum weir_status status = weir_operator_check(p, spec, error);
    if (status)
        return status;
    struct weir_operator_spec mine = *spec;
    mine.name = p->operators[op.index].name;
    if (!weir_operator_keep(p, &mine))
        return weir_fail_memory(error);
    p->operators[op.index] = mine;
    return WEIR_OK;
}

enum weir_status weir_pipeline_change_queue(struct weir_pipeline *p, struct weir_queue queue, const struct weir_queue_spec *spec,
                                            struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (queue.index >= p->queue_count || spec->from.index != p->queues[queue.index].from.index ||
        spec->to.index != p->queues[queue.index].to.index)
        return weir_fail(error, WEIR_INVALID, "the ends of a queue cannot be changed");
    enum weir_status status = weir_queue_check(p, spec, error);
    if (status)
        return status;
    const char *port = p->queues[queue.index].port;
    p->queues[queue.index] = *spec;
    p->queues[queue.index].port = port;
    if (port && spec->full == WEIR_FULL_NEVER)
        p->queues[queue.index].full = WEIR_FULL_FAULT;
    return WEIR_OK;
}

enum weir_status weir_pipeline_change_source(struct weir_pipeline *p, uint32_t index, const struct weir_source_spec *spec,
                                             struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (index >= p->source_count || spec->op.index != p->sources[index].op.index)
        return weir_fail(error, WEIR_INVALID, "the operator of a source cannot be changed");
    enum weir_status status = weir_source_check(p, spec, error);
    if (status)
        return status;
    const char *name = p->sources[index].name;
    p->sources[index] = *spec;
    p->sources[index].name = name;
    return WEIR_OK;
}
