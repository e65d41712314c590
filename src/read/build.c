/* SPDX-License-Identifier: Apache-2.0 */
/* From definitions to a sealed pipeline. */
#include "read/draft.h"

#include "model/pipeline.h"

/* ---- checks that need every definition ---- */

static const struct weir_draft_time *time_at(const struct weir_draft *d, uint32_t number)
{
    return &d->times[number];
}

/* low <= high, unless one of them was reported already. */
static bool in_order(const struct weir_draft *d, uint32_t low, uint32_t high)
{
    const struct weir_draft_time *a = time_at(d, low), *b = time_at(d, high);
    return (a->bad && low != WEIR_NO_TIME) || (b->bad && high != WEIR_NO_TIME) || a->ticks <= b->ticks;
}

static void check_operators(struct weir_draft *d, unsigned digits)
{
    char quoted[WEIR_QUOTED], low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT];
    for (size_t i = 0; i < d->operator_count; i++) {
        const struct weir_draft_operator *o = &d->operators[i];
        const struct weir_draft_time *best = time_at(d, o->best), *worst = time_at(d, o->worst);
        const struct weir_draft_time *first = time_at(d, o->receive_min), *last = time_at(d, o->receive_max);
        weir_quote(o->name, quoted);
        if (!in_order(d, o->best, o->worst))
            weir_draft_mistake(d, best->place, "operator \"%s\" has a best case of %s, above its worst case of %s", quoted,
                               weir_decimal_format(best->ticks, digits, low), weir_decimal_format(worst->ticks, digits, high));
        if (!in_order(d, o->receive_min, o->receive_max))
            weir_draft_mistake(d, first->place, "operator \"%s\" receives after %s at the earliest, but after %s at the latest",
                               quoted, weir_decimal_format(first->ticks, digits, low),
                               weir_decimal_format(last->ticks, digits, high));
        else if (!in_order(d, o->receive_max, o->worst))
            weir_draft_mistake(d, last->place, "operator \"%s\" receives after %s, but takes no longer than %s", quoted,
                               weir_decimal_format(last->ticks, digits, low), weir_decimal_format(worst->ticks, digits, high));
    }
}

/* A second period of an operator is taken out, so that only this mistake is made of it. */
static void check_sources(struct weir_draft *d)
{
    char quoted[WEIR_QUOTED];
    struct weir_place *given = weir_array_zeroed(d->operator_count, sizeof *given);
    if (!given) {
        d->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < d->source_count; i++) {
        struct weir_draft_source *s = &d->sources[i];
        const struct weir_draft_time *period = time_at(d, s->period);
        bool told = d->shared && i > 0 && d->sources[i - 1].period == s->period; /* of the same entry */
        if (!period->bad && period->ticks == 0 && !told)
            weir_draft_mistake(d, period->place, "\"period\" must be longer than 0");
        if (s->op == WEIR_NO_OPERATOR)
            continue;
        if (given[s->op].line) {
            weir_draft_mistake(d, s->place, "operator \"%s\" is given a period twice; the first is in line %u",
                               weir_quote(d->operators[s->op].name, quoted), given[s->op].line);
            s->op = WEIR_NO_OPERATOR;
        } else {
            given[s->op] = s->place;
        }
    }
    weir_free(given);
}

static uint32_t capacity_of(const struct weir_draft *d, const struct weir_draft_kind *kind)
{
    uint32_t asked = d->options->queue, least = weir_draft_threads(d) && kind->consume > 1 ? kind->consume : 1;
    if (kind->latest)
        return 1;
    if (kind->capacity && !d->options->force_queue)
        return kind->capacity;
    if (asked || (d->queue && !d->options->force_queue))
        asked = asked ? asked : d->queue;
    else
        asked = d->pool ? WEIR_AUTO : 1;
    return asked < least ? least : asked; /* fewer messages than are taken at once never arrive */
}

