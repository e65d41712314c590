/* SPDX-License-Identifier: Apache-2.0 */
#include "semantics_watch.h"

#include "support/random/pipeline.h"

struct play {
    struct watch *watch;
    const struct watch_run *run;
};

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t execution, int64_t time)
{
    struct watch *w = ((struct play *)context)->watch;
    w->executions += moment == WEIR_START;
    if (execution >= WATCH_EXECUTIONS)
        return;
    w->used = execution >= w->used ? (uint32_t)execution + 1 : w->used;
    if (moment == WEIR_FINISH)
        w->finish[op.index][execution] = time;
    else if (w->exact[op.index] == (moment == WEIR_ARRIVAL))
        w->start[op.index][execution] = time;
}

static void carried(void *context, const struct weir_finish *finish)
{
    struct watch *w = ((struct play *)context)->watch;
    if (finish->execution < WATCH_EXECUTIONS && finish->execution >= w->used)
        w->used = (uint32_t)finish->execution + 1;
    for (size_t i = 0; i < finish->age_count && finish->execution < WATCH_EXECUTIONS; i++)
        w->ages[finish->op.index][finish->execution][finish->ages[i].from.index] = finish->ages[i];
}

static void lost(void *context, struct weir_queue queue, int64_t time)
{
    (void)time;
    ((struct play *)context)->watch->lost[queue.index]++;
}

void watch_range(const struct weir_pipeline *pipeline, struct weir_operator op, enum weir_part part, int64_t *low, int64_t *high)
{
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
    *low = spec.best, *high = spec.worst;
    if (part == WEIR_PART_RECEIVE)
        *low = spec.receive_min, *high = spec.receive_max;
    else if (part == WEIR_PART_GPU)
        *low = spec.launch->best, *high = spec.launch->worst;
    else if (part == WEIR_PART_AFTER)
        *low = spec.launch->after_best, *high = spec.launch->after_worst;
}

/* A triangle over some tens of executions, whose length and place are those of the operator's part or of the queue. */
static int64_t triangle(uint64_t seed, int64_t execution, int64_t low, int64_t high)
{
    uint64_t mine = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    int64_t length = 4 + (int64_t)(mine >> 40) % 60, place = (execution + (int64_t)(mine >> 20 & 0xff)) % (2 * length);
    return low + (high - low) * (place < length ? place : 2 * length - place) / length;
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    const struct play *play = context;
    int64_t low, high;
    if (play->run->given)
        return play->run->given(play->run->context, op, part, execution);
    watch_range(play->watch->pipeline, op, part, &low, &high);
    return triangle(play->run->seed * 100 + op.index + 8 * (uint64_t)part, execution, low, high);
}

static int64_t transfer(void *context, struct weir_queue queue, int64_t execution)
{
    const struct play *play = context;
    if (play->run->transfer)
        return play->run->transfer(play->run->context, queue, execution);
    struct weir_queue_spec spec = weir_pipeline_queue(play->watch->pipeline, queue);
    return triangle(play->run->seed * 100 + 64 + queue.index, execution, spec.transfer_min, spec.transfer_max);
}

static void prepare(struct watch *w)
{
    uint32_t stale = w->begun ? w->used : WATCH_EXECUTIONS;
    w->begun = true;
    w->used = 0;
    for (uint32_t i = 0; i < WATCH_OPERATORS; i++) {
        w->from[i] = (struct weir_operator){i};
        w->exact[i] = false;
        for (uint32_t k = 0; k < stale; k++) {
            w->start[i][k] = w->finish[i][k] = -1;
            for (uint32_t of = 0; of < WATCH_OPERATORS; of++)
                w->ages[i][k][of].from.index = WATCH_OPERATORS;
        }
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(w->pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(w->pipeline, i);
        w->exact[source.op.index] = source.arrivals == WEIR_ARRIVALS_EXACT;
    }
    for (uint32_t i = 0; i < WATCH_QUEUES; i++)
        w->lost[i] = 0;
    w->executions = 0;
}

enum weir_status watch_simulate(struct watch *watch, const struct weir_pipeline *pipeline, const struct watch_run *run,
                                struct weir_error *error)
{
    struct play play = {watch, run};
    watch->pipeline = pipeline;
    prepare(watch);
    int64_t phases[WATCH_OPERATORS];
    struct weir_age_options options = {.run = {.iterations = run->iterations,
                                               .times = run->times,
                                               .seed = run->seed,
                                               .given = given,
                                               .observe = observe,
                                               .context = &play},
                                       .ties = run->ties,
                                       .from = watch->from,
                                       .from_count = weir_pipeline_operator_count(pipeline),
                                       .transfer = transfer,
                                       .carried = carried,
                                       .lost = lost};
    options.run.phases = weir_random_phases(pipeline, run->seed, phases, &watch->counts_from);
    return weir_simulate_ages(pipeline, &options, &watch->end, error);
}

static void stretch(struct span *span, int64_t value)
{
    span->min = !span->any || value < span->min ? value : span->min;
    span->max = !span->any || value > span->max ? value : span->max;
    span->any = true;
}

struct span watch_latency(const struct watch *w, const struct weir_chain_spec *chain)
{
    struct span span = {.any = false};
    int64_t next = 0;
    for (uint32_t n = 0; n < WATCH_EXECUTIONS && w->finish[chain->to.index][n] >= 0; n++) {
        const struct weir_age *age = &w->ages[chain->to.index][n][chain->from.index];
        if (age->from.index == WATCH_OPERATORS)
            continue;
        for (; next <= age->newest && next < WATCH_EXECUTIONS; next++)
            if (w->start[chain->from.index][next] >= w->counts_from)
                stretch(&span, w->finish[chain->to.index][n] - w->start[chain->from.index][next]);
    }
    return span;
}

struct span watch_age(const struct watch *w, const struct weir_chain_spec *chain)
{
    struct span span = {.any = false};
    for (uint32_t n = 0; n < WATCH_EXECUTIONS; n++) {
        const struct weir_age *age = &w->ages[chain->to.index][n][chain->from.index];
        if (age->from.index == WATCH_OPERATORS)
            continue;
        if (age->oldest_time >= w->counts_from)
            stretch(&span, w->finish[chain->to.index][n] - age->oldest_time);
        if (age->newest_time >= w->counts_from)
            stretch(&span, w->finish[chain->to.index][n] - age->newest_time);
    }
    return span;
}

struct span watch_gap(const struct watch *w, struct weir_operator op)
{
    struct span span = {.any = false};
    for (uint32_t n = 1; n < WATCH_EXECUTIONS && w->finish[op.index][n] >= 0; n++)
        if (w->finish[op.index][n - 1] >= w->counts_from)
            stretch(&span, w->finish[op.index][n] - w->finish[op.index][n - 1]);
    return span;
}
