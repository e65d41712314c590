/* SPDX-License-Identifier: Apache-2.0 */
/* Sealing: what a pipeline says is held against its platform, checked as a whole, and lowered to what the engines work on. */
#include "base/error.h"
#include "model/firings.h"
#include "model/schema.h"

/* ---- mistakes ---- */

void weir_sealing_mistake(struct weir_sealing *s, struct weir_place place, const char *format, const char *name)
{
    char quoted[WEIR_QUOTED];
    if (s->status != WEIR_MEMORY)
        s->status = weir_errors_add(s->errors, WEIR_INVALID, s->file, place, format, weir_quote(name, quoted));
}

enum weir_status weir_sealing_fail(struct weir_sealing *s, enum weir_status status, const char *what)
{
    return s->status = weir_errors_add(s->errors, status, s->file, (struct weir_place){0, 0}, "%s", what);
}

enum weir_status weir_sealing_memory(struct weir_sealing *s)
{
    return weir_sealing_fail(s, WEIR_MEMORY, "out of memory");
}

/* ---- what has no meaning on the platform ---- */

/* What is built first must know nothing of these. */
static bool is_early(enum weir_key_id id)
{
    return id == WEIR_KEY_LAUNCH || id == WEIR_KEY_OPTIONAL || id == WEIR_KEY_FULL || id == WEIR_KEY_LATEST ||
           id == WEIR_KEY_TRANSFER || id == WEIR_KEY_PORT;
}

/* A key that has a meaning of its own, and is given; there is none for what another key of the owner says. */
static bool is_said(enum weir_key_id id, const void *spec)
{
    const struct weir_key *key = &weir_keys[id];
    const struct weir_operator_spec *o = spec;
    const struct weir_queue_spec *q = spec;
    switch (id) {
    case WEIR_KEY_TIME:     /* on a GPU, the load */
    case WEIR_KEY_CAPACITY: /* each queue has one */
        return false;
    case WEIR_KEY_FULL: /* a port has one of its own */
        return q->full != WEIR_FULL_NEVER && !(q->port && q->full == WEIR_FULL_FAULT);
    case WEIR_KEY_TIMES:
        return o->time_count > 0;
    case WEIR_KEY_THRESHOLD: /* more than what is consumed at once, which threads know */
        return q->threshold > weir_queue_batch(q);
    case WEIR_KEY_BURST:
        return ((const struct weir_source_spec *)spec)->bursty || ((const struct weir_source_spec *)spec)->count > 1;
    default:
        return !key->alias && (key->size || key->type == WEIR_VALUE_MAP) && weir_key_is_said(key, spec);
    }
}

/* What the platform does not have. `of` is what the message says of the owner, with the operator's name in it. */
static void check_keys(struct weir_sealing *s, enum weir_owner owner, const void *spec, struct weir_place place, const char *of,
                       struct weir_operator op)
{
    unsigned char platform = weir_platform_bit(s->pipeline->platform);
    enum weir_key_id id, end;
    char why[WEIR_MISPLACED], quoted[WEIR_QUOTED];
    weir_quote(s->pipeline->operators[op.index].name, quoted);
    for (weir_owner_keys(owner, &id, &end); id < end; id++)
        if (!(weir_keys[id].platforms & platform) && is_early(id) == s->early && is_said(id, spec) && s->status != WEIR_MEMORY)
            s->status = weir_errors_add(s->errors, WEIR_INVALID, s->file, place, of, weir_keys[id].name, quoted,
                                        weir_key_misplaced(&weir_keys[id], platform, why));
}

static void check_source(struct weir_sealing *s, const struct weir_source_spec *source)
{
    enum weir_arrivals arrivals = source->arrivals;
    if (s->early && (arrivals == WEIR_ARRIVALS_CATCH_UP || arrivals == WEIR_ARRIVALS_SKIP))
        weir_sealing_mistake(s, source->place, "ticks are caught up with or skipped only where operators have threads: \"%s\"",
                             s->pipeline->operators[source->op.index].name);
    check_keys(s, WEIR_OF_SOURCE, source, source->place, "\"%s\" in the source of operator \"%s\" %s", source->op);
}

/* Of the pipeline itself. */
static void check_platform_words(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    bool threads = p->platform == WEIR_PLATFORM_THREADS;
    for (size_t i = 0; i < p->processor_count && threads; i++)
        weir_sealing_mistake(s, p->processors[i].place, "processor \"%s\" has no use: the operators have threads of their own",
                             p->processors[i].name);
    if (p->latency_limit && threads)
        weir_sealing_fail(s, WEIR_INVALID, "a latency limit is for shared processors only");
    if (p->cores)
        weir_sealing_fail(s, WEIR_INVALID, "the pipeline has cores, but does not run on a pool of them");
    if (p->gpu.sms)
        s->status = weir_errors_add(s->errors, WEIR_INVALID, s->file, p->gpu.place, "the pipeline has SMs, but runs on no GPU");
}

