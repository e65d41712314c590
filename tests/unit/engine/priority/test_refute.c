/* SPDX-License-Identifier: Apache-2.0 */
/* Systems that have no bound, which executions show. */
#include "check/priority/refute.h"
#include "model/pipeline.h"
#include "plan.h"
#include "support/runner.h"
#include "support/stage.h"

#include <string.h>

/* Asserts that it is shown, and that the certificate does not hold without its last plan, or with one more. */
static struct weir_priority_analysis *refuted(struct weir_pipeline *pipeline, size_t plans, const char *why)
{
    struct weir_priority_analysis *a = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    uint64_t list[WEIR_REFUTE_CASES + 1] = {0};
    bool holds;
    assert_int_equal(a->outcome, WEIR_PRIORITY_UNBOUNDED);
    assert_true(a->verified);
    assert_int_equal(a->plan_count, plans);
    assert_non_null(strstr(a->why, why));
    memcpy(list, a->plans, a->plan_count * sizeof *list);
    for (size_t count = 0; count <= plans + 1; count++) {
        assert_int_equal(weir_refutation_check(pipeline->taskset, list, count, NULL, 0, &holds), WEIR_OK);
        assert_int_equal(holds, count == plans);
    }
    return a;
}

static void is_refuted(const char *plan, size_t plans, const char *why, bool latency)
{
    struct weir_pipeline *pipeline = plan_build(plan);
    struct weir_priority_analysis *a = refuted(pipeline, plans, why);
    assert_int_equal(a->latency_count, 1);
    assert_false(a->latencies[0].bounded);
    assert_int_equal(a->latencies[0].unbounded, latency);
    weir_priority_analysis_free(a);
    struct weir_priority_options quick = {.quick = true};
    assert_int_equal(weir_priority_analyze(pipeline, &quick, &a, NULL), WEIR_OK);
    assert_true(a->outcome == WEIR_PRIORITY_VIOLATED || a->outcome == WEIR_PRIORITY_LIMIT);
    weir_priority_analysis_free(a);
    weir_pipeline_free(pipeline);
}

/* t1 is delayed by t2 until t0 comes again. */
static const char loss[] =
    "g 10 0\ng 30 0\nt 0 0 3 2 2\nt 0 0 1 2 2\nt 1 0 2 15 15\ne -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 1 0\nm 0 1\n";

/* t0 waits for the end of t1, which waits for its slot: a round is as long as a frame or longer. */
static const char growth[] = "g 12 0\np tdm 9\nt 0 -1 0 0 1\nt 0 0 0 0 4 3\nt 0 0 0 0 1 2\n"
                             "e -1 0 0 -1 0\ne 0 1 0 1 1\ne 1 2 0 -2 1\nm 0 2\n";

/* The queue from t0 to t1 is to be sized, and fills up: t2 and t3 take 52 and 32, and t1 waits for both. */
static const char filling[] = "g 60 37\np nonpreemptive\np nonpreemptive\np fixed\nt 0 2 94 2 3\nt 0 0 34 2 5\nt 0 1 93 38 52\n"
                              "t 0 0 79 30 32\ne -1 0 0 -1 0\ne 0 1 0 -1 1\ne 1 2 0 1 1\ne 2 3 0 2 1\nm 0 3\n";

TEST(a_message_is_lost)
{
    is_refuted(loss, 1,
               "the queue from \"t0\" to \"t1\" does not block and holds 1 message, but may have to hold 3: there is an execution "
               "in which one is lost",
               true);
}

/* ... but what it tells is told by another queue, too. */
TEST(a_message_is_lost_beside_another_way)
{
    is_refuted(
        "g 10 0\ng 30 0\nt 0 0 3 2 2\nt 0 0 1 2 2\nt 1 0 2 15 15\ne -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 1 0\ne 0 1 0 -2 1\nm 0 1\n",
        1, "there is an execution in which one is lost", false);
}

TEST(a_loop_on_a_frame)
{
    is_refuted(growth, 1, "operator \"t0\" gets 1 iteration further behind in every 108", true);
}

