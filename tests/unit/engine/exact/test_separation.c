/* SPDX-License-Identifier: Apache-2.0 */
/* Separations worked out by hand. The letters: x is the time of an execution, ' marks the iteration before. */
#include "asking.h"

#include "model/pipeline.h"
#include "support/oracle/brute.h"
#include "support/runner.h"

#include <string.h>

/* One operator: between two of its events lies a number of its executions, each in [2, 7]. */
TEST(test_one_operator)
{
    struct weir_pipeline *p = stage_read("operators: {a: [2, 7]}");
    for (int64_t shift = -5; shift <= 5; shift++) {
        const struct {
            const char *from, *to;
            int64_t executions; /* from the first to the second event; negative when the second is earlier */
        } cases[] = {{"a.start", "a.start", shift},
                     {"a.start", "a.finish", shift + 1},
                     {"a.finish", "a.start", shift - 1},
                     {"a.finish", "a.finish", shift}};
        for (size_t i = 0; i < 4; i++) {
            int64_t n = cases[i].executions;
            assert_int_equal(ask_worst(p, cases[i].from, cases[i].to, shift), n * (n > 0 ? 7 : 2));
            assert_int_equal(ask_best(p, cases[i].from, cases[i].to, shift), n * (n > 0 ? 2 : 7));
        }
    }
    weir_pipeline_free(p);
}

/* At most every 10: starts are 10 apart, or as long as the execution takes. */
TEST(test_period_at_most)
{
    struct weir_pipeline *p = stage_read("operators: {a: [2, 7]}\nsource: {operator: a, period: 10}");
    for (int64_t shift = -3; shift <= 3; shift++) {
        assert_int_equal(ask_worst(p, "a.start", "a.start", shift), 10 * shift);
        assert_int_equal(ask_best(p, "a.start", "a.start", shift), 10 * shift);
        assert_int_equal(ask_worst(p, "a.start", "a.finish", shift), 10 * shift + 7);
        assert_int_equal(ask_worst(p, "a.finish", "a.start", shift), 10 * shift - 2);
        /* Two different executions: the later may be long and the earlier short. One: it cancels out. */
        assert_int_equal(ask_worst(p, "a.finish", "a.finish", shift), shift == 0 ? 0 : 10 * shift + 5);
    }
    weir_pipeline_free(p);
    p = stage_read("operators: {a: [2, 13]}\nsource: {operator: a, period: 10}");
    assert_int_equal(ask_worst(p, "a.start", "a.start", 2), 26);
    assert_int_equal(ask_best(p, "a.start", "a.start", 2), 20);
    assert_int_equal(ask_worst(p, "a.finish", "a.finish", 1), 8 + 13); /* a short one, then the rest of its 10, then a long one */
    assert_int_equal(ask_best(p, "a.finish", "a.finish", 1), 2);       /* a long one, and a short one right behind */
    weir_pipeline_free(p);
}

/* Two cameras, each every 33. In step they are joined at once; with a phase of up to 9 between them the one waits for the other
 * that long; one that begins at any time counts from a period before on. */
TEST(test_phases)
{
    static const struct {
        const char *sources;
        int64_t worst, best;
    } cases[] = {
        {"[{operator: left, period: 33, phase: 0}, {operator: right, period: 33, phase: 0}]", 13 + 7, 20},
        {"[{operator: left, period: 33, phase: 4}, {operator: right, period: 33, phase: 9}]", 5 + 13 + 7, 25},
        {"[{operator: left, period: 33, phase: [2, 5]}, {operator: right, period: 33, phase: [0, 9]}]", 7 + 13 + 7, 20},
        {"[{operator: left, period: 33}, {operator: right, period: 33}]", 33 + 13 + 7, 20},
        {"[{operator: left, period: 33, phase: unknown}, {operator: right, period: 33, phase: 0}]", 33 + 7, 20},
        {"[{operator: left, period: 33, arrivals: catch-up}, {operator: right, period: 33, arrivals: catch-up}]", 33 + 13 + 7, 20},
        {"[{operator: left, period: 33}]", 13 + 7, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "operators: {left: 13, right: 13, join: 7}\nqueues: [left -> join, right -> join]\nsources: %s",
                 cases[i].sources);
        struct weir_pipeline *p = stage_read(text);
        assert_int_equal(ask_worst(p, "left.start", "join.finish", 0), cases[i].worst);
        assert_int_equal(ask_best(p, "left.start", "join.finish", 0), cases[i].best);
        weir_pipeline_free(p);
    }
}

