/* SPDX-License-Identifier: Apache-2.0 */
/* What the paper does not have: tables, granules, overheads, places, kernels that stay whole; and what is refused. */
#include "graph.h"
#include "support/runner.h"

#include <string.h>

static void assert_refused(const struct weir_pipeline *p, const struct weir_gpu_options *options, enum weir_status expected,
                           const char *why)
{
    struct weir_gpu_plan *plan = (struct weir_gpu_plan *)&expected;
    struct weir_error error = {0};
    assert_int_equal(weir_gpu_analyze(p, options, &plan, &error), expected);
    assert_null(plan);
    if (!strstr(error.message, why))
        fail_msg("\"%s\" is not in \"%s\"", why, error.message);
}

TEST(test_names)
{
    for (int m = 0; m < WEIR_GPU_METHODS; m++)
        assert_int_equal(weir_gpu_method_named(weir_gpu_method_name((enum weir_gpu_method)m)), m);
    assert_string_equal(weir_gpu_method_name(WEIR_GPU_GREEDY_UNAWARE), "greedy-unaware");
    assert_null(weir_gpu_method_name(WEIR_GPU_METHODS));
    assert_int_equal(weir_gpu_method_named("Best"), WEIR_GPU_METHODS);
    weir_gpu_plan_free(NULL);
}

/* ---- kernels ---- */

static const struct weir_gpu_time table[] = {{2, 30}, {3, 19}, {5, 20}};

/* Only numbers of SMs that are in the table, and the fastest of them need not be the largest. */
TEST(test_table)
{
    struct weir_pipeline *p = graph_new(&graph_six);
    graph_kernel(p, &(struct weir_operator_spec){.times = table, .time_count = 3});
    graph_kernel(p, &(struct weir_operator_spec){.times = table, .time_count = 3});
    graph_kernel(p, &(struct weir_operator_spec){.worst = 12, .splittable = true});
    graph_edge(p, 0, 2);
    graph_edge(p, 1, 2);
    stage_seal(p);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_SAFE);
    char text[GRAPH_TEXT];
    assert_string_equal(graph_text(plan, text), "v1x3 v2x3 | v3x6");
    assert_ratio(plan->bound, 21, 1);
    assert_ratio(plan->lower, 21, 1);
    weir_gpu_plan_free(plan);
    assert_ratio(graph_bound(p, WEIR_GPU_BEST), 21, 1);
    assert_ratio(graph_bound(p, WEIR_GPU_GREEDY), 40, 1);
    plan = graph_plan(p, WEIR_GPU_PAPER);
    assert_int_equal(plan->launches[0].sms, 3);
    weir_gpu_plan_free(plan);
    /* On 3 SMs the two do not fit side by side, not even on the fewest they can have. */
    plan = graph_plan_with(p, &(struct weir_gpu_options){.method = WEIR_GPU_SAFE, .sms = 3});
    assert_string_equal(graph_text(plan, text), "v1x3 | v2x3 | v3x3");
    assert_ratio(plan->bound, 42, 1);
    assert_int_equal(plan->sms, 3);
    weir_gpu_plan_free(plan);
    assert_refused(p, &(struct weir_gpu_options){.sms = 1}, WEIR_INVALID, "needs more than 1 SMs");
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_GRAHAM}, WEIR_INVALID, "table of times");
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_GREEDY_UNAWARE}, WEIR_INVALID, "table of times");
    weir_pipeline_free(p);
}

/* 10 in granules of 4: three of them, so that 2 SMs take 8, and parts are whole granules but for the last. */
TEST(test_granularity)
{
    struct weir_pipeline *p = graph_new(&(struct weir_gpu_spec){.sms = 3, .min_time = 1});
    graph_kernel(p, &(struct weir_operator_spec){.worst = 10, .granularity = 4, .splittable = true});
    stage_seal(p);
    static const int64_t times[] = {12, 8, 4};
    for (uint32_t sms = 1; sms <= 3; sms++) {
        struct weir_gpu_plan *plan = graph_plan_with(p, &(struct weir_gpu_options){.method = WEIR_GPU_SAFE, .sms = sms});
        assert_ratio(plan->bound, times[sms - 1], 1);
        assert_ratio(plan->lower, times[sms - 1], 1);
        weir_gpu_plan_free(plan);
    }
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_GRAHAM);
    assert_int_equal(plan->launches[0].sms, 3);
    assert_ratio(plan->launches[0].time, 4, 1);
    assert_ratio(plan->bound, 20, 3);
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

