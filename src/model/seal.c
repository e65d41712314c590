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

static bool has_table(const void *operator)
{
    return ((const struct weir_operator_spec *)operator)->time_count > 0;
}

/* More of it than what is consumed at once, which threads know. */
static bool has_threshold(const void *queue)
{
    const struct weir_queue_spec *q = queue;
    return q->threshold > weir_queue_batch(q);
}

static bool is_auto(const void *queue)
{
    return ((const struct weir_queue_spec *)queue)->capacity == WEIR_AUTO;
}

static bool has_rate(const void *source)
{
    return ((const struct weir_source_spec *)source)->count > 1;
}

static bool has_ticks(const void *source)
{
    enum weir_arrivals arrivals = ((const struct weir_source_spec *)source)->arrivals;
    return arrivals == WEIR_ARRIVALS_CATCH_UP || arrivals == WEIR_ARRIVALS_SKIP;
}

#define ELSEWHERE (WEIR_ON_PROCESSORS | WEIR_ON_POOL | WEIR_ON_GPU)
#define PLAIN (WEIR_ON_THREADS | WEIR_ON_PROCESSORS)

/* Who said it expects something else: a mistake, in the words of the platforms `on`. It is one where a key is said that the schema
 * does not have there, or where `also` says so: of what is not a key, or depends on its value. */
static const struct rule {
    enum weir_owner owner;
    unsigned char on;
    bool first;
    enum weir_key_id keys[7];
    bool (*also)(const void *spec);
    const char *mistake;
} rules[] = {
    {WEIR_OF_OPERATOR,
     ELSEWHERE,
     true,
     {WEIR_KEY_LAUNCH},
     NULL,
     "operator \"%s\" can launch work on a GPU only where it has a thread of its own"},
    {WEIR_OF_QUEUE,
     ELSEWHERE,
     true,
     {WEIR_KEY_OPTIONAL, WEIR_KEY_FULL, WEIR_KEY_LATEST, WEIR_KEY_TRANSFER},
     NULL,
     "the queue from \"%s\" can be optional, lose messages, have only the latest one or a transfer time only where operators have "
     "threads of their own"},
    {WEIR_OF_SOURCE,
     ELSEWHERE,
     true,
     {0},
     has_ticks,
     "ticks are caught up with or skipped only where operators have threads: \"%s\""},
    {WEIR_OF_QUEUE,
     WEIR_ON_THREADS,
     false,
     {0},
     is_auto,
     "\"auto\" is a capacity where operators share processors or cores; give the queue from \"%s\" a number, or \"unbounded\""},
    {WEIR_OF_OPERATOR,
     WEIR_ON_THREADS,
     false,
     {WEIR_KEY_ON, WEIR_KEY_PRIORITY, WEIR_KEY_SLOT},
     NULL,
     "operator \"%s\" has a thread of its own, so it cannot have a processor, priority or slot"},
    {WEIR_OF_SOURCE,
     WEIR_ON_THREADS,
     false,
     {WEIR_KEY_SOURCE_NAME, WEIR_KEY_JITTER, WEIR_KEY_SPORADIC},
     NULL,
     "the source of operator \"%s\" can have a name or jitter only where operators share processors or cores"},
    {WEIR_OF_QUEUE,
     PLAIN,
     false,
     {WEIR_KEY_PRODUCE, WEIR_KEY_CONSUME},
     has_threshold,
     "the queue from \"%s\" can have rates and a threshold on a pool of cores only"},
    {WEIR_OF_OPERATOR, PLAIN, false, {WEIR_KEY_COST}, NULL, "operator \"%s\" can have a cost on a pool of cores only"},
    {WEIR_OF_SOURCE,
     PLAIN,
     false,
     {WEIR_KEY_BURST, WEIR_KEY_BATCH},
     has_rate,
     "the source of operator \"%s\" can have several arrivals in a period on a pool of cores only"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_POOL,
     false,
     {WEIR_KEY_ON, WEIR_KEY_PRIORITY, WEIR_KEY_SLOT},
     NULL,
     "operator \"%s\" has a processor, priority or slot, but runs on a pool of cores"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_POOL,
     false,
     {WEIR_KEY_RECEIVE},
     NULL,
     "operator \"%s\" has \"receive\", which a pool of cores does not support"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_PROCESSORS,
     false,
     {WEIR_KEY_RECEIVE},
     NULL,
     "operator \"%s\" has \"receive\", which shared processors do not support: input is held to the end"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_OPERATORS,
     false,
     {WEIR_KEY_SPLITTABLE, WEIR_KEY_GRANULARITY, WEIR_KEY_MIN_TIME, WEIR_KEY_DISTURBS, WEIR_KEY_SUFFERS_READ,
      WEIR_KEY_SUFFERS_COPY},
     has_table,
     "operator \"%s\" has keys that only kernels of a GPU have"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_POOL,
     false,
     {WEIR_KEY_REENTRANT},
     NULL,
     "operator \"%s\" is reentrant, which a pool of cores does not support"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_PROCESSORS,
     false,
     {WEIR_KEY_REENTRANT},
     NULL,
     "operator \"%s\" is reentrant, which shared processors do not support"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_POOL | WEIR_ON_PROCESSORS,
     false,
     {WEIR_KEY_ASSUMED},
     NULL,
     "operator \"%s\" is assumed, which only broadcasts between operators with threads of their own can be"},
    {WEIR_OF_OPERATOR,
     WEIR_ON_GPU,
     false,
     {WEIR_KEY_ON, WEIR_KEY_PRIORITY, WEIR_KEY_SLOT, WEIR_KEY_COST, WEIR_KEY_RECEIVE, WEIR_KEY_REENTRANT, WEIR_KEY_ASSUMED},
     NULL,
     "kernel \"%s\" has keys that only operators on processors have"},
    {WEIR_OF_QUEUE,
     WEIR_ON_GPU,
     false,
     {WEIR_KEY_INITIAL, WEIR_KEY_PRODUCE, WEIR_KEY_CONSUME, WEIR_KEY_THRESHOLD},
     NULL,
     "the dependency on kernel \"%s\" can have no rates and no initial messages"},
};

