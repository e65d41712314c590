/* SPDX-License-Identifier: Apache-2.0 */
/* Where a pipeline runs: its platform and its processors. */
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "model/schema.h"

#include <stdlib.h>
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

/* ---- lanes ---- */

/* Operators by the name of their lane, then by their number. */
static int by_lane(const void *left, const void *right)
{
    const struct weir_operator_spec *const *a = left, *const *b = right;
    int order = strcmp((*a)->lane, (*b)->lane);
    return order ? order : (*a > *b) - (*a < *b);
}

/* Numbers the lanes. */
static enum weir_status find_lanes(struct weir_sealing *s)
{
    struct weir_pipeline *p = s->pipeline;
    size_t count = 0;
    for (size_t o = 0; o < p->operator_count; o++)
        count += p->operators[o].lane != NULL;
    p->lanes = NULL;
    p->lane_count = 0;
    if (count == 0)
        return WEIR_OK;
    count = 0;
    const struct weir_operator_spec **list = weir_arena_array(&s->scratch, p->operator_count, sizeof *list);
    uint32_t *lanes = weir_arena_array(&p->sealed_arena, p->operator_count, sizeof *lanes);
    if (!list || !lanes)
        return weir_sealing_memory(s);
    for (size_t o = 0; o < p->operator_count; o++) {
        lanes[o] = WEIR_NO_LANE;
        if (p->operators[o].lane)
            list[count++] = &p->operators[o];
    }
    qsort(list, count, sizeof *list, by_lane);
    for (size_t i = 0; i < count; i++) {
        p->lane_count += i == 0 || strcmp(list[i]->lane, list[i - 1]->lane) != 0;
        lanes[list[i] - p->operators] = p->lane_count - 1;
    }
    p->lanes = lanes;
    return WEIR_OK;
}

uint32_t weir_pipeline_free_count(const struct weir_pipeline *p)
{
    uint32_t count = p->lanes ? 0 : (uint32_t)p->operator_count;
    for (size_t o = 0; o < p->operator_count && p->lanes; o++)
        count += p->lanes[o] == WEIR_NO_LANE;
    return count;
}

/* Whether some lane has several operators. */
static bool shares_lanes(const struct weir_pipeline *p)
{
    return p->lanes && p->operator_count - weir_pipeline_free_count(p) > p->lane_count;
}

enum weir_status weir_pipeline_check_workers(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    const struct weir_workers_spec *w = &p->workers;
    bool greedy = w->dispatch == WEIR_DISPATCH_GREEDY, plain = !greedy && w->workers == 0 && w->polling == 0;
    s->status = WEIR_OK;
    if (p->platform != WEIR_PLATFORM_THREADS && !plain)
        s->status =
            weir_errors_add(s->errors, WEIR_INVALID, s->file, w->place, "workers have no meaning where operators share processors");
    for (size_t i = 0; i < p->operator_count && p->platform == WEIR_PLATFORM_THREADS; i++) {
        if (p->operators[i].reentrant && !plain)
            weir_sealing_mistake(s, p->operators[i].place,
                                 "operator \"%s\" is reentrant: it may need any number of workers, so a number of workers, polling "
                                 "and the greedy scheduler do not apply to it",
                                 p->operators[i].name);
        if (p->operators[i].lane && greedy)
            weir_sealing_mistake(s, p->operators[i].place,
                                 "operator \"%s\" is in a lane, but the greedy scheduler has one thread for all of them",
                                 p->operators[i].name);
    }
    return s->status ? s->status : find_lanes(s);
}

enum weir_status weir_pipeline_require_enough(const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require(p, WEIR_PLATFORM_THREADS, error);
    if (status || weir_pipeline_has_enough_workers(p))
        return status;
    const struct weir_workers_spec *w = &p->workers;
    if (w->dispatch == WEIR_DISPATCH_GREEDY)
        return weir_fail(error, WEIR_INVALID, "this needs a thread for each operator, but the greedy scheduler has one");
    uint32_t free = weir_pipeline_free_count(p);
    if (w->workers && w->workers < free)
        return weir_fail(error, WEIR_INVALID, "this needs a thread for each operator, but %u operators share %u workers", free,
                         w->workers);
    if (shares_lanes(p))
        return weir_fail(error, WEIR_INVALID, "this needs a thread for each operator, but operators share a lane");
    return weir_fail(error, WEIR_INVALID, "this needs operators that start at once, but the scheduler polls");
}

bool weir_pipeline_has_enough_workers(const struct weir_pipeline *p)
{
    const struct weir_workers_spec *w = &p->workers;
    return w->dispatch != WEIR_DISPATCH_GREEDY && !w->polling && !shares_lanes(p) &&
           (w->workers == 0 || w->workers >= weir_pipeline_free_count(p));
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
    if (deadline >= WEIR_TIME_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "a deadline is longer than can be represented");
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
    return weir_fail(error, WEIR_INVALID, "this model's operators %s; this needs %s", are[p->platform], needs[platform]);
}