/* Arrivals exactly every 10, each handled before the next: everything is counted from them. */
TEST(test_arrivals)
{
    struct weir_pipeline *p = stage_read("operators: {a: [2, 7]}\nsource: {operator: a, period: 10, arrivals: exact}");
    for (int64_t shift = -3; shift <= 3; shift++) {
        assert_int_equal(ask_worst(p, "a.arrival", "a.arrival", shift), 10 * shift);
        assert_int_equal(ask_worst(p, "a.arrival", "a.start", shift), 10 * shift);
        assert_int_equal(ask_worst(p, "a.arrival", "a.finish", shift), 10 * shift + 7);
        assert_int_equal(ask_best(p, "a.arrival", "a.finish", shift), 10 * shift + 2);
        assert_int_equal(ask_worst(p, "a.start", "a.arrival", shift), 10 * shift);
        assert_int_equal(ask_worst(p, "a.finish", "a.arrival", shift), 10 * shift - 2);
    }
    weir_pipeline_free(p);
}

/*
 * a [1, 4] -> b [2, 3], one slot. b starts when a has sent, so a always waits for b's start: start(a) = start'(b), and
 * start(b) = start(a) + max(x(a), x'(b)); only in the first iteration there is no x'(b).
 */
TEST(test_two_in_a_row)
{
    struct weir_pipeline *p = stage_read("operators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]");
    assert_int_equal(ask_worst(p, "a.start", "b.start", 0), 4);
    assert_int_equal(ask_best(p, "a.start", "b.start", 0), 1);     /* the first iteration; later it is at least 2 */
    assert_int_equal(ask_best(p, "a.start", "b.start", 1), 1 + 2); /* the first, and one behind a b */
    assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), 4 + 3);
    assert_int_equal(ask_best(p, "a.start", "b.finish", 0), 1 + 2);
    assert_int_equal(ask_worst(p, "a.finish", "b.start", 0), 3 - 1); /* a is fast while the last b is slow */
    assert_int_equal(ask_best(p, "a.finish", "b.start", 0), 0);
    assert_int_equal(ask_worst(p, "a.finish", "b.finish", 0), 3 - 1 + 3);
    assert_int_equal(ask_worst(p, "b.start", "b.start", 1), 4);
    assert_int_equal(ask_best(p, "b.start", "b.start", 1), 2);
    assert_int_equal(ask_worst(p, "b.start", "a.start", 1), 0); /* the rule above: they start together */
    assert_int_equal(ask_best(p, "b.start", "a.start", 1), 0);
    assert_int_equal(ask_worst(p, "b.finish", "b.finish", 1), (4 - 2) + 3);
    assert_int_equal(ask_best(p, "b.finish", "b.finish", 1), 2);
    assert_int_equal(ask_worst(p, "b.finish", "a.start", 1), -2); /* the next a starts with b, which takes at least 2 */
    assert_int_equal(ask_worst(p, "a.start", "a.start", 3), 3 * 4);
    weir_pipeline_free(p);
}

/* A slow consumer behind a queue of c: a is let in when the message c places ahead is taken, so c + 1 of b are still to come. */
TEST(test_backlog_by_capacity)
{
    static const char *const times[] = {"{a: [0, 4], b: [0, 10]}", "{a: [3, 4], b: [0, 10]}", "{a: 4, b: 10}"};
    for (size_t t = 0; t < 3; t++)
        for (int64_t c = 1; c <= 9; c++) {
            char model[200];
            snprintf(model, sizeof model, "operators: %s\nqueues: [{from: a, to: b, capacity: %lld}]", times[t], (long long)c);
            struct weir_pipeline *p = stage_read(model);
            assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), 10 * (c + 1));
            /* From the end of a to the end of b: one execution of a has gone by. */
            assert_int_equal(ask_worst(p, "a.finish", "b.finish", 0), 10 * (c + 1) - (t == 0 ? 0 : t == 1 ? 3 : 4));
            weir_pipeline_free(p);
        }
}

/* The slot is freed late: a is let in when b has received, so less of b's execution is left to wait for. */
TEST(test_late_receive)
{
    static const struct {
        const char *receive;
        int64_t worst, best, gap;
    } cases[] = {
        {"[0, 0]", 10 + 10, 0, 2 + 10}, /* b has just begun; a gap: b of 0, a of 2, b of 10 */
        {"[5, 5]", 5 + 10, 5, 2 + 10}, /* half of b is left; at best b has to receive; 5 of receiving, 2 of a, 10 - and 5 of that */
        {"[10, 10]", 2 + 10, 10, 2 + 10},
        {"[0, 10]", 10 + 10, 0, 2 + 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[200];
        snprintf(model, sizeof model, "operators: {a: [0, 2], b: {time: [0, 10], receive: %s}}\nqueues: [a -> b]",
                 cases[i].receive);
        struct weir_pipeline *p = stage_read(model);
        assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), cases[i].worst);
        assert_int_equal(ask_best(p, "a.start", "b.finish", 0), cases[i].best);
        assert_int_equal(ask_worst(p, "b.finish", "b.finish", 1), cases[i].gap);
        weir_pipeline_free(p);
    }
}

