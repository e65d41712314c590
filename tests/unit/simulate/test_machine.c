/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules small enough to work out by hand. */
#include "simulate/machine.h"
#include "support/stage.h"

static const struct weir_operator A = {0}, B = {1}, C = {2};
static struct stage_trace trace;

TEST(chain_with_queues_of_one)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){2, 3, 1}, 1);
    stage_run(p, 4, &trace);
    assert_times(&trace, WEIR_START, A, 0, 2, 5, 8);
    assert_times(&trace, WEIR_FINISH, A, 2, 4, 7, 10);
    assert_times(&trace, WEIR_START, B, 2, 5, 8, 11);
    assert_times(&trace, WEIR_START, C, 5, 8, 11, 14);
    assert_times(&trace, WEIR_FINISH, C, 6, 9, 12, 15);
    weir_pipeline_free(p);
}

TEST(chain_with_queues_of_two)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){2, 3, 1}, 2);
    stage_run(p, 7, &trace);
    assert_times(&trace, WEIR_START, A, 0, 2, 4, 6, 8, 11, 14);
    assert_times(&trace, WEIR_FINISH, C, 6, 9, 12, 15, 18, 21, 24);
    weir_pipeline_free(p);
}

TEST(backpressure_reaches_the_source)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){1, 1, 10}, 1);
    stage_run(p, 5, &trace);
    assert_times(&trace, WEIR_START, C, 2, 12, 22, 32, 42);
    assert_times(&trace, WEIR_START, B, 1, 2, 12, 22, 32);
    assert_times(&trace, WEIR_START, A, 0, 1, 2, 12, 22);
    weir_pipeline_free(p);
}

/* The slow branch B holds A back, and so the fast branch C. */
TEST(branches_meet_again)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 1);
    stage_operator(p, "B", 0, 7);
    stage_operator(p, "C", 0, 2);
    struct weir_operator d = stage_operator(p, "D", 0, 1);
    stage_queue(p, A, B, 1, 0);
    stage_queue(p, A, C, 1, 0);
    stage_queue(p, B, d, 1, 0);
    stage_queue(p, C, d, 1, 0);
    stage_seal(p);
    stage_run(p, 5, &trace);
    assert_times(&trace, WEIR_START, A, 0, 1, 8, 15, 22);
    assert_times(&trace, WEIR_START, B, 1, 8, 15, 22, 29);
    assert_times(&trace, WEIR_START, C, 1, 8, 15, 22, 29);
    assert_times(&trace, WEIR_START, d, 8, 15, 22, 29, 36);
    weir_pipeline_free(p);
}

TEST(feedback)
{
    for (uint32_t initial = 1; initial <= 2; initial++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        stage_operator(p, "A", 0, 2);
        stage_operator(p, "B", 0, 3);
        stage_queue(p, A, B, 1, 0);
        stage_queue(p, B, A, initial, initial);
        stage_seal(p);
        stage_run(p, 4, &trace);
        if (initial == 1) {
            assert_times(&trace, WEIR_START, A, 0, 5, 10, 15);
            assert_times(&trace, WEIR_START, B, 2, 7, 12, 17);
        } else {
            assert_times(&trace, WEIR_START, A, 0, 2, 5, 8);
            assert_times(&trace, WEIR_START, B, 2, 5, 8, 11);
        }
        weir_pipeline_free(p);
    }
}

static struct weir_pipeline *paced(int64_t period, enum weir_arrivals arrivals)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 1);
    stage_operator(p, "B", 0, 10);
    stage_queue(p, A, B, 1, 0);
    stage_period(p, A, period, arrivals);
    stage_seal(p);
    return p;
}

TEST(at_most_every_period)
{
    struct weir_pipeline *p = paced(4, WEIR_ARRIVALS_AT_MOST);
    stage_run(p, 5, &trace);
    assert_times(&trace, WEIR_START, A, 0, 4, 11, 21, 31);
    assert_int_equal(trace.seen[WEIR_ARRIVAL][0], 0);
    weir_pipeline_free(p);
    p = paced(25, WEIR_ARRIVALS_AT_MOST);
    stage_run(p, 4, &trace);
    assert_times(&trace, WEIR_START, A, 0, 25, 50, 75);
    weir_pipeline_free(p);
}

TEST(exact_arrivals_wait)
{
    struct weir_pipeline *p = paced(4, WEIR_ARRIVALS_EXACT);
    stage_run(p, 5, &trace);
    assert_times(&trace, WEIR_ARRIVAL, A, 0, 4, 8, 12, 16);
    assert_times(&trace, WEIR_START, A, 0, 4, 11, 21, 31);
    weir_pipeline_free(p);
}

/* B is slow once: inputs that have arrived are then taken one after the other, starts at most every period are not. */
static int64_t slow_once(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)context;
    assert_int_equal(part, WEIR_PART_EXECUTION);
    return op.index == 1 && iteration == 0 ? 20 : 1;
}

static void record(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    (void)context;
    stage_observe(&trace, op, moment, iteration, time);
}

