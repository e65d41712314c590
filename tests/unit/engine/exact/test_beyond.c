/* SPDX-License-Identifier: Apache-2.0 */
/* What Holoscan has beyond plain queues, rule by rule: an answer worked out by hand, and that of the plain model, which differs. */
#include "asking.h"
#include "engine/exact/solver.h"
#include "support/runner.h"

#include <string.h>

struct expected {
    int64_t worst, best, gap;
};

/* The only latency of the model, with its witness replayed and its certificates checked. */
static void assert_latency(const char *model, struct expected e)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_analysis *analysis;
    struct weir_error error = {.message = ""};
    if (weir_analyze(p, &(struct weir_analyze_options){.verify = true}, &analysis, &error))
        fail_msg("%s", error.message);
    assert_int_equal(analysis->latency_count, 1);
    const struct weir_latency *l = &analysis->latencies[0];
    assert_int_equal(l->worst.outcome, WEIR_EXACT);
    assert_int_equal(l->worst.value, e.worst);
    assert_int_equal(-l->best.value, e.best);
    assert_int_equal(l->gap.value, e.gap);
    assert_true(l->verified);
    weir_analysis_free(analysis);
    weir_pipeline_free(p);
}

static struct weir_ratio period_of(const struct weir_pipeline *p, const char *name)
{
    struct weir_operator op;
    struct weir_ratio period;
    assert_true(weir_pipeline_find(p, name, &op));
    assert_int_equal(weir_throughput(p, op, true, &period, NULL, NULL, NULL), WEIR_OK);
    return period;
}

/* ---- batches ---- */

/*
 * b takes two messages at once. Say b starts at t: that frees both places, and a starts again at t and when it is done. If b takes
 * 5 and a 1, the next two messages are there at t + 2, b starts on them at t + 5 and is done at t + 10: 10 after the first of them
 * began, 9 after the second. At best b waits for the second one, which takes 1, and takes 3. Finishes of b are furthest apart when
 * it is done at t + 3, the messages are there at t + 4 and b is done with them at t + 9.
 * One at a time and two places: a starts when b starts on the message before the last, so b has 5 + 5 + 5 ahead; and b, which
 * takes longer than a, never waits but in the beginning.
 */
TEST(test_batch)
{
    assert_latency("operators: {a: [1, 2], b: [3, 5]}\nqueues: [{from: a, to: b, consume: 2, capacity: 2}]",
                   (struct expected){10, 4, 6});
    assert_latency("operators: {a: [1, 2], b: [3, 5]}\nqueues: [{from: a, to: b, capacity: 2}]", (struct expected){15, 4, 5});
    struct weir_pipeline *p = stage_read("operators: {a: [1, 2], b: [3, 5]}\nqueues: [{from: a, to: b, consume: 2, capacity: 2}]");
    struct weir_query query = ask_query(p, "a.start", "b.finish", 0);
    assert_int_equal(weir_pipeline_firings(p, query.from.op), 2);
    assert_int_equal(weir_pipeline_firings(p, query.to.op), 1);
    assert_int_equal(ask_exact(p, &query), 10);
    query.from.firing = 1;
    assert_int_equal(ask_exact(p, &query), 9);
    query.from.firing = 2;
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_separation result;
    struct weir_error error;
    assert_int_equal(weir_separation_worst(solver, &query, &result, &error), WEIR_INVALID);
    assert_string_equal(error.message, "operator \"a\" has no firing 2 in an iteration");
    weir_solver_free(solver);
    /* b takes 5 for two of a's messages */
    struct weir_ratio a = period_of(p, "a"), b = period_of(p, "b");
    assert_true(a.numerator == 5 && a.denominator == 2);
    assert_true(b.numerator == 5 && b.denominator == 1);
    weir_pipeline_free(p);
}

/*
 * One message is there at the beginning, so the first of a's goes along with it, and then two and two: a's second and third to b's
 * second. Times are fixed, 1 and 3; there are three places. Executions of a begin at 0, 1, 2, 3, 4, 5, 7, 8, 10, 11, 13 ...: the
 * one at 4 claims the place of message 5 when message 2 is taken, at 4; that at 7 when message 4 is, by b at 7; and so on. b begins
 * at 1, 4, 7, 10 ... So latencies are 4 - 0; 7 - 1, 7 - 2; 10 - 3, 10 - 4; 13 - 5, 13 - 7; 16 - 8, 16 - 10; ... at most 8.
 */
TEST(test_batch_with_a_message)
{
    assert_latency("operators: {a: 1, b: 3}\nqueues: [{from: a, to: b, consume: 2, capacity: 3, initial: 1}]",
                   (struct expected){8, 4, 3});
}