/* From t1 to t2, which get behind together, nothing grows. */
TEST(both_ends_get_behind)
{
    is_refuted("g 12 0\np tdm 9\nt 0 -1 0 0 1\nt 0 0 0 0 4 3\nt 0 0 0 0 1 2\ne -1 0 0 -1 0\ne 0 1 0 1 1\ne 1 2 0 -2 1\nm 1 2\n", 1,
               "operator \"t0\" gets 1 iteration further behind in every 108", false);
}

TEST(a_queue_fills_up)
{
    is_refuted(filling, 11, "operator \"t0\" gets 4 iterations further behind in every 1140", true);
}

/* t0 and t1 take 4 frames a round, more than a period, with any number of places behind them. */
static const char slots[] = "g 42 10\np tdm 12\nt 0 0 0 3 3 2\nt 0 0 0 7 7 3\nt 0 0 0 8 8 3\nt 0 -1 0 33 33\nt 0 0 0 10 10 4\n"
                            "e -1 0 0 -1 0\ne 0 1 0 1 1\ne 1 2 0 -1 0\ne 2 3 0 -1 1\ne 3 4 0 -1 1\nm 0 4\n";

TEST(a_loop_that_is_too_slow_alone)
{
    is_refuted(slots, 3, "operator \"t0\" gets 1 iteration further behind in every 336", true);
}

/* ... and not one that is slow because others are in its way, or whose messages may be lost. */
TEST(alone)
{
    struct weir_pipeline *pipeline = plan_build(slots);
    struct weir_task_edge *edges = pipeline->taskset->edges;
    struct weir_refuted claims[2] = {{.from = 0, .to = 4, .fed = true}, {.from = 1, .to = 4}};
    uint64_t plan = WEIR_PLAN_ALONE;
    bool holds;
    assert_int_equal(weir_refutation_check(pipeline->taskset, &plan, 1, claims, 2, &holds), WEIR_OK);
    assert_true(holds && claims[0].unbounded && !claims[1].unbounded);
    for (size_t k = 0; k < pipeline->taskset->edge_count; k++)
        if (edges[k].from == 1)
            edges[k].room = 3; /* what is behind need not follow */
    assert_int_equal(weir_refutation_check(pipeline->taskset, &plan, 1, claims, 2, &holds), WEIR_OK);
    assert_true(holds && !claims[0].unbounded);
    pipeline->taskset->graphs[0].period = 48;
    assert_int_equal(weir_refutation_check(pipeline->taskset, &plan, 1, claims, 2, &holds), WEIR_OK);
    assert_false(holds);
    weir_pipeline_free(pipeline);
    pipeline = plan_build(loss);
    assert_int_equal(weir_refutation_check(pipeline->taskset, &plan, 1, NULL, 0, &holds), WEIR_OK);
    assert_false(holds);
    weir_pipeline_free(pipeline);
}

/* Of a latency that ends before the queue that loses messages nothing is said. */
TEST(another_latency)
{
    static const char other[] = "g 10 0\ng 30 0\nt 0 0 3 2 2\nt 0 0 1 2 2\nt 1 0 2 15 15\n"
                                "e -1 0 0 -1 0\ne -2 2 0 -1 0\ne 0 1 0 1 0\nm 2 2\n";
    is_refuted(other, 1, "does not block", false);
}

/* A phase that the model gives is kept to: with it nothing is lost. */
TEST(given_phases)
{
    struct weir_taskset set;
    struct weir_task_graph graphs[2];
    struct weir_pipeline *pipeline = plan_build(loss);
    bool holds;
    uint64_t plan = 0;
    set = *pipeline->taskset;
    memcpy(graphs, set.graphs, sizeof graphs);
    set.graphs = graphs;
    assert_int_equal(weir_refutation_check(&set, &plan, 1, NULL, 0, &holds), WEIR_OK);
    assert_true(holds);
    graphs[1].has_phase = true;
    graphs[1].phase = 4;
    for (plan = 0; plan < 9; plan += 3) { /* at their worst times */
        assert_int_equal(weir_refutation_check(&set, &plan, 1, NULL, 0, &holds), WEIR_OK);
        assert_true(holds); /* t2 at 4 .. 19 and 34 .. 49: t1 comes before it, and once more behind it, too late */
    }
    graphs[1].period = 10;
    set.tasks[2].worst = set.tasks[2].best = 5;
    for (plan = 0; plan < 9; plan++) {
        assert_int_equal(weir_refutation_check(&set, &plan, 1, NULL, 0, &holds), WEIR_OK);
        assert_false(holds);
    }
    weir_pipeline_free(pipeline);
}

