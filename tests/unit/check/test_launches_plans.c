/* SPDX-License-Identifier: Apache-2.0 */
#include "test_launches_plans.h"

#include <string.h>

struct weir_pipeline *plan_graph(const struct weir_gpu_spec *gpu, const struct plan_kernel *kernels, size_t count,
                                 const uint32_t (*edges)[2], size_t edge_count)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, gpu, NULL), WEIR_OK);
    for (size_t i = 0; i < count; i++) {
        struct weir_operator op;
        struct weir_operator_spec spec = {.name = kernels[i].name,
                                          .worst = kernels[i].worst,
                                          .granularity = kernels[i].granularity,
                                          .times = kernels[i].times,
                                          .time_count = kernels[i].time_count,
                                          .splittable = kernels[i].splittable,
                                          .disturbs = kernels[i].disturbs,
                                          .suffers_read = kernels[i].suffers_read,
                                          .suffers_copy = kernels[i].suffers_copy};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
    }
    for (size_t i = 0; i < edge_count; i++) {
        struct weir_queue queue;
        struct weir_queue_spec spec = {.from = {edges[i][0]}, .to = {edges[i][1]}, .capacity = 1};
        assert_int_equal(weir_pipeline_add_queue(p, &spec, &queue, NULL), WEIR_OK);
    }
    stage_seal(p);
    return p;
}

void draft_open(struct draft *d, struct weir_pipeline *pipeline)
{
    memset(d, 0, sizeof *d);
    d->pipeline = pipeline;
    d->plan = (struct weir_gpu_plan){.pipeline = pipeline,
                                     .method = WEIR_GPU_BEST,
                                     .sms = weir_pipeline_gpu(pipeline).sms,
                                     .bound = {0, 1},
                                     .lower = {0, 1},
                                     .safe = true,
                                     .launches = d->launches,
                                     .added = d->added,
                                     .tokens = d->tokens};
}

void draft_close(struct draft *d)
{
    weir_pipeline_free(d->pipeline);
}

struct weir_gpu_launch *draft_launch(struct draft *d, uint32_t kernel, uint32_t sms, struct weir_ratio time, const int *after)
{
    size_t i = d->plan.launch_count++;
    assert_true(i < PLAN_LAUNCHES);
    struct weir_gpu_launch *l = &d->launches[i];
    *l = (struct weir_gpu_launch){.kernel = {kernel},
                                  .part = 1,
                                  .parts = 1,
                                  .sms = sms,
                                  .load = {weir_pipeline_operator(d->pipeline, (struct weir_operator){kernel}).worst, 1},
                                  .time = time,
                                  .start = {0, 1},
                                  .after = d->after[i]};
    for (; *after >= 0; after++)
        d->after[i][l->after_count++] = (uint32_t)*after;
    return l;
}

void draft_token(struct draft *d, uint32_t from, uint32_t to, uint32_t sms, uint32_t places)
{
    d->tokens[d->plan.token_count++] = (struct weir_gpu_token){from, to, sms, places};
}

void draft_add(struct draft *d, uint32_t from, uint32_t to)
{
    d->added[d->plan.added_count++] = (struct weir_gpu_edge){from, to};
}

void assert_proven(const struct draft *d)
{
    const char *flaw = "not looked at";
    assert_int_equal(weir_launches_check(&d->plan, &flaw, NULL), WEIR_OK);
    if (flaw)
        fail_msg("%s", flaw);
}

void assert_flaw(const struct draft *d, const char *expected)
{
    const char *flaw = NULL;
    assert_int_equal(weir_launches_check(&d->plan, &flaw, NULL), WEIR_OK);
    if (!flaw)
        fail_msg("passes, but should not: %s", expected);
    assert_string_equal(flaw, expected);
}

void draft_handed(struct draft *d)
{
    static const struct weir_gpu_time table[] = {{1, 9}, {2, 5}};
    static const struct plan_kernel kernels[] = {
        {.name = "a", .worst = 3},
        {.name = "b", .worst = 10, .splittable = true, .granularity = 2},
        {.name = "c", .times = table, .time_count = 2},
        {.name = "e", .worst = 4},
        {.name = "f", .worst = 1},
    };
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {0, 1}, {2, 3}};
    static const struct weir_gpu_spec gpu = {.sms = 4, .min_time = 1, .launch_overhead = 1, .max_concurrent = 2, .deadline = 12};
    static const struct {
        uint32_t kernel, sms, group;
        int64_t time, start;
        int after[4];
    } launches[] = {
        {0, 3, 0, 1, 1, {-1}},    {1, 2, 1, 2, 3, {0, -1}}, {2, 2, 1, 5, 3, {0, -1}},
        {1, 2, 2, 4, 6, {1, -1}}, {4, 1, 2, 1, 9, {2, -1}}, {3, 4, 3, 1, 11, {2, 3, 4, -1}},
    };
    draft_open(d, plan_graph(&gpu, kernels, 5, edges, 5));
    for (size_t i = 0; i < 6; i++) {
        struct weir_gpu_launch *l =
            draft_launch(d, launches[i].kernel, launches[i].sms, (struct weir_ratio){launches[i].time, 1}, launches[i].after);
        l->group = launches[i].group;
        l->start = (struct weir_ratio){launches[i].start, 1};
    }
    for (uint32_t part = 1; part <= 2; part++) {
        struct weir_gpu_launch *l = &d->launches[part == 1 ? 1 : 3];
        l->part = part;
        l->parts = 2;
        l->load.numerator = part == 1 ? 4 : 6;
    }
    draft_token(d, WEIR_GPU_BEGIN, 0, 4, 2);
    draft_token(d, 0, 1, 2, 1);
    draft_token(d, 0, 2, 2, 1);
    draft_token(d, 1, 3, 2, 1);
    draft_token(d, 2, 4, 1, 1);
    draft_token(d, 2, 5, 1, 0);
    draft_token(d, 3, 5, 2, 1);
    draft_token(d, 4, 5, 1, 1);
    draft_add(d, 4, 5);
    draft_add(d, 2, 4);
    d->plan.bound.numerator = 12;
    d->plan.lower.numerator = 10;
    d->plan.group_count = 4;
    d->plan.split_count = 1;
}
