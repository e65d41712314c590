/* SPDX-License-Identifier: Apache-2.0 */
/* When a separation grows for ever, and when it only seems to; against the search and the simulator, which know nothing of rates.
 */
#include "asking.h"

#include "engine/exact/search.h"
#include "engine/exact/solver.h"
#include "support/runner.h"

#include <string.h>

/* Whether the search, asked directly, reaches the threshold. */
static enum weir_search_verdict decide(const struct weir_pipeline *p, const struct weir_query *query, int64_t threshold)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_problem problem;
    assert_int_equal(weir_problem_pose(solver, query, &problem, NULL), WEIR_OK);
    struct weir_search *search = weir_search_new(problem.graph->actor_count, problem.graph->tokens_max);
    assert_non_null(search);
    weir_search_pose(search, &problem);
    enum weir_search_verdict verdict = weir_search_decide(search, threshold);
    weir_search_free(search);
    weir_solver_free(solver);
    return verdict;
}

/* Any threshold is reached, however large. */
static void assert_grows(const struct weir_pipeline *p, const char *from, const char *to, const char *why)
{
    char words[400];
    ask_unbounded(p, from, to, 0, words);
    assert_string_equal(words, why);
    struct weir_query query = ask_query(p, from, to, 0);
    for (int64_t threshold = 10; threshold < INT64_C(1000000000000); threshold *= 100)
        assert_int_equal(decide(p, &query, threshold), WEIR_REACHABLE);
}

static void assert_bounded(const struct weir_pipeline *p, const char *from, const char *to, int64_t expected)
{
    struct weir_query query = ask_query(p, from, to, 0);
    assert_int_equal(ask_exact(p, &query), expected);
    assert_int_equal(decide(p, &query, expected), WEIR_REACHABLE);
    for (int64_t more = 1; more < INT64_C(1000000000000); more *= 100)
        assert_int_equal(decide(p, &query, expected + more), WEIR_UNREACHABLE);
}

/* The same of the text of a model. */
static void grows(const char *model, const char *from, const char *to, const char *why)
{
    struct weir_pipeline *p = stage_read(model);
    assert_grows(p, from, to, why);
    weir_pipeline_free(p);
}

static void bounded(const char *model, const char *from, const char *to, int64_t expected)
{
    struct weir_pipeline *p = stage_read(model);
    assert_bounded(p, from, to, expected);
    weir_pipeline_free(p);
}

/* No backpressure: the consumer must keep up with the producer at its fastest. */
TEST(test_queue_that_never_blocks)
{
    static const char *const queues[] = {"{from: a, to: b, blocking: false}", "{from: a, to: b, capacity: unbounded}"};
    for (int q = 0; q < 2; q++) {
        char model[200];
        snprintf(model, sizeof model, "operators: {a: [3, 4], b: [0, 4]}\nqueues: [%s]", queues[q]);
        struct weir_pipeline *p = stage_read(model);
        assert_grows(p, "a.start", "b.finish",
                     "the backlog grows without bound: \"b\" can need 4 ticks per iteration, and nothing keeps \"a\" from going on "
                     "every 3 ticks");
        assert_int_equal(ask_best(p, "a.start", "b.finish", 0), 3); /* the best case has a bound, and so has the gap */
        assert_int_equal(ask_worst(p, "b.finish", "b.finish", 1), 4 + 4);
        weir_pipeline_free(p);
        snprintf(model, sizeof model, "operators: {a: [3, 4], b: [0, 3]}\nqueues: [%s]", queues[q]);
        p = stage_read(model);
        assert_bounded(p, "a.start", "b.finish", 4 + 3); /* a backlog of one needs an a faster than b */
        weir_pipeline_free(p);
    }
    /* The same with backpressure has a bound whatever the times. */
    bounded("operators: {a: [3, 4], b: [0, 1000]}\nqueues: [a -> b]", "a.start", "b.finish", 2000);
}

TEST(test_no_best_case_at_all)
{
    grows("operators: {a: [0, 4], b: [0, 1]}\nqueues: [{from: a, to: b, blocking: false}]", "a.start", "b.finish",
          "the backlog grows without bound: \"b\" can need 1 tick per iteration, and nothing keeps \"a\" from going on "
          "every 0 ticks");
}