/*
 * Two batches in a row, of 2 and of 3: a executes six times in a round, b three times, c once. Everything takes 1 and places are as
 * many as are taken. a begins at 0, 1; b at 2 frees both places, so a at 2, 3; b at 4; a at 4, 5; b at 6 .. 7; c at 7 .. 8. The
 * first message takes 8, the last of the round (begun at 5) 3. In the next round c is free long before: the same again, but b waits
 * for no room: its third message is there when c takes all three at 7, and its fourth is begun at 8. Once per 6.
 */
TEST(test_batches_in_a_row)
{
    const char *model = "operators: {a: 1, b: 1, c: 1}\n"
                        "queues: [{from: a, to: b, consume: 2, capacity: 2}, {from: b, to: c, consume: 3, capacity: 3}]";
    assert_latency(model, (struct expected){8, 3, 6});
    struct weir_pipeline *p = stage_read(model);
    assert_int_equal(weir_pipeline_firings(p, (struct weir_operator){0}), 6);
    assert_int_equal(weir_pipeline_firings(p, (struct weir_operator){1}), 3);
    assert_int_equal(weir_pipeline_firings(p, (struct weir_operator){2}), 1);
    assert_int_equal(period_of(p, "c").numerator, 6);
    assert_int_equal(period_of(p, "a").numerator, 1);
    weir_pipeline_free(p);
}

/* A batch of two, every 10: the first waits for the second, so 10 + 1 + 3, and the second takes 1 + 3. With `exact` it counts from
 * the arrival: 10 + 9 + 3; a batch that is done at 10 + 1 + 3, and the next at 30 + 9 + 3, are 28 apart. */
TEST(test_batch_of_a_source)
{
    assert_latency(
        "operators: {a: 1, b: 3}\nqueues: [{from: a, to: b, consume: 2, capacity: 2}]\nsource: {operator: a, period: 10}",
        (struct expected){14, 4, 20});
    assert_latency("operators: {a: [1, 9], b: 3}\nqueues: [{from: a, to: b, consume: 2, capacity: 2}]\n"
                   "source: {operator: a, period: 10, arrivals: exact}",
                   (struct expected){22, 4, 28});
}

/* ---- work on a GPU ---- */

/*
 * a launches work of 5 and goes on; b launches 2, after a's work, and waits. a begins at 0, its work is done at 6; b launches at 2,
 * its work is done at 8. a begins again when b did, at 1, its work is done at 11; b begins at 8, its work is done at 13: that took
 * 12. From then on a begins when b does, at 8, 13, 18 ..., and each takes 10.
 * On the CPU alone it would be 2; with CPU and GPU one after the other, 6 and 3, it would be 9.
 */
TEST(test_launch)
{
    assert_latency("operators: {a: {time: 1, gpu: {time: 5}}, b: {time: 1, gpu: {time: 2, waits: true}}}\nqueues: [a -> b]",
                   (struct expected){12, 8, 5});
    assert_latency("operators: {a: 1, b: 1}\nqueues: [a -> b]", (struct expected){2, 2, 1});
    assert_latency("operators: {a: 6, b: 3}\nqueues: [a -> b]", (struct expected){9, 9, 6});
}

/* One that waits is a single operator of all it does: 1 + [4, 5] + [0, 2]. b is then idle when its message comes. */
TEST(test_launch_that_waits)
{
    assert_latency("operators: {a: {time: 1, gpu: {time: [4, 5], waits: true, after: [0, 2]}}, b: 1}\nqueues: [a -> b]",
                   (struct expected){9, 6, 8});
    assert_latency("operators: {a: [5, 8], b: 1}\nqueues: [a -> b]", (struct expected){9, 6, 8});
}

/* The work at the end of a pipeline counts although nobody waits for it: 2 on the CPU and 4 on the GPU, which keep up with each
 * other as a takes at least 4. A finish 3 after a launch, the next launch 5 after it, and 4 more: a gap of 6; in the other model
 * the GPU falls behind for ever. */
TEST(test_launch_at_the_end)
{
    char words[400];
    assert_latency("operators: {a: [4, 5], b: {time: 2, gpu: {time: [3, 4]}}}\nqueues: [a -> b]", (struct expected){11, 9, 6});
    struct weir_pipeline *p = stage_read("operators: {a: [3, 5], b: {time: 2, gpu: {time: [3, 4]}}}\nqueues: [a -> b]");
    ask_unbounded(p, "a.start", "b.finish", 0, words);
    assert_string_equal(words, "the backlog grows without bound: \"b\" can need 4 ticks per iteration, and nothing keeps \"a\" "
                               "from going on every 3 ticks");
    weir_pipeline_free(p);
}

