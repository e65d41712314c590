/* SPDX-License-Identifier: Apache-2.0 */
/* Processors of every kind, by hand; who interferes; what queues hold; latencies and deadlines. */
#include "plan.h"
#include "support/runner.h"

#include <string.h>

#define ends_by(plan, method, ...)                                                                                                 \
    check_ends(plan, method, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void check_ends(const char *plan, enum weir_priority_method method, const int64_t *expected, uint32_t count)
{
    struct weir_pipeline *pipeline = plan_build(plan);
    assert_int_equal(weir_pipeline_operator_count(pipeline), count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(plan_finish(pipeline, method, i), expected[i]);
    weir_pipeline_free(pipeline);
}

TEST(nonpreemptive)
{
    /* t0 waits for one t1 at most, t1 for one t0. */
    ends_by("g 10 0\ng 20 0\np nonpreemptive\nt 0 0 2 1 2\nt 1 0 1 1 5\ne -1 0 0 -1 0\ne -2 1 0 -1 0\n", WEIR_PRIORITY_EI, 7, 7);
    /* t1 of an earlier input is over before the next comes, and that of the same input has to wait for t0. */
    ends_by("g 5 0\np nonpreemptive\nt 0 0 2 1 2\nt 0 0 1 1 3\ne -1 0 0 -1 0\ne 0 1 0 -1 1\n", WEIR_PRIORITY_EI, 2, 5);
    /* t0 may take no time: t2 can begin at that very moment, before t1 is ready. */
    ends_by("g 9 0\np nonpreemptive\nt 0 -1 0 0 1\nt 0 0 2 1 1\nt 0 0 1 3 3\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 0 2 0 -1 1\n",
            WEIR_PRIORITY_EI, 1, 5, 5);
    /* t1 is ready just when t3 could begin, and goes first. */
    ends_by("g 20 0\np nonpreemptive\nt 0 -1 0 2 2\nt 0 0 2 3 3\nt 0 0 1 2 2\nt 0 0 0 4 4\n"
            "e -1 0 0 -1 0\ne 0 1 0 -1 1\ne -1 2 0 -1 0\ne -1 3 0 -1 0\ne 2 1 9 -2 0\ne 3 1 9 -2 0\n",
            WEIR_PRIORITY_EI, 2, 9, 2, 9);
}

TEST(tdm)
{
    /* 4 + 2 (10 - 3); and 2 slots of another. */
    ends_by("g 40 0\np tdm 10\nt 0 0 0 4 4 3\nt 0 0 0 1 6 5\ne -1 0 0 -1 0\ne 0 1 0 -1 1\n", WEIR_PRIORITY_EI, 18, 34);
    /* Load exactly 1: three executions of 2 in slots of 3. */
    ends_by("g 20 0\np tdm 30\nt 0 0 0 2 2 3\ne -1 0 0 -1 0\n", WEIR_PRIORITY_BEST, 29 + 9);
}

TEST(round_robin)
{
    /* t0 takes 2 turns, and t1 at most 3 before each; t1 takes 3 turns, and t0 at most 2 before each. */
    ends_by("g 20 0\ng 20 0\np robin\nt 0 0 0 4 4 2\nt 1 0 0 9 9 3\ne -1 0 0 -1 0\ne -2 1 0 -1 0\n", WEIR_PRIORITY_EI, 10, 15);
    /* Slots that are longer than what there is to do. */
    ends_by("g 99 0\ng 99 0\np robin\nt 0 0 0 4 4 100\nt 1 0 0 9 9 100\ne -1 0 0 -1 0\ne -2 1 0 -1 0\n", WEIR_PRIORITY_EI, 13, 13);
}

TEST(own_processor)
{
    ends_by("g 10 3\nt 0 -1 0 1 10\nt 0 -1 0 1 4\ne -1 0 0 -1 0\ne 0 1 0 -1 1\n", WEIR_PRIORITY_BEST, 13, 17);
}

/* Equal priorities delay each other. */
TEST(equals)
{
    static const char plan[] = "g 10 0\ng 10 0\nt 0 0 5 3 3\nt 1 0 5 4 4\ne -1 0 0 -1 0\ne -2 1 0 -1 0\n";
    ends_by(plan, WEIR_PRIORITY_PJ0, 7, 7);
    ends_by(plan, WEIR_PRIORITY_BEST, 7, 7);
}

/* A load of exactly 1 within one graph: the first execution of a busy period is the worst. */
TEST(full_load)
{
    for (int jitter = 0; jitter <= 30; jitter += 10) {
        char plan[256];
        snprintf(plan, sizeof plan, "g 10 %d\nt 0 0 1 5 5\nt 0 0 2 5 5\ne -1 0 0 -1 0\ne 0 1 0 -1 1\n", jitter);
        struct weir_pipeline *pipeline = plan_build(plan);
        for (int method = 0; method < WEIR_PRIORITY_METHODS; method++)
            if (method == WEIR_PRIORITY_EI_IBS || method == WEIR_PRIORITY_BEST)
                assert_true(plan_finish(pipeline, (enum weir_priority_method)method, 1) >= jitter + 10);
        weir_pipeline_free(pipeline);
    }
}

/* ---- what is told ---- */

TEST(interference)
{
    /* t2 is delayed by two executions of t0 (period 10) and one of t1. */
    struct weir_pipeline *pipeline = plan_build("g 10 0\ng 40 0\ng 50 0\nt 0 0 3 3 3\nt 1 0 2 4 4\nt 2 0 1 5 5\n"
                                                "e -1 0 0 -1 0\ne -2 1 0 -1 0\ne -3 2 0 -1 0\n");
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_PJ0);
    const struct weir_execution_bounds *last = &analysis->operators[2];
    assert_int_equal(last->enable_min, 0);
    assert_int_equal(last->enable_max, 0);
    assert_int_equal(last->finish_max, 15);
    assert_int_equal(last->iterations, 1);
    assert_int_equal(last->window, 15);
    assert_int_equal(last->interference_count, 2);
    assert_int_equal(last->interference[0].op.index, 0);
    assert_int_equal(last->interference[0].times, 2);
    assert_int_equal(last->interference[1].op.index, 1);
    assert_int_equal(last->interference[1].times, 1);
    assert_int_equal(analysis->operators[0].interference_count, 0);
    assert_true(analysis->rounds > 0 && analysis->windows > 0);
    weir_priority_analysis_free(analysis);
    analysis = plan_analyze(pipeline, WEIR_PRIORITY_CIX);
    assert_int_equal(analysis->operators[2].interference_count, 2);
    assert_int_equal(analysis->operators[2].window, 15);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    /* Without preemption the one that is in the way counts, too. */
    pipeline = plan_build("g 10 0\ng 20 0\np nonpreemptive\nt 0 0 2 1 2\nt 1 0 1 1 5\ne -1 0 0 -1 0\ne -2 1 0 -1 0\n");
    analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    assert_int_equal(analysis->operators[0].interference_count, 1);
    assert_int_equal(analysis->operators[0].interference[0].op.index, 1);
    assert_int_equal(analysis->operators[0].interference[0].times, 1);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

TEST(buffers)
{
    /* A given one, one to be chosen, an unbounded one, one that does not block, and that of the source. */
    struct weir_pipeline *pipeline = plan_build("g 10 15\nt 0 -1 0 4 4\nt 0 -1 0 9 9\nt 0 -1 0 1 1\n"
                                                "e 0 1 0 6 1\ne 1 2 0 -1 1\ne 0 2 0 -2 1\ne 0 2 1 -1 0\ne -1 0 0 -1 0\n");
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    static const struct weir_buffer expected[] = {
        {false, 0, 6, false}, {false, 1, 1, true}, {false, 2, 3, true}, {false, 3, 4, true}, {true, 0, 2, true}};
    assert_int_equal(analysis->buffer_count, 5);
    int64_t total = 0;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(analysis->buffers[i].input, expected[i].input);
        assert_int_equal(analysis->buffers[i].index, expected[i].index);
        assert_int_equal(analysis->buffers[i].capacity, expected[i].capacity);
        assert_int_equal(analysis->buffers[i].chosen, expected[i].chosen);
        total += expected[i].capacity;
    }
    assert_int_equal(analysis->buffer_total, total);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

TEST(latencies)
{
    /* From the source: 15 + 4 + 9 + 1. From t1, enabled between 3 and 19: 29 - 3; and 12 + 1 - 19 is no time. */
    struct weir_pipeline *pipeline = plan_build("g 10 15\nt 0 -1 0 3 4\nt 0 -1 0 9 9\nt 0 -1 0 1 1\n"
                                                "e 0 1 0 -1 1\ne 1 2 0 -1 1\ne -1 0 0 -1 0\nm 0 2 29\nm 1 2 25\nm 1 2 27\n");
    struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    assert_int_equal(analysis->latency_count, 2);
    assert_int_equal(analysis->latencies[0].worst, 29);
    assert_int_equal(analysis->latencies[0].best, 13);
    assert_true(analysis->latencies[0].bounded);
    assert_int_equal(analysis->latencies[1].worst, 26);
    assert_int_equal(analysis->latencies[1].best, 0);
    assert_true(analysis->safe && analysis->verified);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    /* A message that is there from the beginning is handled one iteration later. */
    pipeline = plan_build("g 10 0\nt 0 -1 0 3 3\nt 0 -1 0 2 2\ne 0 1 1 -1 1\ne -1 0 0 -1 0\ne -1 1 0 -1 0\nm 0 1\n");
    analysis = plan_analyze(pipeline, WEIR_PRIORITY_EI);
    assert_int_equal(analysis->latencies[0].worst, 12);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    /* ... if there is one: a sporadic source may keep it waiting for ever. */
    pipeline = plan_build("g 10 0 sporadic\nt 0 -1 0 3 3\nt 0 -1 0 2 2\n"
                          "e 0 1 1 -1 1\ne -1 0 0 -1 0\ne -1 1 0 -1 0\nm 0 1 99\nm 0 0 3\n");
    analysis = plan_analyze(pipeline, WEIR_PRIORITY_EI);
    assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
    assert_false(analysis->latencies[0].bounded);
    assert_true(analysis->latencies[1].bounded);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* t0 waits for t3 and t5, which are enabled more than two periods after their input. When the one before came early, they are in
 * the way of t0 although with a periodic source they would not be. */
TEST(late_rivals_of_a_sporadic_source)
{
    struct weir_pipeline *pipeline =
        plan_build("g 20 0 sporadic\ng 65 0\nt 0 0 0 0 1\nt 0 -1 0 20 20\nt 0 -1 0 15 15\nt 0 0 3 6 11\nt 0 -1 0 15 15\n"
                   "t 0 0 1 2 5\nt 0 -1 0 3 3\nt 1 0 3 0 9\n"
                   "e 1 2 0 -1 1\ne 2 3 0 -1 1\ne 3 4 0 -1 1\ne 4 5 0 -2 1\ne 5 6 0 -1 1\ne -1 0 0 -1 0\ne -1 1 0 -1 0\n"
                   "e -2 7 0 -1 0\n");
    assert_true(plan_finish(pipeline, WEIR_PRIORITY_CIX, 0) > 53);
    assert_true(plan_finish(pipeline, WEIR_PRIORITY_BEST, 0) > 53);
    weir_pipeline_free(pipeline);
}

/* More inputs wait than a queue can hold. */
TEST(too_many_inputs)
{
    struct weir_pipeline *pipeline = plan_build("g 10 1000000000000000\nt 0 0 1 0 5\ne -1 0 0 -1 0\n");
    for (int method = 0; method < WEIR_PRIORITY_METHODS; method++) {
        struct weir_priority_analysis *analysis = plan_analyze(pipeline, (enum weir_priority_method)method);
        assert_int_equal(analysis->outcome, WEIR_PRIORITY_LIMIT);
        assert_non_null(strstr(analysis->why, "the queue of the source"));
        weir_priority_analysis_free(analysis);
    }
    weir_pipeline_free(pipeline);
}

/* The end of the iteration before, which is over by then: a latency below 0, or with a sporadic source below everything. */
TEST(given_shifts)
{
    for (int sporadic = 0; sporadic < 2; sporadic++) {
        struct weir_pipeline *paper, *pipeline;
        struct weir_operator first, last;
        assert_int_equal(weir_generate_priority_system("jitter", 0, 0, &paper, NULL), WEIR_OK);
        pipeline = weir_pipeline_copy(paper, NULL);
        struct weir_source_spec source = weir_pipeline_source(pipeline, 0);
        source.jitter = 0;
        source.sporadic = sporadic;
        assert_int_equal(weir_pipeline_change_source(pipeline, 0, &source, NULL), WEIR_OK);
        assert_true(weir_pipeline_find(pipeline, "ti", &first));
        assert_true(weir_pipeline_find(pipeline, "tk", &last));
        const struct weir_chain_spec before = {.from = first, .to = last, .has_shift = true, .shift = -1};
        assert_int_equal(weir_pipeline_add_chain(pipeline, &before, NULL), WEIR_OK);
        assert_int_equal(weir_pipeline_seal(pipeline, NULL, NULL), WEIR_OK);
        struct weir_priority_analysis *analysis = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
        assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
        const struct weir_priority_latency *latency = &analysis->latencies[analysis->latency_count - 1];
        assert_int_equal(latency->chain.shift, -1);
        assert_true(latency->bounded);
        assert_int_equal(latency->worst, 9 - 10);
        assert_true(latency->best == (sporadic ? INT64_MIN : 9 - 10));
        weir_priority_analysis_free(analysis);
        weir_pipeline_free(pipeline);
        weir_pipeline_free(paper);
    }
}