static bool breaks(const struct rule *rule, unsigned char platform, const void *spec)
{
    for (size_t i = 0; i < sizeof rule->keys / sizeof *rule->keys && rule->keys[i]; i++) {
        const struct weir_key *key = &weir_keys[rule->keys[i]];
        if (!(key->platforms & platform) && weir_key_is_said(key, spec))
            return true;
    }
    return rule->also && rule->also(spec);
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

enum weir_status weir_platform_check(struct weir_sealing *s, bool first)
{
    const struct weir_pipeline *p = s->pipeline;
    unsigned char platform = weir_platform_bit(p->platform);
    s->status = WEIR_OK;
    for (const struct rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++) {
        if (!(r->on & platform) || r->first != first)
            continue;
        for (size_t i = 0; i < p->operator_count && r->owner == WEIR_OF_OPERATOR; i++)
            if (breaks(r, platform, &p->operators[i]))
                weir_sealing_mistake(s, p->operators[i].place, r->mistake, p->operators[i].name);
        for (size_t i = 0; i < p->queue_count && r->owner == WEIR_OF_QUEUE; i++)
            if (breaks(r, platform, &p->queues[i]))
                weir_sealing_mistake(s, p->queues[i].place, r->mistake, p->operators[p->queues[i].from.index].name);
        for (size_t i = 0; i < p->source_count && r->owner == WEIR_OF_SOURCE; i++)
            if (breaks(r, platform, &p->sources[i]))
                weir_sealing_mistake(s, p->sources[i].place, r->mistake, p->operators[p->sources[i].op.index].name);
    }
    if (!first && (platform & PLAIN))
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