/*
 * b launches nothing: it hands on what is behind a's message, and does not wait. a begins at 0, its work ends at 11; b at 1 .. 3; c
 * at 3 .. 4, its work at 11 .. 14. a begins with b, at 1: work 11 .. 21; b at 3 .. 5; c at 14 .. 15, work 21 .. 24. a at 3: work
 * 21 .. 31; b at 14 .. 16; c at 24 .. 25, work 31 .. 34: 31 after a began. Then a at 14, 24, 34 ..., work to 41, 51, ..., c to 44,
 * 54: each 30. b's finish is that of the CPU: 16 - 3 at most.
 */
TEST(test_launch_handed_on)
{
    const char *model = "operators: {a: {time: 1, gpu: {time: 10}}, b: 2, c: {time: 1, gpu: {time: 3, waits: true}}}\n"
                        "queues: [a -> b -> c]";
    assert_latency(model, (struct expected){31, 14, 10});
    struct weir_pipeline *p = stage_read(model);
    assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), 13);
    assert_int_equal(ask_best(p, "a.start", "b.finish", 0), 3);
    weir_pipeline_free(p);
}

/*
 * Work behind a batch: b's work waits for that of both. a launches 4 each time, at 1, 2: work 1 .. 5, 5 .. 9; b launches at 3, work
 * 9 .. 10. If it waited for the first message only it would be done at 6. a begins again at 2, 3: work to 13, 17; b at 10, 11, work
 * 17 .. 18: 16 after the first of them, 15 after the second. a at 10, 11: work to 21, 25; b to 26: 16. And so on, every 8.
 */
TEST(test_launch_behind_a_batch)
{
    assert_latency("operators: {a: {time: 1, gpu: {time: 4}}, b: {time: 1, gpu: {time: 1, waits: true}}}\n"
                   "queues: [{from: a, to: b, consume: 2, capacity: 2}]",
                   (struct expected){16, 9, 8});
}

/*
 * y begins when x does (its queue to x begins full), and x when a has launched: so a launches before y, and before a launches again
 * y has sent it a message. In one stream y's work waits for a's: a begins at 0, work 1 .. 11; y begins at 1, launches at 2, work
 * 11 .. 13: 12. In streams of their own, work 2 .. 4: 3.
 */
TEST(test_shared_stream)
{
    const char *rest = "queues: [a -> x, {from: y, to: x, capacity: 1, initial: 1}, {from: y, to: a, capacity: 1, initial: 1}]\n"
                       "measure: [{from: y, to: y}]";
    char model[600];
    snprintf(
        model, sizeof model,
        "operators: {a: {time: 1, gpu: {time: 10, stream: s}}, x: 1, y: {time: 1, gpu: {time: 2, waits: true, stream: s}}}\n%s",
        rest);
    assert_latency(model, (struct expected){12, 12, 13});
    snprintf(
        model, sizeof model,
        "operators: {a: {time: 1, gpu: {time: 10, stream: s}}, x: 1, y: {time: 1, gpu: {time: 2, waits: true, stream: t}}}\n%s",
        rest);
    struct weir_pipeline *p = stage_read(model);
    /* only the first: y's next work waits for a's by way of the message, which has y's own work behind it */
    assert_int_equal(ask_best(p, "y.start", "y.finish", 0), 3);
    weir_pipeline_free(p);
}

/* ---- transfers ---- */

/*
 * A message takes 1 + [3, 5] + 1. Three are under way at once, and each is taken in its turn when it is there: still 7 at worst.
 * The fourth begins when the first is taken, at 1 + r, and is done at 1 + r + 7; the third is done at r + 4 at the least: a gap
 * of 4. If an operator carried them one by one, the second would wait for it: begun at 1, taken at 6, there at 11, 12 - 1; the
 * third, begun at 2, at 17 - 2, and the fourth, begun when the first is taken off, at 6 ...: more in any case.
 */
TEST(test_transfer)
{
    assert_latency("operators: {p: 1, c: 1}\nqueues: [{from: p, to: c, capacity: 3, transfer: [3, 5]}]",
                   (struct expected){7, 5, 4});
    struct weir_pipeline *p = stage_read("operators: {p: 1, t: [3, 5], c: 1}\nqueue: 3\nqueues: [p -> t -> c]");
    assert_true(ask_worst(p, "p.start", "c.finish", 0) >= 15);
    weir_pipeline_free(p);
    /* two queues over which messages travel: the slower one counts, and the replay must know which is which */
    assert_latency("operators: {p: 1, c: 1}\nqueues: [{from: p, to: c, transfer: [3, 5]}, {from: p, to: c, transfer: [1, 6]}]",
                   (struct expected){8, 5, 7});
}

/* A batch waits for both transfers: the second message begins at 1 and travels for 5 from 2; or the first, from 1, which is over by
 * then. 0 .. 8 for the first; 3 + 2 + 1 at best for the second. */
