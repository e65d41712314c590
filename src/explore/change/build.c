/* SPDX-License-Identifier: Apache-2.0 */
/* From a revision to a pipeline: what is kept of the old one, on a tick that may be finer, and what is added. */
#include "base/error.h"
#include "base/number.h"
#include "explore/change/change.h"
#include "model/pipeline.h"

struct building {
    const struct weir_revision *revision;
    const struct weir_pipeline *from;
    struct weir_pipeline *to;
    bool changed;  /* leave out what is removed, put in what is added */
    bool overflow; /* a time does not fit the new tick */
    struct weir_error *error;
};

static const struct weir_place nowhere = {0, 0};

/* As a weir_time_map: a time on the new tick. What is not known stays so. */
static int64_t scaled(void *building, const struct weir_key *key, int64_t ticks)
{
    struct building *b = building;
    int64_t result = 0;
    (void)key;
    if (ticks < 0)
        return ticks;
    if (!weir_multiply(ticks, b->revision->scale, &result) || result >= WEIR_TIME_MAX)
        b->overflow = true;
    return b->overflow ? 0 : result;
}

static bool is_gone(const struct building *b, struct weir_operator op)
{
    return b->changed && b->revision->gone_operators[op.index];
}

static struct weir_operator renumbered(const struct building *b, struct weir_operator op)
{
    return b->changed ? (struct weir_operator){b->revision->renumbered[op.index]} : op;
}

/* ---- what is kept ---- */

static enum weir_status keep_head(struct building *b)
{
    const struct weir_pipeline *from = b->from;
    struct weir_pipeline *to = b->to;
    enum weir_status status = weir_pipeline_set_name(to, from->name, b->error);
    struct weir_platform_spec platform = weir_platform_spec(from);
    weir_spec_map_times(WEIR_OF_PLATFORM, &platform, scaled, b);
    weir_spec_map_times(WEIR_OF_GPU, &platform, scaled, b);
    to->unit = from->unit;
    to->digits = b->revision->digits;
    to->platform = from->platform;
    to->latency_limit = platform.latency_limit;
    to->cores = platform.cores;
    to->gpu = platform.gpu;
    to->gpu.place = nowhere;
    to->workers = platform.workers;
    to->workers.place = nowhere;
    for (size_t i = 0; i < from->processor_count && !status; i++) {
        struct weir_processor_spec spec = from->processors[i];
        weir_spec_map_times(WEIR_OF_PROCESSOR, &spec, scaled, b);
        spec.place = nowhere;
        status = weir_pipeline_add_processor(to, &spec, NULL, b->error);
    }
    return status;
}

/* An operator, or kernel, with its times mapped. */
static enum weir_status add_operator(struct building *b, const struct weir_operator_spec *from, weir_time_map *map, void *context)
{
    struct weir_operator_copy copy;
    bool mapped = weir_operator_map_times(from, &copy, map, context);
    copy.spec.place = nowhere;
    enum weir_status status = !mapped       ? weir_fail_memory(b->error)
                              : b->overflow ? WEIR_OK
                                            : weir_pipeline_add_operator(b->to, &copy.spec, NULL, b->error);
    weir_free(copy.table);
    return status;
}

static enum weir_status keep_queues(struct building *b)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < b->from->queue_count && !status; i++) {
        struct weir_queue_spec spec = b->from->queues[i];
        if (b->changed && b->revision->gone_queues[i])
            continue;
        spec.from = renumbered(b, spec.from);
        spec.to = renumbered(b, spec.to);
        weir_spec_map_times(WEIR_OF_QUEUE, &spec, scaled, b);
        spec.place = nowhere;
        status = weir_pipeline_add_queue(b->to, &spec, NULL, b->error);
    }
    return status;
}

static enum weir_status keep_sources(struct building *b)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < b->from->source_count && !status; i++) {
        struct weir_source_spec spec = b->from->sources[i];
        if (is_gone(b, spec.op))
            continue;
        spec.op = renumbered(b, spec.op);
        weir_spec_map_times(WEIR_OF_SOURCE, &spec, scaled, b);
        spec.place = nowhere;
        status = b->overflow ? WEIR_OK : weir_pipeline_add_source(b->to, &spec, b->error);
    }
    return status;
}