TEST(catching_up)
{
    for (int exact = 0; exact < 2; exact++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        stage_operator(p, "A", 0, 20);
        stage_operator(p, "B", 0, 20);
        stage_queue(p, A, B, 1, 0);
        stage_period(p, A, 5, exact ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST);
        stage_seal(p);
        trace = (struct stage_trace){.last = 0};
        struct weir_simulation_options options = {
            .iterations = 6, .times = WEIR_TIMES_GIVEN, .given = slow_once, .observe = record};
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
        if (exact)
            assert_times(&trace, WEIR_START, A, 0, 5, 21, 22, 23, 25);
        else
            assert_times(&trace, WEIR_START, A, 0, 5, 21, 26, 31, 36);
        weir_pipeline_free(p);
    }
}

static struct weir_pipeline *late(int64_t best, int64_t worst, int64_t receive)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator_spec spec = {.name = "B", .best = best, .worst = worst, .receive_min = receive, .receive_max = receive};
    stage_operator(p, "A", 1, 1);
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    stage_queue(p, A, B, 1, 0);
    stage_seal(p);
    return p;
}

TEST(late_receive)
{
    struct weir_pipeline *p = late(5, 5, 3);
    stage_run(p, 4, &trace);
    assert_times(&trace, WEIR_START, A, 0, 4, 9, 14);
    assert_times(&trace, WEIR_START, B, 1, 6, 11, 16);
    weir_pipeline_free(p);
    p = late(5, 5, 5); /* freed at the very end: A runs, then B, then A */
    stage_run(p, 3, &trace);
    assert_times(&trace, WEIR_START, A, 0, 6, 12);
    assert_times(&trace, WEIR_START, B, 1, 7, 13);
    weir_pipeline_free(p);
}

TEST(no_finish_before_the_receive)
{
    struct weir_pipeline *p = late(2, 5, 4);
    trace = (struct stage_trace){.last = 0};
    struct weir_simulation_options options = {
        .iterations = 3, .times = WEIR_TIMES_BEST, .observe = stage_observe, .context = &trace};
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    assert_times(&trace, WEIR_START, B, 1, 6, 11);
    assert_times(&trace, WEIR_FINISH, B, 5, 10, 15);
    weir_pipeline_free(p);
}

TEST(no_time_at_all)
{
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){0, 0, 0, 0}, 1);
    stage_run(p, 50, &trace);
    assert_int_equal(trace.last, 0);
    weir_pipeline_free(p);
    p = stage_chain(3, (const int64_t[]){0, 2, 0}, 1);
    stage_run(p, 4, &trace);
    assert_times(&trace, WEIR_START, A, 0, 0, 2, 4);
    assert_times(&trace, WEIR_FINISH, C, 2, 4, 6, 8);
    weir_pipeline_free(p);
}

TEST(self_queue)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 3);
    stage_operator(p, "B", 0, 1);
    stage_queue(p, A, A, 2, 1);
    stage_queue(p, A, B, 1, 0);
    stage_queue(p, B, B, WEIR_UNBOUNDED, 5);
    stage_seal(p);
    stage_run(p, 4, &trace);
    assert_times(&trace, WEIR_START, A, 0, 3, 6, 9);
    assert_times(&trace, WEIR_START, B, 3, 6, 9, 12);
    weir_pipeline_free(p);
}

TEST(producers_that_never_wait)
{
    for (int unbounded = 0; unbounded < 2; unbounded++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        stage_operator(p, "A", 0, 1);
        stage_operator(p, "B", 0, 5);
        struct weir_queue_spec spec = {.from = A, .to = B, .capacity = unbounded ? WEIR_UNBOUNDED : 1, .nonblocking = !unbounded};
        assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
        stage_seal(p);
        stage_run(p, 5, &trace);
        assert_times(&trace, WEIR_START, A, 0, 1, 2, 3, 4);
        assert_times(&trace, WEIR_START, B, 1, 6, 11, 16, 21);
        weir_pipeline_free(p);
    }
}

/* B runs ahead of A by the messages it begins with. */
TEST(initial_messages)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 10);
    stage_operator(p, "B", 0, 1);
    stage_queue(p, A, B, 3, 2);
    stage_seal(p);
    stage_run(p, 5, &trace);
    assert_times(&trace, WEIR_START, B, 0, 1, 10, 20, 30);
    assert_times(&trace, WEIR_START, A, 0, 10, 20, 30, 40);
    weir_pipeline_free(p);
}

static int64_t one(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)context, (void)op, (void)part, (void)iteration;
    return 1;
}

/* Sealing rejects this one, so it is handed to the machine as it is. */
TEST(deadlock_ends)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 1);
    stage_operator(p, "B", 0, 1);
    stage_operator(p, "C", 0, 1);
    stage_queue(p, A, B, 1, 0);
    stage_queue(p, B, C, 1, 0);
    stage_queue(p, C, B, 1, 0);
    struct weir_machine_rules rules = {.iterations = 5, .time_of = one};
    struct weir_error error;
    assert_int_equal(weir_machine_run(p, &rules, &error), WEIR_INTERNAL);
    assert_string_equal(error.message, "the simulation is stuck at time 1: operator \"A\" cannot start iteration 1");
    weir_pipeline_free(p);
}
