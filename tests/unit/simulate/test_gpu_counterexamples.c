/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five graphs on which published bounds are exceeded, each for another reason, and by exactly how much. The plans that weir calls
 * safe are not exceeded on any of them.
 */
#include "base/number.h"
#include "simulate/gpu.h"
#include "support/stage.h"

#include <stdio.h>
#include <string.h>

enum { KERNELS = 12, EDGES = 16, RUNS = 3000 };

struct graph {
    uint32_t sms;
    int64_t loads[KERNELS];        /* up to the first 0; of kernels 1, 2, ... */
    uint8_t edges[EDGES][2];       /* up to the first 0 */
    struct weir_ratio paper, safe; /* bounds */
};

/* Shares of SMs are rounded, and add up to one more than there are. */
static const struct graph a = {3, {1, 2, 2, 1}, {{1, 2}, {1, 3}, {2, 4}, {3, 4}}, {3, 1}, {4, 1}};
/* Two kernels fill the one SM that is left, at the same time. */
static const struct graph b = {4,
                               {1, 2, 2, 2, 1, 1, 1, 1},
                               {{1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {2, 7}, {3, 7}, {4, 7}, {7, 8}, {5, 8}, {6, 8}},
                               {5, 1},
                               {5, 1}};
/* A kernel of a later group is ready early, and takes the SMs of one that is needed. */
static const struct graph c = {
    12,
    {1, 10, 11, 1, 10, 11, 1, 11, 11, 11, 1},
    {{1, 2}, {1, 3}, {1, 4}, {2, 5}, {3, 6}, {4, 7}, {5, 8}, {6, 9}, {7, 10}, {8, 11}, {9, 11}, {10, 11}},
    {35, 4},
    {35, 4}};
/* The same, when two kernels end early. */
static const struct graph d = {
    5, {1, 3, 2, 2, 3, 1, 3, 1}, {{1, 2}, {1, 4}, {1, 7}, {2, 3}, {3, 6}, {4, 5}, {5, 6}, {6, 8}, {7, 8}}, {5, 1}, {5, 1}};
/* Blocks of two kernels mix on the SMs. */
static const struct graph e = {2, {1, 2, 4, 1}, {{1, 2}, {1, 3}, {2, 4}, {3, 4}}, {0, 1}, {0, 1}};

static struct weir_pipeline *pipeline_of(const struct graph *g)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_gpu_spec gpu = {.sms = g->sms, .min_time = 1};
    char name[16];
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, &gpu, NULL), WEIR_OK);
    for (int i = 0; i < KERNELS && g->loads[i]; i++) {
        snprintf(name, sizeof name, "v%d", i + 1);
        struct weir_operator_spec spec = {.name = name, .worst = g->loads[i], .splittable = true};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    }
    for (int i = 0; i < EDGES && g->edges[i][0]; i++)
        stage_queue(p, (struct weir_operator){g->edges[i][0] - 1U}, (struct weir_operator){g->edges[i][1] - 1U}, 1, 0);
    stage_seal(p);
    return p;
}

static struct weir_gpu_plan *plan_of(const struct weir_pipeline *p, enum weir_gpu_method method)
{
    struct weir_gpu_options options = {.method = method, .verify = true};
    struct weir_gpu_plan *plan;
    struct weir_error error = {0};
    if (weir_gpu_analyze(p, &options, &plan, &error))
        fail_msg("%s: %s", weir_gpu_method_name(method), error.message);
    return plan;
}

static struct weir_ratio latest(const struct weir_gpu_plan *plan, enum weir_gpu_dispatch dispatch, bool worst_only)
{
    struct weir_gpu_stage stage;
    int64_t end;
    assert_int_equal(weir_gpu_stage_open(&stage, plan, NULL), WEIR_OK);
    assert_true(stage.exact);
    struct weir_gpu_climb climb = {.dispatch = dispatch, .seed = 1, .runs = RUNS, .worst_only = worst_only};
    assert_int_equal(weir_gpu_climb_late(&stage, &climb, &end, NULL), WEIR_OK);
    struct weir_ratio result = weir_ratio_reduce((struct weir_ratio){end, stage.scale});
    weir_gpu_stage_close(&stage);
    return result;
}

static void expect(struct weir_ratio found, int64_t numerator, int64_t denominator)
{
    if (weir_ratio_compare(found, (struct weir_ratio){numerator, denominator}) != 0)
        fail_msg("%lld/%lld, not %lld/%lld", (long long)found.numerator, (long long)found.denominator, (long long)numerator,
                 (long long)denominator);
}