TEST(test_transfer_of_a_batch)
{
    assert_latency("operators: {p: 1, c: 1}\nqueues: [{from: p, to: c, consume: 2, capacity: 2, transfer: [3, 5]}]",
                   (struct expected){8, 5, 7});
}

/* ---- periodic conditions ---- */

/*
 * s begins at most every 10, takes up to 25, and d takes 9. With the least distance between starts d catches up: a message that
 * took 25 finds d idle, 25 + 9; after one that took 1, begun 10 before it, that is a gap of 34. If missed ticks are made up for, s
 * can be late by any number of them and then start again and again, every 1, while d takes 9: no bound.
 */
TEST(test_catch_up)
{
    char words[400];
    const char *text = "operators: {s: [1, 25], d: 9}\nqueues: [{from: s, to: d, capacity: unbounded}]\n"
                       "source: {operator: s, period: 10, arrivals: %s}";
    char model[300];
    snprintf(model, sizeof model, text, "at-most");
    assert_latency(model, (struct expected){34, 10, 34});
    snprintf(model, sizeof model, text, "catch-up");
    struct weir_pipeline *p = stage_read(model);
    ask_unbounded(p, "s.start", "d.finish", 0, words);
    weir_pipeline_free(p);
}

/* c keeps s from its ticks for up to 32; then s can begin as often as c takes a message, which takes it 2, and not only every 10.
 * Without a tick missed, or at the beginning, it is 10. */
TEST(test_catch_up_after_a_wait)
{
    const char *text = "operators: {s: 1, c: [2, 32]}\nqueues: [s -> c]\nsource: {operator: s, period: 10, arrivals: %s}";
    char model[300];
    snprintf(model, sizeof model, text, "catch-up");
    struct weir_pipeline *p = stage_read(model);
    assert_int_equal(ask_best(p, "s.start", "s.start", 1), 2);
    weir_pipeline_free(p);
    snprintf(model, sizeof model, text, "at-most");
    p = stage_read(model);
    assert_int_equal(ask_best(p, "s.start", "s.start", 1), 10);
    weir_pipeline_free(p);
}

/* Skipped ticks are not for exact questions. Opened all the same, the graph is safe: the next start is at most one period after
 * this one, or when s is done. */
TEST(test_skip)
{
    struct weir_error error;
    struct weir_analysis *analysis;
    struct weir_separation result;
    struct weir_pipeline *p =
        stage_read("operators: {s: [1, 12], d: 1}\nqueues: [s -> d]\nsource: {operator: s, period: 10, arrivals: skip}");
    assert_false(weir_pipeline_is_plain(p));
    assert_int_equal(weir_analyze(p, NULL, &analysis, &error), WEIR_INVALID);
    assert_string_equal(error.message,
                        "there is no exact answer where a source skips ticks; ask for an analysis of asynchronous connections");
    assert_null(weir_solver_new(p, &error));
    struct weir_solver *solver = weir_solver_open(p, &error);
    struct weir_query query = ask_query(p, "s.start", "s.start", 1);
    assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
    assert_int_equal(result.value, 12);
    query = ask_query(p, "s.start", "d.finish", 0);
    assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
    assert_int_equal(result.value, 13);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

/* ---- connections that do not wait ---- */

/* Nothing of the exact engine answers them as a whole; opened, they are left out. */
TEST(test_cut)
{
    struct weir_error error;
    struct weir_separation result;
    struct weir_ratio period;
    struct weir_pipeline *p = stage_read("operators: {a: 2, b: 3, c: 5}\nqueues: [a -> b, {from: b, to: c, latest: true}]");
    assert_false(weir_pipeline_is_plain(p));
    assert_null(weir_solver_new(p, &error));
    assert_string_equal(error.message,
                        "this needs consumers that wait for each message and get it, but the connection from \"b\" to "
                        "\"c\" does not wait; ask for an analysis of asynchronous connections");
    assert_int_equal(weir_throughput(p, (struct weir_operator){0}, true, &period, NULL, NULL, &error), WEIR_INVALID);
    struct weir_solver *solver = weir_solver_open(p, &error);
    struct weir_query query = ask_query(p, "c.start", "c.start", 1);
    assert_int_equal(weir_separation_worst(solver, &query, &result, NULL), WEIR_OK);
    assert_int_equal(result.value, 5);
    weir_solver_free(solver);
    assert_int_equal(weir_pipeline_chain_count(p), 1); /* from a over b to c, although no way of arcs leads there */
    assert_int_equal(weir_pipeline_chain(p, 0).from.index, 0);
    assert_int_equal(weir_pipeline_chain(p, 0).to.index, 2);
    weir_pipeline_free(p);
}
