/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random/processors.h"

#include <stdio.h>

enum { GRAPHS_MAX = 4, TASKS_MAX = 7, PROCESSORS_MAX = 3 };

struct draft {
    struct weir_random *random;
    struct weir_pipeline *pipeline;
    uint32_t graphs, processors;
    int64_t period[GRAPHS_MAX];
    uint32_t first[GRAPHS_MAX + 1]; /* operators of a graph */
    int64_t time[GRAPHS_MAX * TASKS_MAX];
    uint32_t on[GRAPHS_MAX * TASKS_MAX]; /* PROCESSORS_MAX: its own */
    int64_t slot[GRAPHS_MAX * TASKS_MAX];
    enum weir_sharing sharing[PROCESSORS_MAX];
    int64_t frame[PROCESSORS_MAX];
    bool tight; /* few ticks to a period */
};

static int64_t between(struct draft *d, int64_t low, int64_t high)
{
    return weir_random_between(d->random, low, high);
}

static bool chance(struct draft *d, int percent)
{
    return between(d, 1, 100) <= percent;
}

static void draw_shape(struct draft *d)
{
    bool plain = chance(d, 50), same = chance(d, 30);
    d->processors = chance(d, 40) ? 1 : (uint32_t)between(d, 1, PROCESSORS_MAX);
    d->tight = chance(d, 30);
    for (uint32_t i = 0; i < d->processors; i++) {
        d->sharing[i] = plain ? WEIR_PREEMPTIVE : (enum weir_sharing)between(d, WEIR_PREEMPTIVE, WEIR_ROUND_ROBIN);
        d->frame[i] = between(d, 2, 12);
    }
    for (uint32_t g = 0; g < d->graphs; g++) {
        d->period[g] = between(d, d->tight ? 3 : 10, d->tight ? 12 : 60);
        if (g > 0 && same)
            d->period[g] = d->period[0] * between(d, 1, 3);
        d->first[g + 1] = d->first[g] + (uint32_t)between(d, d->graphs > 1 ? 1 : 3, d->graphs > 1 ? 4 : TASKS_MAX);
    }
}

/* Times so that the load of a processor is below one, most of the time. */
static void draw_times(struct draft *d)
{
    uint32_t sharers[PROCESSORS_MAX + 1] = {0};
    for (uint32_t i = 0; i < d->first[d->graphs]; i++) {
        d->on[i] = chance(d, 8) ? PROCESSORS_MAX : (uint32_t)between(d, 0, d->processors - 1);
        sharers[d->on[i]]++;
    }
    int64_t load = between(d, 60, 150); /* percent */
    for (uint32_t g = 0; g < d->graphs; g++)
        for (uint32_t i = d->first[g]; i < d->first[g + 1]; i++) {
            int64_t share = d->on[i] == PROCESSORS_MAX || sharers[d->on[i]] == 0 ? 1 : sharers[d->on[i]];
            int64_t most = d->period[g] * load / (100 * share);
            d->time[i] = between(d, 1, most < 1 ? 1 : most);
        }
}

static void draw_slots(struct draft *d)
{
    int64_t used[PROCESSORS_MAX] = {0};
    for (uint32_t g = 0; g < d->graphs; g++)
        for (uint32_t i = d->first[g]; i < d->first[g + 1]; i++) {
            uint32_t on = d->on[i];
            if (on == PROCESSORS_MAX)
                continue;
            if (d->sharing[on] == WEIR_ROUND_ROBIN)
                d->slot[i] = between(d, 1, 5);
            if (d->sharing[on] == WEIR_TDM) {
                d->slot[i] = (d->time[i] * d->frame[on] + d->period[g] - 1) / d->period[g] + between(d, 0, 1);
                used[on] += d->slot[i];
            }
        }
    for (uint32_t i = 0; i < d->processors; i++)
        if (used[i] > d->frame[i])
            d->frame[i] = used[i]; /* then an operator may have too little */
}