static void check_kinds(struct weir_draft *d)
{
    for (size_t i = 0; i < d->kind_count; i++) {
        struct weir_draft_kind *k = &d->kinds[i];
        k->capacity = capacity_of(d, k);
        if (k->bad || k->initial <= k->capacity)
            continue;
        weir_draft_mistake(d, k->initial_place, "%u initial messages do not fit a queue of capacity %u", k->initial, k->capacity);
        k->bad = true;
    }
    for (size_t i = 0; i < d->kind_count && !weir_draft_threads(d); i++)
        d->incomplete |= d->kinds[i].bad; /* its messages and rates tell which operators follow the source, and how often */
}

/*
 * ---- building ----
 *
 * A model with mistakes is built too, because sealing finds more of them: cycles without a message, operators that nothing leads
 * to. What was reported must not be reported again in other words, so that such a model has no times, its wrong queues have room
 * and messages, and where operators or queues may be missing, an operator that no file can name leads to every other. Of a model on
 * shared processors the task graphs are checked, but not who runs where; of one on a pool of cores the rates, but not costs. Where
 * something is missing, only what holds on any platform is checked.
 */

struct building {
    struct weir_draft *draft;
    struct weir_pipeline *pipeline;
    bool sound;                  /* no mistake so far */
    bool shared;                 /* on shared processors */
    bool pool;                   /* on a pool of cores */
    struct weir_gpu_time *table; /* on a GPU: room for the largest table of a kernel */
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

static int64_t ticks(const struct building *b, uint32_t time)
{
    return b->sound ? b->draft->times[time].ticks : 0;
}

static void add_processors(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->processor_count && !d->out_of_memory; i++) {
        const struct weir_draft_processor *p = &d->processors[i];
        struct weir_processor_spec spec = {.name = p->name, .sharing = p->sharing, .frame = ticks(b, p->frame), .place = p->place};
        added(b, weir_pipeline_add_processor(b->pipeline, &spec, NULL, &b->error), p->place);
    }
}

static void map_operator(const struct building *b, const struct weir_draft_operator *o, struct weir_operator_spec *spec)
{
    if (!b->sound) {
        spec->best = spec->worst = 1;
        return;
    }
    spec->has_priority = o->has_priority;
    spec->priority = o->priority;
    spec->slot = ticks(b, o->slot);
    if (!o->on)
        return;
    spec->mapped = true;
    spec->on.index = o->on - 1;
    if (o->slot == WEIR_NO_TIME)
        spec->slot = ticks(b, b->draft->processors[o->on - 1].slot);
}

static void cost_operator(const struct building *b, const struct weir_draft_operator *o, struct weir_operator_spec *spec)
{
    if (!b->sound) {
        spec->best = spec->worst = 1;
        return;
    }
    spec->has_cost = o->has_cost;
    spec->cost_init = ticks(b, o->cost_init);
    spec->cost_sample = ticks(b, o->cost_sample);
}

static void size_kernel(const struct building *b, uint32_t op, struct weir_operator_spec *spec)
{
    const struct weir_draft_kernel *k = &b->draft->kernels[op];
    spec->best = 0;
    spec->worst = ticks(b, k->load);
    spec->splittable = k->splittable;
    spec->granularity = ticks(b, k->granularity);
    spec->min_time = ticks(b, k->min_time);
    spec->times = b->table;
    spec->time_count = k->width_count;
    for (uint32_t i = 0; i < k->width_count; i++) {
        const struct weir_draft_width *w = &b->draft->widths[k->first_width + i];
        b->table[i] = (struct weir_gpu_time){.sms = w->sms, .time = ticks(b, w->time)};
    }
}

