/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no bound: what is said, and what is refused. Memory that fails. Names. */
#include "plan.h"
#include "support/stage.h"

#include <string.h>

static void says(const char *plan, const struct weir_priority_options *options, enum weir_priority_outcome outcome,
                 const char *words)
{
    struct weir_pipeline *pipeline = plan_build(plan);
    struct weir_priority_analysis *analysis;
    assert_int_equal(weir_priority_analyze(pipeline, options, &analysis, NULL), WEIR_OK);
    assert_int_equal(analysis->outcome, outcome);
    if (!strstr(analysis->why, words))
        fail_msg("\"%s\" does not say \"%s\"", analysis->why, words);
    assert_null(analysis->proof);
    assert_int_equal(analysis->buffer_count, 0);
    for (size_t i = 0; i < analysis->latency_count; i++)
        assert_false(analysis->latencies[i].bounded);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

#define SOURCES "e -1 0 0 -1 0\ne -2 1 0 -1 0\n"
static const char two[] = "g 10 0\ng 15 0\nt 0 0 2 4 4\nt 1 0 1 6 6\n" SOURCES;

TEST(overload)
{
    says("g 10 0\ng 15 0\nt 0 0 2 4 4\nt 1 0 1 10 10\n" SOURCES, NULL, WEIR_PRIORITY_UNBOUNDED,
         "processor \"p0\" is overloaded: its operators need 106.6 % of its time");
    says("g 10 0\nt 0 -1 2 4 11\ne -1 0 0 -1 0\n", NULL, WEIR_PRIORITY_UNBOUNDED,
         "operator \"t0\" takes 11, longer than the period of 10");
    says("g 10 0\np tdm 9\nt 0 0 0 4 4 3\ne -1 0 0 -1 0\n", NULL, WEIR_PRIORITY_UNBOUNDED,
         "operator \"t0\" takes 4, more than its slots of 3 in every frame of 9 give it in a period of 10");
    /* 1/3 + 2/3 is not more than 1; with a little more it is. */
    says("g 3000000000 0\ng 1500000000 0\nt 0 0 2 1000000001 1000000001\nt 1 0 1 1 1000000000\n" SOURCES, NULL,
         WEIR_PRIORITY_UNBOUNDED, "a little more than 100.0 %");
    struct weir_pipeline *pipeline = plan_build("g 6 0\ng 3 0\nt 0 0 2 2 2\nt 1 0 1 2 2\n" SOURCES);
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    assert_int_not_equal(analysis->outcome, WEIR_PRIORITY_UNBOUNDED);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

TEST(cycles)
{
    for (int method = 0; method < WEIR_PRIORITY_METHODS; method++) {
        struct weir_priority_options options = {.method = (enum weir_priority_method)method};
        says("g 10 0\nt 0 -1 0 8 8\nt 0 -1 0 7 7\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 0 1 -1 1\n", &options, WEIR_PRIORITY_UNBOUNDED,
             "takes 15 a round; with 1 message or free slot on it, that is slower than the period of 10");
        says("g 10 0\nt 0 -1 0 8 8\nt 0 -1 0 7 7\ne -1 0 0 -1 0\ne 0 1 0 1 1\n", &options, WEIR_PRIORITY_UNBOUNDED,
             "\"t0\" -> \"t1\" -> \"t0\"");
    }
    /* Only by the bounds: t2 can delay both, but never does so to that extent. */
    says("g 10 0\ng 10 5\nt 0 0 0 3 3\nt 0 0 1 3 3\nt 1 0 2 3 3\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 0 1 -1 1\ne -2 2 0 -1 0\n",
         &(struct weir_priority_options){.method = WEIR_PRIORITY_PJ0}, WEIR_PRIORITY_VIOLATED, "by these bounds the cycle");
}

TEST(limits)
{
    says(two, &(struct weir_priority_options){.latency_limit = 9}, WEIR_PRIORITY_LIMIT, "beyond the latency limit of 9");
    says(two, &(struct weir_priority_options){.work_limit = 1}, WEIR_PRIORITY_LIMIT, "the work limit");
    says(two, &(struct weir_priority_options){.method = WEIR_PRIORITY_EI, .latency_limit = 3}, WEIR_PRIORITY_LIMIT,
         "operator \"t0\"");
    /* The model's own limit. */
    struct weir_pipeline *pipeline = plan_build(two), *copy = weir_pipeline_copy(pipeline, NULL);
    struct weir_priority_analysis *analysis;
    assert_int_equal(weir_pipeline_set_latency_limit(copy, 5, NULL), WEIR_OK);
    stage_seal(copy);
    assert_int_equal(weir_priority_analyze(copy, NULL, &analysis, NULL), WEIR_OK);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_LIMIT);
    weir_priority_analysis_free(analysis);
    /* ... which an option overrules. */
    assert_int_equal(weir_priority_analyze(copy, &(struct weir_priority_options){.latency_limit = 500}, &analysis, NULL), WEIR_OK);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(copy);
    weir_pipeline_free(pipeline);
}

/* Any limit of work gives either the answer or none, and the answer does not depend on it. */
TEST(work)
{
    struct weir_pipeline *pipeline;
    assert_int_equal(weir_generate_priority_system("wlan-two", 0, 0, &pipeline, NULL), WEIR_OK);
    int64_t worst = INT64_MAX;
    for (uint64_t limit = 1; limit < 3000000; limit += limit / 3 + 1) {
        struct weir_priority_options options = {.work_limit = limit, .verify = true};
        struct weir_priority_analysis *analysis;
        assert_int_equal(weir_priority_analyze(pipeline, &options, &analysis, NULL), WEIR_OK);
        if (analysis->outcome == WEIR_PRIORITY_CONVERGED) {
            assert_true(analysis->verified);
            assert_true(analysis->latencies[0].worst <= worst);
            worst = analysis->latencies[0].worst;
        } else {
            assert_int_equal(worst, INT64_MAX);
        }
        weir_priority_analysis_free(analysis);
    }
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    assert_int_equal(analysis->latencies[0].worst, worst);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

TEST(lost_messages)
{
    says("g 10 0\nt 0 -1 0 2 2\nt 0 -1 0 10 10\ne -1 0 0 -1 0\ne 0 1 0 1 0\n", NULL, WEIR_PRIORITY_UNBOUNDED,
         "the queue from \"t0\" to \"t1\" does not block and holds 1 message, but may have to hold 2");
    says("g 10 0\nt 0 -1 0 2 2\nt 0 -1 0 10 10\ne -1 0 0 -1 0\ne 0 1 0 1 0\n", &(struct weir_priority_options){.quick = true},
         WEIR_PRIORITY_VIOLATED, "messages would be lost");
    struct weir_pipeline *pipeline = plan_build("g 10 0\nt 0 -1 0 2 2\nt 0 -1 0 10 10\ne -1 0 0 -1 0\ne 0 1 0 2 0\n");
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_BEST, 1), 12);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_EI, 1), 12);
    weir_pipeline_free(pipeline);
}