/* Arrivals that the pipeline cannot keep up with, just can, and easily can. */
TEST(test_arrivals)
{
    grows("unit: ms\noperators: {a: [2, 10.01]}\nsource: {operator: a, period: 10, arrivals: exact}", "a.arrival", "a.finish",
          "the backlog grows without bound: \"a\" can need 10.01 ms per iteration, and nothing keeps \"a\" from going on "
          "every 10 ms");
    bounded("operators: {a: [2, 10]}\nsource: {operator: a, period: 10, arrivals: exact}", "a.arrival", "a.finish", 10);
    bounded("operators: {a: [2, 9]}\nsource: {operator: a, period: 10, arrivals: exact}", "a.arrival", "a.finish", 9);
}

/* The bottleneck lies further down; backpressure carries it up to the arrivals. */
TEST(test_arrivals_behind_a_bottleneck)
{
    static const char model[] = "operators: {a: [1, 4], b: [5, %d]}\nqueues: [a -> b]\n"
                                "source: {operator: a, period: 10, arrivals: exact}";
    char text[200];
    snprintf(text, sizeof text, model, 10);
    struct weir_pipeline *p = stage_read(text);
    assert_bounded(p, "a.arrival", "b.finish", 4 + 10); /* by induction b starts at most 4 after the arrival */
    weir_pipeline_free(p);
    snprintf(text, sizeof text, model, 11);
    p = stage_read(text);
    assert_grows(p, "a.arrival", "b.finish",
                 "the backlog grows without bound: \"b\" can need 11 ticks per iteration, and nothing keeps \"a\" from going on "
                 "every 10 ticks");
    assert_bounded(p, "a.start", "b.finish", 11 + 11); /* once a has begun, a b and its own are left */
    weir_pipeline_free(p);
}

/* A loop with one message in it takes 20 for an iteration, more than any of its operators. */
TEST(test_cycle_is_the_bottleneck)
{
    static const char model[] = "operators: {in: 1, b: 5, c: 15}\n"
                                "queues: [in -> b, {from: b, to: c, capacity: 3}, {from: c, to: b, capacity: 3, initial: 1}]\n"
                                "source: {operator: in, period: %d, arrivals: exact}";
    char text[300];
    snprintf(text, sizeof text, model, 19);
    struct weir_pipeline *p = stage_read(text);
    char words[400];
    ask_unbounded(p, "in.arrival", "c.finish", 0, words);
    assert_non_null(strstr(words, "the cycle through \""));
    assert_non_null(strstr(words, " can need 20 ticks per iteration, and nothing keeps \"in\" from going on every 19 ticks"));
    weir_pipeline_free(p);
    snprintf(text, sizeof text, model, 20);
    bounded(text, "in.arrival", "c.finish", 1 + 5 + 15);
}

/*
 * Two rates. "second" feeds "first" feeds both x and y, and no queue blocks. From the start of y to the end of x:
 *
 * x needs 5; "first" can deliver every 2, so a backlog before x can grow while "first" has something to deliver. "second" delivers
 * every 6 only: with "first" never slower than 6 nothing piles up before it, and x recovers in time. But if "first" can take 7,
 * messages pile up before it for as long as one likes, and when it then hurries, x falls behind for as long as they last.
 */
static const char two_rates[] = "operators: {second: 6, first: [2, %d], x: [0, 5], y: 0}\n"
                                "queue: unbounded\n"
                                "queues: [second -> first, first -> x, first -> y]";

TEST(test_two_rates_bounded)
{
    char text[300];
    snprintf(text, sizeof text, two_rates, 6);
    struct weir_pipeline *p = stage_read(text);
    /* "first" of 6 and then of 2 delivers two messages within 2; the second waits 3 for x, and takes 5. */
    assert_bounded(p, "y.start", "x.finish", 3 + 5);
    weir_pipeline_free(p);
    snprintf(text, sizeof text, two_rates, 3);
    p = stage_read(text);
    assert_bounded(p, "y.start", "x.finish", 5); /* two messages are never less than 5 apart */
    weir_pipeline_free(p);
}