enum weir_status weir_platform_check(struct weir_sealing *s, bool early)
{
    const struct weir_pipeline *p = s->pipeline;
    s->status = WEIR_OK;
    s->early = early;
    for (uint32_t i = 0; i < p->operator_count; i++) {
        check_keys(s, WEIR_OF_OPERATOR, &p->operators[i], p->operators[i].place, "\"%s\" of operator \"%s\" %s",
                   (struct weir_operator){i});
        check_keys(s, WEIR_OF_KERNEL, &p->operators[i], p->operators[i].place, "\"%s\" of operator \"%s\" %s",
                   (struct weir_operator){i});
    }
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        check_keys(s, WEIR_OF_QUEUE, q, q->place, "\"%s\" in the queue from \"%s\" %s", q->from);
        if (!early && q->capacity == WEIR_AUTO && p->platform == WEIR_PLATFORM_THREADS)
            weir_sealing_mistake(s, q->place,
                                 "\"auto\" is a capacity where operators share processors or cores; give the queue from \"%s\" a "
                                 "number, or \"unbounded\"",
                                 p->operators[q->from.index].name);
    }
    for (size_t i = 0; i < p->source_count && p->platform != WEIR_PLATFORM_GPU; i++)
        check_source(s, &p->sources[i]);
    if (!early && (p->platform == WEIR_PLATFORM_THREADS || p->platform == WEIR_PLATFORM_PROCESSORS))
        check_platform_words(s);
    return s->status;
}

/* ---- the whole ---- */

/* Threads and shared processors have an event graph. What does not need it is checked also where there is none. */
static enum weir_status seal_graph(struct weir_sealing *s, enum weir_status fit)
{
    struct weir_pipeline *p = s->pipeline;
    enum weir_status status = fit ? fit : weir_firings_find(s);
    if (!status && p->platform == WEIR_PLATFORM_THREADS)
        status = weir_phases_find(s);
    if (p->operator_count && !status)
        status = weir_graph_build(s, &p->graph);
    enum weir_status reach = weir_pipeline_check_reach(s, status == WEIR_INVALID);
    status = reach ? reach : status;
    if (p->operator_count && status != WEIR_MEMORY) {
        enum weir_status said = weir_platform_check(s, false), mapped = said;
        if (p->platform == WEIR_PLATFORM_PROCESSORS && said != WEIR_MEMORY)
            mapped = weir_taskset_build(s);
        status = status ? status : said ? said : mapped;
    }
    if (status != WEIR_MEMORY) {
        enum weir_status staffed = weir_pipeline_check_workers(s);
        status = status ? status : staffed;
    }
    return status ? status : weir_pipeline_complete_chains(s);
}

static enum weir_status seal(struct weir_sealing *s)
{
    struct weir_pipeline *p = s->pipeline;
    if (p->sealed)
        return weir_sealing_fail(s, WEIR_INVALID, "the pipeline is sealed already");
    enum weir_status status = p->platform == WEIR_PLATFORM_THREADS ? weir_pipeline_check_ticks(s) : weir_platform_check(s, true);
    if (p->platform == WEIR_PLATFORM_CORES)
        status = status ? status : weir_flow_build(s);
    else if (p->platform == WEIR_PLATFORM_GPU)
        status = status ? status : weir_kernels_build(s);
    else
        status = seal_graph(s, status);
    status = status ? status : weir_pipeline_number_queues(s);
    p->sealed = !status;
    if (!status)
        return WEIR_OK;
    weir_errors_sort(s->errors);
    weir_graph_free(p->graph);
    p->graph = NULL;
    p->taskset = NULL;
    p->flow = NULL;
    p->kernels = NULL;
    p->firings = p->queue_numbers = p->loop_starts = p->lanes = NULL;
    p->phases = NULL;
    p->loop_start_count = 0;
    p->shift_given = NULL;
    weir_arena_free(&p->sealed_arena);
    return status;
}

enum weir_status weir_pipeline_seal(struct weir_pipeline *p, const char *file, struct weir_errors *errors)
{
    struct weir_sealing s = {.pipeline = p, .file = file, .errors = errors};
    if (!p)
        return weir_sealing_fail(&s, WEIR_INVALID, "there is no pipeline");
    if (p->has_deadline && p->platform == WEIR_PLATFORM_GPU)
        p->gpu.deadline = p->deadline;
    enum weir_status status = seal(&s);
    weir_arena_free(&s.scratch);
    for (size_t i = 0; i < p->chain_count && p->has_deadline && !status; i++) {
        p->chains[i].has_deadline = true;
        p->chains[i].deadline = p->deadline;
    }
    return status;
}

enum weir_status weir_pipeline_seal_alone(struct weir_pipeline *pipeline, struct weir_error *error)
{
    struct weir_errors *errors = weir_errors_new();
    if (!errors)
        return weir_fail_memory(error);
    enum weir_status status = weir_pipeline_seal(pipeline, NULL, errors);
    if (status)
        weir_fail(error, status, "%s", weir_errors_count(errors) ? weir_errors_at(errors, 0)->message : "out of memory");
    weir_errors_free(errors);
    return status;
}