/* Beside a kernel of 6 on one SM, one of 20 that may be cut every 4: 4 on the other SM, not 6. */
TEST(test_granularity_split)
{
    for (int grain = 0; grain <= 4; grain += 4) {
        struct weir_pipeline *p = graph_new(&(struct weir_gpu_spec){.sms = 2, .min_time = 6});
        graph_kernel(p, &(struct weir_operator_spec){.worst = 6, .splittable = true});
        graph_kernel(p, &(struct weir_operator_spec){.worst = 40, .granularity = grain, .min_time = 1, .splittable = true});
        graph_kernel(p, &(struct weir_operator_spec){.worst = 6, .splittable = true});
        graph_edge(p, 0, 2);
        stage_seal(p);
        struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_SAFE), *paper = graph_plan(p, WEIR_GPU_PAPER);
        for (size_t i = 0; i < plan->launch_count; i++) {
            const struct weir_gpu_launch *l = &plan->launches[i];
            if (grain && l->kernel.index == 1 && l->part < l->parts)
                assert_true(l->load.denominator == 1 && l->load.numerator % grain == 0);
        }
        weir_gpu_plan_free(plan);
        weir_gpu_plan_free(paper);
        weir_pipeline_free(p);
    }
}

TEST(test_no_split)
{
    static const int64_t loads[] = {2, 2, 9, 2};
    static const uint32_t edges[] = {1, 4, 2, 4, 0};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 4, .min_time = 2}, 4, loads, edges);
    for (int m = WEIR_GPU_BEST; m <= WEIR_GPU_PAPER; m++) {
        struct weir_gpu_options options = {.method = (enum weir_gpu_method)m, .no_split = true};
        struct weir_gpu_plan *whole = graph_plan_with(p, &options);
        assert_int_equal(whole->split_count, 0);
        assert_int_equal(whole->launch_count, 4);
        weir_gpu_plan_free(whole);
    }
    /* In parts: 4 of the 9 beside the first two. */
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_PAPER);
    char text[GRAPH_TEXT];
    assert_string_equal(graph_text(plan, text), "v1x1 v2x1 v3.1x2 | v3.2x3 v4x1");
    assert_int_equal(plan->split_count, 1);
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

/* ---- the platform ---- */

TEST(test_overhead)
{
    static const int64_t loads[] = {6, 6, 6};
    static const uint32_t edges[] = {1, 2, 2, 3, 0};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 6, .min_time = 1, .launch_overhead = 5}, 3, loads, edges);
    for (int m = WEIR_GPU_BEST; m <= WEIR_GPU_GREEDY_UNAWARE; m++)
        assert_ratio(graph_bound(p, (enum weir_gpu_method)m), 18, 1);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_SAFE);
    assert_ratio(plan->lower, 18, 1);
    assert_ratio(plan->launches[0].start, 5, 1);
    assert_ratio(plan->launches[1].start, 11, 1);
    weir_gpu_plan_free(plan);
    /* Chains of 5 + 1 each, and the 15 that are not on one shared by 6 SMs. */
    assert_ratio(graph_bound(p, WEIR_GPU_GRAHAM), 41, 2);
    weir_pipeline_free(p);
}

TEST(test_places)
{
    static const int64_t loads[] = {1, 1, 1, 1, 1};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 8, .min_time = 1, .max_concurrent = 2}, 5, loads, NULL);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_SAFE);
    char text[GRAPH_TEXT];
    assert_string_equal(graph_text(plan, text), "v1x1 v2x1 | v3x1 v4x1 | v5x1");
    assert_ratio(plan->bound, 3, 1);
    assert_ratio(plan->lower, 5, 2);
    for (size_t i = 0; i < plan->token_count; i++)
        assert_true(plan->tokens[i].places <= 2);
    weir_gpu_plan_free(plan);
    assert_ratio(graph_bound(p, WEIR_GPU_BEST), 3, 1);
    plan = graph_plan(p, WEIR_GPU_GRAHAM);
    assert_false(plan->safe);
    assert_non_null(strstr(plan->why, "no free slot"));
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

