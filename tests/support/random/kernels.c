/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random/kernels.h"

#include <stdio.h>

enum { KERNELS_MAX = 14, TABLE_MAX = 6 };

struct draft {
    struct weir_random *random;
    struct weir_pipeline *pipeline;
    bool plain;
    uint32_t count, sms;
    int64_t min_time;
    int64_t load_most;
    int split, grain, table, own; /* percent: of kernels with a property */
};

static int64_t between(struct draft *d, int64_t low, int64_t high)
{
    return weir_random_between(d->random, low, high);
}

static bool chance(struct draft *d, int percent)
{
    return between(d, 1, 100) <= percent;
}

/* All or none most of the time, so that pure graphs are not rare. */
static int share(struct draft *d, int none, int all)
{
    int64_t draw = between(d, 1, 100);
    return draw <= none ? 0 : draw <= none + all ? 100 : 40;
}

static void draw_device(struct draft *d)
{
    struct weir_gpu_spec gpu = {.sms = chance(d, 8)    ? 132
                                       : chance(d, 50) ? (uint32_t)between(d, 2, 6)
                                                       : (uint32_t)between(d, 1, 16)};
    gpu.min_time = d->plain || chance(d, 60) ? between(d, 1, 3) : 0;
    if (!d->plain && chance(d, 35))
        gpu.launch_overhead = between(d, 1, 3);
    if (!d->plain && chance(d, 30))
        gpu.max_concurrent = (uint32_t)between(d, 1, 5);
    if (chance(d, 20))
        gpu.deadline = between(d, 1, 60);
    weir_pipeline_set_gpu(d->pipeline, &gpu, NULL);
    d->sms = gpu.sms;
    d->min_time = gpu.min_time;
    d->load_most = chance(d, 30) ? 4 : chance(d, 50) ? 24 : 2 * (int64_t)gpu.sms + 20;
    d->split = d->plain ? 100 : share(d, 30, 45);
    d->grain = d->plain ? 0 : share(d, 60, 10);
    d->table = d->plain ? 0 : share(d, 70, 8);
    d->own = d->plain ? 0 : share(d, 70, 5);
}

/* Numbers of SMs that there are, with times that need not fall, nor keep to the load. */
static size_t draw_table(struct draft *d, struct weir_gpu_time times[TABLE_MAX])
{
    int64_t load = between(d, 1, d->load_most);
    size_t count = 0;
    for (uint32_t sms = (uint32_t)between(d, 1, d->sms); sms <= d->sms && count < TABLE_MAX; count++) {
        times[count] = (struct weir_gpu_time){sms, (load + sms - 1) / sms + between(d, 0, 2)};
        sms += (uint32_t)between(d, 1, d->sms > 4 ? d->sms / 4 : 1);
    }
    return count;
}

static void add_kernel(struct draft *d, uint32_t index)
{
    char name[16];
    struct weir_gpu_time times[TABLE_MAX];
    struct weir_operator_spec spec = {.name = name, .worst = between(d, 1, d->load_most)};
    snprintf(name, sizeof name, "k%u", index);
    if (chance(d, d->table)) {
        spec.worst = 0;
        spec.times = times;
        spec.time_count = draw_table(d, times);
    } else {
        spec.splittable = chance(d, d->split);
        spec.granularity = chance(d, d->grain) ? between(d, 1, 5) : 0;
        spec.min_time = chance(d, d->own) ? between(d, 1, 5) : 0;
    }
    weir_pipeline_add_operator(d->pipeline, &spec, NULL, NULL);
}

static void join(struct draft *d, uint32_t from, uint32_t to)
{
    struct weir_queue_spec spec = {.from = {from}, .to = {to}, .capacity = 1};
    weir_pipeline_add_queue(d->pipeline, &spec, NULL, NULL);
}

/* Between all pairs, or between neighbouring layers, with a source before and a sink behind them. */
static void add_dependencies(struct draft *d)
{
    int edges = (int)between(d, 5, 60);
    bool layered = chance(d, 50);
    uint32_t layer[KERNELS_MAX] = {0};
    for (uint32_t i = 1; i < d->count; i++)
        layer[i] = layer[i - 1] + (i == 1 || i + 1 == d->count || chance(d, 30));
    for (uint32_t to = 1; to < d->count; to++) {
        bool joined = false;
        for (uint32_t from = 0; from < to; from++)
            if ((!layered || layer[from] + 1 == layer[to]) && (chance(d, edges) || (layered && to + 1 == d->count))) {
                join(d, from, to);
                joined = true;
            }
        if (layered && !joined)
            join(d, 0, to);
    }
}

/* Kernels that slow each other down, and SMs that can be had in steps only. */
static void add_neighbours(struct draft *d)
{
    struct weir_gpu_spec gpu = weir_pipeline_gpu(d->pipeline);
    if (chance(d, 25) && d->table == 0 && d->sms > 3) {
        gpu.sm_step = (uint32_t)between(d, 2, 4);
        weir_pipeline_set_gpu(d->pipeline, &gpu, NULL);
    }
    int suffering = chance(d, 35) ? share(d, 0, 40) : 0, quiet = share(d, 40, 5);
    for (uint32_t i = 0; i < d->count && suffering; i++) {
        struct weir_operator op = {i};
        struct weir_operator_spec spec = weir_pipeline_operator(d->pipeline, op);
        spec.disturbs = chance(d, quiet) ? WEIR_DISTURBS_NONE : chance(d, 50) ? WEIR_DISTURBS_READ : WEIR_DISTURBS_COPY;
        spec.suffers_read = chance(d, suffering) ? (uint32_t)between(d, 0, 60) : 0;
        spec.suffers_copy = chance(d, suffering) ? (uint32_t)between(d, 1, 300) : 0;
        weir_pipeline_change_operator(d->pipeline, op, &spec, NULL);
    }
}

struct weir_pipeline *weir_random_kernels(struct weir_random *random, bool plain)
{
    struct draft d = {.random = random, .plain = plain, .pipeline = weir_pipeline_new(NULL)};
    if (!d.pipeline)
        return NULL;
    weir_pipeline_set_platform(d.pipeline, WEIR_PLATFORM_GPU, NULL);
    draw_device(&d);
    d.count = (uint32_t)between(&d, chance(&d, 15) ? 1 : 4, KERNELS_MAX);
    for (uint32_t i = 0; i < d.count; i++)
        add_kernel(&d, i);
    add_dependencies(&d);
    if (!plain)
        add_neighbours(&d);
    if (weir_pipeline_seal(d.pipeline, NULL, NULL) == WEIR_OK)
        return d.pipeline;
    weir_pipeline_free(d.pipeline);
    return NULL;
}
