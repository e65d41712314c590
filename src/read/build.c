/* SPDX-License-Identifier: Apache-2.0 */
/* From definitions to a sealed pipeline. */
#include "read/draft.h"

#include "model/pipeline.h"

/*
 * ---- building ----
 *
 * A model with mistakes is built too, because sealing finds more of them: cycles without a message, operators that nothing leads
 * to. What was reported must not be reported again in other words, so that such a model has no times, its wrong queues have room
 * and messages, and where operators or queues may be missing, an operator that no file can name leads to every other. Of a model on
 * shared processors the task graphs are checked, but not the processors; of one on a pool of cores the rates, but not costs. Where
 * something is missing, only what holds on any platform is checked. One larger than that is not built for more mistakes.
 */
#define BROKEN_MAX 100000 /* operators */

struct building {
    struct weir_draft *draft;
    struct weir_pipeline *pipeline;
    bool sound;  /* no mistake so far */
    bool shared; /* on shared processors */
    bool pool;   /* on a pool of cores */
    struct weir_error error;
};

/* What adding said. Mistakes that only the pipeline finds are reported where the thing stands. */
static void added(struct building *b, enum weir_status status, struct weir_place place)
{
    if (status == WEIR_MEMORY)
        b->draft->out_of_memory = true;
    else if (status != WEIR_OK)
        weir_draft_mistake(b->draft, place, "%s", b->error.message);
}

int64_t weir_draft_ticks(void *draft, const struct weir_key *key, int64_t time)
{
    const struct weir_draft *const *d = draft;
    return time == WEIR_NO_TIME && key == &weir_keys[WEIR_KEY_OBSERVED_MIN] ? key->usual : (*d)->times[time].ticks;
}

/* Of a model with mistakes, times are nothing. */
static int64_t ticks(void *building, const struct weir_key *key, int64_t time)
{
    struct building *b = building;
    return b->sound ? weir_draft_ticks(&b->draft, key, time) : 0;
}

static void add_processors(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->processor_count && !d->out_of_memory; i++) {
        struct weir_processor_spec spec = d->processors[i].spec;
        weir_spec_map_times(WEIR_OF_PROCESSOR, &spec, ticks, b);
        added(b, weir_pipeline_add_processor(b->pipeline, &spec, NULL, &b->error), spec.place);
    }
}

/* Processors, costs and launches are left out of a model with mistakes. */
static void strip(const struct building *b, struct weir_operator_spec *spec)
{
    bool timed = b->shared || b->pool;
    *spec = (struct weir_operator_spec){.name = spec->name,
                                        .best = timed,
                                        .worst = timed,
                                        .reentrant = spec->reentrant,
                                        .broadcast = spec->broadcast,
                                        .place = spec->place};
}

static void add_operators(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (uint32_t i = 0; i < d->operator_count && !d->out_of_memory; i++) {
        struct weir_operator_spec o = weir_draft_operator(d, i);
        struct weir_operator_copy copy;
        if (o.mapped && o.slot == WEIR_NO_TIME)
            o.slot = d->processors[o.on.index].slot;
        bool mapped = weir_operator_map_times(&o, &copy, ticks, b);
        if (!b->sound)
            strip(b, &copy.spec);
        if (mapped)
            added(b, weir_pipeline_add_operator(b->pipeline, &copy.spec, NULL, &b->error), o.place);
        else
            d->out_of_memory = true;
        weir_free(copy.table);
    }
}

/* The operator that stands for what is missing sends one message at a time: rates would not go together. */
static void strip_queue(const struct building *b, bool bad, struct weir_queue_spec *spec)
{
    struct weir_queue_spec all = *spec;
    bool threads = weir_draft_threads(b->draft) && !bad;
    *spec = (struct weir_queue_spec){
        .capacity = bad || (all.capacity == WEIR_AUTO && !b->shared && !b->pool) ? WEIR_UNBOUNDED : all.capacity,
        .initial = bad ? 1 : all.initial,
        .nonblocking = all.nonblocking,
    };
    if (b->pool)
        spec->produce = all.produce, spec->threshold = all.threshold;
    if (b->pool || (threads && !b->draft->incomplete))
        spec->consume = all.consume;
    if (threads)
        spec->full = all.full, spec->optional = all.optional, spec->latest = all.latest;
}