static void add_operators(struct draft *d)
{
    for (uint32_t i = 0; i < d->processors; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        struct weir_processor_spec spec = {.name = name, .sharing = d->sharing[i]};
        spec.frame = d->sharing[i] == WEIR_TDM ? d->frame[i] : 0;
        weir_pipeline_add_processor(d->pipeline, &spec, NULL, NULL);
    }
    int64_t levels = chance(d, 25) ? 3 : 100, best = between(d, 0, 3);
    for (uint32_t i = 0; i < d->first[d->graphs]; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator_spec spec = {.name = name, .worst = d->time[i], .mapped = d->on[i] < PROCESSORS_MAX};
        spec.best = best == 0 ? 0 : best == 1 ? spec.worst : between(d, chance(d, 50) ? spec.worst / 2 : 0, spec.worst);
        if (spec.mapped) {
            bool slotted = d->sharing[d->on[i]] == WEIR_TDM || d->sharing[d->on[i]] == WEIR_ROUND_ROBIN;
            spec.on.index = d->on[i];
            spec.has_priority = !slotted;
            spec.priority = slotted ? 0 : (int32_t)between(d, 0, levels);
            spec.slot = slotted ? d->slot[i] : 0;
        }
        weir_pipeline_add_operator(d->pipeline, &spec, NULL, NULL);
    }
}

static void add_queue(struct draft *d, uint32_t from, uint32_t to, uint32_t initial)
{
    struct weir_queue_spec spec = {.from = {from}, .to = {to}, .capacity = WEIR_AUTO, .initial = initial};
    if (chance(d, 20))
        spec.capacity = initial + (uint32_t)between(d, initial ? 0 : 1, 3);
    else if (chance(d, 10))
        spec.capacity = WEIR_UNBOUNDED;
    spec.nonblocking = chance(d, 12);
    weir_pipeline_add_queue(d->pipeline, &spec, NULL, NULL);
}

/* Each operator but the first follows another on an empty queue, or is fed. */
static void add_graph(struct draft *d, uint32_t g)
{
    char name[16];
    snprintf(name, sizeof name, "s%u", g);
    uint32_t first = d->first[g], end = d->first[g + 1];
    struct weir_source_spec source = {.op = {first},
                                      .period = d->period[g],
                                      .arrivals = WEIR_ARRIVALS_EXACT,
                                      .name = name,
                                      .jitter = chance(d, 40)   ? 0
                                                : chance(d, 50) ? between(d, 0, d->period[g])
                                                                : between(d, 0, 3 * d->period[g]),
                                      .sporadic = chance(d, 20)};
    weir_pipeline_add_source(d->pipeline, &source, NULL);
    for (uint32_t i = first + 1; i < end; i++)
        if (chance(d, 15)) {
            source.op.index = i;
            weir_pipeline_add_source(d->pipeline, &source, NULL);
        } else {
            add_queue(d, chance(d, 60) ? i - 1 : (uint32_t)between(d, first, i - 1), i, 0);
        }
    for (uint32_t i = first; i + 1 < end; i++)
        if (chance(d, 20)) { /* one after the other: in a call, compilers draw in different orders */
            uint32_t initial = chance(d, 30) ? (uint32_t)between(d, 1, 2) : 0, to = (uint32_t)between(d, i + 1, end - 1);
            add_queue(d, i, to, initial);
        }
    for (int64_t count = chance(d, 45) ? between(d, 1, 2) : 0; count > 0; count--) {
        uint32_t from = (uint32_t)between(d, first, end - 1), initial = (uint32_t)between(d, 1, 3);
        add_queue(d, from, (uint32_t)between(d, first, from), initial);
    }
}

struct weir_pipeline *weir_random_processors(struct weir_random *random, uint32_t graphs)
{
    for (;;) {
        struct draft d = {.random = random, .graphs = graphs > GRAPHS_MAX ? GRAPHS_MAX : graphs};
        d.pipeline = weir_pipeline_new(NULL);
        if (!d.pipeline)
            return NULL;
        weir_pipeline_set_platform(d.pipeline, WEIR_PLATFORM_PROCESSORS, NULL);
        draw_shape(&d);
        draw_times(&d);
        draw_slots(&d);
        add_operators(&d);
        for (uint32_t g = 0; g < d.graphs; g++)
            add_graph(&d, g);
        if (weir_pipeline_seal(d.pipeline, NULL, NULL) == WEIR_OK)
            return d.pipeline;
        weir_pipeline_free(d.pipeline); /* a deadlock: again */
    }
}
