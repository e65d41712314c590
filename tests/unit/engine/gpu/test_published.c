/* SPDX-License-Identifier: Apache-2.0 */
/* The published example and its numbers, and the graphs on which the published bound does not hold. */
#include "engine/gpu/fill.h"
#include "graph.h"
#include "support/runner.h"

#include <string.h>

/* ---- the example ---- */

TEST(test_worked_paper)
{
    struct weir_pipeline *p = graph_worked();
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_PAPER);
    char text[GRAPH_TEXT];
    assert_ratio(plan->bound, 5, 1);
    assert_ratio(plan->lower, 14, 3);
    assert_false(plan->safe);
    assert_string_equal(graph_text(plan, text), "v1x1 | v3x2 v4x2 v2.1x2 | v5x2 v6x2 v2.2x1 | v7x1");
    assert_string_equal(graph_added(plan, text), "v2.1>v5 v3>v2.2");
    assert_int_equal(plan->group_count, 4);
    assert_int_equal(plan->split_count, 1);
    assert_ratio(plan->launches[3].load, 2, 1);
    assert_ratio(plan->launches[6].load, 2, 1);
    assert_ratio(plan->launches[6].start, 2, 1);
    assert_ratio(plan->launches[7].start, 4, 1);
    assert_int_equal(plan->token_count, 0);
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

TEST(test_worked_blocks)
{
    static const uint32_t blocks[] = {0, 1, 0, 0, 1, 1, 2}, members[] = {0, 2, 3, 4, 5, 1, 6}, first[] = {0, 1, 3, 6, 7};
    struct weir_pipeline *p = graph_worked();
    struct weir_gpu_system system;
    struct weir_gpu_division division;
    assert_int_equal(weir_gpu_system_open(p, &(struct weir_gpu_options){0}, &system, NULL), WEIR_OK);
    assert_int_equal(weir_gpu_divide(&system, &division), WEIR_OK);
    assert_int_equal(division.groups, 4);
    assert_memory_equal(division.block, blocks, sizeof blocks);
    assert_memory_equal(division.first, first, sizeof first);
    assert_memory_equal(division.members, members, sizeof members);
    weir_gpu_division_free(&division);
    weir_gpu_system_close(&system);
    weir_pipeline_free(p);
}

TEST(test_worked_others)
{
    struct weir_pipeline *p = graph_worked();
    assert_ratio(graph_bound(p, WEIR_GPU_SAFE), 5, 1);
    assert_ratio(graph_bound(p, WEIR_GPU_BEST), 5, 1);
    assert_ratio(graph_bound(p, WEIR_GPU_GREEDY), 7, 1);
    assert_ratio(graph_bound(p, WEIR_GPU_GREEDY_UNAWARE), 7, 1);
    assert_ratio(graph_bound(p, WEIR_GPU_GRAHAM), 19, 3);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_SAFE);
    char text[GRAPH_TEXT];
    /* In parts it would take as long: then not in parts. */
    assert_string_equal(graph_text(plan, text), "v1x1 | v3x2 v4x2 | v5x2 v6x2 v2x2 | v7x1");
    assert_true(plan->barriers);
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

/* ---- counterexamples ---- */

struct example {
    uint32_t sms;
    size_t count;
    const int64_t *loads;
    const uint32_t *edges;
    struct weir_ratio paper, safe;
    const char *paper_text, *safe_text;
};

static void check_example(const struct example *e)
{
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = e->sms, .min_time = 1}, e->count, e->loads, e->edges);
    struct weir_gpu_plan *paper = graph_plan(p, WEIR_GPU_PAPER), *safe = graph_plan(p, WEIR_GPU_SAFE);
    char text[GRAPH_TEXT];
    assert_ratio(paper->bound, e->paper.numerator, e->paper.denominator);
    assert_ratio(safe->bound, e->safe.numerator, e->safe.denominator);
    assert_string_equal(graph_text(paper, text), e->paper_text);
    assert_string_equal(graph_text(safe, text), e->safe_text);
    assert_true(safe->safe);
    assert_false(paper->safe);
    weir_gpu_plan_free(paper);
    weir_gpu_plan_free(safe);
    weir_pipeline_free(p);
}

