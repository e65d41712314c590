/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random task graphs on shared processors. What is drawn for one purpose comes from a stream of its own, so that a system keeps its
 * shape when only its load, its jitter or its processors are asked to be others:
 *
 *     shape     every task but the first, and sometimes the second, follows one of the three before it; half of the tasks that lead
 *               nowhere are led to a later one; feedback goes from a task to one that it follows, with messages enough for its way
 *     sources   periods within a factor of three, jitters
 *     mapping   every processor has a task; priorities are a permutation
 *     times     the load of a processor, shared out uniformly over all ways to share it: gaps between sorted random numbers
 */
#include "base/alloc.h"
#include "base/number.h"
#include "generate/generate.h"

#define TASKS_MAX 10000
#define PROCESSORS_MAX 1024
#define JITTER_MAX 1000000 /* permille: a thousand periods */
#define WHOLE 1000000000   /* the load of a busy processor, for sharing it out */

enum { REACH = 3, FRAME_PARTS_MIN = 2, FRAME_PARTS_MAX = 6 };

#define NONE UINT32_MAX

enum stream { SHAPE, SOURCES, MAPPING, TIMES, STREAMS };

struct task {
    uint32_t graph, processor;
    uint32_t parent, extra; /* tasks joined to it by queues that begin empty: from parent, to extra; or NONE */
    bool leads;
    int64_t worst, slot;
    int32_t priority;
};

struct graph {
    int64_t period, jitter;
};

struct processor {
    enum weir_sharing sharing;
    int64_t frame;
    uint32_t tasks;
    int64_t shortest; /* period of its tasks */
};

struct draft {
    const struct weir_generate_priority_options *options;
    struct weir_random random[STREAMS];
    uint32_t task_count, processor_count;
    struct task *tasks; /* graph by graph, in an order in which all follow their parents */
    struct graph *graphs;
    struct processor *processors;
    uint32_t *list; /* scratch, by task */
    int64_t *sums;  /* scratch, by task */
    struct weir_pipeline *pipeline;
    struct weir_error *error;
};

/* Uniform in [low, high]. */
static uint32_t pick(struct draft *draft, enum stream stream, uint32_t low, uint32_t high)
{
    return (uint32_t)weir_random_between(&draft->random[stream], low, high);
}

/* ---- which operator follows which ---- */

static void draw_shape(struct draft *d, uint32_t graph)
{
    uint32_t n = d->options->tasks, first = graph * n;
    bool two_roots = pick(d, SHAPE, 0, 3) == 0 && n >= 3;
    for (uint32_t k = 0; k < n; k++) {
        struct task *task = &d->tasks[first + k];
        *task = (struct task){.graph = graph, .parent = NONE, .extra = NONE};
        if (k == 0 || (k == 1 && two_roots))
            continue;
        uint32_t parent = k == 2 && two_roots ? 0 : pick(d, SHAPE, k > REACH ? k - REACH : 0, k - 1);
        task->parent = first + parent;
        d->tasks[task->parent].leads = true;
    }
    for (uint32_t k = 0; k + 1 < n; k++) {
        struct task *task = &d->tasks[first + k];
        bool joined = pick(d, SHAPE, 0, 1) == 0;
        uint32_t to = pick(d, SHAPE, k + 1, k + REACH < n - 1 ? k + REACH : n - 1);
        if (k == 1 && two_roots) /* so that it belongs to the others */
            task->extra = first + 2;
        else if (!task->leads && joined && d->tasks[first + to].parent != NONE)
            task->extra = first + to;
    }
}

/* ---- sources ---- */

static void draw_sources(struct draft *d)
{
    int64_t base = 100 + 10 * (int64_t)d->task_count; /* so that a tick of each task is a small load */
    for (uint32_t g = 0; g < d->options->graphs; g++) {
        int64_t period = weir_random_between(&d->random[SOURCES], base, 3 * base);
        int64_t share = weir_random_between(&d->random[SOURCES], 0, WHOLE); /* one draw whatever the largest is */
        int64_t most = period * d->options->jitter_permille / 1000;
        d->graphs[g] = (struct graph){period, most / WHOLE * share + most % WHOLE * share / WHOLE};
    }
}

/* ---- which operator runs where ---- */

static void shuffle(struct draft *d, uint32_t *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = pick(d, MAPPING, 0, i - 1), swap = list[i - 1];
        list[i - 1] = list[other];
        list[other] = swap;
    }
}

