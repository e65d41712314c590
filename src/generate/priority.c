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
#include "generate/priority.h"

#include "base/alloc.h"
#include "base/error.h"

#define TASKS_MAX 10000
#define PROCESSORS_MAX 1024
#define JITTER_MAX 1000000 /* permille: a thousand periods */
#define WHOLE 1000000000   /* the load of a busy processor, for sharing it out */

enum { REACH = 3, FRAME_PARTS_MIN = 2, FRAME_PARTS_MAX = 6 };

/* ---- who follows whom ---- */

static void draw_shape(struct weir_sketch *d, uint32_t graph)
{
    uint32_t n = d->options->tasks, first = graph * n;
    bool two_roots = weir_sketch_pick(d, WEIR_SKETCH_SHAPE, 0, 3) == 0 && n >= 3;
    for (uint32_t k = 0; k < n; k++) {
        struct weir_sketch_task *task = &d->tasks[first + k];
        *task = (struct weir_sketch_task){.graph = graph, .parent = WEIR_SKETCH_NONE, .extra = WEIR_SKETCH_NONE};
        if (k == 0 || (k == 1 && two_roots))
            continue;
        uint32_t parent = k == 2 && two_roots ? 0 : weir_sketch_pick(d, WEIR_SKETCH_SHAPE, k > REACH ? k - REACH : 0, k - 1);
        task->parent = first + parent;
        d->tasks[task->parent].leads = true;
    }
    for (uint32_t k = 0; k + 1 < n; k++) {
        struct weir_sketch_task *task = &d->tasks[first + k];
        bool joined = weir_sketch_pick(d, WEIR_SKETCH_SHAPE, 0, 1) == 0;
        uint32_t to = weir_sketch_pick(d, WEIR_SKETCH_SHAPE, k + 1, k + REACH < n - 1 ? k + REACH : n - 1);
        if (k == 1 && two_roots) /* so that it belongs to the others */
            task->extra = first + 2;
        else if (!task->leads && joined && d->tasks[first + to].parent != WEIR_SKETCH_NONE)
            task->extra = first + to;
    }
}

/* ---- sources ---- */

static void draw_sources(struct weir_sketch *d)
{
    int64_t base = 100 + 10 * (int64_t)d->task_count; /* so that a tick of each task is a small load */
    for (uint32_t g = 0; g < d->options->graphs; g++) {
        int64_t period = weir_random_between(&d->random[WEIR_SKETCH_SOURCES], base, 3 * base);
        int64_t share = weir_random_between(&d->random[WEIR_SKETCH_SOURCES], 0, WHOLE); /* one draw whatever the largest is */
        int64_t most = period * d->options->jitter_permille / 1000;
        d->graphs[g] = (struct weir_sketch_graph){period, most / WHOLE * share + most % WHOLE * share / WHOLE};
    }
}

/* ---- who runs where ---- */

static void shuffle(struct weir_sketch *d, uint32_t *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = weir_sketch_pick(d, WEIR_SKETCH_MAPPING, 0, i - 1), swap = list[i - 1];
        list[i - 1] = list[other];
        list[other] = swap;
    }
}

static void draw_mapping(struct weir_sketch *d)
{
    for (uint32_t i = 0; i < d->task_count; i++)
        d->list[i] = i;
    shuffle(d, d->list, d->task_count);
    for (uint32_t i = 0; i < d->task_count; i++) {
        struct weir_sketch_task *task = &d->tasks[d->list[i]];
        task->processor = i < d->processor_count ? i : weir_sketch_pick(d, WEIR_SKETCH_MAPPING, 0, d->processor_count - 1);
        task->priority = (int32_t)++d->processors[task->processor].tasks; /* of a random order */
        int64_t period = d->graphs[task->graph].period, *shortest = &d->processors[task->processor].shortest;
        *shortest = *shortest == 0 || period < *shortest ? period : *shortest;
    }
    for (uint32_t p = 0; p < d->processor_count; p++) {
        static const enum weir_sharing kinds[] = {WEIR_PREEMPTIVE, WEIR_NONPREEMPTIVE, WEIR_TDM, WEIR_ROUND_ROBIN};
        enum weir_sharing kind = kinds[weir_sketch_pick(d, WEIR_SKETCH_MAPPING, 0, 3)];
        d->processors[p].sharing = d->options->mixed ? kind : WEIR_PREEMPTIVE;
    }
}

/* ---- how long everyone takes ---- */

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
static uint32_t list_tasks(struct weir_sketch *d, uint32_t processor)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->task_count; i++)
        if (d->tasks[i].processor == processor)
            d->list[count++] = i;
    return count;
}

static int64_t period_of(const struct weir_sketch *d, const struct weir_sketch_task *task)
{
    return d->graphs[task->graph].period;
}