TEST(absurd)
{
    struct weir_pipeline *pipeline = plan_build("g 900000000000000000 0\nt 0 0 2 4 4\nt 0 0 1 6 6\ne -1 0 0 -1 0\ne 0 1 0 -1 1\n");
    struct weir_priority_analysis *analysis;
    struct weir_error error;
    assert_int_equal(weir_priority_analyze(pipeline, NULL, &analysis, &error), WEIR_OVERFLOW);
    assert_null(analysis);
    assert_non_null(strstr(error.message, "too large"));
    weir_pipeline_free(pipeline);
    /* As large as can be. */
    pipeline = plan_build("g 10000000000000 0\ng 3 0\nt 0 0 2 4 3000000000000\nt 0 0 1 6 1000000000000\nt 1 0 3 1 1\n"
                          "e -1 0 0 -1 0\ne 0 1 0 1000000000 1\ne 1 0 1000000000 -1 1\ne -2 2 0 -1 0\n");
    for (int method = 0; method < WEIR_PRIORITY_METHODS; method++) {
        analysis = plan_analyze(pipeline, (enum weir_priority_method)method);
        weir_priority_analysis_free(analysis);
    }
    weir_pipeline_free(pipeline);
    pipeline = stage_chain(2, (const int64_t[]){1, 2}, 1); /* on threads */
    assert_int_equal(weir_priority_analyze(pipeline, NULL, &analysis, &error), WEIR_INVALID);
    weir_pipeline_free(pipeline);
}

/* The same cycle, wherever it is entered. */
TEST(longer_cycle)
{
    says("g 10 0\nt 0 -1 0 1 1\nt 0 -1 0 4 4\nt 0 -1 0 4 4\nt 0 -1 0 4 4\n"
         "e 3 1 1 -1 1\ne 2 3 0 -1 1\ne 1 2 0 -1 1\ne 0 1 0 -1 1\ne -1 0 0 -1 0\n",
         NULL, WEIR_PRIORITY_UNBOUNDED, "the cycle \"t1\" -> \"t2\" -> \"t3\" -> \"t1\" takes 12 a round");
}

TEST(names)
{
    for (int method = 0; method < WEIR_PRIORITY_METHODS; method++)
        assert_int_equal(weir_priority_method_named(weir_priority_method_name((enum weir_priority_method)method)), method);
    assert_int_equal(weir_priority_method_named("ei+IBS"), WEIR_PRIORITY_EI_IBS);
    assert_int_equal(weir_priority_method_named("EI+"), WEIR_PRIORITY_METHODS);
    assert_int_equal(weir_priority_method_named("EI+iBSx"), WEIR_PRIORITY_METHODS);
    assert_int_equal(weir_priority_method_named(""), WEIR_PRIORITY_METHODS);
    assert_false(weir_priority_method_safe(WEIR_PRIORITY_PJ));
    assert_false(weir_priority_method_safe(WEIR_PRIORITY_PJ_IBS));
    assert_true(weir_priority_method_safe(WEIR_PRIORITY_BEST));
    assert_false(weir_priority_method_safe(WEIR_PRIORITY_METHODS));
}

/* ---- memory ---- */

TEST(memory)
{
    struct weir_pipeline *pipeline;
    assert_int_equal(weir_generate_priority_system("wlan", 25, 50, &pipeline, NULL), WEIR_OK);
    assert_true(stage_fail_each_allocation(plan_analyze_again, pipeline) > 20);
    weir_pipeline_free(pipeline);
    assert_int_equal(weir_generate_priority_system("wlan", 16, 200, &pipeline, NULL), WEIR_OK); /* ends in words */
    assert_true(stage_fail_each_allocation(plan_analyze_again, pipeline) > 3);
    weir_pipeline_free(pipeline);
}