static void draw_mapping(struct draft *d)
{
    for (uint32_t i = 0; i < d->task_count; i++)
        d->list[i] = i;
    shuffle(d, d->list, d->task_count);
    for (uint32_t i = 0; i < d->task_count; i++) {
        struct task *task = &d->tasks[d->list[i]];
        task->processor = i < d->processor_count ? i : pick(d, MAPPING, 0, d->processor_count - 1);
        task->priority = (int32_t)++d->processors[task->processor].tasks; /* of a random order */
        int64_t period = d->graphs[task->graph].period, *shortest = &d->processors[task->processor].shortest;
        *shortest = *shortest == 0 || period < *shortest ? period : *shortest;
    }
    for (uint32_t p = 0; p < d->processor_count; p++) {
        static const enum weir_sharing kinds[] = {WEIR_PREEMPTIVE, WEIR_NONPREEMPTIVE, WEIR_TDM, WEIR_ROUND_ROBIN};
        enum weir_sharing kind = kinds[pick(d, MAPPING, 0, 3)];
        d->processors[p].sharing = d->options->mixed ? kind : WEIR_PREEMPTIVE;
    }
}

/* ---- how long each operator takes ---- */

static void sort(int64_t *list, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            int64_t value = list[i];
            uint32_t at = i;
            for (; at >= gap && list[at - gap] > value; at -= gap)
                list[at] = list[at - gap];
            list[at] = value;
        }
}

/* The tasks of a processor, into d->list. */
static uint32_t list_tasks(struct draft *d, uint32_t processor)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->task_count; i++)
        if (d->tasks[i].processor == processor)
            d->list[count++] = i;
    return count;
}

static int64_t period_of(const struct draft *d, const struct task *task)
{
    return d->graphs[task->graph].period;
}

/* A tick for each, and the rest of the load as it falls: never more than was drawn, so that it stays below one. */
static void draw_times(struct draft *d, uint32_t processor)
{
    int64_t mean = d->options->load_permille, spread = (mean < 999 - mean ? mean : 999 - mean) / 4;
    int64_t load = weir_random_between(&d->random[TIMES], mean - spread, mean + spread) * (WHOLE / 1000);
    uint32_t count = list_tasks(d, processor);
    for (uint32_t i = 0; i < count; i++)
        load -= weir_ceil_divide(WHOLE, period_of(d, &d->tasks[d->list[i]]));
    load = load < 0 ? 0 : load;
    for (uint32_t i = 0; i + 1 < count; i++) { /* a share of all, whatever the load */
        int64_t share = weir_random_between(&d->random[TIMES], 0, WHOLE);
        d->sums[i] = load * share / WHOLE;
    }
    d->sums[count - 1] = load;
    sort(d->sums, count);
    for (uint32_t i = 0; i < count; i++) {
        struct task *task = &d->tasks[d->list[i]];
        int64_t share = d->sums[i] - (i ? d->sums[i - 1] : 0);
        task->worst = 1 + share * period_of(d, task) / WHOLE;
    }
}

/* Slots that are just enough for their tasks; the frame that is left over. */
static int64_t fit_slots(struct draft *d, uint32_t count, int64_t frame)
{
    int64_t left = frame;
    for (uint32_t i = 0; i < count; i++) {
        struct task *task = &d->tasks[d->list[i]];
        task->slot = weir_ceil_divide(task->worst * frame, period_of(d, task));
        left -= task->slot;
    }
    return left;
}

/* Of what the frame leaves, each task gets some; where no frame within the shortest period has room for all, they take turns. */
static void draw_slots(struct draft *d, uint32_t processor)
{
    struct processor *p = &d->processors[processor];
    uint32_t count = list_tasks(d, processor);
    if (p->sharing == WEIR_TDM) {
        uint32_t parts = pick(d, MAPPING, FRAME_PARTS_MIN, FRAME_PARTS_MAX);
        int64_t left = -1;
        for (; parts >= 1 && left < 0; parts--) {
            p->frame = p->shortest / parts;
            left = fit_slots(d, count, p->frame);
        }
        for (uint32_t i = 0; i < count && left >= 0; i++)
            d->tasks[d->list[i]].slot += weir_random_between(&d->random[MAPPING], 0, left / count);
        if (left < 0)
            *p = (struct processor){.sharing = WEIR_ROUND_ROBIN};
    }
    for (uint32_t i = 0; i < count && p->sharing == WEIR_ROUND_ROBIN; i++) {
        struct task *task = &d->tasks[d->list[i]];
        task->slot = weir_random_between(&d->random[MAPPING], weir_ceil_divide(task->worst, 4), task->worst);
    }
}