TEST(test_deadline)
{
    static const int64_t loads[] = {7};
    for (int64_t deadline = 2; deadline <= 4; deadline++) {
        struct weir_gpu_spec gpu = {.sms = 2, .min_time = 1, .deadline = deadline};
        struct weir_pipeline *p = graph_of(&gpu, 1, loads, NULL);
        for (int m = 0; m < WEIR_GPU_METHODS; m++) {
            struct weir_gpu_plan *plan = graph_plan(p, (enum weir_gpu_method)m);
            assert_ratio(graph_bound(p, (enum weir_gpu_method)m), plan->bound.numerator, plan->bound.denominator);
            weir_gpu_plan_free(plan);
        }
        assert_ratio(graph_bound(p, WEIR_GPU_SAFE), 7, 2);
        weir_pipeline_free(p);
    }
}

/* More blocks than SMs run in waves. */
TEST(test_waves)
{
    static const int64_t loads[] = {7, 15};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 4, .min_time = 2}, 2, loads, NULL);
    struct weir_gpu_plan *plan = graph_plan(p, WEIR_GPU_GREEDY_UNAWARE);
    assert_int_equal(plan->launches[0].sms, 4);
    assert_int_equal(plan->launches[1].sms, 8);
    assert_ratio(plan->launches[0].time, 2, 1);
    assert_ratio(plan->launches[1].time, 15, 8);
    assert_ratio(plan->bound, 23, 4); /* 2 and two waves of 15/8 */
    weir_gpu_plan_free(plan);
    weir_pipeline_free(p);
}

/* ---- refused ---- */

TEST(test_refused)
{
    static const int64_t loads[] = {5};
    struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = 2}, 1, loads, NULL);
    struct weir_pipeline *chain = stage_chain(1, loads, 1);
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_GRAHAM}, WEIR_INVALID, "no least time");
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_GREEDY_UNAWARE}, WEIR_INVALID, "no least time");
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_METHODS}, WEIR_INVALID, "no such method");
    assert_refused(p, &(struct weir_gpu_options){.sms = 65537}, WEIR_INVALID, "1 to 65536 SMs");
    assert_refused(chain, NULL, WEIR_INVALID, "");
    assert_ratio(graph_bound(p, WEIR_GPU_SAFE), 5, 2);
    weir_pipeline_free(p);
    weir_pipeline_free(chain);
    static const int64_t blocks[] = {INT64_C(1) << 40};
    p = graph_of(&(struct weir_gpu_spec){.sms = 2, .min_time = 1}, 1, blocks, NULL);
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_GRAHAM}, WEIR_INVALID, "more blocks than can be represented");
    weir_pipeline_free(p);
}

/* As many added dependencies as no memory should be spent on. */
TEST(test_too_wide)
{
    struct weir_pipeline *p = graph_new(&(struct weir_gpu_spec){.sms = 10000, .min_time = 1});
    for (int i = 0; i < 20000; i++)
        graph_kernel(p, &(struct weir_operator_spec){.worst = 1});
    stage_seal(p);
    assert_refused(p, &(struct weir_gpu_options){.method = WEIR_GPU_SAFE}, WEIR_OVERFLOW, "67108864 dependencies");
    weir_pipeline_free(p);
}

/* The longest that can be counted, on numbers of SMs that do not divide it. */
TEST(test_longest)
{
    static const int64_t loads[] = {(INT64_C(1) << 58) - 57, (INT64_C(1) << 58) - 31, (INT64_C(1) << 57) - 13, 1};
    static const uint32_t edges[] = {1, 4, 2, 4, 3, 4, 0};
    for (uint32_t sms = 1; sms <= 65536; sms = sms * 3 + 4) {
        struct weir_pipeline *p = graph_of(&(struct weir_gpu_spec){.sms = sms}, 4, loads, edges);
        for (int m = WEIR_GPU_BEST; m <= WEIR_GPU_GREEDY; m++)
            assert_true(graph_bound(p, (enum weir_gpu_method)m).numerator > 0);
        weir_pipeline_free(p);
    }
}