/* Safe plans: the bounds, and that nothing is later. */
static void check_safe(const struct graph *g, const struct weir_pipeline *p)
{
    struct weir_ratio bounds[2];
    for (int m = 0; m < 2; m++) {
        struct weir_gpu_plan *plan = plan_of(p, m ? WEIR_GPU_BEST : WEIR_GPU_SAFE);
        assert_true(plan->safe && plan->verified);
        bounds[m] = plan->bound;
        for (int i = 0; i < 2 * WEIR_GPU_DISPATCHES; i++)
            assert_true(weir_ratio_compare(latest(plan, (enum weir_gpu_dispatch)(i / 2), i % 2), plan->bound) <= 0);
        weir_gpu_plan_free(plan);
    }
    if (g->safe.numerator)
        expect(bounds[0], g->safe.numerator, g->safe.denominator);
    assert_true(weir_ratio_compare(bounds[1], bounds[0]) <= 0);
}

/* ---- at worst times ---- */

/* late: by dispatch, the latest end. */
static void check_published(const struct graph *g, const struct weir_ratio late[WEIR_GPU_DISPATCHES])
{
    struct weir_pipeline *p = pipeline_of(g);
    struct weir_gpu_plan *paper = plan_of(p, WEIR_GPU_PAPER);
    assert_true(!paper->safe && paper->why && !paper->verified);
    expect(paper->bound, g->paper.numerator, g->paper.denominator);
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        assert_true(weir_ratio_compare(late[i], paper->bound) > 0);
        expect(latest(paper, (enum weir_gpu_dispatch)i, true), late[i].numerator, late[i].denominator);
    }
    check_safe(g, p);
    weir_gpu_plan_free(paper);
    weir_pipeline_free(p);
}

TEST(shares_are_rounded)
{
    check_published(&a, (struct weir_ratio[]){{4, 1}, {4, 1}, {4, 1}});
}

TEST(fillers_share_an_sm)
{
    check_published(&b, (struct weir_ratio[]){{6, 1}, {6, 1}, {6, 1}});
}

TEST(dependencies_are_missing)
{
    check_published(&c, (struct weir_ratio[]){{23, 2}, {125, 12}, {43, 4}});
}

/* ---- ending early ---- */

static uint32_t launch_of(const struct weir_gpu_plan *plan, uint32_t kernel)
{
    for (uint32_t v = 0; v < plan->launch_count; v++)
        if (plan->launches[v].kernel.index == kernel && plan->launches[v].parts == 1)
            return v;
    fail_msg("kernel %u is not launched whole", kernel);
    return 0;
}

TEST(early_ends_are_late)
{
    struct weir_pipeline *p = pipeline_of(&d);
    struct weir_gpu_plan *paper = plan_of(p, WEIR_GPU_PAPER);
    struct weir_gpu_stage stage;
    expect(paper->bound, 5, 1);
    assert_int_equal(weir_gpu_stage_open(&stage, paper, NULL), WEIR_OK);
    assert_true(stage.exact && stage.scale % 100 == 0);
    for (int i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        int64_t end;
        weir_gpu_script_draw(&stage, (enum weir_gpu_dispatch)i, WEIR_TIMES_WORST, 1);
        stage.script.order = WEIR_GPU_AS_THEY_COME;
        assert_int_equal(weir_gpu_stage_run(&stage, &stage.script, &end, NULL), WEIR_OK);
        assert_true(end <= 5 * stage.scale);
        stage.script.length[launch_of(paper, 1)] = stage.script.length[launch_of(paper, 2)] = stage.scale / 100 * 49;
        assert_int_equal(weir_gpu_stage_run(&stage, &stage.script, &end, NULL), WEIR_OK);
        expect((struct weir_ratio){end, stage.scale}, 299, 50);
        assert_true(weir_ratio_compare(latest(paper, (enum weir_gpu_dispatch)i, false), paper->bound) > 0);
    }
    weir_gpu_stage_close(&stage);
    check_safe(&d, p);
    weir_gpu_plan_free(paper);
    weir_pipeline_free(p);
}

/* ---- mixing blocks ---- */

TEST(greedy_needs_turns)
{
    struct weir_pipeline *p = pipeline_of(&e);
    struct weir_gpu_plan *greedy = plan_of(p, WEIR_GPU_GREEDY);
    assert_true(!greedy->safe);
    expect(greedy->bound, 5, 1);
    expect(latest(greedy, WEIR_GPU_GANG, false), 5, 1);
    expect(latest(greedy, WEIR_GPU_FIFO, false), 5, 1);
    expect(latest(greedy, WEIR_GPU_INTERLEAVED, true), 6, 1);
    check_safe(&e, p);
    weir_gpu_plan_free(greedy);
    weir_pipeline_free(p);
}