/* ---- the pipeline; the kinds of its queues are drawn, too ---- */

static enum weir_status add_processors(struct draft *d)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < d->processor_count && !status; p++) {
        char name[32];
        snprintf(name, sizeof name, "cpu%lu", (unsigned long)p);
        struct weir_processor_spec spec = {.name = name, .sharing = d->processors[p].sharing, .frame = d->processors[p].frame};
        status = weir_pipeline_add_processor(d->pipeline, &spec, NULL, d->error);
    }
    return status;
}

static enum weir_status add_tasks(struct draft *d)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < d->task_count && !status; i++) {
        const struct task *task = &d->tasks[i];
        char name[32], letters[8];
        snprintf(name, sizeof name, "%s%lu", weir_generate_letters(task->graph, letters), (unsigned long)(i % d->options->tasks));
        enum weir_sharing sharing = d->processors[task->processor].sharing;
        bool urgent = sharing == WEIR_PREEMPTIVE || sharing == WEIR_NONPREEMPTIVE;
        struct weir_operator_spec spec = {.name = name,
                                          .best = task->worst * d->options->best_permille / 1000,
                                          .worst = task->worst,
                                          .mapped = true,
                                          .on = {task->processor},
                                          .has_priority = urgent,
                                          .priority = urgent ? task->priority : 0,
                                          .slot = urgent ? 0 : task->slot};
        status = weir_pipeline_add_operator(d->pipeline, &spec, NULL, d->error);
    }
    return status;
}

static enum weir_status add_sources(struct draft *d)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < d->task_count && !status; i++) {
        if (d->tasks[i].parent != NONE)
            continue;
        char name[32], letters[8];
        snprintf(name, sizeof name, "source %s", weir_generate_letters(d->tasks[i].graph, letters));
        const struct graph *graph = &d->graphs[d->tasks[i].graph];
        struct weir_source_spec spec = {.op = {i},
                                        .name = name,
                                        .period = graph->period,
                                        .jitter = graph->jitter,
                                        .sporadic = d->options->sporadic,
                                        .arrivals = WEIR_ARRIVALS_EXACT};
        status = weir_pipeline_add_source(d->pipeline, &spec, d->error);
    }
    return status;
}

/* One in eight does not block, and where that is asked for, one in three of the others has a capacity. */
static enum weir_status add_queue(struct draft *d, uint32_t from, uint32_t to, uint32_t initial)
{
    struct weir_queue_spec spec = {.from = {from}, .to = {to}, .initial = initial, .capacity = WEIR_AUTO};
    bool sized = pick(d, SHAPE, 0, 2) == 0;
    uint32_t room = pick(d, SHAPE, 1, 4);
    spec.nonblocking = pick(d, SHAPE, 0, 7) == 0;
    if (d->options->sized && sized && !spec.nonblocking)
        spec.capacity = initial + room;
    return weir_pipeline_add_queue(d->pipeline, &spec, NULL, d->error);
}

/* The longest path at worst times from one task to another that follows it. */
static int64_t longest_path(struct draft *d, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k <= to; k++)
        d->sums[k] = -1;
    for (uint32_t k = from; k <= to; k++) {
        const struct task *task = &d->tasks[k];
        int64_t before = k == from ? 0 : d->sums[k];
        if (k != from && task->parent != NONE && task->parent >= from && d->sums[task->parent] > before)
            before = d->sums[task->parent];
        d->sums[k] = before < 0 ? -1 : before + task->worst;
        if (d->sums[k] >= 0 && task->extra != NONE && task->extra <= to && d->sums[k] > d->sums[task->extra])
            d->sums[task->extra] = d->sums[k];
    }
    return d->sums[to];
}

static enum weir_status add_feedback(struct draft *d, uint32_t graph)
{
    uint32_t n = d->options->tasks, first = graph * n;
    enum weir_status status = WEIR_OK;
    for (uint32_t left = 1 + n / 6; left > 0 && !status; left--) {
        uint32_t from = first + pick(d, SHAPE, 1, n - 1), to = from;
        for (uint32_t steps = pick(d, SHAPE, 1, n); steps > 0 && d->tasks[to].parent != NONE; steps--)
            to = d->tasks[to].parent;
        int64_t messages = weir_ceil_divide(longest_path(d, to, from), d->graphs[graph].period) + pick(d, SHAPE, 0, 2);
        if (to != from)
            status = add_queue(d, from, to, (uint32_t)messages);
    }
    return status;
}

