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

static int64_t scaled(struct building *b, int64_t ticks)
{
    int64_t result = 0;
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
    to->unit = from->unit;
    to->digits = b->revision->digits;
    to->platform = from->platform;
    to->latency_limit = scaled(b, from->latency_limit);
    to->cores = from->cores;
    to->gpu = from->gpu;
    to->gpu.min_time = scaled(b, from->gpu.min_time);
    to->gpu.launch_overhead = scaled(b, from->gpu.launch_overhead);
    to->gpu.deadline = scaled(b, from->gpu.deadline);
    to->gpu.place = nowhere;
    to->workers = from->workers;
    to->workers.polling = scaled(b, from->workers.polling);
    to->workers.place = nowhere;
    for (size_t i = 0; i < from->processor_count && !status; i++) {
        struct weir_processor_spec spec = from->processors[i];
        spec.frame = scaled(b, spec.frame);
        spec.place = nowhere;
        status = weir_pipeline_add_processor(to, &spec, NULL, b->error);
    }
    return status;
}

static enum weir_status keep_operator(struct building *b, const struct weir_operator_spec *from)
{
    struct weir_operator_spec spec = *from;
    struct weir_observed observed;
    struct weir_launch launch;
    struct weir_gpu_time *table = NULL;
    spec.best = scaled(b, spec.best);
    spec.worst = scaled(b, spec.worst);
    spec.receive_min = scaled(b, spec.receive_min);
    spec.receive_max = scaled(b, spec.receive_max);
    spec.slot = scaled(b, spec.slot);
    spec.cost_init = scaled(b, spec.cost_init);
    spec.cost_sample = scaled(b, spec.cost_sample);
    spec.granularity = scaled(b, spec.granularity);
    spec.min_time = scaled(b, spec.min_time);
    spec.place = nowhere;
    if (spec.observed) {
        observed = *spec.observed;
        observed.min = observed.min < 0 ? observed.min : scaled(b, observed.min);
        observed.max = scaled(b, observed.max);
        spec.observed = &observed;
    }
    if (spec.launch) {
        launch = *spec.launch;
        launch.best = scaled(b, launch.best);
        launch.worst = scaled(b, launch.worst);
        launch.after_best = scaled(b, launch.after_best);
        launch.after_worst = scaled(b, launch.after_worst);
        spec.launch = &launch;
    }
    if (spec.time_count) {
        table = weir_array(spec.time_count, sizeof *table);
        if (!table)
            return weir_fail_memory(b->error);
        for (size_t i = 0; i < spec.time_count; i++)
            table[i] = (struct weir_gpu_time){spec.times[i].sms, scaled(b, spec.times[i].time)};
        spec.times = table;
    }
    enum weir_status status = b->overflow ? WEIR_OK : weir_pipeline_add_operator(b->to, &spec, NULL, b->error);
    weir_free(table);
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
        spec.transfer_min = scaled(b, spec.transfer_min);
        spec.transfer_max = scaled(b, spec.transfer_max);
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
        spec.period = scaled(b, spec.period);
        spec.jitter = scaled(b, spec.jitter);
        spec.phase = scaled(b, spec.phase);
        spec.place = nowhere;
        status = b->overflow ? WEIR_OK : weir_pipeline_add_source(b->to, &spec, b->error);
    }
    return status;
}

static enum weir_status keep_pairs(struct building *b)
{
    enum weir_status status = WEIR_OK;
    bool given = !b->from->sealed || b->from->shift_given;
    for (size_t i = 0; i < b->from->pair_count && given && !status; i++) {
        struct weir_pair_spec spec = b->from->pairs[i];
        if (is_gone(b, spec.from) || is_gone(b, spec.to))
            continue;
        spec.from = renumbered(b, spec.from);
        spec.to = renumbered(b, spec.to);
        spec.deadline = scaled(b, spec.deadline);
        spec.has_shift = b->from->sealed ? b->from->shift_given[i] : spec.has_shift;
        spec.place = nowhere;
        status = weir_pipeline_add_pair(b->to, &spec, b->error);
    }
    return status;
}

/* ---- what is added ---- */

static int64_t ticks(const struct building *b, uint32_t time)
{
    return b->revision->draft.times[time].ticks;
}

static void describe_kernel(struct building *b, size_t op, struct weir_operator_spec *spec, struct weir_gpu_time *table)
{
    const struct weir_draft *d = &b->revision->draft;
    const struct weir_draft_kernel *k = &d->kernels[op];
    spec->best = 0;
    spec->worst = ticks(b, k->load);
    spec->splittable = k->splittable;
    spec->granularity = ticks(b, k->granularity);
    spec->min_time = ticks(b, k->min_time);
    spec->times = table;
    spec->time_count = k->width_count;
    for (uint32_t i = 0; i < k->width_count; i++)
        table[i] = (struct weir_gpu_time){d->widths[k->first_width + i].sms, ticks(b, d->widths[k->first_width + i].time)};
}