/* A tick for each, and the rest of the load as it falls: never more than was drawn, so that it stays below one. */
static void draw_times(struct weir_sketch *d, uint32_t processor)
{
    int64_t mean = d->options->load_permille, spread = (mean < 999 - mean ? mean : 999 - mean) / 4;
    int64_t load = weir_random_between(&d->random[WEIR_SKETCH_TIMES], mean - spread, mean + spread) * (WHOLE / 1000);
    uint32_t count = list_tasks(d, processor);
    for (uint32_t i = 0; i < count; i++)
        load -= weir_sketch_divide_up(WHOLE, period_of(d, &d->tasks[d->list[i]]));
    load = load < 0 ? 0 : load;
    for (uint32_t i = 0; i + 1 < count; i++) { /* a share of all, whatever the load */
        int64_t share = weir_random_between(&d->random[WEIR_SKETCH_TIMES], 0, WHOLE);
        d->sums[i] = load * share / WHOLE;
    }
    d->sums[count - 1] = load;
    sort(d->sums, count);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_sketch_task *task = &d->tasks[d->list[i]];
        int64_t share = d->sums[i] - (i ? d->sums[i - 1] : 0);
        task->worst = 1 + share * period_of(d, task) / WHOLE;
    }
}

/* Slots that are just enough for their tasks; the frame that is left over. */
static int64_t fit_slots(struct weir_sketch *d, uint32_t count, int64_t frame)
{
    int64_t left = frame;
    for (uint32_t i = 0; i < count; i++) {
        struct weir_sketch_task *task = &d->tasks[d->list[i]];
        task->slot = weir_sketch_divide_up(task->worst * frame, period_of(d, task));
        left -= task->slot;
    }
    return left;
}

/* Of what the frame leaves, each task gets some; where no frame within the shortest period has room for all, they take turns. */
static void draw_slots(struct weir_sketch *d, uint32_t processor)
{
    struct weir_sketch_processor *p = &d->processors[processor];
    uint32_t count = list_tasks(d, processor);
    if (p->sharing == WEIR_TDM) {
        uint32_t parts = weir_sketch_pick(d, WEIR_SKETCH_MAPPING, FRAME_PARTS_MIN, FRAME_PARTS_MAX);
        int64_t left = -1;
        for (; parts >= 1 && left < 0; parts--) {
            p->frame = p->shortest / parts;
            left = fit_slots(d, count, p->frame);
        }
        for (uint32_t i = 0; i < count && left >= 0; i++)
            d->tasks[d->list[i]].slot += weir_random_between(&d->random[WEIR_SKETCH_MAPPING], 0, left / count);
        if (left < 0)
            *p = (struct weir_sketch_processor){.sharing = WEIR_ROUND_ROBIN};
    }
    for (uint32_t i = 0; i < count && p->sharing == WEIR_ROUND_ROBIN; i++) {
        struct weir_sketch_task *task = &d->tasks[d->list[i]];
        task->slot = weir_random_between(&d->random[WEIR_SKETCH_MAPPING], weir_sketch_divide_up(task->worst, 4), task->worst);
    }
}

/* ---- all of it ---- */

static void draw(struct weir_sketch *d)
{
    for (int i = 0; i < WEIR_SKETCH_STREAMS; i++)
        weir_random_seed(&d->random[i], d->options->seed * WEIR_SKETCH_STREAMS + (uint64_t)i);
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
        return weir_fail(error, WEIR_INVALID, "a system has at least one graph, one task and one processor");
    if ((uint64_t)o->graphs * o->tasks > TASKS_MAX)
        return weir_fail(error, WEIR_INVALID, "a random system has at most %d tasks, not %lu times %lu", TASKS_MAX,
                         (unsigned long)o->graphs, (unsigned long)o->tasks);
    if (o->processors > PROCESSORS_MAX)
        return weir_fail(error, WEIR_INVALID, "a random system has at most %d processors", PROCESSORS_MAX);
    if (o->load_permille < 1 || o->load_permille > 999)
        return weir_fail(error, WEIR_INVALID, "the load of a processor is from 1 to 999 permille");
    if (o->best_permille > 1000)
        return weir_fail(error, WEIR_INVALID, "the best-case ratio is at most 1000 permille");
    if (o->jitter_permille > JITTER_MAX)
        return weir_fail(error, WEIR_INVALID, "the jitter is at most %d permille of the period", JITTER_MAX);
    return WEIR_OK;
}

enum weir_status weir_generate_priority(const struct weir_generate_priority_options *options, struct weir_pipeline **pipeline,
                                        struct weir_error *error)
{
    *pipeline = NULL;
    enum weir_status status = check(options, error);
    if (status)
        return status;
    struct weir_sketch d = {.options = options, .task_count = options->graphs * options->tasks};
    d.processor_count = options->processors < d.task_count ? options->processors : d.task_count;
    d.tasks = weir_array_zeroed(d.task_count, sizeof *d.tasks);
    d.graphs = weir_array_zeroed(options->graphs, sizeof *d.graphs);
    d.processors = weir_array_zeroed(d.processor_count, sizeof *d.processors);
    d.list = weir_array_zeroed(d.task_count, sizeof *d.list);
    d.sums = weir_array_zeroed(d.task_count, sizeof *d.sums);
    if (d.tasks && d.graphs && d.processors && d.list && d.sums) {
        draw(&d);
        status = weir_sketch_build(&d, pipeline, error);
    } else {
        status = weir_fail_memory(error);
    }
    weir_free(d.sums);
    weir_free(d.list);
    weir_free(d.processors);
    weir_free(d.graphs);
    weir_free(d.tasks);
    return status;
}