static void add_operators(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->operator_count && !d->out_of_memory; i++) {
        const struct weir_draft_operator *o = &d->operators[i];
        struct weir_operator_spec spec = {
            .name = o->name,
            .best = ticks(b, o->best),
            .worst = ticks(b, o->worst),
            .receive_min = ticks(b, o->receive_min),
            .receive_max = ticks(b, o->receive_max),
            .reentrant = o->reentrant,
            .broadcast = o->broadcast,
            .place = o->place,
        };
        if (b->shared)
            map_operator(b, o, &spec);
        if (b->pool)
            cost_operator(b, o, &spec);
        if (b->draft->gpu)
            size_kernel(b, (uint32_t)i, &spec);
        struct weir_observed observed;
        if (o->observed && b->sound) {
            observed = (struct weir_observed){
                .count = o->observed->count,
                .min = o->observed->min == WEIR_NO_TIME ? -1 : ticks(b, o->observed->min),
                .max = ticks(b, o->observed->max),
                .from = o->observed->from,
            };
            spec.observed = &observed;
        }
        struct weir_launch launch;
        if (o->launch && b->sound) {
            launch = (struct weir_launch){
                .best = ticks(b, o->launch->time[0]),
                .worst = ticks(b, o->launch->time[1]),
                .waits = o->launch->waits,
                .after_best = ticks(b, o->launch->after[0]),
                .after_worst = ticks(b, o->launch->after[1]),
                .stream = o->launch->stream,
            };
            spec.launch = &launch;
        }
        added(b, weir_pipeline_add_operator(b->pipeline, &spec, NULL, &b->error), o->place);
    }
}

/* The operator that stands for what is missing sends one message at a time: rates would not go together. */
static void describe_waits(const struct building *b, const struct weir_draft_kind *k, struct weir_queue_spec *spec)
{
    spec->consume = b->draft->incomplete ? 0 : k->consume;
    spec->full = k->full;
    spec->optional = k->optional;
    spec->latest = k->latest;
    spec->transfer_min = ticks(b, k->transfer[0]);
    spec->transfer_max = ticks(b, k->transfer[1]);
}

/* Frees each chunk when its queues are in the pipeline, so that both together need little more than one. */
static void add_queues(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->queue_count && !d->out_of_memory; i++) {
        const struct weir_draft_queue *q = weir_draft_queue(d, i);
        const struct weir_draft_kind *k = &d->kinds[q->kind];
        struct weir_queue_spec spec = {
            .from = {q->from},
            .to = {q->to},
            .capacity = k->bad || (k->capacity == WEIR_AUTO && !b->shared && !b->pool) ? WEIR_UNBOUNDED : k->capacity,
            .initial = k->bad ? 1 : k->initial,
            .nonblocking = k->nonblocking,
            .place = q->place,
        };
        if (b->pool)
            spec.produce = k->produce, spec.consume = k->consume, spec.threshold = k->threshold;
        if (weir_draft_threads(d) && !k->bad)
            describe_waits(b, k, &spec);
        added(b, weir_pipeline_add_queue(b->pipeline, &spec, NULL, &b->error), q->place);
        if (i % WEIR_DRAFT_CHUNK == WEIR_DRAFT_CHUNK - 1) {
            weir_free(d->chunks[i / WEIR_DRAFT_CHUNK]);
            d->chunks[i / WEIR_DRAFT_CHUNK] = NULL;
        }
    }
}

/* The rates of a model with mistakes are checked, too, so that periods are what they are; what else is said of arrivals is not. */
static void feed_from_pool(const struct building *b, const struct weir_draft_source *s, struct weir_source_spec *spec)
{
    spec->period = s->has_rate ? s->rate_ticks : b->draft->times[s->period].ticks;
    spec->count = s->count;
    spec->batch = s->batch;
    spec->bursty = b->sound && s->burst;
    spec->jitter = ticks(b, s->jitter);
    spec->sporadic = b->sound && s->sporadic;
    spec->has_phase = s->phase != WEIR_NO_TIME;
    spec->phase = ticks(b, s->phase);
}

