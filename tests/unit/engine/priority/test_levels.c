/* SPDX-License-Identifier: Apache-2.0 */
/* Busy times of levels: bounds that operator by operator are too large, or are not found. */
#include "check/priority/bounds.h"
#include "plan.h"
#include "support/runner.h"

#include <string.h>

#define ends_by(plan, ...)                                                                                                         \
    check_ends(plan, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* ... and simulations of the system with the capacities that were chosen see the last of them. */
static void check_ends(const char *plan, const int64_t *expected, uint32_t count)
{
    struct weir_pipeline *pipeline = plan_build(plan);
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    uint32_t capacities[16];
    assert_int_equal(weir_pipeline_operator_count(pipeline), count);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    assert_true(analysis->verified);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(analysis->operators[i].finish_max, expected[i]);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++)
        capacities[i] = analysis->buffers[i].capacity;
    struct weir_processors_search_options options = {.seed = 1,
                                                     .runs = 2000,
                                                     .iterations = 24,
                                                     .capacities = capacities,
                                                     .chain = (uint32_t)weir_pipeline_chain_count(pipeline)};
    struct weir_processors_observed *seen;
    assert_int_equal(weir_processors_search(pipeline, &options, &seen, NULL), WEIR_OK);
    for (uint32_t i = 0; i < count; i++)
        assert_true(seen->finish_max[i] <= expected[i]);
    assert_int_equal(seen->finish_max[count - 1], expected[count - 1]);
    weir_free(seen);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* t0 -> t1 delay t2 once: with the worst phase for every length of the window they would twice, and t2 would end by 1400. */
TEST(offsets)
{
    ends_by("g 1000 0\ng 6000 0\nt 0 0 3 150 300\nt 0 0 2 100 200\nt 1 0 1 400 400\ne -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 -1 1\n",
            300, 500, 900);
    /* ... and where they are apart, with a task on another processor between them. */
    ends_by("g 1000 0\ng 6000 0\nt 0 0 3 150 300\nt 0 -1 0 50 100\nt 0 0 2 100 200\nt 1 0 1 400 400\n"
            "e -1 0 0 -1 0\ne -2 3 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 -1 1\n",
            300, 400, 600, 900);
}

/* t2 -> t3 -> t2 with one message. One by one they take 37 a round, with t0 and t1 in both; their period is 33. */
TEST(cycle)
{
    static const char plan[] = "g 38 0\ng 33 0\nt 0 0 1 0 5\nt 0 0 2 5 5\nt 1 0 1 7 7\nt 1 0 2 10 10\n"
                               "e -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 -1 0\ne 2 3 0 -1 1\ne 3 2 1 -1 1\n";
    struct weir_pipeline *pipeline = plan_build(plan);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_CIX, 3), -1);
    weir_pipeline_free(pipeline);
    ends_by(plan, 22, 27, 17, 27);
}

/* At whatever moment the work is spent: a bound with a proof of it, or none. */
TEST(limits_of_work)
{
    struct weir_pipeline *pipeline = plan_build("g 38 0\ng 33 0\nt 0 0 1 0 5\nt 0 0 2 5 5\nt 1 0 1 7 7\nt 1 0 2 10 10\n"
                                                "e -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 -1 0\ne 2 3 0 -1 1\ne 3 2 1 -1 1\n");
    uint64_t found = 0;
    for (uint64_t limit = 1; limit < 4000; limit += 3) {
        struct weir_priority_options options = {.work_limit = limit, .verify = true};
        struct weir_priority_analysis *analysis;
        assert_int_equal(weir_priority_analyze(pipeline, &options, &analysis, NULL), WEIR_OK);
        if (analysis->outcome == WEIR_PRIORITY_CONVERGED) {
            assert_true(analysis->verified && analysis->proof && analysis->proof->stage_count > 0);
            assert_true(analysis->operators[3].finish_max >= 27);
            found++;
        } else {
            assert_int_not_equal(analysis->outcome, WEIR_PRIORITY_UNBOUNDED);
            assert_true(analysis->why && analysis->why[0]);
        }
        weir_priority_analysis_free(analysis);
    }
    assert_true(found > 0);
    weir_pipeline_free(pipeline);
}

