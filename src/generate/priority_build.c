/* SPDX-License-Identifier: Apache-2.0 */
#include "generate/priority.h"

#include "base/error.h"
#include "model/pipeline.h"

struct build {
    struct weir_sketch *draft;
    struct weir_pipeline *pipeline;
};

/* A, B, ... Z, AA, ...; returns where in `text` it begins. */
static const char *name_graph(uint32_t graph, char text[8])
{
    size_t at = 7;
    text[at] = 0;
    for (uint32_t rest = graph + 1; rest; rest = (rest - 1) / 26)
        text[--at] = (char)('A' + (rest - 1) % 26);
    return text + at;
}

static enum weir_status add_processors(struct build *b, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < b->draft->processor_count && !status; p++) {
        char name[32];
        snprintf(name, sizeof name, "cpu%lu", (unsigned long)p);
        struct weir_processor_spec spec = {
            .name = name, .sharing = b->draft->processors[p].sharing, .frame = b->draft->processors[p].frame};
        status = weir_pipeline_add_processor(b->pipeline, &spec, NULL, error);
    }
    return status;
}

static enum weir_status add_tasks(struct build *b, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < b->draft->task_count && !status; i++) {
        const struct weir_sketch_task *task = &b->draft->tasks[i];
        char name[32], letters[8];
        snprintf(name, sizeof name, "%s%lu", name_graph(task->graph, letters), (unsigned long)(i % b->draft->options->tasks));
        enum weir_sharing sharing = b->draft->processors[task->processor].sharing;
        bool urgent = sharing == WEIR_PREEMPTIVE || sharing == WEIR_NONPREEMPTIVE;
        struct weir_operator_spec spec = {.name = name,
                                          .best = task->worst * b->draft->options->best_permille / 1000,
                                          .worst = task->worst,
                                          .mapped = true,
                                          .on = {task->processor},
                                          .has_priority = urgent,
                                          .priority = urgent ? task->priority : 0,
                                          .slot = urgent ? 0 : task->slot};
        status = weir_pipeline_add_operator(b->pipeline, &spec, NULL, error);
    }
    return status;
}

static enum weir_status add_sources(struct build *b, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < b->draft->task_count && !status; i++) {
        if (b->draft->tasks[i].parent != WEIR_SKETCH_NONE)
            continue;
        char name[32], letters[8];
        snprintf(name, sizeof name, "source %s", name_graph(b->draft->tasks[i].graph, letters));
        const struct weir_sketch_graph *graph = &b->draft->graphs[b->draft->tasks[i].graph];
        struct weir_source_spec spec = {.op = {i},
                                        .name = name,
                                        .period = graph->period,
                                        .jitter = graph->jitter,
                                        .sporadic = b->draft->options->sporadic,
                                        .arrivals = WEIR_ARRIVALS_EXACT};
        status = weir_pipeline_add_source(b->pipeline, &spec, error);
    }
    return status;
}

/* One in eight does not block, and where that is asked for, one in three of the others has a capacity. */
static enum weir_status add_queue(struct build *b, uint32_t from, uint32_t to, uint32_t initial, struct weir_error *error)
{
    struct weir_queue_spec spec = {.from = {from}, .to = {to}, .initial = initial, .capacity = WEIR_AUTO};
    bool sized = weir_sketch_pick(b->draft, WEIR_SKETCH_SHAPE, 0, 2) == 0;
    uint32_t room = weir_sketch_pick(b->draft, WEIR_SKETCH_SHAPE, 1, 4);
    spec.nonblocking = weir_sketch_pick(b->draft, WEIR_SKETCH_SHAPE, 0, 7) == 0;
    if (b->draft->options->sized && sized && !spec.nonblocking)
        spec.capacity = initial + room;
    return weir_pipeline_add_queue(b->pipeline, &spec, NULL, error);
}

/* The longest way at worst times from one task to another that follows it. */
static int64_t longest_way(struct build *b, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k <= to; k++)
        b->draft->sums[k] = -1;
    for (uint32_t k = from; k <= to; k++) {
        const struct weir_sketch_task *task = &b->draft->tasks[k];
        int64_t before = k == from ? 0 : b->draft->sums[k];
        if (k != from && task->parent != WEIR_SKETCH_NONE && task->parent >= from && b->draft->sums[task->parent] > before)
            before = b->draft->sums[task->parent];
        b->draft->sums[k] = before < 0 ? -1 : before + task->worst;
        if (b->draft->sums[k] >= 0 && task->extra != WEIR_SKETCH_NONE && task->extra <= to &&
            b->draft->sums[k] > b->draft->sums[task->extra])
            b->draft->sums[task->extra] = b->draft->sums[k];
    }
    return b->draft->sums[to];
}

static enum weir_status add_feedback(struct build *b, uint32_t graph, struct weir_error *error)
{
    uint32_t n = b->draft->options->tasks, first = graph * n;
    enum weir_status status = WEIR_OK;
    for (uint32_t left = 1 + n / 6; left > 0 && !status; left--) {
        uint32_t from = first + weir_sketch_pick(b->draft, WEIR_SKETCH_SHAPE, 1, n - 1), to = from;
        for (uint32_t steps = weir_sketch_pick(b->draft, WEIR_SKETCH_SHAPE, 1, n);
             steps > 0 && b->draft->tasks[to].parent != WEIR_SKETCH_NONE; steps--)
            to = b->draft->tasks[to].parent;
        int64_t messages = weir_sketch_divide_up(longest_way(b, to, from), b->draft->graphs[graph].period) +
                           weir_sketch_pick(b->draft, WEIR_SKETCH_SHAPE, 0, 2);
        if (to != from)
            status = add_queue(b, from, to, (uint32_t)messages, error);
    }
    return status;
}

static enum weir_status add_queues(struct build *b, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < b->draft->task_count && !status; i++) {
        const struct weir_sketch_task *task = &b->draft->tasks[i];
        if (task->parent != WEIR_SKETCH_NONE)
            status = add_queue(b, task->parent, i, 0, error);
        if (!status && task->extra != WEIR_SKETCH_NONE)
            status = add_queue(b, i, task->extra, 0, error);
    }
    for (uint32_t g = 0; g < b->draft->options->graphs && b->draft->options->cyclic && b->draft->options->tasks > 1 && !status; g++)
        status = add_feedback(b, g, error);
    return status;
}

static enum weir_status fill(struct build *b, struct weir_error *error)
{
    const struct weir_generate_priority_options *o = b->draft->options;
    char name[80];
    snprintf(name, sizeof name, "priority-%lux%lu-seed-%llu", (unsigned long)o->graphs, (unsigned long)o->tasks,
             (unsigned long long)o->seed);
    enum weir_status status = weir_pipeline_set_name(b->pipeline, name, error);
    if (!status)
        status = weir_pipeline_set_platform(b->pipeline, WEIR_PLATFORM_PROCESSORS, error);
    if (!status)
        status = add_processors(b, error);
    if (!status)
        status = add_tasks(b, error);
    if (!status)
        status = add_queues(b, error);
    if (!status)
        status = add_sources(b, error);
    if (!status)
        status = weir_pipeline_seal_alone(b->pipeline, error);
    return status;
}

enum weir_status weir_sketch_build(struct weir_sketch *draft, struct weir_pipeline **pipeline, struct weir_error *error)
{
    struct build b = {draft, weir_pipeline_new(error)};
    enum weir_status status = b.pipeline ? fill(&b, error) : WEIR_MEMORY;
    if (status)
        weir_pipeline_free(b.pipeline);
    *pipeline = status ? NULL : b.pipeline;
    return status;
}