/* A loop of two with n messages in it: an operator starts when the one n rounds ahead of it is done. */
TEST(test_feedback)
{
    struct weir_pipeline *p =
        stage_read("operators: {a: [1, 2], b: [3, 5]}\nqueues: [a -> b, {from: b, to: a, capacity: 1, initial: 1}]");
    /* One message: a, b, a, b ... */
    assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), 7);
    assert_int_equal(ask_best(p, "a.start", "b.finish", 0), 4);
    assert_int_equal(ask_worst(p, "a.start", "a.start", 2), 14);
    assert_int_equal(ask_worst(p, "b.finish", "b.finish", 1), 7);
    assert_int_equal(ask_worst(p, "b.finish", "a.start", 1), 0);
    weir_pipeline_free(p);
    /* Two messages: a runs one ahead of b and waits behind it. */
    p = stage_read(
        "operators: {a: [1, 2], b: [3, 5]}\nqueues: [{from: a, to: b, capacity: 2}, {from: b, to: a, capacity: 2, initial: 2}]");
    assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), 5 + 5); /* a begins when the b before the last is done */
    assert_int_equal(ask_worst(p, "b.finish", "b.finish", 1), 5);    /* ... so there is always one in the queue */
    assert_int_equal(ask_best(p, "b.finish", "b.finish", 1), 3);
    weir_pipeline_free(p);
}

/* Messages at the beginning: what a sends is taken `initial` iterations later. */
TEST(test_initial_messages)
{
    struct weir_pipeline *p = stage_read("operators: {a: [1, 4], b: [2, 3]}\nqueues: [{from: a, to: b, capacity: 2, initial: 1}]");
    /* start(a) = max(finish'(a), start'(b)) and start(b) = max(finish'(a), finish'(b)): b starts with a, or later by at
     * most one execution of its own, and takes the message of this a after that. */
    assert_int_equal(ask_worst(p, "a.start", "b.start", 0), 3);
    assert_int_equal(ask_best(p, "a.start", "b.start", 0), 0);
    assert_int_equal(ask_worst(p, "a.start", "b.start", 1), 3 + 3);
    assert_int_equal(ask_worst(p, "a.start", "b.finish", 1), 3 + 3 + 3);
    assert_int_equal(ask_best(p, "a.start", "b.finish", 1), 0 + 2 + 2);
    assert_int_equal(weir_pipeline_chain(p, 0).shift, 1);
    weir_pipeline_free(p);
}

/* Several iterations at a time: starts keep their period, or their order; ends may overtake each other. */
TEST(test_reentrant)
{
    struct weir_pipeline *p = stage_read("operators: {a: {time: [2, 7], reentrant: true}}\nsource: {operator: a, period: 3}");
    for (int64_t shift = -3; shift <= 3; shift++) {
        assert_int_equal(ask_worst(p, "a.start", "a.start", shift), 3 * shift);
        assert_int_equal(ask_worst(p, "a.start", "a.finish", shift), 3 * shift + 7);
        assert_int_equal(ask_best(p, "a.start", "a.finish", shift), 3 * shift + 2);
        assert_int_equal(ask_worst(p, "a.finish", "a.finish", shift), shift == 0 ? 0 : 3 * shift + 5);
    }
    weir_pipeline_free(p);
    p = stage_read("operators: {a: {time: [2, 7], reentrant: true}}"); /* nothing holds it back: all at once */
    assert_int_equal(ask_worst(p, "a.start", "a.start", 5), 0);
    assert_int_equal(ask_worst(p, "a.start", "a.finish", 5), 7);
    assert_int_equal(ask_best(p, "a.start", "a.finish", 5), 2);
    weir_pipeline_free(p);
    /* Two at a time, by the room before b: a at 0, 0, 10, 12, 20, 22 ... and b at 10, 12, 20, 22 ... */
    p = stage_read("operators: {a: {time: 10, reentrant: true}, b: 2}\nqueues: [{from: a, to: b, capacity: 2}]");
    assert_int_equal(ask_worst(p, "a.start", "b.finish", 0), 14); /* the second */
    assert_int_equal(ask_best(p, "a.start", "b.finish", 0), 12);
    assert_int_equal(ask_worst(p, "b.finish", "b.finish", 1), 8);
    assert_int_equal(ask_best(p, "b.finish", "b.finish", 1), 2);
    weir_pipeline_free(p);
}

/* Places are freed in order: an execution of b that receives at once, after one that has not, leaves a waiting for the earlier.
 * With places freed as messages are received, whichever those are, a would never wait for longer than 7. */
