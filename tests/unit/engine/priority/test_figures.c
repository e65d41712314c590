/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the execution-interval paper: Tables I and II, Figure 1; and of systems that break what can be broken. */
#include "plan.h"
#include "support/runner.h"

enum { CASES = 6, NONE = -1 };

/* Periods in half microseconds: 80, 100, 125 kHz; without jitter, and with one of two periods. */
static const int64_t periods[CASES] = {25, 20, 16, 25, 20, 16};

struct row {
    enum weir_priority_method method;
    int latency[CASES], capacity[CASES]; /* in microseconds; NONE: it does not converge */
};

static void check_row(const char *system, const struct row *row, int copies)
{
    for (int i = 0; i < CASES; i++) {
        struct weir_pipeline *pipeline;
        assert_int_equal(weir_generate_priority_system(system, periods[i], i < 3 ? 0 : 2 * periods[i], &pipeline, NULL), WEIR_OK);
        struct weir_priority_analysis *analysis = plan_analyze(pipeline, row->method);
        int64_t microsecond;
        assert_int_equal(weir_time_parse(pipeline, "1", &microsecond, NULL), WEIR_OK);
        if (row->latency[i] == NONE) {
            assert_int_not_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
            assert_false(analysis->latencies[0].bounded);
        } else {
            assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
            for (size_t k = 0; k < analysis->latency_count; k++)
                assert_int_equal(analysis->latencies[k].worst, row->latency[i] * microsecond);
            assert_int_equal(analysis->buffer_total, row->capacity[i] * copies);
        }
        weir_priority_analysis_free(analysis);
        weir_pipeline_free(pipeline);
    }
}

TEST(table_one)
{
    static const struct row rows[] = {
        {WEIR_PRIORITY_PJ0, {NONE, NONE, NONE, NONE, NONE, NONE}, {0}},
        {WEIR_PRIORITY_PJ, {25, NONE, NONE, NONE, NONE, NONE}, {13}},
        {WEIR_PRIORITY_PJ_IBS, {19, 19, NONE, 44, 39, NONE}, {12, 13, 0, 14, 15, 0}},
        {WEIR_PRIORITY_EI, {12, 12, 14, 49, NONE, NONE}, {12, 12, 13, 17}},
        {WEIR_PRIORITY_EI_IBS, {12, 12, 14, 37, 32, 30}, {12, 12, 13, 14, 14, 15}},
        {WEIR_PRIORITY_BEST, {12, 12, 14, 37, 32, 30}, {12, 12, 13, 14, 14, 15}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row("wlan", &rows[i], 1);
}

TEST(table_two)
{
    static const struct row rows[] = {
        {WEIR_PRIORITY_PJ, {NONE, NONE, NONE, NONE, NONE, NONE}, {0}},
        {WEIR_PRIORITY_PJ_IBS, {24, NONE, NONE, NONE, NONE, NONE}, {13}},
        {WEIR_PRIORITY_EI, {20, NONE, NONE, NONE, NONE, NONE}, {12}},
        {WEIR_PRIORITY_EI_IBS, {20, NONE, NONE, NONE, NONE, NONE}, {12}},
        {WEIR_PRIORITY_CIX, {18, NONE, NONE, NONE, NONE, NONE}, {12}},
        {WEIR_PRIORITY_BEST, {18, NONE, NONE, NONE, NONE, NONE}, {12}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row("wlan-two", &rows[i], 2);
}

static void check_curve(const char *system, enum weir_priority_method method, const int *expected)
{
    for (int i = 0; i <= 10; i++) {
        struct weir_pipeline *pipeline;
        assert_int_equal(weir_generate_priority_system(system, 10, 5 * i, &pipeline, NULL), WEIR_OK);
        assert_int_equal(plan_finish(pipeline, method, 2), expected[i]);
        weir_pipeline_free(pipeline);
    }
}

TEST(figure_one)
{
    check_curve("jitter", WEIR_PRIORITY_PJ, (const int[]){13, 26, 43, 56, 73, 86, 103, 116, 133, 146, 163});
    check_curve("jitter", WEIR_PRIORITY_PJ_IBS, (const int[]){13, 18, 23, 28, 33, 38, 43, 48, 53, 58, 63});
    check_curve("jitter", WEIR_PRIORITY_EI, (const int[]){9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59});
    check_curve("jitter", WEIR_PRIORITY_EI_IBS, (const int[]){9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59});
    check_curve("jitter", WEIR_PRIORITY_BEST, (const int[]){9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59});
    check_curve("jitter-reversed", WEIR_PRIORITY_PJ, (const int[]){10, 15, 21, 27, 32, 38, 43, 49, 54, 60, 65});
    check_curve("jitter-reversed", WEIR_PRIORITY_PJ_IBS, (const int[]){10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60});
    check_curve("jitter-reversed", WEIR_PRIORITY_EI, (const int[]){9, 15, 20, 26, 32, 37, 43, 48, 54, 59, 65});
    check_curve("jitter-reversed", WEIR_PRIORITY_EI_IBS, (const int[]){9, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60});
    check_curve("jitter-reversed", WEIR_PRIORITY_BEST, (const int[]){9, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60});
}

/* ---- counterexamples ---- */

/* Every safe method that converges is at or above what has been seen. */
static void holds_at(const struct weir_pipeline *pipeline, uint32_t op, int64_t seen)
{
    for (int method = 0; method < WEIR_PRIORITY_METHODS; method++) {
        int64_t finish = plan_finish(pipeline, (enum weir_priority_method)method, op);
        if (weir_priority_method_safe((enum weir_priority_method)method) && finish >= 0)
            assert_true(finish >= seen);
    }
}

TEST(mixing_loses_work)
{
    struct weir_pipeline *pipeline = plan_build("g 2 0\ng 4 0\nt 0 0 2 1 1\nt 1 0 3 1 1\nt 1 0 1 1 1\n"
                                                "e -1 0 0 -1 0\ne -2 1 0 -1 0\ne 1 2 0 1 1\n");
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_PJ, 2), 3); /* 4 happens */
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_PJ_IBS, 2), 3);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_EI, 2), -1); /* the load is exactly 1 */
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_CIX, 2), 4);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_BEST, 2), 4);
    holds_at(pipeline, 2, 4);
    weir_pipeline_free(pipeline);
    /* In one graph; the last queue only joins it. */
    pipeline = plan_build("g 21 18\nt 0 0 2 2 2\nt 0 0 0 11 11\nt 0 0 1 5 5\n"
                          "e -1 0 0 -1 0\ne 0 1 0 -1 1\ne -1 2 0 -1 0\ne 1 0 2 -1 0\ne 0 2 9 -2 0\n");
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_PJ, 1), 43);
    holds_at(pipeline, 1, 48);
    weir_pipeline_free(pipeline);
}