static int64_t slow_then_fast(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    static const int64_t fixed[] = {6, 0, 5, 0};
    (void)part;
    return op.index == 1 ? (iteration < *(const int64_t *)context ? 7 : 2) : fixed[op.index];
}

struct span {
    int64_t piling; /* iterations; first, as slow_then_fast reads it */
    int64_t started, widest;
};

static void measure(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    static int64_t starts[100000];
    struct span *span = context;
    if (op.index == 3 && moment == WEIR_START)
        starts[iteration] = time;
    if (op.index == 2 && moment == WEIR_FINISH && time - starts[iteration] > span->widest)
        span->widest = time - starts[iteration];
}

TEST(test_two_rates_unbounded)
{
    char text[300];
    snprintf(text, sizeof text, two_rates, 7);
    struct weir_pipeline *p = stage_read(text);
    assert_grows(p, "y.start", "x.finish",
                 "the backlog grows without bound: \"first\" can need 7 ticks per iteration, and nothing keeps \"y\" from going on "
                 "every 6 ticks");
    /* As the comment above says, played: n slow ones pile up n ticks of work for "first", who then gains 4 on each message. */
    int64_t before = 0;
    for (int64_t piling = 100; piling <= 10000; piling *= 10) {
        struct span span = {.piling = piling};
        struct weir_simulation_options options = {.iterations = piling + piling / 2,
                                                  .times = WEIR_TIMES_GIVEN,
                                                  .given = slow_then_fast,
                                                  .observe = measure,
                                                  .context = &span};
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
        assert_true(span.widest > piling / 2 && span.widest > 5 * before);
        before = span.widest;
    }
    weir_pipeline_free(p);
}

/*
 * Behind one source, x and the pace of y run side by side, and no queue blocks. The source may be as irregular as it likes: x is
 * never slower than what y waits for, so it never falls behind it; with one tick more it does.
 */
TEST(test_side_by_side)
{
    static const char model[] = "operators: {source: [1, 8], x: [0, %d], pace: 6, y: 0}\nqueue: unbounded\n"
                                "queues: [source -> x, source -> pace -> y]";
    char text[300];
    snprintf(text, sizeof text, model, 5);
    bounded(text, "y.start", "x.finish", 5 - 6);
    snprintf(text, sizeof text, model, 6);
    bounded(text, "y.start", "x.finish", 6 - 6);
    snprintf(text, sizeof text, model, 7);
    grows(text, "y.start", "x.finish",
          "the backlog grows without bound: \"x\" can need 7 ticks per iteration, and nothing keeps \"y\" from going on "
          "every 6 ticks");
}

/* A reentrant operator has no pace of its own: only a period or backpressure gives it one. */
TEST(test_reentrant)
{
    grows("operators: {a: {time: 9, reentrant: true}, b: [0, 4]}\nqueues: [{from: a, to: b, capacity: unbounded}]", "a.start",
          "b.finish",
          "the backlog grows without bound: \"b\" can need 4 ticks per iteration, and nothing keeps \"a\" from going on "
          "every 0 ticks");
    bounded("operators: {a: {time: 9, reentrant: true}, b: [0, 4]}\nqueues: [{from: a, to: b, capacity: unbounded}]\n"
            "source: {operator: a, period: 4}",
            "a.start", "b.finish", 9 + 4);
}

/* A separation between two that nothing ties together. */
TEST(test_strangers)
{
    struct weir_pipeline *p = stage_read("operators: {a: 1, b: [2, 3], c: [3, 4]}\nqueue: unbounded\nqueues: [a -> b, a -> c]");
    assert_grows(p, "b.start", "c.finish",
                 "the backlog grows without bound: \"c\" can need 4 ticks per iteration, and nothing keeps \"b\" from going on "
                 "every 2 ticks");
    assert_bounded(p, "c.start", "b.finish", 3); /* c never starts before a has sent, and b keeps up with it */
    weir_pipeline_free(p);
}