static enum weir_status add_queues(struct draft *d)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < d->task_count && !status; i++) {
        const struct task *task = &d->tasks[i];
        if (task->parent != NONE)
            status = add_queue(d, task->parent, i, 0);
        if (!status && task->extra != NONE)
            status = add_queue(d, i, task->extra, 0);
    }
    for (uint32_t g = 0; g < d->options->graphs && d->options->cyclic && d->options->tasks > 1 && !status; g++)
        status = add_feedback(d, g);
    return status;
}

static enum weir_status build(struct draft *d, struct weir_pipeline **pipeline)
{
    const struct weir_generate_priority_options *o = d->options;
    char name[80];
    snprintf(name, sizeof name, "priority-%lux%lu-seed-%llu", (unsigned long)o->graphs, (unsigned long)o->tasks,
             (unsigned long long)o->seed);
    struct weir_generate_head head = {.name = name, .unit = WEIR_UNIT_TICK, .platform = WEIR_PLATFORM_PROCESSORS};
    enum weir_status status = weir_generate_begin(&head, &d->pipeline, d->error);
    if (!status)
        status = add_processors(d);
    if (!status)
        status = add_tasks(d);
    if (!status)
        status = add_queues(d);
    if (!status)
        status = add_sources(d);
    return weir_generate_end(d->pipeline, status, pipeline, d->error);
}

/* ---- all of it ---- */

static void draw(struct draft *d)
{
    for (int i = 0; i < STREAMS; i++)
        weir_random_seed(&d->random[i], d->options->seed * STREAMS + (uint64_t)i);
    for (uint32_t g = 0; g < d->options->graphs; g++)
        draw_shape(d, g);
    draw_sources(d);
    draw_mapping(d);
    for (uint32_t p = 0; p < d->processor_count; p++)
        draw_times(d, p);
    for (uint32_t p = 0; p < d->processor_count; p++)
        draw_slots(d, p);
}

static enum weir_status check(const struct weir_generate_priority_options *o, struct weir_error *error)
{
    if (o->graphs < 1 || o->tasks < 1 || o->processors < 1)
        return weir_fail(error, WEIR_INVALID, "a system must have at least one graph, one task and one processor");
    if ((uint64_t)o->graphs * o->tasks > TASKS_MAX)
        return weir_fail(error, WEIR_INVALID, "a random system can have at most %d tasks, not %lu times %lu", TASKS_MAX,
                         (unsigned long)o->graphs, (unsigned long)o->tasks);
    if (o->processors > PROCESSORS_MAX)
        return weir_fail(error, WEIR_INVALID, "a random system can have at most %d processors", PROCESSORS_MAX);
    if (o->load_permille < 1 || o->load_permille > 999)
        return weir_fail(error, WEIR_INVALID, "the load of a processor must be from 1 to 999 permille");
    if (o->best_permille > 1000)
        return weir_fail(error, WEIR_INVALID, "the best-case ratio must be at most 1000 permille");
    if (o->jitter_permille > JITTER_MAX)
        return weir_fail(error, WEIR_INVALID, "the jitter must be at most %d permille of the period", JITTER_MAX);
    return WEIR_OK;
}

enum weir_status weir_generate_priority(const struct weir_generate_priority_options *options, struct weir_pipeline **pipeline,
                                        struct weir_error *error)
{
    *pipeline = NULL;
    enum weir_status status = check(options, error);
    if (status)
        return status;
    struct draft d = {.options = options, .error = error, .task_count = options->graphs * options->tasks};
    d.processor_count = options->processors < d.task_count ? options->processors : d.task_count;
    struct weir_arena arena = {0};
    d.tasks = weir_arena_array(&arena, d.task_count, sizeof *d.tasks);
    d.graphs = weir_arena_array(&arena, options->graphs, sizeof *d.graphs);
    d.processors = weir_arena_array(&arena, d.processor_count, sizeof *d.processors);
    d.list = weir_arena_array(&arena, d.task_count, sizeof *d.list);
    d.sums = weir_arena_array(&arena, d.task_count, sizeof *d.sums);
    if (!arena.failed) {
        draw(&d);
        status = build(&d, pipeline);
    } else {
        status = weir_fail_memory(error);
    }
    weir_arena_free(&arena);
    return status;
}