TEST(test_reentrant_late_receive)
{
    struct weir_pipeline *p = stage_read("operators: {a: [0, 4], b: {time: [0, 6], receive: [1, 6], reentrant: true}, c: [3, 5]}\n"
                                         "queues: [{from: a, to: b, capacity: 2}, {from: b, to: c, capacity: 3}]");
    assert_int_equal(ask_worst(p, "a.start", "a.start", 1), 10);
    weir_pipeline_free(p);
}

/* Everything above once more, as the exhaustive search has it: three iterations are enough for short ways. */
TEST(test_against_exhaustive_search)
{
    static const char *const models[] = {
        "operators: {a: [2, 7]}",
        "operators: {a: [2, 13]}\nsource: {operator: a, period: 10}",
        "operators: {a: [2, 7]}\nsource: {operator: a, period: 10, arrivals: exact}",
        "operators: {a: [1, 4], b: [2, 3]}\nqueues: [a -> b]",
        "operators: {a: [1, 2], b: [3, 5]}\nqueues: [a -> b, {from: b, to: a, capacity: 1, initial: 1}]",
        "operators: {a: [1, 4], b: [2, 3]}\nqueues: [{from: a, to: b, capacity: 2, initial: 1}]",
        "operators: {a: {time: [2, 7], reentrant: true}, b: [0, 2]}\nqueues: [{from: a, to: b, capacity: 2}]",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_pipeline *p = stage_read(models[i]);
        uint32_t last = weir_pipeline_operator_count(p) - 1;
        for (int from = 0; from < 2; from++)
            for (int to = 0; to < 2; to++)
                for (int64_t shift = -1; shift <= 1; shift++) {
                    struct weir_query query = {.from = {{0}, (enum weir_moment)from, 0}, .to = {{last}, (enum weir_moment)to, 0}};
                    struct weir_brute brute;
                    query.shift = shift;
                    assert_true(weir_brute_separation(p, &query, 5, &brute));
                    assert_int_equal(brute.max, ask_exact(p, &query));
                }
        weir_pipeline_free(p);
    }
}

TEST(test_mistaken_queries)
{
    struct weir_pipeline *p = stage_read("operators: {a: [2, 7]}");
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_separation result;
    struct weir_error error;
    struct weir_query query = {.from = {{0}, WEIR_START, 0}, .to = {{1}, WEIR_START, 0}};
    assert_int_equal(weir_separation_worst(solver, &query, &result, &error), WEIR_INVALID);
    assert_string_equal(error.message, "an event must belong to an operator of the pipeline");
    query.to = (struct weir_event){.op = {0}, .moment = WEIR_ARRIVAL};
    assert_int_equal(weir_separation_worst(solver, &query, &result, &error), WEIR_INVALID);
    assert_string_equal(error.message, "operator \"a\" has no arrivals");
    query.to.moment = WEIR_FINISH;
    query.shift = INT64_MAX;
    assert_int_equal(weir_separation_worst(solver, &query, &result, &error), WEIR_INVALID);
    assert_string_equal(error.message, "a shift is at most 1073741824 iterations");
    query.shift = 0;
    bool holds = true;
    assert_int_equal(weir_separation_certify(solver, &query, INT64_MAX, &holds, &error), WEIR_INVALID);
    assert_string_equal(error.message, "the bound is longer than can be represented");
    assert_false(holds);
    weir_solver_free(solver);
    weir_pipeline_free(p);
    p = weir_pipeline_new(NULL);
    stage_operator(p, "a", 1, 2);
    assert_null(weir_solver_new(p, &error));
    assert_string_equal(error.message, "the pipeline is not sealed");
    weir_pipeline_free(p);
}

/* b begins at 31: a, which is up to three messages ahead, starts its fourth execution then, and one every 26 from there on. All
 * best cases are 0. */
TEST(test_late_beginning)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 0, 10), b = stage_operator(p, "b", 0, 0),
                         pace = stage_operator(p, "pace", 0, 26);
    stage_queue(p, a, b, 3, 0);
    stage_queue(p, pace, b, 1, 1);
    assert_true(weir_pipeline_set_phase(p, b.index, (struct weir_phase){.least = 25, .most = 31}));
    stage_seal(p);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    for (int64_t shift = 1; shift < 5; shift++) {
        struct weir_query query = {.from = {.op = a, .moment = WEIR_START}, .to = {.op = a, .moment = WEIR_START}, .shift = shift};
        struct weir_separation found;
        bool holds = false;
        assert_int_equal(weir_separation_worst(solver, &query, &found, NULL), WEIR_OK);
        assert_int_equal(found.value, 31 + 26 * (shift - 1));
        assert_int_equal(weir_separation_certify(solver, &query, found.value, &holds, NULL), WEIR_OK);
        assert_true(holds);
    }
    weir_solver_free(solver);
    weir_pipeline_free(p);
}