static enum weir_status keep_chains(struct building *b)
{
    enum weir_status status = WEIR_OK;
    bool given = !b->from->sealed || b->from->shift_given;
    for (size_t i = 0; i < b->from->chain_count && given && !status; i++) {
        struct weir_chain_spec spec = b->from->chains[i];
        if (is_gone(b, spec.from) || is_gone(b, spec.to))
            continue;
        spec.from = renumbered(b, spec.from);
        spec.to = renumbered(b, spec.to);
        weir_spec_map_times(WEIR_OF_DEADLINE, &spec, scaled, b);
        spec.has_shift = b->from->sealed ? b->from->shift_given[i] : spec.has_shift;
        spec.place = nowhere;
        status = weir_pipeline_add_chain(b->to, &spec, b->error);
    }
    return status;
}

/* ---- what is added ---- */

static enum weir_status add_new_operator(struct building *b, const struct weir_draft *d, size_t op)
{
    struct weir_operator_spec spec = weir_draft_operator(d, (uint32_t)op);
    return add_operator(b, &spec, weir_draft_ticks, &d);
}

static enum weir_status add_new_queue(struct building *b, const struct weir_draft *d, size_t number)
{
    const struct weir_draft_queue *q = weir_draft_queue(d, number);
    struct weir_queue_spec spec = d->kinds[q->kind].spec;
    weir_spec_map_times(WEIR_OF_QUEUE, &spec, weir_draft_ticks, &d);
    spec.from.index = q->from;
    spec.to.index = q->to;
    spec.capacity = d->gpu ? 1 : weir_draft_capacity(d, &spec);
    return weir_pipeline_add_queue(b->to, &spec, NULL, b->error);
}

static enum weir_status add_all(struct building *b)
{
    const struct weir_draft *d = &b->revision->draft;
    enum weir_status status = WEIR_OK;
    for (size_t i = b->revision->kept_operators; i < d->operator_count && !status; i++)
        status = add_new_operator(b, d, i);
    for (size_t i = 0; i < d->queue_count && !status; i++)
        status = add_new_queue(b, d, i);
    for (size_t i = 0; i < d->source_count && !status; i++) {
        struct weir_source_spec spec = d->sources[i].spec;
        weir_spec_map_times(WEIR_OF_SOURCE, &spec, weir_draft_ticks, &d);
        spec.period = d->sources[i].has_rate ? d->sources[i].rate_ticks : spec.period;
        spec.place = nowhere;
        status = weir_pipeline_add_source(b->to, &spec, b->error);
    }
    for (size_t i = 0; i < d->chain_count && !status; i++) {
        struct weir_chain_spec spec = d->chains[i];
        weir_spec_map_times(WEIR_OF_DEADLINE, &spec, weir_draft_ticks, &d);
        spec.place = nowhere;
        status = weir_pipeline_add_chain(b->to, &spec, b->error);
    }
    return status;
}

/* ---- */

static enum weir_status build(struct building *b)
{
    enum weir_status status = keep_head(b);
    for (size_t i = 0; i < b->from->operator_count && !status; i++)
        if (!is_gone(b, (struct weir_operator){(uint32_t)i}))
            status = add_operator(b, &b->from->operators[i], scaled, b);
    /* What does not fit is found before something refers to an operator that is not there. */
    if (!status && !b->overflow)
        status = keep_queues(b);
    if (!status && !b->overflow)
        status = keep_sources(b);
    if (!status && !b->overflow)
        status = keep_chains(b);
    if (!status && b->overflow)
        return weir_fail(b->error, WEIR_OVERFLOW, "with times as fine as the changes need, the times of the model are too long");
    return status || !b->changed ? status : add_all(b);
}

struct weir_pipeline *weir_revision_build(const struct weir_revision *revision, bool changed, struct weir_error *error)
{
    struct building b = {.revision = revision, .from = revision->pipeline, .changed = changed, .error = error};
    b.to = weir_pipeline_new(error);
    if (b.to && build(&b)) {
        weir_pipeline_free(b.to);
        b.to = NULL;
    }
    return b.to;
}