/* The same without preemption, and in turns. */
TEST(cycle_of_other_kinds)
{
    static const char tail[] = "e -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 -1 0\ne 2 3 0 -1 1\ne 3 2 1 -1 1\n";
    char plan[512];
    snprintf(plan, sizeof plan, "g 38 0\ng 33 0\np nonpreemptive\nt 0 0 1 0 5\nt 0 0 2 5 5\nt 1 0 1 7 7\nt 1 0 2 10 10\n%s", tail);
    struct weir_pipeline *pipeline = plan_build(plan);
    assert_true(plan_finish(pipeline, WEIR_PRIORITY_BEST, 3) > 0);
    weir_pipeline_free(pipeline);
    snprintf(plan, sizeof plan, "g 38 0\ng 33 0\np robin\nt 0 0 0 0 5 2\nt 0 0 0 5 5 2\nt 1 0 0 7 7 2\nt 1 0 0 10 10 2\n%s", tail);
    pipeline = plan_build(plan);
    assert_true(plan_finish(pipeline, WEIR_PRIORITY_BEST, 3) > 0);
    weir_pipeline_free(pipeline);
}

/* The last operator ends by `last`, which is proved; simulations find an end of this much at least, and none beyond a bound. */
static void check_across(const char *plan, int64_t last, int64_t seen_at_least)
{
    struct weir_pipeline *pipeline = plan_build(plan);
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    uint32_t capacities[16], count = weir_pipeline_operator_count(pipeline);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    assert_true(analysis->verified);
    assert_int_equal(analysis->operators[count - 1].finish_max, last);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++)
        capacities[i] = analysis->buffers[i].capacity;
    struct weir_processors_search_options options = {.seed = 1,
                                                     .runs = 2000,
                                                     .iterations = 24,
                                                     .capacities = capacities,
                                                     .chain = (uint32_t)weir_pipeline_chain_count(pipeline)};
    struct weir_processors_observed *seen;
    assert_int_equal(weir_processors_search(pipeline, &options, &seen, NULL), WEIR_OK);
    for (uint32_t i = 0; i < count; i++)
        assert_true(seen->finish_max[i] <= analysis->operators[i].finish_max);
    assert_true(seen->finish_max[count - 1] >= seen_at_least);
    weir_free(seen);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* t2 -> t3 -> t2 over two processors, with t0 -> t1 above them: one by one a round takes 35, and its period is 33. */
TEST(cycle_across_processors)
{
    static const char tail[] = "e -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 -1 1\ne 2 3 0 -1 1\ne 3 2 1 -1 1\n";
    static const struct {
        const char *processors;
        int64_t seen;
    } kinds[] = {{"", 34}, {"p nonpreemptive\np nonpreemptive\n", 28}, {"p fixed\np nonpreemptive\n", 34}};
    char plan[512];
    for (int k = 0; k < 3; k++) {
        snprintf(plan, sizeof plan, "g 38 0\ng 33 0\n%st 0 0 2 9 9\nt 0 1 2 9 9\nt 1 0 1 7 7\nt 1 1 1 10 10\n%s",
                 kinds[k].processors, tail);
        check_across(plan, 45, kinds[k].seen);
    }
    snprintf(plan, sizeof plan, "g 38 0\ng 33 0\nt 0 0 2 9 9\nt 0 1 2 9 9\nt 1 0 1 7 7\nt 1 1 1 10 10\n%s", tail);
    struct weir_pipeline *pipeline = plan_build(plan);
    assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_CIX, 3), -1);
    weir_pipeline_free(pipeline);
}