static enum weir_status add_operator(struct building *b, size_t op)
{
    const struct weir_draft *d = &b->revision->draft;
    const struct weir_draft_operator *o = &d->operators[op];
    struct weir_operator_spec spec = {.name = o->name,
                                      .best = ticks(b, o->best),
                                      .worst = ticks(b, o->worst),
                                      .receive_min = ticks(b, o->receive_min),
                                      .receive_max = ticks(b, o->receive_max),
                                      .reentrant = o->reentrant,
                                      .broadcast = o->broadcast,
                                      .has_priority = o->has_priority,
                                      .priority = o->priority,
                                      .slot = ticks(b, o->slot),
                                      .mapped = o->on > 0,
                                      .on = {o->on ? o->on - 1 : 0},
                                      .has_cost = o->has_cost,
                                      .cost_init = ticks(b, o->cost_init),
                                      .cost_sample = ticks(b, o->cost_sample)};
    struct weir_launch launch;
    struct weir_gpu_time *table = NULL;
    if (o->launch) {
        launch = (struct weir_launch){.best = ticks(b, o->launch->time[0]),
                                      .worst = ticks(b, o->launch->time[1]),
                                      .waits = o->launch->waits,
                                      .after_best = ticks(b, o->launch->after[0]),
                                      .after_worst = ticks(b, o->launch->after[1]),
                                      .stream = o->launch->stream};
        spec.launch = &launch;
    }
    if (d->gpu) {
        table = weir_array(d->kernels[op].width_count, sizeof *table);
        if (!table)
            return weir_fail_memory(b->error);
        describe_kernel(b, op, &spec, table);
    }
    enum weir_status status = weir_pipeline_add_operator(b->to, &spec, NULL, b->error);
    weir_free(table);
    return status;
}

/* One message fits a queue that does not say how many; a pool of cores has the analysis say so. */
static uint32_t capacity_of(const struct weir_draft *d, const struct weir_draft_kind *kind)
{
    uint32_t least = weir_draft_threads(d) && kind->consume > 1 ? kind->consume : 1;
    if (kind->latest)
        return 1;
    return kind->capacity ? kind->capacity : d->pool ? WEIR_AUTO : least;
}

static enum weir_status add_queue(struct building *b, size_t number)
{
    const struct weir_draft *d = &b->revision->draft;
    const struct weir_draft_queue *q = weir_draft_queue(d, number);
    const struct weir_draft_kind *k = &d->kinds[q->kind];
    struct weir_queue_spec spec = {.from = {q->from},
                                   .to = {q->to},
                                   .capacity = d->gpu ? 1 : capacity_of(d, k),
                                   .initial = k->initial,
                                   .nonblocking = k->nonblocking,
                                   .produce = k->produce,
                                   .consume = k->consume,
                                   .threshold = k->threshold,
                                   .full = k->full,
                                   .optional = k->optional,
                                   .latest = k->latest,
                                   .transfer_min = ticks(b, k->transfer[0]),
                                   .transfer_max = ticks(b, k->transfer[1])};
    return weir_pipeline_add_queue(b->to, &spec, NULL, b->error);
}

static enum weir_status add_source(struct building *b, const struct weir_draft_source *s)
{
    struct weir_source_spec spec = {.op = {s->op},
                                    .period = s->has_rate ? s->rate_ticks : ticks(b, s->period),
                                    .arrivals = s->arrivals,
                                    .name = s->name,
                                    .jitter = ticks(b, s->jitter),
                                    .sporadic = s->sporadic,
                                    .has_phase = s->phase != WEIR_NO_TIME,
                                    .phase = ticks(b, s->phase),
                                    .count = s->count,
                                    .bursty = s->burst > 0,
                                    .batch = s->batch};
    return weir_pipeline_add_source(b->to, &spec, b->error);
}

static enum weir_status add_all(struct building *b)
{
    const struct weir_draft *d = &b->revision->draft;
    enum weir_status status = WEIR_OK;
    for (size_t i = b->revision->kept_operators; i < d->operator_count && !status; i++)
        status = add_operator(b, i);
    for (size_t i = 0; i < d->queue_count && !status; i++)
        status = add_queue(b, i);
    for (size_t i = 0; i < d->source_count && !status; i++)
        status = add_source(b, &d->sources[i]);
    for (size_t i = 0; i < d->pair_count && !status; i++) {
        const struct weir_draft_pair *pair = &d->pairs[i];
        struct weir_pair_spec spec = {.from = {pair->from},
                                      .to = {pair->to},
                                      .has_deadline = pair->deadline != WEIR_NO_TIME,
                                      .deadline = ticks(b, pair->deadline)};
        status = weir_pipeline_add_pair(b->to, &spec, b->error);
    }
    return status;
}

/* ---- */

static enum weir_status build(struct building *b)
{
    enum weir_status status = keep_head(b);
    for (size_t i = 0; i < b->from->operator_count && !status; i++)
        if (!is_gone(b, (struct weir_operator){(uint32_t)i}))
            status = keep_operator(b, &b->from->operators[i]);
    /* What does not fit is found before something refers to an operator that is not there. */
    if (!status && !b->overflow)
        status = keep_queues(b);
    if (!status && !b->overflow)
        status = keep_sources(b);
    if (!status && !b->overflow)
        status = keep_pairs(b);
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
