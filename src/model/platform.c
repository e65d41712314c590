/* SPDX-License-Identifier: Apache-2.0 */
/* Where a pipeline runs: its platform and its processors. */
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "model/schema.h"

#include <string.h>

enum weir_status weir_pipeline_set_platform(struct weir_pipeline *p, enum weir_platform platform, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if ((unsigned)platform > WEIR_PLATFORM_GPU)
        return weir_fail(error, WEIR_INVALID, "unknown platform: %d", (int)platform);
    p->platform = platform;
    return WEIR_OK;
}

enum weir_status weir_pipeline_set_cores(struct weir_pipeline *p, uint32_t cores, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (cores == 0 || cores > WEIR_CORES_MAX)
        return weir_fail(error, WEIR_INVALID, "a platform has 1 to %d cores", WEIR_CORES_MAX);
    p->cores = cores;
    return WEIR_OK;
}

uint32_t weir_pipeline_cores(const struct weir_pipeline *p)
{
    return p->platform == WEIR_PLATFORM_CORES ? p->cores : 0;
}

enum weir_status weir_pipeline_set_gpu(struct weir_pipeline *p, const struct weir_gpu_spec *gpu, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (gpu->sms == 0 || gpu->sms > WEIR_SMS_MAX)
        return weir_fail(error, WEIR_INVALID, "a GPU has 1 to %d SMs", WEIR_SMS_MAX);
    if (gpu->min_time < 0 || gpu->launch_overhead < 0 || gpu->deadline < 0)
        return weir_fail(error, WEIR_INVALID, "the times of a GPU must not be negative");
    if (gpu->min_time >= WEIR_TIME_MAX || gpu->launch_overhead >= WEIR_TIME_MAX || gpu->deadline >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "a time of the GPU is longer than can be represented");
    p->gpu = *gpu;
    return WEIR_OK;
}

struct weir_gpu_spec weir_pipeline_gpu(const struct weir_pipeline *p)
{
    return p->platform == WEIR_PLATFORM_GPU ? p->gpu : (struct weir_gpu_spec){0};
}

const char *weir_dispatch_name(enum weir_dispatch dispatch)
{
    return (unsigned)dispatch <= WEIR_DISPATCH_GREEDY ? weir_keys[WEIR_KEY_SCHEDULER].words[dispatch] : NULL;
}

enum weir_status weir_pipeline_set_workers(struct weir_pipeline *p, const struct weir_workers_spec *workers,
                                           struct weir_error *error)
{
    bool polled = workers->dispatch == WEIR_DISPATCH_POLLED, greedy = workers->dispatch == WEIR_DISPATCH_GREEDY;
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if ((unsigned)workers->dispatch > WEIR_DISPATCH_GREEDY)
        return weir_fail(error, WEIR_INVALID, "unknown dispatch of operators: %d", (int)workers->dispatch);
    if (workers->workers > WEIR_WORKERS_MAX || (greedy && workers->workers != 1))
        return weir_fail(error, WEIR_INVALID, greedy ? "a greedy scheduler has one thread" : "there are at most %d workers",
                         WEIR_WORKERS_MAX);
    if (workers->polling < 0 || workers->polling >= WEIR_TIME_MAX || (workers->polling && !polled))
        return weir_fail(error, WEIR_INVALID, "a polling period must not be negative, and is for the multi-thread scheduler only");
    p->workers = *workers;
    return WEIR_OK;
}

struct weir_workers_spec weir_pipeline_workers(const struct weir_pipeline *p)
{
    return p->workers;
}

enum weir_status weir_pipeline_check_workers(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    const struct weir_workers_spec *w = &p->workers;
    bool plain = w->dispatch != WEIR_DISPATCH_GREEDY && w->workers == 0 && w->polling == 0;
    s->status = WEIR_OK;
    if (p->platform != WEIR_PLATFORM_THREADS && !plain)
        s->status =
            weir_errors_add(s->errors, WEIR_INVALID, s->file, w->place, "workers have no meaning where operators share processors");
    for (size_t i = 0; i < p->operator_count && p->platform == WEIR_PLATFORM_THREADS && !plain; i++)
        if (p->operators[i].reentrant)
            weir_sealing_mistake(s, p->operators[i].place,
                                 "operator \"%s\" is reentrant: it may need any number of workers, so a number of workers, polling "
                                 "and the greedy scheduler do not apply to it",
                                 p->operators[i].name);
    return s->status;
}