/* One long graph on one processor, at half of its load. */
TEST(long_graphs)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (uint32_t tasks = 50; tasks <= 100; tasks += 50) {
            struct weir_generate_priority_options options = {
                .seed = seed, .graphs = 1, .tasks = tasks, .processors = 1, .load_permille = 500, .best_permille = 500};
            struct weir_pipeline *pipeline;
            assert_int_equal(weir_generate_priority(&options, &pipeline, NULL), WEIR_OK);
            struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
            assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
            assert_true(analysis->verified);
            for (uint32_t i = 0; i < tasks; i++) /* whatever the priorities, the processor has done all of it by then */
                assert_true(analysis->operators[i].finish_max <= weir_pipeline_source(pipeline, 0).period);
            weir_priority_analysis_free(analysis);
            weir_pipeline_free(pipeline);
        }
}

/* Queues that do not block, on a circle with one message: their producer cannot get ahead. */
TEST(lost_messages)
{
    ends_by("g 10 40\nt 0 0 1 0 1\nt 0 0 2 0 2\ne -1 0 0 -1 0\ne 0 1 0 1 0\ne 1 0 1 -1 1\n", 41, 43);
}

/* t2 is more urgent than t1, and waits for nothing else: it has taken what t1 sent before t1 begins again, however late inputs are.
 */
TEST(urgent_consumers)
{
    ends_by("g 8 22 sporadic\nt 0 0 1 0 2\nt 0 0 2 0 2\nt 0 0 3 0 1\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 1 0\n", 24, 26, 27);
    /* ... and by way of t2, which t3 waits for, too. */
    struct weir_pipeline *by_way = plan_build("g 8 22 sporadic\nt 0 0 1 0 2\nt 0 0 2 0 2\nt 0 0 4 0 1\nt 0 0 3 0 1\ne -1 0 0 -1 0\n"
                                              "e 0 1 0 -1 1\ne 1 2 0 -2 1\ne 2 3 0 -2 1\ne 1 3 0 1 0\n");
    assert_true(plan_finish(by_way, WEIR_PRIORITY_BEST, 3) >= 28);
    weir_pipeline_free(by_way);
    static const char *const open[] = {
        /* as urgent as t1 */
        "g 8 22 sporadic\nt 0 0 1 0 2\nt 0 0 2 0 2\nt 0 0 2 0 1\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 1 0\n",
        /* t2 also waits for t3, which is elsewhere */
        "g 8 22 sporadic\nt 0 0 1 0 2\nt 0 0 2 0 2\nt 0 0 3 0 1\nt 0 -1 0 0 5\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 1 0\n"
        "e 0 3 0 -2 1\ne 3 2 0 -2 1\n",
        /* ... or for a place in front of t3 */
        "g 8 22 sporadic\nt 0 0 1 0 2\nt 0 0 2 0 2\nt 0 0 3 0 1\nt 0 -1 0 0 5\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 1 0\n"
        "e 2 3 0 1 1\n"};
    for (size_t k = 0; k < sizeof open / sizeof *open; k++) {
        struct weir_pipeline *pipeline = plan_build(open[k]);
        assert_int_equal(plan_finish(pipeline, WEIR_PRIORITY_BEST, 2), -1);
        weir_pipeline_free(pipeline);
    }
}

/* t1 waits for t0 to take its message, in a slot of the same frame. One by one they take 10 and 11, more than a period of 16; a
 * round takes a frame. */
TEST(circle_of_slots)
{
    struct weir_pipeline *pipeline =
        plan_build("g 16 0\np tdm 11\nt 0 0 0 1 1 1\nt 0 0 0 1 1 2\ne -1 1 0 -1 0\ne 1 0 0 1 1\nm 1 0\n");
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    struct weir_processors_search_options options = {.seed = 1, .runs = 2000, .iterations = 24};
    struct weir_processors_observed *seen;
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    assert_true(analysis->verified);
    assert_int_equal(analysis->operators[1].finish_max, 14);
    assert_int_equal(analysis->operators[0].finish_max, 21);
    assert_int_equal(weir_processors_search(pipeline, &options, &seen, NULL), WEIR_OK);
    assert_int_equal(seen->finish_max[0], 20); /* frames begin at whole ticks there; 21 is what is approached */
    weir_free(seen);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}