/* A duration that moved last must be looked at again: 20 if it is not, 23 happens. */
TEST(durations_must_stand_still)
{
    struct weir_pipeline *pipeline = plan_build("g 26 0\nt 0 0 2 8 12\nt 0 0 0 6 8\nt 0 0 1 2 3\n"
                                                "e -1 0 0 -1 0\ne 0 1 0 -1 0\ne -1 2 0 -1 0\ne 1 0 2 -1 0\ne 0 2 9 -2 0\n");
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_EI, 1), 23);
    holds_at(pipeline, 1, 23);
    weir_pipeline_free(pipeline);
}

TEST(sporadic_is_another_matter)
{
    static const char tail[] = "t 0 1 3 5 5\nt 0 2 0 7 7\nt 0 0 2 12 12\nt 0 1 1 1 1\n"
                               "e -1 0 0 -1 0\ne -1 1 0 -1 0\ne 1 2 0 -1 0\ne 2 3 0 -1 1\ne 0 3 9 -2 0\n";
    char text[512];
    snprintf(text, sizeof text, "g 14 0\n%s", tail);
    struct weir_pipeline *pipeline = plan_build(text);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_EI, 3), 20);
    weir_pipeline_free(pipeline);
    snprintf(text, sizeof text, "g 14 0 sporadic\n%s", tail);
    pipeline = plan_build(text);
    assert_true(plan_finish(pipeline, WEIR_PRIORITY_EI, 3) >= 0);
    holds_at(pipeline, 3, 21); /* with inputs at 0 and 15 */
    weir_pipeline_free(pipeline);
}

TEST(chains_that_other_tools_get_wrong)
{
    struct weir_pipeline *pipeline =
        plan_build("g 76 43\nt 0 0 4 4 4\nt 0 0 5 8 8\nt 0 0 2 6 6\nt 0 0 0 8 8\nt 0 0 1 6 6\nt 0 0 3 12 12\n"
                   "e -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 -1 1\ne 2 3 0 -1 1\ne 3 4 0 -1 1\ne 4 5 0 -1 1\n");
    static const int64_t seen[] = {47, 55, 61, 69, 75, 99};
    for (uint32_t i = 0; i < 6; i++)
        holds_at(pipeline, i, seen[i]);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_EI, 5), 99);
    weir_pipeline_free(pipeline);
}