enum weir_status weir_pipeline_require_enough(const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require(p, WEIR_PLATFORM_THREADS, error);
    if (status || weir_pipeline_has_enough_workers(p))
        return status;
    const struct weir_workers_spec *w = &p->workers;
    if (w->dispatch == WEIR_DISPATCH_GREEDY)
        return weir_fail(error, WEIR_INVALID,
                         "what is asked for needs a thread for each operator, but the greedy scheduler has one");
    if (w->workers && w->workers < p->operator_count)
        return weir_fail(error, WEIR_INVALID,
                         "what is asked for needs a thread for each operator, but %zu operators share %u workers",
                         p->operator_count, w->workers);
    return weir_fail(error, WEIR_INVALID, "what is asked for needs operators that start at once, but the scheduler polls");
}

bool weir_pipeline_has_enough_workers(const struct weir_pipeline *p)
{
    const struct weir_workers_spec *w = &p->workers;
    return w->dispatch != WEIR_DISPATCH_GREEDY && !w->polling && (w->workers == 0 || w->workers >= p->operator_count);
}

enum weir_status weir_pipeline_set_latency_limit(struct weir_pipeline *p, int64_t limit, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (limit < 0 || limit >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_INVALID, "a latency limit must be longer than 0, and no longer than can be represented");
    p->latency_limit = limit;
    return WEIR_OK;
}

enum weir_status weir_pipeline_add_processor(struct weir_pipeline *p, const struct weir_processor_spec *spec,
                                             struct weir_processor *processor, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (!spec->name || !*spec->name)
        return weir_fail(error, WEIR_INVALID, "a processor needs a name");
    if (spec->sharing > WEIR_ROUND_ROBIN)
        return weir_fail(error, WEIR_INVALID, "processor \"%s\" has an unknown scheduler: %d", weir_quote(spec->name, quoted),
                         (int)spec->sharing);
    if (spec->sharing == WEIR_TDM ? spec->frame <= 0 || spec->frame >= WEIR_TIME_MAX : spec->frame != 0)
        return weir_fail(error, WEIR_INVALID, "processor \"%s\" has an invalid frame", weir_quote(spec->name, quoted));
    for (size_t i = 0; i < p->processor_count; i++)
        if (strcmp(p->processors[i].name, spec->name) == 0)
            return weir_fail(error, WEIR_INVALID, "there are two processors named \"%s\"", weir_quote(spec->name, quoted));
    if (p->processor_count >= WEIR_PROCESSORS_MAX)
        return weir_fail(error, WEIR_INVALID, "a pipeline can have at most %d processors", WEIR_PROCESSORS_MAX);
    if (!weir_reserve(&p->processors, &p->processor_capacity, p->processor_count + 1, sizeof *p->processors))
        return weir_fail_memory(error);
    const char *name = weir_arena_text(&p->arena, spec->name);
    if (!name)
        return weir_fail_memory(error);
    p->processors[p->processor_count] = *spec;
    p->processors[p->processor_count].name = name;
    if (processor)
        processor->index = (uint32_t)p->processor_count;
    p->processor_count++;
    return WEIR_OK;
}

enum weir_platform weir_pipeline_platform(const struct weir_pipeline *p)
{
    return p->platform;
}

enum weir_status weir_pipeline_set_deadline(struct weir_pipeline *p, int64_t deadline, struct weir_error *error)
{
    if (!p || p->sealed)
        return weir_fail_sealed(p, error);
    if (deadline < (p->platform == WEIR_PLATFORM_GPU))
        return weir_fail(error, WEIR_INVALID, "a deadline is %s", deadline < 0 ? "not negative" : "longer than 0 on a GPU");
    p->has_deadline = true;
    p->deadline = deadline;
    return WEIR_OK;
}

int64_t weir_pipeline_latency_limit(const struct weir_pipeline *p)
{
    return p->latency_limit;
}

uint32_t weir_pipeline_processor_count(const struct weir_pipeline *p)
{
    return (uint32_t)p->processor_count;
}

struct weir_processor_spec weir_pipeline_processor(const struct weir_pipeline *p, struct weir_processor processor)
{
    return processor.index < p->processor_count ? p->processors[processor.index] : (struct weir_processor_spec){0};
}

enum weir_status weir_pipeline_require_sealed(const struct weir_pipeline *p, struct weir_error *error)
{
    if (!p)
        return weir_fail_missing(error);
    if (!p->sealed)
        return weir_fail(error, WEIR_INVALID, "the pipeline is not sealed");
    return p->untimed ? weir_fail(error, WEIR_INVALID, "times of operators are still to be filled in (TODO)") : WEIR_OK;
}

enum weir_status weir_pipeline_require(const struct weir_pipeline *p, enum weir_platform platform, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require_sealed(p, error);
    if (status || p->platform == platform)
        return status;
    static const char *const are[] = {"have threads of their own", "share processors", "run on a pool of cores",
                                      "are kernels of a GPU"};
    static const char *const needs[] = {"a thread for each", "processors", "a pool of cores", "a GPU"};
    return weir_fail(error, WEIR_INVALID, "this model's operators %s; what is asked for needs %s", are[p->platform],
                     needs[platform]);
}