/* Frees each chunk when its queues are in the pipeline, so that both together need little more than one. */
static void add_queues(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->queue_count && !d->out_of_memory; i++) {
        const struct weir_draft_queue *q = weir_draft_queue(d, i);
        const struct weir_draft_kind *k = &d->kinds[q->kind];
        struct weir_queue_spec spec = k->spec;
        weir_spec_map_times(WEIR_OF_QUEUE, &spec, ticks, b);
        if (!b->sound)
            strip_queue(b, k->bad, &spec);
        spec.from.index = q->from;
        spec.to.index = q->to;
        spec.place = q->place;
        added(b, weir_pipeline_add_queue(b->pipeline, &spec, NULL, &b->error), q->place);
        if (i % WEIR_DRAFT_CHUNK == WEIR_DRAFT_CHUNK - 1) {
            weir_free(d->chunks[i / WEIR_DRAFT_CHUNK]);
            d->chunks[i / WEIR_DRAFT_CHUNK] = NULL;
        }
    }
}

/* The rates of a model with mistakes are checked, too, so that periods are right; other keys of arrivals are not. */
static void strip_source(const struct building *b, struct weir_source_spec *spec)
{
    struct weir_source_spec all = *spec;
    bool late = all.arrivals == WEIR_ARRIVALS_CATCH_UP || all.arrivals == WEIR_ARRIVALS_SKIP;
    *spec =
        (struct weir_source_spec){.op = all.op, .period = b->pool ? all.period : 1, .arrivals = all.arrivals, .place = all.place};
    if (b->draft->incomplete && late)
        spec->arrivals = WEIR_ARRIVALS_AT_MOST; /* those begin the pipeline, but here something leads to all operators */
    if (b->shared)
        spec->name = all.name, spec->sporadic = all.sporadic, spec->has_phase = all.has_phase;
    if (b->pool)
        spec->count = all.count, spec->batch = all.batch;
}

static void add_sources_and_chains(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->source_count && !d->out_of_memory; i++) {
        const struct weir_draft_source *s = &d->sources[i];
        struct weir_source_spec spec = s->spec;
        weir_spec_map_times(WEIR_OF_SOURCE, &spec, ticks, b);
        if (b->pool)
            spec.period = s->has_rate ? s->rate_ticks : d->times[s->spec.period].ticks;
        if (!b->sound)
            strip_source(b, &spec);
        if (spec.op.index != WEIR_NO_OPERATOR)
            added(b, weir_pipeline_add_source(b->pipeline, &spec, &b->error), spec.place);
    }
    for (size_t i = 0; i < d->chain_count && !d->incomplete && !d->out_of_memory; i++) {
        struct weir_chain_spec spec = d->chains[i];
        weir_spec_map_times(WEIR_OF_DEADLINE, &spec, ticks, b);
        added(b, weir_pipeline_add_chain(b->pipeline, &spec, &b->error), spec.place);
    }
}

/* Where something is missing: everything is reached, and nothing is measured. */
static void add_stand_in(struct building *b)
{
    struct weir_draft *d = b->draft;
    struct weir_place nowhere = {0, 0};
    struct weir_operator_spec spec = {.name = "\x01"};
    struct weir_operator all;
    enum weir_status status = weir_pipeline_add_operator(b->pipeline, &spec, &all, &b->error);
    added(b, status, nowhere);
    if (status)
        return;
    for (uint32_t i = 0; i < all.index && !d->out_of_memory; i++) {
        struct weir_queue_spec queue = {.from = all, .to = {i}, .capacity = WEIR_UNBOUNDED, .initial = 1};
        added(b, weir_pipeline_add_queue(b->pipeline, &queue, NULL, &b->error), nowhere);
    }
    struct weir_chain_spec chain = {.from = all, .to = all, .has_shift = true};
    added(b, weir_pipeline_add_chain(b->pipeline, &chain, &b->error), nowhere);
}

/* The draft grows no more. */
static void trim(struct weir_draft *d)
{
    if (!d->operator_count)
        return;
    void *operators = weir_resize(d->operators, d->operator_count * sizeof *d->operators);
    if (operators) {
        d->operators = operators;
        d->operator_capacity = d->operator_count;
    }
    d->out_of_memory |= !operators;
}