/* What is said of a latency does not depend on which others are asked about: all pairs at once, and one by one. */
static void asked_one_by_one(const char *plan, size_t unbounded)
{
    enum { TASKS = 8 };
    struct weir_pipeline *pipeline = plan_build(plan);
    struct weir_priority_analysis *a = plan_analyze(pipeline, WEIR_PRIORITY_BEST);
    struct weir_refuted claims[2 * TASKS * TASKS];
    size_t count = 0, found = 0;
    bool holds;
    assert_int_equal(a->outcome, WEIR_PRIORITY_UNBOUNDED);
    for (uint32_t from = 0; from < pipeline->taskset->task_count; from++)
        for (uint32_t to = 0; to < pipeline->taskset->task_count; to++)
            for (int fed = 0; fed < 2; fed++)
                claims[count++] = (struct weir_refuted){.from = from, .to = to, .fed = fed};
    assert_int_equal(weir_refutation_check(pipeline->taskset, a->plans, a->plan_count, claims, count, &holds), WEIR_OK);
    assert_true(holds);
    for (size_t k = 0; k < count; k++) {
        struct weir_refuted one = {.from = claims[k].from, .to = claims[k].to, .fed = claims[k].fed};
        assert_int_equal(weir_refutation_check(pipeline->taskset, a->plans, a->plan_count, &one, 1, &holds), WEIR_OK);
        if (!holds || one.unbounded != claims[k].unbounded)
            fail_msg("from %u to %u: %d and %d", one.from, one.to, one.unbounded, claims[k].unbounded);
        found += one.unbounded;
    }
    assert_int_equal(found, unbounded);
    weir_priority_analysis_free(a);
    weir_pipeline_free(pipeline);
}

/* t3 and t4 send to t0, whose messages to t1 are lost, on their way to t6 and t7; t3 also to t5, which nothing delays, and to which
 * nothing leads from t4. */
static const char beside[] = "g 10 0\ng 30 0\nt 0 0 3 2 2\nt 0 0 1 2 2\nt 1 0 2 15 15\nt 0 -1 0 1 1\nt 0 -1 0 1 1\nt 0 -1 0 1 1\nt "
                             "0 -1 0 1 1\nt 0 -1 0 1 1\n"
                             "e -1 3 0 -1 0\ne -1 4 0 -1 0\ne -2 2 0 -1 0\ne 3 0 0 -2 1\ne 4 0 0 -2 1\ne 3 5 0 -2 1\ne 0 1 0 1 0\n"
                             "e 6 7 0 -2 1\ne 1 6 0 -2 1\nm 0 1\n";

TEST(latencies_one_by_one)
{
    asked_one_by_one(loss, 2);
    asked_one_by_one(growth, 9); /* everybody gets behind alike: from the inputs on */
    asked_one_by_one(filling, 16);
    asked_one_by_one(beside, 18); /* from t0, t3 and t4 to t1, t6 and t7 */
    struct weir_pipeline *pipeline = plan_build(beside);
    struct weir_refuted claims[2] = {{.from = 3, .to = 1}, {.from = 4, .to = 5}};
    uint64_t plan = 0;
    bool holds;
    assert_int_equal(weir_refutation_check(pipeline->taskset, &plan, 1, claims, 2, &holds), WEIR_OK);
    assert_true(holds && claims[0].unbounded && !claims[1].unbounded);
    weir_pipeline_free(pipeline);
}

TEST(memory)
{
    struct weir_pipeline *pipeline = plan_build(loss);
    assert_true(stage_fail_each_allocation(plan_analyze_again, pipeline) > 20);
    weir_pipeline_free(pipeline);
}