static void add_sources_and_pairs(struct building *b)
{
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < d->source_count && !d->out_of_memory; i++) {
        const struct weir_draft_source *s = &d->sources[i];
        struct weir_source_spec spec = {
            .op = {s->op}, .period = b->sound ? ticks(b, s->period) : 1, .arrivals = s->arrivals, .place = s->place};
        if (d->incomplete && (s->arrivals == WEIR_ARRIVALS_CATCH_UP || s->arrivals == WEIR_ARRIVALS_SKIP))
            spec.arrivals = WEIR_ARRIVALS_AT_MOST; /* those begin the pipeline, but here something leads to all operators */
        if (b->shared) {
            spec.name = s->name;
            spec.jitter = ticks(b, s->jitter);
            spec.sporadic = s->sporadic;
            spec.has_phase = s->phase != WEIR_NO_TIME;
            spec.phase = ticks(b, s->phase);
        }
        if (b->pool)
            feed_from_pool(b, s, &spec);
        if (s->op != WEIR_NO_OPERATOR)
            added(b, weir_pipeline_add_source(b->pipeline, &spec, &b->error), s->place);
    }
    for (size_t i = 0; i < d->pair_count && !d->incomplete && !d->out_of_memory; i++) {
        const struct weir_draft_pair *p = &d->pairs[i];
        struct weir_pair_spec spec = {
            .from = {p->from},
            .to = {p->to},
            .has_deadline = p->deadline != WEIR_NO_TIME,
            .deadline = ticks(b, p->deadline),
            .has_shift = p->has_shift,
            .shift = p->shift,
            .place = p->place,
        };
        added(b, weir_pipeline_add_pair(b->pipeline, &spec, &b->error), p->place);
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
    struct weir_pair_spec pair = {.from = all, .to = all, .has_shift = true};
    added(b, weir_pipeline_add_pair(b->pipeline, &pair, &b->error), nowhere);
}

static void add_gpu(struct building *b)
{
    struct weir_draft *d = b->draft;
    struct weir_gpu_spec spec = {.sms = d->sms,
                                 .min_time = ticks(b, d->min_time),
                                 .launch_overhead = ticks(b, d->launch_overhead),
                                 .max_concurrent = d->max_concurrent,
                                 .deadline = ticks(b, d->gpu_deadline),
                                 .place = d->gpu_place};
    added(b, weir_pipeline_set_platform(b->pipeline, WEIR_PLATFORM_GPU, &b->error), d->gpu_place);
    added(b, weir_pipeline_set_gpu(b->pipeline, &spec, &b->error), d->gpu_place);
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
    if (b->shared) {
        added(b, weir_pipeline_set_platform(b->pipeline, WEIR_PLATFORM_PROCESSORS, &b->error), nowhere);
        added(b, weir_pipeline_set_latency_limit(b->pipeline, ticks(b, d->latency_limit), &b->error), nowhere);
    }
    if (b->pool) {
        added(b, weir_pipeline_set_platform(b->pipeline, WEIR_PLATFORM_CORES, &b->error), nowhere);
        added(b, weir_pipeline_set_cores(b->pipeline, b->sound ? d->cores : 1, &b->error), nowhere);
    }
    if (d->gpu)
        add_gpu(b);
    if (b->sound && weir_draft_threads(d)) {
        d->workers.polling = ticks(b, d->polling);
        added(b, weir_pipeline_set_workers(b->pipeline, &d->workers, &b->error), d->workers.place);
    }
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
    add_sources_and_pairs(b);
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
    uint32_t longest = 0;
    for (size_t i = 0; i < d->operator_count; i++)
        longest = d->kernels[i].width_count > longest ? d->kernels[i].width_count : longest;
    for (size_t i = 0; i < d->kind_count; i++)
        d->kinds[i].capacity = 1;
    struct building b = {.draft = d, .sound = true, .table = weir_array(longest, sizeof *b.table)};
    d->out_of_memory |= !b.table;
    enum weir_status status = b.table ? assemble(&b, digits) : WEIR_MEMORY;
    weir_free(b.table);
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
    unsigned digits = weir_draft_choose_tick(d);
    if (d->gpu)
        return seal_kernels(d, digits, pipeline);
    check_operators(d, digits);
    check_sources(d);
    check_kinds(d);
    weir_draft_check_threads(d, digits);
    weir_draft_check_observed(d);
    weir_draft_check_processors(d);
    weir_draft_check_pool(d, digits);
    if (d->out_of_memory)
        return WEIR_MEMORY;
    struct building b = {
        .draft = d, .sound = d->mistakes == 0, .shared = d->shared && !d->incomplete, .pool = d->pool && !d->incomplete};
    enum weir_status status = assemble(&b, digits);
    if (status == WEIR_OK && b.sound) {
        *pipeline = b.pipeline;
        return WEIR_OK;
    }
    weir_pipeline_free(b.pipeline);
    return status == WEIR_MEMORY || b.sound ? status : WEIR_INVALID;
}