static void set_platform(struct building *b)
{
    struct weir_draft *d = b->draft;
    struct weir_platform_spec spec = d->platform;
    struct weir_place nowhere = {0, 0};
    enum weir_platform platform = b->shared ? WEIR_PLATFORM_PROCESSORS
                                  : b->pool ? WEIR_PLATFORM_CORES
                                  : d->gpu  ? WEIR_PLATFORM_GPU
                                            : WEIR_PLATFORM_THREADS;
    weir_spec_map_times(WEIR_OF_PLATFORM, &spec, ticks, b);
    weir_spec_map_times(WEIR_OF_GPU, &spec, ticks, b);
    added(b, weir_pipeline_set_platform(b->pipeline, platform, &b->error), nowhere);
    if (b->shared)
        added(b, weir_pipeline_set_latency_limit(b->pipeline, spec.latency_limit, &b->error), nowhere);
    else if (b->pool)
        added(b, weir_pipeline_set_cores(b->pipeline, b->sound ? spec.cores : 1, &b->error), nowhere);
    else if (d->gpu)
        added(b, weir_pipeline_set_gpu(b->pipeline, &spec.gpu, &b->error), spec.gpu.place);
    else if (b->sound)
        added(b, weir_pipeline_set_workers(b->pipeline, &spec.workers, &b->error), spec.workers.place);
}

static enum weir_status assemble(struct building *b, unsigned digits)
{
    struct weir_draft *d = b->draft;
    struct weir_place nowhere = {0, 0};
    trim(d);
    b->pipeline = weir_pipeline_new(&b->error);
    if (!b->pipeline) {
        d->out_of_memory = true;
        return WEIR_MEMORY;
    }
    added(b, weir_pipeline_set_unit(b->pipeline, d->unit, digits, &b->error), nowhere);
    if (d->name)
        added(b, weir_pipeline_set_name(b->pipeline, d->name, &b->error), nowhere);
    set_platform(b);
    if (b->sound && d->options->deadline) {
        int64_t deadline = 0;
        enum weir_status status = weir_time_parse(b->pipeline, d->options->deadline, &deadline, &b->error);
        added(b, status ? status : weir_pipeline_set_deadline(b->pipeline, deadline, &b->error), nowhere);
    }
    if (b->shared && b->sound)
        add_processors(b);
    size_t more = d->incomplete ? d->operator_count : 0; /* a stand-in for what is missing, and its queues */
    if (!weir_pipeline_reserve(b->pipeline, d->operator_count + (more > 0), d->queue_count + more))
        d->out_of_memory = true;
    add_operators(b);
    add_queues(b);
    add_sources_and_chains(b);
    if (d->incomplete)
        add_stand_in(b);
    if (d->out_of_memory)
        return WEIR_MEMORY;
    if (b->sound && d->mistakes)
        return WEIR_INVALID;    /* found while adding */
    weir_names_free(&d->names); /* names are numbers by now */
    return weir_pipeline_seal(b->pipeline, d->file, d->errors);
}

/* All that sealing could find is looked for before, with its place in the file; so a graph with mistakes is not built. */
static enum weir_status seal_kernels(struct weir_draft *d, unsigned digits, struct weir_pipeline **pipeline)
{
    weir_draft_check_kernels(d);
    if (d->out_of_memory || d->mistakes)
        return d->out_of_memory ? WEIR_MEMORY : WEIR_INVALID;
    for (size_t i = 0; i < d->kind_count; i++)
        d->kinds[i].spec.capacity = 1;
    struct building b = {.draft = d, .sound = true};
    enum weir_status status = assemble(&b, digits);
    if (status == WEIR_OK)
        *pipeline = b.pipeline;
    else
        weir_pipeline_free(b.pipeline);
    return status;
}

enum weir_status weir_draft_seal(struct weir_draft *d, struct weir_pipeline **pipeline)
{
    *pipeline = NULL;
    weir_draft_take_gpu_options(d);
    weir_draft_poll(d);
    weir_draft_settle_ports(d);
    unsigned digits = weir_draft_choose_tick(d);
    if (d->gpu)
        return seal_kernels(d, digits, pipeline);
    weir_draft_check(d, digits);
    if (d->out_of_memory)
        return WEIR_MEMORY;
    if (d->mistakes && d->operator_count > BROKEN_MAX)
        return WEIR_INVALID;
    struct building b = {
        .draft = d, .sound = d->mistakes == 0, .shared = d->shared && !d->incomplete, .pool = d->pool && !d->incomplete};
    enum weir_status status = assemble(&b, digits);
    if (status == WEIR_OK && b.sound) {
        *pipeline = b.pipeline;
        return weir_draft_separate_ports(d, pipeline);
    }
    weir_pipeline_free(b.pipeline);
    return status == WEIR_MEMORY || b.sound ? status : WEIR_INVALID;
}