/* Two kernels of half the load each get 3/2 SMs, rounded to 2: 4 of 3. */
TEST(test_rounding)
{
    static const int64_t loads[] = {1, 2, 2, 1};
    static const uint32_t edges[] = {1, 2, 1, 3, 2, 4, 3, 4, 0};
    check_example(&(struct example){.sms = 3,
                                    .count = 4,
                                    .loads = loads,
                                    .edges = edges,
                                    .paper = {3, 1},
                                    .safe = {4, 1},
                                    .paper_text = "v1x1 | v2x2 v3x2 | v4x1",
                                    .safe_text = "v1x1 | v2x1 v3x1 | v4x1"});
}

/* Two fillers on the one SM that is idle. */
TEST(test_fillers)
{
    static const int64_t loads[] = {1, 2, 2, 2, 1, 1, 1, 1};
    static const uint32_t edges[] = {1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 2, 7, 3, 7, 4, 7, 7, 8, 5, 8, 6, 8, 0};
    check_example(&(struct example){.sms = 4,
                                    .count = 8,
                                    .loads = loads,
                                    .edges = edges,
                                    .paper = {5, 1},
                                    .safe = {5, 1},
                                    .paper_text = "v1x1 | v2x1 v3x1 v4x1 v5x1 v6x1 | v7x1 | v8x1",
                                    .safe_text = "v1x1 | v2x1 v3x1 v4x1 v5x1 | v7x1 v6x1 | v8x1"});
}

/* Three chains; nothing orders the end of one after the middle of the others. */
TEST(test_missing)
{
    static const int64_t loads[] = {1, 10, 11, 1, 10, 11, 1, 11, 11, 11, 1};
    static const uint32_t edges[] = {1, 2, 1, 3, 1, 4, 2, 5, 3, 6, 4, 7, 5, 8, 6, 9, 7, 10, 8, 11, 9, 11, 10, 11, 0};
    const char *text = "v1x1 | v3x6 v2x5 v4x1 | v6x6 v5x5 v7x1 | v9x4 v8x4 v10x4 | v11x1";
    check_example(&(struct example){.sms = 12,
                                    .count = 11,
                                    .loads = loads,
                                    .edges = edges,
                                    .paper = {35, 4},
                                    .safe = {35, 4},
                                    .paper_text = text,
                                    .safe_text = text});
}

/* Kernels that end early let others in. */
TEST(test_early)
{
    static const int64_t loads[] = {1, 3, 2, 2, 3, 1, 3, 1};
    static const uint32_t edges[] = {1, 2, 1, 4, 1, 7, 2, 3, 3, 6, 4, 5, 5, 6, 6, 8, 7, 8, 0};
    const char *text = "v1x1 | v2x3 v4x2 | v3x2 v5x3 | v6x1 v7x3 | v8x1";
    check_example(&(struct example){.sms = 5,
                                    .count = 8,
                                    .loads = loads,
                                    .edges = edges,
                                    .paper = {5, 1},
                                    .safe = {5, 1},
                                    .paper_text = text,
                                    .safe_text = text});
}

/* The sum of two kernels' times, which blocks in any order exceed. */
TEST(test_greedy)
{
    static const int64_t loads[] = {2, 4};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 2, .min_time = 1}, 2, loads, NULL);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_GREEDY);
    assert_ratio(plan->bound, 3, 1);
    assert_ratio(plan->launches[1].time, 2, 1);
    assert_false(plan->safe);
    assert_false(plan->barriers);
    assert_non_null(strstr(plan->why, "places all blocks of one kernel before those of the next"));
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

/* ---- rules of the division ---- */

/* A kernel that can use all SMs runs alone, also where another cannot; the largest first. */
TEST(test_alone)
{
    static const int64_t loads[] = {3, 6, 9};
    struct weir_pipeline *p = graph_of(&graph_six, 3, loads, NULL);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_PAPER);
    char text[GRAPH_TEXT];
    assert_string_equal(graph_text(plan, text), "v3x6 | v2x6 | v1x3");
    assert_ratio(plan->bound, 7, 2);
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

/* More than there are SMs: the first by work, the rest later. */
TEST(test_many)
{
    static const int64_t loads[] = {1, 1, 1, 1, 1};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 2, .min_time = 1}, 5, loads, NULL);
    char text[GRAPH_TEXT];
    for (int m = WEIR_GPU_SAFE; m <= WEIR_GPU_PAPER; m++) {
        struct weir_gpu_plan *plan = graph_plan(p, (enum weir_gpu_method)m);
        assert_string_equal(graph_text(plan, text), "v1x1 v2x1 | v3x1 v4x1 | v5x1");
        weir_gpu_plan_free(plan);
    }
    weir_pipeline_free(p);
}
