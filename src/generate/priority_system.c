/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The systems of the execution-interval paper: the WLAN 802.11p decoder of its Figure 6, two of them that exchange a processor
 * (Figure 7), and the three tasks of its Figure 1 with both orders of priorities. Where the paper does not give an execution time,
 * it is one with which all of its tables come out.
 */
#include "base/number.h"
#include "generate/generate.h"

enum { TASKS_MAX = 8, QUEUES_MAX = 9, COPIES_MAX = 2, DEMAP = 3 };

/* Tasks end with the first that has no name, queues with the first that leads to task 0: the source feeds that one. */
struct graph {
    struct {
        const char *name;
        int8_t best, worst; /* in units of the system */
        int8_t processors[COPIES_MAX];
        int8_t priority;
    } tasks[TASKS_MAX + 1];
    struct {
        uint8_t from, to, initial;
    } queues[QUEUES_MAX + 1];
    uint8_t sink; /* where the latency ends */
};

struct system {
    const char *name, *title;
    const struct graph *graph;
    int64_t period; /* in units of the system */
    int64_t ticks;  /* of a unit of the system */
    enum weir_unit unit;
    unsigned digits;
    uint32_t copies;
    uint32_t exchanged; /* this task runs where that of the other copy would; 0: none does */
};

static const struct graph decoder = {
    {{"FLT", 4, 6, {0, 4}, 1},
     {"FFT", 6, 8, {1, 5}, 2},
     {"EQ", 2, 4, {1, 5}, 1},
     {"DEMAP", 2, 2, {2, 6}, 1},
     {"DEINT", 2, 2, {2, 6}, 2},
     {"VIT", 2, 2, {2, 6}, 3},
     {"REENC", 6, 8, {3, 7}, 1},
     {"CHEST", 2, 4, {2, 6}, 4}},
    {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}, {5, 6, 0}, {6, 7, 0}, {1, 7, 0}, {7, 2, 2}},
    5};
static const struct graph three = {
    {{"ti", 1, 1, {0, 0}, 1}, {"tj", 4, 4, {1, 1}, 1}, {"tk", 4, 4, {0, 0}, 2}}, {{0, 1, 0}, {1, 2, 0}}, 2};
static const struct graph three_reversed = {
    {{"ti", 1, 1, {0, 0}, 2}, {"tj", 4, 4, {1, 1}, 1}, {"tk", 4, 4, {0, 0}, 1}}, {{0, 1, 0}, {1, 2, 0}}, 2};

static const struct system systems[] = {
    {"wlan", "WLAN 802.11p decoder", &decoder, 25, 5, WEIR_UNIT_US, 1, 1, 0},
    {"wlan-two", "two WLAN 802.11p decoders", &decoder, 25, 5, WEIR_UNIT_US, 1, 2, DEMAP},
    {"jitter", "three tasks with jitter", &three, 10, 1, WEIR_UNIT_MS, 0, 1, 0},
    {"jitter-reversed", "three tasks with jitter, priorities reversed", &three_reversed, 10, 1, WEIR_UNIT_MS, 0, 1, 0},
};
enum { SYSTEM_COUNT = sizeof systems / sizeof *systems };

size_t weir_priority_system_count(void)
{
    return SYSTEM_COUNT;
}

const char *weir_priority_system_name(size_t index)
{
    return index < SYSTEM_COUNT ? systems[index].name : NULL;
}

/* ---- building one ---- */

static enum weir_status add_processors(struct weir_pipeline *pipeline, const struct system *system, struct weir_error *error)
{
    int8_t last = 0;
    enum weir_status status = WEIR_OK;
    for (uint32_t copy = 0; copy < system->copies; copy++)
        for (size_t i = 0; system->graph->tasks[i].name; i++)
            last = system->graph->tasks[i].processors[copy] > last ? system->graph->tasks[i].processors[copy] : last;
    for (int8_t p = 0; p <= last && !status; p++) {
        char name[16];
        snprintf(name, sizeof name, "cpu%d", p);
        struct weir_processor_spec spec = {.name = name, .sharing = WEIR_PREEMPTIVE};
        status = weir_pipeline_add_processor(pipeline, &spec, NULL, error);
    }
    return status;
}

