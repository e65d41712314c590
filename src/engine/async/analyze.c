/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies across connections that do not wait: dividing the pipeline, and putting the answer together. */
#include "base/error.h"
#include "check/async/async.h"
#include "engine/async/async.h"

#include <string.h>

struct answer {
    struct weir_async_analysis analysis; /* first, so that it can be freed by its address */
    struct weir_arena arena;
    struct weir_async_latency *latencies; /* in the arena */
    struct weir_async_queue *queues;
};

void weir_async_analysis_free(struct weir_async_analysis *analysis)
{
    struct answer *a = (struct answer *)analysis;
    if (!a)
        return;
    weir_arena_free(&a->arena);
    weir_free(a);
}

static enum weir_status verify(const struct weir_sampler *s, struct weir_async_latency *latency)
{
    if (latency->outcome == WEIR_ASYNC_UNKNOWN)
        return WEIR_OK;
    if (!weir_async_segments_check(s->pipeline, latency))
        return weir_fail(s->error, WEIR_INTERNAL, "verification failed: the segments of a latency do not add up to its bound");
    return WEIR_OK;
}

static void report_progress(const struct weir_sampler *s, size_t done, size_t all)
{
    if (s->options->progress)
        s->options->progress(s->options->context, (unsigned)(done * 1000 / all));
}

static enum weir_status ask_all(struct weir_sampler *s, struct answer *a)
{
    size_t count = s->pipeline->chain_count;
    struct weir_paths *ways = weir_paths_new(s);
    enum weir_status status = ways ? WEIR_OK : weir_fail_memory(s->error);
    for (uint32_t i = 0; i < count && !status; i++) {
        struct weir_async_latency *latency = &a->latencies[i];
        status = weir_paths_latency(ways, i, latency);
        if (!status && s->options->verify)
            status = verify(s, latency);
        report_progress(s, i + (size_t)1, count);
    }
    weir_paths_free(ways);
    return status;
}

static enum weir_status work(struct weir_sampler *s, struct answer *a, bool once)
{
    const struct weir_pipeline *p = s->pipeline;
    a->latencies = weir_arena_array(&s->arena, p->chain_count, sizeof *a->latencies);
    enum weir_status status = weir_async_open(s, &a->queues);
    if (!status)
        status = weir_async_losses(s, a->queues);
    if (!status)
        status = weir_async_find_samples(s, a->queues);
    if (!status)
        status = ask_all(s, a);
    if (!status && !once)
        status = weir_async_try_fixed(s, a->latencies);
    a->analysis = (struct weir_async_analysis){.pipeline = p,
                                               .latencies = a->latencies,
                                               .latency_count = p->chain_count,
                                               .queues = a->queues,
                                               .queue_count = s->cut_count,
                                               .certified = s->options->verify && s->certified};
    return status;
}

static enum weir_status analyze(const struct weir_pipeline *pipeline, const struct weir_async_options *options, bool once,
                                struct weir_async_analysis **analysis, struct weir_error *error)
{
    static const struct weir_async_options defaults;
    struct weir_error own = {.status = WEIR_OK}; /* what fails in a part may be no more than a reason */
    struct weir_sampler s = {.pipeline = pipeline, .options = options ? options : &defaults, .error = &own, .certified = true};
    *analysis = NULL;
    enum weir_status status = weir_pipeline_require_enough(pipeline, error);
    if (status)
        return status;
    struct answer *a = weir_array_zeroed(1, sizeof *a);
    if (!a)
        return weir_fail_memory(error);
    status = work(&s, a, once);
    a->arena = s.arena; /* reasons and segments are the answer's */
    s.arena = (struct weir_arena){0};
    weir_async_close(&s);
    if (status) {
        weir_async_analysis_free(&a->analysis);
        if (error)
            *error = own;
    } else {
        *analysis = &a->analysis;
    }
    return status;
}

enum weir_status weir_async_analyze(const struct weir_pipeline *pipeline, const struct weir_async_options *options,
                                    struct weir_async_analysis **analysis, struct weir_error *error)
{
    return analyze(pipeline, options, false, analysis, error);
}

enum weir_status weir_async_analyze_once(const struct weir_pipeline *pipeline, const struct weir_async_options *options,
                                         struct weir_async_analysis **analysis, struct weir_error *error)
{
    return analyze(pipeline, options, true, analysis, error);
}