/* In a system of several graphs, names end in the number of theirs. */
static enum weir_status add_tasks(struct weir_pipeline *pipeline, const struct system *system, uint32_t copy,
                                  struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; system->graph->tasks[i].name && !status; i++) {
        uint32_t place = i > 0 && i == system->exchanged ? system->copies - 1 - copy : copy;
        char name[24];
        if (system->copies > 1)
            snprintf(name, sizeof name, "%s_%lu", system->graph->tasks[i].name, (unsigned long)copy);
        else
            snprintf(name, sizeof name, "%s", system->graph->tasks[i].name);
        struct weir_operator_spec spec = {.name = name,
                                          .best = system->graph->tasks[i].best * system->ticks,
                                          .worst = system->graph->tasks[i].worst * system->ticks,
                                          .mapped = true,
                                          .on = {(uint32_t)system->graph->tasks[i].processors[place]},
                                          .has_priority = true,
                                          .priority = system->graph->tasks[i].priority};
        status = weir_pipeline_add_operator(pipeline, &spec, NULL, error);
    }
    return status;
}

static enum weir_status add_queues(struct weir_pipeline *pipeline, const struct graph *graph, uint32_t first,
                                   struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; graph->queues[i].to && !status; i++) {
        struct weir_queue_spec spec = {.from = {first + graph->queues[i].from},
                                       .to = {first + graph->queues[i].to},
                                       .initial = graph->queues[i].initial,
                                       .capacity = WEIR_AUTO};
        status = weir_pipeline_add_queue(pipeline, &spec, NULL, error);
    }
    return status;
}

static enum weir_status add_graph(struct weir_pipeline *pipeline, const struct system *system, uint32_t copy,
                                  const struct weir_source_spec *times, struct weir_error *error)
{
    static const char *const names[COPIES_MAX] = {"control", "data"};
    uint32_t first = weir_pipeline_operator_count(pipeline);
    struct weir_source_spec source = *times;
    struct weir_chain_spec chain = {.from = {first}, .to = {first + system->graph->sink}};
    source.op.index = first;
    source.name = names[copy];
    enum weir_status status = add_tasks(pipeline, system, copy, error);
    if (!status)
        status = add_queues(pipeline, system->graph, first, error);
    if (!status)
        status = weir_pipeline_add_source(pipeline, &source, error);
    if (!status)
        status = weir_pipeline_add_chain(pipeline, &chain, error);
    return status;
}

enum weir_status weir_generate_priority_system(const char *name, int64_t period, int64_t jitter, struct weir_pipeline **pipeline,
                                               struct weir_error *error)
{
    *pipeline = NULL;
    size_t index = weir_generate_find("system", name, weir_priority_system_name, SYSTEM_COUNT, error);
    if (index == SYSTEM_COUNT)
        return WEIR_INVALID;
    const struct system *system = &systems[index];
    if (period < 0 || jitter < 0 || period >= WEIR_TIME_MAX / system->ticks || jitter >= WEIR_TIME_MAX / system->ticks)
        return weir_fail(error, WEIR_INVALID, "a period or a jitter must not be negative, nor longer than can be represented");
    struct weir_source_spec times = {.period = (period ? period : system->period) * system->ticks,
                                     .jitter = jitter * system->ticks,
                                     .arrivals = WEIR_ARRIVALS_EXACT};
    struct weir_generate_head head = {system->title, system->unit, system->digits, WEIR_PLATFORM_PROCESSORS, 0};
    struct weir_pipeline *made;
    enum weir_status status = weir_generate_begin(&head, &made, error);
    if (!status)
        status = add_processors(made, system, error);
    for (uint32_t copy = 0; copy < system->copies && copy < COPIES_MAX && !status; copy++)
        status = add_graph(made, system, copy, &times, error);
    return weir_generate_end(made, status, pipeline, error);
}
